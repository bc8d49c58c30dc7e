//! What Python raises.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::fmt::Display;
use vq7::engine::arrays::{ArrayError, RunError};
use vq7::report::problem::Failure;

/// A `ValueError`.
pub(crate) fn value_error(message: impl Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// A `TypeError`.
pub(crate) fn type_error(message: impl Display) -> PyErr {
    PyTypeError::new_err(message.to_string())
}

/// A verdict as it goes to Python: its JSON and its text.
pub(crate) type VerdictParts = (String, String);

/// The exception of a word that failed.
pub(crate) fn failed(py: Python<'_>, failure: &Failure, verdict: Option<&VerdictParts>) -> PyErr {
    static OF_WORD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = OF_WORD
        .import(py, "vq7._errors", "of_word")
        .and_then(|of_word| of_word.call1((failure.kind, &failure.message, verdict.cloned())));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// The exception of arrays that do not fit together.
pub(crate) fn array_error(error: &ArrayError) -> PyErr {
    match error {
        ArrayError::Dtype(_) => type_error(error),
        _ => value_error(error),
    }
}

/// The exception of a plan that did not run to its end.
pub(crate) fn run_error(py: Python<'_>, error: &RunError) -> PyErr {
    match error {
        RunError::Array(error) => array_error(error),
        RunError::Word(word) => failed(py, &Failure { kind: word.fault.kind(), message: word.to_string() }, None),
    }
}
