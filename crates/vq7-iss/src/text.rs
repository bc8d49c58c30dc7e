//! Programs of bundles as text, a bundle per line, in the form that bundles print as.
//!
//! ```text
//! # comment
//! init:   movi a1, 8
//!         loop a1, end
//!         F0 { s0 ivp_sv2nx8_ip v0, a4, 64; s1 ivp_lv2nx8_ip v0, a2, 64 }
//! end:
//! ```
//!
//! Slots may be left out, then format and braces too: the first that fits is taken. `ivp_` may be left out. Numbers are decimal
//! or, after `0x`, hexadecimal.

use crate::bundle::{self, Arg, Bundle, BundleError, Op};
use crate::format::{FORMATS, Format, SlotSet};
use crate::mnemonic::{self, Body};
use crate::timing::{Cell, Params};
use crate::work::Work;
use std::collections::BTreeMap;
use std::fmt;

/// How a text is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// Stages and penalties.
    pub params: Params,
    /// Whether an op without a known value rule is timed and gives zeros; otherwise it is a mistake.
    pub unknown_as_zero: bool,
}

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

    /// The first word and the rest.
    fn word(&self) -> (Piece<'a>, Piece<'a>) {
        let end = self.text.find(char::is_whitespace).unwrap_or(self.text.len());
        (self.part(0, end), self.part(end, self.text.len()))
    }
}

/// A bundle's line: format and ops with the slots that are given.
struct Line<'a> {
    place: Piece<'a>,
    format: Option<&'static Format>,
    ops: Vec<(Option<u8>, Piece<'a>)>,
}

/// Reads a program.
///
/// # Errors
///
/// Every mistake, in order.
pub fn parse(source: &str, reading: &Reading) -> Result<Work, Vec<Mistake>> {
    let (mut labels, mut lines, mut mistakes) = (BTreeMap::new(), Vec::new(), Vec::new());
    for (number, text) in (1u32..).zip(source.lines()) {
        let code = text.split('#').next().unwrap_or("");
        let mut rest = Piece { text: code, line: number, column: 1 }.part(0, code.len());
        if let Some(colon) = rest.text.find(':') {
            let name = rest.part(0, colon);
            let is_name = !name.text.is_empty() && name.text.chars().all(|c| c.is_alphanumeric() || c == '_');
            if !is_name {
                mistakes.push(name.wrong("a label is a word of letters, digits and `_` before its colon"));
            } else if labels.insert(name.text, lines.len() as u32).is_some() {
                mistakes.push(name.wrong(format_args!("label `{}` stands twice", name.text)));
            }
            rest = rest.part(colon + 1, rest.text.len());
        }
        if !rest.text.is_empty() {
            match split_line(rest) {
                Ok(line) => lines.push(line),
                Err(mistake) => mistakes.push(mistake),
            }
        }
    }
    let mut work = Work::default();
    for line in &lines {
        match read_bundle(line, &labels, reading) {
            Ok(bundle) => {
                if let Err(error) = bundle.build_with(&mut work, line.place.line, &reading.params) {
                    mistakes.push(line.place.wrong(error));
                }
            }
            Err(mistake) => mistakes.push(mistake),
        }
    }
    mistakes.sort_by_key(|mistake| (mistake.line, mistake.column));
    if mistakes.is_empty() { Ok(work) } else { Err(mistakes) }
}

fn split_line(piece: Piece<'_>) -> Result<Line<'_>, Mistake> {
    let (format, inner) = match (piece.text.find('{'), piece.text.ends_with('}')) {
        (Some(open), true) => {
            let name = piece.part(0, open);
            let format = Format::named(name.text).ok_or_else(|| {
                let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
                name.wrong(format_args!("no format is named `{}`; there are {}", name.text, names.join(", ")))
            })?;
            (Some(format), piece.part(open + 1, piece.text.len() - 1))
        }
        (None, false) => (None, piece),
        _ => return Err(piece.wrong("a bundle in braces ends with `}` on its line")),
    };
    let mut ops = Vec::new();
    for part in inner.split(';').into_iter().filter(|part| !part.text.is_empty()) {
        let (first, rest) = part.word();
        let slot = first.text.strip_prefix(['s', 'S']).and_then(|digits| digits.parse().ok());
        ops.push(if slot.is_some() { (slot, rest) } else { (None, part) });
    }
    Ok(Line { place: piece, format, ops })
}

fn read_bundle(line: &Line<'_>, labels: &BTreeMap<&str, u32>, reading: &Reading) -> Result<Bundle, Mistake> {
    let mut ops = Vec::new();
    for (slot, piece) in &line.ops {
        ops.push((*slot, read_op(*piece, labels, reading)?));
    }
    let wrong = |error: &dyn fmt::Display| line.place.wrong(error);
    let Some(format) = line.format else {
        if ops.iter().any(|(slot, _)| slot.is_some()) {
            return Err(wrong(&"slots are slots of a format: write F0 { s0 ..; s3 .. }"));
        }
        return Bundle::place(ops.into_iter().map(|(_, op)| op).collect()).map_err(|error| wrong(&error));
    };
    let placed: Vec<(u8, Op)> = if ops.iter().all(|(slot, _)| slot.is_some()) {
        ops.into_iter().filter_map(|(slot, op)| Some((slot?, op))).collect()
    } else if ops.iter().all(|(slot, _)| slot.is_none()) {
        let sets: Vec<SlotSet> = ops.iter().map(|(_, op)| op.mnemonic.slots).collect();
        let slots = bundle::assign_in(format, &sets)
            .ok_or_else(|| wrong(&format_args!("{format} has no slots for these ops together")))?;
        slots.into_iter().zip(ops).map(|(slot, (_, op))| (slot, op)).collect()
    } else {
        return Err(wrong(&"either every op of a bundle has its slot, or none"));
    };
    let places: Vec<u8> = placed.iter().map(|(slot, _)| *slot).collect();
    Bundle::new(format, placed).map_err(|error| match error {
        // About one op: it is shown where that stands.
        BundleError::Slot { slot, .. } | BundleError::Occupied { slot, .. } => {
            let last = places.iter().rposition(|place| *place == slot);
            last.and_then(|at| line.ops.get(at)).map_or(line.place, |(_, piece)| *piece).wrong(error)
        }
        _ => wrong(&error),
    })
}

fn read_op(piece: Piece<'_>, labels: &BTreeMap<&str, u32>, reading: &Reading) -> Result<Op, Mistake> {
    let (name, rest) = piece.word();
    let mnemonic = mnemonic::find(name.text).ok_or_else(|| {
        let upper = name.text.to_ascii_uppercase();
        let plain = upper.strip_prefix("IVP_").unwrap_or(&upper);
        let near = vq7_isa::spelling::near(plain, mnemonic::all().map(|row| row.name));
        let near: Vec<_> = near.into_iter().filter_map(mnemonic::find).map(mnemonic::Mnemonic::text).collect();
        match near.is_empty() {
            true => name.wrong(format_args!("no op is named `{}`", name.text)),
            false => {
                name.wrong(format_args!("no op is named `{}`; did you mean `{}`?", name.text, near.join("` or `")))
            }
        }
    })?;
    if mnemonic.body == Body::Unknown && !reading.unknown_as_zero {
        return Err(name.wrong(format_args!(
            "no source gives the value rule of {}; --unknown-as-zero times it and lets it give zeros",
            mnemonic.text()
        )));
    }
    let parts = if rest.text.is_empty() { Vec::new() } else { rest.split(',') };
    let mut args = Vec::new();
    for part in &parts {
        args.push(argument(*part, labels)?);
    }
    Op::new(mnemonic, &args).map_err(|error| {
        let place = error.operand().and_then(|index| parts.get(index)).copied().unwrap_or(name);
        place.wrong(error)
    })
}

fn argument(piece: Piece<'_>, labels: &BTreeMap<&str, u32>) -> Result<Arg, Mistake> {
    if let Some(cell) = Cell::parse(piece.text) {
        return Ok(Arg::Reg(cell));
    }
    if let Some(number) = number(piece.text) {
        return Ok(Arg::Imm(number));
    }
    let bundle = labels.get(piece.text).copied().or_else(|| piece.text.strip_prefix('@')?.parse().ok());
    bundle.map(Arg::Label).ok_or_else(|| match file(piece.text) {
        Some((prefix, last)) => {
            piece.wrong(format_args!("`{}` is no register: they are {prefix}0 to {prefix}{last}", piece.text))
        }
        None => piece.wrong(format_args!("`{}` is no register, number or label", piece.text)),
    })
}

/// The file that a register of a number out of range would be of: its letters and its last register.
fn file(name: &str) -> Option<(&str, u8)> {
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let last = |prefix: &str| (0..=u8::MAX).rev().find(|number| Cell::parse(&format!("{prefix}{number}")).is_some());
    if prefix.len() == name.len() { None } else { last(prefix).map(|last| (prefix, last)) }
}

/// A decimal or hexadecimal number.
#[must_use]
pub fn number(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) if hex.starts_with(|c: char| c.is_ascii_hexdigit()) => i64::from_str_radix(hex, 16).ok()?,
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok()?,
        _ => return None,
    };
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_labels_formats_slots_and_numbers() {
        let source = "# a copy\n movi a1, 0x10\nloop a1, end\n\
                      F0 { s0 sv2nx8_ip v0, a4, 64; s1 ivp_lv2nx8_ip v0, a2, -64 }\naddnx16 v1, v2, v3\nend:";
        let work = parse(source, &Reading::default()).expect("a program");
        let shapes: Vec<_> =
            work.listing.bundles.iter().map(|bundle| (bundle.format.as_str(), bundle.line, bundle.ops.len())).collect();
        assert_eq!(shapes, [("x24", 2, 1), ("x24", 3, 1), ("F0", 4, 2), ("F0", 5, 1)]);
        assert_eq!(work.listing.op(2, 1), "ivp_lv2nx8_ip v0, a2, -64");
    }

    #[test]
    fn what_a_bundle_prints_is_read_back() {
        let source = "F1 { s0 sv2nx8_ip v5, a4, 64; s1 lv2nx8_ip v0, a2, 64; s2 ltnx16 vb1, v2, v3; s3 movvv v4, v8 }";
        let work = parse(source, &Reading::default()).expect("a program");
        let listed = work.listing.bundle(0);
        let ops: Vec<_> = listed.ops.iter().map(|op| format!("s{} {}", op.slot, op.text)).collect();
        let printed = format!("{} {{ {} }}", listed.format, ops.join("; "));
        let again = parse(&printed, &Reading::default()).expect("a program");
        assert_eq!(again.listing.bundles, work.listing.bundles);
    }

    #[test]
    fn mistakes_have_line_column_and_cause() {
        let source = "addnx16 v1, v2\n  addnx17 v1, v2, v3\nF0 { s3 addnx16 v32, v0, v0 }\nbeqz a1, nowhere\n\
                      F5 { nop }\nF0 { s3 addnx16 v1, v2, v3; s0 absnx16 v1, v2 }\nlv2nx8_i v1, a2, 3\nF0 { nop\n\
                      lv2nx8_i v1, a2, 0; lv2nx8_i v2, a3, 0; lv2nx8_i v3, a4, 0\nmul4tn16xr16 wv0, v1, v2\n\
                      F0 { s2 addnx16 v1, v2, v3 }\nx: nop\nx: nop\ns0 nop";
        let found = parse(source, &Reading::default()).expect_err("mistakes");
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        let expected = [
            "line 1, column 1: ivp_addnx16 has 3 operands, not 2",
            "line 2, column 3: no op is named `addnx17`; did you mean `ivp_addnx16",
            "line 3, column 17: `v32` is no register: they are v0 to v31",
            "line 4, column 10: `nowhere` is no register, number or label",
            "line 5, column 1: no format is named `F5`; there are x24",
            "line 6, column 1: two ops write v1",
            "line 7, column 18: operand 3 of ivp_lv2nx8_i is a constant from -512 to 448, a multiple of 64",
            "line 8, column 1: a bundle in braces ends with `}` on its line",
            "line 9, column 1: a third memory op",
            "line 10, column 1: no source gives the value rule of ivp_mul4tn16xr16",
            "line 11, column 9: F0.S2 cannot host ivp_addnx16; these can: F0.S3",
            "line 13, column 1: label `x` stands twice",
            "line 14, column 1: slots are slots of a format",
        ];
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}\n{expected}");
        }
        assert_eq!(found.len(), expected.len(), "{found:#?}");
    }

    #[test]
    fn numbers_are_decimal_or_hexadecimal() {
        assert_eq!([number("12"), number("-0x10"), number("0xff")], [Some(12), Some(-16), Some(255)]);
        assert_eq!([number(""), number("0x"), number("1x"), number("--1"), number("0x-1")], [None; 5]);
    }
}
