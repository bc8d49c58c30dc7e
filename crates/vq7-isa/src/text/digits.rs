//! Numbers at the end of a text, without the formatter: a stream is printed several times faster.

/// Characters that fit; the room behind them lets every number be stored as eight.
const ROOM: usize = 96;

/// A short piece of ASCII that is put together before it is added to a text.
pub(super) struct Scrap {
    bytes: [u8; ROOM + 8],
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
    #[inline]
    pub const fn new() -> Self {
        Self { bytes: [0; ROOM + 8], length: 0 }
    }

    /// Adds the first `count` of eight characters. What does not fit is left out: the callers add at most [`ROOM`].
    #[inline]
    fn eight(&mut self, characters: [u8; 8], count: usize) {
        if let Some(slot) = self.bytes.get_mut(self.length..).and_then(|rest| rest.first_chunk_mut::<8>()) {
            *slot = characters;
            self.length = (self.length + count).min(ROOM);
        }
    }

    /// Adds a character of ASCII.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.eight([byte, 0, 0, 0, 0, 0, 0, 0], 1);
    }

    /// Adds a decimal number.
    #[inline]
    pub fn decimal(&mut self, value: i32) {
        if value < 0 {
            self.byte(b'-');
        }
        let magnitude = value.unsigned_abs();
        match u16::try_from(magnitude) {
            Ok(short) => self.short(short),
            Err(_) => self.long(magnitude),
        }
    }

    /// A number of at most five digits.
    #[inline]
    fn short(&mut self, value: u16) {
        let pair = |pair: u16| PAIRS.get(usize::from(pair)).copied().unwrap_or_default();
        let ([c, d], [e, f]) = (pair(value / 100 % 100), pair(value % 100));
        let digits = u64::from_le_bytes([b'0' + (value / 10000) as u8, c, d, e, f, 0, 0, 0]);
        let zeros = [10, 100, 1000, 10000].iter().map(|&limit| u32::from(value < limit)).sum::<u32>();
        self.eight((digits >> (8 * zeros)).to_le_bytes(), 5 - zeros as usize);
    }

    #[cold]
    fn long(&mut self, value: u32) {
        let text = value.to_string();
        text.bytes().for_each(|byte| self.byte(byte));
    }

    /// Adds `0x` and a number with at least so many hexadecimal digits.
    #[inline]
    pub fn hex(&mut self, value: u32, least: u32) {
        const EACH: u64 = 0x0101_0101_0101_0101;
        self.eight([b'0', b'x', 0, 0, 0, 0, 0, 0], 2);
        let digits = (8 - value.leading_zeros() / 4).max(least.clamp(1, 8));
        // A nibble to each byte, the first digit in the topmost.
        let wide = u64::from(value);
        let wide = (wide | wide << 16) & 0x0000_FFFF_0000_FFFF;
        let wide = (wide | wide << 8) & 0x00FF_00FF_00FF_00FF;
        let wide = (wide | wide << 4) & (0xF * EACH);
        // From ten on, letters: 39 behind the colon that would follow the nine.
        let letters = ((wide + 6 * EACH) >> 4) & EACH;
        let ascii = wide + u64::from(b'0') * EACH + 39 * letters;
        self.eight((ascii << (8 * (8 - digits))).to_be_bytes(), digits as usize);
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
