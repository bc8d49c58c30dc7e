//! Floating-point arithmetic of the leaves, on the bits of any IEEE-like format: integers only, rounded once.
//!
//! What IEEE 754 leaves open is settled here as the leaves have it (docs/spec/iss-leaves.md, "Floating point"): which NaN
//! comes out, which zero, which compare signals.

use crate::flags::{Flagged, Flags};
use crate::format::Format;
use crate::unpacked::{Finite, Overflow, Unpacked, product, round_off, round_pack, sum};
use std::cmp::Ordering;
use vq7_policy::Round;

/// The round mode of a two-bit field.
pub(super) const fn mode(bits: u64) -> Round {
    match bits & 3 {
        0 => Round::NearestEven,
        1 => Round::Zero,
        2 => Round::Up,
        _ => Round::Down,
    }
}

/// The bits of a format's width.
const fn masked(f: &Format, bits: u64) -> u64 {
    bits & (f.sign(true) << 1).wrapping_sub(1)
}

fn round(f: &Format, number: Finite, sticky: bool, mode: Round) -> Flagged<u64> {
    round_pack(number, sticky, f, mode, Overflow::Ieee)
}

/// A NaN out of numbers.
const fn generated(f: &Format) -> Flagged<u64> {
    Flagged::new(f.canonical_nan(), Flags::INVALID)
}

/// `invalid` when one of the operands is a signalling NaN.
fn alarm(f: &Format, operands: &[u64]) -> Flags {
    Flags { invalid: operands.iter().any(|x| f.is_signaling_nan(*x)), ..Flags::NONE }
}

/// The first NaN of the operands, quieted: sign and payload kept.
fn propagated(f: &Format, operands: &[u64]) -> Flagged<u64> {
    let nan = operands.iter().copied().find(|x| f.is_nan(*x)).unwrap_or(f.canonical_nan());
    Flagged::new(nan | f.quiet_bit(), alarm(f, operands))
}

/// The zero of a sum of zeros or of an exact cancellation: the common sign, else positive unless rounding down.
fn zero(f: &Format, a: bool, b: bool, mode: Round) -> Flagged<u64> {
    Flagged::exact(f.sign(if a == b { a } else { mode == Round::Down }))
}

/// a + b. Of two NaNs the first comes out.
pub(super) fn add(f: &'static Format, a: u64, b: u64, mode: Round) -> Flagged<u64> {
    use Unpacked::*;
    let (a, b) = (masked(f, a), masked(f, b));
    match (f.unpack(a), f.unpack(b)) {
        (Finite(x), Finite(y)) => match sum(x, y) {
            Some(sum) => round(f, sum, false, mode),
            None => zero(f, false, true, mode),
        },
        (Nan, _) | (_, Nan) => propagated(f, &[a, b]),
        (Infinity { negative: x }, Infinity { negative: y }) if x != y => generated(f),
        (Zero { negative: x }, Zero { negative: y }) => zero(f, x, y, mode),
        (Infinity { .. }, _) | (_, Zero { .. }) => Flagged::exact(a),
        (_, Infinity { .. }) | (Zero { .. }, _) => Flagged::exact(b),
    }
}

/// a - b. A NaN keeps its own sign.
pub(super) fn sub(f: &'static Format, a: u64, b: u64, mode: Round) -> Flagged<u64> {
    let negated = if f.is_nan(b) { b } else { b ^ f.sign(true) };
    add(f, a, negated, mode)
}

/// a * b. Of two NaNs the second comes out.
pub(super) fn mul(f: &'static Format, a: u64, b: u64, mode: Round) -> Flagged<u64> {
    use Unpacked::*;
    let (a, b) = (masked(f, a), masked(f, b));
    let sign = f.sign(f.is_negative(a) != f.is_negative(b));
    match (f.unpack(a), f.unpack(b)) {
        (Finite(x), Finite(y)) => round(f, product(x, y), false, mode),
        (Nan, _) | (_, Nan) => propagated(f, &[b, a]),
        (Infinity { .. }, Zero { .. }) | (Zero { .. }, Infinity { .. }) => generated(f),
        (Infinity { .. }, _) | (_, Infinity { .. }) => Flagged::exact(sign | infinity(f)),
        (Zero { .. }, _) | (_, Zero { .. }) => Flagged::exact(sign),
    }
}

const fn infinity(f: &Format) -> u64 {
    match f.infinity() {
        Some(infinity) => infinity,
        None => f.canonical_nan(),
    }
}

/// acc + a * b with one rounding; acc - a * b when `negate`. Of several NaNs acc's comes out, then b's, then a's; an
/// infinity times a zero raises `invalid` beside a NaN too.
pub(super) fn fused(f: &'static Format, acc: u64, a: u64, b: u64, negate: bool, mode: Round) -> Flagged<u64> {
    use Unpacked::*;
    let [acc, a, b] = [acc, a, b].map(|x| masked(f, x));
    let (x, y, z) = (f.unpack(a), f.unpack(b), f.unpack(acc));
    let negative = (f.is_negative(a) != f.is_negative(b)) != negate;
    let no_product = matches!((x, y), (Infinity { .. }, Zero { .. }) | (Zero { .. }, Infinity { .. }));
    if [x, y, z].contains(&Nan) {
        let out = propagated(f, &[acc, b, a]);
        return Flagged { flags: Flags { invalid: out.flags.invalid || no_product, ..out.flags }, ..out };
    }
    let product = match (x, y) {
        _ if no_product => return generated(f),
        (Infinity { .. }, _) | (_, Infinity { .. }) => {
            let opposite = z == Infinity { negative: !negative };
            return if opposite { generated(f) } else { Flagged::exact(f.sign(negative) | infinity(f)) };
        }
        (Finite(x), Finite(y)) => crate::unpacked::Finite { negative, ..product(x, y) },
        // The product is a zero.
        _ => {
            return match z {
                Zero { negative: own } => zero(f, own, negative, mode),
                _ => Flagged::exact(acc),
            };
        }
    };
    match z {
        Finite(z) => match wide_sum(product, z) {
            Some((sum, sticky)) => round(f, sum, sticky, mode),
            None => zero(f, false, true, mode),
        },
        Infinity { .. } => Flagged::exact(acc),
        _ => round(f, product, false, mode),
    }
}

/// The sum of a product and a number, and whether there is more below it; `None` when they cancel.
fn wide_sum(a: Finite, b: Finite) -> Option<(Finite, bool)> {
    // Top bit to bit 63, so that the exponents order the magnitudes.
    let [a, b] = [a, b].map(|x| {
        let up = x.significand.leading_zeros();
        Finite { exponent: x.exponent - up as i32, significand: x.significand << up, ..x }
    });
    let (high, low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    const REACH: i32 = 62;
    let distance = high.exponent - low.exponent;
    let signed = |negative: bool, magnitude: u128| {
        if negative { -(magnitude as i128) } else { magnitude as i128 }
    };
    // 48 bits are the most that a product has, so beyond the reach the smaller number lies below all of the larger one's
    // bits, and one unit in place of it rounds the same way.
    let lower = if distance <= REACH { u128::from(low.significand) << (REACH - distance) } else { 1 };
    let sum = signed(high.negative, u128::from(high.significand) << REACH) + signed(low.negative, lower);
    if sum == 0 {
        return None;
    }
    let magnitude = sum.unsigned_abs();
    let down = 64u32.saturating_sub(magnitude.leading_zeros());
    let sticky = magnitude & ((1 << down) - 1) != 0;
    let exponent = high.exponent - REACH + down as i32;
    Some((Finite { negative: sum < 0, exponent, significand: (magnitude >> down) as u64 }, sticky))
}

/// The order of two numbers; `None` when one is a NaN. -0 equals +0.
pub(super) fn order(f: &'static Format, a: u64, b: u64) -> Option<Ordering> {
    let position = |x: u64| {
        let magnitude = (masked(f, x) & !f.sign(true)) as i64;
        if f.is_negative(x) { -magnitude } else { magnitude }
    };
    (!f.is_nan(a) && !f.is_nan(b)).then(|| position(a).cmp(&position(b)))
}

/// A compare: the truth of `holds` on the order, and `invalid` on a signalling NaN, on any NaN when `signaling`.
pub(super) fn compare(
    f: &'static Format,
    a: u64,
    b: u64,
    signaling: bool,
    holds: impl Fn(Option<Ordering>) -> bool,
) -> (bool, Flags) {
    let order = order(f, a, b);
    let invalid = (signaling && order.is_none()) || alarm(f, &[a, b]).invalid;
    (holds(order), Flags { invalid, ..Flags::NONE })
}

/// The plain extreme: a if it is ordered as wanted, else b. So a NaN in a gives b, a NaN in b gives that one, a tie gives b.
pub(super) fn extreme(f: &'static Format, a: u64, b: u64, wanted: Ordering) -> Flagged<u64> {
    let (a, b) = (masked(f, a), masked(f, b));
    let chosen = if order(f, a, b) == Some(wanted) { a } else { b };
    let chosen = if f.is_nan(chosen) { chosen | f.quiet_bit() } else { chosen };
    Flagged::new(chosen, alarm(f, &[a, b]))
}

/// The extreme that a number wins over a NaN, with -0 below +0; of two NaNs b comes out.
pub(super) fn number_extreme(f: &'static Format, a: u64, b: u64, wanted: Ordering) -> Flagged<u64> {
    let (a, b) = (masked(f, a), masked(f, b));
    let chosen = match order(f, a, b) {
        None if f.is_nan(b) && !f.is_nan(a) => a,
        None if f.is_nan(b) => b | f.quiet_bit(),
        None => b,
        // Equal numbers with different bits are the zeros.
        Some(Ordering::Equal) if wanted == Ordering::Greater => a & b,
        Some(Ordering::Equal) => a | b,
        Some(order) if order == wanted => a,
        Some(_) => b,
    };
    Flagged::new(chosen, alarm(f, &[a, b]))
}

/// Sum of the exponents less the bias, modulo their field; mantissa of a; signs multiplied.
pub(super) fn add_exponents(f: &'static Format, a: u64, b: u64) -> u64 {
    let field = |x: u64| x >> f.mantissa_bits & ((1 << f.exponent_bits) - 1);
    let exponent = (field(a) + field(b)).wrapping_sub(f.bias as u64) & ((1 << f.exponent_bits) - 1);
    let mantissa = a & ((1 << f.mantissa_bits) - 1);
    (a ^ b) & f.sign(true) | exponent << f.mantissa_bits | mantissa
}

/// The class mask: sign, zero, subnormal, normal, infinity, NaN, signalling NaN, finite, from bit 0.
pub(super) fn classify(f: &'static Format, a: u64) -> u64 {
    let a = masked(f, a);
    let class = match f.unpack(a) {
        Unpacked::Zero { .. } => 1 << 1 | 1 << 7,
        Unpacked::Finite(_) if f.is_subnormal(a) => 1 << 2 | 1 << 7,
        Unpacked::Finite(_) => 1 << 3 | 1 << 7,
        Unpacked::Infinity { .. } => 1 << 4,
        Unpacked::Nan => 1 << 5 | u64::from(f.is_signaling_nan(a)) << 6,
    };
    class | u64::from(f.is_negative(a))
}

/// How a float becomes an integral float.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Integral {
    /// By a round mode.
    By(Round),
    /// To nearest, half away from zero.
    HalfAway,
}

/// A float without fraction. Signs and infinities stay, a NaN is quieted.
pub(super) fn integral(f: &'static Format, a: u64, how: Integral) -> Flagged<u64> {
    let a = masked(f, a);
    let number = match f.unpack(a) {
        Unpacked::Nan => return propagated(f, &[a]),
        Unpacked::Finite(number) if number.exponent < 0 => number,
        _ => return Flagged::exact(a),
    };
    let shift = number.exponent.unsigned_abs();
    let (whole, inexact) = match how {
        Integral::By(mode) => round_off(number.significand, shift, false, number.negative, mode),
        Integral::HalfAway => {
            let (kept, inexact) = round_off(number.significand, shift, false, number.negative, Round::Zero);
            let half = shift <= 63 && number.significand >> (shift - 1) & 1 == 1;
            (kept + u64::from(half), inexact)
        }
    };
    let value = match whole {
        0 => f.sign(number.negative),
        // No more bits than the format has, so nothing is rounded.
        _ => round(f, Finite { exponent: 0, significand: whole, ..number }, false, Round::Zero).value,
    };
    Flagged::new(value, if inexact { Flags::INEXACT } else { Flags::NONE })
}
