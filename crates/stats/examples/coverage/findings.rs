//! How often a series is reported as drifting, dependent, or odd at its start.

use std::io::{self, Write};

use stripewise_stats::{Series, describe};

use crate::support::{Process, Shape, generator};
use crate::{Plan, percent};

const STEADY: Process = Process {
    shape: Shape::Normal,
    spread: 0.05,
    autocorrelation: 0.0,
    drift_per_sample: 0.0,
};

const PROCESSES: [(&str, Process, f64); 7] = [
    ("normal", STEADY, 0.0),
    (
        "skewed",
        Process {
            shape: Shape::Skewed,
            ..STEADY
        },
        0.0,
    ),
    (
        "bimodal",
        Process {
            shape: Shape::Bimodal,
            ..STEADY
        },
        0.0,
    ),
    (
        "normal, rho 0.3",
        Process {
            autocorrelation: 0.3,
            ..STEADY
        },
        0.0,
    ),
    (
        "normal, rho 0.7",
        Process {
            autocorrelation: 0.7,
            ..STEADY
        },
        0.0,
    ),
    (
        "normal, drift 1 %/sample",
        Process {
            drift_per_sample: 0.01,
            ..STEADY
        },
        0.0,
    ),
    ("normal, first + 50 %", STEADY, 0.5),
];

/// Prints the table.
pub fn print(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    writeln!(
        out,
        "\n4. Findings of `describe` in % of the series; CoV 5 %"
    )?;
    writeln!(
        out,
        "{:25}{:>6}{:>10}{:>12}{:>15}",
        "samples", "n", "drift", "dependence", "unlike first"
    )?;
    for (name, process, first_excess) in PROCESSES {
        for count in [6, 12, 30] {
            let mut generator = generator(plan.seed);
            let (mut drift, mut dependence, mut unlike_first) = (0, 0, 0);
            for _ in 0..plan.repetitions {
                let mut values = process.draw(count, &mut generator);
                values[0] += first_excess;
                let found = describe(&Series::new(values).expect("simulated samples are finite"));
                drift += usize::from(found.drift.is_some());
                dependence += usize::from(found.dependence.is_some());
                unlike_first += usize::from(found.unlike_first.is_some());
            }
            let [drift, dependence, unlike_first] =
                [drift, dependence, unlike_first].map(|found| percent(found, plan.repetitions));
            writeln!(
                out,
                "{name:25}{count:>6}{drift:>10.1}{dependence:>12.1}{unlike_first:>15.1}"
            )?;
        }
    }
    Ok(())
}
