//! POW, which is computed in float64 and has to round as the correctly rounded definition does.

mod support;

use support::{Question, Random, agree, levels, patterns, seed};
use vq7_isa::{AluOp, Dtype};
use vq7_policy::Policy;

const FLOAT32: [Dtype; 3] = [Dtype::Fp32; 3];

fn ask(op: AluOp, a: &[u64], b: &[u64]) {
    let paths = agree(&Question { op, dtypes: FLOAT32, a, b, policy: Policy::default() }, &levels());
    let paths = paths.expect("a legal word");
    assert!(paths.iter().all(|path| path.executor == "fast"), "{paths:?}");
}

/// Powers that lie exactly between two float32, next to them, and random ones of every magnitude.
#[test]
fn powers_round_as_the_definition_does() {
    let seed = seed();
    println!("VQ7_SEED={seed} cargo test -p vq7-fast --test pow");
    let mut random = Random(seed);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    // Squares and cubes of integers of 13 bits: 25- and 26-bit numbers, many of them ties.
    for base in 4096..6144u32 {
        for exponent in [2.0f32, 3.0, -1.0, 0.5, -2.0] {
            for step in [-1i32, 0, 1] {
                a.push(u64::from((base as f32).to_bits().wrapping_add_signed(step)));
                b.push(exponent.to_bits().into());
            }
        }
    }
    for _ in 0..150_000 {
        // Moderate powers, of bases near 1 with large exponents among them.
        let near = random.chance(3);
        let base =
            if near { 0x3F80_0000 - 0x400 + random.below(0x800) } else { 0x3D00_0000 + random.below(0x0500_0000) };
        let exponent =
            if near { 0x4500_0000 + random.below(0x0400_0000) } else { 0x3D00_0000 + random.below(0x0600_0000) };
        a.push(base as u64);
        b.push(exponent as u64 | (random.next() & 1) << 31);
    }
    a.extend(patterns(&mut random, 100_000).iter().map(|bits| bits & 0xFFFF_FFFF));
    b.extend(patterns(&mut random, 100_000).iter().map(|bits| bits & 0xFFFF_FFFF));
    for x in [
        0u64,
        0x8000_0000,
        0x3F80_0000,
        0xBF80_0000,
        0x7F80_0000,
        0xFF80_0000,
        0x7FC0_0001,
        0xFF80_0001,
        1,
        0x8000_0001,
        0xC000_0000,
    ] {
        for y in [
            0u64,
            0x8000_0000,
            0x3F80_0000,
            0x4040_0000,
            0xC040_0000,
            0x7F80_0000,
            0xFF80_0000,
            0x7F80_0001,
            0x4B80_0000,
            0x4B80_0001,
            0x4B7F_FFFF,
            0x3F00_0000,
            1,
        ] {
            a.push(x);
            b.push(y);
        }
    }
    // Rows of a partition's size.
    for (a, b) in a.chunks(32_768).zip(b.chunks(32_768)) {
        ask(AluOp::Pow, a, b);
    }
}
