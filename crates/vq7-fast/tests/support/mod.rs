//! What several test files of this crate share: the same work on the reference and on every level of `fast`.

#![allow(dead_code, reason = "each test file uses a part")]

#[path = "../../../vq7-engine/tests/support/mod.rs"]
pub mod engine;

pub use engine::Random;

use std::sync::Arc;
use vq7_engine::arrays::{self, ArrayRef, RunError, RunSummary, Settings};
use vq7_engine::{Executor, Reference};
use vq7_fast::{Fast, Level};
use vq7_isa::legality::Engine;
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_num::{Basis, Flags};
use vq7_policy::{Knob, Policy};

/// Seed of a random test: `VQ7_SEED`, or always the same.
pub fn seed() -> u64 {
    std::env::var("VQ7_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// One executor per level of this CPU, on two threads.
pub fn levels() -> Vec<(Level, Arc<dyn Executor>)> {
    Level::available().map(|level| (level, Arc::new(Fast::new(level, 2)) as Arc<dyn Executor>)).collect()
}

/// A question to all executors.
pub struct Question<'a> {
    pub op: AluOp,
    pub dtypes: [Dtype; 3],
    pub a: &'a [u64],
    pub b: &'a [u64],
    pub policy: Policy,
}

/// The elements' bytes.
pub fn bytes(values: &[u64], dtype: Dtype) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(dtype.bytes() as usize)).collect()
}

fn run(question: &Question<'_>, executor: &Arc<dyn Executor>) -> Result<(Vec<u8>, RunSummary), RunError> {
    let [x, y, out] = question.dtypes;
    let (a, b) = (bytes(question.a, x), bytes(question.b, y));
    let rows = if question.a.len().is_multiple_of(4) { 4 } else { 1 };
    let shape = [rows, question.a.len() / rows];
    let (a, b) = (ArrayRef { dtype: x, shape: &shape, bytes: &a }, ArrayRef { dtype: y, shape: &shape, bytes: &b });
    let plan = arrays::plan(question.op, (x, &shape), (y, &shape), out, Generation::Cayman).expect("shapes fit");
    let executor = Arc::clone(executor);
    let settings = Settings { engine: Engine::Any, policy: question.policy, executor };
    arrays::run(&plan, &a, &b, &settings, &mut |_, _| {})
}

/// Whether everything in `part` is in `whole`.
pub fn within(part: (Flags, &Basis), whole: (Flags, &Basis)) -> bool {
    let flags = part.0 | whole.0 == whole.0;
    let knobs = part.1.knobs.iter().all(|knob| whole.1.knobs.contains(knob));
    flags && knobs && part.1.settled.iter().all(|fact| whole.1.settled.contains(fact))
}

/// Asks all; `None` when no such word runs. Else the paths that were taken.
pub fn agree(question: &Question<'_>, fasts: &[(Level, Arc<dyn Executor>)]) -> Option<Vec<vq7_engine::Path>> {
    let reference: Arc<dyn Executor> = Arc::new(Reference);
    let (expected, exact) = run(question, &reference).ok()?;
    let mut paths = Vec::new();
    let Question { op, dtypes: [x, y, out], a, b, policy } = question;
    for (level, fast) in fasts {
        let (have, summary) = run(question, fast).expect("what the reference runs, runs");
        let size = out.bytes() as usize;
        if let Some(at) = (0..a.len()).find(|i| have[i * size..][..size] != expected[i * size..][..size]) {
            panic!(
                "{level}, {}: element {at} is {:02x?}, not {:02x?}, policy {:?}\nvq7 explain --op {} --types {x},{y},{out} --a {:#x} --b {:#x}",
                summary.paths[0],
                &have[at * size..][..size],
                &expected[at * size..][..size],
                policy.changed(),
                op.name(),
                a[at],
                b[at],
            );
        }
        let bounded = within((exact.flags, &exact.basis), (summary.flags, &summary.basis));
        assert!(
            bounded,
            "{level}: {} {x},{y},{out} {:?}: {} {:?} is not within {} {:?}",
            op.name(),
            policy.changed(),
            exact.flags,
            exact.basis,
            summary.flags,
            summary.basis
        );
        paths.extend(summary.paths);
    }
    Some(paths)
}

/// A policy with some knobs turned.
pub fn random_policy(random: &mut Random) -> Policy {
    let mut policy = Policy::default();
    for _ in 0..random.below(4) {
        let knob = random.pick(Knob::ALL);
        let value = random.pick(knob.values());
        policy.set(&format!("{}={value}", knob.name())).expect("the table's own spelling");
    }
    // Rounding otherwise is the reference's, and a trap ends the word: now and then is enough.
    if random.below(4) > 0 {
        policy.round = Policy::default().round;
        policy.int_div_zero = Policy::default().int_div_zero;
    }
    policy
}

/// Patterns at which rules change, and random ones of every magnitude.
pub fn patterns(random: &mut Random, count: usize) -> Vec<u64> {
    let specials: [u64; 28] = [
        0,
        1,
        2,
        3,
        0x7F,
        0x80,
        0x81,
        0xFF,
        0x7C00,
        0x7C01,
        0x7E00,
        0xFC00,
        0x8000,
        0x7F80,
        0x7FC0,
        0xFF80,
        0x7FFF,
        0x7F80_0000,
        0x7FC0_0001,
        0x7F80_0001,
        0xFF80_0000,
        0x8000_0000,
        0x7FFF_FFFF,
        0x3F80_0000,
        0x4F00_0000,
        u64::MAX,
        1 << 63,
        i64::MAX as u64,
    ];
    let one = |random: &mut Random| {
        let bits = random.next();
        match random.below(8) {
            0 => random.pick(&specials),
            1 => random.pick(&specials).wrapping_add(bits % 5).wrapping_sub(2),
            2 => bits >> random.below(64),
            // A float32 of a moderate exponent, of an extreme one, or a small number.
            3 | 4 => (bits & 0x807F_FFFF) | (random.below(40) as u64 + 107) << 23,
            5 => (bits & 0x8007_FFFF) | (random.below(256) as u64) << 23,
            6 => (bits % 64).wrapping_sub(32),
            _ => bits,
        }
    };
    (0..count).map(|_| one(random)).collect()
}
