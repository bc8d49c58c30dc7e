//! What an op of a name does on its operands: stages, the leaf that it asks for, accesses, control.
//!
//! | module | owns |
//! |---|---|
//! | [`rows`] | ops that ask a leaf: one row per stem, shapes derived |
//! | [`memory`], [`scalar`] | loads and stores; scalar ops, branches, loops and moves |
//!
//! Operands stand in the order of the assembly: results, then sources. Stages: `docs/spec/iss-timing.md`, "Stages of every
//! class".

mod memory;
mod rows;
mod scalar;

use crate::timing::{Bank, Cell, EXECUTE, Params};
use crate::work::{Action, OpSpec};
use std::fmt;

/// An operand as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Reg(Cell),
    /// A number.
    Number(i64),
    /// A bundle of the program.
    Target(u32),
}

/// Why an op is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpError {
    /// No op has the name.
    Unknown {
        /// The name.
        name: String,
        /// Names that may have been meant.
        near: Vec<String>,
    },
    /// An operand is missing or of another kind.
    Operand {
        /// Which operand, from 1.
        number: usize,
        /// What belongs there.
        wanted: String,
    },
    /// More operands than the op has.
    TooMany {
        /// How many it has.
        most: usize,
    },
    /// The value rule is not known.
    Unimplemented {
        /// What is missing.
        what: String,
    },
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpError::Unknown { name, near } if near.is_empty() => write!(f, "no op is named `{name}`"),
            OpError::Unknown { name, near } => {
                write!(f, "no op is named `{name}`; did you mean `{}`?", near.join("` or `"))
            }
            OpError::Operand { number, wanted } => write!(f, "operand {number} is to be {wanted}"),
            OpError::TooMany { most } => write!(f, "the op has {most} operands"),
            OpError::Unimplemented { what } => write!(f, "not modelled: {what}"),
        }
    }
}

impl std::error::Error for OpError {}

/// The op of a name in a slot.
///
/// # Errors
///
/// Unknown names, operands that do not fit, ops whose value rule no source gives.
pub fn spec(name: &str, slot: u8, operands: &[Operand], params: &Params) -> Result<OpSpec, OpError> {
    let upper = name.to_ascii_uppercase();
    let plain = upper.strip_prefix("IVP_").unwrap_or(&upper);
    let text = text_of(name, operands);
    let mut build = Build { spec: OpSpec::new(slot, &text), operands, next: 0, params };
    let found = scalar::build(plain, &mut build)
        .or_else(|| memory::build(plain, &mut build))
        .or_else(|| rows::build(plain, &mut build));
    match found {
        Some(result) => result?,
        None => {
            let names = names();
            let near = vq7_isa::spelling::near(plain, names.iter().map(String::as_str));
            let near = near.into_iter().map(str::to_ascii_lowercase).collect();
            return Err(OpError::Unknown { name: name.to_owned(), near });
        }
    }
    if build.next < operands.len() {
        return Err(OpError::TooMany { most: build.next });
    }
    Ok(build.spec)
}

/// Every name, without the prefix, in upper case.
#[must_use]
pub fn names() -> Vec<String> {
    let mut names: Vec<String> = scalar::names().chain(memory::names()).chain(rows::names()).collect();
    names.sort();
    names
}

fn text_of(name: &str, operands: &[Operand]) -> String {
    let operands: Vec<_> = operands
        .iter()
        .map(|operand| match operand {
            Operand::Reg(cell) => cell.to_string(),
            Operand::Number(number) => number.to_string(),
            Operand::Target(bundle) => format!("@{bundle}"),
        })
        .collect();
    let space = if operands.is_empty() { "" } else { " " };
    format!("{}{space}{}", name.to_ascii_lowercase(), operands.join(", "))
}

/// An op that is being put together: takes its operands one by one.
struct Build<'a> {
    spec: OpSpec,
    operands: &'a [Operand],
    next: usize,
    params: &'a Params,
}

impl Build<'_> {
    fn wrong(&self, wanted: impl Into<String>) -> OpError {
        OpError::Operand { number: self.next + 1, wanted: wanted.into() }
    }

    fn cell(&mut self, bank: Bank) -> Result<Cell, OpError> {
        match self.operands.get(self.next) {
            Some(Operand::Reg(cell)) if cell.bank() == bank => {
                self.next += 1;
                Ok(*cell)
            }
            _ => {
                let first = bank.cell(0).map(|cell| cell.to_string()).unwrap_or_default();
                Err(self.wrong(format!("a register like {first}")))
            }
        }
    }

    /// The next operand is read at that stage; its place among the uses.
    fn uses(&mut self, bank: Bank, stage: u8) -> Result<u8, OpError> {
        let cell = self.cell(bank)?;
        Ok(self.also_uses(cell, stage))
    }

    /// A register that is read without being written down.
    fn also_uses(&mut self, cell: Cell, stage: u8) -> u8 {
        self.spec.uses.push((cell, stage));
        (self.spec.uses.len() - 1) as u8
    }

    /// The next operand is defined at that stage; its place among the definitions.
    fn defines(&mut self, bank: Bank, stage: u8) -> Result<u8, OpError> {
        let cell = self.cell(bank)?;
        Ok(self.also_defines(cell, stage))
    }

    fn also_defines(&mut self, cell: Cell, stage: u8) -> u8 {
        self.spec.defs.push((cell, stage));
        (self.spec.defs.len() - 1) as u8
    }

    fn number(&mut self, low: i64, high: i64) -> Result<i64, OpError> {
        match self.operands.get(self.next) {
            Some(Operand::Number(number)) if (low..=high).contains(number) => {
                self.next += 1;
                Ok(*number)
            }
            _ => Err(self.wrong(format!("a number from {low} to {high}"))),
        }
    }

    fn target(&mut self) -> Result<u32, OpError> {
        match self.operands.get(self.next) {
            Some(Operand::Target(bundle)) => {
                self.next += 1;
                Ok(*bundle)
            }
            _ => Err(self.wrong("a label")),
        }
    }

    /// The op acts at the execute stage of the vector side.
    fn acts(&mut self, action: Action) {
        self.spec.stage = EXECUTE;
        self.spec.action = action;
    }
}
