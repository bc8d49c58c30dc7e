//! NEFF packages: read with a limit, before anything of them is believed.

use crate::files::words::{STDIN, read_input};
use crate::outcome::CallError;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use vq7_neff::{Limits, Neff, NeffError, looks_like_neff};

/// The option of commands that read packages.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct LimitArg {
    /// Largest package, as a file and with gzip taken off, in MiB; needs up to four times as much memory
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    max_mib: u64,
}

impl LimitArg {
    /// The limits.
    pub const fn limits(self) -> Limits {
        Limits::mib(self.max_mib)
    }
}

/// Reads the file of a package; a file that is too large is not read.
///
/// # Errors
/// When it cannot be read or is too large.
pub fn read_package(name: &str, limits: &Limits) -> Result<Vec<u8>, CallError> {
    let path = Path::new(name);
    if name == STDIN {
        return read_input(name);
    }
    let file = File::open(path).map_err(|error| CallError::file(path, error))?;
    let length = file.metadata().map_or(0, |found| found.len()).min(limits.file);
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0).saturating_add(1));
    file.take(limits.file.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| CallError::file(path, error))?;
    Ok(bytes)
}

/// Opens a package.
///
/// # Errors
/// When it is none; the file's name goes in front.
pub fn open<'a>(name: &str, bytes: &'a [u8], limits: &Limits) -> Result<Neff<'a>, CallError> {
    Neff::open(bytes, limits).map_err(|error| refused(name, error))
}

/// An error of a package.
pub fn refused(name: &str, error: NeffError) -> CallError {
    CallError::file(Path::new(name), error)
}

/// Whether an argument names a package: a file that begins like one.
pub fn is_package(argument: &str) -> bool {
    let mut start = Vec::new();
    let read = File::open(argument).and_then(|file| file.take(512).read_to_end(&mut start));
    read.is_ok() && looks_like_neff(&start)
}
