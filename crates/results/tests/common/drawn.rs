//! Values of every kind that is stored, drawn at random.

use proptest::prelude::*;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::{Conditions, Flush, WriteCache};
use stripewise_study::cut::{Cut, Loss, Outcome};
use stripewise_study::facts::{ArrayFacts, CpuFacts, DeviceFacts, Facts, TargetFacts};
use stripewise_study::failure::{Failure, Repair, Replacement};
use stripewise_study::host_during::{ClockFile, HostDuring};
use stripewise_study::metric::Metric;
use stripewise_study::possible::{COUNT_MAX, TIME_NS_MAX};
use stripewise_study::risk::{Risk, Volatile};
use stripewise_study::sample::{
    CpuTime, DeviceDelta, Latency, Role, Sample, SampleRecord, Stated, Transfer, VerbatimJob,
    as_f64,
};
use stripewise_study::series::{Happened, SampleEvent, Series, SeriesColumns};
use stripewise_study::stack::{
    Array, ArraySettings, Bitmap, DeviceGroup, Filesystem, Level, Metadata, Volume,
};
use stripewise_study::warning::{Direction, Warning};
use stripewise_study::workload::{BlockSize, Data, Distribution, Neighbour, SplitPart};
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

pub fn float() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
}

pub fn bytes() -> impl Strategy<Value = Bytes> {
    any::<u64>().prop_map(Bytes::new)
}

pub fn nanos() -> impl Strategy<Value = Nanos> {
    any::<u64>().prop_map(Nanos::new)
}

/// A number that a warning can have.
fn moderate() -> impl Strategy<Value = f64> {
    float().prop_map(|float| float % 1e20)
}

/// A time that a measurement can have.
fn time() -> impl Strategy<Value = Nanos> {
    (0..=TIME_NS_MAX.as_u64()).prop_map(Nanos::new)
}

/// Latencies that a measurement can have: the mean and all bins lie between the shortest and the
/// longest, and percentiles ascend.
pub fn latency() -> impl Strategy<Value = Latency> {
    let counts = prop::collection::vec(any::<u64>(), 0..20);
    let times = prop::collection::vec(time(), 32..33);
    let percents = prop::collection::vec(0.0..=100.0_f64, 0..4);
    let has = (any::<bool>(), any::<bool>(), any::<bool>());
    (0..=COUNT_MAX, has, times, counts, percents).prop_map(
        |(count, (has_mean, has_min, has_max), mut times, counts, mut percents)| {
            times.sort_unstable();
            percents.sort_unstable_by(f64::total_cmp);
            let middle = as_f64(times[15].as_u64());
            Latency {
                count,
                mean_ns: has_mean.then_some(middle + 1.0 / 3.0),
                min_ns: has_min.then_some(times[0]),
                max_ns: has_max.then_some(times[31]),
                histogram: times.iter().copied().zip(counts).collect(),
                percentiles: percents.into_iter().zip(times.iter().copied()).collect(),
            }
        },
    )
}

pub fn transfer() -> impl Strategy<Value = Transfer> {
    let count = || 0..=COUNT_MAX;
    (count(), count(), latency()).prop_map(|(ios, bytes, latency)| Transfer {
        ios,
        bytes: Bytes::new(bytes),
        latency,
    })
}

pub fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![Just(Direction::Read), Just(Direction::Write)]
}

pub fn metric() -> impl Strategy<Value = Metric> {
    prop::sample::select(Metric::ALL.to_vec())
}

pub fn warning() -> impl Strategy<Value = Warning> {
    prop_oneof![
        Just(Warning::NoHistogram),
        (any::<String>(), any::<i64>(), prop::option::of(".{0,12}"))
            .prop_map(|(job, errno, text)| Warning::JobFailed { job, errno, text }),
        (metric(), moderate(), moderate()).prop_map(|(metric, relative_change, p_value)| {
            Warning::Drift {
                metric,
                relative_change,
                p_value,
            }
        }),
        (metric(), moderate(), 0..1_000_usize, moderate()).prop_map(
            |(metric, lag1, samples, effective_samples)| Warning::Autocorrelated {
                metric,
                lag1,
                samples,
                effective_samples,
            }
        ),
        (direction(), bytes(), bytes(), any::<Option<String>>()).prop_map(
            |(direction, asked_bytes, device_bytes, process)| Warning::MoreBytesAtDevice {
                direction,
                asked_bytes,
                device_bytes,
                process,
            }
        ),
    ]
}

pub fn device() -> impl Strategy<Value = DeviceDelta> {
    let numbers = prop::array::uniform7(0..=COUNT_MAX);
    (any::<String>(), numbers, prop::option::of(0..=COUNT_MAX)).prop_map(|(device, n, flushes)| {
        DeviceDelta {
            device,
            reads: n[0],
            read_merges: n[1],
            read_bytes: Bytes::new(n[2]),
            writes: n[3],
            write_merges: n[4],
            write_bytes: Bytes::new(n[5]),
            flushes,
            busy_ns: Nanos::new(n[6]),
            sectors_sums: None,
        }
    })
}

/// The events in a sample, and its load step by step; both or neither.
pub fn history() -> impl Strategy<Value = Option<(Series, SampleEvent)>> {
    let column = || prop::collection::vec(any::<u64>(), 0..4);
    let event = prop_oneof![
        any::<u32>().prop_map(|device| Happened::Failed { device }),
        any::<u32>().prop_map(|device| Happened::Replaced { device }),
        any::<u32>().prop_map(|device| Happened::ReAdded { device }),
        bytes().prop_map(|size_bytes| Happened::RebuildBegan { size_bytes }),
        prop::option::of(bytes()).prop_map(|rebuilt_bytes| Happened::RebuildDone { rebuilt_bytes }),
        (bytes(), bytes()).prop_map(|(reached_bytes, size_bytes)| {
            Happened::RebuildUnfinished {
                reached_bytes,
                size_bytes,
            }
        }),
        bytes().prop_map(|read_bytes| Happened::ReadBack { read_bytes }),
        bytes().prop_map(|mismatch_bytes| Happened::Checked { mismatch_bytes }),
    ];
    let drawn = (nanos(), nanos(), column(), column(), column(), event);
    prop::option::of(
        drawn.prop_map(|(step_ns, at_ns, bytes, ios, rebuilt_bytes, what)| {
            let read = SeriesColumns {
                bytes,
                mean_latency_ns: ios.clone(),
                ios,
            };
            let series = Series {
                step_ns,
                read,
                write: SeriesColumns::default(),
                rebuilt_bytes,
            };
            (series, SampleEvent { at_ns, what })
        }),
    )
}

/// The numbers of another program, as in an import of fio's files.
fn stated() -> impl Strategy<Value = Option<Stated>> {
    let job = (
        prop::collection::vec(("[a-z._]{1,12}", float()), 0..4),
        prop::collection::vec(("[a-z._]{1,12}", ".{0,12}"), 0..3),
    );
    let job = job
        .prop_map(|(numbers, texts)| VerbatimJob { numbers, texts })
        .boxed();
    let jobs = || prop::collection::vec(job.clone(), 0..3);
    let options = || prop::collection::vec(("[a-z_]{1,12}", ".{0,12}"), 0..3);
    let stated = (".{0,12}", options(), options(), jobs(), jobs());
    prop::option::of(
        stated.prop_map(|(source, options, global_options, jobs, disks)| Stated {
            source,
            options,
            global_options,
            jobs,
            disks,
        }),
    )
}

pub fn sample() -> impl Strategy<Value = Sample> {
    let cpu = prop::option::of((nanos(), nanos()));
    (
        any::<Option<u64>>(),
        // Long enough for any number of I/Os.
        time().prop_map(|time| time.max(Nanos::new(1 << 34))),
        transfer(),
        transfer(),
        latency(),
        cpu,
        prop::collection::vec(device(), 0..3),
        prop::collection::vec(warning(), 0..3),
        (history(), stated()),
    )
        .prop_map(
            |(started_unix_ns, elapsed_ns, read, write, sync, cpu, devices, warnings, more)| {
                let (history, stated) = more;
                Sample {
                    started_unix_ns,
                    elapsed_ns,
                    read,
                    write,
                    sync,
                    cpu: cpu.map(|(user_ns, system_ns)| CpuTime { user_ns, system_ns }),
                    devices,
                    host: Some(HostDuring {
                        cpus: "0-1".parse().ok(),
                        cpu_user_ns: vec![elapsed_ns; 2],
                        cpu_interrupts: vec![1, u64::MAX],
                        clock_file: Some(ClockFile::ScalingCurFreq),
                        syncs: 3,
                        ..HostDuring::default()
                    }),
                    breakdown: None,
                    risk: Some(Risk {
                        acknowledged: Volatile {
                            bytes_max: Bytes::new(u64::MAX),
                            age_max_ns: elapsed_ns,
                            is_unbounded: true,
                            ..Volatile::default()
                        },
                        promised: Volatile::default(),
                    }),
                    cut: Some(Cut {
                        recording: 7,
                        at_ns: elapsed_ns,
                        acknowledged: u64::MAX,
                        acknowledged_bytes: Bytes::new(u64::MAX),
                        outcome: Outcome::CameBack(Loss {
                            records: 1,
                            age_ns: elapsed_ns,
                            ..Loss::default()
                        }),
                    }),
                    series: history.clone().map(|history| history.0),
                    events: history.into_iter().map(|history| history.1).collect(),
                    stated,
                    warnings,
                }
            },
        )
}

pub fn record() -> impl Strategy<Value = SampleRecord> {
    let role = prop_oneof![Just(Role::WarmUp), Just(Role::Counted)];
    (
        0..3_usize,
        any::<u32>(),
        role,
        any::<Option<u64>>(),
        sample(),
    )
        .prop_map(|(cell, block, role, seed, sample)| SampleRecord {
            cell,
            block,
            role,
            seed,
            sample,
        })
}

pub fn facts() -> impl Strategy<Value = Facts> {
    (
        any::<Option<String>>(),
        any::<Option<u32>>(),
        prop::option::of(bytes()),
        prop::collection::vec(any::<String>(), 0..3),
        prop::collection::btree_map(any::<String>(), any::<String>(), 0..3),
        any::<bool>(),
    )
        .prop_map(|(text, number, size, names, tools, there)| Facts {
            kernel: text.clone(),
            cpu: CpuFacts {
                model: text.clone(),
                logical_count: number,
                ..CpuFacts::default()
            },
            memory_bytes: size,
            devices: vec![DeviceFacts {
                rotational: there.then_some(!there),
                members: names.clone(),
                queue_depth: number,
                ..DeviceFacts::default()
            }],
            arrays: vec![ArrayFacts {
                chunk_bytes: size,
                ..ArrayFacts::default()
            }],
            target: there.then(|| TargetFacts {
                options: names,
                ..TargetFacts::default()
            }),
            tools,
            ..Facts::default()
        })
}

/// A cell with every layer and arbitrary numbers.
pub fn full_cell() -> impl Strategy<Value = Cell> {
    (float(), float(), any::<u32>(), bytes(), any::<String>()).prop_map(
        |(ratio, theta, count, size, text)| {
            let count = std::num::NonZeroU32::new(count).unwrap_or(std::num::NonZeroU32::MIN);
            let mut cell = super::cell(0);
            cell.stack.name = text.clone();
            cell.stack.devices = vec![DeviceGroup {
                profile: text.clone(),
                count,
            }];
            cell.stack.array = Some(Array {
                level: Level::Raid10,
                layout: Some("f2".into()),
                chunk_bytes: Some(size),
                bitmap: Bitmap::Internal {
                    chunk_bytes: Some(size),
                },
                metadata: Metadata::V0_90,
                assume_clean: false,
                size_bytes: None,
                beside: Vec::new(),
                settings: ArraySettings {
                    stripe_cache_size: Some(count.get()),
                    sync_speed_max_bytes_per_s: Some(size),
                    write_mostly: vec![1, count.get()],
                    ..ArraySettings::default()
                },
            });
            cell.stack.volume = Some(Volume::Striped {
                stripes: count,
                stripe_bytes: size,
            });
            cell.stack.filesystem = Filesystem::Made {
                kind: text.clone(),
                mkfs: Vec::new(),
                options: vec![text.clone()],
                group: None,
                log: None,
            };
            cell.workload.load.data = Data::Ratio(ratio);
            cell.workload.load.distribution = Distribution::Pareto(theta);
            cell.workload.load.fsync_every = Some(count);
            cell.workload.neighbours = vec![Neighbour {
                name: text.clone(),
                load: cell.workload.load.clone(),
            }];
            cell.workload.load.block_size = BlockSize::Split(vec![SplitPart {
                block_size_bytes: size,
                share_percent: 100,
            }]);
            cell.conditions = Conditions {
                kernel: Some(KernelVersion::new(6, 1, 0)),
                governor: Some(text),
                write_cache: Some(WriteCache::Off),
                flush: Some(Flush::Ignored),
                drop_caches: Some(true),
                read_ahead_bytes: Some(size),
                nr_requests: Some(count.get()),
                turbo: Some(false),
                cpu_dma_latency_us: Some(count.get()),
                sysctl: [("vm.dirty_ratio".to_owned(), "10".to_owned())].into(),
                cpus: "0-3,8".parse().ok(),
                sync_every_ns: Some(Nanos::new(size.as_u64())),
                flush_every_ns: Some(Nanos::new(size.as_u64())),
                failure: Some(Failure {
                    name: "pulled".into(),
                    at_ns: Nanos::new(size.as_u64()),
                    device: 2,
                    repair: Some(Repair {
                        at_ns: Nanos::new(size.as_u64()),
                        with: Replacement::Same,
                    }),
                    sync_speed_min_bytes_per_s: None,
                    sync_speed_max_bytes_per_s: Some(size),
                    until_rebuilt: true,
                }),
                ..Conditions::default()
            };
            cell
        },
    )
}
