//! The `iss` executor gives the bytes of the `reference`, over every op and dtypes that some engine takes, and over the shapes
//! of patterns. What it hands on has a reason that is written down here.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::collections::BTreeMap;
use std::sync::Arc;
use vq7_engine::Machine;
use vq7_engine::iss::Iss;
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::legality::{self, Bench, Engine, Status};
use vq7_isa::opcode::{CAST_PREDICATED, COPY_PREDICATED, TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP};
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Instruction};
use vq7_policy::Policy;

/// SplitMix64: what a test draws is named by its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// An element: any bits, or an edge: small numbers, all ones, tops of exponents.
    fn element(&mut self, bits: u32) -> u64 {
        let any = self.next();
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let value = match self.below(8) {
            0 => any % 5,
            1 => (any % 5).wrapping_neg(),
            2 => 1 << (any % u64::from(bits)),
            3 => (1u64 << (any % u64::from(bits))).wrapping_sub(1),
            4 => mask ^ (any >> (64 - bits / 2)),
            5 => any % u64::from(2 * bits + 1),
            _ => any,
        };
        value & mask
    }
}

/// A pattern that covers at most `bytes` bytes from `base` on.
fn pattern(base: u32, step: [i16; 3], num: [u16; 3]) -> Tensor3d {
    Tensor3d { start: Addr4::immediate(base), step, num }
}

const CHANNELS: u32 = 2;
const REGION: u32 = 0x4000;

/// Shapes of a row: steps and counts of src0, src1 and dst, and how far a negative step needs its start moved up.
fn shapes() -> Vec<[Tensor3d; 3]> {
    let at = |index: u32| index * REGION;
    let mid = REGION / 2;
    vec![
        [
            pattern(at(0), [1, 1, 1], [67, 1, 1]),
            pattern(at(1), [1, 1, 1], [67, 1, 1]),
            pattern(at(2), [1, 1, 1], [67, 1, 1]),
        ],
        [
            pattern(at(0), [1, 70, 1], [35, 2, 1]),
            pattern(at(1), [0, 1, 0], [35, 2, 1]),
            pattern(at(2), [1, 35, 0], [35, 2, 1]),
        ],
        [
            pattern(at(0) + mid, [-1, 1, 1], [40, 1, 1]),
            pattern(at(1), [2, 1, 1], [40, 1, 1]),
            pattern(at(2) + mid, [-3, 1, 1], [40, 1, 1]),
        ],
        [
            pattern(at(2), [1, 1, 1], [33, 1, 1]),
            pattern(at(1), [1, 1, 1], [33, 1, 1]),
            pattern(at(2), [1, 1, 1], [33, 1, 1]),
        ],
        [
            pattern(at(2), [1, 1, 1], [5, 1, 1]),
            pattern(at(1), [1, 1, 1], [5, 1, 1]),
            pattern(at(2) + 8, [1, 1, 1], [5, 1, 1]),
        ],
        [
            pattern(at(0), [0, 0, 0], [3, 2, 2]),
            pattern(at(1), [1, 3, 6], [3, 2, 2]),
            pattern(at(2), [1, 3, 6], [3, 2, 2]),
        ],
    ]
}

struct Bed {
    reference: Machine,
    iss: Machine,
    random: Random,
    declined: BTreeMap<&'static str, usize>,
    ran: usize,
}

impl Bed {
    fn new(generation: Generation, seed: u64, policy: Policy) -> Self {
        let mut reference = Machine::new(generation, Engine::Any, policy);
        let mut random = Random(seed);
        for partition in 0..CHANNELS {
            let bytes: Vec<u8> = (0..3 * REGION).map(|_| random.next() as u8).collect();
            reference.memory.write(Memory::Sbuf, partition, 0, &bytes).unwrap();
        }
        let mut iss = reference.clone();
        iss.executor = Arc::new(Iss::new());
        Self { reference, iss, random, declined: BTreeMap::new(), ran: 0 }
    }

    /// Fills the sources with edges of their dtypes.
    fn fill(&mut self, tt: &S3s3d3Tt) {
        for (region, code) in [(0, tt.src0_dtype), (1, tt.src1_dtype), (2, tt.out_dtype)] {
            let Some(dtype) = Dtype::from_code(code) else { continue };
            for partition in 0..CHANNELS {
                let bytes: Vec<u8> = (0..REGION / dtype.bytes() / 8)
                    .flat_map(|_| {
                        self.random.element(dtype.bits()).to_le_bytes().into_iter().take(dtype.bytes() as usize)
                    })
                    .collect();
                for at in [0, REGION / 2 - 0x400] {
                    let offset = region * REGION + at;
                    for machine in [&mut self.reference, &mut self.iss] {
                        machine.memory.write(Memory::Sbuf, partition, offset, &bytes).unwrap();
                    }
                }
            }
        }
    }

    fn compare(&mut self, tt: &S3s3d3Tt) {
        let bench =
            Bench { generation: self.reference.generation, engine: Engine::Any, policy: &self.reference.policy };
        let instruction = Instruction::TensorTensor(*tt);
        if legality::judge(&instruction, &bench).status != Status::Legal {
            return;
        }
        self.fill(tt);
        let expected = self.reference.execute(&instruction).map(|_| ());
        let ran = self.iss.execute(&instruction);
        assert_eq!(
            ran.as_ref().map(|_| ()).map_err(ToString::to_string),
            expected.map_err(|fault| fault.to_string()),
            "{tt:?}"
        );
        if let Ok(executed) = ran {
            match executed.path.declined {
                Some(declined) => *self.declined.entry(declined.why).or_default() += 1,
                None => self.ran += 1,
            }
        }
        for partition in 0..CHANNELS {
            let read =
                |machine: &Machine| machine.memory.read(Memory::Sbuf, partition, 0, 3 * REGION as usize).unwrap();
            let (a, b) = (read(&self.reference), read(&self.iss));
            if a != b {
                let at = a.iter().zip(&b).position(|(a, b)| a != b).unwrap();
                let size = Dtype::from_code(tt.out_dtype).map_or(1, Dtype::bytes) as usize;
                let from = at / size * size;
                panic!(
                    "{:?} {:?}: partition {partition}, byte {at:#x}: reference {:02x?}, iss {:02x?}\n{tt:?}",
                    AluOp::from_code(tt.op),
                    [tt.src0_dtype, tt.src1_dtype, tt.out_dtype].map(Dtype::from_code),
                    &a[from..from + size],
                    &b[from..from + size],
                );
            }
            let written =
                |machine: &Machine| machine.memory.row(Memory::Sbuf, partition).map(|row| row.written.clone());
            assert_eq!(written(&self.reference), written(&self.iss), "{tt:?}");
        }
    }
}

fn word(opcode: u8, op: AluOp, dtypes: [Dtype; 3], [src0, src1, dst]: [Tensor3d; 3]) -> S3s3d3Tt {
    let aligned = |mut tensor: Tensor3d, dtype: Dtype| {
        // Starts are multiples of every element.
        tensor.start = Addr4::immediate(tensor.start.payload() / dtype.bytes() * dtype.bytes());
        tensor
    };
    S3s3d3Tt {
        header: Header::new(opcode),
        events: Events::default(),
        src0_dtype: dtypes[0].code(),
        src1_dtype: dtypes[1].code(),
        out_dtype: dtypes[2].code(),
        op: op.code(),
        num_active_channels: CHANNELS as u8,
        src0: aligned(src0, dtypes[0]),
        src1: aligned(src1, dtypes[1]),
        dst: aligned(dst, dtypes[2]),
    }
}

fn dtypes() -> Vec<Dtype> {
    Dtype::ALL.iter().copied().filter(|dtype| dtype.is_tensor_tensor()).collect()
}

/// Which of every `slices` combinations are taken.
fn run(slice: usize, slices: usize) -> Bed {
    let seed = std::env::var("VQ7_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    eprintln!(
        "seed {seed}, slice {slice} of {slices}; again: VQ7_SEED={seed} VQ7_SLICE={slice} cargo test -p vq7-engine --test iss_equality"
    );
    let mut bed = Bed::new(Generation::MarianaPlus, seed, Policy::default());
    let shapes = shapes();
    let mut dealt = 0;
    for opcode in [TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP, COPY_PREDICATED, CAST_PREDICATED] {
        for &op in AluOp::ALL {
            for (i, &src0) in dtypes().iter().enumerate() {
                for (j, &out) in dtypes().iter().enumerate() {
                    for (k, &src1) in dtypes().iter().enumerate() {
                        let uniform = src0 == src1 && src1 == out;
                        if uniform || (i + 2 * j + k) % slices == slice % slices {
                            dealt += 1;
                            bed.compare(&word(opcode, op, [src0, src1, out], shapes[dealt % shapes.len()]));
                        }
                    }
                }
            }
        }
    }
    eprintln!("{} words ran as bundles; handed on: {:?}", bed.ran, bed.declined);
    let reasons: Vec<_> = bed.declined.keys().copied().collect();
    assert_eq!(reasons, ["POW and wide division are one macro step without a sequence"]);
    bed
}

/// Every op with every dtype of each operand, and another part of the combinations every day.
#[test]
fn every_op_and_dtype_gives_the_bytes_of_the_reference() {
    let day =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let slice = std::env::var("VQ7_SLICE").ok().and_then(|slice| slice.parse().ok()).unwrap_or(day as usize);
    let bed = run(slice, 3 * dtypes().len());
    assert!(bed.ran > 900, "{}", bed.ran);
}

/// ABSOLUTE_VALUE kept a signalling float16, which the reference quiets: every op that stays on half-width lanes, on NaNs of
/// both kinds beside numbers.
#[test]
fn signalling_halves_are_quieted_on_half_lanes() {
    let mut bed = Bed::new(Generation::MarianaPlus, 3, Policy::default());
    let halves: [u16; 8] = [0x7DAA, 0xFC01, 0x7E00, 0xFFFF, 0x3C00, 0xC000, 0x7C00, 0x0000];
    let bytes = |list: Vec<u16>| list.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let first = bytes((0..64).map(|index| halves[index / 8]).collect());
    let second = bytes((0..64).map(|index| halves[index % 8]).collect());
    let shape = [0, 1, 2].map(|region| pattern(region * REGION, [1, 1, 1], [64, 1, 1]));
    let mut judged = 0;
    for &op in AluOp::ALL {
        let tt = word(TENSOR_TENSOR_ARITH_OP, op, [Dtype::Fp16; 3], shape);
        for machine in [&mut bed.reference, &mut bed.iss] {
            for partition in 0..CHANNELS {
                machine.memory.write(Memory::Sbuf, partition, 0, &first).unwrap();
                machine.memory.write(Memory::Sbuf, partition, REGION, &second).unwrap();
            }
        }
        let instruction = Instruction::TensorTensor(tt);
        if bed.reference.execute(&instruction).is_err() {
            continue;
        }
        bed.iss.execute(&instruction).unwrap();
        let results = |machine: &Machine| machine.memory.read(Memory::Sbuf, 0, 2 * REGION, 128).unwrap();
        assert_eq!(results(&bed.iss), results(&bed.reference), "{op}");
        judged += 1;
    }
    assert!(judged > 15, "{judged}");
}

/// Every combination: minutes.
#[test]
#[ignore = "every combination of op and dtypes takes minutes: cargo test -p vq7-engine --test iss_equality -- --ignored"]
fn every_combination_gives_the_bytes_of_the_reference() {
    let bed = run(0, 1);
    assert!(bed.ran > 40_000, "{}", bed.ran);
}
