//! From an op to what the core does with it: which operands a leaf takes, and where its results go.

use super::op::{Arg, Op};
use crate::mnemonic::{Body, Flow, Layout, Mnemonic, Role};
use crate::timing::{Bank, Cell, EXECUTE};
use crate::work::{
    Access, Action, Control, Form, Input, Merge, Move, OpSpec, Output, Relation, Right, ScalarIn, ScalarOp, Test,
    ZeroCount,
};
use vq7_num::leaf::{Body as LeafBody, Kind, Leaf};

/// Stage at which the sticky flags settle.
const FLAGS: u8 = 14;
/// Stage at which vector stores leave the core.
const EGRESS: u8 = 11;

/// The control state, for ops that round by mode.
pub(super) fn control_use(mnemonic: &Mnemonic) -> Option<(Cell, u8)> {
    let Body::Leaf(leaf) = mnemonic.body else { return None };
    leaf.inputs.iter().any(|port| port.kind == Kind::Mode).then_some((Cell::FCR, EXECUTE))
}

/// The status state, for ops that raise flags.
pub(super) fn status_def(mnemonic: &Mnemonic) -> Option<(Cell, u8)> {
    let Body::Leaf(leaf) = mnemonic.body else { return None };
    leaf.outputs.iter().any(|port| port.kind == Kind::Flag).then_some((Cell::FSR, FLAGS))
}

/// Where an operand stands: among the uses, among the definitions, or its constant.
#[derive(Clone, Copy, Debug)]
struct Place {
    role: Role,
    bank: Bank,
    read: Option<u8>,
    written: Option<u8>,
    constant: Option<i64>,
    label: u32,
}

fn places(op: &Op) -> Vec<Place> {
    let (mut uses, mut defs) = (0, 0);
    let next = |counter: &mut u8, is: bool| {
        is.then(|| {
            *counter += 1;
            *counter - 1
        })
    };
    let pairs = op.mnemonic.operands.iter().zip(op.args());
    pairs
        .map(|(operand, arg)| {
            let register = matches!(arg, Arg::Reg(_));
            Place {
                role: operand.role,
                bank: operand.bank,
                read: next(&mut uses, register && operand.use_stage > 0),
                written: next(&mut defs, register && operand.def_stage > 0),
                constant: if let Arg::Imm(value) = arg { Some(*value) } else { None },
                label: if let Arg::Label(bundle) = arg { *bundle } else { 0 },
            }
        })
        .collect()
}

pub(super) fn spec(op: &Op, slot: u8) -> OpSpec {
    let places = places(op);
    let mnemonic = op.mnemonic;
    let scalar = mnemonic.operands.iter().all(|operand| operand.bank == Bank::Ar);
    let action = match mnemonic.body {
        Body::Nop | Body::Unknown | Body::Flow(_) => Action::Nothing,
        Body::Leaf(leaf) => of_leaf(mnemonic, leaf, &places),
        Body::Load(bytes, layout) => Action::Load(access(&places, bytes, layout, true)),
        Body::Store(bytes, layout) => Action::Store(access(&places, bytes, layout, false)),
        Body::Scalar(op) => arithmetic(op, &places),
        _ => moves(mnemonic.body, &places).map_or(Action::Nothing, Action::Move),
    };
    let stage = match mnemonic.body {
        Body::Load(..) if !scalar => 9,
        Body::Load(..) | Body::Store(..) if scalar => 5,
        Body::Scalar(_) => mnemonic.def,
        Body::Flow(_) => 3,
        _ => EXECUTE,
    };
    let egress = match (mnemonic.is_store(), scalar) {
        (true, true) => 5,
        (true, false) => EGRESS,
        _ => 0,
    };
    let control = if let Body::Flow(flow) = mnemonic.body { control(flow, &places) } else { Control::Next };
    OpSpec { stage, uses: op.uses(), defs: op.defs(), egress, action, control, ..OpSpec::new(slot, &op.to_string()) }
}

/// The vector registers and constants that a leaf takes, in operand order; an updated predicate, which is the leaf's last
/// input, at the end.
fn sources(places: &[Place], merging: bool) -> Vec<Place> {
    let last = places.len().saturating_sub(1);
    let mut list: Vec<Place> = places
        .iter()
        .enumerate()
        .filter(|(index, place)| {
            let guard = merging && *index == last;
            let old = merging && place.role == Role::Update;
            !guard && !old && (place.read.is_some() || place.constant.is_some())
        })
        .map(|(_, place)| *place)
        .collect();
    list.sort_by_key(|place| place.role == Role::Update && place.bank == Bank::Vbool);
    list
}

/// Whether the op keeps the old lanes where its guard is false.
fn is_merging(mnemonic: &Mnemonic) -> bool {
    let first = mnemonic.operands.first().is_some_and(|operand| operand.role == Role::Update);
    let last = mnemonic.operands.last().is_some_and(|operand| (operand.role, operand.bank) == (Role::Use, Bank::Vbool));
    first && last
}

fn merge(places: &[Place]) -> Option<Merge> {
    Some(Merge { guard: places.last()?.read?, old: places.first()?.read? })
}

/// How many lanes the op has: as many as fit a register of the widest lane that is no accumulator, or the accumulator's.
fn lanes(leaf: &Leaf, places: &[Place]) -> u32 {
    let ports = leaf.inputs.iter().chain(leaf.outputs);
    let accumulator = ports.clone().filter(|port| port.kind == Kind::Int).map(|port| port.bits);
    if let Some(bits) = accumulator.filter(|bits| matches!(bits, 24 | 48 | 96)).max() {
        return 1536 / bits;
    }
    let vector = places.iter().any(|place| place.bank == Bank::Vec);
    if !vector {
        return 1;
    }
    let lane = ports.filter(|port| matches!(port.kind, Kind::Int | Kind::Float16 | Kind::Float32)).map(|port| {
        match port.bits {
            // Amounts of shifts by lanes.
            6 => 16,
            7 => 32,
            bits => bits,
        }
    });
    512 / lane.max().unwrap_or(32).max(8)
}

fn of_leaf(mnemonic: &Mnemonic, leaf: &'static Leaf, places: &[Place]) -> Action {
    let merging = is_merging(mnemonic) && !matches!(leaf.body, LeafBody::Whole(_) if leaf.inputs.len() > 4);
    let sources = sources(places, merging);
    let count = lanes(leaf, places);
    let width = (512 / count.max(1)) as u8;
    let mode = places.iter().filter(|place| place.read.is_some()).count() as u8;
    let mut accumulators = 0;
    let mut inputs = [Input::None; 4];
    let mut waiting = sources.iter();
    for (port, input) in leaf.inputs.iter().zip(&mut inputs) {
        if port.kind == Kind::Mode {
            *input = Input::Mode { at: mode };
            continue;
        }
        let Some(place) = waiting.next() else { continue };
        *input = match (place.bank, place.read, place.constant) {
            (_, _, Some(constant)) => Input::Constant(constant as u64),
            (Bank::Wvec, Some(_), _) => {
                accumulators += 1;
                Input::Wide { at: accumulators - 1, width: port.bits as u8 }
            }
            (Bank::Vbool, Some(at), _) if count == 1 => Input::Lanes { at, width: 64, first: 0, step: 1 },
            (Bank::Vbool, Some(at), _) => Input::Predicate { at },
            (Bank::Ar, Some(at), _) => Input::Word { at },
            (_, Some(at), _) => Input::Lanes { at, width, first: 0, step: 1 },
            _ => Input::None,
        };
    }
    let written = |bank: Bank| places.iter().find(|place| place.bank == bank).and_then(|place| place.written);
    let merge = if merging { merge(places) } else { None };
    match leaf.body {
        LeafBody::Whole(_) => {
            let mut outputs = places.iter().filter_map(|place| place.written).map(Some);
            let pair = [outputs.next().flatten(), outputs.next().flatten()];
            // The assembly text of a double selection names the second result first.
            let outputs = if mnemonic.name.starts_with("DSEL") { [pair[1], pair[0]] } else { pair };
            let width = if mnemonic.name.contains("2NX8") {
                8
            } else if mnemonic.name.contains("NX16") {
                16
            } else {
                32
            };
            let merge = merge.filter(|_| outputs[1].is_none()).map(|merge| (merge, width));
            Action::Whole { leaf, inputs, outputs, merge }
        }
        LeafBody::Lane96(_) => {
            let wide = written(Bank::Wvec).is_some();
            let value = match wide {
                true => Output::Wide { width: 96 },
                false => Output::Lanes { at: written(Bank::Vec).unwrap_or(0), width: 32, first: 0, step: 1 },
            };
            let [first, rest @ ..] = inputs;
            match first {
                Input::Wide { at, .. } => Action::Lanes96 { leaf, accumulator: Some(at), inputs: rest, value },
                _ => Action::Lanes96 { leaf, accumulator: None, inputs: [first, rest[0], rest[1]], value },
            }
        }
        LeafBody::Lane { .. } | LeafBody::NotModelled(_) => {
            let predicate_only = leaf.value_outputs().all(|port| port.kind == Kind::Predicate);
            let bits = leaf.value_outputs().last().map_or(32, |port| port.bits);
            let value = match (written(Bank::Wvec), written(Bank::Vec), written(Bank::Vbool)) {
                (Some(_), ..) => Output::Wide { width: bits as u8 },
                (_, Some(at), _) => Output::Lanes { at, width, first: 0, step: 1 },
                (_, _, Some(at)) if predicate_only => Output::Predicate { at },
                (_, _, Some(at)) => Output::Lanes { at, width: 64, first: 0, step: 1 },
                _ => Output::Word { at: 0 },
            };
            let predicate = if written(Bank::Vec).is_some() { written(Bank::Vbool) } else { None };
            Action::Lanes { leaf, lanes: count as u8, inputs, value, predicate, merge }
        }
    }
}

fn scalar_in(place: &Place) -> ScalarIn {
    match (place.read, place.constant) {
        (Some(at), _) => ScalarIn::Use(at),
        (None, constant) => ScalarIn::Constant(constant.unwrap_or(0) as u32),
    }
}

fn access(places: &[Place], bytes: u8, layout: Layout, load: bool) -> Access {
    let find = |wanted: fn(&Place) -> bool| places.iter().find(|place| wanted(place));
    let base = find(|place| matches!(place.role, Role::Base | Role::PostBase));
    let data = places.first();
    let offset = places.get(2).map_or(ScalarIn::Constant(0), scalar_in);
    Access {
        base: base.and_then(|place| place.read).unwrap_or(0),
        offset,
        post: base.is_some_and(|place| place.role == Role::PostBase),
        base_def: base.and_then(|place| place.written),
        bytes,
        clear: bytes.trailing_zeros() as u8,
        form: match layout {
            Layout::Plain => Form::Plain,
            Layout::Elements(from, to, signed) => Form::Elements { from, to, signed },
        },
        data: data.and_then(|place| if load { place.written } else { place.read }).unwrap_or(0),
        guard: find(|place| place.bank == Bank::Vbool).and_then(|place| place.read),
    }
}

fn arithmetic(op: ScalarOp, places: &[Place]) -> Action {
    let mut sources = places.iter().filter(|place| place.written.is_none()).map(scalar_in);
    let (first, second) = (sources.next(), sources.next());
    // A move has its one source on the right.
    let (left, right) = match (first, second) {
        (Some(left), Some(right)) => (left, right),
        (Some(right), None) => (ScalarIn::Constant(0), right),
        _ => (ScalarIn::Constant(0), ScalarIn::Constant(0)),
    };
    Action::Scalar { op, left, right, to: 0 }
}

fn moves(body: Body, places: &[Place]) -> Option<Move> {
    let from = places.iter().skip(1).find_map(|place| place.read);
    let constant = places.iter().find_map(|place| place.constant).unwrap_or(0);
    let guarded = places.last().is_some_and(|place| place.bank == Bank::Vbool);
    Some(match body {
        Body::Copy => Move::Copy { from: from?, to: 0 },
        Body::CopyWide => Move::CopyWide { from: 0 },
        Body::Bytes => Move::Bytes { from: from?, merge: merge(places)?, to: 0 },
        Body::Spread(width) => Move::Spread { from: scalar_in(places.get(1)?), width, to: 0 },
        Body::Replicate(width) => {
            let merge = if guarded { merge(places) } else { None };
            Move::Replicate { from: from?, lane: constant as u8, width, to: 0, merge }
        }
        Body::Extract(width, signed) => Move::Extract { from: from?, lane: constant as u8, width, signed, to: 0 },
        Body::Widen(width, wide, signed) => {
            Move::Widen { from: [places.get(1)?.read?, places.get(2)?.read?], width, wide, signed }
        }
        _ => return None,
    })
}

fn control(flow: Flow, places: &[Place]) -> Control {
    let target = places.last().map_or(0, |place| place.label);
    let read = |index: usize| places.get(index).and_then(|place| place.read).unwrap_or(0);
    let compare = |relation, right| Control::Branch { test: Test::Compare { relation, left: read(0), right }, target };
    let (zero, other) = (Right::Constant(0), Right::Use(read(1)));
    let looped = |zero| Control::Loop { count: read(0), end: target, zero };
    match flow {
        Flow::Loop => looped(ZeroCount::Wraps),
        Flow::LoopNez => looped(ZeroCount::Skips),
        Flow::LoopGtz => looped(ZeroCount::SkipsNegative),
        Flow::Beqz => compare(Relation::Eq, zero),
        Flow::Bnez => compare(Relation::Ne, zero),
        Flow::Beq => compare(Relation::Eq, other),
        Flow::Bne => compare(Relation::Ne, other),
        Flow::Blt => compare(Relation::Lt, other),
        Flow::Bge => compare(Relation::Ge, other),
        Flow::Bltu => compare(Relation::Ltu, other),
        Flow::Bgeu => compare(Relation::Geu, other),
        Flow::Jump => Control::Jump(target),
    }
}
