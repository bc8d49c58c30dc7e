//! Integer compares, and the ops that give a result and a predicate. Source: docs/spec/iss-mnemonics.md.

use super::row::rows;

// name, shape, stage of the result, placement, body, opc#, selector in the home slot, grounds
#[rustfmt::skip]
rows! {
    "EQ2NX8" Bvv 11 Cmp21 [leaf "eq_1_8_8"] 991 0x80870000 Exact;
    "EQNX16" Bvv 11 Cmp21 [leaf "eq_2_16_16"] 434 0x80870002 Exact;
    "EQN_2X32" Bvv 11 Cmp21 [leaf "eq_4_32_32"] 1037 0x80870004 Exact;
    "NEQ2NX8" Bvv 11 Cmp21 [leaf "neq_1_8_8"] 992 0x8087010e Exact;
    "NEQNX16" Bvv 11 Cmp21 [leaf "neq_2_16_16"] 435 0x80870200 Exact;
    "NEQN_2X32" Bvv 11 Cmp21 [leaf "neq_4_32_32"] 1038 0x80870202 Exact;
    "LT2NX8" Bvv 11 Cmp21 [leaf "lt_1_8_8"] 989 0x80870102 Exact;
    "LTNX16" Bvv 11 Cmp21 [leaf "lt_2_16_16"] 432 0x80870104 Exact;
    "LTN_2X32" Bvv 11 Cmp21 [leaf "lt_4_32_32"] 1035 0x80870106 Exact;
    "LTU2NX8" Bvv 11 Cmp21 [leaf "ltu_1_8_8"] 993 0x80870108 Exact;
    "LTUNX16" Bvv 11 Cmp21 [leaf "ltu_2_16_16"] 436 0x8087010a Exact;
    "LTUN_2X32" Bvv 11 Cmp21 [leaf "ltu_4_32_32"] 1039 0x8087010c Exact;
    "LE2NX8" Bvv 11 Cmp21 [leaf "le_1_8_8"] 990 0x80870006 Exact;
    "LENX16" Bvv 11 Cmp21 [leaf "le_2_16_16"] 433 0x80870008 Exact;
    "LEN_2X32" Bvv 11 Cmp21 [leaf "le_4_32_32"] 1036 0x8087000a Exact;
    "LEU2NX8" Bvv 11 Cmp21 [leaf "leu_1_8_8"] 994 0x8087000c Exact;
    "LEUNX16" Bvv 11 Cmp21 [leaf "leu_2_16_16"] 437 0x8087000e Exact;
    "LEUN_2X32" Bvv 11 Cmp21 [leaf "leu_4_32_32"] 1040 0x80870100 Exact;
    "BMAX2NX8" VBvv 11 Alu15 [leaf "bmax_1_8_8_8"] 0 0x67068000 Exact;
    "BMAXNX16" VBvv 11 Alu15 [leaf "bmax_2_16_16_16"] 0 0x67070000 Exact;
    "BMAXN_2X32" VBvv 11 Alu15 [leaf "bmax_4_32_32_32"] 0 0x67078000 Exact;
    "BMAXU2NX8" VBvv 11 Alu15 [leaf "bmaxu_1_8_8_8"] 0 none Exact;
    "BMAXUNX16" VBvv 11 Alu15 [leaf "bmaxu_2_16_16_16"] 0 0x80808000 Exact;
    "BMAXUN_2X32" VBvv 11 Alu15 [leaf "bmaxu_4_32_32_32"] 0 none Exact;
    "BMIN2NX8" VBvv 11 Alu15 [leaf "bmin_1_8_8_8"] 0 none Exact;
    "BMINNX16" VBvv 11 Alu15 [leaf "bmin_2_16_16_16"] 0 0x80820000 Exact;
    "BMINN_2X32" VBvv 11 Alu15 [leaf "bmin_4_32_32_32"] 0 none Exact;
    "BMINU2NX8" VBvv 11 Alu15 [leaf "bminu_1_8_8_8"] 0 none Exact;
    "BMINUNX16" VBvv 11 Alu15 [leaf "bminu_2_16_16_16"] 0 0x80838000 Exact;
    "BMINUN_2X32" VBvv 11 Alu15 [leaf "bminu_4_32_32_32"] 0 none Exact;
    "BABS2NX8" VBv 11 Alu17 [leaf "babs_1_8_8"] 0 none Exact;
    "BABSNX16" VBv 11 Alu17 [leaf "babs_2_16_16"] 0 0x64805400 Exact;
    "BABSN_2X32" VBv 11 Alu17 [leaf "babs_4_32_32"] 0 none Exact;
    "BABSSUB2NX8" VBvv 11 Alu15 [leaf "babssub_1_8_8_8"] 0 none Exact;
    "BABSSUBNX16" VBvv 11 Alu15 [leaf "babssub_2_16_16_16"] 0 0x67048000 Exact;
    "BABSSUBU2NX8" VBvv 11 Alu15 [leaf "babssubu_1_8_8_8"] 0 none Exact;
    "BABSSUBUNX16" VBvv 11 Alu15 [leaf "babssubu_2_16_16_16"] 0 0x67058000 Exact;
    "BADDNORMNX16" VBvv 11 Alu15 [leaf "baddnorm_2_16_16_16"] 0 0x67060000 Exact;
    "BSUBNORMNX16" VBvv 11 Alu15 [leaf "bsubnorm_2_16_16_16"] 0 0x80848000 Exact;
    "BXORABSSUBU2NX8" VCvv 11 Alu15 [leaf "bxorabssubu_1_8_8_8_1"] 0 none Assumed;
}
