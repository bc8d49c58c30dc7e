//! An answer, what a judge expects, and what it leaves open.

use std::fmt;

/// Status flags as bits of a byte, in the order of the engine's status word, then the integer status.
pub mod flag {
    /// An operation without a meaningful result.
    pub const INVALID: u8 = 1;
    /// An infinity that is exact.
    pub const DIV_ZERO: u8 = 1 << 1;
    /// A rounded result above the largest finite value.
    pub const OVERFLOW: u8 = 1 << 2;
    /// A result that is inexact and too small for full precision.
    pub const UNDERFLOW: u8 = 1 << 3;
    /// A result that differs from the exact one.
    pub const INEXACT: u8 = 1 << 4;
    /// An integer division or remainder by zero.
    pub const INT_DIV_ZERO: u8 = 1 << 5;
}

/// What an implementation gives for one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The result, in the low bits.
    pub bits: u64,
    /// The flags of [`mod@flag`].
    pub flags: u8,
}

/// The bits that a judge expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    /// These.
    Exactly(u64),
    /// Those of any NaN: with the bits of `magnitude`, above `above`.
    AnyNan {
        /// All bits of the format but the sign.
        magnitude: u64,
        /// The largest magnitude that is no NaN.
        above: u64,
    },
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(bits) => write!(f, "{bits:#x}"),
            Self::AnyNan { .. } => f.write_str("a NaN"),
        }
    }
}

/// Something that a judge leaves open, because no source settles it or because the judge does not know IEEE 754's rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Mask {
    /// Sign and payload of a NaN result.
    NanBits,
    /// Flags when an operand is a NaN.
    NanFlags,
    /// Flags of an infinity that the out format or the policy does not keep.
    LostInfinity,
    /// Underflow of a result that became the smallest normal number in the last rounding.
    Tininess,
    /// Overflow that the rounding mode turns into the largest finite number.
    FiniteOverflow,
    /// All flags of an op whose judge reports none.
    Unflagged,
}

impl Mask {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::NanBits, Self::NanFlags, Self::LostInfinity, Self::Tininess, Self::FiniteOverflow, Self::Unflagged];

    /// A name for tables and machines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NanBits => "nan_bits",
            Self::NanFlags => "nan_flags",
            Self::LostInfinity => "lost_infinity",
            Self::Tininess => "tininess",
            Self::FiniteOverflow => "finite_overflow",
            Self::Unflagged => "unflagged",
        }
    }

    /// Why it is left open.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NanBits => "which NaN comes out is a policy of its own, and judges differ among themselves",
            Self::NanFlags => "which NaN raises invalid depends on the conversions, which the judge does not follow",
            Self::LostInfinity => "the judge has no flag for an infinity that the format or the policy does not keep",
            Self::Tininess => "the judge tests for underflow before rounding, the engine after it",
            Self::FiniteOverflow => "the judge raises overflow in some rounding modes only",
            Self::Unflagged => "the judge reports no flags",
        }
    }

    /// The flags that are not compared.
    const fn open_flags(self) -> u8 {
        match self {
            Self::NanBits => 0,
            Self::NanFlags | Self::LostInfinity | Self::Unflagged => u8::MAX,
            Self::Tininess => flag::UNDERFLOW,
            Self::FiniteOverflow => flag::OVERFLOW,
        }
    }
}

/// A set of [`Mask`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Masks(u8);

impl Masks {
    /// None.
    pub const NONE: Self = Self(0);

    /// Those of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Adds one.
    #[must_use]
    pub const fn with(self, mask: Mask) -> Self {
        Self(self.0 | 1 << mask as u8)
    }

    /// Whether it is in the set.
    pub const fn has(self, mask: Mask) -> bool {
        self.0 >> mask as u8 & 1 == 1
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members in the order of [`Mask::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Mask> {
        Mask::ALL.into_iter().filter(move |mask| self.has(*mask))
    }
}

/// What a judge expects of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The result.
    pub bits: Bits,
    /// The flags of [`mod@flag`].
    pub flags: u8,
    /// What of the flags is left open.
    pub open: Masks,
}

/// How an answer compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As expected; what the judge left open, and was needed for that, is named.
    Agrees(Masks),
    /// Different bits.
    Bits,
    /// The same bits, different flags.
    Flags,
}

impl Expected {
    /// Exactly these bits and flags.
    pub const fn exactly(bits: u64, flags: u8) -> Self {
        Self { bits: Bits::Exactly(bits), flags, open: Masks(0) }
    }

    /// Compares an answer. Only masks that were needed are returned.
    #[inline]
    pub fn compare(&self, answer: Answer) -> Verdict {
        let mut used = Masks::default();
        match self.bits {
            Bits::Exactly(bits) if bits == answer.bits => {}
            Bits::AnyNan { magnitude, above } if answer.bits & magnitude > above => used = used.with(Mask::NanBits),
            _ => return Verdict::Bits,
        }
        let mut differing = answer.flags ^ self.flags;
        if differing != 0 {
            for mask in self.open.iter().filter(|mask| mask.open_flags() & (answer.flags ^ self.flags) != 0) {
                differing &= !mask.open_flags();
                used = used.with(mask);
            }
        }
        if differing == 0 { Verdict::Agrees(used) } else { Verdict::Flags }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_open_is_forgiven() {
        let exact = Expected::exactly(5, flag::INEXACT);
        assert_eq!(exact.compare(Answer { bits: 5, flags: flag::INEXACT }), Verdict::Agrees(Masks::default()));
        assert_eq!(exact.compare(Answer { bits: 4, flags: flag::INEXACT }), Verdict::Bits);
        assert_eq!(exact.compare(Answer { bits: 5, flags: 0 }), Verdict::Flags);
        let tiny = Expected { open: Masks::default().with(Mask::Tininess), ..exact };
        let with_underflow = Answer { bits: 5, flags: flag::INEXACT | flag::UNDERFLOW };
        assert_eq!(tiny.compare(with_underflow), Verdict::Agrees(Masks::default().with(Mask::Tininess)));
        assert_eq!(tiny.compare(Answer { bits: 5, flags: flag::INEXACT | flag::OVERFLOW }), Verdict::Flags);
        let nan = Expected { bits: Bits::AnyNan { magnitude: 0x7F, above: 0x78 }, flags: 0, open: Masks::default() };
        assert_eq!(nan.compare(Answer { bits: 0xFC, flags: 0 }), Verdict::Agrees(Masks::default().with(Mask::NanBits)));
        assert_eq!(nan.compare(Answer { bits: 0xF8, flags: 0 }), Verdict::Bits, "an infinity is no NaN");
    }
}
