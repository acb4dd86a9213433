//! What must still work when something else fails: a disk, the mains, the space of a pool.

use stripewise_machine::order_key;
use stripewise_message::Message;

use crate::facts::{
    Array, arrays, is_active, is_redundant, json, mdadm_conf, member_disks, mounts, names_ups,
    report_number, report_rows,
};
use crate::layers::Layers;
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};
use crate::sources::{PARTITIONS, THIN};

pub(super) const RULES: &[Rule] = &[UPS_DEAF, THIN_STUCK, ESP, INITRAMFS];

const UPS_DEAF: Rule = Rule {
    id: "ups.not-running",
    severity: Severity::High,
    source: "upsmon(8), upsmon.conf(5), MONITOR; apcupsd(8); md(4), RAID WRITE HOLE",
    proof: Some("stripewise pull-plug write-hole --without-member 0"),
    judge: ups_deaf,
    ..Rule::PLAIN
};

fn ups_deaf(facts: &Snapshot) -> Judged {
    const UNITS: [&str; 4] = [
        "nut-monitor.service",
        "nut-client.service",
        "upsmon.service",
        "apcupsd.service",
    ];
    if !names_ups(facts)? {
        return Ok(Findings::default());
    }
    let is_watched = is_active(facts, &UNITS)?;
    Ok(Findings::each([is_watched], |is_watched| {
        Ok(Verdict::fail_if(!is_watched, || {
            Message::new("found-neither-nut-upsmon-nor")
        }))
    }))
}

const THIN_STUCK: Rule = Rule {
    id: "lvm.thin-stuck",
    severity: Severity::Critical,
    source: "lvmthin(7), Automatically extend thin pool LV, Monitoring and Autoextending; lvs(8), seg_monitor",
    judge: thin_stuck,
    ..Rule::PLAIN
};

fn thin_stuck(facts: &Snapshot) -> Judged {
    if !super::lvm::has_thin_pool(facts)? {
        return Ok(Findings::default());
    }
    let threshold =
        super::lvm::conf_number(facts, "activation/thin_pool_autoextend_threshold", 100)?;
    let percent = super::lvm::conf_number(facts, "activation/thin_pool_autoextend_percent", 20)?;
    // That a pool should not grow at all is the finding of lvm.thin-full.
    if threshold >= 100 {
        return Ok(Findings::default());
    }
    let rows = report_rows(facts, THIN, "lv")?;
    let pools = rows.iter().filter(|row| super::lvm::is_thin_pool(row));
    Ok(Findings::each(pools, |row| {
        let name = super::lvm::name(row);
        let number = |key: &str| report_number(row, THIN, &name, key);
        let (size, free) = (number("lv_size")?, number("vg_free")?);
        let step = size / 100 * percent;
        Ok(match row["seg_monitor"].as_str().unwrap_or_default() {
            "monitored" => Verdict::fail_if(free < step, || {
                Message::new("found-one-step-takes-mib")
                    .name("name", name)
                    .name("step", step >> 20)
                    .name("free", free >> 20)
            }),
            "not monitored" => {
                Verdict::Fail(Message::new("found-dmeventd-does-not-monitor").name("name", name))
            }
            other => {
                let why = format!("{name}: seg_monitor is `{other}`");
                return Err(Missing::new(format!("`{THIN}`"), why));
            }
        })
    }))
}

const ESP: Rule = Rule {
    id: "boot.esp-one-disk",
    severity: Severity::High,
    source: "std.rocks, How to set up a RAID1 on a UEFI boot with mdadm; lsblk(8), PARTTYPE; mdadm(8), `--metadata`",
    judge: esp,
    ..Rule::PLAIN
};

/// The type of an EFI system partition in a GPT, and in an MBR.
const ESP_TYPES: [&str; 2] = ["c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "0xef"];

fn esp(facts: &Snapshot) -> Judged {
    if !facts.exists("/sys/firmware/efi")? {
        return Ok(Findings::default());
    }
    let mirrors = boot_arrays(facts)?;
    if mirrors.is_empty() {
        return Ok(Findings::default());
    }
    let answer = json(facts, PARTITIONS)?;
    let rows = answer["blockdevices"].as_array().into_iter().flatten();
    let is_esp = |row: &&serde_json::Value| {
        let kind = row["parttype"].as_str().unwrap_or_default();
        ESP_TYPES.contains(&kind.to_ascii_lowercase().as_str())
    };
    let with_esp: Vec<&str> = rows
        .filter(is_esp)
        .filter_map(|row| row["pkname"].as_str())
        .collect();
    // The firmware has started from one: udev does not know the types here.
    if with_esp.is_empty() {
        let why = "it shows no EFI system partition";
        return Err(Missing::new(format!("`{PARTITIONS}`"), why));
    }
    Ok(Findings::each(mirrors, |md| {
        let disks = member_disks(facts, &md)?;
        let having: Vec<&str> = disks
            .iter()
            .copied()
            .filter(|disk| with_esp.contains(disk))
            .collect();
        let is_alone = disks.len() > 1 && having.len() == 1;
        Ok(Verdict::fail_if(is_alone, || {
            Message::new("found-disks-only-one")
                .name("md", md)
                .name("having", having.join(", "))
        }))
    }))
}

/// Returns the arrays with redundancy that hold the root filesystem or `/boot`.
fn boot_arrays(facts: &Snapshot) -> Result<Vec<Array<'_>>, Missing> {
    let mut known = arrays(facts)?;
    let mut found = Vec::new();
    if known.is_empty() {
        return Ok(found);
    }
    let layers = Layers::read(facts)?;
    for mount in mounts(facts)? {
        if !matches!(mount.place, "/" | "/boot") || !mount.device.starts_with("/dev/") {
            continue;
        }
        for layer in layers.of(layers.name(mount.device)?)? {
            for md in known.extract_if(.., |md| md.name == layer) {
                if is_redundant(md.level()?) {
                    found.push(md);
                }
            }
        }
    }
    Ok(found)
}

const INITRAMFS: Rule = Rule {
    id: "boot.initramfs-stale",
    severity: Severity::High,
    source: "mdadm.conf(5); update-initramfs(8), `-k all`; dracut(8), `--regenerate-all`",
    judge: initramfs,
    ..Rule::PLAIN
};

fn initramfs(facts: &Snapshot) -> Judged {
    if arrays(facts)?.is_empty() {
        return Ok(Findings::default());
    }
    let mut newest_conf = None;
    for path in mdadm_conf(facts)?.files {
        let conf = facts.stat(path)?;
        let conf = conf.ok_or_else(|| Missing::new(path, "its time is not known"))?;
        newest_conf = newest_conf.max(Some((conf.modified_unix_s, path)));
    }
    let Some((conf_modified_unix_s, path)) = newest_conf else {
        return Ok(Findings::default());
    };
    let release = facts.need_word("/proc/sys/kernel/osrelease")?;
    // Images of rescue systems and crash kernels need no array of today, and copies are no images.
    let is_image = |image: &&str| {
        let skipped = ["rescue", "kdump", "fallback", ".old", ".bak", ".dpkg"];
        !skipped.iter().any(|word| image.contains(word))
    };
    let images = facts.glob("/boot/initr*")?.into_iter();
    let images: Vec<&str> = images.filter(is_image).collect();
    let newest = images.iter().copied().max_by_key(|image| order_key(image));
    let others = images.into_iter().filter(|image| !image.contains(release));
    Ok(Findings::each(others, |image| {
        let time = facts.stat(image)?;
        let time = time.ok_or_else(|| Missing::new(image, "its time is not known"))?;
        if time.modified_unix_s >= conf_modified_unix_s {
            return Ok(Verdict::Fine);
        }
        let found = Message::new("found-older")
            .name("image", image)
            .name("path", path);
        // `update-initramfs -u` leaves the older ones as they are.
        Ok(match Some(image) == newest {
            true => Verdict::Fail(Message::new("found-next-boot-takes").with("found", found)),
            false => Verdict::Note(found),
        })
    }))
}
