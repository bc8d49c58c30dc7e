//! `vq7 campaign`: many questions before their judges, in shards that any number of machines run.
//!
//! A campaign is a folder: `plan.json`, and `shard-N.json` per shard that is done. Shards know nothing of each other, and a
//! file appears whole or not at all, so that whoever drives them may run any of them anywhere, again, or at the same time.

mod plan;
mod shard;

use crate::files::output::Output;
use crate::invocation::Invocation;
use crate::outcome::{CallError, Failed, Outcome};
use plan::Campaign;
use std::path::PathBuf;
use vq7_isa::Generation;
use vq7_report::Envelope;

/// What to do with a campaign.
#[derive(Debug, clap::Subcommand)]
pub enum Task {
    /// Plan a campaign: its questions, and into how many shards they are cut
    #[command(
        after_help = "Example: vq7 campaign plan --targets trn2,trn3 --ops add,mult --types f16,bf16 --shards 64 -o DIR"
    )]
    Plan(PlanArgs),
    /// Run one shard; done already, it is left as it is
    RunShard(RunShardArgs),
    /// Run all shards that are not done, in this process
    Run(FolderArgs),
    /// Say how many shards are done, how fast, and how long the rest takes
    Status(FolderArgs),
    /// Put the results of all shards together
    Merge(MergeArgs),
}

/// Arguments of `plan`.
#[derive(Debug, clap::Args)]
pub struct PlanArgs {
    /// Targets on one of which the words must be legal, or all
    #[arg(long, value_name = "TARGET,..", default_value = "all")]
    targets: String,
    /// ALU ops, or all
    #[arg(long, value_name = "OP,..", default_value = "all")]
    ops: String,
    /// Dtypes, each on all three operands, or all
    #[arg(long, value_name = "DTYPE,..", default_value = "all")]
    types: String,
    /// Every combination of the dtypes, too
    #[arg(long)]
    mixed: bool,
    /// Judge: apfloat, integers, softfloat, core-math [default: per question, the first that knows it]
    #[arg(long, value_name = "NAME")]
    oracle: Option<String>,
    /// Weighted cases: 1 or 2 [default: every pair of 8-bit operands, else 1]
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=2))]
    level: Option<u8>,
    /// Every pair of operands of at most 16 bits, weighted cases of wider ones
    #[arg(long, conflicts_with = "level")]
    exhaustive: bool,
    /// What chooses the random bits of weighted cases
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Into how many shards the cases are cut
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=plan::MOST_SHARDS))]
    shards: u64,
    /// Folder of the campaign; it is made
    #[arg(short, long = "output", value_name = "DIR")]
    output: PathBuf,
}

/// The folder.
#[derive(Debug, clap::Args)]
pub struct FolderArgs {
    /// Folder of the campaign
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Arguments of `run-shard`.
#[derive(Debug, clap::Args)]
pub struct RunShardArgs {
    /// Folder of the campaign
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Number of the shard, from 0
    #[arg(value_name = "N")]
    shard: u64,
}

/// Arguments of `merge`.
#[derive(Debug, clap::Args)]
pub struct MergeArgs {
    /// Folder of the campaign
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// File for the manifest
    #[arg(short, long = "output", value_name = "FILE")]
    output: PathBuf,
}

/// Does it.
pub fn run(task: &Task, invocation: &Invocation) -> Result<Outcome, CallError> {
    match task {
        Task::Plan(args) => invocation.answer(&Campaign::plan(args, invocation)?)?,
        Task::RunShard(args) => {
            let campaign = Campaign::open(&args.folder, invocation)?;
            if args.shard >= campaign.shards() {
                return Err(CallError::new(format_args!(
                    "there is no shard {}: the shards are 0..{}",
                    args.shard,
                    campaign.shards()
                )));
            }
            campaign.run_shard(args.shard)?;
            invocation.answer(&campaign.progress())?;
        }
        Task::Run(args) => {
            let campaign = Campaign::open(&args.folder, invocation)?;
            for number in 0..campaign.shards() {
                campaign.run_shard(number)?;
            }
            invocation.answer(&campaign.progress())?;
        }
        Task::Status(args) => invocation.answer(&Campaign::open(&args.folder, invocation)?.progress())?,
        Task::Merge(args) => {
            let output = Output::prepare(&args.output)?;
            let manifest = Campaign::open(&args.folder, invocation)?.merge()?;
            let mut text = serde_json::to_vec_pretty(&Envelope::new(&manifest))
                .map_err(|error| CallError::file(&args.output, error))?;
            text.push(b'\n');
            output.write(&text)?;
            invocation.answer(&manifest)?;
            if manifest.mismatches() > 0 {
                let what = format!(
                    "{} of {} questions have a case that differs",
                    manifest.mismatches(),
                    manifest.questions.len()
                );
                return Ok(Outcome::Failed(Failed::new(what, "see the manifest")));
            }
        }
    }
    Ok(Outcome::Done)
}

/// The targets of a list.
fn targets(list: &str) -> Result<Vec<Generation>, CallError> {
    match list {
        "all" => Ok(Generation::ALL.to_vec()),
        _ => list
            .split(',')
            .map(|name| Generation::parse(name.trim()).map_err(|error| CallError::at("--targets", error)))
            .collect(),
    }
}
