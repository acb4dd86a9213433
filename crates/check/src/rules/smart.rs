//! What disks say about themselves.

use stripewise_message::Message;

use crate::facts::{
    arrays, attribute, disks, is_drive, is_rotational, member_disks, mounts, smart_all,
};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[BAD_SECTORS, CRC_GROWING, SMR, APM];

/// Returns the disks that can answer: not those of a hypervisor.
pub(super) fn physical(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    let mut names = disks(facts)?;
    names.retain(|name| is_drive(name));
    Ok(names)
}

const BAD_SECTORS: Rule = Rule {
    id: "smart.bad-sectors",
    severity: Severity::Critical,
    source: "smartctl(8), `-A`, `-l error` and `-l defects`; NVM Express base specification, SMART / Health Information log",
    judge: bad_sectors,
    ..Rule::PLAIN
};

const WORN_PERCENT: u64 = 90;

/// Returns what is wrong with a SAS disk: errors that no code could correct, and defects. Its own
/// verdict is about thresholds of the maker, and passes with thousands of both (smartctl(8), `-l
/// error` and `-l background`; smartmontools scsiprint.cpp).
fn of_scsi(smart: &Value, defects: &Value) -> Option<Message> {
    let log = &smart["scsi_error_counter_log"];
    let uncorrected = |kind: &str| log[kind]["total_uncorrected_errors"].as_u64().unwrap_or(0);
    let (read, write, verify) = (
        uncorrected("read"),
        uncorrected("write"),
        uncorrected("verify"),
    );
    let both = [smart, defects].map(|one| one["scsi_pending_defects"]["count"].as_u64());
    let pending = both.into_iter().flatten().max().unwrap_or(0);
    let grown = smart["scsi_grown_defect_list"].as_u64().unwrap_or(0);
    let is_bad = read + write + verify + pending > 0;
    is_bad.then(|| {
        Message::new("found-read-write-verify-errors")
            .name("read", read)
            .name("write", write)
            .name("verify", verify)
            .name("pending", pending)
            .name("grown", grown)
    })
}

/// Returns what is wrong with an ATA disk: sectors that wait, or its own verdict.
fn of_ata(smart: &Value, defects: &Value) -> Option<Message> {
    let raw = |id| attribute(smart, id).unwrap_or(0);
    let (pending, uncorrectable) = (raw(197), raw(198));
    // The log of pending defects (ACS-4), which newer disks have: `smartctl -l defects`.
    let both = [smart, defects].map(|one| one["ata_pending_defects_log"]["count"].as_u64());
    let listed = both.into_iter().flatten().max().unwrap_or(0);
    if pending > 0 || uncorrectable > 0 || listed > 0 {
        let pending = pending.max(listed);
        return Some(
            Message::new("found-pending-uncorrectable-sectors")
                .name("pending", pending)
                .name("uncorrectable", uncorrectable),
        );
    }
    (smart["smart_status"]["passed"] == false).then(|| Message::new("found-own-verdict-failed"))
}

/// Returns what is wrong with an NVMe drive by the log that smartctl reads; `None` for another disk
/// (smartmontools nvmeprint.cpp, `print_smart_log`).
fn of_nvme(smart: &Value) -> Option<Result<Option<Message>, Missing>> {
    let log = &smart["nvme_smart_health_information_log"];
    let need = |key: &str| {
        let missing = || {
            Missing::new(
                "the health log of NVMe",
                format!("it has no number `{key}`"),
            )
        };
        log[key].as_u64().ok_or_else(missing)
    };
    let judge = || {
        let warning = need("critical_warning")?;
        let used = need("percentage_used")?;
        let media = need("media_errors")?;
        let is_failed = smart["smart_status"]["passed"] == false;
        let is_bad = warning != 0 || used >= WORN_PERCENT || media > 0 || is_failed;
        let words = || {
            Message::new("found-critical-warning-used-media")
                .name("warning", warning)
                .name("used", used)
                .name("media", media)
        };
        Ok(is_bad.then(words))
    };
    log.is_object().then(judge)
}

/// Returns what is wrong with a disk, whatever its kind.
///
/// # Errors
/// If it tells neither counts nor a verdict.
pub(super) fn bad(name: &str, smart: &Value, defects: &Value) -> Result<Option<Message>, Missing> {
    if let Some(judged) = of_nvme(smart) {
        return judged.map_err(|missing| Missing::new(format!("SMART of {name}"), missing.why));
    }
    if let Some(bad) = of_scsi(smart, defects).or_else(|| of_ata(smart, defects)) {
        return Ok(Some(bad));
    }
    let has_counts = smart["scsi_error_counter_log"].is_object()
        || smart["scsi_grown_defect_list"].is_u64()
        || [5, 197, 198]
            .iter()
            .any(|id| attribute(smart, *id).is_some());
    match has_counts || smart["smart_status"]["passed"] == true {
        true => Ok(None),
        false => Err(Missing::new(
            format!("SMART of {name}"),
            "the disk has no attributes",
        )),
    }
}

fn bad_sectors(facts: &Snapshot) -> Judged {
    Ok(Findings::each(physical(facts)?, |disk| {
        let smart = smart_all(facts, disk)?;
        // `-a` does not ask for it; a sosreport does not have it.
        let line = format!("smartctl -l defects /dev/{disk} -j");
        let defects = match facts.commands.contains_key(&line) {
            true => crate::facts::smart(facts, &line).unwrap_or_default(),
            false => Value::Null,
        };
        if let Some(bad) = bad(disk, &smart, &defects)? {
            return Ok(Verdict::Fail(
                Message::new("check-found")
                    .name("place", disk)
                    .with("what", bad),
            ));
        }
        let moved = |smart: &Value| {
            let grown = smart["scsi_grown_defect_list"].as_u64();
            attribute(smart, 5).or(grown)
        };
        let now = moved(&smart).unwrap_or(0);
        let before = facts
            .earlier
            .as_deref()
            .map(|earlier| smart_all(earlier, disk))
            .transpose()?;
        let before = before.and_then(|smart| moved(&smart));
        let reported = attribute(&smart, 187).unwrap_or(0);
        Ok(match (now, before) {
            (0, _) if reported > 0 => Verdict::Note(
                Message::new("found-errors-could-not-correct")
                    .name("disk", disk)
                    .name("reported", reported),
            ),
            (0, _) => Verdict::Fine,
            (_, Some(before)) if now > before => Verdict::Fail(
                Message::new("found-reallocated-sectors-grew")
                    .name("disk", disk)
                    .name("before", before)
                    .name("now", now),
            ),
            (_, Some(_)) => Verdict::Fine,
            (_, None) => Verdict::Note(
                Message::new("found-reallocated-sectors-before-tells")
                    .name("disk", disk)
                    .name("now", now),
            ),
        })
    }))
}

const CRC_GROWING: Rule = Rule {
    id: "smart.crc-growing",
    severity: Severity::Critical,
    source: "smartctl(8); smartmontools FAQ, attribute 199",
    judge: crc_growing,
    ..Rule::PLAIN
};

fn crc_growing(facts: &Snapshot) -> Judged {
    Ok(Findings::each(physical(facts)?, |disk| {
        let now = attribute(&smart_all(facts, disk)?, 199).unwrap_or(0);
        if now == 0 {
            return Ok(Verdict::Fine);
        }
        let earlier = facts.earlier.as_deref().ok_or_else(|| {
            Missing::new(
                format!("an earlier count of {disk}"),
                format!("the count is {now}; collect before, and use `--before`"),
            )
        })?;
        let before = attribute(&smart_all(earlier, disk)?, 199).unwrap_or(0);
        Ok(Verdict::fail_if(now > before, || {
            Message::new("found-crc-errors-grew")
                .name("disk", disk)
                .name("before", before)
                .name("now", now)
        }))
    }))
}

const SMR: Rule = Rule {
    id: "disk.smr",
    severity: Severity::Medium,
    source: "kernel Documentation/ABI/stable/sysfs-block, `queue/zoned`, `discard_max_bytes`; OpenZFS documentation, Hardware",
    judge: smr,
    ..Rule::PLAIN
};

fn smr(facts: &Snapshot) -> Judged {
    let mut members = Vec::new();
    for md in arrays(facts)? {
        members.extend(member_disks(facts, &md)?);
    }
    let has_pool = mounts(facts)?.iter().any(|mount| mount.kind == "zfs");
    Ok(Findings::each(disks(facts)?, |disk| {
        if !members.contains(&disk) && !has_pool || !is_rotational(facts, disk)? {
            return Ok(Verdict::Fine);
        }
        let zoned = facts
            .word(&format!("/sys/block/{disk}/queue/zoned"))?
            .unwrap_or("none");
        // Only a disk that maps its sectors, as an SSD does, takes discards.
        let discards = facts.need_number(&format!("/sys/block/{disk}/queue/discard_max_bytes"))?;
        let is_shingled = zoned != "none" || discards > 0;
        Ok(match (is_shingled, members.contains(&disk)) {
            (true, true) => Verdict::Fail(
                Message::new("found-zoned-discard-bytes")
                    .name("disk", disk)
                    .name("zoned", zoned)
                    .name("discards", discards),
            ),
            (true, false) => {
                Verdict::Note(Message::new("found-looks-shingled-may-be").name("disk", disk))
            }
            (false, _) => Verdict::Fine,
        })
    }))
}

const APM: Rule = Rule {
    id: "disk.apm",
    severity: Severity::Low,
    source: "hdparm(8), `-B`; smartctl(8), attribute 193",
    judge: apm,
    ..Rule::PLAIN
};

const CYCLES_PER_HOUR_MAX: u64 = 10;

fn apm(facts: &Snapshot) -> Judged {
    Ok(Findings::each(physical(facts)?, |disk| {
        if !is_rotational(facts, disk)? {
            return Ok(Verdict::Fine);
        }
        let smart = smart_all(facts, disk)?;
        let cycles = attribute(&smart, 193).unwrap_or(0);
        let hours = smart["power_on_time"]["hours"].as_u64().unwrap_or(0);
        let is_often = hours > 0 && cycles / hours > CYCLES_PER_HOUR_MAX;
        Ok(Verdict::fail_if(is_often, || {
            Message::new("found-load-cycles-hours")
                .name("disk", disk)
                .name("cycles", cycles)
                .name("hours", hours)
        }))
    }))
}
