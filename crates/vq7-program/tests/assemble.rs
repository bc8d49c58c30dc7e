//! Programs become the words and places that they say, and what is wrong is reported where it stands.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use proptest::prelude::*;
use vq7_isa::text::Lines;
use vq7_isa::text::print_word;
use vq7_isa::{Dtype, Generation};
use vq7_policy::Policy;
use vq7_program::{Diagnostic, Options, Program, assemble};

fn options() -> Options<'static> {
    Options {
        target: None,
        default_target: Generation::Cayman,
        policy: Policy::default(),
        insisted: &[],
        lines: Lines::default(),
    }
}

fn program(source: &str) -> Program {
    assemble(source, &options()).unwrap_or_else(|findings| panic!("{findings:#?}"))
}

fn lines(source: &str) -> Vec<String> {
    program(source).words().iter().map(print_word).collect()
}

/// The first finding: the text it points at, its message, its help.
fn finding(source: &str) -> (String, String, String) {
    let Diagnostic { span, message, help } = assemble(source, &options()).unwrap_err().remove(0);
    (source[span].to_owned(), message, help.unwrap_or_default())
}

#[test]
fn an_assignment_is_a_word_and_places_its_result() {
    let source = "tensor p: uint64[128, 512]\nconst c32: uint32 = 32\nhi = logical_shift_right(p, c32)";
    let program = program(source);
    assert_eq!(
        lines(source),
        [
            "TENSOR_TENSOR_BITVEC_OP op=logical_shift_right src0=uint64@0x0[1,1,1][512,1,1] src1=uint32@0x1000[0,1,1][512,1,1] \
          dst=uint64@0x1008[1,1,1][512,1,1] channels=128;"
        ]
    );
    let hi = program.tensor("hi").unwrap();
    assert_eq!((hi.dtype, &hi.shape[..], hi.offset), (Dtype::Uint64, &[128, 512][..], 0x1008));
}

#[test]
fn slices_steps_and_broadcasts_are_patterns() {
    let source = "tensor a: float32[64, 8, 128]\ntensor b: float32[64, 8, 1]\ntensor c: float32[64, 8, 64] at 0x8000\n\
                  c = mult(a[:, :, 3:67], b) $S[3]>=1 $S[4]++@complete";
    assert_eq!(
        lines(source),
        ["TENSOR_TENSOR_ARITH_OP $S[3]>=1 $S[4]++@complete op=mult src0=float32@0xc[1,128,1][64,8,1] \
          src1=float32@0x1000[0,1,1][64,8,1] dst=float32@0x8000[1,1,1][512,1,1] channels=64;"]
    );
}

#[test]
fn a_negative_step_walks_down() {
    let words = |slice: &str| lines(&format!("tensor a: int32[1, 8]\nb = add_int(a[:, {slice}], 0)")).remove(0);
    assert!(words("::-1").contains("src0=int32@0x1c[-1,1,1][8,1,1]"));
    assert!(words("6:1:-2").contains("src0=int32@0x18[-2,1,1][3,1,1]"), "{}", words("6:1:-2"));
    assert!(words("2::-1").contains("src0=int32@0x8[-1,1,1][3,1,1]"));
}

#[test]
fn a_policy_line_counts_wherever_it_stands() {
    let source = "tensor a: float8_e4m3fn[1, 4]\npolicy e4m3=fn";
    assert_eq!(program(source).policy.changed(), ["e4m3=fn"]);
}

#[test]
fn parts_of_partitions_and_places() {
    let source = "tensor a: int32[64, 4] at 32:0x100\na[32:64, :] = add_int(a[32:64, :], 1)";
    assert_eq!(
        lines(source),
        ["TENSOR_TENSOR_ARITH_OP op=add_int src0=int32@0x1000100[1,1,1][4,1,1] src1=int32@0x1000000[0,1,1][4,1,1] \
          dst=int32@0x1000100[1,1,1][4,1,1] channels=32;"]
    );
}

#[test]
fn other_opcodes_by_their_own_names() {
    let source = "tensor mask: uint8[128, 64]\ntensor x: float32[128, 64]\ntensor y: float32[128, 64]\n\
                  y = copy_predicated(mask, x)\ny = extended_add(x, y)\nz: bfloat16 = cast_predicated(mask, x)";
    let starts: Vec<_> = lines(source).iter().map(|line| line.split(" src0").next().unwrap().to_owned()).collect();
    assert_eq!(
        starts,
        ["COPY_PREDICATED op=bypass", "EXTENDED_INST.TENSOR_TENSOR_ARITH op=add", "CAST_PREDICATED op=bypass"]
    );
}

#[test]
fn repeat_unrolls_and_canonical_lines_mix_in() {
    let source = "tensor x: int32[1, 1] = 0\nrepeat 3 {\n  x = add_int(x, 1)\n  repeat 2 {\n x = add_int(x, 2)\n}\n}\n";
    assert_eq!(lines(source).len(), 9);
    let canonical = lines("tensor a: int32[4, 4]\na = add_int(a, a)").remove(0);
    assert_eq!(lines(&format!("# comment\n{canonical} # again\n")), [canonical]);
}

#[test]
fn a_disassembled_stream_is_a_program() {
    let words = program(include_str!("../../../examples/philox4x32.vq7")).words();
    assert_eq!(words.len(), 140);
    let text: String = words.iter().map(|word| print_word(word) + "\n").collect();
    assert_eq!(program(&text).words(), words);
}

#[test]
fn findings_point_at_the_piece_and_say_what_to_write() {
    let declared = "tensor a: int32[128, 4]\ntensor b: float32[128, 4]\n";
    let cases = [
        ("tensor a: int32[4, 4]\ntensor a: int32[4, 4]", "a", "named twice", "another name"),
        ("tensor a: int32[129, 4]", "[129, 4]", "129 partitions", "number of partitions"),
        ("tensor a: int32[128, 0]", "[128, 0]", "no elements", "at least 1"),
        ("tensor a: uint64[128, 30000]", "a", "overflows", "reuse a tensor"),
        ("tensor a: float64[4, 4]", "float64", "no dtype `float64`", ""),
        ("tensor a: int32[4, 4] = [1, 2]", "[1, 2]", "2 values for 16 elements", "..0"),
        ("tensor a: int8[4, 4] = 300", "300", "", ""),
        ("target trn9", "trn9", "no target", ""),
        ("target trn1\ntarget trn2", "trn2", "one target", "remove"),
        ("engine gpu", "gpu", "no engine", "pool"),
        ("tensr a: int32[4]", "tensr", "begins no statement", "tensor"),
        ("x = add(1, 2)", "1", "two numbers", ""),
        ("x = add(y, 2)", "y", "no tensor is named `y`", "declare it first"),
        ("tensor a: int32[4, 4] at 64:0x38000", "64:0x38000", "does not fit", ""),
    ];
    for (source, at, message, help) in cases {
        let (found_at, found, found_help) = finding(source);
        assert_eq!(found_at, at, "{source}: {found}");
        assert!(found.contains(message) && found_help.contains(help), "{source}: {found} / {found_help}");
    }
    for (line, at, message, help) in [
        ("x = add(a, b)", "x", "dtype of `x` is open", "x: int32"),
        ("x = ad_int(a, a)", "ad_int", "did you mean `add_int`", ""),
        ("x = add(a)", "add", "expected 2 operands", ""),
        ("x = add_int(a, a[0:64, :])", "add_int", "128 and 64 partitions", "lay it out"),
        ("x = add_int(a, a[:, 0:3])", "add_int", "do not broadcast", ""),
        ("a[:, 0:2] = add_int(a, a)", "a", "the result has shape", ""),
        ("b: int32 = add_int(a, a)", "b", "is float32 already", "another name"),
        ("x = add_int(a[:, 3:2], a)", "3:2", "empty", "walks down"),
        ("x = add_int(a[:, 0:4:0], a)", "0:4:0", "empty", ""),
        ("x = add_int(a[:, 4::-1], a)", "4::-1", "past its end", ""),
        ("x = add_int(a[:, 0..2], a)", "..", "expected from:to", "show and expect"),
        ("show a[0:2]", ":", "expected first..end", "row-major"),
        ("output a = \"f.npy\"", "=", "expected `->", "output a -> \"a.npy\""),
        ("input c: int32[4, 4] = \"f.npy\"", "=", "expected `<-", "--in c=FILE"),
        ("tensor c: int8[1, 99999999999]", "99999999999", "is too large for a size", ""),
        ("x = add_int(a, a) $S[1]>>2", ">2", "no semaphore value", ""),
        ("expect a[0..2] == [1]", "expect a[0..2] == [1]", "1 values for 2 elements", ""),
        ("show a[0..513]", "a", "has 512 elements", ""),
        ("repeat 2 {", "", "expected `}`", ""),
    ] {
        let (found_at, found, found_help) = finding(&format!("{declared}{line}"));
        assert_eq!(found_at, at, "{line}: {found}");
        assert!(found.contains(message) && found_help.contains(help), "{line}: {found} / {found_help}");
    }
}

#[test]
fn every_wrong_line_is_reported_in_one_go() {
    let findings = assemble("target trn9\nx = \ntensor a: int32[4, 4]\ny = add(q, a)\n", &options()).unwrap_err();
    assert!(!findings.is_empty());
    let findings = assemble("a = \nb = \nc = \n", &options()).unwrap_err();
    assert_eq!(findings.iter().map(|f| f.line_and_column("a = \nb = \nc = \n").0).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn the_callers_target_wins_and_policy_lines_count() {
    let source = "target trn1\npolicy round=zero\ntensor a: int32[4, 4]";
    assert_eq!(program(source).generation, Generation::Sunda);
    assert_eq!(program(source).policy.changed(), ["round=zero"]);
    let knobs = [vq7_policy::Knob::round];
    let insisted = Options { insisted: &knobs, ..options() };
    assert_eq!(assemble(source, &insisted).unwrap().policy, Policy::default(), "the caller's knob stays");
    let forced = Options { target: Some(Generation::Maverick), ..options() };
    assert_eq!(assemble(source, &forced).unwrap().generation, Generation::Maverick);
}

#[test]
fn a_word_line_without_fields_is_a_word_line() {
    let source = "PSEUDO_INST.EXIT_EXECUTION;\nENGINE_NOP;# nothing to do\n  ENGINE_NOP\n";
    let words = assemble(source, &options()).unwrap().words();
    let opcodes: Vec<_> = words.iter().map(|word| (word.0[0], word.0[12])).collect();
    assert_eq!(opcodes, [(0xDF, 1), (0x9F, 0), (0x9F, 0)]);
}

#[test]
fn huge_numbers_do_not_overflow() {
    for source in [
        "tensor a: int8[16777216, 16777216, 16777216, 16777216]",
        "tensor a: int8[128, 67108864]",
        "tensor a: int8[1, 1] at 4294967295:4294967295",
        "repeat 4294967295 { }",
        "repeat 60000000 {\nrepeat 60000000 {\n}\n}",
        "tensor a: int8[1, 1]\nrepeat 60000000 {\na = add_int(a, a)\n}",
    ] {
        let _ = assemble(source, &options());
    }
}

proptest! {
    #[test]
    fn no_text_panics(source in "\\PC{0,200}") {
        let _ = assemble(&source, &options());
    }

    #[test]
    fn no_near_program_panics(pieces in proptest::collection::vec("tensor |a|b|: int32|\\[4, 4\\]|=| add\\(|, |\\)|\n|1|\\.\\.|repeat 2 |\\{|\\}|\\[0:2|\\]|expect |== |\\$S\\[1\\]>0|at |const |input |\"", 0..40)) {
        let _ = assemble(&pieces.concat(), &options());
    }
}
