//! `vq7 bench`.

use crate::executors;
use crate::files::output::Output;
use crate::invocation::Invocation;
use crate::outcome::{CallError, Outcome};
use crate::terminal::Progress;
use std::path::PathBuf;
use std::time::Duration;
use vq7_fast::bench::{Setup, cases};
use vq7_report::bench::{BenchAnswer, Special};

/// Arguments of `bench`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A row is an op on one set of dtypes, 128 partitions of so many elements. Beside it runs a probe that moves the same\n\
                  bytes and computes next to nothing; the ratio is to the better of its two kinds of stores.\n\
                  Example: vq7 bench --filter add_int --filter 'mult float32'\n\
                  Example: vq7 bench --json --threads 2 --svg roofline.svg"
)]
pub struct Args {
    /// Only rows whose name has this in it; may be given again
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Threads [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Milliseconds for each row
    #[arg(long, value_name = "MS", default_value_t = 60)]
    time: u64,
    /// Write the rows as a picture, too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Measures.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let (level, threads) = (executors::level()?, executors::threads(Some(args.threads.unwrap_or(1)))?);
    let svg = args.svg.as_ref().map(Output::prepare).transpose()?;
    let wanted = |name: &str| args.filter.is_empty() || args.filter.iter().any(|text| name.contains(text.as_str()));
    let cases: Vec<_> = cases().into_iter().filter(|case| wanted(&case.name())).collect();
    let others: Vec<_> = Special::all().into_iter().filter(|special| wanted(&special.name())).collect();
    if cases.is_empty() && others.is_empty() {
        return Err(CallError::at("--filter", "no row has this in its name; `vq7 bench --time 0` lists all names"));
    }
    let mut answer = BenchAnswer::new(level, threads);
    let bar = Progress::slow("measuring", (cases.len() + others.len()) as u64);
    for (done, case) in (1..).zip(&cases) {
        match Setup::new(*case, level, threads) {
            Ok(mut setup) => answer.measured(&setup.measure(Duration::from_millis(args.time))),
            Err(fault) => answer.left_out(case, fault.kind()),
        }
        bar.at(done);
    }
    for (done, special) in (cases.len() as u64 + 1..).zip(&others) {
        answer.special(special.measure(level, Duration::from_millis(args.time)));
        bar.at(done);
    }
    drop(bar);
    if let Some(svg) = svg {
        svg.write(answer.svg().as_bytes())?;
    }
    invocation.answer(&answer)?;
    Ok(Outcome::Done)
}
