//! The file header: 1024 bytes, usually, in front of the archive. Source: docs/spec/streams.md, "File header".

use crate::NeffError;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The size that a header has unless it says otherwise.
pub(crate) const USUAL_SIZE: usize = 0x400;
const SMALLEST_SIZE: u64 = 0x100;
const PAYLOAD_SIZE_OFFSET: usize = 0x10;
const HASH_OFFSET: usize = 0xAC;

/// The fields of a file header. A field that lies past the header's own size is zero or empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileHeader {
    /// 1: plain tar and SHA-256; 2: gzip tar and MD5.
    pub package_version: u64,
    /// Bytes of the header.
    pub header_size: u64,
    /// Bytes of the archive as stored.
    pub payload_size: u64,
    /// Format version.
    pub major_version: u64,
    /// Format version.
    pub minor_version: u64,
    /// The compiler's build.
    pub build: String,
    /// The compression flag.
    pub compression: u32,
    /// The hash in hexadecimal: 32 bytes for version 1, 16 for version 2.
    pub hash: String,
    /// The package's id in hexadecimal.
    pub uuid: String,
    /// The package's name.
    pub name: String,
    /// Cores that the package is for.
    pub tpb_count: u32,
    /// Cores per node.
    pub tpb_per_node: Vec<u8>,
    /// Features that a runtime must understand.
    pub feature_bits: u64,
    /// Size of a virtual core.
    pub virtual_core_size: u32,
}

/// Bytes `at..at + N`, zero where there are none.
fn take<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut taken = [0; N];
    if let Some(found) = bytes.get(at..at + N) {
        taken.copy_from_slice(found);
    }
    taken
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl FileHeader {
    /// Reads the header of a file.
    pub(crate) fn read(file: &[u8]) -> Result<Self, NeffError> {
        if file.len() < SMALLEST_SIZE as usize {
            return Err(NeffError::TooShort(file.len()));
        }
        let u64_at = |bytes: &[u8], at| u64::from_le_bytes(take(bytes, at));
        let u32_at = |bytes: &[u8], at| u32::from_le_bytes(take(bytes, at));
        let package_version = u64_at(file, 0);
        if !matches!(package_version, 1 | 2) {
            return Err(NeffError::NotNeff(package_version));
        }
        let header_size = u64_at(file, 8);
        let bytes = usize::try_from(header_size).ok().and_then(|size| file.get(..size));
        let bytes = bytes
            .filter(|bytes| bytes.len() as u64 >= SMALLEST_SIZE)
            .ok_or(NeffError::HeaderSize { size: header_size, file: file.len() as u64 })?;
        let hash: [u8; 32] = take(bytes, HASH_OFFSET);
        Ok(Self {
            package_version,
            header_size,
            payload_size: u64_at(bytes, PAYLOAD_SIZE_OFFSET),
            major_version: u64_at(bytes, 0x18),
            minor_version: u64_at(bytes, 0x20),
            build: text(&take::<128>(bytes, 0x28)),
            compression: u32_at(bytes, 0xA8),
            hash: hex(hash.get(..hash_bytes(package_version)).unwrap_or_default()),
            uuid: hex(&take::<16>(bytes, 0xCC)),
            name: text(&take::<256>(bytes, 0xDC)),
            tpb_count: u32_at(bytes, 0x1DC),
            tpb_per_node: take::<64>(bytes, 0x1E0).to_vec(),
            feature_bits: u64_at(bytes, 0x220),
            virtual_core_size: u32_at(bytes, 0x228),
        })
    }

    /// Whether the hash is that of the stored payload.
    pub fn hash_matches(&self, payload: &[u8]) -> bool {
        self.hash == hex(&digest(self.package_version, payload))
    }

    /// Writes size and hash of a payload into the bytes of a header; nothing else changes.
    pub(crate) fn put(&self, header: &mut [u8], payload: &[u8]) {
        let digest = digest(self.package_version, payload);
        for (at, bytes) in [(PAYLOAD_SIZE_OFFSET, &(payload.len() as u64).to_le_bytes()[..]), (HASH_OFFSET, &digest)] {
            if let Some(slot) = header.get_mut(at..at + bytes.len()) {
                slot.copy_from_slice(bytes);
            }
        }
    }
}

const fn hash_bytes(package_version: u64) -> usize {
    if package_version == 1 { 32 } else { 16 }
}

/// The hash that a package version has over the stored payload.
fn digest(package_version: u64, payload: &[u8]) -> Vec<u8> {
    match package_version {
        1 => Sha256::digest(payload).to_vec(),
        _ => md5::Md5::digest(payload).to_vec(),
    }
}
