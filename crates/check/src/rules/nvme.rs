//! NVMe drives, by their own log.

use serde_json::Value;

use stripewise_message::{Argument, Message};

use crate::facts::{disks, json};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[WORN];

const WORN: Rule = Rule {
    id: "nvme.worn",
    severity: Severity::Critical,
    source: "NVM Express base specification, SMART / Health Information log: Percentage Used, Available Spare, Media and Data Integrity Errors, Critical Warning; nvme-smart-log(1) and `json_smart_log` of nvme-cli",
    judge: worn,
    ..Rule::PLAIN
};

/// From here on a drive should be on the shopping list.
const NEARLY_WORN_PERCENT: u64 = 80;

/// The bits of Critical Warning.
const WARNINGS: [&str; 6] = [
    "found-nvme-spare",
    "found-nvme-temperature",
    "found-nvme-reliability",
    "found-nvme-read-only",
    "found-nvme-backup",
    "found-nvme-region",
];

/// Returns a number of the log. Versions of nvme-cli print large ones as a number, as a string, or up to
/// 1.16 with a decimal point, and the warning as an object with its `value` (nvme-print-json.c of 2.11,
/// nvme-print.c of 1.9 and 1.16, `json_smart_log`).
fn number(log: &Value, key: &str) -> Option<u64> {
    let value = &log[key];
    let text = || value.as_str()?.replace(',', "").parse().ok();
    let found = value.as_u64().or_else(text).or(value["value"].as_u64());
    found.or_else(|| value.to_string().strip_suffix(".0")?.parse().ok())
}

struct Health {
    used_percent: u64,
    spare: u64,
    spare_min: u64,
    media_errors: u64,
    warning: u64,
}

fn health(facts: &Snapshot, disk: &str) -> Result<Health, Missing> {
    let line = format!("nvme smart-log -o json /dev/{disk}");
    let log = json(facts, &line)?;
    let need = |key: &str| {
        let missing = || Missing::new(format!("`{line}`"), format!("it has no number `{key}`"));
        number(&log, key).ok_or_else(missing)
    };
    Ok(Health {
        used_percent: need("percent_used")?,
        spare: need("avail_spare")?,
        spare_min: need("spare_thresh")?,
        media_errors: need("media_errors")?,
        warning: need("critical_warning")?,
    })
}

/// Returns the namespaces of NVMe, one of each drive: the log is the drive's.
fn drives(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    let mut names = disks(facts)?;
    names.retain(|name| name.starts_with("nvme"));
    let drive = |name: &&str| name.rsplit_once('n').map(|(drive, _)| drive.to_owned());
    names.dedup_by_key(|name| drive(name));
    Ok(names)
}

fn worn(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    for disk in drives(facts)? {
        match health(facts, disk) {
            Ok(now) => {
                let earlier = facts.earlier.as_deref();
                let before = earlier.and_then(|earlier| health(earlier, disk).ok());
                findings = findings.and(Ok(judge(disk, &now, before.as_ref())));
            }
            Err(missing) => findings.add(Err(missing)),
        }
    }
    Ok(findings)
}

fn judge(disk: &str, now: &Health, before: Option<&Health>) -> Findings {
    let mut findings = Findings::default();
    let bits = WARNINGS.iter().enumerate();
    let warnings = bits
        .filter(|(bit, _)| now.warning >> bit & 1 == 1)
        .map(|(_, id)| Message::new(*id));
    let warnings = Argument::list(warnings);
    findings.add(Ok(Verdict::fail_if(now.warning != 0, || {
        Message::new("found-warns")
            .name("disk", disk)
            .name("warning", now.warning)
            .with("warnings", warnings.clone())
    })));
    let used = now.used_percent;
    findings.add(Ok(match used {
        100.. => Verdict::Fail(
            Message::new("found-rated-writes-used")
                .name("disk", disk)
                .name("used", used),
        ),
        NEARLY_WORN_PERCENT.. => Verdict::Note(
            Message::new("found-rated-writes")
                .name("disk", disk)
                .name("used", used),
        ),
        _ => Verdict::Fine,
    }));
    findings.add(Ok(Verdict::fail_if(now.spare < now.spare_min, || {
        Message::new("found-spare-blocks-below")
            .name("disk", disk)
            .name("spare", now.spare)
            .name("spare_min", now.spare_min)
    })));
    let errors = now.media_errors;
    findings.add(Ok(match before.map(|before| before.media_errors) {
        _ if errors == 0 => Verdict::Fine,
        Some(before) if errors > before => Verdict::Fail(
            Message::new("found-media-errors-grew")
                .name("disk", disk)
                .name("before", before)
                .name("errors", errors),
        ),
        Some(_) => Verdict::Note(
            Message::new("found-media-errors-no-new")
                .name("disk", disk)
                .name("errors", errors),
        ),
        None => Verdict::Fail(
            Message::new("found-media-errors")
                .name("disk", disk)
                .name("errors", errors),
        ),
    }));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_versions_of_the_program_are_read() {
        for (text, expected) in [
            (r#"{"a":3}"#, Some(3)),
            (r#"{"a":"1,204"}"#, Some(1204)),
            (r#"{"a":0.0}"#, Some(0)),
            (r#"{"a":17.0}"#, Some(17)),
            (r#"{"a":1.5}"#, None),
            (r#"{"a":{"value":4,"available_spare":0}}"#, Some(4)),
            (r#"{"a":"many"}"#, None),
            (r#"{"b":1}"#, None),
        ] {
            let log: Value = serde_json::from_str(text).unwrap();
            assert_eq!(number(&log, "a"), expected, "{text}");
        }
    }
}
