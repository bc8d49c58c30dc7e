//! What a word is said to cost is what the stepped cores count when the `iss` executor runs it.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod support;

use std::sync::Arc;
use vq7_engine::cost::Costs;
use vq7_engine::iss::Iss;
use vq7_engine::{Machine, Registers};
use vq7_isa::address::Memory;
use vq7_isa::generation::CORES;
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::legality::{self, Bench, Engine, Status};
use vq7_isa::opcode::{TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP};
use vq7_isa::{AluOp, Dtype, Generation, Instruction};
use vq7_policy::Policy;

/// Bytes of each operand's stretch of a partition.
const REGION: u32 = 0x8000;

/// SplitMix64: what a test draws is named by its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

fn word(op: AluOp, dtypes: [Dtype; 3], channels: u8, patterns: [([i16; 3], [u16; 3]); 3]) -> S3s3d3Tt {
    let operands = [0, 1, 2].map(|operand| {
        let (step, num) = patterns[operand];
        support::at(operand as u32 * REGION, step, num)
    });
    let opcode = if op.is_bitvec() { TENSOR_TENSOR_BITVEC_OP } else { TENSOR_TENSOR_ARITH_OP };
    support::word(opcode, op, dtypes, channels, operands)
}

/// Ops, dtypes, channels, lengths, outer dimensions, sources that stand still, strides.
fn draw(random: &mut Random, dtypes: &[Dtype]) -> S3s3d3Tt {
    let op = random.of(AluOp::ALL);
    let dtype = random.of(dtypes);
    let types = if random.below(3) > 0 { [dtype; 3] } else { [dtype, random.of(dtypes), random.of(dtypes)] };
    let channels = 1 + random.below(20) as u8;
    // A row of these is one run of the executor: at most 64 units of at least 8 elements.
    let count = 1 + random.below(300) as u16;
    let (rows, far) = (1 + random.below(3) as u16, 700);
    let num = [count, rows, 1];
    let mut pattern = |source: bool| {
        let step = match random.below(8) {
            0 if source => 0,
            1 => 2,
            _ => 1,
        };
        ([step, far, 1], num)
    };
    let patterns = [pattern(true), pattern(true), pattern(false)];
    word(op, types, channels, patterns)
}

#[test]
fn a_word_costs_what_the_cores_count() {
    let seed = std::env::var("VQ7_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(11);
    eprintln!("seed {seed}; again: VQ7_SEED={seed} cargo test -p vq7-engine --test cost_of_words");
    let (generation, policy) = (Generation::MarianaPlus, Policy::default());
    let dtypes: Vec<Dtype> = Dtype::ALL.iter().copied().filter(|dtype| dtype.is_tensor_tensor()).collect();
    let mut random = Random(seed);
    let iss = Arc::new(Iss::new());
    let mut machine = Machine::new(generation, Engine::Pool, policy).with_executor(iss.clone());
    for partition in 0..32 {
        machine.memory.write(Memory::Sbuf, partition, 0, &vec![1; 3 * REGION as usize]).unwrap();
    }
    let mut costs = Costs::new(generation, policy);
    let mut compared = 0;
    for _ in 0..3000 {
        let tt = draw(&mut random, &dtypes);
        let instruction = Instruction::TensorTensor(tt);
        let bench = Bench { generation, engine: Engine::Pool, policy: &policy };
        if legality::judge(&instruction, &bench).status != Status::Legal {
            continue;
        }
        let before = iss.cycles();
        let Ok(ran) = machine.execute(&instruction) else { continue };
        let cost = costs.word(&instruction, &Registers::new());
        if ran.path.declined.is_some() {
            // What has no sequence has no loop to show, and the answer says so.
            assert!(cost.is_err() || cost.is_ok_and(|cost| cost.kernel.is_none()), "{tt:?}");
            continue;
        }
        let cost = cost.unwrap();
        let rows: u64 = cost.cores.iter().map(|core| core.rows).sum();
        // The executor brings the constants in for every row; a word does so once per core.
        let counted = iss.cycles() - before;
        assert_eq!(counted, rows * (cost.row.constants + cost.row.cycles), "{tt:?}");
        for core in &cost.cores {
            assert!(core.core < CORES);
            assert_eq!(core.cycles, 64 + cost.row.constants + core.rows * (8 + cost.row.cycles), "{tt:?}");
        }
        compared += 1;
    }
    assert!(compared > 150, "{compared} words");
}

/// Twice the elements cost twice the cycles, but for what a word and a row cost at any length.
#[test]
fn twice_the_elements_cost_twice_the_cycles() {
    for (op, dtype) in [
        (AluOp::AddInt, Dtype::Int32),
        (AluOp::AddInt, Dtype::Int64),
        (AluOp::Add, Dtype::Bfloat16),
        (AluOp::MultInt, Dtype::Int8),
        (AluOp::Add, Dtype::Fp8Exp4),
        (AluOp::DivideInt, Dtype::Int32),
    ] {
        let cycles = |elements: u16| {
            let tt = word(op, [dtype; 3], 128, [([1, 1, 1], [elements, 1, 1]); 3]);
            let instruction = Instruction::TensorTensor(tt);
            Costs::new(Generation::Cayman, Policy::default()).word(&instruction, &Registers::new()).unwrap().cycles
        };
        let most = (REGION / dtype.bytes() / 2) as u16;
        let [once, twice, four] = [most / 4, most / 2, most].map(cycles);
        assert_eq!(four - twice, 2 * (twice - once), "{op} {dtype}: {once}, {twice}, {four}");
        let ratio = four as f64 / twice as f64;
        assert!((1.85..=2.0).contains(&ratio), "{op} {dtype}: {ratio}");
    }
}
