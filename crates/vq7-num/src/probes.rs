//! Operands that reach every rule: the values around which the rules of an op change.
//!
//! [`crate::Lane::basis`] evaluates a lane on all pairs of them and notes what was asked. That this finds everything
//! is tested: exhaustively for 8-bit dtypes, at random for the others.

use crate::convert::mask;
use crate::format::Format;
use vq7_isa::{AluOp, Dtype};
use vq7_policy::Policy;

/// Patterns of src0 at which rules change.
pub(crate) fn first(dtype: Dtype, policy: &Policy) -> Vec<u64> {
    let patterns = match Format::of(dtype, policy) {
        Some(format) => float(format),
        None => integer(dtype.bits()),
    };
    patterns.into_iter().map(|bits| bits & mask(dtype.bits())).collect()
}

/// Patterns of src1. A shift count is a whole number whatever the dtype.
pub(crate) fn second(op: AluOp, dtype: Dtype, policy: &Policy) -> Vec<u64> {
    if op.is_shift() {
        return integer(dtype.bits()).into_iter().map(|bits| bits & mask(dtype.bits())).collect();
    }
    first(dtype, policy)
}

fn float(format: &Format) -> Vec<u64> {
    let one = (format.bias as u64) << format.mantissa_bits << format.pad_bits;
    let unit = format.min_subnormal();
    let positive = [
        0,
        unit,
        3 * unit,
        one,
        one + unit,
        // 0.5, 1.25, 2, 2.5, 3.
        one - 2 * format.quiet_bit(),
        one + format.quiet_bit() / 2,
        one + 2 * format.quiet_bit(),
        one + 2 * format.quiet_bit() + format.quiet_bit() / 2,
        one + 3 * format.quiet_bit(),
        format.max_finite() / 2,
        format.max_finite() - 2 * format.quiet_bit(),
        format.max_finite(),
        format.max_finite() + unit,
        format.canonical_nan(),
        // A signalling NaN, where there is one.
        format.canonical_nan() - format.quiet_bit() + unit,
        // A third, roughly: all mantissa bits in use.
        one / 2 + (format.quiet_bit() | format.quiet_bit() >> 2 | unit),
        // 2^24 + 2 and 2^31, where the format has them: the edges of exact integers and of int32.
        one + (24 << format.mantissa_bits << format.pad_bits) + unit,
        one + (31 << format.mantissa_bits << format.pad_bits),
    ];
    positive.into_iter().flat_map(|bits| [bits, bits | format.sign(true)]).collect()
}

fn integer(width: u32) -> Vec<u64> {
    let top = 1 << (width - 1);
    let edges = [
        0,
        1,
        2,
        3,
        7,
        u64::from(width) - 1,
        u64::from(width),
        31,
        33,
        100,
        240,
        255,
        1 << 24,
        (1 << 24) + 1,
        (1 << 24) + 2,
        0x5555_5555_5555_5555,
        top,
        top - 1,
        top + 1,
        // Below the edge of int32, where float32 no longer tells neighbours apart.
        top - 2,
    ];
    edges.into_iter().flat_map(|bits: u64| [bits, bits.wrapping_neg()]).collect()
}
