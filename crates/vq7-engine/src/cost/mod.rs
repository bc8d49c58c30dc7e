//! What a word costs: cycles per core and for the instruction, where they go, and what the figure rests on.
//!
//! | module | owns |
//! |---|---|
//! | [`model`] | the constants that no source settles, with their ends |
//! | [`row`] | one row's bundles on the scoreboard |
//! | [`vector`] | the formula that was published for the Vector engine |
//!
//! cycles of a core = dispatch + constants + rows * (row_setup + loop), cycles of the instruction = the slowest core's
//! (docs/spec/iss-lowering.md, "Cost").

pub mod model;
pub mod row;
pub mod vector;

pub use model::{CONSTANTS, Constant, Model, NOT_COUNTED};

use crate::dispatch;
use crate::executor::Order;
use crate::fault::Fault;
use crate::iss::{Iss, Rows, work_of};
use crate::job::{self, Job};
use crate::lower::kernel::{Kernel, Shape};
use crate::lower::{Reason, Work};
use crate::{Registers, cores, overlap};
use row::RowCost;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use vq7_isa::inst::{EXTENDED_OPCODE_OFFSET, Instruction};
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_iss::timing::Profile;
use vq7_policy::Policy;

/// Elements of one turn of a pseudo-op.
const PSEUDO_ELEMENTS: u32 = 16;
/// Bytes of a vector register.
const VECTOR_BYTES: u32 = 64;

/// Who waited for whom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stall {
    /// Mnemonic of the op that waited.
    pub op: &'static str,
    /// Mnemonic of the op that defines its operand.
    pub waits_for: &'static str,
}

/// The share of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreCost {
    /// Its number.
    pub core: u32,
    /// Partitions that it works on.
    pub partitions: u32,
    /// Rows: partitions by the outer dimensions of the walk.
    pub rows: u64,
    /// Cycles.
    pub cycles: u64,
}

/// The loop once all its stages overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steady {
    /// Elements of one turn.
    pub elements: u32,
    /// Bundles of one turn.
    pub bundles: u32,
    /// Bundles that the slots ask for at least.
    pub least_bundles: u32,
    /// Turns that overlap.
    pub stages: u32,
    /// Bytes of an element of the result.
    pub element_bytes: u32,
}

impl Steady {
    /// Bundles for as many elements as 64 bytes of the result hold.
    pub fn bundles_per_vector(&self) -> Ratio {
        Ratio {
            over: u64::from(self.bundles) * u64::from(VECTOR_BYTES / self.element_bytes.max(1)),
            under: u64::from(self.elements.max(1)),
        }
    }
}

/// An exact fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// Numerator.
    pub over: u64,
    /// Denominator, never 0.
    pub under: u64,
}

/// A constant that moves the figure.
#[derive(Clone, Copy, Debug)]
pub struct Rests {
    /// The constant.
    pub constant: &'static Constant,
    /// Its value.
    pub value: u32,
    /// Cycles of the instruction with the constant at its ends.
    pub cycles: [u64; 2],
}

/// What a word costs on the eight cores.
#[derive(Clone, Debug)]
pub struct Cost {
    /// Cycles of the instruction: those of the slowest core.
    pub cycles: u64,
    /// The least and the most under the constants' ends.
    pub range: [u64; 2],
    /// The cores that have a share.
    pub cores: Vec<CoreCost>,
    /// Cycles of the slowest core if its slots were never idle and nothing waited.
    pub lower_bound: u64,
    /// Bundles of the slowest core; 0 for a pseudo-op.
    pub bundles: u64,
    /// Elements of a row.
    pub row_elements: u32,
    /// One row.
    pub row: RowCost,
    /// Cycles that the slowest core waited, by cause, the most first.
    pub stalls: Vec<(Stall, u64)>,
    /// The loop; none for a pseudo-op.
    pub steady: Option<Steady>,
    /// The scheduled loop, for who wants to see it.
    pub kernel: Option<Arc<Kernel>>,
    /// Whether elements go one by one, because what one writes another reads.
    pub serial: bool,
    /// The constants that move the figure.
    pub rests_on: Vec<Rests>,
}

/// Why there is no figure.
#[derive(Clone, Debug, PartialEq)]
pub enum NoCost {
    /// The word cannot be looked at.
    Fault(Fault),
    /// The cores have no kernel for it.
    NoKernel(&'static str),
    /// It has no bundle sequence.
    Reason(Reason),
}

impl std::fmt::Display for NoCost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fault(fault) => fault.fmt(f),
            Self::NoKernel(why) => f.write_str(why),
            Self::Reason(reason) => reason.fmt(f),
        }
    }
}

/// A word as far as its cost goes: words with the same one cost the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Question {
    work: Work,
    shape: Shape,
    /// Elements of a row.
    length: u32,
    /// Rows of a partition.
    outer: u64,
    partition: u32,
    channels: u32,
    serial: bool,
}

/// Costs of words on one generation under one policy; keeps what it has found out.
#[derive(Debug)]
pub struct Costs {
    generation: Generation,
    policy: Policy,
    loops: Iss,
    known: HashMap<Question, Result<Cost, NoCost>>,
}

impl Costs {
    /// With nothing found out yet.
    pub fn new(generation: Generation, policy: Policy) -> Self {
        Self { generation, policy, loops: Iss::new(), known: HashMap::new() }
    }

    /// What a legal word that POOL takes costs.
    ///
    /// # Errors
    /// [`NoCost`].
    pub fn word(&mut self, instruction: &Instruction, registers: &Registers) -> Result<Cost, NoCost> {
        let question = self.question(instruction, registers)?;
        if let Some(known) = self.known.get(&question) {
            return known.clone();
        }
        let answer = question.answer(&self.loops, &self.policy);
        self.known.insert(question, answer.clone());
        answer
    }

    fn question(&self, instruction: &Instruction, registers: &Registers) -> Result<Question, NoCost> {
        let job = looked_up(instruction, self.generation, registers).map_err(NoCost::Fault)?;
        let opcode = instruction.header().opcode;
        let spec = instruction.encode().0.get(EXTENDED_OPCODE_OFFSET).copied().unwrap_or(0);
        let row = dispatch::lookup(dispatch::pool_table(self.generation), opcode, spec)
            .ok_or(NoCost::NoKernel("POOL has no kernel for this opcode"))?;
        let work = work_of(row.kernel, &job).ok_or(NoCost::NoKernel("this kernel has no bundle sequence"))?;
        let mut order = Order {
            kernel: row.kernel,
            job: &job,
            policy: &self.policy,
            coefficients: &[],
            scalars: &[],
            allow_uninit: true,
            overlaps: false,
            sources_written: true,
        };
        order.overlaps = !overlap::warnings(&job, order.reads_src1()).is_empty();
        let Rows { length, starts, shape, serial, .. } = Rows::of(&order);
        let outer = starts.len() as u64;
        Ok(Question { work, shape, length, outer, partition: job.dst.partition, channels: job.channels, serial })
    }
}

/// Looks a word up as the machine does.
pub(crate) fn looked_up(
    instruction: &Instruction,
    generation: Generation,
    registers: &Registers,
) -> Result<Job, Fault> {
    let geometry = generation.geometry();
    job::job(&job::resolve(instruction, registers, geometry)?, geometry)
}

impl Question {
    fn answer(&self, loops: &Iss, policy: &Policy) -> Result<Cost, NoCost> {
        let model = Model::default();
        let mut cost = self.at(&model, loops, policy)?;
        let cycles = |model: &Model| self.at(model, loops, policy).map(|cost| cost.cycles);
        let (mut low, mut high) = (model, model);
        for constant in &CONSTANTS {
            let value = constant.value(&model);
            let [down, up] = constant.ends;
            let ends = [cycles(&constant.with(&model, down))?, cycles(&constant.with(&model, up))?];
            if ends == [cost.cycles; 2] {
                continue;
            }
            cost.rests_on.push(Rests { constant, value, cycles: ends });
            let [first, last] = ends;
            let (cheap, dear) = if first <= last { (down, up) } else { (up, down) };
            low = constant.with(&low, if first.min(last) < cost.cycles { cheap } else { value });
            high = constant.with(&high, if first.max(last) > cost.cycles { dear } else { value });
        }
        cost.range = [cycles(&low)?.min(cost.cycles), cycles(&high)?.max(cost.cycles)];
        Ok(cost)
    }

    fn at(&self, model: &Model, loops: &Iss, policy: &Policy) -> Result<Cost, NoCost> {
        let shape =
            Shape { strict: model.profile == Profile::TieStrict, half_steps: model.div_lanes < 32, ..self.shape };
        let kernel = match loops.kernel(self.work, shape, policy) {
            Ok(kernel) => Some(kernel),
            Err(Reason::Macro) => None,
            Err(reason) => return Err(NoCost::Reason(reason)),
        };
        let row = match &kernel {
            Some(kernel) => row::row(kernel, self.length, model).map_err(|_| NoCost::Reason(Reason::NoSequence))?,
            None => {
                let turns = u64::from(self.length.div_ceil(PSEUDO_ELEMENTS));
                RowCost { cycles: turns * u64::from(self.pseudo(model)), ..RowCost::default() }
            }
        };
        let cycles = |rows: u64| {
            let per_row = u64::from(model.row_setup) + row.cycles;
            u64::from(model.dispatch) + row.constants + rows * per_row
        };
        let shares = cores::slices(self.partition, self.channels).filter(|(_, share)| !share.is_empty());
        let cores: Vec<CoreCost> = shares
            .map(|(core, share)| {
                let partitions = share.end.saturating_sub(share.start);
                let rows = u64::from(partitions) * self.outer;
                CoreCost { core, partitions, rows, cycles: cycles(rows) }
            })
            .collect();
        let most = cores.iter().map(|core| core.rows).max().unwrap_or(0);
        let steady = kernel.as_ref().map(|kernel| Steady {
            elements: kernel.unit(),
            bundles: kernel.interval,
            least_bundles: kernel.bound,
            stages: kernel.stages(),
            element_bytes: self.out().bytes(),
        });
        let least = match &steady {
            Some(steady) => {
                let turns = u64::from(self.length.div_ceil(steady.elements.max(1)));
                turns * u64::from(steady.least_bundles)
            }
            None => row.cycles,
        };
        let mut stalls: Vec<(Stall, u64)> =
            row.stalls.iter().map(|(stall, &cycles)| (stall.clone(), cycles * most)).collect();
        stalls.sort_by(|(a, x), (b, y)| y.cmp(x).then(a.cmp(b)));
        Ok(Cost {
            cycles: cores.iter().map(|core| core.cycles).max().unwrap_or(0),
            range: [0; 2],
            lower_bound: least * most,
            bundles: row.constant_bundles + row.bundles * most,
            cores,
            row_elements: self.length,
            row,
            stalls,
            steady,
            kernel,
            serial: self.serial,
            rests_on: Vec::new(),
        })
    }

    fn dtypes(&self) -> [Dtype; 3] {
        match self.work {
            Work::Elementwise(lane) => [lane.src0, lane.src1, lane.out],
            Work::CopyPredicated(dtypes) | Work::CastPredicated(dtypes) => dtypes,
        }
    }

    fn out(&self) -> Dtype {
        let [_, _, out] = self.dtypes();
        out
    }

    /// Cycles of a pseudo-op for 16 elements.
    fn pseudo(&self, model: &Model) -> u32 {
        match self.work {
            Work::Elementwise(lane) if lane.op == AluOp::Pow => model.pow,
            _ if self.dtypes().iter().any(|dtype| dtype.bits() == 64) => model.divide_64,
            _ => model.divide_32,
        }
    }
}

/// The causes of a cost's stalls, added up over a list of costs.
pub fn stalls<'a>(costs: impl Iterator<Item = &'a Cost>) -> Vec<(Stall, u64)> {
    let mut all: BTreeMap<Stall, u64> = BTreeMap::new();
    for (stall, cycles) in costs.flat_map(|cost| &cost.stalls) {
        *all.entry(stall.clone()).or_default() += cycles;
    }
    let mut list: Vec<_> = all.into_iter().collect();
    list.sort_by(|(a, x), (b, y)| y.cmp(x).then(a.cmp(b)));
    list
}
