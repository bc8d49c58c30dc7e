//! The 14 bundle formats and their 46 slots. Source: docs/spec/iss-machine.md, "Formats".

use std::fmt;

/// What a slot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotClass {
    /// The one slot of a scalar format.
    Scalar,
    /// Loads and stores.
    LdSt,
    /// Loads, stores and ALU ops.
    LdStAlu,
    /// Loads, packs, predicate logic.
    Ld,
    /// Multiplies, and ALU ops in some formats.
    Mul,
    /// ALU ops.
    Alu,
    /// Only a nop.
    None,
}

impl SlotClass {
    /// The name as the stage functions of the value library have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "Inst",
            Self::LdSt => "LdSt",
            Self::LdStAlu => "LdStALU",
            Self::Ld => "Ld",
            Self::Mul => "Mul",
            Self::Alu => "ALU",
            Self::None => "None",
        }
    }
}

/// A slot of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What it is for.
    pub class: SlotClass,
    /// Bit of the bundle where its field nominally begins; its bits are scattered.
    pub start_bit: u8,
    /// Placements of mnemonics that the source counts in it.
    pub placements: u16,
    /// Nominal width of its field in bits, give or take two; 0 where none is printed.
    pub width: u8,
}

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Index in the tables of the value library.
    pub index: u8,
    /// Name.
    pub name: &'static str,
    /// Length of a bundle.
    pub bytes: u8,
    /// It is this format when bytes 0 to 3, little-endian, under the mask are the value.
    pub mask: u32,
    /// See `mask`.
    pub value: u32,
    /// The slots in issue order.
    pub slots: &'static [Slot],
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

macro_rules! formats {
    ($($index:literal $name:literal $bytes:literal $mask:literal $value:literal [$($class:ident $start:literal $placements:literal $width:literal),*];)*) => {
        /// Every format in the order of the recogniser.
        pub const FORMATS: [Format; 14] = [$(Format {
            index: $index, name: $name, bytes: $bytes, mask: $mask, value: $value,
            slots: &[$(Slot { class: SlotClass::$class, start_bit: $start, placements: $placements, width: $width }),*],
        }),*];
    };
}

// index, name, bytes, mask, value, slots: class, start bit, placements, width
#[rustfmt::skip]
formats! {
    0  "x24"  3  0x0000_0008 0x0000_0000 [Scalar 0 319 24];
    1  "x16a" 2  0x0000_000C 0x0000_0008 [Scalar 0 4 16];
    2  "x16b" 2  0x0000_000E 0x0000_000C [Scalar 0 10 16];
    3  "F0"   16 0x0B00_000F 0x0100_000F [LdSt 4 348 32, Ld 16 260 26, Mul 28 322 28, Alu 36 564 32];
    4  "F11"  16 0x0800_000F 0x0800_000E [Ld 4 93 30, Alu 16 66 21, Mul 41 203 22, Alu 31 233 25, Alu 24 91 24];
    5  "F1"   16 0x3700_000F 0x0300_000F [LdStAlu 4 542 32, Ld 16 260 26, Mul 41 449 29, Alu 31 558 32];
    6  "F2"   16 0x3700_000F 0x3300_000F [LdSt 4 213 32, Ld 16 257 25, Mul 27 535 30, Alu 31 544 31];
    7  "F3"   16 0x0800_000F 0x0000_000E [LdSt 4 342 29, Ld 16 256 22, Mul 28 244 22, Alu 33 503 26, Alu 24 91 24];
    8  "F4"   16 0x0B00_000F 0x0900_000F [Ld 4 192 31, Ld 16 249 24, Mul 28 61 32, Alu 36 251 32];
    9  "F6"   16 0x3700_000F 0x2300_000F [LdSt 4 329 32, Ld 16 266 26, Mul 41 203 26, Alu 36 247 32];
    10 "F7"   16 0x3700_000F 0x1300_000F [LdSt 4 348 32, Ld 16 257 25, Mul 41 521 29, Alu 31 548 32];
    11 "N1"   8  0x1900_000F 0x0800_000F [LdSt 4 176 26, None 54 1 3, Mul 16 381 28];
    12 "N2"   8  0x1900_000F 0x1800_000F [LdSt 4 360 32, Ld 16 220 25];
    13 "N0"   8  0x0900_000F 0x0000_000F [LdSt 4 167 24, None 58 1 1, None 59 1 1, Alu 16 483 32];
}

impl Format {
    /// The format of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name.eq_ignore_ascii_case(name))
    }

    /// The format that the first four bytes of a bundle say; missing bytes count as zero.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<&'static Format> {
        let mut word = [0; 4];
        word.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
        let word = u32::from_le_bytes(word);
        FORMATS.iter().find(|format| word & format.mask == format.value)
    }

    /// The set of this format's slot.
    #[must_use]
    pub fn slot_set(&self, slot: u8) -> SlotSet {
        SlotSet(1 << (self.first_slot() + u32::from(slot)))
    }

    const fn first_slot(&self) -> u32 {
        FIRST_SLOTS[self.index as usize % FORMATS.len()]
    }
}

/// How many slots the formats before each one have.
const FIRST_SLOTS: [u32; FORMATS.len()] = {
    let mut first = [0; FORMATS.len()];
    let mut index = 1;
    while index < FORMATS.len() {
        first[index] = first[index - 1] + FORMATS[index - 1].slots.len() as u32;
        index += 1;
    }
    first
};

/// Length of a bundle by its first and fourth byte, as the second table of the source has it; `None` is illegal.
#[must_use]
pub const fn length(byte0: u8, byte3: u8) -> Option<u8> {
    match byte0 & 15 {
        0..=7 => Some(3),
        8..=13 => Some(2),
        14 => Some(16),
        _ => match byte3 & 15 {
            7 | 15 => None,
            low if low % 2 == 0 => Some(8),
            _ => Some(16),
        },
    }
}

/// A set of slots, a bit per slot of every format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SlotSet(u64);

impl SlotSet {
    /// No slot.
    pub const NONE: Self = Self(0);

    /// Slots of either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Slots of this set that are not in the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether a format's slot is in the set.
    #[must_use]
    pub fn contains(self, format: &Format, slot: u8) -> bool {
        usize::from(slot) < format.slots.len() && self.0 & format.slot_set(slot).0 != 0
    }

    /// Slots of a format that are in the set, a bit each.
    #[must_use]
    pub fn of_format(self, format: &Format) -> u8 {
        (self.0 >> format.first_slot()) as u8 & ((1u16 << format.slots.len()) - 1) as u8
    }

    /// Whether every slot of this set is in the other.
    #[must_use]
    pub const fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The slots of that number in every format.
    #[must_use]
    pub fn numbered(slot: u8) -> Self {
        let with = FORMATS.iter().filter(|format| format.slots.len() > usize::from(slot));
        with.fold(Self::NONE, |set, format| set.union(format.slot_set(slot)))
    }

    /// How many slots there are in it.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The slots, format by format.
    pub fn iter(self) -> impl Iterator<Item = (&'static Format, u8)> {
        FORMATS
            .iter()
            .flat_map(|format| (0..format.slots.len() as u8).map(move |slot| (format, slot)))
            .filter(move |(format, slot)| self.contains(format, *slot))
    }
}

/// `F0.S3, N0.S3`
impl fmt::Display for SlotSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (format, slot)) in self.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{format}.S{slot}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_are_the_sources() {
        assert_eq!(FORMATS.iter().map(|format| format.slots.len()).sum::<usize>(), 46);
        let placements = FORMATS.iter().flat_map(|format| format.slots).map(|slot| u32::from(slot.placements));
        assert_eq!(placements.sum::<u32>(), 12_569);
        assert!(FORMATS.iter().enumerate().all(|(index, format)| usize::from(format.index) == index));
    }

    /// Every combination of the low nibble of byte 0 and byte 3: the ladder and the length table agree, and no word is of
    /// two formats.
    #[test]
    fn the_ladder_and_the_length_table_agree() {
        for nibble in 0..16u8 {
            for byte3 in 0..=255u8 {
                let word = u32::from_le_bytes([nibble, 0, 0, byte3]);
                let of: Vec<_> = FORMATS.iter().filter(|format| word & format.mask == format.value).collect();
                assert!(of.len() <= 1, "{word:#x}");
                assert_eq!(
                    Format::of(&[nibble, 0, 0, byte3]).map(|format| format.bytes),
                    length(nibble, byte3),
                    "{word:#x}"
                );
            }
        }
    }

    #[test]
    fn the_templates_are_of_their_formats() {
        let templates = [
            ("F0", 0x0f, 0x01),
            ("F11", 0x0e, 0x08),
            ("F1", 0x0f, 0x03),
            ("F2", 0x0f, 0x33),
            ("F3", 0x0e, 0x00),
            ("F4", 0x0f, 0x09),
            ("F6", 0x0f, 0x23),
            ("F7", 0x0f, 0x13),
            ("N1", 0x0f, 0x08),
            ("N2", 0x0f, 0x18),
            ("N0", 0x0f, 0x00),
        ];
        for (name, byte0, byte3) in templates {
            assert_eq!(Format::of(&[byte0, 0, 0, byte3]).map(|format| format.name), Some(name));
            assert_eq!(
                Format::named(name).map(|format| (format.value as u8, (format.value >> 24) as u8)),
                Some((byte0, byte3))
            );
        }
    }

    #[test]
    fn sets_of_slots_know_their_slots() {
        let (f0, n0) = (Format::named("F0").unwrap(), Format::named("n0").unwrap());
        let set = f0.slot_set(3).union(n0.slot_set(3));
        assert!(set.contains(f0, 3) && !set.contains(f0, 2) && !set.contains(f0, 9) && set.contains(n0, 3));
        assert_eq!((set.count(), set.of_format(f0), set.to_string()), (2, 8, "F0.S3, N0.S3".to_owned()));
    }
}
