//! Filesystems: made with a UUID or label of the run, mounted at a directory of the run.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::{Path, PathBuf};

use stripewise_machine::{Root, mounts};
use stripewise_process::{Call, CallError, Program};
use stripewise_study::world::{Change, WorldError};

use super::builder::{Base, Builder};
use super::emptied::{UndoError, empty};
use super::identity::{draw_name, draw_uuid};
use super::sysfs;
use crate::device::OwnDevices;
use crate::tool::{LIMIT_LONG, MOUNT, ToolCall, UMOUNT, ZPOOL};
use crate::undone::Undone;

/// How to make one kind of filesystem.
struct Maker {
    kind: &'static str,
    tool: Program,
    /// Arguments that we always pass: ask no questions, and leave no work for the background while
    /// samples are taken (by default ext4 initialises its inode tables after the mount).
    arguments: &'static [&'static str],
    identity: Identity,
}

/// The option that sets our identifier.
enum Identity {
    Uuid(&'static [&'static str]),
    Label(&'static str),
}

const E2FS: &[&str] = &["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"];
const E2FS_UUID: Identity = Identity::Uuid(&["-U"]);

const MAKERS: [Maker; 9] = [
    Maker::new(
        "ext2",
        Program::new("mkfs.ext2", "e2fsprogs"),
        &["-q", "-F"],
        E2FS_UUID,
    ),
    Maker::new(
        "ext3",
        Program::new("mkfs.ext3", "e2fsprogs"),
        E2FS,
        E2FS_UUID,
    ),
    Maker::new(
        "ext4",
        Program::new("mkfs.ext4", "e2fsprogs"),
        E2FS,
        E2FS_UUID,
    ),
    Maker::new(
        "xfs",
        Program::new("mkfs.xfs", "xfsprogs"),
        &["-q", "-f"],
        Identity::Uuid(&["-m", "uuid="]),
    ),
    Maker::new(
        "btrfs",
        Program::new("mkfs.btrfs", "btrfs-progs"),
        &["-q", "-f"],
        Identity::Uuid(&["-U"]),
    ),
    Maker::new(
        "f2fs",
        Program::new("mkfs.f2fs", "f2fs-tools"),
        &["-q", "-f"],
        Identity::Label("-l"),
    ),
    Maker::new(
        "jfs",
        Program::new("mkfs.jfs", "jfsutils"),
        &["-q"],
        Identity::Label("-L"),
    ),
    Maker::new(
        "nilfs2",
        Program::new("mkfs.nilfs2", "nilfs-tools"),
        &["-q", "-f"],
        Identity::Label("-L"),
    ),
    Maker::new(
        "bcachefs",
        Program::new("mkfs.bcachefs", "bcachefs-tools"),
        &["-q", "-f"],
        Identity::Uuid(&["-U"]),
    ),
];

impl Maker {
    const fn new(
        kind: &'static str,
        tool: Program,
        arguments: &'static [&'static str],
        identity: Identity,
    ) -> Self {
        Self {
            kind,
            tool,
            arguments,
            identity,
        }
    }
}

/// Returns the tool that makes this kind of filesystem; `None` if we do not support it.
pub(crate) fn tool(kind: &str) -> Option<Program> {
    if kind == "zfs" {
        return Some(ZPOOL);
    }
    Some(maker(kind)?.tool)
}

fn maker(kind: &str) -> Option<&'static Maker> {
    MAKERS.iter().find(|maker| maker.kind == kind)
}

/// Makes a filesystem on `devices` without mounting it.
pub(crate) fn make(
    builder: &mut Builder,
    kind: &str,
    arguments: &[String],
    devices: &[Base],
) -> Result<(), WorldError> {
    let Some(maker) = maker(kind) else {
        return Err(builder.unsupported(
            &format!("make a `{kind}` filesystem"),
            "use `ext4`, `xfs`, `btrfs`, `f2fs` or `zfs`",
        ));
    };
    let (identity, marked) = match maker.identity {
        Identity::Uuid(option) => {
            let uuid = draw_uuid(builder.token)?;
            let (last, first) = option
                .split_last()
                .map_or(("", &[][..]), |(last, first)| (*last, first));
            let mut marked: Vec<String> = first.iter().map(|word| (*word).to_owned()).collect();
            match last.strip_suffix('=') {
                Some(_) => marked.push(format!("{last}{uuid}")),
                None => marked.extend([last.to_owned(), uuid.clone()]),
            }
            (uuid, marked)
        }
        Identity::Label(option) => {
            let label = draw_name()?;
            let marked = vec![option.to_owned(), label.clone()];
            (label, marked)
        }
    };
    builder.announce(Change::MadeFilesystem {
        identity,
        devices: Base::names(devices),
    })?;
    // Our arguments first, so that the study's override them; then the identifier.
    let call = maker
        .tool
        .call(maker.arguments)
        .args(arguments)
        .args(marked)
        .args(Base::paths(devices))
        .limit(LIMIT_LONG);
    builder.run(call, &format!("make a `{kind}` filesystem"))?;
    super::md::settle();
    Ok(())
}

/// Mounts the filesystem on `devices` at our own `directory`.
pub(crate) fn mount(
    builder: &mut Builder,
    kind: &str,
    options: &[String],
    devices: &[Base],
    directory: &Path,
) -> Result<(), WorldError> {
    let source = &devices[0].path;
    builder.announce(Change::Mounted {
        directory: directory.to_owned(),
        devices: Base::names(devices),
    })?;
    let what = format!("mount `{}` ({kind})", source.display());
    let call = mount_call(kind, options, &Base::paths(devices), directory);
    builder.run(call, &what)?;
    Ok(())
}

/// Returns the call that mounts the filesystem on `devices`, of which there is at least one.
pub(crate) fn mount_call(
    kind: &str,
    options: &[String],
    devices: &[PathBuf],
    directory: &Path,
) -> Call {
    let mut options = options.to_vec();
    // Without a device scan btrfs does not know its other devices.
    if kind == "btrfs" {
        let others = devices[1..].iter();
        options.extend(others.map(|device| format!("device={}", device.display())));
    }
    let mut call = MOUNT.call(["-t", kind]);
    if !options.is_empty() {
        call = call.args(["-o", &options.join(",")]);
    }
    call.args([devices[0].as_path(), directory])
}

/// The vdev types that may follow the pool's name in `zpool create`.
const VDEVS: [&str; 6] = ["mirror", "raidz", "raidz1", "raidz2", "raidz3", "draid"];

/// The devices of a ZFS pool.
#[derive(Debug)]
pub(crate) struct PoolDevices<'a> {
    /// All of them.
    pub(crate) all: &'a [Base],
    /// Those that hold the intent log.
    pub(crate) log: Range<usize>,
    /// How many each mirror or raidz has; `None` for all in one.
    pub(crate) group: Option<NonZeroU32>,
}

impl PoolDevices<'_> {
    /// Returns the words of `zpool create` behind the pool's name: each group behind the word
    /// `vdev`, and then the log.
    fn words(&self, vdev: &[String]) -> Vec<OsString> {
        let is_log = |place: usize| self.log.contains(&place);
        let paths = |log: bool| -> Vec<OsString> {
            let devices = self.all.iter().enumerate();
            let chosen = devices.filter(|(place, _)| is_log(*place) == log);
            chosen.map(|(_, one)| one.path.clone().into()).collect()
        };
        let (data, log) = (paths(false), paths(true));
        let size = self.group.map_or(usize::MAX, |group| {
            usize::try_from(group.get()).unwrap_or(usize::MAX)
        });
        let mut words = Vec::new();
        for group in data.chunks(size.min(data.len().max(1))) {
            words.extend(vdev.iter().map(OsString::from));
            words.extend_from_slice(group);
        }
        if !log.is_empty() {
            words.push("log".into());
            words.extend(log);
        }
        words
    }
}

/// Makes a ZFS pool on `devices` and mounts its first dataset at `directory`.
pub(crate) fn make_pool(
    builder: &mut Builder,
    arguments: &[String],
    devices: &PoolDevices<'_>,
    directory: &Path,
) -> Result<(), WorldError> {
    let name = draw_name()?;
    builder.announce(Change::MadePool {
        name: name.clone(),
        devices: Base::names(devices.all),
    })?;
    let is_vdev = |word: &&String| VDEVS.contains(&word.as_str());
    let (options, vdev) = match arguments.last().filter(is_vdev) {
        Some(_) => arguments.split_at(arguments.len() - 1),
        None => (arguments, &[][..]),
    };
    let call = ZPOOL
        // No cache file: the machine does not import the pool at boot.
        .call(["create", "-o", "cachefile=none", "-m"])
        .args([directory])
        .args(options)
        .args([&name])
        .args(devices.words(vdev))
        // Without it, the tool does not load the module (OpenZFS 2.1.11,
        // lib/libzfs/os/linux/libzfs_util_os.c: `libzfs_load_module_impl`).
        .envs([("ZFS_MODULE_LOADING", "YES")])
        .limit(LIMIT_LONG);
    builder.run(
        call,
        &format!("make a ZFS pool of {} devices", devices.all.len()),
    )?;
    Ok(())
}

/// Removes the signatures of our filesystem from its devices.
pub(crate) fn undo_filesystem(own: &OwnDevices, devices: &[PathBuf]) -> Result<Undone, UndoError> {
    empty(own, &own.present(devices), false, &|_, _| false)
}

/// Destroys our pool and removes its labels from its devices.
pub(crate) fn undo_pool(
    own: &OwnDevices,
    name: &str,
    devices: &[PathBuf],
) -> Result<Undone, UndoError> {
    let listed = match ZPOOL.call(["list", "-H", "-o", "name"]).run_to_the_end() {
        Ok(printed) => printed,
        // Without the tool we cannot have made a pool; without the module there is none.
        Err(CallError::Missing { .. } | CallError::Failed { .. }) => String::new(),
        Err(error) => return Err(error.into()),
    };
    let is_there = listed.lines().any(|line| line.trim() == name);
    if is_there {
        ZPOOL.call(["destroy", "-f", name]).run_to_the_end()?;
    }
    empty(own, &own.present(devices), is_there, &|_, _| false)
}

/// Unmounts our filesystem from our directory. It is ours if its source is a device of the run or
/// carries a UUID that the run drew.
pub(crate) fn undo_mount(
    own: &OwnDevices,
    directory: &Path,
    devices: &[PathBuf],
) -> Result<Undone, UndoError> {
    // The most mounts at one directory to undo.
    const MOUNTS_MAX: usize = 8;
    let present = own.present(devices).paths;
    for unmounted in 0..MOUNTS_MAX {
        let mounts = mounts(&Root::live())?;
        let Some(mount) = mounts
            .iter()
            .rev()
            .find(|mount| mount.mount_point == directory)
        else {
            return Ok(Undone::done_if(unmounted > 0));
        };
        let found = Path::new(&mount.source);
        let name = sysfs::kernel_name(found);
        let is_same = |device: &PathBuf| {
            found == device || (name.is_some() && name == sysfs::kernel_name(device))
        };
        let is_known = || {
            let signatures = own.signatures(found);
            signatures.is_ok_and(|(found, are_ours)| are_ours && !found.is_empty())
        };
        let is_ours = present.iter().any(is_same) || (name.is_some() && is_known());
        if !is_ours {
            return Err(UndoError::NotOurs(mount.source.clone()));
        }
        UMOUNT.call([directory]).run_to_the_end()?;
    }
    Ok(Undone::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_of_a_pool_stands_behind_its_word_and_the_log_last() {
        let base = |name: &str| Base::layer(PathBuf::from(name));
        let all = ["/a", "/b", "/fast", "/y", "/z"].map(base);
        let pool = |log, group| PoolDevices {
            all: &all,
            log,
            group: NonZeroU32::new(group),
        };
        let words = |pool: PoolDevices<'_>, vdev: &[&str]| {
            let vdev: Vec<String> = vdev.iter().map(|word| (*word).to_owned()).collect();
            let words = pool.words(&vdev);
            let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
            words.join(" ")
        };
        assert_eq!(
            words(pool(2..3, 2), &["mirror"]),
            "mirror /a /b mirror /y /z log /fast"
        );
        assert_eq!(
            words(pool(0..0, 0), &["raidz2"]),
            "raidz2 /a /b /fast /y /z"
        );
        assert_eq!(words(pool(2..3, 0), &[]), "/a /b /y /z log /fast");
    }
}
