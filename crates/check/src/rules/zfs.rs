//! ZFS.

use stripewise_message::Message;

use crate::facts::{disks, pools, zfs_property};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[STATE, SYNC_DISABLED, RECORDSIZE, ASHIFT, CHEAP_WINS];

const STATE: Rule = Rule {
    id: "zfs.state",
    severity: Severity::Critical,
    source: "zpool-scrub(8); zpool-status(8); openzfs/zfs issue 4653: a pool is ONLINE without one side of a mirror; zpoolconcepts(7), Device Failure and Recovery",
    judge: state,
    ..Rule::PLAIN
};

const SCRUB_DAYS_MAX: i64 = 35;

fn state(facts: &Snapshot) -> Judged {
    let pools = pools(facts)?;
    if pools.is_empty() {
        return Ok(Findings::default());
    }
    let states = Findings::each(&pools, |pool| {
        let state = facts.need_word(&format!("/proc/spl/kstat/zfs/{pool}/state"))?;
        Ok(Verdict::fail_if(state != "ONLINE", || {
            Message::new("found-is")
                .name("md", pool)
                .name("state", state)
        }))
    });
    Ok(states.and(scrubs(facts)))
}

fn scrubs(facts: &Snapshot) -> Judged {
    let text = facts.command("zpool status")?;
    let mut findings = Findings::default();
    for part in text.split("pool: ").skip(1) {
        let pool = part.split_whitespace().next().unwrap_or_default();
        let value = |key: &str| {
            part.lines()
                .find_map(|line| line.trim().strip_prefix(key))
                .map(str::trim)
        };
        let errors = value("errors:").unwrap_or_default();
        let has_errors = errors != "No known data errors";
        findings.add(Ok(Verdict::fail_if(has_errors, || {
            Message::new("check-found")
                .name("place", pool)
                .name("what", errors)
        })));
        findings = findings.and(Ok(devices(pool, part)));
        findings.add(scrub_age(facts, pool, value("scan:")));
    }
    Ok(findings)
}

/// Judges each row of the table of a pool: its state says nothing about a mirror of which one side is
/// gone (openzfs/zfs#4653), or about checksums that did not match.
///
/// ```text
/// NAME        STATE     READ WRITE CKSUM
/// tank        ONLINE       0     0     0
///   mirror-0  ONLINE       0     0     0
///     sda     UNAVAIL      0     0     0  corrupted data
///     sdb     ONLINE       0     0 1.05K
/// ```
fn devices(pool: &str, part: &str) -> Findings {
    const STATES: [&str; 4] = ["ONLINE", "AVAIL", "INUSE", "SPLIT"];
    let table = part.lines().skip_while(|line| line.trim() != "config:");
    let rows = table
        .skip(1)
        .take_while(|line| !line.trim().starts_with("errors:"))
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    Findings::each(rows, |words| {
        let [name, state, counts @ ..] = &words[..] else {
            return Ok(Verdict::Fine);
        };
        if *name == "NAME" || !state.chars().all(|c| c.is_ascii_uppercase()) {
            return Ok(Verdict::Fine);
        }
        if !STATES.contains(state) {
            return Ok(Verdict::Fail(
                Message::new("found-device-is")
                    .name("pool", pool)
                    .name("name", name)
                    .name("state", state),
            ));
        }
        let counts = counts.iter().zip(["read", "write", "checksum"]);
        let mut bad = counts
            .filter(|(count, _)| **count != "0" && count.starts_with(|c: char| c.is_ascii_digit()));
        Ok(match bad.next() {
            Some((count, kind)) => Verdict::Fail(
                Message::new("found-device-errors")
                    .name("pool", pool)
                    .name("name", name)
                    .name("count", count)
                    .name("kind", kind),
            ),
            None => Verdict::Fine,
        })
    })
}

/// Judges what the last scan was: `scrub repaired ... on DATE`, `scrub canceled on DATE`, `scrub
/// paused since DATE`, `scrub in progress since DATE`, `resilvered ... on DATE`. A scan replaces the
/// line of the one before it.
fn scrub_age(facts: &Snapshot, pool: &str, scan: Option<&str>) -> Result<Verdict, Missing> {
    let Some(scan) = scan.filter(|scan| !scan.starts_with("none")) else {
        return Ok(Verdict::Fail(
            Message::new("found-never-scrubbed").name("pool", pool),
        ));
    };
    if scan.contains("in progress") {
        return Ok(Verdict::Fine);
    }
    let now = facts
        .taken_unix_s
        .ok_or_else(|| Missing::new("the time of the facts", "the tree does not tell"))?;
    let date = [" on ", " since "]
        .iter()
        .find_map(|word| scan.rsplit_once(word));
    let words: Vec<&str> = date
        .map_or("", |(_, date)| date)
        .split_whitespace()
        .collect();
    let date = days(&words)
        .ok_or_else(|| Missing::new("`zpool status`", format!("no date in `{scan}`")))?;
    let age = now.div_euclid(86400) - date;
    if !scan.starts_with("scrub repaired") {
        // No scrub ended since; when one ended before, is not known.
        return match age > SCRUB_DAYS_MAX {
            true => Ok(Verdict::Fail(
                Message::new("found-no-scrub-ended-for")
                    .name("pool", pool)
                    .name("age", age),
            )),
            false => Err(Missing::new(
                format!("the last scrub of {pool}"),
                format!("`{scan}` stands in its place"),
            )),
        };
    }
    let errors = scan.split_once(" with ").map_or("", |(_, rest)| rest);
    let errors = errors.split_whitespace().next().unwrap_or("0");
    if errors != "0" {
        return Ok(Verdict::Fail(
            Message::new("found-last-scrub-left-errors")
                .name("pool", pool)
                .name("errors", errors),
        ));
    }
    Ok(Verdict::fail_if(age > SCRUB_DAYS_MAX, || {
        Message::new("found-last-scrub-days-ago")
            .name("pool", pool)
            .name("age", age)
    }))
}

/// Returns the days since 1970 of `Sun Nov 10 00:34:01 2024`.
fn days(words: &[&str]) -> Option<i64> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let [_, month, day, _, year] = words else {
        return None;
    };
    let month = i64::try_from(MONTHS.find(month)? / 3).ok()? + 1;
    let (day, year): (i64, i64) = (day.parse().ok()?, year.parse().ok()?);
    // Years begin in March, so that a leap day is the last of its year.
    let (year, month) = if month <= 2 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
            - 719_468,
    )
}

const SYNC_DISABLED: Rule = Rule {
    id: "zfs.sync-disabled",
    severity: Severity::Critical,
    source: "zfsprops(7), `sync`; zfs(4), zfs_txg_timeout",
    proof: Some("stripewise run flush --world model"),
    judge: sync_disabled,
    ..Rule::PLAIN
};

fn sync_disabled(facts: &Snapshot) -> Judged {
    if pools(facts)?.is_empty() {
        return Ok(Findings::default());
    }
    Ok(Findings::each(
        zfs_property(facts, "sync")?,
        |(name, value)| {
            Ok(Verdict::fail_if(value == "disabled", || {
                Message::new("found-sync-disabled").name("name", name)
            }))
        },
    ))
}

const RECORDSIZE: Rule = Rule {
    id: "zfs.recordsize-db",
    severity: Severity::Medium,
    source: "OpenZFS documentation, Workload Tuning, Database workloads; zfsprops(7), `recordsize`",
    judge: recordsize,
    ..Rule::PLAIN
};

fn recordsize(facts: &Snapshot) -> Judged {
    if pools(facts)?.is_empty() {
        return Ok(Findings::default());
    }
    let places = ["/var/lib/mysql", "/var/lib/postgresql"];
    let mut used = Vec::new();
    for place in places {
        if facts.exists(place)? {
            used.extend(super::filesystems::device_of(facts, place)?.map(|mount| (place, mount)));
        }
    }
    used.retain(|(_, mount)| mount.kind == "zfs");
    Ok(Findings::each(used, |(place, mount)| {
        let sizes = zfs_property(facts, "recordsize")?;
        let size = sizes.iter().find(|(name, _)| *name == mount.device);
        let (_, size) = size.ok_or_else(|| {
            Missing::new(
                "`zfs get all`",
                format!("no recordsize of {}", mount.device),
            )
        })?;
        let kib: u64 = size.trim_end_matches('K').parse().unwrap_or(u64::MAX);
        Ok(Verdict::fail_if(kib > 16, || {
            Message::new("found-recordsize")
                .name("place", place)
                .name("device", mount.device)
                .name("size", size)
        }))
    }))
}

const ASHIFT: Rule = Rule {
    id: "zfs.ashift",
    severity: Severity::Medium,
    source: "zpoolprops(7), `ashift`; kernel Documentation/ABI/stable/sysfs-block, `queue/physical_block_size`",
    judge: ashift,
    ..Rule::PLAIN
};

fn ashift(facts: &Snapshot) -> Judged {
    if pools(facts)?.is_empty() {
        return Ok(Findings::default());
    }
    let text = facts.command("zdb -C")?;
    let is_small = text.lines().any(|line| line.trim() == "ashift: 9");
    if !is_small {
        return Ok(Findings::default());
    }
    Ok(Findings::each(disks(facts)?, |disk| {
        let bytes = facts.need_number(&format!("/sys/block/{disk}/queue/physical_block_size"))?;
        Ok(Verdict::fail_if(bytes > 512, || {
            Message::new("found-ashift-9-sectors-bytes")
                .name("disk", disk)
                .name("bytes", bytes)
        }))
    }))
}

const CHEAP_WINS: Rule = Rule {
    id: "zfs.cheap-wins",
    severity: Severity::Low,
    source: "zfsprops(7), `compression`, `atime`, `xattr`",
    judge: cheap_wins,
    ..Rule::PLAIN
};

fn cheap_wins(facts: &Snapshot) -> Judged {
    if pools(facts)?.is_empty() {
        return Ok(Findings::default());
    }
    let relaxed = zfs_property(facts, "relatime")?;
    let mut findings = Findings::default();
    for (property, wasteful) in [
        ("compression", "off"),
        ("atime", "on"),
        ("xattr", "dir"),
        ("xattr", "on"),
    ] {
        for (name, value) in zfs_property(facts, property)? {
            let is_relaxed = property == "atime" && relaxed.contains(&(name, "on"));
            if value == wasteful && !is_relaxed {
                findings.add(Ok(Verdict::Note(
                    Message::new("check-found")
                        .name("place", name)
                        .name("what", format_args!("{property}={value}")),
                )));
            }
        }
    }
    Ok(findings)
}
