//! `brute`: an op held against an oracle over many cases.

use crate::look::{Draw, Look};
use crate::named::hex_bits;
use serde::Serialize;
use std::fmt;
use vq7_isa::Dtype;
use vq7_num::format_value;
use vq7_policy::Policy;

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BruteStatus {
    /// Every case of the slice agrees.
    Agrees,
    /// A case differs; none behind it was looked at.
    Mismatch,
    /// Stopped before the end of the slice, as asked.
    Unfinished,
}

/// Something that the oracle leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MaskedCases {
    /// Its name.
    pub name: &'static str,
    /// Why.
    pub reason: &'static str,
    /// Cases that agree only because of it.
    pub cases: u64,
}

/// Bits and flags of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BruteResult {
    /// The bits in hexadecimal, or `a NaN`.
    pub bits: String,
    /// Their value.
    pub value: String,
    /// Flags.
    pub flags: Vec<String>,
}

impl BruteResult {
    /// A result of some dtype.
    pub fn new(bits: u64, flags: Vec<String>, dtype: Dtype, policy: &Policy) -> Self {
        Self { bits: hex_bits(bits, dtype.bits()), value: format_value(bits, dtype, policy), flags }
    }

    /// Any NaN.
    pub fn any_nan(flags: Vec<String>) -> Self {
        Self { bits: "a NaN".to_owned(), value: "nan".to_owned(), flags }
    }

    fn text(&self) -> String {
        let flags = if self.flags.is_empty() { "none".to_owned() } else { self.flags.join(" ") };
        format!("{} = {}, flags {flags}", self.bits, self.value)
    }
}

/// One case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BruteCase {
    /// Its name, which `vq7 brute --case` takes.
    pub name: String,
    /// src0 in hexadecimal.
    pub a: String,
    /// src1 in hexadecimal.
    pub b: String,
    /// What the oracle expects.
    pub expected: BruteResult,
    /// What of the flags the oracle leaves open on this case.
    pub open: Vec<&'static str>,
    /// What vq7 gives; none when it has no result.
    pub result: Option<BruteResult>,
    /// The command that explains the element.
    pub reproduce: String,
}

/// An op held against an oracle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Brute {
    /// The op.
    pub op: &'static str,
    /// Dtypes of src0, src1 and the result.
    pub types: [&'static str; 3],
    /// The oracle.
    pub oracle: &'static str,
    /// The knobs that are not at their default.
    pub policy: Vec<String>,
    /// Which cases: `all`, or level and seed such as `L1:s0`.
    pub coverage: String,
    /// How many cases there are in all.
    pub total: u64,
    /// The slice as `i/n`.
    pub slice: String,
    /// The first case of the slice.
    pub first: u64,
    /// The case behind its last one.
    pub end: u64,
    /// How it ended.
    pub status: BruteStatus,
    /// Cases that agree, those of the runs that were resumed included.
    pub agreed: u64,
    /// What the oracle left open on them.
    pub masked: Vec<MaskedCases>,
    /// The case that differs, or the one case that was asked for.
    pub case: Option<BruteCase>,
}

impl Draw for Brute {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        if !self.policy.is_empty() {
            writeln!(out, "{}", look.warn(format_args!("policy {}", self.policy.join(" "))))?;
        }
        let [a, b, result] = self.types;
        writeln!(out, "{}: {a} and {b} give {result}, judged by {}", self.op, self.oracle)?;
        let coverage = if self.coverage == "all" { "every pair" } else { &self.coverage };
        let Self { first, end, total, slice, .. } = self;
        writeln!(out, "{coverage}: slice {slice}, cases {first}..{end} of {total}")?;
        match self.status {
            BruteStatus::Agrees if self.agreed == 1 => writeln!(out, "1 case {}", look.good("agrees"))?,
            BruteStatus::Agrees => writeln!(out, "{} cases {}", self.agreed, look.good("agree"))?,
            BruteStatus::Unfinished => {
                let left = (end - first).saturating_sub(self.agreed);
                writeln!(out, "{} cases agree, {left} are {}", self.agreed, look.warn("left"))?;
            }
            BruteStatus::Mismatch => {
                writeln!(out, "{} cases agree, then one {}", self.agreed, look.bad("differs"))?;
            }
        }
        for masked in &self.masked {
            writeln!(out, "  left open on {} of them: {} ({})", masked.cases, masked.name, masked.reason)?;
        }
        let Some(case) = &self.case else { return Ok(()) };
        writeln!(out, "case {}", case.name)?;
        writeln!(out, "  a        {}\n  b        {}", case.a, case.b)?;
        let open = if case.open.is_empty() { String::new() } else { format!(" (open: {})", case.open.join(" ")) };
        writeln!(out, "  expected {}{open}", case.expected.text())?;
        let result = case.result.as_ref().map_or_else(|| "no result".to_owned(), BruteResult::text);
        writeln!(out, "  result   {result}")?;
        writeln!(out, "{}", case.reproduce)
    }
}
