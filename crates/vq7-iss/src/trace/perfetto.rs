//! Chrome's trace-event JSON, which Perfetto and `chrome://tracing` open: a process per core, a track per slot.
//!
//! One microsecond of the trace is one cycle. A slice of one cycle is an issue; the stalls of a bundle stand on a track of their
//! own, with an arrow from the op that is waited for. Residence in later stages overlaps and is given as arguments.

use super::{Listing, Timeline};
use crate::event::Cause;
use std::fmt::Write as _;

/// Track of the stalls, past any slot.
const STALLS: u8 = 16;

/// The trace of a run on core `core`.
#[must_use]
pub fn json(timeline: &Timeline, listing: &Listing, core: u32) -> String {
    let mut events = vec![
        format!(r#"{{"ph":"M","name":"process_name","pid":{core},"args":{{"name":"core {core}"}}}}"#),
        track(core, STALLS, "stalls"),
    ];
    let mut slots: Vec<u8> = listing.bundles.iter().flat_map(|bundle| bundle.ops.iter().map(|op| op.slot)).collect();
    slots.sort_unstable();
    slots.dedup();
    events.extend(slots.into_iter().map(|slot| track(core, slot, &format!("slot {slot}"))));
    let mut arrows = 0u64;
    for went in timeline.bundles() {
        let bundle = listing.bundle(went.bundle);
        for wait in &went.waits {
            let (name, producer) = match wait.cause {
                Cause::Operand { slot, cell, producer } => {
                    (format!("{} waits for {cell}", listing.op(went.bundle, slot)), Some(producer))
                }
                Cause::Memory => ("memory".to_owned(), None),
                Cause::Branch => ("taken branch".to_owned(), None),
            };
            events.push(format!(
                r#"{{"ph":"X","name":{},"cat":"stall","pid":{core},"tid":{STALLS},"ts":{},"dur":{},"args":{{"bundle":{}}}}}"#,
                quoted(&name),
                wait.from,
                wait.cycles,
                went.bundle
            ));
            if let Some(producer) = producer
                && let Some(from) = timeline.of(producer).and_then(|went| went.issued)
            {
                let arrow = |ph: &str, tid: u8, ts: u64, extra: &str| {
                    format!(
                        r#"{{"ph":"{ph}","name":"waits","cat":"hazard","id":{arrows},"pid":{core},"tid":{tid},"ts":{ts}{extra}}}"#
                    )
                };
                events.push(arrow("s", producer.slot, from, ""));
                events.push(arrow("f", STALLS, wait.from, r#","bp":"e""#));
                arrows += 1;
            }
        }
        let Some(issued) = went.issued else { continue };
        for op in &bundle.ops {
            events.push(format!(
                r#"{{"ph":"X","name":{},"cat":"{}","pid":{core},"tid":{},"ts":{issued},"dur":1,"args":{{"bundle":{},"line":{},"decoded":{},"result":{},"retired":{}}}}}"#,
                quoted(&op.text),
                if went.killed.is_some() { "killed" } else { "issue" },
                op.slot,
                went.bundle,
                bundle.line,
                went.decoded,
                issued + u64::from(op.depth),
                went.retired.map_or("null".to_owned(), |cycle| cycle.to_string()),
            ));
        }
    }
    let mut json = r#"{"displayTimeUnit":"ms","otherData":{"unit":"1 us = 1 cycle"},"traceEvents":["#.to_owned();
    for (index, event) in events.iter().enumerate() {
        let _ = write!(json, "{}\n{event}", if index == 0 { "" } else { "," });
    }
    json.push_str("\n]}\n");
    json
}

fn track(core: u32, tid: u8, name: &str) -> String {
    format!(r#"{{"ph":"M","name":"thread_name","pid":{core},"tid":{tid},"args":{{"name":{}}}}}"#, quoted(name))
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if u32::from(c) < 0x20 => drop(write!(quoted, "\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
