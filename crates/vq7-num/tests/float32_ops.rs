//! Float32 add, subtract, multiply and divide against rustc_apfloat, in all modes: seeded random operands, and operands
//! where alignment and range end. Weighted ones are in `brute_force.rs`.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::{Bench, MODES, Random};
use vq7_isa::AluOp::{self, *};
use vq7_isa::Dtype;
use vq7_num::Lane;
use vq7_oracle::formats::is_nan;
use vq7_policy::Policy;

const SEED: u64 = 0x5EED_0003;
const OPS: [AluOp; 4] = [Add, Subtract, Mult, Divide];

/// The lanes of some ops in every mode, with their judges.
fn benches(ops: &[AluOp]) -> Vec<Bench> {
    let policy = |round| Policy { round, ..Policy::default() };
    let modes = |op| MODES.map(|round| Bench::new(op, [Dtype::Fp32; 3], policy(round)).unwrap());
    ops.iter().flat_map(|op| modes(*op)).collect()
}

fn check(benches: &[Bench], a: u32, b: u32) {
    benches.iter().for_each(|bench| bench.check(a.into(), b.into()));
}

/// Our own rule, which the judge does not share: the first NaN, quieted; `invalid` if one was signalling. A NaN out of
/// numbers is the canonical one.
#[test]
fn nans_come_through_by_rule() {
    let specials = vq7_oracle::weighted::values(Dtype::Fp32, vq7_oracle::Level::One);
    let specials: Vec<_> = specials.map(|bits| bits as u32).filter(|bits| bits >> 23 & 0xFF == 0xFF).collect();
    let signals = |bits: u32| is_nan(bits) && bits & 0x0040_0000 == 0;
    for &a in &specials {
        for b in specials.iter().copied().chain([0, 0x3F80_0000, 0x8000_0000]) {
            for op in OPS {
                for (a, b) in [(a, b), (b, a)] {
                    let lane = Lane::new(op, Dtype::Fp32, Dtype::Fp32, Dtype::Fp32);
                    let ours = lane.evaluate(a.into(), b.into(), &Policy::default()).unwrap();
                    let value = ours.value as u32;
                    if is_nan(a) || is_nan(b) {
                        let first = if is_nan(a) { a } else { b };
                        assert_eq!(value, first | 0x0040_0000, "{op} {a:#x} {b:#x}");
                        assert_eq!(ours.flags.invalid, signals(a) || signals(b), "{op} {a:#x} {b:#x}");
                    } else if is_nan(value) {
                        assert_eq!((value, ours.flags.invalid), (0x7FC0_0000, true), "{op} {a:#x} {b:#x}");
                    }
                }
            }
        }
    }
}

#[test]
fn random_pairs() {
    let (mut random, benches) = (Random(SEED), benches(&OPS));
    for _ in 0..400_000 {
        check(&benches, random.float(), random.float());
    }
}

/// Sums whose operands are far apart, near the reach of exact alignment, and cancelling.
#[test]
fn sums_of_operands_that_are_far_apart() {
    let mut random = Random(SEED + 1);
    let [sums, differences] = [benches(&[Add]), benches(&[Subtract])];
    for _ in 0..300_000 {
        let a = random.next() as u32;
        let distance = random.below(60) as u32;
        let exponent = (a >> 23 & 0xFF).saturating_sub(distance);
        let b = random.next() as u32 & 0x807F_FFFF | exponent << 23;
        let b = if random.below(3) == 0 { b & 0xFF80_0003 } else { b };
        check(&sums, a, b);
        check(&differences, b, a);
    }
}

/// Products and quotients that come out subnormal or next to the largest finite value.
#[test]
fn products_and_quotients_at_the_edges_of_the_range() {
    let mut random = Random(SEED + 2);
    let [products, quotients] = [benches(&[Mult]), benches(&[Divide])];
    for _ in 0..300_000 {
        let a = random.next() as u32;
        let exponent = a >> 23 & 0xFF;
        let wobble = random.below(30) as u32;
        // Exponents whose sum lies near the lower edge or the upper one.
        let (low, high) = ((141 - wobble).saturating_sub(exponent.min(120)), (381 + wobble - 15 - exponent).min(254));
        for partner in [low, high] {
            let b = random.next() as u32 & 0x807F_FFFF | partner << 23;
            check(&products, a, b);
            check(&quotients, a, b & 0x807F_FFFF | (254 - partner.min(254)) << 23);
        }
    }
}
