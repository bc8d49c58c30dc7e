//! The data memory of a core, and the write buffer before it.

use std::fmt;

/// Where the data memory begins.
pub const DATA_RAM: u32 = 0x8_0000;
/// Bytes of the data memory.
pub const DATA_RAM_BYTES: u32 = 0x1_0000;

/// An access outside the data memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// First byte.
    pub address: u32,
    /// Number of bytes.
    pub bytes: u32,
    /// Whether it was a store.
    pub store: bool,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.store { "store" } else { "load" };
        write!(
            f,
            "{what} of {} bytes at {:#x}: the data memory is {DATA_RAM:#x} to {:#x}",
            self.bytes,
            self.address,
            DATA_RAM + DATA_RAM_BYTES - 1
        )
    }
}

impl std::error::Error for OutOfRange {}

/// A store that has not left the core yet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    ticket: u32,
    address: u32,
    bytes: u8,
    /// Which of the bytes are written.
    enable: u64,
    data: [u8; 64],
}

/// Data memory with its write buffer. Loads see what the buffer holds.
#[derive(Clone, Debug)]
pub struct Memory {
    data: Vec<u8>,
    buffer: Vec<Pending>,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

impl Memory {
    /// All zero.
    #[must_use]
    pub fn new() -> Memory {
        Memory { data: vec![0; DATA_RAM_BYTES as usize], buffer: Vec::with_capacity(32) }
    }

    fn offset(address: u32, bytes: u32, store: bool) -> Result<usize, OutOfRange> {
        let error = OutOfRange { address, bytes, store };
        let offset = address.checked_sub(DATA_RAM).ok_or(error)?;
        let end = offset.checked_add(bytes).ok_or(error)?;
        if end > DATA_RAM_BYTES { Err(error) } else { Ok(offset as usize) }
    }

    /// The bytes from `address` on, as they are in memory: what is still in the write buffer is not seen.
    ///
    /// # Errors
    ///
    /// Outside the data memory.
    pub fn settled(&self, address: u32, bytes: u32) -> Result<&[u8], OutOfRange> {
        let offset = Memory::offset(address, bytes, false)?;
        Ok(&self.data[offset..offset + bytes as usize])
    }

    /// Sets memory from outside.
    ///
    /// # Errors
    ///
    /// Outside the data memory.
    pub fn set(&mut self, address: u32, bytes: &[u8]) -> Result<(), OutOfRange> {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let offset = Memory::offset(address, length, true)?;
        self.data[offset..offset + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Loads as many bytes as `into` has, with the buffer's stores over what is in memory.
    ///
    /// # Errors
    ///
    /// Outside the data memory.
    pub fn load(&self, address: u32, into: &mut [u8]) -> Result<(), OutOfRange> {
        let length = into.len() as u32;
        let offset = Memory::offset(address, length, false)?;
        into.copy_from_slice(&self.data[offset..offset + into.len()]);
        for pending in &self.buffer {
            let from = pending.address.max(address);
            let to = (pending.address + u32::from(pending.bytes)).min(address + length);
            for at in from..to {
                let place = at - pending.address;
                if pending.enable >> place & 1 == 1 {
                    into[(at - address) as usize] = pending.data[place as usize];
                }
            }
        }
        Ok(())
    }

    /// Whether a store of these bytes would be in range.
    ///
    /// # Errors
    ///
    /// Outside the data memory.
    pub fn check(&self, address: u32, bytes: u32, store: bool) -> Result<(), OutOfRange> {
        Memory::offset(address, bytes, store).map(|_| ())
    }

    /// Puts a store into the buffer. `enable` has a bit per byte.
    ///
    /// # Errors
    ///
    /// Outside the data memory.
    pub fn store(&mut self, ticket: u32, address: u32, data: &[u8], enable: u64) -> Result<(), OutOfRange> {
        let length = data.len().min(64);
        Memory::offset(address, length as u32, true)?;
        let mut pending = Pending { ticket, address, bytes: length as u8, enable, data: [0; 64] };
        pending.data[..length].copy_from_slice(&data[..length]);
        self.buffer.push(pending);
        Ok(())
    }

    /// The stores of that issue leave the buffer. Issues leave in order.
    pub fn leave(&mut self, ticket: u32) {
        let Memory { data, buffer } = self;
        buffer.retain(|pending| {
            if pending.ticket != ticket {
                return true;
            }
            let offset = (pending.address - DATA_RAM) as usize;
            let row = &mut data[offset..offset + usize::from(pending.bytes)];
            if pending.enable == u64::MAX {
                row.copy_from_slice(&pending.data[..row.len()]);
            } else {
                for (place, byte) in row.iter_mut().enumerate() {
                    if pending.enable >> place & 1 == 1 {
                        *byte = pending.data[place];
                    }
                }
            }
            false
        });
    }

    /// The stores of the issues that `killed` names never leave the core.
    pub fn kill(&mut self, killed: impl Fn(u32) -> bool) {
        self.buffer.retain(|pending| !killed(pending.ticket));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_see_the_write_buffer_and_kills_empty_it() {
        let mut memory = Memory::new();
        memory.set(DATA_RAM + 4, &[1, 2, 3, 4]).expect("in range");
        memory.store(7, DATA_RAM + 5, &[9, 9], 0b10).expect("in range");
        memory.store(8, DATA_RAM + 6, &[8, 8], u64::MAX).expect("in range");
        let mut seen = [0; 4];
        memory.load(DATA_RAM + 4, &mut seen).expect("in range");
        assert_eq!((seen, memory.settled(DATA_RAM + 4, 4)), ([1, 2, 8, 8], Ok(&[1, 2, 3, 4][..])));
        memory.kill(|ticket| ticket == 8);
        memory.load(DATA_RAM + 4, &mut seen).expect("in range");
        assert_eq!(seen, [1, 2, 9, 4]);
        memory.leave(7);
        assert_eq!(memory.settled(DATA_RAM + 4, 4), Ok(&[1, 2, 9, 4][..]));
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        let mut memory = Memory::new();
        let last = DATA_RAM + DATA_RAM_BYTES - 1;
        assert_eq!(memory.set(last, &[1]), Ok(()));
        let errors = [
            memory.set(last, &[1, 2]),
            memory.load(u32::MAX, &mut [0; 64]),
            memory.store(0, 0, &[0; 64], u64::MAX),
            memory.check(DATA_RAM - 1, 1, false),
        ];
        assert!(errors.iter().all(Result::is_err), "{errors:?}");
        let error = errors[1].map_err(|error| error.to_string());
        assert_eq!(error, Err("load of 64 bytes at 0xffffffff: the data memory is 0x80000 to 0x8ffff".to_owned()));
    }
}
