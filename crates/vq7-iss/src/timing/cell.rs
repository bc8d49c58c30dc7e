//! What a hazard can be about: a register of a file, or a control state.
//!
//! Both engines number every register and the two floating-point states in one flat range, so that a last writer is one
//! array access away.

use std::fmt;

/// A scope of the scoreboard: each has a reservation ring of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Bank {
    /// Scalar and address registers.
    Ar,
    /// Scalar booleans.
    Br,
    /// Vector registers.
    Vec,
    /// Vector booleans.
    Vbool,
    /// Alignment registers.
    Valign,
    /// Wide accumulators.
    Wvec,
    /// Packed predicates.
    Pr,
    /// Gather and scatter registers.
    Gvr,
    /// Floating-point control: rounding mode and enables.
    Fcr,
    /// Floating-point status: the sticky flags.
    Fsr,
}

/// Number of scopes.
pub const BANKS: usize = 10;

/// One row per scope.
struct Row {
    bank: Bank,
    /// First flat number.
    base: u8,
    /// Registers.
    entries: u8,
    /// Prefix in the assembly.
    prefix: &'static str,
    /// Whether the scope forwards a result one cycle before its definition stage is over (`docs/spec/iss-timing.md`, "The
    /// interlock").
    vector_side: bool,
    /// Ages that a consumer looks back over, in cycles.
    window: u8,
}

#[rustfmt::skip]
const ROWS: [Row; BANKS] = [
    Row { bank: Bank::Ar,     base: 0,   entries: 64, prefix: "a",   vector_side: false, window: 13 },
    Row { bank: Bank::Br,     base: 64,  entries: 16, prefix: "b",   vector_side: false, window: 13 },
    Row { bank: Bank::Vec,    base: 80,  entries: 32, prefix: "v",   vector_side: true,  window: 14 },
    Row { bank: Bank::Vbool,  base: 112, entries: 16, prefix: "vb",  vector_side: true,  window: 13 },
    Row { bank: Bank::Valign, base: 128, entries: 4,  prefix: "u",   vector_side: true,  window: 11 },
    Row { bank: Bank::Wvec,   base: 132, entries: 4,  prefix: "wv",  vector_side: true,  window: 13 },
    Row { bank: Bank::Pr,     base: 136, entries: 16, prefix: "pr",  vector_side: true,  window: 13 },
    Row { bank: Bank::Gvr,    base: 152, entries: 8,  prefix: "gr",  vector_side: true,  window: 11 },
    Row { bank: Bank::Fcr,    base: 160, entries: 1,  prefix: "fcr", vector_side: true,  window: 13 },
    Row { bank: Bank::Fsr,    base: 161, entries: 1,  prefix: "fsr", vector_side: true,  window: 13 },
];

/// One more than the largest flat number that is in use.
pub const CELLS: usize = 162;

impl Bank {
    /// Every scope, in order.
    pub fn all() -> impl Iterator<Item = Bank> {
        ROWS.iter().map(|row| row.bank)
    }

    const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Number of registers.
    #[must_use]
    pub const fn entries(self) -> u8 {
        self.row().entries
    }

    /// Whether the scope is on the vector side of the interlock rule.
    #[must_use]
    pub const fn is_vector_side(self) -> bool {
        self.row().vector_side
    }

    /// Cycles that a consumer looks back over; beyond, a value is in the file.
    #[must_use]
    pub const fn window(self) -> u8 {
        self.row().window
    }

    /// Whether it is a state of one entry, written without its number.
    #[must_use]
    pub const fn is_state(self) -> bool {
        matches!(self, Bank::Fcr | Bank::Fsr)
    }

    /// The cell of register `reg`, or nothing if the scope has no such register.
    #[must_use]
    pub const fn cell(self, reg: u8) -> Option<Cell> {
        if reg < self.entries() { Some(Cell(self.row().base + reg)) } else { None }
    }
}

impl Cell {
    /// The register of a name: `a2`, `v31`, `vb0`, `fcr`. Of AR the sixteen that are in the window.
    #[must_use]
    pub fn parse(name: &str) -> Option<Cell> {
        let lower = name.to_ascii_lowercase();
        let head = lower.trim_end_matches(|c: char| c.is_ascii_digit());
        let row = ROWS.iter().find(|row| row.prefix == head)?;
        let digits = &lower[head.len()..];
        if row.bank.is_state() {
            return row.bank.cell(0).filter(|_| digits.is_empty());
        }
        let reg = digits.parse().ok().filter(|reg| row.bank != Bank::Ar || *reg < VISIBLE_AR)?;
        row.bank.cell(reg)
    }

    /// Every register, in order.
    pub fn all() -> impl Iterator<Item = Cell> {
        (0..CELLS as u8).map(Cell)
    }
}

/// Scalar registers that a window shows.
const VISIBLE_AR: u8 = 16;

/// One register of one scope, by its flat number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(u8);

impl Cell {
    /// The floating-point control state.
    pub const FCR: Cell = Cell(160);
    /// The floating-point status state.
    pub const FSR: Cell = Cell(161);

    /// Flat number, below [`CELLS`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Scope.
    #[must_use]
    pub const fn bank(self) -> Bank {
        BANK_OF[self.0 as usize]
    }

    /// Number of the register in its scope.
    #[must_use]
    pub const fn reg(self) -> u8 {
        self.0 - self.bank().row().base
    }
}

const BANK_OF: [Bank; 256] = {
    let mut table = [Bank::Fsr; 256];
    let mut bank = 0;
    while bank < BANKS {
        let mut at = ROWS[bank].base as usize;
        let end = at + ROWS[bank].entries as usize;
        while at < end {
            table[at] = ROWS[bank].bank;
            at += 1;
        }
        bank += 1;
    }
    table
};

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = self.bank().row();
        if self.bank().is_state() { f.write_str(row.prefix) } else { write!(f, "{}{}", row.prefix, self.reg()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_has_one_number() {
        let mut next = 0;
        for (index, bank) in Bank::all().enumerate() {
            assert_eq!(bank as usize, index);
            for reg in 0..bank.entries() {
                let cell = bank.cell(reg).expect("in range");
                assert_eq!((cell.index(), cell.bank(), cell.reg()), (next, bank, reg));
                next += 1;
            }
            assert_eq!(bank.cell(bank.entries()), None);
        }
        assert_eq!(next, CELLS);
        assert_eq!((Cell::FCR.bank(), Cell::FSR.bank()), (Bank::Fcr, Bank::Fsr));
        assert_eq!(Bank::Wvec.cell(3).map(|cell| cell.to_string()).as_deref(), Some("wv3"));
        assert_eq!(Cell::FSR.to_string(), "fsr");
    }
}
