//! POW, correctly rounded.

use crate::body::{Op, Params, RowFn, at};
use crate::level::Level;
use vq7_isa::{AluOp, Dtype};
use vq7_num::Lane;
use vq7_policy::Policy;

/// The definition itself, element by element.
struct Defined;

impl Op for Defined {
    type A = u32;
    type B = u32;
    type R = u32;
    fn apply(a: u32, b: u32, _: &Params) -> u32 {
        let lane = Lane::new(AluOp::Pow, Dtype::Fp32, Dtype::Fp32, Dtype::Fp32);
        lane.evaluate(a.into(), b.into(), &Policy::default()).map_or(0, |result| result.value as u32)
    }
}

/// The kernel of float32 powers.
pub(crate) fn kernel(level: Level) -> RowFn {
    at::<Defined>(level)
}
