//! `vq7 check`.

use super::neff;
use crate::files::package::LimitArg;
use crate::files::words::read_words;
use crate::invocation::{EngineArg, Invocation};
use crate::outcome::{CallError, Failed, Outcome};
use crate::terminal::Progress;
use vq7_report::check::Check;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: vq7 check --engine pool words.bin\nExample: vq7 check --json 4110..00 | jq .words[0].verdict"
)]
pub struct Args {
    /// Words: 128 hex digits, a file of raw words or hex lines, or - for standard input; or one NEFF package
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    #[command(flatten)]
    engine: EngineArg,
    /// Show every word with every rule
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    limit: LimitArg,
}

/// Judges the words.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    if let Some(package) = neff::only_package(&args.words)? {
        let setting = invocation.setting(args.engine.engine);
        return neff::check(package, None, setting, args.verbose, &args.limit.limits(), invocation);
    }
    let words = read_words(&args.words)?;
    let bar = Progress::new("judging", words.len() as u64);
    let mut check = Check::new(words, invocation.setting(args.engine.engine), |done| bar.at(done as u64));
    drop(bar);
    check.verbose = args.verbose;
    invocation.answer(&check)?;
    let Some(first) = check.first_failure() else { return Ok(Outcome::Done) };
    let total = &check.summary().total;
    let what = format!(
        "{} of {} {}; the first is word {} at byte {:#x}, {}",
        total.failures(),
        total.words,
        if total.words == 1 { "word" } else { "words" },
        first.index,
        first.offset,
        first.verdict,
    );
    Ok(Outcome::Failed(Failed::new(what, first.why())))
}
