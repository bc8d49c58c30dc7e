//! Source text to tokens. Never fails: what is no token becomes [`Token::Unknown`], which the parser reports.

use crate::diagnostic::Span;

/// A piece of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name: letters, digits, underscores and dots.
    Name,
    /// A number as written: `5`, `-3`, `0x1f`, `1.5e-3`.
    Number,
    /// A text between double quotes.
    Text,
    /// Something that a word waits for or signals, `$S[11]>0`.
    Event,
    /// A whole line that is a canonical instruction word.
    Word,
    /// `= : , [ ] ( ) { } ->  <- == ..`
    Mark(&'static str),
    /// The end of a line outside brackets.
    Newline,
    /// A character that begins no token.
    Unknown,
}

const MARKS: [&str; 14] = ["->", "<-", "==", "..", "=", ":", ",", "[", "]", "(", ")", "{", "}", ";"];

/// Cuts the source into tokens. `is_word` tells whether a line's first word makes it a canonical instruction word.
pub(crate) fn tokens(source: &str, is_word: impl Fn(&str) -> bool) -> Vec<(Token, Span)> {
    let mut tokens = Vec::new();
    let (mut at, mut depth, mut line_start) = (0usize, 0usize, true);
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        let (token, length) = if c == '\n' {
            line_start = true;
            (if depth == 0 { Some(Token::Newline) } else { None }, 1)
        } else if c.is_whitespace() {
            (None, c.len_utf8())
        } else if c == '#' {
            (None, line_length(rest))
        } else {
            let (token, length) = match std::mem::take(&mut line_start) && depth == 0 && is_word(first_word(rest)) {
                true => (Token::Word, line_length(rest)),
                false => next(rest),
            };
            match token {
                Token::Mark("[" | "(") => depth += 1,
                Token::Mark("]" | ")") => depth = depth.saturating_sub(1),
                _ => {}
            }
            (Some(token), length)
        };
        tokens.extend(token.map(|token| (token, at..at + length)));
        at += length;
    }
    tokens
}

fn line_length(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

/// What a line begins with; the line of a word that has no fields ends right behind its name.
fn first_word(rest: &str) -> &str {
    &rest[..rest.find(|c: char| c.is_whitespace() || matches!(c, ';' | '#')).unwrap_or(rest.len())]
}

fn next(rest: &str) -> (Token, usize) {
    let run = |rest: &str, belongs: &dyn Fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    let first = rest.chars().next().unwrap_or(' ');
    let second = rest.chars().nth(1).unwrap_or(' ');
    if first.is_ascii_digit() || (first == '-' && (second.is_ascii_digit() || second == 'i')) {
        return (Token::Number, number_length(rest));
    }
    if first.is_alphabetic() || first == '_' {
        return (Token::Name, run(rest, &|c| c.is_alphanumeric() || c == '_'));
    }
    if first == '$' {
        return (Token::Event, run(rest, &|c| !c.is_whitespace() && c != '#'));
    }
    if first == '"' {
        let closed = rest[1..].find(['"', '\n']).filter(|&end| rest[1 + end..].starts_with('"'));
        return closed.map_or((Token::Unknown, line_length(rest)), |end| (Token::Text, end + 2));
    }
    let mark = MARKS.into_iter().find(|mark| rest.starts_with(mark));
    mark.map_or((Token::Unknown, first.len_utf8()), |mark| (Token::Mark(mark), mark.len()))
}

/// Bytes of a number: digits and letters, a sign after an exponent's `e`, one dot that does not begin `..`.
fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let hex = rest.starts_with("0x") || rest.starts_with("-0x");
    let mut length = 1;
    while let Some(&byte) = bytes.get(length) {
        let belongs = match byte {
            b'.' => bytes.get(length + 1) != Some(&b'.'),
            b'+' | b'-' => !hex && matches!(bytes[length - 1], b'e' | b'E'),
            _ => byte.is_ascii_alphanumeric() || byte == b'_',
        };
        if !belongs {
            break;
        }
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<(Token, &str)> {
        tokens(source, |first| first == "HALT").into_iter().map(|(token, span)| (token, &source[span])).collect()
    }

    #[test]
    fn tokens_of_a_line() {
        use Token::*;
        assert_eq!(
            texts("hi: uint64 = shift(p, -1.5e-3) $S[1]>0 # note"),
            [
                (Name, "hi"),
                (Mark(":"), ":"),
                (Name, "uint64"),
                (Mark("="), "="),
                (Name, "shift"),
                (Mark("("), "("),
                (Name, "p"),
                (Mark(","), ","),
                (Number, "-1.5e-3"),
                (Mark(")"), ")"),
                (Event, "$S[1]>0"),
            ]
        );
        assert_eq!(
            texts("[0x1f, 0..3]").iter().map(|t| t.1).collect::<Vec<_>>(),
            ["[", "0x1f", ",", "0", "..", "3", "]"]
        );
    }

    #[test]
    fn newlines_inside_brackets_do_not_end_a_statement() {
        assert_eq!(texts("[1,\n2]\n").iter().filter(|(token, _)| *token == Token::Newline).count(), 1);
    }

    #[test]
    fn a_canonical_word_is_one_token() {
        assert_eq!(
            texts("HALT raw=00;\nx"),
            [(Token::Word, "HALT raw=00;"), (Token::Newline, "\n"), (Token::Name, "x")]
        );
    }
}
