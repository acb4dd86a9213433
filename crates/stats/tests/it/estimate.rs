//! Other programs read stored results: the keys must not change.

use stripewise_stats::{Estimate, Forecast, Interval, Level, Verdict, median_interval};

use crate::series;

#[test]
fn an_estimate_is_serialized_flat() {
    let estimate = Estimate {
        value: 2.0,
        interval: Some(Interval {
            low: 1.5,
            high: 2.75,
        }),
        of_samples: None,
        level: Level::P95,
        samples: 9,
        effective_samples: 7.5,
    };
    let expected =
        r#"{"value":2.0,"low":1.5,"high":2.75,"level":0.95,"samples":9,"effective_samples":7.5}"#;
    assert_eq!(serde_json::to_string(&estimate).unwrap(), expected);
    assert_eq!(estimate.relative_half_width(), Some(0.375));
}

#[test]
fn a_missing_interval_is_null() {
    let estimate = median_interval(&series(&[2.0]), Level::P95);
    let expected =
        r#"{"value":2.0,"low":null,"high":null,"level":0.95,"samples":1,"effective_samples":1.0}"#;
    assert_eq!(serde_json::to_string(&estimate).unwrap(), expected);
    assert_eq!(estimate.relative_half_width(), None);
}

#[test]
fn an_estimate_of_zero_has_no_relative_width() {
    let estimate = median_interval(&series(&[-3.0, -2.0, 0.0, 0.0, 2.0, 3.0]), Level::P95);
    assert!(estimate.interval.is_some());
    assert_eq!(estimate.relative_half_width(), None);
}

#[test]
fn a_verdict_is_tagged() {
    let cases = [
        (
            Verdict::Different {
                low: 1.5,
                high: 2.0,
            },
            r#"{"verdict":"different","low":1.5,"high":2.0}"#,
        ),
        (
            Verdict::NoDifference { margin: 0.05 },
            r#"{"verdict":"no_difference","margin":0.05}"#,
        ),
        (
            Verdict::CannotTell {
                more_samples: Forecast::MoreThan(54),
            },
            r#"{"verdict":"cannot_tell","more_samples":{"forecast":"more_than","samples":54}}"#,
        ),
    ];
    for (verdict, expected) in cases {
        assert_eq!(serde_json::to_string(&verdict).unwrap(), expected);
    }
}

#[test]
fn a_level_is_a_fraction_between_zero_and_one() {
    for level in [0.0, 1.0, 95.0, -0.5, f64::NAN] {
        assert!(Level::new(level).is_err(), "{level}");
    }
    assert_eq!(
        Level::new(95.0).unwrap_err().to_string(),
        "confidence level `95` is not between 0 and 1"
    );
    assert_eq!(Level::new(0.95), Ok(Level::P95));
}
