//! Any tensor-tensor word on a small memory: the fast executor of every CPU level leaves the bytes of the reference.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use vq7_engine::Machine;
use vq7_fast::{Fast, Level};
use vq7_isa::address::Memory;
use vq7_isa::legality::Engine;
use vq7_isa::{Generation, Instruction, Word};
use vq7_policy::{Knob, Policy};

fuzz_target!(|data: &[u8]| {
    let Some((word, rest)) = data.split_first_chunk::<64>() else { return };
    let Some(([channels, knob, value], arena)) = rest.split_first_chunk::<3>() else { return };
    let mut policy = Policy::default();
    let knob = Knob::ALL[usize::from(*knob) % Knob::ALL.len()];
    let value = knob.values()[usize::from(*value) % knob.values().len()];
    policy.set(&format!("{}={value}", knob.name())).expect("the table's own spelling");
    let mut instruction = Instruction::decode(&Word(*word));
    // Short walks: the reference goes element by element.
    if let Instruction::TensorTensor(tt) = &mut instruction {
        for pattern in [&mut tt.src0, &mut tt.src1, &mut tt.dst] {
            pattern.num = pattern.num.map(|count| 1 + count % 40);
        }
        tt.num_active_channels = 1 + channels % 3;
    }
    let machine = |fast: Option<Level>| {
        let mut machine = Machine::new(Generation::Cayman, Engine::Any, policy);
        machine.allow_uninit = true;
        for partition in 0..4 {
            let _ = machine.memory.write(Memory::Sbuf, partition, 0, arena);
        }
        match fast {
            Some(level) => machine.with_executor(Arc::new(Fast::new(level, 1))),
            None => machine,
        }
    };
    let mut reference = machine(None);
    let expected = reference.execute(&instruction);
    for level in Level::available() {
        let mut fast = machine(Some(level));
        let have = fast.execute(&instruction);
        assert_eq!(expected.as_ref().err(), have.as_ref().err());
        for partition in 0..128 {
            let (Some(expected), Some(have)) =
                (reference.memory.row(Memory::Sbuf, partition), fast.memory.row(Memory::Sbuf, partition))
            else {
                continue;
            };
            assert_eq!(expected.written, have.written, "{level}, partition {partition}");
            assert!(expected.bytes() == have.bytes(), "{level}, partition {partition}: {have:?}");
        }
    }
});
