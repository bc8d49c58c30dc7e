//! A register's contents: 64 bytes, seen as lanes, as a mask or as a word.

/// Bytes of a vector register.
pub const LINE_BYTES: usize = 64;

/// 512 bits, byte 0 first. Narrower registers stand in the low bytes, the others zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Line(pub [u8; LINE_BYTES]);

/// 1536 bits: an accumulator register.
pub type Wide = [u8; 3 * LINE_BYTES];

impl Default for Line {
    fn default() -> Line {
        Line::ZERO
    }
}

impl Line {
    /// No bit set.
    pub const ZERO: Line = Line([0; LINE_BYTES]);

    /// A 32-bit register.
    #[must_use]
    pub fn from_word(word: u32) -> Line {
        Line::from_mask(word.into())
    }

    /// A 64-bit register.
    #[must_use]
    pub fn from_mask(mask: u64) -> Line {
        let mut line = Line::ZERO;
        line.0[..8].copy_from_slice(&mask.to_le_bytes());
        line
    }

    /// The low 32 bits.
    #[must_use]
    pub fn word(&self) -> u32 {
        self.mask() as u32
    }

    /// The low 64 bits.
    #[must_use]
    pub fn mask(&self) -> u64 {
        let mut low = [0; 8];
        low.copy_from_slice(&self.0[..8]);
        u64::from_le_bytes(low)
    }

    /// Lane `index` of lanes of `width` bits: 8, 16, 32 or 64.
    #[must_use]
    pub fn lane(&self, index: usize, width: u32) -> u64 {
        get(&self.0, index, width)
    }

    /// Sets lane `index` of lanes of `width` bits: 8, 16, 32 or 64.
    pub fn set_lane(&mut self, index: usize, width: u32, value: u64) {
        set(&mut self.0, index, width, value);
    }

    /// All lanes of `width` bits, into the first entries of `lanes`.
    #[inline]
    pub fn unpack(&self, width: u32, lanes: &mut [u64; LINE_BYTES]) {
        match width {
            8 => self.0.iter().zip(lanes).for_each(|(byte, lane)| *lane = (*byte).into()),
            16 => self.0.as_chunks().0.iter().zip(lanes).for_each(|(b, lane)| *lane = u16::from_le_bytes(*b).into()),
            32 => self.0.as_chunks().0.iter().zip(lanes).for_each(|(b, lane)| *lane = u32::from_le_bytes(*b).into()),
            _ => self.0.as_chunks().0.iter().zip(lanes).for_each(|(b, lane)| *lane = u64::from_le_bytes(*b)),
        }
    }

    /// A line from its lanes of `width` bits.
    #[inline]
    #[must_use]
    pub fn pack(width: u32, lanes: &[u64; LINE_BYTES]) -> Line {
        let mut line = Line::ZERO;
        match width {
            8 => line.0.iter_mut().zip(lanes).for_each(|(byte, lane)| *byte = *lane as u8),
            16 => {
                let chunks = line.0.as_chunks_mut().0.iter_mut();
                chunks.zip(lanes).for_each(|(b, lane)| *b = (*lane as u16).to_le_bytes());
            }
            32 => {
                let chunks = line.0.as_chunks_mut().0.iter_mut();
                chunks.zip(lanes).for_each(|(b, lane)| *b = (*lane as u32).to_le_bytes());
            }
            _ => line.0.as_chunks_mut().0.iter_mut().zip(lanes).for_each(|(b, lane)| *b = lane.to_le_bytes()),
        }
        line
    }
}

/// Lane `index` of lanes of `width` bits, a whole number of bytes up to 8; zero past the end.
#[must_use]
pub fn get(bytes: &[u8], index: usize, width: u32) -> u64 {
    let size = width as usize / 8;
    let from = index.saturating_mul(size);
    let lane = bytes.get(from..from.saturating_add(size)).unwrap_or_default();
    lane.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Lane `index` of lanes of `width` bits, a whole number of bytes up to 16; zero past the end.
#[must_use]
pub fn get_wide(bytes: &[u8], index: usize, width: u32) -> u128 {
    let size = width as usize / 8;
    let from = index.saturating_mul(size);
    let lane = bytes.get(from..from.saturating_add(size)).unwrap_or_default();
    lane.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
}

/// Sets a lane; what lies past the end is dropped.
pub fn set(bytes: &mut [u8], index: usize, width: u32, value: u64) {
    set_wide(bytes, index, width, value.into());
}

/// Sets a lane of up to 128 bits; what lies past the end is dropped.
pub fn set_wide(bytes: &mut [u8], index: usize, width: u32, value: u128) {
    let size = width as usize / 8;
    let from = index.saturating_mul(size);
    let value = value.to_le_bytes();
    if let Some(lane) = bytes.get_mut(from..from.saturating_add(size)) {
        lane.iter_mut().zip(value).for_each(|(to, byte)| *to = byte);
    }
}

/// Bits of a predicate register per lane: 1, 2 or 4 for 64, 32 or 16 lanes, 8 for pairs of the latter.
#[must_use]
pub const fn predicate_bits(lanes: usize) -> u32 {
    match lanes {
        64 => 1,
        32 => 2,
        16 => 4,
        _ => 8,
    }
}

/// Whether lane `index` of `lanes` is true: the lowest bit of its field says so.
#[must_use]
pub const fn predicate(mask: u64, index: usize, lanes: usize) -> bool {
    let shift = index as u32 * predicate_bits(lanes);
    shift < 64 && mask >> shift & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_of_one_register() {
        let line = Line(std::array::from_fn(|at| at as u8));
        assert_eq!((line.lane(1, 8), line.lane(1, 16), line.lane(1, 32)), (1, 0x0302, 0x0706_0504));
        assert_eq!((line.lane(63, 8), line.lane(31, 16), line.lane(15, 32)), (63, 0x3f3e, 0x3f3e_3d3c));
        assert_eq!((line.lane(64, 8), line.lane(32, 16), line.lane(usize::MAX, 32)), (0, 0, 0));
        for width in [8, 16, 32, 64] {
            let mut lanes = [0; LINE_BYTES];
            line.unpack(width, &mut lanes);
            for (at, lane) in lanes.iter().enumerate() {
                assert_eq!(*lane, line.lane(at, width), "{width} {at}");
            }
            assert_eq!(Line::pack(width, &lanes), line);
        }
        let mut changed = Line::ZERO;
        changed.set_lane(31, 16, 0x1_2345);
        changed.set_lane(32, 16, 0xffff);
        assert_eq!((changed.lane(31, 16), changed.lane(15, 32)), (0x2345, 0x2345_0000));
    }

    #[test]
    fn accumulators_hold_24_48_and_96_bit_lanes() {
        let mut wide: Wide = [0; 192];
        for (width, lanes) in [(24, 64), (48, 32), (96, 16)] {
            for lane in 0..lanes {
                set_wide(&mut wide, lane, width, u128::MAX - lane as u128);
            }
            for lane in 0..lanes {
                assert_eq!(get_wide(&wide, lane, width), (u128::MAX - lane as u128) & ((1 << width) - 1));
            }
            assert_eq!(get_wide(&wide, lanes, width), 0);
        }
    }

    #[test]
    fn predicates_are_as_wide_as_their_lane_in_bytes() {
        assert_eq!([64, 32, 16].map(predicate_bits), [1, 2, 4]);
        assert!(predicate(0b100, 1, 32) && !predicate(0b1000, 1, 32) && predicate(1 << 60, 15, 16));
        assert!(!predicate(u64::MAX, 64, 64));
    }
}
