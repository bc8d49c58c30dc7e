//! Questions about words: each answer as the JSON of the command line and as its text.

use crate::dtypes;
use crate::errors::value_error;
use crate::settings::{PyPolicy, policy_of, setting};
use crate::tensor_tensor::{Key, follower, judge, op_of, result_dtype};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use vq7::isa::inst::UserOpcodes;
use vq7::isa::text::{Lines, parse_line};
use vq7::isa::word::WORD_BYTES;
use vq7::isa::{AluOp, Word};
use vq7::num::parse_value;
use vq7::report::check::Check;
use vq7::report::cost::CostAnswer;
use vq7::report::explain_op::{OpExplained, OpQuestion};
use vq7::report::explain_word::WordExplained;
use vq7::report::ops::Ops;
use vq7::report::template::{Types, whole_word};
use vq7::report::{Draw, Envelope, Look};

type Answer = (String, String);
type Policy<'a, 'py> = Option<&'a Bound<'py, PyPolicy>>;

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(judge_op, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(explain_word, module)?)?;
    module.add_function(wrap_pyfunction!(explain_op, module)?)?;
    module.add_function(wrap_pyfunction!(cost, module)?)?;
    module.add_function(wrap_pyfunction!(word_of_op, module)?)?;
    module.add_function(wrap_pyfunction!(ops, module)?)?;
    module.add_function(wrap_pyfunction!(word_of_line, module)?)?;
    module.add_function(wrap_pyfunction!(disassemble, module)?)
}

/// An answer as JSON and as text.
///
/// # Errors
/// Only when an answer is no JSON.
pub(crate) fn answer<T: Serialize + Draw>(answer: &T) -> PyResult<Answer> {
    Ok((serde_json::to_string(&Envelope::new(answer)).map_err(value_error)?, answer.text(&Look::PLAIN)))
}

/// The words of a stream of bytes.
///
/// # Errors
/// When there are none, or the last is cut short.
pub(crate) fn words_of(bytes: &[u8]) -> PyResult<Vec<Word>> {
    let (words, rest) = bytes.as_chunks::<WORD_BYTES>();
    match (words, rest) {
        ([], []) => Err(value_error("there are no words; a word has 64 bytes")),
        (_, []) => Ok(words.iter().copied().map(Word).collect()),
        _ => Err(value_error(format_args!(
            "{} bytes are {} words of 64 bytes and {} left over; is the stream cut off?",
            bytes.len(),
            words.len(),
            rest.len()
        ))),
    }
}

#[pyfunction]
#[pyo3(name = "_judge")]
fn judge_op(
    op: &str,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    out: Option<&Bound<'_, PyAny>>,
    target: Option<&str>,
    engine: &str,
    policy: Policy<'_, '_>,
) -> PyResult<Answer> {
    let setting = setting(target, engine, policy)?;
    let op = op_of(op)?;
    let (a, b) = (dtypes::named("a", a, &setting.policy)?, dtypes::named("b", b, &setting.policy)?);
    let out = out.map(|out| dtypes::named("out", out, &setting.policy)).transpose()?;
    let out = out.map_or_else(|| result_dtype(op, a, b), Ok)?;
    let (generation, engine, policy) = (setting.generation, setting.engine, setting.policy);
    judge(&Key { op, dtypes: [a, b, out], generation, engine, policy }, setting.target_source).map(|(_, parts)| parts)
}

/// Does work that tells how much of `total` is done, to whoever follows; what the follower raises comes after the work.
fn followed<T>(
    progress: Option<&Bound<'_, PyAny>>,
    total: usize,
    work: impl FnOnce(&mut dyn FnMut(usize)) -> T,
) -> PyResult<T> {
    let follower = progress.map(follower).transpose()?;
    let mut raised = None;
    let done = work(&mut |done| {
        if let (Some(follower), Some(progress), None) = (&follower, progress, &raised) {
            raised = follower.call1(progress.py(), (done, total)).err();
        }
    });
    raised.map_or(Ok(done), Err)
}

#[pyfunction]
#[pyo3(name = "_check")]
fn check(
    words: &[u8],
    target: Option<&str>,
    engine: &str,
    policy: Policy<'_, '_>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Answer> {
    let setting = setting(target, engine, policy)?;
    let words = words_of(words)?;
    let total = words.len();
    answer(&followed(progress, total, |told| Check::new(words, setting, told))?)
}

#[pyfunction]
#[pyo3(name = "_explain_word")]
fn explain_word(word: &[u8], target: Option<&str>, engine: &str, policy: Policy<'_, '_>) -> PyResult<Answer> {
    match words_of(word)?[..] {
        [word] => answer(&WordExplained::new(&word, setting(target, engine, policy)?)),
        ref words => Err(value_error(format_args!("{} words: give one; vq7.check takes many", words.len()))),
    }
}

/// The dtypes of src0, src1 and the result.
fn types_of(types: &[Bound<'_, PyAny>; 3], policy: &vq7::policy::Policy) -> PyResult<Types> {
    let [src0, src1, out] = types.each_ref().map(|dtype| dtypes::named("types", dtype, policy));
    let types = Types { src0: src0?, src1: src1?, out: out? };
    for dtype in [types.src0, types.src1, types.out] {
        if !dtype.is_tensor_tensor() {
            return Err(value_error(format_args!("types: no tensor-tensor operand can hold {dtype}")));
        }
    }
    Ok(types)
}

#[pyfunction]
#[pyo3(name = "_cost")]
fn cost(
    words: &[u8],
    target: Option<&str>,
    engine: &str,
    policy: Policy<'_, '_>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Answer> {
    let setting = setting(target, engine, policy)?;
    let words = words_of(words)?;
    let total = words.len();
    answer(&followed(progress, total, |told| CostAnswer::new(&words, setting, told))?)
}

#[pyfunction]
#[pyo3(name = "_word_of_op")]
fn word_of_op<'py>(
    py: Python<'py>,
    op: &str,
    types: [Bound<'py, PyAny>; 3],
    shape: (u32, u32),
    target: Option<&str>,
    engine: &str,
    policy: Policy<'_, 'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let setting = setting(target, engine, policy)?;
    let types = types_of(&types, &setting.policy)?;
    let word = whole_word(op_of(op)?, types, shape, &setting);
    let word = word.map_err(|error| value_error(format_args!("shape: {error}")))?;
    Ok(PyBytes::new(py, &word.0))
}

#[pyfunction]
#[pyo3(name = "_explain_op")]
fn explain_op(
    op: &str,
    types: [Bound<'_, PyAny>; 3],
    a: &str,
    b: &str,
    target: Option<&str>,
    engine: &str,
    policy: Policy<'_, '_>,
) -> PyResult<Answer> {
    let setting = setting(target, engine, policy)?;
    let types = types_of(&types, &setting.policy)?;
    for (name, text, dtype) in [("a", a, types.src0), ("b", b, types.src1)] {
        parse_value(text, dtype, &setting.policy).map_err(|error| value_error(format_args!("{name}: {error}")))?;
    }
    let question = OpQuestion { op: op_of(op)?, asked: op, types, a, b };
    let explained = OpExplained::new(&question, setting).map_err(value_error)?;
    let mut json = serde_json::to_value(Envelope::new(&explained)).map_err(value_error)?;
    if let Some(fields) = json.as_object_mut() {
        fields.insert("judged".to_owned(), serde_json::to_value(&explained.judged).map_err(value_error)?);
    }
    Ok((json.to_string(), explained.text(&Look::PLAIN)))
}

#[pyfunction]
#[pyo3(name = "_ops")]
fn ops(target: Option<&str>, policy: Policy<'_, '_>) -> PyResult<Answer> {
    answer(&Ops::new(setting(target, "any", policy)?))
}

#[pyfunction]
#[pyo3(name = "_word_of_line")]
fn word_of_line<'py>(py: Python<'py>, line: &str, policy: Policy<'_, 'py>) -> PyResult<Bound<'py, PyBytes>> {
    let word = parse_line(line, &policy_of(policy)).map_err(value_error)?;
    Ok(PyBytes::new(py, &word.0))
}

#[pyfunction]
#[pyo3(name = "_disassemble")]
fn disassemble(words: &[u8]) -> PyResult<Vec<String>> {
    let user = UserOpcodes::default();
    let lines = Lines::with(&user);
    let line = |word: &Word| {
        let mut line = String::new();
        lines.put(&mut line, word);
        line
    };
    Ok(words_of(words)?.iter().map(line).collect())
}

// An op is a byte: a key of the calls that are remembered stays small.
const _: () = assert!(size_of::<AluOp>() == 1);
