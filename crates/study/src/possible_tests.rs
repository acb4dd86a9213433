//! Values that no measurement can have are named; those that fio and the model round are not.
//!
//! The failure: an export in which one digit had changed was imported, and its table showed a
//! bandwidth of thirty digits and a mean latency below zero.

use super::*;
use crate::sample::{
    DeviceDelta, PartTime, Transfer, UncertainPart, Uncertainty, UncertaintySource,
};
use crate::sample::{Part, Utilisation};
use stripewise_units::Bytes;
use stripewise_units::histogram::Histogram;

fn latency() -> Latency {
    Latency {
        count: 1000,
        mean_ns: Some(120_000.5),
        min_ns: Some(Nanos::new(80_000)),
        max_ns: Some(Nanos::new(900_000)),
        histogram: [(Nanos::new(120_000), 990), (Nanos::new(905_216), 10)]
            .into_iter()
            .collect(),
        percentiles: Vec::new(),
    }
}

fn sample() -> Sample {
    Sample {
        elapsed_ns: Nanos::new(1_000_000_000),
        read: Transfer {
            ios: 1000,
            bytes: Bytes::new(4_096_000),
            latency: latency(),
        },
        breakdown: Some(Breakdown {
            mean: vec![PartTime {
                part: Part::Link,
                time_ns: 7.5,
            }],
            utilisation: vec![Utilisation {
                component: "sd0".into(),
                busy_share: 1.000_001,
            }],
            uncertainty: Some(Uncertainty {
                faster: 0.1,
                slower: 0.2,
                sources: vec![UncertainPart {
                    source: UncertaintySource::Points,
                    half_width: 0.1,
                }],
                ..Uncertainty::default()
            }),
            ..Breakdown::default()
        }),
        ..Sample::default()
    }
}

#[test]
fn what_rounding_and_fio_do_is_possible() {
    assert_eq!(sample().check(), Ok(()));
    assert_eq!(Sample::default().check(), Ok(()));
    // fio 2.x cuts times down to microseconds: all its I/Os took 80 us, and their mean is longer.
    let mut old = sample();
    old.read.latency = Latency {
        mean_ns: Some(80_600.0),
        max_ns: Some(Nanos::new(80_000)),
        histogram: Histogram::new(),
        percentiles: vec![(50.0, Nanos::new(80_000)), (99.0, Nanos::new(80_384))],
        ..latency()
    };
    assert_eq!(old.check(), Ok(()));
    // All I/Os took longer than fio's last bin.
    let mut slow = sample();
    slow.read.latency = Latency {
        mean_ns: Some(25e9),
        min_ns: Some(Nanos::new(20_000_000_000)),
        max_ns: Some(Nanos::new(30_000_000_000)),
        histogram: [(Nanos::new(17_112_760_320), 1000)].into_iter().collect(),
        ..latency()
    };
    assert_eq!(slow.check(), Ok(()));
}

#[test]
fn the_first_impossible_value_is_named() {
    type Damage = fn(&mut Sample);
    let cases: [(&str, Damage); 15] = [
        ("elapsed_ns", |s| s.elapsed_ns = Nanos::new(u64::MAX)),
        ("read.latency.mean_ns", |s| {
            s.read.latency.mean_ns = Some(-1.0);
        }),
        ("read.latency.mean_ns", |s| {
            s.read.latency.mean_ns = Some(f64::NAN);
        }),
        ("read.latency.mean_ns", |s| {
            s.read.latency.mean_ns = Some(1e6);
        }),
        ("read.latency.min_ns", |s| {
            s.read.latency.min_ns = Some(Nanos::new(900_001));
        }),
        ("read.latency.histogram", |s| {
            s.read.latency.histogram.add(Nanos::new(1_000_000), 1);
        }),
        ("read.latency.percentiles", |s| {
            s.read.latency.percentiles =
                vec![(50.0, Nanos::new(500_000)), (99.0, Nanos::new(400_000))];
        }),
        ("read.latency.percentiles", |s| {
            s.read.latency.percentiles = vec![(101.0, Nanos::new(500_000))];
        }),
        ("read.bytes", |s| s.read.bytes = Bytes::new(u64::MAX)),
        ("write.ios", |s| s.write.ios = u64::MAX),
        // A bandwidth of a petabyte per second, and more.
        ("bandwidth_bytes_per_s", |s| {
            s.read.bytes = Bytes::new(COUNT_MAX);
        }),
        ("devices.flushes", |s| {
            s.devices = vec![DeviceDelta {
                flushes: Some(u64::MAX),
                ..DeviceDelta::default()
            }];
        }),
        ("breakdown.link", |s| {
            s.breakdown.as_mut().unwrap().mean[0].time_ns = -1.0;
        }),
        ("busy_share", |s| {
            s.breakdown.as_mut().unwrap().utilisation[0].busy_share = 1e300;
        }),
        // The interval of a prediction would end at infinity.
        ("uncertainty", |s| {
            let uncertainty = s.breakdown.as_mut().unwrap().uncertainty.as_mut();
            uncertainty.unwrap().slower = 1e3;
        }),
    ];
    for (place, damage) in cases {
        let mut sample = sample();
        damage(&mut sample);
        let impossible = sample.check().unwrap_err();
        assert_eq!(impossible.place, place, "{impossible}");
    }
    let warning = Warning::Drift {
        metric: Metric::Iops,
        relative_change: 1e308,
        p_value: 0.01,
    };
    assert_eq!(
        warning.check().unwrap_err().to_string(),
        "`warnings.relative_change` is 1e308, which is not from -1e20 to 1e20"
    );
}
