//! How a command ends.

use crate::terminal::say;
use std::fmt;
use std::path::Path;

/// An answer was given.
#[derive(Debug)]
pub enum Outcome {
    /// Exit code 0.
    Done,
    /// Exit code 1: a word or a result failed. The message says which and why.
    Failed(String),
}

/// Exit code 2: the call failed. What was wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    message: String,
    rendered: bool,
}

impl CallError {
    /// A call that cannot be answered.
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), rendered: false }
    }

    /// Something wrong with a file or with an argument: the place goes in front.
    pub fn at(place: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self::new(format_args!("{place}: {message}"))
    }

    /// Something wrong with a file.
    pub fn file(path: &Path, message: impl fmt::Display) -> Self {
        Self::at(path.display(), message)
    }

    /// Diagnostics that are drawn already, with their own headings.
    pub const fn rendered(message: String) -> Self {
        Self { message, rendered: true }
    }

    /// Writes the error to standard error.
    pub fn say(&self) {
        match self.rendered {
            true => crate::terminal::write_err(&self.message),
            false => say("error", &self.message),
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CallError {}
