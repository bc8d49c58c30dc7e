//! Conversions between float32 and the narrower formats and the integers, against rustc_apfloat.

mod common;

use common::{FP32, Judged, MODES, Random, check_flags, f32_of, fp32r, judge_mode, narrow_formats, same};
use rustc_apfloat::ieee::Single;
use rustc_apfloat::{Float, Round as ApRound};
use vq7_isa::Dtype;
use vq7_num::{Flags, Format, from_hub, to_hub};
use vq7_policy::{FloatToInt, Fp32r, NanToInt, Policy, Round};

const SEED: u64 = 0x5EED_0002;

#[test]
fn every_narrow_pattern_to_float32() {
    for judged in narrow_formats() {
        let format = Format::of(judged.dtype, &judged.policy).unwrap();
        for bits in 0..1u64 << format.bits() {
            let (ours, expected) = (to_hub(bits, judged.dtype, &judged.policy), (judged.widen)(bits));
            assert!(
                same(ours.value.into(), expected.into(), FP32),
                "{} {bits:#x}: {ours:x?} {expected:#x}",
                judged.name
            );
            if format.is_nan(bits) {
                // Sign and payload move up. All but bfloat16, which only shifts, quiet a signalling NaN.
                let quiet = if judged.dtype == Dtype::Bfloat16 { 0 } else { 0x0040_0000 };
                let sign = if format.is_negative(bits) { 1 << 31 } else { 0 };
                let payload = (bits as u32) << (23 - format.mantissa_bits) & 0x007F_FFFF;
                assert_eq!(ours.value, sign | 0x7F80_0000 | payload | quiet, "{} {bits:#x}", judged.name);
                let alarm = format.is_signaling_nan(bits) && judged.dtype != Dtype::Bfloat16;
                assert_eq!(ours.flags.invalid, alarm, "{} {bits:#x}", judged.name);
            } else {
                assert!(ours.flags.is_empty());
            }
        }
    }
}

/// One float32 into one format in one mode.
fn check_narrow(judged: &Judged, format: &Format, hub: u32, mode: Round) {
    let policy = Policy { round: mode, ..judged.policy };
    let ours = from_hub(hub, judged.dtype, &policy);
    let expected = (judged.narrow)(hub, mode);
    let what = || format!("{} from_hub({hub:#010x}) {mode:?}: {ours:x?}, judge {expected:x?}", judged.name);
    assert!(same(ours.value, expected.value, format), "{}", what());
    if f32_of(hub).is_finite() {
        check_flags(ours.flags, expected.status, ours.value, format, what);
    }
}

/// For each value of a format: itself, the midpoint to the next one, and the float32 next to each of these.
#[test]
fn float32_near_every_value_and_every_tie_of_the_narrow_formats() {
    for judged in narrow_formats() {
        let format = Format::of(judged.dtype, &judged.policy).unwrap();
        // One step above the largest finite value the tie is the threshold to infinity.
        for magnitude in 0..=format.max_finite() {
            let value = (judged.widen)(magnitude);
            // The mean of two neighbours is the mean of their patterns, carried across binades by doubling.
            let next = match magnitude == format.max_finite() {
                true => value + (value - (judged.widen)(magnitude - 1)),
                false => (judged.widen)(magnitude + 1),
            };
            let tie = midpoint(value, next);
            for sign in [0, 1 << 31] {
                for hub in [value, value + 1, value.saturating_sub(1), tie - 1, tie, tie + 1] {
                    for mode in MODES {
                        check_narrow(&judged, format, sign | hub, mode);
                    }
                }
            }
        }
    }
}

/// The exact mean of two positive float32 that are near each other.
fn midpoint(a: u32, b: u32) -> u32 {
    let sum = f32_of(a).mul_r(f32_of(0x3F00_0000), ApRound::TowardZero).value;
    let other = f32_of(b).mul_r(f32_of(0x3F00_0000), ApRound::TowardZero).value;
    sum.add_r(other, ApRound::TowardZero).value.to_bits() as u32
}

#[test]
fn random_float32_to_every_narrow_format() {
    let mut random = Random(SEED);
    for judged in narrow_formats() {
        let format = Format::of(judged.dtype, &judged.policy).unwrap();
        for _ in 0..200_000 {
            let hub = random.float();
            for mode in MODES {
                check_narrow(&judged, format, hub, mode);
            }
        }
    }
}

#[test]
fn a_narrowed_nan_keeps_its_sign_and_the_payload_that_fits() {
    let policy = Policy::default();
    for (dtype, nan, expected) in [
        (Dtype::Fp16, 0x7FC0_0000, 0x7E00),
        (Dtype::Fp16, 0xFFFF_FFFF, 0xFFFF),
        (Dtype::Fp16, 0x7FC0_2000, 0x7E01),
        (Dtype::Bfloat16, 0x7F80_0001, 0x7FC0),
        (Dtype::Bfloat16, 0xFFA5_5555, 0xFFE5),
        (Dtype::Fp8Exp4, 0x7FC0_0000, 0x7C),
        (Dtype::Fp8Exp5, 0xFFC0_0000, 0xFE),
        (Dtype::Fp8Exp3, 0x7FC0_0000, 0x78),
        (Dtype::Fp32, 0x7F80_0001, 0x7F80_0001),
    ] {
        assert_eq!(from_hub(nan, dtype, &policy).value, expected, "{dtype} {nan:#x}");
    }
    assert!(from_hub(0x7F80_0001, Dtype::Bfloat16, &policy).flags.invalid);
    assert!(!from_hub(0x7FC0_0001, Dtype::Bfloat16, &policy).flags.invalid);
}

#[test]
fn fp32r_keeps_13_mantissa_bits() {
    let mut random = Random(SEED + 1);
    for (rule, mode) in [(Fp32r::Rne13, Round::NearestEven), (Fp32r::Trunc13, Round::Zero)] {
        let judged = fp32r(rule);
        let format = Format::of(Dtype::Fp32r, &judged.policy).unwrap();
        for index in 0..400_000u32 {
            // Also ties, and neighbours of ties.
            let hub = match index % 4 {
                0 => random.float() & !0x3FF | 0x200,
                1 => (random.float() & !0x3FF | 0x200).wrapping_add(1),
                _ => random.float(),
            };
            let ours = from_hub(hub, Dtype::Fp32r, &judged.policy);
            let expected = (judged.narrow)(hub, mode);
            let what = || format!("{rule:?} from_hub({hub:#010x}): {ours:x?}, judge {expected:x?}");
            assert!(same(ours.value, expected.value, format), "{}", what());
            if f32_of(hub).is_finite() {
                check_flags(ours.flags, expected.status, ours.value, format, what);
            }
        }
        // The largest float32 carries into infinity; the `round` knob has no part in it.
        let policy = Policy { round: Round::Down, ..judged.policy };
        let largest = if rule == Fp32r::Rne13 { 0x7F80_0000 } else { 0x7F7F_FC00 };
        assert_eq!(from_hub(0x7F7F_FFFF, Dtype::Fp32r, &policy).value, largest);
        assert_eq!(from_hub(0x7F80_0001, Dtype::Fp32r, &policy).value, 0x7FC0_0000, "a NaN stays one");
    }
    let pass = Policy { fp32r: Fp32r::Passthrough, ..Policy::default() };
    assert_eq!(from_hub(0x7F7F_FFFF, Dtype::Fp32r, &pass).value, 0x7F7F_FFFF);
}

const INTS: [Dtype; 8] =
    [Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16, Dtype::Int32, Dtype::Uint32, Dtype::Int64, Dtype::Uint64];

fn number(bits: u64, dtype: Dtype) -> i128 {
    let shift = 128 - dtype.bits();
    let top = i128::from(bits) << shift;
    if dtype.is_signed_int() { top >> shift } else { i128::from(bits) }
}

#[test]
fn integers_to_float32() {
    let mut random = Random(SEED + 2);
    for dtype in INTS {
        let all = dtype.bits() <= 16;
        let count = if all { 1u64 << dtype.bits() } else { 300_000 };
        for index in 0..count {
            let bits = if all { index } else { random.integer(dtype.bits()) };
            for mode in MODES {
                let ours = to_hub(bits, dtype, &Policy { round: mode, ..Policy::default() });
                let expected = Single::from_i128_r(number(bits, dtype), judge_mode(mode));
                let what = || format!("{dtype} to_hub({bits:#x}) {mode:?}: {ours:x?}, judge {expected:?}");
                assert_eq!(u128::from(ours.value), expected.value.to_bits(), "{}", what());
                check_flags(ours.flags, expected.status, ours.value.into(), FP32, what);
                assert!(!all || ours.flags.is_empty());
            }
        }
    }
}

/// What the target may hold.
fn range(dtype: Dtype) -> (i128, i128) {
    let width = dtype.bits();
    if dtype.is_signed_int() { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

#[test]
fn float32_to_integers_rounds_to_nearest_even_or_truncates_and_clamps() {
    let mut random = Random(SEED + 3);
    let mut hubs = common::weighted_floats();
    // Halves and thirds around every power of two, and the edges of every width.
    for exponent in 120..192u32 {
        for low in [0, 1, 0x40_0000, 0x20_0000, 0x60_0000, 0x7F_FFFF] {
            hubs.extend([0, 1 << 31].map(|sign| sign | exponent << 23 | low));
        }
    }
    hubs.extend((0..=1200).flat_map(|quarter: u32| {
        let value = (f32_of(0x3E80_0000) * Single::from_u128(quarter.into()).value).value.to_bits() as u32;
        [value, value | 1 << 31]
    }));
    hubs.extend((0..300_000).map(|_| random.float()));
    for dtype in INTS {
        let (min, max) = range(dtype);
        for &hub in &hubs {
            for (rule, mode) in [
                (FloatToInt::NearestSaturate, ApRound::NearestTiesToEven),
                (FloatToInt::TruncSaturate, ApRound::TowardZero),
            ] {
                // The `round` knob must not matter.
                let policy = Policy { float_to_int: rule, round: Round::Up, ..Policy::default() };
                let ours = from_hub(hub, dtype, &policy);
                let x = f32_of(hub);
                let mut exact = true;
                let (expected, flags) = if x.is_nan() {
                    (max, Flags::INVALID)
                } else {
                    // 127 bits hold what any of the targets could want; beyond, the judge saturates as well.
                    let whole = x.to_i128_r(127, mode, &mut exact).value;
                    let fits = (min..=max).contains(&whole) && x.is_finite();
                    let inexact = x.is_finite() && x.round_to_integral(ApRound::TowardZero).value != x;
                    let flags = match (fits, inexact) {
                        (false, _) => Flags::INVALID,
                        (true, true) => Flags::INEXACT,
                        (true, false) => Flags::NONE,
                    };
                    (whole.clamp(min, max), flags)
                };
                let what = format!("{dtype} from_hub({hub:#010x}) {rule:?}");
                assert_eq!(number(ours.value, dtype), expected, "{what}");
                assert_eq!(ours.flags, flags, "{what}");
            }
        }
    }
}

#[test]
fn nan_to_integer_follows_the_knob() {
    for dtype in INTS {
        let (min, max) = range(dtype);
        for (rule, expected) in [(NanToInt::Max, max), (NanToInt::Zero, 0), (NanToInt::Min, min)] {
            for nan in [0x7FC0_0000, 0xFFC0_0000, 0x7F80_0001] {
                let ours = from_hub(nan, dtype, &Policy { nan_to_int: rule, ..Policy::default() });
                assert_eq!((number(ours.value, dtype), ours.flags), (expected, Flags::INVALID), "{dtype} {rule:?}");
            }
        }
    }
}

/// What the TRUNC and UTRUNC instructions were seen to give.
#[test]
fn raw_float_to_int_is_what_the_instructions_give() {
    let policy = Policy { float_to_int: FloatToInt::Raw, nan_to_int: NanToInt::Zero, ..Policy::default() };
    for (x, dtype, expected) in [
        (-2.9f32, Dtype::Uint32, 0xFFFF_FFFE),
        (f32::NEG_INFINITY, Dtype::Uint32, 0x8000_0000),
        (-1e20, Dtype::Uint32, 0x8000_0000),
        (-0.9, Dtype::Uint32, 0),
        (f32::INFINITY, Dtype::Uint32, 0xFFFF_FFFF),
        (f32::NAN, Dtype::Uint32, 0xFFFF_FFFF),
        (f32::NAN, Dtype::Int32, 0x7FFF_FFFF),
        (2.9, Dtype::Int32, 2),
        (-2.9, Dtype::Int32, 0xFFFF_FFFE),
        (f32::NEG_INFINITY, Dtype::Int32, 0x8000_0000),
        (f32::INFINITY, Dtype::Int32, 0x7FFF_FFFF),
        (3e9, Dtype::Uint32, 3_000_000_000),
        // Narrower targets clamp the 32-bit pattern: as a signed or as an unsigned number.
        (-2.9, Dtype::Uint8, 0xFF),
        (-2.9, Dtype::Int8, 0xFE),
        (-300.0, Dtype::Int8, 0x80),
        (300.5, Dtype::Uint8, 0xFF),
        (f32::NAN, Dtype::Uint16, 0xFFFF),
        (f32::NAN, Dtype::Int16, 0x7FFF),
        (f32::NEG_INFINITY, Dtype::Int16, 0x8000),
        (f32::NEG_INFINITY, Dtype::Uint16, 0xFFFF),
    ] {
        assert_eq!(from_hub(x.to_bits(), dtype, &policy).value, expected, "{x} to {dtype}");
    }
}
