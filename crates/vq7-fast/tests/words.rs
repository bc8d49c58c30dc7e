//! Random legal words of every opcode, with strided, reversed, repeated, overlapping and in-place operands, under random
//! policies: `fast` on every level against the reference, in memory, in what is noted as written, and in faults.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use support::engine::{judge_word, word};
use support::{Random, patterns, random_policy, seed, within};
use vq7_engine::{Executor, Machine, Warning};
use vq7_fast::{Fast, Level};
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::inst::ExtendedTta;
use vq7_isa::legality::{Bench, Engine, Status};
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Instruction, Word};
use vq7_num::Coefficients;

/// Bytes at the start of each touched partition that words play in.
const ARENA: u32 = 6144;
const OPCODES: [u8; 10] = [0x41, 0x41, 0x41, 0x51, 0x51, 0x72, 0x99, 0x65, 0x8A, 0xF0];

fn dtypes(random: &mut Random, opcode: u8) -> [Dtype; 3] {
    let all: Vec<Dtype> = Dtype::tensor_tensor().collect();
    let ints: Vec<Dtype> = all.iter().copied().filter(|dtype| dtype.is_int()).collect();
    match (opcode, random.below(4)) {
        (0x8A, _) => [Dtype::Bfloat16, Dtype::Bfloat16, random.pick(&all)],
        (0x51, 0) => [Dtype::Int64, Dtype::Uint32, Dtype::Int64],
        (0x51, _) | (0x41, 0) => [random.pick(&ints); 3],
        (0x72, _) => {
            let data = random.pick(&all);
            [random.pick(&ints), data, data]
        }
        (0x99, _) => [random.pick(&ints), random.pick(&all), random.pick(&all)],
        (_, 1) => [random.pick(&all); 3],
        _ => [(); 3].map(|()| random.pick(&all)),
    }
}

fn op(random: &mut Random, opcode: u8) -> AluOp {
    match opcode {
        0x72 | 0x99 | 0x65 => AluOp::Bypass,
        0x8A => AluOp::Add,
        0xF0 => random.pick(&[AluOp::Add, AluOp::Mult]),
        _ => random.pick(AluOp::ALL),
    }
}

fn candidate(random: &mut Random, start: u32, generation: Generation) -> Word {
    let opcode = random.pick(&OPCODES);
    let dtypes = dtypes(random, opcode);
    let mut counts = random.pick(&[[1, 1, 1], [3, 1, 1], [700, 1, 1], [7, 5, 3], [64, 4, 1], [130, 5, 1], [2, 90, 2]]);
    if opcode == 0x8A {
        counts[0] = 2;
    }
    if opcode == 0xF0 {
        counts[2] = 1;
    }
    let [n0, n1, n2] = counts;
    let shapes = [counts, counts, [n0 * n1 * n2, 1, 1], [n0, n1 * n2, 1], [n1, n0, n2]];
    let operand = |dtype: Dtype, random: &mut Random| {
        let [n0, n1, n2] = if matches!(opcode, 0x8A | 0xF0) { counts } else { random.pick(&shapes) };
        let (n0s, n1s) = (n0 as i16, n1 as i16);
        let mut step = match random.below(8) {
            0..=2 => [1, n0s, n0s * n1s],
            3 => [random.pick(&[2, 3]), n0s, 1],
            4 => [-1, -n0s, -n0s * n1s],
            5 => [0, random.pick(&[0, 1]), 0],
            6 => [n1s, 1, n0s * n1s],
            _ => [1, n0s + 3, 2],
        };
        let size = dtype.bytes();
        let mut first = random.below(8) as u32 * 96 * size;
        if opcode == 0x8A {
            step = [1, 2 * random.below(3) as i16, 2];
            first &= !3;
        }
        if step[0] < 0 {
            first += (u32::from(n0) * u32::from(n1) * u32::from(n2) - 1) * size;
        }
        let stride = generation.geometry().sbuf_stride;
        Tensor3d { start: Addr4(start * stride + first), step, num: [n0, n1, n2] }
    };
    let (src0, src1, mut dst) = (operand(dtypes[0], random), operand(dtypes[1], random), operand(dtypes[2], random));
    match random.below(6) {
        0 => dst.start = src0.start,
        1 => dst.start = Addr4(src1.start.0.wrapping_add(dtypes[2].bytes())),
        // Behind everything, so that nothing overlaps.
        2..=4 => dst.start = Addr4(dst.start.0 + ARENA / 2),
        _ => {}
    }
    if random.chance(3) {
        (dst.step, dst.num) = (src0.step, src0.num);
    }
    if opcode == 0xF0 {
        let bytes = word(0xF0, AluOp::Add, dtypes, 0, [src0, src1, dst]);
        return ExtendedTta {
            header: bytes.header,
            events: bytes.events,
            completion_info: ExtendedTta::COMPLETION | (random.below(3) as u8 + 1) << 3,
            src0_dtype: dtypes[0].code(),
            src1_dtype: dtypes[1].code(),
            out_dtype: dtypes[2].code(),
            op: op(random, opcode).code(),
            reserved: [0; 3],
            src0: src0.resized(),
            src1: src1.resized(),
            dst: dst.resized(),
            tail: [0; 8],
        }
        .encode();
    }
    word(opcode, op(random, opcode), dtypes, random.pick(&[1, 2, 17, 32]), [src0, src1, dst]).encode()
}

/// Fills the arenas of all partitions that words touch; one byte of a few is left out.
fn fill(random: &mut Random, machines: &mut [Machine]) {
    for partition in 0..64 {
        let bytes: Vec<u8> =
            patterns(random, ARENA as usize / 4).iter().flat_map(|v| (*v as u32).to_le_bytes()).collect();
        let end = if random.chance(200) { ARENA / 2 } else { ARENA };
        for machine in machines.iter_mut() {
            machine.memory.write(Memory::Sbuf, partition, 0, &bytes[..end as usize]).expect("inside the partition");
        }
    }
}

fn coefficients(random: &mut Random) -> Vec<Coefficients> {
    let mut number = || patterns(random, 1)[0] as u32;
    let mut one =
        || Coefficients { gamma: number(), inv_std: number(), n: number(), d_beta: number(), d_gamma: number() };
    (0..128).map(|_| one()).collect()
}

#[test]
fn random_words_leave_the_same_memory() {
    let seed = seed();
    println!("VQ7_SEED={seed} cargo test -p vq7-fast --test words random_words");
    let mut random = Random(seed);
    let mut seen: BTreeMap<(u8, &str, &str), usize> = BTreeMap::new();
    for _ in 0..60 {
        let generation = random.pick(&Generation::ALL);
        let policy = random_policy(&mut random);
        let bench = Bench { generation, engine: Engine::Any, policy: &policy };
        let mut machines: Vec<Machine> = vec![Machine::new(generation, Engine::Any, policy)];
        for level in Level::available() {
            let executor: Arc<dyn Executor> = Arc::new(Fast::new(level, 2));
            machines.push(Machine::new(generation, Engine::Any, policy).with_executor(executor));
        }
        let (of_channels, allow_uninit) = (coefficients(&mut random), random.chance(3));
        for machine in &mut machines {
            machine.coefficients.clone_from(&of_channels);
            machine.allow_uninit = allow_uninit;
        }
        fill(&mut random, &mut machines);
        for _ in 0..25 {
            let start = random.pick(&[0, 0, 0, 32]);
            let word = (0..200)
                .map(|_| candidate(&mut random, start, generation))
                .find(|word| judge_word(word, &bench).status == Status::Legal);
            let Some(word) = word else { continue };
            let instruction = Instruction::decode(&word);
            let outcomes: Vec<_> = machines.iter_mut().map(|machine| machine.execute(&instruction)).collect();
            let expected = &outcomes[0];
            for outcome in &outcomes[1..] {
                let text = || vq7_isa::text::print_word(&word);
                match (expected, outcome) {
                    (Err(expected), Err(fault)) => assert_eq!(expected, fault, "{}", text()),
                    (Ok(exact), Ok(done)) => {
                        let bounded = within((exact.flags, &exact.basis), (done.flags, &done.basis));
                        assert!(bounded, "{}: {exact:?} is not within {done:?}", text());
                        assert_eq!(exact.warnings, done.warnings, "{}", text());
                        let why = done.path.declined.map_or("", |declined| declined.why);
                        *seen.entry((word.opcode(), done.path.executor, why)).or_insert(0) += 1;
                        let overlaps = |w: &Warning| matches!(w, Warning::Overlap { .. });
                        assert!(!done.warnings.iter().any(overlaps) || done.path.executor == "reference");
                    }
                    _ => panic!("{}: {expected:?} and {outcome:?}", text()),
                }
            }
            let (first, others) = machines.split_first().expect("there is the reference");
            for partition in 0..128 {
                let Some(row) = first.memory.row(Memory::Sbuf, partition) else { continue };
                for other in others {
                    let have = other.memory.row(Memory::Sbuf, partition).expect("the same rows");
                    assert_eq!(row.written, have.written, "{}", vq7_isa::text::print_word(&word));
                    let (expected, have) = (&row.bytes()[..2 * ARENA as usize], &have.bytes()[..2 * ARENA as usize]);
                    if let Some(at) = expected.iter().zip(have).position(|(a, b)| a != b) {
                        let text = vq7_isa::text::print_word(&word);
                        panic!(
                            "{text}\npartition {partition}, byte {at:#x}: {:#x}, not {:#x}; policy {:?}",
                            have[at],
                            expected[at],
                            policy.changed()
                        );
                    }
                }
            }
        }
    }
    println!("{seen:#?}");
    for opcode in [0x41, 0x51, 0x72, 0x99, 0x65, 0x8A, 0xF0] {
        assert!(seen.get(&(opcode, "fast", "")).is_some_and(|&n| n >= 10), "{opcode:#x}: {seen:#?}");
    }
}
