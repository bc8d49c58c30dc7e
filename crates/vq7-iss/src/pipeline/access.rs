//! Memory: addresses at stage 1, data when the op executes, in the order of bundles whatever the stages say.
//!
//! A load sees the stores of every earlier bundle and none of its own bundle's. A vector load runs at stage 9 and a vector
//! store at 10, which keeps that order by itself; scalar accesses run at stage 5 and make every older access run first.

use super::moves::extend;
use super::{Core, Fault};
use crate::event::Observer;
use crate::line::{self, Line};
use crate::memory::OutOfRange;
use crate::oracle::ValueOracle;
use crate::work::{Access, Action, Form, ScalarIn};

impl<O: ValueOracle> Core<'_, O> {
    /// The address of an access and the new base, once.
    pub(super) fn address<V: Observer>(&mut self, observer: &mut V, at: usize, number: u8) -> Result<(), Fault> {
        if self.flights[at].addressed >> number & 1 == 1 {
            return Ok(());
        }
        self.flights[at].addressed |= 1 << number;
        let op = self.op(at, number);
        let Some(access) = op.access() else { return Ok(()) };
        self.resolve(observer, at, access.base)?;
        let base = self.flights[at].word(access.base);
        let offset = match access.offset {
            ScalarIn::Use(place) => {
                self.resolve(observer, at, place)?;
                self.flights[at].word(place)
            }
            ScalarIn::Constant(constant) => constant,
        };
        let sum = base.wrapping_add(offset);
        let flight = &mut self.flights[at];
        flight.addresses[usize::from(number)] = if access.post { base } else { sum };
        if let Some(place) = access.base_def {
            flight.set_result(place, Line::from_word(sum));
        }
        Ok(())
    }

    /// Runs what must come before an access of the bundle at `at`: every older access, and for a store its own bundle's loads.
    fn settle<V: Observer>(&mut self, observer: &mut V, at: usize, store: bool) -> Result<(), Fault> {
        let (work, issued) = (self.work, self.flights[at].cycle);
        if self.cycle < issued + 9 {
            for age in (1..=15u8).rev() {
                let older = self.place(age);
                let flight = &self.flights[older];
                if !flight.live || flight.cycle >= issued || flight.cycle + 15 < self.cycle {
                    continue;
                }
                let bundle = work.bundles[self.flights[older].bundle as usize];
                let accesses = || (0u8..).zip(work.ops_of(&bundle)).filter(|(_, op)| op.is_access());
                for (number, _) in accesses().filter(|(_, op)| matches!(op.action, Action::Load(_))) {
                    self.execute(observer, older, number)?;
                }
                for (number, _) in accesses().filter(|(_, op)| matches!(op.action, Action::Store(_))) {
                    self.execute(observer, older, number)?;
                }
            }
        }
        if store {
            let bundle = work.bundles[self.flights[at].bundle as usize];
            let loads = (0u8..).zip(work.ops_of(&bundle)).filter(|(_, op)| matches!(op.action, Action::Load(_)));
            for (number, _) in loads {
                self.execute(observer, at, number)?;
            }
        }
        Ok(())
    }

    fn fault(&self, at: usize, slot: u8, access: OutOfRange) -> Fault {
        let flight = &self.flights[at];
        Fault { bundle: flight.bundle, slot, cycle: flight.cycle, access }
    }

    pub(super) fn load<V: Observer>(
        &mut self,
        observer: &mut V,
        at: usize,
        number: u8,
        access: &Access,
    ) -> Result<(), Fault> {
        self.address(observer, at, number)?;
        self.settle(observer, at, false)?;
        let op = self.op(at, number);
        for place in op.uses.0..op.uses.1 {
            if place != access.base && access.offset != ScalarIn::Use(place) {
                self.resolve(observer, at, place)?;
            }
        }
        self.light(op.bit, op.slot, op.stage);
        let address = self.flights[at].addresses[usize::from(number)];
        let row = address & !low_bits(access.clear);
        let bytes = usize::from(access.bytes).min(64);
        let mut line = Line::ZERO;
        let from = match access.form {
            // The carry holds the row that the address lies in; the next one is read.
            Form::Unaligned { .. } => row.wrapping_add(access.bytes.into()),
            Form::Plain | Form::Elements { .. } => row,
        };
        let result = self.state.memory.load(from, &mut line.0[..bytes]);
        self.dim(op.bit);
        result.map_err(|error| self.fault(at, op.slot, error))?;
        let flight = &mut self.flights[at];
        match access.form {
            Form::Plain => flight.set_result(access.data, line),
            Form::Elements { from, to, signed } => {
                let mut lanes = Line::ZERO;
                for lane in 0..8 * bytes / usize::from(from.max(8)) {
                    let value = extend(line.lane(lane, from.into()), from.into(), signed);
                    lanes.set_lane(lane, to.into(), value);
                }
                flight.set_result(access.data, lanes);
            }
            Form::Unaligned { carry, carry_def } => {
                let old = flight.lines[usize::from(carry) % flight.lines.len()];
                let align = (address & low_bits(access.clear)) as usize;
                let both = old.0.iter().chain(&line.0);
                let mut out = Line::ZERO;
                out.0.iter_mut().zip(both.skip(align)).for_each(|(to, byte)| *to = *byte);
                flight.set_result(access.data, out);
                flight.set_result(carry_def, line);
            }
        }
        Ok(())
    }

    pub(super) fn store<V: Observer>(
        &mut self,
        observer: &mut V,
        at: usize,
        number: u8,
        access: &Access,
    ) -> Result<(), Fault> {
        self.address(observer, at, number)?;
        self.settle(observer, at, true)?;
        let op = self.op(at, number);
        for place in op.uses.0..op.uses.1 {
            if place != access.base && access.offset != ScalarIn::Use(place) {
                self.resolve(observer, at, place)?;
            }
        }
        self.light(op.bit, op.slot, op.stage);
        let flight = &mut self.flights[at];
        let address = flight.addresses[usize::from(number)] & !low_bits(access.clear);
        let data = flight.lines[usize::from(access.data) % flight.lines.len()];
        let guard = access.guard.map(|place| flight.lines[usize::from(place) % flight.lines.len()].mask());
        let bytes = usize::from(access.bytes).min(64);
        let (row, enable) = match access.form {
            Form::Plain => (data, guard.unwrap_or(u64::MAX)),
            Form::Elements { from, to, .. } => {
                let lanes = 512 / usize::from(to.max(8));
                let (mut row, mut enable, size) = (Line::ZERO, 0u64, usize::from(from.max(8)) / 8);
                for lane in 0..lanes {
                    row.set_lane(lane, from.into(), data.lane(lane, to.into()));
                    if guard.is_none_or(|guard| line::predicate(guard, lane, lanes)) {
                        enable |= ((1u64 << size) - 1) << ((lane * size) & 63);
                    }
                }
                (row, enable)
            }
            // The bytes go where they belong at once; the carry keeps what the flush would write.
            Form::Unaligned { carry_def, .. } => {
                flight.set_result(carry_def, data);
                (data, u64::MAX)
            }
        };
        let ticket = flight.cycle as u32;
        let result = self.state.memory.store(ticket, address, &row.0[..bytes], enable);
        self.dim(op.bit);
        result.map_err(|error| self.fault(at, op.slot, error))
    }
}

/// The low `count` bits.
const fn low_bits(count: u8) -> u32 {
    if count >= 32 { u32::MAX } else { (1 << count) - 1 }
}
