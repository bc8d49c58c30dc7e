//! A line per event, in the order of `event`: for reading, searching and comparing.

use super::Listing;
use crate::event::{Cause, Observer, OpRef};
use crate::timing::Cell;
use std::fmt::Write as _;

/// Listens to a run and writes it down.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    listing: &'a Listing,
    /// Whether the values of lanes and operands are written too.
    values: bool,
    text: String,
}

impl<'a> Text<'a> {
    /// Writes when bundles decode, wait, issue and retire and what they commit; with `values` every operand and lane too.
    #[must_use]
    pub fn new(listing: &'a Listing, values: bool) -> Text<'a> {
        Text { listing, values, text: String::new() }
    }

    /// What was written.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    fn line(&mut self, cycle: u64, what: &str, issue: u64, rest: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "{cycle:>8} {what:<7} #{issue} {rest}");
    }
}

/// Bytes as one number, the most significant first, without leading zeros past the first word.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 + bytes.len() * 2);
    text.push_str("0x");
    for byte in bytes.iter().rev() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl Observer for Text<'_> {
    fn decode(&mut self, cycle: u64, issue: u64, bundle: u32) {
        let listing = self.listing;
        let listed = listing.bundle(bundle);
        let ops: Vec<_> = listed.ops.iter().map(|op| op.text.as_str()).collect();
        let place = if listed.line > 0 { format!(" line {}", listed.line) } else { String::new() };
        self.line(
            cycle,
            "decode",
            issue,
            format_args!("bundle {bundle}{place} {}: {}", listed.format, ops.join(" | ")),
        );
    }

    fn stall(&mut self, cycle: u64, issue: u64, _bundle: u32, cause: Cause) {
        match cause {
            Cause::Operand { slot, cell, producer } => {
                let by = self.listing.op(producer.bundle, producer.slot);
                self.line(cycle, "stall", issue, format_args!("S{slot} waits for {cell} of #{} {by}", producer.issue));
            }
            Cause::Memory => self.line(cycle, "stall", issue, format_args!("memory")),
            Cause::Branch => self.line(cycle, "stall", issue, format_args!("taken branch")),
        }
    }

    fn issue(&mut self, cycle: u64, issue: u64, bundle: u32) {
        self.line(cycle, "issue", issue, format_args!("bundle {bundle}"));
    }

    fn latch(&mut self, cycle: u64, op: OpRef, cell: Cell, value: &[u8]) {
        if self.values {
            self.line(cycle, "latch", op.issue, format_args!("S{} {cell} = {}", op.slot, hex(value)));
        }
    }

    fn lane(&mut self, cycle: u64, op: OpRef, leaf: &'static str, lane: u32, value: u128) {
        if self.values {
            self.line(cycle, "lane", op.issue, format_args!("S{} {leaf} [{lane}] = {value:#x}", op.slot));
        }
    }

    fn commit(&mut self, cycle: u64, op: OpRef, cell: Cell, value: &[u8]) {
        self.line(cycle, "commit", op.issue, format_args!("S{} {cell} = {}", op.slot, hex(value)));
    }

    fn retire(&mut self, cycle: u64, issue: u64, bundle: u32) {
        self.line(cycle, "retire", issue, format_args!("bundle {bundle}"));
    }

    fn kill(&mut self, cycle: u64, issue: u64, bundle: u32) {
        self.line(cycle, "kill", issue, format_args!("bundle {bundle}"));
    }
}
