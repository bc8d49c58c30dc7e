//! 64-bit integers as the engine has them: pairs of 32-bit halves.
//!
//! The vector unit has no 64-bit lane. Add and subtract thread a carry or borrow from the low half to the high one,
//! multiply sums 32 x 32 -> 64 partial products, compares let the high half decide and the low half break ties, shifts
//! splice bits across the halves, and division shifts and subtracts on the pair (docs/spec/numbers.md, 64-bit).
//!
//! **Invariant:** nothing here uses 64-bit arithmetic except the product of two halves.

use crate::basis::Case;
use crate::flags::Flags;
use crate::lane::LaneError;
use crate::shift::Shift;
use std::cmp::Ordering;
use vq7_isa::AluOp;
use vq7_policy::{AbsMinMaxInt, IntDivZero, Knob, ModSign};

/// A 64-bit integer: an even register with the low half, the odd one after it with the high half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Bits 31..0.
    pub lo: u32,
    /// Bits 63..32.
    pub hi: u32,
}

impl Pair {
    /// 0
    pub const ZERO: Self = Self { lo: 0, hi: 0 };
    /// 1
    pub const ONE: Self = Self { lo: 1, hi: 0 };
    /// All bits set: -1, or the largest unsigned number.
    pub const ONES: Self = Self { lo: u32::MAX, hi: u32::MAX };

    /// The halves of a 64-bit pattern.
    pub const fn from_bits(bits: u64) -> Self {
        Self { lo: bits as u32, hi: (bits >> 32) as u32 }
    }

    /// The pattern of the halves.
    pub const fn bits(self) -> u64 {
        (self.hi as u64) << 32 | self.lo as u64
    }

    const fn is_zero(self) -> bool {
        self.lo == 0 && self.hi == 0
    }

    const fn is_negative(self) -> bool {
        self.hi >> 31 == 1
    }

    const fn truth(value: bool) -> Self {
        Self { lo: value as u32, hi: 0 }
    }

    const fn not(self) -> Self {
        Self { lo: !self.lo, hi: !self.hi }
    }

    /// Low halves first; a sum below an addend has carried.
    pub const fn add(self, other: Self) -> Self {
        let lo = self.lo.wrapping_add(other.lo);
        let carry = (lo < self.lo) as u32;
        Self { lo, hi: self.hi.wrapping_add(other.hi).wrapping_add(carry) }
    }

    /// Low halves first; a smaller minuend has borrowed.
    pub const fn sub(self, other: Self) -> Self {
        let borrow = (self.lo < other.lo) as u32;
        Self { lo: self.lo.wrapping_sub(other.lo), hi: self.hi.wrapping_sub(other.hi).wrapping_sub(borrow) }
    }

    /// The low 64 bits of the product. high * high lies above them, and of the cross products only the low halves count.
    pub const fn mul(self, other: Self) -> Self {
        let low = self.lo as u64 * other.lo as u64;
        let cross = self.hi.wrapping_mul(other.lo).wrapping_add(self.lo.wrapping_mul(other.hi));
        let Self { lo, hi } = Self::from_bits(low);
        Self { lo, hi: hi.wrapping_add(cross) }
    }

    const fn neg(self) -> Self {
        Self::ZERO.sub(self)
    }

    /// The magnitude, read as unsigned; read as signed it wraps: the magnitude of the smallest number is that number.
    const fn abs(self) -> Self {
        if self.is_negative() { self.neg() } else { self }
    }

    /// The high halves decide, as signed or unsigned numbers; the low halves break ties, always unsigned.
    pub fn compare(self, other: Self, signed: bool) -> Ordering {
        let high = if signed { self.hi.cast_signed().cmp(&other.hi.cast_signed()) } else { self.hi.cmp(&other.hi) };
        high.then(self.lo.cmp(&other.lo))
    }

    /// Left by `amount`, zeros behind. 64 and more give 0.
    const fn shift_left(self, amount: u32) -> Self {
        match amount {
            0 => self,
            1..=31 => Self { lo: self.lo << amount, hi: self.hi << amount | self.lo >> (32 - amount) },
            32..=63 => Self { lo: 0, hi: self.lo << (amount - 32) },
            _ => Self::ZERO,
        }
    }

    /// Right by `amount`, copies of `fill` (all zeros or all ones) behind. 64 and more give `fill` in both halves.
    const fn shift_right(self, amount: u32, fill: u32) -> Self {
        match amount {
            0 => self,
            1..=31 => {
                Self { lo: self.lo >> amount | self.hi << (32 - amount), hi: self.hi >> amount | fill << (32 - amount) }
            }
            32 => Self { lo: self.hi, hi: fill },
            33..=63 => Self { lo: self.hi >> (amount - 32) | fill << (64 - amount), hi: fill },
            _ => Self { lo: fill, hi: fill },
        }
    }

    /// Quotient and remainder of unsigned division, by restoring shift and subtract: 64 steps, one quotient bit each.
    /// A zero divisor gives what the steps give: all ones and the dividend.
    fn divide_unsigned(self, divisor: Self) -> (Self, Self) {
        let (mut quotient, mut remainder) = (self, Self::ZERO);
        for _ in 0..64 {
            // The top bit of what is left of the dividend moves from `quotient` into `remainder`. The remainder is at
            // most the part of the dividend seen so far, so nothing is lost above it.
            let top = quotient.hi >> 31;
            remainder = remainder.shift_left(1);
            remainder.lo |= top;
            quotient = quotient.shift_left(1);
            if remainder.compare(divisor, false).is_ge() {
                remainder = remainder.sub(divisor);
                quotient.lo |= 1;
            }
        }
        (quotient, remainder)
    }

    /// Quotient toward zero, remainder with the sign of the dividend. The smallest number by -1 wraps to itself.
    fn divide_signed(self, divisor: Self) -> (Self, Self) {
        let (quotient, remainder) = self.abs().divide_unsigned(divisor.abs());
        let quotient = if self.is_negative() != divisor.is_negative() { quotient.neg() } else { quotient };
        let remainder = if self.is_negative() { remainder.neg() } else { remainder };
        (quotient, remainder)
    }
}

/// A bitvec op on pairs. Only a shift, already resolved, carries bits from one half to the other.
pub(crate) fn bitvec(op: AluOp, shift: Option<Shift>, a: Pair, b: Pair) -> Pair {
    match (op, shift) {
        (_, Some(Shift::Left(amount))) => a.shift_left(amount),
        (_, Some(Shift::Right(amount))) => a.shift_right(amount, 0),
        (_, Some(Shift::RightArithmetic(amount))) => a.shift_right(amount, if a.is_negative() { u32::MAX } else { 0 }),
        (AluOp::BitwiseNot, _) => a.not(),
        (AluOp::BitwiseAnd, _) => Pair { lo: a.lo & b.lo, hi: a.hi & b.hi },
        (AluOp::BitwiseOr, _) => Pair { lo: a.lo | b.lo, hi: a.hi | b.hi },
        (AluOp::BitwiseXor, _) => Pair { lo: a.lo ^ b.lo, hi: a.hi ^ b.hi },
        _ => a,
    }
}

/// An integer-band op on three 64-bit operands.
pub(crate) fn integer(op: AluOp, signed: bool, a: Pair, b: Pair, case: &mut Case) -> Result<Pair, LaneError> {
    use AluOp::*;
    let order = || a.compare(b, signed);
    Ok(match op {
        AddInt => a.add(b),
        SubtractInt => a.sub(b),
        MultInt | MultUint => a.mul(b),
        DivideInt | DivideUint => divide(signed, a, b, case)?.0,
        ModInt | ModUint => divide(signed, a, b, case)?.1,
        Mod => modulo(signed, a, b, case)?,
        MaxInt | MaxUint => {
            if order().is_gt() {
                a
            } else {
                b
            }
        }
        MinInt | MinUint => {
            if order().is_lt() {
                a
            } else {
                b
            }
        }
        IsEqualInt => Pair::truth(order().is_eq()),
        IsNeInt => Pair::truth(order().is_ne()),
        IsGtInt | IsGtUint => Pair::truth(order().is_gt()),
        IsGeInt | IsGeUint => Pair::truth(order().is_ge()),
        IsLeInt | IsLeUint => Pair::truth(order().is_le()),
        IsLtInt | IsLtUint => Pair::truth(order().is_lt()),
        AbsValueInt => {
            if signed {
                a.abs()
            } else {
                a
            }
        }
        AbsDiffInt => {
            if order().is_ge() {
                a.sub(b)
            } else {
                b.sub(a)
            }
        }
        AbsMaxInt => abs_extreme(signed, Ordering::Greater, a, b, case),
        AbsMinInt => abs_extreme(signed, Ordering::Less, a, b, case),
        _ => return Err(LaneError::Unimplemented("an op that is not of the integer band")),
    })
}

/// Quotient and remainder with the `int_div_zero` knob.
fn divide(signed: bool, a: Pair, b: Pair, case: &mut Case) -> Result<(Pair, Pair), LaneError> {
    if b.is_zero() {
        case.ask(Knob::int_div_zero);
        case.raise(Flags { int_div_zero: true, ..Flags::NONE });
        return match case.policy.int_div_zero {
            IntDivZero::Ones => Ok((Pair::ONES, a)),
            IntDivZero::Zero => Ok((Pair::ZERO, a)),
            IntDivZero::Trap => Err(LaneError::DivideByZero),
        };
    }
    Ok(if signed { a.divide_signed(b) } else { a.divide_unsigned(b) })
}

/// MOD with the `mod_sign` knob: a remainder whose sign is not the divisor's moves by one divisor.
fn modulo(signed: bool, a: Pair, b: Pair, case: &mut Case) -> Result<Pair, LaneError> {
    let (_, remainder) = divide(signed, a, b, case)?;
    if !signed || b.is_zero() || remainder.is_zero() || remainder.is_negative() == b.is_negative() {
        return Ok(remainder);
    }
    case.ask(Knob::mod_sign);
    Ok(match case.policy.mod_sign {
        ModSign::Divisor => remainder.add(b),
        ModSign::Dividend => remainder,
    })
}

/// ABS_MAX_INT (`wanted` greater) and ABS_MIN_INT (`wanted` less) with the `abs_minmax_int` knob.
fn abs_extreme(signed: bool, wanted: Ordering, a: Pair, b: Pair, case: &mut Case) -> Pair {
    let magnitude = |x: Pair| if signed { x.abs() } else { x };
    let pick = |order: Ordering, x, y| if order == wanted { x } else { y };
    // The operand by its true magnitude, and the magnitude as a signed number that may have wrapped.
    let original = pick(magnitude(a).compare(magnitude(b), false), a, b);
    let wrapped = pick(magnitude(a).compare(magnitude(b), signed), magnitude(a), magnitude(b));
    if original != wrapped {
        case.ask(Knob::abs_minmax_int);
    }
    match case.policy.abs_minmax_int {
        AbsMinMaxInt::Magnitude => wrapped,
        AbsMinMaxInt::SignedOriginal => original,
    }
}
