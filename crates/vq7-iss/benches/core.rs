//! How fast the timing engines and the core are, on one thread.

#![allow(clippy::unwrap_used, reason = "a benchmark stops where it fails")]

#[path = "support/mod.rs"]
mod support;

use divan::counter::ItemsCount;
use support::{BLOCKS, steps};
use vq7_iss::work::Work;

/// Bundles of one run of a timing engine.
const LENGTH: usize = 100_000;

fn by_name(name: &str) -> Work {
    let block = BLOCKS.iter().find(|block| block.name == name);
    block.map(|block| (block.work)()).unwrap_or_default()
}

const NAMES: [&str; BLOCKS.len()] = [BLOCKS[0].name, BLOCKS[1].name, BLOCKS[2].name];

#[divan::bench(args = NAMES)]
fn closed_form(bencher: divan::Bencher<'_, '_>, name: &str) {
    let work = by_name(name);
    let steps = steps(&work, LENGTH);
    bencher.counter(ItemsCount::new(steps.len())).bench_local(|| support::closed(&work, &steps));
}

#[divan::bench(args = NAMES)]
fn ring(bencher: divan::Bencher<'_, '_>, name: &str) {
    let work = by_name(name);
    let steps = steps(&work, LENGTH);
    bencher.counter(ItemsCount::new(steps.len())).bench_local(|| support::ring(&work, &steps));
}

/// Items are lane results.
#[divan::bench(args = NAMES)]
fn core(bencher: divan::Bencher<'_, '_>, name: &str) {
    let work = by_name(name);
    let lanes = support::core(&work);
    bencher.counter(ItemsCount::new(lanes)).bench_local(|| support::core(&work));
}

fn main() {
    divan::main();
}
