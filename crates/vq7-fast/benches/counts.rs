//! Instructions of the hot kernels and of a word's way through the house, counted under valgrind at the baseline level: a
//! gate that no other load of the machine can move. Each row's limit is what it took when it was last looked at, and 10
//! percent, for the copies of other C libraries; a row that is above its limit fails. Run with
//! `cargo bench -p vq7-fast --features counts --bench counts`, after `cargo install gungraun-runner --version 0.20.0`.

#![allow(missing_docs, reason = "the macros make modules of their own")]

use gungraun::{Callgrind, EventKind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main};
use std::hint::black_box;
use vq7_fast::Level;
use vq7_fast::bench::{Case, Setup};
use vq7_isa::legality::{Bench, Engine, Stream};
use vq7_isa::text::Lines;
use vq7_isa::{AluOp, Dtype, Generation, Word};
use vq7_policy::Policy;

/// Words of a stream.
const WORDS: usize = 300;

/// At most so many instructions.
fn at_most(count: u64) -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default()
        .tool(Callgrind::with_args(["--cache-sim=no"]).hard_limits([(EventKind::Ir, count)]))
        .clone()
}

/// A word over 128 x `columns` elements that ran once.
fn word(op: AluOp, dtypes: [Dtype; 3], columns: u32, step: i16) -> Setup {
    let case = Case { op, dtypes, columns, step };
    match Setup::new(case, Level::Baseline, 1) {
        Ok(setup) => setup,
        Err(fault) => panic!("{}: {}", case.name(), fault.why()),
    }
}

fn stream() -> Vec<Word> {
    let samples = [
        "4110000000000000000000008808c480000000000100010001000002010001000010000001000100010000020100010000200000010001000100000201000100",
        "5110000000000000000000009c0c1040000100010100010001000400010001000002000100000100010004000100010000030001010001000100040001000100",
        "41100000040b131600000000670a0420400080000100080001000800040001000004800001000000010008000400010000088000010008000100080004000100",
    ];
    let samples = samples.map(|hex| Word::from_hex(hex).expect("a sample word"));
    (0..WORDS).filter_map(|i| samples.get(i % samples.len()).copied()).collect()
}

#[library_benchmark(setup = word)]
#[bench::add_int_int32(args = (AluOp::AddInt, [Dtype::Int32; 3], 512, 1), config = at_most(220_000))]
#[bench::add_int_int8(args = (AluOp::AddInt, [Dtype::Int8; 3], 512, 1), config = at_most(155_000))]
#[bench::mult_int_int64(args = (AluOp::MultInt, [Dtype::Int64; 3], 512, 1), config = at_most(643_000))]
#[bench::divide_int_int32(args = (AluOp::DivideInt, [Dtype::Int32; 3], 512, 1), config = at_most(1_489_000))]
#[bench::divide_int_int64(args = (AluOp::DivideInt, [Dtype::Int64; 3], 512, 1), config = at_most(5_024_000))]
#[bench::add_float32(args = (AluOp::Add, [Dtype::Fp32; 3], 512, 1), config = at_most(626_000))]
#[bench::add_bfloat16(args = (AluOp::Add, [Dtype::Bfloat16; 3], 512, 1), config = at_most(951_000))]
#[bench::add_float16(args = (AluOp::Add, [Dtype::Fp16; 3], 512, 1), config = at_most(2_564_000))]
#[bench::add_float8_e4m3(args = (AluOp::Add, [Dtype::Fp8Exp4; 3], 512, 1), config = at_most(2_688_000))]
#[bench::pow_float32(args = (AluOp::Pow, [Dtype::Fp32; 3], 64, 1), config = at_most(907_000))]
#[bench::mult_of_mixed_dtypes(args = (AluOp::Mult, [Dtype::Fp16, Dtype::Uint32, Dtype::Fp8Exp3], 512, 1), config = at_most(2_246_000))]
#[bench::add_int_every_second(args = (AluOp::AddInt, [Dtype::Int16; 3], 512, 2), config = at_most(486_000))]
#[bench::add_int_reversed(args = (AluOp::AddInt, [Dtype::Int16; 3], 512, -1), config = at_most(372_000))]
#[bench::one_column(args = (AluOp::AddInt, [Dtype::Int32; 3], 1, 1), config = at_most(121_000))]
fn words(mut setup: Setup) {
    black_box(setup.word());
}

#[library_benchmark(setup = stream)]
#[bench::judged(config = at_most(56_000))]
fn verdicts(words: Vec<Word>) -> usize {
    let policy = Policy::default();
    let bench = Bench { generation: Generation::Cayman, engine: Engine::Pool, policy: &policy };
    let mut stream = Stream::new(bench);
    words.iter().filter(|word| stream.judge(word).first_failed.is_none()).count()
}

#[library_benchmark(setup = stream)]
#[bench::printed(config = at_most(986_000))]
fn lines(words: Vec<Word>) -> String {
    let lines = Lines::default();
    let mut text = String::with_capacity(words.len() * 256);
    words.iter().for_each(|word| lines.put(&mut text, word));
    text
}

library_benchmark_group!(name = kernels; benchmarks = words);
library_benchmark_group!(name = streams; benchmarks = verdicts, lines);
main!(library_benchmark_groups = kernels, streams);
