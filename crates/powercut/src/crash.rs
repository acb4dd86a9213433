//! Crash images: what the medium of a disk may hold after the power went.
//!
//! A drive with a volatile cache keeps what was flushed, and what it wrote with FUA. Of the rest its
//! firmware may have written any part, in any order, before the power went: the ATA and NVMe
//! standards promise nothing about it. A cache is finite, so a write has reached the medium at the
//! latest when as many bytes as the cache holds were written after it. A sector is written whole or
//! not at all; a longer write may be cut at any border between sectors.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use stripewise_study::cut::Survival;

use crate::disk::{Disk, Entry, Logged};
use crate::random::Random;
use crate::store::Store;

/// What a drive promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drive {
    /// Whether it loses unflushed writes with the power.
    pub is_volatile: bool,
    /// How many bytes its cache holds at most.
    pub cache_bytes: u64,
    /// What it writes whole or not at all.
    pub sector_bytes: u32,
}

/// In how many of 1024 cases a surviving write of several sectors is torn.
const TORN_PARTS: u64 = 64;

/// Returns what the medium of `disk` may hold after a cut `at` this time since the recording began.
///
/// `random` decides among what the rules allow. With [`Survival::Reordered`] the share of writes
/// that survive is drawn first, so that images between nothing and everything are equally likely.
pub fn image(
    disk: &Disk,
    drive: Drive,
    survival: Survival,
    at: Duration,
    random: &mut Random,
) -> Store {
    let log = disk.log();
    let log = &log[..log.partition_point(|entry| entry.at <= at)];
    let mut medium = disk.base().clone();
    let durable = match drive.is_volatile {
        true => durable_before(log, drive.cache_bytes),
        false => log.len(),
    };
    let volatile = log.len() - durable;
    let mut survivors = Survivors::draw(survival, volatile, random);
    for (index, entry) in log.iter().enumerate() {
        let is_durable = index < durable || has_fua(&entry.what);
        if is_durable {
            apply(&mut medium, &entry.what);
        } else if survivors.has(index - durable, random) {
            let is_torn = survival == Survival::Reordered && random.happens(TORN_PARTS);
            match is_torn {
                true => tear(&mut medium, &entry.what, drive.sector_bytes, random),
                false => apply(&mut medium, &entry.what),
            }
        }
    }
    medium
}

/// Returns how many entries at the beginning of a log have reached the medium: all before the last
/// flush, and all that the cache had no room for.
pub(crate) fn durable_before(log: &[Entry], cache_bytes: u64) -> usize {
    let flushed = log
        .iter()
        .rposition(|entry| matches!(entry.what, Logged::Flush))
        .map_or(0, |last| last + 1);
    let mut cached: u64 = 0;
    let newer = log.iter().rev().take_while(|entry| {
        cached = cached.saturating_add(bytes_of(&entry.what));
        cached <= cache_bytes
    });
    flushed.max(log.len() - newer.count())
}

fn bytes_of(what: &Logged) -> u64 {
    match what {
        Logged::Write { data, .. } => data.len() as u64,
        Logged::Clear { .. } | Logged::Flush => 0,
    }
}

pub(crate) fn has_fua(what: &Logged) -> bool {
    matches!(
        what,
        Logged::Write { fua: true, .. } | Logged::Clear { fua: true, .. }
    )
}

/// Decides which volatile writes survive.
enum Survivors {
    /// Each with this probability, in 1024ths.
    Any(u64),
    /// The first so many.
    First(usize),
}

impl Survivors {
    fn draw(survival: Survival, volatile: usize, random: &mut Random) -> Self {
        match survival {
            Survival::Reordered => Survivors::Any(random.below(1025)),
            Survival::InOrder => {
                let kept = random.below(volatile as u64 + 1);
                Survivors::First(usize::try_from(kept).unwrap_or(volatile))
            }
            Survival::Dropped => Survivors::First(0),
            Survival::Kept => Survivors::First(volatile),
            // Each state is built by name (`states`).
            Survival::Enumerated => Survivors::First(0),
        }
    }

    fn has(&mut self, place: usize, random: &mut Random) -> bool {
        match self {
            Survivors::Any(parts) => random.happens(*parts),
            Survivors::First(count) => place < *count,
        }
    }
}

pub(crate) fn apply(medium: &mut Store, what: &Logged) {
    match what {
        Logged::Write { offset, data, .. } => medium.write(*offset, data),
        Logged::Clear { offset, length, .. } => medium.clear(*offset, *length),
        Logged::Flush => {}
    }
}

/// Applies a write up to a random border between two sectors.
fn tear(medium: &mut Store, what: &Logged, sector_bytes: u32, random: &mut Random) {
    let Logged::Write { offset, data, .. } = what else {
        return apply(medium, what);
    };
    let sector = usize::try_from(sector_bytes).unwrap_or(512).max(1);
    let sectors = data.len() / sector;
    let kept = usize::try_from(random.below(sectors as u64 + 1)).unwrap_or(sectors);
    medium.write(*offset, &data[..kept * sector]);
}

/// Applies the first `kept` bytes of a write.
pub(crate) fn tear_to(medium: &mut Store, what: &Logged, kept: u64) {
    if let Logged::Write { offset, data, .. } = what {
        let kept = usize::try_from(kept).unwrap_or(data.len()).min(data.len());
        medium.write(*offset, &data[..kept]);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use proptest::prelude::*;

    use super::*;

    const SSD: Drive = Drive {
        is_volatile: true,
        cache_bytes: u64::MAX,
        sector_bytes: 512,
    };

    /// A disk on which write `n` filled sector `n` with `n`, with flushes after some.
    fn recorded(writes: u8, flushes: &[u8], fua: &[u8]) -> Disk {
        let mut disk = Disk::new(1 << 20);
        disk.begin(Store::default(), Instant::now());
        for number in 1..=writes {
            let offset = u64::from(number) * 512;
            disk.write(offset, vec![number; 512].into(), fua.contains(&number));
            if flushes.contains(&number) {
                disk.flush();
            }
        }
        disk
    }

    /// Returns which writes are there.
    fn present(medium: &Store, writes: u8) -> Vec<u8> {
        let is_there = |number: &u8| {
            let mut sector = [0; 512];
            medium.read(u64::from(*number) * 512, &mut sector);
            assert!(sector == [0; 512] || sector == [*number; 512]);
            sector[0] == *number
        };
        (1..=writes).filter(is_there).collect()
    }

    fn images(disk: &Disk, drive: Drive, survival: Survival) -> Vec<Vec<u8>> {
        let draw = |seed| {
            let mut random = Random::new(seed, 0);
            let medium = image(disk, drive, survival, Duration::MAX, &mut random);
            present(&medium, 20)
        };
        (0..300).map(draw).collect()
    }

    #[test]
    fn flushed_writes_and_fua_survive_and_any_part_of_the_rest_may() {
        let disk = recorded(20, &[4, 10], &[15]);
        let images = images(&disk, SSD, Survival::Reordered);
        for found in &images {
            assert!((1..=10).all(|number| found.contains(&number)), "{found:?}");
            assert!(found.contains(&15));
        }
        // Nothing else, everything, and holes: all of it happens.
        assert!(images.iter().any(|found| found.len() == 11));
        assert!(images.iter().any(|found| found.len() == 20));
        assert!(
            images
                .iter()
                .any(|found| found.contains(&20) && !found.contains(&11))
        );
    }

    #[test]
    fn a_cache_in_order_keeps_a_beginning_and_a_dropped_one_nothing() {
        let disk = recorded(20, &[10], &[]);
        let in_order = images(&disk, SSD, Survival::InOrder);
        for found in &in_order {
            let all: Vec<u8> = (1..=20).take(found.len()).collect();
            assert_eq!(*found, all);
        }
        let counts: std::collections::BTreeSet<usize> = in_order.iter().map(Vec::len).collect();
        assert_eq!(counts, (10..=20).collect());
        let ten: Vec<u8> = (1..=10).collect();
        assert!(
            images(&disk, SSD, Survival::Dropped)
                .iter()
                .all(|found| *found == ten)
        );
        assert!(
            images(&disk, SSD, Survival::Kept)
                .iter()
                .all(|found| found.len() == 20)
        );
    }

    #[test]
    fn a_full_cache_has_written_what_it_had_no_room_for() {
        let disk = recorded(20, &[], &[]);
        let small = Drive {
            cache_bytes: 5 * 512,
            ..SSD
        };
        let dropped = images(&disk, small, Survival::Dropped);
        let fifteen: Vec<u8> = (1..=15).collect();
        assert_eq!(dropped[0], fifteen);
        let protected = Drive {
            is_volatile: false,
            ..SSD
        };
        assert_eq!(images(&disk, protected, Survival::Dropped)[0].len(), 20);
    }

    #[test]
    fn nothing_after_the_cut_is_there() {
        let disk = recorded(20, &[20], &[]);
        let at = disk.log()[6].at;
        let later = disk.log().iter().filter(|entry| entry.at <= at).count();
        let mut random = Random::new(1, 1);
        let medium = image(&disk, SSD, Survival::Kept, at, &mut random);
        assert_eq!(present(&medium, 20).len(), later);
    }

    proptest! {
        #[test]
        fn a_torn_write_ends_at_a_sector(seed: u64) {
            let mut disk = Disk::new(1 << 20);
            disk.begin(Store::default(), Instant::now());
            disk.write(4096, vec![7; 16_384].into(), false);
            let mut random = Random::new(seed, 0);
            let mut medium = Store::default();
            tear(&mut medium, &disk.log()[0].what, 4096, &mut random);
            let mut data = vec![0; 16_384];
            medium.read(4096, &mut data);
            let kept = data.iter().take_while(|byte| **byte == 7).count();
            prop_assert_eq!(kept % 4096, 0);
            prop_assert!(data[kept..].iter().all(|byte| *byte == 0));
        }
    }
}
