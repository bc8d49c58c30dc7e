//! `.npy`: bytes in, array out, and back. No I/O.
//!
//! The reader trusts nothing that the header says: what it claims is held against the bytes that are there.

use super::npy_header::{self, Header};
use std::fmt;

/// What the elements of an array are, by NumPy's letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `b`: NumPy's bool.
    Bool,
    /// `i`.
    Signed,
    /// `u`.
    Unsigned,
    /// `f`.
    Float,
    /// `V`: bytes without a meaning of their own; how bfloat16 and 8-bit floats are saved.
    Void,
    /// Anything else: complex, text, objects, times.
    Other(char),
}

/// The elements of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// What they are.
    pub kind: Kind,
    /// Bytes of one.
    pub size: usize,
    /// The file's own word for them, such as `<f4`.
    pub descr: String,
}

/// An array: elements in C order, each with its low byte first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyArray {
    /// What the elements are.
    pub element: Element,
    /// Its shape; empty for a single element.
    pub shape: Vec<usize>,
    /// The elements.
    pub bytes: Vec<u8>,
}

/// Why bytes are no array.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NpyError {
    /// The first bytes are not those of a `.npy` file.
    #[error("this is no .npy file: it does not begin with \\x93NUMPY")]
    Magic,
    /// A version that NumPy has not had.
    #[error("version {0}.{1} of the .npy format is not known; 1.0, 2.0 and 3.0 are")]
    Version(u8, u8),
    /// The file ends before its header does.
    #[error("the file is truncated: its header needs {need} bytes, and {have} are there")]
    HeaderTruncated {
        /// Bytes up to the end of the header.
        need: u64,
        /// Bytes of the file.
        have: usize,
    },
    /// The header is no dictionary of the three keys.
    #[error("the header is malformed: {0}")]
    Header(String),
    /// Elements that are Python objects.
    #[error(
        "the elements are `{0}`: the array holds Python objects, and objects are not read; convert with a.astype(..) to a \
         number type and save again"
    )]
    Objects(String),
    /// Elements with fields of their own.
    #[error("the array is structured: its elements have named fields; save one field as an array of its own")]
    Structured,
    /// The header claims an array that no memory holds.
    #[error("the header claims shape {shape} of {size}-byte elements, which is more than memory can hold")]
    Huge {
        /// The shape.
        shape: Shape,
        /// Bytes of an element.
        size: usize,
    },
    /// The header and the bytes after it disagree.
    #[error("the header claims shape {shape} of {size}-byte elements, {need} bytes, but {have} bytes follow it")]
    Length {
        /// The shape.
        shape: Shape,
        /// Bytes of an element.
        size: usize,
        /// Bytes that the shape needs.
        need: usize,
        /// Bytes after the header.
        have: usize,
    },
}

/// A shape, printed as NumPy prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(pub Vec<usize>);

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        match &dims[..] {
            [one] => write!(f, "({one},)"),
            dims => write!(f, "({})", dims.join(", ")),
        }
    }
}

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Whether bytes begin as a `.npy` file does.
pub fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a `.npy` file: C or Fortran order, little or big endian.
///
/// # Errors
/// When the bytes are no such file, or the header claims what is not there.
pub fn parse(bytes: &[u8]) -> Result<NpyArray, NpyError> {
    let (header, data) = split(bytes)?;
    let Header { element, big_endian, fortran_order, shape } = npy_header::parse(header)?;
    if element.kind == Kind::Other('O') {
        return Err(NpyError::Objects(element.descr));
    }
    let huge = || NpyError::Huge { shape: Shape(shape.clone()), size: element.size };
    let need = shape.iter().try_fold(element.size, |product, dim| product.checked_mul(*dim)).ok_or_else(huge)?;
    if need != data.len() {
        let shape = Shape(shape);
        return Err(NpyError::Length { shape, size: element.size, need, have: data.len() });
    }
    let mut bytes = match fortran_order && shape.len() > 1 {
        true => fortran_to_c(data, &shape, element.size),
        false => data.to_vec(),
    };
    if big_endian && element.size > 1 {
        bytes.chunks_exact_mut(element.size).for_each(<[u8]>::reverse);
    }
    Ok(NpyArray { element, shape, bytes })
}

/// The header's text and the bytes after it.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), NpyError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(NpyError::Magic)?;
    let truncated = |need: u64| NpyError::HeaderTruncated { need, have: bytes.len() };
    let [major, minor, rest @ ..] = rest else { return Err(truncated(10)) };
    let (length, rest) = match (major, minor) {
        (1, 0) => {
            let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(|| truncated(10))?;
            (u32::from(u16::from_le_bytes(*length)), rest)
        }
        (2 | 3, 0) => {
            let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(|| truncated(12))?;
            (u32::from_le_bytes(*length), rest)
        }
        (major, minor) => return Err(NpyError::Version(*major, *minor)),
    };
    let before = (bytes.len() - rest.len()) as u64;
    let cut = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    cut.ok_or_else(|| truncated(before + u64::from(length)))
}

/// Elements whose first index runs fastest, put in the order in which the last one does.
fn fortran_to_c(data: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    if data.is_empty() || size == 0 {
        return out;
    }
    // Bytes from an element to the next along each dimension. The product of the shape is known to fit.
    let strides: Vec<usize> = shape
        .iter()
        .scan(size, |stride, dim| {
            let this = *stride;
            *stride *= dim;
            Some(this)
        })
        .collect();
    let mut index = vec![0usize; shape.len()];
    let mut at = 0;
    loop {
        out.extend_from_slice(data.get(at..at + size).unwrap_or_default());
        // Count up the last index; on its end go back and carry to the one before.
        let mut dim = shape.len();
        loop {
            if dim == 0 {
                return out;
            }
            dim -= 1;
            index[dim] += 1;
            at += strides[dim];
            if index[dim] < shape[dim] {
                break;
            }
            at -= strides[dim] * shape[dim];
            index[dim] = 0;
        }
    }
}

/// Writes a `.npy` file in C order. `descr` is NumPy's word for the elements, such as `<f4`.
pub fn write(descr: &str, shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let shape = Shape(shape.to_vec());
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // The data begins at a multiple of 64 bytes.
    let before = MAGIC.len() + 4;
    let padding = (before + header.len() + 1).next_multiple_of(64) - (before + header.len() + 1);
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let mut out = Vec::with_capacity(before + header.len() + bytes.len());
    out.extend_from_slice(MAGIC);
    // A shape of at most 64 numbers keeps the header far below 64 KiB.
    out.extend_from_slice(&[1, 0]);
    out.extend_from_slice(&u16::try_from(header.len()).unwrap_or(u16::MAX).to_le_bytes());
    out.extend_from_slice(header.as_bytes());
    out.extend_from_slice(bytes);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&[1, 0]);
        bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        bytes
    }

    fn header(descr: &str, fortran: bool, shape: &str) -> String {
        let fortran = if fortran { "True" } else { "False" };
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
    }

    #[test]
    fn what_is_written_reads_back() {
        for shape in [vec![], vec![3], vec![2, 3], vec![1, 2, 3]] {
            let count: usize = shape.iter().product();
            let data: Vec<u8> = (0..count * 4).map(|i| i as u8).collect();
            let bytes = write("<i4", &shape, &data);
            assert_eq!((bytes.len() - data.len()) % 64, 0);
            let array = parse(&bytes).unwrap();
            assert_eq!((array.shape, array.bytes), (shape, data));
            assert_eq!(array.element, Element { kind: Kind::Signed, size: 4, descr: "<i4".into() });
        }
    }

    #[test]
    fn fortran_order_is_put_right() {
        // The array [[0, 1, 2], [3, 4, 5]] with the first index fastest.
        let array = parse(&file(&header("|u1", true, "(2, 3)"), &[0, 3, 1, 4, 2, 5])).unwrap();
        assert_eq!((array.shape, array.bytes), (vec![2, 3], vec![0, 1, 2, 3, 4, 5]));
        let cube = parse(&file(&header("|u1", true, "(2, 2, 2)"), &[0, 4, 2, 6, 1, 5, 3, 7])).unwrap();
        assert_eq!(cube.bytes, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(parse(&file(&header("|u1", true, "(0, 3)"), &[])).unwrap().bytes, [0u8; 0]);
    }

    #[test]
    fn big_endian_is_turned_round() {
        let array = parse(&file(&header(">i2", false, "(2,)"), &[0x12, 0x34, 0x56, 0x78])).unwrap();
        assert_eq!(array.bytes, [0x34, 0x12, 0x78, 0x56]);
    }

    #[test]
    fn elements_of_ml_dtypes_are_read_as_they_are_saved() {
        for (descr, kind, size) in
            [("|V2", Kind::Void, 2), ("<V2", Kind::Void, 2), ("|V1", Kind::Void, 1), ("<f1", Kind::Float, 1)]
        {
            let array = parse(&file(&header(descr, false, "(1,)"), &vec![7; size])).unwrap();
            assert_eq!((array.element.kind, array.element.size), (kind, size), "{descr}");
        }
        assert_eq!(parse(&file(&header("|b1", false, "(1,)"), &[1])).unwrap().element.kind, Kind::Bool);
    }

    #[test]
    fn a_header_that_lies_is_caught() {
        let error = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
        let long = error(&file(&header("<i4", false, "(4,)"), &[0; 12]));
        assert_eq!(long, "the header claims shape (4,) of 4-byte elements, 16 bytes, but 12 bytes follow it");
        assert!(error(&file(&header("<i4", false, "(2,)"), &[0; 12])).contains("12 bytes follow"));
        let huge = error(&file(&header("<i8", false, "(4294967296, 4294967296, 8)"), &[]));
        assert!(huge.contains("more than memory can hold"), "{huge}");
        assert!(error(&file(&header("<i8", false, "(99999999999999999999,)"), &[])).contains("malformed"));
        let zero = error(&file(&header("|V0", false, "(99,)"), &[]));
        assert!(zero.contains("malformed"), "{zero}");
    }

    #[test]
    fn what_is_no_npy_file_is_refused() {
        assert_eq!(parse(b""), Err(NpyError::Magic));
        assert_eq!(parse(b"PK\x03\x04"), Err(NpyError::Magic));
        assert_eq!(parse(b"\x93NUMPY\x09\x01"), Err(NpyError::Version(9, 1)));
        for bytes in
            [&b"\x93NUMPY"[..], b"\x93NUMPY\x01", b"\x93NUMPY\x01\x00\x76", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{"]
        {
            assert!(matches!(parse(bytes), Err(NpyError::HeaderTruncated { .. })), "{bytes:?}");
        }
        assert_eq!(
            parse(&file("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }", &[0; 4])),
            Err(NpyError::Structured)
        );
        for bad in ["", "{", "{}", "{'descr': '<i4'}", "{'descr': '<i4', 'fortran_order': 1, 'shape': ()}", "x"] {
            assert!(matches!(parse(&file(bad, &[0; 4])), Err(NpyError::Header(_))), "{bad}");
        }
    }

    #[test]
    fn no_cut_of_a_file_makes_the_reader_panic() {
        let bytes = write("<f4", &[3, 5], &[0xAB; 60]);
        for end in 0..bytes.len() {
            assert!(parse(&bytes[..end]).is_err());
        }
        for at in 0..bytes.len() - 60 {
            for value in [0, b'(', b'\'', b'9', 0xFF] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let _ = parse(&changed);
            }
        }
    }
}
