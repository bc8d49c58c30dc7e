//! No input panics, and basis and result belong together.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::Random;
use vq7_isa::{AluOp, Dtype};
use vq7_num::{Basis, Class, Lane, format_value, from_hub, to_hub};
use vq7_policy::{Knob, Policy};

const SEED: u64 = 0x5EED_0007;

fn any<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

fn any_policy(random: &mut Random) -> Policy {
    let mut policy = Policy::default();
    for knob in Knob::ALL {
        if random.below(3) == 0 {
            policy.set(&format!("{}={}", knob.name(), any(random, knob.values()))).unwrap();
        }
    }
    policy
}

fn any_lane(random: &mut Random, dtypes: &[Dtype]) -> Lane {
    let (op, dtype) = (any(random, AluOp::ALL), any(random, dtypes));
    let class = any(random, &[Class::Arith, Class::Bitvec]);
    let mut lane = Lane { class, ..Lane::new(op, dtype, dtype, dtype) };
    if random.below(2) == 0 {
        (lane.src1, lane.out) = (any(random, dtypes), any(random, dtypes));
    }
    lane
}

/// A pattern of the dtype that is on an edge, or anything.
fn any_element(random: &mut Random, dtype: Dtype) -> u64 {
    let top = |random: &mut Random, bits: u64| if random.below(2) == 0 { bits } else { bits | 1 << (dtype.bits() - 1) };
    match (dtype.is_float(), random.below(3)) {
        (true, 0) => {
            let hub = random.float();
            from_hub(hub, dtype, &Policy::default()).value
        }
        (true, 1) => {
            // Zeros, infinities, NaNs and numbers next to them.
            let near = (1 << (dtype.bits() - 1)) - 1 - random.below(20);
            top(random, near)
        }
        _ => random.integer(dtype.bits()),
    }
}

#[test]
fn nothing_panics_and_results_stay_inside_the_out_dtype() {
    let mut random = Random(SEED);
    for _ in 0..600_000 {
        let policy = any_policy(&mut random);
        let lane = any_lane(&mut random, Dtype::ALL);
        let (a, b) = (random.next(), random.next());
        if let Ok(result) = lane.evaluate(a, b, &policy) {
            assert_eq!(result.value >> (lane.out.bits() - 1) >> 1, 0, "{lane:?} {a:#x} {b:#x} {policy:?}");
        }
        let _ = to_hub(a, lane.src0, &policy).value;
        assert_eq!(from_hub(a as u32, lane.out, &policy).value >> (lane.out.bits() - 1) >> 1, 0, "{lane:?} {a:#x}");
        if random.below(64) == 0 {
            let _ = format_value(a, lane.src0, &policy);
        }
    }
}

/// The lane tells the dtypes of tensor-tensor operands by their codes; the table says which they are.
#[test]
fn only_tensor_tensor_dtypes_have_results() {
    for &dtype in Dtype::ALL {
        let lane = Lane { class: Class::Bitvec, ..Lane::new(AluOp::Bypass, dtype, dtype, dtype) };
        assert_eq!(lane.evaluate(1, 1, &Policy::default()).is_ok(), dtype.is_tensor_tensor(), "{dtype}");
        assert_eq!(dtype.bits() == 64, dtype.is_64bit_int(), "{dtype}");
    }
}

/// Every op and every legal-looking combination of dtypes gives a result or an error, whatever the operands.
#[test]
fn every_op_on_every_dtypes() {
    let policy = Policy::default();
    let mut random = Random(SEED + 1);
    for &op in AluOp::ALL {
        for &src0 in Dtype::ALL {
            for &src1 in Dtype::ALL {
                for &out in Dtype::ALL {
                    let lane = Lane::new(op, src0, src1, out);
                    let (a, b) = (any_element(&mut random, src0), any_element(&mut random, src1));
                    if let Err(error) = lane.evaluate(a, b, &policy) {
                        assert!(!error.to_string().is_empty());
                    }
                }
            }
        }
    }
}

fn listed(part: &Basis, whole: &Basis) -> bool {
    part.knobs.iter().all(|knob| whole.knobs.contains(knob))
        && part.settled.iter().all(|fact| whole.settled.contains(fact))
}

/// A knob that `basis_of` does not list does not matter: with any other value the result is the same. And all that it
/// lists, `basis` lists.
#[test]
fn a_knob_that_is_not_listed_does_not_change_the_result() {
    let dtypes: Vec<Dtype> = Dtype::tensor_tensor().collect();
    let mut random = Random(SEED + 2);
    for index in 0..25_000 {
        let policy = any_policy(&mut random);
        let lane = any_lane(&mut random, &dtypes);
        let whole = lane.basis(&policy);
        for _ in 0..8 {
            let (a, b) = (any_element(&mut random, lane.src0), any_element(&mut random, lane.src1));
            let part = lane.basis_of(a, b, &policy);
            let what = || format!("{index} of seed {:#x}: {lane:?} {a:#x} {b:#x} {:?}", SEED + 2, policy.changed());
            assert!(listed(&part, &whole), "{}: {part:?} not in {whole:?}", what());
            let result = lane.evaluate(a, b, &policy).map(|result| result.value);
            for &knob in Knob::ALL.iter().filter(|knob| !part.knobs.contains(knob)) {
                for value in knob.values() {
                    let mut other = policy;
                    other.set(&format!("{}={value}", knob.name())).unwrap();
                    let changed = lane.evaluate(a, b, &other).map(|result| result.value);
                    assert_eq!(changed, result, "{}: {}={value}", what(), knob.name());
                }
            }
        }
    }
}

/// On 8-bit operands the union over all pairs of `basis_of` is `basis`, for every op and out dtype.
#[test]
fn the_basis_of_a_lane_is_what_its_pairs_can_touch() {
    let policy = Policy::default();
    let narrow: Vec<Dtype> = Dtype::tensor_tensor().filter(|dtype| dtype.bits() == 8).collect();
    for &op in AluOp::ALL {
        for &dtype in &narrow {
            for out in [dtype, Dtype::Int8, Dtype::Fp8Exp4, Dtype::Fp32r] {
                let lane = Lane::new(op, dtype, dtype, out);
                let whole = lane.basis(&policy);
                for a in 0..256 {
                    for b in 0..256 {
                        let part = lane.basis_of(a, b, &policy);
                        assert!(listed(&part, &whole), "{lane:?} {a:#x} {b:#x}: {part:?} not in {whole:?}");
                    }
                }
            }
        }
    }
}
