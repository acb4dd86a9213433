//! Plans which files to write for the conditions of a cell. Reads only.

use std::path::{Path, PathBuf};

use stripewise_machine::{CPUFREQ, Root, cpu_policies};
use stripewise_study::conditions::{Conditions, Flush, WriteCache};
use stripewise_study::world::{WorldError, WorldName};

use super::disks::MeasuredDisks;
use super::processor;
use super::queues;
use super::setting::{self, WRITE_BACK, WRITE_THROUGH, queue};

/// A setting whose current value differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// The key in the study.
    pub(super) key: &'static str,
    /// The file.
    pub(super) path: PathBuf,
    /// The value to write.
    pub(super) value: String,
}

/// Reads the original value of a setting, before we changed anything; `None` if the file does not
/// exist.
pub(super) type ReadOriginal<'a> = &'a dyn Fn(&Path) -> Option<String>;

pub(super) fn unsupported(what: String, hint: String) -> WorldError {
    WorldError::Unsupported {
        world: WorldName::Metal,
        what,
        hint: Some(hint),
    }
}

/// Returns the settings to write, in an order that the kernel accepts.
///
/// The governor comes before the preference: under `performance`, `intel_pstate` rejects other
/// preferences (store_energy_performance_preference). The cache comes before the flushes: the
/// kernel updates its view of a drive when the drive's cache is switched. The scheduler comes before
/// the other settings of its queue.
pub(super) fn plan(
    root: &Root,
    original: ReadOriginal<'_>,
    conditions: &Conditions,
    place: &MeasuredDisks,
) -> Result<Vec<Wanted>, WorldError> {
    let mut wanted = Vec::new();
    if let Some(governor) = &conditions.governor {
        let files = ("scaling_governor", "scaling_available_governors");
        wanted.extend(of_cpus(root, original, "governor", files, governor)?);
    }
    if let Some(preference) = &conditions.energy_preference {
        let files = (
            "energy_performance_preference",
            "energy_performance_available_preferences",
        );
        wanted.extend(of_cpus(
            root,
            original,
            "energy_preference",
            files,
            preference,
        )?);
    }
    wanted.extend(processor::turbo(original, conditions)?);
    wanted.extend(processor::parameters(original, conditions)?);
    let disks_matter = conditions.scheduler.is_some()
        || conditions.write_cache.is_some()
        || conditions.flush.is_some();
    if disks_matter && place.disks.is_empty() {
        return Err(unsupported(
            "set `scheduler`, `write_cache` or `flush`: cannot determine which disks back the target"
                .to_owned(),
            "remove these keys, and set them yourself".to_owned(),
        ));
    }
    for disk in &place.disks {
        if let Some(scheduler) = &conditions.scheduler {
            wanted.extend(scheduler_of(root, original, disk, scheduler)?);
        }
        let cache = match conditions.write_cache {
            Some(cache) => cache_of(root, original, disk, cache, place)?,
            None => None,
        };
        if let Some(flush) = conditions.flush {
            let sends = sends_flushes(original, disk, cache.as_ref());
            wanted.extend(cache);
            wanted.extend(flush_of(disk, flush, sends, place)?);
        } else {
            wanted.extend(cache);
        }
    }
    wanted.extend(queues::plan(root, original, conditions, place)?);
    Ok(wanted)
}

/// Returns the settings to write on every CPU frequency policy.
fn of_cpus(
    root: &Root,
    original: ReadOriginal<'_>,
    key: &'static str,
    (file, choices): (&str, &str),
    value: &str,
) -> Result<Vec<Wanted>, WorldError> {
    let policies = cpu_policies(root).into_iter().map(PathBuf::from);
    let policies: Vec<PathBuf> = policies
        .filter(|policy| original(&policy.join(file)).is_some())
        .collect();
    if policies.is_empty() {
        return Err(unsupported(
            format!("set `{key}` to `{value}`: there is no `{CPUFREQ}/policy*/{file}`"),
            "in a virtual machine the host sets the clock, and some drivers lack this setting: remove the key"
                .to_owned(),
        ));
    }
    let mut wanted = Vec::new();
    for policy in policies {
        let path = policy.join(file);
        if original(&path).as_deref() == Some(value) {
            continue;
        }
        let choices = setting::choices(root, &policy.join(choices));
        check_choice(key, value, &choices, &policy.display().to_string())?;
        wanted.push(Wanted {
            key,
            path,
            value: value.to_owned(),
        });
    }
    Ok(wanted)
}

/// Refuses a value that the kernel does not list; without a list, the write itself shows whether
/// the kernel accepts it.
fn check_choice(key: &str, value: &str, choices: &[String], place: &str) -> Result<(), WorldError> {
    if choices.is_empty() || choices.iter().any(|choice| choice == value) {
        return Ok(());
    }
    let mut hint = format!("`{place}` supports {}", choices.join(", "));
    if key == "scheduler" {
        hint.push_str(&format!(
            "; `modprobe {value}-iosched` loads another one, if the kernel has it"
        ));
    }
    Err(unsupported(format!("set `{key}` to `{value}`"), hint))
}

fn scheduler_of(
    root: &Root,
    original: ReadOriginal<'_>,
    disk: &str,
    value: &str,
) -> Result<Option<Wanted>, WorldError> {
    const KEY: &str = "scheduler";
    let path = queue(disk, KEY);
    let Some(now) = original(&path) else {
        return Err(unsupported(
            format!("set `{KEY}` to `{value}`: `{disk}` has no `queue/scheduler`"),
            "remove the key".to_owned(),
        ));
    };
    if now == value {
        return Ok(None);
    }
    check_choice(KEY, value, &setting::choices(root, &path), disk)?;
    Ok(Some(Wanted {
        key: KEY,
        path,
        value: value.to_owned(),
    }))
}

fn cache_of(
    root: &Root,
    original: ReadOriginal<'_>,
    disk: &str,
    cache: WriteCache,
    place: &MeasuredDisks,
) -> Result<Option<Wanted>, WorldError> {
    const KEY: &str = "write_cache";
    let file = setting::cache_file(root, disk);
    // If the drive does not report its cache, only the kernel's view is known.
    let known = file.clone().unwrap_or_else(|| queue(disk, KEY));
    let now = match original(&known) {
        Some(text) if text.starts_with(WRITE_BACK) => WriteCache::On,
        _ => WriteCache::Off,
    };
    if now == cache {
        return Ok(None);
    }
    let refused = |hint: &str| {
        Err(unsupported(
            format!("set `{KEY}` of `{disk}` to `{cache}` (it is `{now}`)"),
            hint.to_owned(),
        ))
    };
    let Some(path) = file else {
        return refused(
            "the kernel has no setting for the cache in this drive (NVMe: `nvme set-feature --feature-id 6`); `queue/write_cache` only controls whether flushes are sent, which is `flush`",
        );
    };
    if cache == WriteCache::On && !place.is_ours {
        return refused(
            "it would make all other data on this disk less safe: switch it on yourself, or measure on devices under `[may_destroy]`",
        );
    }
    let value = match cache {
        WriteCache::On => WRITE_BACK,
        WriteCache::Off => WRITE_THROUGH,
    };
    Ok(Some(Wanted {
        key: KEY,
        path,
        value: value.to_owned(),
    }))
}

/// Returns whether the kernel sends flushes to a disk once `cache` is written.
fn sends_flushes(original: ReadOriginal<'_>, disk: &str, cache: Option<&Wanted>) -> bool {
    match cache {
        Some(cache) => cache.value == WRITE_BACK,
        None => original(&queue(disk, "write_cache")).as_deref() == Some(WRITE_BACK),
    }
}

/// Returns the setting for `flush`. Without a volatile cache the kernel sends no flush, and there
/// is nothing to write for either value.
fn flush_of(
    disk: &str,
    flush: Flush,
    disk_gets_flushes: bool,
    place: &MeasuredDisks,
) -> Result<Option<Wanted>, WorldError> {
    const KEY: &str = "flush";
    match flush {
        Flush::Honoured if place.sends_flushes => Ok(None),
        Flush::Honoured => Err(unsupported(
            format!("set `{KEY}` to `{flush}`: the filesystem is mounted without barriers"),
            "mount it without `nobarrier` or `barrier=0`".to_owned(),
        )),
        Flush::Ignored if !place.sends_flushes || !disk_gets_flushes => Ok(None),
        Flush::Ignored if place.is_ours => Ok(Some(Wanted {
            key: KEY,
            path: queue(disk, "write_cache"),
            value: WRITE_THROUGH.to_owned(),
        })),
        Flush::Ignored => Err(unsupported(
            format!("set `{KEY}` to `{flush}` on `{disk}`"),
            "all other data on this disk would lose its flushes, too: measure on whole disks under `[may_destroy]`, or mount the filesystem with `nobarrier`"
                .to_owned(),
        )),
    }
}
