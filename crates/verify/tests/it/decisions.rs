//! Published tables of alternatives, and which one the model would choose.
//!
//! `decisions.toml` has the tables. The model answers each row as it would answer a user, and
//! `decisions.txt` has the score: how often its first choice is one of the best (within 3 %), how much
//! of the best rate its choice loses, and how far its ratios between alternatives are off. A coin that
//! is thrown with a committed seed divides the sets: the golden file shows the rows of those that were
//! looked at while the model was changed, and of the others their scores alone.
//!
//! `STRIPEWISE_TEST_DECISIONS=all` prints the rows of all sets.

use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_sim::engine::Limits;
use stripewise_study::sample::as_f64;
use stripewise_study::world::NeverCancel;
use stripewise_units::splitmix::mixed;

use crate::published::{Alternative, Row, Set, Tables};

/// Alternatives that differ by less count as equal.
const TIE: f64 = 0.03;
/// The seed of the coin that says which sets were looked at.
const COIN: u64 = 44;

/// Returns whether the coin that is thrown for the set's name lets it be looked at.
fn is_looked_at(set: &Set) -> bool {
    let name = set.name.bytes();
    let number = name.fold(0_u64, |sum, byte| {
        sum.wrapping_mul(131).wrapping_add(byte.into())
    });
    mixed(number ^ COIN).is_multiple_of(2)
}

/// Returns the simulated bytes of a row's alternative in each second.
fn simulated(set: &Set, row: &Row, alternative: &Alternative) -> f64 {
    let mut model = set.model(alternative);
    model.limits = Limits {
        half_width: 0.02,
        ..Limits::default()
    };
    let cell = set.cell(row, alternative);
    let sample = model.simulate(&cell, 1, &mut NeverCancel);
    let sample = sample.unwrap_or_else(|error| panic!("{} {}: {error}", set.name, row.load));
    as_f64(sample.bytes().as_u64()) / sample.elapsed_ns.as_secs_f64()
}

/// The sums of the scores of some rows.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    rows: f64,
    right: f64,
    loss: f64,
    ratios: f64,
    ratio_error: f64,
}

impl Score {
    /// Returns the score of one row; nothing if its alternatives are all equally good.
    fn of(published: &[f64], simulated: &[f64]) -> Score {
        let best = published.iter().copied().fold(f64::MIN, f64::max);
        let worst = published.iter().copied().fold(f64::MAX, f64::min);
        if worst >= best * (1.0 - TIE) {
            return Score::default();
        }
        let first = simulated.iter().copied().fold(f64::MIN, f64::max);
        let pairs = || published.iter().zip(simulated);
        // Those that the model calls equally good are chosen among without knowing.
        let tied = pairs().filter(|(_, rate)| **rate >= first * (1.0 - TIE));
        let tied: Vec<f64> = tied.map(|(published, _)| *published).collect();
        let count = as_f64(u64::try_from(tied.len()).expect("few"));
        let is_best = |published: &&f64| **published >= best * (1.0 - TIE);
        let good = as_f64(u64::try_from(tied.iter().filter(is_best).count()).expect("few"));
        let chosen = pairs().filter(|(_, rate)| **rate >= first);
        let chosen: Vec<f64> = chosen.map(|(published, _)| *published).collect();
        let choices = as_f64(u64::try_from(chosen.len()).expect("few"));
        let errors = pairs().skip(1).map(|(published_rate, rate)| {
            let ratio = (rate / simulated[0]) / (published_rate / published[0]);
            libm_ln(ratio).abs()
        });
        let errors: Vec<f64> = errors.collect();
        Score {
            rows: 1.0,
            right: good / count,
            loss: 1.0 - chosen.iter().sum::<f64>() / choices / best,
            ratios: as_f64(u64::try_from(errors.len()).expect("few")),
            ratio_error: errors.iter().sum(),
        }
    }

    fn add(&mut self, other: Score) {
        self.rows += other.rows;
        self.right += other.right;
        self.loss += other.loss;
        self.ratios += other.ratios;
        self.ratio_error += other.ratio_error;
    }

    fn line(&self) -> String {
        format!(
            "{:.1} of {:.0} right ({:.0} %), loss {:.1} % of the best, ratios x{:.2} off",
            self.right,
            self.rows,
            self.right / self.rows * 100.0,
            self.loss / self.rows * 100.0,
            (self.ratio_error / self.ratios).exp()
        )
    }
}

/// Returns the natural logarithm, which a golden file rounds far above its last bits.
fn libm_ln(value: f64) -> f64 {
    value.ln()
}

#[test]
fn the_model_chooses_among_published_alternatives() {
    let tables = Tables::read();
    let shows_all = std::env::var("STRIPEWISE_TEST_DECISIONS").is_ok_and(|value| value == "all");
    let mut sums = [Score::default(), Score::default()];
    let mut golden = String::new();
    for set in tables.set.iter().filter(|set| set.fitted.is_none()) {
        assert!(!set.source.is_empty(), "{:?}", set.assumed);
        let looked_at = is_looked_at(set);
        let mut score = Score::default();
        let mut rows = String::new();
        for row in &set.rows {
            assert_eq!(row.values.len(), set.stacks.len(), "{}", set.name);
            let stacks = set.stacks.iter();
            let simulated: Vec<f64> = stacks.map(|stack| simulated(set, row, stack)).collect();
            write!(rows, "    {}:", row.load).expect("a string");
            for ((stack, published), simulated_rate) in
                set.stacks.iter().zip(&row.values).zip(&simulated)
            {
                let [published, model] = [published / row.values[0], simulated_rate / simulated[0]];
                write!(rows, "  {} {published:.2} {model:.2}", stack.name).expect("a string");
            }
            writeln!(rows, "  ({:.3e} B/s)", simulated[0]).expect("a string");
            score.add(Score::of(&row.values, &simulated));
        }
        sums[usize::from(!looked_at)].add(score);
        let side = if looked_at {
            "looked at"
        } else {
            "scored only"
        };
        writeln!(golden, "{} ({side}): {}", set.name, score.line()).expect("a string");
        if looked_at {
            golden.push_str(&rows);
        } else if shows_all {
            eprintln!("{}\n{rows}", set.name);
        }
    }
    let mut all = sums[0];
    all.add(sums[1]);
    for (name, sum) in [
        ("looked at", sums[0]),
        ("scored only", sums[1]),
        ("all", all),
    ] {
        writeln!(golden, "{name}: {}", sum.line()).expect("a string");
    }
    expect_file!["../decisions.txt"].assert_eq(&golden);
}
