//! `vq7 brute`.

#![cfg(feature = "oracle")]
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use clap::Parser;
use common::*;
use serde_json::Value;
use vq7_cli::commands::brute::{self, Plan};
use vq7_cli::invocation::{GlobalArgs, Invocation};
use vq7_oracle::Answer;
use vq7_report::brute::{Brute, BruteStatus};
use vq7_report::{Draw, Look};

fn brute(arguments: &[&str]) -> Ran {
    vq7([&["brute"], arguments].concat())
}

#[test]
fn every_pair_of_8_bit_operands_agrees() {
    let ran = brute(&["--op", "add", "--types", "e4m3"]).exits(0);
    ran.shows("judged by apfloat").shows("every pair: slice 0/1, cases 0..65536 of 65536").shows("65536 cases agree");
    let answer = brute(&["--op", "mult", "--types", "e4m3", "--policy", "e4m3=fn", "--json"]).exits(0).json();
    assert_eq!((&answer["status"], &answer["agreed"]), (&"agrees".into(), &65536.into()));
    assert_eq!((&answer["policy"][0], &answer["coverage"]), (&"e4m3=fn".into(), &"all".into()));
    let masked = answer["masked"].as_array().unwrap();
    assert!(masked.iter().any(|mask| mask["name"] == "nan_bits" && mask["cases"].as_u64() > Some(0)), "{masked:?}");
    assert_eq!(brute(&["--op", "add_int", "--types", "i8", "--json"]).json()["oracle"], "integers");
}

#[test]
fn slices_are_the_whole() {
    let mut cases = 0;
    for part in 0..3 {
        let answer = brute(&["--op", "subtract", "--types", "e5m2", "--slice", &format!("{part}/3"), "--json"]);
        cases += answer.exits(0).json()["agreed"].as_u64().unwrap();
    }
    assert_eq!(cases, 65536);
}

#[test]
fn wide_operands_are_weighted_and_a_case_has_a_name() {
    let answer = brute(&["--op", "mult", "--types", "f32,f32,bf16", "--json"]).exits(0).json();
    assert_eq!((&answer["coverage"], &answer["agreed"]), (&"L1:s0".into(), &answer["total"]));
    let name = "add:f32,f32,f16:L2:s7:12345";
    let answer = brute(&["--case", name, "--json"]).exits(0).json();
    assert_eq!((&answer["case"]["name"], &answer["agreed"]), (&name.into(), &1.into()));
    assert_eq!(answer["case"]["expected"]["bits"], answer["case"]["result"]["bits"]);
    // The command that it names shows the same element.
    let command: Vec<_> = answer["case"]["reproduce"].as_str().unwrap().split(' ').collect();
    let explained = vq7([&command[1..], &["--json"]].concat()).json();
    assert_eq!(explained["result"]["bits"], answer["case"]["result"]["bits"]);
    assert_eq!(explained["a"]["bits"], answer["case"]["a"]);
    brute(&["--op", "pow", "--types", "f32", "--oracle", "self"]).exits(0).shows("judged by self");
    brute(&["--op", "square", "--types", "f16"]).exits(0).shows("cases 0..65536 of 65536");
}

#[test]
fn what_nobody_judges_and_what_makes_no_sense_exits_2() {
    let cases: [(&[&str], &str); 13] = [
        (&["--op", "crc32", "--types", "u32"], "integer-band ops on integers"),
        (
            &["--op", "add", "--types", "f32", "--oracle", "integers"],
            "the oracle integers does not judge add:f32,f32,f32",
        ),
        (
            &["--op", "add", "--types", "f32", "--oracle", "numpy"],
            "use apfloat, integers, softfloat, core-math or self",
        ),
        (&["--op", "add", "--types", "i64"], "no oracle judges add:i64,i64,i64"),
        (&["--op", "add", "--types", "i64", "--oracle", "self"], "has no result to compare"),
        (&["--op", "ad_int", "--types", "i32"], "did you mean `add_int`"),
        (&["--op", "add", "--types", "f32,f32"], "three dtypes"),
        (&["--op", "add", "--types", "f32", "--exhaustive"], "--level 1"),
        (&["--op", "add", "--types", "f16", "--slice", "64/64"], "I below N"),
        (&["--op", "add", "--types", "f16", "--slice", "x"], "0/64"),
        (&["--op", "add", "--types", "f16", "--level", "3"], "1..=2"),
        (&["--case", "add:f16"], "add:f16,f16,f16:L1:s7:12345"),
        (&["--case", "add:e4m3,e4m3,e4m3:all:65536"], "0..65536"),
    ];
    for (arguments, message) in cases {
        assert_eq!(brute(arguments).exits(2).says(message).out, "");
    }
    brute(&[]).exits(2);
    brute(&["--op", "add"]).exits(2);
    brute(&["--op", "add", "--types", "f16", "--threads", "0"]).exits(2);
    brute(&["--case", "add:f16,f16,f16:all:1", "--op", "add", "--types", "f16"]).exits(2);
}

#[test]
fn a_run_goes_on_where_it_stopped() {
    let folder = Folder::new();
    let file = folder.at("state.json");
    let call = |more: &[&str]| {
        let fixed = ["--op", "add", "--types", "e3m4", "--slice", "1/2", "--resume", &file, "--json"];
        brute(&[&fixed, more].concat())
    };
    let answer = call(&["--stop-after", "1000"]).exits(0).json();
    assert_eq!((&answer["status"], &answer["agreed"]), (&"unfinished".into(), &1000.into()));
    let state: Value = serde_json::from_slice(&folder.read("state.json")).unwrap();
    assert_eq!(state["next"], 32768 + 1000);
    let resumed = call(&[]).exits(0).json();
    assert_eq!((&resumed["status"], &resumed["agreed"]), (&"agrees".into(), &32768.into()));
    let whole = brute(&["--op", "add", "--types", "e3m4", "--slice", "1/2", "--json"]).json();
    assert_eq!(resumed, whole, "the answer does not tell that there was a stop");
    // Once done, it stays done; nothing else is left in the folder.
    assert_eq!(call(&[]).exits(0).json(), whole);
    assert_eq!(folder.names(), ["state.json"]);

    // A file of another question, policy or form is named and left as it is.
    let before = folder.read("state.json");
    call(&["--policy", "round=up"]).exits(2).says("state.json").says("belongs to another run").says("round=up");
    brute(&["--op", "mult", "--types", "e3m4", "--resume", &file]).exits(2).says("another run");
    assert_eq!(folder.read("state.json"), before);
    for broken in ["", "{}", "[1]", "\u{1}"] {
        let path = folder.write("broken", broken);
        brute(&["--op", "add", "--types", "e3m4", "--resume", &path]).exits(2).says("no file of an earlier");
    }
    let text = String::from_utf8(before).unwrap();
    let path = folder.write("state.json", text.replace("\"agreed\":32768", "\"agreed\":9"));
    assert_eq!(path, file);
    call(&[]).exits(2).says("do not fit");
    brute(&["--op", "add", "--types", "e3m4", "--resume", &folder.at("none/state")]).exits(2).says("does not exist");
}

/// `brute` with another lane than vq7's own, in this process.
#[derive(Parser)]
struct InProcess {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(flatten)]
    brute: brute::Args,
}

fn judged(arguments: &[&str], fault: &(dyn Fn(u64, u64, Answer) -> Option<Answer> + Sync)) -> Brute {
    let call = InProcess::try_parse_from([&["vq7"], arguments].concat()).unwrap();
    let plan = Plan::new(&call.brute, &Invocation::new(&call.global).unwrap()).unwrap();
    brute::judge(&plan, &call.brute, &|a, b| fault(a, b, plan.evaluate(a, b).unwrap())).unwrap()
}

#[test]
fn a_planted_fault_stops_at_its_first_case_whatever_the_threads() {
    // In many chunks of cases, but not in the first one.
    let fault = |a: u64, b: u64, right: Answer| match a & 31 == 29 && b == 0x1234 {
        true => Some(Answer { bits: right.bits ^ 1, ..right }),
        false => Some(right),
    };
    let call = ["--op", "add", "--types", "f16", "--slice", "0/64", "--policy", "round=up"];
    let found = |threads: &str| judged(&[&call[..], &["--threads", threads]].concat(), &fault);
    let one = found("1");
    assert_eq!((one.status, one.agreed & 0xFFFF), (BruteStatus::Mismatch, 0x1234));
    assert!(one.agreed > 1 << 18, "{one:?}");
    for threads in ["2", "5"] {
        assert_eq!(found(threads), one);
    }
    let flags = |_, _, right: Answer| Some(Answer { flags: right.flags ^ vq7_oracle::flag::INEXACT, ..right });
    let found = judged(&call, &flags);
    let case = found.case.clone().unwrap();
    assert_eq!((found.status, found.agreed, case.name.as_str()), (BruteStatus::Mismatch, 0, "add:f16,f16,f16:all:0"));
    assert_eq!(case.expected.bits, case.result.unwrap().bits, "only a flag differs");
    let expected = "vq7 explain --op add --types float16,float16,float16 --a 0x0000 --b 0x0000 --policy round=up";
    assert_eq!(case.reproduce, expected);
    let text = found.text(&Look::PLAIN);
    assert!(text.ends_with(&format!("{expected}\n")), "{text}");
    assert!(text.contains("0 cases agree, then one differs"), "{text}");
    let nothing = judged(&["--op", "add", "--types", "e5m2", "--slice", "1/2"], &|_, _, _| None);
    assert!(nothing.text(&Look::PLAIN).contains("no result"));
}

#[test]
fn a_mismatch_is_not_kept_as_done() {
    let folder = Folder::new();
    let file = folder.at("state");
    let call = ["--op", "mult", "--types", "e4m3", "--resume", &file];
    let fault =
        |_, b, right: Answer| Some(Answer { bits: if b == 0x41 { right.bits ^ 1 } else { right.bits }, ..right });
    let first = judged(&call, &fault);
    assert_eq!((first.status, first.agreed), (BruteStatus::Mismatch, 0x41));
    assert_eq!(judged(&call, &fault), first, "the second run comes to the same case");
    let mended = judged(&call, &|_, _, right| Some(right));
    assert_eq!((mended.status, mended.agreed, mended.case), (BruteStatus::Agrees, 65536, None));
}
