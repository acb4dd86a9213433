//! Where a load's own limit or pauses decide, the answer says so.
//!
//! The failure: a load limited to 1000 IOPS had "limited by device service", and an interval up to twice
//! its limit: the profile's error counted as if the stack decided.

use stripewise_diagnose::changes::{Change, Effect, effects};
use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::why::Bottleneck;
use stripewise_profiles::Profiles;
use stripewise_sim::world::Model;
use stripewise_stats::Interval;
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

fn model() -> Model {
    Model::new(Profiles::shipped(), KernelVersion::new(6, 1, 0))
}

fn cell(device: &str, load: &str) -> Cell {
    let text = format!(
        "[stack.s]\ndevices = {{ {device} = 1 }}\n[workload]\nblock_size = \"4K\"\nsize = \"1G\"\nengine = \"libaio\"\n{load}\n"
    );
    stripewise_fixtures::cell(&text)
}

/// Returns the bottleneck, and the interval of the I/Os per second and of the mean latency.
fn answer(device: &str, load: &str) -> (Bottleneck, Interval, Interval) {
    let prediction = Prediction::new(&model(), &cell(device, load), 1, &mut NeverCancel).unwrap();
    let interval = |metric| prediction.estimate(metric).unwrap().interval.unwrap();
    (
        Bottleneck::of(&prediction),
        interval(Metric::Iops),
        interval(Metric::LatencyMean),
    )
}

#[test]
fn a_limit_that_is_reached_decides_and_no_interval_exceeds_it() {
    for (load, limit) in [
        (
            "pattern = \"randread\"\ndepth = 32\nrate_iops = 1000",
            1000.0,
        ),
        (
            "pattern = \"randread\"\ndepth = 4\njobs = 2\nrate_iops = 500",
            1000.0,
        ),
        ("pattern = \"randread\"\ndepth = 8\nrate = \"4M\"", 1024.0),
        ("pattern = \"randwrite\"\ndepth = 8\nrate_iops = 700", 700.0),
        (
            "pattern = \"randrw\"\nmix = \"70/30\"\ndepth = 8\nrate_iops = 700",
            1000.0,
        ),
    ] {
        for device in ["sata-ssd", "nvme-ssd", "samsung-850-evo-500"] {
            let (found, iops, latency) = answer(device, load);
            assert!(
                matches!(found, Bottleneck::OwnRate { .. }),
                "{device} {load}: {found:?}"
            );
            assert!(
                iops.high <= 1.02 * limit && iops.low >= 0.98 * limit,
                "{device} {load}: {iops:?}"
            );
            // How long an I/O takes is the device's.
            let is_known = device == "sata-ssd" && load.contains("randread");
            assert!(
                latency.high > 1.05 * latency.low || !is_known,
                "{device}: {latency:?}"
            );
        }
    }
}

#[test]
fn a_limit_out_of_reach_decides_nothing() {
    let load = "pattern = \"randread\"\ndepth = 1\nrate_iops = 1000";
    let (found, iops, _) = answer("hdd-7200", load);
    assert!(matches!(found, Bottleneck::Latency { .. }), "{found:?}");
    assert!(iops.high < 500.0, "{iops:?}");
    // Just within reach: a drive that is slower than its class does not reach it.
    let near = "pattern = \"randread\"\ndepth = 1\nrate_iops = 150";
    let (found, iops, _) = answer("hdd-7200", near);
    assert!(matches!(found, Bottleneck::OwnRate { .. }), "{found:?}");
    assert!(iops.high < 152.0 && iops.low < 110.0, "{iops:?}");
}

#[test]
fn pauses_that_take_most_of_the_time_decide() {
    let paused = "pattern = \"randread\"\nthink_time = \"10ms\"";
    let (found, iops, _) = answer("sata-ssd", paused);
    assert!(
        matches!(found, Bottleneck::OwnPauses { share } if share > 0.9),
        "{found:?}"
    );
    assert!(iops.high <= 100.0 && iops.low > 90.0, "{iops:?}");
    let bursts = "pattern = \"randread\"\ndepth = 8\nthink_time = \"1s\"\nthink_blocks = 100";
    let (found, iops, _) = answer("sata-ssd", bursts);
    assert!(matches!(found, Bottleneck::OwnPauses { .. }), "{found:?}");
    assert!(iops.high <= 100.0 && iops.low > 90.0, "{iops:?}");
    let (found, ..) = answer("hdd-7200", "pattern = \"randread\"\nthink_time = \"1ms\"");
    assert!(!matches!(found, Bottleneck::OwnPauses { .. }), "{found:?}");
}

#[test]
fn what_the_stack_could_give_without_the_limit_is_shown() {
    let (model, cell) = (
        model(),
        cell(
            "sata-ssd",
            "pattern = \"randread\"\ndepth = 8\nrate_iops = 1000",
        ),
    );
    let prediction = Prediction::new(&model, &cell, 1, &mut NeverCancel).unwrap();
    let effects = effects(&model, &cell, &prediction, 1, &mut NeverCancel).unwrap();
    assert_eq!(effects[0].change, Change::NoOwnRate, "{:?}", effects[0]);
    assert!(effects[0].is_better() && effects[0].ratio.value > 5.0);
    let mut others = effects[1..].iter().filter(|one| one.is_better());
    let is_larger = |one: &Effect| matches!(one.change, Change::BlockSize { .. });
    assert!(others.all(is_larger), "{effects:?}");
}
