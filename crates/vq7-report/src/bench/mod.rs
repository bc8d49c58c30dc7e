//! `bench`: how fast words run, against what the memory lets through.

use crate::look::{Draw, Look};
use serde::Serialize;
use std::fmt::{self, Write};
use vq7_fast::Level;
use vq7_fast::bench::{Case, Goal, Measured};

mod special;

pub use special::{Special, SpecialRow};

/// Columns of a full bar.
const BAR: usize = 20;
/// What a CPU without AVX-512 is to reach of a target.
const BELOW_AVX512: f64 = 0.6;

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchRow {
    /// What was measured, in one line.
    pub name: String,
    /// The op.
    pub op: &'static str,
    /// Dtypes of src0, src1 and dst.
    pub dtypes: [&'static str; 3],
    /// Elements per partition, of 128.
    pub columns: u32,
    /// Distance of elements of the sources.
    pub step: i16,
    /// `word`: operands in the State Buffer. `arrays`: from and to arrays in memory, copies included.
    pub what: &'static str,
    /// Bytes read and written.
    pub bytes: usize,
    /// Microseconds.
    pub microseconds: f64,
    /// 10^9 bytes per second.
    pub gigabytes: f64,
    /// 10^9 results per second.
    pub gigaelements: f64,
    /// What the better ceiling probe moves, in 10^9 bytes per second.
    pub ceiling_gigabytes: f64,
    /// Whether the better probe's stores passed the caches by.
    pub streaming_ceiling: bool,
    /// `gigabytes` by `ceiling_gigabytes`.
    pub ratio: f64,
    /// What is to be reached: `ceiling`, a part of the ceiling, or `gigaelements`; none for rows that are there to be seen.
    pub target_of: Option<&'static str>,
    /// How much of it.
    pub target: Option<f64>,
    /// 1 where the target is reached exactly; more is better.
    pub reached: Option<f64>,
    /// What ran: kernel and CPU level, or why the reference did.
    pub path: String,
}

impl BenchRow {
    /// Of what was measured.
    pub fn new(measured: &Measured, level: Level) -> Self {
        let Measured { case, .. } = measured;
        let rate = |count: usize, seconds: f64| count as f64 / seconds.max(1e-9) / 1e9;
        let (word, ceiling) = (measured.word.as_secs_f64(), measured.ceiling.as_secs_f64());
        let ratio = ceiling / word.max(1e-9);
        let goal = case.goal(if level == Level::Avx512 { 1.0 } else { BELOW_AVX512 });
        let (target_of, target, has) = match goal {
            Some(Goal::Ceiling(part)) => (Some("ceiling"), Some(part), ratio),
            Some(Goal::Results(rate)) => (Some("gigaelements"), Some(rate / 1e9), case.elements() as f64 / word / 1e9),
            None => (None, None, 0.0),
        };
        Self {
            name: case.name(),
            op: case.op.name(),
            dtypes: case.dtypes.map(|dtype| dtype.name()),
            columns: case.columns,
            step: case.step,
            what: if case.is_arrays() { "arrays" } else { "word" },
            bytes: case.bytes(),
            microseconds: word * 1e6,
            gigabytes: rate(case.bytes(), word),
            gigaelements: rate(case.elements(), word),
            ceiling_gigabytes: rate(case.bytes(), ceiling),
            streaming_ceiling: measured.streaming,
            ratio,
            target_of,
            target,
            reached: target.map(|target| has / target),
            path: measured.path.clone(),
        }
    }

    /// `met`, `missed` with how much was reached, or nothing.
    fn verdict(&self) -> String {
        match (self.target_of, self.target, self.reached) {
            (Some(of), Some(target), Some(reached)) => {
                let unit = if of == "ceiling" { "of the ceiling" } else { "Gelem/s" };
                format!("{} {target:.2} {unit}{}", met(reached), missing(reached))
            }
            _ => String::new(),
        }
    }

    /// `######----`: how much of the ceiling.
    fn bar(&self) -> String {
        let full = ((self.ratio * BAR as f64).round().max(0.0) as usize).min(BAR);
        format!("{}{}", "#".repeat(full), "-".repeat(BAR - full))
    }
}

/// `met` or `MISSED`.
const fn met(reached: f64) -> &'static str {
    if reached >= 1.0 { "met" } else { "MISSED" }
}

/// How much of a missed target was reached.
fn missing(reached: f64) -> String {
    if reached >= 1.0 { String::new() } else { format!(" (reached {reached:.2} of it)") }
}

/// All rows.
#[derive(Clone, Debug, Serialize)]
pub struct BenchAnswer {
    /// The CPU level that ran.
    pub level: &'static str,
    /// Threads, at most.
    pub threads: usize,
    /// What was measured; the best of all rounds of each.
    pub rows: Vec<BenchRow>,
    /// Rows of other kinds.
    pub others: Vec<SpecialRow>,
    /// What no such word is legal for, and why.
    pub left_out: Vec<String>,
    #[serde(skip)]
    at: Level,
}

impl BenchAnswer {
    /// No rows yet.
    pub const fn new(level: Level, threads: usize) -> Self {
        Self { level: level.name(), threads, rows: Vec::new(), others: Vec::new(), left_out: Vec::new(), at: level }
    }

    /// Adds a row.
    pub fn measured(&mut self, measured: &Measured) {
        self.rows.push(BenchRow::new(measured, self.at));
    }

    /// Adds a row of another kind.
    pub fn special(&mut self, row: SpecialRow) {
        self.others.push(row);
    }

    /// How many rows have a target, how many reach it, and how many do not reach 0.7 of it.
    pub fn tally(&self) -> (usize, usize, usize) {
        let all = || self.rows.iter().filter_map(|row| row.reached).chain(self.others.iter().map(|row| row.reached));
        (all().count(), all().filter(|reached| *reached >= 1.0).count(), all().filter(|reached| *reached < 0.7).count())
    }

    /// Adds what could not be measured.
    pub fn left_out(&mut self, case: &Case, why: impl fmt::Display) {
        self.left_out.push(format!("{}: {why}", case.name()));
    }

    /// A roofline as SVG: a bar per row, the ceiling as a line behind it.
    pub fn svg(&self) -> String {
        let (top, row, left, width) = (30, 14, 330, 500);
        let height = top + row * self.rows.len() + 20;
        let most = self.rows.iter().map(|row| row.ceiling_gigabytes.max(row.gigabytes)).fold(1.0, f64::max);
        let scale = |rate: f64| rate / most * f64::from(width);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" font-family=\"monospace\" font-size=\"10\">\n\
             <text x=\"8\" y=\"18\">vq7 bench, {}, {} threads: GB/s; grey is the ceiling of the same bytes</text>\n",
            left + width + 90,
            self.level,
            self.threads
        );
        for (index, bench) in self.rows.iter().enumerate() {
            let y = top + index * row;
            // Writing to a string does not fail.
            let _ = writeln!(
                svg,
                "<text x=\"8\" y=\"{}\">{}</text><rect x=\"{left}\" y=\"{y}\" width=\"{:.1}\" height=\"10\" fill=\"#ccc\"/>\
                 <rect x=\"{left}\" y=\"{}\" width=\"{:.1}\" height=\"6\" fill=\"#27c\"/>\
                 <text x=\"{}\" y=\"{}\">{:.1} ({:.2})</text>",
                y + 9,
                bench.name,
                scale(bench.ceiling_gigabytes),
                y + 2,
                scale(bench.gigabytes),
                left + width + 6,
                y + 9,
                bench.gigabytes,
                bench.ratio
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl Draw for BenchAnswer {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let threads = if self.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", self.threads) };
        writeln!(out, "fast, {}, {threads}; the best of all rounds; the bar is the part of the ceiling", self.level)?;
        let widest = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
        for row in &self.rows {
            let bar = row.bar();
            let bar = if row.ratio >= 0.85 { look.good(bar).to_string() } else { look.dim(bar).to_string() };
            writeln!(
                out,
                "{:<widest$} {:>7.1} GB/s {:>7.3} Gelem/s {bar} {:.2} of {:>6.1} GB/s {}",
                row.name,
                row.gigabytes,
                row.gigaelements,
                row.ratio,
                row.ceiling_gigabytes,
                row.verdict()
            )?;
        }
        let widest = self.others.iter().map(|row| row.name.len()).max().unwrap_or(0);
        for SpecialRow { name, value, unit, target, less_is_better, reached, note } in &self.others {
            let bound = if *less_is_better { "at most" } else { "at least" };
            let verdict = met(*reached);
            let missing = missing(*reached);
            writeln!(out, "{name:<widest$} {value:>8.2} {unit}: {verdict} {bound} {target}{missing}; {note}")?;
        }
        let (rows, reached, low) = self.tally();
        if rows > 0 {
            writeln!(out, "{reached} of {rows} targets met; {low} rows below 0.7 of their target")?;
        }
        self.left_out.iter().try_for_each(|line| writeln!(out, "{}", look.dim(format_args!("left out {line}"))))
    }
}
