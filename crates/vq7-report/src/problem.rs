//! What went wrong, in the one form that every answer has: a kind for machines, a message for people.

use serde::Serialize;

/// Why there is no result, or why it counts for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// `illegal`, `unspecified`, `divide_by_zero`, `mismatch`, ..
    pub kind: &'static str,
    /// What was wrong, where, and what to do.
    pub message: String,
}

impl Failure {
    /// The kind in front of the message.
    pub fn text(&self) -> String {
        format!("{}: {}", self.kind, self.message)
    }
}

/// A mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that is known.
    pub help: Option<String>,
}

/// Why a call could not be answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallFailure {
    /// `call`, `file`, `syntax` or `usage`.
    pub kind: &'static str,
    /// What was wrong, where, and what to do.
    pub message: String,
    /// The mistakes of a text; none for other kinds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<Mistake>,
}

/// The answer of a call that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Why.
    pub error: CallFailure,
}
