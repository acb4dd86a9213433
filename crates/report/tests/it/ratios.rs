//! Ratios with their words, for the front end, which forms them itself.

use serde_json::{Value, json};
use stripewise_catalogue::{Language, Words};
use stripewise_report::change::difference;
use stripewise_stats::{Estimate, Interval};

/// Ratios of every size, with and without an interval.
pub(crate) fn differences() -> Vec<Value> {
    let ratios = [
        (1.0, Some((1.0, 1.0))),
        (1.004, Some((0.998, 1.009))),
        (1.34, Some((1.30, 1.38))),
        (1.342, Some((1.340, 1.345))),
        (0.75, Some((0.71, 0.79))),
        (1.99, Some((1.9, 2.1))),
        (7.4, Some((6.9, 7.9))),
        (0.136, Some((0.128, 0.144))),
        (31.0, Some((30.0, 32.0))),
        (1.34, None),
        (0.4, None),
    ];
    let both = |(value, bounds): (f64, Option<(f64, f64)>)| {
        let estimate = Estimate {
            value,
            interval: bounds.map(|(low, high)| Interval { low, high }),
            of_samples: None,
            level: stripewise_stats::Level::P95,
            samples: 6,
            effective_samples: 6.0,
        };
        let [english, german] =
            Language::ALL.map(|language| difference(&estimate).in_language(language));
        json!({ "ratio": estimate, "english": english, "german": german })
    };
    ratios.into_iter().map(both).collect()
}
