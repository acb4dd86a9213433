//! The list of profiles. The failure: the list left out a profile that studies could name, and one
//! broken profile hid the others.

use std::fs;
use std::path::Path;

use expect_test::expect;
use stripewise_profiles::profile_file::device_from_toml;
use stripewise_profiles::shipped;

use crate::support::{Bench, at, with};

const TEST_SSD: &str = include_str!("../data/profiles/devices/test-ssd.toml");

/// Puts a profile called `name` into a folder, with the lines `also`.
fn put(bench: &Bench, folder: &str, name: &str, also: &str) {
    fs::create_dir_all(bench.path(folder)).unwrap();
    let renamed = TEST_SSD.replace("name = \"test-ssd\"", &format!("name = \"{name}\"\n{also}"));
    bench.write(&format!("{folder}/{name}.toml"), &renamed);
}

#[test]
fn own_profiles_are_listed_among_the_shipped_ones_with_their_paths() {
    let Some(bench) = Bench::new() else { return };
    put(&bench, "mine", "fast-ssd", "basis = \"measured\"");
    put(&bench, "study/devices", "near-ssd", "");
    // The first place that has a name wins.
    put(&bench, "mine/devices", "sata-ssd", "basis = \"data_sheet\"");
    let options = [
        "profiles",
        "--profiles",
        "mine",
        "--study",
        "study/question.toml",
    ];
    let listed = bench.finish(with(bench.command(), options));
    assert_eq!(listed.code, Some(0), "{}", listed.transcript());
    let own: Vec<&str> = listed
        .stdout
        .lines()
        .filter(|line| line.contains("study/") || line.contains("mine/"))
        .collect();
    expect![[r#"
        fast-ssd              500 GB  measured    mine/fast-ssd.toml      SATA SSD for
        near-ssd              500 GB  not stated  study/devic…r-ssd.toml  SATA SSD for
        sata-ssd              500 GB  data sheet  mine/device…a-ssd.toml  SATA SSD for"#]]
    .assert_eq(&own.join("\n"));

    let document = bench.json(with(with(bench.command(), options), ["--json"]));
    assert_eq!(at(&document, "/schema"), 1);
    let profiles = at(&document, "/profiles").as_array().unwrap();
    let names = |kind: &str| -> Vec<&str> {
        let of_kind = profiles
            .iter()
            .filter(|profile| at(profile, "/kind") == kind);
        of_kind
            .map(|profile| at(profile, "/name").as_str().unwrap())
            .collect()
    };
    let shipped = shipped::DEVICES.iter().map(|shipped| shipped.name);
    let mut devices: Vec<&str> = shipped.chain(["fast-ssd", "near-ssd"]).collect();
    devices.sort_unstable();
    assert_eq!(names("device"), devices);
    let hosts: Vec<&str> = shipped::HOSTS.iter().map(|shipped| shipped.name).collect();
    assert_eq!(names("host"), hosts);
    let own = profiles
        .iter()
        .find(|profile| at(profile, "/name") == "sata-ssd");
    assert_eq!(at(own.unwrap(), "/place"), "named");
}

#[test]
fn a_shipped_profile_states_its_basis_and_is_printed_unchanged() {
    let Some(bench) = Bench::new() else { return };
    for shipped in shipped::DEVICES {
        let profile = device_from_toml(shipped.file, shipped.text).unwrap();
        assert!(profile.basis.is_some(), "{}", shipped.name);
    }
    let done = bench.finish(with(bench.command(), ["profiles", "hdd-7200"]));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../devices/hdd-7200.toml");
    assert_eq!(done.stdout, fs::read_to_string(file).unwrap());
    expect!["device profile `hdd-7200`, shipped as devices/hdd-7200.toml:\n"]
        .assert_eq(&done.stderr);

    put(&bench, "mine/devices", "default", "");
    let both = ["profiles", "default", "--profiles", "mine", "--json"];
    let document = bench.json(with(bench.command(), both));
    assert_eq!(
        at(&document, "/device/profile/capacity_bytes"),
        500_107_862_016_u64
    );
    assert_eq!(at(&document, "/host/profile/basis"), "class");
}

#[test]
fn an_unreadable_profile_is_named_beside_the_others() {
    let Some(bench) = Bench::new() else { return };
    put(&bench, "mine", "odd-ssd", "basis = \"hearsay\"");
    let listed = bench.finish(with(bench.command(), ["profiles", "--profiles", "mine"]));
    assert_eq!(listed.code, Some(2), "{}", listed.transcript());
    assert!(listed.stdout.contains("\nsata-ssd "), "{}", listed.stdout);
    assert!(!listed.stdout.contains("odd-ssd"), "{}", listed.stdout);
    expect![[r#"
        error: failed to read device profile `odd-ssd`: mine/odd-ssd.toml:4:9: unknown variant `hearsay`, expected one of `measured`, `data_sheet`, `class`

        hint: docs/profiles.md describes every key
    "#]]
    .assert_eq(&listed.stderr);

    let unknown = bench.finish(with(bench.command(), ["profiles", "no-such-disk"]));
    expect![[r#"
        exit 2
        --- stderr
        error: there is no profile `no-such-disk`

        hint: `stripewise profiles` lists all
    "#]]
    .assert_eq(&unknown.transcript());
}
