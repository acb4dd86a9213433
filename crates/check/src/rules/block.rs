//! Settings of block devices.

use stripewise_machine::chosen;
use stripewise_message::Message;

use crate::facts::{arrays, disks, is_rotational, name_at};
use crate::rule::{Findings, Judged, Rule, Setting, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};
use crate::stack::{ModelLink, of_arrays};

pub(super) const RULES: &[Rule] = &[SCHEDULER, READ_AHEAD];

const SCHEDULER: Rule = Rule {
    id: "blk.scheduler",
    severity: Severity::Medium,
    source: "kernel Documentation/block/switching-sched.rst and bfq-iosched.rst; Red Hat, Setting the disk scheduler",
    judge: scheduler,
    settings: Some(scheduler_settings),
    ..Rule::PLAIN
};

/// Returns the chosen scheduler and the one that fits, if they differ.
fn misfit<'a>(facts: &'a Snapshot, disk: &str) -> Result<Option<(&'a str, &'static str)>, Missing> {
    let chosen = chosen(facts.need_word(&format!("/sys/block/{disk}/queue/scheduler"))?);
    let is_virtual = disk.starts_with("vd") || disk.starts_with("xvd");
    if is_virtual || disk.starts_with("nvme") {
        return Ok((chosen == "bfq").then_some((chosen, "none")));
    }
    let is_bad = chosen == "none" && is_rotational(facts, disk)?;
    Ok(is_bad.then_some((chosen, "mq-deadline")))
}

fn scheduler(facts: &Snapshot) -> Judged {
    Ok(Findings::each(disks(facts)?, |disk| {
        Ok(match misfit(facts, disk)? {
            Some((chosen, better)) => Verdict::Fail(
                Message::new("found-fits")
                    .name("disk", disk)
                    .name("chosen", chosen)
                    .name("better", better),
            ),
            None => Verdict::Fine,
        })
    }))
}

fn scheduler_settings(facts: &Snapshot) -> Result<Vec<Setting>, Missing> {
    let mut settings = Vec::new();
    for disk in disks(facts)? {
        if let Some((_, better)) = misfit(facts, disk)? {
            settings.push(Setting {
                path: format!("/sys/block/{disk}/queue/scheduler"),
                value: better.to_owned(),
            });
        }
    }
    Ok(settings)
}

const READ_AHEAD: Rule = Rule {
    id: "blk.readahead",
    severity: Severity::Medium,
    source: "kernel block/blk-settings.c, disk_update_readahead: twice the optimal I/O size, which md sets to a full stripe (6.1.192); blockdev(8), `--setra`",
    judge: read_ahead,
    settings: Some(read_ahead_settings),
    cost: Some(read_ahead_cost),
    ..Rule::PLAIN
};

/// Returns the devices with too little read-ahead: name, KiB now, KiB needed.
fn short(facts: &Snapshot) -> Result<Vec<(&str, u64, u64)>, Missing> {
    let kib = |name: &str| facts.need_number(&format!("/sys/block/{name}/queue/read_ahead_kb"));
    let mut found = Vec::new();
    for md in arrays(facts)? {
        let Some(stripe) = md.full_stripe_bytes()? else {
            continue;
        };
        let needed = 2 * stripe / 1024;
        let now = kib(md.name)?;
        if now < needed {
            found.push((md.name, now, needed));
        }
        for path in facts.glob("/sys/block/*/slaves/*")? {
            let upper = name_at(path, 2);
            if name_at(path, 4) == md.name && upper.starts_with("dm-") {
                let above = kib(upper)?;
                if above < needed {
                    found.push((upper, above, needed));
                }
            }
        }
    }
    Ok(found)
}

fn read_ahead(facts: &Snapshot) -> Judged {
    Ok(Findings::each(short(facts)?, |(name, now, needed)| {
        Ok(Verdict::Fail(
            Message::new("found-kib-two-full-stripes")
                .name("name", name)
                .name("now", now)
                .name("needed", needed),
        ))
    }))
}

fn read_ahead_settings(facts: &Snapshot) -> Result<Vec<Setting>, Missing> {
    let short = short(facts)?.into_iter();
    let settings = short.map(|(name, _, needed)| Setting {
        path: format!("/sys/block/{name}/queue/read_ahead_kb"),
        value: needed.to_string(),
    });
    Ok(settings.collect())
}

fn read_ahead_cost(facts: &Snapshot, found: &[Message]) -> Vec<ModelLink> {
    const LOAD: &str = "read:1M:direct=false";
    of_arrays(facts, found, |md, stack| {
        let stack = stack.whole();
        let with = |words, kib| {
            let conditions = format!("[conditions]\nread_ahead = \"{kib}K\"\n");
            stack.variant(words, LOAD, "", &conditions)
        };
        let now = facts.need_number(&format!("/sys/block/{md}/queue/read_ahead_kb"))?;
        let needed = 2 * md.full_stripe_bytes()?.unwrap_or(0) / 1024;
        let words = Message::new("check-with-read-ahead").name("kib", needed);
        let variants = vec![with(None, now), with(Some(words), needed)];
        Ok(stack.question(LOAD, variants))
    })
}
