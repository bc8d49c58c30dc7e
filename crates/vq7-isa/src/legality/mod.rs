//! Is this word legal on this generation and engine, and which rule says no?
//!
//! One function per rule under the header's own name, listed in order per instruction and generation (docs/spec/legality.md).
//! The runtime's checker keeps only the first message; so the first failing rule is the headline of a verdict here too.
//!
//! [`judge`] answers fast and allocates nothing, [`Stream`] answers for many words. [`explain`] runs the same functions and also keeps what each looked at.

mod batch_norm;
mod bf16;
mod common;
mod copy_cast;
mod extended;
mod gates;
mod lists;
mod predicated;
mod rule;
mod scalar_tensor_tensor;
mod scalars;
mod stream;
mod tensor_scalar;
mod tensor_tensor;

pub use rule::{RuleOutcome, Seen};
pub use stream::Stream;

use crate::generation::Generation;
use crate::inst::{self, ExtendedTta, Instruction, Other, S2s2d2Stt, S3d3Ts, S3s3d3Tt, S4d4Tr};
use crate::opcode;
use rule::{Case, List, Rules, Silent, Witness};
use std::fmt;
use vq7_policy::Policy;

/// Whose rules a word is held against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The rules of the word's structure alone.
    #[default]
    Any,
    /// Also the gate of POOL (GpSimd).
    Pool,
    /// Also the gate of DVE (Vector).
    Dve,
}

impl Engine {
    /// The engine of a name that users know.
    pub fn parse(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "any" => Some(Self::Any),
            "pool" | "gpsimd" => Some(Self::Pool),
            "dve" | "vector" => Some(Self::Dve),
            _ => None,
        }
    }

    /// `any`, `pool` or `dve`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Pool => "pool",
            Self::Dve => "dve",
        }
    }
}

/// What the rules say of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Every rule passes.
    Legal,
    /// A rule fails.
    Illegal,
    /// Every rule passes, but no source settles what the device computes.
    Unspecified,
    /// The word's struct is not modelled, or an operand is indirect, whose rules are not published.
    NotJudged,
}

impl Status {
    /// `legal`, `illegal`, `unspecified` or `not_judged`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Legal => "legal",
            Self::Illegal => "illegal",
            Self::Unspecified => "unspecified",
            Self::NotJudged => "not_judged",
        }
    }

    /// Whether a word of this status counts as a failure.
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Illegal | Self::Unspecified)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Engines that take a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Engines {
    /// POOL (GpSimd).
    pub pool: bool,
    /// DVE (Vector).
    pub dve: bool,
}

/// The short answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What the rules say.
    pub status: Status,
    /// The first failing rule, under the header's name.
    pub first_failed: Option<&'static str>,
    /// Engines that take the word; none when it is illegal in structure or not judged.
    pub engines: Engines,
}

/// The long answer: the short one, and every rule with what it looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The short answer.
    pub judgement: Judgement,
    /// Every rule in order, the engine's gate last.
    pub rules: Vec<RuleOutcome>,
    /// Why the word is unspecified or not judged.
    pub note: Option<&'static str>,
}

impl Verdict {
    /// The first failing rule with what it looked at.
    pub fn headline(&self) -> Option<&RuleOutcome> {
        self.rules.iter().find(|rule| !rule.passed)
    }
}

/// Who judges, and by which rules.
#[derive(Clone, Copy, Debug)]
pub struct Bench<'a> {
    /// The generation.
    pub generation: Generation,
    /// The engine.
    pub engine: Engine,
    /// Open questions that touch legality: the start-partition rule.
    pub policy: &'a Policy,
}

/// A wire struct that can be judged: its rules, its engine gates, and what no source settles about it.
trait Judged: Sized + 'static {
    fn rules<W: Witness>(&self, generation: Generation) -> Rules<Self, W>;
    fn gate<W: Witness>(&self, engine: Engine) -> &'static List<Self, W>;
    fn open_question(&self) -> Option<OpenQuestion>;
}

/// Why a word that passes every rule is not simply legal.
struct OpenQuestion {
    status: Status,
    note: &'static str,
}

/// An operand whose address is that of an index tensor: its rules are not published.
const INDIRECT: OpenQuestion = OpenQuestion {
    status: Status::NotJudged,
    note: "an operand is indirect: decoded, but the rules for indirect operands are not published and vq7 does not run them",
};

/// Judges a word: status, first failing rule, engines.
pub fn judge(instruction: &Instruction, bench: &Bench<'_>) -> Judgement {
    match instruction {
        Instruction::TensorTensor(tt) => judge_struct(tt, bench),
        Instruction::ExtendedTensorTensor(tta) => judge_struct(tta, bench),
        Instruction::TensorScalar(ts) => judge_struct(ts, bench),
        Instruction::ScalarTensorTensor(stt) => judge_struct(stt, bench),
        Instruction::CopyCast(tr) => judge_struct(tr, bench),
        Instruction::Other(other) => judge_other(other, bench, &mut Silent),
    }
}

/// Judges a word and keeps every rule with what it looked at.
pub fn explain(instruction: &Instruction, bench: &Bench<'_>) -> Verdict {
    match instruction {
        Instruction::TensorTensor(tt) => explain_struct(tt, bench),
        Instruction::ExtendedTensorTensor(tta) => explain_struct(tta, bench),
        Instruction::TensorScalar(ts) => explain_struct(ts, bench),
        Instruction::ScalarTensorTensor(stt) => explain_struct(stt, bench),
        Instruction::CopyCast(tr) => explain_struct(tr, bench),
        Instruction::Other(other) => {
            let mut seen = Vec::new();
            let judgement = judge_other(other, bench, &mut seen);
            let header = RuleOutcome { name: common::HEADER_RULE, passed: judgement.first_failed.is_none(), seen };
            let why = inst::why_not_run(other.header.opcode, other.payload[0]);
            let note = why.unwrap_or("the struct of this opcode is not modelled");
            let note = (judgement.status == Status::NotJudged).then_some(note);
            Verdict { judgement, rules: vec![header], note }
        }
    }
}

fn judge_struct<I: Judged>(instruction: &I, bench: &Bench<'_>) -> Judgement {
    let case = Case::new(instruction, bench);
    let failing = |list: &'static List<I, Silent>| (list.first_failed)(&case, &mut Silent);
    let structural = instruction.rules(bench.generation).iter().copied().find_map(failing);
    let (first_failed, engines) = match structural {
        Some(name) => (Some(name), Engines { pool: false, dve: false }),
        None => {
            let [pool, dve] = [Engine::Pool, Engine::Dve].map(|engine| failing(instruction.gate(engine)));
            let gate = match bench.engine {
                Engine::Any => None,
                Engine::Pool => pool,
                Engine::Dve => dve,
            };
            (gate, Engines { pool: pool.is_none(), dve: dve.is_none() })
        }
    };
    let status = match first_failed {
        Some(_) => Status::Illegal,
        None => instruction.open_question().map_or(Status::Legal, |question| question.status),
    };
    // Of a word that is not judged nobody knows who takes it.
    let engines = if status == Status::NotJudged { Engines { pool: false, dve: false } } else { engines };
    Judgement { status, first_failed, engines }
}

fn explain_struct<I: Judged>(instruction: &I, bench: &Bench<'_>) -> Verdict {
    let case = Case::new(instruction, bench);
    let structural = instruction.rules::<Vec<Seen>>(bench.generation).iter().copied();
    let lists = structural.chain(std::iter::once(instruction.gate(bench.engine)));
    let rules = lists.flat_map(|list| list.rules).map(|rule| {
        let mut seen = Vec::new();
        let passed = (rule.check)(&case, &mut seen);
        RuleOutcome { name: rule.name, passed, seen }
    });
    let judgement = judge_struct(instruction, bench);
    let open = instruction.open_question().filter(|question| question.status == judgement.status);
    Verdict { judgement, rules: rules.collect(), note: open.map(|question| question.note) }
}

/// A word whose struct is not modelled: only the header, which every word has, is held against a rule.
fn judge_other(other: &Other, bench: &Bench<'_>, witness: &mut impl Witness) -> Judgement {
    let passed = common::has_valid_neuron_header(&other.header, bench.generation, witness);
    let (status, first_failed) =
        if passed { (Status::NotJudged, None) } else { (Status::Illegal, Some(common::HEADER_RULE)) };
    Judgement { status, first_failed, engines: Engines { pool: false, dve: false } }
}

impl Judged for S3s3d3Tt {
    /// The struct-level check passes when any one arm passes, and each opcode belongs to one arm only.
    fn rules<W: Witness>(&self, generation: Generation) -> Rules<Self, W> {
        match self.header.opcode {
            opcode::COPY_PREDICATED | opcode::CAST_PREDICATED => predicated::rules(),
            opcode::BATCH_NORM_BACK_PROP => batch_norm::rules(),
            opcode::TENSOR_TENSOR_ADD_BF16 | opcode::TENSOR_TENSOR_MULT_BF16 | opcode::TENSOR_TENSOR_SUB_BF16 => {
                bf16::rules()
            }
            _ => tensor_tensor::rules(generation),
        }
    }

    fn gate<W: Witness>(&self, engine: Engine) -> &'static List<Self, W> {
        gates::tensor_tensor(self.header.opcode, engine)
    }

    fn open_question(&self) -> Option<OpenQuestion> {
        if [&self.src0, &self.src1, &self.dst].iter().any(|pattern| pattern.start.is_indirect()) {
            return Some(INDIRECT);
        }
        tensor_tensor::unspecified(self)
    }
}

impl Judged for ExtendedTta {
    fn rules<W: Witness>(&self, _: Generation) -> Rules<Self, W> {
        extended::rules()
    }

    fn gate<W: Witness>(&self, engine: Engine) -> &'static List<Self, W> {
        gates::extended(engine)
    }

    fn open_question(&self) -> Option<OpenQuestion> {
        let indirect = [&self.src0, &self.src1, &self.dst].iter().any(|pattern| pattern.start.is_indirect());
        indirect.then_some(INDIRECT)
    }
}

impl Judged for S3d3Ts {
    fn rules<W: Witness>(&self, generation: Generation) -> Rules<Self, W> {
        tensor_scalar::rules(self, generation)
    }

    fn gate<W: Witness>(&self, engine: Engine) -> &'static List<Self, W> {
        gates::two_tensors(engine)
    }

    fn open_question(&self) -> Option<OpenQuestion> {
        if [&self.src, &self.dst].iter().any(|pattern| pattern.start.is_indirect()) {
            return Some(INDIRECT);
        }
        tensor_scalar::unspecified(self)
    }
}

impl Judged for S2s2d2Stt {
    fn rules<W: Witness>(&self, _: Generation) -> Rules<Self, W> {
        scalar_tensor_tensor::rules(self)
    }

    fn gate<W: Witness>(&self, engine: Engine) -> &'static List<Self, W> {
        gates::no_pool_row(engine)
    }

    fn open_question(&self) -> Option<OpenQuestion> {
        if [&self.src0, &self.src1, &self.dst].iter().any(|pattern| pattern.start.is_indirect()) {
            return Some(INDIRECT);
        }
        scalar_tensor_tensor::unspecified(self)
    }
}

impl Judged for S4d4Tr {
    fn rules<W: Witness>(&self, _: Generation) -> Rules<Self, W> {
        copy_cast::rules(self)
    }

    fn gate<W: Witness>(&self, engine: Engine) -> &'static List<Self, W> {
        gates::two_tensors(engine)
    }

    fn open_question(&self) -> Option<OpenQuestion> {
        let indirect = [&self.src, &self.dst].iter().any(|pattern| pattern.start.is_indirect());
        indirect.then_some(INDIRECT)
    }
}
