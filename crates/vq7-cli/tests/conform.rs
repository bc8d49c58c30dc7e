//! `vq7 conform`: kits, results, clients, and whatever may be wrong with them.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::*;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A small kit: integer ops and float32, under a second.
const SMALL: [&str; 4] = ["--shard", "0/8", "--filter", "op=add_int,op=add,op=max_int,op=bitwise_and"];

fn generate(folder: &Folder, kit: &str, arguments: &[&str]) -> Ran {
    vq7([&["conform", "generate", "-o", &folder.at(kit)], arguments].concat())
}

fn small(folder: &Folder) -> String {
    generate(folder, "kit", &SMALL).exits(0);
    folder.at("kit")
}

/// Results that are the kit's own, in `folder/results`.
fn perfect(folder: &Folder, kit: &str, shard: &str) -> String {
    let (from, to) = (Path::new(kit).join(shard), folder.path().join("results"));
    fs::create_dir_all(&to).unwrap();
    fs::copy(from.join("expected.bin"), to.join("results.bin")).unwrap();
    let manifest: Value = serde_json::from_slice(&fs::read(from.join("manifest.json")).unwrap()).unwrap();
    let mut results = serde_json::Map::new();
    for key in ["schema_version", "kit", "vq7", "target", "level", "seed", "policy", "shard"] {
        results.insert(key.to_owned(), manifest[key].clone());
    }
    results.insert("kind".to_owned(), "vq7-conformance-results".into());
    results.insert("producer".to_owned(), "a copy".into());
    results.insert("complete".to_owned(), true.into());
    fs::write(to.join("results.json"), serde_json::to_vec(&results).unwrap()).unwrap();
    folder.at("results")
}

fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, serde_json::to_vec(&value).unwrap()).unwrap();
}

fn check(kit: &str, results: &str, arguments: &[&str]) -> Ran {
    vq7([&["conform", "check", kit, "--results", results], arguments].concat())
}

const SHARD: &str = "shard-0000-of-0008";

#[test]
fn a_kit_agrees_with_itself_and_with_a_copy() {
    let folder = Folder::new();
    let kit = small(&folder);
    vq7(["conform", "check", &kit]).exits(0).shows("are equal").shows("results of vq7");
    let results = perfect(&folder, &kit, SHARD);
    let answer = check(&kit, &results, &["--json"]).exits(0).json();
    assert_eq!((&answer["status"], &answer["producer"]), (&"equal".into(), &"a copy".into()));
    assert!(answer["total"]["elements"].as_u64().unwrap() > 100_000, "{answer}");
    assert_eq!(answer["total"]["mismatching"], 0);
    // The manifest and the file are names of the same results.
    check(&kit, &format!("{results}/results.json"), &[]).exits(0);
    check(&kit, &format!("{results}/results.bin"), &[]).exits(0);
    // A folder of one shard is a kit.
    check(&format!("{kit}/{SHARD}"), &results, &[]).exits(0);
}

#[test]
fn the_bytes_do_not_depend_on_threads_and_shards_merge_and_resume() {
    let folder = Folder::new();
    let filter = ["--filter", "op=mult,dtype=float8_e4m3", "--seed", "5"];
    generate(&folder, "one", &[&filter[..], &["--threads", "1", "--shard", "1/3"]].concat()).exits(0);
    let kit = |shard: &str, threads: &str| {
        generate(&folder, "kit", &[&filter[..], &["--threads", threads, "--shard", shard, "--json"]].concat())
    };
    let first = kit("1/3", "3").exits(0).json();
    assert_eq!((&first["already_there"], &first["complete"]), (&false.into(), &false.into()));
    let path = |kit: &str, file: &str| folder.path().join(kit).join("shard-0001-of-0003").join(file);
    for file in ["cases.bin", "words.bin", "inputs.bin", "expected.bin", "negative.bin", "manifest.json"] {
        assert_eq!(fs::read(path("one", file)).unwrap(), fs::read(path("kit", file)).unwrap(), "{file}");
    }
    assert_eq!(kit("1/3", "2").json()["already_there"], true);
    // A file that was cut off is written again, and so is what a call that was ended left behind.
    let whole = fs::read(path("kit", "inputs.bin")).unwrap();
    fs::write(path("kit", "inputs.bin"), &whole[..whole.len() / 2]).unwrap();
    fs::create_dir_all(folder.path().join("kit/shard-0001-of-0003.unfinished/x")).unwrap();
    assert_eq!(kit("1/3", "2").json()["already_there"], false);
    assert_eq!(fs::read(path("kit", "inputs.bin")).unwrap(), whole);
    assert!(!folder.path().join("kit/shard-0001-of-0003.unfinished").exists());
    kit("0/3", "2").exits(0);
    let last = kit("2/3", "2").exits(0).json();
    assert_eq!((&last["shards_there"], &last["complete"]), (&3.into(), &true.into()));
    let checked = vq7(["conform", "check", &folder.at("kit"), "--json"]).exits(0).json();
    assert_eq!(checked["shards"], serde_json::json!(["0/3", "1/3", "2/3"]));
    // Another kit does not come into the same folder.
    generate(&folder, "kit", &["--seed", "6"]).exits(2).says("another kit is here").says("seed 5");
}

#[test]
fn a_flipped_bit_is_shown_with_values_distance_and_knobs() {
    let folder = Folder::new();
    let kit = small(&folder);
    let results = perfect(&folder, &kit, SHARD);
    let cases = fs::read(Path::new(&kit).join(SHARD).join("cases.bin")).unwrap();
    // The first case of add into float16 whose destination lies apart: there is a second window.
    let into_f16 = |record: &&[u8]| record[24..26] == [0x41, 0x04] && record[28] == 7 && record[38] > 0;
    let record = cases.chunks(64).find(into_f16).unwrap();
    let u32_at = |at: usize| u32::from_le_bytes(record[at..at + 4].try_into().unwrap()) as usize;
    let image = u32_at(8);
    let bin = folder.path().join("results/results.bin");
    let mut bytes = fs::read(&bin).unwrap();
    // The windows begin with eight bytes of noise that no word may touch.
    bytes[image] ^= 1;
    fs::write(&bin, &bytes).unwrap();
    check(&kit, &results, &[]).exits(1).shows("1 bytes outside the destination changed").says("a copy does not agree");
    bytes[image] ^= 1;
    // The destination begins behind the second window's noise.
    bytes[image + usize::from(record[36]) * u32_at(48) + 8] ^= 4;
    fs::write(&bin, &bytes).unwrap();
    let ran = check(&kit, &results, &[]).exits(1);
    let ran = ran.shows("ulp away").shows("rests on").shows("vq7 explain --op add").shows("1 of ");
    let answer = check(&kit, &results, &["--json"]);
    assert_eq!(ran.code, 1);
    let difference = &answer.json()["differences"][0];
    // The command that is shown explains the same bits.
    let command: Vec<_> = difference["reproduce"].as_str().unwrap().split(' ').collect();
    let explained = vq7([&command[1..], &["--json"]].concat()).json();
    assert_eq!(explained["result"]["bits"], difference["expected"]);
    assert_ne!(explained["result"]["bits"], difference["got"]);
    // A filter leaves the op out.
    check(&kit, &results, &["--filter", "op=add_int"]).exits(0);
}

#[test]
fn results_of_something_else_are_named() {
    let folder = Folder::new();
    let kit = small(&folder);
    let results = perfect(&folder, &kit, SHARD);
    let path = folder.path().join("results/results.json");
    let whole = fs::read(&path).unwrap();
    let cases: [(&str, Value, &str); 8] = [
        ("seed", 7.into(), "another seed: they say 7, and the kit is of 0"),
        ("shard", serde_json::json!({"index": 3, "of": 8}), "another shard: they say 3/8, and the kit is of 0/8"),
        ("vq7", "9.9.9".into(), "another version of vq7: they say 9.9.9"),
        ("policy", serde_json::json!({"round": "zero"}), "another policy: they say round=zero"),
        ("target", "trn1".into(), "another target: they say trn1"),
        ("schema_version", 2.into(), "form 2"),
        ("kit", "0000000000000000".into(), "another kit"),
        ("kind", "something".into(), "its kind is `something`"),
    ];
    for (key, value, message) in cases {
        edit(&path, |results| results[key] = value);
        check(&kit, &results, &[]).exits(2).says(message);
        assert!(
            check(&kit, &results, &["--json"]).exits(2).refused("file")["error"]["message"]
                .as_str()
                .unwrap()
                .contains(message)
        );
        fs::write(&path, &whole).unwrap();
    }
    fs::write(&path, "{").unwrap();
    check(&kit, &results, &[]).exits(2).says("no manifest of results");
    fs::remove_file(&path).unwrap();
    check(&kit, &results, &[]).exits(2).says("results.json");
    check(&folder.at("nothing"), &results, &[]).exits(2).says("no conformance kit");
}

#[test]
fn a_truncated_or_damaged_file_is_named() {
    let folder = Folder::new();
    let kit = small(&folder);
    let results = perfect(&folder, &kit, SHARD);
    let bin = folder.path().join("results/results.bin");
    let bytes = fs::read(&bin).unwrap();
    fs::write(&bin, &bytes[..bytes.len() - 1]).unwrap();
    check(&kit, &results, &[]).exits(2).says("results.bin").says("the file is truncated");
    fs::write(&bin, [&bytes[..], b"x"].concat()).unwrap();
    check(&kit, &results, &[]).exits(2).says("the file is too long");
    fs::write(&bin, &bytes).unwrap();
    let status = folder.write("results/status.bin", [0, 1]);
    check(&kit, &results, &[]).exits(2).says("status.bin").says("truncated");
    fs::remove_file(status).unwrap();
    for file in ["cases.bin", "words.bin", "inputs.bin", "expected.bin"] {
        let path = Path::new(&kit).join(SHARD).join(file);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 64]).unwrap();
        check(&kit, &results, &[]).exits(2).says(file).says("truncated");
        let mut damaged = whole.clone();
        damaged[100] ^= 1;
        fs::write(&path, damaged).unwrap();
        check(&kit, &results, &[]).exits(2).says(file).says("damaged");
        vq7(["conform", "check", &kit]).exits(2).says("damaged");
        fs::write(&path, whole).unwrap();
    }
    check(&kit, &results, &[]).exits(0);
}

/// SUNDA's POOL has no row for the extended word: legal in structure, and nobody runs it.
#[test]
fn what_no_engine_runs_is_counted_and_left_out() {
    let folder = Folder::new();
    let ran = generate(&folder, "kit", &["--target", "trn1", "--shard", "7/4096"]).exits(0);
    ran.shows("trn1 (SUNDA)").shows("3744 cells more are legal in structure, but no engine");
    vq7(["conform", "check", &folder.at("kit")]).exits(0);
}

/// A target or a policy is the kit's, whatever the call that checks it says.
#[test]
fn a_kit_of_another_policy_checks_under_that_policy() {
    let folder = Folder::new();
    let policy = ["--policy", "round=zero", "--policy", "e4m3=fn", "--shard", "5/2048"];
    generate(&folder, "kit", &policy).exits(0).shows("policy e4m3=fn round=zero");
    vq7(["conform", "check", &folder.at("kit")]).exits(0).shows("policy e4m3=fn round=zero").shows("are equal");
    // One shard is the same bytes whatever else of the kit is there; another policy is another kit.
    generate(&folder, "kit", &["--shard", "5/2048"]).exits(2).says("another kit is here");
}

#[test]
fn arguments_that_make_no_sense_exit_2() {
    let folder = Folder::new();
    for (arguments, message) in [
        (["--shard", "8/8"], "I below N"),
        (["--level", "3"], "1..=2"),
        (["--filter", "add"], "op=NAME"),
        (["--filter", "op=ad"], "did you mean"),
    ] {
        generate(&folder, "kit", &arguments).exits(2).says(message);
    }
    folder.write("file", "x");
    vq7(["conform", "generate", "-o", &folder.at("file")]).exits(2).says("file");
}
