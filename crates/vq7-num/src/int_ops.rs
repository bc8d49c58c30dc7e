//! Integers of at most 32 bits, and operands of mixed widths: computed exactly, then cut to the width.
//!
//! 128-bit host integers hold every exact result but one, the product of two unsigned 64-bit operands
//! (docs/spec/numbers.md, integer ops).

use crate::basis::Case;
use crate::convert::mask;
use crate::flags::Flags;
use crate::lane::LaneError;
use vq7_isa::{AluOp, Dtype};
use vq7_policy::{AbsMinMaxInt, IntDivZero, IntNarrow, Knob, ModSign, Settled};

/// What the integer rules need to know of the operands' dtypes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Widths {
    /// Whether the numbers are signed.
    pub signed: bool,
    /// The dtype of the result.
    pub out: Dtype,
    /// The width of all three operands if they have one width: results wrap there. `None`: mixed.
    pub common: Option<u32>,
}

/// An integer-band op on two numbers; the result has the bits of the out dtype.
pub(crate) fn evaluate(op: AluOp, widths: Widths, a: i128, b: i128, case: &mut Case) -> Result<u64, LaneError> {
    Ok(finish(exact(op, widths, a, b, case)?, widths, case))
}

/// An exact result: the number for the range check, clamped if 128 bits do not hold it, and its low bits.
struct Exact {
    number: i128,
    low: i128,
}

impl From<i128> for Exact {
    fn from(number: i128) -> Self {
        Self { number, low: number }
    }
}

fn exact(op: AluOp, widths: Widths, a: i128, b: i128, case: &mut Case) -> Result<Exact, LaneError> {
    use AluOp::*;
    let number = match op {
        AddInt => a + b,
        SubtractInt => a - b,
        MultInt | MultUint => {
            return Ok(Exact { number: a.saturating_mul(b), low: a.wrapping_mul(b) });
        }
        DivideInt | DivideUint => divide(widths, a, b, case)?.0,
        ModInt | ModUint => divide(widths, a, b, case)?.1,
        Mod => modulo(widths, a, b, case)?,
        MaxInt | MaxUint => a.max(b),
        MinInt | MinUint => a.min(b),
        IsEqualInt => (a == b).into(),
        IsNeInt => (a != b).into(),
        IsGtInt | IsGtUint => (a > b).into(),
        IsGeInt | IsGeUint => (a >= b).into(),
        IsLeInt | IsLeUint => (a <= b).into(),
        IsLtInt | IsLtUint => (a < b).into(),
        AbsValueInt => a.abs(),
        AbsDiffInt => (a - b).abs(),
        AbsMaxInt => abs_extreme(widths, a, b, |x, y| x > y, case),
        AbsMinInt => abs_extreme(widths, a, b, |x, y| x < y, case),
        _ => return Err(LaneError::Unimplemented("an op that is not of the integer band")),
    };
    Ok(number.into())
}

/// Quotient toward zero and remainder of the dividend's sign, with the `int_div_zero` knob.
fn divide(widths: Widths, a: i128, b: i128, case: &mut Case) -> Result<(i128, i128), LaneError> {
    if b == 0 {
        case.ask(Knob::int_div_zero);
        case.raise(Flags { int_div_zero: true, ..Flags::NONE });
        // All ones is -1 as a signed number and the largest one as an unsigned number.
        let ones = if widths.signed { -1 } else { mask(widths.out.bits()).into() };
        return match case.policy.int_div_zero {
            IntDivZero::Ones => Ok((ones, a)),
            IntDivZero::Zero => Ok((0, a)),
            IntDivZero::Trap => Err(LaneError::DivideByZero),
        };
    }
    Ok((a / b, a % b))
}

/// MOD with the `mod_sign` knob: a remainder whose sign is not the divisor's moves by one divisor.
fn modulo(widths: Widths, a: i128, b: i128, case: &mut Case) -> Result<i128, LaneError> {
    let (_, remainder) = divide(widths, a, b, case)?;
    if b == 0 || remainder == 0 || (remainder < 0) == (b < 0) {
        return Ok(remainder);
    }
    case.ask(Knob::mod_sign);
    Ok(match case.policy.mod_sign {
        ModSign::Divisor => remainder + b,
        ModSign::Dividend => remainder,
    })
}

/// ABS_MAX_INT and ABS_MIN_INT with the `abs_minmax_int` knob. The magnitude wraps where all operands have one width:
/// the magnitude of the smallest number is that number.
fn abs_extreme(widths: Widths, a: i128, b: i128, wins: impl Fn(i128, i128) -> bool, case: &mut Case) -> i128 {
    let magnitude = |x: i128| match widths.common {
        Some(width) if widths.signed && x == -(1 << (width - 1)) => x,
        _ => x.abs(),
    };
    let original = if wins(a.abs(), b.abs()) { a } else { b };
    let (x, y) = (magnitude(a), magnitude(b));
    let wrapped = if wins(x, y) { x } else { y };
    if original != wrapped {
        case.ask(Knob::abs_minmax_int);
    }
    match case.policy.abs_minmax_int {
        AbsMinMaxInt::Magnitude => wrapped,
        AbsMinMaxInt::SignedOriginal => original,
    }
}

/// Cuts an exact result to the out dtype: it wraps where all operands have one width, and obeys `int_narrow` elsewhere.
fn finish(exact: Exact, widths: Widths, case: &mut Case) -> u64 {
    let width = widths.out.bits();
    let (min, max) = range(widths.signed, width);
    let low = exact.low as u64 & mask(width);
    if (min..=max).contains(&exact.number) {
        return low;
    }
    if widths.common.is_some() {
        note_wrap(width, case);
        return low;
    }
    case.ask(Knob::int_narrow);
    match case.policy.int_narrow {
        IntNarrow::LowBits => low,
        IntNarrow::Saturate => exact.number.clamp(min, max) as u64 & mask(width),
    }
}

fn note_wrap(width: u32, case: &mut Case) {
    case.rest_on(if width < 32 { Settled::IntWrapNarrow } else { Settled::IntWrap });
}

/// The smallest and the largest number of a width.
const fn range(signed: bool, width: u32) -> (i128, i128) {
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

/// Notes what a division rests on beyond its policy knobs: how it rounds, and which signedness it has.
pub(crate) fn note_division(op: AluOp, widths: Widths, a: i128, b: i128, case: &mut Case) {
    use AluOp::*;
    let rounds = |b: i128| a % b != 0 || (b == -1 && widths.common.is_some_and(|width| a == range(true, width).0));
    if matches!(op, DivideInt | DivideUint | ModInt | ModUint) && b != 0 && rounds(b) {
        case.rest_on(Settled::IntDivTruncates);
    }
    // Signed and unsigned division differ where the top bit of an operand could be a sign.
    let could_be_negative = |x: i128| widths.common.is_none_or(|width| x >> (width - 1) & 1 == 1);
    if matches!(op, DivideInt | ModInt) && !widths.signed && (could_be_negative(a) || could_be_negative(b)) {
        case.rest_on(Settled::IntDivSign);
    }
}
