//! Stages and penalties that no source settles, by name.

use super::{Bank, Cell};
use crate::mnemonic::{Body, Mnemonic};
use crate::placement::Placement;
use crate::work::OpSpec;
use std::fmt;

/// Parameters of the timing model (`docs/spec/iss-timing.md`, "Parameters").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Stage that defines fp add, sub, mul.
    pub fp_def: u8,
    /// Stage that defines the predicate of an fp compare.
    pub fp_compare_def: u8,
    /// Stage that defines alignment registers; 0: 9 for loads, 10 for stores.
    pub valign_def: u8,
    /// Stage at which AR is read for a move to a vector register.
    pub movva_use: u8,
    /// Stage that defines the control state.
    pub fcr_def: u8,
    /// Stage at which the control state is read.
    pub fcr_use: u8,
    /// Stage at which the status state is read.
    pub fsr_use: u8,
    /// Cycles that a taken branch costs beyond three.
    pub refill: u32,
    /// Cycles that a bundle with a memory op waits.
    pub memory_wait: u32,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            fp_def: 13,
            fp_compare_def: 10,
            valign_def: 0,
            movva_use: 3,
            fcr_def: 12,
            fcr_use: 10,
            fsr_use: 10,
            refill: 0,
            memory_wait: 0,
        }
    }
}

/// A parameter: its name, what it may be, what it means.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Name on the command line.
    pub name: &'static str,
    /// Smallest and largest value.
    pub range: (u32, u32),
    /// Meaning.
    pub meaning: &'static str,
    get: fn(&Params) -> u32,
    set: fn(&mut Params, u32),
}

impl Param {
    /// The value in `params`.
    #[must_use]
    pub fn value(&self, params: &Params) -> u32 {
        (self.get)(params)
    }
}

macro_rules! param {
    ($name:ident, $low:literal..=$high:literal, $meaning:literal) => {
        Param {
            name: stringify!($name),
            range: ($low, $high),
            meaning: $meaning,
            get: |params| params.$name.into(),
            set: |params, value| params.$name = value.try_into().unwrap_or_default(),
        }
    };
}

/// Every parameter.
pub const PARAMS: [Param; 9] = [
    param!(fp_def, 11..=13, "stage that defines fp add, sub, mul"),
    param!(fp_compare_def, 10..=11, "stage that defines the predicate of an fp compare"),
    param!(valign_def, 0..=12, "stage that defines alignment registers; 0: 9 for loads, 10 for stores"),
    param!(movva_use, 1..=10, "stage at which AR is read for a move to a vector register"),
    param!(fcr_def, 1..=13, "stage that defines the fp control state"),
    param!(fcr_use, 1..=10, "stage at which fp ops read the control state"),
    param!(fsr_use, 1..=10, "stage at which the fp status is read"),
    param!(refill, 0..=1000, "cycles that a taken branch costs beyond three"),
    param!(memory_wait, 0..=1000, "cycles that a bundle with a memory op waits for memory"),
];

/// Why a parameter was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamError {
    /// No parameter has the name.
    Unknown(String),
    /// The value is out of range.
    Range {
        /// Parameter.
        name: &'static str,
        /// Smallest and largest value.
        range: (u32, u32),
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Unknown(name) => {
                let names: Vec<_> = PARAMS.iter().map(|param| param.name).collect();
                write!(f, "no timing parameter is named `{name}`; there are {}", names.join(", "))
            }
            ParamError::Range { name, range } => write!(f, "{name} is a number from {} to {}", range.0, range.1),
        }
    }
}

impl std::error::Error for ParamError {}

impl Params {
    /// Puts the stages of these parameters into an op of a row.
    pub fn apply(&self, mnemonic: &Mnemonic, spec: &mut OpSpec) {
        let sums = ["ADD", "SUB", "MUL"].iter().any(|stem| mnemonic.name.starts_with(stem));
        let accumulates = ["MULAN", "MULSN"].iter().any(|stem| mnemonic.name.starts_with(stem));
        let is_sum = mnemonic.placement == Placement::Fma9 && sums && !accumulates;
        let is_compare = mnemonic.placement == Placement::FpCompare14;
        for (cell, stage) in &mut spec.defs {
            match cell.bank() {
                Bank::Vec if is_sum => *stage = self.fp_def,
                Bank::Vbool if is_compare => *stage = self.fp_compare_def,
                Bank::Valign if self.valign_def > 0 => *stage = self.valign_def,
                Bank::Fcr => *stage = self.fcr_def,
                _ => {}
            }
        }
        for (cell, stage) in &mut spec.uses {
            match *cell {
                Cell::FCR => *stage = self.fcr_use,
                Cell::FSR => *stage = self.fsr_use,
                cell if cell.bank() == Bank::Ar && matches!(mnemonic.body, Body::Spread(_)) => *stage = self.movva_use,
                _ => {}
            }
        }
    }

    /// Sets a parameter by its name.
    ///
    /// # Errors
    ///
    /// Unknown names, values out of range.
    pub fn set(&mut self, name: &str, value: u32) -> Result<(), ParamError> {
        let param = PARAMS.iter().find(|param| param.name == name);
        let param = param.ok_or_else(|| ParamError::Unknown(name.to_owned()))?;
        if !(param.range.0..=param.range.1).contains(&value) {
            return Err(ParamError::Range { name: param.name, range: param.range });
        }
        (param.set)(self, value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_set_by_its_name_and_within_its_range() {
        for param in &PARAMS {
            let mut params = Params::default();
            assert!((param.range.0..=param.range.1).contains(&param.value(&params)), "{}", param.name);
            params.set(param.name, param.range.0).expect("in range");
            assert_eq!(param.value(&params), param.range.0);
            assert!(params.set(param.name, param.range.1 + 1).is_err());
        }
        assert!(Params::default().set("speed", 1).is_err());
    }
}
