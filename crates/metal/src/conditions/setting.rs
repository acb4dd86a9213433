//! One setting of the kernel: a file of `/sys` that is read, written, and put back.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Component, Path};

use stripewise_machine::Root;
use stripewise_study::world::WorldError;

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

/// Puts a setting back to `before`, if it still is what we wrote.
pub(crate) fn undo_setting(
    root: &Root,
    path: &Path,
    before: &str,
    after: &str,
) -> Result<Undone, WorldError> {
    let shown = path.display();
    let left_alone = |why: String| Ok(Undone::LeftAlone { why });
    if !is_known(path) {
        return left_alone(format!("`{shown}` is no setting that Stripewise changes"));
    }
    match read(root, path) {
        None => left_alone(format!("`{shown}` is not there any more")),
        Some(now) if now == before => Ok(Undone::Done),
        Some(now) if now != after => left_alone(format!(
            "`{shown}` is `{now}`: somebody has set it since the run set it to `{after}`"
        )),
        Some(_) => write(root, path, before)
            .map(|()| Undone::Done)
            .map_err(|source| WorldError::Failed {
                attempted: format!("failed to put `{shown}` back to `{before}`"),
                hint: Some(format!(
                    "run `stripewise restore` as root, or write `{before}` into it yourself"
                )),
                source: Some(source.into()),
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
        let undo = || undo_setting(&root, path, "none", "bfq").unwrap();
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
            let undone = undo_setting(&root, Path::new(path), "before", "after").unwrap();
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
