//! The legality rules against a second, deliberately naive reading of the same spec that shares no code with them.

mod naive;
mod support;

use naive::{Engine as NaiveEngine, Gen};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use support::{Random, TENSOR_TENSOR_OPCODES, V1, V4, word};
use vq7_isa::legality::{Bench, Engine, judge};
use vq7_isa::{Generation, Instruction, Word};
use vq7_policy::Policy;

const GENERATIONS: [(Generation, Gen); 5] = [
    (Generation::Sunda, Gen::Sunda),
    (Generation::Cayman, Gen::Cayman),
    (Generation::Mariana, Gen::Mariana),
    (Generation::MarianaPlus, Gen::MarianaPlus),
    (Generation::Maverick, Gen::Maverick),
];
const ENGINES: [(Engine, NaiveEngine); 3] =
    [(Engine::Any, NaiveEngine::Any), (Engine::Pool, NaiveEngine::Pool), (Engine::Dve, NaiveEngine::Dve)];

/// What is asked of both readings.
#[derive(Clone, Copy, Debug)]
struct Question {
    word: Word,
    generation: usize,
    engine: usize,
}

impl Question {
    /// What the rules say. `decoded` is the question's word, decoded once for all generations and engines.
    fn product(&self, decoded: &Instruction, policy: &Policy) -> Option<&'static str> {
        let bench = Bench { generation: GENERATIONS[self.generation].0, engine: ENGINES[self.engine].0, policy };
        judge(decoded, &bench).first_failed
    }

    fn naive(&self) -> Option<&'static str> {
        naive::first_failed(&self.word.0, GENERATIONS[self.generation].1, ENGINES[self.engine].1)
    }
}

/// Compares both readings over op x dtype nibbles x out dtype x opcode x generation x engine, for the ops of a range.
/// `twist` may change what the product's side is asked. Returns how many questions were asked, and differences.
fn compare_cross_product(ops: RangeInclusive<u64>, twist: Option<fn(&mut Question)>) -> (u64, Vec<String>) {
    let asked = AtomicU64::new(0);
    let next_op = AtomicU64::new(*ops.start());
    let run = || {
        let (policy, base) = (Policy::default(), word(V1, &[]));
        let (mut differences, mut count) = (Vec::new(), 0);
        loop {
            let op = next_op.fetch_add(1, Ordering::Relaxed);
            if op > *ops.end() {
                asked.fetch_add(count, Ordering::Relaxed);
                return differences;
            }
            for opcode in TENSOR_TENSOR_OPCODES {
                for (dtypes, out) in (0..=255u8).flat_map(|dtypes| (0..=255u8).map(move |out| (dtypes, out))) {
                    let mut word = base;
                    (word.0[0], word.0[12], word.0[13], word.0[14]) = (opcode, dtypes, out, op as u8);
                    let decoded = Instruction::decode(&word);
                    for (generation, engine) in (0..5).flat_map(|g| (0..3).map(move |e| (g, e))) {
                        let question = Question { word, generation, engine };
                        count += 1;
                        let product = match twist {
                            None => question.product(&decoded, &policy),
                            Some(twist) => {
                                let mut twisted = question;
                                twist(&mut twisted);
                                twisted.product(&Instruction::decode(&twisted.word), &policy)
                            }
                        };
                        let naive = question.naive();
                        if product != naive && differences.len() < 5 {
                            differences.push(format!("{question:?}: rules say {product:?}, naive says {naive:?}"));
                        }
                    }
                }
            }
        }
    };
    let differences = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..std::thread::available_parallelism().map_or(1, Into::into)).map(|_| scope.spawn(run)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no comparison panics")).collect()
    });
    (asked.into_inner(), differences)
}

#[test]
fn both_readings_agree_over_the_full_cross_product() {
    let (asked, differences) = compare_cross_product(0..=255, None);
    assert_eq!(asked, 256 * 256 * 256 * 8 * 5 * 3);
    assert!(differences.is_empty(), "{differences:#?}");
}

/// One planted fault of each kind: the product's side is asked as if one entry of one rule were wrong.
#[test]
fn a_planted_fault_of_each_kind_is_caught() {
    type Fault = (&'static str, u64, fn(&mut Question));
    let faults: [Fault; 9] = [
        ("an op enum with a wrong first generation", 0x20, |q| {
            if q.word.0[14] == 0x20 && q.generation == 1 {
                q.generation = 2
            }
        }),
        ("an op class with one op too many", 0xDE, |q| {
            if q.word.0[14] == 0xDE {
                q.word.0[14] = 0xDD
            }
        }),
        ("a general set that keeps DIVIDE", 0x07, |q| {
            if q.word.0[14] == 0x07 {
                q.word.0[14] = 0x06
            }
        }),
        ("FP32R permitted on a source", 0x04, |q| {
            if q.word.0[12] & 0xF == 0x0B {
                q.word.0[12] -= 1
            }
        }),
        ("a 64-bit dtype permitted on SUNDA", 0x04, |q| {
            if q.generation == 0 && q.word.0[13] == 0x0C {
                q.word.0[13] = 0x08
            }
        }),
        ("an unsigned dtype read as signed", 0xC4, |q| {
            if q.word.0[13] == 0x09 {
                q.word.0[13] = 0x08
            }
        }),
        ("a shift exception without its count dtype", 0x10, |q| {
            if q.word.0[12] == 0x8C {
                q.word.0[12] = 0x9C
            }
        }),
        ("a predicated copy that may convert", 0x00, |q| {
            if q.word.0[0] == 0x72 {
                q.word.0[0] = 0x99
            }
        }),
        ("an engine gate that is open", 0x1A, |q| {
            if q.word.0[14] == 0x1A && q.engine == 2 {
                q.engine = 0
            }
        }),
    ];
    for (name, op, twist) in faults {
        let (_, differences) = compare_cross_product(op..=op, Some(twist));
        assert!(!differences.is_empty(), "the comparison does not see this fault: {name}");
    }
}

/// Addresses, markers, counts, steps, channels, header and events: random words aimed at the edges.
#[test]
fn both_readings_agree_on_random_words_aimed_at_the_edges() {
    let seed = support::seed();
    let mut random = Random::new(seed);
    let policy = Policy::default();
    let mut failing_rules = std::collections::BTreeMap::<Option<&str>, u64>::new();
    for case in 0..1_500_000u64 {
        let word = aimed_word(&mut random);
        let question = Question { word, generation: random.below(5), engine: random.below(3) };
        let (product, naive) = (question.product(&Instruction::decode(&word), &policy), question.naive());
        assert_eq!(product, naive, "case {case} of seed {seed} (rerun with VQ7_SEED={seed}): {question:?}");
        *failing_rules.entry(product).or_default() += 1;
    }
    // Every rule name must have failed some word, or the words are not aimed well enough.
    let expected = [
        "has_valid_neuron_header",
        "has_valid_neuron_events",
        "is_valid_dtype_64",
        "is_valid_dtype",
        "is_valid_enum",
        "s3s3d3_tt_valid_op",
        "s3s3d3_tt_dtype",
        "s3s3d3_tt_src_dst_dtype",
        "s3s3d3_tt_valid_int_signness",
        "start_addr_active_channels",
        "tensor3d_valid",
        "s3s3d3_tt_src_element_cnt_check",
        "s3s3d3_tt_dst_element_cnt_check",
        "check_active_channels",
        "tt_valid_partitions",
        "s3s3d3_copy_pred_src0_dtype",
        "s3s3d3_copy_cast_pred_src1_dst_dtype",
        "s3s3d3_tt_is_zero_op",
        "tensor_tensor_bf16_op",
        "tensor_tensor_bf16_dtype",
        "tensor_tensor_bf16_packing",
        "extended_completion_info",
        "extended_reserved_zero",
        "extended_tta_valid_op",
        "extended_tensors_in_sbuf",
        "extended_start_partition",
        "tensor2d_valid",
        "extended_src_element_cnt_check",
        "extended_dst_element_cnt_check",
        "is_s3s3d3_tt_tensors_in_sbuf",
        "is_valid_tensor_tensor_arith_pool",
        "is_valid_tensor_tensor_arith_dve",
        "is_valid_tensor_tensor_bitvec_dve",
        "kernel_info_table",
        "extended_inst_pool_only",
    ];
    for rule in expected.map(Some).into_iter().chain([None]) {
        assert!(failing_rules.contains_key(&rule), "no word reached {rule:?}: {failing_rules:?}");
    }
    assert_eq!(failing_rules.len(), expected.len() + 1, "{failing_rules:?}");
}

/// A legal word of some arm with a few fields set to values at the edges of what their rules allow.
fn aimed_word(random: &mut Random) -> Word {
    if random.below(8) == 0 {
        return aimed_extended(random);
    }
    // A base that is legal on most generations, so that the edges decide.
    let (opcode, dtypes, out, op) = random.pick(&[
        (0x41, 0x88, 0x08, 0xC4),
        (0x41, 0xAA, 0x0A, 0x04),
        (0x41, 0xAA, 0x0A, 0x08),
        (0x41, 0xCC, 0x0C, 0xC4),
        (0x51, 0x88, 0x08, 0x0A),
        (0x51, 0x9C, 0x0C, 0x10),
        (0x72, 0xA3, 0x0A, 0x00),
        (0x99, 0x6A, 0x0A, 0x00),
        (0x99, 0x68, 0x0A, 0x00),
        (0x65, 0xAA, 0x0A, 0x00),
        (0x8A, 0x66, 0x06, 0x04),
        (0x8B, 0x66, 0x0A, 0x06),
        (0x8F, 0x66, 0x06, 0x05),
    ]);
    let mut word = word(V1, &[(0, opcode), (12, dtypes), (13, out), (14, op)]);
    word.0[15] = random.pick(&[1, 31, 32, 33, 64, 65, 127, 128]);
    let mut edges = random.below(4);
    for slot in [16, 32, 48] {
        set(&mut word, slot, random.pick(&[0, 0x1000, 0x2000, 0x80_0000, 0x80_0000]));
        set16(&mut word, slot + 10, random.pick(&[2, 4, 4, 4]));
    }
    while edges > 0 {
        edges -= 1;
        let slot = random.pick(&[16, 32, 48]);
        match random.below(9) {
            0 => set(&mut word, slot, edge_address(random)),
            1 => set(&mut word, slot, edge_address(random)),
            2 => set(
                &mut word,
                slot,
                (random.next() as u32 & 0xE000_0000) | random.pick(&[0, 5, 63, 64, 0x100, 0x1_0000, 0x100_0000]),
            ),
            3 => set16(&mut word, slot + 10 + 2 * random.below(3), random.pick(&[0, 1, 2, 3, 512, 65535])),
            4 => set16(&mut word, slot + 4 + 2 * random.below(3), random.pick(&[0, 1, 2, 3, 0xFFFF, 0xFFFE])),
            5 => word.0[15] = random.pick(&[0, 1, 32, 33, 64, 65, 128, 129, 255]),
            6 => {
                word.0[random.pick(&[1, 2, 3, 4, 6])] =
                    random.pick(&[0, 1, 4, 7, 0x0E, 0x10, 0x11, 0x19, 0x40, 0x85, 0x91, 0x99, 0xFE, 0xFF])
            }
            7 => word.0[random.pick(&[12, 13, 14])] = random.next() as u8,
            _ => {
                word.0[random.pick(&[12, 13])] =
                    random.pick(&[0x00, 0x06, 0x08, 0x0B, 0x22, 0x66, 0x88, 0x9C, 0xAA, 0xBB, 0x10])
            }
        }
    }
    word
}

fn aimed_extended(random: &mut Random) -> Word {
    let mut word = word(V4, &[]);
    for _ in 0..random.below(3) {
        let slot = random.pick(&[20, 32, 44]);
        match random.below(9) {
            0 => word.0[13] = random.next() as u8,
            1 => word.0[random.pick(&[17, 18, 19, 56, 63])] = random.next() as u8,
            2 => word.0[16] = random.pick(&[4, 6, 5, 0xC4, 0x99, 0x20]),
            3 => word.0[random.pick(&[14, 15])] = random.next() as u8,
            4 | 5 => set(&mut word, slot, edge_address(random)),
            6 => set(&mut word, slot, random.next() as u32 & 0xE000_003F),
            7 => set16(&mut word, slot + 8, random.pick(&[0, 1, 256, 512])),
            _ => word.0[random.pick(&[1, 4, 6])] = random.pick(&[0, 0x10, 0x11, 0xFF]),
        }
    }
    word
}

fn edge_address(random: &mut Random) -> u32 {
    let base = random.pick(&[
        0, 0x3_0000, 0x3_8000, 0x4_0000, 0x80_0000, 0x100_0000, 0x180_0000, 0x1FF_FFF8, 0x200_0000, 0x210_0000,
        0x23F_FFF8, 0x240_0000, 0x400_0000, 0x600_0000, 0x7FF_FFF8, 0x800_0000,
    ]);
    base + random.pick(&[0, 1, 2, 4, 6, 8])
}

fn set(word: &mut Word, offset: usize, value: u32) {
    word.0[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
}

fn set16(word: &mut Word, offset: usize, value: u16) {
    word.0[offset..offset + 2].copy_from_slice(&value.to_le_bytes());
}
