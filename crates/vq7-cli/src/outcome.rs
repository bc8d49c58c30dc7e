//! How a command ends.

use crate::terminal::say;
use std::fmt;
use std::path::Path;
use vq7_report::problem::{CallFailure, Mistake};

/// An answer was given.
#[derive(Debug)]
pub enum Outcome {
    /// Exit code 0.
    Done,
    /// Exit code 1: a word or a result failed.
    Failed(Failed),
}

/// What failed. The answer says it too, so that who reads both on one terminal is told the reason once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Which word or result, and the kind of failure.
    pub what: String,
    /// The reason, which text answers have as well.
    pub why: String,
    /// What the answer does not say.
    pub note: Option<&'static str>,
}

impl Failed {
    /// A failure of a kind, for a reason.
    pub fn new(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self { what: what.to_string(), why: why.to_string(), note: None }
    }

    /// The message: with the reason, unless the answer stands beside it.
    pub fn message(&self, answer_in_sight: bool) -> String {
        let Self { what, why, note } = self;
        let why = if answer_in_sight || why.is_empty() { String::new() } else { format!(": {why}") };
        let note = note.map(|note| format!("; {note}")).unwrap_or_default();
        format!("{what}{why}{note}")
    }
}

/// Exit code 2: the call failed. What was wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    failure: CallFailure,
    rendered: Option<String>,
}

impl CallError {
    fn of(kind: &'static str, message: impl fmt::Display) -> Self {
        let failure = CallFailure { kind, message: message.to_string(), mistakes: Vec::new() };
        Self { failure, rendered: None }
    }

    /// A call that cannot be answered.
    pub fn new(message: impl fmt::Display) -> Self {
        Self::of("call", message)
    }

    /// Something wrong with an argument: the place goes in front.
    pub fn at(place: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self::new(format_args!("{place}: {message}"))
    }

    /// Something wrong with a file.
    pub fn file(path: &Path, message: impl fmt::Display) -> Self {
        Self::of("file", format_args!("{}: {message}", path.display()))
    }

    /// Mistakes in a text, which are drawn already, with their own headings.
    pub fn syntax(message: impl fmt::Display, mistakes: Vec<Mistake>, rendered: String) -> Self {
        let failure = CallFailure { kind: "syntax", message: message.to_string(), mistakes };
        Self { failure, rendered: Some(rendered) }
    }

    /// Arguments that are none of the command's, drawn already.
    pub fn usage(rendered: String) -> Self {
        let message = rendered.strip_prefix("error: ").unwrap_or(&rendered);
        let ends = ["\n\nUsage:", "\n\nFor more information"].into_iter().filter_map(|tail| message.find(tail));
        let message = message.get(..ends.min().unwrap_or(message.len())).unwrap_or(message).trim().to_owned();
        Self { failure: CallFailure { kind: "usage", message, mistakes: Vec::new() }, rendered: Some(rendered) }
    }

    /// Writes the error to standard error.
    pub fn say(&self) {
        match &self.rendered {
            Some(rendered) => crate::terminal::write_err(rendered),
            None => say("error", &self.failure.message),
        }
    }

    /// The error for a machine.
    pub fn into_failure(self) -> CallFailure {
        self.failure
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.failure.message)
    }
}

impl std::error::Error for CallError {}
