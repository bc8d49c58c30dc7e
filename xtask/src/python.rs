//! The Python environment of the tests: `target/python`, made once, and again when the requirements change; and the Python
//! package in it, built from the sources as they are.

use crate::step::{Failure, answers, output, program, root, run, target};
use std::path::{Path, PathBuf};

const REQUIREMENTS: &str = "python/requirements-test.txt";
/// What is written into the environment when it is complete: what it was made from.
const STAMP: &str = "made-from.txt";

/// Fails, saying what to do, where Python or its `venv` is missing.
pub(crate) fn available() -> Result<(), Failure> {
    let skip = "or leave the tests in Python out with `cargo xtask test --no-python`";
    if !answers("python3") {
        return Err(format!("the tests in Python need python3 (3.11 or later), which is not here: install it, {skip}"));
    }
    let modules = program("python3").args(["-c", "import venv, ensurepip"]).output();
    match modules.is_ok_and(|ran| ran.status.success()) {
        true => Ok(()),
        false => Err(format!(
            "python3 is here without its modules venv and ensurepip: install them (Debian: apt-get install \
             python3-venv), {skip}"
        )),
    }
}

/// The Python of the environment, which is made if it is not there or not up to date.
pub(crate) fn environment() -> Result<PathBuf, Failure> {
    let folder = target().join("python");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let path = root().join(REQUIREMENTS);
    let requirements =
        std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let wanted = output(program("python3").arg("--version"))? + &requirements;
    let stamp = folder.join(STAMP);
    if std::fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
        return Ok(python);
    }
    run(program("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS];
    run(program(&python).args(install))?;
    std::fs::write(&stamp, wanted).map_err(|error| format!("cannot write {}: {error}", stamp.display()))?;
    Ok(python)
}

/// Builds the package and installs it into the environment.
pub(crate) fn install(python: &Path) -> Result<(), Failure> {
    let wheels = target().join("wheels-of-tests");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels).map_err(|error| format!("cannot clear {}: {error}", wheels.display()))?;
    }
    run(program(python).args(["-m", "maturin", "build", "--quiet", "--profile", "dev", "--out"]).arg(&wheels))?;
    let cannot = |error| format!("cannot read {}: {error}", wheels.display());
    let built = std::fs::read_dir(&wheels).map_err(cannot)?.collect::<Result<Vec<_>, _>>().map_err(cannot)?;
    let [wheel] = built.as_slice() else {
        return Err(format!("maturin left {} files in {}, not one wheel", built.len(), wheels.display()));
    };
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"];
    run(program(python).args(install).arg(wheel.path()))
}

/// Checks the types of the package, and its stubs against what was compiled.
pub(crate) fn types(python: &Path) -> Result<(), Failure> {
    let cache = target().join("mypy");
    run(program(python).args(["-m", "mypy", "--cache-dir"]).arg(&cache))?;
    run(program(python).args(["-m", "mypy.stubtest", "--allowlist", "python/stubtest-allowed.txt", "vq7._core"]))
}
