//! Elements to float32 and back: the conversions of the base band, branch-free. What is right is `vq7_num::convert`.

use crate::body::{Op1, Params};
use std::marker::PhantomData;

pub(crate) const SIGN: u32 = 0x8000_0000;
pub(crate) const INFINITY: u32 = 0x7F80_0000;
const MANTISSA: u32 = 0x007F_FFFF;
pub(crate) const QUIET: u32 = 0x0040_0000;

#[inline(always)]
pub(crate) fn is_nan(x: u32) -> bool {
    x & !SIGN > INFINITY
}

/// An element type of the base band.
pub(crate) trait Number {
    /// Its bits.
    type Bits: Copy;
    /// To float32 bits.
    fn load(bits: Self::Bits, p: &Params) -> u32;
    /// From float32 bits.
    fn store(hub: u32, p: &Params) -> Self::Bits;
}

/// The conversion of an element to float32.
pub(crate) struct Load<N>(PhantomData<N>);

impl<N: Number> Op1 for Load<N> {
    type A = N::Bits;
    type R = u32;
    #[inline(always)]
    fn apply(a: N::Bits, p: &Params) -> u32 {
        N::load(a, p)
    }
}

/// The conversion of float32 to an element.
pub(crate) struct Store<N>(PhantomData<N>);

impl<N: Number> Op1 for Store<N> {
    type A = u32;
    type R = N::Bits;
    #[inline(always)]
    fn apply(a: u32, p: &Params) -> N::Bits {
        N::store(a, p)
    }
}

/// Float32 as it is.
pub(crate) struct F32;

impl Number for F32 {
    type Bits = u32;
    #[inline(always)]
    fn load(bits: u32, _: &Params) -> u32 {
        bits
    }
    #[inline(always)]
    fn store(hub: u32, _: &Params) -> u32 {
        hub
    }
}

/// FP32R, 13 bits of mantissa, to nearest even or (`TRUNCATED`) toward zero.
pub(crate) struct F32r<const TRUNCATED: bool>;

impl<const TRUNCATED: bool> Number for F32r<TRUNCATED> {
    type Bits = u32;
    #[inline(always)]
    fn load(bits: u32, _: &Params) -> u32 {
        bits
    }
    #[inline(always)]
    fn store(hub: u32, _: &Params) -> u32 {
        let rounded = if TRUNCATED { hub } else { hub.wrapping_add(0x1FF + (hub >> 10 & 1)) };
        (if is_nan(hub) { hub | QUIET } else { rounded }) & !0x3FF
    }
}

/// bfloat16.
pub(crate) struct Bf16;

impl Number for Bf16 {
    type Bits = u16;
    #[inline(always)]
    fn load(bits: u16, _: &Params) -> u32 {
        u32::from(bits) << 16
    }
    #[inline(always)]
    fn store(hub: u32, _: &Params) -> u16 {
        let rounded = hub.wrapping_add(0x7FFF + (hub >> 16 & 1));
        ((if is_nan(hub) { hub | QUIET } else { rounded }) >> 16) as u16
    }
}

/// An unsigned type that holds the bits of a small float.
pub(crate) trait Holder: Copy {
    fn widen(self) -> u32;
    fn narrow(bits: u32) -> Self;
}

impl Holder for u8 {
    #[inline(always)]
    fn widen(self) -> u32 {
        self.into()
    }
    #[inline(always)]
    fn narrow(bits: u32) -> Self {
        bits as Self
    }
}

impl Holder for u16 {
    #[inline(always)]
    fn widen(self) -> u32 {
        self.into()
    }
    #[inline(always)]
    fn narrow(bits: u32) -> Self {
        bits as Self
    }
}

/// A float of `E` exponent and `M` mantissa bits with the usual bias; `FN`: only the topmost code is a NaN, and there is
/// no infinity.
pub(crate) struct Small<H, const E: u32, const M: u32, const FN: bool>(PhantomData<H>);

pub(crate) type F16 = Small<u16, 5, 10, false>;
pub(crate) type E3m4 = Small<u8, 3, 4, false>;
pub(crate) type E4m3 = Small<u8, 4, 3, false>;
pub(crate) type E4m3Fn = Small<u8, 4, 3, true>;
pub(crate) type E5m2 = Small<u8, 5, 2, false>;

impl<H, const E: u32, const M: u32, const FN: bool> Small<H, E, M, FN> {
    const BIAS: u32 = (1 << (E - 1)) - 1;
    /// Mantissa bits that float32 has more.
    const UP: u32 = 23 - M;
    /// Codes without the sign.
    const MAGNITUDE: u32 = (1 << (E + M)) - 1;
    /// The first code of the topmost exponent: infinity, but for `FN`.
    const TOP: u32 = Self::MAGNITUDE - ((1 << M) - 1);
    /// The largest finite code.
    const MAX: u32 = if FN { Self::MAGNITUDE - 1 } else { Self::TOP - 1 };
    /// The code that stands for what is too large.
    const OVERFLOW: u32 = if FN { Self::MAGNITUDE } else { Self::TOP };
    /// Float32 bits of the smallest normal number.
    const MIN_NORMAL: u32 = (128 - Self::BIAS) << 23;
    /// Float32 bits of the power of two whose last bit weighs as much as the smallest subnormal.
    const ALIGN: u32 = (128 - Self::BIAS - M + 23) << 23;
}

impl<H: Holder, const E: u32, const M: u32, const FN: bool> Number for Small<H, E, M, FN> {
    type Bits = H;

    #[inline(always)]
    fn load(bits: H, _: &Params) -> u32 {
        let bits = bits.widen();
        let sign = (bits >> (E + M)) << 31;
        let magnitude = bits & Self::MAGNITUDE;
        let fraction = magnitude << Self::UP;
        let normal = fraction + ((127 - Self::BIAS) << 23);
        // A subnormal is a number with the smallest exponent and a one in front, less that one.
        let with_one = f32::from_bits(fraction | Self::MIN_NORMAL) - f32::from_bits(Self::MIN_NORMAL);
        let number = if magnitude < 1 << M { with_one.to_bits() } else { normal };
        let special = if FN {
            if magnitude == Self::MAGNITUDE { INFINITY | QUIET | fraction & MANTISSA } else { number }
        } else if magnitude >= Self::TOP {
            INFINITY | fraction & MANTISSA | if magnitude > Self::TOP { QUIET } else { 0 }
        } else {
            number
        };
        sign | special
    }

    #[inline(always)]
    fn store(hub: u32, p: &Params) -> H {
        let sign = (hub >> 31) << (E + M);
        let magnitude = hub & !SIGN;
        let rounded = (magnitude + ((1 << (Self::UP - 1)) - 1) + (magnitude >> Self::UP & 1)) >> Self::UP;
        let normal = rounded.wrapping_sub((127 - Self::BIAS) << M);
        // Adding the aligning power of two rounds to the grid of subnormals.
        let aligned = f32::from_bits(magnitude) + f32::from_bits(Self::ALIGN);
        let subnormal = aligned.to_bits().wrapping_sub(Self::ALIGN);
        let number = if magnitude < Self::MIN_NORMAL { subnormal } else { normal };
        let over = if E + M == 7 && p.saturate { Self::MAX } else { Self::OVERFLOW };
        let finite = if magnitude >= Self::MIN_NORMAL && normal > Self::MAX { over } else { number };
        let nan = if FN { Self::MAGNITUDE } else { Self::TOP | (magnitude | QUIET) >> Self::UP & ((1 << M) - 1) };
        H::narrow(sign | if magnitude > INFINITY { nan } else { finite })
    }
}

/// To the nearest integer, ties to even, for magnitudes below 2^23; larger ones are integers already.
#[inline(always)]
fn round_even(x: f32) -> f32 {
    let shifter = f32::from_bits(0x4B00_0000);
    let magnitude = f32::from_bits(x.to_bits() & !SIGN);
    let rounded = (magnitude + shifter) - shifter;
    let magnitude = if magnitude < shifter { rounded } else { magnitude };
    f32::from_bits(magnitude.to_bits() | x.to_bits() & SIGN)
}

/// An integer; `TRUNCATED`: results are cut toward zero, not rounded to nearest even. Out of range they saturate.
pub(crate) struct Whole<T, const TRUNCATED: bool>(PhantomData<T>);

/// Zero for a NaN, so that a conversion is defined; the caller puts in what a NaN becomes.
#[inline(always)]
fn number_or_zero(x: f32) -> f32 {
    if x.to_bits() & !SIGN > INFINITY { 0.0 } else { x }
}

macro_rules! whole {
    ($($t:ty => $to:expr),*) => { $(
        impl<const TRUNCATED: bool> Number for Whole<$t, TRUNCATED> {
            type Bits = $t;
            #[inline(always)]
            fn load(bits: $t, _: &Params) -> u32 {
                (bits as f32).to_bits()
            }
            #[inline(always)]
            fn store(hub: u32, p: &Params) -> $t {
                let x = number_or_zero(f32::from_bits(hub));
                let number = $to(if TRUNCATED { x } else { round_even(x) });
                let nan = match p.nan_to_int {
                    0 => <$t>::MAX,
                    1 => 0,
                    _ => <$t>::MIN,
                };
                if is_nan(hub) { nan } else { number }
            }
        }
    )* };
}

/// To an integer type of at most 16 bits, whose ends float32 has.
macro_rules! narrow {
    ($t:ty) => {
        |x: f32| {
            let (low, high) = (<$t>::MIN as f32, <$t>::MAX as f32);
            let x = if x > high { high } else { x };
            let x = if x < low { low } else { x };
            // SAFETY: within the range of the type, which an i32 holds, and no NaN.
            let whole: i32 = unsafe { x.to_int_unchecked() };
            whole as $t
        }
    };
}

whole!(
    i8 => narrow!(i8),
    u8 => narrow!(u8),
    i16 => narrow!(i16),
    u16 => narrow!(u16),
    i32 => |x: f32| {
        let (above, below) = (x >= 2_147_483_648.0, x < -2_147_483_648.0);
        // SAFETY: within the range of an i32, and no NaN.
        let whole: i32 = unsafe { (if above | below { 0.0 } else { x }).to_int_unchecked() };
        if above { i32::MAX } else if below { i32::MIN } else { whole }
    },
    u32 => |x: f32| {
        let above = x >= 4_294_967_296.0;
        let upper = x >= 2_147_483_648.0;
        let x = if above | (x < 0.0) { 0.0 } else { x };
        let lower = if upper & !above { x - 2_147_483_648.0 } else { x };
        // SAFETY: from 0 to below 2^31, and no NaN.
        let whole: i32 = unsafe { lower.to_int_unchecked() };
        let whole = whole as u32 ^ if upper { SIGN } else { 0 };
        if above { u32::MAX } else { whole }
    }
);
