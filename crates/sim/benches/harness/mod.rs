//! Times pieces of work and compares each with its previous run.
//!
//! `cargo bench` times everything; `cargo bench -- WORDS` times only benchmarks whose names contain
//! these words. `cargo test --benches` runs each once, to check that it works.

#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]
#![expect(clippy::unwrap_used, reason = "a benchmark may panic on an error")]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Shorter work is repeated until a sample has taken this long.
const SAMPLE_MIN: Duration = Duration::from_millis(5);

/// Prints the median and the range of `samples`, and returns the median. Returns nothing for a
/// benchmark that is not selected, or that only runs as a check. `prepare` is not timed.
pub fn measure<I, O>(
    name: &str,
    samples: usize,
    mut prepare: impl FnMut() -> I,
    mut work: impl FnMut(I) -> O,
) -> Option<Duration> {
    let mut is_measured = false;
    for argument in std::env::args().skip(1) {
        if argument == "--bench" {
            is_measured = true;
        } else if !name.contains(&argument) {
            return None;
        }
    }
    let mut once = || {
        let prepared = prepare();
        let began = Instant::now();
        black_box(work(black_box(prepared)));
        began.elapsed()
    };
    let warm_up = once();
    if !is_measured {
        return None;
    }
    let times = SAMPLE_MIN.as_nanos() / warm_up.as_nanos().max(1) + 1;
    let times = u32::try_from(times).unwrap();
    let mut sample = || (0..times).map(|_| once()).sum::<Duration>() / times;
    let mut took: Vec<Duration> = (0..samples).map(|_| sample()).collect();
    took.sort();
    let median = took[samples / 2];
    println!(
        "{name}: {median:.2?} ({:.2?} to {:.2?}){}",
        took[0],
        took[samples - 1],
        change(name, median)
    );
    Some(median)
}

/// Returns the change since the previous run as text, and stores the median for the next run.
fn change(name: &str, median: Duration) -> String {
    let file: String = name
        .chars()
        .map(|letter| {
            if letter.is_alphanumeric() {
                letter
            } else {
                '-'
            }
        })
        .collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{file}"));
    let last = std::fs::read_to_string(&path).ok();
    std::fs::write(&path, median.as_secs_f64().to_string()).unwrap();
    let Some(last) = last.and_then(|text| text.parse::<f64>().ok()) else {
        return String::new();
    };
    let percent = (median.as_secs_f64() / last - 1.0) * 100.0;
    format!(", {percent:+.1} % since the previous run")
}
