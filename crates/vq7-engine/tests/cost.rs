//! Costs of words: the steady states of docs/spec/iss-lowering.md, and the same cycles as the stepped core counts.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use vq7_engine::Registers;
use vq7_engine::cost::row::{row, time};
use vq7_engine::cost::vector::vector_cost;
use vq7_engine::cost::{CONSTANTS, Cost, Costs, Model, NoCost};
use vq7_engine::iss::Iss;
use vq7_engine::lower::emit;
use vq7_engine::lower::kernel::{Kernel, Shape};
use vq7_engine::lower::{Reason, Work};
use vq7_isa::address::Addr4;
use vq7_isa::generation::PSUM_BASE;
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::opcode::{TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP};
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Instruction};
use vq7_iss::event::Silent;
use vq7_iss::line::Line;
use vq7_iss::memory::DATA_RAM;
use vq7_iss::oracle::Leaves;
use vq7_iss::pipeline::{Core, Settings, Stop};
use vq7_iss::state::State;
use vq7_iss::timing::Profile;
use vq7_num::{Class, Lane};
use vq7_policy::Policy;

fn lane(op: AluOp, dtype: Dtype) -> Lane {
    let class = if op.is_bitvec() { Class::Bitvec } else { Class::Arith };
    Lane { op, src0: dtype, src1: dtype, out: dtype, class }
}

fn kernel(op: AluOp, dtype: Dtype, shape: Shape) -> Kernel {
    Kernel::new(Work::Elementwise(lane(op, dtype)), shape, &Policy::default()).unwrap()
}

/// A word on `channels` partitions by `elements`, operands side by side.
fn word(op: AluOp, dtypes: [Dtype; 3], channels: u8, elements: u16) -> S3s3d3Tt {
    let opcode = if op.is_bitvec() { TENSOR_TENSOR_BITVEC_OP } else { TENSOR_TENSOR_ARITH_OP };
    let at = |place: u32| Tensor3d { start: Addr4::immediate(place * 0x1_0000), step: [1; 3], num: [elements, 1, 1] };
    let [src0, src1, out] = dtypes;
    S3s3d3Tt {
        header: Header::new(opcode),
        events: Events::default(),
        src0_dtype: src0.code(),
        src1_dtype: src1.code(),
        out_dtype: out.code(),
        op: op.code(),
        num_active_channels: channels,
        src0: at(0),
        src1: at(1),
        dst: at(2),
    }
}

fn cost(tt: S3s3d3Tt) -> Result<Cost, NoCost> {
    Costs::new(Generation::Cayman, Policy::default()).word(&Instruction::TensorTensor(tt), &Registers::new())
}

/// Bundles per `elements` elements once the loop is in its steady state.
fn per(kernel: &Kernel, elements: u32) -> f64 {
    f64::from(kernel.interval * elements) / f64::from(kernel.unit())
}

#[test]
fn steady_states_are_the_published_ones() {
    let plain = Shape::default();
    let figures = [
        (AluOp::Bypass, Dtype::Int32, 16, 1.0..=1.0),
        (AluOp::AddInt, Dtype::Int8, 64, 1.5..=2.0),
        (AluOp::AddInt, Dtype::Int16, 32, 1.5..=2.0),
        (AluOp::AddInt, Dtype::Int32, 16, 1.5..=2.0),
        (AluOp::BitwiseXor, Dtype::Uint32, 16, 1.5..=2.0),
        (AluOp::Add, Dtype::Fp32, 16, 1.5..=2.0),
        (AluOp::MultInt, Dtype::Int16, 32, 1.5..=2.0),
        (AluOp::MultInt, Dtype::Int32, 16, 2.0..=2.0),
        (AluOp::Add, Dtype::Bfloat16, 16, 4.0..=4.0),
        (AluOp::AddInt, Dtype::Int64, 16, 3.5..=4.0),
        (AluOp::BitwiseXor, Dtype::Int64, 8, 1.5..=2.0),
        (AluOp::MultInt, Dtype::Int64, 16, 5.0..=5.0),
        (AluOp::DivideInt, Dtype::Int16, 32, 4.0..=4.0),
    ];
    for (op, dtype, elements, expected) in figures {
        let kernel = kernel(op, dtype, plain);
        let found = per(&kernel, elements);
        assert!(expected.contains(&found), "{} {dtype}: {found} bundles for {elements}", op.name());
        assert!(kernel.bound <= kernel.interval);
    }
    let halves = kernel(AluOp::DivideInt, Dtype::Int16, Shape { half_steps: true, ..plain });
    assert_eq!(per(&halves, 32), 8.0, "16 lanes to a step");
}

/// The cycles that the core counts when it is stepped through the same bundles.
fn stepped(kernel: &Kernel, units: u32, tail: bool, profile: Profile) -> u64 {
    let rolled = emit::roll(kernel, units, tail).unwrap();
    let mut state = State::new();
    state.memory.set(DATA_RAM, &rolled.pool).unwrap();
    for (cell, value) in emit::addresses(kernel, DATA_RAM, [1, 2, 3].map(|place| DATA_RAM + place * 0x4000), 1) {
        state.set_line(cell, Line::from_word(value));
    }
    let mut core = Core::new(&rolled.work, state, Leaves, Settings { profile, ..Settings::default() });
    assert_eq!(core.run(&mut Silent, 1_000_000), Ok(Stop::Done));
    core.total_cycles()
}

#[test]
fn a_row_costs_what_the_stepped_core_counts() {
    for profile in Profile::ALL {
        let model = Model { profile, ..Model::default() };
        let shape = Shape { strict: profile == Profile::TieStrict, ..Shape::default() };
        for (op, dtype) in [
            (AluOp::AddInt, Dtype::Int32),
            (AluOp::AddInt, Dtype::Int64),
            (AluOp::MultInt, Dtype::Int8),
            (AluOp::Add, Dtype::Bfloat16),
            (AluOp::IsLt, Dtype::Fp32),
            (AluOp::DivideInt, Dtype::Int16),
            (AluOp::LogicalShiftRight, Dtype::Uint16),
        ] {
            let kernel = kernel(op, dtype, shape);
            for (units, rest) in [(1, 0), (2, 1), (9, 0), (17, 3)] {
                let elements = units * kernel.unit() - rest;
                let found = row(&kernel, elements, &model).unwrap();
                let core = stepped(&kernel, units, rest > 0, profile);
                assert_eq!(found.constants + found.cycles, core, "{} {dtype} x {elements}, {profile:?}", op.name());
            }
        }
    }
}

/// Under a profile that the loop was not scheduled for, its bundles wait, and every cycle has a cause.
#[test]
fn every_cycle_is_a_bundle_or_a_wait_or_the_drain() {
    let kernel = kernel(AluOp::Add, Dtype::Bfloat16, Shape::default());
    let model = Model { profile: Profile::TieStrict, ..Model::default() };
    let found = time(&emit::roll(&kernel, 20, false).unwrap(), &model);
    let waits: u64 = found.stalls.values().sum();
    let drain = (found.constants + found.cycles) - found.constant_bundles - found.bundles - waits;
    assert!(waits > 0 && drain <= 4, "{waits} waits, {drain} cycles of drain: {found:?}");
}

#[test]
fn a_long_row_goes_on_as_its_first_units_did() {
    let model = Model { profile: Profile::TieStrict, ..Model::default() };
    for (op, dtype) in [(AluOp::AddInt, Dtype::Int32), (AluOp::Add, Dtype::Fp16), (AluOp::AddInt, Dtype::Int64)] {
        let kernel = kernel(op, dtype, Shape::default());
        for units in [33, 61, 100] {
            let found = row(&kernel, units * kernel.unit(), &model).unwrap();
            let whole = time(&emit::roll(&kernel, units, false).unwrap(), &model);
            assert_eq!(found, whole, "{} {dtype} x {units}", op.name());
        }
    }
}

#[test]
fn the_slowest_core_decides_and_the_range_holds_the_figure() {
    let int32 = [Dtype::Int32; 3];
    // Channels 0 to 31 load two cores fully.
    let cost32 = cost(word(AluOp::AddInt, int32, 32, 512)).unwrap();
    let shares: Vec<_> = cost32.cores.iter().map(|core| (core.core, core.rows)).collect();
    assert_eq!(shares, [(0, 16), (1, 16)]);
    let all = cost(word(AluOp::AddInt, int32, 128, 512)).unwrap();
    assert_eq!((all.cycles, all.cores.len()), (cost32.cycles, 8));
    // dispatch + constants + rows * (row_setup + loop)
    assert_eq!(all.cycles, 64 + all.row.constants + 16 * (8 + all.row.cycles));
    for op in [AluOp::AddInt, AluOp::MultInt, AluOp::Add, AluOp::IsEq, AluOp::Pow, AluOp::DivideInt] {
        for dtype in [Dtype::Int16, Dtype::Int32, Dtype::Fp32, Dtype::Int64, Dtype::Fp8Exp4] {
            let Ok(cost) = cost(word(op, [dtype; 3], 128, 300)) else { continue };
            let [low, high] = cost.range;
            assert!(low < cost.cycles && cost.cycles < high, "{} {dtype}", op.name());
            assert!(cost.lower_bound <= cost.cycles);
            for rests in &cost.rests_on {
                assert!(rests.cycles.iter().all(|cycles| (low..=high).contains(cycles)), "{}", rests.constant.name);
            }
        }
    }
}

#[test]
fn lanes_of_a_divide_step_are_named_where_they_count() {
    let named = |op, dtype: Dtype| {
        let cost = cost(word(op, [dtype; 3], 128, 512)).unwrap();
        cost.rests_on.iter().map(|rests| rests.constant.name).collect::<Vec<_>>()
    };
    assert!(named(AluOp::DivideInt, Dtype::Int16).contains(&"div_lanes"));
    assert!(!named(AluOp::AddInt, Dtype::Int16).contains(&"div_lanes"));
    assert!(named(AluOp::DivideInt, Dtype::Int32).contains(&"divide_32"));
    assert!(named(AluOp::DivideInt, Dtype::Int64).contains(&"divide_64"));
    assert!(named(AluOp::Pow, Dtype::Fp32).contains(&"pow"));
    assert!(CONSTANTS.iter().all(|constant| !constant.source.is_empty()));
}

#[test]
fn a_knob_without_sequences_is_named() {
    let mut policy = Policy::default();
    policy.set("round=up").unwrap();
    let tt = word(AluOp::Add, [Dtype::Fp32; 3], 128, 64);
    let answer = Costs::new(Generation::Cayman, policy).word(&Instruction::TensorTensor(tt), &Registers::new());
    let error = answer.unwrap_err();
    assert!(matches!(error, NoCost::Reason(Reason::Knob(_))) && error.to_string().contains("round"), "{error}");
}

#[test]
fn the_vector_formula_has_its_cases() {
    let formula =
        |tt: S3s3d3Tt| vector_cost(&Instruction::TensorTensor(tt), Generation::Cayman, &Registers::new()).unwrap();
    let bf16 = [Dtype::Bfloat16; 3];
    let add = word(AluOp::Add, bf16, 128, 512);
    assert_eq!((formula(add).formula, formula(add).cycles), ("max(MIN_II, N)", 512));
    assert_eq!(formula(word(AluOp::Add, bf16, 128, 10)).cycles, 64);
    assert_eq!(formula(word(AluOp::Max, bf16, 128, 512)).cycles, 1024);
    assert_eq!(formula(word(AluOp::Add, [Dtype::Fp32; 3], 128, 512)).cycles, 1024);
    let strided = Tensor3d { step: [2, 1, 1], ..add.src1 };
    assert_eq!(formula(S3s3d3Tt { src1: strided, ..add }).cycles, 1024);
    let psum = Tensor3d { start: Addr4::immediate(PSUM_BASE), ..add.src1 };
    assert_eq!(formula(S3s3d3Tt { src1: psum, ..word(AluOp::Max, [Dtype::Fp32; 3], 128, 512) }).cycles, 512);
}

/// Loops are kept: a program of equal words is scheduled once.
#[test]
fn loops_are_kept() {
    let iss = Iss::new();
    let work = Work::Elementwise(lane(AluOp::AddInt, Dtype::Int32));
    let first = iss.kernel(work, Shape::default(), &Policy::default()).unwrap();
    let again = iss.kernel(work, Shape::default(), &Policy::default()).unwrap();
    assert!(std::sync::Arc::ptr_eq(&first, &again));
}
