//! Products into accumulators of 24, 48 and 96 bits. Everything is exact, then the low bits: accumulators wrap.

use super::alu::{low, signed, unsigned};
use super::bits::Bits;
use super::row::leaves;
use super::shape::{I8, I16, I24, I32, I48, I96, Port};
use crate::convert::mask;

const ACC24: Port = I24.named("acc");
const ACC48: Port = I48.named("acc");
const ACC96: Port = I96.named("acc");
const MASK96: u128 = (1 << 96) - 1;

/// a * b, both signed.
const fn ss(a: u64, b: u64, width: u32) -> i64 {
    signed(a, width) * signed(b, width)
}

/// a * b, both unsigned.
const fn uu(a: u64, b: u64, width: u32) -> i64 {
    unsigned(a, width) * unsigned(b, width)
}

/// a * b, a unsigned, b signed.
const fn us(a: u64, b: u64, width: u32) -> i64 {
    unsigned(a, width) * signed(b, width)
}

/// a * b, a signed, b unsigned.
const fn su(a: u64, b: u64, width: u32) -> i64 {
    signed(a, width) * unsigned(b, width)
}

/// The accumulator plus something, low bits.
const fn plus(acc: u64, more: i64, width: u32) -> u64 {
    acc.wrapping_add(more as u64) & mask(width)
}

/// The accumulator minus something, low bits.
const fn minus(acc: u64, less: i64, width: u32) -> u64 {
    acc.wrapping_sub(less as u64) & mask(width)
}

/// a * b of signed 32-bit lanes as a 96-bit pattern.
const fn ss32(a: u64, b: u64) -> u128 {
    (signed(a, 32) as i128 * signed(b, 32) as i128) as u128 & MASK96
}

/// One 16-bit half of a, signed, times b: signed, or unsigned.
const fn half_times(a: u64, half: u32, b: u64, b_signed: bool) -> u128 {
    let b = if b_signed { signed(b, 32) } else { unsigned(b, 32) };
    (signed(a >> (16 * half), 16) as i128 * b as i128) as u128 & MASK96
}

const fn plus96(acc: u128, more: u128) -> u128 {
    acc.wrapping_add(more) & MASK96
}

const fn minus96(acc: u128, less: u128) -> u128 {
    acc.wrapping_sub(less) & MASK96
}

/// Real and imaginary part of a * b, or of a * conj(b): complex numbers of 16-bit halves, the real part low.
const fn complex(a: u64, b: u64, conjugate: bool) -> (i64, i64) {
    let (a_re, a_im) = (signed(a, 16), signed(a >> 16, 16));
    let (b_re, b_im) = (signed(b, 16), signed(b >> 16, 16));
    let b_im = if conjugate { -b_im } else { b_im };
    (a_re * b_re - a_im * b_im, a_re * b_im + a_im * b_re)
}

/// Complex product alone; the outputs are two 48-bit parts.
fn complex_product(inputs: &[Bits], out: &mut [Bits], conjugate: bool) {
    let (re, im) = complex(inputs[0].low_u64(), inputs[1].low_u64(), conjugate);
    (out[0], out[1]) = (low(re, 48).into(), low(im, 48).into());
}

/// Two 48-bit parts, plus or minus a complex product.
fn complex_sum(inputs: &[Bits], out: &mut [Bits], conjugate: bool, add: fn(u64, i64, u32) -> u64) {
    let (re, im) = complex(inputs[2].low_u64(), inputs[3].low_u64(), conjugate);
    out[0] = add(inputs[0].low_u64(), re, 48).into();
    out[1] = add(inputs[1].low_u64(), im, 48).into();
}

/// The sum of two signed products of 16-bit lanes.
const fn pair(inputs: &[Bits], first: usize) -> i64 {
    ss(inputs[first].low_u64(), inputs[first + 1].low_u64(), 16)
        + ss(inputs[first + 2].low_u64(), inputs[first + 3].low_u64(), 16)
}

/// A packed complex number.
const C32: Port = I32.named("complex");
const RE: Port = I48.named("re");
const IM: Port = I48.named("im");

leaves! {
    "Multiplies";
    Exact Printed "a * b, signed" {
        mul_24_8_8 [I24; I8, I8] lane(|a, b| low(ss(a, b, 8), 24));
        mul_48_16_16 [I48; I16, I16] lane(|a, b| low(ss(a, b, 16), 48));
        mul_96_32_32 [I96; I32, I32] lane96(|a, b| ss32(a as u64, b));
    }
    Exact Printed "acc + a * b, signed, low bits" {
        mula_24_24_8_8 [I24; ACC24, I8, I8] lane(|acc, a, b| plus(acc, ss(a, b, 8), 24));
        mula_48_48_16_16 [I48; ACC48, I16, I16] lane(|acc, a, b| plus(acc, ss(a, b, 16), 48));
        mula_96_96_32_32 [I96; ACC96, I32, I32] lane96(|acc, a, b| plus96(acc, ss32(a, b)));
    }
    Exact Printed "acc - a * b, signed, low bits" {
        muls_24_24_8_8 [I24; ACC24, I8, I8] lane(|acc, a, b| minus(acc, ss(a, b, 8), 24));
        muls_48_48_16_16 [I48; ACC48, I16, I16] lane(|acc, a, b| minus(acc, ss(a, b, 16), 48));
        muls_96_96_32_32 [I96; ACC96, I32, I32] lane96(|acc, a, b| minus96(acc, ss32(a, b)));
    }
    Exact Printed "a * b, both unsigned" {
        muluu_24_8_8 [I24; I8, I8] lane(|a, b| low(uu(a, b, 8), 24));
        muluu_48_16_16 [I48; I16, I16] lane(|a, b| low(uu(a, b, 16), 48));
    }
    Exact Printed "a * b, a unsigned, b signed" {
        mulus_24_8_8 [I24; I8, I8] lane(|a, b| low(us(a, b, 8), 24));
        mulus_48_16_16 [I48; I16, I16] lane(|a, b| low(us(a, b, 16), 48));
    }
    Exact Printed "a * b, a signed, b unsigned" {
        mulsu_24_8_8 [I24; I8, I8] lane(|a, b| low(su(a, b, 8), 24));
        mulsu_48_16_16 [I48; I16, I16] lane(|a, b| low(su(a, b, 16), 48));
    }
    Exact Printed "acc + a * b, both unsigned, low bits" {
        muluua_24_24_8_8 [I24; ACC24, I8, I8] lane(|acc, a, b| plus(acc, uu(a, b, 8), 24));
        muluua_48_48_16_16 [I48; ACC48, I16, I16] lane(|acc, a, b| plus(acc, uu(a, b, 16), 48));
    }
    Exact Printed "acc + a * b, a unsigned, b signed, low bits" {
        mulusa_24_24_8_8 [I24; ACC24, I8, I8] lane(|acc, a, b| plus(acc, us(a, b, 8), 24));
        mulusa_48_48_16_16 [I48; ACC48, I16, I16] lane(|acc, a, b| plus(acc, us(a, b, 16), 48));
    }
    Exact Printed "acc + a * b, a signed, b unsigned, low bits" {
        mulsua_24_24_8_8 [I24; ACC24, I8, I8] lane(|acc, a, b| plus(acc, su(a, b, 8), 24));
        mulsua_48_48_16_16 [I48; ACC48, I16, I16] lane(|acc, a, b| plus(acc, su(a, b, 16), 48));
    }
    Exact Printed "acc - a * b, a unsigned, b signed, low bits" {
        muluss_24_24_8_8 [I24; ACC24, I8, I8] lane(|acc, a, b| minus(acc, us(a, b, 8), 24));
        muluss_48_48_16_16 [I48; ACC48, I16, I16] lane(|acc, a, b| minus(acc, us(a, b, 16), 48));
    }
    Exact Printed "a * b, signed, low 16 bits" {
        mul_16_16_16_packl [I16; I16, I16] lane(|a, b| low(ss(a, b, 16), 16));
    }
    Reconciled Printed "acc + a * b, signed, low 16 bits" {
        mula_16_16_16_packl [I16; I16.named("acc"), I16, I16] lane(|acc, a, b| plus(acc, ss(a, b, 16), 16));
    }
    Reconciled Printed "acc - a * b, signed, low 16 bits" {
        muls_16_16_16_packl [I16; I16.named("acc"), I16, I16] lane(|acc, a, b| minus(acc, ss(a, b, 16), 16));
    }
    Assumed ByAnalogy "a's low (_0) or high (_1) half times b, signed" {
        muln_2x16x32_0_96_32_32 [I96; I32, I32] lane96(|a, b| half_times(a as u64, 0, b, true));
        muln_2x16x32_1_96_32_32 [I96; I32, I32] lane96(|a, b| half_times(a as u64, 1, b, true));
    }
    Assumed Printed "acc + a's low (_0) or high (_1) half times b, signed, low bits" {
        mulan_2x16x32_0_96_96_32_32 [I96; ACC96, I32, I32] lane96(|acc, a, b| plus96(acc, half_times(a, 0, b, true)));
        mulan_2x16x32_1_96_96_32_32 [I96; ACC96, I32, I32] lane96(|acc, a, b| plus96(acc, half_times(a, 1, b, true)));
    }
    Assumed ByAnalogy "a's low (_0) or high (_1) half, signed, times b, unsigned" {
        mulsun_2x16x32_0_96_32_32 [I96; I32, I32] lane96(|a, b| half_times(a as u64, 0, b, false));
        mulsun_2x16x32_1_96_32_32 [I96; I32, I32] lane96(|a, b| half_times(a as u64, 1, b, false));
    }
    Assumed Printed "a * b + c * d, signed" {
        mulp_24_8_8_8_8 [I24; I8, I8, I8, I8] lane(|a, b, c, d| low(ss(a, b, 8) + ss(c, d, 8), 24));
        mulp_48_16_16_16_16 [I48; I16, I16, I16, I16] lane(|a, b, c, d| low(ss(a, b, 16) + ss(c, d, 16), 48));
    }
    Assumed ByAnalogy "acc + a * b + c * d, signed, low bits" {
        mulpa_48_48_16_16_16_16 [I48; ACC48, I16, I16, I16, I16]
            whole(|i, o| o[0] = plus(i[0].low_u64(), pair(i, 1), 48).into());
    }
    Assumed ByAnalogy "acc - (a * b + c * d), signed, low bits" {
        mulps_48_48_16_16_16_16 [I48; ACC48, I16, I16, I16, I16]
            whole(|i, o| o[0] = minus(i[0].low_u64(), pair(i, 1), 48).into());
    }
    Exact Printed "a * a + b * b, signed" {
        sqrp_24_8_8 [I24; I8, I8] lane(|a, b| low(ss(a, a, 8) + ss(b, b, 8), 24));
    }
    Fitted Printed "acc - 1 where acc is negative" {
        decnegw_24_24 [I24; ACC24] lane(|acc| minus(acc, (signed(acc, 24) < 0) as i64, 24));
    }
    Exact Printed "a * b, complex, the real part in the low half" {
        mul_96c_32c_32c [RE, IM; C32, C32] whole(|i, o| complex_product(i, o, false));
    }
    Fitted Printed "a * conj(b), complex, the real part in the low half" {
        mul_96c_32j_32c [RE, IM; C32, C32] whole(|i, o| complex_product(i, o, true));
    }
    Exact Printed "acc + a * b, complex, low bits" {
        mula_96c_32c_32c [RE, IM; RE, IM, C32, C32] whole(|i, o| complex_sum(i, o, false, plus));
    }
    Fitted Printed "acc + a * conj(b), complex, low bits" {
        mula_96c_32j_32c [RE, IM; RE, IM, C32, C32] whole(|i, o| complex_sum(i, o, true, plus));
    }
    Exact Printed "acc - a * b, complex, low bits" {
        muls_96c_32c_32c [RE, IM; RE, IM, C32, C32] whole(|i, o| complex_sum(i, o, false, minus));
    }
    Fitted Printed "acc - a * conj(b), complex, low bits" {
        muls_96c_32j_32c [RE, IM; RE, IM, C32, C32] whole(|i, o| complex_sum(i, o, true, minus));
    }
}
