//! `explain --op`: the result of one op on two elements, and what it rests on.

use crate::judged::{JudgedWord, paint_status};
use crate::look::{Draw, Look};
use crate::matrix::Matrix;
use crate::named::{NamedOp, hex_bits};
use crate::problem::Failure;
use crate::rests_on::{RestsOn, flag_names};
use crate::setting::Setting;
use crate::template::{Types, template};
use serde::Serialize;
use std::fmt;
use vq7_engine::arrays::opcode_of;
use vq7_isa::legality::Status;
use vq7_isa::{AluOp, Dtype};
use vq7_num::format_value;
use vq7_num::{Lane, LaneError, ValueError, parse_value};
use vq7_policy::Policy;

/// A bit pattern with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Element {
    /// Its dtype.
    pub dtype: &'static str,
    /// Its bits, in hexadecimal.
    pub bits: String,
    /// Its value.
    pub value: String,
}

impl Element {
    /// An element of a dtype.
    pub fn new(bits: u64, dtype: Dtype, policy: &Policy) -> Self {
        Self { dtype: dtype.name(), bits: hex_bits(bits, dtype.bits()), value: format_value(bits, dtype, policy) }
    }

    fn text(&self) -> String {
        format!("{} = {} ({})", self.bits, self.value, self.dtype)
    }
}

/// The result of the op in the other band.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Twin {
    /// The op.
    pub op: &'static str,
    /// `exact` when it computes exact integers, `float32` when it goes through float32.
    pub kind: &'static str,
    /// Its result; none when it has none.
    pub result: Option<Element>,
    /// Whether its bits differ from the op's.
    pub differs: bool,
}

/// An op on two elements, explained.
#[derive(Clone, Debug, Serialize)]
pub struct OpExplained {
    /// What it is judged and computed under.
    #[serde(flatten)]
    pub setting: Setting,
    /// The op.
    pub op: NamedOp,
    /// The op's result in words.
    pub meaning: &'static str,
    /// The opcode that carries the op.
    pub opcode: u8,
    /// Dtypes of src0, src1 and the result.
    pub types: [&'static str; 3],
    /// src0.
    pub a: Element,
    /// src1.
    pub b: Element,
    /// The result; none when there is none.
    pub result: Option<Element>,
    /// Why there is no result, `unspecified`, `divide_by_zero` or `unimplemented`; or why no word may ask for it.
    pub error: Option<Failure>,
    /// Flags that computing it raised.
    pub flags: Vec<String>,
    /// The op of the other band, when all dtypes are integers.
    pub twin: Option<Twin>,
    /// What the result rests on.
    #[serde(flatten)]
    pub grounds: RestsOn,
    /// Whether a word with this op and these dtypes is legal under the setting.
    pub verdict: &'static str,
    /// The first failing rule of such a word.
    pub first_failed: Option<&'static str>,
    /// Such a word, judged under the setting.
    #[serde(skip)]
    pub judged: JudgedWord,
    /// The verdict of such a word on every generation and engine.
    pub matrix: Matrix,
}

/// What is asked: an op, three dtypes, and two elements as text.
#[derive(Clone, Copy, Debug)]
pub struct OpQuestion<'a> {
    /// The op.
    pub op: AluOp,
    /// The name it was asked by.
    pub asked: &'a str,
    /// Its dtypes.
    pub types: Types,
    /// src0: a number or a bit pattern.
    pub a: &'a str,
    /// src1: a number or a bit pattern.
    pub b: &'a str,
}

impl OpExplained {
    /// Explains an op on two elements.
    ///
    /// # Errors
    /// When an element is no number that its dtype can hold.
    pub fn new(question: &OpQuestion<'_>, setting: Setting) -> Result<Self, ValueError> {
        let OpQuestion { op, asked, types, a, b } = *question;
        let policy = &setting.policy;
        let a = parse_value(a, types.src0, policy)?;
        let b = parse_value(b, types.src1, policy)?;
        let lane = Lane::new(op, types.src0, types.src1, types.out);
        let result = lane.evaluate(a, b, policy);
        let grounds = match &result {
            Ok(_) => RestsOn::new(&lane.basis_of(a, b, policy).on(setting.generation), policy),
            Err(_) => RestsOn::nothing(),
        };
        let opcode = opcode_of(op);
        let word = template(opcode, op, types);
        let judged = JudgedWord::new(0, &word.encode(), &setting.bench());
        let failure = result.as_ref().err().map(|error| Failure {
            kind: match error {
                LaneError::Unspecified => Status::Unspecified.name(),
                LaneError::DivideByZero => "divide_by_zero",
                LaneError::Unimplemented(_) => "unimplemented",
            },
            message: match &judged.help {
                Some(help) => format!("{error}; {help}"),
                None => error.to_string(),
            },
        });
        Ok(Self {
            setting,
            op: NamedOp::new(op, asked),
            meaning: op.meaning(),
            opcode,
            types: [types.src0, types.src1, types.out].map(Dtype::name),
            a: Element::new(a, types.src0, policy),
            b: Element::new(b, types.src1, policy),
            error: failure.or_else(|| judged.failure()),
            flags: result.as_ref().map_or_else(|_| Vec::new(), |result| flag_names(result.flags)),
            twin: twin_of(&lane, a, b, result.as_ref().ok().map(|result| result.value), policy),
            result: result.ok().map(|result| Element::new(result.value, types.out, policy)),
            grounds,
            verdict: judged.verdict,
            first_failed: judged.first_failed,
            judged,
            matrix: Matrix::new(&word, policy),
        })
    }
}

/// The op of the other band on the same elements, when all three dtypes are integers.
fn twin_of(lane: &Lane, a: u64, b: u64, result: Option<u64>, policy: &Policy) -> Option<Twin> {
    if ![lane.src0, lane.src1, lane.out].iter().all(|dtype| dtype.is_int()) {
        return None;
    }
    let exact = lane.op.exact_integer_twin(lane.src0.is_signed_int()).map(|op| (op, "exact"));
    let (op, kind) = exact.or_else(|| lane.op.float32_twin().map(|op| (op, "float32")))?;
    let twin = Lane { op, ..*lane }.evaluate(a, b, policy).ok().map(|twin| twin.value);
    Some(Twin {
        op: op.name(),
        kind,
        result: twin.map(|bits| Element::new(bits, lane.out, policy)),
        differs: twin.is_some() && twin != result,
    })
}

impl Draw for OpExplained {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        writeln!(out, "{}: {}; opcode {:#04x}", self.op.text(), self.meaning, self.opcode)?;
        writeln!(out, "  a      {}\n  b      {}", self.a.text(), self.b.text())?;
        match (&self.result, &self.error) {
            (Some(result), _) => writeln!(out, "  result {}", look.bold(result.text()))?,
            (None, error) => {
                let message = error.as_ref().map_or("no result", |error| &error.message);
                writeln!(out, "  result {}", look.bad(format_args!("none: {message}")))?;
            }
        }
        if self.result.is_some() {
            let flags = if self.flags.is_empty() { "none".to_owned() } else { self.flags.join(" ") };
            writeln!(out, "  flags  {flags}")?;
        }
        self.draw_twin(look, out)?;
        self.draw_verdict(look, out)?;
        if self.error.is_none() || !self.grounds.rests_on.is_empty() {
            self.grounds.draw(look, out)?;
        }
        writeln!(out, "\n{}", look.bold("A word with this op and these dtypes"))?;
        self.matrix.draw(look, out)
    }
}

impl OpExplained {
    /// What the rules say of such a word for the chosen target and engine.
    fn draw_verdict(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let Setting { generation, engine, .. } = self.setting;
        let verdict = paint_status(self.judged.status(), look);
        write!(out, "  verdict {verdict} on {generation}, engine {}", engine.name())?;
        match self.judged.failure() {
            Some(failure) => writeln!(out, ": {}", failure.message),
            None => writeln!(out, ", taken by {}", self.judged.engines.text()),
        }
    }

    fn draw_twin(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let Some(twin) = &self.twin else { return Ok(()) };
        let kind = match twin.kind {
            "exact" => "exact integers",
            _ => "through float32",
        };
        match &twin.result {
            None => writeln!(out, "  {} ({kind}) has no result here", twin.op),
            Some(result) if self.result.is_none() => {
                writeln!(out, "  {} ({kind}) gives {}", twin.op, look.bold(result.text()))
            }
            Some(result) if twin.differs => {
                let line = format!("{} ({kind}) gives {}: THEY DIFFER", twin.op, result.text());
                writeln!(out, "  {}", look.warn(line))
            }
            Some(_) => writeln!(out, "  {} ({kind}) gives the same bits", twin.op),
        }
    }
}
