//! What several test files of this crate share: words, machines, seeded random numbers.

#![allow(dead_code, reason = "each test file uses a part")]

use vq7_engine::Machine;
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::legality::Engine;
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Instruction};
use vq7_policy::Policy;

/// A pattern at an address.
pub fn at(address: u32, step: [i16; 3], num: [u16; 3]) -> Tensor3d {
    Tensor3d { start: Addr4(address), step, num }
}

/// `n` elements in a row at an address.
pub fn row(address: u32, n: u16) -> Tensor3d {
    at(address, [1, 1, 1], [n, 1, 1])
}

/// A tensor-tensor word of `channels` partitions whose operands are src0, src1, dst.
pub fn word(opcode: u8, op: AluOp, dtypes: [Dtype; 3], channels: u8, operands: [Tensor3d; 3]) -> S3s3d3Tt {
    let [src0, src1, dst] = operands;
    S3s3d3Tt {
        header: Header::new(opcode),
        events: Events::default(),
        src0_dtype: dtypes[0].code(),
        src1_dtype: dtypes[1].code(),
        out_dtype: dtypes[2].code(),
        op: op.code(),
        num_active_channels: channels,
        src0,
        src1,
        dst,
    }
}

/// ADD_INT on int32, which is exact and easy to predict.
pub fn add_int32(channels: u8, operands: [Tensor3d; 3]) -> S3s3d3Tt {
    word(0x41, AluOp::AddInt, [Dtype::Int32; 3], channels, operands)
}

/// The typed word.
pub fn typed(word: S3s3d3Tt) -> Instruction {
    Instruction::TensorTensor(word)
}

/// A trn2 machine without an engine gate.
pub fn machine() -> Machine {
    Machine::new(Generation::Cayman, Engine::Any, Policy::default())
}

/// Writes int32 values into a partition of SBUF.
pub fn put(machine: &mut Machine, partition: u32, offset: u32, values: &[i32]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    machine.memory.write(Memory::Sbuf, partition, offset, &bytes).expect("inside the partition");
}

/// Reads int32 values out of a partition of SBUF.
pub fn get(machine: &Machine, partition: u32, offset: u32, count: usize) -> Vec<i32> {
    let bytes = machine.memory.read(Memory::Sbuf, partition, offset, 4 * count).expect("inside the partition");
    bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect()
}

/// SplitMix64: small, seeded, the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// The verdict on 64 bytes.
pub fn judge_word(word: &vq7_isa::Word, bench: &vq7_isa::legality::Bench<'_>) -> vq7_isa::legality::Judgement {
    vq7_isa::legality::judge(&Instruction::decode(word), bench)
}
