//! The rules of every version since 3.10, as a golden file: each line is a version and the rules
//! that differ from the line before. A change of the tables shows there, and nothing else does.

use expect_test::expect_file;
use stripewise_study::kernel::KernelVersion;

use super::policy;
use crate::array::parity::ParityPolicy;
use crate::array::resync::ResyncPolicy;

/// Versions inside of series: before and after a change that was carried back, and kernels that
/// were looked at.
const PATCHES: &[(u16, u16, &[u16])] = &[
    (4, 1, &[52]),
    (5, 10, &[79, 80, 89]),
    (5, 14, &[18, 19]),
    (5, 15, &[2, 3, 135]),
    (6, 1, &[20, 27, 28, 38, 39, 52, 53, 191, 192]),
    (6, 4, &[3, 4, 15, 16]),
    (6, 5, &[2, 3]),
];

fn versions() -> Vec<KernelVersion> {
    let last_minor = [(3, 10, 19), (4, 0, 20), (5, 0, 19), (6, 0, 19), (7, 0, 1)];
    let minors = last_minor
        .into_iter()
        .flat_map(|(major, first, last)| (first..=last).map(move |minor| (major, minor)));
    let all = minors.flat_map(|(major, minor)| {
        let patches = PATCHES
            .iter()
            .filter(move |(one, other, _)| (*one, *other) == (major, minor))
            .flat_map(|(_, _, patches)| *patches);
        std::iter::once(&0)
            .chain(patches)
            .map(move |patch| KernelVersion::new(major, minor, *patch))
    });
    all.collect()
}

/// Returns the fields of a flat struct as `{:?}` writes them.
fn fields(debug: &str, prefix: &str) -> Vec<String> {
    let (_, inside) = debug.split_once(" { ").unwrap();
    let inside = inside.strip_suffix(" }").unwrap();
    inside
        .split(", ")
        .map(|field| format!("{prefix}{field}"))
        .collect()
}

fn rules(version: KernelVersion) -> Vec<String> {
    let mut all = fields(&format!("{:?}", policy(version)), "");
    all.extend(fields(
        &format!("{:?}", ParityPolicy::of(version)),
        "parity_",
    ));
    all.extend(fields(
        &format!("{:?}", ResyncPolicy::of(version)),
        "resync_",
    ));
    all
}

#[test]
fn rules_of_every_version() {
    let mut lines = String::new();
    let mut before = Vec::new();
    for version in versions() {
        let now = rules(version);
        let changed = now.iter().filter(|rule| !before.contains(*rule));
        let changed: Vec<&str> = changed.map(String::as_str).collect();
        lines.push_str(format!("{version}  {}", changed.join("  ")).trim_end());
        lines.push('\n');
        before = now;
    }
    expect_file!["../tests/kernel_rules.txt"].assert_eq(&lines);
}
