//! The two engines against each other on random legal programs, and planted faults that this must find.

use super::closed::{self, ClosedForm};
use super::ring::{self, Stepper};
use super::{Access, Bank, Cell, Charge, Flow, Footprints, Profile, Step, Tally};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// A class of `docs/spec/iss-timing.md`, "Stages of every class": uses, definitions, egress. `Same` is the register of the
/// first definition, read as well as written.
struct Class {
    uses: &'static [(Bank, u8)],
    same: Option<u8>,
    defs: &'static [(Bank, u8)],
    egress: u8,
}

const fn class(uses: &'static [(Bank, u8)], same: Option<u8>, defs: &'static [(Bank, u8)], egress: u8) -> Class {
    Class { uses, same, defs, egress }
}

use Bank::{Ar, Br, Fcr, Fsr, Gvr, Pr, Valign, Vbool, Vec as V, Wvec};

#[rustfmt::skip]
const CLASSES: [Class; 40] = [
    class(&[(Ar, 1)], None, &[(V, 10)], 0),                        // aligned load
    class(&[], Some(1), &[(Ar, 1), (V, 10)], 0),                   // aligned load, post-increment
    class(&[(Ar, 1), (Valign, 9)], None, &[(V, 10)], 0),
    class(&[(Ar, 1)], Some(9), &[(Valign, 9), (V, 10)], 0),        // unaligned load
    class(&[(Ar, 1), (V, 10)], Some(10), &[(Valign, 10)], 11),     // unaligned store
    class(&[(Ar, 1), (V, 10)], None, &[], 11),                     // store
    class(&[(V, 10), (Vbool, 10)], Some(1), &[(Ar, 1)], 11),       // T store, post-increment
    class(&[(V, 10), (V, 10)], None, &[(V, 11)], 0),               // ALU
    class(&[(V, 10), (V, 10), (Vbool, 10)], Some(10), &[(V, 11)], 0),
    class(&[(V, 10), (V, 10)], None, &[(V, 11), (Vbool, 11)], 0),  // B form
    class(&[(V, 10), (V, 10)], None, &[(Vbool, 11)], 0),           // compare
    class(&[(Vbool, 10), (Vbool, 10)], None, &[(Vbool, 11)], 0),
    class(&[(V, 10), (V, 10)], None, &[(Vbool, 10), (Fsr, 14)], 0), // fp compare
    class(&[(V, 10), (V, 10), (Fcr, 10)], None, &[(V, 11), (Fsr, 14)], 0),
    class(&[(V, 10), (V, 10)], None, &[(Wvec, 12)], 0),            // multiply
    class(&[(V, 10), (V, 10)], Some(12), &[(Wvec, 12)], 0),        // MAC
    class(&[(V, 10), (V, 10)], None, &[(V, 12)], 0),               // packl forms
    class(&[(Wvec, 10), (Ar, 3)], None, &[(V, 12)], 0),            // pack
    class(&[(Wvec, 10)], None, &[(V, 12)], 0),
    class(&[(V, 10), (V, 10)], None, &[(Wvec, 12)], 0),            // CVT into wvec
    class(&[(Wvec, 12)], None, &[(Wvec, 12)], 0),                  // MOVWW
    class(&[(Ar, 3)], None, &[(V, 11)], 0),                        // AR to vec
    class(&[], None, &[(V, 11)], 0),                               // immediate to vec
    class(&[(V, 10), (V, 10), (V, 10)], None, &[(V, 12)], 0),      // select
    class(&[(V, 10), (V, 10), (V, 10)], None, &[(V, 12), (V, 12)], 0), // dsel
    class(&[(V, 10), (V, 10), (Fcr, 10)], None, &[(V, 13), (Fsr, 14)], 0), // fp add
    class(&[(V, 10), (V, 10), (Fcr, 10)], Some(10), &[(V, 13), (Fsr, 14)], 0), // FMA
    class(&[(Gvr, 10), (Ar, 1)], None, &[(Gvr, 11)], 0),           // gather
    class(&[(Ar, 4), (Ar, 4)], None, &[(Ar, 4)], 0),               // scalar ALU
    class(&[], None, &[(Ar, 1)], 0),                               // MOVI
    class(&[(Ar, 4), (Ar, 4)], None, &[(Ar, 6)], 0),               // scalar multiply
    class(&[(Ar, 1)], None, &[(Ar, 5)], 0),                        // scalar load
    class(&[(Ar, 1), (Ar, 5)], None, &[], 5),                      // scalar store
    class(&[(Ar, 3)], None, &[], 0),                               // branch
    class(&[(Br, 3)], None, &[], 0),
    class(&[(Ar, 4)], None, &[(Br, 4)], 0),
    class(&[(V, 10)], None, &[(Ar, 12)], 0),                       // vector to AR
    class(&[(Fsr, 10)], None, &[(Ar, 12)], 0),                     // read status
    class(&[(Ar, 4)], None, &[(Fcr, 12)], 0),                      // write control
    class(&[(Pr, 10), (V, 10)], None, &[(Pr, 12)], 0),
];

/// A random legal program: 1 to 5 ops per bundle, few registers, so that definitions collide.
fn program(random: &mut Random) -> (Footprints, Vec<Step>) {
    let registers = 2 + random.below(15);
    let length = 1 + random.below(200);
    let mut footprints = Footprints::new();
    let mut steps = Vec::new();
    while (footprints.len() as u64) < length {
        let (mut uses, mut defs, mut egress) = (Vec::new(), Vec::<Access>::new(), 0);
        for slot in 0..=random.below(5) as u8 {
            let class = &CLASSES[random.below(CLASSES.len() as u64) as usize];
            let mut pick = |bank: Bank| {
                let reg = random.below(registers.min(u64::from(bank.entries()))) as u8;
                bank.cell(reg).expect("a register of the file")
            };
            let mut results: Vec<Access> = Vec::new();
            for (operand, (bank, stage)) in (0u8..).zip(class.defs) {
                results.push(Access { cell: pick(*bank), stage: *stage, slot, operand });
            }
            let taken = |cell: Cell, others: &[Access]| cell != Cell::FSR && others.iter().any(|def| def.cell == cell);
            let twice = (0..results.len()).any(|at| taken(results[at].cell, &results[..at]));
            if twice || results.iter().any(|def| taken(def.cell, &defs)) {
                continue;
            }
            let mut operand = 0;
            for (bank, stage) in class.uses {
                uses.push(Access { cell: pick(*bank), stage: *stage, slot, operand });
                operand += 1;
            }
            if let Some(stage) = class.same {
                uses.push(Access { cell: results[0].cell, stage, slot, operand });
            }
            defs.extend(results);
            egress = egress.max(class.egress);
        }
        let bundle = footprints.push(&uses, &defs, egress).expect("a legal bundle");
        let flow = if random.below(12) == 0 { Flow::Taken } else { Flow::Next };
        let memory_wait = if random.below(16) == 0 { random.below(30) as u32 } else { 0 };
        steps.push(Step { bundle, flow, memory_wait });
    }
    // Some of it once more, as loops do.
    let again = random.below(steps.len() as u64 + 1) as usize;
    steps.extend_from_within(..again);
    (footprints, steps)
}

/// Issue cycles, stall table and total of a run.
#[derive(Debug, PartialEq)]
struct Run {
    cycles: Vec<u64>,
    table: Vec<Charge>,
    total: u64,
}

fn run(
    footprints: &Footprints,
    steps: &[Step],
    mut issue: impl FnMut(Step, super::Footprint<'_>) -> super::Issue,
) -> Run {
    let mut tally = Tally::new(footprints);
    let mut cycles = Vec::new();
    for step in steps {
        let footprint = footprints.get(step.bundle).expect("a bundle of the program");
        let issued = issue(*step, footprint);
        tally.add(*step, footprint.first_use, &issued);
        cycles.push(issued.cycle);
    }
    Run { cycles, table: tally.charges(footprints), total: 0 }
}

fn closed_run(footprints: &Footprints, steps: &[Step], rules: closed::Rules) -> Run {
    let mut engine = ClosedForm::with_rules(rules);
    let run = run(footprints, steps, |step, footprint| engine.issue(step, footprint));
    Run { total: engine.total_cycles(), ..run }
}

fn ring_run(footprints: &Footprints, steps: &[Step], rules: ring::Rules) -> Run {
    let mut engine = Stepper::with_rules(rules);
    let run = run(footprints, steps, |step, footprint| engine.issue(step, footprint));
    Run { total: engine.total_cycles(), ..run }
}

fn seed() -> u64 {
    std::env::var("VQ7_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_130)
}

/// Number of programs on which the engines differ, of `count`; the first difference is told through `told`.
fn differences(
    count: u64,
    profile: Profile,
    plant: impl Fn(&mut closed::Rules, &mut ring::Rules),
    mut told: impl FnMut(u64, String),
) -> u64 {
    let (mut closed_rules, mut ring_rules) = (ClosedForm::rules(profile), Stepper::rules(profile));
    plant(&mut closed_rules, &mut ring_rules);
    let mut differing = 0;
    for number in 0..count {
        let seed = seed().wrapping_add(number);
        let (footprints, steps) = program(&mut Random(seed));
        let one = closed_run(&footprints, &steps, closed_rules);
        let other = ring_run(&footprints, &steps, ring_rules);
        if one != other {
            differing += 1;
            let at = (0..steps.len()).find(|at| one.cycles.get(*at) != other.cycles.get(*at));
            told(seed, format!("first at step {at:?} of {}", steps.len()));
        }
    }
    differing
}

#[test]
fn the_engines_agree_on_ten_thousand_programs() {
    for profile in Profile::ALL {
        let differing = differences(
            10_000,
            profile,
            |_, _| {},
            |seed, what| {
                panic!(
                    "{} profile, seed {seed}: the engines differ, {what}\n\
                 VQ7_SEED={seed} cargo test -p vq7-iss --lib the_engines_agree",
                    profile.name()
                );
            },
        );
        assert_eq!(differing, 0);
    }
}

#[test]
fn a_fault_in_either_engine_is_found() {
    type Plant = fn(&mut closed::Rules, &mut ring::Rules);
    let faults: [(&str, Plant); 13] = [
        ("closed: vec waits for the whole definition stage", |closed, _| closed.early[Bank::Vec as usize] = 0),
        ("closed: AR forwards early", |closed, _| closed.early[Bank::Ar as usize] = 1),
        ("closed: wvec waits for the whole definition stage", |closed, _| closed.early[Bank::Wvec as usize] = 0),
        ("closed: FSR waits for the whole definition stage", |closed, _| closed.early[Bank::Fsr as usize] = 0),
        ("closed: an older, deeper definition is waited for", |closed, _| closed.youngest_only = false),
        ("closed: a taken branch costs one more", |closed, _| closed.branch += 1),
        ("ring: vec waits on equality", |_, ring| ring.waits_on_equal[Bank::Vec as usize] = true),
        ("ring: AR does not wait on equality", |_, ring| ring.waits_on_equal[Bank::Ar as usize] = false),
        ("ring: BR does not wait on equality", |_, ring| ring.waits_on_equal[Bank::Br as usize] = false),
        ("ring: dead definitions are waited for (W1)", |_, ring| ring.kills_older = false),
        ("ring: stands still while a bundle waits (W2)", |_, ring| ring.turns_while_stalled = false),
        ("ring: AR looks back 7 cycles (W4)", |_, ring| ring.window[Bank::Ar as usize] = 7),
        ("ring: vec looks back 1 cycle (W4)", |_, ring| ring.window[Bank::Vec as usize] = 1),
    ];
    for (name, plant) in faults {
        let found = differences(200, Profile::Default, plant, |_, _| {});
        assert!(found > 0, "not found: {name}");
    }
}

/// Distance in cycles between a producer and a consumer in the next bundle.
fn distance(profile: Profile, bank: Bank, def: u8, stage: u8) -> [u64; 2] {
    let cell = bank.cell(0).expect("register");
    let access = |stage| Access { cell, stage, slot: 0, operand: 0 };
    let mut footprints = Footprints::new();
    footprints.push(&[], &[access(def)], 0).expect("producer");
    footprints.push(&[access(stage)], &[], 0).expect("consumer");
    let steps = [0, 1].map(|bundle| Step { bundle, ..Step::default() });
    [
        closed_run(&footprints, &steps, ClosedForm::rules(profile)),
        ring_run(&footprints, &steps, Stepper::rules(profile)),
    ]
    .map(|run| run.cycles[1] - run.cycles[0])
}

#[test]
fn bubbles_follow_the_rule_for_every_pair_of_stages() {
    for profile in Profile::ALL {
        for bank in Bank::all() {
            let early = u8::from(profile == Profile::Default && bank.is_vector_side());
            for (def, stage) in (1..=14).flat_map(|def| (1..=14).map(move |stage| (def, stage))) {
                if def > stage + early + bank.window() || def - 1 > bank.window() {
                    continue;
                }
                let bubble = u64::from(def.saturating_sub(stage).saturating_sub(early));
                assert_eq!(distance(profile, bank, def, stage), [1 + bubble; 2], "{bank:?} {def} {stage}");
            }
        }
    }
}

#[test]
fn the_statements_about_distances_hold() {
    let rows: [(Bank, u8, u8, u64); 17] = [
        (V, 11, 10, 0),    // ALU chain at full rate
        (V, 10, 10, 0),    // load-use
        (V, 12, 10, 1),    // multiply, select
        (V, 13, 10, 2),    // fp add, FMA
        (Wvec, 12, 12, 0), // accumulate
        (Wvec, 12, 10, 1), // accumulate, then pack
        (Valign, 9, 9, 0),
        (Vbool, 11, 10, 0),
        (Ar, 4, 4, 0),
        (Ar, 4, 1, 3),
        (Ar, 4, 3, 1),
        (Ar, 6, 4, 2),
        (Ar, 5, 4, 1),
        (Ar, 5, 1, 4),
        (Ar, 12, 4, 8),
        (Fsr, 14, 10, 3),
        (Fcr, 12, 10, 1),
    ];
    for (bank, def, stage, bubble) in rows {
        assert_eq!(distance(Profile::Default, bank, def, stage), [1 + bubble; 2], "{bank:?} {def} {stage}");
        let strict = u64::from(bank.is_vector_side() && def > stage);
        assert_eq!(distance(Profile::TieStrict, bank, def, stage), [1 + bubble + strict; 2], "{bank:?} {def} {stage}");
    }
}

#[test]
fn totals_count_to_the_end_of_the_last_result() {
    let total = |defs: &[(Bank, u8)]| {
        let defs: Vec<_> = (0u8..)
            .zip(defs)
            .map(|(operand, (bank, stage))| Access {
                cell: bank.cell(0).expect("register"),
                stage: *stage,
                slot: 0,
                operand,
            })
            .collect();
        let mut footprints = Footprints::new();
        footprints.push(&[], &defs, 0).expect("bundle");
        let steps = [Step::default()];
        let one = closed_run(&footprints, &steps, ClosedForm::rules(Profile::Default)).total;
        assert_eq!(ring_run(&footprints, &steps, Stepper::rules(Profile::Default)).total, one);
        one
    };
    assert_eq!(total(&[(V, 11)]), 2);
    assert_eq!(total(&[(V, 13), (Fsr, 14)]), 4);
    assert_eq!(total(&[(Ar, 4)]), 1);
}
