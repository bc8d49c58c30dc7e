//! The base band on float16, bfloat16, float32 and integers by Berkeley SoftFloat, flags included.
//!
//! Float16 is added, subtracted, multiplied and divided in float16 itself: that the engine's way over float32 gives the
//! same is part of what is judged.

use vq7_isa::AluOp::{self, *};
use vq7_isa::Dtype;
use vq7_policy::{BaseInt, FloatToInt, MinMaxNan, Policy};

/// Ops that this judge knows.
pub const OPS: [AluOp; 15] =
    [Bypass, Add, Subtract, Mult, Divide, Square, AbsoluteDiff, Max, Min, IsEq, IsNe, IsGt, IsGe, IsLe, IsLt];

/// Whether this judge has something to say: not about another op, other formats, or a policy that leaves float32, and
/// about NaN in MAX and MIN only as a comparison settles it.
pub fn takes(op: AluOp, types: [Dtype; 3], policy: &Policy) -> bool {
    let [src0, src1, out] = types;
    let known = |dtype: Dtype| match dtype {
        Dtype::Fp16 | Dtype::Bfloat16 | Dtype::Fp32 => true,
        _ => dtype.is_int() && dtype.bits() <= 32,
    };
    let native = policy.base_int == BaseInt::Native32 && src0.is_32bit_int() && src1 == src0 && out == src0;
    OPS.contains(&op)
        && types.into_iter().all(known)
        && !native
        && !(out.is_int() && policy.float_to_int == FloatToInt::Raw)
        && !(matches!(op, Max | Min) && policy.minmax_nan != MinMaxNan::SelectSecond)
}

#[cfg(feature = "softfloat")]
pub use judge::Softfloat;

#[cfg(feature = "softfloat")]
mod judge {
    use super::takes;
    use crate::integers::{number, range};
    use crate::verdict::{Bits, Expected, Masks, flag};
    use vq7_isa::AluOp::{self, *};
    use vq7_isa::Dtype;
    use vq7_isa::alu_op::Arity;
    use vq7_oracle_c::softfloat::{self as c, Mode, Raised};
    use vq7_policy::{FloatToInt, NanToInt, Policy, Round};

    const SIGN: u32 = 1 << 31;
    const ONE: u32 = 0x3F80_0000;
    const INFINITY: u32 = 0x7F80_0000;

    const fn is_nan(single: u32) -> bool {
        single & !SIGN > INFINITY
    }

    /// The judge of one op on three dtypes under a policy.
    #[derive(Debug)]
    pub struct Softfloat {
        op: AluOp,
        types: [Dtype; 3],
        mode: Mode,
        to_int: Mode,
        nan_to_int: NanToInt,
        unary: bool,
        /// All three dtypes are float16 and the op has its own function there.
        half: bool,
    }

    impl Softfloat {
        /// The judge, or `None` where it has nothing to say.
        pub fn new(op: AluOp, types: [Dtype; 3], policy: &Policy) -> Option<Self> {
            takes(op, types, policy).then_some(Self {
                op,
                types,
                mode: match policy.round {
                    Round::NearestEven => Mode::NearestEven,
                    Round::Zero => Mode::Zero,
                    Round::Up => Mode::Up,
                    Round::Down => Mode::Down,
                },
                to_int: match policy.float_to_int {
                    FloatToInt::NearestSaturate => Mode::NearestEven,
                    FloatToInt::TruncSaturate | FloatToInt::Raw => Mode::Zero,
                },
                nan_to_int: policy.nan_to_int,
                unary: op.arity() == Arity::Unary,
                half: types == [Dtype::Fp16; 3] && matches!(op, Add | Subtract | Mult | Divide | Square),
            })
        }

        /// What the lane should give.
        pub fn judge(&self, a: u64, b: u64) -> Expected {
            let [src0, src1, out] = self.types;
            if self.op == Bypass && src0 == out {
                return Expected::exactly(a, 0);
            }
            if self.half {
                let (a, b) = (a as u16, b as u16);
                let Raised { value, flags } = match self.op {
                    Add => c::f16_add(a, b, self.mode),
                    Subtract => c::f16_sub(a, b, self.mode),
                    Mult => c::f16_mul(a, b, self.mode),
                    Divide => c::f16_div(a, b, self.mode),
                    _ => c::f16_mul(a, a, self.mode),
                };
                return float(value.into(), out, own(flags));
            }
            let mut flags = 0;
            let mut keep = |raised: Raised<u32>| {
                flags |= own(raised.flags);
                raised.value
            };
            let x = keep(self.load(src0, a));
            let y = if self.unary { 0 } else { keep(self.load(src1, b)) };
            let hub = keep(self.compute(x, y));
            self.store(hub, out, flags)
        }

        fn load(&self, dtype: Dtype, bits: u64) -> Raised<u32> {
            match dtype {
                Dtype::Fp16 => c::f16_to_f32(bits as u16, self.mode),
                // Reading bfloat16 moves bits (docs/spec/numbers.md, Into float32); SoftFloat would quiet a NaN.
                Dtype::Bfloat16 => Raised { value: (bits as u32) << 16, flags: 0 },
                Dtype::Fp32 => Raised { value: bits as u32, flags: 0 },
                _ => match number(bits, dtype.bits(), dtype.is_signed_int()) {
                    negative @ ..0 => c::i32_to_f32(negative as i32, self.mode),
                    natural => c::ui32_to_f32(natural as u32, self.mode),
                },
            }
        }

        /// The op on float32.
        fn compute(&self, x: u32, y: u32) -> Raised<u32> {
            let truth = |Raised { value, flags }| Raised { value: if value { ONE } else { 0 }, flags };
            let first = |Raised { value, flags }| Raised { value: if value { x } else { y }, flags };
            match self.op {
                Add => c::f32_add(x, y, self.mode),
                Subtract => c::f32_sub(x, y, self.mode),
                Mult => c::f32_mul(x, y, self.mode),
                Square => c::f32_mul(x, x, self.mode),
                Divide => c::f32_div(x, y, self.mode),
                AbsoluteDiff => {
                    let difference = c::f32_sub(x, y, self.mode);
                    Raised { value: difference.value & !SIGN, ..difference }
                }
                Max => first(c::f32_lt_quiet(y, x)),
                Min => first(c::f32_lt_quiet(x, y)),
                IsEq => truth(c::f32_eq(x, y)),
                IsNe => {
                    let equal = c::f32_eq(x, y);
                    truth(Raised { value: !equal.value, ..equal })
                }
                IsGt => truth(c::f32_lt(y, x)),
                IsGe => truth(c::f32_le(y, x)),
                IsLe => truth(c::f32_le(x, y)),
                IsLt => truth(c::f32_lt(x, y)),
                _ => Raised { value: x, flags: 0 },
            }
        }

        fn store(&self, hub: u32, out: Dtype, flags: u8) -> Expected {
            match out {
                Dtype::Fp16 => {
                    let narrow = c::f32_to_f16(hub, self.mode);
                    float(narrow.value.into(), out, flags | own(narrow.flags))
                }
                Dtype::Bfloat16 => {
                    let narrow = c::f32_to_bf16(hub, self.mode);
                    float(narrow.value.into(), out, flags | own(narrow.flags))
                }
                Dtype::Fp32 => float(hub, out, flags),
                _ => self.integer(hub, out, flags),
            }
        }

        /// Rounded by SoftFloat into 64 bits, then clamped to the range.
        fn integer(&self, hub: u32, out: Dtype, flags: u8) -> Expected {
            let (min, max) = range(out.bits(), out.is_signed_int());
            let whole = c::f32_to_i64(hub, self.to_int);
            let beyond = whole.flags & c::flag::INVALID != 0;
            let fits = !beyond && (min..=max).contains(&whole.value.into());
            let value = match self.nan_to_int {
                _ if fits => whole.value.into(),
                NanToInt::Zero if is_nan(hub) => 0,
                NanToInt::Min if is_nan(hub) => min,
                NanToInt::Max if is_nan(hub) => max,
                _ if hub & SIGN != 0 => min,
                _ => max,
            };
            let raised = if fits { own(whole.flags) } else { flag::INVALID };
            Expected::exactly(value as u64 & (u64::MAX >> (64 - out.bits())), flags | raised)
        }
    }

    /// A pattern of a float dtype; of a NaN, any.
    fn float(pattern: u32, dtype: Dtype, flags: u8) -> Expected {
        let (magnitude, above) = match dtype {
            Dtype::Fp16 => (0x7FFF, 0x7C00),
            Dtype::Bfloat16 => (0x7FFF, 0x7F80),
            _ => (u64::from(!SIGN), INFINITY.into()),
        };
        let bits = u64::from(pattern);
        let bits = if bits & magnitude > above { Bits::AnyNan { magnitude, above } } else { Bits::Exactly(bits) };
        Expected { bits, flags, open: Masks::NONE }
    }

    /// SoftFloat's flags as ours.
    fn own(flags: u8) -> u8 {
        let pairs = [
            (c::flag::INVALID, flag::INVALID),
            (c::flag::INFINITE, flag::DIV_ZERO),
            (c::flag::OVERFLOW, flag::OVERFLOW),
            (c::flag::UNDERFLOW, flag::UNDERFLOW),
            (c::flag::INEXACT, flag::INEXACT),
        ];
        if flags == 0 {
            return 0;
        }
        pairs.into_iter().fold(0, |sum, (theirs, ours)| if flags & theirs == 0 { sum } else { sum | ours })
    }
}
