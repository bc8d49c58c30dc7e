//! The formula that was published for the Vector engine (docs/spec/iss-lowering.md, "The Vector engine").

use super::looked_up;
use crate::Registers;
use crate::fault::Fault;
use crate::job::Job;
use vq7_isa::address::Memory;
use vq7_isa::inst::Instruction;
use vq7_isa::{AluOp, Dtype, Generation};

/// Cycles that a word takes at least on the Vector engine.
pub const MIN_II: u64 = 64;
/// The versions of the public documentation that had the formula.
pub const VERSIONS: &str = "2.21 to 2.26";

/// The formula, applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorCost {
    /// `max(MIN_II, N)` or `max(MIN_II, 2N)`.
    pub formula: &'static str,
    /// Which case of it, and why.
    pub case: &'static str,
    /// N: elements per partition.
    pub elements: u64,
    /// Cycles.
    pub cycles: u64,
}

/// The formula for a word.
///
/// # Errors
/// When the word cannot be looked up.
pub fn vector_cost(
    instruction: &Instruction,
    generation: Generation,
    registers: &Registers,
) -> Result<VectorCost, Fault> {
    let job = looked_up(instruction, generation, registers)?;
    let elements = job.elements();
    let (single, case) = case(&job);
    let (formula, cycles) = match single {
        true => ("max(MIN_II, N)", elements),
        false => ("max(MIN_II, 2N)", elements.saturating_mul(2)),
    };
    Ok(VectorCost { formula, case, elements, cycles: cycles.max(MIN_II) })
}

fn case(job: &Job) -> (bool, &'static str) {
    let Job { src0, src1, dst, lane, .. } = job;
    if (src0.memory == Memory::Psum) != (src1.memory == Memory::Psum) {
        return (true, "one source in PSUM, the other in SBUF");
    }
    let plain = matches!(lane.op, AluOp::Add | AluOp::Subtract | AluOp::Mult);
    let tensors = [src0, src1, dst];
    let bf16 = tensors.iter().all(|tensor| tensor.dtype == Dtype::Bfloat16);
    let contiguous = tensors.iter().all(|tensor| {
        let ranges = tensor.walk.ranges();
        let bytes = tensor.walk.elements().saturating_mul(tensor.dtype.bytes().into());
        matches!(ranges.runs(), [run] if u64::from(run.end.saturating_sub(run.start)) == bytes)
    });
    let in_sbuf = src0.memory == Memory::Sbuf && src1.memory == Memory::Sbuf;
    match plain && bf16 && contiguous && in_sbuf {
        true => (true, "both sources in SBUF, all bfloat16, add, subtract or multiply, contiguous"),
        false => (false, "not a case of the shorter formula"),
    }
}
