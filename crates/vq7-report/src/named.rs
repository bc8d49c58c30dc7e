//! Names as answers print them.

use serde::Serialize;
use vq7_isa::text::Lines;
use vq7_isa::{AluOp, Instruction};

/// The name of a word's instruction, as its canonical line begins; `None` for an opcode that has no name.
pub fn instruction_name(instruction: &Instruction) -> Option<String> {
    Lines::default().name(&instruction.encode())
}

/// An op as asked for and as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedOp {
    /// The printed name.
    pub name: &'static str,
    /// The op byte.
    pub code: u8,
    /// What the caller wrote.
    pub asked: String,
}

impl NamedOp {
    /// An op and the name it was asked by.
    pub fn new(op: AluOp, asked: &str) -> Self {
        Self { name: op.name(), code: op.code(), asked: asked.to_owned() }
    }

    /// `add_int (0xc4)`, and what was asked for where that is another name.
    pub fn text(&self) -> String {
        let asked = self.asked.trim();
        match asked.eq_ignore_ascii_case(self.name) {
            true => format!("{} ({:#04x})", self.name, self.code),
            false => format!("{} ({:#04x}), asked for as `{asked}`", self.name, self.code),
        }
    }
}

/// A bit pattern with as many hex digits as its width has.
pub fn hex_bits(bits: u64, width: u32) -> String {
    format!("{bits:#0digits$x}", digits = 2 + width.div_ceil(4) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_have_the_digits_of_their_width() {
        assert_eq!((hex_bits(5, 8), hex_bits(5, 64)), ("0x05".into(), "0x0000000000000005".into()));
    }
}
