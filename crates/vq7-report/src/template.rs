//! A plain tensor-tensor word of an op and three dtypes, to ask legality about.

use vq7_isa::address::Addr4;
use vq7_isa::generation::PARTITIONS;
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::legality::{self, Bench, Engine, Engines, Status};
use vq7_isa::opcode::{TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP};
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Instruction};
use vq7_policy::Policy;

/// The dtypes of an op's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Types {
    /// Of src0.
    pub src0: Dtype,
    /// Of src1.
    pub src1: Dtype,
    /// Of the result.
    pub out: Dtype,
}

impl Types {
    /// One dtype three times.
    pub const fn same(dtype: Dtype) -> Self {
        Self { src0: dtype, src1: dtype, out: dtype }
    }
}

/// A word that is legal if op and dtypes are: one element per partition, all partitions, three places in SBUF.
pub fn template(opcode: u8, op: AluOp, types: Types) -> Instruction {
    let at = |address| Tensor3d { start: Addr4::immediate(address), step: [1; 3], num: [1; 3] };
    Instruction::TensorTensor(S3s3d3Tt {
        header: Header::new(opcode),
        events: Events::default(),
        src0_dtype: types.src0.code(),
        src1_dtype: types.src1.code(),
        out_dtype: types.out.code(),
        op: op.code(),
        num_active_channels: PARTITIONS as u8,
        src0: at(0),
        src1: at(0x1000),
        dst: at(0x2000),
    })
}

/// The engines that take such a word, in either class; `None` where it is not legal.
pub fn taken(op: AluOp, types: Types, generation: Generation, policy: &Policy) -> Option<Engines> {
    let bench = Bench { generation, engine: Engine::Any, policy };
    let legal = [TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP].into_iter().filter_map(|opcode| {
        let judgement = legality::judge(&template(opcode, op, types), &bench);
        (judgement.status == Status::Legal).then_some(judgement.engines)
    });
    legal.reduce(|x, y| Engines { pool: x.pool || y.pool, dve: x.dve || y.dve })
}
