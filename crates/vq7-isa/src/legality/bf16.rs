//! SUNDA's tensor_tensor_bf16 arm: opcodes 0x8A, 0x8B, 0x8F, two bfloat16 elements per 32-bit lane.
//! Source: docs/spec/legality.md, "SUNDA BF16 arm". Rules named `tensor_tensor_bf16_*` are published without names;
//! the names are ours.

use super::common::*;
use super::lists;
use super::rule::{Case, List, Rules, Witness, rules};
use crate::alu_op::AluOp;
use crate::dtype::Dtype;
use crate::inst::S3s3d3Tt;
use crate::opcode;

const OUT: DtypePermissions = DtypePermissions { fp32r: true, int64: false };

pub(super) fn rules<W: Witness>() -> Rules<S3s3d3Tt, W> {
    const {
        &[
            lists::head(),
            ops_and_dtypes(),
            lists::start_partitions(),
            packed_tensors(),
            lists::element_counts(),
            lists::channels(),
            lists::partitions(),
        ]
    }
}

const fn ops_and_dtypes<W: Witness>() -> &'static List<S3s3d3Tt, W> {
    rules![
        "tensor_tensor_bf16_op" => tensor_tensor_bf16_op,
        "tensor_tensor_bf16_dtype" => tensor_tensor_bf16_dtype,
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Dst), OUT, c.generation, w),
        "tensor_tensor_bf16_packing" => |c, w| tensor_tensor_bf16_packing(c, Slot::Src0, w),
        "tensor_tensor_bf16_packing" => |c, w| tensor_tensor_bf16_packing(c, Slot::Src1, w),
    ]
}

const fn packed_tensors<W: Witness>() -> &'static List<S3s3d3Tt, W> {
    rules![
        "tensor3d_valid" => |c, w| packed_tensor3d_valid(c, Slot::Src0, w),
        "tensor3d_valid" => |c, w| packed_tensor3d_valid(c, Slot::Src1, w),
        "tensor3d_valid" => |c, w| tensor_anywhere_valid(c, Slot::Dst, w),
    ]
}

/// The op that an opcode of this arm carries.
const fn op_of(opcode: u8) -> AluOp {
    match opcode {
        opcode::TENSOR_TENSOR_ADD_BF16 => AluOp::Add,
        opcode::TENSOR_TENSOR_MULT_BF16 => AluOp::Mult,
        _ => AluOp::Subtract,
    }
}

fn tensor_tensor_bf16_op<W: Witness>(case: &Case<'_, S3s3d3Tt>, witness: &mut W) -> bool {
    let (op, expected) = (case.inst.op, op_of(case.inst.header.opcode));
    look(
        witness,
        op == expected.code(),
        || "op".into(),
        S3s3d3Tt::OP_OFFSET,
        || op_text(op),
        || op_text(expected.code()),
        None,
    )
}

fn tensor_tensor_bf16_dtype<W: Witness>(case: &Case<'_, S3s3d3Tt>, witness: &mut W) -> bool {
    let tt = case.inst;
    [("src0 dtype", tt.src0_dtype), ("src1 dtype", tt.src1_dtype)].into_iter().all(|(field, code)| {
        let passed = code == Dtype::Bfloat16.code();
        look(
            witness,
            passed,
            || field.into(),
            S3s3d3Tt::DTYPES_OFFSET,
            || dtype_text(code),
            || "0x06 (bfloat16)".into(),
            None,
        )
    })
}

/// Elements come in pairs: an even inner count, an inner step of 1, even outer steps.
fn tensor_tensor_bf16_packing<W: Witness>(case: &Case<'_, S3s3d3Tt>, slot: Slot, witness: &mut W) -> bool {
    let tensor = case.inst.tensor(slot);
    let pattern = tensor.pattern;
    if pattern.start.is_indirect() {
        return true;
    }
    let even_count = pattern.start.shape_from_register() || pattern.num[0] % 2 == 0;
    look(
        witness,
        even_count && pattern.step[0] == 1 && pattern.step[1] % 2 == 0 && pattern.step[2] % 2 == 0,
        || format!("{} pattern", tensor.name),
        tensor.offset + 4,
        || format!("step {:?} num {:?}", pattern.step, pattern.num),
        || "num[0] even, step[0] = 1, step[1] and step[2] even: two elements per lane".into(),
        None,
    )
}

/// Sources are read as 32-bit lanes, so they are validated as UINT32.
fn packed_tensor3d_valid<W: Witness>(case: &Case<'_, S3s3d3Tt>, slot: Slot, witness: &mut W) -> bool {
    let lane = Some(Dtype::Uint32.bytes());
    tensor_valid(&case.inst.tensor(slot), lane, Reach::SbufAndPsum, case.geometry, witness)
}
