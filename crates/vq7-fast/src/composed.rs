//! The scalar forms: two chains of kernels one after the other, block by block, with the scalars laid out as blocks.

use crate::body::RowFn;
use crate::executor::{Fast, NAME, Rows, THREADED_BYTES, note_written, shares_bytes, takes};
use crate::layout::Layout;
use crate::level::Level;
use crate::rows::{BLOCK, Scratch, Source, take};
use crate::select::{Pipeline, Why, select};
use crate::strided::Moves;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use vq7_engine::dispatch::Kernel;
use vq7_engine::executor::{Certainty, Computed, Order, Path, decline};
use vq7_engine::form::{Form, Other, Step};
use vq7_engine::{Fault, StateBuffer, cores};
use vq7_num::{Basis, Flags};
use vq7_policy::Policy;

/// What is known of the forms that were asked for.
#[derive(Debug, Default)]
pub(crate) struct Forms(Mutex<HashMap<(Form, Policy), Arc<Chosen>>>);

/// What is known of one form.
#[derive(Debug)]
struct Chosen {
    chain: Result<Chain, Why>,
    flags: Flags,
    basis: Basis,
    certainty: Certainty,
}

/// The kernels of one op of a form.
#[derive(Clone, Copy, Debug)]
struct Link {
    pipeline: Pipeline,
    /// Whether the other operand comes first.
    swapped: bool,
}

/// The kernels of a form.
#[derive(Clone, Copy, Debug)]
struct Chain {
    first: Link,
    second: Option<(Link, Other)>,
}

/// Room for the blocks of one channel.
struct Room {
    load0: *mut u8,
    load1: *mut u8,
    hub: *mut u8,
}

impl Link {
    fn new(step: &Step, policy: &Policy, level: Level) -> Result<Self, Why> {
        let pipeline = select(Kernel::TensorTensor, &step.lane, policy, level)?;
        Ok(Self { pipeline, swapped: step.swapped })
    }

    /// `n` elements of the tensor's side and the other operand through the kernels, into `out`.
    ///
    /// # Safety
    /// `tensor` and, unless the op is unary, `other` hold `n` elements of the step's dtypes; `out` and the room have space
    /// for `n` elements; none of them overlap.
    unsafe fn run(&self, tensor: *const u8, other: *const u8, n: usize, out: *mut u8, room: &Room) {
        let Pipeline { load0, load1, op, store, ref params, .. } = self.pipeline;
        let (a, b) = if self.swapped { (other, tensor) } else { (tensor, other) };
        let loaded = |load: Option<RowFn>, from: *const u8, into: *mut u8| match load {
            Some(load) => {
                // SAFETY: n elements are readable at `from`, and `into` is a block of room.
                unsafe { load(into, from, from, n, params) };
                into.cast_const()
            }
            None => from,
        };
        let a = loaded(load0, a, room.load0);
        let b = if self.pipeline.binary { loaded(load1, b, room.load1) } else { a };
        // SAFETY: operands of n elements as the op takes them; `out` and the hub have room and overlap nothing.
        unsafe {
            match store {
                None => op(out, a, b, n, params),
                Some(store) => {
                    op(room.hub, a, b, n, params);
                    store(out, room.hub.cast_const(), room.hub.cast_const(), n, params);
                }
            }
        }
    }
}

impl Chain {
    fn new(form: &Form, policy: &Policy, level: Level) -> Result<Self, Why> {
        if form.scan.is_some() {
            return Err("each element of a scan waits for the one before");
        }
        let first = Link::new(&form.first, policy, level)?;
        let second = match &form.second {
            Some((step, other)) => Some((Link::new(step, policy, level)?, *other)),
            None => None,
        };
        Ok(Self { first, second })
    }

    const fn name(&self) -> &'static str {
        match self.second {
            None => self.first.pipeline.name,
            Some((_, Other::Scalar)) => "two scalar ops in blocks",
            Some((_, Other::Src1)) => "a scalar op and a tensor op in blocks",
        }
    }
}

impl Forms {
    fn chosen(&self, form: &Form, policy: &Policy, level: Level) -> Arc<Chosen> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Random words of random policies must not fill the memory.
        if known.len() > 4096 {
            known.clear();
        }
        let new = || {
            let (flags, basis) = (form.flags(policy), form.basis(policy));
            let nothing_open = flags.is_empty() && basis == Basis::default();
            let certainty = if nothing_open { Certainty::Exact } else { Certainty::AtMost };
            Arc::new(Chosen { chain: Chain::new(form, policy, level), flags, basis, certainty })
        };
        Arc::clone(known.entry((*form, *policy)).or_insert_with(new))
    }
}

/// What all channels of a word share.
struct Way<'a> {
    chain: &'a Chain,
    form: &'a Form,
    layouts: [Layout; 3],
    moves: [Moves; 3],
    elements: usize,
    in_place: bool,
}

impl Fast {
    /// A word of a scalar form.
    pub(crate) fn run_form(&self, order: &Order<'_>, form: &Form, memory: &mut StateBuffer) -> Result<Computed, Fault> {
        let chosen = self.forms.chosen(form, order.policy, self.level());
        match self.attempt_form(order, form, &chosen, memory) {
            Ok(name) => Ok(Computed {
                path: Path { kernel: Some(name), level: Some(self.level().name()), ..Path::of(NAME) },
                warnings: Vec::new(),
                flags: chosen.flags,
                basis: chosen.basis.clone(),
                certainty: chosen.certainty,
            }),
            Err(why) => decline(NAME, why, order, memory),
        }
    }

    /// Runs the word, or says why not; then nothing was written.
    fn attempt_form(
        &self,
        order: &Order<'_>,
        form: &Form,
        chosen: &Chosen,
        memory: &mut StateBuffer,
    ) -> Result<&'static str, Why> {
        takes(order)?;
        let chain = chosen.chain.as_ref().map_err(|why| *why)?;
        let job = order.job;
        let tensors = [&job.src0, &job.src1, &job.dst];
        let layouts = tensors.map(|tensor| Layout::new(&tensor.walk));
        let [.., layout] = layouts;
        if layout.may_revisit() {
            return Err("the destination visits an element twice");
        }
        let Ok(elements) = usize::try_from(job.elements()) else { return Err("too many elements") };
        let reads_src1 = form.reads_src1();
        let rows = Rows::new(tensors, job.channels as usize, reads_src1, memory);
        let rows = &rows.ok_or("an operand leaves its partition")?;
        let sources = if reads_src1 { &tensors[..2] } else { &tensors[..1] };
        let in_place = sources.iter().any(|source| shares_bytes(source, &job.dst));
        let moves = layouts.map(|layout| Moves::new(layout.size as u32, self.level()));
        let way = Way { chain, form, layouts, moves, elements, in_place };
        let first = job.dst.partition;
        let share = |partitions: std::ops::Range<u32>| {
            for partition in partitions {
                let channel = partition.saturating_sub(first) as usize;
                let (Some(pointers), Some(scalars)) = (rows.channels.get(channel), order.scalars.get(channel)) else {
                    continue;
                };
                // SAFETY: `Rows::new` has shown that the extents of all operands lie within their rows; `takes` that a
                // source overlaps the destination at most element on element, `in_place` says so, and no element is
                // visited twice. Each channel has a destination of its own, and no source lies in another channel's one.
                unsafe { way.channel(*pointers, *scalars) };
            }
        };
        let slices: Vec<_> = cores::slices(first, job.channels).map(|(_, slice)| slice).collect();
        let bytes = elements.saturating_mul(layouts.iter().map(|layout| layout.size).sum());
        let bytes = bytes.saturating_mul(rows.channels.len());
        match self.pool().filter(|_| bytes >= THREADED_BYTES && rows.channels.len() > 1) {
            Some(pool) => pool.install(|| slices.into_par_iter().for_each(share)),
            None => slices.into_iter().for_each(share),
        }
        let (low, high) = job.dst.walk.extent();
        note_written(memory, &job.dst, job.channels, low.max(0) as u32, high.max(0) as u32);
        Ok(chain.name())
    }
}

impl Way<'_> {
    /// Runs a channel.
    ///
    /// # Safety
    /// The operands' elements are readable from `src0` and `src1` on, those of the destination writable from `dst` on, and
    /// nobody else touches them meanwhile. A source shares bytes with the destination only element on element, and then
    /// `in_place` was said. No element of the destination is visited twice. `src1` is not read unless the form reads it.
    unsafe fn channel(&self, [src0, src1, dst]: [*mut u8; 3], [s0, s1]: [u64; 2]) {
        let Chain { first: link0, second } = self.chain;
        let [layout0, layout1, layout] = &self.layouts;
        let [moves0, moves1, moves] = &self.moves;
        let mut scratch = Scratch::<9>::new();
        let [raw0, raw1, load0, load1, hub, middle, out, scalar0, scalar1] =
            [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|index| scratch.block(index));
        let room = Room { load0, load1, hub };
        let source = |layout, moves, base: *mut u8, raw| Source {
            layout,
            moves,
            base: base.cast_const(),
            load: None,
            raw,
            loaded: raw,
            constant: None,
        };
        let mut tensor0 = source(layout0, moves0, src0, raw0);
        let mut tensor1 = source(layout1, moves1, src1, raw1);
        // No dtype of these forms, and no kernel between them, has more than eight bytes.
        let block = (BLOCK / 8).min(self.elements.max(1));
        let other_size = |step: &Step| if step.swapped { step.lane.src0.bytes() } else { step.lane.src1.bytes() };
        // SAFETY: blocks hold as many elements of at most eight bytes.
        unsafe {
            fill(scalar0, s0, other_size(&self.form.first), block);
            if let Some((step, Other::Scalar)) = &self.form.second {
                fill(scalar1, s1, other_size(step), block);
            }
        }
        let mut first = 0;
        while first < self.elements {
            let n = block.min(self.elements - first);
            // SAFETY: the caller's promise; n is at most a block.
            unsafe {
                let a = tensor0.view(first, n, block, &link0.pipeline.params);
                let (offset, run, _) = layout.at(first);
                let straight = layout.lie_in_a_row(n, run) && !self.in_place;
                let place = if straight { dst.offset(offset) } else { out };
                match second {
                    None => link0.run(a, scalar0.cast_const(), n, place, &room),
                    Some((link1, other)) => {
                        link0.run(a, scalar0.cast_const(), n, middle, &room);
                        let b = match other {
                            Other::Scalar => scalar1.cast_const(),
                            Other::Src1 if self.form.reads_src1() => {
                                tensor1.view(first, n, block, &link1.pipeline.params)
                            }
                            Other::Src1 => middle.cast_const(),
                        };
                        link1.run(middle.cast_const(), b, n, place, &room);
                    }
                }
                if !straight {
                    take(layout, moves, dst, first, n, out.cast_const());
                }
            }
            first += n;
        }
    }
}

/// Lays a scalar out `n` times.
///
/// # Safety
/// `into` has room for `n` elements of `size` bytes, at most eight.
unsafe fn fill(into: *mut u8, value: u64, size: u32, n: usize) {
    let bytes = value.to_le_bytes();
    let size = (size as usize).min(bytes.len());
    for i in 0..n {
        // SAFETY: i < n, and size is at most the bytes of the value.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), into.add(i * size), size) };
    }
}
