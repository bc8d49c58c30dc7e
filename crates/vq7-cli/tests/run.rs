//! `vq7 run` and `vq7 asm`.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::*;

#[test]
fn the_examples_give_their_published_answers() {
    for (name, engine) in
        [("philox4x32.vq7", "engine pool"), ("lossy_multiply.vq7", "engine pool"), ("scalar_forms.vq7", "engine dve")]
    {
        let path = repository().join("examples").join(name);
        let ran = vq7(["run", path.to_str().unwrap()]).exits(0).shows("as expected").shows(engine);
        assert!(!ran.out.contains("FAILS"));
    }
}

const SCALE: &str =
    "target trn3\ninput x: int32[2, 2] <- \"x.npy\"\ny = add_int(x, 1)\noutput y -> \"y.npy\"\nshow y[0..2]\n";

#[test]
fn inputs_and_outputs_lie_beside_the_program_or_where_they_are_named() {
    let folder = Folder::new();
    let program = folder.write("scale.vq7", SCALE);
    let data: Vec<u8> = [1i32, 2, 3, 4].iter().flat_map(|value| value.to_le_bytes()).collect();
    vq7(["run", &program]).exits(2).says("x.npy");
    folder.npy("x.npy", "<i4", "(2, 2)", &data);
    let answer = vq7(["run", "--json", &program]).exits(0).json();
    assert_eq!((&answer["target"], &answer["target_source"]), (&"trn3".into(), &"program".into()));
    assert_eq!((&answer["executed"], &answer["results"][0]["status"]), (&1.into(), &"ran".into()));
    assert_eq!(answer["shows"][0]["found"], serde_json::json!(["2", "3"]));
    assert_eq!(answer["written"][0]["shape"], serde_json::json!([2, 2]));
    assert_eq!(split_npy(&folder.read("y.npy")).1[..4], [2, 0, 0, 0]);
    let other = folder.npy("other.npy", "<i4", "(2, 2)", &[7; 16]);
    let out = folder.at("z.npy");
    vq7(["run", &program, "--in", &format!("x={other}"), "--out", &format!("y={out}"), "--target", "trn2"])
        .exits(0)
        .shows("target trn2")
        .shows("wrote");
    assert_eq!(split_npy(&folder.read("z.npy")).1[..4], [8, 7, 7, 7]);
}

#[test]
fn bindings_that_do_not_fit_exit_2_before_any_work() {
    let folder = Folder::new();
    let program = folder.write("scale.vq7", SCALE);
    folder.npy("x.npy", "<i4", "(2, 2)", &[0; 16]);
    let before = folder.names();
    let wrong = folder.npy("wrong.npy", "<i4", "(4,)", &[0; 16]);
    let floats = folder.npy("floats.npy", "<f4", "(2, 2)", &[0; 16]);
    let missing = folder.at("missing/y.npy");
    let cases = [
        ("--in", format!("x={wrong}"), "[4]"),
        ("--in", format!("x={floats}"), "not int32"),
        ("--in", format!("q={wrong}"), "no such tensor `q`; it has x"),
        ("--in", "x".to_owned(), "NAME=FILE"),
        ("--out", format!("y={missing}"), "make it first"),
        ("--out", format!("x={missing}"), "no such tensor `x`; it has y"),
        ("--sem", "300=1".to_owned(), "0 to 255"),
        ("--reg", "zero=one".to_owned(), "AxBxC"),
        ("--dump", "200:0:4".to_owned(), "PARTITION:OFFSET:LENGTH"),
        ("--coef", wrong.clone(), "float32 of shape (channels, 5)"),
    ];
    for (flag, value, message) in cases {
        let ran = vq7(["run", "--json", &program, flag, &value]).exits(2).says(message);
        assert!(ran.json()["error"]["message"].is_string());
    }
    assert_eq!(folder.names().len(), before.len() + 2, "no output: {:?}", folder.names());
}

#[test]
fn a_failing_word_is_named_with_its_place() {
    let folder = Folder::new();
    let program = folder.write(
        "bad.vq7",
        "tensor a: int32[1, 1] = 1\nb = add_int(a, a)\nc = divide(a, a)\nd = add_int(a, b)\noutput d -> \"d.npy\"\n",
    );
    let ran = vq7(["run", &program]).exits(1).says("word 1 at byte 0x40, line 3: illegal: s3s3d3_tt_valid_op");
    ran.shows("1 of 3 words ran on fast, 1 failed, 1 not tried");
    let answer = vq7(["run", "--json", "--keep-going", &program]).exits(1).json();
    assert_eq!([&answer["executed"], &answer["failed"], &answer["skipped"]], [2, 1, 0]);
    let word = &answer["results"][1];
    assert_eq!(
        (&word["line"], &word["status"], &word["statement"]),
        (&3.into(), &"illegal".into(), &"c = divide(a, a)".into())
    );
    assert!(!folder.has("d.npy"), "outputs are written only when all went well");
}

#[test]
fn expectations_that_fail_exit_1() {
    let folder = Folder::new();
    let program = folder.write(
        "p.vq7",
        "tensor a: int32[1, 2] = [1, 2]\nb = add_int(a, a)\nexpect b == [2, 5]\noutput b -> \"b.npy\"\n",
    );
    let ran = vq7(["run", &program]).exits(1).says("1 expectation does not hold: line 3: b[1] is 4, expected 5");
    ran.shows("FAILS line 3");
    assert!(!folder.has("b.npy"));
}

#[test]
fn raw_words_run_with_registers_semaphores_and_dumps() {
    let folder = Folder::new();
    let words = folder.write("words.bin", bytes(ADD_INT));
    vq7(["run", &words]).exits(1).says("uninitialised").says("--allow-uninit");
    let ran =
        vq7(["run", &words, "--allow-uninit", "--dump", "3:0x1ff8:16"]).exits(0).shows("warning: src0 read bytes");
    ran.shows("0x01ff8  -- -- -- -- -- -- -- -- 00 00 00 00 00 00 00 00");
    let hex = folder.write("words.txt", format!("{ADD_INT}\n"));
    vq7(["run", &hex, "--allow-uninit", "--device-log"]).exits(0).shows("| P0: Entering Dispatch");
    // Wait until semaphore 11 exceeds 0.
    let mut waiting = bytes(ADD_INT);
    (waiting[4], waiting[5]) = (0x04, 11);
    let waiting = folder.write("waiting.bin", waiting);
    vq7(["run", &waiting, "--allow-uninit"]).exits(1).says("deadlock").says("--sem");
    vq7(["run", &waiting, "--allow-uninit", "--sem", "11=1"]).exits(0);
    // src0 from address register 5.
    let mut by_register = bytes(ADD_INT);
    by_register[16..20].copy_from_slice(&0x8000_0005u32.to_le_bytes());
    let by_register = folder.write("register.bin", by_register);
    vq7(["run", &by_register, "--allow-uninit"]).exits(1).says("address register 5").says("--reg");
    vq7(["run", &by_register, "--allow-uninit", "--reg", "5=0x3000"]).exits(0);
    let iota = folder.write("iota.bin", bytes(IOTA));
    vq7(["run", &iota]).exits(1).says("unimplemented").says("IOTA");
    let cut = folder.write("cut.bin", &bytes(ADD_INT)[..60]);
    vq7(["run", &cut]).exits(2).says("60 bytes");
    vq7_stdin(&bytes(ADD_INT), &["run", "-", "--allow-uninit"]).exits(0);
}

#[test]
fn long_programs_list_failures_only() {
    let folder = Folder::new();
    let program =
        folder.write("long.vq7", "tensor a: int32[1, 1] = 1\nrepeat 50 {\na = add_int(a, 1)\n}\nexpect a == [51]\n");
    let ran = vq7(["run", &program]).exits(0).shows("50 of 50 words ran");
    assert!(!ran.out.contains("word 0"));
    assert_eq!(vq7(["run", "-v", &program]).exits(0).out.matches("\nword ").count(), 50);
    assert_eq!(vq7(["run", "--json", "-v", &program]).json()["results"].as_array().unwrap().len(), 50);
}

#[test]
fn mistakes_are_shown_where_they_stand() {
    let folder = Folder::new();
    let program =
        folder.write("bad.vq7", "target trn2\n# größer\ntensor a: int32[4, 4] = 1\nb = ad(a, a)\nc = add_int(a, q)\n");
    let out = folder.at("x.bin");
    for arguments in [&["asm", &program, "-o", &out][..], &["run", &program]] {
        let ran = vq7(arguments).exits(2).says("bad.vq7:4:5").says("did you mean `add`").says("b = ad(a, a)");
        ran.says("bad.vq7:5:16").says("Help: declare it first").says("2 mistakes");
    }
    assert!(!folder.has("x.bin"));
    let coloured = vq7(["--color", "always", "run", &program]).err;
    assert!(coloured.contains("\u{1b}["));
}

#[test]
fn no_program_makes_the_drawing_of_mistakes_panic() {
    let folder = Folder::new();
    for text in [
        "ä",
        "é = ü(ö)",
        "tensor",
        "x = ",
        "\"",
        "repeat 3 {",
        "}",
        "expect x == [",
        "a\u{301}b = c",
        "input x <- \"ß",
        "\n\n\u{1F600}",
    ] {
        let program = folder.write("p.vq7", text);
        vq7(["run", &program]).exits(2);
    }
    let empty = folder.write("empty.vq7", "");
    vq7(["run", &empty]).exits(2);
    let binary = folder.write("binary.vq7", [0xFF, 0xFE, 0x00]);
    vq7(["asm", &binary, "-o", &folder.at("x.bin")]).exits(2).says("a program is text");
}

#[test]
fn assembling_names_words_and_bindings() {
    let folder = Folder::new();
    let program = folder.write("scale.vq7", SCALE);
    let out = folder.at("scale.bin");
    let answer = vq7(["asm", "--json", &program, "-o", &out]).exits(0).json();
    assert_eq!((&answer["words"], &answer["out"]["bytes"]), (&1.into(), &64.into()));
    assert_eq!(
        answer["inputs"][0],
        serde_json::json!({"name": "x", "dtype": "int32", "shape": [2, 2], "path": "x.npy"})
    );
    vq7(["asm", &program, "-o", &folder.at("missing/x.bin")]).exits(2).says("make it first");
    let ran = vq7_stdin(SCALE.as_bytes(), &["asm", "-", "-o", &out]).exits(0);
    ran.shows("input x: int32[2, 2] <- x.npy").shows("1 word: 1 legal");
    assert_eq!(folder.read("scale.bin").len(), 64);
}
