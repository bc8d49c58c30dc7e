//! Numbers at the end of a text, without the formatter: a stream is printed several times faster.

/// A short piece of ASCII that is put together before it is added to a text.
pub(super) struct Scrap {
    bytes: [u8; 64],
    length: usize,
}

/// The two digits of every number below 100.
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut i = 0;
    while i < 100 {
        pairs[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    pairs
};

impl Scrap {
    pub const fn new() -> Self {
        Self { bytes: [0; 64], length: 0 }
    }

    /// Adds a byte of ASCII. What does not fit is left out: the callers add at most 64.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.length) {
            *slot = byte;
            self.length += 1;
        }
    }

    /// Adds a decimal number.
    #[inline]
    pub fn decimal(&mut self, value: i32) {
        if value < 0 {
            self.byte(b'-');
        }
        let mut rest = value.unsigned_abs();
        if rest < 10 {
            self.byte(b'0' + rest as u8);
            return;
        }
        let mut digits = [0u8; 10];
        let mut first = digits.len();
        while rest >= 10 {
            let pair = PAIRS.get((rest % 100) as usize).copied().unwrap_or_default();
            first -= 2;
            if let Some(slot) = digits.get_mut(first..first + 2) {
                slot.copy_from_slice(&pair);
            }
            rest /= 100;
        }
        if rest > 0 {
            first -= 1;
            if let Some(slot) = digits.get_mut(first) {
                *slot = b'0' + rest as u8;
            }
        }
        digits.iter().skip(first).for_each(|&digit| self.byte(digit));
    }

    /// Adds `0x` and a number with at least so many hexadecimal digits.
    #[inline]
    pub fn hex(&mut self, value: u32, least: u32) {
        self.byte(b'0');
        self.byte(b'x');
        let digits = (8 - value.leading_zeros() / 4).max(least.max(1));
        for digit in (0..digits).rev() {
            let nibble = (value >> (4 * digit)) as u8 & 0xF;
            self.byte(if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 });
        }
    }

    /// The text.
    #[inline]
    pub fn put(&self, text: &mut String) {
        let written = self.bytes.get(..self.length).unwrap_or_default();
        // Only ASCII is added.
        text.push_str(std::str::from_utf8(written).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_the_formatter(value: i32, small in -100_000i32..100_000, least in 1u32..9) {
            for value in [value, small, 0, 9, 10, 99, 100, i32::MIN, i32::MAX] {
                let mut scrap = Scrap::new();
                scrap.decimal(value);
                scrap.byte(b' ');
                scrap.hex(value as u32, least);
                let mut text = String::new();
                scrap.put(&mut text);
                let width = least as usize + 2;
                prop_assert_eq!(text, format!("{value} {:#0width$x}", value as u32));
            }
        }
    }
}
