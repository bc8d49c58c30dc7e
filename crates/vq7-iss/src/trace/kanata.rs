//! A Kanata 0004 log, which Konata opens.
//!
//! Tab-separated commands: `I` starts an instruction, `L` labels it, `S` and `E` start and end a stage in a lane (0 for stages,
//! 1 for stalls), `W` draws an arrow from a producer, `R` ends it (0 retired, 1 flushed), `C` lets cycles go by. Every op of a
//! bundle is an instruction of its own.

use super::{Listing, STAGES, Timeline};
use crate::event::Cause;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The log of a run on core `core`.
#[must_use]
pub fn log(timeline: &Timeline, listing: &Listing, core: u32) -> String {
    let mut ids = BTreeMap::new();
    let mut lines: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for went in timeline.bundles() {
        for op in &listing.bundle(went.bundle).ops {
            let id = ids.len();
            ids.insert((went.issue, op.slot), id);
            let mut at = |cycle: u64, line: String| lines.entry(cycle).or_default().push(line);
            at(went.decoded, format!("I\t{id}\t{}\t{core}", went.issue));
            let text = clean(&op.text);
            at(went.decoded, format!("L\t{id}\t0\t{}: S{} {text}", went.bundle, op.slot));
            at(went.decoded, format!("S\t{id}\t0\tDe"));
            for wait in &went.waits {
                let (name, why) = match wait.cause {
                    Cause::Operand { slot, cell, producer } => {
                        let by = clean(listing.op(producer.bundle, producer.slot));
                        ("op", format!("{} cycles for {cell} in slot {slot}, defined by {by}", wait.cycles))
                    }
                    Cause::Memory => ("mem", format!("{} cycles for memory", wait.cycles)),
                    Cause::Branch => ("br", format!("{} cycles behind a taken branch", wait.cycles)),
                };
                at(wait.from, format!("S\t{id}\t1\t{name}"));
                at(wait.from, format!("L\t{id}\t1\twaits {why}. "));
                at(wait.from + wait.cycles, format!("E\t{id}\t1\t{name}"));
                if let Cause::Operand { slot, producer, .. } = wait.cause
                    && slot == op.slot
                    && let Some(producer) = ids.get(&(producer.issue, producer.slot))
                {
                    at(wait.from, format!("W\t{id}\t{producer}\t0"));
                }
            }
            if let Some(issued) = went.issued {
                let end = went.retired.or(went.killed).unwrap_or(issued + 16);
                for (stage, name) in (0u64..).zip(STAGES) {
                    if issued + stage <= end {
                        at(issued + stage, format!("S\t{id}\t0\t{name}"));
                    }
                }
            }
            let over = went.retired.map(|cycle| (cycle + 1, 0)).or(went.killed.map(|cycle| (cycle, 1)));
            if let Some((cycle, how)) = over {
                at(cycle, format!("R\t{id}\t{}\t{how}", went.issue));
            }
        }
    }
    let mut log = "Kanata\t0004\n".to_owned();
    let mut now = lines.keys().next().copied().unwrap_or(0);
    let _ = writeln!(log, "C=\t{now}");
    for (cycle, lines) in lines {
        if cycle > now {
            let _ = writeln!(log, "C\t{}", cycle - now);
            now = cycle;
        }
        for line in lines {
            log.push_str(&line);
            log.push('\n');
        }
    }
    log
}

/// Text without the characters that separate columns and lines.
fn clean(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}
