//! S4D4_TR: one 4-D source, one 4-D destination. Copy and cast of the eleven opcodes that share it.
//! Source: docs/spec/scalar-forms.md, "S4D4_TR".

use crate::header::{Events, Header};
use crate::opcode::{CAST, COPY};
use crate::pattern::Pattern;
use crate::word::Word;

/// The 20-byte pattern of the copy and cast words.
pub type Tensor4d = Pattern<4>;

/// A copy or cast word, field by field. Fields hold what the word holds, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct S4d4Tr {
    /// Bytes 0..3.
    pub header: Header,
    /// Bytes 4..11.
    pub events: Events,
    /// Bytes 12..31.
    pub src: Tensor4d,
    /// Byte 32: dtype code of src.
    pub in_dtype: u8,
    /// Byte 33: dtype code of dst.
    pub out_dtype: u8,
    /// Byte 34: partitions that take part.
    pub num_active_channels: u8,
    /// Byte 35: 0 in a legal copy or cast.
    pub negated: u8,
    /// Byte 36: ALU op, BYPASS in a legal copy or cast.
    pub op: u8,
    /// Byte 37: TENSOR_SUBDIM, 0 (unused) or 2 (X).
    pub op_dim: u8,
    /// Byte 38: 0 in a legal copy or cast.
    pub mask_enable: u8,
    /// Bytes 39..43, zero in a legal word.
    pub reserved: [u8; 5],
    /// Bytes 44..63.
    pub dst: Tensor4d,
}

impl S4d4Tr {
    /// The opcodes of this struct whose rules are modelled.
    pub const OPCODES: [u8; 2] = [COPY, CAST];
    /// Byte offset of src.
    pub const SRC_OFFSET: usize = 12;
    /// Byte offset of src's dtype.
    pub const IN_DTYPE_OFFSET: usize = 32;
    /// Byte offset of the out dtype.
    pub const OUT_DTYPE_OFFSET: usize = 33;
    /// Byte offset of the channel count.
    pub const CHANNELS_OFFSET: usize = 34;
    /// Byte offset of `negated`.
    pub const NEGATED_OFFSET: usize = 35;
    /// Byte offset of the op.
    pub const OP_OFFSET: usize = 36;
    /// Byte offset of `op_dim`.
    pub const OP_DIM_OFFSET: usize = 37;
    /// Byte offset of `mask_enable`.
    pub const MASK_ENABLE_OFFSET: usize = 38;
    /// Byte offset of the reserved bytes.
    pub const RESERVED_OFFSET: usize = 39;
    /// Byte offset of dst.
    pub const DST_OFFSET: usize = 44;

    /// Reads the fields of any word.
    pub fn decode(word: &Word) -> Self {
        let [in_dtype, out_dtype, num_active_channels, negated, op, op_dim, mask_enable] =
            word.take(Self::IN_DTYPE_OFFSET);
        Self {
            header: Header::decode(word),
            events: Events::decode(word),
            src: Tensor4d::decode(word, Self::SRC_OFFSET),
            in_dtype,
            out_dtype,
            num_active_channels,
            negated,
            op,
            op_dim,
            mask_enable,
            reserved: word.take(Self::RESERVED_OFFSET),
            dst: Tensor4d::decode(word, Self::DST_OFFSET),
        }
    }

    /// The word of these fields.
    pub fn encode(&self) -> Word {
        let mut word = Word([0; 64]);
        self.header.encode(&mut word);
        self.events.encode(&mut word);
        self.src.encode(&mut word, Self::SRC_OFFSET);
        let middle = [
            self.in_dtype,
            self.out_dtype,
            self.num_active_channels,
            self.negated,
            self.op,
            self.op_dim,
            self.mask_enable,
        ];
        word.put(Self::IN_DTYPE_OFFSET, &middle);
        word.put(Self::RESERVED_OFFSET, &self.reserved);
        self.dst.encode(&mut word, Self::DST_OFFSET);
        word
    }
}
