//! `tt`: one op on whole arrays: verdict, run, what was lost, what the result rests on.

use crate::judged::{EnginesTaking, JudgedWord, Rule, paint_status};
use crate::look::{Draw, Look};
use crate::named::NamedOp;
use crate::path::{Ran, executor_names};
use crate::problem::Failure;
use crate::rests_on::{RestsOn, flag_names};
use crate::setting::Setting;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;
use vq7_engine::Executor;
use vq7_engine::arrays::{self, ArrayError, ArrayRef, Lossy, Plan, RunError, Settings};
use vq7_isa::legality::{self, Status};
use vq7_isa::{AluOp, Dtype, Instruction};
use vq7_num::format_value;
use vq7_policy::Policy;

/// What is asked: an op on two arrays.
#[derive(Clone, Copy, Debug)]
pub struct ArrayQuestion<'a> {
    /// The op.
    pub op: AluOp,
    /// The name it was asked by.
    pub asked: &'a str,
    /// The first source.
    pub a: ArrayRef<'a>,
    /// The second source.
    pub b: ArrayRef<'a>,
    /// Dtype of the result.
    pub out: Dtype,
}

/// The dtype of a result where the caller names none: that of the sources when they agree, that of the value for a shift
/// of 64 bits by a uint32 count. FP32R is only ever written when asked for.
pub fn default_out(op: AluOp, a: Dtype, b: Dtype) -> Option<Dtype> {
    let counted = op.is_shift() && a.is_64bit_int() && b == Dtype::Uint32;
    (a == b || counted).then_some(a).filter(|dtype| *dtype != Dtype::Fp32r)
}

/// Dtype and shape of an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArrayKind {
    /// The dtype.
    pub dtype: &'static str,
    /// Its extents, the outermost first.
    pub shape: Vec<usize>,
}

impl ArrayKind {
    /// Of a dtype and a shape.
    pub fn new(dtype: Dtype, shape: &[usize]) -> Self {
        Self { dtype: dtype.name(), shape: shape.to_vec() }
    }
}

impl fmt::Display for ArrayKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extents: Vec<_> = self.shape.iter().map(ToString::to_string).collect();
        write!(f, "{}[{}]", self.dtype, extents.join(", "))
    }
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Where.
    pub path: String,
    /// What it holds.
    #[serde(flatten)]
    pub kind: ArrayKind,
}

/// Elements that a base-band op gives otherwise than its exact twin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LossyAnswer {
    /// The op that is exact.
    pub exact_op: &'static str,
    /// Elements that differ.
    pub count: usize,
    /// Index of the first.
    pub first_index: Vec<usize>,
    /// What the op gives there, through float32.
    pub float32: i64,
    /// What the exact op gives there.
    pub exact: i64,
}

impl LossyAnswer {
    /// The answer on a result of this dtype.
    pub fn new(lossy: &Lossy, out: Dtype, policy: &Policy) -> Self {
        // Of at most 32 bits, so the text is a number that fits.
        let value = |bits| format_value(bits, out, policy).parse().unwrap_or_default();
        Self {
            exact_op: lossy.twin.name(),
            count: lossy.differing,
            first_index: lossy.index.clone(),
            float32: value(lossy.through_float32),
            exact: value(lossy.exact),
        }
    }

    /// A sentence about an op by the name it was asked by, on so many elements.
    pub fn text(&self, op: &str, total: usize) -> String {
        let Self { exact_op, count, first_index, float32, exact } = self;
        format!(
            "`{op}` goes through float32 and differs from exact integers in {count} of {total} elements; the first, at \
             {first_index:?}, is {float32} and exactly {exact}; for exact results use `{exact_op}`"
        )
    }
}

/// One op on two arrays, answered.
#[derive(Clone, Debug, Serialize)]
pub struct ArrayAnswer {
    /// What it was judged and run under.
    #[serde(flatten)]
    pub setting: Setting,
    /// The executor that ran; none when nothing ran.
    pub executor: Option<String>,
    /// What carried out the words, each once.
    pub paths: Vec<Ran>,
    /// The op.
    pub op: NamedOp,
    /// The first source.
    pub a: ArrayKind,
    /// The second source.
    pub b: ArrayKind,
    /// The result, whether it was computed or not.
    pub result: ArrayKind,
    /// Words that it takes.
    pub words: usize,
    /// What the rules say of them.
    pub verdict: &'static str,
    /// The first failing rule.
    pub first_failed: Option<&'static str>,
    /// Every rule of the first failing word, or of the first word.
    pub rules: Vec<Rule>,
    /// Engines that take all of the words.
    pub engines: EnginesTaking,
    /// Why the words are unspecified.
    pub note: Option<&'static str>,
    /// The file that was written; none when there is no result.
    pub out: Option<Written>,
    /// What float32 lost of integers that another op keeps.
    pub lossy: Option<LossyAnswer>,
    /// Status raised by any element.
    pub flags: Vec<String>,
    /// Remarks.
    pub warnings: Vec<String>,
    /// What the result rests on.
    #[serde(flatten)]
    pub grounds: RestsOn,
    /// Why there is no result.
    pub error: Option<Failure>,
    #[serde(skip)]
    status: Status,
}

impl ArrayAnswer {
    /// Plans, judges, runs and compares. The bytes of the result come beside the answer when all went well.
    ///
    /// # Errors
    /// When the arrays do not fit together.
    pub fn new(
        question: &ArrayQuestion<'_>,
        setting: Setting,
        executor: &Arc<dyn Executor>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(Self, Option<Vec<u8>>), ArrayError> {
        let ArrayQuestion { op, asked, a, b, out } = *question;
        let plan = arrays::plan(op, (a.dtype, a.shape), (b.dtype, b.shape), out, setting.generation)?;
        let mut answer = Self::judged(&plan, asked, question, setting);
        if answer.error.is_some() {
            return Ok((answer, None));
        }
        let settings = Settings { engine: setting.engine, policy: setting.policy, executor: Arc::clone(executor) };
        match arrays::run(&plan, &a, &b, &settings, progress) {
            Err(RunError::Array(error)) => Err(error),
            Err(RunError::Word(word)) => {
                answer.error = Some(Failure { kind: word.fault.kind(), message: word.to_string() });
                Ok((answer, None))
            }
            Ok((bytes, summary)) => {
                answer.executor = executor_names(&summary.paths);
                answer.paths = summary.paths.iter().map(Ran::new).collect();
                answer.flags = flag_names(summary.flags);
                answer.warnings = summary.warnings.iter().map(ToString::to_string).collect();
                answer.grounds = RestsOn::new(&summary.basis, &setting.policy).with(summary.certainty);
                let lossy = arrays::first_lossy(op, &a, &b, out, &setting.policy)?;
                answer.lossy = lossy.map(|lossy| LossyAnswer::new(&lossy, out, &setting.policy));
                Ok((answer, Some(bytes)))
            }
        }
    }

    /// The verdict on all words of a plan: that of the first that fails, else that of the first.
    fn judged(plan: &Plan, asked: &str, question: &ArrayQuestion<'_>, setting: Setting) -> Self {
        let bench = setting.bench();
        let mut engines = EnginesTaking { pool: true, dve: true };
        let mut shown = (0, None);
        for (index, word) in plan.words().enumerate() {
            let judgement = legality::judge(&Instruction::decode(&word), &bench);
            engines.pool &= judgement.engines.pool;
            engines.dve &= judgement.engines.dve;
            if shown.1.is_none() && judgement.status.is_failure() {
                shown = (index, Some(word));
            }
        }
        let first = shown.1.or_else(|| plan.words().next()).map(|word| JudgedWord::new(shown.0, &word, &bench));
        let error = first.as_ref().and_then(JudgedWord::failure);
        let status = first.as_ref().map_or(Status::NotJudged, JudgedWord::status);
        Self {
            setting,
            executor: None,
            paths: Vec::new(),
            op: NamedOp::new(question.op, asked),
            a: ArrayKind::new(question.a.dtype, question.a.shape),
            b: ArrayKind::new(question.b.dtype, question.b.shape),
            result: ArrayKind::new(question.out, &plan.out_shape),
            words: plan.tiles.len(),
            verdict: status.name(),
            first_failed: first.as_ref().and_then(|word| word.first_failed),
            note: first.as_ref().and_then(|word| word.note),
            rules: first.map(|word| word.rules).unwrap_or_default(),
            engines,
            out: None,
            lossy: None,
            flags: Vec::new(),
            warnings: Vec::new(),
            grounds: RestsOn::nothing(),
            error,
            status,
        }
    }

    /// Notes the file that the result was written to.
    pub fn written(&mut self, path: impl fmt::Display) {
        self.out = Some(Written { path: path.to_string(), kind: self.result.clone() });
    }
}

impl Draw for ArrayAnswer {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        writeln!(out, "{}: {} and {} give {}", look.bold(self.op.text()), self.a, self.b, self.result)?;
        let noun = if self.words == 1 { "word" } else { "words" };
        write!(out, "{} {noun}, {}", self.words, paint_status(self.status, look))?;
        if self.status != Status::Illegal {
            write!(out, ", taken by {}", self.engines.text())?;
        }
        writeln!(out)?;
        if let Some(error) = &self.error {
            return writeln!(out, "{}", look.bad(format_args!("no result: {}", error.text())));
        }
        let paths: Vec<_> = self.paths.iter().map(|ran| ran.text.as_str()).collect();
        let paths = if paths.is_empty() { "no executor".to_owned() } else { paths.join(" and ") };
        writeln!(out, "ran on {paths}, flags: {}", self.grounds.flags_text(&self.flags))?;
        for warning in &self.warnings {
            writeln!(out, "{}", look.warn(format_args!("warning: {warning}")))?;
        }
        if let Some(lossy) = &self.lossy {
            let total: usize = self.result.shape.iter().product();
            let line = format!("warning: {}", lossy.text(self.op.name, total));
            writeln!(out, "{}", look.warn(line))?;
        }
        self.grounds.draw(look, out)?;
        match &self.out {
            Some(written) => writeln!(out, "wrote {}: {}", written.path, written.kind),
            None => Ok(()),
        }
    }
}
