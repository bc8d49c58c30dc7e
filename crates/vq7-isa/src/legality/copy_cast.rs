//! COPY 0x46 and CAST 0x47 of S4D4_TR: the same rules but for one. Source: docs/spec/scalar-forms.md, "0x46, 0x47".

use super::common::*;
use super::rule::{self, Rules, Witness, rules};
use super::scalars::{all_zero, op_in};
use crate::alu_op::AluOp;
use crate::inst::S4d4Tr;
use crate::opcode::COPY;

type List<W> = &'static rule::List<S4d4Tr, W>;

const SRC: DtypePermissions = DtypePermissions { fp32r: false, int64: false };
const OUT: DtypePermissions = DtypePermissions { fp32r: true, int64: false };

pub(super) fn rules<W: Witness>(word: &S4d4Tr) -> Rules<S4d4Tr, W> {
    if word.header.opcode == COPY {
        const { &[shared(), same_type(), negated()] }
    } else {
        const { &[shared(), negated()] }
    }
}

const fn shared<W: Witness>() -> List<W> {
    rules![
        HEADER_RULE => |c, w| has_valid_neuron_header(&c.inst.header, c.generation, w),
        "has_valid_neuron_events" => |c, w| has_valid_neuron_events(&c.inst.events, c.generation, w),
        "s4d4_tr_reserved_zero" => |c, w| all_zero("reserved", &c.inst.reserved, S4d4Tr::RESERVED_OFFSET, w),
        "mask_enable_zero" => |c, w| all_zero("mask_enable", &[c.inst.mask_enable], S4d4Tr::MASK_ENABLE_OFFSET, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src0), SRC, c.generation, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Dst), OUT, c.generation, w),
        "is_valid_enum" => |c, w| is_valid_enum(c.inst.op, S4d4Tr::OP_OFFSET, c.generation, w),
        "is_zero_subdim" => |c, w| {
            let passed = matches!(c.inst.op_dim, 0 | 2);
            look(w, passed, || "op_dim".into(), S4d4Tr::OP_DIM_OFFSET, || c.inst.op_dim.to_string(), || "0 unused or 2 X".into(), None)
        },
        "has_valid_active_channel_range" => check_active_channels,
        "start_addr_active_channels" => |c, w| start_addr_active_channels(c, Slot::Src0, w),
        "start_addr_active_channels" => |c, w| start_addr_active_channels(c, Slot::Dst, w),
        "tensor4d_valid" => |c, w| tensor_anywhere_valid(c, Slot::Src0, w),
        "tensor4d_valid" => |c, w| tensor_anywhere_valid(c, Slot::Dst, w),
        "s4d4_tr_same_src_dst_count" => |c, w| same_element_count(c.inst, Slot::Dst, w),
        "s4d4_tr_op_bypass" => |c, w| {
            op_in("op", (c.inst.op, S4d4Tr::OP_OFFSET), c.inst.op == AluOp::Bypass.code(), "0x00 (BYPASS)", w)
        },
    ]
}

const fn same_type<W: Witness>() -> List<W> {
    rules!["s4d4_tr_same_src_dst_type" => |c, w| look(
        w,
        c.inst.in_dtype == c.inst.out_dtype,
        || "out dtype".into(),
        S4d4Tr::OUT_DTYPE_OFFSET,
        || dtype_text(c.inst.out_dtype),
        || format!("the dtype of src, {}, or CAST (0x47) to convert", dtype_text(c.inst.in_dtype)),
        None,
    )]
}

const fn negated<W: Witness>() -> List<W> {
    rules!["has_zero_negated_field" => |c, w| all_zero("negated", &[c.inst.negated], S4d4Tr::NEGATED_OFFSET, w)]
}
