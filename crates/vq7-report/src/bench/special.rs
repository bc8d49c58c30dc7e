//! Rows that are no word over whole partitions: streams of words, a small word's overhead, two threads, the slowest cell.

use crate::check::Check;
use crate::setting::Setting;
use serde::Serialize;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use vq7_engine::Machine;
use vq7_fast::bench::{Case, Setup, slowest};
use vq7_fast::{Fast, Level};
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::generation::PARTITIONS;
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::legality::{Bench, Engine, Stream};
use vq7_isa::opcode::TENSOR_TENSOR_ARITH_OP;
use vq7_isa::pattern::Tensor3d;
use vq7_isa::text::Lines;
use vq7_isa::{AluOp, Dtype, Generation, Instruction, Word};
use vq7_policy::Policy;

/// Words of the stream.
const WORDS: usize = 2_000;
/// Words of the program whose small words are timed, and of a stretch of it: the shorter what is timed, the likelier is one
/// that nothing disturbs.
const PROGRAM: usize = 10_000;
const STRETCH: usize = 100;

/// One of these rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// A stream judged: status, first failing rule and engines of each word.
    Verdict,
    /// A stream as `vq7 check` answers it.
    Report,
    /// A stream as lines of text.
    Disassembly,
    /// One word of 128 x 1 elements.
    Overhead,
    /// Two threads against one.
    Threads(AluOp, Dtype, u32),
    /// The slowest legal cell of the matrix of dtypes.
    Matrix,
}

/// A row that was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpecialRow {
    /// What was measured.
    pub name: String,
    /// How much, in `unit`.
    pub value: f64,
    /// `M words/s`, `M lines/s`, `us`, `times`, `Gelem/s`.
    pub unit: &'static str,
    /// What is to be reached.
    pub target: f64,
    /// Whether less is better.
    pub less_is_better: bool,
    /// 1 where the target is reached exactly; more is better.
    pub reached: f64,
    /// What stands behind it.
    pub note: String,
}

impl Special {
    /// All rows.
    pub fn all() -> Vec<Self> {
        let threads = [(AluOp::AddInt, Dtype::Int8), (AluOp::Add, Dtype::Bfloat16), (AluOp::Add, Dtype::Fp8Exp4)];
        let threads = threads.map(|(op, dtype)| Self::Threads(op, dtype, 8192));
        [Self::Verdict, Self::Report, Self::Disassembly, Self::Overhead, Self::Matrix]
            .into_iter()
            .chain(threads)
            .collect()
    }

    /// What the row is called.
    pub fn name(&self) -> String {
        match self {
            Self::Verdict => "stream of words, verdict only".to_owned(),
            Self::Report => "stream of words, full report object".to_owned(),
            Self::Disassembly => "stream of words, disassembly".to_owned(),
            Self::Overhead => "overhead of one 128x1 word".to_owned(),
            Self::Threads(op, dtype, columns) => {
                format!("two threads, {} {} 128x{columns}", op.name(), dtype.name())
            }
            Self::Matrix => "slowest cell of the dtype matrix".to_owned(),
        }
    }

    /// Measures for about this long.
    pub fn measure(&self, level: Level, time: Duration) -> SpecialRow {
        let scale = if level == Level::Avx512 { 1.0 } else { 0.6 };
        let rate = |count: usize, best: Duration| count as f64 / best.as_secs_f64().max(1e-9);
        let (value, unit, target, less_is_better, note) = match *self {
            Self::Verdict => {
                let (words, policy) = (stream(), Policy::default());
                let bench = Bench { generation: Generation::Cayman, engine: Engine::Pool, policy: &policy };
                let best = best_of(time, || {
                    let mut stream = Stream::new(bench);
                    black_box(words.iter().filter(|word| stream.judge(word).first_failed.is_none()).count());
                });
                (rate(words.len(), best) / 1e6, "M words/s", 100.0, false, "from the bytes, 1 of 16 illegal".to_owned())
            }
            Self::Report => {
                let words = stream();
                let best = best_of(time, || {
                    black_box(Check::new(words.clone(), Setting::default(), |_| {}));
                });
                (rate(words.len(), best) / 1e6, "M words/s", 5.0, false, "the answer of vq7 check".to_owned())
            }
            Self::Disassembly => {
                let words = stream();
                let (lines, mut text) = (Lines::default(), String::new());
                let best = best_of(time, || {
                    text.clear();
                    for word in &words {
                        lines.put(&mut text, word);
                        text.push('\n');
                    }
                    black_box(&text);
                });
                (
                    rate(words.len(), best) / 1e6,
                    "M lines/s",
                    10.0,
                    false,
                    format!("{} bytes a line", text.len() / words.len()),
                )
            }
            Self::Overhead => {
                let (best, path) = overhead(level, time);
                (best.as_secs_f64() * 1e6, "us", 5.0, true, path)
            }
            Self::Threads(op, dtype, columns) => {
                let case = Case { op, dtypes: [dtype; 3], columns, step: 1 };
                let (one, two) = threads(case, level, time);
                (
                    one.as_secs_f64() / two.as_secs_f64().max(1e-9),
                    "times",
                    1.6,
                    false,
                    format!("{one:.0?} and {two:.0?}"),
                )
            }
            Self::Matrix => {
                // A look of no time is a look at some cells.
                let (cell, cells) = slowest(level, 1, if time.is_zero() { 997 } else { 1 });
                let (rate, note) = cell.map_or((0.0, String::new()), |cell| {
                    let [a, b, out] = cell.dtypes.map(Dtype::name);
                    (cell.rate(), format!("{} {a},{b},{out} of {cells} cells; {}", cell.op.name(), cell.path))
                });
                (rate / 1e9, "Gelem/s", 1.0 * scale, false, note)
            }
        };
        let reached = if less_is_better { target / value.max(1e-9) } else { value / target };
        SpecialRow { name: self.name(), value, unit, target, less_is_better, reached, note }
    }
}

/// The shortest of some runs, for about this long.
fn best_of(time: Duration, mut run: impl FnMut()) -> Duration {
    let end = Instant::now() + time.max(Duration::from_millis(1));
    let (mut best, mut rounds) = (Duration::MAX, 0);
    while rounds < 3 || Instant::now() < end {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
        rounds += 1;
    }
    best
}

/// Words of several ops, dtypes and shapes, of which some are illegal, as a stream mixes them.
fn stream() -> Vec<Word> {
    let mut state = 1u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let kinds = [
        (0x41, AluOp::AddInt, Dtype::Int32),
        (0x41, AluOp::Add, Dtype::Bfloat16),
        (0x41, AluOp::Mult, Dtype::Fp32),
        (0x51, AluOp::BitwiseXor, Dtype::Uint32),
        (0x51, AluOp::LogicalShiftLeft, Dtype::Uint16),
        (0x41, AluOp::MaxInt, Dtype::Int64),
    ];
    let mut word = || {
        let (opcode, op, dtype) = kinds.get(random(6) as usize).copied().unwrap_or((0x41, AluOp::Add, Dtype::Fp32));
        let columns = 1 + random(2000) as u16;
        let mut at = |index: u32| Tensor3d {
            start: Addr4::immediate(index * 0x8000 + 8 * random(512) as u32),
            step: [1, 1, 1],
            num: [columns, 1 + random(2) as u16 / 2, 1],
        };
        let patterns = [at(0), at(1), at(2)];
        // One of sixteen is illegal: a channel count that the start partition does not allow, or none.
        let channels = if random(16) == 0 { 0 } else { 128 };
        let mut events = Events::default();
        if random(4) == 0 {
            (events.update_mode, events.update_idx) = (0x15, random(32) as u8);
        }
        let [src0, src1, dst] = patterns;
        let word = S3s3d3Tt {
            header: Header::new(opcode),
            events,
            src0_dtype: dtype.code(),
            src1_dtype: dtype.code(),
            out_dtype: dtype.code(),
            op: op.code(),
            num_active_channels: channels,
            src0,
            src1,
            dst,
        };
        word.encode()
    };
    (0..WORDS).map(|_| word()).collect()
}

/// Time of a word of 128 x 1 elements in a program, and what ran.
fn overhead(level: Level, time: Duration) -> (Duration, String) {
    let fast = Arc::new(Fast::new(level, 1));
    let mut machine = Machine::new(Generation::Cayman, Engine::Any, Policy::default()).with_executor(fast);
    for partition in 0..PARTITIONS {
        // The bytes lie within a partition.
        let _ = machine.memory.write(Memory::Sbuf, partition, 0, &[1; 256]);
    }
    let words: Vec<Word> = (0..PROGRAM as u32)
        .map(|index| {
            let at = |offset: u32| Tensor3d { start: Addr4::immediate(offset), step: [1; 3], num: [1; 3] };
            let word = S3s3d3Tt {
                header: Header::new(TENSOR_TENSOR_ARITH_OP),
                events: Events::default(),
                src0_dtype: Dtype::Int32.code(),
                src1_dtype: Dtype::Int32.code(),
                out_dtype: Dtype::Int32.code(),
                op: AluOp::AddInt.code(),
                num_active_channels: PARTITIONS as u8,
                src0: at(index % 16 * 4),
                src1: at(64 + index % 16 * 4),
                dst: at(128 + index % 16 * 4),
            };
            word.encode()
        })
        .collect();
    let mut path = String::new();
    let mut best = Duration::MAX;
    best_of(time, || {
        for stretch in words.chunks(STRETCH) {
            let start = Instant::now();
            for word in stretch {
                if let Ok(done) = machine.execute(&Instruction::decode(word)) {
                    if path.is_empty() {
                        path = done.path.to_string();
                    }
                    black_box(done);
                }
            }
            best = best.min(start.elapsed());
        }
    });
    (best / STRETCH as u32, path)
}

/// Times of one and of two threads, in turns.
fn threads(case: Case, level: Level, time: Duration) -> (Duration, Duration) {
    let (Ok(mut one), Ok(mut two)) = (Setup::new(case, level, 1), Setup::new(case, level, 2)) else {
        return (Duration::ZERO, Duration::ZERO);
    };
    let (mut single, mut double) = (Duration::MAX, Duration::MAX);
    best_of(time, || {
        single = single.min(one.word());
        double = double.min(two.word());
    });
    (single, double)
}
