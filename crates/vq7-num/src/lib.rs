//! What the numbers of the Vision-Q7 tensor-tensor engine mean.
//!
//! Patterns go in, patterns and flags come out: [`Lane::evaluate`] is the result of every ALU op on one element,
//! [`to_hub`] and [`from_hub`] convert, [`format_value`] and [`parse_value`] print and read. What the sources leave open
//! is asked of a [`vq7_policy::Policy`], and [`Lane::basis_of`] says which questions a result rests on.
//!
//! | module | owns |
//! |---|---|
//! | [`mod@format`] | one row per floating-point format |
//! | `unpacked` | a number taken apart; rounding into a format, the only place that rounds |
//! | `soft_float` | float32 add, subtract, multiply, divide, compare |
//! | `extremes` | float32 maximum and minimum in their variants |
//! | `transcendental` | POW and RSQRT |
//! | [`convert`] | any dtype to float32 and back |
//! | `base` | the base band: to float32, the op, to the out dtype |
//! | `integer`, `int_ops` | the integer band; up to 32 bits and mixed widths on exact integers |
//! | [`halves`] | 64-bit integers from two 32-bit halves |
//! | `bitvec`, `shift` | bit patterns, shift counts |
//! | [`reduce`] | AMAX, AMIN, CRC32 |
//! | [`batch_norm`] | BATCH_NORM_BACK_PROP |
//! | [`lane`] | one element of one op: the door to all of the above |
//! | [`basis`], [`flags`] | what a result rests on; what it raised |
//! | `probes` | operands that reach every rule |
//! | [`value`], `decimal`, `big` | printing and reading elements |
//!
//! **Invariants:** integers only: no float arithmetic outside `transcendental`. No panic on any input. No module decides
//! an open question. Nothing here knows memory, instructions or threads.

mod base;
pub mod basis;
pub mod batch_norm;
mod big;
mod bitvec;
pub mod convert;
mod decimal;
mod extremes;
pub mod flags;
pub mod format;
pub mod halves;
mod int_ops;
mod integer;
pub mod lane;
pub mod leaf;
mod probes;
pub mod reduce;
mod shift;
mod soft_float;
mod transcendental;
mod unpacked;
pub mod value;

pub use basis::{Basis, Notes};
pub use batch_norm::{Coefficients, batch_norm_back_prop};
pub use convert::{from_hub, to_hub};
pub use flags::{Flagged, Flags};
pub use format::Format;
pub use lane::{Class, Lane, LaneError};
pub use value::{ValueError, format_value, parse_value};
