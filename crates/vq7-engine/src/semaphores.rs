//! Semaphores and events: what a word waits for and what it signals. Source: docs/spec/words.md, "Events".

use crate::fault::{Fault, Signal, User, Warning};
use crate::registers::Registers;
use vq7_isa::Generation;
use vq7_isa::header::{Events, Operand, UpdateAction, UpdateMode, WaitAction, WaitMode, When};

/// 256 semaphores of 32 bits and 256 events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semaphores {
    values: [u32; 256],
    events: [bool; 256],
}

impl Default for Semaphores {
    fn default() -> Self {
        Self { values: [0; 256], events: [false; 256] }
    }
}

/// The update of a word with its operand fetched, so that nothing can fail once the word has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Update {
    mode: &'static UpdateMode,
    index: u8,
    operand: u32,
}

impl Semaphores {
    /// All semaphores zero, all events clear.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a semaphore.
    pub const fn get(&self, index: u8) -> u32 {
        self.values[index as usize]
    }

    /// Gives a semaphore a value.
    pub const fn set(&mut self, index: u8, value: u32) {
        self.values[index as usize] = value;
    }

    /// Whether an event is set.
    pub const fn event(&self, index: u8) -> bool {
        self.events[index as usize]
    }

    /// Sets or clears an event.
    pub const fn set_event(&mut self, index: u8, set: bool) {
        self.events[index as usize] = set;
    }

    /// Waits as the word says. A single stream cannot be woken by another, so a wait that is not satisfied when it is
    /// reached is a deadlock. Gives a line for the log.
    pub(crate) fn wait(
        &mut self,
        events: &Events,
        generation: Generation,
        registers: &Registers,
    ) -> Result<Option<String>, Fault> {
        let index = events.wait_idx;
        let mode = WaitMode::from_code(events.wait_mode).filter(|mode| mode.generations.contains(generation));
        let mode = mode.ok_or_else(|| unknown("wait", events.wait_mode, generation))?;
        match mode.action {
            WaitAction::None => Ok(None),
            WaitAction::Semaphore(comparison, operand) => {
                let threshold = fetch(operand, events.semaphore_value, registers, User::Wait, mode.name)?;
                let has = self.get(index);
                if comparison.holds(has, threshold) {
                    return Ok(Some(format!("vq7: wait {}: semaphore {index} is {has}", mode.name)));
                }
                Err(Fault::Deadlock {
                    signal: Signal::Semaphore(index),
                    has: has.to_string(),
                    needs: format!("{} {threshold}", comparison.symbol()),
                })
            }
            WaitAction::Event { set, then_flip } => {
                if self.event(index) != set {
                    let name = |set| if set { "set" } else { "clear" }.to_owned();
                    return Err(Fault::Deadlock { signal: Signal::Event(index), has: name(!set), needs: name(set) });
                }
                if then_flip {
                    self.set_event(index, !set);
                }
                Ok(Some(format!("vq7: wait {}: event {index}", mode.name)))
            }
            WaitAction::Unordered => {
                Err(Fault::unimplemented("wait mode UNORDERED: no source says what may overtake what"))
            }
        }
    }

    /// The word's update with its operand.
    pub(crate) fn prepare(events: &Events, generation: Generation, registers: &Registers) -> Result<Update, Fault> {
        let mode = UpdateMode::from_code(events.update_mode).filter(|mode| mode.generations.contains(generation));
        let mode = mode.ok_or_else(|| unknown("update", events.update_mode, generation))?;
        let operand = match mode.action {
            UpdateAction::Add(operand) | UpdateAction::Subtract(operand) | UpdateAction::Write(operand) => {
                fetch(operand, events.semaphore_value, registers, User::Update, mode.name)?
            }
            UpdateAction::None | UpdateAction::Event { .. } | UpdateAction::Increment | UpdateAction::Decrement => 0,
        };
        Ok(Update { mode, index: events.update_idx, operand })
    }

    /// Does the update if `when` is its time. Gives a line for the log, and a warning when a semaphore wrapped:
    /// wrapping at 32 bits is our choice, `LOW INFERRED`.
    pub(crate) fn apply(&mut self, update: &Update, when: When) -> Option<(String, Option<Warning>)> {
        if update.mode.when != when || update.mode.action == UpdateAction::None {
            return None;
        }
        let Update { mode, index, operand } = *update;
        let before = self.get(index);
        let (after, wrapped) = match mode.action {
            UpdateAction::None => (before, false),
            UpdateAction::Event { set } => {
                self.set_event(index, set);
                let state = if set { "set" } else { "clear" };
                return Some((format!("vq7: update {}: event {index} is {state}", mode.name), None));
            }
            UpdateAction::Increment => before.overflowing_add(1),
            UpdateAction::Decrement => before.overflowing_sub(1),
            UpdateAction::Add(_) => before.overflowing_add(operand),
            UpdateAction::Subtract(_) => before.overflowing_sub(operand),
            UpdateAction::Write(_) => (operand, false),
        };
        self.set(index, after);
        let line = format!("vq7: update {}: semaphore {index} goes from {before} to {after}", mode.name);
        Some((line, wrapped.then_some(Warning::SemaphoreWrapped { index, before, after })))
    }
}

fn fetch(operand: Operand, value: u32, registers: &Registers, user: User, mode: &str) -> Result<u32, Fault> {
    match operand {
        Operand::Immediate => Ok(value),
        Operand::Register => registers.value(value, user),
        Operand::RegisterOffset => {
            Err(Fault::unimplemented(format!("{mode}: how the field holds register and offset is not published")))
        }
    }
}

/// A word whose struct is not modelled has not been held against the rule for events, so its modes can be anything.
fn unknown(side: &str, code: u8, generation: Generation) -> Fault {
    Fault::unimplemented(format!("{side} mode {code:#04x}, which {generation} does not have"))
}

#[cfg(test)]
mod tests;
