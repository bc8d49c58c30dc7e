//! What a bundle asks of the scoreboard, worked out once per program.

use super::cell::{Bank, Cell};
use std::fmt;

/// The stage at which the vector side reads its operands and the value callback fires.
pub const EXECUTE: u8 = 10;
/// The last stage of the pipeline.
pub const LAST_STAGE: u8 = 15;

/// A register that an op reads or writes, and at which stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Register or state.
    pub cell: Cell,
    /// Stage of the read, or the stage that defines the result.
    pub stage: u8,
    /// Slot of the op.
    pub slot: u8,
    /// Place among the uses, or the definitions, of the op.
    pub operand: u8,
}

/// What one bundle asks of the scoreboard. Uses stand in the order of slots, then of operands.
#[derive(Clone, Copy, Debug)]
pub struct Footprint<'a> {
    /// Operands read.
    pub uses: &'a [Access],
    /// Results.
    pub defs: &'a [Access],
    /// The deepest stage at which the bundle does something that the cycle count waits for.
    pub depth: u8,
    /// Number of the first use in the uses of the program.
    pub first_use: u32,
}

/// The footprints of a program's bundles, side by side in memory.
#[derive(Clone, Debug, Default)]
pub struct Footprints {
    uses: Vec<Access>,
    defs: Vec<Access>,
    bundles: Vec<Extent>,
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    uses: (u32, u32),
    defs: (u32, u32),
    depth: u8,
}

/// A footprint that the scoreboard cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Two ops of a bundle define one register.
    TwoWriters(Access, Access),
    /// A stage past the end of the pipeline, or no stage at all.
    Stage(Access),
    /// A definition so deep that its wait would fall out of the window that a consumer looks back over.
    Window(Access),
    /// More definitions in one bundle than the ring can hold.
    TooMany(usize),
    /// More than 2^32 accesses.
    TooLong,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::TwoWriters(a, b) => {
                write!(f, "slots {} and {} both write {}: a register has one writer per bundle", a.slot, b.slot, a.cell)
            }
            Refused::Stage(access) => {
                write!(f, "stage {} of {}: stages are 1 to {LAST_STAGE}", access.stage, access.cell)
            }
            Refused::Window(access) => write!(
                f,
                "{} is defined at stage {}, deeper than the {} cycles that its readers look back over",
                access.cell,
                access.stage,
                access.cell.bank().window()
            ),
            Refused::TooMany(count) => {
                write!(f, "{count} definitions in one bundle; the scoreboard holds {MAX_DEFS} per register file")
            }
            Refused::TooLong => f.write_str("the program has more than 2^32 operands"),
        }
    }
}

impl std::error::Error for Refused {}

/// Definitions of one file that a bundle can post. The largest legal bundle has five ops of two results each.
pub const MAX_DEFS: usize = 12;

impl Footprints {
    /// No bundle yet.
    #[must_use]
    pub fn new() -> Footprints {
        Footprints::default()
    }

    /// Number of bundles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bundles.len()
    }

    /// Whether there is no bundle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bundles.is_empty()
    }

    /// Number of uses of all bundles.
    #[must_use]
    pub fn use_count(&self) -> usize {
        self.uses.len()
    }

    /// Adds a bundle. `egress` is the deepest stage at which data leave the core (11 for vector stores), 0 if none do.
    ///
    /// The depth of the bundle is its deepest definition or egress, the sticky flags apart: they settle at stage 14 beside
    /// the results, and the count of `docs/spec/iss-timing.md`, "The count", does not wait for them.
    ///
    /// # Errors
    ///
    /// Two writers of a register (the sticky flags may have several), stages outside the pipeline, definitions that the
    /// window does not cover.
    pub fn push(&mut self, uses: &[Access], defs: &[Access], egress: u8) -> Result<u32, Refused> {
        let start = (index(self.uses.len())?, index(self.defs.len())?);
        let end = (index(self.uses.len() + uses.len())?, index(self.defs.len() + defs.len())?);
        let number = index(self.bundles.len())?;
        if let Some(access) = uses.iter().chain(defs).find(|access| !(1..=LAST_STAGE).contains(&access.stage)) {
            return Err(Refused::Stage(*access));
        }
        for (place, def) in defs.iter().enumerate() {
            if let Some(other) = defs[..place].iter().find(|other| other.cell == def.cell && def.cell != Cell::FSR) {
                return Err(Refused::TwoWriters(*other, *def));
            }
            // The earliest read is at stage 1, one stage later still on the vector side.
            let early = 1 + u8::from(def.cell.bank().is_vector_side());
            if def.stage - 1 > def.cell.bank().window() + early {
                return Err(Refused::Window(*def));
            }
        }
        if let Some(bank) =
            Bank::all().find(|bank| defs.iter().filter(|def| def.cell.bank() == *bank).count() > MAX_DEFS)
        {
            return Err(Refused::TooMany(defs.iter().filter(|def| def.cell.bank() == bank).count()));
        }
        let deepest = defs.iter().filter(|def| def.cell != Cell::FSR).map(|def| def.stage).max().unwrap_or(0);
        self.uses.extend_from_slice(uses);
        self.defs.extend_from_slice(defs);
        self.bundles.push(Extent { uses: (start.0, end.0), defs: (start.1, end.1), depth: deepest.max(egress) });
        Ok(number)
    }

    /// What bundle `number` asks.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<Footprint<'_>> {
        let extent = self.bundles.get(number as usize)?;
        Some(Footprint {
            uses: self.uses.get(extent.uses.0 as usize..extent.uses.1 as usize)?,
            defs: self.defs.get(extent.defs.0 as usize..extent.defs.1 as usize)?,
            depth: extent.depth,
            first_use: extent.uses.0,
        })
    }

    /// The use with this number, and the bundle that it belongs to.
    #[must_use]
    pub fn find_use(&self, number: u32) -> Option<(u32, Access)> {
        let bundle = self.bundles.partition_point(|extent| extent.uses.1 <= number);
        Some((u32::try_from(bundle).ok()?, *self.uses.get(number as usize)?))
    }
}

fn index(length: usize) -> Result<u32, Refused> {
    u32::try_from(length).map_err(|_| Refused::TooLong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(bank: Bank, reg: u8, stage: u8, slot: u8) -> Access {
        Access { cell: bank.cell(reg).expect("register"), stage, slot, operand: 0 }
    }

    #[test]
    fn refuses_what_the_scoreboard_cannot_hold() {
        let mut footprints = Footprints::new();
        let (a, b) = (access(Bank::Vec, 1, 11, 0), access(Bank::Vec, 1, 12, 3));
        assert_eq!(footprints.push(&[], &[a, b], 0), Err(Refused::TwoWriters(a, b)));
        let late = access(Bank::Vec, 1, 16, 0);
        assert_eq!(footprints.push(&[late], &[], 0), Err(Refused::Stage(late)));
        assert!(footprints.push(&[access(Bank::Vec, 1, 0, 0)], &[], 0).is_err());
        let deep = access(Bank::Gvr, 1, 15, 0);
        assert_eq!(footprints.push(&[], &[deep], 0), Err(Refused::Window(deep)));
        let flags = Access { cell: Cell::FSR, stage: 14, slot: 3, operand: 1 };
        assert_eq!(footprints.push(&[a], &[flags, flags, access(Bank::Vec, 2, 13, 3)], 0), Ok(0));
        assert_eq!(footprints.get(0).map(|footprint| footprint.depth), Some(13));
        assert_eq!(footprints.find_use(0), Some((0, a)));
        assert_eq!(footprints.len(), 1);
        assert!(footprints.get(1).is_none() && footprints.find_use(1).is_none());
    }
}
