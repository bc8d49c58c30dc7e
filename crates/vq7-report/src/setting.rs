//! What a question is asked under: target, engine, policy; and who said so.

use crate::look::{Draw, Look};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use std::fmt;
use vq7_isa::Generation;
use vq7_isa::legality::{Bench, Engine};
use vq7_policy::Policy;

/// The environment variable that sets the default target.
pub const TARGET_VARIABLE: &str = "NEURON_PLATFORM_TARGET_OVERRIDE";

/// Who chose the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetSource {
    /// The caller, expressly.
    Flag,
    /// The environment variable.
    Environment,
    /// The program that was read.
    Program,
    /// Nobody.
    #[default]
    Default,
}

impl TargetSource {
    /// `flag`, the variable's name, `program` or `default`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => TARGET_VARIABLE,
            Self::Program => "program",
            Self::Default => "default",
        }
    }
}

impl Serialize for TargetSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What a question is asked under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The generation.
    pub generation: Generation,
    /// Who chose it.
    pub target_source: TargetSource,
    /// Whose rules a word is held against.
    pub engine: Engine,
    /// The answers to open questions.
    pub policy: Policy,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            generation: Generation::Cayman,
            target_source: TargetSource::Default,
            engine: Engine::Any,
            policy: Policy::default(),
        }
    }
}

impl Setting {
    /// The bench that judges under this setting.
    pub const fn bench(&self) -> Bench<'_> {
        Bench { generation: self.generation, engine: self.engine, policy: &self.policy }
    }
}

/// `target`, `code_name`, `target_source`, `engine`, and `policy`: the knobs that are not at their default.
impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Setting", 5)?;
        fields.serialize_field("target", self.generation.target())?;
        fields.serialize_field("code_name", self.generation.code_name())?;
        fields.serialize_field("target_source", &self.target_source)?;
        fields.serialize_field("engine", self.engine.name())?;
        fields.serialize_field("policy", &self.policy.changed())?;
        fields.end()
    }
}

/// One line, and one more for each thing that is not as usual.
impl Draw for Setting {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(out, "{}", look.dim(format_args!("target {}, engine {}", self.generation, self.engine.name())))?;
        match self.target_source {
            TargetSource::Environment => {
                writeln!(out, "{}", look.warn(format_args!("target taken from {TARGET_VARIABLE}")))?;
            }
            TargetSource::Program => writeln!(out, "{}", look.dim("target taken from the program"))?,
            TargetSource::Flag | TargetSource::Default => {}
        }
        let changed = self.policy.changed();
        if changed.is_empty() {
            return Ok(());
        }
        writeln!(out, "{}", look.warn(format_args!("policy {}", changed.join(" "))))
    }
}
