//! Which judge takes which op and dtypes.

use crate::apfloat::{self, Apfloat};
use crate::cases::Question;
use crate::integers::{self, Integers};
use crate::verdict::Expected;
use crate::{core_math, softfloat};
use std::fmt;
use vq7_isa::AluOp;
use vq7_policy::Policy;

/// A judge by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oracle {
    /// LLVM's soft float in Rust.
    Apfloat,
    /// Definitions on 128-bit integers.
    Integers,
    /// Berkeley SoftFloat.
    Softfloat,
    /// CORE-MATH.
    CoreMath,
}

impl Oracle {
    /// All of them, in the order in which they are asked.
    pub const ALL: [Self; 4] = [Self::Apfloat, Self::Integers, Self::Softfloat, Self::CoreMath];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Apfloat => "apfloat",
            Self::Integers => "integers",
            Self::Softfloat => "softfloat",
            Self::CoreMath => "core-math",
        }
    }

    /// The judge of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|oracle| oracle.name() == name)
    }

    /// Whether this build has it: the judges in C are cargo features.
    pub const fn is_built_in(self) -> bool {
        match self {
            Self::Apfloat | Self::Integers => true,
            Self::Softfloat => cfg!(feature = "softfloat"),
            Self::CoreMath => cfg!(feature = "core-math"),
        }
    }

    /// What it judges, in a sentence.
    pub const fn scope(self) -> &'static str {
        match self {
            Self::Apfloat => {
                "base-band ops on floats and on integers of at most 32 bits, under any policy but base_int=native32 on \
                 32-bit integers and float_to_int=raw"
            }
            Self::Integers => {
                "integer-band ops on integers of one signedness, bitwise ops and shifts, under any policy but \
                 int_div_zero=trap"
            }
            Self::Softfloat => {
                "base-band ops on float16, bfloat16, float32 and integers of at most 32 bits, under the policies of \
                 apfloat, and MAX and MIN under minmax_nan=select_second"
            }
            Self::CoreMath => {
                "pow and rsqrt on operands of at most 32 bits, rounded to nearest even, under any policy but \
                 pow_int=native32 on 32-bit integers and float_to_int=raw"
            }
        }
    }

    /// The ops that it knows.
    pub fn ops(self) -> Vec<AluOp> {
        match self {
            Self::Apfloat => apfloat::OPS.to_vec(),
            Self::Integers => integers::ops().collect(),
            Self::Softfloat => softfloat::OPS.to_vec(),
            Self::CoreMath => core_math::OPS.to_vec(),
        }
    }

    /// Whether it judges the question, built in or not.
    pub fn takes(self, question: Question, policy: &Policy) -> bool {
        let Question { op, types } = question;
        match self {
            Self::Apfloat => Apfloat::takes(op, types, policy),
            Self::Integers => Integers::new(op, types, policy).is_some(),
            Self::Softfloat => softfloat::takes(op, types, policy),
            Self::CoreMath => core_math::takes(op, types, policy),
        }
    }
}

/// No judge takes the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotJudged {
    /// What was asked.
    pub question: Question,
    /// Who was asked; everybody if nobody in particular.
    pub oracle: Option<Oracle>,
    /// A judge that would take it, and that this build does not have.
    pub not_built_in: Option<Oracle>,
}

impl fmt::Display for NotJudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(oracle) = self.not_built_in {
            let (question, name) = (self.question, oracle.name());
            return write!(
                f,
                "{question} is judged by {name}, which is not built into this program; build it with `--features {name}`"
            );
        }
        match self.oracle {
            Some(oracle) => {
                write!(f, "the oracle {} does not judge {} under this policy", oracle.name(), self.question)?
            }
            None => write!(f, "no oracle judges {} under this policy", self.question)?,
        }
        for oracle in Oracle::ALL {
            let names: Vec<_> = oracle.ops().iter().map(|op| op.to_string()).collect();
            write!(f, "\n  {}: {} ({})", oracle.name(), oracle.scope(), names.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for NotJudged {}

/// The judge of one question.
#[derive(Debug)]
pub enum Judge {
    /// LLVM's soft float.
    Apfloat(Box<Apfloat>),
    /// 128-bit integers.
    Integers(Integers),
    /// Berkeley SoftFloat.
    #[cfg(feature = "softfloat")]
    Softfloat(softfloat::Softfloat),
    /// CORE-MATH.
    #[cfg(feature = "core-math")]
    CoreMath(Box<core_math::CoreMath>),
}

impl Judge {
    /// A judge: the named one, or the first that takes the question.
    ///
    /// # Errors
    /// When it, or every one of them, does not take the question or is not built in.
    pub fn new(question: Question, oracle: Option<Oracle>, policy: &Policy) -> Result<Self, NotJudged> {
        let asked = || Oracle::ALL.into_iter().filter(|candidate| oracle.is_none_or(|oracle| oracle == *candidate));
        let judge = asked().find_map(|candidate| Self::of(candidate, question, policy));
        judge.ok_or_else(|| {
            let not_built_in = asked().find(|candidate| !candidate.is_built_in() && candidate.takes(question, policy));
            NotJudged { question, oracle, not_built_in }
        })
    }

    fn of(oracle: Oracle, question: Question, policy: &Policy) -> Option<Self> {
        let Question { op, types } = question;
        match oracle {
            Oracle::Apfloat => Apfloat::new(op, types, policy).map(|judge| Self::Apfloat(Box::new(judge))),
            Oracle::Integers => Integers::new(op, types, policy).map(Self::Integers),
            #[cfg(feature = "softfloat")]
            Oracle::Softfloat => softfloat::Softfloat::new(op, types, policy).map(Self::Softfloat),
            #[cfg(feature = "core-math")]
            Oracle::CoreMath => {
                core_math::CoreMath::new(op, types, policy).map(|judge| Self::CoreMath(Box::new(judge)))
            }
            #[cfg(not(all(feature = "softfloat", feature = "core-math")))]
            _ => None,
        }
    }

    /// Who it is.
    pub const fn oracle(&self) -> Oracle {
        match self {
            Self::Apfloat(_) => Oracle::Apfloat,
            Self::Integers(_) => Oracle::Integers,
            #[cfg(feature = "softfloat")]
            Self::Softfloat(_) => Oracle::Softfloat,
            #[cfg(feature = "core-math")]
            Self::CoreMath(_) => Oracle::CoreMath,
        }
    }

    /// What the lane should give for two patterns, which stand in the low bits.
    #[inline]
    pub fn judge(&self, a: u64, b: u64) -> Expected {
        match self {
            Self::Apfloat(judge) => judge.judge(a, b),
            Self::Integers(judge) => judge.judge(a, b),
            #[cfg(feature = "softfloat")]
            Self::Softfloat(judge) => judge.judge(a, b),
            #[cfg(feature = "core-math")]
            Self::CoreMath(judge) => judge.judge(a, b),
        }
    }
}
