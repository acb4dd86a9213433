//! Stores for others: copies in another store, and static pages.
//!
//! The failure: a nightly job copied its runs twice, and removed a colleague's file from the directory
//! of pages because its name looked like one of a deleted run.

use std::fs;
use std::path::Path;

#[cfg(not(feature = "postgres"))]
use expect_test::expect;

use crate::support::{Bench, QUICK};

/// Returns the modification time and content of every file in a directory.
fn files(directory: &Path) -> Vec<(String, std::time::SystemTime, Vec<u8>)> {
    let entries = crate::support::entries(directory).into_iter();
    let mut files: Vec<_> = entries
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let changed = fs::metadata(&path).unwrap().modified().unwrap();
            (name, changed, fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn pages_are_written_once_and_go_with_their_runs() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    bench.measured(&QUICK.replace("Is it quick?", "<script>alert(1)</script>"));
    let made = bench.json(bench.stored("pages --out web/pages --json"));
    assert_eq!((&made["pages"], &made["written"]), (&3.into(), &3.into()));
    let web = bench.path("web/pages");
    let before = files(&web);
    let index = fs::read_to_string(web.join("index.html")).unwrap();
    for run in 1..=2 {
        assert!(
            index.contains(&format!("<a href=\"run-{run}.html\">")),
            "{index}"
        );
    }
    assert!(!index.contains("<script"), "text of a run is no markup");
    let again = bench.json(bench.stored("pages --out web/pages --json"));
    assert_eq!(
        (&again["written"], &again["removed"]),
        (&0.into(), &0.into())
    );
    assert_eq!(files(&web), before);

    // Names like ours, by others: not removed, and not replaced.
    fs::write(web.join("run-9.html"), "a colleague's\n").unwrap();
    fs::write(web.join("run-x.html"), "another's\n").unwrap();
    let deleted = bench.finish(bench.stored("delete 1 --yes"));
    assert_eq!(deleted.code, Some(0), "{}", deleted.transcript());
    let done = bench.finish(bench.stored("pages --out web/pages"));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert_eq!(done.stderr, "2 pages in web/pages: 1 written, 1 removed\n");
    let names: Vec<String> = files(&web).into_iter().map(|file| file.0).collect();
    assert_eq!(
        names,
        ["index.html", "run-2.html", "run-9.html", "run-x.html"]
    );
    fs::write(web.join("run-2.html"), "mine now\n").unwrap();
    let refused = bench.finish(bench.stored("pages --out web/pages"));
    assert_eq!(refused.code, Some(2));
    assert!(
        refused
            .stderr
            .contains("already exists and is not a file of this kind")
    );
    assert_eq!(fs::read(web.join("run-2.html")).unwrap(), b"mine now\n");
}

#[test]
fn runs_are_copied_between_stores_once() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    bench.measured(QUICK);
    let say = |words: &str| bench.finish(bench.stored(words));
    let pushed = say("push 1 2 --to other.db");
    assert_eq!(pushed.code, Some(0), "{}", pushed.transcript());
    for run in 1..=2 {
        let samples = bench.stored_run(run).samples.len();
        let line = format!("run {run} is run {run} there, with {samples} samples\n");
        assert!(pushed.stderr.contains(&line), "{}", pushed.transcript());
    }
    for (again, run) in [
        ("push latest --to other.db", 2),
        ("pull 1 --from other.db", 1),
    ] {
        let done = say(again);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        assert_eq!(
            done.stderr,
            format!("run {run} is there already, as run {run}\n")
        );
    }
    // One that does not exist keeps none of the others.
    let partly = say("push 7 2 --to third.db");
    assert_eq!(partly.code, Some(2));
    assert!(
        partly.stderr.contains("run 2 is run 1 there"),
        "{}",
        partly.transcript()
    );
    assert!(
        partly.stderr.contains("run 7 was not copied"),
        "{}",
        partly.transcript()
    );
    let show = |store: &str| {
        let mut command = bench.command();
        command.args(["show", "1", "--json", "--store", store]);
        bench.json(command)
    };
    let path = bench.store_path();
    assert_eq!(show("other.db"), show(path.to_str().unwrap()));
}

#[test]
fn an_address_with_a_password_is_refused_and_not_repeated() {
    let Some(bench) = Bench::new() else { return };
    for address in [
        "postgres://ann:geheim@db.example/runs",
        "postgresql:///runs?password=geheim",
        "service=runs password=geheim",
    ] {
        for words in [
            &["runs", "--store", address][..],
            &["resume", "--store", address],
            &["pull", "1", "--from", address],
            &["store", "migrate", "--store", address],
            &["serve", "--store", address],
        ] {
            let mut command = bench.command();
            command.args(words);
            let done = bench.finish(command);
            assert_eq!(done.code, Some(2), "{}", done.transcript());
            assert!(
                !done.transcript().contains("geheim"),
                "{}",
                done.transcript()
            );
            assert!(done.stderr.contains("PGPASSFILE"), "{}", done.transcript());
        }
    }
}

#[cfg(not(feature = "postgres"))]
#[test]
fn a_program_without_postgresql_says_how_to_build_one_with_it() {
    let Some(bench) = Bench::new() else { return };
    let mut command = bench.command();
    command.args(["runs", "--store", "postgres://db.example/runs"]);
    bench.finish(command).refused(&expect![[r"
        error: `postgres://db.example/runs` is a PostgreSQL server, and this program was built without PostgreSQL

        hint: build it with `cargo build --release --features postgres`, which needs libpq (Debian: `libpq-dev`)
    "]]);
}
