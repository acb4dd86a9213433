//! Bars of a chart in a terminal, an eighth of a character fine, with the interval drawn in.

use stripewise_stats::Estimate;

const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// Draws an estimate as a bar of at most `width` characters, of which `most` is the full length.
///
/// Full to the low end of the interval, shaded to its high end; plain to the value without one.
pub(crate) fn bar(estimate: &Estimate, most: f64, width: u16) -> String {
    let (low, high) = estimate
        .interval
        .map_or((estimate.value, estimate.value), |interval| {
            (interval.low, interval.high)
        });
    let solid = eighths(low, most, width);
    let shaded = (eighths(high, most, width) / 8).saturating_sub(solid.div_ceil(8));
    let mut text: String = std::iter::repeat_n('█', solid / 8).collect();
    if !solid.is_multiple_of(8) {
        text.push(EIGHTHS[solid % 8]);
    }
    text.extend(std::iter::repeat_n('░', shaded));
    text
}

/// Draws a value as a bar of at most `width` characters, of which `most` is the full length.
pub(crate) fn plain_bar(value: f64, most: f64, width: u16) -> String {
    let solid = eighths(value, most, width);
    let mut text: String = std::iter::repeat_n('█', solid / 8).collect();
    if !solid.is_multiple_of(8) {
        text.push(EIGHTHS[solid % 8]);
    }
    text
}

/// Returns how many eighths of a character stand for `value`; at least one if it is positive.
fn eighths(value: f64, most: f64, width: u16) -> usize {
    let share = if most > 0.0 {
        (value / most).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let wanted = share * f64::from(width) * 8.0;
    let whole = (0..=usize::from(width) * 8)
        .rev()
        .find(|&count| u32::try_from(count).is_ok_and(|count| f64::from(count) <= wanted))
        .unwrap_or(0);
    whole.max(usize::from(value > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_stats::{Interval, Level};

    fn drawn(value: f64, interval: Option<(f64, f64)>) -> String {
        let estimate = Estimate {
            value,
            interval: interval.map(|(low, high)| Interval { low, high }),
            level: Level::P95,
            samples: 6,
            effective_samples: 6.0,
        };
        bar(&estimate, 100.0, 10)
    }

    #[test]
    fn bars_show_value_and_interval() {
        assert_eq!(drawn(100.0, None), "██████████");
        assert_eq!(drawn(55.0, None), "█████▌");
        assert_eq!(
            drawn(0.01, None),
            "▏",
            "something is never drawn as nothing"
        );
        assert_eq!(drawn(0.0, None), "");
        assert_eq!(drawn(60.0, Some((50.0, 80.0))), "█████░░░");
        assert_eq!(
            drawn(120.0, Some((110.0, 130.0))),
            "██████████",
            "never longer than the chart"
        );
    }
}
