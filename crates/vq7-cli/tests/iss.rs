//! `vq7 iss run` and `vq7 iss disasm`.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::{Folder, Ran, vq7};
use std::path::Path;

/// Runs a text of bundles.
fn run(program: &str, arguments: &[&str]) -> Ran {
    let folder = Folder::new();
    std::fs::write(folder.at("program.iss"), program).unwrap();
    let file = folder.at("program.iss");
    vq7(["iss", "run", &file].iter().chain(arguments))
}

fn disasm(arguments: &[&str]) -> Ran {
    vq7(["iss", "disasm"].iter().chain(arguments))
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/iss").join(name);
    path.to_str().unwrap().to_owned()
}

/// Line and column of the first mistake, and its message.
fn mistake(program: &str) -> (u64, u64, String) {
    let answer = run(program, &["--json"]).exits(2).json();
    let first = &answer["error"]["mistakes"][0];
    let number = |key: &str| first[key].as_u64().unwrap_or_else(|| panic!("{answer}"));
    (number("line"), number("column"), first["message"].as_str().unwrap().to_owned())
}

fn says(program: &str, line: u64, column: u64, words: &[&str]) {
    let (at_line, at_column, message) = mistake(program);
    assert_eq!((at_line, at_column), (line, column), "{message}");
    words.iter().for_each(|word| assert!(message.contains(word), "`{word}` is not in `{message}`"));
}

#[test]
fn an_unknown_mnemonic_has_the_closest_name() {
    says("addnx16 v3, v1, v2\naddnx61 v3, v1, v2\n", 2, 1, &["addnx61", "addnx16"]);
}

#[test]
fn a_slot_that_cannot_host_an_op_lists_those_that_can() {
    says("F0 { s1 addnx16 v3, v1, v2 }\n", 1, 9, &["F0.S1", "F0.S3", "N0.S3"]);
}

#[test]
fn two_writers_of_a_register_are_refused() {
    says("F3 { s3 addnx16 v3, v1, v2; s4 subnx16 v3, v1, v2 }\n", 1, 1, &["v3"]);
}

#[test]
fn a_third_memory_op_is_refused() {
    says("lv2nx8_i v0, a2, 0; lv2nx8_i v1, a3, 0; lv2nx8_i v2, a4, 0\n", 1, 1, &["memory"]);
}

#[test]
fn a_register_out_of_range_is_refused() {
    let (line, _, message) = mistake("addnx16 v3, v1, v32\n");
    assert!(line == 1 && message.contains("v32") && message.contains("31"), "{message}");
}

#[test]
fn a_bundle_cut_short_is_refused() {
    let (line, _, message) = mistake("nop\nF0 { s3 addnx16 v3, v1, v2\n");
    assert!(line == 2 && message.contains('}'), "{message}");
}

#[test]
fn an_endless_loop_stops_at_the_limit_and_keeps_its_state() {
    let ran = run("movi a3, 7\nagain: j again\n", &["--cycles", "50", "--json"]).exits(1);
    let answer = ran.json();
    assert_eq!((answer["stopped"].as_str(), answer["registers"]["a3"].as_str().is_some()), (Some("limit"), true));
    run("again: j again\n", &["--cycles", "50"]).exits(1).says("--cycles");
}

#[test]
fn memory_out_of_range_names_line_slot_and_address() {
    let ran = run("nop\nF0 { s0 lv2nx8_i v0, a2, 0 }\n", &["--reg", "a2=0x10", "--json"]).exits(1);
    let message = ran.json()["error"].as_str().unwrap().to_owned();
    assert!(message.contains("line 2") && message.contains("slot 0") && message.contains("0x"), "{message}");
}

#[test]
fn assignments_that_mean_nothing_are_refused() {
    for (arguments, message) in [
        (["--reg", "q7=1"], "q7"),
        (["--reg", "a2"], "="),
        (["--mem", "0x10=00"], "--mem"),
        (["--param", "fp_deff=11"], "fp_def"),
        (["--param", "fp_def=99"], "11 to 13"),
    ] {
        run("nop\n", &arguments).exits(2).says(message);
    }
    vq7(["iss", "run", "none.iss"]).exits(2).says("none.iss");
    run("nop\n", &["--trace", "vcd"]).exits(2).says("kanata");
}

#[test]
fn every_example_runs_under_both_profiles() {
    for name in [
        "add.iss",
        "add_unrolled.iss",
        "chain.iss",
        "compare.iss",
        "copy.iss",
        "divide.iss",
        "fp_add.iss",
        "multiply.iss",
    ] {
        for profile in ["default", "tie-strict"] {
            let file = example(name);
            let registers = ["a1=4", "a2=0x80000", "a3=0x84000", "a4=0x88000"];
            let registers = registers.iter().flat_map(|register| ["--reg", register]);
            let ran = vq7(["iss", "run", &file, "--profile", profile, "--json"].into_iter().chain(registers)).exits(0);
            assert!(ran.json()["cycles"].as_u64().unwrap() > 0);
        }
    }
}

#[test]
fn traces_are_what_their_viewers_read() {
    let program = "F0 { s3 muln_2xf32 v1, v0, v0 }\nF0 { s3 addn_2xf32 v2, v1, v0 }\n";
    let kanata = run(program, &["--trace", "kanata"]).exits(0).out;
    assert!(kanata.starts_with("Kanata\t0004\n"), "{kanata}");
    for line in kanata.lines().skip(1) {
        let command = line.split('\t').next().unwrap();
        assert!(["C=", "C", "I", "L", "S", "E", "R", "W"].contains(&command), "{line}");
    }
    let perfetto = run(program, &["--trace", "perfetto"]).exits(0).out;
    let trace: serde_json::Value = serde_json::from_str(&perfetto).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    assert!(events.iter().any(|event| event["ph"] == "X") && events.iter().all(|event| event["ph"].is_string()));
    assert!(run(program, &["--trace", "text"]).exits(0).out.contains("stall"));
    let folder = Folder::new();
    run(program, &["--svg", &folder.at("chart.svg")]).exits(0);
    assert!(folder.read("chart.svg").starts_with(b"<svg"));
}

#[test]
fn bundles_are_disassembled_as_far_as_they_are_known() {
    let text = "N0 { s0 nop; s1 nop; s2 nop; s3 ivp_addnx16 v3, v1, v2 }";
    disasm(&["2f45c120 00895132"]).exits(0).shows(text).shows("fitted");
    disasm(&["--value", "0x3251890020c1452f", "--json"]).exits(0).shows(text);
    let answer = disasm(&["2f45c12000895132", "2f45c12000495132", "--json"]).exits(0).json();
    let bundles = answer["bundles"].as_array().unwrap();
    assert_eq!((bundles.len(), bundles[1]["offset"].as_u64()), (2, Some(8)));
    let slot = &bundles[0]["slots"][3];
    assert_eq!((slot["trust"].as_str(), slot["decode_bit"]["origin"].as_str()), (Some("fitted"), Some("layout")));
    disasm(&["--value", "0009191448c08300950022108504452f"]).exits(0).shows("F0 { s0 ?; s1 ?; s2 ?; s3 ? }");
}

#[test]
fn bytes_that_are_no_bundle_are_refused_with_their_place() {
    disasm(&["2f45c120008951"]).exits(1).says("at byte 0x0: a bundle of N0 has 8 bytes, and there are 7");
    disasm(&["2f45c12000895132", "0f000007"]).exits(1).shows("ivp_addnx16").says("at byte 0x8: no format");
    disasm(&["2f4"]).exits(2).says("two hex digits");
    disasm(&["xyz"]).exits(2).says("xyz");
    disasm(&[]).exits(2).says("HEX");
}
