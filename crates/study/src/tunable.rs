//! The settings of md and of the block layer that a study may set: one table.
//!
//! A line names the key of the study, the kernel's file, the numbers that the kernel takes and the
//! function that checks them, and whether the model simulates it. Worlds go by this table: metal and
//! lab write the files, and the model refuses what it does not simulate.
//!
//! Two keys are no numbers and stand elsewhere: `write_mostly` of an array is a flag of members
//! (`state_store` in drivers/md/md.c), and `discard` is an option of `mount`.

use std::fmt;
use std::ops::RangeInclusive;

use crate::stack::Level;
use stripewise_units::{Bytes, Nanos};

/// The place of a setting's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// `/sys/block/ARRAY/md/`.
    Array,
    /// `/sys/block/DISK/queue/`, of each disk.
    Disks,
    /// `/sys/block/DEVICE/queue/`, of the device that is read or mounted.
    Target,
}

/// The unit of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A number, in the study as in the file.
    Count,
    /// A size in the study, KiB in the file.
    Kib,
    /// A time in the study, seconds with three decimals in the file; kept in milliseconds.
    Millis,
}

/// A setting of the kernel that is a number.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Tunable {
    /// The key in a study.
    pub key: &'static str,
    /// The file below its place.
    pub file: &'static str,
    /// The place of the file.
    pub place: Place,
    /// The unit of the numbers.
    pub unit: Unit,
    /// The smallest number.
    pub least: u64,
    /// The largest number.
    pub most: u64,
    /// Numbers are multiples of this one.
    pub step: u64,
    /// The levels with this setting; empty for queues.
    pub levels: &'static [Level],
    /// The kernel's function that checks the number, in Linux 6.1.192 and 6.12.117.
    pub checked_by: &'static str,
    /// The value that a study gets if it sets none.
    pub default: &'static str,
    /// Why the kernel may keep another value than the one written.
    pub advice: &'static str,
    /// Whether the model simulates it; all values, if nothing else is said.
    pub model: InModel,
}

/// What the model makes of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InModel {
    /// It simulates it.
    Simulated,
    /// It simulates this value only.
    Only(u64),
    /// It refuses it.
    Refused,
}

const PARITY: &[Level] = &[Level::Raid4, Level::Raid5, Level::Raid6];
const REDUNDANT: &[Level] = &[
    Level::Raid1,
    Level::Raid4,
    Level::Raid5,
    Level::Raid6,
    Level::Raid10,
];
const MIRROR: &[Level] = &[Level::Raid1];

/// A setting of an array that takes any number in its range.
const OF_ARRAY: Tunable = Tunable {
    key: "",
    file: "",
    place: Place::Array,
    unit: Unit::Count,
    least: 0,
    most: u32::MAX as u64,
    step: 1,
    levels: &[],
    checked_by: "",
    default: "",
    advice: "",
    model: InModel::Simulated,
};

/// A setting of the disks' queues.
const OF_DISKS: Tunable = Tunable {
    place: Place::Disks,
    ..OF_ARRAY
};

/// `stripe_cache_size`: the stripes of RAID 4, 5 and 6.
pub static STRIPE_CACHE_SIZE: Tunable = Tunable {
    key: "stripe_cache_size",
    file: "stripe_cache_size",
    least: 17,
    most: 32_768,
    levels: PARITY,
    checked_by: "`raid5_set_cache_size` (raid5.c)",
    default: "256",
    advice: "each stripe takes a page of memory for each member: lower it if memory is short",
    ..OF_ARRAY
};

/// `group_thread_cnt`: the threads beside the array's own, of each NUMA node.
pub static GROUP_THREAD_CNT: Tunable = Tunable {
    key: "group_thread_cnt",
    file: "group_thread_cnt",
    most: 8192,
    levels: PARITY,
    checked_by: "`raid5_store_group_thread_cnt` (raid5.c)",
    default: "0",
    advice: "lower it if memory is short",
    model: InModel::Only(0),
    ..OF_ARRAY
};

/// `rmw_level`: whether a write may read old data and parity.
pub static RMW_LEVEL: Tunable = Tunable {
    key: "rmw_level",
    file: "rmw_level",
    most: 2,
    levels: PARITY,
    checked_by: "`raid5_store_rmw_level` (raid5.c)",
    default: "1",
    advice: "some processors have no code for levels 1 and 2 (`xor_syndrome`): use 0 there",
    ..OF_ARRAY
};

/// `sync_speed_min`: below this speed a resync or rebuild never waits.
pub static SYNC_SPEED_MIN: Tunable = Tunable {
    key: "sync_speed_min",
    file: "sync_speed_min",
    unit: Unit::Kib,
    least: 1,
    most: i32::MAX as u64,
    levels: REDUNDANT,
    checked_by: "`sync_min_store` (md.c)",
    default: "the system's",
    ..OF_ARRAY
};

/// `sync_speed_max`: the speed that a resync or rebuild does not exceed.
pub static SYNC_SPEED_MAX: Tunable = Tunable {
    key: "sync_speed_max",
    file: "sync_speed_max",
    checked_by: "`sync_max_store` (md.c)",
    ..SYNC_SPEED_MIN
};

/// `safe_mode_delay`: how long after its last write an array turns clean.
pub static SAFE_MODE_DELAY: Tunable = Tunable {
    key: "safe_mode_delay",
    file: "safe_mode_delay",
    unit: Unit::Millis,
    // `UINT_MAX / HZ` milliseconds, with a clock of 1000 ticks a second.
    most: 4_294_967,
    levels: REDUNDANT,
    checked_by: "`safe_delay_store` (md.c)",
    default: "the kernel's, about 200 ms",
    advice: "the kernel counts in ticks of its clock (`CONFIG_HZ`): use a multiple of 20ms, which every clock has",
    ..OF_ARRAY
};

/// `write_behind`: the writes that write-mostly members may be behind the others.
pub static WRITE_BEHIND: Tunable = Tunable {
    key: "write_behind",
    file: "bitmap/backlog",
    least: 1,
    // `COUNTER_MAX` in md-bitmap.h.
    most: 16_383,
    levels: MIRROR,
    checked_by: "`backlog_store` (md-bitmap.c)",
    default: "0",
    advice: "it needs a member that is write-mostly",
    model: InModel::Refused,
    ..OF_ARRAY
};

/// `read_ahead`: the longest window that the page cache reads ahead.
pub static READ_AHEAD: Tunable = Tunable {
    key: "read_ahead",
    file: "read_ahead_kb",
    place: Place::Target,
    unit: Unit::Kib,
    // The file has whole pages (`queue_ra_store` shifts the rest out).
    step: 4,
    checked_by: "`queue_ra_store` (blk-sysfs.c)",
    default: "128K, or two rows of an array's chunks",
    advice: "the kernel counts in pages: use a multiple of 64K, which every page size divides",
    ..OF_ARRAY
};

/// `nr_requests`: the requests that wait for a disk, or are at it.
pub static NR_REQUESTS: Tunable = Tunable {
    key: "nr_requests",
    file: "nr_requests",
    // `BLKDEV_MIN_RQ`: the kernel raises a smaller number to it.
    least: 4,
    // `BLK_MQ_MAX_DEPTH`.
    most: 10_240,
    checked_by: "`queue_requests_store`, `blk_mq_update_nr_requests` (blk-sysfs.c, blk-mq.c)",
    default: "the drive's queue, or twice as many with a scheduler",
    advice: "with the scheduler `none` it is at most the depth of the drive's queue, with another one at most 2048 (`MAX_SCHED_RQ`)",
    ..OF_DISKS
};

/// `max_sectors_kb`: the longest request of a disk.
pub static MAX_SECTORS_KB: Tunable = Tunable {
    key: "max_sectors_kb",
    file: "max_sectors_kb",
    least: 4,
    most: i32::MAX as u64,
    checked_by: "`queue_max_sectors_store` (blk-sysfs.c), `blk_validate_limits` (blk-settings.c)",
    default: "1280, or less if the disk takes less",
    advice: "the kernel rounds it down to whole logical blocks",
    ..OF_DISKS
};

/// `wbt_lat_usec`: the latency of reads for which write-back is throttled.
pub static WBT_LAT_USEC: Tunable = Tunable {
    key: "wbt_lat_usec",
    file: "wbt_lat_usec",
    checked_by: "`queue_wb_lat_store` (blk-sysfs.c)",
    default: "75000 on a disk with heads, else 2000",
    advice: "the scheduler `bfq` turns this throttling off",
    // No write is throttled there.
    model: InModel::Only(0),
    ..OF_DISKS
};

/// All settings, in the order of the reference page.
pub static ALL: [&Tunable; 11] = [
    &STRIPE_CACHE_SIZE,
    &GROUP_THREAD_CNT,
    &RMW_LEVEL,
    &SYNC_SPEED_MIN,
    &SYNC_SPEED_MAX,
    &SAFE_MODE_DELAY,
    &WRITE_BEHIND,
    &READ_AHEAD,
    &NR_REQUESTS,
    &MAX_SECTORS_KB,
    &WBT_LAT_USEC,
];

/// Returns the setting with this key.
pub fn of_key(key: &str) -> Option<&'static Tunable> {
    ALL.into_iter().find(|tunable| tunable.key == key)
}

/// Returns whether some setting is the file `file` of a queue.
pub fn is_queue_file(file: &str) -> bool {
    let mut queues = ALL.iter().filter(|one| one.place != Place::Array);
    queues.any(|one| one.file == file)
}

impl Tunable {
    /// Returns the numbers that the kernel takes, in the file's unit.
    pub const fn range(&self) -> RangeInclusive<u64> {
        self.least..=self.most
    }

    /// Returns a number of the file as a study writes it.
    pub fn written(&self, number: u64) -> String {
        match self.unit {
            Unit::Count => number.to_string(),
            Unit::Kib => Bytes::new(number.saturating_mul(1024)).to_string(),
            Unit::Millis => Nanos::from_millis(number).to_string(),
        }
    }
}

/// A setting with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// The setting.
    pub tunable: &'static Tunable,
    /// The number, in the file's unit; milliseconds for [`Unit::Millis`].
    pub number: u64,
}

impl Setting {
    /// Returns the setting of a count.
    pub fn count(tunable: &'static Tunable, number: impl Into<u64>) -> Self {
        Self {
            tunable,
            number: number.into(),
        }
    }

    /// Returns the setting of a size or of bytes per second, in whole KiB.
    pub const fn size(tunable: &'static Tunable, size: Bytes) -> Self {
        Self {
            tunable,
            number: size.as_u64() / 1024,
        }
    }

    /// Returns the setting of a time, in whole milliseconds.
    pub const fn time(tunable: &'static Tunable, time: Nanos) -> Self {
        Self {
            tunable,
            number: time.as_u64() / 1_000_000,
        }
    }

    /// Returns the text of the file.
    pub fn in_file(&self) -> String {
        match self.tunable.unit {
            Unit::Count | Unit::Kib => self.number.to_string(),
            Unit::Millis => format!("{}.{:03}", self.number / 1000, self.number % 1000),
        }
    }
}

impl fmt::Display for Setting {
    /// Writes the value as a study does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.tunable.written(self.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_written_as_its_file_and_as_a_study_have_it() {
        let both = |setting: Setting| (setting.in_file(), setting.to_string());
        let pair = |file: &str, study: &str| (file.to_owned(), study.to_owned());
        let delay = Setting::time(&SAFE_MODE_DELAY, Nanos::from_millis(1200));
        assert_eq!(both(delay), pair("1.200", "1200ms"));
        let window = Setting::size(&READ_AHEAD, Bytes::new(4 << 20));
        assert_eq!(both(window), pair("4096", "4M"));
        let stripes = Setting::count(&STRIPE_CACHE_SIZE, 4096_u32);
        assert_eq!(both(stripes), pair("4096", "4096"));
    }

    #[test]
    fn every_setting_has_a_key_a_file_and_a_source() {
        for tunable in ALL {
            assert_eq!(of_key(tunable.key), Some(tunable));
            assert!(!tunable.file.is_empty() && !tunable.checked_by.is_empty());
            assert_eq!(tunable.levels.is_empty(), tunable.place != Place::Array);
            assert!(!tunable.range().is_empty());
        }
        assert!(is_queue_file("nr_requests") && !is_queue_file("rmw_level"));
    }
}
