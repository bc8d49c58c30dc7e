//! Sample words, their mutations, and every row of `vectors/words.csv`.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod support;

use support::{V1, V2, V3, V4, V5, word};
use vq7_isa::legality::{self, Bench, Engine, Status};
use vq7_isa::{Generation, Instruction, Word};
use vq7_policy::Policy;

fn judge(word: &Word, target: &str, engine: &str) -> legality::Judgement {
    let policy = Policy::default();
    let bench = Bench {
        generation: Generation::parse(target).unwrap(),
        engine: Engine::parse(engine).unwrap(),
        policy: &policy,
    };
    let instruction = Instruction::decode(word);
    let verdict = legality::explain(&instruction, &bench);
    let judgement = legality::judge(&instruction, &bench);
    assert_eq!(verdict.judgement, judgement, "the long answer is the short one with reasons");
    assert_eq!(verdict.headline().map(|rule| rule.name), judgement.first_failed);
    if let Some(rule) = verdict.headline() {
        assert!(rule.seen.iter().any(|seen| !seen.passed), "a failing rule says what it looked at: {rule:?}");
    }
    judgement
}

#[test]
fn sample_words_have_their_verdicts() {
    use Status::{Illegal, Legal};
    for (hex, target, engine, status, rule) in [
        (V1, "trn2", "pool", Legal, None),
        (V1, "trn1", "any", Legal, None),
        (V1, "gen5", "pool", Legal, None),
        (V1, "trn2", "dve", Illegal, Some("is_valid_tensor_tensor_arith_dve")),
        (V2, "trn2", "any", Legal, None),
        (V2, "trn3", "any", Legal, None),
        (V2, "trn1", "any", Illegal, Some("is_valid_dtype")),
        (V2, "gen5", "any", Illegal, Some("start_addr_active_channels")),
        (V3, "trn1", "any", Legal, None),
        (V3, "trn2", "pool", Legal, None),
        (V3, "trn3", "dve", Legal, None),
        (V3, "gen5", "any", Illegal, Some("start_addr_active_channels")),
        (V4, "trn1", "any", Legal, None),
        (V4, "trn1", "pool", Illegal, Some("kernel_info_table")),
        (V4, "trn2", "pool", Legal, None),
        (V4, "gen5", "any", Legal, None),
        (V5, "trn1", "any", Legal, None),
        (V5, "trn2", "dve", Legal, None),
        (V5, "trn3", "pool", Illegal, Some("kernel_info_table")),
        (V5, "gen5", "any", Illegal, Some("start_addr_active_channels")),
    ] {
        let judgement = judge(&word(hex, &[]), target, engine);
        assert_eq!((judgement.status, judgement.first_failed), (status, rule), "{hex} on {target} {engine}");
    }
}

#[test]
fn mutations_fail_at_their_rules() {
    let count = |offset, value: u16| [(offset, value as u8), (offset + 1, (value >> 8) as u8)];
    let psum = [(19, 2), (34, 0), (35, 2), (33, 0x10)];
    type Case<'a> = (&'a str, &'a str, &'a [(usize, u8)], &'a str, Option<&'a str>);
    let cases: &[Case<'_>] = &[
        ("length byte", V1, &[(1, 0x40)], "trn2", Some("has_valid_neuron_header")),
        ("wait mode FF", V1, &[(4, 0xFF)], "trn2", Some("has_valid_neuron_events")),
        ("wait mode 08", V1, &[(4, 0x08)], "trn2", Some("has_valid_neuron_events")),
        ("AMAX_INT", V1, &[(14, 0xDE)], "trn2", Some("s3s3d3_tt_valid_op")),
        ("ABS_VALUE_INT", V1, &[(14, 0xCE)], "trn2", Some("s3s3d3_tt_valid_op")),
        ("DIVIDE", V1, &[(14, 0x07)], "trn2", Some("s3s3d3_tt_valid_op")),
        ("AMAX_INT on SUNDA", V1, &[(14, 0xDE)], "trn1", Some("is_valid_enum")),
        ("ABS_VALUE_INT on SUNDA", V1, &[(14, 0xCE)], "trn1", Some("is_valid_enum")),
        ("op 99", V1, &[(14, 0x99)], "trn2", Some("is_valid_enum")),
        ("out uint32", V1, &[(13, 0x09)], "trn2", Some("s3s3d3_tt_valid_int_signness")),
        ("out INVALID", V1, &[(13, 0x00)], "trn2", Some("is_valid_dtype_64")),
        ("src0 FP32R", V1, &[(12, 0x8B)], "trn2", Some("is_valid_dtype_64")),
        ("no channels", V1, &[(15, 0)], "trn2", Some("check_active_channels")),
        ("129 channels", V1, &[(15, 129)], "trn2", Some("check_active_channels")),
        ("src0 at 2", V1, &[(16, 2)], "trn2", Some("tensor3d_valid")),
        ("num[1] of src0 0", V1, &count(28, 0), "trn2", Some("tensor3d_valid")),
        ("num[0] of dst 511", V1, &count(58, 511), "trn2", Some("s3s3d3_tt_dst_element_cnt_check")),
        ("both sources in PSUM", V1, &psum, "trn2", Some("tt_valid_partitions")),
        ("src1 at partition 32, 32 channels", V1, &[(15, 32), (34, 0x80)], "trn2", Some("tt_valid_partitions")),
        ("shape of src0 from a register", V1, &[(19, 0xC0), (26, 0), (27, 0)], "trn2", None),
        ("CRC32", V2, &[(14, 0x1C)], "trn2", Some("s3s3d3_tt_valid_op")),
        ("AND of two dtypes", V2, &[(14, 0x0A)], "trn2", Some("s3s3d3_tt_src_dst_dtype")),
        ("float16 into PSUM", V3, &[(13, 0x07), (48, 0), (49, 0), (50, 0x10), (51, 2)], "trn2", Some("tensor3d_valid")),
        ("predicated copy that converts", V5, &[(12, 0x73)], "trn2", Some("s3s3d3_copy_cast_pred_src1_dst_dtype")),
        ("predicated cast that converts", V5, &[(0, 0x99), (12, 0x73)], "trn2", None),
        ("predicated copy with an op", V5, &[(14, 0x04)], "trn2", Some("s3s3d3_tt_is_zero_op")),
    ];
    for (name, hex, changes, target, rule) in cases {
        assert_eq!(judge(&word(hex, changes), target, "any").first_failed, *rule, "{name}");
    }
}

#[test]
fn inner_checks_are_named() {
    let policy = Policy::default();
    let bench = Bench { generation: Generation::Cayman, engine: Engine::Any, policy: &policy };
    let saw = |changes: &[(usize, u8)]| {
        let verdict = legality::explain(&Instruction::decode(&word(V1, changes)), &bench);
        verdict.headline().unwrap().saw()
    };
    assert!(saw(&[(1, 0x40)]).contains("has_valid_inst_len"));
    assert!(saw(&[(13, 0)]).contains("dtype_invalid_check"));
    let src0 = saw(&[(12, 0x8B)]);
    assert!(src0.contains("src0") && src0.contains("byte 12") && src0.contains("dtype_fp32r_illegal_check"), "{src0}");
    assert!(saw(&[(13, 0x17)]).contains("is_valid_enum"));
}

#[test]
fn every_row_of_words_csv() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/words.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let mut rows = 0;
    for line in text.lines().skip(1) {
        let [row, hex, target, engine, verdict, first_failed] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let judgement = judge(&Word::from_hex(hex).unwrap(), target, engine);
        assert_eq!(judgement.status.name(), verdict, "{row}");
        assert_eq!(judgement.first_failed.unwrap_or(""), first_failed, "{row}");
        rows += 1;
    }
    assert_eq!(rows, 28);
}

#[test]
fn engines_of_a_legal_word() {
    let engines = |hex, target| judge(&word(hex, &[]), target, "any").engines;
    assert_eq!((engines(V1, "trn2").pool, engines(V1, "trn2").dve), (true, false));
    assert_eq!((engines(V3, "trn2").pool, engines(V3, "trn2").dve), (true, true));
    assert_eq!((engines(V2, "trn1").pool, engines(V2, "trn1").dve), (false, false), "an illegal word has no engine");
}

#[test]
fn a_word_whose_struct_is_not_modelled_is_not_judged() {
    let iota = word(V1, &[(0, 0x7E)]);
    assert_eq!(judge(&iota, "trn2", "any").status, Status::NotJudged);
    assert_eq!(judge(&word(V1, &[(0, 0xC0)]), "trn2", "any").first_failed, Some("has_valid_neuron_header"));
    let indirect = word(V1, &[(19, 0x20)]);
    assert_eq!(judge(&indirect, "trn2", "any").status, Status::NotJudged);
    assert!(!judge(&indirect, "trn2", "any").engines.pool);
    let undefined = word(V1, &[(19, 0x60)]);
    assert_eq!(judge(&undefined, "trn2", "any").first_failed, Some("tensor3d_valid"));
}
