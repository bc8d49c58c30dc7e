//! One row of a word: its bundles on the scoreboard, for a few units; longer rows go on as these did.

use super::Stall;
use super::model::Model;
use crate::lower::emit::{self, EmitError, Rolled};
use crate::lower::kernel::Kernel;
use std::collections::BTreeMap;
use vq7_iss::timing::closed::ClosedForm;
use vq7_iss::timing::{Step, Tally};

/// Units that are timed of a row, and half of them: from there on every unit costs what the ones between did.
const TIMED: u32 = 32;

/// Cycles, bundles and stalls of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowCost {
    /// Cycles of the bundles that load the constants: once for all rows.
    pub constants: u64,
    /// Cycles from there to the last result.
    pub cycles: u64,
    /// Bundles that load the constants.
    pub constant_bundles: u64,
    /// Bundles after them.
    pub bundles: u64,
    /// Cycles that bundles waited, by consumer and producer.
    pub stalls: BTreeMap<Stall, u64>,
}

/// A row of `elements` elements.
///
/// # Errors
/// [`EmitError`].
pub fn row(kernel: &Kernel, elements: u32, model: &Model) -> Result<RowCost, EmitError> {
    let unit = kernel.unit().max(1);
    let units = elements.div_ceil(unit).max(1);
    let tail = !elements.is_multiple_of(unit);
    // A loop is in its steady state once all its stages overlap.
    let timed = TIMED.max(2 * kernel.stages().saturating_add(2));
    if units <= timed {
        return Ok(time(&emit::roll_with(kernel, units, tail, &model.params)?, model));
    }
    let half = time(&emit::roll_with(kernel, timed / 2, tail, &model.params)?, model);
    let whole = time(&emit::roll_with(kernel, timed, tail, &model.params)?, model);
    let (more, between) = (u64::from(units - timed), u64::from(timed - timed / 2));
    let on = |half: u64, whole: u64| whole + (whole.saturating_sub(half) * more).div_ceil(between);
    let stalls = whole.stalls.iter();
    let stalls =
        stalls.map(|(stall, &cycles)| (stall.clone(), on(half.stalls.get(stall).copied().unwrap_or_default(), cycles)));
    Ok(RowCost {
        cycles: on(half.cycles, whole.cycles),
        bundles: on(half.bundles, whole.bundles),
        stalls: stalls.collect(),
        ..whole
    })
}

/// Times bundles by the closed form.
pub fn time(rolled: &Rolled, model: &Model) -> RowCost {
    let footprints = &rolled.work.footprints;
    let mut engine = ClosedForm::new(model.profile, model.params.refill.into());
    let mut tally = Tally::new(footprints);
    let mut constants = 0;
    for bundle in 0..rolled.bundles.len() as u32 {
        let Some(footprint) = footprints.get(bundle) else { continue };
        let step = Step { bundle, ..Step::default() };
        let issue = engine.issue(step, footprint);
        if bundle == rolled.constants {
            constants = issue.cycle;
        }
        tally.add(step, footprint.first_use, &issue);
    }
    let mut stalls = BTreeMap::new();
    let name = |bundle: u32, slot: Option<u8>| {
        let ops = || rolled.bundles.get(bundle as usize).into_iter().flat_map(|bundle| bundle.ops());
        let op = ops().find(|(number, _)| slot == Some(*number));
        op.map(|(_, op)| op.mnemonic.name)
    };
    for charge in tally.charges(footprints) {
        let Some((number, producer)) = charge.operand else { continue };
        let Some((_, access)) = footprints.find_use(number) else { continue };
        let defines = rolled.bundles.get(producer as usize).and_then(|bundle| {
            let mut ops = bundle.ops().iter();
            ops.find(|(_, op)| op.defs().iter().any(|(cell, _)| *cell == access.cell)).map(|(slot, _)| *slot)
        });
        let stall = Stall {
            op: name(charge.bundle, Some(access.slot)).unwrap_or_default(),
            waits_for: name(producer, defines).unwrap_or_default(),
        };
        *stalls.entry(stall).or_default() += charge.cycles;
    }
    let all = rolled.bundles.len() as u64;
    let constant_bundles = u64::from(rolled.constants);
    RowCost {
        constants,
        cycles: engine.total_cycles().saturating_sub(constants),
        constant_bundles,
        bundles: all.saturating_sub(constant_bundles),
        stalls,
    }
}
