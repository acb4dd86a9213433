//! Statistics that a few extreme values do not move.

use crate::number::real;

/// What the median absolute deviation of normal values is multiplied by to be their standard deviation.
pub(crate) const MAD_TO_SD: f64 = 1.4826;

/// Returns the median, and reorders `values`; 0 without values.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    let count = values.len();
    if count == 0 {
        return 0.0;
    }
    let (below, middle, _) = values.select_nth_unstable_by(count / 2, f64::total_cmp);
    let middle = *middle;
    if count % 2 == 1 {
        return middle;
    }
    let below = below.iter().copied().fold(f64::MIN, f64::max);
    0.5 * (below + middle)
}

/// Returns the lower of the two middle values, and reorders `values`; 0 without values.
pub(crate) fn lower_median(values: &mut [f64]) -> f64 {
    let Some(last) = values.len().checked_sub(1) else {
        return 0.0;
    };
    *values.select_nth_unstable_by(last / 2, f64::total_cmp).1
}

/// Returns the mean of the middle half, and sorts `values`; 0 without values.
pub(crate) fn middle_mean(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let cut = values.len() / 4;
    let middle = &values[cut..values.len() - cut];
    middle.iter().sum::<f64>() / real(middle.len().max(1))
}

/// Copies `values` and moves single spikes towards their neighbours.
///
/// A value may lie outside the range of its two neighbours by at most `limit` times the typical
/// difference of neighbours. A step stays as it is: one neighbour is on its side.
pub(crate) fn without_spikes(
    values: &[f64],
    limit: f64,
    clipped: &mut Vec<f64>,
    scratch: &mut Vec<f64>,
) {
    scratch.clear();
    scratch.extend(values.windows(2).map(|pair| (pair[1] - pair[0]).abs()));
    let room = limit * MAD_TO_SD * median(scratch);
    clipped.clear();
    clipped.extend_from_slice(values);
    if room <= 0.0 {
        return;
    }
    for (value, around) in clipped.iter_mut().skip(1).zip(values.windows(3)) {
        let (low, high) = (around[0].min(around[2]), around[0].max(around[2]));
        *value = around[1].clamp(low - room, high + room);
    }
}

/// How many neighbours on each side a value is compared with.
const NEIGHBOURS: usize = 4;
const WIDTH: usize = 2 * NEIGHBOURS + 1;

/// Copies `values` and limits their distance from the median of their neighbours (Hampel's filter).
///
/// The limit is `limit` robust standard deviations of these distances. The median follows a step, so a
/// step of any height keeps its height. With fewer than 9 values nothing is limited.
pub(crate) fn limited(values: &[f64], limit: f64, clipped: &mut Vec<f64>, scratch: &mut Vec<f64>) {
    clipped.clear();
    if values.len() < WIDTH {
        clipped.extend_from_slice(values);
        return;
    }
    // At both ends the window stays inside the series.
    clipped.resize(NEIGHBOURS, 0.0);
    let mut rest = values;
    while let Some(window) = rest.first_chunk::<WIDTH>() {
        clipped.push(median_of_nine(*window));
        rest = &rest[1..];
    }
    let (first, last) = (clipped[NEIGHBOURS], clipped[clipped.len() - 1]);
    clipped[..NEIGHBOURS].fill(first);
    clipped.resize(values.len(), last);
    scratch.clear();
    let pairs = values.iter().zip(clipped.iter());
    scratch.extend(pairs.map(|(value, middle)| (value - middle).abs()));
    let room = limit * MAD_TO_SD * median(scratch);
    for (middle, value) in clipped.iter_mut().zip(values) {
        *middle = match room > 0.0 {
            true => value.clamp(*middle - room, *middle + room),
            false => *value,
        };
    }
}

/// Returns the median of nine values, with the fewest comparisons and no branch (Paeth, Graphics Gems 1990).
fn median_of_nine(mut of: [f64; WIDTH]) -> f64 {
    let mut order = |a: usize, b: usize| {
        let (x, y) = (of[a], of[b]);
        of[a] = if x < y { x } else { y };
        of[b] = if x < y { y } else { x };
    };
    order(1, 2);
    order(4, 5);
    order(7, 8);
    order(0, 1);
    order(3, 4);
    order(6, 7);
    order(1, 2);
    order(4, 5);
    order(7, 8);
    order(0, 3);
    order(5, 8);
    order(4, 7);
    order(3, 6);
    order(1, 4);
    order(2, 5);
    order(4, 7);
    order(4, 2);
    order(6, 4);
    order(4, 2);
    of[NEIGHBOURS]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_stays_and_a_spike_is_limited() {
        let mut values: Vec<f64> = (0..40).map(|i| f64::from(i % 3)).collect();
        for value in &mut values[20..] {
            *value += 100.0;
        }
        values[7] = 1000.0;
        let (mut clipped, mut scratch) = (Vec::new(), Vec::new());
        limited(&values, 3.0, &mut clipped, &mut scratch);
        assert!(clipped[7] < 10.0, "{}", clipped[7]);
        assert_eq!(clipped[19..22], values[19..22]);
        without_spikes(&values, 2.5, &mut clipped, &mut scratch);
        assert!(clipped[7] < 10.0, "{}", clipped[7]);
        assert_eq!(clipped[19..22], values[19..22]);
    }

    #[test]
    fn the_running_median_is_that_of_each_window() {
        let values: Vec<f64> = (0..50).map(|i| f64::from(i * i % 17)).collect();
        let (mut clipped, mut scratch) = (Vec::new(), Vec::new());
        // Nothing may differ from the median: what is left are the medians.
        limited(&values, 1e-12, &mut clipped, &mut scratch);
        for index in NEIGHBOURS..values.len() - NEIGHBOURS {
            let mut window = values[index - NEIGHBOURS..=index + NEIGHBOURS].to_vec();
            assert!(
                (clipped[index] - median(&mut window)).abs() < 1e-6,
                "{index}"
            );
        }
    }
}
