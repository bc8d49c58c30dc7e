//! `vq7 conform run`.

use super::check::{self, CompareArgs};
use super::client::Client;
use super::folder::{KitShard, RESULT_FILES, Stretches, hash_file, shards};
use super::{filter, finish};
use crate::files::output::Output;
use crate::invocation::Invocation;
use crate::outcome::{CallError, Outcome};
use crate::terminal::Progress;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use vq7_conform::check::CaseStatus;
use vq7_conform::compare::{op_of, types_of};
use vq7_conform::manifest::{RESULTS, to_json};
use vq7_conform::protocol::{Hello, LONGEST_TEXT, record_at, write_case, write_end, write_negative};
use vq7_conform::record::NO_COEFFICIENTS;
use vq7_conform::{Filter, Record, ResultsManifest};

/// Arguments of `conform run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: vq7 conform run kit --cmd \"python3 examples/conform_client.py\"\n\
                  Example: vq7 conform run kit --cmd ./my_emulator --timeout 60 -o my_results")]
pub struct Args {
    /// Folder of the kit
    #[arg(value_name = "DIR")]
    kit: PathBuf,
    /// Command line of the other implementation; it speaks the protocol of docs/conformance.md
    #[arg(long, value_name = "PROGRAM")]
    cmd: String,
    /// Seconds that it may take for an answer
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = parse_seconds)]
    timeout: f64,
    /// Folder for its results [default: beside the kit, with -results behind its name]
    #[arg(short, long, value_name = "RESULTS")]
    output: Option<PathBuf>,
    #[command(flatten)]
    compare: CompareArgs,
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.001..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("write a number of seconds, such as 10 or 0.5".to_owned()),
    }
}

/// Drives the client through the kit, keeps what it answers, and compares.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let (identity, folders) = shards(&args.kit)?;
    let policy = identity.policy().map_err(|error| CallError::file(&args.kit, error))?;
    let filter = filter(args.compare.filter.as_deref(), &policy)?;
    let results = args.output.clone().unwrap_or_else(|| {
        let mut name = args.kit.components().as_path().as_os_str().to_owned();
        name.push("-results");
        name.into()
    });
    fs::create_dir_all(&results).map_err(|error| CallError::file(&results, error))?;
    let same = |folder: &Path| fs::canonicalize(folder).ok();
    if same(&results) == same(&args.kit) {
        return Err(CallError::file(&results, "this is the kit's folder; name another one for the results"));
    }
    for folder in &folders {
        let shard = KitShard::open(folder)?;
        let name = folder.file_name().map_or_else(|| results.clone(), |name| results.join(name));
        drive(args, &shard, &filter, &name)?;
    }
    let mut checked = check::compare(&args.kit, &results, &args.compare)?;
    checked.results = Some(results.display().to_string());
    finish(&checked, invocation)
}

/// One shard. What the client answered is kept, whatever happens.
fn drive(args: &Args, shard: &KitShard, filter: &Filter, folder: &Path) -> Result<(), CallError> {
    let mut kept = Kept::new(shard, folder)?;
    let ended = converse(args, shard, filter, &mut kept);
    let answered = kept.answered;
    kept.finish(ended.as_ref().err())?;
    ended.map_err(|why| {
        let (asked, kit) = (shard.records.len(), args.kit.display());
        let results = folder.parent().unwrap_or(folder).display();
        CallError::new(format_args!(
            "client `{}`, shard {}: {why}; {answered} of {asked} cases were answered and are kept, and \
             `vq7 conform check {kit} --results {results}` compares them",
            args.cmd,
            shard.name()
        ))
    })
}

/// What a client did wrong, as text.
fn converse(args: &Args, shard: &KitShard, filter: &Filter, kept: &mut Kept) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let most = shard.records.iter().map(|record| record.image_bytes).max().unwrap_or(0).max(LONGEST_TEXT as u32);
    let mut client = Client::start(&args.cmd, Duration::from_secs_f64(args.timeout), most)
        .map_err(|error| format!("it cannot be started: {error}"))?;
    let geometry = *shard.manifest.identity.generation().map_err(|error| text(&error))?.geometry();
    let mut hello = Vec::new();
    let line = Hello::new(&shard.manifest, geometry.sbuf_stride, geometry.sbuf_active);
    line.write(&mut hello).map_err(|error| text(&error))?;
    client.send(hello);
    kept.manifest.producer = client.hello()?.producer;
    let mut inputs = Stretches::new(shard.folder.join("inputs.bin"));
    let bar = Progress::new("running", shard.manifest.counts.elements);
    let mut done = 0;
    for (index, (record, word)) in shard.records.iter().zip(&shard.words).enumerate() {
        done += u64::from(record.elements);
        if !filter.admits(op_of(record), types_of(record)) {
            continue;
        }
        let number = index as u32;
        let input = inputs.read(record.image, record.image_bytes as usize).map_err(|error| text(&error))?;
        let Some((_, bytes)) = record_at(&shard.cases, index) else { continue };
        let mut frame = Vec::new();
        let coefficients = coefficients(shard, record);
        write_case(&mut frame, number, bytes, word, coefficients, &input).map_err(|error| text(&error))?;
        client.send(frame);
        let reply = client.reply(number)?;
        if reply.status == CaseStatus::Done && reply.body.len() != input.len() {
            let (found, wanted) = (reply.body.len(), input.len());
            let much = if found > wanted { "too much" } else { "too little" };
            return Err(format!(
                "it answers {much}: {found} bytes for case {}, whose windows have {wanted}",
                record.case
            ));
        }
        kept.case(index, record, reply.status, &reply.body).map_err(|error| text(&error))?;
        bar.at(done);
    }
    for (index, (listed, word)) in shard.negatives.iter().enumerate().filter(|_| filter.is_all()) {
        let number = (shard.records.len() + index) as u32;
        let mut frame = Vec::new();
        write_negative(&mut frame, number, listed, word).map_err(|error| text(&error))?;
        client.send(frame);
        let reply = client.reply(number)?;
        if let (CaseStatus::Refused, Some(said)) = (reply.status, kept.manifest.negatives.get_mut(index)) {
            *said = Some(String::from_utf8_lossy(&reply.body).trim().to_owned());
        }
        kept.unsupported_negatives |= reply.status == CaseStatus::Unsupported;
    }
    let mut frame = Vec::new();
    write_end(&mut frame).map_err(|error| text(&error))?;
    client.send(frame);
    client.end()
}

/// The rows of coefficients of a case.
fn coefficients<'a>(shard: &'a KitShard, record: &Record) -> &'a [u8] {
    const ROW: usize = 20;
    if record.coefficients == NO_COEFFICIENTS {
        return &[];
    }
    let start = (record.coefficients as usize).saturating_mul(ROW);
    shard.coefficients.get(start..start.saturating_add(usize::from(record.channels) * ROW)).unwrap_or(&[])
}

/// The files of results as they grow.
struct Kept {
    folder: PathBuf,
    bin: BufWriter<File>,
    status: Vec<u8>,
    written: u64,
    total: u64,
    manifest: ResultsManifest,
    answered: usize,
    unsupported_negatives: bool,
}

impl Kept {
    fn new(shard: &KitShard, folder: &Path) -> Result<Self, CallError> {
        fs::create_dir_all(folder).map_err(|error| CallError::file(folder, error))?;
        let path = folder.join("results.bin");
        let bin = File::create(&path).map_err(|error| CallError::file(&path, error))?;
        let total = shard.manifest.files.get("expected.bin").map_or(0, |file| file.bytes);
        Ok(Self {
            folder: folder.to_owned(),
            bin: BufWriter::new(bin),
            status: vec![CaseStatus::Missing as u8; shard.records.len()],
            written: 0,
            total,
            manifest: shard.manifest.results("unknown"),
            answered: 0,
            unsupported_negatives: false,
        })
    }

    fn case(&mut self, index: usize, record: &Record, status: CaseStatus, body: &[u8]) -> Result<(), CallError> {
        if let Some(slot) = self.status.get_mut(index) {
            *slot = status as u8;
        }
        self.answered += 1;
        if status == CaseStatus::Done {
            self.pad(record.image)?;
            self.bin.write_all(body).map_err(|error| CallError::file(&self.folder, error))?;
            self.written += body.len() as u64;
        }
        Ok(())
    }

    /// Zeros up to a place, for cases without a result.
    fn pad(&mut self, to: u64) -> Result<(), CallError> {
        let zeros = to.saturating_sub(self.written);
        std::io::copy(&mut std::io::Read::take(std::io::repeat(0), zeros), &mut self.bin)
            .map_err(|error| CallError::file(&self.folder, error))?;
        self.written += zeros;
        Ok(())
    }

    fn finish(mut self, why: Option<&String>) -> Result<(), CallError> {
        self.pad(self.total)?;
        let fail = |error| CallError::file(&self.folder, error);
        self.bin.flush().map_err(fail)?;
        fs::write(self.folder.join("status.bin"), &self.status).map_err(fail)?;
        self.manifest.complete = why.is_none();
        self.manifest.ended = why.cloned();
        if self.unsupported_negatives && self.manifest.negatives.iter().all(Option::is_none) {
            // A client that judges no word at all is not held against the words to refuse.
            self.manifest.negatives.clear();
        }
        for name in RESULT_FILES {
            self.manifest.files.insert(name.to_owned(), hash_file(&self.folder.join(name))?);
        }
        Output::prepare(self.folder.join(RESULTS))?.write(&to_json(&self.manifest))
    }
}
