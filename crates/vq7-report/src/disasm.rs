//! `disasm`: one line per word.

use crate::look::{Draw, Look};
use crate::setting::Setting;
use serde::Serialize;
use serde::ser::Serializer;
use std::fmt;
use vq7_isa::Word;
use vq7_isa::inst::UserOpcodes;
use vq7_isa::text::Lines;
use vq7_isa::word::WORD_BYTES;

/// A stream of words as text. Lines are printed as they are asked for.
#[derive(Clone, Debug)]
pub struct Disassembly {
    setting: Setting,
    words: Vec<Word>,
    user: UserOpcodes,
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
    /// Words to print. The text of a word is the same on every target; the setting is only repeated. Rows of the
    /// user's own name what the published table does not.
    pub const fn new(words: Vec<Word>, setting: Setting, user: UserOpcodes) -> Self {
        Self { setting, words, user }
    }
}

/// Canonical lines and nothing else, so that they assemble to the same bytes.
impl Draw for Disassembly {
    fn draw(&self, _: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let lines = Lines::with(&self.user);
        let mut line = String::with_capacity(256);
        self.words.iter().try_for_each(|word| {
            line.clear();
            lines.put(&mut line, word);
            line.push('\n');
            out.write_str(&line)
        })
    }
}

impl Serialize for Disassembly {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Listing<'a>(&'a Disassembly);
        impl Serialize for Listing<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let lines = Lines::with(&self.0.user);
                serializer.collect_seq(self.0.words.iter().enumerate().map(|(index, word)| {
                    let mut text = String::new();
                    lines.put(&mut text, word);
                    Line {
                        index,
                        offset: index * WORD_BYTES,
                        hex: word.to_string(),
                        opcode: word.opcode(),
                        name: lines.name(word),
                        text,
                    }
                }))
            }
        }
        #[derive(Serialize)]
        struct All<'a> {
            #[serde(flatten)]
            setting: &'a Setting,
            words: Listing<'a>,
        }
        All { setting: &self.setting, words: Listing(self) }.serialize(serializer)
    }
}
