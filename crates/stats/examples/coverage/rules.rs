//! Rules that were tried for pairs beside the one taken, among them the one before, so that the choice can be checked.

use std::io::{self, Write};

use stripewise_stats::{
    ComparisonParams, Forecast, Interval, Level, Pair, Series, Verdict, compare, dependence,
    median, median_interval,
};

use crate::comparisons::{COUNTS, SCENARIOS, SPREADS};
use crate::distribution::{signed_rank_lower_rank, student_two_sided};
use crate::number::floor_to_count;
use crate::support::{SILENT, Session, draw_session, generator, real};
use crate::{Plan, percent};

/// What a rule says of pairs; `Some(true)` for "different", `Some(false)` for "no difference".
type Claim = Option<bool>;
type Rule = fn(&Sampled) -> Claim;

const BEFORE: usize = 0;
const NOW: usize = 6;
const RULES: [(&str, Rule); 7] = [
    ("before", before),
    ("flips", |sampled| sampled.flips(|_| true)),
    ("flips 99", |sampled| {
        sampled.flips(|sampled| {
            sampled
                .signed_rank(sampled.ranks.at_99)
                .is_some_and(excludes_zero)
        })
    }),
    ("apart", |sampled| sampled.flips(Sampled::are_apart)),
    ("t 99", |sampled| {
        sampled.flips(|sampled| sampled.is_sure(0.99, sampled.count()))
    }),
    ("t 99.5", |sampled| {
        sampled.flips(|sampled| sampled.is_sure(0.995, sampled.count()))
    }),
    ("now", now),
];

/// Pairs, and what all rules need of them.
struct Sampled {
    pairs: Vec<(f64, f64)>,
    log_ratios: Series,
    averages: Vec<f64>,
    ranks: Ranks,
}

/// The ranks of the averages that bound the signed-rank interval; 0 for none.
#[derive(Clone, Copy)]
struct Ranks {
    at_95: usize,
    at_99: usize,
}

impl Sampled {
    fn new(pairs: Vec<(f64, f64)>, ranks: Ranks) -> Self {
        let log_ratios: Vec<f64> = pairs.iter().map(|pair| (pair.1 / pair.0).ln()).collect();
        let mut averages: Vec<f64> = (0..log_ratios.len())
            .flat_map(|index| log_ratios[index..].iter().map(move |other| (index, other)))
            .map(|(index, other)| f64::midpoint(log_ratios[index], *other))
            .collect();
        averages.sort_by(f64::total_cmp);
        Self {
            pairs,
            log_ratios: Series::new(log_ratios).expect("finite"),
            averages,
            ranks,
        }
    }

    fn count(&self) -> f64 {
        real(self.pairs.len())
    }

    /// Returns the signed-rank interval that begins at the average of this rank, without regard to dependence.
    fn signed_rank(&self, rank: usize) -> Option<Interval> {
        (rank >= 1).then(|| Interval {
            low: self.averages[rank - 1],
            high: self.averages[self.averages.len() - rank],
        })
    }

    /// Sign flips at 95 %, and `lock` before a difference is claimed.
    fn flips(&self, lock: impl Fn(&Self) -> bool) -> Claim {
        claim(self.signed_rank(self.ranks.at_95)?, || lock(self))
    }

    /// Tells whether all values of the one lie above all of the other.
    fn are_apart(&self) -> bool {
        let ends = |pick: fn(&(f64, f64)) -> f64| {
            let values = self.pairs.iter().map(pick);
            values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (baseline, other) = (ends(|pair| pair.0), ends(|pair| pair.1));
        other.0 > baseline.1 || baseline.0 > other.1
    }

    /// Tells whether Student's interval of the mean log ratio excludes 0; the pairs are worth `worth`.
    fn is_sure(&self, level: f64, worth: f64) -> bool {
        let values = self.log_ratios.values();
        let mean = self.mean();
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / (self.count() - 1.0) / worth).sqrt();
        let freedom = floor_to_count(worth - 1.0).max(1);
        student_two_sided(mean.abs() / deviation, freedom) > level
    }

    fn mean(&self) -> f64 {
        self.log_ratios.values().iter().sum::<f64>() / self.count()
    }
}

fn excludes_zero(interval: Interval) -> bool {
    !interval.contains(0.0)
}

fn claim(interval: Interval, lock: impl Fn() -> bool) -> Claim {
    let margin = ComparisonParams::STANDARD.margin.ln_1p();
    if interval.low >= -margin && interval.high <= margin {
        return Some(false);
    }
    (excludes_zero(interval) && lock()).then_some(true)
}

/// The rule before: the interval of the median log ratio, and Student's at 99 %, both with what the log ratios by
/// themselves are worth, at least 3 in the second.
fn before(sampled: &Sampled) -> Claim {
    let interval = median_interval(&sampled.log_ratios, Level::P95).interval?;
    let worth = dependence(&sampled.log_ratios).effective_samples.max(3.0);
    let is_sure = || sampled.is_sure(0.99, worth) && (sampled.mean() > 0.0) == (interval.low > 0.0);
    claim(interval, is_sure)
}

fn now(sampled: &Sampled) -> Claim {
    match verdict(&sampled.pairs) {
        Verdict::Different { .. } => Some(true),
        Verdict::NoDifference { .. } => Some(false),
        Verdict::CannotTell { .. } => None,
    }
}

fn verdict(samples: &[(f64, f64)]) -> Verdict {
    let pair = |&(baseline, other)| Pair { baseline, other };
    let pairs: Vec<Pair> = samples.iter().map(pair).collect();
    let comparison = compare(&pairs, ComparisonParams::STANDARD);
    comparison.expect("simulated samples are positive").verdict
}

/// Returns how often each rule makes the claim, in %.
fn rates<const N: usize>(
    rules: [Rule; N],
    session: Session,
    count: usize,
    plan: Plan,
    claimed: bool,
) -> [f64; N] {
    let mut generator = generator(plan.seed);
    let ranks = Ranks {
        at_95: signed_rank_lower_rank(count, 0.025),
        at_99: signed_rank_lower_rank(count, 0.005),
    };
    let mut found = [0; N];
    for _ in 0..plan.repetitions {
        let sampled = Sampled::new(draw_session(&session, count, &mut generator), ranks);
        for (rule, found) in rules.iter().zip(&mut found) {
            *found += usize::from(rule(&sampled) == Some(claimed));
        }
    }
    found.map(|found| percent(found, plan.repetitions))
}

/// Prints the tables.
pub fn print(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    print_false_claims(out, plan)?;
    print_false_equals(out, plan)?;
    print_power(out, plan)?;
    print_needed(out, plan)?;
    print_forecasts(out, plan)
}

fn columns<const N: usize>(cells: [String; N]) -> String {
    cells.map(|cell| format!("{cell:>10}")).concat()
}

fn print_false_claims(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    writeln!(
        out,
        "\n8. rules for pairs: the same thing twice, called different, in %"
    )?;
    let heads = columns(RULES.map(|(name, _)| name.to_owned()));
    writeln!(out, "{:26}{:>5}{:>4}{heads}", "noise", "CoV", "n")?;
    for (name, scenario) in SCENARIOS {
        for spread in SPREADS {
            for count in COUNTS {
                let rules = RULES.map(|(_, rule)| rule);
                let row = rates(rules, scenario(spread), count, plan, true);
                let row = columns(row.map(|rate| format!("{rate:.2}")));
                writeln!(out, "{name:26}{:>5.0}{count:>4}{row}", 100.0 * spread)?;
            }
        }
    }
    Ok(())
}

fn print_false_equals(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    writeln!(
        out,
        "\n9. 10 % faster, called no difference, in %; the same thing twice, called no difference, in %; CoV 5 %"
    )?;
    let heads =
        ["x1.1 before", "x1.1 now", "x1 before", "x1 now"].map(|head| format!("{head:>13}"));
    writeln!(out, "{:26}{:>4}{}", "noise", "n", heads.concat())?;
    for (name, scenario) in SCENARIOS {
        for count in COUNTS {
            let rules = [RULES[BEFORE].1, RULES[NOW].1];
            let session = |ratio| Session {
                ratio,
                ..scenario(0.05)
            };
            let of = |ratio| rates(rules, session(ratio), count, plan, false);
            let row = [of(1.1), of(1.0)].concat();
            let row: String = row.iter().map(|rate| format!("{rate:>13.2}")).collect();
            writeln!(out, "{name:26}{count:>4}{row}")?;
        }
    }
    Ok(())
}

const RATIOS: [f64; 3] = [1.1, 1.3, 7.0];
const POWER_SPREADS: [f64; 5] = [0.02, 0.05, 0.10, 0.20, 0.30];

fn print_power(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    writeln!(
        out,
        "\n10. rules for pairs: true differences called different, in %; independent noise"
    )?;
    let heads = columns(RULES.map(|(name, _)| name.to_owned()));
    writeln!(out, "{:>5}{:>5}{:>4}{heads}", "times", "CoV", "n")?;
    for ratio in RATIOS {
        for own_spread in POWER_SPREADS {
            for count in COUNTS {
                let session = Session {
                    own_spread,
                    ratio,
                    ..SILENT
                };
                let row = rates(RULES.map(|(_, rule)| rule), session, count, plan, true);
                let row = columns(row.map(|rate| format!("{rate:.1}")));
                writeln!(out, "{ratio:>5}{:>5.0}{count:>4}{row}", 100.0 * own_spread)?;
            }
        }
    }
    Ok(())
}

/// No more pairs than this are looked at.
const NEEDED_MAX: usize = 120;

fn print_needed(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    // Each number is a search over many counts of pairs.
    let plan = Plan {
        repetitions: plan.repetitions.div_ceil(10),
        ..plan
    };
    writeln!(
        out,
        "\n11. pairs needed to call a true difference different in 50 and 90 % of {} sessions",
        plan.repetitions
    )?;
    let heads = ["before 50", "before 90", "now 50", "now 90"].map(str::to_owned);
    writeln!(out, "{:>5}{:>5}{}", "times", "CoV", columns(heads))?;
    for ratio in RATIOS {
        for own_spread in POWER_SPREADS {
            let session = Session {
                own_spread,
                ratio,
                ..SILENT
            };
            let needed = |rule: usize, wanted: f64| {
                let is_enough =
                    |count: usize| rates([RULES[rule].1], session, count, plan, true)[0] >= wanted;
                match fewest(is_enough) {
                    Some(count) => count.to_string(),
                    None => format!("> {NEEDED_MAX}"),
                }
            };
            let row = columns(
                [(BEFORE, 50.0), (BEFORE, 90.0), (NOW, 50.0), (NOW, 90.0)]
                    .map(|(rule, wanted)| needed(rule, wanted)),
            );
            writeln!(out, "{ratio:>5}{:>5.0}{row}", 100.0 * own_spread)?;
        }
    }
    Ok(())
}

/// Returns the fewest pairs, at least 6, from which on `is_enough` holds.
fn fewest(is_enough: impl Fn(usize) -> bool) -> Option<usize> {
    if is_enough(6) {
        return Some(6);
    }
    let (mut too_few, mut enough) = (6, NEEDED_MAX);
    if !is_enough(enough) {
        return None;
    }
    while enough - too_few > 1 {
        let middle = usize::midpoint(too_few, enough);
        if is_enough(middle) {
            enough = middle
        } else {
            too_few = middle
        }
    }
    Some(enough)
}

fn print_forecasts(out: &mut impl Write, plan: Plan) -> io::Result<()> {
    writeln!(
        out,
        "\n12. forecasts of sessions that cannot tell: a number given in %, its median, and a verdict after as many in %"
    )?;
    let heads = ["cannot tell", "number", "median", "held"].map(|head| format!("{head:>13}"));
    writeln!(
        out,
        "{:>5}{:>5}{:>4}{}",
        "times",
        "CoV",
        "n",
        heads.concat()
    )?;
    for (ratio, own_spread) in [
        (1.0, 0.02),
        (1.0, 0.05),
        (1.1, 0.05),
        (1.1, 0.1),
        (1.3, 0.2),
        (7.0, 0.3),
    ] {
        for count in [6, 12] {
            let session = Session {
                own_spread,
                ratio,
                ..SILENT
            };
            let row: String = forecasts(session, count, plan).concat();
            writeln!(out, "{ratio:>5}{:>5.0}{count:>4}{row}", 100.0 * own_spread)?;
        }
    }
    Ok(())
}

fn forecasts(session: Session, count: usize, plan: Plan) -> [String; 4] {
    let mut generator = generator(plan.seed);
    let repetitions = plan.repetitions.div_ceil(20);
    let (mut undecided, mut held, mut numbers) = (0, 0, Vec::new());
    for _ in 0..repetitions {
        let samples = draw_session(&session, 11 * count, &mut generator);
        let Verdict::CannotTell { more_samples } = verdict(&samples[..count]) else {
            continue;
        };
        undecided += 1;
        if let Forecast::About(more) = more_samples {
            let then = verdict(&samples[..count + more]);
            held += usize::from(!matches!(then, Verdict::CannotTell { .. }));
            numbers.push(real(more));
        }
    }
    let given = numbers.len();
    let middle = Series::new(numbers).map_or(f64::NAN, |numbers| median(&numbers));
    [
        percent(undecided, repetitions),
        percent(given, undecided.max(1)),
        middle,
        percent(held, given.max(1)),
    ]
    .map(|number| format!("{number:>13.1}"))
}
