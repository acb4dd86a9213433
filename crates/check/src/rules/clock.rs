//! The clock of the processors: what a governor means under its driver, and whether it changed.

use std::collections::BTreeMap;

use stripewise_machine::{CPUFREQ, Source};
use stripewise_message::{Argument, Message};

use crate::facts::{arrays, disks, is_drive, is_virtual};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Fact, Missing, Snapshot};
use crate::stack::{ModelLink, Question, Stack, Variant, of_each, study_of_disk};

pub(crate) const RULES: &[Rule] = &[CLOCK];

const CLOCK: Rule = Rule {
    id: "cpu.clock",
    severity: Severity::Medium,
    source: "kernel Documentation/admin-guide/pm/intel_pstate.rst, Active Mode; docs/studies/governor.md",
    proof: Some("stripewise run governor --world model"),
    judge: clock,
    cost: Some(cost),
    ..Rule::PLAIN
};

/// Drivers with governors of their own, whose `powersave` is not the lowest clock.
const ACTIVE: [&str; 2] = ["intel_pstate", "amd-pstate-epp"];

/// What sets the clock of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Clock<'a> {
    pub(crate) governor: &'a str,
    pub(crate) driver: &'a str,
    pub(crate) preference: &'a str,
}

impl<'a> Clock<'a> {
    pub(crate) fn read(facts: &'a Snapshot, policy: &str) -> Result<Self, Missing> {
        let file = |name: &str| format!("{CPUFREQ}/{policy}/{name}");
        let preference = facts.word(&file("energy_performance_preference"))?;
        Ok(Self {
            governor: facts.need_word(&file("scaling_governor"))?,
            driver: facts.need_word(&file("scaling_driver"))?,
            preference: preference.unwrap_or_default(),
        })
    }

    pub(crate) fn is_active(&self) -> bool {
        ACTIVE.contains(&self.driver)
    }

    /// Returns how high a governor keeps the clock: 2 is always high, 0 is always low.
    pub(crate) fn rank(&self) -> u8 {
        match self.governor {
            "performance" => 2,
            "powersave" if !self.is_active() => 0,
            _ => 1,
        }
    }

    fn in_words(&self) -> Message {
        let message = match self.preference {
            "" => Message::new("found-clock"),
            preference => Message::new("found-clock-preference").name("preference", preference),
        };
        message
            .name("governor", self.governor)
            .name("driver", self.driver)
    }
}

/// Returns the policies: the CPUs that share a clock.
pub(crate) fn policies(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
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
fn all_in_words(clocks: &BTreeMap<Clock<'_>, usize>) -> Argument {
    Argument::list(clocks.iter().map(|(clock, count)| match clocks.len() {
        1 => clock.in_words(),
        _ => counted(clock, *count),
    }))
}

/// Returns a clock with the number of its policies.
fn counted(clock: &Clock<'_>, count: usize) -> Message {
    let message = match count {
        1 => Message::new("found-policy"),
        count => Message::new("found-policies").name("count", count),
    };
    message.with("clock", clock.in_words())
}

fn clock(facts: &Snapshot) -> Judged {
    let now = clocks(facts)?;
    let mut findings = Findings::default();
    if let Some(earlier) = facts.earlier.as_deref() {
        findings.add(clocks(earlier).map(|before| changed(&before, &now)));
    }
    let follows = |clock: &Clock<'_>| clock.is_active() && clock.rank() == 1;
    for (clock, count) in now.iter().filter(|(clock, _)| follows(clock)) {
        findings.add(Ok(Verdict::Note(counted(clock, *count))));
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
        (true, _) => Message::new("found-kernel-sets-clock-now").with("new", new),
        (_, true) => Message::new("found-kernel-no-longer-sets").with("old", old),
        _ => Message::new("found-changed")
            .with("old", old)
            .with("new", new),
    };
    let is_lower = matches!((least(before), least(now)), (Some(old), Some(new)) if new < old);
    match is_lower {
        true => Verdict::Fail(words),
        false => Verdict::Note(words),
    }
}

/// Asks what the clock costs on each array; on a host without arrays on its first disk, and on none
/// that a hypervisor makes.
fn cost(facts: &Snapshot, _found: &[Message]) -> Vec<ModelLink> {
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
    let variant = |(words, governor): (&'static str, &str)| Variant {
        words: Some(Message::new(words)),
        study: format!(
            "host = \"i7-6700k-no-hwp\"\n{study}[conditions]\ngovernor = \"{governor}\"\n"
        ),
        is_degraded: false,
        iops: None,
    };
    let clocks = [
        ("check-with-performance", "performance"),
        ("check-with-powersave", "powersave"),
    ];
    clocks.map(variant).into()
}
