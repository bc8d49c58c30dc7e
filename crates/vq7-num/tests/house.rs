//! The invariants of the crate's documentation, read from its sources.

#![allow(clippy::unwrap_used, reason = "a test panics when it fails")]

use std::fs;
use std::path::PathBuf;

fn sources() -> Vec<(PathBuf, String)> {
    let folders = ["src", "src/leaf"].map(|folder| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let files = entries.filter(|path| path.is_file());
    files.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn only_one_file_touches_host_floats() {
    for (path, text) in sources() {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let words =
            code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned));
        let floats = words.filter(|word| word == "f32" || word == "f64").count();
        assert_eq!(floats > 0, path.ends_with("transcendental.rs"), "{}: {floats} host floats", path.display());
    }
}

#[test]
fn the_64_bit_path_uses_64_bit_arithmetic_for_products_only() {
    let (_, text) = sources().into_iter().find(|(path, _)| path.ends_with("halves.rs")).unwrap();
    let wide: Vec<_> =
        text.lines().filter(|line| line.contains("u64") || line.contains("128")).map(str::trim).collect();
    assert_eq!(
        wide,
        [
            "pub const fn from_bits(bits: u64) -> Self {",
            "pub const fn bits(self) -> u64 {",
            "(self.hi as u64) << 32 | self.lo as u64",
            "let low = self.lo as u64 * other.lo as u64;",
        ]
    );
}

#[test]
fn files_stay_small() {
    for (path, text) in sources() {
        assert!(text.lines().count() < 400, "{}", path.display());
    }
}
