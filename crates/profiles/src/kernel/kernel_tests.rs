#[path = "page_tests.rs"]
mod page;

use std::collections::BTreeSet;

use expect_test::{expect, expect_file};

use super::*;

fn of(text: &str) -> Policy {
    policy(KernelVersion::parse(text).unwrap())
}

#[test]
fn the_table_is_in_order_and_every_entry_has_a_source() {
    let mut rules: Vec<&str> = Vec::new();
    for entry in entries() {
        let Entry { rule, since, .. } = entry;
        assert!(entry.source.ends_with('.'), "{rule}: {}", entry.source);
        assert!(
            !entry.change.is_empty() && entry.change.len() <= 140,
            "{rule}: {}",
            entry.change
        );
        let mainline = entry.mainline();
        assert_eq!(
            mainline.patch, 0,
            "{rule}: {mainline} is no mainline version"
        );
        assert!(since[1..].is_sorted(), "{rule}");
        let series: BTreeSet<_> = since
            .iter()
            .map(|first| (first.major, first.minor))
            .collect();
        assert_eq!(series.len(), since.len(), "{rule}: one version a series");
        assert!(since[1..].iter().all(|first| *first < mainline), "{rule}");
        rules.push(rule);
    }
    assert!(
        entries().windows(2).all(|pair| {
            pair[0].rule != pair[1].rule || pair[0].mainline() < pair[1].mainline()
        })
    );
    rules.dedup();
    let all: BTreeSet<_> = rules.iter().collect();
    assert_eq!(
        all.len(),
        rules.len(),
        "the entries of a rule stand together"
    );
}

#[test]
fn all_entries_of_a_rule_agree_on_whether_it_is_read() {
    for entry in entries() {
        let same = entries().iter().filter(|other| other.rule == entry.rule);
        assert!(
            same.clone()
                .all(|other| other.not_yet_read == entry.not_yet_read),
            "{}",
            entry.rule
        );
    }
}

#[test]
fn generations_are_in_order_and_differ() {
    assert!(generations().is_sorted_by(|earlier, later| earlier.first < later.first));
    assert!(generations()[0].changed.is_empty());
    for pair in generations().windows(2) {
        assert_ne!(pair[0].policy, pair[1].policy, "{}", pair[1].first);
        assert!(!pair[1].changed.is_empty(), "{}", pair[1].first);
        assert_eq!(pair[1].first.impossible(), None);
    }
}

#[test]
fn every_version_has_the_rules_that_the_table_gives_it() {
    for version in versions() {
        assert_eq!(policy(version), generation(version).policy, "{version}");
    }
}

#[test]
fn generations_list_their_changes() {
    let changed = |text: &str| {
        let generation = generation(KernelVersion::parse(text).unwrap());
        format!("{}: {}", generation.first, generation.changed.join("; "))
    };
    expect![[r#"
        4.3: bios cross chunk borders, and md splits them; requests to a member hold 1280 KiB at most; a plug holds one request for each NVMe or virtio device; raid4, raid5 and raid6 reads are split at chunks, and each part bypasses the stripe cache
        5.3: raid10 on SSDs reads from the copy with the fewest pending requests
        6.1.53: raid0 submits the rest of a split bio before its front
        6.2: not yet: raid0 submits the rest of a split bio before its front; not yet: raid1 and raid10 without a bitmap submit writes at once; not yet: a window of read-ahead is never shorter than the one before; not yet: a task that waits for io_uring counts as waiting for I/O, which raises its clock
        6.12.43: the block layer cuts bios for raid10 at chunks, front first
        6.14: direct writes to raid1 and raid10 are not throttled; raid4, raid5 and raid6 writes mark whole rows of chunks in the bitmap
        6.17: the block layer cuts bios for raid0 at chunks, front first; requests to a member hold 4096 KiB at most; a hard disk without an optimal I/O size reads ahead two of its longest requests"#]].assert_eq(
        &["4.3", "5.3.18", "6.1.60", "6.2", "6.12.95", "6.15", "6.18"]
            .map(changed)
            .join("\n"),
    );
}

#[test]
fn a_version_follows_its_generation() {
    assert_eq!(of("2.6.32"), of("3.10"));
    assert_eq!(of("4.9.337"), of("4.8"));
    assert_eq!(
        of("5.2.21").raid10_read_balance,
        Raid10ReadBalance::IdleIsZero
    );
    assert_eq!(of("6.1.52").raid0_split, Raid0Split::RestLater);
    assert_eq!(of("6.1.192").raid0_split, Raid0Split::RestFirst);
    assert_eq!(of("7.3"), of("7.2"));
    assert!(!of("5.3.18").bios_cut_at_physical_blocks);
    assert!(of("5.4").bios_cut_at_physical_blocks);
}

#[test]
fn a_kernel_beyond_the_known_ones_is_reported_with_the_nearest_known_one() {
    let words = |text: &str| format!("{:?}", rules_in_words(KernelVersion::parse(text).unwrap()));
    assert_eq!(words("6.12.48"), "6.12.48");
    assert_eq!(words("6.16.9"), "6.16.9");
    assert_eq!(
        words("7.99"),
        "kernel-rules-newest(kernel: 7.99, rules: 7.2)"
    );
    assert_eq!(
        words("2.6.32"),
        "kernel-rules-oldest(kernel: 2.6.32, rules: 3.10)"
    );
}

#[test]
fn rules_of_the_kernels_studied_most() {
    let old = of("4.1");
    assert_eq!(old.raid10_read_balance, Raid10ReadBalance::FirstIdle);
    assert!(old.bios_end_at_chunks);
    assert_eq!(old.member_request_max_kib, 32767);
    let plug = PlugPolicy {
        requests_max: 16,
        requests_several_queues_max: 16,
        counts_per_queue: true,
        flush_bytes: u64::MAX,
        flush_request: PlugFlushRequest::Newest,
    };
    assert_eq!(old.plug(), plug);
    assert_eq!(old.raw_plug, RawPlug::All);
    let debian = of("6.1.0-18-amd64");
    assert_eq!(
        debian.raid10_read_balance,
        Raid10ReadBalance::FewestPendingIfSsd
    );
    assert_eq!(debian.raid1_unit_bytes, Some(64 << 20));
    assert_eq!(debian.mirror_writes, MirrorWrites::AtUnplug);
    let later = of("6.1.192").mirror_writes;
    assert_eq!(later, MirrorWrites::DirectWithoutBitmap);
    assert_eq!(debian.md_flush, FlushRule::Coalesced);
    assert_eq!(debian.plug_merge, PlugMerge::NewestOfQueue);
    assert_eq!(debian.member_request_max_kib, 1280);
    let plug = PlugPolicy {
        requests_max: 32,
        requests_several_queues_max: 64,
        counts_per_queue: false,
        flush_bytes: 128 << 10,
        flush_request: PlugFlushRequest::Newest,
    };
    assert_eq!(debian.plug(), plug);
    assert_eq!(debian.raw_plug, RawPlug::Writes);
    let new = of("6.12");
    assert_eq!(new.raid1_read_balance, Raid1ReadBalance::SequentialGivesWay);
    assert_eq!(new.mirror_writes, MirrorWrites::DirectWithoutBitmap);
    assert_eq!(new.raw_plug, RawPlug::None);
    assert_eq!(new.md_flush, FlushRule::BesideData);
}

/// Versions inside a series: before and after a backported change, and kernels whose source was
/// read.
const PATCHES: &[(u16, u16, &[u16])] = &[
    (4, 1, &[52]),
    (5, 10, &[79, 80, 89]),
    (5, 14, &[18, 19]),
    (5, 15, &[2, 3, 135]),
    (6, 1, &[20, 27, 28, 38, 39, 52, 53, 191, 192]),
    (6, 4, &[3, 4, 15, 16]),
    (6, 5, &[2, 3]),
    (6, 6, &[78, 79]),
    (6, 12, &[12, 13, 24, 25, 34, 35, 42, 43, 95, 117]),
    (6, 15, &[3, 4, 10, 11]),
    (6, 16, &[1, 2]),
];

fn versions() -> Vec<KernelVersion> {
    let last_minor = [(3, 10, 19), (4, 0, 20), (5, 0, 19), (6, 0, 19), (7, 0, 3)];
    let minors = last_minor
        .into_iter()
        .flat_map(|(major, first, last)| (first..=last).map(move |minor| (major, minor)));
    let all = minors.flat_map(|(major, minor)| {
        let patches = PATCHES
            .iter()
            .filter(move |(one, other, _)| (*one, *other) == (major, minor))
            .flat_map(|(_, _, patches)| *patches);
        std::iter::once(&0)
            .chain(patches)
            .map(move |patch| KernelVersion::new(major, minor, *patch))
    });
    all.collect()
}

/// Returns the rules as `{:?}` writes them, one per field, named as in `kernels/rules.toml`.
fn rules(version: KernelVersion) -> Vec<String> {
    let debug = format!("{:?}", policy(version));
    let (_, inside) = debug.split_once(" { ").unwrap();
    let mut group = String::new();
    let field = |field: &str| {
        let (part, rule) = field.split_once("Policy { ").unwrap_or(("", field));
        if let Some((name, _)) = part.split_once(": ") {
            group = format!("{name}.");
        }
        let named = format!("{group}{}", rule.trim_end_matches(" }"));
        if rule.ends_with(" }") {
            group.clear();
        }
        named
    };
    inside.split(", ").map(field).collect()
}

/// Each line is a version and the rules that differ from the line before, so that a change of the
/// table shows here.
#[test]
fn rules_of_every_version() {
    let mut lines = String::new();
    let mut before = Vec::new();
    for version in versions() {
        let now = rules(version);
        let changed = now.iter().filter(|rule| !before.contains(*rule));
        let changed: Vec<&str> = changed.map(String::as_str).collect();
        lines.push_str(format!("{version}  {}", changed.join("  ")).trim_end());
        lines.push('\n');
        before = now;
    }
    expect_file!["../../tests/kernel_rules.txt"].assert_eq(&lines);
}

#[test]
fn the_rules_that_changed_between_two_kernels_are_the_same_either_way() {
    let version = |text: &str| KernelVersion::parse(text).unwrap();
    let rules = |one: &str, other: &str| -> Vec<&str> {
        let changed = changed_rules(version(one), version(other));
        changed.iter().map(|entry| entry.rule.as_str()).collect()
    };
    assert!(rules("6.1.100", "6.1.100").is_empty());
    let changed = rules("5.2", "5.4");
    assert!(changed.contains(&"raid10_read_balance"), "{changed:?}");
    assert_eq!(changed, rules("5.4", "5.2"));
}
