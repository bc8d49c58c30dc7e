//! `vq7 ops`, `vq7 dtypes`, `vq7 opcodes`, `vq7 policy`.

use crate::invocation::Invocation;
use crate::outcome::{CallError, Outcome};
use vq7_isa::legality::Engine;
use vq7_report::dtypes::Dtypes;
use vq7_report::opcodes::Opcodes;
use vq7_report::ops::Ops;
use vq7_report::policies::Policies;

/// The tables have no arguments of their own.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Lists the ops.
pub fn ops(invocation: &Invocation) -> Result<Outcome, CallError> {
    invocation.answer(&Ops::new(invocation.setting(Engine::Any)))?;
    Ok(Outcome::Done)
}

/// Lists the dtypes.
pub fn dtypes(invocation: &Invocation) -> Result<Outcome, CallError> {
    invocation.answer(&Dtypes::new(invocation.setting(Engine::Any)))?;
    Ok(Outcome::Done)
}

/// Lists the opcodes.
pub fn opcodes(invocation: &Invocation) -> Result<Outcome, CallError> {
    invocation.answer(&Opcodes::new(invocation.setting(Engine::Any)))?;
    Ok(Outcome::Done)
}

/// Lists the open questions.
pub fn policy(invocation: &Invocation) -> Result<Outcome, CallError> {
    invocation.answer(&Policies::new(invocation.setting(Engine::Any)))?;
    Ok(Outcome::Done)
}
