//! `vq7 campaign`.

#![cfg(feature = "oracle")]
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::*;
use serde_json::{Value, json};

fn campaign(arguments: &[&str]) -> Ran {
    vq7([&["campaign"], arguments].concat())
}

/// Plans a small campaign in a folder of its own; gives the folder's path.
fn plan(folder: &Folder, name: &str, shards: &str) -> String {
    let path = folder.at(name);
    let questions = ["--targets", "trn2", "--ops", "add,add_int,bitwise_xor", "--types", "e4m3,i8,i64"];
    campaign(&[&["plan"], &questions[..], &["--shards", shards, "-o", &path]].concat()).exits(0);
    path
}

fn merged(folder: &Folder, path: &str, name: &str) -> Vec<u8> {
    let manifest = folder.at(name);
    campaign(&["merge", path, "-o", &manifest]).exits(0).shows("cases agree");
    folder.read(name)
}

#[test]
fn the_manifest_does_not_tell_into_how_many_shards_it_was_cut() {
    let folder = Folder::new();
    let (one, many) = (plan(&folder, "one", "1"), plan(&folder, "many", "7"));
    campaign(&["run", &one]).exits(0).shows("1 of 1 shards done");
    for shard in [6, 0, 3, 2, 5, 1] {
        campaign(&["run-shard", &many, &shard.to_string()]).exits(0);
    }
    campaign(&["merge", &many, "-o", &folder.at("early.json")]).exits(2).says("1 of 7 shards have no result: 4");
    assert!(!folder.names().contains(&"early.json".to_owned()));
    let status = campaign(&["status", &many, "--json"]).exits(0).json();
    assert_eq!((&status["done"], &status["shards"], &status["mismatches"]), (&6.into(), &7.into(), &0.into()));
    assert!(status["rate"].as_f64().unwrap() > 0.0 && status["seconds_left"].as_f64().unwrap() > 0.0, "{status}");
    campaign(&["run", &many]).exits(0);
    let manifest = merged(&folder, &many, "many.json");
    assert_eq!(manifest, merged(&folder, &one, "one.json"));
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let names: Vec<_> =
        manifest["questions"].as_array().unwrap().iter().map(|q| q["question"].as_str().unwrap()).collect();
    // Floats have no integer band, and 64-bit integers no base band.
    let expected = ["add:i8,i8,i8:all", "add:e4m3,e4m3,e4m3:all", "add_int:i8,i8,i8:all", "add_int:i64,i64,i64:L1:s0"];
    expected.iter().for_each(|name| assert!(names.contains(name), "{name} in {names:?}"));
    assert!(!names.iter().any(|name| name.starts_with("add:i64") || name.starts_with("add_int:e4m3")), "{names:?}");
    assert!(manifest["questions"].as_array().unwrap().iter().any(|q| q["masked"]["nan_bits"].as_u64() > Some(0)));
}

#[test]
fn a_result_that_is_there_is_kept_and_a_broken_one_replaced() {
    let folder = Folder::new();
    let path = plan(&folder, "c", "3");
    let shard = |number: usize| format!("c/shard-{number}.json");
    campaign(&["run-shard", &path, "1"]).exits(0).shows("1 of 3 shards done");
    let whole = folder.read(&shard(1));
    // Written anew it would lose the space.
    let spaced = [&whole[..], b" "].concat();
    folder.write(&shard(1), &spaced);
    campaign(&["run-shard", &path, "1"]).exits(0);
    assert_eq!(folder.read(&shard(1)), spaced);

    let text = String::from_utf8(whole.clone()).unwrap();
    let other_plan = text.replace("\"plan\":\"", "\"plan\":\"f");
    let fewer = text.replacen("\"agreed\":", "\"agreed\":1", 1);
    for broken in [&text[..text.len() / 2], "", "{}", &other_plan, &fewer] {
        folder.write(&shard(1), broken);
        campaign(&["status", &path])
            .exits(0)
            .shows("0 of 3 shards done")
            .shows("broken or foreign results of shards 1");
        campaign(&["merge", &path, "-o", &folder.at("m")]).exits(2).says("1 (");
        campaign(&["run-shard", &path, "1"]).exits(0);
        assert_eq!(folder.read(&shard(1)), whole);
    }
    // The result of another shard under this one's name.
    folder.write(&shard(2), &text);
    campaign(&["status", &path]).exits(0).shows("results of shards 2");
}

#[test]
fn a_case_that_differs_is_in_the_manifest_whatever_came_behind_it() {
    let folder = Folder::new();
    let path = plan(&folder, "c", "2");
    campaign(&["run", &path]).exits(0);
    for number in [0, 1] {
        let name = format!("c/shard-{number}.json");
        let mut shard: Value = serde_json::from_slice(&folder.read(&name)).unwrap();
        let part = &mut shard["parts"][0];
        let index = part["first"].as_u64().unwrap() + 5;
        part["agreed"] = 5.into();
        part["mismatch"] = json!({ "index": index, "case": format!("case {number}"), "reproduce": "vq7 explain" });
        folder.write(&name, shard.to_string());
    }
    campaign(&["status", &path]).exits(0).shows("2 mismatches so far");
    let ran = campaign(&["merge", &path, "-o", &folder.at("m.json")]).exits(1);
    ran.shows("differs case 0 before apfloat").says("1 of ");
    let manifest: Value = serde_json::from_slice(&folder.read("m.json")).unwrap();
    let first = &manifest["questions"][0];
    assert_eq!(
        (&first["agreed"], &first["mismatch"]["case"], &first["masked"]),
        (&5.into(), &"case 0".into(), &json!({}))
    );
}

#[test]
fn what_makes_no_sense_exits_2() {
    let folder = Folder::new();
    let path = plan(&folder, "c", "2");
    let at = |name: &str| folder.at(name);
    campaign(&["run-shard", &path, "2"]).exits(2).says("there is no shard 2: the shards are 0..2");
    campaign(&["run", &at("none")]).exits(2).says("plan.json").says("vq7 campaign plan");
    campaign(&["status", &path, "--policy", "round=up"]).exits(2).says("the plan has the policy");
    let other = ["plan", "--ops", "mult", "--types", "i8", "-o", &path];
    campaign(&other).exits(2).says("the plan of another campaign");
    assert_eq!(plan(&folder, "c", "2"), path, "the same plan again is no other");
    for (arguments, message) in [
        (["--ops", "ad_int", "--types", "i8"], "did you mean `add_int`"),
        (["--ops", "add", "--types", "f61"], "no dtype is named `f61`"),
        (["--ops", "divide", "--types", "f32"], "none of these ops is legal"),
        (["--ops", "add", "--targets", "trn9"], "trn9"),
        (["--ops", "add", "--oracle", "numpy"], "no oracle is named `numpy`"),
    ] {
        campaign(&[&["plan"], &arguments[..], &["-o", &at("new")]].concat()).exits(2).says(message);
    }
    campaign(&["plan", "--ops", "add", "--shards", "0", "-o", &at("new")]).exits(2);
    for (text, message) in [
        ("", "no plan of a campaign"),
        ("{}", "no plan of a campaign"),
        (r#"{"schema_version":2,"vq7":"","targets":[],"policy":[],"shards":1,"questions":[]}"#, "version 2"),
        (r#"{"schema_version":1,"vq7":"0","targets":[],"policy":[],"shards":1,"questions":[]}"#, "planned by vq7 0"),
    ] {
        std::fs::create_dir_all(at("broken")).unwrap();
        folder.write("broken/plan.json", text);
        campaign(&["status", &at("broken")]).exits(2).says("broken").says(message);
    }
    let version = env!("CARGO_PKG_VERSION");
    for (line, shards, message) in [
        ("add:f16,f16,f16:all", 1, "names no question and oracle"),
        ("add:f32,f32,f32:all apfloat", 1, "2^64 pairs"),
        ("add:i8,i8,i8:all apfloat", 0, "0 shards"),
        ("add:i8,i8,i8:all apfloat", u64::MAX, "at most 1000000"),
    ] {
        let plan = json!({ "schema_version": 1, "vq7": version, "targets": [], "policy": [], "shards": shards, "questions": [line] });
        folder.write("broken/plan.json", plan.to_string());
        campaign(&["status", &at("broken")]).exits(2).says(message);
    }
}
