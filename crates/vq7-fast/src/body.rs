//! Kernels: one function per element, looped over a contiguous row, compiled once per CPU level.

use crate::level::Level;
use std::marker::PhantomData;

/// What kernels need to know at run time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Params {
    /// Whether magnitudes beyond the largest one of an 8-bit float become that one.
    pub saturate: bool,
    /// What a NaN becomes as an integer: 0 the largest, 1 zero, 2 the smallest.
    pub nan_to_int: u8,
    /// Whether a quotient by zero is all ones; else zero.
    pub ones_on_zero: bool,
    /// Coefficients of BATCH_NORM_BACK_PROP of the channel: scale, n, d_beta, d_gamma.
    pub coefficients: [u32; 4],
}

/// A row kernel: result, first operand, second operand, elements, parameters.
///
/// # Safety
/// `dst` is valid for writes and the operands for reads of as many elements of their types. The result overlaps neither
/// operand. The second operand of a unary kernel may be dangling. The CPU has the level that the kernel was made for.
pub(crate) type RowFn = unsafe fn(*mut u8, *const u8, *const u8, usize, &Params);

/// One element's computation.
pub(crate) trait Op {
    /// First operand.
    type A: Copy;
    /// Second operand.
    type B: Copy;
    /// Result.
    type R: Copy;
    /// The result.
    fn apply(a: Self::A, b: Self::B, p: &Params) -> Self::R;
}

/// A unary computation.
pub(crate) trait Op1 {
    /// Operand.
    type A: Copy;
    /// Result.
    type R: Copy;
    /// The result.
    fn apply(a: Self::A, p: &Params) -> Self::R;
}

/// A row of work that is inlined into a function of each level.
pub(crate) trait Body {
    /// # Safety
    /// As [`RowFn`].
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, n: usize, p: &Params);
}

/// The loop over a binary op.
pub(crate) struct Map<O>(PhantomData<O>);

impl<O: Op> Body for Map<O> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, n: usize, p: &Params) {
        let (dst, a, b, p) = (dst.cast::<O::R>(), a.cast::<O::A>(), b.cast::<O::B>(), *p);
        for i in 0..n {
            // SAFETY: i < n, and the caller promises n elements of each; unaligned accesses ask for no alignment.
            unsafe { dst.add(i).write_unaligned(O::apply(a.add(i).read_unaligned(), b.add(i).read_unaligned(), &p)) };
        }
    }
}

/// The loop over a unary op.
pub(crate) struct Map1<O>(PhantomData<O>);

impl<O: Op1> Body for Map1<O> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, _: *const u8, n: usize, p: &Params) {
        let (dst, a, p) = (dst.cast::<O::R>(), a.cast::<O::A>(), *p);
        for i in 0..n {
            // SAFETY: i < n, and the caller promises n elements of each; unaligned accesses ask for no alignment.
            unsafe { dst.add(i).write_unaligned(O::apply(a.add(i).read_unaligned(), &p)) };
        }
    }
}

/// The kernel of a body at a level that this CPU has.
pub(crate) fn body_at<B: Body>(level: Level) -> RowFn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::<B>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::<B>,
        _ => baseline::<B>,
    }
}

/// The kernel of a binary op.
pub(crate) fn at<O: Op>(level: Level) -> RowFn {
    body_at::<Map<O>>(level)
}

/// The kernel of a unary op.
pub(crate) fn at1<O: Op1>(level: Level) -> RowFn {
    body_at::<Map1<O>>(level)
}

unsafe fn baseline<B: Body>(dst: *mut u8, a: *const u8, b: *const u8, n: usize, p: &Params) {
    // SAFETY: the caller keeps the contract of `RowFn`.
    unsafe { B::run(dst, a, b, n, p) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<B: Body>(dst: *mut u8, a: *const u8, b: *const u8, n: usize, p: &Params) {
    // SAFETY: the caller keeps the contract of `RowFn`.
    unsafe { B::run(dst, a, b, n, p) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi"
)]
unsafe fn avx512<B: Body>(dst: *mut u8, a: *const u8, b: *const u8, n: usize, p: &Params) {
    // SAFETY: the caller keeps the contract of `RowFn`.
    unsafe { B::run(dst, a, b, n, p) }
}
