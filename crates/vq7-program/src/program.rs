//! A program with its names resolved: words, placed tensors, bindings and checks.

use crate::data::Array;
use crate::diagnostic::Span;
use std::ops::Range;
use vq7_isa::legality::Engine;
use vq7_isa::{Dtype, Generation, Word};
use vq7_policy::Policy;

/// A program, ready to be run or written out as words.
#[derive(Clone, Debug)]
pub struct Program {
    /// The generation that tensors are placed for.
    pub generation: Generation,
    /// Whether the generation is that of the program's `target` line.
    pub names_target: bool,
    /// The engine that the program names.
    pub engine: Option<Engine>,
    /// The policy of the caller with the program's own knobs.
    pub policy: Policy,
    /// Every tensor and constant, placed.
    pub tensors: Vec<Tensor>,
    /// The words, in order.
    pub steps: Vec<Step>,
    /// Tensors that the caller fills.
    pub inputs: Vec<Binding>,
    /// Tensors that the caller gets.
    pub outputs: Vec<Binding>,
    /// Expectations and values to show, in order.
    pub checks: Vec<Check>,
}

/// A tensor in the State Buffer. Axis 0 of a shape of two or more axes is the partition; the others lie row-major in
/// each partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The name in the program; constants of literals are named by their value.
    pub name: String,
    /// Dtype of the elements.
    pub dtype: Dtype,
    /// Sizes, outermost first.
    pub shape: Vec<usize>,
    /// First partition.
    pub partition: u32,
    /// Byte offset in each partition.
    pub offset: u32,
    /// What it holds before the first word, row-major; `None` when nothing was written.
    pub initial: Option<Vec<u8>>,
    /// A constant: one element, repeated in every partition, that operands of any shape may read.
    pub is_constant: bool,
}

impl Tensor {
    /// Partitions that it spans.
    pub fn partitions(&self) -> usize {
        if self.shape.len() >= 2 { self.shape[0] } else { 1 }
    }

    /// Sizes of the axes within a partition, outermost first.
    pub fn free_shape(&self) -> &[usize] {
        if self.shape.len() >= 2 { &self.shape[1..] } else { &self.shape }
    }

    /// Elements in each partition.
    pub fn free_elements(&self) -> usize {
        self.free_shape().iter().product()
    }

    /// Bytes in each partition.
    pub fn row_bytes(&self) -> usize {
        self.free_elements() * self.dtype.bytes() as usize
    }

    /// Elements in all.
    pub fn elements(&self) -> usize {
        self.partitions() * self.free_elements()
    }
}

/// One word and where it stands in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The word.
    pub word: Word,
    /// The statement that it comes from.
    pub span: Span,
}

/// A tensor that is bound to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Index into [`Program::tensors`].
    pub tensor: usize,
    /// The file that the program names.
    pub path: Option<String>,
    /// The statement.
    pub span: Span,
}

/// Elements to look at, and what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The word before which it is looked at.
    pub before_step: usize,
    /// Index into [`Program::tensors`].
    pub tensor: usize,
    /// Row-major elements.
    pub elements: Range<usize>,
    /// The bits expected, zero-extended; `None` when the elements are only shown.
    pub expected: Option<Vec<u64>>,
    /// The statement.
    pub span: Span,
}

impl Program {
    /// The words, in order.
    pub fn words(&self) -> Vec<Word> {
        self.steps.iter().map(|step| step.word).collect()
    }

    /// The tensor of a name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }

    /// The tensor of a binding.
    pub fn bound(&self, binding: &Binding) -> &Tensor {
        &self.tensors[binding.tensor]
    }

    /// Whether an array can be bound to a tensor: dtype and shape agree.
    ///
    /// # Errors
    /// Says what the tensor is and what the array is.
    pub fn accepts(&self, binding: &Binding, array: &Array) -> Result<(), String> {
        let tensor = self.bound(binding);
        if (array.dtype, &array.shape) == (tensor.dtype, &tensor.shape) {
            return Ok(());
        }
        let Tensor { name, dtype, shape, .. } = tensor;
        let remedy = match (array.dtype == *dtype, array.elements() == tensor.elements()) {
            (true, true) => format!("reshape the array, or declare the input {}{:?}", array.dtype, array.shape),
            (true, false) => "give an array of that shape".to_owned(),
            (false, _) => format!("convert the array to {dtype}, or declare the input {}", array.dtype),
        };
        Err(format!("input `{name}` is {dtype}{shape:?}, but the array is {}{:?}; {remedy}", array.dtype, array.shape))
    }
}
