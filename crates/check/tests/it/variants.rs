//! Kinds of wrong verdicts, each in several forms: `variants.toml`; and layouts of distributions:
//! `distributions.toml`.
use std::collections::BTreeMap;

use stripewise_check::sources::LVS;
use stripewise_check::{CommandResult, Outcome, RuleResult, Snapshot, Stat, collect, rules, tree};
use stripewise_machine::Root;
use toml_edit::{DocumentMut, Item, Table};

use crate::english::english;

const VARIANTS: &str = include_str!("../variants.toml");
/// Trees of distributions other than Debian, and faults to plant.
const DISTRIBUTIONS: &str = include_str!("../distributions.toml");
/// The fewest forms of a kind.
const EACH_MIN: usize = 3;
/// Directories that a host has, so that what is not in them is absent.
const TOPS: [&str; 9] = [
    "boot", "dev", "etc", "lib", "proc", "run", "sys", "usr", "var",
];

fn texts(entry: &Table, key: &str) -> Vec<(String, String)> {
    let table = entry.get(key).and_then(Item::as_table_like);
    let pairs = table.into_iter().flat_map(|table| {
        let pairs: Vec<_> = table
            .iter()
            .map(|(key, value)| (key.to_owned(), value.as_str().unwrap().to_owned()))
            .collect();
        pairs
    });
    pairs.collect()
}

/// Writes the files to a disk, and reads them as `check --root` does.
fn facts(entry: &Table) -> Snapshot {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    TOPS.iter().for_each(|top| write(&format!("{top}/x"), ""));
    if entry.get("family").is_some() {
        let id = entry["family"].as_str().unwrap();
        write("/etc/os-release", &format!("ID={id}\n"));
    }
    for (path, text) in texts(entry, "files") {
        write(&path, &text);
    }
    let mut facts = collect::read_tree(&Root(folder.path().to_owned()));
    for (path, words) in texts(entry, "stats") {
        let words: Vec<u32> = words
            .split(' ')
            .map(|word| {
                u32::from_str_radix(word, if word.starts_with('0') { 8 } else { 10 }).unwrap()
            })
            .collect();
        let stat = Stat {
            mode: words[0],
            uid: words[1],
            gid: words[2],
            size_bytes: 1,
            modified_unix_s: 1,
        };
        facts.stats.insert(path, stat);
    }
    for (line, output) in texts(entry, "commands") {
        let line = if line == "LVS" { LVS.to_owned() } else { line };
        let ran = CommandResult {
            exit: Some(0),
            output,
            error: None,
        };
        facts.commands.insert(line, ran);
    }
    facts.taken_unix_s = Some(1_764_288_000);
    facts
}

#[test]
fn each_form_of_a_kind_has_the_right_verdict() {
    let document: DocumentMut = VARIANTS.parse().unwrap();
    let (mut kinds, mut faults) = (BTreeMap::<String, usize>::new(), Vec::new());
    for entry in document["variant"].as_array_of_tables().unwrap() {
        let text = |key: &str| entry.get(key).and_then(Item::as_str).unwrap_or_default();
        let rule = rules::named(text("rule")).unwrap();
        let result = RuleResult::of(rule, &facts(entry));
        let expected = match text("outcome") {
            "fail" => Outcome::Fail,
            "info" => Outcome::Info,
            "not run" => Outcome::NotRun,
            "pass" => Outcome::Pass,
            other => panic!("{other}"),
        };
        let facts = result.missing.iter().map(|missing| missing.fact.clone());
        let found = result.failed.iter().chain(&result.noted);
        let mut found = found.map(english).chain(facts);
        let names = text("names");
        let is_named = names.is_empty() || found.any(|found| found.contains(names));
        if result.outcome != expected || !is_named {
            let (failed, noted, missing) = (&result.failed, &result.noted, &result.missing);
            faults.push(format!(
                "{}: {} ({}): {:?} {failed:?} {noted:?} {missing:?}\n",
                text("kind"),
                text("what"),
                rule.id,
                result.outcome
            ));
        }
        *kinds.entry(text("kind").to_owned()).or_default() += 1;
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.concat()
    );
    for (kind, count) in kinds {
        assert!(count >= EACH_MIN, "{kind}: {count}");
    }
}

/// Lays an entry over another: files that both have are those of the second.
fn over(below: &Table, above: &Table) -> Table {
    let mut both = below.clone();
    for key in ["files", "stats"] {
        let pairs: Vec<_> = texts(below, key)
            .into_iter()
            .chain(texts(above, key))
            .collect();
        let mut table = toml_edit::InlineTable::new();
        for (path, text) in pairs {
            table.insert(&path, text.into());
        }
        both.insert(key, toml_edit::value(table));
    }
    both
}

fn words<'a>(entry: &'a Table, key: &str) -> impl Iterator<Item = &'a str> {
    let found = entry[key].as_array().unwrap().iter();
    found.map(|word| word.as_str().unwrap())
}

#[test]
fn each_layout_is_judged_where_its_files_stand() {
    let document: DocumentMut = DISTRIBUTIONS.parse().unwrap();
    let trees = document["tree"].as_array_of_tables().unwrap();
    assert_eq!(trees.len(), 7);
    for entry in trees {
        let name = entry["name"].as_str().unwrap();
        assert!(words(entry, "sources").count() > 0, "{name}");
        let facts_of = facts(entry);
        for rule in rules::all() {
            let result = RuleResult::of(rule, &facts_of);
            let is_found = matches!(result.outcome, Outcome::Fail | Outcome::Info);
            assert!(!is_found, "{name}: {result:?}");
        }
        for (key, expected) in [("pass", Outcome::Pass), ("not_run", Outcome::NotRun)] {
            for rule in words(entry, key) {
                let result = RuleResult::of(rules::named(rule).unwrap(), &facts_of);
                assert_eq!(result.outcome, expected, "{name}: {result:?}");
            }
        }
        let faults = entry["fault"].as_array_of_tables().unwrap();
        for fault in faults {
            let rule = rules::named(fault["rule"].as_str().unwrap()).unwrap();
            let result = RuleResult::of(rule, &facts(&over(entry, fault)));
            let names = fault["names"].as_str().unwrap();
            let is_named = result
                .failed
                .iter()
                .any(|found| english(found).contains(names));
            assert!(is_named, "{name}: {result:?}");
        }
    }
}

#[test]
fn a_folder_without_a_fact_is_nothing_to_judge() {
    let folder = tempfile::tempdir().unwrap();
    let told = |facts: Result<Snapshot, tree::TreeError>| facts.unwrap_err().to_string();
    let why = told(tree::read(folder.path()));
    assert!(why.contains("nothing to judge"), "{why}");
    for path in ["notes.txt", "home/a/etc/fstab", "etc/hostname"] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x\n").unwrap();
    }
    let why = told(tree::read(folder.path()));
    assert!(why.contains("nothing to judge"), "{why}");
    std::fs::create_dir_all(folder.path().join("sos_commands/md")).unwrap();
    assert!(tree::read(folder.path()).is_err());
    std::fs::write(folder.path().join("etc/fstab"), "").unwrap();
    assert!(tree::read(folder.path()).is_ok());
}
