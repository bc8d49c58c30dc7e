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
    target: PathBuf,
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
        if named.as_os_str().is_empty() {
            return Err(CallError::new("the name of an output file is empty; name a file"));
        }
        let is_folder = || CallError::file(&named, "this is a folder; name a file in it");
        if named.as_os_str().as_encoded_bytes().last().is_some_and(|last| std::path::is_separator((*last).into())) {
            return Err(is_folder());
        }
        match fs::metadata(&named) {
            Ok(found) if found.is_dir() => return Err(is_folder()),
            Ok(found) if !found.is_file() => return Ok(Self { target: named.clone(), named, place: Place::Stream }),
            _ => {}
        }
        let path = fs::canonicalize(&named).unwrap_or_else(|_| named.clone());
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        if !folder.is_dir() {
            let message = format!("the folder {} does not exist; make it first", folder.display());
            return Err(CallError::file(&named, message));
        }
        let refuse = |error| CallError::file(&named, format_args!("nothing can be written to its folder: {error}"));
        let folder = fs::canonicalize(folder).map_err(refuse)?;
        beside(&folder).map_err(refuse)?;
        let path = path.file_name().map(|name| folder.join(name)).ok_or_else(is_folder)?;
        Ok(Self { named, target: path, place: Place::Folder(folder) })
    }

    /// As [`Self::prepare`], for an array: a name that promises an archive is refused.
    ///
    /// # Errors
    /// As [`Self::prepare`], and when the name ends in `.npz`.
    pub fn prepare_array(path: impl Into<PathBuf>) -> Result<Self, CallError> {
        let path = path.into();
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz")) {
            let message = "an array is written as .npy, and archives (.npz) are only read; name a .npy file";
            return Err(CallError::file(&path, message));
        }
        Self::prepare(path)
    }

    /// Where the file goes, as the caller named it.
    pub fn path(&self) -> &Path {
        &self.named
    }

    /// Whether this is the file of another path, under whatever name.
    pub fn is_file(&self, path: &Path) -> bool {
        matches!(self.place, Place::Folder(_)) && fs::canonicalize(path).is_ok_and(|path| path == self.target)
    }

    /// Whether two outputs would go to one file.
    pub fn is_same(&self, other: &Self) -> bool {
        matches!((&self.place, &other.place), (Place::Folder(_), Place::Folder(_))) && self.target == other.target
    }

    /// Writes the file, whole.
    ///
    /// # Errors
    /// When it cannot be written; then there is none, or the old one.
    pub fn write(&self, bytes: &[u8]) -> Result<(), CallError> {
        write_all(&[(self, bytes)])
    }
}

/// Writes files, all of them: each is written beside its place before the first gets its name.
///
/// # Errors
/// When one cannot be written; then none that is new has its name.
pub fn write_all(files: &[(&Output, impl AsRef<[u8]>)]) -> Result<(), CallError> {
    let mut staged = Vec::new();
    for (output, bytes) in files {
        if let Place::Folder(folder) = &output.place {
            let written = beside(folder).and_then(|mut file| file.write_all(bytes.as_ref()).map(|()| file));
            staged.push((output, written.map_err(|error| CallError::file(&output.named, error))?));
        }
    }
    for (output, bytes) in files {
        if let Place::Stream = &output.place {
            let file = fs::OpenOptions::new().write(true).open(&output.target);
            let written = file.and_then(|mut file| file.write_all(bytes.as_ref()));
            written.map_err(|error| CallError::file(&output.named, error))?;
        }
    }
    let mut fresh = Vec::new();
    for (output, file) in staged {
        let is_new = !output.target.exists();
        if let Err(error) = file.persist(&output.target) {
            // Files that were not there before go again. That one cannot be removed is no news beside this.
            fresh.into_iter().for_each(|path: &PathBuf| drop(fs::remove_file(path)));
            return Err(CallError::file(&output.named, error.error));
        }
        fresh.extend(is_new.then_some(&output.target));
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

    use super::*;

    #[test]
    fn a_file_that_cannot_get_its_name_takes_the_new_ones_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("old"), "old").unwrap();
        let outputs = ["new", "old", "taken"].map(|name| Output::prepare(path(name)).unwrap());
        // Something takes the name between the trial and the writing.
        fs::create_dir_all(path("taken/full")).unwrap();
        let files: Vec<_> = outputs.iter().map(|output| (output, b"bytes")).collect();
        assert!(write_all(&files).unwrap_err().to_string().contains("taken"));
        assert!(!path("new").exists() && path("old").exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file stays");
        write_all(&files[..2]).unwrap();
        assert_eq!(fs::read(path("new")).unwrap(), b"bytes");
    }
}
