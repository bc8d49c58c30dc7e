//! A second executor, written without a thought for speed and without the product's decoding, addresses or memory: it
//! reads the 64 bytes, computes each address by the formula, and keeps one entry per byte. Only the value of an element
//! is asked of the product's numbers, which have their own tests.

use std::collections::HashMap;
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_num::{Class, Lane, LaneError};
use vq7_policy::Policy;

/// Why a word does not run, with what the product says of it.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// (operand, partition, offset)
    OutOfBounds(&'static str, u32, i64),
    /// (operand, partition, offset)
    Uninitialized(&'static str, u32, i64),
    /// (partition, element)
    DivideByZero(u32, u64),
    Unspecified,
}

/// Bytes that were written, by (is PSUM, partition, offset).
pub type Bytes = HashMap<(bool, u32, i64), u8>;

struct Tensor {
    name: &'static str,
    psum: bool,
    partition: u32,
    offset: i64,
    step: [i64; 3],
    num: [i64; 3],
    dtype: Dtype,
    limit: i64,
}

impl Tensor {
    fn offset_of(&self, e: i64) -> i64 {
        let (i0, i1, i2) = (e % self.num[0], e / self.num[0] % self.num[1], e / (self.num[0] * self.num[1]));
        self.offset + (i0 * self.step[0] + i1 * self.step[1] + i2 * self.step[2]) * i64::from(self.dtype.bytes())
    }

    fn key(&self, channel: u32, e: i64, byte: u32) -> (bool, u32, i64) {
        (self.psum, self.partition + channel, self.offset_of(e) + i64::from(byte))
    }

    fn missing(&self, channel: u32, e: i64, memory: &Bytes) -> Option<Stop> {
        let mut keys = (0..self.dtype.bytes()).map(|byte| self.key(channel, e, byte));
        let gap = keys.find(|key| !memory.contains_key(key))?;
        Some(Stop::Uninitialized(self.name, gap.1, gap.2))
    }

    fn read(&self, channel: u32, e: i64, memory: &Bytes) -> u64 {
        let byte = |i| u64::from(memory.get(&self.key(channel, e, i)).copied().unwrap_or(0));
        (0..self.dtype.bytes()).map(|i| byte(i) << (8 * i)).sum()
    }
}

fn tensor(name: &'static str, bytes: &[u8; 64], base: usize, dims: usize, dtype: u8, generation: Generation) -> Tensor {
    let half = |offset: usize| [bytes[offset], bytes[offset + 1]];
    let address = u32::from_le_bytes([bytes[base], bytes[base + 1], bytes[base + 2], bytes[base + 3]]) & 0x1FFF_FFFF;
    let (stride, active) = match generation {
        Generation::Sunda => (0x4_0000, 0x3_0000),
        Generation::Cayman => (0x4_0000, 0x3_8000),
        Generation::Mariana | Generation::MarianaPlus => (0x4_0000, 0x4_0000),
        Generation::Maverick => (0x10_0000, 0x8_0000),
    };
    let psum = address >= 0x200_0000 && generation != Generation::Maverick;
    let (partition, offset, limit) = if psum {
        ((address - 0x200_0000) / 0x8000, (address - 0x200_0000) % 0x8000, 0x4000)
    } else {
        (address / stride, address % stride, active)
    };
    let mut step = [1; 3];
    let mut num = [1; 3];
    for d in 0..dims {
        step[d] = i16::from_le_bytes(half(base + 4 + 2 * d)).into();
        num[d] = u16::from_le_bytes(half(base + 4 + 2 * dims + 2 * d)).into();
    }
    Tensor {
        name,
        psum,
        partition,
        offset: offset.into(),
        step,
        num,
        dtype: Dtype::from_code(dtype).expect("the word is legal"),
        limit,
    }
}

/// Runs a legal word without registers on `memory`.
pub fn run(bytes: &[u8; 64], generation: Generation, policy: &Policy, memory: &mut Bytes) -> Result<(), Stop> {
    let extended = bytes[0] == 0xF0;
    let shift = if extended { 2 } else { 0 };
    let (lo, hi, out, op) = (bytes[12 + shift] & 15, bytes[12 + shift] >> 4, bytes[13 + shift], bytes[14 + shift]);
    let (places, dims) = if extended { ([20, 32, 44], 2) } else { ([16, 32, 48], 3) };
    let channels = match (extended, bytes[13] >> 3 & 7) {
        (false, _) => u32::from(bytes[15]),
        (true, 0) => 128,
        (true, ports) => u32::from(ports) * 16,
    };
    let src0 = tensor("src0", bytes, places[0], dims, lo, generation);
    let src1 = tensor("src1", bytes, places[1], dims, hi, generation);
    let dst = tensor("dst", bytes, places[2], dims, out, generation);
    let count = src0.num[0] * src0.num[1] * src0.num[2];
    for t in [&src0, &src1, &dst] {
        if t.partition + channels > 128 {
            return Err(Stop::OutOfBounds(t.name, 128, t.offset));
        }
        let outside = |offset: i64| offset < 0 || offset + i64::from(t.dtype.bytes()) > t.limit;
        if let Some(offset) = (0..count).map(|e| t.offset_of(e)).find(|&offset| outside(offset)) {
            return Err(Stop::OutOfBounds(t.name, t.partition, offset));
        }
    }
    let op = AluOp::from_code(op).expect("the word is legal");
    let class = if bytes[0] == 0x51 { Class::Bitvec } else { Class::Arith };
    let predicated = matches!(bytes[0], 0x72 | 0x99);
    let unary = matches!(op, AluOp::Bypass | AluOp::BitwiseNot | AluOp::AbsoluteValue | AluOp::ReLu | AluOp::Square);
    let before = memory.clone();
    let mut all = || {
        for channel in 0..channels {
            for e in 0..count {
                if let Some(stop) = src0.missing(channel, e, memory) {
                    return Err(stop);
                }
                let a = src0.read(channel, e, memory);
                if predicated && a == 0 {
                    continue;
                }
                if (predicated || !unary)
                    && let Some(stop) = src1.missing(channel, e, memory)
                {
                    return Err(stop);
                }
                let b = src1.read(channel, e, memory);
                let lane = |op, a, b| Lane { op, src0: a, src1: b, out: dst.dtype, class };
                let result = match bytes[0] {
                    0x72 => Ok(b),
                    0x99 => lane(AluOp::Bypass, src1.dtype, src1.dtype).evaluate(b, b, policy).map(|r| r.value),
                    _ => lane(op, src0.dtype, src1.dtype).evaluate(a, b, policy).map(|r| r.value),
                };
                let value = result.map_err(|error| match error {
                    LaneError::DivideByZero => Stop::DivideByZero(dst.partition + channel, e as u64),
                    _ => Stop::Unspecified,
                })?;
                for byte in 0..dst.dtype.bytes() {
                    memory.insert(dst.key(channel, e, byte), (value >> (8 * byte)) as u8);
                }
            }
        }
        Ok(())
    };
    let result = all();
    if result.is_err() {
        *memory = before;
    }
    result
}
