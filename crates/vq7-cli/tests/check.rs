//! `vq7 check`, `vq7 disasm` and what words may come as.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::*;

#[test]
fn every_row_of_words_csv_has_its_verdict() {
    let text = std::fs::read_to_string(repository().join("vectors/words.csv")).unwrap();
    for line in text.lines().skip(1) {
        let [row, hex, target, engine, verdict, first_failed] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let code = i32::from(matches!(verdict, "illegal" | "unspecified"));
        let answer = vq7(["check", "--json", "--target", target, "--engine", engine, hex]).exits(code).json();
        let word = &answer["words"][0];
        assert_eq!(word["verdict"], verdict, "{row}");
        assert_eq!(word["first_failed"].as_str().unwrap_or(""), first_failed, "{row}");
        assert_eq!(answer["target"], target, "{row}");
    }
}

#[test]
fn json_has_the_fields_that_are_promised() {
    let answer = vq7(["check", "--json", ADD_INT, DIVIDE, IOTA]).exits(1).json();
    assert_eq!(answer["target_source"], "default");
    let [legal, illegal, other] = [0, 1, 2].map(|index| &answer["words"][index]);
    assert_eq!(legal["hex"], ADD_INT);
    assert_eq!((&legal["index"], &legal["offset"], &legal["opcode"]), (&0.into(), &0.into(), &0x41.into()));
    assert_eq!(legal["name"], "TENSOR_TENSOR_ARITH_OP");
    assert_eq!((&legal["verdict"], &legal["first_failed"]), (&"legal".into(), &serde_json::Value::Null));
    assert_eq!(legal["engines"], serde_json::json!({"pool": true, "dve": false}));
    assert!(legal["rules"].as_array().unwrap().iter().all(|rule| rule["passed"] == true && rule["saw"].is_string()));
    assert_eq!(illegal["first_failed"], "s3s3d3_tt_valid_op");
    let failing = illegal["rules"].as_array().unwrap().iter().find(|rule| rule["passed"] == false).unwrap();
    assert!(failing["saw"].as_str().unwrap().contains("DIVIDE"), "{failing}");
    assert_eq!(other["verdict"], "not_judged");
    assert_eq!(other["offset"], 128);
    let summary = &answer["summary"];
    assert_eq!([&summary["words"], &summary["legal"], &summary["illegal"], &summary["not_judged"]], [3, 1, 1, 1]);
    assert_eq!(summary["by_rule"][0]["rule"], "s3s3d3_tt_valid_op");
}

#[test]
fn text_shows_the_rule_and_what_it_saw() {
    vq7(["check", ADD_INT]).exits(0).shows("legal, taken by pool only").shows("1 word: 1 legal");
    let ran = vq7(["check", "--engine", "dve", ADD_INT]).exits(1).says("is_valid_tensor_tensor_arith_dve");
    ran.shows("is_valid_tensor_tensor_arith_dve: op and dtypes (byte 12)");
    vq7(["check", IOTA]).exits(0).shows("not judged");
    vq7(["check", "-v", ADD_INT]).exits(0).shows("pass tensor3d_valid");
}

#[test]
fn long_streams_show_failures_and_a_summary() {
    let folder = Folder::new();
    let mut stream = bytes(ADD_INT).repeat(300);
    stream.extend(bytes(DIVIDE).repeat(150));
    let path = folder.write("words.bin", &stream);
    let ran = vq7(["check", &path]).exits(1).says("150 of 450 words; the first is word 300 at byte 0x4b00");
    assert_eq!(ran.out.matches("word 3").count(), 100, "failures only, and not all of them");
    let ran = ran.shows("50 more failures; --verbose shows all").shows("450 words: 300 legal, 150 illegal");
    assert!(!ran.out.contains("word 0 at"));
    assert_eq!(vq7(["check", "-v", &path]).out.matches("\nword ").count(), 450);
}

#[test]
fn words_come_as_digits_files_and_standard_input() {
    let folder = Folder::new();
    let raw = folder.write("raw.bin", [bytes(ADD_INT), bytes(DIVIDE)].concat());
    let hex = folder.write("hex.txt", format!("# two words\n{ADD_INT}\n\n0x{DIVIDE} # divide\n"));
    let lines = |arguments: &[&str]| vq7([&["disasm"], arguments].concat()).exits(0).out.lines().count();
    let spaced = format!("0x{}_{} {}", &ADD_INT[..10], &ADD_INT[10..64], &ADD_INT[64..]);
    assert_eq!(lines(&[&spaced]), 1);
    assert_eq!(lines(&[&raw, &hex, ADD_INT]), 5);
    let ran = vq7_stdin(&bytes(ADD_INT), &["check", "--json", "-"]).exits(0);
    assert_eq!(ran.json()["words"][0]["hex"], ADD_INT);
}

#[test]
fn what_is_no_word_is_refused_with_both_reasons() {
    vq7(["check", "nowhere.bin"]).exits(2).says("neither a file nor a word").says("No such file").says("no hex digit");
    vq7(["check", "4110"]).exits(2).says("128 hex digits (64 bytes), not 4");
    let folder = Folder::new();
    let cut = folder.write("cut.bin", &bytes(ADD_INT).repeat(2)[..100]);
    vq7(["check", &cut]).exits(2).says("1 words of 64 bytes and 36 bytes more").says("cut.bin");
    let empty = folder.write("empty.bin", "");
    vq7(["check", &empty]).exits(2).says("the stream is empty");
    vq7(["check", folder.path().to_str().unwrap()]).exits(2);
    let text = folder.write("text.txt", format!("{ADD_INT}\n41zz\n"));
    vq7(["check", &text]).exits(2).says("line 2");
    vq7(["check"]).exits(2).says("WORDS");
    vq7_stdin(b"", &["check", "-"]).exits(2).says("standard input");
}

#[test]
fn a_disassembled_stream_assembles_to_the_same_bytes() {
    let folder = Folder::new();
    let stream = [ADD_INT, DIVIDE, IOTA].map(bytes).concat();
    let words = folder.write("words.bin", &stream);
    let text = vq7(["disasm", &words]).exits(0).out;
    assert_eq!(text.lines().count(), 3);
    let program = folder.write("words.vq7", text);
    let out = folder.at("again.bin");
    vq7(["asm", &program, "-o", &out])
        .warns("line 2, word 1: illegal: s3s3d3_tt_valid_op")
        .shows("3 words: 1 legal, 1 illegal, 1 not judged");
    assert_eq!(folder.read("again.bin"), stream);
    vq7(["asm", &program, "-o", &out, "--hex"]).warns("illegal");
    assert_eq!(folder.read("again.bin"), format!("{ADD_INT}\n{DIVIDE}\n{IOTA}\n").as_bytes());
    let lines = vq7(["disasm", "--json", &words]).exits(0).json();
    assert!(lines["words"][1]["text"].as_str().unwrap().contains("op=divide"));
}
