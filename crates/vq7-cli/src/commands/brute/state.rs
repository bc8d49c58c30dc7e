//! The file that keeps what is done.

use super::question::Plan;
use crate::files::output::Output;
use crate::outcome::CallError;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};
use vq7_oracle::{Mask, Stretch};

/// Time between two writings of the file.
const INTERVAL: Duration = Duration::from_secs(2);

/// The contents of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Done {
    schema_version: u32,
    /// What was asked, judge, policy and version included.
    identity: String,
    /// The next case.
    next: u64,
    /// Cases that agree.
    agreed: u64,
    /// How many of them needed each mask.
    masked: [u64; Mask::ALL.len()],
}

/// What is done, in a file or nowhere.
#[derive(Debug)]
pub(super) struct Checkpoint {
    file: Option<Output>,
    done: Option<Done>,
    identity: String,
    written: Instant,
}

impl Checkpoint {
    /// Nothing is kept.
    pub fn none() -> Self {
        Self { file: None, done: None, identity: String::new(), written: Instant::now() }
    }

    /// Reads the file if there is one, and makes sure that it can be written.
    ///
    /// # Errors
    /// When it belongs to another question, is no such file, or cannot be read or written.
    pub fn open(path: &Path, plan: &Plan) -> Result<Self, CallError> {
        let identity = plan.identity();
        let done = match std::fs::read(path) {
            Ok(bytes) => Some(read(&bytes, plan, &identity).map_err(|error| CallError::file(path, error))?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(CallError::file(path, error)),
        };
        Ok(Self { file: Some(Output::prepare(path)?), done, identity, written: Instant::now() })
    }

    /// The next case.
    pub fn next(&self) -> Option<u64> {
        self.done.as_ref().map(|done| done.next)
    }

    /// What earlier runs found.
    pub fn stretch(&self) -> Stretch {
        self.done.as_ref().map_or_else(Stretch::default, |done| Stretch {
            agreed: done.agreed,
            masked: done.masked,
            mismatch: None,
        })
    }

    /// Writes the file, if it is time or must be. A mismatch is not kept: the next run comes to it again.
    ///
    /// # Errors
    /// When it cannot be written; then the old one is still there.
    pub fn save(&mut self, next: u64, stretch: &Stretch, must: bool) -> Result<(), CallError> {
        let Some(file) = self.file.as_ref().filter(|_| must || self.written.elapsed() >= INTERVAL) else {
            return Ok(());
        };
        let Stretch { agreed, masked, .. } = *stretch;
        let done = Done { schema_version: 1, identity: self.identity.clone(), next, agreed, masked };
        let mut text = serde_json::to_vec(&done).map_err(|error| CallError::file(file.path(), error))?;
        text.push(b'\n');
        file.write(&text)?;
        self.written = Instant::now();
        Ok(())
    }
}

fn read(bytes: &[u8], plan: &Plan, identity: &str) -> Result<Done, String> {
    let done: Done = serde_json::from_slice(bytes)
        .map_err(|error| format!("this is no file of an earlier `vq7 brute --resume`: {error}; name another file"))?;
    if done.schema_version != 1 || done.identity != identity {
        return Err(format!(
            "it belongs to another run: `{}`, not to `{identity}`; name another file, or remove it",
            done.identity
        ));
    }
    let counted = plan.cases.start.checked_add(done.agreed);
    if !(plan.cases.start..=plan.cases.end).contains(&done.next) || counted != Some(done.next) {
        return Err(format!(
            "its numbers do not fit each other (next {}, agreed {}); remove it",
            done.next, done.agreed
        ));
    }
    Ok(done)
}
