//! The picture of the semaphores of a package.

use super::{Semaphores, Spot};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

/// So many words of a stream are drawn; a picture of more cannot be read.
const DRAWN: usize = 400;
const COLUMN: usize = 150;
const ROW: usize = 90;
const LEFT: usize = 210;
const TOP: usize = 60;
const BOX: (usize, usize) = (126, 38);

pub(super) fn picture(semaphores: &Semaphores) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = draw(semaphores, &mut text);
    text
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}..", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The column of each word that is drawn: words in the order of their steps; those never reached behind them.
fn columns(semaphores: &Semaphores) -> BTreeMap<Spot, usize> {
    let drawn = || {
        semaphores.lanes.iter().enumerate().flat_map(|(stream, lane)| {
            lane.words.iter().take(DRAWN).map(move |word| (Spot { stream, word: word.index }, word.step))
        })
    };
    let steps: BTreeSet<u64> = drawn().filter_map(|(_, step)| step).collect();
    let column_of: BTreeMap<u64, usize> = steps.into_iter().enumerate().map(|(column, step)| (step, column)).collect();
    let mut columns = BTreeMap::new();
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    for (spot, step) in drawn() {
        let after = last.get(&spot.stream).map_or(0, |column| column + 1);
        let column = step.and_then(|step| column_of.get(&step).copied()).unwrap_or(after).max(after);
        last.insert(spot.stream, column);
        columns.insert(spot, column);
    }
    columns
}

fn draw(semaphores: &Semaphores, out: &mut String) -> fmt::Result {
    let columns = columns(semaphores);
    let width = LEFT + COLUMN * (columns.values().max().map_or(0, |column| column + 1)) + 20;
    let height = TOP + ROW * semaphores.lanes.len() + 20;
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">"#
    )?;
    out.push_str(
        r##"<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#1f6fb2"/></marker></defs>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="10" y="22" font-size="14" font-weight="bold">Semaphores and events</text>
<text x="10" y="40" fill="#555555">from left to right: an order that the waits allow, not time; red: a wait that nothing satisfies; grey: never reached</text>
"##,
    );
    let corner = |spot: &Spot| columns.get(spot).map(|column| (LEFT + COLUMN * column, TOP + ROW * spot.stream + 10));
    for (stream, lane) in semaphores.lanes.iter().enumerate() {
        let y = TOP + ROW * stream + 10 + BOX.1 / 2;
        let more = lane.words.len().saturating_sub(DRAWN);
        let note = if more > 0 { format!(" ({more} more words)") } else { String::new() };
        writeln!(out, r##"<line x1="{LEFT}" y1="{y}" x2="{width}" y2="{y}" stroke="#cccccc"/>"##)?;
        let name = escaped(&format!("{}{note}", cut(&lane.member, 32)));
        writeln!(out, r#"<text x="10" y="{}">{name}</text>"#, y + 4)?;
    }
    let stuck: BTreeSet<Spot> = semaphores.unsatisfied.iter().map(|unsatisfied| unsatisfied.spot).collect();
    for (stream, lane) in semaphores.lanes.iter().enumerate() {
        for word in lane.words.iter().take(DRAWN) {
            let spot = Spot { stream, word: word.index };
            let Some((x, y)) = corner(&spot) else { continue };
            let (fill, stroke) = match (stuck.contains(&spot), word.step) {
                (true, _) => ("#ffd9d9", "#c00000"),
                (false, Some(_)) => ("#e8f1fa", "#1f6fb2"),
                (false, None) => ("#eeeeee", "#999999"),
            };
            let (w, h) = BOX;
            writeln!(
                out,
                r#"<g><title>{}</title><rect x="{x}" y="{y}" width="{w}" height="{h}" rx="4" fill="{fill}" stroke="{stroke}"/>"#,
                escaped(&format!("word {}: {}", word.index, word.text))
            )?;
            let name = escaped(&cut(&word.name, 18));
            writeln!(out, r#"<text x="{}" y="{}">{name}</text>"#, x + 5, y + 15)?;
            writeln!(out, r##"<text x="{}" y="{}" fill="#555555">word {}</text></g>"##, x + 5, y + 30, word.index)?;
        }
    }
    for flow in &semaphores.flows {
        let (Some((x1, y1)), Some((x2, y2))) = (corner(&flow.from), corner(&flow.to)) else { continue };
        let (x1, y1, y2) = (x1 + BOX.0, y1 + BOX.1 / 2, y2 + BOX.1 / 2);
        writeln!(
            out,
            r##"<path d="M{x1} {y1} C{} {y1} {} {y2} {x2} {y2}" fill="none" stroke="#1f6fb2" marker-end="url(#arrow)"><title>{}</title></path>"##,
            x1 + 20,
            x2.saturating_sub(20),
            escaped(&flow.resource.to_string())
        )?;
        let (x, y) = (x1.midpoint(x2), y1.midpoint(y2));
        writeln!(out, r##"<text x="{x}" y="{y}" fill="#1f6fb2">{}</text>"##, flow.resource)?;
    }
    writeln!(out, "</svg>")
}
