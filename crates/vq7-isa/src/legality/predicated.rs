//! The copy_cast_predicated arm: opcodes 0x72 and 0x99. Source: docs/spec/legality.md, "is_valid_copy_cast_predicated".

use super::common::*;
use super::lists;
use super::rule::{Case, List, Rules, Witness, rules};
use crate::dtype::Dtype;
use crate::inst::S3s3d3Tt;
use crate::opcode::{CAST_PREDICATED, COPY_PREDICATED};

/// No FP32R and no 64-bit integer on any operand.
const PLAIN: DtypePermissions = DtypePermissions { fp32r: false, int64: false };

pub(super) fn rules<W: Witness>() -> Rules<S3s3d3Tt, W> {
    const {
        &[
            lists::head(),
            dtypes(),
            lists::zero_op(),
            lists::channels(),
            lists::start_partitions(),
            lists::tensors(),
            lists::element_counts(),
            lists::partitions(),
        ]
    }
}

const fn dtypes<W: Witness>() -> &'static List<S3s3d3Tt, W> {
    rules![
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Dst), PLAIN, c.generation, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src0), PLAIN, c.generation, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src1), PLAIN, c.generation, w),
        "s3s3d3_copy_pred_src0_dtype" => s3s3d3_copy_pred_src0_dtype,
        "s3s3d3_copy_cast_pred_src1_dst_dtype" => s3s3d3_copy_cast_pred_src1_dst_dtype,
    ]
}

/// The predicate, src0, is an integer of at most 32 bits.
fn s3s3d3_copy_pred_src0_dtype<W: Witness>(case: &Case<'_, S3s3d3Tt>, witness: &mut W) -> bool {
    let code = case.inst.src0_dtype;
    look(
        witness,
        Dtype::from_code(code).is_some_and(Dtype::is_datapath_int),
        || "src0 dtype".into(),
        S3s3d3Tt::DTYPES_OFFSET,
        || dtype_text(code),
        || "an integer of at most 32 bits as the predicate".into(),
        None,
    )
}

/// A copy moves bits, so src1 and out have one dtype; a cast is free.
fn s3s3d3_copy_cast_pred_src1_dst_dtype<W: Witness>(case: &Case<'_, S3s3d3Tt>, witness: &mut W) -> bool {
    let tt = case.inst;
    debug_assert!([COPY_PREDICATED, CAST_PREDICATED].contains(&tt.header.opcode), "reached by opcode");
    look(
        witness,
        tt.header.opcode == CAST_PREDICATED || tt.src1_dtype == tt.out_dtype,
        || "src1 dtype".into(),
        S3s3d3Tt::DTYPES_OFFSET,
        || dtype_text(tt.src1_dtype),
        || format!("the out dtype {}, or opcode 0x99 to convert", dtype_text(tt.out_dtype)),
        None,
    )
}
