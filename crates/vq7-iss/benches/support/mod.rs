//! Loops that the benchmarks share, and one run of each engine over them.

#[path = "../../tests/hand/mod.rs"]
mod hand;

use hand::{a, alu, looped, row, word};
use vq7_iss::event::Silent;
use vq7_iss::oracle::Leaves;
use vq7_iss::pipeline::{Core, Settings};
use vq7_iss::timing::closed::ClosedForm;
use vq7_iss::timing::ring::Stepper;
use vq7_iss::timing::{Profile, Step, Tally};
use vq7_iss::work::{OpSpec, Work};

/// A loop by name.
pub struct Block {
    /// What it is called.
    pub name: &'static str,
    /// The program: a loop bundle, then the body.
    pub work: fn() -> Work,
}

/// The loops.
pub const BLOCKS: [Block; 3] = [
    Block { name: "unary", work: unary },
    // Two sums of two vectors in three bundles.
    Block { name: "sums", work: sums },
    Block { name: "dense", work: dense },
];

/// A loop body that runs for ever.
fn program(bundles: &[Vec<OpSpec>]) -> Work {
    let mut work = Work::default();
    work.push("x24", 1, &[looped(1, 1 + bundles.len() as u32)]).unwrap();
    for ops in bundles {
        work.push("F1", 2, ops).unwrap();
    }
    work
}

fn unary() -> Work {
    program(&[vec![row(0, false, 1, 4, 0), row(1, true, 0, 2, 0), alu(3, "add_16_16_16", 1, 0, 5)]])
}

fn sums() -> Work {
    program(&[
        vec![row(0, true, 0, 2, 0), row(1, true, 1, 3, 0), alu(3, "add_16_16_16", 5, 2, 3)],
        vec![row(0, false, 5, 4, 0), row(1, true, 2, 2, 0), alu(3, "add_16_16_16", 4, 0, 1)],
        vec![row(0, false, 4, 4, 0), row(1, true, 3, 3, 0)],
    ])
}

fn dense() -> Work {
    let ops =
        |leaf: &str| vec![alu(0, leaf, 1, 0, 5), alu(2, "sub_16_16_16", 2, 0, 5), alu(3, "max_16_16_16", 3, 0, 5)];
    program(&[ops("add_16_16_16")])
}

/// So many issues of the body.
pub fn steps(work: &Work, count: usize) -> Vec<Step> {
    let body = 1..work.bundles.len() as u32;
    body.cycle().take(count).map(|bundle| Step { bundle, ..Step::default() }).collect()
}

/// Cycles by the closed form, stall table included.
pub fn closed(work: &Work, steps: &[Step]) -> u64 {
    let mut engine = ClosedForm::new(Profile::Default, 0);
    let mut tally = Tally::new(&work.footprints);
    for step in steps {
        let print = work.footprints.get(step.bundle).unwrap();
        let issue = engine.issue(*step, print);
        tally.add(*step, print.first_use, &issue);
    }
    engine.total_cycles()
}

/// Cycles by the ring.
pub fn ring(work: &Work, steps: &[Step]) -> u64 {
    let mut engine = Stepper::new(Profile::Default, 0);
    for step in steps {
        engine.issue(*step, work.footprints.get(step.bundle).unwrap());
    }
    engine.total_cycles()
}

/// 50,000 cycles of the core with values from the leaves: the lane results.
pub fn core(work: &Work) -> u64 {
    let bases = [(1, u32::MAX), (2, 0x80000), (3, 0x84000), (4, 0x88000)];
    let state = hand::state(&bases.map(|(reg, value)| (a(reg), word(value))));
    let mut core = Core::new(work, state, Leaves, Settings::default());
    core.run(&mut Silent, 50_000).unwrap();
    core.lane_results()
}
