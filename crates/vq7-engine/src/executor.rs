//! The seam between the machine and what computes: one admitted word in, its results in memory, and a description of what
//! ran.
//!
//! The machine judges, waits, dispatches and looks everything up; an [`Executor`] computes. What holds for all of them
//! is found out here, once per word: overlaps of operands, and whether all that is read was written before. Bounds are
//! those of [`crate::job`].

use crate::dispatch::Kernel;
use crate::fault::{Fault, Warning};
use crate::job::{Job, Tensor};
use crate::{StateBuffer, overlap};
use std::fmt;
use vq7_isa::alu_op::Arity;
use vq7_num::{Basis, Coefficients, Flags};
use vq7_policy::Policy;

pub use crate::reference::Reference;

/// Carries out words. For every word that it takes the bytes are those of [`Reference`]; a word that it does not take it
/// hands on with [`decline`], so that the path says so.
pub trait Executor: fmt::Debug + Send + Sync {
    /// The name that the command line knows it by.
    fn name(&self) -> &'static str;

    /// Computes the word's results, writes them, and notes them as written.
    ///
    /// # Errors
    /// [`Fault`]; then memory is what it was.
    fn run(&self, order: &Order<'_>, memory: &mut StateBuffer) -> Result<Computed, Fault>;
}

/// One admitted word for an executor.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// What is done with an element: never the nop, and never a kernel that is not modelled.
    pub kernel: Kernel,
    /// Where the operands lie, and what is computed.
    pub job: &'a Job,
    /// The open questions.
    pub policy: &'a Policy,
    /// Per-channel coefficients of BATCH_NORM_BACK_PROP; at least as many as channels for that kernel.
    pub coefficients: &'a [Coefficients],
    /// The two scalars of each channel, for the words of [`Job::form`]; 0 for one that is not read.
    pub scalars: &'a [[u64; 2]],
    /// Whether bytes that nothing wrote are read as zeros, with a warning, instead of a fault.
    pub allow_uninit: bool,
    /// Whether a source shares bytes with the destination, other than element on same element: then the walk order
    /// decides the results.
    pub overlaps: bool,
    /// Whether every byte that can be read was written before. If not, each read has to be looked at: some may fault.
    pub sources_written: bool,
}

impl Order<'_> {
    /// Whether some element of src1 can decide a result. A unary op's second source only has to be legal
    /// (docs/spec/alu-ops.md).
    pub fn reads_src1(&self) -> bool {
        reads_src1(self.kernel, self.job)
    }

    /// Whether an element may stay unwritten, by its predicate.
    pub const fn may_skip(&self) -> bool {
        matches!(self.kernel, Kernel::CopyPredicated | Kernel::CastPredicated)
    }
}

/// What an executor leaves behind beside the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computed {
    /// What ran.
    pub path: Path,
    /// Remarks of the execution; the machine adds those on overlaps.
    pub warnings: Vec<Warning>,
    /// Status raised by any element.
    pub flags: Flags,
    /// What the results rest on.
    pub basis: Basis,
    /// How flags and basis are meant.
    pub certainty: Certainty,
}

/// Whether flags and basis are those of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Each one was raised, or asked, by some element.
    #[default]
    Exact,
    /// No others than these can have been: an upper bound that does not look at the data.
    AtMost,
}

impl Certainty {
    /// `exact` or `at_most`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::AtMost => "at_most",
        }
    }
}

/// What carried out a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// The executor.
    pub executor: &'static str,
    /// Its kernel; none where the executor has only one.
    pub kernel: Option<&'static str>,
    /// The CPU level that the kernel was compiled for, where there are several.
    pub level: Option<&'static str>,
    /// The executor that was asked first and did not take the word.
    pub declined: Option<Declined>,
}

/// Why an executor did not take a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Declined {
    /// The executor.
    pub executor: &'static str,
    /// Why, as a clause.
    pub why: &'static str,
}

impl Path {
    /// The reference executor, as asked.
    pub const REFERENCE: Self = Self::of("reference");

    /// An executor without kernels or levels of its own.
    pub const fn of(executor: &'static str) -> Self {
        Self { executor, kernel: None, level: None, declined: None }
    }

    /// The executor that ran.
    pub const fn name(&self) -> &'static str {
        self.executor
    }
}

/// `reference`, `fast (integer lanes)`, or `reference (not fast: operands overlap)`. The level is left out: texts are the
/// same on every machine.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.executor)?;
        match (self.declined, self.kernel) {
            (Some(Declined { executor, why }), _) => write!(f, " (not {executor}: {why})"),
            (None, Some(kernel)) => write!(f, " ({kernel})"),
            (None, None) => Ok(()),
        }
    }
}

/// Hands a word that `executor` does not take to the reference.
///
/// # Errors
/// As [`Reference`].
pub fn decline(
    executor: &'static str,
    why: &'static str,
    order: &Order<'_>,
    memory: &mut StateBuffer,
) -> Result<Computed, Fault> {
    let mut computed = Reference.run(order, memory)?;
    computed.path.declined = Some(Declined { executor, why });
    Ok(computed)
}

/// Has the word carried out, with what holds for all executors looked up before and added afterwards.
pub(crate) fn carry_out(
    executor: &dyn Executor,
    mut order: Order<'_>,
    memory: &mut StateBuffer,
) -> Result<Computed, Fault> {
    let reads_src1 = order.reads_src1();
    let mut warnings = overlap::warnings(order.job, reads_src1);
    order.overlaps = !warnings.is_empty();
    order.sources_written = sources_written(order.job, reads_src1, memory);
    let mut computed = executor.run(&order, memory)?;
    warnings.append(&mut computed.warnings);
    Ok(Computed { warnings, ..computed })
}

fn reads_src1(kernel: Kernel, job: &Job) -> bool {
    if let Some(form) = &job.form {
        return form.reads_src1();
    }
    match kernel {
        Kernel::TensorTensor | Kernel::ExtendedTensorTensor => job.lane.op.arity() == Arity::Binary,
        _ => true,
    }
}

/// Whether every byte that the sources read was written before the word began.
fn sources_written(job: &Job, reads_src1: bool, memory: &StateBuffer) -> bool {
    let written = |source: &Tensor| {
        let rows =
            || (0..job.channels).map(|channel| memory.row(source.memory, source.partition.saturating_add(channel)));
        let (low, high) = source.walk.extent();
        let (low, high) = (low.max(0) as u32, high.max(0) as u32);
        if rows().all(|row| row.is_some_and(|row| row.written.first_gap(low, high).is_none())) {
            return true;
        }
        let ranges = source.walk.ranges();
        rows().all(|row| row.is_some_and(|row| row.written.contains_all(&ranges)))
    };
    written(&job.src0) && (!reads_src1 || written(&job.src1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_say_what_ran_and_why() {
        let fast = Path { kernel: Some("integer lanes"), level: Some("avx2"), ..Path::of("fast") };
        let declined =
            Path { declined: Some(Declined { executor: "fast", why: "operands overlap" }), ..Path::REFERENCE };
        let texts = [Path::REFERENCE, fast, declined].map(|path| path.to_string());
        assert_eq!(texts, ["reference", "fast (integer lanes)", "reference (not fast: operands overlap)"]);
        assert_eq!(declined.name(), "reference");
    }
}
