//! Findings must agree with the counters of the simulation.
//!
//! The failure: a tool explained every slow RAID 5 with "read-modify-write", even for full-stripe
//! writes, and every fast mirror with "reads are spread over both". Each finding is tested on a
//! cell that must have it and on one that must not.

use stripewise_diagnose::cause::Cause;
use stripewise_diagnose::changes::{Change, effects};
use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::why::{Bottleneck, Finding, Why};
use stripewise_profiles::Profiles;
use stripewise_profiles::host::{ADAPTER_DEFAULT, AdapterProfile};
use stripewise_profiles::profile_file::{device_from_toml, host_from_toml};
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

const DEVICE: &str = include_str!("../../../stripewise/tests/data/profiles/devices/test-ssd.toml");
const HOST: &str = include_str!("../../../stripewise/tests/data/profiles/hosts/test-host.toml");

fn model(kernel: &str) -> Model {
    let mut profiles = Profiles::default();
    let device = device_from_toml("device", DEVICE).unwrap();
    let host = host_from_toml("host", HOST).unwrap();
    profiles.devices.insert(device.name.clone(), device);
    profiles.hosts.insert(host.name.clone(), host);
    Model {
        host: Some("test-host".to_owned()),
        ..Model::new(profiles, KernelVersion::parse(kernel).unwrap())
    }
}

fn cell(array: &str, workload: &str) -> Cell {
    let text = format!(
        "[stack.s]\ndevices = {{ test-ssd = 4 }}\narray = {{ {array} }}\n[workload]\nsize = \"1G\"\n{workload}\n"
    );
    stripewise_fixtures::cell(&text)
}

fn why(array: &str, workload: &str) -> Why {
    let (model, cell) = (model("4.1"), cell(array, workload));
    let prediction = Prediction::new(&model, &cell, 0, &mut NeverCancel).unwrap();
    Why::new(&model, &cell, &prediction)
}

fn has(why: &Why, is: impl Fn(&Finding) -> bool) -> bool {
    why.findings.iter().any(is)
}

const READ_64K: &str = "pattern = \"randread\"\nblock_size = \"64K\"";

#[test]
fn uneven_mirrors_are_reported_only_if_they_are_uneven() {
    let favours = |finding: &Finding| matches!(finding, Finding::ReadsFavour { .. });
    assert!(has(
        &why(r#"level = "raid10", chunk = "32K""#, READ_64K),
        favours
    ));
    let deep = "pattern = \"randread\"\nblock_size = \"4K\"\ndepth = 64\nengine = \"libaio\"";
    assert!(!has(
        &why(r#"level = "raid10", chunk = "32K""#, deep),
        favours
    ));
    assert!(!has(
        &why(r#"level = "raid0", chunk = "32K""#, READ_64K),
        favours
    ));
}

#[test]
fn read_modify_write_is_reported_for_small_writes_only() {
    let reads = |finding: &Finding| matches!(finding, Finding::ReadModifyWrite { .. });
    let raid5 = r#"level = "raid5", chunk = "64K""#;
    assert!(has(
        &why(raid5, "pattern = \"randwrite\"\nblock_size = \"4K\""),
        reads
    ));
    assert!(!has(
        &why(raid5, "pattern = \"write\"\nblock_size = \"192K\""),
        reads
    ));
    assert!(!has(&why(raid5, READ_64K), reads));
}

#[test]
fn the_saturated_resource_is_named() {
    let deep = "pattern = \"read\"\nblock_size = \"1M\"\ndepth = 16\nengine = \"libaio\"";
    let full = why(r#"level = "raid0", chunk = "64K""#, deep);
    let expected = "uplink";
    assert!(
        format!("{:?}", full.bottleneck.short()).contains(expected),
        "{:?}",
        full.bottleneck
    );
    let syncing = "pattern = \"randwrite\"\nblock_size = \"4K\"\nfsync = 1";
    let syncs = why(r#"level = "raid1""#, syncing);
    assert!(
        matches!(syncs.bottleneck, Bottleneck::Syncs { .. }),
        "{:?}",
        syncs.bottleneck
    );
    let alone = why(r#"level = "raid0", chunk = "64K""#, READ_64K);
    assert!(matches!(alone.bottleneck, Bottleneck::Latency { .. }));
}

#[test]
fn an_adapter_that_holds_completions_back_is_a_change_where_it_matters() {
    let mut model = model("6.1");
    let host = model.profiles.hosts.get_mut("test-host").unwrap();
    let adapter = AdapterProfile {
        outstanding_min: 3,
        delay_ns: 100_000,
        delay_ns_range: None,
        command_ns: 0,
    };
    host.adapter.insert(ADAPTER_DEFAULT.to_owned(), adapter);
    let effect = |depth: u32| {
        let load = format!(
            "pattern = \"randread\"\nblock_size = \"4K\"\ndepth = {depth}\nengine = \"libaio\""
        );
        let cell = cell(r#"level = "raid0", chunk = "64K""#, &load);
        let prediction = Prediction::new(&model, &cell, 0, &mut NeverCancel).unwrap();
        let effects = effects(&model, &cell, &prediction, 0, &mut NeverCancel).unwrap();
        let mut found = effects.into_iter();
        let cause = Cause::Adapter;
        found.find(|effect| effect.change == Change::TwiceAsFast { cause })
    };
    assert!(effect(4).unwrap().is_better());
    assert!(effect(1).is_none(), "one command never waits");
}

#[test]
fn every_change_is_simulated_and_the_best_is_first() {
    let model = model("4.1");
    let cell = cell(
        r#"level = "raid10", chunk = "32K", bitmap = "internal""#,
        READ_64K,
    );
    let prediction = Prediction::new(&model, &cell, 0, &mut NeverCancel).unwrap();
    let effects = effects(&model, &cell, &prediction, 0, &mut NeverCancel).unwrap();
    assert!(effects.is_sorted_by(|one, other| one.ratio.value >= other.ratio.value));
    let of = |change: &Change| effects.iter().find(|effect| effect.change == *change);
    let larger = Change::Chunk {
        chunk_bytes: stripewise_units::Bytes::new(64 << 10),
    };
    assert!(!of(&larger).unwrap().is_better(), "one disk instead of two");
    assert!(of(&Change::Depth { depth: 4 }).unwrap().is_better());
    assert!(of(&Change::NoBitmap).is_none(), "reads do not wait for it");
    // The effect equals a direct prediction of the changed cell.
    let mut direct = cell.clone();
    direct.stack.array.as_mut().unwrap().chunk_bytes = Some(stripewise_units::Bytes::new(64 << 10));
    let direct = Prediction::new(&model, &direct, 0, &mut NeverCancel).unwrap();
    let key = "bandwidth_bytes_per_s";
    assert_eq!(
        direct.estimates[key],
        of(&larger).unwrap().bandwidth_bytes_per_s
    );
}
