//! A chart of stages over cycles, readable in any browser, on light and on dark ground.

use super::{Listing, Timeline, Went};
use crate::event::Cause;
use std::fmt::Write as _;

/// Rows and cycles that a chart shows at most.
const MOST_ROWS: usize = 96;
const MOST_CYCLES: u64 = 240;
/// Sizes in pixels.
const ROW: u64 = 20;
const CYCLE: u64 = 24;
const TOP: u64 = 64;

const STYLE: &str = "\
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}\
.s{font-size:10px;text-anchor:middle}.h{font-size:14px;font-weight:600}.d{fill:#59636e}\
.bg{fill:#ffffff}.g{stroke:#d1d9e0;stroke-width:1}\
.i{fill:#9ec5fe}.p{fill:#e6e9ee}.x{fill:#a3d9b1}.r{fill:#5bb974}\
.wo{fill:#f4a261}.wm{fill:#c792ea}.wb{fill:#f28b82}.k{fill:#b0b7c0}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.d{fill:#9198a1}.bg{fill:#0d1117}.g{stroke:#3d444d}\
.i{fill:#1f4b8e}.p{fill:#2b323b}.x{fill:#1f5c37}.r{fill:#2c8a4b}\
.wo{fill:#9a5316}.wm{fill:#6b3f94}.wb{fill:#97312a}.k{fill:#59636e}}";

/// One row: an op of a bundle.
struct Line<'a> {
    went: &'a Went,
    label: String,
    depth: u8,
    slot: u8,
}

/// The chart of a run.
#[must_use]
pub fn chart(timeline: &Timeline, listing: &Listing, title: &str) -> String {
    let mut lines = Vec::new();
    for went in timeline.bundles() {
        for op in &listing.bundle(went.bundle).ops {
            let label = format!("{:>3} S{} {}", went.bundle, op.slot, op.text);
            lines.push(Line { went, label, depth: op.depth, slot: op.slot });
        }
    }
    let hidden = lines.len().saturating_sub(MOST_ROWS);
    lines.truncate(MOST_ROWS);
    let first = lines.first().map_or(0, |line| line.went.decoded);
    let last = lines.iter().map(|line| end(line)).max().unwrap_or(first + 1).min(first + MOST_CYCLES);
    let widest = lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0) as u64;
    let left = 24 + widest * 8;
    let (width, height) = (left + (last + 1 - first) * CYCLE + 24, TOP + lines.len() as u64 * ROW + 56);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\"><title>{0}</title><style>{STYLE}</style><rect class=\"bg\" width=\"100%\" height=\"100%\"/>\
         <text class=\"h\" x=\"12\" y=\"24\">{0}</text>",
        escaped(title)
    );
    legend(&mut svg);
    for cycle in first..=last {
        let x = left + (cycle - first) * CYCLE;
        let bottom = TOP + lines.len() as u64 * ROW;
        let _ = write!(svg, "<path class=\"g\" d=\"M{x} {TOP}V{bottom}\"/>");
        if cycle.is_multiple_of(2) {
            let _ = write!(svg, "<text class=\"s d\" x=\"{}\" y=\"{}\">{cycle}</text>", x + CYCLE / 2, TOP - 4);
        }
    }
    for (row, line) in (0u64..).zip(&lines) {
        draw(&mut svg, line, TOP + row * ROW, left, first, last, listing);
    }
    let more = match (hidden, timeline.dropped()) {
        (0, 0) => "cycles to the right, one row per op".to_owned(),
        (hidden, dropped) => {
            format!("cycles to the right, one row per op; {hidden} rows and {dropped} bundles not drawn")
        }
    };
    let _ = writeln!(svg, "<text class=\"d\" x=\"12\" y=\"{}\">{more}</text></svg>", height - 16);
    svg
}

fn end(line: &Line<'_>) -> u64 {
    let went = line.went;
    let issued = went.issued.map(|issued| issued + u64::from(line.depth.max(1)));
    issued.or(went.killed).unwrap_or(went.decoded)
}

fn legend(svg: &mut String) {
    let keys = [
        ("i", "issue"),
        ("p", "in flight"),
        ("x", "execute"),
        ("r", "result"),
        ("wo", "waits for an operand"),
        ("wm", "for memory"),
        ("wb", "behind a branch"),
    ];
    let mut x = 12;
    for (class, text) in keys {
        let _ = write!(
            svg,
            "<rect class=\"{class}\" x=\"{x}\" y=\"33\" width=\"12\" height=\"12\"/><text x=\"{}\" y=\"43\">{text}</text>",
            x + 16
        );
        x += 36 + text.len() * 8;
    }
}

fn draw(svg: &mut String, line: &Line<'_>, y: u64, left: u64, first: u64, last: u64, listing: &Listing) {
    let _ = write!(svg, "<text x=\"12\" y=\"{}\" xml:space=\"preserve\">{}</text>", y + 14, escaped(&line.label));
    let mut cell = |cycle: u64, class: &str, text: &str, tip: &str| {
        if cycle < first || cycle > last {
            return;
        }
        let x = left + (cycle - first) * CYCLE;
        let _ = write!(
            svg,
            "<g><title>{}</title><rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\
             <text class=\"s\" x=\"{}\" y=\"{}\">{text}</text></g>",
            escaped(tip),
            x + 1,
            y + 2,
            CYCLE - 1,
            ROW - 3,
            x + CYCLE / 2,
            y + 14
        );
    };
    for wait in &line.went.waits {
        let (class, text, why) = match wait.cause {
            Cause::Operand { slot, cell, producer } => {
                let by = listing.op(producer.bundle, producer.slot);
                ("wo", cell.to_string(), format!("slot {slot} waits for {cell}, defined by {by}"))
            }
            Cause::Memory => ("wm", "mem".to_owned(), "waits for memory".to_owned()),
            Cause::Branch => ("wb", "br".to_owned(), "behind a taken branch".to_owned()),
        };
        for cycle in wait.from..wait.from + wait.cycles {
            cell(cycle, class, &text, &format!("cycle {cycle}: {why}"));
        }
    }
    let Some(issued) = line.went.issued else { return };
    for stage in 0..=line.depth.max(1) {
        let cycle = issued + u64::from(stage);
        let class = match stage {
            _ if line.went.killed.is_some_and(|killed| cycle >= killed) => "k",
            0 => "i",
            stage if stage == line.depth => "r",
            10 => "x",
            _ => "p",
        };
        cell(cycle, class, &stage.to_string(), &format!("cycle {cycle}: stage {stage} of slot {}", line.slot));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
