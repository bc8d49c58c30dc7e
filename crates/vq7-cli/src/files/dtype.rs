//! Which dtype of the engine the elements of a file are.

use super::npy::{Element, Kind};
use std::fmt;
use vq7_isa::Dtype;

/// Why elements are no dtype of the engine, or not the one that was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DtypeError {
    /// The file does not say what its elements are.
    Unnamed {
        /// The file's word.
        descr: String,
        /// The dtypes that they can be.
        candidates: Vec<Dtype>,
    },
    /// The engine has no such elements.
    Refused {
        /// The file's word.
        descr: String,
        /// What to do.
        advice: &'static str,
    },
    /// The dtype named has another width.
    Width {
        /// The file's word.
        descr: String,
        /// Its bits.
        bits: usize,
        /// The dtype named.
        named: Dtype,
    },
    /// The dtype named is of another kind, so that reading the bits as it would be a guess.
    Kind {
        /// The file's word.
        descr: String,
        /// The dtype named.
        named: Dtype,
    },
    /// No tensor-tensor operand can hold the dtype named.
    NoOperand(Dtype),
}

impl fmt::Display for DtypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unnamed { descr, candidates } => {
                let names: Vec<_> = candidates.iter().map(|dtype| dtype.name()).collect();
                write!(f, "elements are saved as `{descr}`, which does not say what they are; name their dtype")?;
                match names.is_empty() {
                    true => Ok(()),
                    false => write!(f, ", one of {}", names.join(", ")),
                }
            }
            Self::Refused { descr, advice } => write!(f, "the engine has no elements of type `{descr}`; {advice}"),
            Self::Width { descr, bits, named } => {
                write!(f, "elements `{descr}` have {bits} bits, and {named} has {}", named.bits())
            }
            Self::Kind { descr, named } => write!(
                f,
                "elements are `{descr}`, not {named}; to convert, save a.astype(..); to take their bits as {named}, save \
                 them as unsigned integers of that width, for example a.view('uint{}')",
                named.bits()
            ),
            Self::NoOperand(named) => write!(f, "no tensor-tensor operand can hold {named}"),
        }
    }
}

impl std::error::Error for DtypeError {}

/// The dtype of elements: what the file says, or what the caller named where the file leaves it open.
///
/// # Errors
/// When the file does not say and nobody named it, or when what was named contradicts the file. Nothing is guessed.
pub fn resolve(element: &Element, named: Option<Dtype>) -> Result<Dtype, DtypeError> {
    let descr = || element.descr.clone();
    refuse(element)?;
    let Some(named) = named else {
        let plain = plain_dtype(element);
        return plain.ok_or_else(|| DtypeError::Unnamed { descr: descr(), candidates: candidates(element) });
    };
    if !named.is_tensor_tensor() {
        return Err(DtypeError::NoOperand(named));
    }
    if named.bytes() as usize != element.size {
        return Err(DtypeError::Width { descr: descr(), bits: element.size * 8, named });
    }
    let agree = match element.kind {
        Kind::Unsigned | Kind::Void => true,
        Kind::Signed => named.is_signed_int(),
        Kind::Float => named.is_float(),
        Kind::Bool => named == Dtype::Uint8,
        Kind::Other(_) => false,
    };
    match agree {
        true => Ok(named),
        false => Err(DtypeError::Kind { descr: descr(), named }),
    }
}

/// What no dtype of the engine has the width or the kind of.
fn refuse(element: &Element) -> Result<(), DtypeError> {
    let advice = match (element.kind, element.size) {
        (Kind::Float, 8 | 12 | 16) => "convert with a.astype('float32')",
        (Kind::Other('c'), _) => "save real and imaginary part as two float32 arrays",
        (Kind::Other('O'), _) => "convert with a.astype(..) to a number type; objects are not read",
        (Kind::Other('U' | 'S' | 'a'), _) => "text has no bits to compute with",
        (Kind::Other('M' | 'm'), _) => "convert times with a.view('int64')",
        (Kind::Other(_), _) => "convert with a.astype('float32') or to an integer type",
        (_, 1 | 2 | 4 | 8) => return Ok(()),
        _ => "elements have 1, 2, 4 or 8 bytes",
    };
    Err(DtypeError::Refused { descr: element.descr.clone(), advice })
}

/// The dtype of elements that say what they are.
fn plain_dtype(element: &Element) -> Option<Dtype> {
    Some(match (element.kind, element.size) {
        (Kind::Bool | Kind::Unsigned, 1) => Dtype::Uint8,
        (Kind::Unsigned, 2) => Dtype::Uint16,
        (Kind::Unsigned, 4) => Dtype::Uint32,
        (Kind::Unsigned, 8) => Dtype::Uint64,
        (Kind::Signed, 1) => Dtype::Int8,
        (Kind::Signed, 2) => Dtype::Int16,
        (Kind::Signed, 4) => Dtype::Int32,
        (Kind::Signed, 8) => Dtype::Int64,
        (Kind::Float, 2) => Dtype::Fp16,
        (Kind::Float, 4) => Dtype::Fp32,
        _ => return None,
    })
}

/// What elements that do not say so can be: first the dtypes that NumPy has no letter for.
fn candidates(element: &Element) -> Vec<Dtype> {
    let fits =
        |dtype: &Dtype| dtype.bytes() as usize == element.size && (element.kind != Kind::Float || dtype.is_float());
    let mut list: Vec<_> = Dtype::tensor_tensor().filter(fits).collect();
    list.sort_by_key(|dtype| !dtype.is_float());
    list
}

/// NumPy's word for elements of a dtype, as this program writes them. What NumPy has no letter for goes as raw bytes.
pub const fn descr(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Int8 => "|i1",
        Dtype::Uint8 => "|u1",
        Dtype::Int16 => "<i2",
        Dtype::Uint16 => "<u2",
        Dtype::Int32 => "<i4",
        Dtype::Uint32 => "<u4",
        Dtype::Int64 => "<i8",
        Dtype::Uint64 => "<u8",
        Dtype::Fp16 => "<f2",
        Dtype::Fp32 | Dtype::Fp32r => "<f4",
        Dtype::Bfloat16 => "<V2",
        // The 8-bit floats, and codes that no operand holds.
        _ => "|V1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(kind: Kind, size: usize) -> Element {
        Element { kind, size, descr: "?".into() }
    }

    #[test]
    fn a_file_that_says_what_it_holds_needs_no_name() {
        assert_eq!(resolve(&element(Kind::Signed, 4), None), Ok(Dtype::Int32));
        assert_eq!(resolve(&element(Kind::Bool, 1), None), Ok(Dtype::Uint8));
        assert_eq!(resolve(&element(Kind::Float, 2), None), Ok(Dtype::Fp16));
        let unnamed = resolve(&element(Kind::Void, 2), None).unwrap_err().to_string();
        assert!(unnamed.contains("one of bfloat16, float16, int16, uint16"), "{unnamed}");
        assert!(resolve(&element(Kind::Float, 1), None).unwrap_err().to_string().contains("float8_e4m3"));
    }

    #[test]
    fn a_name_reinterprets_bits_only_where_that_is_no_guess() {
        assert_eq!(resolve(&element(Kind::Void, 2), Some(Dtype::Bfloat16)), Ok(Dtype::Bfloat16));
        assert_eq!(resolve(&element(Kind::Unsigned, 2), Some(Dtype::Bfloat16)), Ok(Dtype::Bfloat16));
        assert_eq!(resolve(&element(Kind::Float, 4), Some(Dtype::Fp32r)), Ok(Dtype::Fp32r));
        assert_eq!(resolve(&element(Kind::Float, 1), Some(Dtype::Fp8Exp5)), Ok(Dtype::Fp8Exp5));
        assert!(matches!(resolve(&element(Kind::Signed, 4), Some(Dtype::Fp32)), Err(DtypeError::Kind { .. })));
        assert!(matches!(resolve(&element(Kind::Float, 4), Some(Dtype::Int32)), Err(DtypeError::Kind { .. })));
        assert!(matches!(resolve(&element(Kind::Signed, 4), Some(Dtype::Uint32)), Err(DtypeError::Kind { .. })));
        assert!(matches!(resolve(&element(Kind::Void, 2), Some(Dtype::Fp8Exp4)), Err(DtypeError::Width { .. })));
        assert!(matches!(resolve(&element(Kind::Void, 1), Some(Dtype::Int4)), Err(DtypeError::NoOperand(_))));
    }

    #[test]
    fn what_the_engine_lacks_is_refused_with_advice() {
        for (kind, size, advice) in [
            (Kind::Float, 8, "float32"),
            (Kind::Other('c'), 8, "real and imaginary"),
            (Kind::Other('O'), 8, "objects"),
            (Kind::Other('U'), 12, "text"),
            (Kind::Void, 3, "1, 2, 4 or 8"),
        ] {
            let error = resolve(&element(kind, size), Some(Dtype::Fp32)).unwrap_err();
            assert!(error.to_string().contains(advice), "{error}");
        }
    }

    #[test]
    fn what_is_written_names_the_width_of_the_dtype() {
        for dtype in Dtype::tensor_tensor() {
            assert!(descr(dtype).ends_with(&dtype.bytes().to_string()), "{dtype}");
        }
    }
}
