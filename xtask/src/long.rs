//! `cargo xtask long`: every pair of 16-bit operands, before every judge that knows them. Takes hours; stops and goes on.

use crate::step::{Failure, answers, cargo, program, root, run, target};
use vq7_isa::alu_op::Arity;
use vq7_isa::{AluOp, Dtype};
use vq7_oracle::{Oracle, Question};
use vq7_policy::Policy;

/// Arguments of `long`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only this op (may be given again)
    #[arg(long = "op", value_name = "OP", value_parser = AluOp::parse)]
    ops: Vec<AluOp>,
    /// Only this dtype: float16, bfloat16, int16, uint16 (may be given again)
    #[arg(long = "dtype", value_name = "DTYPE", value_parser = dtype)]
    dtypes: Vec<Dtype>,
    /// Only this judge: apfloat, integers, softfloat (may be given again)
    #[arg(long = "oracle", value_name = "NAME", value_parser = oracle)]
    oracles: Vec<Oracle>,
    /// Only say what would be run
    #[arg(long)]
    list: bool,
}

fn dtype(name: &str) -> Result<Dtype, String> {
    Dtype::parse(name, &Policy::default()).map_err(|error| error.to_string())
}

fn oracle(name: &str) -> Result<Oracle, String> {
    Oracle::parse(name).ok_or_else(|| format!("use {}", Oracle::ALL.map(Oracle::name).join(", ")))
}

/// The sweeps: every binary op on every dtype of 16 bits, before every judge that takes it, the first judges first.
fn sweeps(args: &Args) -> Vec<(Oracle, AluOp, Dtype)> {
    let wanted = |op: &AluOp, dtype: &Dtype, oracle: &Oracle| {
        (args.ops.is_empty() || args.ops.contains(op))
            && (args.dtypes.is_empty() || args.dtypes.contains(dtype))
            && (args.oracles.is_empty() || args.oracles.contains(oracle))
    };
    let mut list = Vec::new();
    // POW and RSQRT have no sweep: a power takes too long.
    for oracle in [Oracle::Apfloat, Oracle::Integers, Oracle::Softfloat] {
        for op in oracle.ops().into_iter().filter(|op| op.arity() == Arity::Binary) {
            for dtype in Dtype::tensor_tensor().filter(|dtype| dtype.bits() == 16) {
                let question = Question { op, types: [dtype; 3] };
                if wanted(&op, &dtype, &oracle) && oracle.takes(question, &Policy::default()) {
                    list.push((oracle, op, dtype));
                }
            }
        }
    }
    list
}

/// Runs them; what is done stays done (`target/long`).
pub(crate) fn run_sweeps(args: &Args) -> Result<(), Failure> {
    let sweeps = sweeps(args);
    if args.list {
        sweeps.iter().for_each(|(oracle, op, dtype)| println!("{} {op} {dtype}", oracle.name()));
        return Ok(());
    }
    if sweeps.is_empty() {
        return Err("no judge takes such a sweep; `cargo xtask long --list` names all".to_owned());
    }
    let needs_c = sweeps.iter().any(|(oracle, ..)| *oracle == Oracle::Softfloat);
    if needs_c && !answers("cmake") {
        return Err(
            "the sweeps before softfloat need cmake: install it, or say --oracle apfloat --oracle integers".to_owned()
        );
    }
    let features: &[&str] = if needs_c { &["--features", "softfloat"] } else { &[] };
    run(cargo().args(["build", "--release", "--locked", "-p", "vq7-cli"]).args(features))?;
    let folder = target().join("long");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let vq7 = root().join(target().join("release").join(format!("vq7{}", std::env::consts::EXE_SUFFIX)));
    for (index, (oracle, op, dtype)) in sweeps.iter().enumerate() {
        let state = folder.join(format!("{}-{op}-{dtype}.json", oracle.name()));
        eprintln!("xtask: sweep {} of {}", index + 1, sweeps.len());
        let question = ["brute", "--op", op.name(), "--types", dtype.name(), "--oracle", oracle.name(), "--exhaustive"];
        run(program(&vq7).args(question).arg("--resume").arg(state))?;
    }
    Ok(())
}
