//! Where words read and write: walks, overlaps, bounds, uninitialised bytes, core slices.

mod support;

use support::*;
use vq7_engine::{Fault, Machine, Operand, Warning};
use vq7_isa::address::Memory;
use vq7_isa::legality::Engine;
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_policy::{Policy, StartPartition};

#[test]
fn partial_core_slices_leave_other_partitions_alone() {
    let mut m = machine();
    for partition in 0..128 {
        put(&mut m, partition, 0, &[1]);
    }
    let base = 32 * 0x4_0000;
    m.execute(&typed(add_int32(20, [row(base, 1), row(base, 1), row(base + 16, 1)]))).unwrap();
    for partition in 0..128 {
        let active = (32..52).contains(&partition);
        assert_eq!(m.memory.is_written(Memory::Sbuf, partition, 16, 4), active, "{partition}");
    }
}

#[test]
fn three_dimensions_negative_steps_and_broadcast() {
    let mut m = machine();
    put(&mut m, 0, 0, &[0, 1, 2, 3, 4, 5, 6, 7]);
    put(&mut m, 0, 0x100, &[100]);
    // src0 backward, src1 one element again and again, dst transposed 2 x 2 x 2.
    let operands = [at(28, [-1, 1, 1], [8, 1, 1]), at(0x100, [0, 0, 0], [2, 2, 2]), at(0x200, [4, 2, 1], [2, 2, 2])];
    m.execute(&typed(add_int32(1, operands))).unwrap();
    assert_eq!(get(&m, 0, 0x200, 8), [107, 103, 105, 101, 106, 102, 104, 100]);
}

#[test]
fn overlapping_words_read_what_they_have_written() {
    let overlap = |src: u32, dst: u32, step: i16| {
        let mut m = machine();
        put(&mut m, 0, 0, &[1, 2, 3, 4, 5, 0, 0]);
        put(&mut m, 0, 0x100, &[10]);
        let one = at(0x100, [0, 0, 0], [4, 1, 1]);
        let operands = [at(src, [step, 1, 1], [4, 1, 1]), one, at(dst, [step, 1, 1], [4, 1, 1])];
        let done = m.execute(&typed(add_int32(1, operands))).unwrap();
        (get(&m, 0, 0, 5), done.warnings)
    };
    let warned = vec![Warning::Overlap { operand: Operand::Src0 }];
    // Forward onto the next element: each result is read again. Backward order copies clean.
    assert_eq!(overlap(0, 4, 1), (vec![1, 11, 21, 31, 41], warned.clone()));
    assert_eq!(overlap(12, 16, -1), (vec![1, 11, 12, 13, 14], warned.clone()));
    assert_eq!(overlap(4, 0, 1), (vec![12, 13, 14, 15, 5], warned));
    assert_eq!(overlap(0, 0, 1), (vec![11, 12, 13, 14, 5], vec![]), "in place");
}

#[test]
fn a_word_may_read_bytes_that_it_has_written_itself() {
    let mut m = machine();
    put(&mut m, 0, 0, &[1]);
    put(&mut m, 0, 0x100, &[1]);
    let operands = [row(0, 8), at(0x100, [0, 0, 0], [8, 1, 1]), row(4, 8)];
    m.execute(&typed(add_int32(1, operands))).unwrap();
    assert_eq!(get(&m, 0, 0, 9), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert!(m.memory.is_written(Memory::Sbuf, 0, 0, 36));
}

#[test]
fn reading_what_nothing_wrote_is_a_fault_that_names_the_byte() {
    let mut m = machine();
    for partition in 0..4 {
        put(&mut m, partition, 0, &[1, 2, 3]);
        put(&mut m, partition, 0x100, &[1, 2]);
    }
    let word = typed(add_int32(4, [row(0, 3), row(0x100, 3), row(0x200, 3)]));
    let fault = m.execute(&word).unwrap_err();
    let expected = Fault::Uninitialized { operand: Operand::Src1, memory: Memory::Sbuf, partition: 0, offset: 0x108 };
    assert_eq!((&fault, fault.kind()), (&expected, "uninitialised"));
    assert!(!m.memory.is_written(Memory::Sbuf, 0, 0x200, 1), "nothing of the word is written");
    assert_eq!(get(&m, 0, 0x200, 3), [0, 0, 0]);
    m.allow_uninit = true;
    let done = m.execute(&word).unwrap();
    let warned = Warning::Uninitialized { operand: Operand::Src1, memory: Memory::Sbuf, partition: 0, offset: 0x108 };
    assert_eq!(done.warnings, [warned], "once, though four channels read it");
    assert_eq!(get(&m, 3, 0x200, 3), [2, 4, 3]);
}

#[test]
fn a_fault_in_a_late_channel_undoes_the_early_ones() {
    let mut m = machine();
    for partition in 0..3 {
        put(&mut m, partition, 0, &[7, 8]);
    }
    put(&mut m, 0, 0x100, &[5, 6]);
    m.memory.write(Memory::Sbuf, 3, 0, &[1; 7]).unwrap();
    let word = typed(add_int32(4, [row(0, 2), row(0, 2), row(0x100, 2)]));
    let fault = m.execute(&word).unwrap_err();
    assert!(matches!(fault, Fault::Uninitialized { partition: 3, offset: 7, .. }), "{fault}");
    assert_eq!(get(&m, 0, 0x100, 2), [5, 6]);
    assert_eq!(get(&m, 1, 0x100, 2), [0, 0]);
    assert!(!m.memory.is_written(Memory::Sbuf, 1, 0x100, 1));
}

#[test]
fn a_unary_op_does_not_ask_for_its_second_source() {
    let mut m = machine();
    put(&mut m, 0, 0, &[0x0F0F]);
    let not = word(0x51, AluOp::BitwiseNot, [Dtype::Int32; 3], 1, [row(0, 1), row(0x800, 1), row(0x100, 1)]);
    m.execute(&typed(not)).unwrap();
    assert_eq!(get(&m, 0, 0x100, 1), [!0x0F0F]);
}

#[test]
fn the_end_of_the_active_bytes_is_the_end_on_each_generation() {
    for generation in Generation::ALL {
        let active = generation.geometry().sbuf_active;
        let mut m = Machine::new(generation, Engine::Pool, Policy::default());
        m.allow_uninit = true;
        let good = add_int32(2, [row(active - 8, 2), row(0, 2), row(active - 8, 2)]);
        m.execute(&typed(good)).unwrap();
        for (slot, operand) in [Operand::Src0, Operand::Src1, Operand::Dst].into_iter().enumerate() {
            let mut operands = [row(0, 2), row(0, 2), row(0, 2)];
            // On MARIANA the partition has no gap behind its active bytes; the walk would enter the next one.
            operands[slot] = row(active - 4, 2);
            let fault = m.execute(&typed(add_int32(2, operands))).unwrap_err();
            let expected = Fault::OutOfBounds {
                operand,
                memory: Memory::Sbuf,
                partition: 0,
                offset: active.into(),
                limit: active,
            };
            assert_eq!((&fault, fault.kind()), (&expected, "out_of_bounds"));
            operands[slot] = at(4, [-2, 1, 1], [2, 1, 1]);
            let fault = m.execute(&typed(add_int32(2, operands))).unwrap_err();
            assert!(matches!(fault, Fault::OutOfBounds { offset: -4, .. }), "{fault}");
            assert!(fault.to_string().contains("offset -0x4"), "{fault}");
        }
    }
}

#[test]
fn running_out_of_partitions_is_out_of_bounds() {
    let policy = Policy { start_partition: StartPartition::Off, ..Policy::default() };
    let mut m = Machine::new(Generation::Cayman, Engine::Any, policy);
    let base = 96 * 0x4_0000;
    let fault = m.execute(&typed(add_int32(33, [row(base, 1), row(base, 1), row(base, 1)]))).unwrap_err();
    assert!(matches!(fault, Fault::OutOfBounds { operand: Operand::Src0, partition: 128, .. }));
    assert!(fault.to_string().contains("src0 runs out of partitions"), "{fault}");
}

#[test]
fn a_word_of_endless_elements_is_refused() {
    let mut m = machine();
    m.allow_uninit = true;
    let again = at(0, [0, 0, 0], [65535, 65535, 65535]);
    let fault = m.execute(&typed(add_int32(1, [again, again, again]))).unwrap_err();
    assert_eq!(fault.kind(), "unimplemented");
    assert!(fault.to_string().contains("elements per channel"), "{fault}");
}
