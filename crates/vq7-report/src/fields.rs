//! Every field of a word: where it stands, what it holds, what that means.

use crate::events::{update_mode_meaning, wait_mode_meaning};
use serde::Serialize;
use vq7_isa::address::{Addr4, Location};
use vq7_isa::generation::{Geometry, PARTITIONS_PER_CORE};
use vq7_isa::header::{Events, Header, LENGTH_UNITS};
use vq7_isa::inst::field::{Kind, PAYLOAD_OFFSET, Part, Value};
use vq7_isa::inst::{EXTENDED_OPCODE_OFFSET, ExtendedTta, Layout, S3s3d3Tt, extended_name, spec_name};
use vq7_isa::opcode::Opcode;
use vq7_isa::pattern::{Indirect, Pattern};
use vq7_isa::{AluOp, Dtype, Generation, Instruction, Word};

/// One field of a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Its first byte.
    pub offset: usize,
    /// Its bytes.
    pub bytes: usize,
    /// The part of the byte, where it has less than a byte.
    pub bits: Option<&'static str>,
    /// Its name, as the rules call it.
    pub name: String,
    /// What it holds, in hexadecimal.
    pub value: String,
    /// What that means.
    pub meaning: String,
}

fn field(offset: usize, bytes: usize, name: impl Into<String>, value: u64, meaning: impl Into<String>) -> Field {
    let value = format!("{value:#0digits$x}", digits = 2 + 2 * bytes);
    Field { offset, bytes, bits: None, name: name.into(), value, meaning: meaning.into() }
}

/// The fields of a word in the order of its bytes.
pub fn fields(instruction: &Instruction, generation: Generation) -> Vec<Field> {
    let geometry = generation.geometry();
    let mut list = header_fields(instruction.header());
    list.extend(event_fields(instruction.events()));
    match instruction {
        Instruction::TensorTensor(tt) => tensor_tensor_fields(tt, geometry, &mut list),
        Instruction::ExtendedTensorTensor(tta) => extended_fields(tta, geometry, &mut list),
        Instruction::TensorScalar(_)
        | Instruction::ScalarTensorTensor(_)
        | Instruction::CopyCast(_)
        | Instruction::Other(_) => {
            let word = instruction.encode();
            match Layout::of(&word) {
                Some(layout) => listed_fields(layout, &word, geometry, &mut list),
                None => list.push(payload_field(&word)),
            }
        }
    }
    list
}

fn header_fields(header: &Header) -> Vec<Field> {
    let opcode = Opcode::from_code(header.opcode).map_or("no such opcode", |row| row.name);
    let length = match header.inst_word_len {
        LENGTH_UNITS => "16 units of 4 bytes: 64 bytes".to_owned(),
        other => format!("{} bytes; a word has 64", u32::from(other) * 4),
    };
    vec![
        field(0, 1, "opcode", header.opcode.into(), opcode),
        field(1, 1, "inst_word_len", header.inst_word_len.into(), length),
        field(2, 1, "debug_cmd", header.debug_cmd.into(), ""),
        field(3, 1, "debug_hint", header.debug_hint.into(), ""),
    ]
}

fn event_fields(events: &Events) -> Vec<Field> {
    vec![
        field(4, 1, "wait_mode", events.wait_mode.into(), wait_mode_meaning(events.wait_mode)),
        field(5, 1, "wait_idx", events.wait_idx.into(), events.wait_idx.to_string()),
        field(6, 1, "update_mode", events.update_mode.into(), update_mode_meaning(events.update_mode)),
        field(7, 1, "update_idx", events.update_idx.into(), events.update_idx.to_string()),
        field(8, 4, "semaphore_value", events.semaphore_value.into(), events.semaphore_value.to_string()),
    ]
}

fn dtype_meaning(code: u8) -> String {
    Dtype::from_code(code).map_or_else(|| "no dtype".to_owned(), |dtype| format!("{dtype} ({})", dtype.header_name()))
}

fn op_meaning(code: u8) -> String {
    AluOp::from_code(code).map_or_else(|| "no ALU op".to_owned(), |op| format!("{op}: {}", op.meaning()))
}

/// The two source dtypes share a byte.
fn source_dtypes(offset: usize, src0: u8, src1: u8) -> [Field; 2] {
    let nibble = |bits, name: &str, code: u8| Field {
        bits: Some(bits),
        value: format!("{code:#03x}"),
        ..field(offset, 1, name, code.into(), dtype_meaning(code))
    };
    [nibble("low nibble", "src0_dtype", src0), nibble("high nibble", "src1_dtype", src1)]
}

fn tensor_tensor_fields(tt: &S3s3d3Tt, geometry: &Geometry, list: &mut Vec<Field>) {
    list.extend(source_dtypes(S3s3d3Tt::DTYPES_OFFSET, tt.src0_dtype, tt.src1_dtype));
    list.push(field(S3s3d3Tt::OUT_DTYPE_OFFSET, 1, "out_dtype", tt.out_dtype.into(), dtype_meaning(tt.out_dtype)));
    list.push(field(S3s3d3Tt::OP_OFFSET, 1, "op", tt.op.into(), op_meaning(tt.op)));
    let channels = format!("{} partitions", tt.num_active_channels);
    list.push(field(S3s3d3Tt::CHANNELS_OFFSET, 1, "num_active_channels", tt.num_active_channels.into(), channels));
    let operands = [
        ("src0", S3s3d3Tt::SRC0_OFFSET, &tt.src0),
        ("src1", S3s3d3Tt::SRC1_OFFSET, &tt.src1),
        ("dst", S3s3d3Tt::DST_OFFSET, &tt.dst),
    ];
    for (name, offset, pattern) in operands {
        pattern_fields(name, offset, pattern, geometry, list);
    }
}

fn extended_fields(tta: &ExtendedTta, geometry: &Geometry, list: &mut Vec<Field>) {
    let number = ExtendedTta::EXTENDED_OPCODE;
    let name = extended_name(number).unwrap_or("no such instruction");
    list.push(field(EXTENDED_OPCODE_OFFSET, 1, "extended_opcode", number.into(), name));
    let cores = match tta.ports() {
        0 => "all eight cores".to_owned(),
        ports => format!("the first {ports} cores"),
    };
    let completion = format!("ports {}: {cores}, {PARTITIONS_PER_CORE} partitions each", tta.ports());
    let offset = ExtendedTta::COMPLETION_OFFSET;
    list.push(field(offset, 1, "completion_info", tta.completion_info.into(), completion));
    list.extend(source_dtypes(ExtendedTta::DTYPES_OFFSET, tta.src0_dtype, tta.src1_dtype));
    list.push(field(ExtendedTta::OUT_DTYPE_OFFSET, 1, "out_dtype", tta.out_dtype.into(), dtype_meaning(tta.out_dtype)));
    list.push(field(ExtendedTta::OP_OFFSET, 1, "op", tta.op.into(), op_meaning(tta.op)));
    list.push(raw_field(ExtendedTta::RESERVED_OFFSET, "reserved", &tta.reserved, "zero in a legal word"));
    let operands = [
        ("src0", ExtendedTta::SRC0_OFFSET, &tta.src0),
        ("src1", ExtendedTta::SRC1_OFFSET, &tta.src1),
        ("dst", ExtendedTta::DST_OFFSET, &tta.dst),
    ];
    for (name, offset, pattern) in operands {
        pattern_fields(name, offset, pattern, geometry, list);
    }
    list.push(raw_field(ExtendedTta::TAIL_OFFSET, "tail", &tta.tail, "zero in a legal word"));
}

/// Bytes that are shown in memory order.
fn raw_field(offset: usize, name: &str, bytes: &[u8], meaning: &str) -> Field {
    let value = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Field { offset, bytes: bytes.len(), bits: None, name: name.to_owned(), value, meaning: meaning.to_owned() }
}

fn payload_field(word: &Word) -> Field {
    let meaning = "the struct of this opcode is not modelled";
    raw_field(PAYLOAD_OFFSET, "payload", &word.0[PAYLOAD_OFFSET..], meaning)
}

/// The fields of a layout, in the order of the bytes.
fn listed_fields(layout: &Layout, word: &Word, geometry: &Geometry, list: &mut Vec<Field>) {
    let start = list.len();
    for row in layout.fields {
        match (row.kind, row.read(word)) {
            (Kind::Operand(dimensions, at), Value::Operand { dtype, pattern }) => {
                if let Some(((offset, part), code)) = at.zip(dtype) {
                    list.push(part_field(offset, part, format!("{}.dtype", row.name), code));
                }
                match dimensions {
                    1 => pattern_fields(&row.name, row.offset, &pattern.resized::<1>(), geometry, list),
                    2 => pattern_fields(&row.name, row.offset, &pattern.resized::<2>(), geometry, list),
                    3 => pattern_fields(&row.name, row.offset, &pattern.resized::<3>(), geometry, list),
                    _ => pattern_fields(&row.name, row.offset, &pattern, geometry, list),
                }
            }
            (Kind::Dtype(part), Value::Number(code)) => {
                list.push(part_field(row.offset, part, row.name.to_string(), code as u8));
            }
            (_, Value::Number(number)) => {
                let meaning = match row.kind {
                    Kind::Op => op_meaning(number as u8),
                    Kind::Named(names) => {
                        let name = names.iter().find(|(code, _)| u64::from(*code) == number);
                        name.map_or("no such code", |(_, name)| name).to_owned()
                    }
                    _ if row.offset == EXTENDED_OPCODE_OFFSET && row.name == "spec" => {
                        spec_name(word).unwrap_or("not named").to_owned()
                    }
                    _ => number.to_string(),
                };
                list.push(field(row.offset, row.bytes(), row.name.to_string(), number, meaning));
            }
            _ => list.push(raw_field(row.offset, &row.name, row.slice(word), "")),
        }
    }
    if let Some(fields) = list.get_mut(start..) {
        fields.sort_by_key(|field| (field.offset, field.bits == Some("high nibble")));
    }
}

/// A dtype that fills a byte or a half of one.
fn part_field(offset: usize, part: Part, name: String, code: u8) -> Field {
    let whole = field(offset, 1, name, code.into(), dtype_meaning(code));
    match part {
        Part::Byte => whole,
        Part::Low => Field { bits: Some("low nibble"), value: format!("{code:#03x}"), ..whole },
        Part::High => Field { bits: Some("high nibble"), value: format!("{code:#03x}"), ..whole },
    }
}

/// What an address field says.
pub(crate) fn address_meaning(start: Addr4, geometry: &Geometry) -> String {
    if let Some(address) = start.immediate_address() {
        let place = Location::of(address, geometry)
            .map_or_else(|| format!("{address:#x}, in no memory"), |location| location.to_string());
        return match start.shape_from_register() {
            true => format!("{place}; counts and steps from a register"),
            false => place,
        };
    }
    match start.register() {
        Some(register) if start.shape_from_register() => format!("register {register}, which also holds the shape"),
        Some(register) => format!("the address in register {register}"),
        None => start.marker().name().to_owned(),
    }
}

fn pattern_fields<const N: usize>(
    name: &str,
    offset: usize,
    pattern: &Pattern<N>,
    geometry: &Geometry,
    list: &mut Vec<Field>,
) {
    let start = u64::from(pattern.start.0);
    let indirect = if N == 3 { Indirect::of(&pattern.resized()) } else { None };
    if let Some(indirect) = indirect {
        list.push(field(offset, 4, format!("{name}.index_addr"), start, "address of an index tensor"));
        let data = address_meaning(indirect.data, geometry);
        list.push(field(offset + 4, 4, format!("{name}.data_addr"), indirect.data.0.into(), data));
        list.push(field(offset + 8, 2, format!("{name}.count"), indirect.count.into(), "indices"));
        list.push(raw_field(offset + 10, &format!("{name}.unused"), &indirect.unused, "without a meaning"));
        return;
    }
    list.push(field(offset, 4, format!("{name}.start_addr"), start, address_meaning(pattern.start, geometry)));
    for (i, step) in pattern.step.iter().enumerate() {
        let bits = u64::from(*step as u16);
        list.push(field(offset + 4 + 2 * i, 2, format!("{name}.step[{i}]"), bits, format!("{step} elements")));
    }
    for (i, num) in pattern.num.iter().enumerate() {
        let at = offset + 4 + 2 * N + 2 * i;
        list.push(field(at, 2, format!("{name}.num[{i}]"), (*num).into(), num.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vq7_isa::opcode::OPCODES;

    #[test]
    fn the_fields_of_any_word_cover_its_64_bytes_once() {
        let special = [(0x41, 0, 0), (0xF0, 2, 0), (0xF0, 1, 0), (0x7E, 0, 0), (0x41, 0, 0x20)];
        for (opcode, byte12, marker) in special.into_iter().chain(OPCODES.iter().map(|row| (row.code, 0, 0x20))) {
            let mut word = Word([0; 64]);
            (word.0[0], word.0[12], word.0[19]) = (opcode, byte12, marker);
            let list = fields(&Instruction::decode(&word), Generation::Cayman);
            let mut next = 0;
            for field in list.iter().filter(|field| field.bits != Some("high nibble")) {
                assert_eq!(field.offset, next, "{opcode:#x} {}", field.name);
                next += field.bytes;
            }
            assert_eq!(next, 64, "{opcode:#x}");
        }
    }
}
