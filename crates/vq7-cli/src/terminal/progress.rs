//! A bar on standard error for long work, and only on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// Work of fewer steps is over before a bar can be read.
const LONG: u64 = 200_000;

/// Progress of some work.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar over so many steps; hidden when they are few, or when standard error is no terminal.
    pub fn new(what: &'static str, steps: u64) -> Self {
        if steps < LONG { Self(ProgressBar::hidden()) } else { Self::slow(what, steps) }
    }

    /// A bar over few steps that each take long; hidden when standard error is no terminal.
    pub fn slow(what: &'static str, steps: u64) -> Self {
        let bar = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len} {per_sec} {eta}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        Self(bar)
    }

    /// Tells how many steps were done before this work began: rate and time left do not count them.
    pub fn begins_at(&self, done: u64) {
        self.0.set_position(done);
        self.0.reset_eta();
    }

    /// Tells how many steps are done.
    pub fn at(&self, done: u64) {
        self.0.set_position(done);
    }
}

/// The bar goes away with the work.
impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
