//! Conversions between float32 and the narrower formats and the integers, against rustc_apfloat.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::{MODES, Random, agree};
use vq7_isa::Dtype;
use vq7_num::{Flags, Format, from_hub, to_hub};
use vq7_oracle::apfloat::{from_float32, integer_to_float32};
use vq7_oracle::formats::FloatFormat;
use vq7_oracle::integers::{number, range};
use vq7_policy::{E4m3, FloatToInt, Fp32r, NanToInt, Policy, Round};

const SEED: u64 = 0x5EED_0002;

/// Every narrow float dtype, e4m3 in both flavours.
fn narrow_formats() -> Vec<(Dtype, Policy)> {
    let policy = Policy::default();
    let narrow = Dtype::tensor_tensor().filter(|dtype| dtype.is_float() && dtype.bits() < 32);
    let mut all: Vec<_> = narrow.map(|dtype| (dtype, policy)).collect();
    all.push((Dtype::Fp8Exp4, Policy { e4m3: E4m3::Fn, ..policy }));
    all
}

#[test]
fn every_narrow_pattern_to_float32() {
    for (dtype, policy) in narrow_formats() {
        let format = Format::of(dtype, &policy).unwrap();
        let judge = FloatFormat::of(dtype, &policy).unwrap();
        for bits in 0..1u64 << format.bits() {
            let ours = to_hub(bits, dtype, &policy);
            assert_eq!(format.is_nan(bits), judge.is_nan(bits), "{dtype} {bits:#x}");
            if format.is_nan(bits) {
                // Sign and payload move up. All but bfloat16, which only shifts, quiet a signalling NaN.
                let quiet = if dtype == Dtype::Bfloat16 { 0 } else { 0x0040_0000 };
                let sign = if format.is_negative(bits) { 1 << 31 } else { 0 };
                let payload = (bits as u32) << (23 - format.mantissa_bits) & 0x007F_FFFF;
                assert_eq!(ours.value, sign | 0x7F80_0000 | payload | quiet, "{dtype} {bits:#x}");
                let alarm = format.is_signaling_nan(bits) && dtype != Dtype::Bfloat16;
                assert_eq!(ours.flags.invalid, alarm, "{dtype} {bits:#x}");
            } else {
                assert_eq!((ours.value, ours.flags), (judge.to_float32(bits), Flags::NONE), "{dtype} {bits:#x}");
            }
        }
    }
}

/// One float32 into one dtype.
fn check_from_hub(hub: u32, dtype: Dtype, policy: &Policy) {
    let mut expected = from_float32(hub, dtype, policy).unwrap();
    if vq7_oracle::formats::is_nan(hub) && dtype.is_float() {
        expected.open = expected.open.with(vq7_oracle::Mask::NanFlags);
    }
    agree(from_hub(hub, dtype, policy), &expected, || format!("{dtype} from_hub({hub:#010x}) {policy:?}"));
}

/// For each value of a format: itself, the midpoint to the next one, and the float32 next to each of these.
#[test]
fn float32_near_every_value_and_every_tie_of_the_narrow_formats() {
    for (dtype, policy) in narrow_formats() {
        let format = FloatFormat::of(dtype, &policy).unwrap();
        // One step above the largest finite value the tie is the threshold to infinity.
        for magnitude in 0..=format.max_finite() {
            let value = format.to_float32(magnitude);
            // The mean of two neighbours is the mean of their patterns, carried across binades by doubling.
            let next = match magnitude == format.max_finite() {
                true => value + (value - format.to_float32(magnitude - 1)),
                false => format.to_float32(magnitude + 1),
            };
            let tie = midpoint(value, next);
            for sign in [0, 1 << 31] {
                for hub in [value, value + 1, value.saturating_sub(1), tie - 1, tie, tie + 1] {
                    for round in MODES {
                        check_from_hub(sign | hub, dtype, &Policy { round, ..policy });
                    }
                }
            }
        }
    }
}

/// The exact mean of two positive float32 that are near each other.
fn midpoint(a: u32, b: u32) -> u32 {
    let [a, b] = [a, b].map(|bits| f64::from(f32::from_bits(bits)));
    (((a + b) / 2.0) as f32).to_bits()
}

/// Results that the fixed points of the formats make easy to check by eye.
#[test]
fn thresholds_to_infinity() {
    for (dtype, largest, below, at) in [
        (Dtype::Fp8Exp4, 0x77, 247.99998_f32, 248.0_f32),
        (Dtype::Fp8Exp5, 0x7B, 61439.996, 61440.0),
        (Dtype::Fp8Exp3, 0x6F, 15.749999, 15.75),
        (Dtype::Fp16, 0x7BFF, 65519.996, 65520.0),
    ] {
        let policy = Policy::default();
        assert_eq!(from_hub(below.to_bits(), dtype, &policy).value, largest, "{dtype}");
        assert_eq!(from_hub(at.to_bits(), dtype, &policy).value, largest + 1, "{dtype}");
    }
}

#[test]
fn random_float32_to_every_narrow_format() {
    let mut random = Random(SEED);
    for (dtype, policy) in narrow_formats() {
        for _ in 0..200_000 {
            let hub = random.float();
            for round in MODES {
                check_from_hub(hub, dtype, &Policy { round, ..policy });
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
    for rule in [Fp32r::Rne13, Fp32r::Trunc13] {
        let policy = Policy { fp32r: rule, ..Policy::default() };
        for index in 0..400_000u32 {
            // Also ties, and neighbours of ties.
            let hub = match index % 4 {
                0 => random.float() & !0x3FF | 0x200,
                1 => (random.float() & !0x3FF | 0x200).wrapping_add(1),
                _ => random.float(),
            };
            check_from_hub(hub, Dtype::Fp32r, &policy);
        }
        // The largest float32 carries into infinity; the `round` knob has no part in it.
        let policy = Policy { round: Round::Down, ..policy };
        let largest = if rule == Fp32r::Rne13 { 0x7F80_0000 } else { 0x7F7F_FC00 };
        assert_eq!(from_hub(0x7F7F_FFFF, Dtype::Fp32r, &policy).value, largest);
        assert_eq!(from_hub(0x7F80_0001, Dtype::Fp32r, &policy).value, 0x7FC0_0000, "a NaN stays one");
    }
    let pass = Policy { fp32r: Fp32r::Passthrough, ..Policy::default() };
    assert_eq!(from_hub(0x7F7F_FFFF, Dtype::Fp32r, &pass).value, 0x7F7F_FFFF);
}

const INTS: [Dtype; 8] =
    [Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16, Dtype::Int32, Dtype::Uint32, Dtype::Int64, Dtype::Uint64];

#[test]
fn integers_to_float32() {
    let mut random = Random(SEED + 2);
    for dtype in INTS {
        let all = dtype.bits() <= 16;
        let count = if all { 1u64 << dtype.bits() } else { 300_000 };
        for index in 0..count {
            let bits = if all { index } else { random.integer(dtype.bits()) };
            for round in MODES {
                let policy = Policy { round, ..Policy::default() };
                let ours = to_hub(bits, dtype, &policy);
                let what = || format!("{dtype} to_hub({bits:#x}) {round:?}");
                agree(ours.map(u64::from), &integer_to_float32(bits, dtype, &policy), what);
                assert!(!all || ours.flags.is_empty());
            }
        }
    }
}

#[test]
fn float32_to_integers_rounds_to_nearest_even_or_truncates_and_clamps() {
    let mut random = Random(SEED + 3);
    let weighted = vq7_oracle::weighted::values(Dtype::Fp32, vq7_oracle::Level::One);
    let mut hubs: Vec<_> = weighted.map(|bits| bits as u32).collect();
    // Halves and thirds around every power of two, and the edges of every width.
    for exponent in 120..192u32 {
        for low in [0, 1, 0x40_0000, 0x20_0000, 0x60_0000, 0x7F_FFFF] {
            hubs.extend([0, 1 << 31].map(|sign| sign | exponent << 23 | low));
        }
    }
    hubs.extend((0..=1200).flat_map(|quarter: u32| {
        let value = (0.25 * quarter as f32).to_bits();
        [value, value | 1 << 31]
    }));
    hubs.extend((0..300_000).map(|_| random.float()));
    for dtype in INTS {
        for &hub in &hubs {
            for rule in [FloatToInt::NearestSaturate, FloatToInt::TruncSaturate] {
                // The `round` knob must not matter.
                check_from_hub(hub, dtype, &Policy { float_to_int: rule, round: Round::Up, ..Policy::default() });
            }
        }
    }
}

#[test]
fn nan_to_integer_follows_the_knob() {
    for dtype in INTS {
        let (min, max) = range(dtype.bits(), dtype.is_signed_int());
        for (rule, expected) in [(NanToInt::Max, max), (NanToInt::Zero, 0), (NanToInt::Min, min)] {
            for nan in [0x7FC0_0000, 0xFFC0_0000, 0x7F80_0001] {
                let ours = from_hub(nan, dtype, &Policy { nan_to_int: rule, ..Policy::default() });
                assert_eq!(
                    (number(ours.value, dtype.bits(), dtype.is_signed_int()), ours.flags),
                    (expected, Flags::INVALID),
                    "{dtype} {rule:?}"
                );
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
