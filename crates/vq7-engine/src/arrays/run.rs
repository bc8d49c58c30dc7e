//! Carries whole arrays through a machine, word by word.

use super::plan::{Plan, Source, Tile};
use super::{ArrayError, ArrayRef, unravel};
use crate::executor::{Certainty, Executor, Path};
use crate::fault::{Fault, Warning};
use crate::machine::{Executed, Machine};
use std::sync::Arc;
use vq7_isa::address::Memory;
use vq7_isa::legality::Engine;
use vq7_isa::{Instruction, Word};
use vq7_num::{Basis, Flags};
use vq7_policy::Policy;

/// How the words of a plan are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whose gate the words must pass.
    pub engine: Engine,
    /// The open questions.
    pub policy: Policy,
    /// What carries out the words.
    pub executor: Arc<dyn Executor>,
}

/// What became of a plan that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    /// Words that ran.
    pub words: usize,
    /// What carried them out, each once.
    pub paths: Vec<Path>,
    /// The kernel that ran.
    pub handler: &'static str,
    /// Status raised by any element.
    pub flags: Flags,
    /// What the results rest on.
    pub basis: Basis,
    /// How flags and basis are meant.
    pub certainty: Certainty,
    /// Remarks, each once.
    pub warnings: Vec<Warning>,
}

/// Why a plan did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The arrays are not those that were planned for.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// A word faulted.
    #[error(transparent)]
    Word(Box<FailedWord>),
}

/// The word of a plan that faulted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {index} of {words}: {fault}{}", at.as_ref().map(|at| format!(" (element {at:?} of the result)")).unwrap_or_default())]
pub struct FailedWord {
    /// Which word, from 0.
    pub index: usize,
    /// Words of the plan.
    pub words: usize,
    /// The word.
    pub word: Word,
    /// Why.
    pub fault: Fault,
    /// The element of the result, where the fault is that of one element.
    pub at: Option<Vec<usize>>,
}

/// Runs a plan. `progress` is told result elements done and in total.
///
/// # Errors
/// When the arrays are not the plan's, or a word faults; there is no result then.
pub fn run(
    plan: &Plan,
    a: &ArrayRef<'_>,
    b: &ArrayRef<'_>,
    settings: &Settings,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(Vec<u8>, RunSummary), RunError> {
    let machine = Machine::new(plan.generation, settings.engine, settings.policy);
    run_on(plan, a, b, &mut machine.with_executor(settings.executor.clone()), progress)
}

/// Runs a plan on a machine of the caller's. Its State Buffer is overwritten from partition 0, offset 0 on.
///
/// # Errors
/// As [`run`].
pub fn run_on(
    plan: &Plan,
    a: &ArrayRef<'_>,
    b: &ArrayRef<'_>,
    machine: &mut Machine,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(Vec<u8>, RunSummary), RunError> {
    plan.a.check(a)?;
    plan.b.check(b)?;
    let total = plan.elements();
    let size = plan.dtypes[2].bytes() as usize;
    let mut out = vec![0; total.saturating_mul(size)];
    let mut summary = RunSummary::new();
    let mut done = 0usize;
    let mut buffer = Vec::new();
    for (index, tile) in plan.tiles.iter().enumerate() {
        let fault = |fault: Fault| {
            RunError::Word(Box::new(FailedWord {
                index,
                words: plan.tiles.len(),
                word: tile.word,
                at: element_of(&fault, tile, plan),
                fault,
            }))
        };
        place(&plan.a, a.bytes, tile, 0, machine, &mut buffer).map_err(fault)?;
        place(&plan.b, b.bytes, tile, 1, machine, &mut buffer).map_err(fault)?;
        let executed = machine.execute(&Instruction::decode(&tile.word)).map_err(fault)?;
        collect(&mut out, size, tile, machine).map_err(fault)?;
        summary.add(executed);
        done = done.saturating_add(tile.channels as usize * tile.columns as usize);
        progress(done, total);
    }
    Ok((out, summary))
}

impl RunSummary {
    pub(super) fn new() -> Self {
        Self {
            words: 0,
            paths: Vec::new(),
            handler: "",
            flags: Flags::NONE,
            basis: Basis::default(),
            certainty: Certainty::Exact,
            warnings: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, executed: Executed) {
        self.words = self.words.saturating_add(1);
        self.handler = executed.handler;
        self.flags |= executed.flags;
        if !self.paths.contains(&executed.path) {
            self.paths.push(executed.path);
        }
        self.basis.merge(&executed.basis);
        self.certainty = self.certainty.max(executed.certainty);
        for warning in executed.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
}

/// Writes a source's piece into the State Buffer.
fn place(
    source: &Source,
    bytes: &[u8],
    tile: &Tile,
    operand: usize,
    machine: &mut Machine,
    buffer: &mut Vec<u8>,
) -> Result<(), Fault> {
    let size = source.dtype.bytes() as usize;
    let held = tile.held.get(operand).copied().unwrap_or(0) as usize;
    let offset = tile.offsets.get(operand).copied().unwrap_or(0);
    for partition in 0..tile.channels {
        let first = tile.flat(partition, 0);
        let row = match source.map.slice(bytes, size, first, held) {
            Some(row) => row,
            None => {
                buffer.clear();
                source.map.gather(bytes, size, first, held, buffer);
                buffer.as_slice()
            }
        };
        machine.memory.write(Memory::Sbuf, partition, offset, row).map_err(|error| does_not_fit(&error))?;
    }
    Ok(())
}

/// Reads the result's piece out of the State Buffer.
fn collect(out: &mut [u8], size: usize, tile: &Tile, machine: &Machine) -> Result<(), Fault> {
    let length = (tile.columns as usize).saturating_mul(size);
    let [_, _, offset] = tile.offsets;
    for partition in 0..tile.channels {
        let start = tile.flat(partition, 0).saturating_mul(size);
        if let Some(slot) = out.get_mut(start..start.saturating_add(length)) {
            machine.memory.read_into(Memory::Sbuf, partition, offset, slot).map_err(|error| does_not_fit(&error))?;
        }
    }
    Ok(())
}

/// The plan is made for the memory of its generation; a machine of another one may be smaller.
fn does_not_fit(error: &crate::state_buffer::MemoryError) -> Fault {
    Fault::unimplemented(format!("a plan for another generation's memory: {error}"))
}

/// The element of the result that a fault is about.
fn element_of(fault: &Fault, tile: &Tile, plan: &Plan) -> Option<Vec<usize>> {
    match fault {
        Fault::DivideByZero { partition, element } => Some(unravel(tile.flat(*partition, *element), &plan.out_shape)),
        _ => None,
    }
}
