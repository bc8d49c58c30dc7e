//! The programs of `examples/iss`: bundles per vector, stalls, bytes.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::path::Path;
use vq7_iss::event::Observer;
use vq7_iss::line::Line;
use vq7_iss::memory::DATA_RAM;
use vq7_iss::oracle::Leaves;
use vq7_iss::pipeline::{Core, Settings, Stop};
use vq7_iss::state::State;
use vq7_iss::text::{self, Reading};
use vq7_iss::timing::closed::ClosedForm;
use vq7_iss::timing::{Bank, Flow, Profile, Step, Tally};
use vq7_iss::work::Work;

fn read(name: &str) -> Work {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/iss").join(name);
    let source = std::fs::read_to_string(path).unwrap();
    text::parse(&source, &Reading { unknown_as_zero: true, ..Reading::default() }).unwrap()
}

#[derive(Default)]
struct Issues(Vec<(u64, u32)>);

impl Observer for Issues {
    fn issue(&mut self, cycle: u64, _: u64, bundle: u32) {
        self.0.push((cycle, bundle));
    }
}

const TURNS: u32 = 20;
const TO: u32 = DATA_RAM + 0x8000;

/// Runs an example: cycles per turn, stalled cycles, the state afterwards. The closed form gives the same.
fn run(name: &str, profile: Profile) -> (u64, u64, State) {
    let work = read(name);
    let mut state = State::new();
    for (reg, value) in [(1, TURNS), (2, DATA_RAM), (3, DATA_RAM + 0x4000), (4, TO)] {
        state.set_line(Bank::Ar.cell(reg).unwrap(), Line::from_word(value));
    }
    for lane in 0..0x2000u32 {
        let (a, b) = ((lane * 7) as u16, (lane * 5 + 3) as u16);
        state.memory.set(DATA_RAM + 2 * lane, &a.to_le_bytes()).unwrap();
        state.memory.set(DATA_RAM + 0x4000 + 2 * lane, &b.to_le_bytes()).unwrap();
    }
    let mut core = Core::new(&work, state, Leaves, Settings { profile, ..Settings::default() });
    let mut issues = Issues::default();
    assert_eq!(core.run(&mut issues, 100_000), Ok(Stop::Done), "{name}");
    let (mut engine, mut tally) = (ClosedForm::new(profile, 0), Tally::new(&work.footprints));
    for (cycle, bundle) in &issues.0 {
        let step = Step { bundle: *bundle, flow: Flow::Next, memory_wait: 0 };
        let print = work.footprints.get(*bundle).unwrap();
        let issue = engine.issue(step, print);
        tally.add(step, print.first_use, &issue);
        assert_eq!(issue.cycle, *cycle, "{name}, bundle {bundle}");
    }
    assert_eq!(engine.total_cycles(), core.total_cycles(), "{name}");
    assert_eq!(tally.charges(&work.footprints), core.tally().charges(&work.footprints), "{name}");
    let last = work.bundles.len() as u32 - 1;
    let turns: Vec<u64> = issues.0.iter().filter(|(_, bundle)| *bundle == last).map(|(cycle, _)| *cycle).collect();
    let turn = turns.windows(2).last().map_or(0, |pair| pair[1] - pair[0]);
    (turn, core.tally().operand_cycles(), core.state.clone())
}

/// Row `number` of the destination as 16-bit lanes.
fn row(state: &State, number: u32) -> Vec<u16> {
    let bytes = state.memory.settled(TO + 64 * number, 64).unwrap();
    bytes.chunks(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect()
}

fn expected(number: u32, op: impl Fn(u16, u16) -> u16) -> Vec<u16> {
    (0..32).map(|lane| number * 32 + lane).map(|lane| op((lane * 7) as u16, (lane * 5 + 3) as u16)).collect()
}

#[test]
fn the_steady_states_take_as_many_bundles_as_they_should_and_wait_for_nothing() {
    // Bundles per turn.
    let rows = [
        ("copy.iss", 1),
        ("add.iss", 2),
        ("add_unrolled.iss", 3),
        ("fp_add.iss", 3),
        ("multiply.iss", 2),
        ("compare.iss", 3),
        ("divide.iss", 8),
    ];
    for (name, bundles) in rows {
        let (turn, stalls, _) = run(name, Profile::Default);
        assert_eq!((turn, stalls), (bundles, 0), "{name}");
        // The two engines agree under the strict profile as well; `run` compares them.
        assert!(run(name, Profile::TieStrict).0 >= bundles, "{name}");
    }
}

#[test]
fn the_kernels_store_what_they_should() {
    // A store takes what an earlier turn left; so rows are late by the depth of the kernel.
    let (.., copied) = run("copy.iss", Profile::Default);
    assert_eq!(row(&copied, 8), expected(7, |a, _| a));
    let (.., added) = run("add.iss", Profile::Default);
    assert_eq!(row(&added, 8), expected(7, u16::wrapping_add));
    let (.., added) = run("add_unrolled.iss", Profile::Default);
    assert_eq!(row(&added, 8), expected(7, u16::wrapping_add));
    let (.., compared) = run("compare.iss", Profile::Default);
    let less = |number| expected(number, |a, b| u16::from((a as i16) < b as i16));
    let rows: Vec<_> = (4..12).map(|number| row(&compared, number)).collect();
    let offset = (0..4).find(|late| rows.iter().zip(4 - late..).all(|(row, number)| *row == less(number)));
    assert!(offset.is_some(), "{rows:?}");
}

#[test]
fn strict_profile_and_parameters_change_waits_and_nothing_else() {
    let chain = "F0 { s3 muln_2xf32 v1, v0, v0 }\nF0 { s3 addn_2xf32 v2, v1, v0 }\noeqn_2xf32 vb0, v2, v2\n\
                 F0 { s3 mov2nx8t v3, v2, vb0 }";
    let cycles = |set: &[(&str, u32)], profile| {
        let mut reading = Reading::default();
        set.iter().for_each(|(name, value)| reading.params.set(name, *value).unwrap());
        let work = text::parse(chain, &reading).unwrap();
        let mut core = Core::new(&work, State::new(), Leaves, Settings { profile, ..Settings::default() });
        assert_eq!(core.run(&mut vq7_iss::event::Silent, 1000), Ok(Stop::Done));
        core.tally().operand_cycles()
    };
    assert_eq!(cycles(&[], Profile::Default), 4);
    assert_eq!(cycles(&[], Profile::TieStrict), 6);
    assert_eq!(cycles(&[("fp_def", 11)], Profile::Default), 0);
    assert_eq!(cycles(&[("fp_compare_def", 11)], Profile::Default), 4);
    assert_eq!(cycles(&[("fp_compare_def", 11)], Profile::TieStrict), 7);
}
