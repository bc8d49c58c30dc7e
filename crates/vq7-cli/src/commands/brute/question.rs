//! What is asked: the lane, its judge, the cases; and the answer.

use super::Args;
use crate::commands::explain::parse_types;
use crate::invocation::Invocation;
use crate::outcome::CallError;
use std::ops::Range;
use vq7_isa::AluOp;
use vq7_isa::alu_op::Arity;
use vq7_num::{Lane, Notes};
use vq7_oracle::{
    Answer, Bits, Case, Coverage, Expected, Judge, Level, Mask, Mismatch, NotJudged, Oracle, Question, Space, Stretch,
    flag,
};
use vq7_policy::Policy;
use vq7_report::brute::{Brute, BruteCase, BruteResult, BruteStatus, MaskedCases};

/// Who judges.
#[derive(Debug)]
pub enum Judged {
    /// An outside judge.
    Outside(Judge),
    /// The lane itself, with its notes on.
    Itself,
}

/// All that a run needs.
#[derive(Debug)]
pub struct Plan {
    lane: Lane,
    policy: Policy,
    judged: Judged,
    /// The numbered cases.
    pub space: Space,
    /// Those of the slice.
    pub cases: Range<u64>,
    slice: String,
    coverage: Coverage,
    /// Whether one case was asked for by its name.
    single: bool,
}

impl Plan {
    /// Reads the arguments.
    ///
    /// # Errors
    /// When they make no sense, no judge knows the op, or the lane has no results.
    pub fn new(args: &Args, invocation: &Invocation) -> Result<Self, CallError> {
        let policy = *invocation.policy();
        let (question, coverage, single) = match &args.case {
            Some(name) => {
                let case = Case::parse(name, &policy).map_err(|error| CallError::at("--case", error))?;
                case.operands().map_err(|error| CallError::at("--case", error))?;
                (case.question, case.coverage, Some(case.index))
            }
            None => {
                let question = question(args, invocation)?;
                (question, coverage(args, question), None)
            }
        };
        let [src0, src1, out] = question.types;
        let lane = Lane::new(question.op, src0, src1, out);
        let judged = match args.oracle.as_deref() {
            Some("self") => Judged::Itself,
            name => Judged::Outside(judge(question, name, &policy)?),
        };
        if let Some(error) = [1, 0].into_iter().find_map(|b| lane.evaluate(1, b, &policy).err()) {
            return Err(CallError::new(format_args!("{question} has no result to compare: {error}")));
        }
        let space = Space::new(question, coverage).map_err(|error| {
            CallError::at("--exhaustive", format_args!("{error}; leave it out, or write --level 1 or --level 2"))
        })?;
        let (cases, slice) = match single {
            Some(index) => (index..index + 1, "0/1".to_owned()),
            None => {
                let (part, of) = parse_slice(&args.slice).map_err(|error| CallError::at("--slice", error))?;
                (space.slice(part, of), format!("{part}/{of}"))
            }
        };
        Ok(Self { lane, policy, judged, space, cases, slice, coverage, single: single.is_some() })
    }

    /// What identifies the run: a file that keeps what is done belongs to one of these.
    pub(super) fn identity(&self) -> String {
        let Lane { op, src0, src1, out, .. } = self.lane;
        let question = Question { op, types: [src0, src1, out] };
        let policy: String = self.policy.changed().iter().map(|knob| format!(" {knob}")).collect();
        let version = env!("CARGO_PKG_VERSION");
        format!("{question}:{} slice {} by {}{policy}, vq7 {version}", self.coverage, self.slice, self.oracle())
    }

    const fn oracle(&self) -> &'static str {
        match &self.judged {
            Judged::Outside(judge) => judge.oracle().name(),
            Judged::Itself => "self",
        }
    }

    /// What the lane gives.
    pub fn evaluate(&self, a: u64, b: u64) -> Option<Answer> {
        let ours = self.lane.evaluate(a, b, &self.policy).ok()?;
        Some(Answer { bits: ours.value, flags: ours.flags.bits() })
    }

    /// What the judge expects.
    pub(super) fn expect(&self, a: u64, b: u64) -> Expected {
        match &self.judged {
            Judged::Outside(judge) => judge.judge(a, b),
            Judged::Itself => {
                let noted = self.lane.evaluate_noting(a, b, &self.policy, &mut Notes::default());
                noted.map_or(Expected::exactly(0, 0), |ours| Expected::exactly(ours.value, ours.flags.bits()))
            }
        }
    }

    /// The answer, after the cases before `end`.
    pub(super) fn answer(&self, total: &Stretch, end: u64, evaluate: &dyn Fn(u64, u64) -> Option<Answer>) -> Brute {
        let masked = Mask::ALL.into_iter().zip(total.masked).filter(|(_, cases)| *cases > 0);
        let masked = masked.map(|(mask, cases)| MaskedCases { name: mask.name(), reason: mask.reason(), cases });
        let case = total.mismatch.or_else(|| {
            self.single.then(|| {
                let index = self.cases.start;
                let (a, b) = self.space.operands(index);
                Mismatch { index, a, b, expected: self.expect(a, b), answer: evaluate(a, b) }
            })
        });
        let Lane { op, src0, src1, out, .. } = self.lane;
        Brute {
            op: op.name(),
            types: [src0, src1, out].map(|dtype| dtype.name()),
            oracle: self.oracle(),
            policy: self.policy.changed(),
            coverage: self.coverage.to_string(),
            total: self.space.total(),
            slice: self.slice.clone(),
            first: self.cases.start,
            end: self.cases.end,
            status: match total.mismatch {
                Some(_) => BruteStatus::Mismatch,
                None if end < self.cases.end => BruteStatus::Unfinished,
                None => BruteStatus::Agrees,
            },
            agreed: total.agreed,
            masked: masked.collect(),
            case: case.map(|case| self.show(&case)),
        }
    }

    fn show(&self, case: &Mismatch) -> BruteCase {
        let Lane { op, src0, src1, out, .. } = self.lane;
        let result = |bits, flags| BruteResult::new(bits, flag_names(flags), out, &self.policy);
        let hex = |bits: u64, width: u32| format!("{bits:#0digits$x}", digits = 2 + width as usize / 4);
        let (a, b) = (hex(case.a, src0.bits()), hex(case.b, src1.bits()));
        let second = if op.arity() == Arity::Unary { String::new() } else { format!(" --b {b}") };
        let policy: String = self.policy.changed().iter().map(|knob| format!(" --policy {knob}")).collect();
        BruteCase {
            name: self.space.case(case.index).to_string(),
            expected: match case.expected.bits {
                Bits::Exactly(bits) => result(bits, case.expected.flags),
                Bits::AnyNan { .. } => BruteResult::any_nan(flag_names(case.expected.flags)),
            },
            open: case.expected.open.iter().map(Mask::name).collect(),
            result: case.answer.map(|answer| result(answer.bits, answer.flags)),
            reproduce: format!("vq7 explain --op {op} --types {src0},{src1},{out} --a {a}{second}{policy}"),
            a,
            b,
        }
    }
}

fn question(args: &Args, invocation: &Invocation) -> Result<Question, CallError> {
    let op = AluOp::parse(args.op.as_deref().unwrap_or_default()).map_err(|error| CallError::at("--op", error))?;
    let types = parse_types(args.types.as_deref().unwrap_or_default(), invocation)?;
    Ok(Question { op, types: [types.src0, types.src1, types.out] })
}

/// Every pair where that is asked for, or where nothing is and there are few.
fn coverage(args: &Args, question: Question) -> Coverage {
    let seed = args.seed;
    match args.level {
        Some(2) => Coverage::Weighted { level: Level::Two, seed },
        Some(_) => Coverage::Weighted { level: Level::One, seed },
        None if args.exhaustive || Space::new(question, Coverage::Exhaustive).is_ok() => Coverage::Exhaustive,
        None => Coverage::Weighted { level: Level::One, seed },
    }
}

fn judge(question: Question, name: Option<&str>, policy: &Policy) -> Result<Judge, CallError> {
    let oracle = match name {
        Some(name) => Some(Oracle::parse(name).ok_or_else(|| {
            let names: Vec<_> = Oracle::ALL.map(Oracle::name).to_vec();
            CallError::at("--oracle", format_args!("no oracle is named `{name}`; use {} or self", names.join(", ")))
        })?),
        None => None,
    };
    Judge::new(question, oracle, policy).map_err(|error: NotJudged| {
        CallError::new(format_args!("{error}\n`--oracle self` compares the lane with itself, notes on and off"))
    })
}

fn parse_slice(text: &str) -> Result<(u64, u64), String> {
    let form = || format!("`{text}` is not of the form I/N with I below N, for example 0/64");
    let (part, of) = text.split_once('/').ok_or_else(form)?;
    match (part.trim().parse(), of.trim().parse()) {
        (Ok(part), Ok(of)) if part < of => Ok((part, of)),
        _ => Err(form()),
    }
}

fn flag_names(flags: u8) -> Vec<String> {
    let names = [
        (flag::INVALID, "invalid"),
        (flag::DIV_ZERO, "div_zero"),
        (flag::OVERFLOW, "overflow"),
        (flag::UNDERFLOW, "underflow"),
        (flag::INEXACT, "inexact"),
        (flag::INT_DIV_ZERO, "int_div_zero"),
    ];
    names.into_iter().filter(|(bit, _)| flags & bit != 0).map(|(_, name)| name.to_owned()).collect()
}
