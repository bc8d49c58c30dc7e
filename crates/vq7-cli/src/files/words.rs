//! Words from the command line: hex digits, files, standard input.

use crate::outcome::CallError;
use std::io::Read;
use std::path::Path;
use vq7_isa::Word;
use vq7_isa::word::read_stream;

/// The argument that means standard input.
pub const STDIN: &str = "-";

/// Reads everything from standard input.
///
/// # Errors
/// When it cannot be read.
pub fn read_stdin() -> Result<Vec<u8>, CallError> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| CallError::at("standard input", error))?;
    Ok(bytes)
}

/// Reads a whole file, or standard input for `-`.
///
/// # Errors
/// When it cannot be read.
pub fn read_input(path: &str) -> Result<Vec<u8>, CallError> {
    match path {
        STDIN => read_stdin(),
        path => std::fs::read(path).map_err(|error| CallError::file(Path::new(path), error)),
    }
}

/// The words of all arguments, one after the other.
///
/// # Errors
/// When an argument is neither words nor a file of words.
pub fn read_words(arguments: &[String]) -> Result<Vec<Word>, CallError> {
    let mut words = Vec::new();
    for argument in arguments {
        words.append(&mut read_argument(argument)?);
    }
    Ok(words)
}

fn read_argument(argument: &str) -> Result<Vec<Word>, CallError> {
    if argument == STDIN {
        return words_of(&read_stdin()?, "standard input", argument);
    }
    let not_hex = match Word::from_hex(argument) {
        Ok(word) => return Ok(vec![word]),
        Err(error) => error,
    };
    let path = Path::new(argument);
    match std::fs::read(path) {
        Ok(bytes) => words_of(&bytes, argument, argument),
        Err(error) if path.exists() => Err(CallError::file(path, error)),
        Err(error) => Err(CallError::new(format_args!(
            "`{}` is neither a file nor a word: as a file: {error}; as hex: {not_hex}",
            shortened(argument)
        ))),
    }
}

/// The words of a file, or what the file is instead.
fn words_of(bytes: &[u8], place: &str, argument: &str) -> Result<Vec<Word>, CallError> {
    read_stream(bytes).map_err(|error| match std::str::from_utf8(bytes).is_ok_and(is_program) {
        true => CallError::file(
            Path::new(place),
            format_args!(
                "this looks like a program, not like words; assemble it first: vq7 asm {argument} -o words.bin"
            ),
        ),
        false => CallError::file(Path::new(place), error),
    })
}

/// Whether text is a program: text at all, and its first line of substance more than hex digits.
pub fn is_program(source: &str) -> bool {
    if source.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return false;
    }
    let is_hex = |line: &str| line.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, '_' | 'x' | ' ' | '\t'));
    let mut lines = source.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.find(|line| !line.is_empty()).is_some_and(|line| !is_hex(line))
}

/// An argument that is too long for a message, cut.
fn shortened(argument: &str) -> String {
    const LONGEST: usize = 60;
    match argument.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", argument.get(..end).unwrap_or_default()),
        None => argument.to_owned(),
    }
}
