//! From a scheduled loop to bundles: constants, what stands still along the row, the tail's predicates, and the loop rolled
//! out for a number of units.

use super::flow::{Access, Stream, VECTOR, Value, Var};
use super::kernel::{Kernel, Registers, pool, pool_offset};
use std::fmt;
use vq7_iss::bundle::{Arg, Bundle, BundleError, Op, OpError};
use vq7_iss::mnemonic::{self, Mnemonic, Role};
use vq7_iss::timing::{Bank, Cell, Params};
use vq7_iss::work::{BuildError, Work};

/// Address register of the pool's first sixteen constants, in their middle.
const POOL: u8 = 1;
/// Address register of the next sixteen.
const POOL_NEXT: u8 = 15;
/// Scalar register of what is left of the row.
const REST: u8 = 14;
/// Scratch.
const SCRATCH: u8 = 0;
/// Constants that one pool register reaches.
const REACH: u32 = 16;
/// Predicate registers kept for tails, and the first of them.
const TAILS: (usize, u8) = (4, 12);

/// A loop for a number of units, as bundles.
#[derive(Clone, Debug)]
pub struct Rolled {
    /// The program.
    pub work: Work,
    /// Its bundles, for people.
    pub bundles: Vec<Bundle>,
    /// Bytes of the pool.
    pub pool: Vec<u8>,
    /// Bundles before the loop.
    pub prologue: u32,
    /// The first of them, which load the constants: once for all rows of a word.
    pub constants: u32,
    /// Units.
    pub units: u32,
}

/// What is wrong with a kernel: a fault of the lowering, not of its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmitError {
    /// A mnemonic that the table lacks.
    Missing(&'static str),
    /// Operands that do not fit.
    Op(OpError),
    /// Ops that do not share a bundle.
    Bundle(BundleError),
    /// A bundle that the core does not take.
    Build(BuildError),
    /// More constants than the pool's registers reach.
    Pool,
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "no mnemonic {name}"),
            Self::Op(error) => error.fmt(f),
            Self::Bundle(error) => error.fmt(f),
            Self::Build(error) => error.fmt(f),
            Self::Pool => f.write_str("more constants than the pool has room for"),
        }
    }
}

impl From<OpError> for EmitError {
    fn from(error: OpError) -> Self {
        Self::Op(error)
    }
}

impl From<BundleError> for EmitError {
    fn from(error: BundleError) -> Self {
        Self::Bundle(error)
    }
}

impl From<BuildError> for EmitError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

/// Rolls a loop out for `units` units; `tail` says whether the last one is not full.
///
/// # Errors
/// [`EmitError`].
pub fn roll(kernel: &Kernel, units: u32, tail: bool) -> Result<Rolled, EmitError> {
    roll_with(kernel, units, tail, &Params::default())
}

/// As [`roll`], with other stages.
///
/// # Errors
/// [`EmitError`].
pub fn roll_with(kernel: &Kernel, units: u32, tail: bool, params: &Params) -> Result<Rolled, EmitError> {
    let mut emit = Emit { kernel, bundles: Vec::new(), pool: pool(&kernel.flow), tails: Vec::new() };
    if tail {
        emit.find_tails();
    }
    emit.constants()?;
    let constants = emit.bundles.len() as u32;
    emit.still()?;
    emit.tail_predicates()?;
    // The hardware loop: one bundle to set it up, nothing for its back edge.
    emit.one(op("NOP", &[])?)?;
    let prologue = emit.bundles.len() as u32;
    emit.rolled(units)?;
    let Emit { bundles, pool, .. } = emit;
    let mut work = Work::default();
    for (line, bundle) in (1..).zip(&bundles) {
        bundle.build_with(&mut work, line, params)?;
    }
    Ok(Rolled { work, bundles, pool, prologue, constants, units })
}

fn row(name: &'static str) -> Result<&'static Mnemonic, EmitError> {
    mnemonic::find(name).ok_or(EmitError::Missing(name))
}

fn op(name: &'static str, args: &[Arg]) -> Result<Op, EmitError> {
    Ok(Op::new(row(name)?, args)?)
}

fn reg(bank: Bank, number: u8) -> Arg {
    // A number past the file is refused by the op that it belongs to.
    bank.cell(number).map_or(Arg::Imm(-1), Arg::Reg)
}

struct Emit<'a> {
    kernel: &'a Kernel,
    bundles: Vec<Bundle>,
    pool: Vec<u8>,
    /// Stores whose last one is guarded: step, predicate register, place of the index constant in the pool.
    tails: Vec<(usize, u8, u32, Access)>,
}

impl Emit<'_> {
    fn one(&mut self, op: Op) -> Result<(), EmitError> {
        self.bundles.push(Bundle::place(vec![op])?);
        Ok(())
    }

    fn pool_args(&self, offset: u32) -> Result<[Arg; 2], EmitError> {
        let index = offset / VECTOR;
        let (register, first) = match index {
            0..REACH => (POOL, 0),
            _ => (POOL_NEXT, REACH),
        };
        if index >= 2 * REACH {
            return Err(EmitError::Pool);
        }
        let steps = i64::from(index) - i64::from(first) - i64::from(REACH / 2);
        Ok([reg(Bank::Ar, register), Arg::Imm(steps * i64::from(VECTOR))])
    }

    /// The constants that have a register, two loads to a bundle.
    fn constants(&mut self) -> Result<(), EmitError> {
        let mut loads = Vec::new();
        for (index, slot) in self.kernel.flow.slots.iter().enumerate() {
            let Some(Some(registers)) = self.kernel.registers.get(index) else { continue };
            if slot.constant.is_none() {
                continue;
            }
            let [base, offset] = self.pool_args(pool_offset(&self.kernel.flow, Var(index as u16)))?;
            loads.push(op("LV2NX8_I", &[reg(Bank::Vec, registers.first), base, offset])?);
        }
        for pair in loads.chunks(2) {
            self.bundles.push(Bundle::place(pair.to_vec())?);
        }
        Ok(())
    }

    /// What stands still along the row: one step after the other.
    fn still(&mut self) -> Result<(), EmitError> {
        for &number in &self.kernel.setup {
            let Some(step) = self.kernel.flow.steps.get(number) else { continue };
            let access = step.values.iter().find_map(|value| match value {
                Value::Address(access) => Some(*access),
                _ => None,
            });
            match access.and_then(|number| Some((number, *self.kernel.flow.accesses.get(usize::from(number))?))) {
                Some((number, access)) => self.broadcast(number, access, step.values.first())?,
                None => {
                    let args = self.args(number, 0)?;
                    self.one(Op::new(step.mnemonic, &args)?)?;
                }
            }
        }
        Ok(())
    }

    /// One element to every lane.
    fn broadcast(&mut self, number: u16, access: Access, target: Option<&Value>) -> Result<(), EmitError> {
        let base = self.kernel.addresses.get(usize::from(number)).map_or(SCRATCH, |&(base, _)| base);
        let Some(Value::Var(var)) = target else { return Ok(()) };
        let target = self.var(*var, 0);
        if access.element == 8 {
            // The element lies eight times in the row's buffer.
            return self.one(op("LV2NX8_I", &[target, reg(Bank::Ar, base), Arg::Imm(0)])?);
        }
        let scratch = reg(Bank::Ar, SCRATCH);
        let load = match access.element {
            1 => "L8UI",
            2 => "L16UI",
            _ => "L32I",
        };
        self.one(op(load, &[scratch, reg(Bank::Ar, base), Arg::Imm(0)])?)?;
        let signed = self.kernel.flow.steps.iter().any(|step| {
            step.values.contains(&Value::Address(number))
                && matches!(step.mnemonic.body, mnemonic::Body::Load(_, mnemonic::Layout::Elements(_, _, true)))
        });
        if signed {
            let up = Arg::Imm(i64::from(32 - 8 * access.element));
            self.one(op("SLLI", &[scratch, scratch, up])?)?;
            self.one(op("SRAI", &[scratch, scratch, up])?)?;
        }
        let (spread, replicate) = match access.lane_bits {
            8 => ("MOVVA8", "REP2NX8"),
            16 => ("MOVVA16", "REPNX16"),
            _ => ("MOVVA32", "REPN_2X32"),
        };
        self.one(op(spread, &[target, scratch])?)?;
        self.one(op(replicate, &[target, target, Arg::Imm(0)])?)
    }

    /// Stores that have a merging form and no guard yet, if there are predicate registers for all of them.
    fn find_tails(&mut self) {
        let mut found = Vec::new();
        for &(number, _) in &self.kernel.body {
            let Some(step) = self.kernel.flow.steps.get(number) else { continue };
            let access = step.values.iter().find_map(|value| match value {
                Value::Address(access) => self.kernel.flow.accesses.get(usize::from(*access)),
                _ => None,
            });
            if let Some(access) = access.filter(|access| access.stream == Stream::Dst && step.mnemonic.is_store()) {
                let guarded = step.mnemonic.operands.last().is_some_and(|operand| operand.bank == Bank::Vbool);
                if !guarded {
                    found.push((number, *access));
                }
            }
        }
        if found.len() > TAILS.0 {
            return;
        }
        for (index, (number, access)) in found.into_iter().enumerate() {
            let place = self.pool.len() as u32;
            let size = (access.lane_bits / 8).max(1) as usize;
            let first = access.offset / access.element.max(1);
            for lane in 0..VECTOR as usize / size {
                let element = first + lane as u32 / access.lanes_per_element.max(1);
                self.pool.extend(element.to_le_bytes().iter().take(size));
            }
            self.tails.push((number, TAILS.1 + index as u8, place, access));
        }
    }

    fn tail_predicates(&mut self) -> Result<(), EmitError> {
        let mut spread_width = 0;
        let (index, rest) = (reg(Bank::Vec, 30), reg(Bank::Vec, 31));
        for (_, predicate, place, access) in self.tails.clone() {
            let (spread, replicate, less) = match access.lane_bits {
                8 => ("MOVVA8", "REP2NX8", "LTU2NX8"),
                16 => ("MOVVA16", "REPNX16", "LTUNX16"),
                _ => ("MOVVA32", "REPN_2X32", "LTUN_2X32"),
            };
            if spread_width != access.lane_bits {
                spread_width = access.lane_bits;
                self.one(op(spread, &[rest, reg(Bank::Ar, REST)])?)?;
                self.one(op(replicate, &[rest, rest, Arg::Imm(0)])?)?;
            }
            let [base, offset] = self.pool_args(place)?;
            self.one(op("LV2NX8_I", &[index, base, offset])?)?;
            self.one(op(less, &[reg(Bank::Vbool, predicate), index, rest])?)?;
        }
        Ok(())
    }

    fn var(&self, var: Var, iteration: u32) -> Arg {
        match self.kernel.registers.get(usize::from(var.0)) {
            Some(&Some(Registers { bank, first, count })) => {
                reg(bank, first.saturating_add((iteration % u32::from(count.max(1))) as u8))
            }
            _ => Arg::Imm(-1),
        }
    }

    fn args(&self, number: usize, iteration: u32) -> Result<Vec<Arg>, EmitError> {
        let Some(step) = self.kernel.flow.steps.get(number) else { return Ok(Vec::new()) };
        let mut args = Vec::with_capacity(step.values.len());
        let mut moves_on = None;
        for (operand, value) in step.mnemonic.operands.iter().zip(&step.values) {
            match *value {
                Value::Var(var) => args.push(self.var(var, iteration)),
                Value::Address(access) => {
                    let (base, by) = self.kernel.addresses.get(usize::from(access)).copied().unwrap_or((SCRATCH, 0));
                    args.push(reg(Bank::Ar, base));
                    moves_on = (operand.role == Role::PostBase).then_some(by);
                }
                Value::Pool(var) => {
                    let [base, offset] = self.pool_args(pool_offset(&self.kernel.flow, var))?;
                    args.push(base);
                    moves_on = None;
                    args.push(offset);
                }
                Value::Imm(value) => match (args.len() < step.mnemonic.operands.len(), moves_on.take()) {
                    (true, Some(by)) => args.push(Arg::Imm(by.into())),
                    (true, None) => args.push(Arg::Imm(value)),
                    // The pool's constant stands there already.
                    (false, _) => {}
                },
            }
        }
        Ok(args)
    }

    /// Bundle `t` holds every step of an iteration `i` with `t = i * interval + time`.
    fn rolled(&mut self, units: u32) -> Result<(), EmitError> {
        let kernel = self.kernel;
        let (interval, length) = (kernel.interval.max(1), kernel.length());
        let total = units.saturating_sub(1).saturating_mul(interval).saturating_add(length);
        for at in 0..total {
            let mut ops = Vec::new();
            for &(number, time) in &kernel.body {
                let Some(since) = at.checked_sub(time).filter(|since| since.is_multiple_of(interval)) else { continue };
                let iteration = since / interval;
                if iteration < units {
                    ops.push(self.step(number, iteration, iteration + 1 == units)?);
                }
            }
            if ops.is_empty() {
                ops.push(op("NOP", &[])?);
            }
            self.bundles.push(Bundle::place(ops)?);
        }
        Ok(())
    }

    fn step(&self, number: usize, iteration: u32, last: bool) -> Result<Op, EmitError> {
        let mut args = self.args(number, iteration)?;
        let step = self.kernel.flow.steps.get(number).ok_or(EmitError::Pool)?;
        let tail = self.tails.iter().find(|(store, ..)| last && *store == number);
        let Some((_, predicate, ..)) = tail else { return Ok(Op::new(step.mnemonic, &args)?) };
        let merging = match step.mnemonic.name {
            "SV2NX8_IP" => "SV2NX8T_IP",
            "SVNX8U_IP" => "SVNX8UT_IP",
            "SVN_2X16S_IP" => "SVN_2X16ST_IP",
            _ => "SVN_2X16UT_IP",
        };
        args.push(reg(Bank::Vbool, *predicate));
        op(merging, &args)
    }
}

/// Registers that a run of a rolled program begins with: pool, streams, what is left for the last unit.
pub fn addresses(kernel: &Kernel, pool: u32, streams: [u32; 3], rest: u32) -> Vec<(Cell, u32)> {
    let mut list = Vec::new();
    let mut set = |number: u8, value: u32| list.extend(Bank::Ar.cell(number).map(|cell| (cell, value)));
    set(POOL, pool.saturating_add(REACH / 2 * VECTOR));
    set(POOL_NEXT, pool.saturating_add((REACH + REACH / 2) * VECTOR));
    set(REST, rest);
    for (access, &(register, _)) in kernel.flow.accesses.iter().zip(&kernel.addresses).rev() {
        let start = match access.stream {
            Stream::Src0 => streams[0],
            Stream::Src1 => streams[1],
            Stream::Dst => streams[2],
        };
        set(register, start.saturating_add(access.offset));
    }
    list
}
