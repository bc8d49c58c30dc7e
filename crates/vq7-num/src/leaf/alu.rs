//! Integer ALU: add, subtract, negate, absolute, minimum, maximum, averages, and their saturating and composite kin.
//!
//! All on one rule: read the operands as integers, compute exactly in 64 bits, keep the low bits or clamp.

use super::row::leaves;
use super::shape::{I8, I16, I32};
use crate::convert::mask;

/// The low `width` bits as a two's complement integer. Bits above are ignored.
pub(super) const fn signed(bits: u64, width: u32) -> i64 {
    let up = 64 - width;
    (bits << up) as i64 >> up
}

/// The low `width` bits of an integer.
pub(super) const fn low(value: i64, width: u32) -> u64 {
    value as u64 & mask(width)
}

/// An integer clamped into the signed range of `width` bits.
pub(super) const fn clamped(value: i64, width: u32) -> u64 {
    let max = (1 << (width - 1)) - 1;
    let min = -max - 1;
    low(
        if value > max {
            max
        } else if value < min {
            min
        } else {
            value
        },
        width,
    )
}

/// The low `width` bits as an unsigned integer.
pub(super) const fn unsigned(bits: u64, width: u32) -> i64 {
    // Widths here end at 48.
    (bits & mask(width)) as i64
}

/// The smaller one of two patterns by an order on them; the second on a tie.
const fn first_if(first: bool, a: u64, b: u64, width: u32) -> u64 {
    (if first { a } else { b }) & mask(width)
}

pub(super) const fn min(a: u64, b: u64, width: u32) -> u64 {
    first_if(signed(a, width) < signed(b, width), a, b, width)
}

pub(super) const fn max(a: u64, b: u64, width: u32) -> u64 {
    first_if(signed(a, width) > signed(b, width), a, b, width)
}

pub(super) const fn minu(a: u64, b: u64, width: u32) -> u64 {
    first_if(unsigned(a, width) < unsigned(b, width), a, b, width)
}

pub(super) const fn maxu(a: u64, b: u64, width: u32) -> u64 {
    first_if(unsigned(a, width) > unsigned(b, width), a, b, width)
}

const fn add(a: u64, b: u64, width: u32) -> u64 {
    a.wrapping_add(b) & mask(width)
}

const fn sub(a: u64, b: u64, width: u32) -> u64 {
    a.wrapping_sub(b) & mask(width)
}

pub(super) const fn abs(a: u64, width: u32) -> u64 {
    low(signed(a, width).abs(), width)
}

/// The distance of two signed operands: exact in one bit more than the width, then its low bits.
pub(super) const fn abssub(a: u64, b: u64, width: u32) -> u64 {
    low((signed(a, width) - signed(b, width)).abs(), width)
}

pub(super) const fn abssubu(a: u64, b: u64, width: u32) -> u64 {
    low((unsigned(a, width) - unsigned(b, width)).abs(), width)
}

/// b with the sign of a: -b for a negative a.
const fn with_sign_of(a: u64, b: u64, width: u32) -> i64 {
    let b = signed(b, width);
    if signed(a, width) < 0 { -b } else { b }
}

leaves! {
    "Integer ALU";
    Exact Printed "a + b, low bits" {
        add_8_8_8 [I8; I8, I8] lane(|a, b| add(a, b, 8));
        add_16_16_16 [I16; I16, I16] lane(|a, b| add(a, b, 16));
        add_32_32_32 [I32; I32, I32] lane(|a, b| add(a, b, 32));
    }
    Exact Printed "a - b, low bits" {
        sub_8_8_8 [I8; I8, I8] lane(|a, b| sub(a, b, 8));
        sub_16_16_16 [I16; I16, I16] lane(|a, b| sub(a, b, 16));
    }
    Exact ByAnalogy "a - b, low bits" {
        sub_32_32_32 [I32; I32, I32] lane(|a, b| sub(a, b, 32));
    }
    Exact Printed "a + b, clamped to int16" {
        adds_16_16_16 [I16; I16, I16] lane(|a, b| clamped(signed(a, 16) + signed(b, 16), 16));
    }
    Exact Printed "a - b, clamped to int16" {
        subs_16_16_16 [I16; I16, I16] lane(|a, b| clamped(signed(a, 16) - signed(b, 16), 16));
    }
    Exact Printed "-a, low bits" {
        neg_16_16 [I16; I16] lane(|a| low(-signed(a, 16), 16));
    }
    Exact ByAnalogy "-a, low bits" {
        neg_8_8 [I8; I8] lane(|a| low(-signed(a, 8), 8));
        neg_32_32 [I32; I32] lane(|a| low(-signed(a, 32), 32));
    }
    Exact Printed "-a, clamped to int16" {
        negs_16_16 [I16; I16] lane(|a| clamped(-signed(a, 16), 16));
    }
    Exact Printed "the magnitude of a, low bits: the smallest integer stays as it is" {
        abs_16_16 [I16; I16] lane(|a| abs(a, 16));
        abs_32_32 [I32; I32] lane(|a| abs(a, 32));
    }
    Exact ByAnalogy "the magnitude of a, low bits: the smallest integer stays as it is" {
        abs_8_8 [I8; I8] lane(|a| abs(a, 8));
    }
    Exact Printed "the magnitude of a, clamped to int16" {
        abss_16_16 [I16; I16] lane(|a| clamped(signed(a, 16).abs(), 16));
    }
    Exact Printed "the magnitude of a - b, signed, low bits" {
        abssub_16_16_16 [I16; I16, I16] lane(|a, b| abssub(a, b, 16));
    }
    Exact ByAnalogy "the magnitude of a - b, signed, low bits" {
        abssub_8_8_8 [I8; I8, I8] lane(|a, b| abssub(a, b, 8));
    }
    Exact ByAnalogy "the magnitude of a - b, unsigned" {
        abssubu_8_8_8 [I8; I8, I8] lane(|a, b| abssubu(a, b, 8));
        abssubu_16_16_16 [I16; I16, I16] lane(|a, b| abssubu(a, b, 16));
    }
    Exact Printed "the magnitude of a - b, signed, clamped to int16" {
        absssub_16_16_16 [I16; I16, I16] lane(|a, b| clamped((signed(a, 16) - signed(b, 16)).abs(), 16));
    }
    Exact Printed "(a + b) >> 1, signed, the sum exact" {
        avg_16_16_16 [I16; I16, I16] lane(|a, b| low((signed(a, 16) + signed(b, 16)) >> 1, 16));
    }
    Exact Printed "(a + b + 1) >> 1, signed, the sum exact" {
        avgr_16_16_16 [I16; I16, I16] lane(|a, b| low((signed(a, 16) + signed(b, 16) + 1) >> 1, 16));
    }
    Exact ByAnalogy "(a + b) >> 1, unsigned, the sum exact" {
        avgu_8_8_8 [I8; I8, I8] lane(|a, b| low((unsigned(a, 8) + unsigned(b, 8)) >> 1, 8));
        avgu_16_16_16 [I16; I16, I16] lane(|a, b| low((unsigned(a, 16) + unsigned(b, 16)) >> 1, 16));
    }
    Exact ByAnalogy "(a + b + 1) >> 1, unsigned, the sum exact" {
        avgru_8_8_8 [I8; I8, I8] lane(|a, b| low((unsigned(a, 8) + unsigned(b, 8) + 1) >> 1, 8));
        avgru_16_16_16 [I16; I16, I16] lane(|a, b| low((unsigned(a, 16) + unsigned(b, 16) + 1) >> 1, 16));
    }
    Assumed ByAnalogy "the average of 16-bit lanes, on 8 bits; that there is one is not sure" {
        avg_8_8_8 [I8; I8, I8] lane(|a, b| low((signed(a, 8) + signed(b, 8)) >> 1, 8));
        avgr_8_8_8 [I8; I8, I8] lane(|a, b| low((signed(a, 8) + signed(b, 8) + 1) >> 1, 8));
    }
    Exact Printed "the smaller one, signed" {
        min_8_8_8 [I8; I8, I8] lane(|a, b| min(a, b, 8));
        min_16_16_16 [I16; I16, I16] lane(|a, b| min(a, b, 16));
        min_32_32_32 [I32; I32, I32] lane(|a, b| min(a, b, 32));
    }
    Exact Printed "the larger one, signed" {
        max_8_8_8 [I8; I8, I8] lane(|a, b| max(a, b, 8));
        max_16_16_16 [I16; I16, I16] lane(|a, b| max(a, b, 16));
        max_32_32_32 [I32; I32, I32] lane(|a, b| max(a, b, 32));
    }
    Exact Printed "the smaller one, unsigned" {
        minu_8_8_8 [I8; I8, I8] lane(|a, b| minu(a, b, 8));
        minu_16_16_16 [I16; I16, I16] lane(|a, b| minu(a, b, 16));
        minu_32_32_32 [I32; I32, I32] lane(|a, b| minu(a, b, 32));
    }
    Exact Printed "the larger one, unsigned" {
        maxu_8_8_8 [I8; I8, I8] lane(|a, b| maxu(a, b, 8));
        maxu_16_16_16 [I16; I16, I16] lane(|a, b| maxu(a, b, 16));
        maxu_32_32_32 [I32; I32, I32] lane(|a, b| maxu(a, b, 32));
    }
    Exact Printed "b, negated where a is negative, low bits" {
        mulsgn_16_16_16 [I16; I16, I16] lane(|a, b| low(with_sign_of(a, b, 16), 16));
    }
    Exact ByAnalogy "b, negated where a is negative, low bits" {
        mulsgn_32_32_32 [I32; I32, I32] lane(|a, b| low(with_sign_of(a, b, 32), 32));
    }
    Exact ByAnalogy "b, negated where a is negative, clamped to int16" {
        mulsgns_16_16_16 [I16; I16, I16] lane(|a, b| clamped(with_sign_of(a, b, 16), 16));
    }
}
