//! POW, correctly rounded, by Ziv's method: a power in float64 whose error is bounded, and the definition where that
//! bound does not tell to which side it rounds: some elements of a million, and powers that lie between two float32.

use crate::body::{Body, Params, RowFn, body_at};
use crate::formats::{INFINITY, QUIET, SIGN, is_nan};
use crate::level::Level;
use vq7_isa::{AluOp, Dtype};
use vq7_num::Lane;
use vq7_policy::Policy;

const ONE: u32 = 0x3F80_0000;
const CANONICAL_NAN: u32 = 0x7FC0_0000;
/// A bound of the relative error of [`positive_power`]. The logarithm and its product with the exponent are off by less
/// than 2^-50 in relative terms, and that product is at most 192, so that the power is off by less than
/// 192 * ln 2 * 2^-50, below 2^-42; its own polynomial adds 2^-51.
const ERROR: f64 = f64::from_bits((1023 - 41) << 52);
/// 1.5 * 2^52: a number added to it is rounded to an integer, which then stands in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The polynomial whose coefficients are the inverses of these numbers, that of the highest power first. Written out, as
/// a loop here would keep the loop around it from being vectorised.
macro_rules! horner {
    ($x:ident; $first:literal $(, $next:literal)*) => {{
        let sum = const { 1.0 / $first };
        $(let sum = sum * $x + const { 1.0 / $next };)*
        sum
    }};
}

/// x to the power y in float64; x is positive and finite, y is finite.
#[inline(always)]
fn positive_power(x: f64, y: f64) -> f64 {
    // x = 2^k * m with m from sqrt(1/2) to sqrt(2).
    let bits = x.to_bits();
    let above = bits.wrapping_sub(0x3FE6_A09E_667F_3BCD);
    let m = f64::from_bits(bits.wrapping_sub(above & 0xFFF0_0000_0000_0000));
    let biased = above.wrapping_add(1023 << 52) >> 52;
    let k = f64::from_bits(0x4330_0000_0000_0000 | biased) - (4_503_599_627_370_496.0 + 1023.0);
    // ln m = 2 atanh((m - 1) / (m + 1)): a series in the square, of which eleven terms are left of 2^-53.
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let series = horner!(z; 23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0);
    let two_s = 2.0 * s;
    let ln = two_s + two_s * (z * series);
    let log2 = k + ln * std::f64::consts::LOG2_E;
    // Beyond these the result is zero or infinite whatever comes.
    let t = (y * log2).clamp(-192.0, 192.0);
    let shifted = t + ROUNDER;
    let r = (t - (shifted - ROUNDER)) * std::f64::consts::LN_2;
    let exp = horner!(r; 87_178_291_200.0, 6_227_020_800.0, 479_001_600.0, 39_916_800.0, 3_628_800.0, 362_880.0, 40_320.0,
        5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0);
    exp * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// The power, and whether it has to be looked at again.
#[inline(always)]
fn power(x: u32, y: u32) -> (u32, u32) {
    let magnitude = x & !SIGN;
    let (fx, fy) = (f32::from_bits(magnitude), f32::from_bits(y));
    let fine = positive_power(fx.into(), fy.into());
    let (low, high) = ((fine - fine * ERROR) as f32, (fine + fine * ERROR) as f32);
    // Parity of the exponent: from 2^24 on all are even.
    let small = f32::from_bits(y & !SIGN) < 16_777_216.0;
    let whole = if small { fy } else { 0.0 };
    // SAFETY: below 2^24 in magnitude, and no NaN: a NaN is not small.
    let integer: i32 = unsafe { whole.to_int_unchecked() };
    let fraction = small & (integer as f32 != whole);
    let odd = small & !fraction & (integer & 1 == 1);
    let sign = if odd { x & SIGN } else { 0 };
    let grows = y & SIGN == 0;
    let (infinite_x, zero_x) = (magnitude == INFINITY, magnitude == 0);
    let infinite_y = y & !SIGN == INFINITY;
    let finite = if (x & SIGN != 0) & fraction & !infinite_x & !zero_x { CANONICAL_NAN } else { low.to_bits() | sign };
    let ends = sign | if infinite_x == grows { INFINITY } else { 0 };
    let of_infinity = if (magnitude > ONE) == grows { INFINITY } else { 0 };
    let of_infinity = if magnitude == ONE { ONE } else { of_infinity };
    let result = if infinite_x | zero_x { ends } else { finite };
    let result = if infinite_y { of_infinity } else { result };
    let nan = if is_nan(x) { x | QUIET } else { y | QUIET };
    let result = if is_nan(x) | is_nan(y) { nan } else { result };
    // A quiet NaN to the power 0 is 1, and so is 1 to a quiet NaN; a signalling one comes out quiet.
    let signaling = is_nan(x) & (x & QUIET == 0) | is_nan(y) & (y & QUIET == 0);
    let one = !signaling & ((y & !SIGN == 0) | (x == ONE));
    let special = one | is_nan(x) | is_nan(y) | infinite_x | zero_x | infinite_y;
    let open = !special & (low.to_bits() != high.to_bits());
    (if one { ONE } else { result }, u32::from(open))
}

/// The definition.
#[cold]
fn defined(x: u32, y: u32) -> u32 {
    let lane = Lane::new(AluOp::Pow, Dtype::Fp32, Dtype::Fp32, Dtype::Fp32);
    lane.evaluate(x.into(), y.into(), &Policy::default()).map_or(0, |result| result.value as u32)
}

struct Pow;

impl Body for Pow {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, n: usize, _: &Params) {
        const CHUNK: usize = 128;
        let (dst, a, b) = (dst.cast::<u32>(), a.cast::<u32>(), b.cast::<u32>());
        let mut first = 0;
        while first < n {
            let count = CHUNK.min(n - first);
            let mut any = 0;
            for i in first..first + count {
                // SAFETY: i < n, and the caller promises n elements of each.
                unsafe {
                    let (result, open) = power(a.add(i).read_unaligned(), b.add(i).read_unaligned());
                    dst.add(i).write_unaligned(result);
                    any |= open;
                }
            }
            if any != 0 {
                for i in first..first + count {
                    // SAFETY: as above; the result overlaps no operand.
                    unsafe {
                        let (x, y) = (a.add(i).read_unaligned(), b.add(i).read_unaligned());
                        if power(x, y).1 != 0 {
                            dst.add(i).write_unaligned(defined(x, y));
                        }
                    }
                }
            }
            first += count;
        }
    }
}

/// The kernel of float32 powers.
pub(crate) fn kernel(level: Level) -> RowFn {
    body_at::<Pow>(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bases and exponents whose powers are of moderate size, as in real data.
    fn pairs() -> impl Iterator<Item = (u32, u32)> {
        let mut state = 7u64;
        (0..200_000).map(move |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (a, b) = (state >> 33, state >> 10);
            (0x3E00_0000 + (a as u32) % 0x0280_0000, (0x3E00_0000 + (b as u32) % 0x0280_0000) | ((b as u32 & 1) << 31))
        })
    }

    #[test]
    fn few_powers_have_to_be_looked_at_again() {
        let open = pairs().filter(|&(x, y)| power(x, y).1 != 0).count();
        assert!(open <= 20, "{open} of 200000");
    }
}
