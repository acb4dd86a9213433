//! Three small trees for each rule: one that fails, one that passes, one without a fact.
//!
//! The failure: a check of a host said `pass` for everything that it had no permission to read.
use std::collections::BTreeSet;
use std::path::Path;

use stripewise_check::reason;
use stripewise_check::redact::redact;
use stripewise_check::sources::{COLLATIONS, LVS, PARTITIONS, PV_SIZES, SHOW_VARIABLES, THIN};
use stripewise_check::tree as files;
use stripewise_check::{
    CheckReport, CommandResult, Outcome, Rule, RuleResult, Snapshot, Stat, Text, collect, rules,
};
use stripewise_machine::Root;
use stripewise_message::Argument;
use toml_edit::{DocumentMut, Item, TableLike};

use crate::english::english;

fn rule_file(rule: &Rule) -> DocumentMut {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("trees/{}.toml", rule.id));
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse()
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Calls back with each key and text of a table.
fn each(part: &dyn TableLike, table: &str, mut add: impl FnMut(&str, &str)) {
    let Some(table) = part.get(table).and_then(Item::as_table_like) else {
        return;
    };
    for (key, value) in table.iter() {
        add(key, value.as_str().unwrap());
    }
}

fn stat(text: &str) -> Stat {
    let words: Vec<&str> = text.split(' ').collect();
    Stat {
        mode: u32::from_str_radix(words[0], 8).unwrap(),
        uid: words[1].parse().unwrap(),
        gid: words[2].parse().unwrap(),
        size_bytes: words[3].parse().unwrap(),
        modified_unix_s: words[4].parse().unwrap(),
    }
}

fn line(name: &str) -> String {
    match name {
        "LVS" => LVS,
        "PARTITIONS" => PARTITIONS,
        "PV_SIZES" => PV_SIZES,
        "THIN" => THIN,
        "SHOW_VARIABLES" => SHOW_VARIABLES,
        "COLLATIONS" => COLLATIONS,
        name => name,
    }
    .to_owned()
}

fn ran(output: &str) -> CommandResult {
    CommandResult {
        exit: Some(0),
        output: output.to_owned(),
        error: None,
    }
}

fn fill(snapshot: &mut Snapshot, part: &dyn TableLike) {
    each(part, "files", |path, text| {
        snapshot.files.insert(path.to_owned(), text.to_owned());
    });
    each(part, "stats", |path, text| {
        snapshot.stats.insert(path.to_owned(), stat(text));
    });
    each(part, "commands", |name, output| {
        snapshot.commands.insert(line(name), ran(output));
    });
    let mut earlier = Snapshot::default();
    each(part, "earlier", |name, output| {
        earlier.commands.insert(line(name), ran(output));
    });
    each(part, "earlier_files", |path, text| {
        earlier.files.insert(path.to_owned(), text.to_owned());
    });
    earlier.is_complete = !earlier.files.is_empty();
    if !earlier.commands.is_empty() || earlier.is_complete {
        snapshot.earlier = Some(Box::new(earlier));
    }
    if let Some(seconds) = part.get("taken_unix_s").and_then(Item::as_integer) {
        snapshot.taken_unix_s = Some(seconds);
    }
    let refused = part.get("refused").and_then(Item::as_array);
    for path in refused.into_iter().flatten() {
        let path = path.as_str().unwrap();
        snapshot.files.remove(path);
        snapshot
            .missing
            .insert(path.to_owned(), "permission denied".to_owned());
    }
}

/// Returns a tree of a rule: what all trees have, and its own part; `None` without that part.
fn tree(file: &DocumentMut, part: &str) -> Option<Snapshot> {
    let mut snapshot = Snapshot {
        is_complete: true,
        ..Snapshot::default()
    };
    if let Some(all) = file.get("all").and_then(Item::as_table_like) {
        fill(&mut snapshot, all);
    }
    fill(&mut snapshot, file.get(part)?.as_table_like()?);
    Some(snapshot)
}

/// What programs say in the trees of rules.
const SAID: [&str; 0] = [];

fn check(rule: &'static Rule, part: &str, expected: Outcome) -> bool {
    let file = rule_file(rule);
    // A failing tree may need no more than what all trees have.
    let Some(snapshot) = tree(&file, part) else {
        return false;
    };
    let result = RuleResult::of(rule, &snapshot);
    assert_eq!(result.outcome, expected, "{} {part}: {result:?}", rule.id);
    let text = |key: &str| Some(file.get(part)?.get(key)?.as_str()?.to_owned());
    // Each value is cleaned by itself: that is as much as the whole sentence would be.
    for found in result.failed.iter().chain(&result.noted) {
        let words = english(found);
        assert_eq!(redact(&words).trim_end(), words, "{}", rule.id);
    }
    if let Some(finding) = text("finding") {
        let mut found = result.failed.iter().chain(&result.noted);
        assert!(
            found.any(|one| english(one).contains(&finding)),
            "{} {part}: {result:?}",
            rule.id
        );
    }
    for missing in &result.missing {
        let is_ours = matches!(reason(&missing.why), Argument::Message(_));
        let is_known = SAID.iter().any(|said| missing.why.contains(said));
        assert!(
            is_ours || is_known,
            "{}: no German for `{}`",
            rule.id,
            missing.why
        );
    }
    if let Some(fact) = text("missing") {
        let mut missing = result.missing.iter();
        assert!(
            missing.any(|one| one.fact.contains(&fact)),
            "{} {part}: {result:?}",
            rule.id
        );
    }
    let wanted = file[part].get("settings").and_then(Item::as_array);
    if let Some(wanted) = wanted {
        let settings = (rule.settings.unwrap())(&snapshot).unwrap();
        let settings: Vec<String> = settings
            .iter()
            .map(|one| format!("{}={}", one.path, one.value))
            .collect();
        let wanted: Vec<&str> = wanted.iter().map(|one| one.as_str().unwrap()).collect();
        assert_eq!(settings, wanted, "{}", rule.id);
    }
    true
}

#[test]
fn every_rule_fails_passes_and_is_not_run_where_it_should_be() {
    for rule in rules::all() {
        let fails = check(rule, "fail", Outcome::Fail);
        let notes = check(rule, "info", Outcome::Info);
        assert!(fails || notes, "{}: no tree that finds something", rule.id);
        assert!(
            check(rule, "pass", Outcome::Pass),
            "{}: no passing tree",
            rule.id
        );
        assert!(
            check(rule, "missing", Outcome::NotRun),
            "{}: no tree without a fact",
            rule.id
        );
    }
}

/// Writes the files of a tree as a host has them, and reads them as `check --root` does; what files
/// of a test cannot have (owners, commands, boot code) is taken from the tree.
fn from_disk(snapshot: &Snapshot) -> Snapshot {
    const TOPS: [&str; 9] = [
        "boot", "dev", "etc", "lib", "proc", "run", "sys", "usr", "var",
    ];
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if !path.is_dir() {
            std::fs::write(path, text).unwrap();
        }
    };
    TOPS.iter().for_each(|top| write(&format!("{top}/x"), ""));
    let files = snapshot.files.iter();
    files.for_each(|(path, text)| write(path, text));
    // The longest first, so that directories are there when their own turn comes.
    let stats = snapshot.stats.keys().rev();
    stats
        .filter(|path| !snapshot.files.contains_key(*path))
        .for_each(|path| write(path, ""));
    let mut read = collect::read_tree(&Root(folder.path().to_owned()));
    for (path, text) in &snapshot.files {
        if path.starts_with("/dev/") {
            read.files.insert(path.clone(), text.clone());
        }
    }
    read.stats.clone_from(&snapshot.stats);
    read.missing.clone_from(&snapshot.missing);
    read.commands.clone_from(&snapshot.commands);
    read.earlier.clone_from(&snapshot.earlier);
    read.taken_unix_s = snapshot.taken_unix_s;
    read
}

/// Writes a tree as `collect` does, and reads that.
fn through_collect(snapshot: &Snapshot) -> Snapshot {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("facts");
    files::write_folder(snapshot, &to).unwrap();
    let earlier = snapshot.earlier.clone();
    Snapshot {
        earlier,
        ..files::read(&to).unwrap()
    }
}

/// The failure: `fastcgi_pass` ends in `pass`, so its value was removed as a secret before the rule
/// read it, and the rule passed.
#[test]
fn what_every_rule_finds_is_found_on_disk_and_in_what_collect_writes() {
    for rule in rules::all() {
        let file = rule_file(rule);
        for (part, expected) in [("fail", Outcome::Fail), ("info", Outcome::Info)] {
            let Some(whole) = tree(&file, part) else {
                continue;
            };
            let disk = from_disk(&whole);
            for (way, facts) in [
                ("collect", through_collect(&whole)),
                ("disk, collect", through_collect(&disk)),
                ("disk", disk),
            ] {
                let result = RuleResult::of(rule, &facts);
                assert_eq!(result.outcome, expected, "{} {way}: {result:?}", rule.id);
                assert_eq!(
                    (result.failed, result.noted),
                    {
                        let direct = RuleResult::of(rule, &whole);
                        (direct.failed, direct.noted)
                    },
                    "{} {way}",
                    rule.id
                );
            }
        }
    }
}

#[test]
fn every_tree_belongs_to_a_rule_and_names_are_unique() {
    let names: Vec<&str> = rules::all().map(|rule| rule.id).collect();
    let unique: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), unique.len());
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("trees")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            unique.contains(name.strip_suffix(".toml").unwrap()),
            "{name}"
        );
    }
}

#[test]
fn every_rule_has_all_its_texts() {
    for rule in rules::all() {
        let texts = Text::ALL.map(|text| english(&rule.text(text)));
        let texts = texts.iter().map(String::as_str);
        for text in texts.chain([rule.source]) {
            assert!(text.len() > 3, "{}: {text}", rule.id);
        }
        let is_name =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
        assert!(rule.id.chars().all(is_name), "{}", rule.id);
    }
}

/// Nothing is passed because it could not be read.
#[test]
fn nothing_passes_on_a_tree_that_nobody_could_read() {
    let mut snapshot = Snapshot {
        is_complete: true,
        ..Snapshot::default()
    };
    for top in [
        "/boot", "/dev", "/etc", "/lib", "/proc", "/run", "/sys", "/usr", "/var",
    ] {
        snapshot
            .missing
            .insert(top.to_owned(), "permission denied".to_owned());
    }
    for snapshot in [snapshot, Snapshot::default()] {
        let report = CheckReport::of(&snapshot);
        let passed: Vec<&str> = report
            .results
            .iter()
            .filter(|result| result.outcome != Outcome::NotRun)
            .map(|result| result.id)
            .collect();
        assert_eq!(passed, Vec::<&str>::new());
        assert_eq!(report.summary.not_run, rules::all().count());
    }
}

/// Each fact that a passing tree has is taken away in turn: the rule must not pass for the worse.
#[test]
fn a_rule_without_one_of_its_facts_never_finds_more() {
    for rule in rules::all() {
        let file = rule_file(rule);
        let whole = tree(&file, "pass").unwrap();
        for path in whole.files.keys() {
            let mut less = whole.clone();
            less.files.remove(path);
            less.missing
                .insert(path.clone(), "permission denied".to_owned());
            let judged = Outcome::of(&(rule.judge)(&less));
            assert!(
                matches!(judged, Outcome::Pass | Outcome::NotRun),
                "{} without {path}: {judged:?}",
                rule.id
            );
        }
    }
}

/// The files of a disk that is not booted have no `/proc`, and errors all the same.
#[test]
fn what_one_source_tells_is_found_where_another_is_missing() {
    for (rule, path, text, missing) in [
        (
            "mnt.nobarrier",
            "/etc/fstab",
            "LABEL=d /srv ext4 nobarrier 0 2\n",
            "/proc/mounts",
        ),
        (
            "grub.elevator-stale",
            "/etc/default/grub",
            "GRUB_CMDLINE_LINUX=elevator=noop\n",
            "/proc/cmdline",
        ),
    ] {
        let mut snapshot = Snapshot::default();
        snapshot.files.insert(path.to_owned(), text.to_owned());
        snapshot
            .missing
            .insert(missing.to_owned(), "not there".to_owned());
        let judged = (rules::named(rule).unwrap().judge)(&snapshot);
        assert_eq!(Outcome::of(&judged), Outcome::Fail, "{judged:?}");
    }
}

#[test]
fn the_four_counts_are_all_rules() {
    let rule = rules::named("md.degraded").unwrap();
    let report = CheckReport::of(&tree(&rule_file(rule), "fail").unwrap());
    let counts = report.summary;
    assert_eq!(counts.fail, 1);
    assert_eq!(
        counts.pass + counts.fail + counts.info + counts.not_run,
        rules::all().count()
    );
    assert_eq!(report.results.len(), rules::all().count());
}
