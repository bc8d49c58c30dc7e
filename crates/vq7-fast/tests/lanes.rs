//! Every kernel of every level against the reference: all pairs of 8-bit operands, all 16-bit operands, and random
//! operands over the matrix of dtypes and policies.

mod support;

use std::collections::BTreeMap;
use support::{Question, Random, agree, levels, patterns, random_policy, seed};
use vq7_isa::{AluOp, Dtype};
use vq7_policy::{AbsMinMax, AbsMinMaxInt, E4m3, Fp8Overflow, IntDivZero, MinMaxNan, ModSign, NanToInt, Policy};

fn dtypes(bits: u32) -> Vec<Dtype> {
    Dtype::tensor_tensor().filter(|dtype| dtype.bits() == bits).collect()
}

/// The default policy, and all knobs that have kernels turned at once.
fn policies() -> [Policy; 3] {
    let default = Policy::default();
    let turned = Policy {
        fp8_overflow: Fp8Overflow::Saturate,
        e4m3: E4m3::Fn,
        nan_to_int: NanToInt::Zero,
        int_div_zero: IntDivZero::Zero,
        mod_sign: ModSign::Dividend,
        minmax_nan: MinMaxNan::Propagate,
        abs_minmax: AbsMinMax::Magnitude,
        abs_minmax_int: AbsMinMaxInt::SignedOriginal,
        ..default
    };
    [
        default,
        turned,
        Policy { minmax_nan: MinMaxNan::NumberWins, nan_to_int: NanToInt::Min, e4m3: E4m3::Fn, ..default },
    ]
}

#[test]
fn all_pairs_of_8_bit_operands() {
    let a: Vec<u64> = (0..65536).map(|pair| pair >> 8).collect();
    let b: Vec<u64> = (0..65536).map(|pair| pair & 0xFF).collect();
    let fasts = levels();
    let (mut asked, mut ran) = (0, BTreeMap::new());
    for policy in policies() {
        for &op in AluOp::ALL {
            for dtype in dtypes(8) {
                let Some(paths) = agree(&Question { op, dtypes: [dtype; 3], a: &a, b: &b, policy }, &fasts) else {
                    continue;
                };
                asked += 1;
                paths.iter().for_each(|path| *ran.entry(path.executor).or_insert(0) += 1);
            }
        }
    }
    assert!(asked >= 400, "{asked}");
    assert_eq!(ran.get("reference"), None, "every legal op on 8-bit dtypes has a kernel");
}

#[test]
fn all_16_bit_operands_of_unary_ops_and_conversions() {
    let a: Vec<u64> = (0..65536).collect();
    let fasts = levels();
    let unary =
        [AluOp::Bypass, AluOp::AbsoluteValue, AluOp::ReLu, AluOp::Square, AluOp::AbsValueInt, AluOp::BitwiseNot];
    let mut asked = 0;
    for op in unary {
        for src in dtypes(16) {
            for out in Dtype::tensor_tensor() {
                asked += usize::from(
                    agree(&Question { op, dtypes: [src, src, out], a: &a, b: &a, policy: Policy::default() }, &fasts)
                        .is_some(),
                );
            }
        }
    }
    assert!(asked >= 100, "{asked}");
}

/// Every upper half of a float32 with the lower halves around which roundings change, to every dtype.
#[test]
fn conversions_from_float32_round_as_they_should() {
    let lows = [0, 1, 0x1000, 0x0FFF, 0x1001, 0x7FFF, 0x8000, 0x8001, 0xFFFF];
    let a: Vec<u64> = lows.iter().flat_map(|low| (0..65536u64).map(move |high| high << 16 | low)).collect();
    let fasts = levels();
    for policy in policies() {
        for out in Dtype::tensor_tensor().filter(|out| out.bits() < 64) {
            let question =
                Question { op: AluOp::Bypass, dtypes: [Dtype::Fp32, Dtype::Fp32, out], a: &a, b: &a, policy };
            assert!(agree(&question, &fasts).is_some(), "{out}");
        }
    }
}

#[test]
fn random_operands_over_the_matrix_of_dtypes_and_policies() {
    let seed = seed();
    println!("VQ7_SEED={seed} cargo test -p vq7-fast --test lanes random_operands");
    let mut random = Random(seed);
    let fasts = levels();
    let all: Vec<Dtype> = Dtype::tensor_tensor().collect();
    let mut seen: BTreeMap<(AluOpName, &str), usize> = BTreeMap::new();
    let mut declined: BTreeMap<&str, usize> = BTreeMap::new();
    type AluOpName = &'static str;
    for round in 0..4000 {
        let op = AluOp::ALL[round % AluOp::ALL.len()];
        let first = random.pick(&all);
        let dtypes = match random.below(3) {
            0 => [first; 3],
            1 => [first, random.pick(&[first, Dtype::Uint32]), first],
            _ => [first, random.pick(&all), random.pick(&all)],
        };
        let count = random.pick(&[5, 64, 300, 1500]);
        let (a, b) = (patterns(&mut random, count), patterns(&mut random, count));
        let policy = if random.chance(2) { Policy::default() } else { random_policy(&mut random) };
        let Some(paths) = agree(&Question { op, dtypes, a: &a, b: &b, policy }, &fasts) else { continue };
        for path in paths {
            *seen.entry((op.name(), path.executor)).or_insert(0) += 1;
            path.declined.iter().for_each(|declined_by| *declined.entry(declined_by.why).or_insert(0) += 1);
        }
    }
    println!("{declined:?}");
    let ops: std::collections::BTreeSet<_> = seen.keys().filter(|(_, by)| *by == "fast").map(|(op, _)| *op).collect();
    assert!(ops.len() >= 45, "{} ops ran: {ops:?}", ops.len());
}
