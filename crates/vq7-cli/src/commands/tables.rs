//! `vq7 ops`, `vq7 dtypes`, `vq7 opcodes`, `vq7 policy`.

use crate::outcome::{CallError, Outcome};
use crate::session::Session;
use vq7_isa::legality::Engine;
use vq7_report::dtypes::Dtypes;
use vq7_report::opcodes::Opcodes;
use vq7_report::ops::Ops;
use vq7_report::policies::Policies;

/// The tables have no arguments of their own.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: vq7 ops --target trn2\nExample: vq7 policy --json")]
pub struct Args {}

/// Lists the ops.
pub fn ops(session: &Session) -> Result<Outcome, CallError> {
    session.answer(&Ops::new(session.setting(Engine::Any)))?;
    Ok(Outcome::Done)
}

/// Lists the dtypes.
pub fn dtypes(session: &Session) -> Result<Outcome, CallError> {
    session.answer(&Dtypes::new(session.setting(Engine::Any)))?;
    Ok(Outcome::Done)
}

/// Lists the opcodes.
pub fn opcodes(session: &Session) -> Result<Outcome, CallError> {
    session.answer(&Opcodes::new(session.setting(Engine::Any)))?;
    Ok(Outcome::Done)
}

/// Lists the open questions.
pub fn policy(session: &Session) -> Result<Outcome, CallError> {
    session.answer(&Policies::new(session.policy()))?;
    Ok(Outcome::Done)
}
