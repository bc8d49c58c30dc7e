//! The hot ops of 16- and 8-bit floats by hand for AVX-512: what the compiler makes of the plain loops is three to five
//! times slower (`vq7 bench --filter float8`).
//!
//! A step is 64 elements in four vectors of float32. Where a result is a NaN, which is rare, the step is done again by the
//! plain loop, so that no vector code has to know which NaN comes out.

use crate::body::{Body, Map, Op, Params, RowFn, body_at};
use crate::formats::{Bf16, E3m4, E4m3, E4m3Fn, E5m2, F16, Number};
use crate::hub_ops as hub;
use crate::level::Level;
use std::arch::x86_64::*;
use std::marker::PhantomData;
use vq7_isa::{AluOp, Dtype};
use vq7_policy::{E4m3 as Flavour, MinMaxNan, Policy};

/// Elements of a step.
const STEP: usize = 64;
/// Whether a comparison is ordered and quiet, by its kind.
const UNORDERED: i32 = _CMP_UNORD_Q;

/// A step's elements as float32 bits, in an order of the codec's own.
type Step = [__m512i; 4];

/// How a dtype's elements become float32 and come from it.
///
/// # Safety
/// All methods: the CPU has the level AVX-512, and pointers are good for a step of elements.
trait Codec {
    /// The dtype.
    type Number: Number;
    /// The bits of 1.0.
    const ONE: i32;
    unsafe fn load(from: *const u8) -> Step;
    /// A float32 that is no NaN to bits of the dtype, in the low bits.
    unsafe fn encode(value: __m512i, p: &Params) -> __m512i;
    /// Stores encoded bits in the order in which they were loaded.
    unsafe fn pack(to: *mut u8, bits: Step);
    /// Bits in lanes of 32, as `encode` gives them.
    #[inline(always)]
    unsafe fn lanes(bits: Step) -> Step {
        bits
    }
    /// Encodes and stores.
    #[inline(always)]
    unsafe fn store(to: *mut u8, values: Step, p: &Params) {
        // SAFETY: the caller's promise.
        unsafe {
            let [a, b, c, d] = values;
            Self::pack(to, [Self::encode(a, p), Self::encode(b, p), Self::encode(c, p), Self::encode(d, p)])
        }
    }
}

/// Two vectors of 16-bit elements as float32 whose upper halves they are.
#[inline(always)]
unsafe fn spread([first, second]: [__m512i; 2]) -> Step {
    // SAFETY: the caller has AVX-512.
    unsafe {
        let zero = _mm512_setzero_si512();
        [
            _mm512_unpacklo_epi16(zero, first),
            _mm512_unpackhi_epi16(zero, first),
            _mm512_unpacklo_epi16(zero, second),
            _mm512_unpackhi_epi16(zero, second),
        ]
    }
}

struct Bf16Codec;

impl Codec for Bf16Codec {
    type Number = Bf16;
    const ONE: i32 = 0x3F80;
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Step {
        // SAFETY: 128 bytes from `from` on are readable.
        unsafe { spread([_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(64).cast())]) }
    }
    #[inline(always)]
    unsafe fn encode(value: __m512i, _: &Params) -> __m512i {
        // SAFETY: the caller has AVX-512.
        unsafe {
            let last = _mm512_and_si512(_mm512_srli_epi32::<16>(value), _mm512_set1_epi32(1));
            let rounded = _mm512_add_epi32(_mm512_add_epi32(value, _mm512_set1_epi32(0x7FFF)), last);
            _mm512_srli_epi32::<16>(rounded)
        }
    }
    #[inline(always)]
    unsafe fn pack(to: *mut u8, [a, b, c, d]: Step) {
        // SAFETY: 128 bytes from `to` on are writable.
        unsafe {
            _mm512_storeu_si512(to.cast(), _mm512_packus_epi32(a, b));
            _mm512_storeu_si512(to.add(64).cast(), _mm512_packus_epi32(c, d));
        }
    }
    #[inline(always)]
    unsafe fn store(to: *mut u8, [a, b, c, d]: Step, _: &Params) {
        // SAFETY: 128 bytes from `to` on are writable.
        unsafe {
            _mm512_storeu_si512(to.cast(), rounded_upper(a, b));
            _mm512_storeu_si512(to.add(64).cast(), rounded_upper(c, d));
        }
    }
}

/// Which 16-bit parts of two vectors of 32-bit lanes, spread from one vector, go back to it: the upper ones, or (`lower`)
/// those below them.
const fn parts(lower: bool) -> [i16; 32] {
    let mut index = [0; 32];
    let mut i = 0;
    while i < 32 {
        let (lane, j) = (i / 8, i % 8);
        let from = if j < 4 { 0 } else { 32 };
        index[i] = (from + lane * 8 + 2 * (j % 4) + if lower { 0 } else { 1 }) as i16;
        i += 1;
    }
    index
}

/// Two vectors of float32 bits that are no NaNs, rounded to bfloat16, in the order before [`spread`].
#[inline(always)]
unsafe fn rounded_upper(a: __m512i, b: __m512i) -> __m512i {
    const UPPER: [i16; 32] = parts(false);
    const LOWER: [i16; 32] = parts(true);
    // SAFETY: the caller has AVX-512; the tables are as long as a register.
    unsafe {
        let upper = _mm512_permutex2var_epi16(a, _mm512_loadu_si512(UPPER.as_ptr().cast()), b);
        let lower = _mm512_permutex2var_epi16(a, _mm512_loadu_si512(LOWER.as_ptr().cast()), b);
        // Above a half, or half and odd.
        let one = _mm512_set1_epi16(1);
        let with_odd = _mm512_adds_epu16(lower, _mm512_and_si512(upper, one));
        let up = _mm512_cmpgt_epu16_mask(with_odd, _mm512_set1_epi16(i16::MIN));
        _mm512_mask_add_epi16(upper, up, upper, one)
    }
}

struct F16Codec;

impl Codec for F16Codec {
    type Number = F16;
    const ONE: i32 = 0x3C00;
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Step {
        // SAFETY: 128 bytes from `from` on are readable.
        unsafe {
            macro_rules! half {
                ($at:literal) => {
                    _mm512_castps_si512(_mm512_cvtph_ps(_mm256_loadu_si256(from.add($at).cast())))
                };
            }
            [half!(0), half!(32), half!(64), half!(96)]
        }
    }
    #[inline(always)]
    unsafe fn encode(value: __m512i, _: &Params) -> __m512i {
        // SAFETY: the caller has AVX-512.
        unsafe {
            _mm512_castsi256_si512(_mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(
                _mm512_castsi512_ps(value),
            ))
        }
    }
    #[inline(always)]
    unsafe fn lanes(bits: Step) -> Step {
        macro_rules! cut {
            ($bits:ident) => {
                _mm512_castsi256_si512(_mm512_cvtepi32_epi16($bits))
            };
        }
        let [a, b, c, d] = bits;
        // SAFETY: the caller has AVX-512.
        unsafe { [cut!(a), cut!(b), cut!(c), cut!(d)] }
    }
    #[inline(always)]
    unsafe fn pack(to: *mut u8, bits: Step) {
        let [a, b, c, d] = bits;
        // SAFETY: 128 bytes from `to` on are writable; the low halves hold 16 elements each.
        unsafe {
            _mm256_storeu_si256(to.cast(), _mm512_castsi512_si256(a));
            _mm256_storeu_si256(to.add(32).cast(), _mm512_castsi512_si256(b));
            _mm256_storeu_si256(to.add(64).cast(), _mm512_castsi512_si256(c));
            _mm256_storeu_si256(to.add(96).cast(), _mm512_castsi512_si256(d));
        }
    }
}

/// An 8-bit float of `E` exponent and `M` mantissa bits.
struct F8Codec<N, const E: u32, const M: u32, const FN: bool>(PhantomData<N>);

/// The bfloat16 of a magnitude: every 8-bit float is one.
const fn bf16_of(magnitude: u32, e: u32, m: u32, is_fn: bool) -> u16 {
    let bias = (1 << (e - 1)) - 1;
    let (field, mantissa) = (magnitude >> m, magnitude & ((1 << m) - 1));
    let up = 7 - m;
    let special = if is_fn { magnitude == 127 } else { field == (1 << e) - 1 };
    if special {
        let quiet = if mantissa == 0 { 0 } else { 0x40 };
        return (0x7F80 | quiet | mantissa << up) as u16;
    }
    if field > 0 {
        return ((field + 127 - bias) << 7 | mantissa << up) as u16;
    }
    if mantissa == 0 {
        return 0;
    }
    let (mut significand, mut exponent) = (mantissa, 128 - bias);
    while significand < 1 << m {
        significand <<= 1;
        exponent -= 1;
    }
    (exponent << 7 | (significand & ((1 << m) - 1)) << up) as u16
}

/// The bfloat16 of all magnitudes: low bytes, then high bytes.
const fn table(e: u32, m: u32, is_fn: bool) -> [[u8; 128]; 2] {
    let mut bytes = [[0; 128]; 2];
    let mut code = 0;
    while code < 128 {
        let [low, high] = bf16_of(code as u32, e, m, is_fn).to_le_bytes();
        bytes[0][code] = low;
        bytes[1][code] = high;
        code += 1;
    }
    bytes
}

impl<N, const E: u32, const M: u32, const FN: bool> F8Codec<N, E, M, FN> {
    const TABLE: [[u8; 128]; 2] = table(E, M, FN);
    const BIAS: i32 = (1 << (E - 1)) - 1;
    const UP: u32 = 23 - M;
    /// The code of what is too large: the one after the largest finite one.
    const OVER: i32 = if FN { 127 } else { 128 - (1 << M) };
    const MIN_NORMAL: i32 = (128 - Self::BIAS) << 23;
    const ALIGN: i32 = (128 - Self::BIAS - M as i32 + 23) << 23;
}

impl<N: Number, const E: u32, const M: u32, const FN: bool> Codec for F8Codec<N, E, M, FN> {
    type Number = N;
    const ONE: i32 = Self::BIAS << M;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Step {
        // SAFETY: 64 bytes from `from` on are readable, and so are the tables.
        unsafe {
            let [low, high] = &Self::TABLE;
            let (low, high) = (low.as_ptr(), high.as_ptr());
            let codes = _mm512_loadu_si512(from.cast());
            // The lookup takes the low seven bits of a code.
            let (first, second) = (_mm512_loadu_si512(low.cast()), _mm512_loadu_si512(low.add(64).cast()));
            let low = _mm512_permutex2var_epi8(first, codes, second);
            let (first, second) = (_mm512_loadu_si512(high.cast()), _mm512_loadu_si512(high.add(64).cast()));
            let high = _mm512_permutex2var_epi8(first, codes, second);
            // high | codes & 0x80
            let high = _mm512_ternarylogic_epi32::<0xF8>(high, codes, _mm512_set1_epi8(-128));
            spread([_mm512_unpacklo_epi8(low, high), _mm512_unpackhi_epi8(low, high)])
        }
    }

    #[inline(always)]
    unsafe fn encode(value: __m512i, p: &Params) -> __m512i {
        // SAFETY: the caller has AVX-512.
        unsafe {
            let magnitude = _mm512_and_si512(value, _mm512_set1_epi32(i32::MAX));
            let up = _mm_cvtsi32_si128(Self::UP as i32);
            let last = _mm512_and_si512(_mm512_srl_epi32(magnitude, up), _mm512_set1_epi32(1));
            // Half a unit less one, and the change of bias, in one addition.
            let bias = ((1 << (Self::UP - 1)) - 1) - ((127 - Self::BIAS) << 23);
            let normal = _mm512_add_epi32(_mm512_add_epi32(magnitude, last), _mm512_set1_epi32(bias));
            let normal = _mm512_srl_epi32(normal, up);
            let align = _mm512_set1_epi32(Self::ALIGN);
            let aligned = _mm512_add_ps(_mm512_castsi512_ps(magnitude), _mm512_castsi512_ps(align));
            let small = _mm512_cmplt_epu32_mask(magnitude, _mm512_set1_epi32(Self::MIN_NORMAL));
            let limit = Self::OVER - i32::from(p.saturate);
            let code = _mm512_min_epu32(normal, _mm512_set1_epi32(limit));
            let code = _mm512_mask_sub_epi32(code, small, _mm512_castps_si512(aligned), align);
            // code | value >> 24 & 0x80
            _mm512_ternarylogic_epi32::<0xF8>(code, _mm512_srli_epi32::<24>(value), _mm512_set1_epi32(0x80))
        }
    }

    #[inline(always)]
    unsafe fn pack(to: *mut u8, [a, b, c, d]: Step) {
        // SAFETY: 64 bytes from `to` on are writable.
        unsafe {
            let words = _mm512_packus_epi16(_mm512_packus_epi32(a, b), _mm512_packus_epi32(c, d));
            _mm512_storeu_si512(to.cast(), words);
        }
    }
}

/// An op on float32 vectors, beside its definition for an element.
///
/// # Safety
/// All methods: the CPU has the level AVX-512.
trait VectorOp {
    /// The element's op.
    type Element: Op<A = u32, B = u32, R = u32>;
    /// Whether the result is 1 or 0 by `holds`; else `apply` computes it.
    const COMPARES: bool;
    unsafe fn apply(a: __m512, b: __m512) -> __m512;
    unsafe fn holds(a: __m512, b: __m512) -> __mmask16;
}

macro_rules! arithmetic {
    ($($name:ident: $element:ty = |$a:ident, $b:ident| $body:expr;)*) => { $(
        struct $name;
        impl VectorOp for $name {
            type Element = $element;
            const COMPARES: bool = false;
            #[inline(always)]
            unsafe fn apply($a: __m512, $b: __m512) -> __m512 {
                // SAFETY: the caller has AVX-512.
                unsafe { $body }
            }
            #[inline(always)]
            unsafe fn holds(_: __m512, _: __m512) -> __mmask16 {
                0
            }
        }
    )* };
}

arithmetic! {
    Add: hub::Add = |a, b| _mm512_add_ps(a, b);
    Subtract: hub::Subtract = |a, b| _mm512_sub_ps(a, b);
    Mult: hub::Mult = |a, b| _mm512_mul_ps(a, b);
    // These instructions give the second operand unless the first is ordered before it as wanted.
    Max: hub::Max = |a, b| _mm512_max_ps(a, b);
    Min: hub::Min = |a, b| _mm512_min_ps(a, b);
}

macro_rules! comparison {
    ($($name:ident: $element:ty = $kind:ident;)*) => { $(
        struct $name;
        impl VectorOp for $name {
            type Element = $element;
            const COMPARES: bool = true;
            #[inline(always)]
            unsafe fn apply(a: __m512, _: __m512) -> __m512 {
                a
            }
            #[inline(always)]
            unsafe fn holds(a: __m512, b: __m512) -> __mmask16 {
                // SAFETY: the caller has AVX-512.
                unsafe { _mm512_cmp_ps_mask::<$kind>(a, b) }
            }
        }
    )* };
}

comparison! {
    IsEq: hub::IsEq = _CMP_EQ_OQ;
    IsNe: hub::IsNe = _CMP_NEQ_UQ;
    IsGt: hub::IsGt = _CMP_GT_OQ;
    IsGe: hub::IsGe = _CMP_GE_OQ;
    IsLe: hub::IsLe = _CMP_LE_OQ;
    IsLt: hub::IsLt = _CMP_LT_OQ;
}

/// The loop over steps.
struct Steps<C, O>(PhantomData<(C, O)>);

impl<C: Codec, O: VectorOp> Body for Steps<C, O> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, n: usize, p: &Params) {
        let size = size_of::<<C::Number as Number>::Bits>();
        let p = *p;
        let mut first = 0;
        // SAFETY: the caller promises n elements of each and a CPU of this level; a step ends at or before n.
        unsafe {
            while first + STEP <= n {
                let at = first * size;
                let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (C::load(a.add(at)), C::load(b.add(at)));
                // No closures here: they would not have the level's features.
                macro_rules! one {
                    ($x:ident, $y:ident) => {
                        _mm512_maskz_set1_epi32(O::holds(_mm512_castsi512_ps($x), _mm512_castsi512_ps($y)), C::ONE)
                    };
                }
                macro_rules! each {
                    ($x:ident, $y:ident) => {
                        O::apply(_mm512_castsi512_ps($x), _mm512_castsi512_ps($y))
                    };
                }
                if O::COMPARES {
                    let bits = [one!(a0, b0), one!(a1, b1), one!(a2, b2), one!(a3, b3)];
                    C::pack(dst.add(at), C::lanes(bits));
                } else {
                    let (r0, r1, r2, r3) = (each!(a0, b0), each!(a1, b1), each!(a2, b2), each!(a3, b3));
                    // A pair is unordered if either is a NaN.
                    let nans = _mm512_cmp_ps_mask::<UNORDERED>(r0, r1) | _mm512_cmp_ps_mask::<UNORDERED>(r2, r3);
                    if nans != 0 {
                        Map::<hub::Fused<C::Number, O::Element>>::run(dst.add(at), a.add(at), b.add(at), STEP, &p);
                    } else {
                        let (r0, r1) = (_mm512_castps_si512(r0), _mm512_castps_si512(r1));
                        let (r2, r3) = (_mm512_castps_si512(r2), _mm512_castps_si512(r3));
                        C::store(dst.add(at), [r0, r1, r2, r3], &p);
                    }
                }
                first += STEP;
            }
            let at = first * size;
            Map::<hub::Fused<C::Number, O::Element>>::run(dst.add(at), a.add(at), b.add(at), n - first, &p);
        }
    }
}

/// The kernel of a hot op on three operands of one small float dtype; `None` where the plain loop does.
pub(crate) fn hot(op: AluOp, dtype: Dtype, policy: &Policy) -> Option<RowFn> {
    match dtype {
        Dtype::Bfloat16 => of::<Bf16Codec>(op, policy),
        Dtype::Fp16 => of::<F16Codec>(op, policy),
        Dtype::Fp8Exp3 => of::<F8Codec<E3m4, 3, 4, false>>(op, policy),
        Dtype::Fp8Exp4 if policy.e4m3 == Flavour::Fn => of::<F8Codec<E4m3Fn, 4, 3, true>>(op, policy),
        Dtype::Fp8Exp4 => of::<F8Codec<E4m3, 4, 3, false>>(op, policy),
        Dtype::Fp8Exp5 => of::<F8Codec<E5m2, 5, 2, false>>(op, policy),
        _ => None,
    }
}

fn of<C: Codec>(op: AluOp, policy: &Policy) -> Option<RowFn> {
    fn one<C: Codec, O: VectorOp>() -> RowFn {
        body_at::<Steps<C, O>>(Level::Avx512)
    }
    let plain_extremes = policy.minmax_nan == MinMaxNan::SelectSecond;
    Some(match op {
        AluOp::Add => one::<C, Add>(),
        AluOp::Subtract => one::<C, Subtract>(),
        AluOp::Mult => one::<C, Mult>(),
        AluOp::Max if plain_extremes => one::<C, Max>(),
        AluOp::Min if plain_extremes => one::<C, Min>(),
        AluOp::IsEq => one::<C, IsEq>(),
        AluOp::IsNe => one::<C, IsNe>(),
        AluOp::IsGt => one::<C, IsGt>(),
        AluOp::IsGe => one::<C, IsGe>(),
        AluOp::IsLe => one::<C, IsLe>(),
        AluOp::IsLt => one::<C, IsLt>(),
        _ => return None,
    })
}

/// Float16 to float32 and back over rows, for the blocks of mixed dtypes.
pub(crate) struct LoadF16;

impl Body for LoadF16 {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, n: usize, p: &Params) {
        let whole = n / STEP * STEP;
        // SAFETY: the caller promises n elements of each and a CPU of this level.
        unsafe {
            let mut first = 0;
            while first < whole {
                let [v0, v1, v2, v3] = F16Codec::load(a.add(2 * first));
                let to = dst.add(4 * first);
                _mm512_storeu_si512(to.cast(), v0);
                _mm512_storeu_si512(to.add(64).cast(), v1);
                _mm512_storeu_si512(to.add(128).cast(), v2);
                _mm512_storeu_si512(to.add(192).cast(), v3);
                first += STEP;
            }
            crate::body::Map1::<crate::formats::Load<F16>>::run(dst.add(4 * first), a.add(2 * first), b, n - first, p);
        }
    }
}

/// Float32 to float16 over rows.
pub(crate) struct StoreF16;

impl Body for StoreF16 {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, n: usize, p: &Params) {
        let whole = n / STEP * STEP;
        // SAFETY: the caller promises n elements of each and a CPU of this level. The instruction quiets NaNs and keeps
        // the upper bits of their payloads, as the definition does.
        unsafe {
            let mut first = 0;
            while first < whole {
                let from = a.add(4 * first);
                let (v0, v1) = (_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(64).cast()));
                let (v2, v3) = (_mm512_loadu_si512(from.add(128).cast()), _mm512_loadu_si512(from.add(192).cast()));
                F16Codec::store(dst.add(2 * first), [v0, v1, v2, v3], p);
                first += STEP;
            }
            crate::body::Map1::<crate::formats::Store<F16>>::run(dst.add(2 * first), a.add(4 * first), b, n - first, p);
        }
    }
}
