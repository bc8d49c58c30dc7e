//! Waits that end, waits that never do, and why.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use vq7_isa::Word;
use vq7_isa::inst::UserOpcodes;
use vq7_isa::text::parse_line;
use vq7_neff::{FoundBy, Stream, StreamWords};
use vq7_policy::Policy;
use vq7_report::neff::{LoadedStream, Streams};
use vq7_report::semaphores::{Semaphores, Why};

/// Streams of EVENT_SEMAPHORE words with these waits and signals.
fn streams(texts: &[&[&str]]) -> Streams {
    let word = |text: &&str| parse_line(&format!("EVENT_SEMAPHORE {text};"), &Policy::default()).unwrap();
    let streams = texts.iter().enumerate().map(|(number, texts)| LoadedStream {
        stream: Stream { member: format!("s{number}"), engine: None, found_by: FoundBy::Name },
        content: StreamWords { words: texts.iter().map(word).collect(), stopped: None, end: None },
    });
    Streams { streams: streams.collect(), warnings: Vec::new() }
}

/// Stream and word of every unsatisfied wait, and why; flows as (stream, word) pairs.
fn look(texts: &[&[&str]]) -> (Vec<(String, Why)>, Vec<String>) {
    let answer = Semaphores::new(&streams(texts), &UserOpcodes::default());
    let stuck = answer.unsatisfied.iter().map(|u| (format!("{}:{}", u.place.member, u.place.index), u.why));
    let flow = |f: &vq7_report::semaphores::Flow| {
        format!("{} {}:{} {}:{}", f.resource, f.from_member, f.from_index, f.to_member, f.to_index)
    };
    (stuck.collect(), answer.flows.iter().map(flow).collect())
}

#[test]
fn waits_end_by_the_signal_that_reaches_the_threshold() {
    let signals: &[&str] = &["$S[1]++@complete", "$S[1]++@read", "$S[1]+=3@complete"];
    let (stuck, flows) = look(&[&["$S[1]>=2", "$S[1]>4"], signals]);
    assert_eq!(stuck, []);
    // Streams run as far as they can, so both waits see the last signal.
    assert_eq!(flows, ["$S[1] s1:2 s0:0", "$S[1] s1:2 s0:1"]);
    assert_eq!(look(&[&["$S[1]==0", "$S[2]<5", "$S[3]<=0", "$E[4]==clear"]]).0, []);
}

#[test]
fn waits_that_never_end_say_why() {
    let one = |text: &str, why| {
        let (stuck, _) = look(&[&[text], &["$S[1]++@complete"]]);
        assert_eq!(stuck, [("s0:0".to_owned(), why)], "{text}");
    };
    one("$S[2]>0", Why::NeverSignalled);
    one("$S[1]>1", Why::TooFewSignals);
    one("$S[1]<0", Why::Impossible);
    one("$S[1]>4294967295", Why::Impossible);
    one("$E[3]==set", Why::NeverSignalled);
}

#[test]
fn two_streams_that_wait_for_each_other_are_told() {
    let (stuck, flows) = look(&[&["$S[1]>0", "$S[2]++@complete"], &["$S[2]>0", "$S[1]++@complete"]]);
    assert_eq!(stuck, [("s0:0".to_owned(), Why::Order), ("s1:0".to_owned(), Why::Order)]);
    assert_eq!(flows, Vec::<String>::new());
    let (stuck, _) = look(&[&["$S[9]>0", "$S[1]++@complete"], &["$S[1]>0"]]);
    assert_eq!(stuck, [("s0:0".to_owned(), Why::NeverSignalled), ("s1:0".to_owned(), Why::Order)]);
}

#[test]
fn nothing_is_called_a_deadlock_that_may_be_none() {
    // Counted down, written, compared with a register, set by a wait that flips.
    assert_eq!(look(&[&["$S[1]>5"], &["$S[1]--@complete"]]).0, []);
    assert_eq!(look(&[&["$S[1]==7"], &["$S[1]=7@complete"]]).0, []);
    assert_eq!(look(&[&["$S[1]>$R[3]"]]).0, []);
    assert_eq!(look(&[&["$E[1]==set"], &["$E[1]==clear,set"]]).0, []);
}

/// EVENT_SEMAPHORE has a second event block with values of its own.
#[test]
fn the_second_block_of_event_semaphore_counts() {
    let second = |wait: u8, update: u8, value: u8| {
        let mut bytes = [0u8; 64];
        (bytes[0], bytes[1], bytes[32], bytes[33], bytes[34], bytes[35]) = (0xA0, 0x10, wait, 5, update, 6);
        (bytes[36], bytes[40]) = (value, value);
        Word(bytes)
    };
    let mut two = streams(&[&[], &[]]);
    two.streams[0].content.words = vec![second(0x05, 0x15, 2)];
    let answer = Semaphores::new(&two, &UserOpcodes::default());
    let uses: Vec<_> = answer.resources.iter().map(|u| (u.resource.index, u.signals.len(), u.waits.len())).collect();
    assert_eq!(uses, [(5, 0, 1), (6, 1, 0)]);
    assert_eq!(answer.resources[1].signals[0].action, "adds 2 to semaphore 6 after the last write");
    assert_eq!(answer.unsatisfied[0].why, Why::NeverSignalled);
    assert!(answer.svg().contains("#c00000"));
}
