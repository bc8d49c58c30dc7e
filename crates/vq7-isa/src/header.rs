//! The first twelve bytes of every word: header and events. Source: docs/spec/words.md.

use crate::generation::{Generation, Generations};
use crate::word::Word;
use vq7_policy::Confidence;

/// The length byte of every word but QUANTIZE_MX: 16 units of four bytes.
pub const LENGTH_UNITS: u8 = 0x10;

/// Bytes 0..3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Byte 0.
    pub opcode: u8,
    /// Byte 1: the word's length in units of four bytes.
    pub inst_word_len: u8,
    /// Byte 2.
    pub debug_cmd: u8,
    /// Byte 3. MAVERICK's `inst_flags` are assumed to be here.
    pub debug_hint: u8,
}

impl Header {
    /// A header with the right length and no debug bytes.
    pub const fn new(opcode: u8) -> Self {
        Self { opcode, inst_word_len: LENGTH_UNITS, debug_cmd: 0, debug_hint: 0 }
    }

    pub(crate) fn decode(word: &Word) -> Self {
        let [opcode, inst_word_len, debug_cmd, debug_hint] = word.take(0);
        Self { opcode, inst_word_len, debug_cmd, debug_hint }
    }

    pub(crate) fn encode(&self, word: &mut Word) {
        word.put(0, &[self.opcode, self.inst_word_len, self.debug_cmd, self.debug_hint]);
    }
}

/// Bytes 4..11: what to wait for before issue and what to signal after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Events {
    /// Byte 4, see [`WaitMode`].
    pub wait_mode: u8,
    /// Byte 5: semaphore or event index.
    pub wait_idx: u8,
    /// Byte 6, see [`UpdateMode`].
    pub update_mode: u8,
    /// Byte 7: semaphore or event index.
    pub update_idx: u8,
    /// Bytes 8..11: threshold of the wait and operand of the update, shared.
    pub semaphore_value: u32,
}

/// Where EVENT_SEMAPHORE has its second event block, of 12 bytes.
const SECOND_BLOCK: usize = 32;

impl Events {
    /// What a word waits for and signals.
    pub fn of(word: &Word) -> Self {
        Self::decode(word)
    }

    /// The second event block of an EVENT_SEMAPHORE word: the wait with its value, and the update with its own.
    pub fn second_of(word: &Word) -> [Self; 2] {
        let [wait_mode, wait_idx, update_mode, update_idx] = word.take(SECOND_BLOCK);
        let value = |offset| u32::from_le_bytes(word.take(SECOND_BLOCK + offset));
        let none = Self::default();
        [
            Self { wait_mode, wait_idx, semaphore_value: value(4), ..none },
            Self { update_mode, update_idx, semaphore_value: value(8), ..none },
        ]
    }

    pub(crate) fn decode(word: &Word) -> Self {
        let [wait_mode, wait_idx, update_mode, update_idx] = word.take(4);
        Self { wait_mode, wait_idx, update_mode, update_idx, semaphore_value: u32::from_le_bytes(word.take(8)) }
    }

    pub(crate) fn encode(&self, word: &mut Word) {
        word.put(4, &[self.wait_mode, self.wait_idx, self.update_mode, self.update_idx]);
        word.put(8, &self.semaphore_value.to_le_bytes());
    }
}

/// How a semaphore is compared with the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Comparison {
    /// All comparisons, in the order of the wait modes.
    pub const ALL: [Self; 5] = [Self::Eq, Self::Lt, Self::Le, Self::Gt, Self::Ge];

    /// The operator that the text form prints.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Eq => "==",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    /// Whether `left` compares true with `right`.
    pub const fn holds(self, left: u32, right: u32) -> bool {
        match self {
            Self::Eq => left == right,
            Self::Lt => left < right,
            Self::Le => left <= right,
            Self::Gt => left > right,
            Self::Ge => left >= right,
        }
    }
}

/// Where the 32-bit operand of a wait or an update comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The word's `semaphore_value`.
    Immediate,
    /// The register that `semaphore_value` names.
    Register,
    /// A register plus an offset; how the field is split is not published.
    RegisterOffset,
}

/// What a wait mode does before issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitAction {
    /// Nothing.
    None,
    /// Waits until the semaphore compares true.
    Semaphore(Comparison, Operand),
    /// Waits until the event has the value, then flips it if asked to.
    Event {
        /// The value waited for: set or clear.
        set: bool,
        /// Whether the event is flipped when the wait is over.
        then_flip: bool,
    },
    /// MAVERICK's unordered issue.
    Unordered,
}

/// A wait mode of some generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitMode {
    /// Byte 4.
    pub code: u8,
    /// The header's name.
    pub name: &'static str,
    /// What it does.
    pub action: WaitAction,
    /// Generations whose enum has it.
    pub generations: Generations,
}

/// When an update fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// After the last source read.
    Read,
    /// After the last write.
    Complete,
}

impl When {
    /// The suffix that the text form prints.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Complete => "complete",
        }
    }
}

/// What an update mode does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateAction {
    /// Nothing.
    None,
    /// Sets or clears the event.
    Event {
        /// The value written.
        set: bool,
    },
    /// Adds one to the semaphore.
    Increment,
    /// Subtracts one from the semaphore.
    Decrement,
    /// Adds the operand to the semaphore.
    Add(Operand),
    /// Subtracts the operand from the semaphore.
    Subtract(Operand),
    /// Writes the operand to the semaphore.
    Write(Operand),
}

/// An update mode of some generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateMode {
    /// Byte 6.
    pub code: u8,
    /// The header's name.
    pub name: &'static str,
    /// What it does.
    pub action: UpdateAction,
    /// When it does it.
    pub when: When,
    /// Generations whose enum has it.
    pub generations: Generations,
    /// MED where the value is inferred from its neighbours.
    pub confidence: Confidence,
}

const fn wait(code: u8, name: &'static str, action: WaitAction, generations: Generations) -> WaitMode {
    WaitMode { code, name, action, generations }
}

const fn sem(code: u8, name: &'static str, comparison: usize, operand: Operand, generations: Generations) -> WaitMode {
    wait(code, name, WaitAction::Semaphore(Comparison::ALL[comparison], operand), generations)
}

const fn event(code: u8, name: &'static str, set: bool, then_flip: bool) -> WaitMode {
    wait(code, name, WaitAction::Event { set, then_flip }, Generations::SCM)
}

/// Every wait mode. 0xFF (INVALID) has no row.
#[rustfmt::skip]
pub static WAIT_MODES: [WaitMode; 21] = [
    wait(0x00, "NONE", WaitAction::None, Generations::SCMV),
    sem(0x01, "SEM_EQ_IMM", 0, Operand::Immediate, Generations::SCMV),
    sem(0x02, "SEM_LT_IMM", 1, Operand::Immediate, Generations::SCMV),
    sem(0x03, "SEM_LE_IMM", 2, Operand::Immediate, Generations::SCMV),
    sem(0x04, "SEM_GT_IMM", 3, Operand::Immediate, Generations::SCMV),
    sem(0x05, "SEM_GE_IMM", 4, Operand::Immediate, Generations::SCMV),
    event(0x06, "EVT_SET", true, false),
    event(0x07, "EVT_SET_THEN_CLEAR", true, true),
    event(0x0E, "EVT_CLEAR", false, false),
    event(0x0F, "EVT_CLEAR_THEN_SET", false, true),
    sem(0x81, "SEM_EQ_REG", 0, Operand::Register, Generations::SCMV),
    sem(0x82, "SEM_LT_REG", 1, Operand::Register, Generations::SCMV),
    sem(0x83, "SEM_LE_REG", 2, Operand::Register, Generations::SCMV),
    sem(0x84, "SEM_GT_REG", 3, Operand::Register, Generations::SCMV),
    sem(0x85, "SEM_GE_REG", 4, Operand::Register, Generations::SCMV),
    sem(0x91, "SEM_EQ_REG_OFFSET", 0, Operand::RegisterOffset, Generations::V),
    sem(0x92, "SEM_LT_REG_OFFSET", 1, Operand::RegisterOffset, Generations::V),
    sem(0x93, "SEM_LE_REG_OFFSET", 2, Operand::RegisterOffset, Generations::V),
    sem(0x94, "SEM_GT_REG_OFFSET", 3, Operand::RegisterOffset, Generations::V),
    sem(0x95, "SEM_GE_REG_OFFSET", 4, Operand::RegisterOffset, Generations::V),
    wait(0xFE, "UNORDERED", WaitAction::Unordered, Generations::V),
];

const fn update(code: u8, name: &'static str, action: UpdateAction, when: When) -> UpdateMode {
    let generations = if matches!(action, UpdateAction::Event { .. }) { Generations::SCM } else { Generations::SCMV };
    // Of the register forms only SUB and WR on completion were seen; the others fill the pattern.
    let register = matches!(
        action,
        UpdateAction::Add(Operand::Register)
            | UpdateAction::Subtract(Operand::Register)
            | UpdateAction::Write(Operand::Register)
    );
    let confidence = if register && code != 0x97 && code != 0x99 { Confidence::Med } else { Confidence::High };
    UpdateMode { code, name, action, when, generations, confidence }
}

/// Every update mode. 0xFF (INVALID) has no row.
#[rustfmt::skip]
pub static UPDATE_MODES: [UpdateMode; 21] = [
    update(0x00, "NONE", UpdateAction::None, When::Complete),
    update(0x01, "EVT_SET_READ", UpdateAction::Event { set: true }, When::Read),
    update(0x02, "EVT_CLR_READ", UpdateAction::Event { set: false }, When::Read),
    update(0x03, "SEM_INC_READ", UpdateAction::Increment, When::Read),
    update(0x04, "SEM_DEC_READ", UpdateAction::Decrement, When::Read),
    update(0x05, "SEM_ADD_IMM_READ", UpdateAction::Add(Operand::Immediate), When::Read),
    update(0x07, "SEM_SUB_IMM_READ", UpdateAction::Subtract(Operand::Immediate), When::Read),
    update(0x09, "SEM_WR_IMM_READ", UpdateAction::Write(Operand::Immediate), When::Read),
    update(0x11, "EVT_SET_COMPLETE", UpdateAction::Event { set: true }, When::Complete),
    update(0x12, "EVT_CLR_COMPLETE", UpdateAction::Event { set: false }, When::Complete),
    update(0x13, "SEM_INC_COMPLETE", UpdateAction::Increment, When::Complete),
    update(0x14, "SEM_DEC_COMPLETE", UpdateAction::Decrement, When::Complete),
    update(0x15, "SEM_ADD_IMM_COMPLETE", UpdateAction::Add(Operand::Immediate), When::Complete),
    update(0x17, "SEM_SUB_IMM_COMPLETE", UpdateAction::Subtract(Operand::Immediate), When::Complete),
    update(0x19, "SEM_WR_IMM_COMPLETE", UpdateAction::Write(Operand::Immediate), When::Complete),
    update(0x85, "SEM_ADD_REG_READ", UpdateAction::Add(Operand::Register), When::Read),
    update(0x87, "SEM_SUB_REG_READ", UpdateAction::Subtract(Operand::Register), When::Read),
    update(0x89, "SEM_WR_REG_READ", UpdateAction::Write(Operand::Register), When::Read),
    update(0x95, "SEM_ADD_REG_COMPLETE", UpdateAction::Add(Operand::Register), When::Complete),
    update(0x97, "SEM_SUB_REG_COMPLETE", UpdateAction::Subtract(Operand::Register), When::Complete),
    update(0x99, "SEM_WR_REG_COMPLETE", UpdateAction::Write(Operand::Register), When::Complete),
];

/// For each code one more than its row's index; 0: no row.
macro_rules! index {
    ($rows:ident) => {{
        let mut index = [0u8; 256];
        let mut row = 0;
        while row < $rows.len() {
            index[$rows[row].code as usize] = row as u8 + 1;
            row += 1;
        }
        index
    }};
}

static WAIT_INDEX: [u8; 256] = index!(WAIT_MODES);
static UPDATE_INDEX: [u8; 256] = index!(UPDATE_MODES);

impl WaitMode {
    /// The row of a code, whatever the generation.
    pub fn from_code(code: u8) -> Option<&'static Self> {
        WAIT_MODES.get(usize::from(WAIT_INDEX[code as usize]).wrapping_sub(1))
    }

    /// Whether the generation's enum has the code.
    pub fn is_valid(code: u8, generation: Generation) -> bool {
        code == 0 || Self::from_code(code).is_some_and(|mode| mode.generations.contains(generation))
    }
}

impl UpdateMode {
    /// The row of a code, whatever the generation.
    pub fn from_code(code: u8) -> Option<&'static Self> {
        UPDATE_MODES.get(usize::from(UPDATE_INDEX[code as usize]).wrapping_sub(1))
    }

    /// Whether the generation's enum has the code.
    pub fn is_valid(code: u8, generation: Generation) -> bool {
        code == 0 || Self::from_code(code).is_some_and(|mode| mode.generations.contains(generation))
    }
}
