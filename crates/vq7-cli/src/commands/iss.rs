//! `vq7 iss`.

use crate::files::output::Output;
use crate::files::words::read_input;
use crate::invocation::Invocation;
use crate::outcome::{CallError, Failed, Outcome};
use clap::{Subcommand, ValueEnum};
use vq7_iss::state::State;
use vq7_iss::timing::{Cell, Params, Profile};
use vq7_iss::{state, text};
use vq7_report::iss::{IssOptions, IssRun, TraceForm};
use vq7_report::problem::Mistake;

/// Arguments of `iss`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: IssCommand,
}

#[derive(Debug, Subcommand)]
enum IssCommand {
    /// Run bundles cycle by cycle: cycles, who waited for whom, registers and memory
    Run(RunArgs),
}

/// A trace on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Trace {
    /// Kanata 0004, for Konata
    Kanata,
    /// Trace-event JSON, for Perfetto and Chrome
    Perfetto,
    /// A line per event
    Text,
}

/// Arguments of `iss run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: vq7 iss run copy.iss --reg a2=0x80000 --reg a4=0x88000 --mem 0x80000=00ff\n\
                        Example: vq7 iss run sums.iss --trace kanata > sums.kanata\n\
                        Example: vq7 iss run sums.iss --profile tie-strict --svg sums.svg")]
struct RunArgs {
    /// Text of bundles, or - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// Print a trace in place of the answer; with --json it is the field `trace`
    #[arg(long, value_enum, value_name = "FORM")]
    trace: Option<Trace>,
    /// How early results are forwarded: default or tie-strict
    #[arg(long, default_value = "default", value_name = "PROFILE", value_parser = parse_profile)]
    profile: Profile,
    /// Write a chart of stages over cycles
    #[arg(long, value_name = "OUT")]
    svg: Option<String>,
    /// Value of a register before the run: a2=0x80000, v1=0x.. (lane 0 lowest), vb0=0xff, fcr=1
    #[arg(long = "reg", value_name = "REG=VALUE")]
    registers: Vec<String>,
    /// Bytes of memory before the run: hex digits in the order of addresses, or a file
    #[arg(long = "mem", value_name = "ADDR=HEX|FILE")]
    memory: Vec<String>,
    /// Cycles after which the run stops
    #[arg(long, default_value_t = 1_000_000, value_name = "LIMIT")]
    cycles: u64,
    /// Value of a timing parameter, for example fp_def=11; may be given again
    #[arg(long = "param", value_name = "NAME=VALUE")]
    params: Vec<String>,
    /// Time ops whose value rule no source gives, and let them give zeros
    #[arg(long)]
    unknown_as_zero: bool,
}

pub(super) fn parse_profile(name: &str) -> Result<Profile, String> {
    Profile::parse(name).ok_or_else(|| "use default or tie-strict".to_owned())
}

/// Runs `iss`.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    match &args.command {
        IssCommand::Run(args) => run_bundles(args, invocation),
    }
}

fn run_bundles(args: &RunArgs, invocation: &Invocation) -> Result<Outcome, CallError> {
    let mut params = Params::default();
    for assignment in &args.params {
        let (name, value) = split("--param", assignment)?;
        let value = number("--param", assignment, value)?;
        params.set(name, value).map_err(|error| CallError::at("--param", error))?;
    }
    let svg = args.svg.as_deref().map(Output::prepare).transpose()?;
    let source = String::from_utf8(read_input(&args.file)?)
        .map_err(|error| CallError::at(&args.file, format_args!("bundles are text, and this is not: {error}")))?;
    let reading = text::Reading { params, unknown_as_zero: args.unknown_as_zero };
    let work = text::parse(&source, &reading).map_err(|mistakes| syntax(&args.file, &mistakes))?;
    let state = start(args)?;
    let options = IssOptions {
        profile: args.profile,
        params,
        limit: args.cycles,
        trace: args.trace.map(|trace| match trace {
            Trace::Kanata => TraceForm::Kanata,
            Trace::Perfetto => TraceForm::Perfetto,
            Trace::Text => TraceForm::Text,
        }),
        svg: svg.is_some(),
    };
    let answer = IssRun::new(&work, state, &format!("{}, profile {}", args.file, args.profile.name()), &options);
    if let (Some(output), Some(chart)) = (&svg, &answer.svg) {
        output.write(chart.as_bytes())?;
    }
    invocation.answer(&answer)?;
    Ok(match answer.failure() {
        Some((what, why)) => Outcome::Failed(Failed::new(what, why)),
        None => Outcome::Done,
    })
}

fn syntax(file: &str, mistakes: &[text::Mistake]) -> CallError {
    let lines =
        mistakes.iter().map(|mistake| format!("{file}:{}:{}: {}\n", mistake.line, mistake.column, mistake.message));
    let count = mistakes.len();
    let summary = format!("{file}: {count} {}", if count == 1 { "mistake" } else { "mistakes" });
    let rendered = format!("{}error: {summary}\n", lines.collect::<String>());
    let mistakes = mistakes
        .iter()
        .map(|mistake| Mistake {
            line: mistake.line as usize,
            column: mistake.column as usize,
            message: mistake.message.clone(),
            help: None,
        })
        .collect();
    CallError::syntax(summary, mistakes, rendered)
}

fn split<'a>(option: &str, assignment: &'a str) -> Result<(&'a str, &'a str), CallError> {
    assignment.split_once('=').ok_or_else(|| CallError::at(option, format_args!("`{assignment}` has no `=`")))
}

fn number(option: &str, assignment: &str, value: &str) -> Result<u32, CallError> {
    let number = text::number(value).and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| CallError::at(option, format_args!("{assignment}: `{value}` is no number from 0 to 2^32 - 1")))
}

/// Registers and memory before the run.
fn start(args: &RunArgs) -> Result<State, CallError> {
    let mut state = State::new();
    for assignment in &args.registers {
        let (name, value) = split("--reg", assignment)?;
        let wrong = |why: &str| CallError::at("--reg", format_args!("{assignment}: {why}"));
        let cell = Cell::parse(name).ok_or_else(|| wrong("no register has the name; a0-a15, v0-v31, vb0-vb15, .."))?;
        let bytes = match text::number(value) {
            Some(number) if number < 0 => (number as u64).to_le_bytes().to_vec(),
            _ => value_bytes(value).ok_or_else(|| wrong("the value is a number, or hex digits after 0x"))?,
        };
        let size = state::bytes_of(cell.bank());
        let extra = bytes.get(size..).unwrap_or_default();
        if extra.iter().any(|byte| *byte != 0 && *byte != 0xff) {
            return Err(wrong(&format!("the register has {} bits", size * 8)));
        }
        state.set_bytes(cell, &bytes);
    }
    for assignment in &args.memory {
        let (address, value) = split("--mem", assignment)?;
        let address = number("--mem", assignment, address)?;
        let bytes = match from_hex(value.strip_prefix("0x").unwrap_or(value)) {
            Some(bytes) => bytes,
            None => read_input(value)?,
        };
        state.memory.set(address, &bytes).map_err(|error| CallError::at("--mem", error))?;
    }
    Ok(state)
}

/// Bytes of a number, the lowest first.
fn value_bytes(value: &str) -> Option<Vec<u8>> {
    match value.strip_prefix("0x") {
        Some(digits) => {
            let even = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.to_owned() };
            from_hex(&even).map(|bytes| bytes.into_iter().rev().collect())
        }
        None => Some(value.parse::<u64>().ok()?.to_le_bytes().to_vec()),
    }
}

/// Bytes from hex digits in pairs.
fn from_hex(digits: &str) -> Option<Vec<u8>> {
    if digits.is_empty() || digits.len() % 2 == 1 || !digits.bytes().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let pair = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(pair).collect()
}
