//! The object that a machine reads: an answer with the version of its form.

use serde::Serialize;

/// Version of the serialised form. It changes when a field changes its meaning or goes away, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// An answer with `schema_version` in front.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Envelope<'a, T> {
    schema_version: u32,
    #[serde(flatten)]
    answer: &'a T,
}

impl<'a, T: Serialize> Envelope<'a, T> {
    /// Wraps an answer.
    pub const fn new(answer: &'a T) -> Self {
        Self { schema_version: SCHEMA_VERSION, answer }
    }
}
