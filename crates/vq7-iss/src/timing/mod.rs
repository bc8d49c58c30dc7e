//! When does each bundle issue, and who makes it wait.
//!
//! Two engines answer the same question and share no code that decides a stall:
//!
//! | module | how |
//! |---|---|
//! | [`ring`] | steps every cycle: a reservation ring per register file, a predicate per operand |
//! | [`closed`] | one pass: the last definition of every register, a maximum per bundle |
//!
//! [`Footprints`] hold what bundles ask, [`Tally`] adds up who was charged. Values have no say in any of it. The rules are
//! those of `docs/spec/iss-timing.md`.

#[cfg(test)]
mod agree;
mod cell;
pub mod closed;
mod footprint;
mod params;
pub mod ring;
mod tally;

pub use cell::{BANKS, Bank, CELLS, Cell};
pub use footprint::{Access, EXECUTE, Footprint, Footprints, LAST_STAGE, MAX_DEFS, Refused};
pub use params::{PARAMS, Param, ParamError, Params};
pub use tally::{Charge, Tally};

/// How early a result of the vector side can be forwarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The vector side forwards one cycle before the definition stage is over: an ALU chain runs at full rate.
    #[default]
    Default,
    /// Every file waits for the definition stage.
    TieStrict,
}

impl Profile {
    /// Every profile, the default first.
    pub const ALL: [Profile; 2] = [Profile::Default, Profile::TieStrict];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Default => "default",
            Profile::TieStrict => "tie-strict",
        }
    }

    /// The profile of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.name() == name)
    }
}

/// How control goes on after a bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// To the next bundle, or along the back edge of a zero-overhead loop: no cost.
    #[default]
    Next,
    /// Through a taken branch: [`BRANCH_BUBBLE`] cycles and the refill.
    Taken,
}

/// Cycles between a taken branch and the bundle that it leads to, without a refill: it is resolved at stage 3.
pub const BRANCH_BUBBLE: u64 = 3;

/// One step of the executed sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Number of the bundle in the program.
    pub bundle: u32,
    /// What it does to the flow of control.
    pub flow: Flow,
    /// Cycles that the memory system makes it wait, on top of its operands.
    pub memory_wait: u32,
}

/// When a bundle issued, and what it waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Cycle of issue; the first bundle of a run issues in cycle 0.
    pub cycle: u64,
    /// Cycles that it waited for its operands.
    pub operand_wait: u32,
    /// The operand that is charged with them: place in the uses of the bundle, and the bundle that defined it.
    pub owner: Option<(u32, u32)>,
    /// Cycles that it waited for memory.
    pub memory_wait: u32,
}

/// Cycles of a run from the first issue to the end of the last result: `end` is the largest of issue cycle + depth, where a
/// depth counts at least [`EXECUTE`].
const fn total(first: Option<u64>, end: u64) -> u64 {
    match first {
        Some(first) => end - (EXECUTE as u64 - 1) - first,
        None => 0,
    }
}
