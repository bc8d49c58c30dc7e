//! `vq7 conform`: the conformance kit.
//!
//! | module | owns |
//! |---|---|
//! | [`generate`] | writes a shard |
//! | [`check`] | holds results against the kit, or the kit against this vq7 |
//! | [`run`] | drives another implementation and keeps what it answers |
//! | `client` | the other implementation as a process with time limits |
//! | `folder` | kits and results on disk |
//! | `pool` | work over threads, its results in order |

mod check;
mod client;
mod folder;
mod generate;
mod pool;
mod run;

use crate::invocation::Invocation;
use crate::outcome::{CallError, Failed, Outcome};
use clap::Subcommand;
use std::num::NonZero;
use vq7_conform::Filter;
use vq7_policy::Policy;
use vq7_report::conform::{ConformChecked, ConformStatus};

/// Arguments of `conform`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

/// What to do with a kit.
#[derive(Debug, Subcommand)]
enum Action {
    /// Write a shard of the kit: words, bytes before and bytes after of every legal cell
    Generate(generate::Args),
    /// Hold somebody's results against a kit; without --results, the kit against this vq7
    Check(check::Args),
    /// Drive another implementation over its standard input and output, and hold its results against the kit
    Run(run::Args),
}

/// Does it.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    match &args.action {
        Action::Generate(args) => generate::run(args, invocation),
        Action::Check(args) => check::run(args, invocation),
        Action::Run(args) => run::run(args, invocation),
    }
}

/// Threads to use.
fn threads(asked: Option<NonZero<usize>>) -> usize {
    asked.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get)
}

fn filter(text: Option<&str>, policy: &Policy) -> Result<Filter, CallError> {
    Filter::parse(text.unwrap_or_default(), policy).map_err(|error| CallError::at("--filter", error))
}

/// Gives the answer; anything but equality is a failure.
fn finish(checked: &ConformChecked, invocation: &Invocation) -> Result<Outcome, CallError> {
    invocation.answer(checked)?;
    Ok(match checked.status {
        ConformStatus::Equal => Outcome::Done,
        ConformStatus::Mismatch | ConformStatus::Incomplete => {
            Outcome::Failed(Failed::new(format_args!("{} does not agree", checked.producer), checked.summary()))
        }
    })
}
