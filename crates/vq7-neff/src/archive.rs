//! The archive: gzip taken off, tar members by name and place. Nothing is unpacked to disk and no link is followed.

use crate::{Limits, NeffError};
use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder, GzHeader};
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{Cursor, Read, Write};
use std::ops::Range;
use tar::{Archive, EntryType};

const BLOCK: usize = 512;
const SIZE_FIELD: Range<usize> = 124..136;
const CHECKSUM_FIELD: Range<usize> = 148..156;

/// A member of the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name, without `./` in front.
    pub name: String,
    /// Whether it is a file with bytes of its own: no link, no device.
    pub is_file: bool,
    /// Where its tar header begins in the archive.
    header: usize,
    /// Its bytes in the archive.
    pub(crate) data: Range<usize>,
    pax_size: bool,
}

/// What was taken off: how the payload was compressed.
#[derive(Clone, Debug)]
pub(crate) struct Gzip {
    header: GzHeader,
    /// Bytes of the payload after the gzip stream, which are kept.
    trailing: Range<usize>,
}

pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1F, 0x8B])
}

pub(crate) fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// Takes gzip off, if it is there.
pub(crate) fn unpack<'a>(payload: &'a [u8], limits: &Limits) -> Result<(Cow<'a, [u8]>, Option<Gzip>), NeffError> {
    if !is_gzip(payload) {
        return Ok((Cow::Borrowed(payload), None));
    }
    let mut tar = Vec::new();
    let mut rest = payload;
    let mut first = None;
    while is_gzip(rest) {
        let mut decoder = GzDecoder::new(rest);
        let room = limits.archive.saturating_sub(tar.len() as u64);
        let read = decoder.by_ref().take(room + 1).read_to_end(&mut tar);
        read.map_err(|error| NeffError::Gzip(error.to_string()))?;
        if tar.len() as u64 > limits.archive {
            return Err(NeffError::TooLarge { what: "the archive, with gzip taken off,", limit: limits.archive });
        }
        if first.is_none() {
            first = decoder.header().cloned();
        }
        rest = decoder.into_inner();
    }
    let header = first.ok_or_else(|| NeffError::Gzip("it has no header".to_owned()))?;
    let trailing = payload.len() - rest.len()..payload.len();
    Ok((Cow::Owned(tar), Some(Gzip { header, trailing })))
}

/// The members of a tar.
pub(crate) fn members(tar: &[u8], limits: &Limits) -> Result<Vec<Member>, NeffError> {
    let mut archive = Archive::new(Cursor::new(tar));
    let (mut members, mut names, mut end) = (Vec::new(), HashSet::new(), 0usize);
    let damaged = |at: usize, error: std::io::Error| NeffError::Tar { at: at as u64, why: error.to_string() };
    for entry in archive.entries_with_seek().map_err(|error| damaged(0, error))? {
        let mut entry = entry.map_err(|error| damaged(end, error))?;
        let place = |offset: u64| usize::try_from(offset).ok();
        let raw_name = entry.path_bytes().into_owned();
        let shown = String::from_utf8_lossy(&raw_name).into_owned();
        let (header, from) = (place(entry.raw_header_position()), place(entry.raw_file_position()));
        let kind = entry.header().entry_type();
        // A sparse file's size is not what the archive holds of it.
        let stored = if kind == EntryType::GNUSparse { entry.header().entry_size().ok() } else { Some(entry.size()) };
        let to = from.zip(stored.and_then(place)).and_then(|(from, size)| from.checked_add(size));
        let (Some(header), Some(from), Some(to)) = (header, from, to.filter(|&to| to <= tar.len())) else {
            let held = from.map_or(0, |from| tar.len().saturating_sub(from));
            return Err(NeffError::TarTruncated(format!(
                "member `{shown}` says {} bytes, and {held} follow its header",
                entry.size()
            )));
        };
        end = to.next_multiple_of(BLOCK);
        if matches!(kind, EntryType::Directory | EntryType::XGlobalHeader | EntryType::XHeader) {
            continue;
        }
        let Some(name) = safe_name(&raw_name)? else { continue };
        if !names.insert(name.clone()) {
            return Err(NeffError::DuplicateMember(name));
        }
        if members.len() == limits.members {
            return Err(NeffError::TooManyMembers(limits.members));
        }
        let pax = entry.pax_extensions().ok().flatten();
        let pax_size = pax.is_some_and(|mut list| list.any(|one| one.is_ok_and(|one| one.key_bytes() == b"size")));
        let is_file = matches!(kind, EntryType::Regular | EntryType::Continuous);
        members.push(Member { name, is_file, header, data: from..to, pax_size });
    }
    match tar.get(end..end.saturating_add(BLOCK)) {
        Some(mark) if mark.iter().all(|&byte| byte == 0) => Ok(members),
        _ => Err(NeffError::TarTruncated(format!("no end mark after the last member, at byte {end:#x}"))),
    }
}

/// The name without `.` and empty parts; `None` for the archive's own folder.
fn safe_name(raw: &[u8]) -> Result<Option<String>, NeffError> {
    let name =
        std::str::from_utf8(raw).map_err(|_| NeffError::NameNotText(String::from_utf8_lossy(raw).into_owned()))?;
    if name.starts_with('/') || name.split('/').any(|part| part == "..") || name.contains('\0') {
        return Err(NeffError::UnsafeName(name.to_owned()));
    }
    let parts: Vec<_> = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    Ok((!parts.is_empty()).then(|| parts.join("/")))
}

/// The archive with other bytes in one member, as pieces: what stands before, between and after stays as it is.
pub(crate) fn with_member<'a>(tar: &'a [u8], member: &Member, data: &'a [u8]) -> Result<Vec<Cow<'a, [u8]>>, NeffError> {
    let piece = |range: Range<usize>| Cow::Borrowed(tar.get(range).unwrap_or_default());
    let padded_end = member.data.end.next_multiple_of(BLOCK).min(tar.len());
    if data.len() == member.data.len() {
        return Ok(vec![piece(0..member.data.start), Cow::Borrowed(data), piece(member.data.end..tar.len())]);
    }
    if member.pax_size {
        return Err(NeffError::PaxSize(member.name.clone()));
    }
    let header_end = member.header + BLOCK;
    let header = sized_header(tar.get(member.header..header_end).unwrap_or_default(), data.len())?;
    let padding = vec![0; data.len().next_multiple_of(BLOCK) - data.len()];
    Ok(vec![
        piece(0..member.header),
        Cow::Owned(header),
        piece(header_end..member.data.start),
        Cow::Borrowed(data),
        Cow::Owned(padding),
        piece(padded_end..tar.len()),
    ])
}

/// A tar header with another size and the checksum that goes with it. Each field keeps the form that it had, octal digits
/// with the same ending.
fn sized_header(header: &[u8], size: usize) -> Result<Vec<u8>, NeffError> {
    let too_large = || NeffError::MemberSize(size);
    let mut header = header.to_vec();
    let field = header.get_mut(SIZE_FIELD).ok_or_else(too_large)?;
    let ending = field.last().copied().filter(|byte| matches!(byte, 0 | b' ')).unwrap_or(0);
    let digits = format!("{size:011o}");
    if digits.len() != field.len() - 1 {
        return Err(too_large());
    }
    field[..digits.len()].copy_from_slice(digits.as_bytes());
    field[digits.len()] = ending;
    let counted = header.iter().enumerate();
    let sum: u32 = counted.map(|(at, &byte)| u32::from(if CHECKSUM_FIELD.contains(&at) { b' ' } else { byte })).sum();
    let field = header.get_mut(CHECKSUM_FIELD).ok_or_else(too_large)?;
    let digits = format!("{sum:06o}");
    if let Some(slot) = field.get_mut(..digits.len()) {
        slot.copy_from_slice(digits.as_bytes());
    }
    Ok(header)
}

/// Puts the pieces of an archive behind `file`, as the payload was: plain, or compressed anew.
pub(crate) fn pack(
    mut file: Vec<u8>,
    pieces: &[Cow<'_, [u8]>],
    gzip: Option<&Gzip>,
    payload: &[u8],
) -> Result<Vec<u8>, NeffError> {
    let Some(gzip) = gzip else {
        pieces.iter().for_each(|piece| file.extend_from_slice(piece));
        return Ok(file);
    };
    let mut builder = GzBuilder::new().mtime(gzip.header.mtime()).operating_system(gzip.header.operating_system());
    // The builder ends text with a zero byte and takes none within it.
    if let Some(name) = gzip.header.filename() {
        builder = builder.filename(name);
    }
    if let Some(comment) = gzip.header.comment() {
        builder = builder.comment(comment);
    }
    if let Some(extra) = gzip.header.extra() {
        builder = builder.extra(extra);
    }
    let failed = |error: std::io::Error| NeffError::Gzip(error.to_string());
    let mut encoder = builder.write(file, Compression::default());
    pieces.iter().try_for_each(|piece| encoder.write_all(piece)).map_err(failed)?;
    let mut packed = encoder.finish().map_err(failed)?;
    packed.extend_from_slice(payload.get(gzip.trailing.clone()).unwrap_or_default());
    Ok(packed)
}
