//! The invariants of ARCHITECTURE.md, held against the sources.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The crates from the ground floor up. A crate may depend on those above it in this list, never on those below.
const HOUSE: &[&str] = &[
    "vq7-policy",
    "vq7-isa",
    "vq7-num",
    "vq7-iss",
    "vq7-engine",
    "vq7-fast",
    "vq7-program",
    "vq7-neff",
    "vq7-report",
    "vq7",
    "vq7-cases",
    "vq7-conform",
    "vq7-oracle-c",
    "vq7-oracle",
    "vq7-py",
    "vq7-cli",
    "vq7-fuzz",
];
/// Crates that may open files, read the environment, print, or start threads.
const SURFACES: [&str; 2] = ["vq7-cli", "vq7-py"];
/// The Python package, which reads and writes arrays of NumPy where they lie.
const ARRAYS: &str = "vq7-py";
/// Libraries that may use `unsafe`, and start threads through the thread-pool library: the fast executor.
const FAST: [&str; 1] = ["vq7-fast"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every crate of the workspace with its folder.
fn crates() -> BTreeMap<String, PathBuf> {
    let entries = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let folders = entries.filter(|folder| folder.join("Cargo.toml").exists());
    folders.map(|folder| (folder.file_name().unwrap().to_string_lossy().into_owned(), folder)).collect()
}

/// The keys of a section of a manifest: `[dependencies]` and the like.
fn section(manifest: &str, name: &str) -> Vec<String> {
    let lines = manifest.lines().skip_while(|line| line.trim() != format!("[{name}]")).skip(1);
    let entries = lines.take_while(|line| !line.trim_start().starts_with('['));
    entries
        .filter_map(|line| {
            line.split(['.', '=', ' ']).next().filter(|key| !key.is_empty() && !key.starts_with('#')).map(str::to_owned)
        })
        .collect()
}

/// Sources of a crate without its unit tests: what stands before a file's `#[cfg(test)]`.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.join("src")];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&entry).unwrap();
                let product = text.split("#[cfg(test)]").next().unwrap_or("").to_owned();
                found.push((entry, product));
            }
        }
    }
    found.sort();
    found
}

/// Lines of code of a source, comments and the contents of string literals taken off.
fn code(source: &str) -> impl Iterator<Item = (usize, String)> {
    source.lines().enumerate().map(|(index, line)| {
        let (mut kept, mut in_text, mut chars) = (String::new(), false, line.chars().peekable());
        while let Some(c) = chars.next() {
            match c {
                '\\' if in_text => drop(chars.next()),
                '"' => in_text = !in_text,
                '/' if !in_text && chars.peek() == Some(&'/') => break,
                _ if in_text => {}
                _ => kept.push(c),
            }
        }
        (index + 1, kept)
    })
}

#[test]
fn dependencies_point_one_way() {
    for (name, folder) in crates() {
        let floor =
            HOUSE.iter().position(|room| *room == name).unwrap_or_else(|| panic!("{name} has no place in HOUSE"));
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for dependency in section(&manifest, "dependencies").iter().filter(|dependency| dependency.starts_with("vq7")) {
            let below = HOUSE[..floor].contains(&dependency.as_str());
            assert!(below, "{name} depends on {dependency}, which is not below it: see ARCHITECTURE.md");
        }
    }
}

#[test]
fn the_ground_floor_depends_on_nothing() {
    let manifest = std::fs::read_to_string(crates()["vq7-policy"].join("Cargo.toml")).unwrap();
    assert_eq!(section(&manifest, "dependencies"), Vec::<String>::new());
}

#[test]
fn the_judges_share_no_code_with_what_they_judge() {
    let manifest = std::fs::read_to_string(crates()["vq7-oracle"].join("Cargo.toml")).unwrap();
    let vq7s: Vec<_> = section(&manifest, "dependencies").into_iter().filter(|name| name.starts_with("vq7")).collect();
    assert_eq!(vq7s, ["vq7-policy", "vq7-isa", "vq7-cases", "vq7-oracle-c"]);
    assert_eq!(section(&manifest, "dev-dependencies"), Vec::<String>::new());
    // The doors to C know nothing of the project.
    let manifest = std::fs::read_to_string(crates()["vq7-oracle-c"].join("Cargo.toml")).unwrap();
    assert_eq!(section(&manifest, "dependencies"), ["core-math", "softfloat-sys"]);
}

/// No file of the named crates may hold one of the words.
fn assert_absent(names: impl Fn(&str) -> bool, words: &[&str], except: &[&str], why: &str) {
    for (name, folder) in crates().into_iter().filter(|(name, _)| names(name)) {
        for (path, text) in sources(&folder) {
            if except.iter().any(|file| path.ends_with(file)) {
                continue;
            }
            for (line, code) in code(&text) {
                let found = words.iter().find(|word| has_word(&code, word));
                assert_eq!(found, None, "{name}, {}:{line}: {why}", path.display());
            }
        }
    }
}

/// Whether `code` has `word` between characters that belong to no name.
fn has_word(code: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}

#[test]
fn no_input_or_output_below_the_surfaces() {
    let words = [
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::thread",
        "stdin",
        "stdout",
        "stderr",
        "println",
        "eprintln",
        "print",
        "eprint",
    ];
    // A test that has to sit beside the private rules it plants faults in; it reads its seed from the environment.
    let tests = ["timing/agree.rs"];
    assert_absent(|name| !SURFACES.contains(&name), &words, &tests, "no I/O below the command line");
}

#[test]
fn no_host_floating_point_in_the_reference_path() {
    let reference = ["vq7-policy", "vq7-isa", "vq7-num", "vq7-engine"];
    // POW and RSQRT ask a correctly rounded library; its functions take host floats.
    assert_absent(
        |name| reference.contains(&name),
        &["f32", "f64", "f16", "f128"],
        &["transcendental.rs"],
        "no host float in the reference path",
    );
}

#[test]
fn no_unsafe_outside_the_fast_executor() {
    let why = "unsafe belongs to the fast executor, to the arrays of Python, and to the doors to C judges";
    assert_absent(|name| !FAST.contains(&name) && name != ARRAYS, &["unsafe"], &["vq7-oracle-c/src/softfloat.rs"], why);
    // The doors are in a crate that nobody gets.
    let manifest = std::fs::read_to_string(crates()["vq7-oracle-c"].join("Cargo.toml")).unwrap();
    assert!(section(&manifest, "package").contains(&"publish".to_owned()), "vq7-oracle-c is not published");
}

#[test]
fn no_threads_but_in_the_fast_executor_and_the_surfaces() {
    let words = ["rayon", "std::thread", "crossbeam"];
    let may = |name: &str| FAST.contains(&name) || SURFACES.contains(&name);
    assert_absent(|name| !may(name), &words, &[], "threads belong to the fast executor and the surfaces");
    for (name, folder) in crates().into_iter().filter(|(name, _)| !may(name)) {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert!(!section(&manifest, "dependencies").contains(&"rayon".to_owned()), "{name} depends on rayon");
    }
}

#[test]
fn files_can_be_held_in_the_head() {
    for (name, folder) in crates() {
        for (path, _) in sources(&folder) {
            let lines = std::fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines <= 600, "{name}, {}: {lines} lines; is there a room missing?", path.display());
        }
    }
}

#[test]
fn the_checks_above_see_what_they_look_for() {
    assert!(has_word("let x = 1.0f32 as f32;", "f32") && !has_word("\"float32\" xf32 f32x", "f32"));
    assert_eq!(
        section(
            "[dependencies]\nvq7-isa.workspace = true\n\n# note\nserde = \"1\"\n[lints]\nworkspace = true",
            "dependencies"
        ),
        ["vq7-isa", "serde"]
    );
    assert_eq!(code("a \"f32 \\\" // \" b // c").collect::<Vec<_>>(), [(1, "a  b ".to_owned())]);
}

/// Without it `cargo bench -- OPTIONS` hands the benchmarks' options to the unit tests, which refuse them.
#[test]
fn no_crate_benches_its_unit_tests() {
    for (name, folder) in crates() {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let lib: Vec<_> = manifest.lines().skip_while(|line| *line != "[lib]").take(2).collect();
        assert_eq!(lib, ["[lib]", "bench = false"], "{name}");
    }
}
