//! The row of a leaf, the functions behind it, and the macro that tables of rows are written with.

use super::bits::Bits;
use super::shape::{Kind, Port};
use crate::flags::{Flagged, Flags};
use vq7_policy::Confidence;

/// How well a leaf's rule is known (docs/spec/iss-leaves.md, "Grounds").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grounds {
    /// The source states it, at the level of executed code. Exact relative to the source, which is no vendor's.
    Exact,
    /// A corner of the rule was set by, or checked only against, the source's sample values.
    Fitted,
    /// Several statements of the source brought together, with a reason.
    Reconciled,
    /// The source is silent or contradicts itself; our reading.
    Assumed,
    /// Not modelled: no source gives the rule.
    Unknown,
}

impl Grounds {
    /// The name as tables print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Fitted => "fitted",
            Self::Reconciled => "reconciled",
            Self::Assumed => "assumed",
            Self::Unknown => "unknown",
        }
    }

    /// The degree that results built on it have at most.
    pub const fn confidence(self) -> Confidence {
        match self {
            Self::Exact => Confidence::High,
            Self::Fitted | Self::Reconciled => Confidence::Med,
            Self::Assumed | Self::Unknown => Confidence::Low,
        }
    }
}

/// Where a leaf's name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The source prints it.
    Printed,
    /// Formed like a printed sibling's: another width, sign or predicate.
    ByAnalogy,
    /// Ours: no leaf of the library, but something that the hardware does.
    Ours,
}

impl Origin {
    /// The name as tables print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::ByAnalogy => "by_analogy",
            Self::Ours => "ours",
        }
    }
}

/// What a lane leaf gives: a value, for some leaves a predicate field beside it, and the status flags. Fits two registers.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneOut {
    /// The data, or the predicate of a leaf that gives nothing else.
    pub value: u64,
    // Flags in the low byte, the predicate field above.
    rest: u32,
}

impl LaneOut {
    /// The predicate field of a leaf that gives a predicate and data.
    pub const fn predicate(self) -> u64 {
        (self.rest >> 8) as u64
    }

    /// The flags in the order of [`Flags::bits`].
    pub const fn flag_bits(self) -> u8 {
        self.rest as u8
    }

    /// The flags.
    pub const fn flags(self) -> Flags {
        Flags::from_bits(self.rest as u8)
    }
}

impl From<u64> for LaneOut {
    fn from(value: u64) -> Self {
        Self { value, rest: 0 }
    }
}

/// Predicate field and data.
impl From<(u64, u64)> for LaneOut {
    fn from((predicate, value): (u64, u64)) -> Self {
        Self { value, rest: (predicate as u32) << 8 }
    }
}

impl From<Flagged<u64>> for LaneOut {
    fn from(out: Flagged<u64>) -> Self {
        Self { value: out.value, rest: out.flags.bits().into() }
    }
}

/// A leaf on lanes of at most 64 bits: its inputs in order, zero for those that it has not. Total: bits above an input's
/// width are ignored. This is the hot entry: no allocation, everything in registers.
pub type LaneFn = fn(u64, u64, u64, u64) -> LaneOut;

/// A leaf with 96-bit accumulators: its inputs in order, the first one wide.
pub type Lane96Fn = fn(u128, u64, u64) -> u128;

/// A leaf on whole registers or with several results: inputs in order, outputs (flags left out) in order. The slices
/// have the lengths of the row.
pub type WholeFn = fn(&[Bits], &mut [Bits]);

/// How a leaf is computed.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// On one lane of at most 64 bits.
    Lane(LaneFn),
    /// On one lane with a 96-bit accumulator.
    Lane96(Lane96Fn),
    /// On whole registers.
    Whole(WholeFn),
    /// Not at all; what is missing.
    NotModelled(&'static str),
}

/// One leaf. All of them are the rows of the tables in this module's files; nothing else lists leaves.
#[derive(Debug)]
pub struct Leaf {
    /// The name, exactly as the value library has it.
    pub name: &'static str,
    /// Inputs in operand order; empty where the body is not modelled.
    pub inputs: &'static [Port],
    /// Outputs in the order of the name: flags, predicate, data.
    pub outputs: &'static [Port],
    /// The rule in words.
    pub rule: &'static str,
    /// The section of docs/spec/iss-leaves.md that has it.
    pub section: &'static str,
    /// How well the rule is known.
    pub grounds: Grounds,
    /// Where the name comes from.
    pub origin: Origin,
    /// The function.
    pub body: Body,
}

impl Leaf {
    /// The outputs that are no flags, in order: what [`super::Outputs::values`] holds.
    pub fn value_outputs(&self) -> impl Iterator<Item = &'static Port> + use<> {
        self.outputs.iter().filter(|port| port.kind != Kind::Flag)
    }

    /// The names of the flags that it can raise.
    pub fn flag_outputs(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.outputs.iter().filter(|port| port.kind == Kind::Flag).map(|port| port.name)
    }

    /// The typed entry for lanes of at most 64 bits.
    pub const fn lane(&self) -> Option<LaneFn> {
        if let Body::Lane(lane) = self.body { Some(lane) } else { None }
    }

    /// The typed entry for 96-bit accumulators.
    pub const fn lane96(&self) -> Option<Lane96Fn> {
        if let Body::Lane96(lane) = self.body { Some(lane) } else { None }
    }

    /// The typed entry for whole registers.
    pub const fn whole(&self) -> Option<WholeFn> {
        if let Body::Whole(whole) = self.body { Some(whole) } else { None }
    }

    /// Whether there is a function behind the name.
    pub const fn is_modelled(&self) -> bool {
        !matches!(self.body, Body::NotModelled(_))
    }
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Leaf {}

/// A table of leaves: groups of rows that share grounds, origin of the name, and rule.
///
/// A row is `name [outputs; inputs] kind(|a, b| value);` where kind is `lane`, `lane96` or `whole`.
macro_rules! leaves {
    (
        $section:literal;
        $($grounds:ident $origin:ident $rule:literal {
            $($name:ident [$($out:expr),*; $($in:expr),*] $kind:ident(|$($arg:ident),+| $value:expr);)+
        })+
    ) => {
        pub(super) static ROWS: &[$crate::leaf::Leaf] = &[$($(
            $crate::leaf::Leaf {
                name: stringify!($name),
                inputs: &[$($in),*],
                outputs: &[$($out),*],
                rule: $rule,
                section: $section,
                grounds: $crate::leaf::Grounds::$grounds,
                origin: $crate::leaf::Origin::$origin,
                body: $crate::leaf::row::body!($kind $($arg)+; $value),
            },
        )+)+];
    };
}

/// The function of a row, with the arguments that it does not name.
macro_rules! body {
    (lane $a:ident; $value:expr) => {
        $crate::leaf::Body::Lane(|$a, _, _, _| $crate::leaf::LaneOut::from($value))
    };
    (lane $a:ident $b:ident; $value:expr) => {
        $crate::leaf::Body::Lane(|$a, $b, _, _| $crate::leaf::LaneOut::from($value))
    };
    (lane $a:ident $b:ident $c:ident; $value:expr) => {
        $crate::leaf::Body::Lane(|$a, $b, $c, _| $crate::leaf::LaneOut::from($value))
    };
    (lane $a:ident $b:ident $c:ident $d:ident; $value:expr) => {
        $crate::leaf::Body::Lane(|$a, $b, $c, $d| $crate::leaf::LaneOut::from($value))
    };
    (lane96 $a:ident; $value:expr) => {
        $crate::leaf::Body::Lane96(|$a, _, _| $value)
    };
    (lane96 $a:ident $b:ident; $value:expr) => {
        $crate::leaf::Body::Lane96(|$a, $b, _| $value)
    };
    (lane96 $a:ident $b:ident $c:ident; $value:expr) => {
        $crate::leaf::Body::Lane96(|$a, $b, $c| $value)
    };
    (whole $in:ident $out:ident; $value:expr) => {
        $crate::leaf::Body::Whole(|$in, $out| $value)
    };
}

pub(super) use body;
pub(super) use leaves;
