//! How sure we may be of a fact.

use std::fmt;

/// How sure a fact is. Ordered: `Low < Med < High`, so the confidence of a result is the minimum over what it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Our reading where sources are silent or contradict each other.
    Low,
    /// Inferred from facts that are sure.
    Med,
    /// Read from an artifact or stated by the vendor.
    High,
}

impl Confidence {
    /// `HIGH`, `MED` or `LOW`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "HIGH",
            Self::Med => "MED",
            Self::Low => "LOW",
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
