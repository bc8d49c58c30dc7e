//! The table of leaves as a whole: names, shapes, the typed entries, errors, and what holds for every leaf.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

mod common;

use common::Random;
use std::collections::BTreeSet;
use vq7_num::leaf::{self, Bits, Body, Kind, LaneOut, Leaf, LeafError};

const SEED: u64 = 0x5EED_1EAF;

/// Names whose numbers are not the widths of outputs, then inputs, because the library's names leave some out or have others.
const OTHER_NAMES: &[&str] = &[
    // The accumulator has no number of its own.
    "mula_16_16_16_packl",
    "muls_16_16_16_packl",
    "mula_96c_32c_32c",
    "mula_96c_32j_32c",
    "muls_96c_32c_32c",
    "muls_96c_32j_32c",
    "mul_96c_32c_32c",
    "mul_96c_32j_32c",
    // The predicate is `t`.
    "mov_8_8_8_t",
    "mov_16_16_16_t",
    "mov_32_32_32_t",
    // The lane pattern, an index of halves, or a bank is part of the op's name.
    "muln_2x16x32_0_96_32_32",
    "muln_2x16x32_1_96_32_32",
    "mulan_2x16x32_0_96_96_32_32",
    "mulan_2x16x32_1_96_96_32_32",
    "mulsun_2x16x32_0_96_32_32",
    "mulsun_2x16x32_1_96_32_32",
    "cvtf32_1_32f_32f_0",
    "cvtf32_1_32f_32f_1",
    "cvtf16_1_1_1_1_32f_32f_2_0",
    // The argument is wider than the lane.
    "cvt24s_24_16",
    "cvt24u_24_16",
    // No shift in the name, or `w` for it; no second register.
    "pack",
    "packv_32_96_w",
    "shift_amt_satu_23",
    "shift_amt_satu_32",
    "lashift_512_512_6",
    // Registers have no width in the name.
    "sel_nx16",
    "sel_2nx8",
    "sel_n_2x32",
    "shfl_nx16",
    "shfl_2nx8",
    "shfl_n_2x32",
    "dsel_nx16",
    "dsel_n_2x32",
    "dcmprs_2nx8",
    "borfs_2n",
    "bnorfs_2n",
    "movfsv",
    "movvfs",
    // The number is that of the steps.
    "divnx16s_4step0",
    "divnx16u_4step0",
    "divnx16s_4step",
    "divnx16u_4step",
    "divnx16s_4stepn",
    "divnx16u_4stepn",
];

fn modelled() -> impl Iterator<Item = &'static Leaf> {
    leaf::all().filter(|leaf| leaf.is_modelled())
}

#[test]
fn names_are_found_and_are_unique() {
    let names: BTreeSet<_> = leaf::all().map(|leaf| leaf.name).collect();
    assert_eq!(names.len(), leaf::all().count());
    for leaf in leaf::all() {
        assert_eq!(leaf::find(leaf.name), Some(leaf));
    }
    assert_eq!(leaf::find("add_17_17_17"), None);
}

#[test]
fn a_name_says_the_widths() {
    for leaf in modelled() {
        let tokens = leaf.name.split('_').skip(1).filter(|token| token.starts_with(|c: char| c.is_ascii_digit()));
        let widths: Vec<u32> = tokens
            .map(|token| token.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(0))
            .collect();
        let ports: Vec<_> = leaf.outputs.iter().chain(leaf.inputs).map(|port| port.bits).collect();
        assert_eq!(widths != ports, OTHER_NAMES.contains(&leaf.name), "{}: {ports:?}", leaf.name);
    }
}

/// The page explains every section and names every leaf that is not modelled.
#[test]
fn the_spec_page_has_every_section_and_every_unknown() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spec/iss-leaves.md");
    let page = std::fs::read_to_string(path).unwrap();
    for leaf in leaf::all() {
        assert!(page.contains(&format!("\n## {}\n", leaf.section)), "{}", leaf.section);
        assert!(leaf.is_modelled() || page.contains(&format!("`{}`", leaf.name)), "{}", leaf.name);
    }
}

/// Any value of a width, edges more often.
fn any(random: &mut Random, width: u32) -> Bits {
    let limbs: Vec<u64> = (0..24).map(|_| random.integer(64)).collect();
    let narrow = if width <= 64 { Bits::from_u64(random.integer(width)) } else { Bits::from_lanes(64, limbs) };
    narrow.truncated(width)
}

#[test]
fn every_leaf_takes_any_input_and_keeps_to_its_widths_and_flags() {
    let mut random = Random(SEED);
    for leaf in modelled() {
        for _ in 0..2_000 {
            let inputs: Vec<_> = leaf.inputs.iter().map(|port| any(&mut random, port.bits)).collect();
            let out = leaf.call(&inputs).unwrap();
            assert_eq!(out.values.len(), leaf.value_outputs().count(), "{}", leaf.name);
            for (port, value) in leaf.value_outputs().zip(&out.values) {
                assert!(value.width() <= port.bits, "{} {inputs:?}: {value:?} is no {port}", leaf.name);
                if port.kind == Kind::Predicate {
                    let all = Bits::from_u64(u64::MAX).truncated(port.bits);
                    assert!([Bits::ZERO, all].contains(value), "{} {inputs:?}: {value:?}", leaf.name);
                }
            }
            let raised = out.flags.to_string();
            let known: Vec<_> = leaf.flag_outputs().chain(["none"]).collect();
            assert!(raised.split(' ').all(|flag| known.contains(&flag)), "{} {inputs:?} raised {raised}", leaf.name);
        }
    }
}

/// Typed entries are called with whatever a register holds: bits above a lane must not matter.
#[test]
fn typed_entries_ignore_what_lies_above_an_input() {
    let mut random = Random(SEED + 1);
    for leaf in modelled() {
        for _ in 0..2_000 {
            let raw: Vec<_> = (0..4).map(|_| random.next()).collect();
            let width = |at: usize| leaf.inputs.get(at).map_or(0, |port: &leaf::Port| port.bits);
            let cut: Vec<_> = (0..4).map(|at| Bits::from_u64(raw[at]).truncated(width(at)).low_u64()).collect();
            match leaf.body {
                Body::Lane { one, row } => {
                    let out = one(raw[0], raw[1], raw[2], raw[3]);
                    assert_eq!(out, one(cut[0], cut[1], cut[2], cut[3]), "{} {raw:x?}", leaf.name);
                    // Lane 1 of a row of two.
                    let pairs: Vec<_> = (0..4).map(|at| [0, raw[at]]).collect();
                    let mut outs = [LaneOut::default(); 2];
                    row(&pairs[0], &pairs[1], &pairs[2], &pairs[3], &mut outs);
                    assert_eq!(outs[1], out, "{} {raw:x?}", leaf.name);
                    assert_eq!(leaf.lane().map(|lane| lane(raw[0], raw[1], raw[2], raw[3])), Some(out));
                }
                Body::Lane96(lane) => {
                    let wide = u128::from(raw[0]) << 64 | u128::from(raw[3]);
                    let below = Bits::from_u128(wide).truncated(width(0)).low_u128();
                    assert_eq!(lane(wide, raw[1], raw[2]), lane(below, cut[1], cut[2]), "{} {raw:x?}", leaf.name);
                }
                Body::Whole(_) | Body::NotModelled(_) => {}
            }
        }
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let call = |name: &str, inputs: &[u64]| {
        let inputs: Vec<_> = inputs.iter().map(|input| Bits::from_u64(*input)).collect();
        leaf::named(name).and_then(|leaf| leaf.call(&inputs)).unwrap_err()
    };
    for (error, text) in [
        (call("ad_16_16_16", &[]), "no leaf is named `ad_16_16_16`; did you mean `add_16_16_16`?"),
        (call("convolve", &[]), "no leaf is named `convolve`; `vq7 leaf --list` lists the names"),
        (call("add_16_16_16", &[1]), "add_16_16_16 takes 2 inputs (int16, int16), not 1"),
        (call("mula_24_24_8_8", &[1, 2, 3, 4]), "mula_24_24_8_8 takes 3 inputs (acc:int24, int8, int8), not 4"),
        (call("add_16_16_16", &[1, 0x1_0000]), "input 2 of add_16_16_16 is int16; 0x10000 needs 17 bits"),
        (
            call("add_1_1_1_16f_16f_16f_2", &[1, 2, 4]),
            "input 3 of add_1_1_1_16f_16f_16f_2 is the round mode, not 0x4: 0 nearest even, 1 toward zero, 2 up, 3 down",
        ),
        (call("recip0", &[1]), "recip0 is not modelled: a seed from a table whose contents are not public"),
    ] {
        assert_eq!(error.to_string(), text);
    }
    assert!(matches!(call("minormax_8_8_8", &[1, 2]), LeafError::Unimplemented { .. }));
}
