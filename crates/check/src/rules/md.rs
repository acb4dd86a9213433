//! md arrays.

use crate::facts::{
    arrays, directives, disk_of, full_stripe_bytes, has_parity, has_ups, is_rotational, level,
    member_disks, members, of_array, smart,
};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[
    DEGRADED,
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
    title: "an md array runs without all of its members",
    severity: Severity::Critical,
    reason: "A RAID 5 without one disk has no redundancy, and rebuilds every read of that disk from all the others.",
    source: "md(4), DESCRIPTION; mdadm(8), MANAGE MODE; kernel Documentation/admin-guide/md.rst, `degraded`, `array_state`, `dev-XXX/state`",
    fix: "Read the SMART values of the remaining members first, then `mdadm /dev/mdX --add /dev/sdY`.",
    risk: "The rebuild reads every sector of every other disk; a second bad sector ends the array.",
    undo: "`mdadm --fail` and `mdadm --remove` the added disk.",
    proof: Some(
        "stripewise predict --device sata-ssd --array raid5:4:64K --failed 1 --workload randread:4K",
    ),
    judge: degraded,
    settings: None,
};

fn degraded(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    for md in arrays(facts)? {
        findings.add(
            facts
                .number(&format!("/sys/block/{md}/md/degraded"))
                .map(|count| {
                    let count = count.unwrap_or(0);
                    Verdict::fail_if(count > 0, || {
                        format!("{md}: {count} of its members missing")
                    })
                }),
        );
        findings
            .add(of_array(facts, md, "array_state").map(|state| {
                Verdict::fail_if(state == "inactive", || format!("{md} is inactive"))
            }));
        let judged = members(facts, md).map(|members| {
            Findings::each(members, |member| {
                let state = of_array(facts, md, &format!("dev-{member}/state"))?;
                let is_faulty = state.split(',').any(|word| word == "faulty");
                Ok(Verdict::fail_if(is_faulty, || {
                    format!("{md}: {member} is faulty")
                }))
            })
        });
        findings = findings.and(judged);
    }
    Ok(findings)
}

const MISMATCH: Rule = Rule {
    id: "md.mismatch",
    title: "parity or copies of an array do not match its data",
    severity: Severity::Critical,
    reason: "On a clean RAID 5 or 6 a mismatch means memory, a cable, a controller, or a stop without a clean shutdown. On RAID 1 and 10 swap and pages that change while they are written cause mismatches too. md counts sectors of whole I/Os: 128 is one check of 64 KiB.",
    source: "md(4), SCRUBBING AND MISMATCHES",
    fix: "Test the memory and the cables, then `echo repair > /sys/block/mdX/md/sync_action`.",
    risk: "`repair` computes the parity again from the data, so a wrong data block becomes final: back up first.",
    undo: "None: a repair overwrites the old parity.",
    proof: None,
    judge: mismatch,
    settings: None,
};

fn mismatch(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        let level = level(facts, md)?;
        let count = facts
            .number(&format!("/sys/block/{md}/md/mismatch_cnt"))?
            .unwrap_or(0);
        let found = format!("{md} ({level}): {count} sectors do not match");
        Ok(match (count, has_parity(level)) {
            (0, _) => Verdict::Fine,
            (_, true) => Verdict::Fail(found),
            (_, false) => Verdict::Note(found),
        })
    }))
}

const WRITE_HOLE: Rule = Rule {
    id: "md.write-hole",
    title: "a power cut can leave an array with wrong parity",
    severity: Severity::Critical,
    reason: "A power cut between the write of the data and the write of the parity leaves wrong parity, and a disk that fails before the resync ends is rebuilt from it. Only a journal or a partial parity log closes this gap.",
    source: "md(4), RAID WRITE HOLE; kernel Documentation/driver-api/md/raid5-ppl.rst and raid5-cache.rst",
    fix: "`mdadm --grow --consistency-policy=ppl /dev/mdX` (RAID 5 only), or a write journal: `mdadm --manage /dev/mdX --add-journal`; or a UPS that shuts the host down.",
    risk: "A partial parity log costs write speed and excludes a bitmap. An array whose journal fails becomes read-only.",
    undo: "`mdadm --grow --consistency-policy=resync /dev/mdX`.",
    proof: Some("stripewise pull-plug studies/write-hole.toml --without-member 0"),
    judge: write_hole,
    settings: None,
};

fn write_hole(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        if !has_parity(level(facts, md)?) {
            return Ok(Verdict::Fine);
        }
        let policy = of_array(facts, md, "consistency_policy")?;
        let is_open = matches!(policy, "resync" | "bitmap") && !has_ups(facts)?;
        Ok(Verdict::fail_if(is_open, || {
            format!("{md}: consistency policy `{policy}`, and no UPS is configured")
        }))
    }))
}

const ERC_TIMEOUT: Rule = Rule {
    id: "md.erc-timeout",
    title: "the kernel gives up on a member before the disk does",
    severity: Severity::Critical,
    reason: "A desktop disk retries a bad sector for minutes. The kernel resets it after 30 s, and md removes it from the array.",
    source: "mdadm's udev-md-raid-safe-timeouts.rules; smartctl(8), `-l scterc`; kernel Documentation/scsi/scsi_eh.rst; Linux RAID wiki, Timeout Mismatch",
    fix: "`smartctl -l scterc,70,70 /dev/sdX` at each start; if the disk has no such setting, `echo 180 > /sys/block/sdX/device/timeout`.",
    risk: "180 s means long stalls. Error recovery control on a disk without redundancy gives up sooner.",
    undo: "`smartctl -l scterc,0,0 /dev/sdX`, or 30 in the file.",
    proof: None,
    judge: erc_timeout,
    settings: None,
};

/// How long a disk without error recovery control may retry, in seconds: the value of mdadm's rules.
const SAFE_TIMEOUT_S: u64 = 180;

fn erc_timeout(facts: &Snapshot) -> Judged {
    let mut disks = Vec::new();
    for md in arrays(facts)? {
        disks.extend(member_disks(facts, md)?);
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
            _ => Verdict::Fail(format!(
                "{disk}: error recovery control is off or unsupported, and the kernel waits {timeout} s"
            )),
        })
    }))
}

const STALE_CONF: Rule = Rule {
    id: "mdadm.conf-stale",
    title: "mdadm.conf does not know a running array",
    severity: Severity::High,
    reason: "After the next boot the array is called md127, and fstab or filters of LVM do not find it.",
    source: "mdadm.conf(5), ARRAY; Debian mdadm README.Debian; dracut and initramfs-tools copy the file into the initramfs",
    fix: "`mdadm --detail --scan`, take the missing lines into mdadm.conf, and `update-initramfs -u`.",
    risk: "A wrong ARRAY line stops the boot: keep the old initramfs.",
    undo: "Put the old file back and run `update-initramfs -u`.",
    proof: None,
    judge: stale_conf,
    settings: None,
};

pub(super) fn conf(facts: &Snapshot) -> Result<Option<(&'static str, &str)>, Missing> {
    for path in ["/etc/mdadm/mdadm.conf", "/etc/mdadm.conf"] {
        if let Some(text) = facts.text(path)? {
            return Ok(Some((path, text)));
        }
    }
    Ok(None)
}

fn stale_conf(facts: &Snapshot) -> Judged {
    if arrays(facts)?.is_empty() {
        return Ok(Findings::default());
    }
    let (path, text) = conf(facts)?.unwrap_or(("/etc/mdadm/mdadm.conf", ""));
    let known = text.to_ascii_lowercase();
    let scan = facts.command("mdadm --detail --scan")?;
    let lines = scan.lines().filter(|line| line.starts_with("ARRAY"));
    let mut findings = Findings::each(lines, |line| {
        let uuid = line
            .split_whitespace()
            .find_map(|word| word.strip_prefix("UUID="));
        let uuid = uuid.unwrap_or_default();
        let is_known = !uuid.is_empty() && known.contains(&uuid.to_ascii_lowercase());
        Ok(Verdict::fail_if(!is_known, || {
            format!("array {uuid} is not in {path}")
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
                format!("{image} is older than {path}")
            })));
        }
    }
    Ok(findings)
}

const NO_SCRUB: Rule = Rule {
    id: "md.no-scrub",
    title: "nothing reads the whole array from time to time",
    severity: Severity::High,
    reason: "A bad sector in a place that nobody reads is found only when a rebuild needs it, and then there is no copy left.",
    source: "md(4), SCRUBBING AND MISMATCHES; Debian mdadm: /etc/cron.d/mdadm, mdcheck_start.timer",
    fix: "`systemctl enable --now mdcheck_start.timer mdcheck_continue.timer`, or keep `AUTOCHECK=true` in /etc/default/mdadm.",
    risk: "A check reads all disks for hours; md slows it down while others use the array.",
    undo: "`systemctl disable --now mdcheck_start.timer`.",
    proof: None,
    judge: no_scrub,
    settings: None,
};

fn no_scrub(facts: &Snapshot) -> Judged {
    let mut redundant = Vec::new();
    for md in arrays(facts)? {
        if !matches!(level(facts, md)?, "raid0" | "linear") {
            redundant.push(md);
        }
    }
    if redundant.is_empty() {
        return Ok(Findings::default());
    }
    let wanted = facts.glob("/etc/systemd/system/*.wants/*")?;
    let has_timer = wanted.iter().any(|path| {
        ["mdcheck_start.timer", "raid-check.timer"]
            .iter()
            .any(|timer| path.ends_with(timer))
    });
    let has_cron = facts.exists("/etc/cron.d/mdadm")? && {
        let defaults = facts.text("/etc/default/mdadm")?.unwrap_or_default();
        directives(defaults).any(|line| line == "AUTOCHECK=true")
    };
    Ok(Findings::each(redundant, |md| {
        Ok(Verdict::fail_if(!has_timer && !has_cron, || {
            format!("{md} has no periodic check")
        }))
    }))
}

const RAID0_LAYOUT: Rule = Rule {
    id: "md.raid0-layout",
    title: "a RAID 0 of unequal disks may not assemble after a reboot",
    severity: Severity::High,
    reason: "Linux 3.14 changed where the data of such an array lies. From 5.4 on the kernel refuses to guess: without a layout in the superblock or a default the array does not start.",
    source: "kernel drivers/md/raid0.c, create_strip_zones (6.1.192); mdadm(8), `--update=layout-original`",
    fix: "Find out under which kernel the array was filled, then add `raid0.default_layout=2` (3.14 and later) or `1` to the kernel command line.",
    risk: "The wrong layout shows wrong data behind the end of the smallest disk: check files before you write.",
    undo: "Remove the word from the command line.",
    proof: None,
    judge: raid0_layout,
    settings: None,
};

fn raid0_layout(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        if level(facts, md)? != "raid0" || of_array(facts, md, "layout")? != "0" {
            return Ok(Verdict::Fine);
        }
        let chunk_kib = facts.need_number(&format!("/sys/block/{md}/md/chunk_size"))? / 1024;
        let mut sizes = Vec::new();
        for path in facts.glob(&format!("/sys/block/{md}/md/dev-*/size"))? {
            // In KiB; md uses whole chunks of each member.
            sizes.push(facts.need_number(path)? / chunk_kib.max(1));
        }
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
            format!("{md}: members of different sizes, and no layout is recorded")
        }))
    }))
}

const OLD_METADATA: Rule = Rule {
    id: "md.metadata-old",
    title: "an array has a superblock of version 0.90",
    severity: Severity::Low,
    reason: "Version 0.90 stands at the end of a device and does not say whether it belongs to the disk or to its last partition. It is limited to 28 devices and to 2 TB of each with older kernels.",
    source: "md(4), MD SUPER BLOCK; mdadm(8), `--metadata`",
    fix: "`mdadm --stop /dev/mdX`, then `mdadm --assemble --update=metadata /dev/mdX ...` turns it into version 1.0.",
    risk: "Boot loaders and initramfs must find the array under its new version.",
    undo: "None: 1.0 cannot be turned back.",
    proof: None,
    judge: old_metadata,
    settings: None,
};

fn old_metadata(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        let version = of_array(facts, md, "metadata_version")?;
        Ok(match version {
            "0.90" => Verdict::Note(format!("{md} has metadata 0.90")),
            _ => Verdict::Fine,
        })
    }))
}

const STRIPE_CACHE: Rule = Rule {
    id: "md.stripe-cache",
    title: "the stripe cache has its default size",
    severity: Severity::Medium,
    reason: "With few stripes in memory md cannot collect sequential writes to full stripes, and reads old data or parity first. Random writes gain little.",
    source: "kernel Documentation/admin-guide/md.rst, `stripe_cache_size`; md(4), KERNEL PARAMETERS",
    fix: "`echo 4096 > /sys/block/mdX/md/stripe_cache_size`, in a udev rule to keep it.",
    risk: "Memory: size x 4 KiB x disks, so 8192 with 3 disks takes 96 MiB.",
    undo: "`echo 256 > /sys/block/mdX/md/stripe_cache_size`.",
    proof: Some("stripewise run studies/raid5-settings.toml --world model"),
    judge: stripe_cache,
    settings: None,
};

/// `NR_STRIPES` in drivers/md/raid5.c.
const STRIPES_DEFAULT: u64 = 256;

fn stripe_cache(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        if !has_parity(level(facts, md)?) {
            return Ok(Verdict::Fine);
        }
        let stripes = facts.need_number(&format!("/sys/block/{md}/md/stripe_cache_size"))?;
        Ok(match stripes <= STRIPES_DEFAULT {
            true => Verdict::Note(format!(
                "{md}: {stripes} stripes; matters for sequential writes"
            )),
            false => Verdict::Fine,
        })
    }))
}

const BITMAP_CHUNK: Rule = Rule {
    id: "md.bitmap-chunk",
    title: "a write-intent bitmap slows down random writes to hard disks",
    severity: Severity::Medium,
    reason: "The first write into each region moves the heads to the bitmap and back. With many small regions most random writes are a first write.",
    source: "md(4), BITMAP WRITE-INTENT LOGGING; mdadm(8), `--bitmap-chunk`; drivers/md/md-bitmap.c, chunksize_store: at most 2 GiB (6.1.192)",
    fix: "`mdadm --grow --bitmap=none /dev/mdX`, then `mdadm --grow --bitmap=internal --bitmap-chunk=2G /dev/mdX`; `check` simulates what that gives.",
    risk: "A crash is followed by a longer resync: of each region that was written. While the bitmap is replaced there is none.",
    undo: "The same commands with the old chunk.",
    proof: Some(
        "stripewise predict --device hdd-7200 --array raid1:2 --bitmap 64M --bitmap none --size 900G --workload randwrite:4K",
    ),
    judge: bitmap_chunk,
    settings: None,
};

/// Chunks from here on are no failure.
const BITMAP_CHUNK_BYTES: u64 = 64 << 20;
/// The largest chunk that a bitmap's superblock can hold, that of the fix, is no finding.
const LARGE_CHUNK_BYTES: u64 = 2 << 30;

fn bitmap_chunk(facts: &Snapshot) -> Judged {
    Ok(Findings::each(arrays(facts)?, |md| {
        let location = facts.word(&format!("/sys/block/{md}/md/bitmap/location"))?;
        if location.is_none_or(|location| location == "none") {
            return Ok(Verdict::Fine);
        }
        let chunk = facts.need_number(&format!("/sys/block/{md}/md/bitmap/chunksize"))?;
        if chunk >= LARGE_CHUNK_BYTES {
            return Ok(Verdict::Fine);
        }
        for member in members(facts, md)? {
            if is_rotational(facts, disk_of(facts, member)?)? {
                let stripe = full_stripe_bytes(facts, md).ok().flatten();
                let stripe = stripe.map_or_else(String::new, |bytes| {
                    format!(", full stripe {} KiB", bytes / 1024)
                });
                let found = format!(
                    "{md}: bitmap chunk {} MiB on hard disks{stripe}",
                    chunk >> 20
                );
                return Ok(match chunk < BITMAP_CHUNK_BYTES {
                    true => Verdict::Fail(found),
                    false => Verdict::Note(found),
                });
            }
        }
        Ok(Verdict::Fine)
    }))
}
