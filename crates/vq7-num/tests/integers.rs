//! The integer band and the bitvec ops against plain definitions on 128-bit integers: 8 bits exhaustively, the other
//! widths on edges and at random, 64 bits as pairs of halves, and mixed widths.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::Random;
use vq7_isa::AluOp::{self, *};
use vq7_isa::Dtype;
use vq7_num::{Class, Lane, LaneError};
use vq7_policy::{AbsMinMaxInt, IntDivZero, IntNarrow, ModSign, Policy, ShiftOver};

const SEED: u64 = 0x5EED_0004;

const SHARED: [AluOp; 9] = [AddInt, SubtractInt, MultInt, DivideInt, ModInt, Mod, IsEqualInt, IsNeInt, AbsValueInt];
const SIGNED: [AluOp; 9] = [AbsMaxInt, AbsMinInt, AbsDiffInt, MaxInt, MinInt, IsGtInt, IsGeInt, IsLeInt, IsLtInt];
const UNSIGNED: [AluOp; 9] = [MaxUint, MinUint, IsGtUint, IsGeUint, IsLeUint, IsLtUint, MultUint, DivideUint, ModUint];

fn ops(signed: bool) -> impl Iterator<Item = AluOp> {
    SHARED.into_iter().chain(if signed { SIGNED } else { UNSIGNED })
}

fn dtype(width: u32, signed: bool) -> Dtype {
    match (width, signed) {
        (8, true) => Dtype::Int8,
        (8, false) => Dtype::Uint8,
        (16, true) => Dtype::Int16,
        (16, false) => Dtype::Uint16,
        (32, true) => Dtype::Int32,
        (32, false) => Dtype::Uint32,
        (_, true) => Dtype::Int64,
        (_, false) => Dtype::Uint64,
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

fn number(bits: u64, width: u32, signed: bool) -> i128 {
    if signed { i128::from((bits << (64 - width)) as i64 >> (64 - width)) } else { bits.into() }
}

/// The definition: an exact number, before it is cut to the out width. `width` is that of the operands.
fn define(op: AluOp, a: i128, b: i128, width: u32, signed: bool, policy: &Policy) -> i128 {
    let wrap = |x: i128| number(x as u64 & mask(width), width, signed);
    let by_zero = |of: i128| match policy.int_div_zero {
        IntDivZero::Zero => of,
        _ => -1,
    };
    match op {
        AddInt => a + b,
        SubtractInt => a - b,
        MultInt | MultUint => a.wrapping_mul(b),
        DivideInt | DivideUint => {
            if b == 0 {
                by_zero(0)
            } else {
                a / b
            }
        }
        ModInt | ModUint => {
            if b == 0 {
                a
            } else {
                a % b
            }
        }
        Mod if b == 0 => a,
        Mod => match policy.mod_sign {
            ModSign::Dividend => a % b,
            // a - b * floor(a / b)
            ModSign::Divisor => a - b * (a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0)),
        },
        IsEqualInt => (a == b).into(),
        IsNeInt => (a != b).into(),
        IsGtInt | IsGtUint => (a > b).into(),
        IsGeInt | IsGeUint => (a >= b).into(),
        IsLeInt | IsLeUint => (a <= b).into(),
        IsLtInt | IsLtUint => (a < b).into(),
        MaxInt | MaxUint => a.max(b),
        MinInt | MinUint => a.min(b),
        AbsValueInt => a.abs(),
        AbsDiffInt => (a - b).abs(),
        AbsMaxInt | AbsMinInt => {
            let greater = op == AbsMaxInt;
            match policy.abs_minmax_int {
                AbsMinMaxInt::Magnitude if greater => wrap(a.abs()).max(wrap(b.abs())),
                AbsMinMaxInt::Magnitude => wrap(a.abs()).min(wrap(b.abs())),
                AbsMinMaxInt::SignedOriginal if a.abs() == b.abs() => b,
                AbsMinMaxInt::SignedOriginal => {
                    if (a.abs() > b.abs()) == greater {
                        a
                    } else {
                        b
                    }
                }
            }
        }
        _ => unreachable!("{op}"),
    }
}

fn policies() -> Vec<Policy> {
    let base = Policy::default();
    vec![
        base,
        Policy { int_div_zero: IntDivZero::Zero, mod_sign: ModSign::Dividend, ..base },
        Policy { abs_minmax_int: AbsMinMaxInt::SignedOriginal, ..base },
    ]
}

fn check(op: AluOp, width: u32, signed: bool, a: u64, b: u64, policy: &Policy) {
    let dtype = dtype(width, signed);
    let ours = Lane::new(op, dtype, dtype, dtype).evaluate(a, b, policy).unwrap();
    let exact = define(op, number(a, width, signed), number(b, width, signed), width, signed, policy);
    let what = || format!("vq7 explain --op {op} --types {dtype},{dtype},{dtype} --a {a:#x} --b {b:#x} ({policy:?})");
    assert_eq!(ours.value, exact as u64 & mask(width), "{}", what());
    let divides = matches!(op, DivideInt | DivideUint | ModInt | ModUint | Mod);
    assert_eq!(ours.flags.int_div_zero, divides && b == 0, "{}", what());
}

#[test]
fn all_pairs_at_8_bits() {
    for policy in policies() {
        for signed in [true, false] {
            for op in ops(signed) {
                for a in 0..256 {
                    for b in 0..256 {
                        check(op, 8, signed, a, b, &policy);
                    }
                }
            }
        }
    }
}

#[test]
fn random_pairs_at_16_32_and_64_bits() {
    let mut random = Random(SEED);
    for policy in policies() {
        for width in [16, 32, 64] {
            for _ in 0..60_000 {
                let (a, b) = (random.integer(width), random.integer(width));
                for signed in [true, false] {
                    for op in ops(signed) {
                        check(op, width, signed, a, b, &policy);
                    }
                }
            }
        }
    }
}

/// All pairs of patterns whose halves are on edges: carries, borrows, sign edges, ties of the high half.
#[test]
fn pairs_of_halves_on_edges() {
    let halves = [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x0001_0000, 0xDEAD_BEEF];
    let patterns: Vec<u64> = halves.iter().flat_map(|hi| halves.iter().map(move |lo| hi << 32 | lo)).collect();
    for policy in policies() {
        for &a in &patterns {
            for &b in &patterns {
                for signed in [true, false] {
                    for op in ops(signed) {
                        check(op, 64, signed, a, b, &policy);
                    }
                }
            }
        }
    }
}

#[test]
fn division_by_zero_can_trap_at_every_width() {
    let policy = Policy { int_div_zero: IntDivZero::Trap, ..Policy::default() };
    for width in [8, 16, 32, 64] {
        for (op, signed) in [(DivideInt, true), (ModInt, false), (Mod, true), (DivideUint, false), (ModUint, false)] {
            let dtype = dtype(width, signed);
            let lane = Lane::new(op, dtype, dtype, dtype);
            assert_eq!(lane.evaluate(5, 0, &policy), Err(LaneError::DivideByZero), "{op} {dtype}");
            assert!(lane.evaluate(5, 1, &policy).is_ok());
        }
    }
}

/// Mixed widths: the exact result, its low bits or clamped.
#[test]
fn mixed_widths_narrow_the_exact_result() {
    let mut random = Random(SEED + 1);
    for round in 0..200_000 {
        let [w0, w1, w2] = [0, 2, 4].map(|at| 8 << (random.0 >> at & 3));
        let signed = round % 2 == 0;
        let (a, b) = (random.integer(w0), random.integer(w1));
        if w0 == w1 && w1 == w2 {
            continue;
        }
        let lane_of = |op| Lane::new(op, dtype(w0, signed), dtype(w1, signed), dtype(w2, signed));
        for op in ops(signed) {
            let (x, y) = (number(a, w0, signed), number(b, w1, signed));
            // Nothing wraps before the end, so magnitudes are exact: 127 bits stand for "as many as it takes".
            let mut exact = match op {
                AbsMaxInt => x.abs().max(y.abs()),
                AbsMinInt => x.abs().min(y.abs()),
                _ => define(op, x, y, 64, signed, &Policy::default()),
            };
            let by_zero = y == 0 && matches!(op, DivideInt | DivideUint);
            if by_zero && !signed {
                exact = mask(w2).into();
            }
            let overflows_128_bits = matches!(op, MultInt | MultUint) && x.checked_mul(y).is_none();
            let what = || format!("{:?} a={a:#x} b={b:#x}", lane_of(op));
            let low = lane_of(op).evaluate(a, b, &Policy::default()).unwrap();
            assert_eq!(low.value, exact as u64 & mask(w2), "{}", what());
            let (min, max) = match signed {
                true => (-(1i128 << (w2 - 1)), (1i128 << (w2 - 1)) - 1),
                false => (0, mask(w2).into()),
            };
            let clamped = if overflows_128_bits { max } else { exact.clamp(min, max) };
            let policy = Policy { int_narrow: IntNarrow::Saturate, ..Policy::default() };
            let saturated = lane_of(op).evaluate(a, b, &policy).unwrap();
            assert_eq!(saturated.value, clamped as u64 & mask(w2), "saturate {}", what());
        }
    }
}

#[test]
fn operands_that_the_integer_band_does_not_take() {
    let policy = Policy::default();
    for (op, src0, src1, out) in [
        (AddInt, Dtype::Int32, Dtype::Int32, Dtype::Fp32),
        (AddInt, Dtype::Int32, Dtype::Uint32, Dtype::Int32),
        (Mod, Dtype::Fp32, Dtype::Fp32, Dtype::Fp32),
        (AmaxInt, Dtype::Int32, Dtype::Int32, Dtype::Int32),
    ] {
        let error = Lane::new(op, src0, src1, out).evaluate(1, 1, &policy).unwrap_err();
        assert!(matches!(error, LaneError::Unimplemented(_)), "{op}: {error}");
    }
}

const SHIFTS: [AluOp; 4] = [ArithShiftLeft, ArithShiftRight, LogicalShiftLeft, LogicalShiftRight];

/// A shift by the definition, on 128-bit integers; `amount` at most 64.
fn shifted(op: AluOp, reverse: bool, a: u64, amount: u32, width: u32) -> u64 {
    let left = matches!(op, ArithShiftLeft | LogicalShiftLeft) != reverse;
    let arithmetic = matches!(op, ArithShiftLeft | ArithShiftRight);
    let wide = number(a, width, arithmetic);
    (if left { (wide as u128) << amount } else { (wide >> amount) as u128 }) as u64 & mask(width)
}

#[test]
fn shifts_under_every_rule_for_large_counts() {
    let mut random = Random(SEED + 2);
    let counts =
        [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 95, 127, 128, 255, 1 << 31, u32::MAX.into(), u64::MAX];
    for rule in [ShiftOver::Flush, ShiftOver::Mod32, ShiftOver::IvpSigned] {
        let policy = Policy { shift_over: rule, ..Policy::default() };
        for width in [8, 16, 32, 64] {
            for _ in 0..400 {
                let a = random.integer(width);
                for count in counts {
                    for signed in [true, false] {
                        for op in SHIFTS {
                            let value = dtype(width, signed);
                            for count_dtype in
                                [Some(value), (width == 64).then_some(Dtype::Uint32)].into_iter().flatten()
                            {
                                let count = count & mask(count_dtype.bits());
                                let ours =
                                    Lane::new(op, value, count_dtype, value).evaluate(a, count, &policy).unwrap();
                                let (reverse, amount) = match rule {
                                    _ if count < width.into() => (false, count),
                                    ShiftOver::Flush => (false, width.into()),
                                    ShiftOver::Mod32 => (false, count % 32),
                                    ShiftOver::IvpSigned => {
                                        // A signed number of 5, 6, 7 or 8 bits.
                                        let bits = width.trailing_zeros() + 2;
                                        let signed = (count << (64 - bits)) as i64 >> (64 - bits);
                                        (signed < 0, signed.unsigned_abs())
                                    }
                                };
                                let expected = shifted(op, reverse, a, amount.min(width.into()) as u32, width);
                                assert_eq!(ours.value, expected, "{op} {value} {a:#x} by {count:#x} {rule:?}");
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn bitwise_ops_at_every_width_and_dtype() {
    let mut random = Random(SEED + 3);
    let policy = Policy::default();
    for dtype in Dtype::tensor_tensor() {
        for _ in 0..2_000 {
            let (a, b) = (random.integer(dtype.bits()), random.integer(dtype.bits()));
            for (op, expected) in [
                (BitwiseNot, !a & mask(dtype.bits())),
                (BitwiseAnd, a & b),
                (BitwiseOr, a | b),
                (BitwiseXor, a ^ b),
                (Bypass, a),
            ] {
                let lane = Lane { class: Class::Bitvec, ..Lane::new(op, dtype, dtype, dtype) };
                let ours = lane.evaluate(a, b, &policy).unwrap();
                assert_eq!((ours.value, ours.flags.is_empty()), (expected, true), "{op} {dtype} {a:#x} {b:#x}");
            }
        }
    }
}

#[test]
fn what_no_source_settles_is_unspecified() {
    let policy = Policy::default();
    let (i32, i64, u64, u32, f32) = (Dtype::Int32, Dtype::Int64, Dtype::Uint64, Dtype::Uint32, Dtype::Fp32);
    for lane in [
        Lane::new(Add, i64, i64, i64),
        Lane::new(Add, f32, f32, i64),
        Lane::new(Mult, i32, u64, i32),
        Lane::new(Pow, i64, i64, i64),
        Lane::new(Bypass, i64, i64, i64),
        Lane::new(Bypass, f32, i64, f32),
        Lane::new(LogicalShiftLeft, i64, u32, u64),
        Lane::new(ArithShiftRight, u64, u64, i32),
    ] {
        assert_eq!(lane.evaluate(1, 1, &policy), Err(LaneError::Unspecified), "{lane:?}");
        assert_eq!(lane.basis_of(1, 1, &policy), vq7_num::Basis::default());
    }
    let other_count = Lane::new(LogicalShiftLeft, i64, Dtype::Uint16, i64).evaluate(1, 1, &policy);
    assert!(matches!(other_count, Err(LaneError::Unimplemented(_))));
}
