//! POW and RSQRT by CORE-MATH, whose functions are correctly rounded to nearest even and report no flags.
//!
//! The engine computes both by polynomials that are not public: correct rounding is vq7's definition, and a bound of what
//! the device does, not its bits.

use vq7_isa::AluOp::{self, Pow, Rsqrt};
use vq7_isa::Dtype;
use vq7_policy::{FloatToInt, Policy, PowInt, Round};

/// Ops that this judge knows.
pub const OPS: [AluOp; 2] = [Pow, Rsqrt];

/// Whether this judge has something to say: not about another op, a 64-bit dtype, a directed rounding mode, or a policy
/// that leaves float32.
pub fn takes(op: AluOp, types: [Dtype; 3], policy: &Policy) -> bool {
    let [src0, src1, out] = types;
    let native = op == Pow && policy.pow_int == PowInt::Native32 && src0.is_32bit_int() && src1 == src0 && out == src0;
    OPS.contains(&op)
        && policy.round == Round::NearestEven
        && types.into_iter().all(|dtype| dtype.is_tensor_tensor() && dtype.bits() <= 32)
        && !native
        && !(out.is_int() && policy.float_to_int == FloatToInt::Raw)
}

#[cfg(feature = "core-math")]
pub use judge::CoreMath;

#[cfg(feature = "core-math")]
mod judge {
    use super::takes;
    use crate::apfloat::{Load, Store};
    use crate::formats::{single, single_bits};
    use crate::verdict::{Expected, Mask, Masks};
    use vq7_isa::AluOp::{self, Rsqrt};
    use vq7_isa::Dtype;
    use vq7_oracle_c::transcendental;
    use vq7_policy::Policy;

    /// The judge of one op on three dtypes under a policy. Conversions are those of `apfloat`.
    #[derive(Debug)]
    pub struct CoreMath {
        a: Operand,
        /// Absent for RSQRT.
        b: Option<Operand>,
        out: Store,
    }

    /// How an operand becomes float32 bits.
    #[derive(Debug)]
    enum Operand {
        /// Bfloat16 is moved (docs/spec/numbers.md, Into float32); `apfloat` would quiet a NaN, and POW asks whether it is.
        Moved,
        Converted(Load),
    }

    impl Operand {
        fn new(dtype: Dtype, policy: &Policy) -> Option<Self> {
            match dtype {
                Dtype::Bfloat16 => Some(Self::Moved),
                _ => Load::new(dtype, policy).map(Self::Converted),
            }
        }

        fn load(&self, bits: u64) -> (u32, u8) {
            match self {
                Self::Moved => ((bits as u32) << 16, 0),
                Self::Converted(load) => {
                    let (float, flags) = load.load(bits);
                    (single_bits(float), flags)
                }
            }
        }
    }

    impl CoreMath {
        /// The judge, or `None` where it has nothing to say.
        pub fn new(op: AluOp, types: [Dtype; 3], policy: &Policy) -> Option<Self> {
            let [src0, src1, out] = types;
            if !takes(op, types, policy) {
                return None;
            }
            let b = if op == Rsqrt { None } else { Some(Operand::new(src1, policy)?) };
            Some(Self { a: Operand::new(src0, policy)?, b, out: Store::new(out, policy)? })
        }

        /// What the lane should give.
        pub fn judge(&self, a: u64, b: u64) -> Expected {
            let (x, flags) = self.a.load(a);
            let (hub, more) = match &self.b {
                None => (transcendental::rsqrt(x), 0),
                Some(load) => {
                    let (y, more) = load.load(b);
                    (transcendental::pow(x, y), more)
                }
            };
            let stored = self.out.store(single(hub));
            let open = stored.open.and(Masks::NONE.with(Mask::Unflagged));
            Expected { flags: flags | more | stored.flags, open, ..stored }
        }
    }
}
