//! The plan of a campaign: its questions and shards, and the folder that it is.

use super::{PlanArgs, targets};
use crate::files::output::Output;
use crate::invocation::Invocation;
use crate::outcome::CallError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_oracle::{Case, Coverage, Level, Oracle, Question, Space};
use vq7_policy::Policy;
use vq7_report::campaign::Planned;
use vq7_report::template::{Types, taken};

const FILE: &str = "plan.json";
/// A shard is a file.
pub(super) const MOST_SHARDS: u64 = 1_000_000;

/// The contents of `plan.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan {
    schema_version: u32,
    /// Version of vq7.
    pub vq7: String,
    pub targets: Vec<String>,
    /// The knobs that are not at their default.
    pub policy: Vec<String>,
    pub shards: u64,
    /// Each with its coverage and its oracle: `add:f16,f16,f16:L1:s0 apfloat`.
    pub questions: Vec<String>,
}

/// A question with all that its cases need.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The question and its coverage, by name.
    pub name: String,
    pub question: Question,
    pub coverage: Coverage,
    pub oracle: String,
}

/// A campaign in its folder.
#[derive(Debug)]
pub(super) struct Campaign {
    pub folder: PathBuf,
    pub plan: Plan,
    pub policy: Policy,
    pub asked: Vec<Asked>,
    /// What the files of results carry, so that none of another plan is taken for one of this.
    pub digest: String,
}

impl Campaign {
    /// Plans a campaign and writes it.
    ///
    /// # Errors
    /// When the arguments make no sense, nothing is left to ask, or the folder has another plan.
    pub fn plan(args: &PlanArgs, invocation: &Invocation) -> Result<Planned, CallError> {
        let policy = *invocation.policy();
        let (targets, ops, dtypes) = (targets(&args.targets)?, ops(&args.ops)?, dtypes(&args.types, &policy)?);
        let oracles = match &args.oracle {
            None => Oracle::ALL.to_vec(),
            Some(name) => vec![Oracle::parse(name).ok_or_else(|| {
                let names = Oracle::ALL.map(Oracle::name).join(", ");
                CallError::at("--oracle", format_args!("no oracle is named `{name}`; use one of {names}"))
            })?],
        };
        let mut questions = Vec::new();
        let mut cases = 0u64;
        for op in ops {
            for types in triples(&dtypes, args.mixed) {
                let question = Question { op, types };
                let [src0, src1, out] = types;
                let is_legal = |target: &Generation| taken(op, Types { src0, src1, out }, *target, &policy).is_some();
                let judge = oracles.iter().find(|oracle| oracle.is_built_in() && oracle.takes(question, &policy));
                if let (true, Some(oracle)) = (targets.iter().any(is_legal), judge) {
                    let space = Space::new(question, coverage(args, question)).map_err(CallError::new)?;
                    cases = cases.saturating_add(space.total());
                    let name = space.case(0).to_string();
                    let name = name.strip_suffix(":0").unwrap_or(&name);
                    questions.push(format!("{name} {}", oracle.name()));
                }
            }
        }
        if questions.is_empty() {
            return Err(CallError::new(
                "none of these ops is legal with these dtypes on these targets and has a judge; `vq7 ops` lists what is legal",
            ));
        }
        let plan = Plan {
            schema_version: 1,
            vq7: env!("CARGO_PKG_VERSION").to_owned(),
            targets: targets.iter().map(|target| target.target().to_owned()).collect(),
            policy: policy.changed().iter().map(ToString::to_string).collect(),
            shards: args.shards,
            questions,
        };
        let folder = &args.output;
        std::fs::create_dir_all(folder).map_err(|error| CallError::file(folder, error))?;
        let path = folder.join(FILE);
        if path.exists() && read(&path)? != plan {
            return Err(CallError::file(
                &path,
                "this is the plan of another campaign; name another folder, or remove this one",
            ));
        }
        let mut text = serde_json::to_vec_pretty(&plan).map_err(|error| CallError::file(&path, error))?;
        text.push(b'\n');
        Output::prepare(&path)?.write(&text)?;
        Ok(Planned {
            folder: folder.display().to_string(),
            questions: plan.questions.len(),
            cases,
            shards: plan.shards,
        })
    }

    /// Opens the campaign of a folder.
    ///
    /// # Errors
    /// When there is none, it is of another version, or the call asks for a policy of its own.
    pub fn open(folder: &Path, invocation: &Invocation) -> Result<Self, CallError> {
        let path = folder.join(FILE);
        let plan = read(&path)?;
        if !invocation.policy().changed().is_empty() {
            return Err(CallError::at(
                "--policy",
                "the plan has the policy of its campaign; say it to `campaign plan`",
            ));
        }
        let version = env!("CARGO_PKG_VERSION");
        if plan.vq7 != version {
            let message = format!("it was planned by vq7 {}, and this is vq7 {version}; plan it anew", plan.vq7);
            return Err(CallError::file(&path, message));
        }
        let mut policy = Policy::default();
        for knob in &plan.policy {
            policy.set(knob).map_err(|error| CallError::file(&path, error))?;
        }
        let asked = plan.questions.iter().map(|line| ask(line, &policy).map_err(|error| CallError::file(&path, error)));
        let asked = asked.collect::<Result<_, _>>()?;
        if !(1..=MOST_SHARDS).contains(&plan.shards) {
            let message =
                format!("it has {} shards, and may have 1 and at most {MOST_SHARDS}; plan it anew", plan.shards);
            return Err(CallError::file(&path, message));
        }
        let text = serde_json::to_vec(&plan).map_err(|error| CallError::file(&path, error))?;
        Ok(Self { folder: folder.to_owned(), plan, policy, asked, digest: digest(&text) })
    }

    /// How many shards there are.
    pub const fn shards(&self) -> u64 {
        self.plan.shards
    }
}

fn read(path: &Path) -> Result<Plan, CallError> {
    let bytes = std::fs::read(path).map_err(|error| {
        CallError::file(path, format_args!("{error}; `vq7 campaign plan -o DIR` makes the folder of a campaign"))
    })?;
    let plan: Plan = serde_json::from_slice(&bytes)
        .map_err(|error| CallError::file(path, format_args!("this is no plan of a campaign: {error}")))?;
    match plan.schema_version {
        1 => Ok(plan),
        other => Err(CallError::file(path, format_args!("its form has version {other}, and this vq7 reads version 1"))),
    }
}

/// A line of the plan.
fn ask(line: &str, policy: &Policy) -> Result<Asked, String> {
    let (name, oracle) = line.split_once(' ').ok_or_else(|| format!("`{line}` names no question and oracle"))?;
    let case = Case::parse(&format!("{name}:0"), policy).map_err(|error| error.to_string())?;
    Space::new(case.question, case.coverage).map_err(|error| format!("`{line}`: {error}"))?;
    Ok(Asked { name: name.to_owned(), question: case.question, coverage: case.coverage, oracle: oracle.to_owned() })
}

/// FNV-1a in hexadecimal.
fn digest(bytes: &[u8]) -> String {
    let hash = bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3));
    format!("{hash:016x}")
}

fn ops(list: &str) -> Result<Vec<AluOp>, CallError> {
    match list {
        "all" => Ok(AluOp::ALL.to_vec()),
        _ => list
            .split(',')
            .map(|name| AluOp::parse(name.trim()).map_err(|error| CallError::at("--ops", error)))
            .collect(),
    }
}

fn dtypes(list: &str, policy: &Policy) -> Result<Vec<Dtype>, CallError> {
    match list {
        "all" => Ok(Dtype::tensor_tensor().collect()),
        _ => list
            .split(',')
            .map(|name| Dtype::parse(name.trim(), policy).map_err(|error| CallError::at("--types", error)))
            .collect(),
    }
}

/// Each dtype three times, or every combination.
fn triples(dtypes: &[Dtype], mixed: bool) -> Vec<[Dtype; 3]> {
    if !mixed {
        return dtypes.iter().map(|dtype| [*dtype; 3]).collect();
    }
    let pairs = dtypes.iter().flat_map(|a| dtypes.iter().map(move |b| (*a, *b)));
    pairs.flat_map(|(a, b)| dtypes.iter().map(move |out| [a, b, *out])).collect()
}

fn coverage(args: &PlanArgs, question: Question) -> Coverage {
    let seed = args.seed;
    let few = Space::new(question, Coverage::Exhaustive).is_ok_and(|space| args.exhaustive || space.total() <= 1 << 16);
    match args.level {
        None if few => Coverage::Exhaustive,
        Some(2) => Coverage::Weighted { level: Level::Two, seed },
        _ => Coverage::Weighted { level: Level::One, seed },
    }
}
