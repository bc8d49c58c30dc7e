//! The support page: per target, which op is legal with which dtypes and where, who judges it, and how sure it is.

use crate::coverage::{Cell, Extent, PythonJudges, cells, judged, python_judges};
use crate::step::{Failure, root};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use vq7_isa::legality::Engines;
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_num::Lane;
use vq7_policy::{Confidence, Policy};

const INTRODUCTION: &str = "# What is supported, and who says so

Written by `cargo xtask support`; a test holds it current. `vq7 ops` and `vq7 explain` answer the same for one target, op or
element; [oracles.md](oracles.md) says who the judges are, and `vectors/coverage.csv` counts every cell.

A cell stands for a tensor-tensor word with one dtype on all three operands:

| | |
|---|---|
| `PD`, `P`, `D` | legal, and taken by POOL and DVE, by POOL only, by DVE only; `-` no engine takes it; empty: illegal |
| `●` | every pair of operands (every operand of a unary op) is judged in every test run |
| `◐` | weighted cases, and of 16 bits a slice of all pairs, are judged in every test run |
| `○` | nobody outside judges it |
| `H`, `M`, `L` | confidence that the device computes the same: the lowest of all that a result can rest on |

A float op is `L` where the doubt is which NaN comes out, or an operand of 8 bits; `vq7 explain` says per element what a result
rests on, and most rest on less. The column `mixed` counts the legal combinations of other dtypes, and those of them that are judged (weighted cases). FP32R is a
dtype of results only, and so is counted there. The executor is `reference`.
";

/// The dtypes of the columns: integers, then floats, by width.
fn columns() -> impl Iterator<Item = Dtype> {
    let mut dtypes: Vec<_> = Dtype::tensor_tensor().filter(|dtype| *dtype != Dtype::Fp32r).collect();
    dtypes.sort_by_key(|dtype| (dtype.is_float(), dtype.bits(), dtype.is_unsigned_int()));
    dtypes.into_iter()
}

/// The shortest name of a dtype.
fn short(dtype: Dtype) -> &'static str {
    dtype.aliases().iter().copied().chain([dtype.name()]).min_by_key(|name| name.len()).unwrap_or_default()
}

/// The page.
pub(crate) fn page(python: &PythonJudges) -> String {
    let cells = cells();
    let mut page = INTRODUCTION.to_owned();
    let tables = Generation::ALL.map(|generation| (generation, table(&cells, generation, python)));
    for (index, (generation, text)) in tables.iter().enumerate() {
        let name = |generation: Generation| format!("{} ({})", generation.target(), generation.code_name());
        let _ = write!(page, "\n## {}\n\n", name(*generation));
        match tables[..index].iter().find(|(_, earlier)| earlier == text) {
            Some((earlier, _)) => {
                let _ = writeln!(page, "As {}.", name(*earlier));
            }
            None => page += text,
        }
    }
    page
}

/// The table of one target.
fn table(cells: &[Cell], generation: Generation, python: &PythonJudges) -> String {
    let place = Generation::ALL.iter().position(|other| *other == generation).unwrap_or(0);
    let header: Vec<_> = columns().map(short).collect();
    let mut text =
        format!("| op | {} | mixed | judges |\n|---|{}---|---|\n", header.join(" | "), "---|".repeat(header.len()));
    let mut never = Vec::new();
    for &op in AluOp::ALL.iter().filter(|op| op.in_generation(generation)) {
        let mine: Vec<_> = cells
            .iter()
            .filter(|cell| cell.question.op == op)
            .filter_map(|cell| Some((cell.question, cell.engines[place]?)))
            .collect();
        if mine.is_empty() {
            never.push(op.name());
            continue;
        }
        let mut judges = BTreeSet::new();
        let (mut mixed, mut mixed_judged) = (0, 0);
        let mut row = vec![String::new(); header.len()];
        for (question, engines) in mine {
            let by = judged(question, python);
            let column = columns().position(|dtype| question.types == [dtype; 3]);
            match column {
                Some(column) => row[column] = shown(op, columns().nth(column), engines, by.extent, generation),
                None => {
                    mixed += 1;
                    mixed_judged += usize::from(by.extent != Extent::Nothing);
                }
            }
            judges.extend(by.oracles);
        }
        let mixed = match (mixed, mixed_judged) {
            (0, _) => String::new(),
            (all, judged) if all == judged => format!("{all} ◐"),
            (all, judged) => format!("{all}, {judged} ◐"),
        };
        let judges: Vec<_> = judges.into_iter().collect();
        let _ = writeln!(text, "| {op} | {} | {mixed} | {} |", row.join(" | "), judges.join(", "));
    }
    let _ = write!(text, "\nNever legal in a tensor-tensor word of this target: {}.\n", never.join(", "));
    text
}

/// One cell.
fn shown(op: AluOp, dtype: Option<Dtype>, engines: Engines, extent: Extent, generation: Generation) -> String {
    let taken = match (engines.pool, engines.dve) {
        (true, true) => "PD",
        (true, false) => "P",
        (false, true) => "D",
        (false, false) => "-",
    };
    let extent = match extent {
        Extent::Every => '●',
        Extent::Weighted => '◐',
        Extent::Nothing => '○',
    };
    let basis = dtype.map(|dtype| Lane::new(op, dtype, dtype, dtype).basis(&Policy::default()).on(generation));
    let confidence = basis.map_or(op.confidence(), |basis| basis.confidence().min(op.confidence()));
    let confidence = match confidence {
        Confidence::High => 'H',
        Confidence::Med => 'M',
        Confidence::Low => 'L',
    };
    format!("{taken} {extent}{confidence}")
}

fn path() -> PathBuf {
    root().join("docs/support.md")
}

/// Writes the page.
pub(crate) fn write() -> Result<(), Failure> {
    let page = page(&python_judges()?);
    std::fs::write(path(), page).map_err(|error| format!("cannot write {}: {error}", path().display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

    use super::*;

    #[test]
    fn the_committed_page_is_current() {
        let committed = std::fs::read_to_string(path()).unwrap();
        assert!(
            committed == page(&python_judges().unwrap()),
            "docs/support.md is not current: run `cargo xtask support`"
        );
    }
}
