//! Bundles per unit of elements that scheduled loops reach, held against those that a search over all assignments of ops to
//! slots found, and against what the slots ask for at least (docs/spec/iss-lowering.md, "Cost").

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use vq7_engine::lower::kernel::{Kernel, Shape};
use vq7_engine::lower::structure::{Figures, Schedules};
use vq7_engine::lower::{Reason, Work};
use vq7_isa::{AluOp, Dtype};
use vq7_num::{Class, Lane};
use vq7_policy::Policy;

use AluOp::*;
use Dtype::*;

fn lane(op: AluOp, [src0, src1, out]: [Dtype; 3], class: Class) -> Work {
    Work::Elementwise(Lane { op, src0, src1, out, class })
}

fn kernel(op: AluOp, types: [Dtype; 3], shape: Shape) -> Result<Kernel, Reason> {
    Kernel::new(lane(op, types, Class::Arith), shape, &Policy::default())
}

/// Bundles for `elements` elements.
fn per(kernel: &Kernel, elements: u32) -> f64 {
    f64::from(kernel.interval) * f64::from(elements) / f64::from(kernel.unit())
}

/// The op, its dtypes, elements of a unit, bundles per unit that the loop takes, and under `tie-strict`.
///
/// The figures are those of a search over slots that does not look at registers, but for three: the loops of 8-bit floats take
/// 57 where slots allow 51, since 30 registers do not hold their constants and values; float32 to bfloat16 takes 3.5, which
/// the slots do not allow to be less, and float16 with the NaN kept has four ops that slot 3 alone hosts.
#[rustfmt::skip]
const LOOPS: &[(AluOp, [Dtype; 3], u32, f64, f64)] = &[
    (Bypass, [Int8; 3], 64, 1.0, 1.0),
    (Bypass, [Fp32; 3], 16, 1.0, 1.0),
    (BitwiseNot, [Int32; 3], 16, 1.0, 1.0),
    (AddInt, [Int8; 3], 64, 1.5, 1.5),
    (AddInt, [Int16; 3], 32, 1.5, 1.5),
    (AddInt, [Int32; 3], 16, 1.5, 1.5),
    (MaxUint, [Uint32; 3], 16, 1.5, 1.5),
    (AbsDiffInt, [Int8; 3], 64, 1.5, 1.5),
    (Add, [Fp32; 3], 16, 1.5, 1.5),
    (Mult, [Fp32; 3], 16, 1.5, 1.5),
    (Add, [Fp16; 3], 32, 1.5, 1.5),
    (MultInt, [Int16; 3], 32, 1.5, 1.5),
    (MultInt, [Int8; 3], 64, 2.0, 2.0),
    (MultInt, [Int32; 3], 16, 2.0, 2.0),
    (IsLtInt, [Int32; 3], 16, 1.5, 1.5),
    (IsEq, [Fp32; 3], 16, 1.5, 1.5),
    (LogicalAnd, [Fp32; 3], 16, 2.0, 2.0),
    (AbsDiffInt, [Int32; 3], 16, 1.5, 1.5),
    (LogicalShiftLeft, [Uint32; 3], 16, 1.5, 1.5),
    (LogicalShiftLeft, [Uint16; 3], 32, 1.5, 1.5),
    (LogicalShiftLeft, [Uint8; 3], 32, 1.5, 1.5),
    (Add, [Bfloat16; 3], 16, 4.0, 4.5),
    (Add, [Fp32, Fp32, Bfloat16], 16, 3.5, 3.5),
    (Add, [Fp16, Fp32, Fp16], 16, 4.0, 4.0),
    (Add, [Int32; 3], 16, 4.0, 4.0),
    (Add, [Fp8Exp4; 3], 64, 57.0, 58.0),
    (Add, [Fp8Exp5; 3], 64, 57.0, 58.0),
    (AddInt, [Int64; 3], 16, 3.5, 3.5),
    (SubtractInt, [Int64; 3], 16, 3.5, 3.5),
    (MultInt, [Int64; 3], 16, 5.0, 5.0),
    (IsLtInt, [Int64; 3], 16, 4.0, 4.0),
    (MaxInt, [Int64; 3], 16, 4.5, 4.5),
    (MinInt, [Int64; 3], 16, 4.5, 4.5),
    (LogicalShiftLeft, [Uint64, Uint32, Uint64], 16, 5.0, 5.0),
    (AbsDiffInt, [Int64; 3], 16, 6.0, 7.0),
    (BitwiseAnd, [Int64; 3], 8, 1.5, 1.5),
    (DivideInt, [Int16; 3], 32, 4.0, 4.0),
    (DivideInt, [Int8; 3], 32, 4.0, 4.0),
    (ModInt, [Int16; 3], 32, 4.0, 4.0),
];

#[test]
fn loops_take_no_more_bundles_than_the_search_found() {
    let mut wrong = Vec::new();
    for &(op, types, elements, default, strict) in LOOPS {
        for (shape, expected) in [(Shape::default(), default), (Shape { strict: true, ..Shape::default() }, strict)] {
            let found = kernel(op, types, shape).unwrap();
            assert!(found.bound <= found.interval, "{op} {types:?}: {} of {}", found.interval, found.bound);
            let bundles = per(&found, elements);
            // A shorter loop is a better one, and then the table is to say so.
            if bundles != expected {
                wrong.push(format!("{op} {types:?} strict {}: {bundles} bundles, not {expected}", shape.strict));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_operand_in_a_register_costs_no_load() {
    let one = kernel(AddInt, [Int32; 3], Shape { still: [false, true], ..Shape::default() }).unwrap();
    assert_eq!(per(&one, 16), 1.0);
}

/// A divide step that serves 16 lanes doubles the steps, which one slot hosts.
#[test]
fn half_divide_steps_double_the_loop() {
    for types in [[Int16; 3], [Uint16; 3]] {
        let halves = kernel(DivideInt, types, Shape { half_steps: true, ..Shape::default() }).unwrap();
        assert_eq!((per(&halves, 32), halves.bound), (8.0, 8));
    }
}

/// The slots alone ask for 51 bundles per 64 sums of 8-bit floats; without the bound that counts slots per format the figure
/// would be 37.
#[test]
fn the_bound_knows_which_slots_a_format_has() {
    assert_eq!(kernel(Add, [Fp8Exp4; 3], Shape::default()).unwrap().bound, 51);
    assert_eq!(kernel(Add, [Fp32, Fp32, Bfloat16], Shape::default()).unwrap().bound, 7);
}

/// Loops of one structure have one interval: what `Schedules` remembers is what scheduling anew gives.
#[test]
fn loops_of_one_structure_share_their_figures() {
    let types = [Fp32, Bfloat16, Int16, Uint16, Uint8, Fp8Exp5, Int64, Uint64];
    let ops =
        [Add, Subtract, IsEq, IsLt, LogicalOr, AddInt, MaxInt, MaxUint, IsGeInt, IsLtUint, DivideUint, BitwiseXor];
    let (mut schedules, mut asked, policy) = (Schedules::new(), 0, Policy::default());
    for op in ops {
        for (index, &src0) in types.iter().enumerate() {
            let src1 = types[(index + 3) % types.len()];
            for types in [[src0; 3], [src0, src1, src0], [src0, src0, src1]] {
                let work = lane(op, types, Class::Arith);
                let anew = Kernel::new(work, Shape::default(), &policy).map(|kernel| Figures::from(&kernel));
                assert_eq!(schedules.figures(work, Shape::default(), &policy), anew, "{op} {types:?}");
                asked += 1;
            }
        }
    }
    assert!(schedules.len() * 2 < asked, "{} structures of {asked} words", schedules.len());
}
