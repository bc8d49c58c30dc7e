//! What the tests share: the outside judge (rustc_apfloat) per format, and operands that sit on edges.

#![allow(dead_code, reason = "each test binary uses its part")]

use rustc_apfloat::ieee::{BFloat, Float8E4M3FN, Float8E5M2, Half, IeeeFloat, Semantics, Single};
use rustc_apfloat::{Float, FloatConvert, Round as ApRound, Status, StatusAnd};
use vq7_isa::Dtype;
use vq7_num::{Flags, Format};
use vq7_policy::{E4m3, Fp32r, Policy, Round};

/// IEEE-like e4m3 and e3m4, and FP32R's 22 bits, for the judge.
pub struct E4m3Ieee;
impl Semantics for E4m3Ieee {
    const BITS: usize = 8;
    const EXP_BITS: usize = 4;
}
pub struct E3m4Ieee;
impl Semantics for E3m4Ieee {
    const BITS: usize = 8;
    const EXP_BITS: usize = 3;
}
pub struct Fp22;
impl Semantics for Fp22 {
    const BITS: usize = 22;
    const EXP_BITS: usize = 8;
}

pub const MODES: [Round; 4] = [Round::NearestEven, Round::Zero, Round::Up, Round::Down];

pub fn judge_mode(mode: Round) -> ApRound {
    match mode {
        Round::NearestEven => ApRound::NearestTiesToEven,
        Round::Zero => ApRound::TowardZero,
        Round::Up => ApRound::TowardPositive,
        Round::Down => ApRound::TowardNegative,
    }
}

pub fn f32_of(bits: u32) -> Single {
    Single::from_bits(bits.into())
}

/// A narrow format and how the judge sees it.
#[derive(Clone, Copy)]
pub struct Judged {
    pub name: &'static str,
    pub dtype: Dtype,
    pub policy: Policy,
    /// Patterns to float32.
    pub widen: fn(u64) -> u32,
    /// Float32 to patterns, with the judge's status.
    pub narrow: fn(u32, Round) -> StatusAnd<u64>,
}

fn widen<S: Semantics>(bits: u64) -> u32
where
    IeeeFloat<S>: FloatConvert<Single>,
{
    let wide: Single = IeeeFloat::<S>::from_bits(bits.into()).convert(&mut false).value;
    wide.to_bits() as u32
}

fn narrow<S: Semantics>(hub: u32, mode: Round) -> StatusAnd<u64>
where
    Single: FloatConvert<IeeeFloat<S>>,
{
    let narrow: StatusAnd<IeeeFloat<S>> = f32_of(hub).convert_r(judge_mode(mode), &mut false);
    narrow.map(|value| value.to_bits() as u64)
}

macro_rules! judged {
    ($name:literal, $dtype:ident, $sem:ty) => {
        Judged {
            name: $name,
            dtype: Dtype::$dtype,
            policy: Policy::default(),
            widen: widen::<$sem>,
            narrow: narrow::<$sem>,
        }
    };
}

trait SemOf {
    type Sem: Semantics;
}
impl<S: Semantics> SemOf for IeeeFloat<S> {
    type Sem = S;
}
type Sem<T> = <T as SemOf>::Sem;

/// The judge misrounds e4m3fn between 448 and 480 in the directed modes (it compares significands with the NaN's before
/// it rounds, and forgets the sign), so above 448 the rule stands here in words.
fn narrow_e4m3fn(hub: u32, mode: Round) -> StatusAnd<u64> {
    let (sign, magnitude) = ((hub >> 31) as u64 * 0x80, f32_of(hub & 0x7FFF_FFFF));
    let whole = |value: u128| Single::from_u128(value).value;
    if magnitude <= whole(448) || !magnitude.is_finite() {
        return narrow::<Sem<Float8E4M3FN>>(hub, mode);
    }
    let away_from_zero = match mode {
        // 464 is the midpoint of 448 and 480, which would be the odd one of the two.
        Round::NearestEven => magnitude > whole(464),
        Round::Zero => false,
        Round::Up => sign == 0,
        Round::Down => sign != 0,
    };
    let overflow = away_from_zero || magnitude >= whole(480);
    let status = if overflow { Status::OVERFLOW | Status::INEXACT } else { Status::INEXACT };
    status.and(sign | if away_from_zero { 0x7F } else { 0x7E })
}

pub fn fp8() -> [Judged; 4] {
    let e4m3fn = Judged { narrow: narrow_e4m3fn, ..judged!("e4m3fn", Fp8Exp4, Sem<Float8E4M3FN>) };
    [
        judged!("e3m4", Fp8Exp3, E3m4Ieee),
        judged!("e4m3", Fp8Exp4, E4m3Ieee),
        Judged { policy: Policy { e4m3: E4m3::Fn, ..Policy::default() }, ..e4m3fn },
        judged!("e5m2", Fp8Exp5, Sem<Float8E5M2>),
    ]
}

pub fn narrow_formats() -> Vec<Judged> {
    let mut all = fp8().to_vec();
    all.push(judged!("fp16", Fp16, Sem<Half>));
    all.push(judged!("bf16", Bfloat16, Sem<BFloat>));
    all
}

/// FP32R: the judge's 22-bit format, moved up by 10 bits.
pub fn fp32r(rule: Fp32r) -> Judged {
    Judged {
        name: "fp32r",
        dtype: Dtype::Fp32r,
        policy: Policy { fp32r: rule, ..Policy::default() },
        widen: |bits| bits as u32,
        narrow: |hub, mode| narrow::<Fp22>(hub, mode).map(|bits| bits << 10),
    }
}

/// Our flags and the judge's status. They may differ in two places, where we keep to IEEE 754 and the judge does not:
/// * underflow, when the result became the smallest normal number only in the last rounding;
/// * overflow, when the mode makes the largest finite number of it.
pub fn check_flags(flags: Flags, status: Status, result: u64, format: &Format, what: impl Fn() -> String) {
    let magnitude = result & !format.sign(true);
    let min_normal = 1 << (format.mantissa_bits + format.pad_bits);
    let judged = Flags {
        invalid: status.contains(Status::INVALID_OP),
        div_zero: status.contains(Status::DIV_BY_ZERO),
        overflow: match magnitude == format.max_finite() && status.contains(Status::INEXACT) {
            true => flags.overflow,
            false => status.contains(Status::OVERFLOW),
        },
        underflow: if magnitude == min_normal { flags.underflow } else { status.contains(Status::UNDERFLOW) },
        inexact: status.contains(Status::INEXACT),
        int_div_zero: false,
    };
    assert_eq!(flags, judged, "{}", what());
}

/// Equal bits, or both NaN.
pub fn same(ours: u64, judged: u64, format: &Format) -> bool {
    ours == judged || (format.is_nan(ours) && format.is_nan(judged))
}

pub const FP32: &Format = &vq7_num::format::FP32;

/// splitmix64: small, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A float32 with any exponent, or near the other edges.
    pub fn float(&mut self) -> u32 {
        let bits = self.next() as u32;
        match self.below(8) {
            // Exponents near 1, so that operands meet.
            0..=3 => bits & 0x80FF_FFFF | (112 + self.below(32) as u32) << 23 & 0x7F80_0000,
            // Few mantissa bits: ties and exact results.
            4 => bits & 0xFFF0_0000,
            5 => bits | 0x0000_FFFF,
            _ => bits,
        }
    }

    /// A pattern of `width` bits: anything, or near 0, the sign edge, a power of two, a run of ones.
    pub fn integer(&mut self, width: u32) -> u64 {
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        let (bits, near, place) = (self.next(), self.below(5), self.below(width.into()));
        let near = near.wrapping_sub(2);
        mask & match self.below(6) {
            0 => near,
            1 => (1u64 << (width - 1)).wrapping_add(near),
            2 => (1u64 << place).wrapping_add(near),
            3 => u64::MAX >> place,
            4 => bits >> place,
            _ => bits,
        }
    }
}

/// Float32 on edges: significands 0, 1, all ones, one-hot, runs of ones x exponents at edges x signs, and NaNs.
pub fn weighted_floats() -> Vec<u32> {
    let mut significands =
        vec![0, 1, 2, 3, 0x7F_FFFF, 0x7F_FFFE, 0x40_0000, 0x40_0001, 0x3F_FFFF, 0x2A_AAAA, 0x55_5555];
    significands.extend([4, 9, 12, 13, 16, 20].map(|bit| 1u32 << bit));
    significands.extend([5, 11, 12, 17].map(|run| (1u32 << run) - 1));
    significands.extend([3, 10, 13].map(|run| 0x7F_FFFF & !((1u32 << run) - 1)));
    let exponents = [0u32, 1, 2, 24, 63, 103, 104, 125, 126, 127, 128, 129, 139, 150, 151, 190, 230, 253, 254];
    let mut set = Vec::new();
    for exponent in exponents {
        for significand in &significands {
            set.extend([0, 0x8000_0000].map(|sign| sign | exponent << 23 | significand));
        }
    }
    set.extend([0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0xFFC0_1234, 0x7F80_0001, 0xFFA5_5555]);
    set
}
