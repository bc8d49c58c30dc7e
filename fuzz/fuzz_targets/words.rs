//! Any 64 bytes: decode, print, read back, judge on every generation and engine, run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vq7_engine::Machine;
use vq7_isa::legality::{Bench, Engine, explain, judge};
use vq7_isa::text::{parse_line, print_word};
use vq7_isa::{Generation, Instruction, Word};
use vq7_policy::Policy;

fuzz_target!(|bytes: [u8; 64]| {
    let (word, policy) = (Word(bytes), Policy::default());
    let instruction = Instruction::decode(&word);
    assert_eq!(instruction.encode(), word);
    let line = print_word(&word);
    assert_eq!(parse_line(&line, &policy).as_ref(), Ok(&word), "{line}");
    for generation in Generation::ALL {
        for engine in [Engine::Any, Engine::Pool, Engine::Dve] {
            let bench = Bench { generation, engine, policy: &policy };
            assert_eq!(explain(&instruction, &bench).judgement, judge(&instruction, &bench));
        }
    }
    // Large walks are legal but slow; the fuzzer is after panics, not throughput.
    if let Instruction::TensorTensor(tt) = &instruction
        && tt.src0.elements() > 4096
    {
        return;
    }
    let mut machine = Machine::new(Generation::Cayman, Engine::Any, policy);
    machine.allow_uninit = true;
    let _ = machine.execute(&instruction);
});
