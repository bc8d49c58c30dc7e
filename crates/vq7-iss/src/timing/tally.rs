//! Who was charged with the cycles that bundles waited.

use super::{Access, Footprints, Issue, Step};

/// Waits added up over a run. Each stall has one owner, the operand with the most cycles still to wait.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Per use of the program: the bundles that it waited for.
    by_use: Vec<Vec<(u32, Waits)>>,
    /// Per bundle: cycles that memory made it wait.
    by_memory: Vec<Waits>,
    issued: u64,
    operand: u64,
    memory: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Waits {
    times: u64,
    cycles: u64,
}

/// A line of the stall table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Charge {
    /// The bundle that waited.
    pub bundle: u32,
    /// The operand that it waited for and the bundle that defines it; nothing for memory.
    pub operand: Option<(u32, u32)>,
    /// How often.
    pub times: u64,
    /// Cycles in all.
    pub cycles: u64,
}

impl Tally {
    /// An empty table for the bundles of `footprints`.
    #[must_use]
    pub fn new(footprints: &Footprints) -> Tally {
        Tally {
            by_use: vec![Vec::new(); footprints.use_count()],
            by_memory: vec![Waits::default(); footprints.len()],
            ..Tally::default()
        }
    }

    /// Adds one issue. `first_use` is the number of the bundle's first use in the program.
    #[inline]
    pub fn add(&mut self, step: Step, first_use: u32, issue: &Issue) {
        self.issued += 1;
        if let Some((place, producer)) = issue.owner {
            self.charge(first_use.saturating_add(place), producer, u64::from(issue.operand_wait));
        }
        if issue.memory_wait > 0 {
            self.memory += u64::from(issue.memory_wait);
            if let Some(waits) = self.by_memory.get_mut(step.bundle as usize) {
                waits.times += 1;
                waits.cycles += u64::from(issue.memory_wait);
            }
        }
    }

    #[cold]
    fn charge(&mut self, number: u32, producer: u32, cycles: u64) {
        self.operand += cycles;
        let Some(producers) = self.by_use.get_mut(number as usize) else { return };
        let place = producers.iter().position(|(known, _)| *known == producer).unwrap_or_else(|| {
            producers.push((producer, Waits::default()));
            producers.len() - 1
        });
        producers[place].1.times += 1;
        producers[place].1.cycles += cycles;
    }

    /// Bundles issued.
    #[must_use]
    pub fn issued(&self) -> u64 {
        self.issued
    }

    /// Cycles that bundles waited for operands.
    #[must_use]
    pub fn operand_cycles(&self) -> u64 {
        self.operand
    }

    /// Cycles that bundles waited for memory.
    #[must_use]
    pub fn memory_cycles(&self) -> u64 {
        self.memory
    }

    /// The stall table in the order of the program. The operand of a charge is the number of a use, to be looked up by
    /// [`Footprints::find_use`].
    #[must_use]
    pub fn charges(&self, footprints: &Footprints) -> Vec<Charge> {
        let mut charges = Vec::new();
        for (number, producers) in (0u32..).zip(&self.by_use) {
            let Some((bundle, Access { .. })) = footprints.find_use(number) else { continue };
            let mut producers = producers.clone();
            producers.sort_unstable_by_key(|(producer, _)| *producer);
            charges.extend(producers.into_iter().map(|(producer, waits)| Charge {
                bundle,
                operand: Some((number, producer)),
                times: waits.times,
                cycles: waits.cycles,
            }));
        }
        let memory = (0u32..).zip(&self.by_memory).filter(|(_, waits)| waits.times > 0);
        charges.extend(memory.map(|(bundle, waits)| Charge {
            bundle,
            operand: None,
            times: waits.times,
            cycles: waits.cycles,
        }));
        charges.sort_by_key(|charge| (charge.bundle, charge.operand.is_none(), charge.operand));
        charges
    }
}
