//! Number formats: one row per floating-point format. Convert, print, parse and test are generic over the row.

use crate::unpacked::{Finite, Unpacked};
use vq7_isa::Dtype;
use vq7_policy::{E4m3, Fp32r, Policy};

/// What the topmost exponent code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// Infinity with a zero mantissa, NaN otherwise.
    IeeeLike,
    /// Ordinary numbers, except that exponent and mantissa all ones is NaN. No infinity. (OCP e4m3fn.)
    Fn,
}

/// One floating-point format: from the top bit down sign, exponent, mantissa, and bits that are always zero.
#[derive(Debug, PartialEq, Eq)]
pub struct Format {
    /// Short name, such as `e4m3`.
    pub name: &'static str,
    /// Width of the exponent field in bits.
    pub exponent_bits: u32,
    /// Width of the mantissa field in bits, without the hidden bit.
    pub mantissa_bits: u32,
    /// What is subtracted from the exponent field.
    pub bias: i32,
    /// What the topmost exponent code means.
    pub specials: Specials,
    /// Low bits of the container that a result of this format leaves zero. 10 for FP32R, 0 for all others.
    pub pad_bits: u32,
}

const fn row(name: &'static str, exponent_bits: u32, mantissa_bits: u32, bias: i32) -> Format {
    Format { name, exponent_bits, mantissa_bits, bias, specials: Specials::IeeeLike, pad_bits: 0 }
}

// The table (docs/spec/dtypes.md). FP32R is the float32 container with a mantissa of 13 bits: 22 bits in all, hence
// the header's remark "FP22".
/// IEEE binary32, the working format of the base band.
pub static FP32: Format = row("fp32", 8, 23, 127);
/// FP32R when the policy shortens its mantissa.
pub static FP32R: Format = Format { pad_bits: 10, ..row("fp32r", 8, 13, 127) };
/// Brain float.
pub static BF16: Format = row("bf16", 8, 7, 127);
/// IEEE binary16.
pub static FP16: Format = row("fp16", 5, 10, 15);
/// FP8_EXP3.
pub static E3M4: Format = row("e3m4", 3, 4, 3);
/// FP8_EXP4, the vendor's IEEE-like flavour.
pub static E4M3: Format = row("e4m3", 4, 3, 7);
/// FP8_EXP4, the OCP flavour.
pub static E4M3_FN: Format = Format { specials: Specials::Fn, ..row("e4m3fn", 4, 3, 7) };
/// FP8_EXP5.
pub static E5M2: Format = row("e5m2", 5, 2, 15);

impl Format {
    /// Every row of the table.
    pub fn all() -> [&'static Self; 8] {
        [&FP32, &FP32R, &BF16, &FP16, &E3M4, &E4M3, &E4M3_FN, &E5M2]
    }

    /// The row of a floating-point dtype under a policy; `None` for integers and for what no tensor-tensor operand holds.
    pub const fn of(dtype: Dtype, policy: &Policy) -> Option<&'static Self> {
        Some(match dtype {
            Dtype::Fp32 => &FP32,
            Dtype::Fp32r => match policy.fp32r {
                Fp32r::Rne13 | Fp32r::Trunc13 => &FP32R,
                Fp32r::Passthrough => &FP32,
            },
            Dtype::Bfloat16 => &BF16,
            Dtype::Fp16 => &FP16,
            Dtype::Fp8Exp3 => &E3M4,
            Dtype::Fp8Exp4 => match policy.e4m3 {
                E4m3::Ieee => &E4M3,
                E4m3::Fn => &E4M3_FN,
            },
            Dtype::Fp8Exp5 => &E5M2,
            _ => return None,
        })
    }

    /// Width of the container in bits.
    pub const fn bits(&self) -> u32 {
        1 + self.exponent_bits + self.mantissa_bits + self.pad_bits
    }

    /// The sign bit of the container, set when `negative`.
    pub const fn sign(&self, negative: bool) -> u64 {
        if negative { 1 << (self.bits() - 1) } else { 0 }
    }

    /// Whether the sign bit is set.
    pub const fn is_negative(&self, bits: u64) -> bool {
        bits & self.sign(true) != 0
    }

    /// The exponent field with all bits set, in place, in the container.
    const fn top_exponent(&self) -> u64 {
        (((1 << self.exponent_bits) - 1) << self.mantissa_bits) << self.pad_bits
    }

    /// Whether the exponent field has all bits set: infinities and NaNs, and the top binade of an "fn" format.
    pub const fn has_top_exponent(&self, bits: u64) -> bool {
        bits & self.top_exponent() == self.top_exponent()
    }

    /// The topmost mantissa bit, in place: set in a quiet NaN of an IEEE-like format.
    pub const fn quiet_bit(&self) -> u64 {
        (1 << (self.mantissa_bits - 1)) << self.pad_bits
    }

    /// Positive infinity, if the format has one.
    pub const fn infinity(&self) -> Option<u64> {
        match self.specials {
            Specials::IeeeLike => Some(self.top_exponent()),
            Specials::Fn => None,
        }
    }

    /// The NaN that operations generate: positive, quiet, no payload.
    pub const fn canonical_nan(&self) -> u64 {
        match self.specials {
            Specials::IeeeLike => self.top_exponent() | self.quiet_bit(),
            Specials::Fn => self.sign(true) - 1,
        }
    }

    /// The largest finite value.
    pub const fn max_finite(&self) -> u64 {
        match self.specials {
            // One step below infinity.
            Specials::IeeeLike => self.top_exponent() - (1 << self.pad_bits),
            // One step below the only NaN.
            Specials::Fn => self.sign(true) - 2,
        }
    }

    /// The smallest positive value.
    pub const fn min_subnormal(&self) -> u64 {
        1 << self.pad_bits
    }

    /// log2 of the smallest positive normal value.
    pub const fn min_exponent(&self) -> i32 {
        1 - self.bias
    }

    /// floor(log2) of the largest finite value.
    pub const fn max_exponent(&self) -> i32 {
        let top = (1 << self.exponent_bits) - 1 - self.bias;
        match self.specials {
            Specials::IeeeLike => top - 1,
            Specials::Fn => top,
        }
    }

    /// Whether the pattern is a NaN. Bits above the container are ignored.
    #[inline]
    pub const fn is_nan(&self, bits: u64) -> bool {
        let magnitude = bits & (self.sign(true) - 1);
        match self.specials {
            Specials::IeeeLike => magnitude > self.top_exponent(),
            Specials::Fn => magnitude == self.sign(true) - 1,
        }
    }

    /// Whether the pattern is a NaN that raises `invalid` when touched. An "fn" format has no such NaN.
    pub const fn is_signaling_nan(&self, bits: u64) -> bool {
        self.is_nan(bits) && bits & self.quiet_bit() == 0
    }

    /// Whether the pattern is a non-zero number below the smallest normal one.
    pub const fn is_subnormal(&self, bits: u64) -> bool {
        bits & self.top_exponent() == 0 && bits & (self.sign(true) - 1) != 0
    }

    /// Takes a pattern apart. Exact, and total: every pattern is a NaN, an infinity, a zero or a finite number.
    #[inline]
    pub(crate) const fn unpack(&self, bits: u64) -> Unpacked {
        let negative = self.is_negative(bits);
        let magnitude = bits & (self.sign(true) - 1);
        if self.is_nan(bits) {
            return Unpacked::Nan;
        }
        if magnitude >= self.top_exponent() && matches!(self.specials, Specials::IeeeLike) {
            return Unpacked::Infinity { negative };
        }
        if magnitude == 0 {
            return Unpacked::Zero { negative };
        }
        // A float32 that an FP32R reader finds may have its pad bits set: read them as further mantissa bits.
        let mantissa_bits = self.mantissa_bits + self.pad_bits;
        let field = (magnitude >> mantissa_bits) as i32;
        let mantissa = magnitude & ((1 << mantissa_bits) - 1);
        let (significand, exponent) = match field {
            0 => (mantissa, self.min_exponent()),
            _ => (mantissa | 1 << mantissa_bits, field - self.bias),
        };
        Unpacked::Finite(Finite { negative, exponent: exponent - mantissa_bits as i32, significand })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_bit_patterns_of_the_dtype_table() {
        // name, canonical NaN, infinity, largest finite, smallest subnormal
        let table = [
            ("fp32", 0x7FC0_0000, Some(0x7F80_0000), 0x7F7F_FFFF, 1),
            ("fp32r", 0x7FC0_0000, Some(0x7F80_0000), 0x7F7F_FC00, 0x400),
            ("bf16", 0x7FC0, Some(0x7F80), 0x7F7F, 1),
            ("fp16", 0x7E00, Some(0x7C00), 0x7BFF, 1),
            ("e3m4", 0x78, Some(0x70), 0x6F, 1),
            ("e4m3", 0x7C, Some(0x78), 0x77, 1),
            ("e4m3fn", 0x7F, None, 0x7E, 1),
            ("e5m2", 0x7E, Some(0x7C), 0x7B, 1),
        ];
        for (format, (name, nan, infinity, max, min)) in Format::all().into_iter().zip(table) {
            assert_eq!(format.name, name);
            assert_eq!(format.canonical_nan(), nan, "{name}");
            assert_eq!(format.infinity(), infinity, "{name}");
            assert_eq!(format.max_finite(), max, "{name}");
            assert_eq!(format.min_subnormal(), min, "{name}");
        }
    }

    #[test]
    fn every_dtype_that_holds_floats_has_a_row_of_its_width() {
        for policy in [Policy::default(), Policy { e4m3: E4m3::Fn, fp32r: Fp32r::Passthrough, ..Policy::default() }] {
            for &dtype in Dtype::ALL {
                assert_eq!(Format::of(dtype, &policy).is_some(), dtype.is_float(), "{dtype}");
                if let Some(format) = Format::of(dtype, &policy) {
                    assert_eq!(format.bits(), dtype.bits(), "{dtype}");
                }
            }
        }
    }
}
