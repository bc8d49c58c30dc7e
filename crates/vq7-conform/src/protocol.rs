//! The frames that drive another implementation over two streams. Source: docs/conformance.md, "Protocol".

use crate::check::CaseStatus;
use crate::manifest::Manifest;
use crate::record::{RECORD_BYTES, Record};
use crate::write::ListedNegative;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use vq7_isa::Word;

/// Version of the protocol.
pub const PROTOCOL_VERSION: u32 = 1;
/// Bytes that a line or a text of a client may have.
pub const LONGEST_TEXT: usize = 4096;

/// What a frame asks.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing more.
    End = 0,
    /// Run a word on the bytes of its windows.
    Case = 1,
    /// Say whether a word is legal.
    Negative = 2,
}

/// The first line, to the client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// `vq7-conform`
    pub protocol: String,
    /// Version.
    pub version: u32,
    /// The kit.
    pub kit: String,
    /// The target.
    pub target: String,
    /// Every knob with its value.
    pub policy: BTreeMap<String, String>,
    /// Bytes from one partition to the next.
    pub partition_stride: u32,
    /// Bytes of a partition.
    pub partition_bytes: u32,
    /// Cases that will come.
    pub cases: u64,
    /// Words to refuse that will come.
    pub negatives: u64,
}

/// The first line, from the client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientHello {
    /// `vq7-conform`
    pub protocol: String,
    /// Version.
    pub version: u32,
    /// Who it is.
    pub producer: String,
}

/// What a client said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The number of the frame that it answers.
    pub number: u32,
    /// What it says.
    pub status: CaseStatus,
    /// The windows behind, the rule, or the reason.
    pub body: Vec<u8>,
}

/// What a client may do wrong.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// Not a first line of this protocol.
    #[error("its first line is not {{\"protocol\": \"vq7-conform\", \"version\": 1, \"producer\": \"..\"}}: {0}")]
    Hello(String),
    /// No line at all.
    #[error("it says nothing")]
    Silent,
    /// A status that is none.
    #[error("it answers with status {0}; 0 is done, 1 illegal, 2 unsupported")]
    Status(u32),
    /// More bytes than anything that was asked for.
    #[error("it answers too much: {length} bytes where at most {most} are asked for")]
    TooMuch {
        /// How many.
        length: u32,
        /// How many there may be.
        most: u32,
    },
    /// The stream.
    #[error("its answer ends early: {0}")]
    Stream(#[from] io::Error),
}

impl Hello {
    /// The first line for a shard.
    pub fn new(manifest: &Manifest, stride: u32, bytes: u32) -> Self {
        Self {
            protocol: "vq7-conform".to_owned(),
            version: PROTOCOL_VERSION,
            kit: manifest.identity.kit.clone(),
            target: manifest.identity.target.clone(),
            policy: manifest.identity.policy.clone(),
            partition_stride: stride,
            partition_bytes: bytes,
            cases: manifest.counts.cases,
            negatives: manifest.counts.negatives,
        }
    }

    /// Writes the line.
    ///
    /// # Errors
    /// When the stream does not take it.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&serde_json::to_vec(self).unwrap_or_default())?;
        out.write_all(b"\n")?;
        out.flush()
    }
}

impl ClientHello {
    /// Reads the line.
    ///
    /// # Errors
    /// When it is another, or too long.
    pub fn read(input: &mut impl BufRead) -> Result<Self, ProtocolError> {
        let mut line = Vec::new();
        input.take(LONGEST_TEXT as u64).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Err(ProtocolError::Silent);
        }
        let hello: Self = serde_json::from_slice(&line).map_err(|error| {
            let shown: String = String::from_utf8_lossy(&line).trim_end().chars().take(60).collect();
            ProtocolError::Hello(format!("`{shown}`: {error}"))
        })?;
        match (hello.protocol.as_str(), hello.version) {
            ("vq7-conform", PROTOCOL_VERSION) => Ok(hello),
            (protocol, version) => Err(ProtocolError::Hello(format!("it speaks {protocol} {version}"))),
        }
    }
}

fn frame(out: &mut impl Write, kind: Kind, number: u32, rows: u32, parts: &[&[u8]]) -> io::Result<()> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    for field in [kind as u32, number, rows, length as u32] {
        out.write_all(&field.to_le_bytes())?;
    }
    parts.iter().try_for_each(|part| out.write_all(part))?;
    out.flush()
}

/// Asks for a case: record, word, rows of coefficients, windows before.
///
/// # Errors
/// When the stream does not take it.
pub fn write_case(
    out: &mut impl Write,
    number: u32,
    record: &[u8; RECORD_BYTES],
    word: &Word,
    coefficients: &[u8],
    input: &[u8],
) -> io::Result<()> {
    let rows = (coefficients.len() / 20) as u32;
    frame(out, Kind::Case, number, rows, &[record, &word.0, coefficients, input])
}

/// Asks about a word that must be refused: the word, and one byte of the engine (0 any, 1 pool, 2 dve).
///
/// # Errors
/// When the stream does not take it.
pub fn write_negative(out: &mut impl Write, number: u32, listed: &ListedNegative, word: &Word) -> io::Result<()> {
    let engine = vq7_isa::legality::Engine::parse(&listed.engine).unwrap_or_default();
    frame(out, Kind::Negative, number, 0, &[&word.0, &[engine as u8]])
}

/// Says that nothing more comes.
///
/// # Errors
/// When the stream does not take it.
pub fn write_end(out: &mut impl Write) -> io::Result<()> {
    frame(out, Kind::End, 0, 0, &[])
}

/// Reads an answer of at most `most` bytes; `None` at the end of the stream.
///
/// # Errors
/// [`ProtocolError`].
pub fn read_reply(input: &mut impl Read, most: u32) -> Result<Option<Reply>, ProtocolError> {
    let mut header = [0; 12];
    let mut filled = 0;
    while filled < header.len() {
        match input.read(header.get_mut(filled..).unwrap_or(&mut [])) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    let field = |at: usize| {
        let byte = |at: usize| header.get(at).copied().unwrap_or(0);
        u32::from_le_bytes([byte(at), byte(at + 1), byte(at + 2), byte(at + 3)])
    };
    let (number, status, length) = (field(0), field(4), field(8));
    let known = u8::try_from(status).ok().and_then(CaseStatus::from_byte);
    let status = known.filter(|status| *status != CaseStatus::Missing).ok_or(ProtocolError::Status(status))?;
    if length > most {
        return Err(ProtocolError::TooMuch { length, most });
    }
    let mut body = vec![0; length as usize];
    input.read_exact(&mut body)?;
    Ok(Some(Reply { number, status, body }))
}

/// The record of some bytes of `cases.bin`.
pub fn record_at(cases: &[u8], index: usize) -> Option<(Record, &[u8; RECORD_BYTES])> {
    let (records, _) = cases.as_chunks::<RECORD_BYTES>();
    records.get(index).map(|bytes| (Record::decode(bytes), bytes))
}
