//! Operands where they lie in memory: the kernels of a word without words and State Buffer.
//!
//! A caller that has judged the words of an op on whole arrays need not have them laid out: the elements are the same.
//! `tests/direct.rs` holds this against the words.

use crate::executor::{STREAMED_BYTES, STREAMED_BYTES_THREADED, THREADED_BYTES};
use crate::layout::Layout;
use crate::level::host_floats_are_ieee;
use crate::rows::Passage;
use crate::select::{Pipeline, select};
use crate::{Fast, Level};
use rayon::prelude::*;
use std::mem::MaybeUninit;
use vq7_engine::dispatch::Kernel;
use vq7_num::Lane;
use vq7_policy::Policy;

/// Pieces that a long row is cut into, per thread.
const PIECES_PER_THREAD: usize = 4;

/// A source: bytes, and where in them each element of the result finds its own.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Memory that all elements lie in.
    pub bytes: &'a [u8],
    /// Byte offset of the first element.
    pub start: usize,
    /// Per axis of the result, the outermost first: bytes from one element to the next; 0 where the source is repeated.
    pub steps: &'a [isize],
}

/// The kernels of one op on given dtypes.
#[derive(Clone, Debug)]
pub struct Direct {
    lane: Lane,
    pipeline: Pipeline,
    level: Level,
}

/// A piece of the result with one passage: byte offsets of its first elements.
#[derive(Clone, Copy)]
struct Piece {
    a: isize,
    b: isize,
    out: usize,
    elements: usize,
}

/// Where the operands begin.
struct Bases {
    a: *const u8,
    b: *const u8,
    out: *mut u8,
}

/// All of a call that its pieces share.
struct Work<'a> {
    direct: &'a Direct,
    bases: Bases,
    /// Whether results pass the caches by.
    streams: bool,
}

// SAFETY: the pointers come from two shared slices and an exclusive one that `Direct::run` holds, and no two pieces write
// the same bytes.
unsafe impl Sync for Bases {}

impl Direct {
    /// The kernels of a lane under a policy.
    ///
    /// # Errors
    /// Why there are none: then words have to carry the operands to an executor.
    pub fn new(fast: &Fast, lane: Lane, policy: &Policy) -> Result<Self, &'static str> {
        if cfg!(target_endian = "big") {
            return Err("this host is big-endian");
        }
        let pipeline = select(Kernel::TensorTensor, &lane, policy, fast.level())?;
        Ok(Self { lane, pipeline, level: fast.level() })
    }

    /// What the report calls the kernel.
    pub const fn kernel(&self) -> &'static str {
        self.pipeline.name
    }

    /// Computes a result of this shape into `out`, in C order. Every byte of it is written.
    ///
    /// # Errors
    /// Why nothing was computed: a view leaves its bytes, `out` is not as large as the shape, or the host's floats are not
    /// as they should be.
    pub fn run(
        &self,
        fast: &Fast,
        shape: &[usize],
        a: View<'_>,
        b: View<'_>,
        out: &mut [MaybeUninit<u8>],
    ) -> Result<(), &'static str> {
        let total = shape.iter().try_fold(1usize, |all, &extent| all.checked_mul(extent)).ok_or("too many elements")?;
        let [size_a, size_b, size] = [self.lane.src0, self.lane.src1, self.lane.out].map(|d| d.bytes() as usize);
        if total.checked_mul(size) != Some(out.len()) {
            return Err("the result is not as large as its shape");
        }
        if total == 0 {
            return Ok(());
        }
        if !host_floats_are_ieee() {
            return Err("the host's floating-point unit flushes subnormals or rounds otherwise");
        }
        // A unary op's second source is not read.
        let (b, size_b) = if self.pipeline.binary { (b, size_b) } else { (a, size_a) };
        if !fits(shape, &a, size_a) || !fits(shape, &b, size_b) {
            return Err("a source leaves its memory");
        }
        let bytes = total.saturating_mul(size_a + size_b + size);
        let work = Work {
            direct: self,
            bases: Bases { a: a.bytes.as_ptr(), b: b.bytes.as_ptr(), out: out.as_mut_ptr().cast() },
            streams: bytes >= if fast.threads() > 1 { STREAMED_BYTES_THREADED } else { STREAMED_BYTES },
        };
        let pool = if bytes >= THREADED_BYTES { fast.pool() } else { None };
        let whole = |view: &View<'_>, size| Layout::of_axes(axes(shape, view, 0), size);
        if let (Some(layout_a), Some(layout_b)) = (whole(&a, size_a), whole(&b, size_b))
            && even(&layout_a)
            && even(&layout_b)
        {
            let run = |first: usize, count: usize| {
                let cut = |layout: &Layout, start: usize, size: usize| match layout.is_row() {
                    true => (Layout::row(count, size), (start + first * size) as isize),
                    false => (Layout::constant(count, size), start as isize),
                };
                let ((layout_a, at_a), (layout_b, at_b)) =
                    (cut(&layout_a, a.start, size_a), cut(&layout_b, b.start, size_b));
                let piece = Piece { a: at_a, b: at_b, out: first * size, elements: count };
                work.pass([layout_a, layout_b, Layout::row(count, size)], piece);
            };
            match pool {
                None => run(0, total),
                Some(pool) => {
                    let each = total.div_ceil(fast.threads() * PIECES_PER_THREAD).next_multiple_of(64);
                    let pieces = total.div_ceil(each);
                    let piece = |index: usize| run(index * each, each.min(total - index * each));
                    pool.install(|| (0..pieces).into_par_iter().for_each(piece));
                }
            }
            return Ok(());
        }
        // Threads need pieces: at least the outermost axis is walked here.
        let least = usize::from(pool.is_some() && shape.len() > 1);
        let layouts = |first: usize| {
            let layout_a = Layout::of_axes(axes(shape, &a, first), size_a)?;
            Some((layout_a, Layout::of_axes(axes(shape, &b, first), size_b)?))
        };
        let inner = (least..shape.len()).find(|&first| layouts(first).is_some()).unwrap_or(shape.len());
        let (layout_a, layout_b) = layouts(inner).ok_or("the axes do not merge")?;
        let (outer, within) = shape.split_at(inner);
        let elements: usize = within.iter().product();
        let layouts = [layout_a, layout_b, Layout::row(elements, size)];
        let run = |index: usize| {
            let mut piece = Piece { a: a.start as isize, b: b.start as isize, out: index * elements * size, elements };
            let mut rest = index;
            for (axis, &extent) in outer.iter().enumerate().rev() {
                let at = (rest % extent) as isize;
                rest /= extent;
                piece.a += at * a.steps.get(axis).copied().unwrap_or(0);
                piece.b += at * b.steps.get(axis).copied().unwrap_or(0);
            }
            work.pass(layouts, piece);
        };
        let pieces: usize = outer.iter().product();
        match pool.filter(|_| pieces > 1) {
            Some(pool) => pool.install(|| (0..pieces).into_par_iter().for_each(run)),
            None => (0..pieces).for_each(run),
        }
        Ok(())
    }
}

impl Work<'_> {
    /// Computes a piece.
    fn pass(&self, layouts: [Layout; 3], piece: Piece) {
        let Direct { pipeline, level, .. } = self.direct;
        let mut passage = Passage::new(*pipeline, layouts, piece.elements, false, *level);
        if self.streams {
            passage.streaming(*level);
        }
        let Bases { a, b, out } = self.bases;
        let (a, b) = (a.wrapping_offset(piece.a).cast_mut(), b.wrapping_offset(piece.b).cast_mut());
        // SAFETY: `fits` has shown that every element of both sources lies within their slices, and `out` is as large as
        // the result; pieces are disjoint parts of it, and an exclusive slice shares no bytes with a shared one. Sources
        // are only read.
        unsafe { passage.channel([a, b, out.wrapping_add(piece.out)], &pipeline.params) };
    }
}

/// The axes of a view from `first` on, the innermost first.
fn axes(shape: &[usize], view: &View<'_>, first: usize) -> impl Iterator<Item = (usize, isize)> {
    let pairs = shape.iter().copied().zip(view.steps.iter().copied());
    pairs.skip(first).rev()
}

/// Whether elements lie one after the other, or all are one.
fn even(layout: &Layout) -> bool {
    layout.is_row() || layout.is_constant()
}

/// Whether all elements of a view lie within its bytes.
fn fits(shape: &[usize], view: &View<'_>, size: usize) -> bool {
    if view.steps.len() != shape.len() {
        return false;
    }
    let (mut low, mut high) = (view.start as i128, view.start as i128 + size as i128);
    for (&extent, &step) in shape.iter().zip(view.steps) {
        let reach = (extent as i128 - 1) * step as i128;
        if reach < 0 { low += reach } else { high += reach }
    }
    low >= 0 && high <= view.bytes.len() as i128
}
