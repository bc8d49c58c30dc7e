//! The typed answers of vq7.
//!
//! Every answer is a plain value. It is serialised once (wrap it in an [`Envelope`]) and drawn as text once ([`Draw`]),
//! so that all surfaces say the same thing in the same words.
//!
//! | module | answers |
//! |---|---|
//! | [`check`], [`judged`] | is each word of a stream legal, and which rule says no |
//! | [`disasm`] | what each word reads as |
//! | [`explain_word`] | every field of a word, its walk, its events, its verdict everywhere |
//! | [`explain_op`] | one op on two elements, and what the result rests on |
//! | [`tt`] | one op on whole arrays: verdict, run, what float32 lost |
//! | [`run`] | a program or a stream of words, run |
//! | [`iss`] | bundles, run on the cycle-accurate core: cycles, stalls, registers |
//! | [`cost`], [`lower`](mod@lower) | cycles of words and what they rest on; the bundle loops behind them |
//! | [`asm`] | a program, assembled |
//! | [`leaf`] | one value leaf called; the roster of leaves |
//! | [`conform`] | a conformance kit, and results held against it |
//! | [`brute`], [`campaign`] | an op held against an oracle over many cases; many of them, in shards |
//! | [`neff`], [`neff_diff`] | what is in a package, its streams as text, judged, compared |
//! | [`semaphores`] | which word signals and which waits, across the streams of a package |
//! | [`ops`], [`dtypes`], [`opcodes`], [`policies`] | the tables |
//! | [`problem`], [`advice`] | what went wrong, and what to do about it |
//! | [`setting`] | what a question is asked under, which every answer repeats |
//!
//! **Invariants:** no I/O, and no answer asks who wants it: a [`Look`] says how text is to look.

pub mod advice;
pub mod asm;
pub mod bench;
pub mod brute;
pub mod campaign;
pub mod check;
pub mod conform;
pub mod cost;
pub mod disasm;
pub mod dtypes;
mod envelope;
pub mod events;
pub mod explain_op;
pub mod explain_word;
pub mod fields;
pub mod iss;
pub mod judged;
pub mod leaf;
mod look;
pub mod lower;
pub mod matrix;
pub mod named;
pub mod neff;
pub mod neff_diff;
pub mod neff_files;
pub mod opcodes;
pub mod ops;
pub mod path;
pub mod policies;
pub mod problem;
pub mod rests_on;
pub mod run;
pub mod semaphores;
pub mod setting;
pub mod template;
pub mod tt;
pub mod walk;

pub use envelope::{Envelope, SCHEMA_VERSION};
pub use look::{Draw, Look, Painted};
pub use setting::{Setting, TARGET_VARIABLE, TargetSource};
