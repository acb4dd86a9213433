//! Rules about the layers between a mount and its disks: for databases, discards and swap.

use std::collections::BTreeSet;

use stripewise_machine::{Swap, swaps};
use stripewise_message::Message;

use crate::facts::{
    Array, Mount, arrays, database_variable, disks, has_database, has_parity, is_drive,
    is_redundant, is_rotational, is_virtual, member_disks, mounts, smart_all,
};
use crate::layers::Layers;
use crate::layout::nothing;
use crate::mysql::data_dir;
use crate::postgresql::{Cluster, clusters};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

use super::filesystems::{DISCARDING, device_of};

pub(super) const RULES: &[Rule] = &[VOLATILE, DISCARD, CHECKSUMS, SWAP, TORN_PAGE];

const VOLATILE: Rule = Rule {
    id: "db.volatile-cache",
    severity: Severity::Low,
    source: "NVM Express base specification, Identify Controller, Volatile Write Cache; hdparm(8), `-W`; kernel Documentation/block/writeback_cache_control.rst; PostgreSQL manual, Reliability",
    proof: Some("stripewise pull-plug pull-plug-database"),
    judge: volatile,
    ..Rule::PLAIN
};

/// Returns where databases have their data: a name, and the directory.
fn data_places(facts: &Snapshot) -> Result<Vec<(String, String)>, Missing> {
    let mut places = Vec::new();
    if has_database(facts)? {
        places.push(("MariaDB or MySQL".to_owned(), data_dir(facts)?));
    }
    let clusters = clusters(facts);
    clusters.missing.into_iter().try_for_each(Err)?;
    for cluster in clusters.found {
        places.push((format!("PostgreSQL {}", cluster.name), cluster.data?));
    }
    Ok(places)
}

/// Returns the filesystem of a directory, if a block device holds it.
fn disk_mount<'a>(facts: &'a Snapshot, path: &str) -> Result<Option<Mount<'a>>, Missing> {
    let mount = device_of(facts, path)?;
    Ok(mount.filter(|mount| mount.device.starts_with("/dev/")))
}

fn volatile(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    let places = data_places(facts)?;
    if places.is_empty() {
        return nothing(facts);
    }
    let layers = Layers::read(facts)?;
    for (name, place) in places {
        let Some(mount) = disk_mount(facts, &place)? else {
            continue;
        };
        let below = layers.name(mount.device).and_then(|top| layers.disks(top));
        findings = findings.and(below.map(|disks| {
            Findings::each(disks, |disk| {
                if !is_drive(disk) || is_virtual(facts, disk)? || is_rotational(facts, disk)? {
                    return Ok(Verdict::Fine);
                }
                Ok(match super::cache::drive_caches(facts, disk)? {
                    true => Verdict::Note(
                        Message::new("found-volatile-cache")
                            .name("name", &name)
                            .name("disk", disk),
                    ),
                    false => Verdict::Fine,
                })
            })
        }));
    }
    Ok(findings)
}

const DISCARD: Rule = Rule {
    id: "ssd.discard-path",
    severity: Severity::Medium,
    source: "kernel Documentation/ABI/stable/sysfs-block, `discard_max_bytes`, `stat`; crypttab(5), `discard`; kernel drivers/md/raid5.c, parameter devices_handle_discard_safely, and raid5_set_limits of 7.1.13 and 7.2.6; smartctl(8), `-i`, and `trim` of its JSON",
    judge: discard,
    ..Rule::PLAIN
};

/// Whether RAID 5 and 6 pass discards on.
const SAFE_DISCARDS: &str = "/sys/module/raid456/parameters/devices_handle_discard_safely";

fn takes_discards(facts: &Snapshot, device: &str) -> Result<bool, Missing> {
    let path = format!("/sys/block/{device}/queue/discard_max_bytes");
    Ok(facts.need_number(&path)? > 0)
}

/// Returns whether an array takes discards and sends none to its members, as one with parity does since
/// Linux 7.2 (`raid5_discard_unsupported` of drivers/md/raid5.c): if its module was not told that its drives
/// read zeroes afterwards, or a drive takes less than a row at once. Earlier kernels refuse them then.
///
/// The parameter may have changed since the array was started, and a lockless bitmap takes discards for
/// itself. So an array that counted discards of which its drives counted none drops them, whatever it says.
pub(super) fn drops_discards(facts: &Snapshot, layer: &str) -> Result<bool, Missing> {
    if !layer.starts_with("md") {
        return Ok(false);
    }
    let md = Array::new(facts, layer);
    if !has_parity(md.level()?) || !takes_discards(facts, layer)? {
        return Ok(false);
    }
    let below = Layers::read(facts)?.below(layer)?;
    let count = |device: &str| discard_count(facts, device);
    let none_arrived = !below.is_empty() && below.iter().all(|disk| count(disk) == Some(0));
    let is_counted = none_arrived && count(layer) > Some(0);
    if is_counted || facts.need_word(SAFE_DISCARDS)? == "N" {
        return Ok(true);
    }
    let row = md.full_stripe_bytes()?.unwrap_or_default();
    let row = row.checked_next_power_of_two().unwrap_or(u64::MAX);
    for disk in below {
        let path = format!("/sys/block/{disk}/queue/discard_max_bytes");
        if facts.need_number(&path)? < row {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns how many discards a device has done since it appeared; `None` if that is not known. Kernels
/// before 4.18 do not count them.
fn discard_count(facts: &Snapshot, device: &str) -> Option<u64> {
    let text = facts.text(&format!("/sys/block/{device}/stat")).ok()??;
    text.split_ascii_whitespace().nth(11)?.parse().ok()
}

fn discard(facts: &Snapshot) -> Judged {
    let names = disks(facts)?
        .into_iter()
        .filter(|name| name.starts_with("sd"));
    let mut findings = Findings::each(names, |disk| {
        if is_virtual(facts, disk)? || is_rotational(facts, disk)? || takes_discards(facts, disk)? {
            return Ok(Verdict::Fine);
        }
        let takes = smart_all(facts, disk)?["trim"]["supported"] == true;
        Ok(Verdict::fail_if(takes, || {
            Message::new("found-takes-trim-controller-or").name("disk", disk)
        }))
    });
    let layers = match Layers::read(facts) {
        Ok(layers) => layers,
        Err(missing) => return Ok(findings.and(Err(missing))),
    };
    let mut seen = BTreeSet::new();
    for mount in mounts(facts)? {
        let is_file_system = DISCARDING.contains(&mount.kind);
        if is_file_system && mount.device.starts_with("/dev/") && seen.insert(mount.device) {
            findings = findings.and(ends(facts, &layers, &mount));
        }
    }
    Ok(findings)
}

/// Returns the layers below a filesystem that end discards: all that they stand on takes them.
fn ends<'a>(facts: &Snapshot, layers: &Layers<'a>, mount: &Mount<'a>) -> Judged {
    let mut ending = Vec::new();
    for layer in layers.of(layers.name(mount.device)?)? {
        let below = layers.below(layer)?;
        if below.is_empty() || (takes_discards(facts, layer)? && !drops_discards(facts, layer)?) {
            continue;
        }
        let mut all_take = true;
        for device in &below {
            all_take &= takes_discards(facts, device)?;
        }
        let mut has_flash = false;
        for device in below.into_iter().filter(|_| all_take) {
            has_flash |= !is_rotational(facts, device)?;
        }
        if has_flash {
            ending.push(layer);
        }
    }
    let place = mount.place;
    Ok(Findings::each(ending, |layer| {
        if takes_discards(facts, layer)? {
            return Ok(Verdict::Fail(
                Message::new("found-discards-dropped")
                    .name("place", place)
                    .name("layer", layer),
            ));
        }
        let uuid = facts.word(&format!("/sys/block/{layer}/dm/uuid"))?;
        let id = match uuid {
            Some(uuid) if uuid.starts_with("CRYPT-") => "found-discards-end-encryption",
            None if has_parity(Array::new(facts, layer).level()?) => "found-discards-end-parity",
            Some(_) | None => "found-discards-end",
        };
        let found = Message::new(id).name("place", place);
        Ok(Verdict::Note(found.name("layer", layer)))
    }))
}

const CHECKSUMS: Rule = Rule {
    id: "pg.checksums",
    severity: Severity::Low,
    source: "PostgreSQL manual, initdb `--data-checksums`, pg_checksums; src/bin/pg_controldata, \"Data page checksum version\"",
    judge: checksums,
    ..Rule::PLAIN
};

fn checksums(facts: &Snapshot) -> Judged {
    each_cluster(facts, |cluster| {
        // These filesystems have checksums of their own.
        let mount = device_of(facts, cluster.data()?)?;
        if mount.is_some_and(|mount| matches!(mount.kind, "zfs" | "btrfs")) {
            return Ok(Verdict::Fine);
        }
        let kind = control_number(facts, cluster, "Data page checksum version:")?;
        Ok(match kind {
            0 => Verdict::Note(
                Message::new("found-cluster-no-checksums").name("name", &cluster.name),
            ),
            _ => Verdict::Fine,
        })
    })
}

/// Judges each cluster of PostgreSQL.
fn each_cluster(
    facts: &Snapshot,
    judge: impl Fn(&Cluster<'_>) -> Result<Verdict, Missing>,
) -> Judged {
    let clusters = clusters(facts);
    let mut findings = Findings::each(&clusters.found, judge);
    for missing in clusters.missing {
        findings.add(Err(missing));
    }
    if clusters.found.is_empty() && findings.missing.is_empty() {
        return nothing(facts);
    }
    Ok(findings)
}

/// Returns a number of a cluster's control data.
fn control_number(facts: &Snapshot, cluster: &Cluster<'_>, key: &str) -> Result<u64, Missing> {
    let line = cluster.control_data()?;
    let text = facts.command(&line)?;
    let value = text.lines().find_map(|line| line.strip_prefix(key));
    let value = value.and_then(|value| value.trim().parse().ok());
    value.ok_or_else(|| Missing::new(format!("`{line}`"), format!("it shows no `{key}`")))
}

const SWAP: Rule = Rule {
    id: "swap.one-disk",
    severity: Severity::High,
    source: "linuxdoc.org, Software-RAID HOWTO, Swapping on RAID; swapon(8); proc(5), /proc/swaps",
    judge: swap,
    ..Rule::PLAIN
};

/// Returns the device that a swap is on; `None` for memory.
fn swap_device<'a>(
    facts: &'a Snapshot,
    layers: &Layers<'a>,
    swap: &'a Swap,
) -> Result<Option<&'a str>, Missing> {
    let device = match swap.is_file {
        false => Some(swap.path.as_str()),
        true => disk_mount(facts, &swap.path)?.map(|mount| mount.device),
    };
    let device = device.filter(|device| !device.starts_with("/dev/zram"));
    device.map(|device| layers.name(device)).transpose()
}

fn swap(facts: &Snapshot) -> Judged {
    let swaps = swaps(facts)?;
    if swaps.is_empty() {
        return Ok(Findings::default());
    }
    let mut arrays_here = Vec::new();
    for md in arrays(facts)? {
        if is_redundant(md.level()?) {
            arrays_here.push(md);
        }
    }
    if arrays_here.is_empty() {
        return Ok(Findings::default());
    }
    let layers = Layers::read(facts)?;
    let mut findings = Findings::default();
    for swap in &swaps {
        match swap_device(facts, &layers, swap) {
            Ok(None) => {}
            Ok(Some(device)) => {
                findings = findings.and(of_swap(facts, &layers, device, &arrays_here));
            }
            Err(missing) => findings.add(Err(missing)),
        }
    }
    Ok(findings)
}

fn of_swap<'a>(
    facts: &'a Snapshot,
    layers: &Layers<'a>,
    device: &'a str,
    mirrors: &[Array<'a>],
) -> Judged {
    let mut findings = Findings::default();
    let mut on_mirror = layers.of(device)?;
    on_mirror.retain(|layer| mirrors.iter().any(|md| md.name == *layer));
    for md in mirrors.iter().filter(|md| on_mirror.contains(&md.name)) {
        findings.add(md.missing_count().map(|count| {
            Verdict::fail_if(count > 0, || {
                Message::new("found-swap-lacks-members")
                    .name("md", md)
                    .name("count", count)
            })
        }));
    }
    if !on_mirror.is_empty() {
        return Ok(findings);
    }
    for disk in layers.disks(device)? {
        for md in mirrors {
            let lacks = md.missing_count()?;
            if !member_disks(facts, md)?.contains(&disk) {
                // A member that was removed no longer says where it belonged.
                findings.add(Ok(match lacks > 0 && is_drive(disk) {
                    true => Verdict::Note(
                        Message::new("found-swap-may-be-member")
                            .name("disk", disk)
                            .name("md", md),
                    ),
                    false => Verdict::Fine,
                }));
                continue;
            }
            let mut is_broken = lacks > 0;
            for member in md.members()? {
                let is_faulty = md.is_faulty(member)?;
                is_broken |= layers.whole(member)? == disk && is_faulty;
            }
            findings.add(Ok(match is_broken {
                true => Verdict::Fail(
                    Message::new("found-swap-alone-degraded")
                        .name("disk", disk)
                        .name("md", md),
                ),
                false => Verdict::Note(
                    Message::new("found-swap-alone-although-copies")
                        .name("disk", disk)
                        .name("md", md),
                ),
            }));
        }
    }
    Ok(findings)
}

const TORN_PAGE: Rule = Rule {
    id: "db.torn-page",
    severity: Severity::Critical,
    source: "kernel Documentation/ABI/stable/sysfs-block, `atomic_write_unit_max_bytes` (since 6.11); MySQL manual, innodb_doublewrite; PostgreSQL manual, full_page_writes",
    proof: Some("stripewise pull-plug pull-plug-database"),
    judge: torn_page,
    ..Rule::PLAIN
};

fn torn_page(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    if has_database(facts)? {
        findings.add(innodb_page(facts));
    }
    Ok(findings.and(each_cluster(facts, |cluster| {
        if cluster.off("full_page_writes")?.is_none() {
            return Ok(Verdict::Fine);
        }
        let page = control_number(facts, cluster, "Database block size:")?;
        let name = format!("PostgreSQL {}", cluster.name);
        unit_of(facts, &name, cluster.data()?, page)
    })))
}

fn innodb_page(facts: &Snapshot) -> Result<Verdict, Missing> {
    let doublewrite = database_variable(facts, "innodb_doublewrite")?;
    if !matches!(doublewrite, "OFF" | "0") {
        return Ok(Verdict::Fine);
    }
    let page = database_variable(facts, "innodb_page_size")?;
    let page = page
        .parse()
        .map_err(|_| Missing::new("innodb_page_size", "it is no number"))?;
    unit_of(facts, "MariaDB or MySQL", &data_dir(facts)?, page)
}

/// Judges the atomic unit of what holds a directory. Filesystems that copy on write tear no page.
fn unit_of(facts: &Snapshot, name: &str, data: &str, page: u64) -> Result<Verdict, Missing> {
    let Some(mount) = device_of(facts, data)? else {
        return Err(Missing::new(data, "no mount holds it"));
    };
    if matches!(mount.kind, "zfs" | "btrfs") {
        return Ok(Verdict::Fine);
    }
    let layers = Layers::read(facts)?;
    let top = layers.whole(layers.name(mount.device)?)?;
    let path = format!("/sys/block/{top}/queue/atomic_write_unit_max_bytes");
    let unit = facts.number(&path)?;
    let unit = unit.ok_or_else(|| Missing::new(path, "kernels before 6.11 do not tell it"))?;
    Ok(match unit < page {
        true => Verdict::Fail(
            Message::new("found-pages-bytes-promises")
                .name("name", name)
                .name("page", page)
                .name("top", top)
                .name("unit", unit),
        ),
        false => Verdict::Note(
            Message::new("found-promises-bytes-if-server")
                .name("name", name)
                .name("top", top)
                .name("unit", unit),
        ),
    })
}
