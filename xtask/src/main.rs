//! Tasks of the project that cargo alone does not do.
//!
//! | module | owns |
//! |---|---|
//! | [`mod@test`] | the one command that runs every test |
//! | [`coverage`] | the list of what is judged by whom |
//! | [`long`] | the sweeps over every pair of 16-bit operands |
//! | [`python`] | the Python environment of the tests |
//! | [`support`] | the support page |
//! | [`step`] | running programs, and saying what failed |

mod coverage;
mod long;
mod python;
mod step;
mod support;
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
    /// Judge every pair of 16-bit operands, by every judge that knows them: hours; stops and goes on
    Long(long::Args),
    /// Write vectors/coverage.csv: which cells have which judges. Refuses when a cell loses its judge
    Coverage,
    /// Write docs/support.md: per target, op and dtype, where it is legal, who judges it, how sure it is
    Support,
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Test(args) => test::run_tests(&args),
        Task::Long(args) => long::run_sweeps(&args),
        Task::Coverage => coverage::write(),
        Task::Support => support::write(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
