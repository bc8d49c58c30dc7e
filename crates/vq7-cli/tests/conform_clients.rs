//! `vq7 conform run`: clients that answer, die, hang, or answer what was not asked.
//!
//! Answers come in the order of the questions, so a file of them is a client: `cat answers`.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::*;
use serde_json::Value;
use std::fs;
use std::time::Instant;

/// A kit with its right answers.
struct Bench {
    folder: Folder,
    kit: String,
    /// The client's first line.
    hello: Vec<u8>,
    /// One answer per question, the words to refuse last.
    replies: Vec<Vec<u8>>,
    cases: usize,
}

fn reply(number: usize, status: u32, body: &[u8]) -> Vec<u8> {
    let header = [number as u32, status, body.len() as u32].map(u32::to_le_bytes);
    [&header.concat(), body].concat()
}

impl Bench {
    fn new() -> Self {
        let folder = Folder::new();
        let kit = folder.at("kit");
        let arguments = ["conform", "generate", "-o", &kit, "--shard", "0/2048"];
        vq7(arguments).exits(0);
        let shard = folder.path().join("kit/shard-0000-of-2048");
        let file = |name: &str| fs::read(shard.join(name)).unwrap();
        let (cases, expected) = (file("cases.bin"), file("expected.bin"));
        let mut replies = Vec::new();
        for (number, record) in cases.chunks(64).enumerate() {
            let field = |at: usize| u32::from_le_bytes(record[at..at + 4].try_into().unwrap()) as usize;
            replies.push(reply(number, 0, &expected[field(8)..][..field(16)]));
        }
        let cases = replies.len();
        let negatives: Value = serde_json::from_slice(&file("negative.json")).unwrap();
        for (number, negative) in negatives.as_array().unwrap().iter().enumerate() {
            replies.push(reply(cases + number, 1, negative["rule"].as_str().unwrap().as_bytes()));
        }
        assert!(cases > 15 && replies.len() > cases, "{} replies", replies.len());
        let hello = b"{\"protocol\": \"vq7-conform\", \"version\": 1, \"producer\": \"a file\"}\n".to_vec();
        Self { folder, kit, hello, replies, cases }
    }

    /// Runs `client`, in which `ANSWERS` is a file of these bytes.
    fn run(&self, answers: &[&[u8]], client: &str) -> Ran {
        let file = self.folder.write("answers", answers.concat());
        let (client, results) = (client.replace("ANSWERS", &file), self.folder.at("results"));
        vq7(["conform", "run", &self.kit, "--cmd", &client, "--timeout", "2", "-o", &results])
    }

    /// Compares what was kept.
    fn kept(&self) -> Value {
        let ran = vq7(["conform", "check", &self.kit, "--results", &self.folder.at("results"), "--json"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        ran.json()
    }
}

#[test]
fn a_client_that_answers_everything_right_passes() {
    let bench = Bench::new();
    let ran = bench.run(&[&bench.hello, &bench.replies.concat()], "cat ANSWERS").exits(0);
    ran.shows("results of a file").shows("are equal").shows("illegal words are refused as they must be");
    // The results are kept and can be compared again.
    let results = bench.folder.at("results");
    let answer = vq7(["conform", "check", &bench.kit, "--results", &results, "--json"]).exits(0).json();
    assert_eq!(answer["total"]["cases"], bench.cases);
}

#[test]
fn a_wrong_answer_an_unsupported_case_and_a_taken_word_are_told_apart() {
    let mut bench = Bench::new();
    let body = bench.replies[3].len();
    bench.replies[3][body - 9] ^= 0x80;
    bench.replies[4] = reply(4, 2, b"no such op");
    bench.replies[5] = reply(5, 1, b"s3s3d3_tt_valid_op");
    bench.replies[bench.cases] = reply(bench.cases, 0, b"");
    let ran = bench.run(&[&bench.hello, &bench.replies.concat()], "cat ANSWERS").exits(1);
    ran.says("1 legal cases are refused").says("1 cases are not supported").says("1 illegal words are taken");
    let answer = bench.kept();
    assert_eq!((&answer["status"], &answer["total"]["refused"]), (&"mismatch".into(), &1.into()));
    assert_eq!(answer["negatives"]["taken"], 1);
    assert_eq!(answer["total"]["missing"], 0);
}

#[test]
fn a_client_that_dies_is_named_and_its_answers_are_kept() {
    let bench = Bench::new();
    let answers = [&bench.hello[..], &bench.replies[..7].concat()];
    let client = "sh -c 'cat ANSWERS; exit 3'";
    let ran = bench.run(&answers, client).exits(2);
    ran.says("it died: exit status: 3").says("7 of ").says("are kept");
    let kept = bench.kept();
    assert_eq!((&kept["status"], &kept["total"]["mismatching"]), (&"incomplete".into(), &0.into()));
    assert_eq!(kept["total"]["missing"], bench.cases - 7);
    assert!(kept["ended"].as_str().unwrap().contains("it died"));
    // In the middle of an answer, before the first word, and without a first line.
    let half = &bench.replies[7][..40];
    bench.run(&[answers[0], answers[1], half], "cat ANSWERS").exits(2).says("its answer ends early").says("7 of ");
    bench.run(&[&bench.hello], "cat ANSWERS").exits(2).says("it died").says("0 of ");
    bench.run(&[], "sh -c 'exit 5'").exits(2).says("it died: exit status: 5");
    bench.run(&[], "/no/such/program").exits(2).says("it died: exit status: 127");
    // All is answered, and then it fails.
    let all = [&bench.hello[..], &bench.replies.concat()];
    bench.run(&all, client).exits(2).says("exit status: 3 behind the last answer");
}

#[test]
fn a_client_that_hangs_is_stopped() {
    let bench = Bench::new();
    let answers = [&bench.hello[..], &bench.replies[..2].concat()];
    let begin = Instant::now();
    let ran = bench.run(&answers, "sh -c 'cat ANSWERS; sleep 60'").exits(2);
    ran.says("it hangs: no answer within 2 s").says("2 of ").says("are kept");
    assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
    assert_eq!(bench.kept()["total"]["missing"], bench.cases - 2);
    bench.run(&[], "sleep 60").exits(2).says("it hangs");
}

#[test]
fn a_client_that_answers_too_much_or_nonsense_is_named() {
    let bench = Bench::new();
    let (hello, all) = (&bench.hello[..], bench.replies.concat());
    let first = &bench.replies[0];
    let longer = reply(0, 0, &[&first[12..], &[0; 5]].concat());
    let shorter = reply(0, 0, &first[12..first.len() - 1]);
    let endless = [0, 0, u32::MAX].map(u32::to_le_bytes).concat();
    let cases: [(&[&[u8]], &str); 7] = [
        (&[hello, &all, b"more"], "answer ends early"),
        (&[hello, &all, first], "answers too much: something comes behind the last answer"),
        (&[hello, &longer], "it answers too much"),
        (&[hello, &shorter], "it answers too little"),
        (&[hello, &endless], "it answers too much: 4294967295 bytes"),
        (&[hello, &bench.replies[1]], "it answers frame 1 where frame 0 was asked"),
        (&[hello, &reply(0, 9, b"")], "it answers with status 9"),
    ];
    for (answers, message) in cases {
        bench.run(answers, "cat ANSWERS").exits(2).says(message).says("are kept");
    }
    bench.run(&[b"hello\n"], "cat ANSWERS").exits(2).says("its first line is not").says("`hello`");
    let other = b"{\"protocol\": \"other\", \"version\": 1, \"producer\": \"x\"}\n";
    bench.run(&[other], "cat ANSWERS").exits(2).says("it speaks other 1");
    bench.run(&[&[0xFF; 100_000]], "cat ANSWERS").exits(2).says("its first line is not");
}

#[test]
fn results_do_not_go_into_the_kit() {
    let bench = Bench::new();
    vq7(["conform", "run", &bench.kit, "--cmd", "cat", "-o", &bench.kit]).exits(2).says("this is the kit's folder");
    vq7(["conform", "run", &bench.kit, "--cmd", "cat", "--timeout", "0"]).exits(2).says("number of seconds");
}
