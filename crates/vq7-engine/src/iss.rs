//! The `iss` executor: a word becomes bundles that the cycle-accurate core runs, values from its leaves.
//!
//! Each of the eight cores takes its partitions one after the other, row by row. A row's operands are brought into the core's
//! data memory, the loop runs over as many units as fit there, and its results go back.

use crate::dispatch::Kernel as Row;
use crate::executor::{Certainty, Computed, Executor, Order, Path, decline};
use crate::fault::Fault;
use crate::job::{Job, Tensor};
use crate::kernel::conversion;
use crate::lower::emit::{self, Rolled};
use crate::lower::kernel::{Kernel, Shape};
use crate::lower::{Reason, Work};
use crate::ranges::{Ranges, Run};
use crate::{StateBuffer, cores};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use vq7_iss::event::Silent;
use vq7_iss::line::Line;
use vq7_iss::memory::{DATA_RAM, DATA_RAM_BYTES};
use vq7_iss::oracle::Leaves;
use vq7_iss::pipeline::{Core, Settings, Stop};
use vq7_iss::state::State;
use vq7_num::{Basis, Flags};
use vq7_policy::Policy;

/// Bytes of the data memory that the pool and the alignment of the streams may take.
const MARGIN: u32 = 0x1000;
/// Units of one run of the loop, at most.
const MOST_UNITS: u32 = 64;
/// Cycles after which a loop is given up: far above what any block takes.
const LIMIT: u64 = 10_000_000;

/// Runs words on the cycle-accurate core. Keeps the loops that it has scheduled.
#[derive(Debug, Default)]
pub struct Iss {
    kernels: Mutex<HashMap<Key, Scheduled>>,
    cycles: AtomicU64,
}

/// What a loop depends on.
type Key = (Work, Shape, Policy);
/// A loop, or why there is none.
type Scheduled = Result<Arc<Kernel>, Reason>;

impl Iss {
    /// With no loop scheduled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cycles that the cores have counted so far, all of them together: those of the bundles alone.
    pub fn cycles(&self) -> u64 {
        self.cycles.load(Ordering::Relaxed)
    }

    /// The loop of a word's work.
    ///
    /// # Errors
    /// [`Reason`]: why there is none.
    pub fn kernel(&self, work: Work, shape: Shape, policy: &Policy) -> Scheduled {
        let key = (work, shape, *policy);
        // A panic while the lock was held would leave whole entries behind.
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        kernels.entry(key).or_insert_with(|| Kernel::new(work, shape, policy).map(Arc::new)).clone()
    }
}

/// What a word does with its elements, for the kernels that have sequences.
pub fn work_of(kernel: Row, job: &Job) -> Option<Work> {
    let dtypes = [job.src0.dtype, job.src1.dtype, job.dst.dtype];
    match kernel {
        Row::TensorTensor | Row::ExtendedTensorTensor => Some(Work::Elementwise(job.lane)),
        Row::CopyPredicated => Some(Work::CopyPredicated(dtypes)),
        Row::CastPredicated => Some(Work::CastPredicated(dtypes)),
        _ => None,
    }
}

impl Executor for Iss {
    fn name(&self) -> &'static str {
        "iss"
    }

    fn run(&self, order: &Order<'_>, memory: &mut StateBuffer) -> Result<Computed, Fault> {
        let hand_on = |why: &'static str, memory: &mut StateBuffer| decline("iss", why, order, memory);
        let Some(work) = work_of(order.kernel, order.job) else {
            return match order.job.form {
                Some(_) => hand_on("the scalar forms have no bundle sequence", memory),
                None => hand_on("this kernel has no bundle sequence", memory),
            };
        };
        if !order.sources_written {
            return hand_on("bytes that nothing wrote are looked at one by one", memory);
        }
        let plan = Rows::of(order);
        let kernel = match self.kernel(work, plan.shape, order.policy) {
            Ok(kernel) => kernel,
            Err(Reason::Macro) => {
                return hand_on("POW and wide division are one macro step without a sequence", memory);
            }
            Err(Reason::Knob(_)) => return hand_on("a policy knob has an answer without a sequence", memory),
            Err(_) => return hand_on("no bundle sequence for these operands", memory),
        };
        let mut runner = Runner::new(&kernel, &plan, order);
        for (_, share) in cores::slices(order.job.dst.partition, order.job.channels) {
            for partition in share {
                runner.partition(partition.saturating_sub(order.job.dst.partition), memory)?;
            }
        }
        self.cycles.fetch_add(runner.cycles, Ordering::Relaxed);
        let (flags, basis) = bound(order);
        Ok(Computed {
            path: Path { kernel: Some("bundles"), ..Path::of("iss") },
            warnings: Vec::new(),
            flags,
            basis,
            certainty: Certainty::AtMost,
        })
    }
}

/// The sequences' own flags are not the word's, and the core does not say what a result rests on: all that can be.
fn bound(order: &Order<'_>) -> (Flags, Basis) {
    let lane = match order.kernel {
        Row::CopyPredicated => return (Flags::NONE, Basis::default()),
        Row::CastPredicated => conversion(order.job),
        _ => order.job.lane,
    };
    (lane.flags(order.policy), lane.basis(order.policy))
}

/// How the elements of a partition fall into rows.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Elements of a row.
    pub length: u32,
    /// Rows of a partition: byte offsets of src0, src1 and dst.
    pub starts: Vec<[i64; 3]>,
    /// Steps in bytes along a row.
    steps: [i64; 3],
    /// How a row lies.
    pub shape: Shape,
    /// Whether elements go one by one, because what one writes another reads.
    pub serial: bool,
}

impl Rows {
    /// The rows of a word.
    pub fn of(order: &Order<'_>) -> Self {
        let job = order.job;
        let tensors = [&job.src0, &job.src1, &job.dst];
        let mut walks = tensors.map(|tensor| tensor.walk.dims());
        if !order.reads_src1() {
            // A source that is not read is walked like the other one.
            walks[1] = walks[0];
        }
        let sizes = tensors.map(|tensor| i64::from(tensor.walk.size()));
        let counts: [u32; 3] = std::array::from_fn(|d| walks[2].get(d).map_or(1, |&(count, _)| count));
        let step =
            |operand: usize, d: usize| walks.get(operand).and_then(|walk| walk.get(d)).map_or(0, |&(_, step)| step);
        let same = walks[0].map(|(count, _)| count) == walks[2].map(|(count, _)| count)
            && walks[1].map(|(count, _)| count) == walks[2].map(|(count, _)| count);
        // An element that is written again later may be read again as well.
        let repeats = step(2, 0).abs() < sizes[2] && counts[0] > 1 && shares_memory(order);
        let serial = order.overlaps || repeats;
        if serial || !same {
            return Self::one_by_one(job, order, serial);
        }
        // A dimension that goes on where the one inside it ends makes one longer row.
        let mut length = counts[0];
        let mut merged = 1;
        while merged < 3 && (0..3).all(|operand| step(operand, merged) == step(operand, 0) * i64::from(length)) {
            length = length.saturating_mul(counts.get(merged).copied().unwrap_or(1));
            merged += 1;
        }
        let outer = |d: usize| if d >= merged { counts.get(d).copied().unwrap_or(1) } else { 1 };
        let start = tensors.map(|tensor| i64::from(tensor.walk.start()));
        let sizes = if order.reads_src1() { sizes } else { [sizes[0], sizes[0], sizes[2]] };
        let mut starts = Vec::new();
        for k in 0..outer(2) {
            for j in 0..outer(1) {
                starts.push(std::array::from_fn(|operand| {
                    start[operand] + i64::from(j) * step(operand, 1) + i64::from(k) * step(operand, 2)
                }));
            }
        }
        let steps: [i64; 3] = std::array::from_fn(|operand| step(operand, 0));
        let moves = |operand: usize| steps[operand] != 0;
        let strided = std::array::from_fn(|operand| length > 1 && moves(operand) && steps[operand] != sizes[operand]);
        let [a, b, _] = strided;
        let still = [length > 1 && !moves(0), length > 1 && !moves(1)];
        let strided = [a, b, length > 1 && steps[2] != sizes[2]];
        Self { length, starts, steps, shape: Shape { still, strided, ..Shape::default() }, serial: false }
    }

    fn one_by_one(job: &Job, order: &Order<'_>, serial: bool) -> Self {
        let second = if order.reads_src1() { &job.src1 } else { &job.src0 };
        let offsets = job.src0.walk.offsets().zip(second.walk.offsets()).zip(job.dst.walk.offsets());
        let starts = offsets.map(|((a, b), c)| [a.into(), b.into(), c.into()]).collect();
        Self { length: 1, starts, steps: [0; 3], shape: Shape::default(), serial }
    }
}

fn shares_memory(order: &Order<'_>) -> bool {
    let Job { src0, src1, dst, channels, .. } = order.job;
    let near = |source: &Tensor| source.memory == dst.memory && source.partition.abs_diff(dst.partition) < *channels;
    let meets = |source: &Tensor| {
        let ((low, high), (dst_low, dst_high)) = (source.walk.extent(), dst.walk.extent());
        near(source) && low < dst_high && dst_low < high
    };
    meets(src0) || order.reads_src1() && meets(src1)
}

/// One word on its way through the cores.
struct Runner<'a> {
    kernel: &'a Kernel,
    rows: &'a Rows,
    order: &'a Order<'a>,
    /// The loop rolled out, by units and whether the last one is full.
    rolled: HashMap<(u32, bool), Rolled>,
    /// Units of one run.
    block: u32,
    sizes: [u32; 3],
    dst_ranges: Ranges,
    /// Cycles of all runs so far.
    cycles: u64,
}

impl<'a> Runner<'a> {
    fn new(kernel: &'a Kernel, rows: &'a Rows, order: &'a Order<'a>) -> Self {
        let job = order.job;
        let sizes = [job.src0.walk.size(), job.src1.walk.size(), job.dst.walk.size()];
        let per_unit: u32 = sizes.iter().map(|size| size.saturating_mul(kernel.unit())).sum();
        let block = (DATA_RAM_BYTES - MARGIN - 3 * 64) / per_unit.max(1);
        let dst_ranges = if order.may_skip() { Ranges::default() } else { job.dst.walk.ranges() };
        let block = block.clamp(1, MOST_UNITS);
        Self { kernel, rows, order, rolled: HashMap::new(), block, sizes, dst_ranges, cycles: 0 }
    }

    fn partition(&mut self, channel: u32, memory: &mut StateBuffer) -> Result<(), Fault> {
        let unit = self.kernel.unit();
        for row in &self.rows.starts {
            let mut done = 0;
            while done < self.rows.length {
                let elements = (self.rows.length - done).min(self.block.saturating_mul(unit));
                self.block(channel, *row, done, elements, memory)?;
                done += elements;
            }
        }
        if !self.order.may_skip() {
            let dst = &self.order.job.dst;
            if let Some(row) = memory.row_mut(dst.memory, dst.partition.saturating_add(channel)) {
                row.written.union(&self.dst_ranges);
            }
        }
        Ok(())
    }

    /// Offsets in the partition of an operand's elements.
    fn offset(&self, row: [i64; 3], operand: usize, element: u32) -> u32 {
        let step = self.rows.steps.get(operand).copied().unwrap_or(0);
        // Every element lies within the partition: the walk was checked.
        (row.get(operand).copied().unwrap_or(0) + i64::from(element) * step) as u32
    }

    fn block(
        &mut self,
        channel: u32,
        row: [i64; 3],
        first: u32,
        elements: u32,
        memory: &mut StateBuffer,
    ) -> Result<(), Fault> {
        let unit = self.kernel.unit();
        let units = elements.div_ceil(unit);
        let rest = elements - (units - 1) * unit;
        let key = (units, rest < unit);
        if !self.rolled.contains_key(&key) {
            let rolled = emit::roll(self.kernel, units, rest < unit);
            let rolled = rolled
                .map_err(|error| Fault::unimplemented(format!("a bundle sequence that does not fit: {error}")))?;
            self.rolled.insert(key, rolled);
        }
        let Some(rolled) = self.rolled.get(&key) else { return Ok(()) };
        let job = self.order.job;
        let mut state = State::new();
        let pool_bytes = (rolled.pool.len() as u32).next_multiple_of(64);
        let mut streams = [0; 3];
        let mut next = DATA_RAM.saturating_add(pool_bytes);
        for (operand, stream) in streams.iter_mut().enumerate() {
            *stream = next;
            let size = self.sizes.get(operand).copied().unwrap_or(1);
            next = next.saturating_add(units.saturating_mul(unit).saturating_mul(size).max(64).next_multiple_of(64));
        }
        let lost =
            |error: vq7_iss::memory::OutOfRange| Fault::unimplemented(format!("a block past the data memory: {error}"));
        state.memory.set(DATA_RAM, &rolled.pool).map_err(lost)?;
        let tensors = [&job.src0, &job.src1, &job.dst];
        for (operand, (tensor, &stream)) in tensors.into_iter().zip(&streams).enumerate() {
            let reads = match operand {
                0 => true,
                1 => self.order.reads_src1(),
                _ => self.order.may_skip(),
            };
            if reads {
                let bytes = self.gather(tensor, channel, row, operand, first, elements, memory);
                state.memory.set(stream, &bytes).map_err(lost)?;
            }
        }
        for (cell, value) in emit::addresses(self.kernel, DATA_RAM, streams, rest) {
            state.set_line(cell, Line::from_word(value));
        }
        let mut core = Core::new(&rolled.work, state, Leaves, Settings::default());
        match core.run(&mut Silent, LIMIT) {
            Ok(Stop::Done) => {}
            Ok(Stop::Limit) => return Err(Fault::unimplemented("a bundle sequence that does not end")),
            Err(fault) => {
                return Err(Fault::unimplemented(format!("a bundle sequence that leaves its memory: {fault}")));
            }
        }
        self.cycles += core.total_cycles();
        let [_, _, dst] = streams;
        let size = self.sizes[2];
        let results = core.state.memory.settled(dst, elements.saturating_mul(size)).map_err(lost)?.to_vec();
        self.scatter(&results, channel, row, first, memory);
        Ok(())
    }

    /// The elements of an operand side by side; of one that stands still, the first one over and over for one unit.
    #[expect(clippy::too_many_arguments, reason = "which elements of which operand")]
    fn gather(
        &self,
        tensor: &Tensor,
        channel: u32,
        row: [i64; 3],
        operand: usize,
        first: u32,
        elements: u32,
        memory: &StateBuffer,
    ) -> Vec<u8> {
        let size = tensor.walk.size() as usize;
        let still = self.rows.shape.still.get(operand) == Some(&true);
        let count = if still { (64 / size as u32).max(self.kernel.unit()) } else { elements };
        let empty: &[u8] = &[];
        let bytes =
            memory.row(tensor.memory, tensor.partition.saturating_add(channel)).map_or(empty, |row| row.bytes());
        let step = self.rows.steps.get(operand).copied().unwrap_or(0);
        let at = self.offset(row, operand, first) as usize;
        if step == size as i64 {
            return bytes.get(at..at.saturating_add(count as usize * size)).unwrap_or(empty).to_vec();
        }
        let mut out = Vec::with_capacity(count as usize * size);
        for element in 0..count {
            let at = self.offset(row, operand, first + element) as usize;
            // Nothing wrote to a row that does not exist: its bytes are zero.
            out.extend((0..size).map(|byte| bytes.get(at + byte).copied().unwrap_or(0)));
        }
        out
    }

    /// Results to their places, in order; skipped elements stay unwritten.
    fn scatter(&self, results: &[u8], channel: u32, row: [i64; 3], first: u32, memory: &mut StateBuffer) {
        let job = self.order.job;
        let skip = self
            .order
            .may_skip()
            .then(|| self.taken(channel, row, first, results.len() as u32 / self.sizes[2], memory));
        let size = self.sizes[2] as usize;
        let Some(target) = memory.row_mut(job.dst.memory, job.dst.partition.saturating_add(channel)) else { return };
        let mut runs = Vec::new();
        for (element, value) in (first..).zip(results.chunks_exact(size)) {
            let at = self.offset(row, 2, element);
            if let Some(taken) = &skip {
                if taken.get((element - first) as usize) != Some(&true) {
                    continue;
                }
                runs.push(Run { start: at, end: at.saturating_add(size as u32) });
            }
            if let Some(slot) = target.bytes_mut().get_mut(at as usize..at as usize + size) {
                slot.copy_from_slice(value);
            }
        }
        if skip.is_some() {
            target.written.union(&Ranges::from_unsorted(runs));
        }
    }

    /// Which elements the predicate takes.
    fn taken(&self, channel: u32, row: [i64; 3], first: u32, elements: u32, memory: &StateBuffer) -> Vec<bool> {
        let predicate = &self.order.job.src0;
        let size = predicate.walk.size() as usize;
        let bytes = memory
            .row(predicate.memory, predicate.partition.saturating_add(channel))
            .map_or(&[][..], |row| row.bytes());
        let is_set = |element: u32| {
            let at = self.offset(row, 0, element) as usize;
            bytes.get(at..at + size).is_some_and(|bytes| bytes.iter().any(|&byte| byte != 0))
        };
        (first..first.saturating_add(elements)).map(is_set).collect()
    }
}
