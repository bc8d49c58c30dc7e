//! `bench`: how fast words run, against what the memory lets through.

use crate::look::{Draw, Look};
use serde::Serialize;
use std::fmt::{self, Write};
use vq7_fast::bench::{Case, Measured};

/// Columns of a full bar.
const BAR: usize = 20;

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
    /// What ran: kernel and CPU level, or why the reference did.
    pub path: String,
}

impl BenchRow {
    /// Of what was measured.
    pub fn new(measured: &Measured) -> Self {
        let Measured { case, .. } = measured;
        let rate = |count: usize, seconds: f64| count as f64 / seconds.max(1e-9) / 1e9;
        let (word, ceiling) = (measured.word.as_secs_f64(), measured.ceiling.as_secs_f64());
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
            ratio: ceiling / word.max(1e-9),
            path: measured.path.clone(),
        }
    }

    /// `######----`: how much of the ceiling.
    fn bar(&self) -> String {
        let full = ((self.ratio * BAR as f64).round().max(0.0) as usize).min(BAR);
        format!("{}{}", "#".repeat(full), "-".repeat(BAR - full))
    }
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
    /// What no such word is legal for, and why.
    pub left_out: Vec<String>,
}

impl BenchAnswer {
    /// No rows yet.
    pub const fn new(level: &'static str, threads: usize) -> Self {
        Self { level, threads, rows: Vec::new(), left_out: Vec::new() }
    }

    /// Adds a row.
    pub fn measured(&mut self, measured: &Measured) {
        self.rows.push(BenchRow::new(measured));
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
                "{:<widest$} {:>7.1} GB/s {:>7.3} Gelem/s {bar} {:.2} of {:.1} GB/s",
                row.name, row.gigabytes, row.gigaelements, row.ratio, row.ceiling_gigabytes
            )?;
        }
        self.left_out.iter().try_for_each(|line| writeln!(out, "{}", look.dim(format_args!("left out {line}"))))
    }
}
