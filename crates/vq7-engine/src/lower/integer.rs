//! The integer band and the bitvec ops on lanes of 8, 16 and 32 bits.
//! Sequences: docs/spec/iss-lowering.md, "Integer band and bitvec".

use super::Reason;
use super::flow::{Access, Flow, Stream, VECTOR, Var};
use super::memory::{self, Source};
use vq7_isa::alu_op::Arity;
use vq7_isa::{AluOp, Dtype};
use vq7_iss::timing::Bank;
use vq7_num::Lane;
use vq7_policy::{AbsMinMaxInt, ModSign, Policy, ShiftOver};

/// The lanes that an integer op works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes {
    /// Bits of a lane.
    pub bits: u32,
    /// Whether its numbers are signed.
    pub signed: bool,
    /// Whether magnitudes wrap: not where the operands have several widths.
    pub wraps: bool,
}

impl Lanes {
    /// Of a lane's integer op: signed as the op's name pins it, else as the dtype has it.
    pub fn signedness(lane: &Lane) -> bool {
        match (lane.op.is_signed(), lane.op.is_unsigned()) {
            (true, false) => true,
            (false, true) => false,
            _ => lane.src0.is_signed_int(),
        }
    }

    const fn suffix(self) -> &'static str {
        match self.bits {
            8 => "2NX8",
            16 => "NX16",
            _ => "N_2X32",
        }
    }

    fn name(self, stem: &str) -> String {
        format!("{stem}{}", self.suffix())
    }

    fn signed_name(self, stem: &str) -> String {
        format!("{stem}{}{}", if self.signed { "" } else { "U" }, self.suffix())
    }
}

/// Whether all three operands have one width of at most 32 bits.
fn is_uniform(lane: &Lane) -> bool {
    lane.src0.bits() == lane.out.bits() && (lane.op.arity() == Arity::Unary || lane.src1.bits() == lane.out.bits())
}

fn narrow_shift(lane: &Lane) -> bool {
    lane.op.is_shift() && lane.src0.bits() == 8
}

fn narrow_division(lane: &Lane) -> bool {
    is_division(lane.op) && lane.src0.bits() == 8
}

pub(super) const fn is_division(op: AluOp) -> bool {
    use AluOp::*;
    matches!(op, DivideInt | DivideUint | Mod | ModInt | ModUint)
}

/// Elements of a unit.
pub(super) fn unit(lane: &Lane) -> u32 {
    if !is_uniform(lane) {
        let bytes = [lane.src0, lane.src1, lane.out].iter().any(|dtype| dtype.bits() == 8);
        return if bytes { 4 * memory::GROUP } else { memory::GROUP };
    }
    if narrow_shift(lane) || narrow_division(lane) { 2 * memory::GROUP } else { VECTOR / lane.out.bytes().max(1) }
}

/// Writes one unit of an integer-band or bitvec op on at most 32 bits.
pub(super) fn lower(flow: &mut Flow, lane: &Lane, policy: &Policy) -> Result<(), Reason> {
    let signed = Lanes::signedness(lane);
    let binary = lane.op.arity() == Arity::Binary;
    if !is_uniform(lane) {
        let lanes = Lanes { bits: 32, signed, wraps: false };
        if is_division(lane.op) {
            return Err(Reason::Macro);
        }
        let a = Source::new(flow, Stream::Src0, lane.src0);
        let b = if binary { Some(Source::new(flow, Stream::Src1, lane.src1)) } else { None };
        let mut results = Vec::new();
        for group in 0..memory::groups(flow) {
            let x = a.int(flow, group);
            let y = b.map_or(x, |b| b.int(flow, group));
            results.push(op(flow, lane.op, lanes, x, y, policy)?);
        }
        memory::store_lanes(flow, lane.out, &results);
        return Ok(());
    }
    if narrow_shift(lane) {
        let signed = lane.op == AluOp::ArithShiftRight;
        let a = load_halves(flow, Stream::Src0, lane.src0, signed);
        let b = load_halves(flow, Stream::Src1, lane.src1, false);
        let lanes = Lanes { bits: 16, signed, wraps: true };
        let r = shift(flow, lane.op, lanes, 8, a, b, policy)?;
        store_halves(flow, lane.out, r);
        return Ok(());
    }
    if narrow_division(lane) {
        let a = load_halves(flow, Stream::Src0, lane.src0, signed);
        let b = load_halves(flow, Stream::Src1, lane.src1, signed);
        let r = division(flow, lane.op, Lanes { bits: 16, signed, wraps: true }, a, b, policy)?;
        store_halves(flow, lane.out, r);
        return Ok(());
    }
    let lanes = Lanes { bits: lane.out.bits(), signed, wraps: true };
    let a = memory::load_raw(flow, Stream::Src0, lane.src0, 0);
    let b = if binary { memory::load_raw(flow, Stream::Src1, lane.src1, 0) } else { a };
    let r = op(flow, lane.op, lanes, a, b, policy)?;
    memory::store_raw(flow, lane.out, 0, r);
    Ok(())
}

fn halves(stream: Stream, dtype: Dtype) -> Access {
    Access { stream, offset: 0, bytes: VECTOR / 2, element: dtype.bytes(), lanes_per_element: 1, lane_bits: 16 }
}

/// 32 bytes as 16-bit lanes.
fn load_halves(flow: &mut Flow, stream: Stream, dtype: Dtype, signed: bool) -> Var {
    flow.load(if signed { "LVNX8S_IP" } else { "LVNX8U_IP" }, halves(stream, dtype))
}

fn store_halves(flow: &mut Flow, dtype: Dtype, value: Var) {
    flow.store("SVNX8U_IP", value, halves(Stream::Dst, dtype));
}

fn op(flow: &mut Flow, op: AluOp, lanes: Lanes, a: Var, b: Var, policy: &Policy) -> Result<Var, Reason> {
    use AluOp::*;
    Ok(match op {
        Bypass => a,
        BitwiseNot => flow.op("NOT2NX8", &[a]),
        BitwiseAnd => flow.op("AND2NX8", &[a, b]),
        BitwiseOr => flow.op("OR2NX8", &[a, b]),
        BitwiseXor => flow.op("XOR2NX8", &[a, b]),
        AddInt => flow.op(&lanes.name("ADD"), &[a, b]),
        SubtractInt => flow.op(&lanes.name("SUB"), &[a, b]),
        MultInt | MultUint => multiply(flow, lanes, a, b),
        MaxInt | MaxUint => flow.op(&lanes.signed_name("MAX"), &[a, b]),
        MinInt | MinUint => flow.op(&lanes.signed_name("MIN"), &[a, b]),
        AbsDiffInt if lanes.bits < 32 => flow.op(&lanes.signed_name("ABSSUB"), &[a, b]),
        AbsDiffInt => {
            let larger = flow.op(&lanes.signed_name("MAX"), &[a, b]);
            let smaller = flow.op(&lanes.signed_name("MIN"), &[a, b]);
            flow.op(&lanes.name("SUB"), &[larger, smaller])
        }
        AbsMaxInt | AbsMinInt => extreme(flow, op, lanes, a, b, policy)?,
        IsEqualInt | IsNeInt | IsLtInt | IsLtUint | IsLeInt | IsLeUint | IsGtInt | IsGtUint | IsGeInt | IsGeUint => {
            let (stem, x, y) = match op {
                IsEqualInt => ("EQ", a, b),
                IsNeInt => ("NEQ", a, b),
                IsLtInt | IsLtUint => ("LT", a, b),
                IsLeInt | IsLeUint => ("LE", a, b),
                IsGtInt | IsGtUint => ("LT", b, a),
                _ => ("LE", b, a),
            };
            let name = if matches!(stem, "EQ" | "NEQ") { lanes.name(stem) } else { lanes.signed_name(stem) };
            let p = flow.test(&name, &[x, y]);
            truth(flow, lanes.bits, p)
        }
        DivideInt | DivideUint | Mod | ModInt | ModUint if lanes.bits < 32 => division(flow, op, lanes, a, b, policy)?,
        DivideInt | DivideUint | Mod | ModInt | ModUint => return Err(Reason::Macro),
        _ if op.is_shift() => shift(flow, op, lanes, lanes.bits, a, b, policy)?,
        _ => return Err(Reason::NoSequence),
    })
}

/// 1 where `p` holds, else 0.
pub(super) fn truth(flow: &mut Flow, bits: u32, p: Var) -> Var {
    let (zero, one) = (flow.word(0), flow.lane(bits, 1));
    let r = flow.copy(zero);
    flow.merge(r, one, p);
    r
}

/// The low bits of the product; signedness does not change them.
fn multiply(flow: &mut Flow, lanes: Lanes, a: Var, b: Var) -> Var {
    match lanes.bits {
        8 => {
            let w = flow.wide("MUL2NX8", &[a, b]);
            flow.op("PACKL2NX24", &[w])
        }
        16 => flow.op("MULNX16PACKL", &[a, b]),
        _ => {
            let w = flow.wide("MULN_2X32", &[a, b]);
            flow.op("PACKLN_2X96", &[w])
        }
    }
}

fn extreme(flow: &mut Flow, op: AluOp, lanes: Lanes, a: Var, b: Var, policy: &Policy) -> Result<Var, Reason> {
    if policy.abs_minmax_int != AbsMinMaxInt::Magnitude {
        return Err(Reason::Knob(vq7_policy::Knob::abs_minmax_int));
    }
    if !lanes.signed {
        let stem = if op == AluOp::AbsMaxInt { "MAX" } else { "MIN" };
        return Ok(flow.op(&lanes.signed_name(stem), &[a, b]));
    }
    let (x, y) = (flow.op(&lanes.name("ABS"), &[a]), flow.op(&lanes.name("ABS"), &[b]));
    let stem = if op == AluOp::AbsMaxInt { "MAX" } else { "MIN" };
    // A magnitude that does not wrap is an unsigned number.
    let compared = Lanes { signed: lanes.wraps, ..lanes };
    Ok(flow.op(&compared.signed_name(stem), &[x, y]))
}

/// A shift by the lanes of `count`. `width` is that of the value, at most that of the lane.
fn shift(
    flow: &mut Flow,
    op: AluOp,
    lanes: Lanes,
    width: u32,
    x: Var,
    count: Var,
    policy: &Policy,
) -> Result<Var, Reason> {
    if policy.shift_over != ShiftOver::Flush {
        return Err(Reason::Knob(vq7_policy::Knob::shift_over));
    }
    // The clamp also keeps an unsigned count out of the negative half of the signed amount.
    let limit = flow.lane(lanes.bits, width);
    let n = flow.op(&lanes.name("MINU"), &[count, limit]);
    let stem = match op {
        AluOp::ArithShiftRight => "SRA",
        AluOp::LogicalShiftRight => "SRL",
        _ => "SLL",
    };
    Ok(flow.op(&lanes.name(stem), &[x, n]))
}

/// Quotient or remainder by the chain of four steps, then the answers for a zero divisor and the sign of MOD.
fn division(flow: &mut Flow, op: AluOp, lanes: Lanes, a: Var, b: Var, policy: &Policy) -> Result<Var, Reason> {
    use AluOp::*;
    if policy.int_div_zero != vq7_policy::IntDivZero::Ones {
        return Err(Reason::Knob(vq7_policy::Knob::int_div_zero));
    }
    let sign = if lanes.signed { "S" } else { "U" };
    let (quotient, remainder) = (flow.variable(Bank::Vec), flow.variable(Bank::Vec));
    flow.update_imm(&format!("DIVNX16{sign}_4STEP0"), &[quotient, remainder], &[a, b], 0);
    for _ in 0..2 {
        flow.update_imm(&format!("DIVNX16{sign}_4STEP"), &[quotient, remainder], &[b], 0);
    }
    flow.update_imm(&format!("DIVNX16{sign}_4STEPN"), &[quotient, remainder], &[b], 0);
    let zero = flow.word(0);
    let p = flow.test("EQNX16", &[b, zero]);
    Ok(match op {
        DivideInt | DivideUint => {
            let ones = flow.word(u32::MAX);
            flow.merge(quotient, ones, p);
            quotient
        }
        _ => {
            flow.merge(remainder, a, p);
            if op == Mod && lanes.signed && policy.mod_sign == ModSign::Divisor {
                let t = flow.op("XOR2NX8", &[remainder, b]);
                let p = flow.test("LTNX16", &[t, zero]);
                let q = flow.test("NEQNX16", &[remainder, zero]);
                let p = flow.test("ANDB", &[p, q]);
                let r = flow.copy(remainder);
                flow.update("ADDNX16T", r, &[remainder, b, p]);
                r
            } else {
                remainder
            }
        }
    })
}
