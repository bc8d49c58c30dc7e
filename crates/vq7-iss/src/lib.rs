//! The cycle-accurate core of the Vision-Q7: it decodes, times, interlocks and steps, and computes no lane value.
//!
//! | module | owns |
//! |---|---|
//! | [`format`](mod@format), [`placement`] | bundle formats, their slots, and which slots host what |
//! | [`mnemonic`] | one row per mnemonic |
//! | [`bundle`] | ops with operands, and whether they can share a bundle |
//! | [`text`] | programs of bundles as text |
//! | [`timing`] | when bundles issue and who waits for whom: two engines that share no stall code |
//! | [`work`] | a program made ready to run |
//! | [`pipeline`] | the core, cycle by cycle |
//! | [`oracle`] | who answers for values; by default the leaves of `vq7-num` |
//! | [`state`], [`mod@line`], [`memory`] | register files, their views, the data memory |
//! | [`event`], [`trace`] | what happens in the core, and the pictures made of it |
//!
//! **Invariants:** values have no say in timing; the core asks the oracle and does no arithmetic on lanes; a cycle allocates
//! nothing. Rules and confidence: `docs/spec/iss-timing.md`.

pub mod bundle;
pub mod event;
pub mod format;
pub mod line;
pub mod memory;
pub mod mnemonic;
pub mod oracle;
pub mod pipeline;
pub mod placement;
pub mod state;
pub mod text;
pub mod timing;
pub mod trace;
pub mod work;
