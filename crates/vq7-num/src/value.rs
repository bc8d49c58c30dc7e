//! Elements as text: what a report prints, and what a user may type.

use crate::convert::{int_value, mask, to_hub};
use crate::decimal::Decimal;
use crate::format::{FP32, Format};
use crate::unpacked::{Finite, Unpacked};
use std::fmt;
use vq7_isa::Dtype;
use vq7_policy::Policy;

/// An element as text that reads back to the same bits. Integers in decimal, also those that a float holds below 2^53;
/// other floats as the shortest decimal that tells the float32 that they are exactly from its neighbours; `inf`, `-inf`
/// or `nan`; what no tensor-tensor operand holds as a bit pattern.
///
/// The shortest text of a narrow format would look like another number: 60000 for the 57344 of float8_e5m2.
/// A NaN's sign and payload are not shown.
pub fn format_value(bits: u64, dtype: Dtype, policy: &Policy) -> String {
    let bits = bits & mask(dtype.bits());
    if dtype.is_int() {
        return int_value(bits, dtype.is_signed_int(), dtype.bits()).to_string();
    }
    if !dtype.is_float() {
        return format!("{bits:#x}");
    }
    // Every narrow format lies inside float32, so this is exact.
    let hub = u64::from(to_hub(bits, dtype, policy).value);
    let minus = if FP32.is_negative(hub) { "-" } else { "" };
    match FP32.unpack(hub) {
        Unpacked::Nan => "nan".to_owned(),
        Unpacked::Infinity { .. } => format!("{minus}inf"),
        Unpacked::Zero { .. } => format!("{minus}0"),
        Unpacked::Finite(number) => match whole(number) {
            Some(whole) => format!("{minus}{whole}"),
            None => format!("{minus}{}", Decimal::shortest(number, hub & !FP32.sign(true), &FP32).text()),
        },
    }
}

/// The number as an integer, if it is one below 2^53.
fn whole(number: Finite) -> Option<u64> {
    let Finite { exponent, significand, .. } = number;
    let whole = match u32::try_from(exponent) {
        Ok(up) => significand.checked_shl(up).filter(|moved| moved >> up == significand)?,
        Err(_) => {
            let down = exponent.unsigned_abs();
            significand.checked_shr(down).filter(|moved| moved << down == significand)?
        }
    };
    (whole < 1 << 53).then_some(whole)
}

/// Why text is not an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueError {
    /// Not a number of any kind.
    NotANumber {
        /// What was read.
        text: String,
    },
    /// A number with a fraction or exponent, an infinity or a NaN, where an integer is wanted.
    NotAnInteger {
        /// What was read.
        text: String,
        /// The dtype asked for.
        dtype: Dtype,
    },
    /// A number that the dtype cannot hold.
    OutOfRange {
        /// What was read.
        text: String,
        /// The dtype asked for.
        dtype: Dtype,
        /// Its smallest number, as text.
        smallest: String,
        /// Its largest number, as text.
        largest: String,
    },
    /// A bit pattern with more bits than the dtype.
    TooManyBits {
        /// What was read.
        text: String,
        /// The dtype asked for.
        dtype: Dtype,
    },
    /// An infinity where the format has none.
    NoInfinity {
        /// The dtype asked for.
        dtype: Dtype,
    },
    /// A dtype that no tensor-tensor operand holds; only bit patterns are read for it.
    PatternOnly {
        /// The dtype asked for.
        dtype: Dtype,
    },
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber { text } => {
                write!(
                    f,
                    "`{text}` is no number; write one such as 3, -1.5, 2e-3, inf or nan, or a bit pattern such as 0x3F"
                )
            }
            Self::NotAnInteger { text, dtype } => {
                write!(
                    f,
                    "`{text}` is no integer, and {dtype} holds nothing else; write one such as -3, or a bit pattern such as 0x3F"
                )
            }
            Self::OutOfRange { text, dtype, smallest, largest } => {
                write!(f, "{text} does not fit {dtype}, which goes from {smallest} to {largest}")
            }
            Self::TooManyBits { text, dtype } => {
                write!(f, "the bit pattern {text} has more than the {} bits of {dtype}", dtype.bits())
            }
            Self::NoInfinity { dtype } => write!(f, "{dtype} in the OCP flavour has no infinity; it has nan"),
            Self::PatternOnly { dtype } => {
                write!(f, "write a bit pattern such as 0x3 for {dtype}; vq7 gives its bits no value")
            }
        }
    }
}

impl std::error::Error for ValueError {}

/// Reads an element. `0x..` is a bit pattern; anything else is a number, rounded once to nearest even into a
/// floating-point dtype, exact for an integer dtype. Underscores may stand between digits. `inf`, `-inf` and `nan` in
/// any case; `nan` is the canonical one.
///
/// # Errors
/// When the text is no number, or the dtype cannot hold it: nothing is clamped, and nothing becomes an infinity.
pub fn parse_value(text: &str, dtype: Dtype, policy: &Policy) -> Result<u64, ValueError> {
    let text = text.trim();
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    if let Some(digits) = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X")) {
        return parse_pattern(text, digits, dtype);
    }
    let (negative, magnitude) = match plain.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    if dtype.is_int() {
        return parse_int(text, negative, magnitude, dtype);
    }
    match Format::of(dtype, policy) {
        Some(format) => parse_float(text, negative, magnitude, dtype, format),
        None => Err(ValueError::PatternOnly { dtype }),
    }
}

fn parse_pattern(text: &str, digits: &str, dtype: Dtype) -> Result<u64, ValueError> {
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_hexdigit()) {
        return Err(ValueError::NotANumber { text: text.to_owned() });
    }
    match u64::from_str_radix(digits.trim_start_matches('0'), 16) {
        _ if digits.bytes().all(|c| c == b'0') => Ok(0),
        Ok(bits) if bits <= mask(dtype.bits()) => Ok(bits),
        _ => Err(ValueError::TooManyBits { text: text.to_owned(), dtype }),
    }
}

fn parse_int(text: &str, negative: bool, magnitude: &str, dtype: Dtype) -> Result<u64, ValueError> {
    let text = text.to_owned();
    if magnitude.is_empty() || !magnitude.bytes().all(|c| c.is_ascii_digit()) {
        let is_number = Decimal::parse(magnitude).is_some() || named(magnitude).is_some();
        return Err(if is_number { ValueError::NotAnInteger { text, dtype } } else { ValueError::NotANumber { text } });
    }
    let (width, signed) = (dtype.bits(), dtype.is_signed_int());
    let smallest: i128 = if signed { -(1 << (width - 1)) } else { 0 };
    let largest: i128 = if signed { (1 << (width - 1)) - 1 } else { mask(width).into() };
    // More digits than 128 bits hold are out of every range.
    let value = magnitude.parse::<i128>().ok().map(|value| if negative { -value } else { value });
    match value {
        Some(value) if (smallest..=largest).contains(&value) => Ok(value as u64 & mask(width)),
        _ => Err(ValueError::OutOfRange { text, dtype, smallest: smallest.to_string(), largest: largest.to_string() }),
    }
}

/// The numbers that are written as words.
enum Named {
    Infinity,
    Nan,
}

fn named(text: &str) -> Option<Named> {
    if text.eq_ignore_ascii_case("inf") || text.eq_ignore_ascii_case("infinity") {
        Some(Named::Infinity)
    } else if text.eq_ignore_ascii_case("nan") {
        Some(Named::Nan)
    } else {
        None
    }
}

fn parse_float(
    text: &str,
    negative: bool,
    magnitude: &str,
    dtype: Dtype,
    format: &'static Format,
) -> Result<u64, ValueError> {
    match named(magnitude) {
        Some(Named::Nan) => return Ok(format.sign(negative) | format.canonical_nan()),
        Some(Named::Infinity) => {
            let infinity = format.infinity().ok_or(ValueError::NoInfinity { dtype })?;
            return Ok(format.sign(negative) | infinity);
        }
        None => {}
    }
    let decimal = Decimal::parse(magnitude).ok_or_else(|| ValueError::NotANumber { text: text.to_owned() })?;
    match decimal.round_to(negative, format) {
        (bits, false) => Ok(bits),
        (_, true) => {
            let largest = match format.unpack(format.max_finite()) {
                Unpacked::Finite(number) => Decimal::shortest(number, format.max_finite(), format).text(),
                _ => "inf".to_owned(),
            };
            Err(ValueError::OutOfRange { text: text.to_owned(), dtype, smallest: format!("-{largest}"), largest })
        }
    }
}
