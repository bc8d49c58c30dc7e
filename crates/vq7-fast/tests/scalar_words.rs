//! Random legal words of the scalar forms, with strided, reversed, repeated, overlapping and in-place operands, scalars in the
//! word and in memory, under random policies: `fast` on every level against the reference, in memory and in faults.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use support::engine::judge_word;
use support::{Random, patterns, random_policy, seed, within};
use vq7_engine::{Executor, Machine};
use vq7_fast::{Fast, Level};
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::{Immediate, S2s2d2Stt, S3d3Ts, S4d4Tr};
use vq7_isa::legality::{Bench, Engine, Status};
use vq7_isa::pattern::Pattern;
use vq7_isa::{AluOp, Dtype, Generation, Instruction, Word};

/// Bytes at the start of each touched partition that words play in.
const ARENA: u32 = 6144;
const OPCODES: [u8; 9] = [0x43, 0x53, 0x44, 0x54, 0x9D, 0x9E, 0xE5, 0x46, 0x47];

fn is_bitvec(opcode: u8) -> bool {
    matches!(opcode, 0x53 | 0x54 | 0x9E)
}

struct Place {
    start: u32,
    stride: u32,
}

fn operand<const N: usize>(random: &mut Random, counts: [u16; 4], size: u32, place: &Place) -> Pattern<N> {
    let [n0, n1, n2, n3] = counts;
    let total = counts.iter().map(|&n| u32::from(n)).product::<u32>();
    let shapes: [[u16; 4]; 4] = [counts, [total as u16, 1, 1, 1], [n0, n1 * n2 * n3, 1, 1], [n1, n0, n3 * n2, 1]];
    let num = random.pick(&shapes);
    let fits = num.iter().skip(N).all(|&n| n == 1);
    let num = if fits { num } else { [total as u16, 1, 1, 1] };
    let [m0, m1, m2, _] = num.map(|n| n as i16);
    let mut first = random.below(8) as u32 * 96 * size;
    let step = match random.below(7) {
        0..=2 => [1, m0, m0 * m1, m0 * m1 * m2],
        3 => [2, m0 * 2, 1, 3],
        4 => [-1, -m0, -m0 * m1, -m0 * m1 * m2],
        5 => [0, 1, 0, 2],
        _ => [m1, 1, m0 * m1, m0 * m1 * m2],
    };
    if step[0] < 0 {
        first += (total - 1) * size;
    }
    let pattern = Pattern { start: Addr4(place.start * place.stride + first), step, num };
    pattern.resized()
}

fn immediate(random: &mut Random, opcode: u8, bits: u32, size: u32, place: &Place) -> Immediate {
    let pointers = matches!(opcode, 0x44 | 0x54);
    let address = place.start * place.stride + size * random.below(16) as u32;
    if pointers {
        return Immediate { src: 0, bits: address };
    }
    match random.below(3) {
        0 => Immediate { src: 1, bits: address },
        1 if random.chance(3) => Immediate { src: 2, bits: 5 },
        _ => Immediate { src: 0, bits: patterns(random, 1)[0] as u32 & bits },
    }
}

fn candidate(random: &mut Random, start: u32, generation: Generation) -> Word {
    let opcode = random.pick(&OPCODES);
    let all: Vec<Dtype> = Dtype::tensor_tensor().filter(|dtype| dtype.bits() < 64).collect();
    let ints: Vec<Dtype> = all.iter().copied().filter(|dtype| dtype.is_int()).collect();
    let bits = is_bitvec(opcode);
    let dtype = random.pick(if bits { &ints } else { &all });
    let same = bits || random.chance(2);
    let other = |random: &mut Random| if same { dtype } else { random.pick(&all) };
    let (second, out) = (other(random), other(random));
    let ops: Vec<AluOp> = AluOp::ALL
        .iter()
        .copied()
        .filter(|op| if bits { op.is_general_bitvec() } else { op.is_general_arith() || *op == AluOp::Rsqrt })
        .collect();
    let (op0, mut op1) = (random.pick(&ops), random.pick(&ops));
    if random.chance(3) {
        op1 = AluOp::Bypass;
    }
    let counts = random.pick(&[[1, 1, 1, 1], [3, 1, 1, 1], [700, 1, 1, 1], [7, 5, 3, 1], [64, 4, 1, 1], [5, 4, 3, 6]]);
    let counts = if matches!(opcode, 0x9D | 0x9E | 0xE5) {
        random.pick(&[[9, 1, 1, 1], [600, 1, 1, 1], [31, 8, 1, 1]])
    } else {
        counts
    };
    let place = Place { start, stride: generation.geometry().sbuf_stride };
    let header = Header::new(opcode);
    let events = Events::default();
    let num_active_channels = random.pick(&[1, 2, 17, 32]);
    let reverse = random.below(4) as u8;
    let lsize = dtype.bytes();
    let behind = if random.chance(4) { 0 } else { ARENA / 2 };
    match opcode {
        0x46 | 0x47 => {
            let src = operand::<4>(random, counts, lsize, &place);
            let mut dst = operand::<4>(random, counts, out.bytes(), &place);
            dst.start.0 += behind;
            if random.chance(5) {
                dst = src;
            }
            S4d4Tr {
                header,
                events,
                src,
                in_dtype: dtype.code(),
                out_dtype: if opcode == 0x46 { dtype } else { out }.code(),
                num_active_channels,
                negated: 0,
                op: 0,
                op_dim: random.pick(&[0, 2]),
                mask_enable: 0,
                reserved: [0; 5],
                dst,
            }
            .encode()
        }
        0x9D | 0x9E | 0xE5 => {
            let scalar =
                if bits { dtype } else { random.pick(&[Dtype::Fp32, Dtype::Fp32, Dtype::Bfloat16, Dtype::Int16]) };
            let imm0 = immediate(random, opcode, u32::MAX, scalar.bytes(), &place);
            let (src0, src1) =
                (operand::<2>(random, counts, lsize, &place), operand::<2>(random, counts, second.bytes(), &place));
            let mut dst = operand::<2>(random, counts, out.bytes(), &place);
            dst.start.0 += behind;
            if random.chance(5) {
                dst = src1;
            }
            S2s2d2Stt {
                header,
                events,
                src0,
                src1,
                op0: op0.code(),
                op1: op1.code(),
                reverse,
                src0_dtype: dtype.code(),
                src1_dtype: second.code(),
                out_dtype: out.code(),
                num_active_channels,
                imm0_dtype: scalar.code(),
                accumulator: 0,
                reserved: [0; 3],
                dst,
                imm0,
            }
            .encode()
        }
        _ => {
            let (mask, size) = if bits { (u32::MAX >> (32 - dtype.bits()), lsize) } else { (u32::MAX, 4) };
            let (mut imm0, mut imm1) =
                (immediate(random, opcode, mask, size, &place), immediate(random, opcode, mask, size, &place));
            if op0 == AluOp::Rsqrt {
                (imm0, imm1) = (Immediate { src: 0, bits: 0 }, Immediate { src: 0, bits: 0 });
            }
            let src = operand::<3>(random, [counts[0], counts[1], counts[2], 1], lsize, &place);
            let mut dst = operand::<3>(random, [counts[0], counts[1], counts[2], 1], out.bytes(), &place);
            dst.start.0 += behind;
            if random.chance(5) {
                dst = src;
            }
            S3d3Ts {
                header,
                events,
                accumulator: 0,
                reserved: [0; 3],
                src,
                in_dtype: dtype.code(),
                out_dtype: out.code(),
                num_active_channels,
                op0: op0.code(),
                op1: op1.code(),
                reverse,
                imm0,
                imm1,
                dst,
            }
            .encode()
        }
    }
}

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

#[test]
fn random_words_leave_the_same_memory() {
    let seed = seed();
    println!("VQ7_SEED={seed} cargo test -p vq7-fast --test scalar_words random_words");
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
        let allow_uninit = random.chance(3);
        let start = random.pick(&[0, 0, 0, 32]);
        for machine in &mut machines {
            machine.allow_uninit = allow_uninit;
            machine.registers.set_address(5, start * generation.geometry().sbuf_stride + 64).expect("an address");
        }
        fill(&mut random, &mut machines);
        for _ in 0..25 {
            let word = (0..200)
                .map(|_| candidate(&mut random, start, generation))
                .find(|word| judge_word(word, &bench).status == Status::Legal);
            let Some(word) = word else { continue };
            let instruction = Instruction::decode(&word);
            let outcomes: Vec<_> = machines.iter_mut().map(|machine| machine.execute(&instruction)).collect();
            let expected = &outcomes[0];
            let text = || vq7_isa::text::print_word(&word);
            for outcome in &outcomes[1..] {
                match (expected, outcome) {
                    (Err(expected), Err(fault)) => assert_eq!(expected, fault, "{}", text()),
                    (Ok(exact), Ok(done)) => {
                        let bounded = within((exact.flags, &exact.basis), (done.flags, &done.basis));
                        assert!(bounded, "{}: {exact:?} is not within {done:?}", text());
                        assert_eq!(exact.warnings, done.warnings, "{}", text());
                        let why = done.path.declined.map_or("", |declined| declined.why);
                        *seen.entry((word.opcode(), done.path.executor, why)).or_insert(0) += 1;
                    }
                    _ => panic!("{}: {expected:?} and {outcome:?}", text()),
                }
            }
            let (first, others) = machines.split_first().expect("there is the reference");
            for partition in 0..128 {
                let Some(row) = first.memory.row(Memory::Sbuf, partition) else { continue };
                for other in others {
                    let have = other.memory.row(Memory::Sbuf, partition).expect("the same rows");
                    assert_eq!(row.written, have.written, "{}", text());
                    let (expected, have) = (&row.bytes()[..3 * ARENA as usize], &have.bytes()[..3 * ARENA as usize]);
                    if let Some(at) = expected.iter().zip(have).position(|(a, b)| a != b) {
                        let (is, should) = (have[at], expected[at]);
                        let changed = policy.changed();
                        panic!(
                            "{}\npartition {partition}, byte {at:#x}: {is:#x}, not {should:#x}; {changed:?}",
                            text()
                        );
                    }
                }
            }
        }
    }
    println!("{seen:#?}");
    for opcode in OPCODES {
        let at_least = |executor: &str, n: usize| {
            let ran = seen.iter().filter(|((code, by, _), _)| *code == opcode && *by == executor);
            ran.map(|(_, count)| count).sum::<usize>() >= n
        };
        assert!(opcode == 0xE5 || at_least("fast", 10), "{opcode:#x}: {seen:#?}");
        assert!(at_least("reference", 5), "{opcode:#x}: {seen:#?}");
    }
}
