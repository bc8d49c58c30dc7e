//! `asm`: a program, assembled into words.

use crate::check::{Check, Tally};
use crate::judged::JudgedWord;
use crate::look::{Draw, Look};
use crate::setting::{Setting, TargetSource};
use crate::tt::ArrayKind;
use serde::Serialize;
use std::fmt;
use vq7_isa::legality::Engine;
use vq7_program::{Binding, Program, line_and_column};

/// A tensor of a program that is bound to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// The tensor's name.
    pub name: String,
    /// Its dtype and shape.
    #[serde(flatten)]
    pub kind: ArrayKind,
    /// The file that the program names.
    pub path: Option<String>,
}

impl Bound {
    /// A binding of a program.
    pub fn new(binding: &Binding, program: &Program) -> Self {
        let tensor = program.bound(binding);
        let kind = ArrayKind::new(tensor.dtype, &tensor.shape);
        Self { name: tensor.name.clone(), kind, path: binding.path.clone() }
    }
}

/// The setting that a program runs under: what the caller chose, and what the program says where the caller did not.
pub fn setting_of(program: &Program, caller: Setting, engine: Option<Engine>) -> Setting {
    let target_source = if program.names_target { TargetSource::Program } else { caller.target_source };
    Setting {
        generation: program.generation,
        target_source,
        engine: engine.or(program.engine).unwrap_or(caller.engine),
        policy: program.policy,
    }
}

/// The file of words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WordFile {
    /// Where.
    pub path: String,
    /// Its bytes.
    pub bytes: usize,
}

/// A word that the rules refuse, or whose result no source settles. It is assembled all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedWord {
    /// Its place in the stream, from 0.
    pub index: usize,
    /// Its line in the program, from 1.
    pub line: usize,
    /// `illegal` or `unspecified`.
    pub verdict: &'static str,
    /// The first failing rule.
    pub first_failed: Option<&'static str>,
    /// The rule with what it saw, or the note.
    pub message: String,
}

impl fmt::Display for RefusedWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, line, verdict, message, .. } = self;
        write!(f, "line {line}, word {index}: {verdict}: {message}")
    }
}

/// A program, assembled.
#[derive(Clone, Debug, Serialize)]
pub struct Assembled {
    /// What it was assembled for.
    #[serde(flatten)]
    pub setting: Setting,
    /// Its words.
    pub words: usize,
    /// The verdicts on them. An illegal word is assembled all the same.
    pub verdicts: Tally,
    /// Words that fail, in order.
    pub refused: Vec<RefusedWord>,
    /// Tensors that a run must be given.
    pub inputs: Vec<Bound>,
    /// Tensors that a run gives.
    pub outputs: Vec<Bound>,
    /// The file that was written.
    pub out: WordFile,
}

impl Assembled {
    /// A program whose words were written to a file, and the text that it was assembled from.
    pub fn new(program: &Program, source: &str, setting: Setting, out: WordFile) -> Self {
        let words = program.words();
        let check = Check::new(words.clone(), setting, |_| {});
        let refused = check.failures().zip(0..).filter_map(|(failed, index)| {
            let step = failed.then(|| program.steps.get(index)).flatten()?;
            let word = JudgedWord::new(index, &step.word, &setting.bench());
            Some(RefusedWord {
                index,
                line: line_and_column(source, step.span.start).0,
                verdict: word.verdict,
                first_failed: word.first_failed,
                message: word.why(),
            })
        });
        Self {
            setting,
            words: words.len(),
            verdicts: check.summary().total,
            refused: refused.collect(),
            inputs: program.inputs.iter().map(|binding| Bound::new(binding, program)).collect(),
            outputs: program.outputs.iter().map(|binding| Bound::new(binding, program)).collect(),
            out,
        }
    }
}

impl Draw for Assembled {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        writeln!(out, "{}", self.verdicts.text())?;
        for (what, list) in [("input", &self.inputs), ("output", &self.outputs)] {
            for Bound { name, kind, path } in list {
                let arrow = if what == "input" { "<-" } else { "->" };
                let path = path.as_ref().map(|path| format!(" {arrow} {path}")).unwrap_or_default();
                writeln!(out, "{what} {name}: {kind}{path}")?;
            }
        }
        writeln!(out, "wrote {}: {} bytes", self.out.path, self.out.bytes)
    }
}
