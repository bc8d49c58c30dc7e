//! Lanes against the outside judges: every pair of 8-bit operands, a slice of the pairs of 16-bit operands, weighted pairs
//! of the rest.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::{Bench, MODES, SLICES, slice};
use vq7_isa::{AluOp, Dtype};
use vq7_oracle::{Coverage, Level, Oracle, Question, Space};
use vq7_policy::{
    AbsMinMax, AbsMinMaxInt, E4m3, Fp8Overflow, IntDivZero, MinMaxNan, ModSign, Policy, Round, ShiftOver,
};

/// Every op that a judge knows, once.
fn ops() -> Vec<AluOp> {
    Oracle::ALL.iter().flat_map(|oracle| oracle.ops()).collect()
}

fn narrow_dtypes(bits: u32) -> impl Iterator<Item = Dtype> {
    Dtype::tensor_tensor().filter(move |dtype| dtype.bits() == bits)
}

/// The default, and policies that between them change every knob that these ops ask.
fn policies() -> Vec<Policy> {
    let base = Policy::default();
    vec![
        base,
        Policy { round: Round::Zero, e4m3: E4m3::Fn, abs_minmax: AbsMinMax::Magnitude, ..base },
        Policy { round: Round::Up, fp8_overflow: Fp8Overflow::Saturate, minmax_nan: MinMaxNan::NumberWins, ..base },
        Policy {
            round: Round::Down,
            e4m3: E4m3::Fn,
            fp8_overflow: Fp8Overflow::Saturate,
            minmax_nan: MinMaxNan::Propagate,
            ..base
        },
        Policy { e4m3: E4m3::Fn, shift_over: ShiftOver::Mod32, int_div_zero: IntDivZero::Zero, ..base },
        Policy {
            shift_over: ShiftOver::IvpSigned,
            mod_sign: ModSign::Dividend,
            abs_minmax_int: AbsMinMaxInt::SignedOriginal,
            ..base
        },
    ]
}

#[test]
fn every_pair_of_every_8_bit_dtype_for_every_op() {
    let (mut cells, mut cases) = (0, 0);
    for policy in policies() {
        for dtype in narrow_dtypes(8) {
            for op in ops() {
                let types = [dtype; 3];
                let Some(bench) = Bench::new(op, types, policy) else { continue };
                let space = Space::new(Question { op, types }, Coverage::Exhaustive).unwrap();
                cases += bench.check_all(&space, 0..space.total());
                cells += 1;
            }
        }
    }
    // 22 base-band ops and 8 bitwise ones and shifts on 5 dtypes, 18 integer-band ops on two of them.
    assert_eq!(cells, policies().len() * (5 * 30 + 2 * 18));
    assert!(cases > 40_000_000, "{cases}");
}

#[test]
fn every_pair_of_every_8_bit_float_in_all_modes_and_flavours() {
    for e4m3 in [E4m3::Ieee, E4m3::Fn] {
        // The other formats have one flavour.
        for dtype in narrow_dtypes(8).filter(|dtype| *dtype == Dtype::Fp8Exp4 || dtype.is_float() && e4m3 == E4m3::Ieee)
        {
            for round in MODES {
                for op in Oracle::Apfloat.ops() {
                    let types = [dtype; 3];
                    let bench = Bench::new(op, types, Policy { round, e4m3, ..Policy::default() }).unwrap();
                    let space = Space::new(Question { op, types }, Coverage::Exhaustive).unwrap();
                    bench.check_all(&space, 0..space.total());
                }
            }
        }
    }
}

/// Every pair of 8-bit floats into wider and into other formats, in every mode.
#[test]
fn every_pair_of_8_bit_floats_into_every_dtype() {
    for out in Dtype::tensor_tensor().filter(|dtype| dtype.bits() <= 32) {
        for (index, mode) in MODES.into_iter().enumerate() {
            for op in [AluOp::Add, AluOp::Mult, AluOp::Bypass] {
                let types = [Dtype::Fp8Exp4, [Dtype::Fp8Exp5, Dtype::Fp8Exp3][index % 2], out];
                let bench = Bench::new(op, types, Policy { round: mode, ..Policy::default() }).unwrap();
                let space = Space::new(Question { op, types }, Coverage::Exhaustive).unwrap();
                bench.check_all(&space, 0..space.total());
            }
        }
    }
}

#[test]
fn a_slice_of_the_pairs_of_every_16_bit_dtype_for_every_op() {
    let slice = slice();
    for dtype in narrow_dtypes(16) {
        for op in ops() {
            let types = [dtype; 3];
            let Some(bench) = Bench::new(op, types, Policy::default()) else { continue };
            let space = Space::new(Question { op, types }, Coverage::Exhaustive).unwrap();
            // The operand of a unary op has so few values that all are tried.
            let cases = if space.total() > 1 << 16 { space.slice(slice, SLICES) } else { 0..space.total() };
            bench.check_all(&space, cases);
        }
    }
}

#[test]
fn weighted_pairs_of_every_dtype_for_every_op() {
    let mut cells = 0;
    for dtype in Dtype::tensor_tensor().filter(|dtype| dtype.bits() > 8) {
        for op in ops() {
            for (seed, policy) in policies().into_iter().enumerate().take(if dtype.bits() == 64 { 6 } else { 4 }) {
                let types = [dtype; 3];
                let Some(bench) = Bench::new(op, types, policy) else { continue };
                let coverage = Coverage::Weighted { level: Level::One, seed: seed as u64 };
                let space = Space::new(Question { op, types }, coverage).unwrap();
                bench.check_all(&space, 0..space.total());
                cells += 1;
            }
        }
    }
    assert!(cells > 1_000, "{cells}");
}

/// Operands and results of different dtypes: every dtype as src0, as src1 and as the result.
#[test]
fn weighted_pairs_of_mixed_dtypes() {
    let dtypes: Vec<_> = Dtype::tensor_tensor().collect();
    let mut cells = 0;
    for (index, &src0) in dtypes.iter().enumerate() {
        for step in 1..dtypes.len() {
            let (src1, out) = (dtypes[(index + step) % dtypes.len()], dtypes[(index + 3 * step) % dtypes.len()]);
            let mode = MODES[step % 4];
            for op in [AluOp::Add, AluOp::Mult, AluOp::Max, AluOp::IsLt, AluOp::AddInt, AluOp::MultUint] {
                let types = [src0, src1, out];
                let Some(bench) = Bench::new(op, types, Policy { round: mode, ..Policy::default() }) else { continue };
                let coverage = Coverage::Weighted { level: Level::One, seed: step as u64 };
                let space = Space::new(Question { op, types }, coverage).unwrap();
                bench.check_all(&space, space.slice(step as u64, 14));
                cells += 1;
            }
        }
    }
    assert!(cells > 300, "{cells}");
}
