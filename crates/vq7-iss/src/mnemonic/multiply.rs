//! Multiplies, packs, accumulators, divide steps. Source: docs/spec/iss-mnemonics.md.

use super::row::rows;

// name, shape, stage of the result, placement, body, opc#, selector in the home slot, grounds
#[rustfmt::skip]
rows! {
    "MUL2NX8" Wvv 12 Multiply8 [leaf "mul_24_8_8"] 0 0x00c57000 Exact;
    "MULA2NX8" Xvv 12 Multiply8 [leaf "mula_24_24_8_8"] 0 0x00c57040 Exact;
    "MULS2NX8" Xvv 12 Multiply8 [leaf "muls_24_24_8_8"] 0 0x0101f040 Exact;
    "MULNX16" Wvv 12 Multiply8 [leaf "mul_48_16_16"] 0 0x01003040 Exact;
    "MULANX16" Xvv 12 Multiply8 [leaf "mula_48_48_16_16"] 0 0x00c570c0 Exact;
    "MULSNX16" Xvv 12 Multiply8 [leaf "muls_48_48_16_16"] 0 0x01027040 Exact;
    "MULN_2X32" Wvv 12 Multiply8 [leaf "mul_96_32_32"] 0 none Exact;
    "MULAN_2X32" Xvv 12 Multiply8 [leaf "mula_96_96_32_32"] 0 none Exact;
    "MULSN_2X32" Xvv 12 Multiply8 [leaf "muls_96_96_32_32"] 0 none Exact;
    "MULUS2NX8" Wvv 12 Multiply8 [leaf "mulus_24_8_8"] 0 0x00c6b080 Exact;
    "MULUSA2NX8" Xvv 12 Multiply8 [leaf "mulusa_24_24_8_8"] 0 0x00c6b0c0 Exact;
    "MULUSNX16" Wvv 12 Multiply8 [leaf "mulus_48_16_16"] 0 0x00c73080 Exact;
    "MULUSANX16" Xvv 12 Multiply8 [leaf "mulusa_48_48_16_16"] 0 0x00c6f040 Exact;
    "MULUU2NX8" Wvv 12 Multiply8 [leaf "muluu_24_8_8"] 0 0x00c7f000 Exact;
    "MULUUA2NX8" Xvv 12 Multiply8 [leaf "muluua_24_24_8_8"] 0 0x00c7f040 Exact;
    "MULUUNX16" Wvv 12 Multiply8 [leaf "muluu_48_16_16"] 0 0x010070c0 Exact;
    "MULUUANX16" Xvv 12 Multiply8 [leaf "muluua_48_48_16_16"] 0 0x00c7f0c0 Exact;
    "MULN_2X16X32_0" Wvv 12 Multiply8 [leaf "muln_2x16x32_0_96_32_32"] 0 0x0100f040 Exact;
    "MULAN_2X16X32_0" Xvv 12 Multiply8 [leaf "mulan_2x16x32_0_96_96_32_32"] 0 0x00c5b080 Exact;
    "MULNX16PACKL" Vvv 12 MultiplyPack4 [leaf "mul_16_16_16_packl"] 0 none Exact;
    "MULANX16PACKL" Uvv 12 MultiplyPack4 [leaf "mula_16_16_16_packl"] 0 none Exact;
    "MULSNX16PACKL" Uvv 12 MultiplyPack4 [leaf "muls_16_16_16_packl"] 0 none Exact;
    "MULNX16C" Wvv 12 Multiply8 [unknown] 0 0x01007040 Unknown;
    "MULNX16J" Wvv 12 Multiply8 [unknown] 0 0x0100b040 Unknown;
    "MULANX16C" Xvv 12 Multiply8 [unknown] 0 0x00c5b000 Unknown;
    "MULANX16J" Xvv 12 Multiply8 [unknown] 0 0x00c5b040 Unknown;
    "MUL4TN16XR16" Wvv 12 Multiply8 [unknown] 0 0x00c00080 Unknown;
    "MUL4TAN16XR16" Xvv 12 Multiply8 [unknown] 0 0x00c00040 Unknown;
    "MULQ2N8XR8" Wvv 12 QuadMultiply1 [unknown] 0 0x88000000 Unknown;
    "MULQA2N8XR8" Xvv 12 QuadMultiply1 [unknown] 0 0x8c000000 Unknown;
    "MULQN16XR16" Wvv 12 QuadMultiply1 [unknown] 0 0x98000000 Unknown;
    "MULQAN16XR16" Xvv 12 QuadMultiply1 [unknown] 0 0x90000000 Unknown;
    "PACKL2NX24" Vw 12 Pack8 [leaf "packl_8_24"] 0 0x0033b050 Exact;
    "PACKLNX48" Vw 12 Pack8 [leaf "packl_16_48"] 0 0x0033b051 Exact;
    "PACKLN_2X96" Vw 12 Pack8 [leaf "packl_32_96"] 0 0x0033a060 Exact;
    "PACKMNX48" Vw 12 Pack8 [leaf "packm_16_48"] 0 0x0033b060 Exact;
    "PACKHN_2X64W" Vw 12 Pack8 [leaf "packm_32_96"] 0 0x0033a050 Assumed;
    "PACKVR2NX24" Vwa 12 Pack8 [leaf "packvr_8_24_32"] 0 0x000c1000 Exact;
    "PACKVRNX48" Vwa 12 Pack8 [leaf "packvr_16_48_32"] 0 0x00320000 Exact;
    "PACKVRN_2X64W" Vwa 12 Pack8 [leaf "packvr_32_96_32"] 0 0x00321001 Exact;
    "PACKVRNRNX48" Vwa 12 Pack8 [leaf "packvrnr_16_48_32"] 0 0x00300000 Exact;
    "PACKVRU2NX24" Vwa 12 Pack8 [leaf "packvru_8_24_32"] 0 0x00340000 Exact;
    "PACKV2NX24" Vwv 12 PackLanes1 [leaf "packv_8_24_8"] 0 0x003c9000 Exact;
    "PACKVNX48" Vwv 12 PackLanes1 [leaf "packv_16_48_16"] 0 0x003dd000 Exact;
    "PACKVNRNX48" Vwv 12 PackLanes1 [leaf "packvnr_16_48_16"] 0 0x003d5000 Exact;
    "PACKVU2NX24" Vwv 12 PackLanes1 [leaf "packvu_8_24_8"] 0 0x00322000 Exact;
    "CVT24S2NX16" Wvv 12 Multiply8 [widen (16,24,true)] 0 0x01042000 Assumed;
    "CVT24U2NX16" Wvv 12 Multiply8 [widen (16,24,false)] 0 0x010c2000 Assumed;
    "CVT48SNX32" Wvv 12 Multiply8 [widen (32,48,true)] 0 0x01042040 Assumed;
    "CVT48UNX32" Wvv 12 Multiply8 [widen (32,48,false)] 0 none Assumed;
    "MOVWW" Ww 12 Multiply8 [copywide] 0 0x01043100 Assumed;
    "DIVNX16S_4STEP0" VVvvi1 12 Divide1 [leaf "divnx16s_4step0"] 0 0x400000 Assumed;
    "DIVNX16S_4STEP" UUvi1 12 Divide1 [leaf "divnx16s_4step"] 0 none Assumed;
    "DIVNX16S_4STEPN" UUvi1 12 Divide1 [leaf "divnx16s_4stepn"] 0 none Assumed;
    "DIVNX16U_4STEP0" VVvvi1 12 Divide1 [leaf "divnx16u_4step0"] 0 0x600000 Assumed;
    "DIVNX16U_4STEP" UUvi1 12 Divide1 [leaf "divnx16u_4step"] 0 none Assumed;
    "DIVNX16U_4STEPN" UUvi1 12 Divide1 [leaf "divnx16u_4stepn"] 0 none Assumed;
    "DIVNX16Q_4STEP0" VVvvi1 12 Divide1 [unknown] 0 0x0 Unknown;
    "DIVNX16SQ_4STEP0" VVvvi1 12 Divide1 [unknown] 0 0x200000 Unknown;
    "DIVN_2X32X16S_4STEP0" VVvvi1 12 Divide1 [unknown] 0 0x800000 Unknown;
    "DIVN_2X32X16U_4STEP0" VVvvi1 12 Divide1 [unknown] 0 0xa00000 Unknown;
}
