//! POW and RSQRT: special cases, exact powers, and everything else against float64 and the library.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::{MODES, Random};
use vq7_isa::{AluOp, Dtype};
use vq7_num::{Flags, Lane};
use vq7_policy::{Policy, PowInt, Round};

const SEED: u64 = 0x5EED_0006;
const ONE: u32 = 0x3F80_0000;
const INF: u32 = 0x7F80_0000;
const NEG: u32 = 0x8000_0000;
const NAN: u32 = 0x7FC0_0000;

fn run(op: AluOp, a: u32, b: u32, round: Round) -> (u32, Flags) {
    let lane = Lane::new(op, Dtype::Fp32, Dtype::Fp32, Dtype::Fp32);
    let result = lane.evaluate(a.into(), b.into(), &Policy { round, ..Policy::default() }).unwrap();
    (result.value as u32, result.flags)
}

fn pow(x: f32, y: f32) -> (u32, Flags) {
    run(AluOp::Pow, x.to_bits(), y.to_bits(), Round::NearestEven)
}

#[test]
fn powers_of_special_operands() {
    let (inf, nan, tiny) = (f32::INFINITY, f32::NAN, f32::from_bits(1));
    for (x, y, expected, flags) in [
        (nan, 0.0, ONE, Flags::NONE),
        (nan, -0.0, ONE, Flags::NONE),
        (1.0, nan, ONE, Flags::NONE),
        (1.0, -inf, ONE, Flags::NONE),
        (-1.0, inf, ONE, Flags::NONE),
        (-1.0, -inf, ONE, Flags::NONE),
        (2.0, inf, INF, Flags::NONE),
        (2.0, -inf, 0, Flags::NONE),
        (-0.5, inf, 0, Flags::NONE),
        (-0.5, -inf, INF, Flags::NONE),
        (inf, 0.5, INF, Flags::NONE),
        (inf, -0.5, 0, Flags::NONE),
        (-inf, 3.0, NEG | INF, Flags::NONE),
        (-inf, 2.0, INF, Flags::NONE),
        (-inf, 0.5, INF, Flags::NONE),
        (-inf, -3.0, NEG, Flags::NONE),
        (-inf, -2.0, 0, Flags::NONE),
        (0.0, 3.0, 0, Flags::NONE),
        (-0.0, 3.0, NEG, Flags::NONE),
        (-0.0, 2.0, 0, Flags::NONE),
        (-0.0, 0.5, 0, Flags::NONE),
        (-0.0, -3.0, NEG | INF, Flags::DIV_ZERO),
        (-0.0, -2.0, INF, Flags::DIV_ZERO),
        (0.0, -0.5, INF, Flags::DIV_ZERO),
        (-2.0, 0.5, NAN, Flags::INVALID),
        (-2.0, 1e-45, NAN, Flags::INVALID),
        (-3.0, 2.0, 0x4110_0000, Flags::NONE),
        (-3.0, 3.0, 0xC1D8_0000, Flags::NONE),
        (-2.0, -3.0, 0xBE00_0000, Flags::NONE),
        (4.0, 0.5, 0x4000_0000, Flags::NONE),
        (4.0, -1.5, 0x3E00_0000, Flags::NONE),
        (2.25, 1.5, 0x4058_0000, Flags::NONE),
        (-1.0, 1e30, ONE, Flags::NONE),
        (2.0, -149.0, 1, Flags::NONE),
        (2.0, 127.0, 0x7F00_0000, Flags::NONE),
        (2.0, 128.0, INF, Flags::OVERFLOW),
        (tiny, 2.0, 0, Flags { underflow: true, ..Flags::INEXACT }),
        (tiny, -1.0, INF, Flags::OVERFLOW),
        (3.0, 1000.0, INF, Flags::OVERFLOW),
        (-3.0, 1001.0, NEG | INF, Flags::OVERFLOW),
        (3.0, -1000.0, 0, Flags { underflow: true, ..Flags::INEXACT }),
        (2.0, 1e30, INF, Flags::OVERFLOW),
        (0.5, 1e30, 0, Flags { underflow: true, ..Flags::INEXACT }),
    ] {
        assert_eq!(pow(x, y), (expected, flags), "{x} ^ {y}");
    }
    // A NaN goes through, the first of two, quieted.
    assert_eq!(run(AluOp::Pow, 0xFFA0_0001, 0x7FC0_0002, Round::NearestEven), (0xFFE0_0001, Flags::INVALID));
    assert_eq!(run(AluOp::Pow, 0x4000_0000, 0x7FC0_0002, Round::NearestEven), (0x7FC0_0002, Flags::NONE));
}

/// IEEE 754 makes 1 of a quiet NaN only. CORE-MATH found vq7 to make it of a signalling one as well.
#[test]
fn a_signalling_nan_to_the_power_0_or_as_power_of_1_comes_out_quiet() {
    assert_eq!(run(AluOp::Pow, 0x7F80_0001, 0, Round::NearestEven), (0x7FC0_0001, Flags::INVALID));
    assert_eq!(run(AluOp::Pow, ONE, 0xFF80_0001, Round::NearestEven), (0xFFC0_0001, Flags::INVALID));
    assert_eq!(run(AluOp::Pow, ONE, NAN, Round::NearestEven), (ONE, Flags::NONE));
}

/// float64 with its own power is far finer than float32: rounding it gives the correctly rounded power, unless it lies
/// within a hair of a tie, which the test leaves out.
#[test]
fn random_powers_against_float64() {
    let mut random = Random(SEED);
    let (mut compared, mut inexact) = (0, 0);
    for index in 0..400_000 {
        let x = f32::from_bits(random.float() & 0x7FFF_FFFF);
        // Exponents that keep the power in range, small integers and halves among them.
        let limit = 150.0 / x.log2().abs().max(1e-3);
        let y = match index % 4 {
            0 => (random.below(41) as f32 - 20.0) / 2.0,
            _ => (random.next() as i64 as f32) / (i64::MAX as f32) * limit,
        };
        if x.is_nan() || y.is_nan() {
            continue;
        }
        let fine = f64::from(x).powf(y.into());
        let nearest = fine as f32;
        let (value, flags) = pow(x, y);
        let low = fine.to_bits() & 0x1FFF_FFFF;
        let near_a_tie = low.abs_diff(0x1000_0000) < 16 || nearest.abs() < f32::MIN_POSITIVE;
        let near_a_float = !(16..0x1FFF_FFF0).contains(&low);
        if !near_a_tie {
            assert_eq!(value, nearest.to_bits(), "{x:e} ^ {y:e} (index {index} of seed {SEED:#x})");
            compared += 1;
        }
        if !near_a_tie && !near_a_float && fine.is_finite() {
            inexact += u32::from(flags.inexact);
            assert!(flags.inexact, "{x:e} ^ {y:e}");
            // In the directed modes the float32 below and above.
            let (below, above) = match (f64::from(nearest) < fine, nearest.to_bits()) {
                (true, bits) => (bits, bits + 1),
                (false, bits) => (bits - 1, bits),
            };
            for (mode, expected) in [(Round::Zero, below), (Round::Down, below), (Round::Up, above)] {
                assert_eq!(run(AluOp::Pow, x.to_bits(), y.to_bits(), mode).0, expected, "{x:e} ^ {y:e} {mode:?}");
            }
        }
    }
    assert!(compared > 250_000 && inexact > 150_000, "{compared} {inexact}");
}

/// Powers around 1, where float64 rounds to exactly 1.
#[test]
fn powers_next_to_one_in_the_directed_modes() {
    for (x, y, above) in [(ONE + 1, 0x0000_0001, true), (ONE - 1, 0x0000_0001, false), (ONE + 1, NEG | 1, false)] {
        let expect = |mode| match (mode, above) {
            (Round::Up, true) => ONE + 1,
            (Round::Zero | Round::Down, false) => ONE - 1,
            _ => ONE,
        };
        for mode in MODES {
            let (value, flags) = run(AluOp::Pow, x, y, mode);
            assert_eq!((value, flags), (expect(mode), Flags::INEXACT), "{x:#x} {y:#x} {mode:?}");
        }
    }
}

/// The exact powers are 1 - 2^-23 + 2^-70 + .. and a little below 1 + 2^-23: float64 rounds both to a float32.
#[test]
fn a_power_within_a_float64s_last_bit_of_a_float32_is_rounded_by_its_side() {
    let up = run(AluOp::Pow, 0x3F80_0001, 0xBF80_0001, Round::Up).0;
    assert_eq!(up, 0x3F7F_FFFF);
    for mode in [Round::Down, Round::Zero] {
        assert_eq!(run(AluOp::Pow, 0x40AF_6AE6, 0x3396_761C, mode).0, ONE, "{mode:?}");
    }
}

/// Overflow in the modes that stay finite.
#[test]
fn powers_beyond_the_range_in_the_directed_modes() {
    let (x, y) = (3.0f32.to_bits(), 1001.0f32.to_bits());
    for (base, mode, expected) in [
        (x, Round::Zero, 0x7F7F_FFFF),
        (x, Round::Down, 0x7F7F_FFFF),
        (x, Round::Up, INF),
        (x | NEG, Round::Zero, 0xFF7F_FFFF),
        (x | NEG, Round::Down, NEG | INF),
        (x | NEG, Round::Up, 0xFF7F_FFFF),
    ] {
        assert_eq!(run(AluOp::Pow, base, y, mode), (expected, Flags::OVERFLOW), "{base:#x} {mode:?}");
    }
    let small = 1001.0f32.to_bits() | NEG;
    let underflow = Flags { underflow: true, ..Flags::INEXACT };
    assert_eq!(run(AluOp::Pow, x, small, Round::Up), (1, underflow));
    assert_eq!(run(AluOp::Pow, x | NEG, small, Round::Down), (NEG | 1, underflow));
    assert_eq!(run(AluOp::Pow, x, small, Round::Zero), (0, underflow));
}

#[test]
fn integer_powers_wrap_when_the_policy_makes_them_native() {
    let policy = Policy { pow_int: PowInt::Native32, ..Policy::default() };
    let lane = |dtype| Lane::new(AluOp::Pow, dtype, dtype, dtype);
    for (dtype, a, b, expected) in [
        (Dtype::Int32, 3, 20, 3_486_784_401),
        (Dtype::Uint32, 3, 20, 3_486_784_401),
        (Dtype::Int32, 3, 21, 1_870_418_611),
        (Dtype::Int32, 7, 0, 1),
        (Dtype::Int32, 0, 0, 1),
        (Dtype::Int32, 0, 0xFFFF_FFFF, 0),
        (Dtype::Int32, 2, 0xFFFF_FFFF, 0),
        (Dtype::Int32, 1, 0xFFFF_FFFF, 1),
        (Dtype::Int32, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF),
        (Dtype::Int32, 0xFFFF_FFFF, 0xFFFF_FFFE, 1),
        (Dtype::Uint32, 2, 0xFFFF_FFFF, 0),
        (Dtype::Uint32, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF),
    ] {
        assert_eq!(lane(dtype).evaluate(a, b, &policy).unwrap().value, expected, "{dtype} {a:#x} ^ {b:#x}");
    }
    // Through float32 it clamps instead.
    assert_eq!(lane(Dtype::Int32).evaluate(3, 20, &Policy::default()).unwrap().value, 0x7FFF_FFFF);
}

#[test]
fn inverse_roots_of_special_operands() {
    let rsqrt = |x| run(AluOp::Rsqrt, x, 0, Round::NearestEven);
    assert_eq!(rsqrt(0), (INF, Flags::DIV_ZERO));
    assert_eq!(rsqrt(NEG), (NEG | INF, Flags::DIV_ZERO));
    assert_eq!(rsqrt(INF), (0, Flags::NONE));
    assert_eq!(rsqrt(NEG | INF), (NAN, Flags::INVALID));
    assert_eq!(rsqrt(NEG | ONE), (NAN, Flags::INVALID));
    assert_eq!(rsqrt(0x7F80_0001), (0x7FC0_0001, Flags::INVALID));
    assert_eq!(rsqrt(0xFFC0_0001), (0xFFC0_0001, Flags::NONE));
    assert_eq!(rsqrt(0x4080_0000), (0x3F00_0000, Flags::NONE));
    assert_eq!(rsqrt(1), (0x64B5_04F3, Flags::INEXACT));
}

/// All significands of two binades decide all others; the library claims to be correctly rounded, too. Then the directed
/// modes: y is the largest float32 with y * y * x <= 1, in exact integers.
#[test]
fn all_inverse_roots_of_two_binades() {
    for x in ONE..ONE + (2 << 23) {
        let expected = pxfm_rsqrt(x);
        let (value, flags) = run(AluOp::Rsqrt, x, 0, Round::NearestEven);
        assert_eq!(value, expected, "{x:#x}");
        if x % 64 == 1 {
            assert!(flags.inexact);
            let (below, above) = (run(AluOp::Rsqrt, x, 0, Round::Down).0, run(AluOp::Rsqrt, x, 0, Round::Up).0);
            assert_eq!(above, below + 1);
            assert_eq!(run(AluOp::Rsqrt, x, 0, Round::Zero).0, below);
            // y * y * x with significands s * s * t against a power of two.
            let parts = |bits: u32| (u128::from(bits & 0x7F_FFFF | 0x80_0000), (bits >> 23) as i32 - 150);
            let ((t, e), low, high) = (parts(x), parts(below), parts(above));
            let one = |y: (u128, i32)| 1u128 << -(2 * y.1 + e);
            assert!(low.0 * low.0 * t < one(low) && high.0 * high.0 * t > one(high), "{x:#x}");
        }
    }
}

fn pxfm_rsqrt(x: u32) -> u32 {
    pxfm::f_rsqrtf(f32::from_bits(x)).to_bits()
}
