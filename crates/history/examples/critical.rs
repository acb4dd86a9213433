//! Simulates how high the scores of noise are, and prints `src/critical_table.rs`:
//! `cargo run --release -p stripewise-history --example critical > critical_table.rs`.
//!
//! A first pass takes the scores that noise of each correlation exceeds with each probability. They are
//! taken at the upper end of what the true correlation may be, one standard error above the
//! estimated one, and raised in common until noise of no correlation exceeds them more often.
//!
//! The draws are of seed 1; `judge` draws from others. Costs about ten CPU minutes.

#![expect(clippy::print_stdout, reason = "the output is the table")]

#[path = "../tests/support/draws.rs"]
mod draws;

use draws::{Draws, KINDS};
use stripewise_history::{Detector, highest_score};

const LENGTHS: [usize; 12] = [16, 20, 24, 30, 40, 56, 80, 112, 160, 240, 400, 720];
const CORRELATIONS: [f64; 7] = [0.0, 0.3, 0.5, 0.65, 0.8, 0.9, 0.95];
/// Per thousand.
const PER_THOUSAND: [u32; 10] = [500, 300, 200, 100, 50, 30, 20, 10, 3, 1];
const DRAWS: u32 = 20_000;
/// Below so many points the scores hold up to a correlation of 0.8, and up to 0.9 below so many: a
/// series of a higher one says less than six independent points do.
const POINTS_FOR_HIGH: [usize; 2] = [80, 240];
/// The least penalty of a score: with it, scores are contrasts, of which there are ratios.
const PENALTY: f64 = std::f64::consts::SQRT_2;

/// The contrast of a series of noise, and the estimated correlation.
type Drawn = [f64; 2];

fn main() {
    let mut draws = Draws::new(1);
    let mut detector = Detector::default();
    let probabilities = PER_THOUSAND.map(|part| format!("{:?}", f64::from(part) / 1000.0));
    println!("//! Made by `cargo run --release -p stripewise-history --example critical`.\n");
    println!("/// The lengths of series.");
    println!(
        "pub(crate) const LENGTHS: [usize; {}] = {LENGTHS:?};",
        LENGTHS.len()
    );
    println!("/// The estimated correlations of neighbours.");
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
        let all = CORRELATIONS.map(|correlation| {
            KINDS.map(|kind| {
                let mut values = Vec::new();
                let drawn = (0..DRAWS).map(|_| {
                    draws.series(length, correlation, kind, &mut values);
                    let (score, found) =
                        highest_score(&mut detector, &values).unwrap_or((f64::MIN, 0.0));
                    [(score + PENALTY).max(0.0), found]
                });
                drawn.collect::<Vec<Drawn>>()
            })
        });
        let columns = PER_THOUSAND.map(|part| contrasts(&all, length, part));
        println!("    [");
        for row in 0..CORRELATIONS.len() {
            let scores = columns.map(|contrasts| format!("{:.3}", contrasts[row] - PENALTY));
            println!("        [{}],", scores.join(", "));
        }
        println!("    ],");
    }
    println!("];");
}

/// Returns the contrasts for each estimated correlation that noise of no correlation exceeds in more than
/// `part` of thousand series.
fn contrasts(
    all: &[[Vec<Drawn>; KINDS.len()]; CORRELATIONS.len()],
    length: usize,
    part: u32,
) -> [f64; CORRELATIONS.len()] {
    let exceeded = |values: Vec<f64>| {
        let mut values = values;
        values.sort_by(|a, b| b.total_cmp(a));
        let part = usize::try_from(part).unwrap_or(0);
        values[values.len() / 1000 * part]
    };
    let own: Vec<f64> = all
        .iter()
        .map(|kinds| {
            let of_kinds = kinds
                .iter()
                .map(|drawn| exceeded(drawn.iter().map(|[contrast, _]| *contrast).collect()));
            of_kinds.fold(f64::MIN, f64::max)
        })
        .collect();
    let length_real = f64::from(u32::try_from(length).unwrap_or(u32::MAX));
    let shape = |found: f64| interpolated(&own, found + 1.0 / length_real.sqrt());
    let shapes = CORRELATIONS.map(shape);
    let highest = match POINTS_FOR_HIGH {
        [short, _] if length < short => 0.8,
        [_, long] if length < long => 0.9,
        _ => 0.95,
    };
    let held = CORRELATIONS.iter().zip(all);
    let held = held.filter(|(correlation, _)| **correlation <= highest);
    let raises = held.flat_map(|(_, kinds)| kinds).map(|drawn| {
        let ratios = drawn
            .iter()
            .map(|[contrast, found]| contrast / interpolated(&shapes, *found));
        exceeded(ratios.collect())
    });
    let raise = raises.fold(1.0, f64::max);
    shapes.map(|contrast| raise * contrast)
}

/// Interpolates between correlations; the ends hold beyond them.
fn interpolated(of: &[f64], correlation: f64) -> f64 {
    let next = CORRELATIONS.partition_point(|entry| *entry <= correlation);
    let before = next.clamp(1, CORRELATIONS.len() - 1) - 1;
    let [left, right] = [CORRELATIONS[before], CORRELATIONS[before + 1]];
    let share = ((correlation - left) / (right - left)).clamp(0.0, 1.0);
    of[before] + share * (of[before + 1] - of[before])
}
