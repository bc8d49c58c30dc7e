//! What a word waits for and signals, in words.

use vq7_isa::header::{Events, Operand, UpdateAction, UpdateMode, WaitAction, WaitMode, When};
use vq7_policy::Confidence;

/// A wait mode by the header's name.
pub(crate) fn wait_mode_meaning(code: u8) -> String {
    WaitMode::from_code(code).map_or_else(|| "no wait mode".to_owned(), |mode| mode.name.to_owned())
}

/// An update mode by the header's name.
pub(crate) fn update_mode_meaning(code: u8) -> String {
    match UpdateMode::from_code(code) {
        None => "no update mode".to_owned(),
        Some(mode) if mode.confidence < Confidence::High => format!("{} (inferred from its neighbours)", mode.name),
        Some(mode) => mode.name.to_owned(),
    }
}

fn operand_text(operand: Operand, value: u32) -> String {
    match operand {
        Operand::Immediate => value.to_string(),
        Operand::Register => format!("register {value}"),
        Operand::RegisterOffset => format!("a register plus an offset, field {value:#x}"),
    }
}

fn event_state(set: bool) -> &'static str {
    if set { "set" } else { "clear" }
}

/// What a word waits for before it runs.
pub fn wait_text(events: &Events) -> String {
    let Events { wait_mode, wait_idx: index, semaphore_value: value, .. } = *events;
    let Some(mode) = WaitMode::from_code(wait_mode) else {
        return format!("wait mode {wait_mode:#04x}, which no source defines");
    };
    match mode.action {
        WaitAction::None => "waits for nothing".to_owned(),
        WaitAction::Semaphore(comparison, operand) => {
            format!("waits until semaphore {index} {} {}", comparison.symbol(), operand_text(operand, value))
        }
        WaitAction::Event { set, then_flip: false } => format!("waits until event {index} is {}", event_state(set)),
        WaitAction::Event { set, then_flip: true } => {
            let verb = if set { "clears" } else { "sets" };
            format!("waits until event {index} is {}, then {verb} it", event_state(set))
        }
        WaitAction::Unordered => "issues without order".to_owned(),
    }
}

/// What a word signals, and when.
pub fn update_text(events: &Events) -> String {
    let Events { update_mode, update_idx: index, semaphore_value: value, .. } = *events;
    let Some(mode) = UpdateMode::from_code(update_mode) else {
        return format!("update mode {update_mode:#04x}, which no source defines");
    };
    let what = match mode.action {
        UpdateAction::None => return "signals nothing".to_owned(),
        UpdateAction::Event { set: true } => format!("sets event {index}"),
        UpdateAction::Event { set: false } => format!("clears event {index}"),
        UpdateAction::Increment => format!("adds 1 to semaphore {index}"),
        UpdateAction::Decrement => format!("subtracts 1 from semaphore {index}"),
        UpdateAction::Add(operand) => format!("adds {} to semaphore {index}", operand_text(operand, value)),
        UpdateAction::Subtract(operand) => {
            format!("subtracts {} from semaphore {index}", operand_text(operand, value))
        }
        UpdateAction::Write(operand) => format!("writes {} to semaphore {index}", operand_text(operand, value)),
    };
    let when = match mode.when {
        When::Read => "after the last source read",
        When::Complete => "after the last write",
    };
    format!("{what} {when}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_read_as_sentences() {
        let events = Events { wait_mode: 0x04, wait_idx: 11, update_mode: 0x13, update_idx: 22, semaphore_value: 0 };
        assert_eq!(wait_text(&events), "waits until semaphore 11 > 0");
        assert_eq!(update_text(&events), "adds 1 to semaphore 22 after the last write");
        let events = Events { wait_mode: 0x07, wait_idx: 3, update_mode: 0x97, update_idx: 1, semaphore_value: 9 };
        assert_eq!(wait_text(&events), "waits until event 3 is set, then clears it");
        assert_eq!(update_text(&events), "subtracts register 9 from semaphore 1 after the last write");
    }
}
