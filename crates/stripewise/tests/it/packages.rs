//! Automatic rules for dependencies: a licence that we may redistribute, one source, and no second
//! version of a package without a reason.
//!
//! The failure: an update added a package under a licence that nobody had read, and a second
//! version of an existing package. It was noticed when the program was shipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::skip_unless_all;

/// Packages with two versions or more, and the one that needs the older version.
const TWICE: [(&str, &str); 5] = [
    ("cpufeatures", "sha2"),
    (
        "getrandom",
        "ahash below parquet, and its optional alternative",
    ),
    ("miniz_oxide", "png"),
    ("r-efi", "the getrandom of older packages, and on no Linux"),
    ("syn", "macros that have not moved to version 3"),
];

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The workspace, and the fuzzers' own.
fn workspaces() -> [PathBuf; 2] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    [root.clone(), root.join("fuzz")]
}

/// Returns the triple of this machine.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.unwrap().to_owned()
}

/// Returns the packages that a build on this machine can need; `None`, and a remark, if they were
/// not downloaded (`cargo fetch`).
fn packages(workspace: &Path) -> Option<Vec<Value>> {
    let cargo = std::env::var("CARGO").unwrap_or("cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--locked", "--offline", "--format-version=1"])
        .args(["--filter-platform", &host()])
        .current_dir(workspace)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        assert!(errors.contains("--offline"), "{errors}");
        skip_unless_all("licences of packages", &errors);
        return None;
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    Some(metadata["packages"].as_array().unwrap().clone())
}

/// Returns the licences that deny.toml allows.
fn licences() -> Vec<&'static str> {
    let list = include_str!("../../../../deny.toml").split("\nallow = [");
    let list = list.last().unwrap().split("\n]").next().unwrap();
    list.split('"').skip(1).step_by(2).collect()
}

/// Returns whether we can meet a licence expression. Parentheses stand only around a whole side of
/// an `AND`, and are not nested.
fn is_ours(expression: &str) -> bool {
    let is_one = |licence: &str| {
        let licence = licence.trim().trim_matches(['(', ')']);
        licences().contains(&licence)
    };
    let old_style = expression.replace('/', " OR ");
    if old_style.contains('(') || !old_style.contains(" OR ") {
        let mut sides = old_style.split(" AND ");
        return sides.all(|side| side.split(" OR ").any(is_one));
    }
    // Without parentheses, `AND` binds closer.
    let mut ways = old_style.split(" OR ");
    ways.any(|way| way.split(" AND ").all(is_one))
}

#[test]
fn licences_are_read_from_the_file_of_cargo_deny() {
    let licences = licences();
    assert_eq!(licences.first(), Some(&"Apache-2.0"));
    assert_eq!(licences.last(), Some(&"Zlib"));
}

#[test]
fn licence_expressions_are_evaluated_correctly() {
    for good in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "MIT AND BSD-3-Clause",
        "(GPL-3.0 OR MIT) AND Unicode-3.0",
        "GPL-3.0 AND ISC OR MIT",
    ] {
        assert!(is_ours(good), "{good}");
    }
    for bad in [
        "GPL-3.0",
        "GPL-3.0 OR LGPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR Apache-2.0) AND GPL-3.0",
        "MIT AND GPL-3.0 OR ISC",
        "Apache-2.0 WITH LLVM-exception",
        "",
    ] {
        assert!(!is_ours(bad), "{bad}");
    }
}

#[test]
fn every_package_has_a_licence_that_we_may_redistribute() {
    for workspace in workspaces() {
        let Some(packages) = packages(&workspace) else {
            continue;
        };
        let of_others = packages
            .iter()
            .filter(|package| !package["source"].is_null());
        let bad: Vec<String> = of_others
            .filter(|package| !is_ours(package["license"].as_str().unwrap_or_default()))
            .map(|package| format!("{}: {}", package["id"], package["license"]))
            .collect();
        assert!(packages.len() > 50, "packages were not found");
        assert!(bad.is_empty(), "licences to be read:\n{}", bad.join("\n"));
    }
}

/// Returns name, version and source of each locked package, of whatever platform.
fn locked(workspace: &Path) -> Vec<[String; 3]> {
    let text = std::fs::read_to_string(workspace.join("Cargo.lock")).unwrap();
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    text.split("[[package]]\n")
        .skip(1)
        .map(|package| ["name = ", "version = ", "source = "].map(|key| value(package, key)))
        .collect()
}

#[test]
fn packages_come_from_the_registry_or_from_this_tree() {
    for workspace in workspaces() {
        for [name, version, source] in locked(&workspace) {
            let is_this_tree = source.is_empty() && name.starts_with("stripewise");
            assert!(
                is_this_tree || source == REGISTRY,
                "{name} {version} is from `{source}`"
            );
        }
    }
}

#[test]
fn every_second_version_of_a_package_has_a_reason() {
    let known: BTreeSet<String> = TWICE.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut twice = BTreeSet::new();
    for workspace in workspaces() {
        let mut versions: BTreeMap<String, u32> = BTreeMap::new();
        for [name, ..] in locked(&workspace) {
            *versions.entry(name).or_default() += 1;
        }
        twice.extend(
            versions
                .into_iter()
                .filter(|(_, count)| *count > 1)
                .map(|(name, _)| name),
        );
    }
    assert_eq!(
        twice, known,
        "`cargo tree --duplicates` shows what needs which version"
    );
}

/// The Debian package: what it installs exists, and its version is the program's.
#[test]
fn the_debian_package_has_its_files_and_this_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let manifest: toml_edit::DocumentMut = read("crates/stripewise/Cargo.toml").parse().unwrap();
    let deb = &manifest["package"]["metadata"]["deb"];
    let assets = deb["assets"].as_array().unwrap();
    let sources = assets.iter().map(|asset| {
        let asset = asset.as_array().unwrap();
        asset.get(0).unwrap().as_str().unwrap()
    });
    // `make deb` writes those below target.
    let (made, kept): (Vec<&str>, Vec<&str>) = sources.partition(|path| path.contains("target/"));
    for path in made.iter().filter_map(|path| path.strip_prefix("../../")) {
        let folder = path.trim_end_matches("/*.1");
        assert!(
            read("packaging/made-files.sh").contains(folder),
            "make deb: {path}"
        );
    }
    for path in kept.iter().map(|path| path.trim_start_matches("../../")) {
        let folder = root.join(path.split('*').next().unwrap());
        assert!(folder.exists(), "{path}");
    }
    let version = format!("stripewise ({}-1) ", env!("CARGO_PKG_VERSION"));
    let changelog = read("packaging/changelog");
    assert!(changelog.starts_with(&version), "{changelog}");
    // Without a maintainer script nothing starts or enables the timer.
    for key in ["maintainer-scripts", "systemd-units"] {
        assert!(deb.get(key).is_none(), "{key}");
    }
}

/// The failure that this prevents: a metric is renamed, and panels are empty on somebody's wall.
/// `ci/dashboards.sh` (`make soak`) asks each query of a real Prometheus.
#[test]
fn dashboards_ask_for_metrics_that_are_exported() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let exported: String = ["run", "cuts"]
        .map(|name| root.join(format!("crates/export/tests/golden/{name}.prom")))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .concat();
    let exported: BTreeSet<&str> = exported
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .collect();
    let mut asked = 0;
    for entry in std::fs::read_dir(root.join("packaging/grafana")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let _: Value = serde_json::from_str(&text).unwrap();
        let not_of_a_name = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let names = (text.split(not_of_a_name)).filter(|word| word.starts_with("stripewise_"));
        for name in names {
            assert!(exported.contains(name), "{}: {name}", path.display());
            asked += 1;
        }
    }
    assert!(asked > 0);
}
