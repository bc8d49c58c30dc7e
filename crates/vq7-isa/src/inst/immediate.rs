//! Scalars of the scalar forms: where one comes from, and in which order it meets the tensor.
//! Source: docs/spec/scalar-forms.md.

use crate::generation::ADDRESS_REGISTERS;

/// Where a scalar comes from (IMM_SRC).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImmSrc {
    /// 0: the value is in the word.
    Instruction,
    /// 1: the word holds the address of one value per partition.
    Pointer,
    /// 2: the word names a register that holds such an address.
    Register,
}

impl ImmSrc {
    /// The source of a code; `None` outside the enum.
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Instruction),
            1 => Some(Self::Pointer),
            2 => Some(Self::Register),
            _ => None,
        }
    }

    /// The code.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// One of the two scalars of a word, as the word holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Immediate {
    /// Code of its [`ImmSrc`].
    pub src: u8,
    /// Value, address or register number, by the source.
    pub bits: u32,
}

impl Immediate {
    /// The register of a register immediate: below 64, the other three bytes zero.
    pub const fn register(&self) -> Option<u8> {
        let [number, ..] = self.bits.to_le_bytes();
        if self.bits == number as u32 && number < ADDRESS_REGISTERS { Some(number) } else { None }
    }
}

/// Which of the two ops have their operands exchanged (TENS_SCALAR_REV_OPS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reverse {
    /// `scalar op0 tensor`.
    pub first: bool,
    /// `second operand op1 result of op0`.
    pub second: bool,
}

impl Reverse {
    /// The order of a code: 0 none, 1 first, 2 second, 3 both; `None` outside the enum.
    pub const fn from_code(code: u8) -> Option<Self> {
        if code > 3 { None } else { Some(Self { first: code & 1 != 0, second: code & 2 != 0 }) }
    }

    /// The code.
    pub const fn code(self) -> u8 {
        self.first as u8 | (self.second as u8) << 1
    }
}
