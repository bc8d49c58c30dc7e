//! The integer band and the bitvec ops against plain definitions on 128-bit integers: at random and on edges, 64 bits as
//! pairs of halves, and mixed widths. Every pair of 8 bits is in `brute_force.rs`.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::{Bench, Random};
use vq7_isa::AluOp::{self, *};
use vq7_isa::Dtype;
use vq7_num::{Class, Lane, LaneError};
use vq7_oracle::integers::{SHARED, SHIFTS, SIGNED, UNSIGNED};
use vq7_policy::{AbsMinMaxInt, IntDivZero, IntNarrow, ModSign, Policy, ShiftOver};

const SEED: u64 = 0x5EED_0004;

fn ops(signed: bool) -> impl Iterator<Item = AluOp> {
    SHARED.into_iter().chain(if signed { SIGNED } else { UNSIGNED })
}

fn dtype(width: u32, signed: bool) -> Dtype {
    match (width, signed) {
        (8, true) => Dtype::Int8,
        (8, false) => Dtype::Uint8,
        (16, true) => Dtype::Int16,
        (16, false) => Dtype::Uint16,
        (32, true) => Dtype::Int32,
        (32, false) => Dtype::Uint32,
        (_, true) => Dtype::Int64,
        (_, false) => Dtype::Uint64,
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

fn policies() -> Vec<Policy> {
    let base = Policy::default();
    vec![
        base,
        Policy { int_div_zero: IntDivZero::Zero, mod_sign: ModSign::Dividend, ..base },
        Policy { abs_minmax_int: AbsMinMaxInt::SignedOriginal, ..base },
    ]
}

/// Every op on one integer dtype, with its judge.
fn benches(width: u32, signed: bool, policy: Policy) -> Vec<Bench> {
    ops(signed).map(|op| Bench::new(op, [dtype(width, signed); 3], policy).unwrap()).collect()
}

#[test]
fn random_pairs_at_16_32_and_64_bits() {
    let mut random = Random(SEED);
    for policy in policies() {
        for width in [16, 32, 64] {
            let benches: Vec<_> = [true, false].into_iter().flat_map(|signed| benches(width, signed, policy)).collect();
            for _ in 0..60_000 {
                let (a, b) = (random.integer(width), random.integer(width));
                benches.iter().for_each(|bench| bench.check(a, b));
            }
        }
    }
}

/// All pairs of patterns whose halves are on edges: carries, borrows, sign edges, ties of the high half.
#[test]
fn pairs_of_halves_on_edges() {
    let halves = [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x0001_0000, 0xDEAD_BEEF];
    let patterns: Vec<u64> = halves.iter().flat_map(|hi| halves.iter().map(move |lo| hi << 32 | lo)).collect();
    for policy in policies() {
        let benches: Vec<_> = [true, false].into_iter().flat_map(|signed| benches(64, signed, policy)).collect();
        for &a in &patterns {
            for &b in &patterns {
                benches.iter().for_each(|bench| bench.check(a, b));
            }
        }
    }
}

#[test]
fn division_by_zero_can_trap_at_every_width() {
    let policy = Policy { int_div_zero: IntDivZero::Trap, ..Policy::default() };
    for width in [8, 16, 32, 64] {
        for (op, signed) in [(DivideInt, true), (ModInt, false), (Mod, true), (DivideUint, false), (ModUint, false)] {
            let dtype = dtype(width, signed);
            let lane = Lane::new(op, dtype, dtype, dtype);
            assert_eq!(lane.evaluate(5, 0, &policy), Err(LaneError::DivideByZero), "{op} {dtype}");
            assert!(lane.evaluate(5, 1, &policy).is_ok());
        }
    }
}

/// Mixed widths: the exact result, its low bits or clamped.
#[test]
fn mixed_widths_narrow_the_exact_result() {
    let mut random = Random(SEED + 1);
    for round in 0..200_000 {
        let [w0, w1, w2] = [0, 2, 4].map(|at| 8 << (random.0 >> at & 3));
        let signed = round % 2 == 0;
        let (a, b) = (random.integer(w0), random.integer(w1));
        if w0 == w1 && w1 == w2 {
            continue;
        }
        let types = [w0, w1, w2].map(|width| dtype(width, signed));
        for op in ops(signed) {
            for rule in [IntNarrow::LowBits, IntNarrow::Saturate] {
                Bench::new(op, types, Policy { int_narrow: rule, ..Policy::default() }).unwrap().check(a, b);
            }
        }
    }
}

#[test]
fn operands_that_the_integer_band_does_not_take() {
    let policy = Policy::default();
    for (op, src0, src1, out) in [
        (AddInt, Dtype::Int32, Dtype::Int32, Dtype::Fp32),
        (AddInt, Dtype::Int32, Dtype::Uint32, Dtype::Int32),
        (Mod, Dtype::Fp32, Dtype::Fp32, Dtype::Fp32),
        (AmaxInt, Dtype::Int32, Dtype::Int32, Dtype::Int32),
    ] {
        let error = Lane::new(op, src0, src1, out).evaluate(1, 1, &policy).unwrap_err();
        assert!(matches!(error, LaneError::Unimplemented(_)), "{op}: {error}");
    }
}

#[test]
fn shifts_under_every_rule_for_large_counts() {
    let mut random = Random(SEED + 2);
    let counts =
        [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 95, 127, 128, 255, 1 << 31, u32::MAX.into(), u64::MAX];
    for rule in [ShiftOver::Flush, ShiftOver::Mod32, ShiftOver::IvpSigned] {
        let policy = Policy { shift_over: rule, ..Policy::default() };
        for width in [8, 16, 32, 64] {
            let mut benches = Vec::new();
            for value in [true, false].map(|signed| dtype(width, signed)) {
                for count in [Some(value), (width == 64).then_some(Dtype::Uint32)].into_iter().flatten() {
                    benches.extend(SHIFTS.map(|op| Bench::new(op, [value, count, value], policy).unwrap()));
                }
            }
            for _ in 0..400 {
                let a = random.integer(width);
                for count in counts {
                    benches.iter().for_each(|bench| bench.check(a, count & mask(bench.lane.src1.bits())));
                }
            }
        }
    }
}

#[test]
fn bitwise_ops_at_every_width_and_dtype() {
    let mut random = Random(SEED + 3);
    let policy = Policy::default();
    for dtype in Dtype::tensor_tensor() {
        for _ in 0..2_000 {
            let (a, b) = (random.integer(dtype.bits()), random.integer(dtype.bits()));
            for (op, expected) in [
                (BitwiseNot, !a & mask(dtype.bits())),
                (BitwiseAnd, a & b),
                (BitwiseOr, a | b),
                (BitwiseXor, a ^ b),
                (Bypass, a),
            ] {
                let lane = Lane { class: Class::Bitvec, ..Lane::new(op, dtype, dtype, dtype) };
                let ours = lane.evaluate(a, b, &policy).unwrap();
                assert_eq!((ours.value, ours.flags.is_empty()), (expected, true), "{op} {dtype} {a:#x} {b:#x}");
            }
        }
    }
}

#[test]
fn what_no_source_settles_is_unspecified() {
    let policy = Policy::default();
    let (i32, i64, u64, u32, f32) = (Dtype::Int32, Dtype::Int64, Dtype::Uint64, Dtype::Uint32, Dtype::Fp32);
    for lane in [
        Lane::new(Add, i64, i64, i64),
        Lane::new(Add, f32, f32, i64),
        Lane::new(Mult, i32, u64, i32),
        Lane::new(Pow, i64, i64, i64),
        Lane::new(Bypass, i64, i64, i64),
        Lane::new(Bypass, f32, i64, f32),
        Lane::new(LogicalShiftLeft, i64, u32, u64),
        Lane::new(ArithShiftRight, u64, u64, i32),
    ] {
        assert_eq!(lane.evaluate(1, 1, &policy), Err(LaneError::Unspecified), "{lane:?}");
        assert_eq!(lane.basis_of(1, 1, &policy), vq7_num::Basis::default());
    }
    let other_count = Lane::new(LogicalShiftLeft, i64, Dtype::Uint16, i64).evaluate(1, 1, &policy);
    assert!(matches!(other_count, Err(LaneError::Unimplemented(_))));
}
