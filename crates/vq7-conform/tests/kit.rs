//! The kit itself: which cells, which shapes, which bytes.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::collections::{BTreeMap, BTreeSet};
use vq7_cases::Level;
use vq7_conform::negative::negatives;
use vq7_conform::shape::{SHAPES, Window};
use vq7_conform::write::target_counts;
use vq7_conform::{Builder, CaseSpec, Filter, Kit, Plan, Shard};
use vq7_isa::legality::{Bench, Engine, Status, explain, judge};
use vq7_isa::{Dtype, Generation, Instruction, opcode};
use vq7_policy::Policy;

fn kit(generation: Generation) -> Kit {
    Kit { generation, policy: Policy::default(), level: Level::One, seed: 0, filter: Filter::default() }
}

/// The count of specified cells of tensor-tensor is a figure that the project publishes: a change must be meant.
#[test]
fn trn2_has_as_many_cells_as_published() {
    let plan = Plan::new(kit(Generation::Cayman));
    let counts = target_counts(&plan);
    // 18 base ops on 12 x 12 x 13 dtypes, the integer band on its signedness, bitvec ops on equal dtypes and 64-bit shifts.
    let base = 18 * 12 * 12 * 13;
    let integer_band = (8 * 2 + 9 + 9) * 4 * 4 * 4;
    let bitvec = 9 * 8 + 4 * 2;
    assert_eq!(counts.tensor_tensor_cells, base + integer_band + bitvec);
    let predicated = 6 * 12 + 6 * 12 * 12;
    let (batch_norm, extended) = (12 * 12 * 13, 2 * 12 * 12 * 13);
    assert_eq!(counts.cells, counts.tensor_tensor_cells + predicated + batch_norm + extended);
    // Base ops on 14 x 14 x 15 dtypes less those without a 64-bit integer; 64-bit shifts by uint32 into another dtype do
    // not pass the rules.
    println!("{counts:?} {} cases", plan.cases.len());
}

#[test]
fn every_op_dtype_and_shape_meets_every_other_kind() {
    for generation in Generation::ALL {
        let plan = Plan::new(kit(generation));
        let mut pairs: BTreeSet<(String, String)> = BTreeSet::new();
        let mut slots: [BTreeSet<&str>; 3] = Default::default();
        let mut ops = BTreeMap::new();
        for case in &plan.cases {
            let cell = plan.cell(case).unwrap();
            let shape = SHAPES[usize::from(case.shape)].name;
            let names = ["src0", "src1", "out"];
            pairs.insert((format!("{:#04x} {}", cell.opcode, cell.op), shape.to_owned()));
            for (i, dtype) in cell.types.iter().enumerate() {
                pairs.insert((format!("{} {dtype}", names[i]), shape.to_owned()));
                slots[i].insert(dtype.name());
            }
            *ops.entry(format!("{:#04x} {}", cell.opcode, cell.op)).or_insert(0) += 1;
        }
        // What a kind of word can have at all: two dimensions for the extended word, pairs of elements on SUNDA's paired one.
        let possible = |op: &str| match &op[..4] {
            "0xf0" => 14,
            "0x8a" | "0x8b" | "0x8f" => 8,
            _ => SHAPES.len(),
        };
        for op in ops.keys() {
            let met = pairs.iter().filter(|(left, _)| left == op).count();
            assert_eq!(met, possible(op), "{generation}: {op} meets {met} shapes");
        }
        for (i, dtypes) in slots.iter().enumerate() {
            for dtype in dtypes {
                let key = format!("{} {dtype}", ["src0", "src1", "out"][i]);
                let met = pairs.iter().filter(|(left, _)| *left == key).count();
                assert_eq!(met, SHAPES.len(), "{generation}: {key} meets {met} shapes");
            }
        }
        let expected: usize = if generation.has_64bit() { 14 } else { 12 };
        assert_eq!(slots.map(|slot| slot.len()), [expected, expected, expected + 1], "{generation}");
    }
}

/// A sample of every target builds, on a fresh machine and on one that has built others: the same bytes.
#[test]
fn a_case_depends_on_its_number_alone() {
    for generation in Generation::ALL {
        let plan = Plan::new(kit(generation));
        let sample = plan.shard(Shard { index: 3, of: 97 });
        let mut builder = Builder::new(&plan);
        let forward: Vec<_> = sample.iter().map(|case| builder.build(case).unwrap()).collect();
        for (case, built) in sample.iter().zip(&forward).rev().step_by(7) {
            assert_eq!(Builder::new(&plan).build(case).unwrap(), *built, "{generation} {case:?}");
        }
        let changed = forward.iter().filter(|built| built.input != built.expected).count();
        assert!(changed * 100 > forward.len() * 95, "{changed} of {}", forward.len());
        assert!(forward.iter().all(|built| built.record.elements >= 512), "{generation}");
    }
}

#[test]
fn windows_do_not_overlap_and_hold_what_the_word_touches() {
    for generation in Generation::ALL {
        let plan = Plan::new(kit(generation));
        for shape in 0..SHAPES.len() as u8 {
            let mut widths = BTreeSet::new();
            let wanted = plan.cases.iter().filter(|case| case.shape == shape);
            let fresh: Vec<&CaseSpec> = wanted
                .filter(|case| {
                    let cell = plan.cell(case).unwrap();
                    widths.insert((cell.is_extended(), cell.types.map(|dtype| dtype.bytes())))
                })
                .collect();
            let mut builder = Builder::new(&plan);
            for case in fresh {
                let built = builder.build(case).unwrap();
                let [a, b] = built.record.windows;
                let apart = |low: (u32, u32), high: (u32, u32)| low.0 + low.1 <= high.0 || high.0 + high.1 <= low.0;
                let rows = |w: &Window| (u32::from(w.partition), u32::from(w.rows));
                let bytes = |w: &Window| (w.offset, w.bytes);
                assert!(b.rows == 0 || apart(rows(&a), rows(&b)) || apart(bytes(&a), bytes(&b)), "{built:?}");
                assert!([a, b].iter().all(|w| w.offset + w.bytes <= generation.geometry().sbuf_active
                    && u32::from(w.partition) + u32::from(w.rows) <= 128));
                // The partition behind the last channel is watched, too.
                let written = if b.rows == 0 { a } else { b };
                let last = u32::from(written.partition) + u32::from(built.record.channels);
                assert_eq!(u32::from(written.partition) + u32::from(written.rows), (last + 1).min(128), "{built:?}");
                let instruction = Instruction::decode(&built.word);
                let policy = Policy::default();
                let bench = Bench { generation, engine: Engine::Any, policy: &policy };
                assert_eq!(judge(&instruction, &bench).status, Status::Legal);
            }
        }
    }
}

/// Each rule that a word of any opcode is held against refuses a word of the kit, on every target.
#[test]
fn every_rule_has_a_word_that_it_refuses() {
    for generation in Generation::ALL {
        let plan = Plan::new(kit(generation));
        let found = negatives(&plan);
        let policy = Policy::default();
        let mut rules = BTreeSet::new();
        for cell in &plan.cells {
            if !cell.types.iter().all(|dtype| *dtype == cell.types[0]) {
                continue;
            }
            let layout = SHAPES[1].layout(cell.types.map(Dtype::bytes), cell.is_extended(), 0, generation.geometry());
            let word = cell.word(&layout.unwrap());
            for engine in [Engine::Any, Engine::Pool, Engine::Dve] {
                for rule in explain(&word, &Bench { generation, engine, policy: &policy }).rules {
                    rules.insert((cell.opcode, rule.name));
                }
            }
        }
        for negative in &found {
            let bench = Bench { generation, engine: negative.engine, policy: &policy };
            assert_eq!(judge(&Instruction::decode(&negative.word), &bench).first_failed, Some(negative.rule));
        }
        let refused: BTreeSet<_> = found.iter().map(|negative| negative.rule).collect();
        let names: BTreeSet<_> = rules.iter().map(|(_, name)| *name).collect();
        let missing: Vec<_> = names.difference(&refused).collect();
        println!("{generation}: {} words, {} rules, missing {missing:?}", found.len(), names.len());
        // DVE's gate of bitvec words refuses 64-bit integers, which SUNDA's structure refuses before it.
        // MAVERICK has no PSUM that an operand could be in.
        let unreachable: &[&str] = match generation {
            Generation::Sunda => &["is_valid_tensor_tensor_bitvec_dve"],
            Generation::Maverick => &["is_s3s3d3_tt_tensors_in_sbuf"],
            _ => &[],
        };
        assert!(missing.iter().copied().eq(unreachable), "{generation}: {missing:?}");
    }
}

#[test]
fn a_filter_leaves_numbers_and_bytes_as_they_are() {
    let all = Plan::new(kit(Generation::Cayman));
    let filter = Filter::parse("op=add_int, dtype=uint64", &Policy::default()).unwrap();
    assert_eq!(filter.to_string(), "op=add_int,dtype=uint64");
    let some = Plan::new(Kit { filter, ..kit(Generation::Cayman) });
    assert!(!some.cases.is_empty() && some.cases.iter().all(|case| all.cases.contains(case)));
    let case = some.cases[0];
    assert_eq!(Builder::new(&some).build(&case).unwrap(), Builder::new(&all).build(&case).unwrap());
    assert!(Filter::parse("op=ad", &Policy::default()).is_err() && Filter::parse("add", &Policy::default()).is_err());
}

#[test]
fn shards_are_the_whole_and_another_seed_is_another_kit() {
    let plan = Plan::new(kit(Generation::Sunda));
    let mut cases: Vec<_> = (0..5).flat_map(|index| plan.shard(Shard { index, of: 5 })).collect();
    cases.sort_by_key(|case| case.number);
    assert_eq!(cases, plan.cases);
    let other = Plan::new(Kit { seed: 1, ..kit(Generation::Sunda) });
    assert_ne!(plan.kit.id(), other.kit.id());
    let case = plan.cases[17];
    assert_ne!(Builder::new(&plan).build(&case).unwrap().input, Builder::new(&other).build(&case).unwrap().input);
    assert!(Shard::parse("4/4").is_err() && Shard::parse("x").is_err());
}

/// Under `int_div_zero=trap` a word that divides by zero has no result; the kit's words divide by something.
#[test]
fn a_trapping_policy_still_has_results() {
    let mut policy = Policy::default();
    policy.set("int_div_zero=trap").unwrap();
    let filter = Filter::parse("op=divide_int,op=mod_uint,op=mod", &policy).unwrap();
    let plan = Plan::new(Kit { policy, filter, ..kit(Generation::Cayman) });
    let mut builder = Builder::new(&plan);
    for case in plan.cases.iter().step_by(5) {
        builder.build(case).unwrap();
    }
    assert!(plan.cases.iter().any(|case| plan.cell(case).unwrap().opcode == opcode::TENSOR_TENSOR_ARITH_OP));
}
