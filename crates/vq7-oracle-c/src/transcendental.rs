//! CORE-MATH: correctly rounded to nearest even. It reports no flags.

/// x to the power of y, on float32 bits.
pub fn pow(x: u32, y: u32) -> u32 {
    core_math::powf(f32::from_bits(x), f32::from_bits(y)).to_bits()
}

/// 1 / sqrt(x), on float32 bits.
pub fn rsqrt(x: u32) -> u32 {
    core_math::rsqrtf(f32::from_bits(x)).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_the_ones_they_are_named_after() {
        let bits = f32::to_bits;
        assert_eq!(pow(bits(3.0), bits(4.0)), bits(81.0));
        assert_eq!(pow(bits(4.0), bits(3.0)), bits(64.0));
        assert_eq!(rsqrt(bits(16.0)), bits(0.25));
    }
}
