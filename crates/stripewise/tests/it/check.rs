//! `check` and `collect` as users see them.
//!
//! The failure: a host that nobody could read was reported as sound, and a script that asked for
//! critical findings did not notice one.

use std::fs;

use expect_test::expect;

use crate::support::{Bench, Done, share, skip, where_mounting_is_allowed, with};

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
    // What people read is in their language; documents stay as they are.
    let german = ["check", "--root", &tree, "--language", "de"];
    let title = "fstab hängt XFS mit einer Option ein";
    let done = answer(&bench, &german);
    assert!(done.stdout.contains(title), "{}", done.transcript());
    let done = answer(
        &bench,
        &[&german[..], &["--fail-on", "critical", "--json"]].concat(),
    );
    let german: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(german["results"][0], report["results"][0]);
    let done = answer(&bench, &["check", "--root", &tree, "--sarif"]);
    let log: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(
        log["runs"][0]["results"][0]["ruleId"],
        "mnt.nobarrier-stale"
    );
}

/// A wrong path counted as a host without a fault: no rule was run, and the exit code was 0.
#[test]
fn a_folder_without_a_fact_is_nothing_to_judge() {
    let Some(bench) = Bench::new() else { return };
    let folder = bench.path("notes");
    fs::create_dir_all(folder.join("etc")).unwrap();
    fs::write(folder.join("etc/hostname"), "a\n").unwrap();
    let root = folder.display().to_string();
    let done = answer(&bench, &["check", "--root", &root]);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr.contains("nothing to judge") && done.stdout.is_empty(),
        "{}",
        done.transcript()
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

/// Each command that proves a rule exists, and its study is valid.
#[test]
fn what_explain_names_as_a_proof_can_be_run() {
    let Some(bench) = Bench::new() else { return };
    let mut count = 0;
    let ids: Vec<&str> = stripewise_check::rules::all().map(|rule| rule.id).collect();
    let drawn = share("rules of check that are explained", &ids, ids.len() / 4);
    for rule in stripewise_check::rules::all().filter(|rule| drawn.contains(&rule.id)) {
        let done = answer(&bench, &["check", "--plain", "--explain", rule.id]);
        assert!(
            done.stdout.contains("\nProve it here: "),
            "{}",
            done.transcript()
        );
        let Some(proof) = rule.proof else {
            assert!(done.stdout.contains("no command or study"), "{}", rule.id);
            continue;
        };
        assert!(done.stdout.contains(proof), "{}", done.transcript());
        count += 1;
        let words: Vec<&str> = proof.split(' ').collect();
        match words[..] {
            ["stripewise", "predict", ..] => {
                let done = answer(&bench, &words[1..]);
                assert_eq!(done.code, Some(0), "{}", done.transcript());
            }
            ["stripewise", "run" | "pull-plug", study, ..] => {
                // From anywhere: by the name of a shipped study.
                let done = answer(&bench, &["study", study]);
                assert_eq!(done.code, Some(0), "{}", done.transcript());
            }
            // It changes nothing without `--apply`, but there is no site here.
            ["stripewise", "site", "permissions", ..] => {}
            _ => panic!("{}: {proof}", rule.id),
        }
    }
    assert!(count > 0);
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

/// The same answer in each format; a system for continuous integration sees a failed rule as a
/// failed test, and one that was not run as skipped.
#[test]
fn check_answers_in_every_format() {
    let Some(bench) = Bench::new() else { return };
    let tree = tree(&bench);
    let answered = |format: &str| {
        let done = answer(&bench, &["check", "--root", &tree, "--format", format]);
        assert_eq!(done.code, Some(1), "{}", done.transcript());
        done.stdout
    };
    assert_eq!(
        answered("json"),
        answer(&bench, &["check", "--root", &tree, "--json"]).stdout
    );
    let rules = stripewise_check::rules::all().count();
    let table = answered("csv");
    assert!(
        table.starts_with("rule,outcome,severity,title,found\r\n"),
        "{table}"
    );
    assert!(
        table.contains("\r\nmd.degraded,not run,critical,"),
        "{table}"
    );
    assert_eq!(table.lines().count(), 1 + rules);
    let cases = answered("junit");
    let suite =
        format!("<testsuite name=\"rules\" tests=\"{rules}\" failures=\"1\" errors=\"0\" skipped=");
    assert!(cases.contains(&suite), "{cases}");
    let failed = "name=\"mnt.nobarrier-stale\"><failure message=\"outcome: fail; Severity: high; ";
    assert!(cases.contains(failed), "{cases}");
    // A remark is the output of its case, which was empty.
    assert!(cases.contains("<system-out>outcome: pass"), "{cases}");
    let ticket = answered("markdown");
    assert!(
        ticket.starts_with("## What the rules found\n\n**"),
        "{ticket}"
    );
    assert!(
        ticket.contains("\n**fail (high):** mnt.nobarrier-stale: "),
        "{ticket}"
    );
    assert!(answered("html").contains("<article class=\"bad\">"));
}

/// A rule below `--fail-on` failed as a test at exit code 0, and two trees had neither CSV nor JUnit.
#[test]
fn test_cases_agree_with_the_exit_code() {
    let Some(bench) = Bench::new() else { return };
    let tree = tree(&bench);
    let fine = bench.path("fine");
    fs::create_dir_all(fine.join("etc")).unwrap();
    fs::write(fine.join("etc/fstab"), "UUID=1 /srv xfs noatime 0 0\n").unwrap();
    let fine = fine.display().to_string();
    let two = ["--before", fine.as_str(), "--after", tree.as_str()];
    for (input, suite) in [(&["--root", tree.as_str()][..], "rules"), (&two, "turned")] {
        for (limit, code, failures) in [("critical", 0, 0), ("high", 1, 1)] {
            let words = [&["check", "--fail-on", limit, "--format", "junit"], input].concat();
            let done = answer(&bench, &words);
            assert_eq!(done.code, Some(code), "{}", done.transcript());
            let of_suite = format!("<testsuite name=\"{suite}\"");
            let counted = format!(" failures=\"{failures}\" ");
            let line = done.stdout.lines().find(|line| line.starts_with(&of_suite));
            assert!(line.unwrap().contains(&counted), "{}", done.stdout);
            let accepted = "mnt.nobarrier-stale\"><system-out>";
            assert_eq!(
                done.stdout.contains(accepted),
                failures == 0,
                "{}",
                done.stdout
            );
        }
    }
    let words = [&["check", "--format", "csv"], &two[..]].concat();
    let rows = answer(&bench, &words).stdout;
    for row in [
        "\r\nturned,mnt.nobarrier-stale,fail,pass,high,",
        "\r\nfacts,",
        ",/etc/fstab,changed,",
    ] {
        assert!(rows.contains(row), "{row:?} in {rows}");
    }
}

#[test]
fn the_page_has_every_rule_in_two_languages_and_loads_nothing() {
    let Some(bench) = Bench::new() else { return };
    let tree = tree(&bench);
    let hostile = "UUID=1 /srv/<script>alert(1)</script> xfs nobarrier 0 0\n";
    fs::write(bench.path("host/etc/fstab"), hostile).unwrap();
    let path = bench.path("check.html");
    let file = path.display().to_string();
    let page = ["check", "--root", &tree, "--page", &file];
    let done = answer(&bench, &page);
    assert_eq!(done.code, Some(1), "{}", done.transcript());
    assert_eq!(done.stdout, format!("{file}\n"));
    let html = fs::read_to_string(&path).unwrap();
    for rule in stripewise_check::rules::all() {
        assert!(
            html.contains(&format!("<td>{}</td>", rule.id)),
            "{}",
            rule.id
        );
    }
    assert!(html.contains("/srv/&lt;script&gt;alert(1)"), "{html}");
    for loads in ["<script", "src=", "href=\"http", "url(", "@import"] {
        assert!(!html.contains(loads), "{loads}");
    }
    for words in [
        "What the rules found",
        "Was die Regeln gefunden haben",
        "id=\"say-en\" checked",
    ] {
        assert!(html.contains(words), "{words}: {html}");
    }
    // A page is replaced, in another language; a file of another kind is not.
    let german = [&page[..], &["--language", "de"]].concat();
    assert_eq!(answer(&bench, &german).code, Some(1));
    let html = fs::read_to_string(&path).unwrap();
    assert!(html.contains("id=\"say-de\" checked"), "{html}");
    fs::write(&path, "a letter\n").unwrap();
    let done = answer(&bench, &page);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert_eq!(fs::read_to_string(&path).unwrap(), "a letter\n");
}

/// Returns what `check` claims a finding on a tree's array costs, and what the command that it prints
/// shows.
fn claimed_and_shown(
    bench: &Bench,
    tree: &str,
    rule: &str,
    files: &[(&str, &str)],
) -> [Vec<f64>; 2] {
    let folder = bench.path(tree);
    for (path, text) in files {
        let path = folder.join(path.replace("MD", "sys/block/md0/md"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let tree = folder.display().to_string();
    let done = answer(bench, &["check", "--root", &tree, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let mut results = report["results"].as_array().unwrap().iter();
    let found = results.find(|result| result["id"] == rule);
    let question = &found.unwrap()["model"][0]["ask"];
    let variants = question["variants"].as_array();
    let variants = variants.unwrap_or_else(|| panic!("{question}")).iter();
    let claimed = variants.map(|variant| variant["iops"].as_f64().unwrap());
    let command = question["command"].as_str().unwrap();
    let mut words: Vec<&str> = command.split(' ').skip(1).collect();
    words.push("--json");
    let done = answer(bench, &words);
    let shown: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let cells = shown["cells"].as_array().unwrap().iter();
    let iops = cells.map(|cell| cell["estimates"]["iops"]["value"].as_f64().unwrap());
    [claimed.collect(), iops.collect()]
}

/// The command that a finding prints shows the cost that the finding claims.
#[test]
fn a_bitmap_costs_in_the_printed_command_what_check_says() {
    let Some(bench) = Bench::new() else { return };
    let files = [
        ("proc/sys/kernel/osrelease", "6.1.0-18-amd64"),
        ("sys/block/md0/size", "1887436800"),
        ("MD/array_state", "clean"),
        ("MD/level", "raid1"),
        ("MD/raid_disks", "2"),
        ("MD/layout", "0"),
        ("MD/bitmap/location", "+8"),
        ("MD/bitmap/chunksize", "67108864"),
        ("MD/dev-sda/state", "in_sync"),
        ("MD/dev-sdb/state", "in_sync"),
        ("sys/block/sda/size", "1953525168"),
        ("sys/block/sdb/size", "1953525168"),
        ("sys/block/sda/queue/rotational", "1"),
        ("sys/block/sdb/queue/rotational", "1"),
    ];
    let [claimed, shown] = claimed_and_shown(&bench, "mirror", "md.bitmap-chunk", &files);
    let [as_it_is, without, large] = claimed[..] else {
        panic!("{claimed:?}");
    };
    assert!(without > 2.0 * as_it_is, "{claimed:?}");
    assert!(large > as_it_is && large < without, "{claimed:?}");
    assert_eq!(shown, claimed);
}

/// `check` could not say what a missing member costs a raid10 with three copies, which `predict`
/// answers.
#[test]
fn a_degraded_array_of_three_copies_costs_what_predict_says() {
    let Some(bench) = Bench::new() else { return };
    for (name, number) in [("n3", "259"), ("f3", "769")] {
        let files = [
            ("proc/sys/kernel/osrelease", "6.1.0-18-amd64"),
            ("sys/block/md0/size", "209715200"),
            ("MD/array_state", "clean"),
            ("MD/level", "raid10"),
            ("MD/layout", number),
            ("MD/raid_disks", "6"),
            ("MD/chunk_size", "65536"),
            ("MD/degraded", "1"),
            ("MD/dev-sda/state", "in_sync"),
            ("sys/block/sda/size", "1953525168"),
            ("sys/block/sda/queue/rotational", "0"),
        ];
        let [claimed, shown] = claimed_and_shown(&bench, name, "md.degraded", &files);
        assert_eq!(claimed.len(), 2, "{name}");
        assert_eq!(shown[..], claimed[..1], "{name}");
    }
}

/// A host lost a quarter of its speed to a governor that nobody looked at for weeks. It stands before
/// all else, once for all CPUs, with what it can cost.
#[test]
fn a_changed_governor_is_the_first_line_and_has_its_cost() {
    let Some(bench) = Bench::new() else { return };
    let host = |name: &str, governor: &str| {
        let file = |path: &str, text: &str| {
            let path = bench.path(name).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        // What fails after and did not before must not stand before the governor.
        file("etc/fstab", &format!("UUID=1 /srv xfs {governor} 0 0\n"));
        file("proc/sys/kernel/osrelease", "6.12.0");
        file("sys/block/sda/size", "1953525168");
        file("sys/block/sda/queue/rotational", "0");
        for policy in 0..3 {
            let folder = format!("sys/devices/system/cpu/cpufreq/policy{policy}");
            file(&format!("{folder}/scaling_driver"), "intel_pstate");
            file(&format!("{folder}/scaling_governor"), governor);
        }
        bench.path(name).display().to_string()
    };
    let (before, after) = (host("a", "performance"), host("b", "powersave"));
    fs::write(bench.path("b/etc/fstab"), "UUID=1 /srv xfs nobarrier 0 0\n").unwrap();
    let mut command = with(
        bench.command(),
        ["check", "--before", &before, "--after", &after],
    );
    command.env("COLUMNS", "100");
    let done = bench.finish(command);
    assert_eq!(done.code, Some(1), "{}", done.transcript());
    let expected = "changed: /sys/devices/system/cpu/cpufreq/policy0/scaling_governor (in 3 policies)\n    - performance\n    + powersave\n";
    assert!(done.stdout.starts_with(expected), "{}", done.transcript());
    assert_eq!(done.stdout.matches("scaling_governor").count(), 1);
    for turned in [
        "mnt.nobarrier-stale (high)",
        "cpu.clock (medium): pass -> fail",
    ] {
        assert!(done.stdout.contains(turned), "{}", done.transcript());
    }
    let done = answer(&bench, &["check", "--root", &after, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let mut results = report["results"].as_array().unwrap().iter();
    let clock = results.find(|result| result["id"] == "cpu.clock").unwrap();
    assert_eq!(clock["outcome"], "info", "{clock}");
    let question = &clock["model"][0]["ask"];
    assert_eq!(question["array"], "sda", "{clock}");
    let iops = |at: usize| question["variants"][at]["iops"].as_f64().unwrap();
    assert!(iops(1) < 0.8 * iops(0), "{question}");
}

/// Shows the program a `/sys/block` with one disk whose scheduler does not fit, in a mount
/// namespace of its own, and then runs `script`. `$SCHEDULER` is the file, `$STORE` the store.
fn with_disk(bench: &Bench, script: &str) -> Option<std::process::Command> {
    let script = format!(
        "fix() {{ \"$program\" check --fix blk.scheduler --yes --store \"$STORE\"; }}
        program=$1 SCHEDULER=/sys/block/sda/queue/scheduler
        mount -t tmpfs none /sys/block
        mkdir -p /sys/block/sda/queue
        echo 1 > /sys/block/sda/queue/rotational
        echo 1000 > /sys/block/sda/size
        echo '[none] mq-deadline' > $SCHEDULER
        {script}"
    );
    let Some(mut command) = where_mounting_is_allowed(bench, &script) else {
        skip("check --fix", "this user may not mount here");
        return None;
    };
    command.env("STORE", bench.path("fixes.db"));
    Some(command)
}

#[test]
fn a_fixed_setting_is_set_back_unless_another_program_changed_it() {
    let Some(bench) = Bench::new() else { return };
    let script = "
        fix >&2; cat $SCHEDULER; echo
        \"$program\" restore --store \"$STORE\" 2>&1; cat $SCHEDULER; echo
        fix >&2
        echo 'none [kyber]' > $SCHEDULER
        \"$program\" restore --store \"$STORE\" 2>&1; cat $SCHEDULER
        \"$program\" restore --store \"$STORE\" 2>&1
        \"$program\" resume --store \"$STORE\" 2>&1 || echo exit $?
    ";
    let Some(command) = with_disk(&bench, script) else {
        return;
    };
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let shown = done
        .stdout
        .replace(&bench.path("").display().to_string(), "[BENCH]/");
    expect![[r#"
        mq-deadline
        run 1: restored `/sys/block/sda/queue/scheduler` to `none`
        none
        run 2: not touched: `/sys/block/sda/queue/scheduler` is `kyber`: another program has set it since the run set it to `mq-deadline`
        none [kyber]
        nothing was left behind
        error: there is no unfinished run

        hint: `stripewise runs --store [BENCH]/fixes.db` shows the runs
        exit 2
    "#]].assert_eq(&shown);
}

/// A kill at any moment leaves the old value, or the new one and a record that sets it back.
#[test]
fn a_killed_fix_leaves_nothing_that_restore_does_not_set_back() {
    let Some(bench) = Bench::new() else { return };
    let script = "
        for pause in $(seq 0.000 0.003 0.030) written; do
            STORE=$STORE.next
            echo '[none] mq-deadline' > $SCHEDULER
            \"$program\" check --fix blk.scheduler --yes --store \"$STORE\" >/dev/null 2>&1 &
            fixing=$!
            # Just before the journal and the setting are written, or just after it.
            if [ $pause = written ]; then
                until [ \"$(cat $SCHEDULER)\" = mq-deadline ]; do :; done
            else
                until [ -e \"$STORE\" ]; do :; done
                sleep $pause
            fi
            kill -9 $fixing 2>/dev/null || true
            wait $fixing 2>/dev/null || true
            # A plain file is empty for a moment while it is written; one of the kernel never is.
            if [ ! -s $SCHEDULER ]; then echo 'then torn'; continue; fi
            echo \"left $(cat $SCHEDULER)\"
            \"$program\" restore --store \"$STORE\" 2>&1 || true
            echo \"then $(cat $SCHEDULER)\"
        done
    ";
    let Some(command) = with_disk(&bench, script) else {
        return;
    };
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let after: Vec<&str> = done
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("then "))
        .collect();
    assert_eq!(after.len(), 12, "{}", done.transcript());
    for value in after {
        assert!(
            matches!(value, "none" | "[none] mq-deadline" | "torn"),
            "{}",
            done.transcript()
        );
    }
    assert!(
        done.stdout.contains("left mq-deadline"),
        "no kill came after the write: {}",
        done.transcript()
    );
}
