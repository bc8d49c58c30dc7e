//! `vq7 brute`.

mod pool;
mod question;
mod state;

pub use question::{Judged, Plan};

use crate::invocation::Invocation;
use crate::outcome::{CallError, Failed, Outcome};
use crate::terminal::Progress;
use state::Checkpoint;
use std::num::NonZero;
use std::path::PathBuf;
use vq7_oracle::Answer;
use vq7_report::brute::{Brute, BruteStatus};

/// Arguments of `brute`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "vq7 brute [OPTIONS] --op <OP> --types <A,B,OUT>\n       vq7 brute [OPTIONS] --case <NAME>",
    after_help = "Example: vq7 brute --op add --types f16,f16,f16 --slice 0/64\n\
                  Example: vq7 brute --op mult --types f32 --level 2 --resume mult.json"
)]
pub struct Args {
    /// ALU op by any name: add_int, multiply, bitwise_and
    #[arg(long, value_name = "OP", requires = "types", required_unless_present = "case")]
    op: Option<String>,
    /// Dtypes of src0, src1 and the result, or one for all three
    #[arg(long, value_name = "A,B,OUT", requires = "op")]
    types: Option<String>,
    /// Judge: apfloat, integers, softfloat, core-math, or self (the lane with its notes on) [default: the first outside one
    /// that knows the op]
    #[arg(long, value_name = "NAME")]
    oracle: Option<String>,
    /// Part i of n of the cases, counted from 0
    #[arg(long, value_name = "I/N", default_value = "0/1")]
    slice: String,
    /// Weighted cases: 1 (under a second) or 2 (up to half a minute) [default: every pair of 8- and 16-bit operands, else 1]
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=2))]
    level: Option<u8>,
    /// Every pair of operands, which may have at most 16 bits each
    #[arg(long, conflicts_with = "level")]
    exhaustive: bool,
    /// What chooses the random bits of weighted cases
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// One case by its name, such as add:f16,f16,f16:L1:s7:12345
    #[arg(long, value_name = "NAME", conflicts_with_all = ["op", "types", "slice", "level", "exhaustive", "seed", "resume", "stop_after"])]
    case: Option<String>,
    /// Threads [default: one per processor]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// File that keeps what is done; a call with the same question goes on from there
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Stop after about so many cases of this call
    #[arg(long, value_name = "CASES")]
    stop_after: Option<u64>,
}

/// Holds an op against a judge.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let plan = Plan::new(args, invocation)?;
    let answer = judge(&plan, args, &|a, b| plan.evaluate(a, b))?;
    invocation.answer(&answer)?;
    let Some(case) = answer.case.filter(|_| answer.status == BruteStatus::Mismatch) else {
        return Ok(Outcome::Done);
    };
    let what = format!("{} is not what {} expects", case.name, answer.oracle);
    Ok(Outcome::Failed(Failed::new(what, format_args!("see `{}`", case.reproduce))))
}

/// The answer of a plan, whatever evaluates the lane.
///
/// # Errors
/// When the file that keeps what is done cannot be used.
pub fn judge(
    plan: &Plan,
    args: &Args,
    evaluate: &(dyn Fn(u64, u64) -> Option<Answer> + Sync),
) -> Result<Brute, CallError> {
    let mut checkpoint = match &args.resume {
        Some(path) => Checkpoint::open(path, plan)?,
        None => Checkpoint::none(),
    };
    let start = checkpoint.next().unwrap_or(plan.cases.start);
    let end = match args.stop_after {
        Some(cases) => start.saturating_add(cases).min(plan.cases.end),
        None => plan.cases.end,
    };
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get);
    let bar = Progress::new("judging", plan.cases.end - plan.cases.start);
    bar.begins_at(start - plan.cases.start);
    let mut total = checkpoint.stretch();
    let done = pool::run(plan, start..end, threads, evaluate, |next, stretch| {
        bar.at(next - plan.cases.start);
        let mut so_far = total;
        so_far.add(stretch);
        checkpoint.save(next, &so_far, false)
    })?;
    drop(bar);
    total.add(&done);
    checkpoint.save(done.mismatch.map_or(end, |mismatch| mismatch.index), &total, true)?;
    Ok(plan.answer(&total, end, evaluate))
}
