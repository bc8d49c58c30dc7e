//! Conversions between dtypes, all through float32: to the hub exactly where it can be, from the hub with one rounding.
//!
//! The rules are docs/spec/numbers.md: sources to float32, float32 to float outputs, float32 to integer outputs.

use crate::basis::Case;
use crate::flags::{Flagged, Flags};
use crate::format::{E3M4, E4M3, E4M3_FN, FP32, FP32R, Format, Specials};
use crate::soft_float::{self, SIGN};
use crate::unpacked::{Finite, Overflow, Unpacked, round_off, round_pack};
use vq7_isa::Dtype;
use vq7_policy::{FloatToInt, Fp8Overflow, Fp32r, Knob, NanToInt, Policy, Round, Settled};

/// An element of any dtype, in the low bits of `bits`, to float32 bits.
///
/// Floats are exact, NaNs keep sign and payload. Integers of more than 24 significant bits are rounded once, by the
/// `round` knob; 64-bit ones as well (no kernel does that, but displays and comparisons want it). A dtype that no
/// tensor-tensor operand holds gives 0.
pub fn to_hub(bits: u64, dtype: Dtype, policy: &Policy) -> Flagged<u32> {
    let mut case = Case::new(policy);
    let hub = load(bits & mask(dtype.bits()), dtype, &mut case);
    Flagged::new(hub, case.flags)
}

/// Float32 bits to an element of any dtype, in the low bits of the result, in one rounding.
///
/// 64-bit integers follow the rule of the narrower ones. A dtype that no tensor-tensor operand holds gives 0.
pub fn from_hub(hub: u32, dtype: Dtype, policy: &Policy) -> Flagged<u64> {
    let mut case = Case::new(policy);
    let bits = store(hub, dtype, &mut case);
    Flagged::new(bits, case.flags)
}

/// The low `width` bits set. Width 64 and above: all.
pub(crate) const fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The number that `bits` means as an integer of `width` bits; `bits` must be masked to the width.
pub(crate) const fn int_value(bits: u64, signed: bool, width: u32) -> i128 {
    let negative = signed && bits >> (width - 1) & 1 == 1;
    bits as i128 - if negative { 1 << width } else { 0 }
}

/// [`to_hub`] inside an evaluation.
pub(crate) fn load(bits: u64, dtype: Dtype, case: &mut Case) -> u32 {
    match dtype {
        // FP32R holds what float32 holds; only writing it rounds.
        Dtype::Fp32 | Dtype::Fp32r => bits as u32,
        // A shift, and so the only conversion that leaves a signalling NaN as it is.
        Dtype::Bfloat16 => (bits as u32) << 16,
        _ => match Format::of(dtype, case.policy) {
            Some(format) => load_float(bits, format, case),
            None if dtype.is_int() => load_int(int_value(bits, dtype.is_signed_int(), dtype.bits()), case),
            None => 0,
        },
    }
}

fn load_int(value: i128, case: &mut Case) -> u32 {
    let significand = value.unsigned_abs() as u64;
    if significand == 0 {
        return 0;
    }
    soft_float::pack(Finite { negative: value < 0, exponent: 0, significand }, false, case)
}

fn load_float(bits: u64, format: &'static Format, case: &mut Case) -> u32 {
    if format.is_subnormal(bits) {
        case.rest_on(Settled::Subnormals);
    }
    if format.has_top_exponent(bits) {
        note_flavour(format, case);
    }
    let sign = if format.is_negative(bits) { SIGN } else { 0 };
    match format.unpack(bits) {
        Unpacked::Nan => {
            // The mantissa moves up to the top of float32's: payload and quiet bit keep their places.
            let mantissa = (bits & mask(format.mantissa_bits)) << (FP32.mantissa_bits - format.mantissa_bits);
            soft_float::quiet(sign | soft_float::INFINITY | mantissa as u32, case)
        }
        Unpacked::Infinity { .. } => sign | soft_float::INFINITY,
        Unpacked::Zero { .. } => sign,
        Unpacked::Finite(number) => sign | widen(number),
    }
}

/// The magnitude of a number of a narrow format as float32. Every one is a normal float32, so nothing is rounded.
const fn widen(number: Finite) -> u32 {
    let top = number.significand.ilog2();
    let (field, fraction_bits) = (number.exponent + top as i32 + FP32.bias, FP32.mantissa_bits);
    // The hidden bit adds one to the exponent field.
    ((field as u32 - 1) << fraction_bits) + ((number.significand as u32) << (fraction_bits - top))
}

/// Notes that a value lies where the flavours of an 8-bit format differ.
fn note_flavour(format: &'static Format, case: &mut Case) {
    if *format == E4M3 || *format == E4M3_FN {
        case.ask(Knob::e4m3);
    } else if *format == E3M4 {
        case.rest_on(Settled::E3m4Specials);
    }
}

/// [`from_hub`] inside an evaluation.
pub(crate) fn store(hub: u32, dtype: Dtype, case: &mut Case) -> u64 {
    match (dtype, Format::of(dtype, case.policy)) {
        (Dtype::Fp32, _) => hub.into(),
        (Dtype::Fp32r, Some(format)) => store_fp32r(hub, format, case),
        (_, Some(format)) => store_float(hub, format, case),
        (_, None) if dtype.is_int() => store_int(hub, dtype, case),
        (_, None) => 0,
    }
}

/// FP32R rounds by its own knob, never by `round`.
fn store_fp32r(hub: u32, format: &'static Format, case: &mut Case) -> u64 {
    if u64::from(hub) & mask(FP32R.pad_bits) != 0 || soft_float::is_nan(hub) {
        case.ask(Knob::fp32r);
    }
    let mode = match case.policy.fp32r {
        Fp32r::Rne13 => Round::NearestEven,
        Fp32r::Trunc13 => Round::Zero,
        Fp32r::Passthrough => return hub.into(),
    };
    narrow(hub, format, mode, Overflow::Ieee, case)
}

fn store_float(hub: u32, format: &'static Format, case: &mut Case) -> u64 {
    let overflow = match case.policy.fp8_overflow {
        Fp8Overflow::Saturate if format.bits() == 8 => Overflow::Saturate,
        Fp8Overflow::Saturate | Fp8Overflow::Inf => Overflow::Ieee,
    };
    let earlier = std::mem::take(&mut case.flags);
    let bits = narrow(hub, format, case.policy.round, overflow, case);
    let infinite = soft_float::is_infinite(hub);
    if case.flags.inexact && !infinite {
        case.ask(Knob::round);
    }
    if format.bits() == 8 && (case.flags.overflow || infinite) {
        case.ask(Knob::fp8_overflow);
    }
    if case.flags.overflow || format.has_top_exponent(bits) {
        note_flavour(format, case);
    }
    case.raise(earlier);
    bits
}

/// Float32 to a narrower format.
fn narrow(hub: u32, format: &'static Format, mode: Round, overflow: Overflow, case: &mut Case) -> u64 {
    let sign = format.sign(hub & SIGN != 0);
    match soft_float::unpack(hub, case) {
        Unpacked::Nan => narrow_nan(hub, format, case),
        Unpacked::Infinity { .. } => match (overflow, format.infinity()) {
            (Overflow::Ieee, Some(infinity)) => sign | infinity,
            // An infinity that the format or the policy does not keep counts as an overflow.
            (Overflow::Ieee, None) => {
                case.raise(Flags::OVERFLOW);
                sign | format.canonical_nan()
            }
            (Overflow::Saturate, _) => {
                case.raise(Flags::OVERFLOW);
                sign | format.max_finite()
            }
        },
        Unpacked::Zero { .. } => sign,
        Unpacked::Finite(number) => {
            let packed = round_pack(number, false, format, mode, overflow);
            let bits = packed.take_into(&mut case.flags);
            if format.is_subnormal(bits) || bits == sign {
                case.rest_on(Settled::Subnormals);
            }
            bits
        }
    }
}

/// Sign kept, quiet bit set, the payload bits that fit kept. A NaN must never turn into an infinity.
fn narrow_nan(hub: u32, format: &'static Format, case: &mut Case) -> u64 {
    case.rest_on(Settled::NanNarrowing);
    let quiet = u64::from(soft_float::quiet(hub, case));
    let payload = match format.specials {
        Specials::IeeeLike => {
            let kept = (quiet & mask(FP32.mantissa_bits)) >> (FP32.mantissa_bits - format.mantissa_bits);
            kept << format.pad_bits
        }
        Specials::Fn => 0,
    };
    format.sign(hub & SIGN != 0) | format.canonical_nan() | payload
}

/// Float32 to an integer of any width: once to an integer, then into the range.
fn store_int(hub: u32, dtype: Dtype, case: &mut Case) -> u64 {
    let width = dtype.bits();
    let signed = dtype.is_signed_int();
    let max = if signed { mask(width - 1) } else { mask(width) };
    let min: u64 = if signed { 1 << (width - 1) } else { 0 };
    let raw = case.policy.float_to_int == FloatToInt::Raw && width <= 32;
    let number = match soft_float::unpack(hub, case) {
        Unpacked::Nan => {
            case.raise(Flags::INVALID);
            // The instructions have a rule of their own, so `raw` does not ask what a NaN becomes.
            if raw || case.policy.nan_to_int != NanToInt::Max {
                case.ask(Knob::float_to_int);
            }
            if raw {
                return max;
            }
            case.ask(Knob::nan_to_int);
            return match case.policy.nan_to_int {
                NanToInt::Max => max,
                NanToInt::Zero => 0,
                NanToInt::Min => min,
            };
        }
        Unpacked::Infinity { negative } => Integral { negative, magnitude: u128::MAX, inexact: false },
        Unpacked::Zero { .. } => return 0,
        Unpacked::Finite(number) => integral(number, case.policy.float_to_int),
    };
    let Integral { negative, magnitude, inexact } = number;
    // The largest magnitude on the number's side of zero that the target holds.
    let limit = if negative { min } else { max };
    let out_of_range = magnitude > u128::from(limit);
    if inexact || out_of_range {
        case.ask(Knob::float_to_int);
    }
    if out_of_range {
        case.raise(Flags::INVALID);
    } else if inexact {
        case.raise(Flags::INEXACT);
    }
    if raw && !signed && negative {
        return raw_negative_to_unsigned(magnitude, width);
    }
    let clamped = magnitude.min(u128::from(limit)) as u64;
    (if negative { clamped.wrapping_neg() } else { clamped }) & mask(width)
}

/// A number without its fraction.
struct Integral {
    negative: bool,
    magnitude: u128,
    inexact: bool,
}

/// Rounds to an integer: to nearest even or toward zero, as the knob says; the `round` knob has no part in it.
fn integral(number: Finite, rule: FloatToInt) -> Integral {
    let Finite { negative, exponent, significand } = number;
    let mode = match rule {
        FloatToInt::NearestSaturate => Round::NearestEven,
        FloatToInt::TruncSaturate | FloatToInt::Raw => Round::Zero,
    };
    let (magnitude, inexact) = match u32::try_from(exponent) {
        // 24 bits up by at most 104 places: fits 128 bits.
        Ok(up) => (u128::from(significand) << up, false),
        Err(_) => {
            let (kept, inexact) = round_off(significand, exponent.unsigned_abs(), false, negative, mode);
            (u128::from(kept), inexact)
        }
    };
    Integral { negative, magnitude, inexact }
}

/// What UTRUNC does with a negative number: it goes the signed way, and the pattern is then read as unsigned. Measured:
/// -2.9 gives 0xFFFFFFFE, -Inf gives 0x80000000. Narrower targets clamp that pattern.
fn raw_negative_to_unsigned(magnitude: u128, width: u32) -> u64 {
    let pattern = (magnitude.min(1 << 31) as u64).wrapping_neg() & mask(32);
    pattern.min(mask(width))
}
