//! The tensor-scalar opcodes of S3D3_TS: 0x43 and 0x53, and 0x44 and 0x54 whose scalars are pointers.
//! Source: docs/spec/scalar-forms.md, "0x43, 0x53, 0x44, 0x54".

use super::common::*;
use super::rule::{self, Case, Rules, Witness, rules};
use super::scalars::*;
use super::{OpenQuestion, Status};
use crate::alu_op::AluOp;
use crate::dtype::Dtype;
use crate::generation::Generation;
use crate::inst::S3d3Ts;

type Ts<'a> = Case<'a, S3d3Ts>;
type List<W> = &'static rule::List<S3d3Ts, W>;

const SRC: DtypePermissions = DtypePermissions { fp32r: false, int64: false };
const OUT: DtypePermissions = DtypePermissions { fp32r: true, int64: false };

/// The rules in the header's order. From MARIANA on the patterns are unions, and their rules have names of their own.
pub(super) fn rules<W: Witness>(word: &S3d3Ts, generation: Generation) -> Rules<S3d3Ts, W> {
    match (word.takes_pointers(), generation) {
        (false, Generation::Sunda | Generation::Cayman) => arm::<W, false, false>(),
        (false, _) => arm::<W, false, true>(),
        (true, Generation::Sunda | Generation::Cayman) => arm::<W, true, false>(),
        (true, _) => arm::<W, true, true>(),
    }
}

const fn arm<W: Witness, const POINTERS: bool, const UNIONS: bool>() -> Rules<S3d3Ts, W> {
    const { &[head(), if POINTERS { pointers() } else { immediates() }, middle(), tensors::<W, UNIONS>()] }
}

const fn head<W: Witness>() -> List<W> {
    rules![
        HEADER_RULE => |c, w| has_valid_neuron_header(&c.inst.header, c.generation, w),
        "has_valid_neuron_events" => |c, w| has_valid_neuron_events(&c.inst.events, c.generation, w),
        "tensor_scalar_valid_ops" => tensor_scalar_valid_ops,
        "tensor_scalar_valid_types" => tensor_scalar_valid_types,
    ]
}

const fn immediates<W: Witness>() -> List<W> {
    rules!["tensor_scalar_immediates_check" => tensor_scalar_immediates_check]
}

const fn pointers<W: Witness>() -> List<W> {
    rules![
        "tensor_scalar_ptr_immediates" => |c, w| scalars(c.inst).iter().all(|scalar| pointer_valid(c, scalar, alignment(c.inst), w)),
        "tensor_scalar_ptr_imm_src" => tensor_scalar_ptr_imm_src,
    ]
}

const fn middle<W: Witness>() -> List<W> {
    rules![
        "tensor_scalar_shift_chk" => tensor_scalar_shift_chk,
        "tensor_scalar_tensor_chk" => |c, w| same_element_count(c.inst, Slot::Dst, w),
        "tensor_scalar_reverse_chk" => |c, w| reverse_in_enum(c.inst.reverse, S3d3Ts::REVERSE_OFFSET, w),
        "s3d3_ts_reserved_zero" => |c, w| all_zero("reserved", &c.inst.reserved, S3d3Ts::RESERVED_OFFSET, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src0), SRC, c.generation, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Dst), OUT, c.generation, w),
        "has_zero_accum_cmd_field" => |c, w| all_zero("accumulator_cmd", &[c.inst.accumulator], S3d3Ts::ACCUMULATOR_OFFSET, w),
        "has_valid_active_channel_range" => check_active_channels,
    ]
}

const fn tensors<W: Witness, const UNIONS: bool>() -> List<W> {
    rules![
        if UNIONS { "check_m3d_active_channels" } else { "start_addr_active_channels" } => |c, w| start_addr_active_channels(c, Slot::Src0, w),
        if UNIONS { "check_m3d_active_channels" } else { "start_addr_active_channels" } => |c, w| start_addr_active_channels(c, Slot::Dst, w),
        if UNIONS { "mem3d_valid" } else { "tensor3d_valid" } => |c, w| tensor_anywhere_valid(c, Slot::Src0, w),
        if UNIONS { "mem3d_valid" } else { "tensor3d_valid" } => |c, w| tensor_anywhere_valid(c, Slot::Dst, w),
    ]
}

fn scalars(ts: &S3d3Ts) -> [Scalar; 2] {
    [
        Scalar { name: "imm0", immediate: ts.imm0, src_offset: S3d3Ts::IMM0_SRC_OFFSET, offset: S3d3Ts::IMM0_OFFSET },
        Scalar { name: "imm1", immediate: ts.imm1, src_offset: S3d3Ts::IMM1_SRC_OFFSET, offset: S3d3Ts::IMM1_OFFSET },
    ]
}

/// Bytes that a pointed-to scalar is aligned to: a float32, or an element of bits.
fn alignment(ts: &S3d3Ts) -> u32 {
    if ts.is_bitvec() { element_bytes(ts.in_dtype).unwrap_or(0) } else { 4 }
}

/// Both ops exist and are of the opcode's class; the second runs only if the first does.
fn tensor_scalar_valid_ops<W: Witness>(case: &Ts<'_>, witness: &mut W) -> bool {
    let ts = case.inst;
    let codes = [(ts.op0, S3d3Ts::OP0_OFFSET), (ts.op1, S3d3Ts::OP1_OFFSET)];
    let ops = codes.map(|(code, _)| AluOp::from_code(code).filter(|op| op.in_generation(case.generation)));
    let both = |predicate: fn(AluOp) -> bool| ops.map(|op| op.is_some_and(predicate));
    let known = ops.map(|op| op.is_some());
    let in_class = if ts.is_bitvec() {
        both(AluOp::is_bitvec)
    } else {
        let integer = |op: AluOp| op.is_int_aluop_dve() || op == AluOp::Bypass;
        let all = |flags: [bool; 2]| flags == [true, true];
        let passed = all(both(AluOp::is_general_arith))
            || is_lone_rsqrt(ts)
            || case.generation == Generation::Maverick && all(both(integer));
        if passed { [true, true] } else { both(AluOp::is_general_arith) }
    };
    let expected = match (ts.is_bitvec(), case.generation) {
        (true, _) => "a bitwise op, a shift, or CRC32",
        (false, Generation::Maverick) => {
            "two general arithmetic ops, two integer ops of DVE's set, or RSQRT with BYPASS and both scalars zero"
        }
        (false, _) => "a general arithmetic op, or RSQRT with BYPASS and both scalars zero",
    };
    let names = ["op0", "op1"];
    names
        .into_iter()
        .zip(codes)
        .zip(known)
        .all(|((name, code), known)| op_in(name, code, known, "an op of the generation", witness))
        && names
            .into_iter()
            .zip(codes)
            .zip(in_class)
            .all(|((name, code), passed)| op_in(name, code, passed, expected, witness))
        && {
            let bypass = AluOp::Bypass.code();
            let passed = ts.op0 != bypass || ts.op1 == bypass;
            op_in("op1", (ts.op1, S3d3Ts::OP1_OFFSET), passed, "BYPASS, as op0 is BYPASS", witness)
        }
}

/// The one way in which RSQRT is admitted.
fn is_lone_rsqrt(ts: &S3d3Ts) -> bool {
    let zero = |immediate: &crate::inst::Immediate| immediate.src == 0 && immediate.bits == 0;
    ts.op0 == AluOp::Rsqrt.code() && ts.op1 == AluOp::Bypass.code() && zero(&ts.imm0) && zero(&ts.imm1)
}

/// Bit patterns have one integer dtype of at most 32 bits.
fn tensor_scalar_valid_types<W: Witness>(case: &Ts<'_>, witness: &mut W) -> bool {
    let ts = case.inst;
    !ts.is_bitvec()
        || look(
            witness,
            ts.in_dtype == ts.out_dtype && Dtype::from_code(ts.in_dtype).is_some_and(Dtype::is_datapath_int),
            || "dtypes".into(),
            S3d3Ts::IN_DTYPE_OFFSET,
            || format!("in {}, out {}", dtype_text(ts.in_dtype), dtype_text(ts.out_dtype)),
            || "one integer dtype of at most 32 bits".into(),
            None,
        )
}

/// Each scalar by its source. In the word a bit pattern fits the dtype; a float32 is free.
fn tensor_scalar_immediates_check<W: Witness>(case: &Ts<'_>, witness: &mut W) -> bool {
    let ts = case.inst;
    scalars(ts).iter().all(|scalar| {
        let bits = if ts.is_bitvec() { Dtype::from_code(ts.in_dtype).map_or(32, Dtype::bits) } else { 32 };
        let inline = |witness: &mut W| {
            look(
                witness,
                u64::from(scalar.immediate.bits) >> bits == 0,
                || scalar.name.into(),
                scalar.offset,
                || format!("{:#010x}", scalar.immediate.bits),
                || format!("{bits} bits"),
                Some("ts_imm_chk"),
            )
        };
        immediate_valid(case, scalar, alignment(ts), inline, witness)
    })
}

/// 0x44 and 0x54 say by their opcode that both scalars are pointers; their source bytes are zero.
fn tensor_scalar_ptr_imm_src<W: Witness>(case: &Ts<'_>, witness: &mut W) -> bool {
    scalars(case.inst).iter().all(|scalar| {
        let src = scalar.immediate.src;
        look(
            witness,
            src == 0,
            || format!("{}_src", scalar.name),
            scalar.src_offset,
            || src.to_string(),
            || "0: the opcode says pointer".into(),
            None,
        )
    })
}

/// A left shift followed by a right shift, and any arithmetic right shift, need four bytes.
fn tensor_scalar_shift_chk<W: Witness>(case: &Ts<'_>, witness: &mut W) -> bool {
    use AluOp::{ArithShiftLeft, ArithShiftRight, LogicalShiftLeft, LogicalShiftRight};
    let ts = case.inst;
    let [op0, op1] = [ts.op0, ts.op1].map(AluOp::from_code);
    let left = matches!(op0, Some(ArithShiftLeft | LogicalShiftLeft));
    let right = matches!(op1, Some(ArithShiftRight | LogicalShiftRight));
    let arithmetic = [op0, op1].contains(&Some(ArithShiftRight));
    let wide = element_bytes(ts.in_dtype) == Some(4);
    look(
        witness,
        wide || !(left && right || arithmetic),
        || "in dtype".into(),
        S3d3Ts::IN_DTYPE_OFFSET,
        || format!("{} with {} then {}", dtype_text(ts.in_dtype), op_text(ts.op0), op_text(ts.op1)),
        || "a 4-byte dtype for left then right, and for an arithmetic right shift".into(),
        None,
    )
}

/// What passes every rule and has no settled result.
pub(super) fn unspecified(ts: &S3d3Ts) -> Option<OpenQuestion> {
    let ops = [ts.op0, ts.op1].map(AluOp::from_code);
    let unspecified = |note| Some(OpenQuestion { status: Status::Unspecified, note });
    if ops.contains(&Some(AluOp::Crc32)) {
        return unspecified("legal in structure, but the parameters of CRC32 are not published");
    }
    if ops.iter().flatten().any(|op| op.is_int_aluop()) {
        return unspecified(
            "legal in structure on MAVERICK, but no source says in which dtype an integer op takes its scalar",
        );
    }
    order_is_open(ts.op0, ts.op1, ts.reversed(), true)
}
