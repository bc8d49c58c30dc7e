//! The two ops of a scalar form, as lanes in the order in which they are evaluated, and where the scalars come from.
//! Source: docs/spec/scalar-forms.md.

use crate::StateBuffer;
use crate::fault::{Fault, Operand, Warning};
use vq7_isa::address::{Location, Memory};
use vq7_isa::alu_op::Arity;
use vq7_isa::generation::{Geometry, PARTITIONS};
use vq7_isa::inst::{ImmSrc, Immediate, Reverse, S2s2d2Stt, S3d3Ts, S4d4Tr};
use vq7_isa::opcode::COPY;
use vq7_isa::{AluOp, Dtype};
use vq7_num::{Class, Lane, LaneError, Notes};
use vq7_num::{Flagged, Flags};
use vq7_policy::{Policy, Settled};

/// The float32 in which the two ops of an arithmetic form meet.
const MIDDLE: Dtype = Dtype::Fp32;

/// One op: the tensor's side (an element, or what the first op made of it) and the other operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The op, with dtypes in the order in which it takes its operands.
    pub lane: Lane,
    /// Whether the other operand comes first.
    pub swapped: bool,
}

impl Step {
    fn new(op: AluOp, tensor: Dtype, other: Dtype, out: Dtype, class: Class, swapped: bool) -> Self {
        let (src0, src1) = if swapped { (other, tensor) } else { (tensor, other) };
        Self { lane: Lane { op, src0, src1, out, class }, swapped }
    }

    /// Whether the other operand can decide the result.
    pub fn reads_other(&self) -> bool {
        self.swapped || self.lane.op.arity() == Arity::Binary
    }

    /// The op on the tensor's side and the other operand.
    ///
    /// # Errors
    /// As [`Lane::evaluate`].
    pub fn evaluate(
        &self,
        tensor: u64,
        other: u64,
        policy: &Policy,
        notes: &mut Notes,
    ) -> Result<Flagged<u64>, LaneError> {
        let (a, b) = if self.swapped { (other, tensor) } else { (tensor, other) };
        self.lane.evaluate_noting(a, b, policy, notes)
    }
}

/// What the second op takes beside the first one's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Other {
    /// The second scalar.
    Scalar,
    /// An element of src1.
    Src1,
}

/// What a word of the scalar forms computes for an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// The first op, with the first scalar; in a scan, with the result before.
    pub first: Step,
    /// The second op; none where BYPASS keeps the first one's result.
    pub second: Option<(Step, Other)>,
    /// A scan's conversion of its start to float32, and of its float32 result to the out dtype. None of a word that is no
    /// scan.
    pub scan: Option<[Lane; 2]>,
    /// Whether the word has a second source at all.
    pub has_src1: bool,
}

/// Where a scalar comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Nobody reads it.
    Unread,
    /// The word.
    Value(u64),
    /// One value per partition in memory.
    Memory {
        /// Which of the two.
        operand: Operand,
        /// The memory.
        memory: Memory,
        /// The partition of channel 0.
        partition: u32,
        /// Byte offset in the partition.
        offset: u32,
        /// Dtype of the value.
        dtype: Dtype,
    },
}

impl Form {
    /// Whether an element of src1 can decide a result.
    pub fn reads_src1(&self) -> bool {
        matches!(self.second, Some((step, Other::Src1)) if step.reads_other())
    }

    /// All lanes of an element.
    pub fn lanes(&self) -> impl Iterator<Item = Lane> {
        let scan = self.scan.into_iter().flatten();
        [self.first.lane].into_iter().chain(self.second.map(|(step, _)| step.lane)).chain(scan)
    }

    /// What every result rests on, whatever the data.
    pub fn settled(&self) -> impl Iterator<Item = Settled> {
        let first = self.first.lane;
        let between = match (self.scan, self.second, first.class) {
            (Some(_), ..) => Some(Settled::ScanRecurrence),
            (None, None, _) => None,
            (None, Some(_), Class::Arith) => Some(Settled::ScalarIntermediate),
            // The rules leave no pair of ops on 32 bits that an intermediate of another width could change.
            (None, Some(_), Class::Bitvec) => (first.out.bits() < 32).then_some(Settled::ScalarBitvecWidth),
        };
        between.into_iter()
    }

    /// The status that any result can raise.
    pub fn flags(&self, policy: &Policy) -> Flags {
        self.lanes().fold(Flags::NONE, |mut all, lane| {
            all |= lane.flags(policy);
            all
        })
    }

    /// What any result can rest on.
    pub fn basis(&self, policy: &Policy) -> vq7_num::Basis {
        let mut basis = vq7_num::Basis::default();
        self.lanes().for_each(|lane| basis.merge(&lane.basis(policy)));
        self.finish(basis)
    }

    /// A record of the lanes as one of the word: with what the form itself rests on, and without what is said of a second
    /// source that the word does not have.
    pub(crate) fn finish(&self, mut basis: vq7_num::Basis) -> vq7_num::Basis {
        self.settled().for_each(|fact| basis.rest_on(fact));
        if !self.has_src1 {
            basis.settled.retain(|fact| *fact != Settled::UnaryIgnoresSrc1);
        }
        basis
    }
}

/// An op and a dtype of a legal word.
fn op(code: u8) -> Result<AluOp, Fault> {
    AluOp::from_code(code).ok_or_else(|| Fault::unimplemented(format!("an ALU op of code {code:#04x}")))
}

fn dtype(code: u8, of: &str) -> Result<Dtype, Fault> {
    let dtype = Dtype::from_code(code).filter(|dtype| dtype.is_tensor_tensor());
    dtype.ok_or_else(|| Fault::unimplemented(format!("the dtype of {of}")))
}

/// The form of a tensor-scalar word.
pub(crate) fn of_tensor_scalar(ts: &S3d3Ts) -> Result<Form, Fault> {
    let (tensor, out) = (dtype(ts.in_dtype, "src")?, dtype(ts.out_dtype, "dst")?);
    let (op0, op1) = (op(ts.op0)?, op(ts.op1)?);
    let (class, scalar) = if ts.is_bitvec() { (Class::Bitvec, tensor) } else { (Class::Arith, Dtype::Fp32) };
    let reverse = ts.reversed().unwrap_or_default();
    Ok(form(Parts { tensor, scalar, second: scalar, out, class, op0, op1, reverse, other: Other::Scalar }))
}

/// The form of a scalar-tensor-tensor or scan word.
pub(crate) fn of_scalar_tensor_tensor(stt: &S2s2d2Stt) -> Result<Form, Fault> {
    let (tensor, second) = (dtype(stt.src0_dtype, "src0")?, dtype(stt.src1_dtype, "src1")?);
    let (scalar, out) = (dtype(stt.imm0_dtype, "imm0")?, dtype(stt.out_dtype, "dst")?);
    let (op0, op1) = (op(stt.op0)?, op(stt.op1)?);
    let class = if stt.is_bitvec() { Class::Bitvec } else { Class::Arith };
    let reverse = stt.reversed().unwrap_or_default();
    if stt.is_scan() {
        let convert = |from, to| Lane { op: AluOp::Bypass, src0: from, src1: from, out: to, class };
        return Ok(Form {
            first: Step::new(op0, tensor, MIDDLE, MIDDLE, class, reverse.first),
            second: Some((Step::new(op1, MIDDLE, second, MIDDLE, class, reverse.second), Other::Src1)),
            scan: Some([convert(scalar, MIDDLE), convert(MIDDLE, out)]),
            has_src1: true,
        });
    }
    Ok(form(Parts { tensor, scalar, second, out, class, op0, op1, reverse, other: Other::Src1 }))
}

/// The form of a copy or a cast: one op, BYPASS.
pub(crate) fn of_copy_cast(tr: &S4d4Tr) -> Result<Form, Fault> {
    let (tensor, out) = (dtype(tr.in_dtype, "src")?, dtype(tr.out_dtype, "dst")?);
    let class = if tr.header.opcode == COPY { Class::Bitvec } else { Class::Arith };
    let first = Step::new(AluOp::Bypass, tensor, tensor, out, class, false);
    Ok(Form { first, second: None, scan: None, has_src1: false })
}

struct Parts {
    tensor: Dtype,
    scalar: Dtype,
    second: Dtype,
    out: Dtype,
    class: Class,
    op0: AluOp,
    op1: AluOp,
    reverse: Reverse,
    other: Other,
}

fn form(parts: Parts) -> Form {
    let Parts { tensor, scalar, second, out, class, op0, op1, reverse, other } = parts;
    let has_src1 = other == Other::Src1;
    // An op that takes no scalar has its dtypes from the tensor alone.
    let scalar = if op0.arity() == Arity::Unary { tensor } else { scalar };
    if op1 == AluOp::Bypass {
        let first = Step::new(op0, tensor, scalar, out, class, reverse.first);
        return Form { first, second: None, scan: None, has_src1 };
    }
    let middle = if class == Class::Bitvec { out } else { MIDDLE };
    let first = Step::new(op0, tensor, scalar, middle, class, reverse.first);
    let second = Step::new(op1, middle, second, out, class, reverse.second);
    Form { first, second: Some((second, other)), scan: None, has_src1 }
}

/// Where the scalars of a legal word whose registers are resolved come from, first and second.
pub(crate) fn scalars_of(
    form: &Form,
    immediates: [Immediate; 2],
    dtypes: [Dtype; 2],
    always_pointers: bool,
    geometry: &Geometry,
) -> Result<[Scalar; 2], Fault> {
    let second = matches!(form.second, Some((step, Other::Scalar)) if step.reads_other());
    // A scan's start is converted even where its first op does not look at it.
    let read = [form.first.reads_other() || form.scan.is_some(), second];
    let operands = [Operand::Imm0, Operand::Imm1];
    let mut found = [Scalar::Unread; 2];
    for (((slot, immediate), dtype), (read, operand)) in
        found.iter_mut().zip(immediates).zip(dtypes).zip(read.into_iter().zip(operands))
    {
        if !read {
            continue;
        }
        *slot = match ImmSrc::from_code(immediate.src) {
            Some(ImmSrc::Instruction) if !always_pointers => Scalar::Value(immediate.bits.into()),
            _ => {
                let location = Location::of(immediate.bits, geometry);
                let Location { memory, partition, offset } =
                    location.ok_or_else(|| Fault::unimplemented(format!("the address of {operand}")))?;
                Scalar::Memory { operand, memory, partition, offset, dtype }
            }
        };
    }
    Ok(found)
}

/// The scalars of each channel, read before the first element of the word.
///
/// # Errors
/// When one does not lie inside its partition, or nothing wrote it.
pub(crate) fn load_scalars(
    scalars: &[Scalar; 2],
    channels: u32,
    memory: &StateBuffer,
    allow_uninit: bool,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<[u64; 2]>, Fault> {
    let mut values = vec![[0; 2]; channels as usize];
    for (which, scalar) in scalars.iter().enumerate() {
        for (channel, slot) in (0u32..).zip(&mut values) {
            let value = match *scalar {
                Scalar::Unread => 0,
                Scalar::Value(value) => value,
                Scalar::Memory { operand, memory: bank, partition, offset, dtype } => {
                    let partition = partition.saturating_add(channel);
                    let limit = memory.active_bytes(bank);
                    let end = offset.saturating_add(dtype.bytes());
                    if partition >= PARTITIONS || end > limit {
                        return Err(Fault::OutOfBounds {
                            operand,
                            memory: bank,
                            partition,
                            offset: offset.into(),
                            limit,
                        });
                    }
                    let row = memory.row(bank, partition);
                    if let Some(gap) = row.map_or(Some(offset), |row| row.written.first_gap(offset, end)) {
                        if !allow_uninit {
                            return Err(Fault::Uninitialized { operand, memory: bank, partition, offset: gap });
                        }
                        let known =
                            |w: &Warning| matches!(w, Warning::Uninitialized { operand: o, .. } if *o == operand);
                        if !warnings.iter().any(known) {
                            warnings.push(Warning::Uninitialized { operand, memory: bank, partition, offset: gap });
                        }
                    }
                    row.and_then(|row| row.load(offset, dtype.bytes())).unwrap_or(0)
                }
            };
            if let Some(slot) = slot.get_mut(which) {
                *slot = value;
            }
        }
    }
    Ok(values)
}
