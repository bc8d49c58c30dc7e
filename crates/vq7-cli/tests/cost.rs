//! `vq7 cost` and `vq7 lower`.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::{ADD_INT, DIVIDE, Folder, IOTA, Ran, vq7};
use serde_json::Value;
use std::path::Path;

fn cost(arguments: &[&str]) -> Ran {
    vq7(["cost"].iter().chain(arguments))
}

fn lower(arguments: &[&str]) -> Ran {
    vq7(["lower"].iter().chain(arguments))
}

#[test]
fn a_word_has_cycles_range_cores_and_constants() {
    let answer = cost(&[ADD_INT, "--json"]).exits(0).json();
    assert_eq!(
        (&answer["gpsimd_engine_clock_freq"], &answer["gpsimd_engine_num_channels"]),
        (&1_200_000_000u64.into(), &128.into())
    );
    let word = &answer["words"][0];
    let number = |key: &str| word[key].as_u64().unwrap();
    assert!(number("cycles_low") < number("cycles") && number("cycles") < number("cycles_high"), "{word}");
    assert!(number("lower_bound_cycles") <= number("cycles"));
    assert_eq!((word["engine"].as_str(), word["confidence"].as_str()), (Some("gpsimd"), Some("LOW")));
    assert_eq!(word["steady_state"]["bundles_per_vector"], 1.5);
    assert_eq!(word["cores"].as_array().unwrap().len(), 8);
    let names: Vec<_> = word["rests_on"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["dispatch", "row_setup", "tie_strict"]);
    assert_eq!(answer["not_counted"].as_array().unwrap().len(), 6);
    let by_op = cost(&["--op", "add_int", "--types", "int32", "--json"]).exits(0).json();
    assert_eq!(by_op["words"][0]["cycles"], word["cycles"]);
    let slower = cost(&[ADD_INT, "--json", "--target", "trn1"]).json();
    assert_eq!(slower["gpsimd_engine_clock_freq"], 1_400_000_000u64);
    let unknown = cost(&["--op", "add_int", "--types", "int32", "--json", "--target", "gen5"]).json();
    assert_eq!(
        (&unknown["gpsimd_engine_clock_freq"], &unknown["words"][0]["microseconds"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn an_int64_add_costs_more_than_twice_an_int32_add() {
    let cycles = |types| {
        let answer = cost(&["--op", "add_int", "--types", types, "--elements", "128x4096", "--json"]).exits(0).json();
        answer["cycles"].as_u64().unwrap() as f64
    };
    let ratio = cycles("int64") / cycles("int32");
    assert!((2.0..=2.7).contains(&ratio), "{ratio}");
}

#[test]
fn a_program_is_added_up() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/philox4x32.vq7");
    let answer = cost(&[root.to_str().unwrap(), "--json"]).exits(0).json();
    let words = answer["words"].as_array().unwrap();
    let sum: u64 = words.iter().map(|word| word["cycles"].as_u64().unwrap()).sum();
    assert_eq!((answer["counted"].as_u64(), answer["cycles"].as_u64()), (Some(words.len() as u64), Some(sum)));
}

#[test]
fn a_word_of_the_vector_engine_has_the_published_formula() {
    let answer = cost(&["--op", "maximum", "--types", "float32", "--json"]).exits(0).json();
    let word = &answer["words"][0];
    assert_eq!((word["engine"].as_str(), word["cycles"].as_u64()), (Some("vector"), Some(1024)));
    assert_eq!(word["vector"]["published_in"], "2.21 to 2.26");
    assert_eq!(answer["counted"], 0);
    cost(&["--op", "maximum", "--types", "float32"])
        .exits(0)
        .shows("only the Vector engine takes it")
        .shows("2.21 to 2.26");
}

#[test]
fn words_without_a_figure_exit_1_and_say_why() {
    cost(&[DIVIDE]).exits(1).says("illegal");
    cost(&[IOTA]).exits(1).says("not_judged");
    cost(&[ADD_INT, "--policy", "int_narrow=saturate"]).exits(1).says("int_narrow");
    let mixed = cost(&[ADD_INT, DIVIDE, "--json"]).exits(1).json();
    assert_eq!((mixed["counted"].as_u64(), mixed["words"][1]["verdict"].as_str()), (Some(1), Some("illegal")));
}

#[test]
fn calls_that_fail_exit_2() {
    for (arguments, message) in [
        (&["--op", "add_int", "--types", "int32", "--elements", "128"][..], "128x512"),
        (&["--op", "add_int", "--types", "int32", "--elements", "129x1"], "129 partitions"),
        (&["--op", "add_int", "--types", "int32", "--elements", "128x0"], "0 elements"),
        (&["--op", "add_int", "--types", "int64", "--elements", "128x60000"], "bytes of a partition"),
        (&["--op", "addint", "--types", "int32"], "add_int"),
        (&["none.vq7"], "none.vq7"),
    ] {
        cost(arguments).exits(2).says(message);
    }
    lower(&["--op", "divide", "--types", "int32"]).exits(2).says("vq7 explain");
    lower(&["--op", "add_int", "--types", "int32", "--svg", "/none/x.svg"]).exits(2).says("/none");
}

#[test]
fn a_loop_is_shown_with_its_sequence() {
    let answer = lower(&["--op", "add", "--types", "bf16,bf16,bf16", "--json"]).exits(0).json();
    let number = |key: &str| answer[key].as_u64().unwrap();
    assert_eq!(number("interval") * 16, 4 * number("loop_elements"), "4 bundles for 16 elements");
    assert_eq!(answer["steady"].as_array().unwrap().len() as u64, number("interval"));
    lower(&["--op", "add", "--types", "bf16,bf16,bf16"]).exits(0).shows("confidence LOW").shows("ADDN_2XF32");
    lower(&["--op", "power", "--types", "float32"]).exits(1).says("pseudo-op");
}

#[test]
fn every_cell_has_a_sequence_or_a_reason() {
    let answer = lower(&["--all", "--json"]).exits(0).json();
    let cells = answer["cells"].as_array().unwrap();
    assert!(cells.len() > 30_000, "{}", cells.len());
    for cell in cells {
        let has_sequence = !cell["sequence"].as_array().unwrap().is_empty();
        assert_ne!(has_sequence, cell["reason"].is_string(), "{cell}");
    }
    let reasons: Vec<_> = answer["without"].as_object().unwrap().keys().collect();
    assert!(reasons.iter().all(|reason| reason.contains("macro") || reason.contains("no source")), "{reasons:?}");
}

/// The pictures of README.md are those that the commands draw.
#[test]
fn pictures_are_up_to_date() {
    for (types, name) in [("int32", "add_int32.svg"), ("int64", "add_int64.svg")] {
        let folder = Folder::new();
        let drawn = folder.at("drawn.svg");
        lower(&["--op", "add_int", "--types", types, "--turns", "2", "--svg", &drawn]).exits(0);
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures").join(name);
        let kept = std::fs::read(kept).unwrap();
        assert!(
            folder.read("drawn.svg") == kept,
            "vq7 lower --op add_int --types {types} --turns 2 --svg docs/pictures/{name}"
        );
    }
}
