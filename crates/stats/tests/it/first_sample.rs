//! The first sample found an empty cache; the median hides it, and the reader should know.

use stripewise_stats::first_unlike_rest;

use crate::{agree, series};

#[test]
fn a_first_sample_far_off_is_reported_with_its_distance() {
    let found = first_unlike_rest(&series(&[900.0, 500.0, 510.0, 495.0, 505.0, 500.0])).unwrap();
    assert_eq!((found.value, found.rest_median), (900.0, 500.0));
    assert!(agree(found.relative_difference, 0.8, 12));
    let low = first_unlike_rest(&series(&[100.0, 500.0, 510.0, 495.0, 505.0, 500.0])).unwrap();
    assert!(agree(low.relative_difference, -0.8, 12));
}

#[test]
fn ordinary_series_raise_no_alarm() {
    let cases: [(&str, &[f64]); 6] = [
        ("ordinary", &[503.0, 500.0, 510.0, 495.0, 505.0, 500.0]),
        (
            "0.1 % off in a very quiet series",
            &[500.5, 500.0, 500.01, 500.0, 499.99, 500.0],
        ),
        (
            "one of two modes",
            &[400.0, 500.0, 501.0, 402.0, 500.0, 499.0, 401.0, 500.0],
        ),
        ("too few to judge", &[900.0, 500.0, 510.0, 495.0, 505.0]),
        ("nothing but zeros", &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("alone", &[1.0]),
    ];
    for (name, values) in cases {
        assert_eq!(first_unlike_rest(&series(values)), None, "{name}");
    }
}

#[test]
fn equal_other_samples_do_not_hide_it() {
    assert!(first_unlike_rest(&series(&[450.0, 500.0, 500.0, 500.0, 500.0, 500.0])).is_some());
}
