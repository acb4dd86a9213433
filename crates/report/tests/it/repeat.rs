//! The command "Run it again" of a run in the lab once named neither its cache nor its profiles, so it
//! was refused, or took another guest.

use std::collections::BTreeMap;

use stripewise_fixtures_runs::{document_of, run_of};
use stripewise_format::studies::ShippedStudy;
use stripewise_profiles::lookup::{FoundProfile, Texts};
use stripewise_report::document::Document;
use stripewise_results::world::{CutPlace, CutsSpec, LabSpec, WorldSpec};
use stripewise_study::cut::{CutMoment, CutOptions, Survival};
use stripewise_study::guest_clock::Clock;

const STUDY: &str = r#"
[stack.one]
devices = { sata-ssd = 1 }
[workload]
pattern = "randread"
block_size = "4K"
size = "1G"
"#;

#[test]
fn the_command_that_repeats_a_run_in_the_lab_has_its_guest_and_profiles() {
    let mut document = document_of(&run_of(1, "disks", STUDY, Vec::new()));
    document.facts.kernel = Some("6.12.95-cloud-amd64".to_owned());
    let own = FoundProfile {
        file: "/srv/my disks/devices/own.toml".to_owned(),
        text: String::new(),
    };
    let lab = LabSpec {
        cache: "/srv/guests".into(),
        kernel: "6.12.95-cloud-amd64@sid".to_owned(),
        kernels: BTreeMap::new(),
        clock: Clock::Virtual,
        memory_mib: 768,
        disk_size_bytes: None,
        profiles: Texts {
            devices: BTreeMap::from([("own".to_owned(), own)]),
            hosts: BTreeMap::new(),
        },
    };
    document.run.measured_in = Some(WorldSpec::Lab(lab.clone()));
    assert_eq!(
        document.repeat_command("").unwrap(),
        "stripewise show 1 --study > run-1.toml && stripewise run run-1.toml --world lab --kernel 6.12.95-cloud-amd64@sid --memory 768M --cache /srv/guests --profiles '/srv/my disks' --seed 42"
    );
    // `run` does not cut the power.
    document.run.measured_in = Some(WorldSpec::Cuts(CutsSpec {
        place: CutPlace::Guests(lab),
        how: CutOptions {
            survival: Survival::default(),
            moment: CutMoment::Load,
            images: 1,
            without_member: None,
            force: false,
        },
        count: 6,
        program_files: Vec::new(),
        model_run: None,
    }));
    assert_eq!(document.repeat_command(""), None);
}

/// "To repeat it: `stripewise run job1.toml`" for a run of `job1.fio`, and `'randread-4K, read-64K.toml'` for
/// one of words: no such file existed.
#[test]
fn the_command_that_repeats_a_run_has_its_study() {
    let shipped = ShippedStudy::named("block-size").unwrap();
    let target = |mut document: Document| {
        document.run.measured_in = Some(WorldSpec::Files {
            target: "/srv/test".into(),
        });
        document.repeat_command(" --store my.db").unwrap()
    };
    let document = document_of(&run_of(2, "block-size", shipped.text, Vec::new()));
    assert_eq!(
        target(document),
        "stripewise run block-size --target /srv/test --seed 42 --store my.db"
    );
    // Another study of that name, and one of words.
    for name in ["block-size", "randread-4K, read-64K"] {
        assert_eq!(
            target(document_of(&run_of(3, name, STUDY, Vec::new()))),
            "stripewise show 3 --study --store my.db > run-3.toml && stripewise run run-3.toml --target /srv/test --seed 42 --store my.db"
        );
    }
}
