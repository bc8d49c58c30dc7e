//! Whole arrays through the scalar forms, against plain Rust loops.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use vq7_engine::Machine;
use vq7_engine::arrays::{ArrayError, ArrayRef, RunError, ScalarOperand, ScalarStep, ScalarWork, scalar};
use vq7_isa::legality::Engine;
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_policy::Policy;

fn machine() -> Machine {
    Machine::new(Generation::Cayman, Engine::Any, Policy::default())
}

fn step(op: AluOp, operand: ScalarOperand<'_>, reverse: bool) -> ScalarStep<'_> {
    ScalarStep { op, operand, reverse }
}

fn bytes_of(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

fn data(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect()
}

#[test]
fn bits_of_any_shape() {
    let shapes: [&[usize]; 7] = [&[], &[5], &[300], &[128, 3], &[7, 40_000], &[2, 3, 5], &[200, 301]];
    for shape in shapes {
        let values = data(shape.iter().product());
        let bytes = bytes_of(&values);
        let array = ArrayRef { dtype: Dtype::Uint32, shape, bytes: &bytes };
        let first = step(AluOp::LogicalShiftLeft, ScalarOperand::Value(13), false);
        let second = Some(step(AluOp::BitwiseXor, ScalarOperand::Value(0xA5A5_0000), false));
        let work = ScalarWork::TensorScalar { first, second };
        let (out, summary) = scalar(&work, &array, Dtype::Uint32, &mut machine()).unwrap();
        let expected: Vec<u32> = values.iter().map(|v| v << 13 ^ 0xA5A5_0000).collect();
        assert_eq!(words_of(&out), expected, "{shape:?}");
        assert_eq!(summary.handler, "DVE tensor-scalar bitvec");
    }
}

#[test]
fn scalars_by_row_and_the_scalar_first() {
    let values: Vec<f32> = (0..12).map(|i| i as f32 * 0.5).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let array = ArrayRef { dtype: Dtype::Fp32, shape: &[3, 4], bytes: &bytes };
    let rows = [1.0f32, 2.0, -3.0].map(f32::to_bits);
    let first = step(AluOp::Subtract, ScalarOperand::Rows(&rows), true);
    let second = Some(step(AluOp::Mult, ScalarOperand::Rows(&rows), false));
    let (out, _) = scalar(&ScalarWork::TensorScalar { first, second }, &array, Dtype::Fp32, &mut machine()).unwrap();
    let by = |i: usize| [1.0f32, 2.0, -3.0][i / 4];
    let expected: Vec<u32> = (0..12).map(|i| ((by(i) - values[i]) * by(i)).to_bits()).collect();
    assert_eq!(words_of(&out), expected);
    // The same with an array as the second operand, which comes first.
    let work = ScalarWork::ScalarTensorTensor { first, op1: AluOp::Subtract, operand1: array, reverse1: true };
    let (out, summary) = scalar(&work, &array, Dtype::Fp32, &mut machine()).unwrap();
    let expected: Vec<u32> = (0..12).map(|i| (values[i] - (by(i) - values[i])).to_bits()).collect();
    assert_eq!(words_of(&out), expected);
    assert_eq!(summary.handler, "DVE scalar-tensor-tensor arithmetic");
}

#[test]
fn copies_keep_bits_and_casts_convert() {
    let bytes = [1u8, 0x7F, 0x00, 0x3C];
    let array = ArrayRef { dtype: Dtype::Fp16, shape: &[2], bytes: &bytes };
    let (out, summary) = scalar(&ScalarWork::Copy, &array, Dtype::Fp16, &mut machine()).unwrap();
    assert_eq!((&out[..], summary.handler), (&bytes[..], "copy"));
    let (out, summary) = scalar(&ScalarWork::Copy, &array, Dtype::Int16, &mut machine()).unwrap();
    assert_eq!((&out[..], summary.handler), (&[0xFF, 0x7F, 1, 0][..], "cast"), "NaN to the largest, 1 to 1");
}

#[test]
fn what_does_not_fit_is_named() {
    let bytes = bytes_of(&[0; 6]);
    let array = ArrayRef { dtype: Dtype::Uint32, shape: &[2, 3], bytes: &bytes };
    let error =
        |work: &ScalarWork<'_>, array: &ArrayRef<'_>| scalar(work, array, Dtype::Uint32, &mut machine()).unwrap_err();
    let add = |operand| ScalarWork::TensorScalar { first: step(AluOp::Add, operand, false), second: None };
    let short = error(&add(ScalarOperand::Rows(&[1])), &array);
    assert!(matches!(short, RunError::Array(ArrayError::RowScalars { have: 1, .. })), "{short}");
    let other = ArrayRef { shape: &[3, 2], ..array };
    let first = step(AluOp::Add, ScalarOperand::Value(0), false);
    let work = ScalarWork::ScalarTensorTensor { first, op1: AluOp::Add, operand1: other, reverse1: false };
    assert!(matches!(error(&work, &array), RunError::Array(ArrayError::Shape { .. })));
    let empty = ArrayRef { shape: &[0, 3], bytes: &[], ..array };
    assert!(matches!(error(&add(ScalarOperand::Value(0)), &empty), RunError::Array(ArrayError::Empty { .. })));
    let pow = ScalarWork::TensorScalar { first: step(AluOp::Pow, ScalarOperand::Value(0), false), second: None };
    assert!(error(&pow, &array).to_string().contains("tensor_scalar_valid_ops"));
    let mixed = ScalarWork::TensorScalar {
        first: step(AluOp::Add, ScalarOperand::Value(0), false),
        second: Some(step(AluOp::BitwiseAnd, ScalarOperand::Value(0), false)),
    };
    assert!(error(&mixed, &array).to_string().contains("tensor_scalar_valid_ops"));
}
