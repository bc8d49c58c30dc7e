//! The steps of an integer division on 16-bit lanes. No source gives the rule of a step; these are ours: four bits of a
//! restoring division each, so that four steps give quotient and remainder.

use super::Bits;
use super::row::leaves;
use super::shape::VEC;

/// Quotient and remainder so far. The first holds the bits of the dividend that are still to come above the bits of the
/// quotient; the second the remainder, and above it, of a signed division, whether the dividend was negative.
fn step(first: u32, second: u32, divisor: u32, signed: bool) -> (u32, u32) {
    let (sign, magnitude) = if signed { (second & 0x8000, magnitude(divisor)) } else { (0, divisor) };
    let (mut quotient, mut remainder) = (first, second & !sign);
    for _ in 0..4 {
        remainder = remainder << 1 | quotient >> 15 & 1;
        quotient = quotient << 1 & 0xFFFF;
        if remainder >= magnitude {
            remainder -= magnitude;
            quotient |= 1;
        }
    }
    (quotient, (remainder & 0xFFFF) | sign)
}

fn magnitude(lane: u32) -> u32 {
    if lane >> 15 == 1 { 0x1_0000 - lane } else { lane }
}

fn first(dividend: u32, divisor: u32, signed: bool) -> (u32, u32) {
    match signed {
        true => step(magnitude(dividend), dividend & 0x8000, divisor, true),
        false => step(dividend, 0, divisor, false),
    }
}

/// The last step gives the results their signs: a quotient toward zero, a remainder with the dividend's sign.
fn last(first: u32, second: u32, divisor: u32, signed: bool) -> (u32, u32) {
    let (quotient, remainder) = step(first, second, divisor, signed);
    if !signed {
        return (quotient, remainder);
    }
    let negative = remainder >> 15 == 1;
    let remainder = remainder & 0x7FFF;
    let negate = |value: u32, is: bool| if is { value.wrapping_neg() & 0xFFFF } else { value };
    (negate(quotient, negative != (divisor >> 15 == 1)), negate(remainder, negative))
}

fn by_lanes(out: &mut [Bits], lane: impl Fn(usize) -> (u32, u32)) {
    let results: Vec<(u32, u32)> = (0..32).map(lane).collect();
    if let [quotient, remainder] = out {
        *quotient = Bits::from_lanes(16, results.iter().map(|&(quotient, _)| quotient.into()));
        *remainder = Bits::from_lanes(16, results.iter().map(|&(_, remainder)| remainder.into()));
    }
}

fn lane(register: &Bits, index: usize) -> u32 {
    register.lane(index, 16) as u32
}

fn start(i: &[Bits], o: &mut [Bits], signed: bool) {
    by_lanes(o, |at| first(lane(&i[0], at), lane(&i[1], at), signed));
}

fn middle(i: &[Bits], o: &mut [Bits], signed: bool) {
    by_lanes(o, |at| step(lane(&i[0], at), lane(&i[1], at), lane(&i[2], at), signed));
}

fn end(i: &[Bits], o: &mut [Bits], signed: bool) {
    by_lanes(o, |at| last(lane(&i[0], at), lane(&i[1], at), lane(&i[2], at), signed));
}

leaves! {
    "Divide steps";
    Assumed Ours "the first four bits of a 16-bit division: quotient so far and remainder so far" {
        divnx16s_4step0 [VEC.named("vt"), VEC.named("vu"); VEC.named("dividend"), VEC.named("divisor")]
            whole(|i, o| start(i, o, true));
        divnx16u_4step0 [VEC.named("vt"), VEC.named("vu"); VEC.named("dividend"), VEC.named("divisor")]
            whole(|i, o| start(i, o, false));
    }
    Assumed Ours "four more bits of a 16-bit division" {
        divnx16s_4step [VEC.named("vt"), VEC.named("vu"); VEC.named("vt"), VEC.named("vu"), VEC.named("divisor")]
            whole(|i, o| middle(i, o, true));
        divnx16u_4step [VEC.named("vt"), VEC.named("vu"); VEC.named("vt"), VEC.named("vu"), VEC.named("divisor")]
            whole(|i, o| middle(i, o, false));
    }
    Assumed Ours "the last four bits of a 16-bit division, and the signs" {
        divnx16s_4stepn [VEC.named("vt"), VEC.named("vu"); VEC.named("vt"), VEC.named("vu"), VEC.named("divisor")]
            whole(|i, o| end(i, o, true));
        divnx16u_4stepn [VEC.named("vt"), VEC.named("vu"); VEC.named("vt"), VEC.named("vu"), VEC.named("divisor")]
            whole(|i, o| end(i, o, false));
    }
}
