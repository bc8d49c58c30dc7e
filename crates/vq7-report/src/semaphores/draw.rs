//! The semaphores of a package as text.

use super::{Kind, Place, Resource, Semaphores, Unsatisfied, Why};
use crate::look::{Draw, Look, put_table};
use std::fmt;

/// So many words are named per semaphore.
const NAMED: usize = 6;
/// So many unsatisfied waits are shown.
const SHOWN: usize = 100;

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Semaphore => write!(f, "$S[{}]", self.index),
            Kind::Event => write!(f, "$E[{}]", self.index),
        }
    }
}

impl Unsatisfied {
    /// Who waits for what, and why that never ends.
    pub fn text(&self) -> String {
        let Place { member, index, action } = &self.place;
        let why = match self.why {
            Why::Impossible => "no value satisfies that",
            Why::NeverSignalled => "no word of the package signals it",
            Why::TooFewSignals => "all signals of the package together are too few",
            Why::Order => "the words that would signal it stand behind waits that never end",
        };
        format!("word {index} of {member} {action}: {why}")
    }
}

fn list(places: &[Place]) -> String {
    let mut names: Vec<_> =
        places.iter().take(NAMED).map(|place| format!("{}:{}", place.member, place.index)).collect();
    if let Some(more) = places.len().checked_sub(NAMED + 1) {
        names.push(format!("and {} more", more + 1));
    }
    names.join(" ")
}

impl Draw for Semaphores {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        if self.resources.is_empty() {
            writeln!(out, "no word waits or signals")?;
        } else {
            let mut table = look.table(&["", "signalled by (member:word)", "waited for by"]);
            for used in &self.resources {
                table.add_row([used.resource.to_string(), list(&used.signals), list(&used.waits)]);
            }
            put_table(&table, out)?;
        }
        for unsatisfied in self.unsatisfied.iter().take(SHOWN) {
            writeln!(out, "{}: {}", look.bad("unsatisfied"), unsatisfied.text())?;
        }
        if let Some(more) = self.unsatisfied.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            writeln!(out, "{more} more; --json lists them all")?;
        }
        self.notes.iter().try_for_each(|note| writeln!(out, "{}", look.dim(format_args!("note: {note}"))))
    }
}
