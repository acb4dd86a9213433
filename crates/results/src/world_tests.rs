//! Options that name no world, another world than the run's, or none that can be read.

use serde_json::json;
use stripewise_profiles::lookup::FoundProfile;

use super::*;

fn taken(origin: &str, options: &Value) -> (Result<Option<WorldSpec>, String>, Value) {
    let mut rest = options.clone();
    let world = take_world(&RunOrigin::from(origin), &mut rest);
    (world.map_err(|error| error.to_string()), rest)
}

#[test]
fn options_without_a_world_stay_as_they_are() {
    let files = json!({ "target": "/srv", "files": ["a.json"] });
    for (origin, options) in [
        ("fio-import", &files),
        ("check", &Value::Null),
        ("metal", &Value::Null),
        ("metal", &json!({})),
        ("metal", &json!([1])),
        ("model", &json!({ "budget_ns": null })),
        ("another program", &files),
    ] {
        let expected = (Ok(None), options.clone());
        assert_eq!(taken(origin, options), expected, "{origin}");
    }
}

#[test]
fn options_of_another_world_are_refused_and_stay() {
    let disks = json!({ "disk_size_bytes": 1, "profiles": { "devices": {}, "hosts": {} } });
    let how = json!({ "survival": "kept", "images": 1 });
    let with_disks = json!({ "how": how, "count": 1, "without_guests": disks });
    for (origin, options, why) in [
        (
            "model",
            json!({ "target": "/srv" }),
            "the run is from `model`, but its options are those of metal",
        ),
        (
            "lab",
            json!({ "cuts": { "how": how, "count": 1 } }),
            "the run is from `lab`, but its options are those of several worlds",
        ),
        (
            "lab",
            json!({ "cuts": with_disks, "target": "/srv" }),
            "the run is from `lab`, but its options are those of several worlds",
        ),
        (
            "metal",
            json!({ "world": { "kind": "moon" } }),
            "unknown variant `moon`",
        ),
        ("metal", json!({ "target": 7 }), "invalid type: integer `7`"),
    ] {
        let (world, rest) = taken(origin, &options);
        let error = world.unwrap_err();
        assert!(error.starts_with(why), "{error}");
        assert_eq!(rest, options);
    }
}

#[test]
fn a_world_reads_back_from_its_keys_and_from_its_value() {
    let world = WorldSpec::Cuts(CutsSpec {
        place: CutPlace::ThisMachine(ServedDisks {
            disk_size_bytes: Bytes::new(1 << 29),
            profiles: Texts::default(),
        }),
        how: CutOptions {
            survival: stripewise_study::cut::Survival::InOrder,
            moment: stripewise_study::cut::CutMoment::Quiet {
                after_ns: stripewise_units::Nanos::from_millis(5),
            },
            images: 2,
            without_member: Some(1),
            force: true,
        },
        count: 20,
        program_files: vec![stripewise_study::program::ConfirmedFile {
            path: "/srv/test".into(),
            sha256: "ab".to_owned(),
            bytes: 7,
        }],
        model_run: Some(RunId(3)),
    });
    let options = json!({ "budget_ns": 7 });
    let keys = with_keys(Some(&world), &options);
    let value = with_world(Some(&world), &options).unwrap();
    assert_ne!(keys, value);
    for stored in [keys, value] {
        assert_eq!(
            taken("metal", &stored),
            (Ok(Some(world.clone())), options.clone())
        );
    }
}

#[test]
fn every_origin_reads_back_from_its_name() {
    for name in [
        "metal",
        "model",
        "lab",
        "fio-import",
        "check",
        "site",
        "",
        "moon",
    ] {
        let origin = RunOrigin::from(name);
        assert_eq!(origin.as_str(), name);
        let is_known = !matches!(origin, RunOrigin::Other(_));
        assert_eq!(is_known, !["", "moon"].contains(&name));
    }
}

/// `run --continue` goes on with a run whose profile is named by another path.
#[test]
fn the_same_profiles_in_other_files_are_the_same_world() {
    let world = |file: &str, text: &str| {
        let found = FoundProfile {
            file: file.to_owned(),
            text: text.to_owned(),
        };
        WorldSpec::Model(ModelSpec {
            kernel: KernelVersion::new(6, 1, 0),
            host: "default".to_owned(),
            cores: None,
            profiles: Texts {
                devices: [("mine".to_owned(), found)].into(),
                ..Texts::default()
            },
        })
    };
    assert!(world("pr/mine.toml", "a = 1").is_like(&world("./pr/mine.toml", "a = 1")));
    assert!(!world("pr/mine.toml", "a = 1").is_like(&world("pr/mine.toml", "a = 2")));
}
