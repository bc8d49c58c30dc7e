//! EXTENDED_TTA: the extended tensor-tensor word, two 2-D sources and one 2-D destination.
//! Source: docs/spec/words.md, "EXTENDED_TTA".

use crate::generation::{CORES, PARTITIONS_PER_CORE};
use crate::header::{Events, Header};
use crate::inst::EXTENDED_OPCODE_OFFSET;
use crate::pattern::Tensor2d;
use crate::word::Word;

/// An extended tensor-tensor word, field by field. Fields hold what the word holds, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtendedTta {
    /// Bytes 0..3.
    pub header: Header,
    /// Bytes 4..11.
    pub events: Events,
    /// Byte 13: has_read, zero, has_write, three bits of ports, two zero bits.
    pub completion_info: u8,
    /// Low nibble of byte 14: dtype code of src0.
    pub src0_dtype: u8,
    /// High nibble of byte 14: dtype code of src1.
    pub src1_dtype: u8,
    /// Byte 15: dtype code of dst.
    pub out_dtype: u8,
    /// Byte 16: ALU op.
    pub op: u8,
    /// Bytes 17..19, zero in a legal word.
    pub reserved: [u8; 3],
    /// Bytes 20..31.
    pub src0: Tensor2d,
    /// Bytes 32..43.
    pub src1: Tensor2d,
    /// Bytes 44..55.
    pub dst: Tensor2d,
    /// Bytes 56..63, zero in a legal word.
    pub tail: [u8; 8],
}

impl ExtendedTta {
    /// Byte 12 of the word.
    pub const EXTENDED_OPCODE: u8 = 2;
    /// Completion info of a tensor-tensor word without its port bits: it reads and it writes.
    pub const COMPLETION: u8 = 0x05;
    /// The port bits of the completion info.
    pub const PORTS_MASK: u8 = 0x38;
    /// Byte offset of the completion info.
    pub const COMPLETION_OFFSET: usize = 13;
    /// Byte offset of the dtype pair.
    pub const DTYPES_OFFSET: usize = 14;
    /// Byte offset of the out dtype.
    pub const OUT_DTYPE_OFFSET: usize = 15;
    /// Byte offset of the op.
    pub const OP_OFFSET: usize = 16;
    /// Byte offset of the reserved bytes.
    pub const RESERVED_OFFSET: usize = 17;
    /// Byte offset of src0.
    pub const SRC0_OFFSET: usize = 20;
    /// Byte offset of src1.
    pub const SRC1_OFFSET: usize = 32;
    /// Byte offset of dst.
    pub const DST_OFFSET: usize = 44;
    /// Byte offset of the bytes after dst.
    pub const TAIL_OFFSET: usize = 56;

    /// Reads the fields of any word.
    pub fn decode(word: &Word) -> Self {
        let [completion_info, dtypes, out_dtype, op] = word.take(Self::COMPLETION_OFFSET);
        Self {
            header: Header::decode(word),
            events: Events::decode(word),
            completion_info,
            src0_dtype: dtypes & 0xF,
            src1_dtype: dtypes >> 4,
            out_dtype,
            op,
            reserved: word.take(Self::RESERVED_OFFSET),
            src0: Tensor2d::decode(word, Self::SRC0_OFFSET),
            src1: Tensor2d::decode(word, Self::SRC1_OFFSET),
            dst: Tensor2d::decode(word, Self::DST_OFFSET),
            tail: word.take(Self::TAIL_OFFSET),
        }
    }

    /// The word of these fields. Source dtypes are nibbles: higher bits are dropped.
    pub fn encode(&self) -> Word {
        let mut word = Word([0; 64]);
        self.header.encode(&mut word);
        self.events.encode(&mut word);
        let dtypes = self.src0_dtype & 0xF | self.src1_dtype << 4;
        let prefix = [Self::EXTENDED_OPCODE, self.completion_info, dtypes, self.out_dtype, self.op];
        word.put(EXTENDED_OPCODE_OFFSET, &prefix);
        word.put(Self::RESERVED_OFFSET, &self.reserved);
        self.src0.encode(&mut word, Self::SRC0_OFFSET);
        self.src1.encode(&mut word, Self::SRC1_OFFSET);
        self.dst.encode(&mut word, Self::DST_OFFSET);
        word.put(Self::TAIL_OFFSET, &self.tail);
        word
    }

    /// The port field: 0 means all eight cores.
    pub const fn ports(&self) -> u8 {
        (self.completion_info & Self::PORTS_MASK) >> 3
    }

    /// Partitions that take part, counted from 0: 16 per port, all 128 when the port field is 0.
    pub const fn channels(&self) -> u32 {
        let ports = self.ports() as u32;
        PARTITIONS_PER_CORE * if ports == 0 { CORES } else { ports }
    }
}
