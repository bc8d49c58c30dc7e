//! A run as text.

use super::KEPT;
use super::{Dump, Reading, RunAnswer, WordRun};
use crate::look::{Draw, Look};
use std::fmt;
use vq7_engine::Certainty;

/// Bytes of a dump's line.
const DUMP_LINE: usize = 16;

impl Reading {
    /// `x[0..4] = [1, 2, 3, 4]`, and what was expected.
    pub(super) fn text(&self) -> String {
        let line = self.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        let count = self.found.as_ref().or(self.expected.as_ref()).map_or(0, Vec::len);
        let name = format!("{line}{}[{}..{}]", self.name, self.first, self.first + count);
        match (&self.found, &self.expected, &self.message) {
            (None, _, message) => format!("{line}{}", message.as_deref().unwrap_or("there are no values")),
            (Some(found), Some(expected), _) if !self.passed => match differing(found, expected) {
                Some((index, found, expected)) => {
                    format!("{line}{}[{}] is {found}, expected {expected}", self.name, self.first + index)
                }
                // Values that print alike differ in their bits: NaNs.
                None => format!("{name} prints as expected, but its bits differ: {}", list(self.bits.as_deref())),
            },
            (Some(found), Some(_), _) => {
                format!("{name} is {} as expected, bits {}", list(Some(found)), list(self.bits.as_deref()))
            }
            (Some(found), None, _) => {
                format!("{name} = {} ({}), bits {}", list(Some(found)), self.dtype, list(self.bits.as_deref()))
            }
        }
    }
}

fn differing<'a>(found: &'a [String], expected: &'a [String]) -> Option<(usize, &'a str, &'a str)> {
    let pairs = found.iter().zip(expected).enumerate();
    pairs
        .map(|(index, (found, expected))| (index, &found[..], &expected[..]))
        .find(|(_, found, expected)| found != expected)
}

fn list(values: Option<&[String]>) -> String {
    format!("[{}]", values.unwrap_or_default().join(", "))
}

impl WordRun {
    /// `word 1 at byte 0x40, line 3`.
    pub(super) fn place(&self) -> String {
        let line = self.line.map(|line| format!(", line {line}")).unwrap_or_default();
        format!("word {} at byte {:#x}{line}", self.index, self.offset)
    }

    /// Why it failed and what to do.
    pub(super) fn why(&self) -> String {
        let message = self.message.as_deref().unwrap_or_default();
        self.help.as_ref().map_or(message.to_owned(), |help| format!("{message}; {help}"))
    }
}

impl Draw for WordRun {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(
            out,
            "{} {}",
            look.bold(format_args!("{}:", self.place())),
            self.statement.as_deref().unwrap_or(&self.text)
        )?;
        match (&self.message, self.handler) {
            (Some(_), _) => writeln!(out, "  {}: {}", look.bad(self.status), self.why())?,
            (None, handler) => {
                let bound = if self.certainty == Some(Certainty::AtMost.name()) { "at most " } else { "" };
                let flags = match self.flags.as_slice() {
                    [] => String::new(),
                    flags => format!(", flags {bound}{}", flags.join(" ")),
                };
                let handler = handler.unwrap_or("no kernel");
                let elements = format!("{} x {} elements", self.channels, self.elements_per_channel);
                writeln!(out, "  {}, {handler}, {elements}{flags}", look.good("ran"))?;
            }
        }
        for warning in &self.warnings {
            writeln!(out, "  {}", look.warn(format_args!("warning: {warning}")))?;
        }
        self.device_log.iter().try_for_each(|line| writeln!(out, "  {}", look.dim(format_args!("| {line}"))))
    }
}

impl Dump {
    fn draw(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(out, "SBUF partition {}:", self.partition)?;
        for (index, line) in self.bytes.chunks(DUMP_LINE).enumerate() {
            writeln!(out, "  {:#07x}  {}", self.offset as usize + index * DUMP_LINE, line.join(" "))?;
        }
        Ok(())
    }
}

impl Draw for RunAnswer {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        self.draw_words(look, out)?;
        for shown in &self.shows {
            writeln!(out, "{}", shown.text())?;
        }
        for expectation in &self.expectations {
            match expectation.passed {
                true => writeln!(out, "{} {}", look.good("holds"), expectation.text())?,
                false => writeln!(out, "{} {}", look.bad("FAILS"), expectation.text())?,
            }
        }
        self.dumps.iter().try_for_each(|dump| dump.draw(out))?;
        for missing in &self.missing_outputs {
            writeln!(out, "{}", look.bad(format_args!("output without a value: {missing}")))?;
        }
        for written in &self.written {
            writeln!(out, "wrote {}: {}", written.path, written.kind)?;
        }
        for name in &self.not_written {
            writeln!(out, "output {name} is not written; give --out {name}=FILE")?;
        }
        let executor = self.executor.as_deref().map(|name| format!(" on {name}")).unwrap_or_default();
        let mut line = format!("{} of {} words ran{executor}", self.executed, self.words);
        for (count, what) in [(self.failed, "failed"), (self.skipped, "not tried")] {
            if count > 0 {
                line.push_str(&format!(", {count} {what}"));
            }
        }
        writeln!(out, "{}; flags: {}", look.bold(line), self.grounds.flags_text(&self.flags))?;
        for ran in self.paths.iter().filter(|ran| ran.why.is_some()) {
            writeln!(out, "some words ran on {}", ran.text)?;
        }
        self.grounds.draw(look, out)
    }
}

impl RunAnswer {
    /// All words of a short run in order; of a longer one the failures, then the words with remarks.
    fn draw_words(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        if self.complete {
            return self.results.iter().try_for_each(|word| word.draw(look, out));
        }
        let (failures, remarks): (Vec<_>, Vec<_>) = self.results.iter().partition(|word| word.message.is_some());
        failures.iter().take(KEPT).try_for_each(|word| word.draw(look, out))?;
        remarks.iter().try_for_each(|word| word.draw(look, out))?;
        let more = [(failures.len().saturating_sub(KEPT), "failures"), (self.not_listed, "words with remarks")];
        for (count, what) in more.into_iter().filter(|(count, _)| *count > 0) {
            writeln!(out, "{}", look.dim(format_args!("{count} more {what}; --verbose lists all")))?;
        }
        Ok(())
    }
}
