//! A cell and the model of its machine as facts describe them: what the model takes of a fact.
//!
//! A fact is a key and a value in words, as a study or the kernel has it. Setting facts of one side and of
//! the other one by one is the ablation ([`super::ablation`]): there is no second list of changes.

use std::num::NonZeroU32;

use stripewise_sim::io::Member;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::{CONDITION_KEYS, Conditions};
use stripewise_study::load::{LOAD_KEYS, Load, RateProcess};
use stripewise_study::stack::{
    Array, ArraySettings, Bitmap, DeviceGroup, Filesystem, Level, Metadata, Stack,
};
use stripewise_study::workload::Workload;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

/// The name of a stack that is made of facts.
const NAME: &str = "recorded";

/// The value of a key that a load leaves out.
pub const NONE: &str = "none";

/// A cell, and the model that simulates it.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The model of the machine.
    pub model: Model,
    /// The stack, the load on it, and the conditions.
    pub cell: Cell,
}

/// Why the model does not take a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Untaken {
    /// It has no such setting.
    NoSetting,
    /// It does not simulate this value, or not here: why, in words.
    Refused(String),
}

impl Setup {
    /// Returns one device of a profile, without an array or a filesystem, under a load.
    pub fn new(model: Model, device: &str, workload: Workload) -> Self {
        let group = DeviceGroup {
            profile: device.to_owned(),
            count: NonZeroU32::MIN,
        };
        let cell = Cell {
            stack: Stack {
                name: NAME.to_owned(),
                devices: vec![group],
                adapter: None,
                array: None,
                volume: None,
                filesystem: Filesystem::None,
            },
            workload,
            conditions: Conditions::default(),
        };
        Self { model, cell }
    }

    /// Sets a fact.
    ///
    /// # Errors
    /// [`Untaken`]; the setup is then as before.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Untaken> {
        let mut changed = self.clone();
        let is_taken = changed.put(key, value).ok_or(Untaken::NoSetting)?;
        if !is_taken {
            return Err(Untaken::Refused(format!("`{value}` is no value of it")));
        }
        let built = changed.model.build(&changed.cell, 0);
        built.map_err(|error| Untaken::Refused(error.to_string()))?;
        *self = changed;
        Ok(())
    }

    /// Sets facts, those again that only others make possible; returns what became of each.
    pub fn set_all(&mut self, facts: &[(&str, &str)]) -> Vec<Result<(), Untaken>> {
        let mut taken: Vec<Result<(), Untaken>> = Vec::new();
        for (key, value) in facts {
            taken.push(self.set(key, value));
        }
        loop {
            let mut is_better = false;
            for (taken, (key, value)) in taken.iter_mut().zip(facts) {
                if matches!(taken, Err(Untaken::Refused(_))) {
                    *taken = self.set(key, value);
                    is_better |= taken.is_ok();
                }
            }
            if !is_better {
                return taken;
            }
        }
    }

    /// Puts a value; `None` if there is no such setting, `false` if this is no value of it.
    fn put(&mut self, key: &str, value: &str) -> Option<bool> {
        if let Some(row) = LOAD_KEYS.iter().find(|row| row.name == key) {
            let load = &mut self.cell.workload.load;
            // `none` is a value of some keys, such as `sync`; others have it where a load leaves them out.
            let is_none = value == NONE && (row.get)(load).is_none();
            return Some(
                is_none || (row.put)(load, value) || (value == NONE && leave_out(load, key)),
            );
        }
        // The kernel is the model's, as `rules.toml` says more than a study may name.
        if key == "kernel" {
            let version = KernelVersion::parse(value);
            self.model.kernel = version.unwrap_or(self.model.kernel);
            self.cell.conditions.kernel = None;
            return Some(version.is_some());
        }
        if let Some(row) = CONDITION_KEYS.iter().find(|row| row.name == key) {
            return Some((row.put)(&mut self.cell.conditions, value));
        }
        let is_put = match key {
            "device" => self.put_device(value),
            "array" => self.put_array(value),
            "bitmap" => self.put_bitmap(value),
            "filesystem" => {
                let place = &mut self.cell.stack.filesystem;
                if kind_of(place) != value {
                    *place = filesystem(value);
                }
                true
            }
            "mkfs" => self.put_mkfs(value),
            "missing_members" => self.put_missing(value),
            "dirty_limit" => self.put_dirty_limit(value),
            "cores" => self.put_cores(value),
            "host_profile" => self.put_host(value),
            "rotational" => self.put_rotational(value),
            _ => return self.put_array_setting(key, value),
        };
        Some(is_put)
    }

    fn put_device(&mut self, profile: &str) -> bool {
        let is_known = self.model.profiles.devices.contains_key(profile);
        for group in &mut self.cell.stack.devices {
            group.profile = profile.to_owned();
        }
        is_known
    }

    /// Reads the words for `mkfs` and the pool, as [`mkfs`] writes them.
    fn put_mkfs(&mut self, value: &str) -> bool {
        let Filesystem::Made {
            mkfs, group, log, ..
        } = &mut self.cell.stack.filesystem
        else {
            return false;
        };
        (*group, *log) = (None, None);
        mkfs.clear();
        for word in value.split_whitespace().filter(|word| *word != NONE) {
            match (word.strip_prefix("group="), word.strip_prefix("log=")) {
                (Some(devices), _) => *group = devices.parse().ok(),
                (_, Some(profile)) => *log = Some(profile.to_owned()),
                _ => mkfs.push(word.to_owned()),
            }
        }
        true
    }

    /// Reads `raid10:n2:4:64K`, `raid1:2`, or `none:1`: the level, its layout, the devices, the chunk. What
    /// else a study says of the array stays.
    fn put_array(&mut self, value: &str) -> bool {
        if array(&self.cell.stack).as_deref() == Some(value) {
            return true;
        }
        let mut words = value.split(':');
        let level = words.next().unwrap_or_default();
        let (mut layout, mut count, mut chunk_bytes) = (None, None, None);
        for word in words {
            match (word.parse::<NonZeroU32>(), Bytes::parse(word)) {
                (Ok(devices), _) => count = Some(devices),
                (_, Ok(chunk)) => chunk_bytes = Some(chunk),
                _ => layout = Some(word.to_owned()),
            }
        }
        let stack = &mut self.cell.stack;
        let (Some(count), [group]) = (count, &mut stack.devices[..]) else {
            return false;
        };
        group.count = count;
        let Some(level) = Level::of_name(level) else {
            stack.array = None;
            return level == "none";
        };
        let before = stack.array.take();
        stack.array = Some(Array {
            level,
            layout,
            chunk_bytes: chunk_bytes.filter(|_| level.has_chunk()),
            bitmap: match (&before, level.has_bitmap()) {
                (Some(array), true) => array.bitmap,
                _ => Bitmap::None,
            },
            metadata: before
                .as_ref()
                .map_or(Metadata::V1_2, |array| array.metadata),
            assume_clean: true,
            size_bytes: before.as_ref().and_then(|array| array.size_bytes),
            beside: Vec::new(),
            settings: before.map_or_else(ArraySettings::default, |array| array.settings),
        });
        true
    }

    fn put_bitmap(&mut self, value: &str) -> bool {
        let Some(array) = &mut self.cell.stack.array else {
            return false;
        };
        array.bitmap = match (value, Bytes::parse(value)) {
            ("none", _) => Bitmap::None,
            ("internal", _) => Bitmap::Internal { chunk_bytes: None },
            (_, Ok(chunk)) => Bitmap::Internal {
                chunk_bytes: Some(chunk),
            },
            _ => return false,
        };
        true
    }

    fn put_missing(&mut self, value: &str) -> bool {
        let Ok(count) = value.parse::<u16>() else {
            return false;
        };
        self.model.failed = (0..count).map(Member).collect();
        true
    }

    fn put_array_setting(&mut self, key: &str, value: &str) -> Option<bool> {
        let array = self.cell.stack.array.as_mut();
        let settings = array.map(|array| &mut array.settings);
        let place = match (key, settings) {
            ("stripe_cache_size", Some(settings)) => &mut settings.stripe_cache_size,
            ("group_thread_cnt", Some(settings)) => &mut settings.group_thread_cnt,
            ("rmw_level", Some(settings)) => &mut settings.rmw_level,
            _ => return None,
        };
        *place = value.parse().ok();
        Some(place.is_some())
    }

    fn put_dirty_limit(&mut self, value: &str) -> bool {
        let Ok(limit) = Bytes::parse(value) else {
            return false;
        };
        for host in self.model.profiles.hosts.values_mut() {
            host.memory.dirty_bytes_max = limit.as_u64();
        }
        true
    }

    /// Sets what the kernel takes disks for, whatever they are.
    fn put_rotational(&mut self, value: &str) -> bool {
        for group in &self.cell.stack.devices {
            if let Some(device) = self.model.profiles.devices.get_mut(&group.profile) {
                device.rotational = value == "1";
            }
        }
        ["0", "1"].contains(&value)
    }

    fn put_host(&mut self, profile: &str) -> bool {
        let is_known = self.model.profiles.hosts.contains_key(profile);
        self.model.host = Some(profile.to_owned());
        is_known
    }

    fn put_cores(&mut self, value: &str) -> bool {
        let Ok(cores) = value.parse::<NonZeroU32>() else {
            return false;
        };
        for host in self.model.profiles.hosts.values_mut() {
            host.cpu.cores = cores.get();
        }
        true
    }
}

/// Takes a key out of a load; `false` if every load has it.
fn leave_out(load: &mut Load, key: &str) -> bool {
    match key {
        "fsync" => load.fsync_every = None,
        "fdatasync" => load.fdatasync_every = None,
        "rate" => load.rate_bytes_per_s = None,
        "rate_iops" => load.rate_iops = None,
        "think_blocks" => load.think_blocks = None,
        "think_iotime" => load.think_iotime_ns = None,
        "mix" => load.read_percent = None,
        "rate_process" => load.rate_process = RateProcess::Linear,
        "norandommap" => load.norandommap = false,
        _ => return false,
    }
    true
}

/// Returns the array of a stack of one kind of device as a fact; `none:N` without one, and `None` for devices
/// of several kinds.
pub fn array(stack: &Stack) -> Option<String> {
    let [group] = &stack.devices[..] else {
        return None;
    };
    let Some(array) = &stack.array else {
        return Some(format!("{NONE}:{}", group.count));
    };
    let mut words = vec![array.level.to_string()];
    words.extend(array.layout.clone());
    words.push(group.count.to_string());
    words.extend(array.chunk_bytes.map(|chunk| chunk.to_string()));
    Some(words.join(":"))
}

/// Returns the words with which a filesystem or pool is made, as a fact; `None` if it is not made.
pub fn mkfs(filesystem: &Filesystem) -> Option<String> {
    let Filesystem::Made {
        mkfs, group, log, ..
    } = filesystem
    else {
        return None;
    };
    let mut words = mkfs.clone();
    words.extend(group.map(|devices| format!("group={devices}")));
    words.extend(log.as_ref().map(|profile| format!("log={profile}")));
    Some(match words.is_empty() {
        true => NONE.to_owned(),
        false => words.join(" "),
    })
}

/// Returns the kind of a filesystem, as a fact.
fn kind_of(filesystem: &Filesystem) -> &str {
    match filesystem {
        Filesystem::Existing => "existing",
        Filesystem::None => NONE,
        Filesystem::Made { kind, .. } => kind,
    }
}

/// Returns a filesystem of a kind with mkfs's defaults; `none` is the bare device.
fn filesystem(kind: &str) -> Filesystem {
    match kind {
        "none" => Filesystem::None,
        kind => Filesystem::Made {
            kind: kind.to_owned(),
            mkfs: Vec::new(),
            options: Vec::new(),
            group: None,
            log: None,
        },
    }
}

#[cfg(test)]
mod tests {
    use stripewise_profiles::Profiles;
    use stripewise_study::workload::Pattern;

    use super::*;

    fn setup() -> Setup {
        let model = Model::new(Profiles::shipped(), KernelVersion::new(6, 1, 0));
        let load = Load::new(Pattern::RandRead, Bytes::new(4096), Bytes::new(1 << 30));
        Setup::new(model, "sata-ssd", Workload::alone(load))
    }

    #[test]
    fn each_kind_of_fact_is_set_as_a_study_has_it() {
        let mut setup = setup();
        for (key, value) in [
            ("array", "raid5:left-symmetric:4:64K"),
            ("bitmap", "64M"),
            ("stripe_cache_size", "4096"),
            ("kernel", "5.10"),
            ("governor", "powersave"),
            ("scheduler", "none"),
            ("depth", "8"),
            ("engine", "libaio"),
            ("missing_members", "1"),
            ("dirty_limit", "1G"),
            ("cores", "2"),
            ("device", "nvme-ssd"),
        ] {
            assert_eq!(setup.set(key, value), Ok(()), "{key}");
        }
        let array = setup.cell.stack.array.as_ref().unwrap();
        assert_eq!(array.chunk_bytes, Some(Bytes::new(65536)));
        assert_eq!(array.settings.stripe_cache_size, Some(4096));
        assert_eq!(setup.cell.stack.device_count(), 4);
        assert_eq!(setup.model.kernel, KernelVersion::new(5, 10, 0));
        // Another chunk keeps the bitmap and the settings.
        setup.set("array", "raid5:left-symmetric:4:128K").unwrap();
        let array = setup.cell.stack.array.as_ref().unwrap();
        assert_eq!(array.settings.stripe_cache_size, Some(4096));
        assert_ne!(array.bitmap, Bitmap::None);
    }

    #[test]
    fn a_key_that_a_load_leaves_out_is_set_and_taken_out() {
        let mut setup = setup();
        setup.set("pattern", "randwrite").unwrap();
        let before = setup.cell.clone();
        assert_eq!(setup.set("fsync", NONE), Ok(()));
        setup.set("fsync", "4").unwrap();
        assert_ne!(setup.cell, before);
        setup.set("fsync", NONE).unwrap();
        assert_eq!(setup.cell, before);
        let refused = setup.set("block_size", NONE);
        assert!(matches!(refused, Err(Untaken::Refused(_))), "{refused:?}");
    }

    /// Two files of fio that differ in one option: the one without it has `none`.
    #[test]
    fn each_key_of_a_load_goes_from_none_to_a_value_and_back() {
        for (pattern, key, value) in [
            ("randwrite", "sync", "sync"),
            ("randwrite", "sync", "dsync"),
            ("write", "fdatasync", "1"),
            ("randwrite", "rate", "8M"),
            ("randread", "rate_iops", "500"),
            ("randread", "norandommap", "true"),
            ("randrw", "mix", "70/30"),
        ] {
            let mut setup = setup();
            setup.set("pattern", pattern).unwrap();
            let without = setup.cell.workload.load.clone();
            assert_eq!(setup.set(key, value), Ok(()), "{key}");
            assert_ne!(setup.cell.workload.load, without, "{key}");
            assert_eq!(setup.set(key, NONE), Ok(()), "{key}");
            assert_eq!(setup.cell.workload.load, without, "{key}");
        }
    }

    #[test]
    fn what_only_another_fact_makes_possible_is_set_after_it() {
        let mut setup = setup();
        let refused = setup.clone().set_all(&[("bitmap", "64M"), ("depth", "2")]);
        assert!(matches!(refused[..], [Err(Untaken::Refused(_)), Ok(())]));
        let both = [("bitmap", "64M"), ("array", "raid5:left-symmetric:4:64K")];
        assert_eq!(setup.set_all(&both), [Ok(()), Ok(())]);
    }

    /// The failure: a pool without compression and one with it "differ in nothing", as the fact of the
    /// filesystem made it one with defaults on both sides.
    #[test]
    fn a_fact_that_is_as_it_was_leaves_the_rest_of_a_stack() {
        let mut setup = setup();
        setup.set("filesystem", "zfs").unwrap();
        setup.set("mkfs", "-O compression=lz4").unwrap();
        setup.set("array", "none:1").unwrap();
        let before = setup.cell.clone();
        assert_eq!(
            mkfs(&before.stack.filesystem).as_deref(),
            Some("-O compression=lz4")
        );
        setup.set("filesystem", "zfs").unwrap();
        assert_eq!(setup.cell, before);
        setup.set("mkfs", NONE).unwrap();
        assert_eq!(mkfs(&setup.cell.stack.filesystem).as_deref(), Some(NONE));
        setup.set("filesystem", NONE).unwrap();
        let refused = setup.set("mkfs", "-O compression=lz4");
        assert!(matches!(refused, Err(Untaken::Refused(_))), "{refused:?}");
    }

    #[test]
    fn what_the_model_does_not_take_leaves_the_setup_as_it_was() {
        let mut setup = setup();
        let before = setup.cell.clone();
        assert_eq!(setup.set("drive_firmware", "1.0"), Err(Untaken::NoSetting));
        for (key, value) in [
            ("governor", "no-such"),
            ("scheduler", "bfq"),
            ("array", "raid5:1:64K"),
            ("bitmap", "internal"),
            ("filesystem", "no-such"),
            ("device", "no-such"),
        ] {
            let refused = setup.set(key, value);
            assert!(
                matches!(refused, Err(Untaken::Refused(_))),
                "{key}: {refused:?}"
            );
            assert_eq!(setup.cell, before, "{key}");
        }
    }
}
