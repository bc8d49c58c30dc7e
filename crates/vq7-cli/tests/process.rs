//! What holds for every command: exit codes, streams, colours, the environment.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::*;
use std::io::Read;
use std::process::Stdio;

#[test]
fn the_environment_sets_the_default_target_and_the_answer_says_so() {
    for name in ["trn1", "gen2", "Sunda"] {
        let answer = vq7_env(TARGET, name, &["check", "--json", ADD_INT]).exits(0).json();
        assert_eq!((&answer["target"], &answer["target_source"]), (&"trn1".into(), &TARGET.into()));
    }
    let ran = vq7_env(TARGET, "trn3", &["check", ADD_INT]).exits(0);
    ran.shows("target trn3 (MARIANA)").shows(&format!("target taken from {TARGET}"));
    let answer = vq7_env(TARGET, "trn1", &["check", "--json", "--target", "gen3", ADD_INT]).exits(0).json();
    assert_eq!((&answer["target"], &answer["target_source"]), (&"trn2".into(), &"flag".into()));
    vq7_env(TARGET, "", &["check", ADD_INT]).exits(0).shows("target trn2");
    let ran = vq7_env(TARGET, "trn9", &["check", ADD_INT]).exits(2).says(TARGET).says("trn9");
    assert_eq!(ran.out, "");
    let disasm = vq7_env(TARGET, "trn1", &["disasm", ADD_INT]);
    assert_eq!((disasm.code, disasm.out.lines().count()), (0, 1));
    assert!(disasm.err.contains(TARGET));
}

#[test]
fn errors_of_the_call_exit_2_and_say_what_to_write() {
    vq7(["frobnicate"]).exits(2);
    vq7(["check", "--target", "trn9", ADD_INT]).exits(2).says("trn2 (gen3, cayman)");
    vq7(["check", "--engine", "tpu", ADD_INT]).exits(2).says("pool (gpsimd)");
    vq7(["check", "--policy", "round", ADD_INT]).exits(2).says("knob=value");
    vq7(["check", "--policy", "rund=zero", ADD_INT]).exits(2).says("the knobs are");
    vq7(["check", "--policy", "round=even", ADD_INT]).exits(2).says("use nearest_even");
    let nothing: [&str; 0] = [];
    vq7(nothing).exits(2).says("Usage");
}

#[test]
fn every_command_has_help_with_an_example() {
    let oracle = cfg!(feature = "oracle").then_some("brute");
    let names = ["run", "tt", "asm", "disasm", "check", "explain", "ops", "dtypes", "opcodes", "policy"];
    for name in names.into_iter().chain(oracle) {
        vq7([name, "--help"]).exits(0).shows("Example: vq7");
    }
    vq7(["--version"]).exits(0).shows("vq7 0");
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let escape = "\u{1b}[";
    assert!(!vq7(["check", DIVIDE]).out.contains(escape));
    vq7(["--color", "always", "check", DIVIDE]).shows(escape);
    assert!(!vq7(["--color", "never", "check", DIVIDE]).out.contains(escape));
    let ran = common::command(["check", DIVIDE]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().unwrap();
    assert!(!String::from_utf8_lossy(&ran.stdout).contains(escape));
    assert!(!vq7(["--color", "always", "--json", "check", DIVIDE]).out.contains(escape), "JSON is never coloured");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    let path = folder.write("words.bin", bytes(ADD_INT).repeat(20_000));
    for arguments in [&["disasm", &path][..], &["check", "-v", &path], &["check", "--json", &path], &["opcodes"]] {
        let mut child = common::command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 16];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
    let mut child = common::command(["--help"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait_with_output().unwrap().stderr.is_empty());
}

#[test]
fn a_full_disk_is_an_error() {
    if let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") {
        let output = common::command(["opcodes"]).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("standard output"));
    }
}
