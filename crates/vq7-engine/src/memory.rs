//! One memory: 128 partitions of bytes that exist once they are touched.

use crate::ranges::Ranges;

/// Bytes by which each partition's row is shifted against the one before. A walk goes through the same offset in every
/// partition; without the shift these bytes would all fall into the same few sets of the host's caches.
const SKEW: usize = 64;
/// Rows after which the shift starts again: one page of shifts.
const SKEWS: usize = 64;

/// The bytes of one partition and which of them were written. A byte that was never written is zero.
#[derive(Clone, Debug, Default)]
pub struct Row {
    storage: Vec<u8>,
    skew: usize,
    /// Offsets that were written.
    pub written: Ranges,
}

impl Row {
    fn new(partition: usize, active: u32) -> Self {
        let shift = partition % SKEWS * SKEW;
        let storage = vec![0; shift.saturating_add(SKEW).saturating_add(active as usize)];
        // Rows begin where a line of the cache does.
        let skew = shift.saturating_add(storage.as_ptr().align_offset(SKEW).min(SKEW));
        let mut row = Self { storage, skew, written: Ranges::default() };
        row.storage.truncate(skew.saturating_add(active as usize));
        row
    }

    /// The partition's active bytes.
    pub fn bytes(&self) -> &[u8] {
        self.storage.get(self.skew..).unwrap_or(&[])
    }

    /// The partition's active bytes, to be written. The caller notes in `written` what it writes.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.storage.get_mut(self.skew..).unwrap_or(&mut [])
    }

    /// The element of `N` bytes at an offset, in the low bits; `None` past the end.
    fn load_bytes<const N: usize>(&self, offset: usize) -> Option<u64> {
        let bytes = self.storage.get(self.skew.checked_add(offset)?..)?.first_chunk::<N>()?;
        let mut wide = [0; 8];
        wide.get_mut(..N)?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(wide))
    }

    /// The element of `size` bytes at an offset, little-endian, in the low bits; `None` past the end or for a size
    /// that no dtype has.
    pub(crate) fn load(&self, offset: u32, size: u32) -> Option<u64> {
        let offset = offset as usize;
        match size {
            1 => self.load_bytes::<1>(offset),
            2 => self.load_bytes::<2>(offset),
            4 => self.load_bytes::<4>(offset),
            8 => self.load_bytes::<8>(offset),
            _ => None,
        }
    }

    fn store_bytes<const N: usize>(&mut self, offset: usize, value: u64) -> Option<()> {
        let slot = self.storage.get_mut(self.skew.checked_add(offset)?..)?.first_chunk_mut::<N>()?;
        slot.copy_from_slice(value.to_le_bytes().get(..N)?);
        Some(())
    }

    /// Writes the low `size` bytes of a value, little-endian; `None` past the end or for a size that no dtype has.
    pub(crate) fn store(&mut self, offset: u32, size: u32, value: u64) -> Option<()> {
        let offset = offset as usize;
        match size {
            1 => self.store_bytes::<1>(offset, value),
            2 => self.store_bytes::<2>(offset, value),
            4 => self.store_bytes::<4>(offset, value),
            8 => self.store_bytes::<8>(offset, value),
            _ => None,
        }
    }
}

/// The rows of one memory.
#[derive(Clone, Debug)]
pub(crate) struct Bank {
    active: u32,
    rows: Vec<Option<Row>>,
}

impl Bank {
    pub fn new(partitions: u32, active: u32) -> Self {
        Self { active, rows: vec![None; partitions as usize] }
    }

    /// Bytes of a partition.
    pub const fn active(&self) -> u32 {
        self.active
    }

    /// Partitions; 0 for a memory that the generation lacks.
    pub fn partitions(&self) -> u32 {
        self.rows.len() as u32
    }

    /// The row of a partition, if any of it was touched.
    pub fn row(&self, partition: u32) -> Option<&Row> {
        self.rows.get(partition as usize)?.as_ref()
    }

    /// The row of a partition, which exists from now on; `None` when there is no such partition.
    pub fn row_mut(&mut self, partition: u32) -> Option<&mut Row> {
        let (index, active) = (partition as usize, self.active);
        let slot = self.rows.get_mut(index)?;
        Some(slot.get_or_insert_with(|| Row::new(index, active)))
    }

    pub fn clear(&mut self) {
        self.rows.iter_mut().for_each(|row| *row = None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_every_size_round_trip_and_stop_at_the_end() {
        let mut row = Row::new(5, 32);
        for (size, value) in [(1, 0xA5), (2, 0xBEEF), (4, 0xDEAD_BEEF), (8, 0x0123_4567_89AB_CDEF)] {
            assert_eq!(row.store(32 - size, size, value), Some(()));
            assert_eq!(row.load(32 - size, size), Some(value));
            assert_eq!(row.load(33 - size, size), None);
            assert_eq!(row.store(33 - size, size, 0), None);
        }
        assert_eq!(row.bytes()[24..], 0x0123_4567_89AB_CDEFu64.to_le_bytes());
        assert_eq!(row.load(0, 3), None);
        assert_eq!(row.bytes_mut().len(), 32);
    }

    #[test]
    fn rows_come_to_be_when_touched() {
        let mut bank = Bank::new(128, 64);
        assert!(bank.row(7).is_none());
        assert!(bank.row_mut(7).is_some() && bank.row(7).is_some() && bank.row(8).is_none());
        assert!(bank.row_mut(128).is_none());
        assert_eq!((bank.active(), bank.partitions()), (64, 128));
        bank.clear();
        assert!(bank.row(7).is_none());
    }
}
