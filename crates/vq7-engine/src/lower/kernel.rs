//! The scheduled loop of a word: which step issues when, and which registers its variables have.

use super::allocate::{Life, allocate};
use super::flow::{Flow, Step, Stream, VECTOR, Value, Var};
use super::modulo::{self, Edge, Node, Order};
use super::{Reason, Work, lower};
use std::collections::BTreeMap;
use vq7_iss::format::SlotSet;
use vq7_iss::mnemonic::{self, Role};
use vq7_iss::timing::Bank;
use vq7_policy::Policy;

/// Vector registers that constants may hold all the time, one try after the other; the others are loaded where they are
/// used.
const RESIDENT: [usize; 3] = [14, 8, 3];
/// Address registers that streams may have; the others of the sixteen hold the pool, a tail and a count.
const ADDRESSES: usize = 12;
/// The longest interval that is tried.
const LONGEST: u32 = 600;
/// Bodies of at most that many steps are tried with two units, which can halve a slot that one unit wastes.
const SHORT: usize = 20;

/// How a row of the word lies in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Whether src0 and src1 stand still along the row.
    pub still: [bool; 2],
    /// Whether src0, src1 and dst have another step than one element.
    pub strided: [bool; 3],
    /// How early results are forwarded.
    pub strict: bool,
    /// Whether a divide step serves 16 lanes, so that there are two of each: for timing only, the second one has no
    /// values of its own.
    pub half_steps: bool,
}

/// One variable's registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Their file.
    pub bank: Bank,
    /// The first one.
    pub first: u8,
    /// How many: iteration `i` has the one with number `i` modulo this.
    pub count: u8,
}

/// A loop, scheduled.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What was lowered.
    pub work: Work,
    /// Its steps; the first `setup` of them run once per row.
    pub flow: Flow,
    /// Steps that do not depend on the unit.
    pub setup: Vec<usize>,
    /// Steps of the loop with the bundle of each, counted from the start of its iteration.
    pub body: Vec<(usize, u32)>,
    /// Bundles from one iteration to the next.
    pub interval: u32,
    /// The shortest interval that the slots alone allow (docs/spec/iss-lowering.md, "Cost").
    pub bound: u32,
    /// Registers of each variable; none for a constant that is loaded where it is used.
    pub registers: Vec<Option<Registers>>,
    /// The address register of each access, and by how many bytes it moves on.
    pub addresses: Vec<(u8, u32)>,
    /// Address register of the constants' pool.
    pub pool: u8,
    /// Pseudo-ops of strided streams per unit.
    pub gathers: u32,
}

impl Kernel {
    /// Lowers and schedules.
    ///
    /// # Errors
    /// [`Reason`]: no sequence, or none that fits the registers.
    pub fn new(work: Work, shape: Shape, policy: &Policy) -> Result<Self, Reason> {
        let one = Draft::new(lower(work, policy, 1)?, shape).schedule(work)?;
        if one.body.len() > SHORT || one.interval < 2 {
            return Ok(one);
        }
        match lower(work, policy, 2).and_then(|flow| Draft::new(flow, shape).schedule(work)) {
            Ok(two) if two.interval < 2 * one.interval => Ok(two),
            _ => Ok(one),
        }
    }

    /// Bundles from the first step of an iteration to its last.
    pub fn length(&self) -> u32 {
        self.body.iter().map(|(_, time)| time + 1).max().unwrap_or(0)
    }

    /// Iterations that overlap.
    pub fn stages(&self) -> u32 {
        self.length().div_ceil(self.interval.max(1))
    }

    /// Elements of an iteration.
    pub const fn unit(&self) -> u32 {
        self.flow.unit
    }
}

/// A body on its way to a schedule.
struct Draft {
    flow: Flow,
    shape: Shape,
    /// Steps that depend on the unit.
    moving: Vec<bool>,
    gathers: u32,
}

/// How an operand of a step touches its variable.
#[derive(Clone, Copy)]
struct Touch {
    step: usize,
    read: Option<u8>,
    write: Option<u8>,
}

impl Draft {
    fn new(mut flow: Flow, shape: Shape) -> Self {
        if shape.half_steps {
            let steps = std::mem::take(&mut flow.steps).into_iter();
            let twice = |step: Step| if is_divide_step(&step) { vec![step.clone(), step] } else { vec![step] };
            flow.steps = steps.flat_map(twice).collect();
        }
        let moving = moving(&flow, shape);
        let gathers = flow.accesses.iter().filter(|access| shape.strided.get(index(access.stream)) == Some(&true));
        // Eight lanes each.
        let gathers = gathers.map(|access| (access.bytes / access.element.max(1)).div_ceil(8)).sum();
        Self { flow, shape, moving, gathers }
    }

    /// Tries with all constants in registers, then with fewer: the others are loaded where they are used.
    fn schedule(&self, work: Work) -> Result<Kernel, Reason> {
        let used = self.constants();
        let fewer = RESIDENT.iter().copied().filter(|&resident| resident < used.len());
        let mut best: Option<Kernel> = None;
        for resident in [used.len()].into_iter().chain(fewer) {
            let mut draft = Self { flow: self.flow.clone(), moving: self.moving.clone(), ..*self };
            let loaded: Vec<Var> = used.iter().skip(resident).copied().collect();
            draft.load_where_used(&loaded);
            let most = best.as_ref().map_or(LONGEST, |kernel| kernel.interval - 1);
            let (kernel, least) = draft.within(work, &loaded, most);
            best = kernel.or(best);
            if best.as_ref().is_some_and(|kernel| kernel.interval <= least + least / 8) {
                break;
            }
        }
        best.ok_or(Reason::NoSequence)
    }

    /// The shortest interval up to `most` that fits, and what the slots ask for at least.
    fn within(self, work: Work, loaded: &[Var], most: u32) -> (Option<Kernel>, u32) {
        let places = |step: &usize| self.flow.steps.get(*step).map_or(SlotSet::NONE, |step| step.mnemonic.slots);
        let steps: Vec<usize> =
            (0..self.flow.steps.len()).filter(|&step| self.moving.get(step) == Some(&true)).collect();
        let chained = self.flow.accesses.len() > ADDRESSES;
        let edges = self.edges(&steps, chained);
        let mut nodes: Vec<Node> = steps.iter().map(|step| Node { places: places(step) }).collect();
        let gather = mnemonic::find("VQ7.GATHER").map_or(SlotSet::NONE, |row| row.slots);
        nodes.extend((0..self.gathers).map(|_| Node { places: gather }));
        let least = least(&nodes).max(self.gathers);
        let mut interval = least;
        while interval <= most {
            for order in [Order::Height, Order::Text] {
                let Some(times) = modulo::schedule(&nodes, &edges, interval, order) else { continue };
                let body: Vec<(usize, u32)> = steps.iter().copied().zip(times).collect();
                if let Some(registers) = self.registers(&body, interval, loaded) {
                    return (Some(self.finish(work, body, (interval, least), registers, chained)), least);
                }
            }
            // A long body that does not fit is not tried bundle by bundle.
            interval += (interval / 16).max(1);
        }
        (None, least)
    }

    /// The constants that steps use, the most used first.
    fn constants(&self) -> Vec<Var> {
        let mut counts: BTreeMap<Var, usize> = BTreeMap::new();
        for step in &self.flow.steps {
            for value in &step.values {
                if let Value::Var(var) = value
                    && self.is_constant(*var)
                {
                    *counts.entry(*var).or_default() += 1;
                }
            }
        }
        let mut list: Vec<(Var, usize)> = counts.into_iter().collect();
        list.sort_by_key(|&(var, count)| (std::cmp::Reverse(count), var));
        list.into_iter().map(|(var, _)| var).collect()
    }

    fn is_constant(&self, var: Var) -> bool {
        self.flow.slots.get(usize::from(var.0)).is_some_and(|slot| slot.constant.is_some())
    }

    /// Puts a load from the pool before each step that uses one of these constants.
    fn load_where_used(&mut self, constants: &[Var]) {
        let Some(load) = mnemonic::find("LV2NX8_I") else { return };
        let steps = std::mem::take(&mut self.flow.steps);
        let moving = std::mem::take(&mut self.moving);
        for (mut step, moves) in steps.into_iter().zip(moving) {
            for value in &mut step.values {
                if let Value::Var(var) = *value
                    && constants.contains(&var)
                {
                    let copy = self.flow.variable(Bank::Vec);
                    self.flow
                        .steps
                        .push(Step { mnemonic: load, values: vec![Value::Var(copy), Value::Pool(var), Value::Imm(0)] });
                    self.moving.push(moves);
                    *value = Value::Var(copy);
                }
            }
            self.flow.steps.push(step);
            self.moving.push(moves);
        }
    }

    fn touches(&self, steps: &[usize]) -> BTreeMap<Var, Vec<Touch>> {
        let mut all: BTreeMap<Var, Vec<Touch>> = BTreeMap::new();
        for &number in steps {
            let Some(step) = self.flow.steps.get(number) else { continue };
            for (operand, value) in step.mnemonic.operands.iter().zip(&step.values) {
                if let Value::Var(var) = value {
                    let read = (operand.use_stage > 0).then_some(operand.use_stage);
                    let write = (operand.def_stage > 0).then_some(operand.def_stage);
                    all.entry(*var).or_default().push(Touch { step: number, read, write });
                }
            }
        }
        all
    }

    /// Bundles between a step that defines at one stage and one that reads at another.
    fn latency(&self, bank: Bank, def: u8, read: u8) -> u32 {
        let early = u8::from(bank.is_vector_side() && !self.shape.strict);
        1 + u32::from(def.saturating_sub(read).saturating_sub(early))
    }

    fn edges(&self, steps: &[usize], chained: bool) -> Vec<Edge> {
        let place: BTreeMap<usize, usize> = steps.iter().enumerate().map(|(index, &step)| (step, index)).collect();
        let mut edges = Vec::new();
        let mut edge = |from: usize, to: usize, latency: u32, distance: u32| {
            if let (Some(&from), Some(&to)) = (place.get(&from), place.get(&to))
                && (from != to || distance > 0)
            {
                edges.push(Edge { from, to, latency, distance });
            }
        };
        for (var, touches) in self.touches(steps) {
            let Some(slot) = self.flow.slots.get(usize::from(var.0)) else { continue };
            let mut writer: Option<(usize, u8)> = None;
            let mut readers: Vec<usize> = Vec::new();
            for touch in touches {
                if let (Some(stage), Some((from, def))) = (touch.read, writer) {
                    edge(from, touch.step, self.latency(slot.file, def, stage), 0);
                }
                if let Some(def) = touch.write {
                    readers.iter().for_each(|&reader| edge(reader, touch.step, 0, 0));
                    if let Some((from, _)) = writer {
                        edge(from, touch.step, 1, 0);
                    }
                    writer = Some((touch.step, def));
                    readers.clear();
                }
                if touch.read.is_some() {
                    readers.push(touch.step);
                }
            }
        }
        if chained {
            for stream in [Stream::Src0, Stream::Src1, Stream::Dst] {
                let mut accesses = self.accesses_of(stream, steps);
                accesses.sort_by_key(|&(offset, _)| offset);
                for pair in accesses.windows(2) {
                    if let [(_, from), (_, to)] = pair {
                        edge(*from, *to, 1, 0);
                    }
                }
                if let (Some(&(_, first)), Some(&(_, last))) = (accesses.first(), accesses.last()) {
                    edge(last, first, 1, 1);
                }
            }
        }
        edges
    }

    /// The moving accesses of a stream: offset and step.
    fn accesses_of(&self, stream: Stream, steps: &[usize]) -> Vec<(u32, usize)> {
        let of = |&step: &usize| {
            let address = self.flow.steps.get(step)?.values.iter().find_map(|value| match value {
                Value::Address(access) => self.flow.accesses.get(usize::from(*access)),
                _ => None,
            })?;
            (address.stream == stream).then_some((address.offset, step))
        };
        steps.iter().filter_map(of).collect()
    }

    /// Registers for every variable, or nothing if a file is too small.
    fn registers(&self, body: &[(usize, u32)], interval: u32, loaded: &[Var]) -> Option<Vec<Option<Registers>>> {
        let times: BTreeMap<usize, u32> = body.iter().copied().collect();
        let all: Vec<usize> = (0..self.flow.steps.len()).collect();
        let mut lives = vec![None; self.flow.slots.len()];
        for (var, touches) in self.touches(&all) {
            let slot = self.flow.slots.get(usize::from(var.0))?;
            if loaded.contains(&var) {
                continue;
            }
            let moving: Vec<(u32, &Touch)> =
                touches.iter().filter_map(|touch| Some((*times.get(&touch.step)?, touch))).collect();
            let life = if slot.constant.is_some() {
                Life::Always
            } else if moving.is_empty() {
                let steps = || touches.iter().map(|touch| touch.step as u32);
                Life::Setup(steps().min()?, steps().max()?)
            } else if moving.iter().all(|(_, touch)| touch.write.is_none()) {
                Life::Always
            } else {
                let writes = || moving.iter().filter(|(_, touch)| touch.write.is_some()).map(|(time, _)| *time);
                let reads = moving.iter().filter(|(_, touch)| touch.read.is_some()).map(|(time, _)| *time);
                let first = writes().min()?;
                // A bundle reads before it writes: the last reader's bundle may write the register again.
                let end = reads.max().unwrap_or(first).max(writes().max()? + 1);
                Life::Loop(first, end - first)
            };
            *lives.get_mut(usize::from(var.0))? = Some((slot.file, life));
        }
        allocate(&lives, interval, |bank| match bank {
            // The last vector and predicate registers are the tail's.
            Bank::Vec => bank.entries() - 2,
            Bank::Vbool => bank.entries() - 4,
            _ => bank.entries(),
        })
    }

    fn finish(
        self,
        work: Work,
        body: Vec<(usize, u32)>,
        (interval, bound): (u32, u32),
        registers: Vec<Option<Registers>>,
        chained: bool,
    ) -> Kernel {
        let setup = (0..self.flow.steps.len()).filter(|&step| self.moving.get(step) != Some(&true)).collect();
        let addresses = self.flow.accesses.iter().enumerate().map(|(number, access)| match chained {
            true => (2 + index(access.stream) as u8, access.bytes),
            false => (2 + number as u8, self.flow.unit.saturating_mul(access.element)),
        });
        let addresses = addresses.collect();
        Kernel {
            work,
            setup,
            body,
            interval,
            bound,
            registers,
            addresses,
            pool: 1,
            gathers: self.gathers,
            flow: self.flow,
        }
    }
}

/// Bundles that the steps need at least: five to a bundle, two of those that only slots 0 and 1 host, one of those that only
/// one slot hosts.
fn least(nodes: &[Node]) -> u32 {
    let ports = SlotSet::numbered(0).union(SlotSet::numbered(1));
    let count = |set: SlotSet| nodes.iter().filter(|node| node.places.is_within(set)).count() as u32;
    let single = (0..4).map(|slot| count(SlotSet::numbered(slot))).max().unwrap_or(0);
    (nodes.len() as u32).div_ceil(5).max(count(ports).div_ceil(2)).max(single).max(1)
}

fn is_divide_step(step: &Step) -> bool {
    step.mnemonic.name.starts_with("DIV")
}

const fn index(stream: Stream) -> usize {
    match stream {
        Stream::Src0 => 0,
        Stream::Src1 => 1,
        Stream::Dst => 2,
    }
}

/// Which steps depend on the unit: those that touch memory that moves on, and those that read or share a variable with
/// them.
fn moving(flow: &Flow, shape: Shape) -> Vec<bool> {
    let still = |stream: Stream| shape.still.get(index(stream)) == Some(&true);
    let mut moving: Vec<bool> = flow
        .steps
        .iter()
        .map(|step| {
            let mut accesses = step.values.iter().filter_map(|value| match value {
                Value::Address(access) => flow.accesses.get(usize::from(*access)),
                _ => None,
            });
            step.mnemonic.is_store() || accesses.any(|access| !still(access.stream))
        })
        .collect();
    loop {
        let mut touched: Vec<bool> = vec![false; flow.slots.len()];
        for (step, moves) in flow.steps.iter().zip(&moving) {
            for (operand, value) in step.mnemonic.operands.iter().zip(&step.values) {
                if let (Value::Var(var), true) = (value, *moves && matches!(operand.role, Role::Def | Role::Update)) {
                    touched[usize::from(var.0)] = true;
                }
            }
        }
        let mut changed = false;
        for (step, moves) in flow.steps.iter().zip(&mut moving) {
            let reaches =
                step.values.iter().any(|value| matches!(value, Value::Var(var) if touched[usize::from(var.0)]));
            if reaches && !*moves {
                *moves = true;
                changed = true;
            }
        }
        if !changed {
            return moving;
        }
    }
}

/// Bytes of the pool that hold a flow's constants, in the order of its variables.
pub fn pool(flow: &Flow) -> Vec<u8> {
    flow.slots.iter().filter_map(|slot| slot.constant).flatten().collect()
}

/// Where in the pool a constant begins.
pub fn pool_offset(flow: &Flow, var: Var) -> u32 {
    let before = flow.slots.iter().take(usize::from(var.0)).filter(|slot| slot.constant.is_some()).count();
    (before as u32).saturating_mul(VECTOR)
}
