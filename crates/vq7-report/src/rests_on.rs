//! What a result rests on, and how sure that is.

use crate::look::Look;
use serde::Serialize;
use std::fmt;
use vq7_isa::Generation;
use vq7_num::{Basis, Flags};
use vq7_policy::{Confidence, Knob, Policy, Settled};

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

/// Whether grounds are those of the data at hand or of any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Of these operands.
    These,
    /// Of any operands: what a result can rest on.
    Any,
}

impl Scope {
    const fn verb(self) -> &'static str {
        match self {
            Self::These => "rests on",
            Self::Any => "may rest, depending on the data, on",
        }
    }
}

/// Everything that a result rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RestsOn {
    /// Knobs first, then settled choices.
    pub rests_on: Vec<Ground>,
    /// The weakest of them; `HIGH` when there is none, nothing when there is no result.
    pub confidence: Option<&'static str>,
}

impl RestsOn {
    /// The grounds of a basis. From MARIANA on a result that depends on the e4m3 flavour also rests on which flavour
    /// the generation has.
    pub fn new(basis: &Basis, generation: Generation, policy: &Policy) -> Self {
        let mut basis = basis.clone();
        let open = Settled::E4m3OnMariana;
        if generation >= Generation::Mariana && basis.knobs.contains(&Knob::e4m3) && !basis.settled.contains(&open) {
            basis.settled.push(open);
        }
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
        Self { rests_on: knobs.chain(settled).collect(), confidence: Some(basis.confidence().name()) }
    }

    /// Of a result that does not exist.
    pub const fn nothing() -> Self {
        Self { rests_on: Vec::new(), confidence: None }
    }

    /// Whether the result rests on a guess.
    pub fn is_low(&self) -> bool {
        self.confidence == Some(Confidence::Low.name())
    }

    /// A line per ground, and a loud one when the result rests on a guess.
    pub(crate) fn draw(&self, scope: Scope, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let Some(confidence) = self.confidence else { return Ok(()) };
        if self.rests_on.is_empty() {
            return writeln!(out, "{} nothing that is open (confidence {confidence})", scope.verb());
        }
        writeln!(out, "{} (confidence {confidence}):", scope.verb())?;
        for ground in &self.rests_on {
            let Ground { name, kind, value, confidence, reason } = ground;
            let sign = if *kind == "knob" { "=" } else { ": " };
            writeln!(out, "  {confidence:<4} {kind:<7} {name}{sign}{value} {}", look.dim(format_args!("({reason})")))?;
        }
        if self.is_low() {
            let low = self.rests_on.iter().filter(|ground| Some(ground.confidence) == self.confidence);
            let names: Vec<_> = low.map(|ground| ground.name).collect();
            let names = names.join(", ");
            let line = match scope {
                Scope::These => format!("LOW CONFIDENCE: no source settles {names}; the device may differ"),
                Scope::Any => format!("LOW CONFIDENCE where data touches {names}: the device may differ there"),
            };
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
    fn from_mariana_on_the_e4m3_flavour_is_open() {
        let basis = Basis { knobs: vec![Knob::e4m3], settled: Vec::new() };
        let policy = Policy::default();
        assert_eq!(RestsOn::new(&basis, Generation::Cayman, &policy).confidence, Some("HIGH"));
        let on_mariana = RestsOn::new(&basis, Generation::Mariana, &policy);
        assert!(on_mariana.is_low());
        assert_eq!(on_mariana.rests_on.len(), 2);
    }

    #[test]
    fn flags_are_a_list() {
        assert!(flag_names(Flags::NONE).is_empty());
        assert_eq!(flag_names(Flags::OVERFLOW), ["overflow", "inexact"]);
    }
}
