//! Tokens to statements. A line that is wrong is reported and skipped, so that one run shows every finding.

use crate::Options;
use crate::diagnostic::{Diagnostic, Parsed, Span};
use crate::lexer::{Token, tokens};
use crate::syntax::*;
use vq7_isa::header::Events;
use vq7_isa::text::{Lines, parse_events};
use vq7_isa::{Dtype, Generation, Word};
use vq7_policy::Policy;

/// Statements of a program, findings where lines are wrong, and the policy that holds after the last line.
pub(crate) fn parse(source: &str, options: &Options<'_>) -> (Vec<Spanned<Statement>>, Vec<Diagnostic>, Policy) {
    let tokens = tokens(source, |first| options.lines.is_word_line(first));
    let policy = policy_of(source, &tokens, options);
    let mut parser = Parser { source, tokens, at: 0, policy, lines: options.lines, findings: Vec::new(), depth: 0 };
    let statements = parser.statements();
    (statements, parser.findings, policy)
}

/// The policy of the whole program, read ahead of the statements because the names of dtypes depend on it. What is wrong
/// with a `policy` line is reported when the line is read.
fn policy_of(source: &str, tokens: &[(Token, Span)], options: &Options<'_>) -> Policy {
    let mut policy = options.policy;
    let lines = tokens.split(|(token, _)| matches!(token, Token::Newline | Token::Mark(";" | "{" | "}")));
    for line in lines {
        let [(Token::Name, word), (Token::Name, knob), (Token::Mark("="), _), (Token::Name, value)] = line else {
            continue;
        };
        let knob = &source[knob.clone()];
        if &source[word.clone()] == "policy" && !options.insisted.iter().any(|insisted| insisted.name() == knob) {
            let _ = policy.set(&format!("{knob}={}", &source[value.clone()]));
        }
    }
    policy
}

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    policy: Policy,
    lines: Lines<'a>,
    findings: Vec<Diagnostic>,
    depth: usize,
}

/// Nested `repeat` blocks; more would only multiply work.
const MAX_DEPTH: usize = 8;
/// Elements of one tensor; the largest State Buffer has 2^26 bytes.
const MAX_ELEMENTS: u64 = 1 << 26;

impl<'a> Parser<'a> {
    fn statements(&mut self) -> Vec<Spanned<Statement>> {
        let mut statements = Vec::new();
        loop {
            while self.eat(Token::Newline) || self.eat(Token::Mark(";")) {}
            match self.peek() {
                None => return statements,
                Some(Token::Mark("}")) if self.depth > 0 => return statements,
                Some(_) => {}
            }
            let start = self.here().start;
            match self.statement() {
                Ok(value) => statements.push(Spanned { value, span: start..self.behind() }),
                Err(finding) => {
                    self.findings.push(finding);
                    self.skip_line();
                }
            }
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        if self.peek() == Some(Token::Word) {
            return self.word().map(Statement::Word);
        }
        let name = self.name("a statement")?;
        let is_definition = matches!(self.peek(), Some(Token::Mark("=" | ":" | "[")));
        let statement = match name.value.as_str() {
            _ if is_definition => self.assign(name)?,
            "target" => Statement::Target(self.name("a target, for example trn2")?),
            "engine" => Statement::Engine(self.name("an engine: any, pool or dve")?),
            "policy" => self.policy()?,
            "tensor" => Statement::Tensor(self.tensor(false)?),
            "input" => Statement::Tensor(self.tensor(true)?),
            "const" => self.constant()?,
            "repeat" => self.repeat()?,
            "output" => {
                let name = self.name("the name of a tensor")?;
                if matches!(self.peek(), Some(Token::Mark("=" | "<-") | Token::Text)) {
                    let help = format!("write `output {} -> \"{0}.npy\"`, or no file and --out {0}=FILE", name.value);
                    return Err(self.unexpected("expected `-> \"file\"`").help(help));
                }
                let path = if self.eat(Token::Mark("->")) { Some(self.path()?) } else { None };
                Statement::Output { name, path }
            }
            "expect" => {
                let range = self.element_range()?;
                self.expect_mark("==", "expected `== [values]`")?;
                let list = self.values()?;
                if list.rest.is_some() {
                    return Err(Diagnostic::new(list.span, "an expectation lists every value").help("remove the `..`"));
                }
                let values = list.values;
                Statement::Expect { range, values }
            }
            "show" => Statement::Show(self.element_range()?),
            other => {
                let message = format!("`{other}` begins no statement");
                return Err(Diagnostic::new(name.span, message).help(
                    "statements are target, engine, policy, tensor, input, const, repeat, output, expect, show, and `name = op(a, b)`",
                ));
            }
        };
        self.end_of_line()?;
        Ok(statement)
    }

    fn word(&mut self) -> Parsed<Word> {
        let (_, span) = self.next().unwrap_or((Token::Newline, 0..0));
        let line = &self.source[span.clone()];
        self.lines
            .parse(line, &self.policy)
            .map_err(|error| Diagnostic::new(span.start + error.span.start..span.start + error.span.end, error.message))
    }

    fn policy(&mut self) -> Parsed<Statement> {
        let knob = self.name("a policy knob")?;
        self.expect_mark("=", "expected `knob=value`")?;
        let value = self.name("a value of the knob")?;
        let span = knob.span.start..value.span.end;
        let text = format!("{}={}", knob.value, value.value);
        { self.policy }.set(&text).map_err(|error| Diagnostic::new(span, error.to_string()))?;
        Ok(Statement::Policy)
    }

    fn tensor(&mut self, is_input: bool) -> Parsed<TensorDecl> {
        let name = self.name("the name of a tensor")?;
        self.expect_mark(":", "expected `: dtype[shape]`, for example `: int32[128, 512]`")?;
        let dtype = self.dtype()?;
        let start = self.here().start;
        self.expect_mark("[", "expected the shape, for example [128, 512]: partitions first")?;
        let mut shape = Vec::new();
        while !self.eat(Token::Mark("]")) {
            shape.push(self.count("a size")?.value);
            if !self.eat(Token::Mark(",")) && self.peek() != Some(Token::Mark("]")) {
                return Err(self.unexpected("expected `,` or `]`"));
            }
        }
        let shape = Spanned { value: shape, span: start..self.behind() };
        let elements = shape.value.iter().try_fold(1u64, |product, &size| product.checked_mul(size as u64));
        if elements.is_none_or(|elements| elements > MAX_ELEMENTS) {
            return Err(Diagnostic::new(shape.span, format!("{:?} is larger than any State Buffer", shape.value)));
        }
        let place = if self.eat_name("at") { Some(self.place()?) } else { None };
        let init = if !is_input && self.eat(Token::Mark("=")) { Some(self.init()?) } else { None };
        if is_input && matches!(self.peek(), Some(Token::Mark("=" | "->") | Token::Text)) {
            let help = format!(
                "write `input {}: .. <- \"{0}.npy\"`, or no file and --in {0}=FILE; a tensor with values is a `tensor`",
                name.value
            );
            return Err(self.unexpected("expected `<- \"file\"`").help(help));
        }
        let path = if is_input && self.eat(Token::Mark("<-")) { Some(self.path()?) } else { None };
        Ok(TensorDecl { name, dtype, shape, place, init, input: is_input.then_some(path) })
    }

    fn place(&mut self) -> Parsed<Place> {
        let first = self.integer("a byte offset, or partition:offset")?;
        if self.eat(Token::Mark(":")) {
            let offset = self.integer("a byte offset")?;
            return Ok(Place { partition: first.value, offset: offset.value, span: first.span.start..offset.span.end });
        }
        Ok(Place { partition: 0, offset: first.value, span: first.span })
    }

    /// `5`: every element; `[1, 2, 3]`: all of them; `[1, 2, ..0]` and `[1, 2, ..iota]`: the first, and how it goes on.
    fn init(&mut self) -> Parsed<Init> {
        if self.peek() == Some(Token::Mark("[")) {
            return self.values();
        }
        let start = self.here().start;
        let rest = if self.eat_name("iota") { Rest::Iota } else { Rest::Fill(self.value()?) };
        Ok(Init { values: Vec::new(), rest: Some(rest), span: start..self.behind() })
    }

    fn values(&mut self) -> Parsed<Init> {
        let start = self.here().start;
        self.expect_mark("[", "expected a list of values, for example [1, 2, 3]")?;
        let (mut values, mut rest) = (Vec::new(), None);
        while !self.eat(Token::Mark("]")) {
            if self.eat(Token::Mark("..")) {
                rest = Some(if self.eat_name("iota") { Rest::Iota } else { Rest::Fill(self.value()?) });
                self.expect_mark("]", "`..` must be the last entry of a list")?;
                break;
            }
            values.push(self.value()?);
            if !self.eat(Token::Mark(",")) && self.peek() != Some(Token::Mark("]")) {
                return Err(self.unexpected("expected `,` or `]`"));
            }
        }
        Ok(Init { values, rest, span: start..self.behind() })
    }

    fn constant(&mut self) -> Parsed<Statement> {
        let name = self.name("the name of a constant")?;
        self.expect_mark(":", "expected `: dtype = value`, for example `: uint32 = 32`")?;
        let dtype = self.dtype()?;
        self.expect_mark("=", "expected `= value`")?;
        Ok(Statement::Const { name, dtype, value: self.value()? })
    }

    fn assign(&mut self, name: Name) -> Parsed<Statement> {
        let dst = self.view(name)?;
        let dtype = if self.eat(Token::Mark(":")) { Some(self.dtype()?) } else { None };
        self.expect_mark("=", "expected `= op(a, b)`")?;
        let op = self.name("an op, for example add_int")?;
        self.expect_mark("(", "expected the operands, for example (a, b)")?;
        let mut args = Vec::new();
        while !self.eat(Token::Mark(")")) {
            args.push(match self.peek() {
                Some(Token::Number) => Arg::Literal(self.value()?),
                _ => {
                    let name = self.name("a tensor, a constant or a number")?;
                    Arg::View(self.view(name)?)
                }
            });
            if !self.eat(Token::Mark(",")) && self.peek() != Some(Token::Mark(")")) {
                return Err(self.unexpected("expected `,` or `)`"));
            }
        }
        let events = self.events()?;
        Ok(Statement::Assign(Assign { dst, dtype, op, args, events }))
    }

    fn events(&mut self) -> Parsed<Events> {
        let start = self.here().start;
        while self.eat(Token::Event) {}
        let text = self.source.get(start..self.behind()).unwrap_or("");
        parse_events(text)
            .map_err(|error| Diagnostic::new(start + error.span.start..start + error.span.end, error.message))
    }

    fn view(&mut self, name: Name) -> Parsed<View> {
        let mut slices = Vec::new();
        if self.eat(Token::Mark("[")) {
            while !self.eat(Token::Mark("]")) {
                slices.push(self.slice()?);
                if !self.eat(Token::Mark(",")) && self.peek() != Some(Token::Mark("]")) {
                    return Err(self.unexpected("expected `,` or `]`"));
                }
            }
        }
        Ok(View { name, slices })
    }

    fn slice(&mut self) -> Parsed<Spanned<Slice>> {
        let start = self.here().start;
        let from = self.bound()?;
        if self.peek() == Some(Token::Mark("..")) {
            return Err(self
                .unexpected("expected from:to, for example 0:64")
                .help("operands are sliced as in NumPy; `..` counts elements in show and expect"));
        }
        self.expect_mark(":", "expected from:to or from:to:step, for example 0:64 or ::-1")?;
        let to = self.bound()?;
        let step = if self.eat(Token::Mark(":")) { self.step()? } else { None };
        Ok(Spanned { value: Slice { from, to, step }, span: start..self.behind() })
    }

    fn bound(&mut self) -> Parsed<Option<usize>> {
        match self.peek() {
            Some(Token::Number) => self.count("an index of 0 or more").map(|count| Some(count.value)),
            _ => Ok(None),
        }
    }

    fn step(&mut self) -> Parsed<Option<i32>> {
        if self.peek() != Some(Token::Number) {
            return Ok(None);
        }
        let number = self.value()?;
        let wrong = || {
            Diagnostic::new(
                number.span.clone(),
                format!("expected a step, for example 2 or -1, found `{}`", number.value),
            )
        };
        number.value.parse().map(Some).map_err(|_| wrong())
    }

    fn repeat(&mut self) -> Parsed<Statement> {
        let count = self.count("how often")?;
        let Ok(times) = u32::try_from(count.value) else {
            return Err(Diagnostic::new(count.span, "too many repetitions"));
        };
        self.expect_mark("{", "expected `{`, the lines to repeat, and `}`")?;
        if self.depth == MAX_DEPTH {
            return Err(Diagnostic::new(count.span, format!("at most {MAX_DEPTH} repeats inside one another")));
        }
        self.depth += 1;
        let body = self.statements();
        self.depth -= 1;
        self.expect_mark("}", "expected `}` at the end of the repeated lines")?;
        Ok(Statement::Repeat { count: Spanned { value: times, span: count.span }, body })
    }

    fn element_range(&mut self) -> Parsed<ElementRange> {
        let name = self.name("the name of a tensor")?;
        if !self.eat(Token::Mark("[")) {
            return Ok(ElementRange { name, range: None });
        }
        let low = self.count("the first element's index")?;
        if self.peek() == Some(Token::Mark(":")) {
            let help =
                "show and expect count elements in row-major order, over all partitions; operands are sliced with `:`";
            return Err(self.unexpected("expected first..end, for example 0..3").help(help));
        }
        self.expect_mark("..", "expected first..end, for example 0..3")?;
        let high = self.count("the index after the last element")?;
        self.expect_mark("]", "expected `]`")?;
        if low.value >= high.value {
            let help = "the index after the last element is larger than the first";
            return Err(Diagnostic::new(low.span.start..high.span.end, "the range is empty").help(help));
        }
        Ok(ElementRange { name, range: Some(low.value..high.value) })
    }

    fn dtype(&mut self) -> Parsed<Dtype> {
        let name = self.name("a dtype, for example int32")?;
        let dtype = Dtype::parse(&name.value, &self.policy);
        dtype.map_err(|error| Diagnostic::new(name.span.clone(), error.to_string())).and_then(|dtype| {
            match dtype.is_tensor_tensor() {
                true => Ok(dtype),
                false => Err(Diagnostic::new(name.span, format!("no tensor-tensor operand holds {dtype}"))),
            }
        })
    }

    fn path(&mut self) -> Parsed<String> {
        let span = self.here();
        match self.eat(Token::Text) {
            true => Ok(self.source[span.start + 1..span.end - 1].to_owned()),
            false => Err(self.unexpected("expected a file name between double quotes")),
        }
    }

    /// A number as written, or `inf` and `nan`.
    fn value(&mut self) -> Parsed<Name> {
        let span = self.here();
        let text = self.source.get(span.clone()).unwrap_or("").to_owned();
        let is_special = self.peek() == Some(Token::Name) && ["inf", "nan"].contains(&text.as_str());
        if !is_special && self.peek() != Some(Token::Number) {
            return Err(self.unexpected("expected a number, for example 5, -3, 0x1f, 1.5e-3, inf"));
        }
        self.at += 1;
        Ok(Spanned { value: text, span })
    }

    fn integer(&mut self, what: &str) -> Parsed<Spanned<u32>> {
        let number = self.value()?;
        let digits = number.value.replace('_', "");
        let value = match digits.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => digits.parse().ok(),
        };
        let is_huge =
            digits.strip_prefix("0x").unwrap_or(&digits).chars().all(|c| c.is_ascii_hexdigit()) && digits.len() > 9;
        let message = || match is_huge {
            true => format!("{} is too large for {what}", number.value),
            false => format!("expected {what}, found `{}`", number.value),
        };
        value
            .map(|value| Spanned { value, span: number.span.clone() })
            .ok_or_else(|| Diagnostic::new(number.span.clone(), message()))
    }

    fn count(&mut self, what: &str) -> Parsed<Spanned<usize>> {
        let number = self.integer(what)?;
        if u64::from(number.value) > MAX_ELEMENTS {
            return Err(Diagnostic::new(number.span, format!("{} is larger than any State Buffer", number.value)));
        }
        Ok(Spanned { value: number.value as usize, span: number.span })
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.here();
        match self.eat(Token::Name) {
            true => Ok(Spanned { value: self.source[span.clone()].to_owned(), span }),
            false => Err(self.unexpected(&format!("expected {what}"))),
        }
    }

    fn eat_name(&mut self, name: &str) -> bool {
        let is_name = self.peek() == Some(Token::Name) && self.source.get(self.here()) == Some(name);
        self.at += usize::from(is_name);
        is_name
    }

    fn expect_mark(&mut self, mark: &'static str, message: &str) -> Parsed<()> {
        if self.eat(Token::Mark(mark)) { Ok(()) } else { Err(self.unexpected(message)) }
    }

    fn end_of_line(&mut self) -> Parsed<()> {
        match self.peek() {
            None | Some(Token::Newline | Token::Mark("}" | ";")) => Ok(()),
            Some(_) => Err(self.unexpected("expected the end of the line")),
        }
    }

    fn unexpected(&self, message: &str) -> Diagnostic {
        let span = self.here();
        let found = match self.peek() {
            None => "the end of the program".to_owned(),
            Some(Token::Newline) => "the end of the line".to_owned(),
            Some(_) => format!("`{}`", &self.source[span.clone()]),
        };
        Diagnostic::new(span, format!("{message}, found {found}"))
    }

    fn skip_line(&mut self) {
        while !matches!(self.peek(), None | Some(Token::Newline)) {
            self.at += 1;
        }
        // A stray `}` must not stop the parser from advancing.
        self.at += usize::from(self.peek().is_some());
    }

    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).map(|(token, _)| *token)
    }

    fn next(&mut self) -> Option<(Token, Span)> {
        let next = self.tokens.get(self.at).cloned();
        self.at += 1;
        next
    }

    fn eat(&mut self, token: Token) -> bool {
        let eaten = self.peek() == Some(token);
        self.at += usize::from(eaten);
        eaten
    }

    /// Where the next token stands, or the end of the source.
    fn here(&self) -> Span {
        self.tokens.get(self.at).map_or(self.source.len()..self.source.len(), |(_, span)| span.clone())
    }

    /// Where the token before ends.
    fn behind(&self) -> usize {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |(_, span)| span.end)
    }
}

/// The generation of a target statement.
pub(crate) fn generation(name: &Name) -> Parsed<Generation> {
    Generation::parse(&name.value).map_err(|error| Diagnostic::new(name.span.clone(), error.to_string()))
}
