//! One 64-byte instruction word, and words as text and files carry them.

use std::fmt;

/// Bytes of one instruction word.
pub const WORD_BYTES: usize = 64;

/// One instruction word: 64 bytes, fields little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word(pub [u8; WORD_BYTES]);

impl Word {
    /// The `N` bytes at `offset`. Callers pass constants; a field never crosses the end of a word.
    pub(crate) fn take<const N: usize>(&self, offset: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.0[offset..offset + N]);
        bytes
    }

    pub(crate) fn put(&mut self, offset: usize, bytes: &[u8]) {
        self.0[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// Byte 0.
    pub const fn opcode(&self) -> u8 {
        self.0[0]
    }

    /// Reads 128 hex digits; spaces and underscores between them, and a leading `0x`, are allowed.
    ///
    /// # Errors
    /// When a character is no hex digit, or when there are not 128 of them.
    pub fn from_hex(text: &str) -> Result<Self, HexError> {
        let digits = text.trim();
        let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).unwrap_or(digits);
        let mut word = [0u8; WORD_BYTES];
        let mut count = 0;
        for (column, c) in digits.char_indices() {
            if c == '_' || c.is_whitespace() {
                continue;
            }
            let digit = c.to_digit(16).ok_or(HexError::Digit { character: c, column: column + 1 })?;
            if let Some(byte) = word.get_mut(count / 2) {
                *byte = *byte << 4 | digit as u8;
            }
            count += 1;
        }
        if count != 2 * WORD_BYTES {
            return Err(HexError::Length(count));
        }
        Ok(Self(word))
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&HexBytes(&self.0), f)
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Word({self})")
    }
}

/// Bytes printed as hex digits in memory order.
pub(crate) struct HexBytes<'a>(pub &'a [u8]);

impl fmt::LowerHex for HexBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Why a text is not a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HexError {
    /// A character that is no hex digit.
    #[error(
        "`{character}` at column {column} is no hex digit; a word is 128 hex digits, spaces and underscores allowed"
    )]
    Digit {
        /// The character.
        character: char,
        /// Its column, from 1.
        column: usize,
    },
    /// Not 128 digits.
    #[error("a word is 128 hex digits (64 bytes), not {0}")]
    Length(usize),
}

/// Why bytes are not a stream of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// No bytes at all.
    #[error("the stream is empty; expected 64-byte words")]
    Empty,
    /// A length that is no multiple of 64.
    #[error(
        "{bytes} bytes are {whole} words of 64 bytes and {rest} bytes more; the stream is truncated or not a stream of words"
    )]
    Length {
        /// Bytes in the stream.
        bytes: usize,
        /// Whole words.
        whole: usize,
        /// Bytes left over.
        rest: usize,
    },
    /// A line of a hex text that is no word.
    #[error("line {line}: {error}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// Why.
        error: HexError,
    },
}

/// Reads a stream: raw 64-byte words back to back, or a text of one word of hex digits per line (blank lines and
/// `#` comments allowed). A text is told from raw words by holding nothing but printable ASCII and line ends.
///
/// # Errors
/// When the stream is empty, when raw bytes are no multiple of 64, or when a line is no word.
pub fn read_stream(bytes: &[u8]) -> Result<Vec<Word>, StreamError> {
    if bytes.is_empty() {
        return Err(StreamError::Empty);
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && text.bytes().all(|b| matches!(b, b'\t' | b'\n' | b'\r' | b' '..=b'~'))
    {
        let lines =
            text.lines().enumerate().map(|(index, line)| (index + 1, line.split('#').next().unwrap_or("").trim()));
        let words: Result<Vec<_>, _> = lines
            .filter(|(_, line)| !line.is_empty())
            .map(|(line, digits)| Word::from_hex(digits).map_err(|error| StreamError::Line { line, error }))
            .collect();
        return words.and_then(|words| if words.is_empty() { Err(StreamError::Empty) } else { Ok(words) });
    }
    let (words, rest) = bytes.as_chunks::<WORD_BYTES>();
    if !rest.is_empty() {
        return Err(StreamError::Length { bytes: bytes.len(), whole: words.len(), rest: rest.len() });
    }
    Ok(words.iter().copied().map(Word).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips_with_spaces_and_underscores() {
        let word = Word(std::array::from_fn(|i| (i * 37) as u8));
        let text = word.to_string();
        assert_eq!(Word::from_hex(&text), Ok(word));
        assert_eq!(Word::from_hex(&format!("0x{}_ {}", &text[..64], &text[64..])), Ok(word));
        assert_eq!(Word::from_hex(&text[2..]), Err(HexError::Length(126)));
        assert_eq!(Word::from_hex("41g0"), Err(HexError::Digit { character: 'g', column: 3 }));
    }

    #[test]
    fn a_stream_is_raw_words_or_a_text_of_hex_lines() {
        let word = Word([0xA5; 64]);
        assert_eq!(read_stream(&[word.0, word.0].concat()), Ok(vec![word, word]));
        assert_eq!(read_stream(format!("# two\n{word}\n\n{word} # again\n").as_bytes()), Ok(vec![word, word]));
        assert_eq!(read_stream(&[]), Err(StreamError::Empty));
        assert_eq!(read_stream(b"# nothing\n"), Err(StreamError::Empty));
        assert_eq!(read_stream(&[0xA5; 65]), Err(StreamError::Length { bytes: 65, whole: 1, rest: 1 }));
        assert!(read_stream(b"4110\n").unwrap_err().to_string().starts_with("line 1: a word is 128"));
    }
}
