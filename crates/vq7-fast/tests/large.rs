//! Words that move more than the caches hold, whose results pass the caches by: on every level the bytes of the reference,
//! wherever the operands lie.

mod support;

use std::sync::Arc;
use support::{Random, seed};
use vq7_engine::{Executor, Machine, Reference};
use vq7_fast::{Fast, Level};
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::legality::Engine;
use vq7_isa::opcode::TENSOR_TENSOR_ARITH_OP;
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Instruction};
use vq7_policy::Policy;

const PARTITIONS: u32 = 128;
const COLUMNS: u16 = 16384;

/// An op, its dtype, and where src0, src1 and dst begin in their partitions.
type Case = (AluOp, Dtype, [u32; 3]);

fn word((op, dtype, starts): Case) -> Instruction {
    let [src0, src1, dst] =
        starts.map(|start| Tensor3d { start: Addr4::immediate(start), step: [1; 3], num: [COLUMNS, 1, 1] });
    Instruction::TensorTensor(S3s3d3Tt {
        header: Header::new(TENSOR_TENSOR_ARITH_OP),
        events: Events::default(),
        src0_dtype: dtype.code(),
        src1_dtype: dtype.code(),
        out_dtype: dtype.code(),
        op: op.code(),
        num_active_channels: PARTITIONS as u8,
        src0,
        src1,
        dst,
    })
}

/// All rows of the State Buffer after the word.
fn run(case: Case, rows: &[Vec<u8>], executor: Arc<dyn Executor>) -> Vec<Vec<u8>> {
    let mut machine =
        Machine::new(Generation::Cayman, Engine::Any, Policy::default()).with_executor(Arc::clone(&executor));
    for (partition, row) in (0..).zip(rows) {
        machine.memory.write(Memory::Sbuf, partition, 0, row).expect("the row fits");
    }
    let done = machine.execute(&word(case)).expect("the word is legal");
    assert_eq!(done.path.executor, executor.name(), "{}", done.path);
    (0..PARTITIONS)
        .map(|partition| machine.memory.read(Memory::Sbuf, partition, 0, 0x3_8000).expect("a partition"))
        .collect()
}

#[test]
fn large_words_leave_the_bytes_of_the_reference() {
    let seed = seed();
    let mut random = Random(seed);
    let rows: Vec<Vec<u8>> =
        (0..PARTITIONS).map(|_| (0..0x3_8000 / 8).flat_map(|_| random.next().to_le_bytes()).collect()).collect();
    let cases: [Case; 5] = [
        // From 16 MiB on results are streamed; these are not a line of the cache apart.
        (AluOp::AddInt, Dtype::Int32, [0, 0x1_0004, 0x2_0048]),
        (AluOp::Add, Dtype::Fp32, [4, 0x1_0010, 0x2_0024]),
        // In place.
        (AluOp::SubtractInt, Dtype::Int32, [0x104, 0x1_0804, 0x104]),
        // Shortly behind a source by its last twelve bits: streamed from 4 MiB on.
        (AluOp::Add, Dtype::Bfloat16, [0, 0x1_0000, 0x2_0042]),
        (AluOp::Mult, Dtype::Fp8Exp4, [0, 0x8000, 0x1_0003]),
    ];
    for case in cases {
        let expected = run(case, &rows, Arc::new(Reference));
        for level in Level::available() {
            for threads in [1, 2] {
                let have = run(case, &rows, Arc::new(Fast::new(level, threads)));
                let differs = expected.iter().zip(&have).position(|(expected, have)| expected != have);
                assert_eq!(differs, None, "{level}, {threads} threads, {case:?}, VQ7_SEED={seed}: a partition differs");
            }
        }
    }
}
