//! The timing engines and the core beside llvm-mca, where that is installed: a loop of as many bundles here as of instructions
//! there, turned as often. One thread; the best of several runs.
//!
//! llvm-mca decodes and simulates an out-of-order x86 core, vq7 an in-order one whose program is decoded: the ratio says how
//! long one waits for an answer, not which model is better.

#![allow(clippy::unwrap_used, reason = "a benchmark stops where it fails")]

#[path = "support/mod.rs"]
mod support;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{BLOCKS, Block, closed, core, ring, steps};

/// Bundles, and instructions of llvm-mca, per run.
const LENGTH: usize = 200_000;
/// Runs, of which the fastest counts.
const RUNS: usize = 7;

/// Vector instructions of one cycle each that wait for one another as little as the bundles do.
const INSTRUCTIONS: [&str; 6] = [
    "vmovdqu (%rdi), %ymm0",
    "vpaddw %ymm1, %ymm2, %ymm3",
    "vmovdqu %ymm3, (%rsi)",
    "vpsubw %ymm1, %ymm2, %ymm4",
    "vpmaxsw %ymm1, %ymm2, %ymm5",
    "vpxor %ymm1, %ymm2, %ymm6",
];

fn best(runs: usize, mut run: impl FnMut() -> Duration) -> Duration {
    (0..runs.max(1)).map(|_| run()).min().unwrap_or_default()
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = std::hint::black_box(work());
    (start.elapsed(), result)
}

/// Seconds that llvm-mca takes for a block, turned so often; `None` where it is not installed or does not take the block.
fn llvm_mca(block: &str, turns: usize) -> Option<Duration> {
    let start = Instant::now();
    let mut child = Command::new("llvm-mca")
        .args(["-mtriple=x86_64-unknown-linux-gnu", "-mcpu=skylake", &format!("-iterations={turns}"), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(block.as_bytes()).ok()?;
    child.wait().ok()?.success().then(|| start.elapsed())
}

/// Instructions per second of llvm-mca, its start left out: the difference between one run and one twice as long.
fn instructions_per_second(length: usize, runs: usize) -> Option<f64> {
    let block: String = INSTRUCTIONS.iter().cycle().take(length).map(|line| format!("{line}\n")).collect();
    let turns = LENGTH / length;
    let of = |turns| (0..runs.max(1)).filter_map(|_| llvm_mca(&block, turns)).min();
    let more = of(2 * turns)?.saturating_sub(of(turns)?);
    Some((turns * length) as f64 / more.as_secs_f64().max(1e-9))
}

fn row(block: &Block, runs: usize) {
    let work = (block.work)();
    let steps = steps(&work, LENGTH);
    let rate = |time: Duration, count: usize| count as f64 / time.as_secs_f64().max(1e-9) / 1e6;
    let closed = rate(best(runs, || timed(|| closed(&work, &steps)).0), LENGTH);
    let ring = rate(best(runs, || timed(|| ring(&work, &steps)).0), LENGTH);
    let (_, lanes) = timed(|| core(&work));
    let stepped = rate(best(runs, || timed(|| core(&work)).0), lanes as usize);
    let length = work.bundles.len() - 1;
    let beside = match instructions_per_second(length, runs) {
        Some(rate) => {
            let mca = rate / 1e6;
            format!("llvm-mca {mca:6.2} M instructions/s, closed form / llvm-mca {:6.1}", closed / mca.max(1e-9))
        }
        None => "llvm-mca is not installed".to_owned(),
    };
    println!(
        "{:6} {length} bundles: closed form {closed:6.1} M bundles/s, ring {ring:5.1} M bundles/s, \
         core {stepped:6.1} M lane results/s; {beside}",
        block.name
    );
}

fn main() {
    // `cargo bench -- --sample-count 1` asks every benchmark for one quick run.
    let quick = std::env::args().any(|argument| argument == "--sample-count" || argument == "--test");
    for block in &BLOCKS {
        row(block, if quick { 1 } else { RUNS });
    }
}
