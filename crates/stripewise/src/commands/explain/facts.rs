//! What is known of the machine of a side, by key: from a tree of facts, else from the run.

use std::collections::BTreeMap;
use std::path::Path;

use stripewise_catalogue::Message;
use stripewise_check::performance::readings;
use stripewise_check::{reason, tree};
use stripewise_diagnose::explain::ablation::Change;
use stripewise_diagnose::explain::kinds::{ALL, Kind};
use stripewise_diagnose::explain::setup::NONE;
use stripewise_results::Run;
use stripewise_results::world::WorldSpec;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::CONDITION_KEYS;
use stripewise_study::facts::{ArrayFacts, DeviceFacts, Facts as Recorded};
use stripewise_study::load::LOAD_KEYS;
use stripewise_study::stack::{Filesystem, Stack};

use super::side::Side;
use crate::failure::{Failure, Result};
use crate::inputs;

/// Facts of arrays alone.
const OF_ARRAYS: [&str; 7] = [
    "bitmap",
    "stripe_cache_size",
    "group_thread_cnt",
    "consistency_policy",
    "metadata",
    "missing_members",
    "sync_action",
];
/// Facts of arrays with parity alone.
const OF_PARITY: [&str; 2] = ["stripe_cache_size", "group_thread_cnt"];
/// Facts of the results and the load, which are no facts of a machine.
const OF_RESULTS: [&str; 3] = ["neighbours", "fio_version", "fio_options"];

/// Facts by key.
#[derive(Debug, Default)]
pub(super) struct Facts {
    values: BTreeMap<String, String>,
    missing: BTreeMap<String, Message>,
    /// Keys of which it is known that there is no such thing.
    absent: Vec<&'static str>,
}

/// Why a fact is missing.
#[derive(Debug)]
pub(super) enum Missed {
    /// It is not.
    No,
    /// Why.
    Why(Message),
    /// Nothing reads it.
    NeverRead,
}

impl Facts {
    /// Returns the facts of a side: those of `tree`, else those of its run.
    pub(super) fn of(side: &Side, tree: Option<&Path>) -> Result<Self> {
        let mut facts = Self::default();
        let simulated = side.run.world.as_ref().and_then(WorldSpec::model);
        match (side.run.facts.last(), simulated) {
            // The machine that simulated is not the one that was simulated.
            (_, Some(model)) => {
                facts.put("kernel", model.kernel.to_string());
                facts.put("host_profile", model.host.clone());
            }
            (Some(record), None) => facts.add_recorded(&record.facts),
            (None, None) => {}
        }
        if let Some(tree) = tree {
            facts.add_tree(tree, path_of(&side.run))?;
        }
        Ok(facts)
    }

    /// Returns whether something is known of the machine.
    pub(super) fn are_of_machine(&self) -> bool {
        self.values
            .keys()
            .any(|key| !OF_RESULTS.contains(&key.as_str()))
    }

    /// Returns the keys of all facts of a machine that apply to either side.
    pub(super) fn keys_of_machine(both: &[Facts; 2]) -> Vec<&'static str> {
        let array = |facts: &Facts| facts.values.get("array").cloned();
        let has_array = both
            .iter()
            .filter_map(array)
            .any(|array| !array.starts_with(NONE));
        let has_parity = both.iter().filter_map(array).any(|array| {
            ["raid4", "raid5", "raid6"]
                .iter()
                .any(|level| array.starts_with(level))
        });
        // Only what is simulated has a profile for its host.
        let has_profile = both
            .iter()
            .any(|facts| facts.values.contains_key("host_profile"));
        let applies = |key: &&'static str| {
            !OF_RESULTS.contains(key)
                && (has_profile || *key != "host_profile")
                && (has_array || !OF_ARRAYS.contains(key))
                && (has_parity || !OF_PARITY.contains(key))
        };
        ALL.iter()
            .map(|kind: &Kind| kind.key)
            .filter(applies)
            .collect()
    }

    /// Returns whether a fact is missing.
    pub(super) fn missed(&self, key: &str) -> Missed {
        match self.missing.get(key) {
            _ if self.values.contains_key(key) || self.absent.contains(&key) => Missed::No,
            Some(why) => Missed::Why(why.clone()),
            None => Missed::NeverRead,
        }
    }

    fn put(&mut self, key: &str, value: impl Into<String>) {
        self.missing.remove(key);
        self.values.insert(key.to_owned(), value.into());
    }

    fn put_known(&mut self, key: &str, value: Option<impl Into<String>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    /// Adds what a run recorded.
    fn add_recorded(&mut self, facts: &Recorded) {
        let kernel = facts.kernel_source.as_ref().or(facts.kernel.as_ref());
        self.put_known("kernel", kernel.cloned());
        let cpu = &facts.cpu;
        let is_active = cpu.frequency_driver.as_deref();
        let is_active = is_active.filter(|name| ["intel_pstate", "amd-pstate-epp"].contains(name));
        let governor = cpu.governor.as_deref().map(|governor| match is_active {
            Some(driver) if governor == "powersave" => format!("powersave of {driver}"),
            _ => governor.to_owned(),
        });
        self.put_known("governor", governor);
        self.put_known("frequency_driver", cpu.frequency_driver.clone());
        self.put_known("energy_preference", cpu.energy_preference.clone());
        self.put_known("cpu_model", cpu.model.clone());
        self.put_known("cores", cpu.logical_count.map(|count| count.to_string()));
        let quarters = facts
            .memory_bytes
            .map(|bytes| (bytes.as_u64() + (1 << 27)) >> 28);
        let memory = quarters.map(|one| format!("{}.{:02} GiB", one / 4, one % 4 * 25));
        self.put_known("memory", memory);
        self.put_known("fio_version", facts.tools.get("fio").cloned());
        self.add_target(facts);
    }

    fn add_target(&mut self, facts: &Recorded) {
        let Some(target) = &facts.target else {
            return;
        };
        self.put_known("filesystem", target.filesystem.clone());
        if !target.options.is_empty() {
            let mut options = target.options.clone();
            options.sort_unstable();
            options.dedup();
            self.put("mount_options", options.join(","));
        }
        self.put_known("compression", target.compression.clone());
        let disks = target.disks.iter().filter_map(|name| facts.device(name));
        let disks: Vec<&DeviceFacts> = disks.collect();
        let of = |value: fn(&DeviceFacts) -> Option<String>| {
            let mut values: Vec<String> = disks.iter().filter_map(|disk| value(disk)).collect();
            values.sort_unstable();
            values.dedup();
            (!values.is_empty()).then(|| values.join(","))
        };
        self.put_known("drive_model", of(|disk| disk.model.clone()));
        self.put_known("scheduler", of(|disk| disk.scheduler.clone()));
        self.put_known(
            "rotational",
            of(|disk| Some(u8::from(disk.rotational?).to_string())),
        );
        self.put_known("device", of(|disk| class(disk).map(str::to_owned)));
        self.put_known(
            "write_cache",
            of(|disk| {
                let cache = disk.write_cache.as_deref()?;
                Some(if cache == "write back" { "on" } else { "off" }.to_owned())
            }),
        );
        let own = |array: &&ArrayFacts| target.devices.contains(&array.name);
        match facts.arrays.iter().find(own) {
            Some(array) => self.add_array(array),
            None if !disks.is_empty() => self.put("array", format!("{NONE}:{}", disks.len())),
            None => {}
        }
    }

    fn add_array(&mut self, array: &ArrayFacts) {
        if let (Some(level), Some(count)) = (&array.level, array.member_count) {
            let mut words = vec![level.clone()];
            words.extend(array.layout.clone());
            words.push(count.to_string());
            words.extend(array.chunk_bytes.map(|chunk| chunk.to_string()));
            self.put("array", words.join(":"));
        }
        let bitmap = array.bitmap.as_deref();
        self.put_known(
            "bitmap",
            bitmap.map(|bitmap| if bitmap == NONE { NONE } else { "internal" }),
        );
        self.put_known("metadata", array.metadata.clone());
        self.put_known(
            "missing_members",
            array.degraded_count.map(|count| count.to_string()),
        );
        self.put_known("sync_action", array.sync_action.clone());
    }

    /// Adds the facts of a tree, which are about the place where the load ran.
    fn add_tree(&mut self, path: &Path, place: Option<String>) -> Result<()> {
        inputs::note_path(path);
        let snapshot = tree::read(path).map_err(|error| {
            let hint = "name a directory or an archive that `stripewise collect --out` wrote, an unpacked sosreport, or a directory with the files of a machine";
            Failure::from_error(error.into(), Some(hint.to_owned()))
        })?;
        for reading in readings(&snapshot, place.as_deref()) {
            match reading.value {
                Ok(Some(value)) => self.put(reading.key, value),
                Ok(None) => self.absent.push(reading.key),
                Err(missing) => {
                    let why = Message::new("check-missing")
                        .name("fact", &missing.fact)
                        .with("why", reason(&missing.why));
                    self.missing.insert(reading.key.to_owned(), why);
                }
            }
        }
        Ok(())
    }

    /// Returns the facts of one cell of a side: those of the machine, of the stack, and of the load.
    pub(super) fn with_cell(&self, cell: &Cell) -> BTreeMap<String, String> {
        let mut values = self.values.clone();
        let mut put = |key: &str, value: String| values.insert(key.to_owned(), value);
        for key in CONDITION_KEYS {
            if let Some(value) = (key.get)(&cell.conditions) {
                put(key.name, value.text);
            }
        }
        for key in LOAD_KEYS {
            let value = (key.get)(&cell.workload.load).map(|value| value.text);
            put(key.name, value.unwrap_or_else(|| NONE.to_owned()));
        }
        put("neighbours", cell.workload.neighbours.len().to_string());
        let options = cell.workload.options.iter();
        let options: Vec<String> = options
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        put("fio_options", options.join(" "));
        for (key, value) in of_stack(&cell.stack) {
            put(key, value);
        }
        values
    }
}

/// Returns the facts of a stack that a study describes.
fn of_stack(stack: &Stack) -> Vec<(&'static str, String)> {
    let [group] = &stack.devices[..] else {
        return Vec::new();
    };
    let mut facts = vec![("device", group.profile.clone())];
    let Some(array) = &stack.array else {
        facts.push(("array", format!("{NONE}:{}", group.count)));
        facts.extend(of_filesystem(&stack.filesystem));
        return facts;
    };
    let mut words = vec![array.level.to_string()];
    words.extend(array.layout.clone());
    words.push(group.count.to_string());
    words.extend(array.chunk_bytes.map(|chunk| chunk.to_string()));
    facts.push(("array", words.join(":")));
    let bitmap = array.bitmap.to_string();
    let chunk = bitmap.strip_prefix("internal:").map(str::to_owned);
    facts.push(("bitmap", chunk.unwrap_or(bitmap)));
    let settings = array.settings.numbers().into_iter();
    facts.extend(settings.map(|setting| (setting.tunable.key, setting.to_string())));
    facts.extend(of_filesystem(&stack.filesystem));
    facts
}

fn of_filesystem(filesystem: &Filesystem) -> Vec<(&'static str, String)> {
    match filesystem {
        Filesystem::Existing => Vec::new(),
        Filesystem::None => vec![("filesystem", NONE.to_owned())],
        Filesystem::Made { kind, options, .. } => vec![
            ("filesystem", kind.clone()),
            ("mount_options", options.join(",")),
        ],
    }
}

/// Returns the class of a disk, which is a profile.
fn class(disk: &DeviceFacts) -> Option<&'static str> {
    match (disk.name.starts_with("nvme"), disk.rotational) {
        (true, _) => Some("nvme-ssd"),
        (false, Some(true)) => Some("hdd-7200"),
        (false, Some(false)) => Some("sata-ssd"),
        (false, None) => None,
    }
}

/// Returns the path on which fio measured, if its options name one.
fn path_of(run: &Run) -> Option<String> {
    let stated = run
        .samples
        .iter()
        .find_map(|record| record.sample.stated.as_ref())?;
    let option = |name: &str| {
        let mut options = stated.options.iter().chain(&stated.global_options);
        let found = options.find(|(of, _)| of == name);
        found.map(|(_, value)| value.clone())
    };
    let file = option("filename");
    let file = file.and_then(|files| files.split(':').next().map(str::to_owned));
    let is_absolute = |path: &String| path.starts_with('/');
    let own = file.filter(is_absolute);
    own.or_else(|| option("directory").filter(is_absolute))
}

/// Returns the facts that both have and that differ, in the order of their kinds, then those of the load.
pub(super) fn changes(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<Change> {
    let place = |key: &str| {
        let kinds = ALL.iter().position(|kind| kind.key == key);
        kinds.unwrap_or(ALL.len())
    };
    let both = before
        .iter()
        .filter_map(|(key, before)| Some((key, before, after.get(key)?)));
    let mut changes: Vec<Change> = both
        .filter(|(_, before, after)| before != after)
        .map(|(key, before, after)| Change {
            key: key.clone(),
            before: before.clone(),
            after: after.clone(),
        })
        .collect();
    changes.sort_by_key(|change| place(&change.key));
    changes
}
