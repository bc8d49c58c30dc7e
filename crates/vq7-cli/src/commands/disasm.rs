//! `vq7 disasm`.

use super::neff;
use crate::files::opcodes::OpcodesArg;
use crate::files::package::LimitArg;
use crate::files::words::read_words;
use crate::invocation::Invocation;
use crate::outcome::{CallError, Outcome};
use vq7_isa::legality::Engine;
use vq7_report::disasm::Disassembly;

/// Arguments of `disasm`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A word is shown typed whether it is legal or not; `vq7 asm` of the text gives the same bytes.\n\
                        Example: vq7 disasm words.bin > words.vq7\nExample: vq7 disasm kernel.neff"
)]
pub struct Args {
    /// Words: 128 hex digits, a file of raw words or hex lines, or - for standard input; or one NEFF package
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    #[command(flatten)]
    opcodes: OpcodesArg,
    #[command(flatten)]
    limit: LimitArg,
}

/// Prints the words.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let user = args.opcodes.read()?;
    if let Some(package) = neff::only_package(&args.words)? {
        return neff::disasm(package, None, &user, &args.limit.limits(), invocation);
    }
    let words = read_words(&args.words)?;
    invocation.answer(&Disassembly::new(words, invocation.setting(Engine::Any), user))?;
    if !invocation.is_json() {
        invocation.say_target_source();
    }
    Ok(Outcome::Done)
}
