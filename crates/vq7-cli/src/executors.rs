//! Which executor carries out words, and on what of the host.

use crate::outcome::CallError;
use std::fmt::Display;
use std::sync::Arc;
use vq7_engine::iss::Iss;
use vq7_engine::{Executor, Reference};
use vq7_fast::{Fast, Level};

/// Environment variable with the CPU level of the fast executor.
const LEVEL_VARIABLE: &str = "VQ7_CPU_LEVEL";
/// Environment variable with the threads of the fast executor.
const THREADS_VARIABLE: &str = "VQ7_THREADS";

/// The options of commands that run words.
#[derive(Debug, clap::Args)]
pub struct ExecutorArg {
    /// What carries out the words: fast (vector units and threads), reference (element by element; exact flags and
    /// grounds) or iss (bundles on the cycle-accurate core); the bytes are the same. $VQ7_CPU_LEVEL sets the CPU level of fast: baseline, avx2 or avx512
    #[arg(long, value_name = "EXECUTOR", default_value = "fast", value_parser = parse)]
    executor: Kind,
    /// Threads of the fast executor [default: $VQ7_THREADS, else one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// The executors that vq7 knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fast,
    Reference,
    Iss,
}

fn parse(name: &str) -> Result<Kind, String> {
    match name {
        "fast" => Ok(Kind::Fast),
        "reference" => Ok(Kind::Reference),
        "iss" => Ok(Kind::Iss),
        _ => Err("use fast, reference or iss".to_owned()),
    }
}

impl ExecutorArg {
    /// The executor.
    ///
    /// # Errors
    /// When the environment asks for a CPU level or a number of threads that makes no sense.
    pub fn build(&self) -> Result<Arc<dyn Executor>, CallError> {
        Ok(match self.executor {
            Kind::Reference => Arc::new(Reference),
            Kind::Iss => Arc::new(Iss::new()),
            Kind::Fast => Arc::new(Fast::new(level()?, threads(self.threads)?)),
        })
    }
}

/// The CPU level that the environment asks for, or the best.
///
/// # Errors
/// When there is no such level, or this CPU lacks it.
pub fn level() -> Result<Level, CallError> {
    match variable(LEVEL_VARIABLE) {
        Some(name) => Level::parse(&name).map_err(|error| wrong(LEVEL_VARIABLE, &error)),
        None => Ok(Level::best()),
    }
}

/// The threads that a flag or the environment asks for, or one per processor.
///
/// # Errors
/// When the environment names no number of threads.
pub fn threads(flag: Option<u16>) -> Result<usize, CallError> {
    if let Some(threads) = flag {
        return Ok(threads.into());
    }
    match variable(THREADS_VARIABLE) {
        Some(text) => match text.parse() {
            Ok(threads @ 1..=256) => Ok(threads),
            _ => Err(wrong(THREADS_VARIABLE, &format_args!("`{text}` is no number of threads from 1 to 256"))),
        },
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from).min(256)),
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
}

fn wrong(variable: &str, error: &dyn Display) -> CallError {
    CallError::at(format_args!("environment variable {variable}"), error)
}
