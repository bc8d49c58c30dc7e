//! What a rule is: a name, a check, and a witness that may record what the check looked at.

use super::Bench;
use crate::generation::{Generation, Geometry};
use std::fmt;
use vq7_policy::Policy;

/// One thing that a rule looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The field, such as `src0.num[1]`.
    pub field: String,
    /// Its byte offset in the word.
    pub offset: usize,
    /// What it holds.
    pub value: String,
    /// What the rule expects of it.
    pub expected: String,
    /// The inner check of the header that this is, where it has a name of its own.
    pub inner: Option<&'static str>,
    /// Whether it is as expected.
    pub passed: bool,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, offset, value, expected, inner, passed } = self;
        write!(f, "{field} (byte {offset}) is {value}")?;
        if !passed || inner.is_some() {
            write!(f, ", expected {expected}")?;
        }
        match inner {
            Some(inner) if !passed => write!(f, " ({inner})"),
            _ => Ok(()),
        }
    }
}

/// A rule's outcome on one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleOutcome {
    /// The header's name.
    pub name: &'static str,
    /// Whether the word passes.
    pub passed: bool,
    /// What the rule looked at, in order; the last entry is what made it fail.
    pub seen: Vec<Seen>,
}

impl RuleOutcome {
    /// What the rule looked at, as one line.
    pub fn saw(&self) -> String {
        let failing = self.seen.iter().find(|seen| !seen.passed);
        match failing {
            Some(seen) => seen.to_string(),
            None => self.seen.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        }
    }
}

/// Records what a rule looks at, or does not. With [`Silent`] the rules compile to bare comparisons.
pub(super) trait Witness: 'static {
    fn record(&mut self, seen: impl FnOnce() -> Seen);
}

/// Records nothing.
pub(super) struct Silent;

impl Witness for Silent {
    fn record(&mut self, _: impl FnOnce() -> Seen) {}
}

impl Witness for Vec<Seen> {
    fn record(&mut self, seen: impl FnOnce() -> Seen) {
        self.push(seen());
    }
}

/// What a rule is given.
pub(super) struct Case<'a, I> {
    pub inst: &'a I,
    pub generation: Generation,
    pub geometry: &'static Geometry,
    pub policy: &'a Policy,
}

impl<'a, I> Case<'a, I> {
    pub fn new(inst: &'a I, bench: &Bench<'a>) -> Self {
        Self { inst, generation: bench.generation, geometry: bench.generation.geometry(), policy: bench.policy }
    }
}

/// A named rule over one wire struct.
pub(super) struct Rule<I, W> {
    pub name: &'static str,
    pub check: fn(&Case<'_, I>, &mut W) -> bool,
}

/// Rules in order. `first_failed` runs the same checks as `rules` names, one after the other without a call between
/// them: a stream of words is judged several times faster than through the pointers.
pub(super) struct List<I: 'static, W: 'static> {
    pub rules: &'static [Rule<I, W>],
    pub first_failed: fn(&Case<'_, I>, &mut W) -> Option<&'static str>,
}

/// Rule lists, run one after the other.
pub(super) type Rules<I, W> = &'static [&'static List<I, W>];

/// Runs a check: what a closure's parameters are is known from the other arguments.
#[inline(always)]
pub(super) fn passes<I, W>(case: &Case<'_, I>, witness: &mut W, check: impl Fn(&Case<'_, I>, &mut W) -> bool) -> bool {
    check(case, witness)
}

/// `rules![name => check, ...]`: a static list.
macro_rules! rules {
    ($($name:expr => $check:expr),* $(,)?) => {
        const {
            &$crate::legality::rule::List {
                rules: &[$($crate::legality::rule::Rule { name: $name, check: $check }),*],
                first_failed: |case, witness| {
                    $(
                        if !$crate::legality::rule::passes(case, witness, $check) {
                            return Some($name);
                        }
                    )*
                    let _ = (case, witness);
                    None
                },
            }
        }
    };
}
pub(super) use rules;
