//! One op: a mnemonic and its operands.

use super::action;
use crate::mnemonic::{Mnemonic, Operand, Role};
use crate::timing::{Bank, Cell};
use crate::work::OpSpec;
use std::fmt;

/// An operand's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A register.
    Reg(Cell),
    /// A constant, in the unit of the assembly text (bytes for the constants of addresses).
    Imm(i64),
    /// A bundle of the program.
    Label(u32),
}

/// `v3`, `64`, `@12`
impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reg(cell) => cell.fmt(f),
            Self::Imm(value) => value.fmt(f),
            Self::Label(bundle) => write!(f, "@{bundle}"),
        }
    }
}

/// A mnemonic with operands that fit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    /// The row.
    pub mnemonic: &'static Mnemonic,
    args: Vec<Arg>,
}

/// Why operands do not fit a mnemonic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpError {
    /// Too few or too many.
    Count {
        /// The mnemonic's text.
        name: String,
        /// How many it has.
        wanted: usize,
        /// How many were given.
        given: usize,
    },
    /// A register of another file, a constant where a register belongs, or the reverse.
    Kind {
        /// The mnemonic's text.
        name: String,
        /// Which operand, from 0.
        index: usize,
        /// What belongs there.
        wanted: String,
        /// What was given.
        given: String,
    },
    /// A constant that the field cannot hold.
    Range {
        /// The mnemonic's text.
        name: String,
        /// Which operand, from 0.
        index: usize,
        /// The constant.
        given: i64,
        /// What the field holds.
        wanted: String,
    },
}

impl OpError {
    /// Which operand it is about, from 0.
    #[must_use]
    pub const fn operand(&self) -> Option<usize> {
        match self {
            Self::Count { .. } => None,
            Self::Kind { index, .. } | Self::Range { index, .. } => Some(*index),
        }
    }
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { name, wanted, given } => write!(f, "{name} has {wanted} operands, not {given}"),
            Self::Kind { name, index, wanted, given } => {
                write!(f, "operand {} of {name} is {wanted}, not {given}", index + 1)
            }
            Self::Range { name, index, given, wanted } => {
                write!(f, "operand {} of {name} is {wanted}; {given} is not", index + 1)
            }
        }
    }
}

impl std::error::Error for OpError {}

impl Op {
    /// An op, its operands in the order of the assembly text.
    ///
    /// # Errors
    /// [`OpError`].
    pub fn new(mnemonic: &'static Mnemonic, args: &[Arg]) -> Result<Self, OpError> {
        if args.len() != mnemonic.operands.len() {
            let (wanted, given) = (mnemonic.operands.len(), args.len());
            return Err(OpError::Count { name: mnemonic.text(), wanted, given });
        }
        for (index, (operand, arg)) in mnemonic.operands.iter().zip(args).enumerate() {
            fits(mnemonic, index, operand, *arg)?;
        }
        Ok(Self { mnemonic, args: args.to_vec() })
    }

    /// Its operands.
    #[must_use]
    pub fn args(&self) -> &[Arg] {
        &self.args
    }

    fn registers(&self) -> impl Iterator<Item = (&'static Operand, Cell)> {
        self.mnemonic.operands.iter().zip(&self.args).filter_map(|(operand, arg)| match arg {
            Arg::Reg(cell) => Some((operand, *cell)),
            Arg::Imm(_) | Arg::Label(_) => None,
        })
    }

    /// Registers that it writes, in the order of operands; the sticky flags, which many ops may write at once, left out.
    pub fn written(&self) -> impl Iterator<Item = Cell> {
        self.registers().filter(|(operand, _)| operand.def_stage > 0).map(|(_, cell)| cell)
    }

    /// Registers that it reads with the stages, in the order of operands.
    #[must_use]
    pub fn uses(&self) -> Vec<(Cell, u8)> {
        let own = self.registers().filter(|(operand, _)| operand.use_stage > 0);
        own.map(|(operand, cell)| (cell, operand.use_stage)).chain(action::control_use(self.mnemonic)).collect()
    }

    /// Registers that it writes with the stages, in the order of operands, the sticky flags last.
    #[must_use]
    pub fn defs(&self) -> Vec<(Cell, u8)> {
        let own = self.registers().filter(|(operand, _)| operand.def_stage > 0);
        own.map(|(operand, cell)| (cell, operand.def_stage)).chain(action::status_def(self.mnemonic)).collect()
    }

    /// The op ready for a program.
    #[must_use]
    pub fn spec(&self, slot: u8) -> OpSpec {
        action::spec(self, slot)
    }
}

/// `ivp_addnx16 v3, v1, v2`
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mnemonic.text())?;
        for (index, arg) in self.args.iter().enumerate() {
            write!(f, "{} {arg}", if index > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

/// The least and the largest constant of a field, and what its constants are a multiple of.
#[must_use]
pub const fn range(bits: u8, signed: bool, scale: u16) -> (i64, i64, i64) {
    let (low, high) = match signed {
        true => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
        false => (0, (1i64 << bits) - 1),
    };
    (low * scale as i64, high * scale as i64, scale as i64)
}

fn fits(mnemonic: &'static Mnemonic, index: usize, operand: &Operand, arg: Arg) -> Result<(), OpError> {
    let kind = |wanted: String| OpError::Kind { name: mnemonic.text(), index, wanted, given: arg.to_string() };
    match (operand.role, arg) {
        (Role::Immediate { bits, signed, scale }, Arg::Imm(value)) => {
            let (low, high, step) = range(bits, signed, scale);
            if (low..=high).contains(&value) && value % step == 0 {
                return Ok(());
            }
            let multiple = if step > 1 { format!(", a multiple of {step}") } else { String::new() };
            let wanted = format!("a constant from {low} to {high}{multiple}");
            Err(OpError::Range { name: mnemonic.text(), index, given: value, wanted })
        }
        (Role::Immediate { .. }, _) => Err(kind("a constant".to_owned())),
        (Role::Label, Arg::Label(_)) => Ok(()),
        (Role::Label, _) => Err(kind("a label".to_owned())),
        (_, Arg::Reg(cell)) if cell.bank() == operand.bank => match operand.bank {
            // The window of the scalar file shows sixteen registers.
            Bank::Ar if cell.reg() > 15 => Err(kind("a register from a0 to a15".to_owned())),
            _ => Ok(()),
        },
        _ => {
            let name = operand.bank.cell(0).map_or_else(String::new, |cell| cell.to_string());
            let wanted = match operand.bank.is_state() {
                true => name,
                false => format!(
                    "a register {}0 to {}{}",
                    name.trim_end_matches('0'),
                    name.trim_end_matches('0'),
                    operand.bank.entries() - 1
                ),
            };
            Err(kind(wanted))
        }
    }
}
