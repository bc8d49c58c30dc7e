//! The machine: one word after the other, from judgement to update.

use crate::dispatch::{self, Kernel as Row};
use crate::executor::{self, Certainty, Computed, Executor, Order, Path, Reference};
use crate::fault::{Fault, Warning};
use crate::form;
use crate::job::{self, Job};
use crate::log::{self, Entry, Log};
use crate::registers::Registers;
use crate::semaphores::Semaphores;
use crate::state_buffer::StateBuffer;
use std::sync::Arc;
use vq7_isa::header::When;
use vq7_isa::inst::{EXTENDED_OPCODE_OFFSET, extended_name, why_not_run};
use vq7_isa::legality::{self, Bench, Engine, Judgement, Status};
use vq7_isa::opcode::{
    EXTENDED_INST, Opcode, TENSOR_SCALAR_PTR_ARITH_OP, TENSOR_SCALAR_PTR_BITVEC_OP, TENSOR_TENSOR_ARITH_OP,
    TENSOR_TENSOR_BITVEC_OP,
};
use vq7_isa::{Generation, Instruction};
use vq7_num::{Basis, Coefficients, Flags};
use vq7_policy::Policy;

/// What became of a word that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    /// What carried it out.
    pub path: Path,
    /// The kernel that ran.
    pub handler: &'static str,
    /// Partitions that took part; 0 for a word without tensors.
    pub channels: u32,
    /// Elements per channel.
    pub elements_per_channel: u64,
    /// Status raised by any element.
    pub flags: Flags,
    /// What the results rest on.
    pub basis: Basis,
    /// How flags and basis are meant.
    pub certainty: Certainty,
    /// Remarks.
    pub warnings: Vec<Warning>,
    /// What a debug image of the device logs.
    pub log: Log,
}

/// State Buffer, registers and semaphores of one engine, and the rules by which it runs.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The generation.
    pub generation: Generation,
    /// Whose gate a word must pass. With [`Engine::Any`], POOL runs what it takes, then DVE, then the structure alone.
    pub engine: Engine,
    /// The open questions.
    pub policy: Policy,
    /// SBUF and PSUM.
    pub memory: StateBuffer,
    /// What words name by number.
    pub registers: Registers,
    /// Semaphores and events.
    pub semaphores: Semaphores,
    /// Per-channel coefficients of BATCH_NORM_BACK_PROP, channel 0 first.
    pub coefficients: Vec<Coefficients>,
    /// Whether bytes that nothing wrote are read as zeros, with a warning, instead of a fault.
    pub allow_uninit: bool,
    /// What carries out the words.
    pub executor: Arc<dyn Executor>,
}

/// The word as it will run: judged, registers filled in, its engine chosen.
struct Admitted {
    instruction: Instruction,
    engine: Engine,
}

impl Machine {
    /// A machine with empty memory, no registers, semaphores at zero, and the reference executor.
    pub fn new(generation: Generation, engine: Engine, policy: Policy) -> Self {
        Self {
            generation,
            engine,
            policy,
            memory: StateBuffer::new(generation),
            registers: Registers::new(),
            semaphores: Semaphores::new(),
            coefficients: Vec::new(),
            allow_uninit: false,
            executor: Arc::new(Reference),
        }
    }

    /// The machine with another executor.
    #[must_use]
    pub fn with_executor(mut self, executor: Arc<dyn Executor>) -> Self {
        self.executor = executor;
        self
    }

    /// Runs a word: judge, wait, dispatch, compute, update.
    ///
    /// # Errors
    /// [`Fault`]. Then memory, semaphores and events are as they were before the word: what a device leaves behind after
    /// a failed word is not published.
    pub fn execute(&mut self, instruction: &Instruction) -> Result<Executed, Fault> {
        let semaphores = self.semaphores.clone();
        let result = self.step(instruction);
        if result.is_err() {
            self.semaphores = semaphores;
        }
        result
    }

    fn step(&mut self, instruction: &Instruction) -> Result<Executed, Fault> {
        let judgement = self.judge(instruction)?;
        let events = *instruction.events();
        let waited = self.semaphores.wait(&events, self.generation, &self.registers)?;
        let admitted = self.admit(instruction, judgement)?;
        let update = Semaphores::prepare(&events, self.generation, &self.registers)?;
        let mut executed = self.dispatch(&admitted)?;
        executed.log.begin_with(waited);
        // One word at a time: a reader of the semaphores sees both updates after the word. The log has them in order.
        for when in [When::Read, When::Complete] {
            if let Some((line, warning)) = self.semaphores.apply(&update, when) {
                executed.log.push(Entry::Ours(line));
                executed.warnings.extend(warning);
            }
        }
        if matches!(admitted.engine, Engine::Pool) {
            executed.log.push(Entry::Exit);
        }
        Ok(executed)
    }

    /// Holds a word against the rules. What is not judged runs only if it is the extended nop.
    fn judge(&self, instruction: &Instruction) -> Result<Judgement, Fault> {
        let bench = Bench { generation: self.generation, engine: self.engine, policy: &self.policy };
        let judgement = legality::judge(instruction, &bench);
        match judgement.status {
            Status::Legal => Ok(judgement),
            Status::Illegal => Err(Fault::Illegal(legality::explain(instruction, &bench))),
            Status::Unspecified => Err(Fault::Unspecified {
                note: legality::explain(instruction, &bench).note.unwrap_or("no source settles the result"),
                log: match instruction.header().opcode {
                    TENSOR_TENSOR_ARITH_OP if judgement.engines.pool => log::no_arm_64(),
                    _ => Vec::new(),
                },
            }),
            Status::NotJudged if is_extended_nop(instruction) && !matches!(self.engine, Engine::Dve) => Ok(judgement),
            Status::NotJudged => Err(self.not_run(instruction)),
        }
    }

    /// The fault of a word whose struct is not modelled, or that has an indirect operand.
    fn not_run(&self, instruction: &Instruction) -> Fault {
        let opcode = instruction.header().opcode;
        let indirect = match instruction {
            Instruction::TensorTensor(tt) => first_indirect([tt.src0.start, tt.src1.start, tt.dst.start]),
            Instruction::ExtendedTensorTensor(tta) => first_indirect([tta.src0.start, tta.src1.start, tta.dst.start]),
            Instruction::TensorScalar(ts) => first_indirect([ts.src.start, ts.src.start, ts.dst.start]),
            Instruction::ScalarTensorTensor(stt) => first_indirect([stt.src0.start, stt.src1.start, stt.dst.start]),
            Instruction::CopyCast(tr) => first_indirect([tr.src.start, tr.src.start, tr.dst.start]),
            Instruction::Other(_) => None,
        };
        if let Some((operand, marker)) = indirect {
            return Fault::unimplemented(format!("indirect addressing, marker {marker} on {operand}"));
        }
        let spec = instruction.encode().0.get(EXTENDED_OPCODE_OFFSET).copied().unwrap_or(0);
        let name = match Opcode::from_code(opcode) {
            Some(row) if opcode == EXTENDED_INST => {
                format!("{} {}", row.name, extended_name(spec).unwrap_or("of an unassigned number"))
            }
            Some(row) => row.name.to_owned(),
            None => "unknown".to_owned(),
        };
        let missed = matches!(self.engine, Engine::Pool)
            && dispatch::lookup(dispatch::pool_table(self.generation), opcode, spec).is_none();
        Fault::Unimplemented {
            what: match (opcode, why_not_run(opcode, spec)) {
                (EXTENDED_INST, None) => format!("opcode {opcode:#04x}/{spec} ({name})"),
                (EXTENDED_INST, Some(why)) => format!("opcode {opcode:#04x}/{spec} ({name}); {why}"),
                (_, None) => format!("opcode {opcode:#04x} ({name})"),
                (_, Some(why)) => format!("opcode {opcode:#04x} ({name}); {why}"),
            },
            log: if missed { miss_log(opcode, spec) } else { Vec::new() },
        }
    }

    /// Fills in registers, judges the result once more, and picks the engine.
    ///
    /// The published rules let an address from a register pass unseen. vq7 asks them again once it is known, so that a
    /// misaligned or mismatched register is named by the rule that would refuse it: our choice, `LOW INFERRED`.
    fn admit(&self, instruction: &Instruction, judgement: Judgement) -> Result<Admitted, Fault> {
        let resolved = job::resolve(instruction, &self.registers, self.generation.geometry())?;
        let judgement = if resolved == *instruction {
            judgement
        } else {
            self.judge(&resolved).map_err(|fault| match fault {
                Fault::Illegal(mut verdict) => {
                    verdict.note = Some("with the registers' values filled in");
                    Fault::Illegal(verdict)
                }
                other => other,
            })?
        };
        let engine = match self.engine {
            Engine::Any if judgement.engines.pool || is_extended_nop(instruction) => Engine::Pool,
            Engine::Any if judgement.engines.dve => Engine::Dve,
            chosen => chosen,
        };
        Ok(Admitted { instruction: resolved, engine })
    }

    /// Finds the word's kernel and runs it.
    fn dispatch(&mut self, admitted: &Admitted) -> Result<Executed, Fault> {
        let Admitted { instruction, engine } = admitted;
        let opcode = instruction.header().opcode;
        let spec = instruction.encode().0.get(EXTENDED_OPCODE_OFFSET).copied().unwrap_or(0);
        let pool = dispatch::lookup(dispatch::pool_table(self.generation), opcode, spec);
        let dve = dispatch::lookup(&dispatch::DVE, opcode, spec);
        let row = match engine {
            Engine::Pool => pool,
            Engine::Dve => dve,
            Engine::Any => pool.or(dve),
        };
        let row = row.ok_or_else(|| Fault::Unimplemented {
            what: format!("opcode {opcode:#04x}/{spec}: POOL's kernel table has no row for it on {}", self.generation),
            log: miss_log(opcode, spec),
        })?;
        if row.kernel == Row::ExtendedNop {
            return Ok(nop(row));
        }
        let job = job::job(instruction, self.generation.geometry())?;
        let Computed { path, mut warnings, flags, basis, certainty } = self.run(row, &job)?;
        if matches!(engine, Engine::Any) {
            warnings.push(Warning::NoEngine);
        }
        Ok(Executed {
            path,
            handler: row.handler,
            channels: job.channels,
            elements_per_channel: job.elements(),
            flags,
            basis,
            certainty,
            warnings,
            log: kernel_log(row, *engine, &job),
        })
    }

    fn run(&mut self, row: &dispatch::Row, job: &Job) -> Result<Computed, Fault> {
        let Self { policy, memory, coefficients, allow_uninit, executor, .. } = self;
        match row.kernel {
            Row::ExtendedNop | Row::NotModelled => return Err(Fault::unimplemented(row.handler)),
            Row::BatchNormBackProp if coefficients.len() < job.channels as usize => {
                return Err(Fault::NeedsCoefficients { have: coefficients.len(), need: job.channels });
            }
            _ => {}
        }
        let mut warnings = Vec::new();
        let scalars = match job.form {
            Some(_) => form::load_scalars(&job.scalars, job.channels, memory, *allow_uninit, &mut warnings)?,
            None => Vec::new(),
        };
        let order = Order {
            kernel: row.kernel,
            scalars: &scalars,
            job,
            policy,
            coefficients,
            allow_uninit: *allow_uninit,
            overlaps: false,
            sources_written: false,
        };
        let mut computed = executor::carry_out(executor.as_ref(), order, memory)?;
        computed.warnings.append(&mut warnings);
        Ok(Computed { basis: computed.basis.on(self.generation), ..computed })
    }
}

fn is_extended_nop(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Other(other) if other.header.opcode == EXTENDED_INST && other.payload.first() == Some(&0))
}

fn first_indirect(starts: [vq7_isa::address::Addr4; 3]) -> Option<(&'static str, &'static str)> {
    let mut operands = ["src0", "src1", "dst"].into_iter().zip(starts);
    operands.find(|(_, start)| start.is_indirect()).map(|(operand, start)| (operand, start.marker().name()))
}

fn miss_log(opcode: u8, spec: u8) -> Vec<String> {
    let mut lines = log::enter(opcode);
    lines.append(&mut match opcode {
        EXTENDED_INST => log::unknown_extended(spec),
        _ => log::unknown_opcode(opcode),
    });
    lines
}

fn nop(row: &'static dispatch::Row) -> Executed {
    let mut log = Log::default();
    log.push(Entry::Enter(row.opcode));
    log.push(Entry::ExtendedNop);
    Executed {
        path: Path::REFERENCE,
        handler: row.handler,
        channels: 0,
        elements_per_channel: 0,
        flags: Flags::NONE,
        basis: Basis::default(),
        certainty: Certainty::Exact,
        warnings: Vec::new(),
        log,
    }
}

/// What the device logs on the way into the kernel.
fn kernel_log(row: &dispatch::Row, engine: Engine, job: &Job) -> Log {
    let mut log = Log::default();
    if engine == Engine::Pool {
        log.push(Entry::Enter(row.opcode));
    }
    match (row.kernel, row.opcode) {
        (Row::TensorTensor, TENSOR_TENSOR_ARITH_OP) if engine == Engine::Pool => {
            log.push(Entry::TensorTensorArith(job.channels));
        }
        (Row::TensorTensor, TENSOR_TENSOR_BITVEC_OP) if engine == Engine::Pool => {
            log.push(Entry::TensorTensorBitvec(job.channels));
        }
        (Row::ExtendedTensorTensor, _) => {
            log.push(Entry::Extended(row.spec, job.channels));
            log.push(Entry::ExtendedTensorTensor(job.elements(), job.lane.op.code()));
        }
        (Row::CopyPredicated, _) => log.push(Entry::CopyPredicated),
        (Row::CastPredicated, _) => log.push(Entry::CastPredicated),
        (Row::Copy, _) if engine == Engine::Pool => log.push(Entry::CopyCast("Copy", job.channels)),
        (Row::Cast, _) if engine == Engine::Pool => log.push(Entry::CopyCast("Cast", job.channels)),
        (Row::TensorScalar, TENSOR_SCALAR_PTR_ARITH_OP | TENSOR_SCALAR_PTR_BITVEC_OP) if engine == Engine::Dve => {
            log.push(Entry::Worker("Tensor-Scalar-PTR"));
        }
        (Row::TensorScalar, _) if engine == Engine::Dve => log.push(Entry::Worker("Tensor-Scalar")),
        (Row::ScalarTensorTensor, _) => log.push(Entry::Worker("Scalar-Tensor-Tensor")),
        (Row::Scan, _) => log.push(Entry::Worker("TensorTensorScan")),
        _ => {}
    }
    log
}
