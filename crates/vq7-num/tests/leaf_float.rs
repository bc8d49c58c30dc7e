//! Floating-point leaves against `rustc_apfloat` in all round modes, flags included, and against the lanes of this crate
//! where both define the same thing.
//!
//! float16: every pattern; of the pairs a slice that changes every day (`VQ7_SLICE=n` picks one of 4096), and all of them
//! by `cargo test --release -p vq7-num --test leaf_float -- --ignored`, about two hours. float32: weighted and seeded
//! random operands. NaNs are held against the rules of docs/spec/iss-leaves.md instead: the judge has its own.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::{MODES, Random};
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round as ApRound, Status, StatusAnd};
use std::cmp::Ordering;
use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};
use vq7_isa::{AluOp, Dtype};
use vq7_num::leaf::{self, LaneFn, LaneOut};
use vq7_num::{Flags, Lane, from_hub, to_hub};
use vq7_oracle::formats::mode;
use vq7_oracle::{Level, weighted};
use vq7_policy::{FloatToInt, MinMaxNan, Policy, Round};

const SEED: u64 = 0x5EED_1EF1;
const SLICES: u64 = 4096;

fn lane(name: &str) -> LaneFn {
    leaf::named(name).unwrap_or_else(|error| panic!("{error}")).lane().unwrap()
}

/// Today's slice of the second operands.
fn slice() -> Range<u64> {
    let days = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let slice = std::env::var("VQ7_SLICE").ok().and_then(|text| text.parse().ok()).unwrap_or_else(days) % SLICES;
    println!("slice {slice} of {SLICES}; again with VQ7_SLICE={slice}");
    let width = 65_536 / SLICES;
    slice * width..(slice + 1) * width
}

/// A format as tests see it: tokens of leaf names, layout.
#[derive(Clone, Copy)]
struct Layout {
    token: &'static str,
    width: u32,
    mantissa: u32,
    dtype: Dtype,
}

const HALF: Layout = Layout { token: "16f", width: 16, mantissa: 10, dtype: Dtype::Fp16 };
const SINGLE: Layout = Layout { token: "32f", width: 32, mantissa: 23, dtype: Dtype::Fp32 };

impl Layout {
    const fn sign(self) -> u64 {
        1 << (self.width - 1)
    }

    const fn infinity(self) -> u64 {
        ((1 << (self.width - 1 - self.mantissa)) - 1) << self.mantissa
    }

    const fn quiet_bit(self) -> u64 {
        1 << (self.mantissa - 1)
    }

    const fn nan(self) -> u64 {
        self.infinity() | self.quiet_bit()
    }

    const fn is_nan(self, x: u64) -> bool {
        x & !self.sign() > self.infinity()
    }

    const fn signals(self, x: u64) -> bool {
        self.is_nan(x) && x & self.quiet_bit() == 0
    }

    /// Any pattern, edges more often.
    fn any(self, random: &mut Random) -> u64 {
        match self.width {
            16 => random.next() & 0xFFFF,
            _ => random.float().into(),
        }
    }

    /// Patterns that no random bits enter.
    fn edges(self) -> Vec<u64> {
        weighted::values(self.dtype, Level::One).collect()
    }
}

/// Whether flags are the judge's. In two corners it has not IEEE 754's flags: overflow that a mode turns into the largest
/// finite number, and underflow of a result that becomes the smallest normal one in the last rounding.
fn same_flags(layout: Layout, out: LaneOut, status: Status) -> bool {
    let judged = |bit: Status| status.contains(bit);
    let magnitude = out.value & !layout.sign();
    let inexact = judged(Status::INEXACT);
    let ours = out.flags();
    ours.invalid == judged(Status::INVALID_OP)
        && !ours.div_zero
        && ours.inexact == inexact
        && (ours.overflow == judged(Status::OVERFLOW) || (inexact && magnitude == layout.infinity() - 1))
        && (ours.underflow == judged(Status::UNDERFLOW) || (inexact && magnitude == 1 << layout.mantissa))
}

/// The first NaN of the operands, quieted, or the generated one; `None` where no NaN is expected.
fn expected_nan(layout: Layout, by_preference: &[u64], result_is_nan: bool) -> Option<(u64, bool)> {
    let nan = by_preference.iter().find(|x| layout.is_nan(**x));
    let signals = by_preference.iter().any(|x| layout.signals(*x));
    nan.map(|nan| (nan | layout.quiet_bit(), signals)).or(result_is_nan.then_some((layout.nan(), true)))
}

/// Checks one rounded result: numbers by the judge, NaNs by rule.
fn check<F: Float>(layout: Layout, what: &dyn Fn() -> String, out: LaneOut, judge: StatusAnd<F>, operands: &[u64]) {
    match expected_nan(layout, operands, judge.value.is_nan()) {
        Some((nan, invalid)) => {
            let flags = if invalid { Flags::INVALID } else { Flags::NONE };
            assert_eq!((out.value, out.flags()), (nan, flags), "{}", what());
        }
        None => {
            assert_eq!(u128::from(out.value), judge.value.to_bits(), "{}", what());
            assert!(same_flags(layout, out, judge.status), "{}: {:?}, judge {:?}", what(), out.flags(), judge.status);
        }
    }
}

/// The arithmetic of one format with its judge.
struct Arithmetic {
    layout: Layout,
    add: LaneFn,
    sub: LaneFn,
    mul: LaneFn,
    mula: LaneFn,
    mulsn: LaneFn,
}

impl Arithmetic {
    fn new(layout: Layout) -> Self {
        let t = layout.token;
        Self {
            layout,
            add: lane(&format!("add_1_1_1_{t}_{t}_{t}_2")),
            sub: lane(&format!("sub_1_1_1_{t}_{t}_{t}_2")),
            mul: lane(&format!("mul_1_1_1_1_{t}_{t}_{t}_2")),
            mula: lane(&format!("mula_1_1_1_1_{t}_{t}_{t}_{t}_2")),
            mulsn: lane(&format!("mulsn_1_1_1_1_{t}_{t}_{t}_{t}_2")),
        }
    }

    fn check<F: Float>(&self, a: u64, b: u64) {
        let (x, y) = (F::from_bits(a.into()), F::from_bits(b.into()));
        for (rm, round) in (0..).zip(MODES) {
            let what = |op: &str| format!("{op} {} {a:#x} {b:#x} {rm}", self.layout.token);
            let m = mode(round);
            check(self.layout, &|| what("add"), (self.add)(a, b, rm, 0), x.add_r(y, m), &[a, b]);
            check(self.layout, &|| what("sub"), (self.sub)(a, b, rm, 0), x.sub_r(y, m), &[a, b]);
            check(self.layout, &|| what("mul"), (self.mul)(a, b, rm, 0), x.mul_r(y, m), &[b, a]);
        }
    }

    fn check_fused<F: Float>(&self, acc: u64, a: u64, b: u64) {
        let (x, y, z) = (F::from_bits(a.into()), F::from_bits(b.into()), F::from_bits(acc.into()));
        for (rm, round) in (0..).zip(MODES) {
            let what = || format!("fused {} {acc:#x} {a:#x} {b:#x} {rm}", self.layout.token);
            // Infinity times zero beside a NaN raises `invalid` by our rule.
            let no_product = (x.is_infinite() && y.is_zero()) || (x.is_zero() && y.is_infinite());
            if no_product && z.is_nan() {
                assert!((self.mula)(acc, a, b, rm).flags().invalid, "{}", what());
                continue;
            }
            let m = mode(round);
            check(self.layout, &what, (self.mula)(acc, a, b, rm), x.mul_add_r(y, z, m), &[acc, b, a]);
            let judge = if x.is_nan() { x.mul_add_r(y, z, m) } else { (-x).mul_add_r(y, z, m) };
            check(self.layout, &what, (self.mulsn)(acc, a, b, rm), judge, &[acc, b, a]);
        }
    }
}

#[test]
fn a_slice_of_the_float16_pairs() {
    let arithmetic = Arithmetic::new(HALF);
    slice().for_each(|b| (0..65_536).for_each(|a| arithmetic.check::<Half>(a, b)));
}

#[test]
#[ignore = "2^32 pairs in four modes: about two hours in release"]
fn every_float16_pair() {
    let arithmetic = Arithmetic::new(HALF);
    (0..65_536).for_each(|b| (0..65_536).for_each(|a| arithmetic.check::<Half>(a, b)));
}

#[test]
fn float32_pairs() {
    let (arithmetic, mut random) = (Arithmetic::new(SINGLE), Random(SEED));
    let edges = SINGLE.edges();
    edges.iter().for_each(|a| edges.iter().for_each(|b| arithmetic.check::<Single>(*a, *b)));
    (0..400_000).for_each(|_| arithmetic.check::<Single>(SINGLE.any(&mut random), SINGLE.any(&mut random)));
}

#[test]
fn fused_products() {
    let mut random = Random(SEED + 1);
    let (half, single) = (Arithmetic::new(HALF), Arithmetic::new(SINGLE));
    let (half_edges, single_edges) = (HALF.edges(), SINGLE.edges());
    let pick = |edges: &[u64], random: &mut Random| edges[random.below(edges.len() as u64) as usize];
    for _ in 0..400_000 {
        let [acc, a, b] = std::array::from_fn(|_| HALF.any(&mut random));
        half.check_fused::<Half>(acc, a, b);
        let [acc, a, b] = std::array::from_fn(|_| pick(&half_edges, &mut random));
        half.check_fused::<Half>(acc, a, b);
        let [acc, a, b] = std::array::from_fn(|_| SINGLE.any(&mut random));
        single.check_fused::<Single>(acc, a, b);
        let [acc, a, b] = std::array::from_fn(|_| pick(&single_edges, &mut random));
        single.check_fused::<Single>(acc, a, b);
    }
    // Sums that cancel: the accumulator is the rounded product, negated or next to it.
    for _ in 0..200_000 {
        let (a, b) = (SINGLE.any(&mut random), SINGLE.any(&mut random));
        let product = (single.mul)(a, b, random.below(4), 0).value;
        let acc = (product ^ 1 << 31).wrapping_add(random.below(3)) & 0xFFFF_FFFF;
        single.check_fused::<Single>(acc, a, b);
    }
}

/// Name, what raises `invalid` beside a signalling NaN, truth.
type Truth = fn(Option<Ordering>) -> bool;
const COMPARES: [(&str, bool, Truth); 10] = [
    ("oeq", false, |o| o == Some(Ordering::Equal)),
    ("olt", true, |o| o == Some(Ordering::Less)),
    ("ole", true, |o| o == Some(Ordering::Less) || o == Some(Ordering::Equal)),
    ("ueq", false, |o| o.is_none() || o == Some(Ordering::Equal)),
    ("ult", false, |o| o.is_none() || o == Some(Ordering::Less)),
    ("ule", false, |o| o != Some(Ordering::Greater)),
    ("ultq", true, |o| o.is_none() || o == Some(Ordering::Less)),
    ("uleq", true, |o| o != Some(Ordering::Greater)),
    ("uneq", false, |o| o != Some(Ordering::Equal)),
    ("un", false, |o| o.is_none()),
];

/// Compares and extremes of one pair.
fn check_order<F: Float>(layout: Layout, lanes: &[(String, LaneFn)], a: u64, b: u64) {
    let order = F::from_bits(a.into()).partial_cmp(&F::from_bits(b.into()));
    let signals = layout.signals(a) || layout.signals(b);
    let quiet = |x: u64| if layout.is_nan(x) { x | layout.quiet_bit() } else { x };
    for (name, lane) in lanes {
        let op = name.split('_').next().unwrap();
        let out = lane(a, b, 1, 0);
        let what = || format!("vq7 leaf {name} {a:#x} {b:#x}");
        let (value, invalid) = match COMPARES.iter().find(|(known, ..)| *known == op) {
            Some((_, signaling, truth)) => {
                let field = match name.split('_').nth(2).unwrap() {
                    "1" => 1,
                    "2" => 3,
                    _ => 15,
                };
                (if truth(order) { field } else { 0 }, signals || (*signaling && order.is_none()))
            }
            None => {
                let wanted = if op.starts_with("max") { Ordering::Greater } else { Ordering::Less };
                let chosen = match (op.ends_with("num"), order) {
                    (false, order) => {
                        if order == Some(wanted) {
                            a
                        } else {
                            b
                        }
                    }
                    (true, None) => {
                        if layout.is_nan(b) && !layout.is_nan(a) {
                            a
                        } else {
                            b
                        }
                    }
                    // Of the zeros, the one on the wanted side.
                    (true, Some(Ordering::Equal)) => {
                        let a_wins = (a & layout.sign() == 0) == (wanted == Ordering::Greater);
                        if a_wins { a } else { b }
                    }
                    (true, order) => {
                        if order == Some(wanted) {
                            a
                        } else {
                            b
                        }
                    }
                };
                (quiet(chosen), signals)
            }
        };
        assert_eq!((out.value, out.flags().invalid), (value, invalid), "{}", what());
    }
}

fn order_lanes(layout: Layout) -> Vec<(String, LaneFn)> {
    let t = layout.token;
    let fields: &[&str] = if layout.width == 16 { &["1", "2", "2t"] } else { &["4", "4t"] };
    let compares = COMPARES.iter().flat_map(|(op, ..)| {
        fields.iter().map(move |field| match field.strip_suffix('t') {
            Some(bits) => format!("{op}_1_{bits}_{t}_{t}_{bits}f_t"),
            None => format!("{op}_1_{field}_{t}_{t}"),
        })
    });
    let extremes = ["max", "min", "maxnum", "minnum"].map(|op| format!("{op}_1_{t}_{t}_{t}"));
    compares.chain(extremes).map(|name| (name.clone(), lane(&name))).collect()
}

#[test]
fn compares_and_extremes() {
    let mut random = Random(SEED + 2);
    let (half, single) = (order_lanes(HALF), order_lanes(SINGLE));
    for b in slice().step_by(8).chain([0, 0x8000, 0x3C00, 0x8001, 0x7C00, 0x7E11, 0xFE00, 0x7C01]) {
        (0..65_536).for_each(|a| check_order::<Half>(HALF, &half, a, b));
    }
    let edges = SINGLE.edges();
    edges.iter().for_each(|a| edges.iter().for_each(|b| check_order::<Single>(SINGLE, &single, *a, *b)));
    for _ in 0..100_000 {
        let a = SINGLE.any(&mut random);
        check_order::<Single>(SINGLE, &single, a, SINGLE.any(&mut random));
        check_order::<Single>(SINGLE, &single, a, a ^ random.below(2));
    }
    // Where the predicate is clear there is no answer and no flag.
    let out = lane("olt_1_2_16f_16f_2f_t")(0x7C01, 0x7C01, 0, 0);
    assert_eq!((out.value, out.flags()), (0, Flags::NONE));
}

/// Every float32 worth converting: edges, and random ones around the ranges of the targets.
fn singles() -> Vec<u64> {
    let mut random = Random(SEED + 3);
    let near = (0..300_000).map(|_| {
        let exponent = 90 + random.below(80);
        random.next() & 0x807F_FFFF | exponent << 23
    });
    let near: Vec<_> = near.collect();
    let wild = (0..200_000).map(|_| SINGLE.any(&mut random));
    SINGLE.edges().into_iter().chain(near).chain(wild).collect()
}

#[test]
fn between_the_float_widths() {
    let [widen, even, odd] = ["cvtf32_1_32f_16f", "cvtf32_1_32f_32f_0", "cvtf32_1_32f_32f_1"].map(lane);
    for x in 0..65_536u64 {
        let out = widen(x, 0, 0, 0);
        let wide: StatusAnd<Single> = Half::from_bits(x.into()).convert(&mut false);
        let expected = match HALF.is_nan(x) {
            true => (x & 0x8000) << 16 | SINGLE.infinity() | (x & 0x3FF | 0x200) << 13,
            false => wide.value.to_bits() as u64,
        };
        assert_eq!((out.value, out.flags().invalid), (expected, HALF.signals(x)), "{x:#x}");
        assert_eq!((even(x | 0x7E55_0000, 0, 0, 0), odd(x << 16 | 0x7E55, 0, 0, 0)), (out, out), "{x:#x}");
    }
    let narrow = lane("cvtf16_1_1_1_1_16f_32f_2");
    for x in singles() {
        for (rm, round) in (0..).zip(MODES) {
            let out = narrow(x, rm, 0, 0);
            let judge: StatusAnd<Half> = Single::from_bits(x.into()).convert_r(mode(round), &mut false);
            if SINGLE.is_nan(x) {
                assert_eq!((out.value, out.flags().invalid), (0x7E00, SINGLE.signals(x)), "{x:#x}");
                continue;
            }
            assert_eq!(u128::from(out.value), judge.value.to_bits(), "{x:#x} {rm}");
            assert!(same_flags(HALF, out, judge.status), "{x:#x} {rm}: {:?} {:?}", out.flags(), judge.status);
            // The converter of the base band knows the same rounding.
            let ours = from_hub(x as u32, Dtype::Fp16, &Policy { round, ..Policy::default() });
            assert_eq!((out.value, out.flags()), (ours.value, ours.flags), "{x:#x} {rm}");
        }
    }
}

#[test]
fn integers_to_floats() {
    let mut random = Random(SEED + 4);
    let names = ["float_1_32f_32_32_2", "ufloat_1_32f_32_32_2", "float_rm_1_32f_32_32_2", "ufloat_rm_1_32f_32_32_2"];
    let [zero, uzero, by_mode, uby_mode] = names.map(lane);
    for turn in 0..400_000u64 {
        let (x, scale) = (random.integer(32), turn % 32);
        let value = i128::from(x as u32 as i32);
        for (rm, round) in (0..).zip(MODES) {
            let judged = |value: i128, mode: ApRound| {
                let whole = Single::from_i128_r(value, mode);
                // Far above the subnormals, so scaling is exact.
                (whole.value.scalbn(-(scale as i32)).to_bits() as u64, whole.status.contains(Status::INEXACT))
            };
            let own = |out: LaneOut| (out.value, out.flags().inexact);
            let z = ApRound::TowardZero;
            assert_eq!(own(zero(x, scale, rm, 0)), judged(value, z), "{x:#x} {scale}");
            assert_eq!(own(uzero(x, scale, rm, 0)), judged(x.into(), z), "{x:#x} {scale}");
            assert_eq!(own(by_mode(x, scale, rm, 0)), judged(value, mode(round)), "{x:#x} {scale} {rm}");
            assert_eq!(own(uby_mode(x, scale, rm, 0)), judged(x.into(), mode(round)), "{x:#x} {scale} {rm}");
            let policy = Policy { round, ..Policy::default() };
            let hub = to_hub(x, Dtype::Int32, &policy);
            assert_eq!((by_mode(x, 0, rm, 0).value, by_mode(x, 0, rm, 0).flags()), (hub.value.into(), hub.flags));
            let hub = to_hub(x, Dtype::Uint32, &policy);
            assert_eq!((uby_mode(x, 0, rm, 0).value, uby_mode(x, 0, rm, 0).flags()), (hub.value.into(), hub.flags));
        }
    }
    let [half, uhalf] = ["float16_rm_1_16f_16_32_2", "ufloat16_rm_1_1_16f_16_32_2"].map(lane);
    for x in 0..65_536u64 {
        for (rm, round) in (0..).zip(MODES) {
            for (lane, value) in [(half, i128::from(x as u16 as i16)), (uhalf, x.into())] {
                let (out, judge) = (lane(x, 0, rm, 0), Half::from_i128_r(value, mode(round)));
                assert_eq!(u128::from(out.value), judge.value.to_bits(), "{x:#x} {rm}");
                assert!(same_flags(HALF, out, judge.status), "{x:#x} {rm}");
            }
        }
    }
}

/// A float times 2^scale as an integer, by the judge: value, whether out of range, whether inexact.
fn judged_integer<F: Float>(x: F, scale: u64, width: u32) -> (i128, bool, bool) {
    let scaled = x.scalbn(scale as i32);
    let mut exact = true;
    let whole = scaled.to_i128_r(120, ApRound::TowardZero, &mut exact).value;
    let (min, max) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    let fraction = scaled.is_finite() && scaled.round_to_integral(ApRound::TowardZero).value != scaled;
    (whole.clamp(min, max), !(min..=max).contains(&whole), fraction)
}

#[test]
fn floats_to_integers() {
    let [trunc, utrunc] = ["trunc_1_1_32_32f_32", "utrunc_1_1_32u_32f_32"].map(lane);
    let raw = Policy { float_to_int: FloatToInt::Raw, ..Policy::default() };
    for (turn, x) in singles().into_iter().enumerate() {
        for scale in [0, turn as u64 % 32] {
            let (out, unsigned) = (trunc(x, scale, 0, 0), utrunc(x, scale, 0, 0));
            if SINGLE.is_nan(x) {
                assert_eq!((out.value, out.flags()), (0x7FFF_FFFF, Flags::INVALID), "{x:#x}");
                assert_eq!((unsigned.value, unsigned.flags()), (0xFFFF_FFFF, Flags::INVALID), "{x:#x}");
                continue;
            }
            let (value, beyond, fraction) = judged_integer(Single::from_bits(x.into()), scale, 32);
            let flags = match (beyond, fraction) {
                (true, _) => Flags::INVALID,
                (false, true) => Flags::INEXACT,
                _ => Flags::NONE,
            };
            assert_eq!((out.value, out.flags()), (value as u64 & 0xFFFF_FFFF, flags), "{x:#x} {scale}");
            // The unsigned one clamps above at twice the range, and takes negative numbers the signed way.
            let number = Single::from_bits(x.into());
            let (wide, _, _) = judged_integer(number, scale, 64);
            let expected = if number.is_negative() { value } else { wide.min(0xFFFF_FFFF) };
            assert_eq!(unsigned.value, expected as u64 & 0xFFFF_FFFF, "{x:#x} {scale}");
            let bad = wide < 0 || wide > 0xFFFF_FFFF;
            assert_eq!((unsigned.flags().invalid, unsigned.flags().inexact), (bad, !bad && fraction), "{x:#x} {scale}");
        }
        // The base band's conversions know the same rule under `float_to_int=raw`.
        for (lane, dtype) in [(trunc, Dtype::Int32), (utrunc, Dtype::Uint32)] {
            let (out, ours) = (lane(x, 0, 0, 0), from_hub(x as u32, dtype, &raw));
            assert_eq!((out.value, out.flags()), (ours.value, ours.flags), "{dtype} {x:#x}");
        }
    }
    let trunc = lane("trunc16_1_1_16_16f_32");
    for x in (0..65_536).filter(|x| !HALF.is_nan(*x)) {
        for scale in 0..16 {
            let wide: StatusAnd<Single> = Half::from_bits(x.into()).convert(&mut false);
            let (value, beyond, fraction) = judged_integer(wide.value, scale, 16);
            let out = trunc(x, scale, 0, 0);
            let flags = (out.flags().invalid, out.flags().inexact);
            assert_eq!((out.value, flags), (value as u64 & 0xFFFF, (beyond, !beyond && fraction)), "{x:#x} {scale}");
        }
    }
}

fn check_integral<F: Float>(layout: Layout, x: u64) {
    let t = layout.token;
    let number = F::from_bits(x.into());
    let mut cases = vec![
        (format!("firound_1_{t}_{t}"), ApRound::NearestTiesToAway, 0, false),
        (format!("ficeil_1_{t}_{t}"), ApRound::TowardPositive, 0, false),
        (format!("fifloor_1_{t}_{t}"), ApRound::TowardNegative, 0, false),
        (format!("fitrunc_1_{t}_{t}"), ApRound::TowardZero, 0, false),
    ];
    cases.extend((0..).zip(MODES).map(|(rm, round)| (format!("firint_1_1_{t}_{t}_2"), mode(round), rm, true)));
    for (name, round, rm, tells) in cases {
        let out = lane(&name)(x, rm, 0, 0);
        let judge = number.round_to_integral(round).value;
        let (value, flags) = match layout.is_nan(x) {
            true => {
                let flags = if layout.signals(x) { Flags::INVALID } else { Flags::NONE };
                (x | layout.quiet_bit(), flags)
            }
            false => {
                let inexact = tells && judge != number;
                (judge.to_bits() as u64, if inexact { Flags::INEXACT } else { Flags::NONE })
            }
        };
        assert_eq!((out.value, out.flags()), (value, flags), "vq7 leaf {name} {x:#x} {rm}");
    }
}

#[test]
fn to_integral_floats() {
    (0..65_536).for_each(|x| check_integral::<Half>(HALF, x));
    singles().into_iter().step_by(5).for_each(|x| check_integral::<Single>(SINGLE, x));
}

#[test]
fn signs_classes_and_exponents() {
    let [abs, neg, class, exponents] = ["abs_16f_16f", "neg_16f_16f", "clsfy_16f_16f", "addexp_16f_16f_16f"].map(lane);
    for x in 0..65_536u64 {
        assert_eq!((abs(x, 0, 0, 0).value, neg(x, 0, 0, 0).value), (x & 0x7FFF, x ^ 0x8000));
        let number = Half::from_bits(x.into());
        let bits = [
            x >> 15 == 1,
            number.is_zero(),
            number.is_denormal(),
            number.is_normal(),
            number.is_infinite(),
            number.is_nan(),
            number.is_signaling(),
            number.is_finite(),
        ];
        let expected: u64 = bits.into_iter().enumerate().map(|(at, bit)| u64::from(bit) << at).sum();
        assert_eq!(class(x, 0, 0, 0).value, expected, "{x:#x}");
        let y = x.wrapping_mul(0x9E37) & 0xFFFF;
        let field = ((x >> 10 & 31) + (y >> 10 & 31) + 17) % 32;
        assert_eq!(exponents(x, y, 0, 0).value, (x ^ y) & 0x8000 | field << 10 | x & 0x3FF, "{x:#x} {y:#x}");
    }
    let [abs, neg, class] = ["abs_32f_32f", "neg_32f_32f", "clsfy_32f_32f"].map(lane);
    for x in singles() {
        assert_eq!((abs(x, 0, 0, 0).value, neg(x, 0, 0, 0).value), (x & 0x7FFF_FFFF, x ^ 0x8000_0000));
        let number = Single::from_bits(x.into());
        let finite = u64::from(number.is_finite());
        let kind = [number.is_zero(), number.is_denormal(), number.is_normal(), number.is_infinite()];
        let kind: u64 = kind.into_iter().enumerate().map(|(at, bit)| u64::from(bit) << (at + 1)).sum();
        let nan = u64::from(number.is_nan()) << 5 | u64::from(number.is_signaling()) << 6;
        assert_eq!(class(x, 0, 0, 0).value, x >> 31 | kind | nan | finite << 7, "{x:#x}");
    }
}

/// Where a lane of the base band is one leaf, they agree in bits and flags, NaNs included.
#[test]
fn leaves_and_lanes_agree() {
    let mut random = Random(SEED + 5);
    let single = Arithmetic::new(SINGLE);
    let [max, min, maxnum, minnum] = ["max", "min", "maxnum", "minnum"].map(|op| lane(&format!("{op}_1_32f_32f_32f")));
    let edges = SINGLE.edges();
    let pairs = edges.iter().flat_map(|a| edges.iter().map(|b| (*a, *b)));
    let random = (0..100_000).map(|_| (SINGLE.any(&mut random), SINGLE.any(&mut random)));
    for (a, b) in pairs.chain(random) {
        for (rm, round) in (0..).zip(MODES) {
            let policy = |minmax_nan| Policy { round, minmax_nan, ..Policy::default() };
            let agree = |op: AluOp, out: LaneOut, policy: Policy| {
                let ours = Lane::new(op, Dtype::Fp32, Dtype::Fp32, Dtype::Fp32).evaluate(a, b, &policy).unwrap();
                assert_eq!((out.value, out.flags()), (ours.value, ours.flags), "{op} {a:#x} {b:#x} {round:?}");
            };
            let plain = policy(MinMaxNan::SelectSecond);
            agree(AluOp::Add, (single.add)(a, b, rm, 0), plain);
            agree(AluOp::Subtract, (single.sub)(a, b, rm, 0), plain);
            // The lane keeps the first of two NaNs, the leaf the second.
            agree(AluOp::Mult, (single.mul)(b, a, rm, 0), plain);
            if round == Round::NearestEven {
                agree(AluOp::Max, max(a, b, 0, 0), plain);
                agree(AluOp::Min, min(a, b, 0, 0), plain);
                if !(SINGLE.is_nan(a) && SINGLE.is_nan(b)) {
                    agree(AluOp::Max, maxnum(a, b, 0, 0), policy(MinMaxNan::NumberWins));
                    agree(AluOp::Min, minnum(a, b, 0, 0), policy(MinMaxNan::NumberWins));
                }
            }
        }
    }
}
