//! The rows of `vectors/values.csv`: hand-checked results that users of the kernels reported.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

use vq7_isa::{AluOp, Dtype};
use vq7_num::{Lane, format_value, parse_value};
use vq7_policy::Policy;

/// Splits a line of CSV; a field may be quoted.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

#[test]
fn every_row_of_values_csv() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/values.csv");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let policy = Policy::default();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    assert!(lines.next().unwrap().starts_with("id,op,types,in0,in1,out_bits,out_value,"));
    let mut rows = 0;
    for line in lines.filter(|line| !line.is_empty()) {
        let row = fields(line);
        let [id, op, types, in0, in1, out_bits, out_value] = &row[..7] else { panic!("{line}") };
        let op = match op.as_str() {
            "LSR" => AluOp::LogicalShiftRight,
            "LSL" => AluOp::LogicalShiftLeft,
            "ASR" => AluOp::ArithShiftRight,
            name => AluOp::parse(name).unwrap(),
        };
        let types: Vec<Dtype> = types.split('/').map(|name| Dtype::parse(name, &policy).unwrap()).collect();
        let [src0, src1, out] = types[..] else { panic!("{line}") };
        let (a, b) = (parse_value(in0, src0, &policy).unwrap(), parse_value(in1, src1, &policy).unwrap());
        let result = Lane::new(op, src0, src1, out).evaluate(a, b, &policy).unwrap();
        assert_eq!(result.value, parse_value(out_bits, out, &policy).unwrap(), "{line}");
        // The value column reads back to the same bits, and what we print for them does, too.
        assert_eq!(parse_value(out_value, out, &policy).unwrap(), result.value, "{id}");
        assert_eq!(parse_value(&format_value(result.value, out, &policy), out, &policy).unwrap(), result.value, "{id}");
        rows += 1;
    }
    assert!(rows >= 44, "only {rows} rows");
}
