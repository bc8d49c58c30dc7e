//! The ceiling: what the memory lets through of the same bytes, in as many streams.

use super::Case;
use crate::body::{Params, RowFn, at, at1};
use crate::int_ops::{Copy1, Xor};
use crate::level::Level;
use crate::stream;
use rayon::prelude::*;
use std::time::{Duration, Instant};
use vq7_isa::generation::PARTITIONS;

/// Buffers of rows, as large as the operands together; a unary case reads one.
#[derive(Debug)]
pub(super) struct Probe {
    buffers: [Vec<u64>; 3],
    /// Bytes of a row of each.
    row: usize,
    /// Ordinary stores: the kernel and the bytes of its elements.
    plain: (RowFn, usize),
    streaming: (RowFn, usize),
    pool: Option<rayon::ThreadPool>,
}

impl Probe {
    pub fn new(case: &Case, level: Level, threads: usize) -> Self {
        let binary = case.reads_two();
        // The same bytes over operands of one size: what is moved counts, not by whom.
        let streams = if binary { 3 } else { 2 };
        let row = (case.bytes() / streams / PARTITIONS as usize).next_multiple_of(64);
        let words = |_| vec![1u64; row / 8 * PARTITIONS as usize + 64];
        let pool = || rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
        Self {
            buffers: [0, 1, 2].map(words),
            row,
            plain: (if binary { at::<Xor<u64>>(level) } else { at1::<Copy1<u64>>(level) }, 8),
            streaming: (if binary { stream::xor(level) } else { stream::copy(level) }, 1),
            pool: if threads > 1 { pool() } else { None },
        }
    }

    /// Once, with ordinary stores or with such that pass the caches by.
    pub fn run(&mut self, streaming: bool) -> Duration {
        let Self { buffers: [a, b, out], row, pool, .. } = self;
        let (kernel, size) = if streaming { self.streaming } else { self.plain };
        let (words, params) = (*row / 8, Params::default());
        let (a, b) = (&a[..], &b[..]);
        let one = |(index, out): (usize, &mut [u64])| {
            let from = index * words;
            if let (Some(a), Some(b)) = (a.get(from..from + words), b.get(from..from + words)) {
                let count = words.min(out.len()) * 8 / size;
                // SAFETY: three slices of at least `count` elements of `size` bytes each, none of which overlap.
                unsafe { kernel(out.as_mut_ptr().cast(), a.as_ptr().cast(), b.as_ptr().cast(), count, &params) };
                if streaming {
                    stream::fence();
                }
            }
        };
        let start = Instant::now();
        match pool {
            Some(pool) => pool.install(|| {
                out.par_chunks_mut(words).take(PARTITIONS as usize).enumerate().with_min_len(16).for_each(one)
            }),
            None => out.chunks_mut(words).take(PARTITIONS as usize).enumerate().for_each(one),
        }
        start.elapsed()
    }
}
