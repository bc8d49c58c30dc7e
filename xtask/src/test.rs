//! `cargo xtask test`: the one command that runs every test.

use crate::python;
use crate::step::{Failure, answers, cargo, output, program, root, run};
use std::path::PathBuf;

/// Arguments of `test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Leave out the judges in C, which need cmake: Berkeley SoftFloat and CORE-MATH
    #[arg(long)]
    no_c: bool,
    /// Leave out the tests in Python, which need python3 with venv and, the first time, a package index
    #[arg(long)]
    no_python: bool,
    /// Only the tests in Python
    #[arg(long, conflicts_with = "no_python")]
    only_python: bool,
    /// Arguments for pytest, such as -k integers
    #[arg(last = true)]
    pytest: Vec<String>,
}

/// Runs the tests.
pub(crate) fn run_tests(args: &Args) -> Result<(), Failure> {
    if !args.no_c && !answers("cmake") {
        return Err(
            "the judges in C need cmake, which is not here: install it (Debian: apt-get install cmake), or leave \
                    them out with `cargo xtask test --no-c`"
                .to_owned(),
        );
    }
    if !args.no_python {
        python::available()?;
    }
    let features: &[&str] = if args.no_c { &[] } else { &["--all-features"] };
    if !args.only_python {
        run(cargo().args(["test", "--workspace", "--locked"]).args(features))?;
    }
    if !args.no_python {
        let vq7 = built(features)?;
        let python = python::environment()?;
        python::install(&python)?;
        python::types(&python)?;
        let mut pytest = program(python);
        // The source folders stay as they are.
        pytest.args(["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "python/tests", "python/package_tests"]);
        pytest.args(&args.pytest);
        run(pytest.env("VQ7", vq7))?;
    }
    if args.no_c {
        eprintln!("xtask: LEFT OUT by --no-c: Berkeley SoftFloat and CORE-MATH judged nothing");
    }
    if args.no_python {
        eprintln!(
            "xtask: LEFT OUT by --no-python: ml_dtypes, apytypes, NumPy and gmpy2 judged nothing, nor was the Python package tested"
        );
    }
    Ok(())
}

/// The program, as the tests of cargo have built it.
fn built(features: &[&str]) -> Result<PathBuf, Failure> {
    let mut build = cargo();
    // The profile and the packages of `cargo test`, so that nothing is built twice.
    build.args(["build", "--workspace", "--bin", "vq7", "--profile", "test", "--locked"]).args(features);
    let messages = output(build.args(["--quiet", "--message-format", "json"]))?;
    let mut executables = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_program = message["target"]["name"] == "vq7" && message["target"]["kind"][0] == "bin";
        message["executable"].as_str().filter(|_| is_program).map(PathBuf::from)
    });
    let path = executables.next_back().ok_or("cargo built vq7, but does not say where")?;
    Ok(root().join(path))
}
