//! What a stack writes by itself is a number of the report, and no other process.
//!
//! The failure: every write sample of a btrfs mirror was thrown away, because a worker of the kernel
//! (`kworker/u8:0-btrfs-endio`) had written twice the bytes that fio asked for.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::set_up_many;
use crate::support::{Bench, at};
use stripewise_fixtures::loops::{self, Loop, Mounted};

const STUDY: &str = r#"
[stack.here]
filesystem = "existing"
[workload]
pattern = ["randwrite", "write"]
block_size = "64K"
size = "32M"
DATA
[repeat]
sample = "200ms"
at_least = 2
at_most = 2
"#;

/// Measures a btrfs on two devices in memory, and returns the document.
fn measured(bench: &Bench, data_profile: &str, options: &str, data: &str) -> Value {
    let devices = [(); 2].map(|()| Loop::in_folder(Path::new("/dev/shm"), 400, &[], |_| ()));
    let [first, second] = [devices[0].name(), devices[1].name()];
    let made = ["-q", "-d", data_profile, "-m", "raid1", first, second];
    loops::run("mkfs.btrfs", &made);
    loops::run("btrfs", &["device", "scan", first, second]);
    let mounted = Mounted::with(first, options);
    let file = bench.write("study.toml", &STUDY.replace("DATA", data));
    let mut command: Command = bench.command();
    // Not the fake fio of the bench, which writes nothing.
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.arg("run").arg(file).arg("--json");
    command.arg("--target").arg(mounted.path());
    command
        .arg("--store")
        .arg(bench.path(&format!("{data_profile}.db")));
    let output = command.output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!(at(&document, "/facts/target/profile"), data_profile);
    document
}

/// Returns the bytes written for each byte of the load, of every cell.
fn written(document: &Value) -> Vec<f64> {
    let cells = at(document, "/cells").as_array().unwrap();
    let written = cells.iter().map(|cell| {
        let blamed = at(cell, "/warnings").to_string();
        assert!(!blamed.contains("kworker"), "{blamed}");
        at(cell, "/device_bytes_per_byte/write").as_f64().unwrap()
    });
    written.collect()
}

#[test]
fn a_btrfs_mirror_writes_twice_and_its_samples_count() {
    const WHAT: &str = "what a btrfs writes by itself";
    let Some((bench, _)) = set_up_many(WHAT, 0, 0, &["fio", "mkfs.btrfs", "btrfs"]) else {
        return;
    };
    for written in written(&measured(&bench, "raid1", "noatime", "")) {
        assert!(
            (2.0..3.0).contains(&written),
            "two copies, and trees: {written}"
        );
    }
    for written in written(&measured(&bench, "single", "noatime", "")) {
        assert!(
            (1.0..2.0).contains(&written),
            "one copy, and trees: {written}"
        );
    }
}

#[test]
fn a_btrfs_that_compresses_writes_less() {
    const WHAT: &str = "what a btrfs that compresses writes";
    let Some((bench, _)) = set_up_many(WHAT, 0, 0, &["fio", "mkfs.btrfs", "btrfs"]) else {
        return;
    };
    let data = "data = 4.0\ndirect = false\nfsync = 16";
    let document = measured(&bench, "raid1", "noatime,compress=zstd", data);
    for written in written(&document) {
        assert!(
            (0.3..1.5).contains(&written),
            "two copies of a fourth: {written}"
        );
    }
}
