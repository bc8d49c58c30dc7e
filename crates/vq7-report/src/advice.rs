//! What to do about a word that fails, where the tables know it.

use vq7_isa::inst::{Instruction, S3s3d3Tt};
use vq7_isa::legality::{Bench, Judgement, Status};
use vq7_isa::opcode::TENSOR_TENSOR_BITVEC_OP;
use vq7_isa::{AluOp, Dtype, Generation};

/// The op that is exact where a base-band op has no result, the generation that has the op, or the dtype of a count.
pub fn advice(instruction: &Instruction, judgement: &Judgement, bench: &Bench<'_>) -> Option<String> {
    match (judgement.status, judgement.first_failed) {
        (Status::Unspecified, _) => exact_op(instruction),
        (Status::Illegal, Some("is_valid_enum" | "tensor_scalar_valid_ops")) => later_op(instruction, bench.generation),
        (Status::Illegal, Some("s3s3d3_tt_src_dst_dtype")) => count_dtype(instruction),
        _ => None,
    }
}

fn tensor_tensor(instruction: &Instruction) -> Option<(&S3s3d3Tt, AluOp)> {
    match instruction {
        Instruction::TensorTensor(tt) => AluOp::from_code(tt.op).map(|op| (tt, op)),
        _ => None,
    }
}

/// A base-band op on 64-bit integers: the integer-band op that computes the same, exactly.
fn exact_op(instruction: &Instruction) -> Option<String> {
    let (tt, op) = tensor_tensor(instruction)?;
    let dtypes = [tt.src0_dtype, tt.src1_dtype, tt.out_dtype].map(Dtype::from_code);
    if !dtypes.iter().all(|dtype| dtype.is_some_and(Dtype::is_int)) {
        return None;
    }
    let twin = op.exact_integer_twin(dtypes[0].is_some_and(Dtype::is_signed_int))?;
    Some(format!("for exact 64-bit integers use `{twin}`"))
}

/// An op that the generation lacks and a later one has.
fn later_op(instruction: &Instruction, generation: Generation) -> Option<String> {
    let ops = match instruction {
        Instruction::TensorTensor(tt) => [tt.op; 2],
        Instruction::ExtendedTensorTensor(tta) => [tta.op; 2],
        Instruction::TensorScalar(ts) => [ts.op0, ts.op1],
        Instruction::ScalarTensorTensor(stt) => [stt.op0, stt.op1],
        Instruction::CopyCast(_) | Instruction::Other(_) => return None,
    };
    let op = ops.into_iter().filter_map(AluOp::from_code).find(|op| !op.in_generation(generation))?;
    let first = Generation::ALL.into_iter().find(|later| op.generations().contains(*later))?;
    (first > generation).then(|| format!("`{op}` exists from {first} on"))
}

/// A 64-bit shift whose count has a dtype that it may not have.
fn count_dtype(instruction: &Instruction) -> Option<String> {
    let (tt, op) = tensor_tensor(instruction)?;
    let value = Dtype::from_code(tt.src0_dtype)?;
    if tt.header.opcode != TENSOR_TENSOR_BITVEC_OP {
        return None;
    }
    shift_count(op, value, Dtype::from_code(tt.src1_dtype)?)
}

/// What the count of a 64-bit shift must be, where it is something else.
pub fn shift_count(op: AluOp, value: Dtype, count: Dtype) -> Option<String> {
    let wrong = op.is_shift() && value.is_64bit_int() && count != value && count != Dtype::Uint32;
    wrong.then(|| format!("the count of a shift of {value} must be uint32, or {value} like the value, and is {count}"))
}
