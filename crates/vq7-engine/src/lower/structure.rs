//! What a schedule depends on: neither which leaf an op asks nor what a constant holds. Most words share their loop's
//! structure with others, such as all compares, or the signed and the unsigned form of an op, and then also its interval.

use super::flow::{Access, Flow, Value};
use super::kernel::{Kernel, Shape};
use super::{Reason, Work, lower};
use std::collections::HashMap;
use vq7_iss::format::SlotSet;
use vq7_iss::timing::Bank;
use vq7_policy::Policy;

/// Figures of a scheduled loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Elements of a turn.
    pub unit: u32,
    /// Bundles of a turn.
    pub interval: u32,
    /// Bundles of a turn that the slots ask for at least.
    pub bound: u32,
    /// Turns that overlap.
    pub stages: u32,
}

impl From<&Kernel> for Figures {
    fn from(kernel: &Kernel) -> Self {
        Self { unit: kernel.unit(), interval: kernel.interval, bound: kernel.bound, stages: kernel.stages() }
    }
}

/// Figures of loops, found out once per structure: for who asks about many words.
#[derive(Debug, Default)]
pub struct Schedules {
    known: HashMap<Key, Result<Figures, Reason>>,
}

/// One unit of a body, two units, and how rows lie.
type Key = (Structure, Structure, Shape);

impl Schedules {
    /// With nothing found out yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Figures of the loop of a word's work: those of [`Kernel::new`].
    ///
    /// # Errors
    /// [`Reason`]: no sequence, or none that fits the registers.
    pub fn figures(&mut self, work: Work, shape: Shape, policy: &Policy) -> Result<Figures, Reason> {
        let [one, two] = [1, 2].map(|copies| lower(work, policy, copies));
        let key = (Structure::of(&one?), Structure::of(&two?), shape);
        let figures = || Kernel::new(work, shape, policy).map(|kernel| Figures::from(&kernel));
        *self.known.entry(key).or_insert_with(figures)
    }

    /// How many structures are known.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether none is known yet.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

/// A flow without what its ops compute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Structure {
    unit: u32,
    /// File of each variable, and whether it is a constant.
    slots: Vec<(Bank, bool)>,
    accesses: Vec<Access>,
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Step {
    slots: SlotSet,
    is_store: bool,
    is_divide_step: bool,
    /// Stages of use and of definition, and the value.
    operands: Vec<(u8, u8, Value)>,
}

impl Structure {
    fn of(flow: &Flow) -> Self {
        let operand = |(operand, value): (&vq7_iss::mnemonic::Operand, &Value)| {
            let value = if let Value::Imm(_) = value { Value::Imm(0) } else { *value };
            (operand.use_stage, operand.def_stage, value)
        };
        let step = |step: &super::flow::Step| Step {
            slots: step.mnemonic.slots,
            is_store: step.mnemonic.is_store(),
            is_divide_step: super::kernel::is_divide_step(step),
            operands: step.mnemonic.operands.iter().zip(&step.values).map(operand).collect(),
        };
        Self {
            unit: flow.unit,
            slots: flow.slots.iter().map(|slot| (slot.file, slot.constant.is_some())).collect(),
            accesses: flow.accesses.clone(),
            steps: flow.steps.iter().map(step).collect(),
        }
    }
}
