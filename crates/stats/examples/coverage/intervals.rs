//! The interval of the median: coverage, width, and what looking after every sample does to it.

use std::io::{self, Write};

use stripewise_stats::{
    Estimate, Interval, Level, Series, is_settled, median_interval, median_ranks,
};

use crate::support::{Generator, Process, Shape, generator, real};
use crate::{Plan, percent};

/// Independent normal samples that vary by 5 %.
pub const STEADY: Process = Process {
    shape: Shape::Normal,
    spread: 0.05,
    autocorrelation: 0.0,
    drift_per_sample: 0.0,
};

const PROCESSES: [(&str, Process); 9] = [
    ("normal", STEADY),
    (
        "skewed",
        Process {
            shape: Shape::Skewed,
            ..STEADY
        },
    ),
    (
        "bimodal",
        Process {
            shape: Shape::Bimodal,
            ..STEADY
        },
    ),
    (
        "normal, rho 0.3",
        Process {
            autocorrelation: 0.3,
            ..STEADY
        },
    ),
    (
        "normal, rho 0.7",
        Process {
            autocorrelation: 0.7,
            ..STEADY
        },
    ),
    (
        "skewed, rho 0.7",
        Process {
            shape: Shape::Skewed,
            autocorrelation: 0.7,
            ..STEADY
        },
    ),
    (
        "bimodal, rho 0.7",
        Process {
            shape: Shape::Bimodal,
            autocorrelation: 0.7,
            ..STEADY
        },
    ),
    (
        "normal, rho 0.9",
        Process {
            autocorrelation: 0.9,
            ..STEADY
        },
    ),
    (
        "normal, drift 1 %/sample",
        Process {
            drift_per_sample: 0.01,
            ..STEADY
        },
    ),
];

const COUNTS: [usize; 6] = [6, 9, 12, 15, 20, 30];
const COUNT_MAX: usize = 30;

/// Ways to an interval: the one this crate takes, and the textbook's, which takes samples for independent.
pub type Method = fn(&Series) -> Estimate;
const METHODS: [(&str, Method); 2] = [("stripewise", allowing_for_dependence), ("naive", naive)];

pub fn allowing_for_dependence(series: &Series) -> Estimate {
    median_interval(series, Level::P95)
}

pub fn naive(series: &Series) -> Estimate {
    let mut sorted = series.values().to_vec();
    sorted.sort_by(f64::total_cmp);
    let ranks = median_ranks(sorted.len(), Level::P95);
    let interval = ranks.map(|ranks| Interval {
        low: sorted[ranks.low - 1],
        high: sorted[ranks.high - 1],
    });
    let samples = series.count();
    Estimate {
        interval,
        effective_samples: real(samples),
        ..allowing_for_dependence(series)
    }
}

/// Prints both tables.
pub fn print(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    writeln!(
        out,
        "\n1. 95 % interval of the median: coverage in % (median width in % of the truth); CoV 5 %"
    )?;
    let heads: String = COUNTS
        .iter()
        .map(|count| format!("{:>15}", format!("n = {count}")))
        .collect();
    writeln!(out, "{:25} {:11}{heads}", "samples", "method")?;
    for (name, process) in PROCESSES {
        for (method_name, method) in METHODS {
            write!(out, "{name:25} {method_name:11}")?;
            for count in COUNTS {
                let (coverage, width) = coverage_and_width(process, count, method, plan);
                write!(out, "{:>15}", format!("{coverage:.1} ({width:.1})"))?;
            }
            writeln!(out)?;
        }
    }
    print_stopping(out, plan)
}

fn coverage_and_width(process: Process, count: usize, method: Method, plan: Plan) -> (f64, f64) {
    let mut generator = generator(plan.seed);
    let mut covered = 0;
    let mut widths = Vec::with_capacity(plan.repetitions);
    for _ in 0..plan.repetitions {
        let interval = method(&draw(process, count, &mut generator))
            .interval
            .expect("six samples have one");
        covered += usize::from(interval.contains(process.truth(count)));
        widths.push(100.0 * (interval.high - interval.low));
    }
    widths.sort_by(f64::total_cmp);
    (
        percent(covered, plan.repetitions),
        widths[plan.repetitions / 2],
    )
}

pub fn draw(process: Process, count: usize, generator: &mut Generator) -> Series {
    Series::new(process.draw(count, generator)).expect("simulated samples are finite")
}

/// When to stop looking.
#[derive(Clone, Copy)]
struct Stopping {
    name: &'static str,
    method: Method,
    first_look: usize,
    settled: fn(&Estimate) -> bool,
}

const STOPPINGS: [Stopping; 5] = [
    Stopping {
        name: "naive, width only, from 6",
        method: naive,
        first_look: 6,
        settled: is_narrow,
    },
    Stopping {
        name: "width only, from 6",
        method: allowing_for_dependence,
        first_look: 6,
        settled: is_narrow,
    },
    Stopping {
        name: "is_settled, from 6",
        method: allowing_for_dependence,
        first_look: 6,
        settled: is_settled_5,
    },
    Stopping {
        name: "is_settled, from 10",
        method: allowing_for_dependence,
        first_look: 10,
        settled: is_settled_5,
    },
    Stopping {
        name: "is_settled, from 15",
        method: allowing_for_dependence,
        first_look: 15,
        settled: is_settled_5,
    },
];

fn is_narrow(estimate: &Estimate) -> bool {
    estimate
        .relative_half_width()
        .is_some_and(|half_width| half_width <= 0.05)
}

fn is_settled_5(estimate: &Estimate) -> bool {
    is_settled(estimate, 0.05)
}

fn print_stopping(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    writeln!(
        out,
        "\n2. Looking after every sample, stopping within 5 % or at {COUNT_MAX}: coverage in %"
    )?;
    writeln!(
        out,
        "{:25} {:27}{:>9}{:>10}{:>12}{:>8}{:>8}",
        "samples", "rule", "all", "settled", "settled %", "n 50 %", "n 90 %"
    )?;
    for (name, process) in PROCESSES {
        for stopping in STOPPINGS {
            let outcome = stop(process, stopping, plan);
            let rule = stopping.name;
            writeln!(
                out,
                "{name:25} {rule:27}{:>9.1}{:>10.1}{:>12.1}{:>8}{:>8}",
                outcome.coverage,
                outcome.coverage_settled,
                outcome.settled,
                outcome.median_count,
                outcome.most_count
            )?;
        }
    }
    Ok(())
}

struct Outcome {
    coverage: f64,
    coverage_settled: f64,
    settled: f64,
    median_count: usize,
    most_count: usize,
}

fn stop(process: Process, stopping: Stopping, plan: Plan) -> Outcome {
    let mut generator = generator(plan.seed);
    let (mut covered, mut covered_settled, mut settled) = (0, 0, 0);
    let mut counts = Vec::with_capacity(plan.repetitions);
    for _ in 0..plan.repetitions {
        let values = process.draw(COUNT_MAX, &mut generator);
        let look = |count: usize| {
            (stopping.method)(&Series::new(values[..count].to_vec()).expect("finite"))
        };
        let stopped =
            (stopping.first_look..=COUNT_MAX).find(|&count| (stopping.settled)(&look(count)));
        let count = stopped.unwrap_or(COUNT_MAX);
        let interval = look(count).interval.expect("six samples have one");
        let is_covered = interval.contains(process.truth(count));
        covered += usize::from(is_covered);
        covered_settled += usize::from(is_covered && stopped.is_some());
        settled += usize::from(stopped.is_some());
        counts.push(count);
    }
    counts.sort_unstable();
    Outcome {
        coverage: percent(covered, plan.repetitions),
        coverage_settled: percent(covered_settled, settled.max(1)),
        settled: percent(settled, plan.repetitions),
        median_count: counts[plan.repetitions / 2],
        most_count: counts[plan.repetitions * 9 / 10],
    }
}
