//! Elements per second of the reference executor, per dtype class.

use divan::{Bencher, counter::ItemsCount};
use vq7_engine::Machine;
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::legality::Engine;
use vq7_isa::opcode::{COPY_PREDICATED, TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP};
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Instruction};
use vq7_policy::Policy;

const CHANNELS: u8 = 128;
const COLUMNS: u16 = 2048;

fn main() {
    divan::main();
}

/// A word over 128 x 2048 elements, and a machine whose sources hold bytes that look like small numbers.
fn prepare(opcode: u8, op: AluOp, dtype: Dtype) -> (Machine, Instruction) {
    let bytes = dtype.bytes() * u32::from(COLUMNS);
    let at = |index: u32| Tensor3d { start: Addr4::immediate(index * bytes), step: [1; 3], num: [COLUMNS, 1, 1] };
    let word = S3s3d3Tt {
        header: Header::new(opcode),
        events: Events::default(),
        src0_dtype: dtype.code(),
        src1_dtype: dtype.code(),
        out_dtype: dtype.code(),
        op: op.code(),
        num_active_channels: CHANNELS,
        src0: at(0),
        src1: at(1),
        dst: at(2),
    };
    let mut machine = Machine::new(Generation::Cayman, Engine::Any, Policy::default());
    let data: Vec<u8> = (0..2 * bytes).map(|i| 0x38 + (i * 7 % 16) as u8).collect();
    for partition in 0..u32::from(CHANNELS) {
        machine.memory.write(Memory::Sbuf, partition, 0, &data).expect("the data fits");
    }
    (machine, Instruction::TensorTensor(word))
}

fn run(bencher: Bencher<'_, '_>, opcode: u8, op: AluOp, dtype: Dtype) {
    let (mut machine, word) = prepare(opcode, op, dtype);
    bencher
        .counter(ItemsCount::new(usize::from(CHANNELS) * usize::from(COLUMNS)))
        .bench_local(|| machine.execute(&word).map(|executed| executed.channels));
}

#[divan::bench(args = [Dtype::Int32, Dtype::Int64, Dtype::Uint32])]
fn add_int(bencher: Bencher<'_, '_>, dtype: Dtype) {
    run(bencher, TENSOR_TENSOR_ARITH_OP, AluOp::AddInt, dtype);
}

#[divan::bench(args = [Dtype::Fp32, Dtype::Fp16, Dtype::Bfloat16, Dtype::Fp8Exp4, Dtype::Int32])]
fn add(bencher: Bencher<'_, '_>, dtype: Dtype) {
    run(bencher, TENSOR_TENSOR_ARITH_OP, AluOp::Add, dtype);
}

#[divan::bench(args = [Dtype::Uint8, Dtype::Uint32, Dtype::Uint64])]
fn bitwise_xor(bencher: Bencher<'_, '_>, dtype: Dtype) {
    run(bencher, TENSOR_TENSOR_BITVEC_OP, AluOp::BitwiseXor, dtype);
}

/// No arithmetic at all: what the walk and the memory cost.
#[divan::bench(args = [Dtype::Uint8, Dtype::Uint32])]
fn copy_predicated(bencher: Bencher<'_, '_>, dtype: Dtype) {
    run(bencher, COPY_PREDICATED, AluOp::Bypass, dtype);
}
