//! S2S2D2_STT: two 2-D sources, one scalar, one 2-D destination. Same layout in every generation.
//! Source: docs/spec/scalar-forms.md, "S2S2D2_STT".

use super::immediate::{Immediate, Reverse};
use crate::header::{Events, Header};
use crate::opcode::{SCALAR_TENSOR_TENSOR_ARITH, SCALAR_TENSOR_TENSOR_BITVEC, TENSOR_TENSOR_SCAN_ARITH};
use crate::pattern::Tensor2d;
use crate::word::Word;

/// A scalar-tensor-tensor or scan word, field by field. Fields hold what the word holds, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct S2s2d2Stt {
    /// Bytes 0..3.
    pub header: Header,
    /// Bytes 4..11.
    pub events: Events,
    /// Bytes 12..23.
    pub src0: Tensor2d,
    /// Bytes 24..35.
    pub src1: Tensor2d,
    /// Byte 36: the first ALU op.
    pub op0: u8,
    /// Byte 37: the second ALU op.
    pub op1: u8,
    /// Byte 38: code of the [`Reverse`].
    pub reverse: u8,
    /// Low nibble of byte 40: dtype code of src0.
    pub src0_dtype: u8,
    /// High nibble of byte 40: dtype code of src1.
    pub src1_dtype: u8,
    /// Byte 41: dtype code of dst.
    pub out_dtype: u8,
    /// Byte 42: partitions that take part.
    pub num_active_channels: u8,
    /// Byte 43: dtype code of the scalar.
    pub imm0_dtype: u8,
    /// Byte 44: accumulator command.
    pub accumulator: u8,
    /// Bytes 45..47, zero in a legal word.
    pub reserved: [u8; 3],
    /// Bytes 48..59.
    pub dst: Tensor2d,
    /// Bytes 39 and 60..63: the scalar.
    pub imm0: Immediate,
}

impl S2s2d2Stt {
    /// The opcodes of this struct whose rules are modelled.
    pub const OPCODES: [u8; 3] = [SCALAR_TENSOR_TENSOR_ARITH, SCALAR_TENSOR_TENSOR_BITVEC, TENSOR_TENSOR_SCAN_ARITH];
    /// Byte offset of src0.
    pub const SRC0_OFFSET: usize = 12;
    /// Byte offset of src1.
    pub const SRC1_OFFSET: usize = 24;
    /// Byte offset of op0.
    pub const OP0_OFFSET: usize = 36;
    /// Byte offset of op1.
    pub const OP1_OFFSET: usize = 37;
    /// Byte offset of the operand order.
    pub const REVERSE_OFFSET: usize = 38;
    /// Byte offset of the scalar's source.
    pub const IMM0_SRC_OFFSET: usize = 39;
    /// Byte offset of the dtype pair.
    pub const DTYPES_OFFSET: usize = 40;
    /// Byte offset of the out dtype.
    pub const OUT_DTYPE_OFFSET: usize = 41;
    /// Byte offset of the channel count.
    pub const CHANNELS_OFFSET: usize = 42;
    /// Byte offset of the scalar's dtype.
    pub const IMM0_DTYPE_OFFSET: usize = 43;
    /// Byte offset of the accumulator command.
    pub const ACCUMULATOR_OFFSET: usize = 44;
    /// Byte offset of the reserved bytes.
    pub const RESERVED_OFFSET: usize = 45;
    /// Byte offset of dst.
    pub const DST_OFFSET: usize = 48;
    /// Byte offset of the scalar.
    pub const IMM0_OFFSET: usize = 60;

    /// Reads the fields of any word.
    pub fn decode(word: &Word) -> Self {
        let [op0, op1, reverse, imm0_src, dtypes, out_dtype, num_active_channels, imm0_dtype, accumulator] =
            word.take(Self::OP0_OFFSET);
        Self {
            header: Header::decode(word),
            events: Events::decode(word),
            src0: Tensor2d::decode(word, Self::SRC0_OFFSET),
            src1: Tensor2d::decode(word, Self::SRC1_OFFSET),
            op0,
            op1,
            reverse,
            src0_dtype: dtypes & 0xF,
            src1_dtype: dtypes >> 4,
            out_dtype,
            num_active_channels,
            imm0_dtype,
            accumulator,
            reserved: word.take(Self::RESERVED_OFFSET),
            dst: Tensor2d::decode(word, Self::DST_OFFSET),
            imm0: Immediate { src: imm0_src, bits: u32::from_le_bytes(word.take(Self::IMM0_OFFSET)) },
        }
    }

    /// The word of these fields. Source dtypes are nibbles: higher bits are dropped.
    pub fn encode(&self) -> Word {
        let mut word = Word([0; 64]);
        self.header.encode(&mut word);
        self.events.encode(&mut word);
        self.src0.encode(&mut word, Self::SRC0_OFFSET);
        self.src1.encode(&mut word, Self::SRC1_OFFSET);
        let middle = [
            self.op0,
            self.op1,
            self.reverse,
            self.imm0.src,
            self.src0_dtype & 0xF | self.src1_dtype << 4,
            self.out_dtype,
            self.num_active_channels,
            self.imm0_dtype,
            self.accumulator,
        ];
        word.put(Self::OP0_OFFSET, &middle);
        word.put(Self::RESERVED_OFFSET, &self.reserved);
        self.dst.encode(&mut word, Self::DST_OFFSET);
        word.put(Self::IMM0_OFFSET, &self.imm0.bits.to_le_bytes());
        word
    }

    /// Whether the ops work on bit patterns.
    pub const fn is_bitvec(&self) -> bool {
        self.header.opcode == SCALAR_TENSOR_TENSOR_BITVEC
    }

    /// Whether each result goes into the next.
    pub const fn is_scan(&self) -> bool {
        self.header.opcode == TENSOR_TENSOR_SCAN_ARITH
    }

    /// Which ops have their operands exchanged, where the code is one.
    pub const fn reversed(&self) -> Option<Reverse> {
        Reverse::from_code(self.reverse)
    }
}
