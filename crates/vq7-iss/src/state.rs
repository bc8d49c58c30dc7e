//! What a core holds between cycles: register files, floating-point control and status, memory.

use crate::line::{Line, Wide};
use crate::memory::Memory;
use crate::timing::{Bank, CELLS, Cell};

/// Architectural state.
#[derive(Clone, Debug)]
pub struct State {
    lines: Vec<Line>,
    wide: [Wide; 4],
    /// Predicate banks.
    pub predicate_banks: [u64; 8],
    /// Data memory.
    pub memory: Memory,
}

impl Default for State {
    fn default() -> State {
        State::new()
    }
}

impl State {
    /// All zero: round to nearest even, no flag, no enable.
    #[must_use]
    pub fn new() -> State {
        State { lines: vec![Line::ZERO; CELLS], wide: [[0; 192]; 4], predicate_banks: [0; 8], memory: Memory::new() }
    }

    /// A register of any file but the accumulators, of which it gives the low third.
    #[must_use]
    pub fn line(&self, cell: Cell) -> Line {
        if cell.bank() == Bank::Wvec {
            let mut line = Line::ZERO;
            line.0.copy_from_slice(&self.wide(cell)[..64]);
            return line;
        }
        self.lines.get(cell.index()).copied().unwrap_or_default()
    }

    /// A register of any file but the accumulators.
    pub(crate) fn line_ref(&self, cell: Cell) -> &Line {
        &self.lines[cell.index()]
    }

    /// Sets a register to a result that is as wide as its file.
    pub(crate) fn commit_line(&mut self, cell: Cell, line: &Line) {
        self.lines[cell.index()] = *line;
    }

    /// Sets a register; what its file has no room for is dropped. Accumulators are set by [`State::set_wide`].
    pub fn set_line(&mut self, cell: Cell, line: Line) {
        if let Some(slot) = self.lines.get_mut(cell.index()) {
            *slot = narrowed(cell.bank(), line);
        }
    }

    /// An accumulator.
    #[must_use]
    pub fn wide(&self, cell: Cell) -> &Wide {
        &self.wide[usize::from(cell.reg() & 3)]
    }

    /// Sets an accumulator.
    pub fn set_wide(&mut self, cell: Cell, value: &Wide) {
        self.wide[usize::from(cell.reg() & 3)] = *value;
    }

    /// A register's bytes: as many as its file is wide.
    #[must_use]
    pub fn bytes(&self, cell: Cell) -> &[u8] {
        match cell.bank() {
            Bank::Wvec => self.wide(cell),
            bank => self.lines.get(cell.index()).map_or(&[], |line| &line.0[..bytes_of(bank)]),
        }
    }

    /// Sets a register from bytes, the lowest first; missing ones are zero, excess ones dropped.
    pub fn set_bytes(&mut self, cell: Cell, bytes: &[u8]) {
        if cell.bank() == Bank::Wvec {
            let mut wide: Wide = [0; 192];
            wide.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            return self.set_wide(cell, &wide);
        }
        let mut line = Line::ZERO;
        line.0.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        self.set_line(cell, line);
    }

    /// Round mode: 0 nearest even, 1 toward zero, 2 up, 3 down.
    #[must_use]
    pub fn round_mode(&self) -> u8 {
        round_mode(&self.line(Cell::FCR))
    }

    /// Sticky flags in the order of `vq7_num::Flags::bits`.
    #[must_use]
    pub fn flags(&self) -> u8 {
        self.line(Cell::FSR).0[0]
    }

    /// Sets the sticky flags.
    pub fn set_flags(&mut self, flags: u8) {
        self.set_line(Cell::FSR, Line::from_word(u32::from(flags & 0x1f)));
    }

    /// The word that packs flags, round mode and enables (`docs/spec/iss-timing.md`, "Floating-point state").
    #[must_use]
    pub fn packed_fp(&self) -> u32 {
        let fcr = self.line(Cell::FCR).word();
        // Flags, invalid first, from bit 10; round mode at bits 9:8; enables where the control word has them, bits 6:2.
        u32::from(self.flags() & 0x1f) << 10 | (fcr & 3) << 8 | fcr & 0x7c
    }
}

/// Round mode of a control word.
#[must_use]
pub fn round_mode(fcr: &Line) -> u8 {
    fcr.0[0] & 3
}

/// Bytes of a register that a file holds.
#[must_use]
pub const fn bytes_of(bank: Bank) -> usize {
    match bank {
        Bank::Ar | Bank::Fcr | Bank::Fsr => 4,
        Bank::Br => 1,
        Bank::Vec | Bank::Valign | Bank::Gvr => 64,
        Bank::Vbool | Bank::Pr => 8,
        Bank::Wvec => 192,
    }
}

fn narrowed(bank: Bank, line: Line) -> Line {
    match bank {
        Bank::Br => Line::from_word(line.word() & 1),
        Bank::Fcr => Line::from_word(line.word() & 0x7f),
        Bank::Fsr => Line::from_word(line.word() & 0x1f),
        Bank::Ar => Line::from_word(line.word()),
        Bank::Vbool | Bank::Pr => Line::from_mask(line.mask()),
        Bank::Vec | Bank::Valign | Bank::Gvr | Bank::Wvec => line,
    }
}
