//! The wire structs that are read and printed by their fields, but not judged. One row per field; bytes between them that
//! no source names have rows too, so that every byte of a word belongs to one. Source: docs/spec/structs.md.

use super::field::{Field, Kind, Names, Part};
use crate::opcode::{EXTENDED_INST, INVALID, OPCODES, PSEUDO_INST, RAND, RAND_GET_STATE, RAND_SET_STATE};
use crate::word::Word;
use std::borrow::Cow;

/// The fields of a wire struct after header and events.
#[derive(Debug)]
pub struct Layout {
    /// The struct's name, or the opcode's where no source names its struct.
    pub name: &'static str,
    /// Its fields. The order is that of the text form.
    pub fields: &'static [Field],
    /// What to keep in mind when the fields are read.
    pub note: Option<&'static str>,
}

impl Layout {
    /// The layout of a word's struct, where its fields are known and the struct has no type of its own.
    pub fn of(word: &Word) -> Option<&'static Self> {
        Self::of_opcode(word.opcode())
    }

    /// As [`Layout::of`], by opcode.
    pub fn of_opcode(opcode: u8) -> Option<&'static Self> {
        LAYOUTS.get(usize::from(INDEX[usize::from(opcode)]))
    }
}

/// Where the words of an opcode carry a second code that picks which instruction they are.
pub const SPEC_OFFSET: usize = 12;

const EXTENDED_COPY: u8 = 1;
const EXTENDED_RAND_SET_STATE: u8 = 3;
const EXTENDED_RAND_GET_STATE: u8 = 4;
const EXTENDED: Names = &[
    (0, "ENGINE_NOP"),
    (EXTENDED_COPY, "COPY"),
    (2, "TENSOR_TENSOR_ARITH"),
    (EXTENDED_RAND_SET_STATE, "RAND_SET_STATE"),
    (EXTENDED_RAND_GET_STATE, "RAND_GET_STATE"),
    (6, "SBUF_TO_SBUF"),
    (7, "CPTC_DECODE"),
    (8, "RDMA_DESC_GEN"),
    (9, "RDMA_DESC_START"),
];
/// The end of a stream.
pub const EXIT_EXECUTION: u8 = 1;
const PSEUDO: Names = &[(EXIT_EXECUTION, "EXIT_EXECUTION"), (2, "LIBRARY_RELOAD_INDEX")];

/// The names that byte 12 picks among, for the two opcodes where it does.
pub const fn spec_names(opcode: u8) -> Names {
    match opcode {
        EXTENDED_INST => EXTENDED,
        PSEUDO_INST => PSEUDO,
        _ => &[],
    }
}

/// Why a word that is read is not run, where there is more to say than that its rules are not modelled.
pub const fn why_not_run(opcode: u8, spec: u8) -> Option<&'static str> {
    match (opcode, spec) {
        (RAND | RAND_GET_STATE | RAND_SET_STATE, _)
        | (EXTENDED_INST, EXTENDED_RAND_SET_STATE | EXTENDED_RAND_GET_STATE) => {
            Some("how the states of the LFSR and XORWOW generators step is published in part only: read, not run")
        }
        (EXTENDED_INST, EXTENDED_COPY) => {
            Some("the layout of its operands is not published: its prefix is read, it is not run")
        }
        _ => None,
    }
}

/// The name that byte 12 of a word picks, if it picks one.
pub fn spec_name(word: &Word) -> Option<&'static str> {
    let spec = word.0[SPEC_OFFSET];
    spec_names(word.opcode()).iter().find(|(code, _)| *code == spec).map(|(_, name)| *name)
}

const fn row(name: &'static str, offset: usize, kind: Kind) -> Field {
    Field { name: Cow::Borrowed(name), offset, kind, quiet: false }
}

/// Bytes that a legal word has at zero, or that no source names: shown when they are not zero.
const fn rest(name: &'static str, offset: usize, bytes: usize) -> Field {
    quiet(name, offset, Kind::Bytes(bytes))
}

const fn quiet(name: &'static str, offset: usize, kind: Kind) -> Field {
    Field { name: Cow::Borrowed(name), offset, kind, quiet: true }
}

/// An operand whose elements are of the dtype in a byte.
const fn operand(name: &'static str, offset: usize, dimensions: usize, dtype_offset: usize, part: Part) -> Field {
    row(name, offset, Kind::Operand(dimensions, Some((dtype_offset, part))))
}

const U8: Kind = Kind::Number(1);
const U16: Kind = Kind::Number(2);
const U32: Kind = Kind::Number(4);
const ACCUMULATE: Kind =
    Kind::Named(&[(0, "idle"), (1, "zero"), (2, "accumulate"), (3, "zero_accumulate"), (4, "load_accumulate")]);
const IMM_SRC: Kind = Kind::Named(&[(0, "instruction"), (1, "pointer"), (2, "register")]);
const REVERSE: Kind = Kind::Named(&[(0, "none"), (1, "first"), (2, "second"), (3, "both")]);
const RAND_ALGORITHM: Kind = Kind::Named(&[(0, "lfsr"), (1, "pcg32"), (2, "philox"), (3, "xorwow")]);
const RAND_GENERATOR: Kind = Kind::Named(&[(0, "lfsr"), (1, "xorwow"), (2, "philox"), (3, "output_cvt_lfsr")]);
const UPDATE_STATE: Kind = Kind::Named(&[(0, "tensor"), (1, "single_immediate"), (2, "lane_immediate")]);
const POOL_FUNC: Kind = Kind::Named(&[(1, "max"), (2, "average")]);
const MODIFY_OP: Kind = Kind::Named(&[(1, "load"), (2, "unload")]);
const ARG_TYPE: Kind = Kind::Named(&[(1, "tensor"), (2, "tensors")]);

/// Every layout, found by the struct of an opcode's row.
#[rustfmt::skip]
pub static LAYOUTS: &[Layout] = &[
    Layout { name: "S3D3_TS", note: None, fields: &[
        row("op0", 36, Kind::Op), row("op1", 37, Kind::Op),
        operand("src", 16, 3, 32, Part::Byte), operand("dst", 48, 3, 33, Part::Byte),
        row("imm0", 40, Kind::Hex(4)), quiet("imm0_src", 35, IMM_SRC),
        row("imm1", 44, Kind::Hex(4)), quiet("imm1_src", 39, IMM_SRC),
        quiet("reverse", 38, REVERSE), quiet("accumulator", 12, ACCUMULATE),
        row("channels", 34, U8), rest("reserved", 13, 3),
    ] },
    Layout { name: "S2S2D2_STT", note: None, fields: &[
        row("op0", 36, Kind::Op), row("op1", 37, Kind::Op),
        operand("src0", 12, 2, 40, Part::Low), operand("src1", 24, 2, 40, Part::High),
        operand("dst", 48, 2, 41, Part::Byte),
        row("imm0", 60, Kind::Hex(4)), row("imm0_dtype", 43, Kind::Dtype(Part::Byte)), quiet("imm0_src", 39, IMM_SRC),
        quiet("reverse", 38, REVERSE), quiet("accumulator", 44, ACCUMULATE),
        row("channels", 42, U8), rest("reserved", 45, 3),
    ] },
    Layout { name: "S4D4_TR", note: None, fields: &[
        row("op", 36, Kind::Op),
        operand("src", 12, 4, 32, Part::Byte), operand("dst", 44, 4, 33, Part::Byte),
        quiet("negated", 35, U8), quiet("op_dim", 37, U8), quiet("mask_enable", 38, U8),
        row("channels", 34, U8), rest("reserved", 39, 5),
    ] },
    Layout { name: "S4D4_PL", note: None, fields: &[
        row("pool_func", 36, POOL_FUNC),
        operand("src", 12, 4, 32, Part::Byte), operand("dst", 44, 4, 33, Part::Byte),
        row("pool_dim", 37, U8), row("pool_scale", 40, Kind::Hex(4)),
        row("channels", 34, U8), rest("bytes35", 35, 1), rest("bytes38", 38, 2),
    ] },
    Layout { name: "D4_MR", note: None, fields: &[
        row("set_value", 40, Kind::Hex(4)), operand("dst", 44, 4, 32, Part::Byte),
        row("elements", 28, U32), quiet("serialization_mode", 36, U8), row("channels", 34, U8),
        rest("reserved", 12, 16), rest("bytes33", 33, 1), rest("bytes35", 35, 1), rest("bytes37", 37, 3),
    ] },
    Layout { name: "S4_PB", note: None, fields: &[
        operand("src", 12, 4, 32, Part::Byte), row("start_index", 40, U32), row("mask", 44, Kind::Hex(4)),
        row("channels", 34, U8), rest("bytes33", 33, 1), rest("bytes35", 35, 5), rest("reserved", 48, 16),
    ] },
    Layout { name: "CTRL_IM", note: None, fields: &[
        quiet("param_ram_offset", 12, U16), quiet("imm_ptr_select", 14, Kind::Hex(1)), quiet("immediate", 32, Kind::Bytes(32)),
        rest("reserved", 15, 17),
    ] },
    Layout { name: "S2D2_ADDR", note: None, fields: &[
        row("op0", 44, Kind::Op), row("op1", 45, Kind::Op),
        row("src", 12, Kind::Operand(2, None)), row("dst", 52, Kind::Operand(2, None)),
        row("imm0", 24, Kind::Hex(8)), quiet("imm0_src", 42, IMM_SRC),
        row("imm1", 32, Kind::Hex(8)), quiet("imm1_src", 43, IMM_SRC),
        row("imm_dtypes", 40, Kind::Hex(1)), row("in_out_dtypes", 41, Kind::Hex(1)),
        quiet("reverse", 47, REVERSE), row("channels", 46, U8), rest("bytes48", 48, 4),
    ] },
    Layout { name: "MODIFY_POOL_CONFIG", note: None, fields: &[
        row("modify_op", 12, MODIFY_OP), row("core_mask", 13, Kind::Hex(1)), row("soc_addr", 16, Kind::Hex(8)),
        row("library_index", 24, U32), row("library_size", 28, U32),
        rest("bytes14", 14, 2), rest("reserved", 32, 32),
    ] },
    Layout { name: "CUSTOM_OP_HEADER", note: Some("fields as on SUNDA, the one generation whose layout is published"), fields: &[
        row("num_payloads", 12, U16), row("function_id", 14, U8), row("num_arguments", 15, U8),
        quiet("has_scratch", 16, U8), quiet("scratch_addr", 20, Kind::Hex(4)), quiet("scratch_size", 24, U32),
        quiet("scratch_partitions", 28, U8), rest("bytes17", 17, 3), rest("bytes29", 29, 3), rest("reserved", 32, 32),
    ] },
    Layout { name: "CUSTOM_OP_PAYLOAD", note: Some("fields as on SUNDA, the one generation whose layout is published"), fields: &[
        row("arg_type", 15, ARG_TYPE), row("argument", 16, Kind::Bytes(48)), rest("bytes12", 12, 3),
    ] },
    Layout { name: "CTRL_AL", note: None, fields: &[
        row("op", 12, Kind::Op), quiet("dtypes_sources", 13, Kind::Bytes(3)), quiet("registers", 16, Kind::Bytes(6)),
        quiet("from24", 24, Kind::Bytes(40)), rest("bytes22", 22, 2),
    ] },
    Layout { name: "CTRL_ES", note: None, fields: &[
        quiet("setter_signature", 12, Kind::Bytes(20)),
        quiet("second_wait_mode", 32, Kind::Hex(1)), quiet("second_wait_idx", 33, U8),
        quiet("second_update_mode", 34, Kind::Hex(1)), quiet("second_update_idx", 35, U8),
        quiet("second_wait_value", 36, U32), quiet("second_update_value", 40, U32), rest("bytes44", 44, 20),
    ] },
    Layout { name: "S3D3_COLLECTIVE", note: None, fields: &[
        operand("src", 16, 3, 12, Part::Byte), operand("dst", 48, 3, 13, Part::Byte),
        quiet("lnc_size_fmt", 32, Kind::Hex(1)), row("channels", 33, U8), rest("bytes14", 14, 2), rest("bytes34", 34, 14),
    ] },
    Layout { name: "PSEUDO_CORE_BARRIER", note: None, fields: &[
        quiet("id", 12, Kind::Bytes(4)), quiet("semaphore", 16, Kind::Bytes(48)),
    ] },
    Layout { name: "S1_RAND", note: None, fields: &[
        row("rand_algorithm", 12, RAND_ALGORITHM), operand("src", 16, 1, 15, Part::Byte),
        row("update_state", 14, UPDATE_STATE), row("rand_generator", 24, RAND_GENERATOR),
        quiet("imm_state", 32, Kind::Bytes(32)), row("channels", 13, U8), rest("reserved", 25, 7),
    ] },
    Layout { name: "D4_RAND", note: None, fields: &[
        row("rand_algorithm", 12, RAND_ALGORITHM), operand("dst", 44, 4, 32, Part::Byte),
        row("rand_generator", 15, RAND_GENERATOR), quiet("num_steps", 13, U8), quiet("post_process", 14, U8),
        quiet("params", 16, Kind::Bytes(16)), row("channels", 34, U8), rest("bytes33", 33, 1), rest("reserved", 35, 9),
    ] },
    Layout { name: "S2S2D2D2_TT", note: None, fields: &[
        row("op", 14, Kind::Op),
        operand("src0", 16, 2, 12, Part::Low), operand("src1", 28, 2, 12, Part::High),
        operand("dst0", 40, 2, 13, Part::Low), operand("dst1", 52, 2, 13, Part::High),
        row("channels", 15, U8),
    ] },
    Layout { name: "S2D2D2_TS_WIDE", note: None, fields: &[
        row("op", 14, Kind::Op),
        operand("src", 16, 2, 12, Part::Low), operand("dst0", 28, 2, 13, Part::Low), operand("dst1", 40, 2, 13, Part::High),
        row("imm", 56, Kind::Hex(8)), row("imm_dtype", 12, Kind::Dtype(Part::High)), quiet("imm_src", 52, IMM_SRC),
        row("channels", 15, U8), rest("bytes53", 53, 3),
    ] },
    Layout { name: "EXTENDED_*", note: None, fields: &[
        row("spec", SPEC_OFFSET, U8), row("completion", 13, Kind::Hex(1)), quiet("payload", 14, Kind::Bytes(50)),
    ] },
    Layout { name: "PSEUDO_INST", note: None, fields: &[
        row("spec", SPEC_OFFSET, U8), rest("bytes13", 13, 51),
    ] },
    Layout { name: "PSEUDO_DMATRIGGER", note: None, fields: &[row("queue", 12, Kind::Text(52))] },
];

const NO_LAYOUT: u8 = u8::MAX;

/// The row of [`LAYOUTS`] of each opcode.
static INDEX: [u8; 256] = {
    let mut index = [NO_LAYOUT; 256];
    let mut row = 0;
    while row < OPCODES.len() {
        let opcode = &OPCODES[row];
        let wanted = match opcode.wire_struct {
            Some(name) => name,
            None => opcode.name,
        };
        let mut layout = 0;
        while layout < LAYOUTS.len() && opcode.code != INVALID {
            if same(LAYOUTS[layout].name, wanted) {
                index[opcode.code as usize] = layout as u8;
            }
            layout += 1;
        }
        row += 1;
    }
    index
};

/// Whether two names are the same, at compile time.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inst::field::{PAYLOAD_OFFSET, Value};
    use crate::opcode::Opcode;

    /// How often each byte of a word is covered, in half bytes.
    fn coverage(layout: &Layout) -> [u8; 64] {
        let mut covered = [0; 64];
        let mut cover = |offset: usize, bytes: usize, part: Part| {
            covered[offset..offset + bytes].iter_mut().for_each(|c| *c += if part == Part::Byte { 2 } else { 1 });
        };
        for field in layout.fields {
            match field.kind {
                Kind::Dtype(part) => cover(field.offset, 1, part),
                Kind::Operand(_, Some((offset, part))) => {
                    cover(offset, 1, part);
                    cover(field.offset, field.bytes(), Part::Byte);
                }
                _ => cover(field.offset, field.bytes(), Part::Byte),
            }
        }
        covered
    }

    #[test]
    fn every_byte_of_a_word_belongs_to_exactly_one_field() {
        for layout in LAYOUTS {
            for (at, halves) in coverage(layout).into_iter().enumerate() {
                assert_eq!(halves, if at < PAYLOAD_OFFSET { 0 } else { 2 }, "{} byte {at}", layout.name);
            }
            let mut names: Vec<_> = layout.fields.iter().map(|field| &field.name).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), layout.fields.len(), "{}", layout.name);
            assert!(layout.fields.iter().all(Field::fits), "{}", layout.name);
        }
    }

    #[test]
    fn every_layout_is_bound_to_an_opcode() {
        for layout in LAYOUTS {
            let bound = OPCODES.iter().any(|row| Layout::of_opcode(row.code).is_some_and(|of| of.name == layout.name));
            assert!(bound, "{}", layout.name);
        }
        let typed = OPCODES.iter().filter(|row| Layout::of_opcode(row.code).is_some()).count();
        assert_eq!(typed, 54, "opcodes with a layout");
        assert_eq!(Layout::of_opcode(0x43).map(|layout| layout.name), Some("S3D3_TS"));
        assert!(
            Opcode::from_code(0x21).is_some() && Layout::of_opcode(0x21).is_none() && Layout::of_opcode(0xFF).is_none()
        );
    }

    #[test]
    fn fields_read_and_written_one_by_one_give_the_word() {
        let word = Word(std::array::from_fn(|at| (at * 89 + 7) as u8));
        for layout in LAYOUTS {
            let mut again = Word([0; 64]);
            again.put(0, &word.0[..PAYLOAD_OFFSET]);
            let values: Vec<Value> = layout.fields.iter().map(|field| field.read(&word)).collect();
            layout.fields.iter().zip(&values).for_each(|(field, value)| field.write(&mut again, value));
            assert_eq!(again, word, "{}", layout.name);
        }
    }
}
