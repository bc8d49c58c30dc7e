//! S3S3D3_TT: two 3-D sources, one 3-D destination. Same layout in every generation, no reserved byte.
//! Source: docs/spec/words.md, "S3S3D3_TT".

use crate::header::{Events, Header};
use crate::opcode::*;
use crate::pattern::Tensor3d;
use crate::word::Word;

/// A tensor-tensor word, field by field. Fields hold what the word holds, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct S3s3d3Tt {
    /// Bytes 0..3.
    pub header: Header,
    /// Bytes 4..11.
    pub events: Events,
    /// Low nibble of byte 12: dtype code of src0.
    pub src0_dtype: u8,
    /// High nibble of byte 12: dtype code of src1.
    pub src1_dtype: u8,
    /// Byte 13: dtype code of dst.
    pub out_dtype: u8,
    /// Byte 14: ALU op.
    pub op: u8,
    /// Byte 15: partitions that take part, counted from each pattern's first.
    pub num_active_channels: u8,
    /// Bytes 16..31.
    pub src0: Tensor3d,
    /// Bytes 32..47.
    pub src1: Tensor3d,
    /// Bytes 48..63.
    pub dst: Tensor3d,
}

impl S3s3d3Tt {
    /// The opcodes that are bound to this struct.
    pub const OPCODES: [u8; 8] = [
        TENSOR_TENSOR_ARITH_OP,
        TENSOR_TENSOR_BITVEC_OP,
        BATCH_NORM_BACK_PROP,
        COPY_PREDICATED,
        TENSOR_TENSOR_ADD_BF16,
        TENSOR_TENSOR_MULT_BF16,
        TENSOR_TENSOR_SUB_BF16,
        CAST_PREDICATED,
    ];
    /// Byte offset of the dtype pair.
    pub const DTYPES_OFFSET: usize = 12;
    /// Byte offset of the out dtype.
    pub const OUT_DTYPE_OFFSET: usize = 13;
    /// Byte offset of the op.
    pub const OP_OFFSET: usize = 14;
    /// Byte offset of the channel count.
    pub const CHANNELS_OFFSET: usize = 15;
    /// Byte offset of src0.
    pub const SRC0_OFFSET: usize = 16;
    /// Byte offset of src1.
    pub const SRC1_OFFSET: usize = 32;
    /// Byte offset of dst.
    pub const DST_OFFSET: usize = 48;

    /// Reads the fields of any word.
    pub fn decode(word: &Word) -> Self {
        let [dtypes, out_dtype, op, num_active_channels] = word.take(Self::DTYPES_OFFSET);
        Self {
            header: Header::decode(word),
            events: Events::decode(word),
            src0_dtype: dtypes & 0xF,
            src1_dtype: dtypes >> 4,
            out_dtype,
            op,
            num_active_channels,
            src0: Tensor3d::decode(word, Self::SRC0_OFFSET),
            src1: Tensor3d::decode(word, Self::SRC1_OFFSET),
            dst: Tensor3d::decode(word, Self::DST_OFFSET),
        }
    }

    /// The word of these fields. Source dtypes are nibbles: higher bits are dropped.
    pub fn encode(&self) -> Word {
        let mut word = Word([0; 64]);
        self.header.encode(&mut word);
        self.events.encode(&mut word);
        let dtypes = self.src0_dtype & 0xF | self.src1_dtype << 4;
        word.put(Self::DTYPES_OFFSET, &[dtypes, self.out_dtype, self.op, self.num_active_channels]);
        self.src0.encode(&mut word, Self::SRC0_OFFSET);
        self.src1.encode(&mut word, Self::SRC1_OFFSET);
        self.dst.encode(&mut word, Self::DST_OFFSET);
        word
    }
}
