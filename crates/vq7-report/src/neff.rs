//! Packages: what is in them, their streams as text, judged, and compared.

use crate::check::{Summary, Tally};
use crate::judged::{JudgedWord, draw_place};
use crate::look::{Draw, Look, put_table};
use crate::problem::Failure;
use crate::setting::Setting;
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use std::fmt;
use vq7_isa::inst::UserOpcodes;
use vq7_isa::legality::{self, Judgement};
use vq7_isa::text::Lines;
use vq7_isa::word::WORD_BYTES;
use vq7_isa::{Instruction, Word};
use vq7_neff::{Engine, FileHeader, FoundBy, Neff, NeffError, Stream, StreamWords};

/// A stream with its words.
#[derive(Clone, Debug)]
pub struct LoadedStream {
    /// Where it is.
    pub stream: Stream,
    /// What it holds.
    pub content: StreamWords,
}

/// Every stream of a package, in the order of the archive.
#[derive(Clone, Debug, Default)]
pub struct Streams {
    /// The streams.
    pub streams: Vec<LoadedStream>,
    /// What is odd about the files that name them.
    pub warnings: Vec<String>,
}

impl Streams {
    /// Reads the streams of a package; with a name, only that member's.
    ///
    /// # Errors
    /// When there is none, or one is no stream of words.
    pub fn load(neff: &Neff<'_>, member: Option<&str>) -> Result<Self, NeffError> {
        let (mut streams, warnings) = neff.streams()?;
        if let Some(name) = member {
            let found = neff.member(name)?.name.clone();
            let names = streams.iter().map(|stream| format!("`{}`", stream.member)).collect::<Vec<_>>().join(", ");
            streams.retain(|stream| stream.member == found);
            if streams.is_empty() {
                return Err(NeffError::NotAStream { name: found, streams: names });
            }
        }
        let load = |stream: Stream| Ok(LoadedStream { content: neff.words(&stream)?, stream });
        Ok(Self { streams: streams.into_iter().map(load).collect::<Result<_, NeffError>>()?, warnings })
    }

    /// Why a stream could not be read to its end, for the first such stream.
    pub fn stopped(&self) -> Option<Failure> {
        self.streams.iter().find_map(LoadedStream::stopped)
    }

    fn words(&self) -> impl Iterator<Item = (&str, usize, &Word)> {
        self.streams.iter().flat_map(|loaded| {
            let member = loaded.stream.member.as_str();
            loaded.content.words.iter().enumerate().map(move |(index, word)| (member, index, word))
        })
    }
}

impl LoadedStream {
    fn stopped(&self) -> Option<Failure> {
        let index = self.content.stopped?;
        let message = format!(
            "stream `{}` is read up to word {index} at byte {:#x}: a QUANTIZE_MX of length 0x11, and how many bytes that is, 64 or 68, is not published, so where the next word begins is not known",
            self.stream.member,
            index * WORD_BYTES
        );
        Some(Failure { kind: "unknown_framing", message })
    }
}

/// `neff list`.
#[derive(Clone, Debug, Serialize)]
pub struct NeffList {
    /// The file header, if there is one.
    pub header: Option<FileHeader>,
    /// Whether its hash is that of the payload.
    pub hash_ok: Option<bool>,
    /// Whether the archive is in gzip.
    pub compressed: bool,
    /// Files and links of the archive.
    pub members: usize,
    /// The streams, in the order of the archive.
    pub streams: Vec<ListedStream>,
    /// What is odd.
    pub warnings: Vec<String>,
}

/// A stream of the list.
#[derive(Clone, Debug, Serialize)]
pub struct ListedStream {
    /// The member that holds it.
    pub member: String,
    /// The engine that runs it; null where no name says so.
    pub engine: Option<Engine>,
    /// Its words.
    pub words: usize,
    /// What led to it.
    pub found_by: FoundBy,
    /// The word that ends it, where there is one.
    pub end: Option<usize>,
    /// The word at which reading stopped, where it did.
    pub stopped: Option<usize>,
}

impl NeffList {
    /// Lists a package.
    ///
    /// # Errors
    /// When it has no streams, or one is no stream of words.
    pub fn new(neff: &Neff<'_>) -> Result<Self, NeffError> {
        let Streams { streams, mut warnings } = Streams::load(neff, None)?;
        let hash_ok = neff.hash_ok();
        if hash_ok == Some(false) {
            warnings.push("the header's hash is not that of the payload".to_owned());
        }
        let listed = |LoadedStream { stream, content }: &LoadedStream| ListedStream {
            member: stream.member.clone(),
            engine: stream.engine,
            words: content.words.len(),
            found_by: stream.found_by,
            end: content.end,
            stopped: content.stopped,
        };
        warnings.extend(streams.iter().filter_map(LoadedStream::stopped).map(|failure| failure.message));
        Ok(Self {
            header: neff.header().cloned(),
            hash_ok,
            compressed: neff.is_compressed(),
            members: neff.members().len(),
            streams: streams.iter().map(listed).collect(),
            warnings,
        })
    }
}

impl Draw for NeffList {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let archive = if self.compressed { "gzip tar" } else { "tar" };
        match &self.header {
            None => writeln!(out, "no header, {archive}, {} members", self.members)?,
            Some(header) => {
                let hash = match self.hash_ok {
                    Some(true) => look.good("hash is right"),
                    _ => look.bad("hash is WRONG"),
                };
                writeln!(
                    out,
                    "package version {} ({archive}, {} members), {hash}, name `{}`, build `{}`",
                    header.package_version, self.members, header.name, header.build
                )?;
            }
        }
        let mut table = look.table(&["stream", "engine", "words", "ends at"]);
        for stream in &self.streams {
            table.add_row([
                stream.member.clone(),
                stream.engine.map_or("?", Engine::name).to_owned(),
                stream.words.to_string(),
                stream.end.map_or_else(String::new, |index| format!("word {index}")),
            ]);
        }
        put_table(&table, out)?;
        self.warnings.iter().try_for_each(|warning| writeln!(out, "{}: {warning}", look.warn("warning")))
    }
}

/// `neff disasm`: a heading per stream, a line per word.
#[derive(Clone, Debug)]
pub struct NeffDisassembly<'a> {
    /// The streams.
    pub streams: &'a Streams,
    /// Rows of the user's own.
    pub user: &'a UserOpcodes,
    /// The target, which is only repeated.
    pub setting: Setting,
}

impl Draw for NeffDisassembly<'_> {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let lines = Lines::with(self.user);
        let mut line = String::with_capacity(256);
        for loaded in &self.streams.streams {
            let LoadedStream { stream, content } = loaded;
            let engine = stream.engine.map_or("unknown engine", Engine::name);
            let heading = format!("# {} ({engine}), {} words", stream.member, content.words.len());
            writeln!(out, "{}", look.dim(heading))?;
            for word in &content.words {
                line.clear();
                lines.put(&mut line, word);
                line.push('\n');
                out.write_str(&line)?;
            }
            if let Some(failure) = loaded.stopped() {
                writeln!(out, "# {}", failure.message)?;
            }
        }
        Ok(())
    }
}

/// The setting and `words`, and `error` where a stream could not be read to its end.
impl Serialize for NeffDisassembly<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line<'a> {
            member: &'a str,
            index: usize,
            offset: usize,
            hex: String,
            opcode: u8,
            name: Option<String>,
            text: String,
        }
        struct All<'a>(&'a NeffDisassembly<'a>);
        impl Serialize for All<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let lines = Lines::with(self.0.user);
                serializer.collect_seq(self.0.streams.words().map(|(member, index, word)| {
                    let mut text = String::new();
                    lines.put(&mut text, word);
                    let (hex, opcode, name) = (word.to_string(), word.opcode(), lines.name(word));
                    Line { member, index, offset: index * WORD_BYTES, hex, opcode, name, text }
                }))
            }
        }
        #[derive(Serialize)]
        struct Answer<'a> {
            #[serde(flatten)]
            setting: &'a Setting,
            words: All<'a>,
            error: Option<Failure>,
        }
        Answer { setting: &self.setting, words: All(self), error: self.streams.stopped() }.serialize(serializer)
    }
}

/// `neff check`: every stream, judged.
#[derive(Clone, Debug)]
pub struct NeffCheck<'a> {
    streams: &'a Streams,
    setting: Setting,
    judgements: Vec<Judgement>,
    summary: Summary,
    /// Whether text shows every word with every rule.
    pub verbose: bool,
}

/// A judged word and the member that holds it.
#[derive(Clone, Debug, Serialize)]
pub struct PlacedWord<'a> {
    /// The member.
    pub member: &'a str,
    /// The word; its index and offset are those in the member.
    #[serde(flatten)]
    pub word: JudgedWord,
}

/// So many failures are shown as text.
const SHOWN_FAILURES: usize = 100;

impl<'a> NeffCheck<'a> {
    /// Judges every word.
    pub fn new(streams: &'a Streams, setting: Setting) -> Self {
        let bench = setting.bench();
        let words: Vec<Word> = streams.words().map(|(_, _, word)| *word).collect();
        let judgements: Vec<_> = words.iter().map(|word| legality::judge(&Instruction::decode(word), &bench)).collect();
        let summary = Summary::new(&words, &judgements);
        Self { streams, setting, judgements, summary, verbose: false }
    }

    /// The verdicts in numbers.
    pub const fn tally(&self) -> &Tally {
        &self.summary.total
    }

    /// The first word that fails.
    pub fn first_failure(&self) -> Option<PlacedWord<'a>> {
        self.placed().find(|(_, judgement)| judgement.status.is_failure()).map(|(place, _)| self.word(place))
    }

    /// Why the package counts as a failure: its first failing word, or a stream that could not be read to its end.
    pub fn failure(&self) -> Option<Failure> {
        self.first_failure().and_then(|placed| placed.word.failure()).or_else(|| self.streams.stopped())
    }

    fn placed(&self) -> impl Iterator<Item = ((&'a str, usize, &'a Word), &Judgement)> {
        let streams: &'a Streams = self.streams;
        streams.words().zip(&self.judgements)
    }

    fn word(&self, (member, index, word): (&'a str, usize, &Word)) -> PlacedWord<'a> {
        PlacedWord { member, word: JudgedWord::new(index, word, &self.setting.bench()) }
    }
}

impl Draw for NeffCheck<'_> {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        let limit = if self.verbose { usize::MAX } else { SHOWN_FAILURES };
        let shown = self.placed().filter(|(_, judgement)| self.verbose || judgement.status.is_failure()).take(limit);
        for (place, _) in shown {
            let placed = self.word(place);
            write!(out, "{} ", placed.member)?;
            draw_place(&placed.word, look, out)?;
            placed.word.draw_verdict(look, self.verbose, out)?;
        }
        let failures = self.tally().failures();
        if failures > limit {
            writeln!(out, "{}", look.dim(format_args!("{} more failures; --verbose shows all", failures - limit)))?;
        }
        for failure in self.streams.streams.iter().filter_map(LoadedStream::stopped) {
            writeln!(out, "{}: {}", look.warn("warning"), failure.message)?;
        }
        self.summary.draw(look, out)
    }
}

/// The setting, `words` as `check` has them with `member` in front, `summary`, and `error`.
impl Serialize for NeffCheck<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct All<'a>(&'a NeffCheck<'a>);
        impl Serialize for All<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut list = serializer.serialize_seq(None)?;
                self.0.streams.words().try_for_each(|place| list.serialize_element(&self.0.word(place)))?;
                list.end()
            }
        }
        #[derive(Serialize)]
        struct Answer<'a> {
            #[serde(flatten)]
            setting: &'a Setting,
            words: All<'a>,
            summary: &'a Summary,
            error: Option<Failure>,
        }
        let (summary, error) = (&self.summary, self.failure());
        Answer { setting: &self.setting, words: All(self), summary, error }.serialize(serializer)
    }
}
