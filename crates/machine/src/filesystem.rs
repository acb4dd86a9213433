//! The filesystem of a directory, and where that filesystem is mounted now.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use stripewise_study::world::MountedFilesystem;

use crate::mounts::{Mount, mount_of, mounts};
use crate::root::Root;
use crate::source::{Fact, Missing};

/// Where udev links block devices by the UUID of their filesystem.
const BY_UUID: &str = "/dev/disk/by-uuid";

/// Returns the filesystem of a directory; `None` if the mount table does not list it.
///
/// `directory` is an absolute path without symbolic links.
///
/// # Errors
/// If the mounts could not be read.
pub fn mounted_filesystem(root: &Root, directory: &Path) -> Fact<MountedFilesystem> {
    let mounts = mounts(root)?;
    let Some(mount) = mount_of(&mounts, directory) else {
        return Ok(None);
    };
    let below = directory.strip_prefix(&mount.mount_point);
    Ok(below.ok().map(|below| MountedFilesystem {
        kind: mount.filesystem.clone(),
        source: mount.source.clone(),
        uuid: uuid(root, mount),
        device: (mount.major, mount.minor),
        mount_point: mount.mount_point.clone(),
        directory: joined(&mount.root, below),
    }))
}

/// Returns the present paths of the directory of `wanted`, one for each mount that shows it; empty
/// if the filesystem is not mounted.
///
/// A filesystem is identified by its UUID. Without one it is identified by type and device number,
/// which may belong to another filesystem after a reboot: the caller compares inodes.
///
/// # Errors
/// If the mounts could not be read.
pub fn places_of(root: &Root, wanted: &MountedFilesystem) -> Result<Vec<PathBuf>, Missing> {
    let mounts = mounts(root)?;
    let places = mounts
        .iter()
        .filter(|mount| is_same(root, mount, wanted))
        .filter_map(|mount| {
            let below = wanted.directory.strip_prefix(&mount.root).ok()?;
            Some(joined(&mount.mount_point, below))
        });
    Ok(places.collect())
}

/// Returns whether filesystems of this type lose their files when they are unmounted.
pub fn is_in_memory(kind: &str) -> bool {
    matches!(kind, "tmpfs" | "ramfs")
}

fn is_same(root: &Root, mount: &Mount, wanted: &MountedFilesystem) -> bool {
    if mount.filesystem != wanted.kind {
        return false;
    }
    match (&wanted.uuid, uuid(root, mount)) {
        (Some(wanted), Some(found)) => *wanted == found,
        _ if (mount.major, mount.minor) == wanted.device => true,
        _ => {
            !mount.source.is_empty() && !is_in_memory(&wanted.kind) && mount.source == wanted.source
        }
    }
}

/// Joins without a trailing slash, so that paths compare equal.
fn joined(directory: &Path, below: &Path) -> PathBuf {
    match below.as_os_str().is_empty() {
        true => directory.to_owned(),
        false => directory.join(below),
    }
}

/// Returns the UUID of a mounted filesystem, if udev has linked its device.
fn uuid(root: &Root, mount: &Mount) -> Option<String> {
    let number = |path: &Path| {
        let metadata = std::fs::metadata(root.real(path)).ok()?;
        let is_device = metadata.file_type().is_block_device();
        is_device.then(|| metadata.rdev())
    };
    // btrfs and others have no block device number in mountinfo.
    let device = number(Path::new(&mount.source))?;
    root.list(BY_UUID)
        .into_iter()
        .find(|name| number(&Path::new(BY_UUID).join(name)) == Some(device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Returns a machine whose mount table is `mountinfo`.
    fn machine(mountinfo: &str) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("proc/self")).unwrap();
        fs::write(folder.path().join("proc/self/mountinfo"), mountinfo).unwrap();
        let root = Root(folder.path().to_owned());
        (folder, root)
    }

    const DISK: &str =
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:17 / /srv rw - xfs /dev/sdb1 rw\n";

    #[test]
    fn a_directory_is_found_wherever_its_filesystem_is_mounted() {
        let (_folder, root) = machine(DISK);
        let found = mounted_filesystem(&root, Path::new("/srv/data"))
            .unwrap()
            .unwrap();
        assert_eq!((found.kind.as_str(), found.device), ("xfs", (8, 17)));
        assert_eq!(found.directory, Path::new("/data"));
        let places = |mountinfo| places_of(&machine(mountinfo).1, &found).unwrap();
        assert_eq!(places(DISK), [Path::new("/srv/data")]);
        let unmounted = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n";
        assert_eq!(places(unmounted), [] as [PathBuf; 0]);
        let elsewhere = "2 1 8:17 / /mnt rw - xfs /dev/sdb1 rw\n3 1 8:17 /data /in rw - xfs /dev/sdb1 rw\n4 1 8:17 /other /out rw - xfs /dev/sdb1 rw\n";
        assert_eq!(
            places(elsewhere),
            [Path::new("/mnt/data"), Path::new("/in")]
        );
        let renumbered = "2 1 8:33 / /mnt rw - xfs /dev/sdb1 rw\n";
        assert_eq!(places(renumbered), [Path::new("/mnt/data")]);
        let another = "2 1 8:33 / /srv rw - xfs /dev/sdc1 rw\n";
        assert_eq!(places(another), [] as [PathBuf; 0]);
    }

    #[test]
    fn a_new_filesystem_in_memory_is_another_one() {
        let (_folder, root) = machine("2 1 0:25 / /run rw - tmpfs tmpfs rw\n");
        let found = mounted_filesystem(&root, Path::new("/run"))
            .unwrap()
            .unwrap();
        let (_folder, later) = machine("2 1 0:31 / /run rw - tmpfs tmpfs rw\n");
        assert_eq!(places_of(&root, &found).unwrap(), [Path::new("/run")]);
        assert_eq!(places_of(&later, &found).unwrap(), [] as [PathBuf; 0]);
    }

    /// Guards against a table that cannot be read and counts as one without mounts: the files of a
    /// filesystem in memory would be given up.
    #[test]
    fn mounts_that_cannot_be_read_are_not_none() {
        let (folder, root) = machine(DISK);
        let found = mounted_filesystem(&root, Path::new("/srv"))
            .unwrap()
            .unwrap();
        fs::remove_file(folder.path().join("proc/self/mountinfo")).unwrap();
        let told = places_of(&root, &found).unwrap_err().to_string();
        assert_eq!(told, "`/proc/self/mountinfo`: it does not exist");
        assert!(mounted_filesystem(&root, Path::new("/srv")).is_err());
    }
}
