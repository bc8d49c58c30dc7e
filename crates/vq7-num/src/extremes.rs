//! Maximum and minimum of float32, in the variants that sources know (docs/spec/numbers.md, MIN and MAX).
//!
//! `wanted` is the order that x must have to y for x to win: `Greater` makes a maximum, `Less` a minimum.

use crate::basis::Case;
use crate::flags::Flags;
use crate::soft_float::{self as float, SIGN, is_nan, is_signaling, order, quiet};
use std::cmp::Ordering;
use vq7_policy::{AbsMinMax, Knob, MinMaxNan};

/// MAX and MIN with the `minmax_nan` knob, which also decides between -0 and +0.
pub(crate) fn extreme(wanted: Ordering, x: u32, y: u32, case: &mut Case) -> u32 {
    if x != y && matches!(order(x, y), None | Some(Ordering::Equal)) {
        case.ask(Knob::minmax_nan);
    }
    match case.policy.minmax_nan {
        MinMaxNan::SelectSecond => plain(wanted, x, y, case),
        MinMaxNan::NumberWins => match (is_nan(x), is_nan(y)) {
            (false, true) => {
                quiet(y, case);
                x
            }
            (true, false) => {
                quiet(x, case);
                y
            }
            _ => ordered(wanted, x, y, case),
        },
        MinMaxNan::Propagate => ordered(wanted, x, y, case),
    }
}

/// The plain instruction: x if it is ordered before y as wanted, else y. So a NaN in x gives y, a NaN in y gives that
/// NaN, and a tie gives y. Signalling NaNs raise `invalid`.
pub(crate) fn plain(wanted: Ordering, x: u32, y: u32, case: &mut Case) -> u32 {
    if is_signaling(x) || is_signaling(y) {
        case.raise(Flags::INVALID);
    }
    if order(x, y) == Some(wanted) {
        x
    } else if is_nan(y) {
        quiet(y, case)
    } else {
        y
    }
}

/// The extreme that puts -0 below +0; a NaN among the operands comes out.
fn ordered(wanted: Ordering, x: u32, y: u32, case: &mut Case) -> u32 {
    match order(x, y) {
        None => float::propagate_nan(x, y, case),
        // Equal numbers with different bits are the zeros: the maximum is the positive one, the minimum the negative one.
        Some(Ordering::Equal) if wanted == Ordering::Greater => x & y,
        Some(Ordering::Equal) => x | y,
        Some(order) => {
            if order == wanted {
                x
            } else {
                y
            }
        }
    }
}

/// ABS_MAX and ABS_MIN with the `abs_minmax` knob: x if its magnitude is ordered as wanted, else y; then either the
/// operand itself or its magnitude. A tie gives y, and so does a NaN, by the comparison.
pub(crate) fn abs_extreme(wanted: Ordering, x: u32, y: u32, case: &mut Case) -> u32 {
    if is_signaling(x) || is_signaling(y) {
        case.raise(Flags::INVALID);
    }
    let chosen = if order(x & !SIGN, y & !SIGN) == Some(wanted) { x } else { y };
    let chosen = if is_nan(chosen) { quiet(chosen, case) } else { chosen };
    if chosen & SIGN != 0 {
        case.ask(Knob::abs_minmax);
    }
    match case.policy.abs_minmax {
        AbsMinMax::SignedOriginal => chosen,
        AbsMinMax::Magnitude => chosen & !SIGN,
    }
}
