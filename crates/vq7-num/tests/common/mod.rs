//! What the tests share: answers held against the outside judges, and random operands.

#![allow(dead_code, reason = "each test binary uses its part")]
#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};
use vq7_isa::{AluOp, Dtype};
use vq7_num::{Flagged, Lane};
use vq7_oracle::{Answer, Expected, Judge, Oracle, Question, Stretch, Verdict};
use vq7_policy::{Policy, Round};

pub const MODES: [Round; 4] = [Round::NearestEven, Round::Zero, Round::Up, Round::Down];

/// A result as the judges take it.
pub fn answer(ours: Flagged<u64>) -> Answer {
    Answer { bits: ours.value, flags: ours.flags.bits() }
}

/// What a lane gives, as the judges take it.
pub fn evaluate(lane: &Lane, a: u64, b: u64, policy: &Policy) -> Option<Answer> {
    lane.evaluate(a, b, policy).ok().map(answer)
}

/// Fails unless the result is what the judge expects; flags included, but for what the judge leaves open.
pub fn agree(ours: Flagged<u64>, expected: &Expected, what: impl Fn() -> String) {
    let verdict = expected.compare(answer(ours));
    assert!(matches!(verdict, Verdict::Agrees(_)), "{}: {ours:x?}, judge {expected:x?}", what());
}

/// The command that shows one element.
pub fn explain(op: AluOp, types: [Dtype; 3], a: u64, b: u64, policy: &Policy) -> String {
    let [x, y, z] = types;
    let policy: String = policy.changed().iter().map(|knob| format!(" --policy {knob}")).collect();
    format!("vq7 explain --op {op} --types {x},{y},{z} --a {a:#x} --b {b:#x}{policy}")
}

/// A lane with its judge.
pub struct Bench {
    pub lane: Lane,
    pub judge: Judge,
    pub policy: Policy,
}

impl Bench {
    /// `None` where no judge knows the op on these dtypes.
    pub fn new(op: AluOp, types: [Dtype; 3], policy: Policy) -> Option<Self> {
        Self::with(None, op, types, policy)
    }

    /// The same before one judge, or any.
    pub fn with(oracle: Option<Oracle>, op: AluOp, types: [Dtype; 3], policy: Policy) -> Option<Self> {
        let judge = Judge::new(Question { op, types }, oracle, &policy).ok()?;
        Some(Self { lane: Lane::new(op, types[0], types[1], types[2]), judge, policy })
    }

    /// Fails unless the lane gives what the judge expects.
    pub fn check(&self, a: u64, b: u64) {
        let Lane { op, src0, src1, out, .. } = self.lane;
        let what = || explain(op, [src0, src1, out], a, b, &self.policy);
        let ours = self.lane.evaluate(a, b, &self.policy).unwrap_or_else(|error| panic!("{}: {error}", what()));
        agree(ours, &self.judge.judge(a, b), what);
    }

    /// Judges many cases.
    pub fn sweep(&self, space: &vq7_oracle::Space, cases: std::ops::Range<u64>) -> Stretch {
        let evaluate = |a, b| evaluate(&self.lane, a, b, &self.policy);
        vq7_oracle::sweep(space, cases, |a, b| self.judge.judge(a, b), evaluate)
    }

    /// Fails at the first of the cases that differs; gives how many there were.
    pub fn check_all(&self, space: &vq7_oracle::Space, cases: std::ops::Range<u64>) -> u64 {
        let stretch = self.sweep(space, cases);
        if let Some(mismatch) = stretch.mismatch {
            let Lane { op, src0, src1, out, .. } = self.lane;
            let command = explain(op, [src0, src1, out], mismatch.a, mismatch.b, &self.policy);
            panic!("{}: {command}\n{mismatch:x?}", space.case(mismatch.index));
        }
        stretch.agreed
    }
}

/// Into how many slices the pairs of 16-bit operands are cut.
pub const SLICES: u64 = 4096;

/// The slice of this run: another one every day, or as VQ7_SLICE says. Printed past the capture of the test runner.
pub fn slice() -> u64 {
    let asked = std::env::var("VQ7_SLICE").ok().map(|text| text.parse::<u64>().expect("VQ7_SLICE is a number"));
    let days = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 86_400;
    let slice = asked.unwrap_or(days) % SLICES;
    let line = format!("16-bit pairs: slice {slice} of {SLICES} (VQ7_SLICE={slice} runs it again)\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    slice
}

/// splitmix64: small, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A float32 with any exponent, or near the other edges.
    pub fn float(&mut self) -> u32 {
        let bits = self.next() as u32;
        match self.below(8) {
            // Exponents near 1, so that operands meet.
            0..=3 => bits & 0x80FF_FFFF | (112 + self.below(32) as u32) << 23 & 0x7F80_0000,
            // Few mantissa bits: ties and exact results.
            4 => bits & 0xFFF0_0000,
            5 => bits | 0x0000_FFFF,
            _ => bits,
        }
    }

    /// A pattern of `width` bits: anything, or near 0, the sign edge, a power of two, a run of ones.
    pub fn integer(&mut self, width: u32) -> u64 {
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        let (bits, near, place) = (self.next(), self.below(5), self.below(width.into()));
        let near = near.wrapping_sub(2);
        mask & match self.below(6) {
            0 => near,
            1 => (1u64 << (width - 1)).wrapping_add(near),
            2 => (1u64 << place).wrapping_add(near),
            3 => u64::MAX >> place,
            4 => bits >> place,
            _ => bits,
        }
    }
}
