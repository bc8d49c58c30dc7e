//! `vq7 conform check`.

use super::folder::{KitShard, Results, Stretches, same_hashes, shards};
use super::{filter, finish, pool, threads};
use crate::invocation::Invocation;
use crate::outcome::{CallError, Outcome};
use crate::terminal::Progress;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use vq7_conform::check::{CaseStatus, Compared};
use vq7_conform::compare::{Answered, op_of, types_of};
use vq7_conform::manifest::Identity;
use vq7_conform::write::{FILES, ListedNegative};
use vq7_conform::{Builder, CaseSpec, Filter, Plan, Record, Shard, Tally};
use vq7_isa::Generation;
use vq7_policy::Policy;
use vq7_report::conform::ConformChecked;

/// Arguments of `conform check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: vq7 conform check kit --results theirs\n\
                  Example: vq7 conform check kit --results theirs --filter dtype=float16 --json\n\
                  Example: vq7 conform check kit")]
pub struct Args {
    /// Folder of the kit
    #[arg(value_name = "DIR")]
    kit: PathBuf,
    /// The results: a folder, a results.json, or the file beside one
    #[arg(long, value_name = "FILE|DIR")]
    results: Option<PathBuf>,
    #[command(flatten)]
    pub compare: CompareArgs,
}

/// How to compare.
#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    /// Only cells of these ops and dtypes: op=add,op=mult,dtype=float16
    #[arg(long, value_name = "FILTER")]
    pub filter: Option<String>,
    /// Differences of a kind to show, one for each op and dtype of the result
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub show: usize,
    /// Threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZero<usize>>,
}

/// Cases that a thread compares at a time.
const CHUNK: usize = 64;

/// Compares.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let checked = match &args.results {
        Some(results) => compare(&args.kit, results, &args.compare)?,
        None => itself(&args.kit, &args.compare)?,
    };
    finish(&checked, invocation)
}

/// What all comparisons of a kit share.
struct Setting {
    identity: Identity,
    generation: Generation,
    policy: Policy,
    filter: Filter,
    threads: usize,
}

impl Setting {
    fn new(kit: &Path, identity: Identity, args: &CompareArgs) -> Result<Self, CallError> {
        let generation = identity.generation().map_err(|error| CallError::file(kit, error))?;
        let policy = identity.policy().map_err(|error| CallError::file(kit, error))?;
        let filter = filter(args.filter.as_deref(), &policy)?;
        Ok(Self { identity, generation, policy, filter, threads: threads(args.threads) })
    }

    fn wants(&self, record: &Record) -> bool {
        self.filter.admits(op_of(record), types_of(record))
    }
}

/// Results held against the shards that they are of.
pub(super) fn compare(kit: &Path, results: &Path, args: &CompareArgs) -> Result<ConformChecked, CallError> {
    let (identity, folders) = shards(kit)?;
    let setting = Setting::new(kit, identity, args)?;
    let all = Results::all(results)?;
    let mut tally = Tally::new(args.show);
    let (mut names, mut producers, mut ended) = (Vec::new(), Vec::new(), None);
    for results in &all {
        let shard = shard_of(&folders, results)?;
        results.belong_to(&shard)?;
        same_hashes(&shard.folder, &shard.manifest.files, setting.threads)?;
        one(&setting, &shard, results, &mut tally)?;
        names.push(shard.name());
        if !producers.contains(&results.manifest.producer) {
            producers.push(results.manifest.producer.clone());
        }
        ended = ended.or_else(|| results.manifest.ended.clone());
    }
    let checked = tally.finish(&setting.identity, &producers.join(", "), names);
    Ok(ConformChecked { ended, ..checked })
}

/// The shard that results are of; with one shard there it is that one, so that what differs is named.
fn shard_of(folders: &[PathBuf], results: &Results) -> Result<KitShard, CallError> {
    let part = results.manifest.shard;
    let name = Shard { index: part.index, of: part.of };
    let folder = match folders {
        [one] => one,
        many => many.iter().find(|folder| folder.ends_with(name.folder())).ok_or_else(|| {
            CallError::file(
                &results.path,
                format_args!("these are results of shard {name}, which is not in the kit's folder"),
            )
        })?,
    };
    KitShard::open(folder)
}

fn one(setting: &Setting, shard: &KitShard, results: &Results, tally: &mut Tally) -> Result<(), CallError> {
    let KitShard { records, words, folder, manifest, .. } = shard;
    let chunks = records.len().div_ceil(CHUNK);
    let bar = Progress::new("comparing", manifest.counts.elements);
    let mut done = 0;
    let files = || {
        let [_, _, inputs, expected, ..] = FILES.map(|name| folder.join(name));
        [inputs, expected, results.bin.clone()].map(Stretches::new)
    };
    let work = |files: &mut [Stretches; 3], piece: usize| -> Result<Vec<Compared>, CallError> {
        let range = piece * CHUNK..(piece * CHUNK + CHUNK).min(records.len());
        let (start, length) = stretch(records.get(range.clone()).unwrap_or(&[]));
        let [inputs, expected, got] = files;
        let (expected, got) = (expected.read(start, length)?, got.read(start, length)?);
        // What went in is looked at where something differs.
        let input = if expected == got { Vec::new() } else { inputs.read(start, length)? };
        let mut compared = Vec::new();
        for index in range {
            let (Some(record), Some(word)) = (records.get(index), words.get(index)) else { continue };
            if !setting.wants(record) {
                continue;
            }
            let at = (record.image - start) as usize;
            let part = |bytes: &[u8]| bytes.get(at..at + record.image_bytes as usize).unwrap_or(&[]).to_vec();
            let (input, expected, got) = (part(&input), part(&expected), part(&got));
            let answered = Answered { record, word, input: &input, expected: &expected, got: &got };
            compared.push(Compared::of(&answered, results.status_of(index), setting.generation, &setting.policy));
        }
        Ok(compared)
    };
    let take = |compared: Vec<Compared>| {
        for case in compared {
            done += case.elements();
            tally.add(case);
        }
        bar.at(done);
        Ok(())
    };
    pool::in_order(chunks, setting.threads, files, work, take)?;
    // Words to refuse have no op to be filtered by.
    if setting.filter.is_all() && !results.manifest.negatives.is_empty() {
        for ((listed, word), said) in shard.negatives.iter().zip(&results.manifest.negatives) {
            let answered = results.manifest.complete || said.is_some();
            tally.add_negative(listed, word, answered, said.as_deref());
        }
    }
    Ok(())
}

/// Where the images of some cases in a row begin, and how many bytes they are.
fn stretch(records: &[Record]) -> (u64, usize) {
    match (records.first(), records.last()) {
        (Some(first), Some(last)) => (first.image, (last.image - first.image) as usize + last.image_bytes as usize),
        _ => (0, 0),
    }
}

/// The kit held against this vq7: hashes, and everything built once more.
fn itself(kit: &Path, args: &CompareArgs) -> Result<ConformChecked, CallError> {
    let (identity, folders) = shards(kit)?;
    let setting = Setting::new(kit, identity, args)?;
    let plan = Plan::new(setting.identity.kit().map_err(|error| CallError::file(kit, error))?);
    let mut tally = Tally::new(args.show);
    let mut names = Vec::new();
    let negatives: Vec<_> = vq7_conform::negative::negatives(&plan);
    for folder in &folders {
        let shard = KitShard::open(folder)?;
        same_hashes(folder, &shard.manifest.files, setting.threads)?;
        rebuild(&setting, &plan, &shard, &mut tally)?;
        let part = Shard { index: shard.manifest.shard.index, of: shard.manifest.shard.of };
        let mine = negatives.iter().filter(|negative| part.has(negative.number.into()));
        let wanted: Vec<_> = mine.map(|negative| (ListedNegative::of(negative), negative.word)).collect();
        if wanted != shard.negatives {
            return Err(CallError::file(folder, "its illegal words are not those that this vq7 writes"));
        }
        for (listed, word) in &wanted {
            tally.add_negative(listed, word, true, Some(&listed.rule));
        }
        names.push(shard.name());
    }
    Ok(tally.finish(&setting.identity, "vq7", names))
}

fn rebuild(setting: &Setting, plan: &Plan, shard: &KitShard, tally: &mut Tally) -> Result<(), CallError> {
    let part = Shard { index: shard.manifest.shard.index, of: shard.manifest.shard.of };
    let cases: Vec<CaseSpec> = plan.shard(part);
    let other = |what: &str| {
        CallError::file(&shard.folder, format_args!("{what} not what this vq7 writes; use the vq7 that wrote the kit"))
    };
    if cases.len() != shard.records.len() {
        return Err(other("its cases are"));
    }
    let chunks: Vec<_> = cases.chunks(CHUNK).collect();
    let bar = Progress::new("checking", shard.manifest.counts.elements);
    let mut done = 0;
    let state = || {
        let [_, _, inputs, expected, ..] = FILES.map(|name| shard.folder.join(name));
        (Builder::new(plan), [inputs, expected].map(Stretches::new))
    };
    let work = |(builder, [inputs, outputs]): &mut (Builder<'_>, [Stretches; 2]), piece: usize| {
        let mut compared = Vec::new();
        for (case, index) in chunks.get(piece).copied().unwrap_or(&[]).iter().zip(piece * CHUNK..) {
            let Some((record, word)) = shard.records.get(index).zip(shard.words.get(index)) else { continue };
            if !setting.wants(record) {
                continue;
            }
            let built = builder.build(case).map_err(CallError::new)?;
            let length = record.image_bytes as usize;
            let input = inputs.read(record.image, length)?;
            let same = Record { image: record.image, coefficients: record.coefficients, ..built.record } == *record;
            if !same || built.word != *word || built.input != input {
                return Err(other(&format!("case {} is", record.case)));
            }
            let got = outputs.read(record.image, length)?;
            let answered = Answered { record, word, input: &input, expected: &built.expected, got: &got };
            compared.push(Compared::of(&answered, CaseStatus::Done, setting.generation, &setting.policy));
        }
        Ok(compared)
    };
    let take = |compared: Vec<Compared>| {
        for case in compared {
            done += case.elements();
            tally.add(case);
        }
        bar.at(done);
        Ok(())
    };
    pool::in_order(chunks.len(), setting.threads, state, work, take)
}
