//! What is known of the machine of a side, by key: from a tree of facts, else from the run.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::Path;

use stripewise_catalogue::Message;
use stripewise_check::performance::{self, readings};
use stripewise_check::{class, reason, tree};
use stripewise_diagnose::explain::ablation::Change;
use stripewise_diagnose::explain::actions::Names;
use stripewise_diagnose::explain::kinds::{ALL, JOB_OPTIONS, Kind};
use stripewise_diagnose::explain::setup::{self, NONE};
use stripewise_profiles::Profiles;
use stripewise_report::explained::{Conflict, Source};
use stripewise_results::Run;
use stripewise_results::world::WorldSpec;
use stripewise_study::conditions::CONDITION_KEYS;
use stripewise_study::facts::{ArrayFacts, DeviceFacts, Facts as Recorded};
use stripewise_study::load::LOAD_KEYS;
use stripewise_study::stack::{Filesystem, Stack};
use stripewise_units::kernel::KernelVersion;

use super::apart::Apart;
use super::side::Side;
use super::stated::{OfFile, text_of};
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
/// Facts that only a study states, and no machine.
const OF_STUDIES: [&str; 2] = ["mkfs", "volume"];
/// Facts of arrays with parity alone.
const OF_PARITY: [&str; 2] = ["stripe_cache_size", "group_thread_cnt"];
/// Facts of the results and the load, which are no facts of a machine.
const OF_RESULTS: [&str; 7] = [
    "neighbours",
    "target",
    "file",
    "disks",
    "fio_version",
    "fio_options",
    JOB_OPTIONS,
];

/// Facts by key.
#[derive(Debug, Default)]
pub(super) struct Facts {
    values: BTreeMap<String, String>,
    missing: BTreeMap<String, Message>,
    /// Keys of which it is known that there is no such thing.
    absent: Vec<&'static str>,
    /// Where two sources disagree.
    conflicts: Vec<Conflict>,
    /// What the load ran on, by the kernel's names.
    names: Names,
    /// Whether the machine is a model.
    is_simulated: bool,
    /// Profiles that have another name here, as they have other numbers than those of the other side.
    renamed: BTreeMap<String, String>,
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
        match (&side.run.facts[..], simulated) {
            // The machine that simulated is not the one that was simulated.
            (_, Some(model)) => {
                facts.put("kernel", model.kernel.to_string());
                facts.put("host_profile", model.host.clone());
                let own = || model.profiles.parse().ok();
                let of_profile =
                    |profiles: Profiles| Some(profiles.host(Some(&model.host)).ok()?.cpu.cores);
                let cores = model
                    .cores
                    .map(NonZeroU32::get)
                    .or_else(|| own().and_then(of_profile));
                facts.put_known("cores", cores.map(|cores| cores.to_string()));
                facts.is_simulated = true;
            }
            ([earlier @ .., last], None) => {
                facts.add_recorded(&last.facts);
                for record in earlier {
                    let mut other = Self::default();
                    other.add_recorded(&record.facts);
                    for (key, value) in other.values {
                        facts.compare(&key, &value, Source::EarlierPart);
                    }
                }
            }
            ([], None) => {}
        }
        if let Some(tree) = tree {
            facts.add_tree(tree, path_of(&side.run))?;
        }
        Ok(facts)
    }

    /// Gives profiles with other numbers than those of the same name on the other side their own names.
    pub(super) fn tell_apart(&mut self, apart: &Apart) {
        self.renamed.clone_from(&apart.devices);
        if let Some(host) = self.values.get_mut("host_profile")
            && let Some(new) = apart.hosts.get(host)
        {
            host.clone_from(new);
        }
    }

    /// Returns whether something is known of the machine.
    pub(super) fn are_of_machine(&self) -> bool {
        self.values
            .keys()
            .any(|key| !OF_RESULTS.contains(&key.as_str()))
    }

    /// Returns the keys of all facts of a machine that apply to either side.
    pub(super) fn keys_of_machine(both: [&Facts; 2]) -> Vec<&'static str> {
        let array = |facts: &Facts| facts.values.get("array").cloned();
        let has_array = both
            .into_iter()
            .filter_map(array)
            .any(|array| !array.starts_with(NONE));
        let has_parity = both.into_iter().filter_map(array).any(|array| {
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
                && !OF_STUDIES.contains(key)
                && (has_profile || *key != "host_profile")
                && (has_array || !OF_ARRAYS.contains(key))
                && (has_parity || !OF_PARITY.contains(key))
        };
        ALL.iter()
            .map(|kind: &Kind| kind.key)
            .filter(applies)
            .collect()
    }

    /// Returns whether a fact is missing; what is simulated has no facts but those of its study.
    pub(super) fn missed(&self, key: &str) -> Missed {
        match self.missing.get(key) {
            _ if self.is_simulated => Missed::No,
            _ if self.values.contains_key(key) || self.absent.contains(&key) => Missed::No,
            Some(why) => Missed::Why(why.clone()),
            None => Missed::NeverRead,
        }
    }

    /// Returns what the load ran on, by the kernel's names.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// Returns where two sources of this side disagree.
    pub(super) fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }

    /// Notes that another source has another value than the one that is taken.
    fn compare(&mut self, key: &str, other: &str, source: Source) {
        let Some(taken) = self
            .values
            .get(key)
            .filter(|taken| !agree(key, taken, other))
        else {
            return;
        };
        let conflict = Conflict {
            key: key.to_owned(),
            taken: taken.clone(),
            other: other.to_owned(),
            source,
        };
        if !self.conflicts.contains(&conflict) {
            self.conflicts.push(conflict);
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
        self.put_known("drive_firmware", of(|disk| disk.firmware.clone()));
        self.put_known("scheduler", of(|disk| disk.scheduler.clone()));
        self.put_known(
            "rotational",
            of(|disk| Some(u8::from(disk.rotational?).to_string())),
        );
        self.put_known(
            "device",
            of(|disk| class(&disk.name, disk.rotational).map(str::to_owned)),
        );
        self.put_known(
            "write_cache",
            of(|disk| {
                let cache = disk.write_cache.as_deref()?;
                Some(if cache == "write back" { "on" } else { "off" }.to_owned())
            }),
        );
        let own = |array: &&ArrayFacts| target.devices.contains(&array.name);
        self.names = Names {
            array: facts
                .arrays
                .iter()
                .find(own)
                .map(|array| array.name.clone()),
            top: target.devices.first().cloned(),
            disks: target.disks.clone(),
            place: target.mount_point.clone(),
        };
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
        let running = performance::running_kernel(&snapshot);
        let found = performance::names(&snapshot, place.as_deref());
        self.names = Names {
            array: found.array,
            top: found.top,
            disks: found.disks,
            place: found.place,
        };
        for reading in readings(&snapshot, place.as_deref()) {
            match reading.value {
                Ok(Some(value)) => {
                    if let Some(of_run) = self.values.insert(reading.key.to_owned(), value) {
                        self.compare(reading.key, &of_run, Source::Run);
                    }
                    self.missing.remove(reading.key);
                }
                Ok(None) => self.absent.push(reading.key),
                Err(missing) => {
                    let why = Message::new("check-missing")
                        .name("fact", &missing.fact)
                        .with("why", reason(&missing.why));
                    self.missing.insert(reading.key.to_owned(), why);
                }
            }
        }
        let of_source = self.values.get("kernel").cloned();
        if let Some((of_source, running)) = of_source.zip(running) {
            // A distribution's kernel counts its own builds: 6.1.0-18 is of the source 6.1.76.
            let begins = |text: &str| -> Vec<String> {
                let numbers = text.split(['.', '-']).take(2);
                numbers.map(str::to_owned).collect()
            };
            if begins(&of_source) != begins(&running) {
                self.compare("kernel", &running, Source::Running);
            }
        }
        Ok(())
    }

    /// Returns the facts of one cell of a side: those of the machine, of the stack, and of the load.
    pub(super) fn with_cell(&self, run: &Run, index: usize) -> BTreeMap<String, String> {
        let cell = &run.cells[index];
        let mut values = self.values.clone();
        let of_file = OfFile::of(run, index);
        if let Some(device) = of_file.as_ref().and_then(OfFile::device) {
            values
                .entry("device".to_owned())
                .or_insert_with(|| device.to_owned());
        }
        let mut put = |key: &str, value: String| values.insert(key.to_owned(), value);
        for key in CONDITION_KEYS {
            if let Some(value) = (key.get)(&cell.conditions) {
                put(key.name, value.text);
            }
        }
        let of_load = match &of_file {
            Some(file) => [file.load(cell), file.target()].concat(),
            None => LOAD_KEYS
                .iter()
                .map(|key| (key.name, text_of((key.get)(&cell.workload.load))))
                .collect(),
        };
        for (key, value) in of_load {
            put(key, value);
        }
        if of_file.is_none_or(|file| file.has_options()) {
            put("neighbours", cell.workload.neighbours.len().to_string());
            let options = cell.workload.options.iter();
            let options: Vec<String> = options
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            put("fio_options", options.join(" "));
        }
        for (key, value) in of_stack(&cell.stack, &self.renamed) {
            put(key, value);
        }
        values
    }
}

/// Returns whether two sources say the same of a fact, one perhaps less exactly.
fn agree(key: &str, one: &str, other: &str) -> bool {
    let version = |text: &str| KernelVersion::parse(text);
    match key {
        "kernel" => version(one).is_some() && version(one) == version(other),
        "bitmap" => (one == NONE) == (other == NONE),
        _ => one == other,
    }
}

/// Returns the facts of a stack that a study describes.
fn of_stack(stack: &Stack, renamed: &BTreeMap<String, String>) -> Vec<(&'static str, String)> {
    if stack.devices.is_empty() {
        return Vec::new();
    }
    let groups = stack.devices.iter();
    let name = |profile: &String| renamed.get(profile).unwrap_or(profile).clone();
    let device = match &stack.devices[..] {
        [group] => name(&group.profile),
        _ => {
            let groups = groups.map(|group| format!("{} x{}", name(&group.profile), group.count));
            groups.collect::<Vec<_>>().join(", ")
        }
    };
    let mut facts = vec![("device", device)];
    facts.extend(setup::array(stack).map(|array| ("array", array)));
    let volume = stack.volume.as_ref();
    facts.push((
        "volume",
        volume.map_or_else(|| NONE.to_owned(), ToString::to_string),
    ));
    if let Some(array) = &stack.array {
        let bitmap = array.bitmap.to_string();
        let chunk = bitmap.strip_prefix("internal:").map(str::to_owned);
        facts.push(("bitmap", chunk.unwrap_or(bitmap)));
        facts.push(("metadata", array.metadata.to_string()));
        let settings = array.settings.numbers().into_iter();
        facts.extend(settings.map(|setting| (setting.tunable.key, setting.to_string())));
    }
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
            ("mkfs", setup::mkfs(filesystem).unwrap_or_default()),
        ],
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
    // A device as the target is one of the disks.
    let has_other_disks = changes.iter().any(|change| change.key == "disks");
    let is_device =
        |change: &Change| change.before.starts_with("/dev/") && change.after.starts_with("/dev/");
    changes.retain(|change| !(has_other_disks && change.key == "target" && is_device(change)));
    changes.sort_by_key(|change| place(&change.key));
    changes
}
