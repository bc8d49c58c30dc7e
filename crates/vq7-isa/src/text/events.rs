//! What a word waits for and what it signals, printed and read.
//!
//! `$S[11]>0` waits for semaphore 11 to exceed 0, `$S[11]>$R[5]` to exceed register 5; `$E[3]==set` waits for event 3,
//! `$E[3]==set,clear` clears it afterwards. `$S[22]++@complete` adds one on completion, `$S[22]+=5@read` adds 5 after the
//! source reads, `$E[3]=set@read` sets event 3. What has no such form is `wait=MODE:index`, `update=MODE:index`. The
//! 32-bit value that both share is `value=n` where neither form shows it.

use super::digits::Scrap;
use super::{Piece, TextError};
use crate::header::{
    Comparison, Events, Operand, UPDATE_MODES, UpdateAction, UpdateMode, WAIT_MODES, WaitAction, WaitMode, When,
};
use std::fmt::{self, Write};

/// Prints the fields of the event block that are not at rest, each with a leading space.
pub fn print_events(events: &Events) -> String {
    let mut text = String::new();
    write_events(&mut text, events);
    text
}

/// As [`print_events`], at the end of a line.
pub(super) fn write_events(text: &mut String, events: &Events) {
    // Writing to a string cannot fail.
    let _ = try_write_events(text, events);
}

fn try_write_events(text: &mut String, events: &Events) -> fmt::Result {
    let mut value_shown = false;
    if (events.wait_mode, events.wait_idx) != (0, 0) {
        text.push(' ');
        let mode = WaitMode::from_code(events.wait_mode);
        match mode.map(|mode| write_wait(text, mode, events)).transpose()?.flatten() {
            Some(shown) => value_shown |= shown,
            None => write_mode(text, "wait", mode.map(|mode| mode.name), events.wait_mode, events.wait_idx)?,
        }
    }
    if (events.update_mode, events.update_idx) != (0, 0) {
        text.push(' ');
        let mode = UpdateMode::from_code(events.update_mode);
        match mode.map(|mode| write_update(text, mode, events)).transpose()?.flatten() {
            Some(shown) => value_shown |= shown,
            None => write_mode(text, "update", mode.map(|mode| mode.name), events.update_mode, events.update_idx)?,
        }
    }
    if events.semaphore_value != 0 && !value_shown {
        write!(text, " value={}", events.semaphore_value)?;
    }
    Ok(())
}

/// Reads what a word waits for and signals, in the form that [`print_events`] prints.
///
/// # Errors
/// When a piece is no wait, update or value; the span is relative to the text.
pub fn parse_events(text: &str) -> Result<Events, TextError> {
    let mut reader = EventsReader::default();
    for piece in super::pieces(text) {
        if !reader.read(piece)? {
            return Err(
                piece.error(format!("`{}` is no wait and no update; write $S[11]>0 or $S[22]++@complete", piece.text))
            );
        }
    }
    Ok(reader.finish())
}

/// The long form: mode by the header's name, or by code where it has none.
fn write_mode(text: &mut String, key: &str, name: Option<&str>, code: u8, index: u8) -> fmt::Result {
    match name {
        Some(name) => write!(text, "{key}={name}:{index}"),
        None => write!(text, "{key}={code:#04x}:{index}"),
    }
}

/// The short form of a wait, and whether it shows the shared value; `None`, and nothing written, where there is none.
fn write_wait(text: &mut String, mode: &WaitMode, events: &Events) -> Result<Option<bool>, fmt::Error> {
    let Events { wait_idx: index, semaphore_value: value, .. } = *events;
    Ok(match mode.action {
        WaitAction::Semaphore(comparison, Operand::Immediate) => {
            write!(text, "$S[{index}]{}{value}", comparison.symbol())?;
            Some(true)
        }
        WaitAction::Semaphore(comparison, Operand::Register) => {
            write!(text, "$S[{index}]{}$R[{value}]", comparison.symbol())?;
            Some(true)
        }
        WaitAction::Event { set, then_flip } => {
            write!(text, "$E[{index}]=={}", event_name(set))?;
            if then_flip {
                write!(text, ",{}", event_name(!set))?;
            }
            Some(false)
        }
        _ => None,
    })
}

/// The short form of an update, and whether it shows the shared value; `None`, and nothing written, where there is none.
fn write_update(text: &mut String, mode: &UpdateMode, events: &Events) -> Result<Option<bool>, fmt::Error> {
    let Events { update_idx: index, semaphore_value: value, .. } = *events;
    let when = mode.when.name();
    let (sign, operand) = match mode.action {
        UpdateAction::None => return Ok(None),
        UpdateAction::Event { set } => {
            write!(text, "$E[{index}]={}@{when}", event_name(set))?;
            return Ok(Some(false));
        }
        UpdateAction::Increment | UpdateAction::Decrement => {
            let sign = if mode.action == UpdateAction::Increment { "++" } else { "--" };
            write_semaphore(text, index);
            [sign, "@", when].iter().for_each(|piece| text.push_str(piece));
            return Ok(Some(false));
        }
        UpdateAction::Add(operand) => ("+", operand),
        UpdateAction::Subtract(operand) => ("-", operand),
        UpdateAction::Write(operand) => ("", operand),
    };
    match operand {
        Operand::Register => write!(text, "$S[{index}]{sign}=$R[{value}]@{when}"),
        _ => write!(text, "$S[{index}]{sign}={value}@{when}"),
    }?;
    Ok(Some(true))
}

fn write_semaphore(text: &mut String, index: u8) {
    text.push_str("$S[");
    let mut scrap = Scrap::new();
    scrap.decimal(index.into());
    scrap.byte(b']');
    scrap.put(text);
}

const fn event_name(set: bool) -> &'static str {
    if set { "set" } else { "clear" }
}

/// What reading the event block has found so far.
#[derive(Default)]
pub(super) struct EventsReader {
    events: Events,
    value: Option<u32>,
    has_wait: bool,
    has_update: bool,
}

impl EventsReader {
    /// Reads one field if it belongs to the event block.
    pub(super) fn read(&mut self, field: Piece<'_>) -> Result<bool, TextError> {
        if let Some(mode) = field.strip_prefix("wait=") {
            let (code, index) =
                parse_mode(mode, |name| WAIT_MODES.iter().find(|mode| mode.name == name).map(|mode| mode.code))?;
            self.set_wait(field, code, index)?;
        } else if let Some(mode) = field.strip_prefix("update=") {
            let (code, index) =
                parse_mode(mode, |name| UPDATE_MODES.iter().find(|mode| mode.name == name).map(|mode| mode.code))?;
            self.set_update(field, code, index)?;
        } else if let Some(value) = field.strip_prefix("value=") {
            self.set_value(value, value.integer("value")?)?;
        } else if let Some(rest) = field.strip_prefix("$S[") {
            self.read_semaphore(field, rest)?;
        } else if let Some(rest) = field.strip_prefix("$E[") {
            self.read_event(field, rest)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    pub(super) fn finish(self) -> Events {
        Events { semaphore_value: self.value.unwrap_or(0), ..self.events }
    }

    fn set_wait(&mut self, field: Piece<'_>, code: u8, index: u8) -> Result<(), TextError> {
        if std::mem::replace(&mut self.has_wait, true) {
            return Err(field.error("a word waits for one thing; remove the second wait"));
        }
        (self.events.wait_mode, self.events.wait_idx) = (code, index);
        Ok(())
    }

    fn set_update(&mut self, field: Piece<'_>, code: u8, index: u8) -> Result<(), TextError> {
        if std::mem::replace(&mut self.has_update, true) {
            return Err(field.error("a word signals one thing; remove the second update"));
        }
        (self.events.update_mode, self.events.update_idx) = (code, index);
        Ok(())
    }

    fn set_value(&mut self, field: Piece<'_>, value: u32) -> Result<(), TextError> {
        match self.value.replace(value) {
            Some(other) if other != value => Err(field.error(format!(
                "wait and update share one 32-bit value, which is already {other}; use ++ or -- for the update"
            ))),
            _ => Ok(()),
        }
    }

    fn read_semaphore(&mut self, field: Piece<'_>, rest: Piece<'_>) -> Result<(), TextError> {
        let shape = "expected $S[i]>n (==, <, <=, >, >=) to wait, or $S[i]++@complete (--, +=n, -=n, =n; @read, @complete) to signal";
        let (index, action) = rest.split_once(']').ok_or_else(|| field.error(shape))?;
        let index = index.integer("semaphore index")?;
        if let Some((action, when)) = action.split_once('@') {
            let when = parse_when(when)?;
            let (kind, value): (fn(Operand) -> UpdateAction, _) = if action.text == "++" {
                (|_| UpdateAction::Increment, None)
            } else if action.text == "--" {
                (|_| UpdateAction::Decrement, None)
            } else if let Some(value) = action.strip_prefix("+=") {
                (UpdateAction::Add, Some(value))
            } else if let Some(value) = action.strip_prefix("-=") {
                (UpdateAction::Subtract, Some(value))
            } else if let Some(value) = action.strip_prefix("=") {
                (UpdateAction::Write, Some(value))
            } else {
                return Err(action.error(shape));
            };
            let operand = value.map(|value| self.read_operand(value)).transpose()?.unwrap_or(Operand::Immediate);
            let wanted = kind(operand);
            let mode = UPDATE_MODES
                .iter()
                .find(|mode| mode.action == wanted && mode.when == when)
                .ok_or_else(|| field.error(shape))?;
            return self.set_update(field, mode.code, index);
        }
        // Longer symbols first, so that `<=` is not read as `<`.
        let comparison = [Comparison::Eq, Comparison::Le, Comparison::Ge, Comparison::Lt, Comparison::Gt]
            .into_iter()
            .find_map(|comparison| Some((comparison, action.strip_prefix(comparison.symbol())?)));
        let (comparison, value) = comparison.ok_or_else(|| field.error(shape))?;
        let operand = self.read_operand(value)?;
        let wanted = WaitAction::Semaphore(comparison, operand);
        let mode = WAIT_MODES.iter().find(|mode| mode.action == wanted).ok_or_else(|| field.error(shape))?;
        self.set_wait(field, mode.code, index)
    }

    /// `5` or `$R[5]`: the shared value, and whether it is a register's number.
    fn read_operand(&mut self, value: Piece<'_>) -> Result<Operand, TextError> {
        if let Some(register) = value.strip_prefix("$R[").and_then(|inner| inner.strip_suffix("]")) {
            self.set_value(value, register.integer("register number")?)?;
            return Ok(Operand::Register);
        }
        self.set_value(value, value.integer("semaphore value")?)?;
        Ok(Operand::Immediate)
    }

    fn read_event(&mut self, field: Piece<'_>, rest: Piece<'_>) -> Result<(), TextError> {
        let shape = "expected $E[i]==set, $E[i]==clear, $E[i]==set,clear or $E[i]==clear,set to wait, or $E[i]=set@complete to signal";
        let (index, action) = rest.split_once(']').ok_or_else(|| field.error(shape))?;
        let index = index.integer("event index")?;
        if let Some(value) = action.strip_prefix("==") {
            let (set, then_flip) = match value.text {
                "set" => (true, false),
                "set,clear" => (true, true),
                "clear" => (false, false),
                "clear,set" => (false, true),
                _ => return Err(value.error(shape)),
            };
            let wanted = WaitAction::Event { set, then_flip };
            let mode = WAIT_MODES.iter().find(|mode| mode.action == wanted).ok_or_else(|| field.error(shape))?;
            return self.set_wait(field, mode.code, index);
        }
        let (value, when) =
            action.strip_prefix("=").and_then(|action| action.split_once('@')).ok_or_else(|| field.error(shape))?;
        let when = parse_when(when)?;
        let set = match value.text {
            "set" => true,
            "clear" => false,
            _ => return Err(value.error(shape)),
        };
        let wanted = UpdateAction::Event { set };
        let mode = UPDATE_MODES
            .iter()
            .find(|mode| mode.action == wanted && mode.when == when)
            .ok_or_else(|| field.error(shape))?;
        self.set_update(field, mode.code, index)
    }
}

fn parse_when(piece: Piece<'_>) -> Result<When, TextError> {
    [When::Read, When::Complete]
        .into_iter()
        .find(|when| when.name() == piece.text)
        .ok_or_else(|| piece.error("expected @read (after the source reads) or @complete (after all writes)"))
}

/// `MODE:index` with the mode by the header's name or as a code.
fn parse_mode(piece: Piece<'_>, by_name: impl Fn(&str) -> Option<u8>) -> Result<(u8, u8), TextError> {
    let (mode, index) =
        piece.split_once(':').ok_or_else(|| piece.error("expected MODE:index, for example SEM_GT_IMM:11"))?;
    let code = match by_name(mode.text) {
        Some(code) => code,
        None => mode.integer("mode of the header, by name or code")?,
    };
    Ok((code, index.integer("index")?))
}
