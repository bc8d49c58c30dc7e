//! One stretch of cases, judged.

use crate::verdict::{Answer, Expected, Mask, Verdict};
use std::ops::Range;
use vq7_cases::Space;

/// A case on which the answer is not what the judge expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The number of the case.
    pub index: u64,
    /// src0.
    pub a: u64,
    /// src1.
    pub b: u64,
    /// What the judge expects.
    pub expected: Expected,
    /// What came; `None` when there is no result.
    pub answer: Option<Answer>,
}

/// What a stretch gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// Cases that agree.
    pub agreed: u64,
    /// How many of them needed each mask, in the order of [`Mask::ALL`].
    pub masked: [u64; Mask::ALL.len()],
    /// The first mismatch, at which the stretch ends.
    pub mismatch: Option<Mismatch>,
}

impl Stretch {
    /// Adds a stretch that comes later.
    pub fn add(&mut self, later: &Self) {
        self.agreed += later.agreed;
        self.masked.iter_mut().zip(later.masked).for_each(|(sum, more)| *sum += more);
        self.mismatch = self.mismatch.or(later.mismatch);
    }
}

/// Judges cases in order, up to the first mismatch.
pub fn sweep(
    space: &Space,
    cases: Range<u64>,
    judge: impl Fn(u64, u64) -> Expected,
    evaluate: impl Fn(u64, u64) -> Option<Answer>,
) -> Stretch {
    let mut stretch = Stretch::default();
    for index in cases {
        let (a, b) = space.operands(index);
        let (expected, answer) = (judge(a, b), evaluate(a, b));
        match answer.map(|answer| expected.compare(answer)) {
            Some(Verdict::Agrees(masks)) => {
                stretch.agreed += 1;
                if !masks.is_empty() {
                    masks.iter().for_each(|mask| stretch.masked[mask as usize] += 1);
                }
            }
            Some(Verdict::Bits | Verdict::Flags) | None => {
                stretch.mismatch = Some(Mismatch { index, a, b, expected, answer });
                break;
            }
        }
    }
    stretch
}
