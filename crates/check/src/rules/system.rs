//! Processor, memory and links.

use std::collections::BTreeMap;

use stripewise_machine::{CPUFREQ, memory_bytes};
use stripewise_message::Message;

use super::clock::{Clock, policies};
use super::links::tenths;
use crate::facts::{disks, is_rotational, name_at};
use crate::rule::{Findings, Judged, Rule, Setting, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[LINK, GOVERNOR, DIRTY];

const LINK: Rule = Rule {
    id: "nvme.link",
    severity: Severity::Medium,
    source: "kernel Documentation/ABI/testing/sysfs-bus-pci, `current_link_speed`, `max_link_speed`; Documentation/ABI/testing/sysfs-ata",
    judge: link,
    ..Rule::PLAIN
};

/// The beginning of the PCI class of storage controllers.
const STORAGE_CLASS: &str = "0x01";

/// Returns whether a speed or a width is below another; an unknown one is not.
fn is_below(now: &str, most: &str) -> bool {
    let most = tenths(most).unwrap_or(u64::MAX);
    tenths(now).is_some_and(|now| now < most)
}

fn link(facts: &Snapshot) -> Judged {
    let classes = facts.glob("/sys/bus/pci/devices/*/class")?;
    let mut storage = Vec::new();
    for path in classes {
        if facts.need_word(path)?.starts_with(STORAGE_CLASS) {
            storage.push(name_at(path, 4));
        }
    }
    let mut findings = Findings::default();
    for (device, kind, id) in storage.iter().flat_map(|device| {
        [
            (*device, "speed", "found-link-speed"),
            (*device, "width", "found-link-width"),
        ]
    }) {
        let read = |which: &str| {
            facts.word(&format!(
                "/sys/bus/pci/devices/{device}/{which}_link_{kind}"
            ))
        };
        let judged = read("current").and_then(|current| Ok((current, read("max")?)));
        findings.add(judged.map(|both| {
            match both {
                (Some(current), Some(most)) if is_below(current, most) => Verdict::Fail(
                    Message::new(id)
                        .name("device", device)
                        .name("current", current)
                        .name("most", most),
                ),
                _ => Verdict::Fine,
            }
        }));
    }
    let sata = facts
        .glob("/sys/class/ata_link/*/sata_spd_limit")
        .map(|paths| {
            Findings::each(paths, |path| {
                let limit = facts.need_word(path)?;
                let hardware =
                    facts.need_word(&path.replace("/sata_spd_limit", "/hw_sata_spd_limit"))?;
                Ok(Verdict::fail_if(is_below(limit, hardware), || {
                    Message::new("found-limited")
                        .name("place", name_at(path, 3))
                        .name("limit", limit)
                        .name("hardware", hardware)
                }))
            })
        });
    Ok(findings.and(sata))
}

const GOVERNOR: Rule = Rule {
    id: "cpu.governor",
    severity: Severity::Medium,
    source: "kernel Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst",
    proof: Some("stripewise run governor --world model"),
    judge: governor,
    settings: Some(governor_settings),
    ..Rule::PLAIN
};

/// The driver of a policy and the word that slows it down.
type Slow<'a> = (&'a str, &'a str);

/// Returns the file of a policy that slows it down, a better word, and why.
fn slowed<'a>(
    facts: &'a Snapshot,
    policy: &str,
) -> Result<Option<(String, &'static str, Slow<'a>)>, Missing> {
    let clock = Clock::read(facts, policy)?;
    let (is_slow, file, better, word) = match clock.is_active() {
        true => (
            matches!(clock.preference, "power" | "balance_power"),
            "energy_performance_preference",
            "balance_performance",
            clock.preference,
        ),
        false => (
            clock.rank() == 0,
            "scaling_governor",
            "schedutil",
            clock.governor,
        ),
    };
    let path = format!("{CPUFREQ}/{policy}/{file}");
    Ok(is_slow.then_some((path, better, (clock.driver, word))))
}

fn governor(facts: &Snapshot) -> Judged {
    // Policies with the same settings are one finding: a host can have hundreds.
    let mut slow: BTreeMap<Slow<'_>, Vec<&str>> = BTreeMap::new();
    let mut findings = Findings::default();
    for policy in policies(facts)? {
        match slowed(facts, policy) {
            Ok(Some((_, _, why))) => slow.entry(why).or_default().push(policy),
            Ok(None) => {}
            Err(missing) => findings.add(Err(missing)),
        }
    }
    for ((driver, word), policies) in slow {
        let found = match policies.len() - 1 {
            0 => Message::new("found-slow"),
            more => Message::new("found-slow-with-others").name("more", more),
        };
        let found = found
            .name("policy", policies[0])
            .name("driver", driver)
            .name("word", word);
        findings.add(Ok(Verdict::Fail(found)));
    }
    let turbo = facts.number("/sys/devices/system/cpu/intel_pstate/no_turbo");
    findings.add(turbo.map(|turbo| {
        Verdict::fail_if(turbo == Some(1), || {
            Message::new("found-turbo-off-no-turbo")
        })
    }));
    Ok(findings)
}

fn governor_settings(facts: &Snapshot) -> Result<Vec<Setting>, Missing> {
    let mut settings = Vec::new();
    for policy in policies(facts)? {
        if let Some((path, value, _)) = slowed(facts, policy)? {
            let value = value.to_owned();
            settings.push(Setting { path, value });
        }
    }
    Ok(settings)
}

const DIRTY: Rule = Rule {
    id: "vm.dirty",
    severity: Severity::Medium,
    source: "kernel Documentation/admin-guide/sysctl/vm.rst, `dirty_ratio`, `dirty_bytes`",
    judge: dirty,
    ..Rule::PLAIN
};

const SECONDS_MAX: u64 = 10;
/// Where the owner of the host writes what a study measured: a number of bytes per second.
const WRITE_SPEED: &str = "/var/lib/stripewise/write_bytes_per_s";

fn dirty(facts: &Snapshot) -> Judged {
    let mut has_hard_disk = false;
    for disk in disks(facts)? {
        has_hard_disk |= is_rotational(facts, disk)?;
    }
    if !has_hard_disk {
        return Ok(Findings::default());
    }
    let bytes = facts.need_number("/proc/sys/vm/dirty_bytes")?;
    let limit = match bytes {
        0 => {
            let ratio = facts.need_number("/proc/sys/vm/dirty_ratio")?;
            memory_bytes(facts, "MemTotal")?.saturating_mul(ratio) / 100
        }
        bytes => bytes,
    };
    let speed = facts.number(WRITE_SPEED)?.filter(|speed| *speed > 0);
    let speed = speed.ok_or_else(|| {
        Missing::new(
            WRITE_SPEED,
            "the sequential write speed is not known: measure it, and write the number there",
        )
    })?;
    let seconds = limit / speed;
    Ok(Findings::each([seconds], |seconds| {
        Ok(Verdict::fail_if(seconds > SECONDS_MAX, || {
            Message::new("found-mib-may-be-unwritten")
                .name("limit", limit >> 20)
                .name("seconds", seconds)
        }))
    }))
}
