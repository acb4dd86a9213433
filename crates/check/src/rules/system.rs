//! Processor, memory and links.

use std::collections::BTreeMap;

use stripewise_machine::{CPUFREQ, memory_bytes};

use super::clock::{Clock, policies};
use super::links::tenths;
use crate::facts::{disks, is_rotational, name_at};
use crate::rule::{Findings, Judged, Rule, Setting, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[LINK, GOVERNOR, DIRTY];

const LINK: Rule = Rule {
    id: "nvme.link",
    title: "a drive's link is slower than it could be",
    severity: Severity::Medium,
    reason: "Half the speed, without any error message.",
    source: "kernel Documentation/ABI/testing/sysfs-bus-pci, `current_link_speed`, `max_link_speed`; Documentation/ABI/testing/sysfs-ata",
    fix: "Reseat the drive, replace the cable, check the firmware's settings of the slot.",
    risk: "Downtime.",
    undo: "None needed.",
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
    for (device, kind) in storage
        .iter()
        .flat_map(|device| [(*device, "speed"), (*device, "width")])
    {
        let read = |which: &str| {
            facts.word(&format!(
                "/sys/bus/pci/devices/{device}/{which}_link_{kind}"
            ))
        };
        let judged = read("current").and_then(|current| Ok((current, read("max")?)));
        findings.add(judged.map(|both| match both {
            (Some(current), Some(most)) if is_below(current, most) => {
                Verdict::Fail(format!("{device}: link {kind} {current} of {most}"))
            }
            _ => Verdict::Fine,
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
                    format!("{}: limited to {limit} of {hardware}", name_at(path, 3))
                }))
            })
        });
    Ok(findings.and(sata))
}

const GOVERNOR: Rule = Rule {
    id: "cpu.governor",
    title: "processors stay at a low clock",
    severity: Severity::Medium,
    reason: "Commits wait for a processor to wake up and to speed up. `powersave` means two things: with acpi-cpufreq and with intel_pstate in passive mode it is the lowest clock, with intel_pstate in active mode it is the normal governor.",
    source: "kernel Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst",
    fix: "`schedutil` or `performance`; in active mode `balance_performance` as energy_performance_preference.",
    risk: "Power and heat.",
    undo: "Write the old word back.",
    proof: Some("stripewise run studies/governor.toml --world model"),
    judge: governor,
    settings: Some(governor_settings),
    ..Rule::PLAIN
};

/// Returns the file of a policy that slows it down, a better word, and why.
fn slowed(
    facts: &Snapshot,
    policy: &str,
) -> Result<Option<(String, &'static str, String)>, Missing> {
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
    Ok(is_slow.then(|| (path, better, format!("{} with {word}", clock.driver))))
}

fn governor(facts: &Snapshot) -> Judged {
    // Policies with the same settings are one finding: a host can have hundreds.
    let mut slow: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut findings = Findings::default();
    for policy in policies(facts)? {
        match slowed(facts, policy) {
            Ok(Some((_, _, why))) => slow.entry(why).or_default().push(policy),
            Ok(None) => {}
            Err(missing) => findings.add(Err(missing)),
        }
    }
    for (why, policies) in slow {
        let more = match policies.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let found = format!("{}{more}: {why}", policies[0]);
        findings.add(Ok(Verdict::Fail(found)));
    }
    let turbo = facts.number("/sys/devices/system/cpu/intel_pstate/no_turbo");
    findings.add(
        turbo.map(|turbo| {
            Verdict::fail_if(turbo == Some(1), || "turbo is off (no_turbo)".to_owned())
        }),
    );
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
    title: "memory holds more unwritten data than the disk writes in 10 s",
    severity: Severity::Medium,
    reason: "One large copy delays every fsync for as long as the disk needs for what is in memory.",
    source: "kernel Documentation/admin-guide/sysctl/vm.rst, `dirty_ratio`, `dirty_bytes`",
    fix: "`vm.dirty_bytes` of 256 MiB to 1 GiB, and a quarter of it as `vm.dirty_background_bytes`.",
    risk: "Lower speed of bursts.",
    undo: "`vm.dirty_ratio=20` and `vm.dirty_background_ratio=10`.",
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
            format!(
                "{} MiB may be unwritten, which take {seconds} s",
                limit >> 20
            )
        }))
    }))
}
