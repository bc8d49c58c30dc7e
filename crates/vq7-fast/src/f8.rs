//! Sums, products and extremes of 8-bit floats by hand, by way of float16.
//!
//! The magnitude of an 8-bit float, moved up to where float16 has its exponent and mantissa, is the float16 of the number
//! times a power of two that only depends on the format; also of subnormals. So decoding is a shift and the host's conversion
//! to float32, and encoding is the host's conversion to float16 and rounding to nearest even in 16-bit lanes: half of what
//! tables cost (`vq7 bench --filter float8`).
//!
//! Rounding twice does no harm: float16 has 11 bits, enough for a format of p bits where 11 >= 2p + 2 (e4m3, e5m2), and sums
//! and products of e3m4 are exact in float16. `tests/lanes.rs` has all pairs. Infinities and NaNs have no such float16: a step
//! that has one is done by the plain loop.

use crate::body::{Body, Map, Op, Params, RowFn, body_at};
use crate::formats::{E3m4, E4m3, E4m3Fn, E5m2, Number};
use crate::hub_ops as hub;
use crate::level::Level;
use std::marker::PhantomData;
use vq7_isa::{AluOp, Dtype};
use vq7_policy::{E4m3 as Flavour, MinMaxNan, Policy};

/// What of a format the vector code has to know.
trait Format {
    /// The element's definition.
    type Number: Number<Bits = u8>;
    /// Mantissa bits that float16 has more.
    const SHIFT: u32;
    /// Float32 bits of what the number is of its float16: 2 to the power of the difference of the biases.
    const SCALE: u32;
    /// The first magnitude that is no number.
    const TOP: u8;
    /// What is too large becomes this magnitude, or, saturated, this one.
    const OVER: [u8; 2];
}

macro_rules! formats {
    ($($name:ident: $number:ty, $shift:literal, $bias:literal, $top:literal, $over:expr;)*) => { $(
        struct $name;
        impl Format for $name {
            type Number = $number;
            const SHIFT: u32 = $shift;
            const SCALE: u32 = (127 + 15 - $bias) << 23;
            const TOP: u8 = $top;
            const OVER: [u8; 2] = $over;
        }
    )* };
}

formats! {
    ByE3m4: E3m4, 6, 3, 0x70, [0x70, 0x6F];
    ByE4m3: E4m3, 7, 7, 0x78, [0x78, 0x77];
    ByE4m3Fn: E4m3Fn, 7, 7, 0x7F, [0x7F, 0x7E];
    ByE5m2: E5m2, 8, 15, 0x7C, [0x7C, 0x7B];
}

/// Which op.
trait Kind {
    /// The element's op.
    type Element: Op<A = u32, B = u32, R = u32>;
    const OP: Which;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Add,
    Subtract,
    Mult,
    Max,
    Min,
}

macro_rules! kinds {
    ($($name:ident),*) => { $(
        struct $name;
        impl Kind for $name {
            type Element = hub::$name;
            const OP: Which = Which::$name;
        }
    )* };
}
kinds!(Add, Subtract, Mult, Max, Min);

/// The pieces of a level that take more than one instruction or a constant.
///
/// # Safety
/// All: the CPU has the level.
mod pieces {
    use std::arch::x86_64::*;

    #[inline(always)]
    pub unsafe fn upper64(x: __m512i) -> __m256i {
        // SAFETY: the caller has AVX-512.
        unsafe { _mm512_extracti64x4_epi64::<1>(x) }
    }

    #[inline(always)]
    pub unsafe fn join64(low: __m256i, high: __m256i) -> __m512i {
        // SAFETY: the caller has AVX-512.
        unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high) }
    }

    /// Whether some byte is the same in both.
    #[inline(always)]
    pub unsafe fn same64(x: __m512i, y: __m512i) -> bool {
        // SAFETY: the caller has AVX-512.
        unsafe { _mm512_cmpeq_epi8_mask(x, y) != 0 }
    }

    #[inline(always)]
    pub unsafe fn upper32(x: __m256i) -> __m128i {
        // SAFETY: the caller has AVX2.
        unsafe { _mm256_extracti128_si256::<1>(x) }
    }

    #[inline(always)]
    pub unsafe fn join32(low: __m128i, high: __m128i) -> __m256i {
        // SAFETY: the caller has AVX2.
        unsafe { _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high) }
    }

    /// Whether some byte is the same in both.
    #[inline(always)]
    pub unsafe fn same32(x: __m256i, y: __m256i) -> bool {
        // SAFETY: the caller has AVX2.
        unsafe { _mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y)) != 0 }
    }
}

/// The loop of a level.
macro_rules! steps {
    ($name:ident, $step:literal, $int:ty, $float:ty, {
        $load:ident $store:ident $and:ident $or:ident $set8:ident $set16:ident $max8:ident $zero:ident $unpacklo:ident
        $unpackhi:ident $srai:ident $srli:ident $add16:ident $min16:ident $packus:ident
        $to_float:ident $from_float:ident $lower:ident $upper:ident $join:ident $set_float:ident
        $add:ident $sub:ident $mul:ident $max:ident $min:ident $same:ident
    }) => {
        struct $name<F, K>(PhantomData<(F, K)>);

        impl<F: Format, K: Kind> Body for $name<F, K> {
            #[inline(always)]
            unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, n: usize, p: &Params) {
                use pieces::*;
                use std::arch::x86_64::*;
                const ROUND: i32 = _MM_FROUND_TO_NEAREST_INT;
                // 16-bit lanes to float16 bits: the sign stays, the magnitude moves down from the upper byte.
                macro_rules! half {
                    ($lanes:expr) => {{
                        let lanes = $lanes;
                        match F::SHIFT {
                            6 => $and($srai::<2>(lanes), $set16(0x9FFFu16.cast_signed())),
                            7 => $and($srai::<1>(lanes), $set16(0xBFFFu16.cast_signed())),
                            _ => lanes,
                        }
                    }};
                }
                macro_rules! one {
                    ($x:expr, $y:expr) => {{
                        let (x, y): ($float, $float) = ($to_float($x), $to_float($y));
                        match K::OP {
                            Which::Add => $add(x, y),
                            Which::Subtract => $sub(x, y),
                            // Both factors are too small by the scale, and one of them has to be.
                            Which::Mult => match F::SHIFT {
                                8 => $mul(x, y),
                                _ => $mul($mul(x, y), $set_float(f32::from_bits(F::SCALE))),
                            },
                            Which::Max => $max(x, y),
                            Which::Min => $min(x, y),
                        }
                    }};
                }
                macro_rules! bytes {
                    ($low:expr, $high:expr) => {{
                        let half: $int = $join($from_float::<ROUND>($low), $from_float::<ROUND>($high));
                        let magnitude = $and(half, $set16(0x7FFF));
                        let (last, rounded) = match F::SHIFT {
                            6 => ($srli::<6>(magnitude), 0x1F),
                            7 => ($srli::<7>(magnitude), 0x3F),
                            _ => ($srli::<8>(magnitude), 0x7F),
                        };
                        let up = $add16($and(last, $set16(1)), $set16(rounded));
                        let up = $add16(magnitude, up);
                        let code = match F::SHIFT {
                            6 => $srli::<6>(up),
                            7 => $srli::<7>(up),
                            _ => $srli::<8>(up),
                        };
                        let over = i16::from(F::OVER[usize::from(p.saturate)]);
                        $or($min16(code, $set16(over)), $and($srli::<8>(half), $set16(0x80)))
                    }};
                }
                let p = *p;
                let mut first = 0;
                // SAFETY: the caller promises n elements of each and a CPU of this level; a step ends at or before n.
                unsafe {
                    while first + $step <= n {
                        let (x, y): ($int, $int) = ($load(a.add(first).cast()), $load(b.add(first).cast()));
                        let magnitude = $set8(0x7F);
                        let largest = $max8($and(x, magnitude), $and(y, magnitude));
                        if $same(largest, $max8(largest, $set8(F::TOP.cast_signed()))) {
                            Map::<hub::Fused<F::Number, K::Element>>::run(
                                dst.add(first),
                                a.add(first),
                                b.add(first),
                                $step,
                                &p,
                            );
                        } else {
                            let zero = $zero();
                            let (x0, y0) = (half!($unpacklo(zero, x)), half!($unpacklo(zero, y)));
                            let (x1, y1) = (half!($unpackhi(zero, x)), half!($unpackhi(zero, y)));
                            let low = bytes!(one!($lower(x0), $lower(y0)), one!($upper(x0), $upper(y0)));
                            let high = bytes!(one!($lower(x1), $lower(y1)), one!($upper(x1), $upper(y1)));
                            $store(dst.add(first).cast(), $packus(low, high));
                        }
                        first += $step;
                    }
                    Map::<hub::Fused<F::Number, K::Element>>::run(
                        dst.add(first),
                        a.add(first),
                        b.add(first),
                        n - first,
                        &p,
                    );
                }
            }
        }
    };
}

steps!(By64, 64, std::arch::x86_64::__m512i, std::arch::x86_64::__m512, {
    _mm512_loadu_si512 _mm512_storeu_si512 _mm512_and_si512 _mm512_or_si512 _mm512_set1_epi8 _mm512_set1_epi16
    _mm512_max_epu8 _mm512_setzero_si512 _mm512_unpacklo_epi8 _mm512_unpackhi_epi8 _mm512_srai_epi16
    _mm512_srli_epi16 _mm512_add_epi16 _mm512_min_epu16 _mm512_packus_epi16 _mm512_cvtph_ps _mm512_cvtps_ph
    _mm512_castsi512_si256 upper64
    join64 _mm512_set1_ps
    _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_max_ps _mm512_min_ps
    same64
});

steps!(By32, 32, std::arch::x86_64::__m256i, std::arch::x86_64::__m256, {
    _mm256_loadu_si256 _mm256_storeu_si256 _mm256_and_si256 _mm256_or_si256 _mm256_set1_epi8 _mm256_set1_epi16
    _mm256_max_epu8 _mm256_setzero_si256 _mm256_unpacklo_epi8 _mm256_unpackhi_epi8 _mm256_srai_epi16
    _mm256_srli_epi16 _mm256_add_epi16 _mm256_min_epu16 _mm256_packus_epi16 _mm256_cvtph_ps _mm256_cvtps_ph
    _mm256_castsi256_si128 upper32
    join32 _mm256_set1_ps
    _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_max_ps _mm256_min_ps
    same32
});

/// The kernel of an op on three operands of one 8-bit float; `None` where this is not the way.
pub(crate) fn hot(op: AluOp, dtype: Dtype, policy: &Policy, level: Level) -> Option<RowFn> {
    match dtype {
        Dtype::Fp8Exp3 => of::<ByE3m4>(op, policy, level),
        Dtype::Fp8Exp4 if policy.e4m3 == Flavour::Fn => of::<ByE4m3Fn>(op, policy, level),
        Dtype::Fp8Exp4 => of::<ByE4m3>(op, policy, level),
        Dtype::Fp8Exp5 => of::<ByE5m2>(op, policy, level),
        _ => None,
    }
}

fn of<F: Format>(op: AluOp, policy: &Policy, level: Level) -> Option<RowFn> {
    fn one<F: Format, K: Kind>(level: Level) -> Option<RowFn> {
        match level {
            Level::Avx512 => Some(body_at::<By64<F, K>>(level)),
            Level::Avx2 => Some(body_at::<By32<F, K>>(level)),
            Level::Baseline => None,
        }
    }
    let plain_extremes = policy.minmax_nan == MinMaxNan::SelectSecond;
    match op {
        AluOp::Add => one::<F, Add>(level),
        AluOp::Subtract => one::<F, Subtract>(level),
        AluOp::Mult => one::<F, Mult>(level),
        AluOp::Max if plain_extremes => one::<F, Max>(level),
        AluOp::Min if plain_extremes => one::<F, Min>(level),
        _ => None,
    }
}
