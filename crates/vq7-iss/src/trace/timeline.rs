//! What a picture needs to know of a run.

use crate::event::{Cause, Observer, OpRef};

/// A run of stalled cycles with one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// Why.
    pub cause: Cause,
    /// First cycle.
    pub from: u64,
    /// Number of cycles.
    pub cycles: u64,
}

/// How one bundle went through the pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Went {
    /// Number of the issue.
    pub issue: u64,
    /// Number of the bundle in the program.
    pub bundle: u32,
    /// Cycle in which it was looked at first.
    pub decoded: u64,
    /// Cycle in which it issued, if it did.
    pub issued: Option<u64>,
    /// Cycle in which it was done, if it was.
    pub retired: Option<u64>,
    /// Cycle in which it was squashed, if it was.
    pub killed: Option<u64>,
    /// What it waited for.
    pub waits: Vec<Waited>,
}

/// Listens to a run and keeps when every bundle went where. Holds the first [`Timeline::limit`] bundles.
#[derive(Clone, Debug)]
pub struct Timeline {
    bundles: Vec<Went>,
    limit: usize,
    dropped: u64,
}

impl Timeline {
    /// Keeps the first `limit` bundles of a run.
    #[must_use]
    pub fn new(limit: usize) -> Timeline {
        Timeline { bundles: Vec::new(), limit, dropped: 0 }
    }

    /// Bundles in the order of their decode.
    #[must_use]
    pub fn bundles(&self) -> &[Went] {
        &self.bundles
    }

    /// How many bundles it keeps.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Bundles that came after the limit.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    fn find(&mut self, issue: u64) -> Option<&mut Went> {
        // Issues are numbered in order and none is left out before the limit; squashed numbers are used again.
        self.bundles.iter_mut().rev().find(|went| went.issue == issue && went.killed.is_none())
    }

    /// The bundle of an op, if it is kept.
    #[must_use]
    pub fn of(&self, op: OpRef) -> Option<&Went> {
        let at = self.bundles.partition_point(|went| went.issue < op.issue);
        self.bundles.get(at).filter(|went| went.issue == op.issue)
    }
}

impl Observer for Timeline {
    fn decode(&mut self, cycle: u64, issue: u64, bundle: u32) {
        if self.bundles.len() >= self.limit {
            self.dropped += 1;
            return;
        }
        let (waits, issued, retired, killed) = (Vec::new(), None, None, None);
        self.bundles.push(Went { issue, bundle, decoded: cycle, issued, retired, killed, waits });
    }

    fn stall(&mut self, cycle: u64, issue: u64, _bundle: u32, cause: Cause) {
        let Some(went) = self.find(issue) else { return };
        match went.waits.last_mut() {
            Some(last) if last.cause == cause && last.from + last.cycles == cycle => last.cycles += 1,
            _ => went.waits.push(Waited { cause, from: cycle, cycles: 1 }),
        }
    }

    fn issue(&mut self, cycle: u64, issue: u64, _bundle: u32) {
        if let Some(went) = self.find(issue) {
            went.issued = Some(cycle);
        }
    }

    fn retire(&mut self, cycle: u64, issue: u64, _bundle: u32) {
        if let Some(went) = self.find(issue) {
            went.retired = Some(cycle);
        }
    }

    fn kill(&mut self, cycle: u64, issue: u64, _bundle: u32) {
        if let Some(went) = self.find(issue) {
            went.killed = Some(cycle);
        }
    }
}
