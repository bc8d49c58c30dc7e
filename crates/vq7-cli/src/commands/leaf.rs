//! `vq7 leaf`.

use crate::invocation::Invocation;
use crate::outcome::{CallError, Failed, Outcome};
use vq7_report::leaf::{LeafCalled, Leaves};

/// Arguments of `leaf`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "vq7 leaf [OPTIONS] <NAME> [INPUT]...\n       vq7 leaf --list",
    after_help = "Example: vq7 leaf add_16_16_16 0x7fff 1\n\
                  Example: vq7 leaf add_1_1_1_32f_32f_32f_2 1.5 1e-9 2 --as-float\n\
                  Example: vq7 leaf fitrunc_1_32f_32f --as-float -- -inf\n\
                  Example: vq7 leaf --list --json"
)]
pub struct Args {
    /// Name of the leaf: add_16_16_16, olt_1_1_16f_16f, packvr_16_48_32
    #[arg(value_name = "NAME", required_unless_present = "list", conflicts_with = "list")]
    name: Option<String>,
    /// Inputs in operand order: bit patterns 0x.. or integers; a last round mode may be left out and is nearest even
    #[arg(value_name = "INPUT", allow_negative_numbers = true, conflicts_with = "list")]
    inputs: Vec<String>,
    /// Read floats as numbers such as -2.5, inf or nan, and show float results as numbers too
    #[arg(long, conflicts_with = "list")]
    as_float: bool,
    /// List every leaf with inputs, outputs, flags and how its rule is known
    #[arg(long)]
    list: bool,
}

/// Calls a leaf, or lists all.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let Some(name) = &args.name else {
        invocation.answer(&Leaves::new())?;
        return Ok(Outcome::Done);
    };
    let answer = LeafCalled::new(name, &args.inputs, args.as_float).map_err(CallError::new)?;
    invocation.answer(&answer)?;
    Ok(match answer.error {
        None => Outcome::Done,
        Some(error) => Outcome::Failed(Failed::new(error.kind, error.message)),
    })
}
