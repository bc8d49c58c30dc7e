//! The cycle-stepped scoreboard: a ring of reservations per register file that turns once per cycle.
//!
//! ```text
//! each cycle:  would_wait(bundle)?  -> charge one operand, tick
//!              otherwise            -> post its definitions at the head, tick
//! tick:        head = head - 1 (mod 32), commit what is due, forget what stood at the new head
//! ```
//!
//! A record posted at the head has age 1 after the next tick. `remaining = ready - age` says how many cycles its result still
//! needs; a consumer that reads at stage `U` waits while that is more than `U` (vector side) or not less than `U` (scalar
//! side, and every file under the strict profile).

use super::cell::{BANKS, Bank, Cell};
use super::footprint::MAX_DEFS;
use super::{BRANCH_BUBBLE, EXECUTE, Flow, Footprint, Issue, Profile, Step};

/// Entries of a ring; a power of two.
pub const RING: u8 = 32;

/// What the engine holds true; tests plant faults here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Files whose consumers wait while `remaining >= use`, not only while it is more.
    pub waits_on_equal: [bool; BANKS],
    /// Oldest age that a consumer looks at.
    pub window: [u8; BANKS],
    /// Whether posting a definition kills the older records of its register.
    pub kills_older: bool,
    /// Whether the ring turns in cycles in which no bundle issues.
    pub turns_while_stalled: bool,
    /// Cycles lost to a taken branch.
    pub branch: u64,
}

impl Rules {
    fn new(profile: Profile, refill: u64) -> Rules {
        let mut rules = Rules {
            waits_on_equal: [true; BANKS],
            window: [0; BANKS],
            kills_older: true,
            turns_while_stalled: true,
            branch: BRANCH_BUBBLE + refill,
        };
        for bank in Bank::all() {
            rules.window[bank as usize] = bank.window();
            if profile == Profile::Default && bank.is_vector_side() {
                rules.waits_on_equal[bank as usize] = false;
            }
        }
        rules
    }
}

/// A definition in flight.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Register.
    pub cell: Cell,
    /// Stage at which the value is there.
    pub ready: u8,
    /// Slot of the op.
    pub slot: u8,
    /// Place among the definitions of the bundle.
    pub place: u8,
    /// Bundle of the program.
    pub producer: u32,
    /// Number of the issue (mod 2^32), for whoever holds the value.
    pub ticket: u32,
    life: Life,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Valid,
    /// A younger definition of the register, of this issue, took its place.
    Replaced(u32),
    Over,
}

const NOTHING: Record =
    Record { cell: Cell::FSR, ready: 0, slot: 0, place: 0, producer: 0, ticket: 0, life: Life::Over };

#[derive(Clone, Debug)]
struct Ring {
    /// Per position, how many of its records hold something.
    counts: [u8; RING as usize],
    records: Box<[[Record; MAX_DEFS]; RING as usize]>,
    /// Registers with a valid record: the definition mask. A consumer of any other register need not look.
    mask: u64,
    /// Deepest stage that was ever posted; no older record can make anyone wait.
    deepest: u8,
}

impl Ring {
    fn new() -> Ring {
        Ring {
            counts: [0; RING as usize],
            records: Box::new([[NOTHING; MAX_DEFS]; RING as usize]),
            mask: 0,
            deepest: 0,
        }
    }

    fn at(&self, position: usize) -> &[Record] {
        &self.records[position][..usize::from(self.counts[position])]
    }

    fn at_mut(&mut self, position: usize) -> &mut [Record] {
        &mut self.records[position][..usize::from(self.counts[position])]
    }
}

/// Where a record stands: file, ring position, place at that position.
#[derive(Clone, Copy, Debug)]
struct Spot {
    bank: u8,
    position: u8,
    place: u8,
}

/// The operand that a bundle waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Place in the uses of the bundle.
    pub place: u32,
    /// Cycles still to wait.
    pub cycles: u8,
    /// The bundle that defines the operand.
    pub producer: u32,
    /// Its slot.
    pub slot: u8,
    /// Its ticket.
    pub ticket: u32,
}

/// The rings of every register file.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    rings: Vec<Ring>,
    head: u8,
    rules: Rules,
    /// Per ring position: the records that are due when the head comes there, in the order of issue.
    due: Vec<Vec<Spot>>,
}

impl Scoreboard {
    /// Nothing in flight.
    #[must_use]
    pub fn new(profile: Profile) -> Scoreboard {
        Scoreboard::with_rules(Rules::new(profile, 0))
    }

    pub(super) fn with_rules(rules: Rules) -> Scoreboard {
        let due = vec![Vec::with_capacity(MAX_DEFS); usize::from(RING)];
        Scoreboard { rings: vec![Ring::new(); BANKS], head: 0, rules, due }
    }

    /// The position of the records of that age.
    const fn at(&self, age: u8) -> usize {
        (self.head.wrapping_add(age) & (RING - 1)) as usize
    }

    /// The operand that keeps the bundle from issuing in this cycle: the one with the most cycles still to wait, of several
    /// the first in the order of slots and operands.
    #[inline]
    #[must_use]
    pub fn would_wait(&self, footprint: Footprint<'_>) -> Option<Blocked> {
        let mut worst: Option<Blocked> = None;
        for (place, access) in (0u32..).zip(footprint.uses) {
            let bank = access.cell.bank() as usize;
            let ring = &self.rings[bank];
            if ring.mask & (1 << access.cell.reg()) == 0 {
                continue;
            }
            let equal = self.rules.waits_on_equal[bank];
            let oldest = self.rules.window[bank].min(ring.deepest.saturating_sub(access.stage));
            for age in 1..=oldest {
                for record in ring.at(self.at(age)) {
                    if record.cell != access.cell || record.life != Life::Valid || record.ready <= age {
                        continue;
                    }
                    let remaining = record.ready - age;
                    let waits = if equal { remaining >= access.stage } else { remaining > access.stage };
                    if waits {
                        // After `cycles` more ticks the predicate no longer holds.
                        let cycles = remaining - access.stage + u8::from(equal);
                        if worst.is_none_or(|worst| cycles > worst.cycles) {
                            let Record { producer, slot, ticket, .. } = *record;
                            worst = Some(Blocked { place, cycles, producer, slot, ticket });
                        }
                    }
                }
            }
        }
        worst
    }

    /// Posts the definitions of a bundle that issues in this cycle.
    #[inline]
    pub fn post(&mut self, footprint: Footprint<'_>, producer: u32, ticket: u32) {
        let head = self.at(0);
        for (number, def) in (0u8..).zip(footprint.defs) {
            let bank = def.cell.bank() as usize;
            let bit = 1u64 << def.cell.reg();
            if self.rings[bank].mask & bit != 0 && self.rules.kills_older {
                self.replace(def.cell, ticket);
            }
            let ring = &mut self.rings[bank];
            let place = ring.counts[head];
            let Some(free) = ring.records[head].get_mut(usize::from(place)) else { continue };
            *free = Record {
                cell: def.cell,
                ready: def.stage,
                slot: def.slot,
                place: number,
                producer,
                ticket,
                life: Life::Valid,
            };
            ring.counts[head] += 1;
            ring.mask |= bit;
            ring.deepest = ring.deepest.max(def.stage);
            let due = self.head.wrapping_sub(def.stage) & (RING - 1);
            self.due[usize::from(due)].push(Spot { bank: bank as u8, position: head as u8, place });
        }
    }

    /// Finds the valid record of a register and marks it replaced; the youngest is found first, and there is only one.
    fn replace(&mut self, cell: Cell, by: u32) {
        let head = self.head;
        let ring = &mut self.rings[cell.bank() as usize];
        for age in 0..RING {
            let position = usize::from(head.wrapping_add(age) & (RING - 1));
            let found =
                ring.at_mut(position).iter_mut().find(|record| record.cell == cell && record.life == Life::Valid);
            if let Some(record) = found {
                record.life = Life::Replaced(by);
                return;
            }
        }
    }

    /// One cycle goes by. `commit` gets every record whose value is due and that no younger definition replaced, the oldest
    /// issue first.
    #[inline]
    pub fn tick(&mut self, mut commit: impl FnMut(&Record)) {
        self.head = self.head.wrapping_sub(1) & (RING - 1);
        let head = usize::from(self.head);
        for spot in self.due[head].drain(..) {
            let ring = &mut self.rings[usize::from(spot.bank)];
            let record = &mut ring.records[usize::from(spot.position)][usize::from(spot.place)];
            if record.life == Life::Valid {
                record.life = Life::Over;
                ring.mask &= !(1 << record.cell.reg());
                commit(record);
            }
        }
        // What stood here was posted 32 cycles ago and is long in its file.
        for ring in &mut self.rings {
            ring.counts[head] = 0;
        }
    }

    /// Squashes the definitions of the issues that `killed` names. What they had replaced is valid again; a value that fell
    /// due while it was replaced reaches its file at the next tick.
    pub fn kill(&mut self, killed: impl Fn(u32) -> bool) {
        let head = self.head;
        let next = usize::from(head.wrapping_sub(1) & (RING - 1));
        for (bank, ring) in (0u8..).zip(&mut self.rings) {
            let mut ring_mask = 0u64;
            for age in (0..RING).rev() {
                let position = usize::from(head.wrapping_add(age) & (RING - 1));
                for (place, record) in (0u8..).zip(ring.at_mut(position)) {
                    if killed(record.ticket) {
                        record.life = Life::Over;
                    } else if let Life::Replaced(by) = record.life
                        && killed(by)
                    {
                        record.life = Life::Valid;
                        if record.ready <= age {
                            self.due[next].push(Spot { bank, position: position as u8, place });
                        }
                    }
                }
            }
            let mut youngest = [0; 64];
            for age in 0..RING {
                let position = usize::from(head.wrapping_add(age) & (RING - 1));
                for record in ring.at_mut(position).iter_mut().rev().filter(|record| record.life == Life::Valid) {
                    let (bit, reg) = (1 << record.cell.reg(), usize::from(record.cell.reg()));
                    if ring_mask & bit != 0 {
                        record.life = Life::Replaced(youngest[reg]);
                    }
                    youngest[reg] = record.ticket;
                    ring_mask |= bit;
                }
            }
            ring.mask = ring_mask;
        }
    }

    /// Whether no definition is in flight.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.rings.iter().all(|ring| ring.mask == 0)
    }
}

/// The scoreboard with a clock: issues a sequence of bundles cycle by cycle.
#[derive(Clone, Debug)]
pub struct Stepper {
    board: Scoreboard,
    cycle: u64,
    /// Cycles in which nothing can issue, after a taken branch.
    bubble: u64,
    issued: u64,
    first: Option<u64>,
    end: u64,
}

impl Stepper {
    /// An empty machine. `refill` is what a taken branch costs beyond its three cycles.
    #[must_use]
    pub fn new(profile: Profile, refill: u64) -> Stepper {
        Stepper::with_rules(Rules::new(profile, refill))
    }

    pub(super) fn with_rules(rules: Rules) -> Stepper {
        Stepper { board: Scoreboard::with_rules(rules), cycle: 0, bubble: 0, issued: 0, first: None, end: 0 }
    }

    fn tick(&mut self) {
        self.board.tick(|_| {});
        self.cycle += 1;
    }

    /// Lets cycles go by until the bundle issues.
    pub fn issue(&mut self, step: Step, footprint: Footprint<'_>) -> Issue {
        while self.bubble > 0 {
            self.bubble -= 1;
            self.tick();
        }
        let mut operand_wait = 0;
        let mut owner = None;
        while let Some(blocked) = self.board.would_wait(footprint) {
            owner.get_or_insert((blocked.place, blocked.producer));
            operand_wait += 1;
            if self.board.rules.turns_while_stalled {
                self.tick();
            } else {
                self.cycle += 1;
                if operand_wait > 64 {
                    break;
                }
            }
        }
        for _ in 0..step.memory_wait {
            self.tick();
        }
        let cycle = self.cycle;
        self.board.post(footprint, step.bundle, self.issued as u32);
        self.issued += 1;
        self.first.get_or_insert(cycle);
        self.end = self.end.max(cycle + u64::from(footprint.depth.max(EXECUTE)));
        if step.flow == Flow::Taken {
            self.bubble = self.board.rules.branch;
        }
        self.tick();
        Issue { cycle, operand_wait, owner, memory_wait: step.memory_wait }
    }

    /// Cycles from the first issue to the last result.
    #[must_use]
    pub fn total_cycles(&self) -> u64 {
        super::total(self.first, self.end)
    }

    #[cfg(test)]
    pub(super) fn rules(profile: Profile) -> Rules {
        Rules::new(profile, 0)
    }
}
