//! The elements of weighted cases, as TestFloat chooses them: special significands with exponents at edges and both
//! signs; integers at zero, at the ends of the range and around powers of two.

use crate::space::Level;
use vq7_isa::Dtype;

/// A family of elements: bits that are fixed, and bits that are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    fixed: u64,
    any: u64,
}

impl Slot {
    const fn one(fixed: u64) -> Self {
        Self { fixed, any: 0 }
    }

    /// The member that these random bits choose.
    pub const fn member(self, random: u64) -> u64 {
        self.fixed & !self.any | random & self.any
    }
}

/// The families of a dtype: all elements where there are 256.
pub fn slots(dtype: Dtype, level: Level) -> Vec<Slot> {
    let mut slots = match dtype.bits() {
        8 => (0..256).map(Slot::one).collect(),
        width if dtype.is_float() => floats(width, exponent_bits(dtype), level),
        width => integers(width, level),
    };
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// The families of a shift count for a value of `src0`: those of its dtype, and every count up to twice the width.
pub fn counts(src0: Dtype, count: Dtype, level: Level) -> Vec<Slot> {
    let mut slots = slots(count, level);
    slots.extend((0..=2 * u64::from(src0.bits())).map(Slot::one));
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// The elements of a dtype that no random bits enter.
pub fn values(dtype: Dtype, level: Level) -> impl Iterator<Item = u64> {
    slots(dtype, level).into_iter().filter(|slot| slot.any == 0).map(|slot| slot.fixed)
}

const fn exponent_bits(dtype: Dtype) -> u32 {
    match dtype {
        Dtype::Fp16 => 5,
        _ => 8,
    }
}

fn floats(width: u32, exponent_bits: u32, level: Level) -> Vec<Slot> {
    let fraction_bits = width - 1 - exponent_bits;
    let mut slots = Vec::new();
    for exponent in exponents(exponent_bits, fraction_bits, level) {
        for fraction in fractions(fraction_bits, level) {
            for sign in [0, 1 << (width - 1)] {
                slots.push(Slot { fixed: sign | exponent << fraction_bits | fraction.fixed, any: fraction.any });
            }
        }
    }
    slots
}

/// Exponent fields: the ends, around 1, and where results leave the format or lose their last bits. Conversions to
/// narrower formats and to integers have their edges within 32 of 1.
fn exponents(bits: u32, fraction_bits: u32, level: Level) -> Vec<u64> {
    let top = (1i64 << bits) - 1;
    let bias = top >> 1;
    let digits = i64::from(fraction_bits);
    let mut list = vec![0, 1, 2, bias - 1, bias, bias + 1, top - 2, top - 1, top];
    list.extend([bias - digits - 1, bias - digits, bias + digits, bias + digits + 1, digits, digits + 1]);
    // Half of the range: products at the ends.
    list.extend([bias / 2, bias + bias / 2]);
    if level == Level::Two {
        list.extend((-3..=3).flat_map(|near| [bias + near, bias / 2 + near, bias + bias / 2 + near, top - 4 + near]));
        list.extend([7, 8, 14, 15, 16, 24, 31, 32].into_iter().flat_map(|edge| [bias - edge, bias + edge]));
    }
    list.into_iter().filter(|exponent| (0..=top).contains(exponent)).map(|exponent| exponent as u64).collect()
}

/// Fraction fields: 0, all ones, one-hot, runs of ones from either end, and families with random bits.
fn fractions(bits: u32, level: Level) -> Vec<Slot> {
    let ones = (1u64 << bits) - 1;
    let mut slots = vec![Slot::one(0), Slot::one(1), Slot::one(ones), Slot::one(ones - 1), Slot::one(ones >> 1)];
    slots.extend([Slot::one(1 << (bits - 1)), Slot::one(1 << (bits - 1) | 1), Slot { fixed: 0, any: ones }]);
    let step = if level == Level::Two { 1 } else { (bits / 3).max(1) };
    for bit in (0..bits).step_by(step as usize) {
        slots.extend([Slot::one(1 << bit), Slot::one((1 << bit) - 1), Slot::one(ones & !((1 << bit) - 1))]);
        if level == Level::Two {
            // The bits above one place, nothing below: ties of narrower formats; and the other way round.
            slots.push(Slot { fixed: 1 << bit, any: ones & !((2 << bit) - 1) });
            slots.push(Slot { fixed: 1 << bit, any: (1 << bit) - 1 });
        }
    }
    slots
}

fn integers(width: u32, level: Level) -> Vec<Slot> {
    let all = u64::MAX >> (64 - width);
    let mut slots = vec![Slot { fixed: 0, any: all }, Slot { fixed: 0, any: all >> (width / 2) }];
    slots.push(Slot { fixed: 0, any: all & !(all >> (width / 2)) });
    for bit in 0..width {
        // Around a power of two and around its negative: zero, shift counts, carries, both ends of the range.
        for near in [0, 1, u64::MAX] {
            let value = (1u64 << bit).wrapping_add(near);
            slots.extend([value & all, value.wrapping_neg() & all].map(Slot::one));
        }
        if level == Level::Two {
            slots.extend((0..bit).map(|low| Slot::one((1 << bit) - (1 << low))));
            slots.push(Slot { fixed: 1 << bit, any: (1 << bit) - 1 });
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edges_of_every_dtype_are_among_its_elements() {
        for level in [Level::One, Level::Two] {
            let has = |dtype, wanted: &[u64]| {
                let all: Vec<_> = values(dtype, level).collect();
                wanted.iter().for_each(|bits| assert!(all.contains(bits), "{dtype} {bits:#x}"));
            };
            // Zeros, ends of the subnormal and of the normal range, one and its neighbours, infinities, NaNs.
            has(Dtype::Fp16, &[0, 0x8000, 1, 0x3FF, 0x400, 0x3BFF, 0x3C00, 0x3C01, 0x7BFF, 0x7C00, 0xFC00, 0x7E00]);
            has(
                Dtype::Fp32,
                &[0, 1 << 31, 1, 0x7F_FFFF, 0x80_0000, 0x3F80_0001, 0x7F7F_FFFF, 0x7F80_0000, 0x7FC0_0000],
            );
            has(Dtype::Int32, &[0, 1, 2, 31, 32, 33, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFF, 0xFFFF_FFFE]);
            has(Dtype::Uint64, &[0, 63, 64, 65, 0xFFFF_FFFF, 1 << 32, 1 << 63, u64::MAX, u64::MAX >> 1]);
            assert_eq!(values(Dtype::Fp8Exp4, level).count(), 256);
        }
        assert!(slots(Dtype::Fp32, Level::Two).len() > 4 * slots(Dtype::Fp32, Level::One).len());
    }
}
