//! The rules of the scalar forms against the second reading, and single words whose verdict the spec page gives.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod naive;
mod support;

use naive::{Engine as NaiveEngine, Gen};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::Random;
use vq7_isa::legality::{Bench, Engine, Status, explain, judge};
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

const TENSOR_SCALAR: [u8; 4] = [0x43, 0x53, 0x44, 0x54];
const SCALAR_TENSOR_TENSOR: [u8; 3] = [0x9D, 0x9E, 0xE5];
const COPY_CAST: [u8; 2] = [0x46, 0x47];

/// Puts little-endian half words at an offset.
fn halves(word: &mut [u8; 64], at: usize, values: &[u16]) {
    for (i, value) in values.iter().enumerate() {
        word[at + 2 * i..at + 2 * i + 2].copy_from_slice(&value.to_le_bytes());
    }
}

fn address(word: &mut [u8; 64], at: usize, address: u32) {
    word[at..at + 4].copy_from_slice(&address.to_le_bytes());
}

/// A word of an opcode that is legal with these codes where they are: 8 elements, 64 channels, tensors from partition 0 on.
fn base(opcode: u8, dtype: u8, ops: [u8; 2]) -> [u8; 64] {
    let mut word = [0u8; 64];
    (word[0], word[1]) = (opcode, 0x10);
    let (dims, starts): (usize, &[usize]) = match opcode {
        0x9D | 0x9E | 0xE5 => {
            (word[36], word[37]) = (ops[0], ops[1]);
            (word[40], word[41], word[42]) = (dtype | dtype << 4, dtype, 64);
            word[43] = if opcode == 0x9E { dtype } else { 0x0A };
            (2, &[12, 24, 48])
        }
        0x46 | 0x47 => {
            (word[32], word[33], word[34]) = (dtype, dtype, 64);
            (4, &[12, 44])
        }
        _ => {
            (word[36], word[37]) = (ops[0], ops[1]);
            (word[32], word[33], word[34]) = (dtype, dtype, 64);
            (3, &[16, 48])
        }
    };
    for (index, &start) in starts.iter().enumerate() {
        address(&mut word, start, 0x1000 * index as u32);
        halves(&mut word, start + 4, &[1, 4, 8, 8][..dims]);
        halves(&mut word, start + 4 + 2 * dims, &[4, 2, 1, 1][..dims]);
    }
    word
}

fn is_bitvec(opcode: u8) -> bool {
    matches!(opcode, 0x53 | 0x54 | 0x9E)
}

fn product(word: &[u8; 64], generation: usize, engine: usize, policy: &Policy) -> Option<&'static str> {
    let bench = Bench { generation: GENERATIONS[generation].0, engine: ENGINES[engine].0, policy };
    judge(&Instruction::decode(&Word(*word)), &bench).first_failed
}

/// Compares both readings on a word, for every generation and engine.
fn compare(word: &[u8; 64], policy: &Policy, differences: &mut Vec<String>) -> u64 {
    for (generation, engine) in (0..5).flat_map(|g| (0..3).map(move |e| (g, e))) {
        let says = product(word, generation, engine, policy);
        let naive = naive::first_failed(word, GENERATIONS[generation].1, ENGINES[engine].1);
        if says != naive && differences.len() < 5 {
            let (generation, engine) = (GENERATIONS[generation].0, ENGINES[engine].0);
            differences.push(format!("{} {generation} {engine:?}: {says:?}, naive {naive:?}", Word(*word)));
        }
    }
    15
}

/// Runs `job` for each number below `count` on all cores; sums what it returns, and gathers differences.
fn on_all_cores(count: usize, job: impl Fn(usize, &Policy, &mut Vec<String>) -> u64 + Sync) -> (u64, Vec<String>) {
    let next = AtomicUsize::new(0);
    let run = || {
        let (policy, mut differences, mut asked) = (Policy::default(), Vec::new(), 0);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return (asked, differences);
            }
            asked += job(number, &policy, &mut differences);
        }
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, Into::into);
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).fold((0, Vec::new()), |mut all, (asked, found)| {
            all.0 += asked;
            all.1.extend(found);
            all
        })
    })
}

#[test]
fn both_readings_agree_on_every_pair_of_ops() {
    let (asked, differences) = on_all_cores(256, |op0, policy, differences| {
        let mut asked = 0;
        for op1 in 0..=255u8 {
            for opcode in TENSOR_SCALAR.into_iter().chain(SCALAR_TENSOR_TENSOR) {
                for dtype in if is_bitvec(opcode) { [0x03, 0x05, 0x09] } else { [0x06, 0x08, 0x0A] } {
                    asked += compare(&base(opcode, dtype, [op0 as u8, op1]), policy, differences);
                }
            }
        }
        asked
    });
    assert_eq!(asked, 256 * 256 * 7 * 3 * 15);
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn both_readings_agree_on_every_combination_of_dtypes() {
    let (asked, differences) = on_all_cores(256, |first, policy, differences| {
        let mut asked = 0;
        for out in 0..=255u8 {
            for opcode in TENSOR_SCALAR.into_iter().chain(COPY_CAST) {
                let ops = if is_bitvec(opcode) {
                    [[0x0A, 0x00], [0x10, 0x11], [0x03, 0x0C]]
                } else {
                    [[0x04, 0x06], [0x00, 0x00], [0x1D, 0x00]]
                };
                for ops in ops {
                    let mut word = base(opcode, 0x0A, ops);
                    (word[32], word[33]) = (first as u8, out);
                    asked += compare(&word, policy, differences);
                }
            }
            for opcode in SCALAR_TENSOR_TENSOR {
                let ops = if is_bitvec(opcode) { [0x0A, 0x0B] } else { [0x04, 0x06] };
                for (scalar, source) in [(0x0A, 0), (first as u8 & 15, 0), (0x06, 1), (out, 1), (0x0B, 2), (out, 0)] {
                    let mut word = base(opcode, 0x0A, ops);
                    (word[40], word[41], word[43], word[39]) = (first as u8, out, scalar, source);
                    asked += compare(&word, policy, differences);
                }
            }
        }
        asked
    });
    assert_eq!(asked, 256 * 256 * (6 * 3 + 3 * 6) * 15);
    assert!(differences.is_empty(), "{differences:#?}");
}

/// A legal word with a few fields set to values at the edges of what their rules allow.
fn aimed_word(random: &mut Random) -> [u8; 64] {
    let opcode = random.pick(&[0x43, 0x53, 0x44, 0x54, 0x9D, 0x9E, 0xE5, 0x46, 0x47]);
    let (dtype, ops) = if is_bitvec(opcode) {
        (random.pick(&[0x02, 0x05, 0x08, 0x09]), random.pick(&[[0x0A, 0x0C], [0x10, 0x11], [0x01, 0x00], [0x11, 0x10]]))
    } else {
        (random.pick(&[0x06, 0x08, 0x0A, 0x03]), random.pick(&[[0x04, 0x06], [0x05, 0x00], [0x1D, 0x00], [0xC4, 0xCF]]))
    };
    let mut word = base(opcode, dtype, ops);
    let (dims, starts, channels, sources, values): (usize, &[usize], usize, &[usize], &[usize]) = match opcode {
        0x9D | 0x9E | 0xE5 => (2, &[12, 24, 48], 42, &[39], &[60]),
        0x46 | 0x47 => (4, &[12, 44], 34, &[37], &[40]),
        _ => (3, &[16, 48], 34, &[35, 39], &[40, 44]),
    };
    word[channels] = random.pick(&[1, 31, 32, 33, 64, 65, 128]);
    for _ in 0..random.below(4) {
        let start = starts[random.below(starts.len())];
        match random.below(11) {
            0 | 1 => address(&mut word, start, edge_address(random)),
            2 => address(
                &mut word,
                start,
                random.next() as u32 & 0xE000_0000 | random.pick(&[0, 5, 63, 64, 0x100, 0x10_0000]),
            ),
            3 => halves(&mut word, start + 4 + 2 * dims + 2 * random.below(dims), &[random.pick(&[0, 1, 2, 4, 65535])]),
            4 => word[channels] = random.pick(&[0, 1, 32, 33, 64, 65, 128, 129, 255]),
            5 => {
                let index = random.below(sources.len());
                word[sources[index]] = random.pick(&[0, 1, 1, 2, 2, 3, 255]);
                address(
                    &mut word,
                    values[index],
                    random.pick(&[0, 2, 6, 63, 64, 0x101, 0x80_0000, 0x2000_0000, 0xFFFF]),
                );
            }
            6 => address(&mut word, values[random.below(values.len())], edge_address(random)),
            7 => word[random.pick(&[1, 4, 6])] = random.pick(&[0, 0x10, 0x11, 0x19, 0x91, 0xFF]),
            8 => word[random.pick(&[12, 13, 14, 15, 38, 39, 44, 45, 47])] = random.pick(&[0, 1, 2, 3, 4]),
            9 => word[random.pick(&[32, 33, 35, 36, 37, 40, 41, 43])] = random.next() as u8,
            _ => word[random.pick(&[32, 33, 40, 41, 43])] = random.pick(&[0, 0x0A, 0x0B, 0x08, 0xAA, 0x0C, 0x10]),
        }
    }
    word
}

fn edge_address(random: &mut Random) -> u32 {
    let base = random.pick(&[
        0, 0x3_8000, 0x4_0000, 0x80_0000, 0x100_0000, 0x1FF_FFF8, 0x200_0000, 0x210_0000, 0x240_0000, 0x7FF_FFF8,
        0x800_0000,
    ]);
    base + random.pick(&[0, 1, 2, 4, 6, 8])
}

#[test]
fn both_readings_agree_on_random_words_aimed_at_the_edges() {
    let seed = support::seed();
    let mut random = Random::new(seed);
    let policy = Policy::default();
    let mut failing = BTreeMap::<Option<&str>, u64>::new();
    for case in 0..600_000u64 {
        let word = aimed_word(&mut random);
        let (generation, engine) = (random.below(5), random.below(3));
        let says = product(&word, generation, engine, &policy);
        let naive = naive::first_failed(&word, GENERATIONS[generation].1, ENGINES[engine].1);
        assert_eq!(
            says,
            naive,
            "case {case} of seed {seed} (rerun with VQ7_SEED={seed}): {} on {} for {:?}",
            Word(word),
            GENERATIONS[generation].0,
            ENGINES[engine].0
        );
        *failing.entry(says).or_default() += 1;
    }
    let expected = [
        "check_active_channels",
        "check_m3d_active_channels",
        "has_s2s2d2_stt_reserved_zero",
        "has_valid_active_channel_range",
        "has_valid_neuron_events",
        "has_valid_neuron_header",
        "has_valid_s2s2d2_stt_accum_cmd",
        "has_valid_s2s2d2_stt_immediate",
        "has_valid_scalar_tensor_tensor_dtypes",
        "has_valid_scalar_tensor_tensor_op",
        "has_valid_tensor_tensor_scan_op",
        "has_zero_accum_cmd",
        "has_zero_accum_cmd_field",
        "has_zero_negated_field",
        "is_valid_dtype",
        "is_valid_enum",
        "is_zero_subdim",
        "kernel_info_table",
        "mask_enable_zero",
        "mem3d_valid",
        "pool_tensors_in_sbuf",
        "s2s2d2_stt_dst_element_cnt_check",
        "s2s2d2_stt_imm0_dtype",
        "s2s2d2_stt_src_dst_dtype",
        "s2s2d2_stt_src_element_cnt_check",
        "s3d3_ts_reserved_zero",
        "s4d4_tr_op_bypass",
        "s4d4_tr_reserved_zero",
        "s4d4_tr_same_src_dst_count",
        "s4d4_tr_same_src_dst_type",
        "start_addr_active_channels",
        "tensor2d_valid",
        "tensor3d_valid",
        "tensor4d_valid",
        "tensor_scalar_immediates_check",
        "tensor_scalar_ptr_imm_src",
        "tensor_scalar_ptr_immediates",
        "tensor_scalar_reverse_chk",
        "tensor_scalar_shift_chk",
        "tensor_scalar_tensor_chk",
        "tensor_scalar_valid_ops",
        "tensor_scalar_valid_types",
        "tt_valid_partitions",
    ];
    let reached: Vec<_> = failing.keys().copied().collect();
    let all: Vec<_> = [None].into_iter().chain(expected.map(Some)).collect();
    assert_eq!(reached, all, "every rule fails some word, and none is unknown: {failing:?}");
}

/// One planted fault of each kind on the product's side: the comparison must see it.
#[test]
fn planted_faults_are_seen() {
    type Fault = (&'static str, fn(&mut [u8; 64]));
    let faults: [Fault; 6] = [
        ("the second op may run alone", |word| {
            if matches!(word[0], 0x43 | 0x53) && word[36] == 0 {
                word[37] = 0
            }
        }),
        ("CRC32 is no bitvec op of 0x53", |word| {
            if word[0] == 0x53 && word[36] == 0x1C {
                word[36] = 0x99
            }
        }),
        ("a copy that converts", |word| {
            if word[0] == 0x46 {
                word[0] = 0x47
            }
        }),
        ("an order of operands that is none", |word| word[38] &= 3),
        ("a pointer that is not aligned", |word| {
            if word[0] == 0x44 {
                word[40] &= !3
            }
        }),
        ("a scan that accumulates", |word| {
            if word[0] == 0xE5 {
                word[44] = 0
            }
        }),
    ];
    let policy = Policy::default();
    for (name, fault) in faults {
        let mut random = Random::new(3);
        let seen = (0..200_000).any(|_| {
            let word = aimed_word(&mut random);
            let mut twisted = word;
            if random.below(2) == 0 {
                (twisted[36], twisted[37]) = (random.pick(&[0, 0x1C]), random.pick(&[0, 4]));
            }
            let asked = twisted;
            fault(&mut twisted);
            naive::first_failed(&asked, Gen::Cayman, NaiveEngine::Any) != product(&twisted, 1, 0, &policy)
        });
        assert!(seen, "the comparison does not see this fault: {name}");
    }
}

#[test]
fn reading_and_writing_a_word_loses_no_bit_and_puts_fields_where_the_page_has_them() {
    let mut random = Random::new(support::seed());
    for opcode in [0x43, 0x53, 0x44, 0x54, 0x9D, 0x9E, 0xE5, 0x46, 0x47] {
        for _ in 0..500 {
            let mut word = Word(std::array::from_fn(|_| random.next() as u8));
            word.0[0] = opcode;
            assert_eq!(Instruction::decode(&word).encode(), word);
        }
    }
    let counting = |opcode| {
        let mut bytes: [u8; 64] = std::array::from_fn(|at| at as u8);
        bytes[0] = opcode;
        Instruction::decode(&Word(bytes))
    };
    let Instruction::TensorScalar(ts) = counting(0x43) else { panic!() };
    assert_eq!(
        [
            ts.accumulator,
            ts.in_dtype,
            ts.out_dtype,
            ts.num_active_channels,
            ts.imm0.src,
            ts.op0,
            ts.op1,
            ts.reverse,
            ts.imm1.src
        ],
        [12, 32, 33, 34, 35, 36, 37, 38, 39]
    );
    assert_eq!(
        [ts.src.start.0, ts.dst.start.0, ts.imm0.bits, ts.imm1.bits],
        [0x1312_1110, 0x3332_3130, 0x2B2A_2928, 0x2F2E_2D2C]
    );
    let Instruction::ScalarTensorTensor(stt) = counting(0x9D) else { panic!() };
    assert_eq!(
        [
            stt.op0,
            stt.op1,
            stt.reverse,
            stt.imm0.src,
            stt.src0_dtype,
            stt.src1_dtype,
            stt.out_dtype,
            stt.num_active_channels,
            stt.imm0_dtype,
            stt.accumulator
        ],
        [36, 37, 38, 39, 8, 2, 41, 42, 43, 44]
    );
    assert_eq!(
        [stt.src0.start.0, stt.src1.start.0, stt.dst.start.0, stt.imm0.bits],
        [0x0F0E_0D0C, 0x1B1A_1918, 0x3332_3130, 0x3F3E_3D3C]
    );
    let Instruction::CopyCast(tr) = counting(0x46) else { panic!() };
    assert_eq!(
        [tr.in_dtype, tr.out_dtype, tr.num_active_channels, tr.negated, tr.op, tr.op_dim, tr.mask_enable],
        [32, 33, 34, 35, 36, 37, 38]
    );
    assert_eq!([tr.src.start.0, tr.dst.start.0], [0x0F0E_0D0C, 0x2F2E_2D2C]);
}

#[test]
fn verdicts_of_single_words() {
    let policy = Policy::default();
    let verdict = |opcode, dtype, ops, changes: &[(usize, u8)], generation| {
        let mut word = base(opcode, dtype, ops);
        changes.iter().for_each(|&(at, byte)| word[at] = byte);
        let bench = Bench { generation, engine: Engine::Any, policy: &policy };
        let judgement = judge(&Instruction::decode(&Word(word)), &bench);
        (judgement.status, judgement.first_failed, judgement.engines.pool, judgement.engines.dve)
    };
    use Generation::{Cayman, Mariana, Maverick, Sunda};
    let legal = |pool| (Status::Legal, None, pool, true);
    let illegal = |rule| (Status::Illegal, Some(rule), false, false);
    assert_eq!(verdict(0x43, 0x0A, [4, 6], &[], Cayman), legal(false));
    assert_eq!(verdict(0x43, 0x0A, [4, 6], &[], Sunda), legal(true), "SUNDA's POOL has a row");
    assert_eq!(verdict(0x53, 0x08, [0x0A, 0], &[], Sunda), legal(false));
    assert_eq!(verdict(0x46, 0x08, [0, 0], &[], Cayman), legal(true));
    assert_eq!(verdict(0x43, 0x0A, [0, 6], &[], Cayman), illegal("tensor_scalar_valid_ops"));
    assert_eq!(verdict(0x43, 0x0A, [0x1A, 0], &[], Cayman), illegal("tensor_scalar_valid_ops"), "POW");
    assert_eq!(verdict(0x43, 0x0A, [0x1D, 0], &[], Cayman), legal(false), "RSQRT alone");
    assert_eq!(verdict(0x43, 0x0A, [0x1D, 0], &[(40, 1)], Cayman), illegal("tensor_scalar_valid_ops"));
    assert_eq!(verdict(0x43, 0x0A, [0x22, 0], &[], Cayman), illegal("tensor_scalar_valid_ops"), "RE_LU is younger");
    assert_eq!(verdict(0x43, 0x0A, [0x22, 0], &[], Mariana), legal(false));
    assert_eq!(verdict(0x43, 0x08, [0xC4, 0], &[], Mariana), illegal("tensor_scalar_valid_ops"));
    assert_eq!(verdict(0x43, 0x08, [0xC4, 0], &[], Maverick).0, Status::Unspecified);
    assert_eq!(
        verdict(0x53, 0x08, [0x1C, 0], &[], Cayman).0,
        Status::Unspecified,
        "CRC32 is admitted, its parameters are not known"
    );
    assert_eq!(verdict(0x53, 0x0A, [0x0A, 0], &[], Cayman), illegal("tensor_scalar_valid_types"));
    assert_eq!(verdict(0x53, 0x05, [0x10, 0x11], &[], Cayman), illegal("tensor_scalar_shift_chk"));
    assert_eq!(verdict(0x53, 0x05, [0x11, 0x10], &[], Cayman), legal(false));
    assert_eq!(verdict(0x53, 0x04, [0x03, 0], &[], Cayman), illegal("tensor_scalar_shift_chk"));
    assert_eq!(verdict(0x53, 0x03, [0x0A, 0], &[(41, 1)], Cayman), illegal("tensor_scalar_immediates_check"));
    assert_eq!(verdict(0x43, 0x0A, [4, 0], &[(38, 4)], Cayman), illegal("tensor_scalar_reverse_chk"));
    assert_eq!(verdict(0x43, 0x0A, [4, 0], &[(12, 2)], Cayman), illegal("has_zero_accum_cmd_field"));
    assert_eq!(
        verdict(0x43, 0x0A, [5, 0], &[(38, 3)], Cayman),
        legal(false),
        "BYPASS keeps op0's result in either order"
    );
    assert_eq!(verdict(0x43, 0x0A, [0x19, 4], &[(38, 1)], Cayman).0, Status::Unspecified, "whose absolute value?");
    assert_eq!(verdict(0x44, 0x0A, [4, 0], &[(35, 1)], Cayman), illegal("tensor_scalar_ptr_imm_src"));
    assert_eq!(verdict(0x44, 0x0A, [4, 0], &[(40, 2)], Cayman), illegal("tensor_scalar_ptr_immediates"));
    assert_eq!(verdict(0x9D, 0x0A, [0, 4], &[], Cayman), legal(false), "no rule against BYPASS first");
    assert_eq!(verdict(0x9D, 0x0A, [4, 4], &[(44, 2)], Cayman).0, Status::Unspecified);
    assert_eq!(verdict(0x9D, 0x0A, [4, 4], &[(44, 1)], Cayman), illegal("has_valid_s2s2d2_stt_accum_cmd"));
    assert_eq!(verdict(0xE5, 0x0A, [4, 4], &[(44, 2)], Cayman), illegal("has_zero_accum_cmd"));
    assert_eq!(verdict(0x9D, 0x0A, [4, 4], &[(43, 6)], Cayman), illegal("s2s2d2_stt_imm0_dtype"));
    assert_eq!(verdict(0x9E, 0x08, [0x0A, 0x1C], &[], Cayman), illegal("has_valid_scalar_tensor_tensor_op"));
    assert_eq!(verdict(0x46, 0x08, [0, 0], &[(33, 9)], Cayman), illegal("s4d4_tr_same_src_dst_type"));
    assert_eq!(verdict(0x47, 0x08, [0, 0], &[(33, 9)], Cayman), legal(true));
    assert_eq!(verdict(0x47, 0x08, [0, 0], &[(36, 4)], Cayman), illegal("s4d4_tr_op_bypass"));
    assert_eq!(verdict(0x47, 0x08, [0, 0], &[(37, 1)], Cayman), illegal("is_zero_subdim"));
    assert_eq!(verdict(0x47, 0x08, [0, 0], &[(15, 0x20)], Cayman).0, Status::NotJudged, "indirect");
    let bench = Bench { generation: Cayman, engine: Engine::Any, policy: &policy };
    let long = explain(&Instruction::decode(&Word(base(0x43, 0x0A, [0, 6]))), &bench);
    let headline = long.headline().unwrap();
    assert!(headline.saw().contains("op1 (byte 37)"), "{}", headline.saw());
}
