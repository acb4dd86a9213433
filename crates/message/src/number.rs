//! Digits of numbers in sentences, rounded once, here, so that the terminal and the page show the
//! same.

/// Returns a value with about three significant digits and no exponent: `0.31`, `4.56`, `19.7`,
/// `823`.
pub fn three_digits(value: f64) -> String {
    let size = value.abs();
    if size >= 99.95 {
        format!("{value:.0}")
    } else if size >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// Returns a value with two significant digits and without trailing zeros after the point.
pub fn two_digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.1e}").parse().unwrap_or(value);
    format!("{rounded}")
}

/// Returns a share as digits of a percentage: `93`.
pub(crate) fn percent_digits(share: f64) -> String {
    // A share that rounds to nothing has no sign.
    format!("{:.0}", (share * 100.0).round_ties_even() + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_as_many_as_a_reader_wants() {
        assert_eq!(
            [0.314, 4.561, 19.68, 99.97, 823.4].map(three_digits),
            ["0.31", "4.56", "19.7", "100", "823"]
        );
        assert_eq!(
            [8.0, 14.49, 2.13, 0.344].map(two_digits),
            ["8", "14", "2.1", "0.34"]
        );
        assert_eq!(
            [-0.001, -0.0, -0.02, 0.932].map(percent_digits),
            ["0", "0", "-2", "93"]
        );
    }
}
