//! Programs of bundles as text, a bundle per line.
//!
//! ```text
//! # comment
//! init:   movi a1, 8                                  one op; its slot is 0
//!         loop a1, end
//!         F0 { S0: sv2nx8_ip v0, a4, 64 | S1: lv2nx8_ip v0, a2, 64 }
//! end:
//! ```
//!
//! Ops of a bundle are separated by `|` and may have their slot in front; the format and the braces may be left out. Numbers are
//! decimal or, after `0x`, hexadecimal.

use crate::ops::{self, Operand};
use crate::timing::{Cell, Params};
use crate::work::{OpSpec, Work};
use std::collections::BTreeMap;
use std::fmt;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Mistake {}

/// A stretch of a line.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Piece<'a> {
    fn wrong(&self, message: impl fmt::Display) -> Mistake {
        Mistake { line: self.line, column: self.column, message: message.to_string() }
    }

    /// The part from byte `from` to byte `to`, without white space around.
    fn part(&self, from: usize, to: usize) -> Piece<'a> {
        let part = &self.text[from..to];
        let skipped = from + part.len() - part.trim_start().len();
        let column = self.column + self.text[..skipped].chars().count() as u32;
        Piece { text: part.trim(), line: self.line, column }
    }

    /// The parts between separators.
    fn split(&self, separator: char) -> Vec<Piece<'a>> {
        let mut from = 0;
        let ends = self.text.match_indices(separator).map(|(at, _)| at).chain([self.text.len()]);
        ends.map(|end| {
            let part = self.part(from.min(end), end);
            from = end + separator.len_utf8();
            part
        })
        .collect()
    }
}

/// A bundle's line: format and ops.
struct Line<'a> {
    format: &'a str,
    place: Piece<'a>,
    ops: Vec<(u8, Piece<'a>)>,
}

/// Reads a program.
///
/// # Errors
///
/// Every line that is wrong, in order.
pub fn parse(source: &str, params: &Params) -> Result<Work, Vec<Mistake>> {
    let (mut labels, mut lines, mut mistakes) = (BTreeMap::new(), Vec::new(), Vec::new());
    for (number, text) in (1u32..).zip(source.lines()) {
        let code = text.split('#').next().unwrap_or("");
        let mut rest = Piece { text: code, line: number, column: 1 }.part(0, code.len());
        if let Some(colon) = rest.text.find(':')
            && is_label(rest.text[..colon].trim())
        {
            let name = rest.part(0, colon);
            if labels.insert(name.text, lines.len() as u32).is_some() {
                mistakes.push(name.wrong(format_args!("label `{}` stands twice", name.text)));
            }
            rest = rest.part(colon + 1, rest.text.len());
        }
        if rest.text.is_empty() {
            continue;
        }
        match bundle(rest) {
            Ok(line) => lines.push(line),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    let mut work = Work::default();
    for line in &lines {
        let mut specs = Vec::new();
        for (slot, piece) in &line.ops {
            match op(*piece, *slot, &labels, params) {
                Ok(spec) => specs.push(spec),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        if let Err(message) = legal(&specs) {
            mistakes.push(line.place.wrong(message));
        } else if let Err(error) = work.push(line.format, line.place.line, &specs) {
            mistakes.push(line.place.wrong(error));
        }
    }
    mistakes.sort_by_key(|mistake| (mistake.line, mistake.column));
    if mistakes.is_empty() { Ok(work) } else { Err(mistakes) }
}

/// What a bundle may hold whatever its format: two memory ops, one store, one op per slot.
fn legal(specs: &[OpSpec]) -> Result<(), String> {
    let accesses = specs.iter().filter(|spec| spec.accesses()).count();
    let stores = specs.iter().filter(|spec| spec.egress > 0).count();
    if accesses > 2 {
        return Err(format!("{accesses} memory ops in one bundle; there are two ports"));
    }
    if stores > 1 {
        return Err(format!("{stores} stores in one bundle; one is possible"));
    }
    let twice = specs.windows(2).find(|pair| pair[0].slot == pair[1].slot);
    twice.map_or(Ok(()), |pair| Err(format!("two ops in slot {}", pair[0].slot)))
}

fn is_label(name: &str) -> bool {
    let slot = name.len() == 2 && name.starts_with(['S', 's']) && name.ends_with(|c: char| c.is_ascii_digit());
    !slot && !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn bundle(piece: Piece<'_>) -> Result<Line<'_>, Mistake> {
    let (format, inner) = match (piece.text.find('{'), piece.text.ends_with('}')) {
        (Some(open), true) => (piece.part(0, open).text, piece.part(open + 1, piece.text.len() - 1)),
        (None, false) => ("", piece),
        _ => return Err(piece.wrong("a bundle in braces ends with `}` on its line")),
    };
    let mut ops = Vec::new();
    for (number, part) in inner.split('|').into_iter().enumerate() {
        if part.text.is_empty() {
            continue;
        }
        let named = part.text.split_once(':').filter(|(slot, _)| slot.trim().len() == 2);
        let (slot, op) = match named {
            Some((slot, _)) => {
                let digit = slot.trim().strip_prefix(['S', 's']).and_then(|digit| digit.parse().ok());
                let slot: u8 = digit.filter(|slot| *slot < 5).ok_or_else(|| part.wrong("slots are S0 to S4"))?;
                (slot, part.part(part.text.find(':').map_or(0, |colon| colon + 1), part.text.len()))
            }
            None => (u8::try_from(number).unwrap_or(u8::MAX), part),
        };
        if slot > 4 {
            return Err(part.wrong("a bundle has five slots at most"));
        }
        ops.push((slot, op));
    }
    ops.sort_by_key(|(slot, _)| *slot);
    Ok(Line { format, place: piece, ops })
}

fn op(piece: Piece<'_>, slot: u8, labels: &BTreeMap<&str, u32>, params: &Params) -> Result<OpSpec, Mistake> {
    let end = piece.text.find(char::is_whitespace).unwrap_or(piece.text.len());
    let (name, rest) = (piece.part(0, end), piece.part(end, piece.text.len()));
    let mut operands = Vec::new();
    if !rest.text.is_empty() {
        for part in rest.split(',') {
            operands.push(operand(part, labels)?);
        }
    }
    ops::spec(name.text, slot, &operands, params).map_err(|error| match error {
        ops::OpError::Operand { number, .. } => {
            let place = rest.split(',').get(number - 1).copied().filter(|_| !rest.text.is_empty()).unwrap_or(name);
            place.wrong(format_args!("{}: {error}", name.text))
        }
        error => name.wrong(error),
    })
}

fn operand(piece: Piece<'_>, labels: &BTreeMap<&str, u32>) -> Result<Operand, Mistake> {
    let text = piece.text;
    if let Some(cell) = Cell::parse(text) {
        return Ok(Operand::Reg(cell));
    }
    if let Some(number) = number(text) {
        return Ok(Operand::Number(number));
    }
    if let Some(bundle) = labels.get(text) {
        return Ok(Operand::Target(*bundle));
    }
    Err(piece.wrong(format_args!("`{text}` is no register, number or label")))
}

/// A decimal or hexadecimal number.
#[must_use]
pub fn number(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok()?,
        None => return None,
    };
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(source: &str) -> Vec<String> {
        let mistakes = parse(source, &Params::default()).expect_err("mistakes");
        mistakes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn reads_labels_formats_slots_and_numbers() {
        let source =
            "# a copy\n movi a1, 0x10\nloop a1, end\nF0 { S0: sv2nx8_ip v0, a4, 64 | S1: lv2nx8_ip v0, a2, -64 }\nend:";
        let work = parse(source, &Params::default()).expect("a program");
        let texts: Vec<_> = work.listing.bundles.iter().map(|bundle| (bundle.line, bundle.ops.len())).collect();
        assert_eq!(texts, [(2, 1), (3, 1), (4, 2)]);
        assert_eq!(work.listing.op(2, 1), "lv2nx8_ip v0, a2, -64");
    }

    #[test]
    fn mistakes_have_line_column_and_cause() {
        let source = "addnx16 v1, v2\n  addnx17 v1, v2, v3\nF0 { S3: addnx16 v32, v0, v0 }\nbeqz a1, nowhere\n\
                      S5: nop\nmovi a1, 1 | movi a1, 2\nlv2nx8_i v1, a2, 3\nF0 { nop\nlv2nx8_i v1, a2, 0 | lv2nx8_i v2, a2, 0 | lv2nx8_i v3, a2, 0\n\
                      divnx16s_4step0 v3\nx: nop\nx: nop";
        let found = mistakes(source);
        let expected = [
            "line 1, column 1: addnx16: operand 3 is to be a register like v0",
            "line 2, column 3: no op is named `addnx17`; did you mean `",
            "line 3, column 18: `v32` is no register, number or label",
            "line 4, column 10: `nowhere` is no register, number or label",
            "line 5, column 1: slots are S0 to S4",
            "line 6, column 1: slots 0 and 1 both write a1: a register has one writer per bundle",
            "line 7, column 18: lv2nx8_i: operand 3 is to be a multiple of 64",
            "line 8, column 1: a bundle in braces ends with `}` on its line",
            "line 9, column 1: 3 memory ops in one bundle; there are two ports",
            "line 10, column 1: not modelled: the value rule of a divide step",
            "line 12, column 1: label `x` stands twice",
        ];
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}\n{expected}");
        }
        assert_eq!(found.len(), expected.len(), "{found:#?}");
    }

    #[test]
    fn every_name_is_an_op_or_says_what_is_missing() {
        for name in ops::names() {
            match ops::spec(&name, 0, &[], &Params::default()) {
                Err(ops::OpError::Unknown { .. }) => panic!("{name} is listed and not known"),
                Err(ops::OpError::Unimplemented { what }) => {
                    assert!(what.contains("rule") || what.contains("leaf"), "{what}")
                }
                _ => {}
            }
        }
    }
}
