//! Opcode rows of the user's own, read from TOML:
//!
//! ```toml
//! [[opcode]]
//! opcode = 0xF0
//! spec = 0x40
//! name = "KERNEL_CALL"
//! fields = [
//!   { name = "function", offset = 16, kind = "u32" },
//!   { name = "src", offset = 20, kind = "tensor3d", dtype_offset = 13, dtype_part = "low" },
//!   { name = "arguments", offset = 40, kind = "bytes", bytes = 8 },
//! ]
//! ```

use crate::diagnostic::Diagnostic;
use serde::Deserialize;
use toml::Spanned;
use vq7_isa::inst::field::{Field, Kind, Part};
use vq7_isa::inst::{UserOpcode, UserOpcodes};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    opcode: Vec<Spanned<Row>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    opcode: u8,
    spec: Option<u8>,
    name: String,
    #[serde(default)]
    fields: Vec<Spanned<FieldRow>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldRow {
    name: String,
    offset: usize,
    kind: String,
    bytes: Option<usize>,
    dtype_offset: Option<usize>,
    dtype_part: Option<String>,
}

/// The kinds of fields that a row may have.
const KINDS: &str = "u8 u16 u32 u64, x8 x16 x32 x64 (hexadecimal), op, dtype, tensor1d to tensor4d, bytes";

/// Reads a file of opcode rows.
///
/// # Errors
/// The first thing that is wrong, with its place in the text.
pub fn read_opcodes(text: &str) -> Result<UserOpcodes, Diagnostic> {
    let file: File = toml::from_str(text).map_err(|error| {
        let finding = Diagnostic::new(error.span().unwrap_or(0..0), error.message());
        finding.help("a row is [[opcode]] with opcode, name, spec for 0xF0, and fields of name, offset and kind")
    })?;
    let mut user = UserOpcodes::default();
    for row in file.opcode {
        let span = row.span();
        let Row { opcode, spec, name, fields } = row.into_inner();
        let fields = fields.into_iter().map(field).collect::<Result<_, _>>()?;
        user.add(UserOpcode { opcode, spec, name, fields })
            .map_err(|error| Diagnostic::new(span, error.to_string()))?;
    }
    Ok(user)
}

fn field(row: Spanned<FieldRow>) -> Result<Field, Diagnostic> {
    let span = row.span();
    let FieldRow { name, offset, kind, bytes, dtype_offset, dtype_part } = row.into_inner();
    let wrong = |message: String| Diagnostic::new(span.clone(), message);
    let part = match dtype_part.as_deref() {
        None | Some("byte") => Part::Byte,
        Some("low") => Part::Low,
        Some("high") => Part::High,
        Some(other) => return Err(wrong(format!("dtype_part is byte, low or high, not `{other}`"))),
    };
    let operand = |dimensions| Kind::Operand(dimensions, dtype_offset.map(|offset| (offset, part)));
    let kind = match (kind.as_str(), bytes) {
        ("bytes", Some(bytes)) if bytes <= 52 => Kind::Bytes(bytes),
        ("bytes", _) => return Err(wrong("a field of bytes needs `bytes`, their number, 1 to 52".to_owned())),
        (_, Some(_)) => return Err(wrong(format!("a field of kind `{kind}` has no `bytes`"))),
        ("u8", None) => Kind::Number(1),
        ("u16", None) => Kind::Number(2),
        ("u32", None) => Kind::Number(4),
        ("u64", None) => Kind::Number(8),
        ("x8", None) => Kind::Hex(1),
        ("x16", None) => Kind::Hex(2),
        ("x32", None) => Kind::Hex(4),
        ("x64", None) => Kind::Hex(8),
        ("op", None) => Kind::Op,
        ("dtype", None) => Kind::Dtype(part),
        ("tensor1d", None) => operand(1),
        ("tensor2d", None) => operand(2),
        ("tensor3d", None) => operand(3),
        ("tensor4d", None) => operand(4),
        (other, None) => return Err(wrong(format!("no kind `{other}`; the kinds are {KINDS}"))),
    };
    if dtype_offset.is_some() && !matches!(kind, Kind::Operand(..)) {
        return Err(wrong("dtype_offset is where the dtype of a tensor stands; this field is none".to_owned()));
    }
    Ok(Field { name: name.into(), offset, kind, quiet: false })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

    use super::*;

    const GOOD: &str = "[[opcode]]\nopcode = 0xF0\nspec = 0x40\nname = \"KERNEL_CALL\"\nfields = [\n  \
        { name = \"function\", offset = 16, kind = \"u32\" },\n  \
        { name = \"src\", offset = 20, kind = \"tensor3d\", dtype_offset = 13, dtype_part = \"low\" },\n]\n";

    #[test]
    fn rows_are_read() {
        let user = read_opcodes(GOOD).unwrap();
        let row = &user.rows()[0];
        assert_eq!((row.opcode, row.spec, row.name.as_str()), (0xF0, Some(0x40), "KERNEL_CALL"));
        let names: Vec<_> = row.fields.iter().map(|field| field.name.to_string()).collect();
        assert_eq!(names, ["function", "src", "high13", "bytes14", "bytes36"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let line = |from: &str, to: &str| {
            let text = GOOD.replace(from, to);
            assert_ne!(text, GOOD);
            let finding = read_opcodes(&text).unwrap_err();
            (finding.line_and_column(&text).0, finding.message)
        };
        assert_eq!(line("\"u32\"", "\"u31\"").0, 6);
        assert_eq!(line("offset = 20", "offset = 60").0, 1, "the row that the field is in");
        assert!(line("offset = 20", "offset = 60").1.contains("field `src` does not lie within"));
        assert_eq!(line("0xF0", "0x1F0").0, 2);
        assert_eq!(line("spec = 0x40", "spec = 2").0, 1);
        assert_eq!(line("spec", "spek").0, 3);
        assert_eq!(line("name = \"KERNEL_CALL\"", "name = ").0, 4);
        assert!(line("\"low\"", "\"left\"").1.contains("byte, low or high"));
    }
}
