//! A value as wide as any leaf takes or gives: up to 1536 bits, the width of an accumulator register.

use std::fmt;

const LIMBS: usize = 24;

/// Up to 1536 bits without allocation, bit 0 first. Bits above a value's width are zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bits([u64; LIMBS]);

impl Bits {
    /// The width of the type in bits.
    pub const MAX_WIDTH: u32 = 64 * LIMBS as u32;
    /// No bit set.
    pub const ZERO: Self = Self([0; LIMBS]);

    /// The low 64 bits given, the others zero.
    pub const fn from_u64(value: u64) -> Self {
        let mut limbs = [0; LIMBS];
        limbs[0] = value;
        Self(limbs)
    }

    /// The low 128 bits given, the others zero.
    pub const fn from_u128(value: u128) -> Self {
        let mut limbs = [0; LIMBS];
        limbs[0] = value as u64;
        limbs[1] = (value >> 64) as u64;
        Self(limbs)
    }

    /// The low 64 bits.
    pub const fn low_u64(&self) -> u64 {
        self.0[0]
    }

    /// The low 128 bits.
    pub const fn low_u128(&self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// The 64-bit words, lowest first.
    pub const fn limbs(&self) -> &[u64; LIMBS] {
        &self.0
    }

    /// How many bits the value needs: the position of its highest set bit, plus one.
    pub fn width(&self) -> u32 {
        let top = self.0.iter().rposition(|limb| *limb != 0);
        top.map_or(0, |top| 64 * top as u32 + 64 - self.0[top].leading_zeros())
    }

    /// The low `width` bits, the others cleared.
    pub fn truncated(&self, width: u32) -> Self {
        let mut limbs = self.0;
        for (index, limb) in limbs.iter_mut().enumerate() {
            let below = width.saturating_sub(64 * index as u32);
            *limb &= crate::convert::mask(below);
        }
        Self(limbs)
    }

    /// Lane `index` of lanes of `width` bits, up to 64; zero where there is none.
    pub fn lane(&self, index: usize, width: u32) -> u64 {
        let Some(from) = index.checked_mul(width as usize) else { return 0 };
        let limb = |at: usize| self.0.get(at).copied().unwrap_or(0);
        let (at, shift) = (from / 64, from as u32 % 64);
        let pair = u128::from(limb(at)) | u128::from(limb(at + 1)) << 64;
        (pair >> shift) as u64 & crate::convert::mask(width)
    }

    /// Sets lane `index` of lanes of `width` bits, up to 64; what lies outside the type is dropped.
    pub fn set_lane(&mut self, index: usize, width: u32, value: u64) {
        let Some(from) = index.checked_mul(width as usize) else { return };
        let (at, shift) = (from / 64, from as u32 % 64);
        let mask = u128::from(crate::convert::mask(width)) << shift;
        let value = u128::from(value) << shift & mask;
        for (limb, down) in [(at, 0), (at + 1, 64)] {
            if let Some(limb) = self.0.get_mut(limb) {
                *limb = *limb & !((mask >> down) as u64) | (value >> down) as u64;
            }
        }
    }

    /// A value from its lanes of `width` bits, lane 0 first.
    pub fn from_lanes(width: u32, lanes: impl IntoIterator<Item = u64>) -> Self {
        let mut bits = Self::ZERO;
        lanes.into_iter().enumerate().for_each(|(index, lane)| bits.set_lane(index, width, lane));
        bits
    }

    /// Two values, bit by bit.
    pub fn zip(&self, other: &Self, op: impl Fn(u64, u64) -> u64) -> Self {
        let mut limbs = self.0;
        limbs.iter_mut().zip(other.0).for_each(|(a, b)| *a = op(*a, b));
        Self(limbs)
    }

    /// A value from hexadecimal digits; `None` for none, for other characters, or for more than the type holds.
    pub fn from_hex(digits: &str) -> Option<Self> {
        if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_hexdigit()) {
            return None;
        }
        let digits = digits.trim_start_matches('0');
        let values = digits.chars().rev().map(|c| c.to_digit(16).map_or(0, u64::from));
        (digits.len() <= LIMBS * 16).then(|| Self::from_lanes(4, values))
    }

    /// `0x` and as many hexadecimal digits as `width` bits have.
    pub fn hex(&self, width: u32) -> String {
        let digits = width.div_ceil(4).max(1) as usize;
        let text: String =
            (0..digits).rev().map(|at| char::from_digit(self.lane(at, 4) as u32, 16).unwrap_or('0')).collect();
        format!("0x{text}")
    }
}

impl Default for Bits {
    fn default() -> Self {
        Self::ZERO
    }
}

impl From<u64> for Bits {
    fn from(value: u64) -> Self {
        Self::from_u64(value)
    }
}

impl From<u128> for Bits {
    fn from(value: u128) -> Self {
        Self::from_u128(value)
    }
}

/// `0x` and as few hexadecimal digits as the value needs.
impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex(self.width()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_any_width_come_back() {
        for width in [1, 4, 7, 8, 16, 24, 32, 48, 63, 64] {
            let lanes: Vec<u64> = (0..Bits::MAX_WIDTH / width)
                .map(|at| u64::from(at).wrapping_mul(0x9E37_79B9_7F4A_7C15) & crate::convert::mask(width))
                .collect();
            let bits = Bits::from_lanes(width, lanes.iter().copied());
            for (at, lane) in lanes.iter().enumerate() {
                assert_eq!(bits.lane(at, width), *lane, "width {width}, lane {at}");
            }
            assert_eq!(Bits::from_hex(&bits.hex(Bits::MAX_WIDTH)[2..]), Some(bits));
        }
        let mut bits = Bits::ZERO;
        bits.set_lane(usize::MAX, 64, 1);
        bits.set_lane(24, 64, 1);
        assert_eq!((bits, bits.lane(usize::MAX, 64), bits.lane(24, 64)), (Bits::ZERO, 0, 0));
    }

    #[test]
    fn widths_and_hex() {
        assert_eq!((Bits::ZERO.width(), Bits::from_u64(5).width(), Bits::from_u128(1 << 95).width()), (0, 3, 96));
        assert_eq!((Bits::from_u64(5).hex(8), format!("{:?}", Bits::ZERO)), ("0x05".into(), "0x0".into()));
        assert_eq!(Bits::from_u128(u128::MAX).truncated(67).width(), 67);
        assert_eq!((Bits::from_hex(""), Bits::from_hex("g"), Bits::from_hex(&"f".repeat(385))), (None, None, None));
    }
}
