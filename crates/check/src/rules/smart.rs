//! What disks say about themselves.

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
    title: "a disk has sectors that it cannot read",
    severity: Severity::Critical,
    reason: "A pending sector is lost data as soon as a rebuild reads it.",
    source: "smartctl(8), `-A`, `-l error` and `-l defects`; NVM Express base specification, SMART / Health Information log",
    fix: "Replace the disk. Scrub or copy before.",
    risk: "Copying can finish a dying disk: copy what matters most first.",
    undo: "None.",
    judge: bad_sectors,
    ..Rule::PLAIN
};

const WORN_PERCENT: u64 = 90;

/// Returns what is wrong with a SAS disk: errors that no code could correct, and defects. Its own
/// verdict is about thresholds of the maker, and passes with thousands of both (smartctl(8), `-l
/// error` and `-l background`; smartmontools scsiprint.cpp).
fn of_scsi(smart: &Value, defects: &Value) -> Option<String> {
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
        format!(
            "{read} read, {write} write and {verify} verify errors uncorrected, {pending} pending, {grown} grown defects"
        )
    })
}

/// Returns what is wrong with an ATA disk: sectors that wait, or its own verdict.
fn of_ata(smart: &Value, defects: &Value) -> Option<String> {
    let raw = |id| attribute(smart, id).unwrap_or(0);
    let (pending, uncorrectable) = (raw(197), raw(198));
    // The log of pending defects (ACS-4), which newer disks have: `smartctl -l defects`.
    let both = [smart, defects].map(|one| one["ata_pending_defects_log"]["count"].as_u64());
    let listed = both.into_iter().flatten().max().unwrap_or(0);
    if pending > 0 || uncorrectable > 0 || listed > 0 {
        let pending = pending.max(listed);
        return Some(format!(
            "{pending} pending, {uncorrectable} uncorrectable sectors"
        ));
    }
    (smart["smart_status"]["passed"] == false).then(|| "its own verdict is FAILED".to_owned())
}

/// Returns what is wrong with an NVMe drive by the log that smartctl reads; `None` for another disk
/// (smartmontools nvmeprint.cpp, `print_smart_log`).
fn of_nvme(smart: &Value) -> Option<Result<Option<String>, Missing>> {
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
        let words = || format!("critical warning {warning}, {used} % used, {media} media errors");
        Ok(is_bad.then(words))
    };
    log.is_object().then(judge)
}

/// Returns what is wrong with a disk, whatever its kind.
///
/// # Errors
/// If it tells neither counts nor a verdict.
pub(super) fn bad(name: &str, smart: &Value, defects: &Value) -> Result<Option<String>, Missing> {
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
            return Ok(Verdict::Fail(format!("{disk}: {bad}")));
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
            (0, _) if reported > 0 => Verdict::Note(format!(
                "{disk}: {reported} errors that it could not correct, now or earlier"
            )),
            (0, _) => Verdict::Fine,
            (_, Some(before)) if now > before => Verdict::Fail(format!(
                "{disk}: reallocated sectors grew from {before} to {now}"
            )),
            (_, Some(_)) => Verdict::Fine,
            (_, None) => Verdict::Note(format!(
                "{disk}: {now} reallocated sectors; `--before` tells whether they grow"
            )),
        })
    }))
}

const CRC_GROWING: Rule = Rule {
    id: "smart.crc-growing",
    title: "transfers to a disk are damaged on the way",
    severity: Severity::Critical,
    reason: "The cable or the backplane: random slow I/Os, and md removes a healthy disk.",
    source: "smartctl(8); smartmontools FAQ, attribute 199",
    fix: "Replace the cable.",
    risk: "None.",
    undo: "None needed.",
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
            format!("{disk}: CRC errors grew from {before} to {now}")
        }))
    }))
}

const SMR: Rule = Rule {
    id: "disk.smr",
    title: "a shingled disk is part of an array or a pool",
    severity: Severity::Medium,
    reason: "A rebuild falls to a few MB/s when the disk's cache zone is full, and the disk is removed for its long stalls.",
    source: "kernel Documentation/ABI/stable/sysfs-block, `queue/zoned`, `discard_max_bytes`; OpenZFS documentation, Hardware",
    fix: "Replace it by a disk with conventional recording.",
    risk: "Cost, and a rebuild.",
    undo: "None.",
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
            (true, true) => {
                Verdict::Fail(format!("{disk}: zoned `{zoned}`, discard {discards} bytes"))
            }
            (true, false) => {
                Verdict::Note(format!("{disk} looks shingled; it may be part of a pool"))
            }
            (false, _) => Verdict::Fine,
        })
    }))
}

const APM: Rule = Rule {
    id: "disk.apm",
    title: "a disk parks its heads too often",
    severity: Severity::Low,
    reason: "The first I/O after parking waits about a second, and disks are made for a limited number of cycles.",
    source: "hdparm(8), `-B`; smartctl(8), attribute 193",
    fix: "`hdparm -B 254 /dev/sdX`.",
    risk: "More power.",
    undo: "`hdparm -B 128 /dev/sdX`.",
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
            format!("{disk}: {cycles} load cycles in {hours} hours")
        }))
    }))
}
