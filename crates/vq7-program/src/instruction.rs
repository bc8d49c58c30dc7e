//! What the right side of an assignment can be, and the word that it becomes.

use crate::diagnostic::{Diagnostic, Parsed, Span};
use crate::syntax::Name;
use crate::view::Part;
use vq7_isa::alu_op::Arity;
use vq7_isa::generation::{Geometry, PARTITIONS_PER_CORE};
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::{ExtendedTta, S3s3d3Tt};
use vq7_isa::opcode::{self, Opcode};
use vq7_isa::{AluOp, Dtype, Instruction, Word};

/// An operation that makes one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// An ALU op on 0x41 or 0x51.
    Alu(AluOp),
    /// Another opcode of the tensor-tensor struct, with the op that it must carry.
    Opcode { opcode: u8, op: AluOp },
    /// An extended tensor-tensor word.
    Extended(AluOp),
}

/// The opcodes of the tensor-tensor struct that are written by their own names, with the op that they must carry.
const OPCODES: [(u8, AluOp); 6] = [
    (opcode::COPY_PREDICATED, AluOp::Bypass),
    (opcode::CAST_PREDICATED, AluOp::Bypass),
    (opcode::BATCH_NORM_BACK_PROP, AluOp::Bypass),
    (opcode::TENSOR_TENSOR_ADD_BF16, AluOp::Add),
    (opcode::TENSOR_TENSOR_MULT_BF16, AluOp::Mult),
    (opcode::TENSOR_TENSOR_SUB_BF16, AluOp::Subtract),
];

impl Operation {
    /// The operation of a name: an ALU op, an opcode in lower case such as `copy_predicated`, or `extended_` and an op.
    pub fn parse(name: &Name) -> Parsed<Self> {
        let lower = name.value.to_ascii_lowercase();
        let by_opcode = OPCODES
            .into_iter()
            .find(|&(code, _)| Opcode::from_code(code).is_some_and(|row| row.name.eq_ignore_ascii_case(&lower)));
        if let Some((opcode, op)) = by_opcode {
            return Ok(Self::Opcode { opcode, op });
        }
        let (text, extended) = lower.strip_prefix("extended_").map_or((&lower[..], false), |op| (op, true));
        let op = AluOp::parse(text).map_err(|error| Diagnostic::new(name.span.clone(), error.to_string()))?;
        Ok(if extended { Self::Extended(op) } else { Self::Alu(op) })
    }

    const fn op(self) -> AluOp {
        match self {
            Self::Alu(op) | Self::Opcode { op, .. } | Self::Extended(op) => op,
        }
    }

    /// Unary ops take one operand, or a second that is only checked; all others take two.
    pub fn check_arity(self, given: usize, span: &Span) -> Parsed<()> {
        let unary = matches!(self, Self::Alu(op) if op.arity() == Arity::Unary);
        if given == 2 || (unary && given == 1) {
            return Ok(());
        }
        Err(Diagnostic::new(
            span.clone(),
            format!("expected {} operands, found {given}", if unary { "1 or 2" } else { "2" }),
        ))
    }

    /// The dtype of a number as second operand: that of the first, and uint32 as the count of a 64-bit shift.
    pub fn literal_dtype(self, other: Dtype) -> Dtype {
        if self.op().is_shift() && other.is_64bit_int() { Dtype::Uint32 } else { other }
    }

    /// The dtype of the result where it is not written: that of both operands, of a shifted value, of copied data.
    pub fn out_dtype(self, src0: Dtype, src1: Dtype) -> Option<Dtype> {
        match self {
            Self::Opcode { opcode: opcode::COPY_PREDICATED, .. } => Some(src1),
            Self::Alu(op) if op.is_shift() => Some(src0),
            _ => (src0 == src1).then_some(src0),
        }
    }
}

/// Builds the word of an operation. `operands` are src0, src1 and dst with their dtypes; `shape` is walked in each of the
/// `channels` partitions.
pub(crate) fn build_word(
    operation: Operation,
    operands: [(Dtype, &Part); 3],
    shape: &[usize],
    home: u32,
    channels: usize,
    events: Events,
    geometry: &Geometry,
) -> Parsed<Word> {
    let [(src0_dtype, part0), (src1_dtype, part1), (out_dtype, dst)] = operands;
    let [src0_dtype, src1_dtype, out_dtype] = [src0_dtype, src1_dtype, out_dtype].map(Dtype::code);
    let op = operation.op().code();
    let opcode = match operation {
        Operation::Alu(op) => op.tensor_tensor_opcode(),
        Operation::Opcode { opcode, .. } => opcode,
        Operation::Extended(_) => {
            let ports = channels as u32 / PARTITIONS_PER_CORE;
            let completion_info = ExtendedTta::COMPLETION | (ports as u8 % 8) << 3;
            let tta = ExtendedTta {
                header: Header::new(opcode::EXTENDED_INST),
                events,
                completion_info,
                src0_dtype,
                src1_dtype,
                out_dtype,
                op,
                reserved: [0; 3],
                src0: part0.pattern(shape, home, geometry)?,
                src1: part1.pattern(shape, home, geometry)?,
                dst: dst.pattern(shape, home, geometry)?,
                tail: [0; 8],
            };
            if ports == 0 || tta.channels() as usize != channels {
                return Err(dst.error(format!("an extended word takes 16, 32, .. 128 partitions, not {channels}")));
            }
            return Ok(Instruction::ExtendedTensorTensor(tta).encode());
        }
    };
    let tt = S3s3d3Tt {
        header: Header::new(opcode),
        events,
        src0_dtype,
        src1_dtype,
        out_dtype,
        op,
        num_active_channels: channels as u8,
        src0: part0.pattern(shape, home, geometry)?,
        src1: part1.pattern(shape, home, geometry)?,
        dst: dst.pattern(shape, home, geometry)?,
    };
    Ok(Instruction::TensorTensor(tt).encode())
}
