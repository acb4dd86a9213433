use super::*;
use crate::render::terminal;
use crate::style::without_styles;
use crate::view::View;
use expect_test::expect;
use stripewise_catalogue::Language;
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
    let lines = without_styles(&terminal(&storage_tree(facts), View::drawn(80)));
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
fn the_tree_is_shown_in_german() {
    let array = ArrayFacts {
        name: "md0".into(),
        level: Some("raid1".into()),
        chunk_bytes: Some(Bytes::new(3 << 19)),
        member_count: Some(2),
        degraded_count: Some(1),
        ..ArrayFacts::default()
    };
    let disk = DeviceFacts {
        size_bytes: Some(Bytes::new(3 << 29)),
        rotational: Some(false),
        scheduler: Some("none".into()),
        write_cache: Some("write back".into()),
        queue_depth: Some(32),
        ..device("sda", &[], &["sda1"])
    };
    let crypt = DeviceFacts {
        mapper: Some("crypt".into()),
        mapper_name: Some("home".into()),
        ..device("dm-0", &["md0"], &[])
    };
    let facts = Facts {
        devices: vec![crypt, device("md0", &["sda1"], &[]), disk],
        arrays: vec![array],
        target: Some(TargetFacts {
            path: "/home".into(),
            devices: vec!["dm-0".into()],
            ..TargetFacts::default()
        }),
        ..Facts::default()
    };
    let german = |view: View| {
        without_styles(&terminal(
            &storage_tree(&facts),
            view.in_language(Language::German),
        ))
    };
    expect![[r#"
        Speicher               Größe  Beschreibung
        /home            *            unbekanntes Dateisystem
        └─ dm-0          *            verschlüsselt home
           └─ md0        *            raid1, 2 Mitglieder, 1 davon fehlt, Chunk 1,50 MiB
              └─ sda1    *            Partition
                 └─ sda  *  1,50 GiB  nicht rotierend, Scheduler none, write back, Tiefe
                                      32
        * trägt das Ziel
    "#]]
    .assert_eq(&german(View::drawn(80)));
    expect![[r#"
        /home, trägt das Ziel: ja, Beschreibung: unbekanntes Dateisystem
        dm-0, unter: /home, trägt das Ziel: ja, Beschreibung: verschlüsselt home
        md0, unter: dm-0, trägt das Ziel: ja, Beschreibung: raid1, 2 Mitglieder, 1 davon fehlt, Chunk 1,50 MiB
        sda1, unter: md0, trägt das Ziel: ja, Beschreibung: Partition
        sda, unter: sda1, trägt das Ziel: ja, Größe: 1,50 GiB, Beschreibung: nicht rotierend, Scheduler none, write back, Tiefe 32
    "#]].assert_eq(&german(View::PLAIN));
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
