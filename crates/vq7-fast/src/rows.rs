//! One channel of a word: its elements block by block through the kernels.

use crate::body::{Params, RowFn};
use crate::layout::Layout;
use crate::level::Level;
use crate::select::Pipeline;
use crate::stream;
use crate::strided::Moves;
use std::mem::MaybeUninit;

/// Bytes of a block: small enough that a few of them stay in the first cache.
pub(crate) const BLOCK: usize = 4096;
/// Bytes of a line of the caches.
const LINE: usize = 64;
/// Rows of fewer elements are not announced, and so many lines of a row are.
const ANNOUNCED: usize = 2048;
const ANNOUNCED_LINES: usize = 8;
/// Bytes between blocks, so that they do not share the cache's sets.
const GAP: usize = 192;
/// Bytes of a block of results that then pass the caches by: the shorter, the less of the first cache they take from
/// the sources that are on their way.
const STREAM_BLOCK: usize = 2048;

/// A word's way through the kernels: what all channels share.
#[derive(Debug)]
pub(crate) struct Passage {
    pipeline: Pipeline,
    /// src0, src1, dst.
    layouts: [Layout; 3],
    moves: [Moves; 3],
    elements: usize,
    /// Elements of a block.
    block: usize,
    /// Whether a source may be the destination, element on element.
    in_place: bool,
    /// Copies a block to the destination past the caches, where that pays.
    stream: Option<RowFn>,
}

/// Memory for blocks. Every part is written before it is read.
#[repr(align(64))]
pub(crate) struct Scratch<const N: usize>(MaybeUninit<[[u8; BLOCK + GAP]; N]>);

impl<const N: usize> Scratch<N> {
    pub const fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    /// The start of a block.
    pub fn block(&mut self, index: usize) -> *mut u8 {
        debug_assert!(index < N);
        // A block's start lies within the array for every index that is used: 0 to N - 1.
        self.0.as_mut_ptr().cast::<u8>().wrapping_add(index * (BLOCK + GAP))
    }
}

/// A source on its way to the op.
pub(crate) struct Source<'a> {
    pub layout: &'a Layout,
    pub moves: &'a Moves,
    pub base: *const u8,
    pub load: Option<RowFn>,
    pub raw: *mut u8,
    pub loaded: *mut u8,
    /// A constant operand is brought once.
    pub constant: Option<*const u8>,
}

impl Source<'_> {
    /// Elements `first..first + n` as the op takes them.
    ///
    /// # Safety
    /// The operand's elements are readable from `base` on; `raw` and `loaded` hold a block of them, `n` is at most a block
    /// unless the operand is a row without a load.
    pub unsafe fn view(&mut self, first: usize, n: usize, block: usize, params: &Params) -> *const u8 {
        if let Some(ready) = self.constant {
            return ready;
        }
        let (offset, run, _) = self.layout.at(first);
        let there = self.base.wrapping_offset(offset);
        let straight = self.layout.lie_in_a_row(n, run);
        let constant = !straight && self.layout.is_constant();
        let n = if constant { block } else { n };
        let row = if straight {
            there
        } else if constant {
            // SAFETY: one readable element; a step of 0 repeats it.
            unsafe { self.moves.bring(self.raw, there, 0, n) };
            self.raw
        } else {
            // SAFETY: n is at most a block, and the caller promises readable elements.
            unsafe { bring(self.layout, self.moves, self.base, first, n, self.raw) };
            self.raw.cast_const()
        };
        let row = match self.load {
            Some(load) => {
                // SAFETY: n elements of `row`, at most a block, are readable, and `loaded` has room for a block.
                unsafe { load(self.loaded, row, row, n, params) };
                self.loaded.cast_const()
            }
            None => row,
        };
        if constant {
            self.constant = Some(row);
        }
        row
    }
}

/// Brings elements `first..first + n` of an operand into a row.
///
/// # Safety
/// The elements are readable from `base` on, and `dst` has room for them elsewhere.
unsafe fn bring(layout: &Layout, moves: &Moves, base: *const u8, first: usize, n: usize, dst: *mut u8) {
    let mut done = 0;
    while done < n {
        let (offset, run, step) = layout.at(first + done);
        let run = run.min(n - done);
        // SAFETY: the run is part of the operand, and `done + run <= n`.
        unsafe { moves.bring(dst.add(done * layout.size), base.offset(offset), step, run) };
        done += run;
    }
}

/// Takes a row to elements `first..first + n` of an operand.
///
/// # Safety
/// The elements are writable from `base` on, and `src` holds them elsewhere.
pub(crate) unsafe fn take(layout: &Layout, moves: &Moves, base: *mut u8, first: usize, n: usize, src: *const u8) {
    let mut done = 0;
    while done < n {
        let (offset, run, step) = layout.at(first + done);
        let run = run.min(n - done);
        // SAFETY: the run is part of the operand, and `done + run <= n`.
        unsafe { moves.take(base.offset(offset), src.add(done * layout.size), step, run) };
        done += run;
    }
}

impl Passage {
    pub fn new(pipeline: Pipeline, layouts: [Layout; 3], elements: usize, in_place: bool, level: Level) -> Self {
        let widest = layouts.iter().map(|layout| layout.size).max().unwrap_or(8).max(pipeline.width);
        let mut block = (BLOCK / widest.max(1)).min(elements.max(1));
        // Blocks that end where the operands' rows end need not be brought together.
        let inner = layouts.iter().filter(|layout| !layout.is_row() && layout.inner_row() > 1);
        let shortest = inner.map(Layout::inner_row).min();
        if let Some(shortest) = shortest
            && (64..block).contains(&shortest)
            && layouts
                .iter()
                .all(|layout| layout.is_row() || layout.inner_row() % shortest == 0 || layout.inner_row() == 1)
        {
            block = block / shortest * shortest;
            block = if layouts.iter().any(|layout| layout.inner_row() == shortest) { shortest } else { block };
        }
        let moves = layouts.map(|layout| Moves::new(layout.size as u32, level));
        Self { pipeline, layouts, moves, elements, block, in_place, stream: None }
    }

    /// Lets the results pass the caches by: for words that move more than the caches hold.
    pub fn streaming(&mut self, level: Level) {
        self.stream = Some(stream::copy(level));
        let [.., layout] = &self.layouts;
        if self.layouts.iter().all(|layout| layout.is_row() || layout.is_constant()) {
            self.block = self.block.min(STREAM_BLOCK / layout.size.max(1));
        }
    }

    /// Bytes that a channel reads and writes.
    pub fn bytes(&self) -> usize {
        let [a, b, out] = self.layouts.map(|layout| layout.size);
        self.elements * (a + out + if self.pipeline.binary { b } else { 0 })
    }

    /// Says that a channel will be next: the CPU follows rows by itself, but does not know where the next one begins.
    pub fn announce(&self, bases: [*mut u8; 3]) {
        if self.elements < ANNOUNCED {
            return;
        }
        for (base, layout) in bases.into_iter().zip(&self.layouts).filter(|(_, layout)| layout.is_row()) {
            let first = base.wrapping_add(layout.start);
            (0..ANNOUNCED_LINES).for_each(|line| stream::announce(first.wrapping_add(line * LINE)));
        }
    }

    /// Runs a channel.
    ///
    /// # Safety
    /// The operands' elements are readable from `src0` and `src1` on, those of the destination readable and writable from
    /// `dst` on, and nobody else touches them meanwhile. A source shares bytes with the destination only element on
    /// element, and then `in_place` was said. No element of the destination is visited twice. A unary word's `src1` may
    /// be dangling.
    pub unsafe fn channel(&self, [src0, src1, dst]: [*mut u8; 3], params: &Params) {
        let Pipeline { load0, load1, op, store, binary, blends, .. } = self.pipeline;
        let [layout0, layout1, layout] = &self.layouts;
        let rows = layout0.is_row() && layout.is_row() && (!binary || layout1.is_row());
        let bare = load0.is_none() && load1.is_none() && store.is_none();
        if rows && bare && !self.in_place && self.stream.is_none() {
            // SAFETY: the caller's promise, for one row of elements of each.
            unsafe {
                let a = src0.add(layout0.start).cast_const();
                let b = if binary { src1.add(layout1.start).cast_const() } else { a };
                op(dst.add(layout.start), a, b, self.elements, params);
            }
            return;
        }
        let [moves0, moves1, moves] = &self.moves;
        let mut scratch = Scratch::<6>::new();
        let [raw0, loaded0, raw1, loaded1, hub, out] = [0, 1, 2, 3, 4, 5].map(|index| scratch.block(index));
        let source = |layout, moves, base: *mut u8, load, raw, loaded| Source {
            layout,
            moves,
            base: base.cast_const(),
            load,
            raw,
            loaded,
            constant: None,
        };
        let mut first_source = source(layout0, moves0, src0, load0, raw0, loaded0);
        let mut second_source = source(layout1, moves1, src1, load1, raw1, loaded1);
        let mut first = 0;
        // Streamed blocks begin where a line of the cache does: part of a line stored each way is slow.
        let mut step = match self.stream {
            Some(_) if layout.is_row() => {
                match dst.wrapping_add(layout.start).align_offset(LINE) / layout.size.max(1) {
                    0 => self.block,
                    head => head.min(self.block),
                }
            }
            _ => self.block,
        };
        while first < self.elements {
            let n = step.min(self.elements - first);
            step = self.block;
            // SAFETY: the caller's promise; n is at most a block unless all are rows without load and store.
            unsafe {
                let a = first_source.view(first, n, self.block, params);
                let mut b = if binary { second_source.view(first, n, self.block, params) } else { a };
                let (offset, run, _) = layout.at(first);
                let straight = layout.lie_in_a_row(n, run);
                let stream = self.stream.filter(|_| straight && !blends);
                let direct = straight && !self.in_place && stream.is_none();
                let place = if direct { dst.offset(offset) } else { out };
                if blends {
                    if let Some(store) = store {
                        store(hub, b, b, n, params);
                        b = hub.cast_const();
                    }
                    if !direct {
                        bring(layout, moves, dst.cast_const(), first, n, out);
                    }
                    op(place, a, b, n, params);
                } else {
                    match store {
                        None => op(place, a, b, n, params),
                        Some(store) => {
                            op(hub, a, b, n, params);
                            store(place, hub.cast_const(), hub.cast_const(), n, params);
                        }
                    }
                }
                if let Some(stream) = stream {
                    let from = out.cast_const();
                    stream(dst.offset(offset), from, from, n * layout.size, params);
                } else if !direct {
                    take(layout, moves, dst, first, n, out.cast_const());
                }
            }
            first += n;
        }
        if self.stream.is_some() {
            stream::fence();
        }
    }
}
