//! Programs: text that is assembled, or words.

use crate::files::words::{is_program, read_input};
use crate::invocation::Invocation;
use crate::outcome::CallError;
use crate::terminal::diagnostics;
use vq7_isa::legality::Engine;
use vq7_isa::text::Lines;
use vq7_isa::word::read_stream;
use vq7_program::{Diagnostic, Options, Program};
use vq7_report::TargetSource;
use vq7_report::problem::Mistake;
use vq7_report::run::program_of_words;

/// Assembles a text; what is wrong with it is drawn as diagnostics.
pub fn assemble(name: &str, source: &str, lines: Lines<'_>, invocation: &Invocation) -> Result<Program, CallError> {
    let setting = invocation.setting(Engine::Any);
    let by_flag = setting.target_source == TargetSource::Flag;
    let options = Options {
        target: by_flag.then_some(setting.generation),
        default_target: setting.generation,
        policy: setting.policy,
        insisted: invocation.insisted(),
        lines,
    };
    vq7_program::assemble(source, &options).map_err(|findings| {
        let mistakes: Vec<_> = findings.iter().map(|finding| mistake(finding, source)).collect();
        let more = match mistakes.len() {
            0 | 1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        let first = mistakes.first().map(|first| format!("{}:{}: {}{more}", first.line, first.column, first.message));
        let message = format!("{name}:{}", first.unwrap_or_default());
        CallError::syntax(message, mistakes, diagnostics::draw(name, source, &findings, invocation.err_look()))
    })
}

fn mistake(finding: &Diagnostic, source: &str) -> Mistake {
    let (line, column) = finding.line_and_column(source);
    Mistake { line, column, message: finding.message.clone(), help: finding.help.clone() }
}

/// Reads a program text or a file of words. The text comes along, where there is one.
pub fn read(name: &str, invocation: &Invocation) -> Result<(Program, Option<String>), CallError> {
    let bytes = read_input(name)?;
    let words = |bytes: &[u8]| read_stream(bytes).map_err(|error| CallError::at(name, error));
    let setting = invocation.setting(Engine::Any);
    match String::from_utf8(bytes) {
        Ok(source) if is_program(&source) => Ok((assemble(name, &source, Lines::default(), invocation)?, Some(source))),
        Ok(source) => Ok((program_of_words(&words(source.as_bytes())?, &setting), None)),
        Err(error) => Ok((program_of_words(&words(error.as_bytes())?, &setting), None)),
    }
}
