use super::*;
use crate::style::without_styles;
use stripewise_study::facts::PartitionFacts;

fn device(name: &str, members: &[&str], partitions: &[&str]) -> DeviceFacts {
    DeviceFacts {
        name: name.into(),
        members: members.iter().map(|name| (*name).into()).collect(),
        partitions: partitions
            .iter()
            .map(|name| PartitionFacts {
                name: (*name).into(),
                size_bytes: None,
            })
            .collect(),
        ..DeviceFacts::default()
    }
}

fn drawn(facts: &Facts) -> Vec<String> {
    let lines = without_styles(&storage_tree(facts, View::drawn(80)));
    lines.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn a_device_below_several_others_is_described_once() {
    let facts = Facts {
        devices: vec![
            device("sda", &[], &["sda1", "sda2"]),
            device("md0", &["sda1", "sda2"], &[]),
        ],
        mounts: vec![MountFacts {
            mount_point: "/".into(),
            filesystem: "xfs".into(),
            devices: vec!["md0".into()],
        }],
        ..Facts::default()
    };
    assert_eq!(
        drawn(&facts),
        [
            "/                   xfs",
            "└─ md0",
            "   ├─ sda1          partition",
            "   │  └─ sda",
            "   └─ sda2          partition",
            "      └─ sda        as above",
        ]
    );
}

#[test]
fn a_cycle_of_devices_ends() {
    let facts = Facts {
        devices: vec![
            device("dm-0", &["dm-1"], &[]),
            device("dm-1", &["dm-0"], &[]),
        ],
        target: Some(TargetFacts {
            path: "/x".into(),
            devices: vec!["dm-0".into()],
            ..TargetFacts::default()
        }),
        ..Facts::default()
    };
    let lines = drawn(&facts);
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert!(
        lines[3].contains("dm-0") && lines[3].ends_with("as above"),
        "{lines:?}"
    );
}

#[test]
fn a_device_without_a_filesystem_is_not_left_out() {
    let facts = Facts {
        devices: vec![device("sda", &[], &[]), device("md9", &["sda"], &[])],
        ..Facts::default()
    };
    assert_eq!(drawn(&facts), ["md9", "└─ sda"]);
}

#[test]
fn before_a_stack_is_built_the_disks_are_those_of_the_target() {
    let facts = Facts {
        devices: vec![device("sda", &[], &[]), device("sdb", &[], &[])],
        target: Some(TargetFacts {
            path: "/srv/x".into(),
            mount_point: Some("/srv".into()),
            filesystem: Some("ext4".into()),
            disks: vec!["sdb".into()],
            ..TargetFacts::default()
        }),
        ..Facts::default()
    };
    let lines = drawn(&facts);
    assert!(
        lines[0].starts_with("/srv") && lines[0].contains('*'),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("└─ sdb") && lines[1].contains('*'),
        "{lines:?}"
    );
    assert!(
        lines[2].starts_with("sda") && !lines[2].contains('*'),
        "{lines:?}"
    );
}

#[test]
fn a_thousand_layers_and_members_are_cut() {
    let names: Vec<String> = (0..2000).map(|index| format!("dm-{index}")).collect();
    let devices = names
        .windows(2)
        .map(|pair| device(&pair[0], &[&pair[1]], &[]));
    let mut facts = Facts {
        devices: devices.collect(),
        mounts: vec![MountFacts {
            mount_point: "/".into(),
            filesystem: "ext4".into(),
            devices: vec!["dm-0".into()],
        }],
        ..Facts::default()
    };
    assert_eq!(drawn(&facts).len(), 1 + DEPTH_MAX);
    facts.mounts[0].devices = names;
    assert!(drawn(&facts).len() <= LINES_MAX + 1);
}
