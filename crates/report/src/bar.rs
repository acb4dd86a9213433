//! Bars for a chart in a terminal, in eighths of a character.

pub(crate) use stripewise_answer::{Bar, sparkline};
use stripewise_stats::Estimate;

const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// Returns the bar of an estimate; `most` is the value of the longest bar.
///
/// Solid to the low end of the interval, shaded to its high end; without an interval, solid to
/// the value.
pub(crate) fn of_estimate(estimate: &Estimate, most: f64) -> Bar {
    let (low, high) = estimate
        .interval
        .map_or((estimate.value, estimate.value), |interval| {
            (interval.low, interval.high)
        });
    Bar::of_range(low, high, most)
}

/// Draws a bar; the longest one is `width` characters long. A value above zero is always visible.
pub(crate) fn draw(bar: &Bar, width: usize) -> String {
    let start = eighths(bar.start, width).min((width * 8).saturating_sub(1));
    let solid = eighths(bar.solid_end, width);
    let solid = solid.max((start + 1) * usize::from(bar.solid_end > bar.start));
    if bar.shaded_end <= bar.start {
        return String::new();
    }
    let first = start / 8;
    let mut text = " ".repeat(first);
    let is_late = start % 8 >= 4;
    match (is_late, solid / 8 > first) {
        // The right half of the first character, or its right edge.
        (true, true) => text.push('▐'),
        (true, false) => text.push('▕'),
        (false, true) => text.push('█'),
        (false, false) => text.extend((solid > start).then(|| EIGHTHS[(solid - first * 8) % 8])),
    }
    if solid / 8 > first {
        text.push_str(&"█".repeat(solid / 8 - first - 1));
        text.extend((!solid.is_multiple_of(8)).then(|| EIGHTHS[solid % 8]));
    }
    let shaded = eighths(bar.shaded_end, width) / 8;
    text.push_str(&"░".repeat(shaded.saturating_sub(solid.div_ceil(8))));
    text
}

/// Returns the eighths of a character that a share of `width` characters fills.
fn eighths(share: f64, width: usize) -> usize {
    let all = width * 8;
    let wanted = share * u32::try_from(all).map_or(0.0, f64::from);
    (1..=all)
        .take_while(|&count| u32::try_from(count).is_ok_and(|count| f64::from(count) <= wanted))
        .last()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_stats::{Interval, Level};

    fn drawn(value: f64, interval: Option<(f64, f64)>) -> String {
        let estimate = Estimate {
            value,
            interval: interval.map(|(low, high)| Interval { low, high }),
            of_samples: None,
            level: Level::P95,
            samples: 6,
            effective_samples: 6.0,
        };
        draw(&of_estimate(&estimate, 100.0), 10)
    }

    #[test]
    fn bars_show_value_and_interval() {
        assert_eq!(drawn(100.0, None), "██████████");
        assert_eq!(drawn(55.0, None), "█████▌");
        assert_eq!(drawn(0.01, None), "▏", "a value above zero is visible");
        assert_eq!(drawn(0.0, None), "");
        assert_eq!(drawn(60.0, Some((50.0, 80.0))), "█████░░░");
        assert_eq!(
            drawn(120.0, Some((110.0, 130.0))),
            "██████████",
            "never longer than the chart"
        );
    }

    #[test]
    fn a_part_begins_where_the_one_before_ended() {
        let part = |start, end| draw(&Bar::of_part(start, end, 100.0), 10);
        assert_eq!(part(0.0, 20.0), "██");
        assert_eq!(part(20.0, 55.0), "  ███▌");
        assert_eq!(part(55.0, 100.0), "     ▐████");
        assert_eq!(part(55.0, 55.1), "     ▕");
        assert_eq!(part(50.0, 50.1), "     ▏");
        assert_eq!(part(100.0, 100.0), "");
        assert_eq!(part(99.9, 100.0), "         ▐");
    }

    #[test]
    fn every_bar_is_at_most_as_long_as_the_chart() {
        for width in [1, 2, 9] {
            for start in 0..=40 {
                for end in start..=40 {
                    let bar = Bar::of_part(f64::from(start), f64::from(end), 40.0);
                    let bar = draw(&bar, width);
                    assert!(
                        bar.chars().count() <= width,
                        "{start} to {end} of {width}: {bar}"
                    );
                    assert_eq!(bar.is_empty(), start == end, "{start} to {end} of {width}");
                }
            }
        }
    }
}
