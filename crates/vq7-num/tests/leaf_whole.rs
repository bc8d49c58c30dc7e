//! Leaves on whole registers, and multiplies with several results, against plain definitions on arrays of lanes.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::Random;
use vq7_num::leaf::{self, Bits};

const SEED: u64 = 0x5EED_1E02;

fn call(name: &str, inputs: &[Bits]) -> Vec<Bits> {
    leaf::named(name).and_then(|leaf| leaf.call(inputs)).unwrap_or_else(|error| panic!("{error}")).values
}

fn register(random: &mut Random) -> Bits {
    Bits::from_lanes(64, (0..8).map(|_| random.next()))
}

/// The lanes of a register of 512 bits.
fn lanes(register: &Bits, width: u32) -> Vec<u64> {
    (0..512 / width as usize).map(|lane| register.lane(lane, width)).collect()
}

#[test]
fn select_and_shuffle_take_lanes_by_index() {
    let mut random = Random(SEED);
    for (width, suffix) in [(8, "2nx8"), (16, "nx16"), (32, "n_2x32")] {
        for _ in 0..500 {
            let [vs, vr, control] = std::array::from_fn(|_| register(&mut random));
            let (low, indices) = (lanes(&vs, width), lanes(&control, width));
            let pool = [low.clone(), lanes(&vr, width)].concat();
            let selected = call(&format!("sel_{suffix}"), &[vs, vr, control]);
            let expected: Vec<_> = indices.iter().map(|at| pool[*at as usize % pool.len()]).collect();
            assert_eq!(lanes(&selected[0], width), expected, "sel_{suffix}");
            let shuffled = call(&format!("shfl_{suffix}"), &[vs, control]);
            let expected: Vec<_> = indices.iter().map(|at| low[*at as usize % low.len()]).collect();
            assert_eq!(lanes(&shuffled[0], width), expected, "shfl_{suffix}");
            if width > 8 {
                let both = call(&format!("dsel_{suffix}"), &[vs, vr, control]);
                let indices = lanes(&control, width / 2);
                let expected: Vec<_> = indices.iter().map(|at| pool[*at as usize % pool.len()]).collect();
                assert_eq!([lanes(&both[0], width), lanes(&both[1], width)].concat(), expected, "dsel_{suffix}");
            }
        }
    }
}

#[test]
fn expand_align_and_banks_move_bytes_and_bits() {
    let mut random = Random(SEED + 1);
    for _ in 0..500 {
        let (a, b, vb) = (register(&mut random), register(&mut random), random.next());
        let source = lanes(&a, 8);
        let (mut rest, mut expected) = (source.iter(), Vec::new());
        for lane in 0..64 {
            expected.push(if vb >> lane & 1 == 1 { *rest.next().unwrap() } else { source[63] });
        }
        assert_eq!(lanes(&call("dcmprs_2nx8", &[a, vb.into()])[0], 8), expected, "{vb:#x}");
        let by = random.below(64);
        let both = [source, lanes(&b, 8)].concat();
        assert_eq!(lanes(&call("lashift_512_512_6", &[a, b, by.into()])[0], 8), both[by as usize..][..64]);
        let banks = call("movfsv", &[a]);
        assert_eq!(call("movvfs", &banks), [a]);
        let any = banks.iter().fold(0, |any, bank| any | bank.low_u64());
        assert_eq!(call("borfs_2n", &banks), [any.into()]);
        assert_eq!(call("bnorfs_2n", &banks), [(!any).into()]);
        let zipped = |op: fn(u64, u64) -> u64| {
            Bits::from_lanes(64, lanes(&a, 64).into_iter().zip(lanes(&b, 64)).map(|(a, b)| op(a, b)))
        };
        assert_eq!(call("and_512_512_512", &[a, b]), [zipped(|a, b| a & b)]);
        assert_eq!(call("or_512_512_512", &[a, b]), [zipped(|a, b| a | b)]);
        assert_eq!(call("xor_512_512_512", &[a, b]), [zipped(|a, b| a ^ b)]);
        assert_eq!(call("not_512_512", &[a]), [zipped(|a, _| !a)]);
    }
    // Printed by the source: bit 7 is bank 7, bit 0; bit 14 is bank 6, bit 1. Eight banks of one bit each.
    let banks = call("movfsv", &[Bits::from_u64(1 << 7 | 1 << 14)]);
    assert_eq!((banks[7], banks[6]), (Bits::from_u64(1), Bits::from_u64(2)));
    let single: Vec<_> = (0..8).map(|bank| Bits::from_u64(1 << bank)).collect();
    assert_eq!(call("borfs_2n", &single), [Bits::from_u64(0xFF)]);
    assert_eq!(call("bnorfs_2n", &single), [Bits::from_u64(0xFFFF_FFFF_FFFF_FF00)]);
}

#[test]
fn reductions_look_at_every_lane() {
    let mut random = Random(SEED + 2);
    for _ in 0..500 {
        let a = register(&mut random);
        let numbers: Vec<_> = lanes(&a, 16).into_iter().map(|lane| i32::from(lane as u16 as i16)).collect();
        let sum: i32 = numbers.iter().sum();
        let of = |name| call(name, &[a])[0].low_u64();
        assert_eq!(of("radd_nx16_32_512"), u64::from(sum as u32));
        assert_eq!(of("radds_nx16_16_512"), u64::from(sum.clamp(-32768, 32767) as u16));
        assert_eq!(of("rmin_nx16_16_512"), u64::from(*numbers.iter().min().unwrap() as u16));
        assert_eq!(of("rmax_nx16_16_512"), u64::from(*numbers.iter().max().unwrap() as u16));
    }
    // Printed by the source.
    let full = Bits::from_lanes(16, [0x4000; 32]);
    assert_eq!(call("radd_nx16_32_512", &[full]), [Bits::from_u64(0x8_0000)]);
    let eight = Bits::from_lanes(16, [0xC000; 8]);
    assert_eq!(call("radds_nx16_16_512", &[eight]), [Bits::from_u64(0x8000)]);
}

/// An integer of a pattern of at most 48 bits.
fn signed(bits: u64, width: u32) -> i128 {
    i128::from(bits) - if bits >> (width - 1) & 1 == 1 { 1 << width } else { 0 }
}

fn low(value: i128, width: u32) -> Bits {
    Bits::from_u128(value.rem_euclid(1 << width) as u128)
}

#[test]
fn complex_pair_and_half_products() {
    let mut random = Random(SEED + 3);
    for _ in 0..20_000 {
        let (re, im) = (random.integer(48), random.integer(48));
        let [a, b] = std::array::from_fn(|_| random.integer(16) | random.integer(16) << 16);
        let [(ar, ai), (br, bi)] = [a, b].map(|x| (signed(x & 0xFFFF, 16), signed(x >> 16, 16)));
        for (letter, bi) in [("c", bi), ("j", -bi)] {
            let product = [ar * br - ai * bi, ar * bi + ai * br];
            let inputs = [re, im, a, b].map(Bits::from_u64);
            for (op, inputs, acc, sign) in
                [("mul", &inputs[2..], [0, 0], 1), ("mula", &inputs, [re, im], 1), ("muls", &inputs, [re, im], -1)]
            {
                let expected = [0, 1].map(|at| low(i128::from(acc[at]) + sign * product[at], 48));
                assert_eq!(call(&format!("{op}_96c_32{letter}_32c"), inputs), expected, "{op} {letter} {inputs:?}");
            }
        }
        let lanes: [u64; 4] = std::array::from_fn(|_| random.integer(16));
        let [x, y, z, w] = lanes.map(|lane| signed(lane, 16));
        let five = [re, lanes[0], lanes[1], lanes[2], lanes[3]].map(Bits::from_u64);
        let acc = i128::from(re);
        assert_eq!(call("mulp_48_16_16_16_16", &five[1..]), [low(x * y + z * w, 48)]);
        assert_eq!(call("mulpa_48_48_16_16_16_16", &five), [low(acc + x * y + z * w, 48)]);
        assert_eq!(call("mulps_48_48_16_16_16_16", &five), [low(acc - x * y - z * w, 48)]);
        // Halves: of a, signed; times b, signed or not.
        let wide = u128::from(re) << 48 | u128::from(im);
        for (half, name) in [(ar, "0"), (ai, "1")] {
            let inputs = [Bits::from_u128(wide), a.into(), b.into()];
            let product = half * signed(b, 32);
            assert_eq!(call(&format!("muln_2x16x32_{name}_96_32_32"), &inputs[1..]), [low(product, 96)]);
            let sum = wide as i128 + product;
            assert_eq!(call(&format!("mulan_2x16x32_{name}_96_96_32_32"), &inputs), [low(sum, 96)]);
            let unsigned = half * i128::from(b);
            assert_eq!(call(&format!("mulsun_2x16x32_{name}_96_32_32"), &inputs[1..]), [low(unsigned, 96)]);
        }
        let one = |name: &str, bits: u128| call(name, &[Bits::from_u128(bits)])[0].low_u64();
        assert_eq!(one("packl_32_96", wide), wide as u64 & 0xFFFF_FFFF);
        assert_eq!(one("packm_32_96", wide), (wide >> 32) as u64 & 0xFFFF_FFFF);
        assert_eq!(one("packm_16_48", re.into()), re >> 16 & 0xFFFF);
        let scaled = |by: u32| ((re + (1 << (by - 1))) % (1 << 31)) >> by & 0xFFFF;
        assert_eq!((one("packp_16_48", re.into()), one("packq_16_48", re.into())), (scaled(10), scaled(15)));
    }
}

#[test]
fn merges_and_predicate_logic() {
    let mut random = Random(SEED + 4);
    for _ in 0..5_000 {
        let (a, b) = (random.next(), random.next());
        let of = |name: &str, inputs: &[u64]| {
            let inputs: Vec<_> = inputs.iter().map(|bits| Bits::from_u64(*bits)).collect();
            call(name, &inputs)[0].low_u64()
        };
        assert_eq!((of("andb_64_64_64", &[a, b]), of("orb_64_64_64", &[a, b])), (a & b, a | b));
        assert_eq!((of("andnotb_64_64_64", &[a, b]), of("ornotb_64_64_64", &[a, b])), (a & !b, a | !b));
        assert_eq!((of("xorb_64_64_64", &[a, b]), of("notb_64_64", &[a])), (a ^ b, !a));
        for (width, field, suffix) in [(8, 1, "8_1"), (16, 3, "16_2"), (32, 15, "32_4")] {
            let all = (1 << width) - 1;
            let (new, old) = (a & all, b & all);
            let mov = format!("mov_{width}_{width}_{width}_t");
            assert_eq!((of(&mov, &[new, old, field]), of(&mov, &[new, old, 0])), (new, old));
            let kill = format!("bitkillt_{suffix}");
            assert_eq!((of(&kill, &[field]), of(&kill, &[0])), (0, all));
            if width > 8 {
                let kill = format!("bitkillf_{suffix}");
                assert_eq!((of(&kill, &[field]), of(&kill, &[0])), (all, 0));
            }
        }
        let (x, y) = (a & 0xFF, b & 0xFF);
        (0..8).for_each(|bank| assert_eq!(of(&format!("fs{bank}ltu_64_8_8"), &[x, y]), u64::from(x < y)));
        let bits = [0, 1].map(|x| [0, 1].map(|y| (of("andnotb1_1_1_1", &[x, y]), of("ornotb1_1_1_1", &[x, y]))));
        assert_eq!(bits, [[(0, 1), (0, 0)], [(1, 1), (0, 1)]]);
        assert_eq!((of("notb1_1_1", &[0]), of("notb1_1_1", &[1]), of("bitkillf_16_1", &[1])), (1, 0, 0xFFFF));
    }
}
