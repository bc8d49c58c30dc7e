//! `conform`: a conformance kit written, and somebody's results held against one.

use crate::look::{Draw, Look, put_table};
use crate::rests_on::RestsOn;
use serde::Serialize;
use std::fmt;

/// What kit an answer is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KitName {
    /// Its name: the first digits of a hash over everything that decides its bytes.
    pub kit: String,
    /// The target.
    pub target: String,
    /// Its code name.
    pub code_name: String,
    /// The level.
    pub level: u8,
    /// The seed.
    pub seed: u64,
    /// The filter, or `all`.
    pub filter: String,
    /// The knobs that are not at their default.
    pub policy: Vec<String>,
}

impl KitName {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let Self { kit, target, code_name, level, seed, filter, policy } = self;
        writeln!(out, "{}", look.dim(format_args!("kit {kit}: {target} ({code_name}), level {level}, seed {seed}")))?;
        if filter != "all" {
            writeln!(out, "{}", look.dim(format_args!("filter {filter}")))?;
        }
        match policy.is_empty() {
            true => Ok(()),
            false => writeln!(out, "{}", look.warn(format_args!("policy {}", policy.join(" ")))),
        }
    }
}

/// A shard that was written, or that was there already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConformGenerated {
    /// The kit.
    #[serde(flatten)]
    pub kit: KitName,
    /// The shard as `i/n`.
    pub shard: String,
    /// Its folder.
    pub folder: String,
    /// Whether it was there already, whole.
    pub already_there: bool,
    /// Cells in the shard.
    pub cells: u64,
    /// Cases in it.
    pub cases: u64,
    /// Elements in it.
    pub elements: u64,
    /// Words in it that a rule must refuse.
    pub negatives: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// Cells of the target that are legal and specified.
    pub target_cells: u64,
    /// Of them, those that an engine's gate takes too.
    pub target_cells_of_an_engine: u64,
    /// Cells of the target that are legal and whose result no source settles.
    pub unspecified_cells: u64,
    /// Cells of the target that are legal in structure and that no engine has a kernel for.
    pub cells_without_kernel: u64,
    /// Shards of the kit that are in the folder now.
    pub shards_there: u64,
    /// Whether they are all of the kit.
    pub complete: bool,
}

impl Draw for ConformGenerated {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.kit.draw(look, out)?;
        let Self { target_cells, target_cells_of_an_engine, unspecified_cells, shards_there, .. } = self;
        writeln!(
            out,
            "the target has {target_cells} cells that are legal and specified ({target_cells_of_an_engine} of them taken by \
             an engine's gate), and {unspecified_cells} legal ones whose result no source settles"
        )?;
        if self.cells_without_kernel > 0 {
            let cells = self.cells_without_kernel;
            writeln!(
                out,
                "{cells} cells more are legal in structure, but no engine of the target has a kernel for them"
            )?;
        }
        let Self { shard, cells, cases, elements, negatives, bytes, folder, .. } = self;
        let verb = if self.already_there { "is there already" } else { "written" };
        writeln!(
            out,
            "shard {shard} {verb}: {cells} cells, {cases} cases, {elements} elements, {negatives} {} to refuse, {} in {folder}",
            plural(*negatives, "word", "words"),
            size(*bytes)
        )?;
        let there = if self.complete { look.good("complete") } else { look.warn("not complete yet") };
        writeln!(out, "the kit is {there}: {shards_there} {} there", plural(*shards_there, "shard is", "shards are"))
    }
}

/// A number of bytes for people.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        1_000_000.. => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

const fn plural(count: u64, one: &'static str, more: &'static str) -> &'static str {
    if count == 1 { one } else { more }
}

/// How results compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConformStatus {
    /// Every answer is the expected one.
    Equal,
    /// Some answer is not.
    Mismatch,
    /// What was answered is as expected, but something was not supported or not answered.
    Incomplete,
}

/// How cases compare, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sums {
    /// Cells.
    pub cells: u64,
    /// Cells with a difference.
    pub cells_differing: u64,
    /// Cases.
    pub cases: u64,
    /// Elements of the cases that were answered.
    pub elements: u64,
    /// Elements that differ.
    pub mismatching: u64,
    /// Cases in which a byte changed that the word must leave alone.
    pub stray_writes: u64,
    /// Cases that the implementation says it does not support.
    pub unsupported: u64,
    /// Cases that it refused as illegal, though they are legal.
    pub refused: u64,
    /// Cases without an answer.
    pub missing: u64,
}

impl Sums {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.cells += other.cells;
        self.cells_differing += other.cells_differing;
        self.cases += other.cases;
        self.elements += other.elements;
        self.mismatching += other.mismatching;
        self.stray_writes += other.stray_writes;
        self.unsupported += other.unsupported;
        self.refused += other.refused;
        self.missing += other.missing;
    }

    /// Whether something is not as expected.
    pub const fn differs(&self) -> bool {
        self.mismatching > 0 || self.stray_writes > 0 || self.refused > 0
    }

    /// Whether something was not answered.
    pub const fn lacks(&self) -> bool {
        self.unsupported > 0 || self.missing > 0
    }
}

/// One op into one dtype.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConformRow {
    /// The op, or the instruction where it has none.
    pub op: String,
    /// Dtype of the result.
    pub out: &'static str,
    /// How its cases compare.
    #[serde(flatten)]
    pub sums: Sums,
}

/// A cell with a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConformCell {
    /// The op.
    pub op: String,
    /// Dtypes of src0, src1 and the result.
    pub types: [&'static str; 3],
    /// Elements that differ.
    pub mismatching: u64,
    /// Cases with a write outside the destination.
    pub stray_writes: u64,
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConformDifference {
    /// Number of the case.
    pub case: u32,
    /// The op.
    pub op: String,
    /// Dtypes of src0, src1 and the result.
    pub types: [&'static str; 3],
    /// The pattern shape.
    pub shape: String,
    /// The word as text.
    pub word: String,
    /// Channel of the element, from 0.
    pub channel: u32,
    /// Its index in walk order, from 0.
    pub element: u64,
    /// src0 in hexadecimal.
    pub a: String,
    /// src1 in hexadecimal.
    pub b: String,
    /// What should come out.
    pub expected: String,
    /// Its value.
    pub expected_value: String,
    /// What came.
    pub got: String,
    /// Its value.
    pub got_value: String,
    /// Distance in units of the last place, of integers their difference; none when one is a NaN.
    pub ulps: Option<u64>,
    /// What the expected result rests on.
    #[serde(flatten)]
    pub rests_on: RestsOn,
    /// The command that explains the element, where there is one.
    pub reproduce: Option<String>,
}

/// A byte that changed though the word must leave it alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConformStray {
    /// Number of the case.
    pub case: u32,
    /// The op.
    pub op: String,
    /// Dtypes of src0, src1 and the result.
    pub types: [&'static str; 3],
    /// The pattern shape.
    pub shape: String,
    /// The word as text.
    pub word: String,
    /// Bytes that changed.
    pub bytes: u64,
    /// Partition of the first.
    pub partition: u32,
    /// Its offset.
    pub offset: u32,
}

/// A word that was not refused as it must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConformNegative {
    /// Its number.
    pub number: u32,
    /// The word in hexadecimal.
    pub word: String,
    /// Whose rules it is held against.
    pub engine: String,
    /// The rule that must fail first.
    pub rule: String,
    /// What the rule saw.
    pub saw: String,
    /// The rule that the implementation named; nothing when it took the word.
    pub got: Option<String>,
}

/// How words that must be refused were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NegativeSums {
    /// Words.
    pub words: u64,
    /// Refused for the right rule, or without naming one.
    pub refused: u64,
    /// Refused for another rule.
    pub other_rule: u64,
    /// Taken.
    pub taken: u64,
    /// Not answered.
    pub missing: u64,
}

/// Results held against a kit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConformChecked {
    /// The kit.
    #[serde(flatten)]
    pub kit: KitName,
    /// Who made the results; `vq7` when the kit was held against itself.
    pub producer: String,
    /// The shards that were compared.
    pub shards: Vec<String>,
    /// How they compare.
    pub status: ConformStatus,
    /// All cases.
    pub total: Sums,
    /// By op and dtype of the result.
    pub table: Vec<ConformRow>,
    /// The cells with differences.
    pub cells_differing: Vec<ConformCell>,
    /// The first differences.
    pub differences: Vec<ConformDifference>,
    /// The first writes outside a destination.
    pub strays: Vec<ConformStray>,
    /// Words to refuse.
    pub negatives: NegativeSums,
    /// The first that were not refused as they must be.
    pub negative_differences: Vec<ConformNegative>,
    /// Why the results end early, if they do.
    pub ended: Option<String>,
    /// Where the results are kept, if they were made by this call.
    pub results: Option<String>,
}

impl ConformChecked {
    /// What failed, in a sentence.
    pub fn summary(&self) -> String {
        let Sums { cells, cells_differing, elements, mismatching, stray_writes, unsupported, refused, missing, .. } =
            self.total;
        let mut parts = Vec::new();
        let mut say = |count: u64, text: String| {
            if count > 0 {
                parts.push(text);
            }
        };
        say(mismatching, format!("{mismatching} of {elements} elements differ, in {cells_differing} of {cells} cells"));
        say(stray_writes, format!("{stray_writes} cases write outside their destination"));
        say(refused, format!("{refused} legal cases are refused"));
        say(unsupported, format!("{unsupported} cases are not supported"));
        say(missing, format!("{missing} cases have no answer"));
        let NegativeSums { other_rule, taken, missing, .. } = self.negatives;
        say(taken, format!("{taken} illegal words are taken"));
        say(other_rule, format!("{other_rule} illegal words are refused for another rule"));
        say(missing, format!("{missing} illegal words have no answer"));
        match parts.is_empty() {
            true => format!("all {elements} elements of {cells} cells are equal"),
            false => parts.join("; "),
        }
    }

    /// Rows summed per op, with the dtypes of results in which it differs.
    fn by_op(&self) -> Vec<(&str, Sums, Vec<&'static str>)> {
        let mut ops: Vec<(&str, Sums, Vec<&'static str>)> = Vec::new();
        for row in &self.table {
            if ops.last().is_none_or(|(op, ..)| *op != row.op) {
                ops.push((&row.op, Sums::default(), Vec::new()));
            }
            if let Some((_, sums, dtypes)) = ops.last_mut() {
                sums.add(&row.sums);
                dtypes.extend(row.sums.differs().then_some(row.out));
            }
        }
        ops
    }
}

impl Draw for ConformChecked {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.kit.draw(look, out)?;
        let shards = match &self.shards[..] {
            [one] => format!("shard {one}"),
            many => format!("{} shards", many.len()),
        };
        writeln!(out, "{shards}, results of {}", self.producer)?;
        let mut table =
            look.table(&["op", "cells", "differ", "elements", "differ", "unsupported", "missing", "differs in"]);
        for (op, sums, dtypes) in self.by_op() {
            let Sums { cells, cells_differing, elements, mismatching, unsupported, missing, .. } = sums;
            let numbers = [cells, cells_differing, elements, mismatching, unsupported, missing];
            let cells = std::iter::once(op.to_owned()).chain(numbers.map(|number| number.to_string()));
            table.add_row(cells.chain([dtypes.join(" ")]).collect::<Vec<_>>());
        }
        put_table(&table, out)?;
        self.differences.iter().try_for_each(|difference| difference.draw(look, out))?;
        for stray in &self.strays {
            let ConformStray { case, op, types: [a, b, result], shape, word, bytes, partition, offset } = stray;
            writeln!(out, "case {case}: {op} on {a}, {b} into {result}, shape {shape}")?;
            let text = format!("{bytes} bytes outside the destination changed");
            writeln!(out, "  {}, the first in partition {partition} at offset {offset:#x}", look.bad(text))?;
            writeln!(out, "  {}", look.dim(word))?;
        }
        let NegativeSums { words, refused, .. } = self.negatives;
        if words > 0 {
            writeln!(out, "{refused} of {words} illegal words are refused as they must be")?;
        }
        for negative in &self.negative_differences {
            let ConformNegative { number, word, engine, rule, saw, got } = negative;
            let got = match got.as_deref() {
                None => "was taken".to_owned(),
                Some(got) => format!("was refused for {got}"),
            };
            writeln!(out, "illegal word {number} on engine {engine} {}; {rule} must refuse it: {saw}", look.bad(got))?;
            writeln!(out, "  {}", look.dim(word))?;
        }
        if let Some(ended) = &self.ended {
            writeln!(out, "{}: {ended}", look.bad("the results end early"))?;
        }
        if let Some(results) = &self.results {
            writeln!(out, "results kept in {results}")?;
        }
        let summary = self.summary();
        match self.status {
            ConformStatus::Equal => writeln!(out, "{}", look.good(summary)),
            ConformStatus::Mismatch => writeln!(out, "{}", look.bad(summary)),
            ConformStatus::Incomplete => writeln!(out, "{}", look.warn(summary)),
        }
    }
}

impl ConformDifference {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let Self { case, op, types: [a, b, result], shape, channel, element, .. } = self;
        writeln!(
            out,
            "case {case}: {op} on {a}, {b} into {result}, shape {shape}, channel {channel}, element {element}"
        )?;
        writeln!(out, "  a        {}\n  b        {}", self.a, self.b)?;
        writeln!(out, "  expected {} = {}", self.expected, self.expected_value)?;
        let distance = self.ulps.map(|ulps| format!(", {ulps} ulp away")).unwrap_or_default();
        writeln!(out, "  got      {} = {}{distance}", look.bad(&self.got), self.got_value)?;
        let grounds: Vec<_> =
            self.rests_on.rests_on.iter().map(|ground| format!("{}={}", ground.name, ground.value)).collect();
        let grounds = if grounds.is_empty() { "nothing that is open".to_owned() } else { grounds.join(", ") };
        let confidence = self.rests_on.confidence.unwrap_or("HIGH");
        writeln!(out, "  rests on {grounds} (confidence {confidence})")?;
        match &self.reproduce {
            Some(command) => writeln!(out, "  {}", look.dim(command)),
            None => writeln!(out, "  {}", look.dim(&self.word)),
        }
    }
}
