//! The core, cycle by cycle: sixteen stages, an oracle call at stage 10, results at their definition stage.
//!
//! ```text
//! one cycle:  work of the ops in flight, oldest first        execute.rs, access.rs
//!             commits and retirements
//!             the front end: decode, wait or issue            front.rs
//!             the reservation rings turn                      timing::ring
//! ```
//!
//! An operand binds at issue to the youngest older definition of its register, in flight or in the file, whatever the stages
//! say: values follow the order of bundles (`docs/spec/iss-timing.md`, "Order of values"). All ops of a bundle bind before
//! any of its definitions counts, so they read the state before the bundle.

mod access;
mod execute;
mod flight;
mod front;
mod moves;

use crate::bitmap;
use crate::event::{Observer, OpRef};
use crate::memory::OutOfRange;
use crate::oracle::{Lanes, LanesOut, ValueOracle};
use crate::state::State;
use crate::timing::ring::{Record, Scoreboard};
use crate::timing::{Bank, CELLS, Cell, EXECUTE, Profile, Tally};
use crate::work::Work;
use flight::{FLIGHTS, Flight, Source};
use std::fmt;

/// Stage at which the status flags of an op reach the status register.
const FLAGS_STAGE: u8 = 14;
/// Stage at which stores leave the write buffer.
const EGRESS_STAGE: u8 = 11;

/// How a core runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// How early results are forwarded.
    pub profile: Profile,
    /// Cycles that a taken branch costs beyond its three.
    pub refill: u32,
    /// Cycles that a bundle with a memory op waits for memory.
    pub memory_wait: u32,
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Control left the program and everything is done.
    Done,
    /// The limit of cycles is reached; the state is kept and the run can go on.
    Limit,
}

/// What an op did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Bundle of the program.
    pub bundle: u32,
    /// Slot.
    pub slot: u8,
    /// Cycle of the issue.
    pub cycle: u64,
    /// The access.
    pub access: OutOfRange,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bundle {}, slot {}, issued in cycle {}: {}", self.bundle, self.slot, self.cycle, self.access)
    }
}

impl std::error::Error for Fault {}

/// Which op runs in which stage: what a tracer sees while a stage of an op is at work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Slot.
    pub slot: u8,
    /// Stage.
    pub stage: u8,
}

/// Room for one vector of lanes, reused by every op.
#[derive(Debug)]
struct Scratch {
    inputs: [Lanes; 4],
    out: LanesOut,
}

/// A core that runs one program.
#[derive(Debug)]
pub struct Core<'a, O> {
    work: &'a Work,
    oracle: O,
    /// Registers, status and memory.
    pub state: State,
    settings: Settings,
    board: Scoreboard,
    tally: Tally,
    flights: Vec<Flight>,
    /// Per cycle (mod 32): the places of `flights` that have something to do, a bit each.
    agenda: [u32; FLIGHTS],
    youngest: Vec<Source>,
    due: Vec<Record>,
    scratch: Box<Scratch>,
    bitmap: Box<[u8; bitmap::BYTES]>,
    cursor: Cursor,
    cycle: u64,
    front: front::Front,
    first: Option<u64>,
    end: u64,
    /// First cycle in which nothing is left to do.
    idle_from: u64,
    lane_results: u64,
    status_from: u64,
}

impl<'a, O: ValueOracle> Core<'a, O> {
    /// A core at the first bundle of `work`, its registers and memory as in `state`.
    #[must_use]
    pub fn new(work: &'a Work, state: State, oracle: O, settings: Settings) -> Core<'a, O> {
        Core {
            work,
            oracle,
            state,
            settings,
            board: Scoreboard::new(settings.profile),
            tally: Tally::new(&work.footprints),
            flights: vec![Flight::new(); FLIGHTS],
            agenda: [0; FLIGHTS],
            youngest: vec![Source::File; CELLS],
            due: Vec::with_capacity(32),
            scratch: Box::new(Scratch { inputs: [[0; 64]; 4], out: LanesOut::ZERO }),
            bitmap: Box::new([0; bitmap::BYTES]),
            cursor: Cursor::default(),
            cycle: 0,
            front: front::Front::default(),
            first: None,
            end: 0,
            idle_from: 0,
            lane_results: 0,
            status_from: 0,
        }
    }

    /// The cycle that comes next.
    #[must_use]
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Cycles from the first issue to the last result so far.
    #[must_use]
    pub fn total_cycles(&self) -> u64 {
        self.first.map_or(0, |first| self.end - u64::from(EXECUTE - 1) - first)
    }

    /// Who was charged with stalls.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Lane results that ops have worked out.
    #[must_use]
    pub fn lane_results(&self) -> u64 {
        self.lane_results
    }

    /// Bundle that the front end looks at, or nothing once control has left the program.
    #[must_use]
    pub fn next_bundle(&self) -> Option<u32> {
        self.front.next()
    }

    /// The oracle.
    pub fn oracle(&mut self) -> &mut O {
        &mut self.oracle
    }

    /// The op and stage that run, or ran last.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// The decode bitmap. Outside a stage's work it is empty.
    #[must_use]
    pub fn bitmap(&self) -> &[u8] {
        &self.bitmap[..]
    }

    /// Runs until control has left the program and everything is done, or until `limit` cycles have gone by since the
    /// beginning.
    ///
    /// # Errors
    ///
    /// An access outside the data memory. The state is that of the cycle in which the access was found out.
    pub fn run(&mut self, observer: &mut impl Observer, limit: u64) -> Result<Stop, Fault> {
        self.front.start(self.work);
        while !(self.front.next().is_none() && self.cycle >= self.idle_from) {
            if self.cycle >= limit {
                return Ok(Stop::Limit);
            }
            self.step(observer)?;
        }
        Ok(Stop::Done)
    }

    /// One cycle.
    ///
    /// # Errors
    ///
    /// As [`Core::run`].
    pub fn step<V: Observer>(&mut self, observer: &mut V) -> Result<(), Fault> {
        self.front.start(self.work);
        if V::LISTENS {
            self.show_stages(observer);
        }
        // Bit 0 is the bundle that issued 31 cycles ago: the oldest first.
        let now = (self.cycle % FLIGHTS as u64) as u32;
        let mut at_work = std::mem::take(&mut self.agenda[now as usize]).rotate_right(now + 1);
        while at_work != 0 {
            let age = 31 - at_work.trailing_zeros() as u8;
            at_work &= at_work - 1;
            let at = self.place(age);
            if self.flights[at].live {
                self.stage(observer, at, age)?;
            }
        }
        self.commit(observer)?;
        if V::LISTENS {
            self.retire(observer);
        }
        self.advance_front(observer)?;
        let due = &mut self.due;
        due.clear();
        self.board.tick(|record| due.push(*record));
        self.cycle += 1;
        Ok(())
    }

    /// Place of the bundle that issued `age` cycles ago.
    fn place(&self, age: u8) -> usize {
        (self.cycle.wrapping_sub(age.into()) % FLIGHTS as u64) as usize
    }

    /// The work of one stage of a bundle.
    fn stage<V: Observer>(&mut self, observer: &mut V, at: usize, age: u8) -> Result<(), Fault> {
        let work = self.work;
        let bundle = &work.bundles[self.flights[at].bundle as usize];
        for (number, op) in (0u8..).zip(work.ops_of(bundle)) {
            if age == 1 && op.is_access() {
                self.address(observer, at, number)?;
            }
            if age == op.stage {
                self.execute(observer, at, number)?;
            }
        }
        if age == EGRESS_STAGE && bundle.stages >> EGRESS_STAGE & 1 == 1 {
            self.state.memory.leave(self.flights[at].cycle as u32);
        }
        if age == FLAGS_STAGE && self.flights[at].cycle >= self.status_from {
            let flags = self.state.flags() | self.flights[at].flags;
            self.state.set_flags(flags);
        }
        Ok(())
    }

    fn commit<V: Observer>(&mut self, observer: &mut V) -> Result<(), Fault> {
        for at in 0..self.due.len() {
            let record = self.due[at];
            let flight = record.ticket as usize % FLIGHTS;
            // Ops of the table do their work at or before their first definition stage; an op made by hand may not.
            if self.flights[flight].executed != self.flights[flight].ops {
                self.ensure(observer, flight as u8, record.place)?;
            }
            let cell = record.cell;
            let source = Source::Flight { flight: flight as u8, place: record.place };
            let in_flight = &self.flights[flight];
            match cell.bank() {
                Bank::Wvec => self.state.set_wide(cell, &in_flight.wide_result),
                // The flags themselves are added at stage 14; only a write replaces them.
                Bank::Fsr if !self.work.writes_status(in_flight.bundle, record.place) => {}
                bank => {
                    self.state.commit_line(cell, &in_flight.results[usize::from(record.place)]);
                    if bank == Bank::Fsr {
                        self.status_from = in_flight.cycle;
                    }
                }
            }
            if self.youngest[cell.index()] == source {
                self.youngest[cell.index()] = Source::File;
            }
            if V::LISTENS {
                let op = OpRef { issue: in_flight.issue, bundle: in_flight.bundle, slot: record.slot };
                observer.commit(self.cycle, op, cell, self.state.bytes(cell));
            }
        }
        Ok(())
    }

    fn retire<V: Observer>(&mut self, observer: &mut V) {
        for age in (u64::from(EXECUTE)..=15).rev() {
            let flight = &self.flights[self.place(age as u8)];
            let depth =
                self.work.footprints.get(flight.bundle).map_or(EXECUTE, |footprint| footprint.depth.max(EXECUTE));
            if flight.live && flight.cycle + age == self.cycle && u64::from(depth) == age {
                observer.retire(self.cycle, flight.issue, flight.bundle);
            }
        }
    }

    /// Tells of every op in every stage, with its decode bit lit.
    fn show_stages<V: Observer>(&mut self, observer: &mut V) {
        for age in (0..=15u8).rev() {
            let at = self.place(age);
            let flight = &self.flights[at];
            if !flight.live || flight.cycle + u64::from(age) != self.cycle {
                continue;
            }
            let (issue, number) = (flight.issue, flight.bundle);
            let bundle = self.work.bundles[number as usize];
            for op in self.work.ops_of(&bundle) {
                self.light(op.bit, op.slot, age);
                observer.stage(self.cycle, OpRef { issue, bundle: number, slot: op.slot }, age, &self.bitmap[..]);
                self.dim(op.bit);
            }
        }
    }

    fn light(&mut self, (byte, mask): (u16, u8), slot: u8, stage: u8) {
        self.cursor = Cursor { slot, stage };
        if let Some(byte) = self.bitmap.get_mut(usize::from(byte.wrapping_sub(bitmap::FIRST_BYTE))) {
            *byte |= mask;
        }
    }

    fn dim(&mut self, (byte, mask): (u16, u8)) {
        if let Some(byte) = self.bitmap.get_mut(usize::from(byte.wrapping_sub(bitmap::FIRST_BYTE))) {
            *byte &= !mask;
        }
    }

    /// Squashes the bundles in the stages `from` to `to`, both included. Their results never reach a register file and
    /// their stores never leave the core; registers that they had defined have their older values again. Control does not
    /// change: see [`Core::redirect`].
    pub fn kill_stage<V: Observer>(&mut self, observer: &mut V, from: u8, to: u8) {
        let mut tickets = [None; 16];
        for age in from.max(1)..=to.min(15) {
            let at = self.place(age);
            let flight = &mut self.flights[at];
            if !flight.live || flight.cycle + u64::from(age) != self.cycle {
                continue;
            }
            flight.live = false;
            tickets[usize::from(age)] = Some(flight.cycle as u32);
            let Some(footprint) = self.work.footprints.get(flight.bundle) else { continue };
            for (place, def) in (0u8..).zip(footprint.defs) {
                let source = Source::Flight { flight: at as u8, place };
                if self.youngest[def.cell.index()] == source {
                    self.youngest[def.cell.index()] = flight.previous[usize::from(place)];
                }
            }
            if V::LISTENS {
                observer.kill(self.cycle, flight.issue, flight.bundle);
            }
        }
        let killed = |ticket: u32| tickets.contains(&Some(ticket));
        self.board.kill(killed);
        self.due.retain(|record| !killed(record.ticket));
        self.state.memory.kill(killed);
    }

    /// The next bundle to issue; past the last one the run ends.
    pub fn redirect(&mut self, bundle: u32) {
        self.front.redirect(bundle, self.work);
    }

    /// The cell's value for a bundle that would issue now, if it is in its file.
    #[must_use]
    pub fn settled(&self, cell: Cell) -> bool {
        self.youngest.get(cell.index()).is_none_or(|source| *source == Source::File)
    }
}
