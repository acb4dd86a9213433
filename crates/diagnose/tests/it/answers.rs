//! An answer must not contradict itself.
//!
//! The failure: a headline stated "mean 1.72 ms" above a breakdown of 4.52 ms in all, and an answer
//! stated "nothing is busy" above a table in which each disk was always busy.
//! `STRIPEWISE_TEST_ANSWERS=N` draws N questions, `STRIPEWISE_TEST_SEED=S` sets the seed.

use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::why::{Bottleneck, Why};
use stripewise_profiles::Profiles;
use stripewise_sim::engine::Limits;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Part, as_f64};
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::splitmix::SplitMix64;

fn model() -> Model {
    Model {
        limits: Limits {
            ios_max: 20_000,
            ..Limits::default()
        },
        ..Model::new(Profiles::shipped(), KernelVersion::new(6, 1, 0))
    }
}

fn cell(stack: &str, workload: &str) -> Cell {
    let text = format!("[stack.s]\n{stack}\n[workload]\n{workload}\n");
    stripewise_fixtures::cell(&text)
}

/// Returns question `number` of `seed`.
fn draw(seed: u64, number: u64) -> (String, Cell) {
    let mut numbers = SplitMix64(seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
    let mut below = |bound: usize| usize::try_from(numbers.draw() % bound as u64).unwrap();
    let device = [
        "sata-ssd",
        "nvme-ssd",
        "hdd-7200",
        "four-ssd-sata",
        "intel-p4500",
        "samsung-850-evo-500",
    ][below(6)];
    let level = ["raid0", "raid1", "raid10", "raid5", "raid6", "none"][below(6)];
    let count = if level == "none" { 1 } else { 4 };
    let chunk = match level {
        "none" | "raid1" => String::new(),
        _ => format!(", chunk = \"{}\"", ["16K", "64K", "512K"][below(3)]),
    };
    let bitmap = match (level, below(2)) {
        ("raid1" | "raid10" | "raid5" | "raid6", 0) => ", bitmap = \"internal\"",
        ("raid1" | "raid10" | "raid5" | "raid6", _) => ", bitmap = \"none\"",
        _ => "",
    };
    let array = match level {
        "none" => String::new(),
        level => format!("array = {{ level = \"{level}\"{chunk}{bitmap} }}"),
    };
    let pattern = ["read", "write", "randread", "randwrite", "randrw"][below(5)];
    let mix = if pattern == "randrw" {
        "\nmix = \"70/30\""
    } else {
        ""
    };
    let block = ["4K", "16K", "64K", "512K"][below(4)];
    let depth = [1, 2, 8, 32][below(4)];
    let workload = format!(
        "pattern = \"{pattern}\"\nblock_size = \"{block}\"\ndepth = {depth}\nengine = \"libaio\"\nsize = \"4G\"{mix}"
    );
    let stack = format!("devices = {{ {device} = {count} }}\n{array}");
    (format!("{stack} {workload}"), cell(&stack, &workload))
}

#[test]
fn the_parts_of_an_io_add_up_to_its_mean_and_the_bottleneck_is_busy() {
    let (model, seed) = (
        model(),
        stripewise_fixtures::number("STRIPEWISE_TEST_SEED").unwrap_or(1),
    );
    for question in 0..stripewise_fixtures::number("STRIPEWISE_TEST_ANSWERS").unwrap_or(30) {
        let (words, cell) = draw(seed, question);
        let words = format!("question {question} of seed {seed}: {words}");
        let prediction = Prediction::new(&model, &cell, seed, &mut NeverCancel).unwrap();
        let mean = prediction.estimate(Metric::LatencyMean).unwrap().value;
        let in_all = prediction.breakdown.mean_ns();
        assert!(
            (mean / in_all - 1.0).abs() < 1e-9,
            "{words}: {mean} {in_all}"
        );

        let values = |metric: Metric| prediction.samples.iter().map(move |one| metric.of(one));
        for (key, estimate) in &prediction.estimates {
            let metric = Metric::ALL
                .into_iter()
                .find(|metric| metric.key() == *key)
                .unwrap();
            let first = values(metric).next().unwrap();
            let are_equal = values(metric).all(|value| value == first);
            let Some(interval) = estimate.interval_of_samples() else {
                assert!(prediction.is_cut_short, "{words}: {key}");
                continue;
            };
            assert_eq!(interval.low == interval.high, are_equal, "{words}: {key}");
        }

        let why = Why::new(&model, &cell, &prediction);
        let said = format!("{:?}", why.bottleneck.sentence());
        let busiest = prediction.busiest("").max(prediction.busiest_disk());
        assert!(busiest <= 1.01, "{words}: {busiest}");
        match why.bottleneck {
            Bottleneck::Latency { .. } if said.starts_with("limit-latency(") => {
                assert!(busiest < 0.85, "{words}: {said} {busiest}");
            }
            Bottleneck::Saturated { busy_share, .. } => {
                assert!((0.85..=1.01).contains(&busy_share), "{words}: {said}");
            }
            // A link that is mostly idle is no cause: what waits there waits for the disk.
            Bottleneck::Latency {
                part: Part::Link, ..
            } => {
                let links = as_f64(prediction.members.len() as u64);
                let transferring = prediction.mean_busy("link of") * links;
                let iops = prediction.estimate(Metric::Iops).unwrap().value;
                let on_links = prediction.breakdown.share(&[Part::Link]) * in_all / 1e9;
                let is_busy = prediction.busiest("link of") >= 0.5;
                assert!(
                    is_busy || transferring >= 0.4 * iops * on_links,
                    "{words}: {transferring} of {} on the links",
                    iops * on_links
                );
            }
            Bottleneck::Latency { .. } | Bottleneck::Syncs { .. } => {}
            Bottleneck::OwnRate { .. } | Bottleneck::OwnPauses { .. } => {
                panic!("{words}: no load has a rate of its own")
            }
        }
    }
}
