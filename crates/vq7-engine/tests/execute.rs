//! Words on a machine: what they compute, merges, events, registers, refusals.

mod support;

use support::*;
use vq7_engine::fault::{Register, User};
use vq7_engine::{Fault, Machine, Operand, Path, Warning};
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::header::Header;
use vq7_isa::inst::ExtendedTta;
use vq7_isa::legality::Engine;
use vq7_isa::pattern::Pattern;
use vq7_isa::{AluOp, Dtype, Generation, Instruction, Word};
use vq7_num::{Coefficients, Lane};
use vq7_policy::{IntDivZero, Policy};

#[test]
fn a_word_adds_in_every_channel() {
    let mut m = machine();
    for partition in 0..128 {
        put(&mut m, partition, 0, &[partition as i32, 2, 3, i32::MAX]);
        put(&mut m, partition, 0x100, &[10, 20, 30, 1]);
    }
    let done = m.execute(&typed(add_int32(128, [row(0, 4), row(0x100, 4), row(0x200, 4)]))).unwrap();
    for partition in 0..128 {
        assert_eq!(get(&m, partition, 0x200, 4), [partition as i32 + 10, 22, 33, i32::MIN]);
    }
    assert_eq!((done.path, done.channels, done.elements_per_channel), (Path::REFERENCE, 128, 4));
    assert_eq!(done.handler, "tensor-tensor arithmetic");
    assert_eq!(done.warnings, []);
    assert!(done.flags.is_empty());
    assert_eq!(done.log.lines().iter().filter(|line| line.contains("TensorTensorArith num_chans = 128")).count(), 8);
    assert_eq!(done.log.lines().first().unwrap(), "P0: Entering Dispatch");
    assert_eq!(done.log.lines().last().unwrap(), "P7: Exiting Dispatch");
    assert_eq!(done.basis, Lane::new(AluOp::AddInt, Dtype::Int32, Dtype::Int32, Dtype::Int32).basis(&m.policy));
}

#[test]
fn predicated_words_merge() {
    let mut m = machine();
    m.memory.write(Memory::Sbuf, 0, 0, &[0, 1, 0, 255]).unwrap();
    // src1's elements are there only where they are chosen.
    put(&mut m, 0, 0x104, &[11]);
    put(&mut m, 0, 0x10C, &[13]);
    put(&mut m, 0, 0x200, &[7]);
    let dtypes = [Dtype::Uint8, Dtype::Fp32, Dtype::Fp32];
    let copy = word(0x72, AluOp::Bypass, dtypes, 1, [row(0, 4), row(0x100, 4), row(0x200, 4)]);
    let done = m.execute(&typed(copy)).unwrap();
    assert_eq!(done.log.lines(), ["S: CopyPredicated"]);
    assert_eq!(get(&m, 0, 0x200, 4), [7, 11, 0, 13]);
    let written = |m: &Machine, offset| m.memory.is_written(Memory::Sbuf, 0, offset, 4);
    assert_eq!([0x200, 0x204, 0x208, 0x20C].map(|o| written(&m, o)), [true, true, false, true]);

    put(&mut m, 0, 0x100, &[300, -300, 5, 127]);
    let dtypes = [Dtype::Uint8, Dtype::Int32, Dtype::Int8];
    let cast = word(0x99, AluOp::Bypass, dtypes, 1, [row(0, 4), row(0x100, 4), row(0x300, 4)]);
    m.execute(&typed(cast)).unwrap();
    assert_eq!(m.memory.read(Memory::Sbuf, 0, 0x300, 4).unwrap(), [0, 0x80, 0, 127], "through float32, saturating");
    assert!(!m.memory.is_written(Memory::Sbuf, 0, 0x300, 1));
}

#[test]
fn batch_norm_runs_with_a_coefficient_block_only() {
    let mut m = machine();
    let f = f32::to_bits;
    for partition in 0..2 {
        put(&mut m, partition, 0, &[f(0.5) as i32]);
        put(&mut m, partition, 0x100, &[f(2.0) as i32]);
    }
    let bn = typed(word(0x65, AluOp::Bypass, [Dtype::Fp32; 3], 2, [row(0, 1), row(0x100, 1), row(0x200, 1)]));
    let coefficients =
        |gamma| Coefficients { gamma: f(gamma), inv_std: f(2.0), n: f(4.0), d_beta: f(1.0), d_gamma: f(6.0) };
    m.coefficients = vec![coefficients(1.0)];
    let fault = m.execute(&bn).unwrap_err();
    assert_eq!((fault.clone(), fault.kind()), (Fault::NeedsCoefficients { have: 1, need: 2 }, "needs_coefficients"));
    m.coefficients.push(coefficients(3.0));
    let done = m.execute(&bn).unwrap();
    // (gamma * 2 / 4) * (4 * 2 - 1 - 0.5 * 6)
    assert_eq!(get(&m, 0, 0x200, 1), [f(2.0) as i32]);
    assert_eq!(get(&m, 1, 0x200, 1), [f(6.0) as i32]);
    assert!(done.basis.settled.contains(&vq7_policy::Settled::BatchNormFormula));
}

#[test]
fn sunda_s_bf16_words_are_the_base_op() {
    let mut m = Machine::new(Generation::Sunda, Engine::Dve, Policy::default());
    // 1.0, 2.0 and 3.0, -1.5 as bfloat16.
    m.memory.write(Memory::Sbuf, 0, 0, &[0x80, 0x3F, 0x00, 0x40]).unwrap();
    m.memory.write(Memory::Sbuf, 0, 0x100, &[0x40, 0x40, 0xC0, 0xBF]).unwrap();
    let operands = [at(0, [1, 2, 2], [2, 1, 1]), at(0x100, [1, 2, 2], [2, 1, 1]), row(0x200, 2)];
    let mut run = |opcode, op, out| {
        let word = word(opcode, op, [Dtype::Bfloat16, Dtype::Bfloat16, out], 1, operands);
        m.execute(&typed(word)).map(|_| m.memory.read(Memory::Sbuf, 0, 0x200, 4).unwrap())
    };
    assert_eq!(run(0x8A, AluOp::Add, Dtype::Bfloat16).unwrap(), [0x80, 0x40, 0x00, 0x3F]);
    assert_eq!(run(0x8B, AluOp::Mult, Dtype::Bfloat16).unwrap(), [0x40, 0x40, 0x40, 0xC0]);
    assert_eq!(run(0x8F, AluOp::Subtract, Dtype::Bfloat16).unwrap(), [0x00, 0xC0, 0x60, 0x40]);
    assert_eq!(run(0x8A, AluOp::Mult, Dtype::Bfloat16).unwrap_err().kind(), "illegal");
}

fn extended(ports: u8, op: AluOp) -> ExtendedTta {
    let flat = |address| Pattern::<2> { start: Addr4(address), step: [1, 2], num: [2, 2] };
    ExtendedTta {
        header: Header::new(0xF0),
        events: Default::default(),
        completion_info: 0x05 | ports << 3,
        src0_dtype: Dtype::Int32.code(),
        src1_dtype: Dtype::Int32.code(),
        out_dtype: Dtype::Int32.code(),
        op: op.code(),
        reserved: [0; 3],
        src0: flat(0),
        src1: flat(0x100),
        dst: flat(0x200),
        tail: [0; 8],
    }
}

#[test]
fn ports_of_an_extended_word_count_cores_from_0() {
    for (ports, channels) in [(0, 128), (1, 16), (3, 48), (7, 112)] {
        let mut m = machine();
        for partition in 0..128 {
            put(&mut m, partition, 0, &[1, 2, 3, 4]);
            put(&mut m, partition, 0x100, &[5, 6, 7, 8]);
        }
        let done = m.execute(&Instruction::ExtendedTensorTensor(extended(ports, AluOp::Mult))).unwrap();
        assert_eq!((done.channels, done.elements_per_channel, done.handler), (channels, 4, "extended tensor-tensor"));
        for partition in 0..128 {
            let expected = if partition < channels { [5, 12, 21, 32] } else { [0; 4] };
            assert_eq!(get(&m, partition, 0x200, 4), expected);
        }
        let text = "P7: ExtendedInstTensorTensorArith : num_tensor_elements = 4 : alu_op = 0x6";
        assert!(done.log.lines().iter().any(|line| line == text));
    }
}

#[test]
fn sunda_has_no_row_for_extended_words() {
    let mut m = Machine::new(Generation::Sunda, Engine::Any, Policy::default());
    let fault = m.execute(&Instruction::ExtendedTensorTensor(extended(0, AluOp::Add))).unwrap_err();
    assert_eq!(fault.kind(), "unimplemented");
    assert!(fault.log().iter().any(|line| line == "P0: UNKNOWN EXTENDED OPCODE=2"));
    m.engine = Engine::Pool;
    let fault = m.execute(&Instruction::ExtendedTensorTensor(extended(0, AluOp::Add))).unwrap_err();
    assert!(fault.to_string().contains("kernel_info_table"), "{fault}");
}

fn raw(bytes: &[(usize, u8)]) -> Instruction {
    let mut word = Word([0; 64]);
    word.0[1] = 0x10;
    for &(offset, byte) in bytes {
        word.0[offset] = byte;
    }
    Instruction::decode(&word)
}

#[test]
fn the_extended_nop_runs_with_its_events() {
    let mut m = machine();
    m.semaphores.set(3, 5);
    // Wait for semaphore 3 >= 5, then add 5 to semaphore 4.
    let nop = raw(&[(0, 0xF0), (4, 0x05), (5, 3), (6, 0x15), (7, 4), (8, 5)]);
    let done = m.execute(&nop).unwrap();
    assert_eq!((done.channels, m.semaphores.get(4)), (0, 5));
    assert!(done.log.lines().iter().any(|line| line == "ExtendedInstEngineNop : processing complete"));
    m.semaphores.set(3, 4);
    assert_eq!(m.execute(&nop).unwrap_err().kind(), "deadlock");
    m.engine = Engine::Dve;
    assert_eq!(m.execute(&nop).unwrap_err().kind(), "unimplemented");
}

#[test]
fn what_is_not_modelled_is_refused_by_name() {
    let mut m = machine();
    let text = |m: &mut Machine, bytes: &[(usize, u8)]| {
        let fault = m.execute(&raw(bytes)).unwrap_err();
        assert_eq!(fault.kind(), "unimplemented");
        (fault.to_string(), fault.log().to_vec())
    };
    assert!(text(&mut m, &[(0, 0xA0)]).0.contains("opcode 0xa0 (EVENT_SEMAPHORE)"));
    assert!(text(&mut m, &[(0, 0xF0), (12, 3)]).0.contains("RAND_SET_STATE"));
    for word in [&[(0, 0xF0), (12, 3)][..], &[(0, 0xF0), (12, 4)], &[(0, 0x77)], &[(0, 0x78)]] {
        assert!(text(&mut m, word).0.contains("LFSR and XORWOW generators"), "{word:?}");
    }
    assert!(text(&mut m, &[(0, 0xF0), (12, 1)]).0.contains("the layout of its operands is not published"));
    m.engine = Engine::Pool;
    let (_, log) = text(&mut m, &[(0, 0xA0)]);
    assert!(log.iter().any(|line| line == "P5: UNKNOWN OPCODE=0xa0"));
    let (_, log) = text(&mut m, &[(0, 0xF0), (12, 5)]);
    assert!(log.iter().any(|line| line == "P0: UNKNOWN EXTENDED OPCODE=5"));
    assert_eq!(m.execute(&raw(&[(0, 0xC0)])).unwrap_err().kind(), "illegal");

    let fault = m.execute(&typed(add_int32(1, [at(0x2000_0000, [0; 3], [1; 3]), row(0, 1), row(0, 1)]))).unwrap_err();
    assert!(fault.to_string().contains("indirect addressing, marker INDIRECT_IMM on src0"), "{fault}");
}

#[test]
fn an_illegal_word_names_its_rule_and_an_unspecified_one_says_why() {
    let mut m = machine();
    let fault = m.execute(&typed(add_int32(1, [row(2, 1), row(0, 1), row(0, 1)]))).unwrap_err();
    assert_eq!(fault.kind(), "illegal");
    assert!(fault.to_string().starts_with("illegal word: tensor3d_valid: src0"), "{fault}");
    let wide = word(0x41, AluOp::Add, [Dtype::Int64; 3], 1, [row(0, 1), row(0, 1), row(0, 1)]);
    let fault = m.execute(&typed(wide)).unwrap_err();
    assert_eq!(fault.kind(), "unspecified");
    assert!(fault.log().iter().any(|line| line == "P3: Error, Unimplemented tensor-tensor ALU op."));
}

#[test]
fn why_a_fault_is_one_does_not_repeat_its_kind() {
    let mut m = machine();
    let illegal = m.execute(&typed(add_int32(1, [row(2, 1), row(0, 1), row(0, 1)]))).unwrap_err();
    assert!(illegal.why().starts_with("tensor3d_valid: src0"), "{}", illegal.why());
    let unspecified = word(0x41, AluOp::Add, [Dtype::Int64; 3], 1, [row(0, 1), row(0, 1), row(0, 1)]);
    let unspecified = m.execute(&typed(unspecified)).unwrap_err();
    let unimplemented = m.execute(&raw(&[(0, 0xA0)])).unwrap_err();
    for fault in [illegal, unspecified, unimplemented] {
        assert!(!fault.why().contains(fault.kind()) && !fault.why().contains("not implemented"), "{}", fault.why());
        assert!(fault.to_string().ends_with(&fault.why()), "{fault}");
    }
}

#[test]
fn a_word_that_no_engine_takes_runs_by_its_structure_with_a_warning() {
    let mut m = machine();
    m.memory.write(Memory::Sbuf, 0, 0, &[0xFF, 0x7F]).unwrap();
    let narrow = word(0x41, AluOp::AddInt, [Dtype::Int16; 3], 1, [row(0, 1), row(0, 1), row(0x10, 1)]);
    let done = m.execute(&typed(narrow)).unwrap();
    assert_eq!(done.warnings, [Warning::NoEngine]);
    assert_eq!(m.memory.read(Memory::Sbuf, 0, 0x10, 2).unwrap(), [0xFE, 0xFF]);
    m.engine = Engine::Pool;
    assert_eq!(m.execute(&typed(narrow)).unwrap_err().kind(), "illegal");
}

#[test]
fn dve_reads_and_writes_psum() {
    let mut m = machine();
    m.memory.write(Memory::Psum, 0, 0, &1.5f32.to_le_bytes()).unwrap();
    m.memory.write(Memory::Sbuf, 0, 0, &2.0f32.to_le_bytes()).unwrap();
    let operands = [row(0x200_0000, 1), row(0, 1), row(0x200_0100, 1)];
    let done = m.execute(&typed(word(0x41, AluOp::Max, [Dtype::Fp32; 3], 1, operands))).unwrap();
    assert_eq!(done.handler, "DVE tensor-tensor arithmetic");
    assert_eq!(m.memory.read(Memory::Psum, 0, 0x100, 4).unwrap(), 2.0f32.to_le_bytes());
    let far = [row(0x200_0000, 2), row(0, 2), row(0x200_0000 + 0x3FFC, 2)];
    let fault = m.execute(&typed(word(0x41, AluOp::Max, [Dtype::Fp32; 3], 1, far))).unwrap_err();
    assert!(matches!(fault, Fault::OutOfBounds { memory: Memory::Psum, offset: 0x4000, limit: 0x4000, .. }), "{fault}");
}

#[test]
fn division_by_zero_under_trap_names_the_element_and_writes_nothing() {
    let policy = Policy { int_div_zero: IntDivZero::Trap, ..Policy::default() };
    let mut m = Machine::new(Generation::Cayman, Engine::Pool, policy);
    put(&mut m, 0, 0, &[1, 2, 3]);
    put(&mut m, 1, 0, &[1, 2, 3]);
    put(&mut m, 0, 0x100, &[1, 1, 1]);
    put(&mut m, 1, 0x100, &[1, 0, 1]);
    let operands = [row(0, 3), row(0x100, 3), row(0, 3)];
    let divide = typed(word(0x41, AluOp::DivideInt, [Dtype::Int32; 3], 2, operands));
    let fault = m.execute(&divide).unwrap_err();
    assert_eq!((&fault, fault.kind()), (&Fault::DivideByZero { partition: 1, element: 1 }, "divide_by_zero"));
    assert_eq!(get(&m, 0, 0, 3), [1, 2, 3]);
    assert_eq!(get(&m, 1, 0, 3), [1, 2, 3]);
    m.policy = Policy::default();
    let done = m.execute(&divide).unwrap();
    assert!(done.flags.int_div_zero);
    assert_eq!(get(&m, 1, 0, 3), [1, -1, 3]);
}

#[test]
fn events_run_through_a_stream_and_a_fault_changes_none() {
    let mut m = machine();
    put(&mut m, 0, 0, &[1]);
    let mut first = add_int32(1, [row(0, 1), row(0, 1), row(0x10, 1)]);
    first.events.update_mode = 0x13;
    first.events.update_idx = 22;
    let mut second = first;
    second.events.wait_mode = 0x04;
    second.events.wait_idx = 22;
    second.events.update_mode = 0x03;
    assert_eq!(m.execute(&typed(second)).unwrap_err().kind(), "deadlock");
    m.execute(&typed(first)).unwrap();
    let done = m.execute(&typed(second)).unwrap();
    assert_eq!(m.semaphores.get(22), 2);
    assert_eq!(done.log.lines().first().unwrap(), "vq7: wait SEM_GT_IMM: semaphore 22 is 1");
    assert!(done.log.lines().iter().any(|line| line == "vq7: update SEM_INC_READ: semaphore 22 goes from 1 to 2"));

    // An event that a wait has flipped is put back when the word faults.
    m.semaphores.set_event(5, true);
    let mut faulty = add_int32(1, [row(0x900, 1), row(0, 1), row(0x10, 1)]);
    faulty.events.wait_mode = 0x07;
    faulty.events.wait_idx = 5;
    assert_eq!(m.execute(&typed(faulty)).unwrap_err().kind(), "uninitialised");
    assert!(m.semaphores.event(5));
}

#[test]
fn registers_supply_addresses_and_shapes() {
    let mut m = machine();
    put(&mut m, 0, 0x40, &[1, 2, 3]);
    let by_register = add_int32(1, [row(0x8000_0009, 3), row(0x40, 3), row(0x80, 3)]);
    let fault = m.execute(&typed(by_register)).unwrap_err();
    let expected = Fault::NeedsRegisters { user: User::Operand(Operand::Src0), register: Register::Address(9) };
    assert_eq!((&fault, fault.kind()), (&expected, "needs_registers"));
    m.registers.set_address(9, 0x40).unwrap();
    m.execute(&typed(by_register)).unwrap();
    assert_eq!(get(&m, 0, 0x80, 3), [2, 4, 6]);

    let by_shape = add_int32(1, [row(0x4000_0040, 0), row(0x40, 2), row(0xC000_0009, 7)]);
    m.registers.set_operand_shape(Operand::Src0, [2, 1, 1]).unwrap();
    m.registers.set_shape(9, [1, 2, 1]).unwrap();
    m.registers.set_address(9, 0xC0).unwrap();
    m.execute(&typed(by_shape)).unwrap();
    assert_eq!(get(&m, 0, 0xC0, 2), [2, 4]);

    // What the registers hold is held against the rules as well.
    m.registers.set_shape(9, [3, 1, 1]).unwrap();
    let fault = m.execute(&typed(by_shape)).unwrap_err();
    assert!(fault.to_string().contains("s3s3d3_tt_dst_element_cnt_check"), "{fault}");
    assert!(fault.to_string().contains("with the registers' values filled in"), "{fault}");
    m.registers.set_address(9, 0x41).unwrap();
    let fault = m.execute(&typed(by_register)).unwrap_err();
    assert!(fault.to_string().contains("tensor3d_valid"), "{fault}");
}

#[test]
fn sixty_four_bit_words_go_through_the_halves() {
    let mut m = machine();
    m.memory.write(Memory::Sbuf, 0, 0, &0x0000_0001_FFFF_FFFFu64.to_le_bytes()).unwrap();
    m.memory.write(Memory::Sbuf, 0, 8, &3u32.to_le_bytes()).unwrap();
    let add = word(0x41, AluOp::AddInt, [Dtype::Int64; 3], 1, [row(0, 1), row(0, 1), row(16, 1)]);
    m.execute(&typed(add)).unwrap();
    let dtypes = [Dtype::Int64, Dtype::Uint32, Dtype::Int64];
    let shift = word(0x51, AluOp::LogicalShiftLeft, dtypes, 1, [row(0, 1), row(8, 1), row(24, 1)]);
    m.execute(&typed(shift)).unwrap();
    let bytes = m.memory.read(Memory::Sbuf, 0, 16, 16).unwrap();
    assert_eq!(bytes[..8], 0x0000_0003_FFFF_FFFEu64.to_le_bytes());
    assert_eq!(bytes[8..], 0x0000_000F_FFFF_FFF8u64.to_le_bytes());
}
