//! Moves between registers: bits change place, none is worked out.

use super::flight::Flight;
use crate::line::{self, Line};
use crate::work::{Move, ScalarIn};

impl Flight {
    /// Carries out a move of taken operands to results.
    pub(super) fn shift(&mut self, what: Move) {
        match what {
            Move::Copy { from, to } => self.set_result(to, self.lines[usize::from(from) % self.lines.len()]),
            Move::CopyWide { from } => self.wide_result = self.wides[usize::from(from) % self.wides.len()],
            Move::Bytes { from, merge, to } => {
                let line = self.lines[usize::from(from) % self.lines.len()];
                self.set_result(to, self.merged(line, 8, merge));
            }
            Move::Spread { from, width, to } => {
                let word = match from {
                    ScalarIn::Use(place) => self.word(place),
                    ScalarIn::Constant(constant) => constant,
                };
                self.set_result(to, Line::pack(width.into(), &[word.into(); 64]));
            }
            Move::Replicate { from, lane, width, to, merge } => {
                let width = u32::from(width);
                let value = self.lines[usize::from(from) % self.lines.len()].lane(lane.into(), width);
                let mut line = Line::pack(width, &[value; 64]);
                if let Some(merge) = merge {
                    line = self.merged(line, width, merge);
                }
                self.set_result(to, line);
            }
            Move::Extract { from, lane, width, signed, to } => {
                let value = self.lines[usize::from(from) % self.lines.len()].lane(lane.into(), width.into());
                self.set_result(to, Line::from_word(extend(value, width.into(), signed) as u32));
            }
            Move::Widen { from, width, wide, signed } => {
                let lanes = 512 / usize::from(width.max(1));
                for (half, place) in from.into_iter().enumerate() {
                    let line = self.lines[usize::from(place) % self.lines.len()];
                    for lane in 0..lanes {
                        let value = extend(line.lane(lane, width.into()), width.into(), signed);
                        let value = if signed { value as i64 as i128 as u128 } else { value.into() };
                        line::set_wide(&mut self.wide_result, half * lanes + lane, wide.into(), value);
                    }
                }
            }
        }
    }
}

/// A value of `width` bits, filled with its sign or with zeros.
pub(super) fn extend(value: u64, width: u32, signed: bool) -> u64 {
    let up = 64u32.saturating_sub(width).min(63);
    if signed { ((value << up) as i64 >> up) as u64 } else { value << up >> up }
}
