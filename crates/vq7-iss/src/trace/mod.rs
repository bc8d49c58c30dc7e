//! Traces: clients of the core's events, for the viewers that people use.
//!
//! | module | for |
//! |---|---|
//! | [`text`] | reading and comparing: one line per event |
//! | [`kanata`] | Konata: the pipeline, stalls on the second lane |
//! | [`perfetto`] | Perfetto and Chrome: a track per core and slot |
//! | [`svg`] | no tool at all: a chart of stages over cycles |
//!
//! The last three are drawn from a [`Timeline`], which listens to a run; what the ops are called comes from a [`Listing`].

pub mod kanata;
pub mod perfetto;
pub mod svg;
pub mod text;
mod timeline;

pub use timeline::{Timeline, Waited, Went};

/// What bundles and ops are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// One entry per bundle of the program.
    pub bundles: Vec<ListedBundle>,
}

/// A bundle in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedBundle {
    /// Format.
    pub format: String,
    /// Line of the source, 0 if there is none.
    pub line: u32,
    /// Ops in the order of slots.
    pub ops: Vec<ListedOp>,
}

/// An op in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedOp {
    /// Slot.
    pub slot: u8,
    /// Assembly text.
    pub text: String,
    /// The stage in which its deepest result, or what it sends out, is there.
    pub depth: u8,
}

impl Listing {
    /// The bundle, or an empty one.
    #[must_use]
    pub fn bundle(&self, bundle: u32) -> &ListedBundle {
        const NONE: &ListedBundle = &ListedBundle { format: String::new(), line: 0, ops: Vec::new() };
        self.bundles.get(bundle as usize).unwrap_or(NONE)
    }

    /// Assembly text of an op, or nothing.
    #[must_use]
    pub fn op(&self, bundle: u32, slot: u8) -> &str {
        self.bundle(bundle).ops.iter().find(|op| op.slot == slot).map_or("", |op| &op.text)
    }
}

/// Short names of the pipeline's stages; the scalar stages have letters.
pub const STAGES: [&str; 16] =
    ["I0", "A1", "2", "B3", "E4", "M5", "W6", "7", "8", "D9", "X10", "11", "12", "13", "14", "15"];
