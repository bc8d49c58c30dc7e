use super::*;
use vq7_isa::header::{UPDATE_MODES, WAIT_MODES};

const GENERATION: Generation = Generation::Cayman;

fn wait(semaphores: &mut Semaphores, mode: u8, value: u32, registers: &Registers) -> Result<Option<String>, Fault> {
    let events = Events { wait_mode: mode, wait_idx: 11, semaphore_value: value, ..Events::default() };
    semaphores.wait(&events, GENERATION, registers)
}

#[test]
fn the_five_comparisons_by_immediate_and_by_register() {
    let mut registers = Registers::new();
    registers.set_value(4, 7);
    // (code, holds at 6, 7, 8 against 7)
    let expected = [
        (0x01, [false, true, false]),
        (0x02, [true, false, false]),
        (0x03, [true, true, false]),
        (0x04, [false, false, true]),
        (0x05, [false, true, true]),
    ];
    for (code, holds) in expected {
        for (has, holds) in [6, 7, 8].into_iter().zip(holds) {
            let mut semaphores = Semaphores::new();
            semaphores.set(11, has);
            assert_eq!(wait(&mut semaphores, code, 7, &registers).is_ok(), holds, "{code:#x} {has}");
            assert_eq!(wait(&mut semaphores, code | 0x80, 4, &registers).is_ok(), holds, "{code:#x} {has}");
            assert_eq!(semaphores.get(11), has);
        }
    }
}

#[test]
fn an_unsatisfied_wait_is_a_deadlock_that_says_what_is_and_what_is_needed() {
    let fault = wait(&mut Semaphores::new(), 0x04, 2, &Registers::new()).unwrap_err();
    assert_eq!(fault, Fault::Deadlock { signal: Signal::Semaphore(11), has: "0".into(), needs: "> 2".into() });
    assert_eq!(fault.kind(), "deadlock");
    assert!(fault.to_string().contains("waits until semaphore 11 is > 2, it is 0"));
}

#[test]
fn the_four_event_waits() {
    // (code, state waited for, state afterwards)
    for (code, needs, after) in [(0x06, true, true), (0x07, true, false), (0x0E, false, false), (0x0F, false, true)] {
        let mut semaphores = Semaphores::new();
        semaphores.set_event(11, !needs);
        let fault = wait(&mut semaphores, code, 0, &Registers::new()).unwrap_err();
        assert!(matches!(fault, Fault::Deadlock { signal: Signal::Event(11), .. }));
        assert_eq!(semaphores.event(11), !needs, "a wait that fails changes nothing");
        semaphores.set_event(11, needs);
        assert!(wait(&mut semaphores, code, 0, &Registers::new()).is_ok());
        assert_eq!(semaphores.event(11), after);
    }
}

#[test]
fn modes_without_a_published_meaning_are_named() {
    let mut semaphores = Semaphores::new();
    for mode in WAIT_MODES.iter().filter(|mode| !mode.generations.contains(GENERATION)) {
        let events = Events { wait_mode: mode.code, ..Events::default() };
        let fault = semaphores.wait(&events, Generation::Maverick, &Registers::new()).unwrap_err();
        assert_eq!(fault.kind(), "unimplemented");
        assert!(fault.to_string().contains(mode.name), "{fault}");
        let elsewhere = semaphores.wait(&events, GENERATION, &Registers::new()).unwrap_err();
        assert!(elsewhere.to_string().contains("trn2 (CAYMAN) does not have"), "{elsewhere}");
    }
    assert_eq!(wait(&mut semaphores, 0x08, 0, &Registers::new()).unwrap_err().kind(), "unimplemented");
    let fault = wait(&mut semaphores, 0x81, 3, &Registers::new()).unwrap_err();
    assert_eq!(fault.kind(), "needs_registers");
}

#[test]
fn every_update_mode_fires_in_its_time_only() {
    let mut registers = Registers::new();
    registers.set_value(3, 100);
    for mode in &UPDATE_MODES {
        let events = Events { update_mode: mode.code, update_idx: 22, semaphore_value: 3, ..Events::default() };
        let update = Semaphores::prepare(&events, GENERATION, &registers).unwrap();
        let mut semaphores = Semaphores::new();
        semaphores.set(22, 10);
        semaphores.set_event(22, mode.name.starts_with("EVT_CLR"));
        let operand = if mode.name.contains("_REG_") { 100u32 } else { 3 };
        let other = if mode.when == When::Read { When::Complete } else { When::Read };
        assert_eq!(semaphores.apply(&update, other), None, "{}", mode.name);
        let fired = semaphores.apply(&update, mode.when);
        assert_eq!(fired.is_some(), mode.code != 0, "{}", mode.name);
        let expected = match mode.name {
            name if name.starts_with("SEM_INC") => 11,
            name if name.starts_with("SEM_DEC") => 9,
            name if name.starts_with("SEM_ADD") => 10 + operand,
            name if name.starts_with("SEM_SUB") => 10u32.wrapping_sub(operand),
            name if name.starts_with("SEM_WR") => operand,
            _ => 10,
        };
        assert_eq!(semaphores.get(22), expected, "{}", mode.name);
        assert_eq!(semaphores.event(22), mode.name.starts_with("EVT_SET"), "{}", mode.name);
        let register = mode.name.contains("_REG_");
        let prepared = Semaphores::prepare(&events, GENERATION, &Registers::new());
        assert_eq!(prepared.is_err(), register, "{}", mode.name);
    }
}

#[test]
fn wrapping_is_warned_of() {
    for (mode, before, after) in
        [(0x13, u32::MAX, 0), (0x14, 0, u32::MAX), (0x15, u32::MAX - 1, 1), (0x17, 1, u32::MAX - 1)]
    {
        let events = Events { update_mode: mode, update_idx: 1, semaphore_value: 3, ..Events::default() };
        let update = Semaphores::prepare(&events, GENERATION, &Registers::new()).unwrap();
        let mut semaphores = Semaphores::new();
        semaphores.set(1, before);
        let (line, warning) = semaphores.apply(&update, When::Complete).unwrap();
        assert_eq!(warning, Some(Warning::SemaphoreWrapped { index: 1, before, after }));
        assert!(line.starts_with("vq7: update SEM_"), "{line}");
        assert_eq!(semaphores.get(1), after);
    }
}
