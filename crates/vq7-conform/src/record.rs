//! The fixed-size record of a case in `cases.bin`. Source: docs/conformance.md, "cases.bin".

use crate::shape::Window;

/// Bytes of a record.
pub const RECORD_BYTES: usize = 64;
/// In place of a row of coefficients: the case needs none.
pub const NO_COEFFICIENTS: u32 = u32::MAX;

/// A case as `cases.bin` has it. All integers are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Number of the case, counted over the whole target.
    pub case: u32,
    /// Number of its cell, counted over the whole target.
    pub cell: u32,
    /// Where its bytes begin in `inputs.bin`, in `expected.bin` and in results.
    pub image: u64,
    /// How many they are.
    pub image_bytes: u32,
    /// Its first row in `coefficients.bin`, or [`NO_COEFFICIENTS`].
    pub coefficients: u32,
    /// Opcode.
    pub opcode: u8,
    /// Op.
    pub op: u8,
    /// Dtype codes of src0, src1, out.
    pub types: [u8; 3],
    /// Number of the shape.
    pub shape: u8,
    /// Bit 0: POOL takes the word. Bit 1: DVE does.
    pub engines: u8,
    /// Partitions that take part.
    pub channels: u8,
    /// The two windows; the second has no rows when dst lies in the first.
    pub windows: [Window; 2],
    /// Elements, over all channels.
    pub elements: u32,
}

impl Record {
    /// The 64 bytes.
    pub fn encode(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = Vec::with_capacity(RECORD_BYTES);
        bytes.extend(self.case.to_le_bytes());
        bytes.extend(self.cell.to_le_bytes());
        bytes.extend(self.image.to_le_bytes());
        bytes.extend(self.image_bytes.to_le_bytes());
        bytes.extend(self.coefficients.to_le_bytes());
        bytes.extend([self.opcode, self.op]);
        bytes.extend(self.types);
        bytes.extend([self.shape, self.engines, self.channels]);
        self.windows.iter().for_each(|window| bytes.extend(window.partition.to_le_bytes()));
        self.windows.iter().for_each(|window| bytes.extend(window.rows.to_le_bytes()));
        self.windows.iter().for_each(|window| bytes.extend(window.offset.to_le_bytes()));
        self.windows.iter().for_each(|window| bytes.extend(window.bytes.to_le_bytes()));
        bytes.extend(self.elements.to_le_bytes());
        bytes.extend([0; 4]);
        let mut record = [0; RECORD_BYTES];
        record.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = byte);
        record
    }

    /// The record of 64 bytes.
    pub fn decode(bytes: &[u8; RECORD_BYTES]) -> Self {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let u16_at = |at| u16::from_le_bytes([byte(at), byte(at + 1)]);
        let u32_at = |at| u32::from_le_bytes([byte(at), byte(at + 1), byte(at + 2), byte(at + 3)]);
        let window = |i: usize| Window {
            partition: u16_at(32 + 2 * i),
            rows: u16_at(36 + 2 * i),
            offset: u32_at(40 + 4 * i),
            bytes: u32_at(48 + 4 * i),
        };
        Self {
            case: u32_at(0),
            cell: u32_at(4),
            image: u64::from(u32_at(8)) | u64::from(u32_at(12)) << 32,
            image_bytes: u32_at(16),
            coefficients: u32_at(20),
            opcode: byte(24),
            op: byte(25),
            types: [byte(26), byte(27), byte(28)],
            shape: byte(29),
            engines: byte(30),
            channels: byte(31),
            windows: [window(0), window(1)],
            elements: u32_at(56),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_back() {
        let bytes: [u8; RECORD_BYTES] = std::array::from_fn(|i| if i < 60 { (i * 37 + 1) as u8 } else { 0 });
        assert_eq!(Record::decode(&bytes).encode(), bytes);
        assert_eq!(Record::decode(&bytes).image, u64::from_le_bytes(std::array::from_fn(|i| bytes[8 + i])));
    }
}
