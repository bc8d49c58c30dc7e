//! Whole arrays in, whole arrays out.
//!
//! [`plan`] makes the words first, so that a caller can show verdicts before any data is touched: legality does not
//! depend on the data. [`run`] carries the data through a machine word by word. [`scalar`](scalar()) does both for the scalar forms.
//!
//! **Layout.** A 2-D result with at most 128 rows lies as it is: rows on partitions, columns along them. Anything else
//! is flattened and spread over the 128 partitions: one rectangle of 128 rows, and a column of what is left over. Long
//! rows are cut into pieces that fit the partition.

mod layout;
mod lossy;
mod plan;
mod run;
mod scalar;
mod shape;

pub use lossy::{Lossy, exact_twin, first_lossy};
pub use plan::{Plan, Tile, opcode_of, plan};
pub use run::{FailedWord, RunError, RunSummary, Settings, run, run_on};
pub use scalar::{ScalarOperand, ScalarStep, ScalarWork, scalar};
pub use shape::{broadcast_shape, elements, unravel};

use vq7_isa::Dtype;

/// An array of the caller's: C order, elements little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayRef<'a> {
    /// Dtype of an element.
    pub dtype: Dtype,
    /// Extents, the outermost first; none for a single element.
    pub shape: &'a [usize],
    /// The elements.
    pub bytes: &'a [u8],
}

/// Why arrays cannot become words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArrayError {
    /// No elements.
    #[error("array {name} of shape {shape:?} has no elements; a word's counts are at least 1")]
    Empty {
        /// `a` or `b`.
        name: &'static str,
        /// Its shape.
        shape: Vec<usize>,
    },
    /// Shapes that do not broadcast.
    #[error(
        "shapes {a:?} and {b:?} do not broadcast: counted from the last axis, extents must be equal, or one of them 1"
    )]
    Broadcast {
        /// Shape of the first array.
        a: Vec<usize>,
        /// Shape of the second.
        b: Vec<usize>,
    },
    /// More elements than memory could address.
    #[error("the shape {0:?} has more elements than this computer can address")]
    TooLarge(Vec<usize>),
    /// A dtype that no operand of a tensor-tensor word can hold.
    #[error("{0} is no dtype of a tensor-tensor operand; `vq7 dtypes` lists them")]
    Dtype(Dtype),
    /// Bytes that are not the shape's.
    #[error("array {name} of shape {shape:?} and dtype {dtype} has {expected} bytes, not {have}")]
    Bytes {
        /// `a` or `b`.
        name: &'static str,
        /// Its shape.
        shape: Vec<usize>,
        /// Its dtype.
        dtype: Dtype,
        /// What the shape says.
        expected: usize,
        /// What is there.
        have: usize,
    },
    /// An array that must have another one's shape.
    #[error("array {name} has the shape {shape:?}; it must be {expected:?}, as data is")]
    Shape {
        /// `operand1`.
        name: &'static str,
        /// Its shape.
        shape: Vec<usize>,
        /// The shape of the data.
        expected: Vec<usize>,
    },
    /// Scalars by row that do not suit the rows.
    #[error(
        "{name} has {have} scalars by row and the data the shape {shape:?}; scalars by row need a 2-D array of at most 128 \
         rows, and one for each"
    )]
    RowScalars {
        /// `operand0` or `operand1`.
        name: &'static str,
        /// Scalars that are given.
        have: usize,
        /// Shape of the data.
        shape: Vec<usize>,
    },
    /// An array that is not the one that was planned for.
    #[error(
        "array {name} is {dtype} of shape {shape:?}, and the plan is for {planned_dtype} of shape {planned_shape:?}"
    )]
    NotAsPlanned {
        /// `a` or `b`.
        name: &'static str,
        /// Its shape.
        shape: Vec<usize>,
        /// Its dtype.
        dtype: Dtype,
        /// The shape that the plan is for.
        planned_shape: Vec<usize>,
        /// The dtype that the plan is for.
        planned_dtype: Dtype,
    },
}
