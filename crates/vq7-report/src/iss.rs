//! `iss run`: a program of bundles, run on the cycle-accurate core.

use crate::look::{Draw, Look, put_table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use vq7_iss::event::{Observer, Silent};
use vq7_iss::memory::{DATA_RAM, DATA_RAM_BYTES};
use vq7_iss::oracle::Leaves;
use vq7_iss::pipeline::{Core, Settings, Stop};
use vq7_iss::state::State;
use vq7_iss::timing::{Bank, Cell, PARAMS, Params, Profile};
use vq7_iss::trace::text::Text;
use vq7_iss::trace::{Timeline, kanata, perfetto, svg};
use vq7_iss::work::Work;

/// Bundles that a picture or a trace holds at most.
const TRACED: usize = 100_000;
/// Changed rows of memory that text shows.
const SHOWN_ROWS: usize = 16;

/// A form of trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceForm {
    /// Kanata 0004, for Konata.
    Kanata,
    /// Trace-event JSON, for Perfetto and Chrome.
    Perfetto,
    /// A line per event.
    Text,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct IssOptions {
    /// How early results are forwarded.
    pub profile: Profile,
    /// Stages and penalties.
    pub params: Params,
    /// Cycles after which the run stops.
    pub limit: u64,
    /// Which trace to make.
    pub trace: Option<TraceForm>,
    /// Whether to draw a chart.
    pub svg: bool,
}

/// One line of the stall table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stall {
    /// Line of the bundle that waited.
    pub line: u32,
    /// Slot of the op that reads the operand; none for memory.
    pub slot: Option<u8>,
    /// The op that waited.
    pub op: String,
    /// The operand, or `memory`.
    pub waits_for: String,
    /// Line of the bundle that defines it.
    pub defined_in_line: Option<u32>,
    /// How often.
    pub times: u64,
    /// Cycles in all.
    pub cycles: u64,
}

/// Bytes of memory that the run changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Address.
    pub address: String,
    /// Bytes, in the order of addresses.
    pub bytes: String,
}

/// A run.
#[derive(Clone, Debug, Serialize)]
pub struct IssRun {
    /// `done`, `limit` or `fault`.
    pub stopped: &'static str,
    /// What went wrong.
    pub error: Option<String>,
    /// Cycles from the first issue to the last result.
    pub cycles: u64,
    /// Bundles issued.
    pub bundles: u64,
    /// Cycles that bundles waited for operands.
    pub operand_stalls: u64,
    /// Cycles that bundles waited for memory.
    pub memory_stalls: u64,
    /// Results of lanes that the oracle gave.
    pub lane_results: u64,
    /// Profile.
    pub profile: &'static str,
    /// Parameters.
    pub params: BTreeMap<&'static str, u32>,
    /// Who waited for whom, the most cycles first.
    pub stalls: Vec<Stall>,
    /// Registers that are not as they were, as numbers.
    pub registers: BTreeMap<String, String>,
    /// Rows of 64 bytes of memory that are not as they were.
    pub memory: Vec<Row>,
    /// The trace that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// The chart that was asked for.
    #[serde(skip)]
    pub svg: Option<String>,
}

impl IssRun {
    /// Runs a program from a state.
    #[must_use]
    pub fn new(work: &Work, state: State, title: &str, options: &IssOptions) -> IssRun {
        let wants_timeline = options.svg || matches!(options.trace, Some(TraceForm::Kanata | TraceForm::Perfetto));
        let mut timeline = Timeline::new(if wants_timeline { TRACED } else { 0 });
        let mut text = Text::new(&work.listing, false);
        let mut answer = match (wants_timeline, options.trace) {
            (true, Some(TraceForm::Text)) => run(work, state, options, &mut (&mut timeline, &mut text)),
            (true, _) => run(work, state, options, &mut timeline),
            (false, Some(TraceForm::Text)) => run(work, state, options, &mut text),
            (false, _) => run(work, state, options, &mut Silent),
        };
        answer.trace = options.trace.map(|form| match form {
            TraceForm::Kanata => kanata::log(&timeline, &work.listing, 0),
            TraceForm::Perfetto => perfetto::json(&timeline, &work.listing, 0),
            TraceForm::Text => text.into_text(),
        });
        answer.svg = options.svg.then(|| svg::chart(&timeline, &work.listing, title));
        answer
    }

    /// What to say when the run did not end as it should.
    #[must_use]
    pub fn failure(&self) -> Option<(&'static str, String)> {
        match (self.stopped, &self.error) {
            ("done", _) => None,
            (_, Some(error)) => Some(("fault", error.clone())),
            _ => Some((
                "limit",
                "the limit of cycles is reached; the state is kept in the answer. --cycles sets another limit"
                    .to_owned(),
            )),
        }
    }
}

fn run(work: &Work, state: State, options: &IssOptions, observer: &mut impl Observer) -> IssRun {
    let before = state.clone();
    let Params { refill, memory_wait, .. } = options.params;
    let mut core = Core::new(work, state, Leaves, Settings { profile: options.profile, refill, memory_wait });
    let outcome = core.run(observer, options.limit);
    let (stopped, error) = match outcome {
        Ok(Stop::Done) => ("done", None),
        Ok(Stop::Limit) => ("limit", None),
        Err(fault) => {
            let line = work.listing.bundle(fault.bundle).line;
            let op = work.listing.op(fault.bundle, fault.slot);
            (
                "fault",
                Some(format!(
                    "line {line}, slot {}, {op}, issued in cycle {}: {}",
                    fault.slot, fault.cycle, fault.access
                )),
            )
        }
    };
    let tally = core.tally();
    IssRun {
        stopped,
        error,
        cycles: core.total_cycles(),
        bundles: tally.issued(),
        operand_stalls: tally.operand_cycles(),
        memory_stalls: tally.memory_cycles(),
        lane_results: core.lane_results(),
        profile: options.profile.name(),
        params: PARAMS.iter().map(|param| (param.name, param.value(&options.params))).collect(),
        stalls: stalls(work, &core),
        registers: registers(&before, &core.state),
        memory: memory(&before, &core.state),
        trace: None,
        svg: None,
    }
}

fn stalls(work: &Work, core: &Core<'_, Leaves>) -> Vec<Stall> {
    let charges = core.tally().charges(&work.footprints);
    let mut stalls: Vec<_> = charges
        .into_iter()
        .map(|charge| {
            let operand = charge
                .operand
                .and_then(|(number, by)| work.footprints.find_use(number).map(|(_, access)| (access, by)));
            let slot = operand.map(|(access, _)| access.slot);
            Stall {
                line: work.listing.bundle(charge.bundle).line,
                slot,
                op: slot.map_or("", |slot| work.listing.op(charge.bundle, slot)).to_owned(),
                waits_for: operand.map_or("memory".to_owned(), |(access, _)| access.cell.to_string()),
                defined_in_line: operand.map(|(_, by)| work.listing.bundle(by).line),
                times: charge.times,
                cycles: charge.cycles,
            }
        })
        .collect();
    stalls.sort_by_key(|stall| std::cmp::Reverse(stall.cycles));
    stalls
}

/// A register's bytes as one number.
fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    let short = digits.trim_start_matches('0');
    format!("0x{}", if short.is_empty() { "0" } else { short })
}

fn registers(before: &State, after: &State) -> BTreeMap<String, String> {
    let changed = Cell::all().filter(|cell| before.bytes(*cell) != after.bytes(*cell));
    changed.map(|cell| (cell.to_string(), hex(after.bytes(cell)))).collect()
}

fn memory(before: &State, after: &State) -> Vec<Row> {
    let addresses = (DATA_RAM..DATA_RAM + DATA_RAM_BYTES).step_by(64);
    let row = |state: &State, address| state.memory.settled(address, 64).map(<[u8]>::to_vec).unwrap_or_default();
    let changed = addresses.filter(|address| row(before, *address) != row(after, *address));
    changed
        .map(|address| Row {
            address: format!("{address:#x}"),
            bytes: row(after, address).iter().map(|byte| format!("{byte:02x}")).collect(),
        })
        .collect()
}

/// Order of registers in text: by file, then by number.
fn in_order(registers: &BTreeMap<String, String>) -> Vec<(&String, &String)> {
    let mut list: Vec<_> = registers.iter().collect();
    list.sort_by_key(|(name, _)| Cell::parse(name).map_or((Bank::Fsr, 0), |cell| (cell.bank(), cell.reg())));
    list
}

impl Draw for IssRun {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        if let Some(trace) = &self.trace {
            return out.write_str(trace);
        }
        let stopped = match self.stopped {
            "done" => look.good("done").to_string(),
            other => look.bad(other).to_string(),
        };
        writeln!(
            out,
            "{stopped}: {} cycles, {} bundles, {} operand stalls, {} memory stalls; profile {}",
            self.cycles, self.bundles, self.operand_stalls, self.memory_stalls, self.profile
        )?;
        if !self.stalls.is_empty() {
            let mut table = look.table(&["cycles", "times", "line", "slot", "waits for", "of line", "op"]);
            for stall in &self.stalls {
                let number = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
                table.add_row([
                    stall.cycles.to_string(),
                    stall.times.to_string(),
                    stall.line.to_string(),
                    number(stall.slot.map(u32::from)),
                    stall.waits_for.clone(),
                    number(stall.defined_in_line),
                    stall.op.clone(),
                ]);
            }
            put_table(&table, out)?;
        }
        for (name, value) in in_order(&self.registers) {
            writeln!(out, "{name} = {value}")?;
        }
        for row in self.memory.iter().take(SHOWN_ROWS) {
            writeln!(out, "{}: {}", row.address, row.bytes)?;
        }
        match self.memory.len().saturating_sub(SHOWN_ROWS) {
            0 => Ok(()),
            more => writeln!(out, "{more} more rows of memory changed; --json has them all"),
        }
    }
}
