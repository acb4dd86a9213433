//! Automatic rules for the arrows between our crates: what a change makes cargo build again.
//!
//! The failure: the crate of the sentences was below all others, so a comma in German rebuilt 24 of
//! 27 crates; and the crate that builds arrays compiled a database client, for one struct.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The most crates that are built again when a sentence changes.
const REBUILT_BY_A_SENTENCE_MAX: usize = 6;

/// Each of our crates with those of ours that it needs.
struct Crates(BTreeMap<String, BTreeSet<String>>);

impl Crates {
    /// Reads the manifests. Dependencies of tests count if `with_tests`.
    fn new(with_tests: bool) -> Self {
        let cargo = std::env::var("CARGO").unwrap_or("cargo".to_owned());
        let output = Command::new(cargo)
            .args(["metadata", "--no-deps", "--locked", "--offline"])
            .arg("--format-version=1")
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
        let is_ours = |needed: &&Value| needed["path"].is_string();
        let counts = |needed: &&Value| with_tests || needed["kind"] != "dev";
        let packages = metadata["packages"].as_array().unwrap().iter();
        let all = packages.map(|package| {
            let needed = package["dependencies"].as_array().unwrap().iter();
            let needed = needed.filter(is_ours).filter(counts);
            (name(package), needed.map(name).collect())
        });
        Self(all.collect())
    }

    /// Returns the crates that need `below`, directly or not.
    fn above(&self, below: &str) -> BTreeSet<&str> {
        assert!(self.0.contains_key(below), "there is no crate {below}");
        let mut found = BTreeSet::new();
        let mut pending = vec![below];
        while let Some(one) = pending.pop() {
            let needs = self.0.iter().filter(|(_, needed)| needed.contains(one));
            let new = needs.filter(|(name, _)| found.insert(name.as_str()));
            pending.extend(new.map(|(name, _)| name.as_str()).collect::<Vec<_>>());
        }
        found
    }
}

#[test]
fn a_sentence_rebuilds_few_crates() {
    let crates = Crates::new(false);
    let of_product = |crates: &Crates| {
        let mut above = crates.above("stripewise-catalogue");
        above.retain(|name| !name.starts_with("stripewise-fixtures"));
        above
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<BTreeSet<String>>()
    };
    let above = of_product(&crates);
    let rebuilt = above.len() + 1;
    assert!(rebuilt <= REBUILT_BY_A_SENTENCE_MAX, "{above:?}");
    assert!(crates.above("stripewise-message").len() > above.len());
    // The same holds for their tests: those of crates below compare ids and values.
    let with_tests = Crates::new(true);
    assert_eq!(of_product(&with_tests), above);
}

/// The failure: the study file's checks lay in the crate of the vocabulary, which 22 crates need.
#[test]
fn a_check_of_the_study_file_rebuilds_few_crates() {
    let crates = Crates::new(false);
    let above = crates.above("stripewise-format");
    assert!(
        above.len() < crates.above("stripewise-study").len() / 2,
        "{above:?}"
    );
    for name in ["stripewise-sim", "stripewise-metal", "stripewise-results"] {
        assert!(!above.contains(name), "{above:?}");
    }
}

#[test]
fn what_cuts_power_and_builds_stacks_needs_no_database() {
    let crates = Crates::new(false);
    let above = crates.above("stripewise-database");
    for name in ["stripewise-powercut", "stripewise-metal"] {
        assert!(!above.contains(name), "{above:?}");
    }
}

/// A program that carries what tests make, or a crate of ours that is published with it.
#[test]
fn only_tests_need_the_fixtures() {
    let (product, with_tests) = (Crates::new(false), Crates::new(true));
    for name in product.0.keys() {
        if name.starts_with("stripewise-fixtures") {
            let above = product.above(name);
            let is_ours = |name: &&str| name.starts_with("stripewise-fixtures");
            assert!(above.iter().all(is_ours), "{name}: {above:?}");
            assert!(!with_tests.above(name).is_empty(), "no test uses {name}");
        }
    }
    // All test programs wait for these: they stay low.
    let needed = &product.0["stripewise-fixtures"];
    let low = ["stripewise-format", "stripewise-study", "stripewise-units"];
    assert_eq!(needed.iter().collect::<Vec<_>>(), low);
}
