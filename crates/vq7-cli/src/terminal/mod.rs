//! What is written where.

pub mod diagnostics;
mod progress;

pub use progress::Progress;

use crate::outcome::CallError;
use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use serde::Serialize;
use std::fmt;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use vq7_report::{Draw, Look};

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How text on standard output and on standard error looks.
pub fn looks(color: Color) -> (Look, Look) {
    let look = |detected: ColorChoice, terminal: bool| Look {
        color: match color {
            Color::Auto => detected != ColorChoice::Never,
            Color::Always => true,
            Color::Never => false,
        },
        width: terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| width.0),
    };
    let (out, err) = (io::stdout(), io::stderr());
    (look(AutoStream::choice(&out), out.is_terminal()), look(AutoStream::choice(&err), err.is_terminal()))
}

/// Whether one pair of eyes sees both standard output and standard error.
pub fn shows_both() -> bool {
    io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// Writes an answer as JSON, with a line end.
///
/// # Errors
/// When standard output does not take it.
pub fn print_json<T: Serialize>(answer: &T) -> Result<(), CallError> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let written = serde_json::to_writer(&mut out, answer).map_err(io::Error::from);
    finish(written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()))
}

/// Writes an answer as text.
///
/// # Errors
/// When standard output does not take it.
pub fn print_text(answer: &impl Draw, look: &Look) -> Result<(), CallError> {
    let mut out = Bridge { out: BufWriter::with_capacity(1 << 16, io::stdout().lock()), failed: None };
    let drawn = answer.draw(look, &mut out);
    let written = match (drawn, out.failed.take()) {
        (_, Some(error)) => Err(error),
        (Err(_), None) => Err(io::Error::other("the answer cannot be drawn")),
        (Ok(()), None) => out.out.flush(),
    };
    finish(written)
}

/// Takes text and passes it to a stream; keeps the stream's error, which `fmt` cannot carry.
struct Bridge<W> {
    out: W,
    failed: Option<io::Error>,
}

impl<W: Write> fmt::Write for Bridge<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.failed = Some(error);
            fmt::Error
        })
    }
}

/// A reader that went away has read enough.
fn finish(written: io::Result<()>) -> Result<(), CallError> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(CallError::at("standard output", error)),
        Ok(()) => Ok(()),
    }
}

/// Writes one message to standard error.
pub fn say(kind: &str, message: &str) {
    write_err(&format!("{kind}: {message}\n"));
}

/// Writes to standard error as it is. When even that fails there is nobody left to tell.
pub fn write_err(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
