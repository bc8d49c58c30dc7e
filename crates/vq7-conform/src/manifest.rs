//! What a kit and its results say of themselves: JSON that anything can read.

use crate::kit::{FORMAT_VERSION, Filter, Kit, Shard, level_number, level_of, version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vq7_isa::Generation;
use vq7_policy::{Knob, Policy};

/// The name of a manifest, of a shard or of all.
pub const MANIFEST: &str = "manifest.json";
/// The name of the manifest of results.
pub const RESULTS: &str = "results.json";
/// What a manifest of a kit is.
const KIT: &str = "vq7-conformance-kit";
/// What a manifest of results is.
const KIT_RESULTS: &str = "vq7-conformance-results";

/// A file by its size and hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hashed {
    /// Bytes.
    pub bytes: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

/// Files by their names.
pub type Hashes = BTreeMap<String, Hashed>;

/// A part of a kit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which, from 0.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

/// Numbers of things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Cells: instruction, op and dtypes.
    pub cells: u64,
    /// Cases; each has one word.
    pub cases: u64,
    /// Elements of all cases.
    pub elements: u64,
    /// Words that a rule must refuse.
    pub negatives: u64,
}

/// What the target has, whatever the filter and the shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetCounts {
    /// Cells that are legal and specified.
    pub cells: u64,
    /// Of them, those of the tensor-tensor opcodes 0x41 and 0x51.
    pub tensor_tensor_cells: u64,
    /// Of all, those that an engine's gate takes too.
    pub cells_of_an_engine: u64,
    /// Cells that are legal and whose result no source settles: not in the kit.
    pub unspecified_cells: u64,
    /// Cells that are legal in structure and for which no engine has a kernel: not in the kit.
    pub cells_without_kernel: u64,
}

/// What a kit is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Version of the form.
    pub schema_version: u32,
    /// What this is.
    pub kind: String,
    /// The name of the kit.
    pub kit: String,
    /// The vq7 that wrote it.
    pub vq7: String,
    /// The target.
    pub target: String,
    /// Its code name.
    pub code_name: String,
    /// The level.
    pub level: u8,
    /// The seed.
    pub seed: u64,
    /// The filter, or `all`.
    pub filter: String,
    /// Every knob with its value.
    pub policy: BTreeMap<String, String>,
}

/// The manifest of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// What it is of.
    #[serde(flatten)]
    pub identity: Identity,
    /// Which part.
    pub shard: Part,
    /// What the shard has.
    pub counts: Counts,
    /// What the target has.
    pub target_counts: TargetCounts,
    /// Names of the shapes, by number.
    pub shapes: Vec<String>,
    /// The files.
    pub files: Hashes,
}

/// A shard as the top manifest lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Its folder.
    pub folder: String,
    /// Which part.
    pub shard: Part,
    /// What it has.
    pub counts: Counts,
    /// SHA-256 of its manifest.
    pub manifest_sha256: String,
}

/// The manifest of the shards that are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopManifest {
    /// What they are of.
    #[serde(flatten)]
    pub identity: Identity,
    /// The sum of what they have.
    pub counts: Counts,
    /// What the target has.
    pub target_counts: TargetCounts,
    /// Whether all shards are there.
    pub complete: bool,
    /// The shards.
    pub shards: Vec<Listed>,
}

/// The manifest of somebody's results of one shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultsManifest {
    /// Version of the form.
    pub schema_version: u32,
    /// `vq7-conformance-results`
    pub kind: String,
    /// The kit's name.
    pub kit: String,
    /// The vq7 that wrote the kit.
    pub vq7: String,
    /// The target.
    pub target: String,
    /// The level.
    pub level: u8,
    /// The seed.
    pub seed: u64,
    /// The policy that the producer computed under; the knobs that are not named are not compared.
    #[serde(default)]
    pub policy: BTreeMap<String, String>,
    /// Which part.
    pub shard: Part,
    /// Who made them.
    pub producer: String,
    /// Whether every case was answered.
    pub complete: bool,
    /// Why not, if not.
    #[serde(default)]
    pub ended: Option<String>,
    /// The files, if their hashes were kept.
    #[serde(default)]
    pub files: Hashes,
    /// What was said of each negative word, in order: the rule, an empty text for another refusal, nothing for one that was
    /// taken or not answered.
    #[serde(default)]
    pub negatives: Vec<Option<String>>,
}

/// Why a manifest is not the one that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// Not JSON of this form.
    #[error("this is no manifest of {0}: {1}")]
    Form(&'static str, String),
    /// A form of another version.
    #[error(
        "form {found} is not form {FORMAT_VERSION}, which this vq7 ({}) reads; use the vq7 that wrote it",
        version()
    )]
    Version {
        /// What it is.
        found: u32,
    },
    /// Of something else.
    #[error("these results are of another {what}: they say {found}, and the kit is of {wanted}")]
    Other {
        /// Shard, seed, ..
        what: &'static str,
        /// What the results say.
        found: String,
        /// What the kit says.
        wanted: String,
    },
    /// A manifest that names things this vq7 does not know.
    #[error("the kit was written with {0}, which this vq7 does not know; use the vq7 that wrote it")]
    Unknown(String),
}

impl Identity {
    /// That of a kit.
    pub fn of(kit: &Kit) -> Self {
        Self {
            schema_version: FORMAT_VERSION,
            kind: KIT.to_owned(),
            kit: kit.id(),
            vq7: version().to_owned(),
            target: kit.generation.target().to_owned(),
            code_name: kit.generation.code_name().to_owned(),
            level: level_number(kit.level),
            seed: kit.seed,
            filter: kit.filter.to_string(),
            policy: Knob::ALL.iter().map(|&knob| (knob.name().to_owned(), kit.policy.get(knob).to_owned())).collect(),
        }
    }

    /// The policy.
    ///
    /// # Errors
    /// When it names a knob or a value that is not known.
    pub fn policy(&self) -> Result<Policy, ManifestError> {
        let mut policy = Policy::default();
        for (knob, value) in &self.policy {
            policy.set(&format!("{knob}={value}")).map_err(|error| ManifestError::Unknown(error.to_string()))?;
        }
        Ok(policy)
    }

    /// The target.
    ///
    /// # Errors
    /// When it is not known.
    pub fn generation(&self) -> Result<Generation, ManifestError> {
        Generation::parse(&self.target).map_err(|error| ManifestError::Unknown(error.to_string()))
    }

    /// The kit, to be built again.
    ///
    /// # Errors
    /// When something in it is not known, or when this vq7 would build other bytes.
    pub fn kit(&self) -> Result<Kit, ManifestError> {
        let policy = self.policy()?;
        let level = level_of(self.level).ok_or_else(|| ManifestError::Unknown(format!("level {}", self.level)))?;
        let filter = match self.filter.as_str() {
            "all" => Filter::default(),
            text => Filter::parse(text, &policy).map_err(ManifestError::Unknown)?,
        };
        let kit = Kit { generation: self.generation()?, policy, level, seed: self.seed, filter };
        match kit.id() == self.kit {
            true => Ok(kit),
            false => Err(ManifestError::Unknown(format!("vq7 {} as kit {}", self.vq7, self.kit))),
        }
    }

    fn checked(self) -> Result<Self, ManifestError> {
        if self.kind != KIT {
            return Err(ManifestError::Form("a conformance kit", format!("its kind is `{}`", self.kind)));
        }
        match self.schema_version {
            FORMAT_VERSION => Ok(self),
            found => Err(ManifestError::Version { found }),
        }
    }
}

impl Manifest {
    /// Reads a shard's manifest.
    ///
    /// # Errors
    /// When it is none, or of another version.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let manifest: Self = parse(bytes, "a shard of a conformance kit")?;
        manifest.identity.clone().checked()?;
        Ok(manifest)
    }

    /// The manifest of results that belong to the shard, nothing answered yet.
    pub fn results(&self, producer: &str) -> ResultsManifest {
        let Identity { kit, vq7, target, level, seed, policy, .. } = self.identity.clone();
        ResultsManifest {
            schema_version: FORMAT_VERSION,
            kind: KIT_RESULTS.to_owned(),
            kit,
            vq7,
            target,
            level,
            seed,
            policy,
            shard: self.shard,
            producer: producer.to_owned(),
            complete: false,
            ended: None,
            files: Hashes::new(),
            negatives: vec![None; self.counts.negatives as usize],
        }
    }
}

impl TopManifest {
    /// The manifest of some shards of one kit.
    pub fn of(shards: Vec<(Manifest, String)>) -> Option<Self> {
        let (first, _) = shards.first()?;
        let (identity, target_counts) = (first.identity.clone(), first.target_counts);
        let mut counts = Counts::default();
        let mut listed = Vec::new();
        for (manifest, manifest_sha256) in shards {
            counts.cells = counts.cells.saturating_add(manifest.counts.cells);
            counts.cases = counts.cases.saturating_add(manifest.counts.cases);
            counts.elements = counts.elements.saturating_add(manifest.counts.elements);
            counts.negatives = counts.negatives.saturating_add(manifest.counts.negatives);
            let Part { index, of } = manifest.shard;
            let folder = Shard { index, of }.folder();
            listed.push(Listed { folder, shard: manifest.shard, counts: manifest.counts, manifest_sha256 });
        }
        listed.sort_by_key(|shard| (shard.shard.of, shard.shard.index));
        let complete = listed.iter().any(|shard| {
            let of = shard.shard.of;
            listed.iter().filter(|other| other.shard.of == of).count() == of as usize
        });
        Some(Self { identity, counts, target_counts, complete, shards: listed })
    }

    /// Reads it.
    ///
    /// # Errors
    /// When it is none, or of another version.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let manifest: Self = parse(bytes, "a conformance kit")?;
        manifest.identity.clone().checked()?;
        Ok(manifest)
    }
}

impl ResultsManifest {
    /// Reads it.
    ///
    /// # Errors
    /// When it is none, or of another version.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let results: Self = parse(bytes, "results of a conformance kit")?;
        if results.kind != KIT_RESULTS {
            let kind = format!("its kind is `{}`", results.kind);
            return Err(ManifestError::Form("results of a conformance kit", kind));
        }
        match results.schema_version {
            FORMAT_VERSION => Ok(results),
            found => Err(ManifestError::Version { found }),
        }
    }

    /// Holds it against the shard that it should be of.
    ///
    /// # Errors
    /// Names the first thing that is of another kit.
    pub fn belongs_to(&self, manifest: &Manifest) -> Result<(), ManifestError> {
        let Identity { kit, vq7, target, level, seed, policy, .. } = &manifest.identity;
        let part = |part: Part| Shard { index: part.index, of: part.of }.to_string();
        let pairs = [
            ("version of vq7", self.vq7.clone(), vq7.clone()),
            ("target", self.target.clone(), target.clone()),
            ("level", self.level.to_string(), level.to_string()),
            ("seed", self.seed.to_string(), seed.to_string()),
            ("shard", part(self.shard), part(manifest.shard)),
        ];
        let other = |what, found: &str, wanted: &str| {
            Err(ManifestError::Other { what, found: found.to_owned(), wanted: wanted.to_owned() })
        };
        for (what, found, wanted) in &pairs {
            if found != wanted {
                return other(what, found, wanted);
            }
        }
        for (knob, value) in &self.policy {
            let wanted = policy.get(knob).map_or("no such knob", String::as_str);
            if wanted != value {
                return other("policy", &format!("{knob}={value}"), &format!("{knob}={wanted}"));
            }
        }
        match self.kit == *kit {
            true => Ok(()),
            false => other("kit", &self.kit, kit),
        }
    }
}

fn parse<T: for<'de> Deserialize<'de>>(bytes: &[u8], what: &'static str) -> Result<T, ManifestError> {
    serde_json::from_slice(bytes).map_err(|error| ManifestError::Form(what, error.to_string()))
}

/// A manifest as it is written.
pub fn to_json<T: Serialize>(manifest: &T) -> Vec<u8> {
    // Plain structs with text keys: nothing in them refuses to be written.
    let mut bytes = serde_json::to_vec_pretty(manifest).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
