//! Tasks of the project that cargo alone does not do.
//!
//! | module | owns |
//! |---|---|
//! | [`test`] | the one command that runs every test |
//! | [`python`] | the Python environment of the tests |
//! | [`step`] | running programs, and saying what failed |

mod python;
mod step;
mod test;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Tasks of the project that cargo alone does not do.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run every test: those of cargo with all judges built in, then those of Python on the built program
    Test(test::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Test(args) => test::run_tests(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
