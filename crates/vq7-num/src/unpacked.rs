//! Numbers taken apart, and the one place where a number is rounded into a format.

use crate::flags::{Flagged, Flags};
use crate::format::Format;
use vq7_policy::Round;

/// A floating-point pattern taken apart. What a NaN holds is read from its bits where that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unpacked {
    /// Any NaN.
    Nan,
    /// An infinity.
    Infinity { negative: bool },
    /// A zero.
    Zero { negative: bool },
    /// A finite number that is not zero.
    Finite(Finite),
}

/// The number `(-1)^negative * significand * 2^exponent`. The significand is never zero; it need not be normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finite {
    pub negative: bool,
    pub exponent: i32,
    pub significand: u64,
}

/// What a finite result above the largest finite value becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// What IEEE 754 says: infinity, or the largest finite value when the mode rounds toward zero from there.
    /// A format without infinities gives NaN where infinity would stand.
    Ieee,
    /// The largest finite value.
    Saturate,
}

/// The sum of two numbers of at most 24 significant bits that have no more below their exponent than a format has;
/// `None` when they cancel. Where they are too far apart for 64 bits, one unit stands for the smaller one: it rounds the
/// same way.
pub(crate) const fn sum(a: Finite, b: Finite) -> Option<Finite> {
    let (high, low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    // Align to the lower exponent if the 24 bits of `high` still fit after it; if they do not, `low` is far below
    // the last bit that rounding looks at, and one unit in place of it rounds the same way.
    const REACH: i32 = 38;
    let distance = high.exponent - low.exponent;
    let (exponent, shift, low_significand) =
        if distance <= REACH { (low.exponent, distance, low.significand) } else { (high.exponent - REACH, REACH, 1) };
    let sum = signed(high.negative, high.significand << shift) + signed(low.negative, low_significand);
    if sum == 0 { None } else { Some(Finite { negative: sum < 0, exponent, significand: sum.unsigned_abs() }) }
}

const fn signed(negative: bool, magnitude: u64) -> i64 {
    if negative { -(magnitude as i64) } else { magnitude as i64 }
}

/// The product of two numbers of at most 24 significant bits: exact in 48.
pub(crate) const fn product(a: Finite, b: Finite) -> Finite {
    Finite {
        negative: a.negative != b.negative,
        exponent: a.exponent + b.exponent,
        significand: a.significand * b.significand,
    }
}

/// Drops the low `shift` bits of `significand` and rounds what remains. `sticky` says that there is more, below all
/// bits. Gives the rounded significand and whether something was lost.
pub(crate) const fn round_off(significand: u64, shift: u32, sticky: bool, negative: bool, mode: Round) -> (u64, bool) {
    // The three things that every rounding looks at: the kept bits, the first lost bit, and whether more was lost.
    let (kept, half, rest) = match shift {
        0 => (significand, false, sticky),
        1..=63 => (
            significand >> shift,
            significand >> (shift - 1) & 1 == 1,
            significand & ((1 << (shift - 1)) - 1) != 0 || sticky,
        ),
        64 => (0, significand >> 63 == 1, significand << 1 != 0 || sticky),
        _ => (0, false, significand != 0 || sticky),
    };
    let away_from_zero = match mode {
        Round::NearestEven => half && (rest || kept & 1 == 1),
        Round::Zero => false,
        Round::Up => (half || rest) && !negative,
        Round::Down => (half || rest) && negative,
    };
    (kept + away_from_zero as u64, half || rest)
}

/// Rounds a number into a format, once. `sticky` says that the number is larger in magnitude than `number` by less than
/// one unit of its significand.
///
/// A significand with `sticky` must have more bits than the format keeps, or the lost part would be misjudged.
pub(crate) fn round_pack(
    number: Finite,
    sticky: bool,
    format: &Format,
    mode: Round,
    overflow: Overflow,
) -> Flagged<u64> {
    let Finite { negative, exponent, significand } = number;
    let sign = format.sign(negative);
    let mantissa_bits = format.mantissa_bits as i32;
    // The number lies in [2^top, 2^(top + 1)).
    let top = exponent + 63 - significand.leading_zeros() as i32;
    if top > format.max_exponent() {
        return overflowed(format, negative, mode, overflow);
    }
    // The weight of the last kept bit. Below the smallest normal number it stays where it is: gradual underflow.
    let last_bit = top.max(format.min_exponent()) - mantissa_bits;
    let shift = last_bit - exponent;
    let (kept, inexact) = match u32::try_from(shift) {
        Ok(shift) => round_off(significand, shift, sticky, negative, mode),
        // Fewer bits than the format has: append zeros. At most `mantissa_bits` of them, because of the choice of last_bit.
        Err(_) => (significand << shift.unsigned_abs(), sticky),
    };
    // The hidden bit is still in `kept`: it adds one to the exponent field, and a carry out of rounding adds another.
    let field_below = (top.max(format.min_exponent()) - format.min_exponent()) as u64;
    let magnitude = ((field_below << mantissa_bits) + kept) << format.pad_bits;
    if magnitude > format.max_finite() {
        return overflowed(format, negative, mode, overflow);
    }
    let underflow = inexact && is_tiny(number, sticky, top, format, mode);
    Flagged::new(sign | magnitude, Flags { inexact, underflow, ..Flags::NONE })
}

/// IEEE 754's tininess after rounding: rounded to full precision with an unbounded exponent, the result would lie below
/// the smallest normal number.
fn is_tiny(number: Finite, sticky: bool, top: i32, format: &Format, mode: Round) -> bool {
    if top != format.min_exponent() - 1 {
        return top < format.min_exponent();
    }
    let full_precision = top - format.mantissa_bits as i32 - number.exponent;
    match u32::try_from(full_precision) {
        Ok(shift) => {
            let (kept, _) = round_off(number.significand, shift, sticky, number.negative, mode);
            kept >> format.mantissa_bits < 2
        }
        Err(_) => true,
    }
}

/// A finite result that is too large, in the given format.
fn overflowed(format: &Format, negative: bool, mode: Round, overflow: Overflow) -> Flagged<u64> {
    let toward_infinity = match mode {
        Round::NearestEven => true,
        Round::Zero => false,
        Round::Up => !negative,
        Round::Down => negative,
    };
    let magnitude = if overflow == Overflow::Ieee && toward_infinity {
        format.infinity().unwrap_or(format.canonical_nan())
    } else {
        format.max_finite()
    };
    Flagged::new(format.sign(negative) | magnitude, Flags::OVERFLOW)
}
