//! The failures: docs/profiles-devices.md explains a key that the reader refuses, omits one that it
//! accepts, or shows an example that does not work.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use stripewise_profiles::device::{DeviceProfile, Ratings};
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::profile_file::{
    device_from_toml, device_to_toml, host_from_toml, host_to_toml,
};
use toml_edit::{Item, Table};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).expect("the document exists")
}

fn device(file: &str, text: &str) -> DeviceProfile {
    match device_from_toml(file, text) {
        Ok(profile) => profile,
        Err(error) => panic!("{error}"),
    }
}

fn host(file: &str, text: &str) -> HostProfile {
    match host_from_toml(file, text) {
        Ok(profile) => profile,
        Err(error) => panic!("{error}"),
    }
}

/// Returns the TOML blocks of the documents: a study, a device, a host.
fn examples() -> [String; 3] {
    let document = document("profiles.md") + &document("profiles-hosts.md");
    let mut examples = Vec::new();
    for block in document.split("\n```toml\n").skip(1) {
        let (example, _) = block.split_once("\n```\n").expect("a block ends");
        examples.push(format!("{example}\n"));
    }
    match <[String; 3]>::try_from(examples) {
        Ok(examples) => examples,
        Err(examples) => panic!("{} examples", examples.len()),
    }
}

/// Returns the keys that the tables of a document explain.
fn documented(name: &str) -> BTreeSet<String> {
    let document = document(name);
    let rows = document.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let keys = cells.flat_map(|cell| cell.split(", ").map(|key| key.trim().trim_matches('`')));
    keys.map(str::to_owned).collect()
}

/// Adds the keys of `table` and of all tables in it; the entries of the tables `any_name` are names, not keys.
fn keys(table: &Table, any_name: &[&str], into: &mut BTreeSet<String>) {
    for (key, item) in table {
        into.insert(key.to_owned());
        let below = match item {
            Item::Table(below) => vec![below.clone()],
            Item::ArrayOfTables(tables) => tables.iter().cloned().collect(),
            Item::Value(value) => {
                value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .fold(Vec::new(), |mut tables, value| {
                        let table = value.as_inline_table().cloned();
                        tables.extend(table.map(toml_edit::InlineTable::into_table));
                        tables
                    })
            }
            Item::None => Vec::new(),
        };
        for table in below {
            if any_name.contains(&key) {
                for (_, item) in &table {
                    keys(item.as_table().expect("a named table"), any_name, into);
                }
            } else {
                keys(&table, any_name, into);
            }
        }
    }
}

fn keys_of(text: &str, any_name: &[&str], into: &mut BTreeSet<String>) {
    let document: toml_edit::DocumentMut = text.parse().expect("the written text is TOML");
    keys(document.as_table(), any_name, into);
}

#[test]
fn every_key_of_a_device_is_explained_and_no_other() {
    let [_, example, _] = examples();
    let mut known = BTreeSet::from(["calibrated", "disk", "flash"].map(str::to_owned));
    let shipped = |name: &str| {
        let file = root().join("devices").join(name);
        device(name, &fs::read_to_string(file).expect("it is shipped"))
    };
    let mut measured = device("example", &example);
    for point in &mut measured.points {
        // Only `calibrate` writes it.
        point.model_bandwidth_bytes_per_s = Some(1.0);
    }
    measured.host = Some("mine".to_owned());
    // No shipped device reports it.
    measured.optimal_io_bytes = Some(4096);
    measured.ratings = Ratings {
        tbw_bytes: Some(1),
        afr_percent: Some(1.0),
        ure_bits: Some(1_000_000_000),
    };
    for profile in [
        measured,
        shipped("hgst-7k4000.toml"),
        shipped("flash-sata.toml"),
        shipped("nvme-ssd.toml"),
    ] {
        let text = device_to_toml(&profile).expect("a profile can be written");
        keys_of(&text, &[], &mut known);
    }
    // Tables with a heading of their own.
    for heading in ["read", "write", "cache", "drain"] {
        assert!(known.remove(heading), "{heading}");
        let name = format!("[calibrated.{heading}]");
        assert!(document("profiles-devices.md").contains(&name), "{name}");
    }
    assert_eq!(documented("profiles-devices.md"), known);
}

#[test]
fn every_key_of_a_host_is_explained_and_no_other() {
    let [_, _, example] = examples();
    let text = host_to_toml(&host("example", &example)).expect("a profile can be written");
    let mut known = BTreeSet::new();
    keys_of(&text, &["governor", "adapter"], &mut known);
    assert_eq!(documented("profiles-hosts.md"), known);
}

#[test]
fn the_study_in_the_document_is_valid() {
    let [study, _, _] = examples();
    if let Err(error) = stripewise_format::parse("example", &study) {
        panic!("{error}");
    }
}
