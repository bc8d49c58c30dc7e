//! Safe doors to judges that are written in C: bits in, bits and flags out.
//!
//! | module | feature | owns |
//! |---|---|---|
//! | `softfloat` | `softfloat` | Berkeley SoftFloat 3 |
//! | `transcendental` | `core-math` | the correctly rounded functions of CORE-MATH |
//!
//! **Invariants:** this is the one crate that calls C, and `unsafe` stands in `softfloat` alone. It depends on no other
//! crate of the project and decides nothing: which op is which function, `vq7-oracle` says.

#[cfg(feature = "softfloat")]
pub mod softfloat;
#[cfg(feature = "core-math")]
pub mod transcendental;
