//! Conditions of the host: set before a sample where they differ, and restored at the end.
//!
//! | key | file written | effect |
//! |---|---|---|
//! | `governor` | `cpufreq/policy*/scaling_governor` | the frequency governor of every CPU |
//! | `energy_preference` | `cpufreq/policy*/energy_performance_preference` | the CPU's own preference |
//! | `scheduler` | `queue/scheduler` of each disk | the I/O scheduler |
//! | `write_cache` | `cache_type` of each disk (SCSI, SATA, virtio) | the cache in the drive itself |
//! | `flush = "ignored"` | `queue/write_cache`: `write through` | the kernel sends no flush; the drive's cache is unchanged |
//! | `read_ahead` | `queue/read_ahead_kb` of the device under test | the windows of the page cache |
//! | `nr_requests`, `max_sectors_kb`, `wbt_lat_usec` | these files in `queue/` of each disk | its requests |
//! | `turbo` | `intel_pstate/no_turbo`, else `cpufreq/boost` | clocks above the base frequency |
//! | `sysctl` | `/proc/sys/...` | parameters of the kernel |
//! | `cpu_dma_latency_us` | `/dev/cpu_dma_latency`, held open | the C-states of idle CPUs |
//! | `trim_before` | nothing: `fstrim` or `blkdiscard` before each sample | |
//! | `drop_caches` | nothing: `sync`, then 3 to `vm/drop_caches` before each sample | |
//!
//! `queue/write_cache` is the kernel's *view* of a drive: "it might not be safe to toggle the
//! setting from write back to write through, since that will also eliminate cache flushes issued by
//! the kernel" (Documentation/ABI/stable/sysfs-block). So `flush` sets it, we never read it as the
//! state of the cache, and we write it only if all data on the disk may be destroyed.
//!
//! The journal records each setting before it is written, with those that the kernel resets along
//! with it. Only the C-state limit is not in it: it ends with the process that holds it.

mod disks;
mod latency;
mod plan;
mod processor;
mod queues;
mod setting;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stripewise_machine::Root;
use stripewise_process::Call;
use stripewise_study::conditions::{Conditions, Flush, WriteCache};
use stripewise_study::facts::Facts;
use stripewise_study::tunable;
use stripewise_study::world::{Change, Journal, ResetSetting, WorldError};
use stripewise_units::kernel::KernelVersion;

use crate::device::{Announced, Node};
use crate::tool::{BLKDISCARD, FSTRIM, ToolCall};
use crate::undone::Undone;
use latency::LatencyRequest;
use plan::{Wanted, plan, unsupported};
use setting::{WRITE_BACK, WRITE_THROUGH};

pub(crate) use disks::{MeasuredDisks, ReadsAhead, Trim};
pub(crate) use processor::load_cpus;
pub(crate) use setting::{WrittenSetting, undo_setting};

const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";
/// How long a trim may take: minutes for a large filesystem on a slow disk.
const TRIM_TIME_MAX: Duration = Duration::from_secs(600);

/// Checks that all conditions of a cell hold or can be set, before the machine is changed.
///
/// # Errors
/// The first condition that cannot be set here, and why.
pub(crate) fn check(
    root: &Root,
    conditions: &Conditions,
    place: &MeasuredDisks,
) -> Result<(), WorldError> {
    check_kernel(root, conditions)?;
    let found = |path: &Path| setting::read(root, path);
    for wanted in plan(root, &found, conditions, place)? {
        if !setting::is_writable(root, &wanted.path) {
            return Err(unsupported(
                format!("set `{}` to `{}`", wanted.key, wanted.value),
                format!(
                    "this writes `{}`: run as root, outside a container",
                    wanted.path.display()
                ),
            ));
        }
    }
    latency::check(root, conditions.cpu_dma_latency_us)?;
    load_cpus(root, conditions)?;
    if conditions.trim_before == Some(true) {
        check_trim(root, place)?;
    }
    if conditions.drop_caches == Some(true) && !setting::is_writable(root, Path::new(DROP_CACHES)) {
        return Err(unsupported(
            "drop the page cache".to_owned(),
            format!("this writes `{DROP_CACHES}`: run as root, outside a container"),
        ));
    }
    Ok(())
}

/// Refuses any kernel but the running one.
fn check_kernel(root: &Root, conditions: &Conditions) -> Result<(), WorldError> {
    let Some(name) = &conditions.kernel else {
        return Ok(());
    };
    if name.is_guest() {
        return Err(unsupported(
            format!("run on `{name}`, which is a guest of the lab"),
            "measure it with `--world lab`, or name only the running kernel".to_owned(),
        ));
    }
    let asked = name.version();
    let runs = stripewise_machine::kernel_version(root);
    let is_running = |runs: KernelVersion| {
        asked.series() == runs.series() && (asked.patch == 0 || asked.patch == runs.patch)
    };
    if runs.is_some_and(is_running) {
        return Ok(());
    }
    let runs = runs.map_or_else(
        || "an unknown kernel".to_owned(),
        |it| format!("Linux {it}"),
    );
    Err(unsupported(
        format!("run on Linux {asked}: {runs} is running"),
        format!(
            "boot Linux {asked}, or name only the running kernel; the lab has others: `stripewise lab prepare --kernel {asked}`"
        ),
    ))
}

fn check_trim(root: &Root, place: &MeasuredDisks) -> Result<(), WorldError> {
    let devices: Vec<String> = match &place.trim {
        Trim::Filesystem { devices, .. } => devices.clone(),
        Trim::Devices(_) => place.disks.clone(),
    };
    let refused = |why: String| {
        let hint =
            "remove `trim_before`, or measure on devices that support discard (`lsblk --discard`)";
        Err(unsupported(
            format!("trim before a sample: {why}"),
            hint.to_owned(),
        ))
    };
    if devices.is_empty() {
        return refused("cannot determine which devices back the filesystem".to_owned());
    }
    for name in &devices {
        let disk = Node::of_name(root, name).and_then(|node| node.disk(root));
        let takes = disk.and_then(|disk| disk.count(root, "queue/discard_max_bytes"));
        if takes.unwrap_or(0) == 0 {
            return refused(format!("`{name}` does not support discard"));
        }
    }
    if !rustix::process::geteuid().is_root() {
        return refused("only root can".to_owned());
    }
    Ok(())
}

/// Checks, if the conditions require flushes, that no layer blocks them. A device-mapper device
/// copies the write cache setting from the devices below when it is created, and never updates it.
///
/// # Errors
/// If a layer does.
pub(crate) fn check_flushes(
    root: &Root,
    conditions: &Conditions,
    facts: &Facts,
) -> Result<(), WorldError> {
    let are_sent = match conditions.flush {
        Some(Flush::Honoured) => true,
        Some(Flush::Ignored) => false,
        None => conditions.write_cache == Some(WriteCache::On),
    };
    let target = facts.target.as_ref().filter(|_| are_sent);
    for name in target.iter().flat_map(|target| &target.devices) {
        if let Some((upper, lower)) =
            Node::of_name(root, name).and_then(|top| blocking_layer(root, top))
        {
            return Err(WorldError::plain(format!(
                "flushes do not reach the disks: `queue/write_cache` is `{WRITE_THROUGH}` for `{upper}`, so it sends none to `{lower}`, which is `{WRITE_BACK}`"
            ))
            .or_hint(format!(
                "`{upper}` copied the setting when it was created: recreate it (`dmsetup reload`, `vgchange --activate n` and `y`), or remove `flush` and `write_cache`"
            )));
        }
    }
    Ok(())
}

/// Returns the first layer at or below `top` that does not pass flushes on to a device with a
/// write-back cache, and that device.
fn blocking_layer(root: &Root, top: Node) -> Option<(String, String)> {
    let says =
        |node: &Node, what: &str| node.word(root, "queue/write_cache").as_deref() == Some(what);
    let mut pending = vec![top.disk(root)?];
    let mut seen: Vec<Node> = Vec::new();
    while let Some(upper) = pending.pop() {
        for lower in upper.slaves(root) {
            let lower = lower.disk(root)?;
            if says(&upper, WRITE_THROUGH) && says(&lower, WRITE_BACK) {
                return Some((upper.name, lower.name));
            }
            if !seen.contains(&lower) {
                seen.push(lower.clone());
                pending.push(lower);
            }
        }
    }
    None
}

/// Trims and drops caches right before a sample, if the conditions require it.
///
/// # Errors
/// If either fails.
pub(crate) fn before_sample(
    root: &Root,
    conditions: &Conditions,
    place: &MeasuredDisks,
) -> Result<(), WorldError> {
    if conditions.trim_before == Some(true) {
        match &place.trim {
            Trim::Filesystem { mount_point, .. } => trim(FSTRIM.call([mount_point]), mount_point)?,
            Trim::Devices(devices) => devices.iter().try_for_each(|device| discard_held(device))?,
        }
    }
    if conditions.drop_caches == Some(true) {
        // Dirty pages are not dropped (Documentation/admin-guide/sysctl/vm.rst).
        rustix::fs::sync();
        let real = root.real(Path::new(DROP_CACHES));
        std::fs::write(real, "3\n").map_err(|source| {
            WorldError::failed("failed to drop the page cache", source)
                .or_hint("run as root, or remove `drop_caches`")
        })?;
    }
    Ok(())
}

/// Discards all data of a device that we hold exclusively.
pub(crate) fn discard_held(device: &Path) -> Result<(), WorldError> {
    // Without `--force` blkdiscard opens the device with `O_EXCL`.
    trim(BLKDISCARD.call(["--force"]).args([device]), device)
}

fn trim(call: Call, object: &Path) -> Result<(), WorldError> {
    let trimmed = call.limit(TRIM_TIME_MAX).run_to_the_end();
    trimmed.map(|_nothing| ()).map_err(|error| {
        error
            .while_trying(format!("failed to trim `{}`", object.display()))
            .or_hint("remove `trim_before`, or measure on devices that support discard")
    })
}

/// A setting that we wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AppliedSetting {
    path: PathBuf,
    before: String,
    after: String,
    /// The serial number of its disk.
    disk: Option<String>,
    /// What the kernel resets when it is written.
    resets: Vec<ResetSetting>,
}

impl AppliedSetting {
    fn change(&self) -> Change {
        Change::WroteSetting {
            path: self.path.clone(),
            before: self.before.clone(),
            after: self.after.clone(),
            disk: self.disk.clone(),
            resets: self.resets.clone(),
        }
    }

    /// Returns a setting that has this value, to be announced and written.
    fn new(root: &Root, path: PathBuf, before: String, after: String) -> Self {
        Self {
            disk: setting::disk_of(root, &path),
            resets: setting::reset_by(root, &path),
            path,
            before,
            after,
        }
    }

    fn announce(&self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        journal
            .announce(&self.change())
            .map_err(|source| journal_failed("the setting to write", source))
    }

    /// Writes the announced value, and records what the kernel made of it and of the settings that it
    /// resets, so that we restore them and do not attribute them to another program.
    fn write(
        &mut self,
        root: &Root,
        journal: &mut dyn Journal,
    ) -> Result<io::Result<()>, WorldError> {
        let tried = setting::write(root, &self.path, &self.after);
        let announced = self.change();
        let now = setting::read(root, &self.path).filter(|_| tried.is_err());
        if let Some(now) = now.filter(|now| *now != self.before) {
            self.after = now;
        }
        for reset in &mut self.resets {
            reset.after = setting::read(root, &reset.path);
        }
        let known = self.change();
        if known != announced {
            journal
                .replaced(&announced, &known)
                .map_err(|source| journal_failed("the written setting", source))?;
        }
        Ok(tried)
    }
}

/// Sets conditions cell by cell and remembers the previous values.
#[derive(Debug, Default)]
pub(crate) struct Setter {
    /// In the order in which they were written.
    written: Vec<AppliedSetting>,
    /// The C-state limit, held open.
    latency: Option<LatencyRequest>,
}

impl Setter {
    /// Applies the conditions of a cell: restores settings of an earlier cell that this one does
    /// not set, and writes those that differ. Returns whether it wrote anything.
    ///
    /// # Errors
    /// If a setting cannot be applied, or another program has changed one of ours.
    pub(crate) fn set(
        &mut self,
        root: &Root,
        conditions: &Conditions,
        place: &MeasuredDisks,
        journal: &mut dyn Journal,
    ) -> Result<bool, WorldError> {
        self.check_ours(root)?;
        let wanted = plan(root, &|path| self.found(root, path), conditions, place)?;
        let has_value = |written: &AppliedSetting| {
            wanted
                .iter()
                .any(|wanted| wanted.path == written.path && wanted.value == written.after)
        };
        // Restoring a setting resets others: those are restored before, and set again.
        let is_reset_by = |path: &Path, other: &AppliedSetting| {
            !has_value(other) && other.resets.iter().any(|reset| reset.path == path)
        };
        let is_kept: Vec<bool> = self
            .written
            .iter()
            .map(|written| {
                let is_reset = |other| is_reset_by(&written.path, other);
                has_value(written) && !self.written.iter().any(is_reset)
            })
            .collect();
        let mut is_changed = false;
        for index in (0..self.written.len()).rev() {
            if !is_kept[index] {
                put_back(root, &self.written[index], journal)?;
                self.written.remove(index);
                is_changed = true;
            }
        }
        is_changed |= latency::hold(root, &mut self.latency, conditions.cpu_dma_latency_us)?;
        for wanted in wanted {
            is_changed |= self.write(root, wanted, journal)?;
        }
        Ok(is_changed)
    }

    /// Returns the value that a file would have if we had not written it.
    fn found(&self, root: &Root, path: &Path) -> Option<String> {
        let written = self.written.iter().find(|written| written.path == path);
        written.map_or_else(
            || setting::read(root, path),
            |written| Some(written.before.clone()),
        )
    }

    /// A daemon that changes our settings would mix samples of two kinds.
    fn check_ours(&self, root: &Root) -> Result<(), WorldError> {
        for written in &self.written {
            let now = setting::read(root, &written.path);
            if now.as_ref() != Some(&written.after) {
                return Err(WorldError::plain(format!(
                        "`{}` was set to `{}` for this run, and is now `{}`",
                        written.path.display(),
                        written.after,
                        now.as_deref().unwrap_or("unknown")
                    )).or_hint(
                        "stop the program that sets it (tuned, power-profiles-daemon, udev rules), then run `stripewise resume`",
                    ));
            }
        }
        Ok(())
    }

    fn write(
        &mut self,
        root: &Root,
        wanted: Wanted,
        journal: &mut dyn Journal,
    ) -> Result<bool, WorldError> {
        let before = setting::read(root, &wanted.path).unwrap_or_default();
        // Kept from an earlier cell, or changed by another setting.
        if before == wanted.value {
            return Ok(false);
        }
        let mut written = AppliedSetting::new(root, wanted.path, before, wanted.value.clone());
        written.announce(journal)?;
        let tried = written.write(root, journal);
        let attempted = format!(
            "failed to set `{}` to `{}`",
            written.path.display(),
            wanted.value
        );
        // Remembered even if the write failed: one that half succeeds must be undone.
        self.written.push(written);
        let Err(source) = tried? else {
            return Ok(true);
        };
        let known = tunable::of_key(wanted.key).map_or("", |tunable| tunable.advice);
        let known = match known {
            "" => String::new(),
            advice => format!("{advice}; "),
        };
        let advice = format!(
            "{known}remove `{}`, or use a value that this machine supports",
            wanted.key
        );
        Err(WorldError::failed(attempted, source).or_hint(advice))
    }

    /// Restores all settings, the latest first.
    ///
    /// # Errors
    /// If one cannot be restored; it stays in the journal, and the next call tries again.
    pub(crate) fn put_back(
        &mut self,
        root: &Root,
        journal: &mut dyn Journal,
    ) -> Result<(), WorldError> {
        self.latency = None;
        let mut first_error = None;
        for index in (0..self.written.len()).rev() {
            match put_back(root, &self.written[index], journal) {
                Ok(()) => drop(self.written.remove(index)),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        first_error.map_or(Ok(()), Err)
    }
}

/// Restores one setting. If another program has changed it since, its value stays and the journal
/// entry is removed.
fn put_back(
    root: &Root,
    written: &AppliedSetting,
    journal: &mut dyn Journal,
) -> Result<(), WorldError> {
    let setting = WrittenSetting {
        path: &written.path,
        before: &written.before,
        after: &written.after,
        disk: written.disk.as_deref(),
        resets: &written.resets,
    };
    match undo_setting(root, &setting, Announced::SinceStart)? {
        Undone::Kept { .. } => Ok(()),
        Undone::Done | Undone::Already | Undone::Untouched { .. } => journal
            .undone(&written.change())
            .map_err(|source| journal_failed("the restored setting", source)),
    }
}

/// Writes one setting of the kernel and leaves it: `restore` undoes it from the journal. Returns
/// whether it had another value before.
///
/// # Errors
/// If it is no setting that `restore` would undo, or it cannot be written.
pub fn write_setting(
    root: &Root,
    path: &Path,
    value: &str,
    journal: &mut dyn Journal,
) -> Result<bool, WorldError> {
    let shown = path.display();
    if !setting::is_known(path) {
        let why = "it is not a setting that `stripewise restore` can undo";
        return Err(WorldError::plain(format!(
            "refused to write `{shown}`: {why}"
        )));
    }
    let Some(before) = setting::read(root, path) else {
        return Err(WorldError::plain(format!("`{shown}` does not exist")));
    };
    if before == value {
        return Ok(false);
    }
    let mut written = AppliedSetting::new(root, path.to_owned(), before, value.to_owned());
    written.announce(journal)?;
    let Err(source) = written.write(root, journal)? else {
        return Ok(true);
    };
    let attempted = format!("failed to set `{shown}` to `{value}`");
    Err(WorldError::failed(attempted, source).or_hint("run it as root, outside a container"))
}

fn journal_failed(what: &str, source: stripewise_study::world::JournalError) -> WorldError {
    WorldError::failed(format!("failed to record {what} in the journal"), source)
}

#[cfg(test)]
#[path = "conditions/tests.rs"]
mod tests;

#[cfg(test)]
#[path = "conditions/processor_tests.rs"]
mod processor_tests;
