//! How much bandwidth varied within a single imported measurement.
//!
//! fio reports the spread of its bandwidth over steps of half a second, and its logs hold every
//! step. Both describe *one* run. Neither shows how far a second run would differ, so they give no
//! interval of a difference.

use stripewise_catalogue::number::three_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_results::Run;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Sample, SampleRecord, VerbatimJob, as_f64};

/// How many cells are listed.
const CELLS_LISTED: usize = 8;

/// The spread of bandwidth within one measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    /// The standard deviation over the mean, in percent.
    percent: f64,
    /// The number of means.
    means: u64,
}

/// Describes the spread within each compared cell that is a single imported measurement and reports
/// one.
pub(super) fn known(
    metric: Metric,
    runs: [&Run; 2],
    matches: &[(usize, usize)],
    name: impl Fn(usize) -> Argument,
) -> Vec<Message> {
    if !matches!(metric, Metric::Bandwidth | Metric::Iops) {
        return Vec::new();
    }
    let [baseline, other] = runs;
    let mut known = Vec::new();
    for &(first, second) in matches {
        let spreads = [(baseline, first), (other, second)].map(|(run, cell)| {
            let spread = spread(&single(run, cell)?.sample)?;
            let Spread { percent, means } = spread;
            let percent = Argument::quantity(three_digits(percent), "%");
            Some(
                Message::new("compare-spread")
                    .with("percent", percent)
                    .count("means", means)
                    .name("run", run.summary.id),
            )
        });
        let spreads: Vec<Message> = spreads.into_iter().flatten().collect();
        if !spreads.is_empty() {
            known.push(
                Message::new("compare-spreads")
                    .with("cell", name(second))
                    .with("spreads", Argument::list(spreads)),
            );
        }
    }
    let more = known.len().saturating_sub(CELLS_LISTED);
    known.truncate(CELLS_LISTED);
    if more > 0 {
        known.push(Message::new("compare-more-cells").count("count", more));
    }
    known
}

/// Returns the only imported measurement of a cell.
fn single(run: &Run, cell: usize) -> Option<&SampleRecord> {
    let mut records = run.samples.iter().filter(|record| record.cell == cell);
    let only = records.next().filter(|_| records.next().is_none())?;
    only.seed.is_none().then_some(only)
}

/// Returns how bandwidth varied: from the steps of a log, else from fio's numbers for a single job
/// with one direction.
fn spread(sample: &Sample) -> Option<Spread> {
    if let Some(series) = &sample.series {
        let bytes = series.bytes();
        // The last step may be incomplete.
        return of_steps(bytes.get(..bytes.len().saturating_sub(1))?);
    }
    let [job] = sample.stated.as_ref()?.jobs.as_slice() else {
        return None;
    };
    let direction = match (sample.read.ios > 0, sample.write.ios > 0) {
        (true, false) => "read",
        (false, true) => "write",
        _ => return None,
    };
    let number = |name: &str| number(job, &format!("{direction}.{name}"));
    let (mean, deviation) = (number("bw_mean")?, number("bw_dev")?);
    let count = number("bw_samples").filter(|count| *count >= 2.0)?;
    let means = sane_count(count)?;
    let percent = 100.0 * deviation / mean;
    percent.is_finite().then_some(Spread { percent, means })
}

fn of_steps(steps: &[u64]) -> Option<Spread> {
    let means = u64::try_from(steps.len())
        .ok()
        .filter(|count| *count >= 2)?;
    let count = as_f64(means);
    let mean = steps.iter().map(|step| as_f64(*step)).sum::<f64>() / count;
    let squares = steps.iter().map(|step| (as_f64(*step) - mean).powi(2));
    let deviation = (squares.sum::<f64>() / (count - 1.0)).sqrt();
    let percent = 100.0 * deviation / mean;
    percent.is_finite().then_some(Spread { percent, means })
}

fn number(job: &VerbatimJob, path: &str) -> Option<f64> {
    let found = job.numbers.iter().find(|(name, _)| name == path)?;
    Some(found.1)
}

/// Returns a count that fio wrote as a float.
fn sane_count(count: f64) -> Option<u64> {
    let text = format!("{count:.0}");
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_the_standard_deviation_over_the_mean() {
        // Mean 5, squares 4 * 1 / 3.
        let spread = of_steps(&[4, 6, 4, 6]).unwrap();
        assert!((spread.percent - 100.0 * (4.0_f64 / 3.0).sqrt() / 5.0).abs() < 1e-9);
        assert_eq!(spread.means, 4);
        assert_eq!(of_steps(&[4]), None);
        assert_eq!(of_steps(&[0, 0]), None);
    }
}
