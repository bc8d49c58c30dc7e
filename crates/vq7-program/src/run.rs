//! Runs a program on a machine: data in, words one by one, checks where they stand, data out.

use crate::data::{Array, element_bits};
use crate::program::{Binding, Check, Program, Tensor};
use std::collections::BTreeMap;
use vq7_engine::{Executed, Fault, Machine, StateBuffer};
use vq7_isa::address::Memory;

/// Why a program did not start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// An array is bound to a name that is no input.
    #[error("the program has no input `{0}`; its inputs are {1}")]
    UnknownInput(String, String),
    /// An input without an array.
    #[error(
        "input `{0}` has no data; bind it with --in {0}=FILE, or give a file in the program: input {0}: .. <- \"file.npy\""
    )]
    MissingInput(String),
    /// An array that does not fit its tensor.
    #[error("{0}")]
    WrongInput(String),
}

/// A check and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckOutcome {
    /// Index into [`Program::checks`].
    pub check: usize,
    /// The bits found, zero-extended; an error says which byte was never written.
    pub found: Result<Vec<u64>, Unwritten>,
}

impl CheckOutcome {
    /// Whether the expectation holds; a check without one holds when its elements were written.
    pub fn passed(&self, check: &Check) -> bool {
        match (&self.found, &check.expected) {
            (Ok(found), Some(expected)) => found == expected,
            (Ok(_), None) => true,
            (Err(_), _) => false,
        }
    }
}

/// Part of a tensor that nothing has written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` was never written at partition {partition}, offset {offset:#x}")]
pub struct Unwritten {
    /// The tensor.
    pub name: String,
    /// Partition of the first byte.
    pub partition: u32,
    /// Offset of the first byte within the partition.
    pub offset: u32,
}

/// What a run left behind.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// Words that ran.
    pub executed: usize,
    /// Words that failed.
    pub failed: usize,
    /// Words that were not tried because an earlier one failed.
    pub skipped: usize,
    /// Every check that was reached, in order.
    pub checks: Vec<CheckOutcome>,
    /// Every output by name, or why it has no value.
    pub outputs: Vec<(String, Result<Array, Unwritten>)>,
}

/// What the caller is told after each word: the step's index, and what came of it.
pub type Observer<'a> = dyn FnMut(usize, &Result<Executed, Fault>) + 'a;

/// Runs a program. Stops at the first word that fails unless `keep_going`.
///
/// # Errors
/// When inputs are missing or do not fit; nothing has run then.
pub fn run(
    program: &Program,
    machine: &mut Machine,
    inputs: &BTreeMap<String, Array>,
    keep_going: bool,
    observe: &mut Observer<'_>,
) -> Result<RunOutcome, RunError> {
    check_inputs(program, inputs)?;
    for tensor in &program.tensors {
        let data = inputs.get(&tensor.name).map(|array| &array.bytes).or(tensor.initial.as_ref());
        data.into_iter().for_each(|data| write(&mut machine.memory, tensor, data));
    }
    let mut outcome = RunOutcome { executed: 0, failed: 0, skipped: 0, checks: Vec::new(), outputs: Vec::new() };
    let mut checks = program.checks.iter().enumerate().peekable();
    let mut look = |memory: &StateBuffer, before: usize, found: &mut Vec<CheckOutcome>| {
        while let Some((index, check)) = checks.next_if(|(_, check)| check.before_step <= before) {
            found.push(CheckOutcome { check: index, found: elements(memory, &program.tensors[check.tensor], check) });
        }
    };
    for (index, step) in program.steps.iter().enumerate() {
        look(&machine.memory, index, &mut outcome.checks);
        let result = machine.execute(&vq7_isa::Instruction::decode(&step.word));
        observe(index, &result);
        match result {
            Ok(_) => outcome.executed += 1,
            Err(_) => outcome.failed += 1,
        }
        if outcome.failed > 0 && !keep_going {
            outcome.skipped = program.steps.len() - index - 1;
            return Ok(outcome);
        }
    }
    look(&machine.memory, program.steps.len(), &mut outcome.checks);
    let read = |binding: &Binding| {
        let tensor = program.bound(binding);
        (tensor.name.clone(), read(&machine.memory, tensor))
    };
    outcome.outputs = program.outputs.iter().map(read).collect();
    Ok(outcome)
}

fn check_inputs(program: &Program, inputs: &BTreeMap<String, Array>) -> Result<(), RunError> {
    let names = || program.inputs.iter().map(|binding| program.bound(binding).name.as_str());
    if let Some(unknown) = inputs.keys().find(|name| !names().any(|known| known == *name)) {
        let known: Vec<_> = names().collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(RunError::UnknownInput(unknown.clone(), known));
    }
    program.inputs.iter().try_for_each(|binding| {
        let name = &program.bound(binding).name;
        let array = inputs.get(name).ok_or_else(|| RunError::MissingInput(name.clone()))?;
        program.accepts(binding, array).map_err(RunError::WrongInput)
    })
}

/// Writes a tensor, row by row. Placement has shown that it lies within the active bytes.
fn write(memory: &mut StateBuffer, tensor: &Tensor, data: &[u8]) {
    for (row, partition) in data.chunks_exact(tensor.row_bytes()).zip(tensor.partition..) {
        let written = memory.write(Memory::Sbuf, partition, tensor.offset, row);
        debug_assert!(written.is_ok(), "{written:?}");
    }
}

fn read(memory: &StateBuffer, tensor: &Tensor) -> Result<Array, Unwritten> {
    let length = tensor.row_bytes();
    let mut bytes = Vec::with_capacity(length * tensor.partitions());
    for partition in (tensor.partition..).take(tensor.partitions()) {
        if let Some(offset) = memory.first_unwritten(Memory::Sbuf, partition, tensor.offset, length as u32) {
            return Err(Unwritten { name: tensor.name.clone(), partition, offset });
        }
        bytes.extend(memory.read(Memory::Sbuf, partition, tensor.offset, length).unwrap_or_default());
    }
    Ok(Array { dtype: tensor.dtype, shape: tensor.shape.clone(), bytes })
}

/// The elements of a check, which may be few of a large tensor of which the rest was never written.
fn elements(memory: &StateBuffer, tensor: &Tensor, check: &Check) -> Result<Vec<u64>, Unwritten> {
    let size = tensor.dtype.bytes();
    let per_partition = tensor.free_elements();
    check
        .elements
        .clone()
        .map(|index| {
            let partition = tensor.partition + (index / per_partition) as u32;
            let offset = tensor.offset + (index % per_partition) as u32 * size;
            if let Some(offset) = memory.first_unwritten(Memory::Sbuf, partition, offset, size) {
                return Err(Unwritten { name: tensor.name.clone(), partition, offset });
            }
            let bytes = memory.read(Memory::Sbuf, partition, offset, size as usize).unwrap_or_default();
            Ok(element_bits(&bytes, tensor.dtype, 0).unwrap_or_default())
        })
        .collect()
}
