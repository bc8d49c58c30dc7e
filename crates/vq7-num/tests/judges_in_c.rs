//! Lanes against the judges in C: Berkeley SoftFloat as the second one of float16, bfloat16 and float32, CORE-MATH as the
//! one of POW and RSQRT. Where they are not built in, the tests say so and judge nothing (`cargo xtask test` builds them in).

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::{Bench, MODES, Random};
use std::io::Write;
use vq7_isa::AluOp::{self, *};
use vq7_isa::Dtype::{self, *};
use vq7_oracle::{Coverage, Level, Oracle, Question, Space};
use vq7_policy::{NanToInt, Policy};

/// Whether there is anything to test; says so past the capture of the test runner when there is not.
fn built_in(oracle: Oracle) -> bool {
    if !oracle.is_built_in() {
        let line = format!("{} is not built in and judged nothing: run `cargo xtask test`\n", oracle.name());
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    oracle.is_built_in()
}

fn level_1(op: AluOp, types: [Dtype; 3], seed: u64) -> Space {
    Space::new(Question { op, types }, Coverage::Weighted { level: Level::One, seed }).unwrap()
}

fn softfloat(op: AluOp, types: [Dtype; 3], policy: Policy, space: &Space, part: std::ops::Range<u64>) -> u64 {
    let Some(bench) = Bench::with(Some(Oracle::Softfloat), op, types, policy) else { return 0 };
    bench.check_all(space, part);
    1
}

#[test]
fn softfloat_agrees_on_weighted_pairs_of_every_dtype_in_every_mode() {
    if !built_in(Oracle::Softfloat) {
        return;
    }
    let mut cells = 0;
    for dtype in [Fp16, Bfloat16, Fp32, Int16, Uint16, Int32, Uint32] {
        for op in Oracle::Softfloat.ops() {
            for (seed, round) in MODES.into_iter().enumerate() {
                let space = level_1(op, [dtype; 3], seed as u64);
                cells += softfloat(op, [dtype; 3], Policy { round, ..Policy::default() }, &space, 0..space.total());
            }
        }
    }
    assert_eq!(cells, 7 * 15 * 4);
}

#[test]
fn softfloat_agrees_on_mixed_dtypes_and_conversions() {
    if !built_in(Oracle::Softfloat) {
        return;
    }
    let dtypes = [Fp16, Bfloat16, Fp32, Int8, Uint8, Int16, Uint16, Int32, Uint32];
    let mut cells = 0;
    for (index, &src0) in dtypes.iter().enumerate() {
        for step in 1..dtypes.len() {
            let (src1, out) = (dtypes[(index + step) % dtypes.len()], dtypes[(index + 4 * step) % dtypes.len()]);
            let nan_to_int = [NanToInt::Max, NanToInt::Zero, NanToInt::Min][step % 3];
            let policy = Policy { round: MODES[step % 4], nan_to_int, ..Policy::default() };
            for op in [Add, Mult, Divide, Max, IsLt, Bypass] {
                let space = level_1(op, [src0, src1, out], step as u64);
                let part = if op == Bypass { 0..space.total() } else { space.slice(step as u64, 9) };
                cells += softfloat(op, [src0, src1, out], policy, &space, part);
            }
        }
        // Conversions: every value of at most 16 bits, into every dtype.
        for out in dtypes.into_iter().filter(|_| src0.bits() <= 16) {
            for round in MODES {
                let types = [src0, src0, out];
                let space = Space::new(Question { op: Bypass, types }, Coverage::Exhaustive).unwrap();
                let policy = Policy { round, ..Policy::default() };
                cells += softfloat(Bypass, types, policy, &space, 0..space.total());
            }
        }
    }
    assert_eq!(cells, 9 * 8 * 6 + 6 * 9 * 4);
}

#[test]
fn softfloat_agrees_on_a_slice_of_the_float16_pairs() {
    if !built_in(Oracle::Softfloat) {
        return;
    }
    let slice = common::slice();
    for dtype in [Fp16, Bfloat16] {
        for op in [Add, Subtract, Mult, Divide, Max, Min, IsLt, IsEq] {
            let space = Space::new(Question { op, types: [dtype; 3] }, Coverage::Exhaustive).unwrap();
            softfloat(op, [dtype; 3], Policy::default(), &space, space.slice(slice, common::SLICES));
        }
    }
}

#[test]
fn core_math_agrees_on_every_weighted_power_and_root() {
    if !built_in(Oracle::CoreMath) {
        return;
    }
    let mut random = Random(0x5EED_0010);
    for op in [Pow, Rsqrt] {
        for types in [[Fp32; 3], [Fp32, Fp32, Bfloat16], [Bfloat16; 3], [Fp16; 3], [Int16, Fp16, Int32], [Fp8Exp4; 3]] {
            let bench = Bench::with(Some(Oracle::CoreMath), op, types, Policy::default()).unwrap();
            let space = level_1(op, types, 0);
            bench.check_all(&space, 0..space.total());
        }
        let bench = Bench::with(Some(Oracle::CoreMath), op, [Fp32; 3], Policy::default()).unwrap();
        for _ in 0..200_000 {
            // Bases of any sign and size; exponents that keep most powers in range, half of them halves of integers.
            let exponent = random.below(81) as f32 / 2.0 - 20.0;
            let b = if random.below(2) == 0 { exponent.to_bits() } else { random.float() };
            bench.check(random.float().into(), b.into());
        }
    }
}
