//! Integer compares into a predicate field, and the B-variants that give data and a predicate field.

use super::alu::{abs, abssub, abssubu, low, max, maxu, min, minu, signed, unsigned};
use super::row::leaves;
use super::shape::{I8, I16, I32, P1, P2, P4};
use crate::convert::mask;

/// A predicate field: all ones or all zeros.
pub(super) const fn field(truth: bool, width: u32) -> u64 {
    if truth { mask(width) } else { 0 }
}

const fn lt(a: u64, b: u64, width: u32) -> bool {
    signed(a, width) < signed(b, width)
}

const fn ltu(a: u64, b: u64, width: u32) -> bool {
    unsigned(a, width) < unsigned(b, width)
}

const fn eq(a: u64, b: u64, width: u32) -> bool {
    (a ^ b) & mask(width) == 0
}

/// A 17-bit result of 16-bit lanes: as it is where it fits 16 bits, else halved, with the field set.
const fn normalised(exact: i64) -> (u64, u64) {
    let overflow = exact != signed(exact as u64, 16);
    (field(overflow, 2), low(if overflow { exact >> 1 } else { exact }, 16))
}

leaves! {
    "Integer compares and B-variants";
    Exact Printed "a = b" {
        eq_1_8_8 [P1; I8, I8] lane(|a, b| field(eq(a, b, 8), 1));
        eq_2_16_16 [P2; I16, I16] lane(|a, b| field(eq(a, b, 16), 2));
        eq_4_32_32 [P4; I32, I32] lane(|a, b| field(eq(a, b, 32), 4));
    }
    Exact Printed "a /= b" {
        neq_1_8_8 [P1; I8, I8] lane(|a, b| field(!eq(a, b, 8), 1));
        neq_2_16_16 [P2; I16, I16] lane(|a, b| field(!eq(a, b, 16), 2));
        neq_4_32_32 [P4; I32, I32] lane(|a, b| field(!eq(a, b, 32), 4));
    }
    Exact Printed "a < b, signed" {
        lt_1_8_8 [P1; I8, I8] lane(|a, b| field(lt(a, b, 8), 1));
        lt_2_16_16 [P2; I16, I16] lane(|a, b| field(lt(a, b, 16), 2));
        lt_4_32_32 [P4; I32, I32] lane(|a, b| field(lt(a, b, 32), 4));
    }
    Exact Printed "a < b, unsigned" {
        ltu_1_8_8 [P1; I8, I8] lane(|a, b| field(ltu(a, b, 8), 1));
        ltu_2_16_16 [P2; I16, I16] lane(|a, b| field(ltu(a, b, 16), 2));
        ltu_4_32_32 [P4; I32, I32] lane(|a, b| field(ltu(a, b, 32), 4));
    }
    Exact Printed "a <= b, signed" {
        le_1_8_8 [P1; I8, I8] lane(|a, b| field(!lt(b, a, 8), 1));
        le_2_16_16 [P2; I16, I16] lane(|a, b| field(!lt(b, a, 16), 2));
        le_4_32_32 [P4; I32, I32] lane(|a, b| field(!lt(b, a, 32), 4));
    }
    Exact Printed "a <= b, unsigned" {
        leu_1_8_8 [P1; I8, I8] lane(|a, b| field(!ltu(b, a, 8), 1));
        leu_2_16_16 [P2; I16, I16] lane(|a, b| field(!ltu(b, a, 16), 2));
        leu_4_32_32 [P4; I32, I32] lane(|a, b| field(!ltu(b, a, 32), 4));
    }
    Fitted Printed "the larger one, signed; field: a > b" {
        bmax_1_8_8_8 [P1, I8; I8, I8] lane(|a, b| (field(lt(b, a, 8), 1), max(a, b, 8)));
        bmax_2_16_16_16 [P2, I16; I16, I16] lane(|a, b| (field(lt(b, a, 16), 2), max(a, b, 16)));
        bmax_4_32_32_32 [P4, I32; I32, I32] lane(|a, b| (field(lt(b, a, 32), 4), max(a, b, 32)));
    }
    Fitted ByAnalogy "the larger one, unsigned; field: a > b" {
        bmaxu_1_8_8_8 [P1, I8; I8, I8] lane(|a, b| (field(ltu(b, a, 8), 1), maxu(a, b, 8)));
        bmaxu_4_32_32_32 [P4, I32; I32, I32] lane(|a, b| (field(ltu(b, a, 32), 4), maxu(a, b, 32)));
    }
    Fitted Printed "the larger one, unsigned; field: a > b" {
        bmaxu_2_16_16_16 [P2, I16; I16, I16] lane(|a, b| (field(ltu(b, a, 16), 2), maxu(a, b, 16)));
    }
    Fitted ByAnalogy "the smaller one, signed; field: a < b" {
        bmin_1_8_8_8 [P1, I8; I8, I8] lane(|a, b| (field(lt(a, b, 8), 1), min(a, b, 8)));
        bmin_4_32_32_32 [P4, I32; I32, I32] lane(|a, b| (field(lt(a, b, 32), 4), min(a, b, 32)));
    }
    Fitted Printed "the smaller one, signed; field: a < b" {
        bmin_2_16_16_16 [P2, I16; I16, I16] lane(|a, b| (field(lt(a, b, 16), 2), min(a, b, 16)));
    }
    Fitted ByAnalogy "the smaller one, unsigned; field: a < b" {
        bminu_1_8_8_8 [P1, I8; I8, I8] lane(|a, b| (field(ltu(a, b, 8), 1), minu(a, b, 8)));
        bminu_4_32_32_32 [P4, I32; I32, I32] lane(|a, b| (field(ltu(a, b, 32), 4), minu(a, b, 32)));
    }
    Fitted Printed "the smaller one, unsigned; field: a < b" {
        bminu_2_16_16_16 [P2, I16; I16, I16] lane(|a, b| (field(ltu(a, b, 16), 2), minu(a, b, 16)));
    }
    Exact ByAnalogy "the magnitude of a, low bits; field: a < 0" {
        babs_1_8_8 [P1, I8; I8] lane(|a| (field(signed(a, 8) < 0, 1), abs(a, 8)));
        babs_2_16_16 [P2, I16; I16] lane(|a| (field(signed(a, 16) < 0, 2), abs(a, 16)));
        babs_4_32_32 [P4, I32; I32] lane(|a| (field(signed(a, 32) < 0, 4), abs(a, 32)));
    }
    Exact ByAnalogy "the magnitude of a - b, signed, low bits; field: a < b" {
        babssub_1_8_8_8 [P1, I8; I8, I8] lane(|a, b| (field(lt(a, b, 8), 1), abssub(a, b, 8)));
        babssub_2_16_16_16 [P2, I16; I16, I16] lane(|a, b| (field(lt(a, b, 16), 2), abssub(a, b, 16)));
    }
    Exact ByAnalogy "the magnitude of a - b, unsigned; field: a < b" {
        babssubu_1_8_8_8 [P1, I8; I8, I8] lane(|a, b| (field(ltu(a, b, 8), 1), abssubu(a, b, 8)));
        babssubu_2_16_16_16 [P2, I16; I16, I16] lane(|a, b| (field(ltu(a, b, 16), 2), abssubu(a, b, 16)));
    }
    Exact Printed "a + b; where that overflows int16, half of it; field: overflow" {
        baddnorm_2_16_16_16 [P2, I16; I16, I16] lane(|a, b| normalised(signed(a, 16) + signed(b, 16)));
    }
    Exact Printed "a - b; where that overflows int16, half of it; field: overflow" {
        bsubnorm_2_16_16_16 [P2, I16; I16, I16] lane(|a, b| normalised(signed(a, 16) - signed(b, 16)));
    }
    Exact Printed "the magnitude of a - b, unsigned; field: the old field XOR a < b" {
        bxorabssubu_1_8_8_8_1 [P1, I8; I8, I8, P1.named("old")]
            lane(|a, b, old| (field(ltu(a, b, 8), 1) ^ (old & 1), abssubu(a, b, 8)));
    }
}
