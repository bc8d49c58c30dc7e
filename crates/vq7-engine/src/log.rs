//! The lines that a debug image of the device logs. Exact text: docs/spec/dispatch.md, "Log strings".

use vq7_isa::generation::CORES;

/// What a debug image of the device logs for a word, in its own words; lines that begin with `vq7:` are ours. The text is
/// made when it is asked for: most words are run by callers that never ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    entries: Vec<Entry>,
}

/// Lines that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A line of ours.
    Ours(String),
    Enter(u8),
    Exit,
    Extended(u8, u32),
    TensorTensorArith(u32),
    TensorTensorBitvec(u32),
    ExtendedTensorTensor(u64, u8),
    ExtendedNop,
    CopyPredicated,
    CastPredicated,
    /// Copy and cast on POOL: name and channels.
    CopyCast(&'static str, u32),
    /// What a worker of DVE calls itself.
    Worker(&'static str),
}

impl Log {
    pub(crate) fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Puts lines of ours before all others.
    pub(crate) fn begin_with(&mut self, line: Option<String>) {
        if let Some(line) = line {
            self.entries.insert(0, Entry::Ours(line));
        }
    }

    /// The lines, in order.
    pub fn lines(&self) -> Vec<String> {
        self.entries.iter().flat_map(Entry::lines).collect()
    }
}

impl Entry {
    fn lines(&self) -> Vec<String> {
        match *self {
            Self::Ours(ref line) => vec![line.clone()],
            Self::Enter(opcode) => enter(opcode),
            Self::Exit => per_core(|core| format!("P{core}: Exiting Dispatch")),
            Self::Extended(spec, channels) => {
                per_core(|core| format!("P{core}: dispatch_extended_inst({spec}) : num_chans = {channels}"))
            }
            Self::TensorTensorArith(channels) => {
                per_core(|core| format!("P{core}: TensorTensorArith num_chans = {channels}"))
            }
            Self::TensorTensorBitvec(channels) => {
                per_core(|core| format!("P{core}: TensorTensorBitvec : num_chans = {channels}"))
            }
            Self::ExtendedTensorTensor(elements, op) => (0..CORES)
                .flat_map(|core| {
                    [
                        format!("P{core}: Decode : ExtendedInstTensorTensorArith"),
                        format!(
                            "P{core}: ExtendedInstTensorTensorArith : num_tensor_elements = {elements} : alu_op = 0x{op:x}"
                        ),
                    ]
                })
                .collect(),
            Self::ExtendedNop => vec!["ExtendedInstEngineNop : processing complete".into()],
            Self::CopyPredicated => vec!["S: CopyPredicated".into()],
            Self::CastPredicated => vec!["S: CastPredicated".into()],
            Self::CopyCast(name, channels) => per_core(|core| format!("P{core}: {name} : num_chans = {channels}")),
            Self::Worker(name) => vec![format!("S: {name}")],
        }
    }
}

/// One line per core.
fn per_core(line: impl Fn(u32) -> String) -> Vec<String> {
    (0..CORES).map(line).collect()
}

/// What POOL's cores log before a handler is entered.
pub(crate) fn enter(opcode: u8) -> Vec<String> {
    (0..CORES)
        .flat_map(|core| {
            [
                format!("P{core}: Entering Dispatch"),
                format!("P{core}: In dispatch, CPU ID: {core}, got opcode 0x{opcode:x}."),
            ]
        })
        .collect()
}

pub(crate) fn unknown_opcode(opcode: u8) -> Vec<String> {
    per_core(|core| format!("P{core}: UNKNOWN OPCODE=0x{opcode:x}"))
}

pub(crate) fn unknown_extended(spec: u8) -> Vec<String> {
    per_core(|core| format!("P{core}: UNKNOWN EXTENDED OPCODE={spec}"))
}

/// The 64-bit switch has no arm for the op. Its text has no op in it, unlike that of the 32-bit one.
pub(crate) fn no_arm_64() -> Vec<String> {
    per_core(|core| format!("P{core}: Error, Unimplemented tensor-tensor ALU op."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_device_s() {
        assert_eq!(enter(0x41).get(1).map(String::as_str), Some("P0: In dispatch, CPU ID: 0, got opcode 0x41."));
        assert_eq!(Entry::Exit.lines().last().map(String::as_str), Some("P7: Exiting Dispatch"));
        assert_eq!(unknown_extended(9).first().map(String::as_str), Some("P0: UNKNOWN EXTENDED OPCODE=9"));
        assert_eq!(unknown_opcode(0xA0).len(), 8);
    }
}
