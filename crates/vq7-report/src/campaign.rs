//! `campaign`: many questions before their judges, in shards.

use crate::look::{Draw, Look};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A campaign was planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Planned {
    /// Where it is.
    pub folder: String,
    /// How many questions it asks.
    pub questions: usize,
    /// Cases of all questions.
    pub cases: u64,
    /// Into how many shards they are cut.
    pub shards: u64,
}

impl Draw for Planned {
    fn draw(&self, _: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let Self { folder, questions, cases, shards } = self;
        writeln!(out, "{folder}: {questions} questions, {cases} cases, in {shards} shards")?;
        writeln!(
            out,
            "run each of 0..{shards} with `vq7 campaign run-shard {folder} N`, or all here with `vq7 campaign run {folder}`"
        )
    }
}

/// How far a campaign is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progressed {
    /// Shards whose result is there and whole.
    pub done: u64,
    /// All shards.
    pub shards: u64,
    /// Files of results that belong to another plan or are broken; running their shards replaces them.
    pub broken: Vec<u64>,
    /// Cases that differ, so far.
    pub mismatches: u64,
    /// Shards per second between the first result and the last.
    pub rate: Option<f64>,
    /// Seconds until the rest is done at this rate.
    pub seconds_left: Option<f64>,
}

impl Draw for Progressed {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{} of {} shards done", self.done, self.shards)?;
        if let (Some(rate), Some(left)) = (self.rate, self.seconds_left) {
            write!(out, ", {rate:.2} a second, {left:.0} s left")?;
        }
        writeln!(out)?;
        if !self.broken.is_empty() {
            let which: Vec<_> = self.broken.iter().map(u64::to_string).collect();
            writeln!(out, "{} of shards {}: run them again", look.warn("broken or foreign results"), which.join(", "))?;
        }
        match self.mismatches {
            0 => Ok(()),
            some => writeln!(out, "{some} {} so far", look.bad("mismatches")),
        }
    }
}

/// A case that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Its number among the cases of its question.
    pub index: u64,
    /// Its name, which `vq7 brute --case` takes.
    pub case: String,
    /// The command that explains the element.
    pub reproduce: String,
}

/// One question, all of its cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answered {
    /// The question and its coverage, such as `add:f16,f16,f16:L1:s0`.
    pub question: String,
    /// Who judged.
    pub oracle: String,
    /// All cases.
    pub cases: u64,
    /// Cases that agree, up to the first that differs.
    pub agreed: u64,
    /// What the oracle left open on them; empty when one differs.
    pub masked: BTreeMap<String, u64>,
    /// The first case that differs.
    pub mismatch: Option<Found>,
}

/// The whole campaign. It does not tell how it was cut into shards, or where and when they ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Manifest {
    /// Version of vq7.
    pub vq7: String,
    /// Targets on which the questions are legal.
    pub targets: Vec<String>,
    /// The knobs that are not at their default.
    pub policy: Vec<String>,
    /// Every question.
    pub questions: Vec<Answered>,
}

impl Manifest {
    /// How many questions have a case that differs.
    pub fn mismatches(&self) -> usize {
        self.questions.iter().filter(|question| question.mismatch.is_some()).count()
    }
}

impl Draw for Manifest {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let agreed: u64 = self.questions.iter().map(|question| question.agreed).sum();
        writeln!(out, "{} questions, {agreed} cases {}", self.questions.len(), look.good("agree"))?;
        for question in &self.questions {
            if let Some(found) = &question.mismatch {
                writeln!(out, "{} {} before {}", look.bad("differs"), found.case, question.oracle)?;
                writeln!(out, "  {}", found.reproduce)?;
            }
        }
        Ok(())
    }
}
