//! No word makes the machine panic, and no word that faults leaves a trace.

mod support;

use support::Random;
use vq7_engine::Machine;
use vq7_engine::fault::Operand;
use vq7_isa::address::Memory;
use vq7_isa::legality::Engine;
use vq7_isa::{Generation, Instruction, Word};
use vq7_num::Coefficients;
use vq7_policy::Policy;

const SAMPLES: [&str; 5] = [
    "4110000000000000000000008808c4800000000001000100010000020100010000100000010001000100000201000100\
     00200000010001000100000201000100",
    "5110000000000000000000009c0c10400000010001000100010004000100010000020001000001000100040001000100\
     00030001010001000100040001000100",
    "41100000040b131600000000670a04204000800001000800010008000400010000048000010000000100080004000100\
     00088000010008000100080004000100",
    "f010000000000000000000000205aa0a0400000000000000010001000001010000100000010001000001000100200000\
     01000100000101000000000000000000",
    "721000000000000000000000a30a00800000000001000100010040000100010000040000010001000100400001000100\
     00000002010001000100400001000100",
];

/// A sample with a few bytes changed, most of them in a small way.
fn mutated(random: &mut Random) -> Word {
    let mut word = Word::from_hex(random.pick(&SAMPLES)).expect("a sample word");
    for _ in 0..random.below(4) {
        let offset = random.below(64);
        word.0[offset] = match random.below(3) {
            0 => word.0[offset] ^ 1 << random.below(8),
            1 => random.pick(&[0, 1, 0x20, 0x40, 0x80, 0xC0, 0xFF]),
            _ => random.next() as u8,
        };
    }
    if random.chance(4) {
        word.0[0] = random.pick(&[0x41, 0x51, 0x72, 0x99, 0x65, 0x8A, 0x8B, 0x8F, 0xF0, 0xA0]);
    }
    word
}

fn machine(random: &mut Random) -> Machine {
    let engine = random.pick(&[Engine::Any, Engine::Any, Engine::Pool, Engine::Dve]);
    let mut machine = Machine::new(random.pick(&Generation::ALL), engine, Policy::default());
    machine.allow_uninit = random.chance(2);
    if random.chance(2) {
        for number in 0..64 {
            machine.registers.set_address(number, random.next() as u32 & 0xFFFC).expect("no marker bits");
            machine.registers.set_shape(number, [512, 1, 1]).expect("no count is zero");
            machine.registers.set_value(number, random.next() as u32 & 3);
        }
        for operand in [Operand::Src0, Operand::Src1, Operand::Dst] {
            machine.registers.set_operand_shape(operand, [8, 64, 1]).expect("no count is zero");
        }
    }
    machine.coefficients =
        vec![
            Coefficients { gamma: 0x3F80_0000, inv_std: 0x7F80_0000, n: 0, d_beta: 1, d_gamma: 0xFFFF_FFFF };
            random.below(129)
        ];
    machine
}

#[test]
fn mutated_words_run_or_fault_and_faults_leave_no_trace() {
    let mut random = Random(7);
    let (mut ran, mut faulted) = (0, 0);
    for _ in 0..40 {
        let mut machine = machine(&mut random);
        for partition in 0..128 {
            let data: Vec<u8> = (0..0x4000).map(|_| random.next() as u8).collect();
            machine.memory.write(Memory::Sbuf, partition, 0, &data).expect("inside the partition");
        }
        for _ in 0..100 {
            let word = mutated(&mut random);
            let semaphores = machine.semaphores.clone();
            let before: Vec<_> =
                (0..128).map(|p| machine.memory.row(Memory::Sbuf, p).map(|row| row.written.clone())).collect();
            let bytes = machine.memory.read(Memory::Sbuf, 0, 0, 0x3000).expect("inside the partition");
            match machine.execute(&Instruction::decode(&word)) {
                Ok(done) => {
                    assert!(done.channels <= 128);
                    ran += 1;
                }
                Err(fault) => {
                    assert!(!fault.to_string().is_empty() && !fault.kind().is_empty());
                    assert_eq!(machine.semaphores, semaphores);
                    assert_eq!(machine.memory.read(Memory::Sbuf, 0, 0, 0x3000).expect("inside the partition"), bytes);
                    for (partition, before) in (0..128).zip(before) {
                        let after = machine.memory.row(Memory::Sbuf, partition).map(|row| row.written.clone());
                        assert_eq!(after.unwrap_or_default(), before.unwrap_or_default(), "{word}");
                    }
                    faulted += 1;
                }
            }
        }
    }
    assert!(ran > 300 && faulted > 300, "{ran} ran, {faulted} faulted");
}
