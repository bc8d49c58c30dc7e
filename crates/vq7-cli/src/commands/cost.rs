//! `vq7 cost`.

use super::explain::parse_types;
use super::program;
use crate::files::words::{STDIN, read_words};
use crate::invocation::{EngineArg, Invocation};
use crate::outcome::{CallError, Failed, Outcome};
use crate::terminal::Progress;
use std::path::Path;
use vq7_isa::{AluOp, Word};
use vq7_report::asm::setting_of;
use vq7_report::cost::CostAnswer;
use vq7_report::setting::Setting;
use vq7_report::template::whole_word;

/// Arguments of `cost`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "vq7 cost [OPTIONS] <PROGRAM|WORDS>...\n       vq7 cost [OPTIONS] --op <OP> --types <A,B,OUT>",
    after_help = "Example: vq7 cost philox4x32.vq7\n\
                  Example: vq7 cost 4110..00\n\
                  Example: vq7 cost --op add_int --types int64,int64,int64 --elements 128x512"
)]
pub struct Args {
    /// A program, or words: 128 hex digits, a file of raw words or hex lines, or - for standard input
    #[arg(value_name = "PROGRAM|WORDS", required_unless_present = "op", conflicts_with_all = ["op", "types", "elements"])]
    words: Vec<String>,
    /// ALU op by any name: add_int, multiply, bitwise_and
    #[arg(long, value_name = "OP", requires = "types")]
    op: Option<String>,
    /// Dtypes of src0, src1 and the result, or one for all three
    #[arg(long, value_name = "A,B,OUT", requires = "op")]
    types: Option<String>,
    /// Partitions and elements of each
    #[arg(long, value_name = "PxF", default_value = "128x512", value_parser = parse_elements)]
    elements: (u32, u32),
    #[command(flatten)]
    engine: EngineArg,
}

fn parse_elements(text: &str) -> Result<(u32, u32), String> {
    let numbers = text.split_once('x').and_then(|(p, f)| Some((p.parse().ok()?, f.parse().ok()?)));
    numbers.ok_or_else(|| "write partitions x elements, such as 128x512".to_owned())
}

/// Counts cycles.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let (words, setting) = words(args, invocation)?;
    let bar = Progress::new("counting", words.len() as u64);
    let answer = CostAnswer::new(&words, setting, &mut |done| bar.at(done as u64));
    drop(bar);
    invocation.answer(&answer)?;
    Ok(match answer.error {
        None => Outcome::Done,
        Some(error) => Outcome::Failed(Failed::new(error.kind, error.message)),
    })
}

fn words(args: &Args, invocation: &Invocation) -> Result<(Vec<Word>, Setting), CallError> {
    let setting = invocation.setting(args.engine.engine);
    if let Some(op) = &args.op {
        let op = AluOp::parse(op).map_err(|error| CallError::at("--op", error))?;
        let types = parse_types(args.types.as_deref().unwrap_or_default(), invocation)?;
        let word = whole_word(op, types, args.elements, &setting).map_err(|why| CallError::at("--elements", why))?;
        return Ok((vec![word], setting));
    }
    match &args.words[..] {
        [one] if one == STDIN || Path::new(one).is_file() => {
            let (program, _) = program::read(one, invocation)?;
            Ok((program.words(), setting_of(&program, setting, None)))
        }
        many => Ok((read_words(many)?, setting)),
    }
}
