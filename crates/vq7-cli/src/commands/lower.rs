//! `vq7 lower`.

use super::explain::parse_types;
use super::iss::parse_profile;
use crate::files::output::Output;
use crate::invocation::Invocation;
use crate::outcome::{CallError, Failed, Outcome};
use crate::terminal::Progress;
use vq7_isa::AluOp;
use vq7_isa::legality::Engine;
use vq7_iss::timing::Profile;
use vq7_report::lower::{LowerAll, LowerOne, LowerQuestion};

/// Turns of a loop that a chart shows.
const CHART_TURNS: u32 = 4;

/// Arguments of `lower`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "vq7 lower [OPTIONS] --op <OP> --types <A,B,OUT>\n       vq7 lower [OPTIONS] --all",
    after_help = "Example: vq7 lower --op add --types bf16,bf16,bf16\n\
                  Example: vq7 lower --op add_int --types int64 --svg add64.svg\n\
                  Example: vq7 lower --all --json"
)]
pub struct Args {
    /// ALU op by any name: add_int, multiply, bitwise_and
    #[arg(long, value_name = "OP", requires = "types", required_unless_present = "all", conflicts_with = "all")]
    op: Option<String>,
    /// Dtypes of src0, src1 and the result, or one for all three
    #[arg(long, value_name = "A,B,OUT", requires = "op")]
    types: Option<String>,
    /// Every op on every dtypes that an engine takes: the sequence, or why there is none
    #[arg(long)]
    all: bool,
    /// How early results are forwarded: default or tie-strict
    #[arg(long, default_value = "default", value_name = "PROFILE", value_parser = parse_profile, conflicts_with = "all")]
    profile: Profile,
    /// Write a chart of stages over cycles of the loop's first turns
    #[arg(long, value_name = "OUT", conflicts_with = "all")]
    svg: Option<String>,
    /// Turns that the chart shows
    #[arg(long, value_name = "N", default_value_t = CHART_TURNS, requires = "svg", value_parser = clap::value_parser!(u32).range(1..=64))]
    turns: u32,
}

/// Lowers one op, or all.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let setting = invocation.setting(Engine::Any);
    let Some(op) = &args.op else {
        let bar = Progress::new("lowering", AluOp::ALL.len() as u64);
        let answer = LowerAll::new(setting, &mut |done| bar.at(done as u64));
        drop(bar);
        invocation.answer(&answer)?;
        return Ok(Outcome::Done);
    };
    let op = AluOp::parse(op).map_err(|error| CallError::at("--op", error))?;
    let types = parse_types(args.types.as_deref().unwrap_or_default(), invocation)?;
    let svg = args.svg.as_deref().map(Output::prepare).transpose()?;
    let question = LowerQuestion { op, types, profile: args.profile, chart: svg.as_ref().map(|_| args.turns) };
    let answer = LowerOne::new(&question, setting).map_err(|why| CallError::at("--types", why))?;
    if let (Some(output), Some(chart)) = (&svg, &answer.svg) {
        output.write(chart.as_bytes())?;
    }
    invocation.answer(&answer)?;
    Ok(match answer.error {
        None => Outcome::Done,
        Some(error) => Outcome::Failed(Failed::new(error.kind, error.message)),
    })
}
