//! The chance that an array loses data within some years, from the rates at which its devices fail.
//!
//! A Markov chain counts the failed devices of a group that holds its own redundancy: a mirror of a
//! RAID 10, or the whole array at other levels. It assumes:
//!
//! - devices fail independently of each other, at a constant rate. Devices of one batch in one case
//!   do not, so the true chance is higher;
//! - a failed device is replaced at once, and md rebuilds one device after the other. A rebuild
//!   takes an exponential time with the given mean;
//! - a sector that cannot be read is lost if no redundancy is left when a rebuild reads it. md then
//!   records a bad block or ends the rebuild (`handle_failed_sync` in raid5.c,
//!   `fix_sync_read_error` in raid1.c); both count as a loss.
//!
//! Not counted: sectors that are lost while nothing has failed, and losses that no device causes
//! (software, power, people).

use serde::Serialize;
use stripewise_study::stack::{Array, Level};

/// The most failures that the chain follows: a mirror of more copies counts as one of this many more
/// than one.
const SURVIVED_MAX: u32 = 15;
/// The terms of the exponential series; the remainder is below the precision of the numbers, because
/// its argument is at most 1.
const TERMS: u32 = 20;

/// How the devices of an array hold each other's data: groups of one size, each with redundancy of
/// its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Groups {
    /// How many groups there are; the array loses data with the first that does.
    pub count: u32,
    /// The devices of each group.
    pub devices: u32,
    /// How many of them may be missing.
    pub survives: u32,
}

impl Groups {
    /// Returns the groups of `devices` that have no redundancy.
    pub const fn without_redundancy(devices: u32) -> Self {
        Self {
            count: 1,
            devices,
            survives: 0,
        }
    }

    /// Returns the groups of an array of `devices`; `None` for layouts of RAID 10 whose copies do not
    /// lie in separate groups.
    pub fn of_array(array: &Array, devices: u32) -> Option<Self> {
        let whole = |survives: u32| Self {
            count: 1,
            devices,
            survives: survives.min(devices.saturating_sub(1)),
        };
        match array.level {
            Level::Linear | Level::Raid0 => Some(whole(0)),
            Level::Raid1 => Some(whole(devices.saturating_sub(1))),
            Level::Raid4 | Level::Raid5 => Some(whole(1)),
            Level::Raid6 => Some(whole(2)),
            Level::Raid10 => {
                let (kind, copies) = raid10_layout(array.layout.as_deref())?;
                let is_separate = copies == devices || kind == 'n';
                let fits = copies > 0 && devices.is_multiple_of(copies);
                (is_separate && fits).then(|| Self {
                    count: devices / copies,
                    devices: copies,
                    survives: copies - 1,
                })
            }
        }
    }

    /// Returns how many devices a rebuild reads when no redundancy is left.
    pub const fn read_by_last_rebuild(self) -> u32 {
        self.devices - self.survives
    }
}

/// Returns the kind and the number of copies of a layout of RAID 10, such as `n2`.
pub fn raid10_layout(layout: Option<&str>) -> Option<(char, u32)> {
    let layout = layout.unwrap_or("n2");
    let kind = layout.chars().next()?;
    Some((kind, layout.get(kind.len_utf8()..)?.parse().ok()?))
}

/// The rates behind a loss of data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// How often a device fails in a year.
    pub failures_per_year: f64,
    /// How long a rebuild takes on average, in years; of no effect without redundancy.
    pub rebuild_years: f64,
    /// The chance that a rebuild without redundancy left meets a sector that cannot be read.
    pub unreadable: f64,
}

/// Returns the chance that reading `bytes` meets a sector that cannot be read, if there is one in
/// `bits` on average.
pub fn unreadable_chance(bytes: f64, bits: f64) -> f64 {
    -(-8.0 * bytes / bits).exp_m1()
}

/// Returns the chance that `groups` lose data within `years`.
pub fn loss_chance(groups: Groups, rates: &Rates, years: f64) -> f64 {
    let of_group = match groups.survives {
        0 => -(-f64::from(groups.devices) * rates.failures_per_year * years).exp_m1(),
        _ => Chain::new(groups, rates).lost_within(years),
    };
    // All groups keep their data, or the array has lost some.
    -(f64::from(groups.count) * (-of_group).ln_1p()).exp_m1()
}

/// The states of a group: so many devices failed, or data lost, which is the last state. An entry is
/// the rate from one state (row) to another.
struct Chain {
    rates: Vec<Vec<f64>>,
}

impl Chain {
    fn new(groups: Groups, rates: &Rates) -> Self {
        let survives = groups.survives.min(SURVIVED_MAX);
        let states = survives as usize + 2;
        let mut chain = vec![vec![0.0; states]; states];
        let rebuilds = 1.0 / rates.rebuild_years;
        for failed in 0..=survives {
            let (from, left) = (failed as usize, groups.devices - failed);
            chain[from][from + 1] = f64::from(left) * rates.failures_per_year;
            if failed == 0 {
                continue;
            }
            let unreadable = match failed == survives {
                true => rates.unreadable,
                false => 0.0,
            };
            chain[from][from - 1] = rebuilds * (1.0 - unreadable);
            chain[from][states - 1] += rebuilds * unreadable;
        }
        Self { rates: chain }
    }

    /// Returns the chance of the last state after `years`, from the first.
    ///
    /// The transition matrix of a short step is a series of terms that are all positive
    /// (uniformization), and is squared until the steps add up. Nothing is subtracted, so tiny
    /// chances keep their digits; rows are scaled back to 1 after each step.
    fn lost_within(&self, years: f64) -> f64 {
        let states = self.rates.len();
        let leaving = self.rates.iter().map(|row| row.iter().sum::<f64>());
        let fastest = leaving.clone().fold(f64::MIN_POSITIVE, f64::max);
        let doublings = (fastest * years).log2().ceil().max(0.0);
        let step = fastest * years / doublings.exp2();
        let mut jump: Matrix = self.rates.clone();
        for (state, (row, leaving)) in jump.iter_mut().zip(leaving).enumerate() {
            row.iter_mut().for_each(|rate| *rate /= fastest);
            row[state] = 1.0 - leaving / fastest;
        }
        let mut after = vec![vec![0.0; states]; states];
        let mut power = identity(states);
        let mut weight = 1.0;
        for term in 1..=TERMS {
            add(&mut after, &power, weight);
            power = product(&power, &jump);
            weight *= step / f64::from(term);
        }
        normalise(&mut after);
        let mut left = doublings;
        while left > 0.5 {
            after = product(&after, &after);
            normalise(&mut after);
            left -= 1.0;
        }
        after[0][states - 1]
    }
}

type Matrix = Vec<Vec<f64>>;

fn identity(size: usize) -> Matrix {
    let entry = |row: usize, column: usize| f64::from(u8::from(row == column));
    let row = |row: usize| (0..size).map(|column| entry(row, column)).collect();
    (0..size).map(row).collect()
}

fn product(left: &Matrix, right: &Matrix) -> Matrix {
    let entry = |row: &[f64], column: usize| {
        let terms = row
            .iter()
            .zip(right)
            .map(|(one, other)| one * other[column]);
        terms.sum::<f64>()
    };
    let of_row = |row: &Vec<f64>| (0..right.len()).map(|column| entry(row, column)).collect();
    left.iter().map(of_row).collect()
}

fn add(sum: &mut Matrix, term: &Matrix, weight: f64) {
    for (row, term) in sum.iter_mut().zip(term) {
        for (entry, term) in row.iter_mut().zip(term) {
            *entry += weight * term;
        }
    }
}

fn normalise(matrix: &mut Matrix) {
    for row in matrix {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|entry| *entry /= sum);
    }
}

#[cfg(test)]
#[path = "loss_tests.rs"]
mod tests;
