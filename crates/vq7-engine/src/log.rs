//! The lines that a debug image of the device logs. Exact text: docs/spec/dispatch.md, "Log strings".

use vq7_isa::generation::CORES;

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

pub(crate) fn exit() -> Vec<String> {
    per_core(|core| format!("P{core}: Exiting Dispatch"))
}

pub(crate) fn unknown_opcode(opcode: u8) -> Vec<String> {
    per_core(|core| format!("P{core}: UNKNOWN OPCODE=0x{opcode:x}"))
}

pub(crate) fn unknown_extended(spec: u8) -> Vec<String> {
    per_core(|core| format!("P{core}: UNKNOWN EXTENDED OPCODE={spec}"))
}

pub(crate) fn extended(spec: u8, channels: u32) -> Vec<String> {
    per_core(|core| format!("P{core}: dispatch_extended_inst({spec}) : num_chans = {channels}"))
}

pub(crate) fn tensor_tensor_arith(channels: u32) -> Vec<String> {
    per_core(|core| format!("P{core}: TensorTensorArith num_chans = {channels}"))
}

pub(crate) fn tensor_tensor_bitvec(channels: u32) -> Vec<String> {
    per_core(|core| format!("P{core}: TensorTensorBitvec : num_chans = {channels}"))
}

pub(crate) fn extended_tensor_tensor(elements: u64, op: u8) -> Vec<String> {
    (0..CORES)
        .flat_map(|core| {
            [
                format!("P{core}: Decode : ExtendedInstTensorTensorArith"),
                format!(
                    "P{core}: ExtendedInstTensorTensorArith : num_tensor_elements = {elements} : alu_op = 0x{op:x}"
                ),
            ]
        })
        .collect()
}

pub(crate) fn extended_nop() -> Vec<String> {
    vec!["ExtendedInstEngineNop : processing complete".into()]
}

/// The 64-bit switch has no arm for the op. Its text has no op in it, unlike that of the 32-bit one.
pub(crate) fn no_arm_64() -> Vec<String> {
    per_core(|core| format!("P{core}: Error, Unimplemented tensor-tensor ALU op."))
}

pub(crate) fn copy_predicated() -> Vec<String> {
    vec!["S: CopyPredicated".into()]
}

/// Copy and cast on POOL.
pub(crate) fn copy_cast(name: &str, channels: u32) -> Vec<String> {
    per_core(|core| format!("P{core}: {name} : num_chans = {channels}"))
}

/// What a worker of DVE calls itself.
pub(crate) fn worker(name: &str) -> Vec<String> {
    vec![format!("S: {name}")]
}

pub(crate) fn cast_predicated() -> Vec<String> {
    vec!["S: CastPredicated".into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_device_s() {
        assert_eq!(enter(0x41).get(1).map(String::as_str), Some("P0: In dispatch, CPU ID: 0, got opcode 0x41."));
        assert_eq!(exit().last().map(String::as_str), Some("P7: Exiting Dispatch"));
        assert_eq!(unknown_extended(9).first().map(String::as_str), Some("P0: UNKNOWN EXTENDED OPCODE=9"));
        assert_eq!(unknown_opcode(0xA0).len(), 8);
    }
}
