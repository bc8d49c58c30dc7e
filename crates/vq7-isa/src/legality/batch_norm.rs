//! The batchnorm_backprop arm: opcode 0x65. Source: docs/spec/legality.md, "is_valid_batchnorm_backprop".

use super::common::*;
use super::rule::{Rules, Witness, rules};
use super::tensor_tensor::tensor3d_valid;
use crate::inst::S3s3d3Tt;

const SRC: DtypePermissions = DtypePermissions { fp32r: false, int64: false };
const OUT: DtypePermissions = DtypePermissions { fp32r: true, int64: false };

pub(super) fn rules<W: Witness>() -> Rules<S3s3d3Tt, W> {
    const {
        &[rules![
            HEADER_RULE => |c, w| has_valid_neuron_header(&c.inst.header, c.generation, w),
            "has_valid_neuron_events" => |c, w| has_valid_neuron_events(&c.inst.events, c.generation, w),
            "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src0), SRC, c.generation, w),
            "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src1), SRC, c.generation, w),
            "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Dst), OUT, c.generation, w),
            "s3s3d3_tt_is_zero_op" => s3s3d3_tt_is_zero_op,
            "start_addr_active_channels" => |c, w| start_addr_active_channels(c, Slot::Src0, w),
            "start_addr_active_channels" => |c, w| start_addr_active_channels(c, Slot::Src1, w),
            "start_addr_active_channels" => |c, w| start_addr_active_channels(c, Slot::Dst, w),
            "tensor3d_valid" => |c, w| tensor3d_valid(c, Slot::Src0, w),
            "tensor3d_valid" => |c, w| tensor3d_valid(c, Slot::Src1, w),
            "tensor3d_valid" => |c, w| tensor3d_valid(c, Slot::Dst, w),
            "s3s3d3_tt_src_element_cnt_check" => |c, w| same_element_count(c.inst, Slot::Src1, w),
            "s3s3d3_tt_dst_element_cnt_check" => |c, w| same_element_count(c.inst, Slot::Dst, w),
            "check_active_channels" => check_active_channels,
            "tt_valid_partitions" => tt_valid_partitions,
        ]]
    }
}
