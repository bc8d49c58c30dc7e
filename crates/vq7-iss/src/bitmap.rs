//! The decode bitmap: one bit of the state block per op in one slot of one format, lit while the op is in a stage.
//!
//! 20 bits are printed. A layout rule gives more from six of them; all others are ours, given out in a fixed way and told
//! apart, and they belong in no file that is compared with a device (docs/spec/iss-machine.md, "The decode bitmap").

use crate::format::Format;
use crate::mnemonic::{self, Mnemonic};
use std::collections::HashMap;
use std::sync::LazyLock;

/// First byte of the bitmap in the state block.
pub const FIRST_BYTE: u16 = 0x5B0;
/// Its bytes.
pub const BYTES: usize = 0xBF8 - 0x5B0;
/// Bytes that the source calls a mask of definitions: nothing of ours lies there.
const RESERVED: std::ops::Range<u16> = 0x870..0x878;

/// How a bit is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Printed.
    Printed,
    /// By the layout rule, from a printed one.
    Layout,
    /// Given out by vq7.
    Synthetic,
}

impl Origin {
    /// `printed`, `layout` or `synthetic`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::Layout => "layout",
            Self::Synthetic => "synthetic",
        }
    }
}

/// A bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit {
    /// Byte of the state block.
    pub byte: u16,
    /// The one bit of it.
    pub mask: u8,
    /// How it is known.
    pub origin: Origin,
}

/// Mnemonics that follow each other, one of them with its printed bit in F0: byte and mask. Each owns as many consecutive
/// bits as it has slots, in the order of the formats.
struct Series {
    anchor: &'static str,
    byte: u16,
    mask: u8,
    names: &'static [&'static str],
}

#[rustfmt::skip]
const SERIES: [Series; 6] = [
    Series { anchor: "ADDNX16", byte: 0x712, mask: 0x08, names: &[
        "XOR2NX8", "AND2NX8", "OR2NX8", "NOT2NX8", "ADDNX16", "SUBNX16", "NEGNX16", "MINNX16", "MINUNX16", "MAXNX16", "MAXUNX16"] },
    Series { anchor: "ADDSNX16", byte: 0x742, mask: 0x20, names: &["ADDSNX16", "SUBSNX16", "NEGSNX16"] },
    Series { anchor: "ADD2NX8", byte: 0x9B6, mask: 0x10, names: &[
        "ADD2NX8", "SUB2NX8", "NEG2NX8", "MIN2NX8", "MINU2NX8", "MAX2NX8", "MAXU2NX8",
        "LT2NX8", "LE2NX8", "EQ2NX8", "NEQ2NX8", "LTU2NX8", "LEU2NX8"] },
    Series { anchor: "ADDN_2X32", byte: 0x9F9, mask: 0x20, names: &[
        "ADDN_2X32", "SUBN_2X32", "NEGN_2X32", "MINN_2X32", "MINUN_2X32", "MAXN_2X32", "MAXUN_2X32"] },
    Series { anchor: "ABSNX16", byte: 0xB35, mask: 0x01, names: &[
        "ABSNX16", "ABSSNX16", "ABSSUBNX16", "ABSSUBUNX16", "ABSSSUBNX16"] },
    Series { anchor: "MULNX16", byte: 0xA72, mask: 0x10, names: &["MULNX16", "MULANX16"] },
];

/// The printed bits: mnemonic, format, slot, byte, mask.
#[rustfmt::skip]
const PRINTED: [(&str, &str, u8, u16, u8); 20] = [
    ("ADD2NX8", "F0", 3, 0x9B6, 0x10), ("ADDNX16", "F0", 3, 0x712, 0x08), ("ADDN_2X32", "F0", 3, 0x9F9, 0x20),
    ("ADDSNX16", "F0", 3, 0x742, 0x20), ("SUBNX16", "F0", 3, 0x714, 0x04), ("SUBSNX16", "F0", 3, 0x744, 0x10),
    ("ABSNX16", "F0", 3, 0xB35, 0x01), ("NEGNX16", "F0", 3, 0x716, 0x04), ("MINNX16", "F0", 3, 0x718, 0x10),
    ("MINUNX16", "F0", 3, 0x71A, 0x08), ("MAXNX16", "F0", 3, 0x71C, 0x04), ("MAXUNX16", "F0", 3, 0x71E, 0x02),
    ("ABSSUBNX16", "F0", 3, 0xB39, 0x20), ("ABSSUBUNX16", "F0", 3, 0xB3B, 0x10), ("ABSSSUBNX16", "F0", 3, 0xB3D, 0x08),
    ("ADDNX16", "F4", 3, 0x713, 0x20), ("ADDNX16", "F1", 3, 0x713, 0x01), ("ADDNX16", "F11", 4, 0x712, 0x20),
    ("MULNX16", "F0", 2, 0xA72, 0x10), ("MULANX16", "F0", 2, 0xA73, 0x10),
];

/// Number of the first bit of each mnemonic, and whether the layout rule gives it.
static FIRST: LazyLock<HashMap<&'static str, (u32, bool)>> = LazyLock::new(|| {
    let mut first = HashMap::new();
    let mut taken = vec![false; (usize::from(FIRST_BYTE) + BYTES) * 8];
    let is_free = |taken: &[bool], number: u32| {
        let byte = number / 8;
        byte >= FIRST_BYTE.into()
            && !(u32::from(RESERVED.start)..u32::from(RESERVED.end)).contains(&byte)
            && taken.get(number as usize) == Some(&false)
    };
    for Series { anchor, byte, mask, names } in &SERIES {
        let printed = u32::from(*byte) * 8 + mask.trailing_zeros();
        let count = |name: &&str| mnemonic::find(name).map_or(0, |row| row.slots.count());
        let before: u32 = names.iter().take_while(|name| *name != anchor).map(count).sum();
        // Of the ops with a place in F0's slot 0 the printed bit is the second one.
        let rank = mnemonic::find(anchor).map_or(0, rank_in_f0);
        let mut next = printed.saturating_sub(before + rank);
        for name in *names {
            first.insert(*name, (next, true));
            let places = count(name);
            (next..next + places).for_each(|number| {
                if let Some(slot) = taken.get_mut(number as usize) {
                    *slot = true;
                }
            });
            next += places;
        }
    }
    let mut rest: Vec<&Mnemonic> = mnemonic::all().filter(|row| !first.contains_key(row.name)).collect();
    rest.sort_unstable_by_key(|row| row.name);
    for row in rest {
        let places = row.slots.count();
        let all = u32::from(FIRST_BYTE) * 8..taken.len() as u32;
        let run = all.into_iter().find(|&start| (start..start + places).all(|number| is_free(&taken, number)));
        let Some(start) = run else { continue };
        (start..start + places).for_each(|number| {
            if let Some(slot) = taken.get_mut(number as usize) {
                *slot = true;
            }
        });
        first.insert(row.name, (start, false));
    }
    first
});

/// The place of the ALU slot, or the multiplier's, among an op's slots of F0.
fn rank_in_f0(row: &Mnemonic) -> u32 {
    row.slots.iter().filter(|(format, _)| format.name == "F0").count().saturating_sub(1) as u32
}

/// The bit of an op in a slot; `None` where the slot does not host it.
#[must_use]
pub fn bit(row: &Mnemonic, format: &Format, slot: u8) -> Option<Bit> {
    let place = row.slots.iter().position(|(one, number)| one.index == format.index && number == slot)?;
    let (first, by_rule) = *FIRST.get(row.name)?;
    let number = first + place as u32;
    let (byte, mask) = ((number / 8) as u16, 1 << (number % 8));
    let is_printed = PRINTED.contains(&(row.name, format.name, slot, byte, mask));
    let origin = match (is_printed, by_rule) {
        (true, _) => Origin::Printed,
        (false, true) => Origin::Layout,
        (false, false) => Origin::Synthetic,
    };
    Some(Bit { byte, mask, origin })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn of(name: &str, format: &str, slot: u8) -> (u16, u8) {
        let bit = bit(mnemonic::find(name).expect("a row"), Format::named(format).expect("a format"), slot);
        bit.map(|bit| (bit.byte, bit.mask)).expect("a bit")
    }

    #[test]
    fn the_layout_rule_gives_every_printed_bit() {
        for (name, format, slot, byte, mask) in PRINTED {
            assert_eq!(of(name, format, slot), (byte, mask), "{name} in {format}.S{slot}");
        }
    }

    /// Bits that the source's own reading of the rule gives.
    #[test]
    fn the_layout_rule_gives_the_worked_examples() {
        for (name, byte, mask) in [
            ("XOR2NX8", 0x70A, 0x08),
            ("AND2NX8", 0x70C, 0x04),
            ("OR2NX8", 0x70E, 0x02),
            ("NOT2NX8", 0x710, 0x02),
            ("SUB2NX8", 0x9B8, 0x08),
            ("MAXU2NX8", 0x9C2, 0x04),
            ("LT2NX8", 0x9C4, 0x04),
            ("NEGSNX16", 0x746, 0x10),
            ("ABSSNX16", 0xB37, 0x08),
            ("SUBN_2X32", 0x9FB, 0x10),
        ] {
            assert_eq!(of(name, "F0", 3), (byte, mask), "{name}");
        }
    }

    #[test]
    fn every_key_has_a_bit_of_its_own() {
        let mut seen = HashSet::new();
        let mut counts = [0usize; 3];
        for row in mnemonic::all() {
            for (format, slot) in row.slots.iter() {
                let bit = bit(row, format, slot).unwrap_or_else(|| panic!("{} in {format}.S{slot}", row.name));
                assert!(seen.insert((bit.byte, bit.mask)), "{} shares a bit", row.name);
                assert!((FIRST_BYTE..FIRST_BYTE + BYTES as u16).contains(&bit.byte) && bit.mask.count_ones() == 1);
                assert!(bit.origin != Origin::Synthetic || !RESERVED.contains(&bit.byte), "{}", row.name);
                counts[bit.origin as usize] += 1;
            }
        }
        assert_eq!((counts[0], counts[0] + counts[1]), (20, 665), "printed, and by the rule");
        assert!(counts[2] > 0);
    }

    #[test]
    fn a_slot_that_does_not_host_an_op_has_no_bit() {
        let add = mnemonic::find("ADDNX16").expect("a row");
        assert_eq!(bit(add, Format::named("N2").expect("a format"), 1), None);
    }
}
