//! The 32-bit word of a slot: a selector, which says the op, and windows, which hold its operands.
//!
//! The windows are those of ALU slots. Selectors belong to one op in one slot; no rule connects the slots.

use crate::bundle::{Arg, Op};
use crate::mnemonic::{self, Mnemonic, Role};
use crate::timing::Bank;
use vq7_num::leaf::Grounds;

/// Bits of a slot word that hold an operand, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window(pub &'static [u8]);

impl Window {
    /// First source.
    pub const A: Self = Self(&[10, 11, 12, 13, 14]);
    /// Destination of the ALU ops, a source of the selections.
    pub const B: Self = Self(&[1, 2, 3, 8, 9]);
    /// Second or only source.
    pub const C: Self = Self(&[0, 4, 5, 6, 7]);
    /// Destination of the selections.
    pub const D: Self = Self(&[15, 16, 17, 18, 19]);
    /// Their second destination.
    pub const E: Self = Self(&[20, 21, 22, 23, 24]);
    /// Predicate of the merging ALU ops.
    pub const GUARD: Self = Self(&[15, 16, 17, 18]);
    /// Predicate that a compare writes, and of the ops with result and flag.
    pub const FLAG: Self = Self(&[19, 20, 21, 22]);
    /// Predicate of the merging selections.
    pub const SELECT_GUARD: Self = Self(&[25, 26, 27, 28]);
    /// A constant of 2 bits.
    pub const IMM2: Self = Self(&[10, 11]);
    /// A constant of 3 bits.
    pub const IMM3: Self = Self(&[10, 11, 12]);
    /// A constant of 4 bits.
    pub const IMM4: Self = Self(&[10, 11, 12, 13]);
    /// A constant of 5 bits.
    pub const IMM5: Self = Self(&[10, 11, 12, 13, 14]);
    /// The constant of the immediate selections.
    pub const ISEL: Self = Self(&[10, 11, 12, 13, 14, 20, 21]);

    /// The value in a word.
    #[must_use]
    pub fn get(self, word: u32) -> u32 {
        self.0.iter().zip(0..).fold(0, |value, (&at, bit)| value | (word >> at & 1) << bit)
    }

    /// A word with nothing but the value; `None` if it does not fit.
    #[must_use]
    pub fn put(self, value: u32) -> Option<u32> {
        if u64::from(value) >> self.0.len() != 0 {
            return None;
        }
        Some(self.0.iter().zip(0..).fold(0, |word, (&at, bit)| word | (value >> bit & 1) << at))
    }

    /// All its bits.
    #[must_use]
    pub fn mask(self) -> u32 {
        self.0.iter().fold(0, |word, &at| word | 1 << at)
    }
}

/// Puts operands into their windows.
///
/// # Errors
/// The number of the operand that does not fit.
pub fn fill(selector: u32, windows: &[Window], values: impl Iterator<Item = Option<u32>>) -> Result<u32, usize> {
    let mut word = selector;
    for (index, (window, value)) in windows.iter().zip(values).enumerate() {
        word |= value.and_then(|value| window.put(value)).ok_or(index)?;
    }
    Ok(word)
}

/// The number in an operand: that of its register, or the constant.
#[must_use]
pub fn number(arg: &Arg) -> Option<u32> {
    match arg {
        Arg::Reg(cell) => Some(cell.reg().into()),
        Arg::Imm(value) => u32::try_from(*value).ok(),
        Arg::Label(_) => None,
    }
}

/// A word of F0's slot 3, from an op.
///
/// # Errors
/// Why there is none, in words: no selector is published, or not where its operands lie.
pub fn encode(op: &Op) -> Result<u32, String> {
    let windows = windows(op.mnemonic).ok_or_else(|| {
        format!(
            "where the operands of {} lie in F0's slot 3 is not settled, or it is not an op of that slot",
            op.mnemonic.text()
        )
    })?;
    let selector = op.mnemonic.selector.ok_or_else(|| format!("no selector of {} is printed", op.mnemonic.text()))?;
    let values = op.args().iter().map(number);
    fill(selector, &windows, values).map_err(|index| format!("operand {} does not fit its window", index + 1))
}

/// The op of a word of F0's slot 3, if the selectors know one.
#[must_use]
pub fn decode(word: u32) -> Option<Op> {
    mnemonic::all().find_map(|mnemonic| {
        let (selector, windows) = (mnemonic.selector?, windows(mnemonic)?);
        let operands = windows.iter().fold(0, |mask, window| mask | window.mask());
        if word & !operands != selector & !operands {
            return None;
        }
        let args: Option<Vec<Arg>> = mnemonic
            .operands
            .iter()
            .zip(&windows)
            .map(|(operand, window)| argument(operand.bank, operand.role, window.get(word)))
            .collect();
        Op::new(mnemonic, &args?).ok()
    })
}

/// An operand from the number in its window.
#[must_use]
pub fn argument(bank: Bank, role: Role, number: u32) -> Option<Arg> {
    match role {
        Role::Immediate { .. } => Some(Arg::Imm(number.into())),
        Role::Label => None,
        _ => bank.cell(u8::try_from(number).ok()?).map(Arg::Reg),
    }
}

/// Where the operands of an op lie in F0's slot 3, in the order of the text. None for ops of other slots, and for those
/// whose windows the source leaves open: the shifts by a constant and the normalisations.
#[must_use]
pub fn windows(mnemonic: &Mnemonic) -> Option<Vec<Window>> {
    use crate::placement::Placement as P;
    let banks: Vec<(Bank, bool)> = mnemonic
        .operands
        .iter()
        .map(|operand| (operand.bank, matches!(operand.role, Role::Def | Role::Update)))
        .collect();
    const VEC: Bank = Bank::Vec;
    const VB: Bank = Bank::Vbool;
    let alu = matches!(mnemonic.placement, P::Alu15 | P::Alu13 | P::Alu19 | P::Alu17 | P::Cmp21 | P::MulSign12);
    let select = matches!(mnemonic.placement, P::Select7 | P::DoubleSelect4);
    let has_immediate = mnemonic.operands.iter().any(|operand| matches!(operand.role, Role::Immediate { .. }));
    // The selectors of the float ops are those of F1, whose windows are not printed.
    let is_float = mnemonic.name.contains("XF");
    if has_immediate || is_float || mnemonic.grounds == Grounds::Unknown {
        return None;
    }
    let list: &[Window] = match (alu, select, &banks[..]) {
        (true, _, [(VEC, true), (VEC, _), (VEC, _)]) => &[Window::B, Window::A, Window::C],
        (true, _, [(VEC, true), (VEC, _)]) => &[Window::B, Window::C],
        (true, _, [(VEC, true), (VEC, _), (VEC, _), (VB, _)]) => &[Window::B, Window::A, Window::C, Window::GUARD],
        (true, _, [(VEC, true), (VEC, _), (VB, _)]) => &[Window::B, Window::C, Window::GUARD],
        (true, _, [(VB, true), (VEC, _), (VEC, _)]) => &[Window::FLAG, Window::A, Window::C],
        (true, _, [(VEC, true), (VB, true), (VEC, _), (VEC, _)]) => &[Window::B, Window::FLAG, Window::A, Window::C],
        (true, _, [(VEC, true), (VB, true), (VEC, _)]) => &[Window::B, Window::FLAG, Window::C],
        (_, true, [(VEC, true), (VEC, false), (VEC, _), (VEC, _)]) => &[Window::D, Window::B, Window::C, Window::A],
        (_, true, [(VEC, true), (VEC, false), (VEC, _), (VEC, _), (VB, _)]) => {
            &[Window::D, Window::B, Window::C, Window::A, Window::SELECT_GUARD]
        }
        (_, true, [(VEC, true), (VEC, false), (VEC, _)]) => &[Window::D, Window::C, Window::A],
        (_, true, [(VEC, true), (VEC, true), (VEC, _), (VEC, _), (VEC, _)]) => {
            &[Window::E, Window::D, Window::B, Window::C, Window::A]
        }
        (_, true, [(VEC, true), (VEC, true), (VEC, _), (VEC, _), (VEC, _), (VB, _)]) => {
            &[Window::E, Window::D, Window::B, Window::C, Window::A, Window::SELECT_GUARD]
        }
        _ => return None,
    };
    Some(list.to_vec())
}
