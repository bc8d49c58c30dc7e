//! Work over threads, its results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Results that may wait for one thread's turn, per thread.
const AHEAD: usize = 8;

/// Does pieces `0..pieces` on threads and hands their results to `take` in order. Each thread has a state of its own.
///
/// # Errors
/// The first error of `take` or of a piece, in the order of the pieces; then no further piece begins.
pub(super) fn in_order<S, T: Send, E: Send>(
    pieces: usize,
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Result<T, E> + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::sync_channel(threads.max(1) * AHEAD);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (sender, next, stop, state, work) = (sender.clone(), &next, &stop, &state, &work);
            scope.spawn(move || {
                let mut mine = state();
                while !stop.load(Ordering::Relaxed) {
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    // Nobody listens any more after an error.
                    if piece >= pieces || sender.send((piece, work(&mut mine, piece))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let (mut early, mut expected) = (BTreeMap::new(), 0);
        for (piece, result) in receiver {
            early.insert(piece, result);
            while let Some(result) = early.remove(&expected) {
                expected += 1;
                if let Err(error) = result.and_then(&mut take) {
                    stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for threads in [1, 2, 7] {
            let mut seen = Vec::new();
            let work = |state: &mut usize, piece: usize| {
                *state += 1;
                std::thread::sleep(std::time::Duration::from_micros((piece % 3) as u64 * 100));
                if piece == 90 { Err(piece) } else { Ok(piece) }
            };
            let error = in_order(
                100,
                threads,
                || 0,
                work,
                |piece| {
                    seen.push(piece);
                    Ok(())
                },
            );
            assert_eq!((error, seen), (Err(90), (0..90).collect::<Vec<_>>()));
        }
    }
}
