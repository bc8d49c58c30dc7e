//! The walk of a pattern: byte offsets within a partition, in order. Source: docs/spec/words.md, "Walk order".

use crate::ranges::{Ranges, Run};
use vq7_isa::pattern::Pattern;

/// Dimensions of a walk: as many as any pattern has. Those that a pattern lacks have count 1.
const DIMS: usize = 4;

/// A pattern whose every element lies within a partition's active bytes. Index 0 is the innermost dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    start: u32,
    /// Signed steps in bytes.
    steps: [i64; DIMS],
    counts: [u16; DIMS],
    /// Bytes of an element.
    size: u32,
}

impl Walk {
    /// The walk of `pattern` from byte `offset` of a partition with `limit` bytes, elements of `size` bytes.
    ///
    /// # Errors
    /// The byte offset of the first element, in walk order, that does not lie within the partition.
    pub fn new<const N: usize>(offset: u32, pattern: &Pattern<N>, size: u32, limit: u32) -> Result<Self, i64> {
        let pattern = pattern.resized::<DIMS>();
        let walk = Self {
            start: offset,
            // 16-bit steps of at most 8 bytes: far from the ends of an i64.
            steps: pattern.step.map(|step| i64::from(step) * i64::from(size)),
            counts: pattern.num,
            size,
        };
        match walk.first_outside(limit) {
            Some(outside) => Err(outside),
            None => Ok(walk),
        }
    }

    /// The byte offset of the first element.
    pub const fn start(&self) -> u32 {
        self.start
    }

    /// Count and signed step in bytes of each dimension, the innermost first.
    pub fn dims(&self) -> [(u32, i64); DIMS] {
        let ([n0, n1, n2, n3], [s0, s1, s2, s3]) = (self.counts, self.steps);
        [(n0.into(), s0), (n1.into(), s1), (n2.into(), s2), (n3.into(), s3)]
    }

    /// Elements of the walk.
    pub fn elements(&self) -> u64 {
        self.counts.iter().map(|&n| u64::from(n)).product()
    }

    /// Bytes of an element.
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// How far dimension `d` can lead down and up from where it starts, in bytes.
    fn reach(&self, d: usize) -> (i64, i64) {
        let (step, count) = match (self.steps.get(d), self.counts.get(d)) {
            (Some(step), Some(count)) => (*step, i64::from(*count)),
            _ => return (0, 0),
        };
        // 65,534 times 2^18 at most.
        let last = step * (count - 1).max(0);
        (last.min(0), last.max(0))
    }

    /// Lowest byte of the walk, and one past its highest.
    pub fn extent(&self) -> (i64, i64) {
        let (mut low, mut high) = (i64::from(self.start), i64::from(self.start) + i64::from(self.size));
        for d in 0..DIMS {
            let (down, up) = self.reach(d);
            low += down;
            high += up;
        }
        (low, high)
    }

    fn first_outside(&self, limit: u32) -> Option<i64> {
        let limit = i64::from(limit);
        let size = i64::from(self.size);
        let (low, high) = self.extent();
        if self.elements() == 0 || (low >= 0 && high <= limit) {
            return None;
        }
        // Fix the outermost index to the smallest under which some element is outside, then the next, then the innermost.
        let mut base = i64::from(self.start);
        for d in (0..DIMS).rev() {
            let (down, up) =
                (0..d).map(|inner| self.reach(inner)).fold((0, 0), |all, (down, up)| (all.0 + down, all.1 + up));
            let step = self.steps.get(d).copied().unwrap_or(0);
            let count = self.counts.get(d).copied().unwrap_or(0);
            let leaves = |at: i64| at + down < 0 || at + up + size > limit;
            base = (0..i64::from(count)).map(|i| base + i * step).find(|&at| leaves(at)).unwrap_or(base);
        }
        Some(base)
    }

    /// The byte offsets in walk order.
    pub fn offsets(&self) -> Offsets {
        let [s0, s1, s2, s3] = self.steps;
        let [n0, n1, n2, _] = self.counts.map(|n| i64::from(n) - 1);
        // All offsets lie within the partition, so that arithmetic modulo 2^32 on the way cannot lose anything.
        Offsets {
            next: self.start,
            remaining: self.elements(),
            inner: self.counts,
            left: self.counts,
            advance: [s0, s1 - n0 * s0, s2 - n0 * s0 - n1 * s1, s3 - n0 * s0 - n1 * s1 - n2 * s2]
                .map(|step| step as u32),
        }
    }

    /// The set of bytes that the walk touches. Costs time and memory per element; executors cap the elements first.
    pub fn ranges(&self) -> Ranges {
        if self.elements() == 0 {
            return Ranges::default();
        }
        // The same set, walked upward, smallest step innermost, and each element once: so that the runs come in order.
        let mut low = i64::from(self.start);
        let mut dims: Vec<(i64, i64)> = Vec::with_capacity(DIMS);
        for (d, (&step, &count)) in self.steps.iter().zip(&self.counts).enumerate() {
            low += self.reach(d).0;
            if step != 0 && count > 1 {
                dims.push((step.abs(), i64::from(count)));
            }
        }
        dims.sort_unstable();
        let mut length = i64::from(self.size);
        // A dimension whose step does not pass the length so far makes one longer run.
        while let Some(&(step, count)) = dims.first()
            && step <= length
        {
            length += step * (count - 1);
            dims.remove(0);
        }
        let mut starts = vec![low];
        for (step, count) in dims.into_iter().rev() {
            starts = starts.iter().flat_map(|&start| (0..count).map(move |i| start + i * step)).collect();
        }
        let run = |start: i64| Run { start: start as u32, end: (start + length) as u32 };
        Ranges::from_unsorted(starts.into_iter().map(run).collect())
    }

    /// Whether both walks visit the same elements of the same size in the same order.
    pub fn same_elements(&self, other: &Self) -> bool {
        self.size == other.size
            && self.elements() == other.elements()
            && (self == other || self.offsets().eq(other.offsets()))
    }
}

/// The byte offsets of a [`Walk`], in order.
#[derive(Clone, Debug)]
pub struct Offsets {
    next: u32,
    remaining: u64,
    inner: [u16; DIMS],
    left: [u16; DIMS],
    advance: [u32; DIMS],
}

impl Iterator for Offsets {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.remaining = self.remaining.checked_sub(1)?;
        let offset = self.next;
        let [left0, left1, left2, left3] = &mut self.left;
        let [step0, step1, step2, step3] = self.advance;
        if *left0 > 1 {
            *left0 -= 1;
            self.next = offset.wrapping_add(step0);
            return Some(offset);
        }
        let [n0, n1, n2, _] = self.inner;
        *left0 = n0;
        if *left1 > 1 {
            *left1 -= 1;
            self.next = offset.wrapping_add(step1);
            return Some(offset);
        }
        *left1 = n1;
        if *left2 > 1 {
            *left2 -= 1;
            self.next = offset.wrapping_add(step2);
        } else {
            *left2 = n2;
            *left3 = left3.saturating_sub(1);
            self.next = offset.wrapping_add(step3);
        }
        Some(offset)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match usize::try_from(self.remaining) {
            Ok(remaining) => (remaining, Some(remaining)),
            Err(_) => (usize::MAX, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use vq7_isa::address::Addr4;
    use vq7_isa::pattern::Tensor3d;

    fn pattern(step: [i16; 3], num: [u16; 3]) -> Tensor3d {
        Tensor3d { start: Addr4(0), step, num }
    }

    fn offsets(offset: u32, step: [i16; 3], num: [u16; 3], size: u32) -> Vec<u32> {
        Walk::new(offset, &pattern(step, num), size, 1000).unwrap().offsets().collect()
    }

    #[test]
    fn index_0_is_innermost() {
        assert_eq!(offsets(8, [1, 10, 100], [2, 2, 2], 1), [8, 9, 18, 19, 108, 109, 118, 119]);
        assert_eq!(offsets(0, [1, 2, 1], [2, 2, 1], 4), [0, 4, 8, 12]);
    }

    #[test]
    fn negative_steps_walk_down_and_step_0_stays() {
        assert_eq!(offsets(12, [-1, 1, 1], [4, 1, 1], 4), [12, 8, 4, 0]);
        assert_eq!(offsets(5, [0, 1, 0], [2, 2, 2], 1), [5, 5, 6, 6, 5, 5, 6, 6]);
        assert_eq!(offsets(20, [1, -3, 0], [2, 2, 1], 2), [20, 22, 14, 16]);
    }

    #[test]
    fn the_first_element_outside_is_named() {
        let new = |offset, step, num, size| Walk::new(offset, &pattern(step, num), size, 64);
        assert!(new(0, [1, 1, 1], [16, 1, 1], 4).is_ok());
        assert_eq!(new(0, [1, 1, 1], [17, 1, 1], 4), Err(64));
        assert_eq!(new(62, [1, 1, 1], [1, 1, 1], 4), Err(62));
        assert_eq!(new(4, [-1, 1, 1], [3, 1, 1], 4), Err(-4));
        // Row 2 is the first that leaves, with its third element.
        assert_eq!(new(0, [4, 20, 1], [5, 4, 1], 1), Err(64));
        assert_eq!(new(u32::MAX, [1, 1, 1], [1, 1, 1], 1), Err(i64::from(u32::MAX)));
        let extreme = new(0, [i16::MIN; 3], [u16::MAX; 3], 8);
        assert_eq!(extreme, Err(-8 * 32768));
        assert!(new(70, [1, 1, 1], [0, 1, 1], 4).is_ok(), "an empty walk touches nothing");
    }

    #[test]
    fn sets_of_touched_bytes_merge_what_touches() {
        let ranges = |offset, step, num, size| {
            let walk = Walk::new(offset, &pattern(step, num), size, 100_000).unwrap();
            walk.ranges().runs().iter().map(|run| (run.start, run.end)).collect::<Vec<_>>()
        };
        assert_eq!(ranges(0, [1, 1, 1], [512, 1, 1], 4), [(0, 2048)]);
        assert_eq!(ranges(12, [-1, 4, 16], [4, 4, 4], 4), [(0, 256)]);
        assert_eq!(ranges(0, [2, 1, 1], [3, 1, 1], 2), [(0, 2), (4, 6), (8, 10)]);
        assert_eq!(ranges(0, [0, 0, 0], [65535, 65535, 65535], 2), [(0, 2)]);
        assert_eq!(ranges(0, [2, 1, 0], [3, 2, 9], 2), [(0, 12)]);
    }

    proptest! {
        #[test]
        fn agrees_with_the_formula(
            offset in 0u32..300,
            step in prop::array::uniform4(-20i16..20),
            num in prop::array::uniform4(1u16..5),
            size in prop::sample::select(vec![1u32, 2, 4, 8]),
        ) {
            let mut expected = Vec::new();
            for e in 0..num.iter().map(|&n| i64::from(n)).product::<i64>() {
                let [n0, n1, n2, _] = num.map(i64::from);
                let [s0, s1, s2, s3] = step.map(i64::from);
                let elements = e % n0 * s0 + e / n0 % n1 * s1 + e / (n0 * n1) % n2 * s2 + e / (n0 * n1 * n2) * s3;
                expected.push(i64::from(offset) + elements * i64::from(size));
            }
            let outside = expected.iter().copied().find(|&o| o < 0 || o + i64::from(size) > 400);
            match Walk::new(offset, &Pattern { start: Addr4(0), step, num }, size, 400) {
                Err(at) => prop_assert_eq!(Some(at), outside),
                Ok(walk) => {
                    prop_assert_eq!(outside, None);
                    let walked: Vec<i64> = walk.offsets().map(i64::from).collect();
                    prop_assert_eq!(&walked, &expected);
                    let runs = expected.iter().map(|&o| Run { start: o as u32, end: o as u32 + size }).collect();
                    prop_assert_eq!(walk.ranges(), Ranges::from_unsorted(runs));
                }
            }
        }
    }
}
