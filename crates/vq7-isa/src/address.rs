//! The 4-byte address union ADDR4 and the memories it reaches. Source: docs/spec/words.md, docs/spec/generations.md.

use crate::generation::{ADDRESS_REGISTERS, Geometry, PSUM_ACTIVE, PSUM_BASE, PSUM_STRIDE, QUADRANT};
use std::fmt;

const ADDRESS_MASK: u32 = 0x1FFF_FFFF;
const MARKER_MASK: u32 = !ADDRESS_MASK;

/// The 4-byte address field of a tensor pattern, as the word carries it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Addr4(pub u32);

/// What the top three bits of an [`Addr4`] say. The discriminant is the marker byte.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// Address and shape in the word.
    Imm = 0x00,
    /// Address from a register.
    AddrReg = 0x80,
    /// Shape from a register.
    ShapeReg = 0x40,
    /// Address and shape from registers.
    AddrShapeReg = 0xC0,
    /// The address is that of an index tensor.
    IndirectImm = 0x20,
    /// The index tensor's address comes from a register.
    IndirectReg = 0xA0,
    /// The combinations 0x60 and 0xE0, which no source defines.
    Undefined = 0x60,
}

impl Marker {
    /// The header's name without prefix.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Imm => "IMM",
            Self::AddrReg => "ADDR_REG",
            Self::ShapeReg => "SHAPE_REG",
            Self::AddrShapeReg => "ADDR_SHAPE_REG",
            Self::IndirectImm => "INDIRECT_IMM",
            Self::IndirectReg => "INDIRECT_REG",
            Self::Undefined => "undefined",
        }
    }
}

impl Addr4 {
    /// An immediate address. Bits above 28 are dropped.
    pub const fn immediate(address: u32) -> Self {
        Self(address & ADDRESS_MASK)
    }

    /// An address with a marker and 29 bits of payload.
    pub const fn with_marker(marker: Marker, payload: u32) -> Self {
        Self((marker as u32) << 24 | payload & ADDRESS_MASK)
    }

    /// What the top three bits say.
    pub const fn marker(self) -> Marker {
        match (self.0 & MARKER_MASK) >> 24 {
            0x00 => Marker::Imm,
            0x80 => Marker::AddrReg,
            0x40 => Marker::ShapeReg,
            0xC0 => Marker::AddrShapeReg,
            0x20 => Marker::IndirectImm,
            0xA0 => Marker::IndirectReg,
            _ => Marker::Undefined,
        }
    }

    /// The 29 bits below the marker: the address of an immediate form.
    pub const fn payload(self) -> u32 {
        self.0 & ADDRESS_MASK
    }

    /// Bit 31: the address comes from a register.
    pub const fn is_register(self) -> bool {
        self.0 >> 31 == 1
    }

    /// Whether the pattern is an indirect descriptor.
    pub const fn is_indirect(self) -> bool {
        matches!(self.marker(), Marker::IndirectImm | Marker::IndirectReg)
    }

    /// Header predicate `shape_from_register`.
    pub const fn shape_from_register(self) -> bool {
        matches!(self.marker(), Marker::ShapeReg | Marker::AddrShapeReg)
    }

    /// Whether the counts of the pattern are in the word: neither from a register nor those of an index tensor.
    pub const fn has_static_shape(self) -> bool {
        !self.shape_from_register() && !self.is_indirect()
    }

    /// The register that a register form names, if it is well formed: number below 64, bytes 1 and 2 zero.
    pub const fn register(self) -> Option<u8> {
        let number = self.0 as u8;
        let reserved_zero = self.0 & 0x00FF_FF00 == 0;
        if self.is_register() && reserved_zero && number < ADDRESS_REGISTERS { Some(number) } else { None }
    }

    /// The immediate address, `None` for register and indirect forms. A shape-register form has an immediate address,
    /// and so has the undefined marker 0x60, whose bit 31 is clear.
    pub const fn immediate_address(self) -> Option<u32> {
        if self.is_register() || self.is_indirect() { None } else { Some(self.payload()) }
    }
}

impl fmt::Debug for Addr4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Addr4({:#010x})", self.0)
    }
}

/// A memory that addresses reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The State Buffer.
    Sbuf,
    /// The accumulation memory behind the PE array, out of POOL's reach.
    Psum,
}

impl Memory {
    /// `SBUF` or `PSUM`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sbuf => "SBUF",
            Self::Psum => "PSUM",
        }
    }

    /// Bytes of a partition that have memory behind them.
    pub const fn active_bytes(self, geometry: &Geometry) -> u32 {
        match self {
            Self::Sbuf => geometry.sbuf_active,
            Self::Psum => PSUM_ACTIVE,
        }
    }
}

/// An address taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The memory.
    pub memory: Memory,
    /// Partition, 0..127.
    pub partition: u32,
    /// Byte offset within the partition.
    pub offset: u32,
}

impl Location {
    /// Takes an address apart; `None` when it lies in neither memory.
    #[inline]
    pub const fn of(address: u32, geometry: &Geometry) -> Option<Self> {
        if address < geometry.sbuf_size {
            // Every generation's stride is a power of two: a shift, where a division would be most of judging a word.
            let stride = geometry.sbuf_stride;
            return Some(Self {
                memory: Memory::Sbuf,
                partition: address >> stride.trailing_zeros(),
                offset: address & (stride - 1),
            });
        }
        if address >= PSUM_BASE && address - PSUM_BASE < geometry.psum_size {
            let relative = address - PSUM_BASE;
            return Some(Self {
                memory: Memory::Psum,
                partition: relative / PSUM_STRIDE,
                offset: relative % PSUM_STRIDE,
            });
        }
        None
    }

    /// Puts the address together again. Partition and offset must be inside the memory.
    pub const fn address(&self, geometry: &Geometry) -> u32 {
        match self.memory {
            Memory::Sbuf => self.partition * geometry.sbuf_stride + self.offset,
            Memory::Psum => PSUM_BASE + self.partition * PSUM_STRIDE + self.offset,
        }
    }

    /// The quadrant whose start window holds the address: the first partition of a quadrant, within its active bytes.
    pub const fn quadrant_window(&self, geometry: &Geometry) -> Option<u32> {
        if self.partition.is_multiple_of(QUADRANT) && self.offset < self.memory.active_bytes(geometry) {
            Some(self.partition / QUADRANT)
        } else {
            None
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} partition {} offset {:#x}", self.memory.name(), self.partition, self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generation::Generation;

    #[test]
    fn addresses_of_quadrants_round_trip() {
        let at = |generation: Generation, memory, partition| {
            Location { memory, partition, offset: 0 }.address(generation.geometry())
        };
        assert_eq!(
            [0, 32, 64, 96].map(|p| at(Generation::Cayman, Memory::Sbuf, p)),
            [0, 0x80_0000, 0x100_0000, 0x180_0000]
        );
        assert_eq!(
            [0, 32, 64, 96].map(|p| at(Generation::Sunda, Memory::Psum, p)),
            [0x200_0000, 0x210_0000, 0x220_0000, 0x230_0000]
        );
        assert_eq!(
            [0, 32, 64, 96].map(|p| at(Generation::Maverick, Memory::Sbuf, p)),
            [0, 0x200_0000, 0x400_0000, 0x600_0000]
        );
        for generation in Generation::ALL {
            for address in [0, 1, 0x3_FFFF, 0x4_0000, 0x1FF_FFFF, 0x200_0000, 0x23F_FFFF, 0x7FF_FFFF] {
                if let Some(location) = Location::of(address, generation.geometry()) {
                    assert_eq!(location.address(generation.geometry()), address);
                }
            }
        }
    }

    #[test]
    fn addresses_past_the_end_of_psum_reach_nothing() {
        let cayman = Generation::Cayman.geometry();
        assert_eq!(Location::of(0x240_0000, cayman), None);
        assert_eq!(Location::of(0x3FF_FFFF, cayman), None);
        assert_eq!(Location::of(0x800_0000, Generation::Maverick.geometry()), None);
        let on_maverick = Location::of(0x200_0000, Generation::Maverick.geometry());
        assert_eq!(on_maverick, Some(Location { memory: Memory::Sbuf, partition: 32, offset: 0 }));
    }

    #[test]
    fn markers_and_registers() {
        assert_eq!(Addr4(0x8000_0005).register(), Some(5));
        assert_eq!(Addr4(0x8000_0040).register(), None, "register 64");
        assert_eq!(Addr4(0x8000_0105).register(), None, "reserved byte");
        assert_eq!(Addr4(0xC000_0005).marker(), Marker::AddrShapeReg);
        assert!(Addr4(0xA000_0000).is_indirect() && Addr4(0x2000_0000).is_indirect());
        assert_eq!(Addr4(0x6000_0000).marker(), Marker::Undefined);
        assert_eq!(Addr4(0x4000_1000).immediate_address(), Some(0x1000));
        assert_eq!(Addr4(0xE000_0000).immediate_address(), None);
    }
}
