//! `vq7 asm`.

use super::program::assemble;
use crate::files::opcodes::OpcodesArg;
use crate::files::output::Output;
use crate::files::words::{STDIN, read_input};
use crate::invocation::Invocation;
use crate::outcome::{CallError, Outcome};
use crate::terminal::say;
use std::path::Path;
use vq7_isa::legality::Engine;
use vq7_isa::text::Lines;
use vq7_report::asm::{Assembled, WordFile, setting_of};

/// So many words that fail are named.
const NAMED: usize = 100;

/// Arguments of `asm`.
#[derive(Debug, clap::Args)]
#[command(after_help = "A program is a text of statements or of lines that `vq7 disasm` prints.\n\
                        Example: vq7 asm philox4x32.vq7 -o philox.bin")]
pub struct Args {
    /// Program text, or - for standard input
    #[arg(value_name = "PROGRAM")]
    program: String,
    /// File for the words: 64 bytes each, back to back; words that fail are written too, and named on standard error
    #[arg(long, short = 'o', value_name = "OUT")]
    out: String,
    /// Write a line of hex digits per word instead of raw bytes
    #[arg(long)]
    hex: bool,
    #[command(flatten)]
    opcodes: OpcodesArg,
}

/// Assembles a program.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let output = Output::prepare(&args.out)?;
    if args.program != STDIN && output.is_file(Path::new(&args.program)) {
        return Err(CallError::at("--out", format_args!("{} is the program itself; name another file", args.out)));
    }
    let source = read_input(&args.program)?;
    let source = String::from_utf8(source)
        .map_err(|error| CallError::at(&args.program, format_args!("a program is text, and this is not: {error}")))?;
    let user = args.opcodes.read()?;
    let program = assemble(&args.program, &source, Lines::with(&user), invocation)?;
    let words = program.words();
    if words.is_empty() {
        return Err(CallError::at(&args.program, "the program has no words"));
    }
    let bytes = match args.hex {
        true => words.iter().flat_map(|word| format!("{word}\n").into_bytes()).collect::<Vec<u8>>(),
        false => words.iter().flat_map(|word| word.0).collect(),
    };
    output.write(&bytes)?;
    let file = WordFile { path: output.path().display().to_string(), bytes: bytes.len() };
    let setting = setting_of(&program, invocation.setting(Engine::Any), None);
    let answer = Assembled::new(&program, &source, setting, file);
    invocation.answer(&answer)?;
    for word in answer.refused.iter().take(NAMED) {
        say("warning", &format!("{}, {word}", args.program));
    }
    match answer.refused.len().saturating_sub(NAMED) {
        0 => {}
        more => say("warning", &format!("{more} more words that fail; `vq7 check {}` names them", args.out)),
    }
    Ok(Outcome::Done)
}
