//! `lower`: the bundle loop that an op on three dtypes becomes, or why it becomes none.

use crate::iss::{IssOptions, IssRun};
use crate::judged::EnginesTaking;
use crate::look::{Draw, Look, put_table};
use crate::problem::Failure;
use crate::setting::Setting;
use crate::template::{Types, template};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use vq7_engine::iss::Iss;
use vq7_engine::lower::emit::{self, Rolled};
use vq7_engine::lower::kernel::{Kernel, Shape};
use vq7_engine::lower::{Reason, Work, lower};
use vq7_isa::legality::{self, Bench, Engine, Status};
use vq7_isa::opcode::{TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP};
use vq7_isa::{AluOp, Dtype};
use vq7_iss::line::Line;
use vq7_iss::memory::DATA_RAM;
use vq7_iss::state::State;
use vq7_iss::timing::{Params, Profile};
use vq7_num::{Class, Lane};

/// Bytes between the operands of a picture.
const APART: u32 = 0x4000;
/// Cycles after which a picture's run is given up.
const LIMIT: u64 = 100_000;

/// How sure a sequence is: no source shows the device's (docs/spec/iss-lowering.md).
const CONFIDENCE: &str = "LOW";

/// A cell of the table: an op on three dtypes.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The op.
    pub op: &'static str,
    /// Dtypes of src0, src1 and the result.
    pub types: [&'static str; 3],
    /// `arith` or `bitvec`: the class of the opcode.
    pub class: &'static str,
    /// Engines that take it. The sequence is that of GpSimd's cores; the Vector engine has none of these.
    pub engines: EnginesTaking,
    /// Elements of a turn.
    pub elements: Option<u32>,
    /// The mnemonics of a turn, in an order in which they could run one by one.
    pub sequence: Vec<&'static str>,
    /// `macro` for a pseudo-op with assumed cycles, else why there is no sequence.
    pub reason: Option<String>,
    /// `LOW`: no source shows the device's sequences. Nothing where there is none.
    pub confidence: Option<&'static str>,
}

impl Cell {
    fn new(lane: Lane, engines: EnginesTaking, setting: &Setting) -> Self {
        let flow = lower(Work::Elementwise(lane), &setting.policy, 1);
        let (elements, sequence, reason) = match &flow {
            Ok(flow) => (Some(flow.unit), flow.steps.iter().map(|step| step.mnemonic.name).collect(), None),
            Err(reason) => (None, Vec::new(), Some(reason.to_string())),
        };
        Self {
            op: lane.op.name(),
            types: [lane.src0, lane.src1, lane.out].map(Dtype::name),
            class: class(lane.class),
            engines,
            elements,
            confidence: matches!(flow, Ok(_) | Err(Reason::Macro)).then_some(CONFIDENCE),
            sequence,
            reason,
        }
    }

    /// `2 LV2NX8_IP, ADDN_2X32, SV2NX8_IP`, or the reason.
    fn summary(&self) -> String {
        if let Some(reason) = &self.reason {
            return reason.clone();
        }
        let mut counts: Vec<(&str, u32)> = Vec::new();
        for name in &self.sequence {
            match counts.iter_mut().find(|(known, _)| known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        let text =
            |(name, count): &(&str, u32)| if *count == 1 { (*name).to_owned() } else { format!("{count} {name}") };
        counts.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}

const fn class(class: Class) -> &'static str {
    match class {
        Class::Arith => "arith",
        Class::Bitvec => "bitvec",
    }
}

/// The classes in which some engine takes an op on three dtypes, and which.
fn lanes(op: AluOp, types: Types, setting: &Setting) -> Vec<(Lane, EnginesTaking)> {
    let Types { src0, src1, out } = types;
    let bench = Bench { engine: Engine::Any, ..setting.bench() };
    let classes = [(TENSOR_TENSOR_ARITH_OP, Class::Arith), (TENSOR_TENSOR_BITVEC_OP, Class::Bitvec)];
    let lane = |(opcode, class)| {
        let judgement = legality::judge(&template(opcode, op, types), &bench);
        let taken = judgement.engines.pool || judgement.engines.dve;
        let lane = Lane { op, src0, src1, out, class };
        (judgement.status == Status::Legal && taken).then_some((lane, judgement.engines.into()))
    };
    classes.into_iter().filter_map(lane).collect()
}

/// Every cell that an engine takes.
#[derive(Clone, Debug, Serialize)]
pub struct LowerAll {
    /// What was asked under.
    #[serde(flatten)]
    pub setting: Setting,
    /// Cells that an engine takes.
    pub cells: Vec<Cell>,
    /// Cells with a sequence.
    pub with_sequence: usize,
    /// Cells that are a pseudo-op or have no sequence, by reason.
    pub without: BTreeMap<String, usize>,
}

impl LowerAll {
    /// Lowers every cell. `progress` is told how many ops are done.
    pub fn new(setting: Setting, progress: &mut dyn FnMut(usize)) -> Self {
        let dtypes: Vec<Dtype> = Dtype::tensor_tensor().collect();
        let mut cells = Vec::new();
        for (done, &op) in AluOp::ALL.iter().enumerate() {
            progress(done);
            for &src0 in &dtypes {
                for &src1 in &dtypes {
                    for &out in &dtypes {
                        let lanes = lanes(op, Types { src0, src1, out }, &setting);
                        cells.extend(lanes.into_iter().map(|(lane, engines)| Cell::new(lane, engines, &setting)));
                    }
                }
            }
        }
        let mut without: BTreeMap<String, usize> = BTreeMap::new();
        for reason in cells.iter().filter_map(|cell| cell.reason.clone()) {
            *without.entry(reason).or_default() += 1;
        }
        let with_sequence = cells.iter().filter(|cell| cell.reason.is_none()).count();
        Self { setting, cells, with_sequence, without }
    }
}

impl Draw for LowerAll {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        let mut table = look.table(&["op", "src0", "src1", "result", "taken by", "elements", "sure", "sequence"]);
        for cell in &self.cells {
            let [src0, src1, result] = cell.types;
            table.add_row([
                cell.op,
                src0,
                src1,
                result,
                cell.engines.text(),
                &cell.elements.map_or_else(|| "-".to_owned(), |elements| elements.to_string()),
                cell.confidence.unwrap_or("-"),
                &cell.summary(),
            ]);
        }
        put_table(&table, out)?;
        writeln!(out, "{} cells, {} of them with a sequence", self.cells.len(), self.with_sequence)?;
        self.without.iter().try_for_each(|(reason, count)| writeln!(out, "{count}: {reason}"))
    }
}

/// One cell, scheduled.
#[derive(Clone, Debug, Serialize)]
pub struct LowerOne {
    /// What was asked under.
    #[serde(flatten)]
    pub setting: Setting,
    /// The cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// Elements of a turn of the scheduled loop: that of the sequence, or twice as many.
    pub loop_elements: Option<u32>,
    /// Bundles of a turn.
    pub interval: Option<u32>,
    /// Bundles of a turn that the slots ask for at least.
    pub least_interval: Option<u32>,
    /// Turns that overlap.
    pub stages: Option<u32>,
    /// Bundles before the loop: constants, what stands still, the loop's set-up.
    pub prologue: Vec<String>,
    /// Bundles of one turn once all its stages overlap.
    pub steady: Vec<String>,
    /// Why the word has none.
    pub error: Option<Failure>,
    /// The chart that was asked for.
    #[serde(skip)]
    pub svg: Option<String>,
}

/// A question to [`LowerOne`].
#[derive(Clone, Copy, Debug)]
pub struct LowerQuestion {
    /// The op.
    pub op: AluOp,
    /// Its dtypes.
    pub types: Types,
    /// How early results are forwarded.
    pub profile: Profile,
    /// Turns that a chart shows; none for no chart.
    pub chart: Option<u32>,
}

impl LowerOne {
    /// Lowers and schedules.
    ///
    /// # Errors
    /// When no engine takes such a word.
    pub fn new(question: &LowerQuestion, setting: Setting) -> Result<Self, String> {
        let LowerQuestion { op, types, profile, chart } = *question;
        let Some((lane, engines)) = lanes(op, types, &setting).into_iter().next() else {
            let Types { src0, src1, out } = types;
            return Err(format!(
                "no engine takes a word of {op} on {src0}, {src1}, {out} on {}; `vq7 explain --op {} --types {src0},{src1},{out} \
                 --a 0 --b 0` says which rule says no",
                setting.generation,
                op.name()
            ));
        };
        let cell = Cell::new(lane, engines, &setting);
        let shape = Shape { strict: profile == Profile::TieStrict, ..Shape::default() };
        let mut answer = Self {
            setting,
            loop_elements: None,
            interval: None,
            least_interval: None,
            stages: None,
            prologue: Vec::new(),
            steady: Vec::new(),
            error: None,
            svg: None,
            cell,
        };
        let kernel = match Iss::new().kernel(Work::Elementwise(lane), shape, &setting.policy) {
            Ok(kernel) => kernel,
            Err(reason) => {
                answer.error = Some(Failure { kind: "unimplemented", message: reason.to_string() });
                return Ok(answer);
            }
        };
        answer.loop_elements = Some(kernel.unit());
        answer.interval = Some(kernel.interval);
        answer.least_interval = Some(kernel.bound);
        answer.stages = Some(kernel.stages());
        let turns = kernel.stages().saturating_add(1);
        let rolled = emit::roll(&kernel, turns, false).map_err(|error| error.to_string())?;
        let line = |bundle: &vq7_iss::bundle::Bundle| bundle.to_string();
        let start = rolled.prologue as usize + (turns - 1).saturating_mul(kernel.interval) as usize;
        answer.prologue = rolled.bundles.iter().take(rolled.prologue as usize).map(line).collect();
        answer.steady = rolled.bundles.iter().skip(start).take(kernel.interval as usize).map(line).collect();
        if let Some(turns) = chart {
            let rolled = emit::roll(&kernel, turns.max(1), false).map_err(|error| error.to_string())?;
            let [src0, src1, out] = answer.cell.types;
            let title = format!(
                "{} on {src0}, {src1} to {out}: {turns} turns of {} elements, profile {}",
                answer.cell.op,
                kernel.unit(),
                profile.name()
            );
            answer.svg = picture(&kernel, &rolled, &title, profile);
        }
        Ok(answer)
    }
}

/// The chart of a loop, run on zeros.
fn picture(kernel: &Kernel, rolled: &Rolled, title: &str, profile: Profile) -> Option<String> {
    let mut state = State::new();
    state.memory.set(DATA_RAM, &rolled.pool).ok()?;
    let streams = [1, 2, 3].map(|stream: u32| DATA_RAM.saturating_add(stream.saturating_mul(APART)));
    for (cell, value) in emit::addresses(kernel, DATA_RAM, streams, kernel.unit()) {
        state.set_line(cell, Line::from_word(value));
    }
    let options = IssOptions { profile, params: Params::default(), limit: LIMIT, trace: None, svg: true };
    IssRun::new(&rolled.work, state, title, &options).svg
}

impl Draw for LowerOne {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        let [src0, src1, result] = self.cell.types;
        let taken = self.cell.engines.text();
        writeln!(out, "{} on {src0}, {src1} to {result}, taken by {taken}", look.bold(self.cell.op))?;
        if let Some(Failure { message, .. }) = &self.error {
            return writeln!(out, "  {}", look.warn(message));
        }
        writeln!(
            out,
            "  {} bundles for {} elements, at least {}; {} stages (confidence LOW: the sequence is ours)",
            self.interval.unwrap_or_default(),
            self.loop_elements.unwrap_or_default(),
            self.least_interval.unwrap_or_default(),
            self.stages.unwrap_or_default()
        )?;
        writeln!(out, "  sequence: {}", self.cell.summary())?;
        writeln!(out, "  before the loop:")?;
        self.prologue.iter().try_for_each(|line| writeln!(out, "    {line}"))?;
        writeln!(out, "  one turn, all stages overlapping:")?;
        self.steady.iter().try_for_each(|line| writeln!(out, "    {line}"))
    }
}
