//! What identifies a kit, and a shard of it.

use sha2::{Digest, Sha256};
use std::fmt;
use vq7_cases::Level;
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_policy::{Knob, Policy};

/// Version of the files' form. It changes when a field changes its meaning or its place.
pub const FORMAT_VERSION: u32 = 1;

/// Everything that decides the bytes of a kit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kit {
    /// The generation.
    pub generation: Generation,
    /// The open questions.
    pub policy: Policy,
    /// How the elements are weighted.
    pub level: Level,
    /// What chooses the bits that are any.
    pub seed: u64,
    /// Which cells.
    pub filter: Filter,
}

impl Kit {
    /// The name of the kit: the first 16 hex digits of a SHA-256 over all that decides its bytes, this version included.
    pub fn id(&self) -> String {
        let mut text = format!(
            "vq7-conform {FORMAT_VERSION} vq7 {} {} level {} seed {} filter {}",
            version(),
            self.generation.target(),
            level_number(self.level),
            self.seed,
            self.filter
        );
        for knob in Knob::ALL {
            text.push_str(&format!(" {}={}", knob.name(), self.policy.get(*knob)));
        }
        let mut id = hex(&Sha256::digest(text.as_bytes()));
        id.truncate(16);
        id
    }
}

/// This version of vq7.
pub const fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// 1 or 2.
pub const fn level_number(level: Level) -> u8 {
    match level {
        Level::One => 1,
        Level::Two => 2,
    }
}

/// The level of a number.
pub const fn level_of(number: u8) -> Option<Level> {
    match number {
        1 => Some(Level::One),
        2 => Some(Level::Two),
        _ => None,
    }
}

/// Bytes as hex digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Part `index` of `of`, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Shard {
    /// The kit in one piece.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// Reads `I/N`.
    ///
    /// # Errors
    /// Says what to write.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = || format!("`{text}` is not of the form I/N with I below N, for example 0/16");
        let (index, of) = text.split_once('/').ok_or_else(form)?;
        match (index.trim().parse(), of.trim().parse()) {
            (Ok(index), Ok(of)) if index < of => Ok(Self { index, of }),
            _ => Err(form()),
        }
    }

    /// The name of its folder: `shard-0003-of-0016`.
    pub fn folder(self) -> String {
        format!("shard-{:04}-of-{:04}", self.index, self.of)
    }

    /// Whether the thing of a number belongs to it. Every `of`-th does, so that each shard meets every op.
    pub fn has(self, number: u64) -> bool {
        number % u64::from(self.of.max(1)) == u64::from(self.index)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// Which cells: those of some ops and dtypes. Empty lists mean all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    ops: Vec<AluOp>,
    dtypes: Vec<Dtype>,
}

impl Filter {
    /// Reads `op=add,op=mult,dtype=float16`. A dtype admits the cells that have it on some operand.
    ///
    /// # Errors
    /// When it is not of the form, or names no op or dtype.
    pub fn parse(text: &str, policy: &Policy) -> Result<Self, String> {
        let mut filter = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match part.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
                Some(("op", name)) => filter.ops.push(AluOp::parse(name).map_err(|error| error.to_string())?),
                Some(("dtype", name)) => {
                    filter.dtypes.push(Dtype::parse(name, policy).map_err(|error| error.to_string())?);
                }
                _ => return Err(format!("`{part}` is neither op=NAME nor dtype=NAME; write op=add,dtype=float16")),
            }
        }
        filter.ops.sort_unstable();
        filter.ops.dedup();
        filter.dtypes.sort_unstable_by_key(|dtype| dtype.code());
        filter.dtypes.dedup();
        Ok(filter)
    }

    /// Whether it admits a cell.
    pub fn admits(&self, op: AluOp, types: [Dtype; 3]) -> bool {
        let has = |dtype: &Dtype| types.contains(dtype);
        (self.ops.is_empty() || self.ops.contains(&op)) && (self.dtypes.is_empty() || self.dtypes.iter().any(has))
    }

    /// Whether it admits everything.
    pub const fn is_all(&self) -> bool {
        self.ops.is_empty() && self.dtypes.is_empty()
    }
}

/// As it is read, ops first; `all` for everything.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_all() {
            return f.write_str("all");
        }
        let ops = self.ops.iter().map(|op| format!("op={op}"));
        let dtypes = self.dtypes.iter().map(|dtype| format!("dtype={dtype}"));
        f.write_str(&ops.chain(dtypes).collect::<Vec<_>>().join(","))
    }
}
