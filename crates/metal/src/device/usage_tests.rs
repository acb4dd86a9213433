//! Uses of a device, on fake machines: LVM, multipath, bcache, nested stacks.

use super::*;
use crate::device::fake_machine::FakeMachine;

impl FakeMachine {
    /// A disk `sda` with two partitions.
    fn with_partitions() -> Self {
        let machine = Self::new();
        machine.write("/proc/self/mountinfo", "1 0 0:20 / / rw - tmpfs tmpfs rw\n");
        machine.add("ata1/sda", "8:0", &[]);
        for (part, number, start) in [("sda1", "8:1", "8"), ("sda2", "8:2", "108")] {
            let files = [("partition", "1"), ("start", start), ("size", "100")];
            machine.add(&format!("ata1/sda/{part}"), number, &files);
        }
        machine
    }

    /// Adds a device made of others.
    fn add_holder(&self, name: &str, number: &str, of: &[&str]) {
        self.add(&format!("virtual/{name}"), number, &[]);
        for part in of {
            let target = format!("/sys/devices/virtual/{name}");
            self.link(&format!("/sys/devices/{part}/holders/{name}"), &target);
        }
    }

    fn mount(&self, line: &str) {
        let path = self.real("/proc/self/mountinfo");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, format!("{text}{line}\n")).unwrap();
    }

    fn check_use(&self, name: &str) -> Result<(), String> {
        let node = Node::of_name(&self.root(), name).unwrap();
        let named = Path::new("/dev/disk/by-id/x");
        check_unused(&self.root(), named, &node).map_err(|refusal| {
            assert!(!refusal.hint().is_empty());
            refusal.to_string().replace("`/dev/disk/by-id/x` ", "")
        })
    }
}

fn refused(text: &str) -> Result<(), String> {
    Err(text.to_owned())
}

#[test]
fn a_device_is_refused_if_nothing_shows_whether_it_is_in_use() {
    let machine = FakeMachine::with_partitions();
    assert_eq!(machine.check_use("sda"), Ok(()));
    let gone = machine.real("/proc/swaps");
    std::fs::create_dir_all(&gone).unwrap();
    let told = "cannot tell whether is in use: `/proc/swaps`: not a regular file";
    assert_eq!(machine.check_use("sda"), refused(told));
    std::fs::remove_dir(gone).unwrap();
    std::fs::remove_file(machine.real("/proc/self/mountinfo")).unwrap();
    let told = "cannot tell whether is in use: `/proc/self/mountinfo`: it does not exist";
    assert_eq!(machine.check_use("sda"), refused(told));
}

#[test]
fn a_pulled_disk_is_not_listed_as_a_slave() {
    let machine = FakeMachine::new();
    machine.add("virtual/md0", "9:0", &[]);
    machine.add("ata1/sda", "8:0", &[]);
    for disk in ["sda", "sdb"] {
        let target = format!("/sys/devices/ata1/{disk}");
        machine.link(&format!("/sys/devices/virtual/md0/slaves/{disk}"), &target);
    }
    let root = machine.root();
    let md = Node::of_name(&root, "md0").unwrap();
    let slaves: Vec<String> = md.slaves(&root).into_iter().map(|node| node.name).collect();
    assert_eq!(slaves, ["sda"]);
}

#[test]
fn the_holder_of_a_device_is_named() {
    for (files, words) in [
        (&[("md/level", "raid1")][..], "md array `made` (raid1)"),
        (&[("md/sync_action", "idle")], "md array `made`"),
        (
            &[("dm/name", "vg-data"), ("dm/uuid", "LVM-x3")],
            "LVM volume `vg-data`",
        ),
        (
            &[("dm/name", "mpatha"), ("dm/uuid", "mpath-36001")],
            "multipath device `mpatha`",
        ),
        (
            &[("dm/name", "luks"), ("dm/uuid", "CRYPT-LUKS2-ab")],
            "encrypted volume `luks`",
        ),
        (
            &[("dm/name", "x\u{1b}[31m"), ("dm/uuid", "own")],
            "device-mapper device `x[31m`",
        ),
        (&[("bcache/state", "clean")], "bcache device `made`"),
        (&[("size", "8")], "`made`"),
    ] {
        let machine = FakeMachine::with_partitions();
        machine.add_holder("made", "9:0", &["ata1/sda"]);
        for (file, text) in files {
            machine.write(&format!("/sys/devices/virtual/made/{file}"), text);
        }
        let expected = format!("is in use: `sda` is held by {words}");
        assert_eq!(machine.check_use("sda"), refused(&expected));
    }
}

#[test]
fn a_holder_that_sysfs_does_not_describe_counts() {
    let machine = FakeMachine::with_partitions();
    machine.write("/sys/devices/ata1/sda/holders/zfs0", "");
    assert_eq!(
        machine.check_use("sda"),
        refused("is in use: `sda` is held by `zfs0`")
    );
}

#[test]
fn a_used_partition_makes_the_disk_used_and_not_its_other_partitions() {
    let machine = FakeMachine::with_partitions();
    assert_eq!(machine.check_use("sda"), Ok(()));
    machine.add_holder("md0", "9:0", &["ata1/sda/sda2"]);
    machine.write("/sys/devices/virtual/md0/md/level", "raid10");
    machine.mount("2 1 8:1 / /home rw - ext4 /dev/sda1 rw");
    assert_eq!(
        machine.check_use("sda"),
        refused("is in use: `sda1` is mounted on `/home`")
    );
    assert_eq!(
        machine.check_use("sda2"),
        refused("is in use: `sda2` is held by md array `md0` (raid10)")
    );
    let free = FakeMachine::with_partitions();
    free.mount("2 1 8:1 / / rw - ext4 /dev/sda1 rw");
    assert_eq!(free.check_use("sda2"), Ok(()));
}

#[test]
fn a_partition_of_a_disk_that_is_a_member_as_a_whole_is_refused() {
    let machine = FakeMachine::with_partitions();
    machine.add_holder("md127", "9:127", &["ata1/sda"]);
    machine.write("/sys/devices/virtual/md127/md/level", "raid1");
    assert_eq!(
        machine.check_use("sda1"),
        refused("is in use: `sda` is held by md array `md127` (raid1)")
    );
}

#[test]
fn the_running_system_is_found_through_every_layer() {
    let machine = FakeMachine::with_partitions();
    machine.add_holder("md0", "9:0", &["ata1/sda/sda2"]);
    machine.add_holder("dm-0", "253:0", &["virtual/md0"]);
    machine.mount("2 1 253:0 / / rw - ext4 /dev/mapper/vg-root rw");
    for name in ["sda", "sda2"] {
        assert_eq!(
            machine.check_use(name),
            refused("holds the running system: `dm-0` is mounted on `/`")
        );
    }
    let boot = FakeMachine::with_partitions();
    boot.mount("3 1 8:2 / /srv rw - ext4 /dev/sda2 rw");
    boot.mount("2 1 8:1 / /boot/efi rw - vfat /dev/sda1 rw");
    assert_eq!(
        boot.check_use("sda"),
        refused("holds the running system: `sda1` is mounted on `/boot/efi`")
    );
}

#[test]
fn filesystems_with_their_own_device_number_are_found_by_source() {
    let machine = FakeMachine::with_partitions();
    machine.mount("2 1 0:44 /@home /home rw - btrfs /dev/sda1 rw,subvol=/@home");
    assert_eq!(
        machine.check_use("sda1"),
        refused("is in use: `sda1` is mounted on `/home`")
    );
    assert_eq!(machine.check_use("sda2"), Ok(()));
    machine.link(
        "/sys/fs/btrfs/0a-1b/devices/sda2",
        "/sys/devices/ata1/sda/sda2",
    );
    assert_eq!(
        machine.check_use("sda2"),
        refused("is in use: `sda2` is mounted on `btrfs 0a-1b`")
    );
}

#[test]
fn swap_is_found_under_any_name_of_the_device() {
    let head = "Filename\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";
    let machine = FakeMachine::with_partitions();
    machine.write(
        "/proc/swaps",
        &format!("{head}/dev/sda2 partition\t1\t0\t-2\n"),
    );
    let expected = refused("is in use: `sda2` is swap space");
    assert_eq!(machine.check_use("sda"), expected);
    assert_eq!(machine.check_use("sda2"), expected);
    assert_eq!(machine.check_use("sda1"), Ok(()));
    machine.link("/dev/mapper/swap", "../sda2");
    machine.write(
        "/proc/swaps",
        &format!("{head}/dev/mapper/swap partition\t1\t0\t-2\n"),
    );
    assert_eq!(machine.check_use("sda2"), expected);
    // A swap file of this name somewhere is no swap device.
    machine.write("/home/sda2", "");
    machine.write("/proc/swaps", &format!("{head}/home/sda2 file\t1\t0\t-2\n"));
    assert_eq!(machine.check_use("sda2"), Ok(()));
}

#[test]
fn a_cycle_of_holders_ends_the_walk() {
    let machine = FakeMachine::with_partitions();
    machine.add_holder("dm-0", "253:0", &["ata1/sda"]);
    machine.link(
        "/sys/devices/virtual/dm-0/holders/sda",
        "/sys/devices/ata1/sda",
    );
    assert!(machine.check_use("sda").is_err());
}
