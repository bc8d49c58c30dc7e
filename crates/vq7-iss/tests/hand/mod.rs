//! Ops made by hand, without names or words.

#![allow(dead_code, reason = "not every test needs every op")]

use vq7_iss::line::Line;
use vq7_iss::state::State;
use vq7_iss::timing::{Bank, Cell};
use vq7_iss::work::{
    Access, Action, Control, Form, Input, Merge, Move, OpSpec, Output, Relation, Right, ScalarIn, ScalarOp, Test, Work,
    ZeroCount,
};

pub fn a(reg: u8) -> Cell {
    Bank::Ar.cell(reg).unwrap()
}

pub fn v(reg: u8) -> Cell {
    Bank::Vec.cell(reg).unwrap()
}

pub fn vb(reg: u8) -> Cell {
    Bank::Vbool.cell(reg).unwrap()
}

const fn lanes(at: u8) -> Input {
    Input::Lanes { at, width: 16, first: 0, step: 1 }
}

fn asks(slot: u8, leaf: &str, text: String, uses: Vec<(Cell, u8)>, defs: Vec<(Cell, u8)>) -> OpSpec {
    let inputs = [lanes(0), lanes(1), Input::None, Input::None];
    let value = Output::Lanes { at: 0, width: 16, first: 0, step: 1 };
    let leaf = vq7_num::leaf::find(leaf).unwrap();
    let action = Action::Lanes { leaf, lanes: 32, inputs, value, predicate: None, merge: None };
    OpSpec { uses, defs, action, ..OpSpec::new(slot, &text) }
}

/// A 16-bit ALU op.
pub fn alu(slot: u8, leaf: &str, to: u8, x: u8, y: u8) -> OpSpec {
    asks(slot, leaf, format!("{leaf} v{to}, v{x}, v{y}"), vec![(v(x), 10), (v(y), 10)], vec![(v(to), 11)])
}

/// A 16-bit ALU op that keeps the old lanes where the guard is false.
pub fn alu_t(slot: u8, leaf: &str, to: u8, x: u8, y: u8, guard: u8) -> OpSpec {
    let mut op = alu(slot, leaf, to, x, y);
    op.uses.extend([(v(to), 10), (vb(guard), 10)]);
    if let Action::Lanes { merge, .. } = &mut op.action {
        *merge = Some(Merge { guard: 3, old: 2 });
    }
    op
}

/// A compare of 16-bit lanes.
pub fn compare(slot: u8, leaf: &str, to: u8, x: u8, y: u8) -> OpSpec {
    let mut op =
        asks(slot, leaf, format!("{leaf} vb{to}, v{x}, v{y}"), vec![(v(x), 10), (v(y), 10)], vec![(vb(to), 11)]);
    if let Action::Lanes { value, .. } = &mut op.action {
        *value = Output::Predicate { at: 0 };
    }
    op
}

/// An fp add of half precision, with the control and status states.
pub fn fadd(slot: u8, to: u8, x: u8, y: u8) -> OpSpec {
    let uses = vec![(v(x), 10), (v(y), 10), (Cell::FCR, 10)];
    let defs = vec![(v(to), 13), (Cell::FSR, 14)];
    let mut op = asks(slot, "add_1_1_1_16f_16f_16f_2", format!("addnxf16 v{to}, v{x}, v{y}"), uses, defs);
    if let Action::Lanes { inputs, .. } = &mut op.action {
        inputs[2] = Input::Mode { at: 2 };
    }
    op
}

/// A whole-row access with post-increment.
pub fn row(slot: u8, load: bool, reg: u8, base: u8, step: u32) -> OpSpec {
    let access = Access {
        base: 0,
        offset: ScalarIn::Constant(step),
        post: true,
        base_def: Some(0),
        bytes: 64,
        clear: 6,
        form: Form::Plain,
        data: 1,
        guard: None,
    };
    OpSpec {
        stage: if load { 9 } else { 10 },
        uses: if load { vec![(a(base), 1)] } else { vec![(a(base), 1), (v(reg), 10)] },
        defs: if load { vec![(a(base), 1), (v(reg), 10)] } else { vec![(a(base), 1)] },
        egress: if load { 0 } else { 11 },
        action: if load { Action::Load(access) } else { Action::Store(access) },
        ..OpSpec::new(slot, &format!("{} v{reg}, a{base}, {step}", if load { "lv" } else { "sv" }))
    }
}

/// A scalar access of 32 bits.
pub fn scalar_access(slot: u8, load: bool, reg: u8, base: u8, offset: u32) -> OpSpec {
    let access = Access {
        base: 0,
        offset: ScalarIn::Constant(offset),
        post: false,
        base_def: None,
        bytes: 4,
        clear: 2,
        form: Form::Plain,
        data: if load { 0 } else { 1 },
        guard: None,
    };
    OpSpec {
        stage: 5,
        uses: if load { vec![(a(base), 1)] } else { vec![(a(base), 1), (a(reg), 5)] },
        defs: if load { vec![(a(reg), 5)] } else { vec![] },
        egress: if load { 0 } else { 5 },
        action: if load { Action::Load(access) } else { Action::Store(access) },
        ..OpSpec::new(slot, &format!("{} a{reg}, a{base}, {offset}", if load { "l32i" } else { "s32i" }))
    }
}

/// A constant to a scalar register.
pub fn movi(slot: u8, to: u8, value: u32) -> OpSpec {
    let (left, right) = (ScalarIn::Constant(0), ScalarIn::Constant(value));
    OpSpec {
        stage: 1,
        defs: vec![(a(to), 1)],
        action: Action::Scalar { op: ScalarOp::Copy, left, right, to: 0 },
        ..OpSpec::new(slot, &format!("movi a{to}, {value}"))
    }
}

/// A sum with a constant.
pub fn addi(slot: u8, to: u8, from: u8, value: u32) -> OpSpec {
    let (left, right) = (ScalarIn::Use(0), ScalarIn::Constant(value));
    OpSpec {
        stage: 4,
        uses: vec![(a(from), 4)],
        defs: vec![(a(to), 4)],
        action: Action::Scalar { op: ScalarOp::Add, left, right, to: 0 },
        ..OpSpec::new(slot, &format!("addi a{to}, a{from}, {value}"))
    }
}

/// Lane 0 to a scalar register.
pub fn movav(slot: u8, to: u8, from: u8) -> OpSpec {
    OpSpec {
        uses: vec![(v(from), 10)],
        defs: vec![(a(to), 12)],
        action: Action::Move(Move::Extract { from: 0, lane: 0, width: 16, signed: false, to: 0 }),
        ..OpSpec::new(slot, &format!("movavu16 a{to}, v{from}"))
    }
}

/// A loop over the bundles up to `end`.
pub fn looped(count: u8, end: u32) -> OpSpec {
    OpSpec {
        stage: 3,
        uses: vec![(a(count), 3)],
        control: Control::Loop { count: 0, end, zero: ZeroCount::Wraps },
        ..OpSpec::new(0, &format!("loop a{count}, {end}"))
    }
}

/// A branch if a register is not zero.
pub fn bnez(reg: u8, target: u32) -> OpSpec {
    let test = Test::Compare { relation: Relation::Ne, left: 0, right: Right::Constant(0) };
    OpSpec {
        stage: 3,
        uses: vec![(a(reg), 3)],
        control: Control::Branch { test, target },
        ..OpSpec::new(0, &format!("bnez a{reg}, {target}"))
    }
}

/// The bundles, one after the other.
pub fn program(bundles: &[&[OpSpec]]) -> Work {
    let mut work = Work::default();
    for (line, ops) in (1u32..).zip(bundles) {
        work.push("hand", line, ops).unwrap();
    }
    work
}

/// Lanes 0, 1, 2, .. of 16 bits from `first` on, `step` apart.
pub fn ramp(first: u16, step: u16) -> Line {
    let mut line = Line::ZERO;
    for lane in 0..32 {
        line.set_lane(lane, 16, first.wrapping_add(step.wrapping_mul(lane as u16)).into());
    }
    line
}

/// A state with these registers.
pub fn state(lines: &[(Cell, Line)]) -> State {
    let mut state = State::new();
    for (cell, line) in lines {
        state.set_line(*cell, *line);
    }
    state
}

pub fn word(value: u32) -> Line {
    Line::from_word(value)
}
