//! The scalar forms in the reference: against two tensor-tensor words, and values worked out by hand from the spec page.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod support;

use support::{Random, machine, word};
use vq7_engine::{Fault, Machine, Operand};
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::{Immediate, S2s2d2Stt, S3d3Ts, S4d4Tr};
use vq7_isa::legality::Engine;
use vq7_isa::pattern::{Pattern, Tensor3d};
use vq7_isa::{AluOp, Dtype, Generation, Instruction};
use vq7_policy::{Confidence, Policy};

/// Elements of each operand.
const N: u16 = 24;
const SRC0: u32 = 0x000;
const SRC1: u32 = 0x400;
const S0: u32 = 0x800;
const S1: u32 = 0xC00;
const MIDDLE: u32 = 0x1000;
const DST: u32 = 0x1400;
const EXPECTED: u32 = 0x1800;

fn row<const D: usize>(address: u32, n: u16) -> Pattern<D> {
    Pattern { start: Addr4(address), step: [n as i16; 4], num: [n, 1, 1, 1] }.resized::<D>()
}

fn along<const D: usize>(address: u32, n: u16) -> Pattern<D> {
    let mut pattern = row::<D>(address, n);
    pattern.step[0] = 1;
    pattern
}

/// One element, read over and over.
fn still(address: u32, n: u16) -> Tensor3d {
    let mut pattern = row::<3>(address, n);
    pattern.step[0] = 0;
    pattern
}

fn inline(bits: u32) -> Immediate {
    Immediate { src: 0, bits }
}

fn tensor_scalar(
    opcode: u8,
    [input, out]: [Dtype; 2],
    ops: [AluOp; 2],
    scalars: [Immediate; 2],
    reverse: u8,
) -> S3d3Ts {
    S3d3Ts {
        header: Header::new(opcode),
        events: Events::default(),
        accumulator: 0,
        reserved: [0; 3],
        src: along(SRC0, N),
        in_dtype: input.code(),
        out_dtype: out.code(),
        num_active_channels: 2,
        op0: ops[0].code(),
        op1: ops[1].code(),
        reverse,
        imm0: scalars[0],
        imm1: scalars[1],
        dst: along(DST, N),
    }
}

fn scalar_tensor_tensor(opcode: u8, dtypes: [Dtype; 4], ops: [AluOp; 2], imm0: Immediate, reverse: u8) -> S2s2d2Stt {
    let [src0, src1, scalar, out] = dtypes;
    S2s2d2Stt {
        header: Header::new(opcode),
        events: Events::default(),
        src0: along(SRC0, N),
        src1: along(SRC1, N),
        op0: ops[0].code(),
        op1: ops[1].code(),
        reverse,
        src0_dtype: src0.code(),
        src1_dtype: src1.code(),
        out_dtype: out.code(),
        num_active_channels: 2,
        imm0_dtype: scalar.code(),
        accumulator: 0,
        reserved: [0; 3],
        dst: along(DST, N),
        imm0,
    }
}

fn put(machine: &mut Machine, partition: u32, offset: u32, bytes: &[u8]) {
    machine.memory.write(Memory::Sbuf, partition, offset, bytes).unwrap();
}

fn get(machine: &Machine, partition: u32, offset: u32, size: u32) -> Vec<u8> {
    machine.memory.read(Memory::Sbuf, partition, offset, usize::from(N) * size as usize).unwrap()
}

/// Random bit patterns everywhere, with zeros, ones and infinities among them.
fn fill(machine: &mut Machine, random: &mut Random) {
    for partition in 0..2 {
        let words: Vec<u8> = (0..0x1000 / 4)
            .flat_map(|_| {
                let special = random.pick(&[0, 0x3F80_0000, 0x7F80_0000, 0x8000_0000, 0x7FC0_0000, 1, 0xFFFF_FFFF]);
                let value = if random.chance(6) { special } else { random.next() as u32 };
                value.to_le_bytes()
            })
            .collect();
        put(machine, partition, 0, &words);
    }
}

/// The ops of a class that every generation has or one of them.
fn ops(bits: bool) -> Vec<AluOp> {
    let class = |op: &AluOp| if bits { op.is_general_bitvec() } else { op.is_general_arith() };
    AluOp::ALL.iter().copied().filter(class).collect()
}

/// Runs `src0 op src1` as a tensor-tensor word, `swapped` the other way round.
fn two(machine: &mut Machine, op: AluOp, operands: [(Dtype, Tensor3d); 2], out: (Dtype, Tensor3d), swapped: bool) {
    let [a, b] = if swapped { [operands[1], operands[0]] } else { operands };
    let opcode = if op.is_bitvec() && !op.is_arith() { 0x51 } else { 0x41 };
    let tt = word(opcode, op, [a.0, b.0, out.0], 2, [a.1, b.1, out.1]);
    machine.execute(&Instruction::TensorTensor(tt)).unwrap_or_else(|fault| panic!("{op}: {fault}"));
}

#[test]
fn a_tensor_scalar_word_is_two_tensor_tensor_words() {
    let seed = std::env::var("VQ7_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(11);
    println!("VQ7_SEED={seed} cargo test -p vq7-engine --test scalar_forms a_tensor_scalar");
    let mut random = Random(seed);
    let floats: Vec<Dtype> = Dtype::tensor_tensor().filter(|d| d.bits() < 64 && *d != Dtype::Fp32r).collect();
    let ints: Vec<Dtype> = floats.iter().copied().filter(|d| d.is_int()).collect();
    let mut ran = [0; 2];
    for _ in 0..1500 {
        let bits = random.chance(2);
        let generation = random.pick(&[Generation::Cayman, Generation::Mariana]);
        let mut m = Machine::new(generation, Engine::Any, Policy::default());
        fill(&mut m, &mut random);
        let input = random.pick(if bits { &ints } else { &floats });
        let (out, scalar) = if bits { (input, input) } else { (random.pick(&floats), Dtype::Fp32) };
        let (op0, op1, reverse) = (random.pick(&ops(bits)), random.pick(&ops(bits)), random.below(4) as u8);
        // Scalars in the word, by pointer, or by register, each of them also in memory for the two words.
        let value =
            |m: &Machine, at| u32::from_le_bytes(m.memory.read(Memory::Sbuf, 0, at, 4).unwrap().try_into().unwrap());
        let mut immediates = [S0, S1].map(|at| Immediate { src: 1, bits: at });
        m.registers.set_address(9, S0).unwrap();
        match random.below(3) {
            0 => {
                // The same value in both partitions.
                for (at, slot) in [S0, S1].into_iter().zip(&mut immediates) {
                    let bits = value(&m, at);
                    put(&mut m, 1, at, &bits.to_le_bytes());
                    *slot = inline(if input.bits() < 32 && scalar == input {
                        bits & ((1 << input.bits()) - 1)
                    } else {
                        bits
                    });
                }
            }
            1 => immediates[0] = Immediate { src: 2, bits: 9 },
            _ => {}
        }
        let opcode = if bits { 0x53 } else { 0x43 };
        let ts = tensor_scalar(opcode, [input, out], [op0, op1], immediates, reverse);
        let Ok(done) = m.execute(&Instruction::TensorScalar(ts)) else { continue };
        ran[usize::from(bits)] += 1;
        let have = [0, 1].map(|partition| get(&m, partition, DST, out.bytes()));
        let (t, s0, s1) = ((input, along(SRC0, N)), (scalar, still(S0, N)), (scalar, still(S1, N)));
        let expected = (out, along(EXPECTED, N));
        if op1 == AluOp::Bypass {
            two(&mut m, op0, [t, s0], expected, reverse & 1 != 0);
        } else {
            let middle = (if bits { input } else { Dtype::Fp32 }, along(MIDDLE, N));
            two(&mut m, op0, [t, s0], middle, reverse & 1 != 0);
            two(&mut m, op1, [middle, s1], expected, reverse & 2 != 0);
        }
        for (partition, have) in (0..).zip(&have) {
            assert_eq!(*have, get(&m, partition, EXPECTED, out.bytes()), "{ts:?} {done:?} (VQ7_SEED={seed})");
        }
    }
    assert!(ran.iter().all(|&n| n > 200), "{ran:?}");
}

#[test]
fn a_scalar_tensor_tensor_word_is_two_tensor_tensor_words() {
    let seed = std::env::var("VQ7_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(12);
    println!("VQ7_SEED={seed} cargo test -p vq7-engine --test scalar_forms a_scalar_tensor");
    let mut random = Random(seed);
    let floats: Vec<Dtype> = Dtype::tensor_tensor().filter(|d| d.bits() < 64 && *d != Dtype::Fp32r).collect();
    let ints: Vec<Dtype> = floats.iter().copied().filter(|d| d.is_int()).collect();
    let mut ran = [0; 2];
    for _ in 0..1500 {
        let bits = random.chance(2);
        let mut m = machine();
        fill(&mut m, &mut random);
        let first = random.pick(if bits { &ints } else { &floats });
        let mut other = || if bits { first } else { random.pick(&floats) };
        let (second, scalar, out) = (other(), other(), other());
        let (op0, op1, reverse) = (random.pick(&ops(bits)), random.pick(&ops(bits)), random.below(4) as u8);
        let opcode = if bits { 0x9E } else { 0x9D };
        let imm0 = Immediate { src: 1, bits: S0 };
        let stt = scalar_tensor_tensor(opcode, [first, second, scalar, out], [op0, op1], imm0, reverse);
        if m.execute(&Instruction::ScalarTensorTensor(stt)).is_err() {
            continue;
        }
        ran[usize::from(bits)] += 1;
        let have = [0, 1].map(|partition| get(&m, partition, DST, out.bytes()));
        let (a, s, b) = ((first, along(SRC0, N)), (scalar, still(S0, N)), (second, along(SRC1, N)));
        let expected = (out, along(EXPECTED, N));
        if op1 == AluOp::Bypass {
            two(&mut m, op0, [a, s], expected, reverse & 1 != 0);
        } else {
            let middle = (if bits { first } else { Dtype::Fp32 }, along(MIDDLE, N));
            two(&mut m, op0, [a, s], middle, reverse & 1 != 0);
            two(&mut m, op1, [middle, b], expected, reverse & 2 != 0);
        }
        for (partition, have) in (0..).zip(&have) {
            assert_eq!(*have, get(&m, partition, EXPECTED, out.bytes()), "{stt:?} (VQ7_SEED={seed})");
        }
    }
    assert!(ran.iter().all(|&n| n > 200), "{ran:?}");
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn read_floats(machine: &Machine, partition: u32, offset: u32, count: usize) -> Vec<f32> {
    let bytes = machine.memory.read(Memory::Sbuf, partition, offset, 4 * count).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

#[test]
fn the_four_orders_of_operands() {
    // t = 10, s0 = 3, s1 = 100, both ops SUBTRACT.
    for (reverse, expected) in [(0, -93.0), (1, -107.0), (2, 93.0), (3, 107.0)] {
        let mut m = machine();
        put(&mut m, 0, SRC0, &floats(&[10.0]));
        let scalars = [3.0f32, 100.0].map(|value| inline(value.to_bits()));
        let mut ts = tensor_scalar(0x43, [Dtype::Fp32; 2], [AluOp::Subtract; 2], scalars, reverse);
        (ts.src, ts.dst, ts.num_active_channels) = (along(SRC0, 1), along(DST, 1), 1);
        m.execute(&Instruction::TensorScalar(ts)).unwrap();
        assert_eq!(read_floats(&m, 0, DST, 1), [expected], "reverse {reverse}");
        // src1 instead of s1.
        put(&mut m, 0, SRC1, &floats(&[100.0]));
        let mut stt = scalar_tensor_tensor(0x9D, [Dtype::Fp32; 4], [AluOp::Subtract; 2], scalars[0], reverse);
        (stt.src0, stt.src1, stt.dst, stt.num_active_channels) = (along(SRC0, 1), along(SRC1, 1), along(DST, 1), 1);
        m.execute(&Instruction::ScalarTensorTensor(stt)).unwrap();
        assert_eq!(read_floats(&m, 0, DST, 1), [expected], "reverse {reverse}");
    }
}

#[test]
fn between_the_ops_stands_a_float32_and_not_the_out_dtype() {
    // 65504 * 2 overflows float16; as a float32 it comes back by the second op.
    let mut m = machine();
    put(&mut m, 0, SRC0, &0x7BFFu16.to_le_bytes());
    let scalars = [2.0f32, 0.5].map(|value| inline(value.to_bits()));
    let mut ts = tensor_scalar(0x43, [Dtype::Fp16; 2], [AluOp::Mult; 2], scalars, 0);
    (ts.src, ts.dst, ts.num_active_channels) = (along(SRC0, 1), along(DST, 1), 1);
    let done = m.execute(&Instruction::TensorScalar(ts)).unwrap();
    assert_eq!(m.memory.read(Memory::Sbuf, 0, DST, 2).unwrap(), 0x7BFFu16.to_le_bytes());
    assert_eq!(done.basis.confidence(), Confidence::Med, "{:?}", done.basis);
}

#[test]
fn a_pointer_is_one_value_per_partition() {
    let mut m = machine();
    for partition in 0..2 {
        put(&mut m, partition, SRC0, &floats(&[1.0, 2.0]));
        put(&mut m, partition, S0, &floats(&[10.0 * (partition + 1) as f32]));
    }
    let scalars = [Immediate { src: 1, bits: S0 }, inline(0)];
    let mut ts = tensor_scalar(0x43, [Dtype::Fp32; 2], [AluOp::Mult, AluOp::Bypass], scalars, 0);
    (ts.src, ts.dst) = (along(SRC0, 2), along(DST, 2));
    m.execute(&Instruction::TensorScalar(ts)).unwrap();
    assert_eq!([0, 1].map(|partition| read_floats(&m, partition, DST, 2)), [[10.0, 20.0], [20.0, 40.0]]);
    // 0x44 says pointer by its opcode, with the source bytes zero.
    ts.header.opcode = 0x44;
    ts.imm0.src = 0;
    ts.dst = along(EXPECTED, 2);
    let done = m.execute(&Instruction::TensorScalar(ts)).unwrap();
    assert_eq!(read_floats(&m, 1, EXPECTED, 2), [20.0, 40.0]);
    assert_eq!(
        (done.handler, &done.log.lines()[..]),
        ("DVE tensor-scalar arithmetic, pointer", &["S: Tensor-Scalar-PTR".to_owned()][..])
    );
}

#[test]
fn a_scalar_that_is_missing_is_named() {
    let mut m = machine();
    put(&mut m, 0, SRC0, &floats(&[1.0; 24]));
    put(&mut m, 1, SRC0, &floats(&[1.0; 24]));
    let run = |m: &mut Machine, imm0| {
        let ts = tensor_scalar(0x43, [Dtype::Fp32; 2], [AluOp::Add, AluOp::Bypass], [imm0, inline(0)], 0);
        m.execute(&Instruction::TensorScalar(ts)).unwrap_err()
    };
    let fault = run(&mut m, Immediate { src: 1, bits: S0 });
    assert!(matches!(fault, Fault::Uninitialized { operand: Operand::Imm0, partition: 0, offset: S0, .. }), "{fault}");
    let fault = run(&mut m, Immediate { src: 2, bits: 7 });
    assert!(fault.to_string().contains("imm0 needs address register 7"), "{fault}");
    m.registers.set_address(7, S0 + 2).unwrap();
    let fault = run(&mut m, Immediate { src: 2, bits: 7 });
    assert!(
        fault.to_string().contains("tensor_scalar_immediates_check"),
        "judged again with the register's value: {fault}"
    );
    let fault = run(&mut m, Immediate { src: 1, bits: 0x3_8000 });
    assert_eq!(fault.kind(), "out_of_bounds", "{fault}");
    let fault = run(&mut m, Immediate { src: 1, bits: 0x1000_0000 });
    assert!(fault.to_string().contains("the address of imm0"), "{fault}");
    assert!(m.memory.row(Memory::Sbuf, 0).unwrap().written.first_gap(DST, DST + 1).is_some(), "nothing was written");
}

#[test]
fn a_scan_starts_from_its_scalar_and_restarts_in_each_partition() {
    // r[i] = (src0[i] * r[i-1]) + src1[i]: 5; 2*5+1 = 11; 3*11+0 = 33; 1*33+2 = 35.
    let mut m = machine();
    for partition in 0..2 {
        put(&mut m, partition, SRC0, &floats(&[2.0, 3.0, 1.0]));
        put(&mut m, partition, SRC1, &floats(&[1.0, 0.0, 2.0]));
    }
    let mut stt = scalar_tensor_tensor(0xE5, [Dtype::Fp32; 4], [AluOp::Mult, AluOp::Add], inline(5f32.to_bits()), 0);
    (stt.src0, stt.src1, stt.dst) = (along(SRC0, 3), along(SRC1, 3), along(DST, 3));
    let done = m.execute(&Instruction::ScalarTensorTensor(stt)).unwrap();
    assert_eq!([0, 1].map(|partition| read_floats(&m, partition, DST, 3)), [[11.0, 33.0, 35.0]; 2]);
    assert_eq!(done.basis.confidence(), Confidence::Low);
    assert_eq!(done.log.lines(), ["S: TensorTensorScan"]);
    // Exchanged: r[i] = src1[i] - (r[i-1] - src0[i]): 1-(5-2) = -2; 0-(-2-3) = 5; 2-(5-1) = -2.
    stt.op0 = AluOp::Subtract.code();
    stt.op1 = AluOp::Subtract.code();
    stt.reverse = 3;
    m.execute(&Instruction::ScalarTensorTensor(stt)).unwrap();
    assert_eq!(read_floats(&m, 0, DST, 3), [-2.0, 5.0, -2.0]);
    // The running value is a float32 also where the results are narrower: 1 + 2^-10 steps are lost in bfloat16 only.
    stt.out_dtype = Dtype::Bfloat16.code();
    (stt.op0, stt.op1, stt.reverse) = (AluOp::Mult.code(), AluOp::Add.code(), 0);
    for partition in 0..2 {
        put(&mut m, partition, SRC0, &floats(&[1.0; 3]));
        put(&mut m, partition, SRC1, &floats(&[0.00390625, 0.00390625, 0.0]));
    }
    stt.imm0 = inline(1f32.to_bits());
    m.execute(&Instruction::ScalarTensorTensor(stt)).unwrap();
    let bytes = m.memory.read(Memory::Sbuf, 0, DST, 6).unwrap();
    assert_eq!(bytes, [0x80, 0x3F, 0x81, 0x3F, 0x81, 0x3F], "1 + 2^-8 ties to 1, 1 + 2^-7 is exact");
}

#[test]
fn a_copy_of_four_dimensions_reshapes_and_a_cast_converts() {
    let mut m = machine();
    let values: Vec<u8> = (0..120u8).collect();
    put(&mut m, 0, SRC0, &values);
    // 2 x 3 x 4 x 5, read with the first and the last dimension exchanged.
    let src = Pattern { start: Addr4(SRC0), step: [60, 20, 5, 1], num: [2, 3, 4, 5] };
    let dst = Pattern { start: Addr4(DST), step: [1, 1, 1, 1], num: [120, 1, 1, 1] };
    let mut tr = S4d4Tr {
        header: Header::new(0x46),
        events: Events::default(),
        src,
        in_dtype: Dtype::Uint8.code(),
        out_dtype: Dtype::Uint8.code(),
        num_active_channels: 1,
        negated: 0,
        op: 0,
        op_dim: 0,
        mask_enable: 0,
        reserved: [0; 5],
        dst,
    };
    let done = m.execute(&Instruction::CopyCast(tr)).unwrap();
    let mut expected = Vec::new();
    for i3 in 0..5u8 {
        for i2 in 0..4u8 {
            for i1 in 0..3u8 {
                expected.extend((0..2u8).map(|i0| i0 * 60 + i1 * 20 + i2 * 5 + i3));
            }
        }
    }
    assert_eq!(m.memory.read(Memory::Sbuf, 0, DST, 120).unwrap(), expected);
    assert_eq!((done.handler, done.log.lines().len()), ("copy", 8 * 4), "POOL runs it: {:?}", done.log);
    assert!(done.log.lines().contains(&"P7: Copy : num_chans = 1".to_owned()));
    assert!(done.basis.settled.is_empty() && done.basis.knobs.is_empty(), "{:?}", done.basis);
    // A copy keeps the bits of a signalling NaN; a cast rounds.
    put(&mut m, 0, SRC0, &[1, 0xA0, 0x7F, 0x7F]);
    (tr.src, tr.dst) = (along(SRC0, 2), along(DST, 2));
    (tr.in_dtype, tr.out_dtype) = (Dtype::Bfloat16.code(), Dtype::Bfloat16.code());
    m.execute(&Instruction::CopyCast(tr)).unwrap();
    assert_eq!(m.memory.read(Memory::Sbuf, 0, DST, 4).unwrap(), [1, 0xA0, 0x7F, 0x7F]);
    put(&mut m, 0, SRC0, &floats(&[2.5, -300.0]));
    tr.header.opcode = 0x47;
    (tr.in_dtype, tr.out_dtype) = (Dtype::Fp32.code(), Dtype::Int8.code());
    m.execute(&Instruction::CopyCast(tr)).unwrap();
    assert_eq!(m.memory.read(Memory::Sbuf, 0, DST, 2).unwrap(), [2, 0x80]);
}

#[test]
fn what_no_source_settles_is_not_run() {
    let mut m = machine();
    fill(&mut m, &mut Random(1));
    let one = inline(0);
    let fault = |m: &mut Machine, instruction| m.execute(&instruction).unwrap_err().kind();
    let unary = tensor_scalar(0x43, [Dtype::Fp32; 2], [AluOp::AbsoluteValue, AluOp::Add], [one; 2], 1);
    assert_eq!(fault(&mut m, Instruction::TensorScalar(unary)), "unspecified");
    let crc = tensor_scalar(0x53, [Dtype::Uint32; 2], [AluOp::Crc32, AluOp::Bypass], [one; 2], 0);
    assert_eq!(fault(&mut m, Instruction::TensorScalar(crc)), "unspecified");
    let mut accumulating = scalar_tensor_tensor(0x9D, [Dtype::Fp32; 4], [AluOp::Add; 2], one, 0);
    accumulating.accumulator = 3;
    assert_eq!(fault(&mut m, Instruction::ScalarTensorTensor(accumulating)), "unspecified");
    let pool = Machine::new(Generation::Cayman, Engine::Pool, Policy::default()).execute(&Instruction::TensorScalar(
        tensor_scalar(0x43, [Dtype::Fp32; 2], [AluOp::Add, AluOp::Bypass], [one; 2], 0),
    ));
    assert!(pool.unwrap_err().to_string().contains("kernel_info_table"));
}
