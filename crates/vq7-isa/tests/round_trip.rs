//! words -> typed -> words and words -> text -> words give the same 64 bytes, for any 64 bytes.

mod support;

use proptest::prelude::*;
use support::{Random, TENSOR_TENSOR_OPCODES, V3, V4, V5, word};
use vq7_isa::inst::Layout;
use vq7_isa::text::{parse_line, print_word};
use vq7_isa::{Instruction, Word};
use vq7_policy::Policy;

fn assert_round_trip(word: Word) {
    assert_eq!(Instruction::decode(&word).encode(), word);
    let line = print_word(&word);
    match parse_line(&line, &Policy::default()) {
        Ok(again) => assert_eq!(again, word, "{line}"),
        Err(error) => panic!("{word}\n{line}\n{error} at {:?}", error.span),
    }
}

/// An address field in one of the forms that the text spells: immediate, register, shape register, indirect.
fn short_address(random: &mut Random) -> u32 {
    let marker = random.pick(&[0x00, 0x20, 0x40, 0x60, 0x80, 0xA0, 0xC0, 0xE0]) << 24;
    marker | random.pick(&[0, 5, 63, 64, 255, 256, 0x1000, 0x1FFF_FFFF])
}

#[test]
fn an_address_from_a_register_is_not_taken_for_a_list_of_steps() {
    let line = "COPY_PREDICATED op=bypass src0=uint8@$R[10][1,1,1][64,1,1] src1=float32@0x400[1,1,1][64,1,1] \
                dst=float32@shape_reg:$R[3][1,1,1][64,1,1] channels=128;";
    let word = parse_line(line, &Policy::default()).unwrap();
    assert_eq!((word.0[16], word.0[19], word.0[48], word.0[51]), (10, 0x80, 3, 0xC0));
    assert_round_trip(word);
}

#[test]
fn a_million_random_words_and_those_of_every_opcode() {
    let seed = support::seed();
    let mut random = Random::new(seed);
    let (mut typed, mut raw) = (0u64, 0u64);
    for case in 0..1_000_000u64 {
        let mut bytes = [0u8; 64];
        bytes.iter_mut().for_each(|byte| *byte = random.next() as u8);
        match random.below(4) {
            0 => {}
            1 => bytes[0] = random.pick(&TENSOR_TENSOR_OPCODES),
            2 => (bytes[0], bytes[12]) = (0xF0, 2),
            _ => bytes[0] = case as u8,
        }
        // Most fields at rest, so that the short forms are printed too.
        if random.below(2) == 0 {
            bytes[1] = 0x10;
            bytes[2..4].fill(0);
            (bytes[4], bytes[6]) = (
                random.pick(&[0, 1, 4, 6, 7, 0x0E, 0x0F, 0x81, 0x91, 0xFE]),
                random.pick(&[0, 1, 2, 3, 4, 0x13, 0x15, 0x17, 0x19, 0x87, 0x99]),
            );
        }
        // Address fields that have a short form of their own, which random bits seldom are.
        if random.below(2) == 0 {
            for slot in [16, 20, 32, 44, 48] {
                bytes[slot..slot + 4].copy_from_slice(&short_address(&mut random).to_le_bytes());
            }
        }
        let word = Word(bytes);
        assert_round_trip(word);
        let is_modelled = TENSOR_TENSOR_OPCODES.contains(&bytes[0]) || (bytes[0], bytes[12]) == (0xF0, 2);
        let shown_typed =
            print_word(&word).contains(" src0=") && Layout::of(&word).is_none_or(|l| l.name == "EXTENDED_*");
        assert_eq!(shown_typed, is_modelled, "case {case} of seed {seed} (rerun with VQ7_SEED={seed})");
        if is_modelled { typed += 1 } else { raw += 1 }
    }
    assert!(typed > 400_000 && raw > 400_000, "{typed} typed, {raw} raw");
}

proptest! {
    #[test]
    fn any_64_bytes(bytes in proptest::array::uniform32(any::<u8>()), more in proptest::array::uniform32(any::<u8>())) {
        let mut word = [0; 64];
        word[..32].copy_from_slice(&bytes);
        word[32..].copy_from_slice(&more);
        assert_round_trip(Word(word));
    }

    #[test]
    fn no_text_panics(line in "\\PC{0,120}") {
        let _ = parse_line(&line, &Policy::default());
    }

    #[test]
    fn no_damaged_line_panics(cut in 0usize..300, insert in "[@\\[\\]=,;$#0-9a-fx ]{0,4}") {
        let line = print_word(&word(V3, &[]));
        let cut = cut.min(line.len());
        let _ = parse_line(&format!("{}{insert}{}", &line[..cut], &line[(cut + 1).min(line.len())..]), &Policy::default());
        let _ = parse_line(&line[..cut], &Policy::default());
    }
}

#[test]
fn lines_read_as_documented() {
    assert_eq!(
        print_word(&word(V3, &[])),
        "TENSOR_TENSOR_ARITH_OP $S[11]>0 $S[22]++@complete op=add src0=float16@0x800040[1,8,1][8,4,1] \
         src1=bfloat16@0x800400[1,0,1][8,4,1] dst=float32@0x800800[1,8,1][8,4,1] channels=32;"
    );
    assert_eq!(
        print_word(&word(V4, &[])),
        "EXTENDED_INST.TENSOR_TENSOR_ARITH op=add src0=float32@0x0[1,1][256,1] src1=float32@0x1000[1,1][256,1] \
         dst=float32@0x2000[1,1][256,1] ports=0;"
    );
    let mut semaphore = [0u8; 64];
    semaphore[..8].copy_from_slice(&[0xA0, 0x10, 0, 0, 4, 11, 0, 0]);
    assert_eq!(print_word(&Word(semaphore)), "EVENT_SEMAPHORE $S[11]>0;");
    assert!(print_word(&Word([0xC0; 64])).ends_with("; # Bad Opcode(0xc0)"));
}

#[test]
fn other_spellings_give_the_same_word() {
    let policy = Policy::default();
    let line = "COPY_PREDICATED channels=128 dst=fp32@2000000[1][64] src1=FP32@400[1][64] src0=u8@0[1][64] op=BYPASS # as the profiler prints";
    assert_eq!(parse_line(line, &policy), Ok(word(V5, &[])));
}

#[test]
fn errors_point_at_the_piece_and_say_what_to_write() {
    let policy = Policy::default();
    let message = |line: &str| {
        let error = parse_line(line, &policy).unwrap_err();
        (line[error.span.clone()].to_owned(), error.message)
    };
    let good = print_word(&word(V3, &[]));
    let (at, message1) = message(&good.replace("op=add", "op=ad_int"));
    assert_eq!((at.as_str(), message1.contains("did you mean `add_int`?")), ("ad_int", true));
    let (at, message2) = message(&good.replace("$S[22]++@complete", "$S[22]+=3@complete"));
    assert_eq!((at.as_str(), message2.contains("share one 32-bit value")), ("3", true));
    let (at, message3) = message(&good.replace("[8,4,1] src1", "[8,4,1,1] src1"));
    assert_eq!((at.as_str(), message3.contains("at most 3 counts")), ("8,4,1,1", true));
    assert!(message(&good.replace(" channels=32", "")).1.contains("missing channels="));
    assert!(message("TENSOR_TENSOR op=add").1.contains("vq7 opcodes"));
    assert!(message(&good.replace("float16@", "float64@")).1.contains("no dtype `float64`"));
}
