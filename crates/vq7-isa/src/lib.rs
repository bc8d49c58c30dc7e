//! What the bits of a 64-byte TPB instruction word mean.
//!
//! **Invariants:** this crate executes nothing, touches no floating-point number and does no I/O.

pub mod alu_op;
pub mod dtype;
pub mod generation;

pub use alu_op::AluOp;
pub use dtype::Dtype;
pub use generation::Generation;
