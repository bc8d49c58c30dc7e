//! POW and RSQRT, correctly rounded. The device evaluates polynomials with constants that are not public; these are the
//! reference that its results can be compared with (docs/spec/numbers.md, POW and RSQRT).
//!
//! This is the one file that hands values to host floating point: the power that integers cannot express is asked of
//! `pxfm`, a correctly rounded library, and on which side of a float32 a close one lies of `astro-float-num`.

use crate::basis::Case;
use crate::flags::Flags;
use crate::format::FP32;
use crate::soft_float::{self as float, INFINITY, ONE, SIGN, pack, propagate_nan, unpack};
use crate::unpacked::{Finite, Unpacked};
use astro_float_num::{BigFloat, Consts, RoundingMode};
use std::cmp::Ordering;
use vq7_policy::{Knob, Round, Settled};

/// The first power of two above all of float32.
const TWO_TO_128: f64 = f64::from_bits(0x47F0_0000_0000_0000);

/// 1 / sqrt(x), in integers. The inverse root of a zero is an infinity of its sign and raises `div_zero`; of a negative
/// number, NaN and `invalid`; of +Inf, +0.
pub(crate) fn rsqrt(x: u32, case: &mut Case) -> u32 {
    match unpack(x, case) {
        Unpacked::Nan => propagate_nan(x, x, case),
        Unpacked::Zero { .. } => {
            case.raise(Flags::DIV_ZERO);
            x | INFINITY
        }
        Unpacked::Infinity { negative: false } => 0,
        Unpacked::Infinity { negative: true } | Unpacked::Finite(Finite { negative: true, .. }) => {
            float::generate_nan(case)
        }
        Unpacked::Finite(Finite { exponent, significand, .. }) => {
            // x = s * 2^(2h). With r = floor(sqrt(2^124 / s)), which has at least 49 bits, 1 / sqrt(x) = r * 2^(-62 - h),
            // exactly if r * r * s = 2^124.
            let (half, s) = (exponent.div_euclid(2), u128::from(significand) << exponent.rem_euclid(2));
            let root = ((1u128 << 124) / s).isqrt();
            let exact = root * root * s == 1 << 124;
            pack(Finite { negative: false, exponent: -62 - half, significand: root as u64 }, !exact, case)
        }
    }
}

/// x to the power y, with the special cases of IEEE 754 and C.
pub(crate) fn pow(x: u32, y: u32, case: &mut Case) -> u32 {
    // Anything to the power 0, and 1 to any power, is 1, a quiet NaN included; a signalling one comes out quiet.
    if float::is_signaling(x) || float::is_signaling(y) {
        return propagate_nan(x, y, case);
    }
    if y & !SIGN == 0 || x == ONE {
        return ONE;
    }
    let parity = Parity::of(y);
    let sign = if parity == Parity::Odd { x & SIGN } else { 0 };
    let grows = y & SIGN == 0;
    match (unpack(x, case), unpack(y, case)) {
        (Unpacked::Nan, _) | (_, Unpacked::Nan) => propagate_nan(x, y, case),
        (_, Unpacked::Infinity { .. }) => match float::order(x & !SIGN, ONE) {
            Some(Ordering::Equal) => ONE,
            Some(Ordering::Greater) if grows => INFINITY,
            Some(Ordering::Less) if !grows => INFINITY,
            _ => 0,
        },
        (Unpacked::Infinity { .. }, _) => sign | if grows { INFINITY } else { 0 },
        (Unpacked::Zero { .. }, _) if grows => sign,
        (Unpacked::Zero { .. }, _) => {
            case.raise(Flags::DIV_ZERO);
            sign | INFINITY
        }
        (Unpacked::Finite(base), _) if base.negative && parity == Parity::Fraction => float::generate_nan(case),
        (Unpacked::Finite(base), Unpacked::Finite(exponent)) => match exact_power(base, exponent) {
            Some((mut power, sticky)) => {
                power.negative = sign != 0;
                pack(power, sticky, case)
            }
            None => sign | inexact_power(x & !SIGN, y, sign != 0, case),
        },
        // A zero exponent has been answered above.
        (_, Unpacked::Zero { .. }) => ONE,
    }
}

/// What an exponent does to a negative base.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parity {
    Odd,
    Even,
    Fraction,
}

impl Parity {
    fn of(y: u32) -> Self {
        match FP32.unpack(y.into()) {
            Unpacked::Finite(y) => {
                let low_bit = y.exponent + y.significand.trailing_zeros() as i32;
                match low_bit.cmp(&0) {
                    Ordering::Less => Self::Fraction,
                    Ordering::Equal => Self::Odd,
                    Ordering::Greater => Self::Even,
                }
            }
            _ => Self::Even,
        }
    }
}

/// |x|^y where integers can express it: x is an odd number m times a power of two, y = n / 2^k; the 2^k-th root of m is
/// an integer r, and r^n fits 128 bits. Gives the power and whether low bits of it were cut off.
fn exact_power(x: Finite, y: Finite) -> Option<(Finite, bool)> {
    let odd = |number: Finite| {
        let zeros = number.significand.trailing_zeros();
        (number.significand >> zeros, number.exponent + zeros as i32)
    };
    let (mut root, mut root_exponent) = odd(x);
    let (n, n_exponent) = odd(y);
    let mut n = u128::from(n);
    if let Ok(up) = u32::try_from(n_exponent) {
        // y is below 2^128, so this fits.
        n = n.checked_shl(up)?;
    } else {
        for _ in 0..n_exponent.unsigned_abs() {
            let next = root.isqrt();
            if next * next != root || root_exponent % 2 != 0 {
                return None;
            }
            (root, root_exponent) = (next, root_exponent / 2);
            if (root, root_exponent) == (1, 0) {
                break;
            }
        }
    }
    if y.negative && root != 1 {
        return None;
    }
    let power = if root == 1 { 1 } else { u128::from(root).checked_pow(u32::try_from(n).ok()?)? };
    // Exponents beyond all of float32 may as well be clamped.
    let times = i128::try_from(n).unwrap_or(i128::MAX);
    let exponent = i128::from(root_exponent).saturating_mul(if y.negative { -times } else { times });
    let exponent = exponent.clamp(-4096, 4096) as i32;
    let cut = (128 - power.leading_zeros()).saturating_sub(64);
    let sticky = power & ((1 << cut) - 1) != 0;
    Some((Finite { negative: false, exponent: exponent + cut as i32, significand: (power >> cut) as u64 }, sticky))
}

/// Bits of a power that tell on which side of a float32 it lies. The closest powers are those next to 1: the smallest
/// exponent, 2^-149, of the base next to 1 leaves 2^-172.
const SIDE_BITS: usize = 256;

/// On which side of `nearest` the power lies; it is not exact, so it lies on one.
fn side_of(x: u32, y: u32, nearest: f32) -> Ordering {
    let wide = |value: f32| BigFloat::from_f64(value.into(), SIDE_BITS);
    let Ok(mut constants) = Consts::new() else { return Ordering::Equal };
    let (base, exponent) = (wide(f32::from_bits(x)), wide(f32::from_bits(y)));
    let power = base.pow(&exponent, SIDE_BITS, RoundingMode::None, &mut constants);
    power.cmp(&wide(nearest)).map_or(Ordering::Equal, |difference| difference.cmp(&0))
}

/// A power of a positive number that is not exact. `negative`: the result will get a minus sign, which matters to the
/// modes that round up and down.
fn inexact_power(x: u32, y: u32, negative: bool, case: &mut Case) -> u32 {
    let nearest = pxfm::f_powf(f32::from_bits(x), f32::from_bits(y));
    // The same power in float64, to see on which side of `nearest` the exact one lies.
    let fine = pxfm::f_pow(f32::from_bits(x).into(), f32::from_bits(y).into());
    let side = match (nearest.to_bits(), fine.total_cmp(&nearest.into())) {
        // Float64 has run out of range as well, but a power is neither zero nor infinite.
        (0, _) => Ordering::Greater,
        (INFINITY, _) => Ordering::Less,
        // Within a float64's last bit of a float32: only the directed modes ask on which side.
        (_, Ordering::Equal) if case.policy.round != Round::NearestEven => side_of(x, y, nearest),
        (_, side) => side,
    };
    let nearest = nearest.to_bits();
    let away_from_zero = match case.policy.round {
        Round::NearestEven => None,
        Round::Zero => Some(false),
        Round::Up => Some(!negative),
        Round::Down => Some(negative),
    };
    // Patterns of positive numbers count up from 0 through the largest finite one to infinity.
    let rounded = match (away_from_zero, side) {
        (Some(true), Ordering::Greater) => nearest.saturating_add(1).min(INFINITY),
        (Some(false), Ordering::Less) => nearest.saturating_sub(1),
        (Some(false), _) => nearest.min(INFINITY - 1),
        _ => nearest,
    };
    case.ask(Knob::round);
    let overflow = rounded == INFINITY || fine >= TWO_TO_128;
    let underflow = FP32.is_subnormal(rounded.into()) || rounded == 0;
    if underflow {
        case.rest_on(Settled::Subnormals);
    }
    case.raise(Flags { inexact: true, overflow, underflow, ..Flags::NONE });
    rounded
}
