//! One word as one line, printed and read.

use super::digits::Scrap;
use super::events::{EventsReader, write_events};
use super::fields::{read_field, write_fields};
use super::operand::{parse_operand_piece, write_operand};
use super::{Piece, TextError, pieces};
use crate::alu_op::AluOp;
use crate::header::{Events, Header, LENGTH_UNITS};
use crate::inst::field::{Field, PAYLOAD_BYTES, PAYLOAD_OFFSET};
use crate::inst::{
    ExtendedTta, Instruction, Layout, S3s3d3Tt, SPEC_OFFSET, UserOpcode, UserOpcodes, spec_name, spec_names,
};
use crate::opcode::{self, Opcode};
use crate::pattern::Pattern;
use crate::word::{HexBytes, WORD_BYTES, Word};
use std::fmt::{self, Write};
use vq7_policy::Policy;

/// How raw words that have no opcode are written.
const RAW_WORD: &str = ".word64";

/// Prints and reads canonical lines, with opcode rows of the user's own or without.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    user: &'a UserOpcodes,
}

static NO_ROWS: UserOpcodes = UserOpcodes::EMPTY;

impl Default for Lines<'_> {
    fn default() -> Self {
        Self { user: &NO_ROWS }
    }
}

/// Prints a word as its canonical line.
pub fn print_word(word: &Word) -> String {
    // A typed line is about 200 characters; one allocation holds it.
    let mut line = String::with_capacity(256);
    Lines::default().put(&mut line, word);
    line
}

impl<'a> Lines<'a> {
    /// Lines in which the user's rows are named; they are looked at before the published table.
    pub const fn with(user: &'a UserOpcodes) -> Self {
        Self { user }
    }

    /// Prints a word at the end of a text.
    pub fn put(&self, line: &mut String, word: &Word) {
        // Writing to a string cannot fail.
        let _ = self.write(line, word);
    }

    /// The name that a word's line begins with; `None` for an opcode that has no name.
    pub fn name(&self, word: &Word) -> Option<String> {
        if let Some(row) = self.user.of(word) {
            return Some(row.name.clone());
        }
        let row = Opcode::from_code(word.opcode())?;
        Some(spec_name(word).map_or_else(|| row.name.to_owned(), |spec| format!("{}.{spec}", row.name)))
    }

    fn write(&self, line: &mut String, word: &Word) -> fmt::Result {
        if let Some(row) = self.user.of(word) {
            line.push_str(&row.name);
            write_header(line, &Header::decode(word))?;
            write_events(line, &Events::decode(word));
            write_fields(line, &row.fields, word)?;
            line.push(';');
            return Ok(());
        }
        let instruction = Instruction::decode(word);
        let Some(row) = Opcode::from_code(word.opcode()) else {
            return write!(line, "{RAW_WORD} {word}; # Bad Opcode({:#04x})", word.opcode());
        };
        line.push_str(row.name);
        let spec = spec_name(word);
        if let Some(spec) = spec {
            line.push('.');
            line.push_str(spec);
        }
        write_header(line, instruction.header())?;
        write_events(line, instruction.events());
        match &instruction {
            Instruction::TensorTensor(tt) => {
                let operands = [
                    ("src0", tt.src0_dtype, &tt.src0),
                    ("src1", tt.src1_dtype, &tt.src1),
                    ("dst", tt.out_dtype, &tt.dst),
                ];
                write_operands(line, tt.op, operands)?;
                line.push_str(" channels=");
                let mut scrap = Scrap::new();
                scrap.decimal(tt.num_active_channels.into());
                scrap.byte(b';');
                scrap.put(line);
                Ok(())
            }
            Instruction::ExtendedTensorTensor(tta) => {
                let operands = [
                    ("src0", tta.src0_dtype, &tta.src0),
                    ("src1", tta.src1_dtype, &tta.src1),
                    ("dst", tta.out_dtype, &tta.dst),
                ];
                write_operands(line, tta.op, operands)?;
                write_extended(line, tta)?;
                line.write_char(';')
            }
            _ => match Layout::of(word) {
                Some(layout) => {
                    write_fields(line, after_spec(layout.fields, spec.is_some()), word)?;
                    line.push(';');
                    layout.note.map_or(Ok(()), |note| write!(line, " # {note}"))
                }
                None => write!(line, " raw={:x};", HexBytes(&word.0[PAYLOAD_OFFSET..])),
            },
        }
    }
}

/// The fields without the one that the name says already.
fn after_spec(fields: &[Field], named: bool) -> &[Field] {
    match fields.split_first() {
        Some((first, rest)) if named && first.offset == SPEC_OFFSET => rest,
        _ => fields,
    }
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
        Some(op) => {
            line.push_str(" op=");
            line.push_str(op.name());
        }
        None => write!(line, " op={op:#04x}")?,
    }
    for (key, dtype, pattern) in operands {
        line.push(' ');
        line.push_str(key);
        line.push('=');
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
    Lines::default().is_word_line(first)
}

/// Reads a canonical line: the inverse of [`print_word`]. Fields may stand in any order, names of ops and dtypes may be
/// any that users know, the final `;` and a `#` comment may follow; `raw=` with bytes 12 to 63 may stand for all fields of
/// a word that is not judged.
///
/// # Errors
/// When the line is no word; the error says where and what to write.
pub fn parse_line(line: &str, policy: &Policy) -> Result<Word, TextError> {
    Lines::default().parse(line, policy)
}

/// What the name of a line says.
#[derive(Clone, Copy)]
enum Named<'a> {
    User(&'a UserOpcode),
    Published { opcode: u8, spec: Option<u8> },
}

impl Lines<'_> {
    /// As [`is_word_line`], with the user's names.
    pub fn is_word_line(&self, first: &str) -> bool {
        first == RAW_WORD || self.named(first).is_some()
    }

    fn named(&self, name: &str) -> Option<Named<'_>> {
        if let Some(row) = self.user.named(name) {
            return Some(Named::User(row));
        }
        let (opcode, spec) = name.split_once('.').map_or((name, None), |(opcode, spec)| (opcode, Some(spec)));
        let opcode = Opcode::from_name(opcode)?.code;
        let spec = match spec {
            Some(spec) => Some(spec_names(opcode).iter().find(|(_, name)| *name == spec)?.0),
            None => None,
        };
        Some(Named::Published { opcode, spec })
    }

    /// As [`parse_line`], with the user's names.
    ///
    /// # Errors
    /// When the line is no word; the error says where and what to write.
    pub fn parse(&self, line: &str, policy: &Policy) -> Result<Word, TextError> {
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
        let named = self
            .named(name.text)
            .ok_or_else(|| name.error(format!("`{}` is no opcode; `vq7 opcodes` lists the names", name.text)))?;
        let opcode = match named {
            Named::User(row) => row.opcode,
            Named::Published { opcode, .. } => opcode,
        };
        let mut fields = Fields::read(Header::new(opcode), pieces, end)?;
        let word = match named {
            Named::User(row) => fields.listed(&row.fields, row.spec, policy)?,
            Named::Published { opcode: opcode::EXTENDED_INST, spec: Some(ExtendedTta::EXTENDED_OPCODE) } => {
                fields.extended(policy)?.encode()
            }
            Named::Published { opcode, .. } if S3s3d3Tt::OPCODES.contains(&opcode) => {
                fields.tensor_tensor(policy)?.encode()
            }
            Named::Published { opcode, spec } => match (fields.take("raw"), Layout::of_opcode(opcode)) {
                (None, Some(layout)) => fields.listed(after_spec(layout.fields, spec.is_some()), spec, policy)?,
                (Some(raw), _) => fields.raw(raw, spec)?,
                (None, None) => return Err(end.error("missing raw=..")),
            },
        };
        fields.nothing_left()?;
        Ok(word)
    }
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
        parse_operand_piece(self.required(key)?, policy)
    }

    fn source<const N: usize>(&mut self, key: &str, policy: &Policy) -> Result<(u8, Pattern<N>), TextError> {
        let piece = self.required(key)?;
        let (dtype, pattern) = parse_operand_piece(piece, policy)?;
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

    /// Header and events of a word whose payload is yet to come.
    fn prefix(&mut self) -> Word {
        let mut word = Word([0; WORD_BYTES]);
        self.header.encode(&mut word);
        std::mem::take(&mut self.events).finish().encode(&mut word);
        word
    }

    fn listed(&mut self, fields: &[Field], spec: Option<u8>, policy: &Policy) -> Result<Word, TextError> {
        let mut word = self.prefix();
        if let Some(spec) = spec {
            word.0[SPEC_OFFSET] = spec;
        }
        for field in fields {
            match self.take(&field.name) {
                Some(piece) => read_field(field, piece, policy, &mut word)?,
                None if field.quiet => {}
                None => return Err(self.end.error(format!("missing {}=..", field.name))),
            }
        }
        Ok(word)
    }

    fn raw(&mut self, raw: Piece<'a>, spec: Option<u8>) -> Result<Word, TextError> {
        let payload: [u8; PAYLOAD_BYTES] = raw.bytes()?;
        if spec.is_some_and(|spec| payload[0] != spec) {
            return Err(raw.error("the first of these bytes says another instruction than the name"));
        }
        let mut word = self.prefix();
        word.put(PAYLOAD_OFFSET, &payload);
        if Instruction::decode(&word).is_modelled() {
            return Err(raw.error("a word that is judged is written by its fields"));
        }
        Ok(word)
    }

    fn nothing_left(&self) -> Result<(), TextError> {
        match self.fields.first() {
            Some((key, piece, _)) => Err(piece.error(format!("this instruction has no field `{key}`"))),
            None => Ok(()),
        }
    }
}
