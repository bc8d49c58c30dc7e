//! Traces of one small run: what the viewers' formats ask for, and that stalls are where they belong.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod hand;

use hand::*;
use std::collections::{BTreeMap, BTreeSet};
use vq7_iss::memory::DATA_RAM;
use vq7_iss::oracle::Leaves;
use vq7_iss::pipeline::{Core, Settings, Stop};
use vq7_iss::trace::text::Text;
use vq7_iss::trace::{Timeline, kanata, perfetto, svg};
use vq7_iss::work::Work;

/// A load, an fp sum that needs it, a store that waits for the sum, and a loop that runs it twice.
fn small() -> Work {
    program(&[
        &[movi(0, 1, 2)],
        &[looped(1, 5)],
        &[row(1, true, 0, 2, 64)],
        &[fadd(3, 1, 0, 0)],
        &[row(0, false, 1, 3, 64)],
    ])
}

fn traced(work: &Work) -> (Timeline, String) {
    let start = state(&[(a(2), word(DATA_RAM)), (a(3), word(DATA_RAM + 0x800))]);
    let mut core = Core::new(work, start, Leaves, Settings::default());
    let mut listeners = (Timeline::new(1000), Text::new(&work.listing, true));
    assert_eq!(core.run(&mut listeners, 1000), Ok(Stop::Done));
    assert_eq!(core.tally().operand_cycles(), 4);
    (listeners.0, listeners.1.into_text())
}

/// Label, stages with their cycles, stalled cycles.
type Shown = (String, Vec<(String, u64)>, u64);

/// Reads a Kanata log as a viewer does and gives, per instruction, its stages with their cycles and its stalled cycles.
fn read_kanata(log: &str) -> BTreeMap<u32, Shown> {
    let mut lines = log.lines();
    assert_eq!(lines.next(), Some("Kanata\t0004"));
    let (mut now, mut seen, mut open, mut retired) = (0, BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let id = fields[1].parse().unwrap();
        if !matches!(fields[0], "C" | "C=" | "I") {
            assert!(seen.contains_key(&id) && !retired.contains(&id), "{line}: before I or after R");
        }
        match (fields[0], fields.len()) {
            ("C=", 2) => now = fields[1].parse().unwrap(),
            ("C", 2) => now += fields[1].parse::<u64>().unwrap(),
            ("I", 4) => assert!(seen.insert(id, (String::new(), Vec::new(), 0)).is_none()),
            ("L", 4) if fields[2] == "0" => seen.get_mut(&id).unwrap().0.push_str(fields[3]),
            ("L", 4) => assert_eq!(fields[2], "1"),
            ("S", 4) if fields[2] == "0" => seen.get_mut(&id).unwrap().1.push((fields[3].to_owned(), now)),
            ("S", 4) => assert!(open.insert((id, fields[3].to_owned()), now).is_none()),
            ("E", 4) => seen.get_mut(&id).unwrap().2 += now - open.remove(&(id, fields[3].to_owned())).unwrap(),
            ("W", 4) => assert!(seen.contains_key(&fields[2].parse().unwrap())),
            ("R", 4) => assert!(retired.insert(id)),
            _ => panic!("{line}"),
        }
    }
    assert!(open.is_empty() && retired.len() == seen.len());
    seen
}

#[test]
fn kanata_logs_read_back_with_stages_and_stalls_in_place() {
    let work = small();
    let (timeline, _) = traced(&work);
    let seen = read_kanata(&kanata::log(&timeline, &work.listing, 0));
    // Two bundles of one op, and three of one op twice.
    assert_eq!(seen.len(), 8);
    let store = seen.values().find(|(label, ..)| label.contains("sv v1")).unwrap();
    assert_eq!(store.2, 2, "the store waits two cycles for the fp sum");
    let stage = |name: &str| store.1.iter().find(|(stage, _)| stage == name).unwrap().1;
    assert_eq!((stage("I0") - stage("De"), stage("X10") - stage("I0")), (2, 10));
}

#[test]
fn perfetto_traces_have_a_track_per_slot_and_one_for_stalls() {
    let work = small();
    let (timeline, _) = traced(&work);
    let json = perfetto::json(&timeline, &work.listing, 3);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let of = |ph: &str| events.iter().filter(|event| event["ph"] == ph).collect::<Vec<_>>();
    assert!(events.iter().all(|event| event["pid"] == 3));
    assert_eq!(of("M").len(), 1 + 1 + 3, "a process, the stalls, slots 0, 1 and 3");
    assert_eq!(of("X").iter().filter(|event| event["cat"] == "issue").count(), 8);
    let stalls: u64 =
        of("X").iter().filter(|event| event["cat"] == "stall").map(|event| event["dur"].as_u64().unwrap()).sum();
    assert_eq!((stalls, of("s").len(), of("f").len()), (4, 2, 2));
}

#[test]
fn charts_are_well_formed_and_show_every_stall() {
    let work = small();
    let (timeline, _) = traced(&work);
    let svg = svg::chart(&timeline, &work.listing, "a < b & \"c\"");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains("a &lt; b &amp; &quot;c&quot;"));
    for tag in ["svg", "g", "text", "title", "style"] {
        let opened = svg.matches(&format!("<{tag} ")).count() + svg.matches(&format!("<{tag}>")).count();
        assert_eq!(opened, svg.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    assert_eq!(svg.matches("<rect class=\"wo\"").count(), 1 + 4, "the legend and four stalled cycles");
    assert!(svg.contains("prefers-color-scheme:dark"));
}

#[test]
fn text_traces_tell_everything_in_order() {
    let work = small();
    let (_, text) = traced(&work);
    let wanted = [
        "       3 decode  #3 bundle 3 line 4 hand: addnxf16 v1, v0, v0",
        "       4 stall   #4 S0 waits for v1 of #3 addnxf16 v1, v0, v0",
        "      13 latch   #3 S3 fcr = 0x00000000",
        "      13 lane    #3 S3 add_1_1_1_16f_16f_16f_2 [31] = 0x0",
        "      17 retire  #4 bundle 4",
    ];
    for line in wanted {
        assert!(text.lines().any(|other| other == line), "{line}\nnot in\n{text}");
    }
    assert_eq!(text, traced(&work).1, "the same run, the same text");
}

#[test]
fn a_timeline_keeps_what_it_is_told_to_and_counts_the_rest() {
    let work = small();
    let mut core =
        Core::new(&work, state(&[(a(2), word(DATA_RAM)), (a(3), word(DATA_RAM))]), Leaves, Settings::default());
    let mut timeline = Timeline::new(3);
    assert_eq!(core.run(&mut timeline, 1000), Ok(Stop::Done));
    assert_eq!((timeline.bundles().len(), timeline.dropped()), (3, 5));
}
