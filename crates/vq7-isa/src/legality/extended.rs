//! The extended tensor-tensor word 0xF0/2. No validator for it is published: these checks and their names are ours, from
//! the layout's comments. Source: docs/spec/legality.md, "Extended tensor-tensor".

use super::common::*;
use super::rule::{Case, Rules, Witness, rules};
use crate::address::{Location, Memory};
use crate::alu_op::AluOp;
use crate::inst::ExtendedTta;

type Tta<'a> = Case<'a, ExtendedTta>;

const SRC: DtypePermissions = DtypePermissions { fp32r: false, int64: false };
const OUT: DtypePermissions = DtypePermissions { fp32r: true, int64: false };

pub(super) fn rules<W: Witness>() -> Rules<ExtendedTta, W> {
    const {
        &[rules![
            HEADER_RULE => |c, w| has_valid_neuron_header(&c.inst.header, c.generation, w),
            "has_valid_neuron_events" => |c, w| has_valid_neuron_events(&c.inst.events, c.generation, w),
            "extended_completion_info" => extended_completion_info,
            "extended_reserved_zero" => extended_reserved_zero,
            "is_valid_enum" => |c, w| is_valid_enum(c.inst.op, ExtendedTta::OP_OFFSET, c.generation, w),
            "extended_tta_valid_op" => extended_tta_valid_op,
            "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Dst), OUT, c.generation, w),
            "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src0), SRC, c.generation, w),
            "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src1), SRC, c.generation, w),
            "extended_tensors_in_sbuf" => extended_tensors_in_sbuf,
            "extended_start_partition" => extended_start_partition,
            "tensor2d_valid" => |c, w| tensor2d_valid(c, Slot::Src0, w),
            "tensor2d_valid" => |c, w| tensor2d_valid(c, Slot::Src1, w),
            "tensor2d_valid" => |c, w| tensor2d_valid(c, Slot::Dst, w),
            "extended_src_element_cnt_check" => |c, w| same_element_count(c.inst, Slot::Src1, w),
            "extended_dst_element_cnt_check" => |c, w| same_element_count(c.inst, Slot::Dst, w),
        ]]
    }
}

fn extended_completion_info<W: Witness>(case: &Tta<'_>, witness: &mut W) -> bool {
    let info = case.inst.completion_info;
    look(
        witness,
        info & !ExtendedTta::PORTS_MASK == ExtendedTta::COMPLETION,
        || "completion_info".into(),
        ExtendedTta::COMPLETION_OFFSET,
        || format!("{info:#04x}"),
        || "has_read and has_write set, bits 1, 6 and 7 clear: 0x05 plus ports << 3".into(),
        None,
    )
}

fn extended_reserved_zero<W: Witness>(case: &Tta<'_>, witness: &mut W) -> bool {
    let ExtendedTta { reserved, tail, .. } = case.inst;
    let zero = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    look(
        witness,
        zero(reserved),
        || "reserved".into(),
        ExtendedTta::RESERVED_OFFSET,
        || format!("{reserved:02x?}"),
        || "zero".into(),
        None,
    ) && look(
        witness,
        zero(tail),
        || "reserved".into(),
        ExtendedTta::TAIL_OFFSET,
        || format!("{tail:02x?}"),
        || "zero".into(),
        None,
    )
}

fn extended_tta_valid_op<W: Witness>(case: &Tta<'_>, witness: &mut W) -> bool {
    let op = case.inst.op;
    look(
        witness,
        [AluOp::Add.code(), AluOp::Mult.code()].contains(&op),
        || "op".into(),
        ExtendedTta::OP_OFFSET,
        || op_text(op),
        || "ADD or MULT, the two that the extended path documents".into(),
        None,
    )
}

/// Holds `predicate` against the place of every operand whose address is in the word.
fn all_places<W: Witness>(
    case: &Tta<'_>,
    witness: &mut W,
    expected: &str,
    predicate: impl Fn(Option<Location>) -> bool,
) -> bool {
    [Slot::Src0, Slot::Src1, Slot::Dst].into_iter().all(|slot| {
        let tensor = case.inst.tensor(slot);
        let start = tensor.pattern.start;
        let passed = start.immediate_address().is_none_or(|address| predicate(Location::of(address, case.geometry)));
        look(
            witness,
            passed,
            || format!("{}.start_addr", tensor.name),
            tensor.offset,
            || address_text(start, case.geometry),
            || expected.into(),
            None,
        )
    })
}

fn extended_tensors_in_sbuf<W: Witness>(case: &Tta<'_>, witness: &mut W) -> bool {
    all_places(case, witness, "an address inside SBUF", |place| place.is_some_and(|place| place.memory == Memory::Sbuf))
}

fn extended_start_partition<W: Witness>(case: &Tta<'_>, witness: &mut W) -> bool {
    all_places(case, witness, "start partition 0: ports count up from core 0", |place| {
        place.is_none_or(|place| place.memory != Memory::Sbuf || place.partition == 0)
    })
}

fn tensor2d_valid<W: Witness>(case: &Tta<'_>, slot: Slot, witness: &mut W) -> bool {
    let tensor = case.inst.tensor(slot);
    tensor_valid(&tensor, element_bytes(tensor.dtype), Reach::Sbuf, case.geometry, witness)
}
