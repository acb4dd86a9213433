//! Users that mounts and holders do not show, on fake machines.

use super::*;
use crate::device::fake_machine::FakeMachine;

impl FakeMachine {
    fn node(&self, name: &str) -> Node {
        Node::of_name(&self.root(), name).unwrap()
    }
}

#[test]
fn another_path_to_the_same_disk_is_found_by_its_world_wide_name() {
    let machine = FakeMachine::new();
    let wwid = "naa.5000c500a1b2c3d4";
    for (disk, number, size) in [
        ("sda", "8:0", "1000"),
        ("sdb", "8:16", "1000"),
        ("sdc", "8:32", "2000"),
    ] {
        let files = [("device/wwid", wwid), ("size", size)];
        machine.add(&format!("host/{disk}"), number, &files);
    }
    for (disk, number, start) in [
        ("sda", "8:1", "8"),
        ("sdb", "8:17", "8"),
        ("sdb", "8:18", "500"),
    ] {
        let part = number.split_once(':').unwrap().1.parse::<u32>().unwrap() % 16;
        let files = [
            ("partition", &*part.to_string()),
            ("start", start),
            ("size", "100"),
        ];
        machine.add(&format!("host/{disk}/{disk}{part}"), number, &files);
    }
    let names = |name: &str| -> Vec<String> {
        let twins = twins(&machine.root(), &machine.node(name));
        twins.into_iter().map(|node| node.name).collect()
    };
    assert_eq!(names("sda"), ["sdb"], "sdc has another size");
    assert_eq!(names("sda1"), ["sdb1"]);
    assert_eq!(names("sdb2"), [""; 0]);
    machine.write(
        "/proc/self/mountinfo",
        "9 1 8:17 / /home rw - ext4 /dev/sdb1 rw\n",
    );
    for name in ["sda", "sda1"] {
        let named = Path::new("/dev/disk/by-id/x");
        let refusal =
            super::super::usage::check_unused(&machine.root(), named, &machine.node(name));
        let text = refusal.unwrap_err().to_string();
        assert!(text.contains("`sdb1` is mounted on `/home`"), "{text}");
    }
}

#[test]
fn a_partition_that_overlaps_with_another_is_refused() {
    let machine = FakeMachine::new();
    machine.add("host/sda", "8:0", &[("size", "10000")]);
    for (name, number, start, size) in [
        ("sda1", "8:1", "8", "100"),
        ("sda2", "8:2", "108", "100"),
        ("sda3", "8:3", "207", "100"),
    ] {
        let files = [("partition", "1"), ("start", start), ("size", size)];
        machine.add(&format!("host/sda/{name}"), number, &files);
    }
    let check = |name: &str| {
        let refusal = check_overlap(&machine.root(), Path::new("/dev/x"), &machine.node(name));
        refusal.map_err(|refusal| refusal.to_string())
    };
    assert_eq!(check("sda"), Ok(()));
    assert_eq!(check("sda1"), Ok(()));
    let overlaps = |other: &str| Err(format!("`/dev/x` overlaps with the partition `{other}`"));
    assert_eq!(check("sda2"), overlaps("sda3"));
    assert_eq!(check("sda3"), overlaps("sda2"));
}

#[test]
fn loop_devices_on_overlapping_parts_of_a_file_are_refused() {
    let machine = FakeMachine::new();
    machine.write("/srv/disk", "");
    machine.link("/srv/other-name", "disk");
    for (name, number, file, offset, size) in [
        ("loop0", "7:0", "/srv/disk", "0", "100"),
        ("loop1", "7:1", "/srv/other-name", "51199", "100"),
        ("loop2", "7:2", "/srv/disk", "102400", "100"),
        ("loop3", "7:3", "/gone (deleted)", "0", "100"),
        ("loop4", "7:4", "/gone (deleted)", "0", "100"),
    ] {
        let files = [
            ("loop/backing_file", file),
            ("loop/offset", offset),
            ("size", size),
        ];
        machine.add(&format!("virtual/{name}"), number, &files);
    }
    let check = |name: &str| {
        let refusal = check_loops(&machine.root(), Path::new("/dev/x"), &machine.node(name));
        refusal.map_err(|refusal| refusal.to_string())
    };
    let held = |own: &str, other: &str| {
        Err(format!(
            "`/dev/x` is in use: `{own}` is held by loop device `{other}`"
        ))
    };
    assert_eq!(check("loop0"), held("loop0", "loop1"));
    assert_eq!(check("loop1"), held("loop1", "loop0"));
    assert_eq!(check("loop2"), Ok(()));
    assert_eq!(check("loop3"), held("loop3", "loop4"), "by the path");
}
