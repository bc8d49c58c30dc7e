//! What a result rests on, and how sure that is.

use crate::look::Look;
use serde::Serialize;
use std::fmt;
use vq7_engine::Certainty;
use vq7_num::{Basis, Flags};
use vq7_policy::{Confidence, Policy};

/// One thing that a result rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ground {
    /// The name of the knob or of the settled choice.
    pub name: &'static str,
    /// `knob` or `settled`.
    pub kind: &'static str,
    /// What vq7 does here.
    pub value: &'static str,
    /// `HIGH`, `MED` or `LOW`.
    pub confidence: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// Everything that a result rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RestsOn {
    /// Knobs first, then settled choices.
    pub rests_on: Vec<Ground>,
    /// The weakest of them; `HIGH` when there is none, nothing when there is no result.
    pub confidence: Option<&'static str>,
    /// Whether bytes that nothing wrote were read as zeros.
    pub uninitialised_reads: bool,
    /// `exact`: some element raised each flag and rests on each ground. `at_most`: no others can have been, whatever the
    /// data; the executor did not look at each element. The confidence is then the lowest that it can be.
    pub certainty: &'static str,
}

impl RestsOn {
    /// The grounds of a basis.
    pub fn new(basis: &Basis, policy: &Policy) -> Self {
        let knobs = basis.knobs.iter().map(|knob| Ground {
            name: knob.name(),
            kind: "knob",
            value: policy.get(*knob),
            confidence: knob.confidence().name(),
            reason: knob.reason(),
        });
        let settled = basis.settled.iter().map(|fact| Ground {
            name: fact.name(),
            kind: "settled",
            value: fact.choice(),
            confidence: fact.confidence().name(),
            reason: fact.reason(),
        });
        Self {
            rests_on: knobs.chain(settled).collect(),
            confidence: Some(basis.confidence().name()),
            uninitialised_reads: false,
            certainty: Certainty::Exact.name(),
        }
    }

    /// The grounds, meant in this way.
    #[must_use]
    pub fn with(self, certainty: Certainty) -> Self {
        Self { certainty: certainty.name(), ..self }
    }

    fn is_bound(&self) -> bool {
        self.certainty == Certainty::AtMost.name()
    }

    /// Flags as text: `none`, `inexact`, `at most invalid inexact`.
    pub(crate) fn flags_text(&self, flags: &[String]) -> String {
        match (flags, self.is_bound()) {
            ([], _) => "none".to_owned(),
            (flags, false) => flags.join(" "),
            (flags, true) => format!("at most {}", flags.join(" ")),
        }
    }

    /// Of a result that does not exist.
    pub const fn nothing() -> Self {
        Self { rests_on: Vec::new(), confidence: None, uninitialised_reads: false, certainty: Certainty::Exact.name() }
    }

    /// Whether the result rests on a guess.
    pub fn is_low(&self) -> bool {
        self.confidence == Some(Confidence::Low.name())
    }

    /// A line per ground, and a loud one when the result rests on a guess.
    pub(crate) fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let Some(confidence) = self.confidence else { return Ok(()) };
        if self.uninitialised_reads {
            let line = "rests on zeros in place of bytes that nothing wrote (--allow-uninit)";
            writeln!(out, "{}", look.warn(line))?;
            if self.rests_on.is_empty() {
                return Ok(());
            }
        }
        if self.rests_on.is_empty() {
            return writeln!(out, "rests on nothing that is open (confidence {confidence})");
        }
        let bound = if self.is_bound() { (" at most", "at least ") } else { ("", "") };
        writeln!(out, "rests{} on (confidence {}{confidence}):", bound.0, bound.1)?;
        for ground in &self.rests_on {
            let Ground { name, kind, value, confidence, reason } = ground;
            let sign = if *kind == "knob" { "=" } else { ": " };
            writeln!(out, "  {confidence:<4} {kind:<7} {name}{sign}{value} {}", look.dim(format_args!("({reason})")))?;
        }
        if self.is_low() {
            let low = self.rests_on.iter().filter(|ground| Some(ground.confidence) == self.confidence);
            let names: Vec<_> = low.map(|ground| ground.name).collect();
            let line = format!("LOW CONFIDENCE: no source settles {}; the device may differ", names.join(", "));
            writeln!(out, "{}", look.bad(line))?;
        }
        Ok(())
    }
}

/// The raised flags by name.
pub fn flag_names(flags: Flags) -> Vec<String> {
    if flags.is_empty() { Vec::new() } else { flags.to_string().split(' ').map(str::to_owned).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_a_list() {
        assert!(flag_names(Flags::NONE).is_empty());
        assert_eq!(flag_names(Flags::OVERFLOW), ["overflow", "inexact"]);
    }
}
