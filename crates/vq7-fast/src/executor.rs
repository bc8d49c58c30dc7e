//! The executor: a word from the machine to its channels.

use crate::body::{Op, Params};
use crate::composed::Forms;
use crate::hub_ops::{Divide, Mult};
use crate::layout::Layout;
use crate::level::{Level, host_floats_are_ieee};
use crate::rows::Passage;
use crate::select::{Pipeline, Why, select};
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use vq7_engine::dispatch::Kernel;
use vq7_engine::executor::{Certainty, Computed, Executor, Order, Path, decline};
use vq7_engine::job::Tensor;
use vq7_engine::{Fault, StateBuffer, cores};
use vq7_isa::address::Memory;
use vq7_isa::generation::PARTITIONS;
use vq7_isa::{AluOp, Dtype};
use vq7_num::{Basis, Flags, Lane, Notes};
use vq7_policy::{Policy, Settled};

pub(crate) const NAME: &str = "fast";
/// Words of at most so many elements have each one looked at, so that flags and basis are exact: a matter of two
/// microseconds.
const LOOKED_AT: u64 = 16;
/// Words that move fewer bytes stay on one thread: waking another takes some microseconds.
pub(crate) const THREADED_BYTES: usize = 1 << 19;

/// Words that move at least as many bytes store past the caches: near what the last cache holds this is faster on one
/// thread, and well beyond it on several (`vq7 bench` measures both).
pub(crate) const STREAMED_BYTES: usize = 16 << 20;
/// The same where a source lies so that the CPU takes stores for ones that its loads have to wait for.
const STREAMED_BYTES_ALIASED: usize = 4 << 20;
/// The same where threads share the work.
pub(crate) const STREAMED_BYTES_THREADED: usize = 32 << 20;

/// The fast executor.
#[derive(Debug)]
pub struct Fast {
    level: Level,
    threads: usize,
    pool: OnceLock<Option<ThreadPool>>,
    chosen: Mutex<HashMap<(Kernel, Lane, Policy), Arc<Chosen>>>,
    pub(crate) forms: Forms,
}

/// What is known of a kind of word.
#[derive(Debug)]
struct Chosen {
    pipeline: Result<Pipeline, Why>,
    flags: Flags,
    basis: Basis,
    certainty: Certainty,
}

/// The kernel that ran, and flags and notes of every element where each was looked at.
type Ran = (&'static str, Option<(Flags, Notes)>);

impl Default for Fast {
    fn default() -> Self {
        Self::new(Level::best(), 1)
    }
}

impl Fast {
    /// An executor that uses a CPU level and at most so many threads. A level that this CPU lacks counts as the best that
    /// it has; no thread counts as one.
    pub fn new(level: Level, threads: usize) -> Self {
        let level = if level.is_there() { level } else { Level::best() };
        Self {
            level,
            threads: threads.max(1),
            pool: OnceLock::new(),
            chosen: Mutex::default(),
            forms: Forms::default(),
        }
    }

    /// The CPU level.
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Threads, at most.
    pub const fn threads(&self) -> usize {
        self.threads
    }

    fn chosen(&self, order: &Order<'_>) -> Arc<Chosen> {
        let key = (order.kernel, lane_of(order), *order.policy);
        let mut known = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        // Random words of random policies must not fill the memory.
        if known.len() > 4096 {
            known.clear();
        }
        Arc::clone(known.entry(key).or_insert_with(|| Arc::new(Chosen::new(&key, self.level))))
    }

    /// The threads, if there are several and their floating-point units are as they should be.
    pub(crate) fn pool(&self) -> Option<&ThreadPool> {
        let start = || {
            let named = |index| format!("vq7-fast-{index}");
            let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).thread_name(named).build().ok()?;
            pool.broadcast(|_| host_floats_are_ieee()).into_iter().all(|good| good).then_some(pool)
        };
        if self.threads < 2 { None } else { self.pool.get_or_init(start).as_ref() }
    }
}

impl Chosen {
    fn new((kernel, lane, policy): &(Kernel, Lane, Policy), level: Level) -> Self {
        let pipeline = select(*kernel, lane, policy, level);
        let (flags, basis) = match kernel {
            Kernel::CopyPredicated => (Flags::NONE, Basis::default()),
            Kernel::CastPredicated => {
                let conversion = Lane { op: AluOp::Bypass, src0: lane.src1, ..*lane };
                (conversion.flags(policy), conversion.basis(policy))
            }
            Kernel::BatchNormBackProp => {
                let mut basis = Lane { op: AluOp::Mult, ..*lane }.basis(policy);
                basis.rest_on(Settled::BatchNormFormula);
                let all = Flags { invalid: true, div_zero: true, underflow: true, ..Flags::OVERFLOW };
                (all, basis)
            }
            _ => (lane.flags(policy), lane.basis(policy)),
        };
        let nothing_open = flags.is_empty() && basis == Basis::default();
        let certainty = if nothing_open { Certainty::Exact } else { Certainty::AtMost };
        Self { pipeline, flags, basis, certainty }
    }
}

/// The lane, with the dtypes of the operands.
const fn lane_of(order: &Order<'_>) -> Lane {
    let job = order.job;
    Lane { src0: job.src0.dtype, src1: job.src1.dtype, out: job.dst.dtype, ..job.lane }
}

impl Executor for Fast {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, order: &Order<'_>, memory: &mut StateBuffer) -> Result<Computed, Fault> {
        if let Some(form) = &order.job.form {
            return self.run_form(order, form, memory);
        }
        let chosen = self.chosen(order);
        match self.attempt(order, &chosen, memory) {
            Ok((name, exact)) => {
                let (flags, basis, certainty) = match exact {
                    Some((flags, notes)) => (flags, notes.basis(), Certainty::Exact),
                    None => (chosen.flags, chosen.basis.clone(), chosen.certainty),
                };
                let path = Path { kernel: Some(name), level: Some(self.level.name()), ..Path::of(NAME) };
                Ok(Computed { path, warnings: Vec::new(), flags, basis, certainty })
            }
            Err(why) => decline(NAME, why, order, memory),
        }
    }
}

impl Fast {
    /// Runs the word, or says why not; then nothing was written.
    fn attempt(&self, order: &Order<'_>, chosen: &Chosen, memory: &mut StateBuffer) -> Result<Ran, Why> {
        takes(order)?;
        let pipeline = chosen.pipeline?;
        let job = order.job;
        let tensors = [&job.src0, &job.src1, &job.dst];
        let layouts = tensors.map(|tensor| Layout::new(&tensor.walk));
        let [.., layout] = layouts;
        if layout.may_revisit() {
            return Err("the destination visits an element twice");
        }
        let (low, high) = job.dst.walk.extent();
        let (low, high) = (low.max(0) as u32, high.max(0) as u32);
        let channels = job.channels as usize;
        if pipeline.blends && !written(memory, &job.dst, job.channels, low, high) {
            return Err("a predicated word leaves bytes as they are that nothing wrote");
        }
        let Ok(elements) = usize::try_from(job.elements()) else { return Err("too many elements") };
        let rows = Rows::new(tensors, channels, pipeline.binary, memory).ok_or("an operand leaves its partition")?;
        let exact = (job.elements() * u64::from(job.channels) <= LOOKED_AT).then(|| look_at(order, memory)).flatten();
        let sources = if pipeline.binary { &tensors[..2] } else { &tensors[..1] };
        let in_place = sources.iter().any(|source| shares_bytes(source, &job.dst));
        let mut passage = Passage::new(pipeline, layouts, elements, in_place, self.level);
        let bytes = passage.bytes().saturating_mul(channels);
        let threshold = match self.threads {
            1 if sources.iter().any(|source| is_aliased(source, &job.dst)) => STREAMED_BYTES_ALIASED,
            1 => STREAMED_BYTES,
            _ => STREAMED_BYTES_THREADED,
        };
        if bytes >= threshold {
            passage.streaming(self.level);
        }
        self.channels(order, &passage, &rows, pipeline.params);
        if !pipeline.blends {
            note_written(memory, &job.dst, job.channels, low, high);
        }
        Ok((pipeline.name, exact))
    }

    /// All channels, core by core, on threads where it pays.
    fn channels(&self, order: &Order<'_>, passage: &Passage, rows: &Rows, params: Params) {
        let first = order.job.dst.partition;
        let share = |partitions: std::ops::Range<u32>| {
            for partition in partitions {
                let channel = partition.saturating_sub(first) as usize;
                let Some(pointers) = rows.channels.get(channel) else { continue };
                if let Some(next) = rows.channels.get(channel + 1) {
                    passage.announce(*next);
                }
                let params = match order.kernel {
                    Kernel::BatchNormBackProp => of_channel(order, channel, params),
                    _ => params,
                };
                // SAFETY: `Rows::new` has shown that the extents of all operands lie within their rows; `attempt` that a
                // source overlaps the destination at most element on element, said so, and that no element is visited
                // twice. Each channel has a destination of its own, and no source lies in another channel's destination.
                unsafe { passage.channel(*pointers, &params) };
            }
        };
        let slices: Vec<_> = cores::slices(first, order.job.channels).map(|(_, slice)| slice).collect();
        let bytes = passage.bytes().saturating_mul(rows.channels.len());
        match self.pool().filter(|_| bytes >= THREADED_BYTES && rows.channels.len() > 1) {
            Some(pool) => pool.install(|| slices.into_par_iter().for_each(share)),
            None => slices.into_iter().for_each(share),
        }
    }
}

/// Whether the host and the order of the word's elements let it be computed in blocks.
pub(crate) fn takes(order: &Order<'_>) -> Result<(), Why> {
    if cfg!(target_endian = "big") {
        return Err("this host is big-endian");
    }
    if order.overlaps {
        return Err("a source overlaps the destination, and the walk order decides");
    }
    if !order.sources_written {
        return Err("bytes that nothing wrote are read");
    }
    if !host_floats_are_ieee() {
        return Err("the host's floating-point unit flushes subnormals or rounds otherwise");
    }
    Ok(())
}

/// The coefficients of a channel, multiplied out as far as they do not depend on the data.
fn of_channel(order: &Order<'_>, channel: usize, params: Params) -> Params {
    let Some(of) = order.coefficients.get(channel) else { return params };
    let scale = Divide::apply(Mult::apply(of.gamma, of.inv_std, &params), of.n, &params);
    Params { coefficients: [scale, of.n, of.d_beta, of.d_gamma], ..params }
}

/// Whether every byte of the destination's extent was written in each channel.
fn written(memory: &StateBuffer, dst: &Tensor, channels: u32, low: u32, high: u32) -> bool {
    (0..channels).all(|channel| {
        let row = memory.row(dst.memory, dst.partition.saturating_add(channel));
        row.is_some_and(|row| row.written.first_gap(low, high).is_none())
    })
}

pub(crate) fn note_written(memory: &mut StateBuffer, dst: &Tensor, channels: u32, low: u32, high: u32) {
    let mut ranges = None;
    for channel in 0..channels {
        let Some(row) = memory.row_mut(dst.memory, dst.partition.saturating_add(channel)) else { continue };
        if row.written.first_gap(low, high).is_some() {
            row.written.union(ranges.get_or_insert_with(|| dst.walk.ranges()));
        }
    }
}

/// Whether a source's extent and the destination's have bytes in common in one channel.
pub(crate) fn shares_bytes(source: &Tensor, dst: &Tensor) -> bool {
    let ((low, high), (dst_low, dst_high)) = (source.walk.extent(), dst.walk.extent());
    source.memory == dst.memory && source.partition == dst.partition && low < dst_high && dst_low < high
}

/// Whether stores come shortly before loads whose addresses have the same last twelve bits: until the whole address is
/// known, the CPU takes the one for the other.
fn is_aliased(source: &Tensor, dst: &Tensor) -> bool {
    const PAGE: u32 = 4096;
    const IN_FLIGHT: u32 = 1024;
    dst.walk.start().wrapping_sub(source.walk.start()) % PAGE < IN_FLIGHT
}

/// Flags and basis of every element, by the definition; none for words that are not one op.
fn look_at(order: &Order<'_>, memory: &StateBuffer) -> Option<(Flags, Notes)> {
    if !matches!(order.kernel, Kernel::TensorTensor | Kernel::ExtendedTensorTensor) {
        return None;
    }
    let job = order.job;
    let (mut flags, mut notes) = (Flags::NONE, Notes::default());
    for channel in 0..job.channels {
        let element = |tensor: &Tensor, offset: u32| {
            let row = memory.row(tensor.memory, tensor.partition.checked_add(channel)?)?;
            let bytes = row.bytes().get(offset as usize..)?.get(..tensor.dtype.bytes() as usize)?;
            Some(bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
        };
        for (offset0, offset1) in job.src0.walk.offsets().zip(job.src1.walk.offsets()) {
            let a = element(&job.src0, offset0)?;
            // A unary op's second source may not exist.
            let b = if order.reads_src1() { element(&job.src1, offset1)? } else { 0 };
            job.lane.evaluate_noting(a, b, order.policy, &mut notes).ok()?.take_into(&mut flags);
        }
    }
    Some((flags, notes))
}

/// Where the operands of each channel begin.
pub(crate) struct Rows {
    pub channels: Vec<[*mut u8; 3]>,
}

// SAFETY: the pointers lead into rows of a State Buffer that `attempt` holds exclusively for as long as this exists, and
// the channels of a word do not write what another channel touches.
unsafe impl Sync for Rows {}

impl Rows {
    /// `None` when an operand's extent leaves its row. One pointer is taken per row, so that none is outdated.
    pub fn new(tensors: [&Tensor; 3], channels: usize, binary: bool, memory: &mut StateBuffer) -> Option<Self> {
        let mut known = [[std::ptr::null_mut::<u8>(); PARTITIONS as usize]; 2];
        let mut row = |tensor: &Tensor, channel: usize| {
            let partition = (tensor.partition as usize).checked_add(channel)?;
            let slot = known.get_mut(usize::from(tensor.memory == Memory::Psum))?.get_mut(partition)?;
            let (low, high) = tensor.walk.extent();
            if slot.is_null() {
                *slot = memory.row_mut(tensor.memory, partition as u32)?.bytes_mut().as_mut_ptr();
            }
            let length = i64::from(memory.active_bytes(tensor.memory));
            (low >= 0 && high <= length).then_some(*slot)
        };
        let mut all = Vec::with_capacity(channels);
        for channel in 0..channels {
            let [src0, src1, dst] = tensors;
            let a = row(src0, channel)?;
            all.push([a, if binary { row(src1, channel)? } else { a }, row(dst, channel)?]);
        }
        Some(Self { channels: all })
    }
}

// The kernels know the codes of these dtypes by their sizes.
const _: () = assert!(Dtype::Fp32.bytes() == 4 && Dtype::Int64.bytes() == 8);
