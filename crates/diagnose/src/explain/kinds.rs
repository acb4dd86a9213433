//! The kinds of facts that bear on speed: one row each, with how a value ranks where the model has no
//! number for it, how to change it, and what that risks.

use serde::Serialize;
use stripewise_units::{Bytes, Nanos};

use super::setup::NONE;

/// The options of a job that a result of fio lacks altogether.
pub const JOB_OPTIONS: &str = "job_options";

/// What changing a fact back risks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// None: it takes effect at once, and is undone in the same way.
    None,
    /// Data that is not on disk is lost at a power cut.
    Data,
    /// After a power cut the whole array is synchronised.
    Resync,
    /// A reboot.
    Reboot,
    /// All data is rewritten: it takes hours, and needs a backup.
    Rewrite,
    /// The array is built anew: all data on it is lost, and needs a backup.
    Anew,
    /// Hardware must be replaced or plugged elsewhere.
    Hardware,
    /// It is the load itself: another measurement.
    Load,
}

impl Risk {
    /// Returns its key in JSON and in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            Risk::None => "none",
            Risk::Data => "data",
            Risk::Resync => "resync",
            Risk::Reboot => "reboot",
            Risk::Rewrite => "rewrite",
            Risk::Anew => "anew",
            Risk::Hardware => "hardware",
            Risk::Load => "load",
        }
    }
}

/// A kind of facts.
#[derive(Debug)]
pub struct Kind {
    /// Its key.
    pub key: &'static str,
    /// How slow a value is where the model has no number, 0 the fastest; `None` if that is not known of
    /// this value. Only ranks are known, so no share follows from them.
    pub rank: fn(&str) -> Option<u64>,
    /// Whether such a change is a strong suspect in either direction: a disk or a processor can be the faster
    /// one, and which is not known from its name.
    pub acts_either_way: bool,
    /// Whether it acts on loads that write alone.
    pub is_of_writes: bool,
    /// Whether the processor's time for each I/O shows it.
    pub is_of_processor: bool,
    /// The command that makes it a value again: `{}` stands for the value, `ARRAY`, `DISK` and `PLACE` for
    /// what it is set on, and empty if there is none.
    pub command: &'static str,
    /// Returns the value as that command takes it; `None` if there is no such command for this value.
    pub spelled: fn(&str) -> Option<String>,
    /// What that risks.
    pub risk: Risk,
    /// Where that it bears on speed is stated.
    pub source: &'static str,
}

const UNRANKED: fn(&str) -> Option<u64> = |_| None;

const PLAIN: Kind = Kind {
    key: "",
    rank: UNRANKED,
    acts_either_way: false,
    is_of_writes: false,
    is_of_processor: false,
    command: "",
    spelled: |value| Some(value.to_owned()),
    risk: Risk::None,
    source: "",
};

/// Returns how a command spells two values.
fn either(value: &str, words: [(&str, &str); 2]) -> Option<String> {
    let found = words.into_iter().find(|(of, _)| *of == value);
    found.map(|(_, word)| word.to_owned())
}

/// Returns a size in units of so many bytes.
fn units_of(value: &str, unit: u64) -> Option<String> {
    let bytes = Bytes::parse(value).ok()?.as_u64();
    Some((bytes / unit).to_string())
}

/// Returns the rank of a word of a list, the fastest first.
fn place(words: &[&str], value: &str) -> Option<u64> {
    let place = words.iter().position(|word| *word == value)?;
    u64::try_from(place).ok()
}

fn governor(value: &str) -> Option<u64> {
    match value {
        "performance" => Some(0),
        "schedutil" | "ondemand" | "conservative" => Some(1),
        // Under a driver with governors of its own, it follows the load.
        "powersave of intel_pstate" | "powersave of amd-pstate-epp" => Some(1),
        "powersave" => Some(2),
        _ => None,
    }
}

fn preference(value: &str) -> Option<u64> {
    let words = [
        "performance",
        "balance_performance",
        "balance_power",
        "power",
    ];
    match value {
        "default" => Some(1),
        value => place(&words, value),
    }
}

/// Returns how slow mount options are: those that make each write wait, or write data twice. What acts on
/// directories, times of access, or blocks that are freed does nothing to a load on files that stay.
fn mount_options(value: &str) -> Option<u64> {
    let slow = ["sync", "data=journal"];
    let count = value.split(',').filter(|word| slow.contains(word)).count();
    u64::try_from(count).ok()
}

/// Returns how slow a link is by its rate in MB/s: `600 MB/s`.
fn link(value: &str) -> Option<u64> {
    let rate: u64 = value.split_whitespace().next()?.parse().ok()?;
    Some(u64::MAX - rate)
}

/// Returns how slow a key of a load is that a larger number makes faster, and none the fastest.
fn slowed(value: &str) -> Option<u64> {
    match value {
        NONE => Some(0),
        value => Some(u64::MAX - Bytes::parse(value).ok()?.as_u64()),
    }
}

fn pause(value: &str) -> Option<u64> {
    Some(Nanos::parse(value).ok()?.as_u64())
}

fn percent(value: &str) -> Option<u64> {
    let percent: u64 = value.strip_suffix('%')?.trim().parse().ok()?;
    // Flash with little free space moves more data; below that the level says little.
    Some(percent.saturating_sub(80) / 5)
}

fn number(value: &str) -> Option<u64> {
    value.parse().ok()
}

fn is_busy(value: &str) -> Option<u64> {
    Some(u64::from(!["idle", "frozen"].contains(&value)))
}

const PM: &str = "kernel Documentation/admin-guide/pm/cpufreq.rst";
const MD: &str = "kernel Documentation/admin-guide/md.rst";
const QUEUE: &str = "kernel Documentation/ABI/stable/sysfs-block";
const FIO: &str = "fio(1)";

/// All kinds, in the order in which facts are shown. A key of a load or of the conditions that is not
/// here is one of fio's options.
pub const ALL: &[Kind] = &[
    Kind {
        key: "kernel",
        is_of_processor: true,
        command: "boot Linux {} from the boot menu",
        risk: Risk::Reboot,
        source: "kernels/rules.toml",
        ..PLAIN
    },
    Kind {
        key: "governor",
        rank: governor,
        is_of_processor: true,
        command: "echo {} | tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
        spelled: |value| value.split(" of ").next().map(str::to_owned),
        source: PM,
        ..PLAIN
    },
    Kind {
        key: "energy_preference",
        rank: preference,
        is_of_processor: true,
        command: "echo {} | tee /sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference",
        source: "kernel Documentation/admin-guide/pm/intel_pstate.rst",
        ..PLAIN
    },
    Kind {
        key: "turbo",
        rank: |value| place(&["on", "off"], value),
        is_of_processor: true,
        command: "echo {} > /sys/devices/system/cpu/intel_pstate/no_turbo",
        spelled: |value| either(value, [("on", "0"), ("off", "1")]),
        source: "kernel Documentation/admin-guide/pm/intel_pstate.rst",
        ..PLAIN
    },
    Kind {
        key: "frequency_driver",
        is_of_processor: true,
        risk: Risk::Reboot,
        source: PM,
        ..PLAIN
    },
    Kind {
        key: "boot_options",
        is_of_processor: true,
        risk: Risk::Reboot,
        source: "kernel Documentation/admin-guide/kernel-parameters.txt",
        ..PLAIN
    },
    Kind {
        key: "cpu_model",
        acts_either_way: true,
        is_of_processor: true,
        risk: Risk::Hardware,
        ..PLAIN
    },
    Kind {
        key: "cores",
        is_of_processor: true,
        risk: Risk::Hardware,
        ..PLAIN
    },
    Kind {
        key: "host_profile",
        is_of_processor: true,
        risk: Risk::Hardware,
        ..PLAIN
    },
    Kind {
        key: "memory",
        risk: Risk::Hardware,
        ..PLAIN
    },
    Kind {
        key: "dirty_limit",
        command: "sysctl vm.dirty_bytes={}",
        spelled: |value| units_of(value, 1),
        source: "kernel Documentation/admin-guide/sysctl/vm.rst",
        ..PLAIN
    },
    Kind {
        key: "device",
        risk: Risk::Hardware,
        ..PLAIN
    },
    Kind {
        key: "drive_model",
        acts_either_way: true,
        risk: Risk::Hardware,
        ..PLAIN
    },
    Kind {
        key: "rotational",
        command: "echo {} | tee /sys/block/DISK/queue/rotational",
        source: QUEUE,
        ..PLAIN
    },
    Kind {
        key: "drive_firmware",
        risk: Risk::Hardware,
        ..PLAIN
    },
    Kind {
        key: "link_speed",
        rank: link,
        risk: Risk::Hardware,
        source: "kernel Documentation/ABI/testing/sysfs-ata, sysfs-bus-pci",
        ..PLAIN
    },
    Kind {
        key: "scheduler",
        command: "echo {} | tee /sys/block/DISK/queue/scheduler",
        source: QUEUE,
        ..PLAIN
    },
    Kind {
        key: "read_ahead",
        command: "echo {} > /sys/block/TOP/queue/read_ahead_kb",
        spelled: |value| units_of(value, 1024),
        source: QUEUE,
        ..PLAIN
    },
    Kind {
        key: "nr_requests",
        command: "echo {} | tee /sys/block/DISK/queue/nr_requests",
        source: QUEUE,
        ..PLAIN
    },
    Kind {
        key: "max_sectors_kb",
        command: "echo {} | tee /sys/block/DISK/queue/max_sectors_kb",
        source: QUEUE,
        ..PLAIN
    },
    Kind {
        key: "write_cache",
        rank: |value| place(&["on", "off"], value),
        is_of_writes: true,
        command: "hdparm -W{} /dev/DISK",
        spelled: |value| either(value, [("on", "1"), ("off", "0")]),
        risk: Risk::Data,
        source: QUEUE,
        ..PLAIN
    },
    Kind {
        key: "array",
        risk: Risk::Rewrite,
        source: "mdadm(8), GROW MODE",
        ..PLAIN
    },
    Kind {
        key: "bitmap",
        command: "mdadm --grow /dev/ARRAY --bitmap={}",
        spelled: |value| match value {
            NONE | "internal" => Some(value.to_owned()),
            chunk => Some(format!("internal --bitmap-chunk={chunk}")),
        },
        risk: Risk::Resync,
        source: "mdadm(8)",
        ..PLAIN
    },
    Kind {
        key: "stripe_cache_size",
        command: "echo {} > /sys/block/ARRAY/md/stripe_cache_size",
        source: MD,
        ..PLAIN
    },
    Kind {
        key: "group_thread_cnt",
        command: "echo {} > /sys/block/ARRAY/md/group_thread_cnt",
        source: MD,
        ..PLAIN
    },
    Kind {
        key: "consistency_policy",
        risk: Risk::Data,
        source: MD,
        ..PLAIN
    },
    Kind {
        key: "metadata",
        risk: Risk::Rewrite,
        source: "mdadm(8)",
        ..PLAIN
    },
    Kind {
        key: "missing_members",
        rank: number,
        command: "mdadm /dev/ARRAY --add /dev/NEW_DISK",
        spelled: |value| (value == "0").then(String::new),
        risk: Risk::Hardware,
        source: MD,
        ..PLAIN
    },
    Kind {
        key: "sync_action",
        rank: is_busy,
        command: "mdadm --wait /dev/ARRAY",
        spelled: |value| (value == "idle").then(String::new),
        source: MD,
        ..PLAIN
    },
    Kind {
        key: "filesystem",
        acts_either_way: true,
        risk: Risk::Rewrite,
        ..PLAIN
    },
    Kind {
        key: "mkfs",
        acts_either_way: true,
        risk: Risk::Rewrite,
        ..PLAIN
    },
    Kind {
        key: "volume",
        acts_either_way: true,
        risk: Risk::Rewrite,
        source: "lvmraid(7), lvcreate(8)",
        ..PLAIN
    },
    Kind {
        key: "flush",
        rank: |value| place(&["ignored", "honoured"], value),
        is_of_writes: true,
        command: "mount -o remount,{} PLACE",
        spelled: |value| either(value, [("ignored", "nobarrier"), ("honoured", "barrier")]),
        risk: Risk::Data,
        source: "ext4(5), xfs(5)",
        ..PLAIN
    },
    Kind {
        key: "mount_options",
        rank: mount_options,
        is_of_writes: true,
        command: "mount -o remount,{} PLACE",
        source: "mount(8)",
        ..PLAIN
    },
    Kind {
        key: "compression",
        acts_either_way: true,
        source: "zfsprops(7), btrfs(5)",
        ..PLAIN
    },
    Kind {
        key: "fill",
        rank: percent,
        is_of_writes: true,
        risk: Risk::Data,
        ..PLAIN
    },
    Kind {
        key: "neighbours",
        rank: number,
        risk: Risk::Load,
        ..PLAIN
    },
    Kind {
        key: "target",
        acts_either_way: true,
        risk: Risk::Load,
        source: FIO,
        ..PLAIN
    },
    Kind {
        key: "file",
        risk: Risk::Load,
        source: FIO,
        ..PLAIN
    },
    Kind {
        key: "disks",
        acts_either_way: true,
        risk: Risk::Load,
        source: FIO,
        ..PLAIN
    },
    Kind {
        key: "fio_version",
        risk: Risk::Load,
        source: FIO,
        ..PLAIN
    },
    Kind {
        key: JOB_OPTIONS,
        risk: Risk::Load,
        source: FIO,
        ..PLAIN
    },
    Kind {
        key: "fio_options",
        risk: Risk::Load,
        source: FIO,
        ..PLAIN
    },
];

/// A key of the load.
const LOAD: Kind = Kind {
    risk: Risk::Load,
    source: FIO,
    ..PLAIN
};

const EITHER: Kind = Kind {
    acts_either_way: true,
    ..LOAD
};

/// The keys of a load that are suspects where the model has no number for them.
const OF_LOAD: &[Kind] = &[
    Kind {
        key: "sync",
        rank: |value| place(&[NONE, "dsync", "sync"], value),
        is_of_writes: true,
        ..LOAD
    },
    Kind {
        key: "fsync",
        rank: slowed,
        is_of_writes: true,
        ..LOAD
    },
    Kind {
        key: "fdatasync",
        rank: slowed,
        is_of_writes: true,
        ..LOAD
    },
    Kind {
        key: "rate",
        rank: slowed,
        ..LOAD
    },
    Kind {
        key: "rate_iops",
        rank: slowed,
        ..LOAD
    },
    Kind {
        key: "think_time",
        rank: pause,
        ..LOAD
    },
    Kind {
        key: "pattern",
        ..EITHER
    },
    Kind {
        key: "mix",
        ..EITHER
    },
    Kind {
        key: "block_size",
        ..EITHER
    },
    Kind {
        key: "size",
        ..EITHER
    },
    Kind {
        key: "direct",
        ..EITHER
    },
    Kind {
        key: "engine",
        ..EITHER
    },
    Kind {
        key: "jobs",
        ..EITHER
    },
    Kind {
        key: "depth",
        ..EITHER
    },
    Kind {
        key: "distribution",
        ..EITHER
    },
];

/// Returns the kind of a key.
pub fn kind(key: &str) -> &'static Kind {
    let mut all = ALL.iter().chain(OF_LOAD);
    all.find(|kind| kind.key == key).unwrap_or(&LOAD)
}

/// Returns which way a change goes by the ranks of its values: `Less` if it makes the load faster;
/// `None` if the ranks are not known, or equal, or if it acts on writes and the load has none.
pub fn tendency(key: &str, before: &str, after: &str, writes: bool) -> Option<std::cmp::Ordering> {
    let Kind {
        rank, is_of_writes, ..
    } = kind(key);
    if *is_of_writes && !writes {
        return None;
    }
    let order = rank(after)?.cmp(&rank(before)?);
    (order != std::cmp::Ordering::Equal).then_some(order)
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{Greater, Less};

    use super::*;

    #[test]
    fn ranks_say_which_of_two_values_is_slower() {
        for (key, before, after, expected) in [
            ("governor", "performance", "powersave", Some(Greater)),
            ("governor", "ondemand", "powersave of intel_pstate", None),
            ("governor", "ondemand", "no-such", None),
            (
                "energy_preference",
                "power",
                "balance_performance",
                Some(Less),
            ),
            ("turbo", "on", "off", Some(Greater)),
            ("link_speed", "600 MB/s", "300 MB/s", Some(Greater)),
            ("link_speed", "600 MB/s", "600 MB/s", None),
            ("link_speed", "1970 MB/s", "3940 MB/s", Some(Less)),
            ("sync_action", "idle", "resync", Some(Greater)),
            ("missing_members", "1", "0", Some(Less)),
            ("mount_options", "rw,noatime", "rw,sync", Some(Greater)),
            ("mount_options", "rw,noatime", "rw,relatime", None),
            ("mount_options", "rw", "rw,discard", None),
            ("compression", "none", "zstd", None),
            ("fill", "20%", "70%", None),
            ("fill", "70%", "97%", Some(Greater)),
            ("drive_firmware", "1", "2", None),
            ("sync", "none", "dsync", Some(Greater)),
            ("fsync", "none", "1", Some(Greater)),
            ("fdatasync", "1", "32", Some(Less)),
            ("rate", "none", "8M", Some(Greater)),
            ("rate_iops", "400", "500", Some(Less)),
            ("think_time", "0ns", "1ms", Some(Greater)),
            ("depth", "1", "8", None),
        ] {
            assert_eq!(
                tendency(key, before, after, true),
                expected,
                "{key} {before} {after}"
            );
        }
    }

    #[test]
    fn what_acts_on_writes_does_nothing_to_reads() {
        let sync = |writes| tendency("mount_options", "rw", "rw,sync", writes);
        assert_eq!((sync(true), sync(false)), (Some(Greater), None));
    }

    #[test]
    fn each_key_is_there_once() {
        let mut keys: Vec<&str> = ALL.iter().map(|kind| kind.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), ALL.len());
        assert_eq!(kind("block_size").risk, Risk::Load);
    }
}
