//! Simulates how high the scores of noise are, and prints `src/critical_table.rs`:
//! `cargo run --release -p stripewise-history --example critical > critical_table.rs`.
//!
//! The draws are of seed 1; `judge` draws from others. Costs about five CPU minutes.

#![expect(clippy::print_stdout, reason = "the output is the table")]

#[path = "../tests/support/draws.rs"]
mod draws;

use draws::{Draws, KINDS};
use stripewise_history::{Detector, highest_score};

const LENGTHS: [usize; 8] = [16, 24, 40, 80, 160, 320, 640, 1280];
const CORRELATIONS: [f64; 7] = [0.0, 0.3, 0.5, 0.65, 0.8, 0.9, 0.95];
/// Per thousand.
const PER_THOUSAND: [u32; 10] = [500, 300, 200, 100, 50, 30, 20, 10, 3, 1];
const DRAWS: u32 = 20_000;

fn main() {
    let mut draws = Draws::new(1);
    let mut detector = Detector::default();
    let mut values = Vec::new();
    let probabilities = PER_THOUSAND.map(|part| format!("{:?}", f64::from(part) / 1000.0));
    println!("//! Made by `cargo run --release -p stripewise-history --example critical`.\n");
    println!("/// The lengths of series.");
    println!(
        "pub(crate) const LENGTHS: [usize; {}] = {LENGTHS:?};",
        LENGTHS.len()
    );
    println!("/// The correlations of neighbours.");
    println!(
        "pub(crate) const CORRELATIONS: [f64; {}] = {CORRELATIONS:?};",
        CORRELATIONS.len()
    );
    println!("/// The probabilities.");
    let count = PER_THOUSAND.len();
    println!(
        "pub(crate) const PROBABILITIES: [f64; {count}] = [{}];",
        probabilities.join(", ")
    );
    println!(
        "/// For each length and correlation, the scores that noise exceeds with these probabilities."
    );
    println!("#[rustfmt::skip]");
    println!(
        "pub(crate) const SCORES: [[[f64; {count}]; {}]; {}] = [",
        CORRELATIONS.len(),
        LENGTHS.len()
    );
    for length in LENGTHS {
        println!("    [");
        for correlation in CORRELATIONS {
            let mut highest = [f64::MIN; PER_THOUSAND.len()];
            for kind in KINDS {
                let mut scores: Vec<f64> = (0..DRAWS)
                    .map(|_| {
                        draws.series(length, correlation, kind, &mut values);
                        highest_score(&mut detector, &values).unwrap_or(f64::MIN)
                    })
                    .collect();
                scores.sort_by(|a, b| b.total_cmp(a));
                for (highest, part) in highest.iter_mut().zip(PER_THOUSAND) {
                    let rank = usize::try_from(DRAWS / 1000 * part).unwrap_or(0);
                    *highest = highest.max(scores[rank]);
                }
            }
            let scores = highest.map(|score| format!("{score:.3}")).join(", ");
            println!("        [{scores}],");
        }
        println!("    ],");
    }
    println!("];");
}
