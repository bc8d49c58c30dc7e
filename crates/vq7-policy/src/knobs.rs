//! The knobs: one row each.

use crate::Confidence;
use std::fmt;

/// Declares one enum of values per knob, the [`Knob`] enum, and the [`Policy`] struct, from one table.
macro_rules! knobs {
    ($(
        $(#[$doc:meta])*
        $field:ident: $type:ident { $($(#[$vdoc:meta])* $value:ident = $text:literal),+ $(,)? } = $default:ident,
        $confidence:ident, $reason:literal;
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum $type { $($(#[$vdoc])* $value,)+ }

            impl $type {
                /// The spelling of this value in `--policy knob=value`.
                pub const fn name(self) -> &'static str { match self { $(Self::$value => $text,)+ } }
            }
        )*

        /// One value per open question. `Policy::default()` is what vq7 ships.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Policy { $($(#[$doc])* pub $field: $type,)* }

        impl Default for Policy {
            fn default() -> Self { Self { $($field: $type::$default,)* } }
        }

        /// The name of one open question.
        #[allow(non_camel_case_types, reason = "a variant is spelled like the knob on the command line")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Knob { $($(#[$doc])* $field,)* }

        impl Knob {
            /// All knobs, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$field,)*];

            /// The spelling on the command line.
            pub const fn name(self) -> &'static str { match self { $(Self::$field => stringify!($field),)* } }

            /// All values of the knob, the default first.
            pub const fn values(self) -> &'static [&'static str] {
                match self { $(Self::$field => &[$($text),+],)* }
            }

            /// The value that `Policy::default()` has.
            pub const fn default_value(self) -> &'static str { match self { $(Self::$field => $type::$default.name(),)* } }

            /// How sure the default is.
            pub const fn confidence(self) -> Confidence { match self { $(Self::$field => Confidence::$confidence,)* } }

            /// Why the default is what it is.
            pub const fn reason(self) -> &'static str { match self { $(Self::$field => $reason,)* } }
        }

        impl Policy {
            /// The current value of a knob, as spelled on the command line.
            pub const fn get(&self, knob: Knob) -> &'static str { match knob { $(Knob::$field => self.$field.name(),)* } }

            fn set_knob(&mut self, knob: Knob, value: &str) -> bool {
                match knob {
                    $(Knob::$field => {
                        $(if value == $text { self.$field = $type::$value; return true; })+
                        false
                    })*
                }
            }
        }
    };
}

knobs! {
    /// Working type of the base band when all three dtypes are the same 32-bit integer.
    base_int: BaseInt {
        /// Everything goes through float32.
        Fp32Hub = "fp32_hub",
        /// Exact 32-bit integers when src0, src1 and out have the same 32-bit integer dtype.
        Native32 = "native32",
    } = Fp32Hub, Med, "separate integer codes exist for exact arithmetic; the vendor's promise of exact int32 is a front-end one";
    /// Rounding of float32 results, of conversions to floats, and of integers to float32.
    round: Round {
        /// To nearest, ties to even.
        NearestEven = "nearest_even",
        /// Toward zero.
        Zero = "zero",
        /// Toward plus infinity.
        Up = "up",
        /// Toward minus infinity.
        Down = "down",
    } = NearestEven, High, "reset value of the round mode, and what the vendor documents";
    /// Float32 to integer.
    float_to_int: FloatToInt {
        /// To nearest, ties to even, clamped to the target's range.
        NearestSaturate = "nearest_saturate",
        /// Toward zero, clamped to the target's range.
        TruncSaturate = "trunc_saturate",
        /// What the TRUNC and UTRUNC instructions return.
        Raw = "raw",
    } = NearestSaturate, High, "vendor release notes: hardware rounds to nearest even and saturates";
    /// NaN to integer.
    nan_to_int: NanToInt {
        /// The largest value of the target.
        Max = "max",
        /// Zero.
        Zero = "zero",
        /// The smallest value of the target.
        Min = "min",
    } = Max, Med, "TRUNC and UTRUNC return the maximum on NaN; the vendor is silent";
    /// Overflow of a conversion to an 8-bit float.
    fp8_overflow: Fp8Overflow {
        /// Infinity (NaN in a format without infinities).
        Inf = "inf",
        /// The largest finite value.
        Saturate = "saturate",
    } = Inf, Med, "the vendor warns of NaN beyond 240 and its kernels clamp before the cast";
    /// Flavour of dtype code 0x0E.
    e4m3: E4m3 {
        /// IEEE-like: infinities, largest finite 240.
        Ieee = "ieee",
        /// OCP e4m3fn: no infinities, largest finite 448.
        Fn = "fn",
    } = Ieee, High, "vendor pages call the device type IEEE-like and clamp at 240; see e4m3_on_mariana for later generations";
    /// Rounding of an FP32R result.
    fp32r: Fp32r {
        /// To nearest even at 13 mantissa bits.
        Rne13 = "rne13",
        /// Truncated to 13 mantissa bits.
        Trunc13 = "trunc13",
        /// All 23 bits pass.
        Passthrough = "passthrough",
    } = Rne13, Low, "a header remark calls it FP22; 22 bits leave 13 for the mantissa";
    /// Integer division by zero.
    int_div_zero: IntDivZero {
        /// Quotient all ones, remainder the dividend.
        Ones = "ones",
        /// Quotient zero, remainder the dividend.
        Zero = "zero",
        /// The word fails and writes nothing.
        Trap = "trap",
    } = Ones, Low, "what compare-and-subtract division yields; scalar code would trap";
    /// Sign of the result of MOD (0x1B).
    mod_sign: ModSign {
        /// Of the divisor (floored, numpy.mod).
        Divisor = "divisor",
        /// Of the dividend (C, fmod).
        Dividend = "dividend",
    } = Divisor, Low, "MOD_INT is expressly the C-style one; a third code with the same rule would be redundant";
    /// Shift counts of the width and above.
    shift_over: ShiftOver {
        /// Unsigned count; zero, or all sign bits for an arithmetic right shift.
        Flush = "flush",
        /// The low five bits of the count.
        Mod32 = "mod32",
        /// A signed count; negative shifts the other way.
        IvpSigned = "ivp_signed",
    } = Flush, Med, "agrees with NumPy and with the vector shift for counts in range; the instructions disagree with each other";
    /// NaN in MAX and MIN.
    minmax_nan: MinMaxNan {
        /// `a if a > b else b`: an unordered or equal pair gives src1.
        SelectSecond = "select_second",
        /// The number wins over a NaN (IEEE 754-2008 maxNum).
        NumberWins = "number_wins",
        /// A NaN wins over a number.
        Propagate = "propagate",
    } = SelectSecond, Med, "the plain max/min instructions stand beside the kernel; which operand is which is open";
    /// ABS_MAX and ABS_MIN (0x20, 0x21).
    abs_minmax: AbsMinMax {
        /// The operand itself, with its sign; a tie gives src1.
        SignedOriginal = "signed_original",
        /// The magnitude.
        Magnitude = "magnitude",
    } = SignedOriginal, High, "vendor documentation of nl.abs_max and nl.abs_min";
    /// ABS_MAX_INT and ABS_MIN_INT.
    abs_minmax_int: AbsMinMaxInt {
        /// Wrapping absolute values, then a signed maximum or minimum.
        Magnitude = "magnitude",
        /// The operand itself, with its sign; a tie gives src1.
        SignedOriginal = "signed_original",
    } = Magnitude, Low, "the only composition that the instruction set offers";
    /// Integer-band results wider than the out dtype.
    int_narrow: IntNarrow {
        /// The low bits.
        LowBits = "low_bits",
        /// Clamped to the out range.
        Saturate = "saturate",
    } = LowBits, Low, "mixed widths pass the struct rules but no engine's gate";
    /// Which start partitions a number of channels allows.
    start_partition: StartPartition {
        /// 1..32 channels at 0, 32, 64, 96; 33..64 at 0, 64; more at 0.
        Quadrant = "quadrant",
        /// Any.
        Off = "off",
    } = Quadrant, Med, "public rule of the kernel language; the header's predicate body is not published";
    /// POW when all three dtypes are the same 32-bit integer.
    pow_int: PowInt {
        /// Through float32.
        Fp32Hub = "fp32_hub",
        /// Exact, wrapping 32-bit integers.
        Native32 = "native32",
    } = Fp32Hub, Low, "the compiler's documentation says int32 runs natively; its overflow rule is unknown";
}

/// Why a knob could not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyError {
    /// The text is not of the form `knob=value`.
    Syntax(String),
    /// No knob of that name.
    UnknownKnob(String),
    /// The knob has no such value.
    UnknownValue {
        /// The knob.
        knob: Knob,
        /// What was asked for.
        value: String,
    },
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(text) => write!(f, "policy `{text}` is not of the form knob=value, for example round=zero"),
            Self::UnknownKnob(name) => {
                let names: Vec<_> = Knob::ALL.iter().map(|k| k.name()).collect();
                write!(f, "no policy knob is named `{name}`; the knobs are {}", names.join(", "))
            }
            Self::UnknownValue { knob, value } => {
                write!(f, "policy knob {} has no value `{value}`; use {}", knob.name(), knob.values().join(" or "))
            }
        }
    }
}

impl std::error::Error for PolicyError {}

impl Knob {
    /// The knob of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|knob| knob.name() == name)
    }
}

impl Policy {
    /// Sets a knob from `knob=value`.
    ///
    /// # Errors
    /// When the text is no `knob=value`, or names no knob or no value of it.
    pub fn set(&mut self, assignment: &str) -> Result<(), PolicyError> {
        let (name, value) = assignment.split_once('=').ok_or_else(|| PolicyError::Syntax(assignment.to_owned()))?;
        let knob = Knob::parse(name.trim()).ok_or_else(|| PolicyError::UnknownKnob(name.trim().to_owned()))?;
        if self.set_knob(knob, value.trim()) {
            return Ok(());
        }
        Err(PolicyError::UnknownValue { knob, value: value.trim().to_owned() })
    }

    /// The knobs that differ from the default, as `knob=value`.
    pub fn changed(&self) -> Vec<String> {
        Knob::ALL
            .iter()
            .filter(|knob| self.get(**knob) != knob.default_value())
            .map(|knob| format!("{}={}", knob.name(), self.get(*knob)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_every_knob_can_be_set_and_read_back() {
        for &knob in Knob::ALL {
            assert_eq!(knob.default_value(), knob.values()[0], "{}: the default is listed first", knob.name());
            for value in knob.values() {
                let mut policy = Policy::default();
                policy.set(&format!("{}={value}", knob.name())).unwrap();
                assert_eq!(policy.get(knob), *value);
                assert_eq!(policy.changed().len(), usize::from(*value != knob.default_value()));
            }
        }
    }

    #[test]
    fn a_wrong_knob_or_value_says_what_to_write() {
        let mut policy = Policy::default();
        assert!(policy.set("round").unwrap_err().to_string().contains("knob=value"));
        assert!(policy.set("rnd=zero").unwrap_err().to_string().contains("the knobs are base_int, round"));
        assert!(policy.set("round=even").unwrap_err().to_string().contains("use nearest_even or zero or up or down"));
        assert_eq!(policy, Policy::default());
    }
}
