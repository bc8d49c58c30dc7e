//! Which judge takes which op and dtypes.

use crate::apfloat::{self, Apfloat};
use crate::integers::{self, Integers};
use crate::verdict::Expected;
use std::fmt;
use vq7_cases::Question;
use vq7_isa::AluOp;
use vq7_policy::Policy;

/// A judge by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// LLVM's soft float in Rust.
    Apfloat,
    /// Definitions on 128-bit integers.
    Integers,
}

impl Oracle {
    /// All of them, in the order in which they are asked.
    pub const ALL: [Self; 2] = [Self::Apfloat, Self::Integers];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Apfloat => "apfloat",
            Self::Integers => "integers",
        }
    }

    /// The judge of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|oracle| oracle.name() == name)
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
        }
    }

    /// The ops that it knows.
    pub fn ops(self) -> Vec<AluOp> {
        match self {
            Self::Apfloat => apfloat::OPS.to_vec(),
            Self::Integers => integers::ops().collect(),
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
}

impl fmt::Display for NotJudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
}

impl Judge {
    /// A judge: the named one, or the first that takes the question.
    ///
    /// # Errors
    /// When it, or every one of them, does not take the question.
    pub fn new(question: Question, oracle: Option<Oracle>, policy: &Policy) -> Result<Self, NotJudged> {
        let Question { op, types } = question;
        let asked = |candidate| oracle.is_none_or(|oracle| oracle == candidate);
        let apfloat = || Apfloat::new(op, types, policy).map(|judge| Self::Apfloat(Box::new(judge)));
        let integers = || Integers::new(op, types, policy).map(Self::Integers);
        let judge = if asked(Oracle::Apfloat) { apfloat() } else { None };
        judge.or_else(|| if asked(Oracle::Integers) { integers() } else { None }).ok_or(NotJudged { question, oracle })
    }

    /// Who it is.
    pub const fn oracle(&self) -> Oracle {
        match self {
            Self::Apfloat(_) => Oracle::Apfloat,
            Self::Integers(_) => Oracle::Integers,
        }
    }

    /// What the lane should give for two patterns, which stand in the low bits.
    #[inline]
    pub fn judge(&self, a: u64, b: u64) -> Expected {
        match self {
            Self::Apfloat(judge) => judge.judge(a, b),
            Self::Integers(judge) => judge.judge(a, b),
        }
    }
}
