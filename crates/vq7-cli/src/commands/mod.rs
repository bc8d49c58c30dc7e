//! One file per command.

mod asm;
mod bench;
#[cfg(feature = "oracle")]
pub mod brute;
mod check;
mod disasm;
mod explain;
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
    /// Explain a word field by field, or one op on two elements
    Explain(explain::Args),
    /// Hold an op against an outside judge, over every pair of operands or weighted ones
    #[cfg(feature = "oracle")]
    Brute(brute::Args),
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
            Self::Explain(args) => explain::run(args, invocation),
            #[cfg(feature = "oracle")]
            Self::Brute(args) => brute::run(args, invocation),
            Self::Bench(args) => bench::run(args, invocation),
            Self::Ops(_) => tables::ops(invocation),
            Self::Dtypes(_) => tables::dtypes(invocation),
            Self::Opcodes(_) => tables::opcodes(invocation),
            Self::Policy(_) => tables::policy(invocation),
        }
    }
}
