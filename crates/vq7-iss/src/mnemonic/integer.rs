//! Integer ALU ops, their composites and merging forms. Source: docs/spec/iss-mnemonics.md.

use super::row::rows;

// name, shape, stage of the result, placement, body, opc#, selector in the home slot, grounds
#[rustfmt::skip]
rows! {
    "ADD2NX8" Vvv 11 Alu15 [leaf "add_8_8_8"] 982 0x80ad0000 Exact;
    "ADDNX16" Vvv 11 Alu15 [leaf "add_16_16_16"] 422 0x80b50000 Exact;
    "ADDN_2X32" Vvv 11 Alu15 [leaf "add_32_32_32"] 1025 0x80bd0000 Exact;
    "ADDSNX16" Vvv 11 Alu15 [leaf "adds_16_16_16"] 450 0x80c50000 Exact;
    "SUB2NX8" Vvv 11 Alu15 [leaf "sub_8_8_8"] 983 0x86b10000 Exact;
    "SUBNX16" Vvv 11 Alu15 [leaf "sub_16_16_16"] 423 0x86b90000 Exact;
    "SUBN_2X32" Vvv 11 Alu15 [leaf "sub_32_32_32"] 1026 0x86a18000 Exact;
    "SUBSNX16" Vvv 11 Alu15 [leaf "subs_16_16_16"] 451 0x86a98000 Exact;
    "ABS2NX8" Vv 11 Alu19 [leaf "abs_8_8"] 1017 0x64c05c00 Exact;
    "ABSNX16" Vv 11 Alu19 [leaf "abs_16_16"] 1367 0x64c85c00 Exact;
    "ABSN_2X32" Vv 11 Alu19 [leaf "abs_32_32"] 1018 0x64d85c00 Exact;
    "ABSSNX16" Vv 11 Alu19 [leaf "abss_16_16"] 1368 0x64e85c00 Exact;
    "NEG2NX8" Vv 11 Alu19 [leaf "neg_8_8"] 984 0x6488d400 Exact;
    "NEGNX16" Vv 11 Alu19 [leaf "neg_16_16"] 424 0x6488d800 Exact;
    "NEGN_2X32" Vv 11 Alu19 [leaf "neg_32_32"] 1027 0x6490d000 Exact;
    "NEGSNX16" Vv 11 Alu19 [leaf "negs_16_16"] 452 0x6490d800 Exact;
    "MIN2NX8" Vvv 11 Alu15 [leaf "min_8_8_8"] 985 0x80e58000 Exact;
    "MINNX16" Vvv 11 Alu15 [leaf "min_16_16_16"] 425 0x80fd8000 Exact;
    "MINN_2X32" Vvv 11 Alu15 [leaf "min_32_32_32"] 1028 0x86a80000 Exact;
    "MINU2NX8" Vvv 11 Alu15 [leaf "minu_8_8_8"] 986 0x86b80000 Exact;
    "MINUNX16" Vvv 11 Alu15 [leaf "minu_16_16_16"] 426 0x86a08000 Exact;
    "MINUN_2X32" Vvv 11 Alu15 [leaf "minu_32_32_32"] 1029 0x86a88000 Exact;
    "MAX2NX8" Vvv 11 Alu15 [leaf "max_8_8_8"] 987 0x80958000 Exact;
    "MAXNX16" Vvv 11 Alu15 [leaf "max_16_16_16"] 427 0x80ad8000 Exact;
    "MAXN_2X32" Vvv 11 Alu15 [leaf "max_32_32_32"] 1030 0x80bd8000 Exact;
    "MAXU2NX8" Vvv 11 Alu15 [leaf "maxu_8_8_8"] 988 0x80cd8000 Exact;
    "MAXUNX16" Vvv 11 Alu15 [leaf "maxu_16_16_16"] 428 0x80d58000 Exact;
    "MAXUN_2X32" Vvv 11 Alu15 [leaf "maxu_32_32_32"] 1031 0x80dd8000 Exact;
    "AND2NX8" Vvv 11 Alu15 [leaf "and_512_512_512"] 419 0x80cd0000 Exact;
    "OR2NX8" Vvv 11 Alu15 [leaf "or_512_512_512"] 420 0x86a90000 Exact;
    "XOR2NX8" Vvv 11 Alu15 [leaf "xor_512_512_512"] 418 0x86b18000 Exact;
    "NOT2NX8" Vv 11 Alu19 [leaf "not_512_512"] 421 0x6490dc00 Exact;
    "ABSSUB2NX8" Vvv 11 Alu15 [leaf "abssub_8_8_8"] 0 none Exact;
    "ABSSUBNX16" Vvv 11 Alu15 [leaf "abssub_16_16_16"] 0 none Exact;
    "ABSSUBU2NX8" Vvv 11 Alu15 [leaf "abssubu_8_8_8"] 0 none Exact;
    "ABSSUBUNX16" Vvv 11 Alu15 [leaf "abssubu_16_16_16"] 0 none Exact;
    "ABSSSUBNX16" Vvv 11 Alu15 [leaf "absssub_16_16_16"] 0 none Exact;
    "AVG2NX8" Vvv 11 Alu15 [leaf "avg_8_8_8"] 0 none Assumed;
    "AVGNX16" Vvv 11 Alu15 [leaf "avg_16_16_16"] 0 none Reconciled;
    "AVGU2NX8" Vvv 11 Alu15 [leaf "avgu_8_8_8"] 0 none Assumed;
    "AVGUNX16" Vvv 11 Alu15 [leaf "avgu_16_16_16"] 0 none Reconciled;
    "AVGR2NX8" Vvv 11 Alu15 [leaf "avgr_8_8_8"] 0 none Assumed;
    "AVGRNX16" Vvv 11 Alu15 [leaf "avgr_16_16_16"] 0 none Reconciled;
    "AVGRU2NX8" Vvv 11 Alu15 [leaf "avgru_8_8_8"] 0 none Assumed;
    "AVGRUNX16" Vvv 11 Alu15 [leaf "avgru_16_16_16"] 0 none Reconciled;
    "MINORMAX2NX8" Vvv 11 Alu15 [leaf "minormax_8_8_8"] 0 none Unknown;
    "MINORMAXU2NX8" Vvv 11 Alu15 [leaf "minormaxu_8_8_8"] 0 none Unknown;
    "MULSGNNX16" Vvv 11 MulSign12 [leaf "mulsgn_16_16_16"] 0 none Exact;
    "MULSGNSNX16" Vvv 11 MulSign12 [leaf "mulsgns_16_16_16"] 0 none Exact;
    "MULSGNN_2X32" Vvv 11 MulSign12 [leaf "mulsgn_32_32_32"] 0 none Exact;
    "ADDNX16T" Uvvb 11 Alu13 [leaf "add_16_16_16"] 0 0x66f80000 Exact;
    "ADDSNX16T" Uvvb 11 Alu13 [leaf "adds_16_16_16"] 0 0x67880000 Exact;
    "SUBNX16T" Uvvb 11 Alu13 [leaf "sub_16_16_16"] 0 0x80500000 Exact;
    "SUBSNX16T" Uvvb 11 Alu13 [leaf "subs_16_16_16"] 0 0x80600000 Exact;
    "MAXNX16T" Uvvb 11 Alu13 [leaf "max_16_16_16"] 0 0x67a00000 Exact;
    "MAXUNX16T" Uvvb 11 Alu13 [leaf "maxu_16_16_16"] 0 0x67b80000 Exact;
    "MINNX16T" Uvvb 11 Alu13 [leaf "min_16_16_16"] 0 0x67d00000 Exact;
    "MINUNX16T" Uvvb 11 Alu13 [leaf "minu_16_16_16"] 0 0x67f80000 Exact;
    "NEGNX16T" Uvb 11 Alu17 [leaf "neg_16_16"] 0 0x64105000 Exact;
    "NEGSNX16T" Uvb 11 Alu17 [leaf "negs_16_16"] 0 0x64105c00 Exact;
    "ADD2NX8T" Uvvb 11 Alu13 [leaf "add_8_8_8"] 0 none Exact;
    "ADDN_2X32T" Uvvb 11 Alu13 [leaf "add_32_32_32"] 0 none Exact;
    "SUB2NX8T" Uvvb 11 Alu13 [leaf "sub_8_8_8"] 0 none Exact;
    "SUBN_2X32T" Uvvb 11 Alu13 [leaf "sub_32_32_32"] 0 none Exact;
}
