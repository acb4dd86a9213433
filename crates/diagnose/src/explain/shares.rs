//! What each of several changes contributes to one difference: values of all subsets of changes, or of those
//! in some orders of them.
//!
//! The Shapley share of a change is the mean of what it adds, over all orders in which the changes can
//! be made (Shapley, "A value for n-person games", 1953). Shares add up to the whole difference. Of many
//! changes, drawn orders stand for all (Castro, Gómez and Tejada, "Polynomial calculation of the Shapley value
//! based on sampling", 2009); each comes with its reverse, so that what two changes do together is met from
//! both sides.

use std::collections::{BTreeMap, BTreeSet};

use stripewise_study::sample::as_f64;
use stripewise_units::splitmix::SplitMix64;

/// The quantile of a normal distribution for 95 %.
const NORMAL_95: f64 = 1.96;

/// The natural logarithm of a metric for subsets of changes. Bit `i` of a subset says whether change `i` is
/// made.
#[derive(Debug, Clone, PartialEq)]
pub struct Subsets {
    logs: BTreeMap<usize, f64>,
    changes: usize,
    orders: Orders,
}

/// The orders in which changes are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Orders {
    /// All of them.
    All,
    /// Some.
    Drawn(Vec<Vec<usize>>),
}

impl Orders {
    /// Returns all orders of up to `most` changes, else `pairs` drawn ones and their reverses.
    pub fn of(changes: usize, most: usize, pairs: usize, seed: u64) -> Self {
        if changes <= most {
            return Self::All;
        }
        let stream = SplitMix64(seed);
        let mut orders = Vec::new();
        for pair in 0..pairs {
            let mut order: Vec<usize> = (0..changes).collect();
            let key = |change: &usize| stream.at((pair * changes + change) as u64);
            order.sort_by_key(key);
            let reverse = order.iter().rev().copied().collect();
            orders.extend([order, reverse]);
        }
        Self::Drawn(orders)
    }

    /// Returns the subsets that they need, each once.
    pub fn subsets(&self, changes: usize) -> BTreeSet<usize> {
        let full = (1_usize << changes) - 1;
        let Self::Drawn(orders) = self else {
            return (0..=full).collect();
        };
        // What each does alone, and what is lost without it, is shown of each.
        let alone = (0..changes).flat_map(|change| [1 << change, full & !(1 << change)]);
        let mut subsets: BTreeSet<usize> = alone.chain([0, full]).collect();
        for order in orders {
            let mut subset = 0;
            subsets.extend(order.iter().map(|change| {
                subset |= 1 << change;
                subset
            }));
        }
        subsets
    }
}

impl Subsets {
    /// Returns the subsets of `changes` changes; `None` unless there is one finite value for each that the
    /// orders need.
    pub fn new(changes: usize, orders: Orders, logs: BTreeMap<usize, f64>) -> Option<Self> {
        let expected = orders.subsets(changes);
        let is_whole = logs.keys().eq(expected.iter());
        let is_finite = logs.values().all(|log| log.is_finite());
        (is_whole && is_finite).then_some(Self {
            logs,
            changes,
            orders,
        })
    }

    fn full(&self) -> usize {
        (1 << self.changes) - 1
    }

    /// Returns the logarithm of the ratio with all changes over that without any.
    pub fn total(&self) -> f64 {
        self.logs[&self.full()] - self.logs[&0]
    }

    /// Returns what a change does alone, from before.
    pub fn alone(&self, change: usize) -> f64 {
        self.logs[&(1 << change)] - self.logs[&0]
    }

    /// Returns what is lost of the whole if only this change is undone.
    pub fn undone(&self, change: usize) -> f64 {
        self.logs[&self.full()] - self.logs[&(self.full() & !(1 << change))]
    }

    /// Returns the Shapley share of each change; they add up to [`Subsets::total`].
    pub fn shares(&self) -> Vec<f64> {
        match &self.orders {
            Orders::All => self.shares_of_all(),
            Orders::Drawn(orders) => self.shares_of(orders),
        }
    }

    fn shares_of(&self, orders: &[Vec<usize>]) -> Vec<f64> {
        let mut shares = vec![0.0; self.changes];
        for order in orders {
            let mut subset = 0;
            for change in order {
                let next = subset | 1 << change;
                shares[*change] += self.logs[&next] - self.logs[&subset];
                subset = next;
            }
        }
        let count = as_f64(orders.len() as u64);
        shares.into_iter().map(|share| share / count).collect()
    }

    /// Returns how far the share of each change may be off as only some orders were drawn: 95 % of such
    /// draws are nearer. 0 if all were.
    pub fn errors(&self) -> Vec<f64> {
        let Orders::Drawn(orders) = &self.orders else {
            return vec![0.0; self.changes];
        };
        // An order and its reverse belong together: pairs are what was drawn independently.
        let pairs: Vec<Vec<f64>> = orders.chunks(2).map(|pair| self.shares_of(pair)).collect();
        let count = as_f64(pairs.len() as u64);
        let error = |change: usize| {
            let mean = pairs.iter().map(|pair| pair[change]).sum::<f64>() / count;
            let squares = pairs.iter().map(|pair| (pair[change] - mean).powi(2));
            NORMAL_95 * (squares.sum::<f64>() / (count - 1.0).max(1.0) / count).sqrt()
        };
        (0..self.changes).map(error).collect()
    }

    fn shares_of_all(&self) -> Vec<f64> {
        let weights = weights(self.changes);
        let share = |change: usize| {
            let bit = 1 << change;
            let without = (0..=self.full()).filter(|subset| subset & bit == 0);
            let adds = without.map(|subset| {
                let weight = weights[subset.count_ones() as usize];
                weight * (self.logs[&(subset | bit)] - self.logs[&subset])
            });
            adds.sum()
        };
        (0..self.changes).map(share).collect()
    }

    /// Returns the smallest known set of changes that makes the whole difference to within `tolerance`; of
    /// equally small ones the one that is nearest to it.
    pub fn smallest(&self, tolerance: f64) -> Vec<usize> {
        let off = |subset: usize| (self.logs[&subset] - self.logs[&self.full()]).abs();
        let known = self.logs.keys().copied();
        let within = known.filter(|subset| off(*subset) <= tolerance);
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
        drawn(changes, Orders::All, log)
    }

    fn drawn(changes: usize, orders: Orders, log: impl Fn(usize) -> f64) -> Subsets {
        let needed = orders.subsets(changes).into_iter();
        let logs = needed.map(|subset| (subset, log(subset))).collect();
        Subsets::new(changes, orders, logs).unwrap()
    }

    /// Twelve changes, of which two act on each other: what 40 orders say of 4,096 subsets.
    #[test]
    fn drawn_orders_stand_for_all() {
        let log = |subset: usize| {
            let made = (0..12_u32).filter(|change| subset & (1 << change) != 0);
            let alone: f64 = made.map(|change| -0.01 * f64::from(change)).sum();
            let both = subset & 0b11 == 0b11;
            alone - if both { 0.2 } else { 0.0 }
        };
        let orders = Orders::of(12, 8, 20, 7);
        assert!(orders.subsets(12).len() < 500);
        let some = drawn(12, orders, log);
        let all = of(12, log);
        for (one, other) in some.shares().into_iter().zip(all.shares()) {
            assert!((one - other).abs() < 0.03, "{one} {other}");
        }
        let errors = some.errors();
        assert!(errors[0] > 0.0 && errors[0] < 0.1, "{errors:?}");
        assert!(errors[5] < 1e-9 && all.errors()[0] == 0.0, "{errors:?}");
        let sum: f64 = some.shares().iter().sum();
        assert!(close(sum, all.total()));
        assert_eq!(Orders::of(8, 8, 20, 7), Orders::All);
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
        let new = |changes, logs: &[f64]| {
            let logs = logs.iter().copied().enumerate().collect();
            Subsets::new(changes, Orders::All, logs)
        };
        assert_eq!(new(2, &[0.0; 3]), None);
        assert_eq!(new(1, &[0.0, f64::NAN]), None);
        let nothing = new(0, &[1.0]).unwrap();
        assert!(nothing.shares().is_empty() && close(nothing.total(), 0.0));
    }
}
