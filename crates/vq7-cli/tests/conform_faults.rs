//! Faults that are planted into a producer of results must be caught by `vq7 conform check`: one test per kind of fault.
//!
//! The producer shares the lane with vq7 and nothing else: it walks the words by itself.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use vq7_conform::Record;
use vq7_conform::record::RECORD_BYTES;
use vq7_isa::{AluOp, Dtype, Instruction, Word};
use vq7_num::{Format, Lane};
use vq7_policy::{Policy, Round, ShiftOver};

/// A lane with its fault: the right bits go in beside lane and operands.
type Fault<'a> = &'a dyn Fn(&Lane, u64, u64, u64) -> u64;

/// Byte offsets of a pattern's elements: address and walk, apart from vq7's.
fn walk(pattern: &vq7_isa::pattern::Tensor3d, size: i64) -> (i64, Vec<i64>) {
    let (mut offsets, [n0, n1, n2]) = (Vec::new(), pattern.num.map(i64::from));
    let [s0, s1, s2] = pattern.step.map(i64::from);
    for k in 0..n2 {
        for j in 0..n1 {
            offsets.extend((0..n0).map(|i| (i * s0 + j * s1 + k * s2) * size));
        }
    }
    (i64::from(pattern.start.0), offsets)
}

/// The place of a byte of the State Buffer in an image.
fn place(record: &Record, address: i64) -> usize {
    let (partition, offset, mut before) = (address / 0x4_0000, address % 0x4_0000, 0);
    for window in record.windows {
        let (row, column) = (partition - i64::from(window.partition), offset - i64::from(window.offset));
        if (0..i64::from(window.rows)).contains(&row) && (0..i64::from(window.bytes)).contains(&column) {
            return (before + row * i64::from(window.bytes) + column) as usize;
        }
        before += i64::from(window.rows) * i64::from(window.bytes);
    }
    panic!("{address:#x} is in no window of {record:?}")
}

fn element(image: &[u8], at: usize, size: usize) -> u64 {
    image[at..at + size].iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// What a producer leaves behind for one case.
fn produce(record: &Record, word: &Word, image: &mut [u8], fault: Fault<'_>) {
    let Instruction::TensorTensor(tt) = Instruction::decode(word) else { panic!("{word}") };
    let [src0, src1, out] = record.types.map(|code| Dtype::from_code(code).unwrap());
    let lane = Lane::new(AluOp::from_code(record.op).unwrap(), src0, src1, out);
    let walks = [(tt.src0, src0), (tt.src1, src1), (tt.dst, out)].map(|(pattern, dtype)| {
        let (start, offsets) = walk(&pattern, dtype.bytes().into());
        (start, offsets, dtype.bytes() as usize)
    });
    for channel in 0..i64::from(record.channels) {
        for k in 0..walks[0].1.len() {
            let [a, b, dst] = [0, 1, 2].map(|i| place(record, walks[i].0 + channel * 0x4_0000 + walks[i].1[k]));
            let (a, b) = (element(image, a, walks[0].2), element(image, b, walks[1].2));
            let right = lane.evaluate(a, b, &Policy::default()).unwrap().value;
            let bytes = fault(&lane, a, b, right).to_le_bytes();
            image[dst..dst + walks[2].2].copy_from_slice(&bytes[..walks[2].2]);
        }
    }
}

/// Checks results of a producer with a fault against a kit of some cells.
fn check(filter: &str, fault: Fault<'_>) -> Value {
    let folder = Folder::new();
    let kit = folder.at("kit");
    vq7(["conform", "generate", "-o", &kit, "--filter", filter]).exits(0);
    let shard = folder.path().join("kit/shard-0000-of-0001");
    let file = |name: &str| fs::read(shard.join(name)).unwrap();
    let (cases, words, mut results) = (file("cases.bin"), file("words.bin"), file("inputs.bin"));
    let words = words.as_chunks::<64>().0.iter().map(|word| Word(*word));
    for (record, word) in cases.as_chunks::<RECORD_BYTES>().0.iter().map(Record::decode).zip(words) {
        let image = &mut results[record.image as usize..][..record.image_bytes as usize];
        // The extended word is another instruction; its results are the kit's.
        match record.opcode {
            0xF0 => image.copy_from_slice(&file("expected.bin")[record.image as usize..][..image.len()]),
            _ => produce(&record, &word, image, fault),
        }
    }
    let manifest: Value = serde_json::from_slice(&file("manifest.json")).unwrap();
    let mut said = json!({"kind": "vq7-conformance-results", "producer": "a producer", "complete": true});
    for key in ["schema_version", "kit", "vq7", "target", "level", "seed", "policy", "shard"] {
        said[key] = manifest[key].clone();
    }
    fs::create_dir(folder.path().join("results")).unwrap();
    folder.write("results/results.json", serde_json::to_vec(&said).unwrap());
    folder.write("results/results.bin", results);
    vq7(["conform", "check", &kit, "--results", &folder.at("results"), "--json"]).json()
}

/// The cells in which the check finds a difference, as `op out`, and whether it fails exactly when it should.
fn caught(filter: &str, fault: Fault<'_>) -> BTreeSet<String> {
    let honest = check(filter, &|_, _, _, right| right);
    assert_eq!(honest["status"], "equal", "{honest}");
    let answer = check(filter, fault);
    assert_eq!(answer["status"], "mismatch", "{filter}");
    assert_eq!(answer["total"]["stray_writes"], 0);
    assert!(!answer["differences"].as_array().unwrap().is_empty());
    let cells = answer["cells_differing"].as_array().unwrap();
    cells.iter().map(|cell| format!("{} {}", cell["op"], cell["types"][2]).replace('"', "")).collect()
}

fn names(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn rounding_up_instead_of_to_even_is_caught() {
    let up = Policy { round: Round::Up, ..Policy::default() };
    let fault = |lane: &Lane, a, b, right| match lane.op {
        AluOp::Mult if lane.out == Dtype::Bfloat16 => lane.evaluate(a, b, &up).unwrap().value,
        _ => right,
    };
    assert_eq!(caught("op=mult,op=subtract,dtype=bfloat16", &fault), names(&["mult bfloat16"]));
    // The difference says which knob is concerned, and how far off it is.
    let answer = check("op=mult,dtype=bfloat16", &fault);
    let first = &answer["differences"][0];
    assert!(first["rests_on"].as_array().unwrap().iter().any(|ground| ground["name"] == "round"), "{first}");
    assert_eq!((&first["ulps"], &first["types"][2]), (&1.into(), &"bfloat16".into()));
}

/// What rounds to the largest finite number becomes infinite.
#[test]
fn a_wrong_threshold_of_infinity_is_caught() {
    let policy = Policy::default();
    for (dtype, name) in [(Dtype::Fp16, "float16"), (Dtype::Fp8Exp4, "float8_e4m3"), (Dtype::Fp8Exp5, "float8_e5m2")] {
        let format = Format::of(dtype, &policy).unwrap();
        let fault = |lane: &Lane, a, b, right: u64| {
            let is_max = lane.out == dtype && right & !format.sign(true) == format.max_finite();
            let inexact = lane.evaluate(a, b, &policy).unwrap().flags.inexact;
            if is_max && inexact { right & format.sign(true) | format.infinity().unwrap() } else { right }
        };
        let filter = format!("op=add,dtype={name}");
        assert_eq!(caught(&filter, &fault), names(&[&format!("add {name}")]));
    }
}

#[test]
fn swapped_operands_of_max_and_min_are_caught() {
    let fault = |lane: &Lane, a, b, right| match lane.op {
        AluOp::Max | AluOp::Min => {
            let swapped = Lane { src0: lane.src1, src1: lane.src0, ..*lane };
            swapped.evaluate(b, a, &Policy::default()).unwrap().value
        }
        _ => right,
    };
    let found = caught("op=max,op=min,op=is_gt,dtype=float8_e3m4", &fault);
    assert!(found.contains("max float8_e3m4") && found.contains("min float8_e3m4"), "{found:?}");
    assert!(found.iter().all(|cell| cell.starts_with("max") || cell.starts_with("min")), "{found:?}");
}

#[test]
fn a_dropped_carry_between_halves_is_caught() {
    let fault = |lane: &Lane, a: u64, b: u64, right| match (lane.op, [lane.src0, lane.src1, lane.out]) {
        (AluOp::AddInt, types) if types == [Dtype::Uint64; 3] => {
            let low = (a as u32).wrapping_add(b as u32);
            let high = ((a >> 32) as u32).wrapping_add((b >> 32) as u32);
            u64::from(high) << 32 | u64::from(low)
        }
        _ => right,
    };
    assert_eq!(caught("op=add_int,op=subtract_int", &fault), names(&["add_int uint64"]));
}

#[test]
fn a_shift_count_modulo_32_is_caught() {
    let mod32 = Policy { shift_over: ShiftOver::Mod32, ..Policy::default() };
    let fault = |lane: &Lane, a, b, right| match lane.op {
        AluOp::LogicalShiftLeft => lane.evaluate(a, b, &mod32).unwrap().value,
        _ => right,
    };
    let found = caught("op=logical_shift_left,op=logical_shift_right", &fault);
    let dtypes = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"];
    assert_eq!(found, dtypes.iter().map(|dtype| format!("logical_shift_left {dtype}")).collect());
}

#[test]
fn unsigned_treated_as_signed_is_caught() {
    let fault = |lane: &Lane, a, b, right| match lane.op {
        AluOp::MaxUint if lane.src0 == Dtype::Uint32 && lane.src1 == Dtype::Uint32 && lane.out == Dtype::Uint32 => {
            let signed = Lane { op: AluOp::MaxInt, src0: Dtype::Int32, src1: Dtype::Int32, out: Dtype::Int32, ..*lane };
            signed.evaluate(a, b, &Policy::default()).unwrap().value
        }
        _ => right,
    };
    assert_eq!(caught("op=max_uint,op=min_uint", &fault), names(&["max_uint uint32"]));
}
