//! How text looks: with or without colour, and how wide.

use comfy_table::presets::{NOTHING, UTF8_FULL_CONDENSED};
use comfy_table::{ContentArrangement, Table};
use owo_colors::Style;
use std::fmt;

/// How to draw. A report is told; it does not look at the terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Whether to mark words with ANSI colours.
    pub color: bool,
    /// Columns of the terminal; `None` in a pipe, where lines are as long as they are.
    pub width: Option<u16>,
}

/// Text of an answer.
pub trait Draw {
    /// Writes the answer as text, each line with its end.
    ///
    /// # Errors
    /// When `out` does not take the text.
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result;

    /// The answer as text of its own.
    fn text(&self, look: &Look) -> String {
        let mut text = String::new();
        // A string takes everything.
        let _ = self.draw(look, &mut text);
        text
    }
}

/// A word with its colour, if any.
pub struct Painted<T> {
    text: T,
    style: Option<Style>,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.style {
            Some(style) => write!(f, "{}", style.style(&self.text)),
            None => self.text.fmt(f),
        }
    }
}

impl Look {
    /// No colour, no width: what a pipe gets.
    pub const PLAIN: Self = Self { color: false, width: None };

    fn paint<T>(&self, text: T, style: Style) -> Painted<T> {
        Painted { text, style: self.color.then_some(style) }
    }

    /// Something that is as it should be.
    pub fn good<T>(&self, text: T) -> Painted<T> {
        self.paint(text, Style::new().green())
    }

    /// A failure.
    pub fn bad<T>(&self, text: T) -> Painted<T> {
        self.paint(text, Style::new().red().bold())
    }

    /// Something to look at twice.
    pub fn warn<T>(&self, text: T) -> Painted<T> {
        self.paint(text, Style::new().yellow())
    }

    /// Something that may be skipped.
    pub fn dim<T>(&self, text: T) -> Painted<T> {
        self.paint(text, Style::new().dimmed())
    }

    /// A headline.
    pub fn bold<T>(&self, text: T) -> Painted<T> {
        self.paint(text, Style::new().bold())
    }

    /// An empty table: lines and wrapping on a terminal, bare columns in a pipe.
    pub(crate) fn table(&self, header: &[&str]) -> Table {
        let mut table = Table::new();
        match self.width {
            Some(width) => {
                table
                    .load_style(UTF8_FULL_CONDENSED)
                    .set_content_arrangement(ContentArrangement::Dynamic)
                    .set_width(width.max(40));
            }
            None => {
                table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
            }
        }
        table.set_header(header.iter().copied());
        table
    }
}

/// Writes a table without white space at the ends of lines.
pub(crate) fn put_table(table: &Table, out: &mut dyn fmt::Write) -> fmt::Result {
    table.lines().try_for_each(|line| writeln!(out, "{}", line.trim_end()))
}
