//! What the bits of a 64-byte TPB instruction word mean.
//!
//! [`Word`] is 64 bytes; [`Instruction`] is the same word typed by its wire struct; [`legality`] judges it; [`text`] prints
//! and reads it. Tables ([`AluOp`], [`Dtype`], [`opcode::OPCODES`], [`Generation`]) hold one row per thing, and
//! everything else is derived from the rows.
//!
//! **Invariants:** this crate executes nothing, touches no floating-point number and does no I/O.

pub mod address;
pub mod alu_op;
pub mod dtype;
pub mod generation;
pub mod header;
pub mod inst;
pub mod legality;
pub mod opcode;
pub mod pattern;
pub mod spelling;
pub mod text;
pub mod word;

pub use alu_op::AluOp;
pub use dtype::Dtype;
pub use generation::Generation;
pub use inst::Instruction;
pub use word::Word;
