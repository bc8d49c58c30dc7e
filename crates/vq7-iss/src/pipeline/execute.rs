//! The execute stage: operands are taken, the oracle is asked, results wait for their definition stage.

use super::flight::{MAX_WIDES, Source};
use super::{Core, Fault};
use crate::event::{Observer, OpRef};
use crate::line::{self, Line};
use crate::oracle::{Lanes, LanesOut, ValueOracle};
use crate::state;
use crate::timing::{Bank, Cell};
use crate::work::{Action, Input, Merge, OpWork, Output, ScalarIn};
use vq7_num::leaf::{Bits, Leaf};

impl<'w, O: ValueOracle> Core<'w, O> {
    /// The ops of a bundle in flight, by number.
    pub(super) fn op(&self, at: usize, number: u8) -> &'w OpWork {
        let bundle = &self.work.bundles[self.flights[at].bundle as usize];
        &self.work.ops[bundle.first_op as usize + usize::from(number)]
    }

    /// Sees to it that a result is worked out.
    pub(super) fn ensure<V: Observer>(&mut self, observer: &mut V, flight: u8, place: u8) -> Result<(), Fault> {
        let at = usize::from(flight);
        let bundle = &self.work.bundles[self.flights[at].bundle as usize];
        let found = (0u8..).zip(self.work.ops_of(bundle)).find(|(_, op)| (op.defs.0..op.defs.1).contains(&place));
        let Some((number, op)) = found else { return Ok(()) };
        match op.access() {
            Some(access) if access.base_def == Some(place) => self.address(observer, at, number),
            _ => self.execute(observer, at, number),
        }
    }

    /// Takes the value of an operand.
    pub(super) fn resolve<V: Observer>(&mut self, observer: &mut V, at: usize, place: u8) -> Result<(), Fault> {
        let index = usize::from(place);
        if !V::LISTENS && self.flights[at].sources[index] == Source::File {
            return Ok(());
        }
        let Some(access) =
            self.work.footprints.get(self.flights[at].bundle).and_then(|footprint| footprint.uses.get(index))
        else {
            return Ok(());
        };
        match self.flights[at].sources[index] {
            Source::File => {}
            Source::Status => self.flights[at].lines[index] = self.state.line(Cell::FSR),
            Source::Flight { flight, place: from } => {
                self.ensure(observer, flight, from)?;
                if access.cell.bank() == Bank::Wvec {
                    let wide = self.flights[usize::from(flight)].wide_result;
                    let which = self.wide_number(at, index);
                    self.flights[at].wides[which] = wide;
                } else {
                    let line = self.flights[usize::from(flight)].results[usize::from(from)];
                    self.flights[at].lines[index] = line;
                }
                self.flights[at].sources[index] = Source::File;
            }
        }
        if V::LISTENS {
            let flight = &self.flights[at];
            let op = OpRef { issue: flight.issue, bundle: flight.bundle, slot: access.slot };
            let cycle = flight.cycle + u64::from(access.stage);
            let bytes: &[u8] = match access.cell.bank() {
                Bank::Wvec => &flight.wides[self.wide_number(at, index)],
                bank => &flight.lines[index].0[..state::bytes_of(bank)],
            };
            observer.latch(cycle, op, access.cell, bytes);
        }
        Ok(())
    }

    /// Which of the bundle's accumulators that are read stands at this place.
    fn wide_number(&self, at: usize, index: usize) -> usize {
        let footprint = self.work.footprints.get(self.flights[at].bundle);
        let before = footprint.map_or(&[][..], |footprint| &footprint.uses[..index]);
        before.iter().filter(|access| access.cell.bank() == Bank::Wvec).count().min(MAX_WIDES - 1)
    }

    /// The work of an op, once.
    pub(super) fn execute<V: Observer>(&mut self, observer: &mut V, at: usize, number: u8) -> Result<(), Fault> {
        if self.flights[at].executed >> number & 1 == 1 {
            return Ok(());
        }
        self.flights[at].executed |= 1 << number;
        let op = self.op(at, number);
        match &op.action {
            Action::Load(access) => return self.load(observer, at, number, access),
            Action::Store(access) => return self.store(observer, at, number, access),
            _ => {}
        }
        for place in op.uses.0..op.uses.1 {
            self.resolve(observer, at, place)?;
        }
        self.light(op.bit, op.slot, op.stage);
        match op.action {
            Action::Load(_) | Action::Store(_) => {}
            Action::Nothing => (op.defs.0..op.defs.1).for_each(|place| self.flights[at].set_result(place, Line::ZERO)),
            Action::Lanes { leaf, lanes, inputs, value, predicate, merge } => {
                self.lanes(
                    observer,
                    at,
                    op,
                    Asked { leaf, lanes: usize::from(lanes), inputs, value, predicate, merge },
                );
            }
            Action::Lanes96 { leaf, accumulator, inputs, value } => {
                self.lanes96(observer, at, op, leaf, accumulator, inputs, value);
            }
            Action::Whole { leaf, inputs, outputs, merge } => {
                self.whole(observer, at, op, leaf, inputs, outputs, merge)
            }
            Action::Move(what) => self.flights[at].shift(what),
            Action::Scalar { op, left, right, to } => {
                let flight = &mut self.flights[at];
                let word = |input| match input {
                    ScalarIn::Use(place) => flight.word(place),
                    ScalarIn::Constant(constant) => constant,
                };
                let result = op.apply(word(left), word(right));
                flight.set_result(to, Line::from_word(result));
            }
        }
        self.dim(op.bit);
        Ok(())
    }

    fn lanes<V: Observer>(&mut self, observer: &mut V, at: usize, op: &OpWork, asked: Asked) {
        let Asked { leaf, lanes, inputs, value, predicate, merge } = asked;
        let flight = &mut self.flights[at];
        let scratch = &mut *self.scratch;
        for (input, into) in inputs.into_iter().zip(&mut scratch.inputs) {
            flight.gather(input, lanes, into);
        }
        self.oracle.lanes(leaf, lanes, &scratch.inputs, &mut scratch.out);
        self.lane_results += lanes as u64;
        flight.flags |= scratch.out.flags;
        if V::LISTENS {
            let op = OpRef { issue: flight.issue, bundle: flight.bundle, slot: op.slot };
            for (lane, value) in (0u32..).zip(&scratch.out.values[..lanes]) {
                observer.lane(
                    flight.cycle + u64::from(crate::timing::EXECUTE),
                    op,
                    leaf.name,
                    lane,
                    u128::from(*value),
                );
            }
        }
        flight.put(value, lanes, &mut scratch.out, merge);
        if let Some(place) = predicate {
            let mask = fields(&scratch.out.predicates, lanes);
            flight.set_result(place, Line::from_mask(mask));
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one action")]
    fn lanes96<V: Observer>(
        &mut self,
        observer: &mut V,
        at: usize,
        op: &OpWork,
        leaf: &'static Leaf,
        accumulator: Option<u8>,
        inputs: [Input; 3],
        value: Output,
    ) {
        let flight = &mut self.flights[at];
        let scratch = &mut *self.scratch;
        for (input, into) in inputs.into_iter().zip(&mut scratch.inputs) {
            flight.gather(input, 16, into);
        }
        self.lane_results += 16;
        let mut line = Line::ZERO;
        for lane in 0..16 {
            // Without an accumulator the leaf's first input is the first operand.
            let wide = accumulator.map(|which| line::get_wide(&flight.wides[usize::from(which)], lane, 96));
            let [a, b, c] = [0, 1, 2].map(|input| scratch.inputs[input][lane]);
            let result = match wide {
                Some(wide) => self.oracle.lane96(leaf, wide, [a, b]),
                None => self.oracle.lane96(leaf, a.into(), [b, c]),
            };
            match value {
                Output::Wide { width } => line::set_wide(&mut flight.wide_result, lane, width.into(), result),
                Output::Lanes { width, .. } => line.set_lane(lane, width.into(), result as u64),
                Output::Predicate { .. } | Output::Word { .. } => {}
            }
            if V::LISTENS {
                let op = OpRef { issue: flight.issue, bundle: flight.bundle, slot: op.slot };
                observer.lane(flight.cycle + u64::from(crate::timing::EXECUTE), op, leaf.name, lane as u32, result);
            }
        }
        if let Output::Lanes { at, .. } = value {
            flight.set_result(at, line);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one action")]
    fn whole<V: Observer>(
        &mut self,
        observer: &mut V,
        at: usize,
        op: &OpWork,
        leaf: &'static Leaf,
        inputs: [Input; 4],
        outputs: [Option<u8>; 2],
        merge: Option<(Merge, u8)>,
    ) {
        let flight = &mut self.flights[at];
        let count = leaf.inputs.len().min(4);
        let bits = inputs.map(|input| flight.whole_input(input));
        let mut values = [Bits::ZERO; 2];
        let outs = leaf.value_outputs().count().min(2);
        self.oracle.whole(leaf, &bits[..count], &mut values[..outs]);
        self.lane_results += 1;
        if V::LISTENS {
            let op = OpRef { issue: flight.issue, bundle: flight.bundle, slot: op.slot };
            let low = values[0].low_u128();
            observer.lane(flight.cycle + u64::from(crate::timing::EXECUTE), op, leaf.name, 0, low);
        }
        for (value, place) in values.iter().zip(outputs) {
            let Some(place) = place else { continue };
            let mut line = Line::ZERO;
            let limbs = value.limbs().iter().flat_map(|limb| limb.to_le_bytes());
            line.0.iter_mut().zip(limbs).for_each(|(to, from)| *to = from);
            if let Some((merge, width)) = merge {
                line = flight.merged(line, width.into(), merge);
            }
            flight.set_result(place, line);
        }
    }
}

/// A question to the oracle about lanes.
struct Asked {
    leaf: &'static Leaf,
    lanes: usize,
    inputs: [Input; 4],
    value: Output,
    predicate: Option<u8>,
    merge: Option<Merge>,
}

/// A predicate register from a word per lane: the lowest bit of a word says whether the lane is true.
pub(super) fn fields(lanes: &Lanes, count: usize) -> u64 {
    let bits = line::predicate_bits(count);
    let field = if bits == 0 || bits >= 64 { 1 } else { (1u64 << bits) - 1 };
    let fields = lanes[..count.min(64)].iter().enumerate();
    fields.fold(0, |mask, (at, lane)| mask | (lane & 1).wrapping_mul(field) << ((at as u32 * bits) & 63))
}

impl super::flight::Flight {
    pub(super) fn set_result(&mut self, place: u8, line: Line) {
        if let Some(result) = self.results.get_mut(usize::from(place)) {
            *result = line;
        }
    }

    fn line(&self, place: u8) -> &Line {
        &self.lines[usize::from(place) % self.lines.len()]
    }

    /// Lanes of an input.
    #[inline]
    fn gather(&self, input: Input, count: usize, into: &mut Lanes) {
        match input {
            Input::None => {}
            Input::Lanes { at, width, first: 0, step: 1 } => self.line(at).unpack(width.into(), into),
            Input::Lanes { at, width, first, step } => {
                let line = self.line(at);
                for (number, lane) in into[..count.min(64)].iter_mut().enumerate() {
                    *lane = line.lane(usize::from(first) + number * usize::from(step), width.into());
                }
            }
            Input::Predicate { at } => {
                let mask = self.line(at).mask();
                let bits = line::predicate_bits(count);
                let field = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
                for (number, lane) in into[..count.min(64)].iter_mut().enumerate() {
                    *lane = mask >> ((number as u32 * bits) & 63) & field;
                }
            }
            Input::Word { at } => into[..count.min(64)].fill(self.line(at).word().into()),
            Input::Constant(constant) => into[..count.min(64)].fill(constant),
            Input::Wide { at, width } => {
                let wide = &self.wides[usize::from(at) % self.wides.len()];
                for (number, lane) in into[..count.min(64)].iter_mut().enumerate() {
                    *lane = line::get(wide, number, width.into());
                }
            }
            Input::Mode { at } => into[..count.min(64)].fill(u64::from(state::round_mode(self.line(at)))),
        }
    }

    /// An input as a whole register.
    fn whole_input(&self, input: Input) -> Bits {
        match input {
            Input::None => Bits::ZERO,
            Input::Lanes { at, .. } => Bits::from_lanes(8, self.line(at).0.iter().map(|byte| u64::from(*byte))),
            Input::Predicate { at } => Bits::from_u64(self.line(at).mask()),
            Input::Word { at } => Bits::from_u64(self.line(at).word().into()),
            Input::Constant(constant) => Bits::from_u64(constant),
            Input::Wide { at, .. } => {
                let wide = &self.wides[usize::from(at) % self.wides.len()];
                Bits::from_lanes(8, wide.iter().map(|byte| u64::from(*byte)))
            }
            Input::Mode { at } => Bits::from_u64(u64::from(state::round_mode(self.line(at)))),
        }
    }

    /// Puts lanes where they belong.
    #[inline]
    fn put(&mut self, output: Output, count: usize, out: &mut LanesOut, merge: Option<Merge>) {
        match output {
            Output::Lanes { at, width, first: 0, step: 1 } => {
                let width = u32::from(width);
                if count * (width as usize) < 512 {
                    out.values[count..].fill(0);
                }
                let mut line = Line::pack(width, &out.values);
                if let Some(merge) = merge {
                    line = self.merged(line, width, merge);
                }
                self.set_result(at, line);
            }
            Output::Lanes { at, width, first, step } => {
                let mut line = Line::ZERO;
                for (number, value) in out.values[..count].iter().enumerate() {
                    line.set_lane(usize::from(first) + number * usize::from(step), width.into(), *value);
                }
                if let Some(merge) = merge {
                    line = self.merged(line, 512 / count.max(1) as u32, merge);
                }
                self.set_result(at, line);
            }
            Output::Predicate { at } => {
                let mut mask = fields(&out.values, count);
                if let Some(merge) = merge {
                    let guard = self.line(merge.guard).mask();
                    mask = mask & guard | self.line(merge.old).mask() & !guard;
                }
                self.set_result(at, Line::from_mask(mask));
            }
            Output::Wide { width } => {
                for (number, value) in out.values[..count].iter().enumerate() {
                    line::set(&mut self.wide_result, number, width.into(), *value);
                }
            }
            Output::Word { at } => self.set_result(at, Line::from_word(out.values[0] as u32)),
        }
    }

    /// `line` where the guard is true, the old destination elsewhere; a lane has `width` bits.
    pub(super) fn merged(&self, line: Line, width: u32, merge: Merge) -> Line {
        let (guard, mut merged) = (self.line(merge.guard).mask(), *self.line(merge.old));
        let lanes = 512 / width.max(1) as usize;
        for lane in (0..lanes).filter(|lane| line::predicate(guard, *lane, lanes)) {
            merged.set_lane(lane, width, line.lane(lane, width));
        }
        merged
    }
}
