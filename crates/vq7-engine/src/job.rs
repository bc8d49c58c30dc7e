//! A word with everything looked up: where its tensors lie, how they are walked, what is computed.

use crate::fault::{Fault, Operand};
use crate::registers::Registers;
use crate::walk::Walk;
use vq7_isa::address::{Location, Memory};
use vq7_isa::generation::{Geometry, PARTITIONS};
use vq7_isa::inst::{ExtendedTta, Instruction, S3s3d3Tt};
use vq7_isa::opcode::{COPY_PREDICATED, TENSOR_TENSOR_BITVEC_OP};
use vq7_isa::pattern::{Pattern, Tensor3d};
use vq7_isa::{AluOp, Dtype};
use vq7_num::{Class, Lane};

/// Elements of one channel that vq7 runs: eight times what the largest partition holds in bytes. A word can ask for
/// 65,535 to the power of three by reading the same bytes over and over.
pub const MAX_ELEMENTS: u64 = 1 << 22;

/// One tensor of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Which one.
    pub operand: Operand,
    /// The memory it lies in.
    pub memory: Memory,
    /// The partition of channel 0.
    pub partition: u32,
    /// The walk, the same in each partition.
    pub walk: Walk,
    /// Dtype of an element.
    pub dtype: Dtype,
}

/// A word, ready to run: every address is inside a memory, every walk inside a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The first source.
    pub src0: Tensor,
    /// The second source.
    pub src1: Tensor,
    /// The destination.
    pub dst: Tensor,
    /// Partitions that take part. Channel k of an operand lies in its partition plus k.
    pub channels: u32,
    /// The op, and the dtypes again. For CAST_PREDICATED, the conversion of an element.
    pub lane: Lane,
}

impl Job {
    /// Elements per channel.
    pub fn elements(&self) -> u64 {
        self.dst.walk.elements()
    }
}

/// The fields of a word that a job is made of, in the one form that both wire structs have.
struct Fields {
    patterns: [Tensor3d; 3],
    dtypes: [u8; 3],
    op: u8,
    channels: u32,
}

/// Looks everything up for a word that is legal and whose registers are resolved.
pub(crate) fn job(instruction: &Instruction, geometry: &Geometry) -> Result<Job, Fault> {
    let fields = match instruction {
        Instruction::TensorTensor(tt) => Fields {
            patterns: [tt.src0, tt.src1, tt.dst],
            dtypes: [tt.src0_dtype, tt.src1_dtype, tt.out_dtype],
            op: tt.op,
            channels: tt.num_active_channels.into(),
        },
        Instruction::ExtendedTensorTensor(tta) => Fields {
            patterns: [tta.src0.resized(), tta.src1.resized(), tta.dst.resized()],
            dtypes: [tta.src0_dtype, tta.src1_dtype, tta.out_dtype],
            op: tta.op,
            channels: tta.channels(),
        },
        Instruction::Other(_) => return Err(Fault::unimplemented("a word whose struct is not modelled")),
    };
    let channels = fields.channels;
    let [p0, p1, p2] = &fields.patterns;
    let [d0, d1, d2] = fields.dtypes;
    let src0 = tensor(Operand::Src0, p0, d0, channels, geometry)?;
    let src1 = tensor(Operand::Src1, p1, d1, channels, geometry)?;
    let dst = tensor(Operand::Dst, p2, d2, channels, geometry)?;
    let elements = dst.walk.elements();
    if elements > MAX_ELEMENTS {
        return Err(Fault::unimplemented(format!(
            "{elements} elements per channel; vq7 runs at most {MAX_ELEMENTS}, more than any partition holds"
        )));
    }
    let op = AluOp::from_code(fields.op)
        .ok_or_else(|| Fault::unimplemented(format!("an ALU op of code {:#04x}", fields.op)))?;
    let opcode = instruction.header().opcode;
    let bits = opcode == TENSOR_TENSOR_BITVEC_OP || opcode == COPY_PREDICATED;
    let class = if bits { Class::Bitvec } else { Class::Arith };
    let lane = Lane { op, src0: src0.dtype, src1: src1.dtype, out: dst.dtype, class };
    Ok(Job { src0, src1, dst, channels, lane })
}

fn tensor(
    operand: Operand,
    pattern: &Tensor3d,
    dtype: u8,
    channels: u32,
    geometry: &Geometry,
) -> Result<Tensor, Fault> {
    // tensor3d_valid and is_valid_dtype have passed; what they let through and vq7 cannot run is named.
    let location = Location::of(pattern.start.payload(), geometry);
    let location = location.ok_or_else(|| Fault::unimplemented(format!("the address of {operand}")))?;
    let dtype = Dtype::from_code(dtype).filter(|dtype| dtype.is_tensor_tensor());
    let dtype = dtype.ok_or_else(|| Fault::unimplemented(format!("the dtype of {operand}")))?;
    let Location { memory, partition, offset } = location;
    let limit = memory.active_bytes(geometry);
    let outside = |partition, offset| Fault::OutOfBounds { operand, memory, partition, offset, limit };
    if channels > PARTITIONS.saturating_sub(partition) {
        return Err(outside(PARTITIONS, offset.into()));
    }
    let walk = Walk::new(offset, pattern, dtype.bytes(), limit).map_err(|at| outside(partition, at))?;
    Ok(Tensor { operand, memory, partition, walk, dtype })
}

/// The word with what its registers hold in place of their names.
pub(crate) fn resolve(
    instruction: &Instruction,
    registers: &Registers,
    geometry: &Geometry,
) -> Result<Instruction, Fault> {
    fn three<const N: usize>(
        registers: &Registers,
        geometry: &Geometry,
        [src0, src1, dst]: [&Pattern<N>; 3],
    ) -> Result<[Pattern<N>; 3], Fault> {
        Ok([
            registers.resolve(src0, Operand::Src0, geometry)?,
            registers.resolve(src1, Operand::Src1, geometry)?,
            registers.resolve(dst, Operand::Dst, geometry)?,
        ])
    }
    Ok(match instruction {
        Instruction::TensorTensor(tt) => {
            let [src0, src1, dst] = three(registers, geometry, [&tt.src0, &tt.src1, &tt.dst])?;
            Instruction::TensorTensor(S3s3d3Tt { src0, src1, dst, ..*tt })
        }
        Instruction::ExtendedTensorTensor(tta) => {
            let [src0, src1, dst] = three(registers, geometry, [&tta.src0, &tta.src1, &tta.dst])?;
            Instruction::ExtendedTensorTensor(ExtendedTta { src0, src1, dst, ..*tta })
        }
        Instruction::Other(_) => *instruction,
    })
}
