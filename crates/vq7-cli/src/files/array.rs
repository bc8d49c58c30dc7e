//! Arrays from files: `.npy`, or a member of an `.npz`.

use super::npy::{self, NpyArray};
use crate::outcome::CallError;
use std::io::{Cursor, Read};
use std::path::Path;

/// An `.npz` member that unpacks to more is refused, whatever its header says.
const LARGEST_MEMBER: u64 = 4 << 30;

/// Reads `A.npy`, `A.npz` with one member, or `A.npz:member`.
///
/// # Errors
/// When the file cannot be read, is malformed, or holds no elements.
pub fn read_array(argument: &str) -> Result<NpyArray, CallError> {
    let (path, member) = split_member(argument);
    let bytes = std::fs::read(path).map_err(|error| CallError::file(Path::new(path), error))?;
    let array = match bytes.starts_with(b"PK") {
        true => from_npz(&bytes, member).map_err(|message| CallError::at(argument, message))?,
        false if member.is_some() => {
            return Err(CallError::at(path, "only an .npz archive has members, and this is none"));
        }
        false => npy::parse(&bytes).map_err(|error| CallError::at(argument, error))?,
    };
    match array.bytes.is_empty() {
        true => Err(CallError::at(argument, "the array has no elements, and an instruction computes at least one")),
        false => Ok(array),
    }
}

/// `A.npz:name` taken apart, unless a file has that whole name.
fn split_member(argument: &str) -> (&str, Option<&str>) {
    if Path::new(argument).exists() {
        return (argument, None);
    }
    match argument.rsplit_once(':') {
        Some((path, member)) if Path::new(path).exists() => (path, Some(member)),
        _ => (argument, None),
    }
}

fn from_npz(bytes: &[u8], member: Option<&str>) -> Result<NpyArray, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("no .npz archive: {error}"))?;
    let names: Vec<String> = archive.file_names().filter_map(Result::ok).map(|name| name.into_owned()).collect();
    let shown = || {
        let plain = names.iter().map(|name| name.strip_suffix(".npy").unwrap_or(name));
        let mut plain: Vec<_> = plain.collect();
        plain.sort_unstable();
        plain.join(", ")
    };
    let name = match (member, &names[..]) {
        (Some(member), _) => {
            let is_member = |name: &&String| name.as_str() == member || name.strip_suffix(".npy") == Some(member);
            let found = names.iter().find(is_member);
            found.ok_or_else(|| format!("the archive has no member `{member}`; it has {}", shown()))?
        }
        (None, [only]) => only,
        (None, []) => return Err("the archive has no members".to_owned()),
        (None, _) => return Err(format!("the archive has several members; add `:name` with one of {}", shown())),
    };
    let file = archive.by_name(name).map_err(|error| format!("member `{name}`: {error}"))?;
    let mut unpacked = Vec::new();
    file.take(LARGEST_MEMBER + 1).read_to_end(&mut unpacked).map_err(|error| format!("member `{name}`: {error}"))?;
    if unpacked.len() as u64 > LARGEST_MEMBER {
        return Err(format!("member `{name}` unpacks to more than {} GiB", LARGEST_MEMBER >> 30));
    }
    npy::parse(&unpacked).map_err(|error| format!("member `{name}`: {error}"))
}
