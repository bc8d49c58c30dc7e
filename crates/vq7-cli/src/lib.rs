//! The command line of vq7: arguments, files and terminals. What it answers, the libraries below it find out.
//!
//! | folder | owns |
//! |---|---|
//! | [`commands`] | one file per command: its arguments, and the calls that answer it |
//! | [`files`] | words, arrays and outputs on disk |
//! | [`terminal`] | what is written where: answers, errors, progress |
//!
//! **Invariants:** answers go to standard output and nothing else does; with `--json` that is one object, also when the
//! call failed; every exit code but 0 comes with a message on standard error; no input makes it panic.

pub mod commands;
mod executors;
pub mod files;
pub mod invocation;
pub mod outcome;
pub mod terminal;

use clap::Parser;
use commands::Command;
use invocation::{GlobalArgs, Invocation};
use outcome::{CallError, Outcome};
use std::process::ExitCode;
use terminal::say;
use vq7_report::Envelope;
use vq7_report::problem::Refusal;

/// Check, read, explain and run 64-byte tensor-tensor words of Vision-Q7 engines, bit for bit.
#[derive(Debug, Parser)]
#[command(
    name = "vq7",
    version,
    propagate_version = true,
    after_help = "Exit codes: 0 done, 1 a word or a result failed, 2 the call failed.\n\
                  Example: vq7 tt --op add_int --a a.npy --b b.npy --out c.npy"
)]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: Command,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && asks_for_json(std::env::args_os().skip(1)) => {
            return refuse(CallError::usage(error.to_string()), true);
        }
        Err(error) => {
            // Help and versions are answers; a pipe that is closed needs none.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match Invocation::new(&cli.global).and_then(|invocation| cli.command.run(&invocation)) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Failed(failed)) => {
            say("failed", &failed.message(!cli.global.is_json() && terminal::shows_both()));
            ExitCode::from(1)
        }
        Err(error) => refuse(error, cli.global.is_json()),
    }
}

/// Says why a call failed: in prose on standard error, and for a machine as the one object on standard output.
fn refuse(error: CallError, json: bool) -> ExitCode {
    error.say();
    if json {
        // A standard output that takes nothing is what the error may be about.
        let _ = terminal::print_json(&Envelope::new(&Refusal { error: error.into_failure() }));
    }
    ExitCode::from(2)
}

/// Whether arguments that cannot be read ask for JSON.
fn asks_for_json(arguments: impl Iterator<Item = std::ffi::OsString>) -> bool {
    arguments.take_while(|argument| argument != "--").any(|argument| argument == "--json")
}
