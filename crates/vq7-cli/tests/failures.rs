//! How failures are told: exit codes, messages, the JSON of refused calls, and what is left on disk.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::*;
use serde_json::Value;

/// `count` words with a remark (uninitialised reads), then one that fails.
fn remarks_then_failure(folder: &Folder, count: usize, failures: usize) -> String {
    let mut words = bytes(ADD_INT).repeat(count);
    words.extend(bytes(DIVIDE).repeat(failures));
    folder.write("words.bin", words)
}

#[test]
fn a_failure_behind_a_hundred_remarks_is_not_hidden() {
    let folder = Folder::new();
    // Each word reads its never-written src0 with a remark, since nothing but dst is written.
    let words = remarks_then_failure(&folder, 150, 1);
    let run = |more: &[&str]| vq7([&["run", &words, "--allow-uninit"], more].concat());
    let ran =
        run(&[]).exits(1).says("1 of 151 words; the first is word 150 at byte 0x2580: illegal: s3s3d3_tt_valid_op");
    assert!(ran.out.find("word 150").unwrap() < ran.out.find("word 0 ").unwrap(), "failures stand first");
    ran.shows("50 more words with remarks; --verbose lists all");
    let answer = run(&["--json"]).exits(1).json();
    let results = answer["results"].as_array().unwrap();
    assert_eq!((results.len(), &answer["not_listed"], &answer["failed"]), (101, &50.into(), &1.into()));
    assert_eq!(answer["error"]["kind"], "illegal");
    let all = run(&["--json", "--verbose"]).exits(1).json();
    assert_eq!((all["results"].as_array().unwrap().len(), &all["not_listed"]), (151, &0.into()));
}

#[test]
fn json_holds_every_failing_word_and_text_a_hundred() {
    let folder = Folder::new();
    let words = remarks_then_failure(&folder, 3, 130);
    let run = |more: &[&str]| vq7([&["run", &words, "--allow-uninit", "--keep-going"], more].concat());
    let answer = run(&["--json"]).exits(1).json();
    let failing = answer["results"].as_array().unwrap().iter().filter(|word| word["status"] == "illegal").count();
    assert_eq!((failing, &answer["not_listed"], &answer["failed"]), (130, &0.into(), &130.into()));
    let ran = run(&[]).exits(1).says("130 of 133 words").shows("30 more failures; --verbose lists all");
    assert_eq!(ran.out.matches("  illegal: ").count(), 100);
}

#[test]
fn json_of_a_refused_call_is_one_object_with_the_error() {
    let folder = Folder::new();
    let program = folder.write("bad.vq7", "# ä\ntensor a: int32[4, 4] = 1\nb = ad(a, a)\nc = add_int(a, q)\n");
    let out = folder.at("x.bin");
    for arguments in [&["run", "--json", &program][..], &["asm", "--json", &program, "-o", &out]] {
        let error = &vq7(arguments).exits(2).says("did you mean").refused("syntax")["error"];
        assert!(error["message"].as_str().unwrap().contains("bad.vq7:3:5: "), "{error}");
        let mistakes = error["mistakes"].as_array().unwrap();
        assert_eq!(mistakes.len(), 2, "{error}");
        assert_eq!((&mistakes[0]["line"], &mistakes[0]["column"]), (&3.into(), &5.into()));
        assert!(mistakes[1]["message"].is_string() && mistakes[1]["help"].is_string(), "{error}");
    }
    for arguments in [
        &["check", "--json"][..],
        &["--json", "frobnicate"],
        &["check", "--target", "trn9", "--json", ADD_INT],
        &["tt", "--json", "--op", "add"],
        &["run", "--json", "x.vq7", "--dump", "200:0:4"],
        &["--json"],
    ] {
        let refused = vq7(arguments).exits(2).refused("usage");
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(!message.contains("Usage:") && !message.contains("For more information"), "{refused}");
    }
    vq7(["check", "--json", "--policy", "rund=zero", ADD_INT]).exits(2).refused("call");
    vq7_env(TARGET, "trn9", &["check", "--json", ADD_INT]).exits(2).refused("call");
    vq7(["disasm", "--json", "nowhere"]).exits(2).refused("call");
    let cut = folder.write("cut.bin", &bytes(ADD_INT)[..60]);
    vq7(["check", "--json", &cut]).exits(2).refused("file");
    vq7(["run", "--json", &folder.at("none.vq7")]).exits(2).refused("file");
    assert_eq!(vq7(["check", "--target", "trn9", ADD_INT]).exits(2).out, "");
    assert_eq!(vq7(["check", "--target", "trn9", "--", "--json"]).exits(2).out, "", "a word may be called --json");
    vq7(["--json", "--help"]).exits(0).shows("Usage");
}

const TWO: &str = "tensor a: int32[1, 2] = [1, 2]\nb = add_int(a, a)\nc = add_int(b, a)\n";

#[test]
fn a_tensor_goes_to_every_file_that_is_named_for_it() {
    let folder = Folder::new();
    let program = folder.write("p.vq7", format!("{TWO}output b -> \"x.npy\"\noutput b -> \"y.npy\"\n"));
    let answer = vq7(["run", "--json", &program]).exits(0).json();
    assert_eq!(answer["written"].as_array().unwrap().len(), 2);
    assert_eq!(folder.read("x.npy"), folder.read("y.npy"));
    let z = folder.at("z.npy");
    std::fs::remove_file(folder.at("x.npy")).unwrap();
    vq7(["run", &program, "--out", &format!("b={z}")]).exits(0);
    assert!(folder.has("z.npy") && !folder.has("x.npy"), "--out stands for what the program names");
}

#[test]
fn two_outputs_to_one_file_are_refused_before_any_work() {
    let folder = Folder::new();
    for (first, second) in [("x.npy", "x.npy"), ("x.npy", "./x.npy"), ("sub/../x.npy", "x.npy")] {
        std::fs::create_dir_all(folder.path().join("sub")).unwrap();
        let program = folder.write("p.vq7", format!("{TWO}output b -> \"{first}\"\noutput c -> \"{second}\"\n"));
        let ran = vq7(["run", "--json", &program]).exits(2).says("outputs `b` and `c` go to the same file");
        ran.refused("file");
        assert!(!folder.has("x.npy"));
    }
    let program = folder.write("p.vq7", format!("{TWO}output b -> \"/dev/null\"\noutput c -> \"/dev/null\"\n"));
    vq7(["run", &program]).exits(0);
}

#[test]
fn a_run_that_cannot_write_all_outputs_writes_none() {
    let folder = Folder::new();
    for (second, message) in [("", "empty"), ("missing/y.npy", "make it first"), ("sub/", "folder"), ("y.npz", ".npy")]
    {
        std::fs::create_dir_all(folder.path().join("sub")).unwrap();
        let program = folder.write("p.vq7", format!("{TWO}output b -> \"x.npy\"\noutput c -> \"{second}\"\n"));
        vq7(["run", &program]).exits(2).says(message);
        assert!(!folder.has("x.npy"), "{second}");
    }
    let program = folder.write("p.vq7", format!("{TWO}output b -> \"x.npy\"\noutput c\n"));
    vq7(["run", &program, "--out", "c="]).exits(2).says("NAME=FILE");
    if std::fs::metadata("/dev/full").is_ok() {
        vq7(["run", &program, "--out", "c=/dev/full"]).exits(2).says("/dev/full");
    }
    assert_eq!(folder.names(), ["p.vq7", "sub"], "no output and no temporary file");
    let a = folder.int32("a.npy", &[1]);
    vq7(["tt", "--op", "add", "--a", &a, "--b", &a, "--out", ""]).exits(2).says("empty");
    vq7(["asm", &program, "-o", ""]).exits(2).says("empty");
}

#[test]
fn archives_are_not_written() {
    let folder = Folder::new();
    let a = folder.int32("a.npy", &[1]);
    for name in ["c.npz", "c.NPZ"] {
        vq7(["tt", "--op", "add", "--a", &a, "--b", &a, "--out", &folder.at(name)]).exits(2).says("name a .npy file");
    }
    assert_eq!(folder.names(), ["a.npy"]);
}

#[test]
fn a_program_is_not_overwritten_by_its_own_output() {
    let folder = Folder::new();
    let text = format!("{TWO}output b -> \"p.vq7\"\n");
    let program = folder.write("p.vq7", &text);
    let other = folder.path().join("sub/../p.vq7");
    std::fs::create_dir_all(folder.path().join("sub")).unwrap();
    for out in [&program[..], other.to_str().unwrap()] {
        vq7(["asm", &program, "-o", out]).exits(2).says("is the program itself");
    }
    vq7(["run", &program]).exits(2).says("is the program itself");
    assert_eq!(folder.read("p.vq7"), text.as_bytes());
}

#[test]
fn an_output_without_a_file_is_said_to_be_unwritten() {
    let folder = Folder::new();
    let program = folder.write("p.vq7", format!("{TWO}output b -> \"x.npy\"\noutput c\n"));
    let ran = vq7(["run", &program]).exits(0).shows("output c is not written; give --out c=FILE\n");
    assert!(!ran.out.contains("output b is not"));
    assert_eq!(vq7(["run", "--json", &program]).exits(0).json()["not_written"], serde_json::json!(["c"]));
}

#[test]
fn an_op_that_no_word_may_hold_is_explained_and_exits_1() {
    let op = |arguments: &[&str]| vq7([&["explain", "--op"], arguments].concat());
    let divide = ["divide", "--types", "float32", "--a", "3", "--b", "2"];
    let ran = op(&divide).exits(1).says("illegal: s3s3d3_tt_valid_op").says("those of the lane library");
    ran.shows("= 1.5 (float32)")
        .shows("verdict illegal on trn2 (CAYMAN), engine any: s3s3d3_tt_valid_op: op (byte 14)");
    let answer = op(&[&divide[..], &["--json"]].concat()).exits(1).json();
    assert_eq!((&answer["verdict"], &answer["error"]["kind"]), (&"illegal".into(), &"illegal".into()));
    assert_eq!(answer["result"]["value"], "1.5");
    let add_int = ["add_int", "--types", "int32", "--a", "3", "--b", "2"];
    op(&add_int).exits(0).shows("verdict legal on trn2 (CAYMAN), engine any, taken by pool only");
    op(&[&add_int[..], &["--engine", "dve"]].concat()).exits(1).says("is_valid_tensor_tensor_arith_dve");
    let wide = ["add_int", "--types", "int64", "--a", "3", "--b", "2"];
    op(&wide).exits(0);
    op(&[&wide[..], &["--target", "trn1"]].concat()).exits(1).says("lane library");
}

#[test]
fn one_trap_has_one_name_and_errors_have_one_shape() {
    let folder = Folder::new();
    let trap = ["--json", "--policy", "int_div_zero=trap"];
    let (a, b) = (folder.int32("a.npy", &[1]), folder.int32("b.npy", &[0]));
    let program = folder.write("p.vq7", "tensor a: int32[1, 1] = 1\ntensor b: int32[1, 1] = 0\nc = divide_int(a, b)\n");
    let out = folder.at("c.npy");
    for arguments in [
        &["tt", "--op", "divide_int", "--a", &a, "--b", &b, "--out", &out][..],
        &["explain", "--op", "divide_int", "--types", "int32", "--a", "1", "--b", "0"],
        &["run", &program],
    ] {
        let answer = vq7([&trap[..], arguments].concat()).exits(1).json();
        assert_eq!(answer["error"]["kind"], "divide_by_zero", "{arguments:?}");
    }
    for arguments in [&["check", "--json", DIVIDE][..], &["explain", "--json", DIVIDE]] {
        let error = &vq7(arguments).exits(1).json()["error"];
        assert_eq!(error["kind"], "illegal");
        assert!(error["message"].as_str().unwrap().starts_with("s3s3d3_tt_valid_op: op"), "{error}");
    }
    assert_eq!(vq7(["check", "--json", ADD_INT]).exits(0).json()["error"], Value::Null);
    let policy = vq7(["policy", "--json", "--target", "trn3"]).exits(0).json();
    assert_eq!((&policy["target"], &policy["target_source"]), (&"trn3".into(), &"flag".into()));
}

#[test]
fn no_message_has_its_kind_twice() {
    let folder = Folder::new();
    let mut waiting = bytes(ADD_INT);
    (waiting[4], waiting[5]) = (0x04, 11);
    let waiting = folder.write("waiting.bin", waiting);
    let divide = folder.write("divide.bin", bytes(DIVIDE));
    let iota = folder.write("iota.bin", bytes(IOTA));
    for (words, kind) in [(&waiting, "deadlock"), (&divide, "illegal"), (&iota, "unimplemented")] {
        let ran = vq7(["run", words, "--allow-uninit"]).exits(1);
        assert_eq!((ran.out.matches(kind).count(), ran.err.matches(kind).count()), (1, 1), "{ran:?}");
        assert!(!ran.out.contains("illegal word") && !ran.out.contains("not implemented"), "{ran:?}");
    }
    vq7(["run", &waiting, "--allow-uninit"]).exits(1).says("--sem 11=V");
}

#[test]
fn assembling_words_that_fail_names_them() {
    let folder = Folder::new();
    let program =
        folder.write("p.vq7", "tensor a: int32[1, 1] = 1\nb = add_int(a, a)\n\nc = divide(a, a)\nd = divide(a, b)\n");
    let out = folder.at("p.bin");
    let ran = vq7(["asm", &program, "-o", &out]).warns("p.vq7, line 4, word 1: illegal: s3s3d3_tt_valid_op: op");
    let ran = ran.says("p.vq7, line 5, word 2: illegal");
    assert_eq!((ran.err.lines().count(), folder.read("p.bin").len()), (2, 192));
    let answer = vq7(["asm", "--json", &program, "-o", &out]).json();
    assert_eq!((&answer["refused"][0]["line"], &answer["refused"][1]["index"]), (&4.into(), &2.into()));
}

#[test]
fn registers_and_dumps_out_of_range_are_refused_before_any_work() {
    let folder = Folder::new();
    let words = folder.write("words.bin", bytes(ADD_INT));
    let run = |more: &[&str]| vq7([&["run", &words, "--allow-uninit"], more].concat());
    for register in ["64=1", "64=0x1000", "64=1x1x1", "4294967295=1"] {
        run(&["--reg", register]).exits(2).says("64 registers");
    }
    for register in ["63=1", "v64=1", "v4294967295=7", "0=0xffffffff"] {
        run(&["--reg", register]).exits(0);
    }
    run(&["--reg", "v1=1x1x1"]).exits(2).says("vN=V");
    run(&["--dump", "0:0x37ff0:16"]).exits(0);
    for dump in ["0:0x37ff0:17", "127:0x38000:1", "0:4294967295:4294967295"] {
        run(&["--dump", dump]).exits(2).says("0x38000 active bytes").says("trn2");
    }
    run(&["--dump", "0:0x38000:16", "--target", "trn3"]).exits(0);
}

#[test]
fn an_invalid_address_in_a_register_is_named_and_a_missing_one_has_its_flag() {
    let folder = Folder::new();
    let with = |at: usize, value: u32| {
        let mut word = bytes(ADD_INT);
        word[at..at + 4].copy_from_slice(&value.to_le_bytes());
        folder.write("words.bin", word)
    };
    let words = with(16, 0x8000_0005);
    let run = |more: &[&str]| vq7([&["run", &words, "--allow-uninit"], more].concat());
    run(&[]).exits(1).says("needs_registers").says("--reg 5=0x1000");
    for address in ["0x20000000", "0xffffffff", "0x1ffffff0"] {
        let ran = run(&["--reg", &format!("5={address}")]).exits(1);
        let ran = ran.says("invalid_address").says(&format!("address register 5 holds {address}"));
        assert!(!ran.err.contains("needs_registers"), "{ran:?}");
    }
    let words = with(16, 0x4000_0000);
    vq7(["run", &words, "--allow-uninit"]).exits(1).says("--reg src0=4x1x1");
}

#[test]
fn unspecified_and_later_ops_say_what_to_use() {
    let folder = Folder::new();
    let wide = folder.npy("wide.npy", "<i8", "(1,)", &[0; 8]);
    let narrow = folder.int32("narrow.npy", &[1]);
    let out = folder.at("c.npy");
    let tt = |op: &str, a: &str, b: &str, more: &[&str]| {
        vq7([&["tt", "--op", op, "--a", a, "--b", b, "--out", &out], more].concat())
    };
    tt("max", &wide, &wide, &[]).exits(1).says("for exact 64-bit integers use `max_int`");
    tt("re_lu", &narrow, &narrow, &[]).exits(1).says("`re_lu` exists from trn3 (MARIANA) on");
    let count = "the count of a shift of int64 must be uint32, or int64 like the value, and is int32";
    tt("left_shift", &wide, &narrow, &[]).exits(2).says(count);
    tt("left_shift", &wide, &narrow, &["--out-dtype", "int64"]).exits(1).says(count);
    let explain = ["explain", "--op", "add", "--types", "uint64", "--a", "1", "--b", "1"];
    vq7(explain).exits(1).says("use `add_int`").shows("use `add_int`");
    let clamp = ["explain", "--op", "symmetric_clamp", "--types", "float32", "--a", "1", "--b", "1"];
    vq7(clamp).exits(1).shows("`symmetric_clamp` exists from gen5 (MAVERICK) on");
    vq7(["tt", "--op", "add_int", "--a", &wide, "--b", &wide, "--out", &out, "--target", "gen5"]).exits(0);
}

#[test]
fn words_that_are_not_judged_have_no_engines() {
    let answer = vq7(["check", "--json", IOTA, ADD_INT]).exits(0).json();
    assert_eq!(
        (&answer["words"][0]["engines"]["pool"], &answer["words"][0]["engines"]["dve"]),
        (&Value::Bool(false), &Value::Bool(false))
    );
    assert_eq!(answer["words"][1]["engines"]["pool"], true);
    let ran = vq7(["check", IOTA]).exits(0).shows("not judged");
    assert!(!ran.out.contains("taken by"));
}

#[test]
fn a_program_in_place_of_words_is_called_one() {
    let folder = Folder::new();
    let program = folder.write("p.vq7", TWO);
    for command in ["check", "disasm", "explain"] {
        vq7([command, &program]).exits(2).says("this looks like a program").says(&format!("vq7 asm {program}"));
    }
    vq7_stdin(TWO.as_bytes(), &["check", "-"]).exits(2).says("standard input: this looks like a program");
}

#[test]
fn what_failed_does_not_rest_on_nothing_and_zeros_are_said() {
    let folder = Folder::new();
    let words = remarks_then_failure(&folder, 1, 0);
    let ran = vq7(["run", &words, "--allow-uninit"]).exits(0).shows("rests on zeros in place of bytes");
    assert!(!ran.out.contains("nothing that is open"));
    let answer = vq7(["run", "--json", &words, "--allow-uninit"]).exits(0).json();
    assert_eq!(answer["uninitialised_reads"], true);
    let program = folder.write("p.vq7", format!("{TWO}d = divide(a, a)\n"));
    let ran = vq7(["run", &program]).exits(1);
    assert!(!ran.out.contains("rests on nothing"), "{ran:?}");
    let program = folder.write("p.vq7", format!("{TWO}show b\n"));
    vq7(["run", &program]).exits(0).shows("rests on nothing that is open");
}

#[test]
fn help_lists_the_options_of_the_command_first_and_fits_it() {
    for name in ["run", "tt", "asm", "disasm", "check", "explain", "ops", "dtypes", "opcodes", "policy"] {
        let help = vq7([name, "--help"]).exits(0).out;
        let global = help.find("Options of every command:").unwrap();
        assert!(help.find("Options:").unwrap() < global && global < help.find("      --json\n").unwrap(), "{help}");
        let examples: Vec<_> = help.lines().filter(|line| line.starts_with("Example:")).collect();
        let fits = |line: &&str| line.starts_with(&format!("Example: vq7 {name}"));
        assert!(!examples.is_empty() && examples.iter().all(fits), "{help}");
    }
    vq7(["run", "--help"]).exits(0).shows("not_listed");
}
