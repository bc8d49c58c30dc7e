//! One case: which elements differ, how far, and what the right result rests on.

use crate::build::{Walked, load};
use crate::kit::hex;
use crate::plan::name;
use crate::record::Record;
use crate::shape::{SHAPES, Window};
use vq7_isa::alu_op::Arity;
use vq7_isa::generation::Geometry;
use vq7_isa::pattern::Tensor3d;
use vq7_isa::{AluOp, Dtype, Generation, Instruction, Word, opcode};
use vq7_num::{Basis, Class, Format, Lane, format_value};
use vq7_policy::{Policy, Settled};
use vq7_report::conform::{ConformDifference, ConformStray};
use vq7_report::named::hex_bits;
use vq7_report::rests_on::RestsOn;

/// One case with somebody's answer.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// The record.
    pub record: &'a Record,
    /// The word.
    pub word: &'a Word,
    /// The windows before.
    pub input: &'a [u8],
    /// The windows as they should be.
    pub expected: &'a [u8],
    /// The windows as they came.
    pub got: &'a [u8],
}

/// How a case differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differing {
    /// Elements of the destination that differ.
    pub elements: u64,
    /// Bytes that differ and belong to no element of the destination.
    pub stray_bytes: u64,
    /// The first element that differs.
    pub first: Option<ConformDifference>,
    /// The first such byte.
    pub first_stray: Option<ConformStray>,
}

/// The op of a record; one that is none becomes BYPASS.
pub fn op_of(record: &Record) -> AluOp {
    AluOp::from_code(record.op).unwrap_or(AluOp::Bypass)
}

/// The dtypes of a record; those that are none become bytes.
pub fn types_of(record: &Record) -> [Dtype; 3] {
    record.types.map(|code| Dtype::from_code(code).unwrap_or(Dtype::Uint8))
}

impl Answered<'_> {
    /// Compares. `None` when every byte is as it should be.
    pub fn compare(&self, generation: Generation, policy: &Policy) -> Option<Differing> {
        if self.expected == self.got {
            return None;
        }
        let mut differing = Differing::default();
        let mut covered = vec![false; self.expected.len()];
        let types = types_of(self.record);
        let patterns = patterns(&Instruction::decode(self.word));
        let geometry = generation.geometry();
        // A kit may say anything: a destination of more elements than there are bytes is none.
        let fits = |patterns: &[Tensor3d; 3]| {
            patterns.iter().all(|pattern| pattern.elements() <= self.expected.len().max(1) as u64)
        };
        let patterns = patterns.filter(fits).map(|patterns| walks(&patterns, types, geometry));
        if let Some([Some(src0), Some(src1), Some(dst)]) = patterns {
            let [w0, w1, wd] = types.map(Dtype::bytes);
            let windows = &self.record.windows;
            for channel in 0..u32::from(self.record.channels) {
                let places = src0.places(windows, channel).zip(src1.places(windows, channel));
                for (element, ((at0, at1), at)) in (0u64..).zip(places.zip(dst.places(windows, channel))) {
                    let Some(at) = at else { continue };
                    if let Some(slots) = covered.get_mut(at..at.saturating_add(wd as usize)) {
                        slots.fill(true);
                    }
                    let (expected, got) = (load(self.expected, at, wd), load(self.got, at, wd));
                    if expected == got {
                        continue;
                    }
                    differing.elements += 1;
                    if differing.first.is_none() {
                        let operand = |place: Option<usize>, size| place.map_or(0, |at| load(self.input, at, size));
                        let found =
                            Element { channel, element, a: operand(at0, w0), b: operand(at1, w1), expected, got };
                        differing.first = Some(self.show(&found, generation, policy));
                    }
                }
            }
        }
        let pairs = self.expected.iter().zip(self.got).zip(&covered).enumerate();
        let mut strays = pairs.filter(|(_, ((expected, got), covered))| expected != got && !**covered);
        if let Some((at, _)) = strays.next() {
            differing.stray_bytes = 1 + strays.count() as u64;
            differing.first_stray = Some(self.show_stray(at, differing.stray_bytes));
        }
        Some(differing)
    }

    fn show(&self, found: &Element, generation: Generation, policy: &Policy) -> ConformDifference {
        let Element { channel, element, a, b, expected, got } = *found;
        let (op, types) = (op_of(self.record), types_of(self.record));
        let [src0, src1, out] = types;
        let (a, b) = (hex_bits(a, src0.bits()), hex_bits(b, src1.bits()));
        let has_op = matches!(
            self.record.opcode,
            opcode::TENSOR_TENSOR_ARITH_OP | opcode::TENSOR_TENSOR_BITVEC_OP | opcode::EXTENDED_INST
        );
        let reproduce = has_op.then(|| {
            let second = if op.arity() == Arity::Unary { String::new() } else { format!(" --b {b}") };
            let policy: String = policy.changed().iter().map(|knob| format!(" --policy {knob}")).collect();
            let target = generation.target();
            format!("vq7 explain --op {op} --types {src0},{src1},{out} --a {a}{second} --target {target}{policy}")
        });
        ConformDifference {
            case: self.record.case,
            op: name(self.record.opcode, op),
            types: types.map(|dtype| dtype.name()),
            shape: shape_name(self.record),
            word: self.word_text(),
            channel,
            element,
            a,
            b,
            expected: hex_bits(expected, out.bits()),
            expected_value: format_value(expected, out, policy),
            got: hex_bits(got, out.bits()),
            got_value: format_value(got, out, policy),
            ulps: ulps(expected, got, out, policy),
            rests_on: RestsOn::new(&self.basis(found, policy).on(generation), policy),
            reproduce,
        }
    }

    fn show_stray(&self, at: usize, bytes: u64) -> ConformStray {
        let (partition, offset) = place(&self.record.windows, at as u64);
        ConformStray {
            case: self.record.case,
            op: name(self.record.opcode, op_of(self.record)),
            types: types_of(self.record).map(|dtype| dtype.name()),
            shape: shape_name(self.record),
            word: self.word_text(),
            bytes,
            partition,
            offset,
        }
    }

    fn word_text(&self) -> String {
        hex(&self.word.0)
    }

    /// What the right result rests on.
    fn basis(&self, found: &Element, policy: &Policy) -> Basis {
        let (op, [src0, src1, out]) = (op_of(self.record), types_of(self.record));
        let bits = self.record.opcode == opcode::TENSOR_TENSOR_BITVEC_OP;
        let class = if bits { Class::Bitvec } else { Class::Arith };
        match self.record.opcode {
            opcode::COPY_PREDICATED => Basis::default(),
            opcode::CAST_PREDICATED if found.a == 0 => Basis::default(),
            opcode::CAST_PREDICATED => {
                Lane { op: AluOp::Bypass, src0: src1, src1, out, class }.basis_of(found.b, found.b, policy)
            }
            opcode::BATCH_NORM_BACK_PROP => {
                let mut basis = Lane { op: AluOp::Mult, src0, src1, out, class }.basis(policy);
                basis.rest_on(Settled::BatchNormFormula);
                basis
            }
            _ => Lane { op, src0, src1, out, class }.basis_of(found.a, found.b, policy),
        }
    }
}

/// An element that differs.
struct Element {
    channel: u32,
    element: u64,
    a: u64,
    b: u64,
    expected: u64,
    got: u64,
}

/// src0, src1 and dst of a word.
fn patterns(instruction: &Instruction) -> Option<[Tensor3d; 3]> {
    match instruction {
        Instruction::TensorTensor(tt) => Some([tt.src0, tt.src1, tt.dst]),
        Instruction::ExtendedTensorTensor(tta) => Some([tta.src0.resized(), tta.src1.resized(), tta.dst.resized()]),
        _ => None,
    }
}

fn walks(patterns: &[Tensor3d; 3], types: [Dtype; 3], geometry: &Geometry) -> [Option<Walked>; 3] {
    std::array::from_fn(|i| Walked::new(patterns.get(i)?, types.get(i)?.bytes(), geometry))
}

fn shape_name(record: &Record) -> String {
    SHAPES.get(usize::from(record.shape)).map_or_else(|| record.shape.to_string(), |shape| shape.name.to_owned())
}

/// Partition and offset of a byte of an image.
fn place(windows: &[Window; 2], at: u64) -> (u32, u32) {
    let [first, second] = windows;
    let (window, at) = if at < first.size() { (first, at) } else { (second, at - first.size()) };
    let bytes = u64::from(window.bytes).max(1);
    let partition = u32::from(window.partition).saturating_add((at / bytes) as u32);
    (partition, window.offset.saturating_add((at % bytes) as u32))
}

/// How many values of the dtype lie between two, one of them counted; `None` when one is a NaN.
pub fn ulps(a: u64, b: u64, dtype: Dtype, policy: &Policy) -> Option<u64> {
    let width = dtype.bits();
    let Some(format) = Format::of(dtype, policy) else {
        let signed = |bits: u64| i128::from((bits << (64 - width)).cast_signed() >> (64 - width));
        let value = |bits| if dtype.is_signed_int() { signed(bits) } else { i128::from(bits) };
        return u64::try_from(value(a).abs_diff(value(b))).ok();
    };
    if format.is_nan(a) || format.is_nan(b) {
        return None;
    }
    // Sign and magnitude as one number; both zeros are 0.
    let ordered = |bits: u64| {
        let magnitude = i128::from(bits & ((1 << (width - 1)) - 1));
        if format.is_negative(bits) { -magnitude } else { magnitude }
    };
    u64::try_from(ordered(a).abs_diff(ordered(b))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ulps_count_values() {
        let policy = Policy::default();
        assert_eq!(ulps(0x3F80_0000, 0x3F80_0003, Dtype::Fp32, &policy), Some(3));
        assert_eq!(ulps(0x8000, 0, Dtype::Fp16, &policy), Some(0), "both zeros");
        assert_eq!(ulps(0x8001, 1, Dtype::Fp16, &policy), Some(2));
        assert_eq!(ulps(0x7E00, 0, Dtype::Fp16, &policy), None, "a NaN");
        assert_eq!(ulps(0xFF, 1, Dtype::Int8, &policy), Some(2));
        assert_eq!(ulps(0xFF, 1, Dtype::Uint8, &policy), Some(254));
        assert_eq!(ulps(0, u64::MAX, Dtype::Uint64, &policy), Some(u64::MAX));
        assert_eq!(ulps(1 << 63, u64::MAX >> 1, Dtype::Int64, &policy), Some(u64::MAX));
    }
}
