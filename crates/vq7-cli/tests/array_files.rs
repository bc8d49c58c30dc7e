//! Array files of every kind that NumPy and ml_dtypes write, and files that lie.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::*;
use std::io::Write;
use zip::write::SimpleFileOptions;

fn bypass(folder: &Folder, a: &str, more: &[&str]) -> Ran {
    let out = folder.at("c.npy");
    vq7([&["tt", "--op", "bypass", "--a", a, "--b", a, "--out", &out], more].concat())
}

#[test]
fn fortran_order_and_big_endian_are_read_right() {
    let folder = Folder::new();
    // [[0, 1, 2], [3, 4, 5]] with the first index fastest, high byte first.
    let data: Vec<u8> = [0i32, 3, 1, 4, 2, 5].iter().flat_map(|value| value.to_be_bytes()).collect();
    let a = folder.write("a.npy", npy(">i4", true, "(2, 3)", &data));
    bypass(&folder, &a, &[]).exits(0);
    let (header, data) = split_npy(&folder.read("c.npy"));
    assert!(header.contains("'descr': '<i4'") && header.contains("False") && header.contains("(2, 3)"), "{header}");
    let expected: Vec<u8> = (0i32..6).flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(data, expected);
}

#[test]
fn arrays_of_ml_dtypes_need_their_dtype_named() {
    let folder = Folder::new();
    for (descr, size, dtype, written) in [
        ("|V2", 2, "bfloat16", "<V2"),
        ("<V2", 2, "bf16", "<V2"),
        ("|V1", 1, "float8_e4m3", "|V1"),
        ("<V1", 1, "FP8_EXP3", "|V1"),
        ("<f1", 1, "float8_e5m2", "|V1"),
        ("<u2", 2, "bfloat16", "<V2"),
        ("|V4", 4, "float32", "<f4"),
        ("|b1", 1, "uint8", "|u1"),
    ] {
        let a = folder.npy("a.npy", descr, "(3,)", &[0x41].repeat(3 * size));
        if descr.contains('V') || descr == "<f1" {
            bypass(&folder, &a, &[]).exits(2).says("name their dtype").says("a.npy (--a, --a-dtype)");
        }
        bypass(&folder, &a, &["--a-dtype", dtype, "--b-dtype", dtype]).exits(0);
        let (header, data) = split_npy(&folder.read("c.npy"));
        assert!(header.contains(written), "{descr}: {header}");
        assert_eq!(data, [0x41].repeat(3 * size), "{descr}");
    }
}

#[test]
fn what_the_engine_has_no_dtype_for_is_refused_with_advice() {
    let folder = Folder::new();
    for (descr, size, advice) in [
        ("<f8", 8, "a.astype('float32')"),
        ("<c8", 8, "real and imaginary"),
        ("|O", 8, "objects are not read"),
        ("<U3", 12, "text"),
        ("|S4", 4, "text"),
        ("<M8[ns]", 8, "a.view('int64')"),
        ("|V3", 3, "1, 2, 4 or 8"),
    ] {
        let a = folder.npy("a.npy", descr, "(2,)", &vec![0; 2 * size]);
        bypass(&folder, &a, &[]).exits(2).says(advice).says(descr);
    }
    let structured = b"{'descr': [('x', '<i4')], 'fortran_order': False, 'shape': (1,), }\n";
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((structured.len() as u16).to_le_bytes());
    file.extend(structured);
    file.extend([0; 4]);
    let a = folder.write("a.npy", file);
    bypass(&folder, &a, &[]).exits(2).says("structured");
}

#[test]
fn headers_that_lie_are_caught() {
    let folder = Folder::new();
    let cases = [
        (npy("<i4", false, "(4,)", &[0; 12]), "16 bytes, but 12 bytes follow it"),
        (npy("<i4", false, "(2,)", &[0; 12]), "8 bytes, but 12 bytes follow it"),
        (npy("<i8", false, "(4294967296, 4294967296, 4294967296)", &[]), "more than memory can hold"),
        (npy("<i4", false, "(9999999999,)", &[]), "39999999996 bytes, but 0 bytes follow it"),
        (npy("<i4", false, "(0, 3)", &[]), "no elements"),
        (npy("<i4", false, "(-1,)", &[0; 4]), "malformed"),
        (npy("<i4", false, "(1,), 'shape': (1,)", &[0; 4]), "stands twice"),
        (npy("<q4", false, "(1,)", &[0; 4]), "`<q4`"),
        (npy("<i4", false, "(1,)", &[0; 4])[..40].to_vec(), "truncated"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\x7f{".to_vec(), "truncated"),
        (b"\x93NUMPY\x07\x00".to_vec(), "version 7.0"),
        (b"hello".to_vec(), "no .npy file"),
        (Vec::new(), "no .npy file"),
    ];
    for (file, message) in cases {
        let a = folder.write("a.npy", file);
        bypass(&folder, &a, &[]).exits(2).says(message).says("a.npy");
    }
}

fn npz(members: &[(&str, Vec<u8>)], method: zip::CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, contents) in members {
        archive.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        archive.write_all(contents).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn members_of_archives_are_picked_by_name() {
    let folder = Folder::new();
    let (x, y) = (npy("|u1", false, "(2,)", &[1, 2]), npy("|u1", false, "(2,)", &[3, 4]));
    let members = [("x.npy", x.clone()), ("y.npy", y)];
    for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
        let path = folder.write("z.npz", npz(&members, method));
        for name in ["y", "y.npy"] {
            bypass(&folder, &format!("{path}:{name}"), &[]).exits(0);
            assert_eq!(split_npy(&folder.read("c.npy")).1, [3, 4]);
        }
        bypass(&folder, &path, &[]).exits(2).says("several members").says("x, y");
        bypass(&folder, &format!("{path}:q"), &[]).exits(2).says("no member `q`; it has x, y");
    }
    let one = folder.write("one.npz", npz(&members[..1], zip::CompressionMethod::Deflated));
    bypass(&folder, &one, &[]).exits(0);
    let a = folder.write("a.npy", x);
    bypass(&folder, &format!("{a}:x"), &[]).exits(2).says("only an .npz archive has members");
    let colon = folder.write("with:colon.npy", npy("|u1", false, "(1,)", &[9]));
    bypass(&folder, &colon, &[]).exits(0);
}

#[test]
fn broken_archives_are_refused() {
    let folder = Folder::new();
    let whole = npz(&[("x.npy", npy("|u1", false, "(2,)", &[1, 2]))], zip::CompressionMethod::Deflated);
    for end in [2, 10, 60, whole.len() - 5] {
        let path = folder.write("z.npz", &whole[..end]);
        bypass(&folder, &format!("{path}:x"), &[]).exits(2);
    }
    let path = folder.write("z.npz", npz(&[("x.npy", b"nothing".to_vec())], zip::CompressionMethod::Stored));
    bypass(&folder, &path, &[]).exits(2).says("member `x.npy`").says("no .npy file");
    let mut wrong = npz(&[("x.npy", npy("|u1", false, "(2,)", &[1, 2]))], zip::CompressionMethod::Stored);
    let at = wrong.windows(2).position(|pair| pair == [1, 2]).unwrap();
    wrong[at + 10] ^= 1;
    let path = folder.write("z.npz", wrong);
    assert_ne!(bypass(&folder, &path, &[]).code, 1);
}

#[test]
fn object_arrays_and_negative_shapes_are_called_what_they_are() {
    let folder = Folder::new();
    // NumPy pickles objects: what follows the header has no length that the shape tells.
    let objects = folder.npy("o.npy", "|O", "(2,)", b"\x80\x04\x95pickled");
    bypass(&folder, &objects, &[]).exits(2).says("holds Python objects").says("a.astype(..)");
    let negative = folder.npy("n.npy", "<i4", "(2, -1)", &[0; 8]);
    bypass(&folder, &negative, &[]).exits(2).says("negative");
}
