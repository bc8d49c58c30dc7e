//! `vq7 conform generate`.

use super::folder::{hash_file, read, same_hashes};
use super::{filter, pool, threads};
use crate::files::output::Output;
use crate::invocation::Invocation;
use crate::outcome::{CallError, Outcome};
use crate::terminal::Progress;
use std::fs::{self, File};
use std::io::BufWriter;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use vq7_conform::check::kit_name;
use vq7_conform::kit::level_of;
use vq7_conform::manifest::{Identity, MANIFEST, to_json};
use vq7_conform::negative::negatives;
use vq7_conform::write::{FILES, NEGATIVE_LIST, ShardWriter};
use vq7_conform::{Builder, Built, Kit, Manifest, Plan, Shard, TopManifest};
use vq7_isa::legality::Engine;
use vq7_report::conform::ConformGenerated;

/// Arguments of `conform generate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: vq7 conform generate --target trn2 --level 1 -o kit\n\
                  Example: vq7 conform generate --shard 3/16 --seed 7 --filter op=add,op=add_int -o kit")]
pub struct Args {
    /// Folder of the kit; shards lie in it side by side
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// How the elements are weighted: 1 or 2
    #[arg(long, value_name = "LEVEL", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    level: u8,
    /// Part i of n of the cells, counted from 0
    #[arg(long, value_name = "I/N", default_value = "0/1", value_parser = Shard::parse)]
    shard: Shard,
    /// What chooses the bits that are any
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Only cells of these ops and dtypes: op=add,op=mult,dtype=float16
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Threads [default: one per processor]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

/// Cases that a thread builds at a time.
const CHUNK: usize = 16;

/// Writes a shard, unless it is there.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let setting = invocation.setting(Engine::Any);
    invocation.say_target_source();
    let filter = filter(args.filter.as_deref(), &setting.policy)?;
    let level = level_of(args.level).ok_or_else(|| CallError::at("--level", "use 1 or 2"))?;
    let kit = Kit { generation: setting.generation, policy: setting.policy, level, seed: args.seed, filter };
    let identity = Identity::of(&kit);
    fs::create_dir_all(&args.output).map_err(|error| CallError::file(&args.output, error))?;
    same_kit(&args.output, &identity)?;
    let folder = args.output.join(args.shard.folder());
    let there = whole(&folder, &identity, threads(args.threads));
    let manifest = match &there {
        Some(manifest) => manifest.clone(),
        None => write(args, Plan::new(kit), &folder)?,
    };
    let top = merge(&args.output, &identity)?;
    let answer = ConformGenerated {
        kit: kit_name(&identity),
        shard: args.shard.to_string(),
        folder: folder.display().to_string(),
        already_there: there.is_some(),
        cells: manifest.counts.cells,
        cases: manifest.counts.cases,
        elements: manifest.counts.elements,
        negatives: manifest.counts.negatives,
        bytes: manifest.files.values().map(|file| file.bytes).sum(),
        target_cells: manifest.target_counts.cells,
        target_cells_of_an_engine: manifest.target_counts.cells_of_an_engine,
        unspecified_cells: manifest.target_counts.unspecified_cells,
        cells_without_kernel: manifest.target_counts.cells_without_kernel,
        shards_there: top.shards.len() as u64,
        complete: top.complete,
    };
    invocation.answer(&answer)?;
    Ok(Outcome::Done)
}

/// Refuses a folder that has another kit.
fn same_kit(folder: &Path, identity: &Identity) -> Result<(), CallError> {
    let path = folder.join(MANIFEST);
    if !path.exists() {
        return Ok(());
    }
    let there = TopManifest::parse(&read(&path)?).map_err(|error| CallError::file(&path, error))?.identity;
    if there == *identity {
        return Ok(());
    }
    let name = |identity: &Identity| {
        let Identity { kit, target, level, seed, filter, vq7, .. } = identity;
        format!("{kit} (vq7 {vq7}, {target}, level {level}, seed {seed}, filter {filter})")
    };
    let (there, asked) = (name(&there), name(identity));
    Err(CallError::file(
        folder,
        format_args!("another kit is here: {there}; asked for is {asked}; name another folder"),
    ))
}

/// The manifest of a shard that is there, whole and of this kit.
fn whole(folder: &Path, identity: &Identity, threads: usize) -> Option<Manifest> {
    let manifest = Manifest::parse(&fs::read(folder.join(MANIFEST)).ok()?).ok()?;
    let mine = manifest.identity == *identity && same_hashes(folder, &manifest.files, threads).is_ok();
    mine.then_some(manifest)
}

/// Writes the files of a shard beside its place; it gets its name when it is whole.
fn write(args: &Args, plan: Plan, folder: &Path) -> Result<Manifest, CallError> {
    let unfinished = folder.with_extension("unfinished");
    let remove = |path: &Path| match path.exists() {
        true => fs::remove_dir_all(path).map_err(|error| CallError::file(path, error)),
        false => Ok(()),
    };
    remove(&unfinished)?;
    fs::create_dir_all(&unfinished).map_err(|error| CallError::file(&unfinished, error))?;
    let mut streams = Vec::new();
    for name in FILES {
        let path = unfinished.join(name);
        streams.push(BufWriter::with_capacity(
            1 << 18,
            File::create(&path).map_err(|error| CallError::file(&path, error))?,
        ));
    }
    let Ok(streams) = streams.try_into() else {
        return Err(CallError::file(&unfinished, "a file of the shard is missing"));
    };
    let mut writer = ShardWriter::new(streams);
    let cases = plan.shard(args.shard);
    let chunks: Vec<_> = cases.chunks(CHUNK).collect();
    let bar = Progress::new("generating", cases.len() as u64 * vq7_conform::plan::ELEMENTS);
    let mut done = 0;
    let work = |builder: &mut Builder<'_>, piece: usize| -> Result<Vec<Built>, CallError> {
        let chunk = chunks.get(piece).copied().unwrap_or(&[]);
        chunk.iter().map(|case| builder.build(case).map_err(CallError::new)).collect()
    };
    let take = |built: Vec<Built>| {
        for case in &built {
            writer.push(case).map_err(|error| CallError::file(&unfinished, error))?;
            done += u64::from(case.record.elements);
        }
        bar.at(done);
        Ok(())
    };
    pool::in_order(chunks.len(), threads(args.threads), || Builder::new(&plan), work, take)?;
    drop(bar);
    let finished = writer.finish(&plan, args.shard, &negatives(&plan));
    let (manifest, list) = finished.map_err(|error| CallError::file(&unfinished, error))?;
    for (name, bytes) in [(NEGATIVE_LIST, &list), (MANIFEST, &to_json(&manifest))] {
        let path = unfinished.join(name);
        fs::write(&path, bytes).map_err(|error| CallError::file(&path, error))?;
    }
    remove(folder)?;
    fs::rename(&unfinished, folder).map_err(|error| CallError::file(folder, error))?;
    Ok(manifest)
}

/// Lists the shards that are there in the folder's manifest.
fn merge(kit: &Path, identity: &Identity) -> Result<TopManifest, CallError> {
    let entries = fs::read_dir(kit).map_err(|error| CallError::file(kit, error))?;
    let mut shards = Vec::new();
    for folder in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        let path = folder.join(MANIFEST);
        if folder.extension().is_some() || !path.exists() {
            continue;
        }
        let manifest = Manifest::parse(&read(&path)?).map_err(|error| CallError::file(&path, error))?;
        if manifest.identity == *identity {
            shards.push((manifest, hash_file(&path)?.sha256));
        }
    }
    let top = TopManifest::of(shards).ok_or_else(|| CallError::file(kit, "the shard went away"))?;
    let bytes = to_json(&top);
    Output::prepare(kit.join(MANIFEST))?.write(&bytes)?;
    Ok(top)
}
