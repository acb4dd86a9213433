//! The mount table: `/proc/self/mountinfo`.
//!
//! Documentation/filesystems/proc.rst, section 3.5:
//!
//! ```text
//! 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
//! id parent device root mount_point options optional... - filesystem source super_options
//! ```
//!
//! Spaces, tabs, line ends and backslashes within a field are written in octal (`\040`).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::root::{Root, clean_word};
use crate::source::{Missing, Source, read};

/// The longest mountinfo to read: a namespace has at most 100,000 mounts (`fs.mount-max`, see
/// `Documentation/admin-guide/sysctl/fs.rst`), of 200 bytes each on a container host.
const MOUNTINFO_BYTES_MAX: u64 = 64 << 20;

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Its id.
    pub id: u64,
    /// The id of the mount that it is mounted on.
    pub parent_id: u64,
    /// The major number of the filesystem's device; 0 if it has no block device number (btrfs, ZFS,
    /// tmpfs, NFS).
    pub major: u32,
    /// The minor number of the filesystem's device.
    pub minor: u32,
    /// The mounted directory of the filesystem, byte for byte: `/`, except for bind mounts and
    /// subvolumes.
    pub root: PathBuf,
    /// The mount point, byte for byte.
    pub mount_point: PathBuf,
    /// The filesystem's type: `ext4`, `fuse.sshfs`, ...
    pub filesystem: String,
    /// The mounted device, dataset or share. May be empty.
    pub source: String,
    /// The options of this mount, then those of the filesystem, each once.
    pub options: Vec<String>,
}

impl Mount {
    /// Returns whether the mount or the filesystem is read-only.
    pub fn is_read_only(&self) -> bool {
        self.options.iter().any(|option| option == "ro")
    }

    /// Returns the value of the option `key`: `zstd:3` for `compress=zstd:3`; empty for an option
    /// without a value.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().find_map(|option| {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            (name == key).then_some(value)
        })
    }
}

/// Reads the mounts of this process's namespace, in the kernel's order.
///
/// # Errors
/// If they could not be read.
pub fn mounts(root: &Root) -> Result<Vec<Mount>, Missing> {
    const FILE: &str = "/proc/self/mountinfo";
    let bytes = read(
        FILE,
        root.try_bytes_up_to(FILE.as_ref(), MOUNTINFO_BYTES_MAX),
    )?;
    let bytes = bytes.ok_or_else(|| Missing::absent(FILE))?;
    Ok(parse_mountinfo(&bytes))
}

/// A place to which the kernel swaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap {
    /// The device or the file.
    pub path: String,
    /// Whether it is a file.
    pub is_file: bool,
}

/// Reads where the kernel swaps to; nowhere if it has no swap.
///
/// # Errors
/// If it could not be read.
pub fn swaps<S: Source>(source: S) -> Result<Vec<Swap>, Missing> {
    // The file has a title, also without swap; a kernel without swap has no such file.
    let text = source.text("/proc/swaps")?;
    let lines = text.as_deref().unwrap_or_default().lines().skip(1);
    let swaps = lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        Some(Swap {
            path: unescape(words.next()?),
            is_file: words.next() == Some("file"),
        })
    });
    Ok(swaps.collect())
}

/// A line of `/proc/mounts` or `/etc/fstab` (getmntent(3), fstab(5)), for facts that were collected:
/// they have no mountinfo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MountLine<'a> {
    /// The device, dataset or share, with its escapes.
    pub device: &'a str,
    /// The mount point, with its escapes.
    pub place: &'a str,
    /// The filesystem's type.
    pub kind: &'a str,
    options: &'a str,
}

impl<'a> MountLine<'a> {
    /// Returns the lines of such a table, without comments.
    pub fn all(text: &'a str) -> Vec<Self> {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mounts = lines.filter_map(|line| {
            let mut fields = line.split_whitespace();
            Some(Self {
                device: fields.next()?,
                place: fields.next()?,
                kind: fields.next()?,
                options: fields.next().unwrap_or_default(),
            })
        });
        mounts.collect()
    }

    /// Returns whether it has an option.
    pub fn has(&self, option: &str) -> bool {
        self.options.split(',').any(|one| one == option)
    }

    /// Returns the first of several options that it has.
    pub fn any(&self, options: &[&'a str]) -> Option<&'a str> {
        options.iter().copied().find(|option| self.has(option))
    }

    /// Returns whether a path is in the directory where it is mounted.
    pub fn holds(&self, path: &str) -> bool {
        let place = unescape(self.place);
        let rest = path.strip_prefix(place.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Parses the lines of a mountinfo; skips invalid lines.
pub fn parse_mountinfo(bytes: &[u8]) -> Vec<Mount> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter_map(parse_line)
        .collect()
}

fn parse_line(line: &[u8]) -> Option<Mount> {
    // Fields are separated by single spaces: the source of `mount -t tmpfs "" /mnt` is empty.
    let mut fields = line.split(|byte| *byte == b' ');
    let id = number(fields.next()?)?;
    let parent_id = number(fields.next()?)?;
    let device = std::str::from_utf8(fields.next()?).ok()?;
    let (major, minor) = device.split_once(':')?;
    let root = PathBuf::from(OsString::from_vec(unescaped(fields.next()?)));
    let mount_point = PathBuf::from(OsString::from_vec(unescaped(fields.next()?)));
    let mount_options = fields.next()?;
    fields.find(|field| *field == b"-")?;
    let filesystem = clean_word(&unescaped(fields.next()?))?;
    let source = clean_word(&unescaped(fields.next()?)).unwrap_or_default();
    let super_options = fields.next().unwrap_or_default();
    if !mount_point.is_absolute() {
        return None;
    }
    let mut options: Vec<String> = Vec::new();
    for option in [mount_options, super_options]
        .into_iter()
        .flat_map(|list| list.split(|byte| *byte == b','))
        .filter_map(|option| clean_word(&unescaped(option)))
    {
        if !options.contains(&option) {
            options.push(option);
        }
    }
    Some(Mount {
        id,
        parent_id,
        major: major.parse().ok()?,
        minor: minor.parse().ok()?,
        root,
        mount_point,
        filesystem,
        source,
        options,
    })
}

fn number(field: &[u8]) -> Option<u64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// Returns a field of a mount table or of fstab with the characters for `\040` and the like.
pub fn unescape(field: &str) -> String {
    String::from_utf8_lossy(&unescaped(field.as_bytes())).into_owned()
}

/// Replaces escapes such as `\040` by their bytes.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        match (first, after) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..]) => {
                bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

/// Returns the mount that `path` is on; the path is absolute and has no symbolic links.
///
/// Follows the tree of mounts like a path lookup in the kernel, and so skips hidden mounts:
/// `/mnt/a/b` is unreachable once another filesystem is mounted on `/mnt/a`. The device number of
/// the directory (`st_dev`) is not enough: each btrfs subvolume has one that mountinfo does not
/// list, and bind mounts share theirs.
pub fn mount_of<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    let mut children: BTreeMap<Option<u64>, Vec<&Mount>> = BTreeMap::new();
    let by_id: BTreeMap<u64, &Mount> = mounts.iter().map(|mount| (mount.id, mount)).collect();
    for mount in mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.mount_point))
    {
        // In a container the parent of the first mounts is not listed.
        let parent = Some(mount.parent_id)
            .filter(|parent| *parent != mount.id && by_id.contains_key(parent));
        children.entry(parent).or_default().push(mount);
    }
    let mut current: Option<&Mount> = None;
    // Removing visited parents bounds the walk, even for a cyclic table.
    while let Some(candidates) = children.remove(&current.map(|mount| mount.id)) {
        let next = candidates.into_iter().rev().min_by_key(|mount| {
            // The first mount on the way down; of several on one directory, the last one mounted.
            mount.mount_point.as_os_str().as_bytes().len()
        });
        current = next.or(current);
    }
    current
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount_id(mountinfo: &str, path: &str) -> Option<u64> {
        mount_of(&parse_mountinfo(mountinfo.as_bytes()), Path::new(path)).map(|mount| mount.id)
    }

    #[test]
    fn a_line_is_read_field_by_field() {
        let line = b"36 35 98:0 /sub /mnt/my\\040disk\\134 rw,noatime shared:7 master:1 - ext4 /dev/disk\\040one rw,errors=continue\n";
        let mounts = parse_mountinfo(line);
        assert_eq!(mounts.len(), 1);
        let mount = &mounts[0];
        assert_eq!((mount.id, mount.parent_id), (36, 35));
        assert_eq!((mount.major, mount.minor), (98, 0));
        assert_eq!(mount.root, Path::new("/sub"));
        assert_eq!(mount.mount_point, Path::new("/mnt/my disk\\"));
        assert_eq!(mount.filesystem, "ext4");
        assert_eq!(mount.source, "/dev/disk one");
        assert_eq!(mount.options, ["rw", "noatime", "errors=continue"]);
        assert_eq!(mount.option("errors"), Some("continue"));
        assert!(!mount.is_read_only());
    }

    #[test]
    fn an_empty_source_does_not_shift_the_fields() {
        let mounts = parse_mountinfo(b"40 1 0:50 / /mnt rw - tmpfs  rw,size=4k");
        assert_eq!(mounts[0].source, "");
        assert_eq!(mounts[0].option("size"), Some("4k"));
    }

    #[test]
    fn invalid_lines_are_skipped() {
        for line in [
            "",
            "36",
            "36 35 98:0 / /mnt rw",
            "36 35 98:0 / /mnt rw - ext4",
            "36 35 98 / /mnt rw - ext4 /dev/sda rw",
            "36 35 98:0 / relative rw - ext4 /dev/sda rw",
            "99999999999999999999999 35 98:0 / /mnt rw - ext4 /dev/sda rw",
        ] {
            assert_eq!(parse_mountinfo(line.as_bytes()), [], "{line}");
        }
    }

    #[test]
    fn the_deepest_mount_point_on_the_way_is_taken() {
        let info = "1 0 8:1 / / rw - ext4 a rw\n2 1 8:2 / /srv rw - ext4 b rw\n3 2 8:3 / /srv/data rw - ext4 c rw\n";
        assert_eq!(mount_id(info, "/srv/data/x"), Some(3));
        assert_eq!(mount_id(info, "/srv/database"), Some(2));
        assert_eq!(mount_id(info, "/home"), Some(1));
    }

    #[test]
    fn of_mounts_on_one_directory_the_last_is_taken() {
        let stacked = "1 0 8:1 / / rw - ext4 a rw\n2 1 8:2 / /srv rw - ext4 b rw\n3 2 8:3 / /srv rw - ext4 c rw\n";
        assert_eq!(mount_id(stacked, "/srv/x"), Some(3));
        let siblings = "1 0 8:1 / / rw - ext4 a rw\n2 1 8:2 / /srv rw - ext4 b rw\n3 1 8:3 / /srv rw - ext4 c rw\n";
        assert_eq!(mount_id(siblings, "/srv/x"), Some(3));
        let whole_root = "1 0 0:2 / / rw - rootfs none rw\n5 1 8:1 / / rw - ext4 a rw\n6 5 8:2 / /srv rw - ext4 b rw\n";
        assert_eq!(mount_id(whole_root, "/srv"), Some(6));
    }

    #[test]
    fn a_hidden_mount_is_skipped() {
        let info = "1 0 8:1 / / rw - ext4 a rw\n2 1 8:2 / /mnt/a/b rw - ext4 b rw\n3 1 8:3 / /mnt/a rw - ext4 c rw\n";
        assert_eq!(mount_id(info, "/mnt/a/b/x"), Some(3));
    }

    #[test]
    fn a_cycle_of_mounts_ends_the_walk() {
        let info =
            "1 2 8:1 / / rw - ext4 a rw\n2 1 8:2 / / rw - ext4 b rw\n3 3 8:3 / / rw - ext4 c rw\n";
        assert_eq!(mount_id(info, "/x"), Some(3));
        assert_eq!(
            mount_id("1 2 8:1 / / rw - e a rw\n2 1 8:2 / / rw - e b rw\n", "/x"),
            None
        );
    }

    /// Guards against paths that are compared with their escapes, and against a file that counts as a
    /// device.
    #[test]
    fn swaps_have_their_names_and_kinds() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("proc")).unwrap();
        let root = Root(folder.path().to_owned());
        assert_eq!(swaps(&root), Ok(Vec::new()));
        let table = "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n/srv/a\\040b file 1 0 -3\n";
        std::fs::write(folder.path().join("proc/swaps"), table).unwrap();
        let found = swaps(&root).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|swap| (swap.path.as_str(), swap.is_file))
            .collect();
        assert_eq!(found, [("/dev/sda2", false), ("/srv/a b", true)]);
    }
}
