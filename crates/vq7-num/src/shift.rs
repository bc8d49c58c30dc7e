//! Shift counts: which way, and by how much. Lanes of all widths ask here, so the `shift_over` knob has one reader.

use crate::basis::Case;
use crate::convert::mask;
use vq7_isa::AluOp;
use vq7_policy::{Knob, ShiftOver};

/// A shift whose count has been judged. The amount is at most the width; at the width, every bit leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    /// Toward the top bit, zeros behind.
    Left(u32),
    /// Toward the bottom bit, zeros behind.
    Right(u32),
    /// Toward the bottom bit, copies of the top bit behind.
    RightArithmetic(u32),
}

/// The shift that an op means on a lane of `width` bits with the given count, an unsigned number.
///
/// A count below the width shifts by the count. What a larger one does is the knob's answer:
/// flush: all bits leave. mod32: by the low five bits of the count. ivp_signed: the count is a signed number of
/// log2(width) + 2 bits (6 bits on 16-bit lanes, 7 bits on 32-bit lanes), and a negative one shifts the other way.
pub(crate) fn resolve(op: AluOp, count: u64, width: u32, case: &mut Case) -> Shift {
    let flush = |count: u64| count.min(width.into()) as u32;
    let (reverse, amount) = if count < u64::from(width) {
        (false, count as u32)
    } else {
        case.ask(Knob::shift_over);
        match case.policy.shift_over {
            ShiftOver::Flush => (false, width),
            ShiftOver::Mod32 => (false, flush(count & 31)),
            ShiftOver::IvpSigned => {
                let range = 4 * u64::from(width);
                let count = count & (range - 1);
                if count < range / 2 { (false, flush(count)) } else { (true, flush(range - count)) }
            }
        }
    };
    match (op, reverse) {
        (AluOp::ArithShiftLeft, true) | (AluOp::ArithShiftRight, false) => Shift::RightArithmetic(amount),
        (AluOp::LogicalShiftLeft, true) | (AluOp::LogicalShiftRight, false) => Shift::Right(amount),
        _ => Shift::Left(amount),
    }
}

/// Shifts a lane of at most 32 bits.
pub(crate) const fn apply(shift: Shift, value: u64, width: u32) -> u64 {
    let moved = match shift {
        Shift::Left(amount) => value << amount,
        Shift::Right(amount) => value >> amount,
        Shift::RightArithmetic(amount) => {
            let negative = value >> (width - 1) & 1 == 1;
            let extended = if negative { value | !mask(width) } else { value };
            extended.cast_signed().wrapping_shr(amount).cast_unsigned()
        }
    };
    moved & mask(width)
}
