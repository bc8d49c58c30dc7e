//! The tensor_tensor arm: opcodes 0x41 and 0x51. Source: docs/spec/legality.md, "is_valid_tensor_tensor".

use super::common::*;
use super::rule::{Case, List, Rules, Witness, rules};
use super::{OpenQuestion, Status, lists};
use crate::alu_op::AluOp;
use crate::dtype::Dtype;
use crate::generation::Generation;
use crate::inst::S3s3d3Tt;
use crate::opcode::TENSOR_TENSOR_BITVEC_OP;

type Tt<'a> = Case<'a, S3s3d3Tt>;

/// The rules in the header's order. The opcode row of the header's list is left out: a word reaches this arm by opcode.
pub(super) fn rules<W: Witness>(generation: Generation) -> Rules<S3s3d3Tt, W> {
    if generation.has_64bit() { arm::<W, true>() } else { arm::<W, false>() }
}

/// The arm of a generation. From CAYMAN on 64-bit integers are permitted on all three operands, and the rule has a name of
/// its own.
const fn arm<W: Witness, const INT64: bool>() -> Rules<S3s3d3Tt, W> {
    const {
        &[
            lists::head(),
            dtypes_rules::<W, INT64>(),
            ops(),
            lists::start_partitions(),
            lists::tensors(),
            lists::element_counts(),
            lists::channels(),
            lists::partitions(),
        ]
    }
}

const fn dtypes_rules<W: Witness, const INT64: bool>() -> &'static List<S3s3d3Tt, W> {
    rules![
        dtype_rule(INT64) => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Dst), DtypePermissions { fp32r: true, int64: INT64 }, c.generation, w),
        dtype_rule(INT64) => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src0), DtypePermissions { fp32r: false, int64: INT64 }, c.generation, w),
        dtype_rule(INT64) => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src1), DtypePermissions { fp32r: false, int64: INT64 }, c.generation, w),
    ]
}

const fn dtype_rule(int64: bool) -> &'static str {
    if int64 { "is_valid_dtype_64" } else { "is_valid_dtype" }
}

const fn ops<W: Witness>() -> &'static List<S3s3d3Tt, W> {
    rules![
        "is_valid_enum" => |c, w| is_valid_enum(c.inst.op, S3s3d3Tt::OP_OFFSET, c.generation, w),
        "s3s3d3_tt_valid_op" => s3s3d3_tt_valid_op,
        "s3s3d3_tt_dtype" => s3s3d3_tt_dtype,
        "s3s3d3_tt_src_dst_dtype" => s3s3d3_tt_src_dst_dtype,
        "s3s3d3_tt_valid_int_signness" => s3s3d3_tt_valid_int_signness,
    ]
}

const fn is_bitvec_opcode(tt: &S3s3d3Tt) -> bool {
    tt.header.opcode == TENSOR_TENSOR_BITVEC_OP
}

/// The dtypes of src0, src1 and out; `None` for codes that are no dtype.
pub(super) fn dtypes(tt: &S3s3d3Tt) -> [Option<Dtype>; 3] {
    [tt.src0_dtype, tt.src1_dtype, tt.out_dtype].map(Dtype::from_code)
}

/// Whether all three dtypes satisfy a predicate.
pub(super) fn all_dtypes(tt: &S3s3d3Tt, predicate: impl Fn(Dtype) -> bool) -> bool {
    dtypes(tt).iter().all(|dtype| dtype.is_some_and(&predicate))
}

/// All three dtypes as reports print them.
pub(super) fn dtypes_text(tt: &S3s3d3Tt) -> String {
    format!("src0 {}, src1 {}, out {}", dtype_text(tt.src0_dtype), dtype_text(tt.src1_dtype), dtype_text(tt.out_dtype))
}

/// 0x51 takes the general bitvec set; 0x41 the general arithmetic set, POW and the integer band.
fn s3s3d3_tt_valid_op<W: Witness>(case: &Tt<'_>, witness: &mut W) -> bool {
    let tt = case.inst;
    let admitted = |op: AluOp| match is_bitvec_opcode(tt) {
        true => op.is_general_bitvec(),
        false => op.is_general_arith() || op == AluOp::Pow || op.is_int_aluop(),
    };
    look(
        witness,
        AluOp::from_code(tt.op).is_some_and(admitted),
        || "op".into(),
        S3s3d3Tt::OP_OFFSET,
        || op_text(tt.op),
        || match is_bitvec_opcode(tt) {
            true => "a bitwise op or a shift, not CRC32".into(),
            false => "a general arithmetic op, POW, or an integer-band op".into(),
        },
        None,
    )
}

/// 0x51 writes an integer dtype.
fn s3s3d3_tt_dtype<W: Witness>(case: &Tt<'_>, witness: &mut W) -> bool {
    let tt = case.inst;
    !is_bitvec_opcode(tt)
        || look(
            witness,
            Dtype::from_code(tt.out_dtype).is_some_and(Dtype::is_int),
            || "out dtype".into(),
            S3s3d3Tt::OUT_DTYPE_OFFSET,
            || dtype_text(tt.out_dtype),
            || "an integer dtype: bitvec ops work on integer bit patterns".into(),
            None,
        )
}

/// 0x51 has one dtype on all three operands. From CAYMAN on a 64-bit value may be shifted by a uint32 count.
fn s3s3d3_tt_src_dst_dtype<W: Witness>(case: &Tt<'_>, witness: &mut W) -> bool {
    let tt = case.inst;
    if !is_bitvec_opcode(tt) {
        return true;
    }
    let identical = tt.src0_dtype == tt.out_dtype && tt.src1_dtype == tt.out_dtype;
    let passed = identical || (case.generation.has_64bit() && is_shift_by_uint32(tt));
    look(
        witness,
        passed,
        || "dtypes".into(),
        S3s3d3Tt::DTYPES_OFFSET,
        || dtypes_text(tt),
        || match case.generation.has_64bit() {
            true => "the same dtype on all three, or a 64-bit value shifted by a uint32 count".into(),
            false => "the same dtype on all three".into(),
        },
        None,
    )
}

fn is_shift_by_uint32(tt: &S3s3d3Tt) -> bool {
    AluOp::from_code(tt.op).is_some_and(AluOp::is_shift)
        && Dtype::from_code(tt.src0_dtype).is_some_and(Dtype::is_64bit_int)
        && tt.src1_dtype == Dtype::Uint32.code()
}

/// An integer-band op has three signed or three unsigned integers, and is of that signedness.
fn s3s3d3_tt_valid_int_signness<W: Witness>(case: &Tt<'_>, witness: &mut W) -> bool {
    let tt = case.inst;
    let Some(op) = AluOp::from_code(tt.op).filter(|op| op.is_int_aluop()) else {
        return true;
    };
    let passed = op.is_signed() && all_dtypes(tt, Dtype::is_signed_int)
        || op.is_unsigned() && all_dtypes(tt, Dtype::is_unsigned_int);
    look(
        witness,
        passed,
        || "dtypes".into(),
        S3s3d3Tt::DTYPES_OFFSET,
        || dtypes_text(tt),
        || match (op.is_signed(), op.is_unsigned()) {
            (true, true) => format!("three signed or three unsigned integers for {}", op.header_name()),
            (true, false) => format!("three signed integers for {}", op.header_name()),
            _ => format!("three unsigned integers for {}", op.header_name()),
        },
        None,
    )
}

/// Words that pass every rule and whose result no source settles: a base op that touches a 64-bit integer (the device
/// routes by the out dtype to a switch that has no base codes), and a 64-bit shift whose out dtype is not src0's.
pub(super) fn unspecified(tt: &S3s3d3Tt) -> Option<OpenQuestion> {
    let op = AluOp::from_code(tt.op)?;
    let wide = dtypes(tt).into_iter().flatten().any(Dtype::is_64bit_int);
    let note = match tt.header.opcode {
        crate::opcode::TENSOR_TENSOR_ARITH_OP if wide && !op.is_int_aluop() => {
            "legal in structure, but the device's 64-bit switch has no arm for a base-band op: \"P%i: Error, Unimplemented tensor-tensor ALU op.\""
        }
        TENSOR_TENSOR_BITVEC_OP if is_shift_by_uint32(tt) && tt.out_dtype != tt.src0_dtype => {
            "legal in structure, but a 64-bit shift into another dtype than src0's is routed by the out dtype, and no source says what it computes"
        }
        _ => return None,
    };
    Some(OpenQuestion { status: Status::Unspecified, note })
}
