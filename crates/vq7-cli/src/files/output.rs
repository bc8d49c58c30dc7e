//! Files that are written only when all went well.

use crate::outcome::CallError;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file to be written. Its folder is tried out before any work begins.
#[derive(Debug)]
pub struct Output {
    /// As the caller named it.
    named: PathBuf,
    /// Where a link leads, so that it stays a link.
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A file in this folder: written beside and renamed, so that nobody ever sees half of it.
    Folder(PathBuf),
    /// A device or a pipe, which cannot be replaced by renaming.
    Stream,
}

impl Output {
    /// Makes sure that a file can be written there. Nothing is left behind.
    ///
    /// # Errors
    /// When the folder is missing or takes no file, or the path is a folder.
    pub fn prepare(path: impl Into<PathBuf>) -> Result<Self, CallError> {
        let named = path.into();
        let path = fs::canonicalize(&named).unwrap_or_else(|_| named.clone());
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => return Err(CallError::file(&path, "this is a folder; name a file in it")),
            Ok(found) if !found.is_file() => return Ok(Self { named, path, place: Place::Stream }),
            _ => {}
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        if !folder.is_dir() {
            let message = format!("the folder {} does not exist; make it first", folder.display());
            return Err(CallError::file(&path, message));
        }
        let refuse = |error| CallError::file(&path, format_args!("nothing can be written to its folder: {error}"));
        beside(&folder).map_err(refuse)?;
        Ok(Self { named, path, place: Place::Folder(folder) })
    }

    /// Where the file goes, as the caller named it.
    #[allow(clippy::misnamed_getters, reason = "the path that is shown, not the one that is written")]
    pub fn path(&self) -> &Path {
        &self.named
    }

    /// Writes the file, whole.
    ///
    /// # Errors
    /// When it cannot be written; then there is none, or the old one.
    pub fn write(&self, bytes: &[u8]) -> Result<(), CallError> {
        let written = match &self.place {
            Place::Stream => {
                fs::OpenOptions::new().write(true).open(&self.path).and_then(|mut file| file.write_all(bytes))
            }
            Place::Folder(folder) => beside(folder).and_then(|mut file| {
                file.write_all(bytes)?;
                file.persist(&self.path).map(drop).map_err(|error| error.error)
            }),
        };
        written.map_err(|error| CallError::file(&self.path, error))
    }
}

/// A file of no name yet, readable like any other once it has one. It goes away unless it is given one.
fn beside(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".vq7-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
