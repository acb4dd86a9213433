//! What each of several changes contributes to one difference: values of all subsets of changes.
//!
//! The Shapley share of a change is the mean of what it adds, over all orders in which the changes can
//! be made (Shapley, "A value for n-person games", 1953). Shares add up to the whole difference.

use stripewise_study::sample::as_f64;

/// The natural logarithm of a metric for each subset of changes. Bit `i` of an index says whether change
/// `i` is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Subsets {
    logs: Vec<f64>,
    changes: usize,
}

impl Subsets {
    /// Returns the subsets of `changes` changes; `None` unless there is one finite value for each.
    pub fn new(changes: usize, logs: Vec<f64>) -> Option<Self> {
        let expected = 1_usize.checked_shl(u32::try_from(changes).ok()?)?;
        let is_whole = logs.len() == expected && logs.iter().all(|log| log.is_finite());
        is_whole.then_some(Self { logs, changes })
    }

    fn full(&self) -> usize {
        self.logs.len() - 1
    }

    /// Returns the logarithm of the ratio with all changes over that without any.
    pub fn total(&self) -> f64 {
        self.logs[self.full()] - self.logs[0]
    }

    /// Returns what a change does alone, from before.
    pub fn alone(&self, change: usize) -> f64 {
        self.logs[1 << change] - self.logs[0]
    }

    /// Returns what is lost of the whole if only this change is undone.
    pub fn undone(&self, change: usize) -> f64 {
        self.logs[self.full()] - self.logs[self.full() & !(1 << change)]
    }

    /// Returns the Shapley share of each change; they add up to [`Subsets::total`].
    pub fn shares(&self) -> Vec<f64> {
        let weights = weights(self.changes);
        let share = |change: usize| {
            let bit = 1 << change;
            let without = (0..self.logs.len()).filter(|subset| subset & bit == 0);
            let adds = without.map(|subset| {
                let weight = weights[subset.count_ones() as usize];
                weight * (self.logs[subset | bit] - self.logs[subset])
            });
            adds.sum()
        };
        (0..self.changes).map(share).collect()
    }

    /// Returns the smallest set of changes that makes the whole difference to within `tolerance`; of
    /// equally small ones the one that is nearest to it.
    pub fn smallest(&self, tolerance: f64) -> Vec<usize> {
        let off = |subset: usize| (self.logs[subset] - self.logs[self.full()]).abs();
        let within = (0..self.logs.len()).filter(|subset| off(*subset) <= tolerance);
        let smallest = within.min_by(|one, other| {
            let size = one.count_ones().cmp(&other.count_ones());
            size.then(off(*one).total_cmp(&off(*other)))
        });
        let smallest = smallest.unwrap_or(self.full());
        (0..self.changes)
            .filter(|change| smallest & (1 << change) != 0)
            .collect()
    }

    /// Returns whether a change does something else alone than on top of all others, by more than
    /// `tolerance`: then no share is the effect of that change by itself.
    pub fn interact(&self, tolerance: f64) -> bool {
        (0..self.changes).any(|change| (self.alone(change) - self.undone(change)).abs() > tolerance)
    }
}

/// Returns the share of all orders in which a change comes after a given set, by the size of that set:
/// `s! (n - s - 1)! / n!`.
fn weights(changes: usize) -> Vec<f64> {
    let mut weights = Vec::with_capacity(changes);
    let mut weight = 1.0 / as_f64(changes.max(1) as u64);
    for size in 0..changes {
        weights.push(weight);
        let next = as_f64(size as u64 + 1) / as_f64((changes - size - 1).max(1) as u64);
        weight *= next;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    fn of(changes: usize, log: impl Fn(usize) -> f64) -> Subsets {
        Subsets::new(changes, (0..1 << changes).map(log).collect()).unwrap()
    }

    #[test]
    fn effects_that_do_not_interact_are_their_own_shares() {
        let effects = [-0.2, 0.0, 0.05, -0.01];
        let subsets = of(4, |subset| {
            let made = (0..4).filter(|change| subset & (1 << change) != 0);
            made.map(|change| effects[change]).sum()
        });
        let shares = subsets.shares();
        for (share, effect) in shares.iter().zip(effects) {
            assert!(close(*share, effect), "{shares:?}");
        }
        assert!(!subsets.interact(1e-9));
        assert_eq!(subsets.smallest(0.03), [0, 2]);
        assert_eq!(subsets.smallest(0.06), [0]);
    }

    /// Shares of a small game, computed by hand: all orders of three.
    #[test]
    fn shares_are_means_over_all_orders() {
        // Change 0 alone gives 1, with 1 it gives 4, with 2 it gives 3; all give 6; the others alone nothing.
        let values = [0.0, 1.0, 0.0, 4.0, 0.0, 3.0, 0.0, 6.0];
        let subsets = of(3, |subset| values[subset]);
        let shares = subsets.shares();
        // Over the six orders, change 0 adds 1, 1, 4, 6, 3 and 6.
        for (share, expected) in shares.iter().zip([21.0 / 6.0, 9.0 / 6.0, 1.0]) {
            assert!(close(*share, expected), "{shares:?}");
        }
        assert!(subsets.interact(1.0));
    }

    #[test]
    fn either_of_two_causes_shares_what_both_do() {
        let subsets = of(2, |subset| if subset == 0 { 0.0 } else { -0.3 });
        let shares = subsets.shares();
        assert!(close(shares[0], -0.15) && close(shares[1], -0.15));
        assert!(subsets.interact(0.1));
        assert_eq!(subsets.smallest(0.01).len(), 1);
    }

    #[test]
    fn values_that_are_missing_or_not_finite_are_refused() {
        assert_eq!(Subsets::new(2, vec![0.0; 3]), None);
        assert_eq!(Subsets::new(1, vec![0.0, f64::NAN]), None);
        let nothing = Subsets::new(0, vec![1.0]).unwrap();
        assert!(nothing.shares().is_empty() && close(nothing.total(), 0.0));
    }
}
