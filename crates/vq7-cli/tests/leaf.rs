//! `vq7 leaf`.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::{Ran, vq7};
use serde_json::Value;

fn leaf(arguments: &[&str]) -> Ran {
    vq7(["leaf"].iter().chain(arguments))
}

/// The bits of the outputs.
fn outputs(arguments: &[&str]) -> Vec<String> {
    let answer = leaf(&[arguments, &["--json"]].concat()).exits(0).json();
    let bits = |output: &Value| output["bits"].as_str().unwrap().to_owned();
    answer["outputs"].as_array().unwrap().iter().map(bits).collect()
}

#[test]
fn integer_leaves_answer_in_hex() {
    assert_eq!(outputs(&["add_16_16_16", "0x7fff", "1"]), ["0x8000"]);
    assert_eq!(outputs(&["subs_16_16_16", "-32768", "1"]), ["0x8000"]);
    assert_eq!(outputs(&["bmax_2_16_16_16", "7", "5"]), ["0x3", "0x0007"]);
    assert_eq!(outputs(&["packvr_16_48_32", "0xffffffff3cb0", "0"]), ["0x8000"]);
    assert_eq!(outputs(&["mul_96_32_32", "0x80000000", "0x80000000"]), ["0x000000004000000000000000"]);
    let register = outputs(&["not_512_512", "0xf00f"]);
    assert_eq!((register[0].len(), &register[0][126..]), (2 + 128, "0ff0"));
    leaf(&["add_16_16_16", "0x7fff", "1"]).exits(0).shows("a + b, low bits").shows("0x8000").shows("confidence HIGH");
}

#[test]
fn float_leaves_answer_with_flags_and_as_numbers() {
    let add = ["add_1_1_1_32f_32f_32f_2", "1.5", "0.00001", "2", "--as-float"];
    let answer = leaf(&[&add[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(answer["outputs"][0]["value"], "1.50001");
    assert_eq!((&answer["flags"][0], &answer["mode_left_out"]), (&"inexact".into(), &false.into()));
    leaf(&["olt_1_1_16f_16f", "0x7e00", "0x3c00"]).exits(0).shows("flags  invalid");
    leaf(&["trunc_1_1_32_32f_32", "--as-float", "--", "-inf", "0"]).exits(0).shows("0x80000000").shows("invalid");
    leaf(&["trunc_1_1_32_32f_32", "-2.9", "0", "--as-float"]).exits(0).shows("0xfffffffe").shows("= -2.9");
    // A bit pattern is a bit pattern under --as-float too.
    leaf(&["fitrunc_1_32f_32f", "0x40200000", "--as-float"]).exits(0).shows("0x40000000 = 2");
}

#[test]
fn a_round_mode_may_be_left_out() {
    let without = ["mul_1_1_1_1_16f_16f_16f_2", "0x3c01", "0x3c01"];
    assert_eq!(outputs(&without), ["0x3c02"]);
    assert_eq!(outputs(&[&without[..], &["2"]].concat()), ["0x3c03"]);
    leaf(&without).exits(0).shows("left out: nearest even");
}

#[test]
fn calls_that_make_no_sense_exit_2() {
    let cases: [(&[&str], &str); 9] = [
        (&["ad_16_16_16", "1", "2"], "did you mean `add_16_16_16`"),
        (&["convolve"], "`vq7 leaf --list`"),
        (&["add_16_16_16", "1"], "takes 2 inputs (int16, int16), not 1"),
        (&["add_16_16_16", "1", "2", "3"], "takes 2 inputs (int16, int16), not 3"),
        (&["add_16_16_16", "0x10000", "2"], "input 1 of add_16_16_16 is int16; 0x10000 needs 17 bits"),
        (&["add_16_16_16", "x", "2"], "`x` is no bit pattern"),
        (&["add_1_1_1_16f_16f_16f_2", "1", "2", "4"], "round mode"),
        (&["firound_1_32f_32f", "2.5"], "add --as-float"),
        (&["abs_16f_16f", "70000", "--as-float"], "70000 does not fit float16"),
    ];
    for (arguments, message) in cases {
        leaf(&[arguments, &["--json"]].concat()).exits(2).says(message).refused("call");
    }
    leaf(&[]).exits(2);
    leaf(&["--list", "add_8_8_8"]).exits(2);
}

#[test]
fn what_is_not_modelled_exits_1_by_name() {
    let ran = leaf(&["minormax_8_8_8", "1", "2", "--json"]).exits(1).says("minormax_8_8_8 is not modelled");
    let answer = ran.json();
    assert_eq!((&answer["error"]["kind"], &answer["outputs"]), (&"unimplemented".into(), &Value::Array(Vec::new())));
    leaf(&["recip0"]).exits(1).says("not public");
}

#[test]
fn the_roster_has_every_leaf_with_its_shape() {
    let answer = leaf(&["--list", "--json"]).exits(0).json();
    let leaves = answer["leaves"].as_array().unwrap();
    let row = |name: &str| leaves.iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(leaves.len(), vq7_num::leaf::all().count());
    let pack = row("packvr_16_48_32");
    assert_eq!((&pack["inputs"][0]["width"], &pack["inputs"][1]["name"]), (&48.into(), &"shift".into()));
    let add = row("add_1_1_1_32f_32f_32f_2");
    assert_eq!(add["flags"], serde_json::json!(["invalid", "overflow", "inexact"]));
    assert_eq!((&add["inputs"][2]["kind"], &add["outputs"][0]["kind"]), (&"mode".into(), &"float".into()));
    assert_eq!((&row("recip0")["modelled"], &row("addexp_16f_16f_16f")["grounds"]), (&false.into(), &"fitted".into()));
    leaf(&["--list"]).exits(0).shows("add_16_16_16").shows("acc:int48");
}
