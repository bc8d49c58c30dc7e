//! Bitwise logic on registers and predicates, predicate masks, and merges by predicate.

use super::compare::field;
use super::row::leaves;
use super::shape::{I8, I16, I32, I64, P1, P2, P4, VEC, int};
use crate::convert::mask;

/// Whether a lane's predicate field is true: readers look at bit 0.
const fn is_true(predicate: u64) -> bool {
    predicate & 1 == 1
}

/// A new lane where the predicate holds, else the old one.
const fn merged(new: u64, old: u64, predicate: u64, width: u32) -> u64 {
    (if is_true(predicate) { new } else { old }) & mask(width)
}

/// One bit.
const B1: super::Port = int(1);
const PREDICATE: super::Port = P1.named("predicate");

leaves! {
    "Logic and predication";
    Exact Printed "a AND b" {
        and_512_512_512 [VEC; VEC, VEC] whole(|i, o| o[0] = i[0].zip(&i[1], |a, b| a & b));
        andb_64_64_64 [I64; I64, I64] lane(|a, b| a & b);
    }
    Exact Printed "a OR b" {
        or_512_512_512 [VEC; VEC, VEC] whole(|i, o| o[0] = i[0].zip(&i[1], |a, b| a | b));
        orb_64_64_64 [I64; I64, I64] lane(|a, b| a | b);
    }
    Exact Printed "a XOR b" {
        xor_512_512_512 [VEC; VEC, VEC] whole(|i, o| o[0] = i[0].zip(&i[1], |a, b| a ^ b));
        xorb_64_64_64 [I64; I64, I64] lane(|a, b| a ^ b);
    }
    Exact Printed "NOT a" {
        not_512_512 [VEC; VEC] whole(|i, o| o[0] = i[0].zip(&i[0], |a, _| !a).truncated(512));
        notb_64_64 [I64; I64] lane(|a| !a);
        notb1_1_1 [B1; B1] lane(|a| !a & 1);
    }
    Exact Printed "a AND NOT b" {
        andnotb_64_64_64 [I64; I64, I64] lane(|a, b| a & !b);
    }
    Exact Printed "a OR NOT b" {
        ornotb_64_64_64 [I64; I64, I64] lane(|a, b| a | !b);
    }
    Exact ByAnalogy "a AND NOT b" {
        andnotb1_1_1_1 [B1; B1, B1] lane(|a, b| a & !b & 1);
    }
    Exact ByAnalogy "a OR NOT b" {
        ornotb1_1_1_1 [B1; B1, B1] lane(|a, b| (a | !b) & 1);
    }
    Exact Printed "the mask of the lanes that a merge keeps: zeros where the predicate holds, else ones" {
        bitkillt_8_1 [I8; P1] lane(|p| field(!is_true(p), 8));
        bitkillt_16_2 [I16; P2] lane(|p| field(!is_true(p), 16));
        bitkillt_32_4 [I32; P4] lane(|p| field(!is_true(p), 32));
    }
    Exact Printed "the mask of the lanes that a merge takes: ones where the predicate holds, else zeros" {
        bitkillf_16_1 [I16; P1] lane(|p| field(is_true(p), 16));
        bitkillf_16_2 [I16; P2] lane(|p| field(is_true(p), 16));
        bitkillf_32_4 [I32; P4] lane(|p| field(is_true(p), 32));
    }
    Reconciled Printed "new where the predicate holds, else old; the order of the inputs is ours" {
        mov_8_8_8_t [I8; I8.named("new"), I8.named("old"), PREDICATE] lane(|new, old, p| merged(new, old, p, 8));
    }
    Reconciled ByAnalogy "new where the predicate holds, else old; the order of the inputs is ours" {
        mov_16_16_16_t [I16; I16.named("new"), I16.named("old"), P2.named("predicate")]
            lane(|new, old, p| merged(new, old, p, 16));
        mov_32_32_32_t [I32; I32.named("new"), I32.named("old"), P4.named("predicate")]
            lane(|new, old, p| merged(new, old, p, 32));
    }
    Exact Printed "a < b, unsigned: a flag for one of the eight predicate banks" {
        fs0ltu_64_8_8 [I64; I8, I8] lane(|a, b| u64::from((a & 0xFF) < (b & 0xFF)));
        fs3ltu_64_8_8 [I64; I8, I8] lane(|a, b| u64::from((a & 0xFF) < (b & 0xFF)));
        fs7ltu_64_8_8 [I64; I8, I8] lane(|a, b| u64::from((a & 0xFF) < (b & 0xFF)));
        fs1ltu_64_8_8 [I64; I8, I8] lane(|a, b| u64::from((a & 0xFF) < (b & 0xFF)));
        fs2ltu_64_8_8 [I64; I8, I8] lane(|a, b| u64::from((a & 0xFF) < (b & 0xFF)));
        fs4ltu_64_8_8 [I64; I8, I8] lane(|a, b| u64::from((a & 0xFF) < (b & 0xFF)));
        fs5ltu_64_8_8 [I64; I8, I8] lane(|a, b| u64::from((a & 0xFF) < (b & 0xFF)));
        fs6ltu_64_8_8 [I64; I8, I8] lane(|a, b| u64::from((a & 0xFF) < (b & 0xFF)));
    }
}
