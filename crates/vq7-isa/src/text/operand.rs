//! `dtype@address[steps][counts]`, printed and read.

use super::digits::Scrap;
use super::{Piece, TextError};
use crate::address::{Addr4, Marker};
use crate::dtype::Dtype;
use crate::pattern::{Indirect, Pattern};
use std::fmt::{self, Write};
use vq7_policy::Policy;

/// Prints an operand: dtype code, pattern.
pub fn print_operand<const N: usize>(dtype: u8, pattern: &Pattern<N>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_operand(&mut text, dtype, pattern);
    text
}

/// As [`print_operand`], at the end of a line.
pub(super) fn write_operand<const N: usize>(text: &mut String, dtype: u8, pattern: &Pattern<N>) -> fmt::Result {
    write_dtype(text, dtype)?;
    text.push('@');
    write_pattern(text, pattern)
}

pub(super) fn write_dtype(text: &mut String, dtype: u8) -> fmt::Result {
    match Dtype::from_code(dtype) {
        Some(dtype) => text.write_str(dtype.name()),
        None => write!(text, "{dtype:#04x}"),
    }
}

/// What follows the `@`.
pub(super) fn write_pattern<const N: usize>(text: &mut String, pattern: &Pattern<N>) -> fmt::Result {
    // A 12-byte slot is too small for the indirect descriptor; only a 16-byte one is reread.
    let indirect = if N == 3 { Indirect::of(&pattern.resized::<3>()) } else { None };
    if let Some(indirect) = indirect {
        return write_indirect(text, &indirect);
    }
    let mut scrap = Scrap::new();
    match pattern.start.marker() {
        Marker::Imm => scrap.hex(pattern.start.payload(), 1),
        _ => write_address(text, pattern.start)?,
    }
    add_list(&mut scrap, &pattern.step);
    add_list(&mut scrap, &pattern.num);
    scrap.put(text);
    Ok(())
}

/// At most four numbers of 16 bits.
fn add_list<T: Into<i32> + Copy>(scrap: &mut Scrap, values: &[T]) {
    for (i, value) in values.iter().enumerate() {
        scrap.byte(if i == 0 { b'[' } else { b',' });
        scrap.decimal((*value).into());
    }
    scrap.byte(b']');
}

/// Reads an operand: dtype code, pattern. Missing dimensions have step 1 and count 1.
///
/// # Errors
/// When the text is no operand; the span is relative to the text.
pub fn parse_operand<const N: usize>(text: &str, policy: &Policy) -> Result<(u8, Pattern<N>), TextError> {
    parse_operand_piece(Piece { text, at: 0 }, policy)
}

pub(super) fn parse_operand_piece<const N: usize>(
    piece: Piece<'_>,
    policy: &Policy,
) -> Result<(u8, Pattern<N>), TextError> {
    let (dtype, rest) = piece.split_once('@').ok_or_else(|| {
        piece.error(format!(
            "`{}` is no operand; write dtype@address[steps][counts], for example fp32@0x1000[1,1,1][512,1,1]",
            piece.text
        ))
    })?;
    Ok((parse_dtype(dtype, policy)?, parse_pattern(rest)?))
}

/// What follows the `@`.
pub(super) fn parse_pattern<const N: usize>(rest: Piece<'_>) -> Result<Pattern<N>, TextError> {
    if let Some(inner) = rest.strip_prefix("indirect(") {
        let pattern = if N == 3 {
            parse_indirect(inner)?
        } else {
            return Err(rest.error("only a 3-D operand has room for an indirect descriptor"));
        };
        return Ok(pattern.to_pattern().resized());
    }
    let (address, steps, counts) = split_lists(rest)
        .ok_or_else(|| rest.error("expected [steps][counts] after the address, for example [1,1,1][512,1,1]"))?;
    let start = parse_address(address)?;
    Ok(Pattern { start, step: parse_list(steps, "step")?, num: parse_list(counts, "count")? })
}

/// Cuts `address[steps][counts]`. From the end: an address from a register, `$R[5]`, has brackets of its own.
fn split_lists(piece: Piece<'_>) -> Option<(Piece<'_>, Piece<'_>, Piece<'_>)> {
    let lists_end = piece.strip_suffix("]")?;
    let between = lists_end.text.rfind("][")?;
    let steps_at = lists_end.text[..between].rfind('[')?;
    let part = |from: usize, to: usize| Piece { text: &lists_end.text[from..to], at: piece.at + from };
    Some((part(0, steps_at), part(steps_at + 1, between), part(between + 2, lists_end.text.len())))
}

fn parse_list<T: TryFrom<i128> + From<u8> + Copy, const N: usize>(
    piece: Piece<'_>,
    what: &str,
) -> Result<[T; N], TextError> {
    let mut values = [T::from(1u8); N];
    let mut at = piece.at;
    for (i, text) in piece.text.split(',').enumerate() {
        let item = Piece { text: text.trim(), at };
        at += text.len() + 1;
        let slot = values.get_mut(i).ok_or_else(|| piece.error(format!("at most {N} {what}s, index 0 innermost")))?;
        *slot = item.integer(what)?;
    }
    Ok(values)
}

/// A dtype by name, or by code where the code has no dtype.
pub(super) fn parse_dtype(piece: Piece<'_>, policy: &Policy) -> Result<u8, TextError> {
    if piece.text.starts_with("0x") {
        return piece.integer("dtype code");
    }
    Dtype::parse(piece.text, policy).map(Dtype::code).map_err(|error| piece.error(error.to_string()))
}

/// An address: `0x1000`, `$R[5]`, `shape_reg:0x1000`, `shape_reg:$R[5]`; any other value of the field as `raw:0x..`.
fn write_address(text: &mut String, start: Addr4) -> fmt::Result {
    let clean_register = start.register().filter(|_| start.payload() < 0x100);
    match (start.marker(), clean_register) {
        (Marker::Imm, _) => write!(text, "{:#x}", start.payload()),
        (Marker::ShapeReg, _) => write!(text, "shape_reg:{:#x}", start.payload()),
        (Marker::AddrReg, Some(register)) => write!(text, "$R[{register}]"),
        (Marker::AddrShapeReg, Some(register)) => write!(text, "shape_reg:$R[{register}]"),
        _ => write!(text, "raw:{:#010x}", start.0),
    }
}

fn parse_address(piece: Piece<'_>) -> Result<Addr4, TextError> {
    if let Some(raw) = piece.strip_prefix("raw:") {
        return Ok(Addr4(raw.hex_u32("address field")?));
    }
    let (rest, by_shape) = match piece.strip_prefix("shape_reg:") {
        Some(rest) => (rest, true),
        None => (piece, false),
    };
    if let Some(register) = rest.strip_prefix("$R[").and_then(|inner| inner.strip_suffix("]")) {
        let number: u8 = register.integer("register number")?;
        let marker = if by_shape { Marker::AddrShapeReg } else { Marker::AddrReg };
        return Ok(Addr4::with_marker(marker, number.into()));
    }
    let address = rest.hex_u32("address")?;
    if Addr4::immediate(address).payload() != address {
        return Err(rest.error("an address has 29 bits; write raw:0x.. for the whole field"));
    }
    Ok(Addr4::with_marker(if by_shape { Marker::ShapeReg } else { Marker::Imm }, address))
}

/// `indirect(index, data, count)` or, with bytes that have no meaning, `indirect(index, data, count, unused)`.
fn write_indirect(text: &mut String, indirect: &Indirect) -> fmt::Result {
    let Indirect { index, data, count, unused } = indirect;
    write!(text, "indirect({:#010x},{:#010x},{count}", index.0, data.0)?;
    if unused.iter().any(|&byte| byte != 0) {
        write!(text, ",{:x}", crate::word::HexBytes(unused))?;
    }
    text.write_char(')')
}

fn parse_indirect(piece: Piece<'_>) -> Result<Indirect, TextError> {
    let shape = "expected indirect(index, data, count) with the two address fields in hexadecimal";
    let inner = piece.strip_suffix(")").ok_or_else(|| piece.error(shape))?;
    let mut at = inner.at;
    let pieces: Vec<_> = inner
        .text
        .split(',')
        .map(|text| {
            let piece = Piece { text: text.trim(), at };
            at += text.len() + 1;
            piece
        })
        .collect();
    let (index, data, count, unused) = match pieces[..] {
        [index, data, count] => (index, data, count, [0; 6]),
        [index, data, count, unused] => (index, data, count, unused.bytes()?),
        _ => return Err(inner.error(shape)),
    };
    let index = Addr4(index.hex_u32("index address")?);
    if !index.is_indirect() {
        return Err(inner.error("the index address field must carry an indirect marker, 0x20 or 0xa0 in its top byte"));
    }
    Ok(Indirect { index, data: Addr4(data.hex_u32("data address")?), count: count.integer("count")?, unused })
}
