//! The facts of whole fixture machines.

use std::path::Path;

use expect_test::{ExpectFile, expect_file};
use stripewise_machine::{Root, facts};
use stripewise_study::facts::Facts;

use crate::fixture::Fixture;
use crate::machines;

/// Returns the facts without the sizes of the filesystem that happens to hold the fixture.
fn redacted_facts(root: &Root, target: Option<&str>) -> Facts {
    let mut facts = facts(root, target.map(Path::new));
    if let Some(target) = &mut facts.target {
        assert!(target.size_bytes.is_some_and(|size| size.as_u64() > 0));
        assert!(target.free_bytes <= target.size_bytes);
        (target.size_bytes, target.free_bytes) = (None, None);
    }
    facts
}

fn check(fixture: &Fixture, target: Option<&str>, expected: ExpectFile) {
    let facts = redacted_facts(&fixture.root(), target);
    let text = serde_json::to_string_pretty(&facts).expect("facts are JSON");
    expected.assert_eq(&(text + "\n"));
}

#[test]
fn a_desktop_with_raid_and_lvm_is_told_down_to_its_disks() {
    check(
        &machines::desktop(),
        Some("/srv/my data/test"),
        expect_file!["golden/desktop.json"],
    );
}

#[test]
fn a_virtual_machine_is_known_as_one() {
    check(
        &machines::virtual_machine(),
        Some("/home"),
        expect_file!["golden/virtual_machine.json"],
    );
}

#[test]
fn an_arm_board_has_a_model_though_its_cpus_name_none() {
    check(
        &machines::arm_board(),
        None,
        expect_file!["golden/arm_board.json"],
    );
}

#[test]
fn a_firmware_raid_shows_its_container_and_what_it_does() {
    check(
        &machines::firmware_raid(),
        Some("/srv"),
        expect_file!["golden/firmware_raid.json"],
    );
}

#[test]
fn the_hidden_paths_of_a_multipath_disk_are_no_disks() {
    let facts = facts(&machines::nvme().root(), None);
    let names: Vec<&str> = facts.devices.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["nvme0n1"]);
    assert_eq!(
        facts.devices[0].model.as_deref(),
        Some("Samsung SSD 980 PRO 1TB")
    );
    assert_eq!(facts.devices[0].serial.as_deref(), Some("S5GXNF0R123456Z"));
}

#[test]
fn a_cloud_is_a_hypervisor_only_where_the_cpu_says_so() {
    for (flags, expected) in [
        ("fpu hypervisor", Some("Amazon EC2 m5.large")),
        ("fpu", None),
    ] {
        let fixture = Fixture::new();
        fixture.file("/proc/cpuinfo", format!("processor : 0\nflags : {flags}\n"));
        fixture.files(
            "/sys/class/dmi/id",
            &[("sys_vendor", "Amazon EC2"), ("product_name", "m5.large")],
        );
        assert_eq!(facts(&fixture.root(), None).hypervisor.as_deref(), expected);
    }
}

#[test]
fn nothing_is_known_of_an_empty_directory() {
    assert_eq!(facts(&Fixture::new().root(), None), Facts::default());
}
