//! Berkeley SoftFloat 3, with underflow detected after rounding, as the engine does.
//!
//! SoftFloat keeps rounding mode and flags in thread-local variables. Every call here sets the mode first, clears the
//! flags and reads them afterwards on the same thread, so that threads do not meet.

#![allow(unsafe_code, reason = "SoftFloat is C")]

use softfloat_sys as c;

/// How results are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// To nearest, ties to even.
    NearestEven = c::softfloat_round_near_even,
    /// Toward zero.
    Zero = c::softfloat_round_minMag,
    /// Toward negative infinity.
    Down = c::softfloat_round_min,
    /// Toward positive infinity.
    Up = c::softfloat_round_max,
}

/// A result with what it raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised<T> {
    /// The result.
    pub value: T,
    /// The flags of [`mod@flag`].
    pub flags: u8,
}

/// SoftFloat's flags.
pub mod flag {
    use softfloat_sys as c;

    /// An operation without a meaningful result.
    pub const INVALID: u8 = c::softfloat_flag_invalid;
    /// An infinity that is exact.
    pub const INFINITE: u8 = c::softfloat_flag_infinite;
    /// A rounded result above the largest finite value.
    pub const OVERFLOW: u8 = c::softfloat_flag_overflow;
    /// A result that is inexact and too small for full precision.
    pub const UNDERFLOW: u8 = c::softfloat_flag_underflow;
    /// A result that differs from the exact one.
    pub const INEXACT: u8 = c::softfloat_flag_inexact;
}

/// Runs one function of SoftFloat under a mode.
#[inline]
fn under<T>(mode: Mode, function: impl FnOnce() -> T) -> Raised<T> {
    // SAFETY: these write and read bytes that belong to the calling thread.
    unsafe {
        c::softfloat_detectTininess_write_helper(c::softfloat_tininess_afterRounding);
        c::softfloat_roundingMode_write_helper(mode as u8);
        c::softfloat_exceptionFlags_write_helper(0);
    }
    let value = function();
    // SAFETY: as above.
    let flags = unsafe { c::softfloat_exceptionFlags_read_helper() };
    Raised { value, flags }
}

const fn half(v: u16) -> c::float16_t {
    c::float16_t { v }
}

const fn single(v: u32) -> c::float32_t {
    c::float32_t { v }
}

/// Functions of two operands of one format.
macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident: $bits:ty, $wrap:ident, $function:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(a: $bits, b: $bits, mode: Mode) -> Raised<$bits> {
            // SAFETY: a function of two numbers that touches nothing but the thread's own flags.
            under(mode, || unsafe { c::$function($wrap(a), $wrap(b)).v })
        }
    )*};
}

binary! {
    /// a + b in float16.
    f16_add: u16, half, f16_add;
    /// a - b in float16.
    f16_sub: u16, half, f16_sub;
    /// a * b in float16.
    f16_mul: u16, half, f16_mul;
    /// a / b in float16.
    f16_div: u16, half, f16_div;
    /// a + b in float32.
    f32_add: u32, single, f32_add;
    /// a - b in float32.
    f32_sub: u32, single, f32_sub;
    /// a * b in float32.
    f32_mul: u32, single, f32_mul;
    /// a / b in float32.
    f32_div: u32, single, f32_div;
}

/// Comparisons of two operands of one format.
macro_rules! compare {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(a: u32, b: u32) -> Raised<bool> {
            // SAFETY: a function of two numbers that touches nothing but the thread's own flags.
            under(Mode::NearestEven, || unsafe { c::$name(single(a), single(b)) })
        }
    )*};
}

compare! {
    /// a == b; only a signalling NaN is invalid.
    f32_eq;
    /// a < b; any NaN is invalid.
    f32_lt;
    /// a <= b; any NaN is invalid.
    f32_le;
    /// a < b; only a signalling NaN is invalid.
    f32_lt_quiet;
}

/// Conversions that may round.
macro_rules! convert {
    ($($(#[$doc:meta])* $name:ident: $from:ty => $to:ty, $wrap:expr, $unwrap:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name(value: $from, mode: Mode) -> Raised<$to> {
            // SAFETY: a function of one number that touches nothing but the thread's own flags.
            under(mode, || $unwrap(unsafe { c::$name($wrap(value)) }))
        }
    )*};
}

convert! {
    /// float16 to float32.
    f16_to_f32: u16 => u32, half, |wide: c::float32_t| wide.v;
    /// float32 to float16.
    f32_to_f16: u32 => u16, single, |narrow: c::float16_t| narrow.v;
    /// float32 to bfloat16.
    f32_to_bf16: u32 => u16, single, |narrow: c::bfloat16_t| narrow.v;
    /// A signed integer to float32.
    i32_to_f32: i32 => u32, |number| number, |wide: c::float32_t| wide.v;
    /// An unsigned integer to float32.
    ui32_to_f32: u32 => u32, |number| number, |wide: c::float32_t| wide.v;
}

/// float32 to a signed integer, telling whether that is inexact. What does not fit is invalid, with a value of no meaning.
pub fn f32_to_i64(value: u32, mode: Mode) -> Raised<i64> {
    // SAFETY: a function of one number that touches nothing but the thread's own flags.
    under(mode, || unsafe { c::f32_to_i64(single(value), mode as u8, true) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_the_ones_they_are_named_after() {
        let bits = f32::to_bits;
        let even = Mode::NearestEven;
        assert_eq!(f32_add(bits(5.0), bits(3.0), even), Raised { value: bits(8.0), flags: 0 });
        assert_eq!(f32_sub(bits(5.0), bits(3.0), even).value, bits(2.0));
        assert_eq!(f32_mul(bits(5.0), bits(3.0), even).value, bits(15.0));
        assert_eq!(f32_div(bits(6.0), bits(0.0), even), Raised { value: bits(f32::INFINITY), flags: flag::INFINITE });
        assert_eq!(f16_add(0x3C00, 0x4000, even).value, 0x4200);
        assert_eq!(f16_mul(0x7BFF, 0x7BFF, even), Raised { value: 0x7C00, flags: flag::OVERFLOW | flag::INEXACT });
        assert_eq!(f16_mul(0x7BFF, 0x7BFF, Mode::Zero).value, 0x7BFF);
        assert!(f32_lt(bits(1.0), bits(2.0)).value && f32_le(bits(1.0), bits(1.0)).value);
        assert_eq!(f32_lt(bits(1.0), bits(f32::NAN)), Raised { value: false, flags: flag::INVALID });
        assert_eq!(f32_lt_quiet(bits(1.0), bits(f32::NAN)), Raised { value: false, flags: 0 });
        assert_eq!(f32_to_i64(bits(-2.5), even), Raised { value: -2, flags: flag::INEXACT });
        assert_eq!(f32_to_i64(bits(-2.5), Mode::Down).value, -3);
        assert_eq!(f32_to_i64(bits(2.5), Mode::Up).value, 3);
        assert_eq!(i32_to_f32(0x0100_0001, Mode::Up).value, bits(16_777_218.0));
        assert_eq!(f32_to_bf16(0x3F80_8001, even).value, 0x3F81);
    }

    /// Tiny after rounding, not before: 2^-14 - 2^-25 is 2^-14 in float16, and rounded to 11 bits without a lower end as well.
    #[test]
    fn underflow_is_detected_after_rounding() {
        let value = 0x387F_F000 + 0xF00;
        assert_eq!(f32_to_f16(value, Mode::NearestEven), Raised { value: 0x0400, flags: flag::INEXACT });
        assert_eq!(f32_to_f16(0x387F_C000 + 0xF00, Mode::NearestEven).flags, flag::INEXACT | flag::UNDERFLOW);
    }

    #[test]
    fn threads_keep_their_own_mode_and_flags() {
        std::thread::scope(|scope| {
            for (mode, value) in [(Mode::Up, 0x3F80_0001), (Mode::Down, 0x3F80_0000)] {
                scope.spawn(move || {
                    for _ in 0..100_000 {
                        let sum = f32_add(0x3F80_0000, 0x0000_0001, mode);
                        assert_eq!(sum, Raised { value, flags: flag::INEXACT });
                    }
                });
            }
        });
    }
}
