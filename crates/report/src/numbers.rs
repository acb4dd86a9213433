//! Numbers as people read them: three significant digits, with their unit.

use std::time::Duration;

use stripewise_stats::Estimate;
use stripewise_study::metric::three_digits;

/// Returns bytes per second in MiB/s.
pub(crate) fn mib_per_s(bytes_per_s: f64) -> String {
    three_digits(bytes_per_s / f64::from(1 << 20))
}

/// Returns a rate with its power of 1000: `987`, `19.7k`, `1.20M`.
pub(crate) fn rate(value: f64) -> String {
    if value >= 999_500.0 {
        format!("{}M", three_digits(value / 1e6))
    } else if value >= 9_995.0 {
        format!("{}k", three_digits(value / 1e3))
    } else {
        format!("{value:.0}")
    }
}

/// Returns how far the interval reaches on its wider side: `±1.3 %`, or `-` without one.
pub(crate) fn plus_minus(estimate: &Estimate) -> String {
    match estimate.relative_half_width() {
        Some(half) if half < 0.0995 => format!("±{:.1} %", half * 100.0),
        Some(half) => format!("±{:.0} %", half * 100.0),
        None => "-".to_owned(),
    }
}

/// Returns a span for people: `4 s`, `2 min 3 s`, `1 h 5 min`.
pub fn span(duration: Duration) -> String {
    let seconds = duration.as_secs() + u64::from(duration.subsec_millis() >= 500);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Returns bytes for people: `256 MiB`, `1.50 GiB`.
pub fn size(bytes: u64) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    for (shift, unit) in units {
        if bytes >= 1 << shift {
            let hundredths = (u128::from(bytes) * 100) >> shift;
            return if hundredths.is_multiple_of(100) {
                format!("{} {unit}", hundredths / 100)
            } else {
                format!("{}.{:02} {unit}", hundredths / 100, hundredths % 100)
            };
        }
    }
    format!("{bytes} B")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_unit() {
        assert_eq!(
            [0.314, 4.561, 19.68, 99.97, 823.4].map(three_digits),
            ["0.31", "4.56", "19.7", "100", "823"]
        );
        assert_eq!(
            [987.0, 19_700.0, 1_204_000.0].map(rate),
            ["987", "19.7k", "1.20M"]
        );
        assert_eq!(
            [4, 123, 3900, 120].map(|s| span(Duration::from_secs(s))),
            ["4 s", "2 min 3 s", "1 h 5 min", "2 min"]
        );
        assert_eq!(
            [512, 256 << 20, 3 << 29].map(size),
            ["512 B", "256 MiB", "1.50 GiB"]
        );
    }
}
