//! Elements as text, and back.

mod common;

use common::Random;
use proptest::prelude::*;
use vq7_isa::Dtype;
use vq7_num::{Format, ValueError, format_value, parse_value};
use vq7_policy::{E4m3, Policy};

const SEED: u64 = 0x5EED_0005;

fn round_trip(bits: u64, dtype: Dtype, policy: &Policy) {
    let text = format_value(bits, dtype, policy);
    let back = parse_value(&text, dtype, policy);
    if Format::of(dtype, policy).is_some_and(|format| format.is_nan(bits)) {
        assert_eq!(text, "nan");
    } else {
        assert_eq!(back, Ok(bits), "{dtype} {bits:#x} printed as {text}");
    }
}

#[test]
fn all_8_and_16_bit_values_of_every_dtype_read_back() {
    for policy in [Policy::default(), Policy { e4m3: E4m3::Fn, ..Policy::default() }] {
        for dtype in Dtype::tensor_tensor().filter(|dtype| dtype.bits() <= 16) {
            for bits in 0..1 << dtype.bits() {
                round_trip(bits, dtype, &policy);
            }
        }
    }
}

#[test]
fn wide_values_read_back() {
    let (mut random, policy) = (Random(SEED), Policy::default());
    for _ in 0..60_000 {
        round_trip(random.float().into(), Dtype::Fp32, &policy);
        round_trip(u64::from(random.float()) & !0x3FF, Dtype::Fp32r, &policy);
    }
    for bits in vq7_oracle::weighted::values(Dtype::Fp32, vq7_oracle::Level::One) {
        round_trip(bits, Dtype::Fp32, &policy);
    }
    for dtype in [Dtype::Int32, Dtype::Uint32, Dtype::Int64, Dtype::Uint64] {
        for _ in 0..20_000 {
            round_trip(random.integer(dtype.bits()), dtype, &policy);
        }
    }
}

/// The host prints the shortest float32 as well. It may pick other digits only where several are as short.
#[test]
fn float32_text_is_as_short_as_the_hosts() {
    let (mut random, policy) = (Random(SEED + 1), Policy::default());
    for _ in 0..60_000 {
        let x = f32::from_bits(random.float() & 0x7FFF_FFFF);
        // Whole numbers print all their digits.
        if !x.is_finite() || x.fract() == 0.0 {
            continue;
        }
        let digits = |text: &str| text.split('e').next().unwrap().replace('.', "").trim_matches('0').len();
        let (ours, host) = (format_value(x.to_bits().into(), Dtype::Fp32, &policy), format!("{x:e}"));
        assert_eq!(digits(&ours), digits(&host), "{ours} {host}");
        assert_eq!(ours.parse::<f32>().unwrap().to_bits(), x.to_bits(), "{ours}");
    }
}

#[test]
fn texts_that_users_meet() {
    let policy = Policy::default();
    for (bits, dtype, text) in [
        (0x3F80_0000, Dtype::Fp32, "1"),
        (0x8000_0000, Dtype::Fp32, "-0"),
        (0x3DCC_CCCD, Dtype::Fp32, "0.1"),
        (0x7F7F_FFFF, Dtype::Fp32, "3.4028235e+38"),
        (0x0000_0001, Dtype::Fp32, "1e-45"),
        (0x4B80_0001, Dtype::Fp32, "16777218"),
        (0x5ED2_511F, Dtype::Fp32, "7.577464e+18"),
        (0xFF80_0000, Dtype::Fp32, "-inf"),
        (0x7FC0_0000, Dtype::Fp32, "nan"),
        (0x3880_0000, Dtype::Fp32, "6.1035156e-05"),
        (0x7BFF, Dtype::Fp16, "65504"),
        (0x0001, Dtype::Fp16, "5.9604645e-08"),
        (0x7B, Dtype::Fp8Exp5, "57344"),
        (0x3DCD, Dtype::Bfloat16, "0.100097656"),
        (0x4F00_0000, Dtype::Fp32, "2147483648"),
        (0x77, Dtype::Fp8Exp4, "240"),
        (0x01, Dtype::Fp8Exp4, "0.001953125"),
        (0x80, Dtype::Int8, "-128"),
        (u64::MAX, Dtype::Uint64, "18446744073709551615"),
        (u64::MAX, Dtype::Int64, "-1"),
        (0x3, Dtype::Fp4Exp2, "0x3"),
    ] {
        assert_eq!(format_value(bits, dtype, &policy), text, "{dtype} {bits:#x}");
    }
}

/// Numbers on and beside midpoints: one rounding, to nearest even.
#[test]
fn decimals_round_once_to_nearest_even() {
    let policy = Policy::default();
    for (text, dtype, bits) in [
        ("16777217", Dtype::Fp32, 0x4B80_0000),
        ("16777217.0000000000000000000000000000000000000000000000001", Dtype::Fp32, 0x4B80_0001),
        ("16777219", Dtype::Fp32, 0x4B80_0002),
        ("248", Dtype::Fp8Exp4, u64::MAX),
        ("247.999999999999999999999", Dtype::Fp8Exp4, 0x77),
        ("1.0625", Dtype::Fp8Exp4, 0x38),
        ("1.06250000000000000000000000000000001", Dtype::Fp8Exp4, 0x39),
        // Rounded to float32 first, this would become a tie and go up.
        ("1.0624999999999999999", Dtype::Fp8Exp4, 0x38),
        ("0.0009765625", Dtype::Fp8Exp4, 0),
        ("0.00097656250000001", Dtype::Fp8Exp4, 1),
        ("7.006492321624085e-46", Dtype::Fp32, 0),
        ("7.006492321624086e-46", Dtype::Fp32, 1),
        ("1e-400", Dtype::Fp32, 0),
        ("-1e-400", Dtype::Fp32, 0x8000_0000),
        ("0e999999999999999999999", Dtype::Fp32, 0),
        ("1_000", Dtype::Fp16, 0x63D0),
        ("+.5", Dtype::Fp32, 0x3F00_0000),
        ("5.", Dtype::Fp32, 0x40A0_0000),
        ("3.4028235677973367e38", Dtype::Fp32, u64::MAX),
        ("3.4028235677973366e38", Dtype::Fp32, 0x7F7F_FFFF),
    ] {
        match parse_value(text, dtype, &policy) {
            Ok(value) => assert_eq!(value, bits, "{text} as {dtype}"),
            Err(error) => {
                assert!(bits == u64::MAX && matches!(error, ValueError::OutOfRange { .. }), "{text}: {error}")
            }
        }
    }
    // The midpoint of 0 and the smallest float32, exactly; and with one digit more, far beyond those that are kept.
    let tie =
        "70064923216240853546186479164495806564013097093825788587853414194489554134293030074331909418106079101562500";
    let scaled = |digits: &str| format!("{digits}e-{}", 45 + digits.len());
    assert_eq!(parse_value(&scaled(tie), Dtype::Fp32, &policy), Ok(0));
    assert_eq!(parse_value(&scaled(&format!("{tie}{}1", "0".repeat(60))), Dtype::Fp32, &policy), Ok(1));
    assert_eq!(parse_value(&scaled(&format!("{tie}{}", "0".repeat(60))), Dtype::Fp32, &policy), Ok(0));
    // A number of many digits is read like the host reads it.
    let long = format!("0.{}1234567890123456789{}", "0".repeat(30), "7".repeat(3000));
    let expected = long.parse::<f32>().unwrap().to_bits();
    assert_eq!(parse_value(&long, Dtype::Fp32, &policy), Ok(expected.into()));
}

#[test]
fn random_decimals_read_as_the_host_reads_them() {
    let (mut random, policy) = (Random(SEED + 2), Policy::default());
    for _ in 0..100_000 {
        let digits = random.next() >> random.below(60);
        let text = format!("{digits}e{}", random.below(70) as i64 - 50 - (digits.max(1).ilog10() as i64) / 2);
        let host: f32 = text.parse().unwrap();
        match parse_value(&text, Dtype::Fp32, &policy) {
            Ok(bits) => assert_eq!(bits, host.to_bits().into(), "{text}"),
            Err(_) => assert!(host.is_infinite(), "{text}"),
        }
    }
}

#[test]
fn errors_say_what_to_write() {
    let policy = Policy::default();
    let ocp = Policy { e4m3: E4m3::Fn, ..policy };
    for (text, dtype, policy, part) in [
        ("", Dtype::Fp32, &policy, "is no number"),
        ("abc", Dtype::Fp32, &policy, "`abc` is no number"),
        ("1e", Dtype::Fp32, &policy, "is no number"),
        ("1.2.3", Dtype::Fp32, &policy, "is no number"),
        (".", Dtype::Fp32, &policy, "is no number"),
        ("--1", Dtype::Int8, &policy, "is no number"),
        ("0x", Dtype::Int8, &policy, "is no number"),
        ("0xG", Dtype::Int8, &policy, "is no number"),
        ("1.5", Dtype::Int8, &policy, "`1.5` is no integer"),
        ("nan", Dtype::Int8, &policy, "is no integer"),
        ("128", Dtype::Int8, &policy, "128 does not fit int8, which goes from -128 to 127"),
        ("-1", Dtype::Uint16, &policy, "from 0 to 65535"),
        ("99999999999999999999999999999999999999999999", Dtype::Uint64, &policy, "from 0 to 18446744073709551615"),
        ("0x100", Dtype::Fp8Exp4, &policy, "more than the 8 bits of float8_e4m3"),
        ("0x10000000000000000", Dtype::Uint64, &policy, "more than the 64 bits"),
        ("300", Dtype::Fp8Exp4, &policy, "goes from -240 to 240"),
        ("1e39", Dtype::Fp32, &policy, "from -3.4028235e+38 to 3.4028235e+38"),
        ("inf", Dtype::Fp8Exp4, &ocp, "has no infinity"),
        ("465", Dtype::Fp8Exp4, &ocp, "goes from -450 to 450"),
        ("1", Dtype::Int4, &policy, "bit pattern such as 0x3 for int4"),
    ] {
        let error = parse_value(text, dtype, policy).unwrap_err().to_string();
        assert!(error.contains(part), "{text} as {dtype}: {error}");
    }
    for (text, dtype, bits) in [
        ("0x00ff", Dtype::Uint8, 0xFF),
        ("0x7F80_0000", Dtype::Fp32, 0x7F80_0000),
        ("0x0", Dtype::Int8, 0),
        ("-INF", Dtype::Fp16, 0xFC00),
        ("NaN", Dtype::Bfloat16, 0x7FC0),
        ("-1", Dtype::Int16, 0xFFFF),
        (" 7 ", Dtype::Uint8, 7),
    ] {
        assert_eq!(parse_value(text, dtype, &policy), Ok(bits), "{text}");
    }
}

proptest! {
    /// No text makes the reader panic.
    #[test]
    fn any_text_is_read_or_refused(text in "[-+0-9a-fxXenif._ ]{0,40}|\\PC*", code in 1u8..32) {
        if let Some(dtype) = Dtype::from_code(code) {
            let _ = parse_value(&text, dtype, &Policy::default());
        }
    }
}
