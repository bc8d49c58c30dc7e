//! N0, 64 bits: a load-store slot, two slots for nops, and an ALU slot.
//!
//! Operand fields and format bits are published. The order of the bits inside two of the fields and the places of the opcode's
//! bits are fitted to 54 printed bundles; registers above v7 were in none of them (docs/spec/iss-encoding.md, "N0").

use super::bits::{Field, gather, scatter};
use super::slot_word::{Window, argument, fill, number};
use super::{Content, EncodeError, Trust};
use crate::bundle::{Bundle, Op};
use crate::mnemonic;
use crate::timing::Bank;

/// Bits 3 to 0; bits 24 and 27 are clear.
const FORMAT: u64 = 0xF;
/// Slot 0, its word's lowest bit first.
const S0: Field = &[8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15, 21, 33, 34, 50, 51, 52, 53, 54, 55, 56, 57, 62];
/// Slots 1 and 2, whose nop is 0.
const S1: Field = &[58];
const S2: Field = &[59];
/// Slot 3.
const S3: Field = &[
    35, 22, 23, 25, 29, 30, 31, 32, 26, 28, 16, 17, 18, 19, 20, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49,
    60, 61, 63,
];
/// The nop of slot 0.
const NOP: u32 = 0x4A_0425;
/// `addi t, s, constant` in slot 0.
const ADDI: u32 = 0x24_0000;
const ADDI_T: Window = Window(&[4, 5, 6, 7]);
const ADDI_S: Window = Window(&[0, 1, 2, 3]);
const ADDI_CONSTANT: Window = Window(&[8, 9, 10, 11, 12, 13, 14, 15]);

/// Where the operands lie, in the order of the text.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Alu,
    One,
    Amount,
    Imm3,
    Imm4,
    Imm5,
    Select,
    Shuffle,
    SelectGuarded,
    SelectImmediate,
    Double,
    DoubleImmediate,
    FromA,
}

impl Shape {
    const fn windows(self) -> &'static [Window] {
        match self {
            Self::Alu => &[Window::B, Window::A, Window::C],
            Self::One => &[Window::B, Window::C],
            Self::Amount => &[Window::B, Window::C, Window::A],
            Self::Imm3 => &[Window::B, Window::C, Window::IMM3],
            Self::Imm4 => &[Window::B, Window::C, Window::IMM4],
            Self::Imm5 => &[Window::B, Window::C, Window::IMM5],
            Self::Select => &[Window::D, Window::B, Window::C, Window::A],
            Self::Shuffle => &[Window::D, Window::C, Window::A],
            Self::SelectGuarded => &[Window::D, Window::B, Window::C, Window::A, Window::SELECT_GUARD],
            Self::SelectImmediate => &[Window::D, Window::B, Window::C, Window::ISEL],
            Self::Double => &[Window::E, Window::D, Window::B, Window::C, Window::A],
            Self::DoubleImmediate => &[Window::E, Window::D, Window::B, Window::C, Window::IMM2],
            Self::FromA => &[Window::B, Window::A],
        }
    }

    fn operands(self) -> u32 {
        self.windows().iter().fold(0, |mask, window| mask | window.mask())
    }

    /// What the operand at a place of the text is called before its number.
    const fn prefix(self, index: usize) -> &'static str {
        match (self, index) {
            (Self::Imm3 | Self::Imm4 | Self::Imm5, 2) => "",
            (Self::SelectImmediate, 3) | (Self::DoubleImmediate, 4) => "",
            (Self::SelectGuarded, 4) => "vb",
            _ => "v",
        }
    }
}

/// An op of slot 3.
struct Row {
    name: &'static str,
    selector: u32,
    shape: Shape,
}

impl Row {
    fn fill(&self, values: impl Iterator<Item = Option<u32>>) -> Result<u32, usize> {
        fill(self.selector & !self.shape.operands(), self.shape.windows(), values)
    }
}

macro_rules! rows {
    ($($name:literal $selector:literal $shape:ident;)*) => {
        const ROWS: &[Row] = &[$(Row { name: $name, selector: $selector, shape: Shape::$shape }),*];
    };
}

// Name, selector of slot 3, shape.
#[rustfmt::skip]
rows! {
    "ADDNX16"            0x6c480000 Alu;
    "ADD2NX8"            0x6a480000 Alu;
    "ADDN_2X32"          0x6e480000 Alu;
    "ADDSNX16"           0x60500000 Alu;
    "SUBNX16"            0x76388000 Alu;
    "ABSNX16"            0x7434cc00 One;
    "NEGNX16"            0x743bd800 One;
    "MINNX16"            0x723b8000 Alu;
    "MINUNX16"           0x723e0000 Alu;
    "MAXNX16"            0x6c580000 Alu;
    "MAXUNX16"           0x72390000 Alu;
    "AND2NX8"            0x60580000 Alu;
    "OR2NX8"             0x76380000 Alu;
    "XOR2NX8"            0x76318000 Alu;
    "NOT2NX8"            0x743bec00 One;
    "SLLNX16"            0x763d0000 Amount;
    "SLLINX16"           0x66704000 Imm4;
    "SRLNX16"            0x76378000 Amount;
    "SRLINX16"           0x74384000 Imm4;
    "SRANX16"            0x763e8000 Amount;
    "SRAINX16"           0x66784000 Imm4;
    "ROTRNX16"           0x76340000 Amount;
    "ROTRINX16"          0x66700000 Imm4;
    "NSANX16"            0x743bf800 One;
    "NSAUNX16"           0x6a680000 One;
    "NSAN_2X32"          0x743bfc00 One;
    "SLLN_2X32"          0x76358000 Amount;
    "SLLIN_2X32"         0x76350000 Imm5;
    "SLLI2NX8"           0x743ae000 Imm3;
    "ROTRI2NX8"          0x743ac000 Imm3;
    "SELNX16"            0x46900000 Select;
    "SHFLNX16"           0x6680020a Shuffle;
    "DSELNX16"           0x40000000 Double;
    "SEL2NX8I"           0x46400000 SelectImmediate;
    "SELNX16T"           0x60100000 SelectGuarded;
    "DSEL2NX8I_H"        0x44004000 DoubleImmediate;
    "SUBSNX16"           0x76390000 Alu;
    "AVGNX16"            0x62580000 Alu;
    "AVGRNX16"           0x64580000 Alu;
    "ABSSUBNX16"         0x64480000 Alu;
    "ABSSUBUNX16"        0x68480000 Alu;
    "CVTF32F16"          0x60b90070 FromA;
}

/// The names of the ops that slot 3 is known to host.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// The slots of a bundle.
pub(super) fn decode(bundle: u64) -> Vec<Content> {
    let none = |field: Field| if gather(bundle, field) == 0 { Content::Nop } else { Content::Unknown(Some(1)) };
    vec![slot0(gather(bundle, S0)), none(S1), none(S2), slot3(gather(bundle, S3))]
}

fn slot0(word: u32) -> Content {
    if word == NOP {
        return Content::Nop;
    }
    let operands = ADDI_T.mask() | ADDI_S.mask() | ADDI_CONSTANT.mask();
    if word & !operands != ADDI {
        return Content::Unknown(Some(word));
    }
    let constant = ADDI_CONSTANT.get(word) as u8 as i8;
    Content::Op {
        text: format!("addi a{}, a{}, {constant}", ADDI_T.get(word), ADDI_S.get(word)),
        op: mnemonic::find("ADDI").and_then(|row| {
            let register = |window: Window| Bank::Ar.cell(window.get(word) as u8).map(crate::bundle::Arg::Reg);
            Op::new(row, &[register(ADDI_T)?, register(ADDI_S)?, crate::bundle::Arg::Imm(constant.into())]).ok()
        }),
        trust: Trust::Published,
    }
}

fn slot3(word: u32) -> Content {
    let Some(row) = ROWS.iter().find(|row| word & !row.shape.operands() == row.selector & !row.shape.operands()) else {
        return Content::Unknown(Some(word));
    };
    // Constants of the selector that lie in a window belong to it as well.
    let numbers: Vec<u32> = row.shape.windows().iter().map(|window| window.get(word)).collect();
    let operands = numbers.iter().enumerate().map(|(index, number)| format!("{}{number}", row.shape.prefix(index)));
    let text = format!("ivp_{} {}", row.name.to_ascii_lowercase(), operands.collect::<Vec<_>>().join(", "));
    let op = mnemonic::find(row.name).and_then(|mnemonic| {
        let args: Option<Vec<_>> = mnemonic
            .operands
            .iter()
            .zip(&numbers)
            .map(|(operand, &number)| argument(operand.bank, operand.role, number))
            .collect();
        Op::new(mnemonic, &args?).ok()
    });
    Content::Op { text, op, trust: Trust::Fitted }
}

/// The word of a bundle: an op in slot 3, and a nop or `addi` in slot 0.
pub(super) fn encode(bundle: &Bundle) -> Result<u64, EncodeError> {
    let (mut slot0, mut slot3) = (NOP, None);
    for (slot, op) in bundle.ops() {
        let text = op.to_string();
        let unknown = EncodeError::Selector { op: text.clone(), format: "N0", slot: *slot };
        let values = op.args().iter().map(number);
        match slot {
            _ if op.mnemonic.name == "NOP" => {}
            0 if op.mnemonic.name == "ADDI" => {
                let values = op.args().iter().map(|arg| match arg {
                    crate::bundle::Arg::Imm(value) => i8::try_from(*value).ok().map(|value| u32::from(value as u8)),
                    register => number(register),
                });
                slot0 = fill(ADDI, &[ADDI_T, ADDI_S, ADDI_CONSTANT], values)
                    .map_err(|index| EncodeError::Operand { op: text, index })?;
            }
            3 => {
                let row = ROWS.iter().find(|row| row.name == op.mnemonic.name).ok_or(unknown)?;
                slot3 = Some(row.fill(values).map_err(|index| EncodeError::Operand { op: text, index })?);
            }
            _ => return Err(unknown),
        }
    }
    // The word of slot 3's nop is not published.
    let slot3 = slot3.ok_or_else(|| EncodeError::Selector { op: "nop".to_owned(), format: "N0", slot: 3 })?;
    Ok(whole(slot0, slot3))
}

fn whole(slot0: u32, slot3: u32) -> u64 {
    FORMAT | scatter(slot0, S0) | scatter(slot3, S3)
}

/// The bundle of one op alone in slot 3, by its name and the numbers of its operands in the order of the text: also for the
/// ops that are known by a printed bundle only and have no row of their own.
#[must_use]
pub fn lone(name: &str, operands: &[u32]) -> Option<u64> {
    let row = ROWS.iter().find(|row| row.name == name)?;
    if operands.len() != row.shape.windows().len() {
        return None;
    }
    Some(whole(NOP, row.fill(operands.iter().copied().map(Some)).ok()?))
}
