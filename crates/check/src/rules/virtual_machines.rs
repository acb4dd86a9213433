//! Disks of virtual machines.

use stripewise_message::Message;

use crate::facts::{directives, name_at};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[CACHE_UNSAFE, VIRTIO];

const CACHE_UNSAFE: Rule = Rule {
    id: "vm.cache-unsafe",
    severity: Severity::Critical,
    source: "qemu(1), `-drive cache=`; libvirt domain XML format, `driver` attribute `cache`",
    proof: Some("stripewise pull-plug pull-plug"),
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
            Some(mark) => Verdict::Fail(
                Message::new("check-found")
                    .name("place", path)
                    .name("what", mark),
            ),
            None => Verdict::Fine,
        })
    }))
}

const VIRTIO: Rule = Rule {
    id: "vm.virtio",
    severity: Severity::Medium,
    source: "libvirt domain XML format, Hard drives; qemu(1), `-drive cache=`",
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
                    Message::new("check-found")
                        .name("place", file)
                        .name("what", mark)
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
                Message::new("check-found")
                    .name("place", path)
                    .name("what", crate::redact::redact_of(path, line))
            })));
        }
    }
    Ok(findings)
}
