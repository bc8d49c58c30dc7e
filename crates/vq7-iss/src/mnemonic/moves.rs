//! Moves, replications, extractions, predicate logic. Source: docs/spec/iss-mnemonics.md.

use super::row::rows;

// name, shape, stage of the result, placement, body, opc#, selector in the home slot, grounds
#[rustfmt::skip]
rows! {
    "MOVVV" Vv 11 Move23 [copy] 407 0x6488d000 Exact;
    "MOV2NX8T" Uvb 11 Alu13 [bytes] 447 0x80400000 Reconciled;
    "MOVVA8" Va 11 Broadcast8 [spread 8] 1088 0x00602008 Assumed;
    "MOVVA16" Va 11 Broadcast8 [spread 16] 406 0x00602006 Assumed;
    "MOVVA32" Va 11 Broadcast8 [spread 32] 1072 0x00602007 Assumed;
    "MOVVINT8" Vs8 11 Broadcast8 [spread 8] 1087 0x005c6080 Reconciled;
    "MOVVINT16" Vs8 11 Broadcast8 [spread 16] 516 0x005c6000 Reconciled;
    "MOVAV8" Av 12 Extract9 [extract (8,false)] 1220 0x82b9820a Reconciled;
    "MOVAV16" Av 12 Extract9 [extract (16,true)] 522 0x82b9020a Reconciled;
    "MOVAV32" Av 12 Extract9 [extract (32,false)] 1073 0x82b9020b Reconciled;
    "MOVAVU8" Av 12 Extract9 [extract (8,false)] 1089 0x82ba020a Reconciled;
    "MOVAVU16" Av 12 Extract9 [extract (16,false)] 523 0x82b9820b Reconciled;
    "REP2NX8" Vvi6 11 Replicate17 [replicate 8] 366 0x86900000 Exact;
    "REPNX16" Vvi5 11 Replicate17 [replicate 16] 364 0x86900020 Exact;
    "REPN_2X32" Vvi4 11 Replicate17 [replicate 32] 368 0x81000010 Exact;
    "REP2NX8T" Uvi6b 11 Replicate17 [replicate 8] 979 0x80300000 Reconciled;
    "REPNX16T" Uvi5b 11 Replicate17 [replicate 16] 980 0x80300010 Reconciled;
    "REPN_2X32T" Uvi4b 11 Replicate17 [replicate 32] 981 0x81000000 Reconciled;
    "EXTR2NX8" Avi6 12 Extract9 [extract (8,false)] 1218 0x86a60000 Exact;
    "EXTRNX16" Avi5 12 Extract9 [extract (16,true)] 524 0x80e68200 Exact;
    "EXTRN_2X32" Avi4 12 Extract9 [extract (32,false)] 1212 0x80878304 Exact;
    "ANDB" Bbb 11 Predicate8 [leaf "andb_64_64_64"] 0 0x70104a00 Exact;
    "ORB" Bbb 11 Predicate8 [leaf "orb_64_64_64"] 0 0xb0104a00 Exact;
    "XORB" Bbb 11 Predicate8 [leaf "xorb_64_64_64"] 0 0xd0004a00 Exact;
    "ANDNOTB" Bbb 11 Predicate8 [leaf "andnotb_64_64_64"] 0 0xa0004a00 Exact;
    "ORNOTB" Bbb 11 Predicate8 [leaf "ornotb_64_64_64"] 0 0xc0004a00 Exact;
    "NOTB" Bb 11 Predicate9 [leaf "notb_64_64"] 0 0xe0104a00 Exact;
}
