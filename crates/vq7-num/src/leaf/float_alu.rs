//! Floating-point arithmetic leaves: add, subtract, multiply, fused, sign, exponent, extremes, class.

use super::float::{add, add_exponents, classify, extreme, fused, mode, mul, number_extreme, sub};
use super::row::leaves;
use super::shape::{F16, F32, INEXACT, INVALID, OVERFLOW, Port, RM, UNDERFLOW, int};
use crate::format::{FP16, FP32, Format};
use std::cmp::Ordering::{Greater, Less};

const I16: Port = int(16);
const I32: Port = int(32);
const ACC16: Port = F16.named("acc");
const ACC32: Port = F32.named("acc");

/// The bits without the sign.
const fn abs(f: &Format, a: u64) -> u64 {
    a & (f.sign(true) - 1)
}

/// The bits with the sign toggled.
const fn neg(f: &Format, a: u64) -> u64 {
    (a ^ f.sign(true)) & (f.sign(true) << 1).wrapping_sub(1)
}

leaves! {
    "Floating point";
    Exact Printed "a + b, rounded by mode; of two NaNs the first" {
        add_1_1_1_16f_16f_16f_2 [INVALID, OVERFLOW, INEXACT, F16; F16, F16, RM]
            lane(|a, b, rm| add(&FP16, a, b, mode(rm)));
        add_1_1_1_32f_32f_32f_2 [INVALID, OVERFLOW, INEXACT, F32; F32, F32, RM]
            lane(|a, b, rm| add(&FP32, a, b, mode(rm)));
    }
    Exact Printed "a - b, rounded by mode; of two NaNs the first" {
        sub_1_1_1_16f_16f_16f_2 [INVALID, OVERFLOW, INEXACT, F16; F16, F16, RM]
            lane(|a, b, rm| sub(&FP16, a, b, mode(rm)));
    }
    Exact ByAnalogy "a - b, rounded by mode; of two NaNs the first" {
        sub_1_1_1_32f_32f_32f_2 [INVALID, OVERFLOW, INEXACT, F32; F32, F32, RM]
            lane(|a, b, rm| sub(&FP32, a, b, mode(rm)));
    }
    Exact Printed "a * b, rounded by mode; of two NaNs the second" {
        mul_1_1_1_1_16f_16f_16f_2 [INVALID, OVERFLOW, UNDERFLOW, INEXACT, F16; F16, F16, RM]
            lane(|a, b, rm| mul(&FP16, a, b, mode(rm)));
        mul_1_1_1_1_32f_32f_32f_2 [INVALID, OVERFLOW, UNDERFLOW, INEXACT, F32; F32, F32, RM]
            lane(|a, b, rm| mul(&FP32, a, b, mode(rm)));
    }
    Reconciled ByAnalogy "acc + a * b, rounded once by mode; of several NaNs acc's, then b's (ours)" {
        mula_1_1_1_1_16f_16f_16f_16f_2 [INVALID, OVERFLOW, UNDERFLOW, INEXACT, F16; ACC16, F16, F16, RM]
            lane(|acc, a, b, rm| fused(&FP16, acc, a, b, false, mode(rm)));
        mula_1_1_1_1_32f_32f_32f_32f_2 [INVALID, OVERFLOW, UNDERFLOW, INEXACT, F32; ACC32, F32, F32, RM]
            lane(|acc, a, b, rm| fused(&FP32, acc, a, b, false, mode(rm)));
    }
    Reconciled ByAnalogy "acc - a * b, rounded once by mode; of several NaNs acc's, then b's (ours)" {
        mulsn_1_1_1_1_16f_16f_16f_16f_2 [INVALID, OVERFLOW, UNDERFLOW, INEXACT, F16; ACC16, F16, F16, RM]
            lane(|acc, a, b, rm| fused(&FP16, acc, a, b, true, mode(rm)));
        mulsn_1_1_1_1_32f_32f_32f_32f_2 [INVALID, OVERFLOW, UNDERFLOW, INEXACT, F32; ACC32, F32, F32, RM]
            lane(|acc, a, b, rm| fused(&FP32, acc, a, b, true, mode(rm)));
    }
    Exact Printed "the sign cleared, NaNs too" {
        abs_16f_16f [F16; F16] lane(|a| abs(&FP16, a));
    }
    Exact ByAnalogy "the sign cleared, NaNs too" {
        abs_32f_32f [F32; F32] lane(|a| abs(&FP32, a));
    }
    Exact Printed "the sign toggled, NaNs too" {
        neg_16f_16f [F16; F16] lane(|a| neg(&FP16, a));
        neg_32f_32f [F32; F32] lane(|a| neg(&FP32, a));
    }
    Fitted Printed "a with b's exponent added, modulo the field, and the signs multiplied" {
        addexp_16f_16f_16f [F16; F16, F16] lane(|a, b| add_exponents(&FP16, a, b));
    }
    Assumed ByAnalogy "a with b's exponent added, modulo the field, and the signs multiplied" {
        addexp_32f_32f_32f [F32; F32, F32] lane(|a, b| add_exponents(&FP32, a, b));
    }
    Fitted Printed "a if a > b, else b: a NaN in a gives b, one in b gives that one, a tie gives b" {
        max_1_16f_16f_16f [INVALID, F16; F16, F16] lane(|a, b| extreme(&FP16, a, b, Greater));
        max_1_32f_32f_32f [INVALID, F32; F32, F32] lane(|a, b| extreme(&FP32, a, b, Greater));
    }
    Fitted Printed "a if a < b, else b: a NaN in a gives b, one in b gives that one, a tie gives b" {
        min_1_16f_16f_16f [INVALID, F16; F16, F16] lane(|a, b| extreme(&FP16, a, b, Less));
        min_1_32f_32f_32f [INVALID, F32; F32, F32] lane(|a, b| extreme(&FP32, a, b, Less));
    }
    Fitted Printed "the larger one; a number beats a NaN, of two NaNs b, +0 above -0" {
        maxnum_1_16f_16f_16f [INVALID, F16; F16, F16] lane(|a, b| number_extreme(&FP16, a, b, Greater));
        maxnum_1_32f_32f_32f [INVALID, F32; F32, F32] lane(|a, b| number_extreme(&FP32, a, b, Greater));
    }
    Fitted Printed "the smaller one; a number beats a NaN, of two NaNs b, -0 below +0" {
        minnum_1_16f_16f_16f [INVALID, F16; F16, F16] lane(|a, b| number_extreme(&FP16, a, b, Less));
        minnum_1_32f_32f_32f [INVALID, F32; F32, F32] lane(|a, b| number_extreme(&FP32, a, b, Less));
    }
    Exact Printed "class bits: sign, zero, subnormal, normal, infinity, NaN, signalling NaN, finite; a NaN's sign is ours" {
        clsfy_16f_16f [I16; F16] lane(|a| classify(&FP16, a));
        clsfy_32f_32f [I32; F32] lane(|a| classify(&FP32, a));
    }
}
