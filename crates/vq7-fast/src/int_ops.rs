//! The integer band and the bitvec ops on host integers. What is right is `vq7_num::int_ops` and `bitvec`.

use crate::body::{Op, Op1, Params};
use std::marker::PhantomData;

/// A host integer.
pub(crate) trait Int: Copy + PartialOrd + PartialEq {
    const ZERO: Self;
    const ONE: Self;
    const ONES: Self;
    const BITS: u32;
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    /// Quotient toward zero; `b` is not zero, and the smallest number by -1 is itself.
    fn quotient(self, b: Self) -> Self;
    /// The magnitude, wrapped.
    fn abs(self) -> Self;
    /// Whether the true magnitude is the larger one.
    fn larger(self, b: Self) -> bool;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn xor(self, b: Self) -> Self;
    fn not(self) -> Self;
    fn negative(self) -> bool;
    /// The bits as an unsigned number, not below `limit` if the number is not.
    fn count(self) -> u32;
    fn shl(self, count: u32) -> Self;
    fn shr(self, count: u32) -> Self;
    fn sar(self, count: u32) -> Self;
}

macro_rules! int {
    ($($t:ty, $u:ty, $s:ty, $abs:expr, $unsigned_abs:expr, $quotient:expr;)*) => { $(
        impl Int for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const ONES: Self = !0;
            const BITS: u32 = <$t>::BITS;
            #[inline(always)]
            fn add(self, b: Self) -> Self { self.wrapping_add(b) }
            #[inline(always)]
            fn sub(self, b: Self) -> Self { self.wrapping_sub(b) }
            #[inline(always)]
            fn mul(self, b: Self) -> Self { self.wrapping_mul(b) }
            #[inline(always)]
            fn quotient(self, b: Self) -> Self { $quotient(self, b) }
            #[inline(always)]
            fn abs(self) -> Self { $abs(self) }
            #[inline(always)]
            fn larger(self, b: Self) -> bool { $unsigned_abs(self) > $unsigned_abs(b) }
            #[inline(always)]
            fn and(self, b: Self) -> Self { self & b }
            #[inline(always)]
            fn or(self, b: Self) -> Self { self | b }
            #[inline(always)]
            fn xor(self, b: Self) -> Self { self ^ b }
            #[inline(always)]
            fn not(self) -> Self { !self }
            #[inline(always)]
            #[allow(unused_comparisons, clippy::absurd_extreme_comparisons, reason = "unsigned types are never negative")]
            fn negative(self) -> bool { self < 0 }
            #[inline(always)]
            fn count(self) -> u32 { (self as $u).min(255 as $u) as u32 }
            #[inline(always)]
            fn shl(self, count: u32) -> Self { ((self as $u).wrapping_shl(count)) as Self }
            #[inline(always)]
            fn shr(self, count: u32) -> Self { ((self as $u).wrapping_shr(count)) as Self }
            #[inline(always)]
            fn sar(self, count: u32) -> Self { ((self as $s).wrapping_shr(count)) as Self }
        }
    )* };
}

/// Through float32: exact below 24 bits, because a quotient that is no integer is further from one than the rounding.
macro_rules! through_f32 {
    ($t:ty) => {
        |a: $t, b: $t| {
            // SAFETY: the quotient of two numbers of at most 16 bits lies within an i32; b is not zero.
            let quotient: i32 = unsafe { (a as f32 / b as f32).to_int_unchecked() };
            quotient as $t
        }
    };
}

int! {
    i8, u8, i8, i8::wrapping_abs, i8::unsigned_abs, through_f32!(i8);
    u8, u8, i8, |x| x, |x: u8| x, through_f32!(u8);
    i16, u16, i16, i16::wrapping_abs, i16::unsigned_abs, through_f32!(i16);
    u16, u16, i16, |x| x, |x: u16| x, through_f32!(u16);
    i32, u32, i32, i32::wrapping_abs, i32::unsigned_abs, |a: i32, b: i32| {
        // Through float64, exact for the same reason; only the smallest number by -1 leaves the range.
        let by = if b == -1 { 1 } else { b };
        // SAFETY: the magnitude of the quotient is at most the dividend's, and by is not zero.
        let quotient: i32 = unsafe { (f64::from(a) / f64::from(by)).to_int_unchecked() };
        if b == -1 { a.wrapping_neg() } else { quotient }
    };
    u32, u32, i32, |x| x, |x: u32| x, |a: u32, b: u32| {
        // SAFETY: the quotient is at most the dividend, and b is not zero.
        unsafe { (f64::from(a) / f64::from(b)).to_int_unchecked::<u32>() }
    };
    i64, u64, i64, i64::wrapping_abs, i64::unsigned_abs, |a: i64, b: i64| {
        let quotient = quotient64(a.unsigned_abs(), b.unsigned_abs()).cast_signed();
        if (a < 0) != (b < 0) { quotient.wrapping_neg() } else { quotient }
    };
    u64, u64, i64, |x| x, |x: u64| x, quotient64;
}

/// The quotient of two 64-bit numbers through float64: two approximations, each of which leaves a much smaller rest, and
/// a last correction by one. `b` is not zero.
#[inline(always)]
fn quotient64(a: u64, b: u64) -> u64 {
    let by = b as f64;
    // Rounded below 2^64: the largest float64 under it. The error is at most 2^12 units or so, of either sign.
    let first = (a as f64 / by).min(18_446_744_073_709_549_568.0);
    // SAFETY: not negative, below 2^64, and no NaN, as b is not zero.
    let first: u64 = unsafe { first.to_int_unchecked() };
    // A divisor of 2^63 and above has a quotient of 0 or 1, and its rest may not be read as a signed number.
    let rest = a.wrapping_sub(first.wrapping_mul(b)).cast_signed();
    // SAFETY: at most 2^63 / 1 in magnitude would need the rest to be 2^63; it is at most some 2^13 divisors.
    let second: i64 = unsafe { (rest as f64 / by).to_int_unchecked() };
    let quotient = first.wrapping_add_signed(second);
    let rest = rest.wrapping_sub(second.wrapping_mul(b.cast_signed()));
    // The rest is now within one divisor of its place.
    let quotient = if rest < 0 { quotient.wrapping_sub(1) } else { quotient };
    let quotient = if rest >= 0 && rest.cast_unsigned() >= b { quotient.wrapping_add(1) } else { quotient };
    if b >> 63 == 1 { u64::from(a >= b) } else { quotient }
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = |$a:ident, $b:ident, $p:ident| $body:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Int> Op for $name<T> {
            type A = T;
            type B = T;
            type R = T;
            #[inline(always)]
            fn apply($a: T, $b: T, $p: &Params) -> T {
                let _ = $p;
                $body
            }
        }
    )* };
}

#[inline(always)]
fn truth<T: Int>(value: bool) -> T {
    if value { T::ONE } else { T::ZERO }
}

#[inline(always)]
fn is_zero<T: Int>(x: T) -> bool {
    x == T::ZERO
}

#[inline(always)]
fn divide<T: Int>(a: T, b: T, p: &Params) -> T {
    let by = if is_zero(b) { T::ONE } else { b };
    let quotient = a.quotient(by);
    let on_zero = if p.ones_on_zero { T::ONES } else { T::ZERO };
    if is_zero(b) { on_zero } else { quotient }
}

#[inline(always)]
fn remainder<T: Int>(a: T, b: T) -> T {
    let by = if is_zero(b) { T::ONE } else { b };
    let rest = a.sub(a.quotient(by).mul(by));
    if is_zero(b) { a } else { rest }
}

/// A count of the width and above moves every bit out.
#[inline(always)]
fn within<T: Int>(count: u32, moved: T) -> T {
    if count < T::BITS { moved } else { T::ZERO }
}

binary! {
    Add = |a, b, p| a.add(b);
    Subtract = |a, b, p| a.sub(b);
    Mult = |a, b, p| a.mul(b);
    Divide = |a, b, p| divide(a, b, p);
    Remainder = |a, b, p| remainder(a, b);
    /// MOD with the sign of the divisor.
    Floored = |a, b, p| {
        let rest = remainder(a, b);
        let moves = !is_zero(b) & !is_zero(rest) & (rest.negative() != b.negative());
        if moves { rest.add(b) } else { rest }
    };
    Max = |a, b, p| if a > b { a } else { b };
    Min = |a, b, p| if a < b { a } else { b };
    IsEqual = |a, b, p| truth(a == b);
    IsNe = |a, b, p| truth(a != b);
    IsGt = |a, b, p| truth(a > b);
    IsGe = |a, b, p| truth(a >= b);
    IsLe = |a, b, p| truth(a <= b);
    IsLt = |a, b, p| truth(a < b);
    AbsDiff = |a, b, p| if a >= b { a.sub(b) } else { b.sub(a) };
    /// By wrapped magnitudes, as signed numbers.
    AbsMax = |a, b, p| if a.abs() > b.abs() { a.abs() } else { b.abs() };
    AbsMin = |a, b, p| if a.abs() < b.abs() { a.abs() } else { b.abs() };
    /// The operand itself.
    AbsMaxOriginal = |a, b, p| if a.larger(b) { a } else { b };
    AbsMinOriginal = |a, b, p| if b.larger(a) { a } else { b };
    /// By true magnitudes, for mixed widths.
    AbsMaxTrue = |a, b, p| if a.larger(b) { a.abs() } else { b.abs() };
    AbsMinTrue = |a, b, p| if b.larger(a) { a.abs() } else { b.abs() };
    And = |a, b, p| a.and(b);
    Or = |a, b, p| a.or(b);
    Xor = |a, b, p| a.xor(b);
    ShiftLeft = |a, b, p| within(b.count(), a.shl(b.count()));
    ShiftRight = |a, b, p| within(b.count(), a.shr(b.count()));
    ShiftRightArithmetic = |a, b, p| a.sar(b.count().min(T::BITS - 1));
}

macro_rules! unary {
    ($($name:ident = |$a:ident| $body:expr;)*) => { $(
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Int> Op1 for $name<T> {
            type A = T;
            type R = T;
            #[inline(always)]
            fn apply($a: T, _: &Params) -> T {
                $body
            }
        }
    )* };
}

unary! {
    Not = |a| a.not();
    Abs = |a| a.abs();
    Copy1 = |a| a;
}

/// One integer type to another, by sign or zero extension or by cutting.
pub(crate) struct Resize<T, U>(PhantomData<(T, U)>);

macro_rules! resize {
    ($($t:ty => $u:ty),*) => { $(
        impl Op1 for Resize<$t, $u> {
            type A = $t;
            type R = $u;
            #[inline(always)]
            fn apply(a: $t, _: &Params) -> $u {
                a as $u
            }
        }
    )* };
}
resize!(i8 => i64, i16 => i64, i32 => i64, u8 => u64, u16 => u64, u32 => u64, u64 => u8, u64 => u16, u64 => u32);
