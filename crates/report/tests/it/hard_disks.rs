//! A hard disk has no state: its memory empties by itself.
//!
//! The failure: tables of hard disks showed "fresh" and "steady" as those of SSDs do, and asked for
//! `--writes-per-day`, because 32 MiB of the drive's memory take the first writes.
//!
//! And fresh devices of a run are those of `predict`: a run took the first I/Os of its steady simulations for
//! them, in which the buffers had filled already. It was a fifth too slow, and silent about RAID 5.
//!
//! And when devices are steady follows from the room in them: from when a simulation noticed it, two equal
//! arrays had 44 and 58 GiB, and a load that does not settle had nothing.

use std::collections::BTreeMap;

use stripewise_analysis::simulations::seed_of;
use stripewise_diagnose::prediction::Prediction;
use stripewise_profiles::Profiles;
use stripewise_report::states::FreshState;
use stripewise_sim::world::Model;
use stripewise_stats::Estimate;
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::sample::as_f64;
use stripewise_study::world::{NeverCancel, SampleRequest, Simulator};
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

#[test]
fn only_flash_and_fast_areas_make_states() {
    let model = Model::new(Profiles::shipped(), KernelVersion::new(6, 1, 0));
    let mut with_onset = 0;
    for (name, profile) in &model.profiles.devices {
        let text = format!(
            "[stack.s]\ndevices = {{ {name} = 1 }}\n[workload]\npattern = \"randwrite\"\nblock_size = \"4K\"\nsize = \"4G\"\ndepth = 8\nengine = \"libaio\"\n"
        );
        let cell = stripewise_fixtures::cell(&text);
        let steady = Prediction::new(&model, &cell, 1, &mut NeverCancel).unwrap();
        let fresh = steady.fresh(&model, &cell, 1, &mut NeverCancel).unwrap();
        if profile.rotational {
            with_onset += usize::from(steady.breakdown.onset.is_some());
            assert!(fresh.is_none(), "{name}");
        } else if steady.breakdown.onset.is_some() {
            assert!(fresh.is_some(), "{name}");
        }
    }
    assert!(with_onset > 0, "no disk's memory took the first writes");
}

#[test]
fn a_run_and_a_prediction_give_one_fresh_state() {
    const SEED: u64 = 3;
    let model = Model::new(Profiles::shipped(), KernelVersion::new(6, 18, 0));
    for (devices, array, load, is_faster) in [
        (
            "samsung-850-evo-500 = 4",
            "raid10",
            "pattern = \"randwrite\"\nblock_size = \"16K\"\ndepth = 4",
            true,
        ),
        (
            "nvme-ssd = 4",
            "raid5",
            "pattern = \"randwrite\"\nblock_size = \"4K\"\ndepth = 32",
            true,
        ),
        (
            "intel-p4500 = 2",
            "raid1",
            "pattern = \"randwrite\"\nblock_size = \"16K\"\ndepth = 4",
            false,
        ),
        (
            "samsung-850-evo-500 = 2",
            "raid1",
            "pattern = \"randread\"\nblock_size = \"4K\"\ndepth = 4",
            false,
        ),
    ] {
        let text = format!(
            "[stack.s]\ndevices = {{ {devices} }}\narray = {{ level = \"{array}\", bitmap = \"none\" }}\n[workload]\n{load}\nsize = \"4G\"\nengine = \"libaio\"\n"
        );
        let cell = stripewise_fixtures::cell(&text);
        let steady = Prediction::new(&model, &cell, SEED, &mut NeverCancel).unwrap();
        let fresh = steady.fresh(&model, &cell, SEED, &mut NeverCancel).unwrap();
        let predicted = fresh.and_then(|fresh| FreshState::of(&cell, &fresh, &steady));
        let sample = |number: u64| {
            let request = SampleRequest {
                seed: seed_of(SEED, number),
                duration: Nanos::from_millis(1000),
                replay: None,
            };
            Simulator::simulate(&model, &cell, request, &mut NeverCancel).unwrap()
        };
        let samples: Vec<_> = (0..).take(steady.samples.len()).map(sample).collect();
        assert_eq!(
            FreshState::of_samples(&cell, &samples),
            predicted,
            "{devices} {array}"
        );
        let rate =
            |estimates: &BTreeMap<&'static str, Estimate>| estimates[Metric::Bandwidth.key()].value;
        let times = predicted.map_or(1.0, |fresh| {
            assert!(
                fresh.until_bytes.is_some() || !is_faster,
                "{devices} {array}"
            );
            rate(&fresh.estimates) / rate(&steady.estimates)
        });
        assert_eq!(times > 1.1, is_faster, "{devices} {array}: {times} times");
        let mut asked = cell.clone();
        asked.conditions.state = Some(State::Fresh);
        let asked = Prediction::new(&model, &asked, SEED, &mut NeverCancel).unwrap();
        let off = times * rate(&steady.estimates) / rate(&asked.estimates);
        assert!(
            !is_faster || (off - 1.0).abs() < 0.01,
            "{devices} {array}: {off}"
        );
    }
}

/// Returns the fresh state beside one steady simulation.
fn fresh_of(model: &Model, stack: &str, load: &str, seed: u64) -> FreshState {
    let cell = stripewise_fixtures::cell(&format!("[stack.s]\n{stack}\n[workload.w]\n{load}\n"));
    let request = SampleRequest {
        seed,
        duration: Nanos::from_millis(1000),
        replay: None,
    };
    let sample = Simulator::simulate(model, &cell, request, &mut NeverCancel).unwrap();
    FreshState::of_samples(&cell, &[sample]).expect("a fresh state")
}

#[test]
fn when_devices_are_steady_follows_from_their_room() {
    const FAST_BYTES: f64 = 6e9;
    let model = Model::new(Profiles::shipped(), KernelVersion::new(6, 18, 0));
    let stack = |array: &str| {
        format!("devices = {{ samsung-850-evo-500 = 4 }}\narray = {{ {array}, bitmap = \"none\" }}")
    };
    let number = |bytes: Option<Bytes>| as_f64(bytes.expect("known").as_u64());
    let plain = "pattern = \"randwrite\"\nblock_size = \"16K\"\ndepth = 16\nsize = \"8G\"";
    // Both write each byte twice: copies, or data and parity.
    for array in ["level = \"raid10\"", "level = \"raid5\""] {
        let fresh = fresh_of(&model, &stack(array), plain, 1);
        let of_room = number(fresh.until_bytes) / (4.0 * FAST_BYTES / 2.0);
        assert!((0.95..1.05).contains(&of_room), "{array}: {of_room}");
    }
    // A database syncs now and then, beside its log: 30 % are writes, and the log counts, too.
    let database = "from = \"mysql-in-vm\"";
    let seeds: Vec<f64> = [1, 2, 3]
        .map(|seed| fresh_of(&model, &stack("level = \"raid10\""), database, seed))
        .map(|fresh| number(fresh.until_bytes))
        .to_vec();
    let least = seeds.iter().copied().fold(f64::INFINITY, f64::min);
    let most = seeds.iter().copied().fold(0.0, f64::max);
    assert!(most < 1.1 * least, "{seeds:?}");
    assert!(most < 4.0 * FAST_BYTES / 2.0 / 0.3, "{seeds:?}");
    // Its steady simulation does not settle, and the page cache holds its log until the next sync.
    let fresh = fresh_of(&model, &stack("level = \"raid5\""), "from = \"oltp\"", 1);
    let [least, value, most] = [
        fresh.until_least_bytes,
        fresh.until_bytes,
        fresh.until_most_bytes,
    ]
    .map(number);
    assert!(least <= value && value <= most, "{least} {value} {most}");
}
