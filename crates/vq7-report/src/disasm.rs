//! `disasm`: one line per word.

use crate::look::{Draw, Look};
use crate::named::instruction_name;
use crate::setting::Setting;
use serde::Serialize;
use serde::ser::Serializer;
use std::fmt;
use vq7_isa::text::print_word;
use vq7_isa::word::WORD_BYTES;
use vq7_isa::{Instruction, Word};

/// A stream of words as text. Lines are printed as they are asked for.
#[derive(Clone, Debug)]
pub struct Disassembly {
    setting: Setting,
    words: Vec<Word>,
}

#[derive(Serialize)]
struct Line {
    index: usize,
    offset: usize,
    hex: String,
    opcode: u8,
    name: Option<String>,
    text: String,
}

impl Disassembly {
    /// Words to print. The text of a word is the same on every target; the setting is only repeated.
    pub const fn new(words: Vec<Word>, setting: Setting) -> Self {
        Self { setting, words }
    }
}

/// Canonical lines and nothing else, so that they assemble to the same bytes.
impl Draw for Disassembly {
    fn draw(&self, _: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.words.iter().try_for_each(|word| writeln!(out, "{}", print_word(word)))
    }
}

impl Serialize for Disassembly {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Lines<'a>(&'a [Word]);
        impl Serialize for Lines<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.0.iter().enumerate().map(|(index, word)| Line {
                    index,
                    offset: index * WORD_BYTES,
                    hex: word.to_string(),
                    opcode: word.opcode(),
                    name: instruction_name(&Instruction::decode(word)),
                    text: print_word(word),
                }))
            }
        }
        #[derive(Serialize)]
        struct All<'a> {
            #[serde(flatten)]
            setting: &'a Setting,
            words: Lines<'a>,
        }
        All { setting: &self.setting, words: Lines(&self.words) }.serialize(serializer)
    }
}
