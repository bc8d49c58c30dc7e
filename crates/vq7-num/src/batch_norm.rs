//! BATCH_NORM_BACK_PROP (0x65) on one element.

use crate::basis::Case;
use crate::flags::Flagged;
use crate::soft_float::{div, mul, sub};
use vq7_policy::Policy;

/// The per-channel numbers of BATCH_NORM_BACK_PROP, float32 bits. Earlier words leave them in engine state, so a caller
/// must supply them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coefficients {
    /// Scale of the normalisation.
    pub gamma: u32,
    /// 1 / standard deviation.
    pub inv_std: u32,
    /// Number of elements that were normalised together.
    pub n: u32,
    /// Gradient of the offset: sum of dy.
    pub d_beta: u32,
    /// Gradient of the scale: sum of dy * x_norm.
    pub d_gamma: u32,
}

/// dx = (gamma * inv_std / n) * (n * dy - d_beta - x_norm * d_gamma), from left to right, one float32 rounding per
/// step. All are float32 bits. Rests on the settled fact `batch_norm_formula` (docs/spec/words.md, batch-norm
/// back-propagation).
pub fn batch_norm_back_prop(x_norm: u32, dy: u32, coef: &Coefficients, policy: &Policy) -> Flagged<u32> {
    let case = &mut Case::new(policy);
    let scale = mul(coef.gamma, coef.inv_std, case);
    let scale = div(scale, coef.n, case);
    let sum = mul(coef.n, dy, case);
    let sum = sub(sum, coef.d_beta, case);
    let slope = mul(x_norm, coef.d_gamma, case);
    let sum = sub(sum, slope, case);
    let dx = mul(scale, sum, case);
    Flagged::new(dx, case.flags)
}
