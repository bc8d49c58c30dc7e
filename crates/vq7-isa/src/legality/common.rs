//! Checks that several instructions share: header, events, dtypes, addresses, counts, channels, partitions.

use super::rule::{Case, Seen, Witness};
use crate::address::{Addr4, Location, Marker, Memory};
use crate::alu_op::AluOp;
use crate::dtype::Dtype;
use crate::generation::{Generation, Geometry, PARTITIONS, QUADRANT};
use crate::header::{Events, Header, LENGTH_UNITS, UpdateMode, WaitMode};
use crate::inst::{ExtendedTta, S2s2d2Stt, S3d3Ts, S3s3d3Tt, S4d4Tr};
use crate::opcode::{self, Opcode};
use crate::pattern::Pattern;
use vq7_policy::StartPartition;

pub(super) const HEADER_RULE: &str = "has_valid_neuron_header";

/// One of the three tensors of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Src0,
    Src1,
    Dst,
}

/// A tensor of a word with its place in the word.
pub(super) struct Tensor<'a, const N: usize> {
    pub name: &'static str,
    pub pattern: &'a Pattern<N>,
    pub offset: usize,
    pub dtype: u8,
    pub dtype_offset: usize,
    pub is_write: bool,
}

/// A struct with two sources and a destination of `N` dimensions.
pub(super) trait ThreeTensors<const N: usize> {
    fn tensor(&self, slot: Slot) -> Tensor<'_, N>;
}

/// Builds the view of one tensor; both wire structs spell their fields and offsets alike.
macro_rules! three_tensors {
    ($struct:ident, $dims:literal) => {
        impl ThreeTensors<$dims> for $struct {
            fn tensor(&self, slot: Slot) -> Tensor<'_, $dims> {
                let (name, pattern, offset, dtype, dtype_offset) = match slot {
                    Slot::Src0 => ("src0", &self.src0, Self::SRC0_OFFSET, self.src0_dtype, Self::DTYPES_OFFSET),
                    Slot::Src1 => ("src1", &self.src1, Self::SRC1_OFFSET, self.src1_dtype, Self::DTYPES_OFFSET),
                    Slot::Dst => ("dst", &self.dst, Self::DST_OFFSET, self.out_dtype, Self::OUT_DTYPE_OFFSET),
                };
                Tensor { name, pattern, offset, dtype, dtype_offset, is_write: slot == Slot::Dst }
            }
        }
    };
}
three_tensors!(S3s3d3Tt, 3);
three_tensors!(ExtendedTta, 2);
three_tensors!(S2s2d2Stt, 2);

/// The same of a struct with one source, which stands for both.
macro_rules! two_tensors {
    ($struct:ident, $dims:literal) => {
        impl ThreeTensors<$dims> for $struct {
            fn tensor(&self, slot: Slot) -> Tensor<'_, $dims> {
                let (name, pattern, offset, dtype, dtype_offset) = match slot {
                    Slot::Src0 | Slot::Src1 => {
                        ("src", &self.src, Self::SRC_OFFSET, self.in_dtype, Self::IN_DTYPE_OFFSET)
                    }
                    Slot::Dst => ("dst", &self.dst, Self::DST_OFFSET, self.out_dtype, Self::OUT_DTYPE_OFFSET),
                };
                Tensor { name, pattern, offset, dtype, dtype_offset, is_write: slot == Slot::Dst }
            }
        }
    };
}
two_tensors!(S3d3Ts, 3);
two_tensors!(S4d4Tr, 4);

/// A struct that says how many channels take part.
pub(super) trait Channels {
    /// The count, and its byte.
    fn channels(&self) -> (u8, usize);
}

macro_rules! channels {
    ($($struct:ident),*) => {$(
        impl Channels for $struct {
            fn channels(&self) -> (u8, usize) {
                (self.num_active_channels, Self::CHANNELS_OFFSET)
            }
        }
    )*};
}
channels!(S3s3d3Tt, S3d3Ts, S2s2d2Stt, S4d4Tr);

/// Records one look and returns whether it was as expected.
pub(super) fn look<W: Witness>(
    witness: &mut W,
    passed: bool,
    field: impl FnOnce() -> String,
    offset: usize,
    value: impl FnOnce() -> String,
    expected: impl FnOnce() -> String,
    inner: Option<&'static str>,
) -> bool {
    witness.record(|| Seen { field: field(), offset, value: value(), expected: expected(), inner, passed });
    passed
}

/// `has_valid_neuron_header`: opcode in the generation's enum, length byte 16 (0x11 only for QUANTIZE_MX).
pub(super) fn has_valid_neuron_header<W: Witness>(header: &Header, generation: Generation, witness: &mut W) -> bool {
    let Header { opcode, inst_word_len, .. } = *header;
    let known = Opcode::is_valid(opcode, generation);
    let name = || Opcode::from_code(opcode).map_or("not an opcode", |row| row.name);
    let long = inst_word_len == LENGTH_UNITS + 1 && opcode == opcode::QUANTIZE_MX;
    look(
        witness,
        known,
        || "opcode".into(),
        0,
        || format!("{opcode:#04x} ({})", name()),
        || format!("an opcode of {}", generation.code_name()),
        Some("is_valid_enum"),
    ) && look(
        witness,
        inst_word_len == LENGTH_UNITS || long,
        || "inst_word_len".into(),
        1,
        || format!("{inst_word_len:#04x}"),
        || "0x10: 16 units of 4 bytes".into(),
        Some("has_valid_inst_len"),
    )
}

/// `has_valid_neuron_events`: both modes in the generation's enum. The body of the update consistency check is not
/// published and counts as true.
pub(super) fn has_valid_neuron_events<W: Witness>(events: &Events, generation: Generation, witness: &mut W) -> bool {
    let Events { wait_mode, update_mode, .. } = *events;
    let name = |row: Option<&'static str>| row.unwrap_or("not a mode");
    look(
        witness,
        WaitMode::is_valid(wait_mode, generation),
        || "wait_mode".into(),
        4,
        || format!("{wait_mode:#04x} ({})", name(WaitMode::from_code(wait_mode).map(|mode| mode.name))),
        || format!("a wait mode of {}", generation.code_name()),
        Some("valid_event_modes"),
    ) && look(
        witness,
        UpdateMode::is_valid(update_mode, generation),
        || "update_mode".into(),
        6,
        || format!("{update_mode:#04x} ({})", name(UpdateMode::from_code(update_mode).map(|mode| mode.name))),
        || format!("an update mode of {}", generation.code_name()),
        Some("valid_event_modes"),
    )
}

/// A dtype code as reports print it.
pub(super) fn dtype_text(code: u8) -> String {
    match Dtype::from_code(code) {
        Some(dtype) => format!("{code:#04x} ({dtype})"),
        None if code == 0 => "0x00 (INVALID)".into(),
        None => format!("{code:#04x} (not a dtype)"),
    }
}

/// An op code as reports print it.
pub(super) fn op_text(code: u8) -> String {
    match AluOp::from_code(code) {
        Some(op) => format!("{code:#04x} ({})", op.header_name()),
        None => format!("{code:#04x} (not an op)"),
    }
}

/// Which dtypes an operand may have beyond the plain ones.
#[derive(Clone, Copy)]
pub(super) struct DtypePermissions {
    pub fp32r: bool,
    pub int64: bool,
}

/// `is_valid_dtype` (`int64` false) and `is_valid_dtype_64`: not INVALID; FP32R and the 64-bit integers only where
/// permitted; in the enum; and one of the codes that tensor-tensor can hold.
pub(super) fn is_valid_dtype<W: Witness, const N: usize>(
    tensor: &Tensor<'_, N>,
    permit: DtypePermissions,
    generation: Generation,
    witness: &mut W,
) -> bool {
    let code = tensor.dtype;
    let failed = match Dtype::from_code(code) {
        None if code == 0 => Some("dtype_invalid_check"),
        Some(Dtype::Fp32r) if !permit.fp32r => Some("dtype_fp32r_illegal_check"),
        Some(Dtype::Uint64) if !permit.int64 => Some("dtype_uint64_illegal_check"),
        Some(Dtype::Int64) if !permit.int64 => Some("dtype_int64_illegal_check"),
        Some(dtype) if dtype.in_generation(generation) && dtype.is_tensor_tensor() => None,
        _ => Some("is_valid_enum"),
    };
    let expected = || {
        let refused = match (permit.fp32r, permit.int64) {
            (true, true) => "",
            (false, true) => " other than float32r",
            (true, false) => " of at most 32 bits",
            (false, false) => " of at most 32 bits other than float32r",
        };
        format!("a tensor-tensor dtype{refused}")
    };
    look(
        witness,
        failed.is_none(),
        || format!("{} dtype", tensor.name),
        tensor.dtype_offset,
        || dtype_text(code),
        expected,
        failed,
    )
}

/// `is_valid_enum(AluOp, op)`.
pub(super) fn is_valid_enum<W: Witness>(op: u8, offset: usize, generation: Generation, witness: &mut W) -> bool {
    look(
        witness,
        AluOp::from_code(op).is_some_and(|op| op.in_generation(generation)),
        || "op".into(),
        offset,
        || op_text(op),
        || format!("an op of {}", generation.code_name()),
        None,
    )
}

/// An address as reports print it.
pub(super) fn address_text(start: Addr4, geometry: &Geometry) -> String {
    match start.immediate_address() {
        Some(address) => match Location::of(address, geometry) {
            Some(location) => format!("{address:#x} ({location})"),
            None => format!("{address:#x} (outside SBUF and PSUM)"),
        },
        None => format!("{:#010x} ({})", start.0, start.marker().name()),
    }
}

/// `start_addr_active_channels`: which start partitions a number of channels allows. Register and indirect forms pass;
/// addresses outside both memories and bad channel counts are left to the rules that are about them.
pub(super) fn start_addr_active_channels<I: ThreeTensors<N> + Channels, W: Witness, const N: usize>(
    case: &Case<'_, I>,
    slot: Slot,
    witness: &mut W,
) -> bool {
    let tensor = case.inst.tensor(slot);
    let start = tensor.pattern.start;
    let field = || format!("{}.start_addr", tensor.name);
    start_suits_channels(case, start.immediate_address(), field, tensor.offset, start, witness)
}

/// The rule behind it, for an address of any field of the word.
pub(super) fn start_suits_channels<I: Channels, W: Witness>(
    case: &Case<'_, I>,
    address: Option<u32>,
    field: impl FnOnce() -> String,
    offset: usize,
    shown: Addr4,
    witness: &mut W,
) -> bool {
    let channels = u32::from(case.inst.channels().0);
    let step = match channels {
        _ if case.policy.start_partition == StartPartition::Off => 1,
        1..=32 => QUADRANT,
        33..=64 => 2 * QUADRANT,
        65..=128 => PARTITIONS,
        _ => 1,
    };
    let location = address.and_then(|address| Location::of(address, case.geometry));
    look(
        witness,
        location.is_none_or(|location| location.partition.is_multiple_of(step)),
        field,
        offset,
        || address_text(shown, case.geometry),
        || match step {
            QUADRANT => format!("start partition 0, 32, 64 or 96 for {channels} channels"),
            PARTITIONS => format!("start partition 0 for {channels} channels"),
            1 => "any start partition".into(),
            _ => format!("start partition 0 or 64 for {channels} channels"),
        },
        None,
    )
}

/// Memories that an operand may be in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Sbuf,
    SbufAndPsum,
}

/// `tensorNd_valid`: the start address valid, every count at least 1 unless the shape comes from a register. `bytes` is
/// the element size the operand is validated as; `None` (no such dtype) fails.
pub(super) fn tensor_valid<W: Witness, const N: usize>(
    tensor: &Tensor<'_, N>,
    bytes: Option<u32>,
    reach: Reach,
    geometry: &Geometry,
    witness: &mut W,
) -> bool {
    let start = tensor.pattern.start;
    let field = |what: &str| format!("{}.{what}", tensor.name);
    if start.is_indirect() {
        return look(
            witness,
            true,
            || field("start_addr"),
            tensor.offset,
            || address_text(start, geometry),
            || "indirect: decoded, not validated".into(),
            None,
        );
    }
    if !tensor_start_addr_valid(tensor, bytes, reach, geometry, witness) {
        return false;
    }
    start.shape_from_register()
        || tensor.pattern.num.iter().enumerate().all(|(i, &num)| {
            look(
                witness,
                num >= 1,
                || field(&format!("num[{i}]")),
                tensor.offset + 4 + 2 * (N + i),
                || num.to_string(),
                || "at least 1".into(),
                None,
            )
        })
}

fn tensor_start_addr_valid<W: Witness, const N: usize>(
    tensor: &Tensor<'_, N>,
    bytes: Option<u32>,
    reach: Reach,
    geometry: &Geometry,
    witness: &mut W,
) -> bool {
    let start = tensor.pattern.start;
    let location = start.immediate_address().and_then(|address| Location::of(address, geometry));
    let size = bytes.unwrap_or(0);
    let expected = if start.marker() == Marker::Undefined {
        Err("one of the markers IMM, ADDR_REG, SHAPE_REG, ADDR_SHAPE_REG, INDIRECT_IMM, INDIRECT_REG")
    } else if start.is_register() {
        start.register().map(|_| ()).ok_or("a register below 64 with bytes 1 and 2 zero")
    } else if size == 0 || !start.payload().is_multiple_of(size) {
        Err("aligned to the element size")
    } else {
        match location.map(|location| location.memory) {
            None => Err("an address inside SBUF or PSUM"),
            Some(Memory::Psum) if reach == Reach::Sbuf => Err("an address inside SBUF"),
            Some(Memory::Psum) if tensor.is_write && size != 4 => Err("a 4-byte dtype for a write into PSUM"),
            Some(_) => Ok(()),
        }
    };
    look(
        witness,
        expected.is_ok(),
        || format!("{}.start_addr", tensor.name),
        tensor.offset,
        || format!("{} with {size}-byte elements", address_text(start, geometry)),
        || expected.err().unwrap_or("aligned and inside a memory").into(),
        Some("tensor_start_addr_valid"),
    )
}

/// Bytes of the elements of a dtype code; `None` for codes that no tensor-tensor operand holds.
pub(super) fn element_bytes(code: u8) -> Option<u32> {
    Dtype::from_code(code).filter(|dtype| dtype.is_tensor_tensor()).map(Dtype::bytes)
}

/// `..._src_element_cnt_check` and `..._dst_element_cnt_check`: as many elements in `other` as in src0. Skipped when
/// either shape is not in the word.
pub(super) fn same_element_count<I: ThreeTensors<N>, W: Witness, const N: usize>(
    inst: &I,
    other: Slot,
    witness: &mut W,
) -> bool {
    let (src0, other) = (inst.tensor(Slot::Src0), inst.tensor(other));
    if !src0.pattern.start.has_static_shape() || !other.pattern.start.has_static_shape() {
        return true;
    }
    let (expected, elements) = (src0.pattern.elements(), other.pattern.elements());
    look(
        witness,
        expected == elements,
        || format!("{}.num", other.name),
        other.offset + 4 + 2 * N,
        || format!("{:?} = {elements} elements", other.pattern.num),
        || format!("{expected} elements, as {} {:?} has", src0.name, src0.pattern.num),
        None,
    )
}

/// `check_active_channels`: 1 to 128.
pub(super) fn check_active_channels<I: Channels, W: Witness>(case: &Case<'_, I>, witness: &mut W) -> bool {
    let (channels, offset) = case.inst.channels();
    look(
        witness,
        (1..=PARTITIONS).contains(&u32::from(channels)),
        || "num_active_channels".into(),
        offset,
        || channels.to_string(),
        || "1 to 128".into(),
        None,
    )
}

/// `tt_valid_partitions`: two SBUF sources start in the same quadrant window; one source in PSUM and one in SBUF pass;
/// two in PSUM fail; a source whose address is not in the word passes.
pub(super) fn tt_valid_partitions<I: ThreeTensors<N>, W: Witness, const N: usize>(
    case: &Case<'_, I>,
    witness: &mut W,
) -> bool {
    let offset = case.inst.tensor(Slot::Src0).offset;
    let [src0, src1] = [Slot::Src0, Slot::Src1].map(|slot| case.inst.tensor(slot).pattern.start);
    let (Some(first), Some(second)) = (src0.immediate_address(), src1.immediate_address()) else {
        return true;
    };
    let locations = (Location::of(first, case.geometry), Location::of(second, case.geometry));
    let passed = match locations {
        (Some(a), Some(b)) => match (a.memory, b.memory) {
            (Memory::Sbuf, Memory::Sbuf) => {
                let window = a.quadrant_window(case.geometry);
                window.is_some() && window == b.quadrant_window(case.geometry)
            }
            (Memory::Psum, Memory::Psum) => false,
            _ => true,
        },
        _ => false,
    };
    look(
        witness,
        passed,
        || "src0.start_addr and src1.start_addr".into(),
        offset,
        || format!("{} and {}", address_text(src0, case.geometry), address_text(src1, case.geometry)),
        || "both in the first partition of the same SBUF quadrant, or one of them in PSUM".into(),
        None,
    )
}

/// `s3s3d3_tt_is_zero_op`: BYPASS.
pub(super) fn s3s3d3_tt_is_zero_op<W: Witness>(case: &Case<'_, S3s3d3Tt>, witness: &mut W) -> bool {
    let op = case.inst.op;
    look(
        witness,
        op == AluOp::Bypass.code(),
        || "op".into(),
        S3s3d3Tt::OP_OFFSET,
        || op_text(op),
        || "0x00 (BYPASS)".into(),
        None,
    )
}

/// `tensorNd_valid` of one operand: SBUF and PSUM allowed, its own dtype.
pub(super) fn tensor_anywhere_valid<I: ThreeTensors<N>, W: Witness, const N: usize>(
    case: &Case<'_, I>,
    slot: Slot,
    witness: &mut W,
) -> bool {
    let tensor = case.inst.tensor(slot);
    tensor_valid(&tensor, element_bytes(tensor.dtype), Reach::SbufAndPsum, case.geometry, witness)
}
