//! Between memory and lanes: loads and stores of every dtype, as float32 lanes, as integers, as halves of 64 bits.
//! Sequences: docs/spec/iss-lowering.md, "Memory to float32 lanes" and "Float32 lanes to memory".
//!
//! A unit of elements is a list of groups, 16 elements each, one 32-bit lane per element.

use super::flow::{Access, Flow, Stream, VECTOR, Var};
use vq7_isa::Dtype;
use vq7_num::Format;
use vq7_policy::{FloatToInt, Fp8Overflow, Fp32r, Policy};

/// Elements of a group.
pub const GROUP: u32 = 16;

fn access(stream: Stream, dtype: Dtype, offset: u32, bytes: u32) -> Access {
    Access { stream, offset, bytes, element: dtype.bytes(), lanes_per_element: 1, lane_bits: 32 }
}

/// Index bytes of a permutation of bytes.
pub(super) fn permutation(flow: &mut Flow, index: impl Fn(usize) -> usize) -> Var {
    flow.bytes(std::array::from_fn(|lane| index(lane) as u8))
}

/// Loads one vector of raw bits, lanes as wide as the elements.
pub(super) fn load_raw(flow: &mut Flow, stream: Stream, dtype: Dtype, vector: u32) -> Var {
    let whole = access(stream, dtype, vector.saturating_mul(VECTOR), VECTOR);
    flow.load(
        "LV2NX8_IP",
        Access { lane_bits: dtype.bits().min(32), lanes_per_element: dtype.bits().div_ceil(32), ..whole },
    )
}

/// Stores one vector of raw bits.
pub(super) fn store_raw(flow: &mut Flow, dtype: Dtype, vector: u32, value: Var) {
    let whole = access(Stream::Dst, dtype, vector.saturating_mul(VECTOR), VECTOR);
    let lanes = Access { lane_bits: dtype.bits().min(32), lanes_per_element: dtype.bits().div_ceil(32), ..whole };
    flow.store("SV2NX8_IP", value, lanes);
}

/// Groups of a unit: bytes come 64 elements at a time, everything else 16.
pub(super) fn groups(flow: &Flow) -> u32 {
    flow.unit / GROUP
}

/// A source whose groups are loaded and widened when they are asked for: what belongs to one group stands together, and few
/// values are alive at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    stream: Stream,
    dtype: Dtype,
    /// The bytes of the whole unit, where elements are bytes.
    bytes: Option<Var>,
}

impl Source {
    pub fn new(flow: &mut Flow, stream: Stream, dtype: Dtype) -> Self {
        let bytes = (dtype.bits() == 8)
            .then(|| flow.load("LV2NX8_IP", Access { lane_bits: 8, ..access(stream, dtype, 0, VECTOR) }));
        Self { stream, dtype, bytes }
    }

    /// The bytes of a group in the top bytes of 32-bit lanes. The other bytes of a lane are copies of byte 0: the shift that
    /// follows drops them, or a mask does.
    fn top_bytes(&self, flow: &mut Flow, bytes: Var, group: u32) -> Var {
        let first = (GROUP * group) as usize;
        let index = permutation(flow, |lane| if lane % 4 == 3 { first + lane / 4 } else { 0 });
        flow.op("SHFL2NX8", &[bytes, index])
    }

    fn halves(&self, flow: &mut Flow, name: &str, group: u32) -> Var {
        flow.load(name, access(self.stream, self.dtype, group * VECTOR / 2, VECTOR / 2))
    }

    /// A group as 32-bit integers, extended as the dtype says.
    pub fn int(&self, flow: &mut Flow, group: u32) -> Var {
        let signed = self.dtype.is_signed_int();
        match (self.bytes, self.dtype.bits()) {
            (Some(bytes), _) => {
                let top = self.top_bytes(flow, bytes, group);
                flow.op_imm(if signed { "SRAIN_2X32" } else { "SRLIN_2X32" }, top, 24)
            }
            (None, 16) => self.halves(flow, if signed { "LVN_2X16S_IP" } else { "LVN_2X16U_IP" }, group),
            _ => load_raw(flow, self.stream, self.dtype, group),
        }
    }

    /// A group as float32.
    pub fn float(&self, flow: &mut Flow, group: u32, policy: &Policy) -> Var {
        match (self.dtype, self.bytes) {
            (Dtype::Fp32 | Dtype::Fp32r, _) => load_raw(flow, self.stream, self.dtype, group),
            (Dtype::Fp16, _) => {
                let half = self.halves(flow, "LVN_2X16U_IP", group);
                flow.op("CVTF32NXF16_0", &[half])
            }
            (Dtype::Bfloat16, _) => {
                let half = self.halves(flow, "LVN_2X16U_IP", group);
                flow.op_imm("SLLIN_2X32", half, 16)
            }
            (dtype, Some(bytes)) if !dtype.is_int() => {
                let top = self.top_bytes(flow, bytes, group);
                widen_fp8(flow, top, Format::of(dtype, policy))
            }
            (dtype, _) => {
                let word = self.int(flow, group);
                let signed = dtype.is_signed_int() || dtype.bits() < 32;
                flow.op_imm(if signed { "FLOATN_2X32" } else { "UFLOATN_2X32" }, word, 0)
            }
        }
    }
}

/// The byte in the top byte of the lane, as a float32: the exponent is moved and rebased by one exact product.
fn widen_fp8(flow: &mut Flow, top: Var, format: Option<&'static Format>) -> Var {
    let (mantissa, bias, special) = match format {
        Some(format) => layout(format),
        None => (0, 0, 0),
    };
    let sign = flow.word(0x8000_0000);
    let magnitude_bits = flow.word(0x7F00_0000);
    let s = flow.op("AND2NX8", &[top, sign]);
    let m = flow.op("AND2NX8", &[top, magnitude_bits]);
    let m = flow.op_imm("SRLIN_2X32", m, i64::from(24 - (23 - mantissa)));
    let scale = flow.word((254 - bias) << 23);
    let y = flow.op("MULN_2XF32", &[m, scale]);
    let first_special = flow.word(special);
    let p = flow.test("LEUN_2X32", &[first_special, m]);
    let ones = flow.word(0x7F80_0000);
    let o = flow.op("OR2NX8", &[m, ones]);
    flow.merge(y, o, p);
    flow.op("OR2NX8", &[y, s])
}

/// Mantissa bits, bias, and the smallest magnitude, in the place that it takes in float32, that is no number.
fn layout(format: &'static Format) -> (u32, u32, u32) {
    let mantissa = format.mantissa_bits;
    let bias = format.bias as u32;
    let exponent_ones = (1u32 << format.exponent_bits) - 1;
    // In the flavour without infinities only the pattern of all ones is a NaN.
    let special = if *format == vq7_num::format::E4M3_FN { 0x7F << (23 - mantissa) } else { exponent_ones << 23 };
    (mantissa, bias, special)
}

/// Stores the low bits of 32-bit lanes as elements of any width up to 32 bits.
pub(super) fn store_lanes(flow: &mut Flow, dtype: Dtype, groups: &[Var]) {
    match (dtype.bits(), groups) {
        (8, [g0, g1, g2, g3]) => {
            let packed = gather_bytes(flow, [*g0, *g1, *g2, *g3]);
            flow.store("SV2NX8_IP", packed, Access { lane_bits: 8, ..access(Stream::Dst, dtype, 0, VECTOR) });
        }
        (16, _) => {
            let store = if dtype.is_signed_int() { "SVN_2X16S_IP" } else { "SVN_2X16U_IP" };
            for (group, &value) in (0..).zip(groups) {
                flow.store(store, value, access(Stream::Dst, dtype, group * VECTOR / 2, VECTOR / 2));
            }
        }
        _ => {
            for (group, &value) in (0..).zip(groups) {
                store_raw(flow, dtype, group, value);
            }
        }
    }
}

/// Byte 0 of each lane of four vectors, side by side.
pub(super) fn gather_bytes(flow: &mut Flow, [g0, g1, g2, g3]: [Var; 4]) -> Var {
    let pairs = permutation(flow, |lane| if lane < 16 { 4 * lane } else { 64 + 4 * (lane % 16) });
    let halves = permutation(flow, |lane| if lane < 32 { lane } else { 64 + lane % 32 });
    let low = flow.op("SEL2NX8", &[g0, g1, pairs]);
    let high = flow.op("SEL2NX8", &[g2, g3, pairs]);
    flow.op("SEL2NX8", &[low, high, halves])
}

/// Float32 lanes as the bits of any dtype of at most 32 bits, in the low bits of the lanes.
pub(super) fn narrow(flow: &mut Flow, x: Var, dtype: Dtype, policy: &Policy) -> Var {
    match dtype {
        Dtype::Fp32 => x,
        Dtype::Fp32r if policy.fp32r == Fp32r::Passthrough => x,
        Dtype::Fp32r => narrow_fp32r(flow, x),
        Dtype::Bfloat16 => narrow_bf16(flow, x),
        Dtype::Fp16 => narrow_fp16(flow, x),
        _ if dtype.is_int() => narrow_int(flow, x, dtype, policy),
        _ => match Format::of(dtype, policy) {
            Some(format) => narrow_fp8(flow, x, format, policy),
            None => x,
        },
    }
}

/// Where `x` is a NaN, `r` becomes `x` with the bits of `quiet` set.
fn keep_nan(flow: &mut Flow, r: Var, x: Var, nan: Var) {
    let p = flow.test("UNN_2XF32", &[x, x]);
    flow.merge(r, nan, p);
}

fn narrow_fp32r(flow: &mut Flow, x: Var) -> Var {
    let (one, half, quiet, kept) = (flow.word(1), flow.word(0x1FF), flow.word(0x0040_0000), flow.word(0xFFFF_FC00));
    let t = flow.op_imm("SRLIN_2X32", x, 10);
    let t = flow.op("AND2NX8", &[t, one]);
    let r = flow.op("ADDN_2X32", &[x, half]);
    let r = flow.op("ADDN_2X32", &[r, t]);
    let n = flow.op("OR2NX8", &[x, quiet]);
    keep_nan(flow, r, x, n);
    flow.op("AND2NX8", &[r, kept])
}

fn narrow_bf16(flow: &mut Flow, x: Var) -> Var {
    let (one, half, quiet) = (flow.word(1), flow.word(0x7FFF), flow.word(0x40));
    let u = flow.op_imm("SRLIN_2X32", x, 16);
    let t = flow.op("AND2NX8", &[u, one]);
    let r = flow.op("ADDN_2X32", &[x, half]);
    let r = flow.op("ADDN_2X32", &[r, t]);
    let r = flow.op_imm("SRLIN_2X32", r, 16);
    let n = flow.op("OR2NX8", &[u, quiet]);
    keep_nan(flow, r, x, n);
    r
}

fn narrow_fp16(flow: &mut Flow, x: Var) -> Var {
    let (sign, payload, nan) = (flow.word(0x8000), flow.word(0x3FF), flow.word(0x7E00));
    let r = flow.op("CVTF16N_2XF32_0", &[x]);
    let h = flow.op_imm("SRLIN_2X32", x, 16);
    let h = flow.op("AND2NX8", &[h, sign]);
    let m = flow.op_imm("SRLIN_2X32", x, 13);
    let m = flow.op("AND2NX8", &[m, payload]);
    let h = flow.op("OR2NX8", &[h, m]);
    let h = flow.op("OR2NX8", &[h, nan]);
    keep_nan(flow, r, x, h);
    r
}

fn narrow_fp8(flow: &mut Flow, x: Var, format: &'static Format, policy: &Policy) -> Var {
    let (mantissa, bias, special) = layout(format);
    let fn_flavour = *format == vq7_num::format::E4M3_FN;
    let shift = i64::from(23 - mantissa);
    let sign = flow.word(0x8000_0000);
    let s = flow.op("AND2NX8", &[x, sign]);
    let a = flow.op("XOR2NX8", &[x, s]);
    let u = flow.op_imm("SRLIN_2X32", a, shift);
    let one = flow.word(1);
    let t = flow.op("AND2NX8", &[u, one]);
    let rebase = flow.word(((1u32 << (22 - mantissa)) - 1).wrapping_sub((127 - bias) << 23));
    let r = flow.op("ADDN_2X32", &[a, rebase]);
    let r = flow.op("ADDN_2X32", &[r, t]);
    let r = flow.op_imm("SRLIN_2X32", r, shift);
    // Below the smallest normal the float32 sum rounds to the subnormals' grid.
    let grid = flow.word((151 - bias - mantissa) << 23);
    let d = flow.op("ADDN_2XF32", &[a, grid]);
    let d = flow.op("SUBN_2X32", &[d, grid]);
    let smallest = flow.word((128 - bias) << 23);
    let p = flow.test("LTUN_2X32", &[a, smallest]);
    flow.merge(r, d, p);
    let infinity = special >> (23 - mantissa);
    let saturate = policy.fp8_overflow == Fp8Overflow::Saturate;
    let top = flow.word(if saturate { infinity - 1 } else { infinity });
    let r = flow.op("MINUN_2X32", &[r, top]);
    // Without infinities the one NaN is where overflow ends anyway.
    if saturate || !fn_flavour {
        let wide_infinity = flow.word(0x7F80_0000);
        let p = flow.test("LTUN_2X32", &[wide_infinity, a]);
        let n = if fn_flavour {
            flow.word(0x7F)
        } else {
            let payload = flow.word((1 << mantissa) - 1);
            let nan = flow.word(infinity | 1 << (mantissa - 1));
            let n = flow.op("AND2NX8", &[u, payload]);
            flow.op("OR2NX8", &[n, nan])
        };
        flow.merge(r, n, p);
    }
    let s = flow.op_imm("SRLIN_2X32", s, 24);
    flow.op("OR2NX8", &[r, s])
}

fn narrow_int(flow: &mut Flow, x: Var, dtype: Dtype, policy: &Policy) -> Var {
    let round = |flow: &mut Flow, x| match policy.float_to_int {
        FloatToInt::TruncSaturate => x,
        _ => flow.op("FIRINTN_2XF32", &[x]),
    };
    if dtype == Dtype::Uint32 {
        let zero = flow.word(0);
        // This order of the operands keeps a NaN.
        let x = flow.op("MAXN_2XF32", &[zero, x]);
        let x = round(flow, x);
        return flow.op_imm("UTRUNCN_2XF32", x, 0);
    }
    let x = round(flow, x);
    let r = flow.op_imm("TRUNCN_2XF32", x, 0);
    if dtype.bits() == 32 {
        return r;
    }
    let (low, high) = match dtype.is_signed_int() {
        true => (-(1i32 << (dtype.bits() - 1)), (1i32 << (dtype.bits() - 1)) - 1),
        false => (0, (1i32 << dtype.bits()) - 1),
    };
    let (low, high) = (flow.word(low as u32), flow.word(high as u32));
    let r = flow.op("MINN_2X32", &[r, high]);
    flow.op("MAXN_2X32", &[r, low])
}

/// A group of 16 elements as low and high words, extended as the dtype says.
pub(super) fn load_pair(flow: &mut Flow, source: &Source, group: u32) -> (Var, Var) {
    let Source { stream, dtype, .. } = *source;
    if dtype.bits() == 64 {
        let (v0, v1) = (load_raw(flow, stream, dtype, 2 * group), load_raw(flow, stream, dtype, 2 * group + 1));
        let control = word_control(flow, |lane| 2 * lane, |lane| 2 * lane + 1);
        return flow.split("DSELN_2X32", v0, v1, control);
    }
    let low = source.int(flow, group);
    let high = if dtype.is_signed_int() { flow.op_imm("SRAIN_2X32", low, 31) } else { flow.word(0) };
    (low, high)
}

/// Stores low and high words as integers of any width.
pub(super) fn store_pairs(flow: &mut Flow, dtype: Dtype, pairs: &[(Var, Var)]) {
    if dtype.bits() < 64 {
        let lows: Vec<Var> = pairs.iter().map(|&(low, _)| low).collect();
        return store_lanes(flow, dtype, &lows);
    }
    for (group, &(low, high)) in (0..).zip(pairs) {
        let interleaved = |base: usize| {
            move |lane: usize| if lane.is_multiple_of(2) { base + lane / 2 } else { 16 + base + lane / 2 }
        };
        let control = word_control(flow, interleaved(0), interleaved(8));
        let (v0, v1) = flow.split("DSELN_2X32", low, high, control);
        store_raw(flow, dtype, 2 * group, v0);
        store_raw(flow, dtype, 2 * group + 1, v1);
    }
}

/// A control register of DSELN_2X32: 16 indices of 16 bits for the first result, then 16 for the second.
fn word_control(flow: &mut Flow, first: impl Fn(usize) -> usize, second: impl Fn(usize) -> usize) -> Var {
    flow.bytes(std::array::from_fn(|byte| {
        let lane = byte / 2;
        let index = if lane < 16 { first(lane) } else { second(lane - 16) };
        if byte.is_multiple_of(2) { index as u8 } else { 0 }
    }))
}
