//! Lowering: what the loop of a tensor-tensor word is on the vector core.
//!
//! | module | owns |
//! |---|---|
//! | [`flow`] | steps on variables, for one unit of elements |
//! | `memory` | loads, stores and conversions of every dtype |
//! | `base`, `integer`, `wide`, `predicated` | the sequences of the ops |
//! | `modulo`, `allocate` | when each step issues, and which registers it has |
//! | `bound` | the shortest interval that the slots allow |
//! | [`kernel`] | the scheduled loop with its registers |
//! | [`structure`] | which loops share a schedule |
//! | [`emit`] | its bundles, for a number of units |
//!
//! No source shows the kernels of the device. The sequences are ours, and every row says how sure it is
//! (docs/spec/iss-lowering.md).

mod allocate;
mod base;
mod bound;
pub mod emit;
pub mod flow;
mod integer;
pub mod kernel;
mod memory;
mod modulo;
mod predicated;
pub mod structure;
mod wide;

pub use flow::Flow;
pub use kernel::Kernel;

use std::fmt;
use vq7_isa::alu_op::Band;
use vq7_isa::{AluOp, Dtype};
use vq7_num::{Class, Lane};
use vq7_policy::{Knob, Policy};

/// What a word does with its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// `op(src0, src1)`
    Elementwise(Lane),
    /// src1 where src0 is not zero: dtypes of the predicate, the source and the result.
    CopyPredicated([Dtype; 3]),
    /// As `CopyPredicated`, converted through float32.
    CastPredicated([Dtype; 3]),
}

/// Why a word has no sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// POW and wide division are one pseudo-op whose cycles are assumed.
    Macro,
    /// The default answer of this knob is what the sequences give.
    Knob(Knob),
    /// No sequence is written down for the op on these dtypes.
    NoSequence,
    /// No source settles the result.
    Unspecified,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Macro => f.write_str("one pseudo-op with assumed cycles (macro)"),
            Self::Knob(knob) => {
                write!(f, "the bundle sequences answer {} only with {}", knob.name(), knob.default_value())
            }
            Self::NoSequence => f.write_str("no bundle sequence is written down for this op on these dtypes"),
            Self::Unspecified => f.write_str("no source settles the result"),
        }
    }
}

/// Knobs of which every answer has its sequence.
const FREE: [Knob; 3] = [Knob::fp8_overflow, Knob::e4m3, Knob::mod_sign];

/// Whether a knob's answer has sequences.
fn has_sequences(knob: Knob, policy: &Policy) -> bool {
    let value = policy.get(knob);
    FREE.contains(&knob)
        || value == knob.default_value()
        || knob == Knob::float_to_int && value == "trunc_saturate"
        || knob == Knob::fp32r && value == "passthrough"
        // Whether a start partition is legal decides no bit.
        || knob == Knob::start_partition
}

/// The steps for `copies` units of a word's elements.
///
/// # Errors
/// [`Reason`].
pub fn lower(work: Work, policy: &Policy, copies: u32) -> Result<Flow, Reason> {
    if let Some(&knob) = Knob::ALL.iter().find(|&&knob| !has_sequences(knob, policy)) {
        return Err(Reason::Knob(knob));
    }
    let mut flow = Flow::new(unit(work));
    for copy in 0..copies {
        flow.begin_unit(copy);
        match work {
            Work::Elementwise(lane) => elementwise(&mut flow, &lane, policy)?,
            Work::CopyPredicated(dtypes) => predicated::lower(&mut flow, dtypes, false, policy),
            Work::CastPredicated(dtypes) => predicated::lower(&mut flow, dtypes, true, policy),
        }
    }
    flow.unit = flow.unit.saturating_mul(copies);
    match flow.missing {
        None => Ok(flow),
        Some(_) => Err(Reason::NoSequence),
    }
}

/// How a lane is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Base,
    Integer,
    Wide,
}

fn family(lane: &Lane) -> Result<Family, Reason> {
    let wide = [lane.src0, lane.src1, lane.out].iter().any(|dtype| dtype.bits() == 64);
    let bits = lane.op == AluOp::Bypass && lane.class == Class::Bitvec;
    match lane.op.band() {
        Band::Base if lane.op == AluOp::Pow => Err(if wide { Reason::Unspecified } else { Reason::Macro }),
        Band::Base if !bits && wide => Err(Reason::Unspecified),
        Band::Base if !bits => Ok(Family::Base),
        _ if wide => Ok(Family::Wide),
        _ => Ok(Family::Integer),
    }
}

fn unit(work: Work) -> u32 {
    match work {
        Work::Elementwise(lane) => match family(&lane) {
            Ok(Family::Wide) => wide::unit(&lane),
            Ok(Family::Integer) => integer::unit(&lane),
            Ok(Family::Base) | Err(_) => base::unit(&lane),
        },
        Work::CopyPredicated(dtypes) | Work::CastPredicated(dtypes) => predicated::unit(dtypes),
    }
}

fn elementwise(flow: &mut Flow, lane: &Lane, policy: &Policy) -> Result<(), Reason> {
    match family(lane)? {
        Family::Base => base::lower(flow, lane, policy),
        Family::Integer => integer::lower(flow, lane, policy),
        Family::Wide => wide::lower(flow, lane, policy),
    }
}
