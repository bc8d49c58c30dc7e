//! Programs run: the examples give their published answers, and failures are told apart.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::collections::BTreeMap;
use vq7_engine::Machine;
use vq7_isa::legality::Engine;
use vq7_isa::text::Lines;
use vq7_isa::{Dtype, Generation};
use vq7_policy::Policy;
use vq7_program::{Array, Options, Program, RunError, RunOutcome, assemble, run};

fn program(source: &str) -> Program {
    let options = Options {
        target: None,
        default_target: Generation::Cayman,
        policy: Policy::default(),
        insisted: &[],
        lines: Lines::default(),
    };
    assemble(source, &options).unwrap_or_else(|findings| panic!("{findings:#?}"))
}

fn run_with(
    program: &Program,
    inputs: BTreeMap<String, Array>,
    keep_going: bool,
) -> Result<(RunOutcome, Vec<&'static str>), RunError> {
    let mut machine = Machine::new(program.generation, program.engine.unwrap_or(Engine::Any), program.policy);
    let mut faults = Vec::new();
    let outcome = run(program, &mut machine, &inputs, keep_going, &mut |_, result| {
        faults.extend(result.as_ref().err().map(|fault| fault.kind()));
    })?;
    Ok((outcome, faults))
}

fn run_alone(source: &str) -> (Program, RunOutcome, Vec<&'static str>) {
    let program = program(source);
    let (outcome, faults) = run_with(&program, BTreeMap::new(), true).unwrap();
    (program, outcome, faults)
}

fn assert_expectations_hold(source: &str) {
    let (program, outcome, faults) = run_alone(source);
    assert_eq!(faults, Vec::<&str>::new());
    assert_eq!(outcome.checks.len(), program.checks.len());
    for found in &outcome.checks {
        let check = &program.checks[found.check];
        assert!(
            found.passed(check),
            "{}: found {:x?}, expected {:x?}",
            &source[check.span.clone()],
            found.found,
            check.expected
        );
    }
}

#[test]
fn philox_gives_the_three_published_answers() {
    assert_expectations_hold(include_str!("../../../examples/philox4x32.vq7"));
}

#[test]
fn the_lossy_product_loses_the_seven_bits_that_it_should() {
    assert_expectations_hold(include_str!("../../../examples/lossy_multiply.vq7"));
}

#[test]
fn a_wrong_expectation_is_found() {
    let source = "tensor a: int32[1, 2] = [1, 2]\nb = add_int(a, a)\nexpect b == [2, 5]\nshow b[0..1]";
    let (program, outcome, _) = run_alone(source);
    let passed: Vec<_> = outcome.checks.iter().map(|found| found.passed(&program.checks[found.check])).collect();
    assert_eq!(passed, [false, true]);
    assert_eq!(outcome.checks[1].found.as_deref(), Ok(&[2][..]));
}

#[test]
fn checks_look_where_they_stand() {
    assert_expectations_hold(
        "tensor a: int8[1, 1] = 1\nexpect a == [1]\na = add_int(a, a)\nexpect a == [2]\na = add_int(a, a)\nexpect a == [4]",
    );
}

#[test]
fn inputs_and_outputs_carry_arrays() {
    let program = program("input a: int16[2, 3]\nb = subtract_int(a, 1)\noutput b");
    let bytes = [1i16, 2, 3, -4, 5, i16::MIN].iter().flat_map(|v| v.to_le_bytes()).collect();
    let array = Array { dtype: Dtype::Int16, shape: vec![2, 3], bytes };
    let (outcome, _) = run_with(&program, BTreeMap::from([("a".to_owned(), array.clone())]), false).unwrap();
    let (name, result) = &outcome.outputs[0];
    let wanted: Vec<u8> = [0i16, 1, 2, -5, 4, i16::MAX].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!((name.as_str(), &result.as_ref().unwrap().bytes), ("b", &wanted));

    let missing = run_with(&program, BTreeMap::new(), false).unwrap_err();
    assert!(missing.to_string().contains("--in a=FILE"));
    let wrong = Array { shape: vec![3, 2], ..array.clone() };
    assert!(
        run_with(&program, BTreeMap::from([("a".to_owned(), wrong)]), false)
            .unwrap_err()
            .to_string()
            .contains("[3, 2]")
    );
    assert!(matches!(
        run_with(&program, BTreeMap::from([("x".to_owned(), array)]), false),
        Err(RunError::UnknownInput(..))
    ));
}

#[test]
fn a_failing_word_stops_the_run_or_not() {
    let source = "tensor a: int32[1, 1] = 1\nb = divide(a, a)\nc = add_int(a, a)\noutput c";
    let program = program(source);
    let (stopped, faults) = run_with(&program, BTreeMap::new(), false).unwrap();
    assert_eq!((stopped.executed, stopped.failed, stopped.skipped, &faults[..]), (0, 1, 1, &["illegal"][..]));
    assert!(stopped.outputs.is_empty());
    let (kept, _) = run_with(&program, BTreeMap::new(), true).unwrap();
    assert_eq!((kept.executed, kept.failed, kept.skipped), (1, 1, 0));
    assert_eq!(kept.outputs[0].1.as_ref().unwrap().bytes, [2, 0, 0, 0]);
}

#[test]
fn an_output_that_nothing_wrote_is_named() {
    let (_, outcome, _) = run_alone("tensor a: int32[2, 2]\noutput a\nshow a[3..4]");
    let unwritten = outcome.outputs[0].1.as_ref().unwrap_err();
    assert_eq!((unwritten.name.as_str(), unwritten.partition, unwritten.offset), ("a", 0, 0));
    assert!(outcome.checks[0].found.is_err());
}

#[test]
fn overlapping_and_reversed_walks_run_in_walk_order() {
    // A copy onto itself, one element further: every element becomes the first.
    assert_expectations_hold(
        "tensor a: int32[1, 5] at 0x100 = [1, 2, 3, 4, 5]\ntensor b: int32[1, 4] at 0x104\nb = bypass(a[:, 0:4])\nexpect a == [1, 1, 1, 1, 1]",
    );
}

#[test]
fn the_program_of_the_documentation_runs() {
    let page = include_str!("../../../docs/programs.md");
    let source = page.split("```vq7\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_expectations_hold(source);
}
