//! md arrays: limits, sizes and members.

use std::collections::BTreeSet;

use serde_json::Value;

use stripewise_message::{Argument, Message};
use stripewise_units::kernel::KernelVersion;

use crate::facts::{
    Array, Mount, arrays, is_redundant, is_rotational, is_virtual, mapped, mdadm_conf,
    mdadm_entries, member_disks, mounts, name_at, report_number, report_rows, smart_all,
};
use crate::layers::Layers;
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};
use crate::sources::PV_SIZES;

use super::md::{digits, tagged};

pub(super) const RULES: &[Rule] = &[
    SYNC_LIMIT,
    GROWN,
    NO_BITMAP,
    SAME_BATCH,
    NEWER_FORMAT,
    SPARE_SECTORS,
];

const SYNC_LIMIT: Rule = Rule {
    id: "md.sync-limit",
    severity: Severity::Medium,
    source: "md(4), /proc/sys/dev/raid/speed_limit_max and md/sync_speed_max",
    judge: sync_limit,
    ..Rule::PLAIN
};

/// The kernel's default, in KiB/s: no choice of the administrator.
const SYNC_DEFAULT_KIB: u64 = 200_000;

/// Returns what a member writes in a row, in KB/s: the generic profiles of devices/, on the inner
/// tracks of a hard disk and behind the fast area of an SSD.
fn sequential_kb(facts: &Snapshot, disk: &str) -> Result<u64, Missing> {
    Ok(match disk.starts_with("nvme") {
        true => 1_700_000,
        false if is_rotational(facts, disk)? => 75_000,
        false => 530_000,
    })
}

fn sync_limit(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        if !is_redundant(md.level()?) {
            return Ok(Verdict::Fine);
        }
        let mut slowest = u64::MAX;
        for disk in member_disks(facts, &md)? {
            // The speed of a virtual disk is unknown.
            if is_virtual(facts, disk)? {
                return Ok(Verdict::Fine);
            }
            slowest = slowest.min(sequential_kb(facts, disk)?);
        }
        let limit = md.need_number("sync_speed_max")?;
        // A quarter is far below.
        if slowest == u64::MAX || limit >= slowest / 4 {
            return Ok(Verdict::Fine);
        }
        let hours = member_kib(&md)? / limit.max(1) / 3600;
        let found = Message::new("found-kib-for-each-member")
            .name("md", md)
            .name("limit", limit)
            .name("slowest", slowest)
            .name("hours", hours);
        Ok(match limit == SYNC_DEFAULT_KIB {
            true => Verdict::Note(found),
            false => Verdict::Fail(found),
        })
    }))
}

/// Returns the size of an array's smallest member.
fn member_kib(md: &Array<'_>) -> Result<u64, Missing> {
    let least = md.member_sizes_kib()?.into_iter().min();
    least.ok_or_else(|| Missing::new(md.path("dev-*/size"), "no member has a size"))
}

const GROWN: Rule = Rule {
    id: "md.grown",
    severity: Severity::Low,
    source: "mdadm(8), GROW MODE, SIZE CHANGES; resize2fs(8); xfs_growfs(8); pvresize(8); cryptsetup-resize(8)",
    judge: grown,
    ..Rule::PLAIN
};

/// Less is left by alignment, metadata, or a partition table.
const LEFT_BYTES_MIN: u64 = 64 << 20;

/// Returns whether so much of a device is unused that it must have grown.
fn is_left(device: u64, used: u64) -> bool {
    let left = device.saturating_sub(used);
    left > LEFT_BYTES_MIN && left > device / 100
}

/// Returns the bytes of a block device or a partition.
fn bytes_of<'a>(facts: &Snapshot, layers: &Layers<'a>, name: &'a str) -> Result<u64, Missing> {
    let disk = layers.whole(name)?;
    let path = match disk == name {
        true => format!("/sys/block/{name}/size"),
        false => format!("/sys/block/{disk}/{name}/size"),
    };
    Ok(facts.need_number(&path)?.saturating_mul(512))
}

fn sizes(what: impl Into<Argument>, used: u64, device: &str, bytes: u64) -> Verdict {
    Verdict::fail_if(is_left(bytes, used), || {
        Message::new("found-gib-gib")
            .with("what", what)
            .name("used", used >> 30)
            .name("bytes", bytes >> 30)
            .name("device", device)
    })
}

fn grown(facts: &Snapshot) -> Judged {
    if arrays(facts)?.is_empty() {
        return Ok(Findings::default());
    }
    let layers = Layers::read(facts)?;
    let mut seen = BTreeSet::new();
    let mounted = mounts(facts)?.into_iter();
    let mounted =
        mounted.filter(|mount| mount.device.starts_with("/dev/") && seen.insert(mount.device));
    let mut findings = Findings::each(mounted.collect::<Vec<_>>(), |mount| {
        let name = layers.name(mount.device)?;
        if !layers.of(name)?.iter().any(|layer| layer.starts_with("md")) {
            return Ok(Verdict::Fine);
        }
        let used = filesystem_bytes(facts, &mount)?;
        Ok(sizes(
            Argument::Name(mount.place.to_owned()),
            used,
            name,
            bytes_of(facts, &layers, name)?,
        ))
    });
    for path in facts.glob("/sys/block/dm-*/dm/uuid")? {
        let dm = name_at(path, 2);
        if facts.need_word(path)?.starts_with("CRYPT-") {
            findings.add(encrypted(facts, &layers, dm));
        }
    }
    Ok(findings.and(volumes(facts)))
}

/// Returns the size that a filesystem has by its superblock.
fn filesystem_bytes(facts: &Snapshot, mount: &Mount<'_>) -> Result<u64, Missing> {
    let number = |text: &str, key: &str| {
        let rest = text.split(key).nth(1)?.trim_start();
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse::<u64>().ok()
    };
    let (line, blocks, size) = match mount.kind {
        "ext2" | "ext3" | "ext4" => ("dumpe2fs -h", "Block count:", "Block size:"),
        "xfs" => ("xfs_info", "blocks=", "bsize="),
        kind => {
            let why = format!("no command for the size of {kind} is known");
            return Err(Missing::new(format!("the size of {}", mount.place), why));
        }
    };
    let line = format!("{line} {}", mount.device);
    let text = facts.command(&line)?;
    // The first line of `xfs_info` with blocks is that of the data.
    let text = text.split("\ndata").nth(1).unwrap_or(text);
    match (number(text, blocks), number(text, size)) {
        (Some(blocks), Some(size)) => Ok(blocks.saturating_mul(size)),
        _ => Err(Missing::new(format!("`{line}`"), "it shows no size")),
    }
}

/// Judges the encryption of an array: its header takes 16 MiB at most.
fn encrypted<'a>(facts: &Snapshot, layers: &Layers<'a>, dm: &'a str) -> Result<Verdict, Missing> {
    let [below] = layers.below(dm)?[..] else {
        return Ok(Verdict::Fine);
    };
    // On a partition of an array the partition table comes first.
    if !below.starts_with("md") {
        return Ok(Verdict::Fine);
    }
    let (used, bytes) = (
        bytes_of(facts, layers, dm)?,
        bytes_of(facts, layers, below)?,
    );
    Ok(sizes(Argument::Name(dm.to_owned()), used, below, bytes))
}

/// Judges the physical volumes on arrays.
fn volumes(facts: &Snapshot) -> Judged {
    let lvm = mapped(facts, &[""])?;
    if lvm.is_empty() {
        return Ok(Findings::default());
    }
    let rows = report_rows(facts, PV_SIZES, "pv")?;
    Ok(Findings::each(rows.iter(), |row| {
        let name = row["pv_name"].as_str().unwrap_or_default();
        let device = name.trim_start_matches("/dev/");
        if !device.starts_with("md") {
            return Ok(Verdict::Fine);
        }
        let number = |key: &str| report_number(row, PV_SIZES, device, key);
        let (used, bytes) = (number("pv_size")?, number("dev_size")?);
        Ok(sizes(
            Message::new("found-physical-volume"),
            used,
            device,
            bytes,
        ))
    }))
}

const NO_BITMAP: Rule = Rule {
    id: "md.no-bitmap",
    severity: Severity::Medium,
    source: "md(4), BITMAP WRITE-INTENT LOGGING; mdadm commit e97c4e18 (4.4), Create.c and mdadm.c",
    proof: Some(
        "stripewise predict --device hdd-7200 --array raid1:2 --bitmap 2G --bitmap none --size 900G --workload randwrite:4K",
    ),
    judge: no_bitmap,
    ..Rule::PLAIN
};

/// The limit above which mdadm added a bitmap up to 4.3, in KiB.
const BITMAP_MEMBER_KIB: u64 = 100 << 20;

fn no_bitmap(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        // mdadm never gave an array with a controller's metadata a bitmap by itself.
        let is_external = md.need_word("metadata_version")?.starts_with("external");
        if is_external || !is_redundant(md.level()?) {
            return Ok(Verdict::Fine);
        }
        // The others are bitmap, journal and ppl.
        if md.need_word("consistency_policy")? != "resync" {
            return Ok(Verdict::Fine);
        }
        let size = member_kib(&md)?;
        Ok(Verdict::fail_if(size > BITMAP_MEMBER_KIB, || {
            Message::new("found-members-gib-no-bitmap")
                .name("md", md)
                .name("size", size >> 20)
        }))
    }))
}

const SAME_BATCH: Rule = Rule {
    id: "md.same-batch",
    severity: Severity::High,
    source: "smartctl(8), `-A`, and `percentage_used`, `endurance_used` and `power_on_time` of its JSON; NVM Express base specification, Percentage Used",
    judge: same_batch,
    ..Rule::PLAIN
};

/// From here on two drives that are alike are worth knowing, and from here on they fail.
const WORN_PERCENT: (u64, u64) = (50, 80);

/// What tells drives apart.
struct Drive<'a> {
    disk: &'a str,
    model: String,
    serial: String,
    hours: u64,
    used_percent: u64,
}

fn same_batch(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    for md in arrays(facts)? {
        if matches!(md.level()?, "raid1" | "raid10") {
            findings = findings.and(alike(facts, &md));
        }
    }
    Ok(findings)
}

fn alike<'a>(facts: &'a Snapshot, md: &Array<'a>) -> Judged {
    let (mut findings, mut drives) = (Findings::default(), Vec::new());
    for disk in member_disks(facts, md)? {
        if is_virtual(facts, disk)? || is_rotational(facts, disk)? {
            continue;
        }
        match drive(facts, disk) {
            Ok(drive) => drives.push(drive),
            Err(missing) => findings.add(Err(missing)),
        }
    }
    for (at, one) in drives.iter().enumerate() {
        for other in drives
            .iter()
            .skip(at + 1)
            .filter(|other| is_alike(one, other))
        {
            let (disks, model) = (format!("{} and {}", one.disk, other.disk), &one.model);
            let used = one.used_percent.min(other.used_percent);
            let found = Message::new("found-both-used-or-more")
                .name("md", md)
                .name("disks", disks)
                .name("model", model)
                .name("used", used);
            findings.add(Ok(match used {
                used if used >= WORN_PERCENT.1 => Verdict::Fail(found),
                used if used >= WORN_PERCENT.0 => Verdict::Note(found),
                _ => Verdict::Fine,
            }));
        }
    }
    Ok(findings)
}

/// Returns whether two drives are of one model and batch, with the same wear: within three points.
/// Serial numbers of a batch differ in their last four characters; drives that run for the same time
/// were most likely bought together.
fn is_alike(one: &Drive<'_>, other: &Drive<'_>) -> bool {
    let start = |serial: &str| {
        serial
            .get(..serial.len().saturating_sub(4))
            .map(str::to_owned)
    };
    let is_batch = one.serial.len() > 8 && start(&one.serial) == start(&other.serial);
    let is_age = one.hours.abs_diff(other.hours) <= one.hours / 100;
    let is_wear = one.used_percent.abs_diff(other.used_percent) <= 3;
    one.model == other.model && is_wear && (is_batch || is_age)
}

fn drive<'a>(facts: &Snapshot, disk: &'a str) -> Result<Drive<'a>, Missing> {
    let smart = smart_all(facts, disk)?;
    let text = |key: &str| smart[key].as_str().unwrap_or_default().trim().to_owned();
    Ok(Drive {
        disk,
        model: text("model_name"),
        serial: text("serial_number"),
        hours: smart["power_on_time"]["hours"].as_u64().unwrap_or(0),
        used_percent: used_percent(&smart).ok_or_else(|| {
            Missing::new(
                format!("the wear of {disk}"),
                "smartctl shows none; 7.5 and later know more drives",
            )
        })?,
    })
}

/// Returns how much of its rated writes a drive has used. Of ATA drives only smartctl 7.5 and later
/// tell it: before, each maker's attribute means something else.
fn used_percent(smart: &Value) -> Option<u64> {
    let log = &smart["nvme_smart_health_information_log"]["percentage_used"];
    let all = &smart["endurance_used"]["current_percent"];
    log.as_u64().or(all.as_u64())
}

const NEWER_FORMAT: Rule = Rule {
    id: "md.newer-format",
    severity: Severity::High,
    source: "kernel Documentation/admin-guide/md.rst, `logical_block_size`; commits 62ed1b582246 (a field of the superblock) and 9c47127a807d (md_mod.check_new_feature), both 6.19; drivers/md/md.c, super_1_load, of earlier kernels",
    judge: newer_format,
    ..Rule::PLAIN
};

/// The first kernels that start an array with a block size in its superblock.
const READS_BLOCK_SIZE: (u16, u16) = (6, 19);

fn newer_format(facts: &Snapshot) -> Judged {
    let running = Findings::each(arrays(facts)?, |md| {
        // Older kernels have no such file, and 0 says that the superblock has no size.
        if md.number("logical_block_size")?.unwrap_or(0) == 0 {
            return Ok(Verdict::Fine);
        }
        unless_older_kernels(facts, &md, READS_BLOCK_SIZE)
    });
    Ok(running.and(not_started(facts)))
}

/// Judges the arrays of mdadm.conf that do not run, under a kernel that would refuse those of a newer one
/// that is installed beside it.
fn not_started(facts: &Snapshot) -> Judged {
    let series = |release: &str| KernelVersion::parse(release).map(|version| version.series());
    let is_newer = |release: &str| series(release).is_some_and(|one| one >= READS_BLOCK_SIZE);
    let Some(release) = facts.word("/proc/sys/kernel/osrelease")? else {
        return Ok(Findings::default());
    };
    if series(release).is_none() || is_newer(release) {
        return Ok(Findings::default());
    }
    let config = mdadm_conf(facts)?;
    let entries = mdadm_entries(facts, &config);
    let listed = entries.iter().filter(|entry| entry.is("array"));
    let listed: Vec<&str> = listed
        .flat_map(|entry| tagged(entry.words.iter().copied(), "uuid="))
        .collect();
    if listed.is_empty() || !installed_kernels(facts)?.into_iter().any(is_newer) {
        return Ok(Findings::default());
    }
    let scan = facts.command("mdadm --detail --scan")?;
    let running: Vec<String> = tagged(scan.split_whitespace(), "uuid=")
        .map(digits)
        .collect();
    Ok(Findings::each(listed, |uuid| {
        Ok(match running.contains(&digits(uuid)) {
            true => Verdict::Fine,
            false => Verdict::Note(
                Message::new("found-array-not-started")
                    .name("uuid", uuid)
                    .name("kernel", release),
            ),
        })
    }))
}

/// Judges an array that kernels older than `first` refuse: whether one of them is installed. A kernel whose
/// name does not say its version may be older.
pub(super) fn unless_older_kernels(
    facts: &Snapshot,
    md: &Array<'_>,
    first: (u16, u16),
) -> Result<Verdict, Missing> {
    let kernels = installed_kernels(facts)?;
    let is_older = |release: &&str| {
        let version = KernelVersion::parse(release);
        version.is_some_and(|version| version.series() < first)
    };
    let older: Vec<&str> = kernels.iter().copied().filter(is_older).collect();
    let mut releases = kernels.iter();
    let unknown = releases.find(|release| KernelVersion::parse(release).is_none());
    match (older.as_slice(), unknown) {
        ([], Some(release)) => Err(Missing::new(
            format!("/boot/vmlinuz-{release}"),
            "its name does not say its version",
        )),
        ([], None) => Ok(Verdict::Fine),
        _ => Ok(Verdict::Fail(
            Message::new("found-older-kernels-refuse")
                .name("md", md)
                .name("kernels", older.join(", ")),
        )),
    }
}

/// Returns the releases of the kernels that can be booted: those in /boot, or, if no name there says a
/// version, those that have modules.
fn installed_kernels(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    let in_boot = facts.glob("/boot/vmlinuz*")?.into_iter();
    let in_boot = in_boot.filter_map(|path| name_at(path, 1).strip_prefix("vmlinuz-"));
    let in_boot: Vec<&str> = in_boot.collect();
    if in_boot
        .iter()
        .any(|release| KernelVersion::parse(release).is_some())
    {
        return Ok(in_boot);
    }
    let with_modules = facts.glob("/lib/modules/*")?.into_iter();
    Ok(with_modules.map(|path| name_at(path, 2)).collect())
}

const SPARE_SECTORS: Rule = Rule {
    id: "md.spare-sectors",
    severity: Severity::High,
    source: "kernel commit 2342d6b37ac5 (md: prevent adding disks with larger logical_block_size to active arrays), 6.19; Documentation/ABI/stable/sysfs-block, `logical_block_size`",
    judge: spare_sectors,
    ..Rule::PLAIN
};

fn spare_sectors(facts: &Snapshot) -> Judged {
    let layers = Layers::read(facts)?;
    let block_size =
        |device: &str| facts.need_number(&format!("/sys/block/{device}/queue/logical_block_size"));
    let mut findings = Findings::default();
    for md in arrays(facts)? {
        let judged = md.members().map(|members| {
            Findings::each(members, |member| {
                let state = md.word(&format!("dev-{member}/state"))?;
                if state != Some("spare") {
                    return Ok(Verdict::Fine);
                }
                let (own, whole) = (block_size(layers.whole(member)?)?, block_size(md.name)?);
                Ok(Verdict::fail_if(own > whole, || {
                    Message::new("found-spare-larger-sectors")
                        .name("md", md)
                        .name("member", member)
                        .name("own", own)
                        .name("whole", whole)
                }))
            })
        });
        findings = findings.and(judged);
    }
    Ok(findings)
}
