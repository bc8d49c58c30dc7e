//! The engines' gates: who may run a word that is legal in structure. Source: docs/spec/legality.md, "Engine gates".

use super::Engine;
use super::common::*;
use super::rule::{Case, List, Witness, rules};
use super::tensor_tensor::{all_dtypes, dtypes, dtypes_text};
use crate::address::{Location, Memory};
use crate::alu_op::AluOp;
use crate::dtype::Dtype;
use crate::generation::Generation;
use crate::inst::{ExtendedTta, S2s2d2Stt, S3s3d3Tt};
use crate::opcode::{
    CAST, COPY, TENSOR_SCALAR_ARITH_OP, TENSOR_SCALAR_PTR_ARITH_OP, TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP,
};

type Tt<'a> = Case<'a, S3s3d3Tt>;

/// The gate of a tensor-tensor opcode on an engine.
pub(super) fn tensor_tensor<W: Witness>(opcode: u8, engine: Engine) -> &'static List<S3s3d3Tt, W> {
    match (engine, opcode) {
        (Engine::Any, _) => rules![],
        (Engine::Pool, TENSOR_TENSOR_ARITH_OP) => rules![
            "is_s3s3d3_tt_tensors_in_sbuf" => is_s3s3d3_tt_tensors_in_sbuf,
            "is_valid_tensor_tensor_arith_pool" => is_valid_tensor_tensor_arith_pool,
        ],
        (Engine::Pool, TENSOR_TENSOR_BITVEC_OP) => rules![
            "kernel_info_table" => |c, w| kernel_info_table(c, c.generation != Generation::Sunda, c.inst.header.opcode, w),
            "is_s3s3d3_tt_tensors_in_sbuf" => is_s3s3d3_tt_tensors_in_sbuf,
        ],
        (Engine::Pool, _) => rules!["kernel_info_table" => |c, w| kernel_info_table(c, false, c.inst.header.opcode, w)],
        (Engine::Dve, TENSOR_TENSOR_ARITH_OP) => {
            rules!["is_valid_tensor_tensor_arith_dve" => is_valid_tensor_tensor_arith_dve]
        }
        (Engine::Dve, TENSOR_TENSOR_BITVEC_OP) => {
            rules!["is_valid_tensor_tensor_bitvec_dve" => is_valid_tensor_tensor_bitvec_dve]
        }
        (Engine::Dve, _) => rules![],
    }
}

/// The gate of the extended tensor-tensor word: POOL only, and SUNDA's POOL has no row for it.
pub(super) fn extended<W: Witness>(engine: Engine) -> &'static List<ExtendedTta, W> {
    match engine {
        Engine::Any => rules![],
        Engine::Pool => {
            rules!["kernel_info_table" => |c, w| kernel_info_table(c, c.generation != Generation::Sunda, c.inst.header.opcode, w)]
        }
        Engine::Dve => rules!["extended_inst_pool_only" => |c, w| {
            look(w, false, || "opcode".into(), 0, || format!("{:#04x}", c.inst.header.opcode), || "POOL: no other engine takes extended instructions".into(), None)
        }],
    }
}

/// The gate of the words with one source: POOL needs a row in its table and operands in SBUF. None of DVE's is published.
pub(super) fn two_tensors<I: Gated<N>, W: Witness, const N: usize>(engine: Engine) -> &'static List<I, W> {
    match engine {
        Engine::Any | Engine::Dve => rules![],
        Engine::Pool => rules![
            "kernel_info_table" => |c, w| {
                let opcode = c.inst.opcode();
                let has_row = match opcode {
                    TENSOR_SCALAR_ARITH_OP | TENSOR_SCALAR_PTR_ARITH_OP => c.generation == Generation::Sunda,
                    COPY | CAST => true,
                    _ => false,
                };
                kernel_info_table(c, has_row, opcode, w)
            },
            "pool_tensors_in_sbuf" => |c, w| [Slot::Src0, Slot::Dst].into_iter().all(|slot| in_sbuf(c, slot, w)),
        ],
    }
}

/// A struct with one source that has an opcode.
pub(super) trait Gated<const N: usize>: ThreeTensors<N> + 'static {
    fn opcode(&self) -> u8;
}

impl Gated<3> for crate::inst::S3d3Ts {
    fn opcode(&self) -> u8 {
        self.header.opcode
    }
}

impl Gated<4> for crate::inst::S4d4Tr {
    fn opcode(&self) -> u8 {
        self.header.opcode
    }
}

/// The gate of scalar-tensor-tensor and scan: POOL's table has no row for them anywhere. None of DVE's is published.
pub(super) fn no_pool_row<W: Witness>(engine: Engine) -> &'static List<S2s2d2Stt, W> {
    match engine {
        Engine::Any | Engine::Dve => rules![],
        Engine::Pool => {
            rules!["kernel_info_table" => |c, w| kernel_info_table(c, false, c.inst.header.opcode, w)]
        }
    }
}

/// Whether POOL's kernel table has a row for the opcode. The name is that of the firmware's table.
fn kernel_info_table<I, W: Witness>(case: &Case<'_, I>, has_row: bool, opcode: u8, witness: &mut W) -> bool {
    look(
        witness,
        has_row,
        || "opcode".into(),
        0,
        || format!("{opcode:#04x}"),
        || format!("an opcode with a row in POOL's kernel table on {}", case.generation.code_name()),
        None,
    )
}

/// POOL cannot reach PSUM. An address from a register is not known here.
fn is_s3s3d3_tt_tensors_in_sbuf<W: Witness>(case: &Tt<'_>, witness: &mut W) -> bool {
    [Slot::Src0, Slot::Src1, Slot::Dst].into_iter().all(|slot| in_sbuf(case, slot, witness))
}

fn in_sbuf<I: ThreeTensors<N>, W: Witness, const N: usize>(case: &Case<'_, I>, slot: Slot, witness: &mut W) -> bool {
    let tensor = case.inst.tensor(slot);
    let start = tensor.pattern.start;
    let in_sbuf = |address| Location::of(address, case.geometry).is_some_and(|place| place.memory == Memory::Sbuf);
    look(
        witness,
        start.immediate_address().is_none_or(in_sbuf),
        || format!("{}.start_addr", tensor.name),
        tensor.offset,
        || address_text(start, case.geometry),
        || "an address inside SBUF: POOL cannot reach PSUM".into(),
        None,
    )
}

/// Records the op and the three dtypes, which the gates judge together.
fn look_at_op_and_dtypes<W: Witness>(tt: &S3s3d3Tt, passed: bool, expected: &str, witness: &mut W) -> bool {
    let value = || format!("{}, {}", op_text(tt.op), dtypes_text(tt));
    look(witness, passed, || "op and dtypes".into(), S3s3d3Tt::DTYPES_OFFSET, value, || expected.into(), None)
}

/// POOL takes POW, base ADD, SUBTRACT and MULT, and the integer band on three 32-bit or three 64-bit integers.
fn is_valid_tensor_tensor_arith_pool<W: Witness>(case: &Tt<'_>, witness: &mut W) -> bool {
    let tt = case.inst;
    let passed = AluOp::from_code(tt.op).is_some_and(|op| {
        matches!(op, AluOp::Pow | AluOp::Add | AluOp::Subtract | AluOp::Mult)
            || op.is_int_aluop() && (all_dtypes(tt, Dtype::is_32bit_int) || all_dtypes(tt, Dtype::is_64bit_int))
    });
    look_at_op_and_dtypes(
        tt,
        passed,
        "POW, ADD, SUBTRACT or MULT, or an integer-band op on three 32-bit or three 64-bit integers",
        witness,
    )
}

/// DVE takes the base band but POW, and no 64-bit integer.
fn is_valid_tensor_tensor_arith_dve<W: Witness>(case: &Tt<'_>, witness: &mut W) -> bool {
    let tt = case.inst;
    let passed = AluOp::from_code(tt.op).is_some_and(|op| op != AluOp::Pow && !op.is_int_aluop()) && !has_64bit(tt);
    look_at_op_and_dtypes(tt, passed, "a base-band op other than POW, and no 64-bit integer", witness)
}

/// DVE's side of the bitvec opcode is not published; the struct's header allows 64-bit integers on POOL only.
fn is_valid_tensor_tensor_bitvec_dve<W: Witness>(case: &Tt<'_>, witness: &mut W) -> bool {
    let tt = case.inst;
    look_at_op_and_dtypes(tt, !has_64bit(tt), "no 64-bit integer: the 64-bit path is POOL's", witness)
}

fn has_64bit(tt: &S3s3d3Tt) -> bool {
    dtypes(tt).into_iter().flatten().any(Dtype::is_64bit_int)
}
