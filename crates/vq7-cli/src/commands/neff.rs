//! `vq7 neff ..`: packages.

use crate::files::opcodes::OpcodesArg;
use crate::files::output::{Output, write_all};
use crate::files::package::{LimitArg, is_package, open, read_package, refused};
use crate::files::words::read_words;
use crate::invocation::{EngineArg, Invocation};
use crate::outcome::{CallError, Failed, Outcome};
use clap::Subcommand;
use std::path::Path;
use vq7_isa::inst::UserOpcodes;
use vq7_isa::legality::Engine;
use vq7_neff::Limits;
use vq7_report::Setting;
use vq7_report::neff::{NeffCheck, NeffDisassembly, NeffList, Streams};
use vq7_report::neff_diff::NeffDiff;
use vq7_report::neff_files::WrittenFile;
use vq7_report::semaphores::Semaphores;

/// Arguments of `neff`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A package is read with limits on its size; nothing is unpacked to disk and no link is followed.\n\
                        Example: vq7 neff list kernel.neff"
)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List header, hash and instruction streams
    List(OneFile),
    /// Print the words of every stream as text
    Disasm {
        #[command(flatten)]
        file: OneFile,
        /// Only this member
        #[arg(long, value_name = "MEMBER")]
        member: Option<String>,
        #[command(flatten)]
        opcodes: OpcodesArg,
    },
    /// Judge the words of every stream
    Check {
        #[command(flatten)]
        file: OneFile,
        /// Only this member
        #[arg(long, value_name = "MEMBER")]
        member: Option<String>,
        #[command(flatten)]
        engine: EngineArg,
        /// Show every word with every rule
        #[arg(long, short)]
        verbose: bool,
    },
    /// Compare two packages, stream by stream and word by word; exit code 1 when they differ
    Diff {
        /// The first package
        a: String,
        /// The second package
        b: String,
        #[command(flatten)]
        opcodes: OpcodesArg,
        #[command(flatten)]
        limit: LimitArg,
    },
    /// Write the bytes of one member to a file
    Extract {
        #[command(flatten)]
        file: OneFile,
        /// The member, as `neff list` names it
        member: String,
        /// File for its bytes
        #[arg(long, short = 'o', value_name = "OUT")]
        out: String,
    },
    /// Put words into one stream and write a new package; header size and hash fit it, nothing else changes
    #[command(
        after_help = "A payload in gzip is compressed anew; with gzip taken off it differs in that member alone. \
                            With the words that are there already the new file has the same bytes."
    )]
    Replace {
        #[command(flatten)]
        file: OneFile,
        /// The stream, as `neff list` names it
        member: String,
        /// Its words from now on: a file of raw words or hex lines
        #[arg(long, value_name = "WORDS")]
        with: String,
        /// File for the new package
        #[arg(long, short = 'o', value_name = "OUT")]
        out: String,
    },
    /// Show which word signals and which waits for each semaphore and event, and waits that nothing satisfies
    Semaphores {
        #[command(flatten)]
        file: OneFile,
        /// File for a picture
        #[arg(long, value_name = "OUT.svg")]
        svg: Option<String>,
        /// File for a trace that Perfetto opens, with flow events
        #[arg(long, value_name = "OUT.json")]
        perfetto: Option<String>,
        #[command(flatten)]
        opcodes: OpcodesArg,
    },
}

#[derive(Debug, clap::Args)]
struct OneFile {
    /// The package, or - for standard input
    file: String,
    #[command(flatten)]
    limit: LimitArg,
}

/// Runs `neff`.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    match &args.command {
        Command::List(one) => list(one, invocation),
        Command::Disasm { file, member, opcodes } => {
            disasm(&file.file, member.as_deref(), &opcodes.read()?, &file.limit.limits(), invocation)
        }
        Command::Check { file, member, engine, verbose } => {
            let setting = invocation.setting(engine.engine);
            check(&file.file, member.as_deref(), setting, *verbose, &file.limit.limits(), invocation)
        }
        Command::Diff { a, b, opcodes, limit } => diff(a, b, &opcodes.read()?, &limit.limits(), invocation),
        Command::Extract { file, member, out } => extract(file, member, out, invocation),
        Command::Replace { file, member, with, out } => replace(file, member, with, out, invocation),
        Command::Semaphores { file, svg, perfetto, opcodes } => {
            semaphores(file, svg.as_deref(), perfetto.as_deref(), &opcodes.read()?, invocation)
        }
    }
}

/// The package among the arguments of a command that takes words, if there is one; then it must stand alone.
pub fn only_package(arguments: &[String]) -> Result<Option<&str>, CallError> {
    match arguments {
        [one] if is_package(one) => Ok(Some(one)),
        [_] | [] => Ok(None),
        many => match many.iter().find(|argument| is_package(argument)) {
            Some(package) => {
                Err(CallError::at(package, "a NEFF package is answered alone; give it without other words"))
            }
            None => Ok(None),
        },
    }
}

fn list(one: &OneFile, invocation: &Invocation) -> Result<Outcome, CallError> {
    let limits = one.limit.limits();
    let bytes = read_package(&one.file, &limits)?;
    let neff = open(&one.file, &bytes, &limits)?;
    invocation.answer(&NeffList::new(&neff).map_err(|error| refused(&one.file, error))?)?;
    Ok(Outcome::Done)
}

/// Prints the words of a package.
pub fn disasm(
    file: &str,
    member: Option<&str>,
    user: &UserOpcodes,
    limits: &Limits,
    invocation: &Invocation,
) -> Result<Outcome, CallError> {
    let bytes = read_package(file, limits)?;
    let neff = open(file, &bytes, limits)?;
    let streams = Streams::load(&neff, member).map_err(|error| refused(file, error))?;
    invocation.answer(&NeffDisassembly { streams: &streams, user, setting: invocation.setting(Engine::Any) })?;
    if !invocation.is_json() {
        invocation.say_target_source();
    }
    Ok(streams.stopped().map_or(Outcome::Done, |failure| Outcome::Failed(Failed::new(failure.kind, failure.message))))
}

/// Judges the words of a package.
pub fn check(
    file: &str,
    member: Option<&str>,
    setting: Setting,
    verbose: bool,
    limits: &Limits,
    invocation: &Invocation,
) -> Result<Outcome, CallError> {
    let bytes = read_package(file, limits)?;
    let neff = open(file, &bytes, limits)?;
    let streams = Streams::load(&neff, member).map_err(|error| refused(file, error))?;
    let mut check = NeffCheck::new(&streams, setting);
    check.verbose = verbose;
    invocation.answer(&check)?;
    if let Some(first) = check.first_failure() {
        let tally = check.tally();
        let what = format!(
            "{} of {} words; the first is word {} of {} at byte {:#x}, {}",
            tally.failures(),
            tally.words,
            first.word.index,
            first.member,
            first.word.offset,
            first.word.verdict,
        );
        return Ok(Outcome::Failed(Failed::new(what, first.word.why())));
    }
    Ok(check.failure().map_or(Outcome::Done, |failure| Outcome::Failed(Failed::new(failure.kind, failure.message))))
}

fn diff(a: &str, b: &str, user: &UserOpcodes, limits: &Limits, invocation: &Invocation) -> Result<Outcome, CallError> {
    let (bytes_a, bytes_b) = (read_package(a, limits)?, read_package(b, limits)?);
    let (neff_a, neff_b) = (open(a, &bytes_a, limits)?, open(b, &bytes_b, limits)?);
    let place = |error| refused(&format!("{a} or {b}"), error);
    let diff = NeffDiff::new(&neff_a, &neff_b, user).map_err(place)?;
    invocation.answer(&diff)?;
    if diff.same {
        return Ok(Outcome::Done);
    }
    let members = diff.changed_members.len() + diff.added_members.len() + diff.removed_members.len();
    Ok(Outcome::Failed(Failed::new(format!("mismatch: {members} members and {} words differ", diff.words.len()), "")))
}

fn extract(one: &OneFile, member: &str, out: &str, invocation: &Invocation) -> Result<Outcome, CallError> {
    let output = Output::prepare(out)?;
    let limits = one.limit.limits();
    let bytes = read_package(&one.file, &limits)?;
    let neff = open(&one.file, &bytes, &limits)?;
    let found = neff.member(member).and_then(|member| neff.data(member));
    let data = found.map_err(|error| refused(&one.file, error))?;
    output.write(data)?;
    invocation.answer(&WrittenFile::new(member, out, data.len()))?;
    Ok(Outcome::Done)
}

fn replace(one: &OneFile, member: &str, with: &str, out: &str, invocation: &Invocation) -> Result<Outcome, CallError> {
    let output = Output::prepare(out)?;
    let limits = one.limit.limits();
    let words = read_words(&[with.to_owned()])?;
    let words: Vec<u8> = words.iter().flat_map(|word| word.0).collect();
    let bytes = read_package(&one.file, &limits)?;
    let neff = open(&one.file, &bytes, &limits)?;
    let package = neff.replace(member, &words).map_err(|error| refused(&one.file, error))?;
    output.write(&package)?;
    invocation.answer(&WrittenFile::new(member, out, package.len()))?;
    Ok(Outcome::Done)
}

fn semaphores(
    one: &OneFile,
    svg: Option<&str>,
    perfetto: Option<&str>,
    user: &UserOpcodes,
    invocation: &Invocation,
) -> Result<Outcome, CallError> {
    let outputs = [svg, perfetto].map(|path| path.map(Output::prepare).transpose());
    let [svg, perfetto] = outputs;
    let (svg, perfetto) = (svg?, perfetto?);
    if let (Some(a), Some(b)) = (&svg, &perfetto)
        && a.is_same(b)
    {
        return Err(CallError::file(Path::new(&one.file), "--svg and --perfetto name the same file"));
    }
    let limits = one.limit.limits();
    let bytes = read_package(&one.file, &limits)?;
    let neff = open(&one.file, &bytes, &limits)?;
    let streams = Streams::load(&neff, None).map_err(|error| refused(&one.file, error))?;
    let answer = Semaphores::new(&streams, user);
    let mut files = Vec::new();
    if let Some(output) = &svg {
        files.push((output, answer.svg().into_bytes()));
    }
    if let Some(output) = &perfetto {
        files.push((output, answer.perfetto().into_bytes()));
    }
    write_all(&files)?;
    invocation.answer(&answer)?;
    match answer.unsatisfied.first() {
        None => Ok(Outcome::Done),
        Some(first) => {
            let what = format!("deadlock: {} waits that nothing in the package satisfies", answer.unsatisfied.len());
            Ok(Outcome::Failed(Failed::new(what, first.text())))
        }
    }
}
