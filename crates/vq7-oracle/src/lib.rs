//! Judges of vq7's numbers that share no code with them, and the cases that they judge.
//!
//! | module | owns |
//! |---|---|
//! | [`verdict`] | an answer, what a judge expects, what it leaves open and why |
//! | [`formats`] | each floating-point dtype as `rustc_apfloat` sees it |
//! | [`apfloat`] | the base band by `rustc_apfloat` |
//! | [`softfloat`] | the base band by Berkeley SoftFloat (feature `softfloat`) |
//! | [`core_math`] | POW and RSQRT by CORE-MATH (feature `core-math`) |
//! | [`integers`] | the integer band, bitwise ops and shifts by plain definitions on 128-bit integers |
//! | [`judge`] | which judge takes which op and dtypes |
//! | [`cases`] | numbered cases with names: every pair, or weighted ones |
//! | [`weighted`] | the elements of weighted cases |
//! | [`mod@sweep`] | one stretch of cases, judged |
//!
//! **Invariants:** nothing here depends on `vq7-num`: what is judged comes in as a closure over bits. A case is computed
//! from its number alone. No I/O, no threads, no host floats. What is in C is reached through `vq7-oracle-c`.

pub mod apfloat;
pub mod cases;
pub mod core_math;
pub mod formats;
pub mod integers;
pub mod judge;
pub mod softfloat;
pub mod sweep;
pub mod verdict;
pub mod weighted;

pub use cases::{Case, Coverage, Level, Question, Space};
pub use judge::{Judge, NotJudged, Oracle};
pub use sweep::{Mismatch, Stretch, sweep};
pub use verdict::{Answer, Bits, Expected, Mask, Masks, Verdict, flag};
