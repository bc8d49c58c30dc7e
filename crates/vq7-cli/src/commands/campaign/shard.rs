//! Shards: run, kept, counted, put together.

use super::plan::{Asked, Campaign};
use crate::commands::brute::{self, pool};
use crate::files::output::Output;
use crate::outcome::CallError;
use crate::terminal::Progress;
use serde::{Deserialize, Serialize};
use std::num::NonZero;
use std::ops::Range;
use std::path::PathBuf;
use std::time::SystemTime;
use vq7_oracle::{Mask, Space};
use vq7_report::campaign::{Answered, Found, Manifest, Progressed};

/// The contents of `shard-N.json`.
#[derive(Debug, Serialize, Deserialize)]
struct Shard {
    schema_version: u32,
    /// The digest of the plan.
    plan: String,
    shard: u64,
    parts: Vec<Part>,
}

/// The shard's part of one question.
#[derive(Debug, Serialize, Deserialize)]
struct Part {
    question: String,
    oracle: String,
    first: u64,
    end: u64,
    /// Cases that agree, up to the first that differs.
    agreed: u64,
    /// How many of them needed each mask.
    masked: [u64; Mask::ALL.len()],
    mismatch: Option<Found>,
}

impl Campaign {
    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("shard-{number}.json"))
    }

    /// The cases of a question that belong to a shard.
    fn cases(&self, asked: &Asked, number: u64) -> Result<Range<u64>, String> {
        let space = Space::new(asked.question, asked.coverage).map_err(|error| error.to_string())?;
        Ok(space.slice(number, self.shards()))
    }

    /// The result of a shard, if it is there.
    ///
    /// # Errors
    /// Says what is wrong with a file that is there and is not the whole result of this shard of this plan.
    fn read(&self, number: u64) -> Result<Option<Shard>, String> {
        let bytes = match std::fs::read(self.path(number)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let shard: Shard = serde_json::from_slice(&bytes).map_err(|error| format!("no whole result: {error}"))?;
        if (shard.schema_version, &shard.plan, shard.shard) != (1, &self.digest, number) {
            return Err("the result of another plan or shard".to_owned());
        }
        if shard.parts.len() != self.asked.len() {
            return Err(format!("{} parts, and the plan has {} questions", shard.parts.len(), self.asked.len()));
        }
        for (part, asked) in shard.parts.iter().zip(&self.asked) {
            let Range { start, end } = self.cases(asked, number)?;
            let reached = start.checked_add(part.agreed);
            let wanted = part.mismatch.as_ref().map_or(end, |found| found.index);
            let fits =
                part.question == asked.name && part.oracle == asked.oracle && (part.first, part.end) == (start, end);
            if !fits || reached != Some(wanted) || wanted > end {
                return Err(format!("the part of {} is not what the plan asks for", asked.name));
            }
        }
        Ok(Some(shard))
    }

    /// Runs a shard, unless its result is there. One that is broken is replaced.
    ///
    /// # Errors
    /// When a judge is not built in, or the result cannot be written.
    pub fn run_shard(&self, number: u64) -> Result<(), CallError> {
        if matches!(self.read(number), Ok(Some(_))) {
            return Ok(());
        }
        let output = Output::prepare(self.path(number))?;
        let mut parts = Vec::new();
        let bar = Progress::new("judging", self.total(number)?);
        let mut done = 0;
        for asked in &self.asked {
            let part = self.judge(asked, number, |judged| bar.at(done + judged))?;
            done += part.end - part.first;
            parts.push(part);
        }
        drop(bar);
        let shard = Shard { schema_version: 1, plan: self.digest.clone(), shard: number, parts };
        let mut text = serde_json::to_vec(&shard).map_err(|error| CallError::file(output.path(), error))?;
        text.push(b'\n');
        output.write(&text)
    }

    fn total(&self, number: u64) -> Result<u64, CallError> {
        self.asked.iter().try_fold(0, |sum: u64, asked| {
            let cases = self.cases(asked, number).map_err(CallError::new)?;
            Ok(sum.saturating_add(cases.end - cases.start))
        })
    }

    fn judge(&self, asked: &Asked, number: u64, at: impl Fn(u64)) -> Result<Part, CallError> {
        let slice = (number, self.shards());
        let plan = brute::Plan::of(asked.question, asked.coverage, slice, Some(&asked.oracle), &self.policy)?;
        let evaluate = |a, b| plan.evaluate(a, b);
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let (first, end) = (plan.cases.start, plan.cases.end);
        let stretch = pool::run(&plan, first..end, threads, &evaluate, |next, _| {
            at(next - first);
            Ok(())
        })?;
        let mismatch = stretch.mismatch.and_then(|mismatch| {
            let case = plan.answer(&stretch, end, &evaluate).case?;
            Some(Found { index: mismatch.index, case: case.name, reproduce: case.reproduce })
        });
        Ok(Part {
            question: asked.name.clone(),
            oracle: asked.oracle.clone(),
            first,
            end,
            agreed: stretch.agreed,
            masked: stretch.masked,
            mismatch,
        })
    }

    /// How far it is.
    pub fn progress(&self) -> Progressed {
        let (mut done, mut broken, mut mismatches, mut times) = (0, Vec::new(), 0, Vec::new());
        for number in 0..self.shards() {
            match self.read(number) {
                Ok(None) => {}
                Err(_) => broken.push(number),
                Ok(Some(shard)) => {
                    done += 1;
                    mismatches += shard.parts.iter().filter(|part| part.mismatch.is_some()).count() as u64;
                    times.extend(std::fs::metadata(self.path(number)).and_then(|file| file.modified()));
                }
            }
        }
        let span = |times: &[SystemTime]| times.iter().max()?.duration_since(*times.iter().min()?).ok();
        let seconds = span(&times).map_or(0.0, |span| span.as_secs_f64());
        // The first result ends no interval.
        let rate = (done > 1 && seconds > 0.0).then(|| (done - 1) as f64 / seconds);
        let seconds_left = rate.map(|rate| (self.shards() - done) as f64 / rate);
        Progressed { done, shards: self.shards(), broken, mismatches, rate, seconds_left }
    }

    /// The results of all shards together.
    ///
    /// # Errors
    /// Names the shards whose results are missing or broken.
    pub fn merge(&self) -> Result<Manifest, CallError> {
        let mut shards = Vec::new();
        let mut missing = Vec::new();
        for number in 0..self.shards() {
            match self.read(number) {
                Ok(Some(shard)) => shards.push(shard),
                Ok(None) => missing.push(number.to_string()),
                Err(error) => missing.push(format!("{number} ({error})")),
            }
        }
        if !missing.is_empty() {
            let (count, folder) = (missing.len(), self.folder.display());
            missing.truncate(10);
            return Err(CallError::new(format_args!(
                "{count} of {} shards have no result: {}{}; run them with `vq7 campaign run-shard {folder} N`",
                self.shards(),
                missing.join(", "),
                if count > 10 { ", .." } else { "" }
            )));
        }
        let questions = self.asked.iter().enumerate().map(|(place, asked)| {
            let parts: Vec<_> = shards.iter().filter_map(|shard| shard.parts.get(place)).collect();
            answered(asked, &parts)
        });
        Ok(Manifest {
            vq7: self.plan.vq7.clone(),
            targets: self.plan.targets.clone(),
            policy: self.plan.policy.clone(),
            questions: questions.collect(),
        })
    }
}

/// One question over all shards, in a form that does not depend on how many there were.
fn answered(asked: &Asked, parts: &[&Part]) -> Answered {
    let mismatch = parts.iter().find_map(|part| part.mismatch.clone());
    let sum = |mask: Mask| parts.iter().map(|part| part.masked[mask as usize]).sum::<u64>();
    let masked = match &mismatch {
        None => Mask::ALL
            .into_iter()
            .map(|mask| (mask.name().to_owned(), sum(mask)))
            .filter(|(_, cases)| *cases > 0)
            .collect(),
        // Shards behind the first difference have counted further than others would.
        Some(_) => Default::default(),
    };
    let cases = parts.iter().map(|part| part.end - part.first).sum();
    let agreed = mismatch.as_ref().map_or(cases, |found| found.index);
    Answered { question: asked.name.clone(), oracle: asked.oracle.clone(), cases, agreed, masked, mismatch }
}
