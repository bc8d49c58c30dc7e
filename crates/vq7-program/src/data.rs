//! Arrays of elements, and the bytes that a program's value lists stand for.

use crate::diagnostic::{Diagnostic, Parsed};
use crate::syntax::{Init, Name, Rest};
use vq7_isa::Dtype;
use vq7_num::parse_value;
use vq7_policy::Policy;

/// An array: row-major elements, little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Dtype of the elements.
    pub dtype: Dtype,
    /// Sizes, outermost first.
    pub shape: Vec<usize>,
    /// `product(shape) * dtype.bytes()` bytes.
    pub bytes: Vec<u8>,
}

impl Array {
    /// Elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// The bits of one element, zero-extended; `None` past the end.
    pub fn bits(&self, index: usize) -> Option<u64> {
        element_bits(&self.bytes, self.dtype, index)
    }
}

/// The bits of the element at `index` of a run of elements, zero-extended.
pub(crate) fn element_bits(bytes: &[u8], dtype: Dtype, index: usize) -> Option<u64> {
    let size = dtype.bytes() as usize;
    let start = index.checked_mul(size)?;
    let element = bytes.get(start..start.checked_add(size)?)?;
    let mut bits = [0; 8];
    bits.get_mut(..size)?.copy_from_slice(element);
    Some(u64::from_le_bytes(bits))
}

fn push_element(bytes: &mut Vec<u8>, dtype: Dtype, bits: u64) {
    bytes.extend(bits.to_le_bytes().iter().take(dtype.bytes() as usize));
}

/// The bits that a number of the program stands for in a dtype.
pub(crate) fn value_bits(value: &Name, dtype: Dtype, policy: &Policy) -> Parsed<u64> {
    parse_value(&value.value, dtype, policy).map_err(|error| Diagnostic::new(value.span.clone(), error.to_string()))
}

/// The bytes of `elements` elements that an initialiser stands for.
pub(crate) fn init_bytes(init: &Init, dtype: Dtype, elements: usize, policy: &Policy) -> Parsed<Vec<u8>> {
    let given = init.values.len();
    if given > elements {
        return Err(Diagnostic::new(init.span.clone(), format!("{given} values for {elements} elements")));
    }
    let mut bytes = Vec::with_capacity(elements.saturating_mul(dtype.bytes() as usize));
    for value in &init.values {
        push_element(&mut bytes, dtype, value_bits(value, dtype, policy)?);
    }
    match &init.rest {
        None if given < elements => {
            let message = format!("{given} values for {elements} elements");
            return Err(Diagnostic::new(init.span.clone(), message)
                .help("end the list with `..0` or `..iota` to fill the rest"));
        }
        None => {}
        Some(Rest::Fill(value)) => {
            let bits = value_bits(value, dtype, policy)?;
            (given..elements).for_each(|_| push_element(&mut bytes, dtype, bits));
        }
        Some(Rest::Iota) => {
            for index in given..elements {
                let text = Name { value: index.to_string(), span: init.span.clone() };
                push_element(&mut bytes, dtype, value_bits(&text, dtype, policy)?);
            }
        }
    }
    Ok(bytes)
}
