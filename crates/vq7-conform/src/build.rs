//! One case: its word, its bytes before, and the bytes that the reference executor leaves behind.

use crate::plan::{CaseSpec, Cell, ELEMENTS, Plan, layout_of};
use crate::record::{NO_COEFFICIENTS, Record};
use crate::shape::{Layout, Window};
use vq7_cases::{Coverage, Question, Space, mix};
use vq7_engine::walk::Walk;
use vq7_engine::{Fault, Machine};
use vq7_isa::address::{Location, Memory};
use vq7_isa::generation::Geometry;
use vq7_isa::legality::Engine;
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Instruction, Word};
use vq7_num::Coefficients;

/// A case with everything that goes into the files. Places in the files are counted from the case's own beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The record.
    pub record: Record,
    /// The word.
    pub word: Word,
    /// Bytes of the windows before.
    pub input: Vec<u8>,
    /// Bytes of the windows after.
    pub expected: Vec<u8>,
    /// Per channel gamma, inv_std, n, d_beta, d_gamma as float32 bits; none for most instructions.
    pub coefficients: Vec<[u32; 5]>,
}

/// Why a case could not be built. No case of a plan is known to do this; it is the honest answer if one did.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// The plan's case is no longer what the rules admit.
    #[error("case {0} of the plan has no layout that the rules admit")]
    Layout(u32),
    /// The reference executor refused it.
    #[error("case {case}: the reference executor refuses its word {word}: {fault}")]
    Fault {
        /// Its number.
        case: u32,
        /// The word.
        word: Word,
        /// Why.
        fault: Box<Fault>,
    },
}

/// Builds cases one after the other on one machine.
#[derive(Debug)]
pub struct Builder<'a> {
    plan: &'a Plan,
    machine: Machine,
}

impl<'a> Builder<'a> {
    /// A builder of a plan's cases.
    pub fn new(plan: &'a Plan) -> Self {
        Self { plan, machine: Machine::new(plan.kit.generation, Engine::Any, plan.kit.policy) }
    }

    /// Builds a case. It depends on the kit and the case's number alone.
    ///
    /// # Errors
    /// [`CaseError`], which no case of a plan is known to give.
    pub fn build(&mut self, case: &CaseSpec) -> Result<Built, CaseError> {
        let cell = self.plan.cell(case).ok_or(CaseError::Layout(case.number))?;
        let layout = layout_of(&self.plan.kit, cell, case).ok_or(CaseError::Layout(case.number))?;
        let instruction = cell.word(&layout);
        let mut input = self.input(case, cell, &layout);
        let coefficients = if cell.is_batch_norm() { self.coefficients(case, layout.channels) } else { Vec::new() };
        let fault = |fault| CaseError::Fault { case: case.number, word: instruction.encode(), fault: Box::new(fault) };
        let expected = match run(&mut self.machine, &layout.windows, &instruction, &input, &coefficients) {
            Err(Fault::DivideByZero { .. }) => {
                // Under int_div_zero=trap a zero divisor is no result to compare: the case divides by one there.
                self.fill(cell, &layout, &mut input, |_, b| (None, (b == 0).then_some(1)));
                run(&mut self.machine, &layout.windows, &instruction, &input, &coefficients).map_err(fault)?
            }
            result => result.map_err(fault)?,
        };
        let per_channel = layout.patterns.first().map_or(0, Tensor3d::elements);
        let record = Record {
            case: case.number,
            cell: case.cell,
            image: 0,
            image_bytes: input.len() as u32,
            coefficients: if coefficients.is_empty() { NO_COEFFICIENTS } else { 0 },
            opcode: cell.opcode,
            op: cell.op.code(),
            types: cell.types.map(|dtype| dtype.code()),
            shape: case.shape,
            engines: u8::from(cell.engines.pool) | u8::from(cell.engines.dve) << 1,
            channels: layout.channels as u8,
            windows: layout.windows,
            elements: per_channel as u32 * layout.channels,
        };
        Ok(Built { record, word: instruction.encode(), input, expected, coefficients })
    }

    /// The bytes before: noise, and in it the weighted elements of both sources.
    fn input(&self, case: &CaseSpec, cell: &Cell, layout: &Layout) -> Vec<u8> {
        let kit = &self.plan.kit;
        let key = mix(kit.seed ^ mix(u64::from(case.number) << 1 | 1));
        let size: u64 = layout.windows.iter().map(Window::size).sum();
        let mut image: Vec<u8> = (0..size.div_ceil(8)).flat_map(|at| mix(key.wrapping_add(at)).to_le_bytes()).collect();
        image.truncate(size as usize);
        // Instructions without an op look at both sources.
        let op = if cell.is_predicated() || cell.is_batch_norm() { AluOp::Add } else { cell.op };
        let question = Question { op, types: cell.types };
        let coverage = Coverage::Weighted { level: kit.level, seed: mix(kit.seed ^ u64::from(case.shape)) };
        // Weighted cases exist for every dtype.
        let Ok(space) = Space::new(question, coverage) else { return image };
        let (mut count, predicated) = (0, cell.is_predicated());
        self.fill(cell, layout, &mut image, |_, _| {
            let (a, b) = space.operands(space.spread(count, ELEMENTS));
            // Half of the predicates are false.
            let a = if predicated && mix(key ^ count) & 1 == 0 { 0 } else { a };
            count += 1;
            (Some(a), Some(b))
        });
        image
    }

    /// Hands each pair of source elements to `next` in walk order, channel by channel, and stores what it gives.
    fn fill(
        &self,
        cell: &Cell,
        layout: &Layout,
        image: &mut [u8],
        mut next: impl FnMut(u64, u64) -> (Option<u64>, Option<u64>),
    ) {
        let geometry = self.plan.kit.generation.geometry();
        let [p0, p1, _] = &layout.patterns;
        let [w0, w1, _] = cell.types.map(|dtype| dtype.bytes());
        let (Some(src0), Some(src1)) = (Walked::new(p0, w0, geometry), Walked::new(p1, w1, geometry)) else { return };
        for channel in 0..layout.channels {
            for (at0, at1) in src0.places(&layout.windows, channel).zip(src1.places(&layout.windows, channel)) {
                let (Some(at0), Some(at1)) = (at0, at1) else { continue };
                let (a, b) = next(load(image, at0, w0), load(image, at1, w1));
                if let Some(a) = a {
                    store(image, at0, w0, a);
                }
                if let Some(b) = b {
                    store(image, at1, w1, b);
                }
            }
        }
    }

    /// Coefficients of everyday size, so that results are numbers: signs and fractions are any, exponents near 1.
    fn coefficients(&self, case: &CaseSpec, channels: u32) -> Vec<[u32; 5]> {
        let key = mix(self.plan.kit.seed ^ mix(u64::from(case.number) << 2 | 2));
        let number = |at: u64| {
            let random = mix(key.wrapping_add(at));
            (random as u32 & 0x807F_FFFF) | (120 + (random >> 32) as u32 % 15) << 23
        };
        // n is a count: a positive power of two.
        let count = |at: u64| (127 + (mix(key.wrapping_add(at)) >> 32) as u32 % 12) << 23;
        let row = |channel: u64| {
            let at = channel * 5;
            [number(at), number(at + 1), count(at + 2), number(at + 3), number(at + 4)]
        };
        (0..u64::from(channels)).map(row).collect()
    }
}

/// A pattern as a walk in a partition.
pub(crate) struct Walked {
    walk: Walk,
    partition: u32,
    size: u32,
}

impl Walked {
    /// The walk of a pattern with its address in the word.
    pub fn new(pattern: &Tensor3d, size: u32, geometry: &Geometry) -> Option<Self> {
        let place = Location::of(pattern.start.immediate_address()?, geometry)?;
        let walk = Walk::new(place.offset, pattern, size, place.memory.active_bytes(geometry)).ok()?;
        (place.memory == Memory::Sbuf).then_some(Self { walk, partition: place.partition, size })
    }

    /// Where in the image each element of a channel stands; `None` for one outside the windows.
    pub fn places<'a>(&'a self, windows: &'a [Window; 2], channel: u32) -> impl Iterator<Item = Option<usize>> + 'a {
        let partition = self.partition.saturating_add(channel);
        self.walk.offsets().map(move |offset| locate(windows, partition, offset, self.size))
    }
}

/// Where in an image of two windows some bytes of a partition stand.
pub(crate) fn locate(windows: &[Window; 2], partition: u32, offset: u32, size: u32) -> Option<usize> {
    let mut before = 0u64;
    for window in windows {
        let row = partition.checked_sub(window.partition.into()).filter(|row| *row < u32::from(window.rows));
        let column = offset.checked_sub(window.offset);
        if let (Some(row), Some(column)) = (row, column)
            && u64::from(column) + u64::from(size) <= u64::from(window.bytes)
        {
            return usize::try_from(before + u64::from(row) * u64::from(window.bytes) + u64::from(column)).ok();
        }
        before += window.size();
    }
    None
}

/// The little-endian element of `size` bytes at a place of an image; 0 past its end.
pub(crate) fn load(image: &[u8], at: usize, size: u32) -> u64 {
    let bytes = image.get(at..at.saturating_add(size as usize)).unwrap_or(&[]);
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn store(image: &mut [u8], at: usize, size: u32, value: u64) {
    if let Some(slot) = image.get_mut(at..at.saturating_add(size as usize)) {
        slot.iter_mut().zip(value.to_le_bytes()).for_each(|(byte, new)| *byte = new);
    }
}

/// Runs a word on the bytes of its windows; the bytes behind.
fn run(
    machine: &mut Machine,
    windows: &[Window; 2],
    instruction: &Instruction,
    input: &[u8],
    coefficients: &[[u32; 5]],
) -> Result<Vec<u8>, Fault> {
    let outside = |error: &dyn std::fmt::Display| Fault::Unimplemented { what: error.to_string(), log: Vec::new() };
    let mut rest = input;
    for (partition, window) in rows(windows) {
        let (row, after) = rest.split_at_checked(window.bytes as usize).unwrap_or((rest, &[]));
        machine.memory.write(Memory::Sbuf, partition, window.offset, row).map_err(|error| outside(&error))?;
        rest = after;
    }
    machine.coefficients.clear();
    machine.coefficients.extend(coefficients.iter().map(|&[gamma, inv_std, n, d_beta, d_gamma]| Coefficients {
        gamma,
        inv_std,
        n,
        d_beta,
        d_gamma,
    }));
    machine.execute(instruction)?;
    let mut output = vec![0; input.len()];
    let mut rest = output.as_mut_slice();
    for (partition, window) in rows(windows) {
        let middle = (window.bytes as usize).min(rest.len());
        let (row, after) = rest.split_at_mut(middle);
        machine.memory.read_into(Memory::Sbuf, partition, window.offset, row).map_err(|error| outside(&error))?;
        rest = after;
    }
    Ok(output)
}

/// The rows of the windows in the order in which an image has them.
fn rows(windows: &[Window; 2]) -> impl Iterator<Item = (u32, &Window)> {
    windows.iter().flat_map(|window| {
        (0..u32::from(window.rows)).map(move |row| (u32::from(window.partition).saturating_add(row), window))
    })
}
