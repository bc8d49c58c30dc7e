//! What several test files of this crate share: sample words and seeded random numbers.

#![allow(dead_code, reason = "each test file uses a part")]

use vq7_isa::Word;

/// ADD_INT on int32, 128 channels, 512 elements.
pub const V1: &str = "4110000000000000000000008808c48000000000010001000100000201000100\
                      0010000001000100010000020100010000200000010001000100000201000100";
/// A shift of int64 by a broadcast uint32 count.
pub const V2: &str = "5110000000000000000000009c0c104000010001010001000100040001000100\
                      0002000100000100010004000100010000030001010001000100040001000100";
/// ADD of float16 and bfloat16 into float32, with events.
pub const V3: &str = "41100000040b131600000000670a042040008000010008000100080004000100\
                      0004800001000000010008000400010000088000010008000100080004000100";
/// The extended ADD on float32.
pub const V4: &str = "f010000000000000000000000205aa0a04000000000000000100010000010100\
                      0010000001000100000101000020000001000100000101000000000000000000";
/// COPY_PREDICATED into PSUM.
pub const V5: &str = "721000000000000000000000a30a008000000000010001000100400001000100\
                      0004000001000100010040000100010000000002010001000100400001000100";

/// The opcodes of S3S3D3_TT, written out a second time on purpose: tests do not ask the product which they are.
pub const TENSOR_TENSOR_OPCODES: [u8; 8] = [0x41, 0x51, 0x72, 0x99, 0x65, 0x8A, 0x8B, 0x8F];

/// A sample word with some bytes changed.
pub fn word(hex: &str, changes: &[(usize, u8)]) -> Word {
    let mut word = Word::from_hex(hex).expect("a sample word");
    for &(offset, byte) in changes {
        word.0[offset] = byte;
    }
    word
}

/// The seed of a random test: `VQ7_SEED` or a fixed one.
pub fn seed() -> u64 {
    std::env::var("VQ7_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7)
}

/// SplitMix64: small, seeded, the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}
