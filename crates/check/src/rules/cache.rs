//! Write caches, flushes, and who keeps the power on.

use stripewise_message::Message;

use crate::facts::{
    arrays, directives, disks, has_ups, is_active, is_drive, mdadm_conf, mdadm_entries,
};
use crate::rule::{Findings, Judged, Rule, Setting, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[FLUSH_OFF, UPS_MISSING, MONITOR_DEAF];

const FLUSH_OFF: Rule = Rule {
    id: "wc.flush-off",
    severity: Severity::Critical,
    source: "kernel Documentation/ABI/stable/sysfs-block, `queue/write_cache`; Documentation/block/writeback_cache_control.rst",
    proof: Some("stripewise pull-plug pull-plug"),
    judge: flush_off,
    settings: Some(flush_settings),
    ..Rule::PLAIN
};

/// Returns whether the cache in the drive is on.
pub(super) fn drive_caches(facts: &Snapshot, disk: &str) -> Result<bool, Missing> {
    if disk.starts_with("nvme") {
        let line = format!("nvme id-ctrl -o json /dev/{disk}");
        let text = facts.command(&line)?;
        let answer: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let vwc = answer["vwc"].as_u64();
        let vwc = vwc.ok_or_else(|| Missing::new(format!("`{line}`"), "it has no field `vwc`"))?;
        return Ok(vwc & 1 == 1);
    }
    let line = format!("hdparm -W /dev/{disk}");
    let text = facts.command(&line)?;
    let value = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("write-caching ="));
    match value.map(str::trim) {
        Some(value) => Ok(value.starts_with('1')),
        None => Err(Missing::new(
            format!("`{line}`"),
            "it does not show `write-caching`",
        )),
    }
}

fn unflushed<'a>(facts: &'a Snapshot, disk: &'a str) -> Result<bool, Missing> {
    // The cache of a virtual disk is the host's: a guest cannot ask about it.
    if !is_drive(disk) {
        return Ok(false);
    }
    let view = facts.need_word(&format!("/sys/block/{disk}/queue/write_cache"))?;
    Ok(view == "write through" && drive_caches(facts, disk)?)
}

fn flush_off(facts: &Snapshot) -> Judged {
    Ok(Findings::each(disks(facts)?, |disk| {
        Ok(Verdict::fail_if(unflushed(facts, disk)?, || {
            Message::new("found-drive-cache-kernel-says").name("disk", disk)
        }))
    }))
}

fn flush_settings(facts: &Snapshot) -> Result<Vec<Setting>, Missing> {
    let mut settings = Vec::new();
    for disk in disks(facts)? {
        if unflushed(facts, disk)? {
            settings.push(Setting {
                path: format!("/sys/block/{disk}/queue/write_cache"),
                value: "write back".to_owned(),
            });
        }
    }
    Ok(settings)
}

const UPS_MISSING: Rule = Rule {
    id: "ups.missing-for-risk",
    severity: Severity::Critical,
    source: "upsmon.conf(5), MONITOR and SHUTDOWNCMD; apcupsd manual, UPSTYPE; and the rules wc.flush-off, vm.cache-unsafe, zfs.sync-disabled",
    proof: Some("stripewise pull-plug pull-plug"),
    judge: ups_missing,
    ..Rule::PLAIN
};

fn ups_missing(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    for id in ["wc.flush-off", "vm.cache-unsafe", "zfs.sync-disabled"] {
        let Some(rule) = super::named(id) else {
            continue;
        };
        match (rule.judge)(facts) {
            Ok(judged) => {
                let is_taken = !judged.failed.is_empty();
                if is_taken {
                    findings.add(has_ups(facts).map(|has_ups| {
                        Verdict::fail_if(!has_ups, || {
                            Message::new("found-fails-no-ups-configured").name("id", id)
                        })
                    }));
                }
                judged
                    .missing
                    .into_iter()
                    .for_each(|missing| findings.add(Err(missing)));
            }
            Err(missing) => findings.add(Err(missing)),
        }
    }
    Ok(findings)
}

const MONITOR_DEAF: Rule = Rule {
    id: "monitor.deaf",
    severity: Severity::Critical,
    source: "mdadm(8), MONITOR MODE; mdadm.conf(5), MAILADDR; smartd.conf(5), `-m`",
    judge: monitor_deaf,
    ..Rule::PLAIN
};

fn monitor_deaf(facts: &Snapshot) -> Judged {
    let physical = super::smart::physical(facts)?;
    let has_arrays = !arrays(facts)?.is_empty();
    if physical.is_empty() && !has_arrays {
        return Ok(Findings::default());
    }
    let mut findings = Findings::default();
    if has_arrays {
        let watched = is_active(facts, &["mdmonitor.service", "mdadm.service"])?;
        findings.add(Ok(Verdict::fail_if(!watched, || {
            Message::new("found-mdmonitor-does-not-run")
        })));
        findings.add(told(facts));
    }
    if !physical.is_empty() {
        let watched = is_active(facts, &["smartd.service", "smartmontools.service"])?;
        findings.add(Ok(Verdict::fail_if(!watched, || {
            Message::new("found-smartd-does-not-run")
        })));
        findings.add(smartd_tells(facts));
    }
    Ok(findings)
}

/// Judges whom smartd tells: without `-m` a failing disk is a line in the log (smartd.conf(5)). A line
/// goes on after a backslash, and `DEFAULT` holds for those below it.
fn smartd_tells(facts: &Snapshot) -> Result<Verdict, Missing> {
    // Debian, SUSE, Arch and Alpine; Fedora and RHEL.
    for path in ["/etc/smartd.conf", "/etc/smartmontools/smartd.conf"] {
        let Some(text) = facts.text(path)? else {
            continue;
        };
        let text = text.replace("\\\n", " ");
        let mut words = directives(&text).flat_map(|line| {
            let line = line.split('#').next().unwrap_or_default();
            line.split_whitespace().collect::<Vec<_>>()
        });
        return Ok(match words.any(|word| word == "-m") {
            true => Verdict::Fine,
            false => Verdict::Note(Message::new("found-no-m-smartd-writes").name("path", path)),
        });
    }
    Ok(Verdict::Fine)
}

fn told(facts: &Snapshot) -> Result<Verdict, Missing> {
    let config = mdadm_conf(facts)?;
    let entries = mdadm_entries(facts, &config);
    let has = |key: &str| {
        let mut found = entries.iter().filter(|entry| entry.is(key));
        found.any(|entry| !entry.words.is_empty())
    };
    if has("program") {
        return Ok(Verdict::Fine);
    }
    if !has("mailaddr") {
        return Ok(Verdict::Fail(Message::new(
            "found-mdadm-conf-neither-mailaddr",
        )));
    }
    let can_mail = facts.exists("/usr/sbin/sendmail")?;
    Ok(Verdict::fail_if(!can_mail, || {
        Message::new("found-mdadm-conf-mailaddr-there")
    }))
}
