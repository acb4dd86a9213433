//! Lists, pages and live runs of a store that another process writes.

use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::json;
use stripewise_results::{RunEnd, RunId, Store};

use crate::client::{Served, add_sample, begin};

#[test]
fn a_missing_store_is_empty_and_may_be_created_later() {
    let served = Served::new();
    assert_eq!(served.get("/api/runs").json(), json!([]));
    assert!(!served.store.exists(), "reading creates no store");
    let missing = served.get("/api/page?runs=1");
    assert_eq!(missing.status, 404);

    let mut store = Store::open(&served.store).unwrap();
    assert_eq!(served.get("/api/runs").json(), json!([]));
    let first = begin(&mut store, "first");
    store.finish_run(first, RunEnd::Done).unwrap();
    let second = begin(&mut store, "second");
    let runs = served.get("/api/runs").json();
    assert_eq!(
        runs[0],
        json!({
            "id": second.0, "study": "second", "question": "Which chunk?", "name": null,
            "tags": [], "world": "metal",
            "state": "running", "stripewise_version": "0.1.0", "started_unix_ns": 7,
            "ended_unix_ns": null, "cells": 4, "samples_all": 8, "samples_counted": 8,
        })
    );
    assert_eq!(runs[1]["id"], json!(first.0));
    assert_eq!(runs[1]["state"], json!("done"));
}

#[test]
fn a_page_shows_the_runs_that_are_named() {
    let served = Served::new();
    let mut store = Store::open(&served.store).unwrap();
    let runs = [begin(&mut store, "one"), begin(&mut store, "two")];
    for run in runs {
        store.finish_run(run, RunEnd::Done).unwrap();
    }
    // Plain, and as a form encodes it.
    for path in ["/api/page?runs=1,2", "/api/page?runs=1%2C2"] {
        let page = served.get(path).json();
        assert_eq!(page["runs"].as_array().unwrap().len(), 2);
        assert_eq!(page["cells"].as_array().unwrap().len(), 8);
        assert_eq!(page["runs"][1]["study"], json!("two"));
    }
    let page = served.get("/api/page?runs=2,2").json();
    assert_eq!(page["runs"].as_array().unwrap().len(), 1, "each run once");
    let commands = page["runs"][0]["commands"].to_string();
    assert!(commands.contains("--store x.db"), "{commands}");

    let unknown = served.get("/api/page?runs=1,3");
    assert_eq!(unknown.status, 404);
    assert!(
        unknown.json()["error"]
            .as_str()
            .unwrap()
            .contains("no run 3")
    );
    let unknown = served.get("/api/watch?run=3");
    assert_eq!(unknown.status, 404);
}

/// Returns the lines of a watch, those of its head among them.
fn watched(served: &Served, run: RunId) -> impl Iterator<Item = String> {
    let mut stream = served.connect();
    let request = format!(
        "GET /api/watch?run={run} HTTP/1.1\r\n{}Connection: close\r\n\r\n",
        served.head()
    );
    stream.write_all(request.as_bytes()).unwrap();
    BufReader::new(stream).lines().map(Result::unwrap)
}

#[test]
fn a_live_run_is_watched_until_it_ends() {
    let served = Served::new();
    let mut store = Store::open(&served.store).unwrap();
    let run = begin(&mut store, "live");
    let mut lines = watched(&served, run);
    let mut next = || loop {
        let line = lines.next()?;
        if line.starts_with('{') {
            return serde_json::from_str::<serde_json::Value>(&line).ok();
        }
    };
    assert_eq!(
        next(),
        Some(json!({"state": "running", "samples_all": 8, "samples_counted": 8}))
    );
    add_sample(&mut store, run, 0, 2);
    assert_eq!(
        next(),
        Some(json!({"state": "running", "samples_all": 9, "samples_counted": 9}))
    );
    store.finish_run(run, RunEnd::Interrupted).unwrap();
    assert_eq!(
        next(),
        Some(json!({"state": "interrupted", "samples_all": 9, "samples_counted": 9}))
    );
    assert_eq!(next(), None, "the last line has the final state");
}

#[test]
fn a_watch_ends_when_its_run_is_gone() {
    let served = Served::new();
    let mut store = Store::open(&served.store).unwrap();
    let run = begin(&mut store, "gone");
    let mut lines = watched(&served, run);
    assert!(lines.any(|line| line.contains("running")));
    std::fs::remove_file(&served.store).unwrap();
    // If the watch did not end, reading would panic at its time limit.
    let rest: Vec<String> = lines.collect();
    assert!(!rest.iter().any(|line| line.contains("state")), "{rest:?}");
}

#[test]
fn a_run_that_has_ended_has_one_line() {
    let served = Served::new();
    let mut store = Store::open(&served.store).unwrap();
    let run = begin(&mut store, "ended");
    store.finish_run(run, RunEnd::Done).unwrap();
    let answer = served.get(&format!("/api/watch?run={run}"));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["state"], json!("done"));
}

#[test]
fn watchers_are_limited_and_free_their_place_when_they_leave() {
    let served = Served::new();
    let mut store = Store::open(&served.store).unwrap();
    let run = begin(&mut store, "popular");
    let request = format!("GET /api/watch?run={run} HTTP/1.1\r\n{}\r\n", served.head());
    let watch = || {
        let mut stream = served.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut status = String::new();
        let mut reader = BufReader::new(stream);
        reader.read_line(&mut status).unwrap();
        (status.contains(" 200 "), reader)
    };
    let watchers: Vec<_> = (0..16).map(|_| watch()).collect();
    assert!(watchers.iter().all(|(is_watching, _)| *is_watching));
    assert!(!watch().0);
    drop(watchers);
    // The server notices a closed connection at its next poll.
    let again = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        watch().0
    });
    assert!(again);
}

#[test]
fn a_locked_store_is_an_error_that_says_so() {
    let served = Served::new();
    let mut store = Store::open(&served.store).unwrap();
    begin(&mut store, "locked");
    drop(store);
    let other = rusqlite::Connection::open(&served.store).unwrap();
    other
        .execute_batch("PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE; CREATE TABLE t (x);")
        .unwrap();
    let answer = served.get("/api/runs");
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.json()["error"].as_str().unwrap().contains("locked"));
    drop(other);
    assert_eq!(served.get("/api/runs").status, 200);
}

#[test]
fn hostile_names_stay_text() {
    let served = Served::new();
    let mut store = Store::open(&served.store).unwrap();
    let long = "x".repeat(20_000);
    for name in [
        "<script>alert(1)</script>",
        "\u{202e}\u{1b}[31m\r\nSet-Cookie: a=b",
        &long,
    ] {
        begin(&mut store, name);
    }
    let answer = served.get("/api/runs");
    assert_eq!(answer.header("set-cookie"), None);
    let runs = answer.json();
    let names: Vec<&str> = runs
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["study"].as_str().unwrap())
        .collect();
    assert_eq!(names[2], "<script>alert(1)</script>");
    assert!(
        !names[1].contains(['\u{1b}', '\r', '\n', '\u{202e}']),
        "{:?}",
        names[1]
    );
    assert!(names[0].len() <= 10_000);
    assert_eq!(served.get("/api/page?runs=1,2,3").status, 200);
}
