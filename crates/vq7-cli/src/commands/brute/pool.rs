//! Cases over threads.

use super::question::Plan;
use crate::outcome::CallError;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use vq7_oracle::{Answer, Stretch, sweep};

/// Cases that a thread takes at a time: some hundredths of a second.
const CHUNK: u64 = 1 << 18;

/// Judges cases up to the first mismatch, whatever the number of threads. Chunks are handed out in order, so that all
/// cases before a mismatch are judged as well.
///
/// `at` is told, after each chunk that no open one precedes, the next case and what came so far.
///
/// # Errors
/// That of `at`, at which the work ends.
pub(in crate::commands) fn run(
    plan: &Plan,
    cases: Range<u64>,
    threads: usize,
    evaluate: &(dyn Fn(u64, u64) -> Option<Answer> + Sync),
    mut at: impl FnMut(u64, &Stretch) -> Result<(), CallError>,
) -> Result<Stretch, CallError> {
    let (next_chunk, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let chunk = |number: u64| {
        let first = cases.start.saturating_add(number.saturating_mul(CHUNK)).min(cases.end);
        first..first.saturating_add(CHUNK).min(cases.end)
    };
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next_chunk, stop, chunk) = (sender.clone(), &next_chunk, &stop, &chunk);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let number = next_chunk.fetch_add(1, Ordering::Relaxed);
                    let range = chunk(number);
                    if range.is_empty() {
                        break;
                    }
                    let stretch = sweep(&plan.space, range, |a, b| plan.expect(a, b), evaluate);
                    if stretch.mismatch.is_some() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    // Nobody listens any more after an error.
                    if sender.send((number, stretch)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let (mut total, mut early, mut expected) = (Stretch::default(), BTreeMap::new(), 0);
        for (number, stretch) in receiver {
            early.insert(number, stretch);
            while let Some(stretch) = early.remove(&expected) {
                if total.mismatch.is_some() {
                    break;
                }
                total.add(&stretch);
                if total.mismatch.is_none()
                    && let Err(error) = at(chunk(expected).end, &total)
                {
                    stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                expected += 1;
            }
        }
        Ok(total)
    })
}
