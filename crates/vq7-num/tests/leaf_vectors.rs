//! The rows of `vectors/leaf_vectors.csv`, through the door that users have: a leaf by its name.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

use std::collections::BTreeSet;
use vq7_isa::Dtype;
use vq7_num::leaf::{self, Bits, Kind, Outputs};
use vq7_num::parse_value;
use vq7_policy::Policy;

/// The cells of a line of CSV; a cell may be quoted.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

/// A pattern as the file writes it: hex, or a small decimal.
fn pattern(text: &str) -> Bits {
    match text.strip_prefix("0x") {
        Some(digits) => Bits::from_hex(digits).unwrap(),
        None => Bits::from_u64(text.parse().unwrap()),
    }
}

/// A pattern, or the float32 of a decimal.
fn float32(text: &str) -> Bits {
    if text.starts_with("0x") {
        return pattern(text);
    }
    Bits::from_u64(parse_value(text, Dtype::Fp32, &Policy::default()).unwrap())
}

fn call(name: &str, inputs: &[Bits]) -> Outputs {
    leaf::named(name).and_then(|leaf| leaf.call(inputs)).unwrap_or_else(|error| panic!("{error}"))
}

/// The row's own inputs on the leaf of the row's own name, float32 inputs as decimals, a mode that is left out 0.
fn plain(name: &str, inputs: &[&str], outputs: &[&str]) {
    let leaf = leaf::named(name).unwrap_or_else(|error| panic!("{error}"));
    let mut values: Vec<_> = leaf
        .inputs
        .iter()
        .zip(inputs)
        .map(|(port, text)| if port.kind == Kind::Float32 { float32(text) } else { pattern(text) })
        .collect();
    if values.len() + 1 == leaf.inputs.len() && leaf.inputs.last().unwrap().kind == Kind::Mode {
        values.push(Bits::ZERO);
    }
    assert!(inputs.len() <= values.len(), "{name} {inputs:?}");
    let wanted: Vec<_> = leaf
        .value_outputs()
        .zip(outputs)
        .map(|(port, text)| if port.kind == Kind::Float32 { float32(text) } else { pattern(text) })
        .collect();
    assert_eq!(call(name, &values).values, wanted, "{name} {inputs:?}");
}

/// A register whose lane k is `first + k`.
fn ramp(width: u32, first: u64) -> Bits {
    Bits::from_lanes(width, (0..512 / u64::from(width)).map(|lane| first + lane))
}

/// The rows that say in words which part of a leaf they show.
fn in_words(name: &str, inputs: &[&str], outputs: &[&str]) {
    let value = |outputs: Outputs| outputs.values[0];
    let of = |name: &str, inputs: &[Bits]| value(call(name, inputs));
    match name {
        "addnx16t lane (add + bitkillf merge)" => {
            let [a, b, old, p] = [0, 1, 2, 3].map(|at| pattern(inputs[at]));
            let new = of("add_16_16_16", &[a, b]);
            let (take, keep) = (of("bitkillf_16_2", &[p]), of("bitkillt_16_2", &[p]));
            let merged = new.low_u64() & take.low_u64() | old.low_u64() & keep.low_u64();
            assert_eq!(pattern(outputs[0]).low_u64(), merged, "{name} {inputs:?}");
        }
        "64 x mula_48_48_16_16(32767,32767) from 0" => {
            let factor = Bits::from_u64(32767);
            let sum = (0..64).fold(pattern(inputs[0]), |acc, _| of("mula_48_48_16_16", &[acc, factor, factor]));
            assert_eq!(sum, pattern(outputs[0]), "{name}");
        }
        "trunc_1_1_32_32f_32 -> (int, ovf)" => {
            let out = call("trunc_1_1_32_32f_32", &[float32(inputs[0]), pattern(inputs[1])]);
            let overflow = u64::from(out.flags.invalid);
            assert_eq!((out.values[0], overflow.into()), (pattern(outputs[0]), pattern(outputs[1])), "{inputs:?}");
        }
        "cvtf16_…_16f_32f_2 (fp32->fp16)" => {
            let inputs = [float32(inputs[0]), pattern(inputs[1])];
            assert_eq!(of("cvtf16_1_1_1_1_16f_32f_2", &inputs), pattern(outputs[0]), "{inputs:?}");
        }
        "sel_nx16 lane source (B=vs low half, A=vr high half)" => {
            let (vs, vr) = (ramp(16, 0xB00), ramp(16, 0xA00));
            let lane = of("sel_nx16", &[vs, vr, pattern(inputs[0])]).lane(0, 16);
            let base = if outputs[0] == "A" { 0xA00 } else { 0xB00 };
            assert_eq!(lane, base + pattern(outputs[1]).low_u64(), "{inputs:?}");
        }
        "shfl_nx16 lane source" => {
            let lane = of("shfl_nx16", &[ramp(16, 0xC00), pattern(inputs[0])]).lane(0, 16);
            assert_eq!(lane, 0xC00 + pattern(outputs[0]).low_u64(), "{inputs:?}");
        }
        "dcmprs_2nx8 keep-set -> out (src[j]=0xa0+j, rest 0xdf)" => {
            let kept = inputs[0].trim_matches(['(', ')']).split(',').filter(|lane| !lane.is_empty());
            let predicate: u64 = kept.map(|lane| 1 << lane.parse::<u32>().unwrap()).sum();
            let mut wanted = [0xDF; 64];
            for part in outputs.join(" ").split("out[").skip(1) {
                let (lane, byte) = part.split_once("]=0x").unwrap();
                let digits: String = byte.chars().take_while(char::is_ascii_hexdigit).collect();
                wanted[lane.parse::<usize>().unwrap()] = u64::from_str_radix(&digits, 16).unwrap();
            }
            let out = of("dcmprs_2nx8", &[ramp(8, 0xA0), predicate.into()]);
            assert_eq!(out, Bits::from_lanes(8, wanted), "{inputs:?}");
        }
        "lashift_512_512_6 out[0] (A[i]=i,B[i]=0x40+i)" => {
            let out = of("lashift_512_512_6", &[ramp(8, 0), ramp(8, 0x40), pattern(inputs[0])]);
            assert_eq!(out.lane(0, 8), pattern(outputs[0]).low_u64(), "{inputs:?}");
        }
        // The page shows the lowest 16 of the 512 bits.
        "not_512_512" => {
            assert_eq!(of(name, &[pattern(inputs[0])]).truncated(16), pattern(outputs[0]), "{inputs:?}");
        }
        "firint(RNE)_1_32f_32f" => plain("firint_1_1_32f_32f_2", inputs, outputs),
        _ => {
            if let Some(name) = name.strip_prefix("Invalid flag of ") {
                let inputs = [pattern(inputs[0]), pattern(inputs[1])];
                let flags = call(&format!("{name}_1_1_16f_16f"), &inputs).flags;
                assert_eq!(pattern(outputs[0]), u64::from(flags.invalid).into(), "{name} {inputs:?}");
                return;
            }
            // A name and a remark.
            plain(name.split(' ').next().unwrap(), inputs, outputs);
        }
    }
}

#[test]
fn every_row_of_leaf_vectors_csv() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/leaf_vectors.csv");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("leaf,inputs,outputs,page"));
    let (mut rows, mut names) = (0, BTreeSet::new());
    for line in lines {
        let cells = cells(line);
        let [name, inputs, outputs, _page] = &cells[..] else { panic!("{line}") };
        in_words(name, &inputs.split(' ').collect::<Vec<_>>(), &outputs.split(' ').collect::<Vec<_>>());
        rows += 1;
        names.insert(name.clone());
    }
    assert_eq!((rows, names.len()), (435, 143));
}
