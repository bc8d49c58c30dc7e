//! Whole arrays through the scalar forms: tensor-scalar, scalar-tensor-tensor, copy and cast.
//!
//! An array lies as in a [`plan`](super::plan()): a 2-D array with at most 128 rows keeps its rows, anything else is
//! flattened and spread. A scalar is one value for all, or, where rows are kept, one per row.

use super::layout::{Rectangle, keeps_rows, rectangles};
use super::plan::{ALIGNMENT, check_bytes};
use super::run::{FailedWord, RunError, RunSummary};
use super::{ArrayError, ArrayRef, opcode_of};
use crate::fault::Fault;
use crate::machine::Machine;
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::{ImmSrc, Immediate, Reverse, S2s2d2Stt, S3d3Ts, S4d4Tr};
use vq7_isa::opcode::{
    CAST, COPY, SCALAR_TENSOR_TENSOR_ARITH, SCALAR_TENSOR_TENSOR_BITVEC, TENSOR_SCALAR_ARITH_OP,
    TENSOR_SCALAR_BITVEC_OP, TENSOR_TENSOR_BITVEC_OP,
};
use vq7_isa::pattern::Pattern;
use vq7_isa::{AluOp, Dtype, Instruction, Word};

/// The scalar of an op: float32 bits for arithmetic, an element's bits for bit ops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarOperand<'a> {
    /// One for all elements; it stands in the word.
    Value(u32),
    /// One for each row of a 2-D array of at most 128 rows; they lie in memory.
    Rows(&'a [u32]),
}

/// An op with its scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarStep<'a> {
    /// The op.
    pub op: AluOp,
    /// Its scalar.
    pub operand: ScalarOperand<'a>,
    /// Whether the scalar comes first.
    pub reverse: bool,
}

/// What is done with an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarWork<'a> {
    /// `(data op0 scalar0) op1 scalar1`; without a second step, op1 is BYPASS.
    TensorScalar {
        /// The first op.
        first: ScalarStep<'a>,
        /// The second op.
        second: Option<ScalarStep<'a>>,
    },
    /// `(data op0 scalar) op1 operand1`.
    ScalarTensorTensor {
        /// The first op.
        first: ScalarStep<'a>,
        /// The second op.
        op1: AluOp,
        /// An array of data's shape.
        operand1: ArrayRef<'a>,
        /// Whether operand1 comes first.
        reverse1: bool,
    },
    /// Bits as they are where the dtypes are one, else a conversion.
    Copy,
}

impl<'a> ScalarWork<'a> {
    fn scalars(&self) -> [Option<ScalarOperand<'a>>; 2] {
        match self {
            Self::TensorScalar { first, second } => [Some(first.operand), second.map(|step| step.operand)],
            Self::ScalarTensorTensor { first, .. } => [Some(first.operand), None],
            Self::Copy => [None; 2],
        }
    }

    const fn operand1(&self) -> Option<&ArrayRef<'a>> {
        match self {
            Self::ScalarTensorTensor { operand1, .. } => Some(operand1),
            _ => None,
        }
    }
}

/// Where the operands of a word lie in each partition.
struct Places {
    operand1: u32,
    scalars: [u32; 2],
    dst: u32,
}

/// Carries an array through a machine, word by word. Its State Buffer is overwritten from partition 0, offset 0 on.
///
/// # Errors
/// When the arrays cannot become words, or a word faults: an op that the form does not admit is named by the rule that
/// refuses it.
pub fn scalar(
    work: &ScalarWork<'_>,
    data: &ArrayRef<'_>,
    out: Dtype,
    machine: &mut Machine,
) -> Result<(Vec<u8>, RunSummary), RunError> {
    check(work, data, out)?;
    let (size, out_size) = (data.dtype.bytes() as usize, out.bytes() as usize);
    let second_size = work.operand1().map_or(0, |array| array.dtype.bytes() as usize);
    let total: usize = data.shape.iter().product();
    let mut result = vec![0; total.saturating_mul(out_size)];
    let mut summary = RunSummary::new();
    // The operands begin at multiples of the alignment, and two scalars have a place of their own.
    let room = machine.generation.geometry().sbuf_active.saturating_sub(6 * ALIGNMENT) as usize;
    let most = (room / (size + second_size + out_size).max(1)).clamp(1, u16::MAX.into());
    let pieces: Vec<Rectangle> = rectangles(data.shape).iter().flat_map(|whole| cut(whole, most)).collect();
    for (index, piece) in pieces.iter().enumerate() {
        let places = places(size, second_size, piece.columns);
        let word = word(work, data.dtype, out, piece, &places);
        let fault =
            |fault: Fault| RunError::Word(Box::new(FailedWord { index, words: pieces.len(), word, fault, at: None }));
        let mut put = |partition, offset, bytes: &[u8]| {
            machine
                .memory
                .write(Memory::Sbuf, partition, offset, bytes)
                .map_err(|e| fault(Fault::unimplemented(e.to_string())))
        };
        for partition in 0..piece.rows {
            put(partition, 0, slice(data.bytes, piece, partition, size))?;
            if let Some(array) = work.operand1() {
                put(partition, places.operand1, slice(array.bytes, piece, partition, second_size))?;
            }
            for (scalar, offset) in work.scalars().into_iter().zip(places.scalars) {
                if let Some(ScalarOperand::Rows(values)) = scalar {
                    let value = values.get(partition as usize).copied().unwrap_or(0);
                    put(partition, offset, &value.to_le_bytes())?;
                }
            }
        }
        summary.add(machine.execute(&Instruction::decode(&word)).map_err(fault)?);
        for partition in 0..piece.rows {
            let from = flat(piece, partition).saturating_mul(out_size);
            if let Some(slot) = result.get_mut(from..from.saturating_add(piece.columns * out_size)) {
                let read = machine.memory.read_into(Memory::Sbuf, partition, places.dst, slot);
                read.map_err(|e| fault(Fault::unimplemented(e.to_string())))?;
            }
        }
    }
    Ok((result, summary))
}

fn check(work: &ScalarWork<'_>, data: &ArrayRef<'_>, out: Dtype) -> Result<(), ArrayError> {
    let operand1 = work.operand1();
    let dtypes = [Some(data.dtype), operand1.map(|array| array.dtype), Some(out)];
    if let Some(dtype) = dtypes.into_iter().flatten().find(|dtype| !dtype.is_tensor_tensor()) {
        return Err(ArrayError::Dtype(dtype));
    }
    if data.shape.contains(&0) {
        return Err(ArrayError::Empty { name: "data", shape: data.shape.to_vec() });
    }
    check_bytes("data", data)?;
    if let Some(array) = operand1 {
        if array.shape != data.shape {
            return Err(ArrayError::Shape {
                name: "operand1",
                shape: array.shape.to_vec(),
                expected: data.shape.to_vec(),
            });
        }
        check_bytes("operand1", array)?;
    }
    for (name, scalar) in ["operand0", "operand1"].into_iter().zip(work.scalars()) {
        if let Some(ScalarOperand::Rows(values)) = scalar
            && (!keeps_rows(data.shape) || data.shape.first() != Some(&values.len()))
        {
            return Err(ArrayError::RowScalars { name, have: values.len(), shape: data.shape.to_vec() });
        }
    }
    Ok(())
}

/// Pieces of at most so many columns.
fn cut(whole: &Rectangle, most: usize) -> Vec<Rectangle> {
    let starts = (0..whole.columns).step_by(most.max(1));
    starts
        .map(|start| Rectangle {
            first: whole.first.saturating_add(start),
            columns: most.min(whole.columns - start),
            ..*whole
        })
        .collect()
}

fn places(size: usize, second_size: usize, columns: usize) -> Places {
    // The caller has cut the columns so that all of it fits a partition.
    let after = |at: u32, bytes: usize| (at + bytes as u32).next_multiple_of(ALIGNMENT);
    let operand1 = after(0, size * columns);
    let scalar0 = after(operand1, second_size * columns);
    let scalar1 = scalar0 + ALIGNMENT;
    Places { operand1, scalars: [scalar0, scalar1], dst: scalar1 + ALIGNMENT }
}

/// Flat index of the first element of a row of a piece.
fn flat(piece: &Rectangle, partition: u32) -> usize {
    piece.first.saturating_add((partition as usize).saturating_mul(piece.row_stride))
}

fn slice<'a>(bytes: &'a [u8], piece: &Rectangle, partition: u32, size: usize) -> &'a [u8] {
    let from = flat(piece, partition).saturating_mul(size);
    bytes.get(from..from.saturating_add(piece.columns * size)).unwrap_or_default()
}

fn word(work: &ScalarWork<'_>, data: Dtype, out: Dtype, piece: &Rectangle, places: &Places) -> Word {
    fn along<const N: usize>(address: u32, columns: usize) -> Pattern<N> {
        // At most u16::MAX columns, by the cut.
        Pattern { start: Addr4::immediate(address), step: [1], num: [columns as u16] }.resized()
    }
    let columns = piece.columns;
    let num_active_channels = piece.rows as u8;
    let immediate = |operand: ScalarOperand<'_>, at: u32| match operand {
        ScalarOperand::Value(bits) => Immediate { src: ImmSrc::Instruction.code(), bits },
        ScalarOperand::Rows(_) => Immediate { src: ImmSrc::Pointer.code(), bits: at },
    };
    let [at0, at1] = places.scalars;
    let is_bits = |op: AluOp| opcode_of(op) == TENSOR_TENSOR_BITVEC_OP;
    match *work {
        ScalarWork::TensorScalar { first, second } => {
            let op1 = second.map_or(AluOp::Bypass, |step| step.op);
            let bits = is_bits(first.op) || is_bits(op1);
            let reverse = Reverse { first: first.reverse, second: second.is_some_and(|step| step.reverse) };
            S3d3Ts {
                header: Header::new(if bits { TENSOR_SCALAR_BITVEC_OP } else { TENSOR_SCALAR_ARITH_OP }),
                events: Events::default(),
                accumulator: 0,
                reserved: [0; 3],
                src: along(0, columns),
                in_dtype: data.code(),
                out_dtype: out.code(),
                num_active_channels,
                op0: first.op.code(),
                op1: op1.code(),
                reverse: reverse.code(),
                imm0: immediate(first.operand, at0),
                imm1: second.map_or(Immediate { src: 0, bits: 0 }, |step| immediate(step.operand, at1)),
                dst: along(places.dst, columns),
            }
            .encode()
        }
        ScalarWork::ScalarTensorTensor { first, op1, operand1, reverse1 } => {
            let bits = is_bits(first.op) || is_bits(op1);
            S2s2d2Stt {
                header: Header::new(if bits { SCALAR_TENSOR_TENSOR_BITVEC } else { SCALAR_TENSOR_TENSOR_ARITH }),
                events: Events::default(),
                src0: along(0, columns),
                src1: along(places.operand1, columns),
                op0: first.op.code(),
                op1: op1.code(),
                reverse: Reverse { first: first.reverse, second: reverse1 }.code(),
                src0_dtype: data.code(),
                src1_dtype: operand1.dtype.code(),
                out_dtype: out.code(),
                num_active_channels,
                imm0_dtype: if bits { data } else { Dtype::Fp32 }.code(),
                accumulator: 0,
                reserved: [0; 3],
                dst: along(places.dst, columns),
                imm0: immediate(first.operand, at0),
            }
            .encode()
        }
        ScalarWork::Copy => S4d4Tr {
            header: Header::new(if data == out { COPY } else { CAST }),
            events: Events::default(),
            src: along(0, columns),
            in_dtype: data.code(),
            out_dtype: out.code(),
            num_active_channels,
            negated: 0,
            op: AluOp::Bypass.code(),
            op_dim: 0,
            mask_enable: 0,
            reserved: [0; 5],
            dst: along(places.dst, columns),
        }
        .encode(),
    }
}
