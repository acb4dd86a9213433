//! Prints the cost of the store on this machine: `cargo run --release -p stripewise-results
//! --example store_cost [FOLDER]`.
//!
//! A sample takes seconds, so saving it may take milliseconds. The cost depends on how fast the
//! medium under FOLDER (default: the directory for temporary files) makes data durable.

#![expect(clippy::print_stdout, reason = "an example that prints its numbers")]
#![expect(clippy::unwrap_used, reason = "an example may panic")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::{Duration, Instant};

use stripewise_results::{RunEnd, Store};

const CELLS: u64 = 12;
const SAMPLES: u64 = CELLS * 30;

fn main() {
    let folder = match std::env::args_os().nth(1) {
        Some(parent) => tempfile::tempdir_in(parent).unwrap(),
        None => tempfile::tempdir().unwrap(),
    };
    let path = folder.path().join("runs.db");
    let mut store = Store::open(&path).unwrap();
    let run = store
        .begin_run(&common::new_run(), &common::cells(CELLS), &common::facts())
        .unwrap();
    let mut saving: Vec<Duration> = (0..SAMPLES)
        .map(|number| {
            let record = common::record(number, CELLS);
            timed(|| store.add_sample(run, &record).unwrap())
        })
        .collect();
    store.finish_run(run, RunEnd::Done).unwrap();
    drop(store);
    report("add a sample of 300 bins", &mut saving);

    let mut reading: Vec<Duration> = (0..20)
        .map(|_| {
            timed(|| {
                let store = Store::open_existing(&path).unwrap();
                assert_eq!(store.run(run).unwrap().samples.len() as u64, SAMPLES);
            })
        })
        .collect();
    report("open and read a run of 12 cells x 30 samples", &mut reading);

    let mut listing: Vec<Duration> = (0..20)
        .map(|_| {
            timed(|| {
                assert_eq!(
                    Store::open_existing(&path).unwrap().runs().unwrap().len(),
                    1
                )
            })
        })
        .collect();
    report("open and list", &mut listing);
    println!("file: {} bytes", std::fs::metadata(&path).unwrap().len());
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let ms = |index: usize| times[index].as_secs_f64() * 1e3;
    println!(
        "{what}: median {:.2} ms, slowest {:.2} ms, {} times",
        ms(times.len() / 2),
        ms(times.len() - 1),
        times.len()
    );
}
