//! Element dtypes: one row each.

use crate::generation::{Generation, Generations};
use std::fmt;
use vq7_policy::{E4m3, Policy};

/// What the bits of an element are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Unsigned integer.
    Unsigned,
    /// Two's complement integer.
    Signed,
    /// Floating point.
    Float,
    /// Nothing that a tensor-tensor operand can hold: sub-byte, scale-only and transport codes.
    Other,
}

macro_rules! dtypes {
    ($($code:literal $variant:ident $header:literal $name:literal bits $bits:literal $kind:ident $since:ident [$($alias:literal)*];)*) => {
        /// A dtype code that some generation defines. The discriminant is the code.
        #[allow(missing_docs, reason = "each variant is its row of the table")]
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Dtype { $($variant = $code,)* }

        impl Dtype {
            /// Every dtype code, in the order of the codes.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            #[inline]
            const fn row(self) -> &'static Row {
                match self {
                    $(Self::$variant => &Row {
                        header: $header, name: $name, bits: $bits, kind: Kind::$kind, since: Generations::$since, aliases: &[$($alias),*],
                    },)*
                }
            }

            /// The dtype of a code, whatever the generation; `None` for INVALID and unassigned codes.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

struct Row {
    header: &'static str,
    name: &'static str,
    bits: u8,
    kind: Kind,
    since: Generations,
    aliases: &'static [&'static str],
}

// code, variant, the header's name, the printed name, width in bits, kind, generations, further names that are accepted
#[rustfmt::skip]
dtypes! {
    0x01 Uint64    "UINT64"    "uint64"      bits 64 Unsigned SCMV ["u64"];
    0x02 Int8      "INT8"      "int8"        bits 8  Signed   SCMV ["i8"];
    0x03 Uint8     "UINT8"     "uint8"       bits 8  Unsigned SCMV ["u8" "bool"];
    0x04 Int16     "INT16"     "int16"       bits 16 Signed   SCMV ["i16"];
    0x05 Uint16    "UINT16"    "uint16"      bits 16 Unsigned SCMV ["u16"];
    0x06 Bfloat16  "BFLOAT16"  "bfloat16"    bits 16 Float    SCMV ["bf16"];
    0x07 Fp16      "FP16"      "float16"     bits 16 Float    SCMV ["f16"];
    0x08 Int32     "INT32"     "int32"       bits 32 Signed   SCMV ["i32"];
    0x09 Uint32    "UINT32"    "uint32"      bits 32 Unsigned SCMV ["u32"];
    0x0A Fp32      "FP32"      "float32"     bits 32 Float    SCMV ["f32"];
    0x0B Fp32r     "FP32R"     "float32r"    bits 32 Float    SCMV [];
    0x0C Int64     "INT64"     "int64"       bits 64 Signed   SCMV ["i64"];
    0x0D Fp8Exp3   "FP8_EXP3"  "float8_e3m4" bits 8  Float    SCMV ["FP8_E3" "e3m4"];
    0x0E Fp8Exp4   "FP8_EXP4"  "float8_e4m3" bits 8  Float    SCMV ["FP8_E4" "e4m3"];
    0x0F Fp8Exp5   "FP8_EXP5"  "float8_e5m2" bits 8  Float    SCMV ["FP8_E5" "e5m2"];
    0x10 Fp4Exp2   "FP4_EXP2"  "float4_e2m1" bits 4  Other    MV   [];
    0x11 Fp8Exp2   "FP8_EXP2"  "float8_e2m5" bits 8  Other    V    [];
    0x12 Int4      "INT4"      "int4"        bits 4  Other    V    [];
    0x13 Sfp8E8    "SFP8_E8"   "scale_e8m0"  bits 8  Other    V    [];
    0x14 Sfp8E7    "SFP8_E7"   "scale_e7m1"  bits 8  Other    V    [];
    0x15 Sfp8E6    "SFP8_E6"   "scale_e6m2"  bits 8  Other    V    [];
    0x16 Sfp8E5    "SFP8_E5"   "scale_e5m3"  bits 8  Other    V    [];
    0x19 Cptc1     "CPTC1"     "cptc1"       bits 1  Other    MV   [];
    0x1A Cptc2     "CPTC2"     "cptc2"       bits 2  Other    MV   [];
    0x1B Cptc3     "CPTC3"     "cptc3"       bits 3  Other    MV   [];
    0x1C Cptc4     "CPTC4"     "cptc4"       bits 4  Other    MV   [];
    0x1D Cptc5     "CPTC5"     "cptc5"       bits 5  Other    MV   [];
    0x1E Cptc6     "CPTC6"     "cptc6"       bits 6  Other    MV   [];
    0x1F Cptc7     "CPTC7"     "cptc7"       bits 7  Other    MV   [];
}

impl Dtype {
    /// The code, 0x01..0x1F.
    #[inline]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The header's name, such as `FP8_EXP4`.
    pub const fn header_name(self) -> &'static str {
        self.row().header
    }

    /// The printed name, such as `float8_e4m3`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Names that are accepted besides the printed one and the header's.
    pub const fn aliases(self) -> &'static [&'static str] {
        self.row().aliases
    }

    /// Width of one element in bits.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.row().bits as u32
    }

    /// Width of one element in bytes; 0 for sub-byte codes.
    #[inline]
    pub const fn bytes(self) -> u32 {
        self.bits() / 8
    }

    /// What the bits are.
    #[inline]
    pub const fn kind(self) -> Kind {
        self.row().kind
    }

    /// Generations whose enum has the code.
    pub const fn generations(self) -> Generations {
        self.row().since
    }

    /// Whether the generation's enum has the code.
    pub const fn in_generation(self, generation: Generation) -> bool {
        self.row().since.contains(generation)
    }

    /// Whether a tensor-tensor operand can hold it on some generation: the codes that fit a nibble.
    #[inline]
    pub const fn is_tensor_tensor(self) -> bool {
        !matches!(self.row().kind, Kind::Other)
    }

    /// The dtypes that a tensor-tensor operand can hold.
    pub fn tensor_tensor() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|dtype| dtype.is_tensor_tensor())
    }

    /// Header predicate `is_valid_int_dtype`: an 8-, 16-, 32- or 64-bit integer.
    #[inline]
    pub const fn is_int(self) -> bool {
        matches!(self.row().kind, Kind::Signed | Kind::Unsigned)
    }

    /// Header predicate `is_signed_int`.
    #[inline]
    pub const fn is_signed_int(self) -> bool {
        matches!(self.row().kind, Kind::Signed)
    }

    /// Header predicate `is_unsigned_int`.
    #[inline]
    pub const fn is_unsigned_int(self) -> bool {
        matches!(self.row().kind, Kind::Unsigned)
    }

    /// Header predicate `is_valid_32b_int_dtype`.
    #[inline]
    pub const fn is_32bit_int(self) -> bool {
        self.is_int() && self.bits() == 32
    }

    /// Header predicate `is_valid_64b_int_dtype`.
    #[inline]
    pub const fn is_64bit_int(self) -> bool {
        self.is_int() && self.bits() == 64
    }

    /// Header predicate `is_valid_int_dtype_datapath`: an integer of at most 32 bits.
    #[inline]
    pub const fn is_datapath_int(self) -> bool {
        self.is_int() && self.bits() <= 32
    }

    /// Whether it is a floating-point dtype that a tensor-tensor operand can hold.
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self.row().kind, Kind::Float)
    }

    /// The dtype of any name that users know: the printed one, the header's, libnrt's, short ones; in either case.
    /// `float8_e4m3fn` is FP8_EXP4 when the policy says that code is OCP's.
    ///
    /// # Errors
    /// When the name is not a dtype of the engine; the error says what to write instead.
    pub fn parse(name: &str, policy: &Policy) -> Result<Self, UnknownDtype> {
        let name = name.trim();
        if ["float8_e4m3fn", "e4m3fn"].iter().any(|fn_name| name.eq_ignore_ascii_case(fn_name)) {
            return match policy.e4m3 {
                E4m3::Fn => Ok(Self::Fp8Exp4),
                E4m3::Ieee => Err(UnknownDtype::E4m3fn),
            };
        }
        Self::ALL.iter().copied().find(|dtype| dtype.is_named(name)).ok_or_else(|| {
            let host_only = ["float64", "f64", "double", "complex64", "complex128", "object", "str"];
            match host_only.iter().any(|host| name.eq_ignore_ascii_case(host)) {
                true => UnknownDtype::HostOnly(name.to_owned()),
                false => UnknownDtype::Name(name.to_owned()),
            }
        })
    }

    fn is_named(self, name: &str) -> bool {
        let row = self.row();
        row.name.eq_ignore_ascii_case(name)
            || row.header.eq_ignore_ascii_case(name)
            || row.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no dtype of the engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownDtype {
    /// Not a name that any user of the engine knows.
    #[error("no dtype is named `{0}`; `vq7 dtypes` lists the names")]
    Name(String),
    /// A host dtype that the engine does not have.
    #[error("the engine has no dtype `{0}`; convert the array to float32 or to an integer dtype first")]
    HostOnly(String),
    /// OCP e4m3fn under the IEEE-like policy.
    #[error(
        "dtype code FP8_EXP4 is IEEE-like e4m3 here (largest finite 240); for OCP e4m3fn add `--policy e4m3=fn`, or name it float8_e4m3"
    )]
    E4m3fn,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip_and_unassigned_codes_have_no_dtype() {
        for code in 0..=255u8 {
            match Dtype::from_code(code) {
                Some(dtype) => assert_eq!(dtype.code(), code),
                None => assert!(code == 0 || code == 0x17 || code == 0x18 || code > 0x1F, "{code:#x}"),
            }
        }
        assert_eq!(Dtype::tensor_tensor().count(), 15);
    }

    #[test]
    fn no_name_belongs_to_two_dtypes() {
        for &dtype in Dtype::ALL {
            for name in [dtype.name(), dtype.header_name()].iter().chain(dtype.aliases()) {
                let owners: Vec<_> = Dtype::ALL.iter().filter(|d| d.is_named(name)).collect();
                assert_eq!(owners, [&dtype], "{name}");
            }
        }
    }

    #[test]
    fn names_of_nki_ml_dtypes_libnrt_and_the_header_parse() {
        let policy = Policy::default();
        for (name, dtype) in [
            ("float32", Dtype::Fp32),
            ("fp32", Dtype::Fp32),
            ("FLOAT32", Dtype::Fp32),
            ("f32", Dtype::Fp32),
            ("fp32r", Dtype::Fp32r),
            ("FP32R", Dtype::Fp32r),
            ("FP8_E4", Dtype::Fp8Exp4),
            ("FP8_EXP4", Dtype::Fp8Exp4),
            ("float8_e4m3", Dtype::Fp8Exp4),
            ("bf16", Dtype::Bfloat16),
            ("FLOAT16", Dtype::Fp16),
            ("fp16", Dtype::Fp16),
            ("i8", Dtype::Int8),
            ("bool", Dtype::Uint8),
        ] {
            assert_eq!(Dtype::parse(name, &policy), Ok(dtype), "{name}");
        }
        assert_eq!(Dtype::parse("float64", &policy), Err(UnknownDtype::HostOnly("float64".into())));
        assert_eq!(Dtype::parse("float8_e4m3fn", &policy), Err(UnknownDtype::E4m3fn));
        let ocp = Policy { e4m3: E4m3::Fn, ..policy };
        assert_eq!(Dtype::parse("float8_e4m3fn", &ocp), Ok(Dtype::Fp8Exp4));
    }
}
