//! One element of one tensor-tensor op: two bit patterns in, one out.

use crate::basis::{Basis, Case, Notes, Touched};
use crate::convert::mask;
use crate::flags::{Flagged, Flags};
use crate::{base, bitvec, integer, probes};
use std::fmt;
use vq7_isa::alu_op::{Arity, Band};
use vq7_isa::{AluOp, Dtype};
use vq7_policy::{Knob, Policy, Settled};

/// The class of a tensor-tensor word, which its opcode says. It decides what BYPASS is, the one op of both classes;
/// all other ops belong to one class and do not ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Opcode 0x41: arithmetic.
    Arith,
    /// Opcode 0x51: bit patterns.
    Bitvec,
}

/// An op with the dtypes of its operands: everything about an element but its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lane {
    /// The op.
    pub op: AluOp,
    /// Dtype of the first source.
    pub src0: Dtype,
    /// Dtype of the second source. A unary op has one, too.
    pub src1: Dtype,
    /// Dtype of the result.
    pub out: Dtype,
    /// Class of the word.
    pub class: Class,
}

/// Why an element has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneError {
    /// No source settles what the engine computes: a base-band op with a 64-bit integer among its dtypes, or a 64-bit
    /// shift into another dtype (docs/spec/numbers.md, 64-bit).
    Unspecified,
    /// An integer division by zero under `int_div_zero=trap`.
    DivideByZero,
    /// Something that vq7 has no element rule for, by name. No legal tensor-tensor word needs it.
    Unimplemented(&'static str),
}

impl fmt::Display for LaneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unspecified => f.write_str(
                "no source settles the result of a base-band op on 64-bit integers or of a 64-bit shift into another \
                 dtype; the integer-band ops (add_int, ..) are exact on 64 bits",
            ),
            Self::DivideByZero => f.write_str("integer division by zero, and the policy says int_div_zero=trap"),
            Self::Unimplemented(what) => write!(f, "vq7 has no rule for {what}"),
        }
    }
}

impl std::error::Error for LaneError {}

impl Lane {
    /// A lane whose class is that of the op; for BYPASS, arithmetic.
    pub const fn new(op: AluOp, src0: Dtype, src1: Dtype, out: Dtype) -> Self {
        let class = if matches!(op.band(), Band::Bitvec) { Class::Bitvec } else { Class::Arith };
        Self { op, src0, src1, out, class }
    }

    /// The result of the op on two elements. Patterns stand in the low bits; higher ones are ignored, and zero in the
    /// result.
    ///
    /// Whether a word with this op and these dtypes is legal is not judged here: ops that no tensor-tensor word can
    /// hold, such as DIVIDE, have a result as well.
    ///
    /// # Errors
    /// [`LaneError`]: no source settles the result, a division traps, or there is no such element rule.
    pub fn evaluate(&self, a: u64, b: u64, policy: &Policy) -> Result<Flagged<u64>, LaneError> {
        let mut case = Case::new(policy);
        let value = self.compute(a, b, &mut case)?;
        Ok(Flagged::new(value, case.flags))
    }

    /// What a result of this lane can rest on, whatever the data.
    ///
    /// The lane knows no generation; see [`Basis::on`].
    pub fn basis(&self, policy: &Policy) -> Basis {
        let mut union = Touched::default();
        for a in probes::first(self.src0, policy) {
            for b in probes::second(self.op, self.src1, policy) {
                union.add(self.touched(a, b, policy));
            }
        }
        union.basis()
    }

    /// The status that a result of this lane can raise, whatever the data.
    pub fn flags(&self, policy: &Policy) -> Flags {
        let mut union = Flags::NONE;
        for a in probes::first(self.src0, policy) {
            for b in probes::second(self.op, self.src1, policy) {
                if let Ok(result) = self.evaluate(a, b, policy) {
                    result.take_into(&mut union);
                }
            }
        }
        union
    }

    /// What the result on these operands rests on. A knob that is not listed does not change the result, whatever its
    /// value. See [`Basis::on`] about generations.
    pub fn basis_of(&self, a: u64, b: u64, policy: &Policy) -> Basis {
        self.touched(a, b, policy).basis()
    }

    /// As [`Lane::evaluate`], adding what the result rests on to `notes`.
    ///
    /// # Errors
    /// As [`Lane::evaluate`]; nothing is noted then.
    pub fn evaluate_noting(
        &self,
        a: u64,
        b: u64,
        policy: &Policy,
        notes: &mut Notes,
    ) -> Result<Flagged<u64>, LaneError> {
        let mut case = Case::tracing(policy);
        let result = self.compute(a, b, &mut case);
        notes.0.add(self.settle(case.touched, notes.0, result, a, b, policy));
        result.map(|value| Flagged::new(value, case.flags))
    }

    fn touched(&self, a: u64, b: u64, policy: &Policy) -> Touched {
        let mut case = Case::tracing(policy);
        let result = self.compute(a, b, &mut case);
        self.settle(case.touched, Touched::default(), result, a, b, policy)
    }

    /// What of `touched` the result rests on. Nothing that is in `known` needs to be looked into again.
    fn settle(
        &self,
        mut touched: Touched,
        known: Touched,
        result: Result<u64, LaneError>,
        a: u64,
        b: u64,
        policy: &Policy,
    ) -> Touched {
        if matches!(result, Err(LaneError::Unspecified | LaneError::Unimplemented(_))) {
            return Touched::default();
        }
        // These two switch the whole way of computing. They matter only where the ways differ.
        for knob in [Knob::base_int, Knob::pow_int] {
            if touched.has(knob) && !known.has(knob) && self.other_way(knob, a, b, policy) == result {
                touched.remove(knob);
            }
        }
        touched
    }

    /// The result with a knob of two values switched over.
    fn other_way(&self, knob: Knob, a: u64, b: u64, policy: &Policy) -> Result<u64, LaneError> {
        let mut switched = *policy;
        for value in knob.values().iter().filter(|value| **value != policy.get(knob)) {
            // The table's own spelling cannot be refused.
            let _ = switched.set(&format!("{}={value}", knob.name()));
        }
        self.compute(a, b, &mut Case::new(&switched))
    }

    fn compute(&self, a: u64, b: u64, case: &mut Case) -> Result<u64, LaneError> {
        // The dtypes of tensor-tensor operands are those whose code fits a nibble.
        if (self.src0.code() | self.src1.code() | self.out.code()) > 0x0F {
            return Err(LaneError::Unimplemented("a dtype that no tensor-tensor operand holds"));
        }
        let (a, b) = (a & mask(self.src0.bits()), b & mask(self.src1.bits()));
        if self.op.arity() == Arity::Unary {
            case.rest_on(Settled::UnaryIgnoresSrc1);
        }
        match self.op.band() {
            Band::Base if self.op == AluOp::Bypass && self.class == Class::Bitvec => bitvec::evaluate(self, a, b, case),
            Band::Base => base::evaluate(self, a, b, case),
            Band::Bitvec => bitvec::evaluate(self, a, b, case),
            Band::Integer => integer::evaluate(self, a, b, case),
        }
    }
}
