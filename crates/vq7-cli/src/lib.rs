//! The command line of vq7: arguments, files and terminals. What it answers, the libraries below it find out.
//!
//! | folder | owns |
//! |---|---|
//! | [`commands`] | one file per command: its arguments, and the calls that answer it |
//! | [`files`] | words, arrays and outputs on disk |
//! | [`terminal`] | what is written where: answers, errors, progress |
//!
//! **Invariants:** answers go to standard output and nothing else does; every exit code but 0 comes with a message on
//! standard error; no input makes it panic.

pub mod commands;
pub mod files;
pub mod invocation;
pub mod outcome;
pub mod terminal;

use clap::Parser;
use commands::Command;
use invocation::{GlobalArgs, Invocation};
use outcome::Outcome;
use std::process::ExitCode;
use terminal::say;

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
        Err(error) => {
            // Help and versions are answers; a pipe that is closed needs none.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match Invocation::new(&cli.global).and_then(|invocation| cli.command.run(&invocation)) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Failed(message)) => {
            say("failed", &message);
            ExitCode::from(1)
        }
        Err(error) => {
            error.say();
            ExitCode::from(2)
        }
    }
}
