//! Streams of words, judged by kind.
//!
//! Of a tensor-tensor word the rules see less than its 64 bytes: no step, no semaphore, of an address the partition, the
//! alignment and whether it lies in active bytes, of counts whether one is zero and whether the products are the same.
//! Words of one kind have one judgement, so it is kept; what a kind is stands here once, and the test below holds it against
//! [`judge`] for words that differ in all that a kind leaves out.

use super::{Bench, Judgement, judge};
use crate::address::Addr4;
use crate::generation::Geometry;
use crate::inst::{Instruction, S3s3d3Tt};
use crate::opcode::{TENSOR_TENSOR_ADD_BF16, TENSOR_TENSOR_MULT_BF16, TENSOR_TENSOR_SUB_BF16};
use crate::word::Word;

/// Kinds that are kept; a power of two. A stream has some dozens.
const KEPT: usize = 512;

/// A kind in numbers: bytes of the head, and places with a bit that says that the slot is taken.
type Kind = [u64; 2];

/// Judges words one after the other and keeps what it found.
#[derive(Debug)]
pub struct Stream<'a> {
    bench: Bench<'a>,
    geometry: &'static Geometry,
    shift: u32,
    kept: Box<[(Kind, Judgement)]>,
}

impl<'a> Stream<'a> {
    /// Nothing judged yet.
    pub fn new(bench: Bench<'a>) -> Self {
        let geometry = bench.generation.geometry();
        let nothing = judge(&Instruction::decode(&Word([0; 64])), &bench);
        Self {
            bench,
            geometry,
            shift: geometry.sbuf_stride.trailing_zeros(),
            kept: vec![([0, 0], nothing); KEPT].into_boxed_slice(),
        }
    }

    /// As [`judge`] of the decoded word.
    #[inline]
    pub fn judge(&mut self, word: &Word) -> Judgement {
        let Some(kind) = self.kind(word) else { return judge(&Instruction::decode(word), &self.bench) };
        let [head, places] = kind;
        let hash = (head ^ places.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        match self.kept.get(hash as usize % KEPT) {
            Some((known, judgement)) if *known == kind => *judgement,
            _ => self.find(hash as usize % KEPT, kind, word),
        }
    }

    #[cold]
    fn find(&mut self, slot: usize, kind: Kind, word: &Word) -> Judgement {
        let judgement = judge(&Instruction::decode(word), &self.bench);
        if let Some(kept) = self.kept.get_mut(slot) {
            *kept = (kind, judgement);
        }
        judgement
    }

    /// The kind of a word; `None` where a word is rare or its whole content may count: other structs, addresses from
    /// registers or outside the State Buffer, counts of zero.
    #[inline]
    fn kind(&self, word: &Word) -> Option<Kind> {
        let quarter = |at: usize| u64::from_le_bytes(word.take::<8>(at));
        let half = |at: usize| u32::from_le_bytes(word.take::<4>(at));
        if !IS_TENSOR_TENSOR[usize::from(word.opcode())] {
            return None;
        }
        // Opcode, length, wait and update mode; in the bytes between them dtypes, op and channels.
        let events = quarter(0) & 0x00FF_00FF_0000_FFFF;
        let fields = u64::from(half(S3s3d3Tt::DTYPES_OFFSET));
        let head = events | (fields & 0xFFFF) << 16 | (fields >> 16 & 0xFF) << 40 | (fields >> 24) << 56;
        let mut places = 1u64 << 63;
        let mut elements = [0u64; 3];
        for (index, at) in [S3s3d3Tt::SRC0_OFFSET, S3s3d3Tt::SRC1_OFFSET, S3s3d3Tt::DST_OFFSET].into_iter().enumerate()
        {
            let start = half(at);
            // A marker makes it larger than any address.
            if Addr4(start).payload() != start || start >= self.geometry.sbuf_size {
                return None;
            }
            let offset = start & (self.geometry.sbuf_stride - 1);
            let active = u64::from(offset < self.geometry.sbuf_active);
            let place = u64::from(start >> self.shift) << 4 | u64::from(start & 7) << 1 | active;
            places |= place << (12 * index);
            let counts = quarter(at + 8) >> 16;
            let product = (counts & 0xFFFF) * (counts >> 16 & 0xFFFF) * (counts >> 32);
            if product == 0 {
                return None;
            }
            elements[index] = product;
        }
        let [src0, src1, dst] = elements;
        places |= u64::from(src1 == src0) << 61 | u64::from(dst == src0) << 62;
        Some([head, places])
    }
}

/// Opcodes of tensor-tensor words of which the rules see no more than a kind says. Those of SUNDA's paired bfloat16 look at
/// steps and counts, too.
static IS_TENSOR_TENSOR: [bool; 256] = {
    let mut is = [false; 256];
    let mut i = 0;
    while i < S3s3d3Tt::OPCODES.len() {
        let code = S3s3d3Tt::OPCODES[i];
        is[code as usize] = !matches!(code, TENSOR_TENSOR_ADD_BF16 | TENSOR_TENSOR_MULT_BF16 | TENSOR_TENSOR_SUB_BF16);
        i += 1;
    }
    is
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generation::Generation;
    use crate::legality::Engine;
    use proptest::prelude::*;
    use vq7_policy::{Policy, StartPartition};

    /// A legal word.
    const LEGAL: &str = "4110000000000000000000008808c480000000000100010001000002010001000010000001000100010000020100010000200000010001000100000201000100";

    proptest! {
        #[test]
        fn a_stream_judges_as_its_words_are_judged(
            changes in prop::collection::vec((0usize..64, any::<u8>(), any::<bool>()), 0..60),
            generation in prop::sample::select(Generation::ALL.to_vec()),
            engine in prop::sample::select(vec![Engine::Any, Engine::Pool, Engine::Dve]),
            off in any::<bool>(),
        ) {
            let start_partition = if off { StartPartition::Off } else { Policy::default().start_partition };
            let policy = Policy { start_partition, ..Policy::default() };
            let bench = Bench { generation, engine, policy: &policy };
            let mut stream = Stream::new(bench);
            let legal = Word::from_hex(LEGAL).unwrap();
            let mut word = legal;
            for (at, value, back) in changes {
                if back {
                    word = legal;
                }
                // Mostly bytes that keep the word's struct, and values that rules know.
                let at = if at < 12 && value % 4 != 0 { at + 12 } else { at };
                word.0[at] = if value % 3 == 0 { value % 17 } else { value };
                if value % 5 == 0 {
                    word.0[0] = S3s3d3Tt::OPCODES[usize::from(value) % 8];
                }
                let expected = judge(&Instruction::decode(&word), &bench);
                prop_assert_eq!(stream.judge(&word), expected, "{}", word);
                prop_assert_eq!(stream.judge(&word), expected, "again: {}", word);
                // All that a kind leaves out.
                let mut other = word;
                for free in [2, 3, 5, 7, 8, 9, 10, 11, 20, 21, 22, 23, 24, 25, 36, 37, 38, 39, 40, 41, 52, 53, 54, 55, 56, 57] {
                    other.0[free] = value.wrapping_mul(free as u8);
                }
                let expected = judge(&Instruction::decode(&other), &bench);
                prop_assert_eq!(stream.judge(&other), expected, "{}", other);
            }
        }
    }
}
