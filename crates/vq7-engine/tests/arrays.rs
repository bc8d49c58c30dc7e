//! Whole arrays against plain Rust loops, on odd shapes.

mod support;

use proptest::prelude::*;
use support::{Random, judge_word};
use vq7_engine::Fault;
use vq7_engine::arrays::{
    ArrayError, ArrayRef, Plan, RunError, RunSummary, Settings, broadcast_shape, plan, run, unravel,
};
use vq7_isa::inst::Instruction;
use vq7_isa::legality::{Bench, Engine, Judgement};
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_policy::{IntDivZero, Policy};

const GENERATION: Generation = Generation::Cayman;

fn settings(engine: Engine) -> Settings {
    Settings { engine, policy: Policy::default(), executor: std::sync::Arc::new(vq7_engine::Reference) }
}

fn array<'a>(dtype: Dtype, shape: &'a [usize], bytes: &'a [u8]) -> ArrayRef<'a> {
    ArrayRef { dtype, shape, bytes }
}

fn int32(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn add_int(a: (&[usize], &[i32]), b: (&[usize], &[i32])) -> (Vec<i32>, RunSummary, Plan) {
    let (x, y) = (int32(a.1), int32(b.1));
    let plan = plan(AluOp::AddInt, (Dtype::Int32, a.0), (Dtype::Int32, b.0), Dtype::Int32, GENERATION)
        .expect("shapes broadcast");
    let mut last = 0;
    let (bytes, summary) = run(
        &plan,
        &array(Dtype::Int32, a.0, &x),
        &array(Dtype::Int32, b.0, &y),
        &settings(Engine::Pool),
        &mut |done, total| {
            assert!(done > last && done <= total);
            last = done;
        },
    )
    .expect("the words are legal");
    assert_eq!(last, plan.elements());
    let values = bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect();
    (values, summary, plan)
}

/// The sum by NumPy's broadcasting, element by element.
fn expected(a: (&[usize], &[i32]), b: (&[usize], &[i32])) -> Vec<i32> {
    let shape = broadcast_shape(a.0, b.0).expect("shapes broadcast");
    let pick = |(own, values): (&[usize], &[i32]), index: &[usize]| {
        let tail = &index[index.len() - own.len()..];
        values[tail.iter().zip(own).fold(0, |at, (&i, &extent)| at * extent + i % extent)]
    };
    let total: usize = shape.iter().product();
    (0..total)
        .map(|flat| {
            let index = unravel(flat, &shape);
            pick(a, &index).wrapping_add(pick(b, &index))
        })
        .collect()
}

fn random_values(seed: u64, count: usize) -> Vec<i32> {
    let mut random = Random(seed);
    (0..count).map(|_| random.next() as i32).collect()
}

#[test]
fn odd_shapes_and_broadcasts() {
    let cases: [(&[usize], &[usize]); 16] = [
        (&[], &[]),
        (&[1], &[]),
        (&[5], &[5]),
        (&[128], &[1]),
        (&[129], &[129]),
        (&[1000], &[1]),
        (&[3, 7], &[3, 7]),
        (&[128, 65], &[128, 1]),
        (&[128, 65], &[65]),
        (&[128, 1], &[1, 65]),
        (&[129, 5], &[129, 1]),
        (&[1000, 3], &[1, 3]),
        (&[2, 3, 4, 5], &[3, 1, 5]),
        (&[7, 1, 9], &[1, 8, 1]),
        (&[1, 40000], &[1, 40000]),
        (&[2, 70000], &[2, 1]),
    ];
    for (a, b) in cases {
        let (x, y) = (random_values(1, a.iter().product::<usize>()), random_values(2, b.iter().product::<usize>()));
        let (have, summary, plan) = add_int((a, &x), (b, &y));
        assert!(have == expected((a, &x), (b, &y)), "{a:?} {b:?}");
        assert_eq!((summary.words, summary.warnings.len()), (plan.tiles.len(), 0), "{a:?} {b:?}");
    }
}

#[test]
fn layouts_are_those_that_are_documented() {
    let words = |a: &[usize], b: &[usize], dtype| {
        let plan = plan(AluOp::AddInt, (dtype, a), (dtype, b), dtype, GENERATION).unwrap();
        plan.tiles.iter().map(|tile| (tile.channels, tile.columns)).collect::<Vec<_>>()
    };
    assert_eq!(words(&[], &[], Dtype::Int32), [(1, 1)]);
    assert_eq!(words(&[128, 512], &[128, 512], Dtype::Int32), [(128, 512)]);
    assert_eq!(words(&[3, 5], &[3, 5], Dtype::Int32), [(3, 5)]);
    assert_eq!(words(&[100], &[1], Dtype::Int32), [(100, 1)]);
    assert_eq!(words(&[1000], &[1000], Dtype::Int32), [(128, 7), (104, 1)]);
    assert_eq!(words(&[256, 64], &[256, 64], Dtype::Int32), [(128, 128)]);
    // 0x38000 active bytes less three alignments of 64, by 12 and by 24 bytes per column.
    assert_eq!(words(&[1, 20000], &[1, 20000], Dtype::Int32), [(1, 19098), (1, 902)]);
    assert_eq!(words(&[1, 10000], &[1, 10000], Dtype::Int64), [(1, 9549), (1, 451)]);
    // A broadcast scalar takes one element, and counts end at 65535.
    assert_eq!(words(&[1, 70000], &[], Dtype::Uint8), [(1, 65535), (1, 4465)]);
    let scalar = plan(AluOp::Add, (Dtype::Fp32, &[4, 9]), (Dtype::Fp32, &[4, 1]), Dtype::Fp32, GENERATION).unwrap();
    let Instruction::TensorTensor(word) = Instruction::decode(&scalar.tiles[0].word) else { panic!() };
    assert_eq!((word.src0.step[0], word.src1.step[0], word.src1.num), (1, 0, [9, 1, 1]));
}

#[test]
fn every_planned_word_fits_and_is_legal_on_every_generation() {
    let policy = Policy::default();
    for generation in Generation::ALL {
        let bench = Bench { generation, engine: Engine::Pool, policy: &policy };
        for shape in [&[128, 100_000][..], &[33, 5], &[65, 5], &[1_000_003]] {
            for dtype in [Dtype::Fp32, Dtype::Fp8Exp4, Dtype::Bfloat16] {
                let plan = plan(AluOp::Add, (dtype, shape), (dtype, &[]), dtype, generation).unwrap();
                for word in plan.words() {
                    assert_eq!(judge_word(&word, &bench).first_failed, None, "{generation} {shape:?}");
                }
            }
        }
    }
}

#[test]
fn opcodes_follow_the_op_and_verdicts_come_before_data() {
    let verdict = |op: AluOp, dtype: Dtype| -> (u8, Judgement) {
        let plan = plan(op, (dtype, &[4]), (dtype, &[4]), dtype, GENERATION).unwrap();
        let policy = Policy::default();
        let bench = Bench { generation: GENERATION, engine: Engine::Pool, policy: &policy };
        let word = plan.tiles[0].word;
        (word.opcode(), judge_word(&word, &bench))
    };
    assert_eq!(verdict(AluOp::BitwiseXor, Dtype::Uint8).0, 0x51);
    assert_eq!(verdict(AluOp::Bypass, Dtype::Uint8).0, 0x41);
    assert_eq!(verdict(AluOp::AddInt, Dtype::Int32), (0x41, verdict(AluOp::MultInt, Dtype::Int32).1));
    let (opcode, judgement) = verdict(AluOp::Crc32, Dtype::Uint32);
    assert_eq!((opcode, judgement.first_failed), (0x51, Some("s3s3d3_tt_valid_op")));
    let (opcode, judgement) = verdict(AluOp::AmaxInt, Dtype::Int32);
    assert_eq!((opcode, judgement.first_failed), (0x41, Some("s3s3d3_tt_valid_op")));
    assert_eq!(verdict(AluOp::BitwiseAnd, Dtype::Fp32).1.first_failed, Some("s3s3d3_tt_dtype"));
}

#[test]
fn errors_say_what_is_wrong_with_the_arrays() {
    let of = |dtype: Dtype, a: &[usize], b: &[usize]| plan(AluOp::Add, (dtype, a), (dtype, b), dtype, GENERATION);
    let text = of(Dtype::Fp32, &[3, 0], &[1]).unwrap_err().to_string();
    assert!(text.contains("a of shape [3, 0] has no elements; a word's counts are at least 1"), "{text}");
    assert!(matches!(of(Dtype::Fp32, &[3], &[2]), Err(ArrayError::Broadcast { .. })));
    assert_eq!(of(Dtype::Fp4Exp2, &[3], &[3]), Err(ArrayError::Dtype(Dtype::Fp4Exp2)));
    assert!(matches!(of(Dtype::Fp32, &[usize::MAX, 9], &[1]), Err(ArrayError::TooLarge(_))));
    let plan = of(Dtype::Fp32, &[2], &[2]).unwrap();
    let run =
        |a: ArrayRef<'_>, b: ArrayRef<'_>| run(&plan, &a, &b, &settings(Engine::Any), &mut |_, _| {}).unwrap_err();
    let (good, short) = ([0; 8], [0; 7]);
    let error = run(array(Dtype::Fp32, &[2], &good), array(Dtype::Fp32, &[2], &short));
    assert!(error.to_string().contains("array b of shape [2] and dtype float32 has 8 bytes, not 7"), "{error}");
    let error = run(array(Dtype::Int32, &[2], &good), array(Dtype::Fp32, &[2], &good));
    assert!(error.to_string().contains("array a is int32 of shape [2], and the plan is for float32"), "{error}");
}

#[test]
fn a_trapped_division_names_the_element_of_the_array() {
    let shape = [300, 2];
    let (x, mut y) = (vec![9; 600], vec![1; 600]);
    y[2 * 217 + 1] = 0;
    let plan =
        plan(AluOp::DivideInt, (Dtype::Int32, &shape), (Dtype::Int32, &shape), Dtype::Int32, GENERATION).unwrap();
    let settings =
        Settings { policy: Policy { int_div_zero: IntDivZero::Trap, ..Policy::default() }, ..settings(Engine::Pool) };
    let (x, y) = (int32(&x), int32(&y));
    let (a, b) = (array(Dtype::Int32, &shape, &x), array(Dtype::Int32, &shape, &y));
    let Err(RunError::Word(failed)) = run(&plan, &a, &b, &settings, &mut |_, _| {}) else { panic!() };
    assert!(matches!(failed.fault, Fault::DivideByZero { .. }));
    assert_eq!(failed.at, Some(vec![217, 1]));
    assert!(failed.to_string().contains("(element [217, 1] of the result)"), "{failed}");
}

#[test]
fn dtypes_of_different_widths_share_a_partition() {
    let shape = [200, 301];
    let total = 200 * 301;
    let count: Vec<u8> = (0..total as u32).flat_map(|i| (i % 70).to_le_bytes()).collect();
    let value: Vec<u8> = (0..total as u64).flat_map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes()).collect();
    let dtypes = (Dtype::Uint64, Dtype::Uint32);
    let plan = plan(AluOp::LogicalShiftRight, (dtypes.0, &shape), (dtypes.1, &shape), dtypes.0, GENERATION).unwrap();
    let (out, _) = run(
        &plan,
        &array(dtypes.0, &shape, &value),
        &array(dtypes.1, &shape, &count),
        &settings(Engine::Pool),
        &mut |_, _| {},
    )
    .unwrap();
    for i in 0..total as u64 {
        let at = i as usize * 8;
        let have = u64::from_le_bytes(out[at..at + 8].try_into().unwrap());
        let value = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        assert_eq!(have, value.checked_shr(i as u32 % 70).unwrap_or(0), "{i}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_shapes_agree_with_plain_loops(
        dims in prop::collection::vec((1usize..20, 0u8..3), 0..4),
        seed in any::<u64>(),
    ) {
        let a: Vec<usize> = dims.iter().map(|&(extent, keep)| if keep == 1 { 1 } else { extent }).collect();
        let b: Vec<usize> = dims.iter().map(|&(extent, keep)| if keep == 2 { 1 } else { extent }).collect();
        let (x, y) = (random_values(seed, a.iter().product()), random_values(!seed, b.iter().product()));
        let (have, _, _) = add_int((&a, &x), (&b, &y));
        prop_assert_eq!(have, expected((&a, &x), (&b, &y)));
    }
}
