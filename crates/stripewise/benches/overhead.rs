//! The overhead of Stripewise: `stripewise run` against the same fio jobs run by hand.
//!
//!     cargo bench --package stripewise --bench overhead
//!
//! Both take the same number of samples of 3 s, in turn, on files below the target directory of the
//! build. Prints the ratio of their times, and of both to the time under load. Under `cargo test
//! --benches` samples are short and only check that it works.

#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Samples of each kind in a round; the first of Stripewise's is its warm-up.
const SAMPLES: u32 = 4;
const ROUNDS: u32 = 3;

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let (rounds, sample_ms) = if is_test { (1, 100) } else { (ROUNDS, 3000) };
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut ours = Duration::ZERO;
    let mut by_hand = Duration::ZERO;
    for round in 0..rounds {
        ours += stripewise(directory.path(), round, sample_ms);
        by_hand += fio(directory.path(), sample_ms);
    }
    let load = Duration::from_millis(sample_ms) * SAMPLES * rounds;
    let ratio = |time: Duration, base: Duration| time.as_secs_f64() / base.as_secs_f64();
    println!("{} samples of {sample_ms} ms each way", SAMPLES * rounds);
    println!("stripewise / fio by hand   {:.3}", ratio(ours, by_hand));
    println!("stripewise / time of load  {:.3}", ratio(ours, load));
    println!("fio by hand / time of load {:.3}", ratio(by_hand, load));
}

/// Runs a study of one cell, with its facts, its store and its files.
fn stripewise(directory: &Path, round: u32, sample_ms: u64) -> Duration {
    let study = format!(
        "[stack.here]\n[workload]\npattern = \"randread\"\nblock_size = \"8K\"\nsize = \"16M\"\n\
         [repeat]\nsample = \"{sample_ms}ms\"\nat_least = {most}\nat_most = {most}\n",
        most = SAMPLES - 1
    );
    let file = directory.join("study.toml");
    std::fs::write(&file, study).unwrap();
    let began = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_stripewise"))
        .arg("run")
        .arg(&file)
        .arg("--target")
        .arg(directory)
        .arg("--store")
        .arg(directory.join(format!("store-{round}.db")))
        .output()
        .unwrap();
    let took = began.elapsed();
    // Code 2: another process disturbed every sample; their time still counts.
    assert!(matches!(output.status.code(), Some(0 | 2)), "{output:?}");
    took
}

/// Runs the same jobs with fio alone, its file laid out first as well.
fn fio(directory: &Path, sample_ms: u64) -> Duration {
    let began = Instant::now();
    let run = |options: &[&str]| {
        let status = Command::new("fio")
            .current_dir(directory)
            .args([
                "--name=main",
                "--filename=by-hand.dat",
                "--size=16M",
                "--thread",
            ])
            .args([
                "--direct=1",
                "--ioengine=psync",
                "--refill_buffers",
                "--output=by-hand.json",
            ])
            .args(["--output-format=json+", "--clocksource=clock_gettime"])
            .args(options)
            .status()
            .unwrap();
        assert!(status.success());
    };
    run(&["--rw=write", "--bs=1M", "--end_fsync=1"]);
    for _ in 0..SAMPLES {
        let runtime = format!("--runtime={sample_ms}ms");
        run(&["--rw=randread", "--bs=8k", "--time_based", &runtime]);
    }
    began.elapsed()
}
