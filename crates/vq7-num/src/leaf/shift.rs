//! Shifts, rotates, normalise, counts.
//!
//! An amount is an immediate below the width, or a lane of its own: unsigned, or signed with a negative one meaning the
//! other direction. A magnitude at or above the width leaves nothing; an arithmetic right shift leaves the sign.

use super::alu::{low, signed, unsigned};
use super::row::leaves;
use super::shape::{I8, I16, I32, I64, Port, immediate, int};
use crate::convert::mask;

const fn left(a: u64, by: u64, width: u32) -> u64 {
    if by < width as u64 { a << by & mask(width) } else { 0 }
}

const fn right(a: u64, by: u64, width: u32) -> u64 {
    if by < width as u64 { (a & mask(width)) >> by } else { 0 }
}

const fn right_arithmetic(a: u64, by: u64, width: u32) -> u64 {
    low(signed(a, width) >> if by < width as u64 { by } else { width as u64 - 1 }, width)
}

const fn rotate_right(a: u64, by: u64, width: u32) -> u64 {
    let by = by % width as u64;
    right(a, by, width) | left(a, width as u64 - by, width)
}

/// An amount with its direction: the magnitude, and whether it was negative.
const fn amount(by: u64, bits: u32) -> (u64, bool) {
    let by = signed(by, bits);
    (by.unsigned_abs(), by < 0)
}

const fn left_signed(a: u64, by: u64, bits: u32, width: u32) -> u64 {
    let (by, reversed) = amount(by, bits);
    if reversed { right(a, by, width) } else { left(a, by, width) }
}

const fn right_signed(a: u64, by: u64, bits: u32, width: u32) -> u64 {
    let (by, reversed) = amount(by, bits);
    if reversed { left(a, by, width) } else { right(a, by, width) }
}

const fn right_arithmetic_signed(a: u64, by: u64, bits: u32, width: u32) -> u64 {
    let (by, reversed) = amount(by, bits);
    if reversed { left(a, by, width) } else { right_arithmetic(a, by, width) }
}

/// Leading zeros of `width` bits.
const fn leading_zeros(a: u64, width: u32) -> u64 {
    ((a & mask(width)).leading_zeros() - (64 - width)) as u64
}

/// How far a number can move up without losing its sign: the run of sign bits, minus one; `width - 1` for 0 and -1.
const fn normalise(a: u64, width: u32) -> u64 {
    let a = signed(a, width);
    leading_zeros(low(if a < 0 { !a } else { a }, width), width) - 1
}

const IMM3: Port = immediate(3).named("amount");
const IMM4: Port = immediate(4).named("amount");
const IMM5: Port = immediate(5).named("amount");
const BY6: Port = int(6).named("amount");
const BY7: Port = int(7).named("amount");
const I7: Port = int(7);

leaves! {
    "Shifts and counts";
    Exact Printed "a << amount" {
        sll_u_8_8_3 [I8; I8, IMM3] lane(|a, by| left(a, by & 7, 8));
        sll_u_16_16_4 [I16; I16, IMM4] lane(|a, by| left(a, by & 15, 16));
        sll_u_32_32_5 [I32; I32, IMM5] lane(|a, by| left(a, by & 31, 32));
    }
    Exact Printed "a >> amount, zeros from above" {
        srl_u_8_8_3 [I8; I8, IMM3] lane(|a, by| right(a, by & 7, 8));
        srl_u_16_16_4 [I16; I16, IMM4] lane(|a, by| right(a, by & 15, 16));
        srl_u_32_32_5 [I32; I32, IMM5] lane(|a, by| right(a, by & 31, 32));
    }
    Exact Printed "a >> amount, signs from above" {
        sra_u_8_8_3 [I8; I8, IMM3] lane(|a, by| right_arithmetic(a, by & 7, 8));
        sra_u_16_16_4 [I16; I16, IMM4] lane(|a, by| right_arithmetic(a, by & 15, 16));
        sra_u_32_32_5 [I32; I32, IMM5] lane(|a, by| right_arithmetic(a, by & 31, 32));
    }
    Exact Printed "a rotated right by amount" {
        rotr_u_8_8_3 [I8; I8, IMM3] lane(|a, by| rotate_right(a, by & 7, 8));
        rotr_u_16_16_4 [I16; I16, IMM4] lane(|a, by| rotate_right(a, by & 15, 16));
        rotr_u_32_32_5 [I32; I32, IMM5] lane(|a, by| rotate_right(a, by & 31, 32));
    }
    Exact Printed "a << amount, unsigned amount; 0 from the width on" {
        sll_u_16_16_6 [I16; I16, BY6] lane(|a, by| left(a, by & 63, 16));
        sll_u_32_32_7 [I32; I32, BY7] lane(|a, by| left(a, by & 127, 32));
    }
    Exact Printed "a >> amount, zeros from above, unsigned amount; 0 from the width on" {
        srl_u_16_16_6 [I16; I16, BY6] lane(|a, by| right(a, by & 63, 16));
        srl_u_32_32_7 [I32; I32, BY7] lane(|a, by| right(a, by & 127, 32));
    }
    Exact Printed "a << amount, signed amount: a negative one shifts right, zeros from above; 0 from the width on" {
        sll_s_16_16_6 [I16; I16, BY6] lane(|a, by| left_signed(a, by, 6, 16));
        sll_s_32_32_7 [I32; I32, BY7] lane(|a, by| left_signed(a, by, 7, 32));
    }
    Exact Printed "a >> amount, zeros from above, signed amount: a negative one shifts left; 0 from the width on" {
        srl_s_16_16_6 [I16; I16, BY6] lane(|a, by| right_signed(a, by, 6, 16));
        srl_s_32_32_7 [I32; I32, BY7] lane(|a, by| right_signed(a, by, 7, 32));
    }
    Assumed Printed "a >> amount, signs from above, signed amount: a negative one shifts left; from the width on the sign alone, or 0 leftwards" {
        sra_s_16_16_6 [I16; I16, BY6] lane(|a, by| right_arithmetic_signed(a, by, 6, 16));
        sra_s_32_32_7 [I32; I32, BY7] lane(|a, by| right_arithmetic_signed(a, by, 7, 32));
    }
    Exact Printed "leading bits equal to the sign, minus one; width - 1 for 0 and -1" {
        nsa_16_16 [I16; I16] lane(|a| normalise(a, 16));
        nsa_32_32 [I32; I32] lane(|a| normalise(a, 32));
    }
    Exact Printed "leading zeros" {
        nsau_16_16 [I16; I16] lane(|a| leading_zeros(a, 16));
        nsau_32_32 [I32; I32] lane(|a| leading_zeros(a, 32));
    }
    Exact Printed "how many bits are set" {
        popc_8_8 [I8; I8] lane(|a| u64::from((a & 0xFF).count_ones()));
        popc64_7_64 [I7; I64] lane(|a| u64::from(a.count_ones()));
    }
    Exact ByAnalogy "how many bits are set" {
        popc32_6_32 [int(6); I32] lane(|a| unsigned(a, 32).count_ones() as u64);
    }
}
