//! Opcode rows of the user's own: names and fields for words that the published tables do not know.

use super::field::{Field, Kind, PAYLOAD_OFFSET, Part};
use super::layouts::SPEC_OFFSET;
use super::{ExtendedTta, S3s3d3Tt};
use crate::opcode::{EXTENDED_INST, Opcode};
use crate::word::{WORD_BYTES, Word};
use std::borrow::Cow;

/// One row: which words it names, and their fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserOpcode {
    /// Byte 0.
    pub opcode: u8,
    /// Byte 12, which picks among the extended instructions; only opcode 0xF0 has it.
    pub spec: Option<u8>,
    /// The name that the text form begins with.
    pub name: String,
    /// The fields after header and events, in the order of the text form.
    pub fields: Vec<Field>,
}

/// Rows of the user's own, looked at before the published table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserOpcodes(Vec<UserOpcode>);

/// Why a row cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UserOpcodeError {
    /// A name that the text form cannot carry.
    #[error("`{0}` is no name; use letters, digits, `_` and `.`, beginning with a letter")]
    Name(String),
    /// A name that another opcode has.
    #[error("the name `{0}` belongs to another opcode; choose one that is free")]
    NameTaken(String),
    /// A spec beside an opcode whose words are not told apart by byte 12.
    #[error("spec is byte 12 of the extended instructions; opcode {0:#04x} has none, only 0xf0 has")]
    Spec(u8),
    /// A row without a spec for the extended instructions.
    #[error("opcode 0xf0 needs a spec: byte 12 says which extended instruction it is")]
    SpecMissing,
    /// Words that vq7 judges.
    #[error("vq7 reads, judges and runs this word by its published struct; a row cannot hide that")]
    Modelled,
    /// Two rows for one word.
    #[error("another row has the same opcode and spec")]
    Twice,
    /// A field that leaves the word.
    #[error("field `{0}` does not lie within bytes 12 to 63")]
    OutOfWord(String),
    /// Two fields that share bits.
    #[error("field `{0}` overlaps another field")]
    Overlap(String),
    /// Two fields of one name, or one of a name that every word has.
    #[error("field name `{0}` is used twice or belongs to every word (len, debug, hint, wait, update, value, raw)")]
    FieldTwice(String),
}

const RESERVED_NAMES: [&str; 7] = ["len", "debug", "hint", "wait", "update", "value", "raw"];

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
}

impl UserOpcodes {
    /// No rows.
    pub const EMPTY: Self = Self(Vec::new());

    /// Adds a row. Bytes that its fields leave out become fields of their own, so that no byte is lost.
    ///
    /// # Errors
    /// When the row cannot be used; the error says why.
    pub fn add(&mut self, mut row: UserOpcode) -> Result<(), UserOpcodeError> {
        if !is_name(&row.name) {
            return Err(UserOpcodeError::Name(row.name));
        }
        let published = Opcode::from_name(row.name.split('.').next().unwrap_or_default());
        let taken = published.is_some_and(|published| published.code != row.opcode);
        if taken || self.0.iter().any(|other| other.name == row.name) {
            return Err(UserOpcodeError::NameTaken(row.name));
        }
        match (row.opcode, row.spec) {
            (EXTENDED_INST, None) => return Err(UserOpcodeError::SpecMissing),
            (EXTENDED_INST, Some(ExtendedTta::EXTENDED_OPCODE)) => return Err(UserOpcodeError::Modelled),
            (EXTENDED_INST, Some(_)) | (_, None) => {}
            (opcode, Some(_)) => return Err(UserOpcodeError::Spec(opcode)),
        }
        if S3s3d3Tt::OPCODES.contains(&row.opcode) {
            return Err(UserOpcodeError::Modelled);
        }
        if self.0.iter().any(|other| (other.opcode, other.spec) == (row.opcode, row.spec)) {
            return Err(UserOpcodeError::Twice);
        }
        row.fields = with_gaps(row.fields, row.spec.is_some())?;
        self.0.push(row);
        Ok(())
    }

    /// The row of a word.
    pub fn of(&self, word: &Word) -> Option<&UserOpcode> {
        let spec = word.0[SPEC_OFFSET];
        self.0.iter().find(|row| row.opcode == word.opcode() && row.spec.is_none_or(|own| own == spec))
    }

    /// The row of a name.
    pub fn named(&self, name: &str) -> Option<&UserOpcode> {
        self.0.iter().find(|row| row.name == name)
    }

    /// The rows.
    pub fn rows(&self) -> &[UserOpcode] {
        &self.0
    }
}

/// The fields, and one for each run of bytes that none of them covers.
fn with_gaps(mut fields: Vec<Field>, has_spec: bool) -> Result<Vec<Field>, UserOpcodeError> {
    // Bits that are taken, per byte.
    let mut taken = [0u8; WORD_BYTES];
    taken[..PAYLOAD_OFFSET].fill(0xFF);
    if has_spec {
        taken[SPEC_OFFSET] = 0xFF;
    }
    for (at, field) in fields.iter().enumerate() {
        let name = field.name.to_string();
        if !is_name(&name) || name.contains('.') {
            return Err(UserOpcodeError::Name(name));
        }
        if RESERVED_NAMES.contains(&name.as_str()) || fields[..at].iter().any(|other| other.name == field.name) {
            return Err(UserOpcodeError::FieldTwice(name));
        }
        if !field.fits() {
            return Err(UserOpcodeError::OutOfWord(name));
        }
        let dtype = match field.kind {
            Kind::Operand(_, Some((offset, part))) => Some((offset, part)),
            _ => None,
        };
        let own_part = if let Kind::Dtype(part) = field.kind { part } else { Part::Byte };
        let mine = (field.offset..field.offset + field.bytes()).map(|offset| (offset, own_part));
        for (offset, part) in mine.chain(dtype) {
            let bits = match part {
                Part::Byte => 0xFF,
                Part::Low => 0x0F,
                Part::High => 0xF0,
            };
            if taken[offset] & bits != 0 {
                return Err(UserOpcodeError::Overlap(name));
            }
            taken[offset] |= bits;
        }
    }
    let mut at = PAYLOAD_OFFSET;
    while at < WORD_BYTES {
        let gap = |name: String, bytes, kind| Field { name: Cow::Owned(name), offset: bytes, kind, quiet: true };
        match taken[at] {
            0 => {
                let bytes = taken[at..].iter().take_while(|&&bits| bits == 0).count();
                fields.push(gap(format!("bytes{at}"), at, Kind::Bytes(bytes)));
                at += bytes;
                continue;
            }
            0x0F => fields.push(gap(format!("high{at}"), at, Kind::Dtype(Part::High))),
            0xF0 => fields.push(gap(format!("low{at}"), at, Kind::Dtype(Part::Low))),
            _ => {}
        }
        at += 1;
    }
    let mut names: Vec<_> = fields.iter().map(|field| field.name.clone()).collect();
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(UserOpcodeError::FieldTwice(pair[0].to_string())),
        None => Ok(fields),
    }
}
