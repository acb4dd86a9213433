//! LVM.

use serde_json::Value;

use stripewise_message::Message;

use crate::facts::{mapped, name_at, report_rows};
use crate::lvm_conf::LvmConf;
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};
use crate::sources::{LVS, PVS};

pub(super) const RULES: &[Rule] = &[THIN_FULL, SNAPSHOT_FULL, STALE_CONF, ALIGN];

const FULL_PERCENT: f64 = 80.0;

/// Returns a percentage; LVM prints none for a volume that is not active.
fn percent(row: &Value, key: &str) -> Result<f64, Missing> {
    let text = row[key].as_str().unwrap_or_default().trim();
    text.parse().map_err(|_| {
        let why = match text {
            "" => "LVM shows none: the volume is not active".to_owned(),
            text => format!("`{text}` is not a number"),
        };
        Missing::new(format!("{key} of {}", name(row)), why)
    })
}

/// Returns a character of the attributes of a volume (lvs(8), NOTES).
fn attribute(row: &Value, index: usize) -> char {
    let text = row["lv_attr"].as_str().unwrap_or_default();
    text.chars().nth(index).unwrap_or('-')
}

pub(super) fn name(row: &Value) -> String {
    let word = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    format!("{}/{}", word("vg_name"), word("lv_name"))
}

/// Returns whether the host has an active thin pool; without one LVM is not asked.
pub(super) fn has_thin_pool(facts: &Snapshot) -> Result<bool, Missing> {
    Ok(!mapped(facts, &["-tpool", "-tmeta", "-tdata"])?.is_empty())
}

/// Returns whether a volume is a thin pool.
pub(super) fn is_thin_pool(row: &Value) -> bool {
    attribute(row, 0) == 't'
}

/// Returns a number of lvm.conf, or its default.
pub(super) fn conf_number(facts: &Snapshot, key: &str, default: u64) -> Result<u64, Missing> {
    let conf = LvmConf::read(facts)?.unwrap_or_default();
    let number = conf.value(key).and_then(|value| value.parse().ok());
    Ok(number.unwrap_or(default))
}

const THIN_FULL: Rule = Rule {
    id: "lvm.thin-full",
    severity: Severity::Critical,
    source: "lvmthin(7), Automatically extend thin pool LV; lvm.conf(5), thin_pool_autoextend_threshold (default 100: never)",
    judge: thin_full,
    ..Rule::PLAIN
};

fn thin_full(facts: &Snapshot) -> Judged {
    if !has_thin_pool(facts)? {
        return Ok(Findings::default());
    }
    let rows = report_rows(facts, LVS, "lv")?;
    let threshold = conf_number(facts, "activation/thin_pool_autoextend_threshold", 100)?;
    let pools = rows.iter().filter(|row| is_thin_pool(row));
    Ok(Findings::each(pools, |row| {
        let sick = match (attribute(row, 8), attribute(row, 4)) {
            ('F', _) => Some("it has failed"),
            ('D', _) => Some("it is out of space"),
            ('M', _) => Some("its metadata is read-only"),
            (_, 'c' | 'C') => Some("it must be checked"),
            _ => None,
        };
        if let Some(sick) = sick {
            return Ok(Verdict::Fail(
                Message::new("check-found")
                    .name("place", name(row))
                    .name("what", sick),
            ));
        }
        let (data, metadata) = (
            percent(row, "data_percent")?,
            percent(row, "metadata_percent")?,
        );
        let is_full = data > FULL_PERCENT || metadata > FULL_PERCENT;
        let text = Message::new("found-data-metadata")
            .name("volume", name(row))
            .name("data", data)
            .name("metadata", metadata);
        Ok(match (is_full, threshold >= 100) {
            (true, _) => Verdict::Fail(text),
            (false, true) => {
                Verdict::Fail(Message::new("found-never-grows-by-itself").with("text", text))
            }
            (false, false) => Verdict::Fine,
        })
    }))
}

const SNAPSHOT_FULL: Rule = Rule {
    id: "lvm.snapshot-full",
    severity: Severity::Critical,
    source: "lvcreate(8), `--snapshot`; lvm.conf(5), snapshot_autoextend_threshold",
    judge: snapshot_full,
    ..Rule::PLAIN
};

fn snapshot_full(facts: &Snapshot) -> Judged {
    if mapped(facts, &["-cow"])?.is_empty() {
        return Ok(Findings::default());
    }
    let rows = report_rows(facts, LVS, "lv")?;
    // `s`, or `S` while it is merged; a thin snapshot has no space of its own.
    let is_snapshot = |row: &&Value| matches!(attribute(row, 0), 's' | 'S');
    Ok(Findings::each(rows.iter().filter(is_snapshot), |row| {
        if matches!(attribute(row, 4), 'I' | 'S') {
            return Ok(Verdict::Fail(
                Message::new("found-invalid").name("volume", name(row)),
            ));
        }
        let used = percent(row, "snap_percent")?;
        Ok(Verdict::fail_if(used > FULL_PERCENT, || {
            Message::new("found-snapshot-used")
                .name("volume", name(row))
                .name("used", used)
        }))
    }))
}

const STALE_CONF: Rule = Rule {
    id: "lvm.conf-stale",
    severity: Severity::High,
    source: "lvm2 WHATS_NEW, version 2.03.00; lvm.conf(5), filter; lvmdevices(8)",
    judge: stale_conf,
    ..Rule::PLAIN
};

fn stale_conf(facts: &Snapshot) -> Judged {
    let Some(conf) = LvmConf::read(facts)? else {
        return Ok(Findings::default());
    };
    let keys = ["devices/filter", "devices/global_filter"];
    let filters = keys.iter().flat_map(|key| conf.values(key));
    let mut findings = Findings::each(filters, |filter| {
        Ok(Verdict::fail_if(names_disk(filter), || {
            Message::new("found-filter-names-disks-can").name("filter", filter)
        }))
    });
    let has_daemon = facts.exists("/usr/sbin/lvmetad")?;
    let is_stale = conf.value("global/use_lvmetad") == Some("1") && !has_daemon;
    findings.add(Ok(Verdict::fail_if(is_stale, || {
        Message::new("found-use-lvmetad-1-there")
    })));
    let uses_file = conf.value("devices/use_devicesfile") == Some("1");
    if uses_file && !facts.exists("/etc/lvm/devices/system.devices")? {
        findings.add(Ok(Verdict::Note(Message::new(
            "found-use-devicesfile-1-there",
        ))));
    }
    Ok(findings)
}

/// Returns whether a pattern names one disk by a letter that can change: `a|/dev/sda.*|`, but not
/// `a|/dev/sd.*|`.
fn names_disk(filter: &str) -> bool {
    ["/dev/sd", "/dev/hd", "/dev/vd", "/dev/xvd"]
        .iter()
        .any(|start| {
            let mut found = filter.split(start).skip(1);
            found.any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
        })
}

const ALIGN: Rule = Rule {
    id: "lvm.align",
    severity: Severity::Medium,
    source: "pvcreate(8), `--dataalignment`; kernel Documentation/ABI/stable/sysfs-block, `queue/optimal_io_size`",
    judge: align,
    ..Rule::PLAIN
};

const PHYSICAL_BLOCK_BYTES: u64 = 4096;

fn align(facts: &Snapshot) -> Judged {
    let starts = facts.glob("/sys/block/*/*/start")?;
    let mut findings = Findings::each(starts, |path| {
        // In units of 512 bytes, whatever the disk's blocks are.
        let start = facts.need_number(path)?.saturating_mul(512);
        let disk = name_at(path, 2);
        let stripe = stripe_of(facts, disk)?;
        Ok(Verdict::fail_if(start % stripe != 0, || {
            Message::new("found-begins-byte-no-multiple")
                .name("place", name_at(path, 3))
                .name("start", start)
                .name("stripe", stripe)
        }))
    });
    if mapped(facts, &[""])?.is_empty() {
        return Ok(findings);
    }
    for row in report_rows(facts, PVS, "pv")? {
        let device = row["pv_name"]
            .as_str()
            .unwrap_or_default()
            .trim_start_matches("/dev/");
        let start = row["pe_start"]
            .as_str()
            .and_then(|text| text.parse::<u64>().ok());
        if let Some(start) = start {
            findings.add(stripe_of(facts, device).map(|stripe| {
                Verdict::fail_if(start % stripe != 0, || {
                    Message::new("found-physical-volume-data-byte")
                        .name("device", device)
                        .name("start", start)
                        .name("stripe", stripe)
                })
            }));
        }
    }
    Ok(findings)
}

/// Returns the bytes to whose multiples data on a device should begin: an array's full stripe.
fn stripe_of(facts: &Snapshot, device: &str) -> Result<u64, Missing> {
    if !device.starts_with("md") {
        return Ok(PHYSICAL_BLOCK_BYTES);
    }
    let optimal = facts.number(&format!("/sys/block/{device}/queue/optimal_io_size"))?;
    Ok(optimal
        .filter(|bytes| *bytes > 0)
        .unwrap_or(PHYSICAL_BLOCK_BYTES))
}
