//! The `fast` executor: whole rows through vector lanes, channels on threads, the same bytes as the reference.
//!
//! | module | owns |
//! |---|---|
//! | [`executor`] | a word from the machine to its channels, and what is said of it |
//! | [`direct`] | whole operands where they lie, without words |
//! | [`level`] | which CPU level runs |
//! | `select` | the kernels of a word: op, dtypes and policy to functions |
//! | `layout`, `rows`, `strided`, `stream` | operands in memory; a channel block by block; elements that lie apart; stores past the caches |
//! | `body` | one element's function to a row's, compiled per CPU level |
//! | `avx512`, `f8` | the hot ops of small floats by hand |
//! | [`mod@bench`] | how fast words run, against what the memory lets through |
//! | `formats`, `hub_ops`, `int_ops`, `pow` | the elements' functions |
//!
//! **Invariants:** nothing here says what a result is: `vq7_num` does, and `tests/` holds every kernel of every level
//! against it. What has no kernel goes to the reference, and the path says why. This is the one library that uses
//! `unsafe` and the one below the surfaces that starts threads; it does no I/O and reads no environment.

#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod bench;
mod body;
mod composed;
pub mod direct;
pub mod executor;
#[cfg(target_arch = "x86_64")]
mod f8;
mod formats;
mod hub_ops;
mod int_ops;
mod layout;
pub mod level;
mod pow;
mod rows;
mod select;
mod stream;
mod strided;

pub use direct::{Direct, View};
pub use executor::Fast;
pub use level::{Level, LevelError};
