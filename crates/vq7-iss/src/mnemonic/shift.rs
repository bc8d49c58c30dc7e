//! Shifts, rotations and normalisation. Source: docs/spec/iss-mnemonics.md.

use super::row::rows;

// name, shape, stage of the result, placement, body, opc#, selector in the home slot, grounds
#[rustfmt::skip]
rows! {
    "SLLI2NX8" Vvi3 11 ShiftLeft12 [leaf "sll_u_8_8_3"] 0 0x868c8100 Exact;
    "SLLINX16" Vvi4 11 ShiftLeft12 [leaf "sll_u_16_16_4"] 0 0x868c8200 Exact;
    "SLLIN_2X32" Vvi5 11 ShiftWide9 [leaf "sll_u_32_32_5"] 0 0x86a38000 Exact;
    "SLLNX16" Vvv 11 ShiftLanes9 [leaf "sll_s_16_16_6"] 0 0x86ab8000 Exact;
    "SLLN_2X32" Vvv 11 ShiftLanes9 [leaf "sll_s_32_32_7"] 0 0x86b38000 Exact;
    "SRLI2NX8" Vvi3 11 ShiftRight17 [leaf "srl_u_8_8_3"] 0 0x868d8100 Exact;
    "SRLINX16" Vvi4 11 ShiftRight17 [leaf "srl_u_16_16_4"] 0 0x868e0200 Exact;
    "SRLIN_2X32" Vvi5 11 ShiftWide9 [leaf "srl_u_32_32_5"] 0 0x86ac8000 Exact;
    "SRLNX16" Vvv 11 ShiftLanes9 [leaf "srl_s_16_16_6"] 0 0x86b48000 Exact;
    "SRLN_2X32" Vvv 11 ShiftLanes9 [leaf "srl_s_32_32_7"] 0 0x86bc8000 Exact;
    "SRAI2NX8" Vvi3 11 ShiftRight17 [leaf "sra_u_8_8_3"] 0 0x868d0100 Exact;
    "SRAINX16" Vvi4 11 ShiftRight17 [leaf "sra_u_16_16_4"] 0 0x868d8200 Exact;
    "SRAIN_2X32" Vvi5 11 ShiftWide9 [leaf "sra_u_32_32_5"] 0 0x86b40000 Exact;
    "SRANX16" Vvv 11 ShiftLanes9 [leaf "sra_s_16_16_6"] 0 0x86bc0000 Assumed;
    "SRAN_2X32" Vvv 11 ShiftLanes9 [leaf "sra_s_32_32_7"] 0 0x86a48000 Assumed;
    "ROTRI2NX8" Vvi3 11 ShiftLeft12 [leaf "rotr_u_8_8_3"] 0 0x868c0100 Exact;
    "ROTRINX16" Vvi4 11 ShiftLeft12 [leaf "rotr_u_16_16_4"] 0 0x868c0200 Exact;
    "ROTRIN_2X32" Vvi5 11 ShiftWide9 [leaf "rotr_u_32_32_5"] 0 0x86ba8000 Exact;
    "ROTRNX16" Vvv 11 ShiftLanes9 [leaf "rotr_u_16_16_4"] 0 0x86a30000 Exact;
    "ROTRN_2X32" Vvv 11 ShiftLanes9 [leaf "rotr_u_32_32_5"] 0 0x86ab0000 Exact;
    "NSANX16" Vv 11 Normalise12 [leaf "nsa_16_16"] 0 0x808f8304 Exact;
    "NSAN_2X32" Vv 11 Normalise9 [leaf "nsa_32_32"] 0 0x808f8306 Exact;
    "NSAUNX16" Vv 11 Normalise12 [leaf "nsau_16_16"] 0 0x809f8304 Exact;
    "NSAUN_2X32" Vv 11 Normalise9 [leaf "nsau_32_32"] 0 0x809f8306 Exact;
}
