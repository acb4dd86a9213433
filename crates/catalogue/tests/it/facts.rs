//! Facts of a host have a name in both languages.

use stripewise_catalogue::{Language, Words};
use stripewise_study::facts::{DeviceFacts, Facts, TargetFacts};
use stripewise_units::Bytes;

fn facts(value: &str, number: u32) -> Facts {
    let mut facts = Facts {
        kernel: Some(value.to_owned()),
        kernel_source: Some(value.to_owned()),
        memory_bytes: Some(Bytes::new(u64::from(number) << 30)),
        ..Facts::default()
    };
    facts.cpu.model = Some(value.to_owned());
    facts.cpu.governor = Some(value.to_owned());
    facts.cpu.logical_count = Some(number);
    facts.tools.insert("fio".to_owned(), value.to_owned());
    facts.target = Some(TargetFacts {
        filesystem: Some(value.to_owned()),
        mount_point: Some(value.to_owned()),
        source: Some(value.to_owned()),
        disks: vec!["sda".to_owned()],
        ..TargetFacts::default()
    });
    facts.devices = vec![DeviceFacts {
        name: "sda".to_owned(),
        model: Some(value.to_owned()),
        serial: Some(value.to_owned()),
        firmware: Some(value.to_owned()),
        size_bytes: Some(Bytes::new(u64::from(number))),
        scheduler: Some(value.to_owned()),
        write_cache: Some(value.to_owned()),
        ..DeviceFacts::default()
    }];
    facts
}

#[test]
fn every_fact_that_can_change_has_a_name_in_both_languages() {
    let changes = facts("old", 1).changes(&facts("new", 2));
    assert_eq!(changes.len(), 16);
    for change in &changes {
        assert_eq!(change.name().in_english(), change.fact);
        assert_ne!(change.name().id, "changed-other", "{}", change.fact);
        let german = change.name().in_language(Language::German);
        assert_ne!(german, change.fact);
    }
}
