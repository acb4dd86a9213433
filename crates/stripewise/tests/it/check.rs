//! `check` and `collect` as users see them.
//!
//! The failure: a host that nobody could read was reported as sound, and a script that asked for
//! critical findings did not notice one.

use std::fs;

use crate::support::{Bench, Done, with};

fn answer(bench: &Bench, words: &[&str]) -> Done {
    bench.finish(with(bench.command(), words))
}

/// A tree of a host with an XFS mount that no current kernel accepts.
fn tree(bench: &Bench) -> String {
    let folder = bench.path("host");
    fs::create_dir_all(folder.join("etc")).unwrap();
    fs::write(folder.join("etc/fstab"), "UUID=1 /srv xfs nobarrier 0 0\n").unwrap();
    folder.display().to_string()
}

#[test]
fn check_counts_all_four_outcomes_and_its_exit_code_is_the_answer() {
    let Some(bench) = Bench::new() else { return };
    let tree = tree(&bench);
    let done = answer(&bench, &["check", "--root", &tree]);
    assert_eq!(done.code, Some(1), "{}", done.transcript());
    assert!(
        done.stdout.contains("fail (high): mnt.nobarrier-stale"),
        "{}",
        done.transcript()
    );
    assert!(
        done.stdout.contains("missing: /proc/mounts"),
        "{}",
        done.transcript()
    );
    let summary = done.stdout.lines().last().unwrap();
    assert!(
        summary.contains(" passed, 1 failed, ") && summary.contains(" not run because"),
        "{summary}"
    );
    let done = answer(
        &bench,
        &["check", "--root", &tree, "--fail-on", "critical", "--json"],
    );
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let count = |key: &str| report["summary"][key].as_u64().unwrap();
    let all = count("pass") + count("fail") + count("info") + count("not_run");
    assert_eq!(all, report["results"].as_array().unwrap().len() as u64);
    let done = answer(&bench, &["check", "--root", &tree, "--sarif"]);
    let log: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(
        log["runs"][0]["results"][0]["ruleId"],
        "mnt.nobarrier-stale"
    );
}

#[test]
fn check_explains_rules_and_refuses_to_fix_what_no_setting_fixes() {
    let Some(bench) = Bench::new() else { return };
    let done = answer(&bench, &["check", "--explain", "md.bitmap-chunk"]);
    for word in ["Why: ", "Source: ", "Fix: ", "Risk: ", "Undo: "] {
        assert!(done.stdout.contains(word), "{}", done.transcript());
    }
    let done = answer(&bench, &["check", "--explain", "md.bitmap-chunks"]);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr.contains("did you mean `md.bitmap-chunk`?"),
        "{}",
        done.transcript()
    );
    let done = answer(&bench, &["check", "--fix", "md.degraded", "--yes"]);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr.contains("is not fixed by a setting"),
        "{}",
        done.transcript()
    );
}

#[test]
fn check_reads_what_collect_wrote_and_compares_it() {
    let Some(bench) = Bench::new() else { return };
    let before = bench.path("before").display().to_string();
    let done = answer(&bench, &["collect", "--out", &before]);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let done = answer(&bench, &["check", "--before", &before, "--after", &before]);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert!(
        done.stderr.contains("No fact changed"),
        "{}",
        done.transcript()
    );
}
