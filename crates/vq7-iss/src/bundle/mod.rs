//! Bundles: ops with their operands, in the slots of a format.

mod action;
mod op;

pub use op::{Arg, Op, OpError};

use crate::format::{FORMATS, Format, SlotSet};
use crate::timing::{Cell, Params};
use crate::work::{BuildError, OpSpec, Work};
use std::fmt;

/// A bundle. Slots without an op hold a nop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    format: &'static Format,
    ops: Vec<(u8, Op)>,
}

/// Why ops cannot share a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BundleError {
    /// The slot does not host the mnemonic.
    Slot {
        /// The mnemonic's text.
        name: String,
        /// The format.
        format: &'static Format,
        /// The slot.
        slot: u8,
        /// The slots that do.
        slots: SlotSet,
    },
    /// Two ops in one slot, or a slot that the format has not.
    Occupied {
        /// The format.
        format: &'static Format,
        /// The slot.
        slot: u8,
    },
    /// Two ops write one register.
    TwoWriters {
        /// The register.
        cell: Cell,
    },
    /// More memory ops than ports.
    ThirdAccess,
    /// More stores than the write port takes.
    SecondStore,
    /// No format has slots for all of them.
    NoFormat {
        /// The mnemonics.
        names: Vec<String>,
    },
}

impl fmt::Display for BundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slot { name, format, slot, slots } => {
                write!(f, "{format}.S{slot} cannot host {name}; these can: {slots}")
            }
            Self::Occupied { format, slot } => {
                write!(f, "{format}.S{slot} has an op already, or {format} has no such slot")
            }
            Self::TwoWriters { cell } => write!(f, "two ops write {cell}: a register has one writer per bundle"),
            Self::ThirdAccess => f.write_str("a third memory op: a bundle has two, in slots 0 and 1"),
            Self::SecondStore => f.write_str("a second store: a bundle has one, in slot 0"),
            Self::NoFormat { names } => {
                write!(f, "no format has slots for {} together; spread them over bundles", names.join(", "))
            }
        }
    }
}

impl std::error::Error for BundleError {}

/// Gives each set of slots one of a format's slots, each another; the first format of the table that can.
#[must_use]
pub fn assign(sets: &[SlotSet]) -> Option<(&'static Format, Vec<u8>)> {
    FORMATS.iter().find_map(|format| Some((format, assign_in(format, sets)?)))
}

/// As [`assign`], in one format.
#[must_use]
pub fn assign_in(format: &Format, sets: &[SlotSet]) -> Option<Vec<u8>> {
    let mut chosen = [0; MOST_SLOTS];
    let chosen = chosen.get_mut(..sets.len())?;
    find(format, sets, chosen).then(|| chosen.to_vec())
}

/// Whether some format has a slot for each of them.
#[must_use]
pub fn can_share(sets: &[SlotSet]) -> bool {
    let mut chosen = [0; MOST_SLOTS];
    let Some(chosen) = chosen.get_mut(..sets.len()) else { return false };
    FORMATS.iter().any(|format| find(format, sets, chosen))
}

/// Slots of the format that has most.
const MOST_SLOTS: usize = 5;

fn find(format: &Format, sets: &[SlotSet], chosen: &mut [u8]) -> bool {
    fn place(format: &Format, sets: &[SlotSet], taken: u8, chosen: &mut [u8]) -> bool {
        let (Some((set, sets)), Some((slot, chosen))) = (sets.split_first(), chosen.split_first_mut()) else {
            return true;
        };
        let mut free = set.of_format(format) & !taken;
        while free != 0 {
            let lowest = free & free.wrapping_neg();
            *slot = lowest.trailing_zeros() as u8;
            if place(format, sets, taken | lowest, chosen) {
                return true;
            }
            free ^= lowest;
        }
        false
    }
    sets.len() <= format.slots.len()
        && sets.iter().all(|set| set.of_format(format) != 0)
        && place(format, sets, 0, chosen)
}

impl Bundle {
    /// Ops in slots that are given.
    ///
    /// # Errors
    /// [`BundleError`].
    pub fn new(format: &'static Format, mut ops: Vec<(u8, Op)>) -> Result<Self, BundleError> {
        ops.sort_by_key(|(slot, _)| *slot);
        for (index, (slot, op)) in ops.iter().enumerate() {
            let again = ops.iter().skip(index + 1).any(|(other, _)| other == slot);
            if again || usize::from(*slot) >= format.slots.len() {
                return Err(BundleError::Occupied { format, slot: *slot });
            }
            if !op.mnemonic.slots.contains(format, *slot) {
                let name = op.mnemonic.text();
                return Err(BundleError::Slot { name, format, slot: *slot, slots: op.mnemonic.slots });
            }
        }
        check(ops.iter().map(|(_, op)| op))?;
        Ok(Self { format, ops })
    }

    /// Ops in the first format and slots that host them all.
    ///
    /// # Errors
    /// [`BundleError`].
    pub fn place(ops: Vec<Op>) -> Result<Self, BundleError> {
        check(ops.iter())?;
        let sets: Vec<SlotSet> = ops.iter().map(|op| op.mnemonic.slots).collect();
        let Some((format, slots)) = assign(&sets) else {
            return Err(BundleError::NoFormat { names: ops.iter().map(|op| op.mnemonic.text()).collect() });
        };
        let mut placed: Vec<(u8, Op)> = slots.into_iter().zip(ops).collect();
        placed.sort_by_key(|(slot, _)| *slot);
        Ok(Self { format, ops: placed })
    }

    /// The format.
    #[must_use]
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Slots with their ops, in order.
    #[must_use]
    pub fn ops(&self) -> &[(u8, Op)] {
        &self.ops
    }

    /// Adds the bundle to a program.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn build(&self, work: &mut Work, line: u32) -> Result<u32, BuildError> {
        self.build_with(work, line, &Params::default())
    }

    /// Adds the bundle to a program, with other stages than the default ones.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn build_with(&self, work: &mut Work, line: u32, params: &Params) -> Result<u32, BuildError> {
        let spec = |(slot, op): &(u8, Op)| {
            let mut spec = op.spec(*slot);
            params.apply(op.mnemonic, &mut spec);
            spec
        };
        let specs: Vec<OpSpec> = self.ops.iter().map(spec).collect();
        work.push(self.format.name, line, &specs)
    }
}

fn check<'a>(ops: impl Iterator<Item = &'a Op> + Clone) -> Result<(), BundleError> {
    if ops.clone().filter(|op| op.mnemonic.is_access()).count() > 2 {
        return Err(BundleError::ThirdAccess);
    }
    if ops.clone().filter(|op| op.mnemonic.is_store()).count() > 1 {
        return Err(BundleError::SecondStore);
    }
    let mut written: Vec<Cell> = ops.flat_map(Op::written).collect();
    written.sort_unstable();
    match written.windows(2).find_map(|pair| pair.first().filter(|cell| Some(*cell) == pair.get(1))) {
        Some(&cell) => Err(BundleError::TwoWriters { cell }),
        None => Ok(()),
    }
}

/// `F0 { s0 ivp_lv2nx8_ip v0, a2, 64; s3 ivp_addnx16 v2, v0, v1 }`
impl fmt::Display for Bundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {{", self.format)?;
        for (index, (slot, op)) in self.ops.iter().enumerate() {
            write!(f, "{} s{slot} {op}", if index > 0 { ";" } else { "" })?;
        }
        f.write_str(" }")
    }
}

#[cfg(test)]
mod tests;
