//! Each floating-point dtype as `rustc_apfloat` sees it.

use crate::verdict::{Bits, Expected, Mask, Masks, flag};
use rustc_apfloat::ieee::{BFloat, Float8E4M3FN, Float8E5M2, Half, IeeeFloat, Semantics, Single};
use rustc_apfloat::{Float, FloatConvert, Round as ApRound, Status, StatusAnd};
use vq7_isa::{AluOp, Dtype};
use vq7_policy::{E4m3, Fp8Overflow, Fp32r, Policy, Round};

/// IEEE-like e4m3.
pub struct E4m3Ieee;
impl Semantics for E4m3Ieee {
    const BITS: usize = 8;
    const EXP_BITS: usize = 4;
}

/// IEEE-like e3m4.
pub struct E3m4Ieee;
impl Semantics for E3m4Ieee {
    const BITS: usize = 8;
    const EXP_BITS: usize = 3;
}

/// The 22 bits of FP32R.
pub struct Fp22;
impl Semantics for Fp22 {
    const BITS: usize = 22;
    const EXP_BITS: usize = 8;
}

/// The judge's name of a rounding mode.
pub const fn mode(round: Round) -> ApRound {
    match round {
        Round::NearestEven => ApRound::NearestTiesToEven,
        Round::Zero => ApRound::TowardZero,
        Round::Up => ApRound::TowardPositive,
        Round::Down => ApRound::TowardNegative,
    }
}

/// Float32 bits as the judge's number.
pub fn single(bits: u32) -> Single {
    Single::from_bits(bits.into())
}

/// The judge's number as float32 bits.
pub fn single_bits(value: Single) -> u32 {
    value.to_bits() as u32
}

/// Whether float32 bits are a NaN.
pub const fn is_nan(bits: u32) -> bool {
    bits & 0x7FFF_FFFF > 0x7F80_0000
}

/// The judge's status as flags.
pub(crate) fn flags_of(status: Status) -> u8 {
    if status == Status::OK {
        return 0;
    }
    let pairs = [
        (Status::INVALID_OP, flag::INVALID),
        (Status::DIV_BY_ZERO, flag::DIV_ZERO),
        (Status::OVERFLOW, flag::OVERFLOW),
        (Status::UNDERFLOW, flag::UNDERFLOW),
        (Status::INEXACT, flag::INEXACT),
    ];
    pairs.into_iter().fold(0, |flags, (bit, own)| if status.contains(bit) { flags | own } else { flags })
}

/// An op on two patterns of one format.
pub(crate) type Direct = fn(u64, u64, ApRound) -> StatusAnd<u64>;

/// A floating-point dtype under a policy.
#[derive(Clone, Copy, Debug)]
pub struct FloatFormat {
    widen: fn(u64) -> u32,
    narrow: fn(Single, ApRound) -> StatusAnd<u64>,
    /// Sum, difference, product and quotient inside the format.
    direct: [Direct; 4],
    /// Rounding into it; FP32R has its own.
    mode: ApRound,
    /// Whether the policy clamps what is beyond the largest finite value.
    saturates: bool,
    sign: u64,
    max_finite: u64,
    min_normal: u64,
    /// The largest magnitude that is no NaN.
    not_nan: u64,
}

impl FloatFormat {
    /// The format of a dtype; `None` for integers.
    pub fn of(dtype: Dtype, policy: &Policy) -> Option<Self> {
        let mode = mode(policy.round);
        let mut format = match dtype {
            Dtype::Fp32 => Self::single(mode),
            Dtype::Fp32r => match policy.fp32r {
                Fp32r::Rne13 => Self::fp22(ApRound::NearestTiesToEven),
                Fp32r::Trunc13 => Self::fp22(ApRound::TowardZero),
                Fp32r::Passthrough => Self::single(mode),
            },
            Dtype::Bfloat16 => Self::new::<Sem<BFloat>>(mode),
            Dtype::Fp16 => Self::new::<Sem<Half>>(mode),
            Dtype::Fp8Exp3 => Self::new::<E3m4Ieee>(mode),
            Dtype::Fp8Exp4 => match policy.e4m3 {
                E4m3::Ieee => Self::new::<E4m3Ieee>(mode),
                E4m3::Fn => Self { narrow: narrow_e4m3fn, ..Self::new::<Sem<Float8E4M3FN>>(mode) },
            },
            Dtype::Fp8Exp5 => Self::new::<Sem<Float8E5M2>>(mode),
            _ => return None,
        };
        format.saturates = dtype.bits() == 8 && policy.fp8_overflow == Fp8Overflow::Saturate;
        Some(format)
    }

    fn new<S: Semantics>(mode: ApRound) -> Self
    where
        IeeeFloat<S>: FloatConvert<Single>,
        Single: FloatConvert<IeeeFloat<S>>,
    {
        let sign = 1 << (S::BITS - 1);
        let max_finite = IeeeFloat::<S>::largest().to_bits() as u64;
        // A format without infinities has a NaN in their place.
        let infinity = IeeeFloat::<S>::INFINITY.to_bits() as u64 & (sign - 1);
        let has_infinity = IeeeFloat::<S>::from_bits(infinity.into()).is_infinite();
        Self {
            widen: widen::<S>,
            narrow: narrow::<S>,
            direct: [
                |a, b, mode| direct::<S>(a, b, |x, y| x.add_r(y, mode)),
                |a, b, mode| direct::<S>(a, b, |x, y| x.sub_r(y, mode)),
                |a, b, mode| direct::<S>(a, b, |x, y| x.mul_r(y, mode)),
                |a, b, mode| direct::<S>(a, b, |x, y| x.div_r(y, mode)),
            ],
            mode,
            saturates: false,
            sign,
            max_finite,
            min_normal: IeeeFloat::<S>::smallest_normalized().to_bits() as u64,
            not_nan: if has_infinity { infinity } else { max_finite },
        }
    }

    /// Float32 as it is.
    fn single(mode: ApRound) -> Self {
        let narrow = |hub: Single, _| Status::OK.and(hub.to_bits() as u64);
        Self { widen: |bits| bits as u32, narrow, ..Self::new::<Sem<Single>>(mode) }
    }

    /// 22 bits at the top of a float32; reading keeps all 32.
    fn fp22(mode: ApRound) -> Self {
        let narrow = |hub, mode| narrow::<Fp22>(hub, mode).map(|bits| bits << 10);
        let [sign, max_finite, min_normal, not_nan] = {
            let rows = Self::new::<Fp22>(mode);
            [rows.sign, rows.max_finite, rows.min_normal, rows.not_nan].map(|bits| bits << 10)
        };
        Self { narrow, sign, max_finite, min_normal, not_nan, ..Self::single(mode) }
    }

    /// An element as float32 bits. Exact.
    pub fn to_float32(&self, bits: u64) -> u32 {
        (self.widen)(bits)
    }

    /// An op inside the format, where that gives what the way over float32 gives: the format is at most half as precise
    /// as float32, and its ends are those of IEEE 754.
    pub(crate) fn direct(&self, op: AluOp) -> Option<Direct> {
        let index = [AluOp::Add, AluOp::Subtract, AluOp::Mult, AluOp::Divide].into_iter().position(|own| own == op)?;
        let narrow = self.sign <= 1 << 15 && self.has_infinity() && !self.saturates;
        narrow.then_some(self.direct[index])
    }

    /// The outcome of an op inside the format.
    #[inline]
    pub(crate) fn direct_result(&self, result: StatusAnd<u64>) -> Expected {
        let (magnitude, flags) = (result.value & (self.sign - 1), flags_of(result.status));
        let bits = match magnitude > self.not_nan {
            true => Bits::AnyNan { magnitude: self.sign - 1, above: self.not_nan },
            false => Bits::Exactly(result.value),
        };
        Expected { bits, flags, open: self.open_flags(magnitude, flags) }
    }

    /// The largest finite pattern.
    pub const fn max_finite(&self) -> u64 {
        self.max_finite
    }

    /// Whether the pattern is a NaN.
    #[inline]
    pub const fn is_nan(&self, bits: u64) -> bool {
        bits & (self.sign - 1) > self.not_nan
    }

    /// Float32 bits as an element, in one rounding.
    pub fn round_float32(&self, hub: u32) -> Expected {
        self.round_single(single(hub))
    }

    /// The judge's float32 as an element, in one rounding.
    pub(crate) fn round_single(&self, hub: Single) -> Expected {
        let StatusAnd { status, value } = (self.narrow)(hub, self.mode);
        let negative = if hub.is_negative() { self.sign } else { 0 };
        let magnitude = value & (self.sign - 1);
        let beyond = magnitude > self.max_finite;
        let (bits, flags) = if hub.is_nan() || (beyond && self.is_nan(value) && !self.saturates) {
            (Bits::AnyNan { magnitude: self.sign - 1, above: self.not_nan }, flags_of(status))
        } else if beyond && self.saturates {
            (Bits::Exactly(negative | self.max_finite), flags_of(status))
        } else {
            (Bits::Exactly(value), flags_of(status))
        };
        let mut open = self.open_flags(magnitude, flags);
        if hub.is_infinite() && (self.saturates || !self.has_infinity()) {
            open = open.with(Mask::LostInfinity);
        }
        Expected { bits, flags, open }
    }

    const fn has_infinity(&self) -> bool {
        self.not_nan > self.max_finite
    }

    /// Where the judge's flags of a rounding are not those of IEEE 754.
    pub(crate) const fn open_flags(&self, magnitude: u64, flags: u8) -> Masks {
        let mut open = Masks::NONE;
        if flags & flag::INEXACT != 0 {
            if magnitude == self.max_finite {
                open = open.with(Mask::FiniteOverflow);
            }
            if magnitude == self.min_normal {
                open = open.with(Mask::Tininess);
            }
        }
        open
    }
}

fn widen<S: Semantics>(bits: u64) -> u32
where
    IeeeFloat<S>: FloatConvert<Single>,
{
    let wide: Single = IeeeFloat::<S>::from_bits(bits.into()).convert(&mut false).value;
    single_bits(wide)
}

#[inline]
fn direct<S: Semantics>(
    a: u64,
    b: u64,
    op: impl FnOnce(IeeeFloat<S>, IeeeFloat<S>) -> StatusAnd<IeeeFloat<S>>,
) -> StatusAnd<u64> {
    let number = |bits: u64| IeeeFloat::<S>::from_bits(bits.into());
    op(number(a), number(b)).map(|value| value.to_bits() as u64)
}

fn narrow<S: Semantics>(hub: Single, mode: ApRound) -> StatusAnd<u64>
where
    Single: FloatConvert<IeeeFloat<S>>,
{
    let narrow: StatusAnd<IeeeFloat<S>> = hub.convert_r(mode, &mut false);
    narrow.map(|value| value.to_bits() as u64)
}

/// The judge misrounds e4m3fn between 448 and 480 in the directed modes (it compares significands with the NaN's before
/// it rounds, and forgets the sign), so above 448 the rule stands here in words.
fn narrow_e4m3fn(hub: Single, mode: ApRound) -> StatusAnd<u64> {
    let (sign, magnitude) = (u64::from(hub.is_negative()) * 0x80, hub.abs());
    let whole = |value: u128| Single::from_u128(value).value;
    if magnitude <= whole(448) || !magnitude.is_finite() {
        return narrow::<Sem<Float8E4M3FN>>(hub, mode);
    }
    let away_from_zero = match mode {
        ApRound::TowardZero => false,
        ApRound::TowardPositive => sign == 0,
        ApRound::TowardNegative => sign != 0,
        // 464 is the midpoint of 448 and 480, which would be the odd one of the two.
        _ => magnitude > whole(464),
    };
    let overflow = away_from_zero || magnitude >= whole(480);
    let status = if overflow { Status::OVERFLOW | Status::INEXACT } else { Status::INEXACT };
    status.and(sign | if away_from_zero { 0x7F } else { 0x7E })
}

trait SemanticsOf {
    type Semantics: Semantics;
}
impl<S: Semantics> SemanticsOf for IeeeFloat<S> {
    type Semantics = S;
}
type Sem<T> = <T as SemanticsOf>::Semantics;
