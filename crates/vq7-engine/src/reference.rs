//! The `reference` executor: element by element in walk order, partition by partition. Slow, obvious, the truth.
//!
//! For each element it reads src0, reads src1, computes and writes, so that in-place and overlapping operands mean what
//! this order makes of them (docs/spec/words.md, "Walk order").

use crate::dispatch::Kernel as KernelRow;
use crate::executor::{Certainty, Computed, Executor, Order, Path};
use crate::fault::{Fault, Warning};
use crate::job::{Job, Tensor};
use crate::kernel::{BatchNorm, Composed, Elementwise, Kernel, Predicated};
use crate::memory::Row;
use crate::ranges::{Ranges, Run};
use crate::{StateBuffer, cores};
use vq7_isa::address::Memory;
use vq7_num::LaneError;

/// The `reference` executor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Executor for Reference {
    fn name(&self) -> &'static str {
        Path::REFERENCE.executor
    }

    fn run(&self, order: &Order<'_>, memory: &mut StateBuffer) -> Result<Computed, Fault> {
        let Order { job, policy, coefficients, scalars, .. } = *order;
        if let Some(form) = &job.form {
            return compute(order, Composed::new(form, scalars, policy), memory);
        }
        match order.kernel {
            KernelRow::TensorTensor | KernelRow::ExtendedTensorTensor => {
                compute(order, Elementwise::new(job.lane, policy), memory)
            }
            KernelRow::CopyPredicated => compute(order, Predicated::copy(policy), memory),
            KernelRow::CastPredicated => compute(order, Predicated::cast(job, policy), memory),
            KernelRow::BatchNormBackProp => compute(order, BatchNorm::new(job.lane, coefficients, policy), memory),
            _ => Err(Fault::unimplemented("a kernel that computes nothing")),
        }
    }
}

fn compute(order: &Order<'_>, mut kernel: impl Kernel, memory: &mut StateBuffer) -> Result<Computed, Fault> {
    let warnings = run(order, &mut kernel, memory)?;
    Ok(Computed {
        path: Path::REFERENCE,
        warnings,
        flags: kernel.flags(),
        basis: kernel.basis(),
        certainty: Certainty::Exact,
    })
}

/// Runs a word. On a fault the memory is what it was.
fn run(order: &Order<'_>, kernel: &mut impl Kernel, memory: &mut StateBuffer) -> Result<Vec<Warning>, Fault> {
    let job = order.job;
    let mut word = WordRun {
        job,
        allow_uninit: order.allow_uninit,
        all_written: order.sources_written,
        may_skip: order.may_skip(),
        dst_ranges: if order.may_skip() { Ranges::default() } else { job.dst.walk.ranges() },
        warnings: Vec::new(),
    };
    let mut undo = Vec::new();
    // The cores run one after the other: the result is the same, as each owns its partitions.
    for (_, share) in cores::slices(job.dst.partition, job.channels) {
        for partition in share {
            let channel = partition.saturating_sub(job.dst.partition);
            undo.push(Undo::of(&job.dst, partition, memory));
            if let Err(fault) = word.channel(channel, kernel, memory) {
                undo.into_iter().for_each(|saved| saved.restore(job.dst.memory, memory));
                return Err(fault);
            }
        }
    }
    Ok(word.warnings)
}

/// What a partition's destination held before the word.
struct Undo {
    partition: u32,
    low: usize,
    bytes: Vec<u8>,
    written: Ranges,
}

impl Undo {
    fn of(dst: &Tensor, partition: u32, memory: &StateBuffer) -> Self {
        let (low, high) = dst.walk.extent();
        let (low, high) = (low.max(0) as usize, high.max(0) as usize);
        let row = memory.row(dst.memory, partition);
        Self {
            partition,
            low,
            bytes: row.and_then(|row| row.bytes().get(low..high)).map(<[u8]>::to_vec).unwrap_or_default(),
            written: row.map(|row| row.written.clone()).unwrap_or_default(),
        }
    }

    fn restore(self, memory: Memory, buffer: &mut StateBuffer) {
        let Some(row) = buffer.row_mut(memory, self.partition) else {
            return;
        };
        if self.written.is_empty() {
            // The row may not have existed: then there are no bytes to copy back, and unwritten bytes are zero.
            row.bytes_mut().fill(0);
        } else if let Some(slot) = row.bytes_mut().get_mut(self.low..self.low.saturating_add(self.bytes.len())) {
            slot.copy_from_slice(&self.bytes);
        }
        row.written = self.written;
    }
}

/// The rows that one channel of a word touches, taken out of the memory: three, or fewer when operands share a row.
struct Rows {
    keys: [(Memory, u32); 3],
    rows: [Row; 3],
    /// Which row each operand uses, in the order src0, src1, dst.
    at: [usize; 3],
}

impl Rows {
    fn take(tensors: [&Tensor; 3], channel: u32, memory: &mut StateBuffer) -> Self {
        let keys = tensors.map(|tensor| (tensor.memory, tensor.partition.saturating_add(channel)));
        let [k0, k1, k2] = keys;
        let at = [
            0,
            if k1 == k0 { 0 } else { 1 },
            if k2 == k0 {
                0
            } else if k2 == k1 {
                1
            } else {
                2
            },
        ];
        // A row that is already out leaves an empty one behind, which no operand uses.
        let rows =
            keys.map(|(bank, partition)| memory.row_mut(bank, partition).map(std::mem::take).unwrap_or_default());
        Self { keys, rows, at }
    }

    fn put_back(self, memory: &mut StateBuffer) {
        let Self { keys, rows, at } = self;
        for (index, ((bank, partition), row)) in keys.into_iter().zip(rows).enumerate() {
            if at.contains(&index)
                && let Some(slot) = memory.row_mut(bank, partition)
            {
                *slot = row;
            }
        }
    }
}

/// One word on its way through the channels.
struct WordRun<'a> {
    job: &'a Job,
    allow_uninit: bool,
    all_written: bool,
    may_skip: bool,
    dst_ranges: Ranges,
    warnings: Vec<Warning>,
}

impl WordRun<'_> {
    fn channel(&mut self, channel: u32, kernel: &mut impl Kernel, memory: &mut StateBuffer) -> Result<(), Fault> {
        let tensors = [&self.job.src0, &self.job.src1, &self.job.dst];
        let mut rows = Rows::take(tensors, channel, memory);
        let result = if self.all_written {
            self.elements::<false>(channel, kernel, &mut rows)
        } else {
            self.elements::<true>(channel, kernel, &mut rows)
        };
        rows.put_back(memory);
        result
    }

    /// All elements of a channel. `CAREFUL` asks of each byte read whether it was written, and notes each write at once:
    /// a word may read what it has written itself.
    fn elements<const CAREFUL: bool>(
        &mut self,
        channel: u32,
        kernel: &mut impl Kernel,
        rows: &mut Rows,
    ) -> Result<(), Fault> {
        let Job { src0, src1, dst, .. } = *self.job;
        let (size0, size1, size_dst) = (src0.walk.size(), src1.walk.size(), dst.walk.size());
        let [at0, at1, at_dst] = rows.at;
        let rows = &mut rows.rows;
        let may_skip = self.may_skip;
        let mut skipping: Vec<Run> = Vec::new();
        let offsets = src0.walk.offsets().zip(src1.walk.offsets()).zip(dst.walk.offsets());
        for (element, ((offset0, offset1), offset_dst)) in (0u64..).zip(offsets) {
            if CAREFUL {
                self.check(&src0, channel, offset0, rows.get(at0))?;
            }
            let a = load(rows.get(at0), offset0, size0).ok_or_else(|| lost(&src0, channel, offset0))?;
            if CAREFUL && kernel.needs_src1(a) {
                self.check(&src1, channel, offset1, rows.get(at1))?;
            }
            let b = load(rows.get(at1), offset1, size1).ok_or_else(|| lost(&src1, channel, offset1))?;
            let value = kernel.compute(channel, a, b).map_err(|error| lane_fault(error, &dst, channel, element))?;
            let Some(value) = value else { continue };
            let row = rows.get_mut(at_dst).ok_or_else(|| lost(&dst, channel, offset_dst))?;
            row.store(offset_dst, size_dst, value).ok_or_else(|| lost(&dst, channel, offset_dst))?;
            let end = offset_dst.saturating_add(size_dst);
            if CAREFUL {
                row.written.insert(offset_dst, end);
            } else if may_skip {
                skipping.push(Run { start: offset_dst, end });
            }
        }
        if !CAREFUL && let Some(row) = rows.get_mut(at_dst) {
            if may_skip {
                row.written.union(&Ranges::from_unsorted(skipping));
            } else {
                row.written.union(&self.dst_ranges);
            }
        }
        Ok(())
    }

    /// A byte that nothing wrote is a fault, or a warning once per operand.
    fn check(&mut self, source: &Tensor, channel: u32, offset: u32, row: Option<&Row>) -> Result<(), Fault> {
        let end = offset.saturating_add(source.walk.size());
        let Some(gap) = row.map_or(Some(offset), |row| row.written.first_gap(offset, end)) else {
            return Ok(());
        };
        let Tensor { operand, memory, .. } = *source;
        let partition = source.partition.saturating_add(channel);
        if !self.allow_uninit {
            return Err(Fault::Uninitialized { operand, memory, partition, offset: gap });
        }
        let known = |warning: &Warning| matches!(warning, Warning::Uninitialized { operand: o, .. } if *o == operand);
        if !self.warnings.iter().any(known) {
            self.warnings.push(Warning::Uninitialized { operand, memory, partition, offset: gap });
        }
        Ok(())
    }
}

fn load(row: Option<&Row>, offset: u32, size: u32) -> Option<u64> {
    row?.load(offset, size)
}

/// The walk was checked against the partition's bytes before the word began, so this is not reached; it is the honest
/// answer if it ever were.
#[cold]
fn lost(tensor: &Tensor, channel: u32, offset: u32) -> Fault {
    Fault::OutOfBounds {
        operand: tensor.operand,
        memory: tensor.memory,
        partition: tensor.partition.saturating_add(channel),
        offset: offset.into(),
        limit: 0,
    }
}

#[cold]
fn lane_fault(error: LaneError, dst: &Tensor, channel: u32, element: u64) -> Fault {
    match error {
        LaneError::DivideByZero => Fault::DivideByZero { partition: dst.partition.saturating_add(channel), element },
        LaneError::Unspecified => {
            Fault::Unspecified { note: "no source settles the result of this op on these dtypes", log: Vec::new() }
        }
        LaneError::Unimplemented(what) => Fault::unimplemented(what),
    }
}
