//! Float32 add, subtract, multiply and divide against rustc_apfloat, in all modes: a weighted set, then seeded random.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::{FP32, MODES, Random, check_flags, f32_of, judge_mode, weighted_floats};
use rustc_apfloat::Float;
use vq7_isa::AluOp::{self, *};
use vq7_isa::Dtype;
use vq7_num::Lane;
use vq7_policy::{Policy, Round};

const SEED: u64 = 0x5EED_0003;
const OPS: [AluOp; 4] = [Add, Subtract, Mult, Divide];

fn check(op: AluOp, a: u32, b: u32, mode: Round) {
    let policy = Policy { round: mode, ..Policy::default() };
    let ours = Lane::new(op, Dtype::Fp32, Dtype::Fp32, Dtype::Fp32).evaluate(a.into(), b.into(), &policy).unwrap();
    let (x, y, round) = (f32_of(a), f32_of(b), judge_mode(mode));
    let what =
        || format!("vq7 explain --op {op} --types f32,f32,f32 --a {a:#010x} --b {b:#010x} (round {mode:?}): {ours:x?}");
    if x.is_nan() || y.is_nan() {
        // Our own rule, which the judge does not share: the first NaN, quieted.
        let expected = (if x.is_nan() { a } else { b }) | 0x0040_0000;
        assert_eq!(ours.value, expected.into(), "{}", what());
        assert_eq!(ours.flags.invalid, x.is_signaling() || y.is_signaling(), "{}", what());
        return;
    }
    let expected = match op {
        Add => x.add_r(y, round),
        Subtract => x.sub_r(y, round),
        Mult => x.mul_r(y, round),
        _ => x.div_r(y, round),
    };
    let judged = if expected.value.is_nan() { 0x7FC0_0000 } else { expected.value.to_bits() as u64 };
    assert_eq!(ours.value, judged, "{} judge {expected:?}", what());
    check_flags(ours.flags, expected.status, ours.value, FP32, what);
}

#[test]
fn weighted_pairs() {
    let set = weighted_floats();
    for (index, &a) in set.iter().enumerate() {
        for &b in &set {
            // Every pair in nearest even; the directed modes take turns.
            for op in OPS {
                check(op, a, b, Round::NearestEven);
                check(op, a, b, MODES[1 + (index + b as usize) % 3]);
            }
        }
    }
}

#[test]
fn random_pairs() {
    let mut random = Random(SEED);
    for _ in 0..400_000 {
        let (a, b) = (random.float(), random.float());
        for op in OPS {
            for mode in MODES {
                check(op, a, b, mode);
            }
        }
    }
}

/// Sums whose operands are far apart, near the reach of exact alignment, and cancelling.
#[test]
fn sums_of_operands_that_are_far_apart() {
    let mut random = Random(SEED + 1);
    for _ in 0..300_000 {
        let a = random.next() as u32;
        let distance = random.below(60) as u32;
        let exponent = (a >> 23 & 0xFF).saturating_sub(distance);
        let b = random.next() as u32 & 0x807F_FFFF | exponent << 23;
        let b = if random.below(3) == 0 { b & 0xFF80_0003 } else { b };
        for mode in MODES {
            check(Add, a, b, mode);
            check(Subtract, b, a, mode);
        }
    }
}

/// Products and quotients that come out subnormal or next to the largest finite value.
#[test]
fn products_and_quotients_at_the_edges_of_the_range() {
    let mut random = Random(SEED + 2);
    for _ in 0..300_000 {
        let a = random.next() as u32;
        let exponent = a >> 23 & 0xFF;
        let wobble = random.below(30) as u32;
        // Exponents whose sum lies near the lower edge or the upper one.
        let (low, high) = ((141 - wobble).saturating_sub(exponent.min(120)), (381 + wobble - 15 - exponent).min(254));
        for partner in [low, high] {
            let b = random.next() as u32 & 0x807F_FFFF | partner << 23;
            for mode in MODES {
                check(Mult, a, b, mode);
                check(Divide, a, b & 0x807F_FFFF | (254 - partner.min(254)) << 23, mode);
            }
        }
    }
}
