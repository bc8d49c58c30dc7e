//! Running programs, and saying what failed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What went wrong and what to do, in words.
pub(crate) type Failure = String;

/// The folder of the project.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// The folder that cargo builds into.
pub(crate) fn target() -> PathBuf {
    // A relative CARGO_TARGET_DIR counts from the project, as the programs of this task run there.
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// A program that runs in the folder of the project.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> Command {
    program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Whether a program answers `--version`.
pub(crate) fn answers(name: &str) -> bool {
    let run = program(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

/// Says what is run, runs it, and fails unless it ends well.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let line = shown(command);
    eprintln!("xtask: {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("failed ({status}): {line}")),
        Err(error) => Err(format!("cannot start: {line}: {error}")),
    }
}

/// As [`run`], giving what the program wrote to standard output.
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    let line = shown(command);
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("cannot start: {line}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("failed ({}): {line}", output.status)),
    }
}

fn shown(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
