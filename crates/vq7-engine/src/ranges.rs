//! A set of byte offsets of one partition, kept as sorted runs.

/// Offsets `start..end`, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// First offset.
    pub start: u32,
    /// One past the last offset.
    pub end: u32,
}

/// A set of byte offsets. Runs are sorted, and neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    runs: Vec<Run>,
}

impl Ranges {
    /// The set of the runs in any order.
    pub fn from_unsorted(mut runs: Vec<Run>) -> Self {
        // Walks mostly come in order, and then this costs one pass.
        if !runs.is_sorted() {
            runs.sort_unstable();
        }
        let mut set = Self::default();
        for run in runs {
            set.append(run);
        }
        set
    }

    /// The runs, in order.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Adds `start..end`. A run that starts at or behind the last one's start costs amortised constant time.
    pub fn insert(&mut self, start: u32, end: u32) {
        if start >= end {
            return;
        }
        if self.runs.last().is_none_or(|last| start >= last.start) {
            self.append(Run { start, end });
            return;
        }
        let first = self.runs.partition_point(|run| run.end < start);
        let past = self.runs.partition_point(|run| run.start <= end);
        let joined = self.runs.iter().take(past).skip(first);
        let merged = joined
            .fold(Run { start, end }, |all, run| Run { start: all.start.min(run.start), end: all.end.max(run.end) });
        self.runs.splice(first..past.max(first), [merged]);
    }

    /// Adds a run that starts at or behind the last one's start.
    fn append(&mut self, run: Run) {
        match self.runs.last_mut() {
            Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
            _ => self.runs.push(run),
        }
    }

    /// Adds all of another set. Costs the length of both, whatever their order: a strided word that fills the gaps of
    /// another would cost its square if run after run were inserted.
    pub fn union(&mut self, other: &Self) {
        match (self.runs.last(), other.runs.as_slice()) {
            (_, []) => return,
            (_, [run]) => return self.insert(run.start, run.end),
            (None, runs) => {
                self.runs.extend_from_slice(runs);
                return;
            }
            _ => {}
        }
        let mut merged = Self { runs: Vec::with_capacity(self.runs.len().saturating_add(other.runs.len())) };
        let (mut left, mut right) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(l), Some(r)) if r.start < l.start => right.next(),
                (Some(_), _) => left.next(),
                (None, _) => right.next(),
            };
            match next {
                Some(run) => merged.append(*run),
                None => break,
            }
        }
        *self = merged;
    }

    /// The first offset of `start..end` that is not in the set.
    pub fn first_gap(&self, start: u32, end: u32) -> Option<u32> {
        if start >= end {
            return None;
        }
        let index = self.runs.partition_point(|run| run.end <= start);
        match self.runs.get(index) {
            Some(run) if run.start <= start => (run.end < end).then_some(run.end),
            _ => Some(start),
        }
    }

    /// Whether every offset of `other` is in the set.
    pub fn contains_all(&self, other: &Self) -> bool {
        if let [only] = self.runs.as_slice() {
            return other.runs.first().is_none_or(|run| run.start >= only.start)
                && other.runs.last().is_none_or(|run| run.end <= only.end);
        }
        other.runs.iter().all(|run| self.first_gap(run.start, run.end).is_none())
    }

    /// Whether the sets have an offset in common.
    pub fn intersects(&self, other: &Self) -> bool {
        let (mut left, mut right) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        while let (Some(l), Some(r)) = (left.peek(), right.peek()) {
            if l.end <= r.start {
                left.next();
            } else if r.end <= l.start {
                right.next();
            } else {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(runs: &[(u32, u32)]) -> Ranges {
        Ranges::from_unsorted(runs.iter().map(|&(start, end)| Run { start, end }).collect())
    }

    #[test]
    fn appended_runs_join() {
        let mut ranges = Ranges::default();
        for start in (0..4096).step_by(4) {
            ranges.insert(start, start + 4);
        }
        assert_eq!(ranges, set(&[(0, 4096)]));
        assert_eq!(ranges.first_gap(0, 4096), None);
        assert_eq!(ranges.first_gap(4000, 5000), Some(4096));
        assert_eq!(ranges.first_gap(5000, 5001), Some(5000));
        assert_eq!(ranges.first_gap(7, 7), None);
    }

    #[test]
    fn a_run_that_bridges_gaps_swallows_what_it_covers() {
        let mut ranges = set(&[(10, 20), (30, 40), (50, 60)]);
        ranges.insert(20, 30);
        assert_eq!(ranges, set(&[(10, 40), (50, 60)]));
        ranges.insert(0, 5);
        assert_eq!(ranges.runs().len(), 3);
        ranges.insert(4, 55);
        assert_eq!(ranges, set(&[(0, 60)]));
        assert!(!ranges.is_empty() && Ranges::default().is_empty());
    }

    proptest! {
        #[test]
        fn agrees_with_a_bit_per_byte(
            ops in prop::collection::vec((0u32..64, 0u32..16, any::<bool>()), 0..40),
            probe in (0u32..64, 0u32..20),
        ) {
            let mut one_by_one = Ranges::default();
            let mut bits = [false; 128];
            let mut batch = Vec::new();
            let mut in_batches = Ranges::default();
            for (start, length, flush) in ops {
                one_by_one.insert(start, start + length);
                (start..start + length).for_each(|i| bits[i as usize] = true);
                if length > 0 {
                    batch.push(Run { start, end: start + length });
                }
                if flush {
                    in_batches.union(&Ranges::from_unsorted(std::mem::take(&mut batch)));
                }
            }
            in_batches.union(&Ranges::from_unsorted(batch));
            prop_assert_eq!(&one_by_one, &in_batches);
            prop_assert!(one_by_one.runs().windows(2).all(|pair| pair[0].end < pair[1].start));
            let covered = |i: u32| one_by_one.runs().iter().any(|run| run.start <= i && i < run.end);
            (0..128).for_each(|i| assert_eq!(covered(i), bits[i as usize]));
            let (start, length) = probe;
            let gap = (start..start + length).find(|i| !bits[*i as usize]);
            prop_assert_eq!(one_by_one.first_gap(start, start + length), gap);
            let other = set(&[(start, start + length + 1)]);
            prop_assert_eq!(one_by_one.contains_all(&other), (start..=start + length).all(|i| bits[i as usize]));
            prop_assert_eq!(one_by_one.intersects(&other), (start..=start + length).any(|i| bits[i as usize]));
        }
    }
}
