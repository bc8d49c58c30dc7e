//! `cost`: cycles of words on the GpSimd cores, where they go, and what the figures rest on.

use crate::judged::{EnginesTaking, JudgedWord};
use crate::look::{Draw, Look, put_table};
use crate::problem::Failure;
use crate::setting::Setting;
use serde::Serialize;
use std::fmt;
use vq7_engine::cost::vector::{MIN_II, VERSIONS, VectorCost, vector_cost};
use vq7_engine::cost::{self, Cost, Costs, NOT_COUNTED, NoCost, Ratio, Rests, Stall};
use vq7_engine::{Fault, Registers};
use vq7_isa::generation::PARTITIONS;
use vq7_isa::legality::Status;
use vq7_isa::{Instruction, Word};

/// Words that text shows one by one; more are added up.
const SHOWN: usize = 4;
/// Stalls that text shows.
const SHOWN_STALLS: usize = 8;

/// A core's share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoreRow {
    /// Its number, 0 to 7.
    pub core: u32,
    /// Partitions that it works on.
    pub partitions: u32,
    /// Rows: partitions by the outer dimensions of the walk.
    pub rows: u64,
    /// Cycles.
    pub cycles: u64,
}

/// The loop once all its turns overlap.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SteadyState {
    /// Elements of a turn.
    pub elements: u32,
    /// Bundles of a turn.
    pub bundles: u32,
    /// Bundles of a turn that the slots ask for at least.
    pub least_bundles: u32,
    /// Turns that overlap.
    pub stages: u32,
    /// Bundles for as many elements as 64 bytes of the result hold.
    pub bundles_per_vector: f64,
}

/// Cycles that ops of one kind waited for ops of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StallRow {
    /// The mnemonic that waited.
    pub op: &'static str,
    /// The mnemonic that it waited for.
    pub waits_for: &'static str,
    /// Cycles of the slowest core.
    pub cycles: u64,
}

impl From<(Stall, u64)> for StallRow {
    fn from((Stall { op, waits_for }, cycles): (Stall, u64)) -> Self {
        Self { op, waits_for, cycles }
    }
}

/// A constant that moves the figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConstantRow {
    /// Its name.
    pub name: &'static str,
    /// What it is, with its unit.
    pub meaning: &'static str,
    /// Its value.
    pub value: u32,
    /// The ends between which it may lie.
    pub ends: [u32; 2],
    /// Cycles of the instruction at those ends.
    pub cycles_at_ends: [u64; 2],
    /// Where it comes from.
    pub source: &'static str,
    /// `HIGH`, `MED` or `LOW`.
    pub confidence: &'static str,
}

impl From<&Rests> for ConstantRow {
    fn from(Rests { constant, value, cycles }: &Rests) -> Self {
        Self {
            name: constant.name,
            meaning: constant.meaning,
            value: *value,
            ends: constant.ends,
            cycles_at_ends: *cycles,
            source: constant.source,
            confidence: constant.confidence.name(),
        }
    }
}

/// The formula that was published for the Vector engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VectorRow {
    /// `max(MIN_II, N)` or `max(MIN_II, 2N)`.
    pub formula: &'static str,
    /// Which case of it.
    pub case: &'static str,
    /// Cycles that a word takes at least, about.
    pub min_ii: u64,
    /// N: elements per partition.
    pub elements: u64,
    /// Cycles.
    pub cycles: u64,
    /// At that engine's clock, where it is published.
    pub microseconds: Option<f64>,
    /// The versions of the documentation that had the formula.
    pub published_in: &'static str,
}

/// What one word costs.
#[derive(Clone, Debug, Serialize)]
pub struct WordCost {
    /// Its place in the stream, from 0.
    pub index: usize,
    /// The canonical line.
    pub text: String,
    /// `legal`, `illegal`, `unspecified` or `not_judged`.
    pub verdict: &'static str,
    /// Engines that take it.
    pub engines: EnginesTaking,
    /// The engine that `cycles` is about: `gpsimd`, `vector` or none.
    pub engine: Option<&'static str>,
    /// Cycles of the instruction.
    pub cycles: Option<u64>,
    /// The least under the ends of the constants.
    pub cycles_low: Option<u64>,
    /// The most.
    pub cycles_high: Option<u64>,
    /// At the engine's clock, where it is published.
    pub microseconds: Option<f64>,
    /// Bundles of the slowest core.
    pub bundles: Option<u64>,
    /// Cycles of the slowest core if its slots were never idle and nothing waited.
    pub lower_bound_cycles: Option<u64>,
    /// Elements of a row.
    pub row_elements: Option<u32>,
    /// Cycles of a row without its set-up.
    pub row_cycles: Option<u64>,
    /// Whether elements go one by one, because what one writes another reads.
    pub one_by_one: bool,
    /// The loop; none for a pseudo-op.
    pub steady_state: Option<SteadyState>,
    /// The cores with a share.
    pub cores: Vec<CoreRow>,
    /// Who waited for whom, the most cycles first.
    pub stalls: Vec<StallRow>,
    /// The constants that move the figure.
    pub rests_on: Vec<ConstantRow>,
    /// How sure the figure is. No source shows a device's sequences, so a GpSimd figure is `LOW`.
    pub confidence: Option<&'static str>,
    /// The Vector engine's formula, if that engine takes the word.
    pub vector: Option<VectorRow>,
    /// Why there is no figure.
    pub error: Option<Failure>,
    #[serde(skip)]
    found: Option<Cost>,
}

/// What words cost.
#[derive(Clone, Debug, Serialize)]
pub struct CostAnswer {
    /// What was asked under.
    #[serde(flatten)]
    pub setting: Setting,
    /// Clock of the GpSimd cores in hertz, where it is published. The profiler's key.
    pub gpsimd_engine_clock_freq: Option<u64>,
    /// Partitions that the engine works on. The profiler's key.
    pub gpsimd_engine_num_channels: u32,
    /// The words.
    pub words: Vec<WordCost>,
    /// Cycles of the words that have a figure on GpSimd, one after the other.
    pub cycles: u64,
    /// The least.
    pub cycles_low: u64,
    /// The most.
    pub cycles_high: u64,
    /// At the clock of the cores.
    pub microseconds: Option<f64>,
    /// Words with a figure on GpSimd.
    pub counted: usize,
    /// Who waited for whom over all words, the most cycles first.
    pub stalls: Vec<StallRow>,
    /// What no figure contains.
    pub not_counted: [&'static str; NOT_COUNTED.len()],
    /// The first word without a figure.
    pub error: Option<Failure>,
}

impl CostAnswer {
    /// Counts the cycles of words. `progress` is told how many are done.
    pub fn new(words: &[Word], setting: Setting, progress: &mut dyn FnMut(usize)) -> Self {
        let mut costs = Costs::new(setting.generation, setting.policy);
        let mut rows = Vec::with_capacity(words.len());
        for (index, word) in words.iter().enumerate() {
            rows.push(WordCost::new(index, word, &setting, &mut costs));
            progress(index + 1);
        }
        let clock = setting.generation.clocks().map(|clocks| clocks.pool);
        let on_cores = || rows.iter().filter_map(|row| row.found.as_ref());
        let cycles = on_cores().map(|cost| cost.cycles).sum();
        let error = rows.iter().find_map(|row| {
            let Failure { kind, message } = row.error.as_ref()?;
            Some(Failure { kind, message: format!("word {}: {message}", row.index) })
        });
        Self {
            gpsimd_engine_clock_freq: clock.map(|mhz| u64::from(mhz) * 1_000_000),
            gpsimd_engine_num_channels: PARTITIONS,
            cycles,
            cycles_low: on_cores().map(|cost| cost.range[0]).sum(),
            cycles_high: on_cores().map(|cost| cost.range[1]).sum(),
            microseconds: microseconds(cycles, clock),
            counted: on_cores().count(),
            stalls: cost::stalls(on_cores()).into_iter().map(StallRow::from).collect(),
            not_counted: NOT_COUNTED,
            error,
            words: rows,
            setting,
        }
    }
}

fn microseconds(cycles: u64, mhz: Option<u32>) -> Option<f64> {
    mhz.map(|mhz| (cycles as f64 / f64::from(mhz) * 1e4).round() / 1e4)
}

fn decimal(Ratio { over, under }: Ratio) -> f64 {
    (over as f64 / under as f64 * 1e3).round() / 1e3
}

impl WordCost {
    fn new(index: usize, word: &Word, setting: &Setting, costs: &mut Costs) -> Self {
        let judged = JudgedWord::new(index, word, &setting.bench());
        let instruction = Instruction::decode(word);
        let registers = Registers::new();
        let mut row = Self {
            index,
            text: judged.text.clone(),
            verdict: judged.verdict,
            engines: judged.engines,
            engine: None,
            cycles: None,
            cycles_low: None,
            cycles_high: None,
            microseconds: None,
            bundles: None,
            lower_bound_cycles: None,
            row_elements: None,
            row_cycles: None,
            one_by_one: false,
            steady_state: None,
            cores: Vec::new(),
            stalls: Vec::new(),
            rests_on: Vec::new(),
            confidence: None,
            vector: None,
            error: None,
            found: None,
        };
        if judged.status() != Status::Legal {
            row.error = Some(Failure { kind: judged.verdict, message: judged.why() });
            return row;
        }
        if judged.engines.dve {
            match vector_cost(&instruction, setting.generation, &registers) {
                Ok(vector) => row.vector = Some(vector_row(&vector, setting)),
                Err(fault) => row.error = Some(failure(&fault)),
            }
        }
        if judged.engines.pool {
            match costs.word(&instruction, &registers) {
                Ok(cost) => row.on_cores(cost, setting),
                Err(NoCost::Fault(fault)) => row.error = Some(failure(&fault)),
                Err(error) => row.error = Some(Failure { kind: "unimplemented", message: error.to_string() }),
            }
        } else if let Some(vector) = &row.vector {
            row.engine = Some("vector");
            row.cycles = Some(vector.cycles);
            row.microseconds = vector.microseconds;
            row.confidence = Some("LOW");
        } else if row.error.is_none() {
            row.error = Some(Failure { kind: "illegal", message: "no engine takes the word".to_owned() });
        }
        row
    }

    fn on_cores(&mut self, cost: Cost, setting: &Setting) {
        let [low, high] = cost.range;
        self.engine = Some("gpsimd");
        self.cycles = Some(cost.cycles);
        self.cycles_low = Some(low);
        self.cycles_high = Some(high);
        self.microseconds = microseconds(cost.cycles, setting.generation.clocks().map(|clocks| clocks.pool));
        self.bundles = cost.steady.is_some().then_some(cost.bundles);
        self.lower_bound_cycles = Some(cost.lower_bound);
        self.row_elements = Some(cost.row_elements);
        self.row_cycles = Some(cost.row.cycles);
        self.one_by_one = cost.serial;
        self.steady_state = cost.steady.map(|steady| SteadyState {
            elements: steady.elements,
            bundles: steady.bundles,
            least_bundles: steady.least_bundles,
            stages: steady.stages,
            bundles_per_vector: decimal(steady.bundles_per_vector()),
        });
        let core = |core: &cost::CoreCost| CoreRow {
            core: core.core,
            partitions: core.partitions,
            rows: core.rows,
            cycles: core.cycles,
        };
        self.cores = cost.cores.iter().map(core).collect();
        self.stalls = cost.stalls.iter().cloned().map(StallRow::from).collect();
        self.rests_on = cost.rests_on.iter().map(ConstantRow::from).collect();
        self.confidence = Some("LOW");
        self.found = Some(cost);
    }
}

fn failure(fault: &Fault) -> Failure {
    Failure { kind: fault.kind(), message: fault.to_string() }
}

fn vector_row(cost: &VectorCost, setting: &Setting) -> VectorRow {
    let VectorCost { formula, case, elements, cycles } = *cost;
    let clock = setting.generation.clocks().map(|clocks| clocks.dve);
    VectorRow {
        formula,
        case,
        min_ii: MIN_II,
        elements,
        cycles,
        microseconds: microseconds(cycles, clock),
        published_in: VERSIONS,
    }
}

fn time(microseconds: Option<f64>) -> String {
    microseconds.map_or_else(|| "no clock is published".to_owned(), |time| format!("{time} us"))
}

impl Draw for WordCost {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(out, "{} {}", look.bold(format_args!("word {}:", self.index)), self.text)?;
        if let Some(Failure { kind, message }) = &self.error {
            return writeln!(out, "  {}: {message}", look.bad(kind));
        }
        let cycles = self.cycles.unwrap_or_default();
        if self.engine == Some("vector") {
            writeln!(out, "  only the Vector engine takes it: about {cycles} cycles, {}", time(self.microseconds))?;
        } else {
            let (low, high) = (self.cycles_low.unwrap_or_default(), self.cycles_high.unwrap_or_default());
            let figure = look.bold(format!("{cycles} cycles"));
            writeln!(out, "  gpsimd: {figure}, {}; from {low} to {high} (confidence LOW)", time(self.microseconds))?;
            let parts = shares(&self.cores);
            let row = self.row_elements.unwrap_or_default();
            let whole = self.row_cycles.unwrap_or_default();
            writeln!(out, "  cores: {}; a row of {row} elements takes {whole} cycles", parts)?;
            if self.one_by_one {
                writeln!(out, "  {}", look.warn("elements go one by one: what one writes another reads"))?;
            }
            match &self.steady_state {
                Some(steady) => writeln!(
                    out,
                    "  steady state: {} bundles for {} elements, at least {}; {} per 64-byte vector; {} stages",
                    steady.bundles, steady.elements, steady.least_bundles, steady.bundles_per_vector, steady.stages
                )?,
                None => {
                    writeln!(out, "  {}", look.warn("one pseudo-op: its cycles are ASSUMED, no sequence is known"))?
                }
            }
            if let Some(bundles) = self.bundles {
                let bound = self.lower_bound_cycles.unwrap_or_default();
                writeln!(out, "  slowest core: {bundles} bundles; never below {bound} cycles whatever the schedule")?;
            }
            draw_stalls(&self.stalls, look, out)?;
            let mut table = look.table(&["  rests on", "value", "may be", "cycles then", "sure", "source"]);
            for row in &self.rests_on {
                let ([low, high], [at_low, at_high]) = (row.ends, row.cycles_at_ends);
                table.add_row([
                    format!("  {}", row.name),
                    row.value.to_string(),
                    format!("{low} or {high}"),
                    format!("{at_low}, {at_high}"),
                    row.confidence.to_owned(),
                    row.source.to_owned(),
                ]);
            }
            put_table(&table, out)?;
        }
        if let Some(vector) = &self.vector {
            writeln!(
                out,
                "  vector engine: {} = {} cycles, {}; N = {}, MIN_II about {}; {}",
                vector.formula,
                vector.cycles,
                time(vector.microseconds),
                vector.elements,
                vector.min_ii,
                vector.case
            )?;
            writeln!(out, "  {}", look.dim(format_args!("that formula was last published in versions {VERSIONS}")))?;
        }
        Ok(())
    }
}

/// `8 cores with 16 rows each`, or how many have how many rows.
fn shares(cores: &[CoreRow]) -> String {
    let mut counts: Vec<(u64, usize)> = Vec::new();
    for core in cores {
        match counts.iter_mut().find(|(rows, _)| *rows == core.rows) {
            Some((_, count)) => *count += 1,
            None => counts.push((core.rows, 1)),
        }
    }
    let text = |(rows, count): &(u64, usize)| format!("{count} with {rows} rows");
    counts.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn draw_stalls(stalls: &[StallRow], look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
    if stalls.is_empty() {
        return writeln!(out, "  no bundle waits for an operand");
    }
    for stall in stalls.iter().take(SHOWN_STALLS) {
        let StallRow { op, waits_for, cycles } = stall;
        writeln!(out, "  {} {cycles} cycles: {op} for {waits_for}", look.warn("waits"))?;
    }
    match stalls.len().saturating_sub(SHOWN_STALLS) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more kinds of waiting; --json has all"),
    }
}

impl Draw for CostAnswer {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        if self.words.len() <= SHOWN {
            self.words.iter().try_for_each(|word| word.draw(look, out))?;
        }
        if self.words.len() > 1 {
            let total = look.bold(format!("{} cycles", self.cycles));
            writeln!(
                out,
                "{} of {} words on gpsimd, one after the other: {total}, {}; from {} to {} (confidence LOW)",
                self.counted,
                self.words.len(),
                time(self.microseconds),
                self.cycles_low,
                self.cycles_high
            )?;
        }
        if self.words.len() > SHOWN {
            draw_stalls(&self.stalls, look, out)?;
            if let Some(Failure { kind, message }) = &self.error {
                writeln!(out, "{}: {message}", look.bad(kind))?;
            }
        }
        writeln!(out, "not counted: {}", self.not_counted.join("; "))
    }
}
