//! Coefficients of BATCH_NORM_BACK_PROP from a file.

use super::array::read_array;
use super::npy::{Kind, Shape};
use crate::outcome::CallError;
use vq7_num::Coefficients;

/// Reads float32 of shape (channels, 5): gamma, inv_std, n, d_beta, d_gamma.
///
/// # Errors
/// When the file cannot be read or is of another type or shape.
pub fn read_coefficients(path: &str) -> Result<Vec<Coefficients>, CallError> {
    let array = read_array(path)?;
    let form = "expected float32 of shape (channels, 5) with gamma, inv_std, n, d_beta, d_gamma";
    if (array.element.kind, array.element.size) != (Kind::Float, 4) || !matches!(array.shape[..], [_, 5]) {
        let found = format!("{} of shape {}", array.element.descr, Shape(array.shape));
        return Err(CallError::at(path, format_args!("{form}, found {found}")));
    }
    let (numbers, _) = array.bytes.as_chunks::<4>();
    let (rows, _) = numbers.as_chunks::<5>();
    let coefficients = rows.iter().map(|row| {
        let [gamma, inv_std, n, d_beta, d_gamma] = row.map(u32::from_le_bytes);
        Coefficients { gamma, inv_std, n, d_beta, d_gamma }
    });
    Ok(coefficients.collect())
}
