//! The failures: a profile that is read back differs from the written one; a typo is ignored and
//! the default silently simulated; a number overflows the simulation.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::*;
use crate::device::PHYSICAL_BLOCK_BYTES_DEFAULT;
use crate::device::calibrated::{CacheProfile, DrainProfile, LinkProfile, LoadPoint, MixPoint};
use crate::host::{
    AdapterProfile, CpuProfile, GovernorProfile, MemoryProfile, PStates, UplinkProfile,
};

const DEFAULT_HOST: &str = include_str!("../../../hosts/default.toml");

fn small_device() -> DeviceProfile {
    let direction = |servers, times: &[(u64, u64)]| DirectionProfile {
        servers,
        p99_over_p50: 1.29,
        p50_over_mean: None,
        random: times
            .iter()
            .map(|&(size_bytes, time_ns)| CurvePoint {
                size_bytes,
                time_ns,
            })
            .collect(),
        sequential: Vec::new(),
        under_load: Vec::new(),
        under_mix: Vec::new(),
    };
    DeviceProfile {
        schema: SCHEMA,
        name: "small".to_owned(),
        description: "A disk for tests.".to_owned(),
        source: "invented".to_owned(),
        basis: None,
        host: None,
        models: Vec::new(),
        capacity_bytes: 500_000_000_000,
        rotational: false,
        queue_depth: 32,
        request_bytes_max: None,
        optimal_io_bytes: None,
        physical_block_bytes: PHYSICAL_BLOCK_BYTES_DEFAULT,
        ratings: Ratings::default(),
        assumed: vec!["everything".to_owned()],
        model: Model::Calibrated(CalibratedProfile {
            link: LinkProfile {
                read_bytes_per_s: 520_000_000,
                write_bytes_per_s: 510_000_000,
                command_ns: 0,
                full_duplex: false,
            },
            read: direction(8, &[(8192, 118_000), (16384, 120_000)]),
            write: direction(2, &[(8192, 45_000)]),
            cache: CacheProfile {
                is_volatile: true,
                flush_ns: 3_000_000,
            },
            drain: None,
        }),
        perhaps_adapter: None,
        points: vec![MeasuredPoint {
            drive: None,
            steady: false,
            side: None,
            pattern: "randread".to_owned(),
            block_size_bytes: 8192,
            jobs: 1,
            depth: 1,
            bandwidth_bytes_per_s: 67_108_864.0,
            model_bandwidth_bytes_per_s: None,
        }],
    }
}

#[test]
fn a_device_profile_is_a_file_people_can_read() {
    let text = device_to_toml(&small_device()).expect("all numbers are small");
    expect![[r##"
        # A device profile: how one disk behaves. `source` says where the numbers come from,
        # `assumed` what is not known. Units stand in the keys.

        schema = 1
        name = "small"
        description = "A disk for tests."
        source = "invented"
        capacity_bytes = 500000000000
        rotational = false
        queue_depth = 32
        assumed = [
            "everything",
        ]
        points = [
            { pattern = "randread", block_size_bytes = 8192, jobs = 1, depth = 1, bandwidth_bytes_per_s = 67108864.0 },
        ]

        [calibrated.link]
        read_bytes_per_s = 520000000
        write_bytes_per_s = 510000000
        command_ns = 0
        full_duplex = false

        [calibrated.read]
        servers = 8
        p99_over_p50 = 1.29
        random = [
            { size_bytes = 8192, time_ns = 118000 },
            { size_bytes = 16384, time_ns = 120000 },
        ]

        [calibrated.write]
        servers = 2
        p99_over_p50 = 1.29
        random = [
            { size_bytes = 8192, time_ns = 45000 },
        ]

        [calibrated.cache]
        is_volatile = true
        flush_ns = 3000000
    "##]].assert_eq(&text);
}

#[test]
fn the_default_host_can_be_read_and_is_marked_as_assumed() {
    let host = host_from_toml("hosts/default.toml", DEFAULT_HOST).expect("a valid profile");
    assert_eq!(host.name, "default");
    assert_eq!(host.governor_default, "performance");
    assert_eq!(host.governor.len(), 5);
    assert_eq!(host.uplink, None);
    assert!(!host.assumed.is_empty());
}

fn refused(text: &str, expected: &Expect) {
    let error = device_from_toml("disk.toml", text).expect_err("must be refused");
    expected.assert_eq(&error.to_string());
}

fn changed(from: &str, to: &str) -> String {
    let text = device_to_toml(&small_device()).expect("all numbers are small");
    assert!(text.contains(from), "{text}");
    text.replacen(from, to, 1)
}

#[test]
fn texts_other_than_profiles_are_refused_with_the_place() {
    refused(
        "",
        &expect!["disk.toml:1:1: `schema` is missing; write `schema = 1`"],
    );
    refused(
        "a = ",
        &expect![
            "disk.toml:1:5: this is not TOML: string values must be quoted, expected literal string"
        ],
    );
    refused(
        "schema = 2",
        &expect!["disk.toml:1:10: `schema` must be 1, the version that this program reads"],
    );
    refused(
        "schema = 1",
        &expect!["disk.toml:1:1: missing field `name`"],
    );
    refused(
        &" ".repeat(TEXT_BYTES_MAX + 1),
        &expect!["disk.toml:1:1: a profile may have 1048576 bytes at most, this one has 1048577"],
    );
}

#[test]
fn wrong_keys_and_values_are_refused_with_their_place() {
    refused(
        &changed("queue_depth", "queue_dept"),
        &expect![
            "disk.toml:10:1: unknown field `queue_dept`, expected one of `schema`, `name`, `description`, `source`, `basis`, `host`, `models`, `capacity_bytes`, `rotational`, `queue_depth`, `request_bytes_max`, `optimal_io_bytes`, `physical_block_bytes`, `tbw_bytes`, `afr_percent`, `ure_bits`, `assumed`, `calibrated`, `disk`, `flash`, `perhaps_adapter`, `points`"
        ],
    );
    refused(
        &changed("servers = 8", "serverz = 8"),
        &expect![
            "disk.toml:25:1: unknown field `serverz`, expected one of `servers`, `p99_over_p50`, `p50_over_mean`, `random`, `sequential`, `under_load`, `under_mix`"
        ],
    );
    refused(
        &changed("servers = 8", "servers = 0"),
        &expect!["disk.toml:25:11: `calibrated.read.servers` must be 1 to 1024, not 0"],
    );
    refused(
        &changed("1.29", "0.5"),
        &expect!["disk.toml:26:16: `calibrated.read.p99_over_p50` must be 1 to 20, not 0.5"],
    );
    refused(
        &changed("time_ns = 118000", "time_ns = -1"),
        &expect!["disk.toml:28:36: invalid value: integer `-1`, expected u64"],
    );
    refused(
        &changed("size_bytes = 16384", "size_bytes = 8192"),
        &expect!["disk.toml:27:10: `calibrated.read.random`: sizes must rise from point to point"],
    );
    let under_load = |points| {
        changed(
            "servers = 8",
            &format!("servers = 8\nunder_load = {points}"),
        )
    };
    refused(
        &under_load("[{ in_flight = 1, gain = 1.0 }]"),
        &expect![
            "disk.toml:26:14: `calibrated.read.under_load`: `in_flight` goes from 2 to 4096, `gain` from 0.01 to 4096, `p99_over_p50` from 1 to 20, `p50_over_mean` from 0.01 to 1"
        ],
    );
    refused(
        &under_load("[{ in_flight = 4, gain = 2.0 }, { in_flight = 2, gain = 1.5 }]"),
        &expect![
            "disk.toml:26:14: `calibrated.read.under_load`: `in_flight` must rise from point to point"
        ],
    );
    refused(
        &changed("[calibrated.link]", "[calibrate.link]"),
        &expect![
            "disk.toml:18:2: unknown field `calibrate`, expected one of `schema`, `name`, `description`, `source`, `basis`, `host`, `models`, `capacity_bytes`, `rotational`, `queue_depth`, `request_bytes_max`, `optimal_io_bytes`, `physical_block_bytes`, `tbw_bytes`, `afr_percent`, `ure_bits`, `assumed`, `calibrated`, `disk`, `flash`, `perhaps_adapter`, `points`"
        ],
    );
    refused(
        &changed("\"small\"", "\"../small\""),
        &expect![
            "disk.toml:5:8: `name` must be 1 to 64 letters, digits, `-`, `_` and `.`, and not begin with `.`"
        ],
    );
    refused(
        &changed("67108864.0", "nan"),
        &expect!["disk.toml:14:10: `points`: every bandwidth must be above 0"],
    );
}

#[test]
fn impossible_ratings_are_refused_with_their_place() {
    for (line, problem) in [
        (
            "tbw_bytes = 0",
            "`tbw_bytes` must be 1 to 1152921504606846976, not 0",
        ),
        (
            "afr_percent = 100.1",
            "`afr_percent` must be above 0 and at most 100, not 100.1",
        ),
        (
            "afr_percent = nan",
            "`afr_percent` must be above 0 and at most 100, not NaN",
        ),
        (
            "ure_bits = 14",
            "`ure_bits` must be 1000000000 to 1000000000000000000, not 14",
        ),
    ] {
        let text = changed("queue_depth = 32", &format!("queue_depth = 32\n{line}"));
        let error = device_from_toml("disk.toml", &text).expect_err(line);
        assert_eq!((error.line, error.problem.as_str()), (11, problem));
    }
}

#[test]
fn wrong_hosts_are_refused_with_their_place() {
    for (from, to, expected) in [
        (
            "submit_ns",
            "submit",
            expect![
                "host.toml:21:1: unknown field `submit`, expected one of `cores`, `submit_ns`, `bio_ns`, `page_ns`, `completion_ns`, `wake_ns`, `stripe_ns`, `xor_bytes_per_s`, `copy_bytes_per_s`, `filesystem_ns`, `cache_page_ns`, `fletcher4_bytes_per_s`, `fill_bytes_per_s`, `scheduler_ns`, `worker_ns`, `mirror_lock_ns`, `parity_lock_ns`"
            ],
        ),
        (
            "\"performance\"",
            "\"turbo\"",
            expect![
                "host.toml:17:20: `governor_default` is `turbo`, but there is no `[governor.turbo]`"
            ],
        ),
        (
            "clock_percent = 80",
            "clock_percent = 0",
            expect!["host.toml:41:17: `governor.schedutil.clock_percent` must be 1 to 100, not 0"],
        ),
        (
            "3_435_973_836",
            "0",
            expect![
                "host.toml:34:19: `memory.dirty_bytes_max` must be 1 to 1152921504606846976, not 0"
            ],
        ),
    ] {
        let text = DEFAULT_HOST.replacen(from, to, 1);
        let error = host_from_toml("host.toml", &text).expect_err("must be refused");
        expected.assert_eq(&error.to_string());
    }
}

#[test]
fn numbers_above_those_of_toml_are_not_written() {
    let mut profile = small_device();
    profile.capacity_bytes = u64::MAX;
    let error = device_to_toml(&profile).expect_err("2^64 - 1 is no TOML integer");
    assert_eq!(error.profile, "small");
}

fn curve() -> impl Strategy<Value = Vec<CurvePoint>> {
    btree_map(1..1_u64 << 30, 1..1_000_000_000_u64, 1..6).prop_map(|points| {
        let points = points.into_iter();
        let points = points.map(|(size_bytes, time_ns)| CurvePoint {
            size_bytes,
            time_ns,
        });
        points.collect()
    })
}

fn under_load() -> impl Strategy<Value = Vec<LoadPoint>> {
    let median = prop::option::of(0.01..=1.0_f64);
    let point = (0.01..=4096.0_f64, prop::option::of(1.0..=20.0_f64), median);
    btree_map(2..=4096_u32, point, 0..6).prop_map(|points| {
        let points = points.into_iter();
        let points = points.map(
            |(in_flight, (gain, p99_over_p50, p50_over_mean))| LoadPoint {
                in_flight,
                gain,
                p99_over_p50,
                p50_over_mean,
            },
        );
        points.collect()
    })
}

fn under_mix() -> impl Strategy<Value = Vec<MixPoint>> {
    (under_load(), 0.01..=0.99_f64).prop_map(|(points, others)| {
        let points = points.into_iter().map(|point| MixPoint {
            in_flight: point.in_flight,
            others,
            gain: point.gain,
            p99_over_p50: point.p99_over_p50,
            p50_over_mean: point.p50_over_mean,
        });
        points.collect()
    })
}

fn direction() -> impl Strategy<Value = DirectionProfile> {
    (
        1..=1024_u32,
        (1.0..20.0_f64, prop::option::of(0.01..=1.0_f64)),
        curve(),
        prop::option::of(curve()),
        under_load(),
        under_mix(),
    )
        .prop_map(
            |(servers, shape, random, sequential, under_load, under_mix)| DirectionProfile {
                servers,
                p99_over_p50: shape.0,
                p50_over_mean: shape.1,
                random,
                sequential: sequential.unwrap_or_default(),
                under_load,
                under_mix,
            },
        )
}

fn model() -> impl Strategy<Value = Model> {
    let rate = || 1..=10_000_000_000_000_u64;
    let link = (rate(), rate(), 0..1_000_000_u64, any::<bool>());
    let drain = prop::option::of((0..1_u64 << 60, rate(), rate(), 0..1_u64 << 60));
    let cache = (any::<bool>(), 0..1_000_000_000_u64);
    (link, direction(), direction(), cache, drain).prop_map(|(link, read, write, cache, drain)| {
        Model::Calibrated(CalibratedProfile {
            link: LinkProfile {
                read_bytes_per_s: link.0,
                write_bytes_per_s: link.1,
                command_ns: link.2,
                full_duplex: link.3,
            },
            read,
            write,
            cache: CacheProfile {
                is_volatile: cache.0,
                flush_ns: cache.1,
            },
            drain: drain.map(|drain| DrainProfile {
                fast_bytes: drain.0,
                random_bytes_per_s: drain.1,
                sequential_bytes_per_s: drain.2,
                buffer_bytes: drain.3,
            }),
        })
    })
}

fn point() -> impl Strategy<Value = MeasuredPoint> {
    (
        ".*",
        any::<u32>(),
        any::<u32>(),
        any::<u32>(),
        1.0..1e12_f64,
        prop::option::of(1.0..1e12_f64),
    )
        .prop_map(
            |(pattern, size, jobs, depth, bandwidth_bytes_per_s, model)| MeasuredPoint {
                drive: None,
                steady: false,
                side: None,
                pattern,
                block_size_bytes: size.into(),
                jobs,
                depth,
                bandwidth_bytes_per_s,
                model_bandwidth_bytes_per_s: model,
            },
        )
}

prop_compose! {
    fn device()(
        name in "[a-z0-9_-][a-z0-9._-]{0,63}",
        words in (".*", "(?s).*", vec(".*", 0..3)),
        sizes in (1..1_u64 << 60, 1..=65_536_u32, prop::option::of(4096..1_u64 << 30)),
        block_shift in 0..=3_u32,
        rotational: bool,
        ratings in ratings(),
        model in model(),
        perhaps_adapter in prop::option::of(adapter()),
        points in vec(point(), 0..3),
    ) -> DeviceProfile {
        DeviceProfile {
            schema: SCHEMA,
            name,
            description: words.0,
            source: words.1,
            basis: None,
            host: None,
            models: Vec::new(),
            capacity_bytes: sizes.0,
            rotational,
            queue_depth: sizes.1,
            request_bytes_max: sizes.2,
            optimal_io_bytes: sizes.2,
            physical_block_bytes: 512_u64 << block_shift,
            ratings,
            assumed: words.2,
            model,
            perhaps_adapter,
            points,
        }
    }
}

prop_compose! {
    fn ratings()(
        tbw_bytes in prop::option::of(1..=1_u64 << 60),
        afr_percent in prop::option::of(1e-9..=100.0),
        ure_bits in prop::option::of(1_000_000_000..=1_000_000_000_000_000_000_u64),
    ) -> Ratings {
        Ratings { tbw_bytes, afr_percent, ure_bits }
    }
}

prop_compose! {
    fn adapter()(
        outstanding_min in 1..=65_536_u32,
        delay_ns in 0..1_000_000_u64,
        around in prop::option::of(0..1_000_u64),
        command_ns in 0..1_000_u64,
    ) -> AdapterProfile {
        let range = |around| [delay_ns.saturating_sub(around), delay_ns + around];
        AdapterProfile {
            outstanding_min,
            delay_ns,
            delay_ns_range: around.map(range),
            command_ns,
        }
    }
}

prop_compose! {
    fn host()(
        name in "[a-z0-9_-][a-z0-9._-]{0,63}",
        words in (".*", "(?s).*", vec(".*", 0..3)),
        times in [0..1_000_000_u64, 0..1_000_000, 0..1_000_000, 0..1_000_000, 0..1_000_000, 0..1_000_000],
        rates in [1..1_u64 << 40, 1..1_u64 << 40],
        uplink in prop::option::of(1..1_u64 << 40),
        dirty_bytes_max in 1..1_u64 << 60,
        adapters in btree_map("[a-z0-9 .]{0,9}", adapter(), 0..3),
        others in btree_map("[a-z .]{0,9}", (1..=100_u32, 0..1_000_000_u64), 0..4),
    ) -> HostProfile {
        let mut governor: BTreeMap<String, GovernorProfile> = others
            .into_iter()
            .map(|(name, (clock_percent, wake_extra_ns))| {
                (name, GovernorProfile { clock_percent, wake_extra_ns })
            })
            .collect();
        let full = GovernorProfile { clock_percent: 100, wake_extra_ns: 0 };
        governor.insert("performance".to_owned(), full);
        HostProfile {
            schema: SCHEMA,
            name,
            description: words.0,
            source: words.1,
            basis: None,
            assumed: words.2,
            cpu: CpuProfile {
                cores: 1 + u32::try_from(times[5] % 64).unwrap(),
                submit_ns: times[0],
                bio_ns: times[1],
                page_ns: times[2],
                completion_ns: times[3],
                wake_ns: times[4],
                stripe_ns: times[5],
                xor_bytes_per_s: rates[0],
                copy_bytes_per_s: rates[1],
                fletcher4_bytes_per_s: None,
                fill_bytes_per_s: None,
                scheduler_ns: times[2],
                worker_ns: times[3],
                filesystem_ns: times[1],
                cache_page_ns: times[2],
                mirror_lock_ns: times[0],
                parity_lock_ns: times[1],
            },
            uplink: uplink.map(|bytes_per_s| UplinkProfile { bytes_per_s }),
            adapter: adapters,
            memory: MemoryProfile { dirty_bytes_max },
            clock: uplink.map(|_| ClockProfile {
                p_states: PStates::AmdCppc,
                min_mhz: 400,
                max_mhz: 5000,
                step_mhz: 25,
                transition_us: 1,
                c_states: vec![CStateProfile {
                    exit_us: 2,
                    residency_us: 20,
                }],
            }),
            governor_default: "performance".to_owned(),
            governor,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn devices_are_read_back_as_written(profile in device()) {
        let text = device_to_toml(&profile).expect("numbers are within those of TOML");
        prop_assert_eq!(device_from_toml("x", &text), Ok(profile));
    }

    #[test]
    fn hosts_are_read_back_as_written(profile in host()) {
        let text = host_to_toml(&profile).expect("numbers are within those of TOML");
        prop_assert_eq!(host_from_toml("x", &text), Ok(profile));
    }

    #[test]
    fn no_text_panics(text in ".*") {
        let _ = device_from_toml("x", &text);
        let _ = host_from_toml("x", &text);
    }
}
