//! The base band's ops on float32 bits. What is right is `vq7_num::base`.

use crate::body::{Op, Op1, Params};
use crate::formats::{Number, QUIET, SIGN, is_nan};
use std::marker::PhantomData;

const ONE: u32 = 0x3F80_0000;
const CANONICAL_NAN: u32 = 0x7FC0_0000;

#[inline(always)]
fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// The host's result, with NaNs as the engine has them: the first NaN operand quieted, or the canonical one.
#[inline(always)]
fn with_nan(result: f32, a: u32, b: u32) -> u32 {
    let nan = if is_nan(a) {
        a | QUIET
    } else if is_nan(b) {
        b | QUIET
    } else {
        CANONICAL_NAN
    };
    let bits = result.to_bits();
    if is_nan(bits) { nan } else { bits }
}

#[inline(always)]
fn quieted(x: u32) -> u32 {
    if is_nan(x) { x | QUIET } else { x }
}

#[inline(always)]
fn truth(value: bool) -> u32 {
    if value { ONE } else { 0 }
}

/// x if `x_wins`, else y, quieted if it is a NaN.
#[inline(always)]
fn plain(x_wins: bool, x: u32, y: u32) -> u32 {
    if x_wins { x } else { quieted(y) }
}

macro_rules! binary {
    ($($name:ident = |$a:ident, $b:ident| $body:expr;)*) => { $(
        pub(crate) struct $name;
        impl Op for $name {
            type A = u32;
            type B = u32;
            type R = u32;
            #[inline(always)]
            fn apply($a: u32, $b: u32, _: &Params) -> u32 {
                $body
            }
        }
    )* };
}

#[inline(always)]
fn nonzero(x: u32) -> bool {
    x & !SIGN != 0
}

/// The extreme that puts -0 below +0 and lets a NaN through; `x_first`: x is ordered before y as wanted.
#[inline(always)]
fn ordered(x_first: bool, equal: u32, x: u32, y: u32) -> u32 {
    let number = if x_first { x } else { y };
    let number = if f(x) == f(y) { equal } else { number };
    if is_nan(x) {
        x | QUIET
    } else if is_nan(y) {
        y | QUIET
    } else {
        number
    }
}

#[inline(always)]
fn number_wins(x_first: bool, equal: u32, x: u32, y: u32) -> u32 {
    match (is_nan(x), is_nan(y)) {
        (false, true) => x,
        (true, false) => y,
        _ => ordered(x_first, equal, x, y),
    }
}

binary! {
    Add = |a, b| with_nan(f(a) + f(b), a, b);
    Subtract = |a, b| with_nan(f(a) - f(b), a, b);
    Mult = |a, b| with_nan(f(a) * f(b), a, b);
    Divide = |a, b| with_nan(f(a) / f(b), a, b);
    AbsoluteDiff = |a, b| with_nan(f(a) - f(b), a, b) & !SIGN;
    Max = |a, b| plain(f(a) > f(b), a, b);
    Min = |a, b| plain(f(a) < f(b), a, b);
    MaxNumber = |a, b| number_wins(f(a) > f(b), a & b, a, b);
    MinNumber = |a, b| number_wins(f(a) < f(b), a | b, a, b);
    MaxPropagate = |a, b| ordered(f(a) > f(b), a & b, a, b);
    MinPropagate = |a, b| ordered(f(a) < f(b), a | b, a, b);
    AbsMax = |a, b| quieted(if f(a & !SIGN) > f(b & !SIGN) { a } else { b });
    AbsMin = |a, b| quieted(if f(a & !SIGN) < f(b & !SIGN) { a } else { b });
    AbsMaxMagnitude = |a, b| quieted(if f(a & !SIGN) > f(b & !SIGN) { a } else { b }) & !SIGN;
    AbsMinMagnitude = |a, b| quieted(if f(a & !SIGN) < f(b & !SIGN) { a } else { b }) & !SIGN;
    SymmetricClamp = |a, b| plain(f(a & !SIGN) > f(b & !SIGN), a & !SIGN, b & !SIGN) & !SIGN | a & SIGN;
    IsEq = |a, b| truth(f(a) == f(b));
    IsNe = |a, b| truth(f(a) != f(b));
    IsGt = |a, b| truth(f(a) > f(b));
    IsGe = |a, b| truth(f(a) >= f(b));
    IsLe = |a, b| truth(f(a) <= f(b));
    IsLt = |a, b| truth(f(a) < f(b));
    LogicalAnd = |a, b| truth(nonzero(a) & nonzero(b));
    LogicalOr = |a, b| truth(nonzero(a) | nonzero(b));
    LogicalXor = |a, b| truth(nonzero(a) ^ nonzero(b));
}

macro_rules! unary {
    ($($name:ident = |$a:ident| $body:expr;)*) => { $(
        pub(crate) struct $name;
        impl Op1 for $name {
            type A = u32;
            type R = u32;
            #[inline(always)]
            fn apply($a: u32, _: &Params) -> u32 {
                $body
            }
        }
    )* };
}

unary! {
    Bypass = |a| a;
    AbsoluteValue = |a| a & !SIGN;
    Square = |a| with_nan(f(a) * f(a), a, a);
    ReLu = |a| if f(a) > 0.0 { a } else { 0 };
}

/// BATCH_NORM_BACK_PROP with the channel's coefficients: src0 is the normalised x, src1 is dy.
pub(crate) struct BatchNorm;

impl Op for BatchNorm {
    type A = u32;
    type B = u32;
    type R = u32;
    #[inline(always)]
    fn apply(x_norm: u32, dy: u32, p: &Params) -> u32 {
        let [scale, n, d_beta, d_gamma] = p.coefficients;
        let sum = Subtract::apply(Mult::apply(n, dy, p), d_beta, p);
        let sum = Subtract::apply(sum, Mult::apply(x_norm, d_gamma, p), p);
        Mult::apply(scale, sum, p)
    }
}

/// Load, op and store of one dtype in one pass.
pub(crate) struct Fused<N, O>(PhantomData<(N, O)>);

impl<N: Number, O: Op<A = u32, B = u32, R = u32>> Op for Fused<N, O> {
    type A = N::Bits;
    type B = N::Bits;
    type R = N::Bits;
    #[inline(always)]
    fn apply(a: N::Bits, b: N::Bits, p: &Params) -> N::Bits {
        N::store(O::apply(N::load(a, p), N::load(b, p), p), p)
    }
}
