//! `vq7 neff ..`, and `disasm` and `check` of a package.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use common::{ADD_INT, DIVIDE, Folder, bytes, repository, vq7};

fn package(name: &str) -> String {
    repository().join("vectors/neff").join(format!("{name}.neff")).to_str().unwrap().to_owned()
}

#[test]
fn list_has_header_hash_and_streams_in_the_order_of_the_archive() {
    let list = vq7(["neff", "list", "--json", &package("v2_gzip")]).exits(0).json();
    assert_eq!((&list["hash_ok"], &list["header"]["package_version"]), (&true.into(), &2.into()));
    let streams: Vec<_> = list["streams"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| (s["engine"].as_str().unwrap(), s["words"].as_u64().unwrap()))
        .collect();
    assert_eq!(streams, [("pool", 3), ("pe", 1), ("act", 4), ("dve", 3), ("sp", 2)]);
    assert_eq!(list["streams"][0]["member"], "sg00/Pool0.bin");
    let bare = vq7(["neff", "list", "--json", &package("bare_gzip")]).exits(0).json();
    assert!(bare["header"].is_null() && bare["hash_ok"].is_null());
    assert_eq!(vq7(["neff", "list", "--json", &package("wrong_hash")]).exits(0).json()["hash_ok"], false);
    vq7(["neff", "list", &package("wrong_hash")]).exits(0).shows("hash is WRONG");
}

#[test]
fn disasm_and_check_take_a_package() {
    for call in [&["disasm"][..], &["neff", "disasm"]] {
        let package = package("v1_tar");
        let arguments = [call, &[package.as_str()]].concat();
        vq7(&arguments).exits(0).shows("# sg00/pool.bin (pool), 3 words\n").shows("EVENT_SEMAPHORE $S[11]>0;\n");
        let words = vq7([&arguments[..], &["--json"]].concat()).exits(0).json();
        let pool = &words["words"][3];
        assert_eq!((&pool["member"], &pool["index"]), (&"sg00/pool.bin".into(), &2.into()));
        assert_eq!(pool["text"], "EVENT_SEMAPHORE $S[11]>0;");
    }
    for call in [&["check"][..], &["neff", "check"]] {
        let package = package("v1_tar");
        let arguments = [call, &["--json", package.as_str(), "--engine", "dve"]].concat();
        let judged = vq7(&arguments).exits(1).says("word 2 of sg00/dve.bin").json();
        let last = &judged["words"][6];
        assert_eq!(
            (&last["member"], &last["index"], &last["verdict"]),
            (&"sg00/dve.bin".into(), &2.into(), &"illegal".into())
        );
        assert_eq!(judged["summary"]["not_judged"], 6);
    }
    vq7(["check", &package("v1_tar")]).exits(0).shows("7 words: 1 legal, 6 not judged");
    vq7(["check", ADD_INT, &package("v1_tar")]).exits(2).says("answered alone");
    vq7(["disasm", &package("quantize_long")]).exits(1).says("unknown_framing").shows("QUANTIZE_MX len=0x11");
    let one = vq7(["neff", "disasm", "--member", "sg00/pe.bin", &package("v1_tar")]).exits(0);
    assert_eq!(one.out.lines().count(), 2);
}

#[test]
fn the_text_of_a_package_assembles_to_its_words() {
    let folder = Folder::new();
    let text = vq7(["disasm", &package("v2_gzip")]).exits(0).out;
    let program = folder.write("all.vq7", text);
    vq7(["asm", &program, "-o", &folder.at("all.bin")]).exits(0);
    let mut words = Vec::new();
    for member in ["sg00/Pool0.bin", "sg00/PE0.bin", "sg01/Activation1.bin", "sg01/stream_of_dve", "sg01/SP"] {
        vq7(["neff", "extract", &package("v2_gzip"), member, "-o", &folder.at("one.bin")]).exits(0);
        words.extend(folder.read("one.bin"));
    }
    assert_eq!(folder.read("all.bin"), words);
}

#[test]
fn replace_writes_a_package_that_differs_in_one_member() {
    let folder = Folder::new();
    for name in ["v1_tar", "v2_gzip", "bare_pax", "bare_gzip", "short_header"] {
        let old = package(name);
        let member = if matches!(name, "v2_gzip" | "bare_pax") { "sg00/Pool0.bin" } else { "sg00/pool.bin" };
        vq7(["neff", "extract", &old, member, "-o", &folder.at("pool.bin")]).exits(0);
        let mut words = folder.read("pool.bin");
        assert_eq!(words.len(), 192);
        let same = folder.at("same.neff");
        vq7(["neff", "replace", &old, member, "--with", &folder.at("pool.bin"), "-o", &same]).exits(0);
        assert_eq!(folder.read("same.neff"), std::fs::read(&old).unwrap());
        vq7(["neff", "diff", &old, &same]).exits(0).shows("every member is the same");

        words.splice(64..128, bytes(ADD_INT));
        words.extend(bytes(DIVIDE));
        let (with, new) = (folder.write("new.bin", words), folder.at("new.neff"));
        vq7(["neff", "replace", &old, member, "--with", &with, "-o", &new]).exits(0);
        let list = vq7(["neff", "list", "--json", &new]).exits(0).json();
        assert_ne!(list["hash_ok"], false);
        let diff = vq7(["neff", "diff", "--json", &old, &new]).exits(1).says("mismatch").json();
        assert_eq!(diff["changed_members"], serde_json::json!([member]));
        let changes: Vec<_> = diff["words"]
            .as_array()
            .unwrap()
            .iter()
            .map(|w| (w["index"].as_u64().unwrap(), w["change"].as_str().unwrap()))
            .collect();
        assert_eq!(changes, [(1, "changed"), (3, "added")], "{name}");
        assert_eq!(diff["words"][0]["member"], member);
        vq7(["neff", "check", &new]).exits(1).says("word 3 of");
    }
    vq7(["neff", "replace", &package("v1_tar"), "neff.json", "--with", ADD_INT, "-o", &folder.at("x")])
        .exits(2)
        .says("no instruction stream");
    vq7(["neff", "extract", &package("v1_tar"), "gone", "-o", &folder.at("x")]).exits(2).says("has no member `gone`");
    assert!(!folder.has("x"));
}

#[test]
fn semaphores_are_listed_and_drawn() {
    let folder = Folder::new();
    let (svg, trace) = (folder.at("s.svg"), folder.at("s.json"));
    let ran = vq7(["neff", "semaphores", &package("v1_tar"), "--svg", &svg, "--perfetto", &trace]).exits(0);
    ran.shows("$S[22]").shows("sg00/pe.bin:0");
    let answer = vq7(["neff", "semaphores", "--json", &package("v1_tar")]).exits(0).json();
    let flows: Vec<_> = answer["flows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            (
                f["resource"]["index"].as_u64().unwrap(),
                f["from_member"].as_str().unwrap(),
                f["to_member"].as_str().unwrap(),
                f["to_index"].as_u64().unwrap(),
            )
        })
        .collect();
    assert!(flows.contains(&(22, "sg00/pe.bin", "sg00/pool.bin", 1)), "{flows:?}");
    assert!(flows.contains(&(10, "sg00/dve.bin", "sg00/pe.bin", 0)), "{flows:?}");
    assert!(flows.contains(&(11, "sg00/dve.bin", "sg00/pool.bin", 2)), "{flows:?}");
    let svg = String::from_utf8(folder.read("s.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.matches("marker-end").count() == 3);
    let trace: serde_json::Value = serde_json::from_slice(&folder.read("s.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let count = |ph: &str| events.iter().filter(|event| event["ph"] == ph).count();
    assert_eq!((count("M"), count("s"), count("f")), (3, 3, 3));
    let alone = vq7(["neff", "semaphores", &package("gnu_long_names")]).exits(1);
    alone.says("deadlock: 2 waits").says("no word of the package signals it");
}

#[test]
fn opcode_rows_of_the_user_name_words() {
    let folder = Folder::new();
    let rows = folder.write(
        "rows.toml",
        "[[opcode]]\nopcode = 0xF0\nspec = 0x40\nname = \"KERNEL_CALL\"\nfields = [{ name = \"function\", offset = 16, kind = \"u32\" }]\n",
    );
    let word = format!("f0100000{}40000000{}07{}", "00".repeat(8), "", "00".repeat(47));
    let line = vq7(["disasm", "--opcodes", &rows, &word]).exits(0).out;
    assert_eq!(line, "KERNEL_CALL function=7;\n");
    let program = folder.write("p.vq7", line);
    vq7(["asm", "--opcodes", &rows, &program, "-o", &folder.at("p.bin")]).exits(0);
    assert_eq!(folder.read("p.bin"), bytes(&word));
    vq7(["asm", &program, "-o", &folder.at("q.bin")]).exits(2);
    let wrong = folder.write("wrong.toml", "[[opcode]]\nopcode = 0x41\nname = \"MINE\"\n");
    vq7(["disasm", "--opcodes", &wrong, &word]).exits(2).says("wrong.toml: line 1").says("cannot hide that");
}

#[test]
fn what_is_wrong_with_a_package_is_a_failed_call() {
    let folder = Folder::new();
    let good = std::fs::read(package("v1_tar")).unwrap();
    let cut = folder.write("cut.neff", &good[..good.len() - 2000]);
    vq7(["neff", "list", &cut]).exits(2).says("truncated").says("cut.neff");
    vq7(["check", &cut]).exits(2).says("truncated");
    vq7(["neff", "list", "--json", &cut]).exits(2).refused("file");
    let mut long = good.clone();
    long[8..16].copy_from_slice(&(1u64 << 32).to_le_bytes());
    vq7(["neff", "list", &folder.write("long.neff", long)]).exits(2).says("4294967296 bytes");
    vq7(["neff", "list", &folder.write("text", "hello")]).exits(2).says("no NEFF");
    vq7(["neff", "list", "--max-mib", "0", &package("v1_tar")]).exits(2).says("limit");
    vq7(["neff", "list", "gone.neff"]).exits(2).says("No such file");
}
