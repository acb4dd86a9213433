//! The filesystem under test: its mount point, its compression, its size, and its disks.

use std::path::{Path, PathBuf};

use stripewise_study::facts::TargetFacts;
use stripewise_units::Bytes;

use crate::disks::{devices_of_mount, disks_of_mount, profile};
use crate::mounts::{Mount, mount_of, mounts};
use crate::root::{Root, shown};
use crate::source::Missing;

/// Reads the facts of the filesystem that holds the directory `path`.
///
/// Unknown facts stay empty; if `path` does not exist, all but its name. Follows symbolic links.
/// Sizes come from `statvfs(3)` on the real directory, all other facts from `/proc/self/mountinfo`
/// and `/sys`. The disks below ZFS are not in `/sys`: they stay empty.
///
/// # Errors
/// If the mounts could not be read.
pub fn target(root: &Root, path: &Path) -> Result<TargetFacts, Missing> {
    let target = Target::of(root, path);
    Ok(target.facts(root, &mounts(root)?))
}

/// A directory that was looked up, which triggers automounts.
pub(crate) struct Target {
    /// What is known of it without the mounts.
    known: TargetFacts,
    /// Its path without symbolic links; `None` if it does not exist.
    inside: Option<PathBuf>,
}

impl Target {
    pub(crate) fn of(root: &Root, path: &Path) -> Self {
        let mut known = TargetFacts {
            path: shown(path),
            ..TargetFacts::default()
        };
        let inside = root.canonical(path).ok();
        let stat = inside
            .as_ref()
            .map(|inside| rustix::fs::statvfs(root.real(inside)));
        if let Some(Ok(stat)) = stat {
            known.size_bytes = stat.f_blocks.checked_mul(stat.f_frsize).map(Bytes::new);
            known.free_bytes = stat.f_bavail.checked_mul(stat.f_frsize).map(Bytes::new);
        }
        Self { known, inside }
    }

    /// Returns its facts among `mounts`.
    pub(crate) fn facts(self, root: &Root, mounts: &[Mount]) -> TargetFacts {
        let mount = self.inside.and_then(|inside| mount_of(mounts, &inside));
        match mount {
            Some(mount) => on_mount(root, mounts, mount, self.known),
            None => self.known,
        }
    }
}

fn on_mount(root: &Root, mounts: &[Mount], mount: &Mount, known: TargetFacts) -> TargetFacts {
    TargetFacts {
        mount_point: Some(shown(&mount.mount_point)),
        filesystem: Some(mount.filesystem.clone()),
        source: Some(mount.source.clone()).filter(|source| !source.is_empty()),
        options: mount.options.clone(),
        compression: compression(mount),
        profile: profile(root, mount),
        disks: disks_of_mount(root, mounts, mount),
        devices: devices_of_mount(root, mount),
        ..known
    }
}

/// Returns whether a filesystem of this type is on another machine, so that the counters of this
/// machine's disks do not apply.
///
/// Such a target can be measured; the results include the network and the server.
pub fn is_network_filesystem(filesystem: &str) -> bool {
    const NAMES: [&str; 17] = [
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "fuse.cephfs",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "gfs2",
        "lustre",
        "nfs",
        "nfs4",
        "smb3",
        "virtiofs",
    ];
    NAMES.contains(&filesystem)
}

/// Returns the compression of a filesystem, as far as the mount options show it.
///
/// Btrfs: Documentation of `btrfs(5)`, "compress"; properties of single files are not detected.
/// F2FS: Documentation/filesystems/f2fs.rst, "compress_algorithm"; without `compress_extension`
/// only files marked with `chattr +c` are compressed. UBIFS and JFFS2 compress by default. ZFS
/// stores it as a property of the dataset, which mount options do not show, and newer versions
/// compress by default: we report it as unknown.
fn compression(mount: &Mount) -> Option<String> {
    let known = |value: &str| (!matches!(value, "none" | "no")).then(|| value.to_owned());
    match mount.filesystem.as_str() {
        "btrfs" => {
            let forced = mount
                .option("compress-force")
                .and_then(known)
                .map(|algorithm| format!("{} (forced)", or_default(&algorithm)));
            forced.or_else(|| {
                let algorithm = mount.option("compress").and_then(known)?;
                Some(or_default(&algorithm).to_owned())
            })
        }
        "f2fs" => {
            let extensions: Vec<&str> = mount
                .options
                .iter()
                .filter_map(|option| option.strip_prefix("compress_extension="))
                .collect();
            let algorithm = or_default(mount.option("compress_algorithm").unwrap_or_default());
            match extensions.as_slice() {
                [] => None,
                ["*"] => Some(algorithm.to_owned()),
                some => Some(format!("{algorithm} (files named *.{})", some.join(", *."))),
            }
        }
        "zfs" => Some(format!("zfs: see `zfs get compression {}`", mount.source)),
        "bcachefs" => ["compression", "background_compression"]
            .iter()
            .find_map(|key| mount.option(key).and_then(known)),
        "ubifs" => known(mount.option("compr").unwrap_or("the filesystem's default")),
        "jffs2" => known(mount.option("compr").unwrap_or("the filesystem's default")),
        "ntfs3" => mount.option("compress").map(|_| "LZNT1".to_owned()),
        _ => None,
    }
}

/// Returns the name of an algorithm, or a text for the default if the option names none.
fn or_default(algorithm: &str) -> &str {
    if algorithm.is_empty() {
        "the filesystem's default"
    } else {
        algorithm
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mounts::parse_mountinfo;

    #[test]
    fn compression_is_read_from_the_options() {
        for (filesystem, options, expected) in [
            ("ext4", "rw", None),
            ("squashfs", "ro", None),
            ("btrfs", "rw,ssd", None),
            ("btrfs", "rw,compress=zstd:3,ssd", Some("zstd:3")),
            ("btrfs", "rw,compress-force=lzo", Some("lzo (forced)")),
            ("btrfs", "rw,compress=no", None),
            ("f2fs", "rw,compress_algorithm=lz4,compress_mode=fs", None),
            (
                "f2fs",
                "rw,compress_algorithm=lz4,compress_extension=*",
                Some("lz4"),
            ),
            (
                "f2fs",
                "rw,compress_algorithm=zstd,compress_extension=txt,compress_extension=log",
                Some("zstd (files named *.txt, *.log)"),
            ),
            (
                "zfs",
                "rw,xattr",
                Some("zfs: see `zfs get compression tank/data`"),
            ),
            ("bcachefs", "rw,compression=lz4", Some("lz4")),
            ("bcachefs", "rw,compression=none", None),
            ("ubifs", "rw,compr=none", None),
            ("ubifs", "rw", Some("the filesystem's default")),
        ] {
            let line = format!("1 0 0:9 / / rw - {filesystem} tank/data {options}");
            let mounts = parse_mountinfo(line.as_bytes());
            assert_eq!(compression(&mounts[0]).as_deref(), expected, "{line}");
        }
    }
}
