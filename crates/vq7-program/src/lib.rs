//! Program text to words, placement and data, and a runner.
//!
//! A program names tensors, places them in the State Buffer, and computes on them, a word per line:
//!
//! ```text
//! target trn2
//! input p: uint64[128, 512] <- "p.npy"
//! const c32: uint32 = 32
//! hi = logical_shift_right(p, c32)
//! output hi -> "hi.npy"
//! ```
//!
//! Canonical word lines ([`vq7_isa::text`]) may stand beside statements, so that a disassembled stream is a program too.
//! [`assemble`] reports everything that is wrong with byte spans; it does no I/O.

mod data;
mod diagnostic;
mod instruction;
mod lexer;
mod lower;
mod opcodes;
mod parser;
mod place;
mod program;
mod run;
mod syntax;
mod view;

pub use data::Array;
pub use diagnostic::{Diagnostic, Span, line_and_column};
pub use opcodes::read_opcodes;
pub use program::{Binding, Check, Program, Step, Tensor};
pub use run::{CheckOutcome, Observer, RunError, RunOutcome, Unwritten, run};

use vq7_isa::Generation;
use vq7_isa::text::Lines;
use vq7_policy::{Knob, Policy};

/// What the caller chooses.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The target that the caller insists on; it wins over the program's `target` line.
    pub target: Option<Generation>,
    /// The target where neither says one.
    pub default_target: Generation,
    /// Open questions; the program's `policy` lines are set on top.
    pub policy: Policy,
    /// Knobs that the caller insists on; the program's `policy` lines do not change them.
    pub insisted: &'a [Knob],
    /// Canonical word lines, with the user's own opcode rows or without.
    pub lines: Lines<'a>,
}

/// Reads a program.
///
/// # Errors
/// Everything that is wrong with it, in the order of the source.
pub fn assemble(source: &str, options: &Options<'_>) -> Result<Program, Vec<Diagnostic>> {
    let (statements, findings, policy) = parser::parse(source, options);
    if !findings.is_empty() {
        return Err(findings);
    }
    let program = Program {
        generation: options.target.unwrap_or(options.default_target),
        names_target: false,
        engine: None,
        policy,
        tensors: Vec::new(),
        steps: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        checks: Vec::new(),
    };
    lower::Lowering::run(&statements, options, program)
}
