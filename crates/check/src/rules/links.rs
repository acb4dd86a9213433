//! The links between disks and the host.

use serde_json::Value;

use stripewise_message::Message;

use crate::facts::{Array, arrays, disks, is_rotational, is_virtual, member_disks, smart_all};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Fact, Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[SLOW];

const SLOW: Rule = Rule {
    id: "disk.link",
    severity: Severity::Medium,
    source: "smartctl(8), `-i`, and `interface_speed` of its JSON; kernel Documentation/ABI/testing/sysfs-bus-pci, `current_link_speed`, `current_link_width`",
    judge: slow,
    ..Rule::PLAIN
};

/// The speed of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Link {
    /// In tenths of the unit in the words: Gb/s of SATA, GT/s times lanes of PCIe.
    tenths: u64,
    words: String,
}

/// Returns the tenths of a number at the beginning of a text: 60 of `6.0 Gb/s`.
pub(super) fn tenths(text: &str) -> Option<u64> {
    let number: f64 = text.split_whitespace().next()?.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "speeds are small and positive; what is not becomes 0 or the maximum"
    )]
    Some((number * 10.0).round() as u64)
}

/// Returns a speed of a SATA disk, `current` or `max`.
fn sata(identity: &Value, disk: &str, which: &str) -> Result<Link, Missing> {
    let words = identity["interface_speed"][which]["string"].as_str();
    let link = words.and_then(|words| {
        Some(Link {
            tenths: tenths(words)?,
            words: words.to_owned(),
        })
    });
    link.ok_or_else(|| {
        Missing::new(
            format!("the link of {disk}"),
            format!("smartctl shows no `interface_speed.{which}`"),
        )
    })
}

/// Returns the link of an NVMe drive; `None` if it has none, as over a network.
fn pcie(facts: &Snapshot, disk: &str) -> Fact<Link> {
    let read = |name: &str| -> Fact<&str> {
        // A drive with several ports is below its subsystem.
        if let Some(word) = facts.word(&format!("/sys/block/{disk}/device/device/{name}"))? {
            return Ok(Some(word));
        }
        let paths = facts.glob(&format!("/sys/block/{disk}/device/nvme*/device/{name}"))?;
        paths.first().map_or(Ok(None), |path| facts.word(path))
    };
    let (Some(speed), Some(lanes)) = (read("current_link_speed")?, read("current_link_width")?)
    else {
        return Ok(None);
    };
    match (tenths(speed), lanes.parse::<u64>()) {
        (Some(tenths), Ok(lanes)) => Ok(Some(Link {
            tenths: tenths.saturating_mul(lanes),
            words: format!("{} x{lanes}", speed.trim_end_matches(" PCIe")),
        })),
        _ => Err(Missing::new(
            format!("the link of {disk}"),
            format!("it is `{speed}`"),
        )),
    }
}

fn slow(facts: &Snapshot) -> Judged {
    let names = disks(facts)?
        .into_iter()
        .filter(|name| name.starts_with("sd"));
    let mut findings = Findings::each(names, |disk| {
        if is_virtual(facts, disk)? {
            return Ok(Verdict::Fine);
        }
        let identity = smart_all(facts, disk)?;
        // A disk on SAS or USB tells no speed.
        if identity["device"]["protocol"] != "ATA" || identity["interface_speed"].is_null() {
            return Ok(Verdict::Fine);
        }
        let (now, most) = (
            sata(&identity, disk, "current")?,
            sata(&identity, disk, "max")?,
        );
        if now.tenths >= most.tenths {
            return Ok(Verdict::Fine);
        }
        let found = Message::new("found-link-can")
            .name("disk", disk)
            .name("words", now.words)
            .name("words_other", most.words);
        // No platter fills 3 Gb/s.
        Ok(match now.tenths >= 30 && is_rotational(facts, disk)? {
            true => Verdict::Note(found),
            false => Verdict::Fail(found),
        })
    });
    for md in arrays(facts)? {
        findings = findings.and(of_peers(facts, &md));
    }
    Ok(findings)
}

/// Judges the members of an array against each other: SATA disks, and NVMe drives.
fn of_peers<'a>(facts: &'a Snapshot, md: &Array<'a>) -> Judged {
    let members = member_disks(facts, md)?;
    let mut findings = Findings::default();
    for kind in ["sd", "nvme"] {
        let members: Vec<&str> = members
            .iter()
            .copied()
            .filter(|disk| disk.starts_with(kind))
            .collect();
        if members.len() < 2 {
            continue;
        }
        let mut links = Vec::new();
        for disk in members {
            match link(facts, disk) {
                Ok(link) => links.extend(link.map(|link| (disk, link))),
                Err(missing) => findings.add(Err(missing)),
            }
        }
        let Some(best) = links
            .iter()
            .map(|(_, link)| link)
            .max_by_key(|link| link.tenths)
        else {
            continue;
        };
        for (disk, link) in &links {
            findings.add(Ok(Verdict::fail_if(link.tenths < best.tenths, || {
                Message::new("found-another-member")
                    .name("md", md)
                    .name("disk", disk)
                    .name("words", &link.words)
                    .name("words_other", &best.words)
            })));
        }
    }
    Ok(findings)
}

/// Returns the link of a member that counts: a hard disk fills none, a virtual disk has none.
fn link(facts: &Snapshot, disk: &str) -> Fact<Link> {
    if is_virtual(facts, disk)? || is_rotational(facts, disk)? {
        return Ok(None);
    }
    if disk.starts_with("nvme") {
        return pcie(facts, disk);
    }
    sata(&smart_all(facts, disk)?, disk, "current").map(Some)
}
