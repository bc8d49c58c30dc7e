//! What a question is asked under: target, engine, executor, policy.

use crate::errors::value_error;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering as AtomicOrdering};
use vq7::engine::executor::{Computed, Order};
use vq7::engine::iss::Iss;
use vq7::engine::{Executor, Fault, Reference, StateBuffer};
use vq7::fast::{Fast, Level};
use vq7::isa::Generation;
use vq7::isa::legality::Engine;
use vq7::policy::{Knob, Policy};
use vq7::report::{Setting, TARGET_VARIABLE, TargetSource};

/// Answers to the open questions.
#[pyclass(frozen, name = "Policy", module = "vq7")]
#[derive(Clone, Debug)]
pub(crate) struct PyPolicy(pub Policy, pub Vec<Knob>);

#[pymethods]
impl PyPolicy {
    #[new]
    #[pyo3(signature = (**knobs))]
    fn new(knobs: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let (mut policy, mut insisted) = (Policy::default(), Vec::new());
        for (knob, value) in knobs.into_iter().flatten() {
            policy.set(&format!("{knob}={value}")).map_err(value_error)?;
            insisted.extend(Knob::parse(&knob.to_string()));
        }
        Ok(Self(policy, insisted))
    }

    fn __getattr__(&self, knob: &str) -> PyResult<&'static str> {
        let unknown = || {
            let names: Vec<_> = Knob::ALL.iter().map(|knob| knob.name()).collect();
            PyAttributeError::new_err(format!("a policy has no knob `{knob}`; the knobs are {}", names.join(", ")))
        };
        Knob::parse(knob).map(|knob| self.0.get(knob)).ok_or_else(unknown)
    }

    /// The knobs that are not at their default, as `knob=value`.
    fn changed(&self) -> Vec<String> {
        self.0.changed()
    }

    /// Every knob with its value.
    fn knobs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let knobs = PyDict::new(py);
        for &knob in Knob::ALL {
            knobs.set_item(knob.name(), self.0.get(knob))?;
        }
        Ok(knobs)
    }

    fn __dir__(&self) -> Vec<&'static str> {
        Knob::ALL.iter().map(|knob| knob.name()).chain(["changed", "knobs"]).collect()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let changed = self.0.changed().into_iter().map(|knob| match knob.split_once('=') {
            Some((knob, value)) => format!("{knob}={value:?}"),
            None => knob,
        });
        format!("vq7.Policy({})", changed.collect::<Vec<_>>().join(", "))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let remake = slf.py().import("vq7._remake")?.getattr("policy")?;
        let knobs = slf.get().knobs(slf.py())?;
        Ok((remake, (knobs,).into_pyobject(slf.py())?.into_any()))
    }
}

/// The policy of an argument.
pub(crate) fn policy_of(policy: Option<&Bound<'_, PyPolicy>>) -> Policy {
    policy.map(|policy| policy.get().0).unwrap_or_default()
}

/// The target of an argument, else that of the environment, else the default.
///
/// # Errors
/// When either names no target.
pub(crate) fn target(name: Option<&str>) -> PyResult<(Generation, TargetSource)> {
    if let Some(name) = name {
        return Generation::parse(name).map(|target| (target, TargetSource::Flag)).map_err(value_error);
    }
    match std::env::var_os(TARGET_VARIABLE).filter(|name| !name.is_empty()) {
        None => Ok((Setting::default().generation, TargetSource::Default)),
        Some(name) => Generation::parse(&name.to_string_lossy())
            .map(|target| (target, TargetSource::Environment))
            .map_err(|error| value_error(format_args!("environment variable {TARGET_VARIABLE}: {error}"))),
    }
}

/// The engine of a name.
///
/// # Errors
/// Says what to write.
pub(crate) fn engine(name: &str) -> PyResult<Engine> {
    Engine::parse(name)
        .ok_or_else(|| value_error(format_args!("engine=`{name}`: use any, pool (gpsimd) or dve (vector)")))
}

/// The setting of the arguments that all questions have.
///
/// # Errors
/// When target or engine is none.
pub(crate) fn setting(
    target_name: Option<&str>,
    engine_name: &str,
    policy: Option<&Bound<'_, PyPolicy>>,
) -> PyResult<Setting> {
    let (generation, target_source) = target(target_name)?;
    Ok(Setting { generation, target_source, engine: engine(engine_name)?, policy: policy_of(policy) })
}

/// What carries out words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExecutorKind {
    Fast,
    Reference,
    Iss,
}

impl ExecutorKind {
    /// The executor of a name.
    ///
    /// # Errors
    /// Says what to write.
    pub fn parse(name: &str) -> PyResult<Self> {
        match name {
            "fast" => Ok(Self::Fast),
            "reference" => Ok(Self::Reference),
            "iss" => Ok(Self::Iss),
            _ => Err(value_error(format_args!("executor=`{name}`: use fast, reference or iss"))),
        }
    }

    /// The executor of the name.
    ///
    /// # Errors
    /// When the environment asks for a CPU level or threads that make no sense.
    pub fn build(self) -> PyResult<Arc<dyn Executor>> {
        Ok(match self {
            Self::Fast => {
                fast()?;
                Arc::new(OnFast)
            }
            Self::Reference => Arc::new(Reference),
            Self::Iss => Arc::new(Iss::new()),
        })
    }
}

/// The one fast executor of the process, as an executor of words.
#[derive(Debug)]
struct OnFast;

impl Executor for OnFast {
    fn name(&self) -> &'static str {
        "fast"
    }

    fn run(&self, order: &Order<'_>, memory: &mut StateBuffer) -> Result<Computed, Fault> {
        match fast() {
            Ok(fast) => fast.run(order, memory),
            Err(_) => Reference.run(order, memory),
        }
    }
}

static FAST: AtomicPtr<Fast> = AtomicPtr::new(std::ptr::null_mut());

/// The fast executor of the process. It is made once, and again in a process that was forked: threads do not come along.
///
/// # Errors
/// When the environment asks for a CPU level or a number of threads that makes no sense.
pub(crate) fn fast() -> PyResult<&'static Fast> {
    let known = FAST.load(AtomicOrdering::Acquire);
    if !known.is_null() {
        // SAFETY: what is stored was leaked, so that it lives as long as the process.
        return Ok(unsafe { &*known });
    }
    let made: &'static Fast = Box::leak(Box::new(Fast::new(level()?, threads()?)));
    FAST.store(std::ptr::from_ref(made).cast_mut(), AtomicOrdering::Release);
    Ok(made)
}

/// Forgets the threads of the process that this one was forked from.
#[pyfunction]
#[pyo3(name = "_after_fork")]
pub(crate) fn after_fork() {
    FAST.store(std::ptr::null_mut(), AtomicOrdering::Release);
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
}

fn level() -> PyResult<Level> {
    let Some(name) = variable("VQ7_CPU_LEVEL") else { return Ok(Level::best()) };
    Level::parse(&name).map_err(|error| value_error(format_args!("environment variable VQ7_CPU_LEVEL: {error}")))
}

fn threads() -> PyResult<usize> {
    let Some(text) = variable("VQ7_THREADS") else {
        return Ok(std::thread::available_parallelism().map_or(1, usize::from).min(256));
    };
    text.parse().ok().filter(|threads| (1..=256).contains(threads)).ok_or_else(|| {
        value_error(format_args!("environment variable VQ7_THREADS: `{text}` is no number of threads from 1 to 256"))
    })
}
