//! The integer band and the bitvec ops on 64 bits, as low and high words of 16 elements.
//! Sequences: docs/spec/iss-lowering.md, "64 bits".

use super::Reason;
use super::flow::{Flow, Stream, Var};
use super::integer::{self, Lanes};
use super::memory::{self, Source};
use vq7_isa::AluOp;
use vq7_isa::alu_op::Arity;
use vq7_num::Lane;
use vq7_policy::{AbsMinMaxInt, Knob, Policy, ShiftOver};

/// Low and high words.
type Pair = (Var, Var);

/// Bitwise ops and BYPASS do not look at what the bits mean: they take 64-byte vectors as they are.
fn is_bits(op: AluOp) -> bool {
    use AluOp::*;
    matches!(op, Bypass | BitwiseNot | BitwiseAnd | BitwiseOr | BitwiseXor)
}

/// Elements of a unit.
pub(super) fn unit(lane: &Lane) -> u32 {
    match () {
        () if is_bits(lane.op) => memory::GROUP / 2,
        () if [lane.src0, lane.src1, lane.out].iter().any(|dtype| dtype.bits() == 8) => 4 * memory::GROUP,
        () => memory::GROUP,
    }
}

/// Writes one unit of an op with a 64-bit operand.
pub(super) fn lower(flow: &mut Flow, lane: &Lane, policy: &Policy) -> Result<(), Reason> {
    let binary = lane.op.arity() == Arity::Binary;
    if is_bits(lane.op) {
        let a = memory::load_raw(flow, Stream::Src0, lane.src0, 0);
        let b = if binary { memory::load_raw(flow, Stream::Src1, lane.src1, 0) } else { a };
        let r = match lane.op {
            AluOp::BitwiseNot => flow.op("NOT2NX8", &[a]),
            AluOp::BitwiseAnd => flow.op("AND2NX8", &[a, b]),
            AluOp::BitwiseOr => flow.op("OR2NX8", &[a, b]),
            AluOp::BitwiseXor => flow.op("XOR2NX8", &[a, b]),
            _ => a,
        };
        memory::store_raw(flow, lane.out, 0, r);
        return Ok(());
    }
    if integer::is_division(lane.op) {
        return Err(Reason::Macro);
    }
    let uniform = [lane.src0, lane.src1, lane.out].iter().all(|dtype| dtype.bits() == 64);
    let lanes = Lanes { bits: 64, signed: Lanes::signedness(lane), wraps: uniform };
    let a = Source::new(flow, Stream::Src0, lane.src0);
    let b = if binary { Some(Source::new(flow, Stream::Src1, lane.src1)) } else { None };
    let mut results = Vec::new();
    for group in 0..memory::groups(flow) {
        let x = memory::load_pair(flow, &a, group);
        results.push(match b {
            Some(counts) if lane.op.is_shift() => {
                let count = count(flow, lane, &counts, group);
                shift(flow, lane.op, x, count, policy)?
            }
            Some(b) => {
                let y = memory::load_pair(flow, &b, group);
                op(flow, lane.op, lanes, x, y, policy)?
            }
            None => op(flow, lane.op, lanes, x, x, policy)?,
        });
    }
    memory::store_pairs(flow, lane.out, &results);
    Ok(())
}

fn op(flow: &mut Flow, op: AluOp, lanes: Lanes, a: Pair, b: Pair, policy: &Policy) -> Result<Pair, Reason> {
    use AluOp::*;
    let (signed, unsigned) = (lanes.signed, !lanes.signed);
    Ok(match op {
        AddInt => add(flow, a, b),
        SubtractInt => subtract(flow, a, b),
        MultInt | MultUint => multiply(flow, a, b),
        MaxInt | MaxUint => choose(flow, a, b, |flow| less(flow, b, a, signed)),
        MinInt | MinUint => choose(flow, a, b, |flow| less(flow, a, b, signed)),
        AbsDiffInt => {
            let p = less(flow, a, b, signed);
            let larger = selected(flow, a, b, p);
            let smaller = selected(flow, b, a, p);
            subtract(flow, larger, smaller)
        }
        AbsMaxInt | AbsMinInt => {
            if policy.abs_minmax_int != AbsMinMaxInt::Magnitude {
                return Err(Reason::Knob(Knob::abs_minmax_int));
            }
            let (x, y) = if unsigned { (a, b) } else { (magnitude(flow, a), magnitude(flow, b)) };
            // A magnitude that does not wrap is an unsigned number.
            let compared = signed && lanes.wraps;
            match op {
                AbsMaxInt => choose(flow, x, y, |flow| less(flow, y, x, compared)),
                _ => choose(flow, x, y, |flow| less(flow, x, y, compared)),
            }
        }
        IsEqualInt => {
            let p = equal(flow, a, b);
            truth(flow, p)
        }
        IsNeInt => {
            let p = equal(flow, a, b);
            let p = flow.test("NOTB", &[p]);
            truth(flow, p)
        }
        IsLtInt | IsLtUint => {
            let p = less(flow, a, b, signed);
            truth(flow, p)
        }
        IsGtInt | IsGtUint => {
            let p = less(flow, b, a, signed);
            truth(flow, p)
        }
        IsGeInt | IsGeUint => {
            let p = less(flow, a, b, signed);
            let p = flow.test("NOTB", &[p]);
            truth(flow, p)
        }
        IsLeInt | IsLeUint => {
            let p = less(flow, b, a, signed);
            let p = flow.test("NOTB", &[p]);
            truth(flow, p)
        }
        _ => return Err(Reason::NoSequence),
    })
}

fn truth(flow: &mut Flow, p: Var) -> Pair {
    (integer::truth(flow, 32, p), flow.word(0))
}

fn add(flow: &mut Flow, (al, ah): Pair, (bl, bh): Pair) -> Pair {
    let l = flow.op("ADDN_2X32", &[al, bl]);
    let carry = flow.test("LTUN_2X32", &[l, al]);
    let h = flow.op("ADDN_2X32", &[ah, bh]);
    let one = flow.word(1);
    flow.update("ADDN_2X32T", h, &[h, one, carry]);
    (l, h)
}

fn subtract(flow: &mut Flow, (al, ah): Pair, (bl, bh): Pair) -> Pair {
    let l = flow.op("SUBN_2X32", &[al, bl]);
    let borrow = flow.test("LTUN_2X32", &[al, bl]);
    let h = flow.op("SUBN_2X32", &[ah, bh]);
    let one = flow.word(1);
    flow.update("SUBN_2X32T", h, &[h, one, borrow]);
    (l, h)
}

/// Adding the sign bit of one factor to the other's high word turns the signed product of the low words into the
/// unsigned one.
fn multiply(flow: &mut Flow, (al, ah): Pair, (bl, bh): Pair) -> Pair {
    let w = flow.wide("MULN_2X32", &[al, bl]);
    let x = flow.op_imm("SRLIN_2X32", al, 31);
    let x = flow.op("ADDN_2X32", &[ah, x]);
    let y = flow.op_imm("SRLIN_2X32", bl, 31);
    let y = flow.op("ADDN_2X32", &[bh, y]);
    let z = flow.wide("MULN_2X32", &[al, y]);
    flow.update("MULAN_2X32", z, &[bl, x]);
    let l = flow.op("PACKLN_2X96", &[w]);
    let h = flow.op("PACKHN_2X64W", &[w]);
    let cross = flow.op("PACKLN_2X96", &[z]);
    (l, flow.op("ADDN_2X32", &[h, cross]))
}

/// The high words decide, the low words break ties.
fn less(flow: &mut Flow, (al, ah): Pair, (bl, bh): Pair, signed: bool) -> Var {
    let p = flow.test(if signed { "LTN_2X32" } else { "LTUN_2X32" }, &[ah, bh]);
    let q = flow.test("EQN_2X32", &[ah, bh]);
    let t = flow.test("LTUN_2X32", &[al, bl]);
    let q = flow.test("ANDB", &[q, t]);
    flow.test("ORB", &[p, q])
}

fn equal(flow: &mut Flow, (al, ah): Pair, (bl, bh): Pair) -> Var {
    let p = flow.test("EQN_2X32", &[al, bl]);
    let q = flow.test("EQN_2X32", &[ah, bh]);
    flow.test("ANDB", &[p, q])
}

/// `a` where the test holds, else `b`.
fn choose(flow: &mut Flow, a: Pair, b: Pair, test: impl FnOnce(&mut Flow) -> Var) -> Pair {
    let p = test(flow);
    selected(flow, b, a, p)
}

/// `otherwise`, or `chosen` where `p` holds.
fn selected(flow: &mut Flow, otherwise: Pair, chosen: Pair, p: Var) -> Pair {
    let l = flow.copy(otherwise.0);
    flow.merge(l, chosen.0, p);
    let h = flow.copy(otherwise.1);
    flow.merge(h, chosen.1, p);
    (l, h)
}

fn magnitude(flow: &mut Flow, (al, ah): Pair) -> Pair {
    let s = flow.op_imm("SRAIN_2X32", ah, 31);
    let l = flow.op("XOR2NX8", &[al, s]);
    let h = flow.op("XOR2NX8", &[ah, s]);
    let m = flow.op_imm("SRLIN_2X32", ah, 31);
    let l = flow.op("ADDN_2X32", &[l, m]);
    let carry = flow.test("LTUN_2X32", &[l, m]);
    let one = flow.word(1);
    flow.update("ADDN_2X32T", h, &[h, one, carry]);
    (l, h)
}

/// The counts of a shift, none larger than 64 that was not.
fn count(flow: &mut Flow, lane: &Lane, counts: &Source, group: u32) -> Var {
    if lane.src1.bits() < 64 {
        return counts.int(flow, group);
    }
    let (low, high) = memory::load_pair(flow, counts, group);
    let (zero, most) = (flow.word(0), flow.word(64));
    let p = flow.test("NEQN_2X32", &[high, zero]);
    flow.merge(low, most, p);
    low
}

/// The amounts of the lane shifts are signed: a negative one shifts the other way, and 64 reads as -64, which clears.
fn shift(flow: &mut Flow, op: AluOp, (al, ah): Pair, count: Var, policy: &Policy) -> Result<Pair, Reason> {
    if policy.shift_over != ShiftOver::Flush {
        return Err(Reason::Knob(Knob::shift_over));
    }
    let arithmetic = op == AluOp::ArithShiftRight;
    let limit = flow.word(if arithmetic { 63 } else { 64 });
    let n = flow.op("MINUN_2X32", &[count, limit]);
    let word = flow.word(32);
    let m = flow.op("SUBN_2X32", &[word, n]);
    if matches!(op, AluOp::LogicalShiftLeft | AluOp::ArithShiftLeft) {
        let l = flow.op("SLLN_2X32", &[al, n]);
        let stays = flow.op("SLLN_2X32", &[ah, n]);
        let crosses = flow.op("SRLN_2X32", &[al, m]);
        return Ok((l, flow.op("OR2NX8", &[stays, crosses])));
    }
    let h = flow.op(if arithmetic { "SRAN_2X32" } else { "SRLN_2X32" }, &[ah, n]);
    let stays = flow.op("SRLN_2X32", &[al, n]);
    let crosses = flow.op("SLLN_2X32", &[ah, m]);
    let l = flow.op("OR2NX8", &[stays, crosses]);
    if arithmetic {
        let p = flow.test("LTUN_2X32", &[word, n]);
        let beyond = flow.op("SUBN_2X32", &[n, word]);
        let t = flow.op("SRAN_2X32", &[ah, beyond]);
        flow.merge(l, t, p);
    }
    Ok((l, h))
}
