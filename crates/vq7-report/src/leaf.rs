//! `leaf`: one value leaf called, and the roster of leaves.

use crate::look::{Draw, Look, put_table};
use crate::problem::Failure;
use serde::Serialize;
use std::fmt;
use vq7_isa::Dtype;
use vq7_num::leaf::{Bits, Kind, Leaf, LeafError, Outputs, Port};
use vq7_num::{format_value, parse_value};
use vq7_policy::Policy;

/// One input or output of a leaf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PortRow {
    /// `int`, `float`, `predicate`, `immediate`, `mode` or `flag`.
    pub kind: &'static str,
    /// Width in bits.
    pub width: u32,
    /// What it is called; empty for a plain operand.
    pub name: &'static str,
}

impl From<&Port> for PortRow {
    fn from(port: &Port) -> Self {
        Self { kind: port.kind.name(), width: port.bits, name: port.name }
    }
}

/// A leaf as the roster has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeafRow {
    /// The name.
    pub name: &'static str,
    /// Inputs in operand order.
    pub inputs: Vec<PortRow>,
    /// Outputs that are no flags, in order.
    pub outputs: Vec<PortRow>,
    /// The flags that it can raise.
    pub flags: Vec<&'static str>,
    /// The rule in words.
    pub rule: &'static str,
    /// `exact`, `fitted`, `reconciled`, `assumed` or `unknown`.
    pub grounds: &'static str,
    /// `HIGH`, `MED` or `LOW`.
    pub confidence: &'static str,
    /// Where the name comes from: `printed`, `by_analogy` or `ours`.
    pub origin: &'static str,
    /// The section of docs/spec/iss-leaves.md.
    pub section: &'static str,
    /// Whether there is a function behind the name.
    pub modelled: bool,
    #[serde(skip)]
    shape: [String; 2],
}

impl From<&Leaf> for LeafRow {
    fn from(leaf: &Leaf) -> Self {
        let shape = |ports: Vec<&Port>| {
            let all: Vec<_> = ports.into_iter().map(ToString::to_string).collect();
            if all.is_empty() { "-".to_owned() } else { all.join(" ") }
        };
        Self {
            name: leaf.name,
            inputs: leaf.inputs.iter().map(PortRow::from).collect(),
            outputs: leaf.value_outputs().map(PortRow::from).collect(),
            flags: leaf.flag_outputs().collect(),
            rule: leaf.rule,
            grounds: leaf.grounds.name(),
            confidence: leaf.grounds.confidence().name(),
            origin: leaf.origin.name(),
            section: leaf.section,
            modelled: leaf.is_modelled(),
            shape: [shape(leaf.inputs.iter().collect()), shape(leaf.value_outputs().collect())],
        }
    }
}

/// The roster.
#[derive(Clone, Debug, Serialize)]
pub struct Leaves {
    /// Every leaf.
    pub leaves: Vec<LeafRow>,
}

impl Leaves {
    /// All of them, those that are not modelled last.
    pub fn new() -> Self {
        Self { leaves: vq7_num::leaf::all().map(LeafRow::from).collect() }
    }
}

impl Default for Leaves {
    fn default() -> Self {
        Self::new()
    }
}

impl Draw for Leaves {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let mut table = look.table(&["leaf", "inputs", "outputs", "flags", "grounds", "name", "rule"]);
        for row in &self.leaves {
            let flags = if row.flags.is_empty() { "-".to_owned() } else { row.flags.join(" ") };
            let [inputs, outputs] = row.shape.clone();
            let cells =
                [row.name.into(), inputs, outputs, flags, row.grounds.into(), row.origin.into(), row.rule.into()];
            table.add_row(cells);
        }
        put_table(&table, out)?;
        let modelled = self.leaves.iter().filter(|row| row.modelled).count();
        writeln!(
            out,
            "{} leaves, {modelled} of them modelled; docs/spec/iss-leaves.md has the rules",
            self.leaves.len()
        )
    }
}

/// A value that went in or came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PortValue {
    /// What it is.
    #[serde(flatten)]
    pub port: PortRow,
    /// The bits, with as many hexadecimal digits as the width has.
    pub bits: String,
    /// A float as a number, where that was asked for.
    pub value: Option<String>,
    #[serde(skip)]
    label: String,
}

impl PortValue {
    fn new(port: &Port, bits: &Bits, as_float: bool) -> Self {
        let dtype = float_dtype(port).filter(|_| as_float);
        Self {
            port: PortRow::from(port),
            bits: bits.hex(port.bits),
            value: dtype.map(|dtype| format_value(bits.low_u64(), dtype, &Policy::default())),
            label: port.to_string(),
        }
    }

    fn text(&self) -> String {
        self.value.as_ref().map_or_else(|| self.bits.clone(), |value| format!("{} = {value}", self.bits))
    }
}

/// A leaf called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeafCalled {
    /// The leaf.
    #[serde(skip)]
    pub leaf: LeafRow,
    /// Its name.
    pub name: &'static str,
    /// The rule in words.
    pub rule: &'static str,
    /// The inputs.
    pub inputs: Vec<PortValue>,
    /// Whether the round mode was left out; it is then nearest even.
    pub mode_left_out: bool,
    /// The outputs that are no flags, in order; none where there is an error.
    pub outputs: Vec<PortValue>,
    /// The flags raised.
    pub flags: Vec<&'static str>,
    /// How the rule is known.
    pub grounds: &'static str,
    /// `HIGH`, `MED` or `LOW`.
    pub confidence: &'static str,
    /// Why there is no result: `unimplemented`.
    pub error: Option<Failure>,
}

/// The dtype that a float port's text has.
const fn float_dtype(port: &Port) -> Option<Dtype> {
    match port.kind {
        Kind::Float16 => Some(Dtype::Fp16),
        Kind::Float32 => Some(Dtype::Fp32),
        _ => None,
    }
}

/// An input as text: `0x..` a bit pattern, digits a number; a float's bit pattern, or with `as_float` its value. A negative
/// number is the pattern of the port's width.
///
/// # Errors
/// Says what is wrong with the text, and what to write.
fn parse_input(text: &str, port: &Port, as_float: bool) -> Result<Bits, String> {
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return Bits::from_hex(hex).ok_or_else(|| format!("`{text}` is no bit pattern of at most 1536 bits"));
    }
    if let Some(dtype) = float_dtype(port).filter(|_| as_float) {
        let bits = parse_value(text, dtype, &Policy::default()).map_err(|error| error.to_string())?;
        return Ok(Bits::from_u64(bits));
    }
    let number = digits.parse::<i128>().ok();
    match number {
        Some(number) if number >= 0 => Ok(Bits::from_u128(number.unsigned_abs())),
        Some(number) if port.bits <= 64 && number >= -(1 << (port.bits - 1)) => {
            Ok(Bits::from_u128(number as u128).truncated(port.bits))
        }
        Some(_) => Err(format!("{text} does not fit {port}")),
        None if float_dtype(port).is_some() => {
            Err(format!("`{text}` is no bit pattern such as 0x3f; to write floats as numbers, add --as-float"))
        }
        None => Err(format!("`{text}` is no bit pattern such as 0x3f and no integer")),
    }
}

impl LeafCalled {
    /// Calls the leaf of a name on inputs as text. A last round mode may be left out and is then nearest even.
    ///
    /// # Errors
    /// Says what is wrong with the name or with an input.
    pub fn new(name: &str, inputs: &[String], as_float: bool) -> Result<Self, String> {
        let leaf = vq7_num::leaf::named(name).map_err(|error| error.to_string())?;
        let mut values = Vec::new();
        for (index, (text, port)) in inputs.iter().zip(leaf.inputs).enumerate() {
            let at = |error| format!("input {} of {name}: {error}", index + 1);
            values.push(parse_input(text, port, as_float).map_err(at)?);
        }
        let last_is_mode = leaf.inputs.last().is_some_and(|port| port.kind == Kind::Mode);
        let mode_left_out = last_is_mode && inputs.len() + 1 == leaf.inputs.len();
        if mode_left_out {
            values.push(Bits::ZERO);
        }
        if leaf.is_modelled() && inputs.len() > leaf.inputs.len() {
            return Err(LeafError::Count { leaf, given: inputs.len() }.to_string());
        }
        let (result, error) = match leaf.call(&values) {
            Ok(outputs) => (Some(outputs), None),
            Err(error @ LeafError::Unimplemented { .. }) => {
                (None, Some(Failure { kind: "unimplemented", message: error.to_string() }))
            }
            Err(error) => return Err(error.to_string()),
        };
        let ports = leaf.inputs.iter().zip(&values);
        Ok(Self {
            leaf: LeafRow::from(leaf),
            name: leaf.name,
            rule: leaf.rule,
            inputs: ports.map(|(port, value)| PortValue::new(port, value, as_float)).collect(),
            mode_left_out,
            outputs: result.iter().flat_map(|result| outputs(leaf, result, as_float)).collect(),
            flags: result.iter().flat_map(|result| raised(leaf, result)).collect(),
            grounds: leaf.grounds.name(),
            confidence: leaf.grounds.confidence().name(),
            error,
        })
    }
}

fn outputs(leaf: &Leaf, result: &Outputs, as_float: bool) -> Vec<PortValue> {
    leaf.value_outputs().zip(&result.values).map(|(port, value)| PortValue::new(port, value, as_float)).collect()
}

/// The raised flags of those that the leaf has.
fn raised(leaf: &Leaf, result: &Outputs) -> Vec<&'static str> {
    let raised = result.flags.to_string();
    leaf.flag_outputs().filter(|flag| raised.split(' ').any(|name| name == *flag)).collect()
}

impl Draw for LeafCalled {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(out, "{}: {}", look.bold(self.name), self.rule)?;
        let note = |index: usize| match self.mode_left_out && index + 1 == self.inputs.len() {
            true => " (left out: nearest even)",
            false => "",
        };
        let width = self.inputs.iter().chain(&self.outputs).map(|value| value.label.len()).max().unwrap_or(0);
        for (index, input) in self.inputs.iter().enumerate() {
            writeln!(out, "  in     {:width$}  {}{}", input.label, input.text(), note(index))?;
        }
        for output in &self.outputs {
            writeln!(out, "  out    {:width$}  {}", output.label, output.text())?;
        }
        if let Some(error) = &self.error {
            return writeln!(out, "  {}", look.bad(error.text()));
        }
        if !self.leaf.flags.is_empty() {
            let flags = if self.flags.is_empty() { "none".to_owned() } else { self.flags.join(" ") };
            writeln!(out, "  flags  {flags}")?;
        }
        let Self { grounds, confidence, .. } = self;
        writeln!(out, "rule {grounds} (confidence {confidence}): docs/spec/iss-leaves.md, \"{}\"", self.leaf.section)
    }
}
