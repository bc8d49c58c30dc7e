//! Which executor carries out words.

use crate::outcome::CallError;
use std::sync::Arc;
use vq7_engine::{Executor, Reference};

/// The options of commands that run words.
#[derive(Debug, clap::Args)]
pub struct ExecutorArg {
    /// Executor: reference
    #[arg(long, value_name = "EXECUTOR", default_value = "reference", value_parser = parse)]
    executor: Kind,
}

/// The executors that vq7 knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Reference,
}

fn parse(name: &str) -> Result<Kind, String> {
    match name {
        "reference" => Ok(Kind::Reference),
        "fast" | "iss" => Err(format!("this version does not have `{name}` yet; it has reference")),
        _ => Err("this version has reference".to_owned()),
    }
}

impl ExecutorArg {
    /// The executor.
    ///
    /// # Errors
    /// When what it needs to know of its surroundings makes no sense.
    pub fn build(&self) -> Result<Arc<dyn Executor>, CallError> {
        Ok(match self.executor {
            Kind::Reference => Arc::new(Reference),
        })
    }
}
