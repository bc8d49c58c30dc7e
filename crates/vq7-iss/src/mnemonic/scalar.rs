//! The scalar ops that loops need, and pseudo-ops. Source: docs/spec/iss-timing.md, "Stages"; the pseudo-ops are ours.

use super::row::rows;

// name, shape, stage of the result, placement, body, opc#, selector in the home slot, grounds
#[rustfmt::skip]
rows! {
    "NOP" Rz 0 Anywhere [nop] 0 none Exact;
    "ADD" RAaa 4 Scalar [scalar Add] 0 none Exact;
    "SUB" RAaa 4 Scalar [scalar Sub] 0 none Exact;
    "AND" RAaa 4 Scalar [scalar And] 0 none Exact;
    "OR" RAaa 4 Scalar [scalar Or] 0 none Exact;
    "XOR" RAaa 4 Scalar [scalar Xor] 0 none Exact;
    "MAX" RAaa 4 Scalar [scalar Max] 0 none Exact;
    "MIN" RAaa 4 Scalar [scalar Min] 0 none Exact;
    "MULL" RAaa 6 Scalar [scalar Mul] 0 none Exact;
    "ADDI" RAas8 4 ScalarLoadStore [scalar Add] 0 none Exact;
    "SLLI" RAai5 4 Scalar [scalar Sll] 0 none Exact;
    "SRLI" RAai5 4 Scalar [scalar Srl] 0 none Exact;
    "SRAI" RAai5 4 Scalar [scalar Sra] 0 none Exact;
    "MOVI" RAs12 1 Scalar [scalar Copy] 0 none Exact;
    "L8UI" RAl1 5 Scalar [load 1 plain] 0 none Exact;
    "L16UI" RAl2 5 Scalar [load 2 plain] 0 none Exact;
    "L32I" RAl4 5 Scalar [load 4 plain] 0 none Exact;
    "S32I" Rdl4 0 Scalar [store 4 plain] 0 none Exact;
    "LOOP" Rtj 0 Scalar [flow Loop] 0 none Assumed;
    "LOOPNEZ" Rtj 0 Scalar [flow LoopNez] 0 none Assumed;
    "LOOPGTZ" Rtj 0 Scalar [flow LoopGtz] 0 none Assumed;
    "BEQZ" Rtj 0 Scalar [flow Beqz] 0 none Exact;
    "BNEZ" Rtj 0 Scalar [flow Bnez] 0 none Exact;
    "BEQ" Rttj 0 Scalar [flow Beq] 0 none Exact;
    "BNE" Rttj 0 Scalar [flow Bne] 0 none Exact;
    "BLT" Rttj 0 Scalar [flow Blt] 0 none Exact;
    "BGE" Rttj 0 Scalar [flow Bge] 0 none Exact;
    "BLTU" Rttj 0 Scalar [flow Bltu] 0 none Exact;
    "BGEU" Rttj 0 Scalar [flow Bgeu] 0 none Exact;
    "J" Rj 0 Scalar [flow Jump] 0 none Exact;
    "WUR.FCR" RFa 12 Scalar [copy] 0 none Assumed;
    "WUR.FSR" RGa 14 Scalar [copy] 0 none Assumed;
    "RUR.FCR" RAf 12 Scalar [copy] 0 none Assumed;
    "RUR.FSR" RAg 12 Scalar [copy] 0 none Assumed;
    "VQ7.GATHER" Rz 0 PseudoLoadStore [nop] 0 none Assumed;
    "VQ7.SCATTER" Rz 0 PseudoLoadStore [nop] 0 none Assumed;
}
