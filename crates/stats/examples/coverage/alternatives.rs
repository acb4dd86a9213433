//! Methods to allow for dependence that were tried beside the chosen one, so that the choice can be
//! checked.

use std::io::{self, Write};

use rand::RngExt;
use stripewise_stats::{Estimate, Interval, Series, dependence, median};

use crate::intervals::{Method, STEADY, allowing_for_dependence, draw, naive};
use crate::support::{Process, generator};
use crate::{Plan, percent};

const METHODS: [(&str, Method, usize); 5] = [
    ("naive", naive, 1),
    ("stripewise", allowing_for_dependence, 1),
    ("none below 6", none_below_six, 1),
    ("if significant", if_significant, 1),
    ("bootstrap", bootstrap, 20),
];

/// The interval of this crate, or none if the samples are worth fewer than six.
fn none_below_six(series: &Series) -> Estimate {
    let whole = allowing_for_dependence(series);
    let is_enough = whole.effective_samples >= 6.0;
    Estimate {
        interval: whole.interval.filter(|_| is_enough),
        ..whole
    }
}

/// The textbook's interval, unless the autocorrelation is two standard deviations above chance.
fn if_significant(series: &Series) -> Estimate {
    if dependence(series).is_present() {
        allowing_for_dependence(series)
    } else {
        naive(series)
    }
}

/// Percentile interval of the median by the stationary bootstrap (Politis and Romano 1994), blocks of n^(1/3).
fn bootstrap(series: &Series) -> Estimate {
    const RESAMPLES: usize = 400;
    let values = series.values();
    let count = values.len();
    let restart = crate::support::real(count).cbrt().recip();
    let mut generator = generator(values[0].to_bits());
    let mut resample = || {
        let mut index = generator.random_range(0..count);
        let mut next = || {
            let fresh = generator.random::<f64>() < restart;
            index = if fresh {
                generator.random_range(0..count)
            } else {
                (index + 1) % count
            };
            values[index]
        };
        median(&Series::new((0..count).map(|_| next()).collect()).expect("finite"))
    };
    let mut medians: Vec<f64> = (0..RESAMPLES).map(|_| resample()).collect();
    medians.sort_by(f64::total_cmp);
    let outside = RESAMPLES / 40;
    let interval = Interval {
        low: medians[outside],
        high: medians[RESAMPLES - 1 - outside],
    };
    Estimate {
        interval: Some(interval),
        ..naive(series)
    }
}

/// Prints the table.
pub fn print(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    writeln!(
        out,
        "\n3. Alternatives: coverage in % of the intervals given (series without interval in %)"
    )?;
    writeln!(
        out,
        "normal samples, CoV 5 %; the bootstrap with a twentieth of the repetitions"
    )?;
    let counts = [6, 9, 12, 20, 30];
    let heads = counts
        .map(|count| format!("{:>15}", format!("n = {count}")))
        .concat();
    writeln!(out, "{:>4} {:15}{heads}", "rho", "method")?;
    for autocorrelation in [0.0, 0.3, 0.7] {
        let process = Process {
            autocorrelation,
            ..STEADY
        };
        for (name, method, divisor) in METHODS {
            write!(out, "{autocorrelation:4} {name:15}")?;
            for count in counts {
                let (coverage, none) = coverage(
                    process,
                    count,
                    method,
                    plan.repetitions.div_ceil(divisor),
                    plan.seed,
                );
                write!(out, "{:>15}", format!("{coverage:.1} ({none:.1})"))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

fn coverage(
    process: Process,
    count: usize,
    method: Method,
    repetitions: usize,
    seed: u64,
) -> (f64, f64) {
    let mut generator = generator(seed);
    let (mut given, mut covered) = (0, 0);
    for _ in 0..repetitions {
        let Some(interval) = method(&draw(process, count, &mut generator)).interval else {
            continue;
        };
        given += 1;
        covered += usize::from(interval.contains(process.truth(count)));
    }
    (
        percent(covered, given.max(1)),
        percent(repetitions - given, repetitions),
    )
}
