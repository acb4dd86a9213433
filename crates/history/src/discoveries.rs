//! Which of many series or hosts to name, so that few of those named are innocent.

use crate::number::real;

/// How the tests of one question depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependence {
    /// Independent, or alike in one direction (Benjamini and Hochberg 1995).
    Positive,
    /// Anyhow (Benjamini and Yekutieli 2001): about ln n stricter.
    Any,
}

/// Returns for each test the lowest expected share of false discoveries at which it is named.
///
/// `p_values` are from 0 to 1. Cost: one sort.
pub fn false_shares(p_values: &[f64], dependence: Dependence) -> Vec<f64> {
    let count = p_values.len();
    let factor = match dependence {
        Dependence::Positive => 1.0,
        Dependence::Any => (1..=count).map(|rank| 1.0 / real(rank)).sum(),
    };
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut shares = vec![1.0; count];
    let mut lowest: f64 = 1.0;
    for (rank, index) in order.iter().enumerate().rev() {
        lowest = lowest.min(p_values[*index] * real(count) * factor / real(rank + 1));
        shares[*index] = lowest;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_published_example() {
        // Benjamini and Hochberg 1995, table 1: four of fifteen are rejected at 0.05.
        let p_values = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0,
        ];
        let named = |dependence| {
            let shares = false_shares(&p_values, dependence);
            shares.iter().filter(|share| **share <= 0.05).count()
        };
        assert_eq!(named(Dependence::Positive), 4);
        assert_eq!(named(Dependence::Any), 3);
        assert!(false_shares(&[], Dependence::Any).is_empty());
    }
}
