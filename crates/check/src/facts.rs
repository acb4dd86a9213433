//! What several rules read: mounts, disks, arrays, settings of services.

use std::collections::BTreeSet;

use serde_json::Value;
use stripewise_machine::{Md, array_names, block_names, is_disk_name};
pub(crate) use stripewise_machine::{MountLine as Mount, has_parity, is_redundant, os_release};

use crate::config::{Config, PLAIN};
use crate::layers::Layers;
use crate::pattern::parts;
use crate::snapshot::{Fact, Missing, Snapshot};
use crate::sources::{SCAN, SHOW_VARIABLES};

/// Returns the lines of `/proc/mounts`.
pub(crate) fn mounts(facts: &Snapshot) -> Result<Vec<Mount<'_>>, Missing> {
    Ok(Mount::all(facts.need_word("/proc/mounts")?))
}

/// Returns the lines of `/etc/fstab`; none if there is no such file.
pub(crate) fn fstab(facts: &Snapshot) -> Result<Vec<Mount<'_>>, Missing> {
    Ok(Mount::all(facts.text("/etc/fstab")?.unwrap_or_default()))
}

/// Returns the filesystem that holds a path: the mount with the longest place.
pub(crate) fn mount_of<'a>(mounts: &[Mount<'a>], path: &str) -> Option<Mount<'a>> {
    mounts
        .iter()
        .filter(|mount| mount.holds(path))
        .max_by_key(|mount| mount.place.len())
        .copied()
}

/// Returns the part of a path at an index: `sda` of `/sys/block/sda/size` at 2.
pub(crate) fn name_at(path: &str, index: usize) -> &str {
    parts(path).nth(index).unwrap_or_default()
}

/// Returns the disks that are hardware, or that a hypervisor shows as hardware.
pub(crate) fn disks(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    let mut names = block_names(facts)?;
    names.retain(|name| is_disk_name(name));
    Ok(names)
}

/// An md array of a host.
pub(crate) type Array<'a> = Md<'a, &'a Snapshot>;

/// Returns the md arrays, without containers.
pub(crate) fn arrays(facts: &Snapshot) -> Result<Vec<Array<'_>>, Missing> {
    let names = array_names(facts)?.into_iter();
    let arrays = names.map(|name| Md::new(facts, name));
    // A failed `mdadm --create` leaves a name behind that has no level and no members.
    let is_clear = |md: &Array<'_>| matches!(md.word("array_state"), Ok(Some("clear")));
    Ok(arrays
        .filter(|md| !md.is_container() && !is_clear(md))
        .collect())
}

/// Returns the lines of mdadm.conf and of what is beside it: mdadm reads the first file that exists,
/// and then the `*.conf` of the directory that belongs to it (mdadm's config.c, `load_conffile`).
pub(crate) fn mdadm_conf(facts: &Snapshot) -> Result<Config<'_>, Missing> {
    let files = ["/etc/mdadm/mdadm.conf", "/etc/mdadm.conf"];
    let mut first = None;
    for file in files {
        if first.is_none() && facts.text(file)?.is_some() {
            first = Some(file);
        }
    }
    let first = first.unwrap_or(files[0]);
    Config::read(facts, &[first, &format!("{first}.d/*.conf")], PLAIN).complete()
}

/// An entry of mdadm.conf: its keyword in small letters, and its words.
pub(crate) struct MdadmEntry<'a> {
    keyword: String,
    pub(crate) words: Vec<&'a str>,
}

impl MdadmEntry<'_> {
    /// Returns whether it has a keyword, which may be cut to three letters.
    pub(crate) fn is(&self, keyword: &str) -> bool {
        self.keyword.len() >= 3 && keyword.starts_with(&self.keyword)
    }
}

/// Returns the entries of a configuration of mdadm: a line that begins with space goes on with the
/// entry before it, and `#` begins a comment (mdadm.conf(5); mdadm's config.c, `conf_line`).
pub(crate) fn mdadm_entries<'a>(facts: &'a Snapshot, config: &Config<'a>) -> Vec<MdadmEntry<'a>> {
    let mut entries: Vec<MdadmEntry<'a>> = Vec::new();
    let texts = config
        .files
        .iter()
        .filter_map(|file| facts.files.get(*file));
    for text in texts {
        for line in text.lines() {
            let words = line
                .split_whitespace()
                .take_while(|word| !word.starts_with('#'));
            let mut words = words.map(|word| word.trim_matches('"')).peekable();
            match (entries.last_mut(), words.peek()) {
                (_, None) => {}
                (Some(entry), _) if line.starts_with([' ', '\t']) => entry.words.extend(words),
                _ => entries.push(MdadmEntry {
                    keyword: words.next().unwrap_or_default().to_ascii_lowercase(),
                    words: words.collect(),
                }),
            }
        }
    }
    entries
}

/// Returns the name in `/sys` of a mounted device.
pub(crate) fn mounted_name<'a>(facts: &'a Snapshot, device: &'a str) -> Result<&'a str, Missing> {
    Layers::new(facts).name(device)
}

/// Returns the disk of a partition, or the disk itself.
pub(crate) fn disk_of<'a>(facts: &'a Snapshot, name: &str) -> Result<&'a str, Missing> {
    Layers::new(facts).whole(name)
}

/// Returns the disks of an array's members.
pub(crate) fn member_disks<'a>(
    facts: &'a Snapshot,
    md: &Array<'a>,
) -> Result<Vec<&'a str>, Missing> {
    let layers = Layers::new(facts);
    let disks = md.members()?.into_iter().map(|name| layers.whole(name));
    let disks: BTreeSet<&str> = disks.collect::<Result<_, _>>()?;
    Ok(disks.into_iter().collect())
}

/// Returns whether a name is that of a SATA, SAS or NVMe drive, which answers commands about itself.
/// A hypervisor may show its disks under such names, too: [`is_virtual`].
pub(crate) fn is_drive(name: &str) -> bool {
    name.starts_with("sd") || name.starts_with("nvme")
}

/// Returns whether a disk has platters.
pub(crate) fn is_rotational(facts: &Snapshot, disk: &str) -> Result<bool, Missing> {
    Ok(facts.need_number(&format!("/sys/block/{disk}/queue/rotational"))? == 1)
}

/// Returns whether a UPS is configured: NUT's `MONITOR`, or apcupsd's `UPSTYPE`.
pub(crate) fn names_ups(facts: &Snapshot) -> Result<bool, Missing> {
    Ok(names_nut(facts)? || names_apc(facts)?)
}

fn names_nut(facts: &Snapshot) -> Result<bool, Missing> {
    for path in ["/etc/nut/upsmon.conf", "/etc/ups/upsmon.conf"] {
        let text = facts.text(path)?.unwrap_or_default();
        if directives(text).any(|line| line.starts_with("MONITOR")) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn names_apc(facts: &Snapshot) -> Result<bool, Missing> {
    let text = facts.text("/etc/apcupsd/apcupsd.conf")?.unwrap_or_default();
    Ok(directives(text).any(|line| line.starts_with("UPSTYPE")))
}

/// Returns whether a UPS is set up to shut the host down. With `MODE=none`, the default, upsmon ends
/// before it reads what it should monitor (nut.conf(5); /usr/sbin/upsmon of Debian's nut-client 2.8.1).
pub(crate) fn has_ups(facts: &Snapshot) -> Result<bool, Missing> {
    let mode = facts.text("/etc/nut/nut.conf")?;
    let is_off = mode.and_then(|text| setting(text, "MODE")) == Some("none");
    Ok(names_nut(facts)? && !is_off || names_apc(facts)?)
}

/// Returns whether one of some units is active, by `systemctl list-units`: a unit that did not start
/// well has a mark before its name, and the third word from the name is ACTIVE (systemctl(1)).
pub(crate) fn is_active(facts: &Snapshot, names: &[&str]) -> Result<bool, Missing> {
    let units = facts.command("systemctl list-units")?;
    Ok(units.lines().any(|line| {
        let mut words = line.split_whitespace();
        words.any(|word| names.contains(&word)) && words.nth(1) == Some("active")
    }))
}

/// Returns the lines of a configuration file that are not comments.
pub(crate) fn directives(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with(['#', ';']))
}

/// Returns the last value of `key = value`, without quotes and comments.
pub(crate) fn setting<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let values = directives(text).filter_map(|line| {
        let value = line.strip_prefix(key)?.trim_start().strip_prefix('=')?;
        let value = value.split('#').next().unwrap_or_default().trim();
        Some(value.trim_matches(['"', '\'']))
    });
    values.last()
}

/// Returns a word of the kernel's command line: the value of `root` in `root=/dev/sda1`.
pub(crate) fn boot_words(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    Ok(facts
        .need_word("/proc/cmdline")?
        .split_whitespace()
        .collect())
}

/// Returns smartctl's answer about a disk. Its exit code is a set of bits, of which 0 and 1 say
/// that there is no answer (smartctl(8), "EXIT STATUS").
pub(crate) fn smart(facts: &Snapshot, line: &str) -> Result<Value, Missing> {
    let ran = facts.ran(line)?;
    let answer: Value = serde_json::from_str(&ran.output).unwrap_or_default();
    let exit = answer["smartctl"]["exit_status"].as_i64();
    match exit {
        Some(exit) if exit & 3 == 0 => Ok(answer),
        _ => Err(Missing::new(format!("`{line}`"), "the disk gave no answer")),
    }
}

/// Returns all that smartctl knows of a disk.
pub(crate) fn smart_all(facts: &Snapshot, disk: &str) -> Result<Value, Missing> {
    smart(facts, &format!("smartctl -a /dev/{disk} -j"))
}

/// Returns the raw value of an ATA SMART attribute; `None` if the disk has none.
pub(crate) fn attribute(smart: &Value, id: u64) -> Option<u64> {
    let table = smart["ata_smart_attributes"]["table"].as_array()?;
    let row = table.iter().find(|row| row["id"].as_u64() == Some(id))?;
    row["raw"]["value"].as_u64()
}

/// Returns what JSON a command of LVM printed: the rows of its first report.
pub(crate) fn report_rows(facts: &Snapshot, line: &str, kind: &str) -> Result<Vec<Value>, Missing> {
    let answer = json(facts, line)?;
    let rows = answer["report"][0][kind].as_array().cloned();
    rows.ok_or_else(|| Missing::new(format!("`{line}`"), "it printed no report"))
}

/// Returns a number in a row that a command of LVM printed about `name`.
pub(crate) fn report_number(
    row: &Value,
    line: &str,
    name: &str,
    key: &str,
) -> Result<u64, Missing> {
    let text = row[key].as_str().unwrap_or_default();
    let missing = |_| Missing::new(format!("`{line}`"), format!("{name}: no {key}"));
    text.parse().map_err(missing)
}

/// Returns the names of active device-mapper devices whose UUID ends so: LVM marks its internal
/// volumes there.
pub(crate) fn mapped<'a>(facts: &'a Snapshot, ends: &[&str]) -> Result<Vec<&'a str>, Missing> {
    let mut found = Vec::new();
    for path in facts.glob("/sys/block/dm-*/dm/uuid")? {
        let uuid = facts.word(path)?.unwrap_or_default();
        if uuid.starts_with("LVM-") && ends.iter().any(|end| uuid.ends_with(end)) {
            found.push(name_at(path, 2));
        }
    }
    Ok(found)
}

/// Returns a variable of MariaDB or MySQL.
pub(crate) fn database_variable<'a>(facts: &'a Snapshot, name: &str) -> Result<&'a str, Missing> {
    let output = facts.command(SHOW_VARIABLES)?;
    let found = output.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(name)).then(|| words.next().unwrap_or_default())
    });
    found.ok_or_else(|| Missing::new(name, "the server has no such variable"))
}

/// Returns whether MariaDB or MySQL has data here.
pub(crate) fn has_database(facts: &Snapshot) -> Result<bool, Missing> {
    facts.exists("/var/lib/mysql")
}

/// Returns the pools of ZFS.
pub(crate) fn pools(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    let states = facts.glob("/proc/spl/kstat/zfs/*/state")?;
    Ok(states.into_iter().map(|path| name_at(path, 4)).collect())
}

/// Where distributions keep web sites: Debian, Fedora, RHEL and Alpine; SUSE; Arch.
pub(crate) const WEB_ROOTS: [&str; 3] = ["/var/www", "/srv/www", "/srv/http"];

/// Returns the number of a user; `None` if there is no such user.
pub(crate) fn uid(facts: &Snapshot, user: &str) -> Fact<u32> {
    let users = facts.need_word("/etc/passwd")?.lines();
    let mut users = users.map(|line| line.split(':').collect::<Vec<_>>());
    let found = users.find(|fields| fields.first() == Some(&user));
    Ok(found.and_then(|fields| fields.get(2)?.parse().ok()))
}

/// Returns the values of a property of ZFS by dataset, from `zfs get all`.
pub(crate) fn zfs_property<'a>(
    facts: &'a Snapshot,
    wanted: &str,
) -> Result<Vec<(&'a str, &'a str)>, Missing> {
    let output = facts.command("zfs get all")?;
    let rows = output.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (name, property, value) = (words.next()?, words.next()?, words.next()?);
        (property == wanted).then_some((name, value))
    });
    // A snapshot has the properties of its dataset.
    Ok(rows.filter(|(name, _)| !name.contains('@')).collect())
}

/// A line of `df`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Space<'a> {
    pub(crate) place: &'a str,
    pub(crate) free: u64,
    pub(crate) used_percent: u64,
}

/// Returns how full each filesystem on a block device is, each device once; `free` is in KiB, or in
/// inodes for `df -ali`.
pub(crate) fn spaces<'a>(facts: &'a Snapshot, line: &str) -> Result<Vec<Space<'a>>, Missing> {
    let output = facts.command(line)?;
    let mut seen = Vec::new();
    let mut spaces = Vec::new();
    for words in output
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
    {
        let [device, _, _, free, used, place, ..] = words[..] else {
            continue;
        };
        let is_disk = device.starts_with("/dev/") && !device.starts_with("/dev/loop");
        let numbers = (free.parse(), used.trim_end_matches('%').parse());
        if let (true, (Ok(free), Ok(used_percent))) = (is_disk && !seen.contains(&device), numbers)
        {
            seen.push(device);
            spaces.push(Space {
                place,
                free,
                used_percent,
            });
        }
    }
    Ok(spaces)
}

/// Returns a disk's model as the kernel shows it, which of a SATA drive are its first 16 characters (the
/// product identification of SPC-4).
pub(crate) fn shown_model<'a>(facts: &'a Snapshot, disk: &str) -> Fact<&'a str> {
    facts.word(&format!("/sys/block/{disk}/device/model"))
}

/// Returns whether a hypervisor or a cloud makes a disk: its speed, wear and cache are those of what
/// is behind it.
pub(crate) fn is_virtual(facts: &Snapshot, disk: &str) -> Result<bool, Missing> {
    const MODELS: [&str; 8] = [
        "Amazon Elastic Block Store",
        "Google PersistentDisk",
        "MSFT NVMe Accelerator",
        "QEMU",
        "VBOX",
        "VMware",
        "Virtual",
        "nvme_card",
    ];
    if disk.starts_with("vd") || disk.starts_with("xvd") {
        return Ok(true);
    }
    let model = shown_model(facts, disk)?;
    Ok(model.is_some_and(|model| MODELS.iter().any(|name| model.contains(name))))
}

/// Returns the JSON that a command printed.
pub(crate) fn json(facts: &Snapshot, line: &str) -> Result<Value, Missing> {
    let text = facts.command(line)?;
    serde_json::from_str(text).map_err(|error| Missing::new(format!("`{line}`"), error.to_string()))
}

/// Returns the disks that a controller hides from the kernel, as smartctl found them: how it names
/// each, and the command that asks it. None if it was not asked, or has found none.
pub(crate) fn hidden_disks(facts: &Snapshot) -> Vec<(String, String)> {
    let answer = json(facts, SCAN).unwrap_or_default();
    let devices = answer["devices"].as_array().into_iter().flatten();
    let found = devices.filter_map(|device| {
        let (name, kind) = (device["name"].as_str()?, device["type"].as_str()?);
        let is_hidden = ["megaraid,", "sat+megaraid,", "cciss,"]
            .iter()
            .any(|start| kind.starts_with(start));
        let is_word = |word: &str| word.starts_with("/dev/") && !word.contains(' ');
        (is_hidden && is_word(name) && !kind.contains(' ')).then(|| {
            let line = format!("smartctl -a -d {kind} {name} -j");
            (format!("{kind} of {name}"), line)
        })
    });
    found.collect()
}
