//! Packages that are wrong in one way each: a named error, in bounded time and memory.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod support;

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use support::fixture;
use vq7_neff::{Limits, Neff, NeffError, looks_like_neff};

fn open(file: &[u8]) -> Result<(), NeffError> {
    let neff = Neff::open(file, &Limits::default())?;
    let (streams, _) = neff.streams()?;
    streams.iter().try_for_each(|stream| neff.words(stream).map(|_| ()))
}

/// A tar of members: name, kind, bytes, and what a link leads to. Built by the `tar` crate's writer with the raw name put in.
fn tar_of(members: &[(&str, u8, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, kind, data) in members {
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        header.set_entry_type(tar::EntryType::new(*kind));
        if *kind == b'2' {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        out.extend_from_slice(header.as_bytes());
        out.extend_from_slice(data);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn what_is_no_package() {
    assert!(matches!(open(b""), Err(NeffError::TooShort(0))));
    assert!(matches!(open(&[1; 64]), Err(NeffError::TooShort(64))));
    assert!(matches!(open(&[7; 4096]), Err(NeffError::NotNeff(_))));
    assert!(!looks_like_neff(&[0x41, 0x10, 0, 0]) && !looks_like_neff(b"# words\n"));
    let word = vq7_isa::Word::from_hex(&"41100000".repeat(16)).unwrap();
    assert!(!looks_like_neff(&word.0));
    let mut header = vec![0; 0x500];
    (header[0], header[9]) = (1, 4);
    assert!(looks_like_neff(&header));
    assert_eq!(open(&header), Err(NeffError::NoArchive(0x400)));
}

#[test]
fn headers_that_lie() {
    let good = fixture("v1_tar");
    let with = |at: usize, value: u64| {
        let mut file = good.clone();
        file[at..at + 8].copy_from_slice(&value.to_le_bytes());
        open(&file)
    };
    let file = good.len() as u64;
    for size in [1 << 32, u64::MAX, 0, 0xFF, file + 1] {
        assert_eq!(with(8, size), Err(NeffError::HeaderSize { size, file }));
    }
    for said in [file, u64::MAX, 1 << 32] {
        assert_eq!(with(0x10, said), Err(NeffError::PayloadTruncated { said, held: file - 0x400 }));
    }
    assert_eq!(with(0, 3), Err(NeffError::NotNeff(3)));
}

#[test]
fn every_truncation_is_named() {
    for name in ["v1_tar", "bare_pax", "bare_gzip", "v2_gzip", "gnu_long_names"] {
        let file = fixture(name);
        // The last 1,024 bytes of a bare tar are its end mark, half of which is enough.
        let end = if name == "bare_pax" { file.len() - 512 } else { file.len() };
        for length in (0..end).step_by(if file.len() > 2000 { 61 } else { 1 }) {
            let error = open(&file[..length]).expect_err(&format!("{name} cut to {length}"));
            let expected = matches!(
                error,
                NeffError::TooShort(_)
                    | NeffError::HeaderSize { .. }
                    | NeffError::PayloadTruncated { .. }
                    | NeffError::Gzip(_)
                    | NeffError::Tar { .. }
                    | NeffError::TarTruncated(_)
                    | NeffError::NotNeff(_)
            );
            assert!(expected, "{name} cut to {length}: {error}");
        }
    }
}

#[test]
fn a_gzip_bomb_stops_at_the_limit() {
    let limits = Limits::mib(8);
    // 64 MiB of zeros in 64 KiB; in gzip members one after the other, too.
    let bomb = gzip(&vec![0; 64 << 20]);
    assert!(bomb.len() < 1 << 20);
    let too_large = |file: &[u8]| matches!(Neff::open(file, &limits), Err(NeffError::TooLarge { .. }));
    assert!(too_large(&bomb));
    assert!(too_large(&gzip(&vec![0; 1 << 20]).repeat(9)));
    assert!(too_large(&vec![0; (8 << 20) + 1]));
    let many: Vec<_> = (0..20).map(|at| format!("f{at}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), b'0', &[][..])).collect();
    let few = Limits { members: 10, ..Limits::default() };
    assert!(matches!(Neff::open(&tar_of(&many), &few), Err(NeffError::TooManyMembers(10))));
}

#[test]
fn unsafe_and_double_names_are_refused() {
    for name in ["/pool.bin", "../pool.bin", "sg00/../../pool.bin", ".."] {
        assert_eq!(open(&tar_of(&[(name, b'0', &[0; 64])])), Err(NeffError::UnsafeName(name.to_owned())));
    }
    let twice = tar_of(&[("pool.bin", b'0', &[0; 64]), ("./pool.bin", b'0', &[1; 64])]);
    assert_eq!(open(&twice), Err(NeffError::DuplicateMember("pool.bin".to_owned())));
}

#[test]
fn links_are_not_followed() {
    let linked = tar_of(&[("pool.bin", b'2', &[])]);
    assert_eq!(open(&linked), Err(NeffError::NotAFile("pool.bin".to_owned())));
    let named = tar_of(&[("sg00/Pool.json", b'0', br#"{"instr": "x"}"#), ("sg00/x", b'1', &[])]);
    assert_eq!(open(&named), Err(NeffError::NotAFile("sg00/x".to_owned())));
}

#[test]
fn streams_that_are_none() {
    let odd = tar_of(&[("pool.bin", b'0', &[0; 65])]);
    let length = NeffError::StreamLength { member: "pool.bin".to_owned(), bytes: 65, words: 1, rest: 1 };
    assert_eq!(open(&odd), Err(length));
    assert_eq!(open(&tar_of(&[("readme", b'0', b"x")])), Err(NeffError::NoStream));
    let missing = tar_of(&[("sg00/Pool.json", b'0', br#"{"instr": "gone.bin"}"#), ("pool.bin", b'0', &[0; 64])]);
    let (json, stream) = ("sg00/Pool.json".to_owned(), "gone.bin".to_owned());
    assert_eq!(open(&missing), Err(NeffError::MissingStream { json, stream }));
    let outside = tar_of(&[("sg00/Pool.json", b'0', br#"{"instr": "../../etc/passwd"}"#)]);
    assert!(matches!(open(&outside), Err(NeffError::MissingStream { .. })));
    let def = tar_of(&[("sg00/def.json", b'0', br#"{"a": [{"pool_instr": "p"}]}"#)]);
    assert!(matches!(open(&def), Err(NeffError::MissingStream { .. })));
}

#[test]
fn json_that_is_none_is_told_and_streams_are_found_by_name() {
    let deep = b"[".repeat(100_000);
    for json in [&b"{\"instr\": "[..], &deep, b"{\"instr\": 5}", b"\xFF"] {
        let file = tar_of(&[("sg00/Pool.json", b'0', json), ("sg00/Pool.bin", b'0', &[0; 64])]);
        let neff = Neff::open(&file, &Limits::default()).unwrap();
        let (streams, warnings) = neff.streams().unwrap();
        assert_eq!((streams.len(), warnings.len()), (1, 1), "{warnings:?}");
    }
}

#[test]
fn what_cannot_be_replaced_is_named() {
    let file = fixture("v1_tar");
    let neff = Neff::open(&file, &Limits::default()).unwrap();
    assert!(matches!(neff.replace("nowhere", &[]), Err(NeffError::NoMember { .. })));
    assert!(matches!(neff.replace("neff.json", &[]), Err(NeffError::NotAStream { .. })));
    assert!(matches!(neff.replace("sg00/pe.bin", &[0; 63]), Err(NeffError::StreamLength { .. })));
}
