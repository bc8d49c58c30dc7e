//! Every question about the engine that no source settles, in one place.
//!
//! A [`Policy`] is a plain value with one field per [`Knob`]. Whoever computes takes the policy as an argument and
//! asks it; no other module decides an open question. What is open but has no alternative worth offering is a
//! [`Settled`] fact: it carries a confidence and a reason like a knob, and cannot be switched.
//!
//! **Invariant:** this crate depends on nothing.

mod confidence;
mod knobs;
mod settled;

pub use confidence::Confidence;
pub use knobs::{
    AbsMinMax, AbsMinMaxInt, BaseInt, E4m3, FloatToInt, Fp8Overflow, Fp32r, IntDivZero, IntNarrow, Knob, MinMaxNan,
    ModSign, NanToInt, Policy, PolicyError, PowInt, Round, ShiftOver, StartPartition,
};
pub use settled::Settled;
