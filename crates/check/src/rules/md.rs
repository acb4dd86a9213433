//! md arrays.

use stripewise_message::Message;

use crate::facts::{
    Array, arrays, disk_of, has_parity, has_ups, is_rotational, mdadm_conf, mdadm_entries,
    member_disks, setting, smart,
};
use crate::jobs::jobs;
use crate::mdstat::{Detail, Listed, details, mdstat};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};
use crate::sources::SCRUBBERS;
use crate::stack::{ModelLink, Question, of_arrays};

pub(super) const RULES: &[Rule] = &[
    DEGRADED,
    FROZEN,
    BAD_BLOCKS,
    MISMATCH,
    WRITE_HOLE,
    ERC_TIMEOUT,
    STALE_CONF,
    NO_SCRUB,
    RAID0_LAYOUT,
    OLD_METADATA,
    STRIPE_CACHE,
    BITMAP_CHUNK,
];

const DEGRADED: Rule = Rule {
    id: "md.degraded",
    severity: Severity::Critical,
    source: "md(4), DESCRIPTION; mdadm(8), MANAGE MODE; kernel Documentation/admin-guide/md.rst, `degraded`, `array_state`, `dev-XXX/state`; drivers/md/md.c, md_seq_show: /proc/mdstat",
    proof: Some(
        "stripewise predict --device sata-ssd --array raid5:4:64K --failed 1 --workload randread:4K",
    ),
    judge: degraded,
    cost: Some(degraded_cost),
    ..Rule::PLAIN
};

fn degraded(facts: &Snapshot) -> Judged {
    let listed = mdstat(facts);
    let shown = details(facts);
    let arrays = match (arrays(facts), &listed) {
        (Ok(arrays), _) => arrays,
        // A sosreport has no `/sys`, and this list of all arrays.
        (Err(_), Ok(Some(_))) => Vec::new(),
        (Err(missing), _) if shown.is_empty() => return Err(missing),
        (Err(missing), _) => {
            let mut findings = of_details(&shown);
            findings.add(Err(missing));
            return Ok(findings);
        }
    };
    let mut findings = Findings::default();
    for md in &arrays {
        let (found, missing) = of_sysfs(md);
        findings = findings.and(Ok(found));
        // The list has the same of this array.
        let is_listed =
            matches!(&listed, Ok(Some(all)) if all.iter().any(|one| one.name == md.name));
        if !is_listed {
            missing.into_iter().for_each(|one| findings.add(Err(one)));
        }
    }
    // One array is not reported twice.
    let is_new = |findings: &Findings, name: &str| {
        let mut failed = findings.failed.iter();
        !failed.any(|found| found.has("md", name))
    };
    for array in listed.ok().flatten().unwrap_or_default() {
        if is_new(&findings, array.name) {
            findings = findings.and(Ok(of_list(&array)));
        }
    }
    let rest = shown.iter().filter(|one| is_new(&findings, one.name));
    let rest: Vec<Detail<'_>> = rest.copied().collect();
    Ok(findings.and(Ok(of_details(&rest))))
}

fn degraded_cost(facts: &Snapshot, found: &[Message]) -> Vec<ModelLink> {
    const LOAD: &str = "randread:4K";
    of_arrays(facts, found, |_, now| {
        let whole = now.clone().whole();
        let whole_words = Message::new("check-with-all-members");
        let variants = vec![
            now.variant(None, LOAD, "", ""),
            whole.variant(Some(whole_words), LOAD, "", ""),
        ];
        Ok(Question {
            command: Some(now.command(LOAD, &[])),
            ..now.question(LOAD, variants)
        })
    })
}

/// Returns what `/sys` says of an array, and what of that could not be read.
fn of_sysfs(md: &Array<'_>) -> (Findings, Vec<Missing>) {
    let mut findings = Findings::default();
    findings.add(md.missing_count().map(|count| {
        Verdict::fail_if(count > 0, || {
            Message::new("found-members-missing")
                .name("md", md)
                .name("count", count)
        })
    }));
    findings.add(md.need_word("array_state").map(|state| {
        // A RAID 0 that lost a member is `broken`.
        let is_down = matches!(state, "inactive" | "broken");
        Verdict::fail_if(is_down, || {
            Message::new("found-is").name("md", md).name("state", state)
        })
    }));
    let judged = md.members().map(|members| {
        Findings::each(members, |member| {
            Ok(Verdict::fail_if(md.is_faulty(member)?, || {
                Message::new("found-faulty")
                    .name("md", md)
                    .name("member", member)
            }))
        })
    });
    let mut findings = findings.and(judged);
    let missing = std::mem::take(&mut findings.missing);
    (findings, missing)
}

/// Judges what `/proc/mdstat` says of an array.
fn of_list(array: &Listed<'_>) -> Findings {
    let mut findings = Findings::default();
    let name = array.name;
    if array.is_container {
        return findings;
    }
    if array.is_inactive {
        findings.add(Ok(Verdict::Fail(
            Message::new("found-is")
                .name("md", name)
                .name("state", "inactive"),
        )));
    }
    if let Some(shown) = array.members.filter(|shown| shown.contains('_')) {
        let missing = shown.matches('_').count();
        findings.add(Ok(Verdict::Fail(
            Message::new("found-members-missing-shown")
                .name("md", name)
                .name("count", missing)
                .name("shown", shown),
        )));
    }
    for member in &array.faulty {
        findings.add(Ok(Verdict::Fail(
            Message::new("found-faulty")
                .name("md", name)
                .name("member", member),
        )));
    }
    findings
}

fn of_details(shown: &[Detail<'_>]) -> Findings {
    Findings::each(shown, |one| {
        let words = ["degraded", "failed", "inactive", "not started", "broken"];
        let is_bad = words
            .iter()
            .any(|word| one.state.to_ascii_lowercase().contains(word));
        Ok(Verdict::fail_if(is_bad, || {
            Message::new("found-state")
                .name("md", one.name)
                .name("state", one.state)
        }))
    })
}

const FROZEN: Rule = Rule {
    id: "md.frozen",
    severity: Severity::Critical,
    source: "kernel Documentation/admin-guide/md.rst, `sync_action`; drivers/md/md.c, action_store: MD_RECOVERY_FROZEN",
    judge: frozen,
    ..Rule::PLAIN
};

fn frozen(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        if md.word("sync_action")? != Some("frozen") {
            return Ok(Verdict::Fine);
        }
        Ok(match md.missing_count()? {
            0 => Verdict::Note(Message::new("found-frozen").name("md", md)),
            count => Verdict::Fail(
                Message::new("found-frozen-lacks-members")
                    .name("md", md)
                    .name("count", count),
            ),
        })
    }))
}

const BAD_BLOCKS: Rule = Rule {
    id: "md.bad-blocks",
    severity: Severity::Critical,
    source: "kernel Documentation/admin-guide/md.rst, `dev-XXX/bad_blocks`; drivers/md/md.c, rdev_set_badblocks; mdadm(8), `--examine-badblocks`, `--update=no-bbl`",
    judge: bad_blocks,
    ..Rule::PLAIN
};

fn bad_blocks(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    for md in arrays(facts)? {
        let judged = md.members().map(|members| {
            Findings::each(members, |member| {
                let listed = md.word(&format!("dev-{member}/bad_blocks"))?;
                let ranges = listed.unwrap_or_default().lines().count();
                Ok(Verdict::fail_if(ranges > 0, || {
                    Message::new("found-lost-blocks-places")
                        .name("md", md)
                        .name("member", member)
                        .name("ranges", ranges)
                }))
            })
        });
        findings = findings.and(judged);
    }
    Ok(findings)
}

const MISMATCH: Rule = Rule {
    id: "md.mismatch",
    severity: Severity::Critical,
    source: "md(4), SCRUBBING AND MISMATCHES",
    judge: mismatch,
    ..Rule::PLAIN
};

fn mismatch(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        let level = md.level()?;
        let count = md.number("mismatch_cnt")?.unwrap_or(0);
        let found = Message::new("found-sectors-do-not-match")
            .name("md", md)
            .name("level", level)
            .name("count", count);
        Ok(match (count, has_parity(level)) {
            (0, _) => Verdict::Fine,
            (_, true) => Verdict::Fail(found),
            (_, false) => Verdict::Note(found),
        })
    }))
}

const WRITE_HOLE: Rule = Rule {
    id: "md.write-hole",
    severity: Severity::Critical,
    source: "md(4), RAID WRITE HOLE; kernel Documentation/driver-api/md/raid5-ppl.rst and raid5-cache.rst",
    proof: Some("stripewise pull-plug write-hole --without-member 0"),
    judge: write_hole,
    ..Rule::PLAIN
};

fn write_hole(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        if !has_parity(md.level()?) {
            return Ok(Verdict::Fine);
        }
        let policy = md.need_word("consistency_policy")?;
        let is_open = matches!(policy, "resync" | "bitmap") && !has_ups(facts)?;
        Ok(Verdict::fail_if(is_open, || {
            Message::new("found-consistency-policy-no-ups")
                .name("md", md)
                .name("policy", policy)
        }))
    }))
}

const ERC_TIMEOUT: Rule = Rule {
    id: "md.erc-timeout",
    severity: Severity::Critical,
    source: "mdadm's udev-md-raid-safe-timeouts.rules; smartctl(8), `-l scterc`; kernel Documentation/scsi/scsi_eh.rst; Linux RAID wiki, Timeout Mismatch",
    judge: erc_timeout,
    ..Rule::PLAIN
};

/// How long a disk without error recovery control may retry, in seconds: the value of mdadm's rules.
const SAFE_TIMEOUT_S: u64 = 180;

fn erc_timeout(facts: &Snapshot) -> Judged {
    let mut disks = Vec::new();
    for md in arrays(facts)? {
        disks.extend(member_disks(facts, &md)?);
    }
    disks.retain(|disk| disk.starts_with("sd"));
    Ok(Findings::each(disks, |disk| {
        let timeout = facts.need_number(&format!("/sys/block/{disk}/device/timeout"))?;
        if timeout >= SAFE_TIMEOUT_S {
            return Ok(Verdict::Fine);
        }
        let answer = smart(facts, &format!("smartctl -l scterc /dev/{disk} -j"))?;
        let read = &answer["ata_sct_erc"]["read"];
        let tenths = read["deciseconds"]
            .as_u64()
            .filter(|_| read["enabled"] == true);
        Ok(match tenths {
            Some(tenths) if tenths < timeout * 10 => Verdict::Fine,
            _ => Verdict::Fail(
                Message::new("found-error-recovery-control-off")
                    .name("disk", disk)
                    .name("timeout", timeout),
            ),
        })
    }))
}

const STALE_CONF: Rule = Rule {
    id: "mdadm.conf-stale",
    severity: Severity::High,
    source: "mdadm.conf(5), ARRAY; mdadm config.c, load_conffile: then *.conf of mdadm.conf.d; Debian mdadm README.Debian; dracut and initramfs-tools copy the file into the initramfs",
    judge: stale_conf,
    ..Rule::PLAIN
};

fn stale_conf(facts: &Snapshot) -> Judged {
    if arrays(facts)?.is_empty() {
        return Ok(Findings::default());
    }
    let config = mdadm_conf(facts)?;
    let path = config.files.first().copied();
    let path = path.unwrap_or("/etc/mdadm/mdadm.conf");
    let entries = mdadm_entries(facts, &config);
    let known: Vec<&str> = entries
        .iter()
        .filter(|entry| entry.is("array"))
        .flat_map(|entry| entry.words.iter().copied())
        .collect();
    let scan = facts.command("mdadm --detail --scan")?;
    let lines = scan.lines().filter(|line| line.starts_with("ARRAY"));
    let mut findings = Findings::each(lines, |line| {
        let uuid = tagged(line.split_whitespace(), "uuid=").next();
        let uuid = uuid.unwrap_or_default();
        let is_uuid = |known: &str| !uuid.is_empty() && digits(known) == digits(uuid);
        let mut uuids = tagged(known.iter().copied(), "uuid=");
        // A line may name the array by its name alone.
        let name = tagged(line.split_whitespace(), "name=").next();
        let mut names = tagged(known.iter().copied(), "name=");
        let is_known = uuids.any(is_uuid) || names.any(|known| Some(known) == name);
        Ok(Verdict::fail_if(!is_known, || {
            Message::new("found-array-not")
                .name("uuid", uuid)
                .name("path", path)
        }))
    });
    let release = facts.need_word("/proc/sys/kernel/osrelease")?;
    let conf = facts.stat(path)?;
    for image in [
        format!("/boot/initrd.img-{release}"),
        format!("/boot/initramfs-{release}.img"),
    ] {
        if let (Some(conf), Some(image_stat)) = (conf, facts.stat(&image)?) {
            let is_older = image_stat.modified_unix_s < conf.modified_unix_s;
            findings.add(Ok(Verdict::fail_if(is_older, || {
                Message::new("found-older")
                    .name("image", image)
                    .name("path", path)
            })));
        }
    }
    Ok(findings)
}

/// Returns the values of words with a tag: `UUID=`, in any case.
pub(super) fn tagged<'a>(
    words: impl Iterator<Item = &'a str>,
    tag: &str,
) -> impl Iterator<Item = &'a str> {
    words.filter_map(move |word| {
        let (head, value) = word.split_at_checked(tag.len())?;
        head.eq_ignore_ascii_case(tag).then_some(value)
    })
}

/// Returns the digits of a UUID, however it is grouped (mdadm's util.c, `parse_uuid`).
pub(super) fn digits(uuid: &str) -> String {
    let digits = uuid.chars().filter(char::is_ascii_hexdigit);
    digits.collect::<String>().to_ascii_lowercase()
}

const NO_SCRUB: Rule = Rule {
    id: "md.no-scrub",
    severity: Severity::High,
    source: "md(4), SCRUBBING AND MISMATCHES; Debian mdadm: /etc/cron.d/mdadm, mdcheck_start.timer; Fedora and RHEL mdadm: raid-check.timer or /etc/cron.d/raid-check, /etc/sysconfig/raid-check: `ENABLED - must be yes`; Debian checkarray, `is_true`",
    judge: no_scrub,
    ..Rule::PLAIN
};

fn no_scrub(facts: &Snapshot) -> Judged {
    let mut redundant = Vec::new();
    for md in arrays(facts)? {
        if !matches!(md.level()?, "raid0" | "linear") {
            redundant.push(md);
        }
    }
    if redundant.is_empty() {
        return Ok(Findings::default());
    }
    let is_checked = has_scrub(facts)?;
    Ok(Findings::each(redundant, |md| {
        Ok(Verdict::fail_if(!is_checked, || {
            Message::new("found-no-periodic-check").name("md", md)
        }))
    }))
}

/// Returns whether something checks all arrays: a timer, or a job of cron.
fn has_scrub(facts: &Snapshot) -> Result<bool, Missing> {
    let mut wanted = facts.glob("/etc/systemd/system/*.wants/*")?;
    wanted.extend(facts.glob_known("/usr/lib/systemd/system/*.wants/*").0);
    let has_timer = |timer: &str| wanted.iter().any(|path| path.ends_with(timer));
    // RHEL's raid-check and Debian's checkarray ask their own files first, each in its own words.
    let text = facts.text("/etc/sysconfig/raid-check")?;
    let is_enabled = text.is_none_or(|text| setting(text, "ENABLED") == Some("yes"));
    let defaults = facts.text("/etc/default/mdadm")?.unwrap_or_default();
    let is_auto = setting(defaults, "AUTOCHECK").is_some_and(is_true);
    let is_timed = has_timer("/raid-check.timer") && is_enabled;
    let is_cron = facts.exists("/etc/cron.d/mdadm")? && is_auto;
    if has_timer("/mdcheck_start.timer") || is_timed || is_cron {
        return Ok(true);
    }
    let jobs = jobs(facts);
    let has_job = jobs.found.iter().any(|job| {
        let mut names = SCRUBBERS.iter().filter(|name| job.command.contains(**name));
        names.any(|name| match *name {
            "raid-check" => is_enabled,
            "checkarray" => is_auto || job.place != "/etc/cron.d/mdadm",
            _ => true,
        })
    });
    match jobs.missing.into_iter().next() {
        Some(missing) if !has_job => Err(missing),
        _ => Ok(has_job),
    }
}

/// Returns whether `is_true` of Debian's checkarray takes a word for true (mdadm 4.2-5, lines 89 to 95):
/// `on` is none of them.
fn is_true(word: &str) -> bool {
    let words = ["Yes", "yes", "Y", "y", "1", "True", "true", "T", "t"];
    words.contains(&word)
}

const RAID0_LAYOUT: Rule = Rule {
    id: "md.raid0-layout",
    severity: Severity::High,
    source: "kernel drivers/md/raid0.c, create_strip_zones (6.1.192); mdadm(8), `--update=layout-original`",
    judge: raid0_layout,
    ..Rule::PLAIN
};

fn raid0_layout(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        if md.level()? != "raid0" || md.need_word("layout")? != "0" {
            return Ok(Verdict::Fine);
        }
        let chunk_kib = md.need_number("chunk_size")? / 1024;
        let sizes = md.member_sizes_kib()?.into_iter();
        // md uses whole chunks of each member.
        let sizes: Vec<u64> = sizes.map(|kib| kib / chunk_kib.max(1)).collect();
        let least = sizes.iter().min().copied().unwrap_or(0);
        // What one disk has beyond the others lies the same in both layouts.
        if sizes.iter().filter(|size| **size > least).count() < 2 {
            return Ok(Verdict::Fine);
        }
        let words = crate::facts::boot_words(facts)?;
        let is_set = words
            .iter()
            .any(|word| word.starts_with("raid0.default_layout="));
        Ok(Verdict::fail_if(!is_set, || {
            Message::new("found-members-different-sizes-no").name("md", md)
        }))
    }))
}

const OLD_METADATA: Rule = Rule {
    id: "md.metadata-old",
    severity: Severity::Low,
    source: "md(4), MD SUPER BLOCK; mdadm(8), `--metadata`",
    judge: old_metadata,
    ..Rule::PLAIN
};

fn old_metadata(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        let version = md.need_word("metadata_version")?;
        Ok(match version {
            "0.90" => Verdict::Note(Message::new("found-metadata-0-90").name("md", md)),
            _ => Verdict::Fine,
        })
    }))
}

const STRIPE_CACHE: Rule = Rule {
    id: "md.stripe-cache",
    severity: Severity::Medium,
    source: "kernel Documentation/admin-guide/md.rst, `stripe_cache_size`; md(4), KERNEL PARAMETERS",
    proof: Some("stripewise run raid5-settings --world model"),
    judge: stripe_cache,
    cost: Some(stripe_cache_cost),
    ..Rule::PLAIN
};

/// `NR_STRIPES` in drivers/md/raid5.c.
const STRIPES_DEFAULT: u64 = 256;

fn stripe_cache(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        if !has_parity(md.level()?) {
            return Ok(Verdict::Fine);
        }
        let stripes = md.need_number("stripe_cache_size")?;
        Ok(match stripes <= STRIPES_DEFAULT {
            true => Verdict::Note(
                Message::new("found-stripes-matters-for-sequential")
                    .name("md", md)
                    .name("stripes", stripes),
            ),
            false => Verdict::Fine,
        })
    }))
}

fn stripe_cache_cost(facts: &Snapshot, found: &[Message]) -> Vec<ModelLink> {
    const LOAD: &str = "write:1M";
    of_arrays(facts, found, |md, stack| {
        let stack = stack.whole();
        let with = |words, stripes| {
            stack.variant(words, LOAD, &format!("stripe_cache_size = {stripes}"), "")
        };
        let now = md.need_number("stripe_cache_size")?;
        let words = Message::new("check-with-stripes");
        let variants = vec![with(None, now), with(Some(words), 4096)];
        Ok(stack.question(LOAD, variants))
    })
}

const BITMAP_CHUNK: Rule = Rule {
    id: "md.bitmap-chunk",
    severity: Severity::Medium,
    source: "md(4), BITMAP WRITE-INTENT LOGGING; mdadm(8), `--bitmap-chunk`; drivers/md/md-bitmap.c, chunksize_store: at most 2 GiB (6.1.192)",
    proof: Some(
        "stripewise predict --device hdd-7200 --array raid1:2 --bitmap 64M --bitmap none --size 900G --workload randwrite:4K",
    ),
    judge: bitmap_chunk,
    cost: Some(bitmap_cost),
    ..Rule::PLAIN
};

/// Chunks from here on are no failure.
const BITMAP_CHUNK_BYTES: u64 = 64 << 20;
/// The largest chunk that a bitmap's superblock can hold, that of the fix, is no finding.
const LARGE_CHUNK_BYTES: u64 = 2 << 30;

fn bitmap_chunk(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        let Some(chunk) = md
            .bitmap_chunk_bytes()?
            .filter(|chunk| *chunk < LARGE_CHUNK_BYTES)
        else {
            return Ok(Verdict::Fine);
        };
        for member in md.members()? {
            if is_rotational(facts, disk_of(facts, member)?)? {
                let stripe = md.full_stripe_bytes().ok().flatten();
                let found = match stripe {
                    Some(bytes) => {
                        Message::new("found-bitmap-and-stripe").name("stripe", bytes / 1024)
                    }
                    None => Message::new("found-bitmap"),
                };
                let found = found.name("md", md).name("chunk", chunk >> 20);
                return Ok(match chunk < BITMAP_CHUNK_BYTES {
                    true => Verdict::Fail(found),
                    false => Verdict::Note(found),
                });
            }
        }
        Ok(Verdict::Fine)
    }))
}

fn bitmap_cost(facts: &Snapshot, found: &[Message]) -> Vec<ModelLink> {
    const LOAD: &str = "randwrite:4K";
    of_arrays(facts, found, |_, stack| {
        let now = stack.whole();
        let (mut without, mut large) = (now.clone(), now.clone());
        (without.bitmap_kib, large.bitmap_kib) = (None, Some(LARGE_CHUNK_BYTES / 1024));
        let all = [&now, &without, &large];
        let words = [
            None,
            Some(Message::new("check-without-bitmap")),
            Some(Message::new("check-with-large-chunks")),
        ];
        let variants = all.iter().zip(words);
        let variants = variants.map(|(stack, words)| stack.variant(words, LOAD, "", ""));
        Ok(Question {
            command: Some(now.command(LOAD, &all.map(|stack| stack.bitmap_kib))),
            ..now.question(LOAD, variants.collect())
        })
    })
}
