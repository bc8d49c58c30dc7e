//! One word as one line, printed and read.

use super::events::{EventsReader, write_events};
use super::operand::{parse_piece, write_operand};
use super::{Piece, TextError, pieces};
use crate::alu_op::AluOp;
use crate::header::{Header, LENGTH_UNITS};
use crate::inst::{ExtendedTta, Instruction, Other, S3s3d3Tt, extended_name};
use crate::opcode::{self, Opcode};
use crate::pattern::Pattern;
use crate::word::{HexBytes, Word};
use std::fmt::{self, Write};
use vq7_policy::Policy;

/// How raw words that have no opcode are written.
const RAW_WORD: &str = ".word64";
/// The name of the extended tensor-tensor word: its opcode, its extended opcode.
const EXTENDED_TT: &str = "EXTENDED_INST.TENSOR_TENSOR_ARITH";

/// Prints a word as its canonical line.
pub fn print_word(word: &Word) -> String {
    // A typed line is about 200 characters; one allocation holds it.
    let mut line = String::with_capacity(256);
    // Writing to a string cannot fail.
    let _ = write_word(&mut line, word);
    line
}

fn write_word(line: &mut String, word: &Word) -> fmt::Result {
    let instruction = Instruction::decode(word);
    let Some(row) = Opcode::from_code(word.opcode()) else {
        return write!(line, "{RAW_WORD} {word}; # Bad Opcode({:#04x})", word.opcode());
    };
    let is_extended = matches!(instruction, Instruction::ExtendedTensorTensor(_));
    line.push_str(if is_extended { EXTENDED_TT } else { row.name });
    write_header(line, instruction.header())?;
    write_events(line, instruction.events());
    match &instruction {
        Instruction::TensorTensor(tt) => {
            let operands =
                [("src0", tt.src0_dtype, &tt.src0), ("src1", tt.src1_dtype, &tt.src1), ("dst", tt.out_dtype, &tt.dst)];
            write_operands(line, tt.op, operands)?;
            write!(line, " channels={};", tt.num_active_channels)?;
        }
        Instruction::ExtendedTensorTensor(tta) => {
            let operands = [
                ("src0", tta.src0_dtype, &tta.src0),
                ("src1", tta.src1_dtype, &tta.src1),
                ("dst", tta.out_dtype, &tta.dst),
            ];
            write_operands(line, tta.op, operands)?;
            write_extended(line, tta)?;
            line.push(';');
        }
        Instruction::Other(other) => {
            write!(line, " raw={:x};", HexBytes(&other.payload))?;
            if other.header.opcode == opcode::EXTENDED_INST {
                let name = extended_name(other.payload[0]).unwrap_or("not named");
                write!(line, " # extended {} is {name}", other.payload[0])?;
            }
        }
    }
    Ok(())
}

/// Header bytes that are not at their usual value.
fn write_header(line: &mut String, header: &Header) -> fmt::Result {
    let fields =
        [("len", header.inst_word_len, LENGTH_UNITS), ("debug", header.debug_cmd, 0), ("hint", header.debug_hint, 0)];
    for (key, value, usual) in fields {
        if value != usual {
            write!(line, " {key}={value:#04x}")?;
        }
    }
    Ok(())
}

/// The op and the three tensors, in the order of the word.
fn write_operands<const N: usize>(line: &mut String, op: u8, operands: [(&str, u8, &Pattern<N>); 3]) -> fmt::Result {
    match AluOp::from_code(op) {
        Some(op) => write!(line, " op={}", op.name())?,
        None => write!(line, " op={op:#04x}")?,
    }
    for (key, dtype, pattern) in operands {
        write!(line, " {key}=")?;
        write_operand(line, dtype, pattern)?;
    }
    Ok(())
}

/// Completion info by its ports if the rest is as usual, and reserved bytes if they are not zero.
fn write_extended(line: &mut String, tta: &ExtendedTta) -> fmt::Result {
    match tta.completion_info & !ExtendedTta::PORTS_MASK == ExtendedTta::COMPLETION {
        true => write!(line, " ports={}", tta.ports()),
        false => write!(line, " completion={:#04x}", tta.completion_info),
    }?;
    for (key, bytes) in [("reserved", &tta.reserved[..]), ("tail", &tta.tail)] {
        if bytes.iter().any(|&byte| byte != 0) {
            write!(line, " {key}={:x}", HexBytes(bytes))?;
        }
    }
    Ok(())
}

/// Whether a line that begins with this word is meant as a canonical line: an opcode's name or `.word64`.
pub fn is_word_line(first: &str) -> bool {
    first == RAW_WORD || first == EXTENDED_TT || Opcode::from_name(first).is_some()
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
