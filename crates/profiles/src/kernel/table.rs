//! The table of kernel rules, and the selection of its entries for a version.
//!
//! An entry sets one rule from a mainline version on, and from one version on in each stable series
//! that backported the change: `since = ["6.6", "6.1.53", "6.4.16", "6.5.3"]`.
//!
//! - An entry *applies* to version v if v is not older than its mainline version, or if v is in the
//!   series of one of its stable versions (same major and minor number) and not older than it.
//! - Of the entries of one rule that apply to v, the one with the newest mainline version *holds*.
//!   So a kernel of 6.1 that carries a change of 6.6 follows it, and 6.2 does not.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, de};
use stripewise_units::kernel::KernelVersion;
use toml_edit::{DocumentMut, Item, Table};

/// The value of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Value {
    Flag(bool),
    Number(i64),
    Word(String),
}

/// One rule from some versions on, and its source.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The field of [`Policy`](super::Policy) that it sets: `raid0_split`, `parity.lowest_first`.
    pub rule: String,
    value: Value,
    /// The first mainline version, then the first version of each stable series that backported the
    /// change.
    #[serde(deserialize_with = "versions")]
    pub since: Vec<KernelVersion>,
    /// The kernel's commit or function, and where it was read.
    pub source: String,
    /// The change, in words.
    pub change: String,
    /// Whether no part of the simulation reads the rule.
    #[serde(default)]
    pub not_yet_read: bool,
}

/// The table in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    entry: Vec<Entry>,
}

fn versions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<KernelVersion>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    if texts.is_empty() {
        return Err(de::Error::invalid_length(0, &"a mainline version"));
    }
    let version = |text: &String| {
        let read = KernelVersion::parse(text);
        read.ok_or_else(|| de::Error::custom(format!("`{text}` is not a kernel version")))
    };
    texts.iter().map(version).collect()
}

impl Entry {
    /// Returns the first mainline version with it.
    pub fn mainline(&self) -> KernelVersion {
        self.since[0]
    }

    fn applies_to(&self, version: KernelVersion) -> bool {
        let carries =
            |first: &KernelVersion| first.series() == version.series() && *first <= version;
        self.mainline() <= version || self.since[1..].iter().any(carries)
    }
}

/// Reads a table.
///
/// # Errors
/// If the text is not TOML, or not in this format.
pub(super) fn read(text: &str) -> Result<Vec<Entry>, toml_edit::de::Error> {
    toml_edit::de::from_str(text).map(|written: RulesFile| written.entry)
}

/// Returns the entries that hold for `version`, at most one per rule, in the order of the table.
pub(super) fn holding(entries: &[Entry], version: KernelVersion) -> Vec<&Entry> {
    let applying = || entries.iter().filter(|entry| entry.applies_to(version));
    let is_newest = |entry: &&Entry| {
        applying().all(|other| other.rule != entry.rule || other.mainline() <= entry.mainline())
    };
    applying().filter(is_newest).collect()
}

/// Returns the versions at which the set of entries that hold may change, oldest first: the first
/// versions of each entry, and for each stable version the start of the next series, which need not
/// have the change.
pub(super) fn borders(entries: &[Entry]) -> BTreeSet<KernelVersion> {
    let next_series = |first: &KernelVersion| {
        let next = KernelVersion::new(first.major, first.minor + 1, 0);
        match next.impossible() {
            Some(_) => KernelVersion::new(first.major + 1, 0, 0),
            None => next,
        }
    };
    let all = entries.iter().flat_map(|entry| {
        let ends = entry.since[1..].iter().map(next_series);
        entry.since.iter().copied().chain(ends)
    });
    all.collect()
}

/// Returns the rules as one document: `parity.lowest_first` is `lowest_first` in the table
/// `parity`.
pub(super) fn document(entries: &[&Entry]) -> DocumentMut {
    let mut document = DocumentMut::new();
    for entry in entries {
        let value = match &entry.value {
            Value::Flag(flag) => toml_edit::value(*flag),
            Value::Number(number) => toml_edit::value(*number),
            Value::Word(word) => toml_edit::value(word),
        };
        match entry.rule.split_once('.') {
            Some((part, rule)) => {
                document.entry(part).or_insert(Item::Table(Table::new()))[rule] = value;
            }
            None => document[&entry.rule] = value,
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `split` came with 6.6 and was backported to 6.1 and 6.5; `plug` changed twice, and the
    /// second change reached a kernel before the mainline version of the first.
    const TABLE: &str = r#"
        [[entry]]
        rule = "split"
        value = "late"
        since = ["3.10"]
        source = "a function"
        change = "splits late"
        [[entry]]
        rule = "split"
        value = "first"
        since = ["6.6", "6.1.53", "6.5.3"]
        source = "a commit"
        change = "splits first"
        [[entry]]
        rule = "part.plug"
        value = 16
        since = ["4.18"]
        source = "a function"
        change = "16 of them"
        not_yet_read = true
        [[entry]]
        rule = "part.plug"
        value = 32
        since = ["5.2", "4.19.40", "4.14.7"]
        source = "a commit"
        change = "32 of them"
        not_yet_read = true
    "#;

    fn rules(text: &str) -> String {
        let entries = read(TABLE).unwrap();
        let document = document(&holding(&entries, KernelVersion::parse(text).unwrap()));
        document.to_string().replace('\n', " ").trim().to_owned()
    }

    #[test]
    fn a_change_holds_from_its_mainline_version_on() {
        assert_eq!(rules("3.9.11"), "");
        assert_eq!(rules("3.10"), r#"split = "late""#);
        assert_eq!(rules("4.18"), "split = \"late\"  [part] plug = 16");
        assert_eq!(rules("5.2"), "split = \"late\"  [part] plug = 32");
        assert_eq!(rules("6.6"), "split = \"first\"  [part] plug = 32");
        assert_eq!(rules("7.0"), "split = \"first\"  [part] plug = 32");
    }

    #[test]
    fn a_backported_change_holds_in_that_series_only() {
        let splits = |text: &str| rules(text).split_once("  ").unwrap().0.to_owned();
        for (version, value) in [
            ("6.1.52", "late"),
            ("6.1.53", "first"),
            ("6.1.192", "first"),
            ("6.2", "late"),
            ("6.4.99", "late"),
            ("6.5.2", "late"),
            ("6.5.3", "first"),
            ("6.5.99", "first"),
        ] {
            assert_eq!(splits(version), format!("split = \"{value}\""), "{version}");
        }
    }

    #[test]
    fn of_the_changes_that_apply_the_newest_in_mainline_holds() {
        let plug = |text: &str| {
            rules(text)
                .split_once("plug = ")
                .map(|(_, rest)| rest.to_owned())
        };
        assert_eq!(plug("4.14.6"), None);
        // The later change alone.
        assert_eq!(plug("4.14.7").as_deref(), Some("32"));
        assert_eq!(plug("4.15").as_deref(), None);
        assert_eq!(plug("4.19.39").as_deref(), Some("16"));
        // Both.
        assert_eq!(plug("4.19.40").as_deref(), Some("32"));
        assert_eq!(plug("4.20").as_deref(), Some("16"));
    }

    #[test]
    fn nothing_changes_between_two_borders() {
        let entries = read(TABLE).unwrap();
        let borders: Vec<String> = borders(&entries).iter().map(ToString::to_string).collect();
        assert_eq!(
            borders.join(" "),
            "3.10 4.14.7 4.15 4.18 4.19.40 4.20 5.2 6.1.53 6.2 6.5.3 6.6"
        );
    }

    #[test]
    fn entries_in_another_format_are_refused() {
        let entry = |keys: &str| {
            read(&format!(
                "[[entry]]\nrule = 'a'\nvalue = 1\nsource = 'b'\nchange = 'c'\n{keys}"
            ))
            .is_ok()
        };
        assert!(entry("since = ['6.6', '6.1.53']"));
        assert!(!entry("since = []"));
        assert!(!entry("since = ['newest']"));
        assert!(!entry("since = ['6.6']\nuntil = '6.7'"));
        assert!(!entry("since = ['6.6']\nnot_yet_read = 'yes'"));
        assert!(!entry(""));
    }
}
