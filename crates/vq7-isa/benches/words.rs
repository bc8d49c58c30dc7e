//! Records per second: decode, validate, disassemble.

use divan::{Bencher, counter::ItemsCount};
use vq7_isa::legality::{Bench, Engine, judge};
use vq7_isa::text::{parse_line, print_word};
use vq7_isa::{Generation, Instruction, Word};
use vq7_policy::Policy;

const WORDS: usize = 10_000;

fn main() {
    divan::main();
}

/// Legal and illegal words, as a compiled stream mixes them.
fn stream() -> Vec<Word> {
    let samples = [
        "4110000000000000000000008808c480000000000100010001000002010001000010000001000100010000020100010000200000010001000100000201000100",
        "5110000000000000000000009c0c1040000100010100010001000400010001000002000100000100010004000100010000030001010001000100040001000100",
        "41100000040b131600000000670a0420400080000100080001000800040001000004800001000000010008000400010000088000010008000100080004000100",
    ];
    let samples = samples.map(|hex| Word::from_hex(hex).expect("a sample word"));
    (0..WORDS).map(|i| samples[i % samples.len()]).collect()
}

#[divan::bench]
fn decode(bencher: Bencher<'_, '_>) {
    let words = stream();
    bencher
        .counter(ItemsCount::new(WORDS))
        .bench(|| words.iter().map(|word| Instruction::decode(word).is_modelled() as usize).sum::<usize>());
}

#[divan::bench]
fn validate(bencher: Bencher<'_, '_>) {
    let (words, policy) = (stream(), Policy::default());
    let instructions: Vec<_> = words.iter().map(Instruction::decode).collect();
    let bench = Bench { generation: Generation::Cayman, engine: Engine::Pool, policy: &policy };
    bencher
        .counter(ItemsCount::new(WORDS))
        .bench(|| instructions.iter().filter(|word| judge(word, &bench).first_failed.is_none()).count());
}

#[divan::bench]
fn disassemble(bencher: Bencher<'_, '_>) {
    let words = stream();
    bencher.counter(ItemsCount::new(WORDS)).bench(|| words.iter().map(|word| print_word(word).len()).sum::<usize>());
}

#[divan::bench]
fn assemble(bencher: Bencher<'_, '_>) {
    let lines: Vec<_> = stream().iter().map(print_word).collect();
    let policy = Policy::default();
    bencher
        .counter(ItemsCount::new(WORDS))
        .bench(|| lines.iter().filter(|line| parse_line(line, &policy).is_ok()).count());
}
