//! Kits and results on disk. Source of the form: docs/conformance.md.

use super::pool;
use crate::outcome::CallError;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use vq7_conform::check::CaseStatus;
use vq7_conform::manifest::{Hashed, Identity, MANIFEST, RESULTS};
use vq7_conform::record::RECORD_BYTES;
use vq7_conform::write::{FILES, HashWriter, ListedNegative, NEGATIVE_LIST};
use vq7_conform::{Hashes, Manifest, Record, ResultsManifest, TopManifest, kit};
use vq7_isa::Word;
use vq7_isa::word::WORD_BYTES;

/// The results' files.
pub(super) const RESULT_FILES: [&str; 2] = ["results.bin", "status.bin"];

/// Reads a whole file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, CallError> {
    fs::read(path).map_err(|error| CallError::file(path, error))
}

/// A shard of a kit on disk, its small files read.
#[derive(Debug)]
pub(super) struct KitShard {
    pub folder: PathBuf,
    pub manifest: Manifest,
    pub records: Vec<Record>,
    /// `cases.bin` as it is.
    pub cases: Vec<u8>,
    pub words: Vec<Word>,
    pub coefficients: Vec<u8>,
    pub negatives: Vec<(ListedNegative, Word)>,
}

impl KitShard {
    /// Reads a shard. Its files are held against the sizes in its manifest, and the cases against the files.
    pub fn open(folder: &Path) -> Result<Self, CallError> {
        let path = folder.join(MANIFEST);
        let manifest = Manifest::parse(&read(&path)?).map_err(|error| CallError::file(&path, error))?;
        for name in FILES {
            let path = folder.join(name);
            let found = fs::metadata(&path).map_err(|error| CallError::file(&path, error))?.len();
            same_size(&path, found, manifest.files.get(name))?;
        }
        let [cases, words, _, _, coefficients, negative] = FILES.map(|name| folder.join(name));
        let (bytes, words_bytes) = (read(&cases)?, read(&words)?);
        let records: Vec<_> = bytes.as_chunks::<RECORD_BYTES>().0.iter().map(Record::decode).collect();
        let words: Vec<_> = words_bytes.as_chunks::<WORD_BYTES>().0.iter().copied().map(Word).collect();
        let damaged = |path: &Path, what: &str| CallError::file(path, format_args!("the kit is damaged: {what}"));
        let image: u64 = records.last().map_or(0, |last| last.image.saturating_add(last.image_bytes.into()));
        let in_order = records.windows(2).all(|pair| match pair {
            [a, b] => a.image.checked_add(a.image_bytes.into()) == Some(b.image),
            _ => true,
        });
        if !in_order
            || records.len() != words.len()
            || manifest.files.get("expected.bin").map(|f| f.bytes) != Some(image)
        {
            return Err(damaged(&cases, "its cases do not fit its words and bytes"));
        }
        let list = folder.join(NEGATIVE_LIST);
        let listed: Vec<ListedNegative> =
            serde_json::from_slice(&read(&list)?).map_err(|error| CallError::file(&list, error))?;
        let negative_words = read(&negative)?;
        let (negative_words, _) = negative_words.as_chunks::<WORD_BYTES>();
        if negative_words.len() != listed.len() {
            return Err(damaged(&list, "it lists another number of words than negative.bin has"));
        }
        let (cases_listed, negatives_listed) = (manifest.counts.cases, manifest.counts.negatives);
        if (cases_listed, negatives_listed) != (records.len() as u64, listed.len() as u64) {
            return Err(damaged(&path, "its counts are not those of its files"));
        }
        let negatives = listed.into_iter().zip(negative_words.iter().copied().map(Word)).collect();
        Ok(Self {
            folder: folder.to_owned(),
            manifest,
            records,
            cases: bytes,
            words,
            coefficients: read(&coefficients)?,
            negatives,
        })
    }

    /// The shard's name, `i/n`.
    pub fn name(&self) -> String {
        let part = self.manifest.shard;
        kit::Shard { index: part.index, of: part.of }.to_string()
    }
}

/// The shards of a kit. A folder of one shard is a kit, too.
pub(super) fn shards(kit: &Path) -> Result<(Identity, Vec<PathBuf>), CallError> {
    let path = kit.join(MANIFEST);
    let bytes = fs::read(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => CallError::file(
            kit,
            "this is no conformance kit: it has no manifest.json; write one with vq7 conform generate",
        ),
        _ => CallError::file(&path, error),
    })?;
    match TopManifest::parse(&bytes) {
        Ok(top) => {
            let folders = top.shards.iter().map(|shard| kit.join(&shard.folder)).collect();
            Ok((top.identity, folders))
        }
        Err(error) => match Manifest::parse(&bytes) {
            Ok(manifest) => Ok((manifest.identity, vec![kit.to_owned()])),
            Err(_) => Err(CallError::file(&path, error)),
        },
    }
}

/// Somebody's results of one shard.
#[derive(Debug)]
pub(super) struct Results {
    /// The manifest's path, for messages.
    pub path: PathBuf,
    pub manifest: ResultsManifest,
    /// The bytes.
    pub bin: PathBuf,
    /// One byte per case; none when all are done.
    pub status: Option<Vec<u8>>,
}

impl Results {
    /// All results at a path: a manifest, a file beside one, a folder of one, or a folder of such folders.
    pub fn all(path: &Path) -> Result<Vec<Self>, CallError> {
        if !path.is_dir() {
            let is_manifest = path.extension().is_some_and(|extension| extension == "json");
            let folder = path.parent().unwrap_or(Path::new(""));
            let manifest = if is_manifest { path.to_owned() } else { folder.join(RESULTS) };
            let bin = if is_manifest { folder.join("results.bin") } else { path.to_owned() };
            return Ok(vec![Self::open(&manifest, &bin)?]);
        }
        if path.join(RESULTS).exists() {
            return Ok(vec![Self::open(&path.join(RESULTS), &path.join("results.bin"))?]);
        }
        let entries = fs::read_dir(path).map_err(|error| CallError::file(path, error))?;
        let mut folders: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        folders.retain(|folder| folder.join(RESULTS).exists());
        folders.sort();
        if folders.is_empty() {
            let message = format!("no {RESULTS} is here or in a folder of here; it says what the results are of");
            return Err(CallError::file(path, message));
        }
        folders.iter().map(|folder| Self::open(&folder.join(RESULTS), &folder.join("results.bin"))).collect()
    }

    fn open(path: &Path, bin: &Path) -> Result<Self, CallError> {
        let manifest = ResultsManifest::parse(&read(path)?).map_err(|error| CallError::file(path, error))?;
        let status = bin.with_file_name("status.bin");
        let status = if status.exists() { Some(read(&status)?) } else { None };
        Ok(Self { path: path.to_owned(), manifest, bin: bin.to_owned(), status })
    }

    /// Holds the results against the shard that they should be of: what they say, sizes, hashes where they have some.
    pub fn belong_to(&self, shard: &KitShard) -> Result<(), CallError> {
        self.manifest.belongs_to(&shard.manifest).map_err(|error| CallError::file(&self.path, error))?;
        let found = fs::metadata(&self.bin).map_err(|error| CallError::file(&self.bin, error))?.len();
        same_size(&self.bin, found, shard.manifest.files.get("expected.bin"))?;
        if let Some(status) = &self.status {
            let path = self.bin.with_file_name("status.bin");
            let cases = Hashed { bytes: shard.records.len() as u64, sha256: String::new() };
            same_size(&path, status.len() as u64, Some(&cases))?;
            if let Some(at) = status.iter().position(|byte| CaseStatus::from_byte(*byte).is_none()) {
                let message =
                    format!("the status of case {at} is {}; it is 0 to 3", status.get(at).copied().unwrap_or(0));
                return Err(CallError::file(&path, message));
            }
        }
        let (said, wanted) = (self.manifest.negatives.len(), shard.negatives.len());
        if said != 0 && said != wanted {
            let message = format!("it answers {said} illegal words, and the shard has {wanted}");
            return Err(CallError::file(&self.path, message));
        }
        let folder = self.bin.parent().unwrap_or(Path::new(""));
        same_hashes(folder, &self.manifest.files, 1)
    }

    /// What became of a case.
    pub fn status_of(&self, index: usize) -> CaseStatus {
        match &self.status {
            None => CaseStatus::Done,
            Some(status) => status.get(index).copied().and_then(CaseStatus::from_byte).unwrap_or(CaseStatus::Missing),
        }
    }
}

/// Says that a file is truncated, or too long.
fn same_size(path: &Path, found: u64, wanted: Option<&Hashed>) -> Result<(), CallError> {
    let Some(wanted) = wanted.map(|hashed| hashed.bytes) else {
        return Err(CallError::file(path, "its manifest does not list it"));
    };
    match found.cmp(&wanted) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Less => {
            Err(CallError::file(path, format_args!("the file is truncated: {found} of {wanted} bytes are there")))
        }
        std::cmp::Ordering::Greater => {
            Err(CallError::file(path, format_args!("the file is too long: {found} bytes where {wanted} belong")))
        }
    }
}

/// Holds files against their hashes.
pub(super) fn same_hashes(folder: &Path, files: &Hashes, threads: usize) -> Result<(), CallError> {
    let files: Vec<_> = files.iter().collect();
    let work = |(): &mut (), piece: usize| {
        let Some((name, wanted)) = files.get(piece) else { return Ok(()) };
        let path = folder.join(name);
        let found = hash_file(&path)?;
        same_size(&path, found.bytes, Some(wanted))?;
        match found.sha256 == wanted.sha256 {
            true => Ok(()),
            false => Err(CallError::file(&path, "the file is damaged: its SHA-256 is not the one in its manifest")),
        }
    };
    pool::in_order(files.len(), threads, || (), work, |()| Ok(()))
}

/// The size and hash of a file.
pub(super) fn hash_file(path: &Path) -> Result<Hashed, CallError> {
    let fail = |error| CallError::file(path, error);
    let mut file = File::open(path).map_err(fail)?;
    let mut hash = HashWriter::new(io::sink());
    io::copy(&mut file, &mut hash).map_err(fail)?;
    hash.finish().map_err(fail)
}

/// A file that is read in stretches.
#[derive(Debug)]
pub(super) struct Stretches {
    path: PathBuf,
    file: Option<File>,
}

impl Stretches {
    /// Of a path; it is opened when it is first read.
    pub fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// The bytes from `start` on.
    pub fn read(&mut self, start: u64, length: usize) -> Result<Vec<u8>, CallError> {
        let Self { path, file } = self;
        let fail = |error| CallError::file(path, error);
        let file = match file {
            Some(file) => file,
            None => file.insert(File::open(&*path).map_err(fail)?),
        };
        file.seek(SeekFrom::Start(start)).map_err(fail)?;
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes).map_err(fail)?;
        Ok(bytes)
    }
}
