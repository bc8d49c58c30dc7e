//! The Python environment of the tests: `target/python`, made once, and again when the requirements change.

use crate::step::{Failure, answers, output, program, root, run, target};
use std::path::PathBuf;

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
