//! Faults that are planted into a lane must be found by the comparison: one test per kind of fault.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::evaluate;
use vq7_isa::AluOp::{self, *};
use vq7_isa::Dtype::{self, *};
use vq7_num::Lane;
use vq7_oracle::{Answer, Coverage, Judge, Level, Mismatch, Question, Space, sweep};
use vq7_policy::{Policy, Round};

/// A lane with its fault: the right answer goes in beside the operands.
type Fault<'a> = &'a dyn Fn(u64, u64, Answer) -> Answer;

fn honest(op: AluOp, [src0, src1, out]: [Dtype; 3]) -> impl Fn(u64, u64) -> Answer {
    let lane = Lane::new(op, src0, src1, out);
    move |a, b| evaluate(&lane, a, b, &Policy::default()).unwrap()
}

/// The first case of a coverage that tells the lane with the fault from the right one; the right one passes all.
fn first_catch(op: AluOp, types: [Dtype; 3], coverage: Coverage, fault: Fault<'_>) -> Option<Mismatch> {
    let question = Question { op, types };
    let judge = Judge::new(question, None, &Policy::default()).unwrap();
    let space = Space::new(question, coverage).unwrap();
    let lane = honest(op, types);
    let run = |answer: &dyn Fn(u64, u64) -> Answer| {
        sweep(&space, 0..space.total(), |a, b| judge.judge(a, b), |a, b| Some(answer(a, b)))
    };
    assert_eq!(run(&lane).mismatch, None, "{question} without a fault");
    let found = run(&|a, b| fault(a, b, lane(a, b))).mismatch?;
    // The case is found again by its name alone.
    let name = space.case(found.index).to_string();
    let named = vq7_oracle::Case::parse(&name, &Policy::default()).unwrap();
    assert_eq!(named.operands(), Ok((found.a, found.b)), "{name}");
    Some(found)
}

const LEVEL_1: Coverage = Coverage::Weighted { level: Level::One, seed: 1 };

#[test]
fn rounding_up_instead_of_to_even_is_caught() {
    for (dtype, coverage) in [(Fp8Exp4, Coverage::Exhaustive), (Fp16, LEVEL_1), (Bfloat16, LEVEL_1), (Fp32, LEVEL_1)] {
        let up = Policy { round: Round::Up, ..Policy::default() };
        for op in [Add, Subtract, Mult] {
            let lane = Lane::new(op, dtype, dtype, dtype);
            let fault = |a, b, _| evaluate(&lane, a, b, &up).unwrap();
            assert!(first_catch(op, [dtype; 3], coverage, &fault).is_some(), "{op} {dtype}");
        }
    }
}

/// Only ties go wrong: away from zero instead of to even.
#[test]
fn ties_away_from_zero_are_caught() {
    let hub = honest(Add, [Bfloat16, Bfloat16, Fp32]);
    let fault = |a, b, right: Answer| {
        let sum = hub(a, b).bits;
        let (kept, cut) = (sum >> 16, sum & 0xFFFF);
        if cut == 0x8000 && kept & 0x7F80 != 0x7F80 { Answer { bits: kept + 1, ..right } } else { right }
    };
    let found = first_catch(Add, [Bfloat16; 3], LEVEL_1, &fault).unwrap();
    assert!(found.answer.unwrap().bits & 1 == 1, "a tie to an odd neighbour: {found:x?}");
}

#[test]
fn a_wrong_threshold_to_infinity_is_caught() {
    // 248 and above is infinity in e4m3; the fault keeps 240 up to 256.
    let hub = honest(Add, [Fp8Exp4, Fp8Exp4, Fp32]);
    let fault = |a, b, right: Answer| match hub(a, b).bits {
        0x4378_0000..0x4380_0000 => Answer { bits: 0x77, ..right },
        _ => right,
    };
    assert!(first_catch(Add, [Fp8Exp4; 3], Coverage::Exhaustive, &fault).is_some());
    // 65520 and above is infinity in float16; the fault keeps 65504 up to 65536.
    let hub = honest(Add, [Fp16, Fp16, Fp32]);
    let fault = |a, b, right: Answer| match hub(a, b).bits {
        0x477F_F000..0x4780_0000 => Answer { bits: 0x7BFF, ..right },
        _ => right,
    };
    assert!(first_catch(Add, [Fp16; 3], LEVEL_1, &fault).is_some());
}

#[test]
fn swapped_operands_of_min_and_max_are_caught() {
    for (dtype, coverage) in [(Fp8Exp5, Coverage::Exhaustive), (Fp16, LEVEL_1), (Fp32, LEVEL_1)] {
        for op in [Max, Min] {
            let lane = honest(op, [dtype; 3]);
            let fault = |a, b, _| lane(b, a);
            let found = first_catch(op, [dtype; 3], coverage, &fault).unwrap();
            // Only zeros of either sign and NaNs tell.
            assert_ne!(found.a, found.b);
        }
    }
}

#[test]
fn a_dropped_carry_is_caught() {
    let low = 0xFFFF_FFFF_u64;
    for dtype in [Int64, Uint64] {
        let fault = |a: u64, b: u64, right: Answer| {
            let sum = (a & low).wrapping_add(b & low) & low;
            Answer { bits: (a >> 32).wrapping_add(b >> 32) << 32 | sum, ..right }
        };
        assert!(first_catch(AddInt, [dtype; 3], LEVEL_1, &fault).is_some());
        let fault = |a: u64, b: u64, right: Answer| {
            let difference = (a & low).wrapping_sub(b & low) & low;
            Answer { bits: (a >> 32).wrapping_sub(b >> 32) << 32 | difference, ..right }
        };
        assert!(first_catch(SubtractInt, [dtype; 3], LEVEL_1, &fault).is_some());
    }
}

#[test]
fn a_shift_count_modulo_32_is_caught() {
    for op in [LogicalShiftLeft, LogicalShiftRight, ArithShiftLeft, ArithShiftRight] {
        for dtype in [Int32, Uint32, Int64, Uint64] {
            let lane = honest(op, [dtype; 3]);
            let fault = |a, b: u64, _| lane(a, b & 31);
            assert!(first_catch(op, [dtype; 3], LEVEL_1, &fault).is_some(), "{op} {dtype}");
        }
        let lane = honest(op, [Uint8; 3]);
        let fault = |a, b: u64, _| lane(a, b & 31);
        // On 8 bits, all bits are gone from 8 on, but 32 and its like come back.
        assert_eq!(first_catch(op, [Uint8; 3], Coverage::Exhaustive, &fault).unwrap().b, 32, "{op}");
    }
}

#[test]
fn unsigned_numbers_taken_as_signed_are_caught() {
    let pairs = [(Uint8, Int8), (Uint16, Int16), (Uint32, Int32), (Uint64, Int64)];
    for (unsigned, signed) in pairs {
        for (op, taken_as) in [(IsLtUint, IsLtInt), (MaxUint, MaxInt), (DivideUint, DivideInt), (ModUint, ModInt)] {
            let lane = honest(taken_as, [signed; 3]);
            let fault = |a, b, _| lane(a, b);
            assert!(first_catch(op, [unsigned; 3], LEVEL_1, &fault).is_some(), "{op} {unsigned}");
        }
        if unsigned != Uint64 {
            let lane = honest(Add, [signed, signed, Fp32]);
            let fault = |a, b, _| lane(a, b);
            assert!(first_catch(Add, [unsigned, unsigned, Fp32], LEVEL_1, &fault).is_some(), "add {unsigned}");
        }
    }
}

#[test]
fn a_wrong_flag_alone_is_caught() {
    let fault = |_, _, right: Answer| Answer { flags: right.flags & !vq7_oracle::flag::INEXACT, ..right };
    assert!(first_catch(Mult, [Fp16; 3], LEVEL_1, &fault).is_some());
    let fault = |_, _, right: Answer| Answer { flags: right.flags & !vq7_oracle::flag::INT_DIV_ZERO, ..right };
    assert_eq!(first_catch(DivideInt, [Int8; 3], Coverage::Exhaustive, &fault).unwrap().b, 0);
}
