//! `vq7 explain` and the tables.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::*;

#[test]
fn a_word_is_explained_byte_by_byte() {
    let answer = vq7(["explain", "--json", ADD_INT]).exits(0).json();
    let fields = answer["fields"].as_array().unwrap();
    let field = |name: &str| fields.iter().find(|field| field["name"] == name).unwrap();
    assert_eq!((&field("op")["offset"], &field("op")["value"]), (&14.into(), &"0xc4".into()));
    assert!(field("src1.start_addr")["meaning"].as_str().unwrap().contains("SBUF partition 0 offset 0x1000"));
    assert_eq!(answer["matrix"].as_array().unwrap().len(), 15);
    assert_eq!(answer["waits"], "waits for nothing");
    assert_eq!(answer["walks"][2]["elements"], 512);
    vq7(["explain", ADD_INT]).exits(0).shows("bytes 0x1000 to 0x17ff, contiguous").shows("mariana_plus (MARIANA_PLUS)");
    vq7(["explain", DIVIDE]).exits(1).says("s3s3d3_tt_valid_op").shows("FAIL s3s3d3_tt_valid_op");
    vq7(["explain", IOTA]).exits(0).shows("payload");
    let folder = Folder::new();
    let two = folder.write("two.bin", bytes(ADD_INT).repeat(2));
    vq7(["explain", &two]).exits(2).says("2 words; explain takes one");
}

fn op(arguments: &[&str]) -> Ran {
    vq7([&["explain", "--json"], arguments].concat())
}

#[test]
fn an_op_is_computed_and_its_twin_beside_it() {
    let answer = op(&["--op", "add", "--types", "int32", "--a", "16777216", "--b", "1"]).exits(0).json();
    assert_eq!(answer["result"]["bits"], "0x01000000");
    assert_eq!(answer["result"]["value"], "16777216");
    assert_eq!(answer["flags"], serde_json::json!(["inexact"]));
    assert_eq!((&answer["twin"]["op"], &answer["twin"]["kind"]), (&"add_int".into(), &"exact".into()));
    assert_eq!((&answer["twin"]["result"]["value"], &answer["twin"]["differs"]), (&"16777217".into(), &true.into()));
    let answer = op(&["--op", "mult_uint", "--types", "u32,u32,u32", "--a", "3", "--b", "0x5"]).exits(0).json();
    assert_eq!((&answer["result"]["value"], &answer["twin"]["differs"]), (&"15".into(), &false.into()));
    assert_eq!(answer["twin"]["kind"], "float32");
    let answer = op(&["--op", "multiply", "--types", "float32", "--a", "-1.5", "--b", "2"]).exits(0).json();
    assert_eq!((&answer["op"]["name"], &answer["op"]["asked"]), (&"mult".into(), &"multiply".into()));
    assert_eq!((&answer["result"]["value"], &answer["twin"]), (&"-3".into(), &serde_json::Value::Null));
    assert_eq!(op(&["--op", "bitwise_and", "--types", "u8", "--a", "6", "--b", "3"]).json()["opcode"], 0x51);
    op(&["--op", "bitwise_not", "--types", "u8", "--a", "6"]).exits(0);
}

#[test]
fn what_a_result_rests_on_is_listed_and_low_confidence_is_loud() {
    let pow = ["explain", "--op", "pow", "--types", "f32", "--a", "2.5", "--b", "3"];
    vq7(pow).exits(0).shows("LOW CONFIDENCE: no source settles pow_polynomial");
    let answer = op(&pow[1..]).json();
    assert_eq!((&answer["confidence"], &answer["rests_on"][0]["kind"]), (&"LOW".into(), &"settled".into()));
    let exact = ["--op", "add", "--types", "f32", "--a", "1", "--b", "2"];
    assert_eq!(op(&exact).json()["confidence"], "HIGH");
    let fp8 = ["--op", "add", "--types", "f32,f32,e4m3", "--a", "300", "--b", "1"];
    assert_eq!(op(&fp8).json()["confidence"], "MED");
    assert_eq!(op(&[&fp8[..], &["--target", "trn3"]].concat()).json()["confidence"], "LOW");
    let changed = op(&[&fp8[..], &["--policy", "fp8_overflow=saturate"]].concat()).json();
    assert_eq!((&changed["result"]["value"], &changed["policy"][0]), (&"240".into(), &"fp8_overflow=saturate".into()));
}

#[test]
fn what_no_source_settles_exits_1() {
    let ran = op(&["--op", "add", "--types", "int64", "--a", "1", "--b", "2"]).exits(1).says("unspecified");
    let answer = ran.json();
    assert_eq!((&answer["error"]["kind"], &answer["result"]), (&"unspecified".into(), &serde_json::Value::Null));
    assert_eq!(answer["twin"]["result"]["value"], "3");
    let trap = ["--policy", "int_div_zero=trap", "--op", "divide_int", "--types", "i32", "--a", "1", "--b", "0"];
    op(&trap).exits(1).says("division by zero");
}

#[test]
fn questions_that_make_no_sense_exit_2() {
    let cases: [(&[&str], &str); 8] = [
        (&["--op", "ad_int", "--types", "i32", "--a", "1", "--b", "1"], "did you mean `add_int`"),
        (&["--op", "add", "--types", "i33", "--a", "1", "--b", "1"], "--types"),
        (&["--op", "add", "--types", "i32,i32", "--a", "1", "--b", "1"], "three dtypes"),
        (&["--op", "add", "--types", "i8", "--a", "300", "--b", "1"], "--a: 300 does not fit int8"),
        (&["--op", "add", "--types", "i8", "--a", "3", "--b", "0x100"], "--b"),
        (&["--op", "add", "--types", "i8", "--a", "3"], "two operands"),
        (&["--op", "add", "--types", "float8_e4m3fn", "--a", "3", "--b", "1"], "e4m3=fn"),
        (&["--op", "add", "--types", "float64", "--a", "3", "--b", "1"], "float64"),
    ];
    for (arguments, message) in cases {
        op(arguments).exits(2).says(message).refused("call");
    }
    vq7(["explain"]).exits(2);
    vq7(["explain", "--op", "add"]).exits(2);
    vq7(["explain", ADD_INT, "--op", "add"]).exits(2);
}

#[test]
fn tables_list_every_row() {
    let ops = vq7(["ops", "--json", "--target", "trn2"]).exits(0).json();
    let row = |name: &str| ops["ops"].as_array().unwrap().iter().find(|op| op["name"] == name).unwrap().clone();
    let legal = |name: &str, opcode: u8, engine: &str| -> usize {
        let row = row(name);
        let places = row["legal"].as_array().unwrap();
        let place = places.iter().find(|place| place["opcode"] == opcode && place["engine"] == engine).unwrap();
        place["dtypes"].as_array().unwrap().len()
    };
    assert_eq!(ops["ops"].as_array().unwrap().len(), 65);
    assert_eq!(legal("add_int", 0x41, "pool"), 4, "32- and 64-bit integers");
    assert_eq!((legal("add_int", 0x41, "dve"), legal("add_int", 0x51, "pool")), (0, 0));
    assert!(legal("add", 0x41, "dve") > 10 && legal("max", 0x41, "pool") == 0);
    assert_eq!((legal("bitwise_and", 0x51, "pool"), legal("bitwise_and", 0x51, "dve")), (8, 6));
    assert_eq!(row("mult")["nki_names"][0], "multiply");
    assert_eq!(row("re_lu")["in_target"], false);
    vq7(["ops"]).exits(0).shows("not on trn2");

    let dtypes = vq7(["dtypes", "--json"]).exits(0).json();
    let e4m3 = dtypes["dtypes"].as_array().unwrap().iter().find(|row| row["name"] == "float8_e4m3").unwrap();
    assert_eq!((&e4m3["code"], &e4m3["largest"], &e4m3["bits"]), (&14.into(), &"240".into(), &8.into()));
    vq7(["dtypes", "--policy", "e4m3=fn"]).exits(0).shows("448");

    let opcodes = vq7(["opcodes", "--json", "--target", "trn1"]).exits(0).json();
    let in_target = |row: &&serde_json::Value| row["in_target"] == true;
    // The runtime's enum test has 145 values, and INVALID is none that a word may carry.
    assert_eq!(opcodes["opcodes"].as_array().unwrap().iter().filter(in_target).count(), 144);
    let modelled = opcodes["opcodes"].as_array().unwrap().iter().filter(|row| row["modelled"] == true).count();
    assert_eq!(modelled, 18);
    vq7(["opcodes"]).exits(0).shows("TENSOR_TENSOR_ARITH_OP");

    let policy = vq7(["policy", "--json", "--policy", "round=zero"]).exits(0).json();
    let round = policy["knobs"].as_array().unwrap().iter().find(|row| row["name"] == "round").unwrap();
    assert_eq!((&round["value"], &round["default"]), (&"zero".into(), &"nearest_even".into()));
    assert_eq!(policy["settled"].as_array().unwrap().len(), 27);
    vq7(["policy"]).exits(0).shows("pow_polynomial").shows("int_div_zero");
}
