//! Charts of values in the order of time.

use serde::Serialize;
use stripewise_message::Argument;

const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Values in the order of time, at equal distances.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Chart {
    /// The values.
    pub values: Vec<f64>,
    /// The highest of them, in words.
    pub most: Argument,
    /// What happened.
    pub marks: Vec<Mark>,
}

/// What happened at some time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Mark {
    /// When, as a fraction of all time.
    pub at: f64,
    /// Its sign.
    pub sign: char,
}

impl Chart {
    /// Returns the chart as a line of at most `columns` characters, and a line of its marks.
    pub fn lines(&self, columns: usize) -> [String; 2] {
        let count = self.values.len().min(columns.max(1));
        let column = |number: usize| {
            let part = |number: usize| number * self.values.len() / count;
            let values = &self.values[part(number)..part(number + 1)];
            values.iter().sum::<f64>() / as_f64(values.len())
        };
        let heights: Vec<f64> = (0..count).map(column).collect();
        let mut marks = vec![' '; count];
        for mark in &self.marks {
            let at = |place: &usize| as_f64(place + 1) > mark.at * as_f64(count);
            if let Some(place) = (0..count).find(at) {
                marks[place] = mark.sign;
            }
        }
        let marks: String = marks.into_iter().collect();
        let most = heights.iter().copied().fold(0.0, f64::max);
        [sparkline(&heights, most), marks.trim_end().to_owned()]
    }
}

/// Returns values as a chart of one line, `▁▃█`; `most` is the highest.
pub fn sparkline(values: &[f64], most: f64) -> String {
    let share = |value: f64| if most > 0.0 { value / most } else { 0.0 };
    let height = |value: &f64| {
        let full = (1..8).take_while(|count| share(*value) * 8.0 >= as_f64(count + 1));
        HEIGHTS[full.count()]
    };
    values.iter().map(height).collect()
}

fn as_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_heights_is_in_proportion() {
        assert_eq!(sparkline(&[1.0, 4.0, 8.0, 0.0], 8.0), "▁▄█▁");
        assert_eq!(sparkline(&[5.0, 5.0], 10.0), "▄▄");
        assert_eq!(sparkline(&[], 0.0), "");
        assert_eq!(sparkline(&[0.0], 0.0), "▁");
    }

    #[test]
    fn a_narrow_chart_has_means_and_its_marks_at_their_times() {
        let mark = |at, sign| Mark { at, sign };
        let chart = Chart {
            values: vec![8.0, 8.0, 4.0, 0.0],
            most: Argument::Digits("8".to_owned()),
            marks: vec![mark(0.5, '✗'), mark(1.0, '✓')],
        };
        assert_eq!(chart.lines(50), ["██▄▁", "  ✗"]);
        assert_eq!(chart.lines(2), ["█▂", " ✗"]);
        assert_eq!(
            Chart {
                values: Vec::new(),
                ..chart
            }
            .lines(9),
            ["", ""]
        );
    }
}
