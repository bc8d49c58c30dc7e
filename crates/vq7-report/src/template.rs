//! A plain tensor-tensor word of an op and three dtypes, to ask legality about.

use crate::setting::Setting;
use vq7_isa::address::Addr4;
use vq7_isa::generation::PARTITIONS;
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::legality::{self, Bench, Engine, Engines, Status};
use vq7_isa::opcode::{TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP};
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Instruction, Word};
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

/// A word of an op on `partitions` by `elements` elements side by side, in the class in which it is legal, or in the arith class.
///
/// # Errors
/// When the tensors do not fit a State Buffer, or a count its field.
pub fn whole_word(
    op: AluOp,
    types: Types,
    (partitions, elements): (u32, u32),
    setting: &Setting,
) -> Result<Word, String> {
    let count = u16::try_from(elements).ok().filter(|&count| count > 0);
    let count = count.ok_or_else(|| format!("{elements} elements; one row of a word has 1 to {}", u16::MAX))?;
    let channels = u8::try_from(partitions).ok().filter(|&channels| (1..=PARTITIONS).contains(&channels.into()));
    let channels = channels.ok_or_else(|| format!("{partitions} partitions; there are 1 to {PARTITIONS}"))?;
    let mut next = 0;
    let [src0, src1, dst] = [types.src0, types.src1, types.out].map(|dtype| {
        let start = next;
        next = (start + u32::from(count) * dtype.bytes()).next_multiple_of(64);
        Tensor3d { start: Addr4::immediate(start), step: [1; 3], num: [count, 1, 1] }
    });
    let limit = setting.generation.geometry().sbuf_active;
    if next > limit {
        return Err(format!(
            "three tensors of {elements} elements take {next} bytes of a partition, and {} has {limit}",
            setting.generation
        ));
    }
    let word = |opcode| match template(opcode, op, types) {
        Instruction::TensorTensor(tt) => {
            Instruction::TensorTensor(S3s3d3Tt { num_active_channels: channels, src0, src1, dst, ..tt })
        }
        other => other,
    };
    let bench = setting.bench();
    let [arith, bitvec] = [TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP].map(word);
    let legal = |word: &Instruction| legality::judge(word, &bench).status == Status::Legal;
    Ok(if !legal(&arith) && legal(&bitvec) { bitvec } else { arith }.encode())
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
