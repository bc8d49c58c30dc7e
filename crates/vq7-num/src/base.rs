//! The base band: operands to float32, the op there, the result to the out dtype ("the hub"), and the exits from it
//! that the policy opens (docs/spec/numbers.md, the base band).

use crate::basis::Case;
use crate::convert::{int_value, load, mask, store};
use crate::extremes;
use crate::integer;
use crate::lane::{Lane, LaneError};
use crate::soft_float::{self as float, Alarm, ONE, SIGN};
use crate::transcendental;
use std::cmp::Ordering;
use vq7_isa::AluOp;
use vq7_isa::alu_op::Arity;
use vq7_policy::{AbsMinMax, BaseInt, Knob, PowInt, Settled};

/// Evaluates a base-band op of the arithmetic class.
pub(crate) fn evaluate(lane: &Lane, a: u64, b: u64, case: &mut Case) -> Result<u64, LaneError> {
    // The only 64-bit dtypes are integers.
    if lane.src0.bits() == 64 || lane.src1.bits() == 64 || lane.out.bits() == 64 {
        return Err(LaneError::Unspecified);
    }
    if lane.op == AluOp::Bypass && lane.src0 == lane.out {
        case.rest_on(Settled::BypassCopy);
        return Ok(a);
    }
    let same_int32 = lane.src1 == lane.src0 && lane.out == lane.src0 && lane.src0.is_32bit_int();
    if same_int32 && lane.op == AluOp::Pow {
        case.ask(Knob::pow_int);
        if case.policy.pow_int == PowInt::Native32 {
            return Ok(wrapping_power(lane, a, b, case));
        }
    }
    if same_int32 && has_native32(lane.op) {
        case.ask(Knob::base_int);
        if case.policy.base_int == BaseInt::Native32 {
            return native32(lane, a, b, case);
        }
    }
    let x = load(a, lane.src0, case);
    // A unary op does not look at src1, and so does not raise what converting it would.
    let y = if lane.op.arity() == Arity::Unary { 0 } else { load(b, lane.src1, case) };
    let result = hub(lane.op, x, y, case)?;
    Ok(store(result, lane.out, case))
}

/// Ops that `base_int=native32` computes on integers: those whose result float32 can change.
const fn has_native32(op: AluOp) -> bool {
    use AluOp::*;
    op.exact_integer_twin(true).is_some() || matches!(op, AbsoluteValue | AbsMax | AbsMin | ReLu | Square)
}

/// A base-band op on three operands of one 32-bit integer dtype under `base_int=native32`: as its integer twin where it
/// has one, else on exact integers that wrap.
fn native32(lane: &Lane, a: u64, b: u64, case: &mut Case) -> Result<u64, LaneError> {
    use AluOp::*;
    let signed = lane.src0.is_signed_int();
    let (x, y) = (int_value(a, signed, 32), int_value(b, signed, 32));
    let number = match lane.op {
        AbsoluteValue => return integer::compute(AbsValueInt, lane, a, b, case),
        Square => return integer::compute(MultInt, lane, a, a, case),
        AbsoluteDiff if !signed => x.abs_diff(y).cast_signed(),
        ReLu => x.max(0),
        AbsMax | AbsMin => {
            let wanted = if lane.op == AbsMax { Ordering::Greater } else { Ordering::Less };
            let chosen = if x.abs().cmp(&y.abs()) == wanted { x } else { y };
            if chosen < 0 {
                case.ask(Knob::abs_minmax);
            }
            match case.policy.abs_minmax {
                AbsMinMax::SignedOriginal => chosen,
                AbsMinMax::Magnitude => chosen.abs(),
            }
        }
        op => {
            let twin =
                op.exact_integer_twin(signed).ok_or(LaneError::Unimplemented("an op without an integer form"))?;
            return integer::compute(twin, lane, a, b, case);
        }
    };
    Ok(number as u64 & mask(32))
}

/// The op on float32.
fn hub(op: AluOp, x: u32, y: u32, case: &mut Case) -> Result<u32, LaneError> {
    use AluOp::*;
    let truth = |value: bool| if value { ONE } else { 0 };
    Ok(match op {
        Bypass => x,
        IsEq | IsNe | IsGt | IsGe | IsLe | IsLt => truth(compare(op, x, y, case)),
        LogicalAnd | LogicalOr | LogicalXor => truth(logical(op, x, y, case)),
        Add => float::add(x, y, case),
        Subtract => float::sub(x, y, case),
        Mult => float::mul(x, y, case),
        Square => float::mul(x, x, case),
        Divide => {
            case.rest_on(Settled::DivideRefinement);
            float::div(x, y, case)
        }
        Max => extremes::extreme(Ordering::Greater, x, y, case),
        Min => extremes::extreme(Ordering::Less, x, y, case),
        AbsoluteValue => x & !SIGN,
        AbsoluteDiff => absolute_diff(x, y, case),
        AbsMax => extremes::abs_extreme(Ordering::Greater, x, y, case),
        AbsMin => extremes::abs_extreme(Ordering::Less, x, y, case),
        ReLu => relu(x, case),
        SymmetricClamp => {
            case.rest_on(Settled::SymmetricClamp);
            let magnitude = extremes::plain(Ordering::Greater, x & !SIGN, y & !SIGN, case);
            magnitude & !SIGN | x & SIGN
        }
        Pow => {
            case.rest_on(Settled::PowPolynomial);
            transcendental::pow(x, y, case)
        }
        Rsqrt => {
            case.rest_on(Settled::RsqrtPolynomial);
            transcendental::rsqrt(x, case)
        }
        _ => return Err(LaneError::Unimplemented("an op that is not of the base band")),
    })
}

/// Less, greater and their like are false on NaN and raise `invalid`; equality raises it on a signalling NaN only.
fn compare(op: AluOp, x: u32, y: u32, case: &mut Case) -> bool {
    use AluOp::*;
    case.rest_on(Settled::CompareEncoding);
    let alarm = if matches!(op, IsEq | IsNe) { Alarm::Signaling } else { Alarm::AnyNan };
    let order = float::compare(x, y, alarm, case);
    match op {
        IsEq => order == Some(Ordering::Equal),
        IsNe => order != Some(Ordering::Equal),
        IsGt => order == Some(Ordering::Greater),
        IsGe => order.is_some_and(Ordering::is_ge),
        IsLe => order.is_some_and(Ordering::is_le),
        _ => order == Some(Ordering::Less),
    }
}

/// Each operand becomes "is not zero", as by IS_NE: -0 is zero, a NaN is not.
fn logical(op: AluOp, x: u32, y: u32, case: &mut Case) -> bool {
    case.rest_on(Settled::CompareEncoding);
    let mut truth = |operand: u32| {
        if operand == SIGN || float::is_nan(operand) {
            case.rest_on(Settled::LogicalTruth);
        }
        float::compare(operand, 0, Alarm::Signaling, case) != Some(Ordering::Equal)
    };
    let (p, q) = (truth(x), truth(y));
    match op {
        AluOp::LogicalAnd => p && q,
        AluOp::LogicalOr => p || q,
        _ => p != q,
    }
}

/// round(x - y), then the sign cleared; of a NaN too.
fn absolute_diff(x: u32, y: u32, case: &mut Case) -> u32 {
    let earlier = std::mem::take(&mut case.flags);
    let difference = float::sub(x, y, case);
    if case.flags.inexact || float::is_nan(difference) {
        case.rest_on(Settled::AbsDiffOrder);
    }
    case.raise(earlier);
    difference & !SIGN
}

/// max(x, +0) by the plain maximum, whatever `minmax_nan` says: NaN and -0 give +0.
fn relu(x: u32, case: &mut Case) -> u32 {
    if x == SIGN || float::is_nan(x) {
        case.rest_on(Settled::ReluSpecials);
    }
    extremes::plain(Ordering::Greater, x, 0, case)
}

/// POW on int32 or uint32 under `pow_int=native32`: a to the power b modulo 2^32. The power with a negative exponent is
/// a fraction, cut toward zero: 0, unless the base is 1 or -1. 0 to a negative power is 0, too.
fn wrapping_power(lane: &Lane, a: u64, b: u64, case: &mut Case) -> u64 {
    let signed = lane.src0.is_signed_int();
    let exponent = int_value(b, signed, 32);
    let base = int_value(a, signed, 32);
    if exponent < 0 {
        // (-1)^-n = (-1)^n, and n is odd when -n is.
        return match (base, exponent % 2) {
            (1, _) | (-1, 0) => 1,
            (-1, _) => mask(32),
            _ => 0,
        };
    }
    let exponent = exponent as u32;
    let limit = if signed { 1 << 31 } else { 1 << 32 };
    if base.checked_pow(exponent).is_none_or(|power| !(-limit..limit).contains(&power)) {
        case.rest_on(Settled::IntWrap);
    }
    (a as u32).wrapping_pow(exponent).into()
}
