//! Bundles, from ops that count their operands from 0, to work ready to run.

use super::{
    Access, Action, BundleWork, Control, Form, Input, MAX_OPS, MAX_RESULTS, MAX_USES, Merge, Move, OpWork, Output,
    Right, ScalarIn, Test, Work,
};
use crate::timing::{self, Bank, Cell, Refused};
use crate::trace::{ListedBundle, ListedOp};
use std::fmt;

/// An op as its row and operands give it. Places in the action count from 0 among the op's own uses and definitions, and
/// among the accumulators that it reads.
#[derive(Clone, Debug)]
pub struct OpSpec {
    /// Slot.
    pub slot: u8,
    /// Assembly text.
    pub text: String,
    /// The stage at which it does its work.
    pub stage: u8,
    /// Registers read and their stages, in the order of operands.
    pub uses: Vec<(Cell, u8)>,
    /// Registers written and the stages that define them.
    pub defs: Vec<(Cell, u8)>,
    /// Stage at which data leave the core, or 0.
    pub egress: u8,
    /// Byte and mask of its decode bit.
    pub bit: (u16, u8),
    /// What it does.
    pub action: Action,
    /// How control goes on after its bundle.
    pub control: Control,
}

impl OpSpec {
    /// An op without operands that does nothing.
    #[must_use]
    pub fn new(slot: u8, text: &str) -> OpSpec {
        OpSpec {
            slot,
            text: text.to_owned(),
            stage: timing::EXECUTE,
            uses: Vec::new(),
            defs: Vec::new(),
            egress: 0,
            bit: (0, 0),
            action: Action::Nothing,
            control: Control::Next,
        }
    }
}

impl OpSpec {
    /// Whether the op uses a memory port.
    #[must_use]
    pub fn accesses(&self) -> bool {
        self.egress > 0 || matches!(self.action, Action::Load(_) | Action::Store(_))
    }
}

/// Why a bundle is no work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// The scoreboard cannot hold it.
    Refused(Refused),
    /// More ops, operands or results than a bundle has.
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many are possible.
        most: usize,
    },
    /// Two ops that direct control.
    TwoControls,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Refused(refused) => refused.fmt(f),
            BuildError::TooMany { what, most } => write!(f, "more than {most} {what} in one bundle"),
            BuildError::TwoControls => f.write_str("two ops of one bundle direct control"),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<Refused> for BuildError {
    fn from(refused: Refused) -> BuildError {
        BuildError::Refused(refused)
    }
}

impl Work {
    /// Adds a bundle of ops in the order of slots.
    ///
    /// # Errors
    ///
    /// Two writers of a register, too many operands, two ops that direct control.
    pub fn push(&mut self, format: &str, line: u32, ops: &[OpSpec]) -> Result<u32, BuildError> {
        let (mut uses, mut defs, mut egress, mut stages) = (Vec::new(), Vec::new(), 0, 0u16);
        let (mut wides, mut control, mut done) = (0u8, Control::Next, Vec::new());
        limit(ops.len(), MAX_OPS, "ops")?;
        limit(ops.iter().map(|op| op.uses.len()).sum(), MAX_USES, "operands")?;
        limit(ops.iter().map(|op| op.defs.len()).sum(), MAX_RESULTS, "results")?;
        let wide = |cells: &[(Cell, u8)]| cells.iter().filter(|(cell, _)| cell.bank() == Bank::Wvec).count();
        limit(ops.iter().map(|op| wide(&op.uses)).sum(), 2, "accumulators read")?;
        limit(ops.iter().map(|op| wide(&op.defs)).sum(), 1, "accumulators written")?;
        for op in ops {
            let base = Base { uses: uses.len() as u8, defs: defs.len() as u8, wides };
            let access = |operand: usize, (cell, stage): &(Cell, u8)| timing::Access {
                cell: *cell,
                stage: *stage,
                slot: op.slot,
                operand: operand as u8,
            };
            uses.extend(op.uses.iter().enumerate().map(|(operand, one)| access(operand, one)));
            defs.extend(op.defs.iter().enumerate().map(|(operand, one)| access(operand, one)));
            wides += wide(&op.uses) as u8;
            egress = egress.max(op.egress);
            let work = OpWork {
                slot: op.slot,
                stage: op.stage.clamp(1, timing::LAST_STAGE),
                uses: (base.uses, uses.len() as u8),
                defs: (base.defs, defs.len() as u8),
                bit: op.bit,
                action: base.action(op.action),
            };
            stages |= 1 << work.stage;
            if work.is_access() {
                stages |= 1 << 1;
            }
            if matches!(work.action, Action::Store(_)) {
                stages |= 1 << 11;
            }
            if op.defs.iter().any(|(cell, _)| *cell == Cell::FSR) {
                stages |= 1 << 14;
            }
            if op.control != Control::Next {
                if control != Control::Next {
                    return Err(BuildError::TwoControls);
                }
                control = base.control(op.control);
            }
            done.push(work);
        }
        let number = self.footprints.push(&uses, &defs, egress)?;
        let first_op = u32::try_from(self.ops.len()).map_err(|_| Refused::TooLong)?;
        self.ops.extend(done);
        self.bundles.push(BundleWork { first_op, op_count: ops.len() as u8, stages, control });
        let listed = ops.iter().map(|op| {
            let results = op.defs.iter().filter(|(cell, _)| *cell != Cell::FSR).map(|(_, stage)| *stage);
            ListedOp { slot: op.slot, text: op.text.clone(), depth: results.max().unwrap_or(0).max(op.egress) }
        });
        self.listing.bundles.push(ListedBundle { format: format.to_owned(), line, ops: listed.collect() });
        Ok(number)
    }
}

fn limit(count: usize, most: usize, what: &'static str) -> Result<(), BuildError> {
    if count > most { Err(BuildError::TooMany { what, most }) } else { Ok(()) }
}

/// Where an op's operands begin among those of its bundle.
struct Base {
    uses: u8,
    defs: u8,
    wides: u8,
}

impl Base {
    fn input(&self, input: Input) -> Input {
        match input {
            Input::None | Input::Constant(_) => input,
            Input::Lanes { at, width, first, step } => Input::Lanes { at: at + self.uses, width, first, step },
            Input::Predicate { at } => Input::Predicate { at: at + self.uses },
            Input::Word { at } => Input::Word { at: at + self.uses },
            Input::Mode { at } => Input::Mode { at: at + self.uses },
            Input::Wide { at, width } => Input::Wide { at: at + self.wides, width },
        }
    }

    fn output(&self, output: Output) -> Output {
        match output {
            Output::Lanes { at, width, first, step } => Output::Lanes { at: at + self.defs, width, first, step },
            Output::Predicate { at } => Output::Predicate { at: at + self.defs },
            Output::Word { at } => Output::Word { at: at + self.defs },
            Output::Wide { .. } => output,
        }
    }

    fn merge(&self, merge: Merge) -> Merge {
        Merge { guard: merge.guard + self.uses, old: merge.old + self.uses }
    }

    fn scalar(&self, input: ScalarIn) -> ScalarIn {
        match input {
            ScalarIn::Use(place) => ScalarIn::Use(place + self.uses),
            ScalarIn::Constant(_) => input,
        }
    }

    fn moves(&self, what: Move) -> Move {
        let (uses, defs) = (self.uses, self.defs);
        match what {
            Move::Copy { from, to } => Move::Copy { from: from + uses, to: to + defs },
            Move::CopyWide { from } => Move::CopyWide { from: from + self.wides },
            Move::Bytes { from, merge, to } => {
                Move::Bytes { from: from + uses, merge: self.merge(merge), to: to + defs }
            }
            Move::Spread { from, width, to } => Move::Spread { from: self.scalar(from), width, to: to + defs },
            Move::Replicate { from, lane, width, to, merge } => Move::Replicate {
                from: from + uses,
                lane,
                width,
                to: to + defs,
                merge: merge.map(|merge| self.merge(merge)),
            },
            Move::Extract { from, lane, width, signed, to } => {
                Move::Extract { from: from + uses, lane, width, signed, to: to + defs }
            }
            Move::Widen { from, width, wide, signed } => {
                Move::Widen { from: from.map(|place| place + uses), width, wide, signed }
            }
        }
    }

    fn access(&self, access: Access, load: bool) -> Access {
        let form = match access.form {
            Form::Plain | Form::Elements { .. } => access.form,
            Form::Unaligned { carry, carry_def } => {
                Form::Unaligned { carry: carry + self.uses, carry_def: carry_def + self.defs }
            }
        };
        Access {
            base: access.base + self.uses,
            offset: self.scalar(access.offset),
            base_def: access.base_def.map(|place| place + self.defs),
            data: access.data + if load { self.defs } else { self.uses },
            guard: access.guard.map(|place| place + self.uses),
            form,
            ..access
        }
    }

    fn action(&self, action: Action) -> Action {
        let inputs = |inputs: [Input; 4]| inputs.map(|input| self.input(input));
        match action {
            Action::Nothing => action,
            Action::Lanes { leaf, lanes, inputs: of, value, predicate, merge } => Action::Lanes {
                leaf,
                lanes: lanes.min(64),
                inputs: inputs(of),
                value: self.output(value),
                predicate: predicate.map(|place| place + self.defs),
                merge: merge.map(|merge| self.merge(merge)),
            },
            Action::Lanes96 { leaf, accumulator, inputs: of, value } => Action::Lanes96 {
                leaf,
                accumulator: accumulator.map(|which| which + self.wides),
                inputs: of.map(|input| self.input(input)),
                value: self.output(value),
            },
            Action::Whole { leaf, inputs: of, outputs, merge } => Action::Whole {
                leaf,
                inputs: inputs(of),
                outputs: outputs.map(|place| place.map(|place| place + self.defs)),
                merge: merge.map(|(merge, width)| (self.merge(merge), width)),
            },
            Action::Move(what) => Action::Move(self.moves(what)),
            Action::Load(access) => Action::Load(self.access(access, true)),
            Action::Store(access) => Action::Store(self.access(access, false)),
            Action::Scalar { op, left, right, to } => {
                Action::Scalar { op, left: self.scalar(left), right: self.scalar(right), to: to + self.defs }
            }
        }
    }

    fn control(&self, control: Control) -> Control {
        match control {
            Control::Next | Control::Halt | Control::Jump(_) => control,
            Control::Loop { count, end, zero } => Control::Loop { count: count + self.uses, end, zero },
            Control::Branch { test, target } => {
                let test = match test {
                    Test::Boolean { at, when } => Test::Boolean { at: at + self.uses, when },
                    Test::Compare { relation, left, right } => {
                        let right = match right {
                            Right::Use(place) => Right::Use(place + self.uses),
                            Right::Constant(_) => right,
                        };
                        Test::Compare { relation, left: left + self.uses, right }
                    }
                };
                Control::Branch { test, target }
            }
        }
    }
}
