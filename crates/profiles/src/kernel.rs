//! The rules of md and the block layer in each kernel version, as data.
//!
//! All rules of all kernels are entries of one table, `kernels/rules.toml` at the root of the
//! workspace. `table` selects the entries for a version, `rules` defines their values; together
//! they give the [`Policy`] of any version. Only this module compares versions; other code reads
//! the policy. A distribution's kernel may carry newer changes under an old number.

mod rules;
mod table;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use stripewise_message::{Argument, Message};
use stripewise_units::kernel::KernelVersion;

pub use rules::{
    ActiveRule, AmdDriver, ArrayRequestMax, ClockDelay, ClockPolicy, DeadlineNext, FlushRule,
    HardwareQueuesPlug, IntelDriver, MirrorWrites, ParityPolicy, ParityRequestMax, PlugCount,
    PlugFlushRequest, PlugMerge, PlugPolicy, Policy, Raid0Layout, Raid0Split, Raid1ReadBalance,
    Raid10ReadBalance, RawPlug, ReadAheadLimit, ReadAheadPolicy, ResyncPolicy, RmwLevel,
    SchedutilRule,
};
pub use table::Entry;

/// The whole table.
static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    table::read(include_str!("../../../kernels/rules.toml"))
        .expect("a test reads the shipped table")
});

/// Kernels with the same rules, oldest first.
static GENERATIONS: LazyLock<Vec<Generation>> = LazyLock::new(|| {
    let mut generations: Vec<Generation> = Vec::new();
    let mut before = Vec::new();
    for first in table::borders(&ENTRIES) {
        let holding = table::holding(&ENTRIES, first);
        let policy = policy_of(&holding);
        if generations.last().is_none_or(|last| last.policy != policy) {
            let changed = changes(&before, &holding);
            generations.push(Generation {
                first,
                changed,
                policy,
            });
            before = holding;
        }
    }
    generations
});

/// Returns all entries of the table: each rule with its versions and its source.
pub fn entries() -> &'static [Entry] {
    &ENTRIES
}

/// Returns the entries that hold for the newer of two kernels and not for the older one: the rules that
/// changed between them.
pub fn changed_rules(one: KernelVersion, other: KernelVersion) -> Vec<&'static Entry> {
    let older = table::holding(&ENTRIES, one.min(other).max(oldest()));
    let newer = table::holding(&ENTRIES, one.max(other).max(oldest()));
    let is_new = |entry: &&Entry| !older.contains(entry);
    newer.into_iter().filter(is_new).collect()
}

/// Returns the rules of kernel `version`; for a kernel older than the oldest known one, the rules
/// of that one.
///
/// It is made from the table once for each version that is asked for, as the generations are many.
pub fn policy(version: KernelVersion) -> Policy {
    let version = version.max(oldest());
    let mut known = POLICIES.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= POLICIES_MAX {
        known.clear();
    }
    let made = || policy_of(&table::holding(&ENTRIES, version));
    known.entry(version).or_insert_with(made).clone()
}

/// The most kernels whose rules are kept: a study names few.
const POLICIES_MAX: usize = 64;

/// The rules of the kernels that were asked for.
static POLICIES: Mutex<BTreeMap<KernelVersion, Policy>> = Mutex::new(BTreeMap::new());

/// Returns the oldest kernel with known rules.
fn oldest() -> KernelVersion {
    let all = ENTRIES.iter().flat_map(|entry| &entry.since);
    all.min().copied().expect("the table has entries")
}

/// Returns the rules that these entries set.
fn policy_of(holding: &[&Entry]) -> Policy {
    let document = table::document(holding);
    toml_edit::de::from_document(document)
        .expect("a test checks that the shipped table sets every rule")
}

/// Returns the differences of the rules `after` from those `before`, in words; none for the oldest
/// kernel, which has no predecessor.
fn changes(before: &[&Entry], after: &[&Entry]) -> Vec<String> {
    if before.is_empty() {
        return Vec::new();
    }
    // If a stable series carried a change, the next series began without it.
    let gone = before.iter().filter(|entry| {
        let mut newer = after.iter().filter(|other| other.rule == entry.rule);
        !newer.any(|other| other.mainline() >= entry.mainline())
    });
    let new = after.iter().filter(|entry| {
        let mut older = before.iter().filter(|other| other.rule == entry.rule);
        !older.any(|other| other.mainline() >= entry.mainline())
    });
    let gone = gone.map(|entry| format!("not yet: {}", change(entry)));
    new.map(|entry| change(entry)).chain(gone).collect()
}

fn change(entry: &Entry) -> String {
    match entry.not_yet_read {
        true => format!("{} (not simulated)", entry.change),
        false => entry.change.clone(),
    }
}

/// Returns the newest kernel with a known rule. Later kernels are simulated by its rules.
fn newest() -> KernelVersion {
    let mainline = ENTRIES.iter().map(Entry::mainline);
    mainline.max().expect("the table has entries")
}

/// Returns the kernel whose rules apply to `version`: the version itself, or the newest or the
/// oldest known one.
pub fn rules_of(version: KernelVersion) -> KernelVersion {
    let (oldest, newest) = (oldest(), newest());
    if version.series() > newest.series() {
        newest
    } else if version < oldest {
        oldest
    } else {
        version
    }
}

/// Returns the kernel whose rules apply to `version`, for people: `6.12`, or
/// `7.2, the newest known, for 7.99`.
pub fn rules_in_words(version: KernelVersion) -> Argument {
    let rules = rules_of(version);
    let message = match version.cmp(&rules) {
        Ordering::Equal => return Argument::Name(rules.to_string()),
        Ordering::Greater => Message::new("kernel-rules-newest"),
        Ordering::Less => Message::new("kernel-rules-oldest"),
    };
    message.name("rules", rules).name("kernel", version).into()
}

/// Kernels with equal rules, and their changes from the kernels before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// The first version.
    pub first: KernelVersion,
    /// Its changes, in words; none for the oldest one.
    pub changed: Vec<String>,
    policy: Policy,
}

/// Returns the generations, oldest first.
pub fn generations() -> &'static [Generation] {
    &GENERATIONS
}

/// Returns the generation of `version`: consecutive kernels with its rules.
pub fn generation(version: KernelVersion) -> &'static Generation {
    &GENERATIONS[generation_index(version)]
}

fn generation_index(version: KernelVersion) -> usize {
    let newer = GENERATIONS.partition_point(|generation| generation.first <= version);
    newer.saturating_sub(1)
}

#[cfg(test)]
#[path = "kernel/kernel_tests.rs"]
mod tests;
