//! The conformance kit: cases of every legal cell with the bytes that must come out, and the comparison with what another
//! implementation gave.
//!
//! | module | owns |
//! |---|---|
//! | [`kit`] | what identifies a kit; a shard of it |
//! | [`plan`] | the cells that legality admits, and the cases dealt over them |
//! | [`shape`] | the pattern shapes |
//! | [`build`] | one case: its word, its bytes before and after |
//! | [`negative`] | words that a rule must refuse |
//! | [`record`] | the fixed-size record of a case |
//! | [`manifest`] | what a kit and its results say of themselves |
//! | [`write`](mod@write) | a shard as streams of bytes, hashed as they pass |
//! | [`check`] | results held against a shard |
//! | [`compare`] | one case: which elements differ, and how |
//! | [`protocol`] | the frames that drive another implementation |
//!
//! The format is documented in `docs/conformance.md`.
//!
//! **Invariants:** no I/O but on streams that are handed in, no threads, no clock. A case is computed from its number
//! alone: whoever builds it, in whatever order, gets the same bytes. No input makes this crate panic.

pub mod build;
pub mod check;
pub mod compare;
pub mod kit;
pub mod manifest;
pub mod negative;
pub mod plan;
pub mod protocol;
pub mod record;
pub mod shape;
pub mod write;

pub use build::{Builder, Built, CaseError};
pub use check::Tally;
pub use kit::{Filter, Kit, Shard};
pub use manifest::{Hashes, Manifest, ManifestError, ResultsManifest, TopManifest};
pub use negative::Negative;
pub use plan::{CaseSpec, Cell, Plan};
pub use record::Record;
pub use shape::Shape;
