//! How an operand lies in its partition: its dimensions, merged where they continue each other.

use vq7_engine::walk::Walk;

/// The walk of an operand with as few dimensions as it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Byte offset of the first element.
    pub start: usize,
    /// Count and signed step in bytes, the innermost first; dimensions that are not needed count 1.
    pub dims: [(usize, isize); 4],
    /// Bytes of an element.
    pub size: usize,
}

impl Layout {
    pub fn new(walk: &Walk) -> Self {
        let size = walk.size() as usize;
        let dims = walk.dims().into_iter().map(|(count, step)| (count as usize, step as isize));
        let dims = merge(dims, size).unwrap_or([(1, size as isize), (1, 0), (1, 0), (1, 0)]);
        Self { start: walk.start() as usize, dims, size }
    }

    /// Axes of a count and a step in bytes, the innermost first, from the first element on; `None` when they do not merge
    /// into four.
    pub fn of_axes(axes: impl Iterator<Item = (usize, isize)>, size: usize) -> Option<Self> {
        merge(axes, size).map(|dims| Self { start: 0, dims, size })
    }

    /// Elements one after the other.
    pub const fn row(count: usize, size: usize) -> Self {
        Self { start: 0, dims: [(count, size as isize), (1, 0), (1, 0), (1, 0)], size }
    }

    /// One element, time and again.
    pub const fn constant(count: usize, size: usize) -> Self {
        Self { start: 0, dims: [(count, 0), (1, 0), (1, 0), (1, 0)], size }
    }

    /// Whether the elements lie one after the other.
    pub const fn is_row(&self) -> bool {
        let [(_, step), (n1, _), (n2, _), (n3, _)] = self.dims;
        step == self.size as isize && n1 == 1 && n2 == 1 && n3 == 1
    }

    /// Whether all elements are one.
    pub fn is_constant(&self) -> bool {
        self.dims.iter().all(|(count, step)| *count == 1 || *step == 0)
    }

    /// Elements that lie one after the other, time and again.
    pub const fn inner_row(&self) -> usize {
        let [(count, step), ..] = self.dims;
        if step == self.size as isize { count } else { 1 }
    }

    /// Whether `n` elements lie one after the other, of which the first `run` lie evenly.
    pub const fn lie_in_a_row(&self, n: usize, run: usize) -> bool {
        let [(_, step), ..] = self.dims;
        n == 1 || (run >= n && step == self.size as isize)
    }

    /// Whether an element can be visited more than once.
    pub fn may_revisit(&self) -> bool {
        let mut dims = self.dims.map(|(count, step)| (step.unsigned_abs(), count));
        dims.sort_unstable();
        let mut covered = self.size;
        for (step, count) in dims.into_iter().filter(|(_, count)| *count > 1) {
            if step < covered {
                return true;
            }
            covered += step * (count - 1);
        }
        false
    }

    /// The byte offset of an element, how many from there on lie evenly, and how far apart.
    pub const fn at(&self, element: usize) -> (isize, usize, isize) {
        let [(n0, s0), (n1, s1), (n2, s2), (n3, s3)] = self.dims;
        // Divisions would take longer than the kernel takes for a block.
        if n1 == 1 && n2 == 1 && n3 == 1 {
            return (self.start as isize + element as isize * s0, n0 - element, s0);
        }
        let (i0, rest) = (element % n0, element / n0);
        let (i1, rest) = (rest % n1, rest / n1);
        let (i2, i3) = (rest % n2, rest / n2);
        let inner = self.start as isize + i0 as isize * s0 + i1 as isize * s1;
        (inner + i2 as isize * s2 + i3 as isize * s3, n0 - i0, s0)
    }
}

/// Dimensions, the innermost first, with those merged that continue each other; `None` when more than three are left.
fn merge(axes: impl Iterator<Item = (usize, isize)>, size: usize) -> Option<[(usize, isize); 4]> {
    let mut dims = [(1usize, 0isize); 4];
    let mut rank = 0usize;
    for (count, step) in axes {
        if count == 1 {
            continue;
        }
        let continued = rank.checked_sub(1).and_then(|last| dims.get_mut(last));
        match continued {
            // All elements lie in one memory, so that nothing here is near the ends of an isize.
            Some((inner, inner_step)) if step == (*inner as isize).wrapping_mul(*inner_step) => *inner *= count,
            _ => {
                *dims.get_mut(rank)? = (count, step);
                rank += 1;
            }
        }
    }
    Some(if rank == 0 { [(1, size as isize), (1, 0), (1, 0), (1, 0)] } else { dims })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

    use super::*;
    use proptest::prelude::*;
    use vq7_isa::address::Addr4;
    use vq7_isa::pattern::Pattern;

    proptest! {
        #[test]
        fn a_layout_visits_what_the_walk_visits(
            step in prop::array::uniform4(-9i16..9),
            num in prop::array::uniform4(1u16..4),
            size in prop::sample::select(vec![1u32, 2, 4, 8]),
        ) {
            let pattern = Pattern { start: Addr4(0), step, num };
            let walk = Walk::new(4096, &pattern, size, 9000).unwrap();
            let layout = Layout::new(&walk);
            let offsets: Vec<isize> = walk.offsets().map(|offset| offset as isize).collect();
            for (element, &offset) in offsets.iter().enumerate() {
                let (at, run, step) = layout.at(element);
                prop_assert_eq!(at, offset);
                for i in 0..run {
                    prop_assert_eq!(offsets[element + i], at + i as isize * step);
                }
            }
            let mut sorted = offsets.clone();
            sorted.sort_unstable();
            let revisits = sorted.windows(2).any(|pair| pair[1] - pair[0] < size as isize);
            prop_assert!(layout.may_revisit() || !revisits, "{:?}", layout);
            prop_assert_eq!(layout.is_constant(), sorted.iter().all(|at| *at == sorted[0]));
        }
    }
}
