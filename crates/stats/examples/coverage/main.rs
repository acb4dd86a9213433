//! Prints how often the intervals hold and how often the verdicts are wrong: the tables of `ANALYSIS.md`.
//!
//! `cargo run --release -p stripewise-stats --example coverage [REPETITIONS [SEED]]`

use std::io::{self, Write};

#[path = "../../tests/support/mod.rs"]
mod support;

/// The distributions of the crate itself, for the rules that were tried.
#[expect(dead_code, reason = "the rules need two of them")]
#[path = "../../src/distribution.rs"]
mod distribution;
#[path = "../../src/number.rs"]
mod number;

mod alternatives;
mod comparisons;
mod findings;
mod intervals;
mod rules;

/// How much to simulate, and from which seed.
#[derive(Debug, Clone, Copy)]
struct Plan {
    repetitions: usize,
    seed: u64,
}

/// Returns a count of repetitions as a percentage.
fn percent(count: usize, repetitions: usize) -> f64 {
    100.0 * support::real(count) / support::real(repetitions)
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| match arguments.next() {
        Some(text) => text.parse().map_err(io::Error::other),
        None => Ok(default),
    };
    let repetitions = usize::try_from(number(20_000)?).map_err(io::Error::other)?;
    let plan = Plan {
        repetitions,
        seed: number(1)?,
    };
    let mut out = io::stdout().lock();
    writeln!(out, "repetitions {repetitions}, seed {}", plan.seed)?;
    intervals::print(&mut out, plan)?;
    alternatives::print(&mut out, plan)?;
    findings::print(&mut out, plan)?;
    comparisons::print(&mut out, plan)?;
    rules::print(&mut out, plan)
}
