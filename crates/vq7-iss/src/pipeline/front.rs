//! The front end: decode, wait or issue one bundle per cycle, and where control goes on.

use super::flight::{FLIGHTS, MAX_WIDES, Source};
use super::{Core, Fault};
use crate::event::{Cause, Observer, OpRef};
use crate::line::Line;
use crate::oracle::ValueOracle;
use crate::timing::{BRANCH_BUBBLE, Bank, EXECUTE, Flow, Issue, Step};
use crate::work::{Control, Right, Test, Work, ZeroCount};

/// Where control is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Front {
    started: bool,
    next: Option<u32>,
    /// Whether the next bundle has been looked at.
    decoded: bool,
    issues: u64,
    /// Cycles in which nothing can issue.
    bubble: u64,
    /// Cycles that the next bundle has waited, for operands and for memory, and for which operand.
    waited: u32,
    owner: Option<(u32, u32)>,
    memory_waited: u32,
    body: Option<Body>,
}

/// A zero-overhead loop.
#[derive(Clone, Copy, Debug)]
struct Body {
    begin: u32,
    end: u32,
    /// Times that the body is still to be run again.
    left: u32,
}

impl Front {
    pub fn next(&self) -> Option<u32> {
        self.next
    }

    pub fn start(&mut self, work: &Work) {
        if !self.started {
            self.started = true;
            self.redirect(0, work);
        }
    }

    pub fn redirect(&mut self, bundle: u32, work: &Work) {
        self.next = Some(bundle).filter(|bundle| (*bundle as usize) < work.bundles.len());
        self.decoded = false;
        self.waited = 0;
        self.owner = None;
        self.memory_waited = 0;
    }
}

impl<O: ValueOracle> Core<'_, O> {
    /// One cycle of the front end.
    pub(super) fn advance_front<V: Observer>(&mut self, observer: &mut V) -> Result<(), Fault> {
        let Some(number) = self.front.next else { return Ok(()) };
        let Some(footprint) = self.work.footprints.get(number) else { return Ok(()) };
        let issue = self.front.issues;
        if V::LISTENS && !self.front.decoded {
            self.front.decoded = true;
            observer.decode(self.cycle, issue, number);
        }
        if self.front.bubble > 0 {
            self.front.bubble -= 1;
            if V::LISTENS {
                observer.stall(self.cycle, issue, number, Cause::Branch);
            }
            return Ok(());
        }
        if self.front.memory_waited == 0
            && let Some(blocked) = self.board.would_wait(footprint)
        {
            self.front.waited += 1;
            self.front.owner.get_or_insert((blocked.place, blocked.producer));
            if V::LISTENS {
                let flight = &self.flights[blocked.ticket as usize % FLIGHTS];
                let producer = OpRef { issue: flight.issue, bundle: blocked.producer, slot: blocked.slot };
                let access = footprint.uses[blocked.place as usize];
                let cause = Cause::Operand { slot: access.slot, cell: access.cell, producer };
                observer.stall(self.cycle, issue, number, cause);
            }
            return Ok(());
        }
        let bundle = self.work.bundles[number as usize];
        let memory_wait = if self.settings.memory_wait > 0 && self.work.ops_of(&bundle).iter().any(|op| op.is_access())
        {
            self.settings.memory_wait
        } else {
            0
        };
        if self.front.memory_waited < memory_wait {
            self.front.memory_waited += 1;
            if V::LISTENS {
                observer.stall(self.cycle, issue, number, Cause::Memory);
            }
            return Ok(());
        }
        if V::LISTENS {
            observer.issue(self.cycle, issue, number);
        }
        let at = (self.cycle % FLIGHTS as u64) as usize;
        self.bind(at, number);
        self.board.post(footprint, number, self.cycle as u32);
        let step = Step { bundle: number, flow: Flow::Next, memory_wait };
        let (operand_wait, owner) = (self.front.waited, self.front.owner);
        self.tally.add(step, footprint.first_use, &Issue { cycle: self.cycle, operand_wait, owner, memory_wait });
        self.first.get_or_insert(self.cycle);
        self.end = self.end.max(self.cycle + u64::from(footprint.depth.max(EXECUTE)));
        let last = u16::BITS - 1 - (bundle.stages | 1 << EXECUTE).leading_zeros();
        self.idle_from = self.idle_from.max(self.cycle + 1 + u64::from(last.max(footprint.depth.into())));
        self.front.issues += 1;
        self.go_on(observer, at, number, bundle.control)
    }

    /// Binds the operands of a bundle and makes its definitions the youngest of their registers.
    fn bind(&mut self, at: usize, number: u32) {
        let Some(footprint) = self.work.footprints.get(number) else { return };
        let bundle = &self.work.bundles[number as usize];
        let mut stages = bundle.stages;
        while stages != 0 {
            let due = (at + stages.trailing_zeros() as usize) % FLIGHTS;
            self.agenda[due] |= 1 << at;
            stages &= stages - 1;
        }
        let flight = &mut self.flights[at];
        flight.live = true;
        flight.cycle = self.cycle;
        flight.issue = self.front.issues;
        flight.bundle = number;
        (flight.addressed, flight.executed, flight.flags) = (0, 0, 0);
        flight.ops = ((1u16 << bundle.op_count) - 1) as u8;
        let mut wides = 0;
        for (place, access) in footprint.uses.iter().enumerate() {
            let mut source = self.youngest[access.cell.index()];
            if access.cell.bank() == Bank::Fsr {
                source = Source::Status;
            }
            flight.sources[place] = source;
            let is_wide = access.cell.bank() == Bank::Wvec;
            if source == Source::File {
                if is_wide {
                    flight.wides[wides.min(MAX_WIDES - 1)] = *self.state.wide(access.cell);
                } else {
                    flight.lines[place] = *self.state.line_ref(access.cell);
                }
            }
            wides += usize::from(is_wide);
        }
        for (place, def) in (0u8..).zip(footprint.defs) {
            // The status register is read when its reader executes: by then every older flag is in it.
            if def.cell.bank() == Bank::Fsr {
                continue;
            }
            let youngest = &mut self.youngest[def.cell.index()];
            flight.previous[usize::from(place)] = *youngest;
            *youngest = Source::Flight { flight: at as u8, place };
        }
    }

    /// Sets the next bundle.
    fn go_on<V: Observer>(&mut self, observer: &mut V, at: usize, number: u32, control: Control) -> Result<(), Fault> {
        let mut next = number + 1;
        let mut taken = false;
        match control {
            Control::Next => {}
            Control::Halt => next = u32::MAX,
            Control::Jump(target) => (next, taken) = (target, true),
            Control::Branch { test, target } => {
                if self.holds(observer, at, test)? {
                    (next, taken) = (target, true);
                }
            }
            Control::Loop { count, end, zero } => {
                let count = self.word(observer, at, count)?;
                let skips = match zero {
                    ZeroCount::Wraps => false,
                    ZeroCount::Skips => count == 0,
                    ZeroCount::SkipsNegative => count as i32 <= 0,
                };
                if skips {
                    (next, taken) = (end, true);
                    self.front.body = None;
                } else {
                    self.front.body = Some(Body { begin: number + 1, end, left: count.wrapping_sub(1) });
                }
            }
        }
        if let Some(body) = &mut self.front.body
            && !taken
            && next == body.end
            && body.begin <= number
        {
            if body.left > 0 {
                body.left -= 1;
                next = body.begin;
            } else {
                self.front.body = None;
            }
        }
        self.front.redirect(next, self.work);
        if taken {
            self.front.bubble = BRANCH_BUBBLE + u64::from(self.settings.refill);
        }
        Ok(())
    }

    fn holds<V: Observer>(&mut self, observer: &mut V, at: usize, test: Test) -> Result<bool, Fault> {
        Ok(match test {
            Test::Compare { relation, left, right } => {
                let left = self.word(observer, at, left)?;
                let right = match right {
                    Right::Use(place) => self.word(observer, at, place)?,
                    Right::Constant(constant) => constant,
                };
                relation.holds(left, right)
            }
            Test::Boolean { at: place, when } => (self.word(observer, at, place)? & 1 == 1) == when,
        })
    }

    /// An operand of a bundle in flight as a word, worked out now if need be.
    fn word<V: Observer>(&mut self, observer: &mut V, at: usize, place: u8) -> Result<u32, Fault> {
        self.resolve(observer, at, place)?;
        Ok(self.flights[at].lines.get(usize::from(place)).map_or(0, Line::word))
    }
}
