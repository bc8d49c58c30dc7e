//! Strided tensor patterns TENSOR2D and TENSOR3D, and the indirect descriptor that can stand in their place.
//! Source: docs/spec/words.md.

use crate::address::Addr4;
use crate::word::Word;

/// A strided pattern of `N` dimensions, `4 + 4 N` bytes. Index 0 is the innermost, fastest dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pattern<const N: usize> {
    /// Where the walk starts.
    pub start: Addr4,
    /// Signed steps, in elements; 0 reads the same element again.
    pub step: [i16; N],
    /// Counts.
    pub num: [u16; N],
}

/// The 12-byte pattern of the extended words.
pub type Tensor2d = Pattern<2>;
/// The 16-byte pattern of the tensor-tensor words.
pub type Tensor3d = Pattern<3>;

impl<const N: usize> Pattern<N> {
    /// Bytes of the pattern in a word.
    pub const BYTES: usize = 4 + 4 * N;

    pub(crate) fn decode(word: &Word, offset: usize) -> Self {
        Self {
            start: Addr4(u32::from_le_bytes(word.take(offset))),
            step: std::array::from_fn(|i| i16::from_le_bytes(word.take(offset + 4 + 2 * i))),
            num: std::array::from_fn(|i| u16::from_le_bytes(word.take(offset + 4 + 2 * N + 2 * i))),
        }
    }

    pub(crate) fn encode(&self, word: &mut Word, offset: usize) {
        word.put(offset, &self.start.0.to_le_bytes());
        for i in 0..N {
            word.put(offset + 4 + 2 * i, &self.step[i].to_le_bytes());
            word.put(offset + 4 + 2 * N + 2 * i, &self.num[i].to_le_bytes());
        }
    }

    /// Elements of the walk: the product of the counts. At most 65,535 to the power of three, which fits.
    pub fn elements(&self) -> u64 {
        self.num.iter().map(|&n| u64::from(n)).product()
    }

    /// The same walk with one more or fewer outer dimensions. Dimensions added have step 1 and count 1; a dimension
    /// taken away must have count 1.
    pub fn resized<const M: usize>(&self) -> Pattern<M> {
        Pattern {
            start: self.start,
            step: std::array::from_fn(|i| self.step.get(i).copied().unwrap_or(1)),
            num: std::array::from_fn(|i| self.num.get(i).copied().unwrap_or(1)),
        }
    }
}

/// The descriptor that a 16-byte pattern slot holds when its marker says indirect (INDIRECT16B).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indirect {
    /// Address of the index tensor, marker included.
    pub index: Addr4,
    /// Address of the data.
    pub data: Addr4,
    /// Indices.
    pub count: u16,
    /// Bytes 10..15 of the slot, without a meaning.
    pub unused: [u8; 6],
}

impl Indirect {
    /// Reads the descriptor out of a pattern that is marked indirect.
    pub fn of(pattern: &Tensor3d) -> Option<Self> {
        if !pattern.start.is_indirect() {
            return None;
        }
        let [data_low, data_high, count] = pattern.step.map(|step| step as u16);
        let mut unused = [0; 6];
        for (bytes, num) in unused.chunks_exact_mut(2).zip(pattern.num) {
            bytes.copy_from_slice(&num.to_le_bytes());
        }
        let data = Addr4(u32::from(data_low) | u32::from(data_high) << 16);
        Some(Self { index: pattern.start, data, count, unused })
    }

    /// The pattern slot that holds the descriptor.
    pub fn to_pattern(&self) -> Tensor3d {
        let [b0, b1, b2, b3, b4, b5] = self.unused;
        Tensor3d {
            start: self.index,
            step: [self.data.0 as i16, (self.data.0 >> 16) as i16, self.count as i16],
            num: [u16::from_le_bytes([b0, b1]), u16::from_le_bytes([b2, b3]), u16::from_le_bytes([b4, b5])],
        }
    }
}
