//! Natural numbers of any size, as far as decimal conversion needs them.

use std::cmp::Ordering;

/// A natural number in limbs of 32 bits, the lowest first, without zeros at the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Natural(Vec<u32>);

impl Natural {
    pub fn new(value: u64) -> Self {
        let mut number = Self(vec![value as u32, (value >> 32) as u32]);
        number.trim();
        number
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of bits up to the highest one that is set.
    pub fn bits(&self) -> i32 {
        match self.0.last() {
            Some(top) => self.0.len() as i32 * 32 - top.leading_zeros() as i32,
            None => 0,
        }
    }

    /// Multiplies by `factor` and adds `addend`.
    pub fn mul_add(&mut self, factor: u32, addend: u32) {
        let mut carry = addend;
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + u64::from(carry);
            *limb = product as u32;
            carry = (product >> 32) as u32;
        }
        if carry != 0 {
            self.0.push(carry);
        }
        self.trim();
    }

    /// Multiplies by 10 to the power `exponent`.
    pub fn mul_power_of_10(&mut self, exponent: u32) {
        for _ in 0..exponent {
            self.mul_add(10, 0);
        }
    }

    /// Multiplies by 2 to the power `count`.
    pub fn shift_left(&mut self, count: u32) {
        if !count.is_multiple_of(32) {
            self.mul_add(1 << (count % 32), 0);
        }
        if !self.is_zero() {
            self.0.splice(0..0, std::iter::repeat_n(0, (count / 32) as usize));
        }
    }

    /// Subtracts `other` if it is not larger, and says whether it was not.
    pub fn subtract_if_fits(&mut self, other: &Self) -> bool {
        if (*self).cmp(other) == Ordering::Less {
            return false;
        }
        let mut borrow = false;
        let others = other.0.iter().copied().chain(std::iter::repeat(0));
        for (limb, subtrahend) in self.0.iter_mut().zip(others) {
            let (difference, under) = limb.overflowing_sub(subtrahend);
            let (difference, under_again) = difference.overflowing_sub(borrow.into());
            *limb = difference;
            borrow = under || under_again;
        }
        self.trim();
        true
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_length = self.0.len().cmp(&other.0.len());
        by_length.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_128_bit_integers() {
        let value = |n: &Natural| n.0.iter().rev().fold(0u128, |sum, limb| sum << 32 | u128::from(*limb));
        let mut seed = 7u64;
        for _ in 0..2000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (a, shift) = (seed >> (seed % 64), (seed >> 20) as u32 % 30);
            let mut n = Natural::new(a);
            let mut expected = u128::from(a);
            n.mul_add(1_000_003, 17);
            expected = expected * 1_000_003 + 17;
            n.shift_left(shift);
            expected <<= shift;
            assert_eq!((value(&n), n.bits()), (expected, 128 - expected.leading_zeros() as i32), "seed {seed}");
            let other = Natural::new(seed.rotate_left(9));
            let fits = expected >= u128::from(seed.rotate_left(9));
            assert_eq!(n.subtract_if_fits(&other), fits);
            assert_eq!(
                value(&n),
                if fits { expected - u128::from(seed.rotate_left(9)) } else { expected },
                "seed {seed}"
            );
        }
    }
}
