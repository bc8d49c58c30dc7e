//! Every pair of 8-bit floats through the base band, against rustc_apfloat: to float32, the op, one rounding back.

mod common;

use common::{MODES, check_flags, f32_of, fp8, judge_mode, same};
use rustc_apfloat::{Float, Status, StatusAnd};
use vq7_isa::AluOp::{self, *};
use vq7_num::{Format, Lane};
use vq7_policy::Policy;

/// What the op makes of two float32, by the judge.
fn judge(op: AluOp, a: u32, b: u32, mode: vq7_policy::Round) -> StatusAnd<u32> {
    let (x, y, round) = (f32_of(a), f32_of(b), judge_mode(mode));
    let truth = |value: bool| Status::OK.and(if value { 0x3F80_0000 } else { 0 });
    let bits = |result: StatusAnd<rustc_apfloat::ieee::Single>| result.map(|value| value.to_bits() as u32);
    match op {
        Add => bits(x.add_r(y, round)),
        Subtract => bits(x.sub_r(y, round)),
        Mult => bits(x.mul_r(y, round)),
        // The plain instructions: a if a > b else b.
        Max => Status::OK.and(if x > y { a } else { b }),
        Min => Status::OK.and(if x < y { a } else { b }),
        IsEq => truth(x == y),
        IsNe => truth(x != y),
        IsGt => truth(x > y),
        IsGe => truth(x >= y),
        IsLe => truth(x <= y),
        _ => truth(x < y),
    }
}

#[test]
fn all_pairs_of_all_formats_in_all_modes() {
    for judged in fp8() {
        let format = Format::of(judged.dtype, &judged.policy).unwrap();
        let wide: Vec<u32> = (0..256).map(judged.widen).collect();
        for mode in MODES {
            let policy = Policy { round: mode, ..judged.policy };
            for op in [Add, Subtract, Mult, Max, Min, IsEq, IsNe, IsGt, IsGe, IsLe, IsLt] {
                let lane = Lane::new(op, judged.dtype, judged.dtype, judged.dtype);
                for a in 0..256 {
                    for b in 0..256 {
                        let (x, y) = (wide[a as usize], wide[b as usize]);
                        let hub = judge(op, x, y, mode);
                        let expected = (judged.narrow)(hub.value, mode);
                        let ours = lane.evaluate(a, b, &policy).unwrap();
                        let what = || {
                            format!("{} {op} {a:#04x} {b:#04x} {mode:?}: {ours:x?}, judge {expected:x?}", judged.name)
                        };
                        assert!(same(ours.value, expected.value, format), "{}", what());
                        let infinity_lost = format.infinity().is_none() && hub.value & 0x7FFF_FFFF == 0x7F80_0000;
                        let has_nan = format.is_nan(a) || format.is_nan(b) || f32_of(hub.value).is_nan();
                        if !infinity_lost && !has_nan {
                            check_flags(ours.flags, hub.status | expected.status, ours.value, format, what);
                        }
                    }
                }
            }
        }
    }
}

/// Results that the fixed points of the formats make easy to check by eye.
#[test]
fn thresholds_to_infinity() {
    for (dtype, largest, below, at) in [
        (vq7_isa::Dtype::Fp8Exp4, 0x77, 247.99998_f32, 248.0_f32),
        (vq7_isa::Dtype::Fp8Exp5, 0x7B, 61439.996, 61440.0),
        (vq7_isa::Dtype::Fp8Exp3, 0x6F, 15.749999, 15.75),
        (vq7_isa::Dtype::Fp16, 0x7BFF, 65519.996, 65520.0),
    ] {
        let policy = Policy::default();
        assert_eq!(vq7_num::from_hub(below.to_bits(), dtype, &policy).value, largest, "{dtype}");
        assert_eq!(vq7_num::from_hub(at.to_bits(), dtype, &policy).value, largest + 1, "{dtype}");
    }
}
