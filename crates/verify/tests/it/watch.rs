//! Guards against a watch of new kernels (`ci/watch-kernels.sh`) that keeps a change to itself, or
//! names no place to mend.

use std::path::Path;
use std::process::Command;

use expect_test::expect;

/// Returns what the watch says of two records.
fn compared(old: &str, new: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let files = [("old", old), ("new", new)].map(|(name, text)| {
        let path = folder.join(format!("watch-{name}-{}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path
    });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/watch-kernels.sh");
    let output = Command::new(script)
        .arg("compare")
        .args(&files)
        .output()
        .unwrap();
    files
        .iter()
        .for_each(|file| std::fs::remove_file(file).unwrap());
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_watch_says_what_changed_and_where_to_mend_it() {
    let old = "limit|raid5 of 64K|chunk_sectors|0\nfile|raid5|degraded|\n\
               line|mdadm --detail|Raid Level : raidN|\nlimit|disk|max_sectors_kb|1280\n";
    let new = "limit|raid5 of 64K|chunk_sectors|384\nfile|raid5|bitmap_type|\n\
               line|mdadm --detail|RAID level : raidN|\nlimit|disk|max_sectors_kb|1280\n";
    expect![[r#"
        - raid5 of 64K: `chunk_sectors` is 384, it was 0. Look at: raid0_cut_at_chunks, raid10_cut_at_chunks and parity.cut_at_rows in kernels/rules.toml; crates/sim/src/engine/limits.rs.
        - raid5: has `bitmap_type` now. Look at: crates/check/src/sources.rs, and whether a rule of crates/check/src/rules reads it.
        - mdadm --detail: prints a line that it did not, `RAID level : raidN`. Look at: crates/check/src/mdstat.rs and crates/machine/src/arrays.rs.
        - raid5: no longer has `degraded`. Look at: crates/check/src/sources.rs, and whether a rule of crates/check/src/rules reads it.
        - mdadm --detail: no longer prints `Raid Level : raidN`. Look at: crates/check/src/mdstat.rs and crates/machine/src/arrays.rs.
    "#]]
    .assert_eq(&compared(old, new));
    assert_eq!(compared(old, old), "- nothing\n");
}

/// The rules and files that the watch names are there.
#[test]
fn the_places_that_the_watch_names_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = std::fs::read_to_string(root.join("ci/watch-kernels.sh")).unwrap();
    let rules = std::fs::read_to_string(root.join("kernels/rules.toml")).unwrap();
    let table = script.split("function place").nth(1).unwrap();
    let table = table.split("function key").next().unwrap();
    // What files in sysfs end with, which are no rules.
    let files = ["_kb", "_size", "_bytes"];
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let mut found = 0;
    for word in table.split(|c: char| !is_part(c)) {
        if word.starts_with("crates/") || word.starts_with("docs/") {
            assert!(root.join(word).exists(), "{word}");
            found += 1;
        } else if word.matches('_').count() > 1 && !files.iter().any(|end| word.ends_with(end)) {
            assert!(rules.contains(&format!("rule = \"{word}\"")), "{word}");
            found += 1;
        }
    }
    assert!(found > 10, "{found}");
}
