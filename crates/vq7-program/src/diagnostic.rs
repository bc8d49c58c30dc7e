//! What is wrong with a program, where, and what to write instead.

use std::ops::Range;

/// Bytes of the source.
pub type Span = Range<usize>;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The bytes of the source that are wrong.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that is known.
    pub help: Option<String>,
}

impl Diagnostic {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Line and column of the start of the span, both from 1; columns count characters.
    pub fn line_and_column(&self, source: &str) -> (usize, usize) {
        line_and_column(source, self.span.start)
    }
}

/// Line and column of a byte of the source, both from 1.
pub fn line_and_column(source: &str, at: usize) -> (usize, usize) {
    let before = source.get(..at).unwrap_or(source);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// A result with what is wrong.
pub(crate) type Parsed<T> = Result<T, Diagnostic>;
