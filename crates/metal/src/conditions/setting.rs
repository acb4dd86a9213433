//! One setting of the kernel: a file in `/sys` or `/proc/sys` that is read, written and restored.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use stripewise_machine::{Root, chosen};
use stripewise_message::{Argument, Message};
use stripewise_study::world::{ResetSetting, WorldError};
use stripewise_study::{sysctl, tunable};

use crate::crash_point::at_setting;
use crate::device::{Announced, Node, disks_with_fingerprint, fingerprint_of};
use crate::undone::Undone;

/// Returns the chosen value of a file: `none` of `[none] mq-deadline`, otherwise the whole text;
/// `None` if the file does not exist.
pub(crate) fn read(root: &Root, path: &Path) -> Option<String> {
    Some(chosen(&root.word(path)?).to_owned())
}

/// Returns the path of a file of a device's queue.
pub(super) fn queue(device: &str, file: &str) -> PathBuf {
    Path::new("/sys/block")
        .join(device)
        .join("queue")
        .join(file)
}

/// Returns the possible values of a file: `none` and `mq-deadline` of `[none] mq-deadline`.
pub(crate) fn choices(root: &Root, path: &Path) -> Vec<String> {
    let text = root.word(path).unwrap_or_default();
    let words = text.split(' ').map(|word| word.trim_matches(['[', ']']));
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Writes a value and reads it back: some files accept a value and ignore it.
pub(crate) fn write(root: &Root, path: &Path, value: &str) -> io::Result<()> {
    let real = root.real(&root.canonical(path)?);
    at_setting();
    let mut file = OpenOptions::new().write(true).truncate(true).open(real)?;
    at_setting();
    file.write_all(value.as_bytes())?;
    drop(file);
    at_setting();
    match read(root, path) {
        Some(now) if now == value => Ok(()),
        now => Err(io::Error::other(format!(
            "the kernel kept it at `{}`",
            now.as_deref().unwrap_or("unknown")
        ))),
    }
}

/// Returns whether a file exists and this process may write it.
pub(crate) fn is_writable(root: &Root, path: &Path) -> bool {
    let Ok(inside) = root.canonical(path) else {
        return false;
    };
    rustix::fs::access(root.real(&inside), rustix::fs::Access::WRITE_OK).is_ok()
}

/// Returns whether we ever write this file: a journal may come from anywhere.
pub(crate) fn is_known(path: &Path) -> bool {
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|part| match part {
            Component::RootDir => Some(""),
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    if let Some(["", "sys", "block", _, "queue", file]) = parts.as_deref()
        && tunable::is_queue_file(file)
    {
        return true;
    }
    if let Some(["", "sys", "block", _, "queue", "iosched", _]) = parts.as_deref() {
        return true;
    }
    if let Some(["", "proc", "sys", parameter @ ..]) = parts.as_deref() {
        return sysctl::is_settable(parameter);
    }
    matches!(
        parts.as_deref(),
        Some(
            ["", "sys", "block", _, "queue", "scheduler" | "write_cache"]
                | ["", "sys", "block", _, "cache_type"]
                | [
                    "",
                    "sys",
                    "block",
                    _,
                    "device",
                    "scsi_disk",
                    _,
                    "cache_type"
                ]
                | [
                    "",
                    "sys",
                    "devices",
                    "system",
                    "cpu",
                    "cpufreq",
                    _,
                    "scaling_governor" | "energy_performance_preference"
                ]
                | ["", "sys", "devices", "system", "cpu", "cpufreq", "boost"]
                | [
                    "",
                    "sys",
                    "devices",
                    "system",
                    "cpu",
                    "intel_pstate",
                    "no_turbo"
                ]
        )
    )
}

/// A setting that was written, as the journal records it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrittenSetting<'a> {
    pub(crate) path: &'a Path,
    pub(crate) before: &'a str,
    pub(crate) after: &'a str,
    /// The serial number of its disk.
    pub(crate) disk: Option<&'a str>,
    /// What the kernel reset when it was written.
    pub(crate) resets: &'a [ResetSetting],
}

/// Returns the identifier of the disk that a setting belongs to; `None` for settings of no disk and
/// for disks without a serial number.
pub(crate) fn disk_of(root: &Root, path: &Path) -> Option<String> {
    let below = path.strip_prefix("/sys/block").ok()?;
    let name = below.components().next()?.as_os_str().to_str()?;
    fingerprint_of(root, &Node::of_name(root, name)?)
}

/// Returns the file that switches the cache in the drive itself: `cache_type_store` of the SCSI
/// disk driver changes the mode page, that of virtio the device's configuration.
pub(super) fn cache_file(root: &Root, disk: &str) -> Option<PathBuf> {
    let folder = Path::new("/sys/block").join(disk);
    let scsi = folder.join("device/scsi_disk");
    let of_scsi = root
        .list(&scsi)
        .first()
        .map(|address| scsi.join(address).join("cache_type"));
    let files = of_scsi.into_iter().chain([folder.join("cache_type")]);
    files.into_iter().find(|path| root.exists(path))
}

/// Restores a setting to `before`, if it still has our value, on the disk where we wrote it.
///
/// Kernel settings are lost at a reboot and when the disk is unplugged. A setting stored in the
/// drive (`cache_type` of SCSI and SATA is its caching mode page) is restored even then, under any
/// name that the drive with that serial number has now.
pub(crate) fn undo_setting(
    root: &Root,
    written: &WrittenSetting,
    announced: Announced,
) -> Result<Undone, WorldError> {
    let path = written.path;
    let of_setting = |id: &'static str| Message::new(id).name("path", path.display());
    if !is_known(path) {
        return untouched(of_setting("restore-why-no-setting"));
    }
    let is_kept_by_drive = path.ends_with("cache_type");
    if let (true, Some(number)) = (is_kept_by_drive, written.disk) {
        return match find_drive(root, path, number) {
            Ok(now) if announced == Announced::SinceStart && now == path => {
                put_back(root, path, written)
            }
            // What the kernel reset ended with the drive's name.
            Ok(path) => put_back(
                root,
                &path,
                &WrittenSetting {
                    resets: &[],
                    ..*written
                },
            ),
            Err(why) => Ok(Undone::Kept { why }),
        };
    }
    if announced == Announced::BeforeStart && !is_kept_by_drive {
        return Ok(Undone::Already);
    }
    let is_same_disk = disk_of(root, path).as_deref() == written.disk;
    let is_there = read(root, path).is_some();
    let is_certain = is_same_disk && announced == Announced::SinceStart;
    if is_there && is_kept_by_drive && !is_certain {
        return untouched(
            of_setting("restore-why-disk-unsure")
                .name("before", written.before)
                .name("after", written.after),
        );
    }
    if is_there && !is_same_disk && written.disk.is_some() {
        return untouched(of_setting("restore-why-other-disk"));
    }
    put_back(root, path, written)
}

fn untouched(why: Message) -> Result<Undone, WorldError> {
    Ok(Undone::Untouched { why })
}

/// Returns the path that the setting has now, by the drive's serial number; or why it has none.
fn find_drive(root: &Root, path: &Path, number: &str) -> Result<PathBuf, Message> {
    if read(root, path).is_some() && disk_of(root, path).as_deref() == Some(number) {
        return Ok(path.to_owned());
    }
    let disks = disks_with_fingerprint(root, number);
    match &disks[..] {
        [] => Err(Message::new("restore-why-no-disk").name("serial", number)),
        [disk] => cache_file(root, disk)
            .filter(|file| read(root, file).is_some())
            .ok_or_else(|| Message::new("restore-why-cache-fixed").name("disk", disk)),
        several => Err(Message::new("restore-why-several-disks")
            .name("serial", number)
            .with("disks", Argument::names(several))),
    }
}

/// Returns the settings that the kernel resets when `path` is written, with their values now: a new
/// scheduler has tunables of its own (`iosched/`) and another number of requests (`elevator_switch`),
/// and a switched cache changes the kernel's view of it (`sd_revalidate_disk`).
pub(super) fn reset_by(root: &Root, path: &Path) -> Vec<ResetSetting> {
    let Ok(below) = path.strip_prefix("/sys/block") else {
        return Vec::new();
    };
    let Some(disk) = below.iter().next() else {
        return Vec::new();
    };
    let queue = Path::new("/sys/block").join(disk).join("queue");
    let mut paths = Vec::new();
    if path.ends_with("queue/scheduler") {
        paths.push(queue.join(tunable::NR_REQUESTS.file));
        let tunables = queue.join("iosched");
        let names = root.list(&tunables).into_iter();
        paths.extend(names.map(|name| tunables.join(name)));
    } else if path.ends_with("cache_type") {
        paths.push(queue.join("write_cache"));
    }
    let found = paths.into_iter().filter_map(|path| {
        let before = read(root, &path)?;
        Some(ResetSetting {
            path,
            before,
            after: None,
        })
    });
    found.collect()
}

/// Returns the values that these settings must have once the setting that resets them is restored:
/// those before it was written. While it `is_written`, one that another program has set since keeps its
/// value.
fn restored<'a>(
    root: &Root,
    resets: &'a [ResetSetting],
    is_written: bool,
) -> Vec<(&'a Path, String)> {
    let value = |reset: &ResetSetting| {
        let now = read(root, &reset.path);
        let is_foreign = is_written && reset.after.is_some() && now != reset.after;
        now.filter(|_| is_foreign)
            .unwrap_or_else(|| reset.before.clone())
    };
    let known = resets.iter().filter(|reset| is_known(&reset.path));
    known.map(|reset| (&*reset.path, value(reset))).collect()
}

/// Writes those of these settings that exist and differ; returns whether there was one.
fn write_all(root: &Root, settings: &[(&Path, String)]) -> Result<bool, WorldError> {
    let mut is_changed = false;
    for (path, value) in settings {
        if read(root, path).is_some_and(|now| now != *value) {
            write_before(root, path, value)?;
            is_changed = true;
        }
    }
    Ok(is_changed)
}

fn write_before(root: &Root, path: &Path, before: &str) -> Result<(), WorldError> {
    write(root, path, before).map_err(|source| {
        let attempted = format!("failed to restore `{}` to `{before}`", path.display());
        let hint =
            format!("run `stripewise restore` as root, or write `{before}` into it yourself");
        WorldError::failed(attempted, source).or_hint(hint)
    })
}

/// Restores the setting at `path`, unless another program has changed it since, and then what the
/// kernel reset with it.
fn put_back(root: &Root, path: &Path, written: &WrittenSetting) -> Result<Undone, WorldError> {
    let WrittenSetting {
        before,
        after,
        resets,
        ..
    } = *written;
    let shown = path.display();
    match read(root, path) {
        None => untouched(Message::new("restore-why-setting-gone").name("path", shown)),
        // Never written; or restored by a `restore` that was killed before it restored the others.
        Some(now) if now == before => match write_all(root, &restored(root, resets, false))? {
            true => Ok(Undone::Done),
            false => Ok(Undone::Already),
        },
        Some(now) if now != after => untouched(
            Message::new("restore-why-changed-since")
                .name("path", shown)
                .name("now", now)
                .name("after", after),
        ),
        Some(_) => {
            let others = restored(root, resets, true);
            write_before(root, path, before)?;
            write_all(root, &others)?;
            Ok(Undone::Done)
        }
    }
}

/// The kernel's and a drive's word for a cache that must be flushed.
pub(super) const WRITE_BACK: &str = "write back";

/// The word for a cache that need not be flushed, or no cache.
pub(super) const WRITE_THROUGH: &str = "write through";

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEDULER: &str = "/sys/block/sda/queue/scheduler";

    fn with(path: &str, text: &str) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        let root = Root(folder.path().to_owned());
        let real = root.real(Path::new(path));
        std::fs::create_dir_all(real.parent().unwrap()).unwrap();
        std::fs::write(real, text).unwrap();
        (folder, root)
    }

    fn undo_one(root: &Root, path: &Path, before: &str, after: &str) -> Undone {
        undo_of_disk(root, path, (before, after), None, Announced::SinceStart)
    }

    fn undo_of_disk(
        root: &Root,
        path: &Path,
        (before, after): (&str, &str),
        disk: Option<&str>,
        announced: Announced,
    ) -> Undone {
        let written = WrittenSetting {
            path,
            before,
            after,
            disk,
            resets: &[],
        };
        undo_setting(root, &written, announced).unwrap()
    }

    /// Plugs in a drive with this serial number and address, with its cache off.
    fn plug_in(root: &Root, (name, number): (&str, &str), address: &str, serial: &str) {
        let folder = format!("/sys/block/{name}");
        let file = |path: &str, text: &str| {
            let real = root.real(Path::new(&format!("{folder}/{path}")));
            std::fs::create_dir_all(real.parent().unwrap()).unwrap();
            std::fs::write(real, text).unwrap();
        };
        file(
            &format!("device/scsi_disk/{address}/cache_type"),
            "write through\n",
        );
        file("device/wwid", serial);
        file("dev", number);
        file("size", "1000");
        file("queue/scheduler", "none [bfq]\n");
        let link = |from: String| {
            let real = root.real(Path::new(&from));
            std::fs::create_dir_all(real.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(format!("../../block/{name}"), real).unwrap();
        };
        link(format!("/sys/class/block/{name}"));
        link(format!("/sys/dev/block/{number}"));
    }

    /// A machine with a disk `sda` with this serial number, with its cache off.
    fn with_drive(serial: &str) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        let root = Root(folder.path().to_owned());
        plug_in(&root, SDA, "0:0:0:0", serial);
        (folder, root)
    }

    const SDA: (&str, &str) = ("sda", "8:0");
    const CACHE: &str = "/sys/block/sda/device/scsi_disk/0:0:0:0/cache_type";
    const OFF: (&str, &str) = ("write back", "write through");
    const OURS: &str = "naa.5000c500a1b2c3d4";
    const FOREIGN: &str = "naa.5000c500ffffffff";
    const WHENEVER: [Announced; 2] = [Announced::SinceStart, Announced::BeforeStart];

    fn undo_cache(root: &Root, announced: Announced) -> Undone {
        undo_of_disk(root, Path::new(CACHE), OFF, Some(OURS), announced)
    }

    fn assert_kept(undone: &Undone, words: &str) {
        assert!(
            matches!(undone, Undone::Kept { why } if why.id == words),
            "{words}: {undone:?}"
        );
    }

    #[test]
    fn a_drive_setting_is_restored_on_that_drive_only() {
        let path = Path::new(CACHE);
        for announced in WHENEVER {
            let (_folder, root) = with_drive(OURS);
            assert_eq!(disk_of(&root, path).as_deref(), Some(OURS));
            assert_eq!(undo_cache(&root, announced), Undone::Done, "{announced:?}");
            assert_eq!(read(&root, path).as_deref(), Some("write back"));
            assert_eq!(undo_cache(&root, announced), Undone::Already);
        }
        // A disk without a serial number is recognised only until the machine reboots.
        let (_folder, root) = with_drive(FOREIGN);
        let undone = undo_of_disk(&root, path, OFF, None, Announced::BeforeStart);
        assert!(matches!(undone, Undone::Untouched { .. }), "{undone:?}");
        assert_eq!(read(&root, path).as_deref(), Some("write through"));
    }

    #[test]
    fn an_unplugged_drive_stays_pending_until_it_returns_under_any_name() {
        for announced in WHENEVER {
            let (folder, root) = with_drive(FOREIGN);
            let words = "restore-why-no-disk";
            assert_kept(&undo_cache(&root, announced), words);
            std::fs::remove_dir_all(folder.path().join("sys")).unwrap();
            assert_kept(&undo_cache(&root, announced), words);

            plug_in(&root, SDA, "0:0:0:0", FOREIGN);
            plug_in(&root, ("sdc", "8:32"), "2:0:0:0", OURS);
            assert_eq!(undo_cache(&root, announced), Undone::Done, "{announced:?}");
            let cache = |disk| read(&root, &cache_file(&root, disk).unwrap());
            assert_eq!(cache("sdc").as_deref(), Some("write back"));
            assert_eq!(cache("sda").as_deref(), Some("write through"));
            assert_eq!(undo_cache(&root, announced), Undone::Already);
        }
    }

    #[test]
    fn a_drive_is_found_on_another_port_and_not_if_two_share_its_serial_number() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root(folder.path().to_owned());
        plug_in(&root, SDA, "5:0:0:0", OURS);
        let undo = || undo_cache(&root, Announced::SinceStart);
        assert_eq!(undo(), Undone::Done);
        let moved = Path::new("/sys/block/sda/device/scsi_disk/5:0:0:0/cache_type");
        assert_eq!(read(&root, moved).as_deref(), Some("write back"));
        plug_in(&root, ("sdb", "8:16"), "1:0:0:0", OURS);
        assert_kept(&undo(), "restore-why-several-disks");
        std::fs::remove_dir_all(folder.path().join("sys/block/sdb")).unwrap();
        std::fs::remove_file(root.real(moved)).unwrap();
        assert_kept(&undo(), "restore-why-cache-fixed");
    }

    #[test]
    fn kernel_settings_are_not_restored_after_a_reboot() {
        let (_folder, root) = with_drive(OURS);
        let path = Path::new(SCHEDULER);
        let undo = |announced| undo_of_disk(&root, path, ("none", "bfq"), None, announced);
        assert_eq!(undo(Announced::BeforeStart), Undone::Already);
        assert_eq!(read(&root, path).as_deref(), Some("bfq"));
    }

    #[test]
    fn the_chosen_value_is_parsed_from_the_choices() {
        let (_folder, root) = with(SCHEDULER, "none [mq-deadline] kyber \n");
        let path = Path::new(SCHEDULER);
        assert_eq!(read(&root, path).as_deref(), Some("mq-deadline"));
        assert_eq!(choices(&root, path), ["none", "mq-deadline", "kyber"]);
        assert_eq!(read(&root, Path::new("/sys/none")), None);
    }

    #[test]
    fn a_setting_is_restored_only_if_it_still_has_our_value() {
        let path = Path::new(SCHEDULER);
        let (_folder, root) = with(SCHEDULER, "bfq\n");
        let undo = || undo_one(&root, path, "none", "bfq");
        assert_eq!(undo(), Undone::Done);
        assert_eq!(read(&root, path).as_deref(), Some("none"));
        assert_eq!(undo(), Undone::Already, "undoing twice has no effect");
        std::fs::write(root.real(path), "kyber\n").unwrap();
        assert!(
            matches!(undo(), Undone::Untouched { why } if format!("{why:?}").contains("now: kyber"))
        );
        assert_eq!(read(&root, path).as_deref(), Some("kyber"));
        std::fs::remove_file(root.real(path)).unwrap();
        assert!(
            matches!(undo(), Undone::Untouched { why } if why.id == "restore-why-setting-gone")
        );
    }

    #[test]
    fn only_known_settings_are_ever_written() {
        for path in [
            "/etc/shadow",
            "/sys/block/sda/queue/rotational",
            "/sys/block/sda/mq/nr_requests",
            "/sys/block/md0/md/rmw_level",
            "/sys/block/sda/queue/../../../../etc/shadow",
            "/sys/block/../block/sda/queue/scheduler/x",
            "sys/block/sda/queue/scheduler",
            "/proc/sys/kernel/core_pattern",
            "/proc/sys/vm/../kernel/core_pattern",
            "/proc/sys/vm.dirty_ratio",
            "/proc/sys/vm/drop_caches",
        ] {
            let (_folder, root) = with("/etc/shadow", "after");
            let undone = undo_one(&root, Path::new(path), "before", "after");
            assert!(
                matches!(&undone, Undone::Untouched { why } if why.id == "restore-why-no-setting"),
                "{path}: {undone:?}"
            );
        }
        for path in [
            SCHEDULER,
            "/sys/block/nvme0n1/queue/write_cache",
            "/sys/block/md0/queue/read_ahead_kb",
            "/sys/block/sda/queue/nr_requests",
            "/sys/block/sda/queue/max_sectors_kb",
            "/sys/block/sda/queue/wbt_lat_usec",
            "/sys/block/sda/device/scsi_disk/0:0:0:0/cache_type",
            "/sys/block/vda/cache_type",
            "/sys/devices/system/cpu/cpufreq/boost",
            "/sys/devices/system/cpu/intel_pstate/no_turbo",
            "/proc/sys/vm/dirty_ratio",
            "/proc/sys/dev/raid/speed_limit_min",
            "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
            "/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference",
        ] {
            assert!(is_known(Path::new(path)), "{path}");
        }
    }
}
