//! Status flags and the pair of a value with its flags.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// Sticky status of one or many lane evaluations, in the order of the engine's status word, then the integer status.
///
/// Flags are OR-ed over lanes and never change a result (docs/spec/numbers.md, rounding and control state).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// An operation without a meaningful result: Inf - Inf, 0 * Inf, a signalling NaN, a value outside an integer.
    pub invalid: bool,
    /// An infinity that is exact, such as 1 / 0.
    pub div_zero: bool,
    /// A rounded result above the largest finite value.
    pub overflow: bool,
    /// A result that is inexact and, rounded to full precision, below the smallest normal value.
    pub underflow: bool,
    /// A result that differs from the exact one.
    pub inexact: bool,
    /// An integer division or remainder by zero. No bit of the hardware's status word; vq7 reports it.
    pub int_div_zero: bool,
}

impl Flags {
    /// No flag.
    pub const NONE: Self = Self {
        invalid: false,
        div_zero: false,
        overflow: false,
        underflow: false,
        inexact: false,
        int_div_zero: false,
    };

    /// The flag `invalid` alone.
    pub const INVALID: Self = Self { invalid: true, ..Self::NONE };

    /// Overflow is always inexact too.
    pub const OVERFLOW: Self = Self { overflow: true, inexact: true, ..Self::NONE };

    /// The flag `inexact` alone.
    pub const INEXACT: Self = Self { inexact: true, ..Self::NONE };

    /// The flag `div_zero` alone.
    pub const DIV_ZERO: Self = Self { div_zero: true, ..Self::NONE };

    /// The flags as bits of a byte, `invalid` in bit 0, in the order of the fields.
    pub const fn bits(self) -> u8 {
        self.invalid as u8
            | (self.div_zero as u8) << 1
            | (self.overflow as u8) << 2
            | (self.underflow as u8) << 3
            | (self.inexact as u8) << 4
            | (self.int_div_zero as u8) << 5
    }

    /// The flags of a byte as [`Self::bits`] gives it.
    pub const fn from_bits(bits: u8) -> Self {
        Self {
            invalid: bits & 1 != 0,
            div_zero: bits >> 1 & 1 != 0,
            overflow: bits >> 2 & 1 != 0,
            underflow: bits >> 3 & 1 != 0,
            inexact: bits >> 4 & 1 != 0,
            int_div_zero: bits >> 5 & 1 != 0,
        }
    }

    /// Whether no flag is raised.
    pub const fn is_empty(self) -> bool {
        !(self.invalid || self.div_zero || self.overflow || self.underflow || self.inexact || self.int_div_zero)
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            invalid: self.invalid | other.invalid,
            div_zero: self.div_zero | other.div_zero,
            overflow: self.overflow | other.overflow,
            underflow: self.underflow | other.underflow,
            inexact: self.inexact | other.inexact,
            int_div_zero: self.int_div_zero | other.int_div_zero,
        }
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// The raised flags by name, in state order, with spaces between; `none` when there is none.
impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [
            (self.invalid, "invalid"),
            (self.div_zero, "div_zero"),
            (self.overflow, "overflow"),
            (self.underflow, "underflow"),
            (self.inexact, "inexact"),
            (self.int_div_zero, "int_div_zero"),
        ];
        let raised: Vec<_> = named.into_iter().filter_map(|(on, name)| on.then_some(name)).collect();
        f.pad(&if raised.is_empty() { "none".to_owned() } else { raised.join(" ") })
    }
}

/// A value and the flags that computing it raised. Dropping it by accident would lose the flags, hence `must_use`.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flagged<T> {
    /// The result.
    pub value: T,
    /// What computing it raised.
    pub flags: Flags,
}

impl<T> Flagged<T> {
    /// A value with flags.
    pub const fn new(value: T, flags: Flags) -> Self {
        Self { value, flags }
    }

    /// A value that raised nothing.
    pub const fn exact(value: T) -> Self {
        Self { value, flags: Flags::NONE }
    }

    /// The same flags on another value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Flagged<U> {
        Flagged { value: f(self.value), flags: self.flags }
    }

    /// Adds the flags to a sticky status and gives the value.
    pub fn take_into(self, status: &mut Flags) -> T {
        *status |= self.flags;
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_sticky_and_print_in_state_order() {
        let mut status = Flags::NONE;
        assert_eq!(status.to_string(), "none");
        assert_eq!(Flagged::new(7, Flags::OVERFLOW).map(|v| v + 1).take_into(&mut status), 8);
        assert_eq!(Flagged::new(1, Flags::INVALID).take_into(&mut status), 1);
        assert_eq!(Flagged::exact(2).take_into(&mut status), 2);
        assert_eq!(status.to_string(), "invalid overflow inexact");
        assert_eq!(status.bits(), 0b1_0101);
        assert_eq!((Flags { int_div_zero: true, underflow: true, ..Flags::DIV_ZERO }).bits(), 0b10_1010);
        assert!(!status.is_empty() && Flags::default().is_empty());
        assert!((0..64).all(|bits| Flags::from_bits(bits).bits() == bits));
    }
}
