//! The ALU-op table: one row per op. Every class predicate of the header is derived from the rows.

use crate::generation::{Generation, Generations};
use std::fmt;
use vq7_policy::Confidence;

/// How many source operands decide the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// src0 alone; a tensor-tensor word still carries a src1 that must be legal.
    Unary,
    /// src0 and src1.
    Binary,
}

/// Which arithmetic an op uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Band {
    /// Converts to float32, computes there, converts to the out dtype.
    Base,
    /// Works on bit patterns.
    Bitvec,
    /// Works on exact integers. The codes 0xC4.. and MOD.
    Integer,
}

// What a row says of an op: the header's class sets.
const ARITH: u16 = 1; // is_arith_op
const BITVEC: u16 = 1 << 1; // is_bitvec_op
const SPECIAL: u16 = 1 << 2; // excluded from the general sets
const INT: u16 = 1 << 3; // is_valid_int_aluop
const SIGNED: u16 = 1 << 4; // is_signed_alu_op
const UNSIGNED: u16 = 1 << 5; // is_unsigned_alu_op
const SHIFT: u16 = 1 << 6; // is_shift_op
const DVE_INT: u16 = 1 << 7; // is_valid_int_aluop_dve
const EITHER: u16 = INT | SIGNED | UNSIGNED;
const INT_S: u16 = INT | SIGNED;
const INT_U: u16 = INT | UNSIGNED;

struct Row {
    header_name: &'static str,
    name: &'static str,
    nki: &'static [&'static str],
    sets: u16,
    arity: Arity,
    since: Generations,
    confidence: Confidence,
    meaning: &'static str,
}

macro_rules! alu_ops {
    ($($code:literal $variant:ident $name:literal $text:literal [$($nki:literal)*] $sets:expr, $arity:ident $since:ident $confidence:ident $meaning:literal;)*) => {
        /// An ALU op. The discriminant is the op byte.
        #[allow(missing_docs, reason = "each variant is its row of the table")]
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AluOp { $($variant = $code,)* }

        impl AluOp {
            /// Every op, in the order of the codes.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            #[inline]
            const fn row(self) -> &'static Row {
                match self {
                    $(Self::$variant => &Row {
                        header_name: $name, name: $text, nki: &[$($nki),*], sets: $sets, arity: Arity::$arity,
                        since: Generations::$since, confidence: Confidence::$confidence, meaning: $meaning,
                    },)*
                }
            }

            /// The op of a code, whatever the generation.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

// code, variant, the header's name, text name, NKI's names, class sets, arity, generations, confidence in the semantics, result
#[rustfmt::skip]
alu_ops! {
    0x00 Bypass            "BYPASS"              "bypass"              []                ARITH | BITVEC | DVE_INT, Unary SCMV Med "a";
    0x01 BitwiseNot        "BITWISE_NOT"         "bitwise_not"         ["invert"]        BITVEC, Unary  SCMV High "~a";
    0x02 ArithShiftLeft    "ARITH_SHIFT_LEFT"    "arith_shift_left"    []                BITVEC | SHIFT, Binary SCMV High "a << b";
    0x03 ArithShiftRight   "ARITH_SHIFT_RIGHT"   "arith_shift_right"   []                BITVEC | SHIFT, Binary SCMV High "a >> b, sign fill";
    0x04 Add               "ADD"                 "add"                 []                ARITH,   Binary SCMV High "a + b";
    0x05 Subtract          "SUBTRACT"            "subtract"            []                ARITH,   Binary SCMV High "a - b";
    0x06 Mult              "MULT"                "mult"                ["multiply"]      ARITH,   Binary SCMV High "a * b";
    0x07 Divide            "DIVIDE"              "divide"              []                ARITH | SPECIAL, Binary SCMV Low "a / b";
    0x08 Max               "MAX"                 "max"                 ["maximum"]       ARITH,   Binary SCMV Med  "larger of a, b";
    0x09 Min               "MIN"                 "min"                 ["minimum"]       ARITH,   Binary SCMV Med  "smaller of a, b";
    0x0A BitwiseAnd        "BITWISE_AND"         "bitwise_and"         []                BITVEC, Binary SCMV High "a & b";
    0x0B BitwiseOr         "BITWISE_OR"          "bitwise_or"          []                BITVEC, Binary SCMV High "a | b";
    0x0C BitwiseXor        "BITWISE_XOR"         "bitwise_xor"         []                BITVEC, Binary SCMV High "a ^ b";
    0x0D LogicalAnd        "LOGICAL_AND"         "logical_and"         []                ARITH,   Binary SCMV Med  "a != 0 and b != 0";
    0x0E LogicalOr         "LOGICAL_OR"          "logical_or"          []                ARITH,   Binary SCMV Med  "a != 0 or b != 0";
    0x0F LogicalXor        "LOGICAL_XOR"         "logical_xor"         []                ARITH,   Binary SCMV Med  "(a != 0) xor (b != 0)";
    0x10 LogicalShiftLeft  "LOGICAL_SHIFT_LEFT"  "logical_shift_left"  ["left_shift"]    BITVEC | SHIFT, Binary SCMV High "a << b";
    0x11 LogicalShiftRight "LOGICAL_SHIFT_RIGHT" "logical_shift_right" ["right_shift"]   BITVEC | SHIFT, Binary SCMV High "a >> b, zero fill";
    0x12 IsEq              "IS_EQ"               "is_eq"               ["equal"]         ARITH,   Binary SCMV High "a == b";
    0x13 IsGt              "IS_GT"               "is_gt"               ["greater"]       ARITH,   Binary SCMV High "a > b";
    0x14 IsGe              "IS_GE"               "is_ge"               ["greater_equal"] ARITH,   Binary SCMV High "a >= b";
    0x15 IsLe              "IS_LE"               "is_le"               ["less_equal"]    ARITH,   Binary SCMV High "a <= b";
    0x16 IsLt              "IS_LT"               "is_lt"               ["less"]          ARITH,   Binary SCMV High "a < b";
    0x17 AbsoluteDiff      "ABSOLUTE_DIFF"       "absolute_diff"       []                ARITH,   Binary SCMV Med  "|a - b|";
    0x18 IsNe              "IS_NE"               "is_ne"               ["not_equal"]     ARITH,   Binary SCMV High "a != b";
    0x19 AbsoluteValue     "ABSOLUTE_VALUE"      "absolute_value"      ["abs"]           ARITH,   Unary  SCMV High "|a|";
    0x1A Pow               "POW"                 "pow"                 ["power"]         ARITH | SPECIAL, Binary SCMV Low "a to the power b";
    0x1B Mod               "MOD"                 "mod"                 []                ARITH | SPECIAL | EITHER, Binary SCMV Low "remainder";
    0x1C Crc32             "CRC32"               "crc32"               []                BITVEC | SPECIAL, Binary SCMV Low "CRC of b into a";
    0x1D Rsqrt             "RSQRT"               "rsqrt"               []                ARITH | SPECIAL, Unary SCMV Low "1 / sqrt(a)";
    0x20 AbsMax            "ABS_MAX"             "abs_max"             []                ARITH,   Binary MV   High "the operand larger in magnitude";
    0x21 AbsMin            "ABS_MIN"             "abs_min"             []                ARITH,   Binary MV   High "the operand smaller in magnitude";
    0x22 ReLu              "RE_LU"               "re_lu"               ["relu"]          ARITH,   Unary  MV   Med  "max(a, 0)";
    0x23 Square            "SQUARE"              "square"              []                ARITH,   Unary  MV   Med  "a * a";
    0x24 SymmetricClamp    "SYMMETRIC_CLAMP"     "symmetric_clamp"     []                0,       Binary V    Low  "sign(a) * max(|a|, |b|)";
    0xC4 AddInt            "ADD_INT"             "add_int"             []                ARITH | EITHER | DVE_INT, Binary SCMV High "a + b, wraps";
    0xC5 MultInt           "MULT_INT"            "mult_int"            []                ARITH | EITHER | DVE_INT, Binary SCMV High "a * b, wraps";
    0xC6 SubtractInt       "SUBTRACT_INT"        "subtract_int"        []                ARITH | EITHER | DVE_INT, Binary SCMV High "a - b, wraps";
    0xC7 DivideInt         "DIVIDE_INT"          "divide_int"          []                ARITH | EITHER, Binary CMV High "a / b, toward zero";
    0xC8 ModInt            "MOD_INT"             "mod_int"             []                ARITH | EITHER, Binary CMV High "remainder, sign of a";
    0xC9 IsEqualInt        "IS_EQUAL_INT"        "is_equal_int"        []                EITHER | DVE_INT, Binary CMV High "a == b";
    0xCA IsNeInt           "IS_NE_INT"           "is_ne_int"           []                EITHER | DVE_INT, Binary CMV High "a != b";
    0xCB AbsMaxInt         "ABS_MAX_INT"         "abs_max_int"         []                INT_S | DVE_INT, Binary CMV Low  "larger magnitude";
    0xCC AbsMinInt         "ABS_MIN_INT"         "abs_min_int"         []                INT_S | DVE_INT, Binary CMV Low  "smaller magnitude";
    0xCD AbsDiffInt        "ABS_DIFF_INT"        "abs_diff_int"        []                INT_S | DVE_INT, Binary CMV High "|a - b|, low bits";
    0xCE AbsValueInt       "ABS_VALUE_INT"       "abs_value_int"       []                0,       Unary  CMV  High "|a|, wraps";
    0xCF MaxInt            "MAX_INT"             "max_int"             []                INT_S | DVE_INT, Binary CMV High "larger, signed";
    0xD0 MinInt            "MIN_INT"             "min_int"             []                INT_S | DVE_INT, Binary CMV High "smaller, signed";
    0xD1 IsGtInt           "IS_GT_INT"           "is_gt_int"           []                INT_S | DVE_INT, Binary CMV High "a > b, signed";
    0xD2 IsGeInt           "IS_GE_INT"           "is_ge_int"           []                INT_S | DVE_INT, Binary CMV High "a >= b, signed";
    0xD3 IsLeInt           "IS_LE_INT"           "is_le_int"           []                INT_S | DVE_INT, Binary CMV High "a <= b, signed";
    0xD4 IsLtInt           "IS_LT_INT"           "is_lt_int"           []                INT_S | DVE_INT, Binary CMV High "a < b, signed";
    0xD5 MaxUint           "MAX_UINT"            "max_uint"            []                INT_U,   Binary CMV  High "larger, unsigned";
    0xD6 MinUint           "MIN_UINT"            "min_uint"            []                INT_U,   Binary CMV  High "smaller, unsigned";
    0xD7 IsGtUint          "IS_GT_UINT"          "is_gt_uint"          []                INT_U,   Binary CMV  High "a > b, unsigned";
    0xD8 IsGeUint          "IS_GE_UINT"          "is_ge_uint"          []                INT_U,   Binary CMV  High "a >= b, unsigned";
    0xD9 IsLeUint          "IS_LE_UINT"          "is_le_uint"          []                INT_U,   Binary CMV  High "a <= b, unsigned";
    0xDA IsLtUint          "IS_LT_UINT"          "is_lt_uint"          []                INT_U,   Binary CMV  High "a < b, unsigned";
    0xDB MultUint          "MULT_UINT"           "mult_uint"           []                INT_U,   Binary CMV  High "a * b, wraps, unsigned";
    0xDC DivideUint        "DIVIDE_UINT"         "divide_uint"         []                INT_U,   Binary CMV  High "a / b, unsigned";
    0xDD ModUint           "MOD_UINT"            "mod_uint"            []                INT_U,   Binary CMV  High "remainder, unsigned";
    0xDE AmaxInt           "AMAX_INT"            "amax_int"            []                0,       Unary  CMV  Low  "index of the largest, signed (reduction)";
    0xDF AminInt           "AMIN_INT"            "amin_int"            []                0,       Unary  CMV  Low  "index of the smallest, signed (reduction)";
    0xE0 AmaxUint          "AMAX_UINT"           "amax_uint"           []                0,       Unary  CMV  Low  "index of the largest, unsigned (reduction)";
    0xE1 AminUint          "AMIN_UINT"           "amin_uint"           []                0,       Unary  CMV  Low  "index of the smallest, unsigned (reduction)";
}

impl AluOp {
    /// The op byte.
    #[inline]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The header's name without prefix, such as `ADD_INT`.
    pub const fn header_name(self) -> &'static str {
        self.row().header_name
    }

    /// The printed name: the header's in lower case.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The kernel language's names, such as `multiply`. They mean the base-band op.
    pub const fn nki_names(self) -> &'static [&'static str] {
        self.row().nki
    }

    /// How many operands decide the result.
    #[inline]
    pub const fn arity(self) -> Arity {
        self.row().arity
    }

    /// The result in words, with a = src0 and b = src1.
    pub const fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// How sure the semantics are under the default policy.
    pub const fn confidence(self) -> Confidence {
        self.row().confidence
    }

    /// Generations whose enum has the code.
    pub const fn generations(self) -> Generations {
        self.row().since
    }

    /// Whether the generation's enum has the code: `is_valid_enum(AluOp, op)`.
    pub const fn in_generation(self, generation: Generation) -> bool {
        self.row().since.contains(generation)
    }

    #[inline]
    const fn in_set(self, set: u16) -> bool {
        self.row().sets & set != 0
    }

    /// Header predicate `is_arith_op`.
    #[inline]
    pub const fn is_arith(self) -> bool {
        self.in_set(ARITH)
    }

    /// Header predicate `is_general_arith_op`: arithmetic without DIVIDE, POW, MOD, RSQRT and without the integer ops.
    pub const fn is_general_arith(self) -> bool {
        self.in_set(ARITH) && !self.in_set(SPECIAL) && !self.in_set(INT)
    }

    /// Header predicate `is_bitvec_op`.
    #[inline]
    pub const fn is_bitvec(self) -> bool {
        self.in_set(BITVEC)
    }

    /// Header predicate `is_general_bitvec_op`: bitvec without CRC32.
    pub const fn is_general_bitvec(self) -> bool {
        self.in_set(BITVEC) && !self.in_set(SPECIAL)
    }

    /// Header predicate `is_valid_int_aluop`: the integer band of tensor-tensor, and MOD.
    #[inline]
    pub const fn is_int_aluop(self) -> bool {
        self.in_set(INT)
    }

    /// Header predicate `is_signed_alu_op`.
    #[inline]
    pub const fn is_signed(self) -> bool {
        self.in_set(SIGNED)
    }

    /// Header predicate `is_unsigned_alu_op`.
    #[inline]
    pub const fn is_unsigned(self) -> bool {
        self.in_set(UNSIGNED)
    }

    /// Header predicate `is_shift_op`.
    #[inline]
    pub const fn is_shift(self) -> bool {
        self.in_set(SHIFT)
    }

    /// Header predicate `is_valid_int_aluop_dve` (MAVERICK).
    pub const fn is_int_aluop_dve(self) -> bool {
        self.in_set(DVE_INT)
    }

    /// Which arithmetic the op uses. BYPASS counts as base; on equal dtypes it copies bits in either class.
    #[inline]
    pub const fn band(self) -> Band {
        if self.code() >= 0xC0 || self.is_int_aluop() {
            Band::Integer
        } else if self.is_bitvec() && !self.is_arith() {
            Band::Bitvec
        } else {
            Band::Base
        }
    }

    /// The tensor-tensor opcode that carries the op: bitvec ops ride on 0x51, all others, BYPASS included, on 0x41.
    pub const fn tensor_tensor_opcode(self) -> u8 {
        match self.band() {
            Band::Bitvec => crate::opcode::TENSOR_TENSOR_BITVEC_OP,
            Band::Base | Band::Integer => crate::opcode::TENSOR_TENSOR_ARITH_OP,
        }
    }

    /// Whether the result is a truth value, 1 or 0.
    #[inline]
    pub const fn is_compare(self) -> bool {
        use AluOp::*;
        matches!(
            self,
            LogicalAnd
                | LogicalOr
                | LogicalXor
                | IsEq
                | IsGt
                | IsGe
                | IsLe
                | IsLt
                | IsNe
                | IsEqualInt
                | IsNeInt
                | IsGtInt
                | IsGeInt
                | IsLeInt
                | IsLtInt
                | IsGtUint
                | IsGeUint
                | IsLeUint
                | IsLtUint
        )
    }

    /// The base-band op and the integer-band ops that compute the same thing exactly, for operands of that signedness.
    /// `ADD` and int32 give `ADD_INT`; an op without a twin gives `None`. ABS_MAX and ABS_MIN have none: their integer
    /// namesakes return magnitudes where they return an operand.
    pub const fn exact_integer_twin(self, signed: bool) -> Option<Self> {
        use AluOp::*;
        Some(match (self, signed) {
            (Add, _) => AddInt,
            (Subtract, _) => SubtractInt,
            (Mult, true) => MultInt,
            (Mult, false) => MultUint,
            (Divide, true) => DivideInt,
            (Divide, false) => DivideUint,
            (Max, true) => MaxInt,
            (Max, false) => MaxUint,
            (Min, true) => MinInt,
            (Min, false) => MinUint,
            (IsEq, _) => IsEqualInt,
            (IsNe, _) => IsNeInt,
            (IsGt, true) => IsGtInt,
            (IsGt, false) => IsGtUint,
            (IsGe, true) => IsGeInt,
            (IsGe, false) => IsGeUint,
            (IsLe, true) => IsLeInt,
            (IsLe, false) => IsLeUint,
            (IsLt, true) => IsLtInt,
            (IsLt, false) => IsLtUint,
            (AbsoluteDiff, true) => AbsDiffInt,
            _ => return None,
        })
    }

    /// The op whose base-band form goes through float32 where this integer-band op is exact: the inverse of
    /// [`AluOp::exact_integer_twin`].
    pub fn float32_twin(self) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|base| [true, false].into_iter().any(|signed| base.exact_integer_twin(signed) == Some(self)))
    }

    /// The op of any name that users know: the header's, in either case, or the kernel language's.
    ///
    /// # Errors
    /// When the name is not an op; the error suggests near names.
    pub fn parse(name: &str) -> Result<Self, UnknownOp> {
        let lower = name.trim().to_ascii_lowercase();
        let named = |op: &Self| op.name() == lower || op.nki_names().contains(&lower.as_str());
        Self::ALL
            .iter()
            .copied()
            .find(named)
            .ok_or_else(|| UnknownOp { name: name.to_owned(), near: crate::spelling::near(&lower, names()) })
    }
}

/// Every name of every op.
fn names() -> impl Iterator<Item = &'static str> + Clone {
    AluOp::ALL.iter().flat_map(|op| std::iter::once(op.name()).chain(op.nki_names().iter().copied()))
}

impl fmt::Display for AluOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no ALU op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownOp {
    /// What was asked for.
    pub name: String,
    /// Known names that may have been meant, the likeliest first.
    pub near: Vec<&'static str>,
}

impl fmt::Display for UnknownOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no op is named `{}`", self.name)?;
        match &self.near[..] {
            [] => write!(f, "; `vq7 ops` lists the names"),
            near => write!(f, "; did you mean `{}`?", near.join("` or `")),
        }
    }
}

impl std::error::Error for UnknownOp {}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(predicate: impl Fn(AluOp) -> bool) -> Vec<u8> {
        AluOp::ALL.iter().filter(|op| predicate(**op)).map(|op| op.code()).collect()
    }

    #[test]
    fn each_generation_has_its_number_of_ops() {
        let count = |generation| AluOp::ALL.iter().filter(|op| op.in_generation(generation)).count();
        assert_eq!(Generation::ALL.map(count), [33, 60, 64, 64, 65]);
    }

    #[test]
    fn class_sets_are_those_of_the_header() {
        let from = |generation: Generation, predicate: fn(AluOp) -> bool| {
            codes(|op| op.in_generation(generation) && predicate(op))
        };
        assert_eq!(codes(AluOp::is_bitvec), [0, 1, 2, 3, 0x0A, 0x0B, 0x0C, 0x10, 0x11, 0x1C]);
        assert_eq!(codes(AluOp::is_general_bitvec).len(), 9);
        assert_eq!(from(Generation::Cayman, AluOp::is_arith).len(), 26);
        assert_eq!(from(Generation::Mariana, AluOp::is_arith).len(), 30);
        assert_eq!(from(Generation::Sunda, AluOp::is_general_arith).len(), 17);
        assert_eq!(
            from(Generation::Cayman, AluOp::is_general_arith),
            [0, 4, 5, 6, 8, 9, 0x0D, 0x0E, 0x0F, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19]
        );
        assert_eq!(from(Generation::Maverick, AluOp::is_general_arith).len(), 21);
        assert_eq!(
            codes(AluOp::is_int_aluop),
            [&[0x1B][..], &(0xC4..=0xCD).collect::<Vec<_>>(), &(0xCF..=0xDD).collect::<Vec<_>>()].concat()
        );
        assert_eq!(
            codes(AluOp::is_signed),
            [0x1B, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xCB, 0xCC, 0xCD, 0xCF, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4]
        );
        assert_eq!(
            codes(AluOp::is_unsigned),
            [0x1B, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xDB, 0xDC, 0xDD]
        );
        assert_eq!(codes(AluOp::is_shift), [0x02, 0x03, 0x10, 0x11]);
        assert_eq!(
            codes(AluOp::is_int_aluop_dve),
            [0x00, 0xC4, 0xC5, 0xC6, 0xC9, 0xCA, 0xCB, 0xCC, 0xCD, 0xCF, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4]
        );
    }

    #[test]
    fn text_names_are_the_header_names_in_lower_case_and_no_name_is_taken_twice() {
        let mut names = std::collections::HashSet::new();
        for &op in AluOp::ALL {
            assert_eq!(op.name(), op.header_name().to_ascii_lowercase());
            assert_eq!(AluOp::from_code(op.code()), Some(op));
            for name in std::iter::once(op.name()).chain(op.nki_names().iter().copied()) {
                assert!(names.insert(name), "{name}");
                assert_eq!(AluOp::parse(name), Ok(op));
            }
        }
    }

    #[test]
    fn a_misspelt_op_is_answered_with_the_nearest_name() {
        assert_eq!(AluOp::parse("ad_int").unwrap_err().to_string(), "no op is named `ad_int`; did you mean `add_int`?");
        assert!(AluOp::parse("convolve").unwrap_err().near.is_empty());
        for (asked, near) in
            [("sub", "subtract"), ("and", "bitwise_and"), ("is_equal", "is_equal_int"), ("eq", "equal"), ("", "")]
        {
            let names = AluOp::parse(asked).unwrap_err().near;
            assert!(
                near.is_empty() == names.is_empty() && (near.is_empty() || names.contains(&near)),
                "{asked}: {names:?}"
            );
        }
    }

    #[test]
    fn twins_are_inverse() {
        assert_eq!(AluOp::Add.exact_integer_twin(true), Some(AluOp::AddInt));
        assert_eq!(AluOp::MultUint.float32_twin(), Some(AluOp::Mult));
        assert_eq!(AluOp::BitwiseAnd.float32_twin(), None);
    }
}
