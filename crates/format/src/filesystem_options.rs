//! The arguments of `mkfs` and the mount options that a study may give.
//!
//! Some arguments reach beyond the filesystem: `-J device=LABEL=...` creates a journal on a disk
//! that the study does not name, `-d` copies a directory of this machine, `-F` twice overrides a
//! mounted device, and the option `loop` inserts a loop device. So only arguments known to shape
//! the filesystem itself are allowed; they come from mke2fs(8), mkfs.xfs(8), mkfs.btrfs(8),
//! mkfs.f2fs(8), mkfs.nilfs2(8), bcachefs(8) and zpool-create(8). For mount options the reverse
//! holds: there are hundreds, specific to each filesystem, and few change the source or place of
//! the mount (mount(8)).

/// The options of a `mkfs` program that shape the filesystem itself.
struct Maker {
    kinds: &'static [&'static str],
    /// Options that take a value, in the same word or the next.
    valued: &'static [&'static str],
    /// Options without a value.
    bare: &'static [&'static str],
    /// Words allowed alone, in the last place.
    last: &'static [&'static str],
}

const MAKERS: [Maker; 7] = [
    Maker {
        kinds: &["ext2", "ext3", "ext4"],
        valued: &[
            "-b", "-C", "-E", "-e", "-g", "-G", "-i", "-I", "-J", "-m", "-N", "-O", "-T",
        ],
        bare: &["-j"],
        last: &[],
    },
    Maker {
        kinds: &["xfs"],
        valued: &["-b", "-d", "-i", "-l", "-m", "-n", "-s"],
        bare: &["-K"],
        last: &[],
    },
    Maker {
        kinds: &["btrfs"],
        valued: &[
            "-d",
            "--data",
            "-m",
            "--metadata",
            "-n",
            "--nodesize",
            "-s",
            "--sectorsize",
            "-O",
            "--features",
            "-R",
            "--runtime-features",
            "--csum",
            "--checksum",
        ],
        bare: &["-M", "--mixed", "-K", "--nodiscard"],
        last: &[],
    },
    Maker {
        kinds: &["f2fs"],
        valued: &["-a", "-b", "-e", "-E", "-g", "-o", "-O", "-s", "-t", "-z"],
        bare: &["-i"],
        last: &[],
    },
    Maker {
        kinds: &["nilfs2"],
        valued: &["-b", "-B", "-m", "-O", "-P"],
        bare: &["-K"],
        last: &[],
    },
    Maker {
        kinds: &["bcachefs"],
        valued: &[
            "--block_size",
            "--btree_node_size",
            "--compression",
            "--background_compression",
            "--data_checksum",
            "--data_replicas",
            "--metadata_checksum",
            "--metadata_replicas",
            "--replicas",
        ],
        bare: &["--discard"],
        last: &[],
    },
    Maker {
        kinds: &["zfs"],
        valued: &["-o", "-O"],
        bare: &[],
        last: &["mirror", "raidz", "raidz1", "raidz2", "raidz3", "draid"],
    },
];

/// Parts of a value that name another device, a file, or where the filesystem is.
const ELSEWHERE: [&str; 15] = [
    "altroot",
    "cachefile",
    "compatibility",
    "device",
    "file",
    "label",
    "logdev",
    "mountpoint",
    "name",
    "offset",
    "partlabel",
    "partuuid",
    "rtdev",
    "size",
    "uuid",
];
/// Exceptions that are safe for one option: the size of a journal or log.
const HARMLESS: [(&str, &str); 2] = [("-J", "size"), ("-l", "size")];

/// Mount options that change the source, place or owner of the mount.
const MOUNT_REFUSED: [&str; 21] = [
    "bind",
    "device",
    "helper",
    "journal_dev",
    "journal_path",
    "logdev",
    "loop",
    "move",
    "offset",
    "private",
    "rbind",
    "remount",
    "ro",
    "rprivate",
    "rshared",
    "rslave",
    "rtdev",
    "shared",
    "sizelimit",
    "slave",
    "uhelper",
];
/// Prefixes of such options.
const MOUNT_REFUSED_PREFIXES: [&str; 3] = ["verity.", "x-", "X-"];

/// Returns the first problem with the arguments for creating a filesystem `kind`, and a hint.
pub(super) fn wrong_mkfs_argument(kind: &str, arguments: &[String]) -> Option<(String, String)> {
    let maker = MAKERS.iter().find(|maker| maker.kinds.contains(&kind));
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let Some(maker) = maker else {
            return Some((
                format!("`{word}`: Stripewise knows no arguments for creating `{kind}`"),
                "leave `mkfs` out".to_owned(),
            ));
        };
        if maker.bare.contains(&word) || (maker.last.contains(&word) && words.len() == 0) {
            continue;
        }
        let Some((option, attached)) = maker.valued.iter().find_map(|option| split(word, option))
        else {
            return Some((
                format!("a study may not pass `{word}` to create `{kind}`"),
                hint(maker),
            ));
        };
        let Some(value) = attached.or_else(|| words.next()) else {
            return Some((
                format!("`{option}` needs a value"),
                "give its value as the next word: `[\"-b\", \"4096\"]`".to_owned(),
            ));
        };
        if !is_harmless(option, value) {
            return Some((
                format!("`{option} {value}` reaches beyond the filesystem"),
                "a filesystem uses the whole of each device of its stack".to_owned(),
            ));
        }
    }
    None
}

fn hint(maker: &Maker) -> String {
    let known = [maker.valued, maker.bare, maker.last].concat();
    format!("known: {}", known.join(", "))
}

/// Splits `-b4096`, `--csum=xxhash` or `-b` into the option and the value in the same word.
fn split<'a>(word: &'a str, option: &'static str) -> Option<(&'static str, Option<&'a str>)> {
    let rest = word.strip_prefix(option)?;
    let value = match option.starts_with("--") {
        _ if rest.is_empty() => None,
        true => Some(rest.strip_prefix('=')?),
        false => Some(rest),
    };
    Some((option, value))
}

/// Returns whether a value names no other device, no file and no place of the filesystem.
fn is_harmless(option: &str, value: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_=,.:^%+-@".contains(c);
    let is_word = !value.is_empty() && !value.starts_with('-') && value.chars().all(is_plain);
    is_word
        && value.split([',', ':']).all(|part| {
            // `device=LABEL=x` has two of them.
            part.split('=').all(|key| {
                let key = key.to_ascii_lowercase();
                HARMLESS.contains(&(option, key.as_str())) || !ELSEWHERE.contains(&key.as_str())
            })
        })
}

/// Returns the first problem with the mount options, and a hint.
pub(super) fn wrong_mount_option(options: &[String]) -> Option<(String, String)> {
    let wrong = options.iter().find(|option| {
        let key = option.split('=').next().unwrap_or_default();
        let is_one = !option.is_empty() && !option.contains([',', '/', '\\', '"', '\'']);
        !is_one
            || option.chars().any(|c| c.is_control() || c.is_whitespace())
            || MOUNT_REFUSED.contains(&key)
            || MOUNT_REFUSED_PREFIXES
                .iter()
                .any(|prefix| key.starts_with(prefix))
    })?;
    Some((
        format!("a study may not give the mount option `{wrong}`"),
        "write one option per string, such as `\"noatime\"`; Stripewise chooses the source and the mount point"
            .to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mkfs(kind: &str, words: &[&str]) -> Option<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        wrong_mkfs_argument(kind, &words).map(|(problem, _)| problem)
    }

    #[test]
    fn arguments_that_shape_the_filesystem_are_allowed() {
        for (kind, words) in [
            (
                "ext4",
                &["-b", "4096", "-E", "stride=8,stripe_width=16", "-m0"][..],
            ),
            ("ext4", &["-J", "size=64", "-O", "^has_journal"]),
            ("xfs", &["-d", "su=64k,sw=3", "-l", "size=64m", "-K"]),
            ("btrfs", &["-d", "raid10", "--csum=xxhash", "-M"]),
            ("f2fs", &["-O", "extra_attr,compression"]),
            (
                "zfs",
                &["-o", "ashift=12", "-O", "compression=off", "raidz2"],
            ),
            ("bcachefs", &["--replicas=2"]),
            ("jfs", &[]),
        ] {
            assert_eq!(mkfs(kind, words), None, "{kind} {words:?}");
        }
    }

    #[test]
    fn arguments_that_reach_other_devices_or_files_are_refused() {
        for (kind, words) in [
            ("ext4", &["-J", "device=LABEL=other"][..]),
            ("ext4", &["-Jdevice=UUID=1234"]),
            ("ext4", &["-J", "size=4,device=sdb"]),
            ("ext4", &["-F"]),
            ("ext4", &["-d", "etc"]),
            ("ext4", &["-z", "x"]),
            ("ext4", &["-b", "4096", "sdb"]),
            ("ext4", &["-E", "offset=1048576"]),
            ("ext4", &["-b"]),
            ("ext4", &["-b", "-F"]),
            ("ext4", &["-E", "stride=8 -F"]),
            ("xfs", &["-l", "logdev=sdb"]),
            ("xfs", &["-r", "rtdev=sdb"]),
            ("xfs", &["-d", "file,name=x"]),
            ("xfs", &["-d", "size=1g"]),
            ("xfs", &["-f"]),
            ("btrfs", &["-r", "etc"]),
            ("btrfs", &["-f"]),
            ("btrfs", &["--rootdir=etc"]),
            ("f2fs", &["-c", "sdb"]),
            ("zfs", &["-f", "tank", "sdb", "-t"]),
            ("zfs", &["raidz2", "sdb"]),
            ("zfs", &["-o", "altroot=x"]),
            ("zfs", &["-O", "mountpoint=etc"]),
            ("jfs", &["-j", "sdb"]),
            ("reiser4", &["-f"]),
        ] {
            assert!(mkfs(kind, words).is_some(), "{kind} {words:?}");
        }
    }

    #[test]
    fn mount_options_that_change_the_source_or_place_are_refused() {
        let wrong = |option: &str| wrong_mount_option(&[option.to_owned()]).is_some();
        for option in [
            "noatime",
            "barrier=0",
            "commit=30",
            "data=writeback",
            "compress=zstd:3",
        ] {
            assert!(!wrong(option), "{option}");
        }
        for option in [
            "loop",
            "loop=x",
            "offset=512",
            "remount",
            "bind",
            "rbind",
            "move",
            "device=/dev/sdb",
            "journal_path=x",
            "verity.hashdevice=x",
            "X-mount.subdir=x",
            "x-systemd.automount",
            "helper=x",
            "noatime,loop",
            "",
            "no atime",
            "ro",
        ] {
            assert!(wrong(option), "{option}");
        }
    }
}
