//! The slowest cell of the whole matrix of ops and dtypes.

use crate::Fast;
use crate::level::Level;
use std::sync::Arc;
use std::time::{Duration, Instant};
use vq7_engine::Machine;
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::generation::PARTITIONS;
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::legality::{self, Bench, Engine, Status};
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Instruction};
use vq7_policy::Policy;

/// Elements per partition of a cell's word.
const COLUMNS: u32 = 1024;
/// Results per second above which a cell is not looked at again.
const FAST_ENOUGH: f64 = 1.5e9;

/// A cell that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The op.
    pub op: AluOp,
    /// Dtypes of src0, src1 and dst.
    pub dtypes: [Dtype; 3],
    /// Time of a word.
    pub word: Duration,
    /// Elements of a word.
    pub elements: usize,
    /// What ran.
    pub path: String,
}

impl Cell {
    /// Results per second.
    pub fn rate(&self) -> f64 {
        self.elements as f64 / self.word.as_secs_f64().max(1e-9)
    }
}

/// Runs every legal cell of the matrix but POW, divisions and modulo, and gives the slowest and how many there are.
/// `every`: only one of so many cells, for a first look.
pub fn slowest(level: Level, threads: usize, every: usize) -> (Option<Cell>, usize) {
    let policy = Policy::default();
    let generation = Generation::Cayman;
    let fast = Arc::new(Fast::new(level, threads));
    let mut machine = Machine::new(generation, Engine::Any, policy).with_executor(fast);
    // As every dtype these are numbers of moderate size.
    let row: Vec<u8> = (0..3 * 8 * COLUMNS).map(|i| 0x38 + (i * 5 % 7) as u8).collect();
    for partition in 0..PARTITIONS {
        // The rows are shorter than a partition.
        let _ = machine.memory.write(Memory::Sbuf, partition, 0, &row);
    }
    let mut slowest: Option<Cell> = None;
    let mut cells = 0;
    let dtypes: Vec<Dtype> = Dtype::tensor_tensor().collect();
    let mut triples = Vec::new();
    for &a in &dtypes {
        for &b in &dtypes {
            triples.extend(dtypes.iter().map(|&out| [a, b, out]));
        }
    }
    let left_out = |op: AluOp| {
        use AluOp::*;
        matches!(op, Pow | Divide | DivideInt | DivideUint | Mod | ModInt | ModUint | Crc32)
    };
    for &op in AluOp::ALL.iter().filter(|op| !left_out(**op)) {
        for &triple in &triples {
            let word = word(op, triple);
            let bench = Bench { generation, engine: Engine::Any, policy: &policy };
            if legality::judge(&word, &bench).status != Status::Legal {
                continue;
            }
            cells += 1;
            if cells % every.max(1) != 0 {
                continue;
            }
            let mut best = Duration::MAX;
            let mut path = String::new();
            let elements = (PARTITIONS * COLUMNS) as usize;
            // A slow look may be a disturbance.
            for _ in 0..12 {
                let start = Instant::now();
                let Ok(done) = machine.execute(&word) else { break };
                best = best.min(start.elapsed());
                let cell_is_fast = elements as f64 / best.as_secs_f64().max(1e-9) >= FAST_ENOUGH;
                if cell_is_fast {
                    break;
                }
                path = done.path.to_string();
            }
            if best != Duration::MAX && slowest.as_ref().is_none_or(|slowest| best > slowest.word) {
                slowest = Some(Cell { op, dtypes: triple, word: best, elements, path });
            }
        }
    }
    (slowest, cells)
}

fn word(op: AluOp, [a, b, out]: [Dtype; 3]) -> Instruction {
    let at = |index: u32| Tensor3d {
        start: Addr4::immediate(index * 8 * COLUMNS),
        step: [1; 3],
        num: [COLUMNS as u16, 1, 1],
    };
    Instruction::TensorTensor(S3s3d3Tt {
        header: Header::new(vq7_engine::arrays::opcode_of(op)),
        events: Events::default(),
        src0_dtype: a.code(),
        src1_dtype: b.code(),
        out_dtype: out.code(),
        op: op.code(),
        num_active_channels: PARTITIONS as u8,
        src0: at(0),
        src1: at(1),
        dst: at(2),
    })
}
