//! What goes into a leaf and what comes out: kinds, widths, names.

use std::fmt;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer or a bit pattern.
    Int,
    /// IEEE binary16.
    Float16,
    /// IEEE binary32.
    Float32,
    /// A lane's field of a predicate register: all ones for true, all zeros for false. Readers test bit 0.
    Predicate,
    /// A constant of the instruction.
    Immediate,
    /// A round mode: 0 nearest even, 1 toward zero, 2 up, 3 down.
    Mode,
    /// A status flag, named after it.
    Flag,
}

impl Kind {
    /// The name as tables print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Float16 | Self::Float32 => "float",
            Self::Predicate => "predicate",
            Self::Immediate => "immediate",
            Self::Mode => "mode",
            Self::Flag => "flag",
        }
    }

    /// The float format, for a float.
    pub const fn format(self) -> Option<&'static crate::Format> {
        match self {
            Self::Float16 => Some(&crate::format::FP16),
            Self::Float32 => Some(&crate::format::FP32),
            _ => None,
        }
    }
}

/// One input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// What it is.
    pub kind: Kind,
    /// Its width in bits.
    pub bits: u32,
    /// What it is called, where that says something: `acc`, `shift`, `vs`; empty for plain operands.
    pub name: &'static str,
}

impl Port {
    const fn new(kind: Kind, bits: u32) -> Self {
        Self { kind, bits, name: "" }
    }

    /// The same port with a name.
    pub(super) const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }
}

/// `int16`, `acc:int48`, `predicate2`, `flag:invalid`.
impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.name) {
            (Kind::Flag, name) => f.pad(&format!("flag:{name}")),
            (kind, "") => f.pad(&format!("{}{}", kind.name(), self.bits)),
            (kind, name) => f.pad(&format!("{name}:{}{}", kind.name(), self.bits)),
        }
    }
}

/// An integer of a width.
pub(super) const fn int(bits: u32) -> Port {
    Port::new(Kind::Int, bits)
}

/// A predicate field of a width.
pub(super) const fn predicate(bits: u32) -> Port {
    Port::new(Kind::Predicate, bits)
}

/// An immediate of a width.
pub(super) const fn immediate(bits: u32) -> Port {
    Port::new(Kind::Immediate, bits)
}

const fn flag(name: &'static str) -> Port {
    Port::new(Kind::Flag, 1).named(name)
}

pub(super) const I8: Port = int(8);
pub(super) const I16: Port = int(16);
pub(super) const I24: Port = int(24);
pub(super) const I32: Port = int(32);
pub(super) const I48: Port = int(48);
pub(super) const I64: Port = int(64);
pub(super) const I96: Port = int(96);
/// A whole vector register.
pub(super) const VEC: Port = int(512);
pub(super) const F16: Port = Port::new(Kind::Float16, 16);
pub(super) const F32: Port = Port::new(Kind::Float32, 32);
pub(super) const P1: Port = predicate(1);
pub(super) const P2: Port = predicate(2);
pub(super) const P4: Port = predicate(4);
pub(super) const RM: Port = Port::new(Kind::Mode, 2).named("mode");
pub(super) const INVALID: Port = flag("invalid");
pub(super) const OVERFLOW: Port = flag("overflow");
pub(super) const UNDERFLOW: Port = flag("underflow");
pub(super) const INEXACT: Port = flag("inexact");
