//! Every opcode of every generation has a name, reads as text, and comes back to the same 64 bytes.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod support;

use support::Random;
use vq7_isa::inst::field::{Field, Kind, Part};
use vq7_isa::inst::{Layout, UserOpcode, UserOpcodeError, UserOpcodes};
use vq7_isa::opcode::{OPCODES, Opcode};
use vq7_isa::text::{Lines, parse_line, print_word};
use vq7_isa::{Generation, Word};
use vq7_policy::Policy;

/// A word of an opcode: its payload zero, or random, or sparse.
fn word_of(opcode: u8, fill: u64, random: &mut Random) -> Word {
    let mut bytes = [0u8; 64];
    for byte in bytes.iter_mut().skip(12) {
        *byte = match fill {
            0 => 0,
            1 => random.next() as u8,
            _ if random.below(4) == 0 => random.below(8) as u8,
            _ => 0,
        };
    }
    (bytes[0], bytes[1]) = (opcode, 0x10);
    Word(bytes)
}

#[test]
fn every_opcode_of_every_generation_reads_and_comes_back() {
    let seed = support::seed();
    let mut random = Random::new(seed);
    let policy = Policy::default();
    for generation in Generation::ALL {
        let opcodes: Vec<_> = OPCODES.iter().filter(|row| row.generations.contains(generation)).collect();
        assert!(opcodes.len() >= 145);
        for row in opcodes {
            for case in 0..60 {
                let word = word_of(row.code, case % 3, &mut random);
                let line = print_word(&word);
                let name = line.split([' ', ';', '.']).next();
                assert_eq!(name, Some(row.name), "{line}");
                let again = parse_line(&line, &policy);
                assert_eq!(again, Ok(word), "{line} (rerun with VQ7_SEED={seed})");
                let typed = Layout::of(&word).is_some() || !line.contains(" raw=");
                assert_eq!(typed, !line.contains(" raw="), "{line}");
            }
        }
    }
}

#[test]
fn raw_bytes_may_stand_for_the_fields_of_a_word_that_is_not_judged() {
    let policy = Policy::default();
    let mut random = Random::new(1);
    for row in OPCODES {
        let word = word_of(row.code, 1, &mut random);
        let raw = format!("{} raw={};", row.name, &word.to_string()[24..]);
        match vq7_isa::Instruction::decode(&word).is_modelled() {
            true => assert!(parse_line(&raw, &policy).is_err(), "{raw}"),
            false => assert_eq!(parse_line(&raw, &policy), Ok(word), "{raw}"),
        }
    }
}

/// The words that the sources of docs/spec/streams.md show, beside the text they have there.
#[test]
fn sample_words_read_as_their_sources_print_them() {
    let word = |start: &[u8], at: usize, text: &str| {
        let mut bytes = [0u8; 64];
        bytes[..start.len()].copy_from_slice(start);
        bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
        print_word(&Word(bytes))
    };
    assert_eq!(word(&[0xA0, 0x10, 0, 0, 4, 11], 0, ""), "EVENT_SEMAPHORE $S[11]>0;");
    assert_eq!(word(&[0xC1, 0x10], 12, "q_gradient_in"), "PSEUDO_DMATRIGGER queue=q_gradient_in;");
    assert_eq!(
        word(&[0xC1, 0x10, 0, 0, 4, 22], 12, "q_gradient_out"),
        "PSEUDO_DMATRIGGER $S[22]>0 queue=q_gradient_out;"
    );
    let collective = word(&[0xC8, 0x10, 0, 0, 4, 10, 0x13, 22], 0, "");
    assert!(collective.starts_with("PSEUDO_TRIGGER_COLLECTIVE $S[10]>0 $S[22]++@complete raw=00"), "{collective}");
    let spec = |opcode: u8, spec: u8| word(&[opcode, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, spec], 0, "");
    assert_eq!(spec(0xDF, 1), "PSEUDO_INST.EXIT_EXECUTION;");
    assert_eq!(spec(0xDF, 9), "PSEUDO_INST spec=9;");
    assert_eq!(spec(0xF0, 1), "EXTENDED_INST.COPY completion=0x0;");
    assert_eq!(spec(0xF0, 3), "EXTENDED_INST.RAND_SET_STATE completion=0x0;");
    assert_eq!(spec(0xF0, 5), "EXTENDED_INST spec=5 completion=0x0;");
    let policy = Policy::default();
    assert!(parse_line("EXTENDED_INST.COPY raw=00;", &policy).is_err());
    assert!(parse_line("MATMUL.COPY raw=00;", &policy).is_err());
}

fn field(name: &str, offset: usize, kind: Kind) -> Field {
    Field { name: name.to_owned().into(), offset, kind, quiet: false }
}

fn row(opcode: u8, spec: Option<u8>, name: &str, fields: Vec<Field>) -> UserOpcode {
    UserOpcode { opcode, spec, name: name.to_owned(), fields }
}

#[test]
fn rows_of_the_user_name_words_and_lose_no_byte() {
    let mut user = UserOpcodes::default();
    let fields = vec![
        field("src", 20, Kind::Operand(3, Some((16, Part::Low)))),
        field("function", 13, Kind::Number(2)),
        field("flags", 40, Kind::Hex(4)),
    ];
    user.add(row(0xF0, Some(0x40), "KERNEL_CALL", fields.clone())).unwrap();
    user.add(row(0x97, None, "PRIVATE.ONE", fields)).unwrap();
    let (lines, policy) = (Lines::with(&user), Policy::default());
    let mut random = Random::new(support::seed());
    for case in 0..1000 {
        let mut word = word_of(if case % 2 == 0 { 0xF0 } else { 0x97 }, case % 3, &mut random);
        if case % 2 == 0 {
            word.0[12] = 0x40;
        }
        let mut line = String::new();
        lines.put(&mut line, &word);
        assert!(line.starts_with(if case % 2 == 0 { "KERNEL_CALL src=" } else { "PRIVATE.ONE src=" }), "{line}");
        assert_eq!(lines.parse(&line, &policy), Ok(word), "{line}");
        assert!(parse_line(&line, &policy).is_err());
    }
    let other = word_of(0xF0, 0, &mut random);
    assert_eq!(lines.name(&other).as_deref(), Some("EXTENDED_INST.ENGINE_NOP"));
    assert!(Opcode::from_code(0x97).is_none());
}

#[test]
fn rows_that_cannot_be_used_are_refused_by_name() {
    let refuse = |row: UserOpcode| UserOpcodes::default().add(row).unwrap_err();
    let number = |name, offset| field(name, offset, Kind::Number(4));
    assert_eq!(refuse(row(0xF0, None, "X", vec![])), UserOpcodeError::SpecMissing);
    assert_eq!(refuse(row(0xF0, Some(2), "X", vec![])), UserOpcodeError::Modelled);
    assert_eq!(refuse(row(0x41, None, "X", vec![])), UserOpcodeError::Modelled);
    assert_eq!(refuse(row(0x97, Some(1), "X", vec![])), UserOpcodeError::Spec(0x97));
    assert_eq!(refuse(row(0x97, None, "MATMUL", vec![])), UserOpcodeError::NameTaken("MATMUL".into()));
    assert_eq!(refuse(row(0x97, None, "a b", vec![])), UserOpcodeError::Name("a b".into()));
    let outside = refuse(row(0x97, None, "X", vec![number("a", 61)]));
    assert_eq!(outside, UserOpcodeError::OutOfWord("a".into()));
    assert_eq!(refuse(row(0x97, None, "X", vec![number("a", 8)])), UserOpcodeError::OutOfWord("a".into()));
    assert_eq!(refuse(row(0x97, None, "X", vec![number("a", usize::MAX)])), UserOpcodeError::OutOfWord("a".into()));
    let shared = refuse(row(0x97, None, "X", vec![number("a", 12), number("b", 15)]));
    assert_eq!(shared, UserOpcodeError::Overlap("b".into()));
    assert_eq!(refuse(row(0xF0, Some(9), "X", vec![number("a", 12)])), UserOpcodeError::Overlap("a".into()));
    let twice = refuse(row(0x97, None, "X", vec![number("raw", 12)]));
    assert_eq!(twice, UserOpcodeError::FieldTwice("raw".into()));
    let mut two = UserOpcodes::default();
    two.add(row(0x97, None, "X", vec![])).unwrap();
    assert_eq!(two.add(row(0x97, None, "Y", vec![])), Err(UserOpcodeError::Twice));
    assert_eq!(two.add(row(0xC0, None, "X", vec![])), Err(UserOpcodeError::NameTaken("X".into())));
}
