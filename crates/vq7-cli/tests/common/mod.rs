//! The built binary, and files for it.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]
#![allow(dead_code, reason = "each test file uses its part")]

use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The environment variable that sets the default target.
pub const TARGET: &str = "NEURON_PLATFORM_TARGET_OVERRIDE";

/// ADD_INT on int32[128, 512]: POOL takes it, DVE does not.
pub const ADD_INT: &str = "4110000000000000000000008808c480000000000100010001000002010001000010000001000100010000020100010000200000010001000100000201000100";
/// The same with op DIVIDE, which no rule set admits.
pub const DIVIDE: &str = "41100000000000000000000088080780000000000100010001000002010001000010000001000100010000020100010000200000010001000100000201000100";
/// IOTA, whose struct is not modelled.
pub const IOTA: &str = "7e10000000000000000000008808c480000000000100010001000002010001000010000001000100010000020100010000200000010001000100000201000100";

/// What a call of the binary gave.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Standard output as one JSON object of the right version.
    pub fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        assert_eq!(value["schema_version"], 1, "{self:?}");
        value
    }

    /// Checks the exit code; every code but 0 has a message, and nothing panicked.
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        assert_eq!(self.code == 0, self.err.is_empty(), "{self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
        self
    }

    /// Standard output as the one object of a call that failed.
    pub fn refused(self, kind: &str) -> Value {
        let value = self.json();
        assert_eq!(value["error"]["kind"], kind, "{self:?}");
        assert!(value["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{self:?}");
        assert_eq!(value.as_object().unwrap().len(), 2, "{self:?}");
        value
    }

    /// Checks that a call went well and has something to say all the same.
    pub fn warns(self, text: &str) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self.says(text)
    }

    /// Checks that the message says something.
    pub fn says(self, text: &str) -> Self {
        assert!(self.err.contains(text), "`{text}` is not in {self:?}");
        self
    }

    /// Checks that the answer has something.
    pub fn shows(self, text: &str) -> Self {
        assert!(self.out.contains(text), "`{text}` is not in {self:?}");
        self
    }
}

/// The binary with a clean environment.
pub fn command<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vq7"));
    command.args(arguments).env_remove(TARGET).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

fn ran(output: std::process::Output) -> Ran {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// Calls the binary.
pub fn vq7<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    ran(command(arguments).output().unwrap())
}

/// Calls the binary with an environment variable.
pub fn vq7_env(variable: &str, value: &str, arguments: &[&str]) -> Ran {
    ran(command(arguments).env(variable, value).output().unwrap())
}

/// Calls the binary with bytes on standard input.
pub fn vq7_stdin(input: &[u8], arguments: &[&str]) -> Ran {
    let mut child =
        command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    ran(child.wait_with_output().unwrap())
}

/// A word's bytes.
pub fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// A folder with files in it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in it, as an argument.
    pub fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.path().join(name), contents).unwrap();
        self.at(name)
    }

    /// An array as NumPy saves it.
    pub fn npy(&self, name: &str, descr: &str, shape: &str, data: &[u8]) -> String {
        self.write(name, npy(descr, false, shape, data))
    }

    pub fn int32(&self, name: &str, values: &[i32]) -> String {
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.npy(name, "<i4", &format!("({},)", values.len()), &data)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.path().join(name)).unwrap()
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }

    /// Names of all files in it.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned()).collect();
        names.sort();
        names
    }
}

/// A `.npy` file, written without the code under test.
pub fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    let header = format!("{header:<117}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(data);
    file
}

/// The header's text and the elements of a `.npy` file.
pub fn split_npy(file: &[u8]) -> (String, Vec<u8>) {
    assert_eq!(&file[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([file[8], file[9]]));
    assert_eq!((10 + length) % 64, 0, "the data is aligned as NumPy writes it");
    (String::from_utf8(file[10..10 + length].to_vec()).unwrap(), file[10 + length..].to_vec())
}

/// The folder of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
