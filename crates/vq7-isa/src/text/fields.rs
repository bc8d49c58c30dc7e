//! `key=value` of the fields of a layout, printed and read.

use super::operand::{parse_dtype, parse_operand_piece, parse_pattern, write_dtype, write_pattern};
use super::{Piece, TextError};
use crate::alu_op::AluOp;
use crate::inst::field::{Field, Kind, PAYLOAD_BYTES, Part, Value};
use crate::pattern::Pattern;
use crate::word::{HexBytes, Word};
use std::fmt::{self, Write};
use vq7_policy::Policy;

/// Prints the fields, each with a leading space; quiet ones only when they are not zero.
pub(super) fn write_fields(text: &mut String, fields: &[Field], word: &Word) -> fmt::Result {
    for field in fields {
        if field.quiet && is_at_rest(field, word) {
            continue;
        }
        text.push(' ');
        text.push_str(&field.name);
        text.push('=');
        write_value(text, field, word)?;
    }
    Ok(())
}

/// A dtype may share its byte with another one.
fn is_at_rest(field: &Field, word: &Word) -> bool {
    match field.kind {
        Kind::Dtype(_) => field.read(word) == Value::Number(0),
        _ => field.is_zero(word),
    }
}

fn write_value(text: &mut String, field: &Field, word: &Word) -> fmt::Result {
    match (field.kind, field.read(word)) {
        (Kind::Number(_), Value::Number(number)) => write!(text, "{number}"),
        (Kind::Hex(_), Value::Number(number)) => write!(text, "{number:#x}"),
        (Kind::Named(names), Value::Number(number)) => {
            match names.iter().find(|(code, _)| u64::from(*code) == number) {
                Some((_, name)) => text.write_str(name),
                None => write!(text, "{number:#04x}"),
            }
        }
        (Kind::Op, Value::Number(number)) => match AluOp::from_code(number as u8) {
            Some(op) => text.write_str(op.name()),
            None => write!(text, "{number:#04x}"),
        },
        (Kind::Dtype(_), Value::Number(number)) => write_dtype(text, number as u8),
        (Kind::Operand(dimensions, _), Value::Operand { dtype, pattern }) => {
            if let Some(dtype) = dtype {
                write_dtype(text, dtype)?;
            }
            text.push('@');
            match dimensions {
                1 => write_pattern(text, &pattern.resized::<1>()),
                2 => write_pattern(text, &pattern.resized::<2>()),
                3 => write_pattern(text, &pattern.resized::<3>()),
                _ => write_pattern(text, &pattern),
            }
        }
        (Kind::Text(_), _) => write_text(text, field.slice(word)),
        _ => write!(text, "{:x}", HexBytes(field.slice(word))),
    }
}

/// `name`, or `name:hex` with the bytes after the zero byte that ends the name where they are not zero.
fn write_text(text: &mut String, bytes: &[u8]) -> fmt::Result {
    let end = bytes.iter().position(|&byte| byte == 0);
    let name = end.and_then(|end| bytes.get(..end)).filter(|name| name.iter().all(|&byte| is_text(byte)));
    match name {
        Some(name) => {
            name.iter().for_each(|&byte| text.push(char::from(byte)));
            let tail = bytes.get(name.len() + 1..).unwrap_or_default();
            if tail.iter().any(|&byte| byte != 0) {
                write!(text, ":{:x}", HexBytes(tail))?;
            }
            Ok(())
        }
        None => write!(text, "raw:{:x}", HexBytes(bytes)),
    }
}

const fn is_text(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/')
}

/// Reads the value of a field and writes it into the word.
pub(super) fn read_field(field: &Field, piece: Piece<'_>, policy: &Policy, word: &mut Word) -> Result<(), TextError> {
    let value = match field.kind {
        Kind::Number(bytes) | Kind::Hex(bytes) => Value::Number(number(piece, bytes)?),
        Kind::Named(names) => match names.iter().find(|(_, name)| *name == piece.text) {
            Some((code, _)) => Value::Number((*code).into()),
            None => {
                let names: Vec<_> = names.iter().map(|(_, name)| *name).collect();
                Value::Number(
                    number(piece, 1)
                        .map_err(|_| piece.error(format!("write one of {} or a code", names.join(", "))))?,
                )
            }
        },
        Kind::Op if piece.text.starts_with("0x") => Value::Number(number(piece, 1)?),
        Kind::Op => {
            let op = AluOp::parse(piece.text).map_err(|error| piece.error(error.to_string()))?;
            Value::Number(op.code().into())
        }
        Kind::Dtype(part) => Value::Number(checked_dtype(piece, parse_dtype(piece, policy)?, part)?.into()),
        Kind::Operand(dimensions, at) => read_operand(piece, dimensions, at, policy)?,
        Kind::Text(bytes) => Value::Bytes(read_text(piece, bytes)?),
        Kind::Bytes(bytes) => Value::Bytes(piece.bytes_at(&mut [0; PAYLOAD_BYTES], 0, bytes)?),
    };
    field.write(word, &value);
    Ok(())
}

fn number(piece: Piece<'_>, bytes: usize) -> Result<u64, TextError> {
    let number: u64 = piece.integer("number")?;
    match bytes < 8 && number >> (8 * bytes) != 0 {
        true => Err(piece.error(format!("`{}` does not fit {bytes} bytes", piece.text))),
        false => Ok(number),
    }
}

fn checked_dtype(piece: Piece<'_>, dtype: u8, part: Part) -> Result<u8, TextError> {
    match part != Part::Byte && dtype > 0xF {
        true => Err(piece.error("this dtype code is a nibble, 0x0 to 0xf")),
        false => Ok(dtype),
    }
}

fn read_operand(
    piece: Piece<'_>,
    dimensions: usize,
    at: Option<(usize, Part)>,
    policy: &Policy,
) -> Result<Value, TextError> {
    fn read<const N: usize>(piece: Piece<'_>, typed: bool, policy: &Policy) -> Result<(u8, Pattern<4>), TextError> {
        if typed {
            return parse_operand_piece::<N>(piece, policy).map(|(dtype, pattern)| (dtype, pattern.resized()));
        }
        let rest = piece.strip_prefix("@").ok_or_else(|| piece.error("write @address[steps][counts]"))?;
        parse_pattern::<N>(rest).map(|pattern| (0, pattern.resized()))
    }
    let typed = at.is_some();
    let (dtype, pattern) = match dimensions {
        1 => read::<1>(piece, typed, policy),
        2 => read::<2>(piece, typed, policy),
        3 => read::<3>(piece, typed, policy),
        _ => read::<4>(piece, typed, policy),
    }?;
    let dtype = at.map(|(_, part)| checked_dtype(piece, dtype, part)).transpose()?;
    Ok(Value::Operand { dtype, pattern })
}

fn read_text(piece: Piece<'_>, length: usize) -> Result<[u8; PAYLOAD_BYTES], TextError> {
    let mut bytes = [0; PAYLOAD_BYTES];
    if let Some(raw) = piece.strip_prefix("raw:") {
        return raw.bytes_at(&mut bytes, 0, length);
    }
    let (name, tail) = piece.split_once(':').map_or((piece, None), |(name, tail)| (name, Some(tail)));
    if name.text.len() >= length || !name.text.bytes().all(is_text) {
        return Err(name.error(format!("a name here has at most {} letters, digits, `_`, `.`, `-`, `/`", length - 1)));
    }
    bytes[..name.text.len()].copy_from_slice(name.text.as_bytes());
    match tail {
        Some(tail) => tail.bytes_at(&mut bytes, name.text.len() + 1, length - name.text.len() - 1),
        None => Ok(bytes),
    }
}
