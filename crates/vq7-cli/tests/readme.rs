//! Every command that README.md shows is run, and its output compared with what is shown.
//!
//! A `console` block holds commands after `$ ` and their output. A line `...` stands for any lines. With `VQ7_BLESS=1` the
//! shown output is replaced by the real one; blocks with `...` are left to people.

#![cfg(feature = "oracle")]
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a shell line in `folder` with the built binary first in the path; standard output and errors as they come.
fn run(line: &str, folder: &Path) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_vq7"));
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {line}\n}} 2>&1")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", binary.parent().unwrap().display()))
        .env("COLUMNS", "120")
        .env_remove("NEURON_PLATFORM_TARGET_OVERRIDE")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let target = to.join(entry.file_name().unwrap());
        if entry.is_dir() { copy_folder(&entry, &target) } else { std::fs::copy(&entry, &target).map(|_| ()).unwrap() }
    }
}

/// Whether the real lines are the shown ones, `...` standing for any.
fn matches(shown: &[&str], real: &[&str]) -> bool {
    match shown.split_first() {
        None => real.is_empty(),
        Some((&"...", rest)) => (0..=real.len()).any(|skip| matches(rest, &real[skip..])),
        Some((line, rest)) => real
            .split_first()
            .is_some_and(|(first, others)| first.trim_end() == line.trim_end() && matches(rest, others)),
    }
}

#[test]
fn every_shown_command_gives_the_shown_output() {
    let readme_path = root().join("README.md");
    let readme = std::fs::read_to_string(&readme_path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for shown in ["examples", "vectors/neff"] {
        copy_folder(&root().join(shown), &folder.path().join(shown));
    }
    let bless = std::env::var_os("VQ7_BLESS").is_some();
    let (mut blessed, mut commands, mut wrong) = (String::new(), 0, Vec::new());
    let mut lines = readme.lines().peekable();
    while let Some(line) = lines.next() {
        blessed.push_str(line);
        blessed.push('\n');
        if line != "```console" {
            continue;
        }
        while let Some(command) = lines.next_if(|line| line.starts_with("$ ")) {
            let mut shown = Vec::new();
            while let Some(output) = lines.next_if(|line| !line.starts_with("$ ") && *line != "```") {
                shown.push(output);
            }
            let real = run(&command[2..], folder.path());
            let real: Vec<_> = real.lines().collect();
            commands += 1;
            if !matches(&shown, &real) {
                wrong.push(format!("{command}\n--- shown\n{}\n--- real\n{}", shown.join("\n"), real.join("\n")));
            }
            let keep = if shown.contains(&"...") { shown } else { real };
            blessed.push_str(
                &std::iter::once(&command)
                    .chain(&keep)
                    .map(|line| format!("{}\n", line.trim_end()))
                    .collect::<String>(),
            );
        }
    }
    if bless {
        std::fs::write(readme_path, blessed).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{}\n(VQ7_BLESS=1 rewrites the shown output)", wrong.join("\n\n"));
    assert!(commands >= 8, "the tour has {commands} commands");
}
