//! Every variant of a package is listed, read and changed. The packages come from `vectors/neff/make_neff.py`, which shares
//! no code with the reader.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod support;

use flate2::read::GzDecoder;
use std::io::Read;
use std::process::Command;
use support::{fixture, fixtures, folder};
use vq7_isa::text::print_word;
use vq7_neff::{Engine, FoundBy, Limits, Neff};

#[test]
fn the_script_writes_the_packages_that_are_here() {
    let output = Command::new("python3").arg(folder().join("make_neff.py")).arg("--check").output();
    let output = output.expect("python3 must be installed: the packages are made and checked by a Python script");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Member, engine, words of each stream, and what led to the first.
fn listed(name: &str) -> (Vec<(String, Option<Engine>, usize)>, FoundBy) {
    let file = fixture(name);
    let neff = Neff::open(&file, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (streams, warnings) = neff.streams().unwrap();
    assert_eq!(warnings, Vec::<String>::new(), "{name}");
    let rows =
        streams.iter().map(|stream| (stream.member.clone(), stream.engine, neff.words(stream).unwrap().words.len()));
    (rows.collect(), streams[0].found_by)
}

#[test]
fn streams_are_found_in_the_three_ways_and_listed_in_the_order_of_the_archive() {
    let rows = |list: &[(&str, Engine, usize)]| -> Vec<(String, Option<Engine>, usize)> {
        list.iter().map(|(name, engine, words)| ((*name).to_owned(), Some(*engine), *words)).collect()
    };
    let old =
        rows(&[("sg00/pe.bin", Engine::Pe, 1), ("sg00/pool.bin", Engine::Pool, 3), ("sg00/dve.bin", Engine::Dve, 3)]);
    for name in ["v1_tar", "bare_gzip", "dot_names", "short_header", "header_size_off", "wrong_hash"] {
        assert_eq!(listed(name), (old.clone(), FoundBy::DefJson), "{name}");
    }
    let new = rows(&[
        ("sg00/Pool0.bin", Engine::Pool, 3),
        ("sg00/PE0.bin", Engine::Pe, 1),
        ("sg01/Activation1.bin", Engine::Act, 4),
        ("sg01/stream_of_dve", Engine::Dve, 3),
        ("sg01/SP", Engine::Sp, 2),
    ]);
    for name in ["v2_gzip", "v1_title_case", "bare_pax", "long_header"] {
        assert_eq!(listed(name), (new.clone(), FoundBy::EngineJson), "{name}");
    }
    let by_name =
        rows(&[("a/act0.bin", Engine::Act, 4), ("a/activation1.bin", Engine::Act, 1), ("Pool.BIN", Engine::Pool, 3)]);
    assert_eq!(listed("by_name"), (by_name, FoundBy::Name));
    let deep = format!("sg00/{}pool.bin", "a_folder_with_a_rather_long_name/".repeat(8));
    for name in ["gnu_long_names", "pax_long_names"] {
        assert_eq!(listed(name), (rows(&[(&deep, Engine::Pool, 3)]), FoundBy::EngineJson), "{name}");
    }
}

#[test]
fn the_sample_words_read_as_their_sources_print_them() {
    let file = fixture("v1_tar");
    let neff = Neff::open(&file, &Limits::default()).unwrap();
    let (streams, _) = neff.streams().unwrap();
    let lines: Vec<_> = neff.words(&streams[1]).unwrap().words.iter().map(print_word).collect();
    assert_eq!(
        lines,
        [
            "PSEUDO_DMATRIGGER queue=q_gradient_in;",
            "PSEUDO_DMATRIGGER $S[22]>0 queue=q_gradient_out;",
            "EVENT_SEMAPHORE $S[11]>0;"
        ]
    );
}

#[test]
fn headers_are_read_and_hashes_checked() {
    for (name, file) in fixtures() {
        let neff = Neff::open(&file, &Limits::default()).unwrap();
        let bare = name.starts_with("bare") || name.starts_with("quantize");
        let expected = if bare { None } else { Some(!name.starts_with("wrong_hash")) };
        assert_eq!(neff.hash_ok(), if name.starts_with("header_size_off") { Some(true) } else { expected }, "{name}");
        assert_eq!(neff.header().is_none(), bare, "{name}");
        if let Some(header) = neff.header().filter(|header| header.header_size >= 0x400) {
            assert_eq!((header.name.as_str(), header.build.as_str()), ("a_kernel", "vq7 fixture"), "{name}");
            assert_eq!((header.tpb_count, header.feature_bits, header.virtual_core_size), (1, 3, 1), "{name}");
            assert_eq!(header.uuid, "000102030405060708090a0b0c0d0e0f", "{name}");
        }
    }
}

#[test]
fn a_word_of_length_0x11_stops_the_stream() {
    let file = fixture("quantize_long");
    let neff = Neff::open(&file, &Limits::default()).unwrap();
    let (streams, _) = neff.streams().unwrap();
    let words = neff.words(&streams[0]).unwrap();
    assert_eq!((words.words.len(), words.stopped, words.end), (2, Some(1), None));
}

#[test]
fn the_end_marker_is_found() {
    let file = fixture("v2_gzip");
    let neff = Neff::open(&file, &Limits::default()).unwrap();
    let (streams, _) = neff.streams().unwrap();
    assert_eq!(neff.words(&streams[2]).unwrap().end, Some(3));
}

/// Header and archive with gzip taken off.
fn parts(file: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let at = file.windows(3).position(|bytes| bytes == [0x1F, 0x8B, 8]);
    match at.filter(|at| matches!(at, 0 | 0x400 | 0x800)) {
        Some(at) => {
            let mut tar = Vec::new();
            GzDecoder::new(&file[at..]).read_to_end(&mut tar).unwrap();
            (file[..at].to_vec(), tar)
        }
        None => {
            let at = (0..file.len()).step_by(256).find(|&at| &file[at + 257..at + 262] == b"ustar").unwrap();
            (file[..at].to_vec(), file[at..].to_vec())
        }
    }
}

#[test]
fn replacing_nothing_gives_the_same_bytes_and_a_word_changes_nothing_else() {
    for (name, file) in fixtures() {
        let neff = Neff::open(&file, &Limits::default()).unwrap();
        let (streams, _) = neff.streams().unwrap();
        let (old_header, old_tar) = parts(&file);
        for stream in &streams {
            let member = neff.member(&stream.member).unwrap();
            let old = neff.data(member).unwrap();
            assert_eq!(neff.replace(&stream.member, old).unwrap(), file, "{name}");
            let mut new = old.to_vec();
            new[63] ^= 0x5A;
            let changed = neff.replace(&stream.member, &new).unwrap();
            let (header, tar) = parts(&changed);
            assert_eq!(tar.len(), old_tar.len(), "{name}");
            let differ: Vec<_> = (0..tar.len()).filter(|&at| tar[at] != old_tar[at]).collect();
            assert_eq!(differ.len(), 1, "{name}: one byte of the archive");
            let outside = |at: &usize| !(0x10..0x18).contains(at) && !(0xAC..0xCC).contains(at);
            assert!((0..header.len()).filter(outside).all(|at| header[at] == old_header[at]), "{name}");
            let again = Neff::open(&changed, &Limits::default()).unwrap();
            assert_ne!(again.hash_ok(), Some(false), "{name}");
            assert_eq!(again.data(again.member(&stream.member).unwrap()).unwrap(), new, "{name}");
        }
    }
}

#[test]
fn a_stream_may_grow_and_shrink_and_python_reads_the_result() {
    let read_all = "import sys,tarfile,io,json\n\
        t = tarfile.open(fileobj=io.BytesIO(sys.stdin.buffer.read()[int(sys.argv[1]):]), mode='r:*')\n\
        print(json.dumps([[m.name, t.extractfile(m).read().hex()] for m in t if m.isfile()]))";
    for (name, file) in fixtures() {
        let neff = Neff::open(&file, &Limits::default()).unwrap();
        let (streams, _) = neff.streams().unwrap();
        for words in [0usize, 17, 40] {
            let new: Vec<u8> = (0..words * 64).map(|at| at as u8).collect();
            let changed = neff.replace(&streams[0].member, &new).unwrap();
            let again = Neff::open(&changed, &Limits::default()).unwrap();
            assert_ne!(again.hash_ok(), Some(false), "{name}");
            for member in neff.members() {
                let now = again.data(again.member(&member.name).unwrap()).unwrap();
                let expected = if member.name == streams[0].member { &new[..] } else { neff.data(member).unwrap() };
                assert_eq!(now, expected, "{name} {}", member.name);
            }
            if words != 17 {
                continue;
            }
            let (header, _) = parts(&changed);
            let listed = support::python(read_all, &[&header.len().to_string()], &changed);
            for member in again.members() {
                let hex: String = again.data(member).unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
                assert!(listed.contains(&hex), "{name} {}", member.name);
            }
        }
    }
}
