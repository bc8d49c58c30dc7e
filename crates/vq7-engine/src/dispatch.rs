//! The kernel table that each POOL core scans, and the kernels that DVE runs. Source: docs/spec/dispatch.md.

use vq7_isa::Generation;
use vq7_isa::opcode::{self, EXTENDED_INST};

/// What a row leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// 0x41 and 0x51, and SUNDA's BF16 words.
    TensorTensor,
    /// 0x72: copy where the predicate is non-zero.
    CopyPredicated,
    /// 0x99: convert where the predicate is non-zero.
    CastPredicated,
    /// 0x65.
    BatchNormBackProp,
    /// 0x43, 0x53, 0x44, 0x54: two ops on an element and two scalars.
    TensorScalar,
    /// 0x9D, 0x9E: two ops on an element, a scalar and an element.
    ScalarTensorTensor,
    /// 0xE5: each result goes into the next.
    Scan,
    /// 0x46: bits as they are.
    Copy,
    /// 0x47: a conversion.
    Cast,
    /// 0xF0/2.
    ExtendedTensorTensor,
    /// 0xF0/0.
    ExtendedNop,
    /// A kernel that vq7 does not model.
    NotModelled,
}

/// A row: key, handler and, where known, its address in the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Byte 0 of the word.
    pub opcode: u8,
    /// Byte 12 of the word, compared for opcode 0xF0 only.
    pub spec: u8,
    /// Address of the handler in the CAYMAN image.
    pub address: Option<u32>,
    /// What the handler is.
    pub handler: &'static str,
    /// What vq7 runs.
    pub kernel: Kernel,
}

impl Row {
    /// The eight bytes of the record as the image stores it, when the address is known.
    pub fn record(&self) -> Option<[u8; 8]> {
        let [a, b, c, d] = self.address?.to_le_bytes();
        Some([0, 0, self.spec, self.opcode, a, b, c, d])
    }
}

const fn row(opcode: u8, spec: u8, address: u32, handler: &'static str, kernel: Kernel) -> Row {
    Row { opcode, spec, address: Some(address), handler, kernel }
}

const fn plain(opcode: u8, handler: &'static str, kernel: Kernel) -> Row {
    Row { opcode, spec: 0, address: None, handler, kernel }
}

/// CAYMAN's first image, in registration order.
#[rustfmt::skip]
pub const CAYMAN: [Row; 17] = [
    row(0x7E, 0, 0x0100_0080, "iota", Kernel::NotModelled),
    row(0x7C, 0, 0x0100_03F8, "cross-lane reduce, arithmetic", Kernel::NotModelled),
    row(0x7D, 0, 0x0100_0410, "cross-lane reduce, bitvec", Kernel::NotModelled),
    row(0x45, 0, 0x0100_0B90, "pooling", Kernel::NotModelled),
    row(0x51, 0, 0x0100_105C, "tensor-tensor bitvec", Kernel::TensorTensor),
    row(0x41, 0, 0x0100_0F1C, "tensor-tensor arithmetic", Kernel::TensorTensor),
    row(0xF0, 0, 0x0100_3370, "extended engine nop", Kernel::ExtendedNop),
    row(0xF0, 1, 0x0100_3380, "extended copy", Kernel::NotModelled),
    row(0xF0, 2, 0x0100_3484, "extended tensor-tensor", Kernel::ExtendedTensorTensor),
    row(0xF0, 4, 0x0100_37A8, "extended rand, get state", Kernel::NotModelled),
    row(0xF0, 3, 0x0100_3A60, "extended rand, set state", Kernel::NotModelled),
    row(0x52, 0, 0x0100_3B40, "tensor reduce, bitvec", Kernel::NotModelled),
    row(0x46, 0, 0x0100_40C0, "copy", Kernel::Copy),
    row(0x47, 0, 0x0100_4160, "cast", Kernel::Cast),
    row(0xBE, 0, 0x0100_4204, "sequence bounds", Kernel::NotModelled),
    row(0xF2, 0, 0x0100_484C, "nonzero with count", Kernel::NotModelled),
    row(0x7B, 0, 0x0100_4DC4, "dequantize", Kernel::NotModelled),
];

/// Later images have CAYMAN's keys at other addresses. For MARIANA the shift of each row is not published, and
/// MAVERICK's symbols are stripped.
pub const LATER: [Row; 17] = {
    let mut rows = CAYMAN;
    let mut index = 0;
    while index < rows.len() {
        rows[index].address = None;
        index += 1;
    }
    rows
};

/// SUNDA's set: no bitvec row, no extended instructions. Its order and addresses are not published.
#[rustfmt::skip]
pub const SUNDA: [Row; 18] = [
    plain(0x41, "tensor-tensor arithmetic", Kernel::TensorTensor),
    plain(0x43, "tensor-scalar arithmetic", Kernel::TensorScalar),
    plain(0x44, "tensor-scalar arithmetic, pointer", Kernel::TensorScalar),
    plain(0x46, "copy", Kernel::Copy),
    plain(0x47, "cast", Kernel::Cast),
    plain(0x49, "memset", Kernel::NotModelled),
    plain(0x67, "pool buffer load", Kernel::NotModelled),
    plain(0x68, "gather", Kernel::NotModelled),
    plain(0x74, "tensor-scalar address", Kernel::NotModelled),
    plain(0x79, "embedding update", Kernel::NotModelled),
    plain(0x7A, "load pool argument", Kernel::NotModelled),
    plain(0x7C, "cross-lane reduce, arithmetic", Kernel::NotModelled),
    plain(0x7D, "cross-lane reduce, bitvec", Kernel::NotModelled),
    plain(0x7E, "iota", Kernel::NotModelled),
    plain(0x92, "tensor-scalar affine select", Kernel::NotModelled),
    plain(0xB8, "DMA memcpy", Kernel::NotModelled),
    plain(0xBB, "DMA indirect", Kernel::NotModelled),
    plain(0xE7, "indirect copy", Kernel::NotModelled),
];

/// What DVE runs of the modelled words. DVE has no such table; it is ours.
#[rustfmt::skip]
pub const DVE: [Row; 17] = [
    plain(opcode::TENSOR_TENSOR_ARITH_OP, "DVE tensor-tensor arithmetic", Kernel::TensorTensor),
    plain(opcode::TENSOR_TENSOR_BITVEC_OP, "DVE tensor-tensor bitvec", Kernel::TensorTensor),
    plain(opcode::COPY_PREDICATED, "DVE copy predicated", Kernel::CopyPredicated),
    plain(opcode::CAST_PREDICATED, "DVE cast predicated", Kernel::CastPredicated),
    plain(opcode::BATCH_NORM_BACK_PROP, "DVE batch-norm back-propagation", Kernel::BatchNormBackProp),
    plain(opcode::TENSOR_TENSOR_ADD_BF16, "DVE tensor-tensor add, bfloat16 pairs", Kernel::TensorTensor),
    plain(opcode::TENSOR_TENSOR_MULT_BF16, "DVE tensor-tensor multiply, bfloat16 pairs", Kernel::TensorTensor),
    plain(opcode::TENSOR_TENSOR_SUB_BF16, "DVE tensor-tensor subtract, bfloat16 pairs", Kernel::TensorTensor),
    plain(opcode::TENSOR_SCALAR_ARITH_OP, "DVE tensor-scalar arithmetic", Kernel::TensorScalar),
    plain(opcode::TENSOR_SCALAR_BITVEC_OP, "DVE tensor-scalar bitvec", Kernel::TensorScalar),
    plain(opcode::TENSOR_SCALAR_PTR_ARITH_OP, "DVE tensor-scalar arithmetic, pointer", Kernel::TensorScalar),
    plain(opcode::TENSOR_SCALAR_PTR_BITVEC_OP, "DVE tensor-scalar bitvec, pointer", Kernel::TensorScalar),
    plain(opcode::SCALAR_TENSOR_TENSOR_ARITH, "DVE scalar-tensor-tensor arithmetic", Kernel::ScalarTensorTensor),
    plain(opcode::SCALAR_TENSOR_TENSOR_BITVEC, "DVE scalar-tensor-tensor bitvec", Kernel::ScalarTensorTensor),
    plain(opcode::TENSOR_TENSOR_SCAN_ARITH, "DVE tensor-tensor scan", Kernel::Scan),
    plain(opcode::COPY, "DVE copy", Kernel::Copy),
    plain(opcode::CAST, "DVE cast", Kernel::Cast),
];

/// POOL's table on a generation.
pub const fn pool_table(generation: Generation) -> &'static [Row] {
    match generation {
        Generation::Sunda => &SUNDA,
        Generation::Cayman => &CAYMAN,
        Generation::Mariana | Generation::MarianaPlus | Generation::Maverick => &LATER,
    }
}

/// Scans a table front to back; the first match wins. `spec` is byte 12 of the word, which only extended instructions
/// compare.
pub fn lookup(table: &'static [Row], opcode: u8, spec: u8) -> Option<&'static Row> {
    table.iter().find(|row| row.opcode == opcode && (opcode != EXTENDED_INST || row.spec == spec))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The records of CAYMAN's first image as they are stored.
    const RECORDS: &str = "
        0000007e80000001 0000007cf8030001 0000007d10040001 00000045900b0001
        000000515c100001 000000411c0f0001 000000f070330001 000001f080330001
        000002f084340001 000004f0a8370001 000003f0603a0001 00000052403b0001
        00000046c0400001 0000004760410001 000000be04420001 000000f24c480001
        0000007bc44d0001";

    #[test]
    fn the_rows_are_the_records_of_the_image() {
        let hex = |bytes: [u8; 8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let rows: Vec<String> = CAYMAN.iter().filter_map(Row::record).map(hex).collect();
        assert_eq!(rows, RECORDS.split_whitespace().collect::<Vec<_>>());
        assert!(LATER.iter().all(|row| row.record().is_none()));
    }

    #[test]
    fn the_spec_counts_for_extended_instructions_only() {
        let handler = |opcode, spec| lookup(&CAYMAN, opcode, spec).map(|row| row.handler);
        assert_eq!(handler(0x41, 0x88), Some("tensor-tensor arithmetic"));
        assert_eq!(handler(0xF0, 2), Some("extended tensor-tensor"));
        assert_eq!(handler(0xF0, 5), None);
        assert_eq!(handler(0x72, 0), None);
    }

    #[test]
    fn the_table_agrees_with_the_gates_of_legality() {
        for generation in Generation::ALL {
            let table = pool_table(generation);
            let has_bitvec = generation != Generation::Sunda;
            assert!(lookup(table, 0x41, 0).is_some());
            assert_eq!(lookup(table, 0x51, 0).is_some(), has_bitvec);
            assert_eq!(lookup(table, 0xF0, 2).is_some(), has_bitvec);
            for sunda_only in [0x43, 0x44] {
                assert_eq!(lookup(table, sunda_only, 0).is_some(), !has_bitvec);
            }
            assert!(lookup(table, 0x46, 0).is_some() && lookup(table, 0x47, 0).is_some());
            for dve_only in [0x72, 0x99, 0x65, 0x8A, 0x8B, 0x8F, 0x53, 0x54, 0x9D, 0x9E, 0xE5] {
                assert!(lookup(table, dve_only, 0).is_none() && lookup(&DVE, dve_only, 0).is_some());
            }
        }
    }
}
