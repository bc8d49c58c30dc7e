//! `explain WORD`: every field of a word, its walk, its events, its verdict everywhere.

use crate::events::{update_text, wait_text};
use crate::fields::{Field, fields};
use crate::judged::JudgedWord;
use crate::look::{Draw, Look, put_table};
use crate::matrix::Matrix;
use crate::problem::Failure;
use crate::setting::Setting;
use crate::walk::{Walk, walks};
use serde::Serialize;
use std::fmt;
use vq7_isa::legality::Status;
use vq7_isa::{Instruction, Word};

/// One word, explained.
#[derive(Clone, Debug, Serialize)]
pub struct WordExplained {
    /// What it is judged under.
    #[serde(flatten)]
    pub setting: Setting,
    /// The word with its rules.
    pub word: JudgedWord,
    /// Every field in the order of the bytes.
    pub fields: Vec<Field>,
    /// What the word waits for.
    pub waits: String,
    /// What it signals.
    pub signals: String,
    /// Where its operands lie.
    pub walks: Vec<Walk>,
    /// Its verdict on every generation and engine.
    pub matrix: Matrix,
    /// Why the word counts as a failure under the setting, if it does.
    pub error: Option<Failure>,
}

impl WordExplained {
    /// Explains a word.
    pub fn new(word: &Word, setting: Setting) -> Self {
        let instruction = Instruction::decode(word);
        let judged = JudgedWord::new(0, word, &setting.bench());
        Self {
            setting,
            error: judged.failure(),
            word: judged,
            fields: fields(&instruction, setting.generation),
            waits: wait_text(instruction.events()),
            signals: update_text(instruction.events()),
            walks: walks(&instruction, setting.generation),
            matrix: Matrix::new(&instruction, &setting.policy),
        }
    }

    /// What the rules say of it under the setting.
    pub const fn status(&self) -> Status {
        self.word.status()
    }
}

impl Draw for WordExplained {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        writeln!(out, "{}", self.word.text)?;
        let mut table = look.table(&["byte", "field", "holds", "meaning"]);
        for field in &self.fields {
            let place = match (field.bits, field.bytes) {
                (Some(bits), _) => format!("{} {bits}", field.offset),
                (None, 1) => field.offset.to_string(),
                (None, bytes) => format!("{}-{}", field.offset, field.offset + bytes - 1),
            };
            table.add_row([&place, &field.name, &field.value, &field.meaning]);
        }
        put_table(&table, out)?;
        writeln!(out, "\n{}", look.bold("Events"))?;
        writeln!(out, "  {}\n  {}", self.waits, self.signals)?;
        if !self.walks.is_empty() {
            writeln!(out, "\n{}", look.bold("Operands"))?;
            self.walks.iter().try_for_each(|walk| writeln!(out, "  {}", walk.text()))?;
        }
        writeln!(out, "\n{}", look.bold("Verdict"))?;
        self.word.draw_verdict(look, true, out)?;
        writeln!(out, "\n{}", look.bold("Everywhere"))?;
        self.matrix.draw(look, out)
    }
}
