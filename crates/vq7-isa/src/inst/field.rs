//! Fields of a word as rows: one row says where a field stands and of what kind it is; reading and writing it, and its text
//! (`vq7_isa::text`), are derived from the row.

use crate::pattern::Pattern;
use crate::word::{WORD_BYTES, Word};
use std::borrow::Cow;

/// The first byte after header and events.
pub const PAYLOAD_OFFSET: usize = 12;
/// Bytes after header and events.
pub const PAYLOAD_BYTES: usize = WORD_BYTES - PAYLOAD_OFFSET;

/// Codes of a one-byte field and their names.
pub type Names = &'static [(u8, &'static str)];

/// A part of a byte that holds a dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Byte,
    /// Bits 0..3.
    Low,
    /// Bits 4..7.
    High,
}

impl Part {
    const fn get(self, byte: u8) -> u8 {
        match self {
            Self::Byte => byte,
            Self::Low => byte & 0xF,
            Self::High => byte >> 4,
        }
    }

    const fn set(self, byte: u8, value: u8) -> u8 {
        match self {
            Self::Byte => value,
            Self::Low => byte & 0xF0 | value & 0xF,
            Self::High => byte & 0xF | value << 4,
        }
    }
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A little-endian number of 1, 2, 4 or 8 bytes, printed in decimal.
    Number(usize),
    /// The same, printed in hexadecimal.
    Hex(usize),
    /// A byte whose codes have names.
    Named(Names),
    /// An ALU op.
    Op,
    /// A dtype.
    Dtype(Part),
    /// A strided pattern of so many dimensions, and where the dtype of its elements stands, if anywhere.
    Operand(usize, Option<(usize, Part)>),
    /// Bytes without a known meaning, or of a width that no source gives.
    Bytes(usize),
    /// Text that ends with a zero byte, and what follows it.
    Text(usize),
}

/// A field: one row of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, as the text form spells it.
    pub name: Cow<'static, str>,
    /// Its first byte in the word.
    pub offset: usize,
    /// What it holds.
    pub kind: Kind,
    /// Whether the text form leaves it out while it is zero.
    pub quiet: bool,
}

/// What a field of a word holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number, a code, an op or a dtype.
    Number(u64),
    /// Bytes, of which as many count as the field has.
    Bytes([u8; PAYLOAD_BYTES]),
    /// A pattern, grown to four dimensions, and the dtype of its elements where the word holds it.
    Operand {
        /// Code of the dtype.
        dtype: Option<u8>,
        /// The pattern; dimensions that the field does not have are step 1, count 1.
        pattern: Pattern<4>,
    },
}

impl Field {
    /// Bytes that the field spans, a dtype that stands elsewhere not counted.
    pub const fn bytes(&self) -> usize {
        match self.kind {
            Kind::Number(bytes) | Kind::Hex(bytes) | Kind::Bytes(bytes) | Kind::Text(bytes) => bytes,
            Kind::Named(_) | Kind::Op | Kind::Dtype(_) => 1,
            Kind::Operand(dimensions, _) => 4 + 4 * dimensions,
        }
    }

    /// Whether the field lies within the payload of a word, and its dtype does. Rows of users are held against it.
    pub fn fits(&self) -> bool {
        let within = |from: usize, bytes: usize| from >= PAYLOAD_OFFSET && bytes > 0 && from + bytes <= WORD_BYTES;
        let dtype_fits = match self.kind {
            Kind::Operand(_, Some((offset, _))) => within(offset, 1),
            _ => true,
        };
        self.offset < WORD_BYTES && within(self.offset, self.bytes()) && dtype_fits
    }

    /// The field's bytes.
    pub fn slice<'a>(&self, word: &'a Word) -> &'a [u8] {
        word.0.get(self.offset..self.offset + self.bytes()).unwrap_or_default()
    }

    /// Whether every byte of the field is zero.
    pub fn is_zero(&self, word: &Word) -> bool {
        self.slice(word).iter().all(|&byte| byte == 0)
    }

    /// Reads the field.
    pub fn read(&self, word: &Word) -> Value {
        match self.kind {
            Kind::Number(_) | Kind::Hex(_) | Kind::Named(_) | Kind::Op => {
                let bytes = self.slice(word).iter().rev();
                Value::Number(bytes.fold(0, |value, &byte| value << 8 | u64::from(byte)))
            }
            Kind::Dtype(part) => Value::Number(part.get(word.0[self.offset]).into()),
            Kind::Bytes(_) | Kind::Text(_) => {
                let mut bytes = [0; PAYLOAD_BYTES];
                let slice = self.slice(word);
                bytes[..slice.len()].copy_from_slice(slice);
                Value::Bytes(bytes)
            }
            Kind::Operand(dimensions, dtype) => Value::Operand {
                dtype: dtype.map(|(offset, part)| part.get(word.0[offset])),
                pattern: read_pattern(word, self.offset, dimensions),
            },
        }
    }

    /// Writes the field. A value of another kind than the field's is not written.
    pub fn write(&self, word: &mut Word, value: &Value) {
        match (self.kind, value) {
            (Kind::Number(_) | Kind::Hex(_) | Kind::Named(_) | Kind::Op, Value::Number(number)) => {
                word.put(self.offset, &number.to_le_bytes()[..self.bytes().min(8)]);
            }
            (Kind::Dtype(part), Value::Number(number)) => {
                word.0[self.offset] = part.set(word.0[self.offset], *number as u8);
            }
            (Kind::Bytes(_) | Kind::Text(_), Value::Bytes(bytes)) => word.put(self.offset, &bytes[..self.bytes()]),
            (Kind::Operand(dimensions, at), Value::Operand { dtype, pattern }) => {
                if let (Some((offset, part)), Some(dtype)) = (at, dtype) {
                    word.0[offset] = part.set(word.0[offset], *dtype);
                }
                write_pattern(word, self.offset, dimensions, pattern);
            }
            _ => {}
        }
    }
}

fn read_pattern(word: &Word, offset: usize, dimensions: usize) -> Pattern<4> {
    match dimensions {
        1 => Pattern::<1>::decode(word, offset).resized(),
        2 => Pattern::<2>::decode(word, offset).resized(),
        3 => Pattern::<3>::decode(word, offset).resized(),
        _ => Pattern::<4>::decode(word, offset),
    }
}

fn write_pattern(word: &mut Word, offset: usize, dimensions: usize, pattern: &Pattern<4>) {
    match dimensions {
        1 => pattern.resized::<1>().encode(word, offset),
        2 => pattern.resized::<2>().encode(word, offset),
        3 => pattern.resized::<3>().encode(word, offset),
        _ => pattern.encode(word, offset),
    }
}
