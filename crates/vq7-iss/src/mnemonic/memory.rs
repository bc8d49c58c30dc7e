//! Vector loads and stores. Source: docs/spec/iss-mnemonics.md.

use super::row::rows;

// name, shape, stage of the result, placement, body, opc#, selector in the home slot, grounds
#[rustfmt::skip]
rows! {
    "LV2NX8_I" Li64 0 Load16 [load 64 plain] 0 none Exact;
    "LV2NX8_IP" Lp64 0 Load16 [load 64 plain] 0 none Exact;
    "LV2NX8_X" Lx 0 Load16 [load 64 plain] 0 none Exact;
    "LV2NX8_XP" Lq 0 Load16 [load 64 plain] 0 none Exact;
    "LVNX8S_I" Li32 0 Load16 [load 32 (8,16,true)] 0 0x10900000 Reconciled;
    "LVNX8S_IP" Lp32 0 Load16 [load 32 (8,16,true)] 0 0x10f2c100 Reconciled;
    "LVNX8S_X" Lx 0 Load16 [load 32 (8,16,true)] 0 0x10ed0000 Reconciled;
    "LVNX8S_XP" Lq 0 Load16 [load 32 (8,16,true)] 0 0x10ed0100 Reconciled;
    "LVNX8U_I" Li32 0 Load16 [load 32 (8,16,false)] 0 none Reconciled;
    "LVNX8U_IP" Lp32 0 Load16 [load 32 (8,16,false)] 0 none Reconciled;
    "LVNX8U_X" Lx 0 Load16 [load 32 (8,16,false)] 0 none Reconciled;
    "LVNX8U_XP" Lq 0 Load16 [load 32 (8,16,false)] 0 none Reconciled;
    "LVN_2X16S_I" Li32 0 Load16 [load 32 (16,32,true)] 0 0x10940000 Reconciled;
    "LVN_2X16S_IP" Lp32 0 Load16 [load 32 (16,32,true)] 0 none Reconciled;
    "LVN_2X16S_X" Lx 0 Load16 [load 32 (16,32,true)] 0 none Reconciled;
    "LVN_2X16S_XP" Lq 0 Load16 [load 32 (16,32,true)] 0 none Reconciled;
    "LVN_2X16U_I" Li32 0 Load16 [load 32 (16,32,false)] 0 none Reconciled;
    "LVN_2X16U_IP" Lp32 0 Load16 [load 32 (16,32,false)] 0 none Reconciled;
    "LVN_2X16U_X" Lx 0 Load16 [load 32 (16,32,false)] 0 none Reconciled;
    "LVN_2X16U_XP" Lq 0 Load16 [load 32 (16,32,false)] 0 none Reconciled;
    "SV2NX8_I" Si64 0 Store9 [store 64 plain] 0 0x10a20000 Exact;
    "SV2NX8T_I" Ti64 0 Store9 [store 64 plain] 0 0x10200000 Exact;
    "SV2NX8_IP" Sp64 0 Store9 [store 64 plain] 0 0x10f44100 Exact;
    "SV2NX8T_IP" Tp64 0 Store9 [store 64 plain] 0 none Exact;
    "SV2NX8_X" Sx 0 Store9 [store 64 plain] 0 0x10f00000 Exact;
    "SV2NX8_XP" Sq 0 Store9 [store 64 plain] 0 0x10f00100 Exact;
    "SVNX8S_I" Si32 0 Store9 [store 32 (8,16,true)] 0 0x10a60000 Assumed;
    "SVNX8ST_I" Ti32 0 Store9 [store 32 (8,16,true)] 0 none Assumed;
    "SVNX8S_IP" Sp32 0 Store9 [store 32 (8,16,true)] 0 none Assumed;
    "SVNX8ST_IP" Tp32 0 Store9 [store 32 (8,16,true)] 0 none Assumed;
    "SVNX8S_X" Sx 0 Store9 [store 32 (8,16,true)] 0 none Assumed;
    "SVNX8S_XP" Sq 0 Store9 [store 32 (8,16,true)] 0 none Assumed;
    "SVNX8U_I" Si32 0 Store9 [store 32 (8,16,false)] 0 0x10aa0000 Assumed;
    "SVNX8UT_I" Ti32 0 Store9 [store 32 (8,16,false)] 0 none Assumed;
    "SVNX8U_IP" Sp32 0 Store9 [store 32 (8,16,false)] 0 none Assumed;
    "SVNX8UT_IP" Tp32 0 Store9 [store 32 (8,16,false)] 0 none Assumed;
    "SVNX8U_X" Sx 0 Store9 [store 32 (8,16,false)] 0 none Assumed;
    "SVNX8U_XP" Sq 0 Store9 [store 32 (8,16,false)] 0 none Assumed;
    "SVN_2X16S_I" Si32 0 Store9 [store 32 (16,32,true)] 0 0x10ae0000 Assumed;
    "SVN_2X16ST_I" Ti32 0 Store9 [store 32 (16,32,true)] 0 none Assumed;
    "SVN_2X16S_IP" Sp32 0 Store9 [store 32 (16,32,true)] 0 none Assumed;
    "SVN_2X16ST_IP" Tp32 0 Store9 [store 32 (16,32,true)] 0 none Assumed;
    "SVN_2X16S_X" Sx 0 Store9 [store 32 (16,32,true)] 0 none Assumed;
    "SVN_2X16S_XP" Sq 0 Store9 [store 32 (16,32,true)] 0 none Assumed;
    "SVN_2X16U_I" Si32 0 Store9 [store 32 (16,32,false)] 0 0x10b20000 Assumed;
    "SVN_2X16UT_I" Ti32 0 Store9 [store 32 (16,32,false)] 0 none Assumed;
    "SVN_2X16U_IP" Sp32 0 Store9 [store 32 (16,32,false)] 0 none Assumed;
    "SVN_2X16UT_IP" Tp32 0 Store9 [store 32 (16,32,false)] 0 none Assumed;
    "SVN_2X16U_X" Sx 0 Store9 [store 32 (16,32,false)] 0 none Assumed;
    "SVN_2X16U_XP" Sq 0 Store9 [store 32 (16,32,false)] 0 none Assumed;
}
