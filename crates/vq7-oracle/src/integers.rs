//! The integer band, bitwise ops and shifts by plain definitions on 128-bit integers.
//!
//! The engine model builds 64-bit integers from 32-bit halves and wraps step by step; here a result is one exact number
//! that is cut to its width at the end.

use crate::verdict::{Expected, flag};
use vq7_isa::AluOp::{self, *};
use vq7_isa::Dtype;
use vq7_policy::{AbsMinMaxInt, IntDivZero, IntNarrow, ModSign, Policy, ShiftOver};

/// Integer-band ops whose signedness is that of the dtype.
pub const SHARED: [AluOp; 9] = [AddInt, SubtractInt, MultInt, DivideInt, ModInt, Mod, IsEqualInt, IsNeInt, AbsValueInt];
/// Integer-band ops on signed numbers.
pub const SIGNED: [AluOp; 9] = [AbsMaxInt, AbsMinInt, AbsDiffInt, MaxInt, MinInt, IsGtInt, IsGeInt, IsLeInt, IsLtInt];
/// Integer-band ops on unsigned numbers.
pub const UNSIGNED: [AluOp; 9] =
    [MaxUint, MinUint, IsGtUint, IsGeUint, IsLeUint, IsLtUint, MultUint, DivideUint, ModUint];
/// Ops on bit patterns.
pub const BITWISE: [AluOp; 4] = [BitwiseNot, BitwiseAnd, BitwiseOr, BitwiseXor];
/// Shifts.
pub const SHIFTS: [AluOp; 4] = [ArithShiftLeft, ArithShiftRight, LogicalShiftLeft, LogicalShiftRight];

/// All ops that this judge knows.
pub fn ops() -> impl Iterator<Item = AluOp> {
    SHARED.into_iter().chain(SIGNED).chain(UNSIGNED).chain(BITWISE).chain(SHIFTS)
}

/// The number that the low `width` bits mean.
pub fn number(bits: u64, width: u32, signed: bool) -> i128 {
    let bits = bits & mask(width);
    if signed && bits >> (width - 1) == 1 { i128::from(bits) - (1 << width) } else { bits.into() }
}

/// The smallest and the largest number of a width.
pub const fn range(width: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

const fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The judge of one op on three dtypes under a policy.
#[derive(Clone, Copy, Debug)]
pub struct Integers {
    op: AluOp,
    /// Widths of src0, src1 and the result.
    widths: [u32; 3],
    signed: bool,
    policy: Policy,
}

impl Integers {
    /// The judge, or `None` where it has nothing to say.
    pub fn new(op: AluOp, types: [Dtype; 3], policy: &Policy) -> Option<Self> {
        let [src0, src1, out] = types;
        let signed = src0.is_signed_int();
        let takes = if BITWISE.contains(&op) {
            src1 == src0 && out == src0
        } else if SHIFTS.contains(&op) {
            out == src0 && (src1 == src0 || (src0.is_64bit_int() && src1 == Dtype::Uint32))
        } else {
            let one_kind = types.iter().all(|dtype| dtype.is_int() && dtype.is_signed_int() == signed);
            let pinned = if signed { SIGNED } else { UNSIGNED };
            one_kind
                && (SHARED.contains(&op) || pinned.contains(&op))
                && !(divides(op) && policy.int_div_zero == IntDivZero::Trap)
        };
        takes.then_some(Self { op, widths: types.map(Dtype::bits), signed, policy: *policy })
    }

    /// What the lane should give.
    pub fn judge(&self, a: u64, b: u64) -> Expected {
        let [width0, width1, _] = self.widths;
        let bits = match self.op {
            BitwiseNot => !a & mask(width0),
            BitwiseAnd => a & b,
            BitwiseOr => a | b,
            BitwiseXor => a ^ b,
            op if SHIFTS.contains(&op) => self.shift(a, b),
            _ => self.cut(number(a, width0, self.signed), number(b, width1, self.signed)),
        };
        let by_zero = divides(self.op) && b & mask(width1) == 0;
        Expected::exactly(bits, if by_zero { flag::INT_DIV_ZERO } else { 0 })
    }

    fn same_width(&self) -> bool {
        self.widths[0] == self.widths[1] && self.widths[1] == self.widths[2]
    }

    /// The exact result in the bits of the out dtype.
    fn cut(&self, a: i128, b: i128) -> u64 {
        let width = self.widths[2];
        let exact = self.define(a, b);
        if self.same_width() || self.policy.int_narrow == IntNarrow::LowBits {
            return exact as u64 & mask(width);
        }
        let (min, max) = range(width, self.signed);
        // The product of two unsigned 64-bit numbers is the one result that 128 signed bits do not hold.
        let overflows = matches!(self.op, MultInt | MultUint) && a.checked_mul(b).is_none();
        (if overflows { max } else { exact.clamp(min, max) }) as u64 & mask(width)
    }

    /// The definition: an exact number, before it is cut to the out width.
    fn define(&self, a: i128, b: i128) -> i128 {
        let truth = i128::from;
        match self.op {
            AddInt => a + b,
            SubtractInt => a - b,
            MultInt | MultUint => a.wrapping_mul(b),
            DivideInt | DivideUint if b == 0 => match self.policy.int_div_zero {
                IntDivZero::Zero => 0,
                _ if self.signed => -1,
                _ => mask(self.widths[2]).into(),
            },
            ModInt | ModUint | Mod if b == 0 => a,
            DivideInt | DivideUint => a / b,
            ModInt | ModUint => a % b,
            Mod => match self.policy.mod_sign {
                ModSign::Dividend => a % b,
                // a - b * floor(a / b)
                ModSign::Divisor => a - b * (a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0)),
            },
            IsEqualInt => truth(a == b),
            IsNeInt => truth(a != b),
            IsGtInt | IsGtUint => truth(a > b),
            IsGeInt | IsGeUint => truth(a >= b),
            IsLeInt | IsLeUint => truth(a <= b),
            IsLtInt | IsLtUint => truth(a < b),
            MaxInt | MaxUint => a.max(b),
            MinInt | MinUint => a.min(b),
            AbsValueInt => a.abs(),
            AbsDiffInt => (a - b).abs(),
            AbsMaxInt | AbsMinInt => self.abs_extreme(a, b),
            // `new` lets no other op in.
            _ => 0,
        }
    }

    /// Magnitudes wrap where all operands have one width.
    fn abs_extreme(&self, a: i128, b: i128) -> i128 {
        let greater = self.op == AbsMaxInt;
        let magnitude = |x: i128| match self.same_width() {
            true => number(x.unsigned_abs() as u64, self.widths[0], self.signed),
            false => x.abs(),
        };
        match self.policy.abs_minmax_int {
            AbsMinMaxInt::Magnitude if greater => magnitude(a).max(magnitude(b)),
            AbsMinMaxInt::Magnitude => magnitude(a).min(magnitude(b)),
            AbsMinMaxInt::SignedOriginal if a.abs() == b.abs() => b,
            AbsMinMaxInt::SignedOriginal => {
                if (a.abs() > b.abs()) == greater {
                    a
                } else {
                    b
                }
            }
        }
    }

    fn shift(&self, a: u64, count: u64) -> u64 {
        let width = self.widths[0];
        let (reverse, amount) = match self.policy.shift_over {
            _ if count < width.into() => (false, count),
            ShiftOver::Flush => (false, width.into()),
            ShiftOver::Mod32 => (false, count % 32),
            ShiftOver::IvpSigned => {
                // A signed number of 5, 6, 7 or 8 bits.
                let bits = width.trailing_zeros() + 2;
                let signed = number(count, bits, true);
                (signed < 0, signed.unsigned_abs() as u64)
            }
        };
        let amount = amount.min(width.into()) as u32;
        let left = matches!(self.op, ArithShiftLeft | LogicalShiftLeft) != reverse;
        let arithmetic = matches!(self.op, ArithShiftLeft | ArithShiftRight);
        let wide = number(a, width, arithmetic);
        (if left { (wide as u128) << amount } else { (wide >> amount) as u128 }) as u64 & mask(width)
    }
}

const fn divides(op: AluOp) -> bool {
    matches!(op, DivideInt | DivideUint | ModInt | ModUint | Mod)
}
