//! How fast words run, against what the memory lets through.
//!
//! Each row is one op on one set of dtypes and one working set, run as a word on a machine with this executor. Beside it,
//! interleaved in the same process, runs a ceiling probe: a bare lane of the widest exclusive or over three buffers of the
//! same sizes, with ordinary stores and with stores that pass the caches by; the better one is the ceiling.

mod cases;
mod matrix;
mod probe;

pub use cases::{Goal, cases};
pub use matrix::{Cell, slowest};

use crate::level::Level;
use crate::{Direct, Fast, View};
use probe::Probe;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::time::{Duration, Instant};
use vq7_engine::{Fault, Machine};
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::alu_op::Arity;
use vq7_isa::generation::PARTITIONS;
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::legality::Engine;
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Instruction};
use vq7_num::Lane;
use vq7_policy::Policy;

/// The most elements per partition of one word.
pub(crate) const LARGEST: u32 = 16384;

/// Runs of the same in a row: the first brings the data near, the others find it there.
const WARM: usize = 12;

/// Bytes between operands of a partition, where they take part of it only.
const APART: u32 = 1280;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// The op.
    pub op: AluOp,
    /// Dtypes of src0, src1 and dst.
    pub dtypes: [Dtype; 3],
    /// Elements per partition; there are 128 partitions. More than a partition holds: whole arrays where they lie.
    pub columns: u32,
    /// Distance of elements of the sources, in elements.
    pub step: i16,
}

impl Case {
    /// `add_int int32 128x16384`, with the step where it is not 1.
    pub fn name(&self) -> String {
        let [a, b, out] = self.dtypes.map(Dtype::name);
        let dtypes = if a == b && b == out { a.to_owned() } else { format!("{a},{b},{out}") };
        let step = if self.step == 1 { String::new() } else { format!(" step {}", self.step) };
        format!("{} {dtypes} {PARTITIONS}x{}{step}", self.op.name(), self.columns)
    }

    /// Elements of the result.
    pub fn elements(&self) -> usize {
        PARTITIONS as usize * self.columns as usize
    }

    /// Bytes that are read and written.
    pub fn bytes(&self) -> usize {
        self.elements() * self.operand_bytes().iter().sum::<usize>()
    }

    /// Whether the operands are arrays in memory, not in the State Buffer.
    pub const fn is_arrays(&self) -> bool {
        self.columns > LARGEST
    }

    /// Whether both sources are read.
    pub fn reads_two(&self) -> bool {
        self.op.arity() == Arity::Binary
    }

    /// Bytes of an element of each operand that is touched.
    fn operand_bytes(&self) -> [usize; 3] {
        let [a, b, out] = self.dtypes.map(|dtype| dtype.bytes() as usize);
        [a, if self.reads_two() { b } else { 0 }, out]
    }
}

/// A row that was measured: the best of all rounds, since nothing but disturbance makes a round longer.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The case.
    pub case: Case,
    /// Kernel and level, or why the reference ran.
    pub path: String,
    /// Time of the word.
    pub word: Duration,
    /// Time of the better ceiling probe.
    pub ceiling: Duration,
    /// Whether the better probe's stores passed the caches by.
    pub streaming: bool,
}

/// The machine, the work, and buffers for the probe.
#[derive(Debug)]
pub struct Setup {
    case: Case,
    machine: Machine,
    work: Work,
    probe: Probe,
    path: String,
}

/// What is timed.
#[derive(Debug)]
enum Work {
    /// A word whose operands lie in the State Buffer.
    Word(Instruction),
    /// Two arrays in memory, computed where they lie.
    Arrays {
        fast: Arc<Fast>,
        direct: Box<Direct>,
        a: Vec<u8>,
        b: Vec<u8>,
        out: Vec<MaybeUninit<u8>>,
        shape: [usize; 2],
    },
}

impl Setup {
    /// Lays out the operands and fills them with numbers of moderate size.
    ///
    /// # Errors
    /// When no such word is legal.
    pub fn new(case: Case, level: Level, threads: usize) -> Result<Self, Fault> {
        let generation = Generation::Cayman;
        let fast = Arc::new(Fast::new(level, threads));
        let probe = Probe::new(&case, level, threads);
        let mut machine = Machine::new(generation, Engine::Any, Policy::default()).with_executor(fast.clone());
        if case.is_arrays() {
            let mut work = Work::arrays(&case, &fast)?;
            let path = work.run(&mut machine)?;
            return Ok(Self { case, machine, work, probe, path });
        }
        let columns = case.columns as u16;
        let stretch = u32::from(case.step.unsigned_abs());
        let length = |dtype: Dtype, stretch: u32| case.columns * dtype.bytes() * stretch;
        let [a, b, out] = case.dtypes;
        // Apart by no multiple of a page: stores would be taken for those that loads behind them wait for.
        let src1 = (length(a, stretch) + APART).next_multiple_of(64);
        let dst = (src1 + length(b, stretch) + APART).next_multiple_of(64);
        let start = |offset: u32, dtype: Dtype, step: i16| {
            let first = if step < 0 { (case.columns - 1) * dtype.bytes() } else { 0 };
            Tensor3d { start: Addr4(offset + first), step: [step, 1, 1], num: [columns, 1, 1] }
        };
        let word = S3s3d3Tt {
            header: Header::new(vq7_engine::arrays::opcode_of(case.op)),
            events: Events::default(),
            src0_dtype: a.code(),
            src1_dtype: b.code(),
            out_dtype: out.code(),
            op: case.op.code(),
            num_active_channels: PARTITIONS as u8,
            src0: start(0, a, case.step),
            src1: start(src1, b, case.step),
            dst: start(dst, out, 1),
        };
        let end = dst + length(out, 1);
        let mut random = 1u64;
        for partition in 0..PARTITIONS {
            let mut row = vec![0u8; end as usize];
            fill(row.get_mut(..length(a, stretch) as usize).unwrap_or(&mut []), a, &mut random);
            fill(row.get_mut(src1 as usize..dst as usize).unwrap_or(&mut []), b, &mut random);
            // A plan that does not fit is reported by the word itself.
            let _ = machine.memory.write(Memory::Sbuf, partition, 0, &row);
        }
        let mut work = Work::Word(Instruction::TensorTensor(word));
        let path = work.run(&mut machine)?;
        Ok(Self { case, machine, work, probe, path })
    }

    /// Runs rounds of probe and word, interleaved, for about this long.
    pub fn measure(&mut self, time: Duration) -> Measured {
        let (mut word, mut plain, mut streaming) = (Duration::MAX, Duration::MAX, Duration::MAX);
        let end = Instant::now() + time;
        let mut rounds = 0;
        while rounds < 3 || Instant::now() < end {
            // Each finds in the caches what it left there itself, as a word does that follows another on the same data.
            for _ in 0..WARM {
                plain = plain.min(self.probe.run(false));
            }
            for _ in 0..WARM {
                word = word.min(self.word());
            }
            for _ in 0..WARM {
                streaming = streaming.min(self.probe.run(true));
            }
            rounds += 1;
        }
        let ceiling = plain.min(streaming);
        Measured { case: self.case, path: self.path.clone(), word, ceiling, streaming: streaming < plain }
    }

    /// Runs the word once.
    pub fn word(&mut self) -> Duration {
        let start = Instant::now();
        let done = self.work.run(&mut self.machine);
        let took = start.elapsed();
        std::hint::black_box(&done);
        took
    }
}

impl Work {
    fn arrays(case: &Case, fast: &Arc<Fast>) -> Result<Self, Fault> {
        let [x, y, out] = case.dtypes;
        let shape = [PARTITIONS as usize, case.columns as usize];
        let mut random = 1;
        let mut data = |dtype: Dtype| {
            let mut bytes = vec![0; case.elements() * dtype.bytes() as usize];
            fill(&mut bytes, dtype, &mut random);
            bytes
        };
        let (a, b) = (data(x), data(y));
        let lane = Lane::new(case.op, x, y, out);
        let direct = Direct::new(fast, lane, &Policy::default()).map_err(no_kernel)?;
        let out = vec![MaybeUninit::new(0); case.elements() * out.bytes() as usize];
        Ok(Self::Arrays { fast: Arc::clone(fast), direct: Box::new(direct), a, b, out, shape })
    }

    /// Does it once, and says by what.
    fn run(&mut self, machine: &mut Machine) -> Result<String, Fault> {
        match self {
            Self::Word(word) => Ok(machine.execute(word)?.path.to_string()),
            Self::Arrays { fast, direct, a, b, out, shape } => {
                let [rows, columns] = *shape;
                let step = |bytes: &[u8]| (bytes.len() / (rows * columns)) as isize;
                let steps = [a.as_slice(), b].map(|bytes| [step(bytes) * columns as isize, step(bytes)]);
                let [a, b] =
                    [(a.as_slice(), &steps[0]), (b, &steps[1])].map(|(bytes, steps)| View { bytes, start: 0, steps });
                direct.run(fast, shape, a, b, out).map_err(no_kernel)?;
                Ok(direct.kernel().to_owned())
            }
        }
    }
}

/// A lane that has no kernel, as a fault.
fn no_kernel(why: &'static str) -> Fault {
    Fault::Unimplemented { what: why.to_owned(), log: Vec::new() }
}

/// Numbers of moderate size: no overflow, no division by zero, no NaN.
fn fill(bytes: &mut [u8], dtype: Dtype, random: &mut u64) {
    let mut next = || {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        *random
    };
    let size = dtype.bytes() as usize;
    for element in bytes.chunks_exact_mut(size) {
        let r = next();
        let bits = match dtype {
            // 0.5 to 4.
            Dtype::Fp32 | Dtype::Fp32r => 0x3F00_0000 + r % 0x0180_0000,
            Dtype::Bfloat16 => 0x3F00 + r % 0x180,
            Dtype::Fp16 => 0x3800 + r % 0xC00,
            Dtype::Fp8Exp3 => 0x20 + r % 0x30,
            Dtype::Fp8Exp4 => 0x30 + r % 0x18,
            Dtype::Fp8Exp5 => 0x38 + r % 0x0C,
            // Dividends and divisors of every magnitude.
            _ => (r >> (next() % 8)) | 1,
        };
        element.copy_from_slice(bits.to_le_bytes().get(..size).unwrap_or(&[0; 8]));
    }
}
