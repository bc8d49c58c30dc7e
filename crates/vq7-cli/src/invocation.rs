//! What all commands share: target, policy, form of the answer.

use crate::outcome::CallError;
use crate::terminal::{self, Color};
use clap::Args;
use serde::Serialize;
use vq7_isa::Generation;
use vq7_isa::legality::Engine;
use vq7_policy::{Knob, Policy};
use vq7_report::{Draw, Envelope, Look, Setting, TARGET_VARIABLE, TargetSource};

/// Where `--help` lists the options of every command: after those of the one that is asked about.
const GLOBAL: &str = "Options of every command";

/// Options of every command.
#[derive(Debug, Args)]
pub struct GlobalArgs {
    /// Target: trn1, trn2, trn3, mariana_plus, gen5, or a code name [default: trn2, or $NEURON_PLATFORM_TARGET_OVERRIDE]
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "TARGET", value_parser = Generation::parse)]
    target: Option<Generation>,
    /// Answer an open question, for example round=zero; may be given again (`vq7 policy` lists them)
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "KNOB=VALUE")]
    policy: Vec<String>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long, global = true, help_heading = GLOBAL)]
    json: bool,
    /// When to use colour
    #[arg(long, global = true, help_heading = GLOBAL, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
}

impl GlobalArgs {
    /// Whether the answer is for a machine.
    pub const fn is_json(&self) -> bool {
        self.json
    }
}

/// The option of commands that hold words against an engine's gate.
#[derive(Debug, Args)]
pub struct EngineArg {
    /// Engine whose rules count: any (structure only), pool (gpsimd) or dve (vector)
    #[arg(long, default_value = "any", value_name = "ENGINE", value_parser = parse_engine)]
    pub engine: Engine,
}

/// The engine of a name, for arguments.
///
/// # Errors
/// Says what to write.
pub fn parse_engine(name: &str) -> Result<Engine, String> {
    Engine::parse(name).ok_or_else(|| "use any, pool (gpsimd) or dve (vector)".to_owned())
}

/// One call: what it is asked under, and how it answers.
#[derive(Clone, Debug)]
pub struct Invocation {
    setting: Setting,
    insisted: Vec<Knob>,
    json: bool,
    look: Look,
    err_look: Look,
}

impl Invocation {
    /// Reads the shared options and the environment.
    ///
    /// # Errors
    /// When the environment names no target, or a policy names no knob or value.
    pub fn new(args: &GlobalArgs) -> Result<Self, CallError> {
        let mut policy = Policy::default();
        let mut insisted = Vec::new();
        for assignment in &args.policy {
            policy.set(assignment).map_err(|error| CallError::at("--policy", error))?;
            insisted.extend(assignment.split('=').next().map(str::trim).and_then(Knob::parse));
        }
        let (generation, target_source) = match args.target {
            Some(generation) => (generation, TargetSource::Flag),
            None => match target_of_environment()? {
                Some(generation) => (generation, TargetSource::Environment),
                None => (Setting::default().generation, TargetSource::Default),
            },
        };
        let setting = Setting { generation, target_source, engine: Engine::Any, policy };
        let (look, err_look) = terminal::looks(args.color);
        Ok(Self { setting, insisted, json: args.json, look, err_look })
    }

    /// What a question is asked under, for an engine.
    pub const fn setting(&self, engine: Engine) -> Setting {
        Setting { engine, ..self.setting }
    }

    /// The answers to open questions.
    pub const fn policy(&self) -> &Policy {
        &self.setting.policy
    }

    /// The knobs that the call sets, which a program's own lines do not change.
    pub fn insisted(&self) -> &[Knob] {
        &self.insisted
    }

    /// Whether the answer is for a machine.
    pub const fn is_json(&self) -> bool {
        self.json
    }

    /// How text on standard error looks.
    pub const fn err_look(&self) -> &Look {
        &self.err_look
    }

    /// Writes an answer to standard output.
    ///
    /// # Errors
    /// When standard output does not take it. A reader that went away is no error.
    pub fn answer<T: Serialize + Draw>(&self, answer: &T) -> Result<(), CallError> {
        match self.json {
            true => terminal::print_json(&Envelope::new(answer)),
            false => terminal::print_text(answer, &self.look),
        }
    }

    /// Says on standard error that the environment chose the target, where the answer itself has no place for it.
    pub fn say_target_source(&self) {
        if self.setting.target_source == TargetSource::Environment {
            terminal::say("note", &format!("target {} taken from {TARGET_VARIABLE}", self.setting.generation));
        }
    }
}

fn target_of_environment() -> Result<Option<Generation>, CallError> {
    let Some(name) = std::env::var_os(TARGET_VARIABLE).filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    let error =
        |error: &dyn std::fmt::Display| CallError::at(format_args!("environment variable {TARGET_VARIABLE}"), error);
    Generation::parse(&name.to_string_lossy()).map(Some).map_err(|unknown| error(&unknown))
}
