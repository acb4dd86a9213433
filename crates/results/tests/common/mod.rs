//! Test values for this crate, derived from a number, so that tests can compare the data read back
//! with the data written.

#![allow(dead_code, reason = "an example uses a part of this module")]

use stripewise_fixtures::Numbers;
use stripewise_results::world::WorldSpec;
use stripewise_results::{NewRun, RunId, Store};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Conditions;
use stripewise_study::facts::{DeviceFacts, Facts, TargetFacts};
use stripewise_study::sample::{
    CpuTime, DeviceDelta, Latency, Role, Sample, SampleRecord, Transfer,
};
use stripewise_study::stack::{Filesystem, Stack};
use stripewise_study::warning::Warning;
use stripewise_study::workload::{Data, Distribution, Engine, Load, Pattern, Workload};
use stripewise_study::world::Change;
use stripewise_study::world::WorldName;
use stripewise_units::histogram::Histogram;
use stripewise_units::{Bytes, Nanos};

pub fn new_run() -> NewRun {
    NewRun {
        origin: WorldName::Metal.into(),
        world: Some(WorldSpec::Files {
            target: "/srv/test".into(),
        }),
        study_name: "chunk".into(),
        question: Some("which chunk size?".into()),
        study_text: "# a study\n[stack.a]\n".into(),
        seed: u64::MAX,
        options: serde_json::json!({ "sample_ns": 3_000_000_000_u64 }),
        tool_version: "0.1.0".into(),
        started_unix_ns: 1_700_000_000_123_456_789,
    }
}

pub fn cell(index: u64) -> Cell {
    Cell {
        stack: Stack {
            name: format!("stack-{index}"),
            devices: Vec::new(),
            adapter: None,
            array: None,
            volume: None,
            filesystem: Filesystem::Existing,
        },
        workload: Workload {
            trace: None,
            name: Some("db".into()),
            load: Load {
                read_percent: Some(70),
                engine: Engine::IoUring,
                jobs: 4,
                depth: 32,
                data: Data::Ratio(2.5),
                fsync_every: std::num::NonZeroU32::new(8),
                distribution: Distribution::Zipf(1.2),
                ..Load::new(Pattern::RandRw, Bytes::new(4096 << (index % 8)), Bytes::GIB)
            },
            neighbours: Vec::new(),
            options: std::collections::BTreeMap::new(),
            database: None,
            program: None,
        },
        conditions: Conditions::default(),
    }
}

pub fn cells(count: u64) -> Vec<Cell> {
    (0..count).map(cell).collect()
}

pub fn facts() -> Facts {
    Facts {
        kernel: Some("6.12.0".into()),
        devices: vec![DeviceFacts {
            name: "sda".into(),
            model: Some("Example \"2.5″\" disk".into()),
            size_bytes: Some(Bytes::new(1 << 40)),
            ..DeviceFacts::default()
        }],
        target: Some(TargetFacts {
            path: "/srv/test".into(),
            filesystem: Some("ext4".into()),
            ..TargetFacts::default()
        }),
        tools: [("fio".to_owned(), "fio-3.39".to_owned())].into(),
        ..Facts::default()
    }
}

fn transfer(numbers: &mut Numbers, bins: u64) -> Transfer {
    let mut histogram = Histogram::new();
    let mut latency_ns = 10_000 + numbers.below(1_000);
    for _ in 0..bins {
        latency_ns += 1 + numbers.below(2_000);
        histogram.add(Nanos::new(latency_ns), 1 + numbers.below(50_000));
    }
    let count = histogram.count();
    Transfer {
        ios: count,
        bytes: Bytes::new(count * 4096),
        latency: Latency {
            count,
            // A quotient of two odd numbers needs every digit of a float.
            mean_ns: Some(f64::from(u32::try_from(numbers.below(1 << 30)).unwrap()) / 7.0),
            min_ns: histogram.bins().first().map(|bin| bin.0),
            max_ns: histogram.bins().last().map(|bin| bin.0),
            histogram,
            percentiles: Vec::new(),
        },
    }
}

/// Returns the sample derived from `number`: `bins` in all, over two directions.
pub fn record_with_bins(number: u64, cells: u64, bins: u64) -> SampleRecord {
    let mut numbers = Numbers::of(number);
    SampleRecord {
        cell: usize::try_from(number % cells).unwrap(),
        block: u32::try_from(number / cells).unwrap(),
        role: if number < cells {
            Role::WarmUp
        } else {
            Role::Counted
        },
        seed: Some(numbers.next()),
        sample: Sample {
            started_unix_ns: Some(1_700_000_000_000_000_000 + number * 3_000_000_000),
            elapsed_ns: Nanos::new(3_000_000_000 + numbers.below(1_000_000)),
            read: transfer(&mut numbers, bins.div_ceil(2)),
            write: transfer(&mut numbers, bins / 2),
            cpu: Some(CpuTime {
                user_ns: Nanos::new(numbers.below(1_000_000_000)),
                system_ns: Nanos::new(numbers.below(1_000_000_000)),
            }),
            devices: vec![DeviceDelta {
                device: "sda".into(),
                reads: numbers.below(1_000_000),
                ..DeviceDelta::default()
            }],
            // Each seventh sample is invalid.
            warnings: (number % 7 == 6)
                .then_some(Warning::Throttled { count: 2 })
                .into_iter()
                .collect(),
            ..Sample::default()
        },
    }
}

/// Returns the sample derived from `number`, of realistic size.
pub fn record(number: u64, cells: u64) -> SampleRecord {
    record_with_bins(number, cells, 300)
}

pub fn change(number: u64) -> Change {
    Change::directory(format!("/srv/test/stripewise-{number}"))
}

/// Begins a run with `cell_count` cells and adds `sample_count` samples.
pub fn begin_with_samples(store: &mut Store, cell_count: u64, sample_count: u64) -> RunId {
    let run = store
        .begin_run(&new_run(), &cells(cell_count), &facts())
        .unwrap();
    for number in 0..sample_count {
        assert_eq!(
            store.add_sample(run, &record(number, cell_count)).unwrap(),
            number
        );
    }
    run
}
