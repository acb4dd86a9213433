//! The time of a preview, and of a final answer: from the request on a socket to the complete
//! answer.
//!
//!     cargo bench --package stripewise-serve --bench ask
//!
//! After the first question, it asks about each device at many positions of the sliders, and prints
//! the slowest positions.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a benchmark may panic, and prints its results"
)]

#[path = "../../sim/benches/harness/mod.rs"]
mod harness;
#[path = "../../stripewise/tests/it/support/page.rs"]
mod page;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::page::Page;

/// How many of the slowest positions are printed.
const SLOWEST: usize = 10;

fn main() {
    let page = Page::new();
    let choices = page.send("GET", "/api/choices", "").1;
    let question = &choices["question"];
    for path in [
        "/api/ask?preview=true",
        "/api/ask/curve?preview=true",
        "/api/ask",
        "/api/ask/curve",
        "/api/ask/why",
    ] {
        let ask = |()| assert_eq!(page.post(path, question).0, 200);
        harness::measure(path, 20, || (), ask);
    }
    for path in ["/api/ask?preview=true", "/api/ask/curve?preview=true"] {
        places(&page, &choices, path);
    }
}

/// Asks at many positions of the sliders, once at each, and prints the slowest.
fn places(page: &Page, choices: &Value, path: &str) {
    let mut times: Vec<(Duration, String)> = Vec::new();
    let (mut refused, mut place) = (0, 0);
    let skip: usize = if path.contains("curve") { 131 } else { 29 };
    for changes in grid(choices) {
        place += 1;
        if place % skip != 0 {
            continue;
        }
        let mut question = choices["question"].clone();
        for (key, value) in changes.as_object().unwrap() {
            question[key] = value.clone();
        }
        let began = Instant::now();
        let (status, _) = page.post(path, &question);
        match status {
            200 => times.push((began.elapsed(), changes.to_string())),
            _ => refused += 1,
        }
    }
    times.sort_by_key(|(time, _)| *time);
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].0;
    eprintln!(
        "{path}: {} places, {refused} refused: median {:?}, 95 % {:?}, 99 % {:?}, slowest {:?}",
        times.len(),
        at(50),
        at(95),
        at(99),
        at(100)
    );
    for (time, changes) in times.iter().rev().take(SLOWEST) {
        eprintln!("  {time:?} {changes}");
    }
}

/// Returns positions of the sliders: devices, levels, chunks, loads.
fn grid(choices: &Value) -> Vec<Value> {
    let mut places = Vec::new();
    for device in choices["devices"].as_array().unwrap() {
        for (level, chunks) in [
            ("none", &[0_u64][..]),
            ("raid0", &[4 << 10, 64 << 10, 512 << 10]),
            ("raid1", &[0]),
            ("raid10", &[4 << 10, 64 << 10, 512 << 10]),
            ("raid5", &[4 << 10, 64 << 10, 512 << 10]),
            ("raid6", &[64 << 10]),
        ] {
            for chunk in chunks {
                for pattern in ["read", "write", "randread", "randwrite", "randrw"] {
                    for block in [512_u64, 4 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20] {
                        for (jobs, depth) in [(1, 1), (1, 32), (8, 32), (32, 32)] {
                            for count in [4, 16] {
                                places.push(json!({
                                    "device": device["name"], "count": count, "level": level,
                                    "layout": null, "bitmap": false,
                                    "chunk_bytes": (*chunk > 0).then_some(chunk),
                                    "pattern": pattern, "block_size_bytes": block,
                                    "jobs": jobs, "depth": depth,
                                }));
                            }
                        }
                    }
                }
            }
        }
    }
    places
}
