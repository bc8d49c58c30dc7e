//! Where tensors lie in the State Buffer: first fit, 8-byte aligned, around those that the program places itself.

use std::ops::Range;

/// Alignment of every tensor that the program does not place: the word of the State Buffer, and the widest element.
const ALIGNMENT: u32 = 8;

/// Byte ranges of a partition that are taken. Every tensor takes its range in all partitions.
#[derive(Debug, Default)]
pub(crate) struct Placement {
    /// Sorted by start; may overlap where the program places tensors over one another.
    taken: Vec<Range<u32>>,
    limit: u32,
}

/// A tensor that does not fit: bytes that are free in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoRoom {
    pub largest_gap: u32,
}

impl Placement {
    /// An empty partition of `limit` active bytes.
    pub fn new(limit: u32) -> Self {
        Self { taken: Vec::new(), limit }
    }

    /// Takes a range that the program asks for. It may overlap others: that is the program's choice.
    pub fn take(&mut self, range: Range<u32>) {
        let at = self.taken.partition_point(|other| other.start <= range.start);
        self.taken.insert(at, range);
    }

    /// Takes the first free range of `bytes`.
    pub fn place(&mut self, bytes: u32) -> Result<u32, NoRoom> {
        let (mut start, mut largest_gap) = (0u32, 0);
        let ends = [(self.limit, self.limit)];
        let taken: Vec<_> = self.taken.iter().map(|taken| (taken.start, taken.end)).chain(ends).collect();
        for (taken_start, taken_end) in taken {
            let gap = taken_start.saturating_sub(start);
            if gap >= bytes {
                self.take(start..start + bytes);
                return Ok(start);
            }
            largest_gap = largest_gap.max(gap);
            start = start.max(taken_end.checked_next_multiple_of(ALIGNMENT).unwrap_or(u32::MAX));
        }
        Err(NoRoom { largest_gap })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_lie_behind_one_another_and_around_those_with_a_place() {
        let mut placement = Placement::new(100);
        placement.take(16..32);
        assert_eq!(placement.place(10), Ok(0));
        assert_eq!(placement.place(10), Ok(32));
        assert_eq!(placement.place(52), Ok(48));
        assert_eq!(placement.place(1), Err(NoRoom { largest_gap: 0 }));
    }

    #[test]
    fn ranges_at_the_end_of_the_address_space_do_not_overflow() {
        let mut placement = Placement::new(u32::MAX);
        placement.take(0..u32::MAX - 2);
        assert!(placement.place(8).is_err());
    }
}
