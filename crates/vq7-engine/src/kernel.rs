//! What is done with one element. The reference executor walks; a kernel computes.

use crate::form::{Form, Other};
use crate::job::Job;
use vq7_isa::AluOp;
use vq7_isa::alu_op::Arity;
use vq7_num::{Basis, Coefficients, Flags, Lane, LaneError, Notes, batch_norm_back_prop, from_hub, to_hub};
use vq7_policy::{Policy, Settled};

/// One element's computation, with the flags of all so far.
pub(crate) trait Kernel {
    /// Whether src1's element decides the result, given src0's.
    fn needs_src1(&self, a: u64) -> bool;
    /// What the results so far rest on.
    fn basis(&self) -> Basis;
    /// Status that any element so far raised.
    fn flags(&self) -> Flags;
    /// The result for one element of a channel; `None` leaves the destination alone.
    fn compute(&mut self, channel: u32, a: u64, b: u64) -> Result<Option<u64>, LaneError>;
}

/// `op(src0, src1)`.
pub(crate) struct Elementwise<'a> {
    lane: Lane,
    policy: &'a Policy,
    flags: Flags,
    notes: Notes,
}

impl<'a> Elementwise<'a> {
    pub fn new(lane: Lane, policy: &'a Policy) -> Self {
        Self { lane, policy, flags: Flags::NONE, notes: Notes::default() }
    }
}

impl Kernel for Elementwise<'_> {
    fn needs_src1(&self, _: u64) -> bool {
        self.lane.op.arity() == Arity::Binary
    }

    fn basis(&self) -> Basis {
        self.notes.basis()
    }

    fn flags(&self) -> Flags {
        self.flags
    }

    fn compute(&mut self, _: u32, a: u64, b: u64) -> Result<Option<u64>, LaneError> {
        Ok(Some(self.lane.evaluate_noting(a, b, self.policy, &mut self.notes)?.take_into(&mut self.flags)))
    }
}

/// src1 where src0 is not zero, by bits or through a conversion.
pub(crate) struct Predicated<'a> {
    /// The conversion of an element; `None` copies its bits.
    cast: Option<Lane>,
    policy: &'a Policy,
    flags: Flags,
    notes: Notes,
}

impl<'a> Predicated<'a> {
    pub fn copy(policy: &'a Policy) -> Self {
        Self { cast: None, policy, flags: Flags::NONE, notes: Notes::default() }
    }

    pub fn cast(job: &Job, policy: &'a Policy) -> Self {
        Self { cast: Some(conversion(job)), ..Self::copy(policy) }
    }
}

/// The conversion that CAST_PREDICATED does to an element of src1.
pub(crate) fn conversion(job: &Job) -> Lane {
    let source = job.src1.dtype;
    Lane { op: AluOp::Bypass, src0: source, src1: source, out: job.dst.dtype, class: job.lane.class }
}

impl Kernel for Predicated<'_> {
    fn needs_src1(&self, a: u64) -> bool {
        a != 0
    }

    fn basis(&self) -> Basis {
        self.notes.basis()
    }

    fn flags(&self) -> Flags {
        self.flags
    }

    fn compute(&mut self, _: u32, a: u64, b: u64) -> Result<Option<u64>, LaneError> {
        if a == 0 {
            return Ok(None);
        }
        match &self.cast {
            None => Ok(Some(b)),
            Some(lane) => {
                Ok(Some(lane.evaluate_noting(b, b, self.policy, &mut self.notes)?.take_into(&mut self.flags)))
            }
        }
    }
}

/// The two ops of a scalar form, or the recurrence of a scan.
pub(crate) struct Composed<'a> {
    form: &'a Form,
    scalars: &'a [[u64; 2]],
    policy: &'a Policy,
    flags: Flags,
    notes: Notes,
    /// A scan's channel and the float32 result before.
    carry: Option<(u32, u64)>,
}

impl<'a> Composed<'a> {
    pub fn new(form: &'a Form, scalars: &'a [[u64; 2]], policy: &'a Policy) -> Self {
        Self { form, scalars, policy, flags: Flags::NONE, notes: Notes::default(), carry: None }
    }

    fn lane(&mut self, lane: Lane, value: u64) -> Result<u64, LaneError> {
        Ok(lane.evaluate_noting(value, value, self.policy, &mut self.notes)?.take_into(&mut self.flags))
    }

    /// What the first op takes beside the element.
    fn first_other(&mut self, channel: u32, scalar: u64) -> Result<u64, LaneError> {
        let Some([start, _]) = self.form.scan else { return Ok(scalar) };
        match self.carry {
            Some((of, value)) if of == channel => Ok(value),
            _ => self.lane(start, scalar),
        }
    }
}

impl Kernel for Composed<'_> {
    fn needs_src1(&self, _: u64) -> bool {
        self.form.reads_src1()
    }

    fn basis(&self) -> Basis {
        self.form.finish(self.notes.basis())
    }

    fn flags(&self) -> Flags {
        self.flags
    }

    fn compute(&mut self, channel: u32, a: u64, b: u64) -> Result<Option<u64>, LaneError> {
        let [s0, s1] = self.scalars.get(channel as usize).copied().unwrap_or_default();
        let other = self.first_other(channel, s0)?;
        let (policy, notes) = (self.policy, &mut self.notes);
        let mut value = self.form.first.evaluate(a, other, policy, notes)?.take_into(&mut self.flags);
        if let Some((step, source)) = self.form.second {
            let other = if source == Other::Src1 { b } else { s1 };
            value = step.evaluate(value, other, policy, notes)?.take_into(&mut self.flags);
        }
        if let Some([_, end]) = self.form.scan {
            self.carry = Some((channel, value));
            value = self.lane(end, value)?;
        }
        Ok(Some(value))
    }
}

/// BATCH_NORM_BACK_PROP with coefficients per channel.
pub(crate) struct BatchNorm<'a> {
    lane: Lane,
    coefficients: &'a [Coefficients],
    policy: &'a Policy,
    flags: Flags,
}

impl<'a> BatchNorm<'a> {
    pub fn new(lane: Lane, coefficients: &'a [Coefficients], policy: &'a Policy) -> Self {
        Self { lane, coefficients, policy, flags: Flags::NONE }
    }
}

impl Kernel for BatchNorm<'_> {
    fn needs_src1(&self, _: u64) -> bool {
        true
    }

    /// The conversions and roundings of a product, whatever the data, and the formula.
    fn basis(&self) -> Basis {
        let mut basis = Lane { op: AluOp::Mult, ..self.lane }.basis(self.policy);
        basis.rest_on(Settled::BatchNormFormula);
        basis
    }

    fn flags(&self) -> Flags {
        self.flags
    }

    fn compute(&mut self, channel: u32, a: u64, b: u64) -> Result<Option<u64>, LaneError> {
        let missing = LaneError::Unimplemented("a channel without batch-norm coefficients");
        let coefficients = self.coefficients.get(channel as usize).ok_or(missing)?;
        let x_norm = to_hub(a, self.lane.src0, self.policy).take_into(&mut self.flags);
        let dy = to_hub(b, self.lane.src1, self.policy).take_into(&mut self.flags);
        let dx = batch_norm_back_prop(x_norm, dy, coefficients, self.policy).take_into(&mut self.flags);
        Ok(Some(from_hub(dx, self.lane.out, self.policy).take_into(&mut self.flags)))
    }
}
