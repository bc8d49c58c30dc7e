//! The machine behind the words: State Buffer, registers, semaphores, kernel table, eight cores, and the `reference`
//! executor.
//!
//! A [`Machine`] executes one typed word after the other: judge, wait, dispatch, walk, compute, update. [`arrays`] turns
//! whole arrays into words and back.
//!
//! | module | owns |
//! |---|---|
//! | [`state_buffer`], [`memory`], [`ranges`] | SBUF and PSUM, and which bytes were written |
//! | [`registers`], [`semaphores`] | what words name and do not hold |
//! | [`dispatch`], [`cores`] | which code runs a word, and which core which partition |
//! | [`walk`], [`job`], [`form`] | byte offsets of patterns; a word with everything looked up; the two ops of a scalar form |
//! | [`lower`], [`iss`], [`cost`] | bundle loops, the executor that runs them, what they cost |
//! | [`executor`] | the seam: what carries out a word, and what it says of itself |
//! | `kernel`, [`reference`](mod@reference) | one element; all elements, in walk order |
//! | [`machine`], [`fault`] | a word from judgement to update, and what can go wrong |
//! | [`arrays`] | whole arrays |
//!
//! **Invariants:** this crate parses no files, prints nothing, uses no threads and touches no floating-point number.
//! No input makes it panic, and a word that faults changes nothing.

pub mod arrays;
pub mod cores;
pub mod cost;
pub mod dispatch;
pub mod executor;
pub mod fault;
pub mod form;
pub mod iss;
pub mod job;
mod kernel;
mod log;
pub mod lower;
pub mod machine;
pub mod memory;
mod overlap;
pub mod ranges;
pub mod reference;
pub mod registers;
pub mod semaphores;
pub mod state_buffer;
pub mod walk;

pub use executor::{Certainty, Executor, Path, Reference};
pub use fault::{Fault, Operand, Warning};
pub use machine::{Executed, Machine};
pub use registers::Registers;
pub use semaphores::Semaphores;
pub use state_buffer::StateBuffer;
