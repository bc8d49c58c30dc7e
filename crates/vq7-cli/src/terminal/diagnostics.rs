//! What is wrong with a program, drawn with the lines that it stands in.

use ariadne::{Config, IndexType, Label, Report, ReportKind, Source};
use std::ops::Range;
use vq7_program::Diagnostic;
use vq7_report::Look;

/// Further findings are counted, not drawn.
const DRAWN: usize = 20;

/// Draws findings: file, line, column, the text itself with a mark, and what to write instead.
pub fn draw(name: &str, source: &str, findings: &[Diagnostic], look: &Look) -> String {
    let mut text = Vec::new();
    for finding in findings.iter().take(DRAWN) {
        let span = within(&finding.span, source);
        let config = Config::default().with_color(look.color).with_index_type(IndexType::Byte);
        let mut report = Report::build(ReportKind::Error, (name, span.clone()))
            .with_config(config)
            .with_message(&finding.message)
            .with_label(Label::new((name, span)).with_message("here"));
        if let Some(help) = &finding.help {
            report = report.with_help(help);
        }
        let written = report.finish().write((name, Source::from(source)), &mut text);
        if written.is_err() {
            let (line, column) = finding.line_and_column(source);
            text.extend_from_slice(format!("{name}:{line}:{column}: {}\n", finding.message).as_bytes());
        }
    }
    let mut text = String::from_utf8_lossy(&text).into_owned();
    match findings.len() {
        count @ 0..=DRAWN => {
            text.push_str(&format!("error: {name}: {count} {}\n", if count == 1 { "mistake" } else { "mistakes" }))
        }
        count => text.push_str(&format!("error: {name}: {count} mistakes, the first {DRAWN} are shown\n")),
    }
    text
}

/// A span that lies within the source, on the borders of characters.
fn within(span: &Range<usize>, source: &str) -> Range<usize> {
    let start = source.floor_char_boundary(span.start.min(source.len()));
    let end = source.ceil_char_boundary(span.end.min(source.len()));
    start..end.max(start)
}
