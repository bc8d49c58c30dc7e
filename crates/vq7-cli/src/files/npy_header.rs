//! The header of a `.npy` file: a Python dictionary of three keys.

use super::npy::{Element, Kind, NpyError};

/// NumPy allows no more dimensions.
const MOST_DIMENSIONS: usize = 64;
/// Headers of arrays are some hundred bytes; NumPy itself refuses longer ones.
const LONGEST: usize = 10_000;

/// What a header says.
#[derive(Debug)]
pub(super) struct Header {
    pub element: Element,
    pub big_endian: bool,
    pub fortran_order: bool,
    pub shape: Vec<usize>,
}

fn malformed(what: impl Into<String>) -> NpyError {
    NpyError::Header(what.into())
}

pub(super) fn parse(bytes: &[u8]) -> Result<Header, NpyError> {
    if bytes.len() > LONGEST {
        return Err(malformed(format!("it has {} bytes, and {LONGEST} are the most", bytes.len())));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| malformed("it is no text"))?;
    let mut reader = Reader { rest: text };
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    reader.expect('{')?;
    while !reader.take('}') {
        let key = reader.string()?;
        reader.expect(':')?;
        let first = match key {
            "descr" => descr.replace(reader.descr()?).is_none(),
            "fortran_order" => fortran_order.replace(reader.boolean()?).is_none(),
            "shape" => shape.replace(reader.shape()?).is_none(),
            other => return Err(malformed(format!("it has a key `{other}`"))),
        };
        if !first {
            return Err(malformed(format!("the key `{key}` stands twice")));
        }
        if !reader.take(',') {
            reader.expect('}')?;
            break;
        }
    }
    if !reader.rest.trim_matches(['\0', ' ', '\n', '\r', '\t']).is_empty() {
        return Err(malformed("something follows the dictionary"));
    }
    let missing = |key: &str| malformed(format!("the key `{key}` is missing"));
    let (element, big_endian) = element(descr.ok_or_else(|| missing("descr"))?)?;
    Ok(Header {
        element,
        big_endian,
        fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
        shape: shape.ok_or_else(|| missing("shape"))?,
    })
}

/// `<f4`: byte order, letter, bytes.
fn element(descr: &str) -> Result<(Element, bool), NpyError> {
    let unknown = || malformed(format!("`{descr}` is no element type"));
    let (big_endian, rest) = match descr.strip_prefix(['<', '|', '=']) {
        Some(rest) => (false, rest),
        None => descr.strip_prefix('>').map_or((false, descr), |rest| (true, rest)),
    };
    let mut letters = rest.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic).ok_or_else(unknown)?;
    let kind = match letter {
        'b' => Kind::Bool,
        'i' => Kind::Signed,
        'u' => Kind::Unsigned,
        'f' => Kind::Float,
        'V' => Kind::Void,
        other => Kind::Other(other),
    };
    // `<M8[ns]` has a unit after the size, `|O` no size at all. Both are refused later, by their letter.
    let digits = letters.as_str();
    let digits = digits.split('[').next().unwrap_or(digits);
    let size = match digits {
        "" if letter == 'O' => 8,
        digits if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().map_err(|_| unknown())?,
        _ => return Err(unknown()),
    };
    // Text counts characters of four bytes.
    let size = if letter == 'U' { usize::checked_mul(size, 4).ok_or_else(unknown)? } else { size };
    if size == 0 {
        return Err(malformed(format!("`{descr}` has elements of no bytes")));
    }
    Ok((Element { kind, size, descr: descr.to_owned() }, big_endian))
}

/// Reads Python literals from the front of a text.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, c: char) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, c: char) -> Result<(), NpyError> {
        match self.take(c) {
            true => Ok(()),
            false => Err(malformed(format!("expected `{c}` before `{}`", self.near()))),
        }
    }

    fn near(&self) -> String {
        self.rest.chars().take(12).collect()
    }

    fn string(&mut self) -> Result<&'a str, NpyError> {
        self.skip_space();
        let quote = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let parts = quote.and_then(|quote| self.rest.get(1..).and_then(|rest| rest.split_once(quote)));
        let (text, rest) = parts.ok_or_else(|| malformed(format!("expected a string before `{}`", self.near())))?;
        self.rest = rest;
        Ok(text)
    }

    fn descr(&mut self) -> Result<&'a str, NpyError> {
        self.skip_space();
        if self.rest.starts_with(['[', '(']) {
            return Err(NpyError::Structured);
        }
        self.string()
    }

    fn boolean(&mut self) -> Result<bool, NpyError> {
        self.skip_space();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(malformed(format!("expected True or False before `{}`", self.near())))
    }

    fn shape(&mut self) -> Result<Vec<usize>, NpyError> {
        self.expect('(')?;
        let mut shape = Vec::new();
        while !self.take(')') {
            shape.push(self.number()?);
            if shape.len() > MOST_DIMENSIONS {
                return Err(malformed(format!("more than {MOST_DIMENSIONS} dimensions")));
            }
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }

    fn number(&mut self) -> Result<usize, NpyError> {
        self.skip_space();
        if self.rest.starts_with('-') {
            return Err(malformed(format!("the shape has a negative extent, before `{}`", self.near())));
        }
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let number = digits.parse().map_err(|_| malformed(format!("expected a count before `{}`", self.near())))?;
        // Python 2 wrote long integers as `3L`.
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        Ok(number)
    }
}
