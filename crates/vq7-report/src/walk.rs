//! Where an operand's elements lie, in one line.

use serde::Serialize;
use vq7_isa::address::Location;
use vq7_isa::generation::Geometry;
use vq7_isa::pattern::Pattern;
use vq7_isa::{Dtype, Generation, Instruction};

/// The walk of one operand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Walk {
    /// `src0`, `src1` or `dst`; `src` of a word with one source.
    pub operand: &'static str,
    /// The dtype, if the code has one.
    pub dtype: Option<&'static str>,
    /// `SBUF` or `PSUM`; none when the address is not in the word or in no memory.
    pub memory: Option<&'static str>,
    /// The first partition.
    pub partition: Option<u32>,
    /// Partitions that take part.
    pub channels: u32,
    /// Counts, index 0 innermost.
    pub counts: Vec<u16>,
    /// Elements per partition.
    pub elements: u64,
    /// The first byte of the partition that is touched. Negative when the walk leaves the partition at its start.
    pub first_byte: Option<i64>,
    /// The byte after the last that is touched.
    pub end_byte: Option<i64>,
    /// Whether the elements lie one after the other.
    pub contiguous: bool,
    /// Why there is no walk: the address or the shape is not in the word.
    pub not_in_word: Option<&'static str>,
}

/// The walks of a word's operands; none for a word whose struct is not modelled.
pub fn walks(instruction: &Instruction, generation: Generation) -> Vec<Walk> {
    let geometry = generation.geometry();
    match instruction {
        Instruction::TensorTensor(tt) => {
            let channels = tt.num_active_channels.into();
            vec![
                Walk::new("src0", tt.src0_dtype, &tt.src0, channels, geometry),
                Walk::new("src1", tt.src1_dtype, &tt.src1, channels, geometry),
                Walk::new("dst", tt.out_dtype, &tt.dst, channels, geometry),
            ]
        }
        Instruction::ExtendedTensorTensor(tta) => {
            let channels = tta.channels();
            vec![
                Walk::new("src0", tta.src0_dtype, &tta.src0, channels, geometry),
                Walk::new("src1", tta.src1_dtype, &tta.src1, channels, geometry),
                Walk::new("dst", tta.out_dtype, &tta.dst, channels, geometry),
            ]
        }
        Instruction::TensorScalar(ts) => {
            let channels = ts.num_active_channels.into();
            vec![
                Walk::new("src", ts.in_dtype, &ts.src, channels, geometry),
                Walk::new("dst", ts.out_dtype, &ts.dst, channels, geometry),
            ]
        }
        Instruction::ScalarTensorTensor(stt) => {
            let channels = stt.num_active_channels.into();
            vec![
                Walk::new("src0", stt.src0_dtype, &stt.src0, channels, geometry),
                Walk::new("src1", stt.src1_dtype, &stt.src1, channels, geometry),
                Walk::new("dst", stt.out_dtype, &stt.dst, channels, geometry),
            ]
        }
        Instruction::CopyCast(tr) => {
            let channels = tr.num_active_channels.into();
            vec![
                Walk::new("src", tr.in_dtype, &tr.src, channels, geometry),
                Walk::new("dst", tr.out_dtype, &tr.dst, channels, geometry),
            ]
        }
        Instruction::Other(_) => Vec::new(),
    }
}

impl Walk {
    fn new<const N: usize>(
        operand: &'static str,
        dtype: u8,
        pattern: &Pattern<N>,
        channels: u32,
        geometry: &Geometry,
    ) -> Self {
        let dtype = Dtype::from_code(dtype);
        let location = pattern.start.immediate_address().and_then(|address| Location::of(address, geometry));
        let not_in_word = if pattern.start.is_indirect() {
            Some("the operand is indirect")
        } else if pattern.start.shape_from_register() {
            Some("the shape comes from a register")
        } else if pattern.start.is_register() {
            Some("the address comes from a register")
        } else {
            None
        };
        let in_word = not_in_word.is_none();
        let (mut low, mut high) = (0i64, 0i64);
        for (step, num) in pattern.step.iter().zip(pattern.num) {
            let reach = i64::from(*step) * (i64::from(num) - 1).max(0);
            (low, high) = (low + reach.min(0), high + reach.max(0));
        }
        let width = dtype.map(|dtype| i64::from(dtype.bytes()));
        let offset = location.filter(|_| in_word && pattern.elements() > 0).map(|location| i64::from(location.offset));
        let reach = offset.zip(width).map(|(offset, width)| (offset + low * width, offset + (high + 1) * width));
        Self {
            operand,
            dtype: dtype.map(Dtype::name),
            memory: location.map(|location| location.memory.name()),
            partition: location.map(|location| location.partition),
            channels,
            counts: pattern.num.to_vec(),
            elements: if in_word { pattern.elements() } else { 0 },
            first_byte: reach.map(|(first, _)| first),
            end_byte: reach.map(|(_, end)| end),
            contiguous: in_word && is_contiguous(pattern),
            not_in_word,
        }
    }

    /// `src0: 4 x 2 = 8 float32 per partition, SBUF partitions 0 to 127, bytes 0x0 to 0x1f, contiguous`.
    pub fn text(&self) -> String {
        let Self { operand, channels, elements, .. } = self;
        if let Some(reason) = self.not_in_word {
            return format!("{operand}: {reason}");
        }
        let counts: Vec<_> = self.counts.iter().rev().map(ToString::to_string).collect();
        let dtype = self.dtype.unwrap_or("elements");
        let mut text = format!("{operand}: {} = {elements} {dtype} per partition", counts.join(" x "));
        match self.memory.zip(self.partition) {
            Some((memory, first)) => {
                text.push_str(&match channels {
                    0 => format!(", no partition of {memory}"),
                    1 => format!(", {memory} partition {first}"),
                    _ => format!(", {memory} partitions {first} to {}", first + channels - 1),
                });
            }
            None => text.push_str(", in no memory"),
        }
        if let Some((first, end)) = self.first_byte.zip(self.end_byte) {
            text.push_str(&format!(", bytes {} to {}", signed_hex(first), signed_hex(end - 1)));
        }
        text.push_str(if self.contiguous { ", contiguous" } else { ", strided" });
        text
    }
}

fn signed_hex(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{:#x}", value.unsigned_abs())
}

/// Whether each dimension steps over exactly what the inner ones cover; a dimension of one element steps nowhere.
fn is_contiguous<const N: usize>(pattern: &Pattern<N>) -> bool {
    let mut covered = 1u64;
    for (step, num) in pattern.step.iter().zip(pattern.num) {
        if num > 1 && u64::try_from(*step) != Ok(covered) {
            return false;
        }
        covered *= u64::from(num);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use vq7_isa::address::Addr4;

    fn walk(address: u32, step: [i16; 3], num: [u16; 3]) -> Walk {
        let pattern = Pattern { start: Addr4(address), step, num };
        Walk::new("src0", Dtype::Fp32.code(), &pattern, 32, Generation::Cayman.geometry())
    }

    #[test]
    fn reach_counts_negative_steps_and_the_last_element() {
        let forward = walk(0x10, [1, 4, 8], [4, 2, 1]);
        assert_eq!((forward.first_byte, forward.end_byte, forward.contiguous), (Some(0x10), Some(0x30), true));
        assert_eq!(
            forward.text(),
            "src0: 1 x 2 x 4 = 8 float32 per partition, SBUF partitions 0 to 31, bytes 0x10 to 0x2f, contiguous"
        );
        let back = walk(0x10, [-1, 0, 0], [6, 1, 1]);
        assert_eq!((back.first_byte, back.end_byte, back.contiguous), (Some(-4), Some(0x14), false));
        assert!(back.text().contains("bytes -0x4 to 0x13"));
    }

    #[test]
    fn a_walk_that_is_not_in_the_word_says_so() {
        assert_eq!(walk(0x8000_0005, [1; 3], [1; 3]).text(), "src0: the address comes from a register");
        assert_eq!(walk(0x4000_0000, [1; 3], [1; 3]).text(), "src0: the shape comes from a register");
        assert_eq!(walk(0x2000_0000, [1; 3], [1; 3]).text(), "src0: the operand is indirect");
    }
}
