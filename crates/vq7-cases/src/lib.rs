//! The cases on which results are compared: numbered, named, and weighted towards where rules change.
//!
//! | module | owns |
//! |---|---|
//! | [`space`] | numbered cases with names: every pair of operands, or weighted ones |
//! | [`weighted`] | the elements of weighted cases |
//!
//! **Invariants:** a case is computed from its number alone. Nothing here computes a result, so that judges and judged
//! can both stand on it.

pub mod space;
pub mod weighted;

pub use space::{Case, CaseError, Coverage, Level, Question, Space, mix};
