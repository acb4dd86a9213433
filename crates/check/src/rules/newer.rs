//! What newer kernels and tools brought: marks of members, bitmaps, limits, journals of checksums.

use stripewise_message::Message;

use super::arrays::unless_older_kernels;
use crate::facts::{Array, arrays, has_parity, is_redundant, mounts, name_at};
use crate::layers::Layers;
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[
    WANT_REPLACEMENT,
    LOCKLESS_BITMAP,
    NO_ATOMIC_WRITES,
    LOG_STRIPE,
    INTEGRITY_JOURNAL,
];

const WANT_REPLACEMENT: Rule = Rule {
    id: "md.want-replacement",
    severity: Severity::High,
    source: "kernel Documentation/admin-guide/md.rst, `dev-XXX/state`: `write_error`, `want_replacement`, `replacement`; drivers/md/raid1.c, r1_sync_page_io, and raid10.c, r10_sync_page_io; mdadm(8), `--replace`",
    judge: want_replacement,
    ..Rule::PLAIN
};

fn want_replacement(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    for md in arrays(facts)? {
        findings = findings.and(marks(&md));
    }
    Ok(findings)
}

/// Judges the marks of an array's members.
fn marks(md: &Array<'_>) -> Judged {
    let members = md.members()?;
    let marks = |member: &str| md.need_word(&format!("dev-{member}/state"));
    let has = |state: &str, mark: &str| state.split(',').any(|word| word == mark);
    let is_replacing = members
        .iter()
        .any(|member| marks(member).is_ok_and(|state| has(state, "replacement")));
    Ok(Findings::each(members.iter(), |member| {
        let state = marks(member)?;
        // A member that has failed is a finding of its own.
        if !has(state, "want_replacement") || has(state, "faulty") {
            return Ok(Verdict::Fine);
        }
        let id = match is_replacing {
            true => "found-is-being-replaced",
            false => "found-wants-replacement",
        };
        let found = Message::new(id).name("md", md).name("member", member);
        Ok(match is_replacing {
            true => Verdict::Note(found),
            false => Verdict::Fail(found),
        })
    }))
}

const LOCKLESS_BITMAP: Rule = Rule {
    id: "md.lockless-bitmap",
    severity: Severity::High,
    source: "kernel Documentation/admin-guide/md.rst, `bitmap_type`; commit 5ab829f1971d (md-llbitmap), 6.18; BITMAP_MAJOR_LOCKLESS of drivers/md/md-bitmap.h, and md_bitmap_read_sb of 6.12, which refuses versions above 5",
    judge: lockless_bitmap,
    ..Rule::PLAIN
};

/// The first kernels that know lockless bitmaps.
const KNOWS_LOCKLESS: (u16, u16) = (6, 18);

fn lockless_bitmap(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        // Older kernels have no such file.
        let kind = md.word("bitmap_type")?.unwrap_or_default();
        if !kind.contains("[llbitmap]") {
            return Ok(Verdict::Fine);
        }
        unless_older_kernels(facts, &md, KNOWS_LOCKLESS)
    }))
}

const NO_ATOMIC_WRITES: Rule = Rule {
    id: "md.no-atomic-writes",
    severity: Severity::Low,
    source: "kernel Documentation/ABI/stable/sysfs-block, `atomic_write_unit_max_bytes`; BLK_FEAT_ATOMIC_WRITES in raid0_set_limits, raid1_set_limits and raid10_set_queue_limits of 7.2, not in raid5_set_limits, nor in any of 6.12",
    judge: no_atomic_writes,
    ..Rule::PLAIN
};

fn no_atomic_writes(facts: &Snapshot) -> Judged {
    // Kernels before 6.11 have no such file.
    let most = |device: &str| {
        let path = format!("/sys/block/{device}/queue/atomic_write_unit_max_bytes");
        Ok::<u64, Missing>(facts.number(&path)?.unwrap_or(0))
    };
    let layers = Layers::read(facts)?;
    Ok(Findings::each(arrays(facts)?, |md| {
        if most(md.name)? > 0 {
            return Ok(Verdict::Fine);
        }
        let mut least = None;
        for member in md.members()? {
            let promised = most(layers.whole(member)?)?;
            least = Some(least.map_or(promised, |least: u64| least.min(promised)));
        }
        Ok(match least.filter(|&bytes| bytes > 0) {
            Some(bytes) => Verdict::Note(
                Message::new("found-array-promises-no-atomic")
                    .name("md", md)
                    .name("bytes", bytes),
            ),
            None => Verdict::Fine,
        })
    }))
}

const LOG_STRIPE: Rule = Rule {
    id: "fs.xfs-log-stripe",
    severity: Severity::Low,
    source: "mkfs.xfs(8), `-l su=`, `sunit=`; kernel fs/xfs/xfs_log.c, l_iclog_roundoff",
    judge: log_stripe,
    ..Rule::PLAIN
};

fn log_stripe(facts: &Snapshot) -> Judged {
    let mounted = mounts(facts)?.into_iter();
    let on_md = mounted.filter(|mount| mount.kind == "xfs" && mount.device.starts_with("/dev/md"));
    Ok(Findings::each(on_md, |mount| {
        let md = Array::new(facts, mount.device.trim_start_matches("/dev/"));
        let level = md.level()?;
        if !is_redundant(level) {
            return Ok(Verdict::Fine);
        }
        let line = format!("xfs_info {}", mount.device);
        let text = facts.command(&line)?;
        let log = text.split("\nlog").nth(1).unwrap_or_default();
        if log.trim_start().starts_with("=external") {
            return Ok(Verdict::Fine);
        }
        let log = log.split("\nrealtime").next().unwrap_or_default();
        let number = |key: &str| {
            let rest = log.split(key).nth(1)?.trim_start();
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse::<u64>().ok()
        };
        let (Some(block), Some(blocks)) = (number("bsize="), number("sunit=")) else {
            return Err(Missing::new(format!("`{line}`"), "it shows no size"));
        };
        Ok(match blocks {
            0 if has_parity(level) => {
                Verdict::Fail(Message::new("found-log-unaligned").name("place", mount.place))
            }
            0 | 1 => Verdict::Fine,
            _ => Verdict::Note(
                Message::new("found-log-padded")
                    .name("place", mount.place)
                    .name("kib", blocks.saturating_mul(block) / 1024),
            ),
        })
    }))
}

const INTEGRITY_JOURNAL: Rule = Rule {
    id: "dm.integrity-journal",
    severity: Severity::Medium,
    source: "kernel Documentation/admin-guide/device-mapper/dm-integrity.rst, modes J, B and D; integritytab(5), `mode=`; integritysetup(8), `--integrity-bitmap-mode`; cryptsetup(8), `--integrity-no-journal`, and CRYPT_SUBDEV of its lib/internal.h; lvmraid(7), `--raidintegritymode`",
    judge: integrity_journal,
    ..Rule::PLAIN
};

/// Returns the name of a device of dm-integrity; `None` of another device. Integritysetup opens one by
/// itself, `cryptsetup luksFormat --integrity` below its volume, and `lvcreate --raidintegrity` below
/// each image of a RAID, with its checksums in a volume beside it.
fn integrity_name<'a>(uuid: &str, name: &'a str) -> Option<&'a str> {
    let is_below = uuid.starts_with("CRYPT-SUBDEV-") && name.ends_with("_dif");
    match uuid.starts_with("CRYPT-INTEGRITY-") || is_below {
        true => Some(name),
        false => name
            .strip_suffix("_imeta")
            .filter(|_| uuid.starts_with("LVM-")),
    }
}

fn integrity_journal(facts: &Snapshot) -> Judged {
    let mut devices = Vec::new();
    for path in facts.glob("/sys/block/dm-*/dm/uuid")? {
        let name = format!("/sys/block/{}/dm/name", name_at(path, 2));
        devices.extend(integrity_name(
            facts.need_word(path)?,
            facts.need_word(&name)?,
        ));
    }
    Ok(Findings::each(devices, |name| {
        let table = facts.text("/etc/integritytab")?.unwrap_or_default();
        // Volume, device, key file, options.
        let line = table
            .lines()
            .map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
        let listed = line.into_iter().find(|words| words.first() == Some(&name));
        let Some(words) = listed else {
            return Ok(Verdict::Note(
                Message::new("found-integrity-mode-unknown").name("name", name),
            ));
        };
        let mut options = words.get(3).copied().unwrap_or_default().split(',');
        let mode = options.find_map(|option| option.strip_prefix("mode="));
        Ok(Verdict::fail_if(
            matches!(mode, None | Some("journal")),
            || Message::new("found-integrity-journal").name("name", name),
        ))
    }))
}
