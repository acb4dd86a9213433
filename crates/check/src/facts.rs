//! What several rules read: mounts, disks, arrays, settings of services.

use serde_json::Value;

use crate::asks::{SCAN, SHOW_VARIABLES};
use crate::config::{Config, PLAIN};
use crate::pattern::parts;
use crate::snapshot::{Fact, Missing, Snapshot};

/// A line of `/proc/mounts` or `/etc/fstab`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mount<'a> {
    pub(crate) device: &'a str,
    pub(crate) place: &'a str,
    pub(crate) kind: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    pub(crate) fn has(&self, option: &str) -> bool {
        self.options.split(',').any(|one| one == option)
    }

    /// Returns the first of several options that it has.
    pub(crate) fn any(&self, options: &[&'a str]) -> Option<&'a str> {
        options.iter().copied().find(|option| self.has(option))
    }
}

fn mounts_of(text: &str) -> Vec<Mount<'_>> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let fields = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mounts = fields.filter_map(|fields| match fields[..] {
        [device, place, kind, options, ..] => Some(Mount {
            device,
            place,
            kind,
            options,
        }),
        [device, place, kind] => Some(Mount {
            device,
            place,
            kind,
            options: "",
        }),
        _ => None,
    });
    mounts.collect()
}

/// Returns the lines of `/proc/mounts`.
pub(crate) fn mounts(facts: &Snapshot) -> Result<Vec<Mount<'_>>, Missing> {
    Ok(mounts_of(facts.need_word("/proc/mounts")?))
}

/// Returns the lines of `/etc/fstab`; none if there is no such file.
pub(crate) fn fstab(facts: &Snapshot) -> Result<Vec<Mount<'_>>, Missing> {
    Ok(mounts_of(facts.text("/etc/fstab")?.unwrap_or_default()))
}

/// Returns the filesystem that holds a path: the mount with the longest place.
pub(crate) fn mount_of<'a>(mounts: &[Mount<'a>], path: &str) -> Option<Mount<'a>> {
    let holds = |mount: &&Mount| {
        let place = mount.place.trim_end_matches('/');
        path.strip_prefix(place)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    mounts
        .iter()
        .filter(holds)
        .max_by_key(|mount| mount.place.len())
        .copied()
}

/// Returns the part of a path at an index: `sda` of `/sys/block/sda/size` at 2.
pub(crate) fn name_at(path: &str, index: usize) -> &str {
    parts(path).nth(index).unwrap_or_default()
}

/// Returns the block devices, without partitions.
pub(crate) fn blocks(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    // A sosreport has the queue of each, and no size.
    let queues = || facts.glob("/sys/block/*/queue/rotational").ok();
    let found = facts.glob("/sys/block/*/size");
    let found = found.or_else(|missing| queues().ok_or(missing))?;
    let names = found.into_iter().map(|path| name_at(path, 2));
    Ok(names.filter(|name| !is_nvme_path(name)).collect())
}

/// Returns whether a name is that of one path to a namespace of NVMe: `nvme0c1n1` beside `nvme0n1`. It
/// has no file in /dev (drivers/nvme/host/multipath.c of Linux 6.1, `nvme_mpath_get_disk_name`).
pub(crate) fn is_nvme_path(name: &str) -> bool {
    let rest = name.strip_prefix("nvme");
    rest.is_some_and(|rest| rest.contains('c'))
}

/// Returns the disks that are hardware, or that a hypervisor shows as hardware.
pub(crate) fn disks(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    let mut names = blocks(facts)?;
    names.retain(|name| {
        ["sd", "nvme", "vd", "xvd", "mmcblk"]
            .iter()
            .any(|start| name.starts_with(start))
    });
    Ok(names)
}

/// Returns the md arrays. The container of firmware RAID is none: it only lists disks, and is always
/// inactive (md(4), EXTERNAL METADATA).
pub(crate) fn arrays(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    let found = facts.glob("/sys/block/md*/md/array_state")?;
    let names = found.into_iter().map(|path| name_at(path, 2));
    Ok(names.filter(|md| !is_container(facts, md)).collect())
}

fn is_container(facts: &Snapshot, md: &str) -> bool {
    let is = |file: &str, test: fn(&str) -> bool| of_array(facts, md, file).is_ok_and(test);
    is("level", |level| level == "container") || is("metadata_version", is_container_version)
}

/// Returns whether a metadata version is that of a container: `external:imsm`. A volume in one has
/// `external:/md127/0`.
pub(crate) fn is_container_version(version: &str) -> bool {
    let kind = version.strip_prefix("external:");
    kind.is_some_and(|kind| !kind.starts_with(['/', '-']))
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

/// Returns the text of a file of an array; `md` is `md0`.
pub(crate) fn of_array<'a>(facts: &'a Snapshot, md: &str, file: &str) -> Result<&'a str, Missing> {
    facts.need_word(&format!("/sys/block/{md}/md/{file}"))
}

/// Returns the level of an array.
pub(crate) fn level<'a>(facts: &'a Snapshot, md: &str) -> Result<&'a str, Missing> {
    of_array(facts, md, "level")
}

/// Returns whether a level has parity.
pub(crate) fn has_parity(level: &str) -> bool {
    matches!(level, "raid4" | "raid5" | "raid6")
}

/// Returns the devices of an array by their names in `/sys`: `sda1`.
pub(crate) fn members<'a>(facts: &'a Snapshot, md: &str) -> Result<Vec<&'a str>, Missing> {
    let states = facts.glob(&format!("/sys/block/{md}/md/dev-*/state"))?;
    let name = |path: &'a str| name_at(path, 4).strip_prefix("dev-").unwrap_or_default();
    Ok(states.into_iter().map(name).collect())
}

/// Returns how many members an array lacks, or has and cannot use.
pub(crate) fn lacking(facts: &Snapshot, md: &str) -> Result<u64, Missing> {
    let degraded = facts.number(&format!("/sys/block/{md}/md/degraded"))?;
    Ok(degraded.unwrap_or(0))
}

/// Returns whether md gave up on a member; `member` is `sda1`.
pub(crate) fn is_faulty(facts: &Snapshot, md: &str, member: &str) -> Result<bool, Missing> {
    let state = of_array(facts, md, &format!("dev-{member}/state"))?;
    Ok(state.split(',').any(|word| word == "faulty"))
}

/// Returns the sizes of an array's members in KiB.
pub(crate) fn member_sizes_kib(facts: &Snapshot, md: &str) -> Result<Vec<u64>, Missing> {
    let paths = facts.glob(&format!("/sys/block/{md}/md/dev-*/size"))?;
    paths
        .into_iter()
        .map(|path| facts.need_number(path))
        .collect()
}

/// Returns the name in `/sys` of a device by its path in `/dev`: `dm-0` of `/dev/mapper/vg-root`,
/// by what `mapped` returns for `vg-root`.
pub(crate) fn block_name<'a>(
    device: &'a str,
    mapped: impl FnOnce(&str) -> Fact<&'a str>,
) -> Result<&'a str, Missing> {
    let unknown = || Missing::new(device, "which block device this is");
    let name = device.strip_prefix("/dev/").ok_or_else(unknown)?;
    match name.strip_prefix("mapper/") {
        Some(name) => mapped(name)?.ok_or_else(unknown),
        None if name.contains('/') => Err(unknown()),
        None => Ok(name),
    }
}

/// Returns the name in `/sys` of a mounted device.
pub(crate) fn mounted_name<'a>(facts: &'a Snapshot, device: &'a str) -> Result<&'a str, Missing> {
    block_name(device, |mapped| {
        for path in facts.glob("/sys/block/dm-*/dm/name")? {
            if facts.word(path)? == Some(mapped) {
                return Ok(Some(name_at(path, 2)));
            }
        }
        Ok(None)
    })
}

/// Returns the disk of a partition, or the disk itself.
pub(crate) fn disk_of<'a>(facts: &'a Snapshot, name: &'a str) -> Result<&'a str, Missing> {
    if blocks(facts)?.contains(&name) {
        return Ok(name);
    }
    let starts = facts.glob(&format!("/sys/block/*/{name}/start"))?;
    let disk = starts.first().map(|path| name_at(path, 2));
    disk.ok_or_else(|| {
        Missing::new(
            format!("/sys/block/*/{name}/start"),
            "no disk has this partition",
        )
    })
}

/// Returns the disks of an array's members.
pub(crate) fn member_disks<'a>(facts: &'a Snapshot, md: &str) -> Result<Vec<&'a str>, Missing> {
    let members = members(facts, md)?.into_iter();
    let mut disks = members
        .map(|name| disk_of(facts, name))
        .collect::<Result<Vec<_>, _>>()?;
    disks.sort_unstable();
    disks.dedup();
    Ok(disks)
}

/// Returns the bytes of a full stripe of an array without parity, which is the optimal I/O size that
/// md sets: `raid0_run`, `raid5_set_io_opt` and `raid10_set_io_opt` of drivers/md (6.1.192). `None`
/// for a level without stripes.
pub(crate) fn full_stripe_bytes(facts: &Snapshot, md: &str) -> Result<Option<u64>, Missing> {
    let level = level(facts, md)?;
    let number = |file: &str| facts.need_number(&format!("/sys/block/{md}/md/{file}"));
    let disks = number("raid_disks")?;
    let data_disks = match level {
        "raid0" => disks,
        "raid4" | "raid5" => disks.saturating_sub(1),
        "raid6" => disks.saturating_sub(2),
        "raid10" => {
            // The near copies are the low byte of the layout.
            let near = (number("layout")? & 0xff).max(1);
            if disks % near == 0 {
                disks / near
            } else {
                disks
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(number("chunk_size")?.saturating_mul(data_disks)))
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

/// Returns the value of a key of os-release.
pub(crate) fn os_release<'a>(facts: &'a Snapshot, key: &str) -> Result<Option<&'a str>, Missing> {
    // os-release(5): the second is read only without the first.
    let text = match facts.word("/etc/os-release")? {
        Some(text) => text,
        None => facts.need_word("/usr/lib/os-release")?,
    };
    Ok(setting(text, key))
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
    let model = facts.word(&format!("/sys/block/{disk}/device/model"))?;
    Ok(model.is_some_and(|model| MODELS.iter().any(|name| model.contains(name))))
}

/// Returns the JSON that a command printed.
pub(crate) fn json(facts: &Snapshot, line: &str) -> Result<Value, Missing> {
    let text = facts.command(line)?;
    serde_json::from_str(text).map_err(|error| Missing::new(format!("`{line}`"), error.to_string()))
}

/// Returns whether an array survives the failure of a member.
pub(crate) fn is_redundant(level: &str) -> bool {
    has_parity(level) || matches!(level, "raid1" | "raid10")
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
