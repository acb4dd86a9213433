//! Filesystems: barriers, errors, space, the link between a filesystem and its array.

use crate::facts::{
    Array, disk_of, fstab, is_rotational, mount_of, mounted_name, mounts, name_at, spaces,
};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[
    NO_BARRIER,
    WRITEBACK,
    EXT4_ERRORS,
    READ_ONLY,
    BTRFS_ERRORS,
    FULL,
    NO_BARRIER_STALE,
    TRIM,
    STRIPE,
];

const NO_BARRIER: Rule = Rule {
    id: "mnt.nobarrier",
    title: "a filesystem is mounted without barriers",
    severity: Severity::Critical,
    reason: "The filesystem sends no flush to the disk. After a power cut its journal and its data can disagree, although fsync returned.",
    source: "kernel Documentation/admin-guide/ext4.rst, `barrier`; Red Hat Storage Administration Guide, Write Barriers",
    fix: "Remove `nobarrier` or `barrier=0` from /etc/fstab and remount.",
    risk: "fsync gets its true, slower speed back.",
    undo: "`mount -o remount,barrier=0` (ext4).",
    proof: Some("stripewise pull-plug studies/pull-plug-filesystems.toml"),
    judge: no_barrier,
    ..Rule::PLAIN
};

const NO_BARRIERS: [&str; 2] = ["nobarrier", "barrier=0"];

fn no_barrier(facts: &Snapshot) -> Judged {
    let find = |places: Vec<crate::facts::Mount<'_>>, file: &str| {
        Findings::each(places, |mount| {
            let option = mount.any(&NO_BARRIERS).filter(|_| mount.kind != "xfs");
            Ok(match option {
                Some(option) => Verdict::Fail(format!("{}: `{option}` in {file}", mount.place)),
                None => Verdict::Fine,
            })
        })
    };
    let mounted = mounts(facts).map(|mounts| find(mounts, "/proc/mounts"));
    let listed = fstab(facts).map(|lines| find(lines, "/etc/fstab"));
    Ok(Findings::default().and(mounted).and(listed))
}

const WRITEBACK: Rule = Rule {
    id: "mnt.writeback",
    title: "an ext4 filesystem journals with data=writeback",
    severity: Severity::Critical,
    reason: "After a crash a file can contain old blocks of other files: data is not written before the metadata that points to it.",
    source: "kernel Documentation/filesystems/ext4/journal.rst and admin-guide/ext4.rst, `data=writeback`",
    fix: "`data=ordered` in /etc/fstab, or `tune2fs -o journal_data_ordered`, and mount again.",
    risk: "Slower under heavy metadata load.",
    undo: "`data=writeback` in /etc/fstab.",
    judge: writeback,
    ..Rule::PLAIN
};

fn writeback(facts: &Snapshot) -> Judged {
    if !mounts(facts)?.iter().any(|mount| mount.kind == "ext4") {
        return Ok(Findings::default());
    }
    // Unlike /proc/mounts, this file shows options that equal the default in the superblock.
    let files = facts.glob("/proc/fs/ext4/*/options")?;
    if files.is_empty() {
        return Err(Missing::new(
            "/proc/fs/ext4/*/options",
            "ext4 is mounted, and the file does not exist",
        ));
    }
    Ok(Findings::each(files, |path| {
        let is_found = facts
            .need_word(path)?
            .lines()
            .any(|line| line == "data=writeback");
        Ok(Verdict::fail_if(is_found, || {
            format!("{}: data=writeback", name_at(path, 3))
        }))
    }))
}

const EXT4_ERRORS: Rule = Rule {
    id: "fs.ext4-errors",
    title: "an ext4 filesystem has recorded errors",
    severity: Severity::Critical,
    reason: "The kernel found inconsistent metadata, and counts on until a check resets the count. It goes on writing unless the filesystem is mounted with `errors=remount-ro`.",
    source: "kernel fs/ext4/sysfs.c, `errors_count`; e2fsck(8)",
    fix: "Back up, unmount, `e2fsck -f`.",
    risk: "e2fsck can move files to lost+found.",
    undo: "None; restore from the backup.",
    judge: ext4_errors,
    ..Rule::PLAIN
};

fn ext4_errors(facts: &Snapshot) -> Judged {
    Ok(Findings::each(
        facts.glob("/sys/fs/ext4/*/errors_count")?,
        |path| {
            let count = facts.need_number(path)?;
            Ok(Verdict::fail_if(count > 0, || {
                format!("{}: {count} errors", name_at(path, 3))
            }))
        },
    ))
}

const READ_ONLY: Rule = Rule {
    id: "fs.read-only",
    title: "a filesystem that should be writable is read-only",
    severity: Severity::Critical,
    reason: "fstab mounts it for writing. The kernel turns a filesystem read-only when it finds an error in it or its disk fails.",
    source: "ext4(5), `errors=remount-ro`; mount(8), `ro`",
    fix: "Read the kernel log, check the disk, then the filesystem.",
    risk: "`mount -o remount,rw` without a check can make damage worse.",
    undo: "`mount -o remount,ro`.",
    judge: read_only,
    ..Rule::PLAIN
};

fn read_only(facts: &Snapshot) -> Judged {
    let mounted = mounts(facts)?;
    Ok(Findings::each(fstab(facts)?, |line| {
        let wants_write = !line.has("ro") && line.place.starts_with('/');
        let now = mounted.iter().rfind(|mount| mount.place == line.place);
        let is_read_only = wants_write
            && now.is_some_and(|mount| mount.has("ro"))
            && ["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs"].contains(&line.kind);
        Ok(Verdict::fail_if(is_read_only, || {
            format!("{} is mounted read-only", line.place)
        }))
    }))
}

const BTRFS_ERRORS: Rule = Rule {
    id: "fs.btrfs-errors",
    title: "btrfs has counted errors of a device",
    severity: Severity::Critical,
    reason: "The counts stay until an administrator resets them: read, write and flush errors, checksums that do not match, and old generations.",
    source: "btrfs-device(8), DEVICE STATS; kernel fs/btrfs/sysfs.c, `devinfo`",
    fix: "`btrfs scrub start`, read the kernel log, replace the device if the counts grow; then `btrfs device stats --reset`.",
    risk: "A scrub of single data reports files that it cannot repair.",
    undo: "None.",
    judge: btrfs_errors,
    ..Rule::PLAIN
};

fn btrfs_errors(facts: &Snapshot) -> Judged {
    Ok(Findings::each(
        facts.glob("/sys/fs/btrfs/*/devinfo/*/error_stats")?,
        |path| {
            let text = facts.need_word(path)?;
            let counts = text.lines().filter(|line| !line.ends_with(" 0"));
            let counts: Vec<&str> = counts.collect();
            Ok(Verdict::fail_if(!counts.is_empty(), || {
                format!(
                    "{}, device {}: {}",
                    name_at(path, 3),
                    name_at(path, 5),
                    counts.join(", ")
                )
            }))
        },
    ))
}

const FULL: Rule = Rule {
    id: "fs.full",
    title: "a filesystem is nearly full",
    severity: Severity::Critical,
    reason: "Databases stop when they cannot write. Allocation in a nearly full filesystem is slow and fragments files.",
    source: "df(1); tune2fs(8), `-m`: why a part stays reserved",
    fix: "Remove files or grow the filesystem.",
    risk: "None.",
    undo: "None needed.",
    judge: full,
    ..Rule::PLAIN
};

const FULL_PERCENT: u64 = 90;

fn full(facts: &Snapshot) -> Judged {
    let find = |line: &str, what: &str| {
        spaces(facts, line).map(|spaces| {
            Findings::each(spaces, |space| {
                Ok(Verdict::fail_if(space.used_percent > FULL_PERCENT, || {
                    format!(
                        "{}: {} % of its {what} used",
                        space.place, space.used_percent
                    )
                }))
            })
        })
    };
    let bytes = find("df -al -x autofs", "space");
    Ok(Findings::default()
        .and(bytes)
        .and(find("df -ali -x autofs", "inodes")))
}

const NO_BARRIER_STALE: Rule = Rule {
    id: "mnt.nobarrier-stale",
    title: "fstab mounts XFS with an option that no longer exists",
    severity: Severity::High,
    reason: "Linux 4.19 removed `barrier` and `nobarrier` from XFS: the mount fails after the upgrade.",
    source: "kernel Documentation/admin-guide/xfs.rst, Removed Mount Options",
    fix: "Remove the option from /etc/fstab.",
    risk: "None: XFS has sent barriers since.",
    undo: "Put the option back.",
    judge: no_barrier_stale,
    ..Rule::PLAIN
};

fn no_barrier_stale(facts: &Snapshot) -> Judged {
    Ok(Findings::each(fstab(facts)?, |line| {
        let option = line
            .any(&["nobarrier", "barrier"])
            .filter(|_| line.kind == "xfs");
        Ok(match option {
            Some(option) => Verdict::Fail(format!("{}: `{option}` in /etc/fstab", line.place)),
            None => Verdict::Fine,
        })
    }))
}

const TRIM: Rule = Rule {
    id: "ssd.trim",
    title: "an SSD never hears which blocks are free",
    severity: Severity::Medium,
    reason: "Write speed falls when the drive finds no free blocks. Neither a timer nor the mount option discards, or a layer in between passes no discards on.",
    source: "fstrim(8); mount(8), `discard`; kernel drivers/md/raid5.c, parameter devices_handle_discard_safely",
    fix: "`systemctl enable --now fstrim.timer`.",
    risk: "With LUKS, discards show which blocks are used. With RAID 5 or 6 on disks that do not return zeros after a discard, the parity becomes wrong.",
    undo: "`systemctl disable --now fstrim.timer`.",
    judge: trim,
    ..Rule::PLAIN
};

/// Filesystems that discard blocks they no longer use.
pub(super) const DISCARDING: [&str; 4] = ["ext4", "xfs", "btrfs", "f2fs"];

fn trim(facts: &Snapshot) -> Judged {
    let timers = facts.glob("/etc/systemd/system/*.wants/*")?;
    let has_timer = timers.iter().any(|path| path.ends_with("/fstrim.timer"));
    Ok(Findings::each(mounts(facts)?, |mount| {
        if !DISCARDING.contains(&mount.kind) {
            return Ok(Verdict::Fine);
        }
        let disk = disk_of(facts, mounted_name(facts, mount.device)?)?;
        if is_rotational(facts, disk)? {
            return Ok(Verdict::Fine);
        }
        let most = facts.need_number(&format!("/sys/block/{disk}/queue/discard_max_bytes"))?;
        let place = mount.place;
        Ok(match (most, has_timer || mount.has("discard")) {
            (0, _) if disk.starts_with("md") || disk.starts_with("dm-") => {
                Verdict::Fail(format!("{place}: {disk} passes no discards on"))
            }
            (0, _) | (_, true) => Verdict::Fine,
            (_, false) => Verdict::Fail(format!(
                "{place} on {disk}: neither fstrim.timer nor `discard`"
            )),
        })
    }))
}

const STRIPE: Rule = Rule {
    id: "fs.stripe",
    title: "ext4 does not know the stripes of its array",
    severity: Severity::Low,
    reason: "The allocator places files without regard to chunks and full stripes, so a RAID 5 or 6 reads before it writes more often.",
    source: "mke2fs(8), `-E stride=,stripe_width=`; tune2fs(8), `-E`",
    fix: "`tune2fs -E stride=CHUNK/BLOCK,stripe_width=STRIPE/BLOCK /dev/mdX`.",
    risk: "Low: only new files are placed differently.",
    undo: "`tune2fs` with the old values.",
    judge: stripe,
    ..Rule::PLAIN
};

fn stripe(facts: &Snapshot) -> Judged {
    let mounted = mounts(facts)?;
    let on_md = mounted
        .into_iter()
        .filter(|mount| mount.kind == "ext4" && mount.device.starts_with("/dev/md"));
    Ok(Findings::each(on_md, |mount| {
        let md = Array::new(facts, mount.device.trim_start_matches("/dev/"));
        let Some(stripe) = md.full_stripe_bytes()? else {
            return Ok(Verdict::Fine);
        };
        let line = format!("dumpe2fs -h {}", mount.device);
        let text = facts.command(&line)?;
        let number = |key: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(key));
            value.and_then(|value| value.trim().parse::<u64>().ok())
        };
        let block = number("Block size:")
            .ok_or_else(|| Missing::new(format!("`{line}`"), "it shows no block size"))?;
        let width = number("RAID stripe width:").unwrap_or(0) * block;
        Ok(Verdict::fail_if(width != stripe, || {
            format!(
                "{}: stripe width {} KiB, the array's is {} KiB",
                mount.place,
                width / 1024,
                stripe / 1024
            )
        }))
    }))
}

/// Returns the device that holds a path, for rules about the data of a service.
pub(super) fn device_of<'a>(
    facts: &'a Snapshot,
    path: &str,
) -> Result<Option<crate::facts::Mount<'a>>, Missing> {
    Ok(mount_of(&mounts(facts)?, path))
}
