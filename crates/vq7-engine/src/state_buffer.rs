//! The memories that operands reach: the State Buffer, and PSUM where the generation has it.
//! Sizes: docs/spec/generations.md, "Memory geometry".

use crate::memory::{Bank, Row};
use vq7_isa::Generation;
use vq7_isa::address::{Location, Memory};
use vq7_isa::generation::{PARTITIONS, PSUM_ACTIVE};

/// SBUF and PSUM of one generation. Partitions take host memory once they are touched. What was never written reads as
/// zero, and is known not to have been written.
#[derive(Clone, Debug)]
pub struct StateBuffer {
    generation: Generation,
    sbuf: Bank,
    psum: Bank,
}

/// An access that leaves the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// No such partition.
    #[error("{} has {has} partitions, and partition {partition} is not one of them", memory.name())]
    Partition {
        /// The memory.
        memory: Memory,
        /// What was asked for.
        partition: u32,
        /// How many there are.
        has: u32,
    },
    /// Bytes past the end of the partition.
    #[error(
        "{length} bytes at offset {offset:#x} of {} partition {partition} pass the end of the partition's {limit:#x} active bytes",
        memory.name()
    )]
    Offset {
        /// The memory.
        memory: Memory,
        /// The partition.
        partition: u32,
        /// First byte.
        offset: u32,
        /// Bytes.
        length: usize,
        /// Active bytes of the partition.
        limit: u32,
    },
    /// An address in neither memory.
    #[error("address {address:#x} lies neither in SBUF nor in PSUM of {generation}")]
    Address {
        /// The address.
        address: u32,
        /// The generation.
        generation: Generation,
    },
}

impl StateBuffer {
    /// The memories of a generation, nothing written.
    pub fn new(generation: Generation) -> Self {
        let geometry = generation.geometry();
        let psum_partitions = if geometry.psum_size == 0 { 0 } else { PARTITIONS };
        Self {
            generation,
            sbuf: Bank::new(PARTITIONS, geometry.sbuf_active),
            psum: Bank::new(psum_partitions, PSUM_ACTIVE),
        }
    }

    /// The generation whose memories these are.
    pub const fn generation(&self) -> Generation {
        self.generation
    }

    const fn bank(&self, memory: Memory) -> &Bank {
        match memory {
            Memory::Sbuf => &self.sbuf,
            Memory::Psum => &self.psum,
        }
    }

    const fn bank_mut(&mut self, memory: Memory) -> &mut Bank {
        match memory {
            Memory::Sbuf => &mut self.sbuf,
            Memory::Psum => &mut self.psum,
        }
    }

    /// Active bytes of a partition.
    pub const fn active_bytes(&self, memory: Memory) -> u32 {
        self.bank(memory).active()
    }

    /// Takes an address apart.
    ///
    /// # Errors
    /// When it lies in neither memory.
    pub fn locate(&self, address: u32) -> Result<Location, MemoryError> {
        Location::of(address, self.generation.geometry())
            .ok_or(MemoryError::Address { address, generation: self.generation })
    }

    fn check(&self, memory: Memory, partition: u32, offset: u32, length: usize) -> Result<(), MemoryError> {
        let bank = self.bank(memory);
        let (has, limit) = (bank.partitions(), bank.active());
        if partition >= has {
            return Err(MemoryError::Partition { memory, partition, has });
        }
        match (offset as usize).checked_add(length) {
            Some(end) if end <= limit as usize => Ok(()),
            _ => Err(MemoryError::Offset { memory, partition, offset, length, limit }),
        }
    }

    /// Writes bytes into one partition.
    ///
    /// # Errors
    /// When they do not lie within the partition's active bytes.
    pub fn write(&mut self, memory: Memory, partition: u32, offset: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        self.check(memory, partition, offset, bytes.len())?;
        let start = offset as usize;
        let end = start.saturating_add(bytes.len());
        if let Some(row) = self.row_mut(memory, partition)
            && let Some(slot) = row.bytes_mut().get_mut(start..end)
        {
            slot.copy_from_slice(bytes);
            // `check` has shown that the end fits the active bytes, which are a u32.
            row.written.insert(offset, end as u32);
        }
        Ok(())
    }

    /// Reads bytes of one partition; bytes that were never written are zero.
    ///
    /// # Errors
    /// When they do not lie within the partition's active bytes.
    pub fn read(&self, memory: Memory, partition: u32, offset: u32, length: usize) -> Result<Vec<u8>, MemoryError> {
        let mut bytes = vec![0; self.check(memory, partition, offset, length).map(|()| length)?];
        self.read_into(memory, partition, offset, &mut bytes)?;
        Ok(bytes)
    }

    /// As [`StateBuffer::read`], into a buffer of the caller's.
    ///
    /// # Errors
    /// When they do not lie within the partition's active bytes.
    pub fn read_into(&self, memory: Memory, partition: u32, offset: u32, buffer: &mut [u8]) -> Result<(), MemoryError> {
        self.check(memory, partition, offset, buffer.len())?;
        let start = offset as usize;
        let end = start.saturating_add(buffer.len());
        match self.row(memory, partition).and_then(|row| row.bytes().get(start..end)) {
            Some(bytes) => buffer.copy_from_slice(bytes),
            None => buffer.fill(0),
        }
        Ok(())
    }

    /// The first offset of `offset..offset + length` that was never written. Bytes outside the memory never were.
    pub fn first_unwritten(&self, memory: Memory, partition: u32, offset: u32, length: u32) -> Option<u32> {
        let end = offset.saturating_add(length);
        match self.row(memory, partition) {
            Some(row) => row.written.first_gap(offset, end),
            None => (length > 0).then_some(offset),
        }
    }

    /// Whether every byte of the range was written.
    pub fn is_written(&self, memory: Memory, partition: u32, offset: u32, length: u32) -> bool {
        self.first_unwritten(memory, partition, offset, length).is_none()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.sbuf.clear();
        self.psum.clear();
    }

    /// The row of a partition, if any of it was touched. For executors, which check bounds once per word.
    pub fn row(&self, memory: Memory, partition: u32) -> Option<&Row> {
        self.bank(memory).row(partition)
    }

    /// The row of a partition, `None` when the memory has no such partition. For executors: they note what they write.
    pub fn row_mut(&mut self, memory: Memory, partition: u32) -> Option<&mut Row> {
        self.bank_mut(memory).row_mut(partition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_back_and_what_was_written_is_known() {
        let mut memory = StateBuffer::new(Generation::Cayman);
        memory.write(Memory::Sbuf, 3, 0x100, &[1, 2, 3, 4]).unwrap();
        assert_eq!(memory.read(Memory::Sbuf, 3, 0xFE, 8).unwrap(), [0, 0, 1, 2, 3, 4, 0, 0]);
        assert_eq!(memory.read(Memory::Sbuf, 4, 0, 2).unwrap(), [0, 0]);
        assert!(memory.is_written(Memory::Sbuf, 3, 0x100, 4));
        assert_eq!(memory.first_unwritten(Memory::Sbuf, 3, 0x100, 5), Some(0x104));
        assert_eq!(memory.first_unwritten(Memory::Sbuf, 4, 9, 5), Some(9));
        assert_eq!(memory.first_unwritten(Memory::Psum, 3, 0x100, 4), Some(0x100));
        assert_eq!(memory.first_unwritten(Memory::Sbuf, 4, 9, 0), None);
        memory.clear();
        assert!(!memory.is_written(Memory::Sbuf, 3, 0x100, 1));
    }

    #[test]
    fn the_active_bytes_of_each_generation_are_the_end() {
        for (generation, active) in Generation::ALL.into_iter().zip([0x3_0000, 0x3_8000, 0x4_0000, 0x4_0000, 0x8_0000])
        {
            let mut memory = StateBuffer::new(generation);
            assert_eq!(memory.active_bytes(Memory::Sbuf), active);
            memory.write(Memory::Sbuf, 127, active - 1, &[7]).unwrap();
            let error = memory.write(Memory::Sbuf, 127, active - 1, &[7, 7]).unwrap_err();
            assert!(error.to_string().contains("active bytes"), "{error}");
            assert!(memory.read(Memory::Sbuf, 0, u32::MAX, usize::MAX).is_err());
            assert!(matches!(memory.write(Memory::Sbuf, 128, 0, &[7]), Err(MemoryError::Partition { has: 128, .. })));
            let psum = memory.write(Memory::Psum, 0, 0x3FFF, &[7]);
            assert_eq!(psum.is_ok(), generation != Generation::Maverick);
            assert!(memory.write(Memory::Psum, 0, 0x4000, &[7]).is_err());
        }
        let maverick = StateBuffer::new(Generation::Maverick);
        assert!(maverick.locate(0x800_0000).is_err() && maverick.locate(0x200_0000).is_ok());
        assert_eq!(maverick.generation(), Generation::Maverick);
    }
}
