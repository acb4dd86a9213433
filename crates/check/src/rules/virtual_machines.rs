//! Disks of virtual machines.

use crate::facts::{directives, name_at};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[CACHE_UNSAFE, VIRTIO];

const CACHE_UNSAFE: Rule = Rule {
    id: "vm.cache-unsafe",
    title: "a virtual machine's flushes are dropped",
    severity: Severity::Critical,
    reason: "With `unsafe` a crash of the host can break the guest's filesystem, and not only lose the last seconds.",
    source: "qemu(1), `-drive cache=`; libvirt domain XML format, `driver` attribute `cache`",
    fix: "`cache='none'` or `writeback`; relax the guest's database instead if commits are too slow.",
    risk: "Commits get their true, slower speed back.",
    undo: "Put `cache='unsafe'` back and restart the guest.",
    proof: Some("stripewise pull-plug studies/pull-plug.toml"),
    judge: cache_unsafe,
    ..Rule::PLAIN
};

/// Returns the configuration of virtual machines: libvirt's, Proxmox's, and running QEMU processes.
fn machines(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    let mut paths = facts.glob("/etc/libvirt/qemu/*.xml")?;
    paths.extend(facts.glob("/etc/pve/qemu-server/*.conf")?);
    paths.extend(facts.glob("/proc/*/cmdline")?);
    Ok(paths)
}

/// Returns what holds for a machine now: in Proxmox's files, what stands before the sections of
/// snapshots and of changes that wait for a restart (qm.conf(5), SNAPSHOTS).
fn now<'a>(path: &str, text: &'a str) -> &'a str {
    let is_section = |line: &&str| line.starts_with('[');
    let end = text
        .lines()
        .find(is_section)
        .and_then(|line| text.find(line));
    match path.starts_with("/etc/pve/") {
        true => &text[..end.unwrap_or(text.len())],
        false => text,
    }
}

fn cache_unsafe(facts: &Snapshot) -> Judged {
    const MARKS: [&str; 4] = [
        "cache='unsafe'",
        "cache=\"unsafe\"",
        "cache=unsafe",
        "cache.no-flush=on",
    ];
    Ok(Findings::each(machines(facts)?, |path| {
        let text = now(path, facts.text(path)?.unwrap_or_default());
        let mark = MARKS.iter().find(|mark| text.contains(**mark));
        Ok(match mark {
            Some(mark) => Verdict::Fail(format!("{path}: {mark}")),
            None => Verdict::Fine,
        })
    }))
}

const VIRTIO: Rule = Rule {
    id: "vm.virtio",
    title: "a virtual disk is emulated, or writes through",
    severity: Severity::Medium,
    reason: "An emulated IDE or SATA disk costs CPU for each I/O, and IDE has a queue depth of 1. `writethrough` and `directsync` flush after every write.",
    source: "libvirt domain XML format, Hard drives; qemu(1), `-drive cache=`",
    fix: "`bus='virtio'` or `scsi` with virtio-scsi, `cache='none' io='native' discard='unmap'`.",
    risk: "The guest's initramfs must have the driver first.",
    undo: "Put the old bus and cache back.",
    judge: virtio,
    ..Rule::PLAIN
};

fn virtio(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    for path in facts.glob("/etc/libvirt/qemu/*.xml")? {
        let text = facts.text(path)?.unwrap_or_default().replace('"', "'");
        for disk in text.split("<disk").skip(1) {
            let disk = disk.split("</disk").next().unwrap_or_default();
            // A CD drive is emulated everywhere.
            if !disk.contains("device='disk'") {
                continue;
            }
            for mark in [
                "bus='ide'",
                "bus='sata'",
                "cache='writethrough'",
                "cache='directsync'",
            ] {
                let file = name_at(path, 3);
                findings.add(Ok(Verdict::fail_if(disk.contains(mark), || {
                    format!("{file}: {mark}")
                })));
            }
        }
    }
    for path in facts.glob("/etc/pve/qemu-server/*.conf")? {
        let text = now(path, facts.text(path)?.unwrap_or_default());
        for line in directives(text).filter(|line| !line.contains("media=cdrom")) {
            let is_emulated = ["ide", "sata"].iter().any(|bus| {
                line.strip_prefix(bus)
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            });
            findings.add(Ok(Verdict::fail_if(is_emulated, || {
                format!("{path}: {}", crate::redact::redact_of(path, line))
            })));
        }
    }
    Ok(findings)
}
