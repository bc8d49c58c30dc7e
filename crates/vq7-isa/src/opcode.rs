//! The opcode table: one row per opcode value of any generation.

use crate::generation::{Generation, Generations};

/// Tensor-tensor arithmetic.
pub const TENSOR_TENSOR_ARITH_OP: u8 = 0x41;
/// Tensor-tensor bitwise ops and shifts.
pub const TENSOR_TENSOR_BITVEC_OP: u8 = 0x51;
/// Batch-norm back-propagation.
pub const BATCH_NORM_BACK_PROP: u8 = 0x65;
/// Copy where a predicate is non-zero.
pub const COPY_PREDICATED: u8 = 0x72;
/// Convert and copy where a predicate is non-zero.
pub const CAST_PREDICATED: u8 = 0x99;
/// SUNDA's paired bfloat16 add.
pub const TENSOR_TENSOR_ADD_BF16: u8 = 0x8A;
/// SUNDA's paired bfloat16 multiply.
pub const TENSOR_TENSOR_MULT_BF16: u8 = 0x8B;
/// SUNDA's paired bfloat16 subtract.
pub const TENSOR_TENSOR_SUB_BF16: u8 = 0x8F;
/// The extended instructions; byte 12 picks which.
pub const EXTENDED_INST: u8 = 0xF0;
/// Random numbers.
pub const RAND: u8 = 0x76;
/// Reads the state of a random generator.
pub const RAND_GET_STATE: u8 = 0x77;
/// Sets the state of a random generator.
pub const RAND_SET_STATE: u8 = 0x78;
/// Waits and signals and does nothing else; it has a second event block.
pub const EVENT_SEMAPHORE: u8 = 0xA0;
/// Host-only words of which byte 12 picks the kind: the end of a stream is one.
pub const PSEUDO_INST: u8 = 0xDF;
/// The one opcode whose length byte may be 0x11.
pub const QUANTIZE_MX: u8 = 0xE3;
/// Tensor-scalar, arithmetic.
pub const TENSOR_SCALAR_ARITH_OP: u8 = 0x43;
/// Tensor-scalar, arithmetic, both scalars by pointer; deprecated.
pub const TENSOR_SCALAR_PTR_ARITH_OP: u8 = 0x44;
/// Copy.
pub const COPY: u8 = 0x46;
/// Copy with a conversion.
pub const CAST: u8 = 0x47;
/// Tensor-scalar, bit patterns.
pub const TENSOR_SCALAR_BITVEC_OP: u8 = 0x53;
/// Tensor-scalar, bit patterns, both scalars by pointer; deprecated.
pub const TENSOR_SCALAR_PTR_BITVEC_OP: u8 = 0x54;
/// Scalar-tensor-tensor, arithmetic.
pub const SCALAR_TENSOR_TENSOR_ARITH: u8 = 0x9D;
/// Scalar-tensor-tensor, bit patterns.
pub const SCALAR_TENSOR_TENSOR_BITVEC: u8 = 0x9E;
/// Scan of two tensors.
pub const TENSOR_TENSOR_SCAN_ARITH: u8 = 0xE5;

/// One opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opcode {
    /// Byte 0 of the word.
    pub code: u8,
    /// The header's name without prefix.
    pub name: &'static str,
    /// Generations whose enum has the value.
    pub generations: Generations,
    /// Whether the header marks it as maintained, else dormant.
    pub maintained: bool,
    /// The wire struct, where a source names it.
    pub wire_struct: Option<&'static str>,
    /// Where it runs. The least certain column: sources disagree.
    pub engine: &'static str,
}

impl Opcode {
    /// The row of a code, whatever the generation.
    pub fn from_code(code: u8) -> Option<&'static Self> {
        INDEX[code as usize].map(|row| &OPCODES[row as usize])
    }

    /// The row of a header name.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        OPCODES.iter().find(|row| row.name == name)
    }

    /// Whether the generation's enum has the value. INVALID (0xFF) is a value of the enum that no word may carry.
    pub fn is_valid(code: u8, generation: Generation) -> bool {
        code != INVALID && Self::from_code(code).is_some_and(|row| row.generations.contains(generation))
    }

    /// Host-only: must be lowered before a device sees it.
    pub fn is_pseudo(&self) -> bool {
        self.engine == "host"
    }
}

/// The enum's INVALID value.
pub const INVALID: u8 = 0xFF;

macro_rules! opcodes {
    (@maintained maintained) => { true };
    (@maintained dormant) => { false };
    (@struct "") => { None };
    (@struct $name:literal) => { Some($name) };
    ($($code:literal $name:literal $since:ident $maintained:ident $wire_struct:tt $engine:literal;)*) => {
        /// Every opcode, in the order of the codes.
        pub static OPCODES: &[Opcode] = &[$(Opcode {
            code: $code, name: $name, generations: Generations::$since, maintained: opcodes!(@maintained $maintained),
            wire_struct: opcodes!(@struct $wire_struct), engine: $engine,
        },)*];
    };
}

static INDEX: [Option<u8>; 256] = {
    let mut index = [None; 256];
    let mut row = 0;
    while row < OPCODES.len() {
        index[OPCODES[row].code as usize] = Some(row as u8);
        row += 1;
    }
    index
};

// code, the header's name, generations, maintained flag, wire struct ("" = not named in our sources), engine
#[rustfmt::skip]
opcodes! {
    0x01 "LDWEIGHTS"                            SCMV maintained "S3_LW"                 "PE";
    0x02 "MATMUL"                               SCMV maintained "S3D3_MM"               "PE";
    0x03 "PE_REG_WRITE"                         SCMV maintained ""                      "PE";
    0x04 "WEIGHT_MASK"                          SCMV dormant    ""                      "PE";
    0x05 "WEIGHT_SHIFT"                         SCMV dormant    ""                      "PE";
    0x06 "LDTAGS"                               CMV  maintained ""                      "PE";
    0x07 "MATMUL_SPARSE"                        CMV  maintained "S4D3_MM"               "PE";
    0x08 "PE_MANAGE_SEED"                       MV   maintained ""                      "PE";
    0x09 "LDWEIGHTS_MX"                         MV   maintained ""                      "PE";
    0x0A "MATMUL_MX"                            MV   maintained ""                      "PE";
    0x21 "ACTIVATE"                             SCMV maintained ""                      "ACT";
    0x22 "ACTIVATE_QUANTIZE"                    SCMV maintained ""                      "ACT";
    0x23 "ACTIVATION_TABLE_LOAD"                SCMV maintained ""                      "ACT";
    0x24 "ACTIVATION_READ_ACCUMULATOR"          SCMV maintained ""                      "ACT";
    0x25 "ACTIVATE2"                            MV   maintained "S2D2_AC"               "ACT(M)/DVE(V)";
    0x26 "ACTIVATE_MULTIPASS"                   V    maintained "S1S2D2_AM"             "ACT(dormant)";
    0x30 "EXPONENTIAL"                          SCMV maintained "S3D3_TS"               "DVE";
    0x41 "TENSOR_TENSOR_ARITH_OP"               SCMV maintained "S3S3D3_TT"             "POOL+DVE";
    0x42 "TENSOR_REDUCE_ARITH_OP"               SCMV maintained "S4D4_TR"               "DVE";
    0x43 "TENSOR_SCALAR_ARITH_OP"               SCMV maintained "S3D3_TS"               "DVE(+POOL SUNDA)";
    0x44 "TENSOR_SCALAR_PTR_ARITH_OP"           SCMV dormant    "S3D3_TS"               "DVE(+POOL SUNDA)";
    0x45 "POOL"                                 SCMV maintained "S4D4_PL"               "POOL";
    0x46 "COPY"                                 SCMV maintained "S4D4_TR"               "POOL+DVE";
    0x47 "CAST"                                 SCMV maintained "S4D4_TR"               "POOL+DVE";
    0x48 "RECIPROCAL"                           SCMV maintained "S4D4_TR"               "DVE/SEQ";
    0x49 "MEMSET"                               SCMV maintained "D4_MR"                 "POOL(SUNDA)/SEQ";
    0x4A "REG_LOAD"                             SCMV dormant    ""                      "POOL/DVE";
    0x4B "REG_STORE"                            SCMV dormant    "D4_MR"                 "POOL/DVE";
    0x4C "REG_SHUFFLE"                          SCMV dormant    ""                      "POOL/DVE";
    0x4D "RNG"                                  SCMV maintained "D4_MR"                 "POOL/DVE";
    0x4E "TENSOR_CUMULATIVE_ARITH_OP"           SCMV maintained "S4D4_TR"               "DVE";
    0x4F "TENSOR_SCALAR_PTR_MULTI_ARITH"        SCMV dormant    "S4D4_TSM"              "DVE";
    0x51 "TENSOR_TENSOR_BITVEC_OP"              SCMV maintained "S3S3D3_TT"             "POOL+DVE";
    0x52 "TENSOR_REDUCE_BITVEC_OP"              SCMV maintained "S4D4_TR"               "POOL+DVE";
    0x53 "TENSOR_SCALAR_BITVEC_OP"              SCMV maintained "S3D3_TS"               "DVE";
    0x54 "TENSOR_SCALAR_PTR_BITVEC_OP"          SCMV dormant    "S3D3_TS"               "DVE";
    0x58 "MAX_POOL_SELECT"                      SCMV maintained "S4D4_PL"               "DVE";
    0x5E "TENSOR_CUMULATIVE_BITVEC_OP"          SCMV maintained "S4D4_TR"               "DVE";
    0x5F "TENSOR_SCALAR_PTR_MULTI_BITVEC"       SCMV dormant    "S4D4_TSM"              "DVE";
    0x60 "BATCH_NORM_STATS"                     SCMV dormant    ""                      "DVE";
    0x61 "BATCH_NORM_STATS2"                    SCMV maintained ""                      "DVE";
    0x62 "BATCH_NORM_AGGREGATE"                 SCMV maintained ""                      "DVE";
    0x63 "BATCH_NORM_GRAD_ACCUMULATE"           SCMV dormant    "S3S3D1_BN"             "DVE";
    0x64 "BATCH_NORM_PARAM_LOAD"                SCMV dormant    "S2_BN"                 "DVE";
    0x65 "BATCH_NORM_BACK_PROP"                 SCMV maintained "S3S3D3_TT"             "DVE";
    0x66 "LOAD_PARAMETER_RAM"                   SCMV maintained "CTRL_IM"               "POOL/SEQ";
    0x67 "POOL_BUFFER_LOAD"                     SCMV maintained "S4_PB"                 "POOL(SUNDA)/SEQ";
    0x68 "GATHER"                               SCMV maintained "S4D4_GT"               "POOL(SUNDA)/SEQ";
    0x69 "LOAD_MASK_SELECT"                     SCMV maintained "CTRL_IM"               "SEQ";
    0x6A "STREAM_SHUFFLE"                       SCMV maintained "S4D4_TR"               "DVE/SEQ";
    0x6B "STREAM_TRANSPOSE"                     SCMV maintained "S4D4_TR"               "DVE";
    0x6C "MAX8"                                 SCMV maintained ""                      "DVE";
    0x6D "MATCH_VALUE_LOAD"                     SCMV maintained "S2_BN"                 "DVE";
    0x6E "FIND_INDEX8"                          SCMV maintained ""                      "DVE";
    0x6F "MATCH_REPLACE8"                       SCMV maintained ""                      "DVE";
    0x70 "TENSOR_SCALAR_IMM_LD_ARITH"           SCMV dormant    "S2_BN"                 "DVE";
    0x71 "TENSOR_SCALAR_IMM_LD_BITVEC"          SCMV dormant    "S2_BN"                 "DVE";
    0x72 "COPY_PREDICATED"                      SCMV maintained "S3S3D3_TT"             "DVE";
    0x73 "ROI_ALIGN"                            SCMV dormant    "S2S2D3_ROI"            "POOL";
    0x74 "TENSOR_SCALAR_ADDR"                   SCMV maintained "S2D2_ADDR"             "POOL";
    0x76 "RAND"                                 SCMV dormant    "D4_RAND"               "POOL/DVE";
    0x77 "RAND_GET_STATE"                       SCMV maintained "D4_RAND"               "POOL/DVE/ACT";
    0x78 "RAND_SET_STATE"                       SCMV maintained "S1_RAND"               "POOL/DVE/ACT";
    0x79 "EMBEDDING_UPDATE"                     SCMV maintained ""                      "POOL(SUNDA)";
    0x7A "LOAD_POOL_ARGUMENT"                   SCMV maintained "CTRL_IM"               "POOL";
    0x7B "TENSOR_DEQUANTIZE"                    SCMV maintained "S3D3_TENS_DEQUANT"     "POOL";
    0x7C "CROSS_LANE_REDUCE_ARITH"              SCMV maintained "S4D4_CR"               "POOL";
    0x7D "CROSS_LANE_REDUCE_BITVEC"             SCMV maintained "S4D4_CR"               "POOL";
    0x7E "IOTA"                                 SCMV maintained "D4_IOTA"               "POOL";
    0x7F "DROPOUT"                              SCMV maintained ""                      "DVE";
    0x81 "JPEG_DECODE"                          CMV  dormant    ""                      "POOL";
    0x82 "TRANSPOSE_BATCH_NORM_STATS2"          SCMV maintained ""                      "DVE";
    0x83 "TRANSPOSE_TENSOR_REDUCE_ARITH_OP"     SCMV maintained "S4D4_TR"               "DVE";
    0x84 "TRANSPOSE_TENSOR_REDUCE_BITVEC_OP"    SCMV maintained "S4D4_TR"               "DVE";
    0x85 "CUSTOM_OP_HEADER"                     SCMV maintained "CUSTOM_OP_HEADER"      "POOL-queue";
    0x86 "CUSTOM_OP_PAYLOAD"                    SCMV maintained "CUSTOM_OP_PAYLOAD"     "POOL-queue";
    0x87 "TENSOR_SCALAR_PTR_MULTI_DUAL_ARITH"   S    dormant    "S3D3_TS"               "DVE";
    0x88 "TENSOR_SCALAR_PTR_MULTI_DUAL_BITVEC"  S    dormant    "S3D3_TS"               "DVE";
    0x8A "TENSOR_TENSOR_ADD_BF16"               S    maintained "S3S3D3_TT"             "DVE";
    0x8B "TENSOR_TENSOR_MULT_BF16"              S    maintained "S3S3D3_TT"             "DVE";
    0x8C "TENSOR_REDUCE_ADD_BF16"               S    maintained "S4D4_TR"               "DVE";
    0x8D "TENSOR_REDUCE_MAX_BF16"               S    maintained "S4D4_TR"               "DVE";
    0x8E "BATCH_NORM_PARAM_LOAD2"               SCMV maintained "S2_BNPL2"              "DVE";
    0x8F "TENSOR_TENSOR_SUB_BF16"               S    maintained "S3S3D3_TT"             "DVE";
    0x92 "TENSOR_SCALAR_AFFINE_SELECT"          SCMV maintained "S2D2_TS_AS"            "POOL";
    0x93 "TRANSPOSE_TENSOR_SCALAR_ARITH_OP"     SCMV maintained "S3D3_TS"               "DVE/POOL";
    0x94 "BATCH_NORM_GRAD_ACCUMULATE2"          SCMV maintained "S3S3D1_BN2"            "DVE";
    0x95 "MODIFY_POOL_CONFIG"                   SCMV maintained "MODIFY_POOL_CONFIG"    "POOL";
    0x96 "SORT"                                 SCMV maintained "S1D2_SORT"             "POOL";
    0x98 "TENSOR_SCALAR_SELECT"                 SCMV maintained ""                      "DVE";
    0x99 "CAST_PREDICATED"                      SCMV maintained "S3S3D3_TT"             "DVE";
    0x9A "TENSOR_SCALAR_CACHE_REDUCE"           SCMV maintained "S3D3_TS"               "DVE";
    0x9B "DVE_READ_ACCUMULATOR"                 SCMV maintained ""                      "DVE";
    0x9C "TENSOR_REDUCE_RANGE_CHECK"            SCMV dormant    ""                      "DVE";
    0x9D "SCALAR_TENSOR_TENSOR_ARITH"           SCMV maintained "S2S2D2_STT"            "DVE";
    0x9E "SCALAR_TENSOR_TENSOR_BITVEC"          SCMV maintained "S2S2D2_STT"            "DVE";
    0x9F "ENGINE_NOP"                           SCMV maintained "CTRL_IM"               "NX";
    0xA0 "EVENT_SEMAPHORE"                      SCMV maintained "CTRL_ES"               "NX";
    0xA1 "HALT"                                 SCMV maintained ""                      "NX";
    0xA2 "DRAIN"                                SCMV maintained ""                      "NX";
    0xA3 "INSTRUCTION_FLUSH"                    SCMV maintained ""                      "NX";
    0xA4 "NOP"                                  SCMV maintained ""                      "NX";
    0xA5 "WRITE"                                SCMV maintained "CTRL_WR"               "NX";
    0xA6 "NOTIFY"                               SCMV maintained "CTRL_NO"               "NX";
    0xA7 "MOVE"                                 SCMV maintained "CTRL_MV"               "NX";
    0xA8 "ALU_OP"                               SCMV maintained "CTRL_AL"               "NX";
    0xA9 "COMPARE_BRANCH"                       SCMV maintained ""                      "NX";
    0xAA "TENSOR_LOAD"                          SCMV maintained "MEM_2D"                "NX";
    0xAB "TENSOR_STORE"                         SCMV maintained "MEM_2D"                "NX";
    0xB0 "EVENT_SEMAPHORE_RANGE_CLEAR"          SCMV maintained ""                      "NX";
    0xB1 "SET_ORDERING_MODE"                    SCMV maintained ""                      "NX";
    0xB2 "MOVE_SHAPE"                           SCMV maintained ""                      "NX";
    0xB3 "POLL_SEM"                             SCMV maintained "CTRL_POLL_SEM"         "NX";
    0xB4 "TEST_EVENT_SEM"                       MV   maintained "CTRL_TEST_ES"          "NX";
    0xB5 "BRANCH_PREFETCH_HINT"                 SCMV maintained ""                      "NX";
    0xB6 "COMPACT_CONTROL_INST"                 V    maintained "CTRL_CCI"              "NX";
    0xB8 "DMAMEMCPY"                            SCMV maintained "DMA_DIRECT2D"          "NX";
    0xB9 "DMA_MEMCPY2"                          V    maintained ""                      "NX";
    0xBA "DMA_IMMEDIATE"                        V    maintained ""                      "NX";
    0xBB "DMA_INDIRECT"                         SCMV maintained ""                      "NX";
    0xBC "RANGE_SELECT"                         CMV  maintained "S2D2_RS"               "DVE";
    0xBD "DMA_TRANSPOSE"                        CMV  maintained ""                      "NX";
    0xBE "GET_SEQUENCE_BOUNDS"                  CMV  maintained "S3D3_SEQ_BOUNDS"       "POOL";
    0xBF "SB2SB_COLLECTIVE"                     CMV  maintained "S3D3_COLLECTIVE"       "POOL";
    0xC1 "PSEUDO_DMATRIGGER"                    SCMV maintained ""                      "host";
    0xC2 "PSEUDO_DMAREARM"                      SCMV maintained ""                      "host";
    0xC3 "PSEUDO_DMABARRIER"                    SCMV maintained ""                      "host";
    0xC4 "PSEUDO_DMAMEMCPY_FULL_IND"            SCMV maintained ""                      "host";
    0xC5 "PSEUDO_SEMAPHORE_SET"                 SCMV maintained ""                      "host";
    0xC6 "PSEUDO_LOAD_ACT_FUNC_SET"             SCMV maintained ""                      "host";
    0xC7 "PSEUDO_TRIGGER_ALL_REDUCE"            SCMV maintained ""                      "host";
    0xC8 "PSEUDO_TRIGGER_COLLECTIVE"            SCMV maintained ""                      "host";
    0xC9 "PSEUDO_READ_VAR_ADDR"                 SCMV maintained ""                      "host";
    0xCA "PSEUDO_EMBEDDING_UPDATE"              SCMV maintained ""                      "host";
    0xCB "PSEUDO_SEND_RECV"                     SCMV maintained ""                      "host";
    0xCC "PSEUDO_BRANCH_LABEL"                  SCMV maintained ""                      "host";
    0xCD "PSEUDO_TENSOR_STORE"                  SCMV maintained ""                      "host";
    0xCE "PSEUDO_TENSOR_LOAD"                   SCMV maintained ""                      "host";
    0xCF "PSEUDO_DMASWAP_QUEUE_SET"             SCMV maintained ""                      "host";
    0xD0 "PSEUDO_SET_RNG_SEED"                  SCMV maintained ""                      "host";
    0xD1 "PSEUDO_FUNCTION_BEGIN"                SCMV maintained ""                      "host";
    0xD2 "PSEUDO_FUNCTION_RETURN"               SCMV maintained ""                      "host";
    0xD3 "PSEUDO_FUNCTION_CALL"                 SCMV maintained ""                      "host";
    0xD4 "PSEUDO_DMA_DIRECT2D"                  SCMV maintained ""                      "host";
    0xD5 "PSEUDO_SYNC_BARRIER"                  SCMV maintained ""                      "host";
    0xD6 "PSEUDO_RANGE_CHECK"                   SCMV maintained ""                      "host";
    0xD7 "PSEUDO_JPEG_DECODE"                   CMV  maintained ""                      "host";
    0xD8 "PSEUDO_CORE_BARRIER"                  SCMV maintained "PSEUDO_CORE_BARRIER"   "host";
    0xD9 "PSEUDO_TRIGGER_COLLECTIVE2"           SCMV maintained ""                      "host";
    0xDA "PSEUDO_EXTENSION"                     SCMV maintained ""                      "host";
    0xDB "PSEUDO_CUR_PROCESSING_RANK_ID"        SCMV maintained ""                      "host";
    0xDC "PSEUDO_GID_LOAD"                      SCMV maintained ""                      "host";
    0xDD "PSEUDO_BRANCH_PREFETCH_HINT"          SCMV maintained ""                      "host";
    0xDE "PSEUDO_TENSOR_COMPLETION"             SCMV maintained ""                      "host";
    0xDF "PSEUDO_INST"                          SCMV maintained ""                      "host";
    0xE0 "SPARSITY_COMPRESS"                    MV   maintained "SPARSITY_COMPRESS"     "DVE";
    0xE1 "SPARSITY_COMPRESS_TAG"                MV   maintained ""                      "DVE";
    0xE2 "RAND2"                                MV   maintained "D3_RAND"               "DVE";
    0xE3 "QUANTIZE_MX"                          MV   maintained ""                      "DVE";
    0xE4 "CONV_LUT_LOAD"                        CMV  maintained ""                      "POOL";
    0xE5 "TENSOR_TENSOR_SCAN_ARITH"             SCMV maintained "S2S2D2_STT"            "DVE";
    0xE6 "TENSOR_SCALAR_CACHE_CUMULATIVE"       SCMV maintained "S3D3_TS"               "DVE";
    0xE7 "INDIRECT_COPY"                        SCMV maintained "S4D4_IC"               "POOL";
    0xE8 "COPY_PREDICATED_SCALAR"               SCMV maintained "S3D3_CP_PRED_SCALAR"   "DVE";
    0xE9 "DVE_READ_INDICES"                     CMV  maintained "D4_MR"                 "DVE";
    0xEA "SELECT_REDUCE"                        SCMV maintained "S2S2D2_STT"            "DVE";
    0xF0 "EXTENDED_INST"                        SCMV maintained "EXTENDED_*"            "POOL";
    0xF1 "DMA_GATHER_TRANSPOSE"                 CMV  maintained ""                      "NX/DMA";
    0xF2 "NONZERO_WITH_COUNT"                   CMV  maintained "S3D3_NONZERO"          "POOL";
    0xF3 "TENSOR_TENSOR_INT_WIDE"               V    maintained "S2S2D2D2_TT"           "POOL";
    0xF4 "TENSOR_SCALAR_INT_WIDE"               V    maintained "S2D2D2_TS_WIDE"        "DVE";
    0xFF "INVALID"                              SCMV maintained ""                      "";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The runtime's enum test for SUNDA: four 64-bit masks and the values that their bit 0 stands for.
    const SUNDA_MASKS: [(u8, u64); 4] = [
        (0x00, 0x0001_001E_0000_003E),
        (0x41, 0x7FEF_FFFF_E08F_7FFF),
        (0x82, 0x024B_C3FF_FFDF_3F7F),
        (0xC1, 0x4000_82F0_7FBF_FFFF),
    ];

    #[test]
    fn the_four_masks_of_the_runtime_expand_to_exactly_the_sunda_rows() {
        let mut expanded: Vec<u8> = SUNDA_MASKS
            .iter()
            .flat_map(|(base, mask)| (0..64).filter(move |bit| mask >> bit & 1 == 1).map(move |bit| base + bit))
            .collect();
        expanded.sort_unstable();
        let rows: Vec<u8> =
            OPCODES.iter().filter(|row| row.generations.contains(Generation::Sunda)).map(|row| row.code).collect();
        assert_eq!(expanded, rows);
    }

    #[test]
    fn counts_per_generation_and_kind() {
        let count = |generation| OPCODES.iter().filter(|row| row.generations.contains(generation)).count();
        assert_eq!(Generation::ALL.map(count), [145, 150, 159, 159, 165]);
        assert_eq!(OPCODES.len(), 172);
        assert_eq!(OPCODES.iter().filter(|row| row.is_pseudo()).count(), 31);
        assert!(OPCODES.is_sorted_by_key(|row| row.code));
    }

    #[test]
    fn names_are_unique_and_lead_back_to_their_rows() {
        for row in OPCODES {
            assert_eq!(Opcode::from_name(row.name), Some(row));
            assert_eq!(Opcode::from_code(row.code), Some(row));
        }
        assert_eq!(Opcode::from_code(0xC0), None);
        assert!(!Opcode::is_valid(INVALID, Generation::Cayman));
    }
}
