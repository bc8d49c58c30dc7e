//! A word with everything looked up: where its tensors lie, how they are walked, what is computed.

use crate::fault::{Fault, Operand};
use crate::form::{self, Form, Scalar};
use crate::registers::Registers;
use crate::walk::Walk;
use vq7_isa::address::{Location, Memory};
use vq7_isa::generation::{Geometry, PARTITIONS};
use vq7_isa::inst::{ExtendedTta, ImmSrc, Immediate, Instruction, S2s2d2Stt, S3d3Ts, S3s3d3Tt, S4d4Tr};
use vq7_isa::opcode::{COPY_PREDICATED, TENSOR_TENSOR_BITVEC_OP};
use vq7_isa::pattern::Pattern;
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
    /// What a word of the scalar forms computes; then `lane` is that of its first op, and src1 is src0 where the word has
    /// one source.
    pub form: Option<Form>,
    /// Where the scalars of such a word come from.
    pub scalars: [Scalar; 2],
}

impl Job {
    /// Elements per channel.
    pub fn elements(&self) -> u64 {
        self.dst.walk.elements()
    }
}

/// The fields of a word that a job is made of, in the one form that all wire structs have.
struct Fields {
    patterns: [Pattern<4>; 3],
    dtypes: [u8; 3],
    op: u8,
    channels: u32,
}

/// Looks everything up for a word that is legal and whose registers are resolved.
pub(crate) fn job(instruction: &Instruction, geometry: &Geometry) -> Result<Job, Fault> {
    let fields = match instruction {
        Instruction::TensorTensor(tt) => Fields {
            patterns: [tt.src0.resized(), tt.src1.resized(), tt.dst.resized()],
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
        Instruction::TensorScalar(ts) => Fields {
            patterns: [ts.src.resized(), ts.src.resized(), ts.dst.resized()],
            dtypes: [ts.in_dtype, ts.in_dtype, ts.out_dtype],
            op: ts.op0,
            channels: ts.num_active_channels.into(),
        },
        Instruction::ScalarTensorTensor(stt) => Fields {
            patterns: [stt.src0.resized(), stt.src1.resized(), stt.dst.resized()],
            dtypes: [stt.src0_dtype, stt.src1_dtype, stt.out_dtype],
            op: stt.op0,
            channels: stt.num_active_channels.into(),
        },
        Instruction::CopyCast(tr) => Fields {
            patterns: [tr.src, tr.src, tr.dst],
            dtypes: [tr.in_dtype, tr.in_dtype, tr.out_dtype],
            op: tr.op,
            channels: tr.num_active_channels.into(),
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
    let (form, scalars) = match instruction {
        Instruction::TensorScalar(ts) => {
            let form = form::of_tensor_scalar(ts)?;
            let dtype = if ts.is_bitvec() { src0.dtype } else { Dtype::Fp32 };
            let immediates = [ts.imm0, ts.imm1];
            let scalars = form::scalars_of(&form, immediates, [dtype; 2], ts.takes_pointers(), geometry)?;
            (Some(form), scalars)
        }
        Instruction::ScalarTensorTensor(stt) => {
            let form = form::of_scalar_tensor_tensor(stt)?;
            let dtype = Dtype::from_code(stt.imm0_dtype).unwrap_or(Dtype::Fp32);
            (Some(form), form::scalars_of(&form, [stt.imm0; 2], [dtype; 2], false, geometry)?)
        }
        Instruction::CopyCast(tr) => (Some(form::of_copy_cast(tr)?), [Scalar::Unread; 2]),
        _ => (None, [Scalar::Unread; 2]),
    };
    let lane = form.map_or(lane, |form| form.first.lane);
    Ok(Job { src0, src1, dst, channels, lane, form, scalars })
}

fn tensor(
    operand: Operand,
    pattern: &Pattern<4>,
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
    // A register immediate names a register that holds a pointer: filled in, it is a pointer.
    let immediate = |immediate: Immediate, operand| match (ImmSrc::from_code(immediate.src), immediate.register()) {
        (Some(ImmSrc::Register), Some(number)) => {
            let bits = registers.pointer(number, operand, geometry)?;
            Ok(Immediate { src: ImmSrc::Pointer.code(), bits })
        }
        _ => Ok(immediate),
    };
    Ok(match instruction {
        Instruction::TensorTensor(tt) => {
            let [src0, src1, dst] = three(registers, geometry, [&tt.src0, &tt.src1, &tt.dst])?;
            Instruction::TensorTensor(S3s3d3Tt { src0, src1, dst, ..*tt })
        }
        Instruction::ExtendedTensorTensor(tta) => {
            let [src0, src1, dst] = three(registers, geometry, [&tta.src0, &tta.src1, &tta.dst])?;
            Instruction::ExtendedTensorTensor(ExtendedTta { src0, src1, dst, ..*tta })
        }
        Instruction::TensorScalar(ts) => Instruction::TensorScalar(S3d3Ts {
            src: registers.resolve(&ts.src, Operand::Src0, geometry)?,
            dst: registers.resolve(&ts.dst, Operand::Dst, geometry)?,
            imm0: immediate(ts.imm0, Operand::Imm0)?,
            imm1: immediate(ts.imm1, Operand::Imm1)?,
            ..*ts
        }),
        Instruction::ScalarTensorTensor(stt) => {
            let [src0, src1, dst] = three(registers, geometry, [&stt.src0, &stt.src1, &stt.dst])?;
            let imm0 = immediate(stt.imm0, Operand::Imm0)?;
            Instruction::ScalarTensorTensor(S2s2d2Stt { src0, src1, dst, imm0, ..*stt })
        }
        Instruction::CopyCast(tr) => {
            // A shape register holds three counts; which of four dimensions they are, no source says.
            if [&tr.src, &tr.dst].iter().any(|pattern| pattern.start.shape_from_register()) {
                return Err(Fault::unimplemented("a shape register for an operand of four dimensions"));
            }
            let src = registers.resolve(&tr.src, Operand::Src0, geometry)?;
            let dst = registers.resolve(&tr.dst, Operand::Dst, geometry)?;
            Instruction::CopyCast(S4d4Tr { src, dst, ..*tr })
        }
        Instruction::Other(_) => *instruction,
    })
}
