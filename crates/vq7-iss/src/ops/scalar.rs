//! Scalar ops, branches and loops, and moves between register files.

use super::{Build, OpError};
use crate::timing::{Bank, Cell, EXECUTE};
use crate::work::{Action, Control, Input, Merge, Move, Output, Relation, Right, ScalarIn, ScalarOp, Test, ZeroCount};
use vq7_num::leaf;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Nop,
    MovI,
    /// Register, register, number.
    WithNumber(ScalarOp),
    /// Register, register, register.
    WithRegister(ScalarOp, u8),
    Jump,
    Loop(ZeroCount),
    Branch(Relation),
    BranchZero(Relation),
    /// Vector copy.
    CopyVector,
    CopyWide,
    /// Merging byte copy.
    MoveT,
    /// AR to every lane.
    SpreadWord(u8),
    /// Number to every lane.
    SpreadNumber(u8),
    /// Lane 0 to AR.
    First(u8, bool),
    /// Some lane to AR.
    Extract(u8, bool),
    Replicate(u8, bool),
    /// vbool logic.
    Logic(&'static str),
    ReadState(bool),
    WriteState(bool),
    /// Divide steps: their value rule is not known.
    Unknown(&'static str),
}

#[rustfmt::skip]
const OPS: &[(&str, Kind)] = &[
    ("NOP", Kind::Nop), ("MOVI", Kind::MovI),
    ("ADDI", Kind::WithNumber(ScalarOp::Add)), ("SLLI", Kind::WithNumber(ScalarOp::Sll)),
    ("SRLI", Kind::WithNumber(ScalarOp::Srl)), ("SRAI", Kind::WithNumber(ScalarOp::Sra)),
    ("ADD", Kind::WithRegister(ScalarOp::Add, 4)), ("SUB", Kind::WithRegister(ScalarOp::Sub, 4)),
    ("AND", Kind::WithRegister(ScalarOp::And, 4)), ("OR", Kind::WithRegister(ScalarOp::Or, 4)),
    ("XOR", Kind::WithRegister(ScalarOp::Xor, 4)), ("MIN", Kind::WithRegister(ScalarOp::Min, 4)),
    ("MAX", Kind::WithRegister(ScalarOp::Max, 4)), ("MULL", Kind::WithRegister(ScalarOp::Mul, 6)),
    ("J", Kind::Jump), ("LOOP", Kind::Loop(ZeroCount::Wraps)), ("LOOPNEZ", Kind::Loop(ZeroCount::Skips)),
    ("LOOPGTZ", Kind::Loop(ZeroCount::SkipsNegative)),
    ("BEQ", Kind::Branch(Relation::Eq)), ("BNE", Kind::Branch(Relation::Ne)), ("BLT", Kind::Branch(Relation::Lt)),
    ("BGE", Kind::Branch(Relation::Ge)), ("BLTU", Kind::Branch(Relation::Ltu)), ("BGEU", Kind::Branch(Relation::Geu)),
    ("BEQZ", Kind::BranchZero(Relation::Eq)), ("BNEZ", Kind::BranchZero(Relation::Ne)),
    ("BLTZ", Kind::BranchZero(Relation::Lt)), ("BGEZ", Kind::BranchZero(Relation::Ge)),
    ("MOVVV", Kind::CopyVector), ("MOVWW", Kind::CopyWide), ("MOV2NX8T", Kind::MoveT),
    ("MOVVA8", Kind::SpreadWord(8)), ("MOVVA16", Kind::SpreadWord(16)), ("MOVVA32", Kind::SpreadWord(32)),
    ("MOVVINT8", Kind::SpreadNumber(8)), ("MOVVINT16", Kind::SpreadNumber(16)),
    ("MOVAV8", Kind::First(8, false)), ("MOVAV16", Kind::First(16, true)), ("MOVAV32", Kind::First(32, false)),
    ("MOVAVU8", Kind::First(8, false)), ("MOVAVU16", Kind::First(16, false)),
    ("EXTR2NX8", Kind::Extract(8, false)), ("EXTRNX16", Kind::Extract(16, true)), ("EXTRN_2X32", Kind::Extract(32, false)),
    ("REP2NX8", Kind::Replicate(8, false)), ("REPNX16", Kind::Replicate(16, false)),
    ("REPN_2X32", Kind::Replicate(32, false)), ("REP2NX8T", Kind::Replicate(8, true)),
    ("REPNX16T", Kind::Replicate(16, true)), ("REPN_2X32T", Kind::Replicate(32, true)),
    ("ANDB", Kind::Logic("andb_64_64_64")), ("ORB", Kind::Logic("orb_64_64_64")), ("XORB", Kind::Logic("xorb_64_64_64")),
    ("ANDNOTB", Kind::Logic("andnotb_64_64_64")), ("ORNOTB", Kind::Logic("ornotb_64_64_64")),
    ("NOTB", Kind::Logic("notb_64_64")),
    ("RUR.FCR", Kind::ReadState(false)), ("RUR.FSR", Kind::ReadState(true)),
    ("WUR.FCR", Kind::WriteState(false)), ("WUR.FSR", Kind::WriteState(true)),
    ("DIVNX16S_4STEP0", Kind::Unknown("the value rule of a divide step")),
    ("DIVNX16S_4STEP", Kind::Unknown("the value rule of a divide step")),
    ("DIVNX16S_4STEPN", Kind::Unknown("the value rule of a divide step")),
];

pub(super) fn names() -> impl Iterator<Item = String> {
    OPS.iter().map(|(name, _)| (*name).to_owned())
}

pub(super) fn build(name: &str, build: &mut Build<'_>) -> Option<Result<(), OpError>> {
    let (_, kind) = OPS.iter().find(|(known, _)| *known == name)?;
    Some(op(*kind, build))
}

fn op(kind: Kind, build: &mut Build<'_>) -> Result<(), OpError> {
    match kind {
        Kind::Nop => build.spec.stage = 1,
        Kind::MovI => {
            let to = build.defines(Bank::Ar, 1)?;
            let value = build.number(i64::from(i32::MIN), i64::from(u32::MAX))? as u32;
            build.spec.stage = 1;
            let (left, right) = (ScalarIn::Constant(0), ScalarIn::Constant(value));
            build.spec.action = Action::Scalar { op: ScalarOp::Copy, left, right, to };
        }
        Kind::WithNumber(op) => {
            let to = build.defines(Bank::Ar, 4)?;
            let left = ScalarIn::Use(build.uses(Bank::Ar, 4)?);
            let right = ScalarIn::Constant(build.number(-32768, 32767)? as u32);
            build.spec.stage = 4;
            build.spec.action = Action::Scalar { op, left, right, to };
        }
        Kind::WithRegister(op, stage) => {
            let to = build.defines(Bank::Ar, stage)?;
            let left = ScalarIn::Use(build.uses(Bank::Ar, 4)?);
            let right = ScalarIn::Use(build.uses(Bank::Ar, 4)?);
            build.spec.stage = 4;
            build.spec.action = Action::Scalar { op, left, right, to };
        }
        Kind::Jump => {
            build.spec.stage = 3;
            build.spec.control = Control::Jump(build.target()?);
        }
        Kind::Loop(zero) => {
            let count = build.uses(Bank::Ar, 3)?;
            build.spec.stage = 3;
            build.spec.control = Control::Loop { count, end: build.target()?, zero };
        }
        Kind::Branch(relation) => {
            let left = build.uses(Bank::Ar, 3)?;
            let right = Right::Use(build.uses(Bank::Ar, 3)?);
            branch(build, Test::Compare { relation, left, right })?;
        }
        Kind::BranchZero(relation) => {
            let left = build.uses(Bank::Ar, 3)?;
            branch(build, Test::Compare { relation, left, right: Right::Constant(0) })?;
        }
        Kind::CopyVector => {
            let to = build.defines(Bank::Vec, 11)?;
            let from = build.uses(Bank::Vec, EXECUTE)?;
            build.acts(Action::Move(Move::Copy { from, to }));
        }
        Kind::CopyWide => {
            build.defines(Bank::Wvec, 12)?;
            build.uses(Bank::Wvec, 12)?;
            build.acts(Action::Move(Move::CopyWide { from: 0 }));
        }
        Kind::MoveT => {
            let (to, old) = inout(build, 11)?;
            let from = build.uses(Bank::Vec, EXECUTE)?;
            let guard = build.uses(Bank::Vbool, EXECUTE)?;
            build.acts(Action::Move(Move::Bytes { from, merge: Merge { guard, old }, to }));
        }
        Kind::SpreadWord(width) => {
            let to = build.defines(Bank::Vec, 11)?;
            let from = ScalarIn::Use(build.uses(Bank::Ar, build.params.movva_use)?);
            build.acts(Action::Move(Move::Spread { from, width, to }));
        }
        Kind::SpreadNumber(width) => {
            let to = build.defines(Bank::Vec, 11)?;
            let from = ScalarIn::Constant(build.number(-(1 << 15), 0xffff)? as u32);
            build.acts(Action::Move(Move::Spread { from, width, to }));
        }
        Kind::First(width, signed) => {
            let to = build.defines(Bank::Ar, 12)?;
            let from = build.uses(Bank::Vec, EXECUTE)?;
            build.acts(Action::Move(Move::Extract { from, lane: 0, width, signed, to }));
        }
        Kind::Extract(width, signed) => {
            let to = build.defines(Bank::Ar, 12)?;
            let from = build.uses(Bank::Vec, EXECUTE)?;
            let lane = build.number(0, 512 / i64::from(width) - 1)? as u8;
            build.acts(Action::Move(Move::Extract { from, lane, width, signed, to }));
        }
        Kind::Replicate(width, merges) => {
            let (to, old) = if merges { inout(build, 11)? } else { (build.defines(Bank::Vec, 11)?, 0) };
            let from = build.uses(Bank::Vec, EXECUTE)?;
            let lane = build.number(0, 512 / i64::from(width) - 1)? as u8;
            let merge = if merges { Some(Merge { guard: build.uses(Bank::Vbool, EXECUTE)?, old }) } else { None };
            build.acts(Action::Move(Move::Replicate { from, lane, width, to, merge }));
        }
        Kind::Logic(name) => {
            let Some(leaf) = leaf::find(name) else {
                return Err(OpError::Unimplemented { what: format!("leaf {name}") });
            };
            let at = build.defines(Bank::Vbool, 11)?;
            let mut inputs = [Input::None; 4];
            for slot in inputs.iter_mut().take(leaf.inputs.len()) {
                *slot = Input::Lanes { at: build.uses(Bank::Vbool, EXECUTE)?, width: 64, first: 0, step: 1 };
            }
            let value = Output::Lanes { at, width: 64, first: 0, step: 1 };
            build.acts(Action::Lanes { leaf, lanes: 1, inputs, value, predicate: None, merge: None });
        }
        Kind::ReadState(status) => {
            let to = build.defines(Bank::Ar, 12)?;
            let (cell, stage) =
                if status { (Cell::FSR, build.params.fsr_use) } else { (Cell::FCR, build.params.fcr_use) };
            let from = build.also_uses(cell, stage);
            build.acts(Action::Move(Move::Copy { from, to }));
        }
        Kind::WriteState(status) => {
            let from = build.uses(Bank::Ar, 4)?;
            let to = build.also_defines(if status { Cell::FSR } else { Cell::FCR }, build.params.fcr_def);
            build.spec.stage = 4;
            build.spec.action = Action::Move(Move::Copy { from, to });
        }
        Kind::Unknown(what) => return Err(OpError::Unimplemented { what: what.to_owned() }),
    }
    Ok(())
}

fn branch(build: &mut Build<'_>, test: Test) -> Result<(), OpError> {
    build.spec.stage = 3;
    build.spec.control = Control::Branch { test, target: build.target()? };
    Ok(())
}

/// A destination that is read as well.
fn inout(build: &mut Build<'_>, stage: u8) -> Result<(u8, u8), OpError> {
    let cell = build.cell(Bank::Vec)?;
    Ok((build.also_defines(cell, stage), build.also_uses(cell, EXECUTE)))
}
