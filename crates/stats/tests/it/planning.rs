//! A plan that promises to end and does not costs a night of machine time.

use stripewise_stats::{Estimate, Forecast, Interval, Level, is_settled, samples_needed};

/// Returns an estimate of 100 with the given half width.
fn estimate(half_width: Option<f64>, samples: usize, effective_samples: f64) -> Estimate {
    let interval = half_width.map(|width| Interval {
        low: 100.0 - width,
        high: 100.0 + width,
    });
    Estimate {
        value: 100.0,
        interval,
        of_samples: None,
        level: Level::P95,
        samples,
        effective_samples,
    }
}

#[test]
fn the_width_falls_with_the_square_root_of_the_count() {
    assert_eq!(
        samples_needed(&estimate(Some(10.0), 12, 12.0), 0.05),
        Forecast::About(48)
    );
    assert_eq!(
        samples_needed(&estimate(Some(6.0), 10, 10.0), 0.05),
        Forecast::About(15)
    ); // 14.4, rounded up.
}

#[test]
fn a_settled_estimate_needs_no_more_samples() {
    let settled = estimate(Some(4.0), 10, 8.0);
    assert!(is_settled(&settled, 0.05));
    assert_eq!(samples_needed(&settled, 0.05), Forecast::About(10));
}

#[test]
fn a_narrow_estimate_worth_too_little_is_not_settled() {
    let narrow = estimate(Some(1.0), 10, 3.0);
    assert!(!is_settled(&narrow, 0.05));
    assert_eq!(samples_needed(&narrow, 0.05), Forecast::About(20));
}

#[test]
fn without_an_interval_the_minimum_count_is_forecast() {
    assert!(!is_settled(&estimate(None, 3, 3.0), 0.05));
    assert_eq!(
        samples_needed(&estimate(None, 3, 3.0), 0.05),
        Forecast::About(6)
    );
    assert_eq!(
        samples_needed(&estimate(None, 1, 1.0), 0.05),
        Forecast::About(6)
    );
}

#[test]
fn no_forecast_goes_beyond_ten_times_the_samples() {
    assert_eq!(
        samples_needed(&estimate(Some(50.0), 6, 6.0), 0.05),
        Forecast::MoreThan(60)
    );
    assert_eq!(
        samples_needed(&estimate(Some(50.0), 6, 6.0), 0.0),
        Forecast::MoreThan(60)
    );
    assert_eq!(
        samples_needed(&estimate(Some(50.0), 6, 6.0), -1.0),
        Forecast::MoreThan(60)
    );
    let of_zero = Estimate {
        value: 0.0,
        ..estimate(Some(1.0), 6, 6.0)
    };
    assert_eq!(samples_needed(&of_zero, 0.05), Forecast::MoreThan(60));
}
