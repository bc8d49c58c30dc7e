//! The opcodes 0x9D, 0x9E and 0xE5 of S2S2D2_STT. Source: docs/spec/scalar-forms.md, "0x9D, 0x9E, 0xE5".

use super::common::*;
use super::rule::{self, Case, Rules, Witness, rules};
use super::scalars::*;
use super::{OpenQuestion, Status};
use crate::alu_op::AluOp;
use crate::dtype::Dtype;
use crate::inst::{ImmSrc, S2s2d2Stt};

type Stt<'a> = Case<'a, S2s2d2Stt>;
type List<W> = &'static rule::List<S2s2d2Stt, W>;

const SRC: DtypePermissions = DtypePermissions { fp32r: false, int64: false };
const OUT: DtypePermissions = DtypePermissions { fp32r: true, int64: false };

pub(super) fn rules<W: Witness>(word: &S2s2d2Stt) -> Rules<S2s2d2Stt, W> {
    if word.is_scan() {
        const { &[head(), scan_ops(), tensors(), scan_accumulator(), tail()] }
    } else {
        const { &[head(), ops(), tensors(), accumulator(), tail()] }
    }
}

const fn head<W: Witness>() -> List<W> {
    rules![
        HEADER_RULE => |c, w| has_valid_neuron_header(&c.inst.header, c.generation, w),
        "has_valid_neuron_events" => |c, w| has_valid_neuron_events(&c.inst.events, c.generation, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src0), SRC, c.generation, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Src1), SRC, c.generation, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&scalar_as_tensor(c.inst), SRC, c.generation, w),
        "is_valid_dtype" => |c, w| is_valid_dtype(&c.inst.tensor(Slot::Dst), OUT, c.generation, w),
        "s2s2d2_stt_imm0_dtype" => s2s2d2_stt_imm0_dtype,
        "is_valid_enum" => |c, w| is_valid_enum(c.inst.op0, S2s2d2Stt::OP0_OFFSET, c.generation, w),
        "is_valid_enum" => |c, w| is_valid_enum(c.inst.op1, S2s2d2Stt::OP1_OFFSET, c.generation, w),
    ]
}

const fn ops<W: Witness>() -> List<W> {
    rules![
        "has_valid_scalar_tensor_tensor_op" => ops_in_class,
        "has_valid_scalar_tensor_tensor_dtypes" => has_valid_scalar_tensor_tensor_dtypes,
        "s2s2d2_stt_src_dst_dtype" => s2s2d2_stt_src_dst_dtype,
    ]
}

const fn scan_ops<W: Witness>() -> List<W> {
    rules!["has_valid_tensor_tensor_scan_op" => ops_in_class]
}

const fn tensors<W: Witness>() -> List<W> {
    rules![
        "has_valid_s2s2d2_stt_immediate" => has_valid_s2s2d2_stt_immediate,
        "start_addr_active_channels" => |c, w| start_addr_active_channels(c, Slot::Src0, w),
        "start_addr_active_channels" => |c, w| start_addr_active_channels(c, Slot::Src1, w),
        "start_addr_active_channels" => |c, w| start_addr_active_channels(c, Slot::Dst, w),
        "tensor2d_valid" => |c, w| tensor_anywhere_valid(c, Slot::Src0, w),
        "tensor2d_valid" => |c, w| tensor_anywhere_valid(c, Slot::Src1, w),
        "tensor2d_valid" => |c, w| tensor_anywhere_valid(c, Slot::Dst, w),
        "check_active_channels" => check_active_channels,
        "s2s2d2_stt_src_element_cnt_check" => |c, w| same_element_count(c.inst, Slot::Src1, w),
        "s2s2d2_stt_dst_element_cnt_check" => |c, w| same_element_count(c.inst, Slot::Dst, w),
        "tt_valid_partitions" => tt_valid_partitions,
    ]
}

const fn accumulator<W: Witness>() -> List<W> {
    rules!["has_valid_s2s2d2_stt_accum_cmd" => has_valid_s2s2d2_stt_accum_cmd]
}

const fn scan_accumulator<W: Witness>() -> List<W> {
    rules!["has_zero_accum_cmd" => |c, w| all_zero("accumulator_cmd", &[c.inst.accumulator], S2s2d2Stt::ACCUMULATOR_OFFSET, w)]
}

const fn tail<W: Witness>() -> List<W> {
    rules![
        "is_valid_enum" => |c, w| reverse_in_enum(c.inst.reverse, S2s2d2Stt::REVERSE_OFFSET, w),
        "has_s2s2d2_stt_reserved_zero" => |c, w| all_zero("reserved", &c.inst.reserved, S2s2d2Stt::RESERVED_OFFSET, w),
    ]
}

/// The scalar's dtype in the form that the dtype rule takes.
fn scalar_as_tensor(stt: &S2s2d2Stt) -> Tensor<'_, 2> {
    let offset = S2s2d2Stt::IMM0_DTYPE_OFFSET;
    Tensor {
        name: "imm0",
        pattern: &stt.src0,
        offset: S2s2d2Stt::IMM0_OFFSET,
        dtype: stt.imm0_dtype,
        dtype_offset: offset,
        is_write: false,
    }
}

/// In the word an arithmetic scalar is a float32.
fn s2s2d2_stt_imm0_dtype<W: Witness>(case: &Stt<'_>, witness: &mut W) -> bool {
    let stt = case.inst;
    let from_memory = matches!(ImmSrc::from_code(stt.imm0.src), Some(ImmSrc::Pointer | ImmSrc::Register));
    stt.is_bitvec()
        || from_memory
        || look(
            witness,
            stt.imm0_dtype == Dtype::Fp32.code(),
            || "imm0 dtype".into(),
            S2s2d2Stt::IMM0_DTYPE_OFFSET,
            || dtype_text(stt.imm0_dtype),
            || "0x0a (float32) for a scalar in the word".into(),
            None,
        )
}

/// Both ops of the opcode's class.
fn ops_in_class<W: Witness>(case: &Stt<'_>, witness: &mut W) -> bool {
    let stt = case.inst;
    let codes = [("op0", stt.op0, S2s2d2Stt::OP0_OFFSET), ("op1", stt.op1, S2s2d2Stt::OP1_OFFSET)];
    codes.into_iter().all(|(name, code, offset)| {
        let admitted = |op: AluOp| if stt.is_bitvec() { op.is_general_bitvec() } else { op.is_general_arith() };
        let passed = AluOp::from_code(code).is_some_and(admitted);
        let expected = if stt.is_bitvec() { "a bitwise op or a shift, not CRC32" } else { "a general arithmetic op" };
        op_in(name, (code, offset), passed, expected, witness)
    })
}

fn dtypes(stt: &S2s2d2Stt) -> [u8; 4] {
    [stt.src0_dtype, stt.src1_dtype, stt.imm0_dtype, stt.out_dtype]
}

fn look_at_dtypes<W: Witness>(stt: &S2s2d2Stt, passed: bool, expected: &'static str, witness: &mut W) -> bool {
    let text = || {
        let [src0, src1, imm0, out] = dtypes(stt).map(dtype_text);
        format!("src0 {src0}, src1 {src1}, imm0 {imm0}, out {out}")
    };
    look(witness, passed, || "dtypes".into(), S2s2d2Stt::DTYPES_OFFSET, text, || expected.into(), None)
}

/// Bit patterns are integers of at most 32 bits.
fn has_valid_scalar_tensor_tensor_dtypes<W: Witness>(case: &Stt<'_>, witness: &mut W) -> bool {
    let stt = case.inst;
    let integers = dtypes(stt).iter().all(|&code| Dtype::from_code(code).is_some_and(Dtype::is_datapath_int));
    !stt.is_bitvec() || look_at_dtypes(stt, integers, "four integers of at most 32 bits", witness)
}

/// Bit patterns have one dtype.
fn s2s2d2_stt_src_dst_dtype<W: Witness>(case: &Stt<'_>, witness: &mut W) -> bool {
    let stt = case.inst;
    let same = dtypes(stt).iter().all(|&code| code == stt.out_dtype);
    !stt.is_bitvec() || look_at_dtypes(stt, same, "one dtype on sources, scalar and out", witness)
}

/// The scalar by its source; in the word it is free.
fn has_valid_s2s2d2_stt_immediate<W: Witness>(case: &Stt<'_>, witness: &mut W) -> bool {
    let stt = case.inst;
    let scalar = Scalar {
        name: "imm0",
        immediate: stt.imm0,
        src_offset: S2s2d2Stt::IMM0_SRC_OFFSET,
        offset: S2s2d2Stt::IMM0_OFFSET,
    };
    immediate_valid(case, &scalar, element_bytes(stt.imm0_dtype).unwrap_or(0), |_| true, witness)
}

/// Arithmetic may accumulate, bit patterns may not.
fn has_valid_s2s2d2_stt_accum_cmd<W: Witness>(case: &Stt<'_>, witness: &mut W) -> bool {
    let stt = case.inst;
    look(
        witness,
        stt.accumulator == 0 || !stt.is_bitvec() && matches!(stt.accumulator, 2 | 3),
        || "accumulator_cmd".into(),
        S2s2d2Stt::ACCUMULATOR_OFFSET,
        || stt.accumulator.to_string(),
        || if stt.is_bitvec() { "0 idle" } else { "0 idle, 2 accumulate or 3 zero_accumulate" }.into(),
        None,
    )
}

/// What passes every rule and has no settled result.
pub(super) fn unspecified(stt: &S2s2d2Stt) -> Option<OpenQuestion> {
    if stt.accumulator != 0 {
        return Some(OpenQuestion {
            status: Status::Unspecified,
            note: "legal in structure, but no source says what DVE's accumulator holds, nor what the word then writes",
        });
    }
    order_is_open(stt.op0, stt.op1, stt.reversed(), false)
}
