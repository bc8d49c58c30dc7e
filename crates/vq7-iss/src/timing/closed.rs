//! The closed form: the last definition of every register is enough to know when a bundle can issue.

use super::cell::{BANKS, Bank, CELLS};
use super::{BRANCH_BUBBLE, EXECUTE, Flow, Footprint, Issue, Profile, Step};

/// What the engine holds true; tests plant faults here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Cycles by which a file forwards before its definition stage is over.
    pub early: [u8; BANKS],
    /// Whether a definition hides an older one that would end later.
    pub youngest_only: bool,
    /// Cycles lost to a taken branch.
    pub branch: u64,
}

impl Rules {
    fn new(profile: Profile, refill: u64) -> Rules {
        let mut early = [0; BANKS];
        if profile == Profile::Default {
            for bank in [Bank::Vec, Bank::Vbool, Bank::Valign, Bank::Wvec, Bank::Pr, Bank::Gvr, Bank::Fcr, Bank::Fsr] {
                early[bank as usize] = 1;
            }
        }
        Rules { early, youngest_only: true, branch: BRANCH_BUBBLE + refill }
    }
}

/// Last definitions and the clock.
#[derive(Clone, Debug)]
pub struct ClosedForm {
    /// Cycle after the one in which the youngest definition of a register is there, less the cycles it forwards early.
    /// 0 before the first definition: such a register is never waited for.
    there: [u64; 256],
    /// The bundle that defined it.
    writer: [u32; 256],
    early: [u8; 256],
    rules: Rules,
    next: u64,
    first: Option<u64>,
    end: u64,
}

impl ClosedForm {
    /// An empty machine. `refill` is what a taken branch costs beyond its three cycles.
    #[must_use]
    pub fn new(profile: Profile, refill: u64) -> ClosedForm {
        ClosedForm::with_rules(Rules::new(profile, refill))
    }

    pub(super) fn with_rules(rules: Rules) -> ClosedForm {
        let mut early = [0; 256];
        for bank in Bank::all() {
            for cell in (0..bank.entries()).filter_map(|reg| bank.cell(reg)) {
                early[cell.index()] = rules.early[bank as usize];
            }
        }
        debug_assert!(CELLS <= early.len());
        ClosedForm { there: [0; 256], writer: [0; 256], early, rules, next: 0, first: None, end: 0 }
    }

    /// Issues one bundle of the executed sequence.
    #[inline]
    pub fn issue(&mut self, step: Step, footprint: Footprint<'_>) -> Issue {
        let start = self.next;
        let mut cycle = start;
        let mut owner = None;
        for (place, access) in (0u32..).zip(footprint.uses) {
            // distance = 1 + max(0, def - use - early); the maximum with `start` covers the distance of 1.
            let ready = self.there[access.cell.index()].saturating_sub(u64::from(access.stage));
            if ready > cycle {
                cycle = ready;
                owner = Some((place, self.writer[access.cell.index()]));
            }
        }
        let operand_wait = (cycle - start) as u32;
        cycle += u64::from(step.memory_wait);
        for def in footprint.defs {
            let at = def.cell.index();
            let there = cycle + 1 + u64::from(def.stage) - u64::from(self.early[at]);
            if self.rules.youngest_only || there > self.there[at] {
                self.there[at] = there;
                self.writer[at] = step.bundle;
            }
        }
        self.first.get_or_insert(cycle);
        self.end = self.end.max(cycle + u64::from(footprint.depth.max(EXECUTE)));
        self.next = cycle + 1 + if step.flow == Flow::Taken { self.rules.branch } else { 0 };
        Issue { cycle, operand_wait, owner, memory_wait: step.memory_wait }
    }

    /// Cycles from the first issue to the last result.
    #[must_use]
    pub fn total_cycles(&self) -> u64 {
        super::total(self.first, self.end)
    }

    #[cfg(test)]
    pub(super) fn rules(profile: Profile) -> Rules {
        Rules::new(profile, 0)
    }
}
