//! The facts of a host that bear on the speed of one place: a device, or a directory of a filesystem.
//!
//! Each has a key and a value in the words of a study or of the kernel, so that two hosts can be compared
//! and the model can take them (`stripewise_diagnose::explain`). A fact is present, absent (there is no
//! such thing), or missing with the reason.

use std::collections::BTreeSet;

use stripewise_machine::{MountLine, chosen, has_parity};

use crate::facts::{Array, mount_of, mounts, shown_model, smart_all, spaces, zfs_property};
use crate::layers::Layers;
use crate::pattern::matches;
use crate::rules::clock::{Clock, policies};
use crate::snapshot::{Fact, Missing, Snapshot};
use crate::stack::{profile, size};

/// Words of the kernel's command line that bear on speed.
const BOOT_WORDS: [&str; 12] = [
    "amd_pstate",
    "cpufreq.default_governor",
    "idle",
    "intel_idle.max_cstate",
    "intel_pstate",
    "iommu",
    "isolcpus",
    "mitigations",
    "nosmt",
    "nvme.poll_queues",
    "processor.max_cstate",
    "scsi_mod.use_blk_mq",
];

/// The files that facts are read from.
const FILES: [(&str, &str); 29] = [
    ("/proc/version", "kernel"),
    ("/proc/sys/kernel/osrelease", "kernel"),
    ("/proc/cmdline", "boot_options"),
    ("/proc/sys/vm/dirty_bytes", "dirty_limit"),
    ("/proc/sys/vm/dirty_ratio", "dirty_limit"),
    ("/proc/mounts", "mount_options"),
    (
        "/sys/devices/system/cpu/cpufreq/*/scaling_governor",
        "governor",
    ),
    (
        "/sys/devices/system/cpu/cpufreq/*/scaling_driver",
        "frequency_driver",
    ),
    (
        "/sys/devices/system/cpu/cpufreq/*/energy_performance_preference",
        "energy_preference",
    ),
    ("/sys/devices/system/cpu/intel_pstate/no_turbo", "turbo"),
    ("/sys/block/*/device/model", "drive_model"),
    (
        "/sys/block/nvme*/device/device/current_link_speed",
        "link_speed",
    ),
    (
        "/sys/block/nvme*/device/device/current_link_width",
        "link_speed",
    ),
    (
        "/sys/block/nvme*/device/nvme*/device/current_link_speed",
        "link_speed",
    ),
    (
        "/sys/block/nvme*/device/nvme*/device/current_link_width",
        "link_speed",
    ),
    ("/sys/block/*/queue/rotational", "rotational"),
    ("/sys/block/*/queue/scheduler", "scheduler"),
    ("/sys/block/*/queue/write_cache", "write_cache"),
    ("/sys/block/*/queue/read_ahead_kb", "read_ahead"),
    ("/sys/block/*/md/level", "array"),
    ("/sys/block/*/md/layout", "array"),
    ("/sys/block/*/md/chunk_size", "array"),
    ("/sys/block/*/md/raid_disks", "array"),
    ("/sys/block/*/md/bitmap/chunksize", "bitmap"),
    ("/sys/block/*/md/bitmap/location", "bitmap"),
    ("/sys/block/*/md/stripe_cache_size", "stripe_cache_size"),
    ("/sys/block/*/md/consistency_policy", "consistency_policy"),
    ("/sys/block/*/md/degraded", "missing_members"),
    ("/sys/block/*/md/sync_action", "sync_action"),
];

/// Returns the key of the fact that is read from a file, if that bears on speed.
pub fn key_of(path: &str) -> Option<&'static str> {
    let found = FILES.iter().find(|(pattern, _)| matches(pattern, path));
    found.map(|(_, key)| *key)
}

/// What a fact of a host is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Its key.
    pub key: &'static str,
    /// Its value; `None` if there is no such thing here.
    pub value: Fact<String>,
}

/// Where a load ran.
struct Place<'a> {
    facts: &'a Snapshot,
    /// The uppermost block device.
    top: Fact<&'a str>,
    /// The filesystem: its place, kind and options.
    mount: Fact<MountLine<'a>>,
}

/// Returns the facts that bear on the speed of a path: a device, or a file or directory. Without one, of
/// the only array, if there is one.
pub fn readings(facts: &Snapshot, path: Option<&str>) -> Vec<Reading> {
    let place = Place::of(facts, path);
    let array = place.array();
    let mut found: Vec<Reading> = Vec::new();
    let mut add = |key, value| found.push(Reading { key, value });
    add("kernel", kernel(facts));
    add("governor", governor(facts));
    add("energy_preference", preference(facts));
    add("frequency_driver", driver(facts));
    add("turbo", turbo(facts));
    add("boot_options", boot_options(facts));
    add("memory", memory(facts));
    add("dirty_limit", dirty_limit(facts));
    place.add_disks(&mut add);
    match array {
        Ok(Some(md)) => add_array(&md, &mut add),
        Ok(None) => add("array", place.disks().map(|disks| disks.map(alone))),
        Err(missing) => add("array", Err(missing)),
    }
    place.add_filesystem(&mut add);
    found
}

/// What a load ran on, by the names of the kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The uppermost array: `md0`.
    pub array: Option<String>,
    /// The uppermost device.
    pub top: Option<String>,
    /// The disks.
    pub disks: Vec<String>,
    /// Where the filesystem is mounted.
    pub place: Option<String>,
}

/// Returns the names of what a path is on, as [`readings`] finds it; what is not known is left out.
pub fn names(facts: &Snapshot, path: Option<&str>) -> Names {
    let place = Place::of(facts, path);
    let owned = |name: &str| name.to_owned();
    let disks = place.disks().ok().flatten().unwrap_or_default();
    Names {
        array: place.array().ok().flatten().map(|md| owned(md.name)),
        top: place.top.clone().ok().flatten().map(owned),
        disks: disks.into_iter().map(owned).collect(),
        place: place.mount.ok().flatten().map(|mount| owned(mount.place)),
    }
}

fn alone(disks: Vec<&str>) -> String {
    format!("none:{}", disks.len().max(1))
}

/// Returns the version of the kernel: that of its source if a distribution states it.
fn kernel(facts: &Snapshot) -> Fact<String> {
    let version = facts.text("/proc/version").ok().flatten();
    let source = version.and_then(|text| {
        let (_, package) = text.split_once(" Debian ")?;
        let version = package.split(['-', ' ']).next()?;
        Some(version.to_owned()).filter(|version| !version.is_empty())
    });
    match source {
        Some(source) => Ok(Some(source)),
        None => Ok(facts.word("/proc/sys/kernel/osrelease")?.map(str::to_owned)),
    }
}

/// Returns the version that the running kernel gives itself; a distribution's has another one for its source.
pub fn running_kernel(facts: &Snapshot) -> Option<String> {
    let release = facts.word("/proc/sys/kernel/osrelease").ok().flatten()?;
    Some(release.to_owned())
}

/// Returns different words, sorted, as one value; `None` without any.
fn joined<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let words: BTreeSet<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let words: Vec<&str> = words.into_iter().collect();
    (!words.is_empty()).then(|| words.join(","))
}

fn clocks(facts: &Snapshot) -> Result<Vec<Clock<'_>>, Missing> {
    let policies = policies(facts)?.into_iter();
    policies.map(|policy| Clock::read(facts, policy)).collect()
}

/// Returns the governor; `powersave` names its driver where that follows the load.
fn governor(facts: &Snapshot) -> Fact<String> {
    let clocks = clocks(facts)?;
    let words = clocks.iter().map(|clock| match clock.governor {
        "powersave" if clock.is_active() => format!("powersave of {}", clock.driver),
        governor => governor.to_owned(),
    });
    let words: Vec<String> = words.collect();
    Ok(joined(words.iter().map(String::as_str)))
}

fn preference(facts: &Snapshot) -> Fact<String> {
    let clocks = clocks(facts)?;
    Ok(joined(clocks.iter().map(|clock| clock.preference)))
}

fn driver(facts: &Snapshot) -> Fact<String> {
    let clocks = clocks(facts)?;
    Ok(joined(clocks.iter().map(|clock| clock.driver)))
}

fn turbo(facts: &Snapshot) -> Fact<String> {
    let off = facts.number("/sys/devices/system/cpu/intel_pstate/no_turbo")?;
    Ok(off.map(|off| if off == 0 { "on" } else { "off" }.to_owned()))
}

fn boot_options(facts: &Snapshot) -> Fact<String> {
    let Some(line) = facts.word("/proc/cmdline")? else {
        return Ok(None);
    };
    let words = line.split_whitespace().filter(|word| {
        let name = word.split('=').next().unwrap_or_default();
        BOOT_WORDS.contains(&name)
    });
    Ok(Some(joined(words).unwrap_or_else(|| "none".to_owned())))
}

fn memory_kib(facts: &Snapshot) -> Result<u64, Missing> {
    Ok(stripewise_machine::memory_bytes(facts, "MemTotal")? >> 10)
}

/// Returns the memory in GiB: kernels reserve a little more or less of the same.
fn memory(facts: &Snapshot) -> Fact<String> {
    let quarters = (memory_kib(facts)? + (1 << 17)) >> 18;
    Ok(Some(format!(
        "{}.{:02} GiB",
        quarters / 4,
        quarters % 4 * 25
    )))
}

/// Returns how much of the memory may be dirty: `vm.dirty_bytes`, or the share that `vm.dirty_ratio` allows,
/// here of all memory.
fn dirty_limit(facts: &Snapshot) -> Fact<String> {
    let bytes = facts.number("/proc/sys/vm/dirty_bytes")?.unwrap_or(0);
    if bytes > 0 {
        return Ok(Some(size(bytes >> 10)));
    }
    let Some(ratio) = facts.number("/proc/sys/vm/dirty_ratio")? else {
        return Ok(None);
    };
    let mib = (memory_kib(facts)? >> 10).saturating_mul(ratio) / 100;
    Ok(Some(format!("{}M", (mib >> 6 << 6).max(1))))
}

impl<'a> Place<'a> {
    fn of(facts: &'a Snapshot, path: Option<&'a str>) -> Self {
        let layers = Layers::new(facts);
        let Some(path) = path else {
            return Self::of_only_array(facts);
        };
        let is_device = path.starts_with("/dev/");
        let mount = match is_device {
            true => Ok(None),
            false => mounts(facts).map(|mounts| mount_of(&mounts, path)),
        };
        let top = match (&mount, is_device) {
            (_, true) => layers.name(path).map(Some),
            (Ok(Some(mount)), _) if mount.device.starts_with("/dev/") => {
                layers.name(mount.device).map(Some)
            }
            (Ok(_), _) => Ok(None),
            (Err(missing), _) => Err(missing.clone()),
        };
        Self { facts, top, mount }
    }

    /// Returns the place on the only array, and its filesystem if one is mounted.
    fn of_only_array(facts: &'a Snapshot) -> Self {
        let names = crate::facts::arrays(facts);
        let top = names.map(|arrays| match &arrays[..] {
            [only] => Some(only.name),
            _ => None,
        });
        let on_it = |name: &str| {
            let device = format!("/dev/{name}");
            let mounts = mounts(facts)?.into_iter();
            Ok(mounts
                .filter(|mount| mount.device == device)
                .min_by_key(|mount| mount.place.len()))
        };
        let mount = match &top {
            Ok(Some(name)) => on_it(name),
            Ok(None) => Ok(None),
            Err(missing) => Err(missing.clone()),
        };
        Self { facts, top, mount }
    }

    /// Returns the uppermost array.
    fn array(&self) -> Fact<Array<'a>> {
        let Some(top) = self.top.clone()? else {
            return Ok(None);
        };
        let layers = Layers::new(self.facts).of(top)?;
        let name = layers.into_iter().find(|name| name.starts_with("md"));
        Ok(name.map(|name| Array::new(self.facts, name)))
    }

    /// Returns the disks below; `None` if no block device is known to be below.
    fn disks(&self) -> Fact<Vec<&'a str>> {
        match self.top.clone()? {
            Some(top) => Layers::new(self.facts).disks(top).map(Some),
            None => Ok(None),
        }
    }

    /// Returns a value of all disks: different ones joined.
    fn of_disks(&self, value: impl Fn(&str) -> Fact<String>) -> Fact<String> {
        let Some(disks) = self.disks()? else {
            return Ok(None);
        };
        let mut values = Vec::new();
        for disk in disks {
            values.extend(value(disk)?);
        }
        Ok(joined(values.iter().map(String::as_str)))
    }

    fn add_disks(&self, add: &mut impl FnMut(&'static str, Fact<String>)) {
        let facts = self.facts;
        let queue = |disk: &str, file: &str| facts.word(&format!("/sys/block/{disk}/queue/{file}"));
        add(
            "device",
            self.of_disks(|disk| Ok(Some(profile(facts, disk)?.0.to_owned()))),
        );
        add(
            "drive_model",
            self.of_disks(|disk| Ok(shown_model(facts, disk)?.map(str::to_owned))),
        );
        add(
            "rotational",
            self.of_disks(|disk| Ok(queue(disk, "rotational")?.map(str::to_owned))),
        );
        add(
            "drive_firmware",
            self.of_disks(|disk| firmware(facts, disk)),
        );
        add("link_speed", self.of_disks(|disk| link(facts, disk)));
        add(
            "scheduler",
            self.of_disks(|disk| Ok(queue(disk, "scheduler")?.map(|list| chosen(list).to_owned()))),
        );
        add(
            "write_cache",
            self.of_disks(|disk| {
                let cache = queue(disk, "write_cache")?;
                Ok(cache.map(|cache| if cache == "write back" { "on" } else { "off" }.to_owned()))
            }),
        );
        let window = self.top.clone().and_then(|top| match top {
            Some(top) => facts.number(&format!("/sys/block/{top}/queue/read_ahead_kb")),
            None => Ok(None),
        });
        add("read_ahead", window.map(|kib| kib.map(size)));
    }

    fn add_filesystem(&self, add: &mut impl FnMut(&'static str, Fact<String>)) {
        let of = |value: &dyn Fn(&MountLine<'a>) -> Option<String>| -> Fact<String> {
            let mount = self.mount.as_ref().map_err(Clone::clone)?;
            Ok(mount.as_ref().and_then(value))
        };
        add("filesystem", of(&|mount| Some(mount.kind.to_owned())));
        add(
            "mount_options",
            of(&|mount| joined(self.options(mount).split(','))),
        );
        add("flush", of(&|mount| Some(flush(mount).to_owned())));
        add("compression", self.compression());
        add("fill", self.fill());
    }

    /// Returns the options with which a filesystem is mounted.
    fn options(&self, mount: &MountLine<'a>) -> &'a str {
        let mounts = self.facts.word("/proc/mounts").ok().flatten();
        let lines = mounts.unwrap_or_default().lines();
        let mut fields = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
        let own = fields.rfind(|fields| fields.get(1) == Some(&mount.place));
        own.and_then(|fields| fields.get(3).copied())
            .unwrap_or_default()
    }

    fn compression(&self) -> Fact<String> {
        let Some(mount) = self.mount.clone()? else {
            return Ok(None);
        };
        if mount.kind == "zfs" {
            let values = zfs_property(self.facts, "compression")?;
            let own = values.iter().find(|(dataset, _)| *dataset == mount.device);
            return Ok(own.map(|(_, value)| (*value).to_owned()));
        }
        let mut options = self.options(&mount).split(',');
        let option = options.find_map(|option| option.strip_prefix("compress"));
        let value = option.and_then(|option| option.split_once('='));
        Ok((mount.kind == "btrfs").then(|| value.map_or("none", |(_, value)| value).to_owned()))
    }

    /// Returns how full the filesystem is.
    fn fill(&self) -> Fact<String> {
        let Some(mount) = self.mount.clone()? else {
            return Ok(None);
        };
        let spaces = spaces(self.facts, "df -al -x autofs")?;
        let own = spaces.iter().find(|space| space.place == mount.place);
        Ok(own.map(|space| format!("{}%", space.used_percent)))
    }
}

/// Returns whether a filesystem flushes the caches of disks.
fn flush(mount: &MountLine<'_>) -> &'static str {
    match mount.any(&["nobarrier", "barrier=0"]) {
        Some(_) => "ignored",
        None => "honoured",
    }
}

fn add_array(md: &Array<'_>, add: &mut impl FnMut(&'static str, Fact<String>)) {
    let owned = |word: Fact<&str>| word.map(|word| word.map(str::to_owned));
    add("array", array_words(md).map(Some));
    add(
        "bitmap",
        md.bitmap_chunk_bytes()
            .map(|bytes| Some(bytes.map_or_else(|| "none".to_owned(), |bytes| size(bytes / 1024)))),
    );
    if md.level().is_ok_and(has_parity) {
        add("stripe_cache_size", owned(md.word("stripe_cache_size")));
    }
    add("consistency_policy", owned(md.word("consistency_policy")));
    add("metadata", owned(md.word("metadata_version")));
    add(
        "missing_members",
        md.missing_count().map(|count| Some(count.to_string())),
    );
    add("sync_action", owned(md.word("sync_action")));
}

/// Returns an array as `raid10:n2:4:64K`.
pub(crate) fn array_words(md: &Array<'_>) -> Result<String, Missing> {
    let level = md.level()?;
    let mut words = vec![level.to_owned()];
    words.extend(md.layout()?);
    words.push(md.need_number("raid_disks")?.to_string());
    if level != "raid1" && level != "linear" {
        words.push(size(md.need_number("chunk_size")? / 1024));
    }
    Ok(words.join(":"))
}

/// Returns the uppermost array below a path; `None` if there is none.
pub(crate) fn array_of<'a>(facts: &'a Snapshot, path: &'a str) -> Fact<Array<'a>> {
    Place::of(facts, Some(path)).array()
}

fn firmware(facts: &Snapshot, disk: &str) -> Fact<String> {
    let smart = smart_all(facts, disk)?;
    Ok(smart["firmware_version"].as_str().map(str::to_owned))
}

/// Returns how fast the link of a disk can be, as it was negotiated: that of PCIe by its speed and lanes, and
/// that of SATA as smartctl shows it.
fn link(facts: &Snapshot, disk: &str) -> Fact<String> {
    if !disk.starts_with("nvme") {
        let speed = &smart_all(facts, disk)?["interface_speed"]["current"];
        let units = speed["units_per_second"].as_u64();
        let bits = units.zip(speed["bits_per_unit"].as_u64());
        // 8b/10b: ten bits a byte.
        return Ok(
            bits.map(|(units, bits)| format!("{} MB/s", units.saturating_mul(bits) / 10_000_000))
        );
    }
    let ports = facts.glob(&format!(
        "/sys/block/{disk}/device/nvme*/device/current_link_speed"
    ))?;
    let own = format!("/sys/block/{disk}/device/device/current_link_speed");
    for path in std::iter::once(own.as_str()).chain(ports) {
        let Some(speed) = facts.word(path)? else {
            continue;
        };
        let lanes = facts.number(&path.replace("_speed", "_width"))?;
        let both = lane_mb_per_s(speed).zip(lanes);
        return Ok(both.map(|(lane, lanes)| format!("{} MB/s", lane * lanes)));
    }
    Ok(None)
}

/// Returns the rate of a lane of PCIe (PCI Express Base Specification: 8b/10b, and 128b/130b from 8 GT/s).
fn lane_mb_per_s(speed: &str) -> Option<u64> {
    let rates = [
        ("2.5", 250),
        ("5", 500),
        ("5.0", 500),
        ("8", 985),
        ("8.0", 985),
        ("16.0", 1969),
        ("32.0", 3938),
    ];
    let number = speed.split_whitespace().next()?;
    let found = rates.iter().find(|(text, _)| *text == number);
    found.map(|(_, rate)| *rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD: [(&str, &str); 22] = [
        (
            "/proc/version",
            "Linux version 6.1.0-18-amd64 (x) #1 SMP Debian 6.1.76-1 (2024-02-01)",
        ),
        (
            "/proc/mounts",
            "/dev/md0 /srv ext4 rw,noatime,barrier=0 0 0\n",
        ),
        ("/proc/cmdline", "root=/dev/sda1 quiet mitigations=off"),
        ("/proc/meminfo", "MemTotal:       16307152 kB\n"),
        ("/proc/sys/vm/dirty_ratio", "20"),
        ("/proc/sys/vm/dirty_bytes", "0"),
        ("/sys/block/md0/md/array_state", "clean"),
        ("/sys/block/md0/md/level", "raid5"),
        ("/sys/block/md0/md/layout", "2"),
        ("/sys/block/md0/md/raid_disks", "3"),
        ("/sys/block/md0/md/chunk_size", "65536"),
        ("/sys/block/md0/md/bitmap/location", "none"),
        ("/sys/block/md0/md/stripe_cache_size", "4096"),
        ("/sys/block/md0/md/sync_action", "resync"),
        ("/sys/block/md0/size", "209715200"),
        ("/sys/block/md0/slaves/sda", ""),
        ("/sys/block/md0/queue/read_ahead_kb", "512"),
        ("/sys/block/sda/size", "1"),
        ("/sys/block/sda/queue/rotational", "0"),
        ("/sys/block/sda/queue/scheduler", "none [mq-deadline] bfq"),
        ("/sys/block/sda/queue/write_cache", "write back"),
        ("/sys/devices/system/cpu/intel_pstate/no_turbo", "1"),
    ];

    fn value(facts: &Snapshot, path: Option<&str>, key: &str) -> String {
        let readings = readings(facts, path);
        let found = readings.iter().find(|one| one.key == key).unwrap();
        match &found.value {
            Ok(Some(value)) => value.clone(),
            Ok(None) => "absent".to_owned(),
            Err(missing) => format!("missing {}", missing.fact),
        }
    }

    #[test]
    fn each_fact_of_the_only_array_is_in_the_words_of_a_study() {
        let facts = Snapshot::of_files(MD);
        for (key, expected) in [
            ("kernel", "6.1.76"),
            ("turbo", "off"),
            ("boot_options", "mitigations=off"),
            ("memory", "15.50 GiB"),
            ("dirty_limit", "3136M"),
            ("array", "raid5:left-symmetric:3:64K"),
            ("bitmap", "none"),
            ("stripe_cache_size", "4096"),
            ("sync_action", "resync"),
            ("device", "sata-ssd"),
            ("scheduler", "mq-deadline"),
            ("write_cache", "on"),
            ("read_ahead", "512K"),
            ("filesystem", "ext4"),
            ("flush", "ignored"),
            ("mount_options", "barrier=0,noatime,rw"),
            ("drive_firmware", "missing `smartctl -a /dev/sda -j`"),
        ] {
            assert_eq!(value(&facts, None, key), expected, "{key}");
            assert_eq!(value(&facts, Some("/srv/file"), key), expected, "{key}");
        }
        let found = names(&facts, Some("/srv/file"));
        assert_eq!(found.array.as_deref(), Some("md0"));
        assert_eq!(found.disks, ["sda"]);
        assert_eq!(found.place.as_deref(), Some("/srv"));
        // A device has no filesystem in the way.
        assert_eq!(value(&facts, Some("/dev/md0"), "filesystem"), "absent");
        assert_eq!(value(&facts, Some("/dev/sda"), "array"), "none:1");
    }

    #[test]
    fn each_file_is_collected_and_is_that_of_a_fact() {
        let facts = Snapshot::of_files(MD);
        let keys: Vec<&str> = readings(&facts, None).iter().map(|one| one.key).collect();
        for (pattern, key) in FILES {
            assert!(keys.contains(&key), "{key}");
            assert!(crate::sources::covers_pattern(pattern), "{pattern}");
        }
        let policy = "/sys/devices/system/cpu/cpufreq/policy7/scaling_governor";
        assert_eq!(key_of(policy), Some("governor"));
        assert_eq!(key_of("/etc/fstab"), None);
    }

    #[test]
    fn a_governor_names_its_driver_where_powersave_follows_the_load() {
        let policy = "/sys/devices/system/cpu/cpufreq/policy0";
        let driver = format!("{policy}/scaling_driver");
        let governor = format!("{policy}/scaling_governor");
        let of = |name| Snapshot::of_files([(&*driver, name), (&*governor, "powersave")]);
        assert_eq!(value(&of("acpi-cpufreq"), None, "governor"), "powersave");
        let active = value(&of("intel_pstate"), None, "governor");
        assert_eq!(active, "powersave of intel_pstate");
    }
}
