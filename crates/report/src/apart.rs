//! How two estimates stand to each other: the same, apart for certain, or neither.

use stripewise_stats::{Estimate, Interval};
use stripewise_study::sample::as_f64;

/// Returns the ratio of two estimates that are not paired, with the interval that follows from
/// theirs: the logarithms of the distances to the bounds add like the legs of a right triangle (Zou
/// and Donner 2008, as in `stripewise_stats::compare_unpaired`).
pub(crate) fn ratio_of(more: &Estimate, less: &Estimate) -> Estimate {
    let value = more.value / less.value;
    let interval = of_samples(more, less).map(|(above, below)| {
        let reach = |one: f64, other: f64| libm::exp(libm::hypot(libm::log(one), libm::log(other)));
        Interval {
            low: value / reach(more.value / above.low, below.high / less.value),
            high: value * reach(above.high / more.value, less.value / below.low),
        }
    });
    let is_real = |interval: &Interval| interval.low.is_finite() && interval.high.is_finite();
    Estimate {
        value,
        interval: interval.filter(is_real),
        of_samples: None,
        level: more.level,
        samples: more.samples.min(less.samples),
        effective_samples: more.effective_samples.min(less.effective_samples),
    }
}

/// Returns the intervals of the samples of both: what is uncertain about the profiles of two
/// simulations moves both.
fn of_samples(one: &Estimate, other: &Estimate) -> Option<(Interval, Interval)> {
    let own = one.of_samples.zip(other.of_samples);
    own.or_else(|| one.interval.zip(other.interval))
}

fn do_not_touch((one, other): (Interval, Interval)) -> bool {
    one.low > other.high || other.low > one.high
}

/// Returns whether the samples of both differ, whatever else is uncertain.
pub(crate) fn differ(one: &Estimate, other: &Estimate) -> bool {
    of_samples(one, other).is_some_and(do_not_touch)
}

/// Returns whether both differ for certain: the intervals that are shown do not touch. A profile's
/// error moves two stacks alike, but not by the same factor, so it counts.
pub(crate) fn is_certain(one: &Estimate, other: &Estimate) -> bool {
    one.interval.zip(other.interval).is_some_and(do_not_touch)
}

/// Returns whether two estimates are the same for certain: within a margin, a fraction.
pub(crate) fn is_same(one: &Estimate, other: &Estimate, margin: f64) -> bool {
    let (more, less) = match one.value >= other.value {
        true => (one, other),
        false => (other, one),
    };
    let ratio = ratio_of(more, less);
    let highest = ratio.interval.map(|interval| interval.high);
    highest.is_some_and(|highest| highest <= 1.0 + margin)
}

/// Returns whether two estimates differ by no more than a margin, as far as is known.
pub(crate) fn is_within(one: &Estimate, other: &Estimate, margin: f64) -> bool {
    let ratio = one.value / other.value;
    is_same(one, other, margin) || ratio.max(1.0 / ratio) <= 1.0 + margin
}

/// Returns the geometric mean of values, which are positive.
pub(crate) fn geometric_mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = as_f64(values.len() as u64);
    libm::exp(values.map(libm::log).sum::<f64>() / count)
}
