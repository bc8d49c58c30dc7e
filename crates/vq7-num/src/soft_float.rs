//! Float32 arithmetic on bit patterns, in integers: add, subtract, multiply, divide, negate, compare.
//!
//! Each function rounds once, by the `round` knob, and raises the flags that IEEE 754 asks for. Rules beyond IEEE 754
//! (which NaN comes out) are docs/spec/numbers.md, NaN propagation.

use crate::basis::Case;
use crate::flags::Flags;
use crate::format::FP32;
use crate::unpacked::{Finite, Overflow, Unpacked, product, round_pack, sum};
use std::cmp::Ordering;
use vq7_policy::{Knob, Round, Settled};

/// The sign bit of a float32.
pub(crate) const SIGN: u32 = 0x8000_0000;
/// Positive infinity.
pub(crate) const INFINITY: u32 = 0x7F80_0000;
/// 1.0
pub(crate) const ONE: u32 = 0x3F80_0000;
const CANONICAL_NAN: u32 = 0x7FC0_0000;
const QUIET_BIT: u32 = 0x0040_0000;

/// Whether the pattern is a NaN.
pub(crate) const fn is_nan(x: u32) -> bool {
    x & !SIGN > INFINITY
}

/// Whether the pattern is an infinity.
pub(crate) const fn is_infinite(x: u32) -> bool {
    x & !SIGN == INFINITY
}

/// Whether the pattern is a NaN with a clear quiet bit.
pub(crate) const fn is_signaling(x: u32) -> bool {
    is_nan(x) && x & QUIET_BIT == 0
}

/// Takes an operand apart.
pub(crate) fn unpack(x: u32, case: &mut Case) -> Unpacked {
    if FP32.is_subnormal(x.into()) {
        case.rest_on(Settled::Subnormals);
    }
    FP32.unpack(x.into())
}

/// Rounds a number to float32 by the `round` knob.
pub(crate) fn pack(number: Finite, sticky: bool, case: &mut Case) -> u32 {
    let packed = case.rounded(round_pack(number, sticky, &FP32, case.policy.round, Overflow::Ieee));
    if FP32.is_subnormal(packed) || packed & u64::from(!SIGN) == 0 {
        case.rest_on(Settled::Subnormals);
    }
    packed as u32
}

/// A NaN out of an operation whose operands are numbers.
pub(crate) fn generate_nan(case: &mut Case) -> u32 {
    case.raise(Flags::INVALID);
    CANONICAL_NAN
}

/// A NaN with its quiet bit set; `invalid` if it was clear.
pub(crate) fn quiet(nan: u32, case: &mut Case) -> u32 {
    if is_signaling(nan) {
        case.raise(Flags::INVALID);
    }
    nan | QUIET_BIT
}

/// The result of an operation with a NaN among its operands: the first one, quieted. Sources agree on one NaN; on two
/// different ones they do not.
pub(crate) fn propagate_nan(a: u32, b: u32, case: &mut Case) -> u32 {
    if is_nan(a) && is_nan(b) && (a ^ b) & !QUIET_BIT != 0 {
        case.rest_on(Settled::NanPropagation);
    }
    if is_signaling(a) || is_signaling(b) {
        case.raise(Flags::INVALID);
    }
    if is_nan(a) { a | QUIET_BIT } else { b | QUIET_BIT }
}

/// The zero that an exact cancellation gives: positive, except when rounding down.
fn cancelled_zero(case: &mut Case) -> u32 {
    case.ask(Knob::round);
    if case.policy.round == Round::Down { SIGN } else { 0 }
}

const fn with_sign(negative: bool, magnitude: u32) -> u32 {
    if negative { magnitude | SIGN } else { magnitude }
}

/// a + b
pub(crate) fn add(a: u32, b: u32, case: &mut Case) -> u32 {
    use Unpacked::*;
    match (unpack(a, case), unpack(b, case)) {
        (Nan, _) | (_, Nan) => propagate_nan(a, b, case),
        (Infinity { negative: x }, Infinity { negative: y }) if x != y => generate_nan(case),
        (Infinity { .. }, _) => a,
        (_, Infinity { .. }) => b,
        (Zero { negative: x }, Zero { negative: y }) if x != y => cancelled_zero(case),
        (_, Zero { .. }) => a,
        (Zero { .. }, _) => b,
        (Finite(x), Finite(y)) => add_finite(x, y, case),
    }
}

/// a - b
pub(crate) fn sub(a: u32, b: u32, case: &mut Case) -> u32 {
    // Subtracting is adding the negated number, but a NaN keeps its own sign.
    if is_nan(b) { propagate_nan(a, b, case) } else { add(a, b ^ SIGN, case) }
}

fn add_finite(a: Finite, b: Finite, case: &mut Case) -> u32 {
    match sum(a, b) {
        Some(sum) => pack(sum, false, case),
        None => cancelled_zero(case),
    }
}

/// a * b
pub(crate) fn mul(a: u32, b: u32, case: &mut Case) -> u32 {
    use Unpacked::*;
    let negative = (a ^ b) & SIGN != 0;
    match (unpack(a, case), unpack(b, case)) {
        (Nan, _) | (_, Nan) => propagate_nan(a, b, case),
        (Infinity { .. }, Zero { .. }) | (Zero { .. }, Infinity { .. }) => generate_nan(case),
        (Infinity { .. }, _) | (_, Infinity { .. }) => with_sign(negative, INFINITY),
        (Zero { .. }, _) | (_, Zero { .. }) => with_sign(negative, 0),
        (Finite(x), Finite(y)) => pack(product(x, y), false, case),
    }
}

/// a / b
pub(crate) fn div(a: u32, b: u32, case: &mut Case) -> u32 {
    use Unpacked::*;
    let negative = (a ^ b) & SIGN != 0;
    match (unpack(a, case), unpack(b, case)) {
        (Nan, _) | (_, Nan) => propagate_nan(a, b, case),
        (Infinity { .. }, Infinity { .. }) | (Zero { .. }, Zero { .. }) => generate_nan(case),
        (Infinity { .. }, _) => with_sign(negative, INFINITY),
        (_, Infinity { .. }) | (Zero { .. }, _) => with_sign(negative, 0),
        (Finite(_), Zero { .. }) => {
            case.raise(Flags::DIV_ZERO);
            with_sign(negative, INFINITY)
        }
        (Finite(x), Finite(y)) => {
            // Move the dividend up until its top bit is bit 63: the quotient then has at least 39 bits.
            let up = x.significand.leading_zeros();
            let dividend = x.significand << up;
            let (significand, rest) = (dividend / y.significand, dividend % y.significand);
            let exponent = x.exponent - up as i32 - y.exponent;
            pack(crate::unpacked::Finite { negative, exponent, significand }, rest != 0, case)
        }
    }
}

/// The order of two float32; `None` when one is a NaN. -0 equals +0. Raises nothing.
pub(crate) const fn order(a: u32, b: u32) -> Option<Ordering> {
    if is_nan(a) || is_nan(b) {
        return None;
    }
    let (a, b) = (line_position(a), line_position(b));
    Some(if a < b {
        Ordering::Less
    } else if a > b {
        Ordering::Greater
    } else {
        Ordering::Equal
    })
}

/// Where a number stands on the line: float32 without NaN, sorted, numbered from 0 for both zeros.
const fn line_position(x: u32) -> i64 {
    let magnitude = (x & !SIGN) as i64;
    if x & SIGN == 0 { magnitude } else { -magnitude }
}

/// Which NaNs make a compare raise `invalid`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alarm {
    /// Signalling ones: equality.
    Signaling,
    /// All: less, greater and their like.
    AnyNan,
}

/// [`order`], with the `invalid` that the kind of compare raises.
pub(crate) fn compare(a: u32, b: u32, alarm: Alarm, case: &mut Case) -> Option<Ordering> {
    let order = order(a, b);
    let alarmed = match alarm {
        Alarm::Signaling => is_signaling(a) || is_signaling(b),
        Alarm::AnyNan => order.is_none(),
    };
    if alarmed {
        case.raise(Flags::INVALID);
    }
    order
}
