//! Nothing that comes from outside makes the crate panic: records, words, images, manifests, answers of clients.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use vq7_cases::{Level, mix};
use vq7_conform::compare::Answered;
use vq7_conform::protocol::{ClientHello, read_reply};
use vq7_conform::record::RECORD_BYTES;
use vq7_conform::{Builder, Filter, Kit, Manifest, Plan, Record, ResultsManifest, Shard, TopManifest};
use vq7_isa::{Generation, Word};
use vq7_policy::Policy;

/// The seed of a run; `VQ7_SEED=n cargo test -p vq7-conform --test any_bytes` runs it again.
fn seed() -> u64 {
    let seed = std::env::var("VQ7_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    println!("VQ7_SEED={seed} cargo test -p vq7-conform --test any_bytes");
    seed
}

#[test]
fn the_comparison_takes_any_record_and_word() {
    let policy = Policy::default();
    let plan = Plan::new(Kit {
        generation: Generation::Cayman,
        policy,
        level: Level::One,
        seed: 0,
        filter: Filter::default(),
    });
    let mut builder = Builder::new(&plan);
    let cases = plan.shard(Shard { index: 1, of: 499 });
    let built: Vec<_> = cases.iter().map(|case| builder.build(case).unwrap()).collect();
    let seed = seed();
    let mut found = 0;
    for round in 0..20_000u64 {
        let random = |at: u64| mix(seed ^ mix(round << 8 | at));
        let case = &built[random(0) as usize % built.len()];
        let (mut record, mut word, mut got) = (case.record.encode(), case.word, case.expected.clone());
        for at in 1..1 + random(1) % 6 {
            let byte = random(at + 16) as u8;
            match random(at) % 3 {
                0 => record[random(at + 32) as usize % RECORD_BYTES] = byte,
                1 => word.0[random(at + 32) as usize % 64] = byte,
                _ => {
                    let at = random(at + 32) as usize % got.len();
                    got[at] ^= byte | 1;
                }
            }
        }
        let record = Record::decode(&record);
        let answered =
            Answered { record: &record, word: &word, input: &case.input, expected: &case.expected, got: &got };
        let differing = answered.compare(Generation::Cayman, &policy);
        assert_eq!(differing.is_some(), got != case.expected, "round {round}");
        // Every byte that differs is in an element or outside all of them.
        if let Some(differing) = differing {
            found += 1;
            assert!(differing.elements > 0 || differing.stray_bytes > 0, "round {round}");
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn the_comparison_takes_no_bytes_at_all() {
    let record = Record::decode(&[0xFF; RECORD_BYTES]);
    let word = Word([0xFF; 64]);
    let answered = Answered { record: &record, word: &word, input: &[], expected: &[1; 9], got: &[2; 9] };
    let differing = answered.compare(Generation::Maverick, &Policy::default()).unwrap();
    assert_eq!((differing.elements, differing.stray_bytes), (0, 9));
}

#[test]
fn manifests_and_answers_of_any_bytes_are_refused_or_read() {
    let seed = seed();
    for round in 0..20_000u64 {
        let length = mix(seed ^ round) as usize % 40;
        let bytes: Vec<u8> = (0..length as u64).map(|at| mix(seed ^ mix(round << 8 | at)) as u8 & 0x8F).collect();
        assert!(Manifest::parse(&bytes).is_err() && TopManifest::parse(&bytes).is_err());
        assert!(ResultsManifest::parse(&bytes).is_err());
        assert!(ClientHello::read(&mut &bytes[..]).is_err());
        if let Ok(Some(reply)) = read_reply(&mut &bytes[..], 64) {
            assert!(reply.body.len() <= bytes.len());
        }
    }
}
