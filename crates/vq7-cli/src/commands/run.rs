//! `vq7 run`.

use super::program;
use crate::executors::ExecutorArg;
use crate::files::array::read_array;
use crate::files::coefficients::read_coefficients;
use crate::files::dtype::{descr, resolve};
use crate::files::npy;
use crate::files::output::{Output, write_all};
use crate::files::words::STDIN;
use crate::invocation::{Invocation, parse_engine};
use crate::outcome::{CallError, Failed, Outcome};
use crate::terminal::Progress;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use vq7_engine::{Machine, Operand};
use vq7_isa::legality::Engine;
use vq7_program::{Array, Binding, Program};
use vq7_report::asm::setting_of;
use vq7_report::run::{DumpRange, RunAnswer, RunOptions};

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Files that the program names are looked for in the program's folder; --in and --out name others.\n\
                        Example: vq7 run philox4x32.vq7\n\
                        Example: vq7 run scale.vq7 --in x=x.npy --out y=y.npy --engine pool\n\
                        Example: vq7 run words.bin --allow-uninit --sem 3=1 --reg 5=0x1000 --dump 0:0x2000:64"
)]
pub struct Args {
    /// Program text, a file of raw words or hex lines, or - for standard input
    #[arg(value_name = "PROGRAM")]
    program: String,
    /// Data of an input, in place of the file that the program names
    #[arg(long = "in", value_name = "NAME=FILE")]
    inputs: Vec<String>,
    /// File for an output (.npy), in place of the one that the program names
    #[arg(long = "out", value_name = "NAME=FILE")]
    outputs: Vec<String>,
    /// Engine whose rules count: any, pool or dve [default: the program's, else any]
    #[arg(long, value_name = "ENGINE", value_parser = parse_engine)]
    engine: Option<Engine>,
    #[command(flatten)]
    executor: ExecutorArg,
    /// Value of semaphore I before the first word, or of event I: eI=1
    #[arg(long = "sem", value_name = "I=V")]
    semaphores: Vec<String>,
    /// Value of a register: N=V for address and value register N, 0 to 63, vN=V for a value register alone; N=AxBxC, or
    /// src0=AxBxC, for a shape, innermost first
    #[arg(long = "reg", value_name = "N=V")]
    registers: Vec<String>,
    /// Coefficients of BATCH_NORM_BACK_PROP: float32 of shape (channels, 5) with gamma, inv_std, n, d_beta, d_gamma
    #[arg(long, value_name = "FILE")]
    coef: Option<String>,
    /// Show bytes of SBUF afterwards: LEN bytes from offset OFF of partition PART
    #[arg(long = "dump", value_name = "PART:OFF:LEN", value_parser = DumpRange::parse)]
    dumps: Vec<DumpRange>,
    /// Read bytes that nothing wrote as zeros, with a warning
    #[arg(long)]
    allow_uninit: bool,
    /// Go on after a word that failed
    #[arg(long)]
    keep_going: bool,
    /// Show what a debug image of the device would log
    #[arg(long)]
    device_log: bool,
    /// List every word. Without it a run of more than 20 words lists those that failed (as text the first 100), and the
    /// first 100 with a remark; `not_listed` of --json counts the other remarks
    #[arg(long, short)]
    verbose: bool,
}

/// Runs a program.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let (program, source) = program::read(&args.program, invocation)?;
    let setting = setting_of(&program, invocation.setting(Engine::Any), args.engine);
    let folder = folder_of(&args.program);
    let outputs = outputs(&program, args, &folder)?;
    let machine = Machine::new(setting.generation, setting.engine, setting.policy);
    let mut machine = machine.with_executor(args.executor.build()?);
    machine.allow_uninit = args.allow_uninit;
    for range in &args.dumps {
        range.check(setting.generation).map_err(|error| CallError::at("--dump", error))?;
    }
    set_up(&mut machine, args)?;
    let inputs = inputs(&program, &args.inputs, &folder)?;
    let options = RunOptions {
        keep_going: args.keep_going,
        every_word: args.verbose,
        device_log: args.device_log,
        dumps: &args.dumps,
    };
    let bar = Progress::new("running", program.steps.len() as u64);
    let (mut answer, values) =
        RunAnswer::new(&program, source.as_deref(), &mut machine, &inputs, setting, &options, &mut |done| {
            bar.at(done as u64);
        })
        .map_err(|error| CallError::at(&args.program, error))?;
    drop(bar);
    if answer.error.is_none() {
        let files: Vec<_> = outputs
            .iter()
            .filter_map(|(name, output)| {
                let (_, array) = values.iter().find(|(known, _)| known == name)?;
                Some((name, output, npy::write(descr(array.dtype), &array.shape, &array.bytes)))
            })
            .collect();
        let staged: Vec<_> = files.iter().map(|(_, output, bytes)| (*output, bytes)).collect();
        write_all(&staged)?;
        files.iter().for_each(|(name, output, _)| answer.written(name, output.path().display()));
        let unnamed = |name: &&String| !outputs.iter().any(|(known, _)| known == *name);
        let names: BTreeSet<_> = program.outputs.iter().map(|binding| &program.bound(binding).name).collect();
        names.iter().filter(|name| unnamed(name)).for_each(|name| answer.not_written(name));
    }
    invocation.answer(&answer)?;
    Ok(match (answer.headline(), &answer.error) {
        (Some(what), Some(error)) => Outcome::Failed(Failed::new(what, &error.message)),
        _ => Outcome::Done,
    })
}

/// The folder that files named by a program are looked for in.
fn folder_of(program: &str) -> PathBuf {
    let parent = Path::new(program).parent().filter(|_| program != STDIN);
    parent.map(Path::to_owned).unwrap_or_default()
}

/// `NAME=REST` taken apart.
fn assignment<'a>(flag: &str, text: &'a str, shape: &str) -> Result<(&'a str, &'a str), CallError> {
    let parts = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
    let parts = parts.filter(|(name, value)| !name.is_empty() && !value.is_empty());
    parts.ok_or_else(|| CallError::at(flag, format_args!("`{text}` is not of the form {shape}")))
}

/// What names are bound to on the command line; a name that the program does not have is an error.
fn named<'a>(
    flag: &str,
    texts: &'a [String],
    program: &Program,
    bindings: &[Binding],
) -> Result<BTreeMap<&'a str, &'a str>, CallError> {
    let known: Vec<_> = bindings.iter().map(|binding| program.bound(binding).name.as_str()).collect();
    let mut map = BTreeMap::new();
    for text in texts {
        let (name, path) = assignment(flag, text, "NAME=FILE")?;
        if !known.contains(&name) {
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(CallError::at(flag, format_args!("the program has no such tensor `{name}`; it has {known}")));
        }
        if map.insert(name, path).is_some() {
            return Err(CallError::at(flag, format_args!("`{name}` is given twice")));
        }
    }
    Ok(map)
}

/// Where outputs go, in the program's order; a tensor may go to several files. Each folder is tried out before any work
/// begins.
fn outputs(program: &Program, args: &Args, folder: &Path) -> Result<Vec<(String, Output)>, CallError> {
    let given = named("--out", &args.outputs, program, &program.outputs)?;
    let mut list: Vec<(String, Output)> = Vec::new();
    for binding in &program.outputs {
        let name = &program.bound(binding).name;
        let path = match given.get(name.as_str()) {
            // It stands for all files that the program names for the tensor.
            Some(_) if list.iter().any(|(known, _)| known == name) => continue,
            Some(path) => PathBuf::from(path),
            None => match &binding.path {
                Some(path) if path.is_empty() => {
                    return Err(CallError::at(&args.program, format_args!("output `{name}` names an empty file name")));
                }
                Some(path) => folder.join(path),
                None => continue,
            },
        };
        let output = Output::prepare_array(path)?;
        if let Some((other, _)) = list.iter().find(|(_, known)| known.is_same(&output)) {
            let message = format!("outputs `{other}` and `{name}` go to the same file; give each its own");
            return Err(CallError::file(output.path(), message));
        }
        if args.program != STDIN && output.is_file(Path::new(&args.program)) {
            return Err(CallError::file(output.path(), "this is the program itself; name another file for the output"));
        }
        list.push((name.clone(), output));
    }
    Ok(list)
}

/// The data of the inputs. A file's elements are taken as the dtype that the program declares, where that is no guess.
fn inputs(program: &Program, texts: &[String], folder: &Path) -> Result<BTreeMap<String, Array>, CallError> {
    let given = named("--in", texts, program, &program.inputs)?;
    let mut map = BTreeMap::new();
    for binding in &program.inputs {
        let tensor = program.bound(binding);
        let path = match given.get(tensor.name.as_str()) {
            Some(path) => (*path).to_owned(),
            None => match &binding.path {
                Some(path) => folder.join(path).to_string_lossy().into_owned(),
                None => continue,
            },
        };
        let array = read_array(&path)?;
        let place = format!("input `{}`, {path}", tensor.name);
        let dtype = resolve(&array.element, Some(tensor.dtype)).map_err(|error| CallError::at(&place, error))?;
        let array = Array { dtype, shape: array.shape, bytes: array.bytes };
        program.accepts(binding, &array).map_err(|error| CallError::at(&place, error))?;
        map.insert(tensor.name.clone(), array);
    }
    Ok(map)
}

/// Semaphores, registers and coefficients.
fn set_up(machine: &mut Machine, args: &Args) -> Result<(), CallError> {
    args.semaphores.iter().try_for_each(|text| set_signal(machine, text))?;
    args.registers.iter().try_for_each(|text| set_register(machine, text))?;
    if let Some(path) = &args.coef {
        machine.coefficients = read_coefficients(path)?;
    }
    Ok(())
}

fn set_signal(machine: &mut Machine, text: &str) -> Result<(), CallError> {
    let (name, value) = assignment("--sem", text, "I=V, for example 3=1, or e3=1 for event 3")?;
    let (index, is_event) = name.strip_prefix('e').map_or((name, false), |index| (index, true));
    let index = number(index).and_then(|index| u8::try_from(index).ok());
    match (index, is_event, number(value)) {
        (Some(index), false, Some(value)) => machine.semaphores.set(index, value),
        (Some(index), true, Some(value @ (0 | 1))) => machine.semaphores.set_event(index, value == 1),
        _ => {
            let message = "an index is 0 to 255; a semaphore's value has 32 bits, an event's is 0 or 1";
            return Err(CallError::at("--sem", format_args!("`{text}`: {message}")));
        }
    }
    Ok(())
}

fn set_register(machine: &mut Machine, text: &str) -> Result<(), CallError> {
    const FORM: &str = "N=V, vN=V, N=AxBxC or src0=AxBxC, for example 5=0x1000, v5=1 or 5=512x1x1";
    let error = |message: &dyn std::fmt::Display| CallError::at("--reg", format_args!("`{text}`: {message}"));
    let (name, value) = assignment("--reg", text, FORM)?;
    let operand = [Operand::Src0, Operand::Src1, Operand::Dst].into_iter().find(|operand| operand.name() == name);
    let wrong = || error(&format_args!("write {FORM}"));
    if let Some(register) = name.strip_prefix('v').and_then(number) {
        machine.registers.set_value(register, number(value).ok_or_else(wrong)?);
        return Ok(());
    }
    match (operand, number(name), number(value)) {
        (Some(operand), _, _) => {
            machine.registers.set_operand_shape(operand, shape(value).ok_or_else(wrong)?).map_err(|e| error(&e))
        }
        (None, Some(register), Some(value)) => machine.registers.set_number(register, value).map_err(|e| error(&e)),
        (None, Some(register), None) => {
            machine.registers.set_shape(register, shape(value).ok_or_else(wrong)?).map_err(|e| error(&e))
        }
        (None, None, _) => Err(wrong()),
    }
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn shape(text: &str) -> Option<[u16; 3]> {
    let counts: Option<Vec<u16>> = text.split('x').map(|count| count.trim().parse().ok()).collect();
    counts.and_then(|counts| <[u16; 3]>::try_from(counts).ok())
}
