//! The pages of rules: docs/model/kernel-rules*.md. They are written from the table, so that a rule
//! that is added there is on its page, too.

use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect_file;

use super::super::{entries, table::Entry};

/// A page of rules: its file, its title, and the beginnings of the names of its rules. A rule is on
/// the first page that has it; the last page has the rest.
const PAGES: [(&str, &str, &[&str]); 5] = [
    (
        "kernel-rules-arrays.md",
        "RAID 0, RAID 1, RAID 10, flushes and rebuilds",
        &["raid", "mirror_", "md_", "safe_mode_", "resync."],
    ),
    (
        "kernel-rules-parity.md",
        "RAID 4, RAID 5 and RAID 6",
        &["parity."],
    ),
    (
        "kernel-rules-memory-and-clock.md",
        "read-ahead and the clock",
        &["read_ahead.", "clock."],
    ),
    (
        "kernel-rules-plugs.md",
        "plugs and I/O schedulers",
        &[
            "plug_",
            "raw_plug",
            "bios_have_plugs",
            "worker_",
            "deadline_",
        ],
    ),
    ("kernel-rules-block-layer.md", "bios and requests", &[""]),
];

const GENERATED: &str = "<!-- Generated from kernels/rules.toml: UPDATE_EXPECT=1 cargo test -p stripewise-profiles page -->\n";

/// Returns the index of the page of a rule.
fn page_of(rule: &str) -> usize {
    let mut beginnings = PAGES.iter().map(|(_, _, beginnings)| beginnings);
    let has = |beginnings: &&[&str]| beginnings.iter().any(|begin| rule.starts_with(begin));
    beginnings.position(has).expect("the last page has all")
}

/// Returns the entries of each rule, in the order of the table.
fn rules() -> Vec<&'static [Entry]> {
    let all = entries().chunk_by(|one, next| one.rule == next.rule);
    all.collect()
}

/// Returns text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .replace('<', "&lt;")
        .replace('*', "\\*")
}

fn versions(entry: &Entry) -> String {
    let versions = entry.since.iter().map(ToString::to_string);
    versions.collect::<Vec<_>>().join(", ")
}

/// Returns the page with this index.
fn page(index: usize) -> String {
    let (_, title, _) = PAGES[index];
    let mut page = format!(
        "# Kernel rules: {title}\n\n{GENERATED}\n[kernel-rules.md](kernel-rules.md) says how to read this.\n"
    );
    for rule in rules()
        .iter()
        .filter(|rule| page_of(&rule[0].rule) == index)
    {
        let Entry {
            rule: name,
            not_yet_read,
            ..
        } = &rule[0];
        let note = if *not_yet_read {
            "Known, but not simulated.\n\n"
        } else {
            ""
        };
        write!(
            page,
            "\n## {name}\n\n{note}| since | from then on | read in |\n|---|---|---|\n"
        )
        .unwrap();
        for entry in *rule {
            let (change, source) = (cell(&entry.change), cell(&entry.source));
            writeln!(page, "| {} | {change} | {source} |", versions(entry)).unwrap();
        }
    }
    page
}

/// Returns the page that lists all rules.
fn index() -> String {
    let mut page = format!(
        "# What each kernel does\n\n{GENERATED}\n\
        For a reader who asks what a kernel version does that another one does not, and where we read that.\n\n\
        Each rule of md and the block layer that depends on the kernel is in [`kernels/rules.toml`](../../kernels/rules.toml): {} entries of {} rules.\n\n\
        - *Since* is the first mainline version, then the first version of each stable series that the change was carried back to.\n\
        - An entry applies to a version that is not older than its mainline version, and to a stable kernel that is not older than the version listed for its series.\n\
        - If several entries of a rule apply, the one with the newest mainline version decides: 6.1.53 carries raid0's change of 6.6, and 6.2 does not.\n\
        - Kernels before 3.10 follow the rules of 3.10, and those after the newest entry follow that one.\n\
        - A distribution's kernel may carry newer changes under an old number.\n\n\
        `stripewise predict --kernel VERSION` and the key `kernel` of a study choose a version.\n",
        entries().len(),
        rules().len()
    );
    for (at, (file, title, _)) in PAGES.iter().enumerate() {
        write!(
            page,
            "\n## [{title}]({file})\n\n| rule | changed in |\n|---|---|\n"
        )
        .unwrap();
        for rule in rules().iter().filter(|rule| page_of(&rule[0].rule) == at) {
            let name = &rule[0].rule;
            let anchor = name.replace('.', "");
            let changed: Vec<String> = rule
                .iter()
                .map(|entry| entry.mainline().to_string())
                .collect();
            writeln!(
                page,
                "| [`{name}`]({file}#{anchor}) | {} |",
                changed.join(", ")
            )
            .unwrap();
        }
    }
    page
}

#[test]
fn the_pages_of_rules_are_those_of_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/model");
    expect_file![folder.join("kernel-rules.md")].assert_eq(&index());
    for (at, (file, ..)) in PAGES.iter().enumerate() {
        let page = page(at);
        assert!(page.contains("\n## "), "{file} has no rule");
        expect_file![folder.join(file)].assert_eq(&page);
    }
}
