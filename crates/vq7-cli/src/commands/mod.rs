//! One file per command.

mod asm;
mod bench;
#[cfg(feature = "oracle")]
pub mod brute;
#[cfg(feature = "oracle")]
mod campaign;
mod check;
mod conform;
mod cost;
mod disasm;
mod explain;
mod iss;
mod leaf;
mod lower;
mod neff;
mod program;
mod run;
mod tables;
mod tt;

use crate::invocation::Invocation;
use crate::outcome::{CallError, Outcome};
use clap::Subcommand;

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a program, or a file of words
    Run(run::Args),
    /// Compute one op on two arrays
    Tt(tt::Args),
    /// Assemble a program into words
    Asm(asm::Args),
    /// Judge words: is each legal, and which rule says no
    Check(check::Args),
    /// Print words as text, one line each
    Disasm(disasm::Args),
    /// Look into NEFF packages: list, disasm, check, diff, extract, replace, semaphores
    Neff(neff::Args),
    /// Explain a word field by field, or one op on two elements
    Explain(explain::Args),
    /// Hold an op against an outside judge, over every pair of operands or weighted ones
    #[cfg(feature = "oracle")]
    Brute(brute::Args),
    /// Write a conformance kit, or hold another implementation against one
    Conform(conform::Args),
    /// Call a value leaf, the function behind a vector instruction's lane, or list all of them
    Leaf(leaf::Args),
    /// Many questions before their judges, in shards that any number of machines run
    #[cfg(feature = "oracle")]
    #[command(subcommand)]
    Campaign(campaign::Task),
    /// Run bundles on the cycle-accurate core
    Iss(iss::Args),
    /// Count the cycles of words on the GpSimd cores: how many, why, and how sure that is
    Cost(cost::Args),
    /// Show the bundle loop that an op becomes on the GpSimd cores
    Lower(lower::Args),
    /// Measure how fast words run, against what the memory lets through
    Bench(bench::Args),
    /// List the ALU ops and where each is legal
    #[command(after_help = "Example: vq7 ops --target trn1")]
    Ops(tables::Args),
    /// List the element dtypes and their names
    #[command(after_help = "Example: vq7 dtypes --policy e4m3=fn")]
    Dtypes(tables::Args),
    /// List the opcodes of the target
    #[command(after_help = "Example: vq7 opcodes --target gen5")]
    Opcodes(tables::Args),
    /// List the open questions and how they are answered
    #[command(after_help = "Example: vq7 policy --json\nExample: vq7 policy --policy round=zero")]
    Policy(tables::Args),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// When the call cannot be answered.
    pub fn run(&self, invocation: &Invocation) -> Result<Outcome, CallError> {
        match self {
            Self::Run(args) => run::run(args, invocation),
            Self::Tt(args) => tt::run(args, invocation),
            Self::Asm(args) => asm::run(args, invocation),
            Self::Check(args) => check::run(args, invocation),
            Self::Disasm(args) => disasm::run(args, invocation),
            Self::Neff(args) => neff::run(args, invocation),
            Self::Explain(args) => explain::run(args, invocation),
            #[cfg(feature = "oracle")]
            Self::Brute(args) => brute::run(args, invocation),
            Self::Conform(args) => conform::run(args, invocation),
            Self::Leaf(args) => leaf::run(args, invocation),
            #[cfg(feature = "oracle")]
            Self::Campaign(task) => campaign::run(task, invocation),
            Self::Iss(args) => iss::run(args, invocation),
            Self::Cost(args) => cost::run(args, invocation),
            Self::Lower(args) => lower::run(args, invocation),
            Self::Bench(args) => bench::run(args, invocation),
            Self::Ops(_) => tables::ops(invocation),
            Self::Dtypes(_) => tables::dtypes(invocation),
            Self::Opcodes(_) => tables::opcodes(invocation),
            Self::Policy(_) => tables::policy(invocation),
        }
    }
}
