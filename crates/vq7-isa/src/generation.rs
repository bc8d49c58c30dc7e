//! Generations of the engine, their names and their geometry.

use std::fmt;

/// A set of generations: one bit each. MARIANA_PLUS shares MARIANA's bit, since both use the same instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generations(u8);

impl Generations {
    /// SUNDA only.
    pub const S: Self = Self(1);
    /// From CAYMAN on.
    pub const CMV: Self = Self(2 | 4 | 8);
    /// From MARIANA on.
    pub const MV: Self = Self(4 | 8);
    /// MAVERICK only.
    pub const V: Self = Self(8);
    /// All generations.
    pub const SCMV: Self = Self(1 | 2 | 4 | 8);
    /// SUNDA to MARIANA.
    pub const SCM: Self = Self(1 | 2 | 4);

    /// Whether the set holds `generation`.
    pub const fn contains(self, generation: Generation) -> bool {
        self.0 & generation.bit() != 0
    }
}

impl fmt::Display for Generations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters: String = [(1, 'S'), (2, 'C'), (4, 'M'), (8, 'V')]
            .iter()
            .filter(|(bit, _)| self.0 & bit != 0)
            .map(|(_, c)| c)
            .collect();
        f.pad(&letters)
    }
}

/// Sizes and bases of the memories that a generation's addresses reach. All in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Distance of one State Buffer partition from the next.
    pub sbuf_stride: u32,
    /// Bytes of a State Buffer partition that have memory behind them.
    pub sbuf_active: u32,
    /// Bytes of address space of the State Buffer, which starts at address 0.
    pub sbuf_size: u32,
    /// Bytes of address space of PSUM, which starts at [`PSUM_BASE`]; 0 where there is none.
    pub psum_size: u32,
}

/// Partitions of the State Buffer and of PSUM, in every generation.
pub const PARTITIONS: u32 = 128;
/// Partitions of one quadrant.
pub const QUADRANT: u32 = 32;
/// Vision-Q7 cores that share one instruction.
pub const CORES: u32 = 8;
/// Partitions that one core owns.
pub const PARTITIONS_PER_CORE: u32 = PARTITIONS / CORES;
/// Address of PSUM partition 0.
pub const PSUM_BASE: u32 = 0x0200_0000;
/// Distance of one PSUM partition from the next.
pub const PSUM_STRIDE: u32 = 0x8000;
/// Bytes of a PSUM partition that have memory behind them.
pub const PSUM_ACTIVE: u32 = 0x4000;
/// Address registers that an operand can name.
pub const ADDRESS_REGISTERS: u8 = 64;

/// A generation of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// NeuronCore v2: Trainium 1, Inferentia 2.
    Sunda,
    /// NeuronCore v3: Trainium 2.
    Cayman,
    /// NeuronCore v4: Trainium 3.
    Mariana,
    /// The respin of v4, with MARIANA's instruction set.
    MarianaPlus,
    /// NeuronCore v5, known from headers and stripped images only.
    Maverick,
}

/// One row per generation.
struct Row {
    generation: Generation,
    target: &'static str,
    code_name: &'static str,
    aliases: &'static [&'static str],
    bit: u8,
    geometry: Geometry,
    clocks: Option<Clocks>,
}

/// Clocks of the engines, in MHz. Source: docs/spec/generations.md, "Clocks".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Of the GpSimd cores (POOL).
    pub pool: u32,
    /// Of the Vector engine (DVE).
    pub dve: u32,
}

const fn geometry(sbuf_stride: u32, sbuf_active: u32, psum_size: u32) -> Geometry {
    Geometry { sbuf_stride, sbuf_active, sbuf_size: sbuf_stride * PARTITIONS, psum_size }
}

#[rustfmt::skip]
const ROWS: [Row; 5] = [
    Row { generation: Generation::Sunda, target: "trn1", code_name: "SUNDA", aliases: &["gen2", "inf2"], bit: 1, geometry: geometry(0x4_0000, 0x3_0000, 0x40_0000), clocks: Some(Clocks { pool: 1400, dve: 1120 }) },
    Row { generation: Generation::Cayman, target: "trn2", code_name: "CAYMAN", aliases: &["gen3"], bit: 2, geometry: geometry(0x4_0000, 0x3_8000, 0x40_0000), clocks: Some(Clocks { pool: 1200, dve: 960 }) },
    Row { generation: Generation::Mariana, target: "trn3", code_name: "MARIANA", aliases: &["gen4"], bit: 4, geometry: geometry(0x4_0000, 0x4_0000, 0x40_0000), clocks: Some(Clocks { pool: 1200, dve: 1200 }) },
    Row { generation: Generation::MarianaPlus, target: "mariana_plus", code_name: "MARIANA_PLUS", aliases: &[], bit: 4, geometry: geometry(0x4_0000, 0x4_0000, 0x40_0000), clocks: None },
    Row { generation: Generation::Maverick, target: "gen5", code_name: "MAVERICK", aliases: &[], bit: 8, geometry: geometry(0x10_0000, 0x8_0000, 0), clocks: None },
];

impl Generation {
    /// All generations, oldest first.
    pub const ALL: [Self; 5] = [Self::Sunda, Self::Cayman, Self::Mariana, Self::MarianaPlus, Self::Maverick];

    const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    const fn bit(self) -> u8 {
        self.row().bit
    }

    /// The name that users know, such as `trn2`.
    pub const fn target(self) -> &'static str {
        self.row().target
    }

    /// The code name, such as `CAYMAN`.
    pub const fn code_name(self) -> &'static str {
        self.row().code_name
    }

    /// Memory sizes of the generation.
    pub const fn geometry(self) -> &'static Geometry {
        &self.row().geometry
    }

    /// Clocks of the engines, where they are published.
    pub const fn clocks(self) -> Option<Clocks> {
        self.row().clocks
    }

    /// Whether the device has separate 64-bit integer kernels; SUNDA refuses 64-bit dtypes.
    pub const fn has_64bit(self) -> bool {
        !matches!(self, Self::Sunda)
    }

    /// The generation of any name that users know: `trn2`, `gen3`, `cayman`, in either case.
    ///
    /// # Errors
    /// When the name is not known; the error lists the names.
    pub fn parse(name: &str) -> Result<Self, UnknownTarget> {
        let lower = name.trim().to_ascii_lowercase();
        ROWS.iter()
            .find(|row| {
                row.target == lower
                    || row.code_name.eq_ignore_ascii_case(&lower)
                    || row.aliases.contains(&lower.as_str())
            })
            .map(|row| row.generation)
            .ok_or_else(|| UnknownTarget(name.to_owned()))
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.target(), self.code_name())
    }
}

/// A name that belongs to no generation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no target is named `{0}`; use trn1 (gen2, sunda), trn2 (gen3, cayman), trn3 (gen4, mariana), mariana_plus or gen5 (maverick)"
)]
pub struct UnknownTarget(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enum() {
        for (row, generation) in ROWS.iter().zip(Generation::ALL) {
            assert_eq!(row.generation, generation);
        }
    }

    #[test]
    fn every_name_that_users_know_parses() {
        for (name, generation) in [
            ("trn1", Generation::Sunda),
            ("gen2", Generation::Sunda),
            ("SUNDA", Generation::Sunda),
            ("trn2", Generation::Cayman),
            ("Cayman", Generation::Cayman),
            ("gen4", Generation::Mariana),
            ("mariana_plus", Generation::MarianaPlus),
            ("maverick", Generation::Maverick),
            ("gen5", Generation::Maverick),
        ] {
            assert_eq!(Generation::parse(name), Ok(generation));
        }
        assert!(Generation::parse("inf1").unwrap_err().to_string().contains("trn2 (gen3, cayman)"));
        assert_eq!(Generation::Cayman.to_string(), "trn2 (CAYMAN)");
    }
}
