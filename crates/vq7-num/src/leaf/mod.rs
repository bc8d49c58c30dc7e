//! The value leaves of the IVP instructions: what one lane, or one register, of an instruction gives.
//!
//! A leaf is a pure function with a name such as `add_16_16_16`: outputs first, then inputs, widths in bits. [`find`] gives
//! a leaf by its name; [`Leaf::call`] checks the inputs and gives values and flags. [`Leaf::lane`] and [`Leaf::row`] are the
//! fast entries that a simulator asks for once per instruction and calls once per lane or once per register.
//!
//! | module | owns |
//! |---|---|
//! | [`bits`] | a value of up to 1536 bits |
//! | [`shape`] | kinds and widths of inputs and outputs |
//! | [`row`] | what a leaf is, and the macro that tables are written with |
//! | `alu`, `compare`, `logic`, `shift` | integer leaves |
//! | `multiply`, `pack`, `widen` | accumulators: into them, out of them, and changes of width |
//! | `float`, `float_alu`, `float_compare`, `float_convert` | floating point: arithmetic on any format, and its leaves |
//! | `whole`, `divide` | registers as a whole: select, shuffle, reduce, the steps of a division |
//! | `unknown` | leaves that no source gives a rule for |
//! | [`error`] | why a leaf gave nothing |
//!
//! Rules, grounds and what is unknown: docs/spec/iss-leaves.md.

mod alu;
pub mod bits;
mod compare;
mod divide;
pub mod error;
mod float;
mod float_alu;
mod float_compare;
mod float_convert;
mod logic;
mod multiply;
mod pack;
pub mod row;
pub mod shape;
mod shift;
mod unknown;
mod whole;
mod widen;

pub use bits::Bits;
pub use error::LeafError;
pub use row::{Body, Grounds, Lane96Fn, LaneFn, LaneOut, Leaf, Origin, RowFn, WholeFn};
pub use shape::{Kind, Port};

use crate::flags::Flags;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The tables, in the order of docs/spec/iss-leaves.md.
static TABLES: [&[Leaf]; 13] = [
    alu::ROWS,
    compare::ROWS,
    logic::ROWS,
    shift::ROWS,
    multiply::ROWS,
    pack::ROWS,
    widen::ROWS,
    float_alu::ROWS,
    float_compare::ROWS,
    float_convert::ROWS,
    whole::ROWS,
    divide::ROWS,
    unknown::ROWS,
];

/// Every leaf, those that are not modelled last.
pub fn all() -> impl Iterator<Item = &'static Leaf> + Clone {
    TABLES.iter().flat_map(|table| table.iter())
}

/// The leaf of a name.
pub fn find(name: &str) -> Option<&'static Leaf> {
    static BY_NAME: LazyLock<BTreeMap<&'static str, &'static Leaf>> =
        LazyLock::new(|| all().map(|leaf| (leaf.name, leaf)).collect());
    BY_NAME.get(name).copied()
}

/// The leaf of a name.
///
/// # Errors
/// When no leaf has the name; the error suggests near ones.
pub fn named(name: &str) -> Result<&'static Leaf, LeafError> {
    find(name).ok_or_else(|| {
        let near = vq7_isa::spelling::near(name, all().map(|leaf| leaf.name));
        LeafError::Unknown { name: name.to_owned(), near }
    })
}

/// What a leaf gave.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// Values in the order of [`Leaf::value_outputs`].
    pub values: Vec<Bits>,
    /// The flags that it raised.
    pub flags: Flags,
}

impl Leaf {
    /// Calls the leaf.
    ///
    /// # Errors
    /// When the leaf is not modelled, when the number of inputs is another, or when one has bits above its width.
    pub fn call(&'static self, inputs: &[Bits]) -> Result<Outputs, LeafError> {
        if let Body::NotModelled(reason) = self.body {
            return Err(LeafError::Unimplemented { leaf: self, reason });
        }
        if inputs.len() != self.inputs.len() {
            return Err(LeafError::Count { leaf: self, given: inputs.len() });
        }
        for (input, (port, value)) in self.inputs.iter().zip(inputs).enumerate() {
            if value.width() > port.bits {
                let value = Box::new(*value);
                return Err(match port.kind {
                    Kind::Mode => LeafError::RoundMode { leaf: self, input, value },
                    _ => LeafError::TooWide { leaf: self, input, value },
                });
            }
        }
        let wide = |index: usize| inputs.get(index).copied().unwrap_or_default();
        let low = |index: usize| wide(index).low_u64();
        let count = self.value_outputs().count();
        let exact = |values| Outputs { values, flags: Flags::NONE };
        Ok(match self.body {
            Body::Lane { one, .. } => {
                let out = one(low(0), low(1), low(2), low(3));
                let predicate = (count > 1).then(|| out.predicate().into());
                Outputs { values: predicate.into_iter().chain([out.value.into()]).collect(), flags: out.flags() }
            }
            Body::Lane96(lane) => exact(vec![lane(wide(0).low_u128(), low(1), low(2)).into()]),
            Body::Whole(whole) => {
                let mut values = vec![Bits::ZERO; count];
                whole(inputs, &mut values);
                exact(values)
            }
            // Refused above.
            Body::NotModelled(_) => exact(Vec::new()),
        })
    }
}
