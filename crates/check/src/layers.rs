//! The layers of a host: [`stripewise_machine::Layers`] of a snapshot.

use crate::snapshot::Snapshot;

/// The block devices of a host, and which stands on which.
pub(crate) type Layers<'a> = stripewise_machine::Layers<&'a Snapshot>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Stat;

    fn host(files: &[(&str, &str)], links: &[&str]) -> Snapshot {
        let mut facts = Snapshot::of_files(files.iter().copied());
        let stat = Stat {
            mode: 0o755,
            uid: 0,
            gid: 0,
            size_bytes: 0,
            modified_unix_s: 0,
        };
        for path in links {
            facts.stats.insert((*path).to_owned(), stat);
        }
        facts
    }

    #[test]
    fn a_volume_stands_on_disks_and_a_damaged_tree_ends() {
        let files = [
            ("/sys/block/sda/size", "1"),
            ("/sys/block/sdb/size", "1"),
            ("/sys/block/sda/sda1/start", "1"),
            ("/sys/block/md0/size", "1"),
            ("/sys/block/dm-0/size", "1"),
            ("/sys/block/dm-0/dm/name", "vg-home"),
            // Each of these names the other.
            ("/sys/block/dm-1/size", "1"),
            ("/sys/block/dm-2/size", "1"),
            ("/sys/block/md1/size", "1"),
        ];
        let links = [
            "/sys/block/dm-0/slaves/md0",
            "/sys/block/md0/slaves/sda1",
            "/sys/block/md0/slaves/sdb",
            "/sys/block/dm-1/slaves/dm-2",
            "/sys/block/dm-2/slaves/dm-1",
        ];
        let facts = host(&files, &links);
        let layers = Layers::read(&facts).unwrap();
        let name = layers.name("/dev/mapper/vg-home").unwrap();
        assert_eq!(layers.of(name).unwrap(), ["dm-0", "md0", "sda", "sdb"]);
        assert_eq!(layers.disks(name).unwrap(), ["sda", "sdb"]);
        assert_eq!(layers.disks("sda1").unwrap(), ["sda"]);
        assert_eq!(layers.of("dm-1").unwrap(), ["dm-1", "dm-2"]);
        assert!(layers.disks("md1").is_err(), "an array stands on something");
        assert!(layers.name("/dev/mapper/other").is_err());
        assert!(layers.name("tank/data").is_err());
        assert!(layers.whole("sdc1").is_err());
    }

    #[test]
    fn a_path_to_a_drive_with_several_ports_is_no_disk() {
        let files = [
            ("/sys/block/nvme0n1/size", "8"),
            ("/sys/block/nvme0n1/queue/scheduler", "[none] bfq"),
            ("/sys/block/nvme0c0n1/size", "8"),
            ("/sys/block/nvme0c33n1/size", "8"),
            ("/sys/block/dm-0/size", "8"),
        ];
        let facts = host(&files, &[]);
        assert_eq!(crate::facts::disks(&facts).unwrap(), ["nvme0n1"]);
        // Its paths have no scheduler, and nothing is missing without them.
        let judged = (crate::rules::named("blk.scheduler").unwrap().judge)(&facts);
        assert_eq!(judged, Ok(crate::rule::Findings::default()));
    }
}
