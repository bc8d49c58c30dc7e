//! Stores that pass the caches by: for words that move more than the caches hold, and for the ceiling probe.
//!
//! A store fills a whole line of the cache where the level has registers of that size: with four stores for a line the
//! same copy moves a quarter less (`vq7 bench`).

use crate::body::{Body, Params, RowFn, body_at};
use crate::level::Level;
use std::marker::PhantomData;

/// A register's worth of bytes, and how it is stored past the caches.
///
/// # Safety
/// All methods: the CPU has the level, pointers are good for as many bytes, and `store` gets an aligned one.
trait Lines {
    type Register: Copy;
    unsafe fn load(from: *const u8) -> Self::Register;
    unsafe fn xor(a: Self::Register, b: Self::Register) -> Self::Register;
    unsafe fn store(to: *mut u8, value: Self::Register);
}

#[cfg(target_arch = "x86_64")]
macro_rules! lines {
    ($name:ident, $register:ty, $load:ident, $xor:ident, $store:ident) => {
        struct $name;
        impl Lines for $name {
            type Register = $register;
            #[inline(always)]
            unsafe fn load(from: *const u8) -> $register {
                // SAFETY: the caller's promise.
                unsafe { std::arch::x86_64::$load(from.cast()) }
            }
            #[inline(always)]
            unsafe fn xor(a: $register, b: $register) -> $register {
                // SAFETY: the caller has the level.
                unsafe { std::arch::x86_64::$xor(a, b) }
            }
            #[inline(always)]
            unsafe fn store(to: *mut u8, value: $register) {
                // SAFETY: the caller's promise; `to` is aligned.
                unsafe { std::arch::x86_64::$store(to.cast(), value) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
lines!(Line16, std::arch::x86_64::__m128i, _mm_loadu_si128, _mm_xor_si128, _mm_stream_si128);
#[cfg(target_arch = "x86_64")]
lines!(Line32, std::arch::x86_64::__m256i, _mm256_loadu_si256, _mm256_xor_si256, _mm256_stream_si256);
#[cfg(target_arch = "x86_64")]
lines!(Line64, std::arch::x86_64::__m512i, _mm512_loadu_si512, _mm512_xor_si512, _mm512_stream_si512);

/// Where no such stores are known: ordinary ones.
#[cfg(not(target_arch = "x86_64"))]
struct Line16;

#[cfg(not(target_arch = "x86_64"))]
impl Lines for Line16 {
    type Register = [u8; 16];
    #[inline(always)]
    unsafe fn load(from: *const u8) -> [u8; 16] {
        // SAFETY: the caller's promise.
        unsafe { from.cast::<[u8; 16]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn xor(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
    }
    #[inline(always)]
    unsafe fn store(to: *mut u8, value: [u8; 16]) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[u8; 16]>().write_unaligned(value) }
    }
}

/// `n` bytes of the first operand; `XOR`: exclusive or with those of the second.
struct Stream<L, const XOR: bool>(PhantomData<L>);

impl<L: Lines, const XOR: bool> Body for Stream<L, XOR> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, n: usize, _: &Params) {
        const LINE: usize = 64;
        let size = size_of::<L::Register>();
        let head = dst.align_offset(LINE).min(n);
        // SAFETY: the caller promises n bytes of each and a CPU of the level; all offsets are below n, and from `head`
        // on `dst` is aligned.
        unsafe {
            let byte = |i: usize| *dst.add(i) = if XOR { *a.add(i) ^ *b.add(i) } else { *a.add(i) };
            (0..head).for_each(byte);
            let mut i = head;
            while i + LINE <= n {
                let mut part = 0;
                while part < LINE {
                    let at = i + part;
                    let value = L::load(a.add(at));
                    L::store(dst.add(at), if XOR { L::xor(value, L::load(b.add(at))) } else { value });
                    part += size;
                }
                i += LINE;
            }
            (i..n).for_each(byte);
        }
    }
}

/// Streamed stores are ordered with nothing else until this. It waits for all of them, so that a fence after each block
/// makes them four times slower: one after each row.
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of every x86-64.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Asks for the line of the caches that a byte lies in. Any address will do.
#[inline(always)]
pub(crate) fn announce(byte: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of every x86-64, and a prefetch of any address has no effect but on the caches.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(byte.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = byte;
}

fn at<const XOR: bool>(level: Level) -> RowFn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => body_at::<Stream<Line64, XOR>>(level),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => body_at::<Stream<Line32, XOR>>(level),
        _ => body_at::<Stream<Line16, XOR>>(level),
    }
}

/// The kernel that copies bytes past the caches; its count is in bytes.
pub(crate) fn copy(level: Level) -> RowFn {
    at::<false>(level)
}

/// The ceiling probe's kernel; its count is in bytes.
pub(crate) fn xor(level: Level) -> RowFn {
    at::<true>(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_and_alignment_on_every_level() {
        let a: Vec<u8> = (0..400).map(|i| (i * 7) as u8).collect();
        let b: Vec<u8> = (0..400).map(|i| (i * 13 + 5) as u8).collect();
        for level in Level::available() {
            for (first, length) in (0..70).flat_map(|first| [0, 1, 63, 64, 65, 130, 200].map(|n| (first, n))) {
                for (kernel, is_xor) in [(copy(level), false), (xor(level), true)] {
                    let mut out = vec![0xEEu8; 400];
                    // SAFETY: first + length is below the length of each.
                    unsafe {
                        let (a, b) = (a.as_ptr().add(3), b.as_ptr().add(1));
                        kernel(out.as_mut_ptr().add(first), a, b, length, &Params::default());
                    }
                    let right = (0..400).all(|i| {
                        let inside = (first..first + length).contains(&i);
                        let (x, y) = (a.get(3 + i - first.min(i)), b.get(1 + i - first.min(i)));
                        match (x, y) {
                            (Some(x), Some(y)) if inside => out.get(i) == Some(&(if is_xor { x ^ y } else { *x })),
                            _ => inside || out.get(i) == Some(&0xEE),
                        }
                    });
                    assert!(right, "{level} from {first}, {length} bytes, xor {is_xor}");
                }
            }
        }
    }
}
