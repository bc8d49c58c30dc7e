//! The pipeline: order of values, memory, control, oracles, events.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod hand;

use hand::*;
use std::collections::BTreeMap;
use vq7_iss::event::{Cause, Observer, OpRef, Silent};
use vq7_iss::line::{Line, predicate};
use vq7_iss::memory::DATA_RAM;
use vq7_iss::oracle::{Leaves, ValueOracle};
use vq7_iss::pipeline::{Core, Settings, Stop};
use vq7_iss::state::State;
use vq7_iss::timing::closed::ClosedForm;
use vq7_iss::timing::{Cell, Flow, Profile, Step, Tally};
use vq7_iss::work::{OpSpec, Work};
use vq7_num::leaf::{Bits, LaneOut, Leaf};

fn run(work: &Work, state: State) -> Core<'_, Leaves> {
    let mut core = Core::new(work, state, Leaves, Settings::default());
    assert_eq!(core.run(&mut Silent, 100_000), Ok(Stop::Done));
    core
}

fn lane(core: &Core<'_, Leaves>, cell: Cell, index: usize) -> u64 {
    core.state.line(cell).lane(index, 16)
}

#[test]
fn ops_of_a_bundle_read_the_state_before_it() {
    // A swap, and a merge that takes the predicate from before its bundle's compare.
    let work = program(&[
        &[alu(3, "max_16_16_16", 1, 2, 2), alu(4, "max_16_16_16", 2, 1, 1)],
        &[compare(2, "lt_2_16_16", 0, 1, 2), alu_t(3, "add_16_16_16", 3, 1, 2, 0)],
    ]);
    let start = [(v(1), ramp(1, 0)), (v(2), ramp(2, 0)), (v(3), ramp(9, 0)), (vb(0), Line::from_mask(3))];
    let core = run(&work, state(&start));
    assert_eq!((lane(&core, v(1), 5), lane(&core, v(2), 5)), (2, 1));
    assert_eq!((lane(&core, v(3), 0), lane(&core, v(3), 1)), (3, 9));
    assert!(!predicate(core.state.line(vb(0)).mask(), 0, 32));
}

#[test]
fn values_follow_the_order_of_bundles_and_not_of_stages() {
    // The store reads a3 at stage 5 of its bundle, the next bundle writes a3 at stage 1 of its own.
    let work = program(&[&[scalar_access(0, false, 3, 2, 0)], &[movi(0, 3, 77)]]);
    let core = run(&work, state(&[(a(2), word(DATA_RAM)), (a(3), word(5))]));
    assert_eq!(core.state.memory.settled(DATA_RAM, 4), Ok(&[5, 0, 0, 0][..]));
    assert_eq!(core.state.line(a(3)).word(), 77);
    // A deep definition that a younger one replaces never reaches the file, but who was bound to it sees it.
    let work = program(&[&[movav(3, 3, 1)], &[movi(0, 3, 77)], &[addi(0, 4, 3, 1)]]);
    let core = run(&work, state(&[(v(1), ramp(500, 1))]));
    assert_eq!((core.state.line(a(3)).word(), core.state.line(a(4)).word()), (77, 78));
    assert_eq!(core.tally().operand_cycles(), 0, "nobody waits for a dead definition");
}

#[test]
fn memory_is_accessed_in_the_order_of_bundles() {
    let base = DATA_RAM + 0x100;
    // A vector store, then a scalar load of its bytes in the next bundle; a load beside a store sees what was before.
    let work = program(&[
        &[row(0, false, 1, 2, 0), row(1, true, 4, 3, 0)],
        &[scalar_access(0, true, 5, 2, 4)],
        &[scalar_access(0, false, 6, 2, 8)],
        &[row(1, true, 7, 3, 0)],
    ]);
    let start = [(a(2), word(base)), (a(3), word(base)), (a(6), word(0xabcd_ef01)), (v(1), ramp(0x100, 1))];
    let core = run(&work, state(&start));
    assert_eq!(core.state.line(v(4)), Line::ZERO);
    assert_eq!(core.state.line(a(5)).word(), 0x103_0102);
    assert_eq!([4, 5].map(|index| lane(&core, v(7), index)), [0xef01, 0xabcd]);
    // A load keeps what it found though a scalar store of the next bundle is earlier at work.
    let work = program(&[&[row(1, true, 7, 3, 0)], &[scalar_access(0, false, 6, 2, 0)]]);
    let core = run(&work, state(&start));
    assert_eq!((lane(&core, v(7), 0), core.state.memory.settled(base, 2)), (0, Ok(&[0x01, 0xef][..])));
}

#[test]
fn loops_cost_nothing_and_branches_three_cycles() {
    let counted = program(&[&[movi(0, 1, 5)], &[looped(1, 3)], &[addi(0, 2, 2, 1)]]);
    let core = run(&counted, State::new());
    assert_eq!((core.state.line(a(2)).word(), core.tally().issued()), (5, 7));
    // movi in cycle 0, loop in 1 (it reads at stage 3 what is there at 1), five sums.
    assert_eq!(core.total_cycles(), 7);
    let branching = program(&[&[movi(0, 1, 3)], &[addi(0, 1, 1, u32::MAX)], &[bnez(1, 1)]]);
    let core = run(&branching, State::new());
    assert_eq!((core.state.line(a(1)).word(), core.tally().issued()), (0, 7));
    // Per turn a sum, one cycle of waiting, the branch; three more where it is taken.
    assert_eq!(core.total_cycles(), 1 + 3 * 3 + 2 * 3);
    assert_eq!(core.tally().operand_cycles(), 3);
}

#[test]
fn an_endless_loop_stops_at_the_limit_and_goes_on() {
    let work = program(&[&[movi(0, 1, 1)], &[addi(0, 2, 2, 1)], &[bnez(1, 1)]]);
    let mut core = Core::new(&work, State::new(), Leaves, Settings::default());
    assert_eq!(core.run(&mut Silent, 1000), Ok(Stop::Limit));
    let before = core.state.line(a(2)).word();
    assert_eq!((core.cycle(), before > 100), (1000, true));
    assert_eq!(core.run(&mut Silent, 2000), Ok(Stop::Limit));
    assert!(core.state.line(a(2)).word() > before);
}

#[test]
fn an_access_out_of_range_names_bundle_slot_and_address() {
    let work = program(&[&[movi(0, 2, 0x1000)], &[row(1, true, 1, 2, 64)]]);
    let mut core = Core::new(&work, State::new(), Leaves, Settings::default());
    let fault = core.run(&mut Silent, 1000).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "bundle 1, slot 1, issued in cycle 1: load of 64 bytes at 0x1000: the data memory is 0x80000 to 0x8ffff"
    );
}

#[test]
fn what_is_killed_leaves_no_trace() {
    let base = DATA_RAM;
    let work = program(&[
        &[alu(3, "add_16_16_16", 1, 2, 2)],
        &[alu(3, "sub_16_16_16", 1, 2, 2), row(0, false, 2, 2, 64)],
        &[movi(0, 5, 9)],
    ]);
    let start = [(a(2), word(base)), (v(2), ramp(3, 0))];
    let mut core = Core::new(&work, state(&start), Leaves, Settings::default());
    for _ in 0..2 {
        core.step(&mut Silent).unwrap();
    }
    // The second bundle is in stage 1 now.
    core.kill_stage(&mut Silent, 1, 1);
    core.redirect(2);
    assert_eq!(core.run(&mut Silent, 1000), Ok(Stop::Done));
    assert_eq!((lane(&core, v(1), 0), core.state.line(a(2)).word(), core.state.line(a(5)).word()), (6, base, 9));
    assert_eq!(core.state.memory.settled(base, 2), Ok(&[0, 0][..]));
}

#[test]
fn flags_stick_at_stage_14_and_the_round_mode_counts() {
    let work = program(&[&[fadd(3, 1, 2, 3)]]);
    // 1 + 2^-11 is a tie; up and down differ.
    let ones = |value: u16| ramp(value, 0);
    let results = [0u32, 1, 2, 3].map(|mode| {
        let start = [(v(2), ones(0x3c00)), (v(3), ones(0x1000)), (Cell::FCR, word(mode))];
        let core = run(&work, state(&start));
        assert_eq!(core.state.flags(), vq7_num::Flags::INEXACT.bits());
        assert_eq!(core.state.packed_fp(), 1 << 14 | mode << 8);
        assert_eq!(core.total_cycles(), 4);
        lane(&core, v(1), 7)
    });
    assert_eq!(results, [0x3c00, 0x3c00, 0x3c01, 0x3c00]);
}

/// Remembers what it was asked and answers as the leaves do.
#[derive(Default)]
struct Recorder(BTreeMap<&'static str, usize>);

impl ValueOracle for Recorder {
    fn lane(&mut self, leaf: &'static Leaf, inputs: [u64; 4]) -> LaneOut {
        *self.0.entry(leaf.name).or_default() += 1;
        Leaves.lane(leaf, inputs)
    }
    fn lane96(&mut self, leaf: &'static Leaf, accumulator: u128, inputs: [u64; 2]) -> u128 {
        *self.0.entry(leaf.name).or_default() += 1;
        Leaves.lane96(leaf, accumulator, inputs)
    }
    fn whole(&mut self, leaf: &'static Leaf, inputs: &[Bits], outputs: &mut [Bits]) {
        *self.0.entry(leaf.name).or_default() += 1;
        Leaves.whole(leaf, inputs, outputs);
    }
}

#[test]
fn a_recording_oracle_is_asked_once_per_lane() {
    let work = program(&[&[alu(3, "add_16_16_16", 1, 2, 3)]]);
    let mut core = Core::new(&work, State::new(), Recorder::default(), Settings::default());
    assert_eq!(core.run(&mut Silent, 100), Ok(Stop::Done));
    assert_eq!(core.oracle().0, BTreeMap::from([("add_16_16_16", 32)]));
    assert_eq!(core.lane_results(), 32);
}

/// Answers anything at all.
struct Garbage(u64);

impl Garbage {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 13
    }
}

impl ValueOracle for Garbage {
    fn lane(&mut self, _: &'static Leaf, _: [u64; 4]) -> LaneOut {
        LaneOut::from(self.next())
    }
    fn lane96(&mut self, _: &'static Leaf, _: u128, _: [u64; 2]) -> u128 {
        self.next().into()
    }
    fn whole(&mut self, _: &'static Leaf, _: &[Bits], outputs: &mut [Bits]) {
        outputs.fill_with(|| Bits::from_u64(self.next()));
    }
}

/// Cycles of issue.
#[derive(Default, PartialEq, Debug)]
struct Issues(Vec<(u64, u32)>);

impl Observer for Issues {
    fn issue(&mut self, cycle: u64, _: u64, bundle: u32) {
        self.0.push((cycle, bundle));
    }
}

/// A program of vector ops with no way from values to control.
fn tangle() -> Vec<Vec<OpSpec>> {
    let mut seed = 1u32;
    let mut pick = |bound: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((seed >> 16) % bound) as u8
    };
    let mut bundles = Vec::new();
    for _ in 0..120 {
        let (to, x, y) = (pick(3), pick(6), pick(6));
        let other = 3 + pick(3);
        let first = match pick(4) {
            0 => fadd(3, to, x, y),
            1 => compare(3, "lt_2_16_16", pick(2), x, y),
            2 => alu_t(3, "add_16_16_16", to, x, y, pick(2)),
            _ => alu(3, "sub_16_16_16", to, x, y),
        };
        bundles.push(vec![row(0, true, other, 2, 64), first]);
    }
    bundles
}

#[test]
fn a_garbage_oracle_changes_values_and_not_one_cycle() {
    let bundles = tangle();
    let work = program(&bundles.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let start = || state(&[(a(2), word(DATA_RAM)), (v(1), ramp(1, 3))]);
    let (mut good, mut bad) = (Issues::default(), Issues::default());
    let mut core = Core::new(&work, start(), Leaves, Settings::default());
    assert_eq!(core.run(&mut good, 10_000), Ok(Stop::Done));
    let mut garbage = Core::new(&work, start(), Garbage(7), Settings::default());
    assert_eq!(garbage.run(&mut bad, 10_000), Ok(Stop::Done));
    assert_eq!(good, bad);
    assert_eq!(core.total_cycles(), garbage.total_cycles());
    assert!(core.tally().operand_cycles() > 0);
    assert_ne!(core.state.line(v(0)), garbage.state.line(v(0)));
}

#[test]
fn the_core_and_the_closed_form_agree() {
    let bundles = tangle();
    let work = program(&bundles.iter().map(Vec::as_slice).collect::<Vec<_>>());
    for profile in Profile::ALL {
        let mut issues = Issues::default();
        let settings = Settings { profile, memory_wait: 2, ..Settings::default() };
        let mut core = Core::new(&work, state(&[(a(2), word(DATA_RAM))]), Leaves, settings);
        assert_eq!(core.run(&mut issues, 10_000), Ok(Stop::Done));
        let (mut engine, mut tally) = (ClosedForm::new(profile, 0), Tally::new(&work.footprints));
        for (cycle, bundle) in issues.0 {
            let step = Step { bundle, flow: Flow::Next, memory_wait: 2 };
            let print = work.footprints.get(bundle).unwrap();
            let issue = engine.issue(step, print);
            tally.add(step, print.first_use, &issue);
            assert_eq!(issue.cycle, cycle, "bundle {bundle}");
        }
        assert_eq!(core.total_cycles(), engine.total_cycles());
        assert_eq!(core.tally().charges(&work.footprints), tally.charges(&work.footprints));
    }
}

/// What happened, in order.
#[derive(Default)]
struct Order(Vec<String>);

impl Observer for Order {
    fn decode(&mut self, cycle: u64, issue: u64, _: u32) {
        self.0.push(format!("{cycle} decode {issue}"));
    }
    fn stall(&mut self, cycle: u64, issue: u64, _: u32, cause: Cause) {
        let Cause::Operand { cell, producer, .. } = cause else { return };
        self.0.push(format!("{cycle} stall {issue} {cell} of {}", producer.issue));
    }
    fn issue(&mut self, cycle: u64, issue: u64, _: u32) {
        self.0.push(format!("{cycle} issue {issue}"));
    }
    fn stage(&mut self, _: u64, _: OpRef, _: u8, bitmap: &[u8]) {
        assert_eq!(bitmap.iter().map(|byte| byte.count_ones()).sum::<u32>(), 1, "one bit is lit");
    }
    fn latch(&mut self, cycle: u64, op: OpRef, cell: Cell, _: &[u8]) {
        self.0.push(format!("{cycle} latch {} {cell}", op.issue));
    }
    fn lane(&mut self, cycle: u64, op: OpRef, leaf: &'static str, lane: u32, value: u128) {
        if lane == 31 {
            self.0.push(format!("{cycle} lane {} {leaf} {value}", op.issue));
        }
    }
    fn commit(&mut self, cycle: u64, op: OpRef, cell: Cell, value: &[u8]) {
        self.0.push(format!("{cycle} commit {} {cell} {}", op.issue, value[0]));
    }
    fn retire(&mut self, cycle: u64, issue: u64, _: u32) {
        self.0.push(format!("{cycle} retire {issue}"));
    }
}

#[test]
fn events_come_in_the_order_that_is_promised() {
    let lit = |mut op: OpSpec, byte| {
        op.bit = (byte, 8);
        op
    };
    let work = program(&[&[lit(fadd(3, 1, 2, 3), 0x7f9)], &[lit(alu(3, "add_16_16_16", 4, 1, 1), 0x712)]]);
    let mut order = Order::default();
    let mut core = Core::new(&work, State::new(), Leaves, Settings::default());
    assert_eq!(core.run(&mut order, 100), Ok(Stop::Done));
    let expected = "0 decode 0\n0 issue 0\n1 decode 1\n1 stall 1 v1 of 0\n2 stall 1 v1 of 0\n3 issue 1\n\
        10 latch 0 v2\n10 latch 0 v3\n10 latch 0 fcr\n10 lane 0 add_1_1_1_16f_16f_16f_2 0\n\
        13 latch 1 v1\n13 latch 1 v1\n13 lane 1 add_16_16_16 0\n13 commit 0 v1 0\n13 retire 0\n\
        14 commit 0 fsr 0\n14 commit 1 v4 0\n14 retire 1";
    assert_eq!(order.0.join("\n"), expected);
    assert!(core.bitmap().iter().all(|byte| *byte == 0));
}

/// While an op is in a stage its own bit is lit and no other.
#[test]
fn the_lit_bit_is_that_of_the_op_in_its_slot() {
    struct Lit(std::collections::BTreeSet<(u16, u8)>);
    impl Observer for Lit {
        fn stage(&mut self, _: u64, _: OpRef, _: u8, bitmap: &[u8]) {
            let mut lit = bitmap.iter().zip(vq7_iss::bitmap::FIRST_BYTE..).filter(|(byte, _)| **byte != 0);
            let (&mask, byte) = lit.next().expect("a bit");
            assert!(mask.count_ones() == 1 && lit.next().is_none(), "one bit is lit");
            self.0.insert((byte, mask));
        }
    }
    let reading = vq7_iss::text::Reading::default();
    let work =
        vq7_iss::text::parse("F0 { s3 ivp_addnx16 v3, v1, v2 }\nF4 { s3 ivp_addnx16 v4, v1, v2 }\n", &reading).unwrap();
    let mut lit = Lit(Default::default());
    Core::new(&work, State::new(), Leaves, Settings::default()).run(&mut lit, 100).unwrap();
    assert_eq!(lit.0.into_iter().collect::<Vec<_>>(), [(0x712, 0x08), (0x713, 0x20)]);
}
