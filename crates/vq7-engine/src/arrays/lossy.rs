//! Where does the float32 path of a base-band op lose integers that its exact twin keeps?

use super::plan::check_bytes;
use super::shape::{Broadcast, broadcast_shape, unravel};
use super::{ArrayError, ArrayRef};
use vq7_isa::alu_op::Band;
use vq7_isa::{AluOp, Dtype};
use vq7_num::Lane;
use vq7_policy::Policy;

/// The first element on which the two ops differ, and how many do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lossy {
    /// The integer-band op that is exact.
    pub twin: AluOp,
    /// Index of the element in the result.
    pub index: Vec<usize>,
    /// The first operand's bits there.
    pub a: u64,
    /// The second operand's.
    pub b: u64,
    /// What the base-band op gives, through float32.
    pub through_float32: u64,
    /// What the exact op gives.
    pub exact: u64,
    /// Elements that differ.
    pub differing: usize,
}

/// The integer-band op that computes the same exactly; `None` when the op is not of the base band or has no twin, when a
/// dtype is no integer of at most 32 bits (a base-band op on 64 bits is unspecified), or when the sources differ in
/// signedness.
pub fn exact_twin(op: AluOp, dtypes: [Dtype; 3]) -> Option<AluOp> {
    let [a, b, _] = dtypes;
    let applies = op.band() == Band::Base
        && dtypes.iter().all(|dtype| dtype.is_datapath_int())
        && a.is_signed_int() == b.is_signed_int();
    if applies { op.exact_integer_twin(a.is_signed_int()) } else { None }
}

/// Compares the op with its exact twin on every element. `None` when there is no twin or they agree everywhere.
///
/// # Errors
/// When the shapes do not broadcast, or an array's bytes are not those of its shape.
pub fn first_lossy(
    op: AluOp,
    a: &ArrayRef<'_>,
    b: &ArrayRef<'_>,
    out: Dtype,
    policy: &Policy,
) -> Result<Option<Lossy>, ArrayError> {
    let shape = broadcast_shape(a.shape, b.shape)?;
    check_bytes("a", a)?;
    check_bytes("b", b)?;
    let Some(twin) = exact_twin(op, [a.dtype, b.dtype, out]) else {
        return Ok(None);
    };
    let base_lane = Lane::new(op, a.dtype, b.dtype, out);
    let exact_lane = Lane::new(twin, a.dtype, b.dtype, out);
    let (map_a, map_b) = (Broadcast::new(a.shape, &shape), Broadcast::new(b.shape, &shape));
    let mut found: Option<Lossy> = None;
    for flat in 0..shape.iter().product() {
        let (x, y) = (element(a, map_a.source(flat)), element(b, map_b.source(flat)));
        let (Ok(base), Ok(exact)) = (base_lane.evaluate(x, y, policy), exact_lane.evaluate(x, y, policy)) else {
            continue;
        };
        if base.value == exact.value {
            continue;
        }
        match &mut found {
            Some(lossy) => lossy.differing = lossy.differing.saturating_add(1),
            None => {
                found = Some(Lossy {
                    twin,
                    index: unravel(flat, &shape),
                    a: x,
                    b: y,
                    through_float32: base.value,
                    exact: exact.value,
                    differing: 1,
                });
            }
        }
    }
    Ok(found)
}

/// The bits of one element.
fn element(array: &ArrayRef<'_>, index: usize) -> u64 {
    let size = array.dtype.bytes() as usize;
    let start = index.saturating_mul(size);
    let bytes = array.bytes.get(start..start.saturating_add(size)).unwrap_or(&[]);
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int32(values: &[i32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn array<'a>(shape: &'a [usize], bytes: &'a [u8]) -> ArrayRef<'a> {
        ArrayRef { dtype: Dtype::Int32, shape, bytes }
    }

    #[test]
    fn the_first_element_beyond_24_bits_is_found() {
        let (a, b) = (int32(&[1, 2, 0x0100_0000, 3, 0x0100_0002, i32::MAX]), int32(&[1]));
        let found = first_lossy(AluOp::Add, &array(&[2, 3], &a), &array(&[1], &b), Dtype::Int32, &Policy::default());
        let lossy = found.unwrap().unwrap();
        assert_eq!(lossy.index, [0, 2]);
        assert_eq!((lossy.a, lossy.b, lossy.twin), (0x0100_0000, 1, AluOp::AddInt));
        assert_eq!((lossy.through_float32, lossy.exact), (0x0100_0000, 0x0100_0001));
        assert_eq!(lossy.differing, 3, "wrapping against saturating is a difference, too");
    }

    #[test]
    fn nothing_is_said_where_nothing_is_lost_or_nothing_applies() {
        let policy = Policy::default();
        let (a, b) = (int32(&[1, -2, 3]), int32(&[4, 5, 6]));
        let (a, b) = (array(&[3], &a), array(&[3], &b));
        assert_eq!(first_lossy(AluOp::Mult, &a, &b, Dtype::Int32, &policy), Ok(None));
        assert_eq!(first_lossy(AluOp::AddInt, &a, &b, Dtype::Int32, &policy), Ok(None));
        assert_eq!(exact_twin(AluOp::Add, [Dtype::Int64; 3]), None);
        assert_eq!(exact_twin(AluOp::Add, [Dtype::Fp32; 3]), None);
        assert_eq!(exact_twin(AluOp::Max, [Dtype::Int32, Dtype::Uint32, Dtype::Int32]), None);
        assert_eq!(exact_twin(AluOp::IsEq, [Dtype::Int32, Dtype::Int32, Dtype::Uint8]), Some(AluOp::IsEqualInt));
        assert!(first_lossy(AluOp::Add, &array(&[2], a.bytes), &b, Dtype::Int32, &policy).is_err());
    }
}
