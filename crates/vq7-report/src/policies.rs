//! `policy`: the open questions and how vq7 answers them.

use crate::look::{Draw, Look, put_table};
use crate::setting::Setting;
use serde::Serialize;
use std::fmt;
use vq7_policy::{Knob, Settled};

/// One knob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnobRow {
    /// The name in `--policy name=value`.
    pub name: &'static str,
    /// The value in force.
    pub value: &'static str,
    /// The value that vq7 ships.
    pub default: &'static str,
    /// The other values.
    pub alternatives: Vec<&'static str>,
    /// How sure the default is.
    pub confidence: &'static str,
    /// Why the default is what it is.
    pub reason: &'static str,
}

/// One choice without a switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SettledRow {
    /// The name that reports print.
    pub name: &'static str,
    /// What vq7 does.
    pub choice: &'static str,
    /// How sure it is.
    pub confidence: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// Every open question.
#[derive(Clone, Debug, Serialize)]
pub struct Policies {
    /// What the answers are given under.
    #[serde(flatten)]
    pub setting: Setting,
    /// Questions with a switch.
    pub knobs: Vec<KnobRow>,
    /// Questions without.
    pub settled: Vec<SettledRow>,
}

impl Policies {
    /// The tables, with the values of the setting's policy.
    pub fn new(setting: Setting) -> Self {
        let policy = &setting.policy;
        let knobs = Knob::ALL.iter().map(|knob| KnobRow {
            name: knob.name(),
            value: policy.get(*knob),
            default: knob.default_value(),
            alternatives: knob.values().iter().copied().filter(|value| *value != knob.default_value()).collect(),
            confidence: knob.confidence().name(),
            reason: knob.reason(),
        });
        let settled = Settled::ALL.iter().map(|fact| SettledRow {
            name: fact.name(),
            choice: fact.choice(),
            confidence: fact.confidence().name(),
            reason: fact.reason(),
        });
        Self { setting, knobs: knobs.collect(), settled: settled.collect() }
    }
}

impl Draw for Policies {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let mut table = look.table(&["knob", "value", "alternatives", "sure of the default", "reason"]);
        for row in &self.knobs {
            let value = match row.value == row.default {
                true => row.value.to_owned(),
                false => format!("{} (default {})", row.value, row.default),
            };
            table.add_row([row.name, &value, &row.alternatives.join(" "), row.confidence, row.reason]);
        }
        writeln!(out, "{}", look.bold("Questions with a switch: --policy knob=value"))?;
        put_table(&table, out)?;
        let mut table = look.table(&["name", "choice", "sure", "reason"]);
        for row in &self.settled {
            table.add_row([row.name, row.choice, row.confidence, row.reason]);
        }
        writeln!(out, "\n{}", look.bold("Questions without a switch"))?;
        put_table(&table, out)
    }
}
