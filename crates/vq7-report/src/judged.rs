//! One word, judged: the entry that `check` lists.

use crate::advice::advice;
use crate::look::{Draw, Look};
use crate::named::instruction_name;
use crate::problem::Failure;
use serde::Serialize;
use std::fmt;
use vq7_isa::legality::{self, Bench, Engines, Judgement, RuleOutcome, Status};
use vq7_isa::text::print_word;
use vq7_isa::word::WORD_BYTES;
use vq7_isa::{Instruction, Word};

/// Engines that take a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EnginesTaking {
    /// POOL (GpSimd).
    pub pool: bool,
    /// DVE (Vector).
    pub dve: bool,
}

impl EnginesTaking {
    /// `pool and dve`, `pool`, `dve` or `no engine`.
    pub const fn text(self) -> &'static str {
        match (self.pool, self.dve) {
            (true, true) => "pool and dve",
            (true, false) => "pool only",
            (false, true) => "dve only",
            (false, false) => "no engine",
        }
    }
}

impl From<Engines> for EnginesTaking {
    fn from(Engines { pool, dve }: Engines) -> Self {
        Self { pool, dve }
    }
}

/// A rule's outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// The header's name.
    pub name: &'static str,
    /// Whether the word passes.
    pub passed: bool,
    /// What the rule looked at.
    pub saw: String,
}

impl From<&RuleOutcome> for Rule {
    fn from(outcome: &RuleOutcome) -> Self {
        Self { name: outcome.name, passed: outcome.passed, saw: outcome.saw() }
    }
}

/// A word with everything that the rules say of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JudgedWord {
    /// Its place in the stream, from 0.
    pub index: usize,
    /// Its byte offset in the stream.
    pub offset: usize,
    /// Its 64 bytes.
    pub hex: String,
    /// Byte 0.
    pub opcode: u8,
    /// The instruction's name, if the opcode has one.
    pub name: Option<String>,
    /// The canonical line.
    pub text: String,
    /// `legal`, `illegal`, `unspecified` or `not_judged`.
    pub verdict: &'static str,
    /// The first failing rule.
    pub first_failed: Option<&'static str>,
    /// Engines that take it; neither is known to when it is not judged.
    pub engines: EnginesTaking,
    /// Why it is unspecified or not judged.
    pub note: Option<&'static str>,
    /// What to do about it, where the tables know.
    pub help: Option<String>,
    /// Every rule in order, the engine's gate last.
    pub rules: Vec<Rule>,
    #[serde(skip)]
    status: Status,
}

impl JudgedWord {
    /// Judges a word and keeps what each rule saw.
    pub fn new(index: usize, word: &Word, bench: &Bench<'_>) -> Self {
        let instruction = Instruction::decode(word);
        let verdict = legality::explain(&instruction, bench);
        let Judgement { status, first_failed, engines } = verdict.judgement;
        Self {
            index,
            offset: index * WORD_BYTES,
            hex: word.to_string(),
            opcode: word.opcode(),
            name: instruction_name(&instruction),
            text: print_word(word),
            verdict: status.name(),
            first_failed,
            engines: engines.into(),
            note: verdict.note,
            help: advice(&instruction, &verdict.judgement, bench),
            rules: verdict.rules.iter().map(Rule::from).collect(),
            status,
        }
    }

    /// What the rules say.
    pub const fn status(&self) -> Status {
        self.status
    }

    /// The first failing rule.
    pub fn headline(&self) -> Option<&Rule> {
        self.rules.iter().find(|rule| !rule.passed)
    }

    /// Why the word counts as a failure, if it does.
    pub fn failure(&self) -> Option<Failure> {
        self.status.is_failure().then(|| Failure { kind: self.verdict, message: self.why() })
    }

    /// The failing rule with what it saw, or the note; then what to do.
    pub fn why(&self) -> String {
        let why = match self.headline() {
            Some(rule) => format!("{}: {}", rule.name, rule.saw),
            None => self.note.unwrap_or_default().to_owned(),
        };
        self.help.as_ref().map_or(why.clone(), |help| format!("{why}; {help}"))
    }

    /// Verdict, engines, the failing rule, the note; each line indented.
    pub(crate) fn draw_verdict(&self, look: &Look, every_rule: bool, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "  {}", paint_status(self.status, look))?;
        if !matches!(self.status, Status::Illegal | Status::NotJudged) {
            write!(out, ", taken by {}", self.engines.text())?;
        }
        writeln!(out)?;
        match self.headline() {
            Some(rule) if !every_rule => writeln!(out, "  {}: {}", look.bold(rule.name), rule.saw)?,
            _ => {}
        }
        if let Some(note) = self.note {
            writeln!(out, "  note: {note}")?;
        }
        if let Some(help) = &self.help {
            writeln!(out, "  help: {help}")?;
        }
        if every_rule {
            for rule in &self.rules {
                let mark = if rule.passed { look.good("pass") } else { look.bad("FAIL") };
                let saw = if rule.saw.is_empty() { "does not apply" } else { &rule.saw };
                writeln!(out, "    {mark} {}: {saw}", rule.name)?;
            }
        }
        Ok(())
    }
}

/// The word's line, its verdict and its failing rule.
impl Draw for JudgedWord {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        draw_place(self, look, out)?;
        self.draw_verdict(look, false, out)
    }
}

/// Index, offset and canonical line.
pub(crate) fn draw_place(word: &JudgedWord, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
    let place = format!("word {} at byte {:#x}:", word.index, word.offset);
    writeln!(out, "{} {}", look.bold(place), word.text)
}

/// A verdict in its colour, spelt with spaces.
pub(crate) fn paint_status(status: Status, look: &Look) -> impl fmt::Display {
    let text = match status {
        Status::NotJudged => "not judged",
        other => other.name(),
    };
    match status {
        Status::Legal => look.good(text),
        Status::Illegal => look.bad(text),
        Status::Unspecified => look.warn(text),
        Status::NotJudged => look.dim(text),
    }
}
