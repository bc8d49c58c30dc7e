//! Runs of rules that several arms of S3S3D3_TT share. An arm lists these and its own rules in the header's order.

use super::common::*;
use super::rule::{self, Witness, rules};
use crate::inst::S3s3d3Tt;

type List<W> = &'static rule::List<S3s3d3Tt, W>;

/// Header and events: every arm begins so.
pub(super) const fn head<W: Witness>() -> List<W> {
    rules![
        HEADER_RULE => |c, w| has_valid_neuron_header(&c.inst.header, c.generation, w),
        "has_valid_neuron_events" => |c, w| has_valid_neuron_events(&c.inst.events, c.generation, w),
    ]
}

/// The start partitions of all three tensors.
pub(super) const fn start_partitions<W: Witness>() -> List<W> {
    rules![
        "start_addr_active_channels" => |c, w| start_addr_active_channels(c, Slot::Src0, w),
        "start_addr_active_channels" => |c, w| start_addr_active_channels(c, Slot::Src1, w),
        "start_addr_active_channels" => |c, w| start_addr_active_channels(c, Slot::Dst, w),
    ]
}

/// All three tensors, each by its own dtype.
pub(super) const fn tensors<W: Witness>() -> List<W> {
    rules![
        "tensor3d_valid" => |c, w| tensor_anywhere_valid(c, Slot::Src0, w),
        "tensor3d_valid" => |c, w| tensor_anywhere_valid(c, Slot::Src1, w),
        "tensor3d_valid" => |c, w| tensor_anywhere_valid(c, Slot::Dst, w),
    ]
}

/// As many elements in src1 and in dst as in src0.
pub(super) const fn element_counts<W: Witness>() -> List<W> {
    rules![
        "s3s3d3_tt_src_element_cnt_check" => |c, w| same_element_count(c.inst, Slot::Src1, w),
        "s3s3d3_tt_dst_element_cnt_check" => |c, w| same_element_count(c.inst, Slot::Dst, w),
    ]
}

/// The op byte of an arm that has no op.
pub(super) const fn zero_op<W: Witness>() -> List<W> {
    rules!["s3s3d3_tt_is_zero_op" => s3s3d3_tt_is_zero_op]
}

/// The number of channels.
pub(super) const fn channels<W: Witness>() -> List<W> {
    rules!["check_active_channels" => check_active_channels]
}

/// The quadrants of both sources.
pub(super) const fn partitions<W: Witness>() -> List<W> {
    rules!["tt_valid_partitions" => tt_valid_partitions]
}
