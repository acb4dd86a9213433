//! Prints what a store on a PostgreSQL server costs beside plain `COPY`: `cargo run --release -p
//! stripewise-results --features postgres --example server_cost ADDRESS SAMPLES`.
//!
//! ADDRESS names an empty database. Both sides load the same rows in the same run, on the same server.

#![expect(clippy::print_stdout, reason = "an example that prints its numbers")]
#![expect(clippy::unwrap_used, reason = "an example may panic")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use stripewise_results::{RunEnd, Store};

/// How many samples each of the writers adds, one by one.
const EACH: u64 = 200;

fn main() {
    let mut words = std::env::args().skip(1);
    let address = PathBuf::from(words.next().unwrap());
    let count: u64 = words.next().unwrap().parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut file = Store::open(&folder.path().join("runs.db")).unwrap();
    let run = file
        .begin_run(&common::new_run(), &common::cells(4), &common::facts())
        .unwrap();
    for first in (0..count).step_by(10_000) {
        let batch = first..(first + 10_000).min(count);
        let batch: Vec<_> = batch.map(|n| common::record_with_bins(n, 4, 20)).collect();
        file.add_samples(run, &batch).unwrap();
    }
    file.finish_run(run, RunEnd::Done).unwrap();

    let mut server = Store::open(&address).unwrap();
    let before = cpu_s();
    let pushed = timed(|| _ = file.copy_run(run, &mut server).unwrap());
    println!(
        "CPU of this program while it pushes: {:.2} s",
        cpu_s() - before
    );
    let rows = folder.path().join("rows");
    let psql = |sql: String| {
        let ran = Command::new("psql")
            .args(["-Xqc", &sql])
            .arg(&address)
            .status();
        assert!(ran.unwrap().success(), "{sql}");
    };
    psql(format!(
        "\\copy (SELECT * FROM stripewise.sample) TO '{}' (FORMAT binary)",
        rows.display()
    ));
    let copied = |table: &str, like: &str| {
        psql(format!(
            "CREATE TABLE {table} (LIKE stripewise.sample {like})"
        ));
        timed(|| {
            psql(format!(
                "\\copy {table} FROM '{}' (FORMAT binary)",
                rows.display()
            ))
        })
    };
    let bare = copied("bare", "");
    let indexed = copied("indexed", "INCLUDING ALL");
    let bytes = std::fs::metadata(&rows).unwrap().len() / count;
    println!(
        "{count} samples of {bytes} bytes: push {pushed:.1?}, COPY {bare:.1?} without index, {indexed:.1?} with ours"
    );
    println!(
        "push / COPY: {:.2} and {:.2}",
        ratio(pushed, bare),
        ratio(pushed, indexed)
    );
    let again = timed(|| _ = file.copy_run(run, &mut server).unwrap());
    println!("the same again: {again:.1?}");

    write_at_once(&address);
    read_latest(&address);
}

/// One writer, and 16 at once, each with a run of its own.
fn write_at_once(address: &Path) {
    for writers in [1, 16] {
        let took = timed(|| {
            std::thread::scope(|scope| {
                for _ in 0..writers {
                    scope.spawn(|| {
                        let mut store = Store::open(address).unwrap();
                        let run = common::begin_with_samples(&mut store, 4, EACH);
                        store.finish_run(run, RunEnd::Done).unwrap();
                    });
                }
            });
        });
        let each = took / u32::try_from(EACH).unwrap();
        println!("{writers} writers of {EACH} samples: {took:.1?}, {each:.1?} a sample of each");
    }
}

/// The latest run of a store that holds many more samples.
fn read_latest(address: &Path) {
    let mut read: Vec<Duration> = (0..9)
        .map(|_| {
            timed(|| {
                let store = Store::open_existing(address).unwrap();
                let latest = store.latest_run().unwrap().unwrap();
                assert_eq!(store.run(latest).unwrap().samples.len() as u64, EACH);
            })
        })
        .collect();
    read.sort();
    println!(
        "the latest run, {EACH} samples, connection included: median {:.1?}",
        read[4]
    );
}

/// Returns the CPU seconds of this process, in hundredths.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit(')').next().unwrap();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks
        .map(|ticks| ticks.parse::<f64>().unwrap())
        .sum::<f64>()
        / 100.0
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn ratio(ours: Duration, theirs: Duration) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64()
}
