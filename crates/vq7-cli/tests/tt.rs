//! `vq7 tt`: verdicts, results, refusals, and that no file is left behind.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::*;

fn tt(folder: &Folder, op: &str, a: &str, b: &str, more: &[&str]) -> Ran {
    let out = folder.at("c.npy");
    vq7([&["tt", "--op", op, "--a", a, "--b", b, "--out", &out], more].concat())
}

/// Storage and dtype name of a short type name of `values.csv`.
fn storage(name: &str) -> (&'static str, &'static str, usize) {
    match name {
        "i8" => ("|i1", "int8", 1),
        "u8" => ("|u1", "uint8", 1),
        "i16" => ("<i2", "int16", 2),
        "u16" => ("<u2", "uint16", 2),
        "i32" => ("<i4", "int32", 4),
        "u32" => ("<u4", "uint32", 4),
        "i64" => ("<i8", "int64", 8),
        "u64" => ("<u8", "uint64", 8),
        "f32" => ("<f4", "float32", 4),
        "f16" => ("<f2", "float16", 2),
        "bf16" => ("<V2", "bfloat16", 2),
        "e4m3" => ("|V1", "float8_e4m3", 1),
        "e5m2" => ("|V1", "float8_e5m2", 1),
        "e3m4" => ("|V1", "float8_e3m4", 1),
        other => panic!("{other}"),
    }
}

#[test]
fn every_row_of_values_csv() {
    let text = std::fs::read_to_string(repository().join("vectors/values.csv")).unwrap();
    let folder = Folder::new();
    let mut rows = 0;
    for line in text.lines().skip(1) {
        let columns: Vec<_> = line.split(',').collect();
        let [id, op, types, a, b, out, ..] = columns[..] else { panic!("{line}") };
        let op = match op {
            "LSR" => "logical_shift_right",
            "LSL" => "logical_shift_left",
            "ASR" => "arith_shift_right",
            other => &other.to_lowercase(),
        };
        let kinds: Vec<_> = types.split('/').map(storage).collect();
        let element = |text: &str, size: usize| {
            let value = u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
            value.to_le_bytes()[..size].to_vec()
        };
        // As one element, as a row that one element is broadcast over, and as a block that takes two words.
        for (shape, repeats) in [("()", 1), ("(1, 37)", 37), ("(200, 7)", 1400)] {
            let a = folder.npy("a.npy", kinds[0].0, shape, &element(a, kinds[0].2).repeat(repeats));
            let b = folder.npy("b.npy", kinds[1].0, "(1,)", &element(b, kinds[1].2));
            let names = ["--a-dtype", kinds[0].1, "--b-dtype", kinds[1].1, "--out-dtype", kinds[2].1];
            tt(&folder, op, &a, &b, &names).exits(0);
            let (header, data) = split_npy(&folder.read("c.npy"));
            assert_eq!(data, element(out, kinds[2].2).repeat(repeats), "{id} {shape}");
            assert!(header.contains(&format!("'descr': '{}'", kinds[2].0)), "{id}: {header}");
            let shape = if shape == "()" { "(1,)" } else { shape };
            assert!(header.contains(&format!("'shape': {shape}")), "{id}: {header}");
        }
        rows += 1;
    }
    assert!(rows >= 44);
}

#[test]
fn json_says_what_ran_and_what_the_result_rests_on() {
    let folder = Folder::new();
    let a = folder.int32("a.npy", &[1, 0x0100_0000, 3, 0x0100_0002]);
    let b = folder.int32("b.npy", &[1]);
    let answer = tt(&folder, "add", &a, &b, &["--json", "--engine", "gpsimd"]).exits(0).json();
    assert_eq!(
        (&answer["target"], &answer["engine"], &answer["executor"]),
        (&"trn2".into(), &"pool".into(), &"fast".into())
    );
    assert_eq!(answer["op"], serde_json::json!({"name": "add", "code": 4, "asked": "add"}));
    assert_eq!(
        (&answer["words"], &answer["verdict"], &answer["first_failed"]),
        (&1.into(), &"legal".into(), &serde_json::Value::Null)
    );
    assert_eq!(answer["engines"], serde_json::json!({"pool": true, "dve": true}));
    assert_eq!((&answer["out"]["dtype"], &answer["out"]["shape"]), (&"int32".into(), &serde_json::json!([4])));
    assert_eq!(
        answer["lossy"],
        serde_json::json!({"exact_op": "add_int", "count": 2, "first_index": [1], "float32": 16_777_216, "exact": 16_777_217})
    );
    assert_eq!(answer["flags"], serde_json::json!(["inexact"]));
    let ground = &answer["rests_on"][0];
    assert_eq!(
        (&ground["name"], &ground["kind"], &ground["value"]),
        (&"base_int".into(), &"knob".into(), &"fp32_hub".into())
    );
    assert!(ground["confidence"].is_string() && ground["reason"].is_string() && answer["confidence"].is_string());
    tt(&folder, "add", &a, &b, &[]).exits(0).shows("differs from exact integers in 2 of 4 elements").shows("`add_int`");
    let exact = tt(&folder, "add_int", &a, &b, &["--json"]).exits(0).json();
    assert_eq!((&exact["lossy"], &exact["error"]), (&serde_json::Value::Null, &serde_json::Value::Null));
    let nki = tt(&folder, "not_equal", &a, &b, &["--json"]).exits(0).json();
    assert_eq!(nki["op"], serde_json::json!({"name": "is_ne", "code": 0x18, "asked": "not_equal"}));
}

#[test]
fn words_that_fail_exit_1_and_leave_no_file() {
    let folder = Folder::new();
    let (a, b) = (folder.int32("a.npy", &[1, 2, 3]), folder.int32("b.npy", &[0, 1, 0]));
    let wide = folder.npy("wide.npy", "<i8", "(1,)", &[0; 8]);
    let before = folder.names();
    let refused = tt(&folder, "divide", &a, &b, &["--json"]).exits(1).says("s3s3d3_tt_valid_op").json();
    assert_eq!((&refused["verdict"], &refused["first_failed"]), (&"illegal".into(), &"s3s3d3_tt_valid_op".into()));
    assert_eq!(
        (&refused["out"], &refused["executor"], &refused["confidence"]),
        (&serde_json::Value::Null, &serde_json::Value::Null, &serde_json::Value::Null)
    );
    assert!(refused["rules"].as_array().unwrap().iter().any(|rule| rule["passed"] == false));
    tt(&folder, "divide", &a, &b, &[]).exits(1).shows("illegal");
    tt(&folder, "max_uint", &a, &b, &[]).exits(1).says("s3s3d3_tt_valid_int_signness");
    tt(&folder, "max", &a, &b, &["--engine", "pool"]).exits(1).says("is_valid_tensor_tensor_arith_pool");
    tt(&folder, "relu", &a, &b, &["--target", "trn2"]).exits(1).says("is_valid_enum");
    tt(&folder, "add", &wide, &wide, &[]).exits(1).says("unspecified");
    let trapped = tt(&folder, "divide_int", &a, &b, &["--json", "--policy", "int_div_zero=trap"]).exits(1);
    let trapped = trapped.says("element [0] of the result").json();
    assert_eq!((&trapped["verdict"], &trapped["error"]["kind"]), (&"legal".into(), &"divide_by_zero".into()));
    assert_eq!(folder.names(), before);
    let zero = tt(&folder, "divide_int", &a, &b, &["--policy", "int_div_zero=zero", "--json"]).exits(0).json();
    assert_eq!(zero["flags"], serde_json::json!(["int_div_zero"]));
    assert_eq!(zero["policy"], serde_json::json!(["int_div_zero=zero"]));
}

#[test]
fn calls_that_fail_exit_2_and_leave_the_old_file() {
    let folder = Folder::new();
    let (a, b) = (folder.int32("a.npy", &[1, 2, 3]), folder.int32("b.npy", &[4, 5]));
    let halves = folder.npy("h.npy", "<i2", "(3,)", &[0; 6]);
    folder.write("c.npy", "old");
    let before = folder.names();
    let cases: [(&str, &str, &str, &[&str], &str); 10] = [
        ("ad_int", &a, &a, &[], "did you mean `add_int`"),
        ("add", &a, &b, &[], "do not broadcast"),
        ("add", &a, &halves, &[], "add --out-dtype"),
        ("add", &a, &a, &["--out-dtype", "float64"], "float64"),
        ("add", &a, &a, &["--out-dtype", "float8_e4m3fn"], "e4m3=fn"),
        ("add", &a, &a, &["--a-dtype", "float32"], "not float32"),
        ("add", &a, &a, &["--a-dtype", "int16"], "32 bits"),
        ("add", &a, &a, &["--executor", "quick"], "use fast, reference or iss"),
        ("add", &folder.at("none.npy"), &a, &[], "none.npy"),
        ("add", &a, &a, &["--out-dtype", "float4_e2m1"], "float4_e2m1"),
    ];
    for (op, a, b, more, message) in cases {
        let ran = tt(&folder, op, a, b, &[more, &["--json"]].concat()).exits(2).says(message);
        assert!(ran.json()["error"]["message"].is_string(), "nothing else was answered");
    }
    assert_eq!((folder.names(), folder.read("c.npy")), (before, b"old".to_vec()));
    tt(&folder, "add", &a, &a, &[]).exits(0);
    assert_ne!(folder.read("c.npy"), b"old");
    assert_eq!(folder.names(), ["a.npy", "b.npy", "c.npy", "h.npy"], "nothing beside the result");
}

#[test]
fn the_place_of_the_result_is_tried_before_any_file_is_read() {
    let folder = Folder::new();
    let a = folder.at("none.npy");
    let out = folder.at("missing/c.npy");
    vq7(["tt", "--op", "add", "--a", &a, "--b", &a, "--out", &out]).exits(2).says("does not exist; make it first");
    let out = folder.path().to_str().unwrap();
    vq7(["tt", "--op", "add", "--a", &a, "--b", &a, "--out", out]).exits(2).says("this is a folder");
    assert!(folder.names().is_empty());
}

#[test]
fn the_result_may_go_to_a_source_a_link_or_a_device() {
    let folder = Folder::new();
    let a = folder.int32("a.npy", &[1, 2]);
    let call = |out: &str| vq7(["tt", "--op", "add_int", "--a", &a, "--b", &a, "--out", out]);
    call(&a).exits(0);
    assert_eq!(split_npy(&folder.read("a.npy")).1, [2, 0, 0, 0, 4, 0, 0, 0]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt};
        std::os::unix::fs::symlink(folder.at("a.npy"), folder.path().join("link.npy")).unwrap();
        call(&folder.at("link.npy")).exits(0);
        assert!(folder.path().join("link.npy").is_symlink(), "a link stays a link");
        assert_eq!(split_npy(&folder.read("a.npy")).1, [4, 0, 0, 0, 8, 0, 0, 0]);
        call("/dev/null").exits(0);
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        let mode = std::fs::metadata(folder.at("a.npy")).unwrap().permissions().mode();
        assert_eq!(mode & 0o600, 0o600, "{mode:o}");
        assert_eq!(mode & 0o111, 0);
    }
}

#[test]
fn shifts_of_64_bits_take_their_count_as_uint32() {
    let folder = Folder::new();
    let a = folder.npy("a.npy", "<u8", "(2,)", &[0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    let b = folder.npy("b.npy", "<u4", "(1,)", &[32, 0, 0, 0]);
    let answer = tt(&folder, "right_shift", &a, &b, &["--json"]).exits(0).json();
    assert_eq!(answer["out"]["dtype"], "uint64");
    assert_eq!(split_npy(&folder.read("c.npy")).1[..8], [5, 0, 0, 0, 0, 0, 0, 0]);
    tt(&folder, "right_shift", &a, &b, &["--out-dtype", "uint32"]).exits(1);
}

#[test]
fn fp32r_is_written_only_when_asked_for() {
    let folder = Folder::new();
    let a = folder.npy("a.npy", "<f4", "(1,)", &0x3F80_07FFu32.to_le_bytes());
    let one = folder.npy("one.npy", "<f4", "(1,)", &1f32.to_le_bytes());
    tt(&folder, "mult", &a, &one, &["--out-dtype", "fp32r"]).exits(0);
    let (header, data) = split_npy(&folder.read("c.npy"));
    assert!(header.contains("<f4"));
    assert_eq!(u32::from_le_bytes(data.try_into().unwrap()) & 0x3FF, 0);
    tt(&folder, "mult", &a, &a, &["--a-dtype", "fp32r", "--b-dtype", "fp32r"]).exits(2).says("--out-dtype");
}

#[test]
fn large_arrays_take_several_words() {
    let folder = Folder::new();
    let count = 128 * 40_000;
    let a = folder.npy("a.npy", "|u1", "(128, 40000)", &vec![3; count]);
    let b = folder.npy("b.npy", "|u1", "(40000,)", &vec![5; 40_000]);
    let answer = tt(&folder, "bitwise_xor", &a, &b, &["--json", "--target", "trn1"]).exits(0).json();
    assert_eq!(answer["verdict"], "legal");
    let (_, data) = split_npy(&folder.read("c.npy"));
    assert!(data.len() == count && data.iter().all(|byte| *byte == 6));
    let c = folder.npy("long.npy", "<i4", "(3, 100000)", &vec![0; 1_200_000]);
    assert!(tt(&folder, "add_int", &c, &c, &["--json"]).exits(0).json()["words"].as_u64().unwrap() > 1);
}

#[test]
fn executors_give_the_same_bytes_and_say_what_ran() {
    let folder = Folder::new();
    let values: Vec<i32> = (0..3000).map(|i: i32| i.wrapping_mul(0x0135_79BD) ^ i << 20).collect();
    let a = folder.int32("a.npy", &values);
    let b_wide = folder.int32("b_wide.npy", &values.iter().rev().copied().collect::<Vec<_>>());
    for op in ["add", "add_int", "divide_int", "is_lt"] {
        let slow = tt(&folder, op, &a, &b_wide, &["--json", "--executor", "reference"]).exits(0).json();
        let expected = folder.read("c.npy");
        let fast = tt(&folder, op, &a, &b_wide, &["--json", "--threads", "2"]).exits(0).json();
        assert_eq!(folder.read("c.npy"), expected, "{op}");
        assert_eq!((&slow["executor"], &slow["certainty"]), (&"reference".into(), &"exact".into()));
        assert_eq!(&fast["executor"], "fast");
        assert!(fast["paths"][0]["kernel"].is_string() && fast["paths"][0]["level"].is_string(), "{fast}");
    }
    let rounding = ["--json", "--policy", "round=zero"];
    let declined = tt(&folder, "add", &a, &b_wide, &rounding).exits(0).json();
    let path = &declined["paths"][0];
    assert_eq!((&path["executor"], &path["declined_by"]), (&"reference".into(), &"fast".into()));
    assert!(path["why"].as_str().is_some_and(|why| why.contains("rounding")), "{path}");
}
