//! Bundles as bytes: which are known, which are fitted, and which nobody has published.
//!
//! | module | owns |
//! |---|---|
//! | `bits` | fields whose bits are scattered over a bundle |
//! | [`slot_word`] | the 32-bit word that a slot gathers: operand windows and selectors |
//! | [`n0`] | whole N0 bundles: 42 ALU ops in S3 |
//! | [`n2`] | whole N2 bundles: five compares in S0, and one store |
//!
//! Every other bundle has a format and a length and no more: its slots are [`Content::Unknown`]. Nothing is made up to fill
//! them, and what cannot be encoded is refused (docs/spec/iss-encoding.md).

mod bits;
pub mod n0;
pub mod n2;
pub mod slot_word;

use crate::bundle::{Bundle, Op};
use crate::format::{Format, length};
use std::fmt;

/// How an encoding is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// Printed by the source.
    Published,
    /// Fitted to the printed bundles: they are no test of it.
    Fitted,
}

impl Trust {
    /// `published` or `fitted`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Fitted => "fitted",
        }
    }
}

/// What a slot holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// An op.
    Op {
        /// Its text, `ivp_addnx16 v3, v1, v2`.
        text: String,
        /// The same as an op, if its mnemonic has a row.
        op: Option<Op>,
        /// How its encoding is known.
        trust: Trust,
    },
    /// A nop.
    Nop,
    /// Bits that no source explains: the slot's word where its bits are known.
    Unknown(Option<u32>),
}

/// A bundle as its bytes say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Its format.
    pub format: &'static Format,
    /// Its bytes in the order of addresses.
    pub bytes: Vec<u8>,
    /// Its slots in issue order.
    pub slots: Vec<Content>,
}

/// Why bytes are no bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// No byte at all.
    Empty,
    /// First and fourth byte that no format has.
    Illegal {
        /// The first byte.
        first: u8,
        /// The fourth byte.
        fourth: u8,
    },
    /// Too few bytes.
    Short {
        /// The format, once it is known.
        format: Option<&'static str>,
        /// Bytes that it has.
        needs: u8,
        /// Bytes that are there.
        has: usize,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no bytes"),
            Self::Illegal { first, fourth } => {
                write!(f, "no format begins with byte {first:#04x} and has {fourth:#04x} as its fourth")
            }
            Self::Short { format: Some(format), needs, has } => {
                write!(f, "a bundle of {format} has {needs} bytes, and there are {has}")
            }
            Self::Short { format: None, needs, has } => {
                write!(f, "the first {needs} bytes say which format it is, and there are {has}")
            }
        }
    }
}

impl std::error::Error for DecodeError {}

/// Why a bundle has no bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// Where the bits of this format's slots lie is not published.
    Layout(&'static str),
    /// No selector of the op in this slot is published.
    Selector {
        /// The op's text.
        op: String,
        /// The format.
        format: &'static str,
        /// The slot.
        slot: u8,
    },
    /// An operand that the known field cannot hold.
    Operand {
        /// The op's text.
        op: String,
        /// Which operand, from 0.
        index: usize,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layout(format) => {
                write!(f, "where the bits of the slots of {format} lie is not published; only N0 and N2 can be encoded")
            }
            Self::Selector { op, format, slot } => write!(f, "no selector of `{op}` in {format}.S{slot} is published"),
            Self::Operand { op, index } => {
                write!(f, "operand {} of `{op}` does not fit the published field", index + 1)
            }
        }
    }
}

impl std::error::Error for EncodeError {}

/// The bundle at the start of `bytes`; what follows it is left alone.
///
/// # Errors
/// [`DecodeError`].
pub fn decode(bytes: &[u8]) -> Result<Decoded, DecodeError> {
    let first = *bytes.first().ok_or(DecodeError::Empty)?;
    // The shorter formats are told by the first byte alone.
    let fourth = bytes.get(3).copied();
    if first & 15 >= 14 && fourth.is_none() {
        return Err(DecodeError::Short { format: None, needs: 4, has: bytes.len() });
    }
    let illegal = DecodeError::Illegal { first, fourth: fourth.unwrap_or(0) };
    let needs = length(first, fourth.unwrap_or(0)).ok_or(illegal)?;
    let format = Format::of(bytes).ok_or(illegal)?;
    let own = bytes.get(..usize::from(needs)).ok_or(DecodeError::Short {
        format: Some(format.name),
        needs,
        has: bytes.len(),
    })?;
    let slots = match format.name {
        "N0" => n0::decode(word(own)),
        "N2" => n2::decode(word(own)),
        _ => vec![Content::Unknown(None); format.slots.len()],
    };
    Ok(Decoded { format, bytes: own.to_vec(), slots })
}

/// The bytes of a bundle, in the order of addresses.
///
/// # Errors
/// [`EncodeError`]: where the source publishes nothing, nothing is made up.
pub fn encode(bundle: &Bundle) -> Result<Vec<u8>, EncodeError> {
    let word = match bundle.format().name {
        "N0" => n0::encode(bundle)?,
        "N2" => n2::encode(bundle)?,
        other => return Err(EncodeError::Layout(other)),
    };
    Ok(word.to_le_bytes().to_vec())
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// `N0 { s0 nop; s3 ivp_addnx16 v3, v1, v2 }`
impl fmt::Display for Decoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {{", self.format)?;
        for (slot, content) in self.slots.iter().enumerate() {
            let semicolon = if slot > 0 { ";" } else { "" };
            match content {
                Content::Op { text, .. } => write!(f, "{semicolon} s{slot} {text}")?,
                Content::Nop => write!(f, "{semicolon} s{slot} nop")?,
                Content::Unknown(Some(word)) => write!(f, "{semicolon} s{slot} ?{word:#010x}")?,
                Content::Unknown(None) => write!(f, "{semicolon} s{slot} ?")?,
            }
        }
        f.write_str(" }")
    }
}

#[cfg(test)]
mod tests;
