//! One word as one line, printed and read.

use super::events::{EventsReader, print_events};
use super::operand::{parse_piece, print_operand};
use super::{Piece, TextError};
use crate::alu_op::AluOp;
use crate::header::{Header, LENGTH_UNITS};
use crate::inst::{ExtendedTta, Instruction, Other, S3s3d3Tt, extended_name};
use crate::opcode::{self, Opcode};
use crate::pattern::Pattern;
use crate::word::{HexBytes, Word};
use std::fmt::Write;
use vq7_policy::Policy;

/// How raw words that have no opcode are written.
const RAW_WORD: &str = ".word64";
/// The name of the extended tensor-tensor word: its opcode, its extended opcode.
const EXTENDED_TT: &str = "EXTENDED_INST.TENSOR_TENSOR_ARITH";

/// Prints a word as its canonical line.
pub fn print_word(word: &Word) -> String {
    let instruction = Instruction::decode(word);
    let Some(row) = Opcode::from_code(word.opcode()) else {
        return format!("{RAW_WORD} {word}; # Bad Opcode({:#04x})", word.opcode());
    };
    let name = if matches!(instruction, Instruction::ExtendedTensorTensor(_)) { EXTENDED_TT } else { row.name };
    let mut line = format!("{name}{}{}", print_header(instruction.header()), print_events(instruction.events()));
    match &instruction {
        Instruction::TensorTensor(tt) => {
            write!(
                line,
                " op={} src0={} src1={} dst={} channels={};",
                print_op(tt.op),
                print_operand(tt.src0_dtype, &tt.src0),
                print_operand(tt.src1_dtype, &tt.src1),
                print_operand(tt.out_dtype, &tt.dst),
                tt.num_active_channels,
            )
        }
        Instruction::ExtendedTensorTensor(tta) => write!(
            line,
            " op={} src0={} src1={} dst={}{};",
            print_op(tta.op),
            print_operand(tta.src0_dtype, &tta.src0),
            print_operand(tta.src1_dtype, &tta.src1),
            print_operand(tta.out_dtype, &tta.dst),
            print_extended(tta),
        ),
        Instruction::Other(other) => {
            let note = match other.header.opcode {
                opcode::EXTENDED_INST => match extended_name(other.payload[0]) {
                    Some(name) => format!(" # extended {} = {name}", other.payload[0]),
                    None => format!(" # extended {} is not named", other.payload[0]),
                },
                _ => String::new(),
            };
            write!(line, " raw={:x};{note}", HexBytes(&other.payload))
        }
    }
    .ok();
    line
}

/// Header bytes that are not at their usual value.
fn print_header(header: &Header) -> String {
    let fields =
        [("len", header.inst_word_len, LENGTH_UNITS), ("debug", header.debug_cmd, 0), ("hint", header.debug_hint, 0)];
    let unusual = fields.iter().filter(|(_, value, usual)| value != usual);
    unusual.map(|(key, value, _)| format!(" {key}={value:#04x}")).collect()
}

fn print_op(code: u8) -> String {
    AluOp::from_code(code).map_or_else(|| format!("{code:#04x}"), |op| op.name().to_owned())
}

/// Completion info by its ports if the rest is as usual, and reserved bytes if they are not zero.
fn print_extended(tta: &ExtendedTta) -> String {
    let mut text = match tta.completion_info & !ExtendedTta::PORTS_MASK == ExtendedTta::COMPLETION {
        true => format!(" ports={}", tta.ports()),
        false => format!(" completion={:#04x}", tta.completion_info),
    };
    let mut reserved = |key: &str, bytes: &[u8]| {
        if bytes.iter().any(|&byte| byte != 0) {
            write!(text, " {key}={:x}", HexBytes(bytes)).ok();
        }
    };
    reserved("reserved", &tta.reserved);
    reserved("tail", &tta.tail);
    text
}

/// Reads a canonical line: the inverse of [`print_word`]. Fields may stand in any order, names of ops and dtypes may be
/// any that users know, the final `;` and a `#` comment may follow.
///
/// # Errors
/// When the line is no word; the error says where and what to write.
pub fn parse_line(line: &str, policy: &Policy) -> Result<Word, TextError> {
    let code = line.split('#').next().unwrap_or("").trim_end().trim_end_matches(';');
    let mut pieces = pieces(code);
    let end = Piece { text: "", at: code.len() };
    let name = pieces
        .next()
        .ok_or_else(|| end.error("expected an instruction, for example TENSOR_TENSOR_ARITH_OP op=add .."))?;
    if name.text == RAW_WORD {
        let bytes = pieces.next().ok_or_else(|| end.error("expected 128 hex digits after .word64"))?;
        let word = Word(bytes.bytes()?);
        return pieces.next().map_or(Ok(word), |extra| Err(extra.error("nothing may follow the 64 bytes")));
    }
    let is_extended = name.text == EXTENDED_TT;
    let opcode = match is_extended {
        true => opcode::EXTENDED_INST,
        false => Opcode::from_name(name.text)
            .map(|row| row.code)
            .ok_or_else(|| name.error(format!("`{}` is no opcode; `vq7 opcodes` lists the names", name.text)))?,
    };
    let mut fields = Fields::read(Header::new(opcode), pieces, end)?;
    let instruction = if is_extended {
        Instruction::ExtendedTensorTensor(fields.extended(policy)?)
    } else if S3s3d3Tt::OPCODES.contains(&opcode) {
        Instruction::TensorTensor(fields.tensor_tensor(policy)?)
    } else {
        let payload = fields.required("raw")?.bytes()?;
        Instruction::Other(Other {
            header: fields.header,
            events: std::mem::take(&mut fields.events).finish(),
            payload,
        })
    };
    fields.nothing_left()?;
    Ok(instruction.encode())
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

/// The fields of a line, taken out one by one.
struct Fields<'a> {
    header: Header,
    events: EventsReader,
    fields: Vec<(&'a str, Piece<'a>, Piece<'a>)>,
    end: Piece<'a>,
}

impl<'a> Fields<'a> {
    fn read(mut header: Header, pieces: impl Iterator<Item = Piece<'a>>, end: Piece<'a>) -> Result<Self, TextError> {
        let mut events = EventsReader::default();
        let mut fields: Vec<(&str, Piece<'_>, Piece<'_>)> = Vec::new();
        for piece in pieces {
            if events.read(piece)? {
                continue;
            }
            let (key, value) = piece
                .split_once('=')
                .ok_or_else(|| piece.error(format!("expected key=value, found `{}`", piece.text)))?;
            if fields.iter().any(|(known, ..)| *known == key.text) {
                return Err(piece.error(format!("`{}` stands twice", key.text)));
            }
            match key.text {
                "len" => header.inst_word_len = value.integer("length byte")?,
                "debug" => header.debug_cmd = value.integer("debug byte")?,
                "hint" => header.debug_hint = value.integer("debug byte")?,
                _ => fields.push((key.text, piece, value)),
            }
        }
        Ok(Self { header, events, fields, end })
    }

    fn take(&mut self, key: &str) -> Option<Piece<'a>> {
        let index = self.fields.iter().position(|(known, ..)| *known == key)?;
        Some(self.fields.swap_remove(index).2)
    }

    fn required(&mut self, key: &str) -> Result<Piece<'a>, TextError> {
        self.take(key).ok_or_else(|| self.end.error(format!("missing {key}=..")))
    }

    fn operand<const N: usize>(&mut self, key: &str, policy: &Policy) -> Result<(u8, Pattern<N>), TextError> {
        parse_piece(self.required(key)?, policy)
    }

    fn source<const N: usize>(&mut self, key: &str, policy: &Policy) -> Result<(u8, Pattern<N>), TextError> {
        let piece = self.required(key)?;
        let (dtype, pattern) = parse_piece(piece, policy)?;
        if dtype > 0xF {
            return Err(piece.error("a source's dtype code is a nibble, 0x0 to 0xf"));
        }
        Ok((dtype, pattern))
    }

    fn op(&mut self) -> Result<u8, TextError> {
        let piece = self.required("op")?;
        if piece.text.starts_with("0x") {
            return piece.integer("op code");
        }
        AluOp::parse(piece.text).map(AluOp::code).map_err(|error| piece.error(error.to_string()))
    }

    fn tensor_tensor(&mut self, policy: &Policy) -> Result<S3s3d3Tt, TextError> {
        let op = self.op()?;
        let (src0_dtype, src0) = self.source("src0", policy)?;
        let (src1_dtype, src1) = self.source("src1", policy)?;
        let (out_dtype, dst) = self.operand("dst", policy)?;
        let num_active_channels = self.required("channels")?.integer("channel count")?;
        let events = std::mem::take(&mut self.events).finish();
        Ok(S3s3d3Tt {
            header: self.header,
            events,
            src0_dtype,
            src1_dtype,
            out_dtype,
            op,
            num_active_channels,
            src0,
            src1,
            dst,
        })
    }

    fn extended(&mut self, policy: &Policy) -> Result<ExtendedTta, TextError> {
        let op = self.op()?;
        let (src0_dtype, src0) = self.source("src0", policy)?;
        let (src1_dtype, src1) = self.source("src1", policy)?;
        let (out_dtype, dst) = self.operand("dst", policy)?;
        let completion_info = match (self.take("completion"), self.take("ports")) {
            (Some(completion), None) => completion.integer("completion info")?,
            (None, Some(ports)) => {
                let count: u8 = ports.integer("port count")?;
                if count > 7 {
                    return Err(ports.error("ports are 0 (all eight) to 7"));
                }
                ExtendedTta::COMPLETION | count << 3
            }
            (Some(completion), Some(_)) => return Err(completion.error("give completion=.. or ports=.., not both")),
            (None, None) => return Err(self.end.error("missing ports=..")),
        };
        let reserved = self.take("reserved").map(|piece| piece.bytes()).transpose()?.unwrap_or_default();
        let tail = self.take("tail").map(|piece| piece.bytes()).transpose()?.unwrap_or_default();
        let events = std::mem::take(&mut self.events).finish();
        Ok(ExtendedTta {
            header: self.header,
            events,
            completion_info,
            src0_dtype,
            src1_dtype,
            out_dtype,
            op,
            reserved,
            src0,
            src1,
            dst,
            tail,
        })
    }

    fn nothing_left(&self) -> Result<(), TextError> {
        match self.fields.first() {
            Some((key, piece, _)) => Err(piece.error(format!("this instruction has no field `{key}`"))),
            None => Ok(()),
        }
    }
}
