//! Two snapshots of one host: what an upgrade or a move changed, and which rules turned.

use std::collections::BTreeSet;

use serde::Serialize;
use stripewise_message::Message;

use crate::facts::name_at;
use crate::pattern::matches;
use crate::performance::key_of;
use crate::reasons::reason;
use crate::redact::redact_of;
use crate::report::{CheckReport, SCHEMA};
use crate::rule::{Outcome, Severity};
use crate::snapshot::Snapshot;

/// Facts that change by themselves: counters and commands about the present.
const RESTLESS: [&str; 8] = [
    "/proc/meminfo",
    "/proc/mdstat",
    "/proc/swaps",
    "/sys/block/*/md/mismatch_cnt",
    "/sys/block/*/md/array_state",
    "/sys/block/*/stat",
    "/proc/*/cmdline",
    "/run/*",
];

/// How a fact changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It has another content.
    Changed,
    /// It could not be read on one side.
    Unknown,
}

/// A fact that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The path.
    pub fact: String,
    /// How.
    pub kind: Kind,
    /// The first line that only the old content has.
    pub before: Option<String>,
    /// The first line that only the new content has.
    pub after: Option<String>,
    /// The key of the fact, if it bears on speed: `stripewise explain` says by how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<&'static str>,
}

impl Change {
    /// Returns whether the fact sets the processors' clock: it changes every measurement, and comes
    /// before all others.
    pub fn is_about_clock(&self) -> bool {
        self.fact.starts_with(CLOCK)
    }
}

/// Where settings of the clock are; those of each policy, a directory with the same files each.
const CLOCK: &str = "/sys/devices/system/cpu/";
const POLICY: &str = "/sys/devices/system/cpu/cpufreq/*/*";

/// A rule with another outcome than before.
#[derive(Debug, Clone, Serialize)]
pub struct ChangedOutcome {
    /// The rule.
    pub id: &'static str,
    /// Its title.
    pub title: Message,
    /// How bad it is when it fails.
    pub severity: Severity,
    /// The outcome before.
    pub before: Outcome,
    /// The outcome after.
    pub after: Outcome,
    /// What failed or is missing after.
    pub findings: Vec<Message>,
}

/// What is different.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The version of this document.
    pub schema: u32,
    /// The facts that changed, those about the processors' clock first, the governor before them.
    pub changes: Vec<Change>,
    /// The rules that turned, the worst first.
    pub turned: Vec<ChangedOutcome>,
    /// The report of the later snapshot.
    pub after: CheckReport,
}

impl Comparison {
    /// Returns whether a rule fails that did not fail before, and is at least this severe.
    pub fn turned_bad(&self, severity: Severity) -> bool {
        let is_bad =
            |turned: &ChangedOutcome| turned.after == Outcome::Fail && turned.severity >= severity;
        self.turned.iter().any(is_bad)
    }
}

/// Compares two snapshots. Rules about what grew see the earlier one.
pub fn compare(before: &Snapshot, after: &Snapshot) -> Comparison {
    let old = CheckReport::of(before);
    let later = Snapshot {
        earlier: Some(Box::new(before.clone())),
        ..after.clone()
    };
    let new = CheckReport::of(&later);
    let mut turned = Vec::new();
    for result in &new.results {
        let was = old.results.iter().find(|other| other.id == result.id);
        let was = was.map_or(Outcome::NotRun, |other| other.outcome);
        if was != result.outcome {
            let missing = result.missing.iter();
            let missing = missing.map(|missing| {
                Message::new("check-found")
                    .name("place", &missing.fact)
                    .with("what", reason(&missing.why))
            });
            turned.push(ChangedOutcome {
                id: result.id,
                title: result.title.clone(),
                severity: result.severity,
                before: was,
                after: result.outcome,
                findings: result
                    .failed
                    .iter()
                    .chain(&result.noted)
                    .cloned()
                    .chain(missing)
                    .collect(),
            });
        }
    }
    Comparison {
        schema: SCHEMA,
        changes: changes(before, after),
        turned,
        after: new,
    }
}

fn changes(before: &Snapshot, after: &Snapshot) -> Vec<Change> {
    let paths: BTreeSet<&String> = before.files.keys().chain(after.files.keys()).collect();
    let mut found: Vec<Change> = paths
        .into_iter()
        .filter(|path| !RESTLESS.iter().any(|pattern| matches(pattern, path)))
        .filter_map(|path| change(before, after, path))
        .collect();
    let stats: BTreeSet<&String> = before.stats.keys().chain(after.stats.keys()).collect();
    for path in stats
        .into_iter()
        .filter(|path| !before.files.contains_key(*path) && !after.files.contains_key(*path))
    {
        let describe = |snapshot: &Snapshot| {
            snapshot
                .stats
                .get(path)
                .map(|stat| format!("mode {:04o}, {}:{}", stat.mode, stat.uid, stat.gid))
        };
        found.extend(of_values(
            path,
            before,
            after,
            describe(before),
            describe(after),
        ));
    }
    clock_first(found)
}

/// Returns the changes with those of the clock first, and those that all policies have once.
fn clock_first(changes: Vec<Change>) -> Vec<Change> {
    let rank = |change: &Change| match change.is_about_clock() {
        true if name_at(&change.fact, 6) == "scaling_governor" => 0,
        true => 1,
        false => 2,
    };
    let mut found: Vec<(Change, usize)> = Vec::new();
    for change in changes {
        // Policies are sorted, so the file and not the place tells which belong together.
        let is_same = |other: &Change| {
            matches(POLICY, &other.fact)
                && name_at(&change.fact, 6) == name_at(&other.fact, 6)
                && change.kind == other.kind
                && (&change.before, &change.after) == (&other.before, &other.after)
        };
        // Only a policy is compared with the others: a host can have thousands of changes.
        let same = match matches(POLICY, &change.fact) {
            true => found.iter_mut().find(|(other, _)| is_same(other)),
            false => None,
        };
        match same {
            Some((_, count)) => *count += 1,
            None => found.push((change, 1)),
        }
    }
    found.sort_by_key(|(change, _)| rank(change));
    let merged = found.into_iter().map(|(mut change, count)| {
        if count > 1 {
            change.fact = format!("{} (in {count} policies)", change.fact);
        }
        change
    });
    merged.collect()
}

fn change(before: &Snapshot, after: &Snapshot, path: &str) -> Option<Change> {
    let (old, new) = (before.files.get(path), after.files.get(path));
    if old == new {
        return None;
    }
    // What is shown has no secrets; that one changed is seen nevertheless.
    let clean = |text: Option<&String>| text.map(|text| redact_of(path, text));
    let (old, new) = (clean(old), clean(new));
    let only = |text: Option<&String>, other: Option<&String>| {
        let lines: BTreeSet<&str> = other
            .map(String::as_str)
            .unwrap_or_default()
            .lines()
            .map(str::trim)
            .collect();
        let text = text?;
        let line = text
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty() && !lines.contains(line));
        Some(line.unwrap_or_default().to_owned())
    };
    let (old, new) = (old.as_ref(), new.as_ref());
    of_values(path, before, after, only(old, new), only(new, old))
}

fn of_values(
    path: &str,
    before: &Snapshot,
    after: &Snapshot,
    old: Option<String>,
    new: Option<String>,
) -> Option<Change> {
    let is_unknown = |snapshot: &Snapshot| snapshot.exists(path).is_err();
    let kind = match (&old, &new) {
        (None, None) => return None,
        (None, Some(_)) if is_unknown(before) => Kind::Unknown,
        (Some(_), None) if is_unknown(after) => Kind::Unknown,
        (None, Some(_)) => Kind::Added,
        (Some(_), None) => Kind::Removed,
        (Some(old), Some(new)) if old == new && !old.is_empty() => return None,
        (Some(_), Some(_)) => Kind::Changed,
    };
    Some(Change {
        fact: path.to_owned(),
        speed: key_of(path),
        kind,
        before: old,
        after: new,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(policies: usize, governor: &str) -> Snapshot {
        let mut facts = Snapshot::of_files([("/etc/fstab", governor)]);
        let mut add = |path: String, text: &str| facts.files.insert(path, text.to_owned());
        for policy in 0..policies {
            let file =
                |name: &str| format!("/sys/devices/system/cpu/cpufreq/policy{policy}/{name}");
            add(file("scaling_governor"), governor);
            add(file("scaling_driver"), "intel_pstate");
            add(file("energy_performance_preference"), governor);
        }
        facts
    }

    /// A changed governor stood behind all else, once for each of 64 CPUs.
    #[test]
    fn a_changed_governor_comes_first_and_once() {
        let compared = compare(&host(64, "performance"), &host(64, "powersave"));
        let facts: Vec<&str> = compared
            .changes
            .iter()
            .map(|one| one.fact.as_str())
            .collect();
        let policy = "/sys/devices/system/cpu/cpufreq/policy0";
        let expected = [
            format!("{policy}/scaling_governor (in 64 policies)"),
            format!("{policy}/energy_performance_preference (in 64 policies)"),
            "/etc/fstab".to_owned(),
        ];
        assert_eq!(facts, expected);
        assert_eq!(compared.changes[0].before.as_deref(), Some("performance"));
        let turned: Vec<&str> = compared.turned.iter().map(|turned| turned.id).collect();
        assert_eq!(turned, ["cpu.clock"]);
        assert_eq!(compared.turned[0].findings.len(), 2);
    }

    #[test]
    fn policies_that_changed_otherwise_are_not_merged() {
        let mut after = host(3, "powersave");
        let path = "/sys/devices/system/cpu/cpufreq/policy1/scaling_governor";
        after
            .files
            .insert(path.to_owned(), "performance".to_owned());
        let compared = compare(&host(3, "performance"), &after);
        assert!(compared.changes[0].fact.ends_with("(in 2 policies)"));
        assert_eq!(compared.changes[0].after.as_deref(), Some("powersave"));
    }
}
