//! Comparisons: false claims between equals, and the power to find true differences.

use std::io::{self, Write};

use stripewise_stats::{
    Comparison, ComparisonParams, Pair, Series, Verdict, compare, compare_unpaired,
};

use crate::support::{Generator, SILENT, Session, draw_session, generator};
use crate::{Plan, percent};

/// The session of a scenario, for a given spread.
pub type Scenario = fn(f64) -> Session;

pub const SCENARIOS: [(&str, Scenario); 8] = [
    ("independent noise", |spread| Session {
        own_spread: spread,
        ..SILENT
    }),
    ("shared noise, rho 0.7", |spread| Session {
        own_spread: spread / 3.0,
        shared_spread: spread,
        ..SILENT
    }),
    ("own noise, rho 0.3", |spread| Session {
        own_spread: spread,
        own_autocorrelation: 0.3,
        ..SILENT
    }),
    ("own noise, rho 0.7", |spread| Session {
        own_spread: spread,
        own_autocorrelation: 0.7,
        ..SILENT
    }),
    ("drift of 20 %", |spread| Session {
        own_spread: spread,
        drift: 0.2,
        ..SILENT
    }),
    ("own 0.7 under pairs' noise", |spread| Session {
        own_spread: spread,
        own_autocorrelation: 0.7,
        pair_spread: 2.0 * spread,
        ..SILENT
    }),
    ("one in ten 3 times as slow", |spread| Session {
        own_spread: spread,
        slow_times: 3.0,
        ..SILENT
    }),
    ("own level, 5 %", |spread| Session {
        own_spread: spread,
        level_spread: 0.05,
        ..SILENT
    }),
];

pub const COUNTS: [usize; 3] = [6, 12, 30];
pub const SPREADS: [f64; 3] = [0.02, 0.05, 0.10];

/// Two ways to take the samples of a session: pair by pair, or as two independent runs.
type Method = fn(&[(f64, f64)]) -> Comparison;

fn paired(samples: &[(f64, f64)]) -> Comparison {
    let pairs: Vec<Pair> = samples
        .iter()
        .map(|&(baseline, other)| Pair { baseline, other })
        .collect();
    compare(&pairs, ComparisonParams::STANDARD).expect("simulated samples are positive")
}

fn unpaired(samples: &[(f64, f64)]) -> Comparison {
    let side = |pick: fn(&(f64, f64)) -> f64| {
        Series::new(samples.iter().map(pick).collect()).expect("finite")
    };
    let (baseline, other) = (side(|pair| pair.0), side(|pair| pair.1));
    compare_unpaired(&baseline, &other, ComparisonParams::STANDARD)
        .expect("simulated samples are positive")
}

/// How often each verdict was given, and how often the first interval alone would have claimed a
/// difference.
#[derive(Default)]
struct Tally {
    different: usize,
    different_one_lock: usize,
    no_difference: usize,
    covered: usize,
}

fn tally(
    session: Session,
    count: usize,
    method: Method,
    repetitions: usize,
    generator: &mut Generator,
) -> Tally {
    let mut tally = Tally::default();
    for _ in 0..repetitions {
        let comparison = method(&draw_session(&session, count, generator));
        let interval = comparison.ratio.interval.expect("six pairs have one");
        let is_same = matches!(comparison.verdict, Verdict::NoDifference { .. });
        tally.different += usize::from(matches!(comparison.verdict, Verdict::Different { .. }));
        tally.different_one_lock += usize::from(!is_same && !interval.contains(1.0));
        tally.no_difference += usize::from(is_same);
        tally.covered += usize::from(interval.contains(session.ratio));
    }
    tally
}

/// Prints the tables.
pub fn print(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    for (title, method) in [("paired", paired as Method), ("unpaired", unpaired)] {
        print_equals(out, plan, title, method)?;
        print_power(out, plan, title, method)?;
    }
    print_looking(out, plan)
}

fn print_equals(out: &mut impl Write, plan: Plan, title: &str, method: Method) -> io::Result<()> {
    writeln!(out, "\n5. {title}: the same thing twice, in %")?;
    let heads = ["different", "with 1 lock", "no diff.", "coverage"]
        .map(|head| format!("{head:>13}"))
        .concat();
    writeln!(out, "{:26}{:>5}{:>4}{heads}", "noise", "CoV", "n")?;
    for (name, scenario) in SCENARIOS {
        for spread in SPREADS {
            for count in COUNTS {
                let tally = tally(
                    scenario(spread),
                    count,
                    method,
                    plan.repetitions,
                    &mut generator(plan.seed),
                );
                let row = [
                    tally.different,
                    tally.different_one_lock,
                    tally.no_difference,
                    tally.covered,
                ];
                let row = row
                    .map(|found| format!("{:>13.2}", percent(found, plan.repetitions)))
                    .concat();
                writeln!(out, "{name:26}{:>5.0}{count:>4}{row}", 100.0 * spread)?;
            }
        }
    }
    Ok(())
}

fn print_power(out: &mut impl Write, plan: Plan, title: &str, method: Method) -> io::Result<()> {
    writeln!(
        out,
        "\n6. {title}: true differences told as different (as no difference), in %; independent noise"
    )?;
    let ratios = [1.05, 1.10, 1.20, 7.0];
    let heads = ratios
        .map(|ratio: f64| format!("{:>16}", format!("x {ratio:.2}")))
        .concat();
    writeln!(out, "{:>5}{:>4}{heads}", "CoV", "n")?;
    for spread in SPREADS {
        for count in COUNTS {
            write!(out, "{:>5.0}{count:>4}", 100.0 * spread)?;
            for ratio in ratios {
                let session = Session {
                    own_spread: spread,
                    ratio,
                    ..SILENT
                };
                let tally = tally(
                    session,
                    count,
                    method,
                    plan.repetitions,
                    &mut generator(plan.seed),
                );
                let [different, same] = [tally.different, tally.no_difference]
                    .map(|found| percent(found, plan.repetitions));
                write!(out, "{:>16}", format!("{different:.1} ({same:.1})"))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// The pairs after which a verdict is computed; it ends the session unless it is "cannot tell".
const SCHEDULES: [(&str, &[usize]); 2] = [
    (
        "every pair from 6 to 30",
        &[
            6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
            29, 30,
        ],
    ),
    ("6, 12 and 30 pairs", &[6, 12, 30]),
];

fn print_looking(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    for (title, schedule) in SCHEDULES {
        writeln!(
            out,
            "\n7. paired, looking after {title} until there is a verdict, in %; CoV 5 %"
        )?;
        let heads = ["different", "no diff.", "cannot tell", "n 50 %"]
            .map(|head| format!("{head:>13}"))
            .concat();
        writeln!(out, "{:26}{:>6}{heads}", "noise", "ratio")?;
        for (name, scenario) in SCENARIOS {
            for ratio in [1.0, 1.1] {
                let session = Session {
                    ratio,
                    ..scenario(0.05)
                };
                let (row, count) = ends_of_sessions(session, schedule, plan);
                let row = row
                    .map(|found| format!("{:>13.2}", percent(found, plan.repetitions)))
                    .concat();
                writeln!(out, "{name:26}{ratio:>6.2}{row}{count:>13}")?;
            }
        }
    }
    Ok(())
}

/// Returns how many sessions ended with a difference, with none, and undecided; and the median number of pairs.
fn ends_of_sessions(session: Session, schedule: &[usize], plan: Plan) -> ([usize; 3], usize) {
    let mut generator = generator(plan.seed);
    let mut ends = [0; 3];
    let mut counts = Vec::with_capacity(plan.repetitions);
    for _ in 0..plan.repetitions {
        let samples = draw_session(&session, 30, &mut generator);
        let mut looks = schedule
            .iter()
            .map(|&count| (count, end(paired(&samples[..count]).verdict)));
        let (count, end) = looks
            .find(|&(_, end)| end != UNDECIDED)
            .unwrap_or((30, UNDECIDED));
        ends[end] += 1;
        counts.push(count);
    }
    counts.sort_unstable();
    (ends, counts[plan.repetitions / 2])
}

const UNDECIDED: usize = 2;

fn end(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Different { .. } => 0,
        Verdict::NoDifference { .. } => 1,
        Verdict::CannotTell { .. } => UNDECIDED,
    }
}
