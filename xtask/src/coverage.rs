//! The list of what is judged: every cell (target, op, dtypes of src0, src1 and result) in which a tensor-tensor word is
//! legal, with the judges that take it. `vectors/coverage.csv` holds it in short; cells without a judge may only get fewer.

use crate::step::{Failure, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use vq7_isa::alu_op::Arity;
use vq7_isa::legality::Engines;
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_oracle::{Oracle, Question};
use vq7_policy::Policy;
use vq7_report::template::{Types, taken};

/// An op with its dtypes, and who takes such a word on each target (`None` where it is illegal).
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub question: Question,
    pub engines: [Option<Engines>; Generation::ALL.len()],
}

/// Every cell that is legal on some target.
pub(crate) fn cells() -> Vec<Cell> {
    let policy = Policy::default();
    let mut cells = Vec::new();
    for &op in AluOp::ALL {
        for src0 in Dtype::tensor_tensor() {
            for src1 in Dtype::tensor_tensor() {
                for out in Dtype::tensor_tensor() {
                    let engines =
                        Generation::ALL.map(|generation| taken(op, Types { src0, src1, out }, generation, &policy));
                    if engines.iter().any(Option::is_some) {
                        cells.push(Cell { question: Question { op, types: [src0, src1, out] }, engines });
                    }
                }
            }
        }
    }
    cells
}

/// How much of a cell every test run judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    /// Every pair of operands, or every operand of a unary op (`crates/vq7-num/tests/brute_force.rs`).
    Every,
    /// Weighted cases (`every_cell_agrees_with_its_judges` below, and more of them in `brute_force.rs`).
    Weighted,
    /// Nothing.
    Nothing,
}

impl Extent {
    const fn name(self) -> &'static str {
        match self {
            Self::Every => "every pair",
            Self::Weighted => "weighted",
            Self::Nothing => "not",
        }
    }
}

/// Who judges a cell under the default policy, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Judged {
    pub extent: Extent,
    pub oracles: Vec<String>,
}

/// The cells that Python judges, as its tests have written them down.
pub(crate) type PythonJudges = BTreeMap<[String; 4], BTreeSet<String>>;

/// Reads `vectors/python_judges.csv`.
pub(crate) fn python_judges() -> Result<PythonJudges, Failure> {
    let path = root().join("vectors/python_judges.csv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut judges = PythonJudges::new();
    for line in text.lines().skip(1) {
        let [op, src0, src1, out, judge] = line
            .split(',')
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .try_into()
            .map_err(|_| format!("{}: `{line}` has not the five columns op,src0,src1,out,judge", path.display()))?;
        judges.entry([op, src0, src1, out]).or_default().insert(judge);
    }
    Ok(judges)
}

/// Who judges a question.
pub(crate) fn judged(question: Question, python: &PythonJudges) -> Judged {
    let Question { op, types } = question;
    let policy = Policy::default();
    let inside = Oracle::ALL.into_iter().filter(|oracle| oracle.takes(question, &policy));
    let mut oracles: Vec<_> = inside.map(|oracle| oracle.name().to_owned()).collect();
    let [src0, src1, out] = types.map(|dtype| dtype.name().to_owned());
    let every = match op.arity() {
        Arity::Unary => types[0].bits() <= 16,
        Arity::Binary => types[0].bits() == 8,
    };
    let brute_forced = every && types[0] == types[1] && types[0] == types[2] && !oracles.is_empty();
    oracles.extend(python.get(&[op.name().to_owned(), src0, src1, out]).into_iter().flatten().cloned());
    let extent = match oracles.is_empty() {
        true => Extent::Nothing,
        // CORE-MATH gets weighted cases only.
        false if brute_forced && oracles[0] != Oracle::CoreMath.name() => Extent::Every,
        false => Extent::Weighted,
    };
    Judged { extent, oracles }
}

/// Why nobody outside judges an op on some dtypes.
fn reason(question: Question) -> &'static str {
    match question.op {
        AluOp::Bypass => "a copy of 64 bits in the bitvec class; there is no number to judge",
        _ => "no judge knows this op on these dtypes",
    }
}

/// The file, in short: per op and set of judges, how many cells each target has, and a digest of which they are.
pub(crate) fn file(cells: &[Cell], python: &PythonJudges) -> String {
    let mut rows: BTreeMap<(u8, Judged, &str), ([usize; Generation::ALL.len()], u64)> = BTreeMap::new();
    for cell in cells {
        let judged = judged(cell.question, python);
        let why = if judged.extent == Extent::Nothing { reason(cell.question) } else { "" };
        let (counts, digest) = rows.entry((cell.question.op.code(), judged, why)).or_insert(([0; _], FNV));
        for (count, engines) in counts.iter_mut().zip(&cell.engines) {
            *count += usize::from(engines.is_some());
        }
        let members: String = cell.engines.iter().map(|engines| if engines.is_some() { '1' } else { '0' }).collect();
        *digest = hash(*digest, &format!("{}{members}", cell.question));
    }
    let targets = Generation::ALL.map(Generation::target).join(",");
    let mut text = format!("op,extent,judges,executor,{targets},digest,reason\n");
    for ((code, judged, why), (counts, digest)) in rows {
        let op = AluOp::from_code(code).map_or("", AluOp::name);
        let counts = counts.map(|count| count.to_string()).join(",");
        let (extent, oracles) = (judged.extent.name(), judged.oracles.join("+"));
        text += &format!("{op},{extent},{oracles},reference,{counts},{digest:016x},{why}\n");
    }
    text
}

const FNV: u64 = 0xCBF2_9CE4_8422_2325;

/// FNV-1a.
fn hash(start: u64, text: &str) -> u64 {
    text.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

fn path() -> PathBuf {
    root().join("vectors/coverage.csv")
}

/// Cells without a judge per op, over all targets.
fn not_judged(text: &str) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for line in text.lines().skip(1) {
        let columns: Vec<_> = line.split(',').collect();
        let cells = columns.iter().skip(4).take(Generation::ALL.len()).filter_map(|count| count.parse::<u64>().ok());
        let open: u64 = if columns.get(1) == Some(&Extent::Nothing.name()) { cells.sum() } else { 0 };
        *counts.entry(columns[0]).or_insert(0) += open;
    }
    counts
}

/// Fails when an op has more cells without a judge than before.
fn only_shrinks(before: &str, after: &str) -> Result<(), Failure> {
    let before = not_judged(before);
    let grown: Vec<_> = not_judged(after)
        .into_iter()
        .filter_map(|(op, now)| {
            let then = *before.get(op)?;
            (now > then).then(|| format!("{op} has {now} cells without a judge, and had {then}"))
        })
        .collect();
    match grown.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "vectors/coverage.csv may only shrink in `not`: {}; give them a judge, or, where the cells are new, take the rows \
             of the op out of the file by hand first",
            grown.join("; ")
        )),
    }
}

/// Writes the file, unless cells lose their judge.
pub(crate) fn write() -> Result<(), Failure> {
    let text = file(&cells(), &python_judges()?);
    if let Ok(before) = std::fs::read_to_string(path()) {
        only_shrinks(&before, &text)?;
    }
    std::fs::write(path(), text).map_err(|error| format!("cannot write {}: {error}", path().display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

    use super::*;
    use vq7_num::Lane;
    use vq7_oracle::{Answer, Coverage, Judge, Level, Space, sweep};

    #[test]
    fn the_committed_list_is_current() {
        let committed = std::fs::read_to_string(path()).unwrap();
        let current = file(&cells(), &python_judges().unwrap());
        only_shrinks(&committed, &current).unwrap();
        assert!(committed == current, "vectors/coverage.csv is not current: run `cargo xtask coverage`");
    }

    #[test]
    fn a_cell_that_loses_its_judge_is_refused() {
        let (before, after) = ("op\nadd,not,,reference,1,2,3,4,5,0,x", "op\nadd,not,,reference,1,2,4,4,5,0,x");
        assert!(only_shrinks(before, after).unwrap_err().contains("add has 16 cells without a judge, and had 15"));
        assert_eq!(only_shrinks(after, before), Ok(()));
    }

    /// The list says what a judge takes; here every one of these cells goes before every one of its judges.
    #[test]
    fn every_cell_agrees_with_its_judges() {
        let (policy, mut judgements) = (Policy::default(), 0u64);
        for Cell { question, .. } in cells() {
            let [src0, src1, out] = question.types;
            let lane = Lane::new(question.op, src0, src1, out);
            for oracle in
                Oracle::ALL.into_iter().filter(|oracle| oracle.is_built_in() && oracle.takes(question, &policy))
            {
                let judge = Judge::new(question, Some(oracle), &policy).unwrap();
                let coverage = Coverage::Weighted { level: Level::One, seed: 0 };
                let space = Space::new(question, coverage).unwrap();
                // Strides that share no factor with the number of columns meet all rows and columns.
                let (cases, stride) = (256.min(space.total()), (space.total() / 256) | 1);
                for number in 0..cases {
                    let index = number * stride % space.total();
                    let evaluate = |a, b| {
                        let ours = lane.evaluate(a, b, &policy).ok()?;
                        Some(Answer { bits: ours.value, flags: ours.flags.bits() })
                    };
                    let stretch = sweep(&space, index..index + 1, |a, b| judge.judge(a, b), evaluate);
                    assert_eq!(stretch.mismatch, None, "{}: {}", oracle.name(), space.case(index));
                    judgements += 1;
                }
            }
        }
        assert!(judgements > 10_000_000, "{judgements}");
    }
}
