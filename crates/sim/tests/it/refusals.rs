//! The model refuses unsupported conditions: a result that ignores one would report "no
//! difference".

use std::num::NonZeroU32;

use stripewise_sim::engine::{Ending, Limits};
use stripewise_study::conditions::Conditions;
use stripewise_study::stack::{Filesystem, Level, Volume};
use stripewise_study::workload::Pattern;
use stripewise_study::world::NeverCancel;
use stripewise_units::{Bytes, Nanos};

use crate::support::{Case, GIB, KIB, bandwidth, disk};

fn refusal(case: &Case) -> String {
    case.try_build().unwrap_err().to_string()
}

fn with_option(option: &str) -> Case {
    let mut case = Case::single();
    case.stack.filesystem = Filesystem::Made {
        kind: "ext4".to_owned(),
        mkfs: Vec::new(),
        options: vec!["noatime".to_owned(), option.to_owned()],
        group: None,
        log: None,
    };
    case
}

#[test]
fn conditions_that_are_not_simulated_are_refused_by_name() {
    let mut energy = Case::single();
    energy.conditions.energy_preference = Some("balance_power".to_owned());
    assert!(refusal(&energy).contains("`balance_power`"));

    type Set = fn(&mut Conditions);
    let others: [(Set, &str); 4] = [
        (|it| it.turbo = Some(true), "`turbo = true`"),
        (|it| it.cpu_dma_latency_us = Some(0), "`cpu_dma_latency_us"),
        (
            |it| drop(it.sysctl.insert("vm.dirty_ratio".into(), "10".into())),
            "`vm.dirty_ratio`",
        ),
        (|it| it.cpus = "0-3".parse().ok(), "`cpus = \"0-3\"`"),
    ];
    for (set, name) in others {
        let mut case = Case::single();
        set(&mut case.conditions);
        assert!(refusal(&case).contains(name), "{name}");
    }

    let mut scheduler = Case::single();
    scheduler.conditions.scheduler = Some("bfq".to_owned());
    assert!(refusal(&scheduler).contains("`bfq`"));

    let mut governor = Case::single();
    governor.conditions.governor = Some("turbo".to_owned());
    let text = refusal(&governor);
    assert!(
        text.contains("`turbo`") && text.contains("`powersave`"),
        "{text}"
    );
}

#[test]
fn mount_options_that_change_durability_are_refused_and_others_are_not() {
    for option in ["nobarrier", "barrier=0", "data=journal", "sync"] {
        assert!(refusal(&with_option(option)).contains(option), "{option}");
    }
    assert!(with_option("relatime").try_build().is_ok());
}

#[test]
fn unsupported_filesystems_are_refused() {
    let mut case = Case::single();
    case.stack.filesystem = Filesystem::Made {
        kind: "f2fs".to_owned(),
        mkfs: Vec::new(),
        options: Vec::new(),
        group: None,
        log: None,
    };
    assert!(refusal(&case).contains("`f2fs`"));
}

#[test]
fn stripes_over_one_array_are_refused() {
    let stripes = Volume::Striped {
        stripes: NonZeroU32::MIN.saturating_add(1),
        stripe_bytes: Bytes::new(64 * KIB),
    };
    let case = Case::array(Level::Raid10, Some("n2"), 4).volume(stripes);
    assert!(refusal(&case).contains("2 stripes"));
}

#[test]
fn files_that_do_not_fit_are_refused_with_both_sizes() {
    let case = Case::single().size(1 << 50);
    let text = refusal(&case);
    assert!(text.contains("1024T") && text.contains("holds"), "{text}");
}

#[test]
fn more_requests_in_flight_than_slots_are_refused() {
    let case = Case::single().size(4 * GIB).depth(1024, 32_768);
    assert!(refusal(&case).contains("in flight"));
}

#[test]
fn a_load_that_waits_for_hours_between_ios_is_refused() {
    // 1 GiB at a byte per second starts every 34 years: the twentieth I/O was after the end of
    // virtual time.
    let mut case = Case::single().pattern(Pattern::RandRw, GIB);
    case.workload.load.rate_bytes_per_s = Some(Bytes::new(1));
    assert!(refusal(&case).contains("wait 1073741824 s between two I/Os"));
    case.workload.load.rate_bytes_per_s = Some(Bytes::new(GIB / 1800));
    assert!(case.try_build().is_err());
    case.workload.load.rate_bytes_per_s = Some(Bytes::new(GIB / 1800 + 1));
    assert!(case.try_build().is_ok());

    let mut thinks = Case::single();
    thinks.workload.load.think_time_ns = Nanos::from_millis(30 * 60 * 1000);
    assert!(thinks.try_build().is_ok());
    thinks.workload.load.think_time_ns = Nanos::from_millis(30 * 60 * 1000 + 1);
    assert!(refusal(&thinks).contains("`think_time`"));
}

#[test]
fn a_load_slower_than_its_warm_up_is_still_measured() {
    // 1032 I/Os of warm-up at some 200 per second, in samples of half a second.
    let case = Case::single()
        .on(1, &disk())
        .pattern(Pattern::RandRead, 4096);
    let case = case.size(GIB / 32).depth(16, 32);
    let mut simulation = case.build();
    let ending = simulation.run(
        &Limits {
            duration: Nanos::from_millis(500),
            ..Limits::default()
        },
        &mut NeverCancel,
    );
    assert_eq!(ending, Ending::Complete);
    let sample = simulation.sample();
    assert!(bandwidth(&sample) > 100.0 * 4096.0, "{}", sample.read.ios);
}
