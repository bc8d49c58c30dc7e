//! The canonical text of a word: one line, and back to the same 64 bytes.
//!
//! ```text
//! TENSOR_TENSOR_ARITH_OP $S[11]>0 $S[22]++@complete op=add src0=float16@0x800040[1,8,1][8,4,1] src1=.. dst=.. channels=32;
//! EVENT_SEMAPHORE $S[11]>0;
//! MATMUL raw=<bytes 12..63>;
//! .word64 <64 bytes>;
//! ```
//!
//! A line is the opcode's header name, what it waits for, what it signals, and `key=value` fields. An operand reads
//! `dtype@address[steps][counts]` with index 0 innermost, as the vendor's profiler prints it. A word whose struct is
//! modelled is always shown typed, legal or not; fields at their usual value (length byte, debug bytes) are left out, and so
//! are reserved bytes and options that are zero. [`Lines`] reads and prints with opcode rows of the user's own.
//! Printing and reading of each piece stand side by side in one file, so that neither changes without the other.

mod digits;
mod events;
mod fields;
mod line;
mod operand;

pub use events::{parse_events, print_events};
pub use line::{Lines, is_word_line, parse_line, print_word};
pub use operand::{parse_operand, print_operand};

use std::ops::Range;

/// Why a line is no word: what is wrong, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TextError {
    /// Bytes of the line that are wrong.
    pub span: Range<usize>,
    /// What is wrong and what to write.
    pub message: String,
}

impl TextError {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into() }
    }
}

/// A piece of a line and where it stands.
#[derive(Clone, Copy, Debug)]
struct Piece<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Piece<'a> {
    fn span(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    fn error(&self, message: impl Into<String>) -> TextError {
        TextError::new(self.span(), message)
    }

    /// The part before and the part after the first `separator`.
    fn split_once(&self, separator: char) -> Option<(Self, Self)> {
        let (before, after) = self.text.split_once(separator)?;
        let at = self.at + before.len() + separator.len_utf8();
        Some((Self { text: before, at: self.at }, Self { text: after, at }))
    }

    fn strip_prefix(&self, prefix: &str) -> Option<Self> {
        self.text.strip_prefix(prefix).map(|text| Self { text, at: self.at + prefix.len() })
    }

    fn strip_suffix(&self, suffix: &str) -> Option<Self> {
        self.text.strip_suffix(suffix).map(|text| Self { text, at: self.at })
    }

    /// An integer: decimal, or hexadecimal after `0x`.
    fn integer<T: TryFrom<i128>>(&self, what: &str) -> Result<T, TextError> {
        let (negative, digits) = match self.text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, self.text),
        };
        let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => digits.parse::<u64>().ok(),
        };
        // from_str_radix and parse accept a sign of their own, which would make "--5" a number.
        let value = value.filter(|_| !digits.contains(['+', '-']));
        let value = value.map(|value| if negative { -i128::from(value) } else { i128::from(value) });
        value
            .and_then(|value| T::try_from(value).ok())
            .ok_or_else(|| self.error(format!("`{}` is no {what}; write a decimal number or 0x.. in range", self.text)))
    }

    /// An address or another bit field: hexadecimal, with or without `0x`, as the profiler prints it.
    fn hex_u32(&self, what: &str) -> Result<u32, TextError> {
        let digits = self.text.strip_prefix("0x").or_else(|| self.text.strip_prefix("0X")).unwrap_or(self.text);
        let value = if digits.contains(['+', '-']) { None } else { u32::from_str_radix(digits, 16).ok() };
        value.ok_or_else(|| self.error(format!("`{}` is no {what}; write up to eight hexadecimal digits", self.text)))
    }

    /// Exactly `N` bytes of hex digits in memory order.
    fn bytes<const N: usize>(&self) -> Result<[u8; N], TextError> {
        let mut bytes = [0u8; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// `count` bytes of hex digits in memory order, put into `bytes` from `at` on.
    fn bytes_at<const N: usize>(&self, bytes: &mut [u8; N], at: usize, count: usize) -> Result<[u8; N], TextError> {
        let slot = bytes.get_mut(at..at + count).ok_or_else(|| self.error("too many bytes"))?;
        self.fill(slot)?;
        Ok(*bytes)
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), TextError> {
        let count = bytes.len();
        let digits = self.text.as_bytes();
        if digits.len() != 2 * count {
            let wanted = 2 * count;
            return Err(self.error(format!("expected {count} bytes as {wanted} hex digits, found {}", digits.len())));
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |c: u8| {
                char::from(c).to_digit(16).ok_or_else(|| self.error(format!("`{}` is no hex digit", char::from(c))))
            };
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Ok(())
    }
}

/// The pieces of a line between white space.
fn pieces(line: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = Piece { text: line, at: 0 };
    std::iter::from_fn(move || {
        let start = rest.text.find(|c: char| !c.is_whitespace())?;
        let text = &rest.text[start..];
        let length = text.find(char::is_whitespace).unwrap_or(text.len());
        let piece = Piece { text: &text[..length], at: rest.at + start };
        rest = Piece { text: &text[length..], at: piece.at + length };
        Some(piece)
    })
}
