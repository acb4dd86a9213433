//! Filesystems: barriers, errors, space, the link between a filesystem and its array.

use stripewise_message::Message;

use crate::facts::{
    Array, disk_of, fstab, is_rotational, mount_of, mounted_name, mounts, name_at, spaces,
};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

use super::paths::drops_discards;

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
    severity: Severity::Critical,
    source: "kernel Documentation/admin-guide/ext4.rst, `barrier`; Red Hat Storage Administration Guide, Write Barriers",
    proof: Some("stripewise pull-plug pull-plug-filesystems"),
    judge: no_barrier,
    ..Rule::PLAIN
};

const NO_BARRIERS: [&str; 2] = ["nobarrier", "barrier=0"];

fn no_barrier(facts: &Snapshot) -> Judged {
    let find = |places: Vec<crate::facts::Mount<'_>>, file: &str| {
        Findings::each(places, |mount| {
            let option = mount.any(&NO_BARRIERS).filter(|_| mount.kind != "xfs");
            Ok(match option {
                Some(option) => Verdict::Fail(
                    Message::new("found-in")
                        .name("place", mount.place)
                        .name("option", option)
                        .name("file", file),
                ),
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
    severity: Severity::Critical,
    source: "kernel Documentation/filesystems/ext4/journal.rst and admin-guide/ext4.rst, `data=writeback`",
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
            Message::new("found-data-writeback").name("place", name_at(path, 3))
        }))
    }))
}

const EXT4_ERRORS: Rule = Rule {
    id: "fs.ext4-errors",
    severity: Severity::Critical,
    source: "kernel fs/ext4/sysfs.c, `errors_count`; e2fsck(8)",
    judge: ext4_errors,
    ..Rule::PLAIN
};

fn ext4_errors(facts: &Snapshot) -> Judged {
    Ok(Findings::each(
        facts.glob("/sys/fs/ext4/*/errors_count")?,
        |path| {
            let count = facts.need_number(path)?;
            Ok(Verdict::fail_if(count > 0, || {
                Message::new("found-errors")
                    .name("place", name_at(path, 3))
                    .name("count", count)
            }))
        },
    ))
}

const READ_ONLY: Rule = Rule {
    id: "fs.read-only",
    severity: Severity::Critical,
    source: "ext4(5), `errors=remount-ro`; mount(8), `ro`",
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
            Message::new("found-mounted-read-only").name("place", line.place)
        }))
    }))
}

const BTRFS_ERRORS: Rule = Rule {
    id: "fs.btrfs-errors",
    severity: Severity::Critical,
    source: "btrfs-device(8), DEVICE STATS; kernel fs/btrfs/sysfs.c, `devinfo`",
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
                Message::new("found-btrfs-errors")
                    .name("place", name_at(path, 3))
                    .name("device", name_at(path, 5))
                    .name("counts", counts.join(", "))
            }))
        },
    ))
}

const FULL: Rule = Rule {
    id: "fs.full",
    severity: Severity::Critical,
    source: "df(1); tune2fs(8), `-m`: why a part stays reserved",
    judge: full,
    ..Rule::PLAIN
};

const FULL_PERCENT: u64 = 90;

fn full(facts: &Snapshot) -> Judged {
    let find = |line: &str, id: &'static str| {
        spaces(facts, line).map(|spaces| {
            Findings::each(spaces, |space| {
                Ok(Verdict::fail_if(space.used_percent > FULL_PERCENT, || {
                    Message::new(id)
                        .name("place", space.place)
                        .name("used", space.used_percent)
                }))
            })
        })
    };
    let bytes = find("df -al -x autofs", "found-space-used");
    Ok(Findings::default()
        .and(bytes)
        .and(find("df -ali -x autofs", "found-inodes-used")))
}

const NO_BARRIER_STALE: Rule = Rule {
    id: "mnt.nobarrier-stale",
    severity: Severity::High,
    source: "kernel Documentation/admin-guide/xfs.rst, Removed Mount Options",
    judge: no_barrier_stale,
    ..Rule::PLAIN
};

fn no_barrier_stale(facts: &Snapshot) -> Judged {
    Ok(Findings::each(fstab(facts)?, |line| {
        let option = line
            .any(&["nobarrier", "barrier"])
            .filter(|_| line.kind == "xfs");
        Ok(match option {
            Some(option) => Verdict::Fail(
                Message::new("found-etc-fstab")
                    .name("place", line.place)
                    .name("option", option),
            ),
            None => Verdict::Fine,
        })
    }))
}

const TRIM: Rule = Rule {
    id: "ssd.trim",
    severity: Severity::Medium,
    source: "fstrim(8); mount(8), `discard`; kernel drivers/md/raid5.c, parameter devices_handle_discard_safely",
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
        if drops_discards(facts, disk)? {
            return Ok(Verdict::Fail(
                Message::new("found-discards-dropped")
                    .name("place", place)
                    .name("layer", disk),
            ));
        }
        Ok(match (most, has_timer || mount.has("discard")) {
            (0, _) if disk.starts_with("md") || disk.starts_with("dm-") => Verdict::Fail(
                Message::new("found-passes-no-discards")
                    .name("place", place)
                    .name("disk", disk),
            ),
            (0, _) | (_, true) => Verdict::Fine,
            (_, false) => Verdict::Fail(
                Message::new("found-neither-fstrim-timer-nor")
                    .name("place", place)
                    .name("disk", disk),
            ),
        })
    }))
}

const STRIPE: Rule = Rule {
    id: "fs.stripe",
    severity: Severity::Low,
    source: "mke2fs(8), `-E stride=,stripe_width=`; tune2fs(8), `-E`",
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
            Message::new("found-stripe-width-kib-array")
                .name("place", mount.place)
                .name("width", width / 1024)
                .name("stripe", stripe / 1024)
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
