//! `check`: a stream of words, judged.

use crate::judged::{JudgedWord, draw_place};
use crate::look::{Draw, Look, put_table};
use crate::problem::Failure;
use crate::setting::Setting;
use serde::Serialize;
use serde::ser::Serializer;
use std::collections::BTreeMap;
use std::fmt;
use vq7_isa::Word;
use vq7_isa::legality::{Judgement, Status, Stream};
use vq7_isa::opcode::Opcode;

/// Streams of at most so many words are listed word by word.
const LISTED: usize = 20;
/// So many failures of a longer stream are shown.
const SHOWN_FAILURES: usize = 100;

/// How often each verdict was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Words.
    pub words: usize,
    /// Legal ones.
    pub legal: usize,
    /// Illegal ones.
    pub illegal: usize,
    /// Legal ones whose result no source settles.
    pub unspecified: usize,
    /// Words whose struct is not modelled.
    pub not_judged: usize,
}

impl Tally {
    const fn count(&mut self, status: Status) {
        self.words += 1;
        let slot = match status {
            Status::Legal => &mut self.legal,
            Status::Illegal => &mut self.illegal,
            Status::Unspecified => &mut self.unspecified,
            Status::NotJudged => &mut self.not_judged,
        };
        *slot += 1;
    }

    /// Words that count as failures.
    pub const fn failures(&self) -> usize {
        self.illegal + self.unspecified
    }

    pub(crate) fn text(&self) -> String {
        let parts = [
            (self.legal, "legal"),
            (self.illegal, "illegal"),
            (self.unspecified, "unspecified"),
            (self.not_judged, "not judged"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}"));
        let noun = if self.words == 1 { "word" } else { "words" };
        format!("{} {noun}: {}", self.words, parts.collect::<Vec<_>>().join(", "))
    }
}

/// The verdicts of one opcode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpcodeTally {
    /// Byte 0.
    pub opcode: u8,
    /// The opcode's name, if it has one.
    pub name: Option<&'static str>,
    /// Its verdicts.
    #[serde(flatten)]
    pub tally: Tally,
}

/// How often a rule was the first to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RuleTally {
    /// The header's name.
    pub rule: &'static str,
    /// Words.
    pub words: usize,
}

/// A stream in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// All words.
    #[serde(flatten)]
    pub total: Tally,
    /// By opcode, in the order of the codes.
    pub by_opcode: Vec<OpcodeTally>,
    /// By first failing rule, the most frequent first.
    pub by_rule: Vec<RuleTally>,
}

/// A stream of words, judged. What each rule saw is found again when a word is shown, so that a long stream is judged fast.
#[derive(Clone, Debug)]
pub struct Check {
    setting: Setting,
    words: Vec<Word>,
    judgements: Vec<Judgement>,
    summary: Summary,
    /// Whether text shows every word with every rule.
    pub verbose: bool,
}

impl Check {
    /// Judges words; `progress` is told now and then how many are done.
    pub fn new(words: Vec<Word>, setting: Setting, mut progress: impl FnMut(usize)) -> Self {
        let bench = setting.bench();
        let mut judgements = Vec::with_capacity(words.len());
        let mut stream = Stream::new(bench);
        for chunk in words.chunks(1 << 14) {
            judgements.extend(chunk.iter().map(|word| stream.judge(word)));
            progress(judgements.len());
        }
        let summary = Summary::new(&words, &judgements);
        Self { setting, words, judgements, summary, verbose: false }
    }

    /// The stream in numbers.
    pub const fn summary(&self) -> &Summary {
        &self.summary
    }

    /// One word with everything that the rules say of it; `None` past the end.
    pub fn word(&self, index: usize) -> Option<JudgedWord> {
        self.words.get(index).map(|word| JudgedWord::new(index, word, &self.setting.bench()))
    }

    /// Whether each word fails, in order.
    pub fn failures(&self) -> impl Iterator<Item = bool> {
        self.judgements.iter().map(|judgement| judgement.status.is_failure())
    }

    /// The first word that failed.
    pub fn first_failure(&self) -> Option<JudgedWord> {
        let index = self.failures().position(|failed| failed)?;
        self.word(index)
    }
}

impl Summary {
    pub(crate) fn new(words: &[Word], judgements: &[Judgement]) -> Self {
        let mut total = Tally::default();
        let mut opcodes = [Tally::default(); 256];
        let mut rules: BTreeMap<&'static str, usize> = BTreeMap::new();
        for (word, judgement) in words.iter().zip(judgements) {
            total.count(judgement.status);
            opcodes[usize::from(word.opcode())].count(judgement.status);
            if let Some(rule) = judgement.first_failed {
                *rules.entry(rule).or_default() += 1;
            }
        }
        let seen = (0..=u8::MAX).zip(opcodes).filter(|(_, tally)| tally.words > 0);
        let by_opcode =
            seen.map(|(opcode, tally)| OpcodeTally { opcode, name: Opcode::from_code(opcode).map(|r| r.name), tally });
        let mut by_rule: Vec<_> = rules.into_iter().map(|(rule, words)| RuleTally { rule, words }).collect();
        by_rule.sort_by(|a, b| b.words.cmp(&a.words).then(a.rule.cmp(b.rule)));
        Self { total, by_opcode: by_opcode.collect(), by_rule }
    }
}

impl Draw for Summary {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(out, "{}", look.bold(self.total.text()))?;
        if self.total.words < 2 {
            return Ok(());
        }
        let mut table = look.table(&["opcode", "name", "words", "legal", "illegal", "unspecified", "not judged"]);
        for OpcodeTally { opcode, name, tally } in &self.by_opcode {
            let counts = [tally.words, tally.legal, tally.illegal, tally.unspecified, tally.not_judged];
            let mut row = vec![format!("{opcode:#04x}"), name.unwrap_or("(no such opcode)").to_owned()];
            row.extend(counts.map(|count| count.to_string()));
            table.add_row(row);
        }
        put_table(&table, out)?;
        if self.by_rule.is_empty() {
            return Ok(());
        }
        let mut table = look.table(&["first failing rule", "words"]);
        for RuleTally { rule, words } in &self.by_rule {
            table.add_row([(*rule).to_owned(), words.to_string()]);
        }
        put_table(&table, out)
    }
}

impl Draw for Check {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        let bench = self.setting.bench();
        let all = self.verbose || self.words.len() <= LISTED;
        let limit = if all { usize::MAX } else { SHOWN_FAILURES };
        let mut shown = 0;
        for (index, (word, judgement)) in self.words.iter().zip(&self.judgements).enumerate() {
            if shown == limit {
                break;
            }
            if all || judgement.status.is_failure() {
                let entry = JudgedWord::new(index, word, &bench);
                draw_place(&entry, look, out)?;
                entry.draw_verdict(look, self.verbose, out)?;
                shown += 1;
            }
        }
        let failures = self.summary.total.failures();
        if !all && failures > shown {
            writeln!(out, "{}", look.dim(format_args!("{} more failures; --verbose shows all", failures - shown)))?;
        }
        self.summary.draw(look, out)
    }
}

/// The setting, `words` with every rule, `summary`, and `error`: why the first word that failed did. Words are judged again one by one as they are written, so that a
/// long stream needs no memory for it.
impl Serialize for Check {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct All<'a> {
            #[serde(flatten)]
            setting: &'a Setting,
            words: Words<'a>,
            summary: &'a Summary,
            error: Option<Failure>,
        }
        let error = self.first_failure().and_then(|word| word.failure());
        All { setting: &self.setting, words: Words(self), summary: &self.summary, error }.serialize(serializer)
    }
}

struct Words<'a>(&'a Check);

impl Serialize for Words<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bench = self.0.setting.bench();
        let words = self.0.words.iter().enumerate();
        serializer.collect_seq(words.map(|(index, word)| JudgedWord::new(index, word, &bench)))
    }
}
