//! NEFF packages: what a compiled kernel comes in. Bytes in, bytes out.
//!
//! A package is a header of 1024 bytes (or none) and a tar archive, plain or in gzip. [`Neff::open`] reads it, [`Neff::streams`]
//! finds the instruction streams, [`Neff::words`] reads one, [`Neff::replace`] puts other words into one.
//! Source: docs/spec/streams.md.
//!
//! **Invariants:** no I/O; nothing is unpacked to disk and no link is followed; memory and time are bounded by [`Limits`] and
//! the size of the file; no input panics.

mod archive;
mod discovery;
mod error;
mod header;

pub use archive::Member;
pub use error::NeffError;
pub use header::FileHeader;

use archive::Gzip;
use serde::Serialize;
use std::borrow::Cow;
use std::ops::Range;
use vq7_isa::Word;
use vq7_isa::inst::{EXIT_EXECUTION, SPEC_OFFSET};
use vq7_isa::opcode::{PSEUDO_INST, QUANTIZE_MX};
use vq7_isa::word::WORD_BYTES;

/// How much a package may hold. Bounds the memory that a hostile file can cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub file: u64,
    /// Bytes of the archive with gzip taken off.
    pub archive: u64,
    /// Members of the archive.
    pub members: usize,
}

impl Limits {
    /// Limits for files and archives of so many MiB.
    pub const fn mib(mib: u64) -> Self {
        let bytes = mib.saturating_mul(1 << 20);
        Self { file: bytes, archive: bytes, members: 1 << 16 }
    }
}

/// 256 MiB for file and archive each: less than 1 GiB of memory for anything that is done with a package.
impl Default for Limits {
    fn default() -> Self {
        Self::mib(256)
    }
}

/// The engines that have streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The matrix engine.
    Pe,
    /// The activation engine.
    Act,
    /// The GpSimd engine.
    Pool,
    /// The vector engine.
    Dve,
    /// The synchronisation processor.
    Sp,
}

impl Engine {
    /// `pe`, `act`, `pool`, `dve` or `sp`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pe => "pe",
            Self::Act => "act",
            Self::Pool => "pool",
            Self::Dve => "dve",
            Self::Sp => "sp",
        }
    }

    /// The engine that a file's name stands for: `pool.bin`, `Pool0.json`, `sg00/Activation1.bin`, `PE`.
    pub fn of_file(name: &str) -> Option<Self> {
        let base = name.rsplit('/').next().unwrap_or(name);
        let stem = base.split('.').next().unwrap_or(base).to_ascii_lowercase();
        Some(match stem.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_') {
            "pe" => Self::Pe,
            "act" | "activation" => Self::Act,
            "pool" => Self::Pool,
            "dve" => Self::Dve,
            "sp" => Self::Sp,
            _ => return None,
        })
    }
}

/// What led to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// The key `instr` of an engine's JSON.
    EngineJson,
    /// A key `*_instr` of def.json.
    DefJson,
    /// The member's own name.
    Name,
}

/// An instruction stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The member that holds it.
    pub member: String,
    /// The engine that runs it, where its name or that of its JSON says so.
    pub engine: Option<Engine>,
    /// What led to it.
    pub found_by: FoundBy,
}

/// The words of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamWords {
    /// The words, up to the first whose framing is not known.
    pub words: Vec<Word>,
    /// The word at which reading stopped: a QUANTIZE_MX of length 0x11. How many bytes it takes is not published, so what
    /// follows it cannot be read.
    pub stopped: Option<usize>,
    /// The first word that ends the stream.
    pub end: Option<usize>,
}

/// A package.
#[derive(Clone, Debug)]
pub struct Neff<'a> {
    file: &'a [u8],
    header: Option<FileHeader>,
    payload: Range<usize>,
    tar: Cow<'a, [u8]>,
    gzip: Option<Gzip>,
    members: Vec<Member>,
}

/// Whether bytes begin like a package: gzip, tar, or a header with a version and a size of its own. Streams of words and
/// texts do not.
pub fn looks_like_neff(bytes: &[u8]) -> bool {
    let header = || {
        let [version, size] = [0, 8]
            .map(|at| bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes));
        matches!(version, 1 | 2) && size != 0
    };
    archive::is_gzip(bytes) || archive::is_tar(bytes) || header()
}

impl<'a> Neff<'a> {
    /// Reads a package: header, archive, members.
    ///
    /// # Errors
    /// When it is no package, is damaged, or passes the limits.
    pub fn open(file: &'a [u8], limits: &Limits) -> Result<Self, NeffError> {
        if file.len() as u64 > limits.file {
            return Err(NeffError::TooLarge { what: "the file", limit: limits.file });
        }
        let is_archive = |bytes: &[u8]| archive::is_gzip(bytes) || archive::is_tar(bytes);
        let (header, payload) = if is_archive(file) {
            (None, 0..file.len())
        } else {
            let header = FileHeader::read(file)?;
            let from = header.header_size as usize;
            let held = file.len() - from;
            if header.payload_size > held as u64 {
                return Err(NeffError::PayloadTruncated { said: header.payload_size, held: held as u64 });
            }
            let said = from..from + header.payload_size as usize;
            let usual = header::USUAL_SIZE..file.len();
            let found = [said, usual].into_iter().find(|range| file.get(range.clone()).is_some_and(is_archive));
            (Some(header), found.ok_or(NeffError::NoArchive(from))?)
        };
        let bytes = file.get(payload.clone()).unwrap_or_default();
        let (tar, gzip) = archive::unpack(bytes, limits)?;
        if tar.len() as u64 > limits.archive {
            return Err(NeffError::TooLarge { what: "the archive", limit: limits.archive });
        }
        let members = archive::members(&tar, limits)?;
        Ok(Self { file, header, payload, tar, gzip, members })
    }

    /// The file header, if there is one.
    pub const fn header(&self) -> Option<&FileHeader> {
        self.header.as_ref()
    }

    /// Whether the header's hash is that of the payload; `None` without a header.
    pub fn hash_ok(&self) -> Option<bool> {
        let payload = self.file.get(self.payload.clone()).unwrap_or_default();
        self.header.as_ref().map(|header| header.hash_matches(payload))
    }

    /// Whether the archive is in gzip.
    pub const fn is_compressed(&self) -> bool {
        self.gzip.is_some()
    }

    /// Files and links of the archive, in its order.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// A member by name.
    ///
    /// # Errors
    /// When there is none.
    pub fn member(&self, name: &str) -> Result<&Member, NeffError> {
        let wanted = name.trim_start_matches("./");
        let found = self.members.iter().find(|member| member.name == wanted);
        found.ok_or_else(|| NeffError::NoMember {
            name: name.to_owned(),
            has: listed(self.members.iter().map(|member| member.name.as_str())),
        })
    }

    /// The bytes of a member.
    ///
    /// # Errors
    /// When it is a link or a special file.
    pub fn data(&self, member: &Member) -> Result<&[u8], NeffError> {
        match self.tar.get(member.data.clone()) {
            Some(bytes) if member.is_file => Ok(bytes),
            _ => Err(NeffError::NotAFile(member.name.clone())),
        }
    }

    /// The instruction streams in the order of the archive, and what is odd about the files that name them.
    ///
    /// # Errors
    /// When there is none, or a JSON names one that is not there.
    pub fn streams(&self) -> Result<(Vec<Stream>, Vec<String>), NeffError> {
        discovery::streams(self)
    }

    /// The words of a stream.
    ///
    /// # Errors
    /// When its length is no multiple of a word.
    pub fn words(&self, stream: &Stream) -> Result<StreamWords, NeffError> {
        let bytes = self.data(self.member(&stream.member)?)?;
        let (chunks, rest) = bytes.as_chunks::<WORD_BYTES>();
        if !rest.is_empty() {
            return Err(stream_length(&stream.member, bytes.len()));
        }
        let is_odd = |word: &&[u8; WORD_BYTES]| word[0] == QUANTIZE_MX && word[1] == 0x11;
        let stopped = chunks.iter().position(|word| is_odd(&word));
        let read = chunks.get(..stopped.map_or(chunks.len(), |at| at + 1)).unwrap_or_default();
        let end = read.iter().position(|word| word[0] == PSEUDO_INST && word[SPEC_OFFSET] == EXIT_EXECUTION);
        Ok(StreamWords { words: read.iter().copied().map(Word).collect(), stopped, end })
    }

    /// The package with other words in one stream. Header size and hash fit the new payload; every other byte of the archive
    /// stays, and with the words that are there already every byte of the file does. A payload in gzip is compressed anew:
    /// with gzip taken off it differs in that member alone.
    ///
    /// # Errors
    /// When the member is no stream, or the bytes are no words.
    pub fn replace(&self, name: &str, words: &[u8]) -> Result<Vec<u8>, NeffError> {
        let member = self.member(name)?;
        let (streams, _) = self.streams()?;
        if !streams.iter().any(|stream| stream.member == member.name) {
            let streams = listed(streams.iter().map(|stream| stream.member.as_str()));
            return Err(NeffError::NotAStream { name: name.to_owned(), streams });
        }
        if !words.len().is_multiple_of(WORD_BYTES) {
            return Err(stream_length(name, words.len()));
        }
        if self.data(member)? == words {
            return Ok(self.file.to_vec());
        }
        let old = self.file.get(self.payload.clone()).unwrap_or_default();
        let pieces = archive::with_member(&self.tar, member, words)?;
        // The new file is written once, in one piece of memory that is about as large as the old one.
        let mut file = Vec::with_capacity(self.file.len() + words.len() + (1 << 16));
        file.extend_from_slice(self.file.get(..self.payload.start).unwrap_or_default());
        let mut file = archive::pack(file, &pieces, self.gzip.as_ref(), old)?;
        if let Some(header) = &self.header {
            let (start, payload) = file.split_at_mut(self.payload.start);
            header.put(start, payload);
        }
        file.extend_from_slice(self.file.get(self.payload.end..).unwrap_or_default());
        Ok(file)
    }
}

fn stream_length(member: &str, bytes: usize) -> NeffError {
    let (words, rest) = (bytes / WORD_BYTES, bytes % WORD_BYTES);
    NeffError::StreamLength { member: member.to_owned(), bytes, words, rest }
}

/// Names for a message, not too many.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 20;
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > SHOWN => format!("{} and {} more", names[..SHOWN].join(", "), count - SHOWN),
        _ => names.join(", "),
    }
}
