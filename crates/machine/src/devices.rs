//! The block devices of `/sys/block`: Documentation/ABI/stable/sysfs-block.

use stripewise_study::facts::{DeviceFacts, PartitionFacts};
use stripewise_units::Bytes;

use crate::disks::disks_of_loop;
use crate::mounts::Mount;
use crate::node::{Node, SECTOR_BYTES};
use crate::order::order_key;
use crate::root::{Root, clean_word};

/// Reads the block devices: disks first, then stacked devices, then those in memory or files.
///
/// The members of a loop device are the disks that hold its file. Skipped are devices of size zero
/// (unused loop devices, empty card readers), paths of a multipath device, and unused RAM disks; a
/// device named in `wanted` is kept.
pub(crate) fn devices(root: &Root, mounts: &[Mount], wanted: &[String]) -> Vec<DeviceFacts> {
    let mut devices: Vec<DeviceFacts> = root
        .list("/sys/block")
        .iter()
        .filter(|name| wanted.contains(name) || is_of_interest(root, name))
        .map(|name| device(root, mounts, name))
        .collect();
    devices.sort_by_cached_key(|device| (rank(device), order_key(&device.name)));
    devices
}

fn is_of_interest(root: &Root, name: &str) -> bool {
    let folder = format!("/sys/block/{name}");
    let is_empty = root.number(format!("{folder}/size")) == Some(0);
    let is_hidden = root.number(format!("{folder}/hidden")) == Some(1);
    let is_idle_ram = name.starts_with("ram") && root.list(format!("{folder}/holders")).is_empty();
    !(is_empty || is_hidden || is_idle_ram)
}

fn rank(device: &DeviceFacts) -> u8 {
    let begins = |prefixes: &[&str]| {
        prefixes
            .iter()
            .any(|prefix| device.name.starts_with(prefix))
    };
    if begins(&["loop", "ram", "zram"]) {
        2
    } else {
        u8::from(!device.members.is_empty() || begins(&["md", "dm-", "bcache", "drbd", "zd"]))
    }
}

/// Reads one block device; `name` is an entry of `/sys/block`.
fn device(root: &Root, mounts: &[Mount], name: &str) -> DeviceFacts {
    let folder = format!("/sys/block/{name}");
    let number = |file: &str| root.number(format!("{folder}/{file}"));
    let word = |file: &str| root.word(format!("{folder}/{file}"));
    let mut members = root.list(format!("{folder}/slaves"));
    if name.starts_with("loop") {
        members.extend(disks_of_loop(root, mounts, name));
    }
    members.sort_by_key(|member| order_key(member));
    DeviceFacts {
        name: name.to_owned(),
        model: ata_string(root, &folder, AtaString::Model)
            .or_else(|| word("device/model"))
            .or_else(|| word("device/name")),
        serial: word("device/serial")
            .or_else(|| word("serial"))
            .or_else(|| ata_string(root, &folder, AtaString::Serial))
            .or_else(|| word("device/wwid"))
            .or_else(|| word("wwid")),
        // NVMe, then SATA, whose `device/rev` holds only 4 characters of 8, then SCSI.
        firmware: word("device/firmware_rev")
            .or_else(|| ata_string(root, &folder, AtaString::Firmware))
            .or_else(|| word("device/rev")),
        size_bytes: number("size")
            .and_then(|sectors| sectors.checked_mul(SECTOR_BYTES))
            .map(Bytes::new),
        rotational: number("queue/rotational").map(|flag| flag != 0),
        scheduler: word("queue/scheduler").map(|list| chosen(&list).to_owned()),
        write_cache: word("queue/write_cache"),
        logical_block_bytes: number("queue/logical_block_size").map(Bytes::new),
        request_bytes_max: number("queue/max_sectors_kb")
            .and_then(|kib| kib.checked_mul(1024))
            .map(Bytes::new),
        // The queue depth of the device itself (SCSI, SATA), otherwise that of the block layer.
        queue_depth: number("device/queue_depth")
            .or_else(|| number("queue/nr_requests"))
            .and_then(|depth| u32::try_from(depth).ok()),
        members,
        // The part before the dash names the creator: `LVM-`, `CRYPT-LUKS2-`, `mpath-`.
        mapper: word("dm/uuid").and_then(|uuid| {
            let (owner, _) = uuid.split_once('-')?;
            Some(owner.to_lowercase())
        }),
        mapper_name: word("dm/name"),
        partitions: partitions(root, &folder),
    }
}

/// Reads the partitions of the disk in `folder`.
fn partitions(root: &Root, folder: &str) -> Vec<PartitionFacts> {
    let disk = Node::at(root, folder.as_ref());
    let mut partitions = disk.map_or_else(Vec::new, |disk| disk.partitions(root));
    partitions.sort_by_cached_key(|partition| order_key(&partition.name));
    let partitions = partitions.into_iter().map(|partition| PartitionFacts {
        size_bytes: partition.sectors(root, "size"),
        name: partition.name,
    });
    partitions.collect()
}

/// Returns the entry in brackets of `mq-deadline [none]`, or the whole text if there is none.
pub fn chosen(list: &str) -> &str {
    list.split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or(list, |(name, _)| name)
}

/// A string of an ATA disk's IDENTIFY DEVICE data.
#[derive(Clone, Copy)]
enum AtaString {
    /// Words 10 to 19.
    Serial,
    /// Words 23 to 26.
    Firmware,
    /// Words 27 to 46.
    Model,
}

/// Returns the full model, serial number or firmware of a SATA disk.
///
/// `device/model` holds only 16 characters (SCSI INQUIRY), too few to distinguish `Samsung SSD 850
/// EVO` from `PRO`, and on older kernels SCSI disks have no `device/serial`. The kernel keeps the
/// disk's own answer in the ATA Information VPD page (SAT-3, 12.4.2; IDENTIFY data begins at byte
/// 60; ACS-3, 7.12.7: two characters in each word, the first in its high byte).
fn ata_string(root: &Root, folder: &str, which: AtaString) -> Option<String> {
    const PAGE_CODE: u8 = 0x89;
    const IDENTIFY_DEVICE: u8 = 0xec;
    const IDENTIFY_START: usize = 60;
    let page = root.bytes(format!("{folder}/device/vpd_pg89"))?;
    if page.get(1) != Some(&PAGE_CODE) || page.get(56) != Some(&IDENTIFY_DEVICE) {
        return None;
    }
    let words = match which {
        AtaString::Serial => 10..20,
        AtaString::Firmware => 23..27,
        AtaString::Model => 27..47,
    };
    let field = page.get(IDENTIFY_START + 2 * words.start..IDENTIFY_START + 2 * words.end)?;
    let text: Vec<u8> = field
        .chunks_exact(2)
        .flat_map(|word| [word[1], word[0]])
        .filter(|byte| (b' '..=b'~').contains(byte))
        .collect();
    clean_word(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_use_is_the_one_in_brackets() {
        for (list, expected) in [
            ("mq-deadline kyber [none]", "none"),
            ("[bfq]", "bfq"),
            ("none", "none"),
            ("[unfinished", "[unfinished"),
        ] {
            assert_eq!(chosen(list), expected, "{list}");
        }
    }
}
