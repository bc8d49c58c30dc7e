//! The base band on floating-point lanes. Sequences: docs/spec/iss-lowering.md, "The base band".

use super::Reason;
use super::flow::{Flow, Stream, Var};
use super::memory::{self, Source};
use vq7_isa::alu_op::Arity;
use vq7_isa::{AluOp, Dtype};
use vq7_num::Lane;
use vq7_policy::Policy;

/// Lanes that floating-point ops work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lanes {
    F16,
    F32,
}

impl Lanes {
    const fn suffix(self) -> &'static str {
        match self {
            Self::F16 => "NXF16",
            Self::F32 => "N_2XF32",
        }
    }

    fn one(self, flow: &mut Flow) -> Var {
        match self {
            Self::F16 => flow.lane(16, 0x3C00),
            Self::F32 => flow.word(0x3F80_0000),
        }
    }
}

/// Elements of a unit: 64 where bytes are involved, 32 on half-width lanes, else 16.
pub(super) fn unit(lane: &Lane) -> u32 {
    let bytes = dtypes(lane).any(|dtype| dtype.bits() == 8);
    match () {
        () if is_copy(lane) => memory::GROUP * 4 / lane.out.bytes().max(1),
        () if on_halves(lane) => 2 * memory::GROUP,
        () if bytes => 4 * memory::GROUP,
        () => memory::GROUP,
    }
}

fn dtypes(lane: &Lane) -> impl Iterator<Item = Dtype> {
    let second = (lane.op.arity() == Arity::Binary).then_some(lane.src1);
    [Some(lane.src0), second, Some(lane.out)].into_iter().flatten()
}

/// BYPASS between equal dtypes copies bits.
fn is_copy(lane: &Lane) -> bool {
    lane.op == AluOp::Bypass && lane.src0 == lane.out
}

/// Whether the op can stay on 16-bit lanes: the same bits as through float32, twice the lanes.
fn on_halves(lane: &Lane) -> bool {
    lane.op != AluOp::Bypass && dtypes(lane).all(|dtype| dtype == Dtype::Fp16)
}

/// Writes one unit of a base-band op.
pub(super) fn lower(flow: &mut Flow, lane: &Lane, policy: &Policy) -> Result<(), Reason> {
    if is_copy(lane) {
        let value = memory::load_raw(flow, Stream::Src0, lane.src0, 0);
        memory::store_raw(flow, lane.out, 0, value);
        return Ok(());
    }
    let binary = lane.op.arity() == Arity::Binary;
    if on_halves(lane) {
        let mut a = memory::load_raw(flow, Stream::Src0, lane.src0, 0);
        let b = if binary { memory::load_raw(flow, Stream::Src1, lane.src1, 0) } else { a };
        if lane.op == AluOp::AbsoluteValue {
            // No conversion quiets a NaN here, and a cleared sign does not either.
            a = quieted(flow, Lanes::F16, a);
        }
        let r = op(flow, lane.op, Lanes::F16, a, b)?;
        memory::store_raw(flow, lane.out, 0, r);
        return Ok(());
    }
    let a = Source::new(flow, Stream::Src0, lane.src0);
    let b = if binary { Some(Source::new(flow, Stream::Src1, lane.src1)) } else { None };
    let mut results = Vec::new();
    for group in 0..memory::groups(flow) {
        let mut x = a.float(flow, group, policy);
        if keeps_signaling(lane) {
            x = quieted(flow, Lanes::F32, x);
        }
        let y = b.map_or(x, |b| b.float(flow, group, policy));
        let r = op(flow, lane.op, Lanes::F32, x, y)?;
        results.push(memory::narrow(flow, r, lane.out, policy));
    }
    memory::store_lanes(flow, lane.out, &results);
    Ok(())
}

fn op(flow: &mut Flow, op: AluOp, lanes: Lanes, a: Var, b: Var) -> Result<Var, Reason> {
    use AluOp::*;
    let name = |stem: &str| format!("{stem}{}", lanes.suffix());
    Ok(match op {
        Bypass => a,
        Add => flow.op(&name("ADD"), &[a, b]),
        Subtract => flow.op(&name("SUB"), &[a, b]),
        // Of two NaNs the leaf keeps the second; the first source's is wanted.
        Mult => flow.op(&name("MUL"), &[b, a]),
        Square => flow.op(&name("MUL"), &[a, a]),
        Max => flow.op(&name("MAX"), &[a, b]),
        Min => flow.op(&name("MIN"), &[a, b]),
        ReLu => {
            let zero = flow.word(0);
            flow.op(&name("MAX"), &[a, zero])
        }
        AbsoluteValue => flow.op(&name("ABS"), &[a]),
        AbsoluteDiff => {
            let difference = flow.op(&name("SUB"), &[a, b]);
            flow.op(&name("ABS"), &[difference])
        }
        IsEq | IsNe | IsLt | IsLe | IsGt | IsGe => {
            let (stem, x, y) = match op {
                IsEq => ("OEQ", a, b),
                IsNe => ("UNEQ", a, b),
                IsLt => ("OLT", a, b),
                IsLe => ("OLE", a, b),
                IsGt => ("OLT", b, a),
                _ => ("OLE", b, a),
            };
            let p = flow.test(&name(stem), &[x, y]);
            truth(flow, lanes, p)
        }
        LogicalAnd | LogicalOr | LogicalXor => {
            let zero = flow.word(0);
            let p = flow.test(&name("UNEQ"), &[a, zero]);
            let q = flow.test(&name("UNEQ"), &[b, zero]);
            let both = match op {
                LogicalAnd => "ANDB",
                LogicalOr => "ORB",
                _ => "XORB",
            };
            let p = flow.test(both, &[p, q]);
            truth(flow, lanes, p)
        }
        AbsMax | AbsMin => {
            let x = flow.op(&name("ABS"), &[a]);
            let y = flow.op(&name("ABS"), &[b]);
            let p = match op {
                AbsMax => flow.test(&name("OLT"), &[y, x]),
                _ => flow.test(&name("OLT"), &[x, y]),
            };
            let r = flow.copy(b);
            flow.merge(r, a, p);
            quieted(flow, lanes, r)
        }
        _ => return Err(Reason::NoSequence),
    })
}

/// Whether a signalling NaN would get through: 8-bit floats are widened by moving bits, which quiets nothing, and neither do
/// these ops, nor a store of float32.
fn keeps_signaling(lane: &Lane) -> bool {
    let bytes = lane.src0.bits() == 8 && !lane.src0.is_int();
    bytes && matches!(lane.op, AluOp::Bypass | AluOp::AbsoluteValue)
}

/// The same number; a NaN quieted. A product with one is exact.
fn quieted(flow: &mut Flow, lanes: Lanes, x: Var) -> Var {
    let one = lanes.one(flow);
    flow.op(&format!("MUL{}", lanes.suffix()), &[one, x])
}

/// 1.0 where `p` holds, else 0.
fn truth(flow: &mut Flow, lanes: Lanes, p: Var) -> Var {
    let zero = flow.word(0);
    let one = lanes.one(flow);
    let r = flow.copy(zero);
    flow.merge(r, one, p);
    r
}
