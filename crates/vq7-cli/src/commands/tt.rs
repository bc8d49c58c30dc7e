//! `vq7 tt`.

use crate::executors::ExecutorArg;
use crate::files::array::read_array;
use crate::files::dtype::{descr, resolve};
use crate::files::npy::{self, NpyArray};
use crate::files::output::Output;
use crate::invocation::{EngineArg, Invocation};
use crate::outcome::{CallError, Failed, Outcome};
use crate::terminal::Progress;
use vq7_engine::arrays::{ArrayRef, broadcast_shape};
use vq7_isa::{AluOp, Dtype};
use vq7_report::advice::shift_count;
use vq7_report::tt::{ArrayAnswer, ArrayQuestion, default_out};

/// Arguments of `tt`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Arrays broadcast as in NumPy. Arrays of ml_dtypes arrive as raw bytes: name their dtype.\n\
                        Example: vq7 tt --op add_int --a a.npy --b b.npy --out c.npy --engine pool\n\
                        Example: vq7 tt --op multiply --a w.npz:x --a-dtype bfloat16 --b y.npy --out-dtype float32 --out z.npy")]
pub struct Args {
    /// ALU op by any name: add_int, multiply, bitwise_and (`vq7 ops` lists them)
    #[arg(long, value_name = "OP")]
    op: String,
    /// First source: A.npy, A.npz, or A.npz:member
    #[arg(long, value_name = "A")]
    a: String,
    /// Second source: B.npy, B.npz, or B.npz:member
    #[arg(long, value_name = "B")]
    b: String,
    /// File for the result (.npy); written only when all went well
    #[arg(long, value_name = "C")]
    out: String,
    /// Dtype of the first source, where the file does not say it
    #[arg(long, value_name = "DTYPE")]
    a_dtype: Option<String>,
    /// Dtype of the second source, where the file does not say it
    #[arg(long, value_name = "DTYPE")]
    b_dtype: Option<String>,
    /// Dtype of the result [default: that of the sources when they agree]
    #[arg(long, value_name = "DTYPE")]
    out_dtype: Option<String>,
    #[command(flatten)]
    engine: EngineArg,
    #[command(flatten)]
    executor: ExecutorArg,
}

/// Computes one op on two arrays.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let op = AluOp::parse(&args.op).map_err(|error| CallError::at("--op", error))?;
    let named = |flag: &str, name: &Option<String>| {
        let parse = |name: &String| Dtype::parse(name, invocation.policy()).map_err(|error| CallError::at(flag, error));
        name.as_ref().map(parse).transpose()
    };
    let (a_named, b_named) = (named("--a-dtype", &args.a_dtype)?, named("--b-dtype", &args.b_dtype)?);
    let out_named = named("--out-dtype", &args.out_dtype)?;
    let output = Output::prepare_array(&args.out)?;
    let (a, a_dtype) = source("--a", &args.a, a_named)?;
    let (b, b_dtype) = source("--b", &args.b, b_named)?;
    let out = out_named.or_else(|| default_out(op, a_dtype, b_dtype)).ok_or_else(|| {
        match shift_count(op, a_dtype, b_dtype) {
            Some(count) => CallError::at("--b", count),
            None => CallError::new(format_args!(
                "the sources are {a_dtype} and {b_dtype}, so the dtype of the result is open; add --out-dtype"
            )),
        }
    })?;
    broadcast_shape(&a.shape, &b.shape).map_err(|error| CallError::at("--a, --b", error))?;
    let question = ArrayQuestion {
        op,
        asked: &args.op,
        a: ArrayRef { dtype: a_dtype, shape: &a.shape, bytes: &a.bytes },
        b: ArrayRef { dtype: b_dtype, shape: &b.shape, bytes: &b.bytes },
        out,
    };
    let mut bar = None;
    let (mut answer, bytes) = ArrayAnswer::new(
        &question,
        invocation.setting(args.engine.engine),
        &args.executor.build()?,
        &mut |done, total| {
            bar.get_or_insert_with(|| Progress::new("running", total as u64)).at(done as u64);
        },
    )
    .map_err(CallError::new)?;
    drop(bar);
    if let Some(bytes) = bytes {
        output.write(&npy::write(descr(out), &answer.result.shape, &bytes))?;
        answer.written(output.path().display());
    }
    invocation.answer(&answer)?;
    match &answer.error {
        None => Ok(Outcome::Done),
        Some(error) => Ok(Outcome::Failed(Failed::new(error.kind, &error.message))),
    }
}

fn source(flag: &str, argument: &str, named: Option<Dtype>) -> Result<(NpyArray, Dtype), CallError> {
    let array = read_array(argument)?;
    let dtype = resolve(&array.element, named)
        .map_err(|error| CallError::at(format_args!("{argument} ({flag}, {flag}-dtype)"), error))?;
    Ok((array, dtype))
}
