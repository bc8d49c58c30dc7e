//! From shapes and dtypes to words.

use super::layout::{keeps_rows, rectangles};
use super::shape::{Broadcast, broadcast_shape};
use super::{ArrayError, ArrayRef};
use vq7_isa::address::Addr4;
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::opcode::{TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP};
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Word};

/// Where each operand's region of a partition starts: a multiple of this many bytes, which suits every dtype.
pub(super) const ALIGNMENT: u32 = 64;

/// One word and the piece of the result that it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The word.
    pub word: Word,
    /// Partitions, from 0 on.
    pub channels: u32,
    /// Elements per partition.
    pub columns: u32,
    /// Flat index of the result element in partition 0, column 0.
    pub(super) first: usize,
    /// Distance of one partition's first element from the next one's.
    pub(super) row_stride: usize,
    /// Byte offsets in a partition of src0, src1 and dst.
    pub(super) offsets: [u32; 3],
    /// Elements per partition that src0 and src1 hold: all columns, or one that is read over and over.
    pub(super) held: [u32; 2],
}

impl Tile {
    /// Flat index of the result element of a partition and a column.
    pub(super) fn flat(&self, partition: u32, column: u64) -> usize {
        let row = (partition as usize).saturating_mul(self.row_stride);
        self.first.saturating_add(row).saturating_add(usize::try_from(column).unwrap_or(usize::MAX))
    }
}

/// A source of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub name: &'static str,
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    pub map: Broadcast,
}

impl Source {
    /// Whether all columns of a row of this layout read one element.
    fn is_column(&self, shape: &[usize], result: &[usize]) -> bool {
        // Where rows are kept, the last axis runs along the partition; elsewhere rows cut through axes.
        self.map.is_scalar() || (keeps_rows(result) && shape.last().is_none_or(|&extent| extent == 1))
    }

    /// Checks an array against the plan.
    pub fn check(&self, array: &ArrayRef<'_>) -> Result<(), ArrayError> {
        if array.dtype != self.dtype || array.shape != self.shape {
            return Err(ArrayError::NotAsPlanned {
                name: self.name,
                shape: array.shape.to_vec(),
                dtype: array.dtype,
                planned_shape: self.shape.clone(),
                planned_dtype: self.dtype,
            });
        }
        check_bytes(self.name, array)
    }
}

/// Checks that an array has the bytes that its shape says.
pub(super) fn check_bytes(name: &'static str, array: &ArrayRef<'_>) -> Result<(), ArrayError> {
    let size = array.dtype.bytes() as usize;
    let expected = super::elements(array.shape).and_then(|count| count.checked_mul(size));
    let expected = expected.ok_or_else(|| ArrayError::TooLarge(array.shape.to_vec()))?;
    if array.bytes.len() != expected {
        return Err(ArrayError::Bytes {
            name,
            shape: array.shape.to_vec(),
            dtype: array.dtype,
            expected,
            have: array.bytes.len(),
        });
    }
    Ok(())
}

/// Words for a whole array, ready to be judged and run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The op.
    pub op: AluOp,
    /// Dtypes of src0, src1 and dst.
    pub dtypes: [Dtype; 3],
    /// Shape of the result.
    pub out_shape: Vec<usize>,
    /// The generation whose memory the tiles fit.
    pub generation: Generation,
    /// The words and their pieces, in the order of the result's elements.
    pub tiles: Vec<Tile>,
    pub(super) a: Source,
    pub(super) b: Source,
}

impl Plan {
    /// The words, in order.
    pub fn words(&self) -> impl Iterator<Item = Word> {
        self.tiles.iter().map(|tile| tile.word)
    }

    /// Elements of the result.
    pub fn elements(&self) -> usize {
        self.out_shape.iter().product()
    }
}

/// The opcode of a word with this op: 0x51 for bitvec ops, 0x41 for all others, BYPASS among them. An op that no
/// tensor-tensor word may hold gets one too, so that a verdict can name the rule.
pub const fn opcode_of(op: AluOp) -> u8 {
    if op.is_bitvec() && !op.is_arith() { TENSOR_TENSOR_BITVEC_OP } else { TENSOR_TENSOR_ARITH_OP }
}

/// Plans `out = op(a, b)` with the shapes broadcast. The words may be illegal: judge them before running.
///
/// # Errors
/// When the shapes do not broadcast or have no elements, or a dtype is none of an operand.
pub fn plan(
    op: AluOp,
    a: (Dtype, &[usize]),
    b: (Dtype, &[usize]),
    out: Dtype,
    generation: Generation,
) -> Result<Plan, ArrayError> {
    let dtypes = [a.0, b.0, out];
    if let Some(&dtype) = dtypes.iter().find(|dtype| !dtype.is_tensor_tensor()) {
        return Err(ArrayError::Dtype(dtype));
    }
    let out_shape = broadcast_shape(a.1, b.1)?;
    let source = |name, (dtype, shape): (Dtype, &[usize])| Source {
        name,
        dtype,
        shape: shape.to_vec(),
        map: Broadcast::new(shape, &out_shape),
    };
    let (a, b) = (source("a", a), source("b", b));
    let repeats = [&a, &b].map(|source| source.is_column(&source.shape, &out_shape));
    let budget = Budget::new(dtypes, repeats, generation);
    let mut tiles = Vec::new();
    for rectangle in rectangles(&out_shape) {
        let mut column = 0;
        while column < rectangle.columns {
            let columns = budget.columns.min(rectangle.columns - column);
            tiles.push(budget.tile(op, rectangle.rows, columns as u32, |tile| {
                tile.first = rectangle.first.saturating_add(column);
                tile.row_stride = rectangle.row_stride;
            }));
            column = column.saturating_add(columns);
        }
    }
    Ok(Plan { op, dtypes, out_shape, generation, tiles, a, b })
}

/// How the bytes of a partition are shared among the operands.
struct Budget {
    dtypes: [Dtype; 3],
    repeats: [bool; 2],
    /// Most columns of one word.
    columns: usize,
}

impl Budget {
    fn new(dtypes: [Dtype; 3], repeats: [bool; 2], generation: Generation) -> Self {
        let [a, b, out] = dtypes.map(Dtype::bytes);
        let per_column = if repeats[0] { 0 } else { a } + if repeats[1] { 0 } else { b } + out;
        // A partition is far larger than three alignments; the walk's counts are 16 bits.
        let room = generation.geometry().sbuf_active.saturating_sub(3 * ALIGNMENT);
        let columns = (room / per_column.max(1)).clamp(1, u16::MAX.into()) as usize;
        Self { dtypes, repeats, columns }
    }

    fn tile(&self, op: AluOp, channels: u32, columns: u32, place: impl FnOnce(&mut Tile)) -> Tile {
        let held = self.repeats.map(|repeats| if repeats { 1 } else { columns });
        let [a, b, _] = self.dtypes.map(Dtype::bytes);
        let src1 = (held[0] * a).next_multiple_of(ALIGNMENT);
        let dst = (src1 + held[1] * b).next_multiple_of(ALIGNMENT);
        let offsets = [0, src1, dst];
        let pattern = |offset, repeats| Tensor3d {
            start: Addr4::immediate(offset),
            step: [if repeats { 0 } else { 1 }, 1, 1],
            // At most u16::MAX columns, by the budget.
            num: [columns as u16, 1, 1],
        };
        let word = S3s3d3Tt {
            header: Header::new(opcode_of(op)),
            events: Events::default(),
            src0_dtype: self.dtypes[0].code(),
            src1_dtype: self.dtypes[1].code(),
            out_dtype: self.dtypes[2].code(),
            op: op.code(),
            num_active_channels: channels as u8,
            src0: pattern(offsets[0], self.repeats[0]),
            src1: pattern(offsets[1], self.repeats[1]),
            dst: pattern(offsets[2], false),
        };
        let mut tile = Tile { word: word.encode(), channels, columns, first: 0, row_stride: 0, offsets, held };
        place(&mut tile);
        tile
    }
}
