//! Where I/Os go again: reuse distances and how popular each place is, in bounded memory.
//!
//! SHARDS (Waldspurger, Park, Garthwaite and Ahmad, "Efficient MRC Construction with SHARDS", FAST
//! 2015) with a fixed number of places: a place is followed if its hash lies below a threshold, and
//! the threshold falls when there are too many. Distances among the followed places, divided by
//! their share, estimate those among all. As the threshold only falls, a place that is still
//! followed at the end was counted from its first I/O on.

use rustc_hash::FxHashMap;
use stripewise_units::as_f64;

use crate::numbers::{index, rounded, saturated_u32};

/// The bins of distances for each power of two.
const BINS_PER_OCTAVE: f64 = 8.0;
/// Enough bins for distances up to 2^48 places.
const BINS: usize = 48 * 8 + 2;

/// Follows which places of a device are used again, and after how many others.
#[derive(Debug, Clone)]
pub struct Locality {
    /// A place has two to the power of this bytes.
    unit_shift: u32,
    places_max: usize,
    /// A place is followed if its hash is not above this.
    threshold: u64,
    places: FxHashMap<u64, Place>,
    /// A one for the latest use of each place, in order of time.
    latest: Counts,
    /// The weights of distances, by bin.
    distances: Vec<f64>,
    /// What a use of a followed place counts.
    weight: f64,
    first_uses: f64,
    uses: f64,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    latest: u32,
    uses: u32,
}

impl Locality {
    /// Returns an empty one that tells places of `unit_bytes` apart, a power of two, and follows at most
    /// `places_max`.
    pub fn new(unit_bytes: u64, places_max: usize) -> Self {
        Self {
            unit_shift: unit_bytes.max(512).ilog2(),
            places_max: places_max.clamp(16, 1 << 24),
            threshold: u64::MAX,
            places: FxHashMap::default(),
            latest: Counts::default(),
            weight: 1.0,
            distances: vec![0.0; BINS],
            first_uses: 0.0,
            uses: 0.0,
        }
    }

    /// Returns how many bytes a place has.
    pub fn unit_bytes(&self) -> u64 {
        1 << self.unit_shift
    }

    /// Counts an I/O on all places that it touches.
    pub fn touch(&mut self, offset_bytes: u64, length_bytes: u64) {
        let first = offset_bytes >> self.unit_shift;
        let last = offset_bytes.saturating_add(length_bytes.max(1) - 1) >> self.unit_shift;
        for place in first..=last.min(first.saturating_add(1 << 20)) {
            if stripewise_units::splitmix::mixed(place) <= self.threshold {
                self.touch_followed(place);
            }
        }
    }

    fn touch_followed(&mut self, place: u64) {
        if self.latest.len() == self.places_max * 2 {
            self.renumber();
        }
        let weight = self.weight;
        let slot = saturated_u32(self.latest.len() as u64);
        match self.places.get_mut(&place) {
            Some(known) => {
                let before = index(u64::from(known.latest));
                let between = self.latest.total() - self.latest.up_to(before);
                self.latest.take(before);
                known.latest = slot;
                known.uses = known.uses.saturating_add(1);
                self.distances[bin(as_f64(u64::from(between)) * weight)] += weight;
            }
            None => {
                let new = Place {
                    latest: slot,
                    uses: 1,
                };
                self.places.insert(place, new);
                self.first_uses += weight;
            }
        }
        self.latest.push();
        self.uses += weight;
        if self.places.len() > self.places_max {
            self.follow_fewer();
        }
    }

    /// Halves the share of places that are followed.
    fn follow_fewer(&mut self) {
        while self.places.len() > self.places_max / 2 {
            self.threshold /= 2;
            let threshold = self.threshold;
            self.places
                .retain(|place, _| stripewise_units::splitmix::mixed(*place) <= threshold);
        }
        self.weight = 1.0 / self.rate();
        self.renumber();
    }

    /// Numbers the latest uses anew, in their order, without gaps.
    fn renumber(&mut self) {
        let mut order: Vec<(u32, u64)> = self
            .places
            .iter()
            .map(|(place, known)| (known.latest, *place))
            .collect();
        order.sort_unstable();
        self.latest.clear();
        for (slot, (_, place)) in order.iter().enumerate() {
            if let Some(known) = self.places.get_mut(place) {
                known.latest = saturated_u32(slot as u64);
            }
            self.latest.push();
        }
    }

    /// Returns the share of places that are followed.
    pub fn rate(&self) -> f64 {
        (as_f64(self.threshold) + 1.0) / (as_f64(u64::MAX) + 1.0)
    }

    /// Returns the estimated number of different places that were used.
    pub fn places(&self) -> u64 {
        rounded(as_f64(self.places.len() as u64) / self.rate())
    }

    /// Returns the estimated number of uses of places.
    pub fn uses(&self) -> u64 {
        rounded(self.uses)
    }

    /// Returns the share of uses that an LRU cache of `bytes` would have served.
    pub fn hit_ratio(&self, bytes: u64) -> f64 {
        let places = as_f64(bytes >> self.unit_shift);
        let last = bin(places);
        let hits: f64 = self.distances[..last].iter().sum();
        if self.uses > 0.0 {
            hits / self.uses
        } else {
            0.0
        }
    }

    /// Returns the weights of reuse distances: bytes of other places in between, and the share of
    /// all uses; the rest are first uses.
    pub fn distances(&self) -> Vec<(u64, f64)> {
        let bins = self.distances.iter().enumerate();
        let bins = bins.filter(|(_, weight)| **weight > 0.0);
        bins.map(|(number, weight)| {
            let bytes = lowest(number) * as_f64(self.unit_bytes());
            (rounded(bytes), weight / self.uses.max(1.0))
        })
        .collect()
    }

    /// Returns how often each followed place was used, most often first.
    pub fn popularity(&self) -> Vec<u32> {
        let mut uses: Vec<u32> = self.places.values().map(|place| place.uses).collect();
        uses.sort_unstable_by(|one, two| two.cmp(one));
        uses
    }
}

/// Returns the bin of a distance.
fn bin(distance: f64) -> usize {
    let place = ((distance + 1.0).log2() * BINS_PER_OCTAVE).floor();
    index(rounded(place)).min(BINS - 1)
}

/// Returns the shortest distance of a bin.
fn lowest(bin: usize) -> f64 {
    (as_f64(bin as u64) / BINS_PER_OCTAVE).exp2() - 1.0
}

/// Ones and zeros in an order, and how many ones lie up to a place (a Fenwick tree). They are pushed as
/// ones, so that the sums of what is not there yet need no update.
#[derive(Debug, Clone, Default)]
struct Counts {
    /// Of place `n - 1`, how many ones lie at the last `1 << n.trailing_zeros()` places up to it.
    sums: Vec<u32>,
    total: u32,
}

impl Counts {
    fn clear(&mut self) {
        self.sums.clear();
        self.total = 0;
    }

    fn len(&self) -> usize {
        self.sums.len()
    }

    fn total(&self) -> u32 {
        self.total
    }

    /// Adds a one behind the others.
    fn push(&mut self) {
        let node = self.sums.len() + 1;
        let (mut sum, mut step) = (1, 1);
        while node & step == 0 {
            sum += self.sums[node - step - 1];
            step <<= 1;
        }
        self.sums.push(sum);
        self.total += 1;
    }

    /// Makes the one at a place a zero.
    fn take(&mut self, place: usize) {
        self.total -= 1;
        let mut node = place + 1;
        while let Some(sum) = self.sums.get_mut(node - 1) {
            *sum -= 1;
            node += node & node.wrapping_neg();
        }
    }

    /// Returns how many ones lie at `place` or before it.
    fn up_to(&self, place: usize) -> u32 {
        let (mut node, mut sum) = (place + 1, 0);
        while node > 0 {
            sum += self.sums[node - 1];
            node &= node - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The share of uses that a real LRU list of `places` serves.
    fn slow_hits(uses: &[u64], places: usize) -> f64 {
        let (mut list, mut hits): (Vec<u64>, u64) = (Vec::new(), 0);
        for place in uses {
            if let Some(at) = list.iter().position(|known| known == place) {
                hits += u64::from(at < places);
                list.remove(at);
            }
            list.insert(0, *place);
        }
        as_f64(hits) / as_f64(uses.len() as u64)
    }

    proptest! {
        #[test]
        fn hits_are_those_of_a_real_lru_list(
            uses in prop::collection::vec(0_u64..40, 1..300),
            places_max in 40_usize..80,
        ) {
            let mut locality = Locality::new(4096, places_max);
            for place in &uses {
                locality.touch(place * 4096, 4096);
            }
            let different: std::collections::BTreeSet<_> = uses.iter().collect();
            prop_assert_eq!(locality.places(), different.len() as u64);
            // At these sizes a bin has one distance only.
            for cache in [1_usize, 2, 4, 7] {
                let (got, want) = (locality.hit_ratio(cache as u64 * 4096), slow_hits(&uses, cache));
                prop_assert!((got - want).abs() < 1e-9, "{} places: {} instead of {}", cache, got, want);
            }
        }
    }

    #[test]
    fn a_sample_of_places_estimates_all() {
        let mut sampled = Locality::new(4096, 2000);
        let mut whole = Locality::new(4096, 1 << 20);
        let mut state = 1_u64;
        for _ in 0..400_000 {
            state = stripewise_units::splitmix::mixed(state);
            // Half of the I/Os go to the first tenth of 100,000 places.
            let span = if state & 1 == 0 { 10_000 } else { 100_000 };
            let place = (state >> 8) % span;
            sampled.touch(place * 4096, 4096);
            whole.touch(place * 4096, 4096);
        }
        assert!(sampled.rate() < 0.03, "{}", sampled.rate());
        let (got, want) = (as_f64(sampled.places()), as_f64(whole.places()));
        assert!((got / want - 1.0).abs() < 0.1, "{got} instead of {want}");
        for cache in [4096 * 5_000, 4096 * 20_000, 4096 * 60_000] {
            let (got, want) = (sampled.hit_ratio(cache), whole.hit_ratio(cache));
            assert!(
                (got - want).abs() < 0.05,
                "{cache}: {got} instead of {want}"
            );
        }
    }
}
