//! The batchnorm_backprop arm: opcode 0x65. Source: docs/spec/legality.md, "is_valid_batchnorm_backprop".

use super::common::*;
use super::lists;
use super::rule::{List, Rules, Witness, rules};
use crate::inst::S3s3d3Tt;

const SRC: DtypePermissions = DtypePermissions { fp32r: false, int64: false };
const OUT: DtypePermissions = DtypePermissions { fp32r: true, int64: false };

pub(super) fn rules<W: Witness>() -> Rules<S3s3d3Tt, W> {
    const {
        &[
            lists::head(),
            dtypes(),
            lists::zero_op(),
            lists::start_partitions(),
            lists::tensors(),
            lists::element_counts(),
            lists::channels(),
            lists::partitions(),
        ]
    }
}

const fn dtypes<W: Witness>() -> &'static List<S3s3d3Tt, W> {
    rules![
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src0), SRC, c.generation, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src1), SRC, c.generation, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Dst), OUT, c.generation, w),
    ]
}
