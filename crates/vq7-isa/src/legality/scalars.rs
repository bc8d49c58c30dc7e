//! Checks that the scalar forms share: two ops, their order, scalars and where they come from.
//! Source: docs/spec/scalar-forms.md.

use super::common::*;
use super::rule::{Case, Witness};
use super::{OpenQuestion, Status};
use crate::address::Addr4;
use crate::alu_op::{AluOp, Arity};
use crate::inst::{ImmSrc, Immediate, Reverse};

/// An immediate of a word with its place in the word.
pub(super) struct Scalar {
    pub name: &'static str,
    pub immediate: Immediate,
    pub src_offset: usize,
    pub offset: usize,
}

/// Bytes that a legal word has at zero.
pub(super) fn all_zero<W: Witness>(name: &'static str, bytes: &[u8], offset: usize, witness: &mut W) -> bool {
    look(
        witness,
        bytes.iter().all(|&byte| byte == 0),
        || name.into(),
        offset,
        || format!("{bytes:02x?}"),
        || "zero".into(),
        None,
    )
}

/// An op byte against a set of ops.
pub(super) fn op_in<W: Witness>(
    name: &'static str,
    (op, offset): (u8, usize),
    passed: bool,
    expected: &'static str,
    witness: &mut W,
) -> bool {
    look(witness, passed, || name.into(), offset, || op_text(op), || expected.into(), None)
}

/// `is_valid_enum(TensScalarRevOps, reverse)`.
pub(super) fn reverse_in_enum<W: Witness>(reverse: u8, offset: usize, witness: &mut W) -> bool {
    look(
        witness,
        Reverse::from_code(reverse).is_some(),
        || "reverse_operands".into(),
        offset,
        || reverse.to_string(),
        || "0 none, 1 first, 2 second, 3 both".into(),
        None,
    )
}

/// `ts_ptr_imm_chk` and its like: the address suits the channels and is aligned.
pub(super) fn pointer_valid<I: Channels, W: Witness>(
    case: &Case<'_, I>,
    scalar: &Scalar,
    alignment: u32,
    witness: &mut W,
) -> bool {
    let address = scalar.immediate.bits;
    start_suits_channels(case, Some(address), || scalar.name.into(), scalar.offset, Addr4(address), witness)
        && look(
            witness,
            alignment != 0 && address.is_multiple_of(alignment),
            || scalar.name.into(),
            scalar.offset,
            || format!("{address:#x}"),
            || format!("aligned to {alignment} bytes"),
            Some("addr_aligned_dtype"),
        )
}

/// An immediate by its source: in the word, by pointer, by register; or a source that is none.
pub(super) fn immediate_valid<I: Channels, W: Witness>(
    case: &Case<'_, I>,
    scalar: &Scalar,
    alignment: u32,
    inline: impl FnOnce(&mut W) -> bool,
    witness: &mut W,
) -> bool {
    match ImmSrc::from_code(scalar.immediate.src) {
        Some(ImmSrc::Instruction) => inline(witness),
        Some(ImmSrc::Pointer) => pointer_valid(case, scalar, alignment, witness),
        Some(ImmSrc::Register) => look(
            witness,
            scalar.immediate.register().is_some(),
            || scalar.name.into(),
            scalar.offset,
            || format!("{:#010x}", scalar.immediate.bits),
            || "a register below 64 with the other bytes zero".into(),
            Some("is_valid_imm_reg"),
        ),
        None => look(
            witness,
            false,
            || format!("{}_src", scalar.name),
            scalar.src_offset,
            || scalar.immediate.src.to_string(),
            || "0 instruction, 1 pointer, 2 register".into(),
            None,
        ),
    }
}

/// Words whose order of operands does not say what they compute: an op of one operand whose operands are exchanged. The
/// second op's BYPASS of a tensor-scalar word keeps the first op's result in either order.
pub(super) fn order_is_open(op0: u8, op1: u8, reverse: Option<Reverse>, keeps_result: bool) -> Option<OpenQuestion> {
    let unary = |code| AluOp::from_code(code).is_some_and(|op| op.arity() == Arity::Unary);
    let reverse = reverse?;
    let second = reverse.second && unary(op1) && !(keeps_result && op1 == AluOp::Bypass.code());
    (reverse.first && unary(op0) || second).then_some(OpenQuestion {
        status: Status::Unspecified,
        note: "legal in structure, but an op of one operand has its operands exchanged, and no source says which one it then takes",
    })
}
