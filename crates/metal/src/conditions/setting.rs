//! One setting of the kernel: a file of `/sys` that is read, written, and put back.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Component, Path};

use stripewise_machine::Root;
use stripewise_study::world::WorldError;

use crate::device::{Announced, Node, fingerprint_of};
use crate::undo::Undone;

/// Returns what is chosen in a file: `none` of `[none] mq-deadline`, else all of it; nothing if
/// there is no such file.
pub(crate) fn read(root: &Root, path: &Path) -> Option<String> {
    let text = root.word(path)?;
    let chosen = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map(|(chosen, _)| chosen.to_owned());
    Some(chosen.unwrap_or(text))
}

/// Returns what can be chosen in a file: `none` and `mq-deadline` of `[none] mq-deadline`.
pub(crate) fn choices(root: &Root, path: &Path) -> Vec<String> {
    let text = root.word(path).unwrap_or_default();
    let words = text.split(' ').map(|word| word.trim_matches(['[', ']']));
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Writes a value and sees whether it was taken: some files accept what they then ignore.
pub(crate) fn write(root: &Root, path: &Path, value: &str) -> io::Result<()> {
    let real = root.real(&root.canonical(path)?);
    let mut file = OpenOptions::new().write(true).truncate(true).open(real)?;
    file.write_all(value.as_bytes())?;
    drop(file);
    match read(root, path) {
        Some(now) if now == value => Ok(()),
        now => Err(io::Error::other(format!(
            "the kernel left it at `{}`",
            now.as_deref().unwrap_or("unknown")
        ))),
    }
}

/// Returns whether a file is there and this process may write it.
pub(crate) fn is_writable(root: &Root, path: &Path) -> bool {
    let Ok(inside) = root.canonical(path) else {
        return false;
    };
    rustix::fs::access(root.real(&inside), rustix::fs::Access::WRITE_OK).is_ok()
}

/// Returns whether this is a file that we ever write: a journal may come from anywhere.
fn is_known(path: &Path) -> bool {
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|part| match part {
            Component::RootDir => Some(""),
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
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
        )
    )
}

/// A setting that was written, as the journal has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrittenSetting<'a> {
    pub(crate) path: &'a Path,
    pub(crate) before: &'a str,
    pub(crate) after: &'a str,
    /// The serial number of its disk.
    pub(crate) disk: Option<&'a str>,
}

/// Returns what tells the disk of a setting from another that has its name; nothing for settings of
/// no disk, and disks without a serial number.
pub(crate) fn disk_of(root: &Root, path: &Path) -> Option<String> {
    let below = path.strip_prefix("/sys/block").ok()?;
    let name = below.components().next()?.as_os_str().to_str()?;
    fingerprint_of(root, &Node::of_name(root, name)?)
}

/// Puts a setting back to `before`, if it still is what we wrote, on the disk where we wrote it.
///
/// Settings of the kernel end when the machine does. What a drive keeps (`cache_type` of SCSI and SATA
/// is its caching mode page) is put back after a restart, too, if its serial number says that it is
/// the one.
pub(crate) fn undo_setting(
    root: &Root,
    written: &WrittenSetting,
    announced: Announced,
) -> Result<Undone, WorldError> {
    let WrittenSetting {
        path,
        before,
        after,
        disk,
    } = *written;
    let shown = path.display();
    let left_alone = |why: String| Ok(Undone::LeftAlone { why });
    if !is_known(path) {
        return left_alone(format!("`{shown}` is no setting that Stripewise changes"));
    }
    let is_kept_by_drive = path.ends_with("cache_type");
    if announced == Announced::BeforeStart && !is_kept_by_drive {
        return Ok(Undone::Done);
    }
    let now = read(root, path);
    let is_same_disk = disk_of(root, path).as_deref() == disk;
    let is_certain = announced == Announced::SinceStart || disk.is_some();
    if is_kept_by_drive && now.is_some() && !(is_same_disk && is_certain) {
        return left_alone(format!(
            "`{shown}` may be of another disk than the one on which the run set it from `{before}` to `{after}`"
        ));
    }
    if now.is_some() && !is_same_disk && disk.is_some() {
        return left_alone(format!("`{shown}` is of another disk now"));
    }
    match now {
        None => left_alone(format!("`{shown}` is not there any more")),
        Some(now) if now == before => Ok(Undone::Done),
        Some(now) if now != after => left_alone(format!(
            "`{shown}` is `{now}`: somebody has set it since the run set it to `{after}`"
        )),
        Some(_) => write(root, path, before)
            .map(|()| Undone::Done)
            .map_err(|source| {
                WorldError::failed(
                    format!("failed to put `{shown}` back to `{before}`"),
                    source,
                )
                .or_hint(format!(
                    "run `stripewise restore` as root, or write `{before}` into it yourself"
                ))
            }),
    }
}

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
        };
        undo_setting(root, &written, announced).unwrap()
    }

    /// A machine with a disk `sda` whose drive has this serial number, its cache switched off.
    fn with_drive(serial: &str) -> (tempfile::TempDir, Root) {
        let (folder, root) = with(CACHE, "write through\n");
        let file = |path: &str, text: &str| {
            let real = root.real(Path::new(path));
            std::fs::create_dir_all(real.parent().unwrap()).unwrap();
            std::fs::write(real, text).unwrap();
        };
        file("/sys/block/sda/device/wwid", serial);
        file("/sys/block/sda/dev", "8:0");
        file("/sys/block/sda/size", "1000");
        file(SCHEDULER, "none [bfq]\n");
        let link = |from: &str, to: &str| {
            let real = root.real(Path::new(from));
            std::fs::create_dir_all(real.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(to, real).unwrap();
        };
        link("/sys/class/block/sda", "../../block/sda");
        link("/sys/dev/block/8:0", "../../block/sda");
        (folder, root)
    }

    const CACHE: &str = "/sys/block/sda/device/scsi_disk/0:0:0:0/cache_type";

    #[test]
    fn what_a_drive_keeps_is_put_back_on_that_drive_only() {
        let values = ("write back", "write through");
        let path = Path::new(CACHE);
        let ours = {
            let (_folder, root) = with_drive("naa.5000c500a1b2c3d4");
            disk_of(&root, path).unwrap()
        };
        for announced in [
            Announced::SinceStart,
            Announced::BeforeStart,
            Announced::Unknown,
        ] {
            let (_folder, root) = with_drive("naa.5000c500ffffffff");
            let undone = undo_of_disk(&root, path, values, Some(&ours), announced);
            assert!(
                matches!(&undone, Undone::LeftAlone { why } if why.contains("another disk")),
                "{announced:?}: {undone:?}"
            );
            assert_eq!(read(&root, path).as_deref(), Some("write through"));
            let (_folder, root) = with_drive("naa.5000c500a1b2c3d4");
            let undone = undo_of_disk(&root, path, values, Some(&ours), announced);
            assert_eq!(undone, Undone::Done, "{announced:?}");
            assert_eq!(read(&root, path).as_deref(), Some("write back"));
        }
        // A journal of an older version says neither which disk nor when.
        let (_folder, root) = with_drive("naa.5000c500ffffffff");
        let undone = undo_of_disk(&root, path, values, None, Announced::Unknown);
        assert!(matches!(undone, Undone::LeftAlone { .. }), "{undone:?}");
        assert_eq!(read(&root, path).as_deref(), Some("write through"));
    }

    #[test]
    fn what_the_kernel_forgets_at_a_restart_is_not_written_after_it() {
        let (_folder, root) = with_drive("naa.5000c500a1b2c3d4");
        let path = Path::new(SCHEDULER);
        let undo = |announced| undo_of_disk(&root, path, ("none", "bfq"), None, announced);
        assert_eq!(undo(Announced::BeforeStart), Undone::Done);
        assert_eq!(read(&root, path).as_deref(), Some("bfq"));
        assert_eq!(undo(Announced::Unknown), Undone::Done);
        assert_eq!(read(&root, path).as_deref(), Some("none"));
    }

    #[test]
    fn the_chosen_one_is_told_from_the_choices() {
        let (_folder, root) = with(SCHEDULER, "none [mq-deadline] kyber \n");
        let path = Path::new(SCHEDULER);
        assert_eq!(read(&root, path).as_deref(), Some("mq-deadline"));
        assert_eq!(choices(&root, path), ["none", "mq-deadline", "kyber"]);
        assert_eq!(read(&root, Path::new("/sys/none")), None);
    }

    #[test]
    fn a_setting_is_put_back_only_if_it_is_what_we_wrote() {
        let path = Path::new(SCHEDULER);
        let (_folder, root) = with(SCHEDULER, "bfq\n");
        let undo = || undo_one(&root, path, "none", "bfq");
        assert_eq!(undo(), Undone::Done);
        assert_eq!(read(&root, path).as_deref(), Some("none"));
        assert_eq!(undo(), Undone::Done, "undoing twice is harmless");
        std::fs::write(root.real(path), "kyber\n").unwrap();
        assert!(matches!(undo(), Undone::LeftAlone { why } if why.contains("is `kyber`")));
        assert_eq!(read(&root, path).as_deref(), Some("kyber"));
        std::fs::remove_file(root.real(path)).unwrap();
        assert!(matches!(undo(), Undone::LeftAlone { why } if why.contains("not there")));
    }

    #[test]
    fn nothing_but_the_known_settings_is_ever_written() {
        for path in [
            "/etc/shadow",
            "/sys/block/sda/queue/nr_requests",
            "/sys/block/sda/queue/../../../../etc/shadow",
            "/sys/block/../block/sda/queue/scheduler/x",
            "sys/block/sda/queue/scheduler",
        ] {
            let (_folder, root) = with("/etc/shadow", "after");
            let undone = undo_one(&root, Path::new(path), "before", "after");
            assert!(
                matches!(&undone, Undone::LeftAlone { why } if why.contains("no setting")),
                "{path}: {undone:?}"
            );
        }
        for path in [
            SCHEDULER,
            "/sys/block/nvme0n1/queue/write_cache",
            "/sys/block/sda/device/scsi_disk/0:0:0:0/cache_type",
            "/sys/block/vda/cache_type",
            "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
            "/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference",
        ] {
            assert!(is_known(Path::new(path)), "{path}");
        }
    }
}
