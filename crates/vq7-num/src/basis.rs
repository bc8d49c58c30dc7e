//! What a result rests on, and the record of it that every evaluation keeps.

use crate::flags::{Flagged, Flags};
use vq7_isa::Generation;
use vq7_policy::{Confidence, Knob, Policy, Settled};

/// What a result rests on beyond facts that nobody doubts. Deduplicated, in the order of the policy's tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    /// Open questions that a policy answers.
    pub knobs: Vec<Knob>,
    /// Open questions that vq7 settled without a switch.
    pub settled: Vec<Settled>,
}

impl Basis {
    /// The weakest of what the result rests on; `High` when it rests on nothing doubtful.
    ///
    /// A knob counts with the confidence of its default, also when the policy says otherwise.
    pub fn confidence(&self) -> Confidence {
        let knobs = self.knobs.iter().map(|knob| knob.confidence());
        let settled = self.settled.iter().map(|fact| fact.confidence());
        knobs.chain(settled).min().unwrap_or(Confidence::High)
    }

    /// Adds a settled fact.
    pub fn rest_on(&mut self, fact: Settled) {
        self.merge(&Self { knobs: Vec::new(), settled: vec![fact] });
    }

    /// Adds all that another result rests on.
    pub fn merge(&mut self, other: &Self) {
        self.knobs.extend(&other.knobs);
        self.settled.extend(&other.settled);
        self.knobs.sort_unstable();
        self.knobs.dedup();
        self.settled.sort_unstable();
        self.settled.dedup();
    }

    /// What the result rests on when it is computed for a generation: from MARIANA on the vendor has a second 4-bit-exponent
    /// format, and the dtype code does not say which is meant.
    #[must_use]
    pub fn on(mut self, generation: Generation) -> Self {
        if generation >= Generation::Mariana && self.knobs.contains(&Knob::e4m3) {
            self.rest_on(Settled::E4m3OnMariana);
        }
        self
    }
}

/// A set of knobs and settled facts, small enough to keep in the hot path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touched {
    knobs: u64,
    settled: u64,
}

impl Touched {
    pub fn add(&mut self, other: Self) {
        self.knobs |= other.knobs;
        self.settled |= other.settled;
    }

    pub const fn has(self, knob: Knob) -> bool {
        self.knobs >> knob as u32 & 1 == 1
    }

    pub const fn remove(&mut self, knob: Knob) {
        self.knobs &= !(1 << knob as u32);
    }

    pub fn basis(self) -> Basis {
        Basis {
            knobs: Knob::ALL.iter().copied().filter(|knob| self.has(*knob)).collect(),
            settled: Settled::ALL.iter().copied().filter(|fact| self.settled >> *fact as u32 & 1 == 1).collect(),
        }
    }
}

/// What the results of many evaluations have rested on so far; see [`crate::Lane::evaluate_noting`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes(pub(crate) Touched);

impl Notes {
    /// The union of what the results rested on.
    pub fn basis(self) -> Basis {
        self.0.basis()
    }
}

/// One evaluation under one policy: collects the flags, and notes each open question as it is asked, so that what is
/// computed and what is said about it cannot drift apart.
pub(crate) struct Case<'p> {
    pub policy: &'p Policy,
    pub flags: Flags,
    pub touched: Touched,
    /// Whether somebody will read `touched`, so that notes which cost time are worth taking.
    pub tracing: bool,
}

impl<'p> Case<'p> {
    pub fn new(policy: &'p Policy) -> Self {
        Self { policy, flags: Flags::NONE, touched: Touched::default(), tracing: false }
    }

    pub fn tracing(policy: &'p Policy) -> Self {
        Self { tracing: true, ..Self::new(policy) }
    }

    /// Notes that the result depends on a knob.
    pub const fn ask(&mut self, knob: Knob) {
        self.touched.knobs |= 1 << knob as u32;
    }

    /// Notes that the result depends on a settled fact.
    pub const fn rest_on(&mut self, fact: Settled) {
        self.touched.settled |= 1 << fact as u32;
    }

    /// Raises flags.
    pub fn raise(&mut self, flags: Flags) {
        self.flags |= flags;
    }

    /// Takes a value that was rounded by the `round` knob.
    pub fn rounded<T>(&mut self, result: Flagged<T>) -> T {
        if result.flags.inexact {
            self.ask(Knob::round);
        }
        result.take_into(&mut self.flags)
    }
}

// A bit per knob and per fact must fit.
const _: () = assert!(Knob::ALL.len() <= 64 && Settled::ALL.len() <= 64);
