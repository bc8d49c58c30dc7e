//! Integer leaves against plain definitions on 128-bit integers, written from the rules and not from the code.
//!
//! One operand: every pattern up to 16 bits. Two operands: every pair of 8 bits; of 16 bits a slice of the pairs that
//! changes every day (`VQ7_SLICE=n` picks one of 1024), and all of them by `cargo test --release -p vq7-num --test
//! leaf_integer -- --ignored`, about an hour. Wider ones: seeded random patterns and edges.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::Random;
use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};
use vq7_num::leaf::{self, LaneFn};

const SEED: u64 = 0x5EED_1E01;
const SLICES: u64 = 1024;

/// Today's slice of the second operands.
fn slice() -> Range<u64> {
    let days = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let slice = std::env::var("VQ7_SLICE").ok().and_then(|text| text.parse().ok()).unwrap_or_else(days) % SLICES;
    println!("slice {slice} of {SLICES}; again with VQ7_SLICE={slice}");
    let width = 65_536 / SLICES;
    slice * width..(slice + 1) * width
}

/// An integer that a pattern means.
fn signed(bits: u64, width: u32) -> i128 {
    let bits = i128::from(bits);
    if bits >= 1 << (width - 1) { bits - (1 << width) } else { bits }
}

/// Two operands of a width, as both kinds of integers.
struct Pair {
    a: i128,
    b: i128,
    ua: i128,
    ub: i128,
    width: u32,
}

impl Pair {
    fn new(a: u64, b: u64, width: u32) -> Self {
        Self { a: signed(a, width), b: signed(b, width), ua: a.into(), ub: b.into(), width }
    }

    fn clamp(&self, value: i128) -> i128 {
        let half = 1 << (self.width - 1);
        value.clamp(-half, half - 1)
    }
}

/// A definition: the exact value, of which the low bits are the output.
type Value = fn(&Pair) -> i128;
/// A definition of a flag.
type Truth = fn(&Pair) -> bool;

/// Op, widths, definition.
const BINARY: &[(&str, &[u32], Value)] = &[
    ("add", &[8, 16, 32], |p| p.a + p.b),
    ("sub", &[8, 16, 32], |p| p.a - p.b),
    ("adds", &[16], |p| p.clamp(p.a + p.b)),
    ("subs", &[16], |p| p.clamp(p.a - p.b)),
    ("abssub", &[8, 16], |p| (p.a - p.b).abs()),
    ("abssubu", &[8, 16], |p| (p.ua - p.ub).abs()),
    ("absssub", &[16], |p| p.clamp((p.a - p.b).abs())),
    ("avg", &[8, 16], |p| (p.a + p.b).div_euclid(2)),
    ("avgr", &[8, 16], |p| (p.a + p.b + 1).div_euclid(2)),
    ("avgu", &[8, 16], |p| (p.ua + p.ub) / 2),
    ("avgru", &[8, 16], |p| (p.ua + p.ub + 1) / 2),
    ("min", &[8, 16, 32], |p| p.a.min(p.b)),
    ("max", &[8, 16, 32], |p| p.a.max(p.b)),
    ("minu", &[8, 16, 32], |p| p.ua.min(p.ub)),
    ("maxu", &[8, 16, 32], |p| p.ua.max(p.ub)),
    ("mulsgn", &[16, 32], |p| if p.a < 0 { -p.b } else { p.b }),
    ("mulsgns", &[16], |p| p.clamp(if p.a < 0 { -p.b } else { p.b })),
];

const COMPARES: &[(&str, Truth)] = &[
    ("eq", |p| p.a == p.b),
    ("neq", |p| p.a != p.b),
    ("lt", |p| p.a < p.b),
    ("ltu", |p| p.ua < p.ub),
    ("le", |p| p.a <= p.b),
    ("leu", |p| p.ua <= p.ub),
];

/// B-variants: op, widths, data, flag.
const WITH_FLAG: &[(&str, &[u32], Value, Truth)] = &[
    ("bmax", &[8, 16, 32], |p| p.a.max(p.b), |p| p.a > p.b),
    ("bmaxu", &[8, 16, 32], |p| p.ua.max(p.ub), |p| p.ua > p.ub),
    ("bmin", &[8, 16, 32], |p| p.a.min(p.b), |p| p.a < p.b),
    ("bminu", &[8, 16, 32], |p| p.ua.min(p.ub), |p| p.ua < p.ub),
    ("babssub", &[8, 16], |p| (p.a - p.b).abs(), |p| p.a < p.b),
    ("babssubu", &[8, 16], |p| (p.ua - p.ub).abs(), |p| p.ua < p.ub),
    (
        "baddnorm",
        &[16],
        |p| if p.clamp(p.a + p.b) == p.a + p.b { p.a + p.b } else { (p.a + p.b).div_euclid(2) },
        |p| p.clamp(p.a + p.b) != p.a + p.b,
    ),
    (
        "bsubnorm",
        &[16],
        |p| if p.clamp(p.a - p.b) == p.a - p.b { p.a - p.b } else { (p.a - p.b).div_euclid(2) },
        |p| p.clamp(p.a - p.b) != p.a - p.b,
    ),
];

/// Multiplies: op, definition; on 8 bits into 24 and on 16 bits into 48.
const PRODUCTS: &[(&str, Value)] =
    &[("mul", |p| p.a * p.b), ("muluu", |p| p.ua * p.ub), ("mulus", |p| p.ua * p.b), ("mulsu", |p| p.a * p.ub)];

fn lane(name: &str) -> LaneFn {
    leaf::named(name).unwrap_or_else(|error| panic!("{error}")).lane().unwrap()
}

fn low(value: i128, width: u32) -> u64 {
    value.rem_euclid(1 << width) as u64
}

/// One leaf of two operands with what it should give: predicate, if it has one, and data.
struct Case {
    name: String,
    width: u32,
    lane: LaneFn,
    expected: Box<dyn Fn(&Pair) -> (u64, u64)>,
}

impl Case {
    fn check(&self, a: u64, b: u64) {
        let out = (self.lane)(a, b, 0, 0);
        let expected = (self.expected)(&Pair::new(a, b, self.width));
        assert_eq!((out.predicate(), out.value), expected, "vq7 leaf {} {a:#x} {b:#x}", self.name);
    }
}

/// Every leaf of two operands of the tables above.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: String, width, expected: Box<dyn Fn(&Pair) -> (u64, u64)>| {
        cases.push(Case { lane: lane(&name), name, width, expected });
    };
    for (op, widths, value) in BINARY {
        for &w in *widths {
            add(format!("{op}_{w}_{w}_{w}"), w, Box::new(move |p| (0, low(value(p), w))));
        }
    }
    let field = |width: u32, truth: bool| if truth { (1 << (width / 8)) - 1 } else { 0 };
    for (op, truth) in COMPARES {
        for w in [8, 16, 32] {
            add(format!("{op}_{}_{w}_{w}", w / 8), w, Box::new(move |p| (0, field(w, truth(p)))));
        }
    }
    for (op, widths, value, truth) in WITH_FLAG {
        for &w in *widths {
            let expected = Box::new(move |p: &Pair| (field(w, truth(p)), low(value(p), w)));
            add(format!("{op}_{}_{w}_{w}_{w}", w / 8), w, expected);
        }
    }
    for (op, value) in PRODUCTS {
        add(format!("{op}_24_8_8"), 8, Box::new(move |p| (0, low(value(p), 24))));
        add(format!("{op}_48_16_16"), 16, Box::new(move |p| (0, low(value(p), 48))));
    }
    add("mul_16_16_16_packl".into(), 16, Box::new(|p| (0, low(p.a * p.b, 16))));
    add("sqrp_24_8_8".into(), 8, Box::new(|p| (0, low(p.a * p.a + p.b * p.b, 24))));
    cases
}

#[test]
fn every_pair_of_8_bits() {
    for case in cases().iter().filter(|case| case.width == 8) {
        (0..256).for_each(|a| (0..256).for_each(|b| case.check(a, b)));
    }
    let xor = lane("bxorabssubu_1_8_8_8_1");
    for a in 0..256u64 {
        for (b, old) in (0..256u64).flat_map(|b| [(b, 0), (b, 1)]) {
            let out = xor(a, b, old, 0);
            assert_eq!((out.predicate(), out.value), (old ^ u64::from(a < b), a.abs_diff(b)), "{a} {b} {old}");
        }
    }
}

fn pairs_of_16_bits(second: Range<u64>) {
    for case in cases().iter().filter(|case| case.width == 16) {
        for b in second.clone() {
            (0..65_536).for_each(|a| case.check(a, b));
        }
    }
}

#[test]
fn a_slice_of_the_pairs_of_16_bits() {
    pairs_of_16_bits(slice());
}

#[test]
#[ignore = "2^32 pairs for each of 40 leaves: about an hour in release"]
fn every_pair_of_16_bits() {
    pairs_of_16_bits(0..65_536);
}

#[test]
fn random_pairs_of_32_bits() {
    let mut random = Random(SEED);
    for case in cases().iter().filter(|case| case.width == 32) {
        (0..200_000).for_each(|_| case.check(random.integer(32), random.integer(32)));
    }
}

/// One operand: name, input width, definition of the value.
#[test]
fn every_pattern_of_one_operand() {
    let mut random = Random(SEED + 1);
    let clamp = |value: i128, width: u32| value.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1);
    // How many of the top bits after the first equal it; how many are zero.
    let run = |bits: u64, w: u32| {
        let sign = bits >> (w - 1) & 1;
        (0..w - 1).rev().take_while(|at| bits >> at & 1 == sign).count() as i128
    };
    let zeros = |bits: u64, w: u32| (0..w).rev().take_while(|at| bits >> at & 1 == 0).count() as i128;
    let ones = |bits: u64, w: u32| (0..w).filter(|at| bits >> at & 1 == 1).count() as i128;
    type Unary = Box<dyn Fn(u64) -> (u64, u64)>;
    let mut cases: Vec<(String, u32, Unary)> = Vec::new();
    for w in [8, 16, 32] {
        cases.push((format!("neg_{w}_{w}"), w, Box::new(move |x| (0, low(-signed(x, w), w)))));
        cases.push((format!("abs_{w}_{w}"), w, Box::new(move |x| (0, low(signed(x, w).abs(), w)))));
        let field = move |x| if signed(x, w) < 0 { (1 << (w / 8)) - 1 } else { 0 };
        let expected = move |x| (field(x), low(signed(x, w).abs(), w));
        cases.push((format!("babs_{}_{w}_{w}", w / 8), w, Box::new(expected)));
    }
    for w in [16, 32] {
        cases.push((format!("nsa_{w}_{w}"), w, Box::new(move |x| (0, low(run(x, w), w)))));
        cases.push((format!("nsau_{w}_{w}"), w, Box::new(move |x| (0, low(zeros(x, w), w)))));
    }
    for (name, w) in [("popc_8_8", 8), ("popc32_6_32", 32), ("popc64_7_64", 64)] {
        cases.push((name.into(), w, Box::new(move |x| (0, low(ones(x, w), 8)))));
    }
    cases.push(("negs_16_16".into(), 16, Box::new(move |x| (0, low(clamp(-signed(x, 16), 16), 16)))));
    cases.push(("abss_16_16".into(), 16, Box::new(move |x| (0, low(clamp(signed(x, 16).abs(), 16), 16)))));
    cases.push(("decnegw_24_24".into(), 24, Box::new(|x| (0, low(signed(x, 24) - i128::from(x >> 23), 24)))));
    let changes: [(&str, u32, u32, bool); 16] = [
        // Name, from, to, whether it clamps.
        ("sext_16_8", 8, 16, false),
        ("sext_32_8", 8, 32, false),
        ("sext_32_16", 16, 32, false),
        ("sext_2_1", 1, 2, false),
        ("sext_4_1", 1, 4, false),
        ("cvt32s_32_24", 24, 32, false),
        ("cvt24s_24_16", 16, 24, false),
        ("cvt48s_48_32", 32, 48, false),
        ("sats_8_16", 16, 8, true),
        ("sats_16_24", 24, 16, true),
        ("sats_16_32", 32, 16, true),
        ("sats_32_48", 48, 32, true),
        ("packl_8_24", 24, 8, false),
        ("packl_16_48", 48, 16, false),
        ("packl_16_48_nosat", 48, 16, false),
        ("mov_16_32", 32, 16, false),
    ];
    for (name, from, to, clamps) in changes {
        let exact = move |x| if clamps { clamp(signed(x, from), to) } else { signed(x, from) };
        cases.push((name.into(), from, Box::new(move |x| (0, low(exact(x), to)))));
    }
    for (name, from) in [("zeroext_16_8", 8), ("zeroext_32_16", 16), ("zeroext_48_32", 32), ("cvt24u_24_16", 16)] {
        cases.push((name.into(), from, Box::new(|x| (0, x))));
    }
    for (name, width, expected) in &cases {
        let lane = lane(name);
        let mut check = |x: u64| {
            let out = lane(x, 0, 0, 0);
            assert_eq!((out.predicate(), out.value), expected(x), "vq7 leaf {name} {x:#x}");
        };
        match width {
            ..=24 => (0..1 << width).for_each(&mut check),
            _ => (0..200_000).for_each(|_| check(random.integer(*width))),
        }
    }
}

#[test]
fn shifts_of_every_amount() {
    let mut random = Random(SEED + 2);
    // Name, width, amount bits, signed amount; direction and fill.
    for (op, width, bits) in
        [("u", 8, 3), ("u", 16, 4), ("u", 32, 5), ("u", 16, 6), ("u", 32, 7), ("s", 16, 6), ("s", 32, 7)]
    {
        for shift in ["sll", "srl", "sra", "rotr"] {
            let name = format!("{shift}_{op}_{width}_{width}_{bits}");
            let Some(lane) = leaf::find(&name).and_then(leaf::Leaf::lane) else {
                // Unsigned amounts beyond the width exist for the logical shifts only; no rotate has a lane amount.
                assert!(shift == "rotr" || (shift == "sra" && op == "u" && bits > 5), "{name}");
                continue;
            };
            let values: Vec<u64> = match width {
                32 => (0..2_000).map(|_| random.integer(32)).collect(),
                _ => (0..1 << width).collect(),
            };
            for by in 0..1u64 << bits {
                let amount = if op == "s" { signed(by, bits) } else { by.into() };
                for &x in &values {
                    let scale = 1i128 << amount.unsigned_abs();
                    let expected = match (shift, amount < 0) {
                        ("rotr", _) => (0..width).map(|at| (x >> ((at + by as u32) % width) & 1) << at).sum(),
                        ("sll", false) => low(i128::from(x) * (scale % (1 << 64)), width),
                        ("sll", true) | ("srl", false) => low(i128::from(x) / scale, width),
                        ("sra", false) => low(signed(x, width).div_euclid(scale), width),
                        // Right by a negative amount goes left.
                        _ => low(i128::from(x) * (scale % (1 << 64)), width),
                    };
                    assert_eq!(lane(x, by, 0, 0).value, expected, "vq7 leaf {name} {x:#x} {by:#x}");
                }
            }
        }
    }
}

#[test]
fn accumulators_wrap() {
    let mut random = Random(SEED + 3);
    for (width, acc_width) in [(8, 24), (16, 48)] {
        for (kind, product) in PRODUCTS {
            for (suffix, sign) in [("a", 1), ("s", -1)] {
                let op = if *kind == "mul" { format!("mul{suffix}") } else { format!("{kind}{suffix}") };
                let name = format!("{op}_{acc_width}_{acc_width}_{width}_{width}");
                let Some(lane) = leaf::find(&name).and_then(leaf::Leaf::lane) else {
                    assert!(["muluus", "mulsus"].contains(&op.as_str()), "{name}");
                    continue;
                };
                for _ in 0..200_000 {
                    let (acc, a, b) = (random.integer(acc_width), random.integer(width), random.integer(width));
                    let exact = i128::from(acc) + sign * product(&Pair::new(a, b, width));
                    assert_eq!(
                        lane(acc, a, b, 0).value,
                        low(exact, acc_width),
                        "vq7 leaf {name} {acc:#x} {a:#x} {b:#x}"
                    );
                }
            }
        }
    }
    let wide = |name: &str| leaf::find(name).unwrap().lane96().unwrap();
    let [mul, mula, muls] = ["mul_96_32_32", "mula_96_96_32_32", "muls_96_96_32_32"].map(wide);
    let modulus = 1i128 << 96;
    for _ in 0..200_000 {
        let (a, b) = (random.integer(32), random.integer(32));
        let acc = u128::from(random.integer(64)) | u128::from(random.integer(32)) << 64;
        let product = signed(a, 32) * signed(b, 32);
        let bits = |exact: i128| exact.rem_euclid(modulus) as u128;
        assert_eq!(mul(a.into(), b, 0), bits(product), "{a:#x} {b:#x}");
        assert_eq!(mula(acc, a, b), bits(acc as i128 + product), "{acc:#x} {a:#x} {b:#x}");
        assert_eq!(muls(acc, a, b), bits(acc as i128 - product), "{acc:#x} {a:#x} {b:#x}");
    }
}

/// Packs by division: acc / 2^shift, half up or down to the floor, then clamped or cut.
#[test]
fn packs_divide_by_powers_of_two() {
    let mut random = Random(SEED + 4);
    let shapes = [(8, 24), (16, 24), (16, 48)];
    let kinds = [("packvr", 32), ("packvru", 32), ("packvrnr", 32), ("packv", 0), ("packvu", 0), ("packvnr", 0)];
    let mut found = 0;
    for (out, acc_width) in shapes {
        for (kind, amount_width) in kinds {
            let amount_width = if amount_width == 0 { out } else { amount_width };
            let name = format!("{kind}_{out}_{acc_width}_{amount_width}");
            let Some(lane) = leaf::find(&name).and_then(leaf::Leaf::lane) else { continue };
            found += 1;
            for turn in 0..400_000u64 {
                let acc = random.integer(acc_width);
                let by = if turn % 8 == 0 { random.integer(amount_width) } else { turn % 40 };
                let clamped_by = by.min(if acc_width == 24 { 23 } else { 32 });
                let rounds = !kind.ends_with("nr");
                let half = if rounds && clamped_by > 0 { 1i128 << (clamped_by - 1) } else { 0 };
                let quotient = (signed(acc, acc_width) + half).div_euclid(1 << clamped_by);
                let expected = match kind {
                    "packvrnr" | "packvnr" => quotient,
                    "packvru" | "packvu" => quotient.clamp(0, (1 << out) - 1),
                    _ => quotient.clamp(-(1 << (out - 1)), (1 << (out - 1)) - 1),
                };
                assert_eq!(lane(acc, by, 0, 0).value, low(expected, out), "vq7 leaf {name} {acc:#x} {by:#x}");
            }
        }
    }
    assert_eq!(found, 12);
    let wide = leaf::find("packvr_32_96_32").unwrap().lane96().unwrap();
    for turn in 0..200_000u64 {
        let acc = u128::from(random.integer(64)) | u128::from(random.integer(32)) << 64;
        let value = if acc >> 95 == 1 { acc as i128 - (1 << 96) } else { acc as i128 };
        // Near the lane's range as well.
        let (acc, value) = if turn % 2 == 0 {
            (acc, value)
        } else {
            let v = value >> 50;
            (v as u128 & ((1 << 96) - 1), v)
        };
        let by = turn % 40;
        let half = if by > 0 { 1i128 << (by.min(32) - 1) } else { 0 };
        let expected = (value + half).div_euclid(1 << by.min(32)).clamp(-(1 << 31), (1 << 31) - 1);
        assert_eq!(wide(acc, by, 0), u128::from(low(expected, 32)), "{acc:#x} {by}");
    }
}
