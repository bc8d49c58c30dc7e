//! Which slots host a mnemonic: the placement classes. Source: docs/spec/iss-machine.md, "What may issue where".
//!
//! The classes are named by how many slots they have. The counts are the source's; the sets are reconstructed so that
//! every printed count and every printed example fits.

use crate::format::{Format, SlotSet};

/// A class of slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the table below says what each class is")]
pub enum Placement {
    Alu15,
    Alu19,
    Alu13,
    Alu17,
    MulSign12,
    Cmp21,
    Fma9,
    FpMinMax12,
    FpCompare14,
    Classify9,
    AddExp6,
    Convert6,
    ShiftLanes9,
    ShiftLeft12,
    ShiftRight17,
    ShiftWide9,
    Normalise12,
    Normalise9,
    Select7,
    SelectImmediate9,
    DoubleSelect4,
    Expand2,
    Multiply8,
    MultiplyPack4,
    QuadMultiply1,
    Divide1,
    Pack8,
    PackLanes1,
    Load16,
    Store9,
    StorePredicate8,
    StoreStream8,
    Move23,
    Predicate8,
    Predicate9,
    Broadcast8,
    Replicate17,
    Extract9,
    LoadPort,
    Scalar,
    ScalarLoadStore,
    Anywhere,
    PseudoLoadStore,
}

/// Slot numbers by format: `"F0.3 N0.3"`.
fn set(text: &str) -> SlotSet {
    text.split_whitespace().fold(SlotSet::NONE, |set, one| {
        let (name, slot) = one.split_once('.').unwrap_or((one, "0"));
        let slot = slot.parse().unwrap_or(0);
        Format::named(name).map_or(set, |format| set.union(format.slot_set(slot)))
    })
}

const ALU_S3: &str = "F0.3 F1.3 F2.3 F3.3 F4.3 F6.3 F7.3 F11.3 N0.3";
const LOADS: &str = "F0.0 F1.0 F2.0 F3.0 F4.0 F6.0 F7.0 F0.1 F1.1 F2.1 F3.1 F4.1 F6.1 F7.1 N0.0 N2.0";
const STORES: &str = "F0.0 F1.0 F2.0 F3.0 F6.0 F7.0 N0.0 N1.0 N2.0";
const LOAD_SLOT: &str = "F0.1 F1.1 F2.1 F3.1 F4.1 F6.1 F7.1 N2.1";

impl Placement {
    /// The slots.
    #[must_use]
    pub fn slots(self) -> SlotSet {
        let alu15 = || set(ALU_S3).union(set("F3.4 F11.4 F1.2 F2.2 F7.2 F1.0"));
        let alu19 = || alu15().union(set("F0.0 F3.0 F6.0 F7.0"));
        let s4 = || set("F3.4 F11.4");
        match self {
            Self::Alu15 => alu15(),
            Self::Alu19 => alu19(),
            Self::Alu13 => alu15().without(s4()),
            Self::Alu17 => alu19().without(s4()),
            Self::MulSign12 => set(ALU_S3).union(s4()).union(set("F1.0")),
            Self::Cmp21 => set(ALU_S3).union(s4()).union(set("F1.0 F0.2 F1.2 F2.2 F3.2 F6.2 F7.2 F11.2 N1.2 N2.0")),
            Self::Fma9 => set("F0.3 F1.3 F2.3 F3.3 F7.3 N0.3 F2.2 F7.2 N1.2"),
            Self::FpMinMax12 => alu15().without(s4()).without(set("F4.3")),
            Self::FpCompare14 => alu15().without(set("F11.4")),
            Self::Classify9 | Self::ShiftLanes9 | Self::ShiftWide9 | Self::Normalise9 | Self::Extract9 => set(ALU_S3),
            Self::AddExp6 | Self::Convert6 => set("F0.3 F1.3 F2.3 F3.3 F7.3 N0.3"),
            Self::ShiftLeft12 | Self::Normalise12 => set(ALU_S3).union(set("F1.2 F2.2 F7.2")),
            Self::ShiftRight17 => set(ALU_S3).union(set("F1.2 F2.2 F7.2 F1.0 F0.0 F3.0 F6.0 F7.0")),
            Self::Select7 => set("F0.3 F1.3 F2.3 F4.3 F6.3 F7.3 N0.3"),
            Self::SelectImmediate9 => set("F0.3 F1.3 F2.3 F3.3 F4.3 F6.3 F7.3 N0.3 N2.0"),
            Self::DoubleSelect4 => set("F0.3 F1.3 F2.3 N0.3"),
            Self::Expand2 => set("F0.3 F1.3"),
            Self::Multiply8 => set("F0.2 F1.2 F2.2 F3.2 F6.2 F7.2 F11.2 N1.2"),
            Self::MultiplyPack4 => set("F1.2 F2.2 F7.2 N1.2"),
            Self::QuadMultiply1 => set("F4.2"),
            Self::Divide1 => set("F2.2"),
            Self::Pack8 | Self::Predicate8 | Self::Broadcast8 => set(LOAD_SLOT),
            Self::PackLanes1 => set("F6.1"),
            Self::Load16 => set(LOADS),
            Self::Store9 => set(STORES),
            Self::StorePredicate8 => set(STORES).without(set("N0.0")),
            Self::StoreStream8 => set(STORES).without(set("N1.0")),
            Self::Move23 => set(STORES).union(alu15().without(set("F1.0"))),
            // NOTB has one more place, which is not printed; the eight are kept.
            Self::Predicate9 => set(LOAD_SLOT),
            Self::Replicate17 => alu19().without(s4()),
            Self::LoadPort => set("F0.1 F1.1 F2.1 F3.1 F4.1 F6.1 F7.1"),
            Self::Scalar => set("x24.0"),
            Self::ScalarLoadStore => set("x24.0").union(set(STORES)),
            Self::PseudoLoadStore => set(STORES).union(set("F4.0")),
            Self::Anywhere => crate::format::FORMATS.iter().fold(SlotSet::NONE, |all, format| {
                (0..format.slots.len() as u8).fold(all, |all, slot| all.union(format.slot_set(slot)))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_have_as_many_slots_as_their_names_say() {
        use Placement::*;
        let counted = [
            (Alu15, 15),
            (Alu19, 19),
            (Alu13, 13),
            (Alu17, 17),
            (Cmp21, 21),
            (Fma9, 9),
            (FpMinMax12, 12),
            (FpCompare14, 14),
            (Classify9, 9),
            (AddExp6, 6),
            (Convert6, 6),
            (ShiftLanes9, 9),
            (ShiftLeft12, 12),
            (ShiftRight17, 17),
            (Select7, 7),
            (SelectImmediate9, 9),
            (DoubleSelect4, 4),
            (Expand2, 2),
            (Multiply8, 8),
            (MultiplyPack4, 4),
            (Pack8, 8),
            (Load16, 16),
            (Store9, 9),
            (StorePredicate8, 8),
            (StoreStream8, 8),
            (Move23, 23),
            (Predicate8, 8),
            (Broadcast8, 8),
            (Replicate17, 17),
            (Extract9, 9),
            (Anywhere, 46),
        ];
        for (class, count) in counted {
            assert_eq!(class.slots().count(), count, "{class:?}");
        }
    }
}
