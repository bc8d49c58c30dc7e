//! Accumulators to lanes: cut out bits, or shift, round and clamp.
//!
//! A shift amount is clamped, not masked: at most 23 for 24-bit accumulators, at most 32 for the others.

use super::alu::{clamped, signed};
use super::row::leaves;
use super::shape::{I8, I16, I24, I32, I48, I96, Port};
use crate::convert::mask;

const ACC24: Port = I24.named("acc");
const ACC48: Port = I48.named("acc");
const ACC96: Port = I96.named("acc");
const SHIFT8: Port = I8.named("shift");
const SHIFT16: Port = I16.named("shift");
const SHIFT32: Port = I32.named("shift");

const MOST24: u64 = 23;
const MOST: u64 = 32;

const fn at_most(amount: u64, most: u64) -> u64 {
    if amount < most { amount } else { most }
}

/// An accumulator of 24 or 48 bits shifted right with its sign; half of the last kept bit is added first if it rounds.
const fn shifted(acc: u64, width: u32, by: u64, rounds: bool) -> i64 {
    let half = if rounds && by > 0 { 1 << (by - 1) } else { 0 };
    (signed(acc, width) + half) >> by
}

/// The most of a shift for an accumulator width.
const fn most(width: u32) -> u64 {
    if width == 24 { MOST24 } else { MOST }
}

/// Shift, round half up, clamp to a signed lane.
const fn rounded_signed(acc: u64, width: u32, by: u64, out: u32) -> u64 {
    clamped(shifted(acc, width, at_most(by, most(width)), true), out)
}

/// Shift, round half up, clamp to an unsigned lane.
const fn rounded_unsigned(acc: u64, width: u32, by: u64, out: u32) -> u64 {
    let value = shifted(acc, width, at_most(by, most(width)), true);
    let max = mask(out) as i64;
    (if value < 0 {
        0
    } else if value > max {
        max
    } else {
        value
    }) as u64
}

/// Shift and keep the low bits.
const fn cut(acc: u64, width: u32, by: u64, out: u32) -> u64 {
    shifted(acc, width, at_most(by, most(width)), false) as u64 & mask(out)
}

/// Shift, round half up, clamp: 96 bits to a signed 32-bit lane.
const fn rounded_96(acc: u128, by: u64) -> u128 {
    let by = at_most(by, MOST);
    let acc = (acc << 32) as i128 >> 32;
    let half = if by > 0 { 1 << (by - 1) } else { 0 };
    let value = (acc + half) >> by;
    let (min, max) = (i32::MIN as i128, i32::MAX as i128);
    (if value < min {
        min
    } else if value > max {
        max
    } else {
        value
    }) as u128
        & 0xFFFF_FFFF
}

/// The scaled pack: half of the last kept bit, 31 bits, shift, low 16 bits.
const fn scaled(acc: u64, by: u64) -> u64 {
    let half = if by > 0 { 1 << ((by - 1) & 15) } else { 0 };
    let sum = acc.wrapping_add(half) & 0x7FFF_FFFF;
    (if by < 64 { sum >> by } else { 0 }) & 0xFFFF
}

leaves! {
    "Packs";
    Exact Printed "the low bits" {
        packl_8_24 [I8; ACC24] lane(|acc| acc & 0xFF);
        packl_16_48 [I16; ACC48] lane(|acc| acc & 0xFFFF);
        packl_16_48_nosat [I16; ACC48] lane(|acc| acc & 0xFFFF);
        packl_32_96 [I32; ACC96] lane96(|acc| acc & 0xFFFF_FFFF);
    }
    Exact Printed "bits 31 to 16" {
        packm_16_48 [I16; ACC48] lane(|acc| acc >> 16 & 0xFFFF);
    }
    Assumed Printed "bits 63 to 32" {
        packm_32_96 [I32; ACC96] lane96(|acc| acc >> 32 & 0xFFFF_FFFF);
    }
    Exact Printed "acc >> shift, half rounds up, clamped to the signed lane" {
        packvr_8_24_32 [I8; ACC24, SHIFT32] lane(|acc, by| rounded_signed(acc, 24, by & 0xFFFF_FFFF, 8));
        packvr_16_24_32 [I16; ACC24, SHIFT32] lane(|acc, by| rounded_signed(acc, 24, by & 0xFFFF_FFFF, 16));
        packvr_16_48_32 [I16; ACC48, SHIFT32] lane(|acc, by| rounded_signed(acc, 48, by & 0xFFFF_FFFF, 16));
        packvr_32_96_32 [I32; ACC96, SHIFT32] lane96(|acc, by| rounded_96(acc, by & 0xFFFF_FFFF));
    }
    Exact Printed "acc >> shift, half rounds up, clamped to the unsigned lane" {
        packvru_8_24_32 [I8; ACC24, SHIFT32] lane(|acc, by| rounded_unsigned(acc, 24, by & 0xFFFF_FFFF, 8));
        packvru_16_24_32 [I16; ACC24, SHIFT32] lane(|acc, by| rounded_unsigned(acc, 24, by & 0xFFFF_FFFF, 16));
    }
    Reconciled Printed "acc >> shift, neither rounded nor clamped" {
        packvrnr_16_24_32 [I16; ACC24, SHIFT32] lane(|acc, by| cut(acc, 24, by & 0xFFFF_FFFF, 16));
    }
    Reconciled ByAnalogy "acc >> shift, neither rounded nor clamped" {
        packvrnr_16_48_32 [I16; ACC48, SHIFT32] lane(|acc, by| cut(acc, 48, by & 0xFFFF_FFFF, 16));
    }
    Fitted Printed "acc >> shift, half rounds up, clamped to the signed lane; a shift per lane" {
        packv_8_24_8 [I8; ACC24, SHIFT8] lane(|acc, by| rounded_signed(acc, 24, by & 0xFF, 8));
        packv_16_48_16 [I16; ACC48, SHIFT16] lane(|acc, by| rounded_signed(acc, 48, by & 0xFFFF, 16));
    }
    Assumed Printed "acc >> shift, half rounds up, clamped to the signed lane; a shift per lane, whose width is ours" {
        packv_32_96_w [I32; ACC96, SHIFT32] lane96(|acc, by| rounded_96(acc, by & 0xFFFF_FFFF));
    }
    Fitted Printed "acc >> shift, half rounds up, clamped to the unsigned lane; a shift per lane" {
        packvu_8_24_8 [I8; ACC24, SHIFT8] lane(|acc, by| rounded_unsigned(acc, 24, by & 0xFF, 8));
    }
    Exact ByAnalogy "acc >> shift, neither rounded nor clamped; a shift per lane" {
        packvnr_16_48_16 [I16; ACC48, SHIFT16] lane(|acc, by| cut(acc, 48, by & 0xFFFF, 16));
        packvnr_8_24_8 [I8; ACC24, SHIFT8] lane(|acc, by| cut(acc, 24, by & 0xFF, 8));
    }
    Fitted Printed "(acc + half) modulo 2^31, >> shift, low 16 bits; half is 1 << ((shift - 1) modulo 16)" {
        pack [I16; ACC48, SHIFT32] lane(|acc, by| scaled(acc, by & 0xFFFF_FFFF));
    }
    Assumed Printed "pack with a shift of 10" {
        packp_16_48 [I16; ACC48] lane(|acc| scaled(acc, 10));
    }
    Assumed Printed "pack with a shift of 15" {
        packq_16_48 [I16; ACC48] lane(|acc| scaled(acc, 15));
    }
    Exact Printed "the amount, at most 23" {
        shift_amt_satu_23 [I32; I32.named("amount")] lane(|by| at_most(by & 0xFFFF_FFFF, MOST24));
    }
    Exact Printed "the amount, at most 32" {
        shift_amt_satu_32 [I32; I32.named("amount")] lane(|by| at_most(by & 0xFFFF_FFFF, MOST));
    }
}
