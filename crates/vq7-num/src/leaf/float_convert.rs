//! Conversions: between the float widths, between floats and integers, and to integral floats.

use super::alu::{signed, unsigned};
use super::float::{Integral, integral, mode};
use super::row::leaves;
use super::shape::{F16, F32, I16, I32, INEXACT, INVALID, OVERFLOW, Port, RM, UNDERFLOW};
use crate::convert::mask;
use crate::flags::{Flagged, Flags};
use crate::format::{FP16, FP32, Format};
use crate::unpacked::{Finite, Overflow, Unpacked, round_off, round_pack};
use vq7_policy::Round;

/// float16 to float32: exact; a NaN keeps sign and payload and is quieted.
fn widened(a: u64) -> Flagged<u64> {
    let a = a & 0xFFFF;
    let sign = FP32.sign(FP16.is_negative(a));
    match FP16.unpack(a) {
        Unpacked::Nan => {
            let mantissa = (a & mask(FP16.mantissa_bits)) << (FP32.mantissa_bits - FP16.mantissa_bits);
            let flags = Flags { invalid: FP16.is_signaling_nan(a), ..Flags::NONE };
            Flagged::new(sign | FP32.canonical_nan() | mantissa, flags)
        }
        Unpacked::Infinity { .. } => Flagged::exact(sign | FP32.infinity().unwrap_or(0)),
        Unpacked::Zero { .. } => Flagged::exact(sign),
        Unpacked::Finite(number) => round_pack(number, false, &FP32, Round::Zero, Overflow::Ieee),
    }
}

/// float32 to float16; every NaN becomes 0x7e00.
fn narrowed(a: u64, mode: Round) -> Flagged<u64> {
    let a = a & 0xFFFF_FFFF;
    let sign = FP16.sign(FP32.is_negative(a));
    match FP32.unpack(a) {
        Unpacked::Nan => Flagged::new(FP16.canonical_nan(), Flags { invalid: FP32.is_signaling_nan(a), ..Flags::NONE }),
        Unpacked::Infinity { .. } => Flagged::exact(sign | FP16.infinity().unwrap_or(0)),
        Unpacked::Zero { .. } => Flagged::exact(sign),
        Unpacked::Finite(number) => round_pack(number, false, &FP16, mode, Overflow::Ieee),
    }
}

/// An integer divided by 2^scale, as a float. The scale has five bits for float32, four for float16.
fn from_int(f: &'static Format, value: i64, scale: u64, mode: Round) -> Flagged<u64> {
    let scale = scale & (u64::from(f.bits()) - 1);
    match value {
        0 => Flagged::exact(0),
        _ => {
            let number = Finite { negative: value < 0, exponent: -(scale as i32), significand: value.unsigned_abs() };
            round_pack(number, false, f, mode, Overflow::Ieee)
        }
    }
}

/// A float times 2^scale as an integer of `width` bits: toward zero, clamped, a NaN as the largest. `invalid` outside the
/// range, else `inexact` where a fraction is lost.
///
/// For an unsigned target a negative number goes the signed way and its pattern is read as unsigned.
fn to_int(f: &'static Format, a: u64, scale: u64, width: u32, target_signed: bool) -> Flagged<u64> {
    let scale = (scale & (u64::from(f.bits()) - 1)) as i32;
    let largest = if target_signed { mask(width - 1) } else { mask(width) };
    let smallest: u64 = 1 << (width - 1);
    let (negative, magnitude, inexact) = match f.unpack(a & mask(f.bits())) {
        Unpacked::Nan => return Flagged::new(largest, Flags::INVALID),
        Unpacked::Zero { .. } => return Flagged::exact(0),
        Unpacked::Infinity { negative } => (negative, u64::MAX, false),
        Unpacked::Finite(Finite { negative, exponent, significand }) => {
            let exponent = exponent + scale;
            let (magnitude, inexact) = match u32::try_from(exponent) {
                // At most 24 bits; moved out of 64 they are beyond every target.
                Ok(up) if up < 40 => (significand << up, false),
                Ok(_) => (u64::MAX, false),
                Err(_) => round_off(significand, exponent.unsigned_abs(), false, negative, Round::Zero),
            };
            (negative, magnitude, inexact)
        }
    };
    let limit = if !negative {
        largest
    } else if target_signed {
        smallest
    } else {
        0
    };
    let flags = if magnitude > limit {
        Flags::INVALID
    } else if inexact {
        Flags::INEXACT
    } else {
        Flags::NONE
    };
    let clamped = if negative { magnitude.min(smallest).wrapping_neg() } else { magnitude.min(largest) };
    Flagged::new(clamped & mask(width), flags)
}

/// A rounding whose leaf has no flag but `invalid`.
fn quietly(out: Flagged<u64>) -> Flagged<u64> {
    Flagged { flags: Flags { inexact: false, ..out.flags }, ..out }
}

const SCALE: Port = I32.named("scale");
const PAIR: Port = I32.named("pair");

leaves! {
    "Conversions";
    Exact Printed "float16 to float32, exact; a NaN keeps sign and payload and is quieted" {
        cvtf32_1_32f_16f [INVALID, F32; F16] lane(|a| widened(a));
    }
    Reconciled Printed "the low (_0) or high (_1) float16 of a pair to float32" {
        cvtf32_1_32f_32f_0 [INVALID, F32; PAIR] lane(|a| widened(a));
        cvtf32_1_32f_32f_1 [INVALID, F32; PAIR] lane(|a| widened(a >> 16));
    }
    Exact Printed "float32 to float16, rounded by mode; a NaN gives 0x7e00" {
        cvtf16_1_1_1_1_16f_32f_2 [INVALID, OVERFLOW, UNDERFLOW, INEXACT, F16; F32, RM]
            lane(|a, rm| narrowed(a, mode(rm)));
    }
    Reconciled ByAnalogy "float32 to float16 in the low half of a 32-bit lane, rounded by mode; a NaN gives 0x7e00" {
        cvtf16_1_1_1_1_32f_32f_2_0 [INVALID, OVERFLOW, UNDERFLOW, INEXACT, PAIR; F32, RM]
            lane(|a, rm| narrowed(a, mode(rm)));
    }
    Exact Printed "int32 / 2^scale to float32, toward zero whatever the mode: the leaf as it was run" {
        float_1_32f_32_32_2 [INEXACT, F32; I32, SCALE, RM] lane(|a, s| from_int(&FP32, signed(a, 32), s, Round::Zero));
        ufloat_1_32f_32_32_2 [INEXACT, F32; I32, SCALE, RM]
            lane(|a, s| from_int(&FP32, unsigned(a, 32), s, Round::Zero));
    }
    Reconciled Ours "int32 / 2^scale to float32, rounded by mode: what FLOATN and UFLOATN do" {
        float_rm_1_32f_32_32_2 [INEXACT, F32; I32, SCALE, RM]
            lane(|a, s, rm| from_int(&FP32, signed(a, 32), s, mode(rm)));
        ufloat_rm_1_32f_32_32_2 [INEXACT, F32; I32, SCALE, RM]
            lane(|a, s, rm| from_int(&FP32, unsigned(a, 32), s, mode(rm)));
    }
    Reconciled Ours "int16 / 2^scale to float16, rounded by mode: what FLOAT16 and UFLOAT16 do" {
        float16_rm_1_16f_16_32_2 [INEXACT, F16; I16, SCALE, RM]
            lane(|a, s, rm| from_int(&FP16, signed(a, 16), s, mode(rm)));
        ufloat16_rm_1_1_16f_16_32_2 [OVERFLOW, INEXACT, F16; I16, SCALE, RM]
            lane(|a, s, rm| from_int(&FP16, unsigned(a, 16), s, mode(rm)));
    }
    Exact Printed "float32 * 2^scale to int32, toward zero, clamped; a NaN gives the largest; invalid outside the range" {
        trunc_1_1_32_32f_32 [INVALID, INEXACT, I32; F32, SCALE] lane(|a, s| to_int(&FP32, a, s, 32, true));
    }
    Fitted Printed "float32 * 2^scale to uint32, toward zero, clamped; negative numbers as int32 patterns; a NaN gives all ones" {
        utrunc_1_1_32u_32f_32 [INVALID, INEXACT, I32; F32, SCALE] lane(|a, s| to_int(&FP32, a, s, 32, false));
    }
    Assumed ByAnalogy "float16 * 2^scale to 16 bits, as float32 to 32" {
        trunc16_1_1_16_16f_32 [INVALID, INEXACT, I16; F16, SCALE] lane(|a, s| to_int(&FP16, a, s, 16, true));
        utrunc16_1_1_16u_16f_32 [INVALID, INEXACT, I16; F16, SCALE] lane(|a, s| to_int(&FP16, a, s, 16, false));
    }
    Exact Printed "to an integral float, half away from zero" {
        firound_1_32f_32f [INVALID, F32; F32] lane(|a| quietly(integral(&FP32, a, Integral::HalfAway)));
    }
    Exact Printed "to an integral float, up" {
        ficeil_1_32f_32f [INVALID, F32; F32] lane(|a| quietly(integral(&FP32, a, Integral::By(Round::Up))));
    }
    Exact Printed "to an integral float, down" {
        fifloor_1_32f_32f [INVALID, F32; F32] lane(|a| quietly(integral(&FP32, a, Integral::By(Round::Down))));
    }
    Exact Printed "to an integral float, toward zero" {
        fitrunc_1_32f_32f [INVALID, F32; F32] lane(|a| quietly(integral(&FP32, a, Integral::By(Round::Zero))));
    }
    Exact Printed "to an integral float, by mode" {
        firint_1_1_32f_32f_2 [INVALID, INEXACT, F32; F32, RM] lane(|a, rm| integral(&FP32, a, Integral::By(mode(rm))));
    }
    Assumed ByAnalogy "to an integral float16, as the float32 leaf of the name" {
        firound_1_16f_16f [INVALID, F16; F16] lane(|a| quietly(integral(&FP16, a, Integral::HalfAway)));
        ficeil_1_16f_16f [INVALID, F16; F16] lane(|a| quietly(integral(&FP16, a, Integral::By(Round::Up))));
        fifloor_1_16f_16f [INVALID, F16; F16] lane(|a| quietly(integral(&FP16, a, Integral::By(Round::Down))));
        fitrunc_1_16f_16f [INVALID, F16; F16] lane(|a| quietly(integral(&FP16, a, Integral::By(Round::Zero))));
        firint_1_1_16f_16f_2 [INVALID, INEXACT, F16; F16, RM] lane(|a, rm| integral(&FP16, a, Integral::By(mode(rm))));
    }
}
