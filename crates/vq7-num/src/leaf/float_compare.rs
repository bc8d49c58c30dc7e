//! Floating-point compares: into one bit, or into a lane's predicate field, plain or under a predicate.
//!
//! `o` is false and `u` true on a NaN. `ole`, `olt` and the forms with `q` raise `invalid` on any NaN, the others on a
//! signalling one.

use super::compare::field;
use super::float::compare;
use super::row::leaves;
use super::shape::{F16, F32, INVALID, P1, P2, P4, Port};
use crate::flags::{Flagged, Flags};
use crate::format::{FP16, FP32, Format};
use std::cmp::Ordering::{Equal, Greater, Less};

/// The ten compares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compare {
    Oeq,
    Olt,
    Ole,
    Ueq,
    Ult,
    Ule,
    Ultq,
    Uleq,
    Uneq,
    Un,
}

/// A compare into a field of `width` bits.
fn into_field(f: &'static Format, a: u64, b: u64, what: Compare, width: u32) -> Flagged<u64> {
    use Compare::*;
    let signaling = matches!(what, Olt | Ole | Ultq | Uleq);
    let (truth, flags) = compare(f, a, b, signaling, |order| match what {
        Oeq => order == Some(Equal),
        Olt => order == Some(Less),
        Ole => matches!(order, Some(Less | Equal)),
        Ueq => matches!(order, None | Some(Equal)),
        Ult | Ultq => matches!(order, None | Some(Less)),
        Ule | Uleq => order != Some(Greater),
        Uneq => order != Some(Equal),
        Un => order.is_none(),
    });
    Flagged::new(field(truth, width), flags)
}

/// A compare where the predicate holds; elsewhere false, and no flag.
fn predicated(f: &'static Format, a: u64, b: u64, predicate: u64, what: Compare, width: u32) -> Flagged<u64> {
    match predicate & 1 {
        0 => Flagged::new(0, Flags::NONE),
        _ => into_field(f, a, b, what, width),
    }
}

const IF2: Port = P2.named("predicate");
const IF4: Port = P4.named("predicate");

leaves! {
    "Floating-point compares";
    Exact Printed "a = b; false on a NaN" {
        oeq_1_1_16f_16f [INVALID, P1; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Oeq, 1));
        oeq_1_2_16f_16f [INVALID, P2; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Oeq, 2));
        oeq_1_4_32f_32f [INVALID, P4; F32, F32] lane(|a, b| into_field(&FP32, a, b, Compare::Oeq, 4));
    }
    Reconciled ByAnalogy "a = b; false on a NaN; 0 and no flag where the predicate is clear" {
        oeq_1_2_16f_16f_2f_t [INVALID, P2; F16, F16, IF2]
            lane(|a, b, p| predicated(&FP16, a, b, p, Compare::Oeq, 2));
        oeq_1_4_32f_32f_4f_t [INVALID, P4; F32, F32, IF4]
            lane(|a, b, p| predicated(&FP32, a, b, p, Compare::Oeq, 4));
    }
    Exact Printed "a < b; false on a NaN, invalid on any" {
        olt_1_1_16f_16f [INVALID, P1; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Olt, 1));
        olt_1_2_16f_16f [INVALID, P2; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Olt, 2));
        olt_1_4_32f_32f [INVALID, P4; F32, F32] lane(|a, b| into_field(&FP32, a, b, Compare::Olt, 4));
    }
    Reconciled ByAnalogy "a < b; false on a NaN, invalid on any; 0 and no flag where the predicate is clear" {
        olt_1_2_16f_16f_2f_t [INVALID, P2; F16, F16, IF2]
            lane(|a, b, p| predicated(&FP16, a, b, p, Compare::Olt, 2));
        olt_1_4_32f_32f_4f_t [INVALID, P4; F32, F32, IF4]
            lane(|a, b, p| predicated(&FP32, a, b, p, Compare::Olt, 4));
    }
    Exact Printed "a <= b; false on a NaN, invalid on any" {
        ole_1_1_16f_16f [INVALID, P1; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Ole, 1));
        ole_1_2_16f_16f [INVALID, P2; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Ole, 2));
        ole_1_4_32f_32f [INVALID, P4; F32, F32] lane(|a, b| into_field(&FP32, a, b, Compare::Ole, 4));
    }
    Reconciled ByAnalogy "a <= b; false on a NaN, invalid on any; 0 and no flag where the predicate is clear" {
        ole_1_2_16f_16f_2f_t [INVALID, P2; F16, F16, IF2]
            lane(|a, b, p| predicated(&FP16, a, b, p, Compare::Ole, 2));
        ole_1_4_32f_32f_4f_t [INVALID, P4; F32, F32, IF4]
            lane(|a, b, p| predicated(&FP32, a, b, p, Compare::Ole, 4));
    }
    Exact Printed "a = b, or a NaN" {
        ueq_1_1_16f_16f [INVALID, P1; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Ueq, 1));
        ueq_1_2_16f_16f [INVALID, P2; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Ueq, 2));
        ueq_1_4_32f_32f [INVALID, P4; F32, F32] lane(|a, b| into_field(&FP32, a, b, Compare::Ueq, 4));
    }
    Reconciled ByAnalogy "a = b, or a NaN; 0 and no flag where the predicate is clear" {
        ueq_1_2_16f_16f_2f_t [INVALID, P2; F16, F16, IF2]
            lane(|a, b, p| predicated(&FP16, a, b, p, Compare::Ueq, 2));
        ueq_1_4_32f_32f_4f_t [INVALID, P4; F32, F32, IF4]
            lane(|a, b, p| predicated(&FP32, a, b, p, Compare::Ueq, 4));
    }
    Exact Printed "a < b, or a NaN" {
        ult_1_1_16f_16f [INVALID, P1; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Ult, 1));
        ult_1_2_16f_16f [INVALID, P2; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Ult, 2));
        ult_1_4_32f_32f [INVALID, P4; F32, F32] lane(|a, b| into_field(&FP32, a, b, Compare::Ult, 4));
    }
    Reconciled ByAnalogy "a < b, or a NaN; 0 and no flag where the predicate is clear" {
        ult_1_2_16f_16f_2f_t [INVALID, P2; F16, F16, IF2]
            lane(|a, b, p| predicated(&FP16, a, b, p, Compare::Ult, 2));
        ult_1_4_32f_32f_4f_t [INVALID, P4; F32, F32, IF4]
            lane(|a, b, p| predicated(&FP32, a, b, p, Compare::Ult, 4));
    }
    Exact Printed "a <= b, or a NaN" {
        ule_1_1_16f_16f [INVALID, P1; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Ule, 1));
        ule_1_2_16f_16f [INVALID, P2; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Ule, 2));
        ule_1_4_32f_32f [INVALID, P4; F32, F32] lane(|a, b| into_field(&FP32, a, b, Compare::Ule, 4));
    }
    Reconciled ByAnalogy "a <= b, or a NaN; 0 and no flag where the predicate is clear" {
        ule_1_2_16f_16f_2f_t [INVALID, P2; F16, F16, IF2]
            lane(|a, b, p| predicated(&FP16, a, b, p, Compare::Ule, 2));
        ule_1_4_32f_32f_4f_t [INVALID, P4; F32, F32, IF4]
            lane(|a, b, p| predicated(&FP32, a, b, p, Compare::Ule, 4));
    }
    Exact Printed "a < b, or a NaN; invalid on any" {
        ultq_1_1_16f_16f [INVALID, P1; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Ultq, 1));
        ultq_1_2_16f_16f [INVALID, P2; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Ultq, 2));
        ultq_1_4_32f_32f [INVALID, P4; F32, F32] lane(|a, b| into_field(&FP32, a, b, Compare::Ultq, 4));
    }
    Reconciled ByAnalogy "a < b, or a NaN; invalid on any; 0 and no flag where the predicate is clear" {
        ultq_1_2_16f_16f_2f_t [INVALID, P2; F16, F16, IF2]
            lane(|a, b, p| predicated(&FP16, a, b, p, Compare::Ultq, 2));
        ultq_1_4_32f_32f_4f_t [INVALID, P4; F32, F32, IF4]
            lane(|a, b, p| predicated(&FP32, a, b, p, Compare::Ultq, 4));
    }
    Exact Printed "a <= b, or a NaN; invalid on any" {
        uleq_1_1_16f_16f [INVALID, P1; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Uleq, 1));
        uleq_1_2_16f_16f [INVALID, P2; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Uleq, 2));
        uleq_1_4_32f_32f [INVALID, P4; F32, F32] lane(|a, b| into_field(&FP32, a, b, Compare::Uleq, 4));
    }
    Reconciled ByAnalogy "a <= b, or a NaN; invalid on any; 0 and no flag where the predicate is clear" {
        uleq_1_2_16f_16f_2f_t [INVALID, P2; F16, F16, IF2]
            lane(|a, b, p| predicated(&FP16, a, b, p, Compare::Uleq, 2));
        uleq_1_4_32f_32f_4f_t [INVALID, P4; F32, F32, IF4]
            lane(|a, b, p| predicated(&FP32, a, b, p, Compare::Uleq, 4));
    }
    Exact Printed "a /= b, or a NaN" {
        uneq_1_1_16f_16f [INVALID, P1; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Uneq, 1));
        uneq_1_2_16f_16f [INVALID, P2; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Uneq, 2));
        uneq_1_4_32f_32f [INVALID, P4; F32, F32] lane(|a, b| into_field(&FP32, a, b, Compare::Uneq, 4));
    }
    Reconciled ByAnalogy "a /= b, or a NaN; 0 and no flag where the predicate is clear" {
        uneq_1_2_16f_16f_2f_t [INVALID, P2; F16, F16, IF2]
            lane(|a, b, p| predicated(&FP16, a, b, p, Compare::Uneq, 2));
        uneq_1_4_32f_32f_4f_t [INVALID, P4; F32, F32, IF4]
            lane(|a, b, p| predicated(&FP32, a, b, p, Compare::Uneq, 4));
    }
    Exact Printed "a NaN among them" {
        un_1_1_16f_16f [INVALID, P1; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Un, 1));
        un_1_2_16f_16f [INVALID, P2; F16, F16] lane(|a, b| into_field(&FP16, a, b, Compare::Un, 2));
        un_1_4_32f_32f [INVALID, P4; F32, F32] lane(|a, b| into_field(&FP32, a, b, Compare::Un, 4));
    }
    Reconciled ByAnalogy "a NaN among them; 0 and no flag where the predicate is clear" {
        un_1_2_16f_16f_2f_t [INVALID, P2; F16, F16, IF2]
            lane(|a, b, p| predicated(&FP16, a, b, p, Compare::Un, 2));
        un_1_4_32f_32f_4f_t [INVALID, P4; F32, F32, IF4]
            lane(|a, b, p| predicated(&FP32, a, b, p, Compare::Un, 4));
    }
}
