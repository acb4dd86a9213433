//! The facts of whole fixture machines.

use std::path::Path;

use expect_test::{ExpectFile, expect_file};
use stripewise_machine::{Root, facts, kernel_version};
use stripewise_study::facts::Facts;

use crate::fixture::Fixture;
use crate::machines;

/// Returns the facts without the sizes of the real filesystem below the fixture.
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
fn a_desktop_with_raid_and_lvm_is_followed_down_to_its_disks() {
    check(
        &machines::desktop(),
        Some("/srv/my data/test"),
        expect_file!["golden/desktop.json"],
    );
}

#[test]
fn a_virtual_machine_is_recognised() {
    check(
        &machines::virtual_machine(),
        Some("/home"),
        expect_file!["golden/virtual_machine.json"],
    );
}

#[test]
fn an_arm_board_has_a_model_without_one_in_cpuinfo() {
    check(
        &machines::arm_board(),
        None,
        expect_file!["golden/arm_board.json"],
    );
}

#[test]
fn a_firmware_raid_shows_its_container_and_its_sync_action() {
    check(
        &machines::firmware_raid(),
        Some("/srv"),
        expect_file!["golden/firmware_raid.json"],
    );
}

#[test]
fn the_hidden_paths_of_a_multipath_disk_are_skipped() {
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
fn a_cloud_name_means_a_hypervisor_only_with_the_cpu_flag() {
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
fn an_empty_directory_has_no_facts() {
    let nothing = Facts {
        mounts_unread: Some("`/proc/self/mountinfo`: it does not exist".to_owned()),
        ..Facts::default()
    };
    assert_eq!(facts(&Fixture::new().root(), None), nothing);
}

#[test]
fn the_kernel_version_is_that_of_its_source() {
    let version_of = |release: &str, version: &str, signature: Option<&str>| {
        let fixture = Fixture::new();
        fixture.file("/proc/sys/kernel/osrelease", format!("{release}\n"));
        fixture.file("/proc/sys/kernel/version", format!("{version}\n"));
        if let Some(signature) = signature {
            fixture.file("/proc/version_signature", format!("{signature}\n"));
        }
        let facts = facts(&fixture.root(), None);
        let version = facts.kernel_version().map(|version| version.to_string());
        assert_eq!(
            version,
            kernel_version(&fixture.root()).map(|version| version.to_string())
        );
        version
    };
    for (release, version, signature, expected) in [
        (
            "6.1.0-56-cloud-amd64",
            "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-10-12)",
            None,
            Some("6.1.192"),
        ),
        (
            "6.12.95+deb12-amd64",
            "#1 SMP PREEMPT_DYNAMIC Debian 6.12.95-1~bpo12+1 (2026-10-01)",
            None,
            Some("6.12.95"),
        ),
        (
            "5.15.0-91-generic",
            "#101-Ubuntu SMP Tue Nov 14 13:30:08 UTC 2023",
            Some("Ubuntu 5.15.0-91.101-generic 5.15.131"),
            Some("5.15.131"),
        ),
        (
            "6.9.4-200.fc40.x86_64",
            "#1 SMP PREEMPT_DYNAMIC",
            None,
            Some("6.9.4"),
        ),
        (
            "6.1.0-9",
            "#1 SMP Debian unknown",
            Some("Ubuntu"),
            Some("6.1"),
        ),
        ("my-own", "#7 SMP", None, None),
    ] {
        assert_eq!(
            version_of(release, version, signature).as_deref(),
            expected,
            "{release}"
        );
    }
}
