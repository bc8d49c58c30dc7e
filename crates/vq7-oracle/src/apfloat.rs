//! The base band by `rustc_apfloat`: operands to float32, the op there, one rounding into the out dtype.

use crate::formats::{FloatFormat, flags_of, mode, single, single_bits};
use crate::verdict::{Expected, Mask, Masks, flag};
use rustc_apfloat::ieee::Single;
use rustc_apfloat::{Float, Round as ApRound, StatusAnd};
use std::cmp::Ordering;
use vq7_isa::AluOp::{self, *};
use vq7_isa::Dtype;
use vq7_isa::alu_op::Arity;
use vq7_policy::{AbsMinMax, BaseInt, FloatToInt, MinMaxNan, NanToInt, Policy};

/// Ops that this judge knows.
pub const OPS: [AluOp; 22] = [
    Bypass,
    Add,
    Subtract,
    Mult,
    Divide,
    Square,
    Max,
    Min,
    AbsMax,
    AbsMin,
    AbsoluteValue,
    AbsoluteDiff,
    ReLu,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    IsEq,
    IsNe,
    IsGt,
    IsGe,
    IsLe,
    IsLt,
];

/// The judge of one op on three dtypes under a policy.
#[derive(Debug)]
pub struct Apfloat {
    op: AluOp,
    mode: ApRound,
    a: Load,
    b: Option<Load>,
    out: Store,
    /// BYPASS of one dtype copies bits.
    copies: bool,
    minmax_nan: MinMaxNan,
    abs_minmax: AbsMinMax,
    hub: FloatFormat,
    one: Single,
}

impl Apfloat {
    /// Whether this judge has something to say: not about another op, a 64-bit dtype, or a policy that leaves float32 or
    /// float arithmetic.
    pub fn takes(op: AluOp, types: [Dtype; 3], policy: &Policy) -> bool {
        let [src0, src1, out] = types;
        let native = policy.base_int == BaseInt::Native32 && src0.is_32bit_int() && src1 == src0 && out == src0;
        OPS.contains(&op)
            && !native
            && types.into_iter().all(|dtype| dtype.is_tensor_tensor() && dtype.bits() <= 32)
            && !(out.is_int() && policy.float_to_int == FloatToInt::Raw)
    }

    /// The judge, or `None` where it has nothing to say.
    pub fn new(op: AluOp, types: [Dtype; 3], policy: &Policy) -> Option<Self> {
        let [src0, src1, out] = types;
        if !Self::takes(op, types, policy) {
            return None;
        }
        Some(Self {
            op,
            mode: mode(policy.round),
            a: Load::new(src0, policy)?,
            b: if op.arity() == Arity::Unary { None } else { Some(Load::new(src1, policy)?) },
            out: Store::new(out, policy)?,
            copies: op == Bypass && src0 == out,
            minmax_nan: policy.minmax_nan,
            abs_minmax: policy.abs_minmax,
            hub: FloatFormat::of(Dtype::Fp32, policy)?,
            one: single(0x3F80_0000),
        })
    }

    /// What the lane should give.
    pub fn judge(&self, a: u64, b: u64) -> Expected {
        if self.copies {
            return Expected::exactly(a, 0);
        }
        let (x, mut flags) = self.a.load(a);
        let (y, more) = self.b.as_ref().map_or((Single::ZERO, 0), |load| load.load(b));
        flags |= more;
        let mut open = if x.is_nan() || y.is_nan() { Masks::NONE.with(Mask::NanFlags) } else { Masks::NONE };
        let (hub, raised) = self.compute(x, y);
        flags |= raised;
        if raised & flag::INEXACT != 0 {
            open = open.and(self.hub.open_flags(u64::from(single_bits(hub.abs())), raised));
        }
        let stored = self.out.store(hub);
        Expected { bits: stored.bits, flags: flags | stored.flags, open: open.and(stored.open) }
    }

    /// The op on float32.
    fn compute(&self, x: Single, y: Single) -> (Single, u8) {
        let rounded = |result: StatusAnd<Single>| (result.value, flags_of(result.status));
        let truth = |value: bool| (if value { self.one } else { Single::ZERO }, 0);
        let zero = Single::ZERO;
        match self.op {
            Add => rounded(x.add_r(y, self.mode)),
            Subtract => rounded(x.sub_r(y, self.mode)),
            Mult => rounded(x.mul_r(y, self.mode)),
            Square => rounded(x.mul_r(x, self.mode)),
            Divide => rounded(x.div_r(y, self.mode)),
            AbsoluteDiff => {
                let (difference, flags) = rounded(x.sub_r(y, self.mode));
                (difference.abs(), flags)
            }
            Max => (self.extreme(Ordering::Greater, x, y), 0),
            Min => (self.extreme(Ordering::Less, x, y), 0),
            AbsMax => (self.abs_extreme(Ordering::Greater, x, y), 0),
            AbsMin => (self.abs_extreme(Ordering::Less, x, y), 0),
            AbsoluteValue => (x.abs(), 0),
            ReLu => (if x > zero { x } else { zero }, 0),
            LogicalAnd => truth(x != zero && y != zero),
            LogicalOr => truth(x != zero || y != zero),
            LogicalXor => truth((x != zero) != (y != zero)),
            IsEq => truth(x == y),
            IsNe => truth(x != y),
            IsGt => truth(x > y),
            IsGe => truth(x >= y),
            IsLe => truth(x <= y),
            IsLt => truth(x < y),
            _ => (x, 0),
        }
    }

    /// MAX and MIN under the `minmax_nan` knob.
    fn extreme(&self, wanted: Ordering, x: Single, y: Single) -> Single {
        let order = x.partial_cmp(&y);
        let first = match (self.minmax_nan, order) {
            (MinMaxNan::SelectSecond, _) => order == Some(wanted),
            (MinMaxNan::NumberWins, None) => y.is_nan(),
            (MinMaxNan::Propagate, None) => x.is_nan(),
            // -0 is below +0; otherwise equal numbers are equal bits.
            (_, Some(Ordering::Equal)) => x.is_negative() == (wanted == Ordering::Less),
            _ => order == Some(wanted),
        };
        if first { x } else { y }
    }

    /// ABS_MAX and ABS_MIN: the operand whose magnitude wins, y on a tie and on a NaN.
    fn abs_extreme(&self, wanted: Ordering, x: Single, y: Single) -> Single {
        let chosen = if x.abs().partial_cmp(&y.abs()) == Some(wanted) { x } else { y };
        match self.abs_minmax {
            AbsMinMax::SignedOriginal => chosen,
            AbsMinMax::Magnitude => chosen.abs(),
        }
    }
}

/// An operand to float32, with the flags of that.
#[derive(Debug)]
pub(crate) enum Load {
    /// Every pattern of at most 16 bits, converted beforehand. Exact, so without flags.
    Table(Box<[Single]>),
    /// A pattern of float32.
    Float32,
    /// A 32-bit integer, rounded.
    Integer { signed: bool, mode: ApRound },
}

impl Load {
    pub(crate) fn new(dtype: Dtype, policy: &Policy) -> Option<Self> {
        let mode = mode(policy.round);
        let width = dtype.bits();
        match FloatFormat::of(dtype, policy) {
            Some(_) if width == 32 => Some(Self::Float32),
            Some(format) => Some(Self::Table((0..1 << width).map(|bits| single(format.to_float32(bits))).collect())),
            None if !dtype.is_int() => None,
            None if width == 32 => Some(Self::Integer { signed: dtype.is_signed_int(), mode }),
            None => {
                let number = |bits| crate::integers::number(bits, width, dtype.is_signed_int());
                let float = |bits| Single::from_i128_r(number(bits), mode).value;
                Some(Self::Table((0..1 << width).map(float).collect()))
            }
        }
    }

    pub(crate) fn load(&self, bits: u64) -> (Single, u8) {
        match self {
            Self::Table(table) => (table.get(bits as usize).copied().unwrap_or(Single::NAN), 0),
            Self::Float32 => (single(bits as u32), 0),
            Self::Integer { signed, mode } => {
                let float = Single::from_i128_r(crate::integers::number(bits, 32, *signed), *mode);
                (float.value, flags_of(float.status))
            }
        }
    }
}

/// Float32 to the out dtype.
#[derive(Debug)]
pub(crate) enum Store {
    Float(FloatFormat),
    Integer(IntegerTarget),
}

impl Store {
    pub(crate) fn new(dtype: Dtype, policy: &Policy) -> Option<Self> {
        match FloatFormat::of(dtype, policy) {
            Some(format) => Some(Self::Float(format)),
            None => IntegerTarget::new(dtype, policy).map(Self::Integer),
        }
    }

    pub(crate) fn store(&self, hub: Single) -> Expected {
        match self {
            Self::Float(format) => format.round_single(hub),
            Self::Integer(target) => target.round_single(hub),
        }
    }
}

/// An integer dtype that float32 is converted to.
#[derive(Clone, Copy, Debug)]
pub struct IntegerTarget {
    width: u32,
    min: i128,
    max: i128,
    nan: i128,
    mode: ApRound,
}

impl IntegerTarget {
    /// The target; `None` for a float, and under `float_to_int=raw`, which no outside judge knows.
    pub fn new(dtype: Dtype, policy: &Policy) -> Option<Self> {
        let mode = match policy.float_to_int {
            FloatToInt::NearestSaturate => ApRound::NearestTiesToEven,
            FloatToInt::TruncSaturate => ApRound::TowardZero,
            FloatToInt::Raw => return None,
        };
        let width = dtype.bits();
        let (min, max) = crate::integers::range(width, dtype.is_signed_int());
        let nan = match policy.nan_to_int {
            NanToInt::Max => max,
            NanToInt::Zero => 0,
            NanToInt::Min => min,
        };
        dtype.is_int().then_some(Self { width, min, max, nan, mode })
    }

    /// Float32 bits as an element: rounded, then clamped.
    pub fn round_float32(&self, hub: u32) -> Expected {
        self.round_single(single(hub))
    }

    fn round_single(&self, value: Single) -> Expected {
        let bits = |number: i128| number as u64 & (u64::MAX >> (64 - self.width));
        if value.is_nan() {
            return Expected::exactly(bits(self.nan), flag::INVALID);
        }
        let mut exact = true;
        // 127 bits hold what any of the targets could want; beyond, the judge saturates as well.
        let whole = value.to_i128_r(127, self.mode, &mut exact).value;
        let fits = (self.min..=self.max).contains(&whole) && value.is_finite();
        // The judge calls -0 inexact.
        let inexact = || !exact && value.round_to_integral(ApRound::TowardZero).value != value;
        let flags = if !fits {
            flag::INVALID
        } else if inexact() {
            flag::INEXACT
        } else {
            0
        };
        Expected::exactly(bits(whole.clamp(self.min, self.max)), flags)
    }
}

/// Float32 bits to an element of any dtype that a judge knows.
pub fn from_float32(hub: u32, dtype: Dtype, policy: &Policy) -> Option<Expected> {
    match FloatFormat::of(dtype, policy) {
        Some(format) => Some(format.round_float32(hub)),
        None => IntegerTarget::new(dtype, policy).map(|target| target.round_float32(hub)),
    }
}

/// An integer of any width as float32.
pub fn integer_to_float32(bits: u64, dtype: Dtype, policy: &Policy) -> Expected {
    let number = crate::integers::number(bits, dtype.bits(), dtype.is_signed_int());
    let float = Single::from_i128_r(number, mode(policy.round));
    Expected::exactly(single_bits(float.value).into(), flags_of(float.status))
}
