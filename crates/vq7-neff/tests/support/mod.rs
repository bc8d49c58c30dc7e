//! The packages of `vectors/neff`, and Python.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]
#![allow(dead_code, reason = "each test file uses its part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/neff")
}

pub fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("{name}.neff"))).unwrap()
}

/// Every package with its name, in the order of the names.
pub fn fixtures() -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "neff"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 14);
    names.into_iter().map(|name| (name.clone(), fixture(&name))).collect()
}

/// Runs a Python text with arguments and standard input.
pub fn python(text: &str, arguments: &[&str], input: &[u8]) -> String {
    let mut child = Command::new("python3")
        .args([&["-c", text], arguments].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 must be installed: what vq7 writes is read again by Python's tarfile");
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}
