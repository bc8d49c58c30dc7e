//! `run`: a program, or a stream of words, run word by word.

use crate::advice::advice;
use crate::asm::Bound;
use crate::named::hex_bits;
use crate::path::{Ran, executor_names};
use crate::problem::Failure;
use crate::rests_on::{RestsOn, flag_names};
use crate::setting::Setting;
use crate::tt::Written;
use serde::Serialize;
use std::collections::BTreeMap;
use vq7_engine::fault::Signal;
use vq7_engine::{Certainty, Executed, Fault, Machine, Path, Warning};
use vq7_isa::address::Memory;
use vq7_isa::generation::PARTITIONS;
use vq7_isa::legality;
use vq7_isa::text::print_word;
use vq7_isa::word::WORD_BYTES;
use vq7_isa::{Dtype, Generation, Instruction, Word};
use vq7_num::format_value;
use vq7_num::{Basis, Flags};
use vq7_policy::Policy;
use vq7_program::{Array, CheckOutcome, Program, RunError, RunOutcome, Step, line_and_column};

mod draw;

/// Runs of at most so many words are listed word by word.
pub const LISTED: usize = 20;
/// So many words with remarks of a longer run are kept, and so many failures of one are drawn. Failures are all kept.
pub const KEPT: usize = 100;

/// How to run and how much to keep.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions<'a> {
    /// Go on after a word that failed.
    pub keep_going: bool,
    /// Keep every word, however many there are.
    pub every_word: bool,
    /// Keep what a debug image of the device would log.
    pub device_log: bool,
    /// Parts of memory to show afterwards.
    pub dumps: &'a [DumpRange],
}

/// Bytes of one partition of SBUF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DumpRange {
    /// The partition.
    pub partition: u32,
    /// The first byte.
    pub offset: u32,
    /// Bytes.
    pub length: u32,
}

impl DumpRange {
    /// Whether the bytes lie within the active bytes of a partition.
    ///
    /// # Errors
    /// Says where they end and what the limit is.
    pub fn check(&self, generation: Generation) -> Result<(), String> {
        let limit = generation.geometry().sbuf_active;
        let end = u64::from(self.offset) + u64::from(self.length);
        if end <= limit.into() {
            return Ok(());
        }
        let Self { partition, offset, length } = self;
        Err(format!(
            "{partition}:{offset:#x}:{length} ends at byte {end:#x}, and a partition of {generation} has {limit:#x} \
             active bytes"
        ))
    }

    /// Reads `PART:OFF:LEN`, decimal or 0x..
    ///
    /// # Errors
    /// Says what to write.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        };
        let numbers: Option<Vec<u32>> = text.split(':').map(|part| number(part.trim())).collect();
        match numbers.as_deref() {
            Some(&[partition, offset, length]) if partition < PARTITIONS && length > 0 => {
                Ok(Self { partition, offset, length })
            }
            _ => Err(format!(
                "`{text}` is no PARTITION:OFFSET:LENGTH; partitions are 0 to {}, numbers decimal or 0x.., for example \
                 0:0x1000:64",
                PARTITIONS - 1
            )),
        }
    }
}

/// One word of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WordRun {
    /// Its place in the stream, from 0.
    pub index: usize,
    /// Its byte offset in the stream.
    pub offset: usize,
    /// Its line in the program, from 1.
    pub line: Option<usize>,
    /// The statement that it comes from.
    pub statement: Option<String>,
    /// The canonical line.
    pub text: String,
    /// `ran`, or the kind of failure: `illegal`, `out_of_bounds`, ..
    pub status: &'static str,
    /// Why it failed.
    pub message: Option<String>,
    /// What to do about it, where that is known.
    pub help: Option<String>,
    /// The executor that ran it.
    pub executor: Option<&'static str>,
    /// What carried it out, in one line: executor and kernel, or why not the one that was asked.
    pub path: Option<String>,
    /// How `flags` are meant: `exact`, or `at_most` these.
    pub certainty: Option<&'static str>,
    /// The kernel that ran.
    pub handler: Option<&'static str>,
    /// Partitions that took part.
    pub channels: u32,
    /// Elements per partition.
    pub elements_per_channel: u64,
    /// Status raised by any element.
    pub flags: Vec<String>,
    /// Remarks.
    pub warnings: Vec<String>,
    /// What a debug image of the device logs; kept when asked for.
    pub device_log: Vec<String>,
}

/// An expectation, or elements that the program shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// The tensor.
    pub name: String,
    /// Its dtype.
    pub dtype: &'static str,
    /// The first element, row-major.
    pub first: usize,
    /// The line of the program.
    pub line: Option<usize>,
    /// Values found; none when part of them was never written.
    pub found: Option<Vec<String>>,
    /// Their bits.
    pub bits: Option<Vec<String>>,
    /// Values expected; none when the elements are only shown.
    pub expected: Option<Vec<String>>,
    /// Whether they agree.
    pub passed: bool,
    /// Why there are no values.
    pub message: Option<String>,
}

/// Bytes of memory after the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dump {
    /// The partition.
    pub partition: u32,
    /// The first byte.
    pub offset: u32,
    /// The bytes in hexadecimal; `--` where nothing was written.
    pub bytes: Vec<String>,
}

/// What became of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunAnswer {
    /// What it ran under.
    #[serde(flatten)]
    pub setting: Setting,
    /// Executors that ran, each once.
    pub executor: Option<String>,
    /// What carried out the words, each once.
    pub paths: Vec<Ran>,
    /// Words of the program.
    pub words: usize,
    /// Words that ran.
    pub executed: usize,
    /// Words that failed.
    pub failed: usize,
    /// Words that were not tried because an earlier one failed.
    pub skipped: usize,
    /// Words in order: all of a short run, else all that failed, and the first with a remark.
    pub results: Vec<WordRun>,
    /// Words with a remark beyond those listed.
    pub not_listed: usize,
    /// Expectations, in order.
    pub expectations: Vec<Reading>,
    /// Elements that the program shows, in order.
    pub shows: Vec<Reading>,
    /// Tensors that the run gives.
    pub outputs: Vec<Bound>,
    /// Files that were written; none unless all went well.
    pub written: Vec<Written>,
    /// Memory that was asked for.
    pub dumps: Vec<Dump>,
    /// Status raised by any element of any word.
    pub flags: Vec<String>,
    /// What the results rest on.
    #[serde(flatten)]
    pub grounds: RestsOn,
    /// Outputs without a value.
    pub missing_outputs: Vec<String>,
    /// Outputs that no file was named for.
    pub not_written: Vec<String>,
    /// Why the run failed; none when all went well.
    pub error: Option<Failure>,
    /// Whether all words are listed, in order.
    #[serde(skip)]
    complete: bool,
}

/// The program that words alone make: no tensors, no checks.
pub fn program_of_words(words: &[Word], setting: &Setting) -> Program {
    Program {
        names_target: false,
        generation: setting.generation,
        engine: None,
        policy: setting.policy,
        tensors: Vec::new(),
        steps: words.iter().map(|word| Step { word: *word, span: 0..0 }).collect(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        checks: Vec::new(),
    }
}

/// What is known while words run.
struct Recorder<'a> {
    program: &'a Program,
    source: Option<&'a str>,
    options: &'a RunOptions<'a>,
    results: Vec<WordRun>,
    remarks: usize,
    not_listed: usize,
    zeros_read: bool,
    paths: Vec<Path>,
    flags: Flags,
    basis: Basis,
    certainty: Certainty,
}

impl RunAnswer {
    /// Runs a program. The values of its outputs come beside the answer when all went well. `source` is the text that
    /// the program was assembled from; `progress` is told how many words are done.
    ///
    /// # Errors
    /// When inputs are missing or do not fit; nothing has run then.
    pub fn new(
        program: &Program,
        source: Option<&str>,
        machine: &mut Machine,
        inputs: &BTreeMap<String, Array>,
        setting: Setting,
        options: &RunOptions<'_>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(Self, Vec<(String, Array)>), RunError> {
        let mut recorder = Recorder {
            program,
            source,
            options,
            results: Vec::new(),
            remarks: 0,
            not_listed: 0,
            zeros_read: false,
            paths: Vec::new(),
            flags: Flags::NONE,
            basis: Basis::default(),
            certainty: Certainty::Exact,
        };
        let outcome = vq7_program::run(program, machine, inputs, options.keep_going, &mut |index, result| {
            recorder.note(index, result);
            progress(index + 1);
        })?;
        Ok(recorder.finish(outcome, machine, setting))
    }

    /// Why the run failed, from its counts; `None` when all went well.
    fn find_failure(&self) -> Option<Failure> {
        if self.failed > 0 {
            let first = self.results.iter().find(|word| word.message.is_some());
            let kind = first.map_or("failed", |word| word.status);
            return Some(Failure { kind, message: first.map(WordRun::why).unwrap_or_default() });
        }
        let readings = self.expectations.iter().chain(&self.shows);
        if let Some(reading) = readings.clone().find(|reading| !reading.passed) {
            let kind = if reading.found.is_some() { "mismatch" } else { "uninitialised" };
            return Some(Failure { kind, message: reading.text() });
        }
        let missing = self.missing_outputs.first();
        missing.map(|missing| Failure { kind: "uninitialised", message: format!("an output has no value: {missing}") })
    }

    /// How much failed, where first, and of which kind: the headline of [`Self::error`], which says why.
    pub fn headline(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        let noun = |count, one, many| if count == 1 { one } else { many };
        if self.failed > 0 {
            let place = self.results.iter().find(|word| word.message.is_some()).map(WordRun::place).unwrap_or_default();
            let words = noun(self.words, "word", "words");
            return Some(format!("{} of {} {words}; the first is {place}: {}", self.failed, self.words, error.kind));
        }
        let wrong = self.expectations.iter().filter(|reading| !reading.passed).count();
        match wrong {
            0 => Some(error.kind.to_owned()),
            _ => Some(format!("{wrong} {}", noun(wrong, "expectation does not hold", "expectations do not hold"))),
        }
    }

    /// Notes a file that an output was written to.
    pub fn written(&mut self, name: &str, path: impl std::fmt::Display) {
        if let Some(output) = self.outputs.iter().find(|output| output.name == name) {
            self.written.push(Written { path: path.to_string(), kind: output.kind.clone() });
        }
    }

    /// Notes an output that no file was named for.
    pub fn not_written(&mut self, name: &str) {
        self.not_written.push(name.to_owned());
    }
}

impl Recorder<'_> {
    fn note(&mut self, index: usize, result: &Result<Executed, Fault>) {
        if let Ok(executed) = result {
            self.flags |= executed.flags;
            self.basis.merge(&executed.basis);
            self.zeros_read |= executed.warnings.iter().any(|w| matches!(w, Warning::Uninitialized { .. }));
            self.certainty = self.certainty.max(executed.certainty);
            if !self.paths.contains(&executed.path) {
                self.paths.push(executed.path);
            }
        }
        let remark = result.as_ref().is_ok_and(|executed| !executed.warnings.is_empty());
        if self.is_complete() || result.is_err() || remark && self.remarks < KEPT {
            self.results.extend(self.word(index, result));
        } else if remark {
            self.not_listed += 1;
        }
        self.remarks += usize::from(remark);
    }

    /// Whether every word is kept.
    fn is_complete(&self) -> bool {
        self.options.every_word || self.program.steps.len() <= LISTED
    }

    fn word(&self, index: usize, result: &Result<Executed, Fault>) -> Option<WordRun> {
        let step = self.program.steps.get(index)?;
        let executed = result.as_ref().ok();
        let fault = result.as_ref().err();
        let log =
            || executed.map_or_else(|| fault.map_or(Vec::new(), |fault| fault.log().to_vec()), |run| run.log.lines());
        Some(WordRun {
            index,
            offset: index * WORD_BYTES,
            line: self.line(step.span.start),
            statement: self.source.and_then(|source| source.get(step.span.clone())).map(str::to_owned),
            text: print_word(&step.word),
            status: fault.map_or("ran", Fault::kind),
            message: fault.map(Fault::why),
            help: fault.and_then(|fault| help(fault, step, self.program)),
            executor: executed.map(|executed| executed.path.name()),
            path: executed.map(|executed| executed.path.to_string()),
            certainty: executed.map(|executed| executed.certainty.name()),
            handler: executed.map(|executed| executed.handler),
            channels: executed.map_or(0, |executed| executed.channels),
            elements_per_channel: executed.map_or(0, |executed| executed.elements_per_channel),
            flags: executed.map_or_else(Vec::new, |executed| flag_names(executed.flags)),
            warnings: executed
                .map_or_else(Vec::new, |executed| executed.warnings.iter().map(ToString::to_string).collect()),
            device_log: if self.options.device_log { log() } else { Vec::new() },
        })
    }

    fn line(&self, at: usize) -> Option<usize> {
        self.source.map(|source| line_and_column(source, at).0)
    }

    fn finish(self, outcome: RunOutcome, machine: &Machine, setting: Setting) -> (RunAnswer, Vec<(String, Array)>) {
        let readings = outcome.checks.iter().filter_map(|check| self.reading(check, &setting.policy));
        let (expectations, shows) = readings.partition(|reading: &Reading| reading.expected.is_some());
        let mut values = Vec::new();
        let mut missing_outputs = Vec::new();
        for (name, output) in outcome.outputs {
            match output {
                Ok(array) => values.push((name, array)),
                Err(unwritten) => missing_outputs.push(unwritten.to_string()),
            }
        }
        let ran = outcome.executed > 0;
        let complete = self.is_complete();
        let mut answer = RunAnswer {
            setting,
            executor: executor_names(&self.paths),
            paths: self.paths.iter().map(Ran::new).collect(),
            words: self.program.steps.len(),
            executed: outcome.executed,
            failed: outcome.failed,
            skipped: outcome.skipped,
            expectations,
            shows,
            outputs: self.program.outputs.iter().map(|binding| Bound::new(binding, self.program)).collect(),
            written: Vec::new(),
            dumps: self.options.dumps.iter().map(|range| Dump::new(range, machine)).collect(),
            flags: flag_names(self.flags),
            grounds: match ran {
                true => RestsOn {
                    uninitialised_reads: self.zeros_read,
                    ..RestsOn::new(&self.basis, &setting.policy).with(self.certainty)
                },
                false => RestsOn::nothing(),
            },
            missing_outputs,
            not_written: Vec::new(),
            error: None,
            complete,
            results: self.results,
            not_listed: self.not_listed,
        };
        answer.error = answer.find_failure();
        if answer.error.is_some() {
            values.clear();
            if answer.grounds.rests_on.is_empty() && !self.zeros_read {
                answer.grounds = RestsOn::nothing();
            }
        }
        (answer, values)
    }

    fn reading(&self, outcome: &CheckOutcome, policy: &Policy) -> Option<Reading> {
        let check = self.program.checks.get(outcome.check)?;
        let tensor = self.program.tensors.get(check.tensor)?;
        let found = outcome.found.as_ref().ok();
        Some(Reading {
            name: tensor.name.clone(),
            dtype: tensor.dtype.name(),
            first: check.elements.start,
            line: self.line(check.span.start),
            found: found.map(|bits| values(bits, tensor.dtype, policy)),
            bits: found.map(|bits| bits.iter().map(|bits| hex_bits(*bits, tensor.dtype.bits())).collect()),
            expected: check.expected.as_ref().map(|bits| values(bits, tensor.dtype, policy)),
            passed: outcome.passed(check),
            message: outcome.found.as_ref().err().map(ToString::to_string),
        })
    }
}

fn values(bits: &[u64], dtype: Dtype, policy: &Policy) -> Vec<String> {
    bits.iter().map(|bits| format_value(*bits, dtype, policy)).collect()
}

/// What to do about a word that failed, with the option to type.
fn help(fault: &Fault, step: &Step, program: &Program) -> Option<String> {
    match fault {
        Fault::Illegal(_) | Fault::Unspecified { .. } => {
            let instruction = Instruction::decode(&step.word);
            let engine = program.engine.unwrap_or_default();
            let bench = legality::Bench { generation: program.generation, engine, policy: &program.policy };
            advice(&instruction, &legality::judge(&instruction, &bench), &bench)
        }
        Fault::Uninitialized { .. } => Some("--allow-uninit reads zeros there".to_owned()),
        Fault::NeedsRegisters { register, .. } => {
            Some(format!("give it one, for example with --reg {}", register.assignment()))
        }
        Fault::InvalidAddress { register, .. } => {
            Some(format!("give it another, for example with --reg {register}=0x1000"))
        }
        Fault::NeedsCoefficients { .. } => Some("--coef names a file of them".to_owned()),
        Fault::Deadlock { signal: Signal::Semaphore(index), .. } => {
            Some(format!("--sem {index}=V gives it a value before the first word"))
        }
        Fault::Deadlock { signal: Signal::Event(index), .. } => {
            Some(format!("--sem e{index}=1 sets it before the first word, e{index}=0 clears it"))
        }
        _ => None,
    }
}

impl Dump {
    /// Bytes beyond the end of the partition are left out.
    fn new(range: &DumpRange, machine: &Machine) -> Self {
        let DumpRange { partition, offset, length } = *range;
        let end = offset.saturating_add(length).min(machine.memory.active_bytes(Memory::Sbuf));
        let byte = |at: u32| match machine.memory.is_written(Memory::Sbuf, partition, at, 1) {
            true => machine.memory.read(Memory::Sbuf, partition, at, 1).ok().and_then(|bytes| bytes.first().copied()),
            false => None,
        };
        let bytes = (offset..end).map(|at| byte(at).map_or_else(|| "--".to_owned(), |byte| format!("{byte:02x}")));
        Self { partition, offset, bytes: bytes.collect() }
    }
}
