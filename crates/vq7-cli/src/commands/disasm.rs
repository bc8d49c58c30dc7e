//! `vq7 disasm`.

use crate::files::words::read_words;
use crate::invocation::Invocation;
use crate::outcome::{CallError, Outcome};
use vq7_isa::legality::Engine;
use vq7_report::disasm::Disassembly;

/// Arguments of `disasm`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A word is shown typed whether it is legal or not; `vq7 asm` of the text gives the same bytes.\n\
                        Example: vq7 disasm words.bin > words.vq7"
)]
pub struct Args {
    /// Words: 128 hex digits, a file of raw words or hex lines, or - for standard input
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
}

/// Prints the words.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let words = read_words(&args.words)?;
    invocation.answer(&Disassembly::new(words, invocation.setting(Engine::Any)))?;
    if !invocation.is_json() {
        invocation.say_target_source();
    }
    Ok(Outcome::Done)
}
