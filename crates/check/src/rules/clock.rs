//! The clock of the processors: what a governor means under its driver, and whether it changed.

use std::collections::BTreeMap;

use stripewise_machine::{CPUFREQ, Source};

use crate::facts::{arrays, disks, is_drive, is_virtual};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Fact, Missing, Snapshot};
use crate::stack::{ModelLink, Question, Stack, Variant, of_each, study_of_disk};

pub(super) const RULES: &[Rule] = &[CLOCK];

const CLOCK: Rule = Rule {
    id: "cpu.clock",
    title: "the processors' clock follows the load, or their governor changed",
    severity: Severity::Medium,
    reason: "`powersave` with intel_pstate or amd-pstate in active mode is the normal governor, and raises the clock with the load. Work that mostly waits for disks looks like little load, so an array is slower than under `performance`. A kernel upgrade can change the driver or the governor without a word.",
    source: "kernel Documentation/admin-guide/pm/intel_pstate.rst, Active Mode; docs/studies/governor.md",
    fix: "Measure with `performance`: write it to each /sys/devices/system/cpu/cpufreq/*/scaling_governor, and keep it with `cpufreq.default_governor=performance` on the kernel command line if it helps.",
    risk: "Power and heat.",
    undo: "Write the old word back, and remove the parameter.",
    proof: Some("stripewise run studies/governor.toml --world model"),
    judge: clock,
    cost: Some(cost),
    ..Rule::PLAIN
};

/// Drivers with governors of their own, whose `powersave` is not the lowest clock.
const ACTIVE: [&str; 2] = ["intel_pstate", "amd-pstate-epp"];

/// What sets the clock of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Clock<'a> {
    pub(super) governor: &'a str,
    pub(super) driver: &'a str,
    pub(super) preference: &'a str,
}

impl<'a> Clock<'a> {
    pub(super) fn read(facts: &'a Snapshot, policy: &str) -> Result<Self, Missing> {
        let file = |name: &str| format!("{CPUFREQ}/{policy}/{name}");
        let preference = facts.word(&file("energy_performance_preference"))?;
        Ok(Self {
            governor: facts.need_word(&file("scaling_governor"))?,
            driver: facts.need_word(&file("scaling_driver"))?,
            preference: preference.unwrap_or_default(),
        })
    }

    pub(super) fn is_active(&self) -> bool {
        ACTIVE.contains(&self.driver)
    }

    /// Returns how high a governor keeps the clock: 2 is always high, 0 is always low.
    pub(super) fn rank(&self) -> u8 {
        match self.governor {
            "performance" => 2,
            "powersave" if !self.is_active() => 0,
            _ => 1,
        }
    }

    fn in_words(&self) -> String {
        let preference = match self.preference {
            "" => String::new(),
            preference => format!(", energy preference {preference}"),
        };
        format!("{} of {}{preference}", self.governor, self.driver)
    }
}

/// Returns the policies: the CPUs that share a clock.
pub(super) fn policies(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    facts.names("/sys/devices/system/cpu/cpufreq/*/scaling_governor")
}

/// Returns what sets the clocks, each with the number of policies.
fn clocks(facts: &Snapshot) -> Result<BTreeMap<Clock<'_>, usize>, Missing> {
    let mut clocks = BTreeMap::new();
    for policy in policies(facts)? {
        *clocks.entry(Clock::read(facts, policy)?).or_insert(0) += 1;
    }
    Ok(clocks)
}

/// Returns all clocks in words: the policies are counted if they differ.
fn all_in_words(clocks: &BTreeMap<Clock<'_>, usize>) -> String {
    let words = clocks.iter().map(|(clock, count)| match clocks.len() {
        1 => clock.in_words(),
        _ => format!("{} ({count} policies)", clock.in_words()),
    });
    words.collect::<Vec<_>>().join("; ")
}

fn clock(facts: &Snapshot) -> Judged {
    let now = clocks(facts)?;
    let mut findings = Findings::default();
    if let Some(earlier) = facts.earlier.as_deref() {
        findings.add(clocks(earlier).map(|before| changed(&before, &now)));
    }
    let follows = |clock: &Clock<'_>| clock.is_active() && clock.rank() == 1;
    for (clock, count) in now.iter().filter(|(clock, _)| follows(clock)) {
        let policies = if *count == 1 { "policy" } else { "policies" };
        let words = clock.in_words();
        findings.add(Ok(Verdict::Note(format!("{count} {policies}: {words}"))));
    }
    Ok(findings)
}

/// Returns what changed, once for all CPUs; a lower clock is a failure.
fn changed(before: &BTreeMap<Clock<'_>, usize>, now: &BTreeMap<Clock<'_>, usize>) -> Verdict {
    // A CPU that was added changes counts only.
    if before.keys().eq(now.keys()) {
        return Verdict::Fine;
    }
    let least = |clocks: &BTreeMap<Clock<'_>, usize>| clocks.keys().map(Clock::rank).min();
    let (old, new) = (all_in_words(before), all_in_words(now));
    let words = match (before.is_empty(), now.is_empty()) {
        (true, _) => format!("the kernel sets the clock now: {new}"),
        (_, true) => format!("the kernel no longer sets the clock; before: {old}"),
        _ => format!("changed from {old} to {new}"),
    };
    let is_lower = matches!((least(before), least(now)), (Some(old), Some(new)) if new < old);
    match is_lower {
        true => Verdict::Fail(words),
        false => Verdict::Note(words),
    }
}

/// Asks what the clock costs on each array; on a host without arrays on its first disk, and on none
/// that a hypervisor makes.
fn cost(facts: &Snapshot, _found: &[String]) -> Vec<ModelLink> {
    const LOAD: &str = "randwrite:4K";
    let of_array = |stack: Stack| {
        let stack = stack.whole();
        stack.question(LOAD, at_clocks(&stack.study(LOAD, "", "")))
    };
    let of_disk = || -> Fact<Question> {
        for disk in disks(facts)? {
            if is_drive(disk) && !is_virtual(facts, disk)? {
                return Ok(Some(Question {
                    array: disk.to_owned(),
                    load: LOAD.to_owned(),
                    command: None,
                    variants: at_clocks(&study_of_disk(facts, disk, LOAD)?),
                }));
            }
        }
        Ok(None)
    };
    match arrays(facts) {
        Ok(arrays) if arrays.is_empty() => of_disk()
            .transpose()
            .map(ModelLink::of)
            .into_iter()
            .collect(),
        arrays => of_each(arrays, |_| true, |md| Ok(of_array(Stack::read(facts, md)?))),
    }
}

/// Returns a stack at the highest clock and at the lowest: an active driver chooses between them, by
/// rules that the model does not know. The host profile is one whose clock the kernel sets.
fn at_clocks(study: &str) -> Vec<Variant> {
    let variant = |(words, governor): (&str, &str)| Variant {
        words: words.to_owned(),
        study: format!(
            "host = \"i7-6700k-no-hwp\"\n{study}[conditions]\ngovernor = \"{governor}\"\n"
        ),
        is_degraded: false,
        iops: None,
    };
    let clocks = [
        (
            "with performance, at 4.2 GHz on host profile i7-6700k-no-hwp",
            "performance",
        ),
        (
            "at its 0.8 GHz, the most that powersave can cost",
            "powersave",
        ),
    ];
    clocks.map(variant).into()
}
