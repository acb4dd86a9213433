//! What disks say about themselves.

use crate::facts::{arrays, attribute, disks, is_rotational, member_disks, mounts, smart};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[BAD_SECTORS, CRC_GROWING, SMR, APM];

/// Returns the disks that can answer: not those of a hypervisor.
fn physical(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    let mut names = disks(facts)?;
    names.retain(|name| name.starts_with("sd") || name.starts_with("nvme"));
    Ok(names)
}

fn all(facts: &Snapshot, disk: &str) -> Result<Value, Missing> {
    smart(facts, &format!("smartctl -a /dev/{disk} -j"))
}

const BAD_SECTORS: Rule = Rule {
    id: "smart.bad-sectors",
    title: "a disk has sectors that it cannot read",
    severity: Severity::Critical,
    reason: "A pending sector is lost data as soon as a rebuild reads it.",
    source: "smartctl(8), `-A`; NVM Express base specification, SMART / Health Information log",
    fix: "Replace the disk. Scrub or copy before.",
    risk: "Copying can finish a dying disk: copy what matters most first.",
    undo: "None.",
    proof: None,
    judge: bad_sectors,
    settings: None,
};

const WORN_PERCENT: u64 = 90;

fn bad_sectors(facts: &Snapshot) -> Judged {
    Ok(Findings::each(physical(facts)?, |disk| {
        let smart = all(facts, disk)?;
        let log = &smart["nvme_smart_health_information_log"];
        if log.is_object() {
            let number = |key: &str| log[key].as_u64().unwrap_or(0);
            let (warning, used, media) = (
                number("critical_warning"),
                number("percentage_used"),
                number("media_errors"),
            );
            let is_bad = warning != 0 || used >= WORN_PERCENT || media > 0;
            return Ok(Verdict::fail_if(is_bad, || {
                format!("{disk}: critical warning {warning}, {used} % used, {media} media errors")
            }));
        }
        let (pending, uncorrectable) = (attribute(&smart, 197), attribute(&smart, 198));
        if pending.is_none() && uncorrectable.is_none() && attribute(&smart, 5).is_none() {
            return match smart["smart_status"]["passed"].as_bool() {
                Some(passed) => Ok(Verdict::fail_if(!passed, || {
                    format!("{disk}: its own verdict is FAILED")
                })),
                None => Err(Missing::new(
                    format!("SMART of {disk}"),
                    "the disk has no attributes",
                )),
            };
        }
        let (pending, uncorrectable) = (pending.unwrap_or(0), uncorrectable.unwrap_or(0));
        if pending > 0 || uncorrectable > 0 {
            return Ok(Verdict::Fail(format!(
                "{disk}: {pending} pending, {uncorrectable} uncorrectable sectors"
            )));
        }
        let now = attribute(&smart, 5).unwrap_or(0);
        let before = facts
            .earlier
            .as_deref()
            .map(|earlier| all(earlier, disk))
            .transpose()?;
        let before = before.and_then(|smart| attribute(&smart, 5));
        Ok(match (now, before) {
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
    proof: None,
    judge: crc_growing,
    settings: None,
};

fn crc_growing(facts: &Snapshot) -> Judged {
    Ok(Findings::each(physical(facts)?, |disk| {
        let now = attribute(&all(facts, disk)?, 199).unwrap_or(0);
        if now == 0 {
            return Ok(Verdict::Fine);
        }
        let earlier = facts.earlier.as_deref().ok_or_else(|| {
            Missing::new(
                format!("an earlier count of {disk}"),
                format!("the count is {now}; collect before, and use `--before`"),
            )
        })?;
        let before = attribute(&all(earlier, disk)?, 199).unwrap_or(0);
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
    proof: None,
    judge: smr,
    settings: None,
};

fn smr(facts: &Snapshot) -> Judged {
    let mut members = Vec::new();
    for md in arrays(facts)? {
        members.extend(member_disks(facts, md)?);
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
    proof: None,
    judge: apm,
    settings: None,
};

const CYCLES_PER_HOUR_MAX: u64 = 10;

fn apm(facts: &Snapshot) -> Judged {
    Ok(Findings::each(physical(facts)?, |disk| {
        if !is_rotational(facts, disk)? {
            return Ok(Verdict::Fine);
        }
        let smart = all(facts, disk)?;
        let cycles = attribute(&smart, 193).unwrap_or(0);
        let hours = smart["power_on_time"]["hours"].as_u64().unwrap_or(0);
        let is_often = hours > 0 && cycles / hours > CYCLES_PER_HOUR_MAX;
        Ok(Verdict::fail_if(is_often, || {
            format!("{disk}: {cycles} load cycles in {hours} hours")
        }))
    }))
}
