//! The steady states of element-wise kernels: bundles per vector, no stall, and the right bytes.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod hand;

use hand::*;
use vq7_iss::event::Observer;
use vq7_iss::memory::{DATA_RAM, Memory};
use vq7_iss::oracle::Leaves;
use vq7_iss::pipeline::{Core, Settings, Stop};
use vq7_iss::timing::{Cell, Profile};
use vq7_iss::work::{OpSpec, Work};

/// Where the first source, the second source and the destination lie.
const A: u32 = DATA_RAM;
const B: u32 = DATA_RAM + 0x4000;
const TO: u32 = DATA_RAM + 0x8000;

/// Cycles of issue of one bundle.
struct Of(u32, Vec<u64>);

impl Observer for Of {
    fn issue(&mut self, cycle: u64, _: u64, bundle: u32) {
        if bundle == self.0 {
            self.1.push(cycle);
        }
    }
}

/// Runs a body `times` in a loop; gives cycles per turn, stalled cycles, and the memory.
fn steady(body: &[Vec<OpSpec>], times: u32, profile: Profile) -> (u64, u64, Memory) {
    let mut work = Work::default();
    work.push("x24", 1, &[looped(1, 1 + body.len() as u32)]).unwrap();
    for ops in body {
        work.push("hand", 2, ops).unwrap();
    }
    let bases = [(1, times), (2, A), (3, B), (4, TO)].map(|(reg, value)| (a(reg), word(value)));
    let mut start = state(&bases);
    for row in 0..64u16 {
        start.memory.set(A + u32::from(row) * 64, &ramp(row * 100, 1).0).unwrap();
        start.memory.set(B + u32::from(row) * 64, &ramp(row * 7, 3).0).unwrap();
    }
    let settings = Settings { profile, ..Settings::default() };
    let mut core = Core::new(&work, start, Leaves, settings);
    let mut first = Of(1, Vec::new());
    assert_eq!(core.run(&mut first, 100_000), Ok(Stop::Done));
    assert_eq!(first.1.len() as u32, times);
    let turns: Vec<u64> = first.1.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(turns.iter().skip(1).all(|turn| *turn == turns[1]), "no steady state: {turns:?}");
    (turns[1], core.tally().operand_cycles(), core.state.memory.clone())
}

fn row_of(memory: &Memory, address: u32) -> Vec<u16> {
    memory.settled(address, 64).unwrap().chunks(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect()
}

fn sum(row: u16) -> Vec<u16> {
    (0..32).map(|lane| row * 100 + lane + row * 7 + 3 * lane).collect()
}

#[test]
fn a_copy_takes_one_bundle_per_vector() {
    let (turn, stalls, memory) = steady(&[vec![row(0, false, 0, 4, 64), row(1, true, 0, 2, 64)]], 20, Profile::Default);
    assert_eq!((turn, stalls), (1, 0));
    // The store reads the row of the turn before.
    assert_eq!(row_of(&memory, TO + 64 * 8), ramp_of(7));
}

fn ramp_of(row: u16) -> Vec<u16> {
    (0..32).map(|lane| row * 100 + lane).collect()
}

#[test]
fn one_alu_op_takes_two_bundles() {
    let body = [
        vec![row(0, true, 0, 2, 64), row(1, true, 1, 3, 64)],
        vec![row(0, false, 2, 4, 64), alu(3, "add_16_16_16", 2, 0, 1)],
    ];
    let (turn, stalls, memory) = steady(&body, 20, Profile::Default);
    assert_eq!((turn, stalls), (2, 0));
    assert_eq!(row_of(&memory, TO + 64 * 6), sum(5));
}

#[test]
fn one_alu_op_takes_three_bundles_for_two_vectors() {
    let body = [
        vec![row(0, true, 0, 2, 64), row(1, true, 1, 3, 64), alu(3, "add_16_16_16", 5, 2, 3)],
        vec![row(0, false, 5, 4, 64), row(1, true, 2, 2, 64), alu(3, "add_16_16_16", 4, 0, 1)],
        vec![row(0, false, 4, 4, 64), row(1, true, 3, 3, 64)],
    ];
    let (turn, stalls, memory) = steady(&body, 20, Profile::Default);
    assert_eq!((turn, stalls), (3, 0));
    // Of turn n: the second vector of turn n - 1, then the first of turn n.
    assert_eq!([2, 3, 4].map(|row| row_of(&memory, TO + 64 * row)), [1, 2, 3].map(sum));
}

#[test]
fn one_fp_op_takes_three_bundles_for_two_vectors() {
    let body = [
        vec![row(0, false, 5, 4, 64), row(1, true, 0, 2, 64), fadd(3, 5, 2, 3)],
        vec![row(0, true, 1, 3, 64), row(1, true, 2, 2, 64)],
        vec![row(0, false, 4, 4, 64), row(1, true, 3, 3, 64), fadd(3, 4, 0, 1)],
    ];
    assert_eq!(steady(&body, 20, Profile::Default).0, 3);
    assert_eq!(steady(&body, 20, Profile::Default).1, 0);
}

/// A divide step: reads and writes quotient and residue, reads the divisor, result at stage 12. What it computes is not
/// asked for here.
fn step(q: u8, r: u8, d: u8) -> OpSpec {
    let uses = vec![(v(q), 10), (v(r), 10), (v(d), 10)];
    OpSpec { uses, defs: vec![(v(q), 12), (v(r), 12)], ..OpSpec::new(2, &format!("divstep v{q}, v{r}, v{d}")) }
}

/// Chains of `steps` divide steps each, as many as there are registers in `chains`, interleaved.
fn divide(steps: usize, chains: &[(u8, u8, u8)]) -> Vec<Vec<OpSpec>> {
    (0..steps).flat_map(|_| chains.iter().map(|(q, r, d)| vec![step(*q, *r, *d)])).collect()
}

#[test]
fn an_int16_divide_takes_four_bundles_with_two_chains_and_eight_under_sixteen_lanes() {
    // A chain alone waits one cycle per step; two interleaved wait for nothing.
    let (turn, stalls, _) = steady(&divide(4, &[(0, 1, 2)]), 20, Profile::Default);
    assert_eq!((turn, stalls), (8, 4 * 20 - 1));
    for (steps, per_vector) in [(4, 4), (8, 8)] {
        let (turn, stalls, _) = steady(&divide(steps, &[(0, 1, 2), (3, 4, 5)]), 20, Profile::Default);
        assert_eq!((turn, stalls), (2 * per_vector, 0));
    }
}

#[test]
fn the_strict_profile_charges_one_more_for_every_pair_of_the_vector_side() {
    let chain = [vec![alu(3, "add_16_16_16", 1, 1, 2)]];
    assert_eq!(steady(&chain, 20, Profile::Default).0, 1);
    assert_eq!(steady(&chain, 20, Profile::TieStrict).0, 2);
}

#[test]
fn chains_wait_by_the_rule_for_every_class() {
    let (w, u) = (vq7_iss::timing::Bank::Wvec.cell(0).unwrap(), vq7_iss::timing::Bank::Valign.cell(0).unwrap());
    let rows: [(&str, Cell, u8, u8, u64); 15] = [
        ("vector load to ALU", v(0), 10, 10, 0),
        ("unaligned load to the next", u, 9, 9, 0),
        ("unaligned store to the next", u, 10, 10, 0),
        ("ALU to ALU", v(0), 11, 10, 0),
        ("compare to merge", vb(0), 11, 10, 0),
        ("fp compare to merge", vb(0), 10, 10, 0),
        ("accumulate to accumulate", w, 12, 12, 0),
        ("multiply to pack", w, 12, 10, 1),
        ("pack, select to ALU", v(0), 12, 10, 1),
        ("fp to ALU", v(0), 13, 10, 2),
        ("scalar ALU to scalar ALU", a(5), 4, 4, 0),
        ("scalar ALU to address", a(5), 4, 1, 3),
        ("scalar load to scalar ALU", a(5), 5, 4, 1),
        ("scalar multiply to scalar ALU", a(5), 6, 4, 2),
        ("vector to AR to scalar ALU", a(5), 12, 4, 8),
    ];
    for (name, cell, def, stage, bubble) in rows {
        let op = OpSpec { uses: vec![(cell, stage)], defs: vec![(cell, def)], ..OpSpec::new(3, name) };
        let (turn, ..) = steady(&[vec![op]], 8, Profile::Default);
        assert_eq!(turn, 1 + bubble, "{name}");
    }
}
