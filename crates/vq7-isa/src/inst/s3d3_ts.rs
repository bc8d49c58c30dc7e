//! S3D3_TS: one 3-D source, two scalars, one 3-D destination. Same layout in every generation.
//! Source: docs/spec/scalar-forms.md, "S3D3_TS".

use super::immediate::{Immediate, Reverse};
use crate::header::{Events, Header};
use crate::opcode::{
    TENSOR_SCALAR_ARITH_OP, TENSOR_SCALAR_BITVEC_OP, TENSOR_SCALAR_PTR_ARITH_OP, TENSOR_SCALAR_PTR_BITVEC_OP,
};
use crate::pattern::Tensor3d;
use crate::word::Word;

/// A tensor-scalar word, field by field. Fields hold what the word holds, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct S3d3Ts {
    /// Bytes 0..3.
    pub header: Header,
    /// Bytes 4..11.
    pub events: Events,
    /// Byte 12: accumulator command, 0 in a legal word.
    pub accumulator: u8,
    /// Bytes 13..15, zero in a legal word.
    pub reserved: [u8; 3],
    /// Bytes 16..31.
    pub src: Tensor3d,
    /// Byte 32: dtype code of src.
    pub in_dtype: u8,
    /// Byte 33: dtype code of dst.
    pub out_dtype: u8,
    /// Byte 34: partitions that take part.
    pub num_active_channels: u8,
    /// Byte 36: the first ALU op.
    pub op0: u8,
    /// Byte 37: the second ALU op.
    pub op1: u8,
    /// Byte 38: code of the [`Reverse`].
    pub reverse: u8,
    /// Bytes 35 and 40..43: the scalar of op0.
    pub imm0: Immediate,
    /// Bytes 39 and 44..47: the scalar of op1.
    pub imm1: Immediate,
    /// Bytes 48..63.
    pub dst: Tensor3d,
}

impl S3d3Ts {
    /// The opcodes of this struct whose rules are modelled.
    pub const OPCODES: [u8; 4] =
        [TENSOR_SCALAR_ARITH_OP, TENSOR_SCALAR_BITVEC_OP, TENSOR_SCALAR_PTR_ARITH_OP, TENSOR_SCALAR_PTR_BITVEC_OP];
    /// Byte offset of the accumulator command.
    pub const ACCUMULATOR_OFFSET: usize = 12;
    /// Byte offset of the reserved bytes.
    pub const RESERVED_OFFSET: usize = 13;
    /// Byte offset of src.
    pub const SRC_OFFSET: usize = 16;
    /// Byte offset of src's dtype.
    pub const IN_DTYPE_OFFSET: usize = 32;
    /// Byte offset of the out dtype.
    pub const OUT_DTYPE_OFFSET: usize = 33;
    /// Byte offset of the channel count.
    pub const CHANNELS_OFFSET: usize = 34;
    /// Byte offset of imm0's source.
    pub const IMM0_SRC_OFFSET: usize = 35;
    /// Byte offset of op0.
    pub const OP0_OFFSET: usize = 36;
    /// Byte offset of op1.
    pub const OP1_OFFSET: usize = 37;
    /// Byte offset of the operand order.
    pub const REVERSE_OFFSET: usize = 38;
    /// Byte offset of imm1's source.
    pub const IMM1_SRC_OFFSET: usize = 39;
    /// Byte offset of imm0.
    pub const IMM0_OFFSET: usize = 40;
    /// Byte offset of imm1.
    pub const IMM1_OFFSET: usize = 44;
    /// Byte offset of dst.
    pub const DST_OFFSET: usize = 48;

    /// Reads the fields of any word.
    pub fn decode(word: &Word) -> Self {
        let [accumulator] = word.take(Self::ACCUMULATOR_OFFSET);
        let [in_dtype, out_dtype, num_active_channels, imm0_src, op0, op1, reverse, imm1_src] =
            word.take(Self::IN_DTYPE_OFFSET);
        let bits = |offset| u32::from_le_bytes(word.take(offset));
        Self {
            header: Header::decode(word),
            events: Events::decode(word),
            accumulator,
            reserved: word.take(Self::RESERVED_OFFSET),
            src: Tensor3d::decode(word, Self::SRC_OFFSET),
            in_dtype,
            out_dtype,
            num_active_channels,
            op0,
            op1,
            reverse,
            imm0: Immediate { src: imm0_src, bits: bits(Self::IMM0_OFFSET) },
            imm1: Immediate { src: imm1_src, bits: bits(Self::IMM1_OFFSET) },
            dst: Tensor3d::decode(word, Self::DST_OFFSET),
        }
    }

    /// The word of these fields.
    pub fn encode(&self) -> Word {
        let mut word = Word([0; 64]);
        self.header.encode(&mut word);
        self.events.encode(&mut word);
        word.put(Self::ACCUMULATOR_OFFSET, &[self.accumulator]);
        word.put(Self::RESERVED_OFFSET, &self.reserved);
        self.src.encode(&mut word, Self::SRC_OFFSET);
        let middle = [
            self.in_dtype,
            self.out_dtype,
            self.num_active_channels,
            self.imm0.src,
            self.op0,
            self.op1,
            self.reverse,
            self.imm1.src,
        ];
        word.put(Self::IN_DTYPE_OFFSET, &middle);
        word.put(Self::IMM0_OFFSET, &self.imm0.bits.to_le_bytes());
        word.put(Self::IMM1_OFFSET, &self.imm1.bits.to_le_bytes());
        self.dst.encode(&mut word, Self::DST_OFFSET);
        word
    }

    /// Whether the ops work on bit patterns.
    pub const fn is_bitvec(&self) -> bool {
        matches!(self.header.opcode, TENSOR_SCALAR_BITVEC_OP | TENSOR_SCALAR_PTR_BITVEC_OP)
    }

    /// Whether the opcode itself says that both scalars are pointers, whatever their source bytes say.
    pub const fn takes_pointers(&self) -> bool {
        matches!(self.header.opcode, TENSOR_SCALAR_PTR_ARITH_OP | TENSOR_SCALAR_PTR_BITVEC_OP)
    }

    /// Which ops have their operands exchanged, where the code is one.
    pub const fn reversed(&self) -> Option<Reverse> {
        Reverse::from_code(self.reverse)
    }
}
