//! Which kernels a word runs: chosen once per word, from its op, dtypes and policy.

use crate::body::{Op, Params, RowFn, at, at1, body_at};
use crate::formats::{Bf16, E3m4, E4m3, E4m3Fn, E5m2, F16, F32, F32r, Load, Number, Store, Whole};
use crate::hub_ops as hub;
use crate::int_ops::{self as int, Int, Resize};
use crate::level::Level;
use crate::{pow, strided};
use vq7_engine::dispatch::Kernel;
use vq7_isa::{AluOp, Dtype};
use vq7_num::{Class, Lane};
use vq7_policy::{
    AbsMinMax, AbsMinMaxInt, BaseInt, E4m3 as Flavour, FloatToInt, Fp8Overflow, Fp32r, IntDivZero, IntNarrow,
    MinMaxNan, ModSign, NanToInt, Policy, PowInt, Round, ShiftOver,
};

/// The kernels of a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pipeline {
    /// What the report calls it.
    pub name: &'static str,
    /// src0 to what the op takes; none: it takes it as it is.
    pub load0: Option<RowFn>,
    /// src1 to what the op takes.
    pub load1: Option<RowFn>,
    /// The op; for a predicated word the blend, which also reads the destination.
    pub op: RowFn,
    /// The op's result to the destination's dtype.
    pub store: Option<RowFn>,
    /// Bytes of an element of what the op takes and gives.
    pub width: usize,
    /// Whether src1 is read.
    pub binary: bool,
    /// Whether the op keeps some elements of the destination.
    pub blends: bool,
    pub params: Params,
}

/// The reason why there is no kernel.
pub(crate) type Why = &'static str;

/// The kernels for a lane under a policy.
pub(crate) fn select(kernel: Kernel, lane: &Lane, policy: &Policy, level: Level) -> Result<Pipeline, Why> {
    if policy.round != Round::NearestEven {
        return Err("the policy's rounding mode is not nearest_even");
    }
    if policy.int_div_zero == IntDivZero::Trap && is_division(lane.op) {
        return Err("a division may trap");
    }
    let params = params(policy);
    match kernel {
        Kernel::CopyPredicated => Ok(Pipeline {
            name: "predicated copy",
            load0: None,
            load1: None,
            op: strided::blend(lane.src0.bytes(), lane.out.bytes(), level),
            store: None,
            width: lane.out.bytes() as usize,
            binary: true,
            blends: true,
            params,
        }),
        Kernel::CastPredicated => {
            let conversion = Lane { op: AluOp::Bypass, src0: lane.src1, src1: lane.src1, ..*lane };
            let convert = by_lane(&conversion, policy, level, params)?;
            // A conversion without load and store leaves the bits as they are.
            let (load1, store) = (convert.load0, convert.store);
            Ok(Pipeline {
                name: "predicated cast",
                load0: None,
                load1,
                op: strided::blend(lane.src0.bytes(), lane.out.bytes(), level),
                store,
                width: convert.width,
                binary: true,
                blends: true,
                params,
            })
        }
        Kernel::BatchNormBackProp => {
            let op = at::<hub::BatchNorm>(level);
            hub_pipeline("batch-norm back-propagation", lane, op, true, policy, level, params)
        }
        _ => by_lane(lane, policy, level, params),
    }
}

const fn is_division(op: AluOp) -> bool {
    matches!(op, AluOp::DivideInt | AluOp::DivideUint | AluOp::ModInt | AluOp::ModUint | AluOp::Mod)
}

fn params(policy: &Policy) -> Params {
    Params {
        saturate: policy.fp8_overflow == Fp8Overflow::Saturate,
        nan_to_int: match policy.nan_to_int {
            NanToInt::Max => 0,
            NanToInt::Zero => 1,
            NanToInt::Min => 2,
        },
        ones_on_zero: policy.int_div_zero == IntDivZero::Ones,
        coefficients: [0; 4],
    }
}

fn by_lane(lane: &Lane, policy: &Policy, level: Level, params: Params) -> Result<Pipeline, Why> {
    use vq7_isa::alu_op::Band;
    let bits = lane.op == AluOp::Bypass && lane.class == Class::Bitvec;
    match lane.op.band() {
        Band::Base if !bits => base(lane, policy, level, params),
        Band::Integer => integer(lane, policy, level, params),
        _ => bitvec(lane, policy, level, params),
    }
}

fn plain(name: &'static str, op: RowFn, width: u32, binary: bool, params: Params) -> Pipeline {
    Pipeline { name, load0: None, load1: None, op, store: None, width: width as usize, binary, blends: false, params }
}

fn base(lane: &Lane, policy: &Policy, level: Level, params: Params) -> Result<Pipeline, Why> {
    let dtypes = [lane.src0, lane.src1, lane.out];
    if dtypes.iter().any(|dtype| dtype.bits() == 64) {
        return Err("no source settles a base-band op on 64 bits");
    }
    if lane.op == AluOp::Bypass && lane.src0 == lane.out {
        return Ok(plain("copy", copy(lane.src0.bytes(), level), lane.out.bytes(), false, params));
    }
    if policy.base_int == BaseInt::Native32 || policy.pow_int == PowInt::Native32 {
        let same_int32 = lane.src0.is_32bit_int() && lane.src1 == lane.src0 && lane.out == lane.src0;
        if same_int32 {
            return Err("the policy computes 32-bit integers natively");
        }
    }
    let same = lane.src0 == lane.src1 && lane.src0 == lane.out;
    if same && let Some(op) = fused(lane, policy, level) {
        return Ok(plain(fused_name(lane.src0), op, lane.out.bytes(), true, params));
    }
    let (op, binary) = hub_op(lane.op, policy, level).ok_or("no kernel for this op")?;
    hub_pipeline("float32 blocks", lane, op, binary, policy, level, params)
}

const fn fused_name(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Fp32 => "float32 lanes",
        Dtype::Bfloat16 => "bfloat16 lanes",
        Dtype::Fp16 => "float16 lanes",
        _ => "float8 lanes",
    }
}

fn hub_pipeline(
    name: &'static str,
    lane: &Lane,
    op: RowFn,
    binary: bool,
    policy: &Policy,
    level: Level,
    params: Params,
) -> Result<Pipeline, Why> {
    Ok(Pipeline {
        name,
        load0: load(lane.src0, policy, level)?,
        load1: if binary { load(lane.src1, policy, level)? } else { None },
        op,
        store: store(lane.out, policy, level)?,
        width: 4,
        binary,
        blends: false,
        params,
    })
}

/// A copy of elements of this many bytes.
fn copy(bytes: u32, level: Level) -> RowFn {
    match bytes {
        1 => at1::<int::Copy1<u8>>(level),
        2 => at1::<int::Copy1<u16>>(level),
        4 => at1::<int::Copy1<u32>>(level),
        _ => at1::<int::Copy1<u64>>(level),
    }
}

/// To float32; `None` where the bits are float32 already.
fn load(dtype: Dtype, policy: &Policy, level: Level) -> Result<Option<RowFn>, Why> {
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx512 && dtype == Dtype::Fp16 {
        return Ok(Some(body_at::<crate::avx512::LoadF16>(level)));
    }
    Ok(Some(match dtype {
        Dtype::Fp32 | Dtype::Fp32r => return Ok(None),
        Dtype::Bfloat16 => at1::<Load<Bf16>>(level),
        Dtype::Fp16 => at1::<Load<F16>>(level),
        Dtype::Fp8Exp3 => at1::<Load<E3m4>>(level),
        Dtype::Fp8Exp4 if policy.e4m3 == Flavour::Fn => at1::<Load<E4m3Fn>>(level),
        Dtype::Fp8Exp4 => at1::<Load<E4m3>>(level),
        Dtype::Fp8Exp5 => at1::<Load<E5m2>>(level),
        Dtype::Int8 => at1::<Load<Whole<i8, false>>>(level),
        Dtype::Uint8 => at1::<Load<Whole<u8, false>>>(level),
        Dtype::Int16 => at1::<Load<Whole<i16, false>>>(level),
        Dtype::Uint16 => at1::<Load<Whole<u16, false>>>(level),
        Dtype::Int32 => at1::<Load<Whole<i32, false>>>(level),
        Dtype::Uint32 => at1::<Load<Whole<u32, false>>>(level),
        _ => return Err("no conversion from this dtype"),
    }))
}

/// From float32; `None` where the bits stay float32.
fn store(dtype: Dtype, policy: &Policy, level: Level) -> Result<Option<RowFn>, Why> {
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx512 && dtype == Dtype::Fp16 {
        return Ok(Some(body_at::<crate::avx512::StoreF16>(level)));
    }
    if dtype.is_int() {
        return match policy.float_to_int {
            FloatToInt::NearestSaturate => store_int::<false>(dtype, level).map(Some),
            FloatToInt::TruncSaturate => store_int::<true>(dtype, level).map(Some),
            FloatToInt::Raw => Err("the policy converts to integers as the raw instructions do"),
        };
    }
    Ok(Some(match dtype {
        Dtype::Fp32 => return Ok(None),
        Dtype::Fp32r => match policy.fp32r {
            Fp32r::Passthrough => return Ok(None),
            Fp32r::Rne13 => at1::<Store<F32r<false>>>(level),
            Fp32r::Trunc13 => at1::<Store<F32r<true>>>(level),
        },
        Dtype::Bfloat16 => at1::<Store<Bf16>>(level),
        Dtype::Fp16 => at1::<Store<F16>>(level),
        Dtype::Fp8Exp3 => at1::<Store<E3m4>>(level),
        Dtype::Fp8Exp4 if policy.e4m3 == Flavour::Fn => at1::<Store<E4m3Fn>>(level),
        Dtype::Fp8Exp4 => at1::<Store<E4m3>>(level),
        Dtype::Fp8Exp5 => at1::<Store<E5m2>>(level),
        _ => return Err("no conversion to this dtype"),
    }))
}

fn store_int<const TRUNCATED: bool>(dtype: Dtype, level: Level) -> Result<RowFn, Why> {
    Ok(match dtype {
        Dtype::Int8 => at1::<Store<Whole<i8, TRUNCATED>>>(level),
        Dtype::Uint8 => at1::<Store<Whole<u8, TRUNCATED>>>(level),
        Dtype::Int16 => at1::<Store<Whole<i16, TRUNCATED>>>(level),
        Dtype::Uint16 => at1::<Store<Whole<u16, TRUNCATED>>>(level),
        Dtype::Int32 => at1::<Store<Whole<i32, TRUNCATED>>>(level),
        Dtype::Uint32 => at1::<Store<Whole<u32, TRUNCATED>>>(level),
        _ => return Err("no conversion to this dtype"),
    })
}

/// The kernel of a base-band op on float32, and whether it reads src1.
fn hub_op(op: AluOp, policy: &Policy, level: Level) -> Option<(RowFn, bool)> {
    use AluOp::*;
    let unary = match op {
        Bypass => Some(at1::<hub::Bypass>(level)),
        AbsoluteValue => Some(at1::<hub::AbsoluteValue>(level)),
        Square => Some(at1::<hub::Square>(level)),
        ReLu => Some(at1::<hub::ReLu>(level)),
        _ => None,
    };
    if let Some(kernel) = unary {
        return Some((kernel, false));
    }
    let kernel = match op {
        Divide => at::<hub::Divide>(level),
        AbsoluteDiff => at::<hub::AbsoluteDiff>(level),
        AbsMax | AbsMin => match (op, policy.abs_minmax) {
            (AbsMax, AbsMinMax::SignedOriginal) => at::<hub::AbsMax>(level),
            (AbsMax, AbsMinMax::Magnitude) => at::<hub::AbsMaxMagnitude>(level),
            (_, AbsMinMax::SignedOriginal) => at::<hub::AbsMin>(level),
            (_, AbsMinMax::Magnitude) => at::<hub::AbsMinMagnitude>(level),
        },
        SymmetricClamp => at::<hub::SymmetricClamp>(level),
        LogicalAnd => at::<hub::LogicalAnd>(level),
        LogicalOr => at::<hub::LogicalOr>(level),
        LogicalXor => at::<hub::LogicalXor>(level),
        Pow => pow::kernel(level),
        _ => return hot::<F32>(op, policy, level).map(|kernel| (kernel, true)),
    };
    Some((kernel, true))
}

/// The ops that every float dtype has in one pass.
fn hot<N: Number>(op: AluOp, policy: &Policy, level: Level) -> Option<RowFn> {
    use AluOp::*;
    fn one<N: Number, O: Op<A = u32, B = u32, R = u32>>(level: Level) -> RowFn {
        at::<hub::Fused<N, O>>(level)
    }
    Some(match op {
        Add => one::<N, hub::Add>(level),
        Subtract => one::<N, hub::Subtract>(level),
        Mult => one::<N, hub::Mult>(level),
        Max | Min => match (op, policy.minmax_nan) {
            (Max, MinMaxNan::SelectSecond) => one::<N, hub::Max>(level),
            (Max, MinMaxNan::NumberWins) => one::<N, hub::MaxNumber>(level),
            (Max, MinMaxNan::Propagate) => one::<N, hub::MaxPropagate>(level),
            (_, MinMaxNan::SelectSecond) => one::<N, hub::Min>(level),
            (_, MinMaxNan::NumberWins) => one::<N, hub::MinNumber>(level),
            (_, MinMaxNan::Propagate) => one::<N, hub::MinPropagate>(level),
        },
        IsEq => one::<N, hub::IsEq>(level),
        IsNe => one::<N, hub::IsNe>(level),
        IsGt => one::<N, hub::IsGt>(level),
        IsGe => one::<N, hub::IsGe>(level),
        IsLe => one::<N, hub::IsLe>(level),
        IsLt => one::<N, hub::IsLt>(level),
        _ => return None,
    })
}

/// A kernel that loads, computes and stores one float dtype in one pass.
fn fused(lane: &Lane, policy: &Policy, level: Level) -> Option<RowFn> {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = crate::f8::hot(lane.op, lane.src0, policy, level) {
        return Some(kernel);
    }
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx512
        && let Some(kernel) = crate::avx512::hot(lane.op, lane.src0, policy)
    {
        return Some(kernel);
    }
    match lane.src0 {
        Dtype::Fp32 => hot::<F32>(lane.op, policy, level),
        Dtype::Bfloat16 => hot::<Bf16>(lane.op, policy, level),
        Dtype::Fp16 => hot::<F16>(lane.op, policy, level),
        Dtype::Fp8Exp3 => hot::<E3m4>(lane.op, policy, level),
        Dtype::Fp8Exp4 if policy.e4m3 == Flavour::Fn => hot::<E4m3Fn>(lane.op, policy, level),
        Dtype::Fp8Exp4 => hot::<E4m3>(lane.op, policy, level),
        Dtype::Fp8Exp5 => hot::<E5m2>(lane.op, policy, level),
        _ => None,
    }
}

/// Calls a generic function with the host integer of a width and a signedness.
macro_rules! with_int {
    ($signed:expr, $bits:expr, $f:ident($($arg:expr),*)) => {
        match ($signed, $bits) {
            (true, 8) => $f::<i8>($($arg),*),
            (true, 16) => $f::<i16>($($arg),*),
            (true, 32) => $f::<i32>($($arg),*),
            (true, _) => $f::<i64>($($arg),*),
            (false, 8) => $f::<u8>($($arg),*),
            (false, 16) => $f::<u16>($($arg),*),
            (false, 32) => $f::<u32>($($arg),*),
            (false, _) => $f::<u64>($($arg),*),
        }
    };
}

fn integer(lane: &Lane, policy: &Policy, level: Level, params: Params) -> Result<Pipeline, Why> {
    let dtypes = [lane.src0, lane.src1, lane.out];
    let signed = match (lane.op.is_signed(), lane.op.is_unsigned()) {
        (true, false) => true,
        (false, true) => false,
        _ => lane.src0.is_signed_int(),
    };
    if dtypes.iter().any(|dtype| !dtype.is_int() || dtype.is_signed_int() != lane.src0.is_signed_int()) {
        return Err("no kernel for these dtypes");
    }
    let width = lane.src0.bits();
    if dtypes.iter().all(|dtype| dtype.bits() == width) {
        let op = with_int!(signed, width, int_op(lane.op, policy, false, level));
        let (op, binary) = op.ok_or("no kernel for this op")?;
        return Ok(plain("integer lanes", op, lane.out.bytes(), binary, params));
    }
    if policy.int_narrow != IntNarrow::LowBits {
        return Err("the policy saturates results of mixed widths");
    }
    let op = with_int!(signed, 64, int_op(lane.op, policy, true, level));
    let (op, binary) = op.ok_or("no kernel for this op")?;
    Ok(Pipeline {
        name: "integer blocks of mixed widths",
        load0: widen(signed, lane.src0.bits(), level),
        load1: if binary { widen(signed, lane.src1.bits(), level) } else { None },
        op,
        store: match lane.out.bits() {
            8 => Some(at1::<Resize<u64, u8>>(level)),
            16 => Some(at1::<Resize<u64, u16>>(level)),
            32 => Some(at1::<Resize<u64, u32>>(level)),
            _ => None,
        },
        width: 8,
        binary,
        blends: false,
        params,
    })
}

/// To 64 bits; `None` where they are there.
fn widen(signed: bool, bits: u32, level: Level) -> Option<RowFn> {
    Some(match (signed, bits) {
        (true, 8) => at1::<Resize<i8, i64>>(level),
        (true, 16) => at1::<Resize<i16, i64>>(level),
        (true, 32) => at1::<Resize<i32, i64>>(level),
        (false, 8) => at1::<Resize<u8, u64>>(level),
        (false, 16) => at1::<Resize<u16, u64>>(level),
        (false, 32) => at1::<Resize<u32, u64>>(level),
        _ => return None,
    })
}

/// The kernel of an integer-band op, and whether it reads src1.
fn int_op<T: Int>(op: AluOp, policy: &Policy, mixed: bool, level: Level) -> Option<(RowFn, bool)> {
    use AluOp::*;
    Some((
        match op {
            AbsValueInt => return Some((at1::<int::Abs<T>>(level), false)),
            AddInt => at::<int::Add<T>>(level),
            SubtractInt => at::<int::Subtract<T>>(level),
            MultInt | MultUint => at::<int::Mult<T>>(level),
            DivideInt | DivideUint => at::<int::Divide<T>>(level),
            ModInt | ModUint => at::<int::Remainder<T>>(level),
            Mod => match policy.mod_sign {
                ModSign::Divisor => at::<int::Floored<T>>(level),
                ModSign::Dividend => at::<int::Remainder<T>>(level),
            },
            MaxInt | MaxUint => at::<int::Max<T>>(level),
            MinInt | MinUint => at::<int::Min<T>>(level),
            IsEqualInt => at::<int::IsEqual<T>>(level),
            IsNeInt => at::<int::IsNe<T>>(level),
            IsGtInt | IsGtUint => at::<int::IsGt<T>>(level),
            IsGeInt | IsGeUint => at::<int::IsGe<T>>(level),
            IsLeInt | IsLeUint => at::<int::IsLe<T>>(level),
            IsLtInt | IsLtUint => at::<int::IsLt<T>>(level),
            AbsDiffInt => at::<int::AbsDiff<T>>(level),
            AbsMaxInt | AbsMinInt => match (op, policy.abs_minmax_int, mixed) {
                (AbsMaxInt, AbsMinMaxInt::SignedOriginal, _) => at::<int::AbsMaxOriginal<T>>(level),
                (_, AbsMinMaxInt::SignedOriginal, _) => at::<int::AbsMinOriginal<T>>(level),
                (AbsMaxInt, _, false) => at::<int::AbsMax<T>>(level),
                (_, _, false) => at::<int::AbsMin<T>>(level),
                (AbsMaxInt, _, true) => at::<int::AbsMaxTrue<T>>(level),
                (_, _, true) => at::<int::AbsMinTrue<T>>(level),
            },
            _ => return None,
        },
        true,
    ))
}

fn bitvec(lane: &Lane, policy: &Policy, level: Level, params: Params) -> Result<Pipeline, Why> {
    let (width, bytes) = (lane.src0.bits(), lane.src0.bytes());
    if lane.op.is_shift() && policy.shift_over != ShiftOver::Flush {
        return Err("the policy's rule for large shift counts has no kernel");
    }
    if lane.out != lane.src0 || lane.op == AluOp::Crc32 {
        return Err("no kernel for these dtypes");
    }
    let unary = match lane.op {
        AluOp::Bypass => Some(copy(bytes, level)),
        AluOp::BitwiseNot => Some(with_int!(false, width, not(level))),
        _ => None,
    };
    if let Some(op) = unary {
        return Ok(plain("bit lanes", op, bytes, false, params));
    }
    let op = with_int!(false, width, bit_op(lane.op, level)).ok_or("no kernel for this op")?;
    let pipeline = plain("bit lanes", op, bytes, true, params);
    match lane.src1 {
        src1 if src1 == lane.src0 => Ok(pipeline),
        Dtype::Uint32 if lane.op.is_shift() && width == 64 => {
            Ok(Pipeline { name: "64-bit shift blocks", load1: widen(false, 32, level), ..pipeline })
        }
        _ => Err("no kernel for these dtypes"),
    }
}

fn not<T: Int>(level: Level) -> RowFn {
    at1::<int::Not<T>>(level)
}

fn bit_op<T: Int>(op: AluOp, level: Level) -> Option<RowFn> {
    use AluOp::*;
    Some(match op {
        BitwiseAnd => at::<int::And<T>>(level),
        BitwiseOr => at::<int::Or<T>>(level),
        BitwiseXor => at::<int::Xor<T>>(level),
        LogicalShiftLeft | ArithShiftLeft => at::<int::ShiftLeft<T>>(level),
        LogicalShiftRight => at::<int::ShiftRight<T>>(level),
        ArithShiftRight => at::<int::ShiftRightArithmetic<T>>(level),
        _ => return None,
    })
}
