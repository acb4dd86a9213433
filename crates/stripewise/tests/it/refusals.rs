//! Impossible requests are refused before anything is touched, with messages that help.
//!
//! The failure: a study was pointed at `/dev/sdb` and wrote to it. Another measured a tmpfs and
//! praised the disk. A third ran for an hour and then found no room for its results. And once the
//! message was `Error: Os { code: 2, kind: NotFound }`.
//!
//! Every refusal here gives exit code 2 and a message with the problem and the remedy. It leaves
//! nothing in the target and, if nothing was measured, no store.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Bench, FakeLog, QUICK, entries, is_root, number, send, skip, until, with};
use expect_test::{Expect, expect};

/// Asserts that a command is refused in these words, prints no data, and touches nothing.
fn assert_refused(bench: &Bench, command: Command, expected: &Expect) {
    assert_refused_with(bench, command, &[], expected);
}

/// The same, with replacements for texts that differ between machines.
fn assert_refused_with(
    bench: &Bench,
    mut command: Command,
    hidden: &[(&str, &str)],
    expected: &Expect,
) {
    let log = bench.path("fio.log");
    command.env("FAKE_FIO_LOG", &log);
    let had_store = bench.store_path().exists();
    let done = bench.finish(command);
    let mut said = done.refusal();
    for (text, instead) in hidden {
        said = said.replace(text, instead);
    }
    expected.assert_eq(&said);
    assert_eq!(FakeLog::read(&log).lines, 0, "fio was run");
    assert_eq!(bench.store_path().exists(), had_store, "a store was made");
    bench.assert_clean();
}

/// `machine` tests all other reasons, except that of a user who is not root.
#[test]
fn a_target_that_is_not_there_is_refused() {
    let Some(bench) = Bench::new() else { return };
    assert_refused(
        &bench,
        bench.run_on(QUICK, &bench.path("nowhere")),
        &expect![[r#"
            error: failed to use `--target`: `[BENCH]/nowhere` does not exist

            hint: create the directory, or mount the filesystem it should be on
        "#]],
    );
}

#[test]
fn a_target_that_this_user_may_not_write_is_refused() {
    let Some(bench) = Bench::new() else { return };
    let set_mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let target = bench.target();
    set_mode(&target, 0o555);
    let mut command = bench.run(QUICK);
    if is_root() {
        // Root may write anywhere: become another user, if that one may read our program.
        let nobody = 65_534;
        command.uid(nobody).gid(nobody);
        let mut probe = Command::new(env!("CARGO_BIN_EXE_stripewise"));
        let probe = probe.uid(nobody).gid(nobody).arg("--version");
        if probe.stdout(Stdio::null()).status().is_err() {
            skip(
                "a target without permission",
                "we are root, and others cannot reach our program",
            );
            return;
        }
    }
    assert_refused(
        &bench,
        command,
        &expect![[r#"
        error: failed to use `--target`: no permission to write to `[BENCH]/target`

        hint: run as a user who may write there, or name one of your own directories
    "#]],
    );

    // Nor may he search what is not his.
    set_mode(&target, 0o755);
    let inside = target.join("inside");
    std::fs::create_dir(&inside).unwrap();
    set_mode(&target, 0o000);
    let mut command = bench.run_on(QUICK, &inside);
    if is_root() {
        command.uid(65_534).gid(65_534);
    }
    let done = bench.finish(command);
    done.refused(&expect![[r#"
        error: failed to use `--target`: `[BENCH]/target/inside` cannot be looked up: permission denied

        hint: check the permissions of its parent directories: this user must be able to search each of them
    "#]]);
    set_mode(&target, 0o755);
    assert_eq!(entries(&inside), Vec::<PathBuf>::new());
}

#[test]
fn a_study_that_is_larger_than_the_disk_is_refused() {
    let Some(bench) = Bench::new() else { return };
    let command = bench.run(&QUICK.replace("\"1M\"", "\"100T\""));
    let done = bench.finish(command);
    let hidden = hide_numbers_before(&done.transcript(), " MiB are free");
    expect![[r#"
        exit 2
        --- stderr
        error: too little space in `[BENCH]/target`: the study writes 104857600 MiB of files, and [N] MiB are free (5 % stay reserved)

        hint: free some space, use another `--target`, or lower `size` or `jobs`
    "#]].assert_eq(&hidden);
    assert!(!bench.store_path().exists());
    bench.assert_clean();
}

/// Replaces the number before `text` with `[N]`.
fn hide_numbers_before(transcript: &str, text: &str) -> String {
    let (before, after) = transcript.split_once(text).unwrap();
    let before = before.trim_end_matches(|c: char| c.is_ascii_digit());
    format!("{before}[N]{text}{after}")
}

#[test]
fn a_study_with_mistakes_is_refused_with_all_of_them_marked() {
    let Some(bench) = Bench::new() else { return };
    let study = QUICK
        .replace("\"write\"", "\"wirte\"")
        .replace("at_most = 8", "at_most = 4");
    let marked = expect![[r#"
        error: `pattern` cannot be `"wirte"`
          ╭▸ bad.toml:6:24
          │
        6 │ pattern = ["randread", "wirte"]
          │                        ━━━━━━━ expected one of `read`, `write`, `randread`, `randwrite`, `rw`, `randrw`
          │
          ╰ help: for instance `pattern = "write"`

        error: `at_least` is 6 and `at_most` is 4
           ╭▸ bad.toml:12:12
           │
        12 │ at_least = 6
           │            ━ more than `at_most`
           │
           ╰ help: lower it, or raise `at_most`

        error: study `bad.toml` has 2 mistakes
    "#]];
    bench.write("bad.toml", &study);
    assert_refused(
        &bench,
        with(bench.command(), ["study", "bad.toml"]),
        &marked,
    );
    let run = bench.finish(with(bench.command(), ["run", "bad.toml"]));
    let study = bench.finish(with(bench.command(), ["study", "bad.toml"]));
    assert_eq!(run.transcript(), study.transcript());
    let absent = with(bench.command(), ["run", "absent.toml"]);
    assert_refused(
        &bench,
        absent,
        &expect![[r#"
            error: failed to read study `absent.toml`: there is no such file
        "#]],
    );
}

#[test]
fn a_stack_or_setting_that_this_world_cannot_make_is_refused() {
    let Some(bench) = Bench::new() else { return };
    let devices = QUICK.replace(
        "filesystem = \"existing\"",
        "devices = { \"samsung-850-evo-500\" = 2 }\narray = { level = \"raid1\" }\nfilesystem = \"ext4\"",
    );
    assert_refused(
        &bench,
        bench.run(&devices),
        &expect![[r#"
            error: world `metal` cannot build stack `here` (2 x samsung-850-evo-500 > raid1 bitmap none > ext4) here

            hint: name the block devices that may be destroyed for it: `[may_destroy]` in the study
        "#]],
    );
    let governor = format!("{QUICK}\n[conditions]\ngovernor = \"nonesuch\"\n");
    let done = bench.finish(bench.run(&governor));
    // The possible values, if any, depend on the machine.
    let (what, hint) = done.stderr.split_once("\n\nhint: ").unwrap();
    let begin = "error: world `metal` cannot set `governor` to `nonesuch`";
    assert!(what.starts_with(begin), "{what}");
    let is_useful = hint.contains("remove the key") || hint.contains("` supports ");
    assert!(is_useful, "{hint}");
    assert_eq!(done.code, Some(2));
    assert!(!bench.store_path().exists());
    bench.assert_clean();
}

#[test]
fn a_missing_old_or_foreign_fio_is_refused() {
    let Some(bench) = Bench::new() else { return };
    let mut missing = bench.run(QUICK);
    missing.env("PATH", bench.path("home"));
    assert_refused(
        &bench,
        missing,
        &expect![[r#"
        error: failed to find fio: `fio` is not installed: no directory of PATH has it

        hint: install package `fio`: `apt-get install fio` or `dnf install fio`
    "#]],
    );
    let fake = format!("{}/tests/it/support/fake", env!("CARGO_MANIFEST_DIR"));
    for (version, expected) in [
        (
            "fio-2.2.10",
            expect![[r#"
            error: failed to find fio: `[FAKE]/fio` is fio-2.2.10; 3.28 or newer is needed

            hint: install a newer fio, from the distribution's backports or from https://github.com/axboe/fio
        "#]],
        ),
        (
            "Flexible I/O",
            expect![[r#"
            error: failed to find fio: `[FAKE]/fio` printed `Flexible I/O` instead of its version

            hint: is another program named `fio` first in PATH?
        "#]],
        ),
    ] {
        let mut command = bench.run(QUICK);
        command.env("FAKE_FIO_VERSION", version);
        assert_refused_with(&bench, command, &[(&fake, "[FAKE]")], &expected);
    }
}

/// Interrupts a run after two samples.
fn interrupted(bench: &Bench) {
    let mut command = bench.run(QUICK);
    command
        .env("FAKE_FIO_LOG", bench.path("log"))
        .env("FAKE_FIO_HANG_AFTER", "2");
    let child = bench.start(command);
    until("fio to hang", || {
        FakeLog::read(&bench.path("log")).hanging.first().copied()
    });
    send(number(&child), rustix::process::Signal::INT);
    assert_eq!(bench.wait(child).code, Some(2));
}

#[test]
fn a_run_continues_on_a_changed_machine_only_if_that_is_allowed() {
    let Some(bench) = Bench::new() else { return };
    interrupted(&bench);
    let before = bench.stored_run(1);
    assert_eq!(before.samples.len(), 2);
    let changed = |command: &str| {
        let mut command = bench.stored(command);
        command.env("FAKE_FIO_VERSION", "fio-3.36");
        command
    };
    assert_refused(
        &bench,
        changed("resume"),
        &expect![[r#"
        error: the machine has changed: fio version (was `fio-3.33`, is `fio-3.36`)

        hint: start a new run, or add `--allow-changed-facts` if the change does not matter
    "#]],
    );
    assert_eq!(bench.stored_run(1), before);

    let allowed = bench.finish(changed("resume --allow-changed-facts"));
    assert_eq!(allowed.code, Some(0), "{}", allowed.transcript());
    assert!(
        allowed.stderr.contains("the machine has changed: fio"),
        "{}",
        allowed.stderr
    );
    let after = bench.stored_run(1);
    assert!(after.samples.starts_with(&before.samples));
    assert_eq!(after.facts.len(), 2);
    bench.assert_clean();
}

/// The commands that only work on a store that exists.
const READING: &[&str] = &[
    "list",
    "show",
    "show --count",
    "resume",
    "restore",
    "restore --forget 1",
    "compare 1 2",
    "explain 1 2",
    "report",
    "export --format json",
    "serve",
    "rename 1 name",
    "delete 1 --yes",
    "calibrate --run 1 --out fitted",
];

#[test]
fn a_missing_store_or_run_is_refused() {
    let Some(bench) = Bench::new() else { return };
    let no_store = expect![[r#"
        error: no store at `[BENCH]/store/runs.db`

        hint: a store is created by the first `stripewise run --store [BENCH]/store/runs.db`
    "#]];
    for command in READING {
        assert_refused(&bench, bench.stored(command), &no_store);
    }
    bench.measured(QUICK);
    assert_refused(
        &bench,
        bench.stored("resume"),
        &expect![[r#"
        error: there is no unfinished run

        hint: `stripewise runs --store [BENCH]/store/runs.db` shows the runs
    "#]],
    );
    let no_run = expect![[r#"
        error: no run 7 in `[BENCH]/store/runs.db`

        hint: `stripewise runs --store [BENCH]/store/runs.db` shows the runs
    "#]];
    for command in ["show 7", "resume 7", "compare 1 7"] {
        assert_refused(&bench, bench.stored(command), &no_run);
    }
    assert_refused(
        &bench,
        bench.stored("compare 1"),
        &expect![[r#"
        error: run 1 has no baseline to compare with

        hint: name one: `--baseline block_size=8K`, or name a second run
    "#]],
    );
    assert_refused(
        &bench,
        bench.stored("compare 1 --baseline block_size=8K"),
        &expect![[r#"
            error: no cell has a matching baseline

            hint: the cells of this run differ by: pattern
        "#]],
    );
}

#[test]
fn an_imported_run_cannot_be_resumed() {
    let Some(bench) = Bench::new() else { return };
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fio/tests/data/fio-3.33.json"
    );
    let imported = bench.finish(bench.stored(&format!("import fio {file}")));
    assert_eq!(imported.code, Some(0), "{}", imported.transcript());
    assert_refused(
        &bench,
        bench.stored("resume 1"),
        &expect![[r#"
        error: run 1 comes from `fio-import` and cannot be resumed
    "#]],
    );
}

#[test]
fn a_store_without_a_run_says_so() {
    let Some(bench) = Bench::new() else { return };
    drop(stripewise_results::Store::open(&bench.store_path()).unwrap());
    assert_refused(
        &bench,
        bench.stored("show"),
        &expect![[r#"
        error: `[BENCH]/store/runs.db` holds no run

        hint: start one with `stripewise run STUDY --store [BENCH]/store/runs.db`
    "#]],
    );
    assert_refused(
        &bench,
        bench.stored("resume"),
        &expect![[r#"
        error: there is no unfinished run

        hint: `stripewise runs --store [BENCH]/store/runs.db` shows the runs
    "#]],
    );
    let listed = bench.finish(bench.stored("list"));
    listed.expect(&expect![[r#"
        exit 0
        --- stderr
        the store holds no run yet: start one with `stripewise run STUDY`
    "#]]);
}

/// `results` tests the other files that are not stores.
#[test]
fn a_file_that_is_not_a_store_or_a_newer_one_is_named_and_not_touched() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    let store = rusqlite::Connection::open(bench.store_path()).unwrap();
    store.pragma_update(None, "user_version", 4_000).unwrap();
    drop(store);
    let newer = std::fs::read(bench.store_path()).unwrap();
    let texts = [
        expect![[r#"
            error: `[BENCH]/store/runs.db` has store version 4000, this program reads up to version 2

            hint: it was not changed; use the version of Stripewise that wrote it, or a newer one
        "#]],
        expect![[r#"
            error: `[BENCH]/store/runs.db` is not a Stripewise store: it is not an SQLite file

            hint: it was not changed; choose another file with `--store`
        "#]],
        expect![[r#"
            error: `[BENCH]/store/runs.db` is empty: no run was recorded in it

            hint: a program that is ended while it creates a store leaves such a file: nothing is lost, and the next `stripewise run --store [BENCH]/store/runs.db` with this store fills it; it can be removed, too
        "#]],
    ];
    let contents = [newer, b"my thesis\n".to_vec(), Vec::new()];
    for (content, expected) in contents.iter().zip(texts) {
        std::fs::write(bench.store_path(), content).unwrap();
        for command in READING {
            assert_refused(&bench, bench.stored(command), &expected);
        }
        // An empty file becomes a store where one may be made.
        if !content.is_empty() {
            assert_refused(&bench, bench.run(QUICK), &expected);
        }
        assert!(std::fs::read(bench.store_path()).unwrap() == *content);
    }
}

/// `src/args_tests.rs` tests the errors for wrong arguments.
#[test]
fn an_invalid_command_line_is_refused() {
    let Some(bench) = Bench::new() else { return };
    assert_refused(
        &bench,
        with(bench.run(QUICK), ["--world", "moon"]),
        &expect![[r#"
            error: invalid value 'moon' for '--world <WORLD>'
              [possible values: metal, model, lab]

            For more information, try '--help'.
        "#]],
    );
    assert_refused(
        &bench,
        bench.command(),
        &expect![[r#"
            Measure, explain and predict the performance of Linux storage

            Usage: stripewise [OPTIONS] <COMMAND>

            Measure:
              run           Measure a study and answer its question
              study         Check a study and show its cells, time and disk space
              studies       List the studies that come with the program
              resume        Continue an interrupted run
              calibrate     Make device and host profiles from measurements
              characterize  Find the workload behind a trace of block I/O
              import        Import results of fio, and exports of Stripewise

            Predict:
              advise        Find the array to build of these devices, for these loads
              predict       Predict the performance of an array without building it
              why           Show what limits a cell, and what would change it
              workloads     List the workloads that come with the program
              profiles      List the device and host profiles that studies can name

            Look at results:
              runs          List the runs in the store
              show          Show the results of a run
              compare       Compare two runs, or the cells within one
              explain       Explain why one result differs from another
              trend         Show when the cells of a study changed
              drift         Show which of all series changed
              outliers      Show which of many like hosts is slow
              report        Write runs as one HTML file
              serve         Show the store as a local web page, with what-if questions
              pages         Write a store as static pages
              export        Export runs as CSV, Parquet, JSON, Markdown or figures

            Check a machine:
              check         Judge this or a collected machine: faults, and reboot traps
              collect       Write this machine's facts to files, to `check` elsewhere
              facts         Print kernel, CPU, memory and disks, as runs record them

            Try it in a guest:
              lab           Prepare guests: real kernels on modelled disks
              pull-plug     Cut the power of a study's stacks and see what is lost
              verify-model  Check the model against the real md driver

            Move a web site:
              site          Move a web site to another domain, host or provider

            Keep the store:
              rename        Name a run, and tag it
              ack           Mark a change as known
              delete        Delete runs from the store
              restore       Undo what a crashed run left behind
              push          Copy runs into another store
              pull          Copy runs from another store
              store         Manage a store on a PostgreSQL server

            Set up:
              completions   Print completions for a shell
              man           Print the man page, or write one for each command
              help          Explain a command, with examples

            Options:
              -q, --quiet                Print only results and errors
                  --plain                Print sentences instead of tables and bars, for screen readers and logs
                                         [env: STRIPEWISE_PLAIN]
                  --language <LANGUAGE>  Print reports and remarks in this language [possible values: en, de]
              -h, --help                 Print help (see more with '--help')
              -V, --version              Print version

            Exit codes: 0 done; 1 done, and the answer is no; 2 failed.
        "#]],
    );
}
