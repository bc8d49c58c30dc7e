//! Elements that do not lie one after the other: brought into a block, and taken out of it.

use crate::body::{Body, Params, RowFn, body_at};
use crate::level::Level;
use std::marker::PhantomData;

/// Copies `n` elements that lie `STEP` elements apart into a row; `STEP` 0: as many bytes apart as the second operand's
/// address says.
struct Gather<T, const STEP: isize>(PhantomData<T>);

impl<T: Copy, const STEP: isize> Body for Gather<T, STEP> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, step: *const u8, n: usize, _: &Params) {
        let dst = dst.cast::<T>();
        for i in 0..n {
            let offset = match STEP {
                0 => (i as isize).wrapping_mul(step.addr().cast_signed()),
                _ => (i as isize).wrapping_mul(STEP * size_of::<T>() as isize),
            };
            // SAFETY: the caller promises that the n elements at this step are readable, and n elements of `dst`.
            unsafe { dst.add(i).write_unaligned(a.offset(offset).cast::<T>().read_unaligned()) };
        }
    }
}

/// The other way: a row to `n` elements that lie apart.
struct Scatter<T, const STEP: isize>(PhantomData<T>);

impl<T: Copy, const STEP: isize> Body for Scatter<T, STEP> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, step: *const u8, n: usize, _: &Params) {
        let a = a.cast::<T>();
        for i in 0..n {
            let offset = match STEP {
                0 => (i as isize).wrapping_mul(step.addr().cast_signed()),
                _ => (i as isize).wrapping_mul(STEP * size_of::<T>() as isize),
            };
            // SAFETY: the caller promises that the n elements at this step are writable, and n elements of `a`.
            unsafe { dst.offset(offset).cast::<T>().write_unaligned(a.add(i).read_unaligned()) };
        }
    }
}

/// `n` times the element of the first operand.
struct Fill<T>(PhantomData<T>);

impl<T: Copy> Body for Fill<T> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, _: *const u8, n: usize, _: &Params) {
        // SAFETY: the caller promises one element of `a` and n elements of `dst`.
        let value = unsafe { a.cast::<T>().read_unaligned() };
        let dst = dst.cast::<T>();
        for i in 0..n {
            // SAFETY: i < n.
            unsafe { dst.add(i).write_unaligned(value) };
        }
    }
}

/// The second operand where the first is not zero; elsewhere the destination stays, which must have been written.
struct Blend<M, T>(PhantomData<(M, T)>);

impl<M: Copy + PartialEq + Default, T: Copy> Body for Blend<M, T> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, n: usize, _: &Params) {
        let (dst, a, b) = (dst.cast::<T>(), a.cast::<M>(), b.cast::<T>());
        for i in 0..n {
            // SAFETY: i < n, and the caller promises n elements of each.
            unsafe {
                let chosen = a.add(i).read_unaligned() != M::default();
                let (new, old) = (b.add(i).read_unaligned(), dst.add(i).read_unaligned());
                dst.add(i).write_unaligned(if chosen { new } else { old });
            }
        }
    }
}

/// As [`Gather`] of every second element of 4 or 8 bytes, of which the compiler makes one load for each element.
#[cfg(target_arch = "x86_64")]
struct EverySecond<T>(PhantomData<T>);

#[cfg(target_arch = "x86_64")]
impl<T: Copy> Body for EverySecond<T> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, step: *const u8, n: usize, p: &Params) {
        use std::arch::x86_64::*;
        const EVEN4: [u32; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
        const EVEN8: [u64; 8] = [0, 2, 4, 6, 8, 10, 12, 14];
        let size = size_of::<T>();
        let lanes = 64 / size;
        let mut i = 0;
        // SAFETY: AVX-512 is there. The two loads end before element i + lanes, which exists, so that all that is read lies
        // between elements; the store is part of the row.
        unsafe {
            while i + lanes < n {
                let from = a.add(2 * i * size);
                let (low, high) = (_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(64).cast()));
                let even = if size == 4 {
                    _mm512_permutex2var_epi32(low, _mm512_loadu_si512(EVEN4.as_ptr().cast()), high)
                } else {
                    _mm512_permutex2var_epi64(low, _mm512_loadu_si512(EVEN8.as_ptr().cast()), high)
                };
                _mm512_storeu_si512(dst.add(i * size).cast(), even);
                i += lanes;
            }
            Gather::<T, 2>::run(dst.add(i * size), a.add(2 * i * size), step, n - i, p);
        }
    }
}

/// The kernel for every second element.
fn every_second<T: Copy>(level: Level) -> RowFn {
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx512 && size_of::<T>() >= 4 {
        return body_at::<EverySecond<T>>(level);
    }
    body_at::<Gather<T, 2>>(level)
}

/// The kernels that move elements of one size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves {
    gather: [RowFn; 3],
    scatter: [RowFn; 3],
    fill: RowFn,
    size: isize,
}

impl Moves {
    /// For elements of `size` bytes: 1, 2, 4 or 8.
    pub fn new(size: u32, level: Level) -> Self {
        fn of<T: Copy>(level: Level) -> Moves {
            Moves {
                gather: [body_at::<Gather<T, 0>>(level), every_second::<T>(level), body_at::<Gather<T, -1>>(level)],
                scatter: [
                    body_at::<Scatter<T, 0>>(level),
                    body_at::<Scatter<T, 2>>(level),
                    body_at::<Scatter<T, -1>>(level),
                ],
                fill: body_at::<Fill<T>>(level),
                size: size_of::<T>() as isize,
            }
        }
        match size {
            1 => of::<u8>(level),
            2 => of::<u16>(level),
            4 => of::<u32>(level),
            _ => of::<u64>(level),
        }
    }

    /// Which of the forms goes by this step in bytes.
    const fn form(&self, step: isize) -> usize {
        if step == 2 * self.size {
            1
        } else if step == -self.size {
            2
        } else {
            0
        }
    }

    /// Brings `n` elements that lie `step` bytes apart into a row.
    ///
    /// # Safety
    /// The elements are readable, the row is writable, and they do not overlap.
    pub unsafe fn bring(&self, dst: *mut u8, src: *const u8, step: isize, n: usize) {
        let params = Params::default();
        let by = std::ptr::without_provenance(step.cast_unsigned());
        // SAFETY: the caller's promise; a step of 0 reads one element, a step of the size a row.
        unsafe {
            match step {
                0 => (self.fill)(dst, src, src, n, &params),
                step if step == self.size => std::ptr::copy_nonoverlapping(src, dst, n * self.size.cast_unsigned()),
                step => {
                    if let Some(gather) = self.gather.get(self.form(step)) {
                        gather(dst, src, by, n, &params);
                    }
                }
            }
        }
    }

    /// Takes a row to `n` elements that lie `step` bytes apart.
    ///
    /// # Safety
    /// The row is readable, the elements are writable, and they do not overlap.
    pub unsafe fn take(&self, dst: *mut u8, src: *const u8, step: isize, n: usize) {
        let params = Params::default();
        let by = std::ptr::without_provenance(step.cast_unsigned());
        // SAFETY: the caller's promise.
        unsafe {
            match step {
                step if step == self.size => std::ptr::copy_nonoverlapping(src, dst, n * self.size.cast_unsigned()),
                step => {
                    if let Some(scatter) = self.scatter.get(self.form(step)) {
                        scatter(dst, src, by, n, &params);
                    }
                }
            }
        }
    }
}

/// The blend of a predicate and data of these sizes.
pub(crate) fn blend(predicate: u32, data: u32, level: Level) -> RowFn {
    fn of<M: Copy + PartialEq + Default>(data: u32, level: Level) -> RowFn {
        match data {
            1 => body_at::<Blend<M, u8>>(level),
            2 => body_at::<Blend<M, u16>>(level),
            4 => body_at::<Blend<M, u32>>(level),
            _ => body_at::<Blend<M, u64>>(level),
        }
    }
    match predicate {
        1 => of::<u8>(data, level),
        2 => of::<u16>(data, level),
        4 => of::<u32>(data, level),
        _ => of::<u64>(data, level),
    }
}
