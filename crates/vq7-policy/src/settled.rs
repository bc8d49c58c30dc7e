//! Choices that carry a confidence but have no alternative to switch to.

use crate::Confidence;

macro_rules! settled {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $confidence:ident, $choice:literal, $reason:literal;)*) => {
        /// A choice that a result can rest on and that no knob switches.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Settled { $($(#[$doc])* $variant,)* }

        impl Settled {
            /// All choices, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The short name that reports print.
            pub const fn name(self) -> &'static str { match self { $(Self::$variant => $name,)* } }

            /// How sure the choice is.
            pub const fn confidence(self) -> Confidence { match self { $(Self::$variant => Confidence::$confidence,)* } }

            /// What vq7 does.
            pub const fn choice(self) -> &'static str { match self { $(Self::$variant => $choice,)* } }

            /// Why.
            pub const fn reason(self) -> &'static str { match self { $(Self::$variant => $reason,)* } }
        }
    };
}

settled! {
    /// Subnormals are neither read as zero nor flushed.
    Subnormals = "subnormals", High, "full range, never flushed", "value leaves were run on fp16 and fp32 subnormals";
    /// Integer results wrap.
    IntWrap = "int_overflow", High, "wraps modulo the width (32 and 64 bit)", "no ALU code selects a saturating form; the vendor calls int32 exact";
    /// 8- and 16-bit integer results wrap too.
    IntWrapNarrow = "int_overflow_narrow", Med, "wraps modulo the width (8 and 16 bit)", "nothing first-party speaks of the narrow widths";
    /// BYPASS between equal dtypes copies bits.
    BypassCopy = "bypass_copy", Med, "bit copy when src0 and out have one dtype", "documented for tensor_copy, extended here to tensor-tensor";
    /// Flavour of dtype code 0x0E from MARIANA on, where the vendor also has e4m3fn.
    E4m3OnMariana = "e4m3_on_mariana", Low, "code 0x0E follows the e4m3 knob on every generation", "e4m3fn is native from Trn3 on, but the dtype enum has no second code for it";
    /// Infinities and NaNs of e3m4.
    E3m4Specials = "e3m4_specials", Med, "IEEE-like: infinities, largest finite 15.5", "layout is documented, specials follow the family";
    /// Which NaN comes out of an operation on NaNs.
    NanPropagation = "nan_propagation", Low, "the first NaN operand, quieted; a generated NaN is the canonical one", "two readings of the value library differ on two NaNs";
    /// NaN payloads through a narrowing conversion.
    NanNarrowing = "nan_narrowing", Low, "sign kept, quiet bit set, top payload bits kept", "three readings of the narrowing leaves differ";
    /// Compare results.
    CompareEncoding = "compare_encoding", High, "1 or 0 in the out dtype; not-equal is true on NaN", "vendor documentation of nl.equal and its siblings";
    /// Truth of -0 and NaN in the logical ops.
    LogicalTruth = "logical_truth", Low, "non-zero is true: -0 is false, NaN is true", "floating-point behaviour of the logical leaves is not published";
    /// RE_LU on -0 and NaN.
    ReluSpecials = "relu_specials", Low, "max(x, +0) by the plain maximum: NaN and -0 give +0", "follows the plain maximum with b = +0";
    /// ABSOLUTE_DIFF rounds, then clears the sign.
    AbsDiffOrder = "abs_diff_order", Med, "round(a - b), then clear the sign", "header formula";
    /// POW is correctly rounded here; the device uses a polynomial.
    PowPolynomial = "pow_polynomial", Low, "correctly rounded fp32 power", "the device evaluates a polynomial whose coefficients are not public";
    /// RSQRT is correctly rounded here; the device refines a table seed.
    RsqrtPolynomial = "rsqrt_polynomial", Low, "correctly rounded fp32 reciprocal square root", "the device refines a table seed with constants that are not public";
    /// DIVIDE is correctly rounded here; the device refines a table seed.
    DivideRefinement = "divide_refinement", Low, "correctly rounded fp32 quotient", "the device refines a table seed; tensor-tensor never admits DIVIDE";
    /// Signedness of DIVIDE_INT and MOD_INT follows the dtype.
    IntDivSign = "int_div_sign", Med, "DIVIDE_INT and MOD_INT divide unsigned on unsigned dtypes", "the dtype picks the 64-bit template too";
    /// Integer division truncates.
    IntDivTruncates = "int_div_truncates", High, "quotient toward zero, remainder of the dividend's sign, MIN / -1 = MIN", "scalar and vector divide agree; the header names C semantics";
    /// Operands of mixed width in the integer band.
    IntMixedWidth = "int_mixed_width", Low, "exact result, then narrowed to the out width", "passes the struct rules but no engine's gate";
    /// Arithmetic right shift of an unsigned dtype.
    UnsignedArithShift = "unsigned_arith_shift", Med, "the top bit fills, whatever the dtype's sign", "bitvec ops see bit patterns";
    /// SYMMETRIC_CLAMP as the header has it.
    SymmetricClamp = "symmetric_clamp", Low, "sign(a) * max(|a|, |b|)", "the header comment says max where a clamp would be min";
    /// CRC32 parameters.
    Crc32Parameters = "crc32_parameters", Low, "reflected 0xEDB88320, src0 the running value, no inversion", "nothing public; tensor-tensor never admits CRC32";
    /// Ties of the reductions AMAX and AMIN.
    ArgExtremeTies = "arg_extreme_ties", Low, "lowest index wins", "the reduce instruction returns a mask of all ties";
    /// Unary ops ignore the second operand.
    UnaryIgnoresSrc1 = "unary_ignores_src1", Med, "src1 is read for legality only", "inferred from the op's arity";
    /// What the two ops of an arithmetic scalar form hand over.
    ScalarIntermediate = "scalar_intermediate", Med, "the first op's float32 goes into the second unrounded", "the kernel language calls its sum of two instructions equal to the one, and the engine computes in float32; no device trace";
    /// The width of bit patterns between the two ops of a scalar form.
    ScalarBitvecWidth = "scalar_bitvec_width", Low, "each op works at the dtype's width", "the header forbids left then right shifts below 32 bits, which hints at wider lanes; NOT then a right shift is left open";
    /// Recurrence and start of a scan.
    ScanRecurrence = "scan_recurrence", Low, "r[i] = (src0[i] op0 r[i-1]) op1 src1[i] from r[-1] = imm0, r kept in float32", "the kernel language's formula; one reading of the header has a prefix scan of combined elements instead";
    /// Batch-norm back-propagation.
    BatchNormFormula = "batch_norm_formula", Low, "fp32, one rounding per step, coefficients from the caller", "coefficients live in engine state that one word does not carry";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = Settled::ALL.iter().map(|s| s.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Settled::ALL.len());
    }
}
