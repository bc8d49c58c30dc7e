//! `neff diff`: two packages, stream by stream and word by word.

use crate::look::{Draw, Look};
use crate::neff::Streams;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use vq7_isa::Word;
use vq7_isa::inst::UserOpcodes;
use vq7_isa::text::Lines;
use vq7_neff::{Neff, NeffError};

/// What became of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// In the second package only.
    Added,
    /// In the first package only.
    Removed,
    /// Other bytes at the same place.
    Changed,
}

/// A word on one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Side {
    /// Its place in the stream.
    pub index: usize,
    /// Its bytes.
    pub hex: String,
    /// Its line.
    pub text: String,
}

/// A word that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiffWord {
    /// The member.
    pub member: String,
    /// Its place in the stream: of the first package, or of the second where it was added.
    pub index: usize,
    /// What became of it.
    pub change: Change,
    /// The word of the first package.
    pub a: Option<Side>,
    /// The word of the second package.
    pub b: Option<Side>,
}

/// Two packages, compared.
#[derive(Clone, Debug, Serialize)]
pub struct NeffDiff {
    /// Whether nothing differs.
    pub same: bool,
    /// Members of the first package only.
    pub removed_members: Vec<String>,
    /// Members of the second package only.
    pub added_members: Vec<String>,
    /// Members of both whose bytes differ.
    pub changed_members: Vec<String>,
    /// Words that differ, of streams that both have.
    pub words: Vec<DiffWord>,
    /// Streams whose middle is too long to look for moved words: compared place by place.
    pub compared_by_place: Vec<String>,
}

/// The table of the comparison has at most so many entries, 4 bytes each.
const LARGEST_TABLE: usize = 1 << 24;

impl NeffDiff {
    /// Compares two packages.
    ///
    /// # Errors
    /// When one of them has no streams, or a stream that is none.
    pub fn new(a: &Neff<'_>, b: &Neff<'_>, user: &UserOpcodes) -> Result<Self, NeffError> {
        let (streams_a, streams_b) = (Streams::load(a, None)?, Streams::load(b, None)?);
        let names = |neff: &Neff<'_>| neff.members().iter().map(|member| member.name.clone()).collect::<Vec<_>>();
        let (names_a, names_b) = (names(a), names(b));
        let known_b: BTreeMap<&str, _> = b.members().iter().map(|member| (member.name.as_str(), member)).collect();
        let known_a: BTreeMap<&str, _> = a.members().iter().map(|member| (member.name.as_str(), member)).collect();
        let differs = |name: &String| match (known_a.get(name.as_str()), known_b.get(name.as_str())) {
            (Some(left), Some(right)) => left.is_file != right.is_file || a.data(left).ok() != b.data(right).ok(),
            _ => false,
        };
        let mut diff = Self {
            same: false,
            changed_members: names_a.iter().filter(|name| differs(name)).cloned().collect(),
            removed_members: names_a.iter().filter(|name| !known_b.contains_key(name.as_str())).cloned().collect(),
            added_members: names_b.into_iter().filter(|name| !known_a.contains_key(name.as_str())).collect(),
            words: Vec::new(),
            compared_by_place: Vec::new(),
        };
        let by_name: BTreeMap<&str, _> =
            streams_b.streams.iter().map(|loaded| (loaded.stream.member.as_str(), loaded)).collect();
        for left in &streams_a.streams {
            if let Some(right) = by_name.get(left.stream.member.as_str()) {
                diff.stream(&left.stream.member, &left.content.words, &right.content.words, Lines::with(user));
            }
        }
        diff.same = diff.changed_members.is_empty() && diff.removed_members.is_empty() && diff.added_members.is_empty();
        Ok(diff)
    }

    fn stream(&mut self, member: &str, a: &[Word], b: &[Word], lines: Lines<'_>) {
        let start = a.iter().zip(b).take_while(|(left, right)| left == right).count();
        let (rest_a, rest_b) = (&a[start..], &b[start..]);
        let end = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(left, right)| left == right).count();
        let (middle_a, middle_b) = (&rest_a[..rest_a.len() - end], &rest_b[..rest_b.len() - end]);
        let pairs = match (middle_a.len() + 1).saturating_mul(middle_b.len() + 1) <= LARGEST_TABLE {
            true => pairs(middle_a, middle_b),
            false => {
                self.compared_by_place.push(member.to_owned());
                let longer = middle_a.len().max(middle_b.len());
                (0..longer)
                    .map(|at| ((at < middle_a.len()).then_some(at), (at < middle_b.len()).then_some(at)))
                    .collect()
            }
        };
        let side = |words: &[Word], at: Option<usize>| {
            let index = start + at?;
            let word = words.get(index)?;
            let mut text = String::new();
            lines.put(&mut text, word);
            Some(Side { index, hex: word.to_string(), text })
        };
        for (left, right) in pairs {
            let (a, b) = (side(a, left), side(b, right));
            let (change, index) = match (&a, &b) {
                (Some(left), Some(right)) if left.hex == right.hex => continue,
                (Some(left), Some(_)) => (Change::Changed, left.index),
                (Some(left), None) => (Change::Removed, left.index),
                (None, Some(right)) => (Change::Added, right.index),
                (None, None) => continue,
            };
            self.words.push(DiffWord { member: member.to_owned(), index, change, a, b });
        }
    }
}

type Pair = (Option<usize>, Option<usize>);

/// Words that belong together: the longest common subsequence. Runs between common words are paired place by place.
fn pairs(a: &[Word], b: &[Word]) -> Vec<Pair> {
    let width = b.len() + 1;
    // common[i][j]: the longest common subsequence of a[i..] and b[j..].
    let mut common = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i * width + j] = match a[i] == b[j] {
                true => common[(i + 1) * width + j + 1] + 1,
                false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    let (mut run_a, mut run_b) = (0..0, 0..0);
    let flush = |pairs: &mut Vec<Pair>, run_a: &std::ops::Range<usize>, run_b: &std::ops::Range<usize>| {
        for at in 0..run_a.len().max(run_b.len()) {
            let left = (at < run_a.len()).then_some(run_a.start + at);
            pairs.push((left, (at < run_b.len()).then_some(run_b.start + at)));
        }
    };
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            flush(&mut pairs, &run_a, &run_b);
            (i, j) = (i + 1, j + 1);
            (run_a, run_b) = (i..i, j..j);
            continue;
        }
        if j == b.len() || i < a.len() && common[(i + 1) * width + j] >= common[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
        (run_a.end, run_b.end) = (i, j);
    }
    flush(&mut pairs, &run_a, &run_b);
    pairs
}

impl Draw for NeffDiff {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        if self.same {
            return writeln!(out, "every member is the same");
        }
        let lists = [
            ("only in the first", &self.removed_members),
            ("only in the second", &self.added_members),
            ("differs", &self.changed_members),
        ];
        for (what, members) in lists {
            members.iter().try_for_each(|member| writeln!(out, "{what}: {}", look.bold(member)))?;
        }
        for word in &self.words {
            let place = format!("{} word {}, {:?}", word.member, word.index, word.change).to_lowercase();
            writeln!(out, "{place}")?;
            if let Some(side) = &word.a {
                writeln!(out, "{} {}", look.bad("-"), side.text)?;
            }
            if let Some(side) = &word.b {
                writeln!(out, "{} {}", look.good("+"), side.text)?;
            }
        }
        for member in &self.compared_by_place {
            let note = "is long and differs a lot: compared place by place, so inserted words show as changes";
            writeln!(out, "{}: {member} {note}", look.warn("note"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_and_changed_words_are_told_apart() {
        let words = |codes: &[u8]| codes.iter().map(|&code| Word([code; 64])).collect::<Vec<_>>();
        let pairs = |a: &[u8], b: &[u8]| pairs(&words(a), &words(b));
        assert_eq!(pairs(&[1, 2], &[1, 9, 2]), [(None, Some(1))]);
        assert_eq!(pairs(&[1, 5, 2], &[1, 9, 2]), [(Some(1), Some(1))]);
        assert_eq!(pairs(&[5, 1], &[1]), [(Some(0), None)]);
        assert_eq!(pairs(&[], &[1]), [(None, Some(0))]);
        assert_eq!(pairs(&[3, 1, 4], &[1, 4, 4]), [(Some(0), None), (None, Some(2))]);
    }
}
